//! What is measured: the time that passes, or what a suite brings.

use std::time::{Duration, Instant};

use crate::settings::Throughput;

/// Formats measured values, which are in the unit of [`Measurement::to_f64`].
pub trait ValueFormatter {
    /// Returns a value with its unit.
    fn format_value(&self, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_values(value, &mut values);
        format!("{} {unit}", values[0])
    }

    /// Returns the throughput at a value, with its unit.
    fn format_throughput(&self, throughput: &Throughput, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_throughputs(value, throughput, &mut values);
        format!("{} {unit}", values[0])
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
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "ns"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "ns"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ns"
    }
}
