//! The official vectors of the consensus specifications, on every runtime and every backend: those of the repository,
//! and all where the folder of the vectors is there.

mod compact;

use std::sync::LazyLock;

use parcrypt_kzg::{CellsAndProofs, Error, Request, Samples, Settings, TABLES, Want};
use parcrypt_oracles::slices;
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_testkit::{Value, backends, runtimes, vectors};

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

/// Returns the result of a function in the form of the vectors' outputs; `null` for an error.
fn output(result: Result<Value, Error>) -> Value {
    result.unwrap_or(Value::Null)
}

fn hex(bytes: &[u8]) -> Value {
    Value::Text(bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}")))
}

fn hex_list<T: AsRef<[u8]>>(all: &[T]) -> Value {
    Value::List(all.iter().map(|bytes| hex(bytes.as_ref())).collect())
}

fn yes_or_no(answer: bool) -> Value {
    Value::Text(answer.to_string())
}

fn cells_and_proofs(both: CellsAndProofs) -> Value {
    Value::List(vec![hex_list(&both.cells), hex_list(&both.proofs)])
}

/// Runs all vectors of a function on every runtime, and on every backend. Those of the folder are compared with those
/// of the repository, where both have them.
fn check(function: &str, run: impl Fn(&dyn Runtime, &Settings, &Value) -> Result<Value, Error>) {
    let mut all = compact::vectors(function);
    for vector in vectors(CRATE, &format!("kzg/{function}")) {
        match all.iter().find(|ours| ours.name == vector.name) {
            Some(ours) => {
                assert!(ours.input == vector.input && ours.output == vector.output, "{}", ours.name)
            }
            None => all.push(vector),
        }
    }
    let check = |rt: &dyn Runtime, settings: &Settings, on: &str| {
        for vector in &all {
            let got = output(run(rt, settings, &vector.input));
            let what = format!("{} on {on}", vector.name);
            assert!(got == vector.output, "{what}: {got:.200?} instead of {:.200?}", vector.output);
        }
    };
    for rt in runtimes(CRATE) {
        check(&*rt, &MAINNET, &format!("{} with {} threads", rt.name(), rt.threads()));
    }
    for (backend, settings) in &*OTHERS {
        check(&Serial, settings, backend);
    }
}

#[test]
fn blob_to_kzg_commitment() {
    check("blob_to_kzg_commitment", |rt, settings, input| {
        parcrypt_kzg::blob_to_kzg_commitment(rt, settings, &input["blob"].bytes()).map(|c| hex(&c))
    });
}

#[test]
fn compute_kzg_proof() {
    check("compute_kzg_proof", |rt, settings, input| {
        let proof =
            parcrypt_kzg::compute_kzg_proof(rt, settings, &input["blob"].bytes(), &input["z"].bytes());
        proof.map(|(proof, y)| Value::List(vec![hex(&proof), hex(&y)]))
    });
}

#[test]
fn compute_blob_kzg_proof() {
    check("compute_blob_kzg_proof", |rt, settings, input| {
        let (blob, commitment) = (input["blob"].bytes(), input["commitment"].bytes());
        parcrypt_kzg::compute_blob_kzg_proof(rt, settings, &blob, &commitment).map(|proof| hex(&proof))
    });
}

#[test]
fn verify_kzg_proof() {
    check("verify_kzg_proof", |rt, settings, input| {
        let [commitment, z, y, proof] = ["commitment", "z", "y", "proof"].map(|name| input[name].bytes());
        parcrypt_kzg::verify_kzg_proof(rt, settings, &commitment, &z, &y, &proof).map(yes_or_no)
    });
}

#[test]
fn verify_blob_kzg_proof() {
    check("verify_blob_kzg_proof", |rt, settings, input| {
        let [blob, commitment, proof] = ["blob", "commitment", "proof"].map(|name| input[name].bytes());
        parcrypt_kzg::verify_blob_kzg_proof(rt, settings, &blob, &commitment, &proof).map(yes_or_no)
    });
}

#[test]
fn verify_blob_kzg_proof_batch() {
    check("verify_blob_kzg_proof_batch", |rt, settings, input| {
        let [blobs, commitments, proofs] =
            ["blobs", "commitments", "proofs"].map(|name| input[name].all_bytes());
        let [blobs, commitments, proofs] = [&blobs, &commitments, &proofs].map(|all| slices(all));
        parcrypt_kzg::verify_blob_kzg_proof_batch(rt, settings, &blobs, &commitments, &proofs).map(yes_or_no)
    });
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

#[test]
fn compute_cells() {
    check("compute_cells", |rt, settings, input| {
        parcrypt_kzg::compute_cells(rt, settings, &input["blob"].bytes()).map(|cells| hex_list(&cells))
    });
}

#[test]
fn compute_cells_and_kzg_proofs() {
    check("compute_cells_and_kzg_proofs", |rt, settings, input| {
        let blob = input["blob"].bytes();
        parcrypt_kzg::compute_cells_and_kzg_proofs(rt, settings, &blob).map(cells_and_proofs)
    });
}

#[test]
fn recover_cells_and_kzg_proofs() {
    check("recover_cells_and_kzg_proofs", |rt, settings, input| {
        let (indices, cells) = (input["cell_indices"].numbers(), input["cells"].all_bytes());
        let both = parcrypt_kzg::recover_cells_and_kzg_proofs(rt, settings, &indices, &slices(&cells));
        let samples = Samples { cell_indices: &indices, cells: &slices(&cells) };
        let cells = parcrypt_kzg::recover_wanted(rt, settings, &[samples], Want::CELLS)?.remove(0);
        assert_eq!(cells.ok().map(|all| all.cells), both.clone().ok().map(|all| all.cells), "without proofs");
        both.map(cells_and_proofs)
    });
}

#[test]
fn verify_cell_kzg_proof_batch() {
    check("verify_cell_kzg_proof_batch", |rt, settings, input| {
        let [commitments, cells, proofs] =
            ["commitments", "cells", "proofs"].map(|name| input[name].all_bytes());
        let [commitments, cells, proofs] = [&commitments, &cells, &proofs].map(|all| slices(all));
        let indices = input["cell_indices"].numbers();
        parcrypt_kzg::verify_cell_kzg_proof_batch(rt, settings, &commitments, &indices, &cells, &proofs)
            .map(yes_or_no)
    });
}
