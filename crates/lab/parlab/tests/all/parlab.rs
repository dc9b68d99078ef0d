//! `parlab` as a user runs it, with small plans whose candidates are its own candidate of the audit.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parcrypt_lab::record::Record;

/// A program in a folder, with the folder of `parlab` before the others in which programs are found.
fn started(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let here = Path::new(env!("CARGO_BIN_EXE_parlab")).parent().unwrap();
    let path = format!("{}:{}", here.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", path).current_dir(folder).stdin(Stdio::null());
    command
}

fn parlab(folder: &Path, arguments: &str) -> Command {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    started(folder, env!("CARGO_BIN_EXE_parlab"), &words)
}

/// Runs a command, which must exit with this code, and returns its standard output and standard error.
fn ends(mut command: Command, code: i32) -> (String, String) {
    let output = command.output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(!stderr.contains("panicked"), "{command:?}: {stderr}");
    assert_eq!(output.status.code(), Some(code), "{command:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

/// Two candidates, of which the second does one further iteration in a hundred.
const PLAN: &str = r#"
schema = 2
title = "A program and itself with more work"
[sampling]
rounds = 2
samples = 2
sample-ms = 1
[[case]]
workload = "sum"
params = { scale = 14 }
threads = [1]
input = { bytes = 1, times = "2^scale" }
baseline = "first"
[[candidate]]
name = "first"
command = ["parlab", "audit-candidate"]
[[candidate]]
name = "second"
command = ["parlab", "audit-candidate"]
extra-percent = 1
"#;

fn folder_with(plan: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    folder
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    found.sort();
    found
}

#[test]
fn a_plan_of_commands_gives_a_table_a_record_and_a_page() {
    let folder = folder_with(PLAN);
    let (out, _) = ends(parlab(folder.path(), "bench plan.toml"), 0);
    for part in [
        "A program and itself",
        "first",
        "second",
        "record: bench-results/plan-",
        "page:   bench-results/plan-",
    ] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
    let results = folder.path().join("bench-results");
    assert_eq!(["json", "html", "md"].map(|ending| files(&results, ending).len()), [1; 3]);
    let record = Record::read(&files(&results, "json")[0]).unwrap();
    assert_eq!(record.command, ["parlab", "bench", "plan.toml"]);
    assert!(record.machine.backends.is_empty() && record.machine.cores > 0);
    assert_eq!(record.build.get("parcrypt").map(String::as_str), Some(env!("CARGO_PKG_VERSION")));
    assert!(
        record.build.contains_key("compiler") && !record.build.contains_key("openmp"),
        "{:?}",
        record.build
    );
    let entries = &record.cases[0].entries;
    assert!(entries.iter().all(|entry| entry.failure.is_none() && entry.rounds.len() == 2));
    assert!(entries[0].digest.is_some() && entries[0].digest == entries[1].digest);
}

#[test]
fn a_runtime_is_an_error_that_says_what_to_write() {
    let folder =
        folder_with(&PLAN.replacen("command = [\"parlab\", \"audit-candidate\"]", "runtime = \"rayon\"", 1));
    for arguments in ["bench plan.toml", "bench plan.toml --dry-run"] {
        let (out, err) = ends(parlab(folder.path(), arguments), 2);
        assert!(out.is_empty() && err.contains("plan.toml:"), "{err}");
        assert!(err.contains("`runtime` is one of a program, and none is named"), "{err}");
    }
    assert!(files(&folder.path().join("bench-results"), "json").is_empty());
}

#[test]
fn there_are_no_built_in_plans() {
    let folder = tempfile::tempdir().unwrap();
    let (_, err) = ends(parlab(folder.path(), "bench quick"), 2);
    assert!(err.contains("no plan `quick`") && err.contains("--program"), "{err}");
    let (_, err) = ends(parlab(folder.path(), "bench"), 2);
    assert!(err.contains("<PLAN>..."), "{err}");
}

#[test]
fn an_audit_measures_a_candidate_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let small = "audit --rounds 2 --planted 1 --trials 1 --planted-trials 1";
    let (out, err) = ends(parlab(folder.path(), &format!("{small} --class compute,cache")), 0);
    assert!(out.contains("4 of 4 trials done.") && !out.contains("SKIP") && err.is_empty(), "{out}{err}");
    for part in ["Audit of parlab ", "a hash of 16 KiB", "half of the second cache"] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
    // Of three classes, each with an A/A trial and a planted one, four trials are there.
    let (out, _) = ends(parlab(folder.path(), &format!("{small} --for 1ms")), 0);
    assert!(out.contains("4 of 6 trials done") && out.contains("`parlab audit` goes on"), "{out}");
    let (_, err) = ends(parlab(folder.path(), "audit --class threads"), 2);
    assert!(err.contains("it can be compute, cache, or memory"), "{err}");
}

/// Runs the examples of the help in a shell, in which a run is short.
#[test]
fn the_examples_of_the_help_run() {
    let folder = folder_with(PLAN);
    std::fs::write(folder.path().join("numbers"), "3\n1\n2\n").unwrap();
    let run = |script: &str| ends(started(folder.path(), "sh", &["-ec", script]), 0);
    run("parlab bench plan.toml --out first && mkdir -p bench-results docs/results \
         && cp first/*.json bench-results/quick.json && cp first/*.json bench-results/sum.json \
         && parlab record thin bench-results/sum.json --out docs/results");
    let mut ran = 0;
    // Two revisions, for `compare`.
    let git = "git -c init.defaultBranch=main init -q
               printf 'tool:\\n\\tcp /bin/cat tool\\n' > Makefile; git add Makefile numbers
               git='git -c user.name=a -c user.email=a@b commit -q --allow-empty -m'; $git one; $git two";
    let has_git = Command::new("git").arg("--version").output().is_ok();
    if has_git {
        run(git);
    } else {
        parcrypt_testkit::skip("parlab", "the example with two revisions", "git is not there");
    }
    for command in
        ["", "bench", "plans", "compare", "audit", "report", "record thin", "candidate", "check-candidate"]
    {
        let (help, _) = ends(parlab(folder.path(), &format!("{command} --help")), 0);
        let examples = help.lines().filter(|line| line.starts_with("  parlab "));
        for example in examples {
            // The text after two spaces is an explanation.
            let example = example.trim().split("  ").next().unwrap();
            ran += 1;
            if example.contains(" --rev ") && !has_git {
                continue;
            }
            let audits = example.starts_with("parlab audit") && !example.contains("--report");
            let short = if audits { " --for 1ms" } else { "" };
            let example = example.replace(" --for 2s", "").replacen("compare", "compare --for 100ms", 1);
            let example =
                example.replace(" --for 10m", "").replace("--for 5m", "--for 1s").replace("10s", "1s");
            // So short a time is not enough for an answer.
            let code = if example.contains("--fail-if") { 3 } else { 0 };
            ends(started(folder.path(), "sh", &["-ec", &(example + short)]), code);
        }
    }
    assert_eq!(ran, 5 + 8 + 1 + 11 + 4 + 8 + 1 + 1 + 1);
}

/// The plan of the README, with its two programs as scripts.
#[test]
fn the_plan_of_the_readme_runs() {
    use std::os::unix::fs::PermissionsExt;
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, plan) = readme.split_once("```toml\n").unwrap();
    let folder = folder_with(plan.split_once("```").unwrap().0);
    for name in ["old", "new"] {
        let path = folder.path().join(name);
        std::fs::write(&path, "#!/bin/sh\nexec parlab audit-candidate\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (out, _) = ends(parlab(folder.path(), "bench plan.toml --dry-run"), 0);
    assert!(out.contains("old, 1 thread") && out.contains("new, 1 thread"), "{out}");
}

#[test]
fn the_command_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (version, _) = ends(parlab(folder.path(), "--version"), 0);
    assert_eq!(version, format!("parlab {}\n", env!("CARGO_PKG_VERSION")));
    for wrong in ["", "frobnicate", "bench plan.toml --csv", "report"] {
        let (out, err) = ends(parlab(folder.path(), wrong), 2);
        assert!(out.is_empty() && err.contains("Usage: parlab"), "{err}");
    }
    let (out, err) = ends(parlab(folder.path(), "report no-such-file.json"), 2);
    assert!(out.is_empty() && err.contains("no-such-file.json"), "{err}");
}

/// The manual pages have no warnings, and the completions know the commands.
#[test]
fn manual_pages_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ends(parlab(folder, "generate made"), 0);
    let pages = files(&folder.join("made"), "1");
    let names: Vec<&str> = pages.iter().map(|page| page.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "parlab-audit.1",
            "parlab-bench.1",
            "parlab-candidate.1",
            "parlab-check-candidate.1",
            "parlab-compare.1",
            "parlab-plans.1",
            "parlab-record-thin.1",
            "parlab-record.1",
            "parlab-report.1",
            "parlab.1"
        ]
    );
    let bench = std::fs::read_to_string(folder.join("made/parlab-bench.1")).unwrap();
    assert!(bench.contains("parlab bench plan.toml") && bench.contains("Exit codes"), "{bench}");
    let there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if there("groff") {
        for page in names {
            let check = ["-mandoc", "-Tutf8", "-ww", "-z", page];
            let mut groff = started(&folder.join("made"), "groff", &check);
            groff.env("LC_ALL", "C.UTF-8");
            assert_eq!(ends(groff, 0), (String::new(), String::new()), "{page}");
        }
    } else {
        parcrypt_testkit::skip("parlab", "manual pages", "groff is not there");
    }
    let complete = "source made/parlab.bash; COMP_WORDS=(parlab aud); COMP_CWORD=1; _parlab parlab aud parlab; \
                    echo \"${COMPREPLY[@]}\"";
    if there("bash") {
        let (out, _) = ends(started(folder, "bash", &["--norc", "-c", complete]), 0);
        assert!(out.split_whitespace().any(|word| word == "audit"), "{out}");
    } else {
        parcrypt_testkit::skip("parlab", "completions", "bash is not there");
    }
    for file in ["_parlab", "parlab.fish"] {
        assert!(std::fs::read_to_string(folder.join("made").join(file)).unwrap().contains("bench"), "{file}");
    }
}
