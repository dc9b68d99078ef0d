//! The runtime of a command, from its arguments and the cores of the machine.

use std::num::NonZeroUsize;
use std::str::FromStr;

use parcrypt_runtime::{Kind, MAX_THREADS, OpenMp, Profile, Runtime, Schedule};

use crate::error::CommandError;
use crate::machine_profile::{self, MachineProfile};
use crate::requests;

/// A runtime by name, or the one that is chosen for the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// By the profile that was handed over, or else by the constants.
    Auto,
    Only(Kind),
}

impl Choice {
    /// Name of [`Choice::Auto`].
    pub(crate) const AUTO: &str = "auto";
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            Self::AUTO => Ok(Choice::Auto),
            _ => text.parse().map(Choice::Only).map_err(|_| Error::Unknown { given: text.to_owned() }),
        }
    }
}

/// Reason why a runtime cannot be created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No runtime has that name.
    #[error("unknown runtime `{given}`: it can be `serial`, `rayon`, `openmp` or `auto`")]
    Unknown { given: String },
    /// The profile that was handed over cannot be used.
    #[error(transparent)]
    Profile(#[from] &'static machine_profile::Error),
    /// The number of threads is 0, or too large.
    #[error("{asked} threads: it must be a number from 1 to {MAX_THREADS}")]
    Threads { asked: usize },
    /// The runtime is not in this build, or does not have that number of threads.
    #[error(transparent)]
    Runtime(#[from] parcrypt_runtime::Error),
}

impl Error {
    /// Returns whether the same request may be valid on another machine or in another build.
    pub(crate) fn is_unsupported(&self) -> bool {
        use parcrypt_runtime::Error as Unmade;
        let Error::Runtime(error) = self else { return false };
        !matches!(
            error,
            Unmade::UnknownRuntime { .. } | Unmade::UnknownSchedule { .. } | Unmade::Chunk { .. }
        )
    }
}

/// Returns a number of threads within the bounds.
fn checked(asked: usize) -> Result<NonZeroUsize, Error> {
    NonZeroUsize::new(asked).filter(|n| n.get() <= MAX_THREADS).ok_or(Error::Threads { asked })
}

/// Creates a runtime; only OpenMP uses the schedule.
pub(crate) fn build(
    kind: Kind,
    schedule: Option<Schedule>,
    threads: usize,
) -> Result<Box<dyn Runtime>, Error> {
    let threads = checked(threads)?;
    Ok(match (kind, schedule) {
        (Kind::OpenMp, Some(schedule)) => Box::new(OpenMp::new(threads, schedule)?),
        _ => kind.build(threads)?,
    })
}

/// Creates the runtime that is chosen for that kernel, by the profile that was handed over or else by the constants.
pub(crate) fn auto(kernel: &str, threads: usize) -> Result<Box<dyn Runtime>, Error> {
    let threads = checked(threads)?;
    let constants = Profile::default();
    let profile = machine_profile::from_environment()?.map_or(&constants, |handed| &handed.profile);
    Ok(profile.build(kernel, threads)?)
}

/// Returns the name of a runtime of [`auto`] with the source of the choice, as records have it.
pub(crate) fn about_auto(runtime: &dyn Runtime) -> String {
    match machine_profile::from_environment() {
        Ok(Some(MachineProfile { digest, .. })) => {
            format!("auto: {} by the profile {digest}", runtime.name())
        }
        _ => format!("auto: {} by default costs, without a profile", runtime.name()),
    }
}

/// Returns the runtime of a process that shares this machine with `processes_here` - 1 others, for the kernel of that
/// name. The default is the profile's, if one was given; else Rayon on its share of the cores, or serial
/// for one thread or in a build without Rayon.
///
/// # Errors
/// An unavailable runtime or number of threads; an invalid request or profile of the environment.
pub(crate) fn choose(
    choice: Option<Choice>,
    threads: Option<usize>,
    processes_here: usize,
    kernel: &str,
) -> Result<Box<dyn Runtime>, CommandError> {
    requests::from_environment()?;
    let share = (parcrypt_cpu::cores().get() / processes_here).max(1);
    let kind = match (choice, threads) {
        (Some(Choice::Only(kind)), _) => kind,
        (Some(Choice::Auto), _) => return Ok(auto(kernel, threads.unwrap_or(share))?),
        (None, Some(1)) => Kind::Serial,
        (None, None) if processes_here > 1 && share == 1 => Kind::Serial,
        (None, _) if machine_profile::from_environment().map_err(Error::from)?.is_some() => {
            return Ok(auto(kernel, threads.unwrap_or(share))?);
        }
        (None, _) if cfg!(feature = "rayon") => Kind::Rayon,
        (None, _) => Kind::Serial,
    };
    let threads = match (threads, kind) {
        (Some(threads), _) => threads,
        (None, Kind::Serial) => 1,
        (None, _) => share,
    };
    Ok(build(kind, None, threads)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_runtime_is_in_this_build() {
        let runtime = choose(None, None, 1, "sum").unwrap();
        assert_eq!(
            runtime.name(),
            if Kind::Rayon.build(runtime.threads()).is_ok() { "rayon" } else { "serial" }
        );
        assert_eq!(choose(None, Some(1), 1, "sum").unwrap().name(), "serial");
    }

    #[test]
    fn names_match_runtimes_and_auto() {
        assert_eq!("auto".parse::<Choice>().unwrap(), Choice::Auto);
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse::<Choice>().unwrap(), Choice::Only(kind));
        }
        let error = "Auto".parse::<Choice>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown runtime `Auto`: it can be `serial`, `rayon`, `openmp` or `auto`"
        );
        assert!(!error.is_unsupported());
    }

    #[test]
    fn auto_has_the_threads_that_it_was_asked_for() {
        assert_eq!(auto("sum", 1).unwrap().name(), "serial");
        let two = auto("sum", 2).unwrap();
        assert_eq!(two.threads().get() == 2, two.name() != "serial");
        assert!(matches!(auto("sum", 0), Err(Error::Threads { asked: 0 })));
        assert!(about_auto(&*two).starts_with(&format!("auto: {} by ", two.name())));
    }
}
