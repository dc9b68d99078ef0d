use super::*;
use crate::audit::Called;
use crate::audit::state::{Header, SCHEMA};

fn trial(planted: f64, seconds: f64, error: f64, half_width: f64) -> Trial {
    let log = (planted / 100.0f64).ln_1p() + error;
    let interval = [(log - half_width).exp(), (log + half_width).exp()];
    let called = match interval {
        [low, _] if low > 1.0 => Called::Slower,
        [_, high] if high < 1.0 => Called::Faster,
        _ => Called::NoDifference,
    };
    Trial {
        class: "compute".to_owned(),
        planted,
        seconds,
        started: String::new(),
        took_s: seconds,
        rounds: 40,
        replicates: 20,
        estimate: log.exp(),
        interval: Some(interval),
        called,
        error,
        half_widths: vec![(0.5, 2.0 * half_width), (1.0, half_width)],
    }
}

fn trials(planted: Vec<Trial>, carry_over: Vec<CarryOver>) -> Trials {
    let header = Header {
        audit: SCHEMA,
        started: "2026-01-01T00:00:00Z".to_owned(),
        machine: Machine::default(),
        build: [("parcrypt".to_owned(), "0.1.0".to_owned())].into(),
        method: crate::METHOD,
        classes: Default::default(),
    };
    Trials { header, planted, carry_over }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn counts_bounds_and_errors_match_the_trials() {
    // Of 50 A/A trials two are false alarms; of 20 with 1 % planted 19 are found.
    let mut all: Vec<Trial> =
        (0..50).map(|i| trial(0.0, 2.0, if i < 2 { 0.03 } else { -0.001 }, 0.01)).collect();
    all.extend((0..20).map(|i| trial(1.0, 10.0, if i == 0 { -0.006 } else { 0.001 }, 0.005)));
    let found = summary(&trials(all, Vec::new()));
    let class = &found.classes[0];
    assert_eq!((found.version.as_str(), class.class.as_str()), ("0.1.0", "compute"));
    let null = &class.null[0];
    assert_eq!((null.alarms, null.trials, null.undecided, null.took_s), (2, 50, 0, 2.0));
    assert!(near(null.at_most, greatest_share(2, 50, 0.99)) && near(null.chance, tail_from(2, 50, 0.01)));
    assert!(found.is_compatible(null), "2 of 50 happen in 8.9 % of audits");
    assert!(near(null.rms, ((2.0 * 0.03f64.powi(2) + 48.0 * 1e-6) / 50.0).sqrt()));
    let power = &class.planted[0];
    assert_eq!((power.found, power.wrong, power.trials, power.percent), (19, 0, 20, 1.0));
    assert!(near(power.at_least, least_share(19, 20, 0.99)));
    assert!(near(power.bias, (19.0 * 0.001 - 0.006) / 20.0) && near(power.half_width.unwrap(), 0.005));
    let kept = &found.audited().classes[0];
    assert_eq!((kept.false_alarms, kept.trials, kept.seconds), (2, 50, 10.0));
    assert!(near(kept.smallest_percent.unwrap(), 100.0 * 0.004f64.exp_m1()), "{kept:?}");
    let widths: Vec<(f64, usize)> = class.widths.iter().map(|width| (width.seconds, width.trials)).collect();
    assert_eq!(widths, [(1.0, 50), (2.0, 50), (5.0, 20), (10.0, 20)]);
    assert!(near(class.widths[2].half_width, 0.01));
}

#[test]
fn the_smallest_difference_is_what_nine_of_ten_intervals_would_find() {
    // Trial i finds what exceeds its half width minus its error: 0.1 % to 1 %, and the plant does not matter.
    let planted =
        |plant: f64| (1..=10).map(|i| trial(plant, 10.0, 0.001, 0.001 + 0.001 * f64::from(i))).collect();
    for plant in [0.5, 2.0] {
        let found = summary(&trials(planted(plant), Vec::new()));
        let smallest = &found.classes[0].smallest[0];
        assert!(near(smallest.percent.unwrap(), 100.0 * 0.009f64.exp_m1()), "{smallest:?}");
        assert_eq!(found.smallest("compute").map(|(_, seconds)| seconds), Some(10.0));
    }
    let mut few: Vec<Trial> = planted(1.0);
    few.truncate(LEAST_TRIALS - 1);
    let found = summary(&trials(few.clone(), Vec::new()));
    assert_eq!(
        (found.classes[0].smallest.len(), found.smallest("compute"), found.smallest("no")),
        (0, None, None)
    );
    // Two of ten without an interval: there is no difference that nine would find.
    few.truncate(8);
    few.extend((0..2).map(|_| Trial {
        interval: None,
        called: Called::Undecided,
        ..trial(1.0, 10.0, 0.0, 0.0)
    }));
    let found = summary(&trials(few, Vec::new()));
    assert_eq!(found.classes[0].smallest[0].percent, None);
    assert_eq!(found.smallest("compute"), Some((f64::INFINITY, 10.0)));
}

#[test]
fn too_many_alarms_are_not_compatible_and_undecided_trials_do_not_count() {
    let alarms = |count: usize| {
        let mut all: Vec<Trial> =
            (0..1000).map(|i| trial(0.0, 2.0, if i < count { 0.05 } else { 0.0 }, 0.01)).collect();
        all.push(Trial { interval: None, called: Called::Undecided, ..trial(0.0, 2.0, 0.0, 0.0) });
        let found = summary(&trials(all, Vec::new()));
        let null = &found.classes[0].null[0];
        assert_eq!((null.alarms, null.undecided, null.trials), (count, 1, 1001));
        found.is_compatible(null)
    };
    assert!(alarms(0) && alarms(10) && alarms(18));
    assert!(!alarms(19) && !alarms(40));
}

#[test]
fn carry_over_is_pooled_over_trials_and_compared_with_a_tenth_of_a_per_cent() {
    let carry = |ms, logs: &[f64]| CarryOver {
        class: "compute".to_owned(),
        sample_ms: ms,
        seconds: 10.0,
        started: String::new(),
        took_s: 10.0,
        same_program: vec![0.0; logs.len()],
        other_program: logs.to_vec(),
        other_against_itself: vec![0.0; logs.len()],
    };
    let all = vec![
        carry(8.0, &[0.0002; 12]),
        carry(1.0, &[0.01; 6]),
        carry(1.0, &[0.012; 6]),
        carry(2.0, &[0.0, 0.003, 0.0, 0.003, 0.0, 0.003, 0.0, 0.003, 0.0]),
        carry(4.0, &[0.0; 3]),
    ];
    let found = summary(&trials(Vec::new(), all)).carry_over;
    let of: Vec<(f64, Matters)> = found.iter().map(|one| (one.sample_ms, one.matters())).collect();
    assert_eq!(of, [(1.0, Matters::Yes), (2.0, Matters::Open), (4.0, Matters::Open), (8.0, Matters::No)]);
    let pooled = found[0].other_program.as_ref().unwrap();
    assert_eq!(pooled.replicates, 12);
    assert!(near(pooled.estimate, 0.011f64.exp()), "{pooled:?}");
}

#[test]
fn a_summary_survives_json() {
    let found = summary(&trials((0..10).map(|_| trial(0.5, 10.0, 0.0, 0.001)).collect(), Vec::new()));
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), found);
}
