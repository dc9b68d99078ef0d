//! `parcrypt bench`, which is `parlab bench` with the runtimes and plans of this program.
//!
//! It needs the command parlab next to parcrypt, as `cargo test --workspace` and `make test` build it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::process;

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

/// Returns the command parlab, which the build of the workspace puts next to this one.
fn parlab() -> PathBuf {
    let parlab = Path::new(env!("CARGO_BIN_EXE_parcrypt")).with_file_name("parlab");
    assert!(parlab.is_file(), "{} is missing: cargo build --package parlab", parlab.display());
    parlab
}

fn parcrypt(folder: &Path, arguments: &[&str]) -> Output {
    parlab();
    process::parcrypt(arguments).current_dir(folder).output().unwrap()
}

fn folder_with(plan: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.toml"), plan).unwrap();
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

/// Returns the one record in a folder.
fn record(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(&files(folder, "json")[0]).unwrap()).unwrap()
}

#[test]
fn it_is_parlab_bench_by_another_name() {
    let folder = folder_with(PLAN);
    let output = parcrypt(folder.path(), &["bench", "p.toml", "--out", "results"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    let called = env!("CARGO_BIN_EXE_parcrypt");
    assert!(
        out.contains("A small plan") && out.contains("Compare with other libraries: make peers"),
        "{out}"
    );
    assert!(out.contains(&format!("{called} bench")) || called.len() > 32, "{out}");
    let found = record(&folder.path().join("results"));
    assert_eq!(found["command"].as_array().unwrap()[..3], ["parcrypt", "bench", "p.toml"]);
    let entries = found["cases"][0]["entries"].as_array().unwrap();
    assert_eq!(
        entries[0]["command"].as_array().unwrap()[..2],
        ["parcrypt", "candidate"],
        "no path of this machine"
    );
    assert!(entries.iter().all(|entry| entry["digest"] == entries[0]["digest"] || entry["role"] == "limit"));
    for key in ["parcrypt", "compiler", "target", "profile", "openmp"] {
        assert!(found["build"].get(key).is_some(), "{key} is not in {}", found["build"]);
    }
    assert!(!found["machine"]["backends"].as_array().unwrap().is_empty());
    let help = parcrypt(folder.path(), &["bench", "--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("--filter"));
}

#[test]
fn without_parlab_it_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("parcrypt");
    std::fs::copy(env!("CARGO_BIN_EXE_parcrypt"), &alone).unwrap();
    let output = Command::new(&alone).arg("bench").env("PATH", folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let err = text(&output.stderr);
    assert!(err.contains("not found at ") && err.contains("`make parlab` installs it"), "{err}");
}

/// Checks what this program refuses when it is asked, each with a text that the message must contain.
#[test]
fn bad_input_is_an_error_and_nothing_is_written() {
    let folder = folder_with(PLAN);
    let put = |name: &str, from: &str, to: &str| {
        assert!(PLAN.contains(from), "{from}");
        std::fs::write(folder.path().join(name), PLAN.replace(from, to)).unwrap();
    };
    put("kernel.toml", "\"sum\"", "\"summ\"");
    put("runtime.toml", "\"rayon\"", "\"tbb\"");
    put("backend.toml", "runtime = \"serial\"", "runtime = \"serial\"\nbackend = \"mmx\"");
    put("large.toml", "[10, 12]", "[10, 40]");
    put("points.toml", "\"sum\"\nparams = { scale = [10, 12] }", "\"fft-g1\"\nparams = { scale = 32 }");
    let cases: &[(&[&str], &[&str])] = &[
        (&["no-such-plan"], &["no-such-plan", "quick", "openmp-against-rayon"]),
        (&["kernel.toml"], &["kernel.toml:9", "`summ`", "fft-g1"]),
        (&["runtime.toml"], &["runtime.toml:15", "`tbb`", "rayon"]),
        (&["backend.toml"], &["backend.toml:18", "mmx"]),
        (&["large.toml"], &["large.toml:9", "scale 40 of sum needs"]),
        (&["points.toml"], &["points.toml:9", "scale 32 of fft-g1 needs", "largest scale that fits"]),
        (&["p.toml", "--threads", "10000"], &["--threads", "10000", "1024"]),
        (&["--program", "x"], &["`parcrypt bench` measures parcrypt", "`parlab bench --program NAME`"]),
        (&["p.toml", "--program=x"], &["`parcrypt bench` measures parcrypt"]),
    ];
    for (arguments, expected) in cases {
        let output = parcrypt(folder.path(), &[&["bench"], *arguments].concat());
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        for part in *expected {
            assert!(err.contains(part), "{arguments:?}: `{part}` is not in\n{err}");
        }
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_parcrypt"));
    command.current_dir(folder.path()).args(["bench", "p.toml"]).env("PARCRYPT_BACKEND", "sse9");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("'sse9'"), "{}", text(&output.stderr));
    assert!(!folder.path().join("bench-results").exists());
}

#[test]
fn the_python_candidate_of_the_documents_agrees_with_ours() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = tempfile::tempdir().unwrap();
    let output = parcrypt(
        &root,
        &["bench", "plans/python.toml", "--rounds", "1", "--json", "--out", out.path().to_str().unwrap()],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = record(out.path());
    let entries = found["cases"][0]["entries"].as_array().unwrap();
    let python = entries.iter().find(|entry| entry["candidate"] == "python").unwrap();
    assert!(python.get("failure").is_none_or(Value::is_null), "{python}");
    assert_eq!(python["digest"], entries[0]["digest"]);
}

#[test]
fn every_built_in_plan_can_be_tried() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for arguments in [
        &["bench", "quick", "--dry-run"][..],
        &["bench", "openmp-against-rayon", "--dry-run", "--filter", "scale<=5"],
        &["bench", "small-calls", "--dry-run"],
    ] {
        let output = parcrypt(&root, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    }
}
