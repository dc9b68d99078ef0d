//! The digests that both libraries give, which are the known answers of Parcrypt's kernels.

use sha2::{Digest, Sha256};

use crate::library::{BLOB, CKzg, Library, RustEthKzg};
use crate::workload::{self, Blobs, WORKLOADS};

/// The known answers of `parcrypt verify`: workload, input, SHA-256 of the output, parameters.
pub(crate) const KNOWN: &str = include_str!("../../../crates/parcrypt/src/workload/known-answers");

/// Returns the SHA-256 of the numbers 0, 1, 2, … as 8 bytes little-endian, one after the other; or a repeated byte.
pub(crate) fn stream(name: &str, len: usize) -> Vec<u8> {
    match name {
        "hashes" => (0..len as u64 / 32).flat_map(|i| Sha256::digest(i.to_le_bytes())).collect(),
        byte => vec![byte.parse().expect("a byte"); len],
    }
}

/// Returns the digest of a library's output; `None` if it has no such function.
fn digest<L: Library>(library: &L, workload: &str, input: &str, params: &[&str]) -> Option<String> {
    let number = |name: &str| {
        let value = params.iter().find_map(|param| param.strip_prefix(name)?.strip_prefix('='));
        value.map_or(1, |value| value.parse().expect("a number"))
    };
    let blobs = number("blobs");
    let own = workload::parameter(workload, blobs as u64).map_or(1, |(name, _)| number(name));
    let kind = WORKLOADS.iter().find(|(name, _)| *name == workload).expect("a workload").1;
    let in_the_input = if kind == Blobs::InTheInput { blobs } else { 1 };
    let input = stream(input, in_the_input * BLOB);
    let mut work = match workload::prepare(workload, library.clone(), input, blobs, own) {
        Ok(work) => work,
        Err(crate::library::Refusal::Unsupported(_)) => return None,
        Err(error) => panic!("{workload}: {error}"),
    };
    // Twice, as in samples.
    work.iterate().expect("it works");
    work.iterate().expect("it works again");
    Some(format!("{:x}", Sha256::digest(work.output().expect("there is an output"))))
}

#[test]
fn both_libraries_give_the_known_answers() {
    let c_kzg = CKzg::load(0).expect("the setup loads");
    let rust_eth_kzg = RustEthKzg::load(0).expect("the setup loads");
    // `kzg-load` has the same output as `kzg-commit`, which tests/candidate.rs checks.
    for (name, _) in WORKLOADS.iter().filter(|(name, _)| *name != "kzg-load") {
        let lines: Vec<_> = KNOWN.lines().filter_map(|line| line.strip_prefix(&format!("{name} "))).collect();
        assert!(!lines.is_empty(), "{name} has no known answer");
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (input, known, params) = (words[0], words[1], &words[2..]);
            let one = digest(&c_kzg, name, input, params);
            let other = digest(&rust_eth_kzg, name, input, params);
            assert!(other.is_some() || *name == "kzg-recover-cells", "{name}");
            for found in [one, other].into_iter().flatten() {
                assert_eq!(found, known, "{name} {line}");
            }
        }
    }
}

#[test]
fn tables_change_no_result() {
    let ours = digest(&CKzg::load(3).expect("it loads"), "kzg-cells-and-proofs", "hashes", &[]);
    let theirs = digest(&RustEthKzg::load(3).expect("it loads"), "kzg-cells-and-proofs", "hashes", &[]);
    let known = KNOWN.lines().find_map(|line| line.strip_prefix("kzg-cells-and-proofs hashes ")?.get(..64));
    assert_eq!((ours.as_deref(), theirs.as_deref()), (known, known));
}
