//! `parlab bench` and `parlab report` as a user runs them, with small plans.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::record::Record;

const PLAN: &str = r#"
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
command = ["PARLAB", "audit-candidate"]
threads = [1]
[[candidate]]
name = "rayon"
command = ["PARLAB", "audit-candidate"]
[[candidate]]
name = "read limit"
command = ["PARLAB", "audit-candidate"]
threads = [1]
limit = true
"#;

fn parlab(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlab"));
    command.current_dir(folder).args(arguments).env_remove("PARCRYPT_BACKEND").output().unwrap()
}

fn folder_with(plan: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.toml"), plan.replace("PARLAB", env!("CARGO_BIN_EXE_parlab")))
        .unwrap();
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    all.filter(|path| path.extension().is_some_and(|e| e == ending)).collect()
}

#[test]
fn a_plan_gives_a_table_a_record_and_a_page() {
    let folder = folder_with(PLAN);
    let output = parlab(folder.path(), &["bench", "p.toml", "--out", "results"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    for part in [
        "A small plan",
        "sum, scale 10",
        "2 threads",
        "speed (serial = 1)",
        "record: results/p-",
        "page:   results/p-",
    ] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
    assert!(out.lines().count() <= 20 && out.lines().all(|line| line.chars().count() <= 160), "{out}");
    for part in ["after the first round", "A/A", "further time", "Turns"] {
        assert!(!out.contains(part) && !err.contains(part), "`{part}` is in\n{out}{err}");
    }
    let results = folder.path().join("results");
    let [records, pages, markdown] = ["json", "html", "md"].map(|ending| files(&results, ending));
    assert_eq!((records.len(), pages.len(), markdown.len()), (1, 1, 1));
    let record = Record::read(&records[0]).unwrap();
    assert_eq!(record.partial, None);
    assert_eq!(record.cases.len(), 2);
    for case in &record.cases {
        assert!(case.input_digest.starts_with("sha256:"));
        for entry in &case.entries {
            assert_eq!(entry.failure, None);
            assert!(entry.rounds.len() == 8 && entry.rounds.iter().all(|round| round.len() == 2));
        }
    }
    assert_eq!(record.command[..3], ["parlab", "bench", "p.toml"]);
    assert_eq!(
        record.cases[0].entries[0].command[..2],
        ["parlab", "audit-candidate"],
        "no path of this machine"
    );
    for key in ["parcrypt", "compiler", "target", "profile"] {
        assert!(record.build.contains_key(key), "{key} is not in {:?}", record.build);
    }
    // The page can be written again from the record alone, and is the same.
    std::fs::rename(&pages[0], results.join("before")).unwrap();
    let again = parlab(folder.path(), &["report", records[0].to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(std::fs::read(&pages[0]).unwrap(), std::fs::read(results.join("before")).unwrap());
    let summary = parlab(folder.path(), &["report", "--summary", records[0].to_str().unwrap()]);
    assert!(out.starts_with(&text(&summary.stdout)), "the terminal's report is that of the run");
    let terminal = parlab(folder.path(), &["report", "--terminal", records[0].to_str().unwrap()]);
    for part in ["read limit", "outputs", "serial again (A/A control)"] {
        assert!(text(&terminal.stdout).contains(part), "`{part}` is not in\n{}", text(&terminal.stdout));
    }
    let markdown = parlab(folder.path(), &["report", "--markdown", records[0].to_str().unwrap()]);
    assert!(text(&markdown.stdout).contains("| serial"), "{}", text(&markdown.stdout));
}

#[test]
fn the_figures_of_a_page_are_files_too() {
    let folder = folder_with(PLAN);
    let common = ["bench", "p.toml", "--rounds", "1", "--out", "results"];
    let output = parlab(folder.path(), &[&common[..], &["--plots", "a/new folder"]].concat());
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{out}{}", text(&output.stderr));
    assert!(out.contains("\nplots:  a/new folder: "), "{out}");
    let names = |folder: &Path, ending: &str| {
        let found = files(folder, ending);
        let stem = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut names: Vec<String> = found.iter().map(stem).collect();
        names.sort();
        names
    };
    let first = folder.path().join("a/new folder");
    let svg = names(&first, "svg");
    for name in ["p-sum-time-over-scale-2-threads", "p-sum-scale-12-speed-up-over-threads"] {
        assert!(svg.iter().any(|found| found == name), "{name}: {svg:?}");
    }
    if cfg!(not(feature = "plots")) {
        assert!(out.contains("without PNG and PDF"), "{out}");
    } else if out.contains("no font") {
        println!("SKIP parlab plots there is no font on this machine");
    } else {
        for ending in ["png", "pdf"] {
            assert_eq!(names(&first, ending), svg);
        }
    }
    // The same from the record alone; with two records, each has a folder.
    let record = &files(&folder.path().join("results"), "json")[0];
    let copy = folder.path().join("results/copy.json");
    std::fs::copy(record, &copy).unwrap();
    let records = [record.to_str().unwrap(), copy.to_str().unwrap()];
    let again = parlab(folder.path(), &[&["report", "--plots", "both"][..], &records].concat());
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    for stem in [record.file_stem().unwrap().to_str().unwrap(), "copy"] {
        let again = folder.path().join("both").join(stem);
        assert_eq!(names(&again, "svg"), svg);
        let file = format!("{}.svg", svg[0]);
        assert_eq!(std::fs::read(again.join(&file)).unwrap(), std::fs::read(first.join(&file)).unwrap());
    }
    // A page for each record with its figures, a list of them, and the speeds in a front page above.
    std::fs::write(folder.path().join("results/copy.txt"), "Made for a test.\n").unwrap();
    let front = "# Front\n<!-- generated: picture -->\nold\n<!-- end -->\n";
    std::fs::write(folder.path().join("front.md"), front).unwrap();
    std::fs::create_dir(folder.path().join("start")).unwrap();
    let more = "# More\n<!-- generated: output of copy -->\nold\n<!-- end -->\n";
    std::fs::write(folder.path().join("start/more.md"), more).unwrap();
    let pages = ["report", "--markdown", "--out", "pages", "--front", "front.md", "--front", "start/more.md"];
    let output = parlab(folder.path(), &[&pages[..], &records].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(
        read("pages/copy.md").contains("Made for a test.") && read("pages/copy.md").contains("(copy.json)")
    );
    assert!(read("pages/README.md").contains("[copy](copy.md)"));
    assert!(
        (1..=3).contains(&names(&folder.path().join("pages/copy"), "svg").len()),
        "at most three figures"
    );
    let more = read("start/more.md");
    assert!(
        !more.contains("\nold\n")
            && more.contains("```text\n$ parlab bench ")
            && more.ends_with("<!-- end -->\n"),
        "{more}"
    );
    assert!(!read("front.md").contains("\nold\n") && read("front.md").starts_with("# Front\n"));
    std::fs::write(folder.path().join("front.md"), "# Front\n").unwrap();
    let refused = parlab(folder.path(), &[&pages[..], &records].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--front front.md"), "{}", text(&refused.stderr));
    // The same as HTML, of a folder, from which other files are left out.
    std::fs::write(folder.path().join("results/x.jsonl.gz"), "no record").unwrap();
    for _ in 0..2 {
        let output = parlab(folder.path(), &["report", "results", "--html", "--out", "html"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(names(&folder.path().join("html"), "html").len(), 3);
    assert!(
        read("html/index.html").contains("href=\"./copy.html\"")
            && read("html/copy.html").contains("Made for a test.")
    );
    std::fs::create_dir(folder.path().join("none")).unwrap();
    let refused = parlab(folder.path(), &["report", "none"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("none: no records"), "{}", text(&refused.stderr));
    for (format, start) in [("--csv", "plan,workload,"), ("--json", "[\n  {\n    \"plan\": \"p\"")] {
        let output = parlab(folder.path(), &["report", format, records[0]]);
        assert!(text(&output.stdout).starts_with(start), "{}", text(&output.stdout));
    }
    let refused = parlab(folder.path(), &["bench", "p.toml", "--plots", "/dev/null/x"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("--plots /dev/null/x: cannot be written"),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn a_thinned_record_gives_the_same_report() {
    let folder = folder_with(PLAN);
    let bench = parlab(folder.path(), &["bench", "p.toml", "--rounds", "1", "--out", "full"]);
    assert_eq!(bench.status.code(), Some(0), "{}", text(&bench.stderr));
    let full = files(&folder.path().join("full"), "json")[0].clone();
    let full = full.to_str().unwrap();
    let thin = parlab(folder.path(), &["record", "thin", full, "--out", "thin"]);
    assert_eq!(thin.status.code(), Some(0), "{}", text(&thin.stderr));
    let thinned = files(&folder.path().join("thin"), "gz")[0].clone();
    assert!(text(&thin.stdout).starts_with("thin/p-") && text(&thin.stdout).contains(".json.gz: "));
    for form in ["--terminal", "--markdown", "--csv", "--json"] {
        let [full, thin] =
            [full, thinned.to_str().unwrap()].map(|record| parlab(folder.path(), &["report", form, record]));
        assert_eq!((full.status.code(), thin.status.code()), (Some(0), Some(0)), "{}", text(&thin.stderr));
        assert_eq!(text(&full.stdout), text(&thin.stdout), "{form}");
    }
    let refused = parlab(folder.path(), &["record", "thin", "p.toml", "--out", "thin"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("p.toml: not a record of the lab"), "{}", text(&refused.stderr));
}

#[test]
fn json_and_markdown_are_all_of_standard_output() {
    let folder = folder_with(PLAN);
    let common = ["bench", "p.toml", "--rounds", "1", "--filter", "scale=10,threads=1"];
    let json = parlab(folder.path(), &[&common[..], &["--json"]].concat());
    assert_eq!(json.status.code(), Some(0), "{}", text(&json.stderr));
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["cases"].as_array().unwrap().len(), 1);
    assert!(text(&json.stderr).contains("page:   bench-results/p-"));
    let markdown = parlab(folder.path(), &[&common[..], &["--markdown"]].concat());
    assert!(text(&markdown.stdout).starts_with('#'), "{}", text(&markdown.stdout));
}

#[test]
fn a_dry_run_measures_nothing() {
    let folder = folder_with(PLAN);
    let output = parlab(folder.path(), &["bench", "p.toml", "--dry-run"]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(out.contains("sum scale=12") && out.contains("10 entries in 2 cases, 8 rounds: about"), "{out}");
    assert!(!folder.path().join("bench-results").exists());
}

#[test]
fn a_failed_entry_is_exit_code_1_and_a_skipped_one_is_not() {
    let bad = "[[candidate]]\nname = \"bad\"\ncommand = [\"sh\", \"-c\", \"echo sorry >&2; exit 9\"]\n";
    let folder = folder_with(&format!("{PLAN}{bad}"));
    let output = parlab(folder.path(), &["bench", "p.toml", "--rounds", "1", "--filter", "scale=10"]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}{}", text(&output.stderr));
    assert!(out.contains("exit code 9") && text(&output.stderr).contains("lost"), "{out}");
    let dry = parlab(folder.path(), &["bench", "p.toml", "--dry-run"]);
    assert_eq!(dry.status.code(), Some(1));
    assert!(text(&dry.stdout).contains("sorry"), "{}", text(&dry.stdout));

    let missing = "[[candidate]]\nname = \"julia\"\ncommand = [\"no-julia-here\"]\n";
    let folder = folder_with(&format!("{PLAN}{missing}"));
    let output = parlab(folder.path(), &["bench", "p.toml", "--rounds", "1", "--filter", "scale=10"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.contains("Skipped: julia (") && !err.contains("SKIP"), "{out}{err}");
}

/// Checks arguments, and texts that the message must contain.
#[test]
fn bad_input_is_an_error_and_nothing_is_written() {
    let folder = folder_with(PLAN);
    std::fs::write(folder.path().join("newer.toml"), "schema = 9\n").unwrap();
    std::fs::write(folder.path().join("key.toml"), PLAN.replace("control", "contrl")).unwrap();
    std::fs::write(folder.path().join("binary.toml"), [0xff, 0, 1]).unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["no-such-plan"], &["no-such-plan", "--program"]),
        (&["no/such.toml"], &["no/such.toml", "No such file"]),
        (&["."], &["."]),
        (&["binary.toml"], &["binary.toml"]),
        (&["newer.toml"], &["newer.toml", "a plan of schema 9, but"]),
        (&["key.toml"], &["key.toml", "line 14", "contrl"]),
        (&["p.toml", "newer.toml"], &["newer.toml"]),
        (&["p.toml", "--threads", "0"], &["--threads", "from 1"]),
        (&["p.toml", "--threads", "two"], &["--threads", "two"]),
        (&["p.toml", "--threads", "-1"], &["-1"]),
        (&["p.toml", "--threads", "99999999999999999999"], &["--threads"]),
        (&["p.toml", "--rounds", "0"], &["--rounds", "from 1"]),
        (&["p.toml", "--rounds", "1e9"], &["--rounds"]),
        (&["p.toml", "--filter", "scale"], &["--filter", "operator"]),
        (&["p.toml", "--filter", "scael=7"], &["--filter", "`scael`", "scale"]),
        (&["p.toml", "--filter", "scale=99"], &["--filter", "no entry"]),
        (&["p.toml", "--json", "--markdown"], &["--json", "--markdown"]),
        (&["p.toml", "--out", "p.toml"], &["--out p.toml", "cannot be written"]),
        (&["p.toml", "--out", "/dev/null/x"], &["--out /dev/null/x", "cannot be written"]),
        (&["p.toml", "--out", "/proc/nothing"], &["--out /proc/nothing", "cannot be written"]),
    ];
    for (arguments, expected) in cases {
        let output = parlab(folder.path(), &[&["bench"], *arguments].concat());
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        for part in *expected {
            assert!(err.contains(part), "{arguments:?}: `{part}` is not in\n{err}");
        }
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert!(!folder.path().join("bench-results").exists());
}

#[test]
fn bad_records_are_named() {
    let folder = folder_with(PLAN);
    let run =
        parlab(folder.path(), &["bench", "p.toml", "--rounds", "1", "--filter", "scale=10", "--out", "r"]);
    assert_eq!(run.status.code(), Some(0));
    let record = &files(&folder.path().join("r"), "json")[0];
    let whole = std::fs::read(record).unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    put("empty.json", b"");
    put("cut.json", &whole[..whole.len() / 2]);
    put("foreign.json", b"{\"results\":[1,2,3]}");
    put("list.json", b"[]");
    put("newer.json", &text(&whole).replacen("\"schema\":2", "\"schema\":3", 1).into_bytes());
    put("zero.json", &{
        let mut value: serde_json::Value = serde_json::from_slice(&whole).unwrap();
        value["cases"][0]["entries"][0]["rounds"][0][0]["iterations"] = 0.into();
        value.to_string().into_bytes()
    });
    put("index.json", &text(&whole).replacen("\"baseline\":0", "\"baseline\":99", 1).into_bytes());
    for (name, part) in [
        ("no.json", "No such file"),
        ("empty.json", "cut short"),
        ("cut.json", "cut short"),
        ("foreign.json", "not a record"),
        ("list.json", "not a record"),
        ("newer.json", "schema 3"),
        ("zero.json", "0 iterations"),
        ("index.json", "baseline is 99"),
        (".", "."),
    ] {
        let output = parlab(folder.path(), &["report", name]);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {err}");
        assert!(err.contains(name) && err.contains(part), "{name}: {err}");
        assert_eq!(files(folder.path(), "html").len(), 0, "{name}");
    }
    let unwritable =
        parlab(folder.path(), &["report", record.to_str().unwrap(), "--out", "/dev/null/x.html"]);
    assert_eq!(unwritable.status.code(), Some(2));
    assert!(text(&unwritable.stderr).contains("/dev/null/x.html"));
}

/// Returns the number of processes whose command line contains `what`.
fn alive(what: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    lines.filter(|line| text(line).contains(what)).count()
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(600), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a run of many rounds, sends `signal` when the second has begun, and returns its exit code and its folder.
fn signalled(marker: &str, signal: Signal) -> (Option<i32>, tempfile::TempDir) {
    // The marker identifies the candidates among all processes; the shell with it in its command line remains until its
    // child ends.
    let command = format!(
        r#"["sh", "-c", '"$0" audit-candidate; exit $?', "{}", "{marker}"]"#,
        env!("CARGO_BIN_EXE_parlab")
    );
    let plan = PLAN.replace("rounds = 8", "rounds = 5000").replace("sample-ms = 1", "sample-ms = 20");
    let folder = folder_with(&format!("{plan}[[candidate]]\nname = \"marked\"\ncommand = {command}\n"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlab"))
        .current_dir(folder.path())
        .args(["bench", "p.toml", "--out", "r"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let second_round = || {
        let records = files(&folder.path().join("r"), "json");
        let record = records.first().and_then(|path| Record::read(path).ok());
        record.is_some_and(|record| record.cases[0].entries[0].rounds.len() > 1)
    };
    wait_until("the second round begins", second_round);
    wait_until("a candidate is there", || alive(marker) > 0);
    kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
    let status = child.wait().unwrap();
    wait_until("all candidates have ended", || alive(marker) == 0);
    (status.code(), folder)
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_ends_every_child() {
    for (marker, signal) in [("marked-for-sigint", Signal::SIGINT), ("marked-for-sigterm", Signal::SIGTERM)] {
        let (code, folder) = signalled(marker, signal);
        assert_eq!(code, Some(130));
        let results = folder.path().join("r");
        let record = Record::read(&files(&results, "json")[0]).unwrap();
        assert!(record.partial.unwrap().contains("interrupted in round"));
        assert!(!record.cases[0].entries[0].rounds[0].is_empty());
        let page = std::fs::read_to_string(&files(&results, "html")[0]).unwrap();
        assert!(page.contains("interrupted in round"));
    }
}

#[test]
fn a_killed_lab_leaves_a_whole_record_and_no_candidates() {
    // Even stopped candidates end: their process group becomes an orphan, and the kernel ends it.
    let (code, folder) = signalled("marked-for-sigkill", Signal::SIGKILL);
    assert_eq!(code, None);
    let record = Record::read(&files(&folder.path().join("r"), "json")[0]).unwrap();
    assert!(record.partial.unwrap().contains("did not come to its end"));
}
