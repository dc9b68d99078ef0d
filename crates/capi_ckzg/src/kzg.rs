//! EIP-4844 and EIP-7594: the functions of `eip4844/eip4844.h` and `eip7594/eip7594.h`.
//!
//! Cases that are undefined in c-kzg are refused with `C_KZG_BADARGS`: null pointers, settings that were not loaded. An
//! output is written when no error can occur any more; but `*ok` becomes false at once, as in c-kzg. Outputs may
//! overlap inputs.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_kzg::{
    CELLS_PER_EXT_BLOB, CellsAndProofs, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, Samples, Want,
    recover_wanted,
};
use parcrypt_runtime::Serial;
use parcrypt_shadow::Kzg;
use sha2::{Digest, Sha256};

use crate::call::{Caller, exported};
use crate::setup::settings;
use crate::types::{Blob, Bytes32, Bytes48, Cell, KzgSettings, RawFr, RawG1, Ret};

// --- eip4844/eip4844.h ---

exported!(|caller| {
    /// Commits to a blob.
    fn blob_to_kzg_commitment(
        out: *mut Bytes48,
        blob: *const Blob,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        let (s, blob, out) = (settings(caller, s)?, caller.input(blob)?, caller.output(out)?);
        out.write(s.blob_to_kzg_commitment(blob)?);
        Ok(())
    }

    /// Evaluates a blob's polynomial at z and proves the value.
    fn compute_kzg_proof(
        proof_out: *mut Bytes48,
        y_out: *mut Bytes32,
        blob: *const Blob,
        z_bytes: *const Bytes32,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        let (s, blob, z) = (settings(caller, s)?, caller.input(blob)?, caller.input(z_bytes)?);
        let (proof_out, y_out) = (caller.output(proof_out)?, caller.output(y_out)?);
        let (proof, y) = s.compute_kzg_proof(blob, z)?;
        proof_out.write(proof);
        y_out.write(y);
        Ok(())
    }

    /// Proves that a commitment is the commitment to a blob.
    fn compute_blob_kzg_proof(
        out: *mut Bytes48,
        blob: *const Blob,
        commitment_bytes: *const Bytes48,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        let (s, blob) = (settings(caller, s)?, caller.input(blob)?);
        let (commitment, out) = (caller.input(commitment_bytes)?, caller.output(out)?);
        out.write(s.compute_blob_kzg_proof(blob, commitment)?);
        Ok(())
    }

    /// Verifies that the polynomial of a commitment has the value y at z.
    fn verify_kzg_proof(
        ok: *mut bool,
        commitment_bytes: *const Bytes48,
        z_bytes: *const Bytes32,
        y_bytes: *const Bytes32,
        proof_bytes: *const Bytes48,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        answer(caller, ok, || {
            let (s, commitment) = (settings(caller, s)?, caller.input(commitment_bytes)?);
            let (z, y, proof) = (caller.input(z_bytes)?, caller.input(y_bytes)?, caller.input(proof_bytes)?);
            Ok(s.verify_kzg_proof(commitment, z, y, proof)?)
        })
    }

    /// Verifies that a commitment is the commitment to a blob.
    fn verify_blob_kzg_proof(
        ok: *mut bool,
        blob: *const Blob,
        commitment_bytes: *const Bytes48,
        proof_bytes: *const Bytes48,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        answer(caller, ok, || {
            let (s, blob) = (settings(caller, s)?, caller.input(blob)?);
            let (commitment, proof) = (caller.input(commitment_bytes)?, caller.input(proof_bytes)?);
            Ok(s.verify_blob_kzg_proof_batch(&[blob], &[commitment], &[proof])?)
        })
    }

    /// Verifies n blobs as one batch; true for n = 0, whatever the other pointers are.
    fn verify_blob_kzg_proof_batch(
        ok: *mut bool,
        blobs: *const Blob,
        commitments_bytes: *const Bytes48,
        proofs_bytes: *const Bytes48,
        n: u64,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        answer(caller, ok, || {
            if n == 0 {
                return Ok(true);
            }
            let (s, blobs) = (settings(caller, s)?, caller.slices(blobs, n)?);
            let commitments = caller.slices(commitments_bytes, n)?;
            let proofs = caller.slices(proofs_bytes, n)?;
            Ok(s.verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs)?)
        })
    }

    /// Writes the challenge at which a blob's proof is computed and verified; does nothing if a pointer is null.
    fn compute_challenge(eval_challenge_out: *mut RawFr, blob: *const Blob, commitment: *const RawG1) -> () {
        let (Ok(blob), Ok(commitment)) = (caller.input(blob), caller.input(commitment)) else { return };
        let Ok(out) = caller.output(eval_challenge_out) else { return };
        let commitment = G1::from(*commitment).to_compressed();
        // The degree has 16 bytes here, where the other hash has 8.
        let degree = (FIELD_ELEMENTS_PER_BLOB as u128).to_be_bytes();
        let hash = Sha256::new_with_prefix(b"FSBLOBVERIFY_V1_").chain_update(degree);
        out.write(challenge(hash.chain_update(blob).chain_update(commitment)));
    }
});

/// Returns the challenge of a hash: `hash_to_bls_field` of the specification.
fn challenge(hash: Sha256) -> RawFr {
    RawFr::from(Fr::from_bytes_reduced(&<[u8; 32]>::from(hash.finalize())))
}

/// Sets `*ok` to false, and then to the result of a check.
fn answer(caller: &Caller, ok: *mut bool, check: impl FnOnce() -> Result<bool, Ret>) -> Result<(), Ret> {
    let ok = caller.output(ok)?;
    ok.write(false);
    ok.write(check()?);
    Ok(())
}

// --- eip7594/eip7594.h ---

exported!(|caller| {
    /// Writes the 128 cells of a blob if `cells` is not null, and their 128 proofs if `proofs` is not null; one of them
    /// must not be null.
    fn compute_cells_and_kzg_proofs(
        cells: *mut Cell,
        proofs: *mut Bytes48,
        blob: *const Blob,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        if cells.is_null() && proofs.is_null() {
            return Err(Ret::BadArgs);
        }
        let (s, blob) = (settings(caller, s)?, caller.input(blob)?);
        let computed = if proofs.is_null() {
            CellsAndProofs { cells: s.compute_cells(blob)?, proofs: Vec::new() }
        } else {
            s.compute_cells_and_kzg_proofs(blob)?
        };
        write(caller, cells, proofs, &computed)
    }

    /// Writes the 128 cells of a blob, recovered from at least 64 of them, and their 128 proofs if `recovered_proofs`
    /// is not null.
    ///
    /// Cells that do not lie on one polynomial give `C_KZG_BADARGS`; c-kzg does not check this, and its result is
    /// undefined.
    fn recover_cells_and_kzg_proofs(
        recovered_cells: *mut Cell,
        recovered_proofs: *mut Bytes48,
        cell_indices: *const u64,
        cells: *const Cell,
        num_cells: u64,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        // Checked before anything is read, because the number may be wrong.
        if num_cells > CELLS_PER_EXT_BLOB as u64 {
            return Err(Ret::BadArgs);
        }
        caller.output(recovered_cells)?;
        let (s, indices) = (settings(caller, s)?, caller.inputs(cell_indices, num_cells)?);
        let cells = caller.slices(cells, num_cells)?;
        let recovered = if recovered_proofs.is_null() {
            let samples = [Samples { cell_indices: indices, cells: &cells }];
            recover_wanted(&Serial, s.first().settings(), &samples, Want::CELLS)?.remove(0)?
        } else {
            s.recover_cells_and_kzg_proofs(indices, &cells)?
        };
        write(caller, recovered_cells, recovered_proofs, &recovered)
    }

    /// Verifies cells of one blob or of several; true for no cells, whatever the other pointers are.
    fn verify_cell_kzg_proof_batch(
        ok: *mut bool,
        commitments_bytes: *const Bytes48,
        cell_indices: *const u64,
        cells: *const Cell,
        proofs_bytes: *const Bytes48,
        num_cells: u64,
        s: *const KzgSettings,
    ) -> Result<(), Ret> {
        answer(caller, ok, || {
            if num_cells == 0 {
                return Ok(true);
            }
            let (s, commitments) = (settings(caller, s)?, caller.slices(commitments_bytes, num_cells)?);
            let indices = caller.inputs(cell_indices, num_cells)?;
            let (cells, proofs) = (caller.slices(cells, num_cells)?, caller.slices(proofs_bytes, num_cells)?);
            Ok(s.verify_cell_kzg_proof_batch(&commitments, indices, &cells, &proofs)?)
        })
    }

    /// Writes the challenge of cells that the specification defines, whose powers combine the cells;
    /// [`verify_cell_kzg_proof_batch`] uses other random factors, from a hash of the same inputs.
    fn compute_verify_cell_kzg_proof_batch_challenge(
        challenge_out: *mut RawFr,
        commitments_bytes: *const Bytes48,
        num_commitments: u64,
        commitment_indices: *const u64,
        cell_indices: *const u64,
        cells: *const Cell,
        proofs_bytes: *const Bytes48,
        num_cells: u64,
    ) -> Result<(), Ret> {
        let out = caller.output(challenge_out)?;
        let commitments = caller.slices(commitments_bytes, num_commitments)?;
        let rows = caller.inputs(commitment_indices, num_cells)?;
        let columns = caller.inputs(cell_indices, num_cells)?;
        let cells = caller.slices(cells, num_cells)?;
        let proofs = caller.slices(proofs_bytes, num_cells)?;
        let in_range = |indices: &[u64], count: u64| indices.iter().all(|index| *index < count);
        if !in_range(rows, num_commitments) || !in_range(columns, CELLS_PER_EXT_BLOB as u64) {
            return Err(Ret::BadArgs);
        }
        let mut hash = Sha256::new_with_prefix(b"RCKZGCBATCH__V1_");
        let sizes = [FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, commitments.len(), cells.len()];
        sizes.iter().for_each(|size| hash.update((*size as u64).to_be_bytes()));
        commitments.iter().for_each(|commitment| hash.update(commitment));
        for (k, cell) in cells.iter().enumerate() {
            hash.update(rows[k].to_be_bytes());
            hash.update(columns[k].to_be_bytes());
            hash.update(cell);
            hash.update(proofs[k]);
        }
        out.write(challenge(hash));
        Ok(())
    }
});

/// Writes cells and proofs, each unless its pointer is null.
fn write(
    caller: &Caller,
    cells: *mut Cell,
    proofs: *mut Bytes48,
    computed: &CellsAndProofs,
) -> Result<(), Ret> {
    if !cells.is_null() {
        caller.outputs(cells, CELLS_PER_EXT_BLOB)?.write_all(&computed.cells);
    }
    if !proofs.is_null() {
        caller.outputs(proofs, CELLS_PER_EXT_BLOB)?.write_all(&computed.proofs);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::corpus::{passed, vectors};

    use super::*;

    /// The vectors of the function that no crate has; `crates/kernels/kzg` has the others.
    #[test]
    fn corpora_of_challenges() {
        let vectors = vectors("compute_verify_cell_kzg_proof_batch_challenge");
        for vector in &vectors {
            let [commitments, rows, columns, cells, proofs] =
                std::array::from_fn(|input| vector.inputs[input].concat());
            let [rows, columns]: [Vec<u64>; 2] = [rows, columns]
                .map(|bytes| bytes.as_chunks().0.iter().map(|index| u64::from_be_bytes(*index)).collect());
            let mut challenge = RawFr([0; 4]);
            // SAFETY: the lists have these numbers of values.
            let ret = unsafe {
                compute_verify_cell_kzg_proof_batch_challenge(
                    &raw mut challenge,
                    commitments.as_ptr().cast(),
                    vector.inputs[0].len() as u64,
                    rows.as_ptr(),
                    columns.as_ptr(),
                    cells.as_ptr().cast(),
                    proofs.as_ptr().cast(),
                    columns.len() as u64,
                )
            };
            assert_eq!(ret, Ret::Ok, "{}", vector.name);
            assert_eq!(cells.len(), columns.len() * size_of::<Cell>(), "{}", vector.name);
            assert_eq!(vector.output, [Fr::from(challenge).to_bytes()], "{}", vector.name);
        }
        passed("kzg", vectors.len(), &["libparcrypt_ckzg"]);
    }
}
