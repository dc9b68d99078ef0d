//! Sheets of made-up records and of those in docs/results, in each format.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic too")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use parcrypt_lab::record::{
    Case, Cost, CountKind, Entry, Failure, FailureKind, Machine, Question, Ready, Record, Role, Sample,
    Suite, Summary, Value,
};
use parcrypt_lab::stats::{self, Border, Estimate, RESOLUTION, Verdict};
use parcrypt_lab::suite::REVISION;
use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_distr::{Distribution, Normal};
use serde_json::{Value as Json, json};

use crate::format;
use crate::sheet::{Answer, Row, Table};
use crate::write::text;
use crate::{Colour, Detail, Format, Gate, Screen, sheet};

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/results")
}

fn of(record: &Record, format: Format) -> String {
    text(&[sheet(record, Path::new("runs/a b.json"), &[])], format, None)
}

fn screen(record: &Record, width: Option<u16>) -> String {
    of(record, Format::Text(Screen { width, colour: Colour::Plain }, Detail::Cases))
}

/// Returns a text, or the text of a page's body, with single spaces.
fn flat(text: &str) -> String {
    let body = text.split_once("<body>").map_or(text, |(_, body)| body.split("<script>").next().unwrap());
    let is_page = body.len() < text.len();
    let is_inline =
        |tag: &str| ["strong", "span", "code"].iter().any(|of| tag.trim_matches('/').starts_with(of));
    let part = |part: &str| match part.split_once('>').filter(|_| is_page) {
        Some((tag, text)) if is_inline(tag) => text.to_owned(),
        Some((_, text)) => format!(" {text}"),
        None => part.to_owned(),
    };
    body.split('<').map(part).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn entry_of(candidate: &str, threads: usize, values: Vec<f64>) -> Entry {
    let rounds = vec![Vec::new(); values.len()];
    let summary = |value| Summary { samples: 4, value: Some(value), ..Summary::default() };
    let (runtime, way) = candidate.split_once(' ').unwrap_or((candidate, ""));
    let labels = map(&[("runtime", runtime), ("way", way)]);
    let replicates = values.into_iter().map(summary).collect();
    let digest = Some("sha256:5eed".to_owned());
    Entry { candidate: candidate.into(), labels, threads, digest, replicates, rounds, ..Entry::default() }
}

/// Returns an entry that takes about `ns`, whose rounds differ by 0.8 %, in another way for each name.
fn entry(candidate: &str, threads: usize, ns: f64, rounds: usize) -> Entry {
    let seed = candidate.bytes().fold(threads as u64, |seed, byte| (31 * seed + u64::from(byte)) % 65_521);
    let (mut random, noise) = (ChaCha12Rng::seed_from_u64(seed), Normal::new(0.0, 0.008).unwrap());
    entry_of(candidate, threads, (0..rounds).map(|_| ns * f64::exp(noise.sample(&mut random))).collect())
}

fn failure(kind: FailureKind, why: &str) -> Option<Failure> {
    Some(Failure { kind, why: why.into(), stderr: format!("{why}\nwhy") })
}

fn failed(entry: Entry, kind: FailureKind, why: &str) -> Entry {
    Entry { failure: failure(kind, why), rounds: Vec::new(), digest: None, ..entry }
}

fn case(workload: &str, scale: u64, entries: Vec<Entry>) -> Case {
    let params = BTreeMap::from([("scale".to_owned(), Value::Number(scale))]);
    Case { workload: workload.into(), params, input_bytes: 4096, entries, ..Case::default() }
}

fn record(cases: Vec<Case>) -> Record {
    let machine = Machine { processor: "Example at 2.60 GHz".into(), cores: 2, ..Machine::default() };
    let command = ["/a/parlab", "bench", "--out", "/b", "plans/fft.toml"].map(String::from).to_vec();
    let [plan, title, plan_text] = ["fft", "FFT over G1", "title = \"FFT\"\n"].map(str::to_owned);
    let record = Record { plan, title, plan_text, command, machine, ..Record::default() };
    Record { method: Some(parcrypt_lab::METHOD), rounds: Some(20), took_s: 68.0, cases, ..record }
}

/// A record of commands, each of which takes so many times the time of the first.
fn commands(factors: &[f64], rounds: usize) -> Record {
    let name = |at: usize| format!("./tool --way {at}");
    let entries = factors.iter().enumerate().map(|(at, factor)| entry(&name(at), 2, 1e6 * factor, rounds));
    let mut case = Case { workload: "command".into(), entries: entries.collect(), ..Case::default() };
    for replicate in case.entries.iter_mut().flat_map(|entry| &mut entry.replicates) {
        let counts = [("user-time-ns", 7e5), ("system-time-ns", 2e5), ("peak-memory-bytes", 3e7)];
        replicate.counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
    }
    record(vec![case])
}

fn question(ask: &str, from: &str, to: &str, at_most: Option<f64>) -> Question {
    let [from, to] = [from, to].map(|runtime| map(&[("runtime", runtime)]));
    Question { ask: ask.into(), from, to, only: Vec::new(), at_most }
}

/// Sizes on one and two threads, with a control, a limit, what is skipped, what crashed, and a question.
fn many() -> Record {
    let case = |scale: u64| {
        let serial = 55_000.0 * 2f64.powi(scale as i32 - 4);
        let control = Entry { role: Role::Control, ..entry("serial again", 1, serial, 20) };
        let mut entries = vec![entry("serial", 1, serial, 20), control];
        for threads in [1, 2] {
            let limit = entry("read", threads, 0.4 * serial / threads as f64, 20);
            entries.push(Entry { role: Role::Limit, ..limit });
            let names = [("rayon layers", 1.003), ("openmp layers", 0.9), ("openmp halves", 0.95)];
            let ns = |factor: f64| serial * factor / threads as f64;
            entries.extend(names.map(|(name, factor)| entry(name, threads, ns(factor), 20)));
        }
        entries.push(failed(entry("rvv", 1, 1.0, 0), FailureKind::Unsupported, "no emulator: `make riscv`."));
        entries.push(failed(entry("julia", 1, 1.0, 0), FailureKind::Crash, "ended with status 1"));
        Case { throughput: true, ..case("fft-g1", scale, entries) }
    };
    let only = vec!["threads=2".parse().unwrap()];
    let questions = vec![Question { only, ..question("Which runtime?", "rayon", "openmp", Some(0.5)) }];
    Record { questions, ..record((4..9).map(case).collect()) }
}

/// A benchmark of 21 blocks that takes `ns` in main and `factor` times that in HEAD, give or take `spread`.
fn benchmark(name: &str, ns: f64, factor: f64, spread: f64) -> Case {
    let noise = |i: usize| spread * ((i * 8 % 21) as f64 - 10.0) / 10.0;
    let new = (0..21).map(|i| ns * factor * (1.0 + noise(i))).collect();
    let revision = |(name, values)| Entry { labels: map(&[(REVISION, name)]), ..entry_of(name, 1, values) };
    let entries = [("main", vec![ns; 21]), ("HEAD", new)].map(revision);
    Case { title: name.into(), entries: entries.into(), sequential: true, ..Case::default() }
}

/// A benchmark without a result, and why the revisions have none.
fn lost(name: &str, failures: [Option<(FailureKind, &str)>; 2]) -> Case {
    let mut case = benchmark(name, 1.0, 1.0, 0.0);
    for (entry, why) in case.entries.iter_mut().zip(failures) {
        entry.replicates.clear();
        entry.failure = why.and_then(|(kind, why)| failure(kind, why));
    }
    case
}

fn suite(cases: Vec<Case>) -> Record {
    let suite = Some(Suite { threshold: 0.02, ..Suite::default() });
    Record { title: "toy: main → HEAD".into(), suite, ..record(cases) }
}

/// A suite that has a benchmark of each kind.
fn benchmarks() -> Record {
    let no = |why| Some((FailureKind::Unsupported, why));
    suite(vec![
        benchmark("sum/10", 12.0, 1.001, 0.002),
        benchmark("sort/1000", 12_345.0, 1.031, 0.004),
        benchmark("hash/sha256", 480.0, 0.8, 0.01),
        benchmark("parse/wide", 5e6, 1.01, 0.2),
        benchmark("sort/10", 900.0, 1.2, 0.01),
        lost("old only", [None, no("not in HEAD.")]),
        lost("new only", [no(""), None]),
        lost("custom", [no("its measurement is not a number"); 2]),
        lost("panics", [None, Some((FailureKind::Crash, "it ended with exit code 101"))]),
        lost("not reached", [None, None]),
    ])
}

/// A suite whose benchmarks count in each of their iterations: as many, fewer, more, or what varies.
fn counting() -> Record {
    let of = |(name, counts): (&str, [&[u64]; 2])| {
        let mut case = benchmark(name, 1e3, 1.0, 0.001);
        for (entry, counts) in case.entries.iter_mut().zip(counts) {
            let all = (0..9).map(|at| counts[at % counts.len()]);
            let named =
                |n: u64| [("allocations", n), ("peak-bytes", 1000 * n)].map(|(k, v)| (k.to_owned(), v));
            let all: Vec<_> = all.map(|n| named(n).into()).collect();
            entry.counted = all.windows(counts.len()).map(<[_]>::to_vec).collect();
            let why = failure(FailureKind::Unsupported, "it measures itself");
            entry.not_counted = why.filter(|_| name == "own time");
        }
        case
    };
    let counts: [(&str, [&[u64]; 2]); 3] =
        [("own time", [&[1]; 2]), ("same", [&[2]; 2]), ("fewer", [&[2], &[0]])];
    let more: [(&str, [&[u64]; 2]); 2] = [("varies", [&[1, 3], &[1, 4]]), ("more", [&[2], &[5, 3]])];
    let mut record = suite(counts.into_iter().chain(more).map(of).collect());
    record.suite.as_mut().unwrap().counts = Some(CountKind::Allocations);
    record
}

/// Returns a record with a text in each of its texts.
fn poisoned(text: &str) -> Record {
    let own = || text.to_owned();
    let mut record = commands(&[1.0, 0.5, 0.5], 20);
    (record.plan, record.title, record.about, record.plan_text) = (own(), own(), own(), own());
    (record.command, record.started, record.partial) = (vec![own()], own(), Some(own()));
    (record.build, record.missing) = (map(&[(text, text), ("commit", text)]), vec![own()]);
    let (processor, arch, system, backends) = (own(), own(), own(), vec![own()]);
    record.machine =
        Machine { processor, arch, system, backends, caches: vec![(own(), 1)], ..Machine::default() };
    record.questions = vec![question(text, text, text, Some(0.9)), question(text, text, "", None)];
    record.questions[1].only = format!("x={}", text.trim()).parse().into_iter().collect();
    let case = &mut record.cases[0];
    (case.workload, case.input_digest, case.throughput) = (own(), own(), true);
    case.params = BTreeMap::from([(own(), Value::Text(own())), ("scale".into(), Value::Number(3))]);
    let crashed = failed(case.entries[1].clone(), FailureKind::Crash, text);
    case.entries.extend([failed(crashed.clone(), FailureKind::Unsupported, text), crashed]);
    for (index, entry) in case.entries.iter_mut().enumerate() {
        (entry.candidate, entry.about, entry.digest) = (own(), own(), Some(own()));
        entry.labels = map(&[(text, text), ("n", &index.to_string())]);
        let [name, version, runtime, backend] = [text; 4].map(str::to_owned);
        entry.ready = Some(Ready { name, version, runtime, backend, threads: 4, ..Ready::default() });
        entry.not_counted = failure(FailureKind::Unsupported, text).filter(|_| index == 1);
        let parts: BTreeMap<String, f64> = [(own(), 7.0), ("rest".into(), 7.0)].into();
        entry.replicates.iter_mut().for_each(|one| (one.counts, one.phases) = (parts.clone(), parts.clone()));
        entry.before = vec![[(own(), 7)].into()];
    }
    let mut second = Case { title: own(), ..case.clone() };
    second.params.insert("scale".into(), Value::Number(4));
    record.cases.push(second);
    record
}

/// Returns a line in Markdown without its code, and without characters that are escaped.
fn without_code(line: &str) -> String {
    let (mut rest, mut found) = (line, String::new());
    while let Some(at) = rest.find(['`', '\\']) {
        found += &rest[..at];
        let after = rest[at..].trim_start_matches('`');
        let fence = &rest[at..rest.len() - after.len()];
        rest = match fence {
            "" => rest[at + 1..].split_at(1).1,
            // A longer fence within is not the end.
            fence => after.split_once(fence).unwrap_or_else(|| panic!("code does not end: {line}")).1,
        };
    }
    found + rest
}

/// Checks that no line is wider than 80 columns, except what a program wrote, which is not folded.
fn is_narrow(text: &str) {
    for line in text.lines().filter(|line| !line.starts_with("    ")) {
        assert!(textwrap::core::display_width(line) <= 80, "{line:?} in {text}");
    }
}

fn split_csv(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    for (at, part) in line.split('"').enumerate() {
        let mut parts = if at % 2 == 1 { vec![part] } else { part.split(',').collect() }.into_iter();
        *fields.last_mut().unwrap() += parts.next().unwrap();
        fields.extend(parts.map(str::to_owned));
    }
    fields
}

#[test]
fn nothing_from_a_record_becomes_markup_or_commands_a_terminal() {
    let tags = |page: &str| -> BTreeSet<String> {
        page.split('<').skip(1).map(|tag| tag.split([' ', '>']).next().unwrap().to_owned()).collect()
    };
    let wide =
        "宽字符的名字在表格里占两列宽字符的名字在表格里占两列宽字符的名字在表格里占两列/1048576 e\u{301}👩";
    for text in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)></title></style></svg><b>'&amp;",
        "@name `@a` b`c |",
        "a|b [x](javascript:1) *d* ~e~ __f__ a\\|b\\",
        "[x]: http://g\n\n# e\r\n<!--",
        "` @name",
        "a\u{1b}]0;title\u{7}\u{9b}2J\r\u{202e}b\0\u{2067}",
        wide,
        "a/name/that/is/longer/than/the/terminal/is/wide/and/has/no/place/to/break/it/at/all/parameter/1048576",
    ] {
        let suite = Some(Suite { counts: Some(CountKind::Allocations), ..Suite::default() });
        for record in [poisoned(text), Record { suite, ..poisoned(text) }] {
            let plain = of(&Record { suite: record.suite, ..poisoned("x `y`") }, Format::Html);
            let page = of(&record, Format::Html);
            assert!(tags(&page).is_subset(&tags(&plain)), "{text}: {:?}", tags(&page));
            assert_eq!(
                ["<script", "</script", "</style>"].map(|tag| page.matches(tag).count()),
                [1; 3],
                "{text}"
            );
            let [markdown, csv] = [Format::Markdown, Format::Csv].map(|format| of(&record, format));
            let narrow = screen(&record, Some(80));
            for (form, text) in [("html", &page), ("markdown", &markdown), ("csv", &csv), ("text", &narrow)] {
                let hidden = |c: char| !"\n\t".contains(c) && parcrypt_protocol::escape::is_hidden(c);
                assert!(!text.contains(hidden), "{form}: {text:?}");
            }
            let colours = Screen { width: None, colour: Colour::Ansi };
            let colours = of(&record, Format::Text(colours, Detail::Cases));
            let is_colour = |code: &str| {
                code.starts_with('[') && code.split_once('m').is_some_and(|(of, _)| of.len() < 9)
            };
            assert!(colours.split('\u{1b}').skip(1).all(is_colour), "{colours:?}");
            is_narrow(&narrow);
            let mut bars = 0;
            for line in markdown.lines() {
                let found = line.replace("\\|", "").matches('|').count();
                bars = if line.starts_with('|') && bars > 0 { bars } else { found };
                assert!(found == bars || !line.starts_with('|'), "{text}: {line}");
                let ours = ["<details>", "</details>", "<summary>", "</summary>", "<!-- -->", "**"];
                let rest = ours.iter().fold(without_code(line), |rest, ours| rest.replace(ours, " "));
                let markup = ["<", "](", "]:", "@n", "@a", "~", "__", "*"];
                assert!(!markup.iter().any(|of| rest.contains(of)) && !rest.starts_with("# "), "{rest}");
            }
            let columns = csv.lines().next().unwrap().split(',').count();
            csv.lines().for_each(|line| assert_eq!(split_csv(line).len(), columns, "{line}"));
        }
    }
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let samples = prop::collection::vec((0u64..4, prop_oneof![0u64..10, any::<u64>()]), 0..3);
    let rounds = prop::collection::vec(samples, 0..12);
    let why = prop::option::weighted(0.2, (any::<bool>(), ".{0,8}"));
    let role = prop_oneof![4 => Just(Role::Candidate), 1 => Just(Role::Control), 1 => Just(Role::Limit)];
    let parts = (".{0,6}", 0usize..5, role, why, rounds, "[ab]?");
    parts.prop_map(|(candidate, threads, role, why, rounds, label)| {
        let sample = |(iterations, ns): (u64, u64)| {
            let counts = ["peak-bytes", "n", "own-time-fs"].map(|name| (name.to_owned(), ns)).into();
            Sample { iterations, elapsed_ns: Some(ns), counts, ..Sample::default() }
        };
        let rounds = rounds.into_iter().map(|of| of.into_iter().map(sample).collect()).collect();
        let kind = |crash| if crash { FailureKind::Crash } else { FailureKind::Unsupported };
        let failure = why.and_then(|(crash, why)| failure(kind(crash), &why));
        let labels = map(&[("runtime", &label)]);
        Entry { candidate, labels, threads, role, failure, rounds, ..Entry::default() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_small_record_makes_a_format_panic(
        entries in prop::collection::vec(prop::collection::vec(any_entry(), 0..5), 0..4),
        kinds in prop::collection::vec((any::<u64>(), 0usize..4, any::<[bool; 3]>(), 0usize..3), 4),
    ) {
        let cases = entries.into_iter().zip(kinds).map(|(entries, (size, baseline, [steps, throughput, whole], of))| {
            let case = case(if whole { "command" } else { "fft" }, size, entries);
            let measure = ["time", "own-time", "n"][of].to_owned().into();
            Case { baseline, steps, throughput, measure, ..case }
        });
        let mut record = record(cases.collect());
        record.questions = vec![question("?", "a", "b", Some(1.0))];
        record.cases.iter_mut().for_each(stats::summarize);
        let gates: [Gate; 2] = ["slower than 2%", "more than 0%"].map(|text| text.parse().unwrap());
        let gated = Suite { threshold: 0.02, gate: Some(gates[0].border()), ..Suite::default() };
        for suite in [None, Some(gated)] {
            let sheets = [sheet(&Record { suite, ..record.clone() }, Path::new("r"), &gates)];
            let screen = Screen { width: Some(80), colour: Colour::Ansi };
            let screen = Format::Text(screen, Detail::Cases);
            for format in [screen, Format::Markdown, Format::Html, Format::Csv, Format::Json] {
                prop_assert!(!text(&sheets, format, None).contains("NaN"));
            }
        }
    }
}

/// Returns the name of an entry in sentences.
fn name(of: &Table, row: &Row) -> String {
    let threads = |row: &Row| row.facts.get("threads").and_then(Json::as_u64);
    let several = of.rows.iter().any(|other| threads(other) != threads(row));
    let on =
        threads(row).filter(|_| several).map(|n| format!(" on {}", format::counted(n as usize, "thread")));
    let tag = if row.tag.is_empty() { String::new() } else { format!(" ({})", row.tag) };
    format!("{}{}{tag}", row.what, on.unwrap_or_default())
}

/// Returns the ratio that a row shows.
fn ratio(of: &Table, row: &Row) -> Option<Estimate> {
    row.cells.get(of.columns.iter().position(|column| column.name == "ratio")?)?.value
}

/// Returns the row of the entry that a sentence compares with the baseline. It has the ratio and the verdict that the
/// sentence has.
fn compared<'t>(sentence: &str, of: &'t Table) -> Option<&'t Row> {
    let starts = ["No clear winner: ", "Undecided; so far ", "No difference found: ", "No difference: ", ""];
    let find = |(at, start): (usize, &&str)| Some((at, sentence.strip_prefix(start)?));
    let (at, said) = starts.iter().enumerate().find_map(find)?;
    let named = |row: &&Row| row.verdict.is_some() && said.starts_with(&(name(of, row) + " "));
    let row = of.rows.iter().filter(named).max_by_key(|row| name(of, row).len())?;
    let (words, value) =
        (said[name(of, row).len()..].split(' ').collect::<Vec<_>>(), ratio(of, row).unwrap());
    let is_less = ["faster", "fewer", "less", "fast"].iter().any(|word| words.contains(word));
    let changed = if is_less { Verdict::Faster } else { Verdict::Slower };
    let verdict = [Verdict::Open, Verdict::Open, Verdict::Same, Verdict::Same, changed][at];
    let has_direction = value.interval.is_none_or(|of| !of.holds(1.0));
    assert_eq!(row.verdict, Some(verdict), "{sentence}: {row:?}");
    assert!(verdict != Verdict::Open || has_direction == (at == 1), "{sentence}: {row:?}");
    assert!(verdict != Verdict::Same || !has_direction, "{sentence}: {row:?}");
    let known = ["slower more", "faster fewer less", "same", "open"][verdict as usize];
    let shown: Vec<&str> = row.cells.iter().map(|cell| &*cell.text).collect();
    let is_shown = known.split(' ').any(|word| shown.contains(&word));
    assert!(is_shown || of.title.starts_with("Geometric"), "{sentence}: {row:?}");
    if at == 1 || at == 4 {
        let first = words.iter().position(|word| word.parse::<f64>().is_ok()).unwrap();
        let (figure, unit) = (words[first], words[first + 1]);
        let value = match unit == "%" {
            true => 100.0 * (value.value - 1.0).abs(),
            false => value.value.powi(if is_less { -1 } else { 1 }),
        };
        let decimals = figure.split_once('.').map_or(0, |(_, of)| of.len());
        assert_eq!(format!("{value:.decimals$}"), figure, "{sentence}: {row:?}");
        assert!(decimals > 2 || shown.iter().any(|cell| cell.contains(figure)), "{sentence}: {row:?}");
    }
    Some(row)
}

/// Returns the entry of a row.
fn entry_shown<'c>(case: &'c Case, row: &Row) -> &'c Entry {
    let fact = |name: &str| row.facts.get(name).cloned().unwrap_or(json!({}));
    let facts = |of: &&Entry| json!([of.threads, of.role, of.labels, row.what.starts_with(&of.candidate)]);
    let found = json!([fact("threads"), fact("role"), fact("labels"), true]);
    case.entries.iter().find(|of| facts(of) == found).unwrap()
}

/// Checks that rows show what the sentences of a sheet say, and that the entries that a sentence does not tell from the
/// winner are those that the record does not show to be slower.
fn check(record: &Record) {
    let sheet = sheet(record, Path::new("r.json"), &[]);
    let parts = sheet.cases.iter().map(|part| (&part.tables[0], &part.verdict, &*part.title));
    let tables: Vec<_> = record.cases.iter().zip(parts).collect();
    let ties = |whole: &str, others: Vec<(Estimate, String, Option<Estimate>)>| {
        let is_tie = |of: &Estimate| Verdict::of(of, RESOLUTION) != Verdict::Slower;
        let mut others: Vec<_> = others.iter().filter(|(.., of)| of.as_ref().is_none_or(is_tie)).collect();
        others.sort_by(|(a, ..), (b, ..)| a.value.total_cmp(&b.value));
        let names: Vec<String> = others.into_iter().map(|(_, name, _)| name.clone()).collect();
        let said = whole.split_once(" No clear winner between it and ").map_or("", |(_, said)| said);
        assert_eq!(said.trim_end_matches('.'), format::listed(&names), "{whole}");
    };
    for (case, (table, verdict, title)) in tables.iter().filter(|(case, _)| !case.steps) {
        let whole = verdict.concat();
        let overview = sheet.rows.rows.iter().find(|row| row.what == *title && row.missing.is_none());
        let found = table.rows.iter().chain(overview).any(|row| row.verdict == Some(Verdict::Faster));
        let is_none = verdict[1].starts_with("No ") || verdict[2].starts_with(". Next: ");
        assert!(!(is_none && found), "{whole}: {table:?}");
        let next = verdict[2].strip_prefix(". Next: ").unwrap_or(&verdict[1]);
        let Some(row) = compared(next, table) else { continue };
        let shown = overview.map_or(ratio(table, row), |of| ratio(&sheet.rows, of));
        assert_eq!(shown, ratio(table, row), "{whole}: {overview:?}");
        if row.verdict == Some(Verdict::Faster) {
            let others = table.rows.iter().filter(|of| of.verdict.is_some() && !std::ptr::eq(*of, row));
            let against = |one: &Row| stats::ratio(*case, entry_shown(case, one), entry_shown(case, row));
            let value = |one: &Row| stats::value(*case, entry_shown(case, one)).unwrap();
            ties(&whole, others.map(|one| (value(one), name(table, one), against(one))).collect());
        }
    }
    let means = sheet.tables.iter().find(|table| table.title.starts_with("Geometric means"));
    let whole = sheet.head.verdict.concat();
    let Some(means) = means.filter(|_| whole.starts_with("Over ")) else { return };
    let best = compared(&sheet.head.verdict[1], means).unwrap();
    let is_it = |mean: &Row, row: &Row| {
        let on = format!("{} on {} thread", row.what, row.facts["threads"]);
        row.tag.is_empty()
            && row.missing.is_none()
            && (row.what == mean.what || mean.what.trim_end_matches('s') == on)
    };
    let against = |mean: &Row| {
        let timed = tables.iter().filter(|(case, _)| case.measure.is_time() && !case.steps);
        let pairs = timed.filter_map(|(case, (table, ..))| {
            let found = |mean| Some(entry_shown(case, table.rows.iter().find(|row| is_it(mean, row))?));
            Some((found(mean)?, found(best)?))
        });
        Some(stats::mean_ratio(tables[0].0, &pairs.collect::<Vec<_>>())?.ratio)
    };
    let cases = |row: &Row| row.cells[0].bounds.rsplit(", ").next().unwrap().to_owned();
    let others = means.rows.iter().filter(|row| row.verdict.is_some() && cases(row) == cases(best));
    let others = others.filter(|row| !std::ptr::eq(*row, best));
    let others = others.map(|row| (ratio(means, row).unwrap(), row.what.clone(), against(row)));
    if best.verdict == Some(Verdict::Faster) {
        let faster = means.rows.iter().filter(|row| row.verdict == best.verdict && cases(row) == cases(best));
        let values = faster.map(|row| ratio(means, row).unwrap().value);
        assert_eq!(ratio(means, best).map(|of| of.value), values.reduce(f64::min), "{whole}");
        ties(&whole, others.collect());
    }
}

#[test]
fn what_a_sentence_says_its_row_shows() {
    let files = std::fs::read_dir(results()).unwrap().map(|file| file.unwrap().path());
    let files: Vec<_> = files.filter(|file| file.to_string_lossy().ends_with(".json.gz")).collect();
    assert!(files.len() > 20);
    for file in files {
        println!("{}", file.display());
        let record = Record::read(&file).unwrap();
        check(&record);
        check(&Record { questions: Vec::new(), ..record.clone() });
        is_narrow(&screen(&record, Some(80)));
    }
    let mut random = ChaCha12Rng::seed_from_u64(52);
    let mut next = |below: usize| random.next_u32() as usize % below;
    for seed in 0..300 {
        let factors = [1.0, 0.35, 0.98, 0.99, 0.995, 1.0, 1.005, 1.3, 3.0];
        let (is_command, threads, rounds, entries) =
            (next(2) == 0, next(2), [20, 20, 9, 5][next(4)], 2 + next(4));
        let measure = ["time", "own-time", "peak-memory-bytes", "instructions"][next(4)].to_owned();
        let mut of = |scale: usize| {
            let of =
                |at: usize| entry(&format!("c{seed} {at}"), 1 + at * threads, 1e6 * factors[next(9)], rounds);
            let entries: Vec<Entry> = (0..entries).map(of).collect();
            let case = case(if is_command { "command" } else { "fft" }, scale as u64, entries);
            Case { baseline: rounds % 2, measure: measure.clone().into(), ..case }
        };
        check(&record((0..1 + rounds % 3).map(&mut of).collect()));
    }
    [many(), Record { questions: Vec::new(), ..many() }].iter().for_each(check);
}

/// The reference has each field of JSON and each column of CSV, and no other.
#[test]
fn the_reference_has_each_field() {
    let (json, csv) = include_str!("../../../../docs/reference/results.md").split_once("## CSV").unwrap();
    let listed = |text: &str| -> BTreeSet<String> {
        let cells = text.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
        cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect()
    };
    let mut gated = counting();
    let borders = (Some(Border::Above(1.02)), Some(Border::Above(1.0)));
    gated.suite.iter_mut().for_each(|suite| (suite.gate, suite.counts_gate) = borders);
    let steps = Record::read(&results().join("ntt-steps.json.gz")).unwrap();
    let means = Record { questions: Vec::new(), partial: Some("stopped".into()), ..many() };
    let mut found = BTreeSet::new();
    for record in [many(), means, benchmarks(), gated, commands(&[1.0, 1.1], 20), steps] {
        let all: Json = serde_json::from_str(&of(&record, Format::Json)).unwrap();
        let entries = record.cases.iter().flat_map(|case| &case.entries);
        let values = entries.flat_map(|entry| &entry.replicates);
        let names = values.flat_map(|one| one.counts.keys().chain(one.phases.keys()));
        fields(&all, "", &names.map(String::as_str).collect(), &mut found);
        let header = of(&record, Format::Csv).lines().next().unwrap().to_owned();
        assert_eq!(header.split(',').map(str::to_owned).collect::<BTreeSet<_>>(), listed(csv));
    }
    assert_eq!(found, listed(json));
}

#[test]
fn csv_has_a_line_for_each_number() {
    let failed = Entry { failure: Some(Failure::new(FailureKind::Crash, "a, b")), ..entry("c", 1, 1e6, 0) };
    let entries = vec![entry("a", 1, 1e6, 20), entry("b", 1, 2e6, 20), failed];
    let text = of(&record(vec![case("fft", 4, entries)]), Format::Csv);
    let lines: Vec<_> = text.lines().skip(1).map(split_csv).collect();
    let words = |line: &Vec<String>| [2, 4, 9, 10].map(|at| line[at].clone()).join("|");
    let expected = [
        "a|value||",
        "a|spread||",
        "b|value|slower|",
        "b|spread|slower|",
        "b|ratio|slower|",
        "c|||FAILED crash: a, b",
    ];
    assert_eq!(lines.iter().map(words).collect::<Vec<_>>(), expected);
    for (line, near) in [(0, 1e6), (2, 2e6), (4, 2.0)] {
        let [estimate, low, high, replicates] =
            [5, 6, 7, 8].map(|at| lines[line][at].parse::<f64>().unwrap());
        assert!(low < estimate && estimate < high && low > 0.98 * near && high < 1.02 * near);
        assert_eq!(replicates, 20.0);
    }
}

/// Adds the path of each field, such as `rows[].ratio`; those of entries are the same in each table.
fn fields(value: &Json, path: &str, names: &BTreeSet<&str>, found: &mut BTreeSet<String>) {
    let path = path.strip_prefix("cases[].").filter(|path| path.starts_with("tables")).unwrap_or(path);
    let is_map =
        ["build", "from", "to", "params", "labels", "counts"].contains(&path.rsplit('.').next().unwrap());
    match value {
        Json::Array(all) => all.iter().for_each(|item| fields(item, &format!("{path}[]"), names, found)),
        Json::Object(all) if !is_map && !all.contains_key("low") => {
            let dot = if path.is_empty() { "" } else { "." };
            let key = |key| if path.ends_with("rows[]") && names.contains(key) { "NAME" } else { key };
            all.iter()
                .for_each(|(name, of)| fields(of, &format!("{path}{dot}{}", key(&**name)), names, found));
        }
        _ if is_map => drop(found.insert(path.replace("tables[].rows[]", "rows[]") + "{}")),
        _ => drop(found.insert(path.replace("tables[].rows[]", "rows[]"))),
    }
}

/// What each form for people says of a record, and after `not` what none says.
const SAID: &str = "\
partial | PARTIAL: interrupted; 12 of 20 rounds in this record. | · 12 rounds ·
missing | Missing on this system: stops, binding. | not busy
few | Undecided; so far ./tool --way 1 is 2.4 | (5 of 8 rounds). | not 99 % interval
two | ./tool --way 1 is 2.5 | not --out | not /a/
wrong | FAILED ./tool --way 1: wrong output
apart | 1 is 2.5 | not agreed
crashed | No result: every entry failed | FAILED ./tool --way 0: timeout: slow.
nothing | Nothing was measured. | not Brackets
no entries | No result
kept | Which runtime? | at least 5.0 % less time; kept by the whole interval. | not Geometric
broken | broken by the whole interval.
few of claim | it takes more rounds to say.
wide | the interval is too wide to say.
means | Over 5 cases: openmp layers on 2 threads is | Geometric means over the timed cases, taken within each round:
means | FAILED julia on 1 thread, in fft-g1, scale 4, fft-g1, scale 5, fft-g1, scale 6 and 2 others: crash
means | Skipped: rvv (no emulator: | not rvv on | not Which runtime?
benchmarks | 3 of 5 benchmarks changed: 2 slower, 1 faster; 1 undecided, 1 the same (within 2 %); 1 failed.
benchmarks | Geometric mean over 5 benchmarks: | Failed (crash in HEAD: it ended with exit code 101): panics.
benchmarks | Skipped (its measurement is not a number): custom. | Only in main (not in HEAD): old only.
benchmarks | Only in HEAD: new only. | Not measured (the run ended before: give it more time): not reached.
benchmarks | Brackets are 99 % intervals (99.4 % for benchmarks that changed). Verdicts are corrected for 5 benchmarks | not busy
empty | No benchmark was compared. | not corrected
many | No change found in 21 benchmarks; 1 undecided, 20 the same | 1 more would be called different without that
3 rounds | ; 1 without an interval, which needs 18 rounds: use more --rounds. | not changed:
busy | a thread waited for a processor in 34 % of the turns | the processors away for 10 % of | not PARTIAL
counting | The allocations of an iteration changed in 2 of 4 benchmarks: 1 more, 1 fewer, 1 varies, 1 same.
counting | Not counted (it measures itself): own time. | 2 → 3 to 5 | 1,000 to 3,000 B → 1,000 to 4,000 B | not 2 → 2";

#[test]
fn each_form_says_what_there_is() {
    let two = |rounds| commands(&[1.0, 0.4], rounds);
    let with = |change: &dyn Fn(&mut Case)| {
        let mut record = two(12);
        change(&mut record.cases[0]);
        record
    };
    let claim = |at_most, rounds| {
        let mut record = many();
        record.questions[0].at_most = Some(at_most);
        let entries = record.cases.iter_mut().flat_map(|case| &mut case.entries);
        entries.for_each(|entry| entry.replicates.truncate(rounds));
        record
    };
    for line in SAID.lines() {
        let (name, said) = line.split_once(" | ").unwrap();
        let record = match name {
            "partial" => Record { partial: Some("interrupted.".to_owned()), ..two(12) },
            "missing" => Record { missing: ["stops", "binding"].map(str::to_owned).into(), ..two(12) },
            "few" => two(5),
            "two" => two(20),
            "wrong" => with(&|case| {
                case.entries[1] = failed(case.entries[1].clone(), FailureKind::WrongDigest, "it differs");
            }),
            "apart" => with(&|case| {
                case.entries[1].digest = Some("sha256:another".into());
                case.workload = "fft".into();
            }),
            "crashed" => with(&|case| {
                let entries = case.entries.iter_mut();
                entries.for_each(|entry| entry.failure = failure(FailureKind::Timeout, "slow"));
            }),
            "nothing" => record(Vec::new()),
            "no entries" => record(vec![case("fft", 1, Vec::new())]),
            "kept" => claim(0.95, 20),
            "broken" => claim(0.5, 20),
            "few of claim" => claim(0.899, 3),
            "wide" => claim(0.8978, 20),
            "means" => Record { questions: Vec::new(), ..many() },
            "benchmarks" => benchmarks(),
            "empty" => suite(Vec::new()),
            // By itself the first would have changed: its p value is 0.003.
            "many" => {
                let of = |at: u8| benchmark(&at.to_string(), 1e6, if at > 0 { 1.0 } else { 1.005 }, 0.01);
                suite((0..21).map(|at| Case { sequential: false, ..of(at) }).collect())
            }
            "3 rounds" => suite(vec![Case { sequential: true, ..commands(&[1.0, 6.57], 3).cases.remove(0) }]),
            "busy" => {
                let mut case = benchmark("a", 1e3, 1.0, 0.01);
                case.cost = Some(Cost { rounds_ns: 1000, steal_ns: 200, ..Cost::default() });
                let replicates = case.entries.iter_mut().flat_map(|entry| &mut entry.replicates);
                replicates.for_each(|one| (one.samples, one.dropped, one.disturbed) = (100, 30, 4));
                suite(vec![case])
            }
            _ => counting(),
        };
        for text in [screen(&record, None), of(&record, Format::Markdown), of(&record, Format::Html)] {
            let text = flat(&text).replace('\u{a0}', " ");
            for part in said.split(" | ") {
                let (part, is_said) = part.strip_prefix("not ").map_or((part, true), |part| (part, false));
                assert_eq!(text.contains(part), is_said, "{part}: {text}");
            }
        }
        if record.suite.is_some() {
            is_narrow(&screen(&record, Some(80)));
        }
    }
}

#[test]
fn tables_have_what_changed_first_and_fit_a_terminal() {
    let text = screen(&benchmarks(), Some(80));
    let line = |name: &str| text.lines().position(|line| line.starts_with(&format!(" {name} "))).unwrap();
    assert!(["sort/10", "sort/1000", "hash/sha256", "parse/wide", "sum/10"].map(line).is_sorted(), "{text}");
    let narrow = screen(&commands(&[1.0, 1.1], 20), Some(80));
    let is_whole = ["700.0 µs", "200.0 µs", "28.6 MiB"].iter().all(|of| narrow.matches(of).count() == 2);
    assert!(is_whole, "{narrow}");
    for (width, hidden) in [(80, true), (100, true), (1000, false)] {
        let text = screen(&many(), Some(width));
        assert!(text.lines().all(|line| textwrap::core::display_width(line) <= width.into()), "{text}");
        assert_eq!(text.contains("Hidden at this width: "), hidden, "{text}");
    }
}

/// A suite, its conditions on times and on counts, and the answer to each.
const CONDITIONS: &str = "\
two | slower than 5% | | gate failed: 1 of 2 benchmarks slower than 5 %: a (+10.0 %)
two | slower than 20% | | gate passed: no benchmark slower than 20 %; 2 compared (their intervals reach +10.8 %)
two | slower than 10% | | gate undecided: no benchmark shown slower than 10 %; 1 of 2 benchmarks undecided
two | faster than 2% | more than 0% | gate passed: no benchmark faster | gate undecided: no benchmark shown with more allocations; 2 not measured
none | slower than 2% | | gate undecided: no benchmark was compared
skipped | faster than 2% | | gate passed
old failed | faster than 2% | | gate passed
new failed | faster than 2% | | gate undecided: no benchmark shown faster than 2 %; 1 failed | error: 1 benchmark failed in the
new failed | slower than 5% | | gate failed: 1 of 2 | error: 1 benchmark failed in the new revision only: c
counting | | more than 0% | gate failed: 1 of 4 benchmarks with more allocations: more (2 → 3 to 5)
counting | | more than 200% | gate undecided: no benchmark shown with over 200 % more allocations; 1 of 4
counting | faster than 50% | more than 1000% | gate passed: no benchmark faster than 50 % | gate passed
late | | more than 1000% | gate undecided: no benchmark shown with over 1000 % more allocations; 1 not measured: use a longer --for
ten | slower than 5% | | gate failed: 10 of 10 benchmarks slower than 5 %: 0 (+10.0 %), 1 (+10.0 %), 2 (+10.0 %), 3 (+10.0 %), 4 (+10.0 %), 5 (+10.0 %), 6 (+10.0 %), 7 (+10.0 %) and 2 more";

#[test]
fn conditions_on_suites_have_answers() {
    let two = [benchmark("a", 1e5, 1.1, 0.01), benchmark("b", 1e5, 1.0, 0.005)];
    let with = |cases: &[Case], failures| suite(cases.iter().cloned().chain([lost("c", failures)]).collect());
    let [crash, skip] = [FailureKind::Crash, FailureKind::Unsupported].map(|kind| Some((kind, "why")));
    for line in CONDITIONS.lines() {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let mut record = match fields[0] {
            "two" => suite(two.to_vec()),
            "none" => suite(Vec::new()),
            "skipped" => with(&two, [None, skip]),
            "old failed" => with(&two, [crash, None]),
            "new failed" => with(&two, [None, crash]),
            "counting" => counting(),
            "ten" => suite((0..10).map(|at| benchmark(&at.to_string(), 1e5, 1.1, 0.01)).collect()),
            _ => with(&counting().cases, [None, None]),
        };
        let border = |at: usize| fields[at].parse::<Gate>().ok().map(|gate| gate.border());
        let borders = (border(1), border(2));
        record.suite.iter_mut().for_each(|suite| (suite.gate, suite.counts_gate) = borders);
        let answers = sheet(&record, Path::new("r.json"), &[]).conditions;
        assert_eq!(answers.len(), fields.len() - 3, "{line}");
        let as_said = |(answer, said): (&Answer, &&str)| answer.text[0].starts_with(said);
        assert!(answers.iter().zip(&fields[3..]).all(as_said), "{answers:?} {line}");
    }
}

/// The texts of a figure are within it, whole, and not over one another.
#[test]
fn figures_and_pages_are_whole() {
    let long = "What was published: one runtime with recursion alone instead of another with recursion and butterflies";
    let mut asked = many();
    asked.questions = vec![question(long, "rayon", "openmp", None); 2];
    let names = ["s".repeat(24), "s".repeat(40)]
        .map(|name| record(vec![case("sum", 1, ["a", &name].map(|of| entry(of, 1, 1e4, 20)).into())]));
    let far = [11.0, 300.0, 4e4, 1e6].map(|factor| commands(&[1.0, 0.25, factor], 20));
    for record in far.into_iter().chain(names).chain([asked, many(), benchmarks()]) {
        let sheet = sheet(&record, Path::new("r.json"), &[]);
        assert!(sheet.figure.is_some());
        for svg in sheet.figure.iter().map(crate::export::svg::file) {
            let attribute = |of: &str, name: &str| {
                Some(of.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.to_owned())
            };
            let number = |of: &str, name: &str| attribute(of, name).unwrap().parse::<f64>().unwrap();
            let place = |part: &str| {
                let (start, text) = part.split_once('>').unwrap();
                let text = text.split("</text>").next().unwrap();
                let (x, length) = (number(start, "x"), 12.0 * 0.58 * text.chars().count() as f64);
                let by = attribute(start, "text-anchor")
                    .map_or(0.0, |anchor| if anchor == "end" { 1.0 } else { 0.5 });
                (number(start, "y"), x - by * length, x + (1.0 - by) * length, text.to_owned())
            };
            let texts: Vec<_> = svg.split("<text").skip(1).map(place).collect();
            for (at, (y, from, to, text)) in texts.iter().enumerate() {
                assert!(*from >= 0.0 && *to <= number(&svg, "width") && !text.contains('…'), "{text}: {svg}");
                let over = |(other, low, high, _): &&(f64, f64, f64, String)| {
                    (y - other).abs() < 9.0 && low < to && from < high
                };
                assert_eq!(texts[at + 1..].iter().find(over), None, "{text}: {svg}");
            }
        }
    }
    let page = of(&many(), Format::Html);
    for outside in
        ["fetch(", "XMLHttp", " src=", "http-equiv", "<link", "<img", "url(", "@import", "</style><style"]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    for link in page.split("<a href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert_eq!(page.matches(&format!("id=\"{link}\"")).count(), 1, "{link}");
    }
    let (_, page) = &crate::pages(&[sheet(&many(), Path::new("runs/a b.json.gz"), &[])], Path::new("."))[0];
    assert!(page.contains("\n# Which runtime? ") && page.contains("<img src=\"a%20b.svg\""), "{page}");
    assert!(page.contains("To repeat it: `parlab bench plans/fft.toml`. All"), "{page}");
}
