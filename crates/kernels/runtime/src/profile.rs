//! Costs that were measured on one machine, and the choice of a runtime by them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use crate::{Error, ForkCost, Kind, Runtime, Serial};

/// Measured costs of one machine, which replace the constants of this crate if a program hands them over.
///
/// The empty profile has nothing measured, so that the constants hold.
///
/// ```
/// use parcrypt_runtime::{ForkCost, Kind, KernelProfile, Profile};
/// let asleep = |asleep_ns| ForkCost { spinning_ns: 2_000, asleep_ns };
/// let profile = Profile {
///     runtimes: [(Kind::Rayon, asleep(40_000)), (Kind::OpenMp, asleep(90_000))].into(),
///     kernels: [("sum".to_owned(), KernelProfile { factor: 2.0, runtime: Kind::OpenMp })].into(),
/// };
/// // A call of the kernel `sum` takes twice the time that it states, so it pays from half of the stated work on.
/// assert_eq!(profile.fork_cost(Kind::OpenMp, "sum").asleep_ns, 45_000);
/// assert_eq!(profile.fork_cost(Kind::OpenMp, "another").asleep_ns, 90_000);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The cost of a fork, by runtime.
    pub runtimes: BTreeMap<Kind, ForkCost>,
    /// The kernels that were measured, by name.
    pub kernels: BTreeMap<String, KernelProfile>,
}

/// A kernel on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct KernelProfile {
    /// Measured time of its pieces on one thread over their stated time ([`Cost`](crate::Cost)).
    pub factor: f64,
    /// The fastest runtime.
    pub runtime: Kind,
}

impl Profile {
    /// Returns the cost of a fork in units of the time that the kernel states: the measured cost, or the constant of
    /// the runtime, divided by the factor of the kernel, which is 1 for a kernel that was not measured.
    pub fn fork_cost(&self, kind: Kind, kernel: &str) -> ForkCost {
        let cost = self.runtimes.get(&kind).copied().unwrap_or(kind.fork_cost());
        let factor = self.kernels.get(kernel).map_or(1.0, |kernel| kernel.factor);
        // Saturates at both ends.
        let stated = |ns: u64| (ns as f64 / factor) as u64;
        ForkCost { spinning_ns: stated(cost.spinning_ns), asleep_ns: stated(cost.asleep_ns) }
    }

    /// Returns the runtime of that kernel: the fastest one, if it was measured and this build has it; else the one
    /// with the least cost of a fork. It is `serial` only if that was the fastest, or this build has no other.
    pub fn kind(&self, kernel: &str) -> Kind {
        let measured =
            self.kernels.get(kernel).map(|kernel| kernel.runtime).filter(|kind| kind.is_available());
        measured.unwrap_or_else(|| {
            let parallel = [Kind::OpenMp, Kind::Rayon].into_iter().filter(|kind| kind.is_available());
            let cost = |kind: &Kind| self.fork_cost(*kind, kernel);
            parallel.min_by_key(|kind| (cost(kind).asleep_ns, cost(kind).spinning_ns)).unwrap_or(Kind::Serial)
        })
    }

    /// Returns a new runtime for that kernel; `serial` for one thread.
    ///
    /// # Errors
    /// Those of [`Kind::build`].
    pub fn build(&self, kernel: &str, threads: NonZeroUsize) -> Result<Box<dyn Runtime>, Error> {
        match self.kind(kernel) {
            _ if threads == NonZeroUsize::MIN => Ok(Box::new(Serial)),
            Kind::Serial => Ok(Box::new(Serial)),
            kind => kind.build_with(threads, self.fork_cost(kind, kernel)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, is_worthwhile};

    const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

    fn forged(ns: u64, factor: f64, runtime: Kind) -> Profile {
        let cost = ForkCost { spinning_ns: ns, asleep_ns: ns };
        Profile {
            runtimes: [(Kind::Rayon, cost), (Kind::OpenMp, cost)].into(),
            kernels: [("known".to_owned(), KernelProfile { factor, runtime })].into(),
        }
    }

    #[test]
    fn a_forged_cost_decides_both_ways() {
        for kind in [Kind::Rayon, Kind::OpenMp].into_iter().filter(|kind| kind.is_available()) {
            for (ns, parallel) in [(0, true), (u64::MAX, false)] {
                let rt = forged(ns, 1.0, kind).build("known", TWO).unwrap();
                assert_eq!((rt.name(), rt.threads()), (kind.name(), TWO));
                assert_eq!(is_worthwhile(&*rt, 2, Cost::ns(1)), parallel, "{kind} {ns}");
                assert_eq!(is_worthwhile(&*rt, 2, Cost::ns(u64::MAX / 4)), parallel, "{kind} {ns}");
            }
        }
    }

    #[test]
    fn the_factor_moves_the_least_work_that_pays() {
        for kind in [Kind::Rayon, Kind::OpenMp].into_iter().filter(|kind| kind.is_available()) {
            // With two threads it pays from four times the cost on.
            for (factor, least) in [(1.0, 4000), (2.0, 2000), (0.5, 8000)] {
                let profile = forged(1000, factor, kind);
                let rt = profile.build("known", TWO).unwrap();
                assert!(
                    is_worthwhile(&*rt, 2, Cost::ns(least / 2))
                        && !is_worthwhile(&*rt, 2, Cost::ns(least / 2 - 1)),
                    "{factor}"
                );
                assert_eq!(profile.fork_cost(kind, "another").asleep_ns, 1000);
            }
        }
    }

    #[test]
    fn the_choice_is_the_fastest_or_else_the_cheapest() {
        let cheapest = |rayon, openmp| {
            let cost = |asleep_ns| ForkCost { spinning_ns: 1, asleep_ns };
            let runtimes = [(Kind::Rayon, cost(rayon)), (Kind::OpenMp, cost(openmp))].into();
            Profile { runtimes, ..Profile::default() }.kind("another")
        };
        let available = |kind: Kind, other: Kind| match (kind.is_available(), other.is_available()) {
            (true, _) => kind,
            (false, true) => other,
            (false, false) => Kind::Serial,
        };
        assert_eq!(cheapest(5, 6), available(Kind::Rayon, Kind::OpenMp));
        assert_eq!(cheapest(6, 5), available(Kind::OpenMp, Kind::Rayon));
        assert_eq!(Profile::default().kind("another"), available(Kind::OpenMp, Kind::Rayon));
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_available()) {
            assert_eq!(forged(5, 1.0, kind).kind("known"), kind);
        }
        let serial = forged(0, 1.0, Kind::Serial);
        assert_eq!(serial.build("known", TWO).unwrap().name(), "serial");
        assert_eq!(Profile::default().build("another", NonZeroUsize::MIN).unwrap().name(), "serial");
    }
}
