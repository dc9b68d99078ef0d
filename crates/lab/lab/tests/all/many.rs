//! Verdicts on many benchmarks: p values at any stop, corrections, and how often suites without a change have one.
//!
//! Each bound of a count is three standard deviations above the rate that is claimed, and each check is made of an
//! optimistic rule too, which it must refuse. `PARCRYPT_SEED` sets the seed.

use parcrypt_lab::record::{Case, Entry, Failure, FailureKind, Measure, Suite, Summary};
use parcrypt_lab::stats::many::{
    Finding, Judged, Look, RATE, adjusted, judged, p_value, ratio_with_error, selected_error,
};
use parcrypt_lab::stats::{Basis, ratio};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StudentT};

use super::honesty::seed;

/// Numbers of blocks at which a confidence sequence looks.
const LOOKS: [usize; 5] = [9, 16, 27, 45, 75];

const SUITE: Suite = Suite { threshold: 0.02, gate: None, counts_gate: None, counts: None };

fn entry(values: impl Iterator<Item = f64>) -> Entry {
    let replicates = values.map(|value| Summary { value: Some(value), ..Summary::default() }).collect();
    Entry { threads: 1, replicates, ..Entry::default() }
}

/// Returns a benchmark of this number of blocks, whose noise has tails so long that it has no variance.
fn benchmark(random: &mut ChaCha12Rng, blocks: usize, factor: f64) -> Case {
    let heavy = StudentT::new(2.0).unwrap();
    let mut side = |factor: f64| {
        let noise: Vec<f64> = (0..blocks).map(|_| 0.002 * heavy.sample(random)).collect();
        entry(noise.into_iter().map(move |log| factor * log.exp()))
    };
    Case { entries: vec![side(1e6), side(1e6 * factor)], sequential: true, ..Case::default() }
}

/// Returns the first blocks of a benchmark.
fn first(case: &Case, blocks: usize) -> Case {
    let mut case = case.clone();
    case.entries.iter_mut().for_each(|entry| entry.replicates.truncate(blocks));
    case
}

/// Returns the largest count of successes that a rate may give: three standard deviations above its mean.
fn bound(trials: usize, rate: f64) -> f64 {
    let mean = trials as f64 * rate;
    mean + 3.0 * (mean * (1.0 - rate)).sqrt()
}

/// Stopping at the look with the smallest p value gives one of at most 5 % in at most 5 % of runs without a change.
/// The p value of a fixed number of rounds is not valid then.
#[test]
fn a_p_value_is_valid_at_any_stop() {
    let mut random = ChaCha12Rng::seed_from_u64(seed());
    const TRIALS: usize = 1500;
    let mut alarms = [0; 2];
    for _ in 0..TRIALS {
        let case = benchmark(&mut random, LOOKS[4], 1.0);
        for (sequential, alarms) in [true, false].into_iter().zip(&mut alarms) {
            let basis = Basis { measure: &Measure::Time, sequential, blocks: None };
            let least = LOOKS.iter().filter_map(|blocks| {
                let case = first(&case, *blocks);
                p_value(basis, &case.entries[1], &case.entries[0], 1.0)
            });
            *alarms += usize::from(least.fold(1.0, f64::min) <= 0.05);
        }
    }
    let most = bound(TRIALS, 0.05);
    assert!(alarms[0] as f64 <= most, "{alarms:?}, at most {most}");
    assert!(alarms[1] as f64 > most, "the check would not notice an optimistic p value: {alarms:?}");
}

/// Compares with R: `p.adjust(p, "BH")`.
#[test]
fn adjusted_p_values_are_those_of_r() {
    let p = [0.01, 0.04, 0.02, 0.05, 0.03, 0.8];
    let expected = [0.06, 0.06, 0.06, 0.06, 0.06, 0.8];
    let found = adjusted(&p);
    assert!(
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
        "{found:?}"
    );
    assert!(adjusted(&[]).is_empty());
    assert_eq!(adjusted(&[0.3]), [0.3]);
    assert_eq!(adjusted(&[1.0; 3]), [1.0; 3]);
}

/// Returns the look of a benchmark with the smallest p value.
fn best(case: &Case) -> Option<Look> {
    let looks = LOOKS.iter().take_while(|blocks| **blocks <= case.entries[0].replicates.len());
    looks.filter_map(|blocks| Look::of(&first(case, *blocks), &SUITE)).min_by(|a, b| a.p.total_cmp(&b.p))
}

/// Judges a suite of these benchmarks.
fn judge(cases: &[Case], suite: &Suite) -> Vec<Judged> {
    let looks: Vec<Option<Look>> = cases.iter().map(|case| Look::of(case, suite)).collect();
    judged(&looks, suite).into_iter().flatten().collect()
}

/// Of suites without a change, at most 1 in 100 has one that is called, even if each benchmark stops at the look that
/// shows it best. Without the correction, every third has one or more.
#[test]
fn suites_without_a_change_have_none() {
    let mut random = ChaCha12Rng::seed_from_u64(seed());
    const TRIALS: usize = 60;
    let mut alarms = [0; 2];
    for _ in 0..TRIALS {
        let looks: Vec<Option<Look>> = (0..100).map(|_| best(&benchmark(&mut random, 21, 1.0))).collect();
        let found = judged(&looks, &SUITE);
        alarms[0] += usize::from(found.iter().flatten().any(|one| one.finding == Finding::Changed));
        alarms[1] += usize::from(looks.iter().flatten().any(|look| look.p <= RATE));
    }
    let most = bound(TRIALS, RATE);
    assert!(alarms[0] as f64 <= most, "{alarms:?}, at most {most}");
    assert!(alarms[1] as f64 > most, "the check would not notice that nothing is corrected: {alarms:?}");
}

/// Of a hundred benchmarks ten change by 2 %: they are found, and of all that are called at most 1 in 100 is wrong.
/// Each interval of a change excludes 1, and these intervals miss as rarely.
#[test]
fn changes_are_found_and_their_intervals_agree() {
    let mut random = ChaCha12Rng::seed_from_u64(seed());
    const SUITES: usize = 12;
    let (mut found, mut wrong, mut missed) = (0, 0, 0);
    for _ in 0..SUITES {
        let factor = |at: usize| if at.is_multiple_of(10) { 1.02 } else { 1.0 };
        let cases: Vec<Case> = (0..100).map(|at| benchmark(&mut random, 39, factor(at))).collect();
        let all = judge(&cases, &SUITE);
        let changed: Vec<usize> = (0..100).filter(|at| all[*at].finding == Finding::Changed).collect();
        let error = selected_error(changed.len(), all.len());
        for at in changed {
            let [old, new] = &cases[at].entries[..] else { panic!("two entries") };
            let interval = ratio_with_error(&cases[at], new, old, error).unwrap().interval.unwrap();
            assert!(!interval.holds(1.0), "{at}: {interval:?}");
            missed += usize::from(!interval.holds(factor(at)));
            wrong += usize::from(factor(at) == 1.0);
            found += 1;
        }
    }
    assert!(found - wrong >= SUITES * 10 * 9 / 10, "{found} found, {wrong} of them wrong");
    let most = bound(found, RATE);
    assert!(wrong as f64 <= most && missed as f64 <= most, "{wrong} wrong, {missed} missed of {found}");
}

#[test]
fn a_benchmark_is_unchanged_only_within_the_threshold() {
    let case = |factor: f64, spread: f64| {
        let noise = |i: usize| spread * ((i * 8 % 21) as f64 - 10.0) / 10.0;
        let new = (0..21).map(|i| factor * (1.0 + noise(i)));
        let entries = vec![entry([1.0; 21].into_iter()), entry(new)];
        Case { entries, sequential: true, ..Case::default() }
    };
    let finding = |factor, spread| judge(&[case(factor, spread)], &SUITE)[0].finding;
    assert_eq!(finding(1.0, 0.01), Finding::Unchanged);
    assert_eq!(finding(1.0, 0.1), Finding::Undecided);
    assert_eq!([finding(1.01, 0.005), finding(0.9, 0.01)], [Finding::Changed; 2]);
    // The p value is of the same data as the interval.
    let one = case(1.01, 0.005);
    let (look, [old, new]) = (Look::of(&one, &SUITE).unwrap(), &one.entries[..]) else { panic!() };
    assert_eq!(Some(look.ratio), ratio(&one, new, old));
    assert!(look.p < RATE && look.p_within == 1.0, "{look:?}");
    let far = Look::of(&case(1.1, 0.005), &SUITE).unwrap();
    assert!(far.p_within < RATE && far.p <= far.p_within, "{far:?}");
    // A benchmark that failed shows nothing, and does not count.
    let mut failed = one.clone();
    failed.entries[0].failure =
        Some(Failure { kind: FailureKind::Crash, why: String::new(), stderr: String::new() });
    assert_eq!(Look::of(&failed, &SUITE), None);
    let all = judged(&[None, Some(look), None], &SUITE);
    assert_eq!((all[0], all[1].unwrap().adjusted), (None, look.p));
}

#[test]
fn a_count_that_does_not_vary_is_known() {
    let case = |counts: [f64; 2]| Case {
        measure: Measure::Count("instructions".to_owned()),
        entries: counts.map(|count| entry([count; 2].into_iter())).into(),
        ..Case::default()
    };
    let p = |counts: [f64; 2]| Look::of(&case(counts), &SUITE).unwrap().p;
    assert_eq!([p([1000.0, 1000.0]), p([1000.0, 1001.0])], [1.0, 0.0]);
}
