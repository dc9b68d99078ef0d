//! What is measured: the time that passes, or what a suite brings.

use std::time::{Duration, Instant};

use crate::settings::Throughput;

/// Formats measured values, which are in the unit of [`Measurement::to_f64`].
pub trait ValueFormatter {
    /// Returns a value with its unit.
    fn format_value(&self, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_values(value, &mut values);
        format!("{:>6} {unit}", short(values[0]))
    }

    /// Returns the throughput at a value, with its unit.
    fn format_throughput(&self, throughput: &Throughput, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_throughputs(value, throughput, &mut values);
        format!("{:>6} {unit}", short(values[0]))
    }

    /// Scales values to the unit that fits a typical one, and returns the unit.
    fn scale_values(&self, typical_value: f64, values: &mut [f64]) -> &'static str;

    /// Replaces values by the throughput at them, scaled to the unit that fits a typical value, and returns the unit.
    fn scale_throughputs(
        &self,
        typical_value: f64,
        throughput: &Throughput,
        values: &mut [f64],
    ) -> &'static str;

    /// Scales values to one unit for all, and returns it; for times that is `ns`.
    fn scale_for_machines(&self, values: &mut [f64]) -> &'static str;
}

/// Something that is measured around iterations.
pub trait Measurement {
    /// What is kept from the start of the iterations to their end.
    type Intermediate;
    /// A measured value.
    type Value;

    /// Starts to measure.
    fn start(&self) -> Self::Intermediate;
    /// Ends what [`start`](Measurement::start) began, and returns the value.
    fn end(&self, i: Self::Intermediate) -> Self::Value;
    /// Returns the sum of two values.
    fn add(&self, v1: &Self::Value, v2: &Self::Value) -> Self::Value;
    /// Returns the value to which others are added.
    fn zero(&self) -> Self::Value;
    /// Returns a value as a number.
    fn to_f64(&self, value: &Self::Value) -> f64;
    /// Returns the formatter for such numbers.
    fn formatter(&self) -> &dyn ValueFormatter;
}

/// The time that passes.
pub struct WallTime;

impl Measurement for WallTime {
    type Intermediate = Instant;
    type Value = Duration;

    fn start(&self) -> Instant {
        Instant::now()
    }

    fn end(&self, i: Instant) -> Duration {
        i.elapsed()
    }

    fn add(&self, v1: &Duration, v2: &Duration) -> Duration {
        *v1 + *v2
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Nanoseconds
    }
}

struct Nanoseconds;

impl ValueFormatter for Nanoseconds {
    fn scale_values(&self, ns: f64, values: &mut [f64]) -> &'static str {
        let (unit, ns_each) = match ns {
            ns if ns < 1.0 => ("ps", 1e-3),
            ns if ns < 1e3 => ("ns", 1.0),
            ns if ns < 1e6 => ("µs", 1e3),
            ns if ns < 1e9 => ("ms", 1e6),
            _ => ("s", 1e9),
        };
        for value in values {
            *value /= ns_each;
        }
        unit
    }

    fn scale_throughputs(&self, ns: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        let (count, step, units) = match *throughput {
            #[cfg(bits)]
            Throughput::Bits(count) => (count, 1e3, ["b/s", "Kb/s", "Mb/s", "Gb/s"]),
            Throughput::Bytes(count) => (count, 1024.0, ["B/s", "KiB/s", "MiB/s", "GiB/s"]),
            #[cfg(bytes_decimal)]
            Throughput::BytesDecimal(count) => (count, 1e3, ["B/s", "KB/s", "MB/s", "GB/s"]),
            Throughput::Elements(count) => (count, 1e3, ["elem/s", "Kelem/s", "Melem/s", "Gelem/s"]),
            // The bytes are formatted by themselves.
            #[cfg(elements_and_bytes)]
            Throughput::ElementsAndBytes { elements, .. } => {
                (elements, 1e3, ["elem/s", "Kelem/s", "Melem/s", "Gelem/s"])
            }
        };
        let per_second = |ns: f64| count as f64 * 1e9 / ns;
        let (mut scale, mut unit) = (1.0, 0);
        while unit < 3 && per_second(ns) / scale >= step {
            scale *= step;
            unit += 1;
        }
        for value in values {
            *value = per_second(*value) / scale;
        }
        units[unit]
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ns"
    }
}

/// Returns a number with four digits behind the point, and fewer if it is 10 or more, so that five digits are shown.
fn short(number: f64) -> String {
    let digits = [10.0, 100.0, 1e3, 1e4].iter().filter(|&&limit| number < limit).count();
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_fits() {
        let shown = [0.5, 1.0, 999.99, 12345.6, 1e6, 2.5e9, 1.5e13].map(|ns| Nanoseconds.format_value(ns));
        let expected =
            ["500.00 ps", "1.0000 ns", "999.99 ns", "12.346 µs", "1.0000 ms", "2.5000 s", " 15000 s"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn throughputs_have_the_unit_that_fits() {
        for (throughput, ns, expected) in [
            (Throughput::Bytes(1 << 30), 1e9, "1.0000 GiB/s"),
            (Throughput::Bytes(1023), 1e9, "1023.0 B/s"),
            (Throughput::BytesDecimal(1_000), 1e9, "1.0000 KB/s"),
            (Throughput::Bits(5_000_000), 1e9, "5.0000 Mb/s"),
            (Throughput::Elements(1), 0.5, "2.0000 Gelem/s"),
            (Throughput::ElementsAndBytes { elements: 7, bytes: 1 }, 1e9, "7.0000 elem/s"),
        ] {
            assert_eq!(Nanoseconds.format_throughput(&throughput, ns), expected);
        }
    }
}
