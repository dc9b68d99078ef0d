//! The functions of EIP-4844 and EIP-7594 against c-kzg and rust_eth_kzg.

use parcrypt_kzg::{Error, Samples, Want};
use parcrypt_oracles::{Answer, Call, Function, MAINNET, Parcrypt, SAMPLES, random, slices};

use crate::input::{Input, ours};

/// Returns the oracles' answer: of rust_eth_kzg for recovery, of c-kzg for other results, of both for verdicts. Results
/// for unchanged samples are known.
fn right(call: &Call) -> Answer {
    let first = &call.inputs[0];
    let is_of = |bytes: &[u8]| SAMPLES.iter().find(|sample| sample.blob == bytes);
    match (call.function, is_of(first.first().map_or(&[], Vec::as_slice))) {
        (Function::BlobToCommitment, Some(sample)) => Answer::Value(sample.commitment().into()),
        (Function::ComputeBlobProof, Some(sample)) if call.inputs[1][0] == sample.commitment() => {
            Answer::Value(sample.proof().into())
        }
        (Function::ComputeCells, Some(sample)) => Answer::Value(sample.cells_and_proofs().cells.concat()),
        (Function::ComputeCellsAndProofs, Some(sample)) => {
            Answer::cells_and_proofs(Ok::<_, Error>(sample.cells_and_proofs().clone()))
        }
        (Function::Recover, _) => {
            let indices = call.indices(0);
            let rise = indices.is_sorted_by(|a, b| a < b) && indices.last().is_some_and(|last| *last < 128);
            let enough = indices.len() >= 64 && indices.len() == call.inputs[1].len();
            let of = SAMPLES.iter().find(|sample| rise && Call::recovery(sample, indices.clone()) == *call);
            match of.filter(|_| enough) {
                Some(sample) => Answer::cells_and_proofs(Ok::<_, Error>(sample.cells_and_proofs().clone())),
                None => call.ask(&MAINNET.eth_kzg),
            }
        }
        (Function::VerifyProof | Function::VerifyBlobs | Function::VerifyCells, _) => {
            MAINNET.answer("verdict", call)
        }
        _ => call.ask(&MAINNET.c_kzg),
    }
}

/// Panics unless our result is the oracles'.
fn agree(ours: &Answer, right: &Answer) {
    assert!(ours.agrees(right), "our answer: {ours:?}; the oracle's: {right:?}");
}

/// Compares the answers for some random calls of a function.
fn compare(data: &[u8], function: Function, most: usize) {
    let mut input = Input(data);
    let ours = ours(&mut input);
    let count = [1, 2, input.below(most + 1)][input.below(3)];
    let calls: Vec<Call> = (0..count).map(|_| random(&mut input, function)).collect();
    let all: Vec<Answer> = calls.iter().map(|call| call.ask(ours)).collect();
    calls.iter().zip(&all).for_each(|(call, answer)| agree(answer, &right(call)));

    // All of them together, and of cells some, at equal distances.
    let (rt, settings) = (ours.runtime(), &**ours.settings());
    let (first, step) = (input.below(128) as u64, 1 + input.below(64));
    let wanted: Vec<u64> = (first..128).step_by(step).collect();
    // A recovery has no blob, and may have no cell.
    let blobs: Vec<&[u8]> =
        calls.iter().filter_map(|call| call.inputs[0].first().map(|blob| &blob[..])).collect();
    let of = |call: &Call| (call.indices(0), call.inputs[1].clone());
    let given: Vec<_> = if function == Function::Recover { calls.iter().map(of).collect() } else { vec![] };
    let given: Vec<_> = given.iter().map(|(indices, cells)| (indices, slices(cells))).collect();
    let given = given.iter().map(|(cell_indices, cells)| Samples { cell_indices, cells });
    let given: Vec<Samples<'_>> = given.collect();
    let columns = Some(&wanted[..]);
    let compute = |want| parcrypt_kzg::compute_wanted(rt, settings, &blobs, want);
    let recover = |want| parcrypt_kzg::recover_wanted(rt, settings, &given, want);
    let (together, some) = match function {
        Function::ComputeCells => (compute(Want::CELLS), Some(compute(Want { columns, ..Want::CELLS }))),
        Function::ComputeCellsAndProofs => (compute(Want::CELLS_AND_PROOFS), None),
        Function::Recover => {
            (recover(Want::CELLS_AND_PROOFS), Some(recover(Want { columns, ..Want::CELLS })))
        }
        _ => return,
    };
    let answers = |all: Result<Vec<_>, Error>| -> Vec<Answer> {
        all.expect("the indices are valid").into_iter().map(Answer::cells_and_proofs).collect()
    };
    let together = answers(together);
    assert_eq!(all.len(), together.len());
    all.iter().zip(&together).for_each(|(one, together)| agree(together, one));
    let Some(some) = some else { return };
    let chosen = |answer: &Answer| match answer {
        Answer::Value(all) => {
            Answer::Value(wanted.iter().flat_map(|i| all[2048 * *i as usize..][..2048].to_vec()).collect())
        }
        refused => refused.clone(),
    };
    all.iter().zip(answers(some)).for_each(|(all, some)| agree(&some, &chosen(all)));
}

/// Defines targets that call a function, for up to a number of blobs.
macro_rules! targets {
    ($($name:ident $function:ident $most:literal),* $(,)?) => {
        $(
            #[doc = concat!("Compares the answers of `", stringify!($name), "`.")]
            pub fn $name(data: &[u8]) {
                compare(data, Function::$function, $most);
            }
        )*
    };
}
targets! {
    blob_to_kzg_commitment BlobToCommitment 20,
    compute_kzg_proof ComputeProof 1,
    compute_blob_kzg_proof ComputeBlobProof 12,
    compute_cells ComputeCells 20,
    compute_cells_and_kzg_proofs ComputeCellsAndProofs 4,
    recover_cells_and_kzg_proofs Recover 3,
    verify_kzg_proof VerifyProof 1,
}

/// Compares the items that are named as wrong with the oracles' verdict on each; of many items, whether any is.
fn name_wrong(ours: &Parcrypt, call: &Call, verdict: &Answer) {
    if *verdict != Answer::Valid && call.inputs.iter().all(|list| list.len() <= 16) {
        call.check_wrong(ours, right, Answer::agrees);
    } else {
        let any = !call.find_wrong(ours).is_ok_and(|wrong| wrong.is_empty());
        assert_eq!(any, *verdict != Answer::Valid, "wrong items are named");
    }
}

/// Compares the verdict on blobs, and on one blob.
pub fn verify_blob_kzg_proof_batch(data: &[u8]) {
    let mut input = Input(data);
    let (ours, call) = (ours(&mut input), random(&mut input, Function::VerifyBlobs));
    let (found, right) = (call.ask(ours), right(&call));
    agree(&found, &right);
    name_wrong(ours, &call, &found);
    let lists: Vec<&[Vec<u8>]> = call.inputs.iter().map(Vec::as_slice).collect();
    if let [[blob], [commitment], [proof]] = lists[..] {
        let (rt, settings) = (ours.runtime(), ours.settings());
        let found = parcrypt_kzg::verify_blob_kzg_proof(rt, settings, blob, commitment, proof);
        agree(&Answer::verdict(found), &right);
    }
}

/// Compares the verdict on cells, and whether wrong ones are named.
pub fn verify_cell_kzg_proof_batch(data: &[u8]) {
    let mut input = Input(data);
    let (ours, call) = (ours(&mut input), random(&mut input, Function::VerifyCells));
    let found = call.ask(ours);
    agree(&found, &right(&call));
    name_wrong(ours, &call, &found);
}
