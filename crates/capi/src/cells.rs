//! Some cells of a blob, for C.

use parcrypt_kzg as kzg;
use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF};

use crate::kzg::{give, handles, samples};
use crate::runtime::Runtime;
use crate::settings::Settings;
use crate::status::{Failure, Status};

/// Returns the size of an item with this many parts.
fn times(what: &str, count: usize, size: usize) -> Result<usize, Failure> {
    count
        .checked_mul(size)
        .ok_or_else(|| Failure::new(Status::LENGTH, format!("{what}: {count} are more than there may be")))
}

exported!(|caller| {
    fn parcrypt_compute_cells_and_kzg_proofs_subset(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *mut u8,
        cells_length: usize,
        proofs: *mut u8,
        proofs_length: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.many_outputs("cells", cells, cells_length, cell_indices_count, BYTES_PER_CELL)?;
        let proofs =
            caller.many_outputs("proofs", proofs, proofs_length, cell_indices_count, BYTES_PER_PROOF)?;
        let both = kzg::compute_cells_and_kzg_proofs_subset(rt, &settings, blob, cell_indices)?;
        cells.write_at(0, both.cells.as_flattened());
        proofs.write_at(0, both.proofs.as_flattened());
        Ok(())
    }

    fn parcrypt_compute_cell_kzg_proofs_subset(
        runtime: *const Runtime,
        settings: *const Settings,
        blob: *const u8,
        blob_length: usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        proofs: *mut u8,
        proofs_length: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blob = caller.input("blob", blob, blob_length)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let proofs =
            caller.many_outputs("proofs", proofs, proofs_length, cell_indices_count, BYTES_PER_PROOF)?;
        let found = kzg::compute_cell_kzg_proofs_subset(rt, &settings, blob, cell_indices)?;
        proofs.write_at(0, found.as_flattened());
        Ok(())
    }

    fn parcrypt_compute_cells_subset_many(
        runtime: *const Runtime,
        settings: *const Settings,
        blobs: *const u8,
        blobs_length: usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *mut u8,
        cells_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let blobs = caller.many_items("blobs", blobs, blobs_length, count, BYTES_PER_BLOB)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let item = times("cell_indices", cell_indices_count, BYTES_PER_CELL)?;
        let cells = caller.many_outputs("cells", cells, cells_length, count, item)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let results = kzg::compute_cells_subset_many(rt, &settings, &blobs, cell_indices)?;
        give(results, &statuses, |i, found| cells.write_item(i, found.map(|found| found.as_flattened())))
    }

    fn parcrypt_recover_cells_subset_many(
        runtime: *const Runtime,
        settings: *const Settings,
        cells_per_blob: *const usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        wanted: *const u64,
        wanted_count: usize,
        recovered_cells: *mut u8,
        recovered_cells_length: usize,
        statuses: *mut Status,
        count: usize,
    ) -> Result<(), Failure> {
        let (rt, settings) = handles(caller, runtime, settings)?;
        let cells_per_blob = caller.input("cells_per_blob", cells_per_blob, count)?;
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        let cells = caller.many_items("cells", cells, cells_length, cell_indices_count, BYTES_PER_CELL)?;
        let wanted = caller.input("wanted", wanted, wanted_count)?;
        let item = times("wanted", wanted_count, BYTES_PER_CELL)?;
        let recovered_cells =
            caller.many_outputs("recovered_cells", recovered_cells, recovered_cells_length, count, item)?;
        let statuses = caller.output("statuses", statuses, count)?;
        let samples = samples(cells_per_blob, cell_indices, &cells)?;
        let results = kzg::recover_cells_subset_many(rt, &settings, &samples, wanted)?;
        give(results, &statuses, |i, found| {
            recovered_cells.write_item(i, found.map(|found| found.as_flattened()));
        })
    }
});
