//! Costs of the functions and of their parts, of one thread on a core of 2023.
//!
//! They decide what runs in parallel ([`parcrypt_runtime::Cost`]) and select between ways that give the same result; no
//! result depends on them. Each is a sum of the costs of `parcrypt_bls12_381::costs`.

use std::num::NonZeroUsize;

use parcrypt_bls12_381::costs::{FR_PRODUCT, FR_SUM};
use parcrypt_bls12_381::{G1, Membership, decompress_cost};
use parcrypt_runtime::Cost;

use crate::batch::{Scalars, msm_cost};
use crate::bytes::PIECE;
use crate::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB,
    FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, Settings,
};

/// Hashing a byte with SHA-256, in picoseconds; by the SHA extensions.
pub(crate) const HASH_PS: u64 = 700;
/// Hashing a byte without the SHA extensions, in picoseconds: about ten cycles, not measured here.
pub(crate) const HASH_PLAIN_PS: u64 = 2500;
/// Hashing a byte of each of two messages, in picoseconds; by the SHA extensions. The ratio to the one above, and that
/// below, were measured on Zen 5: 0.35 and 0.16 ns a byte of each message instead of 0.50.
pub(crate) const HASH_TWO_PS: u64 = 2 * HASH_PS * 35 / 50;
/// Hashing a byte of each of sixteen messages, in picoseconds; by AVX-512.
pub(crate) const HASH_SIXTEEN_PS: u64 = 16 * HASH_PS * 16 / 50;

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

/// # Costs
///
/// With the tables and backends of the settings.
impl Settings {
    /// Returns the cost of reading a blob.
    pub(crate) fn read_blob_cost(&self) -> Cost {
        self.rows.fr.costs.encodings(FIELD_ELEMENTS_PER_BLOB)
    }

    /// Returns the cost of the value at z of a blob's polynomial, and of its quotient by X − z.
    pub(crate) fn divide_cost(&self) -> Cost {
        self.evaluator.cost() + self.rows.fr.costs.products(4 * FIELD_ELEMENTS_PER_BLOB)
    }

    /// Returns the cost of a transform of 64 elements.
    pub(crate) fn cell_transform_cost(&self) -> Cost {
        self.rows.fr.costs.transform(FIELD_ELEMENTS_PER_CELL)
    }

    /// Returns the cost of the transforms of a piece of 512 elements.
    pub(crate) fn piece_transforms_cost(&self) -> Cost {
        PIECE / FIELD_ELEMENTS_PER_CELL * self.cell_transform_cost()
    }

    /// Returns the cost of reading or writing a piece of 512 elements.
    pub(crate) fn piece_encoding_cost(&self) -> Cost {
        self.rows.fr.costs.encodings(PIECE)
    }

    /// Returns the cost of the vanishing polynomial of a blob's missing cells and its derivative, at all cells.
    pub(crate) fn vanishing_cost(&self) -> Cost {
        CELLS_PER_BLOB * CELLS_PER_BLOB / 2 * FR_PRODUCT
            + 2 * self.rows.fr.costs.transform(CELLS_PER_EXT_BLOB)
    }

    /// Returns the cost of filling in a piece of columns, of 1024 elements.
    pub(crate) fn fill_columns_cost(&self) -> Cost {
        4 * self.piece_transforms_cost() + self.rows.fr.costs.products(3 * 2 * PIECE)
    }

    /// Returns the cost of reading a cell and adding it, times a factor, to others.
    pub(crate) fn weighted_cell_cost(&self) -> Cost {
        self.rows.fr.costs.encodings(FIELD_ELEMENTS_PER_CELL) + FIELD_ELEMENTS_PER_CELL * FR_SUM
    }

    /// Returns the cost of the commitments to this number of blobs.
    pub(crate) fn commitments_cost(&self, blobs: usize) -> Cost {
        blobs * self.read_blob_cost() + self.lagrange().map_or(Cost::default(), |points| points.cost(blobs))
    }

    /// Returns the cost of the proofs of this number of blobs.
    pub(crate) fn blob_proofs_cost(&self, blobs: usize) -> Cost {
        blobs * (CHALLENGE + self.points_cost(1) + self.divide_cost()) + self.commitments_cost(blobs)
    }

    /// Returns the cost of extending a blob whose remainders are known.
    fn extension_cost(&self) -> Cost {
        PIECES * (3 * self.piece_transforms_cost() + self.piece_encoding_cost())
    }

    /// Returns the cost of one further cell, as a sum over the remainders of the first 64.
    pub(crate) fn further_cell_cost(&self) -> Cost {
        self.rows.fr.costs.terms(FIELD_ELEMENTS_PER_BLOB)
            + CELLS_PER_BLOB * FR_PRODUCT
            + self.cell_transform_cost()
            + self.rows.fr.costs.encodings(FIELD_ELEMENTS_PER_CELL)
    }

    /// Returns whether these cells of a blob take less time with all others than one by one.
    pub(crate) fn extension_pays(&self, indices: &[usize]) -> bool {
        let further = indices.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count();
        further * self.further_cell_cost() > self.extension_cost()
    }

    /// Returns the cost of the remainders of a blob.
    fn remainders_cost(&self) -> Cost {
        PIECES * (self.piece_transforms_cost() + self.piece_encoding_cost())
    }

    /// Returns the cost of the wanted cells of this number of blobs, all for `None`.
    pub(crate) fn wanted_cells_cost(&self, blobs: usize, wanted: Option<&[usize]>) -> Cost {
        let further = match wanted {
            Some(wanted) if !self.extension_pays(wanted) => {
                wanted.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count() * self.further_cell_cost()
            }
            _ => self.extension_cost(),
        };
        blobs * (self.remainders_cost() + further)
    }

    /// Returns the cost of the proofs of this number of cells of each of some blobs.
    pub(crate) fn proofs_of_cells_cost(&self, blobs: usize, cells: usize) -> Cost {
        if self.all_proofs_pay(blobs, cells) {
            self.cell_proofs_cost(blobs)
        } else {
            self.single_proofs_cost(blobs * cells)
        }
    }

    /// Returns the cost of the quotient of a blob for the proof of one cell: the cell, the quotient, and its values.
    pub(crate) fn quotient_cost(&self) -> Cost {
        self.further_cell_cost()
            + self.rows.fr.costs.products(FIELD_ELEMENTS_PER_BLOB)
            + FIELD_ELEMENTS_PER_BLOB * FR_SUM
            + PIECES * self.piece_transforms_cost()
    }

    /// Returns the cost of this number of proofs of cells, each as the commitment to a quotient.
    fn single_proofs_cost(&self, proofs: usize) -> Cost {
        proofs * self.quotient_cost() + self.lagrange().map_or(Cost::default(), |points| points.cost(proofs))
    }

    /// Returns whether the proofs of this number of cells of each blob take less time with all other proofs than as
    /// commitments to one quotient each.
    pub(crate) fn all_proofs_pay(&self, blobs: usize, cells: usize) -> bool {
        self.single_proofs_cost(blobs * cells) > blobs * self.extension_cost() + self.cell_proofs_cost(blobs)
    }

    /// Returns the cost of the proofs of all cells of this number of blobs: sums for 128 groups of 64 fixed points,
    /// and two transforms of 128 points.
    pub(crate) fn cell_proofs_cost(&self, blobs: usize) -> Cost {
        2 * blobs * self.cells_domain.cost::<G1>(CELLS_PER_EXT_BLOB)
            + self.fk20().map_or(Cost::default(), |points| points.cost(blobs))
    }

    /// Returns the cost of recovering the cells of this number of blobs.
    pub(crate) fn recovery_cost(&self, blobs: usize) -> Cost {
        // The remainders of both halves, the columns, and the cells.
        let piece =
            4 * self.piece_transforms_cost() + 2 * self.piece_encoding_cost() + self.fill_columns_cost();
        blobs * (PIECES * piece + self.vanishing_cost())
    }

    /// Returns the fastest way to recover the cells that are wanted, all for `None`, if this number of the first 64 is
    /// missing and `others` of the other 64 are known. All that is known is compared with the result.
    pub(crate) fn shortest_way(&self, missing: usize, others: usize, wanted: Option<&[usize]>) -> Way {
        let further = wanted.map_or(CELLS_PER_BLOB, |wanted| {
            others - missing.min(others) + wanted.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count()
        });
        let rest = (further * self.further_cell_cost()).min(self.extension_cost());
        let weights = missing * (2 * (CELLS_PER_BLOB + missing) * (FR_PRODUCT + FR_SUM));
        let by_sums = self.remainders_cost() + weights + missing * self.further_cell_cost() + rest;
        let mirror = (others == CELLS_PER_BLOB)
            .then(|| (self.remainders_cost() + self.extension_cost(), Way::MirrorImage));
        let ways = [(by_sums, Way::Sums), (self.recovery_cost(1), Way::Any)].into_iter().chain(mirror);
        ways.min_by_key(|(cost, _)| *cost).map_or(Way::Any, |(_, way)| way)
    }

    /// Returns the cost of verifying one value of a polynomial.
    pub(crate) fn verify_proof_cost(&self) -> Cost {
        2 * self.points_cost(1) + 2 * self.rows.fp.costs.multiplication() + self.pairings_cost()
    }

    /// Returns the cost of verifying the proofs of this number of blobs as one batch.
    pub(crate) fn verify_blobs_cost(&self, blobs: usize) -> Cost {
        self.evaluations_cost(blobs) + self.verify_proofs_cost(blobs)
    }

    /// Returns the cost of verifying this number of values of polynomials as one batch.
    pub(crate) fn verify_proofs_cost(&self, proofs: usize) -> Cost {
        if proofs == 1 {
            return self.verify_proof_cost();
        }
        self.points_cost(2 * proofs)
            + msm_cost(self.rows.fp, 1 + 2 * proofs, Scalars::Full)
            + msm_cost(self.rows.fp, proofs, Scalars::Random)
            + self.pairings_cost()
    }

    /// Returns the cost of the challenges of some blobs on one thread, and of the values there.
    pub(crate) fn evaluations_cost(&self, blobs: usize) -> Cost {
        Cost::ns(BYTES_PER_BLOB as u64 * self.rows.sha256.hash_ps(blobs) / 1000)
            + blobs * self.evaluator.cost()
    }

    /// Returns the number of blobs whose challenges a thread computes at once, so that a batch is ready soonest.
    pub(crate) fn challenges_at_once(&self, threads: NonZeroUsize, blobs: usize) -> usize {
        let ready = |at_once: usize| {
            let tasks = blobs.div_ceil(at_once);
            let (before, last) = ((tasks - 1) / threads, blobs - (tasks - 1) * at_once);
            // The last task, which may have fewer blobs, is alone in its round or runs with others.
            let last = if (tasks - 1) % threads == 0 { last } else { at_once };
            before * self.evaluations_cost(at_once) + self.evaluations_cost(last)
        };
        (1..=blobs.min(16)).min_by_key(|at_once| ready(*at_once)).unwrap_or(1)
    }

    /// Returns the cost of verifying this number of cells, of this number of commitments, as one batch.
    pub(crate) fn verify_cells_cost(&self, cells: usize, commitments: usize) -> Cost {
        self.points_cost(cells + commitments)
            + self.leaves_cost(cells)
            + cells * self.weighted_cell_cost()
            + cells.min(CELLS_PER_EXT_BLOB) * self.cell_transform_cost()
            + self.verify_cells_sums_cost(cells, commitments)
            + self.pairings_cost()
    }

    /// Returns the cost of all sums of a verification of cells.
    ///
    /// The sums are Σ a_k·I_k(τ)·G₁, over 64 points of the setup, Σ a_k·(C_k + y_k·π_k), and Σ a_k·π_k, whose factors
    /// have half of the digits. For cells of one column the second takes less.
    pub(crate) fn verify_cells_sums_cost(&self, cells: usize, commitments: usize) -> Cost {
        self.rows.fp.costs.additions(INTERPOLATION_ADDITIONS)
            + msm_cost(self.rows.fp, cells + commitments, Scalars::Full)
            + msm_cost(self.rows.fp, cells, Scalars::Random)
    }

    /// Returns the cost of the hashes of cells with their proofs on one thread.
    pub(crate) fn leaves_cost(&self, cells: usize) -> Cost {
        Cost::ns((BYTES_PER_CELL + BYTES_PER_PROOF) as u64 * self.rows.sha256.hash_ps(cells) / 1000)
    }

    /// Returns the cost of a check of the product of two pairings.
    fn pairings_cost(&self) -> Cost {
        self.rows.pairing.costs.product(2)
    }

    /// Returns the cost of verifying this number of cells of known commitments, all of one column or of several.
    pub(crate) fn next_cells_cost(&self, cells: usize, columns: usize) -> Cost {
        let fp = self.rows.fp;
        let commitments = match (cells, columns) {
            // The factor of a single claim is 1.
            (1, _) => Cost::default(),
            (_, 1) => msm_cost(fp, cells, Scalars::Random),
            _ => msm_cost(fp, 2 * cells, Scalars::Full),
        };
        let proofs = if cells == 1 { Cost::default() } else { msm_cost(fp, cells, Scalars::Random) };
        self.points_cost(cells)
            + proofs
            + self.leaves_cost(cells)
            + cells * self.weighted_cell_cost()
            + columns * self.cell_transform_cost()
            + fp.costs.additions(INTERPOLATION_ADDITIONS)
            + commitments
            + self.pairings_cost()
    }

    /// Returns the cost of decompressing this number of G1 points and checking their subgroup.
    pub(crate) fn points_cost(&self, points: usize) -> Cost {
        decompress_cost(self.rows.fp, Some(Membership::Batched), points)
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Request;

    use super::*;

    #[test]
    fn each_number_of_challenges_at_once_is_as_good_as_any() {
        for backend in crate::dispatch::BACKENDS {
            let Ok(settings) = Settings::mainnet(Request::Exactly(*backend)) else { continue };
            for threads in [1, 2, 3, 8].map(|threads| NonZeroUsize::new(threads).expect("not 0")) {
                assert_eq!(settings.challenges_at_once(threads, 0), 1);
                for blobs in 1..=40 {
                    let at_once = settings.challenges_at_once(threads, blobs);
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
