//! Cells of extended blobs, their proofs and their recovery (EIP-7594; polynomial-commitments-sampling.md of the consensus
//! specifications for Fulu).
//!
//! The values of a blob's polynomial P at the 8192 roots of unity, in bit-reversed order, are cut into 128 cells of 64.
//! Cell c holds the values of P where X^64 = y_c, for the 128th root of unity y_c that has the same place in its
//! domain. So a cell is the remainder of P modulo X^64 − y_c in another form: a transform of 64 elements leads from one
//! to the other. The coefficients j of all remainders are the values, at the y_c, of the polynomial whose coefficients
//! are those of P at j, j + 64, j + 128, …: so a transform of 128 elements for each j leads to the coefficients of P.
//! Proofs of cells and recovery work on remainders.

use std::collections::HashMap;

use parcrypt_bls12_381::{Fr, G1, G1Affine, msm, pairing};
use parcrypt_runtime::{Cost, Runtime, map};
use sha2::{Digest, Sha256};

use crate::bytes::{self, POINT_NS};
use crate::eip4844::powers;
use crate::error::{Error, Input};
use crate::settings::CELL_SCALE;
use crate::{
    BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell,
    FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB, FieldBytes, Proof,
    Settings, fk20, recovery,
};

/// RANDOM_CHALLENGE_KZG_CELL_BATCH_DOMAIN.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGCBATCH__V1_";

/// What it costs to extend a blob.
const EXTEND_NS: u64 = 2_000_000;
/// What the proofs of all cells of a blob cost.
const PROOFS_NS: u64 = 100_000_000;

/// All cells of a blob, and a proof for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsAndProofs {
    /// The 128 cells. The first 64 are the blob.
    pub cells: Vec<Cell>,
    /// The proof of each cell.
    pub proofs: Vec<Proof>,
}

/// Some of the cells of a blob.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Which cells, in rising order.
    pub cell_indices: &'a [u64],
    /// The cells, as many as indices.
    pub cells: &'a [&'a [u8]],
}

/// The 128 cells of a blob; the first 64 are the blob itself.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are no blob.
pub fn compute_cells(rt: &dyn Runtime, settings: &Settings, blob: &[u8]) -> Result<Vec<Cell>, Error> {
    cells_of_blob(rt, settings, 0, blob)
}

/// The cells of each blob, as [`compute_cells`] gives them.
pub fn compute_cells_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<Vec<Cell>, Error>> {
    map(rt, blobs.len(), Cost::ns(EXTEND_NS), |i| cells_of_blob(rt, settings, i, blobs[i]))
}

/// The 128 cells of a blob and a proof for each.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are no blob.
pub fn compute_cells_and_kzg_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
) -> Result<CellsAndProofs, Error> {
    cells_and_proofs_of_blob(rt, settings, 0, blob)
}

/// The cells and proofs of each blob, as [`compute_cells_and_kzg_proofs`] gives them.
pub fn compute_cells_and_kzg_proofs_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<CellsAndProofs, Error>> {
    map(rt, blobs.len(), Cost::ns(PROOFS_NS), |i| cells_and_proofs_of_blob(rt, settings, i, blobs[i]))
}

/// All 128 cells from at least 64 of them.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; [`Error::CellIndex`] and [`Error::CellOrder`] for indices that are
/// not below 128 or do not rise; [`Error::TooFewCells`]; [`Error::Length`] and [`Error::NotCanonical`] for bytes that
/// are no cell; [`Error::Inconsistent`] where some cell of more than 64 must be wrong.
pub fn recover_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    cell_indices: &[u64],
    cells: &[&[u8]],
) -> Result<Vec<Cell>, Error> {
    let samples = Samples { cell_indices, cells };
    let remainders = recovery::remainders(rt, settings, samples)?;
    Ok(recovery::cells(settings, samples, &remainders))
}

/// All 128 cells and their proofs from at least 64 cells.
///
/// # Errors
/// As [`recover_cells`].
pub fn recover_cells_and_kzg_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    cell_indices: &[u64],
    cells: &[&[u8]],
) -> Result<CellsAndProofs, Error> {
    let samples = Samples { cell_indices, cells };
    let remainders = recovery::remainders(rt, settings, samples)?;
    let proofs = fk20::proofs(rt, settings, &remainders)?;
    Ok(CellsAndProofs { cells: recovery::cells(settings, samples, &remainders), proofs })
}

/// The cells of each blob, as [`recover_cells`] gives them.
pub fn recover_cells_many(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
) -> Vec<Result<Vec<Cell>, Error>> {
    map(rt, samples.len(), Cost::ns(EXTEND_NS), |i| {
        recover_cells(rt, settings, samples[i].cell_indices, samples[i].cells)
    })
}

/// The cells and proofs of each blob, as [`recover_cells_and_kzg_proofs`] gives them.
pub fn recover_cells_and_kzg_proofs_many(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
) -> Vec<Result<CellsAndProofs, Error>> {
    map(rt, samples.len(), Cost::ns(PROOFS_NS), |i| {
        recover_cells_and_kzg_proofs(rt, settings, samples[i].cell_indices, samples[i].cells)
    })
}

/// Whether each cell is that of its index in the blob of its commitment, by its proof; true for none.
///
/// With random a_k it is one pairing of two pairs: e(Σ a_k·(C_k − I_k(τ)·G1 + y_k·π_k), G2) · e(−Σ a_k·π_k, τ^64·G2) = 1,
/// where I_k is the polynomial of degree below 64 with the values of cell k, and X^64 = y_k where it has them.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; [`Error::CellIndex`] for indices that are not below 128;
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are no cell or no points.
pub fn verify_cell_kzg_proof_batch(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&[u8]],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, Error> {
    let n = cells.len();
    bytes::count(Input::Commitment, n, commitments.len())?;
    bytes::count(Input::CellIndex, n, cell_indices.len())?;
    bytes::count(Input::Proof, n, proofs.len())?;
    if n == 0 {
        return Ok(true);
    }
    let columns: Vec<usize> = cell_indices
        .iter()
        .enumerate()
        .map(|(k, index)| recovery::cell_index(k, *index))
        .collect::<Result<_, _>>()?;
    let (distinct, commitment_indices) = deduplicate(commitments);
    let challenge = batch_challenge(&distinct, &commitment_indices, cell_indices, cells, proofs)?;
    let factors = powers(challenge, n);

    let mut points = Vec::with_capacity(distinct.len());
    for commitment in distinct {
        let index = commitments.iter().position(|c| *c == commitment).unwrap_or_default();
        points.push(bytes::point(Input::Commitment, index, commitment)?);
    }
    let proofs = map(rt, n, Cost::ns(POINT_NS), |k| bytes::point(Input::Proof, k, proofs[k]));
    let proofs: Vec<G1Affine> = proofs.into_iter().collect::<Result<_, _>>()?;

    let mut commitment_factors = vec![Fr::zero(); points.len()];
    let mut proof_factors = Vec::with_capacity(n);
    let mut sums = vec![Fr::zero(); FIELD_ELEMENTS_PER_EXT_BLOB];
    let mut values = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
    for k in 0..n {
        bytes::elements(Input::Cell, k, cells[k], &mut values)?;
        let sum = sums[columns[k] * FIELD_ELEMENTS_PER_CELL..].iter_mut();
        sum.zip(&values).for_each(|(sum, value)| *sum += *value * factors[k]);
        commitment_factors[commitment_indices[k] as usize] += factors[k];
        proof_factors.push(factors[k] * settings.points.point(columns[k]));
    }
    let mut interpolation = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
    for (c, sum) in sums.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
        settings.points.inverse(c, CELL_SCALE, sum);
        interpolation.iter_mut().zip(sum).for_each(|(i, x)| *i -= *x * settings.cell_size_inverse);
    }

    let weighted_proofs = msm::msm_vartime(rt, &proofs, &factors)?;
    points.extend(&proofs);
    points.extend(&settings.g1_monomial[..FIELD_ELEMENTS_PER_CELL]);
    commitment_factors.extend(proof_factors);
    commitment_factors.extend(interpolation);
    let values = msm::msm_vartime(rt, &points, &commitment_factors)?;
    let sums = G1::batch_to_affine(&[values, -weighted_proofs]);
    let prepared = &settings.prepared;
    Ok(pairing::product_is_one(&[(sums[0], &prepared.generator), (sums[1], &prepared.secret_to_64)]))
}

/// The challenge of [`verify_cell_kzg_proof_batch`], by the hash of all that it is given.
///
/// `commitments` are distinct; cell k belongs to the commitment `commitment_indices[k]` of them.
///
/// # Errors
/// [`Error::Count`] where lists of cells differ in length, [`Error::CommitmentIndex`] for an index without commitment,
/// [`Error::CellIndex`] for indices that are not below 128, [`Error::Length`] for cells, commitments or proofs of
/// another length; what they hold is only hashed.
pub fn compute_verify_cell_kzg_proof_batch_challenge(
    commitments: &[&[u8]],
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cosets_evals: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<FieldBytes, Error> {
    let n = cosets_evals.len();
    bytes::count(Input::CommitmentIndex, n, commitment_indices.len())?;
    bytes::count(Input::CellIndex, n, cell_indices.len())?;
    bytes::count(Input::Proof, n, proofs.len())?;
    for (index, &commitment_index) in commitment_indices.iter().enumerate() {
        if commitment_index >= commitments.len() as u64 {
            return Err(Error::CommitmentIndex { index, commitment_index, commitments: commitments.len() });
        }
        recovery::cell_index(index, cell_indices[index])?;
    }
    let challenge = batch_challenge(commitments, commitment_indices, cell_indices, cosets_evals, proofs)?;
    Ok(challenge.to_bytes())
}

/// It checks the lengths of what it hashes.
fn batch_challenge(
    commitments: &[&[u8]],
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<Fr, Error> {
    let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
    for number in [FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, commitments.len(), cells.len()] {
        hash.update((number as u64).to_be_bytes());
    }
    for (index, commitment) in commitments.iter().enumerate() {
        hash.update(bytes::array::<BYTES_PER_COMMITMENT>(Input::Commitment, index, commitment)?);
    }
    for k in 0..cells.len() {
        hash.update(commitment_indices[k].to_be_bytes());
        hash.update(cell_indices[k].to_be_bytes());
        hash.update(bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cells[k])?);
        hash.update(bytes::array::<BYTES_PER_PROOF>(Input::Proof, k, proofs[k])?);
    }
    Ok(Fr::from_bytes_reduced(&hash.finalize()))
}

/// Each commitment once, in order of its first place, and for each given one which of those it is.
fn deduplicate<'a>(commitments: &[&'a [u8]]) -> (Vec<&'a [u8]>, Vec<u64>) {
    let mut places = HashMap::new();
    let mut distinct = Vec::new();
    let indices = commitments.iter().map(|commitment| {
        *places.entry(*commitment).or_insert_with(|| {
            distinct.push(*commitment);
            distinct.len() as u64 - 1
        })
    });
    let indices = indices.collect();
    (distinct, indices)
}

/// The coefficients of a blob's polynomial.
fn coefficients(rt: &dyn Runtime, settings: &Settings, index: usize, blob: &[u8]) -> Result<Vec<Fr>, Error> {
    let mut values = bytes::blob(rt, index, blob)?;
    settings.points.inverse(0, FIELD_ELEMENTS_PER_BLOB.ilog2(), &mut values);
    values.iter_mut().for_each(|x| *x *= settings.blob_size_inverse);
    Ok(values)
}

fn cells_of_blob(
    rt: &dyn Runtime,
    settings: &Settings,
    index: usize,
    blob: &[u8],
) -> Result<Vec<Cell>, Error> {
    let mut extension = coefficients(rt, settings, index, blob)?;
    settings.points.forward(1, FIELD_ELEMENTS_PER_BLOB.ilog2(), &mut extension);
    Ok(cells_of(blob, &extension))
}

/// The cells of a blob, and those of its extension.
fn cells_of(blob: &[u8], extension: &[Fr]) -> Vec<Cell> {
    let mut cells = blob.as_chunks::<BYTES_PER_CELL>().0.to_vec();
    cells.resize(CELLS_PER_EXT_BLOB, [0; BYTES_PER_CELL]);
    for (cell, values) in cells[CELLS_PER_BLOB..].iter_mut().zip(extension.chunks(FIELD_ELEMENTS_PER_CELL)) {
        bytes::write_elements(values, cell);
    }
    cells
}

fn cells_and_proofs_of_blob(
    rt: &dyn Runtime,
    settings: &Settings,
    index: usize,
    blob: &[u8],
) -> Result<CellsAndProofs, Error> {
    let coefficients = coefficients(rt, settings, index, blob)?;
    let levels = FIELD_ELEMENTS_PER_BLOB.ilog2() - CELL_SCALE;
    let mut remainders = Vec::with_capacity(FIELD_ELEMENTS_PER_EXT_BLOB);
    for block in [0, 1] {
        let mut half = coefficients.clone();
        settings.points.forward(block, levels, &mut half);
        remainders.append(&mut half);
    }
    let proofs = fk20::proofs(rt, settings, &remainders)?;
    let mut extension = remainders.split_off(FIELD_ELEMENTS_PER_BLOB);
    for (c, row) in extension.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
        settings.points.forward(CELLS_PER_BLOB + c, CELL_SCALE, row);
    }
    Ok(CellsAndProofs { cells: cells_of(blob, &extension), proofs })
}
