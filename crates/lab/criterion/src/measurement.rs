//! What is measured: the time that passes, or what a suite brings.

use std::time::{Duration, Instant};

/// What an iteration works on. The lab does not show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Throughput {
    #[cfg(bits)]
    Bits(u64),
    Bytes(u64),
    #[cfg(bytes_decimal)]
    BytesDecimal(u64),
    Elements(u64),
    #[cfg(elements_and_bytes)]
    ElementsAndBytes {
        elements: u64,
        bytes: u64,
    },
}

pub trait ValueFormatter {
    fn format_value(&self, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_values(value, &mut values);
        format!("{} {unit}", values[0])
    }
    fn format_throughput(&self, throughput: &Throughput, value: f64) -> String {
        let mut values = [value];
        let unit = self.scale_throughputs(value, throughput, &mut values);
        format!("{} {unit}", values[0])
    }
    fn scale_values(&self, typical_value: f64, values: &mut [f64]) -> &'static str;
    fn scale_throughputs(
        &self,
        typical_value: f64,
        throughput: &Throughput,
        values: &mut [f64],
    ) -> &'static str;
    fn scale_for_machines(&self, values: &mut [f64]) -> &'static str;
}

pub trait Measurement {
    type Intermediate;
    type Value;
    fn start(&self) -> Self::Intermediate;
    fn end(&self, i: Self::Intermediate) -> Self::Value;
    fn add(&self, v1: &Self::Value, v2: &Self::Value) -> Self::Value;
    fn zero(&self) -> Self::Value;
    fn to_f64(&self, value: &Self::Value) -> f64;
    fn formatter(&self) -> &dyn ValueFormatter;
}

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
