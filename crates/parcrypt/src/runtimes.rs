//! The runtime of a command, from its arguments and the cores of the machine.

use std::num::NonZeroUsize;

use parcrypt_runtime::{Kind, MAX_THREADS, Runtime};

use crate::error::CommandError;
use crate::requests;
use crate::work_error::WorkError;

pub(crate) fn check_threads(asked: usize) -> Result<NonZeroUsize, WorkError> {
    let threads = NonZeroUsize::new(asked).filter(|n| n.get() <= MAX_THREADS);
    let why = || format!("{asked} threads: it must be a number from 1 to {MAX_THREADS}");
    threads.ok_or_else(|| WorkError::Wrong(why()))
}

pub(crate) fn build(kind: Kind, threads: usize) -> Result<Box<dyn Runtime>, WorkError> {
    kind.build(check_threads(threads)?).map_err(WorkError::unsupported)
}

/// Returns the runtime of a process that shares this machine with `processes_here` - 1 others. The default is Rayon on
/// its share of the cores, or serial for one thread or in a build without Rayon.
pub(crate) fn choose(
    kind: Option<Kind>,
    threads: Option<usize>,
    processes_here: usize,
) -> Result<Box<dyn Runtime>, CommandError> {
    requests::from_environment()?;
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
    Ok(build(kind, threads)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_runtime_is_in_this_build() {
        let runtime = choose(None, None, 1).unwrap();
        let has_rayon = Kind::Rayon.build(runtime.threads()).is_ok();
        assert_eq!(runtime.name(), if has_rayon { "rayon" } else { "serial" });
        assert_eq!(choose(None, Some(1), 1).unwrap().name(), "serial");
    }
}
