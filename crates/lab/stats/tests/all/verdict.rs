//! Verdicts on many benchmarks: p values at any stop, corrections, and how often suites without a change have one.
//!
//! Each bound of a count is three standard deviations above the rate that is claimed, and each check is made of an
//! optimistic rule too, which it must refuse. `PARCRYPT_SEED` sets the seed.

use parcrypt_stats::{
    Asked, Basis, CONFIDENCE, Estimate, Interval, Judged, Look, RATE, Verdict, adjusted, judged, verdicts,
};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StudentT};

use super::seed;

/// Numbers of blocks at which a confidence sequence looks.
const LOOKS: [usize; 5] = [9, 16, 27, 45, 75];

const ASKED: Asked = Asked { threshold: 0.02, gate: None };

const LOOKED_AT: Basis = Basis { is_count: false, sequential: true, blocks: None };

/// Returns the logarithms of the ratios of a benchmark in this number of blocks, whose noise has tails so long that it
/// has no variance.
fn benchmark(random: &mut ChaCha12Rng, blocks: usize, factor: f64) -> Vec<f64> {
    let heavy = StudentT::new(2.0).unwrap();
    let mut side = || -> Vec<f64> { (0..blocks).map(|_| 0.002 * heavy.sample(random)).collect() };
    let (old, new) = (side(), side());
    old.into_iter().zip(new).map(|(old, new)| factor.ln() + new - old).collect()
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
        let logs = benchmark(&mut random, LOOKS[4], 1.0);
        for (sequential, alarms) in [true, false].into_iter().zip(&mut alarms) {
            let basis = Basis { sequential, ..LOOKED_AT };
            let least = LOOKS.iter().filter_map(|blocks| basis.p_value(&logs[..*blocks], 1.0));
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

fn look(logs: &[f64]) -> Option<Look> {
    Look::of(LOOKED_AT, logs, ASKED)
}

/// Returns the look of a benchmark with the smallest p value.
fn best(logs: &[f64]) -> Option<Look> {
    let looks = LOOKS.iter().take_while(|blocks| **blocks <= logs.len());
    looks.filter_map(|blocks| look(&logs[..*blocks])).min_by(|a, b| a.p.total_cmp(&b.p))
}

/// Judges a suite of these benchmarks.
fn judge(benchmarks: &[Vec<f64>]) -> Vec<Judged> {
    let rows: Vec<_> = benchmarks.iter().map(|logs| (LOOKED_AT, logs.clone())).collect();
    verdicts(&rows, ASKED).into_iter().flatten().collect()
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
        let found = judged(&looks, ASKED);
        alarms[0] += usize::from(found.iter().flatten().any(|one| one.verdict.is_change()));
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
        let benchmarks: Vec<Vec<f64>> = (0..100).map(|at| benchmark(&mut random, 39, factor(at))).collect();
        let all = judge(&benchmarks);
        let changed: Vec<usize> = (0..100).filter(|at| all[*at].verdict.is_change()).collect();
        for at in changed {
            let interval = all[at].ratio.interval.unwrap();
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
fn rows_are_the_same_only_within_the_threshold() {
    let logs = |factor: f64, spread: f64| -> Vec<f64> {
        let noise = |i: usize| spread * ((i * 8 % 21) as f64 - 10.0) / 10.0;
        (0..21).map(|i| f64::ln(factor * (1.0 + noise(i)))).collect()
    };
    let verdict = |factor, spread| judge(&[logs(factor, spread)])[0].verdict;
    assert_eq!([verdict(1.0, 0.01), verdict(1.0, 0.1)], [Verdict::Same, Verdict::Open]);
    assert_eq!([verdict(1.01, 0.005), verdict(0.9, 0.01)], [Verdict::Slower, Verdict::Faster]);
    // The interval decides, in either direction.
    for (low, high, expected) in [
        (0.99, 1.01, Verdict::Same),
        (1.0, 1.02, Verdict::Same),
        (1.0 / 1.02, 1.0, Verdict::Same),
        (0.99, 1.021, Verdict::Open),
        (1.0 / 1.021, 1.0, Verdict::Open),
        (1.001, 1.002, Verdict::Slower),
        (0.5, 0.999, Verdict::Faster),
    ] {
        let ratio = Estimate { value: 1.0, interval: Some(Interval { low, high }), replicates: 8 };
        assert_eq!(Verdict::of(&ratio, ASKED.threshold), expected, "{low} to {high}");
        assert_eq!(Verdict::of(&Estimate { interval: None, ..ratio }, ASKED.threshold), Verdict::Open);
    }
    // One row is not corrected.
    for (factor, spread) in [(1.0, 0.01), (1.0, 0.1), (1.01, 0.005), (0.9, 0.01)] {
        let alone = judge(&[logs(factor, spread)])[0];
        assert_eq!(Verdict::of(&alone.look.ratio, ASKED.threshold), alone.verdict);
        assert_eq!(alone.ratio, alone.look.ratio);
    }
    // The p value is of the same data as the interval.
    let one = look(&logs(1.01, 0.005)).unwrap();
    assert_eq!(Some(one.ratio), LOOKED_AT.geometric(&logs(1.01, 0.005), 1.0 - CONFIDENCE));
    assert!(one.p < RATE && one.p_within == 1.0, "{one:?}");
    let far = look(&logs(1.1, 0.005)).unwrap();
    assert!(far.p_within < RATE && far.p <= far.p_within, "{far:?}");
    // A benchmark that failed shows nothing, and does not count.
    assert_eq!(look(&[]), None);
    let all = judged(&[None, Some(one), None], ASKED);
    assert_eq!((all[0], all[1].unwrap().adjusted), (None, one.p));
}

#[test]
fn a_count_that_does_not_vary_is_known() {
    let counts = Basis { is_count: true, ..Basis::default() };
    let found = |ratios: &[f64]| {
        let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let ratio = counts.geometric(&logs, 1.0 - CONFIDENCE).unwrap();
        let is_point = ratio.interval.is_some_and(|i| (i.low, i.high) == (ratio.value, ratio.value));
        (Verdict::of(&ratio, ASKED.threshold), is_point, counts.p_value(&logs, 1.0).unwrap())
    };
    assert_eq!(found(&[1.0; 2]), (Verdict::Same, true, 1.0));
    assert_eq!(found(&[1.001; 2]), (Verdict::Slower, true, 0.0));
    // One replicate does not show how a count varies, and one that varies is estimated like a time.
    assert_eq!(found(&[3.0]), (Verdict::Open, false, 1.0));
    assert_eq!(found(&[3.0, 3.005]), (Verdict::Open, false, 0.5));
}
