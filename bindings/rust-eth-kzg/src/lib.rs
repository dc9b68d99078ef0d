#![doc = include_str!("../README.md")]

mod context;
mod errors;
mod setup;

pub use context::DASContext;
pub use errors::{Error, ProverError, RecoveryError, VerifierError};
pub use setup::{TrustedSetup, UsePrecomp};

use constants::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT};

/// Sizes that EIP-4844 and EIP-7594 fix.
pub mod constants {
    pub use parcrypt_kzg::{
        BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, CELLS_PER_EXT_BLOB,
        FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB,
    };
    /// Size of a blob with its extension, in blobs.
    pub const EXPANSION_FACTOR: usize = FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_BLOB;
    /// Number of proofs of the cells of a blob.
    pub const NUM_PROOFS: usize = CELLS_PER_EXT_BLOB;
    /// Width for [`UsePrecomp::Yes`](crate::UsePrecomp::Yes) that the original recommends.
    pub const RECOMMENDED_PRECOMP_WIDTH: usize = 8;
}

/// A blob: 4096 field elements of 32 bytes, most significant byte first.
pub type BlobRef<'a> = &'a [u8; BYTES_PER_BLOB];
/// A commitment or a proof.
pub type Bytes48Ref<'a> = &'a [u8; 48];
/// A cell: 64 field elements.
pub type Cell = Box<[u8; BYTES_PER_CELL]>;
/// A cell.
pub type CellRef<'a> = &'a [u8; BYTES_PER_CELL];
/// A proof: a compressed point of G1.
pub type KZGProof = [u8; BYTES_PER_COMMITMENT];
/// A commitment: a compressed point of G1.
pub type KZGCommitment = [u8; BYTES_PER_COMMITMENT];
/// A field element, most significant byte first.
pub type SerializedScalar = [u8; BYTES_PER_FIELD_ELEMENT];
/// Index of a cell among the 128 of a blob.
pub type CellIndex = u64;
