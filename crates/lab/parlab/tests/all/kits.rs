//! Kits for candidates: the example of each language can be measured, gives the digests of ours, and refuses bad
//! requests.

use crate::process;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use process::{Folder, ended, ends, shell};

/// A language, and changes of its example.
struct Kit {
    language: &'static str,
    /// The program without which it is skipped.
    tool: &'static str,
    /// The command that builds it, for a shell.
    build: &'static str,
    /// The words that start it.
    command: &'static [&'static str],
    /// The candidate's file.
    source: &'static str,
    /// A part of the source, in its place what refuses the work, and in its place what prints and reads, itself and by
    /// another program, before it goes on.
    other: [&'static str; 3],
}

const C: Kit = Kit {
    language: "c",
    tool: "cc",
    build: "cc -std=c11 -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -o sum sum.c",
    command: &["./sum"],
    source: "sum.c",
    other: [
        "    return NULL;",
        r#"    return "it has no \"wings\"\n\\";"#,
        r#"    puts("noise"); return system("echo noise; cat") == 0 && getchar() == EOF ? NULL : "it fails";"#,
    ],
};
const JULIA: Kit = Kit {
    language: "julia",
    tool: "julia",
    build: "",
    command: &["julia", "sum.jl"],
    source: "sum.jl",
    other: [
        "= read(input)",
        r#"= throw(Parlab.Unsupported("it has no \"wings\"\n\\"))"#,
        "= (println(\"noise\"); run(`echo noise`); run(`cat`); readline(); read(input))",
    ],
};
const PYTHON: Kit = Kit {
    language: "python",
    tool: "python3",
    build: "",
    command: &["python3", "sum.py"],
    source: "sum.py",
    other: [
        "    with open(input, \"rb\") as file:\n",
        "    raise parlab.Unsupported(\"it has no \\\"wings\\\"\\n\\\\\")\n    with open(input, \"rb\") as file:\n",
        "    import os, sys\n    print(\"noise\")\n    \
             assert os.system(\"echo noise; cat\") == 0 and not sys.stdin.read()\n    \
             with open(input, \"rb\") as file:\n",
    ],
};

/// Requests that a candidate refuses, those with a `+` after a successful `prepare`, and a part of the reason.
const REFUSED: &str = r#"hello | line 1 of standard input: `hello` is not a request
{} | is not a request
 | is not a request
[] | is not a request
{"id":1,"quit":{} | is not a request
{"id":1,"quit":{}} {} | is not a request
{"id":1,"quit":{},} | is not a request
{"id":1,"quit":{},"digest":{}} | is not a request
{"id":1,"stop":{}} | is not a request
{"id":-1,"quit":{}} | is not a request
{"quit":{}} | line 1 of standard input
{"id":"1","quit":{}} | is not a request
{"id":18446744073709551616,"quit":{"now":1}} | is not a request
{"id":1,"prepare":{"workload":"sum","params":{},"threads":1}} | is not a request
{"id":1,"prepare":{"protocol":3,"workload":"sum","params":{},"threads":1}} | protocol 2
{"id":1,"prepare":{"protocol":2,"workload":"sum","params":{},"threads":-1}} | is not a request
{"id":1,"prepare":{"protocol":2,"workload":"sum","params":{"a":1.5},"threads":1}} | is not a request
{"id":1,"prepare":{"protocol":2,"workload":"sum","params":{"a":[]},"threads":1}} | is not a request
{"id":1,"prepare":{"protocol":2,"workload":"sum\u12","threads":1}} | is not a request
{"id":1,"prepare":{"protocol":2,"workload":"\ud800","threads":1}} | error
{"id":1,"prepare":{"protocol":2,"workload":"s\qm","threads":1}} | is not a request
{"id":1,"prepare":{"protocol":2,"workload":"sum,"threads":1}} | is not a request
{"id":1,"prepare":{"protocol":2,"workload":"product","threads":1}} | unknown workload `product`: it can be sum
{"id":1,"sample":{"iterations":1}} | came before a successful `prepare`
{"id":1,"digest":{}} | came before a successful `prepare`
+{"id":2,"digest":{}} | `digest` came before the first `sample`
+READY | `prepare` came a second time
+{"id":2,"sample":{"iterations":-1}} | line 2 of standard input
+{"id":2,"sample":{"iterations":1.5}} | is not a request
+{"id":2,"sample":{}} | error
+{"id":2,"sample":{"iterations":0}} | error
+{"id":2,"sample":{"iterations":1,"warm":1}} | is not a request
LONG | error"#;

/// Returns the digest of the sum of these bytes, as the reference of workloads defines it.
fn digest(input: &[u8]) -> String {
    let sum: u64 = input.iter().map(|byte| u64::from(*byte)).sum();
    let digits: String = Sha256::digest(sum.to_le_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// An example that was built.
struct Built {
    kit: &'static Kit,
    folder: Folder,
}

impl Built {
    /// Copies, builds and measures it; `None` if the language is missing.
    fn new(kit: &'static Kit) -> Option<Self> {
        if Command::new(kit.tool).arg("--version").output().is_err() {
            parcrypt_testkit::skip("parlab", kit.language, &format!("`{}` is not installed", kit.tool));
            return None;
        }
        let words: Vec<String> = kit.command.iter().map(|word| format!("{word:?}")).collect();
        let folder = Folder::with(&format!(
            "schema = 2\ntitle = \"t\"\n[[case]]\nworkload = \"sum\"\nparams = {{ scale = 20 }}\nthreads = [1]\n\
             input = {{ bytes = 1048576 }}\n[[candidate]]\nname = \"mine\"\ncommand = [{}]\n",
            words.join(", ")
        ));
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../candidates/kits").join(kit.language);
        for name in process::names(&source) {
            fs::copy(source.join(&name), folder.path(&name)).unwrap();
        }
        let built = Built { kit, folder };
        built.build();
        built.folder.line("bench p.toml --rounds 1", 0);
        Some(built)
    }

    fn build(&self) {
        let (_, stderr) = ends(&mut shell(&self.path(""), self.kit.build), 0);
        assert_eq!(stderr, "");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    /// Returns the request to prepare the sum of the file `input`.
    fn prepare(&self, params: Value) -> String {
        let input = self.path("input");
        let prepare =
            json!({"protocol": 2, "workload": "sum", "params": params, "threads": 1, "input": input});
        format!("{}\n", json!({"id": 1, "prepare": prepare}))
    }

    /// Writes requests to it and waits for its end.
    fn talk(&self, requests: &str) -> Output {
        let mut command = Command::new(self.kit.command[0]);
        command.args(&self.kit.command[1..]).current_dir(self.path("")).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that refuses a request may have ended.
        let _ = child.stdin.take().unwrap().write_all(requests.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Returns the responses of a conversation that ends well.
    fn responses(&self, requests: &str) -> Vec<Value> {
        let (stdout, stderr) = ended(self.talk(requests), 0, self.kit.language);
        assert_eq!(stderr, "");
        process::lines(&stdout)
    }

    /// Gives the same digests as ours.
    fn sums(&self) {
        for scale in [0, 1, 6, 16] {
            // As in candidates/known-answers.
            let input: Vec<u8> = (0..1u64 << scale).map(|i| ((i * i) >> 3) as u8).collect();
            fs::write(self.path("input"), &input).unwrap();
            let requests = self.prepare(json!({"scale": scale, "more": "text"}))
                + r#"{"id":2,"sample":{"iterations":3}}
{"id":3,"digest":{}}
{"id":4,"describe":{"protocol":2}}
{"id":5,"check":{"protocol":2,"workload":"sum","params":{},"threads":1}}
{"id":6,"quit":{}}"#;
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
        let ready = self.prepare(json!({}));
        let long = format!("{{\"id\":1,\"quit\":{{}}{}}}", " ".repeat(1 << 20));
        let refused = |line: &&str| {
            let (wrong, part) = line.rsplit_once(" | ").unwrap();
            let (ready, request) = wrong.strip_prefix('+').map_or(("", wrong), |rest| (&*ready, rest));
            let request = request.replace("READY", ready).replace("LONG", &long);
            let output = self.talk(&format!("{ready}{request}\n"));
            let what = format!("{} {wrong}", self.kit.language);
            let (stdout, stderr) = ended(output, 2, &what);
            assert!(stderr.starts_with("error: ") && stderr.contains(part), "{what}: '{part}' in {stderr}");
            assert_eq!(stdout.lines().count(), usize::from(!ready.is_empty()), "{what}: {stdout}");
        };
        let all: Vec<&str> = REFUSED.lines().collect();
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
        let [from, unsupported, prints] = self.kit.other;
        let source = fs::read_to_string(self.path(self.kit.source)).unwrap();
        assert!(source.contains(from), "{source}");
        let change = |to: &str| {
            fs::write(self.path(self.kit.source), source.replace(from, to)).unwrap();
            self.build();
        };
        change(prints);
        let prepare = self.prepare(json!({}));
        let all =
            format!("{prepare}{}", "{\"id\":2,\"sample\":{\"iterations\":1}}\n{\"id\":3,\"quit\":{}}\n");
        let (stdout, stderr) = ended(self.talk(&all), 0, self.kit.language);
        assert_eq!(stderr, "noise\nnoise\n", "{}", self.kit.language);
        assert_eq!(process::lines(&stdout).len(), 2, "{}: {stdout}", self.kit.language);
        change(unsupported);
        let found = self.responses(&prepare.repeat(2));
        assert_eq!(found, vec![json!({"id": 1, "unsupported": "it has no \"wings\"\n\\"}); 2]);
    }
}

/// C's kit writes all memory before each sample, which is one iteration.
#[test]
fn c_has_cold_caches() {
    let Some(built) = Built::new(&C) else { return };
    let source = fs::read_to_string(built.path(C.source)).unwrap();
    let iterate = "static void iterate(void) {";
    assert!(source.contains(iterate), "{source}");
    // Each call finds the first byte of each line changed since the call before.
    let looks = format!(
        "{iterate}\n    static uint8_t calls = 0;\n    calls++;\n    for (size_t i = 0; i < parlab_evict; i += 64) {{\n        \
         if (parlab_evicting[i] != calls) {{\n            parlab_fail(\"line %zu is not written\", i);\n        }}\n    }}"
    );
    fs::write(built.path(C.source), source.replace(iterate, &looks)).unwrap();
    built.build();
    fs::write(built.path("input"), [7]).unwrap();
    let cold = built.prepare(json!({})).replace("\"protocol\"", "\"evict\":4096,\"protocol\"");
    let sample = |count: u32| format!("{{\"id\":2,\"sample\":{{\"iterations\":{count}}}}}\n");
    let found = built.responses(&format!("{cold}{}", sample(1).repeat(3)));
    assert_eq!((found.len(), &found[0]["ready"]["evict"]), (4, &json!(4096)), "{found:?}");
    for (requests, why) in [
        (format!("{cold}{}", sample(2)), "2 iterations: with `evict`"),
        (cold.replace("4096", "0"), "is not a request: `evict`"),
        (cold.replace("4096", "18446744073709551615"), "no memory for `evict`"),
    ] {
        let (_, stderr) = ended(built.talk(&requests), 2, why);
        assert!(stderr.contains(why), "{stderr}");
    }
}

fn check(kit: &'static Kit) {
    let Some(built) = Built::new(kit) else { return };
    built.sums();
    built.reads_json();
    built.refuses();
    built.does_other_things();
}

#[test]
fn c() {
    check(&C);
}

#[test]
fn julia() {
    check(&JULIA);
}

#[test]
fn python() {
    check(&PYTHON);
}
