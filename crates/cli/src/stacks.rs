//! Samples of this process's own stacks, for a profile of a candidate.
//!
//! A timer of processor time interrupts a thread that runs, and its stack is walked there. That needs no privilege
//! and no other process. Functions that were inlined count to the function that they are in: which of them a sample
//! was in is known only for one sample of each function.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use parcrypt_lab::profile::STACKS;
use pprof::{Frames, ProfilerGuard, ProfilerGuardBuilder};

/// Samples in a second of processor time. No multiple of what a kernel or a clock does a thousand times a second.
const FREQUENCY: i32 = 997;
/// Libraries in which no stack is walked: a thread may hold a lock there that the walk needs.
const NOT_WALKED: [&str; 4] = ["libc.so", "libgcc_s", "libpthread", "vdso"];
/// Function that does the measured work. What calls it is the same for all candidates, and is left out.
const WORK: &str = "::iterate";
/// Parts of the names of what calls it.
const CALLERS: [&str; 3] = ["::commands::candidate::", "parcrypt_protocol::", "alloca"];
/// Beginnings of the names of functions that start threads and move work between them. They are left out where a stack
/// begins with them.
const STARTS: [&str; 11] = [
    "std::",
    "core::",
    "alloc::",
    "<alloc::",
    "<core::",
    "<std::",
    "rayon_core::",
    "<rayon_core::",
    "clone",
    "start_thread",
    "__rust",
];

/// Error of a profile.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StacksError {
    /// Stacks cannot be sampled.
    #[error("stacks cannot be sampled: {0}")]
    Sample(#[from] pprof::Error),
    /// The file cannot be written.
    #[error("{path}: {source}", path = path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

/// A sampler that runs.
pub(crate) struct Stacks {
    guard: ProfilerGuard<'static>,
    path: OsString,
}

impl Stacks {
    /// Starts to sample where the environment names a file for the stacks; `None` where it does not.
    ///
    /// # Errors
    /// [`StacksError::Sample`].
    pub(crate) fn begin() -> Result<Option<Self>, StacksError> {
        let Some(path) = std::env::var_os(STACKS) else { return Ok(None) };
        let guard = ProfilerGuardBuilder::default().frequency(FREQUENCY).blocklist(&NOT_WALKED).build()?;
        Ok(Some(Stacks { guard, path }))
    }

    /// Ends the samples, and writes them.
    ///
    /// # Errors
    /// [`StacksError`].
    pub(crate) fn write(self) -> Result<(), StacksError> {
        let mut lines: BTreeMap<String, u64> = BTreeMap::new();
        for (frames, samples) in &self.guard.report().build()?.data {
            let samples = u64::try_from(*samples).unwrap_or(0);
            *lines.entry(functions(&names(frames)).join(";")).or_default() += samples;
        }
        let text: String =
            lines.iter().map(|(functions, samples)| format!("{functions} {samples}\n")).collect();
        let path = Path::new(&self.path);
        std::fs::write(path, text).map_err(|source| StacksError::Write { path: path.to_owned(), source })
    }
}

/// Returns the names of the functions of a stack, from the outermost to the innermost.
fn names(frames: &Frames) -> Vec<String> {
    let outermost = |symbols: &Vec<pprof::Symbol>| symbols.last().map(pprof::Symbol::name);
    frames.frames.iter().rev().filter_map(outermost).collect()
}

/// Returns the functions of a stack that belong to the work: those that the measured function called, or what a worker
/// thread did.
fn functions(names: &[String]) -> Vec<String> {
    let names: Vec<&str> = names.iter().map(|name| name.trim_end_matches("::{{closure}}")).collect();
    let work = names.iter().rposition(|name| name.ends_with(WORK));
    // It may be inlined into what calls it.
    let caller = names.iter().rposition(|name| CALLERS.iter().any(|caller| name.contains(caller)));
    if work.is_none() && caller.is_some_and(|at| at + 1 == names.len()) {
        return vec!["(around the work)".to_owned()];
    }
    let work = work.or(caller.map(|at| at + 1));
    let began =
        work.or_else(|| names.iter().position(|name| !STARTS.iter().any(|start| name.starts_with(start))));
    let mut shown: Vec<String> =
        began.map_or(&[][..], |at| &names[at..]).iter().map(|name| (*name).to_owned()).collect();
    shown.dedup();
    if shown.is_empty() {
        shown.push("(waiting, or between threads)".to_owned());
    }
    // These have meanings of their own in the file.
    shown.iter().map(|name| name.replace(';', ",").replace('\n', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_begins_with_the_work() {
        let all =
            |names: &[&str]| functions(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let caller =
            ["main", "parcrypt::sample", "<Sum as Prepared>::iterate", "sum::add", "sum::add::{{closure}}"];
        assert_eq!(all(&caller), ["<Sum as Prepared>::iterate", "sum::add"]);
        assert_eq!(
            all(&["main", "parcrypt::commands::candidate::sample", "alloca::trampoline", "fft"]),
            ["fft"]
        );
        assert_eq!(all(&["main", "parcrypt::commands::candidate::run"]), ["(around the work)"]);
        let worker =
            ["clone", "start_thread", "std::thread::run", "rayon_core::wait", "sum::add", "std::cmp"];
        assert_eq!(all(&worker), ["sum::add", "std::cmp"]);
        assert_eq!(all(&["clone", "std::thread::run"]), ["(waiting, or between threads)"]);
        assert_eq!(all(&["f<[u8; 4]>"]), ["f<[u8, 4]>"]);
    }
}
