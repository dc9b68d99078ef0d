//! Batches: the same keys as one by one, in order, with errors in the lines' places.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::process::{WorkDir, ends, lines};

/// Returns the key of one password by the command without a batch.
fn alone(dir: &WorkDir, password: &str, salt: &str, cost: &str) -> String {
    dir.write("alone", password.as_bytes());
    dir.ends(&format!("--password-file alone --exact --salt {salt} {cost}"), 0).0.trim_end().to_owned()
}

#[test]
fn keys_are_in_order_with_errors_in_their_places() {
    let dir = WorkDir::scrypt();
    let batch = [
        r#"{"id":"a","password":"one","salt":"s1"}"#,
        r#"{"id":2,"password-hex":"74776f","salt-hex":"7332","log-n":6}"#,
        "",
        r#"{"password":"three","salt":"s3","r":2,"p":3,"length":16}"#,
        "junk",
        r#"{"id":"no salt","password":"hunter2"}"#,
        r#"{"id":-7,"password":"four","salt":"s4"}"#,
        r#"{"id":"big","password":"hunter2","salt":"s","log-n":40}"#,
        r#"{"id":"rfc","password":"hunter2","salt":"s","r":1,"log-n":16}"#,
        r#"{"id":"€ \"","password":"five","salt":"s5","log-n":6}"#,
    ];
    // Lines may have any line end.
    dir.write("batch", (batch[..5].join("\n") + "\r\n" + &batch[5..].join("\n")).as_bytes());
    let (stdout, stderr) = dir.ends("--batch batch --log-n 5 --length 32 --memory 64MiB", 2);
    let common = "--length 32";
    let key = |password, salt, cost: &str| alone(&dir, password, salt, cost);
    let big = "`log-n`: N = 2^40, r = 8 needs 1 PiB of memory for one lane, and 64 MiB are allowed by --memory: lower N; it \
               is more than is available";
    let rfc = "`log-n`: N = 65536 with r = 1: RFC 7914 requires N below 2^(16 r); --allow-n-beyond-rfc lifts this limit";
    let expected = [
        json!({"id": "a", "key": key("one", "s1", &format!("--log-n 5 {common}"))}),
        json!({"id": 2, "key": key("two", "s2", &format!("--log-n 6 {common}"))}),
        json!({"key": key("three", "s3", "--log-n 5 -r 2 -p 3 --length 16")}),
        json!({"line": 5, "error": "it is not a JSON object: its syntax is wrong at column 1"}),
        json!({"id": "no salt", "line": 6, "field": "salt", "error": "it has neither `salt` nor `salt-hex`"}),
        json!({"id": -7, "key": key("four", "s4", &format!("--log-n 5 {common}"))}),
        json!({"id": "big", "line": 8, "field": "log-n", "error": big}),
        json!({"id": "rfc", "line": 9, "field": "log-n", "error": rfc}),
        json!({"id": "€ \"", "key": key("five", "s5", &format!("--log-n 6 {common}"))}),
    ];
    assert_eq!(lines(&stdout), expected);
    let errors: Vec<&str> = stderr.lines().collect();
    assert_eq!(errors[0], "error: batch: line 5: it is not a JSON object: its syntax is wrong at column 1");
    assert_eq!(errors[2], format!("error: batch: line 8: {big}"));
    assert!(errors[4].starts_with("9 lines: 5 keys, 4 failed, in ") && errors.len() == 5, "{stderr}");
    assert!(!stderr.contains("hunter2") && !stdout.contains("hunter2"));

    // The first error ends the batch, and the results before it are written.
    let (stdout, stderr) = dir.ends("--batch batch --log-n 5 --length 32 --fail-fast", 2);
    assert_eq!(lines(&stdout), expected[..4]);
    assert_eq!(stderr.lines().count(), 1);
    // A file gets everything, or nothing.
    let (stdout, _) = dir.ends("--batch batch --log-n 5 --length 32 --fail-fast -o keys", 2);
    assert!(stdout.is_empty() && !dir.path("keys").exists());
    dir.ends("--batch batch --log-n 5 --length 32 --memory 64MiB -o keys", 2);
    assert_eq!(lines(&dir.text("keys")), expected);
    assert_eq!(fs::metadata(dir.path("keys")).unwrap().permissions().mode() & 0o777, 0o600);
    dir.ends("--batch batch --log-n 5 -o keys", 2);
    assert_eq!(dir.names(""), ["alone", "batch", "keys"], "nothing temporary is left");
}

#[test]
fn many_lines_are_the_same_in_every_way() {
    let dir = WorkDir::scrypt();
    let mut batch = String::new();
    for i in 0..500 {
        // Three kinds of parameters, mixed.
        let extra = ["", ",\"log-n\":3", ",\"p\":2"][i % 3];
        batch += &format!("{{\"id\":{i},\"password\":\"pw{i}\",\"salt\":\"s{}\"{extra}}}\n", i % 7);
    }
    dir.write("batch", batch.as_bytes());
    let (first, stderr) = dir.ends("--batch batch --log-n 4 -r 2", 0);
    assert_eq!(stderr, "");
    let all = lines(&first);
    assert!(all.len() == 500 && all.iter().enumerate().all(|(i, line)| line["id"] == i));
    for i in [0, 1, 2, 250, 499] {
        let extra = ["--log-n 4", "--log-n 3", "--log-n 4 -p 2"][i % 3];
        let key = alone(&dir, &format!("pw{i}"), &format!("s{}", i % 7), &format!("-r 2 {extra}"));
        assert_eq!(all[i]["key"], key, "{i}");
    }
    for way in ["--threads 1", "--threads 3 --runtime rayon", "--memory 16KiB", "--backend portable"] {
        assert!(dir.ends(&format!("--batch batch --log-n 4 -r 2 {way}"), 0).0 == first, "{way}");
    }
    let file = fs::File::open(dir.path("batch")).unwrap();
    assert!(ends(dir.command("--batch - --log-n 4 -r 2").stdin(file), 0).0 == first);
    let (base64, _) = dir.ends("--batch batch --log-n 4 -r 2 --output base64 --length 3", 0);
    assert_eq!(lines(&base64)[0]["key"].as_str().unwrap().len(), 4);
    dir.write("batch", b"\n \n");
    assert_eq!(dir.ends("--batch batch", 0), (String::new(), String::new()));
}

/// Checks that a program can wait for each answer before it sends its next request.
#[test]
fn a_line_is_answered_before_the_next_comes() {
    let dir = WorkDir::scrypt();
    let mut child = dir
        .process("--batch - --log-n 4")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for i in 0..5 {
        writeln!(stdin, "{{\"id\":{i},\"password\":\"p\",\"salt\":\"s\"}}").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["id"], i);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn long_lines_and_empty_values() {
    let dir = WorkDir::scrypt();
    let long = format!("{{\"password\":\"{}\",\"salt\":\"s\"}}", "x".repeat(1 << 20));
    let longer = format!("{{\"password\":\"{}\",\"salt\":\"s\"}}", "x".repeat((1 << 20) + 1));
    let too_long = format!("{{\"password\":\"{}\",\"salt\":\"s\"}}", "x".repeat(5 << 20));
    let rest = "{\"password\":\"\",\"salt\":\"s\"}\n{\"password\":\"p\",\"salt\":\"\"}\n\u{0}\n{\"password\":\"p\",\"salt\":\"s\"}";
    dir.write("batch", [&long, &longer, &too_long, rest].map(|line| format!("{line}\n")).concat().as_bytes());
    let all = lines(&dir.ends("--batch batch --log-n 1", 2).0);
    assert!(all[0]["key"].is_string() && all[6]["key"].is_string() && all.len() == 7, "{all:?}");
    for (i, field, why) in [
        (1, Some("password"), "`password` is longer than 1048576 bytes"),
        (2, None, "it is longer than 4 MiB"),
        (3, Some("password"), "`password` is empty (use --allow-empty to allow it)"),
        (4, Some("salt"), "`salt` is empty (use --allow-empty to allow it)"),
        (5, None, "it is not a JSON object: its syntax is wrong at column 1"),
    ] {
        let expected = match field {
            Some(field) => json!({"line": i + 1, "field": field, "error": why}),
            None => json!({"line": i + 1, "error": why}),
        };
        assert_eq!(all[i], expected);
    }
    let all = lines(&dir.ends("--batch batch --log-n 1 --allow-empty", 2).0);
    assert!(all[3]["key"].is_string() && all[4]["key"].is_string());
    // Bytes that are not UTF-8 are not JSON.
    dir.write("batch", b"{\"password\":\"\xff\",\"salt\":\"s\"}");
    let all = lines(&dir.ends("--batch batch --log-n 1", 2).0);
    assert_eq!(all[0]["error"], "it is not a JSON object: its syntax is wrong in `password` at column 14");
}
