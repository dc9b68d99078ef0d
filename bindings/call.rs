//! The functions of KZG over bytes, for the packages in JavaScript: a call has a number, bytes in and bytes out.

use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF,
    CellsAndProofs,
};
use parcrypt_shadow::Kzg;

/// Returns the output of a function for `count` items from the input, whose parts stand in the order of the arguments.
///
/// Points, field elements and cells follow each other, all cells before all proofs; a verdict is one byte.
///
/// # Errors
/// A message for an input that is too short or too long, or that the function refuses.
pub(crate) fn call(
    kzg: &impl Kzg<Error = parcrypt_kzg::Error>,
    function: u32,
    count: usize,
    input: &[u8],
) -> Result<Vec<u8>, String> {
    let mut input = Input(input);
    let output = match function {
        2 => kzg.blob_to_kzg_commitment(input.take(BYTES_PER_BLOB)?).map_err(text)?.to_vec(),
        3 => {
            let (blob, commitment) = (input.take(BYTES_PER_BLOB)?, input.take(BYTES_PER_COMMITMENT)?);
            kzg.compute_blob_kzg_proof(blob, commitment).map_err(text)?.to_vec()
        }
        4 => {
            let blobs = input.many(count, BYTES_PER_BLOB)?;
            let commitments = input.many(count, BYTES_PER_COMMITMENT)?;
            let proofs = input.many(count, BYTES_PER_PROOF)?;
            let is_valid = kzg.verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs);
            vec![is_valid.map_err(text)?.into()]
        }
        5 => {
            let (commitment, z) = (input.take(BYTES_PER_COMMITMENT)?, input.take(BYTES_PER_FIELD_ELEMENT)?);
            let (y, proof) = (input.take(BYTES_PER_FIELD_ELEMENT)?, input.take(BYTES_PER_PROOF)?);
            vec![kzg.verify_kzg_proof(commitment, z, y, proof).map_err(text)?.into()]
        }
        6 => kzg.compute_cells(input.take(BYTES_PER_BLOB)?).map_err(text)?.concat(),
        7 => {
            let blob = input.take(BYTES_PER_BLOB)?;
            joined(kzg.compute_cells_and_kzg_proofs(blob).map_err(text)?)
        }
        8 => {
            let (indices, cells) = (input.indices(count)?, input.many(count, BYTES_PER_CELL)?);
            joined(kzg.recover_cells_and_kzg_proofs(&indices, &cells).map_err(text)?)
        }
        9 => {
            let (commitments, indices) = (input.many(count, BYTES_PER_COMMITMENT)?, input.indices(count)?);
            let (cells, proofs) = (input.many(count, BYTES_PER_CELL)?, input.many(count, BYTES_PER_PROOF)?);
            let is_valid = kzg.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &proofs);
            vec![is_valid.map_err(text)?.into()]
        }
        10 => {
            let (blob, z) = (input.take(BYTES_PER_BLOB)?, input.take(BYTES_PER_FIELD_ELEMENT)?);
            let (proof, y) = kzg.compute_kzg_proof(blob, z).map_err(text)?;
            [&proof[..], &y].concat()
        }
        _ => return Err(format!("unknown function {function}")),
    };
    match input.0 {
        [] => Ok(output),
        rest => Err(format!("{} bytes too many", rest.len())),
    }
}

/// Returns all cells and then all proofs.
fn joined(both: CellsAndProofs) -> Vec<u8> {
    [both.cells.concat(), both.proofs.concat()].concat()
}

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The bytes of the input that are not taken yet.
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("the input is too short")?;
        self.0 = rest;
        Ok(taken)
    }

    fn many(&mut self, count: usize, length: usize) -> Result<Vec<&'a [u8]>, String> {
        (0..count).map(|_| self.take(length)).collect()
    }

    /// Returns indices, which are little-endian words of 32 bits.
    fn indices(&mut self, count: usize) -> Result<Vec<u64>, String> {
        let bytes = self.take(count.checked_mul(4).ok_or("too many items")?)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word).into()).collect())
    }
}
