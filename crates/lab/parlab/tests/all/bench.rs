//! `parlab bench` and `parlab report` as a user runs them, with small plans.

use std::fs;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::record::Record;

use crate::process::{Folder, wait_until};

/// A plan of two cases, with an A/A control and a limit.
pub(crate) const PLAN: &str = r#"
schema = 2
title = "A small plan"
[sampling]
rounds = 8
samples = 2
sample-ms = 1
[[case]]
workload = "sum"
params = { scale = [10, 12] }
threads = [1, 2]
input = { bytes = 1, times = "2^scale" }
baseline = "serial"
control = true
[[candidate]]
name = "serial"
command = ["python3", "sum.py"]
threads = [1]
[[candidate]]
name = "rayon"
command = ["python3", "sum.py"]
[[candidate]]
name = "read limit"
command = ["python3", "sum.py"]
threads = [1]
limit = true
"#;

#[test]
fn a_plan_gives_a_table_a_record_and_a_page() {
    let folder = Folder::with(PLAN);
    let (out, err) = folder.line("bench p.toml", 0);
    let named = ["A small plan", "sum, scale 10", "against serial"];
    for part in named.into_iter().chain(["record: bench-results/p-", "page:   bench-results/p-"]) {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
    assert!(out.lines().count() <= 20 && out.lines().all(|line| line.chars().count() <= 160), "{out}");
    for part in ["after the first round", "A/A", "further time", "Turns"] {
        assert!(!out.contains(part) && !err.contains(part), "`{part}` is in\n{out}{err}");
    }
    assert_eq!(["html", "md"].map(|ending| folder.files("bench-results", ending).len()), [1; 2]);
    let record = folder.record("bench-results");
    assert_eq!((record.partial, record.cases.len()), (None, 2));
    for case in &record.cases {
        assert!(case.input_digest.starts_with("sha256:"));
        for entry in &case.entries {
            assert_eq!((&entry.failure, &entry.digest), (&None, &case.entries[0].digest));
            assert!(entry.rounds.len() == 8 && entry.rounds.iter().all(|round| round.len() == 2));
        }
    }
    assert_eq!(record.command, ["parlab", "bench", "p.toml"]);
    assert_eq!(record.cases[0].entries[0].command, ["python3", "sum.py"]);
    assert!(record.machine.backends.is_empty() && record.machine.cores > 0);
    assert_eq!(record.build["parcrypt"], env!("CARGO_PKG_VERSION"));
    for (key, is_there) in [("compiler", true), ("target", true), ("profile", true), ("openmp", false)] {
        assert_eq!(record.build.contains_key(key), is_there, "{key}: {:?}", record.build);
    }
    // The page can be written again from the record alone, and is the same.
    let record = folder.record_in("bench-results");
    let page = record.replace(".json", ".html");
    fs::rename(folder.path(&page), folder.path("before")).unwrap();
    folder.ends(&["report", &record], 0);
    assert_eq!(folder.read(&page), folder.read("before"));
    let terminal = folder.ends(&["report", "--terminal", &record], 0).0;
    for part in ["2 threads", "read limit", "outputs", "serial again (A/A control)"] {
        assert!(terminal.contains(part), "`{part}` is not in\n{terminal}");
    }
    let head = |text: &str| text.split("\n\n").take(2).collect::<Vec<_>>().concat();
    assert_eq!(head(&out), head(&terminal), "the terminal shows the rows of the run");
}

#[test]
fn pages_and_figures_of_records_are_files() {
    let folder = Folder::with(PLAN);
    folder.line("bench p.toml --rounds 1 --out results", 0);
    let record = folder.record_in("results");
    fs::copy(folder.path(&record), folder.path("results/copy.json")).unwrap();
    // A page for each record of a folder with its figure; other files are left out.
    folder.write("results/x.jsonl.gz", "no record");
    folder.line("report results --markdown --out pages", 0);
    assert_eq!([".md", ".svg"].map(|ending| folder.files("pages", ending).len()), [2, 2]);
    assert!(folder.read("pages/copy.md").contains("parlab report copy.json"));
    fs::create_dir(folder.path("none")).unwrap();
    let (_, err) = folder.line("report none", 2);
    assert!(err.contains("none: no records"), "{err}");
    for (format, start) in [
        ("--csv", "plan,case,row,"),
        ("--json", "{\n  \"schema\": 1,\n  \"plan\": \"p\""),
        ("--markdown", "#"),
    ] {
        let (out, _) = folder.ends(&["report", format, &record], 0);
        assert!(out.starts_with(start), "{out}");
    }
}

#[test]
fn json_and_markdown_are_all_of_standard_output() {
    let folder = Folder::with(PLAN);
    let one = "bench p.toml --rounds 1 --filter scale=10,threads=1";
    let (out, err) = folder.line(&format!("{one} --json"), 0);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["cases"].as_array().unwrap().len(), 1);
    assert!(err.contains("page:   bench-results/p-"), "{err}");
    let (out, _) = folder.line(&format!("{one} --markdown"), 0);
    assert!(out.starts_with('#'), "{out}");
}

#[test]
fn a_dry_run_measures_nothing() {
    let folder = Folder::with(PLAN);
    let (out, _) = folder.line("bench p.toml --dry-run", 0);
    assert!(out.contains("sum scale=12") && out.contains("10 entries in 2 cases, 8 rounds: about"), "{out}");
    assert!(!folder.path("bench-results").exists());
}

#[test]
fn a_failed_entry_is_exit_code_1_and_a_skipped_one_is_not() {
    let with = |name: &str, command: &str| {
        Folder::with(&format!("{PLAN}[[candidate]]\nname = \"{name}\"\ncommand = [{command}]\n"))
    };
    let short = "bench p.toml --rounds 1 --filter scale=10";
    let folder = with("bad", r#""sh", "-c", "echo sorry >&2; exit 9""#);
    let (out, err) = folder.line(short, 1);
    assert!(out.contains("exit code 9") && err.contains("lost"), "{out}");
    assert!(err.contains("negative: 2 entries failed\n"), "{err}");
    let (out, _) = folder.line("bench p.toml --dry-run", 1);
    assert!(out.contains("sorry"), "{out}");
    let (out, err) = with("julia", r#""no-julia-here""#).line(short, 0);
    assert!(out.contains("Skipped: julia (") && !err.contains("SKIP"), "{out}{err}");
}

#[test]
fn bad_input_is_an_error_and_nothing_is_written() {
    let folder = Folder::with(PLAN);
    folder.write("newer.toml", "schema = 9\n");
    folder.write("key.toml", PLAN.replace("control", "contrl"));
    folder.write("binary.toml", [0xff, 0, 1]);
    folder.write(
        "runtime.toml",
        PLAN.replacen("command = [\"python3\", \"sum.py\"]", "runtime = \"rayon\"", 1),
    );
    let cases: &[(&str, &[&str])] = &[
        ("", &["<PLAN>..."]),
        ("no-such-plan", &["no plan `no-such-plan`", "--program"]),
        ("no/such.toml", &["no/such.toml", "No such file"]),
        (".", &["."]),
        ("binary.toml", &["binary.toml"]),
        ("newer.toml", &["newer.toml", "a plan of schema 9, but"]),
        ("key.toml", &["key.toml", "line 14", "contrl"]),
        ("runtime.toml", &["runtime.toml:", "`runtime` is one of a program, and none is named"]),
        ("runtime.toml --dry-run", &["runtime.toml:", "`runtime` is one of a program, and none is named"]),
        ("p.toml newer.toml", &["newer.toml"]),
        ("p.toml --threads 0", &["--threads", "from 1"]),
        ("p.toml --threads two", &["--threads", "two"]),
        ("p.toml --threads -1", &["-1"]),
        ("p.toml --threads 99999999999999999999", &["--threads"]),
        ("p.toml --threads 1,0", &["--threads: numbers from 1"]),
        ("p.toml --rounds 0", &["--rounds", "from 1"]),
        ("p.toml --rounds 10001", &["--rounds: 10001: it must be from 1 to 10000"]),
        ("p.toml --rounds 1e9", &["--rounds"]),
        ("p.toml --filter scale", &["--filter", "operator"]),
        ("p.toml --filter scael=7", &["--filter", "`scael`", "scale"]),
        ("p.toml --filter scale=99", &["--filter", "no entry"]),
        ("p.toml --json --markdown", &["--json", "--markdown"]),
        ("p.toml --out p.toml", &["--out p.toml", "it is a file; name another folder"]),
        ("p.toml --out /dev/null/x", &["--out /dev/null/x", "cannot be written"]),
        ("p.toml --out /proc/nothing", &["--out /proc/nothing", "cannot be written"]),
    ];
    for (arguments, expected) in cases {
        let (out, err) = folder.line(&format!("bench {arguments}"), 2);
        for part in *expected {
            assert!(err.contains(part), "{arguments}: `{part}` is not in\n{err}");
        }
        assert!(out.is_empty(), "{arguments}");
    }
    assert!(!folder.path("bench-results").exists());
}

/// `a_wrong_record_is_named_with_its_field` of the lab has what is wrong in a record.
#[test]
fn bad_records_are_named() {
    let folder = Folder::with(PLAN);
    folder.line("bench p.toml --rounds 1 --filter scale=10 --out r", 0);
    let record = folder.record_in("r");
    let whole = folder.read(&record);
    for (name, text, part) in [
        ("empty.json", "", "cut short"),
        ("cut.json", &whole[..whole.len() / 2], "cut short"),
        ("foreign.json", "{\"results\":[1,2,3]}", "not a record"),
    ] {
        folder.write(name, text);
        let (_, err) = folder.ends(&["report", name], 2);
        assert!(err.contains(name) && err.contains(part), "{name}: {err}");
    }
    for arguments in ["no.json", ".", &format!("{record} --out /dev/null/x.html")] {
        let (out, err) = folder.line(&format!("report {arguments}"), 2);
        assert!(out.is_empty() && err.contains(arguments.split(' ').next_back().unwrap()), "{err}");
    }
    assert_eq!(folder.files(".", ".html").len(), 0);
}

/// Returns whether there is a process whose command line contains `what`.
fn is_alive(what: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(what))
}

#[test]
fn a_run_that_is_stopped_keeps_what_was_measured_and_ends_every_child() {
    for (signal, code, partial) in [
        (Signal::SIGINT, Some(130), "interrupted"),
        (Signal::SIGTERM, Some(130), "interrupted"),
        // Even stopped candidates end: their process group becomes an orphan, and the kernel ends it.
        (Signal::SIGKILL, None, "did not come to its end"),
    ] {
        // The marker identifies the candidates among all processes; the shell with it in its command line remains until
        // its child ends.
        let marker = format!("marked-for-{signal}");
        let command = format!(r#"["sh", "-c", 'python3 sum.py; exit $?', "{marker}"]"#);
        let plan = PLAN.replace("rounds = 8", "rounds = 5000").replace("sample-ms = 1", "sample-ms = 20");
        let folder = Folder::with(&format!("{plan}[[candidate]]\nname = \"marked\"\ncommand = {command}\n"));
        let mut bench = folder.parlab(&["bench", "p.toml", "--out", "r"]);
        let mut child = bench.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The second round begins.
        wait_until(|| {
            let records = folder.files("r", ".json");
            let record = records.first().and_then(|name| Record::read(&folder.path("r").join(name)).ok());
            record.is_some_and(|record| record.cases[0].entries[0].rounds.len() > 1)
        });
        wait_until(|| is_alive(&marker));
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        let status = child.wait().unwrap();
        wait_until(|| !is_alive(&marker));
        assert_eq!(status.code(), code);
        let record = folder.record("r");
        assert!(record.partial.unwrap().contains(partial));
        assert!(!record.cases[0].entries[0].rounds[0].is_empty());
        if code.is_some() {
            let page = folder.record_in("r").replace(".json", ".html");
            assert!(folder.read(&page).contains(partial));
        }
    }
}
