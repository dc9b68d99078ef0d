//! Plans of a program that describes itself: found, checked before they run, and run.

use std::path::PathBuf;
use std::process::Command;

use parcrypt_lab::plan::Plan;

use crate::process::{Folder, ends, names};

/// A program with one workload, one plan and two runtimes. Its first argument is `candidate`.
const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, os, sys
runtime = sys.argv[sys.argv.index("--runtime") + 1] if "--runtime" in sys.argv else "none"
if os.environ.get("MODE") == "broken":
    sys.exit("error: MODE is broken")
plan = '''schema = 2
title = "Two runtimes"
[sampling]
rounds = 1
samples = 1
sample-ms = 1
[[case]]
workload = "nothing"
params = { size = 4 }
threads = [1]
measure = "steps"
[[candidate]]
name = "{runtime}"
runtime = ["serial", "other"]
'''
for line in sys.stdin:
    request = json.loads(line)
    def say(**answer):
        print(json.dumps({"id": request["id"], **answer}), flush=True)
    if "describe" in request:
        say(description={"name": "tool", "workloads": ["nothing"], "backends": ["quick"], "build": {"tool": "7"},
                         "plans": [{"name": "two", "text": plan}], "hint": "More: {bench} more\x1b[31m"})
    elif "check" in request:
        check = request["check"]
        if runtime not in ("serial", "other"):
            say(refused={"part": "candidate", "why": f"no runtime {runtime}"})
        elif check["workload"] != "nothing" or check["params"].get("size", 0) > 8:
            say(refused={"part": "workload", "why": "size is at most 8\nor less\x1b[31m"})
        elif check["threads"] > 2:
            say(refused={"part": "threads", "why": "at most 2 threads"})
        else:
            say(fits={"memory": 1 << check["params"]["size"]})
    elif "prepare" in request:
        say(ready={"name": "tool", "runtime": runtime, "backend": "quick", "threads": 1})
    elif "sample" in request:
        say(counts={"steps": 5 * request["sample"]["iterations"]})
    elif "digest" in request:
        say(digest="sha256:" + "0" * 64)
    else:
        break
"#;

/// A folder with the program `tool`; none if there is no Python.
fn folder() -> Option<Folder> {
    if Command::new("python3").arg("--version").output().is_err() {
        parcrypt_testkit::skip("parlab", "plans of a program", "python3 is not there");
        return None;
    }
    let folder = Folder::new();
    folder.script("tool", PROGRAM);
    Some(folder)
}

#[test]
fn a_program_brings_its_plans_and_runtimes() {
    let Some(folder) = folder() else { return };
    let (all, _) = folder.line("bench --list --program ./tool", 0);
    assert_eq!(all, "  two            Two runtimes\n");
    let (one, _) = folder.line("bench --list --program ./tool two", 0);
    assert!(one.contains("nothing size=4") && one.contains("serial: 1") && one.contains("other: 1"), "{one}");
    // The first plan runs if none is named.
    let (out, _) = folder.line("bench --program ./tool --out out", 0);
    assert!(out.contains("bench --program tool more\\u{1b}[31m"), "{out}");
    let found = folder.record("out");
    assert_eq!(found.machine.backends, ["quick"]);
    assert_eq!(found.build["tool"], "7");
    assert_eq!(found.cases[0].entries[0].command, ["tool", "candidate", "--runtime", "serial"], "no path");
    // A plan names its program by itself, relative to its folder.
    let text = "schema = 2\nprogram = \"../tool\"\ntitle = \"t\"\n[sampling]\nrounds = 1\n[[case]]\nworkload = \"nothing\"\n\
                params = { size = 1 }\nthreads = [1]\nmeasure = \"steps\"\n[[candidate]]\nname = \"a\"\nruntime = \"other\"\n";
    folder.write("plans/p.toml", text);
    folder.line("bench plans/p.toml --out named", 0);
    assert_eq!(folder.record("named").cases[0].entries[0].ready.as_ref().unwrap().runtime, "other");
}

#[test]
fn what_a_program_refuses_is_an_error_before_anything_runs() {
    let Some(folder) = folder() else { return };
    let plan = |size: u32, runtime: &str| {
        format!(
            "schema = 2\nprogram = \"./tool\"\ntitle = \"t\"\n[[case]]\nworkload = \"nothing\"\nparams = {{ size = {size} }}\n\
             threads = [1]\nmeasure = \"steps\"\n[[candidate]]\nname = \"a\"\nruntime = \"{runtime}\"\n"
        )
    };
    let with = |from: &str, to: &str| plan(8, "other").replace(from, to);
    for (text, flags, part) in [
        (plan(9, "serial"), "", "p.toml:5: size is at most 8\\nor less\\u{1b}[31m"),
        (plan(8, "third"), "", "p.toml:10: no runtime third"),
        (plan(8, "other"), "--threads 3", "--threads: at most 2 threads"),
        (with("program = \"./tool\"\n", ""), "", "none is named"),
        (with("./tool", "./no-tool"), "", "`"),
        (with("./tool", "no-such-tool-anywhere"), "", "not found, neither next to this program"),
        (with("./tool", "true"), "", "`true candidate`: ended with exit code 0"),
    ] {
        folder.write("p.toml", text);
        let (_, err) = folder.line(&format!("bench p.toml {flags}"), 2);
        assert!(err.contains(part), "{part}: {err}");
    }
    folder.write("p.toml", plan(8, "other"));
    let (_, err) = ends(folder.parlab(&["bench", "p.toml"]).env("MODE", "broken"), 2);
    assert!(err.contains("MODE is broken"), "{err}");
    let (_, err) = folder.line("bench --program ./tool three", 2);
    assert!(err.contains("no plan `three`: it can be two, or the path of a plan file"), "{err}");
    let (_, err) = folder.line("bench three", 2);
    assert!(err.contains("--program names"), "{err}");
}

/// The plans of the repository can be read, and those with a runtime name its program.
#[test]
fn the_plans_of_the_repository_can_be_read() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../plans");
    let plans: Vec<String> = names(&folder).into_iter().filter(|name| name.ends_with(".toml")).collect();
    assert!(plans.len() > 20);
    for name in plans {
        let plan = Plan::read(&folder.join(&name)).unwrap();
        let has_runtime = plan.text.lines().any(|line| line.starts_with("runtime"));
        assert_eq!(plan.program().is_some(), has_runtime, "{name}");
    }
}
