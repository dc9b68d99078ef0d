//! `parlab audit` as a user runs it, with trials of a few rounds: nothing here depends on what they measure.

use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::audit::state::{Line, Trials};
use parcrypt_lab::audit::{Called, Trial};
use serde_json::{Value, json};

use crate::process::{Folder, lines, names};

/// Trials of two rounds of one class.
const SMALL: &str = "audit --class compute --rounds 2 --planted 1 --carry-over-trials 0";

/// Path of the trials.
const STATE: &str = "bench-results/audit.jsonl";

fn kept(folder: &Folder) -> Vec<Value> {
    lines(&folder.read(STATE))
}

#[test]
fn an_audit_continues() {
    let folder = &Folder::new();
    let small = |rest: &str, code| folder.line(&format!("{SMALL} {rest}"), code);
    let (out, _) = small("--trials 1 --planted-trials 1", 0);
    for part in ["Audit of parlab", "compute", "1 without an interval", "0 of 1", "2 of 2 trials done."] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
    let first = kept(folder);
    assert_eq!((first.len(), first[0]["audit"].as_u64()), (3, Some(1)));
    // Everything is done; then there is one A/A trial more to do.
    let (out, _) = small("--trials 1 --planted-trials 1", 0);
    assert!(out.contains("2 of 2 trials done.") && kept(folder) == first, "{out}");
    let (out, _) = small("--trials 2 --planted-trials 1", 0);
    assert!(out.contains("3 of 3 trials done."), "{out}");
    let all = kept(folder);
    assert_eq!((all.len(), &all[..3]), (4, &first[..]));
    assert_eq!(all[3]["trial"]["planted"].as_f64(), Some(0.0));
    // A torn last line, as a killed process leaves it, is removed.
    let mut torn = folder.read(STATE);
    torn.truncate(torn.len() - 7);
    folder.write(STATE, torn);
    let (_, err) = small("--trials 2 --planted-trials 1", 0);
    assert!(err.contains("was torn"), "{err}");
    assert_eq!(kept(folder).len(), 4);
    // The results alone, in each form.
    let (text, _) = folder.line("audit --report --markdown", 0);
    assert!(text.starts_with("# Audit of parlab") && text.contains("|---|"), "{text}");
    let (text, _) = folder.line("audit --report --json", 0);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["classes"][0]["null"][0]["trials"], 2);
    assert_eq!(json["classes"][0]["planted"][0]["percent"].as_f64(), Some(1.0));
    assert_eq!(names(&folder.path("bench-results")), ["audit.jsonl"]);
}

#[test]
fn trials_of_another_machine_or_method_are_refused() {
    let folder = &Folder::new();
    let small =
        |rest: &str, code| folder.line(&format!("{SMALL} --trials 1 --planted-trials 0 {rest}"), code);
    small("", 0);
    let text = folder.read(STATE);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut all = lines(&text);
        change(&mut all[0]);
        let text: String = all.iter().map(|line| format!("{line}\n")).collect();
        folder.write(STATE, &text);
        let (_, err) = small("", 2);
        assert_eq!(folder.read(STATE), text);
        err
    };
    let machine = changed(&|header| header["machine"]["processor"] = json!("Z80"));
    assert!(machine.contains("another processor: Z80") && machine.contains("--fresh"), "{machine}");
    let method = changed(&|header| header["method"] = json!(77));
    assert!(method.contains("another method of the lab: 77 there"), "{method}");
    small("--fresh", 0);
    assert_eq!(kept(folder).len(), 2);
    folder.write(STATE, "my notes\n");
    let (_, err) = small("--fresh", 2);
    assert!(err.contains("not a line of an audit"), "{err}");
    assert_eq!(folder.read(STATE), "my notes\n");
}

#[test]
fn a_stopped_audit_keeps_its_trials_and_goes_on() {
    let folder = &Folder::new();
    let many = &format!("{SMALL} --trials 100000 --planted-trials 0");
    for (signal, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGKILL, None)] {
        let before = if folder.path(STATE).exists() { kept(folder).len() } else { 1 };
        let many: Vec<&str> = many.split_whitespace().collect();
        let mut child = folder.parlab(&many).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A line more is a trial more; the next one is then in progress.
        let whole = || folder.read(STATE).matches('\n').count();
        while whole() < before + 2 {
            assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), code);
    }
    let trials = Trials::read(&folder.path(STATE)).unwrap().planted.len();
    assert!(trials >= 4, "{trials}");
    let rest = format!("{SMALL} --trials {} --planted-trials 0", trials + 1);
    folder.line(&rest, 0);
    assert_eq!(Trials::read(&folder.path(STATE)).unwrap().planted.len(), trials + 1);
}

#[test]
fn no_trial_begins_that_would_end_after_the_time() {
    let folder = Folder::new();
    let (out, _) = folder.line("audit --class compute,cache --for 1s", 0);
    assert!(out.contains("There are no trials yet.") && out.contains("0 of 180 trials done"), "{out}");
    assert!(out.contains("left: `parlab audit` goes on"), "{out}");
}

#[test]
fn wrong_flags_are_errors_that_say_what_is_right() {
    let folder = Folder::new();
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
        let (_, err) = folder.line(&format!("audit {flags}"), 2);
        assert!(err.contains(part), "{flags}: {err}");
    }
    assert!(names(&folder.path("")).is_empty());
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
    let folder = &Folder::with(PLAN);
    let (_, err) = folder.line("bench p.toml --out without", 0);
    assert!(!err.contains("not fit"), "{err}");
    folder.line(&format!("{SMALL} --trials 0 --planted-trials 0"), 0);
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
    let mut text = folder.read(STATE);
    (0..12).for_each(|_| text += &(serde_json::to_string(&trial).unwrap() + "\n"));
    folder.write(STATE, &text);
    let (_, err) = folder.line("bench p.toml --out with", 0);
    assert!(
        err.contains("not fit for what the plan claims") && err.contains("0.50 %") && err.contains("3.06 %"),
        "{err}"
    );
    let class = &folder.record("with").audit.unwrap().classes[0];
    assert_eq!((class.class.as_str(), class.trials, class.seconds), ("compute", 0, 10.0));
    assert!((class.smallest_percent.unwrap() - 100.0 * (1.01 / 0.98 - 1.0)).abs() < 1e-9);
    // An audit of another machine is an error if it is named, and else a note.
    let mut other = lines(&text);
    other[0]["machine"]["cores"] = json!(999);
    let other: String = other.iter().map(|line| format!("{line}\n")).collect();
    folder.write(STATE, &other);
    let (_, err) = folder.line("bench p.toml --out other", 0);
    assert!(err.contains("note: ") && err.contains("another number of cores: 999 there"), "{err}");
    let (_, err) = folder.line("bench p.toml --out named --audit bench-results/audit.jsonl", 2);
    assert!(err.contains("999 there"), "{err}");
    assert!(folder.files("named", "").is_empty());
}
