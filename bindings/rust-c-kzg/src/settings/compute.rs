//! Loading of any setup, and what c-kzg computes.

use std::ffi::CStr;
#[cfg(feature = "threads")]
use std::num::NonZeroUsize;
use std::path::Path;

use parcrypt_kzg::setup::Defect;
use parcrypt_kzg::{BYTES_PER_CELL, CELLS_PER_EXT_BLOB, CellsAndProofs, Requests, Settings};
use parcrypt_runtime::Serial;
use parcrypt_shadow::{Kzg, LoadError, Shadowed};

use super::{cell_slices, refused, same_length};
use crate::error::KzgErrors;
use crate::{Blob, Bytes32, Bytes48, Cell, Error, KzgCommitment, KzgProof, KzgSettings};

/// All cells of a blob and its extension.
type CellsPerExtBlob = [Cell; CELLS_PER_EXT_BLOB];
/// The proof of each cell.
type ProofsPerExtBlob = [KzgProof; CELLS_PER_EXT_BLOB];

impl KzgSettings {
    pub(super) fn settings(&self) -> &Settings {
        self.kzg.first().settings()
    }

    /// Returns the settings that `load` returns for the backends of the environment, with the shadow of the
    /// environment.
    fn load(load: impl FnOnce(Requests) -> Result<Settings, parcrypt_kzg::Error>) -> Result<Self, LoadError> {
        Ok(KzgSettings { kzg: Shadowed::load(load)? })
    }
}

/// # Loading
impl KzgSettings {
    /// Loads a setup from compressed points: 4096 of G1 in the monomial form, 4096 in the Lagrange form, 65 of G2.
    ///
    /// `precompute`, from 0 to 15, bounds the memory of tables; `docs/explanation/kzg.md#tables` has the sizes.
    pub fn load_trusted_setup(
        g1_monomial_bytes: &[u8],
        g1_lagrange_bytes: &[u8],
        g2_monomial_bytes: &[u8],
        precompute: u64,
    ) -> Result<Self, Error> {
        let settings = KzgSettings::load(|requests| {
            Settings::from_ckzg_points(
                &Serial,
                requests,
                g1_monomial_bytes,
                g1_lagrange_bytes,
                g2_monomial_bytes,
                precompute,
            )
        });
        settings.map_err(refused)
    }

    /// Loads a setup from a file: c-kzg's text, and Parcrypt's binary form.
    #[cfg(feature = "std")]
    pub fn load_trusted_setup_file(file_path: &Path, precompute: u64) -> Result<Self, Error> {
        from_file(file_path, precompute)
    }

    /// Loads a setup from a file: c-kzg's text, and the other forms that Parcrypt reads.
    #[cfg(not(feature = "std"))]
    pub fn load_trusted_setup_file(file_path: &CStr, precompute: u64) -> Result<Self, Error> {
        Self::load_trusted_setup_file_inner(file_path, precompute)
    }

    /// Loads a setup from a file whose path is a C string.
    pub fn load_trusted_setup_file_inner(file_path: &CStr, precompute: u64) -> Result<Self, Error> {
        #[cfg(unix)]
        let path = {
            use std::os::unix::ffi::OsStrExt;
            Path::new(std::ffi::OsStr::from_bytes(file_path.to_bytes()))
        };
        #[cfg(not(unix))]
        let path = Path::new(file_path.to_str().map_err(refused)?);
        from_file(path, precompute)
    }

    /// Reads a setup in c-kzg's text; [`Error::LoadingTrustedSetupFailed`] for other text.
    pub fn parse_kzg_trusted_setup(trusted_setup: &str, precompute: u64) -> Result<Self, Error> {
        let settings = KzgSettings::load(|requests| {
            Settings::from_ckzg_text(&Serial, requests, trusted_setup.as_bytes(), precompute)
        });
        settings.map_err(|error| match &error {
            LoadError::Settings(parcrypt_kzg::Error::Setup(why)) => match why.defect {
                Defect::Points { .. } => KzgErrors::MismatchedNumberOfPoints.into(),
                Defect::Truncated { .. } | Defect::Trailing => KzgErrors::FileFormatError.into(),
                Defect::NotANumber { .. } | Defect::NotHexadecimal { .. } | Defect::Digits { .. } => {
                    KzgErrors::ParseError.into()
                }
                _ => refused(error),
            },
            _ => refused(error),
        })
    }

    #[cfg(any(feature = "verify", feature = "ethereum_kzg_settings"))]
    pub(crate) fn mainnet(precompute: u64) -> Result<Self, Error> {
        let settings =
            KzgSettings::load(|requests| Settings::mainnet_for_ckzg(&Serial, requests, precompute));
        settings.map_err(refused)
    }
}

fn from_file(path: &Path, precompute: u64) -> Result<KzgSettings, Error> {
    let settings =
        KzgSettings::load(|requests| Settings::from_ckzg_file(&Serial, requests, path, precompute));
    settings.map_err(|why| refused(format_args!("{}: {why}", path.display())))
}

/// # Threads
///
/// Everything runs on the caller's thread, as in c-kzg.
#[cfg(feature = "threads")]
impl KzgSettings {
    /// Runs the functions of these settings on this many threads from now on, the caller's or others, and returns
    /// whether it does: `false` if it was called before, or the threads cannot be started. c-kzg has no such
    /// function.
    pub fn use_threads(&self, threads: NonZeroUsize) -> bool {
        let runtime = parcrypt_runtime::Kind::Rayon.build(threads);
        runtime.is_ok_and(|runtime| self.kzg.first().set_runtime(runtime))
    }
}

/// # Blobs: EIP-4844
impl KzgSettings {
    /// Returns the commitment to a blob.
    pub fn blob_to_kzg_commitment(&self, blob: &Blob) -> Result<KzgCommitment, Error> {
        Ok(self.kzg.blob_to_kzg_commitment(&blob.bytes)?.into())
    }

    /// Returns the value of a blob's polynomial at z, after its proof.
    pub fn compute_kzg_proof(&self, blob: &Blob, z_bytes: &Bytes32) -> Result<(KzgProof, Bytes32), Error> {
        let (proof, y) = self.kzg.compute_kzg_proof(&blob.bytes, &z_bytes.bytes)?;
        Ok((proof.into(), y.into()))
    }

    /// Returns the proof that a commitment is the commitment to a blob.
    pub fn compute_blob_kzg_proof(&self, blob: &Blob, commitment_bytes: &Bytes48) -> Result<KzgProof, Error> {
        Ok(self.kzg.compute_blob_kzg_proof(&blob.bytes, &commitment_bytes.bytes)?.into())
    }
}

/// # Cells: EIP-7594
impl KzgSettings {
    /// Returns the 128 cells of a blob and its extension.
    pub fn compute_cells(&self, blob: &Blob) -> Result<Box<CellsPerExtBlob>, Error> {
        all_cells(self.kzg.compute_cells(&blob.bytes)?)
    }

    /// Returns the 128 cells of a blob and its extension, and the proof of each.
    pub fn compute_cells_and_kzg_proofs(
        &self,
        blob: &Blob,
    ) -> Result<(Box<CellsPerExtBlob>, Box<ProofsPerExtBlob>), Error> {
        both(self.kzg.compute_cells_and_kzg_proofs(&blob.bytes)?)
    }

    /// Returns all 128 cells and their proofs from at least 64 cells with rising indices.
    pub fn recover_cells_and_kzg_proofs(
        &self,
        cell_indices: &[u64],
        cells: &[Cell],
    ) -> Result<(Box<CellsPerExtBlob>, Box<ProofsPerExtBlob>), Error> {
        same_length("cell indices", cell_indices.len(), "cells", cells.len())?;
        both(self.kzg.recover_cells_and_kzg_proofs(cell_indices, &cell_slices(cells))?)
    }
}

fn all_cells(cells: Vec<[u8; BYTES_PER_CELL]>) -> Result<Box<CellsPerExtBlob>, Error> {
    boxed(cells.into_iter().map(|bytes| Cell { bytes }).collect())
}

fn both(both: CellsAndProofs) -> Result<(Box<CellsPerExtBlob>, Box<ProofsPerExtBlob>), Error> {
    Ok((all_cells(both.cells)?, boxed(both.proofs.into_iter().map(|bytes| KzgProof { bytes }).collect())?))
}

/// Returns an array of the one length that the functions return.
fn boxed<T, const N: usize>(items: Vec<T>) -> Result<Box<[T; N]>, Error> {
    items.into_boxed_slice().try_into().map_err(|_| Error::CError(crate::CkzgError::C_KZG_ERROR))
}
