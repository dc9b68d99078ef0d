//! The statistics against known results, and on entries with ties, gaps and failures.

use std::collections::BTreeMap;

use parcrypt_lab::condition::{Condition, ConditionError};
use parcrypt_lab::question::{Answer, answers};
use parcrypt_lab::record::{
    Case, Entry, Failure, FailureKind, Measure, Question, Record, Role, Sample, Suite, Value,
};
use parcrypt_lab::stats::{self, Basis, RESOLUTION, Verdict};

fn entry(candidate: &str, threads: usize, rounds: &[&[u64]]) -> Entry {
    let sample = |ns: &u64| Sample { iterations: 2, elapsed_ns: Some(2 * ns), ..Sample::default() };
    let rounds = rounds.iter().map(|samples| samples.iter().map(sample).collect()).collect();
    let entry = Entry { candidate: candidate.into(), threads, rounds, ..Entry::default() };
    each_a_replicate(entry, &Measure::Time)
}

/// Makes each round a replicate of its own.
fn each_a_replicate(entry: Entry, measure: &Measure) -> Entry {
    let mut case = Case { measure: measure.clone(), entries: vec![entry], ..Case::default() };
    stats::summarize(&mut case);
    case.entries.remove(0)
}

/// The time of a run of a fixed length.
const TIME: Basis = Basis { is_count: false, sequential: false, blocks: None };

/// Returns an entry with one sample in each of ten rounds, all of them `ns` with a spread of ±0.5 %.
fn steady(candidate: &str, threads: usize, ns: u64) -> Entry {
    let values: Vec<[u64; 1]> = (0..10).map(|i| [ns + ns * i / 1000 - ns * 5 / 1000]).collect();
    entry(candidate, threads, &values.iter().map(|v| &v[..]).collect::<Vec<_>>())
}

fn labelled(mut entry: Entry, labels: &[(&str, &str)]) -> Entry {
    entry.labels = labels.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    entry
}

fn case(scale: u64, entries: Vec<Entry>) -> Case {
    Case {
        workload: "fft".into(),
        params: BTreeMap::from([("scale".into(), Value::Number(scale))]),
        entries,
        ..Case::default()
    }
}

fn record(cases: Vec<Case>) -> Record {
    Record { cases, ..Record::default() }
}

#[test]
fn value_of_a_round_is_the_median_of_its_samples() {
    let one = stats::value(TIME, &entry("a", 1, &[&[100, 900, 120]])).unwrap();
    assert!((one.value - 120.0).abs() < 1e-9 && one.interval.is_none() && one.replicates == 1);
    let even = stats::value(TIME, &entry("a", 1, &[&[100, 200]])).unwrap();
    assert!((even.value - 150.0).abs() < 1e-9);
}

/// Returns a case of two entries from the times in ns of their samples in each round.
fn pair(a: &[&[u64]], b: &[&[u64]]) -> Case {
    case(1, vec![entry("a", 1, a), entry("b", 1, b)])
}

#[test]
fn what_the_samples_of_a_turn_have_in_common_cancels() {
    // The machine is twice as slow in the second turn and three times in the third; b takes 1.5 times the time of a.
    let rounds: [&[u64]; 2] = [&[200, 400, 600], &[600, 200, 400]];
    let slower: Vec<Vec<u64>> =
        rounds.iter().map(|round| round.iter().map(|ns| ns * 3 / 2).collect()).collect();
    let mut case = pair(&rounds[..], &slower.iter().map(Vec::as_slice).collect::<Vec<_>>());
    stats::summarize(&mut case);
    let ratio = stats::ratio(&case, &case.entries[1], &case.entries[0]).unwrap();
    assert!((ratio.value - 1.5).abs() < 1e-12 && ratio.replicates == 2, "{ratio:?}");
    // The value is the median turn's: of a 400, times the factor between the two.
    let value = stats::value(&case, &case.entries[0]).unwrap().value;
    assert!((value - 400.0).abs() < 1e-9, "{value}");
}

#[test]
fn a_disturbed_turn_is_left_out_with_all_its_samples() {
    let mut case = pair(&[&[100, 100, 100, 100][..]; 2], &[&[200, 200, 900, 200][..]; 2]);
    for round in &mut case.entries[1].rounds {
        // 2 iterations of 900 ns, of which 40 ns were spent waiting: more than a fiftieth, for one thread.
        round[2].delay_ns = 40;
    }
    let mut of_two = case.clone();
    of_two.entries[1].threads = 2;
    stats::summarize(&mut of_two);
    assert_eq!(of_two.entries[0].replicates[0].dropped, 0);
    stats::summarize(&mut case);
    let replicate = |case: &Case, r: usize| case.entries[r].replicates[0].clone();
    assert_eq!([0, 1].map(|r| replicate(&case, r).dropped), [1, 1]);
    assert_eq!([0, 1].map(|r| replicate(&case, r).samples), [4, 4]);
    // If most turns are disturbed, none is left out.
    for entry in &mut case.entries {
        entry.rounds.iter_mut().flatten().for_each(|sample| sample.delay_ns = 1000);
    }
    stats::summarize(&mut case);
    assert_eq!(replicate(&case, 0).dropped, 0);
}

#[test]
fn a_block_of_two_rounds_is_one_replicate() {
    // The one that starts first is 21 % faster: in a block of opposite orders this cancels.
    let [first, second]: [&[u64]; 2] = [&[100], &[121]];
    let ratio = |rounds: usize, sequential: bool| {
        let times =
            |skip: usize| [first, second].into_iter().cycle().skip(skip).take(rounds).collect::<Vec<_>>();
        let mut case = Case { sequential, ..pair(&times(0), &times(1)) };
        stats::summarize(&mut case);
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
fn counts_that_never_differ_are_known() {
    let counted = |count: u64, rounds: &[&[u64]]| {
        let mut entry = entry("a", 1, rounds);
        for sample in entry.rounds.iter_mut().flatten() {
            sample.elapsed_ns = None;
            sample.counts.insert("n".into(), 2 * count);
        }
        each_a_replicate(entry, &Measure::Count("n".into()))
    };
    let measure = Measure::Count("n".into());
    let n = Basis { is_count: true, ..TIME };
    let (a, b) = (counted(300, &[&[0], &[0]]), counted(100, &[&[0], &[0]]));
    let ratio = stats::ratio(n, &a, &b).unwrap();
    assert!((ratio.value - 3.0).abs() < 1e-12);
    assert_eq!(ratio.interval.map(|i| (i.low, i.high)), Some((ratio.value, ratio.value)));
    assert!(matches!(Verdict::of(&ratio, RESOLUTION), Verdict::Slower));
    let same = stats::ratio(n, &a, &a).unwrap();
    assert_eq!((same.value, Verdict::of(&same, RESOLUTION)), (1.0, Verdict::Same));
    // The logarithm of this one would be rounded.
    let known = stats::value(n, &counted(15_986_996, &[&[0], &[0]])).unwrap();
    let interval = known.interval.unwrap();
    assert_eq!([known.value, interval.low, interval.high], [15_986_996.0; 3]);
    // One round does not show how a count varies, and a count that varies is estimated like a time.
    let once = stats::ratio(n, &counted(300, &[&[0]]), &counted(100, &[&[0]])).unwrap();
    assert_eq!(Verdict::of(&once, RESOLUTION), Verdict::Open);
    let mut varies = a.clone();
    varies.rounds[1][0].counts.insert("n".into(), 601);
    let varies = each_a_replicate(varies, &measure);
    assert_eq!(Verdict::of(&stats::ratio(n, &varies, &b).unwrap(), RESOLUTION), Verdict::Open);
    for other in [Measure::Time, Measure::Count("m".into())] {
        assert_eq!(stats::value(n, &each_a_replicate(a.clone(), &other)), None, "there is no {other:?}");
    }
}

#[test]
fn ratios_are_paired_and_drop_rounds_that_either_lacks() {
    // The machine slows down by half in every second round, for both alike: pairing removes the drift.
    let drift = |ns: u64| -> Vec<Vec<u64>> { (0..10).map(|i| vec![ns * (1 + i % 2)]).collect() };
    let (a, mut b) = (drift(300), drift(200));
    b[3].clear();
    b.push(vec![1]);
    let slices = |v: &[Vec<u64>]| entry("r", 1, &v.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let ratio = stats::ratio(TIME, &slices(&a), &slices(&b)).unwrap();
    assert_eq!(ratio.replicates, 9);
    assert!((ratio.value - 1.5).abs() < 1e-12);
    let interval = ratio.interval.unwrap();
    assert!((interval.low - 1.5).abs() < 1e-12 && (interval.high - 1.5).abs() < 1e-12);
    let inverse = ratio.inverse();
    assert!(
        (inverse.value - 2.0 / 3.0).abs() < 1e-12
            && (inverse.interval.unwrap().low - 2.0 / 3.0).abs() < 1e-12
    );
    assert_eq!(stats::ratio(TIME, &slices(&a), &entry("none", 1, &[])), None);
}

#[test]
fn an_entry_that_failed_has_no_value() {
    let mut failed = steady("a", 1, 1000);
    failed.failure = Some(Failure { kind: FailureKind::Crash, why: "x".into(), stderr: String::new() });
    assert_eq!(stats::value(TIME, &failed), None);
    assert_eq!(stats::ratio(TIME, &failed, &steady("b", 1, 1000)), None);
    let suite = case(1, vec![failed.clone(), steady("b", 1, 1000)]);
    assert_eq!(stats::look(&suite, &Suite::default()), None);
    let (b, c) = (steady("b", 1, 1000), steady("c", 1, 500));
    let mean = stats::mean_ratio(TIME, &[(&failed, &c), (&b, &c)]).unwrap();
    assert_eq!(mean.pairs, 1);
    assert!((mean.ratio.value - 2.0).abs() < 1e-2);
}

#[test]
fn mean_ratio_is_geometric_and_a_short_pair_does_not_shorten_it() {
    let one = steady("one", 1, 10_000);
    let (half, twice) = (steady("half", 1, 5000), steady("twice", 1, 20_000));
    let mean = stats::mean_ratio(TIME, &[(&half, &one), (&twice, &one)]).unwrap();
    assert_eq!((mean.pairs, mean.ratio.replicates), (2, 10));
    assert!((mean.ratio.value - 1.0).abs() < 1e-3, "{mean:?}");
    let short = entry("short", 1, &[&[40_000], &[40_000]]);
    assert_eq!(stats::mean_ratio(TIME, &[(&half, &one), (&short, &one), (&twice, &one)]), Some(mean));
    assert_eq!(stats::mean_ratio(TIME, &[]), None);
}

#[test]
fn speedup_is_against_itself_or_the_baseline() {
    let entries = [("serial", 1, 9000), ("a", 1, 10_000), ("a", 4, 4000), ("b", 2, 4500)];
    let case = case(7, entries.map(|(name, threads, ns)| steady(name, threads, ns)).to_vec());
    let a = stats::speedup(&case, 2).unwrap();
    assert_eq!(a.reference, 1);
    assert!((a.times.value - 2.5).abs() < 0.01 && (a.efficiency.value - 0.625).abs() < 0.003);
    let b = stats::speedup(&case, 3).unwrap();
    assert_eq!(b.reference, 0);
    assert!((b.times.value - 2.0).abs() < 0.01 && (b.efficiency.value - 1.0).abs() < 0.005);
    assert_eq!(stats::speedup(&case, 1), None);
    assert_eq!(stats::speedup(&case, 9), None);
}

#[test]
fn noise_floor_is_the_farthest_bound_of_the_controls() {
    let control = [[1010], [990], [1005], [980], [1000], [1002], [1001], [999]];
    let mut control_entry = entry("serial", 1, &control.iter().map(|v| &v[..]).collect::<Vec<_>>());
    control_entry.role = Role::Control;
    let first = entry("serial", 1, &[&[1000][..]; 8]);
    let quiet = case(1, vec![first.clone(), first.clone()]);
    assert_eq!(stats::noise_floor(&quiet), None);
    let loud = case(2, vec![first, control_entry]);
    // The lower bound is 0.98: the control is 1 / 0.98 times as fast.
    assert!((stats::noise_floor(&loud).unwrap() - 0.02 / 0.98).abs() < 1e-9);
    assert_eq!(stats::record_noise_floor(&record(vec![quiet, loud.clone()])), stats::noise_floor(&loud));
}

fn holds(condition: &str, key: &str, value: &str) -> bool {
    let condition: Condition = condition.parse().unwrap();
    condition.holds(&|k| (k == key).then(|| value.to_string()))
}

#[test]
fn conditions() {
    for (condition, key, value) in [
        ("threads=2", "threads", "2"),
        ("scale >= 7", "scale", "10"),
        ("scale<7", "scale", "6"),
        ("scale<=6", "scale", "6"),
        ("scale>5", "scale", "6"),
        ("runtime=rayon|openmp", "runtime", "openmp"),
        ("d!=halves", "d", "layers"),
        ("n=0.50", "n", "0.5"),
        ("n=nan", "n", "nan"),
    ] {
        assert!(holds(condition, key, value), "{condition} {value}");
    }
    for (condition, key, value) in [
        ("threads=2", "threads", "20"),
        ("scale>=7", "scale", "6"),
        ("scale>=7", "scale", "large"),
        ("runtime!=rayon|openmp", "runtime", "rayon"),
        ("missing!=halves", "d", "layers"),
    ] {
        assert!(!holds(condition, key, value), "{condition} {value}");
    }
    assert_eq!("a <= 3".parse::<Condition>().unwrap().to_string(), "a<=3");
    assert_eq!("a = b | c".parse::<Condition>().unwrap().to_string(), "a=b|c");
    let error = |text: &str| text.parse::<Condition>().unwrap_err();
    assert!(matches!(error("threads"), ConditionError::NoOperator { .. }));
    assert!(matches!(error("a!b"), ConditionError::NoOperator { .. }));
    assert!(matches!(error("=2"), ConditionError::NoKey { .. }));
    assert!(matches!(error("a="), ConditionError::NoValue { .. }));
    assert!(matches!(error("a=b||c"), ConditionError::NoValue { .. }));
    assert!(matches!(error("a<b"), ConditionError::NotANumber { .. }));
}

fn side(labels: &[(&str, &str)]) -> BTreeMap<String, String> {
    labels.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

#[test]
fn a_question_pairs_what_is_equal_but_for_its_labels() {
    let entries = |factor: u64| {
        let mut entries = vec![steady("serial", 1, 50_000)];
        for (decomposition, ns) in [("layers", 20_000), ("halves", 30_000)] {
            for threads in [1, 2] {
                let rayon = steady("r", threads, factor * ns);
                entries.push(labelled(rayon, &[("runtime", "rayon"), ("decomposition", decomposition)]));
                let openmp = steady("o", threads, factor * ns * 9 / 10);
                entries.push(labelled(openmp, &[("runtime", "openmp"), ("decomposition", decomposition)]));
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
        from: side(&[("runtime", "rayon")]),
        to: side(&[("runtime", "openmp")]),
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
        from: side(&[("threads", "1"), ("candidate", "o")]),
        to: side(&[("threads", "2"), ("candidate", "o")]),
        only: vec![],
        at_most: None,
    };
    assert_eq!(answer(&threads).pairs, 4);
}
