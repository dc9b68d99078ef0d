//! What a hostile user does to `parlab bench` and `report`: names that collide, files that must not be replaced, broken
//! claims, full disks, control characters, killed runs.
//!
//! No test depends on time: the candidates count, and what is counted is the same in every round.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use parcrypt_lab::record::{FailureKind, Record};

use crate::process::{Folder, ends, names, wait_until};

/// A candidate that counts instead of measuring; its first argument is its behaviour, its second the count.
const CANDIDATE: &str = r#"
import json, os, sys, time
how, count = sys.argv[1], int(sys.argv[2])
evil = "\x1b[31mred\x1b]0;owned\x07\r\nrecord: /etc/passwd \x9b2J\u202e"
for line in sys.stdin:
    request = json.loads(line)
    def say(**answer):
        # In UTF-8, and not escaped: what the protocol allows.
        text = json.dumps({"id": request["id"], **answer}, ensure_ascii=False)
        sys.stdout.buffer.write(text.encode() + b"\n")
        sys.stdout.flush()
    if "prepare" in request:
        if how == "refuses":
            say(unsupported=evil)
            continue
        if how == "crashes":
            said = "".join(f"line {i}\n" for i in range(30)) + evil + "\n"
            sys.stderr.buffer.write(said.encode())
            sys.stderr.flush()
            sys.exit(3)
        if how == "forks":
            # A child in a session of its own, which reports its number and waits for ever.
            child = os.fork()
            if child == 0:
                os.setsid()
                while True:
                    time.sleep(3600)
            with open("children", "a") as file:
                file.write(f"{os.getpid()} {child}\n")
            time.sleep(3600)
        name = evil if how == "names" else "n"
        say(ready={"name": name, "runtime": name, "backend": name, "threads": 1})
    elif "sample" in request:
        iterations = request["sample"]["iterations"]
        say(counts={"instructions": count * iterations})
    elif "digest" in request:
        say(digest="sha256:" + "0" * 64)
    else:
        break
"#;

/// Makes a folder with a plan `p.toml` of candidates, each with its behaviour and its count, and further lines.
fn folder(candidates: &[(&str, u64)], further: &str) -> Folder {
    let folder = Folder::with(&plan(candidates, further));
    folder.write("c.py", CANDIDATE);
    folder
}

fn plan(candidates: &[(&str, u64)], further: &str) -> String {
    let case = "workload = \"w\"\nmeasure = \"instructions\"\nthreads = [1]\ninput = { bytes = 8 }\n";
    let mut text = format!("schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 2\n[[case]]\n{case}");
    for (how, count) in candidates {
        text += &format!("[[candidate]]\nname = \"{how}\"\nlabels = {{ how = \"{how}\" }}\n");
        text += &format!("command = [\"python3\", \"c.py\", \"{how}\", \"{count}\"]\n");
    }
    text + further
}

/// Runs the plan into the folder `r`, and returns the path of the record.
fn measured(folder: &Folder) -> String {
    folder.line("bench p.toml --out r", 0);
    folder.record_in("r")
}

const WELL: &[(&str, u64)] = &[("one", 100), ("two", 102)];

#[test]
fn runs_at_once_and_plans_of_one_name_keep_all_their_files() {
    let folder = folder(WELL, "");
    for name in ["x1", "x2"] {
        fs::create_dir(folder.path(name)).unwrap();
        for file in ["p.toml", "c.py"] {
            fs::copy(folder.path(file), folder.path(name).join(file)).unwrap();
        }
    }
    let (out, _) = folder.line("bench x1/p.toml x2/p.toml --out r", 0);
    assert_eq!(out.matches("\nrecord: r/p-").count(), 2, "{out}");
    let run = || folder.line("bench p.toml --out r", 0);
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(run))));
    // The files of each run differ in their endings only.
    let stems = |ending: &str| -> BTreeSet<String> {
        let files = folder.files("r", ending).into_iter();
        files.map(|name| name.strip_suffix(ending).unwrap().to_owned()).collect()
    };
    let all = names(&folder.path("r"));
    assert_eq!((all.len(), stems(".json").len()), (3 * 6, 6), "{all:?}");
    assert!(stems(".json") == stems(".html") && stems(".json") == stems(".md"), "{all:?}");
    for name in folder.files("r", ".json") {
        assert_eq!(Record::read(&folder.path("r").join(name)).unwrap().partial, None);
    }
}

#[test]
fn what_is_not_a_report_is_never_replaced() {
    let folder = folder(WELL, "");
    let record = measured(&folder);
    for name in ["pages", "other"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    for name in ["q.json", "other/q.json"] {
        fs::copy(folder.path(&record), folder.path(name)).unwrap();
    }
    folder.write("notes.txt", "mine, about <!-- Written by `parlab report --markdown` from the records");
    folder.write("other.html", "<!DOCTYPE html><meta name=\"generator\" content=\"x\">");
    folder.write("empty.html", "");
    folder.write("pages/q.svg", "<svg xmlns=\"drawn by hand\"/>");
    symlink("q.json", folder.path("link.html")).unwrap();
    symlink("nowhere", folder.path("dangling.html")).unwrap();
    let named = ["q.json", "notes.txt", "other.html", "empty.html", "link.html", "dangling.html"];
    let contents = || named.map(|name| folder.read(name));
    let before = contents();
    for out in named.into_iter().chain(["pages --markdown"]) {
        let (stdout, err) = folder.line(&format!("report q.json --out {out}"), 2);
        assert!(stdout.is_empty() && err.contains("already exists and is not a report"), "{out}: {err}");
        assert!(err.contains("name another, or remove it"), "{err}");
    }
    assert_eq!(contents(), before);
    assert_eq!(names(&folder.path("pages")), ["q.svg"], "nothing is written before all is checked");
    assert!(!folder.path("nowhere").exists());
    for special in ["/dev/null", "."] {
        let (_, err) = folder.line(&format!("report q.json --out {special}"), 2);
        assert!(err.contains("is not a file"), "{err}");
    }
    // A page and figures are replaced by their like.
    for _ in 0..2 {
        folder.line("report q.json", 0);
        folder.line("report q.json --markdown --out new", 0);
    }
    // Two records of one name would be one page.
    let (_, err) = folder.line("report q.json other/q.json --markdown --out both", 2);
    assert!(err.contains("two of these records"), "{err}");
    assert!(!folder.path("both").exists());
}

#[test]
fn a_broken_claim_and_a_run_without_results_are_negative() {
    for (most, code, said) in [("1.05", 0, "kept."), ("1.01", 1, "broken.")] {
        let sides = "from = { how = \"one\" }\nto = { how = \"two\" }";
        let folder = folder(WELL, &format!("[[question]]\nask = \"q?\"\n{sides}\nat-most = {most}\n"));
        let (out, err) = folder.line("bench p.toml", code);
        assert!(out.contains(&format!("instructions; {said}")), "{out}");
        assert_eq!(err.contains("negative: a claim of the plan is broken: q?"), code == 1, "{err}");
    }
    let skipped = folder(&[("refuses", 1), ("one", 1)], "");
    for (arguments, code, end) in [
        ("", 0, ""),
        ("--strict", 1, "negative: 1 entry was skipped, which --strict counts as a failure\n"),
        (
            "--filter how=refuses",
            1,
            "negative: no candidate was measured, because all were skipped (1 entry)\n",
        ),
    ] {
        for dry in ["", "--dry-run"] {
            let (_, err) = skipped.line(&format!("bench p.toml {arguments} {dry}"), code);
            assert!(err.ends_with(end) && err.contains("negative") == (code == 1), "{err}");
        }
    }
}

#[test]
fn results_that_cannot_be_printed_are_an_error_and_the_record_stays() {
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let full = || full.try_clone().unwrap();
    let folder = folder(WELL, "");
    let record = measured(&folder);
    for (index, arguments) in [
        "bench p.toml",
        "bench p.toml --json",
        "bench p.toml --markdown",
        "bench p.toml --dry-run",
        "bench p.toml --list",
        "report RECORD --out page.html",
        "report RECORD --terminal",
        "report RECORD --markdown",
        "report RECORD --csv",
        "report RECORD --json",
        "compare --help",
        "--version",
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("r{index}");
        let mut words: Vec<&str> = arguments.split(' ').collect();
        words.iter_mut().filter(|word| **word == "RECORD").for_each(|word| *word = &record);
        if words[0] == "bench" {
            words.extend(["--out", &out]);
        }
        let (_, err) = ends(folder.parlab(&words).stdout(full()), 2);
        assert!(err.contains("error: standard output: No space left"), "{arguments}: {err}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (_, err) = ends(folder.parlab(&words).stdout(writer), 0);
        assert!(!err.contains("error"), "a closed pipe: {arguments}: {err}");
        let records = folder.files(&out, ".json");
        assert_eq!(records.len(), if index < 3 { 2 } else { 0 }, "{arguments}");
        for name in records {
            assert_eq!(Record::read(&folder.path(&out).join(name)).unwrap().partial, None);
        }
    }
    // A full standard error is not a panic.
    let both = folder.parlab(&["bench", "p.toml", "--json"]).stdout(full()).stderr(full()).status();
    assert_eq!(both.unwrap().code(), Some(2));
}

#[test]
fn control_characters_of_a_candidate_never_reach_the_terminal() {
    let name = "\\u001b[31mred\\u009b2J\\u202e";
    let further = format!(
        "[[candidate]]\nname = \"{name}\"\nabout = \"{name}\"\ncommand = [\"python3\", \"c.py\", \"one\", \"7\"]\n\
         labels = {{ \"{name}\" = \"{name}\" }}\n\
         [[candidate]]\nname = \"absent\"\ncommand = [\"{name}\"]\n\
         [[question]]\nask = \"{name}?\"\nfrom = {{ how = \"one\" }}\nto = {{ candidate = \"{name}\" }}\n"
    );
    let candidates = [("one", 1), ("names", 2), ("refuses", 3), ("crashes", 4)];
    let folder = folder(&candidates, &further);
    let text = folder.read("p.toml");
    let plan = "p\u{1b}[31m.toml";
    folder.write(plan, text.replace("title = \"t\"", &format!("title = \"{name}\"\nabout = \"{name}\"")));
    folder.write("q.toml", text.replace("how = \"one\" }\nto", "how = \"\\u001b[2J\" }\nto"));
    let last = "\n  | line 29\n  | \\u{1b}[31mred";
    for (arguments, code, in_out, in_err) in [
        (&["bench", plan, "--csv"][..], 1, "", last),
        (
            &["bench", plan, "--json"],
            1,
            "\"what\": \" [31mred 2J \"",
            "SKIP w, refuses on 1 thread: \\u{1b}[31mred",
        ),
        (&["bench", plan, "--markdown"], 1, "", "lost w, crashes on 1 thread: ended with exit code 3"),
        (&["bench", plan, "--dry-run"], 1, last, ""),
        (&["bench", plan, "--out", "r"], 1, "FAILED crashes: crash: ended with exit code 3", ""),
        (&["bench", plan, "--list"], 0, "", ""),
        (&["bench", "q.toml"], 2, "", "\\u{1b}[2J"),
        (&["bench", "no\u{1b}[2J/such.toml"], 2, "", "\\u{1b}[2J"),
    ] {
        let (out, err) = folder.ends(arguments, code);
        for (text, part) in [(&out, in_out), (&err, in_err)] {
            let harmful = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
            assert!(!text.contains(harmful) && text.contains(part), "{arguments:?}: {text:?}");
            // No line that a candidate made up, and not all of its standard error.
            let is_made_up = |line: &str| line.starts_with("record: /etc") || line.ends_with("line 19");
            assert!(!text.lines().any(is_made_up), "{arguments:?}: {text}");
        }
    }
    let entries = &folder.record("r").cases[0].entries;
    let crashed = entries.iter().find(|entry| entry.candidate == "crashes");
    let crashed = crashed.and_then(|entry| entry.failure.as_ref()).unwrap();
    assert_eq!(crashed.kind, FailureKind::Crash);
    assert!(crashed.stderr.contains('\u{1b}'), "the record has it as it was");
}

/// Returns the fields of the state of a process after its name, if it runs. One that has ended and that its parent has
/// not asked for yet does not.
fn state(process: &str) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<String> = stat.rsplit(')').next()?.split_whitespace().map(str::to_owned).collect();
    (!["Z", "X"].contains(&&*fields[0])).then_some(fields)
}

#[test]
fn what_a_killed_lab_left_ends_and_is_removed_at_the_next_start() {
    let folder = folder(&[("forks", 1)], "");
    let temporary = folder.path("tmp");
    fs::create_dir(&temporary).unwrap();
    let bench = || {
        let mut bench = folder.parlab(&["bench", "p.toml", "--out", "r"]);
        bench.env("TMPDIR", &temporary).stderr(Stdio::null());
        bench
    };
    let mut lab = bench().spawn().unwrap();
    wait_until(|| {
        assert!(lab.try_wait().unwrap().is_none(), "the lab ended early");
        folder.read("children").ends_with('\n')
    });
    let children = folder.read("children");
    let (candidate, child) = children.trim().split_once(' ').unwrap();
    assert!(state(candidate).is_some() && state(child).is_some());
    // A file that it would have renamed in the end has its number and its start time.
    let since = &state(&lab.id().to_string()).unwrap()[19];
    folder.write(&format!("r/.parcrypt-{}-{since}-Ab3xYz", lab.id()), "{");
    folder.write("tmp/parcrypt-notes", "");
    // SIGKILL: nothing of the lab runs after it.
    lab.kill().unwrap();
    lab.wait().unwrap();
    // The system ends the candidate; without this the loop does not end.
    wait_until(|| state(candidate).is_none());
    assert!(names(&temporary).len() > 1);
    // The child has left the candidate's session. The next start of any lab ends it, also in another test.
    folder.write("p.toml", plan(WELL, ""));
    ends(&mut bench(), 0);
    wait_until(|| state(child).is_none());
    assert_eq!(names(&temporary), ["parcrypt-notes"], "a run leaves nothing");
    assert!(names(&folder.path("r")).iter().all(|name| name.starts_with("p-")));
}
