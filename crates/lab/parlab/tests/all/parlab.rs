//! `parlab` as a whole: its help with examples, its README, manual pages and completions.

use std::process::Command;

use crate::bench::PLAN;
use crate::compare::project;
use crate::process::{Folder, ends, shell};

/// Runs the examples of the help in a shell, in which a run is short.
#[test]
fn the_examples_of_the_help_run() {
    let folder = Folder::with("");
    folder.write("plan.toml", PLAN.replace("rounds = 8", "rounds = 2"));
    folder.write("numbers", "3\n1\n2\n");
    let run = |script: &str, code| ends(&mut shell(&folder.path(""), script), code);
    run(
        "parlab bench plan.toml --out first && mkdir -p bench-results \
         && cp first/*.json bench-results/quick.json && cp first/*.json bench-results/sum.json",
        0,
    );
    let mut ran = 0;
    let has_git = project(&folder);
    for command in ["", "bench", "compare", "report"] {
        let (help, _) = folder.line(&format!("{command} --help"), 0);
        let examples = help.lines().filter(|line| line.starts_with("  parlab "));
        for example in examples {
            // The text after two spaces is an explanation.
            let example = example.trim().split("  ").next().unwrap();
            ran += 1;
            // Examples with suites run in a project of Cargo, by their own tests.
            let is_of_suite = example.starts_with("parlab suite");
            if is_of_suite || example.contains(" --rev ") && !has_git {
                continue;
            }
            let example = example.replace(" --for 2s", "").replacen("compare", "compare --for 100ms", 1);
            let example = example.replace("--for 5m", "--for 1s").replace("10s", "1s");
            // So short a time is not enough for an answer.
            let code = if example.contains("--fail-if") { 3 } else { 0 };
            run(&example, code);
        }
    }
    assert_eq!(ran, 4 + 6 + 10 + 6);
}

/// The plan of the README, with its two programs as scripts.
#[test]
fn the_plan_of_the_readme_runs() {
    let (_, plan) = include_str!("../../README.md").split_once("```toml\n").unwrap();
    let folder = Folder::with(plan.split_once("```").unwrap().0);
    for name in ["old", "new"] {
        folder.script(name, "#!/bin/sh\nexec python3 sum.py\n");
    }
    let (out, _) = ends(&mut shell(&folder.path(""), "parlab bench p.toml --dry-run"), 0);
    assert!(out.contains("old, 1 thread") && out.contains("new, 1 thread"), "{out}");
}

#[test]
fn the_command_as_a_whole() {
    let folder = Folder::new();
    let (version, _) = folder.line("--version", 0);
    assert_eq!(version, format!("parlab {}\n", env!("CARGO_PKG_VERSION")));
    for wrong in ["", "frobnicate", "bench p.toml --csv --json", "report"] {
        let (out, err) = folder.line(wrong, 2);
        assert!(out.is_empty() && err.contains("Usage: parlab"), "{err}");
    }
}

/// The manual pages have no warnings, and the completions know the commands.
#[test]
fn manual_pages_and_completions() {
    let folder = Folder::new();
    folder.line("generate made", 0);
    let names = folder.files("made", ".1");
    assert_eq!(
        names,
        ["parlab-bench.1", "parlab-compare.1", "parlab-report.1", "parlab-suite.1", "parlab.1"]
    );
    let bench = folder.read("made/parlab-bench.1");
    assert!(bench.contains("parlab bench plan.toml") && bench.contains("Exit codes"), "{bench}");
    let there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if there("groff") {
        for page in names {
            let check = format!("LC_ALL=C.UTF-8 groff -mandoc -Tutf8 -ww -z made/{page}");
            assert_eq!(
                ends(&mut shell(&folder.path(""), &check), 0),
                (String::new(), String::new()),
                "{page}"
            );
        }
    } else {
        parcrypt_testkit::skip("parlab", "manual pages", "groff is not there");
    }
    let complete = "source made/parlab.bash; COMP_WORDS=(parlab com); COMP_CWORD=1; _parlab parlab com parlab; \
                    echo \"${COMPREPLY[@]}\"";
    if there("bash") {
        let mut bash = Command::new("bash");
        let (out, _) = ends(bash.args(["--norc", "-c", complete]).current_dir(folder.path("")), 0);
        assert!(out.split_whitespace().any(|word| word == "compare"), "{out}");
    } else {
        parcrypt_testkit::skip("parlab", "completions", "bash is not there");
    }
    for file in ["_parlab", "parlab.fish"] {
        assert!(folder.read(&format!("made/{file}")).contains("bench"), "{file}");
    }
}
