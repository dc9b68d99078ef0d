//! The statistics against known results, and on entries with ties, gaps and failures.

use std::collections::BTreeMap;

use parcrypt_lab::condition::Condition;
use parcrypt_lab::question::{Answer, answers};
use parcrypt_lab::record::{
    Case, Entry, Failure, FailureKind, Measure, Question, Record, Role, Sample, Suite, Summary, Value,
};
use parcrypt_lab::stats::{self, Basis};

/// The time of a run of a fixed length.
const TIME: Basis = Basis { is_count: false, sequential: false, blocks: None };

/// Returns an entry with these values of its replicates.
fn entry(candidate: &str, threads: usize, values: impl IntoIterator<Item = f64>) -> Entry {
    let summary = |value| Summary { value: Some(value), ..Summary::default() };
    let replicates = values.into_iter().map(summary).collect();
    Entry { candidate: candidate.into(), threads, replicates, ..Entry::default() }
}

/// Returns an entry with ten values around `ns`, with a spread of ±0.5 %.
fn steady(candidate: &str, threads: usize, ns: u64) -> Entry {
    entry(candidate, threads, (0..10).map(|i| ns as f64 * (0.995 + 0.001 * f64::from(i))))
}

fn case(scale: u64, entries: Vec<Entry>) -> Case {
    Case {
        workload: "fft".into(),
        params: BTreeMap::from([("scale".into(), Value::Number(scale))]),
        entries,
        ..Case::default()
    }
}

/// Returns a case of entries from the times in ns of their samples in each round.
fn sampled(entries: &[&[&[u64]]]) -> Case {
    let sample = |ns: &u64| Sample { iterations: 2, elapsed_ns: Some(2 * ns), ..Sample::default() };
    let entry = |rounds: &&[&[u64]]| {
        let rounds = rounds.iter().map(|samples| samples.iter().map(sample).collect()).collect();
        Entry { threads: 1, rounds, ..Entry::default() }
    };
    case(1, entries.iter().map(entry).collect())
}

/// Computes the replicates of a case.
fn summarized(mut case: Case) -> Case {
    stats::summarize(&mut case);
    case
}

fn record(cases: Vec<Case>) -> Record {
    Record { cases, ..Record::default() }
}

#[test]
fn value_of_a_round_is_the_median_of_its_samples() {
    // Between two samples it is the geometric mean.
    for (samples, value) in [(&[100, 900, 120][..], 120.0), (&[100, 400], 200.0)] {
        let one = stats::value(TIME, &summarized(sampled(&[&[samples]])).entries[0]).unwrap();
        assert!((one.value - value).abs() < 1e-9 && one.interval.is_none() && one.replicates == 1, "{one:?}");
    }
}

#[test]
fn what_the_samples_of_a_turn_have_in_common_cancels() {
    // The machine is twice as slow in the second turn and three times in the third; b takes 1.5 times the time of a.
    let case =
        summarized(sampled(&[&[&[200, 400, 600], &[600, 200, 400]], &[&[300, 600, 900], &[900, 300, 600]]]));
    let ratio = stats::ratio(&case, &case.entries[1], &case.entries[0]).unwrap();
    assert!((ratio.value - 1.5).abs() < 1e-12 && ratio.replicates == 2, "{ratio:?}");
    // The value is the median turn's: of a 400, times the factor between the two.
    let value = stats::value(&case, &case.entries[0]).unwrap().value;
    assert!((value - 400.0).abs() < 1e-9, "{value}");
}

#[test]
fn a_disturbed_turn_is_left_out_with_all_its_samples() {
    let of_first = |case: &Case| {
        let case = summarized(case.clone());
        let first = &case.entries[0].replicates[0];
        assert_eq!([first.samples, first.dropped], [4, case.entries[1].replicates[0].dropped]);
        [first.dropped, first.disturbed]
    };
    let mut case = sampled(&[&[&[100; 4][..]; 2], &[&[200, 200, 900, 200][..]; 2]]);
    for round in &mut case.entries[1].rounds {
        // 2 iterations of 900 ns, of which 40 ns were spent waiting: more than a fiftieth, for one thread.
        round[2].delay_ns = 40;
    }
    assert_eq!(of_first(&case), [1, 0]);
    case.entries[1].threads = 2;
    assert_eq!(of_first(&case), [0, 0]);
    // If most turns are disturbed, none is left out.
    for entry in &mut case.entries {
        entry.rounds.iter_mut().flatten().for_each(|sample| sample.delay_ns = 1000);
    }
    assert_eq!(of_first(&case), [0, 4]);
}

#[test]
fn a_block_of_two_rounds_is_one_replicate() {
    // The one that starts first is 21 % faster: in a block of opposite orders this cancels.
    let ratio = |rounds: usize, sequential: bool| {
        let times = |skip: usize| {
            [&[100][..], &[121]].into_iter().cycle().skip(skip).take(rounds).collect::<Vec<_>>()
        };
        let case = summarized(Case { sequential, ..sampled(&[&times(0), &times(1)]) });
        stats::ratio(&case, &case.entries[1], &case.entries[0]).unwrap()
    };
    let (blocks, rounds, looked) = (ratio(17, false), ratio(14, false), ratio(14, true));
    assert!((blocks.value - 1.0).abs() < 1e-12 && blocks.replicates == 8, "the last is no block: {blocks:?}");
    let interval = blocks.interval.unwrap();
    assert!(interval.high - interval.low < 1e-9, "{interval:?}");
    // Fewer rounds are replicates of their own, unless the run looks at its intervals more than once.
    let interval = rounds.interval.unwrap();
    assert!(rounds.replicates == 14 && interval.low < 0.9 && interval.high > 1.1, "{rounds:?}");
    assert!(looked.replicates == 7 && looked.interval.is_none(), "{looked:?}");
}

#[test]
fn the_value_of_a_count_that_never_differs_is_exact() {
    // The logarithm of this one would be rounded.
    let basis = Basis { is_count: true, ..TIME };
    let known = stats::value(basis, &entry("a", 1, [15_986_996.0; 2])).unwrap();
    let interval = known.interval.unwrap();
    assert_eq!([known.value, interval.low, interval.high], [15_986_996.0; 3]);
    // Samples have no value of a quantity that was not counted.
    let measure = Measure::Count("m".into());
    let other = summarized(Case { measure, ..sampled(&[&[&[100], &[100]]]) });
    assert_eq!(stats::value(&other, &other.entries[0]), None);
}

#[test]
fn ratios_are_paired_and_drop_rounds_that_either_lacks() {
    // The machine slows down by half in every second round, for both alike: pairing removes the drift.
    let drift = |ns: f64| entry("r", 1, (0..10).map(|i| ns * f64::from(1 + i % 2)));
    let (a, mut b) = (drift(300.0), drift(200.0));
    b.replicates[3].value = None;
    b.replicates.push(Summary { value: Some(1.0), ..Summary::default() });
    let ratio = stats::ratio(TIME, &a, &b).unwrap();
    assert_eq!(ratio.replicates, 9);
    for (ratio, expected) in [(ratio, 1.5), (ratio.inverse(), 2.0 / 3.0)] {
        let interval = ratio.interval.unwrap();
        let all = [ratio.value, interval.low, interval.high];
        assert!(all.iter().all(|value| (value - expected).abs() < 1e-12), "{ratio:?}");
    }
    assert_eq!(stats::ratio(TIME, &a, &entry("none", 1, [])), None);
}

#[test]
fn an_entry_that_failed_has_no_value() {
    let failed = Entry { failure: Some(Failure::new(FailureKind::Crash, "x")), ..steady("a", 1, 1000) };
    let (b, c) = (steady("b", 1, 1000), steady("c", 1, 500));
    assert_eq!((stats::value(TIME, &failed), stats::ratio(TIME, &failed, &b)), (None, None));
    let mean = stats::mean_ratio(TIME, &[(&failed, &c), (&b, &c)]).unwrap();
    assert!(mean.pairs == 1 && (mean.ratio.value - 2.0).abs() < 1e-2, "{mean:?}");
    assert_eq!(stats::look(&case(1, vec![failed, b]), &Suite::default()), None);
}

#[test]
fn mean_ratio_is_geometric_and_a_short_pair_does_not_shorten_it() {
    let one = steady("one", 1, 10_000);
    let (half, twice) = (steady("half", 1, 5000), steady("twice", 1, 20_000));
    let mean = stats::mean_ratio(TIME, &[(&half, &one), (&twice, &one)]).unwrap();
    assert_eq!((mean.pairs, mean.ratio.replicates), (2, 10));
    assert!((mean.ratio.value - 1.0).abs() < 1e-3, "{mean:?}");
    let short = entry("short", 1, [40_000.0; 2]);
    assert_eq!(stats::mean_ratio(TIME, &[(&half, &one), (&short, &one), (&twice, &one)]), Some(mean));
    assert_eq!(stats::mean_ratio(TIME, &[]), None);
}

#[test]
fn speedup_is_against_itself_or_the_baseline() {
    let entries = [("serial", 1, 9000), ("a", 1, 10_000), ("a", 4, 4000), ("b", 2, 4500)];
    let case = case(7, entries.map(|(name, threads, ns)| steady(name, threads, ns)).to_vec());
    for (at, times, efficiency) in [(2, 2.5, 0.625), (3, 2.0, 1.0)] {
        let found = stats::speedup(&case, at).unwrap();
        assert!((found.times.value - times).abs() < 0.01, "{found:?}");
        assert!((found.efficiency.value - efficiency).abs() < 0.005, "{found:?}");
    }
    assert_eq!((stats::speedup(&case, 1), stats::speedup(&case, 9)), (None, None));
}

#[test]
fn noise_floor_is_the_farthest_bound_of_the_controls() {
    let control = [1010.0, 990.0, 1005.0, 980.0, 1000.0, 1002.0, 1001.0, 999.0];
    let control = Entry { role: Role::Control, ..entry("serial", 1, control) };
    let first = entry("serial", 1, [1000.0; 8]);
    let quiet = case(1, vec![first.clone(), first.clone()]);
    assert_eq!(stats::noise_floor(&quiet), None);
    let loud = case(2, vec![first, control]);
    // The lower bound is 0.98: the control is 1 / 0.98 times as fast.
    assert!((stats::noise_floor(&loud).unwrap() - 0.02 / 0.98).abs() < 1e-9);
    assert_eq!(stats::record_noise_floor(&record(vec![quiet, loud.clone()])), stats::noise_floor(&loud));
}

#[test]
fn conditions() {
    for (condition, key, value, holds) in [
        ("threads=2", "threads", "2", true),
        ("scale >= 7", "scale", "10", true),
        ("scale<7", "scale", "6", true),
        ("scale<=6", "scale", "6", true),
        ("scale>5", "scale", "6", true),
        ("runtime=rayon|openmp", "runtime", "openmp", true),
        ("d!=halves", "d", "layers", true),
        ("n=0.50", "n", "0.5", true),
        ("n=nan", "n", "nan", true),
        ("threads=2", "threads", "20", false),
        ("scale>=7", "scale", "6", false),
        ("scale>=7", "scale", "large", false),
        ("runtime!=rayon|openmp", "runtime", "rayon", false),
        ("missing!=halves", "d", "layers", false),
    ] {
        let parsed: Condition = condition.parse().unwrap();
        let found = parsed.holds(&|k| (k == key).then(|| value.to_string()));
        assert_eq!(found, holds, "{condition} {value}");
    }
    assert_eq!("a <= 3".parse::<Condition>().unwrap().to_string(), "a<=3");
    assert_eq!("a = b | c".parse::<Condition>().unwrap().to_string(), "a=b|c");
    for (text, why) in [
        ("threads", "no operator"),
        ("a!b", "no operator"),
        ("=2", "no key"),
        ("a=", "an empty value"),
        ("a=b||c", "an empty value"),
        ("a<b", "'b', which is not a number"),
    ] {
        let error = text.parse::<Condition>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("'{text}' ")) && error.contains(why), "{error}");
    }
}

fn labels(labels: &[(&str, &str)]) -> BTreeMap<String, String> {
    labels.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

#[test]
fn a_question_pairs_what_is_equal_but_for_its_labels() {
    let entries = |factor: u64| {
        let mut entries = vec![steady("serial", 1, 50_000)];
        for (decomposition, ns) in [("layers", 20_000), ("halves", 30_000)] {
            for threads in [1, 2] {
                for (name, runtime, ns) in [("r", "rayon", ns), ("o", "openmp", ns * 9 / 10)] {
                    let labels = labels(&[("runtime", runtime), ("decomposition", decomposition)]);
                    entries.push(Entry { labels, ..steady(name, threads, factor * ns) });
                }
            }
        }
        entries
    };
    let mut record = record(vec![case(4, entries(1)), case(10, entries(10))]);
    record.cases[1].entries[1].role = Role::Limit;
    let mut answer = |question: &Question| -> Answer {
        record.questions = vec![question.clone()];
        answers(&record).remove(0)
    };
    let mut question = Question {
        ask: "?".into(),
        from: labels(&[("runtime", "rayon")]),
        to: labels(&[("runtime", "openmp")]),
        only: vec![],
        at_most: None,
    };
    let found = answer(&question);
    assert_eq!((found.pairs, found.overall.unwrap().pairs), (7, 7));
    assert!((found.overall.unwrap().ratio.value - 0.9).abs() < 1e-2);
    let groups: Vec<(String, usize)> =
        found.groups.iter().map(|g| (format!("{}={}", g.key, g.value), g.mean.pairs)).collect();
    let expected = [
        ("decomposition=halves", 4),
        ("decomposition=layers", 3),
        ("threads=1", 3),
        ("threads=2", 4),
        ("scale=4", 4),
        ("scale=10", 3),
    ];
    assert_eq!(groups, expected.map(|(key, pairs)| (key.to_string(), pairs)));

    let only = |text: &str| text.parse::<Condition>().unwrap();
    question.only = vec![only("threads=2"), only("scale>=7")];
    assert_eq!(answer(&question).pairs, 2);
    question.only = vec![only("colour=red")];
    let none = answer(&question);
    assert_eq!((none.pairs, none.overall, none.groups.len()), (0, None, 0));

    // Threads may be what the question is about.
    let threads = Question {
        ask: "?".into(),
        from: labels(&[("threads", "1"), ("candidate", "o")]),
        to: labels(&[("threads", "2"), ("candidate", "o")]),
        only: vec![],
        at_most: None,
    };
    assert_eq!(answer(&threads).pairs, 4);
}
