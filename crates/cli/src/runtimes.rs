//! The runtime of a command, where its user says all of it, some of it or nothing.

use parcrypt_runtime::{Kind, Runtime};

use crate::error::CommandError;
use crate::workload;

/// The runtime of a process, of which there are so many on this machine: Rayon on the cores that it may use, or serial where
/// that is one thread or this build has no Rayon.
///
/// # Errors
/// A runtime that is not in this build, a number of threads that cannot be had, a backend forced by a name that is none.
pub(crate) fn choose(
    kind: Option<Kind>,
    threads: Option<usize>,
    processes_here: usize,
) -> Result<Box<dyn Runtime>, CommandError> {
    crate::requests::from_environment()?;
    let share = (parcrypt_cpu::cores().get() / processes_here).max(1);
    let kind = match (kind, threads) {
        (Some(kind), _) => kind,
        (None, Some(1)) => Kind::Serial,
        (None, None) if processes_here > 1 && share == 1 => Kind::Serial,
        (None, _) if cfg!(feature = "rayon") => Kind::Rayon,
        (None, _) => Kind::Serial,
    };
    let threads = match (threads, kind) {
        (Some(threads), _) => threads,
        (None, Kind::Serial) => 1,
        (None, _) => share,
    };
    Ok(workload::runtime(kind, None, threads)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_chooses_is_in_this_build() {
        let runtime = choose(None, None, 1).unwrap();
        assert_eq!(
            runtime.name(),
            if Kind::Rayon.build(runtime.threads()).is_ok() { "rayon" } else { "serial" }
        );
        assert_eq!(choose(None, Some(1), 1).unwrap().name(), "serial");
    }
}
