//! `parlab check-candidate` with candidates that keep the protocol and others that break it in one place.

use crate::process::Folder;

/// A candidate whose behaviour is its first argument. It reports 1 ms for each iteration, in which it sleeps longer.
const CANDIDATE: &str = r#"
import hashlib, json, os, signal, sys, time
how = sys.argv[1]
samples = done = 0
def say(number, **response):
    print(json.dumps({"id": number, **response}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    number = request["id"]
    if "prepare" in request:
        if how == "greets":
            print("hello", flush=True)
        if request["prepare"]["workload"] != "sum" and how != "knows-all":
            if how == "hangs":
                time.sleep(3600)
            if how == "silent-end":
                sys.exit(0)
            if how == "no-reason":
                sys.exit(3)
            if how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "unsupported":
                say(number, unsupported="no such work")
                continue
            sys.exit("no such workload")
        if how == "cannot":
            say(number, unsupported="there is no GPU")
            continue
        if how == "params":
            params = request["prepare"]["params"]
            assert params == {"scale": 3, "mode": "a=b"} and request["prepare"]["threads"] == 2, params
            assert os.stat(request["prepare"]["input"]).st_size == 8
        say(number, ready={"name": how})
    elif "sample" in request:
        iterations = request["sample"]["iterations"]
        samples += 1
        if how == "malformed":
            print("I feel fine", flush=True)
            continue
        if how == "crashes":
            sys.exit("line 1\nline 2")
        if how == "counts":
            say(number, counts={"instructions": 5 * iterations})
            continue
        if how == "reverses" and samples == 3:
            say(json.loads(sys.stdin.readline())["id"], elapsed_ns=10**6)
        if how == "own-ids":
            number = samples + 1
        repeats = 1 if how == "once" else iterations
        done += repeats
        # The time of a repetition in ms: the same at each call, or another one.
        each = 1.0
        if how == "quadratic":
            each = iterations / 16
        if how == "noisy":
            each = (1 + samples % 2 / 4) * iterations ** 0.5
        time.sleep(repeats * each / 1000)
        response = {"elapsed_ns": int(repeats * each * 1e6)}
        if how == "misspells":
            response["phase"] = {"read": 1}
        if how == "boasts":
            response = {"elapsed_ns": 10**15 * iterations}
        if how == "zero":
            response = {"elapsed_ns": 0}
        if how == "kib":
            response["counts"] = {"peak-memory-bytes": 9 << 10}
        if how == "memory":
            response["counts"] = {"peak-memory-bytes": 9 << 20}
        say(number, **response)
    elif "digest" in request:
        output = {"adds-up": str(done), "differs": str(os.getpid())}.get(how, "")
        say(number, digest="sha256:" + ("AB" * 32 if how == "upper-case" else hashlib.sha256(output.encode()).hexdigest()))
        if how == "twice":
            say(number, digest="sha256:" + "0" * 64)
    elif "quit" in request:
        if how == "says-goodbye":
            print("bye", flush=True)
        sys.exit(5 if how == "bad-end" else 0)
if how == "stays":
    time.sleep(3600)
"#;

/// A folder with the candidate.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("candidate.py", CANDIDATE);
    folder
}

/// Checks a candidate of this behaviour; returns the lines of the checks, each as one text.
fn check(folder: &Folder, how: &str, code: i32) -> Vec<String> {
    // Only what hangs takes that long.
    let limit = if ["hangs", "stays"].contains(&how) { "8s" } else { "5m" };
    let (text, stderr) =
        folder.ends(&["check-candidate", "--limit", limit, "--", "python3", "candidate.py", how], code);
    assert_eq!(stderr, "", "{how}");
    checks(&text)
}

/// Returns the text of each check in one line, without its summary.
fn checks(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.split("\n\n").next().unwrap().lines() {
        match line.strip_prefix("          ") {
            Some(more) => *all.last_mut().unwrap() += &format!(" {}", more.trim()),
            None => all.push(line.split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }
    all
}

const NAMES: [&str; 15] = [
    "prepare",
    "sample",
    "digest",
    "id",
    "same output",
    "queue",
    "iterations",
    "time",
    "memory",
    "known fields",
    "only responses",
    "quit",
    "second process",
    "end of input",
    "unknown work",
];

#[test]
fn a_good_candidate_passes() {
    let folder = folder();
    for how in ["well", "unsupported", "memory", "no-reason", "noisy", "counts", "misspells"] {
        let found = check(&folder, how, 0);
        assert_eq!(found.len(), NAMES.len(), "{found:?}");
        for name in NAMES {
            let is =
                |expected: &str| found.iter().any(|line| line.starts_with(&format!("{name} {expected}")));
            let expected = match (name, how) {
                ("memory", "memory") => "passed: 9.0 MiB reported",
                ("memory", _) => "SKIP: the candidate reports no memory",
                ("known fields", "misspells") => {
                    "warning: protocol 2 does not have `phase`, which the lab ignores"
                }
                ("iterations" | "time", "counts") => "SKIP: the candidate counts",
                ("iterations", "noisy") => "warning: 2 and 4 times the iterations take 2.",
                ("unknown work", "unsupported") => "passed: unsupported: no such work",
                ("unknown work", "no-reason") => "warning: exit code 3 without a reason",
                ("unknown work", _) => "passed: exit code 1: no such workload",
                _ => "passed: ",
            };
            assert!(is(expected), "{how}: {name} {expected}: {found:#?}");
        }
    }
}

#[test]
fn each_mistake_is_named_with_its_line_and_the_rule() {
    let folder = &folder();
    let mistakes = [
        ("greets", "prepare", "`hello` is not a response"),
        ("malformed", "sample", "`I feel fine` is not a response"),
        (
            "crashes",
            "sample",
            "ended with exit code 1 instead of answering {\"id\":2,\"sample\":{\"iterations\":1}}",
        ),
        ("upper-case", "digest", "is not `sha256:` and 64 hexadecimal digits"),
        ("own-ids", "id", "answers request 3, but request 1004 was sent"),
        ("twice", "id", "{\"id\": 3, \"digest\": \"sha256:00000000"),
        ("adds-up", "same output", "after 3 iterations"),
        ("reverses", "queue", ", but request "),
        ("once", "iterations", "2 and 4 times the iterations take 1.00 and 1.00 times as long"),
        ("quadratic", "iterations", "2 and 4 times the iterations take 4.00 and 16.00 times as long"),
        ("boasts", "time", "{\"elapsed_ns\":1000000000000000} for a sample of 1 iteration that took"),
        ("zero", "time", "{\"elapsed_ns\":0} for a sample of 1 iteration that took"),
        ("kib", "memory", "{\"peak-memory-bytes\":9216}: 0.0 MiB reported"),
        ("says-goodbye", "only responses", "`bye` came without a request"),
        ("bad-end", "quit", "ended with exit code 5 after quit"),
        ("differs", "second process", "in a second process"),
        ("stays", "end of input", "did not end after the end of standard input"),
        ("knows-all", "unknown work", "`ready` is the response to workload `parcrypt-check-unknown`"),
        ("hangs", "unknown work", "gave no response in 8 s to"),
        ("silent-end", "unknown work", "ended with exit code 0 instead of answering"),
        ("killed", "unknown work", "was killed by SIGKILL instead of answering"),
    ];
    let named = |(how, name, part): (&str, &str, &str)| {
        let found = check(folder, how, 1);
        let failed: Vec<&String> = found.iter().filter(|line| line.contains(" FAILED: ")).collect();
        // A time of 0 does not grow either.
        assert_eq!(failed.len(), 1 + usize::from(how == "zero"), "{how}: {found:#?}");
        let line = failed[failed.len() - 1];
        assert!(
            line.starts_with(&format!("{name} FAILED: ")) && line.contains(part),
            "{how}: {part}: {line}"
        );
        assert!(line.contains(" right: "), "{line}");
        if how == "crashes" {
            assert!(line.ends_with("standard error: line 1 standard error: line 2"), "{line}");
        }
        // What depends on it is not checked, and is named.
        assert_eq!(found.len(), NAMES.len(), "{how}: {found:#?}");
    };
    // They mostly sleep.
    std::thread::scope(|scope| {
        for mistake in mistakes {
            scope.spawn(move || named(mistake));
        }
    });
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let folder = folder();
    folder.write("four", "abcd");
    nix::unistd::mkfifo(&folder.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    for (arguments, part) in [
        (&["--", "./missing"][..], "nothing can be checked: `./missing` not found"),
        (&["--", "python3", "candidate.py", "cannot"], "nothing can be checked: there is no GPU"),
        (&["--input", "missing", "--", "python3", "candidate.py", "well"], "--input missing: No such file"),
        (&[], "CMD"),
        (&["--param", "scale", "true"], "write it as NAME=VALUE"),
        (&["--threads", "0", "true"], "--threads"),
        (&["--limit", "0s", "true"], "it must be longer than 0 s"),
        (
            &["--input", "pipe", "true"],
            "--input pipe: it is a pipe or a socket, and each run reads its input",
        ),
        // More than any disk has.
        (
            &["--input-bytes", "9223372036854775808", "true"],
            "an input file of 9223372036854775808 bytes cannot be made",
        ),
        (&["--input-bytes", "9223372036854775808", "true"], " bytes are free"),
        (&["--input", "four", "--input-bytes", "4", "true"], "cannot be used with"),
    ] {
        let (stdout, stderr) = folder.ends(&[&["check-candidate"], arguments].concat(), 2);
        assert!(stdout.is_empty() && stderr.contains(part), "{stderr}");
    }
}

#[test]
fn the_work_is_passed_on() {
    let folder = folder();
    folder.write("eight", "12345678");
    for input in ["--input eight", "--input-bytes 8"] {
        let work = "check-candidate --workload sum --param scale=3 --param mode=a=b --threads 2";
        folder.line(&format!("{work} {input} python3 candidate.py params"), 0);
    }
}

/// `candidates/unsupported` stands for a candidate that cannot run, and there is no work to check it with.
#[test]
fn a_candidate_that_cannot_run_is_not_judged() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../candidates/unsupported");
    let (_, stderr) = Folder::new().ends(&["check-candidate", "--", program, "no", "device"], 2);
    assert!(stderr.contains("nothing can be checked: no device"), "{stderr}");
}
