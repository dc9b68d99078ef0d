//! The functions of EIP-7594 against c-kzg's.

use parcrypt_kzg::{Cell, CellsAndProofs, Error, Samples};

use crate::input::{Input, cancelling, slices};
use crate::oracle::{self, ETH_KZG, OURS, Sample, agree, agree_on_all, arrays, theirs, verdict};

/// Returns indices of cells at equal distances, few or many.
fn wanted(input: &mut Input<'_>) -> Vec<u64> {
    let (first, step) = (input.below(128) as u64, 1 + input.below(64));
    (first..128).step_by(step).collect()
}

/// Checks that some cells of each blob are those among all of its cells, with the same errors.
fn are_among(
    all: &[Result<Vec<Cell>, Error>],
    some: Result<Vec<Result<Vec<Cell>, Error>>, Error>,
    wanted: &[u64],
) {
    let chosen = |all: &Vec<Cell>| wanted.iter().map(|index| all[*index as usize]).collect::<Vec<_>>();
    let expected: Vec<_> = all.iter().map(|all| all.as_ref().map(chosen).map_err(Clone::clone)).collect();
    assert!(some == Ok(expected), "cells {wanted:?} differ");
}

/// Compares the cells of some blobs, and of only the first; some cells of each with those.
pub fn compute_cells(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, blobs) = (input.runtime(), input.blobs(20));
    let found = parcrypt_kzg::compute_cells_many(rt, &OURS, &slices(&blobs));
    let wanted = wanted(&mut input);
    let some = parcrypt_kzg::compute_cells_subset_many(rt, &OURS, &slices(&blobs), &wanted);
    are_among(&found, some, &wanted);
    let first = blobs.first().map(|first| parcrypt_kzg::compute_cells(rt, &OURS, first));
    agree_on_all(found, first, blobs.iter().map(|blob| oracle::cells_of(blob)).collect());
}

/// Compares the cells and proofs of some blobs, and of only the first.
pub fn compute_cells_and_kzg_proofs(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, blobs) = (input.runtime(), input.blobs(4));
    let found = parcrypt_kzg::compute_cells_and_kzg_proofs_many(rt, &OURS, &slices(&blobs));
    let first = blobs.first().map(|first| parcrypt_kzg::compute_cells_and_kzg_proofs(rt, &OURS, first));
    agree_on_all(found, first, blobs.iter().map(|blob| oracle::cells_and_proofs(blob)).collect());
}

/// Returns some cells of a sample, most often enough of them and in order, and their indices.
fn some_cells(input: &mut Input<'_>) -> (Vec<u64>, Vec<Vec<u8>>) {
    let sample = input.sample();
    let all = &sample.cells_and_proofs().cells;
    // Exactly half, all, one too few, or any number.
    let count = [64, 128, 63, 65, input.below(129)][input.below(5)];
    // The first, the last, every other one, or those that the fuzzer chooses.
    let mut indices: Vec<u64> = match input.below(4) {
        0 => (0..count as u64).collect(),
        1 => (128 - count as u64..128).collect(),
        2 => (0..128).step_by(2).chain((1..128).step_by(2)).take(count).collect(),
        _ => {
            let mut left: Vec<u64> = (0..128).collect();
            (0..count).map(|_| left.remove(input.below(left.len()))).collect()
        }
    };
    indices.sort_unstable();
    let mut cells: Vec<Vec<u8>> = indices.iter().map(|i| all[*i as usize].to_vec()).collect();
    if input.rarely(2) && !cells.is_empty() {
        let at = input.below(cells.len());
        cells[at] = input.elements(cells[at].clone());
    }
    if input.rarely(4) && !indices.is_empty() {
        let (a, b) = (input.below(indices.len()), input.below(indices.len()));
        match input.below(4) {
            0 => indices.swap(a, b),
            // In order, except for this.
            1 => indices[a] = indices[a.saturating_sub(1)],
            2 => indices[a] = indices[b],
            _ => indices[a] = input.number(),
        }
    }
    input.list(&mut indices);
    input.list(&mut cells);
    (indices, cells)
}

/// Returns the cells of up to `most` blobs, some cells of each.
fn some_blobs(input: &mut Input<'_>, most: usize) -> Vec<(Vec<u64>, Vec<Vec<u8>>)> {
    let count = [1, 2, input.below(most + 1)][input.below(3)];
    (0..count).map(|_| some_cells(input)).collect()
}

/// Calls `f` with the samples in the form of our functions.
fn with_samples<T>(all: &[(Vec<u64>, Vec<Vec<u8>>)], f: impl FnOnce(&[Samples<'_>]) -> T) -> T {
    let slices: Vec<Vec<&[u8]>> = all.iter().map(|(_, cells)| slices(cells)).collect();
    let samples = all.iter().zip(&slices).map(|((cell_indices, _), cells)| Samples { cell_indices, cells });
    f(&samples.collect::<Vec<_>>())
}

/// Compares all cells recovered from some, of one blob or several, and of only the first; some cells with those.
pub fn recover_cells(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, all) = (input.runtime(), some_blobs(&mut input, 6));
    let found = with_samples(&all, |samples| parcrypt_kzg::recover_cells_many(rt, &OURS, samples));
    let wanted = wanted(&mut input);
    let some =
        with_samples(&all, |samples| parcrypt_kzg::recover_cells_subset_many(rt, &OURS, samples, &wanted));
    are_among(&found, some, &wanted);
    let first = all.first();
    let first = first.map(|(indices, cells)| parcrypt_kzg::recover_cells(rt, &OURS, indices, &slices(cells)));
    let right = all.iter().map(|(indices, cells)| Some(oracle::recover(indices, cells)?.cells));
    agree_on_all(found, first, right.collect());
}

/// Compares all cells and their proofs recovered from some, of one blob or several, and of only the first.
pub fn recover_cells_and_kzg_proofs(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, all) = (input.runtime(), some_blobs(&mut input, 3));
    let found =
        with_samples(&all, |samples| parcrypt_kzg::recover_cells_and_kzg_proofs_many(rt, &OURS, samples));
    let first = all.first().map(|(indices, cells)| {
        parcrypt_kzg::recover_cells_and_kzg_proofs(rt, &OURS, indices, &slices(cells))
    });
    let right = all.iter().map(|(indices, cells)| oracle::recover(indices, cells));
    agree_on_all(found, first, right.collect());
}

/// Compares the verdict on cells of up to three blobs.
pub fn verify_cell_kzg_proof_batch(data: &[u8]) {
    let mut input = Input::new(data);
    let rt = input.runtime();
    let blobs: [&Sample; 3] = [input.sample(), input.sample(), input.sample()];
    let (mut commitments, mut indices) = (Vec::new(), Vec::new());
    let (mut cells, mut proofs) = (Vec::new(), Vec::new());
    let count = match input.below(4) {
        0 => 1,
        1 => 0,
        2 => input.below(8),
        _ => input.below(200),
    };
    // Many are spread over the columns, or are all in one; a few are of any, possibly repeated.
    let step = [5, 0][input.below(2)];
    for i in 0..count {
        let (of, index) =
            if count > 8 { (i % 3, i * step % 128) } else { (input.below(3), input.below(128)) };
        let blob = blobs[of];
        let CellsAndProofs { cells: all, proofs: their_proofs } = blob.cells_and_proofs();
        commitments.push(blob.commitment.to_vec());
        indices.push(index as u64);
        cells.push(all[index].to_vec());
        proofs.push(their_proofs[index].to_vec());
    }
    for _ in 0..input.below(3) {
        if cells.is_empty() {
            break;
        }
        let at = input.below(cells.len());
        match input.below(5) {
            0 => commitments[at] = input.point(blobs[0].commitment),
            1 => indices[at] = input.number(),
            2 => cells[at] = input.elements(cells[at].clone()),
            3 => proofs[at] = input.point(proofs[at][..].try_into().unwrap_or(blobs[0].proof)),
            _ => proofs.swap(0, at),
        }
    }
    if input.rarely(8) {
        let (sample, index) = (blobs[0], input.below(128));
        let CellsAndProofs { cells: all, proofs: their_proofs } = sample.cells_and_proofs();
        for proof in cancelling(&their_proofs[index]) {
            commitments.push(sample.commitment.to_vec());
            indices.push(index as u64);
            cells.push(all[index].to_vec());
            proofs.push(proof);
        }
    }
    input.list(&mut commitments);
    input.list(&mut indices);
    input.list(&mut cells);
    input.list(&mut proofs);
    let (a, b, c) = (slices(&commitments), slices(&cells), slices(&proofs));
    let ours = parcrypt_kzg::verify_cell_kzg_proof_batch(rt, &OURS, &a, &indices, &b, &c);
    let right = || {
        let (commitments, proofs) = (oracle::points(&commitments)?, oracle::points(&proofs)?);
        let cells = oracle::cells(&cells)?;
        theirs().verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &proofs).ok()
    };
    agree(ours.clone(), right());
    let eth_kzg = || {
        let (commitments, cells, proofs) = (arrays(&commitments)?, arrays(&cells)?, arrays(&proofs)?);
        verdict(ETH_KZG.verify_cell_kzg_proof_batch(commitments, &indices, cells, proofs))
    };
    agree(ours, eth_kzg());
}

/// Compares the challenge for a batch of cells.
pub fn compute_verify_cell_kzg_proof_batch_challenge(data: &[u8]) {
    let mut input = Input::new(data);
    let mut commitments: Vec<Vec<u8>> = Vec::new();
    for _ in 0..input.below(4) {
        let sample = input.sample();
        commitments.push(input.point(sample.commitment));
    }
    let (mut of, mut indices) = (Vec::new(), Vec::new());
    let (mut cells, mut proofs) = (Vec::new(), Vec::new());
    for _ in 0..input.below(6) {
        let CellsAndProofs { cells: all, proofs: their_proofs } = input.sample().cells_and_proofs();
        let index = input.below(128);
        of.push(if input.rarely(16) { input.number() } else { input.below(commitments.len().max(1)) as u64 });
        indices.push(if input.rarely(16) { input.number() } else { index as u64 });
        cells.push(input.elements(all[index].to_vec()));
        proofs.push(input.point(their_proofs[index]));
    }
    input.list(&mut of);
    input.list(&mut indices);
    input.list(&mut cells);
    input.list(&mut proofs);
    let (a, b, c) = (slices(&commitments), slices(&cells), slices(&proofs));
    let ours = parcrypt_kzg::compute_verify_cell_kzg_proof_batch_challenge(&a, &of, &indices, &b, &c);
    agree(ours, oracle::cells_challenge(&commitments, &of, &indices, &cells, &proofs));
}
