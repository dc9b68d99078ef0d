//! Reports of suites made from numbers.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic too")]

use std::path::Path;

use parcrypt_lab::record::{CountKind, Summary};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StudentT};
use serde_json::Value;

use super::*;
use crate::tests::report;
use crate::verdict::Holds;
use crate::write::text as written;
use crate::{Colour, Format, Screen};

fn entry(candidate: &str, values: Vec<f64>) -> Entry {
    let replicates = values.into_iter().map(|value| Summary { value: Some(value), ..Summary::default() });
    Entry { candidate: candidate.into(), threads: 1, replicates: replicates.collect(), ..Entry::default() }
}

fn failed(entry: &mut Entry, kind: FailureKind, why: &str) {
    entry.failure = Some(Failure { kind, why: why.into(), stderr: String::new() });
}

/// A benchmark of 21 blocks that takes `ns` in main and `factor` times that in HEAD, give or take `spread`.
fn case(name: &str, ns: f64, factor: f64, spread: f64) -> Case {
    let noise = |i: usize| spread * ((i * 8 % 21) as f64 - 10.0) / 10.0;
    let new = (0..21).map(|i| ns * factor * (1.0 + noise(i))).collect();
    let mut entries = vec![entry("main", vec![ns; 21]), entry("HEAD", new)];
    for entry in &mut entries {
        entry.labels.insert(REVISION.to_owned(), entry.candidate.clone());
        entry.candidate += ", bench";
    }
    Case { workload: name.into(), title: name.into(), entries, sequential: true, ..Case::default() }
}

pub(crate) fn record(cases: Vec<Case>) -> Record {
    let suite = Some(Suite { threshold: 0.02, ..Suite::default() });
    Record { plan: "suite".into(), title: "toy: main → HEAD".into(), suite, cases, ..Record::default() }
}

/// A suite that has a benchmark of each kind.
pub(crate) fn example() -> Record {
    let mut cases = vec![
        case("sum/10", 12.0, 1.001, 0.002),
        case("sort/1000", 12_345.0, 1.031, 0.004),
        case("hash/sha256", 480.0, 0.8, 0.01),
        case("parse/wide", 5e6, 1.01, 0.2),
        case("sort/10", 900.0, 1.2, 0.01),
        case("old only", 1.0, 1.0, 0.0),
        case("new only", 1.0, 1.0, 0.0),
        case("custom", 1.0, 1.0, 0.0),
        case("panics", 1.0, 1.0, 0.0),
        case("not reached", 1.0, 1.0, 0.0),
    ];
    failed(&mut cases[5].entries[1], FailureKind::Unsupported, "not in HEAD.");
    failed(&mut cases[6].entries[0], FailureKind::Unsupported, "");
    for entry in &mut cases[7].entries {
        failed(entry, FailureKind::Unsupported, "its measurement is not a number");
    }
    failed(&mut cases[8].entries[1], FailureKind::Crash, "it ended with exit code 101");
    cases[9].entries.iter_mut().for_each(|entry| entry.replicates.clear());
    record(cases)
}

fn answer(record: &Record, condition: &str) -> Answer {
    of(record).unwrap().answer(condition.parse().unwrap())
}

fn holds(record: &Record, condition: &str) -> Holds {
    answer(record, condition).holds
}

fn of_record(record: &Record, format: Format) -> String {
    written(&[(record, Path::new("r.json"))], format, None).unwrap()
}

fn screen(record: &Record) -> String {
    let screen = Screen { width: Some(80), colour: Colour::Plain };
    let text = of_record(record, Format::Tables(screen));
    assert_eq!(of_record(record, Format::Summary(screen)), text);
    assert_eq!(of_record(record, Format::Verdicts(Form::Terminal(screen))), text);
    text
}

#[test]
fn what_changed_comes_first() {
    let text = screen(&example());
    println!("{text}");
    let names = ["sort/10 ", "sort/1000 ", "hash/sha256 ", "parse/wide ", "sum/10 "];
    let places: Vec<usize> = names.iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    let line = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
    for (name, value, verdict) in [
        ("sort/10 ", "900.0 ns", "slower"),
        ("sort/1000 ", "+3.1 [+", "slower"),
        ("hash/sha256 ", "-20.0 [-", "faster"),
        ("parse/wide ", "5.000 ms", "undecided"),
        ("sum/10 ", "+0.10 [-", "unchanged"),
    ] {
        assert!(line(name).contains(value) && line(name).ends_with(verdict), "{text}");
    }
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "3 of 5 benchmarks changed: 2 slower, 1 faster; 1 undecided, 1 unchanged (within 2 %).",
        "Geometric mean over 5 benchmarks: ",
        "- Failed (crash in HEAD: it ended with exit code 101): panics",
        "- Skipped (its measurement is not a number): custom",
        "- Only in main (not in HEAD): old only",
        "- Only in HEAD: new only",
        "- Not measured (the run ended before: give it more time): not reached",
        "Verdicts are corrected for 5 benchmarks: at most 1 % of the changes found are wrong on average",
        "Intervals of what changed are at 99.4 %",
    ] {
        assert!(flat.contains(said), "{said}: {text}");
    }
}

/// Twenty suites of 200 benchmarks without a change, whose noise has long tails: at most 1 in 100 calls one. By
/// themselves, one in a hundred benchmarks has an interval without 1.
#[test]
fn equal_benchmarks_have_not_changed() {
    let heavy = StudentT::new(2.0).unwrap();
    let (mut called, mut alone) = (0, 0);
    for seed in 0..20 {
        let mut random = ChaCha12Rng::seed_from_u64(seed);
        let mut equal = |at: usize| {
            let mut case = case(&format!("group/{at}"), 1e6, 1.0, 0.0);
            // Of a fixed number of rounds the error of an interval is as large as allowed.
            case.sequential = false;
            for replicate in case.entries.iter_mut().flat_map(|entry| &mut entry.replicates) {
                replicate.value = Some(1e6 * f64::exp(0.002 * heavy.sample(&mut random)));
            }
            case
        };
        let record = record((0..200).map(&mut equal).collect());
        let suite = of(&record).unwrap();
        let found = suite.changed().count();
        called += usize::from(found > 0);
        alone += suite.compared.iter().filter(|one| one.judged.look.p <= RATE).count();
        assert_eq!(changed(&record), Some((found, 200)));
        if found == 0 && seed < 2 {
            assert!(screen(&record).contains("No change found in 200 benchmarks; "));
            assert_ne!(holds(&record, "slower than 0%"), Holds::Yes);
        }
    }
    assert!(called <= 1, "{called} of 20 suites");
    assert!(alone > 20, "nothing to correct: {alone} of 4000 by themselves");
}

#[test]
fn odd_names_stay_in_their_cells() {
    let names = [
        "a|b | `c|d` *e* <img src=x onerror=alert(1)> [f](http://g) _h_",
        "line\nbreak\r\u{1b}[31mred\t\u{202e}turned",
        "宽字符的名字在表格里占两列宽字符的名字在表格里占两列/1048576",
        "group/of/a/function/with/a/name/that/is/longer/than/the/terminal/is/wide/parameter/1048576",
        "e\u{301}\u{301}\u{301}e\u{301} combining/👩",
        "",
    ];
    let wide = |at: usize| if at.is_multiple_of(2) { 1.05 } else { 1.0 };
    let cases = names.iter().enumerate().map(|(at, name)| case(name, 1e5, wide(at), 0.001));
    let mut record = record(cases.collect());
    for entry in record.cases.iter_mut().flat_map(|case| &mut case.entries) {
        entry.labels.values_mut().for_each(|name| *name += "|a-long-branch-name-of-somebody");
    }
    let text = screen(&record);
    println!("{text}");
    for line in text.lines() {
        assert!(display_width(line) <= 80 && !line.chars().any(char::is_control), "{line:?}");
    }
    assert!(text.contains("…") && text.contains("1048576"), "{text}");
    let page = of_record(&record, Format::Markdown);
    assert_eq!(of_record(&record, Format::Verdicts(Form::Markdown(None))), page);
    println!("{page}");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 2 * 2 + names.len(), "{page}");
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
    assert!(page.contains("<details><summary>3 unchanged (within 2 %)</summary>") && !page.contains("<img"));
    let page = of_record(&record, Format::Html);
    assert!(!page.contains("<img src=x") && page.contains("parameter/1048576"));
}

#[test]
fn a_condition_on_a_suite_is_corrected() {
    let mut record = record(vec![case("a", 1e5, 1.1, 0.01), case("b", 1e5, 1.0, 0.005)]);
    assert_eq!(holds(&record, "slower than 5%"), Holds::Yes);
    assert_eq!(holds(&record, "slower than 20%"), Holds::No);
    assert_eq!(holds(&record, "slower than 10%"), Holds::CannotTell);
    assert_eq!(holds(&record, "faster than 2%"), Holds::No);
    // What is skipped does not matter, what failed may be worse than the condition.
    record.cases.push(case("c", 1e5, 1.0, 0.0));
    failed(&mut record.cases[2].entries[1], FailureKind::Unsupported, "");
    assert_eq!(holds(&record, "faster than 2%"), Holds::No);
    failed(&mut record.cases[2].entries[1], FailureKind::Timeout, "");
    assert_eq!(holds(&record, "faster than 2%"), Holds::CannotTell);
    assert_eq!(holds(&record, "slower than 5%"), Holds::Yes);
    // The interval of one among many is above the border, as one of a hundred equals would be.
    let mut many: Vec<Case> = (0..100).map(|at| case(&at.to_string(), 1e5, 1.0, 0.005)).collect();
    let noisy = &mut many[3].entries[1].replicates;
    *noisy = (0..9).map(|i| Summary { value: Some(1.03e5 + f64::from(i)), ..Summary::default() }).collect();
    many[3].entries[0].replicates.truncate(9);
    let many = self::record(many);
    assert!(many.cases[3].revisions().is_some_and(|(old, new)| {
        stats::ratio(&many.cases[3], new, old).unwrap().interval.unwrap().low > 1.02
    }));
    assert_eq!(holds(&many, "slower than 2%"), Holds::CannotTell);
    assert_eq!(changed(&many), Some((0, 100)));
    let said = screen(&many).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("One would be called changed if it had been compared alone: more time decides."),
        "{said}"
    );
    assert_eq!(holds(&self::record(Vec::new()), "slower than 2%"), Holds::CannotTell);
    assert_eq!((answers(&Record::default()), changed(&Record::default())), (Vec::new(), None));
}

/// The answer says which benchmarks it is about, how far intervals reach, and what to do, in each form.
#[test]
fn the_answer_to_a_condition_is_a_sentence() {
    let said = |record: &Record, text: &str| answer(record, text).to_string();
    let mut record = record(vec![case("a", 1e5, 1.1, 0.01), case("b", 1e5, 1.0, 0.005)]);
    assert_eq!(
        said(&record, "slower than 5%"),
        "gate failed: 1 of 2 benchmarks slower than 5 %: a (+10.0 %)"
    );
    let reach = |text: &str| said(&record, text).rsplit_once("reach ").unwrap().1.to_owned();
    assert!(reach("slower than 20%").starts_with("+1") && reach("faster than 2%").starts_with("-0."));
    assert!(
        said(&record, "slower than 20%")
            .starts_with("gate passed: no benchmark slower than 20 %; 2 compared (their intervals reach +1")
    );
    let open = said(&record, "slower than 10%");
    assert!(open.starts_with(
        "gate undecided: no benchmark shown slower than 10 %; 1 of 2 undecided (their intervals reach +1"
    ));
    assert!(open.ends_with(" %): give more time with --for"), "{open}");
    // It is in Markdown and on the page, of the conditions with which the suite was measured.
    with_conditions(&mut record, "slower than 10%", "more than 0%");
    let on_page = of_record(&record, Format::Html).replace('\u{a0}', " ");
    let markdown = of_record(&record, Format::Markdown);
    for part in
        ["undecided: no benchmark shown slower than 10 %; 1 of 2 ", "undecided: no benchmark was compared"]
    {
        assert!(on_page.contains(&format!("gate {part}")), "{on_page}");
        assert!(markdown.contains(&format!("**gate {part}")), "{markdown}");
    }
    assert!(!screen(&record).contains("gate"), "the command says it last");
    record.cases[1].entries.iter_mut().for_each(|entry| entry.replicates.truncate(5));
    assert!(said(&record, "slower than 10%").contains("2 of 2 undecided (their intervals reach +1"));
    assert!(
        said(&record, "slower than 10%")
            .ends_with(" %, 1 with too few rounds for one): give more time with --for")
    );
    let mut without = self::record(vec![case("a", 1.0, 1.0, 0.0)]);
    without.cases[0].entries.iter_mut().for_each(|entry| entry.replicates.truncate(5));
    assert_eq!(
        said(&without, "slower than 2%"),
        "gate undecided: no benchmark shown slower than 2 %; 1 of 1 undecided (too few rounds for an interval): give \
         more time with --for"
    );
    without.cases[0].entries.iter_mut().for_each(|entry| entry.replicates.clear());
    assert_eq!(
        said(&without, "slower than 2%"),
        "gate undecided: no benchmark shown slower than 2 %; 1 not measured: give more time with --for"
    );
    let none = self::record(Vec::new());
    assert_eq!(said(&none, "slower than 2%"), "gate undecided: no benchmark was compared");
    failed(&mut record.cases[0].entries[1], FailureKind::Crash, "");
    assert!(said(&record, "slower than 2%").contains("; 1 failed in the new revision only"));
    assert_eq!(broken(&record).as_deref(), Some("1 benchmark failed in the new revision only: a"));
    failed(&mut record.cases[0].entries[0], FailureKind::Crash, "");
    assert_eq!(broken(&record), None);
    let many = self::record((0..12).map(|at| case(&format!("b{at}"), 1e5, 1.1, 0.001)).collect());
    assert!(said(&many, "slower than 2%").ends_with(" and 4 more"));
    assert_eq!(
        said(&allocating(), "more than 0%"),
        "gate failed: 1 of 4 benchmarks with more allocations: more (2 → 3 to 5)"
    );
    assert_eq!(
        said(&allocating(), "more than 200%"),
        "gate undecided: no benchmark shown with over 200 % more allocations; 1 of 4 undecided"
    );
}

/// Each condition is judged by itself, on its own quantity.
#[test]
fn conditions_on_times_and_on_counts_have_their_own_answers() {
    let mut record = allocating();
    let mut both = |times: &str, counts: &str| {
        with_conditions(&mut record, times, counts);
        answers(&record).iter().map(|answer| answer.holds).collect::<Vec<_>>()
    };
    assert_eq!(both("slower than 50%", "more than 0%"), [Holds::No, Holds::Yes]);
    assert_eq!(both("slower than 50%", "more than 200%"), [Holds::No, Holds::CannotTell]);
    assert_eq!(both("faster than 50%", "more than 1000%"), [Holds::No, Holds::No]);
    // Another one was not measured, and so not counted.
    let mut record = allocating();
    let mut late = case("late", 1e3, 1.0, 0.001);
    late.entries.iter_mut().for_each(|entry| entry.replicates.clear());
    record.cases.push(late);
    assert_eq!(holds(&record, "more than 1000%"), Holds::CannotTell);
    // One was to be counted, and was not, as after Ctrl-C.
    let mut record = allocating();
    record.suite.as_mut().unwrap().counts = Some(CountKind::Allocations);
    assert_eq!(holds(&record, "more than 1000%"), Holds::CannotTell);
    assert_eq!(holds(&record, "more than 0%"), Holds::Yes);
}

/// Writes the conditions with which a suite was measured into its record.
fn with_conditions(record: &mut Record, times: &str, counts: &str) {
    let [gate, counts_gate] = [times, counts].map(|text| Some(text.parse::<Gate>().unwrap().border()));
    record.suite = record.suite.map(|suite| Suite { gate, counts_gate, ..suite });
}

#[test]
fn an_estimate_without_an_interval_is_not_shown() {
    let mut few = record(vec![case("few", 1e3, 6.57, 0.01), case("wide", 1e3, 1.01, 0.2)]);
    for entry in &mut few.cases[0].entries {
        entry.replicates.truncate(3);
        entry.rounds = vec![Vec::new(); 6];
    }
    for text in [screen(&few), of_record(&few, Format::Markdown), of_record(&few, Format::Html)] {
        let text = text.replace('\u{a0}', " ");
        assert!(text.contains("6 of 18 rounds") && !text.contains("+557"), "{text}");
    }
    let names: Vec<String> = of(&few).unwrap().compared.iter().map(|one| one.name.clone()).collect();
    assert_eq!(names, ["wide", "few"], "what has an interval comes first");
    let json: Value = serde_json::from_str(&of_record(&few, Format::Verdicts(Form::Json(None)))).unwrap();
    let of_few = &json["suite"]["benchmarks"][1];
    assert!(
        (of_few["ratio"]["estimate"].as_f64().unwrap() - 6.57).abs() < 0.1
            && of_few["ratio"]["low"].is_null()
    );
}

/// A machine is called busy by the samples that waited, in each form.
#[test]
fn a_busy_machine_is_told() {
    let mut busy = record(vec![case("a", 1e3, 1.0, 0.01)]);
    let disturb = |record: &mut Record, dropped: usize| {
        for replicate in
            record.cases.iter_mut().flat_map(|case| &mut case.entries).flat_map(|of| &mut of.replicates)
        {
            (replicate.samples, replicate.dropped, replicate.disturbed) = (100, dropped, 4);
        }
    };
    disturb(&mut busy, 5);
    assert!(!screen(&busy).contains("busy"));
    disturb(&mut busy, 30);
    for text in [screen(&busy), of_record(&busy, Format::Markdown), of_record(&busy, Format::Html)] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("The machine was busy: in 34 % of the turns a thread waited"), "{flat}");
    }
    disturb(&mut busy, 0);
    busy.machine.cores = 2;
    busy.cases[0].cost = Some(parcrypt_lab::record::Cost {
        rounds_ns: 1000,
        turns_ns: 900,
        measured_ns: 800,
        steal_ns: 200,
        ..parcrypt_lab::record::Cost::default()
    });
    assert!(screen(&busy).contains("took the processors away for 10 % of"), "{}", screen(&busy));
    let turns = crate::sentences::turns(&busy).unwrap();
    assert!(turns.ends_with("The hypervisor took the processors away for 10 % of the time."), "{turns}");
}

/// Facts about the build are parlab's, and the page says so.
#[test]
fn the_commit_of_a_page_is_not_mistaken() {
    let mut record = example();
    record.build =
        [("commit", "0123abc with changes"), ("parcrypt", "0.1.0")].map(|(a, b)| (a.into(), b.into())).into();
    let page = of_record(&record, Format::Html);
    for part in [
        "<dt>parlab's commit</dt><dd>0123abc with changes",
        "<dt>parlab's version",
        "<dt>New revision</dt><dd>HEAD<",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn json_has_each_benchmark() {
    let mut record = example();
    let json = |record: &Record| -> Value {
        serde_json::from_str(&of_record(record, Format::Verdicts(Form::Json(None)))).unwrap()
    };
    assert_eq!(json(&record)["fail_if"], json!([]));
    with_conditions(&mut record, "slower than 2%", "fewer than 0.1%");
    let json = json(&record);
    let asked = &json["fail_if"][0];
    assert_eq!(json["fail_if"][1]["condition"], "fewer than 0.1%");
    assert_eq!((&asked["answer"], &asked["benchmarks"]), (&json!("yes"), &json!(["sort/10", "sort/1000"])));
    assert_eq!((&asked["undecided"], asked["reach"].as_f64().is_some()), (&json!(["parse/wide"]), true));
    let suite = &json["suite"];
    assert_eq!((suite["old"].as_str(), suite["new"].as_str()), (Some("main"), Some("HEAD")));
    assert_eq!((suite["changed"].as_u64(), suite["compared"].as_u64()), (Some(3), Some(5)));
    assert_eq!(suite["rate"].as_f64(), Some(0.01));
    let verdicts: Vec<(&str, &str)> = suite["benchmarks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["benchmark"].as_str().unwrap(), one["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        verdicts,
        [
            ("sort/10", "slower"),
            ("sort/1000", "slower"),
            ("hash/sha256", "faster"),
            ("parse/wide", "undecided"),
            ("sum/10", "unchanged"),
            ("panics", "failed"),
            ("custom", "skipped"),
            ("old only", "only-in-old"),
            ("new only", "only-in-new"),
            ("not reached", "not-measured"),
        ]
    );
    let first = &suite["benchmarks"][0];
    assert!(first["ratio"]["low"].as_f64().unwrap() > 1.15 && first["adjusted_p"].as_f64().unwrap() <= RATE);
    let results: Value = serde_json::from_str(&of_record(&record, Format::Json)).unwrap();
    assert_eq!(results[0]["suite"], *suite);
}

#[test]
fn counts_and_interrupted_suites_have_words() {
    let mut counted = record(vec![case("a", 1000.0, 1.0, 0.0), case("b", 1000.0, 1.001, 0.0)]);
    for case in &mut counted.cases {
        (case.measure, case.sequential) = (Measure::Count("instructions".into()), false);
    }
    counted.partial = Some("interrupted in round 3".into());
    let text = screen(&counted);
    assert!(
        text.contains("1 of 2 benchmarks changed: 1 more; 1 unchanged") && text.contains("+0.10 "),
        "{text}"
    );
    assert!(text.contains("PARTIAL: interrupted in round 3"), "{text}");
    let text = screen(&record(Vec::new()));
    assert!(text.contains("No benchmark was compared.") && !text.contains("corrected"), "{text}");
    let mut few = record(vec![case("a", 1000.0, 1.0, 0.01)]);
    few.cases[0].entries.iter_mut().for_each(|entry| entry.replicates.truncate(8));
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = flat(screen(&few));
    assert!(
        said.contains("; 1 without an interval, which needs 18 rounds: give more time with --for."),
        "{said}"
    );
}

#[test]
fn a_figure_has_the_changes() {
    let figures = report::plots(&example());
    let [(_, changes)] = &figures[..] else { panic!("{}", figures.len()) };
    let label = |name: &str| changes.contains(&format!(">{name}<"));
    assert!(label("sort/10") && label("hash/sha256") && !label("sum/10"), "{changes}");
    assert!(report::plots(&record(vec![case("a", 1e5, 1.0, 0.01)])).is_empty());
    let many = record((0..40).map(|at| case(&format!("group/{at}"), 1e5, 1.1 + at as f64, 0.01)).collect());
    assert!(of_record(&many, Format::Html).contains(", the first 24 of 40, with "));
}

#[test]
fn a_page_of_many_benchmarks_is_small() {
    let many = record((0..200).map(|at| case(&format!("group/{at}"), 1e5, 1.0, 0.01)).collect());
    let page = of_record(&many, Format::Html);
    assert!(page.len() < 200_000, "{} bytes", page.len());
    assert!((0..200).all(|at| page.contains(&format!("group/{at}<"))), "{page}");
}

#[test]
fn names_are_shortened_in_their_middle() {
    assert_eq!(shortened("abc", 3), "abc");
    let named = |names: [&str; 2]| headings(&names.map(String::from));
    assert_eq!(named(["main (1234567)", "not committed"]), ["main", "not …tted"]);
    assert_eq!(named(["HEAD (1234567)", "HEAD (89abcde)"]), ["HEAD…567)", "HEAD…cde)"]);
    assert_eq!(shortened("abcdefgh", 5), "ab…gh");
    assert_eq!(shortened("abcdefgh", 6), "abc…gh");
    assert_eq!(shortened("宽宽宽宽", 5), "宽…宽");
    assert_eq!(shortened("宽宽宽宽", 4), "宽…");
    assert_eq!(shortened("abc", 1), "…");
    assert_eq!([0.01, 0.01 / 3.0, 1e-4, 2e-5].map(confidence), ["99 %", "99.7 %", "99.99 %", "99.998 %"]);
}

/// A benchmark that was not counted.
fn not_counted(name: &str, why: &str) -> Case {
    let mut case = case(name, 1e3, 1.0, 0.001);
    for entry in &mut case.entries {
        let (kind, why) = (FailureKind::Unsupported, why.to_owned());
        entry.not_counted = Some(Failure { kind, why, stderr: String::new() });
    }
    case
}

/// A suite whose benchmarks allocate more, less, as much, or what varies, and two that were not counted.
pub(crate) fn allocating() -> Record {
    let counts = |all: &[u64]| {
        let one = |n: &u64| {
            let named = [("allocations", *n), ("peak-allocated-bytes", 1000 * n)];
            named.map(|(name, count)| (name.to_owned(), count)).into()
        };
        let process = |at: usize| all.iter().cycle().skip(at).take(all.len()).map(one).collect();
        (0..stats::LEAST_REPLICATES).map(process).collect::<Vec<Vec<_>>>()
    };
    let of = |name: &str, old: &[u64], new: &[u64]| {
        let mut case = case(name, 1e3, 1.0, 0.001);
        (case.entries[0].counted, case.entries[1].counted) = (counts(old), counts(new));
        case
    };
    let cases = vec![
        of("same", &[2], &[2]),
        of("fewer", &[2], &[0]),
        of("varies", &[1, 3], &[1, 4]),
        of("more", &[2], &[5, 3]),
        not_counted("own time", "it measures itself"),
        case("not asked", 1e3, 1.0, 0.001),
    ];
    record(cases)
}

/// A suite whose benchmarks execute more or as much.
pub(crate) fn executing() -> Record {
    let counted = |name: &str, counts: [u64; 2]| {
        let mut case = case(name, 1e3, 1.0, 0.001);
        for (entry, count) in case.entries.iter_mut().zip(counts) {
            entry.counted = vec![vec![[("instructions".to_owned(), count)].into()]; stats::EQUAL_COUNTS];
        }
        case
    };
    let mut all = record(vec![
        counted("little", [1_000_000, 1_000_001]),
        counted("same", [7, 7]),
        counted("much", [40, 50]),
        counted("new", [0, 3]),
        not_counted("unknown", "it met an instruction"),
    ]);
    all.suite.as_mut().unwrap().counts = Some(CountKind::Instructions);
    all
}

#[test]
fn instructions_have_percents() {
    let record = executing();
    let text = screen(&record);
    println!("{text}");
    let table = text.split("Instructions changed in 3 of 4 benchmarks: 3 more, 1 same.").nth(1).unwrap();
    let words: Vec<String> =
        table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let at = |row: &str| words.iter().position(|line| line == row).unwrap_or_else(|| panic!("{row}: {text}"));
    let rows = ["much 40 → 50 +25.0 more", "little 1,000,000 → 1,000,001 +0.000100 more", "new 0 → 3 – more"];
    assert!(rows.map(at).is_sorted(), "the largest change is first: {text}");
    let json: Value = serde_json::from_str(&of_record(&record, Format::Verdicts(Form::Json(None)))).unwrap();
    let rows = json["suite"]["benchmarks"].as_array().unwrap();
    let much = rows.iter().find(|row| row["benchmark"] == "much").unwrap();
    assert_eq!(much["instructions"]["counts"]["instructions"]["new"]["low"], 50);
    assert_eq!(much["allocations"], Value::Null);
    let holds = |text: &str| holds(&record, text);
    assert_eq!((holds("more than 24%"), holds("fewer than 0%")), (Holds::Yes, Holds::No));
}

#[test]
fn allocations_have_a_table_of_what_changed() {
    let record = allocating();
    let text = screen(&record);
    println!("{text}");
    for said in [
        "Allocations changed in 2 of 4 benchmarks: 1 more, 1 fewer, 1 varies, 1 same.",
        "- Not counted (it measures itself): own time",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let table = text.split("Allocations changed").nth(1).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let of_name = |name: &str| rows.iter().find(|row| row.first() == Some(&name)).map(|row| row.join(" "));
    assert_eq!(of_name("more").unwrap(), "more 2 → 3 to 5 2,000 B → 3,000 to 5,000 B more");
    assert_eq!(of_name("fewer").unwrap(), "fewer 2 → 0 2,000 B → 0 B fewer");
    assert_eq!(
        of_name("varies").unwrap(),
        "varies 1 to 3 → 1 to 4 1,000 to 3,000 B → 1,000 to 4,000 B varies"
    );
    assert_eq!(of_name("same"), None);
    let page = of_record(&record, Format::Html);
    let markdown = of_record(&record, Format::Markdown);
    let in_markdown = markdown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("2 → 3 to 5") && in_markdown.contains("| fewer | 2 → 0 |"), "{markdown}");
    let json: Value = serde_json::from_str(&of_record(&record, Format::Verdicts(Form::Json(None)))).unwrap();
    let rows = json["suite"]["benchmarks"].as_array().unwrap();
    let row = |name: &str| &rows.iter().find(|row| row["benchmark"] == name).unwrap()["allocations"];
    let more = json!({ "old": { "low": 2, "high": 2 }, "new": { "low": 3, "high": 5 }, "change": "more" });
    assert_eq!(row("more")["counts"]["allocations"], more);
    assert_eq!((&row("own time")["why"], row("not asked")), (&json!("it measures itself"), &Value::Null));
    // The condition is on the number of allocations; without counts it has no answer.
    assert_eq!(holds(&record, "more than 0%"), Holds::Yes);
    assert_eq!(holds(&record, "more than 200%"), Holds::CannotTell, "`varies` may have four times as many");
    assert_eq!(holds(&record, "more than 1000%"), Holds::No);
    assert_eq!(holds(&example(), "more than 0%"), Holds::CannotTell);
    assert!(!screen(&example()).contains("llocations"));
}
