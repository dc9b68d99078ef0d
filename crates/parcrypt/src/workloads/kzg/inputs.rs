//! Inputs of the KZG workloads, from the bytes of the input file.

use parcrypt_bls12_381::{Fr, G1, G1Affine};
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_FIELD_ELEMENT, CELLS_PER_EXT_BLOB, Cell, CellClaim,
    CellVerifier, CellsAndProofs, Proof, Samples, Settings, Want,
};
use parcrypt_runtime::{Cost, Runtime, Serial, map};

use crate::workload::Error;
use crate::workload::params::Values;

/// Returns a copy with the two highest bits of each field element cleared, which is then below 2^254 and so below the
/// group's order.
pub(super) fn canonical(input: &[u8]) -> Vec<u8> {
    let mut elements = input.to_vec();
    elements.chunks_mut(BYTES_PER_FIELD_ELEMENT).for_each(|element| element[0] &= 0x3f);
    elements
}

/// Returns a copy with the lowest bit of the last field element flipped.
pub(super) fn spoiled(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.iter_mut().next_back().into_iter().for_each(|byte| *byte ^= 1);
    bytes
}

pub(super) fn parts(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    bytes.chunks(len).collect()
}

pub(super) fn refs<const N: usize>(all: &[[u8; N]]) -> Vec<&[u8]> {
    all.iter().map(|one| &one[..]).collect()
}

/// Returns the result of a prepared operation.
///
/// # Panics
/// With the library's error if it refused the prepared inputs: the entry fails, and the lab shows why.
pub(super) fn done<T>(result: Result<T, parcrypt_kzg::Error>) -> T {
    result.unwrap_or_else(|why| panic!("the library refuses what was prepared for it: {why}"))
}

pub(super) fn commitments(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[u8],
) -> Result<Vec<Proof>, parcrypt_kzg::Error> {
    let blobs = parts(blobs, BYTES_PER_BLOB);
    let commit = |i: usize| parcrypt_kzg::blob_to_kzg_commitment(rt, settings, blobs[i]);
    each(rt, blobs.len(), commit).into_iter().collect()
}

/// Returns `f(i)` for each blob, in order: in parallel if there are as many blobs as threads, and otherwise one after
/// the other, so that each has all threads.
pub(super) fn each<T: Send>(rt: &dyn Runtime, blobs: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if blobs < rt.threads().get() { (0..blobs).map(f).collect() } else { map(rt, blobs, OF_A_BLOB, f) }
}

/// About the time of a commitment or of a column.
const OF_A_BLOB: Cost = Cost::ns(1_000_000);

/// Returns 1, 2, … `count` times each of the points.
pub(super) fn multiples(points: &[Proof], count: u64) -> Result<Vec<Vec<Proof>>, Error> {
    let once = points.iter().map(|point| G1Affine::from_compressed(point).map(G1::from));
    let once = once.collect::<Result<Vec<G1>, _>>()?;
    let mut sums = once.clone();
    let all = (0..count).map(|_| {
        let compressed = G1::compress_all(&sums);
        sums.iter_mut().zip(&once).for_each(|(sum, point)| *sum += *point);
        compressed
    });
    Ok(all.collect())
}

/// Returns 1, 2, … `count` times each of the field elements, concatenated.
pub(super) fn element_multiples(bytes: &[u8], count: u64) -> Result<Vec<u8>, Error> {
    let once = elements(bytes)?;
    let mut sums = once.clone();
    let mut all = Vec::with_capacity(bytes.len() * count as usize);
    for _ in 0..count {
        sums.iter().for_each(|sum| all.extend_from_slice(&sum.to_bytes()));
        sums.iter_mut().zip(&once).for_each(|(sum, element)| *sum += *element);
    }
    Ok(all)
}

pub(super) fn elements(bytes: &[u8]) -> Result<Vec<Fr>, Error> {
    Ok(bytes.as_chunks().0.iter().map(Fr::from_bytes).collect::<Result<_, _>>()?)
}

pub(super) struct Batch {
    pub(super) blobs: Vec<u8>,
    pub(super) commitments: Vec<Proof>,
    pub(super) proofs: Vec<Proof>,
}

impl Batch {
    pub(super) fn new(
        rt: &dyn Runtime,
        settings: &Settings,
        input: &[u8],
        count: u64,
    ) -> Result<Self, Error> {
        let one = canonical(input);
        let commitments = multiples(&commitments(rt, settings, &one)?, count)?.concat();
        let blobs = element_multiples(&one, count)?;
        let all = parts(&blobs, BYTES_PER_BLOB);
        let prove = |i: usize| parcrypt_kzg::compute_blob_kzg_proof(rt, settings, all[i], &commitments[i]);
        let proofs = each(rt, all.len(), prove).into_iter().collect::<Result<_, _>>()?;
        Ok(Batch { blobs, commitments, proofs })
    }

    pub(super) fn verify(&self, rt: &dyn Runtime, settings: &Settings, blobs: &[&[u8]]) -> bool {
        let (commitments, proofs) = (refs(&self.commitments), refs(&self.proofs));
        done(parcrypt_kzg::verify_blob_kzg_proof_batch(rt, settings, blobs, &commitments, &proofs))
    }

    pub(super) fn verify_first(&self, rt: &dyn Runtime, settings: &Settings, blob: &[u8]) -> bool {
        let (commitment, proof) = (&self.commitments[0], &self.proofs[0]);
        done(parcrypt_kzg::verify_blob_kzg_proof(rt, settings, blob, commitment, proof))
    }
}

/// Returns `count` of `all` numbers from 0 on, in rising order and at equal distances.
pub(super) fn spread(count: usize, all: usize) -> Vec<usize> {
    (0..count).map(|i| (2 * i + 1) * all / (2 * count)).collect()
}

/// Cells to verify: some columns of multiples of one blob, blob by blob.
pub(super) struct CellBatch {
    pub(super) commitments: Vec<Proof>,
    pub(super) indices: Vec<u64>,
    pub(super) cells: Vec<u8>,
    pub(super) proofs: Vec<Proof>,
}

impl CellBatch {
    pub(super) fn new(
        rt: &dyn Runtime,
        settings: &Settings,
        input: &[u8],
        values: &Values,
        columns: &[usize],
    ) -> Result<Self, Error> {
        let (one, count) = (canonical(input), values.number("blobs"));
        let made = parcrypt_kzg::compute_cells_and_kzg_proofs(rt, settings, &one)?;
        let commitments = multiples(&commitments(rt, settings, &one)?, count)?.concat();
        let per_cell = |commitment| std::iter::repeat_n(commitment, columns.len());
        let of_columns: Vec<Cell> = columns.iter().map(|column| made.cells[*column]).collect();
        let cells = element_multiples(of_columns.as_flattened(), count)?;
        let indices = columns.iter().cycle().map(|column| *column as u64);
        let proofs: Vec<Proof> = columns.iter().map(|column| made.proofs[*column]).collect();
        Ok(CellBatch {
            commitments: commitments.into_iter().flat_map(per_cell).collect(),
            indices: indices.take(cells.len() / BYTES_PER_CELL).collect(),
            cells,
            proofs: multiples(&proofs, count)?.concat(),
        })
    }

    pub(super) fn verify(&self, rt: &dyn Runtime, settings: &Settings, cells: &[&[u8]]) -> bool {
        let (commitments, proofs) = (refs(&self.commitments), refs(&self.proofs));
        let indices = &self.indices;
        done(parcrypt_kzg::verify_cell_kzg_proof_batch(rt, settings, &commitments, indices, cells, &proofs))
    }

    /// Flips the lowest bit of the last field element of `wrong` cells.
    pub(super) fn spoil(&mut self, wrong: usize) {
        for k in spread(wrong, self.indices.len()) {
            self.cells[(k + 1) * BYTES_PER_CELL - 1] ^= 1;
        }
    }

    pub(super) fn find_wrong(&self, rt: &dyn Runtime, settings: &Settings) -> Vec<u8> {
        let (commitments, proofs) = (refs(&self.commitments), refs(&self.proofs));
        let (indices, cells) = (&self.indices, parts(&self.cells, BYTES_PER_CELL));
        let found = parcrypt_kzg::find_wrong_cells(rt, settings, &commitments, indices, &cells, &proofs);
        done(found).iter().flat_map(|item| (item.index as u32).to_be_bytes()).collect()
    }
}

/// Cells to verify as they come, each column alone.
pub(super) struct Columns {
    pub(super) batch: CellBatch,
    pub(super) commitments: Vec<Proof>,
}

impl Columns {
    pub(super) fn new(batch: CellBatch, columns: usize) -> Self {
        let commitments = batch.commitments.iter().step_by(columns).copied().collect();
        Columns { batch, commitments }
    }

    /// Returns whether all `cells` verify, with a verdict on each column.
    pub(super) fn verify(&self, rt: &dyn Runtime, settings: &Settings, cells: &[&[u8]]) -> bool {
        let CellBatch { indices, proofs, .. } = &self.batch;
        let columns = indices.len() / self.commitments.len().max(1);
        let verifier = done(CellVerifier::new(rt, settings, &refs(&self.commitments)));
        let claim = |k: usize| CellClaim {
            commitment_index: (k / columns) as u64,
            cell_index: indices[k],
            cell: cells[k],
            proof: &proofs[k],
        };
        let verify = |column: usize| {
            let claims: Vec<_> = (column..indices.len()).step_by(columns).map(claim).collect();
            done(verifier.verify(&Serial, settings, &claims))
        };
        map(rt, columns, OF_A_BLOB, verify).into_iter().all(|verified| verified)
    }
}

/// The cells of blobs whose index has an odd number of bits 1: half of them, in each half of the extended blob,
/// without a structure that makes recovery easier.
pub(super) struct Halves {
    pub(super) indices: Vec<u64>,
    pub(super) cells: Vec<Vec<Cell>>,
}

impl Halves {
    pub(super) fn new(rt: &dyn Runtime, settings: &Settings, blobs: &[u8]) -> Result<Self, Error> {
        let present: Vec<usize> = (0..CELLS_PER_EXT_BLOB).filter(|i| i.count_ones() % 2 == 1).collect();
        let indices: Vec<u64> = present.iter().map(|i| *i as u64).collect();
        let want = Want { columns: Some(&indices), ..Want::CELLS };
        let all = parcrypt_kzg::compute_wanted(rt, settings, &parts(blobs, BYTES_PER_BLOB), want)?;
        let cells = all.into_iter().map(|made| Ok(made?.cells)).collect::<Result<_, Error>>()?;
        Ok(Halves { indices, cells })
    }

    /// Returns all cells of each blob, and their proofs if they are wanted.
    pub(super) fn recover(&self, rt: &dyn Runtime, settings: &Settings, proofs: bool) -> Vec<CellsAndProofs> {
        let cells: Vec<Vec<&[u8]>> = self.cells.iter().map(|cells| refs(cells)).collect();
        let samples = cells.iter().map(|cells| Samples { cell_indices: &self.indices, cells });
        let (samples, want) = (samples.collect::<Vec<_>>(), Want { proofs, ..Want::CELLS });
        done(parcrypt_kzg::recover_wanted(rt, settings, &samples, want)).into_iter().map(done).collect()
    }
}
