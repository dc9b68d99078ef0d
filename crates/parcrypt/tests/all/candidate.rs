//! The candidate command as the lab uses it: conversations, digests, and invalid requests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::process::{ends, ends_without_reader, parcrypt};

/// Returns a candidate with these arguments, in an environment that forces no backend.
fn candidate(arguments: &[&str]) -> Command {
    parcrypt(&[&["candidate"], arguments].concat())
}

fn talk(command: &mut Command, input: &[u8]) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the candidate starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // It may end before it has read everything; then the pipe is broken, which is expected.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("the candidate ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    output
}

fn lines(requests: &[Value]) -> Vec<u8> {
    let line = |(i, request): (usize, &Value)| {
        let mut request = request.clone();
        request["id"] = json!(i + 1);
        format!("{request}\n").into_bytes()
    };
    requests.iter().enumerate().flat_map(line).collect()
}

/// Returns the responses, which repeat the numbers of the requests.
fn responses(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    let responses: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(responses.iter().enumerate().all(|(i, response)| response["id"] == i + 1), "{text}");
    responses
}

fn prepare(workload: &str, params: Value, threads: usize, input: Option<&Path>) -> Value {
    json!({ "prepare": { "protocol": 2, "workload": workload, "params": params, "threads": threads, "input": input } })
}

/// Runs a conversation that must succeed. Returns the response when it was ready, and its digest.
fn measured(arguments: &[&str], prepare: &Value) -> (Value, String) {
    let requests =
        [prepare.clone(), json!({"sample":{"iterations":2}}), json!({"digest":{}}), json!({"quit":{}})];
    let output = talk(&mut candidate(arguments), &lines(&requests));
    let responses = responses(&output);
    assert_eq!(output.status.code(), Some(0), "{arguments:?} {prepare} {output:?}");
    assert_eq!(responses.len(), 3, "{responses:?}");
    assert!(responses[1]["elapsed_ns"].as_u64().is_some_and(|ns| ns > 0), "{responses:?}");
    let digest = responses[2]["digest"].as_str().expect("a digest").to_owned();
    assert!(digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64), "{digest}");
    (responses[0]["ready"].clone(), digest)
}

/// Runs a conversation that the candidate must end with an error. Returns its standard error.
fn refused(command: &mut Command, input: &[u8]) -> String {
    let output = talk(command, input);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("error: ") && stderr.lines().count() == 1, "{stderr}");
    stderr
}

fn file(folder: &tempfile::TempDir, len: usize) -> std::path::PathBuf {
    let path = folder.path().join(len.to_string());
    let blocks = (0..len.div_ceil(32) as u64).flat_map(|i| Sha256::digest(i.to_be_bytes()));
    std::fs::write(&path, blocks.take(len).collect::<Vec<u8>>()).expect("the file is written");
    path
}

fn has_openmp() -> bool {
    let there = parcrypt_runtime::OpenMp::library();
    if let Err(why) = &there {
        parcrypt_testkit::skip("parcrypt", "openmp", &why.to_string());
    }
    there.is_ok()
}

#[test]
fn every_runtime_and_backend_gives_the_documented_bytes() {
    let openmp = has_openmp();
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, 1 << 10);
    let bytes = std::fs::read(&input).unwrap();
    let sum: u64 = bytes.iter().map(|b| u64::from(*b)).sum();
    let words = bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let xor = words.fold(0, |a, b| a ^ b);
    for (workload, word) in [("sum", sum), ("read", xor)] {
        let hex: String = Sha256::digest(word.to_le_bytes()).iter().map(|b| format!("{b:02x}")).collect();
        let check = |runtime: &str, threads: usize, backend: Option<&str>| {
            let mut arguments = vec!["--runtime", runtime];
            arguments.extend(backend.iter().flat_map(|backend| ["--backend", backend]));
            let request = prepare(workload, json!({"scale": 10}), threads, Some(&input));
            let (ready, digest) = measured(&arguments, &request);
            assert_eq!(digest, format!("sha256:{hex}"), "{arguments:?} {threads}");
            assert_eq!(
                (&ready["name"], &ready["version"]),
                (&json!("parcrypt"), &json!(env!("CARGO_PKG_VERSION")))
            );
            assert_eq!((&ready["runtime"], &ready["threads"]), (&json!(runtime), &json!(threads)));
            assert!(backend.is_none_or(|backend| ready["backend"] == backend), "{ready}");
        };
        check("serial", 1, None);
        for runtime in ["rayon", "openmp"].into_iter().filter(|runtime| *runtime == "rayon" || openmp) {
            (1..=3).for_each(|threads| check(runtime, threads, None));
        }
        for backend in parcrypt_testkit::backends("parcrypt", &parcrypt_sum::Sum::backends()) {
            check("rayon", 2, Some(backend.name()));
        }
    }
}

#[test]
fn kzg_reports_its_peak_memory() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, 131_072);
    let peak = |workload: &str, params: Value| {
        let requests = [prepare(workload, params, 1, Some(&input)), json!({"sample":{"iterations":1}})];
        let output = talk(&mut candidate(&["--runtime", "serial"]), &lines(&requests));
        let responses = responses(&output);
        responses[1]["counts"]["peak-memory-bytes"].as_u64().unwrap_or_else(|| panic!("{output:?}"))
    };
    // The points alone take more than a megabyte, and tables more than the points.
    let without = peak("kzg-load", json!({}));
    assert!(without > 1 << 20, "{without}");
    let with = peak("kzg-load", json!({"tables-mib": 16}));
    assert!(with > without + (4 << 20), "{with} and {without}");
    assert!(peak("kzg-cells", json!({"blobs": 1})) > 1 << 20);
}

#[test]
fn a_candidate_is_prepared_once() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, 4);
    let sum = |threads| prepare("sum", json!({"scale": 2}), threads, Some(&input));
    // A failed preparation may be repeated. Without `quit` the end of standard input ends the candidate.
    let requests = [sum(2), sum(1), json!({"sample":{"iterations":1}}), json!({"digest":{}})];
    let output = talk(&mut candidate(&["--runtime", "serial"]), &lines(&requests));
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    let responses = responses(&output);
    assert_eq!(responses.len(), 4);
    assert!(responses[0]["unsupported"].is_string() && responses[1]["ready"].is_object());
    let error = refused(&mut candidate(&["--runtime", "serial"]), &lines(&[sum(1), sum(1)]));
    assert!(error.contains("`prepare` came a second time"), "{error}");
}

#[test]
fn unavailable_work_is_unsupported_and_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, 4);
    let sum = |threads| prepare("sum", json!({"scale": 2}), threads, Some(&input));
    let unsupported = |command: &mut Command, request: Value| {
        let output = talk(command, &lines(&[request]));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let responses = responses(&output);
        assert_eq!(responses.len(), 1, "{output:?}");
        responses[0]["unsupported"].as_str().expect("a reason").to_owned()
    };
    let elsewhere = if cfg!(target_arch = "riscv64") { "avx2" } else { "rvv" };
    let why = unsupported(&mut candidate(&["--runtime", "serial", "--backend", elsewhere]), sum(1));
    assert!(why.contains(elsewhere), "{why}");
    let why = unsupported(&mut candidate(&["--runtime", "serial"]), sum(2));
    assert_eq!(why, "runtime `serial` runs on 1 thread, 2 were asked for");
    let why = unsupported(candidate(&["--runtime", "rayon"]).env("PARCRYPT_BACKEND", elsewhere), sum(2));
    assert!(why.contains(elsewhere), "{why}");
    let forced = &mut candidate(&["--runtime", "rayon", "--backend", "avx2"]);
    let why = unsupported(forced.env("PARCRYPT_BACKEND", "portable"), sum(2));
    assert!(why.contains("`avx2` was requested, but PARCRYPT_BACKEND forces `portable`"), "{why}");
    // The transforms have one backend; there is no fallback for another.
    let fft = prepare("fft-fr", json!({"scale": 0}), 1, None);
    let why = unsupported(&mut candidate(&["--runtime", "serial", "--backend", "ifma"]), fft);
    assert!(why.contains("no backend 'ifma'"), "{why}");
    if parcrypt_machine::memory_available().is_some_and(|bytes| bytes < 1 << 40) {
        // The input is not opened.
        let request = prepare("sum", json!({"scale": 40}), 1, None);
        let why = unsupported(&mut candidate(&["--runtime", "serial"]), request);
        assert!(why.starts_with("scale 40 of sum needs 1 TiB, and "), "{why}");
        assert!(why.contains("the largest scale that fits is "), "{why}");
    }
    if parcrypt_runtime::OpenMp::library().is_err() {
        let why = unsupported(&mut candidate(&["--runtime", "openmp"]), sum(1));
        assert!(why.contains("openmp"), "{why}");
    }
}

#[test]
fn the_environment_forces_a_backend() {
    let folder = tempfile::tempdir().unwrap();
    let request = lines(&[prepare("sum", json!({"scale": 2}), 1, Some(&file(&folder, 4)))]);
    let serial = || candidate(&["--runtime", "serial"]);
    let output = talk(serial().env("PARCRYPT_BACKEND", "portable"), &request);
    assert_eq!(responses(&output)[0]["ready"]["backend"], "portable");
    let error = refused(serial().env("PARCRYPT_BACKEND", "AVX2"), &request);
    assert!(error.contains("unknown backend 'AVX2'"), "{error}");
}

/// Checks the errors that this program adds to those of the protocol and of parameters, which unit tests check.
#[test]
fn wrong_requests_end_the_conversation_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let four = file(&folder, 4);
    let missing = folder.path().join("missing");
    let rayon = |request: &[u8]| refused(&mut candidate(&["--runtime", "rayon"]), request);
    for (scale, threads, input, part) in [
        (41, 1, Some(&*four), "is 41: it must be a number from 0 to 40"),
        (2, 1025, Some(&four), "1025 threads: it must be a number from 1 to"),
        (2, 1, None, "needs an input file of 4 bytes"),
        (2, 1, Some(&missing), "missing: No such file"),
        (2, 1, Some(folder.path()), "Is a directory"),
        (1, 1, Some(&four), "4 bytes, but `sum` with these parameters takes 2 bytes"),
        (3, 1, Some(&four), "4 bytes, but `sum` with these parameters takes 8 bytes"),
        (3, 1, Some(Path::new("/dev/null")), "0 bytes, but `sum`"),
        (3, 1, Some(Path::new("/dev/zero")), "more than 8 bytes, but `sum`"),
    ] {
        let error = rayon(&lines(&[prepare("sum", json!({"scale": scale}), threads, input)]));
        assert!(error.contains(part), "expected '{part}' in '{error}'");
    }
    let error = rayon(&lines(&[prepare("product", json!({}), 1, None)]));
    let why = "unknown workload `product` (did you mean `fr-product`?): it can be `sum`";
    assert!(error.contains(why), "{error}");
    let error = rayon(b"hello\n");
    assert!(error.contains("line 1 of standard input: `hello` is not a request: expected value"), "{error}");
}

#[test]
fn wrong_arguments_are_errors() {
    for (arguments, part) in [
        (&["--runtime", "rayon", "--idle-runtime", "gone"][..], "[possible values: absent, idle, used]"),
        (&["--idle-runtime", "idle"], "--runtime"),
        (&["--runtime", "tbb"], "unknown runtime `tbb`: it can be `serial`, `rayon` or `openmp`"),
        (&["--runtime", "rayon", "--backend", "mmx"], "the backends are portable, blst, aws-lc, sha2, avx2"),
    ] {
        let (_, stderr) = ends(&mut candidate(arguments), 2);
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn the_end_of_input_and_a_closed_output_are_quiet_ends() {
    let serial = &mut candidate(&["--runtime", "serial"]);
    assert_eq!(ends(serial, 0), Default::default());
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests");
    let request = prepare("sum", json!({"scale": 2}), 1, Some(&file(&folder, 4)));
    std::fs::write(&requests, lines(&[request])).unwrap();
    ends_without_reader(serial.stdin(std::fs::File::open(requests).unwrap()), 0);
}

#[test]
fn an_idle_runtime_changes_no_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = file(&folder, 1 << 12);
    let request = prepare("sum", json!({"scale": 12}), 2, Some(&input));
    let (_, right) = measured(&["--runtime", "rayon"], &request);
    for runtime in ["rayon", "openmp"] {
        if runtime == "openmp" && !has_openmp() {
            continue;
        }
        for idle_runtime in ["absent", "idle", "used"] {
            let (ready, digest) = measured(&["--runtime", runtime, "--idle-runtime", idle_runtime], &request);
            assert_eq!(digest, right, "{runtime} {idle_runtime}");
            assert_eq!(ready["runtime"], format!("serial, {runtime} {idle_runtime}"));
            assert_eq!(ready["threads"], 1, "the work itself has one thread");
        }
    }
}

#[test]
fn pieces_between_sections_are_the_same_in_all_samples() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = |iterations: u64| json!({ "sample": { "iterations": iterations } });
    let requests = [
        prepare("sum", json!({"scale": 12}), 1, Some(&file(&folder, 1 << 12))),
        sample(1),
        sample(1000),
        sample(5),
    ];
    let output = talk(&mut candidate(&["--runtime", "serial", "--idle-runtime", "used"]), &lines(&requests));
    let responses = responses(&output);
    let counts: Vec<&Value> = responses[1..].iter().map(|answer| &answer["counts"]).collect();
    let piece = counts[0]["peak-iterations-per-piece"].as_u64();
    assert!(piece.is_some_and(u64::is_power_of_two), "{responses:?}");
    assert!(counts.len() == 3 && counts.iter().all(|other| *other == counts[0]), "{responses:?}");
}
