//! The digests that both libraries give. Parcrypt's kernels have the same digests in
//! `crates/parcrypt/src/workloads/kzg.rs`.

use sha2::{Digest, Sha256};

use crate::library::{BLOB, CKzg, Library, RustEthKzg};
use crate::workload::{self, Blobs, WORKLOADS};

/// Workload, blobs (with the value of its own parameter after a slash), input, SHA-256 of the output. The input is the
/// stream of hashes, or a repeated byte, which makes a constant polynomial, whose proofs are infinity. `kzg-load` has
/// the same output as `kzg-commit`, which tests/candidate.rs checks.
const KNOWN: &str = "\
kzg-commit            1 hashes 88102906c9177a48ddb2bb022c5b349c4407ade7c27951040815fda9f57c375f
kzg-commit            2 hashes 9c2b746b8d85892087f9b71540252984e5a671de6a336f658c72f1cfaa4ca72b
kzg-commit            1 0      5f0657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014
kzg-commit            1 255    f67eecb9e59dd982c631bb127e502db0230b5643e67977b38fc58528ff06a559
kzg-blob-proof        1 hashes aaa87e2145c4e9c9cbd4a00597af369d324c2f014b087435c4058e7a4add1c89
kzg-blob-proof        1 255    5f0657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014
kzg-verify-proof      1 hashes 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-verify-proof      1 0      9dcf97a184f32623d11a73124ceb99a5709b083721e878a16d78f596718ba7b2
kzg-verify-blob       1 hashes 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-verify-blob       1 255    47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-verify-blob-batch 3 hashes 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-verify-blob-batch 2 255    47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-cells             1 hashes 14c12732d7f7119f6e41da52a0810eea9f6bb6bf99f22c24821392736405e595
kzg-cells             1 255    65c4f49ef37c95262f2d84d1e12734f7a595d3d258d6ef52c5d737e803d835f3
kzg-cells-and-proofs  1 hashes 505548cf7e1578d2a4624ff433c98f5dcf081bf841e2263207e3fbbd5bab00de
kzg-cells-and-proofs  1 255    b99e9ab97772df3ce048a38fba489287ddfb87304ae2ee058cf03699a92f2a8e
kzg-recover-cells     1 hashes 14c12732d7f7119f6e41da52a0810eea9f6bb6bf99f22c24821392736405e595
kzg-recover           1 hashes 505548cf7e1578d2a4624ff433c98f5dcf081bf841e2263207e3fbbd5bab00de
kzg-recover           1 255    b99e9ab97772df3ce048a38fba489287ddfb87304ae2ee058cf03699a92f2a8e
kzg-verify-cells      2 hashes 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-verify-cells      1 255    47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-verify-column     3 hashes 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-some-cells        2/8 hashes 025aa0d9e2d3ea999790b4d79b07704b01562a8848b19aa08761314483e51743
kzg-some-cells        1/128 hashes 14c12732d7f7119f6e41da52a0810eea9f6bb6bf99f22c24821392736405e595
kzg-verify-columns    2/5 hashes 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254
kzg-find-wrong        1/3 hashes d68bcf24cb5fd0be85ad157d23522346655e3e0713d7fef7f7064d64c1ede89c
";

/// Returns the SHA-256 of the numbers 0, 1, 2, … as 8 bytes little-endian, one after the other; or a repeated byte.
pub(crate) fn stream(name: &str, len: usize) -> Vec<u8> {
    match name {
        "hashes" => (0..len as u64 / 32).flat_map(|i| Sha256::digest(i.to_le_bytes())).collect(),
        byte => vec![byte.parse().expect("a byte"); len],
    }
}

/// Returns the digest of a library's output; `None` if it has no such function.
fn digest<L: Library + 'static>(library: &L, workload: &str, blobs: &str, input: &str) -> Option<String> {
    let (blobs, own) = blobs.split_once('/').unwrap_or((blobs, "1"));
    let [blobs, own] = [blobs, own].map(|number| number.parse().expect("a number"));
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
    let mut hash = Sha256::new();
    work.answer(&mut |bytes| hash.update(bytes)).expect("there is an answer");
    Some(format!("{:x}", hash.finalize()))
}

#[test]
fn both_libraries_give_the_known_answers() {
    let c_kzg = CKzg::load(0).expect("the setup loads");
    let rust_eth_kzg = RustEthKzg::load(0).expect("the setup loads");
    let mut wrong = Vec::new();
    for line in KNOWN.lines() {
        let [workload, blobs, input, known] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("`{line}` is no row");
        };
        let one = digest(&c_kzg, workload, blobs, input);
        let other = digest(&rust_eth_kzg, workload, blobs, input);
        assert!(other.is_some() || workload == "kzg-recover-cells", "{workload}");
        for (library, found) in [("c-kzg", one), ("rust_eth_kzg", other)] {
            if found.as_ref().is_some_and(|found| *found != known) {
                wrong.push(format!("{workload} of {blobs} with {input} by {library}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (name, _) in WORKLOADS.iter().filter(|(name, _)| *name != "kzg-load") {
        assert!(
            KNOWN.lines().any(|line| line.starts_with(&format!("{name} "))),
            "{name} has no known answer"
        );
    }
}

#[test]
fn tables_change_no_result() {
    let expected = digest(&CKzg::load(0).expect("the setup loads"), "kzg-cells-and-proofs", "1", "hashes");
    let tables = CKzg::load(3).expect("the setup loads");
    assert_eq!(digest(&tables, "kzg-cells-and-proofs", "1", "hashes"), expected);
    let tables = RustEthKzg::load(3).expect("the setup loads");
    assert_eq!(digest(&tables, "kzg-cells-and-proofs", "1", "hashes"), expected);
}
