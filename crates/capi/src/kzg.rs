//! EIP-4844 and EIP-7594, for C.

use std::sync::RwLockReadGuard;

use parcrypt_kzg as kzg;
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF,
    CELLS_PER_EXT_BLOB,
};

use crate::memory::{self, Caller, Output};
use crate::runtime::Runtime;
use crate::settings::Settings;
use crate::status::{Failure, Status};

/// Bytes of all cells of a blob.
const BYTES_PER_EXT_BLOB: usize = CELLS_PER_EXT_BLOB * BYTES_PER_CELL;
/// Bytes of the proofs of all cells of a blob.
const BYTES_PER_CELL_PROOFS: usize = CELLS_PER_EXT_BLOB * BYTES_PER_PROOF;

/// Returns runtime and settings, the first arguments of most functions.
pub(crate) fn handles(
    caller: &Caller,
    runtime: *const Runtime,
    settings: *const Settings,
) -> Result<(&dyn parcrypt_runtime::Runtime, RwLockReadGuard<'_, kzg::Settings>), Failure> {
    let runtime = caller.handle("runtime", runtime)?;
    let settings = caller.handle("settings", settings)?;
    Ok((runtime.get(), settings.read()?))
}

exported!(|caller| {
    fn parcrypt_blob_to_kzg_commitment(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        commitment: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let commitment = caller.output("commitment", commitment, BYTES_PER_COMMITMENT)?;
        commitment.write(&kzg::blob_to_kzg_commitment(rt, &settings, blob)?);
        Ok(())
    }

    fn parcrypt_compute_kzg_proof(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        z: *const u8,
        z_length: usize,
        proof: *mut u8,
        y: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let z = caller.input("z", z, z_length)?;
        let proof = caller.output("proof", proof, BYTES_PER_PROOF)?;
        let y = caller.output("y", y, BYTES_PER_FIELD_ELEMENT)?;
        let (computed, value) = kzg::compute_kzg_proof(rt, &settings, blob, z)?;
        proof.write(&computed);
        y.write(&value);
        Ok(())
    }

    fn parcrypt_compute_blob_kzg_proof(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        commitment: *const u8,
        commitment_length: usize,
        proof: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let commitment = caller.input("commitment", commitment, commitment_length)?;
        let proof = caller.output("proof", proof, BYTES_PER_PROOF)?;
        proof.write(&kzg::compute_blob_kzg_proof(rt, &settings, blob, commitment)?);
        Ok(())
    }

    fn parcrypt_verify_kzg_proof(
        runtime: *const Runtime,
        settings: *const Settings,
        commitment: *const u8,
        commitment_length: usize,
        z: *const u8,
        z_length: usize,
        y: *const u8,
        y_length: usize,
        proof: *const u8,
        proof_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let commitment = caller.input("commitment", commitment, commitment_length)?;
        let z = caller.input("z", z, z_length)?;
        let y = caller.input("y", y, y_length)?;
        let proof = caller.input("proof", proof, proof_length)?;
        let ok = caller.output("ok", ok, 1)?;
        ok.write(&[kzg::verify_kzg_proof(rt, &settings, commitment, z, y, proof)?]);
        Ok(())
    }

    fn parcrypt_verify_kzg_proof_batch(
        runtime: *const Runtime,
        settings: *const Settings,
        commitments: *const u8,
        commitments_length: usize,
        zs: *const u8,
        zs_length: usize,
        ys: *const u8,
        ys_length: usize,
        proofs: *const u8,
        proofs_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let commitments =
            caller.items("commitments", commitments, commitments_length, BYTES_PER_COMMITMENT)?;
        let zs = caller.items("zs", zs, zs_length, BYTES_PER_FIELD_ELEMENT)?;
        let ys = caller.items("ys", ys, ys_length, BYTES_PER_FIELD_ELEMENT)?;
        let proofs = caller.items("proofs", proofs, proofs_length, BYTES_PER_PROOF)?;
        let ok = caller.output("ok", ok, 1)?;
        ok.write(&[kzg::verify_kzg_proof_batch(rt, &settings, &commitments, &zs, &ys, &proofs)?]);
        Ok(())
    }

    fn parcrypt_verify_kzg_proof_batch_which(
        runtime: *const Runtime,
        settings: *const Settings,
        commitments: *const u8,
        commitments_length: usize,
        zs: *const u8,
        zs_length: usize,
        ys: *const u8,
        ys_length: usize,
        proofs: *const u8,
        proofs_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let commitments =
            caller.many_items("commitments", commitments, commitments_length, count, BYTES_PER_COMMITMENT)?;
        let zs = caller.many_items("zs", zs, zs_length, count, BYTES_PER_FIELD_ELEMENT)?;
        let ys = caller.many_items("ys", ys, ys_length, count, BYTES_PER_FIELD_ELEMENT)?;
        let proofs = caller.many_items("proofs", proofs, proofs_length, count, BYTES_PER_PROOF)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let wrong = kzg::verify_kzg_proof_batch_which(rt, &settings, &commitments, &zs, &ys, &proofs)?;
        name(wrong, &statuses, count)
    }

    fn parcrypt_verify_blob_kzg_proof(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        commitment: *const u8,
        commitment_length: usize,
        proof: *const u8,
        proof_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let commitment = caller.input("commitment", commitment, commitment_length)?;
        let proof = caller.input("proof", proof, proof_length)?;
        let ok = caller.output("ok", ok, 1)?;
        ok.write(&[kzg::verify_blob_kzg_proof(rt, &settings, blob, commitment, proof)?]);
        Ok(())
    }

    fn parcrypt_verify_blob_kzg_proof_batch(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        commitments: *const u8,
        commitments_length: usize,
        proofs: *const u8,
        proofs_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.items("blobs", blobs, blobs_length, BYTES_PER_BLOB)?;
        let commitments =
            caller.items("commitments", commitments, commitments_length, BYTES_PER_COMMITMENT)?;
        let proofs = caller.items("proofs", proofs, proofs_length, BYTES_PER_PROOF)?;
        let ok = caller.output("ok", ok, 1)?;
        ok.write(&[kzg::verify_blob_kzg_proof_batch(rt, &settings, &blobs, &commitments, &proofs)?]);
        Ok(())
    }

    fn parcrypt_compute_cells(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        cells: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let cells = caller.output("cells", cells, BYTES_PER_EXT_BLOB)?;
        cells.write(kzg::compute_cells(rt, &settings, blob)?.as_flattened());
        Ok(())
    }

    fn parcrypt_compute_cells_and_kzg_proofs(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        cells: *mut u8,
        proofs: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let cells = caller.output("cells", cells, BYTES_PER_EXT_BLOB)?;
        let proofs = caller.output("proofs", proofs, BYTES_PER_CELL_PROOFS)?;
        let both = kzg::compute_cells_and_kzg_proofs(rt, &settings, blob)?;
        cells.write(both.cells.as_flattened());
        proofs.write(both.proofs.as_flattened());
        Ok(())
    }

    fn parcrypt_recover_cells(
        runtime: *const Runtime,
        settings: *const Settings,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        recovered_cells: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.items("cells", cells, cells_length, BYTES_PER_CELL)?;
        let recovered_cells = caller.output("recovered_cells", recovered_cells, BYTES_PER_EXT_BLOB)?;
        recovered_cells.write(kzg::recover_cells(rt, &settings, cell_indices, &cells)?.as_flattened());
        Ok(())
    }

    fn parcrypt_recover_cells_and_kzg_proofs(
        runtime: *const Runtime,
        settings: *const Settings,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        recovered_cells: *mut u8,
        recovered_proofs: *mut u8,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.items("cells", cells, cells_length, BYTES_PER_CELL)?;
        let recovered_cells = caller.output("recovered_cells", recovered_cells, BYTES_PER_EXT_BLOB)?;
        let recovered_proofs = caller.output("recovered_proofs", recovered_proofs, BYTES_PER_CELL_PROOFS)?;
        let both = kzg::recover_cells_and_kzg_proofs(rt, &settings, cell_indices, &cells)?;
        recovered_cells.write(both.cells.as_flattened());
        recovered_proofs.write(both.proofs.as_flattened());
        Ok(())
    }

    fn parcrypt_verify_cell_kzg_proof_batch(
        runtime: *const Runtime,
        settings: *const Settings,
        commitments: *const u8,
        commitments_length: usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        proofs: *const u8,
        proofs_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let commitments =
            caller.items("commitments", commitments, commitments_length, BYTES_PER_COMMITMENT)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.items("cells", cells, cells_length, BYTES_PER_CELL)?;
        let proofs = caller.items("proofs", proofs, proofs_length, BYTES_PER_PROOF)?;
        let ok = caller.output("ok", ok, 1)?;
        let holds =
            kzg::verify_cell_kzg_proof_batch(rt, &settings, &commitments, cell_indices, &cells, &proofs)?;
        ok.write(&[holds]);
        Ok(())
    }

    fn parcrypt_verify_cell_kzg_proof_batch_which(
        runtime: *const Runtime,
        settings: *const Settings,
        commitments: *const u8,
        commitments_length: usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        proofs: *const u8,
        proofs_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let commitments =
            caller.many_items("commitments", commitments, commitments_length, count, BYTES_PER_COMMITMENT)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.many_items("cells", cells, cells_length, count, BYTES_PER_CELL)?;
        let proofs = caller.many_items("proofs", proofs, proofs_length, count, BYTES_PER_PROOF)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let wrong = kzg::verify_cell_kzg_proof_batch_which(
            rt,
            &settings,
            &commitments,
            cell_indices,
            &cells,
            &proofs,
        )?;
        name(wrong, &statuses, count)
    }

    fn parcrypt_verify_blob_kzg_proof_batch_which(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        commitments: *const u8,
        commitments_length: usize,
        proofs: *const u8,
        proofs_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.many_items("blobs", blobs, blobs_length, count, BYTES_PER_BLOB)?;
        let commitments =
            caller.many_items("commitments", commitments, commitments_length, count, BYTES_PER_COMMITMENT)?;
        let proofs = caller.many_items("proofs", proofs, proofs_length, count, BYTES_PER_PROOF)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let wrong = kzg::verify_blob_kzg_proof_batch_which(rt, &settings, &blobs, &commitments, &proofs)?;
        name(wrong, &statuses, count)
    }
});

// --- many blobs ---

exported!(|caller| {
    fn parcrypt_blob_to_kzg_commitment_many(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        commitments: *mut u8,
        commitments_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.many_items("blobs", blobs, blobs_length, count, BYTES_PER_BLOB)?;
        let commitments = caller.many_outputs(
            "commitments",
            commitments,
            commitments_length,
            count,
            BYTES_PER_COMMITMENT,
        )?;
        let statuses = caller.output("statuses", statuses, count)?;
        let results = kzg::blob_to_kzg_commitment_many(rt, &settings, &blobs);
        give(results, &statuses, |i, commitment| {
            commitments.write_item(i, commitment.map(|commitment| &commitment[..]));
        })
    }

    fn parcrypt_compute_blob_kzg_proof_many(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        commitments: *const u8,
        commitments_length: usize,
        proofs: *mut u8,
        proofs_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.many_items("blobs", blobs, blobs_length, count, BYTES_PER_BLOB)?;
        let commitments =
            caller.many_items("commitments", commitments, commitments_length, count, BYTES_PER_COMMITMENT)?;
        let proofs = caller.many_outputs("proofs", proofs, proofs_length, count, BYTES_PER_PROOF)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let results = kzg::compute_blob_kzg_proof_many(rt, &settings, &blobs, &commitments)?;
        give(results, &statuses, |i, proof| proofs.write_item(i, proof.map(|proof| &proof[..])))
    }

    fn parcrypt_compute_cells_many(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        cells: *mut u8,
        cells_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.many_items("blobs", blobs, blobs_length, count, BYTES_PER_BLOB)?;
        let cells = caller.many_outputs("cells", cells, cells_length, count, BYTES_PER_EXT_BLOB)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let results = kzg::compute_cells_many(rt, &settings, &blobs);
        give(results, &statuses, |i, found| cells.write_item(i, found.map(|found| found.as_flattened())))
    }

    fn parcrypt_compute_cells_and_kzg_proofs_many(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        cells: *mut u8,
        cells_length: usize,
        proofs: *mut u8,
        proofs_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.many_items("blobs", blobs, blobs_length, count, BYTES_PER_BLOB)?;
        let cells = caller.many_outputs("cells", cells, cells_length, count, BYTES_PER_EXT_BLOB)?;
        let proofs = caller.many_outputs("proofs", proofs, proofs_length, count, BYTES_PER_CELL_PROOFS)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let results = kzg::compute_cells_and_kzg_proofs_many(rt, &settings, &blobs);
        give(results, &statuses, |i, both| {
            cells.write_item(i, both.map(|both| both.cells.as_flattened()));
            proofs.write_item(i, both.map(|both| both.proofs.as_flattened()));
        })
    }

    fn parcrypt_recover_cells_many(
        runtime: *const Runtime,
        settings: *const Settings,
        cells_per_blob: *const usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        recovered_cells: *mut u8,
        recovered_cells_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let cells_per_blob = caller.input("cells_per_blob", cells_per_blob, count)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.many_items("cells", cells, cells_length, cell_indices_count, BYTES_PER_CELL)?;
        let recovered_cells = caller.many_outputs(
            "recovered_cells",
            recovered_cells,
            recovered_cells_length,
            count,
            BYTES_PER_EXT_BLOB,
        )?;
        let statuses = caller.output("statuses", statuses, count)?;
        let samples = samples(cells_per_blob, cell_indices, &cells)?;
        let results = kzg::recover_cells_many(rt, &settings, &samples);
        give(results, &statuses, |i, found| {
            recovered_cells.write_item(i, found.map(|found| found.as_flattened()));
        })
    }

    fn parcrypt_recover_cells_and_kzg_proofs_many(
        runtime: *const Runtime,
        settings: *const Settings,
        cells_per_blob: *const usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        recovered_cells: *mut u8,
        recovered_cells_length: usize,
        recovered_proofs: *mut u8,
        recovered_proofs_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let cells_per_blob = caller.input("cells_per_blob", cells_per_blob, count)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.many_items("cells", cells, cells_length, cell_indices_count, BYTES_PER_CELL)?;
        let recovered_cells = caller.many_outputs(
            "recovered_cells",
            recovered_cells,
            recovered_cells_length,
            count,
            BYTES_PER_EXT_BLOB,
        )?;
        let recovered_proofs = caller.many_outputs(
            "recovered_proofs",
            recovered_proofs,
            recovered_proofs_length,
            count,
            BYTES_PER_CELL_PROOFS,
        )?;
        let statuses = caller.output("statuses", statuses, count)?;
        let samples = samples(cells_per_blob, cell_indices, &cells)?;
        let results = kzg::recover_cells_and_kzg_proofs_many(rt, &settings, &samples);
        give(results, &statuses, |i, both| {
            recovered_cells.write_item(i, both.map(|both| both.cells.as_flattened()));
            recovered_proofs.write_item(i, both.map(|both| both.proofs.as_flattened()));
        })
    }
});

/// Returns the indices and cells of each blob, from the lists of all of them.
pub(crate) fn samples<'a>(
    cells_per_blob: &[usize],
    cell_indices: &'a [u64],
    cells: &'a [&'a [u8]],
) -> Result<Vec<kzg::Samples<'a>>, Failure> {
    let sum = cells_per_blob.iter().try_fold(0usize, |sum, count| sum.checked_add(*count));
    if sum != Some(cell_indices.len()) {
        let message =
            format!("cells_per_blob: their sum is not the number of indices, {}", cell_indices.len());
        return Err(Failure::new(Status::LENGTH, message));
    }
    let mut end = 0;
    let samples = cells_per_blob.iter().map(|count| {
        let start = end;
        end += count;
        kzg::Samples { cell_indices: &cell_indices[start..end], cells: &cells[start..end] }
    });
    memory::list("cells_per_blob", samples)
}

/// Writes the status of each item; returns the failure of the first wrong one, if any.
fn name(wrong: Vec<kzg::WrongItem>, statuses: &Output<Status>, count: usize) -> Result<(), Failure> {
    (0..count).for_each(|i| statuses.write_at(i, &[Status::OK]));
    let first = wrong.first().map(|first| {
        let message = format!("{} of the items are wrong, the first: {first}", wrong.len());
        Failure::new(Status::ITEMS, message)
    });
    for kzg::WrongItem { index, why } in wrong {
        let status = match why {
            kzg::Reason::Malformed(error) => Failure::from(error).status,
            _ => Status::PROOF,
        };
        statuses.write_at(index, &[status]);
    }
    first.map_or(Ok(()), Err)
}

/// Writes results and statuses; returns the failure of the first item that failed, if any.
pub(crate) fn give<T>(
    results: Vec<Result<T, kzg::Error>>,
    statuses: &Output<Status>,
    mut write: impl FnMut(usize, Option<&T>),
) -> Result<(), Failure> {
    let (mut first, mut failed) = (None, 0usize);
    for (i, result) in results.into_iter().enumerate() {
        write(i, result.as_ref().ok());
        let failure = result.err().map(Failure::from);
        statuses.write_at(i, &[failure.as_ref().map_or(Status::OK, |failure| failure.status)]);
        if let Some(failure) = failure {
            failed += 1;
            first.get_or_insert((i, failure.message));
        }
    }
    match first {
        None => Ok(()),
        Some((i, message)) => {
            let message = format!("{failed} of the items failed, the first is number {i}: {message}");
            Err(Failure::new(Status::ITEMS, message))
        }
    }
}
