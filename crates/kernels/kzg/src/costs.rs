//! Costs of the functions and of their parts, in nanoseconds of one thread on a core of 2023.
//!
//! They decide what runs in parallel ([`parcrypt_runtime::Cost`]) and select between ways that give the same result; no
//! result depends on them. Each is a sum of the costs of `parcrypt_bls12_381::costs`; `cargo run --release -p
//! parcrypt-kzg --example costs` prints them beside measured times.

use std::num::NonZeroUsize;

use parcrypt_bls12_381::costs::{FR_PRODUCT_NS, FR_SUM_NS};
use parcrypt_bls12_381::{G1, Membership, decompress_ns, decompress_on_curve_ns};

use crate::batch::{Scalars, msm_ns};
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
pub const CHALLENGE_NS: u64 = BYTES_PER_BLOB as u64 * HASH_PS / 1000;

/// Pieces of 512 elements of a blob.
const PIECES: u64 = (FIELD_ELEMENTS_PER_BLOB / PIECE) as u64;

/// Affine additions of the sum of an interpolation polynomial, by the formula of `FixedMsm::msm_ns` for 64 points with
/// 26 multiples each, and rounded.
const INTERPOLATION_ADDITIONS: usize = 2000;

/// A part of a function: `count` operations of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The operation.
    pub name: &'static str,
    /// The number of operations.
    pub count: usize,
    /// Time of all of them, in ns.
    pub ns: u64,
}

/// # Costs
///
/// In nanoseconds of one thread, with the tables and backends of the settings; see [`mod@crate::costs`].
impl Settings {
    /// Returns the cost of reading a blob.
    pub(crate) fn read_blob_ns(&self) -> u64 {
        self.rows.fr.encodings_ns(FIELD_ELEMENTS_PER_BLOB)
    }

    /// Returns the cost of the value at z of a blob's polynomial, and of its quotient by X − z.
    pub(crate) fn divide_ns(&self) -> u64 {
        self.evaluator.evaluate_ns() + self.rows.fr.products_ns(4 * FIELD_ELEMENTS_PER_BLOB)
    }

    /// Returns the cost of a transform of 64 elements.
    pub(crate) fn cell_transform_ns(&self) -> u64 {
        self.rows.fr.transform_ns(FIELD_ELEMENTS_PER_CELL)
    }

    /// Returns the cost of the transforms of a piece of 512 elements.
    pub(crate) fn piece_transforms_ns(&self) -> u64 {
        (PIECE / FIELD_ELEMENTS_PER_CELL) as u64 * self.cell_transform_ns()
    }

    /// Returns the cost of reading or writing a piece of 512 elements.
    pub(crate) fn piece_encoding_ns(&self) -> u64 {
        self.rows.fr.encodings_ns(PIECE)
    }

    /// Returns the cost of the vanishing polynomial of a blob's missing cells and its derivative, at all cells.
    pub(crate) fn vanishing_ns(&self) -> u64 {
        let products = (CELLS_PER_BLOB * CELLS_PER_BLOB / 2) as u64 * FR_PRODUCT_NS;
        products + 2 * self.rows.fr.transform_ns(CELLS_PER_EXT_BLOB)
    }

    /// Returns the cost of filling in a piece of columns, of 1024 elements.
    pub(crate) fn fill_columns_ns(&self) -> u64 {
        4 * self.piece_transforms_ns() + self.rows.fr.products_ns(3 * 2 * PIECE)
    }

    /// Returns the cost of reading a cell and adding it, times a factor, to others.
    pub(crate) fn weighted_cell_ns(&self) -> u64 {
        self.rows.fr.encodings_ns(FIELD_ELEMENTS_PER_CELL) + FIELD_ELEMENTS_PER_CELL as u64 * FR_SUM_NS
    }

    /// Returns the cost of the commitments to this number of blobs.
    pub fn commitments_ns(&self, blobs: usize) -> u64 {
        blobs as u64 * self.read_blob_ns() + self.lagrange().map_or(0, |points| points.msm_ns(blobs))
    }

    /// Returns the cost of the proofs of this number of blobs.
    pub fn blob_proofs_ns(&self, blobs: usize) -> u64 {
        blobs as u64 * (CHALLENGE_NS + self.point_ns() + self.divide_ns()) + self.commitments_ns(blobs)
    }

    /// Returns the cost of the cells of this number of blobs.
    pub fn cells_ns(&self, blobs: usize) -> u64 {
        blobs as u64 * PIECES * (4 * self.piece_transforms_ns() + 2 * self.piece_encoding_ns())
    }

    /// Returns the cost of the proofs of all cells of this number of blobs: sums for 128 groups of 64 fixed points,
    /// and two transforms of 128 points.
    pub fn cell_proofs_ns(&self, blobs: usize) -> u64 {
        blobs as u64 * 2 * self.cells_domain.fft_ns::<G1>(CELLS_PER_EXT_BLOB)
            + self.fk20().map_or(0, |points| points.msm_ns(blobs))
    }

    /// Returns the cost of recovering the cells of this number of blobs.
    pub fn recovery_ns(&self, blobs: usize) -> u64 {
        // The remainders of both halves, the columns, and the cells.
        let piece = 2 * (2 * self.piece_transforms_ns() + self.piece_encoding_ns()) + self.fill_columns_ns();
        blobs as u64 * (PIECES * piece + self.vanishing_ns())
    }

    /// Returns the cost of verifying one value of a polynomial.
    pub fn verify_proof_ns(&self) -> u64 {
        2 * self.point_ns() + 2 * self.rows.fp.multiply_ns() as u64 + self.pairings_ns()
    }

    /// Returns the cost of verifying the proofs of this number of blobs as one batch.
    pub fn verify_blobs_ns(&self, blobs: usize) -> u64 {
        self.evaluations_ns(blobs)
            + self.points_ns(2 * blobs)
            + self.msm_ns(1 + 2 * blobs, Scalars::Full)
            + self.msm_ns(blobs, Scalars::Random)
            + self.pairings_ns()
    }

    /// Returns the cost of the challenges of some blobs on one thread, and of the values there.
    pub(crate) fn evaluations_ns(&self, blobs: usize) -> u64 {
        let challenges = BYTES_PER_BLOB as u64 * self.rows.sha256.hash_ps(blobs) / 1000;
        challenges + blobs as u64 * self.evaluator.evaluate_ns()
    }

    /// Returns the number of blobs whose challenges a thread computes at once, so that a batch is ready soonest.
    pub(crate) fn challenges_at_once(&self, threads: NonZeroUsize, blobs: usize) -> usize {
        let ready = |at_once: usize| {
            let tasks = blobs.div_ceil(at_once);
            let (before, last) = ((tasks - 1) / threads, blobs - (tasks - 1) * at_once);
            // The last task, which may have fewer blobs, is alone in its round or beside others.
            let last = if (tasks - 1) % threads == 0 { last } else { at_once };
            before as u64 * self.evaluations_ns(at_once) + self.evaluations_ns(last)
        };
        (1..=blobs.min(16)).min_by_key(|at_once| ready(*at_once)).unwrap_or(1)
    }

    /// Returns the cost of verifying this number of cells, of this number of commitments, as one batch.
    pub fn verify_cells_ns(&self, cells: usize, commitments: usize) -> u64 {
        self.verify_cells_parts(cells, commitments).iter().map(|part| part.ns).sum()
    }

    /// Returns the parts of the verification of this number of cells, of this number of commitments, as one batch.
    ///
    /// The sums are Σ a_k·I_k(τ)·G₁, over 64 points of the setup, Σ a_k·(C_k + y_k·π_k), and Σ a_k·π_k, whose factors
    /// have half of the digits. For cells of one column the second takes less.
    pub fn verify_cells_parts(&self, cells: usize, commitments: usize) -> [Part; 8] {
        let points = cells + commitments;
        let columns = cells.min(CELLS_PER_EXT_BLOB);
        let (read, short) = self.members_ns(cells, commitments, false);
        let each = |name, count: usize, ns: u64| Part { name, count, ns: count as u64 * ns };
        let whole = |name, count: usize, ns: u64| Part { name, count, ns };
        [
            whole("decompression and subgroup check of points", points, read),
            whole("hash of a cell", cells, self.leaves_ns(cells)),
            each("reading of a cell, times its factor", cells, self.weighted_cell_ns()),
            each("interpolation of a column", columns, self.cell_transform_ns()),
            whole("points of the setup in a sum", FIELD_ELEMENTS_PER_CELL, self.interpolation_ns()),
            whole("points in a sum with full scalars", points, self.msm_ns(points, Scalars::Full)),
            whole("points in a sum with short scalars", cells, short),
            whole("pairings", 2, self.pairings_ns()),
        ]
    }

    /// Returns the cost of the hashes of cells with their proofs on one thread.
    pub(crate) fn leaves_ns(&self, cells: usize) -> u64 {
        (BYTES_PER_CELL + BYTES_PER_PROOF) as u64 * self.rows.sha256.hash_ps(cells) / 1000
    }

    /// Returns the cost of a check of the product of two pairings.
    fn pairings_ns(&self) -> u64 {
        self.rows.pairing.product_ns(2)
    }

    /// Returns whether a batch of cells takes less time if sums with random factors check that points are in G1: those
    /// of all points for cells of one column, else those of the proofs.
    pub(crate) fn sums_check_members(&self, cells: usize, commitments: usize, one_column: bool) -> bool {
        let [as_read, in_sums] = self.members_ways_ns(cells, commitments, one_column).map(|(a, b)| a + b);
        // The factor of a single claim is not random.
        self.membership == Membership::Batched && cells > 1 && in_sums < as_read
    }

    /// Returns the costs of reading all points and of the sums with random factors.
    fn members_ns(&self, cells: usize, commitments: usize, one_column: bool) -> (u64, u64) {
        let [as_read, in_sums] = self.members_ways_ns(cells, commitments, one_column);
        if self.sums_check_members(cells, commitments, one_column) { in_sums } else { as_read }
    }

    /// Returns these costs where points are checked as they are read, and where sums check them.
    fn members_ways_ns(&self, cells: usize, commitments: usize, one_column: bool) -> [(u64, u64); 2] {
        let (in_sums, as_read) = if one_column { (cells + commitments, 0) } else { (cells, commitments) };
        let others = if one_column { commitments } else { 0 };
        let sums = |length| self.msm_ns(cells, length) + self.msm_ns(others, length);
        let read = self.points_ns(as_read) + decompress_on_curve_ns(self.rows.fp, in_sums);
        [(self.points_ns(cells + commitments), sums(Scalars::Random)), (read, sums(Scalars::RandomOfMembers))]
    }

    /// Returns the cost of decompressing a G1 point and checking its subgroup.
    pub(crate) fn point_ns(&self) -> u64 {
        self.points_ns(1)
    }

    /// Returns the cost of decompressing this number of G1 points and checking their subgroup.
    fn points_ns(&self, points: usize) -> u64 {
        decompress_ns(self.rows.fp, self.membership, points)
    }

    /// Returns the cost of the sum of an interpolation polynomial.
    fn interpolation_ns(&self) -> u64 {
        (INTERPOLATION_ADDITIONS as f64 * self.rows.fp.add_ns()) as u64
    }

    /// Returns the cost of all sums of a verification of cells.
    pub(crate) fn verify_cells_sums_ns(&self, cells: usize, commitments: usize) -> u64 {
        let full = self.msm_ns(cells + commitments, Scalars::Full);
        self.interpolation_ns() + full + self.members_ns(cells, commitments, false).1
    }

    /// Returns the cost of a multi-scalar multiplication of any points.
    pub(crate) fn msm_ns(&self, points: usize, length: Scalars) -> u64 {
        msm_ns(self.rows.fp, points, length)
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
        let additions = tables.msm_ns(1) as f64 / settings.rows.fp.add_ns();
        assert!((additions / INTERPOLATION_ADDITIONS as f64 - 1.0).abs() < 0.05, "{additions}");
    }
}
