//! Costs of the functions and of their parts, of one thread on a core of 2023.
//!
//! They decide what runs in parallel ([`parcrypt_runtime::Cost`]) and select between ways that give the same result; no
//! result depends on them. Each is a sum of the costs of `parcrypt_bls12_381::costs`.

use std::num::NonZeroUsize;

use parcrypt_bls12_381::costs::{FR_PRODUCT, FR_SUM};
use parcrypt_bls12_381::{G1, Membership, decompress_cost};
use parcrypt_runtime::Cost;
use parcrypt_sha256::HASH_PS;

use crate::batch::{Scalars, msm_cost};
use crate::settings::{Rows, Settings};
use crate::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB,
    FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, PIECE,
};

/// The challenge of a blob: its hash.
pub(crate) const CHALLENGE: Cost = Cost::ns(BYTES_PER_BLOB as u64 * HASH_PS / 1000);

/// Ways to recover cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The missing cells of the blob as sums over 64 cells.
    Sums,
    /// All from the last 64 cells.
    MirrorImage,
    /// All from any 64 cells.
    Any,
}

/// Pieces of 512 elements of a blob.
const PIECES: usize = FIELD_ELEMENTS_PER_BLOB / PIECE;

/// Affine additions of the sum of an interpolation polynomial, by the formula of `FixedMsm::cost` for 64 points with
/// 26 multiples each, and rounded.
const INTERPOLATION_ADDITIONS: usize = 2000;

/// Returns the cost of reading a blob.
pub(crate) fn read_blob(rows: &Rows) -> Cost {
    rows.fr.costs.encodings(FIELD_ELEMENTS_PER_BLOB)
}

/// Returns the cost of the value at z of a blob's polynomial, and of its quotient by X − z.
pub(crate) fn divide(settings: &Settings) -> Cost {
    settings.evaluator.cost() + settings.rows.fr.costs.products(4 * FIELD_ELEMENTS_PER_BLOB)
}

/// Returns the cost of a transform of 64 elements.
pub(crate) fn cell_transform(rows: &Rows) -> Cost {
    rows.fr.costs.transform(FIELD_ELEMENTS_PER_CELL)
}

/// Returns the cost of the transforms of a piece of 512 elements.
pub(crate) fn piece_transforms(rows: &Rows) -> Cost {
    PIECE / FIELD_ELEMENTS_PER_CELL * cell_transform(rows)
}

/// Returns the cost of reading or writing a piece of 512 elements.
pub(crate) fn piece_encoding(rows: &Rows) -> Cost {
    rows.fr.costs.encodings(PIECE)
}

/// Returns the cost of the vanishing polynomial of a blob's missing cells and its derivative, at all cells.
pub(crate) fn vanishing(rows: &Rows) -> Cost {
    CELLS_PER_BLOB * CELLS_PER_BLOB / 2 * FR_PRODUCT + 2 * rows.fr.costs.transform(CELLS_PER_EXT_BLOB)
}

/// Returns the cost of filling in a piece of columns, of 1024 elements.
pub(crate) fn fill_columns(rows: &Rows) -> Cost {
    4 * piece_transforms(rows) + rows.fr.costs.products(3 * 2 * PIECE)
}

/// Returns the cost of reading a cell and adding it, times a factor, to others.
pub(crate) fn weighted_cell(rows: &Rows) -> Cost {
    rows.fr.costs.encodings(FIELD_ELEMENTS_PER_CELL) + FIELD_ELEMENTS_PER_CELL * FR_SUM
}

/// Returns the cost of the commitments to this number of blobs.
pub(crate) fn commitments(settings: &Settings, blobs: usize) -> Cost {
    blobs * read_blob(&settings.rows)
        + settings.lagrange().map_or(Cost::default(), |points| points.cost(blobs))
}

/// Returns the cost of the proofs of this number of blobs.
pub(crate) fn blob_proofs(settings: &Settings, blobs: usize) -> Cost {
    blobs * (CHALLENGE + points(&settings.rows, 1) + divide(settings)) + commitments(settings, blobs)
}

/// Returns the cost of extending a blob whose remainders are known.
fn extension(rows: &Rows) -> Cost {
    PIECES * (3 * piece_transforms(rows) + piece_encoding(rows))
}

/// Returns the cost of one further cell, as a sum over the remainders of the first 64.
pub(crate) fn further_cell(rows: &Rows) -> Cost {
    rows.fr.costs.terms(FIELD_ELEMENTS_PER_BLOB)
        + CELLS_PER_BLOB * FR_PRODUCT
        + cell_transform(rows)
        + rows.fr.costs.encodings(FIELD_ELEMENTS_PER_CELL)
}

/// Returns whether these cells of a blob take less time with all others than one by one.
pub(crate) fn extension_pays(rows: &Rows, indices: &[usize]) -> bool {
    let further = indices.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count();
    further * further_cell(rows) > extension(rows)
}

/// Returns the cost of the remainders of a blob.
fn remainders(rows: &Rows) -> Cost {
    PIECES * (piece_transforms(rows) + piece_encoding(rows))
}

/// Returns the cost of the wanted cells of this number of blobs, all for `None`.
pub(crate) fn wanted_cells(rows: &Rows, blobs: usize, wanted: Option<&[usize]>) -> Cost {
    let further = match wanted {
        Some(wanted) if !extension_pays(rows, wanted) => {
            wanted.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count() * further_cell(rows)
        }
        _ => extension(rows),
    };
    blobs * (remainders(rows) + further)
}

/// Returns the cost of the proofs of this number of cells of each of some blobs.
pub(crate) fn proofs_of_cells(settings: &Settings, blobs: usize, cells: usize) -> Cost {
    if all_proofs_pay(settings, blobs, cells) {
        cell_proofs(settings, blobs)
    } else {
        single_proofs(settings, blobs * cells)
    }
}

/// Returns the cost of the quotient of a blob for the proof of one cell: the cell, the quotient, and its values.
pub(crate) fn quotient(rows: &Rows) -> Cost {
    further_cell(rows)
        + rows.fr.costs.products(FIELD_ELEMENTS_PER_BLOB)
        + FIELD_ELEMENTS_PER_BLOB * FR_SUM
        + PIECES * piece_transforms(rows)
}

/// Returns the cost of this number of proofs of cells, each as the commitment to a quotient.
fn single_proofs(settings: &Settings, proofs: usize) -> Cost {
    proofs * quotient(&settings.rows)
        + settings.lagrange().map_or(Cost::default(), |points| points.cost(proofs))
}

/// Returns whether the proofs of this number of cells of each blob take less time with all other proofs than as
/// commitments to one quotient each.
pub(crate) fn all_proofs_pay(settings: &Settings, blobs: usize, cells: usize) -> bool {
    single_proofs(settings, blobs * cells) > blobs * extension(&settings.rows) + cell_proofs(settings, blobs)
}

/// Returns the cost of the proofs of all cells of this number of blobs: sums for 128 groups of 64 fixed points,
/// and two transforms of 128 points.
pub(crate) fn cell_proofs(settings: &Settings, blobs: usize) -> Cost {
    2 * blobs * settings.cells_domain.cost::<G1>(CELLS_PER_EXT_BLOB)
        + settings.fk20().map_or(Cost::default(), |points| points.cost(blobs))
}

/// Returns the cost of recovering the cells of this number of blobs.
pub(crate) fn recovery(rows: &Rows, blobs: usize) -> Cost {
    // The remainders of both halves, the columns, and the cells.
    let piece = 4 * piece_transforms(rows) + 2 * piece_encoding(rows) + fill_columns(rows);
    blobs * (PIECES * piece + vanishing(rows))
}

/// Returns the fastest way to recover the cells that are wanted, all for `None`, if this number of the first 64 is
/// missing and `others` of the other 64 are known. All that is known is compared with the result.
pub(crate) fn shortest_way(rows: &Rows, missing: usize, others: usize, wanted: Option<&[usize]>) -> Way {
    let further = wanted.map_or(CELLS_PER_BLOB, |wanted| {
        others - missing.min(others) + wanted.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count()
    });
    let rest = (further * further_cell(rows)).min(extension(rows));
    let weights = missing * (2 * (CELLS_PER_BLOB + missing) * (FR_PRODUCT + FR_SUM));
    let by_sums = remainders(rows) + weights + missing * further_cell(rows) + rest;
    let mirror = (others == CELLS_PER_BLOB).then(|| (remainders(rows) + extension(rows), Way::MirrorImage));
    let ways = [(by_sums, Way::Sums), (recovery(rows, 1), Way::Any)].into_iter().chain(mirror);
    ways.min_by_key(|(cost, _)| *cost).map_or(Way::Any, |(_, way)| way)
}

/// Returns the cost of verifying one value of a polynomial.
pub(crate) fn verify_proof(rows: &Rows) -> Cost {
    2 * points(rows, 1) + 2 * rows.fp.costs.multiplication() + pairings(rows)
}

/// Returns the cost of verifying the proofs of this number of blobs as one batch.
pub(crate) fn verify_blobs(settings: &Settings, blobs: usize) -> Cost {
    evaluations(settings, blobs) + verify_proofs(settings, blobs)
}

/// Returns the cost of verifying this number of values of polynomials as one batch.
pub(crate) fn verify_proofs(settings: &Settings, proofs: usize) -> Cost {
    if proofs == 1 {
        return verify_proof(&settings.rows);
    }
    points(&settings.rows, 2 * proofs)
        + msm_cost(settings.rows.fp, 1 + 2 * proofs, Scalars::Full)
        + msm_cost(settings.rows.fp, proofs, Scalars::Random)
        + pairings(&settings.rows)
}

/// Returns the cost of the challenges of some blobs on one thread, and of the values there.
pub(crate) fn evaluations(settings: &Settings, blobs: usize) -> Cost {
    Cost::ns(BYTES_PER_BLOB as u64 * settings.rows.sha256.hash_ps(blobs) / 1000)
        + blobs * settings.evaluator.cost()
}

/// Returns the number of blobs whose challenges a thread computes at once, so that a batch is ready soonest.
pub(crate) fn challenges_at_once(settings: &Settings, threads: NonZeroUsize, blobs: usize) -> usize {
    let ready = |at_once: usize| {
        let tasks = blobs.div_ceil(at_once);
        let (before, last) = ((tasks - 1) / threads, blobs - (tasks - 1) * at_once);
        // The last task, which may have fewer blobs, is alone in its round or runs with others.
        let last = if (tasks - 1) % threads == 0 { last } else { at_once };
        before * evaluations(settings, at_once) + evaluations(settings, last)
    };
    (1..=blobs.min(16)).min_by_key(|at_once| ready(*at_once)).unwrap_or(1)
}

/// Costs of a batch of cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellBatch {
    /// All of it.
    pub(crate) all: Cost,
    /// Its sums: Σ a_k·I_k(τ)·G₁, over 64 points of the setup, Σ a_k·(C_k + y_k·π_k), and Σ a_k·π_k, whose factors have
    /// half of the digits. For cells of one column the second has only the commitments, with such factors.
    pub(crate) sums: Cost,
}

/// Returns the costs of verifying this number of cells, of this number of commitments, as one batch. Commitments that
/// are `known` are not read.
pub(crate) fn verify_cells(
    rows: &Rows,
    cells: usize,
    commitments: usize,
    known: bool,
    one_column: bool,
) -> CellBatch {
    let (columns, of_commitments) = if one_column {
        (1, msm_cost(rows.fp, commitments, Scalars::Random))
    } else {
        (cells.min(CELLS_PER_EXT_BLOB), msm_cost(rows.fp, cells + commitments, Scalars::Full))
    };
    let sums = rows.fp.costs.additions(INTERPOLATION_ADDITIONS)
        + msm_cost(rows.fp, cells, Scalars::Random)
        + of_commitments;
    let read = points(rows, cells + if known { 0 } else { commitments }) + leaves(rows, cells);
    let interpolate = cells * weighted_cell(rows) + columns * cell_transform(rows);
    CellBatch { all: read + interpolate + sums + pairings(rows), sums }
}

/// Returns the cost of the hashes of cells with their proofs on one thread.
pub(crate) fn leaves(rows: &Rows, cells: usize) -> Cost {
    Cost::ns((BYTES_PER_CELL + BYTES_PER_PROOF) as u64 * rows.sha256.hash_ps(cells) / 1000)
}

/// Returns the cost of a check of the product of two pairings.
fn pairings(rows: &Rows) -> Cost {
    rows.pairing.costs.product(2)
}

/// Returns the cost of decompressing this number of G1 points and checking their subgroup.
pub(crate) fn points(rows: &Rows, points: usize) -> Cost {
    decompress_cost(rows.fp, Some(Membership::Batched), points)
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Request;

    use super::*;

    #[test]
    fn each_number_of_challenges_at_once_is_as_good_as_any() {
        for backend in parcrypt_sha256::BACKENDS {
            let Ok(settings) = Settings::mainnet(Request::Exactly(*backend)) else { continue };
            for threads in [1, 2, 3, 8].map(|threads| NonZeroUsize::new(threads).expect("not 0")) {
                assert_eq!(challenges_at_once(&settings, threads, 0), 1);
                for blobs in 1..=40 {
                    let at_once = challenges_at_once(&settings, threads, blobs);
                    assert!((1..=blobs.min(16)).contains(&at_once), "{blobs} on {threads}: {at_once}");
                }
            }
        }
    }

    #[test]
    fn the_additions_of_an_interpolation_are_those_of_its_tables() {
        let settings = Settings::mainnet(Request::Auto).expect("the embedded setup is good");
        let tables = settings.interpolation().expect("64 points are one group");
        let stated = settings.rows.fp.costs.additions(INTERPOLATION_ADDITIONS);
        let ratio = tables.cost(1).as_ns() as f64 / stated.as_ns() as f64;
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    }
}
