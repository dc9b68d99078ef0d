//! Plans: what they stand for, and what is said of those that are wrong.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::num::NonZeroUsize;
use std::path::Path;

use parcrypt_lab::plan::{Choices, Matrix, Plan, PlanError};
use parcrypt_lab::record::{Params, Role, Value};
use parcrypt_lab::{House, Own, Wrong};

/// A house with one kernel, `k`, one runtime, `r`, and 1 MiB of memory.
struct Small;

impl House for Small {
    fn command(&self, own: &Own) -> Vec<String> {
        [Some("us".into()), Some(own.runtime.clone()), own.presence.clone()].into_iter().flatten().collect()
    }
    fn can_use(&self, own: &Own, threads: usize) -> bool {
        own.runtime != "serial" || threads == 1
    }
    fn check(&self, own: &Own, workload: &str, params: &Params, threads: usize) -> Result<u64, Wrong> {
        match (own.runtime.as_str(), workload, params.get("scale"), threads) {
            ("serial" | "r", "k", Some(Value::Number(scale @ ..=10)), ..=8) => Ok(1024 << scale),
            ("serial" | "r", "k", None, ..=8) => Ok(0),
            ("serial" | "r", "k", _, ..=8) => Err(Wrong::Workload("scale is at most 10".into())),
            ("serial" | "r", "k", ..) => Err(Wrong::Threads(format!("{threads} threads: at most 8"))),
            ("serial" | "r", ..) => Err(Wrong::Workload(format!("no workload `{workload}`"))),
            (runtime, ..) => Err(Wrong::Contestant(format!("no runtime `{runtime}`"))),
        }
    }
    fn memory_available(&self) -> Option<u64> {
        Some(1 << 20)
    }
}

const HEAD: &str = "schema = 1\ntitle = \"t\"\n";
const CELL: &str = "[[cell]]\nworkload = \"k\"\n";
const US: &str = "[[contestant]]\nname = \"{runtime}\"\nruntime = [\"serial\", \"r\"]\n";

fn parse(text: &str) -> Result<Plan, PlanError> {
    Plan::parse(Path::new("p.toml"), "/".into(), text.to_owned())
}

fn matrix(text: &str, choices: &Choices) -> Result<Matrix, PlanError> {
    Matrix::new(&parse(text)?, choices, &Small, NonZeroUsize::new(6).unwrap())
}

fn filter(conditions: &[&str]) -> Choices {
    Choices { filter: conditions.iter().map(|c| c.parse().unwrap()).collect(), ..Choices::default() }
}

fn rows(matrix: &Matrix) -> Vec<String> {
    let all = matrix.cells.iter().flat_map(|cell| cell.rows.iter().map(move |row| (cell, row)));
    all.map(|(cell, row)| format!("{} / {} {}", cell.name(), row.contestant, row.threads)).collect()
}

#[test]
fn lists_are_multiplied_out() {
    let text = format!("{HEAD}{CELL}params = {{ scale = [1, 2] }}\nthreads = [2, 1, 2]\n{US}");
    let found = matrix(&text, &Choices::default()).unwrap();
    let expected = |scale| {
        [("serial", 1), ("r", 1), ("r", 2)]
            .map(|(name, threads)| format!("k scale={scale} / {name} {threads}"))
    };
    assert_eq!(rows(&found), [expected(1), expected(2)].concat());
    assert_eq!(found.rounds, 20);
    let row = &found.cells[1].rows[2];
    assert_eq!(row.labels["runtime"], "r");
    assert_eq!(row.params["scale"], Value::Number(2));
    assert_eq!(row.command, ["us", "r"]);
}

#[test]
fn a_runtime_may_only_be_there() {
    let us =
        "[[contestant]]\nname = \"{runtime} {presence}\"\nruntime = \"r\"\npresence = [\"idle\", \"used\"]\n";
    let cell = "throughput = true\nleast-speed = 0.98\ninput = { bytes = 8 }\nthreads = [2]\n";
    let found = matrix(&format!("{HEAD}{CELL}{cell}{us}"), &Choices::default()).unwrap();
    assert_eq!(rows(&found), ["k / r idle 2", "k / r used 2"]);
    let cell = &found.cells[0];
    assert_eq!((cell.throughput, cell.least_speed), (true, Some(0.98)));
    assert_eq!(cell.rows[1].command, ["us", "r", "used"]);
    assert_eq!(cell.rows[1].labels["presence"], "used");
}

#[test]
fn threads_go_up_to_the_cores() {
    for line in ["", "threads = \"cores\"\n"] {
        let found = matrix(&format!("{HEAD}{CELL}{line}{US}"), &filter(&["runtime=r"])).unwrap();
        assert_eq!(rows(&found), ["k / r 1", "k / r 2", "k / r 4", "k / r 6"]);
    }
    let choices = Choices { threads: Some(vec![3]), ..filter(&["runtime=r"]) };
    for baseline in ["r", "serial"] {
        let text = format!("{HEAD}{CELL}baseline = \"{baseline}\"\n{US}");
        assert_eq!(rows(&matrix(&text, &choices).unwrap()), ["k / r 3"]);
    }
}

#[test]
fn rows_that_are_not_alive_together_need_less_memory() {
    // A row of ours takes 512 KiB, and there is 1 MiB: two rows at once fit.
    let text = |together: &str| {
        format!("{HEAD}{CELL}params = {{ scale = 9 }}\nthreads = [1, 2, 4]\n{together}\n{US}")
    };
    let refused = matrix(&text(""), &Choices::default()).unwrap_err().to_string();
    assert!(refused.contains("4 rows of k scale=9 need 2 MiB of memory at once"), "{refused}");
    assert!(refused.contains("together = \"threads\""), "{refused}");
    let found = matrix(&text("together = \"threads\""), &Choices::default()).unwrap();
    assert_eq!(found.cells[0].groups(), [vec![0, 1], vec![2], vec![3]]);
    let all = matrix(&text("").replace("9", "1"), &Choices::default()).unwrap();
    assert_eq!(all.cells[0].groups(), [[0, 1, 2, 3]]);
    let many = text("together = \"threads\"").replace("9", "10").replace("[1, 2, 4]", "[1]");
    let refused = matrix(&many, &Choices::default()).unwrap_err().to_string();
    assert!(
        refused.contains("2 rows of k scale=10 need 2 MiB") && !refused.contains("together"),
        "{refused}"
    );
    let wrong = parse(&text("together = \"sizes\"")).unwrap_err().to_string();
    assert!(wrong.contains("all") && wrong.contains("threads"), "{wrong}");
}

#[test]
fn the_control_is_the_baseline_again() {
    let found = matrix(
        &format!("{HEAD}{CELL}threads = [1]\nbaseline = \"r\"\ncontrol = true\n{US}"),
        &Choices::default(),
    );
    let cell = &found.unwrap().cells[0];
    let (baseline, control) = (&cell.rows[cell.baseline], cell.rows.last().unwrap());
    assert_eq!((baseline.contestant.as_str(), control.contestant.as_str()), ("r", "r again"));
    assert_eq!((baseline.role, control.role), (Role::Contestant, Role::Control));
    assert_eq!(baseline.command, control.command);
}

#[test]
fn a_filter_that_takes_the_baseline_away_leaves_the_next_contestant() {
    let limit = "[[contestant]]\nname = \"best\"\nruntime = \"r\"\nlimit = true\n";
    let text = format!("{HEAD}{CELL}threads = [1]\nbaseline = \"serial\"\n{limit}{US}");
    let baseline = |conditions: &[&str]| {
        let cell = &matrix(&text, &filter(conditions)).unwrap().cells[0];
        cell.rows[cell.baseline].contestant.clone()
    };
    assert_eq!(baseline(&[]), "serial");
    assert_eq!(baseline(&["runtime=r"]), "r", "not the limit, which comes first");
    assert_eq!(baseline(&["contestant=best"]), "best", "nothing else is left");
}

#[test]
fn commands_get_their_threads() {
    let them = "[[contestant]]\nname = \"mpi\"\ncommand = [\"mpiexec\", \"-n\", \"{threads}\", \"x\"]\nlimit = true\nworkload = \"other\"\nthreads = [4]\n";
    let found = matrix(&format!("{HEAD}{CELL}threads = [1, 4]\n{US}{them}"), &Choices::default()).unwrap();
    let row = found.cells[0].rows.last().unwrap();
    assert_eq!(row.command, ["mpiexec", "-n", "4", "x"]);
    assert_eq!((row.role, row.workload.as_str(), row.threads), (Role::Limit, "other", 4));
}

#[test]
fn inputs_have_the_size_that_params_say() {
    let size = |entry: &str| {
        let text = format!("{HEAD}{CELL}params = {{ scale = 3 }}\ninput = {{ {entry} }}\n{US}");
        matrix(&text, &Choices::default()).map(|m| m.cells[0].input.unwrap().bytes)
    };
    assert_eq!(size("bytes = 32, times = \"2^scale\"").unwrap(), 256);
    assert_eq!(size("bytes = 32, times = \"scale\"").unwrap(), 96);
    assert_eq!(size("bytes = 32").unwrap(), 32);
    assert!(size("bytes = 32, times = \"2^size\"").unwrap_err().to_string().contains("`size`"));
    assert!(size("bytes = 9223372036854775807, times = \"scale\"").unwrap_err().to_string().contains("2^64"));
}

#[test]
fn filters_of_the_user_replace_the_plans_own() {
    let text = format!(
        "{}filter = [\"scale<=2\"]\n{CELL}params = {{ scale = [1, 2, 3, 99] }}\nthreads = [1]\n{US}",
        HEAD
    );
    let count = |conditions: &[&str]| matrix(&text, &filter(conditions)).map(|m| m.rows());
    assert_eq!(count(&[]).unwrap(), 4);
    assert_eq!(count(&["scale<=3"]).unwrap(), 6);
    assert_eq!(count(&["runtime=r"]).unwrap(), 2, "the plan's filter on another key stays");
    assert_eq!(count(&["scale=1|3", "contestant=r"]).unwrap(), 2);
    // 99 is too large for the house, which is told only when somebody wants it.
    assert!(count(&["scale>3"]).unwrap_err().to_string().contains("at most 10"));
    let none = count(&["scale=1", "scale=2"]).unwrap_err().to_string();
    assert!(none.contains("--filter") && none.contains("no row"), "{none}");
    let typo = count(&["scael=1"]).unwrap_err().to_string();
    assert!(typo.contains("`scael`") && typo.contains("scale"), "{typo}");
}

#[test]
fn the_rows_of_a_cell_must_fit_together() {
    // The house says 512 KiB for scale 9 and has 1 MiB.
    let text = format!("{HEAD}{CELL}params = {{ scale = 9 }}\nthreads = [1]\n{US}");
    assert_eq!(matrix(&text, &Choices::default()).unwrap().rows(), 2);
    let text = text.replace("threads = [1]", "threads = [1, 2]");
    let message = matrix(&text, &Choices::default()).unwrap_err().to_string();
    assert!(
        message.contains("the 3 rows of k scale=9 need 1 MiB") && message.contains("--filter"),
        "{message}"
    );
    assert_eq!(matrix(&text, &filter(&["threads=1"])).unwrap().rows(), 2);
    // A contestant from outside holds its input.
    let them = "[[contestant]]\nname = \"x\"\ncommand = [\"x\"]\n";
    let text = format!("{HEAD}{CELL}input = {{ bytes = 1048577 }}\nthreads = [1]\n{US}{them}");
    assert!(matrix(&text, &Choices::default()).unwrap_err().to_string().contains("memory"));
}

/// What is wrong, and what the message must hold. Line numbers count from 1.
#[test]
fn mistakes_are_named_with_their_line() {
    let cases: &[(String, &[&str])] = &[
        (String::new(), &["p.toml", "schema = 1"]),
        ("schema = \"x\"".into(), &["schema = 1"]),
        ("schema = 0".into(), &["schema = 1"]),
        ("schema = 2\nnew-key = 1".into(), &["schema 2", "newer version"]),
        ("schema = 1\n[[[".into(), &["p.toml", "line 2"]),
        (format!("{HEAD}{CELL}{US}colour = 1\n"), &["line 8", "unknown field `colour`"]),
        (format!("{HEAD}{CELL}worklaod = \"k\"\n{US}"), &["line 5", "unknown field `worklaod`"]),
        (format!("{HEAD}[sampling]\nrounds = 0\n{CELL}{US}"), &["p.toml:4", "rounds is 0", "from 1"]),
        (format!("{HEAD}[sampling]\nsamples = -1\n{CELL}{US}"), &["line 4"]),
        (format!("{HEAD}[sampling]\nlimit-s = 999999\n{CELL}{US}"), &["p.toml:4", "limit-s"]),
        (format!("{HEAD}filter = [\"scale\"]\n{CELL}{US}"), &["p.toml:3", "no operator"]),
        (format!("{HEAD}{US}"), &["cell"]),
        (format!("{HEAD}{CELL}"), &["contestant"]),
        (format!("{HEAD}{CELL}threads = [0]\n{US}"), &["p.toml:5", "from 1"]),
        (format!("{HEAD}{CELL}threads = []\n{US}"), &["p.toml:5", "from 1"]),
        (format!("{HEAD}{CELL}threads = \"all\"\n{US}"), &["p.toml:5", "\"cores\""]),
        (format!("{HEAD}{CELL}threads = [10000]\nbaseline = \"r\"\n{US}"), &["p.toml:4", "10000 threads"]),
        (format!("{HEAD}{CELL}threads = [2]\nbaseline = \"serial\"\n{US}"), &["p.toml:6", "baseline"]),
        (format!("{HEAD}{CELL}baseline = \"x\"\n{US}"), &["p.toml:5", "`x`", "serial, r"]),
        (format!("{HEAD}{CELL}contestants = [\"r\", \"y\"]\n{US}"), &["p.toml:5", "`y`", "serial, r"]),
        (format!("{HEAD}[[cell]]\nworkload = \"kk\"\n{US}"), &["p.toml:4", "`kk`"]),
        (format!("{HEAD}{CELL}params = {{ scale = 11 }}\n{US}"), &["p.toml:4", "at most 10"]),
        (format!("{HEAD}{CELL}params = {{ scale = 1.5 }}\n{US}"), &["line 5", "expected a value"]),
        (format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\nruntime = \"tbb\"\n"), &["p.toml:6", "`tbb`"]),
        (format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\n"), &["p.toml:6", "either `runtime`"]),
        (format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\ncommand = []\n"), &["p.toml:6", "empty"]),
        (
            format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\ncommand = [\"x\"]\nbackend = \"avx2\"\n"),
            &["p.toml:6", "`backend`"],
        ),
        (
            format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\ncommand = [\"x\"]\npresence = \"idle\"\n"),
            &["p.toml:6", "`presence`"],
        ),
        (format!("{HEAD}{CELL}least-speed = 0\n{US}"), &["p.toml:5", "`least-speed`", "0.98"]),
        (format!("{HEAD}{CELL}throughput = true\n{US}"), &["p.toml:4", "`throughput` needs an `input`"]),
        (
            format!("{HEAD}{CELL}{US}[[question]]\nask = \"q\"\nfrom = {{}}\nto = {{}}\nat-most = 0\n"),
            &["p.toml:12", "`at-most`", "1.005"],
        ),
        (
            format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\ncommand = [\"x\"]\nthreads = [0]\n"),
            &["p.toml:6"],
        ),
        (
            format!("{HEAD}{CELL}[[contestant]]\nname = \"a\"\nruntime = [\"serial\", \"r\"]\n"),
            &["p.toml:6", "two contestants"],
        ),
        (
            format!("{HEAD}{CELL}{US}[[question]]\nask = \"q\"\nfrom = {{}}\nto = {{}}\nonly = [\"x\"]\n"),
            &["p.toml:12", "no operator"],
        ),
        (
            format!(
                "{HEAD}{CELL}{CELL}measure = \"instructions\"\n{US}[[question]]\nask = \"q\"\nfrom = {{}}\nto = {{}}\n"
            ),
            &["p.toml:", "cells that all have the same `measure`"],
        ),
    ];
    for (text, expected) in cases {
        let message = matrix(text, &Choices::default()).expect_err(text).to_string();
        for part in *expected {
            assert!(message.contains(part), "`{part}` is not in\n{message}\nfor\n{text}");
        }
    }
}

#[test]
fn choices_are_checked_and_the_flag_is_blamed() {
    let text = format!("{HEAD}{CELL}{US}");
    let said = |choices: Choices| matrix(&text, &choices).expect_err("wrong").to_string();
    for threads in [vec![], vec![0], vec![1, 0]] {
        assert!(
            said(Choices { threads: Some(threads), ..Choices::default() })
                .starts_with("--threads: numbers from 1")
        );
    }
    let many = said(Choices { threads: Some(vec![1, 10_000]), ..Choices::default() });
    assert!(many.starts_with("--threads: 10000 threads"), "{many}");
    for rounds in [0, usize::MAX] {
        assert!(said(Choices { rounds: Some(rounds), ..Choices::default() }).starts_with("--rounds"));
    }
}

#[test]
fn files_that_are_not_there_are_named() {
    let message = Plan::read(Path::new("/nowhere/x.toml")).unwrap_err().to_string();
    assert!(message.contains("/nowhere/x.toml"), "{message}");
    let message = Plan::read(Path::new("/")).unwrap_err().to_string();
    assert!(message.contains('/'), "{message}");
}

#[test]
fn any_text_is_taken_or_refused_without_a_panic() {
    let whole = format!(
        "{HEAD}{CELL}params = {{ scale = [1, 2] }}\ninput = {{ bytes = 1, times = \"2^scale\" }}\n{US}"
    );
    for end in 0..=whole.len() {
        let _ = matrix(&whole[..end], &Choices::default());
        let mut changed = whole.clone().into_bytes();
        for with in [b'"', b'0', b'[', b'\n', b'{'] {
            if let Some(byte) = changed.get_mut(end) {
                *byte = with;
                let _ = matrix(&String::from_utf8_lossy(&changed), &Choices::default());
            }
        }
    }
}
