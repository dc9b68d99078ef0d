//! EIP-4844 and EIP-7594: the functions of `eip4844/eip4844.h` and `eip7594/eip7594.h`.
//!
//! Cases that are undefined in c-kzg are refused with `C_KZG_BADARGS`: null pointers, settings that were not loaded. An
//! output is written when no error can occur any more; but `*ok` becomes false at once, as in c-kzg. Outputs may
//! overlap inputs.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_kzg as kzg;
use parcrypt_kzg::{CELLS_PER_EXT_BLOB, CellsAndProofs};
use parcrypt_runtime::Serial;

use crate::call::{call, input, inputs, output, quiet, slices};
use crate::setup::settings;
use crate::types::{Blob, Bytes32, Bytes48, Cell, KzgSettings, RawFr, RawG1, Ret};

// --- eip4844/eip4844.h ---

/// Commits to a blob.
///
/// # Safety
/// Each pointer is null, or its value is there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blob_to_kzg_commitment(
    out: *mut Bytes48,
    blob: *const Blob,
    s: *const KzgSettings,
) -> Ret {
    call(|| {
        // SAFETY: the caller's promise.
        let (s, blob, out) = unsafe { (settings(s)?, input(blob)?, output(out)?) };
        let commitment = kzg::blob_to_kzg_commitment(&Serial, s, blob)?;
        // SAFETY: not null by `output`, room by the caller's promise.
        unsafe { out.write(commitment) };
        Ok(())
    })
}

/// Evaluates a blob's polynomial at z and proves the value.
///
/// # Safety
/// Each pointer is null, or its value is there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compute_kzg_proof(
    proof_out: *mut Bytes48,
    y_out: *mut Bytes32,
    blob: *const Blob,
    z_bytes: *const Bytes32,
    s: *const KzgSettings,
) -> Ret {
    call(|| {
        // SAFETY: the caller's promise.
        let (s, blob, z) = unsafe { (settings(s)?, input(blob)?, input(z_bytes)?) };
        let (proof_out, y_out) = (output(proof_out)?, output(y_out)?);
        let (proof, y) = kzg::compute_kzg_proof(&Serial, s, blob, z)?;
        // SAFETY: not null by `output`, room by the caller's promise.
        unsafe { proof_out.write(proof) };
        // SAFETY: the same.
        unsafe { y_out.write(y) };
        Ok(())
    })
}

/// Proves that a commitment is the commitment to a blob.
///
/// # Safety
/// Each pointer is null, or its value is there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compute_blob_kzg_proof(
    out: *mut Bytes48,
    blob: *const Blob,
    commitment_bytes: *const Bytes48,
    s: *const KzgSettings,
) -> Ret {
    call(|| {
        // SAFETY: the caller's promise.
        let (s, blob, commitment) = unsafe { (settings(s)?, input(blob)?, input(commitment_bytes)?) };
        let out = output(out)?;
        let proof = kzg::compute_blob_kzg_proof(&Serial, s, blob, commitment)?;
        // SAFETY: not null by `output`, room by the caller's promise.
        unsafe { out.write(proof) };
        Ok(())
    })
}

/// Verifies that the polynomial of a commitment has the value y at z.
///
/// # Safety
/// Each pointer is null, or its value is there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verify_kzg_proof(
    ok: *mut bool,
    commitment_bytes: *const Bytes48,
    z_bytes: *const Bytes32,
    y_bytes: *const Bytes32,
    proof_bytes: *const Bytes48,
    s: *const KzgSettings,
) -> Ret {
    // SAFETY: the caller's promise, for `ok` and for the other pointers.
    unsafe {
        answer(ok, || {
            let (s, commitment, z) = (settings(s)?, input(commitment_bytes)?, input(z_bytes)?);
            let (y, proof) = (input(y_bytes)?, input(proof_bytes)?);
            Ok(kzg::verify_kzg_proof(&Serial, s, commitment, z, y, proof)?)
        })
    }
}

/// Verifies that a commitment is the commitment to a blob.
///
/// # Safety
/// Each pointer is null, or its value is there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verify_blob_kzg_proof(
    ok: *mut bool,
    blob: *const Blob,
    commitment_bytes: *const Bytes48,
    proof_bytes: *const Bytes48,
    s: *const KzgSettings,
) -> Ret {
    // SAFETY: the caller's promise, for `ok` and for the other pointers.
    unsafe {
        answer(ok, || {
            let (s, blob) = (settings(s)?, input(blob)?);
            let (commitment, proof) = (input(commitment_bytes)?, input(proof_bytes)?);
            Ok(kzg::verify_blob_kzg_proof(&Serial, s, blob, commitment, proof)?)
        })
    }
}

/// Verifies n blobs as one batch; true for n = 0, whatever the other pointers are.
///
/// # Safety
/// Each pointer is null, or its values are there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verify_blob_kzg_proof_batch(
    ok: *mut bool,
    blobs: *const Blob,
    commitments_bytes: *const Bytes48,
    proofs_bytes: *const Bytes48,
    n: u64,
    s: *const KzgSettings,
) -> Ret {
    // SAFETY: the caller's promise, for `ok` and for the other pointers.
    unsafe {
        answer(ok, || {
            if n == 0 {
                return Ok(true);
            }
            let (s, blobs) = (settings(s)?, slices(inputs(blobs, n)?)?);
            let commitments = slices(inputs(commitments_bytes, n)?)?;
            let proofs = slices(inputs(proofs_bytes, n)?)?;
            Ok(kzg::verify_blob_kzg_proof_batch(&Serial, s, &blobs, &commitments, &proofs)?)
        })
    }
}

/// Writes the challenge at which a blob's proof is computed and verified; does nothing where a pointer is null.
///
/// # Safety
/// Each pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compute_challenge(
    eval_challenge_out: *mut RawFr,
    blob: *const Blob,
    commitment: *const RawG1,
) {
    quiet((), || {
        // SAFETY: the caller's promise.
        let (Ok(blob), Ok(commitment)) = (unsafe { input(blob) }, unsafe { input(commitment) }) else {
            return;
        };
        let Ok(out) = output(eval_challenge_out) else { return };
        let commitment = G1::from(*commitment).to_compressed();
        if let Some(challenge) = kzg::compute_challenge(blob, &commitment).ok().and_then(element) {
            // SAFETY: not null and aligned by `output`, room by the caller's promise.
            unsafe { out.write(challenge) };
        }
    });
}

/// Returns a field element of `parcrypt-kzg` as c-kzg's type.
fn element(bytes: kzg::FieldBytes) -> Option<RawFr> {
    Fr::from_bytes(&bytes).ok().map(RawFr::from)
}

/// Sets `*ok` to false, and then to the result of a check.
///
/// # Safety
/// `ok` is null or room for an answer.
unsafe fn answer(ok: *mut bool, check: impl FnOnce() -> Result<bool, Ret>) -> Ret {
    call(|| {
        let ok = output(ok)?;
        // SAFETY: not null by `output`, room by the caller's promise.
        unsafe { ok.write(false) };
        let answer = check()?;
        // SAFETY: the same.
        unsafe { ok.write(answer) };
        Ok(())
    })
}

// --- eip7594/eip7594.h ---

/// Writes the cells of a blob where `cells` is not null, and their proofs where `proofs` is not null; one of them must
/// not be null.
///
/// # Safety
/// `blob` is null or a blob, `cells` and `proofs` null or room for 128 each; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compute_cells_and_kzg_proofs(
    cells: *mut Cell,
    proofs: *mut Bytes48,
    blob: *const Blob,
    s: *const KzgSettings,
) -> Ret {
    call(|| {
        if cells.is_null() && proofs.is_null() {
            return Err(Ret::BadArgs);
        }
        // SAFETY: the caller's promise.
        let (s, blob) = unsafe { (settings(s)?, input(blob)?) };
        let computed = if proofs.is_null() {
            CellsAndProofs { cells: kzg::compute_cells(&Serial, s, blob)?, proofs: Vec::new() }
        } else {
            kzg::compute_cells_and_kzg_proofs(&Serial, s, blob)?
        };
        // SAFETY: the caller's promise.
        unsafe { give(cells, proofs, &computed) }
    })
}

/// Writes all cells of a blob, recovered from at least 64 of them, and their proofs where `recovered_proofs` is not
/// null.
///
/// Cells that do not lie on one polynomial give `C_KZG_BADARGS`; c-kzg does not check this, and its result is
/// undefined.
///
/// # Safety
/// `cell_indices` and `cells` are null or `num_cells` values, `recovered_cells` and `recovered_proofs` null or room for
/// 128 each; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recover_cells_and_kzg_proofs(
    recovered_cells: *mut Cell,
    recovered_proofs: *mut Bytes48,
    cell_indices: *const u64,
    cells: *const Cell,
    num_cells: u64,
    s: *const KzgSettings,
) -> Ret {
    call(|| {
        // Checked before anything is read, because the number may be wrong.
        if num_cells > CELLS_PER_EXT_BLOB as u64 {
            return Err(Ret::BadArgs);
        }
        output(recovered_cells)?;
        // SAFETY: the caller's promise.
        let (s, indices) = unsafe { (settings(s)?, inputs(cell_indices, num_cells)?) };
        // SAFETY: the same.
        let cells = slices(unsafe { inputs(cells, num_cells)? })?;
        let recovered = if recovered_proofs.is_null() {
            CellsAndProofs { cells: kzg::recover_cells(&Serial, s, indices, &cells)?, proofs: Vec::new() }
        } else {
            kzg::recover_cells_and_kzg_proofs(&Serial, s, indices, &cells)?
        };
        // SAFETY: the caller's promise.
        unsafe { give(recovered_cells, recovered_proofs, &recovered) }
    })
}

/// Writes cells and proofs where there is room for them.
///
/// # Safety
/// Each pointer is null or room for 128 values.
unsafe fn give(cells: *mut Cell, proofs: *mut Bytes48, computed: &CellsAndProofs) -> Result<(), Ret> {
    if !cells.is_null() {
        assert_eq!(computed.cells.len(), CELLS_PER_EXT_BLOB);
        // SAFETY: not null; as many are there, and there is room for as many, by the caller's promise; ours is another
        // piece of memory.
        unsafe { std::ptr::copy_nonoverlapping(computed.cells.as_ptr(), cells, CELLS_PER_EXT_BLOB) };
    }
    if !proofs.is_null() {
        assert_eq!(computed.proofs.len(), CELLS_PER_EXT_BLOB);
        // SAFETY: the same.
        unsafe { std::ptr::copy_nonoverlapping(computed.proofs.as_ptr(), proofs, CELLS_PER_EXT_BLOB) };
    }
    Ok(())
}

/// Verifies cells of one blob or of several; true for no cells, whatever the other pointers are.
///
/// # Safety
/// Each pointer is null, or its values are there; the settings are loaded, or zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verify_cell_kzg_proof_batch(
    ok: *mut bool,
    commitments_bytes: *const Bytes48,
    cell_indices: *const u64,
    cells: *const Cell,
    proofs_bytes: *const Bytes48,
    num_cells: u64,
    s: *const KzgSettings,
) -> Ret {
    // SAFETY: the caller's promise, for `ok` and for the other pointers.
    unsafe {
        answer(ok, || {
            if num_cells == 0 {
                return Ok(true);
            }
            let (s, commitments) = (settings(s)?, slices(inputs(commitments_bytes, num_cells)?)?);
            let (indices, cells) = (inputs(cell_indices, num_cells)?, slices(inputs(cells, num_cells)?)?);
            let proofs = slices(inputs(proofs_bytes, num_cells)?)?;
            Ok(kzg::verify_cell_kzg_proof_batch(&Serial, s, &commitments, indices, &cells, &proofs)?)
        })
    }
}

/// Writes the challenge of cells that the specification defines, whose powers combine the cells;
/// [`verify_cell_kzg_proof_batch`] uses other random factors, from a hash of the same inputs.
///
/// # Safety
/// Each pointer is null, or its values are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compute_verify_cell_kzg_proof_batch_challenge(
    challenge_out: *mut RawFr,
    commitments_bytes: *const Bytes48,
    num_commitments: u64,
    commitment_indices: *const u64,
    cell_indices: *const u64,
    cells: *const Cell,
    proofs_bytes: *const Bytes48,
    num_cells: u64,
) -> Ret {
    call(|| {
        let out = output(challenge_out)?;
        // SAFETY: the caller's promise.
        let (commitments, rows) = unsafe {
            (slices(inputs(commitments_bytes, num_commitments)?)?, inputs(commitment_indices, num_cells)?)
        };
        // SAFETY: the same.
        let (columns, cells) =
            unsafe { (inputs(cell_indices, num_cells)?, slices(inputs(cells, num_cells)?)?) };
        // SAFETY: the same.
        let proofs = slices(unsafe { inputs(proofs_bytes, num_cells)? })?;
        let challenge =
            kzg::compute_verify_cell_kzg_proof_batch_challenge(&commitments, rows, columns, &cells, &proofs)?;
        let challenge = element(challenge).ok_or(Ret::Error)?;
        // SAFETY: not null and aligned by `output`, room by the caller's promise.
        unsafe { out.write(challenge) };
        Ok(())
    })
}
