//! The candidate as the lab uses it: whole conversations, and invalid requests.

#![allow(missing_docs, reason = "it is a test")]
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const BLOB: usize = 131_072;
const LIBRARIES: [&str; 2] = ["c-kzg", "rust-eth-kzg"];

fn talk(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_peers-kzg"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may end before it has read everything; then the pipe is broken, which is expected.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Returns the requests as lines, numbered from 1.
fn lines(requests: &[Value]) -> Vec<u8> {
    let line = |(i, request): (usize, &Value)| {
        let mut request = request.clone();
        request["id"] = json!(i + 1);
        format!("{request}\n").into_bytes()
    };
    requests.iter().enumerate().flat_map(line).collect()
}

fn responses(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn prepare(workload: &str, params: Value, threads: usize, input: &Path) -> Value {
    json!({ "prepare": { "protocol": 2, "workload": workload, "params": params, "threads": threads, "input": input } })
}

fn file(folder: &tempfile::TempDir, len: usize) -> PathBuf {
    let path = folder.path().join(len.to_string());
    std::fs::write(&path, (0..len).map(|i| ((i * i) >> 3) as u8).collect::<Vec<u8>>()).unwrap();
    path
}

/// Returns the response when the candidate was ready, its last sample and its digest.
fn measured(library: &str, prepare: Value) -> (Value, Value, String) {
    let requests = [
        prepare.clone(),
        json!({"sample":{"iterations":1}}),
        json!({"sample":{"iterations":2}}),
        json!({"digest":{}}),
        json!({"quit":{}}),
    ];
    let output = talk(&["--library", library], &lines(&requests));
    assert_eq!(output.status.code(), Some(0), "{prepare} {output:?}");
    let responses = responses(&output);
    assert_eq!(responses.len(), 4, "{responses:?}");
    let digest = responses[3]["digest"].as_str().unwrap().to_owned();
    assert!(digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64), "{digest}");
    (responses[0]["ready"].clone(), responses[2].clone(), digest)
}

#[test]
fn libraries_and_threads_give_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, 2 * BLOB);
    let mut digests = Vec::new();
    let cores = std::thread::available_parallelism().unwrap().get();
    for (library, threads) in [("c-kzg", 1), ("rust-eth-kzg", 1), ("rust-eth-kzg", 2)] {
        if threads > cores {
            println!("SKIP peers-kzg threads there is one processor");
            continue;
        }
        let (ready, sample, digest) =
            measured(library, prepare("kzg-commit", json!({"blobs": 2}), threads, &input));
        assert_eq!(ready["name"], library.replace("rust-eth-kzg", "rust_eth_kzg"));
        assert!(ready["version"].as_str().is_some_and(|version| version.contains('.')), "{ready}");
        assert_eq!(ready["threads"], threads);
        assert_eq!(ready["runtime"], if library == "c-kzg" { "serial" } else { "rayon" });
        assert!(sample["elapsed_ns"].as_u64().is_some_and(|ns| ns > 1_000_000), "{sample}");
        // The points of the trusted setup alone take more than a megabyte.
        assert!(sample["counts"]["peak-memory-bytes"].as_u64().is_some_and(|b| b > 1 << 20), "{sample}");
        digests.push(digest);
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{digests:?}");
}

#[test]
fn a_load_is_timed_and_can_commit() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, BLOB);
    let (_, _, expected) = measured("c-kzg", prepare("kzg-commit", json!({"blobs": 1}), 1, &input));
    for library in LIBRARIES {
        let (_, sample, digest) = measured(library, prepare("kzg-load", json!({"precompute": 2}), 1, &input));
        assert_eq!(digest, expected, "{library}");
        assert!(sample["elapsed_ns"].as_u64().is_some_and(|ns| ns > 10_000_000), "{sample}");
        assert!(sample["counts"]["peak-memory-bytes"].as_u64().is_some_and(|b| b > 1 << 20), "{sample}");
    }
}

#[test]
fn missing_functions_of_a_library_are_unsupported_and_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, BLOB);
    for (library, request, part) in [
        (
            "c-kzg",
            prepare("kzg-commit", json!({"blobs": 1}), 2, &input),
            "runs on 1 thread by policy, 2 were",
        ),
        ("c-kzg", prepare("kzg-load", json!({}), 7, &input), "runs on 1 thread by policy, 7 were"),
        ("rust-eth-kzg", prepare("kzg-commit", json!({"blobs": 1}), 5000, &input), "5000 were asked for"),
        ("rust-eth-kzg", prepare("kzg-recover-cells", json!({"blobs": 1}), 1, &input), "only together with"),
    ] {
        let output = talk(&["--library", library], &lines(&[request]));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let why = responses(&output)[0]["unsupported"].as_str().unwrap().to_owned();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn a_wrong_request_ends_it_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (one, missing) = (file(&folder, BLOB), folder.path().join("missing"));
    let with = |workload, params, threads, input: &Path| lines(&[prepare(workload, params, threads, input)]);
    let no_input = json!({"prepare":{"protocol":2,"workload":"kzg-commit","params":{"blobs":1},"threads":1}});
    for (input, part) in [
        (b"\n".to_vec(), "is not a request"),
        (b"hello\n".to_vec(), "`hello` is not a request: expected value"),
        (b"{\"id\":1,\"quit\":{}".to_vec(), "is not a request: EOF"),
        (b"[]\n".to_vec(), "is not a request"),
        (b"{\"id\":1,\"stop\":{}}\n".to_vec(), "unknown field `stop`"),
        (b"{\"quit\":{}}\n".to_vec(), "this program speaks protocol 2"),
        (b"{\"quit\":\"\xff\"}\n".to_vec(), "not UTF-8"),
        (vec![b'x'; 3 << 20], "a line of over 1048576 bytes"),
        (lines(&[json!({"sample":{"iterations":1}})]), "`sample` came before a successful `prepare`"),
        (lines(&[json!({"digest":{}})]), "`digest` came before a successful `prepare`"),
        (lines(&[json!({"sample":{"iterations":0}})]), "0 iterations"),
        (lines(&[json!({"sample":{"iterations":-1}})]), "is not a request"),
        (lines(&[no_input]), "`kzg-commit` needs an input file, and none was named"),
        (with("sum", json!({}), 1, &one), "unknown workload `sum`: it can be kzg-commit, kzg-blob-proof"),
        (with("kzg-commit", json!({}), 1, &one), "`kzg-commit` needs the parameter `blobs`"),
        (
            with("kzg-commit", json!({"blobs": 0}), 1, &one),
            "`blobs` is 0: it must be a number from 1 to 4096",
        ),
        (with("kzg-commit", json!({"blobs": 4097}), 1, &one), "`blobs` is 4097"),
        (with("kzg-commit", json!({"blobs": "1"}), 1, &one), "`blobs` is \"1\""),
        (with("kzg-commit", json!({"blobs": 1.5}), 1, &one), "prepare.params.blobs: a parameter is"),
        (
            with("kzg-commit", json!({"blobs": 1, "scale": 2}), 1, &one),
            "no parameter `scale`: it has `blobs`",
        ),
        (
            with("kzg-load", json!({"blobs": 1}), 1, &one),
            "`kzg-load` has no parameter `blobs`: it has `precom",
        ),
        (with("kzg-load", json!({"precompute": 16}), 1, &one), "must be a number from 0 to 15"),
        (with("kzg-commit", json!({"blobs": 1}), 0, &one), "0 threads"),
        (
            with("kzg-commit", json!({"blobs": 2}), 1, &one),
            "it has 131072 bytes, but the parameters say 262144",
        ),
        (with("kzg-commit", json!({"blobs": 1}), 1, &missing), "missing: No such file"),
        (with("kzg-commit", json!({"blobs": 1}), 1, folder.path()), "it is no regular file"),
        (with("kzg-commit", json!({"blobs": 1}), 1, Path::new("/dev/zero")), "it is no regular file"),
    ] {
        for library in LIBRARIES {
            let output = talk(&["--library", library], &input);
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(
                stderr.starts_with("error: ") && stderr.contains(part),
                "expected '{part}' in '{stderr}'"
            );
        }
    }
}

#[test]
fn early_and_repeated_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ready = prepare("kzg-load", json!({}), 1, &file(&folder, BLOB));
    for (second, part) in [
        (json!({"digest":{}}), "`digest` came before the first `sample`"),
        (ready.clone(), "`prepare` came a second time"),
    ] {
        let output = talk(&["--library", "c-kzg"], &lines(&[ready.clone(), second]));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn arguments() {
    for (arguments, part) in [
        (&[][..], "usage: peers-kzg --library"),
        (&["--library"], "usage: peers-kzg --library"),
        (
            &["--library", "constantine"],
            "unknown library `constantine`: it can be c-kzg, rust-eth-kzg, blst or arkworks",
        ),
        (&["--library", "c-kzg", "load", "x", "1"], "the width of windows"),
        (&["--library", "c-kzg", "load", "0", "1"], "0 bytes"),
    ] {
        let output = talk(arguments, b"");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.to_lowercase().contains(part) || stderr.contains("Expected 131072 got 0"), "{stderr}");
    }
    let output = talk(&["--help"], b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("precompute"));
    // The end of input is not an error.
    let output = talk(&["--library", "c-kzg"], b"");
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
}
