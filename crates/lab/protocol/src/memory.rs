//! Peak memory of a process, as Linux reports it.

/// Resets the peak to the memory that is resident now. If the system refuses, it stays the peak of the whole
/// process.
pub fn reset_peak() {
    // proc(5): 5 resets the peak.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the maximum resident set since the process began or since [`reset_peak`], in bytes; `None` if the system
/// does not report it.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    // The unit that the system calls kB is 1024 bytes.
    line.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_peak_rises_and_is_reset() {
        // Other tests run at the same time, so the figures are rough.
        let now = || peak().expect("Linux says it") >> 20;
        let block = std::hint::black_box(vec![1u8; 256 << 20]);
        let with = now();
        assert!(with >= 256);
        drop(std::hint::black_box(block));
        assert!(now() + 16 >= with);
        reset_peak();
        assert!(now() < with - 64);
    }
}
