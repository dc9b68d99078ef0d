//! EIP-4844 and EIP-7594, for C.

use parcrypt_kzg as kzg;
use parcrypt_kzg::{
    BYTES_PER_BLOB as BLOB, BYTES_PER_CELL as CELL, BYTES_PER_COMMITMENT as COMMITMENT,
    BYTES_PER_FIELD_ELEMENT as ELEMENT, BYTES_PER_PROOF as PROOF, CELLS_PER_EXT_BLOB,
};

use crate::memory::{self, Caller, Output};
use crate::status::{Failure, Status};

/// Bytes of all cells of a blob.
const CELLS: usize = CELLS_PER_EXT_BLOB * CELL;
/// Bytes of the proofs of all cells of a blob.
const PROOFS: usize = CELLS_PER_EXT_BLOB * PROOF;

/// The header's `parcrypt_cell_verifier`.
pub struct CellVerifier(kzg::CellVerifier);

exported!(|caller| {
    fn parcrypt_blob_to_kzg_commitment(
        runtime: runtime, settings: settings, blob: bytes(blob_length), commitment: out(u8; COMMITMENT)
    ) {
        commitment.write(&kzg::blob_to_kzg_commitment(runtime, &settings, blob)?);
    }

    fn parcrypt_compute_kzg_proof(
        runtime: runtime, settings: settings, blob: bytes(blob_length), z: bytes(z_length),
        proof: out(u8; PROOF), y: out(u8; ELEMENT)
    ) {
        let (computed, value) = kzg::compute_kzg_proof(runtime, &settings, blob, z)?;
        proof.write(&computed);
        y.write(&value);
    }

    fn parcrypt_compute_blob_kzg_proof(
        runtime: runtime, settings: settings, blob: bytes(blob_length),
        commitment: bytes(commitment_length), proof: out(u8; PROOF)
    ) {
        proof.write(&kzg::compute_blob_kzg_proof(runtime, &settings, blob, commitment)?);
    }

    fn parcrypt_verify_kzg_proof(
        runtime: runtime, settings: settings, commitment: bytes(commitment_length), z: bytes(z_length),
        y: bytes(y_length), proof: bytes(proof_length), ok: flag
    ) {
        ok.write(&[kzg::verify_kzg_proof(runtime, &settings, commitment, z, y, proof)?]);
    }

    fn parcrypt_verify_blob_kzg_proof(
        runtime: runtime, settings: settings, blob: bytes(blob_length),
        commitment: bytes(commitment_length), proof: bytes(proof_length), ok: flag
    ) {
        ok.write(&[kzg::verify_blob_kzg_proof(runtime, &settings, blob, commitment, proof)?]);
    }

    fn parcrypt_verify_blob_kzg_proof_batch(
        runtime: runtime, settings: settings, blobs: items(blobs_length, BLOB),
        commitments: items(commitments_length, COMMITMENT), proofs: items(proofs_length, PROOF), ok: flag
    ) {
        ok.write(&[kzg::verify_blob_kzg_proof_batch(runtime, &settings, &blobs, &commitments, &proofs)?]);
    }

    fn parcrypt_compute_cells(
        runtime: runtime, settings: settings, blob: bytes(blob_length), cells: out(u8; CELLS)
    ) {
        cells.write(kzg::compute_cells(runtime, &settings, blob)?.as_flattened());
    }

    fn parcrypt_compute_cells_and_kzg_proofs(
        runtime: runtime, settings: settings, blob: bytes(blob_length), cells: out(u8; CELLS),
        proofs: out(u8; PROOFS)
    ) {
        let both = kzg::compute_cells_and_kzg_proofs(runtime, &settings, blob)?;
        cells.write(both.cells.as_flattened());
        proofs.write(both.proofs.as_flattened());
    }

    fn parcrypt_recover_cells_and_kzg_proofs(
        runtime: runtime, settings: settings, cell_indices: numbers(cell_indices_count),
        cells: items(cells_length, CELL), recovered_cells: out(u8; CELLS),
        recovered_proofs: out(u8; PROOFS)
    ) {
        let both = kzg::recover_cells_and_kzg_proofs(runtime, &settings, cell_indices, &cells)?;
        recovered_cells.write(both.cells.as_flattened());
        recovered_proofs.write(both.proofs.as_flattened());
    }

    fn parcrypt_verify_cell_kzg_proof_batch(
        runtime: runtime, settings: settings, commitments: items(commitments_length, COMMITMENT),
        cell_indices: numbers(cell_indices_count), cells: items(cells_length, CELL),
        proofs: items(proofs_length, PROOF), ok: flag
    ) {
        let (s, c) = (&settings, &commitments);
        ok.write(&[kzg::verify_cell_kzg_proof_batch(runtime, s, c, cell_indices, &cells, &proofs)?]);
    }

    fn parcrypt_find_wrong_cells(
        runtime: runtime, settings: settings, commitments: items(commitments_length, COMMITMENT; count),
        cell_indices: numbers(cell_indices_count), cells: items(cells_length, CELL; count),
        proofs: items(proofs_length, PROOF; count), statuses: statuses(count)
    ) {
        let wrong = kzg::find_wrong_cells(runtime, &settings, &commitments, cell_indices, &cells, &proofs)?;
        write_statuses(wrong, &statuses, count)?;
    }

    fn parcrypt_find_wrong_blobs(
        runtime: runtime, settings: settings, blobs: items(blobs_length, BLOB; count),
        commitments: items(commitments_length, COMMITMENT; count),
        proofs: items(proofs_length, PROOF; count), statuses: statuses(count)
    ) {
        let wrong = kzg::find_wrong_blobs(runtime, &settings, &blobs, &commitments, &proofs)?;
        write_statuses(wrong, &statuses, count)?;
    }

    fn parcrypt_compute_wanted(
        runtime: runtime, settings: settings, blobs: items(blobs_length, BLOB; count), columns: *const u64,
        columns_count: usize, cells: *mut u8, cells_length: usize, proofs: *mut u8, proofs_length: usize,
        statuses: statuses(count)
    ) {
        let (cells, proofs) = ((cells, cells_length), (proofs, proofs_length));
        let wanted = Wanted::new(caller, count, (columns, columns_count), cells, proofs)?;
        wanted.write(kzg::compute_wanted(runtime, &settings, &blobs, wanted.want())?, &statuses)?;
    }

    fn parcrypt_recover_wanted(
        runtime: runtime, settings: settings, cells_per_blob: *const usize,
        cell_indices: numbers(cell_indices_count),
        given_cells: items(given_cells_length, CELL; cell_indices_count), columns: *const u64,
        columns_count: usize, cells: *mut u8, cells_length: usize, proofs: *mut u8, proofs_length: usize,
        statuses: statuses(count)
    ) {
        let cells_per_blob = caller.input("cells_per_blob", cells_per_blob, count)?;
        let samples = samples(cells_per_blob, cell_indices, &given_cells)?;
        let (cells, proofs) = ((cells, cells_length), (proofs, proofs_length));
        let wanted = Wanted::new(caller, count, (columns, columns_count), cells, proofs)?;
        wanted.write(kzg::recover_wanted(runtime, &settings, &samples, wanted.want())?, &statuses)?;
    }

    fn parcrypt_cell_verifier_new(
        runtime: runtime, settings: settings, commitments: items(commitments_length, COMMITMENT),
        verifier: slot(CellVerifier)
    ) {
        verifier.give(CellVerifier(kzg::CellVerifier::new(runtime, &settings, &commitments)?));
    }

    fn parcrypt_cell_verifier_verify(
        runtime: runtime, settings: settings, verifier: handle(CellVerifier),
        commitment_indices: *const u64, cell_indices: *const u64, cells: items(cells_length, CELL; count),
        proofs: items(proofs_length, PROOF; count), count: usize, ok: flag
    ) {
        let commitment_indices = caller.input("commitment_indices", commitment_indices, count)?;
        let cell_indices = caller.input("cell_indices", cell_indices, count)?;
        let claim = |k| kzg::CellClaim {
            commitment_index: commitment_indices[k],
            cell_index: cell_indices[k],
            cell: cells[k],
            proof: proofs[k],
        };
        let claims = memory::list("cells", (0..count).map(claim))?;
        ok.write(&[verifier.0.verify(runtime, &settings, &claims)?]);
    }

    fn parcrypt_cell_verifier_free(verifier: *mut CellVerifier) -> () {
        caller.free(verifier)
    }
});

/// The columns of a call, all for `None`, and the room for cells and proofs, each `None` if it is not wanted.
struct Wanted<'a> {
    columns: Option<&'a [u64]>,
    cells: Option<Output<'a, u8>>,
    proofs: Option<Output<'a, u8>>,
}

impl<'a> Wanted<'a> {
    /// Returns what null pointers leave of the wanted cells and proofs of `count` blobs.
    fn new(
        caller: &'a Caller,
        count: usize,
        (columns, columns_count): (*const u64, usize),
        cells: (*mut u8, usize),
        proofs: (*mut u8, usize),
    ) -> Result<Self, Failure> {
        let all = columns.is_null() && columns_count == 0;
        let columns = if all { None } else { Some(caller.input("columns", columns, columns_count)?) };
        let each = columns.map_or(CELLS_PER_EXT_BLOB, <[u64]>::len);
        let room = |what, (pointer, length): (*mut u8, usize), size| {
            let wanted = !pointer.is_null() || length > 0;
            let item = memory::product(what, each, size)?;
            wanted.then(|| caller.many_outputs(what, pointer, length, count, item)).transpose()
        };
        Ok(Wanted { columns, cells: room("cells", cells, CELL)?, proofs: room("proofs", proofs, PROOF)? })
    }

    fn want(&self) -> kzg::Want<'a> {
        kzg::Want { cells: self.cells.is_some(), proofs: self.proofs.is_some(), columns: self.columns }
    }

    /// Writes results, zeros for those that failed, and statuses; returns the failure of the first that failed, if any.
    fn write(
        &self,
        results: Vec<Result<kzg::CellsAndProofs, kzg::Error>>,
        statuses: &Output<Status>,
    ) -> Result<(), Failure> {
        let (mut first, mut failed) = (None, 0usize);
        for (i, result) in results.into_iter().enumerate() {
            let made = result.as_ref().ok();
            if let Some(cells) = &self.cells {
                cells.write_item(i, made.map(|made| made.cells.as_flattened()));
            }
            if let Some(proofs) = &self.proofs {
                proofs.write_item(i, made.map(|made| made.proofs.as_flattened()));
            }
            let failure = result.err().map(Failure::from);
            statuses.write_at(i, &[failure.as_ref().map_or(Status::OK, |failure| failure.status)]);
            if let Some(failure) = failure {
                failed += 1;
                first.get_or_insert((i, failure.message));
            }
        }
        first.map_or(Ok(()), |(i, message)| {
            let message = format!("{failed} of the items failed, the first is number {i}: {message}");
            Err(Failure::new(Status::ITEMS, message))
        })
    }
}

/// Returns the indices and cells of each blob, from the lists of all of them.
fn samples<'a>(
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
fn write_statuses(
    wrong: Vec<kzg::WrongItem>,
    statuses: &Output<Status>,
    count: usize,
) -> Result<(), Failure> {
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
