//! The estimators on recorded noise: A/A runs of a two-core virtual machine, in `noise.json`.
//!
//! A trace has the logarithm of the ratio of a program to itself in each round of one run. As either program could have
//! been the first, its sign carries nothing: trials draw consecutive rounds and random signs, so that the truth is a
//! ratio of 1 and the noise is the machine's, with its bursts and its dependence from round to round.

use std::collections::BTreeMap;

use parcrypt_stats::{BLOCK, Basis, CONFIDENCE, MIN_REPLICATES};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::seed;

const TRIALS: usize = 2000;

/// Returns the traces by name: log ratios in units of 10⁻⁵.
fn traces() -> BTreeMap<String, Vec<i32>> {
    serde_json::from_str(include_str!("noise.json")).unwrap()
}

/// Returns the replicates of a trial: blocks of consecutive rounds, each with a random sign.
fn draw(random: &mut ChaCha12Rng, trace: &[i32], replicates: usize) -> Vec<f64> {
    let rounds = BLOCK * replicates;
    let from = (random.next_u64() % (trace.len() - rounds + 1) as u64) as usize;
    let block = |block: &[i32]| {
        let sign = if random.next_u64().is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * f64::from(block.iter().sum::<i32>()) * 1e-5 / BLOCK as f64
    };
    trace[from..from + rounds].chunks_exact(BLOCK).map(block).collect()
}

/// Returns whether the interval of the ratio with these logarithms excludes 1.
fn alarms(sequential: bool, values: &[f64]) -> bool {
    let basis = Basis { sequential, ..Basis::default() };
    let ratio = basis.geometric(values, 1.0 - CONFIDENCE).unwrap();
    ratio.interval.is_some_and(|interval| !interval.holds(1.0))
}

/// Returns whether any interval of a run that looks after each replicate excludes 1.
fn alarms_at_any_look(sequential: bool, values: &[f64]) -> bool {
    (MIN_REPLICATES + 1..=values.len()).any(|count| alarms(sequential, &values[..count]))
}

/// Returns the number of alarms in [`TRIALS`], and prints it.
fn count(name: &str, trace: &[i32], replicates: usize, alarms: impl Fn(&[f64]) -> bool) -> usize {
    let mut random = ChaCha12Rng::seed_from_u64(seed());
    let count = (0..TRIALS).filter(|_| alarms(&draw(&mut random, trace, replicates))).count();
    println!("{name}, {replicates} replicates: {count} alarms in {TRIALS} trials");
    count
}

/// Checks that a difference is called if there is none in at most 1.7 % of trials: 1 % is promised, and three
/// standard deviations of a count of 2,000 are 0.67 %. An interval for one look is wrong more often if it is looked at
/// each time.
#[test]
fn equal_programs_rarely_differ_on_recorded_noise() {
    let most = TRIALS * 17 / 1000;
    for (name, trace) in traces() {
        assert!(trace.len() >= BLOCK * 10, "{name}");
        for replicates in [10, 20, 40].into_iter().filter(|replicates| BLOCK * replicates <= trace.len()) {
            let once = count(&name, &trace, replicates, |values| alarms(false, values));
            let at_any_look = count(&name, &trace, replicates, |values| alarms_at_any_look(true, values));
            assert!(once <= most && at_any_look <= most, "{name}");
        }
        let replicates = trace.len().min(80) / BLOCK;
        assert!(
            count(&name, &trace, replicates, |values| alarms_at_any_look(false, values)) > most,
            "{name}"
        );
    }
}
