//! `parlab compare` as a user runs it. No test depends on time: if a verdict is expected, the work of the commands
//! differs by a factor of a hundred.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::command::ELSEWHERE;
use parcrypt_lab::record::{Case, Measure, Record};

use crate::process::{Folder, ended, ends, names, number_in, wait_until};
use crate::suite::git;

/// Counts to its argument.
const WORK: &str = "#!/bin/sh\ni=0\nwhile [ $i -lt $1 ]; do i=$((i + 1)); done\n";

/// Returns a folder for `parlab compare`, with scripts and files for the commands.
fn folder() -> Folder {
    let folder = Folder(tempfile::tempdir().unwrap(), &["compare"]);
    folder.script("work", WORK);
    let numbers: String = (0..3000).map(|n| format!("{}\n", n * 7919 % 3001)).collect();
    folder.write("numbers", &numbers);
    folder
}

/// Compares, which must exit with code 0, and returns the record.
fn recorded(folder: &Folder, arguments: &str) -> Record {
    folder.line(&format!("--for 100ms --out results {arguments}"), 0);
    folder.record("results")
}

/// Returns the names of the entries of a case.
fn candidates(case: &Case) -> Vec<&str> {
    case.entries.iter().map(|entry| entry.candidate.as_str()).collect()
}

#[test]
fn verdicts_and_conditions() {
    let folder = folder();
    let pair = "--rounds 8 './work 100000' './work 1' --fail-if 'slower than 2%'";
    let found = folder.json(pair, 0);
    let [baseline, row] = [0, 1].map(|at| &found["rows"][at]);
    assert_eq!((&baseline["what"], &row["what"]), (&"./work 100000".into(), &"./work 1".into()));
    assert_eq!((&baseline["baseline"], &row["verdict"]), (&true.into(), &"faster".into()));
    let ratio = &row["ratio"];
    assert!(ratio["high"].as_f64() < Some(0.5) && ratio["low"].as_f64() > Some(0.0), "{ratio}");
    assert_eq!(ratio["replicates"], 8);
    let sentence = found["verdict"].as_str().unwrap();
    assert!(sentence.starts_with("./work 1 is "), "{sentence}");
    assert!(sentence.contains(" times as fast as ./work 100000"), "{sentence}");
    assert_eq!((&found["schema"], &found["answers"][0]["answer"]), (&1.into(), &"no".into()));
    let (stdout, stderr) = folder.line(&format!("{pair} --name much --name little --baseline 2"), 1);
    assert!(stdout.starts_with("much takes "), "{stdout}");
    assert!(stdout.contains(" times as long as little (99 % interval "), "{stdout}");
    assert!(stderr.contains("after 8 rounds: much takes "), "{stderr}");
    assert!(stderr.contains("gate failed: 1 of 1 comparison slower"), "{stderr}");
    let few = "--rounds 2 './work 1' './work 1' --fail-if 'slower than 2%'";
    let (stdout, stderr) = folder.line(few, 3);
    assert!(stdout.starts_with("Undecided; so far ./work 1 (2) "), "{stdout}");
    assert!(stdout.contains("(2 of 8 rounds)"), "{stdout}");
    assert!(stderr.contains("gate undecided: no comparison shown slower than 2 %"), "{stderr}");
    let (markdown, _) = folder.line("--for 100ms './work 1' true --markdown", 0);
    assert!(markdown.starts_with("### Undecided") && markdown.contains("| `./work 1` "), "{markdown}");
    let (csv, _) = folder.line("--for 100ms './work 1' true --csv", 0);
    assert!(csv.starts_with("plan,case,row,threads,column,estimate,") && csv.contains(",./work 1,"), "{csv}");
    assert_eq!(names(&folder.path("")), ["numbers", "work"], "nothing is kept without --out");
}

#[test]
fn every_run_is_one_of_the_record_or_the_warm_up() {
    let folder = folder();
    let command = r#""sh -c 'printf b >> log' -- --help ''""#;
    let hooks = "--prepare 'printf a >> log' --conclude 'printf c >> log' --setup 'printf s >> log' --cleanup 'printf e >> log'";
    let record = recorded(&folder, &format!("--warmup 3 {hooks} {command} {command}"));
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
        assert!(entry.rounds.iter().flatten().count() > 0);
        let mut samples = entry.rounds.iter().flatten();
        assert!(samples.all(|sample| sample.counts.contains_key("user-time-ns")));
    }
    assert!(record.plan_text.contains("fresh = true"), "{}", record.plan_text);
    // The plan of the record can be run again.
    folder.write("again.toml", &record.plan_text);
    let mut again = Command::new(env!("CARGO_BIN_EXE_parlab"));
    ends(again.args(["bench", "again.toml", "--for", "100ms"]).current_dir(folder.path("")), 0);
}

#[test]
fn a_command_that_fails_is_an_error_that_says_why() {
    let folder = folder();
    folder.script("bad", "#!/bin/sh\necho one >&2\necho two >&2\nexit 7\n");
    folder.script("later", "#!/bin/sh\necho x >> later-runs\n[ $(wc -l < later-runs) -lt 2 ] || exit 8\n");
    // The cause is at the start of a trace of a stack.
    folder.script("trace", "#!/bin/sh\nfor n in $(seq 9000); do echo line $n >&2; done\nexit 7\n");
    nix::unistd::mkfifo(&folder.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let rows: &[(&str, &[&str])] = &[
        (
            "true ./bad",
            &[
                "error: `./bad` ended with exit code 7 (use --ignore-exit-code to measure it anyway)\n  | one\n  | two\n",
            ],
        ),
        (
            "true ./trace",
            &["\n  | line 1\n", "\n  | line 10\n  | … ", "\n  | line 8995\n", "\n  | line 9000\n"],
        ),
        (
            "true 'no-such-program x'",
            &["error: no-such-program x: `no-such-program` not found in PATH (aliases"],
        ),
        ("true ./numbers", &["error: `./numbers` is not executable in /"]),
        ("true \"sh -c 'kill -9 $$'\"", &["was killed by SIGKILL"]),
        (
            "true 'cat numbers | wc'",
            &["`cat numbers | wc` has `|`, which only a shell understands: give --shell"],
        ),
        ("true 'echo $HOME'", &["`echo $HOME` has `$`, which only a shell understands: give --shell"]),
        ("--prepare 'exit 5' true true", &["error: `exit 5` ended with exit code 5"]),
        ("--setup 'echo no; exit 5' true true", &["--setup `echo no; exit 5`: exit status: 5\n  | no\n"]),
        ("--cleanup 'exit 6' true true", &["--cleanup `exit 6`: exit status: 6"]),
        (
            "--cleanup 'exit 6' false true",
            &["--cleanup `exit 6`: exit status: 6", "`false` ended with exit code 1"],
        ),
        ("--input no-such-file true true", &["input no-such-file: No such file"]),
        ("--input . true true", &["input .: is a directory"]),
        ("--input pipe true true", &["input pipe: it is a pipe or a socket, and each run"]),
        ("true \"'\"", &["error: `'` cannot be split into words"]),
        ("true ''", &["error: the command is empty"]),
        ("--name one true true", &["--name: 1 name for 2 commands"]),
        ("--name one --name ' ' true true", &["--name: a name is empty"]),
        ("--prepare a --prepare b true true true", &["--prepare: it is given 2 times for 3 commands"]),
        ("--baseline 3 true true", &["--baseline 3: it must be from 1 to 2"]),
        ("--parameter 'n m' 1 true true", &["a name has letters, digits"]),
        ("--parameter n 1,2,1 true true", &["a value is there twice"]),
        ("--parameter threads 1 true true", &["a meaning of its own"]),
        ("--parameter n 1,2 true", &["--parameter n: no text has {n}, so that all of its values"]),
        ("--parameter n 1,2 'true {m}' true", &["--parameter n: no text has {n}"]),
        ("--processors 9999 true true", &["'--processors <N>': it must be from 1 to"]),
        ("--fail-if 'quicker than 2%' true true", &["write it as 'slower than 2%'"]),
        ("--rev HEAD true", &["--rev: give it twice"]),
        ("true --fail-if 'slower than 2%'", &["--fail-if: one command has nothing to compare it with"]),
        (
            "'tail -f /dev/null' true --timeout 1s",
            &["`tail -f /dev/null` was still running after 1 s and was ended"],
        ),
        ("", &["<COMMAND>"]),
    ];
    for (arguments, parts) in rows {
        let (stdout, stderr) = folder.line(&format!("--for 100ms {arguments}"), 2);
        let said = stderr + &stdout;
        assert!(parts.iter().all(|part| said.contains(part)), "{arguments}\n{said}");
    }
    // Its second run fails, however long a busy machine takes for the first.
    let (_, stderr) = folder.line("--for 10m true ./later", 2);
    assert!(stderr.contains("`./later` ended with exit code 8"), "{stderr}");
    folder.line("--for 100ms --ignore-exit-code ./bad true", 0);
    assert_eq!(names(&folder.path("")), ["bad", "later", "later-runs", "numbers", "pipe", "trace", "work"]);
}

#[test]
fn outputs_are_compared_if_asked() {
    let folder = folder();
    let compare = |arguments: &str, code| {
        let (stdout, stderr) = folder.line(&format!("--for 100ms {arguments}"), code);
        stdout + &stderr
    };
    compare("--same-output 'sort -n numbers' 'sort -g numbers'", 0);
    let said = compare("--same-output 'echo a' 'echo b'", 1);
    let differ = "the outputs of echo a and echo b differ, first in line 1:\n  echo a | a\n  echo b | b\n";
    assert!(said.contains(differ), "{said}");
    assert!(said.contains("FAILED echo b: its output or exit code differs from the others'.\n"), "{said}");
    compare("'echo a' 'echo b'", 0);
    assert!(compare("--same-output true \"sh -c 'echo $$'\"", 1).contains("FAILED "));
    let said = folder.line("--rounds 2 --same-output \"sh -c 'echo $$'\"", 1).1;
    let itself = "the output or exit code of sh -c 'echo $$' is not always the same, first in line 1:";
    assert!(said.contains(itself), "{said}");
    compare("--ignore-exit-code true false", 0);
    compare("--ignore-exit-code --same-output true false", 1);
    // More than any pipe holds.
    compare("--same-output 'head -c 3000000 /dev/zero' 'dd if=/dev/zero bs=1000000 count=3'", 0);
    // With what only a shell understands.
    let shell = "'--shell=sh -e' 'sort -n numbers | head -n 3' 'sort -n < numbers | sed 3q' --same-output";
    let said = compare(shell, 0);
    assert!(said.contains("All 2 outputs agreed."), "{said}");
    assert_eq!(said.matches("note: times include the start of the shell").count(), 1, "{said}");
    assert!(compare("--shell=no-such-shell : :", 2).contains("`no-such-shell` not found"));
}

#[test]
fn one_command_is_measured() {
    let folder = folder();
    let (stdout, stderr) = folder.line("--rounds 3 './work 3000'", 0);
    let line = stdout.lines().find(|line| line.contains("./work 3000")).unwrap();
    assert!(["time", "spread", "user", "3 rounds"].iter().all(|word| stdout.contains(word)), "{stdout}");
    assert!(line.contains(" ms") && !stdout.contains("0.000"), "{stdout}");
    assert!(!stdout.contains("winner") && !stderr.contains("verdict"), "{stdout}{stderr}");
    // Its input is empty, and is not the terminal or the pipe of `compare`.
    let (_, stderr) = folder.line("--rounds 1 cat true", 0);
    assert!(stderr.contains("note: `cat` reads its standard input, which is empty; --input"), "{stderr}");
    assert!(!stderr.contains("`true`"), "{stderr}");
    let (_, stderr) = folder.line("--rounds 1 --input numbers cat", 0);
    assert!(!stderr.contains("empty"), "{stderr}");
    // It has no terminal that it could wait for.
    let session = "read -r _ _ _ _ _ session _ < /proc/$$/stat\necho $session > found\n";
    folder.script("session", &format!("#!/bin/sh\n{session}"));
    folder.line("--rounds 1 ./session", 0);
    let session: i32 = folder.read("found").trim().parse().unwrap();
    assert_ne!(Pid::from_raw(session), nix::unistd::getsid(None).unwrap());
}

#[test]
fn parameters_make_cases_or_commands() {
    let folder = folder();
    let params =
        "--parameter lines 10,20 --parameter file numbers --input {file} --prepare 'echo {lines} >> log'";
    let record = recorded(&folder, &format!("{params} 'head -n {{lines}}' 'sed {{lines}}q' --same-output"));
    let values =
        |name: &str| record.cases.iter().map(|case| case.params[name].to_string()).collect::<Vec<_>>();
    assert_eq!([values("lines"), values("file")], [["10", "20"], ["numbers", "numbers"]]);
    assert!(record.cases.iter().all(|case| candidates(case) == ["head -n {lines}", "sed {lines}q"]));
    assert_ne!(record.cases[0].entries[0].digest, record.cases[1].entries[0].digest);
    let log = folder.read("log");
    assert!(log.lines().all(|line| line == "10" || line == "20") && log.contains("20\n"), "{log}");
    let alone = folder.json("--for 100ms --parameter n 1,2 --parameter m a,b 'echo {n}{m}'", 0);
    let rows = alone["rows"].as_array().unwrap().iter();
    let mut commands: Vec<&str> = rows.map(|row| row["what"].as_str().unwrap()).collect();
    commands.sort_unstable();
    assert_eq!(commands, ["echo 1a", "echo 1b", "echo 2a", "echo 2b"]);
    // Braces that are no parameters stay as they are.
    let awk = recorded(&self::folder(), r#"--input numbers "awk '{print \$1}'" cat --same-output"#);
    assert_eq!(awk.cases[0].entries[0].candidate, "awk '{print $1}'");
}

/// Returns the command line of a process; empty if it has ended.
fn command_of(process: i32) -> String {
    fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default()
}

#[test]
fn ctrl_c_leaves_no_process() {
    for warmup in [1, 0] {
        let folder = folder();
        // A child and a grandchild, which wait for ever.
        let grandchild = "sh -c 'echo $$ > grandchild; exec tail -f /dev/null'";
        folder.script("waits", &format!("#!/bin/sh\necho $$ > child\n{grandchild}\n"));
        let warmup = warmup.to_string();
        let options = ["--warmup", &warmup, "--rounds", "16", "--cleanup", "touch clean", "./waits", "true"];
        let mut command = folder.parlab(&options);
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let processes = ["child", "grandchild"].map(|name| number_in(&folder.path(name)));
        kill(Pid::from_raw(running.id().cast_signed()), Signal::SIGINT).unwrap();
        ended(running.wait_with_output().unwrap(), 130, "compare");
        for process in processes {
            let left = command_of(process);
            assert!(!left.contains("waits") && !left.contains("tail"), "{process}: {left}");
        }
        assert!(folder.path("clean").exists(), "what was set up is removed");
    }
}

#[test]
fn a_second_ctrl_c_ends_the_cleanup() {
    // The first comes during a command that never ends, or during the clean-up, and is always answered.
    for (first, file) in [("./waits", "child"), ("true", "cleaning")] {
        let folder = folder();
        folder.script("waits", "#!/bin/sh\necho $$ > child\nexec tail -f /dev/null\n");
        let cleanup = "echo $$ > cleaning; exec tail -f /dev/null";
        let mut command = folder.parlab(&["--for", "100ms", "--cleanup", cleanup, first, "true"]);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(running.id().cast_signed());
        let interrupt = || kill(pid, Signal::SIGINT).unwrap();
        number_in(&folder.path(file));
        interrupt();
        let mut stderr = BufReader::new(running.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(stderr.any(|line| line == "note: --cleanup runs; Ctrl-C again ends it"));
        let cleaning = number_in(&folder.path("cleaning"));
        interrupt();
        assert!(stderr.any(|line| line.ends_with("`: stopped")));
        assert_eq!(running.wait().unwrap().code(), Some(130));
        assert!(!command_of(cleaning).contains("tail"), "{cleaning}");
    }
}

#[test]
fn slow_preparations_are_few() {
    let folder = folder();
    let runs = |length: &str| {
        let prepare = "--prepare 'echo x >> log; sleep 0.1'";
        folder.line(&format!("{length} {prepare} --out results true true"), 0);
        let (runs, partial) = (folder.read("log").lines().count(), folder.record("results").partial);
        fs::remove_file(folder.path("log")).unwrap();
        fs::remove_dir_all(folder.path("results")).unwrap();
        (runs, partial.unwrap_or_default())
    };
    // Each command has a run for the warm-up, at most two to find the length of a sample, and at most two in a round.
    let (all, _) = runs("--rounds 2");
    assert!((8..=14).contains(&all), "{all}");
    let (all, partial) = runs("--for 100ms");
    assert!((6..=8).contains(&all) && partial.contains(" after 1 of the "), "{all}: {partial}");
}

/// Makes a git project with two commits in a folder: the second does a thousand times the work of the first. Returns
/// whether git is there.
pub(crate) fn project(folder: &Folder) -> bool {
    if !git(folder, &["init", "-q"]) {
        parcrypt_testkit::skip("parlab", "compare --rev", "git is not there");
        return false;
    }
    let tool = |count: &str| folder.write("tool.sh", WORK.replace("$1", count));
    folder.write("Makefile", "tool: tool.sh\n\tcp tool.sh tool\n\tchmod +x tool\n");
    fs::create_dir(folder.path("inside")).unwrap();
    folder.write("inside/file", "x");
    tool("100");
    let git = |arguments: &[&str]| git(folder, arguments);
    assert!(git(&["add", "."]) && git(&["commit", "-q", "-m", "one"]) && git(&["tag", "v1"]));
    tool("100000");
    git(&["commit", "-q", "-a", "-m", "two"])
}

/// Returns the number of work trees of a project.
pub(crate) fn trees(folder: &Folder) -> usize {
    let list = Command::new("git").args(["worktree", "list"]).current_dir(folder.path("")).output().unwrap();
    String::from_utf8(list.stdout).unwrap().lines().count()
}

#[test]
fn revisions_are_built_in_trees_of_their_own() {
    let folder = folder();
    if !project(&folder) {
        return;
    }
    let revisions = "--rev v1 --rev HEAD";
    let build = "--build 'make tool' --rounds 8 --out kept --fail-if 'slower than 2%' -- ./tool x";
    let (stdout, stderr) = folder.line(&format!("{revisions} {build}"), 1);
    assert!(stdout.contains("HEAD (") && stdout.contains(" times as long as v1 ("), "{stdout}");
    assert!(stderr.contains("building v1 (") && stderr.contains("gate failed: 1 of 1"), "{stderr}");
    let text = folder.read(&folder.record_in("kept"));
    let of = &folder.record("kept").cases[0].entries;
    let settings = [0, 1].map(|entry| of[entry].command[2].as_str());
    assert_eq!(settings, [r#"{"folder":"old/"}"#, r#"{"folder":"new/"}"#]);
    assert!(!text.contains(&std::env::temp_dir().display().to_string()), "a folder of this machine: {text}");
    for (arguments, part) in [
        ("--rev v2 -- ./tool", "error: --rev v2: the project has no such revision"),
        ("--rev=--help -- ./tool", "error: --rev --help: the project has no such revision"),
        ("--rev HEAD -- ./tool", "`./tool` not found in /"),
        ("--rev HEAD 'cat seen'", "It ran in the work tree of v1 ("),
        ("--rev HEAD --build 'make tool' --layouts 9 -- ./tool", "tool: its link was not kept"),
        (
            "--rev HEAD --build 'make tool' --layouts 9 -- cat seen",
            "error: --layouts: `cat` is not a path in the work tree, such as target/release/NAME",
        ),
        ("--rev HEAD 'cat a | wc'", "has `|`, which only a shell understands"),
        ("--rev HEAD --build 'echo no; exit 3' -- ./tool", "exit status: 3\n  | no\n"),
    ] {
        let (_, stderr) = folder.line(&format!("--rev v1 {arguments}"), 2);
        assert!(stderr.contains(part), "{arguments}\n{stderr}");
    }
    // In a folder of the project, the command runs in the same folder of each tree.
    let mut inside = folder.parlab(&["--for", "100ms", "--rev", "v1", "--rev", ":/one", "cat file"]);
    ends(inside.current_dir(folder.path("inside")), 0);
    // What runs before and after runs in the trees, and no variable leads git or the command elsewhere.
    let nowhere: String = ELSEWHERE.iter().map(|name| format!("${name}")).collect();
    let alone = format!("test -f Makefile && test ! -e seen && test -z \"{nowhere}\" && touch seen");
    let after = "test -f seen && pwd >> \"$LOG\"";
    let seen = format!("test -f seen -a -z \"{nowhere}\"");
    let around = ["--for", "100ms", "--setup", &alone, "--cleanup", after, "--", "sh", "-c", &seen];
    let mut command = folder.parlab(&[&["--rev", "v1", "--rev", "HEAD"][..], &around].concat());
    command.envs(ELSEWHERE.map(|name| (name, "/no/such")));
    ends(command.env("LOG", folder.path("log")), 0);
    assert_eq!(folder.read("log").lines().count(), 2, "once in each tree");
    // A tree that is half made is removed.
    folder.write(".git/info/attributes", "* filter=fails\n");
    for setting in [["filter.fails.smudge", "false"], ["filter.fails.required", "true"]] {
        assert!(git(&folder, &[&["config"], &setting[..]].concat()));
    }
    let tool = format!("{revisions} -- ./tool");
    let (_, stderr) = folder.line(&tool, 2);
    assert!(stderr.contains("error: --rev v1: ") && !stderr.contains("is not removed"), "{stderr}");
    assert_eq!(trees(&folder), 1, "no tree is left");
    let (_, stderr) = self::folder().line(&tool, 2);
    assert!(stderr.starts_with("error: --rev: git: not a git repository"), "{stderr}");
    // Git itself reads this variable for its tests.
    let mut of_another = folder.parlab(&["--rev", "v1", "--rev", "HEAD", "--", "./tool"]);
    of_another.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")]);
    let (_, stderr) = ends(of_another.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"), 2);
    let dubious = "error: --rev: git: detected dubious ownership in repository at '/";
    assert!(stderr.starts_with(dubious), "{stderr}");
    assert!(stderr.contains("git config --global --add safe.directory"), "{stderr}");
}

#[test]
fn a_killed_run_leaves_no_build_and_no_work_tree() {
    let folder = folder();
    if !project(&folder) {
        return;
    }
    // Its folder for temporary files is found by the next run.
    let temporary = tempfile::tempdir().unwrap();
    let build = format!("echo $$ > '{}'; exec tail -f /dev/null", folder.path("build").display());
    let mut command = folder.parlab(&["--rev", "v1", "--rev", "HEAD", "--build", &build, "--", "./tool"]);
    command.env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    let build = number_in(&folder.path("build"));
    assert_eq!(trees(&folder), 3);
    running.kill().unwrap();
    running.wait().unwrap();
    wait_until(|| !command_of(build).contains("tail"));
    assert_eq!(trees(&folder), 3, "the killed run could not remove them");
    let next = ["--for", "100ms", "--rev", "v1", "--rev", "HEAD", "--", "cat", "Makefile"];
    ends(folder.parlab(&next).env("TMPDIR", temporary.path()), 0);
    assert_eq!((trees(&folder), names(temporary.path())), (1, Vec::<String>::new()));
}

#[test]
fn names_that_are_not_text_are_used_or_refused() {
    use std::os::unix::ffi::OsStrExt;
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let outer = folder();
    let project_in = Folder(tempfile::tempdir_in(outer.path("")).unwrap(), &[]);
    if !project(&project_in) {
        return;
    }
    // A project whose own path is not UTF-8.
    let moved = outer.path("").join(name(b"\xff project "));
    fs::rename(project_in.path(""), &moved).unwrap();
    let compare = || outer.parlab(&["--for", "100ms", "--rev", "v1", "--rev", "HEAD", "--", "cat", "file"]);
    ends(compare().current_dir(moved.join("inside")), 0);
    // A folder of the project, which the work trees have too, and a folder for temporary files.
    let inner = moved.join(name(b"\xfe"));
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("file"), "x").unwrap();
    for command in [compare().current_dir(&inner), compare().current_dir(&moved).env("TMPDIR", &inner)] {
        let (_, stderr) = ends(command, 2);
        assert!(stderr.contains("is not UTF-8, as the folder of a command in a plan has to be"), "{stderr}");
    }
    let all: Vec<_> = fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(all, ["file"], "nothing is left, and nothing was made");
}

#[test]
fn the_time_of_a_benchmark_program_is_its_own() {
    let folder = folder();
    // A line for each four arguments.
    let line = "BenchmarkX/n=%s-4 \\t 100\\t %s ns/op\\t %s B/op\\t %s allocs/op\\n";
    folder.script("go", &format!("#!/bin/sh\nprintf '{line}' $*\n"));
    // The one that takes longer to run has the shorter time.
    folder.script("slow", "#!/bin/sh\n./work 3000\nexec ./go $*\n");
    let first = "--reads go './go 8 20 16 2'";
    let measure =
        "--rounds 8 --benchmark BenchmarkX/n=8 --measure time,allocations --fail-if 'faster than 20%'";
    let found = folder.json(&format!("{measure} {first} './slow 8 15 24 3'"), 1);
    let case = &found["cases"][0];
    assert_eq!((&case["measure"], &case["unit"]), (&"own-time".into(), &"ns".into()));
    assert_eq!(found["answers"][0]["answer"], "yes");
    let ratio = &case["tables"][0]["rows"][1]["ratio"];
    assert!((ratio["estimate"].as_f64().unwrap() - 0.75).abs() < 1e-9, "{ratio}");
    let faster = "is 25.0 % faster than ./go 8 20 16 2 by their own clocks (";
    for (case, part) in [(0, faster), (1, "has 50.0 % more allocations than")] {
        let verdict = found["cases"][case]["verdict"].as_str().unwrap();
        assert!(verdict.contains(part), "{verdict}");
    }

    // A shell's start is not in such a time.
    let both = "'./go 1 10 0 0 22 20 0 0'";
    let shell = "--reads go --benchmark BenchmarkX/n={n} --parameter n 1,22 --shell";
    let record = recorded(&folder, &format!("{shell} {both} {both}"));
    assert_eq!(record.cases.len(), 2);
    for (case, time) in record.cases.iter().zip([10.0, 20.0]) {
        assert_eq!((case.entries.len(), &case.measure), (2, &Measure::OwnTime));
        let value = case.entries[0].replicates[0].value.unwrap();
        assert!((value - time).abs() < 1e-9, "{value}");
        let command = &case.entries[0].command;
        assert!(command[2].contains(r#"{"format":"go","benchmark":"BenchmarkX/n={n}"}"#), "{command:?}");
        let mut samples = case.entries[0].rounds.iter().flatten();
        assert!(samples.all(|sample| sample.elapsed_ns > Some(100_000)), "the process's time is there too");
    }
    for (arguments, why) in [
        ("'./go 8 1 0 0' --benchmark h", "its output has no benchmark \"h\", but \"BenchmarkX/n=8-4\""),
        ("true", "its output is not in the format of Go's `testing`"),
        ("true --fail-if 'more than 2%'", "not among what is measured (time): write 'slower than 2%'"),
        ("true --same-output", "cannot be used with"),
        ("true --measure instructions", "--measure instructions with --reads: "),
    ] {
        let (_, stderr) = folder.line(&format!("{first} {arguments}"), 2);
        assert!(stderr.contains(why), "{arguments}\n{stderr}");
    }
    for (arguments, why) in [
        ("--measure time,allocations", "--measure allocations: it must be time, memory or instructions"),
        ("--reads hyperfine", "unknown variant `hyperfine`, expected one of `criterion`, `google-benchmark`"),
        ("--benchmark f", "--reads"),
    ] {
        let (_, stderr) = folder.line(&format!("true true {arguments}"), 2);
        assert!(stderr.contains(why), "{arguments}\n{stderr}");
    }
    let zero = "--reads go --measure allocations --rounds 2 './go 8 20 0 0' './go 8 15 0 0'";
    let (_, stderr) = folder.line(zero, 0);
    assert!(stderr.contains("allocations: 0 in each run of `./go 8 20 0 0`"), "{stderr}");
}

/// Whether Valgrind is there.
fn has_valgrind() -> bool {
    let is_there = Command::new("valgrind").arg("--version").output().is_ok();
    if !is_there {
        parcrypt_testkit::skip("parlab", "instructions of commands", "valgrind is not there");
    }
    is_there
}

#[test]
fn instructions_are_counted_in_all_processes() {
    let folder = folder();
    let mut without = folder.parlab(&["--measure", "instructions", "/bin/true", "/bin/true"]);
    let (_, stderr) = ends(without.env("PATH", "/no-such-folder"), 2);
    assert!(stderr.contains("`valgrind`, which counts instructions, was not found: install"), "{stderr}");
    let (_, stderr) = folder.line("--measure instructions true true --fail-if 'slower than 2%'", 2);
    assert!(stderr.contains("not among what is measured (instructions): write 'more than 2%'"), "{stderr}");
    if !has_valgrind() {
        return;
    }
    let count = "--measure instructions --warmup 0";
    // The work is in a child, and the second does it twice.
    let pair = "\"sh -c './work 2000; true'\" \"sh -c './work 2000; ./work 2000'\"";
    let found = folder.json(&format!("{count} {pair} --fail-if 'more than 20%'"), 1);
    let row = &found["rows"][1];
    assert_eq!((&found["cases"][0]["measure"], &row["verdict"]), (&"instructions".into(), &"slower".into()));
    assert_eq!(found["cases"][0]["unit"], "instructions");
    let ratio = row["ratio"]["estimate"].as_f64().unwrap();
    assert!(ratio > 1.5 && ratio < 2.1, "{row}");
    let sentence = found["verdict"].as_str().unwrap();
    let said = [" more instructions than ", " times as many instructions as "];
    assert!(said.iter().any(|part| sentence.contains(part)), "{sentence}");

    let shell = "--shell './work 1 | cat' './work 2 | cat' --same-output";
    let record = recorded(&folder, &format!("{count} {shell}"));
    let case = &record.cases[0];
    assert_eq!((case.entries.len(), &case.measure), (2, &Measure::Count("instructions".to_owned())));
    for entry in &case.entries {
        let mut samples = entry.rounds.iter().flatten();
        assert!(samples.all(|sample| sample.elapsed_ns.is_none() && sample.counts["instructions"] > 100_000));
    }
    let (text, _) = folder.line(&format!("{count} --rounds 2 './work 1' './work 1'"), 0);
    assert!(text.contains("as many instructions as") || text.starts_with("Undecided"), "{text}");
    for (command, why) in [
        ("false", "`false` ended with exit code 1"),
        ("\"sh -c 'kill -ILL $$'\"", "it met an instruction that Valgrind does not support, such as AVX-512"),
    ] {
        let (_, stderr) = folder.line(&format!("{count} true {command}"), 2);
        assert!(stderr.contains(why), "{stderr}");
    }
}

#[test]
fn several_quantities_are_measured_in_the_same_runs() {
    let folder = folder();
    // A word of this many bytes.
    folder.script("hold", "#!/bin/sh\nx=$(head -c $1 /dev/zero | tr '\\0' a)\n");
    let measure = "--rounds 8 --measure time,memory --fail-if 'more than 50% memory' --out kept";
    let found = folder.json(&format!("{measure} './hold 100000' './hold 9000000'"), 1);
    let [of_time, of_memory] = [0, 1].map(|at| &found["cases"][at]);
    assert_eq!((&of_time["measure"], &of_memory["measure"]), (&"time".into(), &"peak-memory-bytes".into()));
    assert_eq!(of_memory["tables"][0]["rows"][1]["verdict"], "slower");
    assert_eq!(found["answers"][0]["answer"], "yes");
    let peaks = |case: &Case| -> Vec<u64> {
        let samples = case.entries.iter().flat_map(|entry| entry.rounds.iter().flatten());
        samples.map(|sample| sample.counts["peak-memory-bytes"]).collect()
    };
    let [time, memory] = &folder.record("kept").cases[..] else { panic!("two cases") };
    assert_eq!(peaks(time), peaks(memory));
    let alone = folder.json("--rounds 2 --measure memory true true", 0);
    assert_eq!(alone["cases"].as_array().unwrap().len(), 1, "{alone}");
    if !has_valgrind() {
        return;
    }
    let both = recorded(&folder, "--measure instructions,time true './work 9' --control");
    let names: Vec<_> = both.cases.iter().map(candidates).collect();
    assert_eq!(names, [["true", "./work 9", "true again"]; 2]);
}

#[test]
fn identical_programs_are_measured_once() {
    let folder = folder();
    for (copy, of) in [("a", "/bin/true"), ("b", "/bin/true"), ("c", "/bin/sh")] {
        fs::create_dir(folder.path(copy)).unwrap();
        fs::copy(of, folder.path(copy).join("tool")).unwrap();
    }
    let three = "--rounds 2 ./a/tool ./b/tool './c/tool numbers' --ignore-exit-code --out kept";
    let (_, stderr) = folder.line(three, 0);
    assert_eq!(stderr.matches("identical programs").count(), 1, "{stderr}");
    let said = "note: identical programs: ./a/tool and ./b/tool run the same bytes";
    assert!(stderr.contains(said), "{stderr}");
    let case = &folder.record("kept").cases[0];
    assert_eq!(candidates(case), ["./a/tool", "./b/tool", "./c/tool numbers"]);
    let [a, b, c] = [0, 1, 2].map(|entry| &case.entries[entry].rounds);
    assert!(a == b && a != c);
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
    let folder = folder();
    let of = "-w 2 -r 1 -N -i -n one -n 'two, three' -L x '1\\,2,3' 'sh -c \"echo {x} >> log; exit 4\"' 'echo {x}'";
    let hooks = "-s 'echo s >> hooks' -p 'echo p >> hooks' -C 'echo C >> hooks' -c 'echo c >> hooks'";
    folder.line(&format!("{of} {hooks} --out results"), 0);
    let hooks = folder.read("hooks");
    assert!(hooks.starts_with("s\np\nC\np\nC\n") && hooks.ends_with("C\nc\n"), "{hooks}");
    let record = folder.record("results");
    assert_eq!(candidates(&record.cases[0]), ["one", "two, three"]);
    let values: Vec<String> = record.cases.iter().map(|case| case.params["x"].to_string()).collect();
    assert_eq!(values, ["1,2", "3"]);
    assert!(folder.read("log").lines().filter(|line| *line == "1,2").count() >= 3, "with the warm-up");
    // Only a bare --shell may have been meant to take the next word.
    folder.line("--rounds 1 --shell=sh sh true", 0);
    for (flag, ours) in [
        ("-P n 1 9", "is a flag of hyperfine: write --parameter NAME 1,2,3"),
        ("-u ms", "is a flag of hyperfine: drop it"),
        ("--shell bash", "write --shell=bash"),
        (
            "wc log",
            "`log` not found in PATH (aliases and functions of a shell are not known here); quote each command",
        ),
    ] {
        let (_, stderr) = folder.line(&format!("{flag} true"), 2);
        assert!(stderr.contains(ours), "{stderr}");
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
    let folder = folder();
    if !project(&folder) {
        return;
    }
    let run = |n: u32| format!("{{\"name\": \"BM_sort/{n}\", \"real_time\": {n}, \"time_unit\": \"ns\"}}");
    let json = format!("{{\"benchmarks\": [{}, {}]}}", run(100), run(1000));
    for name in ["bench-old", "bench-new"] {
        folder.script(name, &format!("#!/bin/sh\necho '{json}'\n"));
    }
    let scripts = GUIDE.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let has_valgrind = has_valgrind();
    let scripts = scripts.filter(|script| has_valgrind || !script.contains("--measure instructions"));
    let ran = scripts.inspect(|script| run_examples(&folder, script)).count();
    assert!(ran >= 4);
    for recipe in recipes() {
        run_examples(&folder, &format!("{SERVICE}{recipe}"));
    }
    assert!(folder.read("summary").contains("HEAD ("), "{}", folder.read("summary"));
}

const GUIDE: &str = include_str!("../../../../../docs/guides/compare-commands.md");

/// What a service for CI has set before a recipe.
const SERVICE: &str = "BASE=HEAD~1 CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD~1 GITHUB_STEP_SUMMARY=summary NUMBER=1\n\
                       gh() { test -s \"$5\"; }\n";

/// Returns the scripts of the guide's recipes for CI: two of GitHub and one of GitLab.
fn recipes() -> [String; 3] {
    let blocks = GUIDE.split("```yaml\n").skip(1);
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
