//! Verification of cells as they come, with commitments that are read once.

use parcrypt_bls12_381::G1Affine;
use parcrypt_runtime::{Runtime, enter};

use super::verify::{Batch, cell_index};
use crate::bytes;
use crate::costs;
use crate::error::{Error, Input};
use crate::{BYTES_PER_COMMITMENT, Commitment, Settings};

/// The claim that a cell is the one with its index in the blob of a commitment.
#[derive(Clone, Copy, Debug)]
pub struct CellClaim<'a> {
    /// Index of the commitment in the list of the verifier.
    pub commitment_index: u64,
    /// Index of the cell, below 128.
    pub cell_index: u64,
    /// The cell, 2048 bytes.
    pub cell: &'a [u8],
    /// Its proof, 48 bytes.
    pub proof: &'a [u8],
}

/// The commitments of some blobs, which are read once, to verify cells of these blobs as they come.
///
/// It holds no cells: threads may share it by reference, and each call is a batch of its own. A batch of one column
/// takes least time.
///
/// ```
/// use parcrypt_kzg::{CellClaim, CellVerifier, Request, Settings};
/// use parcrypt_kzg::{BYTES_PER_BLOB, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
/// use parcrypt_runtime::Serial;
///
/// let settings = Settings::mainnet(Request::Auto)?;
/// let blob = vec![0; BYTES_PER_BLOB];
/// let commitment = blob_to_kzg_commitment(&Serial, &settings, &blob)?;
/// let sent = compute_cells_and_kzg_proofs(&Serial, &settings, &blob)?;
///
/// let verifier = CellVerifier::new(&Serial, &settings, &[&commitment])?;
/// for column in [17, 90] {
///     let (cell, proof) = (&sent.cells[column], &sent.proofs[column]);
///     let claim = CellClaim { commitment_index: 0, cell_index: column as u64, cell, proof };
///     assert!(verifier.verify(&Serial, &settings, &[claim])?);
/// }
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CellVerifier {
    /// Digest of the setup of the settings.
    setup: [u8; 32],
    bytes: Vec<Commitment>,
    points: Vec<G1Affine>,
}

impl CellVerifier {
    /// Returns a verifier for the cells of the blobs with these commitments, each of which is read and checked.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Point`] for bytes that are not a commitment, with the index of the first.
    pub fn new(rt: &dyn Runtime, settings: &Settings, commitments: &[&[u8]]) -> Result<Self, Error> {
        let numbered = || bytes::numbered(Input::Commitment, commitments);
        let (points, ()) = enter(rt, costs::points(&settings.rows, commitments.len()), || {
            bytes::points(rt, settings, numbered(), || ())
        });
        let points = points?;
        let array = |(what, index, bytes)| bytes::array::<BYTES_PER_COMMITMENT>(what, index, bytes).copied();
        let bytes = numbered().map(array).collect::<Result<Vec<_>, _>>()?;
        Ok(CellVerifier { setup: settings.digest, bytes, points })
    }

    /// Returns whether each cell is the one with its index in the blob of its commitment, by its proof; `true` for no
    /// cells. It is [`verify_cell_kzg_proof_batch`](super::verify_cell_kzg_proof_batch) of these cells.
    ///
    /// # Errors
    /// [`Error::OtherSetup`] for settings of another setup. With the index of the first claim:
    /// [`Error::CommitmentIndex`] and [`Error::CellIndex`] for indices that are out of range; [`Error::Length`],
    /// [`Error::NotCanonical`] and
    /// [`Error::Point`] for bytes that are not a cell or a proof.
    pub fn verify(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        claims: &[CellClaim<'_>],
    ) -> Result<bool, Error> {
        if self.setup != settings.digest {
            return Err(Error::OtherSetup);
        }
        let commitments = self.bytes.len();
        for (index, &CellClaim { commitment_index, cell_index: column, .. }) in claims.iter().enumerate() {
            if commitment_index >= commitments as u64 {
                return Err(Error::CommitmentIndex { index, commitment_index, commitments });
            }
            cell_index(index, column)?;
        }
        let columns: Vec<u64> = claims.iter().map(|claim| claim.cell_index).collect();
        let (cells, proofs): (Vec<&[u8]>, Vec<&[u8]>) =
            claims.iter().map(|claim| (claim.cell, claim.proof)).unzip();
        let commitments = self.bytes.iter().map(|bytes| &bytes[..]).collect();
        let of_commitments = claims.iter().map(|claim| claim.commitment_index).collect();
        Batch::of_known(commitments, of_commitments, &columns, &cells, &proofs).verify(
            rt,
            settings,
            Some(&self.points),
        )
    }
}
