//! KZG as a trait, [`Kzg`]: the nine functions of EIP-4844 and EIP-7594 on byte slices. [`Parcrypt`] implements it by
//! `parcrypt-kzg`, and [`Shadow`] by two implementations, of which the second computes a share of the calls again.
//!
//! It is for the packages that replace another library, and for tests. It computes nothing itself.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use parcrypt_kzg::{BYTES_PER_BLOB, Request, Settings};
//! use parcrypt_shadow::{Kzg, Parcrypt, Shadow};
//!
//! let settings = Settings::mainnet(Request::Auto)?;
//! let second = Parcrypt::from_setup_of(&settings)?;
//! let one_in = NonZeroU32::MIN.saturating_add(999);
//! let kzg = Shadow::new(Parcrypt::new(settings), second, one_in, Box::new(|difference| eprintln!("{difference}")));
//! kzg.blob_to_kzg_commitment(&vec![0; BYTES_PER_BLOB])?;
//! # Ok::<(), parcrypt_kzg::Error>(())
//! ```

mod environment;
mod eth_kzg;
#[cfg(feature = "original")]
mod original;
mod parcrypt;
mod shadow;

pub use environment::{LoadError, Shadowed, VARIABLE, load};
#[cfg(feature = "original")]
pub use original::Original;
pub use parcrypt::Parcrypt;
pub use parcrypt_kzg::{Cell, CellsAndProofs, Commitment, FieldBytes, Proof};
pub use shadow::{Difference, Kind, OnDifference, Shadow, Summary};

/// The nine functions of the [consensus specifications](https://github.com/ethereum/consensus-specs), by their names
/// there. Inputs may have any length; a wrong one is an error.
pub trait Kzg: Send + Sync {
    /// Error of an input.
    type Error: std::fmt::Debug + 'static;

    /// Returns the name of the implementation with its version, for reports.
    fn name(&self) -> String;

    /// Returns the commitment to a blob.
    ///
    /// # Errors
    /// For bytes that are not a blob.
    fn blob_to_kzg_commitment(&self, blob: &[u8]) -> Result<Commitment, Self::Error>;

    /// Returns the proof of the value of a blob's polynomial at z, and that value.
    ///
    /// # Errors
    /// For bytes that are not a blob or a field element.
    fn compute_kzg_proof(&self, blob: &[u8], z: &[u8]) -> Result<(Proof, FieldBytes), Self::Error>;

    /// Returns the proof that a commitment is the commitment to a blob.
    ///
    /// # Errors
    /// For bytes that are not a blob or a commitment.
    fn compute_blob_kzg_proof(&self, blob: &[u8], commitment: &[u8]) -> Result<Proof, Self::Error>;

    /// Returns whether the polynomial of a commitment has the value y at z.
    ///
    /// # Errors
    /// For bytes that are not points or field elements.
    fn verify_kzg_proof(
        &self,
        commitment: &[u8],
        z: &[u8],
        y: &[u8],
        proof: &[u8],
    ) -> Result<bool, Self::Error>;

    /// Returns whether all commitments are the commitments to their blobs; `true` for none.
    ///
    /// # Errors
    /// For lists of different lengths, and for bytes that are not blobs or points.
    fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[&[u8]],
        commitments: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Self::Error>;

    /// Returns the 128 cells of a blob and its extension.
    ///
    /// # Errors
    /// For bytes that are not a blob.
    fn compute_cells(&self, blob: &[u8]) -> Result<Vec<Cell>, Self::Error>;

    /// Returns the 128 cells of a blob and its extension, and the proof of each.
    ///
    /// # Errors
    /// For bytes that are not a blob.
    fn compute_cells_and_kzg_proofs(&self, blob: &[u8]) -> Result<CellsAndProofs, Self::Error>;

    /// Returns all 128 cells and their proofs from at least 64 cells.
    ///
    /// # Errors
    /// For fewer cells, indices that do not rise, bytes that are not cells, and cells of no blob.
    fn recover_cells_and_kzg_proofs(
        &self,
        cell_indices: &[u64],
        cells: &[&[u8]],
    ) -> Result<CellsAndProofs, Self::Error>;

    /// Returns whether each cell is the one with its index in the blob of its commitment; `true` for none.
    ///
    /// # Errors
    /// For lists of different lengths, an index above 127, and bytes that are not cells or points.
    fn verify_cell_kzg_proof_batch(
        &self,
        commitments: &[&[u8]],
        cell_indices: &[u64],
        cells: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Self::Error>;
}

/// The examples of the guide for clients, so that they are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guides/clients.md")]
struct ClientsGuide;
