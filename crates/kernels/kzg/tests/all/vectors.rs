//! The official vectors of the consensus specifications, on every runtime and every backend: those of the repository,
//! and all where the folder of the vectors is there.

mod compact;

use std::sync::LazyLock;

use parcrypt_kzg::{Request, Settings, TABLES};
use parcrypt_oracles::{Answer, Call, Function, Parcrypt};
use parcrypt_runtime::Serial;
use parcrypt_testkit::{Value, backends, runtimes, vectors};

use super::answer;

const CRATE: &str = "parcrypt-kzg";

static MAINNET: LazyLock<Settings> = LazyLock::new(|| Settings::mainnet(Request::Auto).unwrap());

/// Settings with the baseline of all tables, and with each further backend, unless it is what [`MAINNET`] has.
static OTHERS: LazyLock<Vec<(String, Settings)>> = LazyLock::new(|| {
    let mut all: Vec<_> = TABLES.iter().flat_map(|(_, backends)| backends[1..].iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let all = backends(CRATE, &all).into_iter().map(|backend| (backend.to_string(), backend.into()));
    let requests = std::iter::once(("baseline".to_owned(), Request::Baseline)).chain(all);
    let settings = requests.map(|(name, request)| (name, Settings::mainnet(request).unwrap()));
    settings.filter(|(_, settings)| settings.backends() != MAINNET.backends()).collect()
});

fn hex(bytes: &[u8]) -> Value {
    Value::Text(bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}")))
}

/// The functions of the vectors, and the names of the inputs of each.
const FUNCTIONS: [(&str, Function, &[&str]); 10] = [
    ("blob_to_kzg_commitment", Function::BlobToCommitment, &["blob"]),
    ("compute_kzg_proof", Function::ComputeProof, &["blob", "z"]),
    ("compute_blob_kzg_proof", Function::ComputeBlobProof, &["blob", "commitment"]),
    ("verify_kzg_proof", Function::VerifyProof, &["commitment", "z", "y", "proof"]),
    ("verify_blob_kzg_proof", Function::VerifyBlobs, &["blob", "commitment", "proof"]),
    ("verify_blob_kzg_proof_batch", Function::VerifyBlobs, &["blobs", "commitments", "proofs"]),
    ("compute_cells", Function::ComputeCells, &["blob"]),
    ("compute_cells_and_kzg_proofs", Function::ComputeCellsAndProofs, &["blob"]),
    ("recover_cells_and_kzg_proofs", Function::Recover, &["cell_indices", "cells"]),
    (
        "verify_cell_kzg_proof_batch",
        Function::VerifyCells,
        &["commitments", "cell_indices", "cells", "proofs"],
    ),
];

/// Returns the items of an input: one, or those of a list.
fn items(name: &str, value: &Value) -> Vec<Vec<u8>> {
    match value {
        Value::List(_) if name == "cell_indices" => {
            value.numbers().iter().map(|index| index.to_be_bytes().into()).collect()
        }
        Value::List(_) => value.all_bytes(),
        one => vec![one.bytes()],
    }
}

/// Returns all bytes of an output, in order.
fn flat(value: &Value) -> Vec<u8> {
    match value {
        Value::List(values) => values.iter().flat_map(flat).collect(),
        one => one.bytes(),
    }
}

fn expected(output: &Value) -> Answer {
    match output {
        Value::Null => Answer::Refused(String::new()),
        Value::Text(text) if text == "true" => Answer::Valid,
        Value::Text(text) if text == "false" => Answer::Invalid,
        bytes => Answer::Value(flat(bytes)),
    }
}

/// Runs all vectors of each function on every runtime, and on every backend. Those of the folder are compared with
/// those of the repository, where both have them.
#[test]
fn all_functions() {
    let on_runtimes = runtimes(CRATE).into_iter().map(|rt| {
        let name = format!("{} with {} threads", rt.name(), rt.threads());
        let kzg = Parcrypt::new(MAINNET.clone());
        assert!(kzg.set_runtime(rt));
        (name, kzg)
    });
    let on_backends = OTHERS.iter().map(|(name, settings)| (name.clone(), Parcrypt::new(settings.clone())));
    let all_ways: Vec<(String, Parcrypt)> = on_runtimes.chain(on_backends).collect();
    for (function, called, inputs) in FUNCTIONS {
        let mut all = compact::vectors(function);
        for vector in vectors(CRATE, &format!("kzg/{function}")) {
            match all.iter().find(|ours| ours.name == vector.name) {
                Some(ours) => {
                    assert!(ours.input == vector.input && ours.output == vector.output, "{}", ours.name)
                }
                None => all.push(vector),
            }
        }
        for vector in &all {
            let inputs = inputs.iter().map(|name| items(name, &vector.input[name]));
            let call = Call { function: called, inputs: inputs.collect() };
            for (on, kzg) in &all_ways {
                let what = format!("{} on {on}", vector.name);
                let (found, expected) = (answer(kzg, &what, &call), expected(&vector.output));
                assert!(found.agrees(&expected), "{what}: {found:?} instead of {expected:?}");
            }
        }
    }
}

/// A blob's proof is the proof of its value at the challenge, which no function of ours returns.
#[test]
fn compute_challenge() {
    for vector in compact::vectors("compute_challenge") {
        let (blob, commitment) = (vector.input["blob"].bytes(), vector.input["commitment"].bytes());
        let proof = parcrypt_kzg::compute_blob_kzg_proof(&Serial, &MAINNET, &blob, &commitment).unwrap();
        let at_z = parcrypt_kzg::compute_kzg_proof(&Serial, &MAINNET, &blob, &vector.output.bytes()).unwrap();
        assert_eq!(proof, at_z.0, "{}", vector.name);
    }
}
