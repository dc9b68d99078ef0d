//! `parlab audit` as a user runs it, with trials of a few rounds: nothing here depends on what they measure.

use crate::process;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::audit::state::{Line, Trials};
use parcrypt_lab::audit::{Called, Trial};
use parcrypt_lab::record::Record;
use process::{ends, lines, names};
use serde_json::{Value, json};

fn parlab(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlab"));
    command
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env_remove("PARCRYPT_BACKEND")
        .stdin(Stdio::null());
    command
}

/// Trials of two rounds of one class.
const SMALL: &str = "audit --class compute --rounds 2 --planted 1 --carry-over-trials 0";

fn state(folder: &Path) -> PathBuf {
    folder.join("bench-results/audit.jsonl")
}

fn kept(folder: &Path) -> Vec<Value> {
    lines(&std::fs::read_to_string(state(folder)).unwrap())
}

#[test]
fn an_audit_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let small = |rest: &str| parlab(folder, &format!("{SMALL} {rest}"));
    let (out, _) = ends(&mut small("--trials 1 --planted-trials 1"), 0);
    for part in ["Audit of parlab", "compute", "1 without an interval", "0 of 1", "2 of 2 trials done."] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
    let first = kept(folder);
    assert_eq!((first.len(), first[0]["audit"].as_u64()), (3, Some(1)));
    // Everything is done; then there is one A/A trial more to do.
    let (out, _) = ends(&mut small("--trials 1 --planted-trials 1"), 0);
    assert!(out.contains("2 of 2 trials done.") && kept(folder) == first, "{out}");
    let (out, _) = ends(&mut small("--trials 2 --planted-trials 1"), 0);
    assert!(out.contains("3 of 3 trials done."), "{out}");
    let all = kept(folder);
    assert_eq!((all.len(), &all[..3]), (4, &first[..]));
    assert_eq!(all[3]["trial"]["planted"].as_f64(), Some(0.0));
    // A torn last line, as a killed process leaves it, is removed.
    let mut torn = std::fs::read_to_string(state(folder)).unwrap();
    torn.truncate(torn.len() - 7);
    std::fs::write(state(folder), torn).unwrap();
    let (_, err) = ends(&mut small("--trials 2 --planted-trials 1"), 0);
    assert!(err.contains("was torn"), "{err}");
    assert_eq!(kept(folder).len(), 4);
    // The results alone, in each form.
    let (text, _) = ends(&mut parlab(folder, "audit --report --markdown"), 0);
    assert!(text.starts_with("# Audit of parlab") && text.contains("|---|"), "{text}");
    let (text, _) = ends(&mut parlab(folder, "audit --report --json"), 0);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["classes"][0]["null"][0]["trials"], 2);
    assert_eq!(json["classes"][0]["planted"][0]["percent"].as_f64(), Some(1.0));
    assert_eq!(names(&folder.join("bench-results")), ["audit.jsonl"]);
}

#[test]
fn trials_of_another_machine_or_method_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let small = |rest: &str| parlab(folder, &format!("{SMALL} --trials 1 --planted-trials 0 {rest}"));
    ends(&mut small(""), 0);
    let text = std::fs::read_to_string(state(folder)).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut all = lines(&text);
        change(&mut all[0]);
        let text: String = all.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(state(folder), &text).unwrap();
        let (_, err) = ends(&mut small(""), 2);
        assert_eq!(std::fs::read_to_string(state(folder)).unwrap(), text);
        err
    };
    let machine = changed(&|header| header["machine"]["processor"] = json!("Z80"));
    assert!(machine.contains("another processor: Z80") && machine.contains("--fresh"), "{machine}");
    let method = changed(&|header| header["method"] = json!(77));
    assert!(method.contains("another method of the lab: 77 there"), "{method}");
    ends(&mut small("--fresh"), 0);
    assert_eq!(kept(folder).len(), 2);
    std::fs::write(state(folder), "my notes\n").unwrap();
    let (_, err) = ends(&mut small("--fresh"), 2);
    assert!(err.contains("not a line of an audit"), "{err}");
    assert_eq!(std::fs::read_to_string(state(folder)).unwrap(), "my notes\n");
}

#[test]
fn a_stopped_audit_keeps_its_trials_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let many = &format!("{SMALL} --trials 100000 --planted-trials 0");
    for (signal, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGKILL, None)] {
        let before = if state(folder).exists() { kept(folder).len() } else { 1 };
        let mut child = parlab(folder, many).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A line more is a trial more; the next one is then in progress.
        let whole = || std::fs::read_to_string(state(folder)).unwrap_or_default().matches('\n').count();
        while whole() < before + 2 {
            assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), code);
    }
    let trials = Trials::read(&state(folder)).unwrap().planted.len();
    assert!(trials >= 4, "{trials}");
    let rest = format!("{SMALL} --trials {} --planted-trials 0", trials + 1);
    ends(&mut parlab(folder, &rest), 0);
    assert_eq!(Trials::read(&state(folder)).unwrap().planted.len(), trials + 1);
}

#[test]
fn no_trial_begins_that_would_end_after_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = ends(&mut parlab(folder.path(), "audit --class compute,cache --for 1s"), 0);
    assert!(out.contains("There are no trials yet.") && out.contains("0 of 180 trials done"), "{out}");
    assert!(out.contains("left: `parlab audit` goes on"), "{out}");
}

#[test]
fn wrong_flags_are_errors_that_say_what_is_right() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, part) in [
        ("--class disk", "it can be compute, cache, or memory"),
        ("--planted 3", "divides 100"),
        ("--planted 0", "0.1 to 100"),
        ("--seconds 0", "0.1 to 3600"),
        ("--for soon", "--for"),
        ("--rounds 0", "1..=10000"),
        ("--rounds 8 --seconds 3", "cannot be used with"),
        ("--report", "No such file"),
        ("--report --fresh", "cannot be used with"),
    ] {
        let (_, err) = ends(&mut parlab(folder.path(), &format!("audit {flags}")), 2);
        assert!(err.contains(part), "{flags}: {err}");
    }
    assert!(names(folder.path()).is_empty());
}

/// An audit with trials whose intervals reach 3 % to either side; bench then warns of a claim of half a per cent, and
/// keeps what the audit said.
#[test]
fn bench_warns_of_claims_that_the_machine_cannot_show() {
    const PLAN: &str = r#"
schema = 2
title = "t"
[sampling]
rounds = 2
samples = 2
sample-ms = 1
[[case]]
workload = "sum"
params = { scale = 10 }
threads = [1]
input = { bytes = 1, times = "2^scale" }
[[candidate]]
name = "{backend}"
command = ["PARLAB", "audit-candidate"]
labels = { backend = "portable" }
[[candidate]]
name = "other {backend}"
command = ["PARLAB", "audit-candidate"]
labels = { backend = "baseline" }
[[question]]
ask = "q"
from = { backend = "portable" }
to = { backend = "baseline" }
at-most = 1.005
"#;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("p.toml"), PLAN.replace("PARLAB", env!("CARGO_BIN_EXE_parlab"))).unwrap();
    let (_, err) = ends(&mut parlab(folder, "bench p.toml --out without"), 0);
    assert!(!err.contains("not fit"), "{err}");
    ends(&mut parlab(folder, &format!("{SMALL} --trials 0 --planted-trials 0")), 0);
    let trial = Line::Trial(Trial {
        class: "compute".to_owned(),
        planted: 1.0,
        seconds: 10.0,
        started: String::new(),
        took_s: 10.0,
        rounds: 40,
        replicates: 20,
        estimate: 1.01,
        interval: Some([0.98, 1.04]),
        called: Called::NoDifference,
        error: 0.0,
        half_widths: Vec::new(),
    });
    let mut text = std::fs::read_to_string(state(folder)).unwrap();
    (0..12).for_each(|_| text += &(serde_json::to_string(&trial).unwrap() + "\n"));
    std::fs::write(state(folder), &text).unwrap();
    let (_, err) = ends(&mut parlab(folder, "bench p.toml --out with"), 0);
    assert!(
        err.contains("not fit for what the plan claims") && err.contains("0.50 %") && err.contains("3.06 %"),
        "{err}"
    );
    let record = names(&folder.join("with")).into_iter().find(|name| name.ends_with(".json")).unwrap();
    let record = Record::read(&folder.join("with").join(record)).unwrap();
    let class = &record.audit.unwrap().classes[0];
    assert_eq!((class.class.as_str(), class.trials, class.seconds), ("compute", 0, 10.0));
    assert!((class.smallest_percent.unwrap() - 100.0 * (1.01 / 0.98 - 1.0)).abs() < 1e-9);
    // An audit of another machine is an error if it is named, and else a note.
    let mut other = lines(&text);
    other[0]["machine"]["cores"] = json!(999);
    let other: String = other.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(state(folder), &other).unwrap();
    let (_, err) = ends(&mut parlab(folder, "bench p.toml --out other"), 0);
    assert!(err.contains("note: ") && err.contains("another number of cores: 999 there"), "{err}");
    let (_, err) = ends(&mut parlab(folder, "bench p.toml --out named --audit bench-results/audit.jsonl"), 2);
    assert!(err.contains("999 there"), "{err}");
    assert!(!folder.join("named").exists() || names(&folder.join("named")).is_empty());
}
