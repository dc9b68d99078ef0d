//! KZG for blobs on every backend and runtime: official vectors, other libraries, refusals, tables and setups.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod corpora;
mod one_wrong;
mod outside;
mod peers;
mod refusals;
mod same_bytes;
mod setup;
mod subset;
mod tables;

use parcrypt_bls12_381::Fr;
use parcrypt_kzg::{Samples, Want};
use parcrypt_oracles::{Answer, Call, Function, MAINNET, Parcrypt, SAMPLES, slices};

/// Returns our answer on the best backends, as [`answer`].
#[track_caller]
fn ours(what: &str, call: &Call) -> Answer {
    answer(&MAINNET.ours, what, call)
}

/// Returns an answer of ours, which is that of the functions with fewer inputs or results, and of those on several
/// blobs. The wrong ones of a few items are named.
#[track_caller]
fn answer(kzg: &Parcrypt, what: &str, call: &Call) -> Answer {
    let (answer, rt, settings) = (call.ask(kzg), kzg.runtime(), kzg.settings());
    let verifies_lists = matches!(call.function, Function::VerifyBlobs | Function::VerifyCells);
    if verifies_lists && call.inputs.iter().all(|list| list.len() <= 6) {
        call.check_wrong(kzg, |one| one.ask(kzg), Answer::eq);
    }
    match (call.function, &call.inputs[..]) {
        (Function::VerifyBlobs, [blobs, commitments, proofs]) => {
            if let ([blob], [commitment], [proof]) = (&blobs[..], &commitments[..], &proofs[..]) {
                let one = parcrypt_kzg::verify_blob_kzg_proof(rt, settings, blob, commitment, proof);
                assert_eq!(Answer::verdict(one), answer, "{what}, one blob");
            }
        }
        (Function::Recover, [_, cells]) => {
            let (good, first) =
                (slices(&SAMPLES[0].cells_and_proofs().cells[64..]), &(64..128).collect::<Vec<_>>());
            let samples = [
                Samples { cell_indices: first, cells: &good },
                Samples { cell_indices: &call.indices(0), cells: &slices(cells) },
            ];
            let mut made = parcrypt_kzg::recover_wanted(rt, settings, &samples, Want::CELLS).unwrap();
            let cells = Answer::value(made.remove(1).map(|made| made.cells.concat()));
            assert!(
                made[0].as_ref().unwrap().cells == SAMPLES[0].cells_and_proofs().cells,
                "{what}, a good blob"
            );
            match (&answer, &cells) {
                (Answer::Value(both), Answer::Value(cells)) => assert!(both.starts_with(cells), "{what}"),
                _ => assert_eq!(answer, cells, "{what}, without proofs"),
            }
        }
        _ => {}
    }
    answer
}

/// Adds to a field element of a cell, modulo r.
fn add(cell: &mut [u8], element: usize, difference: Fr) {
    let bytes: &mut [u8; 32] = cell[32 * element..].first_chunk_mut().unwrap();
    *bytes = (Fr::from_bytes(bytes).unwrap() + difference).to_bytes();
}
