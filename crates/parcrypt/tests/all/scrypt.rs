//! `parcrypt scrypt` as a user runs it: correct keys from every source, in every form, and batches.

mod batch;
mod limits;
mod records;
mod terminal;
mod wrong;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::process::{PARCRYPT, WorkDir, bytes, ends};

impl WorkDir {
    /// Returns a folder in which `parcrypt scrypt` is run without a terminal: in a session of its own.
    fn scrypt() -> Self {
        WorkDir::starting(&["setsid", "--wait", PARCRYPT, "scrypt"])
    }

    /// Returns the command as a process of its own, to which signals can be sent.
    fn process(&self, words: &str) -> Command {
        self.with(&[PARCRYPT, "scrypt"], words)
    }
}

/// RFC 7914, section 12, except the vector that needs a gibibyte: password, salt, log-n, r, p, key.
const RFC: [(&str, &str, u32, u32, u32, &str); 3] = [
    (
        "",
        "",
        4,
        1,
        1,
        "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
    ),
    (
        "password",
        "NaCl",
        10,
        8,
        16,
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
    ),
    (
        "pleaseletmein",
        "SodiumChloride",
        14,
        8,
        1,
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
    ),
];

#[test]
fn every_way_gives_the_vectors_of_the_rfc() {
    let dir = WorkDir::scrypt();
    for (password, salt, log_n, r, p, key) in RFC {
        dir.write("password", password.as_bytes());
        dir.write("salt", salt.as_bytes());
        let n = 1u64 << log_n;
        for cost in [format!("--log-n {log_n} -r {r} -p {p}"), format!("--n {n} -r{r} -p{p} --length 64")] {
            for way in [
                "",
                "--threads 1",
                "--runtime serial",
                "--threads 2",
                "--threads 3 --memory 16MiB",
                "--backend portable",
            ] {
                let words = format!("--password-file password --salt-file salt --allow-empty {cost} {way}");
                let (stdout, stderr) = dir.ends(&words, 0);
                assert_eq!((&stdout[..], &stderr[..]), (&format!("{key}\n")[..], ""), "{words}");
            }
        }
    }
}

#[test]
fn every_source_of_a_password_gives_the_same_key() {
    let dir = WorkDir::scrypt();
    let salt = "--salt-hex 0x4e61436C --log-n 10 -p 16";
    let key = format!("{}\n", RFC[1].5);
    for (text, flags) in
        [(&b"password"[..], ""), (b"password\n", ""), (b"password\r\n", ""), (b"password", "--exact")]
    {
        dir.write("password", text);
        let file = || fs::File::open(dir.path("password")).unwrap();
        for source in
            ["--password-file password", "--password-file /dev/stdin", "--password-file -", "--password-fd 0"]
        {
            let words = format!("{source} {salt} {flags}");
            assert_eq!(ends(dir.command(&words).stdin(file()), 0).0, key, "{words}");
        }
    }
    // A pipe, in a descriptor that a shell has opened.
    let shell = |script: &str| dir.shell(script);
    assert_eq!(shell(&format!("printf password | parcrypt scrypt {salt} --password-fd 5 5<&0")), key);
    assert_eq!(
        shell(&format!("mkfifo pipe; printf password > pipe & parcrypt scrypt {salt} --password-file pipe")),
        key
    );
    // The rest of a file of which a part was read already.
    dir.write("both", b"username\npassword\n");
    let script = "exec 3< both; dd bs=9 count=1 <&3 > first 2> log; parcrypt scrypt";
    assert_eq!(
        shell(&format!("{script} {salt} --password-fd 3; parcrypt scrypt {salt} --password-fd 3")),
        key.repeat(2)
    );
    // One line end is removed, and with --exact none.
    dir.write("password", b"password\n\n");
    assert_ne!(dir.ends(&format!("--password-file password {salt}"), 0).0, key);
    dir.write("password", b"password\n");
    let exact = dir.ends(&format!("--password-file password --exact {salt}"), 0).0;
    assert_ne!(exact, key);
    // A password need not be text.
    dir.write("password", b"\xff\x00\xfe\n");
    dir.ends(&format!("--password-file password {salt}"), 0);
}

#[test]
fn forms_and_files() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"pleaseletmein");
    let words = "--password-file password --salt SodiumChloride --log-n 14";
    let key = bytes(RFC[2].5);
    let file = |name: &str| dir.path(name);

    let (base64, _) = dir.ends(&format!("{words} --output base64"), 0);
    assert_eq!(base64, "cCO9yzr9c0hGHAbNgf04".to_owned() + &base64[20..], "{base64}");
    assert_eq!((base64.len(), base64.ends_with("==\n") || base64.ends_with("=\n")), (89, true));
    let raw = dir.command(&format!("{words} --output raw")).output().unwrap().stdout;
    assert!(raw == key);

    // A key in a file is readable only for its owner, whatever the umask.
    assert_eq!(dir.shell(&format!("umask 000; parcrypt scrypt {words} --output raw -o key")), "");
    assert!(fs::read(file("key")).unwrap() == key);
    assert_eq!(fs::metadata(file("key")).unwrap().permissions().mode() & 0o777, 0o600);
    let (_, stderr) = dir.ends(&format!("{words} -o key"), 2);
    assert_eq!(stderr, "error: -o key: already exists (use --force to overwrite)\n");
    assert!(fs::read(file("key")).unwrap() == key, "it is as it was");
    dir.ends(&format!("{words} -o key --force"), 0);
    assert_eq!(dir.text("key"), format!("{}\n", RFC[2].5));
    dir.ends(&format!("{words} -o base64 --output base64"), 0);
    assert_eq!(dir.text("base64"), base64);
    assert_eq!(dir.names(""), ["base64", "key", "password"], "nothing temporary is left");

    // Keys of all lengths; a short key is the beginning of a long one.
    for length in [1, 31, 32, 33, 64] {
        let (short, _) = dir.ends(&format!("{words} --length {length}"), 0);
        assert_eq!(short.trim_end(), &RFC[2].5[..2 * length]);
    }
    let (long, _) = dir.ends("--password-file password --salt x --log-n 1 --length 1048576", 0);
    assert_eq!(long.len(), 2 * 1048576 + 1);

    // Verification.
    for (name, form) in [("key", "hex"), ("base64", "base64"), ("raw", "raw")] {
        if name == "raw" {
            dir.write("raw", &key);
        }
        let verify = format!("--verify {name} --output {form}");
        assert_eq!(dir.ends(&format!("{words} {verify}"), 0).0, "the key matches\n");
        dir.write("wrong", b"pleaseletmeinn");
        let wrong = words.replace("password-file password", "password-file wrong");
        assert_eq!(dir.ends(&format!("{wrong} {verify}"), 1).0, "the key DOES NOT MATCH\n");
    }
    // The length of the key in the file, unless another is given.
    dir.write("short", format!(" 0x{} \n", &RFC[2].5[..32]).as_bytes());
    dir.ends(&format!("{words} --verify short"), 0);
    let (_, stderr) = dir.ends(&format!("{words} --verify short --length 64"), 2);
    assert_eq!(stderr, "error: --verify: the file has a key of 16 bytes, but --length is 64\n");
}

#[test]
fn json_has_all_parameters_to_keep() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    let (text, _) = dir
        .ends("--password-file password --salt NaCl --log-n 10 -p 16 --json --threads 2 --runtime rayon", 0);
    assert_eq!(text.lines().count(), 1);
    let value: Value = serde_json::from_str(&text).unwrap();
    for (name, expected) in [("n", 1024), ("log-n", 10), ("r", 8), ("p", 16), ("length", 64)] {
        assert_eq!(value[name], expected, "{text}");
    }
    assert_eq!((&value["salt-hex"], &value["key"]), (&"4e61436c".into(), &RFC[1].5.into()));
    assert_eq!(value["runtime"], "rayon");
    assert!(
        value["seconds"].as_f64().unwrap() > 0.0 && value["memory-bytes"].as_u64().unwrap() >= 1 << 20,
        "{text}"
    );
    assert!(value["lanes"].as_u64().unwrap() >= 1 && value["threads"].as_u64().unwrap() >= 1, "{text}");
    let (_, stderr) =
        dir.ends("--password-file password --salt NaCl --log-n 4 --json --output base64 -o key", 0);
    assert_eq!(stderr, "");
    let value: Value = serde_json::from_slice(&fs::read(dir.path("key")).unwrap()).unwrap();
    assert_eq!(value["key"].as_str().unwrap().len(), 88);
}

/// Checks that the parameters printed by `--time` give the same key; its choice depends on the machine and its load.
#[test]
fn parameters_chosen_by_time_give_the_same_key() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    let (key, stderr) = dir.ends("--password-file password --salt-random 16 --time 1h --memory 4MiB -p 2", 0);
    let lines: Vec<&str> = stderr.lines().collect();
    let [chosen, note, salt] = lines[..] else { panic!("{stderr}") };
    assert!(chosen.starts_with("chosen: --log-n 12 -r 8 -p 2   (N = 4096, about "), "{stderr}");
    assert!(
        note.starts_with("note: N is limited by memory (4 MiB are allowed by --memory), not by the time; "),
        "{stderr}"
    );
    // With r = 1, N is below 2^16 by the RFC, whatever the memory and time.
    let (_, stderr) = dir.ends("--password-file password --salt x --time 1h --memory 64MiB -r 1", 0);
    assert!(stderr.starts_with("chosen: --log-n 15 -r 1 -p 1   (N = 32768, about "), "{stderr}");
    assert!(
        stderr.contains("\nnote: N is limited by RFC 7914 (N < 2^(16·r)), not by the time; "),
        "{stderr}"
    );
    let parameters = chosen.strip_prefix("chosen: ").unwrap().split_once("   ").unwrap().0;
    let salt = salt.strip_prefix("new salt: ").unwrap();
    assert_eq!(salt.len(), "--salt-hex ".len() + 32);
    assert_eq!(dir.ends(&format!("--password-file password {parameters} {salt}"), 0).0, key);
    // A different salt each time.
    let random = "--password-file password --salt-random 8 --log-n 1";
    assert_ne!(dir.ends(random, 0), dir.ends(random, 0));

    // On a busy machine the smallest N may take longer than the first of these times.
    let timed =
        |time| dir.command(&format!("--password-file password --salt x --time {time} --json")).output();
    let outputs = ["60ms", "1s", "1m"].into_iter().map(|time| timed(time).unwrap());
    let output = outputs.into_iter().find(|output| output.status.success()).unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let again = format!("--password-file password --salt x --log-n {}", value["log-n"]);
    assert_eq!(dir.ends(&again, 0).0.trim_end(), value["key"]);
}

/// Runs the examples of the help in a shell, to check that each works as it is written.
#[test]
fn the_examples_of_the_help_run() {
    let dir = WorkDir::scrypt();
    let (help, _) = dir.ends("--help", 0);
    let text = help.split_once("\nExamples").unwrap().1;
    let lines: Vec<&str> = text.lines().skip(1).take_while(|line| line.starts_with("  ")).collect();
    assert_eq!(lines.len(), 11);
    // The text after four spaces is an explanation.
    let script: Vec<&str> = lines.iter().map(|line| line.trim().split("    ").next().unwrap()).collect();
    let output = dir.shell(&script.join("\n"));
    assert!(output.contains("the key matches\nthe key matches\n{\"n\":16384,"), "{output}");
    assert!(output.ends_with("\"}\n") && output.contains("{\"id\":1,\"key\":\""), "{output}");
}

/// Runs the examples of the document, and compares their output with the output shown.
#[test]
fn the_examples_of_the_document_run() {
    let dir = WorkDir::scrypt();
    let document = include_str!("../../../../docs/guides/passwords.md");
    let mut shown = 0;
    for block in document.split("```sh\n").skip(1) {
        let (script, rest) = block.split_once("```").unwrap();
        let output = dir.shell(script);
        if let Some(expected) = rest.strip_prefix("\n\n```text\n") {
            assert_eq!(output, expected.split_once("```").unwrap().0, "{script}");
            shown += 1;
        }
    }
    assert!(shown >= 3, "{shown}");
}
