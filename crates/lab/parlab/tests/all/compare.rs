//! `parlab compare` as a user runs it. No test depends on time: if a verdict is expected, the work of the commands
//! differs by a factor of a hundred.

use crate::process;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::command::ELSEWHERE;
use parcrypt_lab::record::{Measure, Record};
use serde_json::Value;

use process::{ended, ends, names, number_in};

/// A folder with scripts and files for the commands.
struct Folder(process::Folder);

impl std::ops::Deref for Folder {
    type Target = process::Folder;

    fn deref(&self) -> &process::Folder {
        &self.0
    }
}

/// A run as short as can be, of one round or some, for tests whose point is not the number of rounds.
const SHORT: [&str; 2] = ["--for", "100ms"];

/// Counts to its argument.
const WORK: &str = "#!/bin/sh\ni=0\nwhile [ $i -lt $1 ]; do i=$((i + 1)); done\n";

impl Folder {
    fn new() -> Self {
        let folder = Folder(process::Folder::new());
        folder.script("work", WORK);
        let numbers: String = (0..3000).map(|n| format!("{}\n", n * 7919 % 3001)).collect();
        folder.write("numbers", &numbers);
        folder
    }

    fn compare(&self, arguments: &[&str]) -> Command {
        self.parlab(&[&["compare"], arguments].concat())
    }

    /// Compares, which must exit with this code; returns standard output and standard error.
    fn ends(&self, arguments: &[&str], code: i32) -> (String, String) {
        ends(&mut self.compare(arguments), code)
    }

    fn json(&self, arguments: &[&str], code: i32) -> Value {
        serde_json::from_str(&self.ends(&[arguments, &["--json"]].concat(), code).0).unwrap()
    }

    /// [`Folder::ends`] with arguments as in a shell.
    fn line(&self, arguments: &str, code: i32) -> (String, String) {
        self.0.line(&format!("compare {arguments}"), code)
    }

    /// Compares, which must exit with code 0, and returns the record.
    fn record(&self, arguments: &str) -> Record {
        self.line(&format!("--for 100ms --out results {arguments}"), 0);
        self.0.record("results")
    }
}

#[test]
fn verdicts_and_conditions() {
    let folder = Folder::new();
    let pair = ["--rounds", "8", "./work 100000", "./work 1"];
    let with = |more: &[&str], code| folder.json(&[&pair[..], more].concat(), code);
    let found = with(&["--fail-if", "slower than 2%"], 0);
    let [baseline, row] = [0, 1].map(|at| &found["rows"][at]);
    assert_eq!((&baseline["what"], &row["what"]), (&"./work 100000".into(), &"./work 1".into()));
    assert_eq!((&baseline["baseline"], &row["verdict"]), (&true.into(), &"faster".into()));
    let ratio = &row["ratio"];
    assert!(ratio["high"].as_f64() < Some(0.5) && ratio["low"].as_f64() > Some(0.0), "{ratio}");
    assert_eq!(ratio["replicates"], 8);
    let sentence = found["verdict"].as_str().unwrap();
    assert!(
        sentence.starts_with("./work 1 is ") && sentence.contains(" times as fast as ./work 100000"),
        "{sentence}"
    );
    assert_eq!((&found["schema"], &found["answers"][0]["answer"]), (&1.into(), &"no".into()));
    let named = ["--rounds", "8", "--name", "much", "--name", "little", "--baseline", "2"];
    let (stdout, stderr) =
        folder.ends(&[&named[..], &pair[2..], &["--fail-if", "slower than 2%"]].concat(), 1);
    assert!(
        stdout.starts_with("much takes ") && stdout.contains(" times as long as little (99 % interval "),
        "{stdout}"
    );
    assert!(
        stderr.contains("after 8 rounds: much takes ")
            && stderr.contains("gate failed: 1 of 1 comparison slower"),
        "{stderr}"
    );
    let few = ["--rounds", "2", "./work 1", "./work 1", "--fail-if", "slower than 2%"];
    let (stdout, stderr) = folder.ends(&few, 3);
    assert!(
        stdout.starts_with("Undecided; so far ./work 1 (2) ") && stdout.contains("(2 of 8 rounds)"),
        "{stdout}"
    );
    assert!(stderr.contains("gate undecided: no comparison shown slower than 2 %"), "{stderr}");
    let (markdown, _) = folder.ends(&[&SHORT[..], &["./work 1", "true", "--markdown"]].concat(), 0);
    assert!(markdown.starts_with("### Undecided") && markdown.contains("| `./work 1` "), "{markdown}");
    let (csv, _) = folder.ends(&[&SHORT[..], &["./work 1", "true", "--csv"]].concat(), 0);
    assert!(csv.starts_with("plan,case,row,threads,column,estimate,") && csv.contains(",./work 1,"), "{csv}");
    assert_eq!(names(&folder.path("")), ["numbers", "work"], "nothing is kept without --out");
}

#[test]
fn every_run_is_one_of_the_record_or_the_warm_up() {
    let folder = Folder::new();
    let command = r#""sh -c 'printf b >> log'""#;
    let record = folder.record(&format!(
        "--warmup 3 --prepare 'printf a >> log' --conclude 'printf c >> log' --setup 'printf s >> log' \
         --cleanup 'printf e >> log' {command} {command}"
    ));
    let log = folder.read("log");
    let runs = log.strip_prefix('s').and_then(|log| log.strip_suffix('e')).unwrap();
    assert_eq!(runs, "abc".repeat(runs.len() / 3), "one run follows the other");
    let entries = &record.cases[0].entries;
    assert!(entries.iter().all(|entry| !entry.rounds.is_empty()));
    let counted: u64 =
        entries.iter().flat_map(|e| e.rounds.iter().flatten()).map(|sample| sample.iterations).sum();
    assert!(counted > 0 && runs.len() as u64 / 3 >= counted + 2 * 3, "{counted} of {}", runs.len());
    for entry in entries {
        assert_eq!(entry.command[..2], ["parlab", "run-command"], "no path of this machine");
        let samples = entry.rounds.iter().flatten();
        assert!(
            samples.clone().count() > 0 && samples.clone().all(|s| s.counts.contains_key("user-time-ns"))
        );
    }
    assert!(record.plan_text.contains("fresh = true"), "{}", record.plan_text);
    // The plan of the record can be run again.
    folder.write("again.toml", &record.plan_text);
    let mut again = Command::new(env!("CARGO_BIN_EXE_parlab"));
    ends(again.args(["bench", "again.toml", "--for", "100ms"]).current_dir(folder.path("")), 0);
}

#[test]
fn a_command_that_fails_is_an_error_that_says_why() {
    let folder = Folder::new();
    folder.script("bad", "#!/bin/sh\necho one >&2\necho two >&2\nexit 7\n");
    nix::unistd::mkfifo(&folder.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    folder.script("later", "#!/bin/sh\necho x >> later-runs\n[ $(wc -l < later-runs) -lt 2 ] || exit 8\n");
    for (arguments, parts) in [
        (
            &["true", "./bad"][..],
            &[
                "error: `./bad` ended with exit code 7 (use --ignore-exit-code to measure it anyway)\n  | one\n  | two\n",
            ][..],
        ),
        (
            &["true", "no-such-program x"],
            &["error: no-such-program x: `no-such-program` not found in PATH (aliases"],
        ),
        (&["true", "./numbers"], &["error: `./numbers` is not executable in /"]),
        (&["true", "sh -c 'kill -9 $$'"], &["was killed by SIGKILL"]),
        (
            &["true", "cat numbers | wc"],
            &[
                "error: `cat numbers | wc` has `|`, which only a shell understands: give --shell, or write it in",
            ],
        ),
        (&["--prepare", "exit 5", "true", "true"], &["error: `exit 5` ended with exit code 5"]),
        (
            &["--setup", "echo no; exit 5", "true", "true"],
            &["--setup `echo no; exit 5`: exit status: 5\n  | no\n"],
        ),
        (&["--cleanup", "exit 6", "true", "true"], &["--cleanup `exit 6`: exit status: 6"]),
        (&["--input", "no-such-file", "true", "true"], &["input no-such-file: No such file"]),
        (&["true", "'"], &["error: `'` cannot be split into words"]),
        (&["true", ""], &["error: the command is empty"]),
        (&["--name", "one", "true", "true"], &["--name: one name for 2 commands"]),
        (&["--name", "one", "--name", " ", "true", "true"], &["--name: a name is empty"]),
        (
            &["--prepare", "a", "--prepare", "b", "true", "true", "true"],
            &["--prepare: it is given 2 times for 3 commands"],
        ),
        (&["--baseline", "3", "true", "true"], &["--baseline 3: it must be from 1 to 2"]),
        (&["--parameter", "n m", "1", "true", "true"], &["a name has letters, digits"]),
        (&["--parameter", "n", "1,2,1", "true", "true"], &["a value is there twice"]),
        (&["--parameter", "threads", "1", "true", "true"], &["a meaning of its own"]),
        (
            &["--parameter", "n", "1,2", "true"],
            &["--parameter n: no text has {n}, so that all of its values"],
        ),
        (&["--parameter", "n", "1,2", "true {m}", "true"], &["--parameter n: no text has {n}"]),
        (&["--input", ".", "true", "true"], &["input .: is a directory"]),
        (&["--input", "pipe", "true", "true"], &["input pipe: it is a pipe or a socket, and each run"]),
        (&["--processors", "9999", "true", "true"], &["--processors 9999: it must be from 1 to"]),
        (&["--fail-if", "quicker than 2%", "true", "true"], &["write it as 'slower than 2%'"]),
        (&["--rev", "HEAD", "true"], &["--rev: give it twice"]),
        (
            &["true", "--fail-if", "slower than 2%"],
            &["--fail-if: one command has nothing to compare it with"],
        ),
        (&["true", "echo $HOME"], &["`echo $HOME` has `$`, which only a shell understands: give --shell"]),
        (
            &["tail -f /dev/null", "true", "--timeout", "1s"],
            &[
                "error: `tail -f /dev/null` was still running after 1 s and was ended; --timeout sets the limit",
            ],
        ),
        (&[], &["<COMMAND>"]),
    ] {
        let (stdout, stderr) = folder.ends(&[&SHORT[..], arguments].concat(), 2);
        let said = stderr.clone() + &stdout;
        assert!(parts.iter().all(|part| said.contains(part)), "{arguments:?}\n{said}");
    }
    // The cause is at the start of a trace of a stack.
    folder.script("trace", "#!/bin/sh\nfor n in $(seq 9000); do echo line $n >&2; done\nexit 7\n");
    let (_, stderr) = folder.ends(&[&SHORT[..], &["true", "./trace"]].concat(), 2);
    for part in ["\n  | line 1\n", "\n  | line 10\n  | … ", "\n  | line 8995\n", "\n  | line 9000\n"] {
        assert!(stderr.contains(part), "{stderr}");
    }
    // Its second run fails, however long a busy machine takes for the first.
    let (_, stderr) = folder.ends(&["--for", "10m", "true", "./later"], 2);
    assert!(stderr.contains("`./later` ended with exit code 8"), "{stderr}");
    folder.ends(&[&SHORT[..], &["--ignore-exit-code", "./bad", "true"]].concat(), 0);
    assert_eq!(names(&folder.path("")), ["bad", "later", "later-runs", "numbers", "pipe", "trace", "work"]);
}

#[test]
fn outputs_are_compared_if_asked() {
    let folder = Folder::new();
    let (same, other) = (["sort -n numbers", "sort -g numbers"], ["echo a", "echo b"]);
    let compare = |commands: [&str; 2], code| {
        let (stdout, stderr) =
            folder.ends(&[&SHORT[..], &["--same-output", commands[0], commands[1]]].concat(), code);
        stdout + &stderr
    };
    compare(same, 0);
    let said = compare(other, 1);
    assert!(
        said.contains(
            "the outputs of echo a and echo b differ, first in line 1:\n  echo a | a\n  echo b | b\n"
        )
    );
    assert!(said.contains("FAILED echo b: its output or exit code differs from the others'.\n"), "{said}");
    let said = compare(["true", "sh -c 'echo $$'"], 1);
    assert!(said.contains("FAILED "), "{said}");
    let lines = folder.ends(&[&["--rounds", "2", "--same-output"][..], &["sh -c 'echo $$'"]].concat(), 1).1;
    assert!(
        lines.contains("the output or exit code of sh -c 'echo $$' is not always the same, first in line 1:")
    );
    folder.ends(&[&SHORT[..], &other].concat(), 0);
    let (said, _) = folder.ends(&[&SHORT[..], &["--shell", "--same-output"], &same].concat(), 0);
    assert!(said.contains("All 2 outputs agreed."), "{said}");
    let codes = [SHORT[0], SHORT[1], "--ignore-exit-code", "true", "false"];
    folder.ends(&codes, 0);
    folder.ends(&[&codes[..], &["--same-output"]].concat(), 1);
    // More than any pipe holds.
    let long = "'head -c 3000000 /dev/zero' 'dd if=/dev/zero bs=1000000 count=3'";
    folder.line(&format!("--for 100ms --same-output {long}"), 0);
}

#[test]
fn one_command_is_measured() {
    let folder = Folder::new();
    let (stdout, stderr) = folder.ends(&["--rounds", "3", "./work 3000"], 0);
    let line = stdout.lines().find(|line| line.contains("./work 3000")).unwrap();
    assert!(["time", "spread", "user", "3 rounds"].iter().all(|word| stdout.contains(word)), "{stdout}");
    assert!(line.contains(" ms") && !stdout.contains("0.000"), "{stdout}");
    assert!(!stdout.contains("winner") && !stderr.contains("verdict"), "{stdout}{stderr}");
    // Its input is empty, and is not the terminal or the pipe of `compare`.
    let (_, stderr) = folder.ends(&["--rounds", "1", "cat", "true"], 0);
    assert!(stderr.contains("note: `cat` reads its standard input, which is empty; --input"), "{stderr}");
    assert!(!stderr.contains("`true`"), "{stderr}");
    let (_, stderr) = folder.ends(&["--rounds", "1", "--input", "numbers", "cat"], 0);
    assert!(!stderr.contains("empty"), "{stderr}");
    // It has no terminal that it could wait for.
    folder
        .script("session", "#!/bin/sh\nread -r _ _ _ _ _ session _ < /proc/$$/stat\necho $session > found\n");
    folder.ends(&["--rounds", "1", "./session"], 0);
    let session: i32 = folder.read("found").trim().parse().unwrap();
    assert_ne!(Pid::from_raw(session), nix::unistd::getsid(None).unwrap());
}

#[test]
fn parameters_make_cases_or_commands() {
    let folder = Folder::new();
    let record = folder.record(
        "--parameter lines 10,20 --parameter file numbers --input {file} --prepare 'echo {lines} >> log' \
         'head -n {lines}' 'sed {lines}q' --same-output",
    );
    let cases: Vec<String> = record.cases.iter().map(|case| case.params["lines"].to_string()).collect();
    assert_eq!(cases, ["10", "20"]);
    assert!(
        record
            .cases
            .iter()
            .all(|case| case.entries.len() == 2 && case.params["file"].to_string() == "numbers")
    );
    assert_ne!(record.cases[0].entries[0].digest, record.cases[1].entries[0].digest);
    assert_eq!(record.cases[0].entries[0].candidate, "head -n {lines}");
    let log = folder.read("log");
    assert!(log.lines().all(|line| line == "10" || line == "20") && log.contains("20\n"), "{log}");
    let alone = ["--for", "100ms", "--parameter", "n", "1,2", "--parameter", "m", "a,b", "echo {n}{m}"];
    let alone = folder.json(&alone, 0);
    let rows = alone["rows"].as_array().unwrap().iter();
    let commands: Vec<&str> = rows.map(|row| row["what"].as_str().unwrap()).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    assert!(
        ["echo 2a", "echo 1b", "echo 2b"].iter().all(|command| commands.contains(command)),
        "{commands:?}"
    );
    // Braces that are no parameters stay as they are.
    let awk = Folder::new().record(r#"--input numbers "awk '{print \$1}'" cat --same-output"#);
    assert_eq!(awk.cases[0].entries[0].candidate, "awk '{print $1}'");
}

#[test]
fn a_shell_runs_what_only_it_understands() {
    let folder = Folder::new();
    let shell =
        ["--shell=sh -e", "sort -n numbers | head -n 3", "sort -n < numbers | sed 3q", "--same-output"];
    let (_, said) = folder.ends(&[&SHORT[..], &shell].concat(), 0);
    assert_eq!(said.matches("note: times include the start of the shell").count(), 1, "{said}");
    let wrong = folder.ends(&["--shell=no-such-shell", ":", ":"], 2).1;
    assert!(wrong.contains("`no-such-shell` not found"), "{wrong}");
}

#[test]
fn ctrl_c_leaves_no_process() {
    for (warmup, rounds) in [("1", "16"), ("0", "16")] {
        let folder = Folder::new();
        // A child and a grandchild, which wait for ever.
        folder.script(
            "waits",
            "#!/bin/sh\necho $$ > child\nsh -c 'echo $$ > grandchild; exec tail -f /dev/null'\n",
        );
        let options = ["--warmup", warmup, "--rounds", rounds, "--cleanup", "touch clean"];
        let mut command = folder.compare(&[&options[..], &["./waits", "true"]].concat());
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let processes = ["child", "grandchild"].map(|name| number_in(&folder.path(name)));
        kill(Pid::from_raw(i32::try_from(running.id()).unwrap()), Signal::SIGINT).unwrap();
        ended(running.wait_with_output().unwrap(), 130, "compare");
        for process in processes {
            let left = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
            assert!(!left.contains("waits") && !left.contains("tail"), "{process}: {left}");
        }
        assert!(folder.path("clean").exists(), "what was set up is removed");
    }
}

#[test]
fn a_second_ctrl_c_ends_the_cleanup() {
    // The first comes during a command that never ends, or during the clean-up, and is always answered.
    for first in ["./waits", "true"] {
        let folder = Folder::new();
        folder.script("waits", "#!/bin/sh\necho $$ > child\nexec tail -f /dev/null\n");
        let cleanup = "echo $$ > cleaning; exec tail -f /dev/null";
        let mut command = folder.compare(&[SHORT[0], SHORT[1], "--cleanup", cleanup, first, "true"]);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(running.id()).unwrap());
        let interrupt = || kill(pid, Signal::SIGINT).unwrap();
        let mut stderr = BufReader::new(running.stderr.take().unwrap()).lines().map(Result::unwrap);
        number_in(&folder.path(if first == "./waits" { "child" } else { "cleaning" }));
        interrupt();
        assert!(stderr.any(|line| line == "note: --cleanup runs; Ctrl-C again ends it"));
        let cleaning = number_in(&folder.path("cleaning"));
        interrupt();
        assert!(stderr.any(|line| line.ends_with("`: stopped")));
        assert_eq!(running.wait().unwrap().code(), Some(130));
        let left = fs::read_to_string(format!("/proc/{cleaning}/cmdline")).unwrap_or_default();
        assert!(!left.contains("tail"), "{left}");
    }
}

#[test]
fn slow_preparations_are_few() {
    let folder = Folder::new();
    let runs = |length: &[&str]| {
        let prepare = "echo x >> log; sleep 0.1";
        folder.ends(&[length, &["--prepare", prepare, "--out", "results", "true", "true"]].concat(), 0);
        let (runs, partial) = (folder.read("log").lines().count(), folder.0.record("results").partial);
        fs::remove_file(folder.path("log")).unwrap();
        fs::remove_dir_all(folder.path("results")).unwrap();
        (runs, partial.unwrap_or_default())
    };
    // Each command has a run for the warm-up, at most two to find the length of a sample, and at most two in a round.
    let (all, _) = runs(&["--rounds", "2"]);
    assert!((8..=14).contains(&all), "{all}");
    let (all, partial) = runs(&SHORT);
    assert!((6..=8).contains(&all) && partial.contains(" after 1 round of a case"), "{all}: {partial}");
}

#[test]
fn both_errors_of_a_command_and_of_the_cleanup_are_told() {
    let folder = Folder::new();
    let (_, stderr) = folder.ends(&["--rounds", "2", "--cleanup", "exit 6", "false", "true"], 2);
    assert!(stderr.contains("--cleanup `exit 6`: exit status: 6"), "{stderr}");
    assert!(stderr.contains("`false` ended with exit code 1"), "{stderr}");
}

#[test]
fn the_name_of_the_control_is_not_taken() {
    let record = Folder::new().record("--control --name a --name 'a again' true true");
    let entries: Vec<&str> = record.cases[0].entries.iter().map(|entry| entry.candidate.as_str()).collect();
    assert_eq!(entries, ["a", "a again (2)", "a again"]);
}

/// Makes a git project with two commits: the second does a thousand times the work of the first, and its build fails
/// if there is a file `broken`.
fn project(folder: &Folder) -> bool {
    let git = |arguments: &[&str]| {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
        let mut command = Command::new("git");
        command
            .args(settings)
            .args(arguments)
            .current_dir(folder.path(""))
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if !git(&["init", "-q"]) {
        return false;
    }
    let tool = |count: &str| folder.write("tool.sh", WORK.replace("$1", count));
    folder.write("Makefile", "tool: tool.sh\n\tcp tool.sh tool\n\tchmod +x tool\n");
    fs::create_dir(folder.path("inside")).unwrap();
    folder.write("inside/file", "x");
    tool("100");
    assert!(git(&["add", "."]) && git(&["commit", "-q", "-m", "one"]) && git(&["tag", "v1"]));
    tool("100000");
    assert!(git(&["commit", "-q", "-a", "-m", "two"]));
    true
}

#[test]
fn revisions_are_built_in_trees_of_their_own() {
    let folder = Folder::new();
    if !project(&folder) {
        parcrypt_testkit::skip("parlab", "compare --rev", "git is not there");
        return;
    }
    let revisions = ["--rev", "v1", "--rev", "HEAD"];
    let build = ["--build", "make tool", "--rounds", "8", "--out", "kept"];
    let rest = ["--fail-if", "slower than 2%", "--", "./tool", "x"];
    let (stdout, stderr) = folder.ends(&[&revisions[..], &build, &rest].concat(), 1);
    assert!(stdout.contains("HEAD (") && stdout.contains(" times as long as v1 ("), "{stdout}");
    assert!(stderr.contains("building v1 (") && stderr.contains("gate failed: 1 of 1"), "{stderr}");
    let text = folder.read(&folder.record_in("kept"));
    let of = &folder.0.record("kept").cases[0].entries;
    let settings = [0, 1].map(|entry| of[entry].command[2].as_str());
    assert_eq!(settings, [r#"{"folder":"old/"}"#, r#"{"folder":"new/"}"#]);
    assert!(!text.contains(&std::env::temp_dir().display().to_string()), "a folder of this machine: {text}");
    for (arguments, part) in [
        (
            &["--rev", "v1", "--rev", "v2", "--", "./tool"][..],
            "error: --rev v2: the project has no such revision",
        ),
        (
            &["--rev", "v1", "--rev=--help", "--", "./tool"],
            "error: --rev --help: the project has no such revision",
        ),
        (&["--rev", "v1", "--rev", "HEAD", "--", "./tool"], "`./tool` not found in /"),
        (&["--rev", "v1", "--rev", "HEAD", "cat seen"], "It ran in the work tree of v1 ("),
        (
            &["--rev", "v1", "--rev", "HEAD", "--build", "make tool", "--layouts", "9", "--", "./tool"],
            "tool: its link was not kept",
        ),
        (
            &["--rev", "v1", "--rev", "HEAD", "--build", "make tool", "--layouts", "9", "--", "cat", "seen"],
            "error: --layouts: `cat` is not a path in the work tree, such as target/release/NAME",
        ),
        (&["--rev", "v1", "--rev", "HEAD", "cat a | wc"], "has `|`, which only a shell understands"),
        (
            &["--rev", "v1", "--rev", "HEAD", "--build", "echo no; exit 3", "--", "./tool"],
            "exit status: 3\n  | no\n",
        ),
    ] {
        let (_, stderr) = folder.ends(arguments, 2);
        assert!(stderr.contains(part), "{arguments:?}\n{stderr}");
    }
    // In a folder of the project, the command runs in the same folder of each tree.
    let mut inside = folder.compare(&[&SHORT[..], &["--rev", "v1", "--rev", ":/one", "cat file"]].concat());
    ends(inside.current_dir(folder.path("inside")), 0);
    // What runs before and after runs in the trees, and no variable leads git or the command elsewhere.
    let alone = "test -f Makefile && test ! -e seen && test -z \"$NOWHERE\" && touch seen";
    let nowhere: String = ELSEWHERE.iter().map(|name| format!("${name}")).collect();
    let alone = alone.replace("$NOWHERE", &nowhere);
    let after = "test -f seen && pwd >> \"$LOG\"";
    let seen = format!("test -f seen -a -z \"{nowhere}\"");
    let around = ["--setup", &alone, "--cleanup", after, "--", "sh", "-c", &seen];
    let mut command = folder.compare(&[&revisions[..], &SHORT, &around].concat());
    command.envs(ELSEWHERE.map(|name| (name, "/no/such")));
    ends(command.env("LOG", folder.path("log")), 0);
    assert_eq!(folder.read("log").lines().count(), 2, "once in each tree");
    // A tree that is half made is removed.
    folder.write(".git/info/attributes", "* filter=fails\n");
    for setting in [["filter.fails.smudge", "false"], ["filter.fails.required", "true"]] {
        assert!(crate::suite::git(&folder, &[&["config"], &setting[..]].concat()));
    }
    let (_, stderr) = folder.ends(&["--rev", "v1", "--rev", "HEAD", "--", "./tool"], 2);
    assert!(stderr.contains("error: --rev v1: ") && !stderr.contains("is not removed"), "{stderr}");
    let trees = Command::new("git").args(["worktree", "list"]).current_dir(folder.path("")).output().unwrap();
    assert_eq!(String::from_utf8(trees.stdout).unwrap().lines().count(), 1, "no tree is left");
    let outside = Folder::new();
    let (_, stderr) = outside.ends(&["--rev", "v1", "--rev", "HEAD", "--", "./tool"], 2);
    assert!(stderr.starts_with("error: --rev: git: not a git repository"), "{stderr}");
    // Git itself reads this variable for its tests.
    let mut of_another = folder.compare(&["--rev", "v1", "--rev", "HEAD", "--", "./tool"]);
    of_another.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")]);
    let (_, stderr) = ends(of_another.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"), 2);
    assert!(
        stderr.starts_with("error: --rev: git: detected dubious ownership in repository at '/"),
        "{stderr}"
    );
    assert!(stderr.contains("git config --global --add safe.directory"), "{stderr}");
}

#[test]
fn a_killed_run_leaves_no_build_and_no_work_tree() {
    let folder = Folder::new();
    if !project(&folder) {
        parcrypt_testkit::skip("parlab", "compare --rev", "git is not there");
        return;
    }
    let trees = || {
        let list =
            Command::new("git").args(["worktree", "list"]).current_dir(folder.path("")).output().unwrap();
        String::from_utf8(list.stdout).unwrap().lines().count()
    };
    // Its folder for temporary files is found by the next run.
    let temporary = tempfile::tempdir().unwrap();
    let build = format!("echo $$ > '{}'; exec tail -f /dev/null", folder.path("build").display());
    let revisions = ["--rev", "v1", "--rev", "HEAD"];
    let mut command = folder.compare(&[&revisions[..], &["--build", &build, "--", "./tool"]].concat());
    let mut running =
        command.env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let build = number_in(&folder.path("build"));
    assert_eq!(trees(), 3);
    running.kill().unwrap();
    running.wait().unwrap();
    while fs::read_to_string(format!("/proc/{build}/cmdline")).unwrap_or_default().contains("tail") {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(trees(), 3, "the killed run could not remove them");
    let mut next = folder.compare(&[&SHORT[..], &revisions, &["--", "cat", "Makefile"]].concat());
    ends(next.env("TMPDIR", temporary.path()), 0);
    assert_eq!((trees(), names(temporary.path())), (1, Vec::<String>::new()));
}

#[test]
fn names_that_are_not_text_are_used_or_refused() {
    use std::os::unix::ffi::OsStrExt;
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let outer = Folder::new();
    let folder = Folder(process::Folder(tempfile::tempdir_in(outer.path("")).unwrap()));
    folder.script("work", WORK);
    if !project(&folder) {
        parcrypt_testkit::skip("parlab", "compare --rev", "git is not there");
        return;
    }
    // A project whose own path is not UTF-8.
    let moved = outer.path("").join(name(b"\xff project "));
    fs::rename(folder.path(""), &moved).unwrap();
    let arguments = [&SHORT[..], &["--rev", "v1", "--rev", "HEAD", "--", "cat", "file"]].concat();
    ends(outer.compare(&arguments).current_dir(moved.join("inside")), 0);
    // A folder of the project: the work trees have it too.
    let inner = moved.join(name(b"\xfe"));
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("file"), "x").unwrap();
    let (_, stderr) = ends(outer.compare(&arguments).current_dir(&inner), 2);
    assert!(stderr.contains("is not UTF-8, as the folder of a command in a plan has to be"), "{stderr}");
    // A folder for temporary files.
    let (_, stderr) = ends(outer.compare(&arguments).current_dir(&moved).env("TMPDIR", &inner), 2);
    assert!(stderr.contains("is not UTF-8, as the folder of a command in a plan has to be"), "{stderr}");
    let all: Vec<_> = fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(all, ["file"], "nothing is left, and nothing was made");
}

/// A benchmark program with the format that is its first argument, whose benchmarks have the names and the times in ns
/// that follow.
const BENCHMARK: &str = r#"#!/bin/sh
format=$1; shift
[ $format = criterion ] || printf '{"context": {"num_cpus": 2}, "benchmarks": ['
between=
while [ $# -gt 0 ]; do
    if [ $format = criterion ]; then
        echo 'Benchmarking'
        printf '{"reason":"benchmark-complete","id":"%s","iteration_count":[2],"measured_values":[%s],' "$1" "$2"
        printf '"unit":"ns","throughput":[],"typical":{"estimate":1.0}}\n'
        echo '{"reason":"group-complete","group_name":"x","benchmarks":[]}'
    else
        printf '%s{"name": "%s", "run_name": "%s", "run_type": "iteration", "iterations": 5,' "$between" "$1" "$1"
        printf ' "real_time": %s, "cpu_time": 1, "time_unit": "ns"}' "$2"
        between=,
    fi
    shift 2
done
[ $format = criterion ] || echo ']}'
"#;

#[test]
fn the_time_of_a_benchmark_program_is_its_own() {
    let folder = Folder::new();
    folder.script("benchmark", BENCHMARK);
    let reads = ["--reads", "google-benchmark"];
    // The one that takes longer to run has the shorter time.
    folder.script("slow", "#!/bin/sh\n./work 3000\nexec ./benchmark \"$@\"\n");
    let pair = ["./benchmark google f 0.4", "./slow google f 0.3"];
    let found =
        folder.json(&[&["--rounds", "8"], &reads[..], &pair, &["--fail-if", "faster than 20%"]].concat(), 1);
    let row = &found["rows"][1];
    assert_eq!((&found["cases"][0]["measure"], &row["verdict"]), (&"own-time".into(), &"faster".into()));
    assert_eq!(found["answers"][0]["answer"], "yes");
    let ratio = &row["ratio"];
    assert!((ratio["estimate"].as_f64().unwrap() - 0.75).abs() < 1e-9, "{ratio}");
    let sentence = found["verdict"].as_str().unwrap();
    assert!(
        sentence.contains("is 25.0 % faster than ./benchmark google f 0.4 by their own clocks ("),
        "{sentence}"
    );
    assert_eq!(found["cases"][0]["unit"], "ns");

    // A shell's start is not in such a time.
    let both = "'./benchmark criterion g/1 20 g/22 40'";
    let criterion = "--reads criterion --benchmark g/{n} --parameter n 1,22 --shell";
    let record = folder.record(&format!("{criterion} {both} {both}"));
    assert_eq!(record.cases.len(), 2);
    for (case, time) in record.cases.iter().zip([10.0, 20.0]) {
        assert_eq!((case.entries.len(), &case.measure), (2, &Measure::OwnTime));
        let value = case.entries[0].replicates[0].value.unwrap();
        assert!((value - time).abs() < 1e-9, "{value}");
        let command = &case.entries[0].command;
        assert!(command[2].contains(r#"{"format":"criterion","benchmark":"g/{n}"}"#), "{command:?}");
        let samples = case.entries[0].rounds.iter().flatten();
        assert!(
            samples.clone().all(|sample| sample.elapsed_ns > Some(100_000)),
            "the process's time is there too"
        );
    }
    let pair_of = "'./benchmark criterion f 0.4' './benchmark criterion g 1'";
    let (page, _) = folder.line(&format!("--for 100ms --markdown --reads criterion {pair_of}"), 0);
    assert!(page.contains("time by its own clock"), "{page}");

    let (_, stderr) = folder.ends(&["true", "--measure", "time,allocations"], 2);
    assert!(stderr.contains("--measure allocations: it must be time, memory or instructions"), "{stderr}");
    for (arguments, why) in [
        (
            &["./benchmark google f 1 g 1"][..],
            "its output has 2 benchmarks: choose one with --benchmark: \"f\", \"g\"",
        ),
        (&["./benchmark google f 1", "--benchmark", "h"], "its output has no benchmark \"h\", but \"f\""),
        (&["./benchmark google f 0"], "the benchmark \"f\" has the time 0 ns"),
        (&["./benchmark google"], "its output has no benchmark of Google Benchmark"),
        (&["./benchmark criterion f 1"], "its output is not in the format of Google Benchmark"),
        (&["true"], "its output is not in the format of Google Benchmark"),
        (
            &["./benchmark google f 1", "--fail-if", "more than 2%"],
            "not among what is measured (time): write 'slower than 2%'",
        ),
        (&["./benchmark google f 1", "--same-output"], "cannot be used with"),
        (&["./benchmark google f 1", "--measure", "instructions"], "--measure instructions with --reads: "),
    ] {
        let (_, stderr) = folder.ends(&[&[pair[0]], &reads[..], arguments].concat(), 2);
        assert!(stderr.contains(why), "{arguments:?}\n{stderr}");
    }
    let (_, stderr) = folder.ends(&["--reads", "hyperfine", "true", "true"], 2);
    assert!(stderr.contains("criterion or google-benchmark"), "{stderr}");
    let (_, stderr) = folder.ends(&["--benchmark", "f", "true", "true"], 2);
    assert!(stderr.contains("--reads"), "{stderr}");
}

/// Whether Valgrind is there.
fn has_valgrind() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

#[test]
fn instructions_are_counted_in_all_processes() {
    let folder = Folder::new();
    let count = ["--measure", "instructions", "--warmup", "0"];
    let mut without = folder.compare(&[&count[..], &["/bin/true", "/bin/true"]].concat());
    let (_, stderr) = ends(without.env("PATH", "/no-such-folder"), 2);
    assert!(stderr.contains("`valgrind`, which counts instructions, was not found: install"), "{stderr}");
    let (_, stderr) =
        folder.ends(&[&count[..], &["true", "true", "--fail-if", "slower than 2%"]].concat(), 2);
    assert!(stderr.contains("not among what is measured (instructions): write 'more than 2%'"), "{stderr}");
    if !has_valgrind() {
        parcrypt_testkit::skip("parlab", "instructions of commands", "valgrind is not there");
        return;
    }
    // The work is in a child, and the second does it twice.
    let pair = ["sh -c './work 2000; true'", "sh -c './work 2000; ./work 2000'"];
    let found = folder.json(&[&count[..], &pair, &["--fail-if", "more than 20%"]].concat(), 1);
    let row = &found["rows"][1];
    assert_eq!((&found["cases"][0]["measure"], &row["verdict"]), (&"instructions".into(), &"slower".into()));
    let ratio = row["ratio"]["estimate"].as_f64().unwrap();
    assert!(ratio > 1.5 && ratio < 2.1, "{row}");
    let sentence = found["verdict"].as_str().unwrap();
    assert!(
        sentence.contains(" more instructions than ") || sentence.contains(" times as many instructions as "),
        "{sentence}"
    );
    assert_eq!(found["cases"][0]["unit"], "instructions");

    let shell = "--shell './work 1 | cat' './work 2 | cat' --same-output";
    let record = folder.record(&format!("--measure instructions --warmup 0 {shell}"));
    let case = &record.cases[0];
    assert_eq!((case.entries.len(), &case.measure), (2, &Measure::Count("instructions".to_owned())));
    for entry in &case.entries {
        assert!(entry.command[2].contains(r#""quantity":"instructions""#), "{:?}", entry.command);
        let mut samples = entry.rounds.iter().flatten();
        assert!(samples.all(|sample| sample.elapsed_ns.is_none() && sample.counts["instructions"] > 100_000));
    }
    let (text, _) = folder.ends(&[&count[..], &["--rounds", "2", "./work 1", "./work 1"]].concat(), 0);
    assert!(text.contains("as many instructions as") || text.starts_with("Undecided"), "{text}");
    let (_, stderr) = folder.ends(&[&count[..], &["true", "false"]].concat(), 2);
    assert!(stderr.contains("`false` ended with exit code 1"), "{stderr}");
    let (_, stderr) = folder.ends(&[&count[..], &["true", "sh -c 'kill -ILL $$'"]].concat(), 2);
    assert!(
        stderr.contains("it met an instruction that Valgrind does not support, such as AVX-512"),
        "{stderr}"
    );
}

/// The row of the second command in a case of JSON.
fn row(case: &Value) -> &Value {
    &case["tables"][0]["rows"][1]
}

#[test]
fn several_quantities_are_measured_in_the_same_runs() {
    let folder = Folder::new();
    // A word of this many bytes.
    folder.script("hold", "#!/bin/sh\nx=$(head -c $1 /dev/zero | tr '\\0' a)\n");
    let measure = ["--rounds", "8", "--measure", "time,memory", "--fail-if", "more than 50% memory"];
    let pair = ["./hold 100000", "./hold 9000000"];
    let found = folder.json(&[&measure[..], &pair, &["--out", "kept"]].concat(), 1);
    let [of_time, of_memory] = [0, 1].map(|at| &found["cases"][at]);
    assert_eq!(of_time["measure"], "time");
    assert_eq!(
        (&of_memory["measure"], row(of_memory)["verdict"].as_str()),
        (&"peak-memory-bytes".into(), Some("slower"))
    );
    assert_eq!(found["answers"][0]["answer"], "yes");
    let [time, memory] = &folder.0.record("kept").cases[..] else { panic!("two cases") };
    for (time, memory) in time.entries.iter().zip(&memory.entries) {
        let peaks = |entry: &parcrypt_lab::record::Entry| -> Vec<u64> {
            entry.rounds.iter().flatten().map(|sample| sample.counts["peak-memory-bytes"]).collect()
        };
        assert_eq!(peaks(time), peaks(memory));
    }
    let alone = folder.json(&["--rounds", "2", "--measure", "memory", "true", "true"], 0);
    assert_eq!(alone["cases"].as_array().unwrap().len(), 1, "{alone}");
    if !has_valgrind() {
        parcrypt_testkit::skip("parlab", "times and instructions in one run", "valgrind is not there");
        return;
    }
    let both =
        folder.json(&["--rounds", "2", "--measure", "instructions,time", "true", "./work 9", "--control"], 0);
    let cases = both["cases"].as_array().unwrap();
    let names = |case: &Value| -> Vec<String> {
        let entries = case["tables"][0]["rows"].as_array().unwrap().iter();
        entries.map(|entry| entry["what"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!([names(&cases[0]), names(&cases[1])], [["true", "./work 9", "true again"]; 2]);
}

#[test]
fn lines_of_go_are_compared() {
    let folder = Folder::new();
    let line = "BenchmarkX/n=8-4 \\t 100\\t %s ns/op\\t %s B/op\\t %s allocs/op\\n";
    folder.script("go", &format!("#!/bin/sh\nprintf '{line}' $*\n"));
    let found = folder.json(
        &[
            "--reads",
            "go",
            "--benchmark",
            "BenchmarkX/n=8",
            "--measure",
            "time,allocations",
            "--rounds",
            "8",
            "--fail-if",
            "more than 0% allocations",
            "./go 20 16 2",
            "./go 15 24 3",
        ],
        1,
    );
    let verdict = |at: usize| found["cases"][at]["verdict"].as_str().unwrap();
    assert!(verdict(0).contains("is 25.0 % faster than"), "{}", verdict(0));
    assert!(verdict(1).contains("has 50.0 % more allocations than"), "{}", verdict(1));
    let zero = ["--reads", "go", "--measure", "allocations", "--rounds", "2", "./go 20 0 0", "./go 15 0 0"];
    let (_, stderr) = folder.ends(&zero, 0);
    assert!(stderr.contains("allocations: 0 in each run of `./go 20 0 0`"), "{stderr}");
}

#[test]
fn identical_programs_are_measured_once() {
    let folder = Folder::new();
    for (copy, of) in [("a", "/bin/true"), ("b", "/bin/true"), ("c", "/bin/sh")] {
        fs::create_dir(folder.path(copy)).unwrap();
        fs::copy(of, folder.path(copy).join("tool")).unwrap();
    }
    let three = "--rounds 2 ./a/tool ./b/tool './c/tool numbers' --ignore-exit-code";
    let (_, stderr) = folder.line(&format!("{three} --out kept"), 0);
    let said = "note: identical programs: ./a/tool and ./b/tool run the same bytes";
    assert_eq!(stderr.matches("identical programs").count(), 1, "{stderr}");
    assert!(stderr.contains(said), "{stderr}");
    let entries = &folder.0.record("kept").cases[0].entries;
    let names: Vec<&str> = entries.iter().map(|entry| entry.candidate.as_str()).collect();
    assert_eq!(names, ["./a/tool", "./b/tool", "./c/tool numbers"]);
    assert!(entries[0].rounds == entries[1].rounds && entries[0].rounds != entries[2].rounds);
    // The gate passes.
    let (_, stderr) = folder.line("--rounds 8 ./a/tool ./b/tool --baseline 2 --fail-if 'slower than 0%'", 0);
    assert!(stderr.contains("gate passed: no comparison slower than 0 %"), "{stderr}");
    for measured in ["./a/tool ./b/tool --control", "./a/tool ./a/tool", "./a/tool './b/tool x'", "true true"]
    {
        let (_, stderr) = folder.line(&format!("--rounds 1 {measured}"), 0);
        assert!(!stderr.contains("identical"), "{stderr}");
    }
}

#[test]
fn flags_of_hyperfine_are_known() {
    let folder = Folder::new();
    let of = "-w 2 -r 1 -N -i -n one -n 'two, three' -L x '1\\,2,3' 'sh -c \"echo {x} >> log; exit 4\"' 'echo {x}'";
    folder.line(&format!("{of} --out results"), 0);
    let record = folder.0.record("results");
    let names: Vec<&str> = record.cases[0].entries.iter().map(|entry| entry.candidate.as_str()).collect();
    assert_eq!(names, ["one", "two, three"]);
    let values: Vec<String> = record.cases.iter().map(|case| case.params["x"].to_string()).collect();
    assert_eq!(values, ["1,2", "3"]);
    assert!(folder.read("log").lines().filter(|line| *line == "1,2").count() >= 3, "with the warm-up");
    for (flag, ours) in [("-P n 1 9", "--parameter NAME 1,2,3"), ("--export-json x", "--json > FILE")] {
        let (_, stderr) = folder.line(&format!("{flag} true"), 2);
        assert!(stderr.contains(" is a flag of hyperfine: write ") && stderr.contains(ours), "{stderr}");
    }
}

/// Runs lines in a shell, in one round each.
fn run_examples(folder: &Folder, script: &str) {
    // Too few rounds for an answer to --fail-if is not an error here.
    let function = format!(
        "parlab() {{ [ $1 != compare ] || {{ shift; set -- compare --rounds 1 \"$@\"; }}; '{}' \"$@\" || [ $? = 3 ]; }}",
        env!("CARGO_BIN_EXE_parlab")
    );
    let script = format!("set -e\n{function}\n{script}\n");
    let mut shell = Command::new("bash");
    ends(shell.args(["-c", &script]).current_dir(folder.path("")).env_remove("PARCRYPT_BACKEND"), 0);
}

/// The examples of the help run in `parlab::the_examples_of_the_help_run`.
#[test]
fn the_examples_of_the_guide_run() {
    if std::env::var_os("PARCRYPT_LONG_TESTS").is_none() {
        parcrypt_testkit::skip("parlab", "examples of the guide to compare", "set PARCRYPT_LONG_TESTS");
        return;
    }
    let folder = Folder::new();
    if !project(&folder) {
        parcrypt_testkit::skip("parlab", "examples of compare", "git is not there");
        return;
    }
    let guide = include_str!("../../../../../docs/guides/compare-commands.md");
    let scripts: Vec<&str> =
        guide.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    assert!(scripts.len() >= 4);
    for name in ["bench-old", "bench-new"] {
        folder.script(name, "#!/bin/sh\nexec ./benchmark google BM_sort/100 41.5 BM_sort/1000 500\n");
    }
    folder.script("benchmark", BENCHMARK);
    let counts = |script: &&&str| script.contains("--measure instructions");
    if !has_valgrind() {
        parcrypt_testkit::skip("parlab", "examples that count instructions", "valgrind is not there");
    }
    let scripts = scripts.iter().filter(|script| has_valgrind() || !counts(script));
    scripts.for_each(|script| run_examples(&folder, script));
    for recipe in recipes() {
        run_examples(&folder, &format!("{SERVICE}{recipe}"));
    }
    assert!(folder.read("summary").contains("HEAD ("), "{}", folder.read("summary"));
}

/// What a service for CI has set before a recipe.
const SERVICE: &str = "BASE=HEAD~1 CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD~1 GITHUB_STEP_SUMMARY=summary NUMBER=1\n\
                       gh() { test -s \"$5\"; }\n";

/// Returns the scripts of the recipes for CI: two of GitHub and one of GitLab.
fn recipes() -> [String; 3] {
    let guide = include_str!("../../../../../docs/guides/compare-commands.md");
    let blocks = guide.split("```yaml\n").skip(1);
    let texts: Vec<String> = blocks.flat_map(|rest| block_texts(rest.split_once("```").unwrap().0)).collect();
    texts.try_into().unwrap()
}

#[test]
fn the_recipes_end_as_the_gate_says() {
    let [measure, comment, gitlab] = recipes();
    for (code, github) in [(0, 0), (1, 1), (2, 2), (3, 0)] {
        let folder = Folder::new();
        // The gate has a verdict, and this exit code.
        let script = |recipe: &str| {
            let gate = format!("parlab() {{ echo \"code {code}\"; return {code}; }}");
            let mut shell = Command::new("bash");
            shell.args(["-e", "-o", "pipefail", "-c", &format!("{SERVICE}{gate}\n{recipe}")]);
            shell.current_dir(folder.path(""));
            shell
        };
        let (stdout, _) = ends(&mut script(&measure), github);
        assert_eq!(stdout.contains("::warning::undecided"), code == 3, "{stdout}");
        let said = format!("code {code}\n");
        assert_eq!((folder.read("comment.md"), folder.read("summary")), (said.clone(), said.clone()));
        ends(&mut script(&comment), 0);
        fs::remove_file(folder.path("comment.md")).unwrap();
        ends(&mut script(&comment), 1);
        // The service makes a warning of code 3.
        ends(&mut script(&gitlab), code);
        assert_eq!(folder.read("comment.md"), said);
    }
}

/// Returns the texts after `|` at the end of a line of YAML: the lines below it that are further indented.
pub(crate) fn block_texts(yaml: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = yaml.lines().collect();
    let begins = lines.iter().enumerate().filter(|(_, line)| line.ends_with(": |") || line.ends_with("- |"));
    let text = |(at, first): (usize, &&str)| -> String {
        let inside = lines[at + 1..].iter().take_while(|line| indent(line) > indent(first));
        inside.map(|line| format!("{}\n", line.trim_start())).collect()
    };
    begins.map(text).collect()
}
