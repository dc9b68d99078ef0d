#![doc = include_str!("../README.md")]

mod bytes;
mod error;
#[cfg(any(feature = "verify", feature = "ethereum_kzg_settings"))]
mod ethereum;
#[cfg(feature = "serde")]
mod serde;
mod settings;

pub use bytes::{Blob, Bytes32, Bytes48, Cell, KZGCommitment as KzgCommitment, KZGProof as KzgProof};
pub use error::{CkzgError, Error};
#[cfg(any(feature = "verify", feature = "ethereum_kzg_settings"))]
pub use ethereum::{ethereum_kzg_settings, ethereum_kzg_settings_arc};
pub use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF,
    CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
};
pub use settings::KzgSettings;
