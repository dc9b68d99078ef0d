//! The candidate as the lab uses it: whole conversations, and invalid requests.

#![allow(missing_docs, reason = "it is a test")]
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

#[path = "../../testing.rs"]
mod testing;

use serde_json::json;

use testing::{check_ends, check_invalid, check_refused, file, measured, prepare};

const PROGRAM: &str = env!("CARGO_BIN_EXE_peers-kzg");
const BLOB: usize = 131_072;
const LIBRARIES: [&str; 2] = ["c-kzg", "rust-eth-kzg"];

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
            measured(library, prepare("kzg-commit", json!({"blobs": 2}), threads, &input)).unwrap();
        assert_eq!(ready["name"], library.replace("rust-eth-kzg", "rust_eth_kzg"));
        assert!(ready["version"].as_str().is_some_and(|version| version.contains('.')), "{ready}");
        assert_eq!(ready["threads"], threads);
        assert_eq!(ready["runtime"], if library == "c-kzg" { "serial" } else { "rayon" });
        assert!(sample["elapsed_ns"].as_u64().is_some_and(|ns| ns > 1_000_000), "{sample}");
        digests.push(digest);
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{digests:?}");
}

#[test]
fn a_load_is_timed_and_can_commit() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, BLOB);
    let (_, _, expected) = measured("c-kzg", prepare("kzg-commit", json!({"blobs": 1}), 1, &input)).unwrap();
    for library in LIBRARIES {
        let (_, sample, digest) =
            measured(library, prepare("kzg-load", json!({"precompute": 2}), 1, &input)).unwrap();
        assert_eq!(digest, expected, "{library}");
        assert!(sample["elapsed_ns"].as_u64().is_some_and(|ns| ns > 10_000_000), "{sample}");
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
        let why = measured(library, request).unwrap_err();
        assert!(why.contains(part), "{why}");
    }
}

/// Checks the parameters of workloads; unit tests of the protocol check the errors of their values and of input files.
#[test]
fn a_wrong_request_ends_it_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let one = file(&folder, BLOB);
    for (workload, params, part) in [
        ("sum", json!({}), "unknown workload `sum`: it can be kzg-commit, kzg-blob-proof"),
        ("kzg-commit", json!({}), "`kzg-commit` needs the parameter `blobs`"),
        ("kzg-commit", json!({"blobs": 0}), "`blobs` is 0: it must be a number from 1 to 4096"),
        ("kzg-commit", json!({"blobs": 4097}), "`blobs` is 4097"),
        ("kzg-commit", json!({"blobs": 2}), "it has 131072 bytes, but the parameters say 262144"),
        ("kzg-load", json!({"blobs": 1}), "`kzg-load` has no parameter `blobs`: it has `precom"),
        ("kzg-load", json!({"precompute": 16}), "must be a number from 0 to 15"),
    ] {
        for library in LIBRARIES {
            check_refused(library, prepare(workload, params.clone(), 1, &one), part);
        }
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
        (&["--library", "c-kzg", "load", "0", "1"], "got 0"),
    ] {
        check_invalid(arguments, b"", part);
    }
    check_ends("c-kzg", "precompute");
}
