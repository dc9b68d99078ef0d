//! Sizes that EIP-4844 and EIP-7594 fix, and the bytes that their functions take and return.

/// The length of a field element, big-endian.
pub const BYTES_PER_FIELD_ELEMENT: usize = 32;
/// The values that a blob holds.
pub const FIELD_ELEMENTS_PER_BLOB: usize = 4096;
/// The values of a blob and of its extension.
pub const FIELD_ELEMENTS_PER_EXT_BLOB: usize = 2 * FIELD_ELEMENTS_PER_BLOB;
/// The values that a cell holds.
pub const FIELD_ELEMENTS_PER_CELL: usize = 64;
/// The cells of a blob and of its extension.
pub const CELLS_PER_EXT_BLOB: usize = FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL;
/// The length of a blob.
pub const BYTES_PER_BLOB: usize = FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT;
/// The length of a cell.
pub const BYTES_PER_CELL: usize = FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT;
/// The length of a commitment, a compressed point of G1.
pub const BYTES_PER_COMMITMENT: usize = 48;
/// The length of a proof, a compressed point of G1.
pub const BYTES_PER_PROOF: usize = 48;

/// The cells that hold the blob itself; as many are enough to recover it.
pub(crate) const CELLS_PER_BLOB: usize = CELLS_PER_EXT_BLOB / 2;

/// A commitment to a polynomial.
pub type Commitment = [u8; BYTES_PER_COMMITMENT];
/// A proof of one or several values of a polynomial.
pub type Proof = [u8; BYTES_PER_PROOF];
/// 64 values of a polynomial.
pub type Cell = [u8; BYTES_PER_CELL];
/// A field element, big-endian, below the modulus.
pub type FieldBytes = [u8; BYTES_PER_FIELD_ELEMENT];
