use super::text::{divan, go_pattern, names};
use super::*;

use Format::{Criterion, Divan, Go, GoogleBenchmark as Google, PytestBenchmark as Pytest};

/// Returns the values of a benchmark; of the only one without a name.
fn values(format: Format, name: &str, text: &str) -> Result<BTreeMap<String, u64>, String> {
    let benchmark = (!name.is_empty()).then(|| name.to_owned());
    read(text.as_bytes(), &Reading { format, benchmark, suite: None }).map_err(|error| error.to_string())
}

fn google(runs: &[&str]) -> String {
    format!(r#"{{"context": {{"num_cpus": 2, "caches": []}}, "benchmarks": [{}]}}"#, runs.join(","))
}

/// Returns an iteration run as Google Benchmark 1.7 writes it.
fn run(name: &str, time: &str, unit: &str) -> String {
    format!(
        r#"{{"name": "{name}", "family_index": 0, "per_family_instance_index": 0, "run_name": "{name}",
        "run_type": "iteration", "repetitions": 3, "repetition_index": 0, "threads": 1,
        "iterations": 1000, "real_time": {time}, "cpu_time": 9.9e+01, "time_unit": "{unit}"}}"#
    )
}

const MEAN: &str = r#"{"name": "f_mean", "run_name": "f", "run_type": "aggregate", "aggregate_name": "mean",
    "real_time": 1.0, "cpu_time": 1.0, "time_unit": "us"}"#;
const BIG_O: &str = r#"{"name": "f_BigO", "run_name": "f", "run_type": "aggregate", "aggregate_name": "BigO",
    "cpu_coefficient": 1.0, "real_coefficient": 1.0, "big_o": "N", "time_unit": "ns"}"#;

/// Returns a message as cargo-criterion 1.1 writes it.
fn message(id: &str, counts: &str, values: &str, unit: &str) -> String {
    let sample = format!(r#""iteration_count":{counts},"measured_values":{values},"unit":"{unit}""#);
    format!(
        r#"{{"reason":"benchmark-complete","id":"{id}","report_directory":"/x",{sample},"throughput":[],"typical":{{"estimate":1.0}},"mean":null,"slope":null,"change":null}}"#
    ) + "\n"
}

/// As cargo-criterion 1.1 writes it after the benchmarks of a group.
const GROUP: &str = "{\"reason\":\"group-complete\",\"group_name\":\"f\",\"benchmarks\":[\"f\"]}\n";

/// As divan 0.1.21 prints it, with two lines that a benchmark printed.
const TREE: &str = "\
work                 fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ add               0.542 ns      │ 0.544 ns      │ 0.544 ns      │ 0.543 ns      │ 100     │ 409600
├─ fib                             │               │               │               │         │
│  ├─ 2              hello
 and more
2.975 ns      │ 2.984 ns      │ 2.984 ns      │ 2.983 ns      │ 100     │ 102400
│  ╰─ c::d           372.7 ns      │ 374.1 ns      │ 372.8 ns      │ 373.3 ns      │ 100     │ 800
├─ thr                             │               │               │               │         │
│  ├─ t=1            13.26 µs      │ 13.3 µs       │ 13.26 µs      │ 13.28 µs      │ 100     │ 25600
│  ╰─ t=2            13.26 µs      │ 13.84 µs      │ 13.3 µs       │ 13.33 µs      │ 100     │ 25600
╰─ inner                           │               │               │               │         │
   ├─ ign            (ignored)     │               │               │               │         │
   ╰─ Named group                  │               │               │               │         │
      ├─ odd │ name  3.042 ms      │ 5.671 ms      │ 3.096 ms      │ 3.176 ms      │ 10      │ 40960
      │              370.3 GB/s    │ 366.3 GB/s    │ 366.3 GB/s    │ 366.3 GB/s    │         │
      ╰─ Vec<u8>     1.2 m         │ 1.2 m         │ 1.2 m         │ 1.2 m         │ 1       │ 1

other                fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ panics            ";

/// As Go 1.26 prints it, with what a benchmark printed, and with repetitions.
const LINES: &str = "goos: linux\npkg: example.com/sum\nhello\n\
    BenchmarkSum/n=8-2 \t 100\t 7.25 ns/op\t 464.58 MB/s\t 16 B/op\t 1 allocs/op\t 0.4 keys/op\n\
    BenchmarkSum/n=8-2 \t 100\t 7.75 ns/op\t 464.58 MB/s\t 16 B/op\t 2 allocs/op\t 2.6 keys/op\n\
    BenchmarkOne \t hello\n5 of them\n 1\t 120 ns/op\n\
    --- FAIL: BenchmarkBad/x\n    sum_test.go:19: boom\nFAIL\n";

#[test]
fn a_benchmark_has_the_median_of_what_is_printed() {
    let repeated = [run("f", "2.5e+00", "us"), run("f", "9e+00", "us"), run("f", "3", "us")];
    let repeated = google(&[&repeated[..].join(","), MEAN, BIG_O]);
    let two = google(&[&run("f/8", "4", "ms"), &run("g", "0.25", "s")]);
    // As before version 1.5.
    let old = google(&[r#"{"name": "h", "iterations": 5, "real_time": 7, "time_unit": "ns"}"#]);
    let medians = google(&[MEAN, &MEAN.replace("mean", "median").replace("1.0", "2.5")]);
    // 10, 12 and 11 ns for an iteration.
    let f = message("f", "[10, 20, 30]", "[100.0, 240.0, 330.0]", "ns");
    let printed = format!("printed by the benchmark\n{f}{GROUP}");
    let f_and_g = f + &message("g/7", "[1]", "[2.5]", "us");
    let packages = "pkg: a.org/a\nBenchmarkX 1 7 ns/op 1 B/op\npkg: a.org/b\nBenchmarkX 1 8 ns/op\n";
    let pytest = "test session\n{\"benchmarks\": [{\"fullname\": \"t.py::f\", \"stats\": {\"median\": 2e-6}}]}\n1 passed";
    for (format, name, text, ns) in [
        (Google, "", &*repeated, 3000.0),
        (Google, "f/8", &two, 4e6),
        (Google, "g", &two, 0.25e9),
        (Google, "", &old, 7.0),
        (Google, "", &medians, 2500.0),
        (Criterion, "", &printed, 11.0),
        (Criterion, "g/7", &f_and_g, 2500.0),
        (Pytest, "t.py::f", pytest, 2000.0),
        (Divan, "work::add", TREE, 0.544),
        (Divan, "work::fib::2", TREE, 2.984),
        (Divan, "work::fib::c::d", TREE, 372.8),
        (Divan, "work::thr::t=2", TREE, 13_300.0),
        (Divan, "work::inner::Named group::odd │ name", TREE, 3_096_000.0),
        (Go, "BenchmarkOne", LINES, 120.0),
        (Go, "BenchmarkSum/n=8", LINES, 7.5),
        (Go, "a.org/b.BenchmarkX", packages, 8.0),
        // Only one of the packages has it.
        (Go, "a.org/b.BenchmarkX", "pkg: a.org/b\nBenchmarkX 1 9 ns/op\n", 9.0),
    ] {
        let found = values(format, name, text).unwrap()[OWN_TIME] as f64 / 1e6;
        assert!((found - ns).abs() < 1e-6 * ns, "{name}: {found}");
    }
    assert_eq!(divan(TREE.as_bytes()).unwrap().len(), 7);
    let sum = [("allocated-bytes", 16), ("allocations", 2), ("keys/op", 2), (OWN_TIME, 7_500_000)];
    let sum = sum.map(|(name, value)| (name.to_owned(), value)).into();
    assert_eq!(values(Go, "BenchmarkSum/n=8-2", LINES), Ok(sum));
}

#[test]
fn output_without_a_time_is_an_error_that_says_why() {
    let of_google = |run: &str| (Google, "", google(&[run]));
    let timed = |time: &str, unit: &str| of_google(&run("f", time, unit));
    let two = google(&[&run("f", "4", "ns"), &run("g\\n", "4", "ns")]);
    let many: Vec<String> = (10..40).map(|n| run(&n.to_string(), "1", "ns")).collect();
    let failed = r#"{"name": "f", "error_occurred": true, "error_message": "no\nfile", "real_time": 0.0,
        "time_unit": "ns"}"#;
    let of_criterion = |counts: &str, values: &str, unit: &str| {
        let text = message("f", counts, values, unit);
        (Criterion, "", text)
    };
    let f = message("f", "[1]", "[1.0]", "ns");
    let plain = |format: Format, text: &str| (format, "", text.to_owned());
    let skipped = r#"{"benchmarks": [{"fullname": "f", "skipped": "later"}]}"#;
    for ((format, name, text), why) in [
        (of_google(""), "its output has no benchmark of Google Benchmark (--benchmark_format=json)"),
        (
            (Google, "", two.clone()),
            "its output has 2 benchmarks: choose one with --benchmark: \"f\", \"g\\n\"",
        ),
        ((Google, "h", two), "its output has no benchmark \"h\", but \"f\", \"g\\n\""),
        (of_google(&many.join(",")), "\"28\", \"29\" and 10 more"),
        (of_google(failed), "the benchmark \"f\" failed: \"no\\nfile\""),
        (
            of_google(MEAN),
            "has only aggregates, without a median: leave out --benchmark_report_aggregates_only",
        ),
        (timed("0", "ns"), "has the time 0 ns for an iteration: it must be above 0"),
        (timed("-1", "ns"), "has the time -1 ns"),
        (timed("1e300", "s"), "it must be above 0, and at most 1 h"),
        (timed("1e400", "s"), "benchmarks[0].real_time: number out of range"),
        (timed("NaN", "s"), "benchmarks[0]"),
        (timed("\"1\"", "s"), "benchmarks[0].real_time: invalid type: string"),
        (timed("1", "min"), "has the unit \"min\": it must be ns, us, ms or s"),
        (of_google(r#"{"name": "f", "time_unit": "ns"}"#), "the benchmark \"f\" has no `real_time`"),
        (of_google(r#"{"name": "f", "real_time": 1}"#), "the benchmark \"f\" has no `time_unit`"),
        (of_google(r#"{"real_time": 1}"#), "benchmarks[0]: missing field `name`"),
        (
            plain(Google, ""),
            "its output is not in the format of Google Benchmark (--benchmark_format=json): ",
        ),
        (plain(Google, "BM_f  12 ns  12 ns  1000\n"), "is not in the format of Google Benchmark"),
        (plain(Google, "{}"), "missing field `benchmarks`"),
        (plain(Google, r#"{"benchmarks": []} x"#), "trailing characters"),
        (plain(Criterion, &format!("{f}{f}")), "its output has the benchmark \"f\" more than once"),
        (plain(Criterion, GROUP), "has no benchmark of cargo-criterion (--message-format=json)"),
        (plain(Criterion, "{x}\n"), "is not in the format of cargo-criterion"),
        (plain(Criterion, r#"{"reason":"benchmark-complete"}"#), "missing field `id`"),
        (of_criterion("[1, 2]", "[1.0]", "ns"), "has 2 numbers of iterations and 1 values"),
        (of_criterion("[]", "[]", "ns"), "has 0 numbers of iterations and 0 values"),
        (of_criterion("[0]", "[0.0]", "ns"), "has the time NaN ns"),
        (of_criterion("[0]", "[1.0]", "ns"), "has the time inf ns"),
        (of_criterion("[1]", "[1.0]", "cycles"), "has the unit \"cycles\""),
        (plain(Pytest, "1 passed"), "pytest-benchmark (--benchmark-json): no line begins with `{`"),
        (plain(Pytest, skipped), "skipped: later"),
        (
            plain(Divan, "hello\n"),
            "its output is not in the format of divan: no line has a branch of its tree",
        ),
        ((Divan, "work::inner::Named group::Vec<u8>", TREE.to_owned()), "has the unit \"m\": it must be ns"),
        ((Divan, "other::panics", TREE.to_owned()), "has no benchmark \"other::panics\", but \"work::add\""),
        ((Go, "BenchmarkBad/x", LINES.to_owned()), "\"BenchmarkBad/x\" failed: sum_test.go:19: boom"),
        (
            (Go, "BenchmarkSum", LINES.to_owned()),
            "has no benchmark \"BenchmarkSum\", but \"BenchmarkBad/x\", ",
        ),
        (plain(Go, "PASS\n"), "no line begins with the name of a benchmark"),
        (plain(Go, "BenchmarkA 1 0 ns/op\n"), "has the time 0 ns"),
        (plain(Go, "BenchmarkA 1 NaN ns/op\n"), "has the value NaN ns/op"),
        (plain(Go, "BenchmarkA 1 -2 keys/op\n"), "has the value -2 keys/op"),
        (plain(Go, "BenchmarkA 1 2 keys/op\n"), "has no time"),
    ] {
        let found = values(format, name, &text).unwrap_err();
        assert!(found.contains(why), "{found}\n{why}");
    }
}

#[test]
fn names_of_benchmarks_are_listed_and_asked_for() {
    let tree = "hello\nwork\n├─ thr\n│  ├─ t=1 \n│  ╰─ t=2\n╰─ ign  (ignored)\n\nother\n╰─ a b\n";
    let listed = names("hello\nwork::thr: benchmark\nother::a b: benchmark\nwork::ign: benchmark\n", tree);
    assert_eq!(listed, ["work::thr::t=1", "work::thr::t=2", "other::a b", "work::ign"]);
    assert_eq!(go_pattern("BenchmarkA_b/x(y)/[1]-2"), r"^BenchmarkA_b$/^x\(y\)$/^\[1\](-2)?$");
    assert_eq!(["BenchmarkA", "a.org/b.BenchmarkA"].map(go_pattern), ["^BenchmarkA$"; 2]);
    let mut asked = Asked::new(&WholeCommand { words: vec!["b".to_owned()], ..WholeCommand::default() });
    (Google.reader().one)(&mut asked, "T<a::b*>/8(a|b)[1]{2}", "/x".as_ref());
    assert_eq!(asked.command.words[1], r"--benchmark_filter=^T<a::b\*>/8\(a\|b\)\[1]\{2}$");
    for name in ["criterion", "google-benchmark", "pytest-benchmark", "divan", "go"] {
        let format: Format = name.parse().unwrap();
        assert!(format.reader().program.to_lowercase().contains(name.split('-').next().unwrap()));
    }
    let why = "x".parse::<Format>().unwrap_err().to_string();
    assert!(
        why.starts_with("unknown variant `x`, expected one of `criterion`, `google-benchmark`, "),
        "{why}"
    );
}
