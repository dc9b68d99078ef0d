//! Costs of the parts of KZG, in nanoseconds of one thread on a core of 2023 (picoseconds where the name ends in `_PS`).
//!
//! They decide what runs in parallel (`parcrypt_runtime::Cost`) and nothing else. Sums are derived from their parts.

use crate::bytes::PIECE;
use crate::settings::CELL_SCALE;
use crate::{
    BYTES_PER_BLOB, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
    FIELD_ELEMENTS_PER_EXT_BLOB,
};

/// Reading or writing a field element.
pub(crate) const ELEMENT_NS: u64 = 20;
/// A multiplication in Fr.
pub(crate) const PRODUCT_NS: u64 = 16;
/// An addition in Fr.
const SUM_NS: u64 = 4;
/// A butterfly of a transform over Fr.
pub(crate) const BUTTERFLY_NS: u64 = 23;
/// Decompressing a G1 point and checking its subgroup.
pub(crate) const POINT_NS: u64 = 45_000;
/// Hashing a byte with SHA-256, in picoseconds.
const HASH_PS: u64 = 700;
/// A commitment: a multi-scalar multiplication of 4096 fixed points.
pub(crate) const COMMIT_NS: u64 = 15_000_000;
/// The proofs of all cells of a blob.
pub(crate) const CELL_PROOFS_NS: u64 = 60_000_000;
/// A multi-scalar multiplication of up to 512 points.
pub(crate) const SMALL_MSM_NS: u64 = 400_000;

/// A product of two pairings: two Miller loops and a final exponentiation.
const PAIRING_NS: u64 = 900_000;

/// Reading a blob.
pub(crate) const READ_BLOB_NS: u64 = FIELD_ELEMENTS_PER_BLOB as u64 * ELEMENT_NS;
/// The challenge of a blob.
pub(crate) const CHALLENGE_NS: u64 = BYTES_PER_BLOB as u64 * HASH_PS / 1000;
/// The value of a blob's polynomial at a point.
const EVALUATE_NS: u64 = 2 * FIELD_ELEMENTS_PER_BLOB as u64 * PRODUCT_NS;
/// Reading a blob and computing its challenge and its value there.
pub(crate) const READ_AND_EVALUATE_BLOB_NS: u64 = READ_BLOB_NS + CHALLENGE_NS + EVALUATE_NS;
/// The quotient of a blob's polynomial by X − z.
pub(crate) const DIVIDE_NS: u64 = EVALUATE_NS + 5 * FIELD_ELEMENTS_PER_BLOB as u64 * PRODUCT_NS;

/// A transform of 64 elements.
pub(crate) const INTERPOLATE_NS: u64 = CELL_SCALE as u64 * FIELD_ELEMENTS_PER_CELL as u64 / 2 * BUTTERFLY_NS;
/// Reading a cell and adding it, times a factor, to others.
pub(crate) const WEIGHTED_CELL_NS: u64 = FIELD_ELEMENTS_PER_CELL as u64 * (ELEMENT_NS + SUM_NS);
/// The transforms of 64 elements for a piece of [`PIECE`] elements.
pub(crate) const TRANSFORMS_NS: u64 = PIECE as u64 / FIELD_ELEMENTS_PER_CELL as u64 * INTERPOLATE_NS;
/// The extension of a blob to its cells.
pub(crate) const EXTEND_NS: u64 =
    FIELD_ELEMENTS_PER_BLOB as u64 / PIECE as u64 * (4 * TRANSFORMS_NS + 2 * PIECE as u64 * ELEMENT_NS);
/// The vanishing polynomial of a blob's missing cells, at all cells.
pub(crate) const RECOVERY_PLAN_NS: u64 = (CELLS_PER_BLOB * CELLS_PER_EXT_BLOB) as u64 * PRODUCT_NS;
/// The recovery of a blob.
pub(crate) const RECOVER_NS: u64 = FIELD_ELEMENTS_PER_EXT_BLOB as u64 / PIECE as u64
    * (4 * TRANSFORMS_NS + PIECE as u64 * (ELEMENT_NS + 3 * PRODUCT_NS))
    + RECOVERY_PLAN_NS;

/// The verification of one proof: two points and a pairing of two pairs.
pub(crate) const VERIFY_PROOF_NS: u64 = 2 * POINT_NS + PAIRING_NS;
/// The proof of one value of a blob.
pub(crate) const OPEN_BLOB_NS: u64 = READ_BLOB_NS + DIVIDE_NS + COMMIT_NS;
/// The verification of all cells of a blob.
pub(crate) const VERIFY_BLOB_CELLS_NS: u64 = CELLS_PER_EXT_BLOB as u64
    * (POINT_NS + WEIGHTED_CELL_NS + INTERPOLATE_NS)
    + 2 * SMALL_MSM_NS
    + PAIRING_NS;
