//! Reports of synthetic records: their contents, their escapes, and no panic for any record.
//!
//! The example page is left in cargo's folder for temporary files of tests, for inspection; its path is printed.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic too")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use parcrypt_lab::record::{
    Case, Entry, Failure, FailureKind, Machine, Measure, Question, Ready, Record, Role, SCHEMA, Sample,
    Suite, Thinned, Turns, Value,
};
use parcrypt_lab::stats;
use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Normal};

use crate::figures;
use crate::write::{Format, text};
use crate::{Colour, Output, Overwrite};

/// The forms of reports, of records whose replicates are computed first, each round as one.
pub(crate) mod report {
    use super::*;
    use crate::Screen;

    pub(crate) fn ready(record: &Record) -> Record {
        let mut record = record.clone();
        for case in &mut record.cases {
            // If a test has made replicates of blocks, they stay.
            for entry in case.entries.iter_mut().filter(|entry| entry.replicates.is_empty()) {
                entry.replicates =
                    entry.rounds.iter().map(|samples| stats::summary(&case.measure, samples)).collect();
            }
        }
        record
    }

    pub(crate) fn of(records: &[Record], format: Format) -> String {
        let records: Vec<Record> = records.iter().map(ready).collect();
        let records: Vec<_> = records.iter().map(|record| (record, Path::new("r.json"))).collect();
        text(&records, format, None).unwrap()
    }

    pub(crate) fn html(records: &[Record]) -> String {
        of(records, Format::Html)
    }

    pub(crate) fn csv(records: &[Record]) -> String {
        of(records, Format::Csv)
    }

    pub(crate) fn json(records: &[Record]) -> serde_json::Value {
        serde_json::from_str(&of(records, Format::Json)).unwrap()
    }

    pub(crate) fn terminal(record: &Record, width: Option<u16>, colour: Colour) -> String {
        of(std::slice::from_ref(record), Format::Tables(Screen { width, colour }))
    }

    pub(crate) fn summary(record: &Record, width: Option<u16>, colour: Colour) -> String {
        of(std::slice::from_ref(record), Format::Summary(Screen { width, colour }))
    }

    /// Returns the tables of a terminal in Markdown.
    pub(crate) fn markdown(record: &Record) -> String {
        let record = ready(record);
        crate::export::markdown::document(&crate::document::of(&crate::view::RecordView::new(&record)))
    }

    pub(crate) fn page(record: &Record) -> String {
        of(std::slice::from_ref(record), Format::Markdown)
    }

    /// Returns the name and the SVG of each figure.
    pub(crate) fn plots(record: &Record) -> Vec<(String, String)> {
        let all = figures::all(&crate::view::RecordView::new(&ready(record))).into_iter();
        all.map(|figure| (figure.name, crate::export::svg::file(&figure.drawing))).collect()
    }
}

/// Returns the part of a text after the first `start` and before the next `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.split_once(start).unwrap().1.split(end).next().unwrap()
}

/// Leaves a file next to the test programs for inspection, and prints its path.
fn leave(name: &str, text: &str) {
    let program = std::env::current_exe().unwrap();
    let folder = program.parent().unwrap().join("examples-of-reports");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
    println!("example: {}", folder.join(name).display());
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

fn sample(ns: f64) -> Sample {
    Sample { iterations: 3, elapsed_ns: Some((3.0 * ns) as u64), ..Sample::default() }
}

/// Returns an entry whose processes differ by 0.8 % and whose samples differ by 0.5 %.
fn entry(random: &mut ChaCha12Rng, candidate: &str, threads: usize, ns: f64, rounds: usize) -> Entry {
    let (process, one) = (Normal::new(0.0, 0.008).unwrap(), Normal::new(0.0, 0.005).unwrap());
    let rounds = (0..rounds)
        .map(|_| {
            let process: f64 = process.sample(random);
            (0..4).map(|_| sample(ns * f64::exp(process + one.sample(random)))).collect()
        })
        .collect();
    let (runtime, decomposition) = candidate.split_once(' ').unwrap_or((candidate, ""));
    let mut labels = map(&[("runtime", runtime)]);
    if !decomposition.is_empty() {
        labels.insert("decomposition".into(), decomposition.into());
    }
    Entry {
        candidate: candidate.into(),
        about: String::new(),
        labels,
        threads,
        role: Role::Candidate,
        command: ["parcrypt", "candidate", candidate].map(String::from).to_vec(),
        ready: Some(Ready {
            name: "parcrypt".into(),
            version: "0.1.0".into(),
            runtime: runtime.into(),
            backend: "avx512".into(),
            threads,
            phases: BTreeMap::new(),
        }),
        digest: Some(format!("sha256:{:064x}", 0x5eed)),
        failure: None,
        rounds,
        ..Entry::default()
    }
}

fn failed(mut entry: Entry, kind: FailureKind, why: &str, stderr: &str) -> Entry {
    entry.failure = Some(Failure { kind, why: why.into(), stderr: stderr.into() });
    entry.rounds.clear();
    entry.digest = None;
    entry
}

fn case(workload: &str, key: &str, size: u64, entries: Vec<Entry>) -> Case {
    Case {
        workload: workload.into(),
        params: BTreeMap::from([(key.to_string(), Value::Number(size))]),
        input_bytes: 4096,
        input_digest: format!("sha256:{size:064x}"),
        entries,
        ..Case::default()
    }
}

fn record(cases: Vec<Case>) -> Record {
    Record {
        schema: SCHEMA,
        method: Some(parcrypt_lab::METHOD),
        plan: "fft".into(),
        title: "FFT over G1: three ways to cut it, two runtimes".into(),
        about: "How a transform of points is cut into tasks,\nand who runs them.\n\nA second paragraph.\n"
            .into(),
        plan_text: "title = \"FFT over G1\"\nrounds = 20\n\n[[candidate]]\nname = \"serial\"\n".into(),
        command: ["parcrypt", "bench", "plans/fft.toml", "--filter", "scale<=10"].map(String::from).to_vec(),
        started: "2025-03-14T09:26:53Z".into(),
        took_s: 1421.5,
        partial: None,
        rounds: Some(20),
        machine: Machine {
            processor: "Example processor at 2.60 GHz".into(),
            arch: "x86_64".into(),
            cores: 2,
            memory: 8 << 30,
            backends: ["portable", "avx2", "avx512"].map(String::from).to_vec(),
            caches: vec![("L1d".into(), 49_152), ("L2".into(), 2 << 20), ("L3".into(), 32 << 20)],
            system: "Linux 6.1".into(),
            virtual_machine: true,
        },
        build: map(&[
            ("compiler", "rustc 1.95.0"),
            ("commit", "0123abc"),
            ("openmp", "libgomp, passive waiting"),
        ]),
        missing: vec![],
        suite: None,
        questions: vec![],
        cases,
    }
}

fn question(ask: &str, from: (&str, &str), to: (&str, &str), only: &[&str]) -> Question {
    Question {
        ask: ask.into(),
        from: map(&[from]),
        to: map(&[to]),
        only: only.iter().map(|text| text.parse().unwrap()).collect(),
        at_most: None,
    }
}

/// Two workloads, many sizes, two runtimes, three decompositions, one and two threads, a control, a limit and failures.
fn example() -> Record {
    let mut random = ChaCha12Rng::seed_from_u64(20_240_229);
    let mut cases = Vec::new();
    for scale in 4..=10u64 {
        let serial = 55_000.0 * 2f64.powi(scale as i32 - 4) * scale as f64;
        let mut entries = vec![entry(&mut random, "serial", 1, serial, 20)];
        let mut control = entry(&mut random, "serial", 1, serial, 20);
        control.role = Role::Control;
        entries.push(control);
        for (runtime, fork) in [("rayon", 9000.0), ("openmp", 6000.0)] {
            for (decomposition, cost, forks) in
                [("layers", 1.0, scale as f64), ("halves", 1.04, 3.0), ("halves-and-butterflies", 1.13, 2.0)]
            {
                for threads in [1, 2usize] {
                    let share = if threads == 1 { 1.003 } else { 0.507 };
                    let overhead = if threads == 1 { 0.0 } else { fork * forks };
                    let name = format!("{runtime} {decomposition}");
                    entries.push(entry(&mut random, &name, threads, serial * cost * share + overhead, 20));
                }
            }
        }
        let rvv = entry(&mut random, "rvv scalar", 1, serial, 20);
        entries.push(failed(rvv, FailureKind::Unsupported, "no emulator for riscv64 found", ""));
        cases.push(case("fft-g1", "scale", scale, entries));
    }
    for power in [14, 17, 20, 23, 26u64] {
        let bytes = 1u64 << power;
        let serial = bytes as f64 / if power > 20 { 11.0 } else { 30.0 };
        let mut entries = vec![entry(&mut random, "serial", 1, serial, 20)];
        let mut control = entry(&mut random, "serial", 1, serial, 20);
        control.role = Role::Control;
        entries.push(control);
        for threads in [1, 2usize] {
            let mut limit = entry(&mut random, "read", threads, serial * 0.9 / threads as f64, 20);
            limit.role = Role::Limit;
            entries.push(limit);
            for (runtime, fork) in [("rayon", 9000.0), ("openmp", 6000.0)] {
                let overhead = if threads == 1 { 0.0 } else { fork };
                entries.push(entry(&mut random, runtime, threads, serial / threads as f64 + overhead, 20));
            }
        }
        let julia = entry(&mut random, "julia", 2, serial, 20);
        let stderr =
            "ERROR: LoadError: SystemError: memory allocation\n  [1] top-level scope\n     @ sum.jl:12";
        entries.push(failed(julia, FailureKind::Crash, "ended with status 1 before it was ready", stderr));
        cases.push(case("sum", "bytes", bytes, entries));
    }
    let mut record = record(cases);
    let two = ["threads=2", "workload=fft-g1"];
    record.questions = vec![
        question("Which runtime?", ("runtime", "rayon"), ("runtime", "openmp"), &two),
        question("Do layers beat halves?", ("decomposition", "halves"), ("decomposition", "layers"), &two),
    ];
    record
}

/// A record of one case with a serial entry and one that takes half the time.
fn small(rounds: usize) -> Record {
    let mut random = ChaCha12Rng::seed_from_u64(1);
    let entries = vec![
        entry(&mut random, "serial", 1, 2e6, rounds),
        entry(&mut random, "rayon layers", 1, 0.8e6, rounds),
    ];
    record(vec![case("fft-g1", "scale", 10, entries)])
}

fn all(record: &Record) -> [String; 4] {
    [
        report::terminal(record, None, Colour::Plain),
        report::terminal(record, Some(1000), Colour::Ansi),
        report::markdown(record),
        report::html(std::slice::from_ref(record)).replace('\u{a0}', " "),
    ]
}

#[test]
fn the_example_has_the_expected_report() {
    let record = example();
    leave("report.json", &serde_json::to_string(&record).unwrap());
    leave("report.html", &report::html(std::slice::from_ref(&record)));
    leave("report.txt", &report::terminal(&record, Some(120), Colour::Ansi));
    leave("report.md", &report::markdown(&record));
    for text in all(&record) {
        assert!(text.contains("Fastest: "));
        assert!(text.contains("times as fast as serial on 1 thread (99 % interval"));
        assert!(text.contains("SKIP no emulator for riscv64 found"));
        assert!(text.contains("FAILED crash: ended with status 1 before it was ready"));
        assert!(text.contains("All 14 outputs agreed."));
        assert!(text.to_lowercase().contains("noise floor"));
        assert!(text.contains("With all else equal, runtime openmp against rayon where threads=2"));
        assert!(text.contains("21 pairs of 20 replicates"));
        assert!(!text.contains("PARTIAL"));
    }
    let page = report::html(&[record]);
    assert!(page.contains("LoadError: SystemError"), "standard error is shown");
    assert!(page.contains("<svg") && page.contains("role=\"img\"") && page.contains("<title>"));
    assert_eq!(page.matches("<style").count(), 1, "no figure has rules that would apply to the page");
    assert!(page.contains("2¹⁰") && page.contains("16 KiB"));
    assert_eq!(page.matches("<script").count(), 1);
    for outside in ["fetch(", "XMLHttp", " src=", "http-equiv", "<link", "<img", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/2000/svg").count());
}

#[test]
fn a_page_begins_with_the_questions_of_the_plan_and_their_answers() {
    let page = report::html(&[example()]).replace('\u{a0}', " ");
    let cards: Vec<&str> = page.split("<div class=\"card\">").skip(1).collect();
    assert_eq!(cards.len(), 1, "one for each question but the first, and none for a case");
    let head = "<h1 class=\"verdict\" data-ask=\"Which runtime?\">Which runtime? <strong>";
    let heading = between(&page, head, "</h1>");
    assert!(heading.contains("less time</strong><span class=\"sure\"> (99 % interval "), "{heading}");
    let card = cards[0].split("<details>").next().unwrap();
    assert!(card.contains("<h3>Do layers beat halves?</h3>"), "{card}");
    assert!(card.contains("less time</strong> <span class=\"sure\">(99 % interval "), "{card}");
    assert!(page.find("class=\"card\"") < page.find("Fastest: "));
    let said = "openmp on 2 threads is among the fastest at 64 MiB and at 2 of the 4 other sizes. The first";
    assert!(page.contains(said), "of each series");
    // All of them are in one figure, and a plan without questions begins with the fastest entries.
    assert_eq!(page.matches("<title>All questions: ").count(), 1);
    let without = report::html(&[small(20)]);
    assert!(without.contains(">Fastest: <strong>") && !without.contains("All questions"));
    // Many are folded.
    let mut many = example();
    many.questions = vec![many.questions[0].clone(); 12];
    assert!(report::html(&[many]).contains("<summary>2 more questions</summary>"));
}

#[test]
fn the_contents_of_a_page_lead_to_its_sections() {
    let page = report::html(&[example(), Record { questions: Vec::new(), ..rates() }]);
    let mut links = 0;
    for link in page.split("<a href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert_eq!(page.matches(&format!("id=\"{link}\"")).count(), 1, "{link}");
        links += 1;
    }
    assert_eq!(links, 2 + page.matches("<section").count());
    for title in ["Other questions", "Means", "How to read this", "Repeat it"] {
        assert!(
            page.contains(&format!(">{title}</a>")) && page.contains(&format!("<h2>{title}</h2>")),
            "{title}"
        );
    }
}

#[test]
fn no_text_of_a_figure_is_cut_or_drawn_over_another() {
    let mut record = example();
    let long = "What was published: one runtime with recursion alone instead of another with recursion and butterflies";
    record.questions[0].ask = long.into();
    let page = report::html(&[record]);
    let figure = between(&page, "<title>All questions: ", "</svg>");
    let texts: Vec<&str> = figure.split("</text>").map(|text| text.rsplit('>').next().unwrap()).collect();
    assert!(texts.join(" ").contains(long), "{texts:?}");
    assert!(texts.iter().all(|text| text.chars().count() <= 56 && !text.contains('…')), "{texts:?}");
}

#[test]
fn verdicts_in_words() {
    for text in all(&small(20)) {
        assert!(text.contains("times as fast as serial (99 % interval"));
        assert!(text.contains("× as fast"));
    }
    let mut tie = small(20);
    let control = tie.cases[0].entries[1].clone();
    tie.cases[0].entries.push(Entry { candidate: "openmp layers".into(), ..control });
    for text in all(&tie) {
        assert!(text.contains("No difference found between it and openmp layers."), "{text}");
    }
    // Both entries alternate between two times, in opposite order: nothing can be found.
    let mut none = small(20);
    let swap = |entry: &mut Entry, odd: u64| {
        for (i, round) in entry.rounds.iter_mut().enumerate() {
            let slow = (i as u64 + odd) % 2;
            round.iter_mut().for_each(|s| s.elapsed_ns = Some(s.iterations * (1000 + 100 * slow - odd)));
        }
    };
    swap(&mut none.cases[0].entries[0], 0);
    swap(&mut none.cases[0].entries[1], 1);
    for text in all(&none) {
        assert!(!text.contains("Fastest: "), "{text}");
        assert!(text.contains("Nothing found that is faster than the baseline."), "{text}");
    }
    let mut few = small(5);
    few.rounds = Some(5);
    for text in all(&few) {
        assert!(
            text.contains("Fastest so far: ") && text.contains("(5 of the 8 rounds that an interval needs)")
        );
        assert!(text.contains("too few rounds"));
    }
    let mut slower = small(20);
    slower.cases[0].baseline = 1;
    for text in all(&slower) {
        assert!(text.contains("Fastest: ") && text.contains(", the baseline. Next: serial,"), "{text}");
        assert!(text.contains("times the time (99 % interval"));
        assert!(text.contains("× the time"), "{text}");
    }
}

/// Three steps, of which the second could not be taken here, counted in two rounds.
fn steps() -> Record {
    let counted = |candidate: &str, instructions: u64| {
        let parts = [("levels", instructions / 4), ("pointwise", instructions - instructions / 4)];
        let sample = Sample {
            iterations: 1,
            elapsed_ns: None,
            phases: parts.map(|(name, part)| (name.to_string(), part)).into(),
            counts: [("instructions", instructions), ("vector-operations", instructions / 2)]
                .map(|(name, count)| (name.to_string(), count))
                .into(),
            ..Sample::default()
        };
        let mut entry = entry(&mut ChaCha12Rng::seed_from_u64(1), candidate, 1, 1.0, 0);
        entry.rounds = vec![vec![sample.clone()], vec![sample]];
        entry.about = format!("as {candidate} does it");
        entry
    };
    let skipped = failed(counted("widened", 5), FailureKind::Unsupported, "there is no emulator", "");
    let entries = vec![counted("schoolbook", 97_216), skipped, counted("fused", 950), counted("asm", 760)];
    let mut case = case("ntt", "n", 128, entries);
    (case.measure, case.steps) = (Measure::Count("instructions".into()), true);
    Record { rounds: Some(2), ..record(vec![case]) }
}

#[test]
fn a_sequence_of_steps_keeps_its_order_and_shows_each_change() {
    for text in all(&steps()) {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("The last step is "), "{words}");
        let expected =
            ", 760 instructions, from schoolbook, 97,216: 128 times as few as the first, in 2 steps.";
        assert!(words.contains(expected), "{words}");
        // Compared with the first step, and with the one before, which was not skipped.
        for part in [
            "102× fewer",
            "128× fewer",
            "1.25× fewer",
            "SKIP there is no emulator",
            "190 (25 %)",
            "as fused does it",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        assert!(words.contains("not times"), "{words}");
        for part in ["oise floor", " ns", "× as fast", "Fastest", "Statistics"] {
            assert!(!words.contains(part), "{part}: {words}");
        }
        let place = |name: &str| text.rfind(name).unwrap();
        assert!(place("schoolbook") < place("fused") && place("fused") < place("asm"));
    }
}

#[test]
fn a_narrow_terminal_leaves_out_columns_and_names_them() {
    let text = report::terminal(&example(), Some(80), Colour::Plain);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Hidden at this width: runs as, speed-up and efficiency (see"), "{text}");
    assert!(
        text.lines().any(|line| line.contains("openmp layers") && line.contains("× as fast [")),
        "{text}"
    );
    let wide = report::terminal(&example(), None, Colour::Plain);
    assert!(!wide.contains("Hidden at this width"));
}

#[test]
fn a_partial_record_has_its_notice_first() {
    let mut record = small(12);
    record.partial = Some("interrupted from the keyboard".into());
    for text in all(&record) {
        let at = text.find("PARTIAL: interrupted from the keyboard; 12 of 20 rounds").unwrap();
        assert!(at < text.find("Fastest: ").unwrap());
    }
}

#[test]
fn what_the_system_lacked_is_said() {
    let record = Record { missing: vec!["stops".into(), "binding".into()], ..small(12) };
    for text in all(&record) {
        assert!(text.contains("Missing on this system: stops, binding."), "{text}");
    }
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<Record>(&text).unwrap().missing, record.missing);
}

#[test]
fn a_wrong_answer_is_named() {
    let mut record = small(12);
    let wrong = record.cases[0].entries[1].clone();
    record.cases[0].entries[1] = failed(wrong, FailureKind::WrongDigest, "its digest differs", "");
    for text in all(&record) {
        assert!(text.contains("The output of rayon layers differs from that of the others."));
        assert!(text.contains("FAILED wrong-digest: its digest differs"));
        assert!(text.contains("nothing to compare it with"));
    }
}

#[test]
fn counts_have_a_column() {
    let mut record = small(12);
    for (i, entry) in record.cases[0].entries.iter_mut().enumerate() {
        for (j, sample) in entry.rounds.iter_mut().flatten().enumerate() {
            sample.counts.insert("peak-memory-bytes".into(), (1 + i as u64) * (20 << 20) + 4096 * j as u64);
            // A total over three iterations, which only one of the entries has.
            if i == 1 {
                sample.counts.insert("messages".into(), 3 * 1250);
            }
        }
    }
    for text in all(&record) {
        let text = text.to_lowercase();
        assert!(text.contains("peak memory") && text.contains("messages"), "{text}");
        // The largest of 48 samples, and one iteration's share.
        assert!(text.contains("20.2 mib") && text.contains("40.2 mib"), "{text}");
        assert!(text.contains("1,250"), "{text}");
    }
    let narrow = report::terminal(&record, Some(64), Colour::Plain);
    let words = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("what was counted") && !words.contains("MiB"), "{narrow}");
    // An entry that failed shows its reason and has no counts.
    for entry in &mut record.cases[0].entries {
        entry.failure = Some(Failure { kind: FailureKind::Crash, why: "gone".into(), stderr: String::new() });
    }
    assert!(all(&record).iter().all(|text| !text.to_lowercase().contains("peak memory")));
}

#[test]
fn times_before_the_work_have_a_table_of_their_own() {
    let mut record = small(12);
    let old = serde_json::to_string(&record).unwrap();
    assert!(!old.contains("\"before\"") && !old.contains("\"turns\""), "older versions can read it");
    assert!(all(&record).iter().all(|text| !text.contains("Before the measured work")));
    record.cases[0].turns = Turns::Threads;
    // The median of three processes' values; the other entry reported none.
    record.cases[0].entries[1].before = [9, 2, 4]
        .map(|ms| BTreeMap::from([("start".to_string(), ms * 1_000_000), ("touch".to_string(), 500)]))
        .to_vec();
    for text in all(&record) {
        let at = text.find("Before the measured work, once for each process:").unwrap();
        let below = text[at..].split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        for part in ["start", "touch", "4.000 ms", "500.0 ns"] {
            assert!(below.contains(part), "{part}: {below}");
        }
        assert!(below.find("start") < below.find("touch"), "the greatest first: {below}");
    }
    assert!(report::html(&[record.clone()]).contains("do not run at the same time"));
    let read: Record = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    assert_eq!(format!("{read:?}"), format!("{record:?}"));
}

#[test]
fn requested_and_reported_values_are_both_shown() {
    let mut record = small(12);
    record.cases[0].entries[1].ready.as_mut().unwrap().threads = 4;
    for text in all(&record) {
        assert!(text.contains("rayon, avx512, really on 4 threads"), "{text}");
    }
}

/// Returns a record with `text` in each of its texts.
fn poisoned(text: &str) -> Record {
    let mut record = small(9);
    let own = || text.to_string();
    (record.plan, record.title, record.about, record.plan_text) = (own(), own(), own(), own());
    (record.command, record.started, record.partial) = (vec![own()], own(), Some(own()));
    record.build = BTreeMap::from([(own(), own())]);
    record.missing = vec![own()];
    record.machine.processor = own();
    record.machine.arch = own();
    record.machine.backends = vec![own()];
    record.machine.caches = vec![(own(), 1)];
    record.machine.system = own();
    let asked = |from| question(text, (from, text), (text, text), &[]);
    record.questions = vec![
        asked("r"),
        Question {
            from: map(&[]),
            to: map(&[]),
            only: vec![format!("x={text}").parse().unwrap()],
            ..asked("")
        },
        asked("candidate"),
    ];
    let case = &mut record.cases[0];
    (case.workload, case.input_digest) = (own(), own());
    case.params = BTreeMap::from([(own(), Value::Text(own()))]);
    case.entries.push(case.entries[1].clone());
    case.entries.push(failed(case.entries[1].clone(), FailureKind::Crash, text, text));
    for (index, entry) in case.entries.iter_mut().enumerate() {
        entry.candidate = own();
        entry.labels = BTreeMap::from([(own(), own()), ("n".into(), index.to_string())]);
        entry.command = vec![own()];
        entry.digest = Some(own());
        entry.rounds.iter_mut().flatten().for_each(|s| s.counts = BTreeMap::from([(own(), 7)]));
        let ready = entry.ready.as_mut().unwrap();
        (ready.name, ready.version, ready.runtime, ready.backend) = (own(), own(), own(), own());
    }
    let mut second = record.cases[0].clone();
    record.cases[0].params.insert("scale".into(), Value::Number(3));
    second.params.insert("scale".into(), Value::Number(4));
    record.cases.push(second);
    record
}

#[test]
fn nothing_from_a_record_becomes_markup() {
    for text in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</title></style></svg><b>",
        "'&amp;",
    ] {
        let record = poisoned(text);
        let page = report::html(&[record.clone(), record.clone()]);
        assert_eq!(page.matches("<script").count(), 1, "{text}");
        for tag in ["<script>alert", "<img", "<b>", "</style></svg>", "\"><img"] {
            assert!(!page.contains(tag), "{text}: {tag}");
        }
        assert_eq!(page.matches("</style>").count(), 1);
        assert_eq!(page.matches("</svg>").count(), page.matches("<svg").count());
        assert!(
            !report::markdown(&record).contains("<script") && !report::markdown(&record).contains("<img")
        );
    }
    let long = "a name that goes on and on, longer than any axis is wide, <b>bold</b>, and without_any_place_to_break_it";
    leave("odd.html", &report::html(&[poisoned(long), small(5), record(vec![])]));
    let table = report::markdown(&poisoned("a|b [x](javascript:1) `c` *d*\n\n# e"));
    assert!(!table.contains("a|b") && !table.contains("](java") && !table.contains("\n# e"));
}

#[test]
fn nothing_from_a_record_commands_a_terminal() {
    let record = poisoned("a\u{1b}]0;title\u{7}\u{9b}2J\r\u{202e}b");
    for text in [report::terminal(&record, Some(80), Colour::Plain), report::markdown(&record)] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\r', '\u{202e}']));
    }
    let coloured = report::terminal(&record, Some(80), Colour::Ansi);
    assert!(!coloured.contains("\u{1b}]") && !coloured.contains(['\u{7}', '\u{9b}', '\r']));
}

#[test]
fn degenerate_records_give_a_page() {
    let none = record(vec![]);
    assert!(all(&none).iter().all(|text| text.contains("The record holds no cases")));
    assert!(report::html(&[]).contains("There are no records"));

    let no_entries = record(vec![case("fft", "scale", 1, vec![])]);
    assert!(all(&no_entries).iter().all(|text| text.contains("No result")));

    let mut unmeasured = small(0);
    assert!(all(&unmeasured).iter().all(|text| text.contains("not measured")));
    unmeasured.cases[0].baseline = 99;
    assert!(all(&unmeasured).iter().all(|text| text.contains("No result")));

    let mut broken = small(3);
    for entry in &mut broken.cases[0].entries {
        *entry = failed(entry.clone(), FailureKind::Timeout, "no answer within 10 s", "");
    }
    assert!(all(&broken).iter().all(|text| text.contains("FAILED timeout: no answer within 10 s")));

    let mut once = small(1);
    once.cases[0].entries.iter_mut().for_each(|entry| entry.rounds[0].truncate(1));
    assert!(all(&once).iter().all(|text| text.contains("(1 of the 8 rounds that an interval needs)")));

    let mut zero = small(9);
    zero.cases[0].entries[0]
        .rounds
        .iter_mut()
        .flatten()
        .for_each(|s| (s.iterations, s.elapsed_ns) = (0, Some(0)));
    assert!(all(&zero).iter().all(|text| !text.contains("NaN") && !text.contains("inf×")));
}

/// Cases of 2^10, 2^15 and 2^20 bytes that take 1 ns for a byte; `other` takes 2 % more, and its A/A control takes the
/// same.
fn rates() -> Record {
    let mut random = ChaCha12Rng::seed_from_u64(9);
    let mut cases = Vec::new();
    for scale in [10, 15, 20] {
        let ns = f64::from(1 << scale);
        let entries = [("serial", 1.0), ("rayon", 1.0), ("other", 1.25)]
            .map(|(name, factor)| entry(&mut random, name, 1, factor * ns, 20));
        let mut case = case("gmac", "scale", scale, entries.to_vec());
        (case.input_bytes, case.throughput) = (1 << scale, true);
        cases.push(case);
    }
    let mut record = record(cases);
    let asked = |(ask, to, most)| Question {
        at_most: Some(most),
        ..question(ask, ("runtime", "serial"), ("runtime", to), &[])
    };
    let questions = [("A control", "rayon", 1.05), ("Another", "other", 1.05), ("Which", "other", 1.25)];
    record.questions = questions.map(asked).to_vec();
    record
}

#[test]
fn bytes_over_time_are_a_throughput_with_a_mean() {
    // A record that answers questions has no means in its reports: they would be second figures of one fact.
    assert!(all(&rates()).iter().all(|text| !text.contains("Geometric means")));
    let record = Record { questions: Vec::new(), ..rates() };
    for text in all(&record) {
        // 2^30 bytes in 2^30 ns are 953.7 MiB/s, and 1.25 times as long is 762.9.
        assert!(text.contains("95") && text.contains("76") && text.contains(" MiB/s"), "{text}");
        assert!(text.contains("Geometric means over the timed cases"), "{text}");
        assert!(text.contains("3 cases"), "{text}");
    }
    let means = report::markdown(&record);
    let means = means.split("## Means").nth(1).and_then(|rest| rest.split("## ").next()).unwrap();
    let other = means.lines().find(|line| line.starts_with("| other")).unwrap();
    assert!(other.contains("1.25× the time [1.2"), "{other}");
    let rate: f64 = other.split('|').nth(3).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    assert!((rate - 763.0).abs() < 8.0, "{other}");
    // A single case with a rate has no mean, and no case has no column.
    let mut one = record;
    one.cases.truncate(1);
    assert!(!report::markdown(&one).contains("Geometric means") && report::markdown(&one).contains("MiB/s"));
    one.cases[0].throughput = false;
    assert!(!report::markdown(&one).contains("MiB/s"));
}

#[test]
fn means_take_no_ratio_to_another_baseline() {
    // The last two cases, one of them without a rate, compare with `rayon`; in one, `other` takes 10 times as long.
    let mut record = Record { questions: Vec::new(), ..rates() };
    record.cases.push(record.cases[2].clone());
    record.cases[3].throughput = false;
    record.cases[2..].iter_mut().for_each(|case| case.baseline = 1);
    let slow = &mut record.cases[2].entries[2].rounds;
    slow.iter_mut().flatten().for_each(|s| s.elapsed_ns = s.elapsed_ns.map(|ns| 8 * ns));
    let text = report::markdown(&record);
    let means: Vec<&str> = text.split("## Means").nth(1).unwrap().lines().collect();
    let line = |start: &str| *means.iter().find(|line| line.starts_with(start)).unwrap();
    assert!(line("| candidate").contains("| against serial "), "{text}");
    assert!(line("| serial").contains("| – "), "{text}");
    assert!(line("| rayon").contains("2 cases | 9") && line("| rayon").contains("3 cases"), "{text}");
    assert!(line("| other").contains("1.25× the time [1.2") && line("| other").contains("2 cases"), "{text}");
    assert!(report::html(&[record]).contains("Against serial"));
}

#[test]
fn claims_are_kept_broken_or_open() {
    let mut record = rates();
    let claims = |record: &Record| {
        let json = report::json(std::slice::from_ref(record));
        [0, 1, 2].map(|index| json[0]["questions"][index]["claim"].as_str().unwrap().to_owned())
    };
    assert_eq!(claims(&record), ["kept", "broken", "cannot-tell"]);
    for text in all(&record).map(|text| plain(&text)) {
        for claim in ["kept by the whole interval", "broken by the whole interval", "too wide to say"] {
            assert_eq!(text.matches(claim).count(), 1, "{claim}: {text}");
        }
    }
    record.cases.iter_mut().flat_map(|case| &mut case.entries).for_each(|entry| entry.rounds.truncate(3));
    assert_eq!(claims(&record), ["cannot-tell"; 3]);
    for text in all(&record).map(|text| plain(&text)) {
        assert_eq!(text.matches("it takes more rounds to say").count(), 3, "{text}");
    }
}

/// Returns a record without its samples.
fn thinned(full: &Record) -> Record {
    let mut thin = full.clone();
    for entry in thin.cases.iter_mut().flat_map(|case| &mut case.entries) {
        let processes = Some(std::mem::take(&mut entry.rounds).len());
        entry.thinned = Some(Thinned { rounds: entry.replicates.clone(), processes, samples: String::new() });
    }
    thin
}

#[test]
fn a_thinned_record_has_the_same_report() {
    for mut full in [example(), small(9), steps(), rates(), poisoned("a")] {
        full.cases.iter_mut().for_each(stats::summarize);
        let thin = thinned(&full);
        assert_eq!(all(&thin), all(&full));
        assert_eq!(report::plots(&thin), report::plots(&full));
    }
}

#[test]
fn several_records_are_several_sections() {
    let page = report::html(&[small(9), example(), record(vec![])]);
    for id in ["id=\"r0\"", "id=\"r1\"", "id=\"r2\"", "href=\"#r2\""] {
        assert_eq!(page.matches(id).count(), 1, "{id}");
    }
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let samples = prop::collection::vec((0u64..4, prop_oneof![0u64..10, any::<u64>()]), 0..3);
    let rounds = prop::collection::vec(samples, 0..12);
    let failure = prop::option::weighted(0.2, (any::<bool>(), ".{0,8}"));
    let role = prop_oneof![Just(Role::Candidate), Just(Role::Control), Just(Role::Limit)];
    (".{0,6}", 0usize..5, role, failure, rounds, "[ab]?").prop_map(
        |(name, threads, role, failure, rounds, label)| Entry {
            candidate: name,
            labels: map(&[("runtime", &label)]),
            threads,
            role,
            command: vec![],
            ready: None,
            digest: None,
            failure: failure.map(|(crash, why)| Failure {
                kind: if crash { FailureKind::Crash } else { FailureKind::Unsupported },
                stderr: why.clone(),
                why,
            }),
            rounds: rounds
                .into_iter()
                .map(|samples| {
                    let sample = |(iterations, elapsed_ns)| Sample {
                        iterations,
                        elapsed_ns: Some(elapsed_ns),
                        counts: ["peak-bytes", "n"].map(|name| (name.to_string(), elapsed_ns)).into(),
                        ..Sample::default()
                    };
                    samples.into_iter().map(sample).collect()
                })
                .collect(),
            ..entry(&mut ChaCha12Rng::seed_from_u64(1), "", 1, 1.0, 0)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_small_record_makes_a_report_panic(
        entries in prop::collection::vec(prop::collection::vec(any_entry(), 0..5), 0..4),
        sizes in prop::collection::vec((any::<u64>(), 0usize..4, "[a-z]{0,5}"), 4),
    ) {
        let cases = entries.into_iter().zip(sizes).map(|(entries, (size, baseline, key))| {
            let key = if key.len() > 2 { "scale" } else { "n" };
            Case { baseline, ..case("fft", key, size, entries) }
        });
        let mut record = record(cases.collect());
        record.questions = vec![question("?", ("runtime", "a"), ("runtime", "b"), &["threads>0"])];
        record.cases.iter_mut().for_each(stats::summarize);
        let suite = Suite { threshold: 0.02, ..Suite::default() };
        for suite in [None, Some(suite)] {
            record.suite = suite;
            let full = all(&record);
            prop_assert_eq!(all(&thinned(&record)), full.clone());
            for text in full {
                prop_assert!(!text.contains("NaN"));
            }
        }
    }
}

#[test]
fn tables_have_the_values_that_sort_them() {
    let page = report::html(&[rates()]);
    let table = between(&page, "aria-label=\"Table of gmac, scale 20\"", "</table>");
    let row = table.split("<tr").find(|row| row.contains(">other<")).unwrap();
    let values: Vec<f64> = row
        .split("data-value=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    let [time, ratio, rate] = values[..] else { panic!("{values:?}") };
    assert!((time / (1.25 * f64::from(1 << 20)) - 1.0).abs() < 0.02, "{values:?}");
    assert!((ratio - 1.25).abs() < 0.02 && (rate / 0.8e9 - 1.0).abs() < 0.02, "{values:?}");
}

#[test]
fn estimates_have_their_intervals_in_csv_and_json() {
    let record = example();
    let entries: usize = record.cases.iter().map(|case| case.entries.len()).sum();
    let csv = report::csv(std::slice::from_ref(&record));
    let mut lines = csv.lines();
    let columns = lines.next().unwrap().split(',').count();
    assert_eq!(lines.clone().count(), entries);
    assert!(lines.all(|line| line.split(',').count() == columns), "nothing here needs quotation marks");
    let json = report::json(std::slice::from_ref(&record));
    let found =
        json[0]["cases"].as_array().unwrap().iter().flat_map(|case| case["entries"].as_array().unwrap());
    assert_eq!(found.clone().count(), entries);
    for entry in found.filter(|entry| !entry["ratio"].is_null()) {
        let figure = |name: &str| entry["ratio"][name].as_f64().unwrap();
        assert!(figure("low") <= figure("estimate") && figure("estimate") <= figure("high"), "{entry}");
    }
    assert_eq!(json[0]["cases"][0]["unit"], "ns");
}

/// Adds the path of each field, such as `cases[].params{}`, where keys that are names do not count.
fn fields(value: &serde_json::Value, path: &str, found: &mut BTreeSet<String>) {
    const NAMES: [&str; 7] = ["build", "from", "to", "params", "labels", "counts", "phases"];
    let dot = if path.is_empty() || path.ends_with('.') { "" } else { "." };
    let last = path.rsplit('.').next().unwrap();
    match value {
        serde_json::Value::Array(items) if items.first().is_some_and(serde_json::Value::is_object) => {
            items.iter().for_each(|item| fields(item, &format!("{path}[]."), found));
        }
        serde_json::Value::Array(items) if items.is_empty() => {}
        serde_json::Value::Array(_) => drop(found.insert(format!("{path}[]"))),
        serde_json::Value::Object(_) if NAMES.contains(&last) => drop(found.insert(format!("{path}{{}}"))),
        serde_json::Value::Object(fields_of) if fields_of.contains_key("estimate") => {
            let names: BTreeSet<&str> = fields_of.keys().map(String::as_str).collect();
            assert_eq!(names, ["estimate", "low", "high", "replicates"].into(), "{path}");
            found.insert(path.to_string());
        }
        serde_json::Value::Object(all) => {
            all.iter().for_each(|(key, value)| fields(value, &format!("{path}{dot}{key}"), found));
        }
        _ => drop(found.insert(path.to_string())),
    }
}

/// The reference has each field of JSON and each column of CSV, and no other.
#[test]
fn the_reference_has_each_field_and_column() {
    let text = include_str!("../../../../docs/reference/results.md");
    let (json, csv) = text.split_once("## CSV").unwrap();
    let listed = |text: &str| -> BTreeSet<String> {
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let first = rows.map(|row| row.trim_start_matches("| ").split(" | ").next().unwrap());
        first.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_string()).collect()
    };
    let mut claimed = example();
    claimed.questions[0].at_most = Some(1.0);
    use crate::suite::tests::{allocating, example as suite, executing};
    let suites = [suite(), allocating(), executing()];
    let records = [example(), claimed, steps(), rates(), quick()];
    let records: Vec<Record> = records.into_iter().chain(suites).collect();
    let mut found = BTreeSet::new();
    report::json(&records).as_array().unwrap().iter().for_each(|record| fields(record, "", &mut found));
    assert_eq!(found, listed(json));
    let header = report::csv(&records).lines().next().unwrap().split(',').map(str::to_string).collect();
    assert_eq!(listed(csv), header);
}

/// JSON has the same answers and verdicts as the pages.
#[test]
fn answers_and_verdicts_are_in_json() {
    let mut record = example();
    record.questions[0].at_most = Some(0.5);
    record.questions[0].only.truncate(1);
    let json = report::json(std::slice::from_ref(&record));
    let question = &json[0]["questions"][0];
    assert!(question["ratio"]["high"].as_f64().unwrap() < 1.0, "{question}");
    assert_eq!(question["claim"], "broken");
    let entries = json[0]["cases"][6]["entries"].as_array().unwrap();
    let verdict = |name: &str, threads: u64| {
        let mut of_name = entries.iter().filter(|e| e["candidate"] == name && e["threads"] == threads);
        of_name.next().unwrap()["verdict"].clone()
    };
    assert_eq!(verdict("openmp layers", 2), "faster");
    assert_eq!(verdict("rayon halves-and-butterflies", 1), "slower");
    assert_eq!(verdict("serial", 1), serde_json::Value::Null);
}

/// Returns the text of some markup, its white space as single spaces.
fn plain(markup: &str) -> String {
    let (_, body) = markup.split_once("<body>").unwrap_or(("", markup));
    let body = body.split("<script>").next().unwrap();
    let parts = body.split('<').enumerate();
    let texts = parts.map(|(i, part)| if i == 0 { part } else { part.split_once('>').map_or("", |of| of.1) });
    let text = texts.collect::<Vec<_>>().join(" ").replace('\u{a0}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn outputs_agree_only_if_some_were_compared() {
    let said = |record: &Record| plain(&report::html(std::slice::from_ref(record)));
    let page = said(&small(20));
    assert!(page.contains("outputs agreed"), "{page}");
    // Commands of which no outputs are compared: each has the digest of nothing.
    let mut commands = small(20);
    commands.cases[0].workload = "command".into();
    let nothing = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    commands.cases[0].entries.iter_mut().for_each(|entry| entry.digest = Some(nothing.into()));
    // Outputs of different work, and one output alone.
    let mut apart = small(20);
    apart.cases[0].entries[1].digest = Some("sha256:another".into());
    let mut one = small(20);
    one.cases[0].entries[1].digest = None;
    for (record, note) in [
        (commands, "Outputs were not compared; --same-output does that."),
        (apart, "2 outputs of 2 kinds of work: no two to compare."),
        (one, "One output only: nothing to compare it with."),
    ] {
        let page = said(&record);
        assert!(page.contains(note) && !page.contains("outputs agreed"), "{note}: {page}");
    }
    let mut some = small(20);
    some.cases.push(some.cases[0].clone());
    some.cases[1].params.insert("scale".into(), Value::Number(11));
    some.cases[1].entries[1].digest = Some("sha256:another".into());
    let page = said(&some);
    assert!(page.contains("outputs agreed in 1 of 2 cases, and were not compared in others"), "{page}");
}

/// A record whose control takes 20 % more than the baseline, which it is a second run of, and another 10 % more.
fn noisy() -> Record {
    let mut random = ChaCha12Rng::seed_from_u64(5);
    let mut entries: Vec<Entry> = [("serial", 1e6), ("serial", 1.2e6), ("rayon", 1.1e6), ("openmp", 2e6)]
        .map(|(name, ns)| entry(&mut random, name, 1, ns, 20))
        .into();
    entries[1].role = Role::Control;
    let case = case("sum", "scale", 10, entries);
    let ask = |to: &str| Question {
        at_most: Some(1.01),
        ..question(&format!("And {to}?"), ("runtime", "serial"), ("runtime", to), &[])
    };
    Record { questions: vec![ask("rayon"), ask("openmp")], ..record(vec![case]) }
}

#[test]
fn answers_within_the_noise_floor_are_marked() {
    let record = noisy();
    for text in all(&record) {
        let words = plain(&text);
        let after = |start: &str| Some(words.split_once(start)?.1.split(". ").next().unwrap().to_string());
        let marked = |said: &str| {
            assert!(said.contains(" % more time (") && said.contains("), within the noise floor"), "{said}");
        };
        marked(&after("Next: rayon, ").unwrap());
        // A page has the answers in cards.
        if !text.contains("<html") {
            marked(&after("runtime rayon against serial: ").unwrap());
            assert!(!after("runtime openmp against serial: ").unwrap().contains("noise floor"));
        }
    }
    // The first answer is the heading of a page, and the second has a card.
    let mut swapped = record.clone();
    swapped.questions.reverse();
    let said = |record: Record| {
        let page = report::html(&[record]);
        let (_, cards) = page.split_once("<div class=\"card\">").unwrap();
        [between(&page, "<h1", "</h1>"), cards.split("</section>").next().unwrap()].map(plain)
    };
    let ([rayon, openmp], [other_openmp, other_rayon]) = (said(record), said(swapped));
    for rayon in [rayon, other_rayon] {
        assert!(rayon.contains("And rayon?") && rayon.contains(" %), within the noise floor"), "{rayon}");
    }
    for openmp in [openmp, other_openmp] {
        assert!(openmp.contains("And openmp?") && !openmp.contains("noise floor"), "{openmp}");
    }
}

#[test]
fn a_page_leads_to_its_record_and_to_its_values() {
    let record = &report::ready(&example());
    let records = [(record, Path::new("runs/a b.json")), (record, Path::new("pages/c.json"))];
    let page = text(&records, Format::Html, Some(Path::new("pages/p.html"))).unwrap();
    assert!(page.contains("href=\"./../runs/a%20b.json\"") && page.contains("href=\"./c.json\""));
    assert!(page.contains("parlab report c.json --json"));
    assert!(!text(&records, Format::Html, None).unwrap().contains(".json\""), "the page has no file");
}

/// Returns the size of a figure, and each text with its anchor and place.
fn texts(svg: &str) -> (f64, Vec<(String, f64, f64)>) {
    let attribute = |of: &str, name: &str| {
        let value = of.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
        Some(value.to_string())
    };
    let width = attribute(svg, "width").unwrap().parse().unwrap();
    let text = |part: &str| {
        let (start, rest) = part.split_once('>').unwrap();
        let text = rest.split("</text>").next().unwrap().to_string();
        // As svg.rs estimates it.
        let length = 12.0 * 0.58 * text.chars().count() as f64;
        let x: f64 = attribute(start, "x").unwrap().parse().unwrap();
        let from = match attribute(start, "text-anchor").as_deref() {
            Some("middle") => x - length / 2.0,
            Some(_) => x - length,
            None => x,
        };
        (text, from, from + length)
    };
    (width, svg.split("<text").skip(1).map(text).collect())
}

#[test]
fn marks_are_whole_and_of_one_form() {
    // Factors from 1/32768 to 4 and more, with short names, whose axis begins at the edge or next to them.
    let mut random = ChaCha12Rng::seed_from_u64(6);
    for longest in [5, 20, 24, 40] {
        for slowest in [11.0, 300.0, 4e4, 1e6] {
            let entries = [("a", 1.0), ("b", 0.25), ("slow", slowest)].map(|(name, factor)| {
                let name = if name == "slow" { "s".repeat(longest) } else { name.to_string() };
                entry(&mut random, &name, 1, 1e6 * factor, 20)
            });
            let record = record(vec![case("sum", "scale", 20, entries.to_vec())]);
            let mut forms = BTreeSet::new();
            for plot in report::plots(&record) {
                let (width, texts) = texts(&plot.1);
                for (text, from, to) in &texts {
                    assert!(*from >= 0.0 && *to <= width, "{}: {text} from {from} to {to}", plot.0);
                }
                let marks = texts.iter().filter(|(text, ..)| text.ends_with('×') && !text.contains(' '));
                let forest = marks.map(|(text, ..)| text.as_str());
                forms.extend(
                    forest
                        .filter(|text| text.starts_with("0.") || text.starts_with("1/"))
                        .map(|t| t[..2].to_string()),
                );
            }
            assert!(slowest < 100.0 || forms.contains("1/"), "{forms:?}");
        }
    }
    let axis = |slowest: f64| -> Vec<String> {
        let mut random = ChaCha12Rng::seed_from_u64(6);
        let entries =
            [("a", 1.0), ("b", slowest)].map(|(name, factor)| entry(&mut random, name, 1, 1e6 * factor, 20));
        let plots = report::plots(&record(vec![case("sum", "scale", 20, entries.to_vec())]));
        let (_, texts) = texts(&plots[0].1);
        let of_axis = texts.into_iter().map(|(text, ..)| text).filter(|text| text.ends_with('×'));
        of_axis.filter(|text| !text.contains("0.0")).collect()
    };
    // The last is the value of the entry itself.
    assert!(axis(7.0).iter().all(|text| !text.contains('/')), "{:?}", axis(7.0));
    let wide = axis(300.0);
    assert!(
        wide.iter().all(|text| !text.starts_with("0.")) && wide.iter().any(|text| text == "1/4×"),
        "{wide:?}"
    );
}

/// A CSV line in its fields; no field here has a quotation mark.
fn split_csv(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

#[test]
fn csv_has_the_values_of_json() {
    let mut counted = small(12);
    for sample in counted.cases[0].entries.iter_mut().flat_map(|entry| entry.rounds.iter_mut().flatten()) {
        sample.counts.insert("messages".into(), 3 * 1250);
        sample.phases.insert("read".into(), 7);
    }
    let records = [example(), steps(), rates(), noisy(), counted];
    let json = report::json(&records);
    let csv = report::csv(&records);
    let mut lines = csv.lines();
    let columns = split_csv(lines.next().unwrap());
    let mut compared = BTreeSet::new();
    let cases = json.as_array().unwrap().iter().flat_map(|record| record["cases"].as_array().unwrap());
    for (case, entry) in
        cases.flat_map(|case| case["entries"].as_array().unwrap().iter().map(move |e| (case, e)))
    {
        let fields = split_csv(lines.next().unwrap());
        assert_eq!(fields.len(), columns.len());
        // Each field has a column.
        entry.as_object().unwrap().keys().for_each(|key| assert!(columns.contains(key), "{key}"));
        let named = |of: &serde_json::Value| {
            let all = of.as_object().into_iter().flatten();
            let text = |of: &serde_json::Value| of.as_str().map_or_else(|| of.to_string(), str::to_string);
            all.map(|(key, value)| format!("{key}={}", text(value).trim_end_matches(".0")))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (column, field) in columns.iter().zip(&fields) {
            let (of, end) = match column.rsplit_once('_') {
                Some((of, end @ ("low" | "high"))) => (of, end),
                _ => (column.as_str(), "estimate"),
            };
            let value = match of {
                "plan" => continue,
                "params" | "labels" | "counts" | "phases" => {
                    let of = if case[of].is_object() { &case[of] } else { &entry[of] };
                    assert_eq!(*field, named(of), "{column}");
                    compared.extend((!field.is_empty()).then_some(column));
                    continue;
                }
                "replicates" => &entry["value"][of],
                "workload" | "unit" | "noise_floor" => &case[of],
                "value" | "ratio" | "throughput" | "speedup" | "step" => &entry[of][end],
                _ => &entry[of],
            };
            match value {
                serde_json::Value::Null => assert_eq!(field, "", "{column}"),
                serde_json::Value::String(text) => assert_eq!(field, text, "{column}"),
                serde_json::Value::Number(number) => {
                    assert_eq!(field.parse::<f64>().unwrap(), number.as_f64().unwrap(), "{column}");
                }
                other => assert_eq!(*field, other.to_string(), "{column}"),
            }
            compared.extend((!field.is_empty()).then_some(column));
        }
    }
    assert_eq!(lines.next(), None);
    let missing: Vec<&String> =
        columns.iter().filter(|column| *column != "plan" && !compared.contains(column)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "each column has a value somewhere");
}

#[test]
fn means_and_counts_are_whole_in_json() {
    let json = |record: Record| report::json(&[record])[0].clone();
    let of = json(rates());
    // The baseline has no mean ratio, and a mean throughput all the same.
    let baseline = &of["means"]["entries"][0];
    assert_eq!((&baseline["cases"], &baseline["throughput_cases"]), (&0.into(), &3.into()));
    let mut counted = steps();
    for sample in counted.cases[0].entries[0].rounds.iter_mut().flatten() {
        sample.counts.insert("instructions".into(), 15_986_996);
    }
    let value = &json(counted)["cases"][0]["entries"][0]["value"];
    assert_eq!(["estimate", "low", "high"].map(|of| value[of].as_f64()), [Some(15_986_996.0); 3]);
}

#[test]
fn the_plan_as_it_ran_is_offered() {
    let record = example();
    let page = report::html(std::slice::from_ref(&record));
    assert!(
        page.contains("<summary>The plan as it ran</summary>") && page.contains("may have changed since")
    );
    // A comparison of commands needs no plan.
    let command = ["parcrypt", "compare", "a", "b"].map(String::from).to_vec();
    let compared = Record { command, ..record };
    let page = report::html(std::slice::from_ref(&compared));
    assert!(!page.contains("may have changed since"));
}

#[test]
fn sentences_say_what_there_is() {
    let page = |record: &Record| plain(&report::html(std::slice::from_ref(record)));
    let has = |text: &str, part: &str| assert!(text.contains(part), "{part}: {text}");
    let hasnt = |text: &str, part: &str| assert!(!text.contains(part), "{part}: {text}");

    // A wide interval that contains 1 is called otherwise than a narrow one.
    has(
        &page(&small(20)),
        "'no difference found' if it has no factor above 1.05 in either direction, and otherwise as 'cannot tell'",
    );

    // One round, without intervals: nothing is the fastest, and no caption promises an interval.
    let mut once = example();
    once.rounds = Some(1);
    once.cases.iter_mut().flat_map(|case| &mut case.entries).for_each(|entry| entry.rounds.truncate(1));
    for text in all(&once) {
        hasnt(&text, "1 rounds");
        hasnt(&text, "Filled: ");
        hasnt(&text, "among the fastest");
        hasnt(&text, "with 99 % intervals.");
    }
    has(&page(&once), "1 round ·");
    has(&page(&once), "Repeat it 1 round.");
    has(&page(&once), ", without intervals, which take more rounds.");
    has(&page(&once), "(too few rounds for an interval)");

    // The first at another size is another one; and a size at which only one has a result says nothing.
    let mut sizes = small(20);
    sizes.cases[0].entries.iter_mut().for_each(|entry| entry.labels.clear());
    let mut other = sizes.cases[0].clone();
    other.params.insert("scale".into(), Value::Number(9));
    other.entries.swap(0, 1);
    (other.entries[0].candidate, other.entries[1].candidate) = ("serial".into(), "rayon layers".into());
    sizes.cases.push(other.clone());
    has(
        &page(&sizes),
        "rayon layers is among the fastest at scale 10 only. The first at other sizes: serial at scale 9.",
    );
    sizes.cases[1].entries.truncate(1);
    hasnt(&page(&sizes), "among the fastest");
    sizes.cases[1] = sizes.cases[0].clone();
    sizes.cases[1].params.insert("scale".into(), Value::Number(9));
    has(&page(&sizes), "rayon layers is among the fastest at scale 10 and at scale 9.");
    sizes.cases.push(sizes.cases[0].clone());
    sizes.cases[2].params.insert("scale".into(), Value::Number(8));
    has(&page(&sizes), "is among the fastest at scale 10 and at both other sizes.");

    // A run that ended after its only round.
    let partial = Record { partial: Some("interrupted".into()), rounds: Some(1), ..small(1) };
    has(&page(&partial), "PARTIAL: interrupted; 1 of 1 round is in this record.");
}

#[test]
fn counts_have_words_of_their_own() {
    let mut record = steps();
    record.cases[0].steps = false;
    record.cases[0].entries.remove(1);
    let again = record.cases[0].entries[0].clone();
    record.cases[0].entries.push(again);
    record.cases[0].entries[3].candidate = "schoolbook again".into();
    for round in record.cases[0].entries[1].rounds.iter_mut().flatten() {
        round.counts.insert("instructions".into(), 97_215);
    }
    for round in record.cases[0].entries[2].rounds.iter_mut().flatten() {
        round.counts.insert("instructions".into(), 97_216);
    }
    let mut larger = record.cases[0].clone();
    larger.params.insert("n".into(), Value::Number(256));
    larger.entries.remove(1);
    record.cases.push(larger);
    record.questions = vec![
        question("Same?", ("candidate", "schoolbook"), ("candidate", "asm"), &[]),
        question("Fewer?", ("candidate", "schoolbook"), ("candidate", "fused"), &[]),
    ];
    record.cases.iter_mut().flat_map(|case| &mut case.entries).for_each(|entry| entry.labels.clear());
    for text in all(&record) {
        let words = plain(&text);
        for part in [
            "0.0010 % fewer instructions than schoolbook",
            "The same: asm and schoolbook again.",
            "no difference in instructions",
            "the same in all rounds",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        for part in [
            "0.00 %",
            "1.0000×",
            "1.0000 ",
            "fastest",
            "no difference found",
            "99 % interval",
            "time over",
            "speed over",
            "Speed on",
        ] {
            assert!(!words.contains(part), "{part}: {words}");
        }
    }
    let page = report::html(&[record]);
    assert!(page.contains("<title>instructions over n on 1 thread: ntt</title>"));
}

#[test]
fn failures_are_below_the_verdict_and_skipped_cases_in_one_line() {
    let mut random = ChaCha12Rng::seed_from_u64(5);
    let mut record = small(20);
    let missing = |random: &mut ChaCha12Rng| {
        let entry = entry(random, "rvv", 1, 1e3, 1);
        failed(entry, FailureKind::Unsupported, "it is not built: `make riscv` builds it", "")
    };
    let skipped = |random: &mut ChaCha12Rng| vec![missing(random), missing(random)];
    record.cases.push(case("ntt", "n", 128, skipped(&mut random)));
    record.cases.push(case("ntt", "n", 256, skipped(&mut random)));
    let wrong = entry(&mut random, "mine", 1, 1e3, 1);
    record.cases[0].entries.push(failed(wrong, FailureKind::WrongDigest, "its output is another", ""));
    let page = report::html(std::slice::from_ref(&record));
    let head = between(&page, "<header class=\"top\">", "</header>");
    assert!(
        head.contains("<p class=\"failed\">Wrong output: mine in fft-g1, scale 10: its output is another.")
    );
    let line = "Skipped: ntt, n 128 and ntt, n 256 (it is not built: <code>make riscv</code> builds it).";
    assert_eq!(page.matches(line).count(), 1, "{page}");
    assert_eq!(page.matches("ntt, n 128").count(), 2, "there and with the digests");
    assert!(page.find(line) > page.find("Repeat it"));
    let text = report::page(&record);
    assert!(text.starts_with("# Fastest: "), "{text}");
    assert!(text.contains("**Wrong output: mine in fft-g1, scale 10: its output is another.**"), "{text}");
    assert_eq!(text.matches("it is not built: `make riscv` builds it").count(), 1, "{text}");
}

/// Eight cases in words, each on one thread and on two by two runtimes, as the plan `quick` has.
fn quick() -> Record {
    let mut random = ChaCha12Rng::seed_from_u64(75);
    let works = [
        ("FFT over G1, 128 points", 26e6, 1.97, 1.95),
        ("batch of 6 blobs verified", 1.2e6, 1.6, 1.7),
        ("commitment to a blob", 6e6, 1.9, 1.9),
        ("cells and proofs of a blob", 60e6, 1.98, 1.9),
        ("4096 ML-KEM products", 1e6, 1.8, 1.85),
        ("scrypt, N = 2^14, p = 4", 80e6, 1.9, 1.9),
        ("GMAC of 1 MiB", 4e4, 1.0, 1.0),
        ("sum of 64 MiB", 4e6, 1.3, 1.4),
    ];
    let mut of = |(index, (title, ns, rayon, openmp)): (usize, (&str, f64, f64, f64))| {
        let mut entries = vec![
            entry(&mut random, "serial", 1, ns, 24),
            entry(&mut random, "rayon", 2, ns / rayon, 24),
            entry(&mut random, "openmp", 2, ns / openmp, 24),
        ];
        if index == 0 {
            let control = entry(&mut random, "serial again", 1, ns, 24);
            entries.push(Entry { role: Role::Control, ..control });
        }
        Case { title: title.into(), ..case("w", "n", index as u64, entries) }
    };
    let cases = works.into_iter().enumerate().map(&mut of).collect();
    let title = "Which way of running is fastest on this machine?".into();
    Record { title, plan: "quick".into(), rounds: None, took_s: 68.0, ..record(cases) }
}

/// An entry that can be anything is not among the fastest, and a heading does not deny what cannot be told.
#[test]
fn what_cannot_be_told_is_not_a_verdict() {
    let mut record = quick();
    for case in &mut record.cases {
        let openmp = case.entries.iter_mut().find(|entry| entry.candidate == "openmp").unwrap();
        for (at, round) in openmp.rounds.iter_mut().enumerate() {
            let factor = if at % 4 < 2 { 3 } else { 1 };
            round.iter_mut().for_each(|sample| sample.elapsed_ns = sample.elapsed_ns.map(|ns| ns * factor));
        }
        stats::summarize(case);
    }
    let text = report::summary(&record, None, Colour::Plain);
    let batch = text.lines().find(|line| line.contains("batch of 6")).unwrap();
    assert!(batch.trim_end().ends_with("rayon or openmp?"), "{text}");
    assert!(
        text.contains("rayon on 2 threads, or perhaps openmp on 2 threads, is the fastest in "),
        "{text}"
    );
    assert!(!text.contains("rayon or openmp on 2 threads are the fastest"), "{text}");
    for case in &mut record.cases {
        case.entries.iter_mut().for_each(|entry| entry.rounds.truncate(5));
        stats::summarize(case);
    }
    let page = report::html(&[record]);
    let page = page.replace("<strong>", "").replace("</strong>", "");
    assert!(page.contains("Cannot tell whether anything is faster than serial"), "too few rounds");
}

#[test]
fn cases_with_too_few_rounds_count() {
    let mut record = quick();
    for case in &mut record.cases[2..4] {
        case.entries.iter_mut().for_each(|entry| entry.rounds.truncate(5));
        stats::summarize(case);
    }
    let text = report::summary(&record, None, Colour::Plain);
    assert!(
        text.contains(" of 8 cases") && text.contains("; too few rounds in 2: give it more time."),
        "{text}"
    );
}

#[test]
fn one_screen_answers_the_title() {
    let record = quick();
    for (width, lines) in [(None, 17), (Some(100), 19), (Some(80), 22)] {
        let text = report::summary(&record, width, Colour::Plain);
        println!("{text}");
        let columns = usize::from(width.unwrap_or(300));
        assert!(text.lines().count() <= lines, "{} lines:\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
    }
    let narrow = report::summary(&record, Some(80), Colour::Plain);
    assert!(narrow.contains("Hidden at this width: times (see"), "{narrow}");
    let text = report::summary(&record, None, Colour::Plain);
    assert!(text.starts_with("Which way of running is fastest on this machine?\n"), "{text}");
    assert!(
        text.contains("2.60 GHz, AVX-512 · 2 cores · virtual machine · 24 rounds in 1 min 8 s"),
        "{text}"
    );
    let row = |title: &str| text.lines().find(|line| line.contains(title)).unwrap();
    for case in &record.cases {
        assert!(row(&case.title).contains(['×']), "{text}");
    }
    assert!(
        row("1 thread").contains("2 threads") && row("1 thread").contains("speed (serial = 1)"),
        "{text}"
    );
    assert!(row("FFT").contains("ms") && row("FFT").contains("× [1.9"), "{text}");
    assert!(row("GMAC").trim_end().ends_with("not told apart"), "{text}");
    assert!(text.contains(" of 8 cases") && text.contains("In the mean of 8 cases, "), "{text}");
    assert!(text.contains(" times as fast as serial on 1 thread (99 % interval "), "{text}");
    for part in ["A/A", "again", "Noise", "Turns", "counts", "runs as", "Skipped", "Not run", "100 %"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    // The words are in all other forms too, and in records only if a plan has them.
    for text in all(&record) {
        assert!(text.contains("cells and proofs of a blob"), "{text}");
    }
    assert!(!serde_json::to_string(&small(2).cases).unwrap().contains("title"), "older versions can read it");
}

#[test]
fn one_screen_without_intervals_has_no_verdict() {
    let mut record = quick();
    for entry in record.cases.iter_mut().flat_map(|case| &mut case.entries) {
        entry.rounds.truncate(2);
    }
    let text = report::summary(&record, None, Colour::Plain);
    let row = text.lines().find(|line| line.contains("FFT")).unwrap();
    assert!(row.contains("× too few rounds") && row.trim_end().ends_with('–'), "{text}");
    assert!(!text.contains("is the fastest") && !text.contains("In the mean"), "{text}");
    // One case has the sentence of its table, and a record without cases says so.
    record.cases.truncate(1);
    let text = report::summary(&record, None, Colour::Plain);
    assert!(text.contains("Fastest so far: ") && text.contains(" rounds that an interval needs)"), "{text}");
    let text = report::summary(&Record { cases: vec![], ..record }, None, Colour::Plain);
    assert!(text.contains("The record holds no cases"), "{text}");
}

#[test]
fn a_case_that_cannot_run_here_is_one_line_at_the_end() {
    let mut record = quick();
    let case = &mut record.cases[6];
    case.measure = Measure::Count("instructions".into());
    case.entries = case
        .entries
        .drain(..)
        .map(|e| failed(e, FailureKind::Unsupported, "no emulator here.", ""))
        .collect();
    let skipped = record.cases[7].entries.remove(2);
    record.cases[7].entries.push(failed(skipped, FailureKind::Unsupported, "no OpenMP", ""));
    let crashed = record.cases[0].entries.remove(1);
    record.cases[0].entries.push(failed(crashed, FailureKind::Crash, "ended with status 1", "why\n"));
    let full = report::terminal(&record, None, Colour::Plain);
    assert!(full.ends_with("Skipped: GMAC of 1 MiB (no emulator here).\n"), "{full}");
    assert_eq!(full.matches("GMAC").count(), 1, "{full}");
    assert!(!full.contains("These are counts"), "nothing was counted: {full}");
    let text = report::summary(&record, None, Colour::Plain);
    assert!(text.ends_with("Skipped: GMAC of 1 MiB (no emulator here).\n"), "{text}");
    assert_eq!(text.matches("GMAC").count(), 1, "{text}");
    assert!(text.contains("\nSkipped: openmp (no OpenMP).\n"), "{text}");
    let failure = "FAILED rayon, in FFT over G1, 128 points: crash: ended with status 1\n";
    assert!(text.contains(failure), "{text}");
    let coloured = report::summary(&record, None, Colour::Ansi);
    assert!(coloured.contains("\u{1b}[38;5;1mFAILED rayon"), "{coloured:?}");
}

#[test]
fn a_record_of_an_older_version_has_a_screen() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/results"));
    for name in ["runtime-tax", "kzg-peers", "ntt-steps"] {
        let record = Record::read(&folder.join(format!("{name}.json.gz"))).unwrap();
        let text = report::summary(&record, Some(100), Colour::Plain);
        println!("{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.contains(" the fastest") || text.contains("Nothing found"), "{name}: {text}");
    }
}

#[test]
fn the_heading_of_a_page_is_the_verdict_with_one_figure() {
    let record = small(20);
    let page = report::html(std::slice::from_ref(&record)).replace('\u{a0}', " ");
    let head = between(&page, "<header class=\"top\">", "</header>");
    let heading = between(head, "<h1", "</h1>");
    assert!(heading.contains("Fastest: ") && heading.contains("times as fast as serial (99 %"), "{heading}");
    assert_eq!((head.matches("<svg").count(), page.matches("<svg").count()), (1, 1), "{head}");
    // The title of the only case, and the verdict on it, are not repeated.
    assert_eq!(page.matches("times as fast as serial (99 %").count(), 1);
    assert!(page.contains("<h2>All entries</h2>") && !page.contains("<h2>fft-g1"));
}

/// The kind of a case decides which figures it has.
#[test]
fn figures_follow_from_the_cases() {
    let names = |record: &Record| report::plots(record).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&small(20)), ["fft-g1-scale-10-against-the-baseline"]);
    let found = names(&example());
    for name in ["questions", "fft-g1-over-scale-on-2-threads", "sum-over-bytes-on-1-thread"] {
        assert_eq!(found.iter().filter(|found| *found == name).count(), 1, "{name}: {found:?}");
    }
    assert_eq!(found.iter().filter(|name| name.ends_with("-against-the-baseline")).count(), 12, "{found:?}");
    // One size on several threads.
    let mut one = example();
    one.questions.clear();
    one.cases.truncate(1);
    assert!(names(&one).contains(&"fft-g1-scale-4-over-threads".to_string()), "{:?}", names(&one));
    assert!(report::plots(&one).iter().all(|(_, svg)| svg.contains("</title><style>.f-paper{fill:#")));
}

/// The lines are those with the least time on the most threads, also if another number of threads takes longer.
#[test]
fn lines_over_threads_go_from_left_to_right() {
    let mut random = ChaCha12Rng::seed_from_u64(3);
    let mut entries = Vec::new();
    for index in 0..9u8 {
        let us = [10.0 + f64::from(index), 30.0 + f64::from(index), 10.0 - f64::from(index)];
        for (threads, us) in [1, 2, 4].into_iter().zip(us) {
            entries.push(entry(&mut random, &format!("c{index}"), threads, 1e3 * us, 9));
        }
    }
    let plots = report::plots(&record(vec![case("sum", "scale", 10, entries)]));
    let (_, svg) = plots.iter().find(|(name, _)| name.ends_with("-over-threads")).unwrap();
    assert!(!svg.contains(">c0<") && svg.contains(">c8<"), "{svg}");
    let lines = svg.split("<polyline ").skip(1).map(|line| between(line, "points=\"", "\""));
    let places = lines.map(|line| line.split(' ').map(|at| at.split(',').next().unwrap().parse().unwrap()));
    let lines: Vec<Vec<f64>> =
        places.map(Iterator::collect).filter(|line: &Vec<f64>| line.len() == 3).collect();
    assert!(lines.len() == 8 && lines.iter().all(|line| line.is_sorted()), "{lines:?}");
}

#[test]
fn a_folder_has_a_short_page_with_its_figure_for_each_record() {
    let folder = tempfile::tempdir().unwrap();
    let records = [report::ready(&example()), report::ready(&rates())];
    let files: Vec<_> = records.iter().zip(["a.json.gz", "b.json"].map(Path::new)).collect();
    let write = |overwrite| crate::write(&files, &Output::MarkdownPages(folder.path()), overwrite);
    assert_eq!(write(Overwrite::Reports).unwrap().files, 4);
    assert_eq!(write(Overwrite::Reports).unwrap().files, 4, "its own files are replaced");
    let page = std::fs::read_to_string(folder.path().join("a.md")).unwrap();
    assert!(page.contains("# Which runtime? ") && page.contains("<img src=\"a.svg\""), "{page}");
    assert!(
        page.contains("parlab report a.json.gz") && page.contains("To repeat it: parcrypt bench"),
        "{page}"
    );
    assert!(page.split_whitespace().count() < 900 && page.matches("\n| ---").count() <= 1, "{page}");
    assert!(folder.path().join("a.svg").is_file());
    std::fs::write(folder.path().join("b.svg"), "<svg xmlns=\"drawn by hand\"/>").unwrap();
    let refused = write(Overwrite::Reports).unwrap_err().to_string();
    assert!(refused.contains("b.svg: already exists and is not a report"), "{refused}");
    assert!(write(Overwrite::Nothing).unwrap_err().to_string().contains("already exists"));
}

#[test]
fn a_short_page_names_no_folder_of_its_machine() {
    for out in [&["--out", "/b"][..], &["--out=/b"]] {
        let words = [&["/a/parlab", "compare"], out, &["--rev", "A", "--", "./tool", "--out", "c"]].concat();
        let command = words.into_iter().map(String::from).collect();
        let page = report::page(&Record { command, ..small(9) });
        assert!(page.contains("To repeat it: parlab compare --rev A -- ./tool --out c. "), "{page}");
    }
}
