//! How many iterations are in a sample, found out when an entry runs first.

use std::collections::BTreeMap;
use std::time::Duration;

use num_integer::lcm;
use parcrypt_protocol::nanoseconds;

use super::Probe;
use crate::candidate::{Candidate, CandidateError};
use crate::method::{
    AGREE_NS, GROWTH, LONG_ITERATION, OTHER_THREADS, REPEAT_NS, SHORTEST_SAMPLE, SIMILAR, SLOWEST,
};
use crate::plan::{EntryPlan, Sampling};
use crate::record::{FailureKind, Measure};

/// What the first round finds out about an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub(super) iterations: Iterations,
    /// Iterations that fill a sample, before they are rounded up.
    exact: f64,
    /// Time of a sample, with the preparation of its iterations.
    pub(super) time: Duration,
    /// Whether it uses processor time while it waits, and must be stopped.
    pub(super) busy: bool,
    /// Greatest memory of its processes in bytes.
    pub(super) memory: u64,
    /// Whether its first thread does all work, so that it can stay on one processor.
    pub(super) one_thread: bool,
}

impl Known {
    /// Returns what a probe found out about an entry whose iterations are processes of their own and so long that a
    /// sample has one of them; `None` for any other entry.
    pub(super) fn of_probe(sampling: &Sampling, probe: &Probe) -> Option<Known> {
        let (_, once) = *probe.found.as_ref().ok()?;
        let wanted = sampling.sample();
        (sampling.fresh && once >= LONG_ITERATION.max(wanted)).then(|| Known {
            iterations: Iterations::with_extra(1, 0.0),
            exact: wanted.as_secs_f64() / once.as_secs_f64(),
            time: probe.request.max(once),
            ..Known::default()
        })
    }
}

/// Iterations of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Iterations {
    /// Those that count.
    pub(super) counted: u64,
    /// Those that are run: more if the plan plants a slowdown.
    pub(super) run: u64,
    /// Those that are run before, to refill caches and predictors after the turn of another candidate. They are not
    /// measured: a sixteenth of a sample, or of a millisecond if that is longer; none if one iteration fills both.
    pub(super) refill: u64,
    /// Those with which a process of a later round begins: a quarter of the same.
    warm_up: u64,
}

/// What a sample took, in ns.
#[derive(Clone, Copy, Debug, Default)]
struct Took {
    /// The time that is measured.
    measured: u64,
    /// The rest of the time from request to response, such as the preparation of an iteration.
    overhead: u64,
}

impl Took {
    fn min(self, other: Took) -> Took {
        Took { measured: self.measured.min(other.measured), overhead: self.overhead.min(other.overhead) }
    }

    /// Returns what it took beyond another one's part that does not grow with iterations.
    fn without(self, fixed: Took) -> Took {
        Took { overhead: self.overhead.saturating_sub(fixed.overhead), ..self }
    }

    /// Whether a sample of `wanted` ns would be too slow with its overhead.
    fn is_slow(self, wanted: u64) -> bool {
        self.overhead >= SLOWEST * wanted / 4
    }

    /// Returns by which factor this is shorter than a sample of `wanted` ns, or than one that is not too slow.
    fn factor(self, wanted: u64) -> f64 {
        let to = |most: u64, took: u64| most as f64 / took.max(1) as f64;
        to(wanted, self.measured).min(to(SLOWEST * wanted, self.overhead))
    }
}

/// Runs the work once to touch its memory, and finds the number of iterations that fill a sample. A case that compares
/// counts needs neither.
pub(super) fn warm_up(
    one: &mut Candidate<'_>,
    sampling: &Sampling,
    (measure, entry): (&Measure, &EntryPlan),
    known: Option<Known>,
) -> Result<Known, CandidateError> {
    /// No work is done so often within a sample.
    const MAX: u64 = 1_000_000_000_000;
    if !measure.is_time() {
        let iterations = Iterations::with_extra(1, 0.0);
        return Ok(Known { iterations, exact: 1.0, busy: true, ..Known::default() });
    }
    // Without the time in which others had its processor: next to another program, one of two equal entries would get
    // half of the iterations of the other, and a sample of half the time is interrupted less often.
    let took_by = |one: &mut Candidate<'_>, iterations| {
        let (elapsed, measured) = match sampling.fresh {
            false => one.time_without_others(iterations, measure)?,
            // The processes that do the work are gone after it.
            true => {
                let elapsed = one.sample(iterations, iterations, measure)?.elapsed_ns.unwrap_or_default();
                (elapsed, elapsed)
            }
        };
        let overhead = nanoseconds(one.last_wall()).saturating_sub(elapsed);
        Ok::<_, CandidateError>(Took { measured, overhead })
    };
    if let Some(known) = known {
        if !sampling.fresh {
            took_by(one, known.iterations.warm_up)?;
        }
        return Ok(known);
    }
    let before = one.used();
    // With cold caches, one iteration fills a sample.
    let wanted = if entry.is_cold() { 0 } else { nanoseconds(sampling.sample().max(SHORTEST_SAMPLE)) };
    let mut iterations = 1;
    // The first touches memory, and counts only if it alone is long enough.
    let mut took = took_by(one, 1)?;
    // Its threads are there now.
    one.observe();
    if took.measured < wanted && !(sampling.fresh && took.is_slow(wanted)) {
        took = took_by(one, 1)?;
    }
    let once = took;
    // The overhead of a request may be the same for any number of iterations, but not where each is a
    // process of its own.
    let fixed = if sampling.fresh { Took::default() } else { once };
    loop {
        let mut seen = vec![took.measured];
        let mut spent = took.measured.saturating_add(took.overhead);
        let limit = |samples: usize| if samples == 1 { REPEAT_NS } else { AGREE_NS };
        while spent < limit(seen.len()) && !is_enough(&seen) {
            let again = took_by(one, iterations)?;
            seen.push(again.measured);
            spent = spent.saturating_add(again.measured).saturating_add(again.overhead);
            took = took.min(again);
        }
        let (is_slow, once, elapsed) = (took.without(fixed).is_slow(wanted), once.measured, took.measured);
        let grows = iterations == 1 || elapsed >= once.saturating_mul(2);
        if elapsed >= wanted / 4 || is_slow && grows {
            break;
        }
        let growth = GROWTH[usize::from(is_slow)];
        if iterations >= growth && !grows || iterations >= MAX {
            let why = format!(
                "its elapsed_ns does not grow with iterations: {once} ns for 1 iteration, {elapsed} ns for {iterations}"
            );
            return Err(one.failed(FailureKind::ProtocolError, why));
        }
        // At most tenfold at a time, because the first iterations may be slow.
        let factor = (wanted / elapsed.max(1)).clamp(2, 10);
        iterations = iterations.saturating_mul(factor);
        took = took_by(one, iterations)?;
    }
    let took = took.without(fixed);
    let exact = iterations as f64 * took.factor(wanted);
    let once = took.measured.saturating_add(took.overhead) as f64 / iterations as f64;
    let iterations = Iterations::with_extra(whole(exact), entry.extra_percent);
    let time = Duration::from_nanos((once * iterations.run as f64) as u64);
    let one_thread =
        !sampling.fresh && before.zip(one.used()).is_some_and(|(before, used)| is_one_thread(before, used));
    let (busy, memory) = (one.tree.is_busy(), one.tree.memory());
    Ok(Known { iterations, exact, time, busy, memory, one_thread })
}

/// Gives entries of similar speed the same number of iterations, and as many in all in each turn, because what a sample
/// finds in the caches depends on how much the turns before it did. `own` has the keys of the entries of a group, each
/// with its further iterations in per cent.
pub(super) fn make_equal(
    all: &mut BTreeMap<(usize, usize), Known>,
    own: &[((usize, usize), f64)],
    &Sampling { fresh, sample_ms, .. }: &Sampling,
    at_once: bool,
) {
    let step = own.iter().map(|(_, extra)| step_of(*extra)).fold(1, lcm);
    let exact = |(at, (key, _)): (usize, &((usize, usize), f64))| Some((at, all.get(key)?.exact));
    let similar = similar(own.iter().enumerate().filter_map(exact).collect(), fresh);
    // Waking or stopping threads, or a request by itself, would be a large part of a shorter sample.
    let busy = own.iter().any(|(key, _)| all.get(key).is_some_and(|known| known.busy));
    let part = if at_once && !busy { (sample_ms / SHORTEST_SAMPLE.as_millis() as f64).min(1.0) } else { 1.0 };
    for similar in similar {
        let exact = if fresh { similar[0].1 } else { middle(&similar) };
        let common = whole(exact * part).next_multiple_of(step);
        let equal = |at: usize| Iterations::with_extra(common, own[at].1);
        let most = similar.iter().map(|(at, _)| equal(*at).run).max().unwrap_or(0);
        for (at, _) in similar {
            let Some(known) = all.get_mut(&own[at].0) else { continue };
            let before = std::mem::replace(&mut known.iterations, equal(at).in_turn_of(most, whole(exact)));
            let now = known.iterations.run + known.iterations.refill;
            known.time = known.time.mul_f64(now as f64 / before.run.max(1) as f64);
        }
    }
}

/// Whether the first thread did all but a hundredth of the work between these times of it and of all that it started.
fn is_one_thread(before: (u64, u64), after: (u64, u64)) -> bool {
    let [first, all] = [after.0.saturating_sub(before.0), after.1.saturating_sub(before.1)];
    first > 0 && all.saturating_sub(first) <= first / OTHER_THREADS
}

/// Whether these times of equal samples show how long one takes alone: three are within a tenth of the shortest. Beside
/// other work they may never agree; then 16 are enough.
fn is_enough(times: &[u64]) -> bool {
    let least = times.iter().min().copied().unwrap_or(0);
    times.len() >= 16 || times.iter().filter(|time| **time <= least.saturating_add(least / 10)).count() >= 3
}

/// Returns the number of iterations that is at least this, and at least 1.
fn whole(exact: f64) -> u64 {
    (exact.ceil() as u64).max(1)
}

impl Iterations {
    /// Returns at least `least` iterations with `percent` per cent of further ones, in a number that makes the part
    /// exact.
    fn with_extra(least: u64, percent: f64) -> Self {
        if percent <= 0.0 {
            return Iterations { counted: least, run: least, ..Iterations::default() }
                .in_turn_of(least, least);
        }
        let counted = least.next_multiple_of(step_of(percent));
        let extra = (counted as f64 * percent / 100.0).round() as u64;
        let run = counted.saturating_add(extra.max(1));
        Iterations { counted, run, ..Iterations::default() }.in_turn_of(run, run)
    }

    /// Returns the same with as many iterations in a turn as another entry has, of which `most` are in its sample. The
    /// sample is a part of one of `whole` iterations if that is more, and has its refill.
    fn in_turn_of(self, most: u64, whole: u64) -> Self {
        let longer = most.max(whole);
        let refill = if longer < 2 { 0 } else { longer.div_ceil(16) + most.saturating_sub(self.run) };
        Iterations { refill, warm_up: longer.div_ceil(4), ..self }
    }
}

/// Returns the entries with their iterations, sorted and split where these are over three times those before: next
/// to other work one of two equal programs may seem to take twice as long. If each iteration is a process of its
/// own, they are not split: one that starts during other work may seem to take any time; the slowest is first, and no
/// other makes it run more often. They are not rounded: of two that take as long as a sample, one iteration may fill it
/// for one and not for the other.
fn similar(mut entries: Vec<(usize, f64)>, fresh: bool) -> Vec<Vec<(usize, f64)>> {
    entries.sort_unstable_by(|(_, a), (_, b)| a.total_cmp(b));
    let near = |(_, a): &(usize, f64), (_, b): &(usize, f64)| fresh || *b <= SIMILAR * *a;
    entries.chunk_by(near).map(<[_]>::to_vec).collect()
}

/// Returns the geometric mean of the iterations, with which the samples of the slowest and of the fastest entry are as
/// far from the wanted length.
fn middle(similar: &[(usize, f64)]) -> f64 {
    let sum: f64 = similar.iter().map(|(_, exact)| exact.ln()).sum();
    (sum / similar.len() as f64).exp()
}

/// Returns the number of iterations of which this many per cent are at least one.
fn step_of(percent: f64) -> u64 {
    if percent > 0.0 { (100.0 / percent).ceil().max(1.0) as u64 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_similar_speed_stand_together() {
        let groups =
            similar(vec![(0, 100.0), (1, 1000.0), (2, 130.0), (3, 1001.0), (4, 99.0), (5, 10.0)], false);
        let entries: Vec<Vec<usize>> = groups.iter().map(|g| g.iter().map(|(r, _)| *r).collect()).collect();
        assert_eq!(entries, [vec![5], vec![4, 0, 2], vec![1, 3]]);
        assert!(similar(Vec::new(), false).is_empty());
        // Two that nearly fill a sample with an iteration would have one and two.
        assert_eq!((whole(1.0), whole(1.02)), (1, 2));
        assert_eq!(similar(vec![(0, 1.02), (1, 1.0)], false).len(), 1);
        // Of two equal ones, next to other work.
        assert_eq!(similar(vec![(0, 7.0), (1, 2.5)], false).len(), 1);
        assert!((middle(&[(0, 2.0), (1, 8.0), (2, 4.0)]) - 4.0).abs() < 1e-9);
        // One iteration of the slow one is a second.
        assert_eq!(similar(vec![(0, 0.004), (1, 2.5)], false).len(), 2);
        // Of two equal ones whose processes start during other work.
        assert_eq!(similar(vec![(0, 8.0), (1, 2.0)], true), [[(1, 2.0), (0, 8.0)]]);
        assert_eq!(similar(vec![(0, 9.0), (1, 0.004), (2, 2.5)], true), [[(1, 0.004), (2, 2.5), (0, 9.0)]]);
    }

    #[test]
    fn times_that_agree_are_enough() {
        assert!(!is_enough(&[]) && !is_enough(&[100, 100]));
        assert!(is_enough(&[100, 110, 105]) && is_enough(&[0, 0, 0]));
        // Two of these waited for a processor.
        assert!(!is_enough(&[100, 400, 420, 110]) && is_enough(&[400, 100, 420, 110, 101]));
        assert!(is_enough(&(1..=16).map(|time| 100 * time).collect::<Vec<_>>()));
    }

    #[test]
    fn the_refill_of_a_short_sample_is_that_of_a_millisecond() {
        let refill = |sample, whole| Iterations::with_extra(sample, 0.0).in_turn_of(sample, whole).refill;
        // Iterations of 1 µs and of 20; of 300, of which one is longer than a quarter of a millisecond; of 1 ms.
        assert_eq!([refill(250, 1000), refill(13, 50), refill(1, 4), refill(1, 1)], [63, 4, 1, 0]);
        assert_eq!(refill(1000, 1000), 63);
    }

    #[test]
    fn a_planted_slowdown_is_exact_and_turns_are_as_long() {
        for (least, percent, counted, run) in [
            (1, 0.5, 200, 201),
            (201, 0.5, 400, 402),
            (400, 2.0, 400, 408),
            (10, 50.0, 10, 15),
            (3, 100.0, 3, 6),
        ] {
            let planted = Iterations::with_extra(least, percent);
            assert_eq!((planted.counted, planted.run), (counted, run), "{least} {percent}");
            for whole in [counted, 4 * counted] {
                let [planted, other] = [planted, Iterations::with_extra(counted, 0.0)]
                    .map(|one| one.in_turn_of(planted.run, whole));
                assert_eq!((other.counted, other.run), (counted, counted));
                assert!(planted.refill > 0);
                assert_eq!(other.run + other.refill, planted.run + planted.refill, "{percent}");
                assert_eq!(other.warm_up, planted.warm_up, "{percent}");
            }
        }
    }
}
