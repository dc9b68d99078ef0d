//! Costs of the functions and of their parts, of one thread on a core of 2023.
//!
//! They decide what runs in parallel ([`parcrypt_runtime::Cost`]) and select between ways that give the same result; no
//! result depends on them. Each is a sum of the costs of `parcrypt_bls12_381::costs`.

#[cfg(feature = "compute")]
mod compute;

use std::num::NonZeroUsize;

use parcrypt_bls12_381::costs::FR_SUM;
use parcrypt_bls12_381::msm::{FixedPoints, Scalars, msm_cost};
use parcrypt_bls12_381::{Membership, decompress_cost};
use parcrypt_runtime::Cost;

use crate::settings::{Rows, Settings};
use crate::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_CELL};

#[cfg(feature = "compute")]
pub(crate) use compute::*;

/// Returns the cost of a transform of 64 elements.
pub(crate) fn cell_transform(rows: &Rows) -> Cost {
    rows.fr.costs.transform(FIELD_ELEMENTS_PER_CELL)
}

/// Returns the cost of reading a cell and adding it, times a factor, to others.
pub(crate) fn weighted_cell(rows: &Rows) -> Cost {
    rows.fr.costs.encodings(FIELD_ELEMENTS_PER_CELL) + FIELD_ELEMENTS_PER_CELL * FR_SUM
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
        + msm_cost(settings.rows.fp, Scalars::Full, 1 + 2 * proofs)
        + msm_cost(settings.rows.fp, Scalars::Half, proofs)
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
    settings: &Settings,
    cells: usize,
    commitments: usize,
    known: bool,
    one_column: bool,
) -> CellBatch {
    let rows = &settings.rows;
    let (columns, of_commitments) = if one_column {
        (1, msm_cost(rows.fp, Scalars::Half, commitments))
    } else {
        (cells.min(CELLS_PER_EXT_BLOB), msm_cost(rows.fp, Scalars::Full, cells + commitments))
    };
    let sums = settings.interpolation().map_or(Cost::default(), FixedPoints::cost)
        + msm_cost(rows.fp, Scalars::Half, cells)
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
}
