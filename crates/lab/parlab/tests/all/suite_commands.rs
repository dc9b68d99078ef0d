//! `parlab suite` with commands whose output it reads: scripts that print what the programs of each format do, with
//! times that do not vary. Where pytest-benchmark is installed, it is run too.

use std::collections::BTreeMap;
use std::process::Command;

use parcrypt_lab::record::Measure;
use serde_json::Value;

use crate::process::{Folder, ends, shell};
use crate::suite::{commit, repository};

/// As Google Benchmark 1.7.1 answers: its list, and one benchmark in a file.
pub(crate) const GOOGLE: &str = r#"#!/bin/sh
echo 'printed by the suite'
for word; do
    case $word in
    --benchmark_list_tests) printf 'BM_Copy/8\nBM_T<int, char*>\nBM_Skip\nBM_Exits\nBM_Twice\nBM_Twice\nONLY\n'; exit ;;
    --benchmark_filter=*) filter=${word#*=} ;;
    --benchmark_out=*) out=${word#*=} ;;
    --benchmark_out_format=json | --benchmark_min_time=0.05) ;;
    *) echo "$0: error: unrecognized command-line flag: $word" >&2; exit 1 ;;
    esac
done
run() { # NAME TIME UNIT [ERROR]
    echo '{ "context": { "num_cpus": 2, "caches": [], "library_build_type": "release" }, "benchmarks": [
    { "name": "'"$1"'", "family_index": 0, "per_family_instance_index": 0, "run_name": "'"$1"'",
      "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1,'"$4"'
      "iterations": 1000, "real_time": '"$2"', "cpu_time": 1.5e-01, "time_unit": "'"$3"'" } ] }' > "$out"
}
case $filter in
'^BM_Copy/8$') run BM_Copy/8 COPY us ;;
'^BM_T<int, char\*>$') run 'BM_T<int, char*>' 4.0e+01 ns ;;
'^BM_Skip$') run BM_Skip 0.0 ns '"error_occurred": true, "error_message": "no such file",' ;;
'^BM_Exits$') echo 'out of luck' >&2; exit 3 ;;
*) : > "$out" ;;
esac
"#;

/// As divan 0.1.21 answers: the list that cargo-nextest asks for, a test, and the tree of a benchmark.
const DIVAN: &str = r#"#!/bin/sh
case "$*" in
'--list --format terse') [ "$NEXTEST" = 1 ] || exit 2
    printf 'work::thr: benchmark\nwork::a b: benchmark\n' ;;
--test) printf 'work\n├─ thr\n│  ├─ t=1\n│  ╰─ t=2\n╰─ a b' ; exit 101 ;;
'--bench --exact work::thr::t='[12]' work::thr') echo \
'work       fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ thr                   │               │               │               │         │
   ├─ t=1  13.26 ns      │ 13.3 ns       │ 13.26 ns      │ 13.28 ns      │ 100     │ 25600
   ╰─ t=2  13.26 µs      │ 13.84 µs      │ 13.5 µs       │ 13.33 µs      │ 100     │ 25600
' ;;
*) [ "$DIVAN_MAX_TIME" = 0.05 ] && echo "out of luck: $*" >&2; exit 101 ;;
esac
"#;

/// As pytest answers with the module that parlab gives it.
const PYTEST: &str = r#"#!/bin/sh
case " $* " in *' -p parlab_suite --continue-on-collection-errors '*) ;; *) exit 4 ;; esac
[ -f "${PYTHONPATH%%:*}/parlab_suite.py" ] || exit 4
for word; do
    case $word in --benchmark-json=*) out=${word#*=} ;; esac
done
if [ "$PARLAB_SUITE_LIST" ]; then
    printf '{"benchmark": "test_a.py::test_p[c d]"}\n{"benchmark": "test_b.py", "skip": "No module named x"}\n' \
        > "$PARLAB_SUITE_LIST"
    exit 2
fi
echo '{ "machine_info": {}, "benchmarks": [ { "group": null, "name": "test_p[c d]",
    "fullname": "'"$PARLAB_SUITE_BENCHMARK"'", "stats": { "min": 1e-07, "median": 1.5e-07, "rounds": 5 } } ] }' > "$out"
"#;

/// Returns the rows of a suite in JSON, by name.
pub(crate) fn rows(stdout: &str) -> BTreeMap<String, Value> {
    let json: Value = serde_json::from_str(stdout).unwrap();
    let rows = ["rows", "not_compared"].into_iter().flat_map(|list| json[list].as_array().unwrap());
    rows.map(|row| (row["what"].as_str().unwrap().to_owned(), row.clone())).collect()
}

/// Returns the old and the new time of a row in ns.
fn times(row: &Value) -> [f64; 2] {
    let ns = |side: &str| row[side]["estimate"].as_f64().unwrap_or_else(|| panic!("{row}"));
    ["old", "new"].map(|side| (1e6 * ns(side)).round() / 1e6)
}

#[test]
fn two_programs_with_suites_are_compared() {
    let folder = Folder::new();
    for (name, copy, only) in [("old", "2.5", "BM_Gone"), ("new", "5.0", "BM_Added\\nBM_Added")] {
        folder.script(name, &GOOGLE.replace("COPY", copy).replace("ONLY", only));
    }
    let pair = "suite --cmd './old' --cmd './new' --reads google-benchmark";
    let (stdout, stderr) = folder.line(&format!("{pair} --rounds 1 --json --out kept"), 0);
    let rows = rows(&stdout);
    assert_eq!(times(&rows["BM_Copy/8"]), [2500.0, 5000.0], "{stderr}");
    assert_eq!(times(&rows["BM_T<int, char*>"]), [40.0, 40.0], "{stderr}");
    for (name, verdict, why) in [
        ("BM_Skip", "failed", "crash in old: the benchmark \"BM_Skip\" failed: \"no such file\""),
        ("BM_Exits", "failed", "crash in old: ended with exit code 3: out of luck"),
        ("BM_Twice", "skipped", "2 benchmarks have this name"),
        ("printed by the suite", "failed", "its output has no benchmark of Google Benchmark"),
        ("BM_Gone", "only-in-old", ""),
        ("BM_Added", "only-in-new", ""),
    ] {
        let row = &rows[name];
        assert_eq!(row["how"], verdict, "{row}");
        assert!(row["why"].as_str().unwrap_or_default().contains(why), "{row}");
    }
    let record = folder.record("kept");
    assert!(record.cases.iter().any(|case| case.measure == Measure::OwnTime && case.workload == "BM_Copy/8"));
    // Sixteen rounds are enough for an answer on one benchmark.
    let gate = format!("{pair} --rounds 16 --fail-if 'slower than 20%' Copy");
    let (stdout, _) = folder.line(&gate, 1);
    assert!(stdout.contains("1 of 1 benchmark changed: 1 slower"), "{stdout}");
}

#[test]
fn each_format_has_its_list_and_its_times() {
    let folder = Folder::new();
    let found = |reads: &str, script: &str| {
        folder.script("bench", script);
        let both = "suite --cmd ./bench --cmd ./bench --rounds 1 --json";
        let (stdout, _) = folder.line(&format!("{both} --reads {reads}"), 0);
        rows(&stdout)
    };
    // What a benchmark that fails while it is listed had in the other revision has failed, whatever is asked for.
    let line = |name: &str| format!("Benchmark{name}-2 1 7 ns/op\n");
    let old = ["A", "B/x", "C/x", "C/y"].map(line).concat();
    folder.script("old", &format!("#!/bin/sh\necho '{old}'\n"));
    let of_b = "--- FAIL: BenchmarkB/x\n    b_test.go:9: no data\n--- FAIL: BenchmarkB\n";
    let of_c = "--- FAIL: BenchmarkC\n    c_test.go:7: no more\nFAIL";
    folder.script("new", &format!("#!/bin/sh\necho '{}{of_b}{}{of_c}'\nexit 1\n", line("A"), line("C/x")));
    let go = "suite --cmd ./old --cmd ./new --reads go --rounds 1 --json --fail-if 'slower than 50%'";
    for (filter, name, why) in
        [("B", "BenchmarkB/x-2", "b_test.go:9: no data"), ("/", "BenchmarkC/y-2", "c_test.go:7: no more")]
    {
        let (stdout, stderr) = folder.line(&format!("{go} A-2 {filter}"), 2);
        let row = &rows(&stdout)[name];
        assert!(row["how"] == "failed" && row["why"].as_str().unwrap().contains(why), "{stdout}{stderr}");
    }
    let divan = found("divan", DIVAN);
    assert_eq!(times(&divan["work::thr::t=1"]), [13.26; 2]);
    assert_eq!(times(&divan["work::thr::t=2"]), [13_500.0; 2]);
    let why = divan["work::a b"]["why"].as_str().unwrap();
    assert!(why.contains("out of luck: --bench --exact work::a b"), "{why}");
    let pytest = found("pytest-benchmark", PYTEST);
    assert_eq!(times(&pytest["test_a.py::test_p[c d]"]), [150.0; 2]);
    assert_eq!(pytest["test_b.py"]["why"], "No module named x");
}

#[test]
fn what_a_process_counts_has_conditions_of_its_own() {
    let folder = Folder::new();
    for (name, allocations, bytes) in [("old", 0, 100_000), ("new", 1, 9_000_000)] {
        let line = format!("BenchmarkX-2 100 7.5 ns/op 16 B/op {allocations} allocs/op");
        folder.script(
            name,
            &format!("#!/bin/sh\nx=$(head -c {bytes} /dev/zero | tr '\\0' a)\necho '{line}'\n"),
        );
    }
    let pair = "suite --cmd ./old --cmd ./new --reads go --rounds 8 --json";
    for (measure, condition, code) in [
        ("time,allocations", "slower than 5%, more than 0% allocations", 1),
        ("time,allocations", "fewer than 0% allocations", 0),
        ("memory", "more than 20% memory", 1),
    ] {
        let (stdout, stderr) =
            folder.line(&format!("{pair} --measure {measure} --fail-if '{condition}'"), code);
        assert_eq!(times(&rows(&stdout)["BenchmarkX-2"]), [7.5; 2], "{stderr}");
    }
    let (stdout, _) = folder.line(&format!("{pair} --measure allocations"), 0);
    let counts = &rows(&stdout)["BenchmarkX-2"]["counts"]["allocations"];
    assert_eq!((&counts["old"]["high"], &counts["new"]["low"]), (&0.into(), &1.into()), "{stdout}");
    for (arguments, why) in [
        ("--measure memory --fail-if 'more than 1% allocations'", "that is not counted: give --measure too"),
        ("--measure instructions", "besides time it can be either allocations or memory here"),
        ("--measure memory,allocations", "besides time it can be either"),
        ("--measure x", "it must be time, allocations, instructions or memory"),
    ] {
        let (_, stderr) = folder.line(&format!("{pair} {arguments}"), 2);
        assert!(stderr.contains(why), "{stderr}");
    }
}

#[test]
fn a_command_runs_in_work_trees_that_are_built() {
    let Some(folder) = repository() else { return };
    for (tag, copy) in [("v1", "2.5"), ("v2", "5.0")] {
        folder.script("bench.in", &GOOGLE.replace("COPY", copy));
        commit(&folder, tag);
    }
    let reads = "--build 'cp bench.in bench' --cmd ./bench --reads google-benchmark --json --rounds 1 Copy";
    let (stdout, stderr) = folder.line(&format!("suite --rev v1 --rev v2 {reads}"), 0);
    assert_eq!(times(&rows(&stdout)["BM_Copy/8"]), [2500.0, 5000.0], "{stderr}");
    assert!(!folder.path("bench").exists(), "it is built in the work trees alone");
    let (stdout, _) = folder.line(&format!("suite --rev v1 --rev v2 --cmd 'sh bench.in' {reads} --list"), 0);
    assert_eq!(stdout, "BM_Copy/8\nBM_Copy/8\n", "of two programs");
    folder.script("bench.in", &GOOGLE.replace("COPY", "1.0"));
    let (stdout, _) = folder.line(&format!("suite {reads}"), 0);
    assert_eq!(times(&rows(&stdout)["BM_Copy/8"]), [5000.0, 1000.0], "HEAD, and what is not committed");
}

#[test]
fn the_examples_of_the_guide_run() {
    let Some(folder) = repository() else { return };
    for name in ["bench.in", "bench-old", "bench-new"] {
        folder.script(name, &GOOGLE.replace("COPY", "1.0"));
    }
    folder.script("pytest", &PYTEST.replace("c d", "parse"));
    // Builds a program that prints a line.
    folder.script(
        "go",
        "#!/bin/sh\nprintf '#!/bin/sh\\necho BenchmarkSort-2 100 7.5 ns/op\\n' > $4\nchmod +x $4\n",
    );
    folder.write("Makefile", "all:\n\tcp bench.in bench\n");
    commit(&folder, "all");
    let guide = include_str!("../../../../../docs/guides/compare-suites.md");
    let (_, section) = guide.split_once("Suites in C++, Go and Python\n").unwrap();
    let (_, block) = section.split_once("```sh\n").unwrap();
    let examples = block.split_once("```").unwrap().0;
    assert_eq!(examples.lines().count(), 4);
    let examples = examples.replace("parlab suite", "parlab suite --rounds 1");
    let (stdout, _) = ends(&mut shell(&folder.path(""), &format!("PATH=$PWD:$PATH\n{examples}")), 0);
    let rows =
        |name: &str| stdout.lines().filter(|line| line.contains(name) && line.contains(" ns ")).count();
    let found = ["BM_T<int, char*>", "test_a.py::test_p[parse]", "BenchmarkSort-2"].map(rows);
    assert_eq!(found, [2, 1, 1], "{stdout}");
}

#[test]
fn commands_that_cannot_be_read_say_why() {
    let folder = Folder::new();
    folder.script("google", GOOGLE);
    folder.script("quiet", "#!/bin/sh\n");
    let google = "--cmd ./google --cmd ./google";
    for (commands, more, why) in [
        (google, "", "--reads <FORMAT>"),
        ("", "--reads divan", "--cmd <COMMAND>"),
        (google, "--reads criterion", "built without --cmd and --reads"),
        (
            google,
            "--reads x",
            "expected one of `criterion`, `google-benchmark`, `pytest-benchmark`, `divan`, `go`",
        ),
        (google, "--reads divan --layouts 16", "cannot be used with '--layouts"),
        (google, "--reads divan --build make", "two commands are compared without any"),
        (google, "--reads divan --cmd ./google", "two commands are compared with each other"),
        ("--cmd './google | cat' --cmd ./google", "--reads divan", "write sh -c '…'"),
        ("--cmd ./quiet --cmd ./quiet", "--reads google-benchmark", "no benchmark is in both revisions"),
        ("--cmd ./missing --cmd ./missing", "--reads google-benchmark", "`./missing` not found in"),
        (
            "--cmd './google --x' --cmd ./google",
            "--reads google-benchmark",
            "unrecognized command-line flag: --x",
        ),
        (google, "--reads divan", "ended with exit code 1"),
    ] {
        let (_, stderr) = folder.line(&format!("suite --rounds 2 {commands} {more}"), 2);
        assert!(stderr.contains(why), "{commands} {more}\n{stderr}");
    }
}

/// A suite for pytest-benchmark.
const TESTS: &str = r#"
import pytest
@pytest.mark.parametrize("n", ["a b", "c[d]::e"])
def test_p(benchmark, n):
    print("printed by a test")
    benchmark(lambda: str(n))
def test_plain():
    assert False
def test_fails(benchmark):
    benchmark(lambda: 1 / 0)
@pytest.mark.skip(reason="later")
def test_skipped(benchmark):
    benchmark(int)
@pytest.mark.skipif(True, reason="not here")
def test_skipped_if(benchmark):
    benchmark(int)
def test_skips(benchmark):
    pytest.skip("no data")
"#;

#[test]
fn pytest_runs_one_benchmark_at_a_time() {
    let has = Command::new("python3").args(["-c", "import pytest_benchmark"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        parcrypt_testkit::skip("parlab", "pytest-benchmark", "it is not installed");
        return;
    }
    let folder = Folder::new();
    folder.write("test_a.py", TESTS);
    folder.write("test_broken.py", "import nothing_of_this_name\n");
    let both = "suite --cmd 'python3 -m pytest' --cmd 'python3 -m pytest test_a.py test_broken.py'";
    let (stdout, stderr) = folder.line(&format!("{both} --reads pytest-benchmark --rounds 1 --json"), 0);
    let rows = rows(&stdout);
    for name in ["test_a.py::test_p[a b]", "test_a.py::test_p[c[d]::e]"] {
        assert!(times(&rows[name]).iter().all(|ns| *ns > 0.0), "{stderr}");
    }
    for (name, why) in [
        ("test_a.py::test_fails", "ZeroDivisionError: division by zero"),
        ("test_a.py::test_skipped", "skipped: later"),
        ("test_a.py::test_skipped_if", "skipped: not here"),
        ("test_a.py::test_skips", "skipped: no data"),
        ("test_broken.py", "No module named 'nothing_of_this_name'"),
    ] {
        let said = rows[name]["why"].as_str().unwrap_or_default();
        assert!(said.contains(why), "{}", rows[name]);
    }
    assert_eq!(rows.len(), 7, "{stdout}");
}
