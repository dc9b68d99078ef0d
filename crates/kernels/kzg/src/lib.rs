//! KZG commitments on BLS12-381: blobs and their proofs (EIP-4844), cells, their proofs and recovery (EIP-7594).
//!
//! ```
//! use std::num::NonZeroUsize;
//!
//! use parcrypt_kzg::{
//!     BYTES_PER_BLOB, Request, Settings, blob_to_kzg_commitment, compute_blob_kzg_proof, verify_blob_kzg_proof,
//! };
//! use parcrypt_runtime::Kind;
//!
//! let rt = Kind::Rayon.build(NonZeroUsize::MIN.saturating_add(1))?;
//! let settings = Settings::mainnet(Request::Auto)?;
//! let mut blob = vec![0; BYTES_PER_BLOB];
//! blob[31] = 7;
//! let commitment = blob_to_kzg_commitment(&*rt, &settings, &blob)?;
//! let proof = compute_blob_kzg_proof(&*rt, &settings, &blob, &commitment)?;
//! assert!(verify_blob_kzg_proof(&*rt, &settings, &blob, &commitment, &proof)?);
//! blob[31] = 8;
//! assert!(!verify_blob_kzg_proof(&*rt, &settings, &blob, &commitment, &proof)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | commitments, proofs and verification of blobs | [`mod@eip4844`] |
//! | cells, their proofs, recovery and verification | [`mod@eip7594`] |
//! | one operation on many items, as the command and the cluster run it | [`mod@jobs`] |
//! | a trusted setup with its tables and backends | [`Settings`], [`mod@setup`] |
//!
//! It depends on `parcrypt-bls12-381`, `parcrypt-runtime` and `parcrypt-cpu` only. The same scheme at any size, over
//! field elements and points, is the crate `parcrypt-kzg10`.
//!
//! All inputs are public data: the time of every function may depend on them, and no name ends in `_vartime`.
//!
//! `docs/explanation/kzg.md` describes how it works, what limits its speed and what was tried.

#![cfg_attr(not(feature = "compute"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "compute")]
mod batch;
mod bytes;
mod constants;
mod costs;
pub mod eip4844;
pub mod eip7594;
mod error;
mod find_wrong;
#[cfg(feature = "compute")]
pub mod jobs;
mod settings;
pub mod setup;
mod sums;

pub use constants::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF,
    CELLS_PER_EXT_BLOB, Cell, Commitment, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
    FIELD_ELEMENTS_PER_EXT_BLOB, FieldBytes, Proof,
};
#[doc(inline)]
pub use eip4844::{find_wrong_blobs, verify_blob_kzg_proof, verify_blob_kzg_proof_batch, verify_kzg_proof};
#[doc(inline)]
pub use eip7594::{CellClaim, CellVerifier, find_wrong_cells, verify_cell_kzg_proof_batch};
pub use error::{Error, Input};
pub use find_wrong::{Reason, WrongItem};
#[doc(inline)]
pub use parcrypt_bls12_381::Error as ArithmeticError;
#[doc(inline)]
pub use parcrypt_cpu::{Backend, Request, Requests};
pub use settings::{Settings, TABLES};
#[doc(inline)]
pub use setup::{Origin, SetupError};
#[cfg(feature = "compute")]
pub(crate) use {bytes::PIECE, eip7594::polynomial::CELLS_PER_BLOB};
#[cfg(feature = "compute")]
#[doc(inline)]
pub use {
    eip4844::{blob_to_kzg_commitment, compute_blob_kzg_proof, compute_kzg_proof},
    eip7594::{
        CellsAndProofs, Samples, Want, compute_cells, compute_cells_and_kzg_proofs, compute_wanted,
        recover_cells_and_kzg_proofs, recover_wanted,
    },
    setup::TableReport,
};

/// The example of this crate's README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The example of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct FrontPage;

/// The example of the book, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guides/library.md")]
struct LibraryGuide;
