//! What is missing on a system other than Linux.

pub(crate) fn start_time() -> Option<u64> {
    None
}

pub(crate) fn is_alive(pid: i32, _: u64) -> bool {
    super::exists(pid)
}

/// Returns no processors: nothing is bound.
pub(crate) fn allowed_processors() -> Vec<usize> {
    Vec::new()
}

/// Does nothing.
pub(crate) fn bind(_: &[usize]) {}

/// Returns 0: the time that the hypervisor took is not known.
pub(crate) fn steal_ns(_: &[usize]) -> u64 {
    0
}

/// Returns what cannot be measured here, each in a few words.
pub(crate) fn missing() -> Vec<&'static str> {
    let stops = "stops of processes that have left their candidate's process group";
    vec!["binding to processors", stops, "times for which threads waited for a processor"]
}
