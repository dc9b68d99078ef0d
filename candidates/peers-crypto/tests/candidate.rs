//! The candidate as the lab uses it: whole conversations, and invalid requests.

#![allow(missing_docs, reason = "it is a test")]
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

#[path = "../../testing.rs"]
mod testing;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use testing::{check_ends, check_invalid, check_refused, file, measured, prepare};

const PROGRAM: &str = env!("CARGO_BIN_EXE_peers-crypto");
const KNOWN: &str = include_str!("../../known-answers");
/// Workloads of each library.
const LIBRARIES: [(&str, &[&str]); 10] = [
    ("rustcrypto", &["scrypt"]),
    ("aws-lc-rs", &["scrypt", "gmac"]),
    ("ring", &["gmac"]),
    ("concrete-ntt", &["ntt-product"]),
    ("mlkem-native", &["ntt-matrix"]),
    ("mldsa-native", &["ntt-product", "ntt-matrix"]),
    ("openssl", &["scrypt", "gmac"]),
    ("botan", &["gmac"]),
    ("libsodium", &["scrypt"]),
    ("libscrypt", &["scrypt"]),
];

/// Returns whether the program was built with the library; prints a line if not.
fn is_there(library: &str) -> bool {
    let optional = [
        ("openssl", cfg!(feature = "openssl")),
        ("botan", cfg!(feature = "botan")),
        ("libsodium", cfg!(feature = "libsodium")),
        ("libscrypt", cfg!(feature = "libscrypt")),
        ("mlkem-native", cfg!(native)),
        ("mldsa-native", cfg!(native)),
    ];
    let there = !optional.contains(&(library, false));
    if !there {
        println!("SKIP peers-crypto {library} the program was built without it");
    }
    there
}

/// Returns workload, parameters, bytes of input and digest of each line.
fn known() -> Vec<(&'static str, Value, usize, &'static str)> {
    let rows = KNOWN.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [workload, params, bytes, digest] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("`{line}` is not a row");
        };
        let params = params.split(',').map(|param| {
            let (name, value) = param.split_once('=').unwrap();
            (name.to_owned(), Value::from(value.parse::<u64>().unwrap()))
        });
        (workload, Value::Object(params.collect::<Map<_, _>>()), bytes.parse().unwrap(), digest)
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 20);
    rows
}

/// Checks the known answers of `parcrypt verify` with the rings and numbers of columns that the libraries have.
#[test]
fn products_and_matrices_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    let answers = include_str!("../../../crates/parcrypt/src/workload/known-answers");
    for line in answers.lines().filter(|line| line.starts_with("ntt-")) {
        let words: Vec<&str> = line.split(' ').collect();
        let params = words[3..].iter().map(|word| {
            let (name, value) = word.split_once('=').unwrap();
            (name.to_owned(), value.parse::<u64>().map_or_else(|_| Value::from(value), Value::from))
        });
        let params = Value::Object(params.collect());
        let (ring, columns) = (params["ring"].as_str().unwrap(), params["columns"].as_u64());
        let libraries: &[&str] = match (ring, columns) {
            ("ml-dsa", None) => &["concrete-ntt", "mldsa-native"],
            ("any-1024" | "any-4096", None) => &["concrete-ntt"],
            ("ml-kem", Some(2..=4)) => &["mlkem-native"],
            ("ml-dsa", Some(4 | 5 | 7)) => &["mldsa-native"],
            _ => continue,
        };
        let n: u64 = ring.trim_start_matches("any-").parse().unwrap_or(256);
        let count = |name: &str| params[name].as_u64().unwrap();
        let len = columns
            .map_or_else(|| 8 * n * count("products"), |columns| 4 * n * columns * (count("rows") + 1));
        let bytes = match words[1].parse() {
            Ok(byte) => vec![byte; len as usize],
            Err(_) => (0..len / 32).flat_map(|i| Sha256::digest(i.to_le_bytes())).collect(),
        };
        std::fs::write(&input, bytes).unwrap();
        for library in libraries.iter().filter(|library| is_there(library)) {
            let found = measured(library, prepare(words[0], params.clone(), 1, &input));
            assert_eq!(found.unwrap().2, format!("sha256:{}", words[2]), "{library} {params}");
        }
    }
}

#[test]
fn every_library_gives_the_known_answers() {
    let folder = tempfile::tempdir().unwrap();
    for (library, workloads) in LIBRARIES.into_iter().filter(|(library, _)| is_there(library)) {
        for (workload, params, bytes, digest) in known() {
            if !["scrypt", "gmac"].contains(&workload) {
                continue;
            }
            let found = measured(library, prepare(workload, params.clone(), 1, &file(&folder, bytes)));
            match found {
                Ok((ready, _, found)) => {
                    assert_eq!(found, format!("sha256:{digest}"), "{library} {workload} {params}");
                    assert_eq!(ready["threads"], 1);
                    assert!(library == "libscrypt" || ready["version"].as_str().unwrap().contains('.'));
                }
                // ring does not support keys of 192 bits.
                Err(why) => assert!(
                    !workloads.contains(&workload) || (library == "ring" && params["key-bits"] == 192),
                    "{library} {workload} {params}: {why}"
                ),
            }
        }
    }
}

#[test]
fn threads_change_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let scrypt = json!({"log-n": 4, "r": 1, "keys": 3});
    let four = json!({"log-n": 4, "r": 1, "p": 4});
    let gmac = json!({"scale": 4, "messages": 3});
    for (library, workload, params, bytes, threads, runtime) in [
        ("rustcrypto", "scrypt", &four, 64, 2, "rayon"),
        ("rustcrypto", "scrypt", &scrypt, 192, 3, "threads"),
        ("rustcrypto", "scrypt", &scrypt, 192, 5, "threads"),
        ("openssl", "scrypt", &scrypt, 192, 2, "threads"),
        ("openssl", "gmac", &gmac, 48, 2, "threads"),
        ("libsodium", "scrypt", &scrypt, 192, 2, "threads"),
        ("libscrypt", "scrypt", &scrypt, 192, 2, "threads"),
        ("ring", "gmac", &gmac, 48, 2, "threads"),
        ("aws-lc-rs", "gmac", &gmac, 48, 3, "threads"),
    ] {
        if !is_there(library) {
            continue;
        }
        let input = file(&folder, bytes);
        let alone = measured(library, prepare(workload, params.clone(), 1, &input)).unwrap();
        let mut params = params.clone();
        if runtime == "threads" {
            params["loop"] = json!("threads");
        }
        let (ready, _, digest) = measured(library, prepare(workload, params, threads, &input)).unwrap();
        assert_eq!((&ready["runtime"], &ready["threads"]), (&json!(runtime), &json!(threads)), "{library}");
        assert_eq!(digest, alone.2, "{library} {workload}");
    }
}

#[test]
fn missing_functions_of_a_library_are_unsupported_and_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (one, message) = (file(&folder, 64), file(&folder, 1));
    let threads = json!({"log-n": 4, "loop": "threads"});
    let product =
        |ring: &str, n: usize| prepare("ntt-product", json!({ "ring": ring }), 1, &file(&folder, 8 * n));
    let matrix = |ring: &str, columns: usize| {
        let params = json!({ "ring": ring, "rows": 1, "columns": columns });
        prepare("ntt-matrix", params, 1, &file(&folder, 2048 * columns))
    };
    for (library, request, part) in [
        ("concrete-ntt", matrix("ml-dsa", 4), "concrete-ntt has no matrices of polynomials"),
        ("mlkem-native", product("ml-dsa", 256), "mlkem-native has no products of polynomials"),
        ("mlkem-native", matrix("ml-kem", 5), "whose number of columns is 5"),
        ("mlkem-native", matrix("ml-dsa", 4), "mlkem-native has no matrices in this ring"),
        ("mldsa-native", matrix("ml-kem", 4), "mldsa-native has no matrices in this ring"),
        ("mldsa-native", product("any-1024", 1024), "no ring modulo 8380417 with 1024 coefficients"),
        ("ring", prepare("scrypt", json!({"log-n": 4}), 1, &one), "ring has no scrypt"),
        ("rustcrypto", prepare("gmac", json!({"scale": 0}), 1, &message), "RustCrypto has no GMAC"),
        (
            "ring",
            prepare("gmac", json!({"scale": 0, "key-bits": 192}), 1, &message),
            "ring has no AES with 192",
        ),
        ("aws-lc-rs", prepare("scrypt", json!({"log-n": 4}), 2, &one), "1 thread here, 2 were asked for"),
        ("rustcrypto", prepare("scrypt", threads, 257, &one), "256 are the most"),
    ] {
        if is_there(library) {
            let why = measured(library, request).unwrap_err();
            assert!(why.contains(part), "expected '{part}' in '{why}'");
        }
    }
    for (library, _) in LIBRARIES.into_iter().filter(|(library, _)| !is_there(library)) {
        let why = measured(library, prepare("scrypt", json!({"log-n": 4}), 1, &one)).unwrap_err();
        assert!(why.contains("built without") && !why.ends_with(": "), "{why}");
    }
}

/// Checks the parameters of each workload; unit tests of the protocol check the errors of their values.
#[test]
fn a_wrong_request_ends_it_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let one = file(&folder, 64);
    for (workload, params, part) in [
        ("sum", json!({}), "unknown workload `sum`: it can be scrypt, gmac, ntt-product, ntt-matrix"),
        ("scrypt", json!({}), "`scrypt` needs the parameter `log-n`, a number from 1 to 30"),
        ("scrypt", json!({"log-n": 4, "keys": 2}), "it has 64 bytes, but the parameters say 128"),
        ("scrypt", json!({"log-n": 4, "scale": 2}), "`scrypt` has no parameter `scale`"),
        ("scrypt", json!({"log-n": 4, "loop": "rayon"}), "it can be \"serial\", \"threads\""),
        ("gmac", json!({"scale": 31}), "`scale` is 31"),
        ("gmac", json!({"scale": 6, "key-bits": 127}), "`key-bits` is 127: it can be 128, 192, 256"),
        ("ntt-matrix", json!({"rows": 1}), "`ntt-matrix` needs the parameter `columns`"),
        ("ntt-matrix", json!({"rows": 4097, "columns": 1}), "`rows` is 4097"),
        ("ntt-matrix", json!({"ring": "small", "rows": 1, "columns": 1}), "`ring` is \"small\""),
    ] {
        check_refused("aws-lc-rs", prepare(workload, params, 1, &one), part);
    }
}

#[test]
fn arguments() {
    for (arguments, part) in [
        (&[][..], "usage: peers-crypto --library"),
        (&["--library"], "usage: peers-crypto --library"),
        (&["--library", "nacl"], "unknown library `nacl`: it can be rustcrypto, aws-lc-rs, ring"),
    ] {
        check_invalid(arguments, b"", part);
    }
    check_ends("ring", "`loop`");
}
