//! Kits for candidates: the template of each language is written, built and checked by the commands that are printed
//! with it, gives the digests of ours, and refuses bad requests.

use crate::process;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use process::{ended, ends, shell};

/// A language, and changes of its template.
struct Kit {
    language: &'static str,
    /// The program without which it is skipped.
    tool: &'static str,
    /// The candidate's file.
    source: &'static str,
    /// A part of the source, in its place what refuses the work, and in its place what prints and reads, itself and by
    /// another program, before it goes on.
    other: Option<[&'static str; 3]>,
}

const C: Kit = Kit {
    language: "c",
    tool: "cc",
    source: "sum.c",
    other: Some([
        "    return NULL;",
        r#"    return "it has no \"wings\"\n\\";"#,
        r#"    puts("noise"); return system("echo noise; cat") == 0 && getchar() == EOF ? NULL : "it fails";"#,
    ]),
};
const GO: Kit = Kit {
    language: "go",
    tool: "go",
    source: "sum.go",
    other: Some([
        "{ return os.ReadFile(w.Input) }",
        r#"{ return []byte(os.Args[0]), parlab.Unsupported("it has no \"wings\"\n\\") }"#,
        r#"{
            os.Stdout.WriteString("noise\n")
            os.NewFile(1, "standard output").WriteString("noise\n")
            return os.ReadFile(w.Input)
        }"#,
    ]),
};
const JULIA: Kit = Kit {
    language: "julia",
    tool: "julia",
    source: "sum.jl",
    other: Some([
        "= read(input)",
        r#"= throw(Parlab.Unsupported("it has no \"wings\"\n\\"))"#,
        "= (println(\"noise\"); run(`echo noise`); run(`cat`); readline(); read(input))",
    ]),
};
const PYTHON: Kit = Kit {
    language: "python",
    tool: "python3",
    source: "sum.py",
    other: Some([
        "    with open(input, \"rb\") as file:\n",
        "    raise parlab.Unsupported(\"it has no \\\"wings\\\"\\n\\\\\")\n    with open(input, \"rb\") as file:\n",
        "    import os, sys\n    print(\"noise\")\n    \
             assert os.system(\"echo noise; cat\") == 0 and not sys.stdin.read()\n    \
             with open(input, \"rb\") as file:\n",
    ]),
};
const RUST: Kit = Kit { language: "rust", tool: "cargo", source: "src/main.rs", other: None };

const SHELL: Kit = Kit {
    language: "shell",
    tool: "jq",
    source: "sum.sh",
    other: Some([
        "    file=$INPUT",
        "    unsupported $'it has no \\x22wings\\x22\\n\\\\'",
        "    echo noise; cat; env echo noise; file=$INPUT",
    ]),
};

fn parlab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlab"));
    command.args(arguments).env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
    command
}

/// Returns the digest of the sum of these bytes, as the reference of workloads defines it.
fn digest(input: &[u8]) -> String {
    let sum: u64 = input.iter().map(|byte| u64::from(*byte)).sum();
    let digits: String = Sha256::digest(sum.to_le_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// Returns a command for a shell in a folder, with the environment of a user.
fn steps(folder: &Path, script: &str) -> Command {
    let mut command = shell(folder, script);
    // The command of the candidate names cargo's usual folder; what the crates need was fetched for ours.
    command.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS").env("CARGO_NET_OFFLINE", "true");
    // How fast it is is not the point.
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    command
}

/// A template that was written and built.
struct Written {
    kit: &'static Kit,
    folder: tempfile::TempDir,
    build: String,
    /// The words of the candidate's command.
    command: Vec<String>,
}

impl Written {
    /// Writes, builds and checks it by the commands that are printed; `None` if the language is missing.
    fn new(kit: &'static Kit) -> Option<Self> {
        if Command::new(kit.tool).arg("--version").output().is_err() {
            parcrypt_testkit::skip("parlab", kit.language, &format!("`{}` is not installed", kit.tool));
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let write = ["candidate", "--template", kit.language, "--out", "my work"];
        let (text, _) = ends(parlab(&write).current_dir(folder.path()), 0);
        let next = text.split_once("\nNext:\n").unwrap().1.split_once("\n\nIn a plan:\n").unwrap();
        let mut build: Vec<&str> = next.0.lines().map(str::trim).collect();
        let check = build.pop().unwrap();
        assert!(build[0] == "cd 'my work'" && check.starts_with("parlab check-candidate --workload sum "));
        let build = build.join("\n");
        if kit.tool == "cargo" {
            // What it depends on is compiled once for all runs of this test.
            let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kit");
            fs::create_dir_all(&built).unwrap();
            std::os::unix::fs::symlink(built, folder.path().join("my work/target")).unwrap();
        }
        ends(&mut steps(folder.path(), &build), 0);
        // Whether time is linear depends on the machine.
        let output = steps(folder.path(), &format!("{build}\n{check}")).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let judged: Vec<&str> = stdout.lines().filter(|line| line.contains("FAILED")).collect();
        assert!(judged.iter().all(|line| line.starts_with("  iterations ")), "{stdout}");
        assert!(
            stdout.contains("  unknown work   passed: exit code 2: error: unknown workload\n"),
            "{stdout}"
        );
        assert!(stdout.contains("  memory         passed: "), "{stdout}");
        let command = next.1.lines().find_map(|line| line.trim().strip_prefix("command = ")).unwrap();
        let command: Vec<String> = serde_json::from_str(command).unwrap();
        assert!(check.ends_with(&format!(" -- {}", command.join(" "))), "{check}");
        Some(Written { kit, folder, build, command })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("my work").join(name)
    }

    /// Has a conversation with it.
    fn talk(&self, requests: &str) -> Output {
        talk(Command::new(&self.command[0]).args(&self.command[1..]).current_dir(self.path("")), requests)
    }

    /// Returns the responses of a conversation that ends well.
    fn responses(&self, requests: &str) -> Vec<Value> {
        responses(self.talk(requests))
    }

    /// Gives the same digests as ours.
    fn sums(&self) {
        for scale in [0, 1, 6, 16] {
            // As in candidates/known-answers.
            let input: Vec<u8> = (0..1u64 << scale).map(|i| ((i * i) >> 3) as u8).collect();
            fs::write(self.path("input"), &input).unwrap();
            let requests = requests(&[
                json!({"prepare": {"protocol": 2, "workload": "sum", "params": {"scale": scale, "more": "text"},
                    "threads": 1, "input": self.path("input")}}),
                json!({"sample": {"iterations": 3}}),
                json!({"digest": {}}),
                json!({"describe": {"protocol": 2}}),
                json!({"check": {"protocol": 2, "workload": "sum", "params": {}, "threads": 1}}),
                json!({"quit": {}}),
            ]);
            let found = self.responses(&requests);
            assert_eq!(found.len(), 5, "{found:?}");
            assert_eq!(found[0], json!({"id": 1, "ready": found[0]["ready"]}));
            for (index, response) in found.iter().enumerate().skip(3) {
                let unsupported = response["unsupported"].as_str().unwrap_or_default();
                assert!(response["id"] == index + 1 && unsupported.contains("answers no `"), "{found:?}");
            }
            assert_eq!(found[0]["ready"]["name"], self.kit.language);
            assert!(found[1]["elapsed_ns"].as_u64().is_some_and(|ns| ns > 0), "{found:?}");
            assert!(
                found[1]["counts"]["peak-memory-bytes"].as_u64().is_some_and(|b| b > 1 << 16),
                "{found:?}"
            );
            assert_eq!(found[2], json!({"id": 3, "digest": digest(&input)}), "scale {scale}");
        }
    }

    /// Reads JSON as others write it.
    fn reads_json(&self) {
        let name = "ü😀\"\\/";
        let folder = self.path(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a\tb"), [7]).unwrap();
        for prepare in [
            r#"{"id":1,"prepare":{"protocol":2,"workload":"sum","params":{},"threads":1,"input":"ü😀\"\\/a\tb"}}"#,
            r#"{"id":1,"prepare":{"protocol":2,"workload":"sum","threads":1,"input":"\u00fc\uD83d\ude00\u0022\u005C\/a\u0009b"}}"#,
            " { \"prepare\" : { \"input\" : \"ü😀\\\"\\\\/a\\tb\" , \"threads\" : 18 , \"params\" : { \"a\" : 18446744073709551615 , \
             \"b\" : \"}\\b\\f\\n\\r\\u00E9\" } , \"workload\" : \"\\u0073um\", \"protocol\" : 2 } , \"id\" : 1 } \r",
        ] {
            let found = self.responses(&format!(
                "{prepare}\n{{\"id\":9007199254740991,\"sample\":{{\"iterations\":1}}}}\n{{\"digest\":{{}},\"id\":0}}"
            ));
            assert_eq!(found.len(), 3, "{prepare}: {found:?}");
            assert_eq!(found[0]["ready"]["name"], self.kit.language);
            assert_eq!((&found[1]["id"], &found[2]["id"]), (&json!(9_007_199_254_740_991_u64), &json!(0)));
            assert_eq!(found[2]["digest"], digest(&[7]));
        }
    }

    /// Refuses bad requests with code 2 and a reason.
    fn refuses(&self) {
        let input = self.path("input");
        let input = input.to_str().unwrap();
        let ready = format!(
            "{{\"id\":1,\"prepare\":{{\"protocol\":2,\"workload\":\"sum\",\"params\":{{}},\"threads\":1,\"input\":\"{input}\"}}}}\n"
        );
        let prepare = |fields: &str| format!("{{\"id\":1,\"prepare\":{{{fields}}}}}");
        let after = |request: &str| format!("{ready}{request}");
        let long = format!("{{\"id\":1,\"quit\":{{}}{}}}", " ".repeat(1 << 20));
        let all = [
            ("hello".to_owned(), 0, "line 1 of standard input: `hello` is not a request"),
            ("{}".to_owned(), 0, "is not a request"),
            (String::new(), 0, "is not a request"),
            ("[]".to_owned(), 0, "is not a request"),
            ("{\"id\":1,\"quit\":{}".to_owned(), 0, "is not a request"),
            ("{\"id\":1,\"quit\":{}} {}".to_owned(), 0, "is not a request"),
            ("{\"id\":1,\"quit\":{},}".to_owned(), 0, "is not a request"),
            ("{\"id\":1,\"quit\":{},\"digest\":{}}".to_owned(), 0, "is not a request"),
            ("{\"id\":1,\"stop\":{}}".to_owned(), 0, "is not a request"),
            ("{\"id\":-1,\"quit\":{}}".to_owned(), 0, "is not a request"),
            ("{\"quit\":{}}".to_owned(), 0, "line 1 of standard input"),
            ("{\"id\":\"1\",\"quit\":{}}".to_owned(), 0, "is not a request"),
            ("{\"id\":18446744073709551616,\"quit\":{\"now\":1}}".to_owned(), 0, "is not a request"),
            (long, 0, ""),
            (prepare("\"workload\":\"sum\",\"params\":{},\"threads\":1"), 0, "is not a request"),
            (prepare("\"protocol\":3,\"workload\":\"sum\",\"params\":{},\"threads\":1"), 0, "protocol 2"),
            (
                prepare("\"protocol\":2,\"workload\":\"sum\",\"params\":{},\"threads\":-1"),
                0,
                "is not a request",
            ),
            (
                prepare("\"protocol\":2,\"workload\":\"sum\",\"params\":{\"a\":1.5},\"threads\":1"),
                0,
                "is not a request",
            ),
            (
                prepare("\"protocol\":2,\"workload\":\"sum\",\"params\":{\"a\":[]},\"threads\":1"),
                0,
                "is not a request",
            ),
            (prepare("\"protocol\":2,\"workload\":\"sum\\u12\",\"threads\":1"), 0, "is not a request"),
            (prepare("\"protocol\":2,\"workload\":\"\\ud800\",\"threads\":1"), 0, ""),
            (prepare("\"protocol\":2,\"workload\":\"s\\qm\",\"threads\":1"), 0, "is not a request"),
            (prepare("\"protocol\":2,\"workload\":\"sum,\"threads\":1"), 0, "is not a request"),
            (
                prepare("\"protocol\":2,\"workload\":\"product\",\"threads\":1"),
                0,
                "unknown workload `product`: it can be sum",
            ),
            ("{\"id\":1,\"sample\":{\"iterations\":1}}".to_owned(), 0, "came before a successful `prepare`"),
            ("{\"id\":1,\"digest\":{}}".to_owned(), 0, "came before a successful `prepare`"),
            (after("{\"id\":2,\"digest\":{}}"), 1, "`digest` came before the first `sample`"),
            (after(&ready), 1, "`prepare` came a second time"),
            (after("{\"id\":2,\"sample\":{\"iterations\":-1}}"), 1, "line 2 of standard input"),
            (after("{\"id\":2,\"sample\":{\"iterations\":1.5}}"), 1, "is not a request"),
            (after("{\"id\":2,\"sample\":{}}"), 1, ""),
            (after("{\"id\":2,\"sample\":{\"iterations\":0}}"), 1, ""),
            (after("{\"id\":2,\"sample\":{\"iterations\":1,\"warm\":1}}"), 1, "is not a request"),
        ];
        let refused = |(wrong, lines, part): &(String, usize, &str)| {
            let output = self.talk(&format!("{wrong}\n"));
            let what = format!("{} {wrong:.300}", self.kit.language);
            let (stdout, stderr) = ended(output, 2, &what);
            assert!(stderr.starts_with("error: ") && stderr.contains(part), "{what}: '{part}' in {stderr}");
            assert_eq!(stdout.lines().count(), *lines, "{what}: {stdout}");
        };
        std::thread::scope(|scope| {
            for part in all.chunks(all.len().div_ceil(4)) {
                scope.spawn(move || part.iter().for_each(refused));
            }
        });
        // The end of standard input is as good as `quit`.
        assert_eq!(self.responses("").len(), 0);
        assert_eq!(self.responses(&ready).len(), 1);
    }

    /// Says why the work is not supported, and sends what it prints to standard error.
    fn does_other_things(&self) {
        let Some([from, unsupported, prints]) = self.kit.other else { return };
        let source = fs::read_to_string(self.path(self.kit.source)).unwrap();
        assert!(source.contains(from), "{source}");
        let change = |to: &str| {
            fs::write(self.path(self.kit.source), source.replace(from, to)).unwrap();
            ends(&mut steps(self.folder.path(), &self.build), 0);
        };
        change(prints);
        let all = requests(&[
            json!({"prepare": {"protocol": 2, "workload": "sum", "params": {}, "threads": 1,
                "input": self.path("input")}}),
            json!({"sample": {"iterations": 1}}),
            json!({"quit": {}}),
        ]);
        let (stdout, stderr) = ended(self.talk(&all), 0, self.kit.language);
        assert_eq!(stderr, "noise\nnoise\n", "{}", self.kit.language);
        assert_eq!(process::lines(&stdout).len(), 2, "{}: {stdout}", self.kit.language);
        change(unsupported);
        let prepare =
            requests(&[json!({"prepare": {"protocol": 2, "workload": "sum", "params": {}, "threads": 1,
            "input": self.path("input")}})]);
        let found = self.responses(&prepare.repeat(2));
        assert_eq!(found, vec![json!({"id": 1, "unsupported": "it has no \"wings\"\n\\"}); 2]);
    }

    fn all(self) {
        self.sums();
        self.reads_json();
        self.refuses();
        self.does_other_things();
    }
}

/// Writes requests to a program and waits for its end.
fn talk(command: &mut Command, requests: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses a request may have ended.
    let _ = child.stdin.take().unwrap().write_all(requests.as_bytes());
    child.wait_with_output().unwrap()
}

/// Returns the requests as lines, numbered from 1.
fn requests(all: &[Value]) -> String {
    let line = |(i, request): (usize, &Value)| {
        let mut line = json!({"id": i + 1});
        line.as_object_mut().unwrap().extend(request.as_object().unwrap().clone());
        format!("{line}\n")
    };
    all.iter().enumerate().map(line).collect()
}

/// Returns the responses of a conversation that has ended well.
fn responses(output: Output) -> Vec<Value> {
    let (stdout, stderr) = ended(output, 0, "a conversation");
    assert_eq!(stderr, "");
    process::lines(&stdout)
}

#[test]
fn c() {
    let Some(written) = Written::new(&C) else { return };
    let strict = "cc -std=c11 -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -o sum sum.c";
    let (_, stderr) = ends(&mut steps(&written.path(""), strict), 0);
    assert_eq!(stderr, "");
    written.all();
}

/// Tests of kits without a further check.
macro_rules! kits {
    ($($name:ident: $kit:expr),*) => {$(
        #[test]
        fn $name() {
            if let Some(written) = Written::new(&$kit) {
                written.all();
            }
        }
    )*};
}

kits! { go: GO, julia: JULIA, python: PYTHON, rust: RUST, bash: SHELL }

/// A candidate has at most 20 lines with code.
#[test]
fn candidates_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for source in ["c/sum.c", "go/sum.go", "julia/sum.jl", "python/sum.py", "shell/sum.sh"] {
        let text = fs::read_to_string(root.join("candidates/kits").join(source)).unwrap();
        let code = |line: &&str| {
            !line.trim().is_empty()
                && !["//", "#", "\"\"\""]
                    .iter()
                    .any(|mark| line.starts_with(mark) && !line.starts_with("#include"))
        };
        let lines = text.lines().filter(code).count();
        assert!((3..=20).contains(&lines), "{source}: {lines}");
    }
    let text = fs::read_to_string(root.join("crates/lab/protocol/examples/sum.rs")).unwrap();
    assert!(text.lines().count() <= 20, "{text}");
}

#[test]
fn templates_are_printed_or_written_to_a_new_place() {
    for (language, first) in [
        ("c", "sum.c"),
        ("go", "sum.go"),
        ("julia", "sum.jl"),
        ("python", "sum.py"),
        ("rust", "src/main.rs"),
        ("shell", "sum.sh"),
        ("bash", "sum.sh"),
    ] {
        let (text, hint) = ends(&mut parlab(&["candidate", "--template", language]), 0);
        assert!(text.starts_with(&format!("==> {first} <==\n")) && hint.contains("--out DIR"), "{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["candidate", "--template", "python", "--out", "."];
    fs::write(folder.path().join("parlab.py"), "mine").unwrap();
    let (_, stderr) = ends(parlab(&arguments).current_dir(folder.path()), 2);
    assert!(stderr.contains("./parlab.py exists: choose another folder"), "{stderr}");
    assert_eq!(process::names(folder.path()), ["parlab.py"], "nothing was written");
    fs::remove_file(folder.path().join("parlab.py")).unwrap();
    ends(parlab(&arguments).current_dir(folder.path()), 0);
    assert_eq!(process::names(folder.path()), ["parlab.py", "sum.py"]);
    for (wrong, part) in [
        (&["candidate", "--template", "cobol"][..], "[possible values: bash, c, go, julia, python, rust]"),
        (&["candidate", "--template", "c", "--runtime", "serial"], "unexpected argument '--runtime'"),
        (&["candidate", "--out", "x"], "--template"),
        (&["candidate", "--template", "c", "--out", "/dev/null"], "/dev/null"),
    ] {
        let (_, stderr) = ends(&mut parlab(wrong), 2);
        assert!(stderr.contains(part), "{stderr}");
    }
}
