//! The official vectors of the consensus specifications on every runtime and every backend, and columns of short blobs.

use std::sync::LazyLock;

use parcrypt_kzg::{Request, Settings};
use parcrypt_oracles::{Answer, Call, Function, Parcrypt, SAMPLES, rows};
use parcrypt_runtime::Serial;
use parcrypt_testkit::corpus::{passed, vectors};
use parcrypt_testkit::runtimes;

use super::answer;

static MAINNET: LazyLock<Settings> = LazyLock::new(|| Settings::mainnet(Request::Auto).unwrap());

/// Our functions on every runtime, with the baseline of all tables, and with each further backend.
static WAYS: LazyLock<Vec<(String, Parcrypt)>> = LazyLock::new(|| {
    let on_runtimes = runtimes("parcrypt-kzg").into_iter().map(|rt| {
        let name = format!("{}/{}", rt.name(), rt.threads());
        let kzg = Parcrypt::new(MAINNET.clone());
        assert!(kzg.set_runtime(rt));
        (name, kzg)
    });
    rows().into_iter().chain(on_runtimes).collect()
});

/// The functions of the vectors.
const FUNCTIONS: [(&str, Function); 10] = [
    ("blob_to_kzg_commitment", Function::BlobToCommitment),
    ("compute_kzg_proof", Function::ComputeProof),
    ("compute_blob_kzg_proof", Function::ComputeBlobProof),
    ("verify_kzg_proof", Function::VerifyProof),
    ("verify_blob_kzg_proof", Function::VerifyBlobs),
    ("verify_blob_kzg_proof_batch", Function::VerifyBlobs),
    ("compute_cells", Function::ComputeCells),
    ("compute_cells_and_kzg_proofs", Function::ComputeCellsAndProofs),
    ("recover_cells_and_kzg_proofs", Function::Recover),
    ("verify_cell_kzg_proof_batch", Function::VerifyCells),
];

fn expected(output: &[Vec<u8>]) -> Answer {
    match &output.concat()[..] {
        b"null" => Answer::Refused(String::new()),
        b"true" => Answer::Valid,
        b"false" => Answer::Invalid,
        bytes => Answer::Value(bytes.into()),
    }
}

/// Checks the answer to a call in all ways.
fn check(name: &str, call: &Call, expected: &Answer) {
    for (on, kzg) in WAYS.iter() {
        let what = format!("{name} on {on}");
        let found = answer(kzg, &what, call);
        assert!(found.agrees(expected), "{what}: {found:?} instead of {expected:?}");
    }
}

/// A blob's proof is also the proof of its value at the challenge, which no function of ours returns.
#[test]
fn official_vectors() {
    let mut cases = 0;
    for (name, function) in FUNCTIONS {
        for vector in vectors(name) {
            let call = Call { function, inputs: vector.inputs };
            check(&vector.name, &call, &expected(&vector.output));
            cases += 1;
        }
    }
    for vector in vectors("compute_challenge") {
        let (blob, commitment) = (&vector.inputs[0][0], &vector.inputs[1][0]);
        let proof = parcrypt_kzg::compute_blob_kzg_proof(&Serial, &MAINNET, blob, commitment).unwrap();
        let at_z = parcrypt_kzg::compute_kzg_proof(&Serial, &MAINNET, blob, &vector.output[0]).unwrap();
        assert_eq!(proof, at_z.0, "{}", vector.name);
        cases += 1;
    }
    passed("kzg", cases, &WAYS.iter().map(|(on, _)| on).collect::<Vec<_>>());
}

/// Cells of zeros under commitments that are not infinity, next to a blob of zeros and a full one.
#[test]
fn columns_of_short_blobs() {
    let blob = |elements: usize| {
        let mut blob = SAMPLES[0].blob.clone();
        blob[32 * elements..].fill(0);
        blob
    };
    let blobs = [0, 1, 100, 41 * 64, 41 * 64 + 1, 4096].map(blob);
    let made = blobs.each_ref().map(|blob| {
        let commitment = parcrypt_kzg::blob_to_kzg_commitment(&Serial, &MAINNET, blob).unwrap();
        (commitment, parcrypt_kzg::compute_cells_and_kzg_proofs(&Serial, &MAINNET, blob).unwrap())
    });
    let columns = [0, 41, 63, 64, 127].map(|column| {
        let all = made.iter().map(|(commitment, all)| {
            let index = (column as u64).to_be_bytes();
            [&commitment[..], &index, &all.cells[column][..], &all.proofs[column]].map(<[u8]>::to_vec)
        });
        all.collect::<Vec<_>>()
    });
    for items in columns {
        let inputs = (0..4).map(|input| items.iter().map(|item| item[input].clone()).collect()).collect();
        check("a column", &Call { function: Function::VerifyCells, inputs }, &Answer::Valid);
    }
}
