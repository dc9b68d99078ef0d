//! [`BlobCells`]: a blob that keeps what was computed of it.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use parcrypt_runtime::{Runtime, enter};
use sha2::{Digest, Sha256};

use super::polynomial::{self, Polynomial};
use super::recovery::{recover, rising};
use super::{cell_proofs, proofs, recovered_cells};
use crate::batch::one;
use crate::bytes;
use crate::error::{Error, Input};
use crate::shadow::Inputs;
use crate::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell, Proof,
    Samples, Settings,
};

/// First bytes of what [`BlobCells::to_bytes`] returns: the format and its version.
const FORMAT: &[u8; 8] = b"PCCELLS1";
/// Length of the digest of a setup, and of a checksum, in bytes.
const DIGEST: usize = 32;
/// Length of what [`BlobCells::to_bytes`] returns without proofs: format, digest, blob, number of proofs, checksum.
const LEAST: usize = FORMAT.len() + DIGEST + BYTES_PER_BLOB + 1 + DIGEST;
/// Length of a proof with the index of its cell.
const NUMBERED_PROOF: usize = 1 + BYTES_PER_PROOF;

/// A blob and what was computed of it: remainders, cells and proofs. What is asked for again is not computed again.
///
/// It belongs to the settings that it was made with; others are [`Error::OtherSetup`]. Threads share it by
/// reference.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, BlobCells, Request, Settings, compute_cells};
/// use parcrypt_runtime::Serial;
/// let settings = Settings::mainnet(Request::Auto)?;
/// let blob = vec![1; BYTES_PER_BLOB];
/// let handle = BlobCells::from_blob(&Serial, &settings, &blob)?;
/// let cells = handle.cells(&Serial, &settings, &[7, 90])?;
/// assert_eq!(handle.blob(), blob);
/// assert_eq!(cells[1], compute_cells(&Serial, &settings, &blob)?[90]);
/// let restored = BlobCells::from_bytes(&Serial, &settings, &handle.to_bytes())?;
/// assert_eq!(restored.cells(&Serial, &settings, &[7, 90])?, cells);
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
pub struct BlobCells {
    /// The digest of the setup.
    digest: [u8; DIGEST],
    polynomial: Polynomial<'static>,
    /// Cells from 64 on that were computed one by one.
    further: [OnceLock<Box<Cell>>; CELLS_PER_BLOB],
    proofs: [OnceLock<Proof>; CELLS_PER_EXT_BLOB],
}

impl fmt::Debug for BlobCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobCells({} bytes)", self.memory())
    }
}

impl BlobCells {
    /// Returns the handle of a blob, with its remainders. It copies the blob.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob.
    pub fn from_blob(rt: &dyn Runtime, settings: &Settings, blob: &[u8]) -> Result<Self, Error> {
        enter(rt, settings.wanted_cells_cost(1, Some(&[])), || {
            let Polynomial { half, data, extension } = one(polynomial::read(rt, settings, 0, &[blob]))?;
            let data = Cow::Owned(data.into_owned());
            Ok(Self::new(settings, Polynomial { half, data, extension }))
        })
    }

    /// Returns the handle of the blob with these cells, at least 64.
    ///
    /// # Errors
    /// As [`recover_cells`](super::recover_cells).
    pub fn from_cells(
        rt: &dyn Runtime,
        settings: &Settings,
        cell_indices: &[u64],
        cells: &[&[u8]],
    ) -> Result<Self, Error> {
        let handle = enter(rt, settings.recovery_cost(1), || {
            let samples = [Samples { cell_indices, cells }];
            Ok(Self::new(settings, one(recover(rt, settings, &samples, Some(&[])))?))
        });
        if let Some(checker) = settings.checker() {
            let inputs = Inputs { bytes: &[cells], indices: &[cell_indices] };
            let blob = handle.as_ref().map(|handle| handle.blob().as_chunks().0.to_vec());
            let compute = |rt: &dyn Runtime, settings: &Settings, inputs: Inputs<'_>| {
                let data: Vec<usize> = (0..CELLS_PER_BLOB).collect();
                one(recovered_cells(rt, settings, &inputs.samples(), Some(&data)))
            };
            checker.take(rt, "BlobCells::from_cells", inputs, compute, &blob.map_err(Error::clone));
        }
        handle
    }

    fn new(settings: &Settings, polynomial: Polynomial<'static>) -> Self {
        BlobCells {
            digest: settings.digest,
            polynomial,
            further: [const { OnceLock::new() }; CELLS_PER_BLOB],
            proofs: [const { OnceLock::new() }; CELLS_PER_EXT_BLOB],
        }
    }

    /// Returns the blob.
    pub fn blob(&self) -> &[u8] {
        self.polynomial.blob()
    }

    /// Returns these cells, in the order of their indices.
    ///
    /// # Errors
    /// [`Error::OtherSetup`]; [`Error::CellIndex`] and [`Error::CellOrder`] for indices that are not below 128 or do
    /// not rise.
    pub fn cells(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        cell_indices: &[u64],
    ) -> Result<Vec<Cell>, Error> {
        self.check(settings)?;
        let wanted = rising(cell_indices)?;
        let new: Vec<usize> = wanted.iter().copied().filter(|cell| self.known(*cell).is_none()).collect();
        if !new.is_empty() {
            let computed = enter(rt, settings.wanted_cells_cost(1, Some(&new)), || {
                polynomial::cells(rt, settings, &[&self.polynomial], &new).pop().unwrap_or_default()
            });
            // Unless all of them are known now.
            if self.polynomial.extension.get().is_none() {
                for (cell, computed) in new.iter().zip(computed) {
                    self.further[cell - CELLS_PER_BLOB].get_or_init(|| Box::new(computed));
                }
            }
        }
        let found = Ok(wanted.iter().filter_map(|cell| self.known(*cell).copied()).collect());
        if let Some(checker) = settings.checker() {
            let inputs = Inputs { bytes: &[&[self.blob()]], indices: &[cell_indices] };
            let compute = |rt: &dyn Runtime, settings: &Settings, inputs: Inputs<'_>| {
                let wanted = rising(inputs.indices[0])?;
                one(super::cells(rt, settings, 0, &[inputs.one(0)], Some(&wanted)))
            };
            checker.take(rt, "BlobCells::cells", inputs, compute, &found);
        }
        found
    }

    /// Returns the proofs of these cells, in the order of their indices.
    ///
    /// # Errors
    /// As [`BlobCells::cells`].
    pub fn proofs(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        cell_indices: &[u64],
    ) -> Result<Vec<Proof>, Error> {
        self.check(settings)?;
        let wanted = rising(cell_indices)?;
        let known = |cell: &usize| self.proofs[*cell].get().copied();
        let new: Vec<usize> = wanted.iter().copied().filter(|cell| known(cell).is_none()).collect();
        if !new.is_empty() {
            // All of them are kept if that is the way to compute some.
            let all = settings.all_proofs_pay(1, new.len());
            let new: Vec<usize> = if all { (0..CELLS_PER_EXT_BLOB).collect() } else { new };
            let cost = settings.wanted_cells_cost(1, None) + settings.proofs_of_cells_cost(1, new.len());
            let computed = enter(rt, cost, || proofs(rt, settings, &[&self.polynomial], Some(&new)))?;
            for (cell, proof) in new.iter().zip(computed.into_iter().flatten()) {
                self.proofs[*cell].get_or_init(|| proof);
            }
        }
        let found = Ok(wanted.iter().filter_map(known).collect());
        if let Some(checker) = settings.checker() {
            let inputs = Inputs { bytes: &[&[self.blob()]], indices: &[cell_indices] };
            let compute = |rt: &dyn Runtime, settings: &Settings, inputs: Inputs<'_>| {
                let wanted = rising(inputs.indices[0])?;
                one(cell_proofs(rt, settings, 0, &[inputs.one(0)], &wanted))
            };
            checker.take(rt, "BlobCells::proofs", inputs, compute, &found);
        }
        found
    }

    /// Returns a cell, if it is known.
    fn known(&self, cell: usize) -> Option<&Cell> {
        let further = || self.further.get(cell.checked_sub(CELLS_PER_BLOB)?)?.get().map(|cell| &**cell);
        self.polynomial.cell(cell).or_else(further)
    }

    fn check(&self, settings: &Settings) -> Result<(), Error> {
        if settings.digest == self.digest { Ok(()) } else { Err(Error::OtherSetup) }
    }

    /// Returns the memory that it takes now, in bytes: 270 kB at first, 663 kB with all cells.
    pub fn memory(&self) -> usize {
        let further = self.further.iter().filter(|cell| cell.get().is_some()).count();
        size_of::<Self>() + self.polynomial.memory() + further * BYTES_PER_CELL
    }

    /// Returns the handle as bytes: the blob and the proofs that are known. Cells are computed again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let proofs = self.proofs.iter().enumerate().filter_map(|(cell, proof)| Some((cell, proof.get()?)));
        let proofs: Vec<_> = proofs.collect();
        let mut out = Vec::with_capacity(LEAST + proofs.len() * NUMBERED_PROOF);
        out.extend_from_slice(FORMAT);
        out.extend_from_slice(&self.digest);
        out.extend_from_slice(self.blob());
        out.push(proofs.len() as u8);
        for (cell, proof) in proofs {
            out.push(cell as u8);
            out.extend_from_slice(proof);
        }
        let checksum = Sha256::digest(&out);
        out.extend_from_slice(&checksum);
        out
    }

    /// Returns the handle that [`BlobCells::to_bytes`] wrote with the same setup.
    ///
    /// The checksum finds damage, not forgery: its proofs are as good as their source. Verify them if that is not
    /// trusted.
    ///
    /// # Errors
    /// [`Error::Version`] for other first bytes, [`Error::Length`], [`Error::Checksum`] for damaged bytes,
    /// [`Error::OtherSetup`], [`Error::CellIndex`] and [`Error::CellOrder`] for the indices of proofs, and
    /// [`Error::NotCanonical`] for a blob that is none.
    pub fn from_bytes(rt: &dyn Runtime, settings: &Settings, bytes: &[u8]) -> Result<Self, Error> {
        let length =
            |expected| Error::Length { what: Input::BlobCells, index: 0, expected, got: bytes.len() };
        let (format, rest) = bytes.split_first_chunk().ok_or_else(|| length(LEAST))?;
        if format != FORMAT {
            return Err(Error::Version { found: *format });
        }
        let fields = || {
            let (digest, rest) = rest.split_first_chunk::<DIGEST>()?;
            let (blob, rest) = rest.split_at_checked(BYTES_PER_BLOB)?;
            let (count, rest) = rest.split_first()?;
            let (proofs, checksum) = rest.split_last_chunk::<DIGEST>()?;
            Some((digest, blob, usize::from(*count), proofs, checksum))
        };
        let (digest, blob, count, proofs, checksum) = fields().ok_or_else(|| length(LEAST))?;
        let expected = LEAST + count * NUMBERED_PROOF;
        if bytes.len() != expected {
            return Err(length(expected));
        }
        if *checksum != *Sha256::digest(&bytes[..bytes.len() - DIGEST]) {
            return Err(Error::Checksum);
        }
        if *digest != settings.digest {
            return Err(Error::OtherSetup);
        }
        let (proofs, _) = proofs.as_chunks::<NUMBERED_PROOF>();
        let indices: Vec<u64> = proofs.iter().map(|proof| u64::from(proof[0])).collect();
        let cells = rising(&indices)?;
        let handle = Self::from_blob(rt, settings, blob)?;
        for (index, (cell, proof)) in cells.into_iter().zip(proofs).enumerate() {
            let proof = *bytes::array(Input::Proof, index, &proof[1..])?;
            handle.proofs[cell].get_or_init(|| proof);
        }
        Ok(handle)
    }
}
