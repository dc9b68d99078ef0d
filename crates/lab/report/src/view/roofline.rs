//! Rooflines: speeds of the entries of a case under the ceilings that its limits measured (Williams, Waterman and
//! Patterson, 'Roofline: an insightful visual performance model for multicore architectures', CACM 52(4), 2009).

use parcrypt_lab::record::{Case, Entry, Role, Work};
use parcrypt_lab::stats::{self, Estimate};

/// What bounds an entry under its roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Memory,
    Arithmetic,
}

impl Bound {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Bound::Memory => "memory",
            Bound::Arithmetic => "arithmetic",
        }
    }
}

/// Place of an entry under the roof of its case and its number of threads.
pub(crate) struct Place {
    /// Name of the operation.
    pub(crate) operation: String,
    /// Operations per byte.
    pub(crate) intensity: f64,
    /// Operations per second.
    pub(crate) rate: Estimate,
    pub(crate) bound: Bound,
    /// Speed over the roof that applies, computed inside each round.
    pub(crate) share: Estimate,
}

impl Place {
    /// Returns whether the whole interval is above the roof, so that its ceiling was measured too low.
    pub(crate) fn is_above(&self) -> bool {
        self.share.interval.map_or(self.share.value, |interval| interval.low) > 1.0
    }
}

fn work(entry: &Entry) -> Option<&Work> {
    entry.ready.as_ref()?.work.as_ref()
}

/// Returns whether an entry is a limit that computes in registers alone.
pub(crate) fn is_peak(entry: &Entry) -> bool {
    entry.role == Role::Limit && work(entry).is_some_and(|work| work.operations > 0 && work.bytes == 0)
}

/// Returns the fastest limit that states `units` of its work, with that number and its units per second.
fn ceiling(case: &Case, threads: usize, units: impl Fn(&Work) -> u64) -> Option<(&Entry, f64, Estimate)> {
    let limits = case.entries.iter().filter(|e| e.role == Role::Limit && e.threads == threads);
    let found = limits.filter_map(|limit| {
        let count = units(work(limit)?) as f64;
        let rate = stats::value(case, limit)?.inverse().times(1e9 * count);
        (count > 0.0).then_some((limit, count, rate))
    });
    found.max_by(|a, b| a.2.value.total_cmp(&b.2.value))
}

/// Returns the limit that only moves data: its bytes, and bytes per second.
fn memory(case: &Case, threads: usize) -> Option<(&Entry, f64, Estimate)> {
    ceiling(case, threads, |work| if work.operations == 0 { work.bytes } else { 0 })
}

/// Returns the limit that computes in registers: its operations, and operations per second.
fn arithmetic<'a>(case: &'a Case, threads: usize, operation: &str) -> Option<(&'a Entry, f64, Estimate)> {
    ceiling(
        case,
        threads,
        |work| {
            if work.bytes == 0 && work.operation == operation { work.operations } else { 0 }
        },
    )
}

/// Returns the measured ceilings on some threads: bytes per second, and operations per second.
pub(crate) fn ceilings(case: &Case, threads: usize, operation: &str) -> (Option<f64>, Option<f64>) {
    let rate = |(_, _, rate): (_, _, Estimate)| rate.value;
    (memory(case, threads).map(rate), arithmetic(case, threads, operation).map(rate))
}

/// Returns the place of an entry; `None` if it states no operations and bytes, or its case has not both ceilings for
/// it: one alone cannot tell which is the lower.
pub(crate) fn place(case: &Case, entry: &Entry) -> Option<Place> {
    let work = work(entry).filter(|work| work.operations > 0 && work.bytes > 0)?;
    if entry.role == Role::Limit || !case.measure.is_time() {
        return None;
    }
    let (operations, bytes) = (work.operations as f64, work.bytes as f64);
    // The share is a ratio of speeds, so the time of the limit stands above.
    let share = |units: f64, limit: Option<(&Entry, f64, Estimate)>| {
        let (limit, of_limit, _) = limit?;
        Some(stats::ratio(case, limit, entry)?.times(units / of_limit))
    };
    let memory = share(bytes, memory(case, entry.threads))?;
    let arithmetic = share(operations, arithmetic(case, entry.threads, &work.operation))?;
    // The lower roof is the one of which the entry reaches the greater share.
    let (bound, share) = if memory.value > arithmetic.value {
        (Bound::Memory, memory)
    } else {
        (Bound::Arithmetic, arithmetic)
    };
    Some(Place {
        operation: work.operation.clone(),
        intensity: operations / bytes,
        rate: stats::value(case, entry)?.inverse().times(1e9 * operations),
        bound,
        share,
    })
}
