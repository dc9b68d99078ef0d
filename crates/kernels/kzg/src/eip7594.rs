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
mod polynomial;
mod recovery;
mod verifier;
mod verify;
mod wrong;

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Runtime, enter, map};

use crate::batch::{in_batches, map_valid, one};
use crate::eip4844::commitment::commit;
use crate::error::Error;
use crate::{CELLS_PER_EXT_BLOB, Cell, Proof, Settings};

use polynomial::Polynomial;
use recovery::{recover, rising};

pub use challenge::compute_verify_cell_kzg_proof_batch_challenge;
pub use verifier::{CellClaim, CellName, CellVerdict, CellVerifier, WrongCell};
pub use verify::verify_cell_kzg_proof_batch;
pub use wrong::verify_cell_kzg_proof_batch_which;

/// The cells of a blob, or some of them, and a proof for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsAndProofs {
    /// The cells. The first 64 of a blob are the blob.
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
    one(cells(rt, settings, 0, &[blob], None))
}

/// Returns [`compute_cells`] of each blob; an invalid blob does not affect the others.
pub fn compute_cells_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<Vec<Cell>, Error>> {
    in_batches(blobs, |first, blobs| cells(rt, settings, first, blobs, None))
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
    one(cells_and_proofs(rt, settings, 0, &[blob], None))
}

/// Returns [`compute_cells_and_kzg_proofs`] of each blob; an invalid blob does not affect the others.
pub fn compute_cells_and_kzg_proofs_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<CellsAndProofs, Error>> {
    in_batches(blobs, |first, blobs| cells_and_proofs(rt, settings, first, blobs, None))
}

/// Returns these cells of each blob, in the order of their indices; an invalid blob does not affect the others.
///
/// Cells below 64 are copies of the blob's. Each further one takes a few µs, and never more than all cells together.
///
/// # Errors
/// [`Error::CellIndex`] and [`Error::CellOrder`] for indices that are not below 128 or do not rise. For each blob
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob, whichever cells are asked for.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, Request, Settings, compute_cells, compute_cells_subset_many};
/// use parcrypt_runtime::Serial;
/// let settings = Settings::mainnet(Request::Auto)?;
/// let blob = vec![1; BYTES_PER_BLOB];
/// let all = compute_cells(&Serial, &settings, &blob)?;
/// let some = compute_cells_subset_many(&Serial, &settings, &[&blob], &[3, 77])?;
/// assert_eq!(some, [Ok(vec![all[3], all[77]])]);
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
pub fn compute_cells_subset_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    cell_indices: &[u64],
) -> Result<Vec<Result<Vec<Cell>, Error>>, Error> {
    let wanted = rising(cell_indices)?;
    Ok(in_batches(blobs, |first, blobs| cells(rt, settings, first, blobs, Some(&wanted))))
}

/// Returns these cells of a blob and a proof for each, in the order of their indices.
///
/// A few proofs are commitments to one quotient each; many come with the proofs of all cells, which costs less then.
///
/// # Errors
/// As [`compute_cells_subset_many`], for the indices and the blob.
pub fn compute_cells_and_kzg_proofs_subset(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    cell_indices: &[u64],
) -> Result<CellsAndProofs, Error> {
    one(cells_and_proofs(rt, settings, 0, &[blob], Some(&rising(cell_indices)?)))
}

/// Returns the proofs of these cells of a blob, in the order of their indices, without the cells.
///
/// # Errors
/// As [`compute_cells_and_kzg_proofs_subset`].
pub fn compute_cell_kzg_proofs_subset(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    cell_indices: &[u64],
) -> Result<Vec<Proof>, Error> {
    one(cell_proofs(rt, settings, 0, &[blob], &rising(cell_indices)?))
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
    one(recovered_cells(rt, settings, &[Samples { cell_indices, cells }], None))
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
    in_batches(samples, |_, samples| recovered_cells(rt, settings, samples, None))
}

/// Returns [`recover_cells_and_kzg_proofs`] of each blob; an invalid one does not affect the others.
pub fn recover_cells_and_kzg_proofs_many(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
) -> Vec<Result<CellsAndProofs, Error>> {
    in_batches(samples, |_, samples| recovered_cells_and_proofs(rt, settings, samples))
}

/// Returns the cells `wanted` of each blob from at least 64 of its cells, in the order of these indices, such as one
/// column of many blobs; an invalid blob does not affect the others.
///
/// # Errors
/// [`Error::CellIndex`] and [`Error::CellOrder`] for `wanted`. For each blob as [`recover_cells`].
pub fn recover_cells_subset_many(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
    wanted: &[u64],
) -> Result<Vec<Result<Vec<Cell>, Error>>, Error> {
    let wanted = rising(wanted)?;
    Ok(in_batches(samples, |_, samples| recovered_cells(rt, settings, samples, Some(&wanted))))
}

fn cells(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
    wanted: Option<&[usize]>,
) -> Vec<Result<Vec<Cell>, Error>> {
    let some = |first: usize, blobs: &[&[u8]]| {
        only_cells(rt, settings, polynomial::read(rt, settings, first, blobs), wanted)
    };
    enter(rt, settings.wanted_cells_cost(blobs.len(), wanted), || {
        if blobs.len() < rt.threads().get() {
            return some(first, blobs);
        }
        // One blob after the other stays in the second cache.
        let cost = settings.wanted_cells_cost(1, wanted);
        map(rt, blobs.len(), cost, |i| one(some(first + i, &blobs[i..=i])))
    })
}

fn cells_and_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
    wanted: Option<&[usize]>,
) -> Vec<Result<CellsAndProofs, Error>> {
    let (n, count) = (blobs.len(), wanted.map_or(CELLS_PER_EXT_BLOB, <[usize]>::len));
    let cost = settings.wanted_cells_cost(n, wanted) + settings.proofs_of_cells_cost(n, count);
    enter(rt, cost, || with_proofs(rt, settings, polynomial::read(rt, settings, first, blobs), wanted))
}

fn cell_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
    wanted: &[usize],
) -> Vec<Result<Vec<Proof>, Error>> {
    let n = blobs.len();
    let cost = settings.wanted_cells_cost(n, Some(&[])) + settings.proofs_of_cells_cost(n, wanted.len());
    enter(rt, cost, || {
        map_valid(polynomial::read(rt, settings, first, blobs), |mut polynomials| {
            proofs(rt, settings, &mut polynomials, Some(wanted))
        })
    })
}

fn recovered_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples],
    wanted: Option<&[usize]>,
) -> Vec<Result<Vec<Cell>, Error>> {
    enter(rt, settings.recovery_cost(samples.len()), || {
        only_cells(rt, settings, recover(rt, settings, samples, wanted), wanted)
    })
}

fn recovered_cells_and_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples],
) -> Vec<Result<CellsAndProofs, Error>> {
    let n = samples.len();
    enter(rt, settings.recovery_cost(n) + settings.proofs_of_cells_cost(n, CELLS_PER_EXT_BLOB), || {
        with_proofs(rt, settings, recover(rt, settings, samples, None), None)
    })
}

/// Returns the wanted cells of each polynomial, all for `None`.
fn only_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: Vec<Result<Polynomial<'_>, Error>>,
    wanted: Option<&[usize]>,
) -> Vec<Result<Vec<Cell>, Error>> {
    map_valid(polynomials, |polynomials| Ok(wanted_cells(rt, settings, polynomials, wanted)))
}

fn wanted_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    mut polynomials: Vec<Polynomial<'_>>,
    wanted: Option<&[usize]>,
) -> Vec<Vec<Cell>> {
    match wanted {
        Some(wanted) => polynomial::cells(rt, settings, &mut polynomials, wanted),
        None => {
            polynomial::extend(rt, settings, &mut polynomials);
            polynomials.into_iter().map(Polynomial::into_cells).collect()
        }
    }
}

/// Returns the wanted cells of each polynomial and their proofs, all for `None`.
fn with_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: Vec<Result<Polynomial<'_>, Error>>,
    wanted: Option<&[usize]>,
) -> Vec<Result<CellsAndProofs, Error>> {
    map_valid(polynomials, |mut polynomials| {
        let proofs = proofs(rt, settings, &mut polynomials, wanted)?;
        let cells = wanted_cells(rt, settings, polynomials, wanted);
        Ok(cells.into_iter().zip(proofs).map(|(cells, proofs)| CellsAndProofs { cells, proofs }).collect())
    })
}

/// Returns the proofs of the wanted cells of each polynomial, all for `None`, in the way that takes less time.
fn proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: &mut [Polynomial<'_>],
    wanted: Option<&[usize]>,
) -> Result<Vec<Vec<Proof>>, Error> {
    match wanted {
        Some(wanted) if !settings.all_proofs_pay(polynomials.len(), wanted.len()) => {
            if wanted.is_empty() {
                return Ok(vec![Vec::new(); polynomials.len()]);
            }
            let quotients: Vec<Vec<Fr>> = polynomials
                .iter()
                .flat_map(|polynomial| polynomial::quotients(rt, settings, polynomial, wanted))
                .collect();
            let proofs = commit(rt, settings, &quotients)?;
            Ok(proofs.chunks(wanted.len()).map(<[Proof]>::to_vec).collect())
        }
        _ => {
            polynomial::extend(rt, settings, polynomials);
            let all = fk20::proofs(rt, settings, polynomials)?;
            let Some(wanted) = wanted else { return Ok(all) };
            Ok(all.into_iter().map(|all| wanted.iter().map(|cell| all[*cell]).collect()).collect())
        }
    }
}
