//! Times to go parallel, in ns: from the call of `run` with an empty task for each of two threads to its return.
//! `parcrypt doctor --json` prints measured times next to them.

use crate::ForkCost;

/// Time while the workers sleep and have to be woken up.
const ASLEEP_NS: u64 = 100_000;
/// Time with Rayon while its workers still look for work.
const RAYON_SPINNING_NS: u64 = 17_000;
/// Time with OpenMP while its workers still spin; an empty region takes 0.5 µs, its tasks add the rest.
const OPENMP_SPINNING_NS: u64 = 2_000;

impl ForkCost {
    /// The cost of a runtime that never forks.
    pub const NONE: ForkCost = ForkCost { spinning_ns: 0, asleep_ns: 0 };
    /// The cost with [`Rayon`](crate::Rayon).
    pub const RAYON: ForkCost = ForkCost { spinning_ns: RAYON_SPINNING_NS, asleep_ns: ASLEEP_NS };
    /// The cost with [`OpenMp`](crate::OpenMp).
    pub const OPENMP: ForkCost = ForkCost { spinning_ns: OPENMP_SPINNING_NS, asleep_ns: ASLEEP_NS };
}
