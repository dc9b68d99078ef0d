//! Cells of extended blobs, their proofs and their recovery (EIP-7594; polynomial-commitments-sampling.md of the
//! consensus specifications for Fulu).
//!
//! The values of a blob's polynomial P at the 8192 roots of unity, in bit-reversed order, are cut into 128 cells of 64.
//! Cell c has the values of P where X^64 = y_c, for the 128th root of unity y_c that has the same index in its domain.
//! So a cell is the remainder of P modulo X^64 − y_c in another form: a transform of 64 elements converts one into the
//! other. The coefficients j of all remainders are the values, at the y_c, of the polynomial with the coefficients
//! j, j + 64, j + 128, … of P: so a transform of 128 elements for each j gives the coefficients of P. Proofs of cells
//! and recovery work on remainders.

mod challenge;
mod extension;
mod fk20;
mod recovery;
mod verifier;
mod verify;

use parcrypt_runtime::{Runtime, enter};

use crate::batch::{in_batches, map_valid, one};
use crate::error::Error;
use crate::{Cell, Proof, Settings};

use extension::{Remainders, extend};
use recovery::recover;

pub use challenge::compute_verify_cell_kzg_proof_batch_challenge;
pub use verifier::{CellClaim, CellName, CellVerdict, CellVerifier, RefusedCell};
pub use verify::verify_cell_kzg_proof_batch;

/// The cells of a blob, and a proof for each.
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
    /// The indices of the cells, in rising order.
    pub cell_indices: &'a [u64],
    /// The cells, one for each index.
    pub cells: &'a [&'a [u8]],
}

/// Returns the 128 cells of a blob; the first 64 are the blob itself.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob.
pub fn compute_cells(rt: &dyn Runtime, settings: &Settings, blob: &[u8]) -> Result<Vec<Cell>, Error> {
    one(cells(rt, settings, 0, &[blob]))
}

/// Returns [`compute_cells`] of each blob; an invalid blob does not affect the others.
pub fn compute_cells_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<Vec<Cell>, Error>> {
    in_batches(blobs, |first, blobs| cells(rt, settings, first, blobs))
}

/// Returns the 128 cells of a blob and a proof for each.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob.
pub fn compute_cells_and_kzg_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
) -> Result<CellsAndProofs, Error> {
    one(cells_and_proofs(rt, settings, 0, &[blob]))
}

/// Returns [`compute_cells_and_kzg_proofs`] of each blob; an invalid blob does not affect the others.
pub fn compute_cells_and_kzg_proofs_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<CellsAndProofs, Error>> {
    in_batches(blobs, |first, blobs| cells_and_proofs(rt, settings, first, blobs))
}

/// Returns all 128 cells from at least 64 of them.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; [`Error::CellIndex`] and [`Error::CellOrder`] for indices that
/// are not below 128 or do not rise; [`Error::TooFewCells`]; [`Error::Length`] and [`Error::NotCanonical`] for bytes
/// that are not a cell; [`Error::Inconsistent`] where some cell of more than 64 must be wrong.
pub fn recover_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    cell_indices: &[u64],
    cells: &[&[u8]],
) -> Result<Vec<Cell>, Error> {
    one(recovered_cells(rt, settings, &[Samples { cell_indices, cells }]))
}

/// Returns all 128 cells and their proofs from at least 64 cells.
///
/// # Errors
/// As [`recover_cells`].
pub fn recover_cells_and_kzg_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    cell_indices: &[u64],
    cells: &[&[u8]],
) -> Result<CellsAndProofs, Error> {
    one(recovered_cells_and_proofs(rt, settings, &[Samples { cell_indices, cells }]))
}

/// Returns [`recover_cells`] of each blob; an invalid one does not affect the others.
pub fn recover_cells_many(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
) -> Vec<Result<Vec<Cell>, Error>> {
    in_batches(samples, |_, samples| recovered_cells(rt, settings, samples))
}

/// Returns [`recover_cells_and_kzg_proofs`] of each blob; an invalid one does not affect the others.
pub fn recover_cells_and_kzg_proofs_many(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
) -> Vec<Result<CellsAndProofs, Error>> {
    in_batches(samples, |_, samples| recovered_cells_and_proofs(rt, settings, samples))
}

fn cells(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
) -> Vec<Result<Vec<Cell>, Error>> {
    enter(rt, settings.cells_cost(blobs.len()), || {
        extend(rt, settings, first, blobs)
            .into_iter()
            .map(|extended| extended.map(|(_, cells)| cells))
            .collect()
    })
}

fn cells_and_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
) -> Vec<Result<CellsAndProofs, Error>> {
    enter(rt, settings.cells_cost(blobs.len()) + settings.cell_proofs_cost(blobs.len()), || {
        with_proofs(rt, settings, extend(rt, settings, first, blobs))
    })
}

fn recovered_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples],
) -> Vec<Result<Vec<Cell>, Error>> {
    enter(rt, settings.recovery_cost(samples.len()), || {
        recover(rt, settings, samples)
            .into_iter()
            .map(|recovered| recovered.map(|(_, cells)| cells))
            .collect()
    })
}

fn recovered_cells_and_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples],
) -> Vec<Result<CellsAndProofs, Error>> {
    enter(rt, settings.recovery_cost(samples.len()) + settings.cell_proofs_cost(samples.len()), || {
        with_proofs(rt, settings, recover(rt, settings, samples))
    })
}

fn with_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: Vec<Result<(Remainders, Vec<Cell>), Error>>,
) -> Vec<Result<CellsAndProofs, Error>> {
    map_valid(blobs, |blobs| {
        let remainders: Vec<&Remainders> = blobs.iter().map(|(remainders, _)| remainders).collect();
        let proofs = fk20::proofs(rt, settings, &remainders)?;
        Ok(blobs
            .into_iter()
            .zip(proofs)
            .map(|((_, cells), proofs)| CellsAndProofs { cells, proofs })
            .collect())
    })
}
