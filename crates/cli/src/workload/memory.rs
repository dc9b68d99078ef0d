//! The memory of a workload: a check that it fits, its allocation, and its peak as Linux reports it.

use std::collections::BTreeMap;

use super::params::{Kind, Values};
use super::{Error, Workload};

impl Workload {
    /// Checks that the workload fits the available memory; everything fits if that is unknown.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn check_memory(&self, values: &Values, available: Option<u64>) -> Result<(), Error> {
        let needed = (self.memory)(values);
        let Some(available) = available.filter(|available| *available < needed) else { return Ok(()) };
        let scale = self.params.iter().find(|p| p.name == "scale").map(|p| &p.kind);
        let (work, hint) = match scale {
            Some(Kind::Number { least, .. }) => {
                let scale = values.number("scale");
                let fits = |s: &u64| (self.memory)(&values.with_number("scale", *s)) <= available;
                let hint = match (*least..scale).rev().find(fits) {
                    Some(largest) => format!(": the largest scale that fits is {largest}"),
                    None => ": no scale fits".to_owned(),
                };
                (format!("scale {scale} of {}", self.name), hint)
            }
            _ => (self.name.to_owned(), String::new()),
        };
        Err(Error::Memory { work, needed, available, hint })
    }
}

/// Returns a vector of `len` default values, or an error if the system refuses the memory.
pub(crate) fn filled<T: Clone + Default>(len: usize) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    all.try_reserve_exact(len).map_err(|_| Error::Refused { bytes })?;
    all.resize(len, T::default());
    Ok(all)
}

/// A vector aligned to a cache line. The alignment of an allocation differs between processes and changes the time of a
/// short call by a third, so it is fixed here.
pub(crate) struct Aligned<T> {
    buffer: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    const LINE: usize = 64;

    pub(crate) fn new(mut values: Vec<T>) -> Self {
        let len = values.len();
        values.resize(len + Self::LINE, T::default());
        // An offset that cannot be computed is beyond the buffer; then the values are not moved.
        let start = Some(values.as_ptr().align_offset(Self::LINE)).filter(|s| *s < Self::LINE).unwrap_or(0);
        values.copy_within(..len, start);
        values.truncate(start + len);
        Aligned { buffer: values, start }
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.buffer[self.start..]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [T] {
        &mut self.buffer[self.start..]
    }
}

/// Resets the peak to the resident memory. If the system refuses, the peak stays the peak of the whole process.
pub(crate) fn forget_peak() {
    // proc(5): 5 resets the peak.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the peak resident memory since the start of the process or [`forget_peak`], in bytes, if the system
/// reports it.
pub(crate) fn peak() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the peak under its name in the counts of a sample.
pub(crate) fn peak_count() -> BTreeMap<String, u64> {
    peak().map(|bytes| ("peak-memory-bytes".to_owned(), bytes)).into_iter().collect()
}

/// Returns the value of the line `VmHWM` of `/proc/self/status` in bytes; its kB are 1024 bytes.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found() {
        assert_eq!(high_water_mark("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t  123 kB\n"), Some(123 << 10));
        for text in ["", "VmHWM:", "VmHWM: 5", "VmHWM: x kB", "VmHWM: 18446744073709551615 kB"] {
            assert_eq!(high_water_mark(text), None, "{text}");
        }
        if cfg!(target_os = "linux") {
            assert!(peak().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
