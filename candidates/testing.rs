//! Conversations with a candidate, for the tests of peers-crypto and peers-kzg, which name it in `PROGRAM`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::PROGRAM;

/// Runs the candidate with this standard input.
pub(crate) fn talk(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(PROGRAM);
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

/// Returns a request.
pub(crate) fn prepare(workload: &str, params: Value, threads: usize, input: &Path) -> Value {
    json!({ "prepare": { "protocol": 2, "workload": workload, "params": params, "threads": threads, "input": input } })
}

/// Returns a file of some bytes.
pub(crate) fn file(folder: &tempfile::TempDir, len: usize) -> PathBuf {
    let path = folder.path().join(len.to_string());
    std::fs::write(&path, (0..len).map(|i| ((i * i) >> 3) as u8).collect::<Vec<u8>>()).unwrap();
    path
}

/// Returns the response when the candidate was ready, its last sample and its digest; or why the work is unsupported.
pub(crate) fn measured(library: &str, prepare: Value) -> Result<(Value, Value, String), String> {
    let sample = |iterations: u64| json!({"sample":{"iterations":iterations}});
    let requests = [prepare.clone(), sample(1), sample(2), json!({"digest":{}}), json!({"quit":{}})];
    let output = talk(&["--library", library], &lines(&requests));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let mut responses: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    if let Some(why) = responses[0]["unsupported"].as_str() {
        return Err(why.to_owned());
    }
    assert_eq!(output.status.code(), Some(0), "{prepare} {output:?}");
    assert_eq!(responses.len(), 4, "{responses:?}");
    let digest = responses[3]["digest"].as_str().unwrap().to_owned();
    assert!(digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64), "{digest}");
    let sample = responses.swap_remove(2);
    assert!(sample["counts"]["peak-memory-bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20), "{sample}");
    Ok((responses[0]["ready"].clone(), sample, digest))
}

/// Checks that a request ends the candidate, with this part of a message.
pub(crate) fn check_refused(library: &str, request: Value, part: &str) {
    check_invalid(&["--library", library], &lines(&[request]), part);
}

/// Checks that the candidate ends with an error, with this part of a message.
pub(crate) fn check_invalid(arguments: &[&str], input: &[u8], part: &str) {
    let output = talk(arguments, input);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("error: ") && stderr.contains(part), "expected '{part}' in '{stderr}'");
}

/// Checks the help, which has this word, and that the end of input is not an error.
pub(crate) fn check_ends(library: &str, word: &str) {
    let output = talk(&["--help"], b"");
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains(word), "{output:?}");
    let output = talk(&["--library", library], b"");
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
}
