//! `parcrypt bench`, which is `parlab bench` with the runtimes and plans of this program.
//!
//! It needs the command parlab next to parcrypt, as `cargo test --workspace` and `make test` build it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::process::{PARCRYPT, WorkDir, ends, parcrypt};

const PLAN: &str = r#"
schema = 2
title = "A small plan"
[sampling]
rounds = 1
samples = 2
sample-ms = 1
[[case]]
workload = "sum"
params = { scale = [10, 12] }
threads = [1, 2]
input = { bytes = 1, times = "2^scale" }
baseline = "serial"
[[candidate]]
name = "{runtime}"
runtime = ["serial", "rayon"]
[[candidate]]
name = "read limit"
runtime = "serial"
workload = "read"
limit = true
"#;

impl WorkDir {
    /// Returns a folder with the plan `p.toml`. The build of the workspace puts parlab next to this program.
    fn bench() -> Self {
        let parlab = Path::new(PARCRYPT).with_file_name("parlab");
        assert!(parlab.is_file(), "{} is missing: cargo build --package parlab", parlab.display());
        let dir = WorkDir::starting(&[PARCRYPT, "bench"]);
        dir.write("p.toml", PLAN.as_bytes());
        dir
    }

    fn record(&self) -> Value {
        let name = self.names("results").into_iter().find(|name| name.ends_with(".json")).unwrap();
        serde_json::from_slice(&self.read(&format!("results/{name}"))).unwrap()
    }
}

#[test]
fn it_is_parlab_bench_by_another_name() {
    let dir = WorkDir::bench();
    let (out, _) = dir.ends("p.toml --out results", 0);
    for part in ["A small plan", "Compare with other libraries: make peers"] {
        assert!(out.contains(part), "{out}");
    }
    assert!(out.contains(&format!("{PARCRYPT} bench")) || PARCRYPT.len() > 32, "{out}");
    let found = dir.record();
    assert_eq!(found["command"].as_array().unwrap()[..3], ["parcrypt", "bench", "p.toml"]);
    let entries = found["cases"][0]["entries"].as_array().unwrap();
    let command = &entries[0]["command"].as_array().unwrap()[..2];
    assert_eq!(command, ["parcrypt", "candidate"], "no path of this machine");
    assert!(entries.iter().all(|entry| entry["digest"] == entries[0]["digest"] || entry["role"] == "limit"));
    for key in ["parcrypt", "compiler", "target", "profile", "openmp"] {
        assert!(found["build"].get(key).is_some(), "{key} is not in {}", found["build"]);
    }
    assert!(!found["machine"]["backends"].as_array().unwrap().is_empty());
    assert!(dir.ends("--help", 0).0.contains("--filter"));
}

#[test]
fn without_parlab_it_says_how_to_get_it() {
    let dir = WorkDir::starting(&[]);
    let alone = dir.path("parcrypt");
    fs::copy(PARCRYPT, &alone).unwrap();
    let (_, stderr) = ends(Command::new(&alone).arg("bench").env("PATH", dir.path("")), 2);
    for part in ["not found at ", "`make parlab` installs it"] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

/// Checks what this program refuses when it is asked, each with texts that the message must contain.
#[test]
fn bad_input_is_an_error_and_nothing_is_written() {
    let dir = WorkDir::bench();
    let refused = |words: &str, parts: &[&str]| {
        let (stdout, stderr) = dir.ends(words, 2);
        let is_right = stdout.is_empty() && parts.iter().all(|part| stderr.contains(part));
        assert!(is_right, "{words}: {parts:?}: {stdout}{stderr}");
    };
    let points = ("\"sum\"\nparams = { scale = [10, 12] }", "\"fft-g1\"\nparams = { scale = 32 }");
    for ((from, to), parts) in [
        (("\"sum\"", "\"summ\""), &["bad.toml:9", "`summ`", "fft-g1"][..]),
        (("\"rayon\"", "\"tbb\""), &["bad.toml:15", "`tbb`", "rayon"]),
        (("runtime = \"serial\"", "runtime = \"serial\"\nbackend = \"mmx\""), &["bad.toml:18", "mmx"]),
        (("[10, 12]", "[10, 40]"), &["bad.toml:9", "scale 40 of sum needs"]),
        (points, &["bad.toml:9", "scale 32 of fft-g1 needs", "largest scale that fits"]),
    ] {
        assert!(PLAN.contains(from), "{from}");
        dir.write("bad.toml", PLAN.replace(from, to).as_bytes());
        refused("bad.toml", parts);
    }
    refused("no-such-plan", &["no-such-plan", "quick", "openmp-against-rayon"]);
    refused("p.toml --threads 10000", &["--threads", "10000", "1024"]);
    refused("--program x", &["`parcrypt bench` measures parcrypt", "`parlab bench --program NAME`"]);
    refused("p.toml --program=x", &["`parcrypt bench` measures parcrypt"]);
    let (_, stderr) = ends(dir.command("p.toml").env("PARCRYPT_BACKEND", "sse9"), 2);
    assert!(stderr.contains("'sse9'"), "{stderr}");
    assert_eq!(dir.names(""), ["bad.toml", "p.toml"]);
}

fn in_the_tree(words: &str) -> Command {
    let mut command = parcrypt(&["bench"]);
    command.args(words.split(' ')).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command
}

#[test]
fn the_python_candidate_of_the_documents_agrees_with_ours() {
    let dir = WorkDir::bench();
    let mut command = in_the_tree("plans/python.toml --rounds 1 --json --out");
    ends(command.arg(dir.path("results")), 0);
    let found = dir.record();
    let entries = found["cases"][0]["entries"].as_array().unwrap();
    let python = entries.iter().find(|entry| entry["candidate"] == "python").unwrap();
    assert!(python.get("failure").is_none_or(Value::is_null), "{python}");
    assert_eq!(python["digest"], entries[0]["digest"]);
}

#[test]
fn every_built_in_plan_can_be_tried() {
    for words in
        ["quick --dry-run", "openmp-against-rayon --dry-run --filter scale<=5", "small-calls --dry-run"]
    {
        ends(&mut in_the_tree(words), 0);
    }
}
