use super::*;
use crate::record::{Entry, Sample};

fn class() -> Class {
    Class {
        name: "compute".to_owned(),
        about: "a sum".to_owned(),
        case: "workload = \"sum\"\nthreads = [1]".to_owned(),
        candidate: "command = [\"./a\"]".to_owned(),
        other: Some("command = [\"./b\"]".to_owned()),
        seconds: 10,
        beside: Vec::new(),
    }
}

#[test]
fn plans_differ_in_what_is_planted_alone() {
    let text = |percent| plan_text(&class(), Experiment::Planted { percent }, Length::Rounds(8));
    let (null, planted) = (text(0.0), text(0.5));
    assert!(!null.contains("extra-percent"), "{null}");
    assert_eq!(planted.replacen("extra-percent = 0.5\n", "", 1), null);
    let candidates = planted.split("[[candidate]]").collect::<Vec<_>>();
    assert!(!candidates[1].contains("extra-percent") && candidates[2].contains("extra-percent"), "{planted}");
    let parsed = Plan::parse("audit.toml".as_ref(), ".".into(), null).unwrap();
    assert_eq!(parsed.sampling().samples, Some(2));
}

#[test]
fn a_plan_of_carry_over_has_three_candidates_and_its_samples() {
    let text = plan_text(&class(), Experiment::CarryOver { sample_ms: 0.25 }, Length::Seconds(10.0));
    let plan = Plan::parse("audit.toml".as_ref(), ".".into(), text.clone()).unwrap();
    assert_eq!((plan.file.candidate.len(), plan.sampling().sample_ms), (3, 0.25));
    let commands = ["./a", "./a", "./b"];
    for (candidate, command) in plan.file.candidate.iter().zip(commands) {
        assert_eq!(candidate.command.as_ref().unwrap(), &[command], "{text}");
    }
}

/// Returns a case whose entries have these times, in ns, by entry, round and sample.
fn case(of: impl Fn(usize, usize, usize) -> u64, entries: usize, rounds: usize, samples: usize) -> Case {
    let sample = |entry, round, sample| Sample {
        iterations: 10,
        elapsed_ns: Some(of(entry, round, sample)),
        ..Sample::default()
    };
    let entry = |entry| Entry {
        threads: 1,
        rounds: (0..rounds).map(|r| (0..samples).map(|s| sample(entry, r, s)).collect()).collect(),
        ..Entry::default()
    };
    let mut case =
        Case { workload: "sum".to_owned(), entries: (0..entries).map(entry).collect(), ..Case::default() };
    stats::summarize(&mut case);
    case
}

/// Times that grow by what stands before: 1 % after another process of the same program, 3 % after the other program.
#[test]
fn carry_over_is_found_by_what_stands_before() {
    let before = |entry: usize, round: usize, sample: usize| {
        let turns: Vec<usize> = (0..=sample).flat_map(|s| run::turn_order(3, round, s)).collect();
        // The turn of this sample is the last one of its entry up to here.
        let place = turns.iter().rposition(|e| *e == entry).unwrap();
        place.checked_sub(1).map(|before| turns[before])
    };
    let time = |entry, round, sample| match before(entry, round, sample) {
        Some(2) if entry < 2 => 1_030_000,
        Some(last) if last != entry && entry < 2 => 1_010_000,
        None => 5_000_000,
        _ => 1_000_000,
    };
    let [same, other, far] = carry_over(&case(time, 3, 12, 8));
    let near = |all: &[f64], factor: f64| all.iter().all(|log| (log - factor.ln()).abs() < 1e-6);
    assert!(same.len() >= 6 && near(&same, 1.01), "{same:?}");
    assert!(other.len() >= 6 && near(&other, 1.03 / 1.01), "{other:?}");
    assert!(!far.is_empty() && near(&far, 1.03), "{far:?}");
    // A disturbed sample has no effect, whatever its time.
    let mut disturbed = case(time, 3, 12, 8);
    for entry in &mut disturbed.entries {
        for round in &mut entry.rounds {
            round[4].delay_ns = 1_000_000_000;
            round[4].elapsed_ns = Some(9_000_000_000);
        }
    }
    assert!(near(&carry_over(&disturbed)[1], 1.03 / 1.01));
    let none = carry_over(&case(|_, _, _| 7, 3, 4, 4));
    assert!(none.iter().flatten().all(|log| *log == 0.0));
    assert_eq!(carry_over(&case(|_, _, _| 7, 3, 0, 4)), [const { Vec::<f64>::new() }; 3]);
}

fn record(case: Case) -> Record {
    Record { cases: vec![case], ..Record::default() }
}

fn cell(class: usize, percent: f64, wanted: usize) -> Cell {
    let experiment = Experiment::Planted { percent };
    Cell { class, experiment, length: Length::Seconds(10.0), wanted }
}

#[test]
fn a_trial_has_the_error_against_the_truth_and_the_width_over_time() {
    // 1 % planted, and a noise of 0.1 % in the first half of the rounds.
    let time = |entry: usize, round: usize, _| {
        let noise = if round < 32 { 1_000 * (round % 3) } else { 0 };
        (1_000_000 + 11_000 * entry + if entry == 1 { noise } else { 0 }) as u64
    };
    let record = record(case(time, 2, 64, 2));
    let ended = ended(&record, &class(), &cell(0, 1.0, 1), "now".to_owned(), 9.5);
    let Ended::Trial(trial) = ended else { panic!("{ended:?}") };
    assert_eq!((trial.called, trial.rounds, trial.replicates, trial.planted), (Called::Slower, 64, 32, 1.0));
    assert!((trial.error - (trial.estimate.ln() - 1.01f64.ln())).abs() < 1e-12);
    assert!((0.0009..0.0022).contains(&trial.error), "{}", trial.error);
    let [low, high] = trial.interval.unwrap();
    assert!(low <= trial.estimate && trial.estimate <= high);
    let shares: Vec<f64> = trial.half_widths.iter().map(|(share, _)| *share).collect();
    assert_eq!(shares, [0.25, 0.5, 1.0]);
    let last = trial.half_widths.last().unwrap().1;
    assert!((last - (high.ln() - low.ln()) / 2.0).abs() < 1e-12);
    // The first quarter has noise of 0.2 % from end to end.
    assert!((0.0004..0.0011).contains(&trial.half_widths[0].1), "{:?}", trial.half_widths);
}

#[test]
fn trials_without_rounds_fail_and_few_rounds_are_undecided() {
    let end = |rounds| {
        ended(&record(case(|_, _, _| 9, 2, rounds, 2)), &class(), &cell(0, 0.0, 1), String::new(), 1.0)
    };
    assert!(matches!(end(0), Ended::Failed(_)));
    let Ended::Trial(few) = end(3) else { panic!() };
    assert_eq!((few.called, few.interval, few.half_widths.len()), (Called::Undecided, None, 0));
}

#[test]
fn trials_are_interleaved_and_balanced_wherever_they_stop() {
    let cells = vec![cell(0, 0.0, 50), cell(1, 0.0, 50), cell(0, 0.5, 10), cell(1, 0.5, 10)];
    let mut schedule = Schedule::new(cells, |_| 0);
    assert_eq!((schedule.trials(), schedule.left()), ((0, 120), Duration::from_secs_f64(120.0 * 10.2)));
    let mut done = [0usize; 4];
    while let Some(next) = schedule.next() {
        done[next] += 1;
        schedule.done(next, Duration::from_secs(8));
        // After each trial, every cell has the share of its trials that the others have, but for one trial.
        for (a, wanted) in done.iter().zip([50usize, 50, 10, 10]) {
            for (b, other) in done.iter().zip([50usize, 50, 10, 10]) {
                let (share, least) = (*a as f64 / wanted as f64, *b as f64 / other as f64);
                assert!(share <= least + 1.0 / wanted as f64 + 1e-9, "{done:?}");
            }
        }
    }
    assert_eq!(done, [50, 50, 10, 10]);
    assert_eq!((schedule.trials(), schedule.left()), ((120, 120), Duration::ZERO));
    assert_eq!(schedule.expected(0), Duration::from_secs(8));
}

#[test]
fn a_schedule_continues_and_drops_a_class() {
    let cells = vec![cell(0, 0.0, 4), cell(1, 0.0, 4)];
    let mut schedule = Schedule::new(cells, |cell| if cell.class == 0 { 3 } else { 9 });
    // More trials than were asked for are done, and no debt of others.
    assert_eq!((schedule.trials(), schedule.next()), ((7, 8), Some(0)));
    schedule.drop_class(0);
    assert_eq!((schedule.trials(), schedule.next()), ((7, 7), None));
    assert_eq!(Schedule::new(Vec::new(), |_| 0).next(), None);
}
