//! The peak of this process's memory, as Linux counts it.

use std::collections::BTreeMap;

/// Lets the peak begin anew at what is resident now. Where the system refuses, it stays that of the whole process.
pub(crate) fn forget_peak() {
    // proc(5): 5 resets the peak.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The greatest resident set since the process began or [`forget_peak`], in bytes; `None` where the system does not say.
pub(crate) fn peak() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The peak under the name that it has among a candidate's counts.
pub(crate) fn peak_count() -> BTreeMap<String, u64> {
    peak().map(|bytes| ("peak-memory-bytes".to_owned(), bytes)).into_iter().collect()
}

/// The line `VmHWM` of `/proc/self/status`; what it calls kB are 1024 bytes.
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
