//! Sizes that EIP-4844 and EIP-7594 fix, the bytes that their functions take and return.

/// Bytes of a field element, most significant first.
pub const BYTES_PER_FIELD_ELEMENT: usize = 32;
/// Values in a blob.
pub const FIELD_ELEMENTS_PER_BLOB: usize = 4096;
/// Values in a blob and its extension.
pub const FIELD_ELEMENTS_PER_EXT_BLOB: usize = 2 * FIELD_ELEMENTS_PER_BLOB;
/// Values in a cell.
pub const FIELD_ELEMENTS_PER_CELL: usize = 64;
/// Cells of a blob and its extension.
pub const CELLS_PER_EXT_BLOB: usize = FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL;
/// Bytes of a blob.
pub const BYTES_PER_BLOB: usize = FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT;
/// Bytes of a cell.
pub const BYTES_PER_CELL: usize = FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT;
/// Bytes of a commitment, a compressed point of G1.
pub const BYTES_PER_COMMITMENT: usize = 48;
/// Bytes of a proof, a compressed point of G1.
pub const BYTES_PER_PROOF: usize = 48;

/// A commitment to a polynomial.
pub type Commitment = [u8; BYTES_PER_COMMITMENT];
/// A proof of one or several values of a polynomial.
pub type Proof = [u8; BYTES_PER_PROOF];
/// 64 values of a polynomial.
pub type Cell = [u8; BYTES_PER_CELL];
/// A field element, big-endian, below the modulus.
pub type FieldBytes = [u8; BYTES_PER_FIELD_ELEMENT];
