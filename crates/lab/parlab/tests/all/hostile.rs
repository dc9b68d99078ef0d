//! What a hostile user does to `parlab bench`, `report` and `record`: names that collide, files that must not be
//! replaced, broken claims, full disks, control characters, killed runs.
//!
//! No test depends on time: the candidates count, and what is counted is the same in every round.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use parcrypt_lab::record::{FailureKind, Record};

use crate::process::{Folder, ends, names};

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
fn folder(candidates: &[(&str, u64)], case: &str, further: &str) -> Folder {
    let folder = Folder::with(&plan(candidates, case, further));
    folder.write("c.py", CANDIDATE);
    folder
}

/// Runs the plan into the folder `r`, and returns the path of the record.
fn measured(folder: &Folder) -> String {
    folder.line("bench p.toml --out r", 0);
    folder.record_in("r")
}

fn plan(candidates: &[(&str, u64)], case: &str, further: &str) -> String {
    let mut text = format!(
        "schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 2\n[[case]]\nworkload = \"w\"\nmeasure = \"instructions\"\n\
         threads = [1]\n{case}\n"
    );
    for (how, count) in candidates {
        text += &format!(
            "[[candidate]]\nname = \"{how}\"\ncommand = [\"python3\", \"c.py\", \"{how}\", \"{count}\"]\nlabels = {{ how = \
             \"{how}\" }}\n"
        );
    }
    text + further
}

const WELL: &[(&str, u64)] = &[("one", 100), ("two", 102)];

#[test]
fn runs_at_once_and_plans_of_one_name_keep_all_their_files() {
    let folder = folder(WELL, "", "");
    for name in ["x1", "x2"] {
        fs::create_dir(folder.path(name)).unwrap();
        for file in ["p.toml", "c.py"] {
            fs::copy(folder.path(file), folder.path(name).join(file)).unwrap();
        }
    }
    let mut plans = folder.parlab(&["bench", "x1/p.toml", "x2/p.toml", "--out", "r"]);
    let (out, _) = ends(&mut plans, 0);
    assert_eq!(out.matches("\nrecord: r/p-").count(), 2, "{out}");
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let mut run = folder.parlab(&["bench", "p.toml", "--out", "r"]);
            run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut run in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
    }
    let all = names(&folder.path("r"));
    assert_eq!(all.len(), 3 * 6, "{all:?}");
    // The files of each run differ in their endings only.
    let stems = |ending: &str| -> BTreeSet<String> {
        let files = folder.files("r", ending).into_iter();
        files.map(|name| name.strip_suffix(ending).unwrap().to_owned()).collect()
    };
    assert_eq!(stems(".json").len(), 6);
    assert!(stems(".json") == stems(".html") && stems(".json") == stems(".md"), "{all:?}");
    for name in folder.files("r", ".json") {
        assert_eq!(Record::read(&folder.path("r").join(name)).unwrap().partial, None);
    }
}

#[test]
fn what_is_not_a_report_is_never_replaced() {
    let folder = folder(WELL, "", "");
    let record = measured(&folder);
    let q = folder.path("q.json");
    fs::copy(folder.path(&record), &q).unwrap();
    folder.write("notes.txt", "mine");
    fs::create_dir(folder.path("pages")).unwrap();
    folder.write("pages/q.md", "# Mine\n");
    symlink("q.json", folder.path("link.html")).unwrap();
    symlink("nowhere", folder.path("dangling.html")).unwrap();
    folder.write("own.svg", "<svg xmlns=\"mine\"/>");
    let before = |name: &str| fs::read(folder.path(name)).ok();
    let kept = ["q.json", "notes.txt", "pages/q.md", "link.html"].map(|name| (name, before(name)));
    for arguments in [
        &["q.json", "--out", "q.json"][..],
        &["q.json", "--out", "notes.txt"],
        &["q.json", "--out", "link.html"],
        &["q.json", "--out", "dangling.html"],
        &["q.json", "--markdown", "--out", "pages"],
    ] {
        let (out, err) = folder.ends(&[&["report"], arguments].concat(), 2);
        assert!(out.is_empty() && err.contains("already exists and is not a report"), "{arguments:?}: {err}");
        assert!(err.contains("name another, or remove it"), "{err}");
    }
    for (name, bytes) in &kept {
        assert_eq!(before(name), *bytes, "{name}");
    }
    assert_eq!(names(&folder.path("pages")), ["q.md"], "nothing is written before all is checked");
    for special in ["/dev/null", "."] {
        let (_, err) = folder.ends(&["report", "q.json", "--out", special], 2);
        assert!(err.contains("is not a file"), "{err}");
    }
    // A page and figures are replaced by their like.
    for _ in 0..2 {
        folder.ends(&["report", "q.json"], 0);
        folder.ends(&["report", "q.json", "--markdown", "--out", "new"], 0);
    }

    fs::create_dir(folder.path("other")).unwrap();
    folder.write("other/q.json", fs::read(&q).unwrap());
    // Two records of one name would be one page.
    let (_, err) = folder.ends(&["report", "q.json", "other/q.json", "--markdown", "--out", "both"], 2);
    assert!(err.contains("two of these records"), "{err}");
    assert!(!folder.path("both").exists());
}

#[test]
fn a_broken_claim_and_a_run_without_results_are_negative() {
    let claims = |most: &str| {
        let question = format!(
            "[[question]]\nask = \"q?\"\nfrom = {{ how = \"one\" }}\nto = {{ how = \"two\" }}\nat-most = {most}\n"
        );
        folder(WELL, "", &question)
    };
    let (out, err) = claims("1.05").ends(&["bench", "p.toml"], 0);
    assert!(out.contains("instructions; kept.") && !err.contains("negative"), "{out}{err}");
    let (out, err) = claims("1.01").ends(&["bench", "p.toml"], 1);
    assert!(out.contains("instructions; broken."), "{out}");
    assert!(err.contains("negative: a claim of the plan is broken: q?"), "{err}");
    let skipped = folder(&[("refuses", 1), ("one", 1)], "", "");
    for dry in [&[][..], &["--dry-run"]] {
        let bench = |more: &[&str], code| skipped.ends(&[&["bench", "p.toml"], more, dry].concat(), code);
        let (_, err) = bench(&[], 0);
        assert!(!err.contains("negative"), "{err}");
        let (_, err) = bench(&["--strict"], 1);
        assert!(
            err.ends_with("negative: 1 entry was skipped, which --strict counts as a failure\n"),
            "{err}"
        );
        let (_, err) = bench(&["--filter", "how=refuses"], 1);
        let said = "negative: no candidate was measured, because all were skipped (1 entry)\n";
        assert!(err.ends_with(said), "{err}");
    }
}

#[test]
fn results_that_cannot_be_printed_are_an_error_and_the_record_stays() {
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let folder = folder(WELL, "", "");
    let record = measured(&folder);
    let record = record.as_str();
    for (index, arguments) in [
        &["bench", "p.toml"][..],
        &["bench", "p.toml", "--json"],
        &["bench", "p.toml", "--markdown"],
        &["bench", "p.toml", "--dry-run"],
        &["report", record, "--out", "page.html"],
        &["report", record, "--terminal"],
        &["report", record, "--markdown"],
        &["report", record, "--csv"],
        &["report", record, "--json"],
        &["bench", "p.toml", "--list"],
        &["compare", "--help"],
        &["--version"],
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("r{index}");
        let bench = arguments[0] == "bench";
        let flag = ["--out", &out];
        let all = [arguments, if bench { &flag[..] } else { &[] }].concat();
        let run = || folder.parlab(&all);
        let (_, err) = ends(run().stdout(full.try_clone().unwrap()), 2);
        assert!(err.contains("error: standard output: No space left"), "{arguments:?}: {err}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (_, err) = ends(run().stdout(writer), 0);
        assert!(!err.contains("error"), "a closed pipe: {arguments:?}: {err}");
        if bench && !arguments.iter().any(|one| ["--dry-run", "--list"].contains(one)) {
            let records = folder.files(&out, ".json");
            assert_eq!(records.len(), 2);
            for name in records {
                assert_eq!(Record::read(&folder.path(&out).join(name)).unwrap().partial, None);
            }
        }
    }
    // A full standard error is not a panic.
    let both =
        folder.parlab(&["bench", "p.toml", "--json"]).stdout(full.try_clone().unwrap()).stderr(full).status();
    assert_eq!(both.unwrap().code(), Some(2));
}

/// Fails if a text would send control characters to a terminal.
fn is_harmless(text: &str, what: &str) {
    let harmful = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
    assert!(!text.contains(harmful), "{what}: {text:?}");
    // No line that a candidate made up, but in blocks of HTML.
    let blocks = text.contains("<pre");
    assert!(blocks || !text.lines().any(|line| line.starts_with("record: /etc")), "{what}: {text}");
}

#[test]
fn control_characters_of_a_candidate_never_reach_the_terminal() {
    let name = "\\u001b[31mred\\u009b2J\\u202e";
    let further = format!(
        "[[candidate]]\nname = \"{name}\"\nabout = \"{name}\"\ncommand = [\"python3\", \"c.py\", \"one\", \"7\"]\nlabels = {{ \
         \"{name}\" = \"{name}\" }}\n[[candidate]]\nname = \"absent\"\ncommand = [\"{name}\"]\n[[question]]\nask = \
         \"{name}?\"\nfrom = {{ how = \"one\" }}\nto = {{ candidate = \"{name}\" }}\n"
    );
    let candidates = [("one", 1), ("names", 2), ("refuses", 3), ("crashes", 4)];
    let folder = folder(&candidates, "", &further);
    let text = folder.read("p.toml");
    let plan = text.replace("title = \"t\"", &format!("title = \"{name}\"\nabout = \"{name}\""));
    folder.write("p\u{1b}[31m.toml", plan);
    let plan = "p\u{1b}[31m.toml";
    for form in [&[][..], &["--json"], &["--markdown"], &["--dry-run"]] {
        let (out, err) = folder.ends(&[&["bench", plan, "--out", "r"], form].concat(), 1);
        is_harmless(&out, &format!("standard output of {form:?}"));
        is_harmless(&err, &format!("standard error of {form:?}"));
        if form == ["--dry-run"] {
            assert!(out.contains("      line 29\n") && out.contains("\\u{1b}[31mred"), "{out}");
            continue;
        }
        // The end of standard error is next to the note, and in the table of failures.
        let skipped = err.contains("SKIP w, refuses on 1 thread: \\u{1b}[31mred");
        assert_eq!(skipped, !form.is_empty(), "{err}");
        assert!(err.contains("lost w, crashes on 1 thread: ended with exit code 3"), "{err}");
        assert!(err.contains("\n  | line 29\n  | \\u{1b}[31mred") && !err.contains("line 19\n"), "{err}");
        if form.is_empty() {
            assert!(out.contains("FAILED crashes: crash: ended with exit code 3"), "{out}");
            assert!(out.contains("Skipped: refuses (") && out.contains("Skipped: absent ("), "{out}");
        }
    }
    let record = folder.files("r", ".json").remove(0);
    let record = format!("r/{record}");
    let kept = Record::read(&folder.path(&record)).unwrap();
    let entries = &kept.cases[0].entries;
    let crashed =
        entries.iter().find(|entry| entry.candidate == "crashes").unwrap().failure.as_ref().unwrap();
    assert!(
        crashed.kind == FailureKind::Crash && crashed.stderr.contains('\u{1b}'),
        "the record has it as it was"
    );
    for form in ["--terminal", "--markdown", "--csv", "--json"] {
        let (out, err) = folder.ends(&["report", form, &record], 0);
        is_harmless(&format!("{out}{err}"), form);
        if form == "--terminal" {
            let (_, failures) = out.split_once("FAILED crashes").unwrap();
            assert!(failures.contains("line 29\n") && failures.contains("\\u{1b}[31mred"), "{out}");
            assert!(!failures.contains("line 19\n"), "{out}");
        }
    }
    let (out, _) = folder.ends(&["report", "--json", &record], 0);
    let estimates: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rows = estimates["cases"][0]["tables"][0]["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["what"] == " [31mred 2J "), "{rows:?}");
    let (out, err) = folder.ends(&["bench", plan, "--list"], 0);
    is_harmless(&(out + &err), "--list");
    // Files of a report: no character that a viewer in a terminal would obey.
    folder.ends(&["report", &record, "--out", "page.html"], 0);
    folder.ends(&["report", &record, "--markdown", "--out", "pages"], 0);
    let page = folder.read("page.html");
    is_harmless(&page, "page");
    for name in names(&folder.path("pages")) {
        is_harmless(&folder.read(&format!("pages/{name}")), &name);
    }
    // Errors in plans, and names of files that do not exist.
    folder.write("q.toml", text.replace("how = \"one\" }\nto", "how = \"\\u001b[2J\" }\nto"));
    for plan in ["q.toml", "no\u{1b}[2J/such.toml"] {
        let (_, err) = folder.ends(&["bench", plan], 2);
        is_harmless(&err, plan);
        assert!(err.contains("\\u{1b}[2J"), "{err}");
    }
}

#[test]
fn a_later_run_removes_what_a_killed_one_left() {
    let folder = folder(WELL, "input = { bytes = 8 }", "");
    let (temporary, out) = (folder.path("tmp"), folder.path("r"));
    for path in [&temporary, &out] {
        fs::create_dir(path).unwrap();
    }
    // The number and start time of a process that has ended.
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let since = stat.rsplit(')').next().unwrap().split_whitespace().nth(19).unwrap().to_owned();
    let owner = format!("{}-{since}", child.id());
    let left = temporary.join(format!("parcrypt-{owner}-Ab3xYz"));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("8.bin"), "12345678").unwrap();
    let half = out.join(format!(".parcrypt-{owner}-Ab3xYz"));
    fs::write(&half, "{").unwrap();
    let kept = temporary.join("parcrypt-notes");
    fs::write(&kept, "").unwrap();
    let bench = || {
        let mut bench = folder.parlab(&["bench", "p.toml", "--out", "r"]);
        ends(bench.env("TMPDIR", &temporary), 0)
    };
    bench();
    assert!(left.exists() && half.exists(), "their owner still runs");
    drop(child.stdin.take());
    child.wait().unwrap();
    bench();
    assert!(!left.exists() && !half.exists());
    assert_eq!(names(&temporary), ["parcrypt-notes"], "a run leaves nothing");
    assert!(names(&out).iter().all(|name| name.starts_with("p-")), "{:?}", names(&out));
}

/// Returns whether a process runs. One that has ended and that its parent has not asked for yet does not.
fn runs(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .next()
        .is_some_and(|state| !matches!(state, "Z" | "X"))
}

#[test]
fn a_killed_lab_leaves_no_candidate_and_its_children_end_at_the_next_start() {
    let folder = folder(&[("forks", 1)], "input = { bytes = 8 }", "");
    let mut lab = folder.parlab(&["bench", "p.toml"]).stderr(Stdio::null()).spawn().unwrap();
    let children = folder.path("children");
    let found = || fs::read_to_string(&children).unwrap_or_default();
    while !found().ends_with('\n') {
        assert!(lab.try_wait().unwrap().is_none(), "the lab ended early");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let line = found();
    let (candidate, child) = line.trim().split_once(' ').unwrap();
    assert!(runs(candidate) && runs(child));
    // SIGKILL: nothing of the lab runs after it.
    lab.kill().unwrap();
    lab.wait().unwrap();
    // The system ends the candidate; without this the loop does not end.
    while runs(candidate) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // The child has left the candidate's session. The next start of any lab ends it, also in another test.
    folder.write("p.toml", plan(WELL, "input = { bytes = 8 }", ""));
    folder.ends(&["bench", "p.toml"], 0);
    while runs(child) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_noise_floor_that_is_not_known_has_its_reason() {
    let timed = |candidates: &str| {
        let text = format!(
            "schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 1\nsamples = 2\nsample-ms = 1\n[[case]]\nworkload = \"sum\"\nparams = \
             {{ scale = [10] }}\nthreads = [1]\ninput = {{ bytes = 1, times = \"2^scale\" }}\ncontrol = true\n[[case]]\nworkload \
             = \"sum\"\nparams = {{ scale = 11 }}\nthreads = [1]\ninput = {{ bytes = 1, times = \"2^scale\" \
             }}\n{candidates}[[candidate]]\nname = \"serial\"\ncommand = [\"python3\", \"sum.py\"]\n"
        );
        Folder::with(&text)
    };
    let tables = |folder: &Folder, arguments: &[&str], code| {
        folder.ends(&[&["bench", "p.toml", "--out", "r"], arguments].concat(), code);
        folder.ends(&["report", "--out", "page.html", &folder.record_in("r")], 0);
        folder.read("page.html")
    };
    let failing = "[[candidate]]\nname = \"bad\"\ncommand = [\"false\"]\n";
    let absent = "[[candidate]]\nname = \"bad\"\ncommand = [\"no-such-program-here\"]\n";
    for (candidates, arguments, code, expected) in [
        ("", &[][..], 0, "The A/A control and its baseline have 1 of the 8 rounds"),
        (failing, &[], 1, "The A/A control or its baseline has no result (ended with exit code 1"),
        (
            absent,
            &[],
            0,
            "The A/A control or its baseline has no result (<code>no-such-program-here</code> not found",
        ),
        ("", &["--filter", "scale=11"], 0, "The A/A control belongs to a case that this run left out"),
    ] {
        let out = tables(&timed(candidates), arguments, code);
        assert!(out.contains(&format!("Noise floor: not known.</strong> {expected}")), "{expected}:\n{out}");
    }
    let plan = timed("");
    plan.write("p.toml", plan.read("p.toml").replace("control = true\n", ""));
    let out = tables(&plan, &[], 0);
    assert!(out.contains("Noise floor: not known.</strong> The plan has no A/A control"), "{out}");
}
