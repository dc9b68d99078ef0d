//! Inputs of the KZG workloads, from the bytes of the input file.

use std::ops::Range;

use parcrypt_bls12_381::{Fr, G1, G1Affine};
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_FIELD_ELEMENT, CELLS_PER_EXT_BLOB, Cell, Proof, Samples,
    Settings,
};
use parcrypt_runtime::Runtime;

use crate::workload::Error;

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

pub(super) fn commitments(rt: &dyn Runtime, settings: &Settings, blobs: &[u8]) -> Result<Vec<Proof>, Error> {
    let blobs = parts(blobs, BYTES_PER_BLOB);
    let all = parcrypt_kzg::blob_to_kzg_commitment_many(rt, settings, &blobs);
    Ok(all.into_iter().collect::<Result<_, _>>()?)
}

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

/// Blobs to verify: multiples of one.
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
        let all = parcrypt_kzg::compute_blob_kzg_proof_many(
            rt,
            settings,
            &parts(&blobs, BYTES_PER_BLOB),
            &refs(&commitments),
        );
        let proofs = all?.into_iter().collect::<Result<_, _>>()?;
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

/// Cells to verify: all cells of multiples of one blob.
pub(super) struct CellBatch {
    /// One for each cell.
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
        count: u64,
        columns: Range<usize>,
    ) -> Result<Self, Error> {
        let one = canonical(input);
        let made = parcrypt_kzg::compute_cells_and_kzg_proofs(rt, settings, &one)?;
        let commitments = multiples(&commitments(rt, settings, &one)?, count)?.concat();
        let per_cell = |commitment| std::iter::repeat_n(commitment, columns.len());
        let cells = element_multiples(&made.cells[columns.clone()].concat(), count)?;
        let indices = columns.clone().cycle().map(|column| column as u64);
        Ok(CellBatch {
            commitments: commitments.into_iter().flat_map(per_cell).collect(),
            indices: indices.take(cells.len() / BYTES_PER_CELL).collect(),
            cells,
            proofs: multiples(&made.proofs[columns], count)?.concat(),
        })
    }

    pub(super) fn verify(&self, rt: &dyn Runtime, settings: &Settings, cells: &[&[u8]]) -> bool {
        let (commitments, proofs) = (refs(&self.commitments), refs(&self.proofs));
        done(parcrypt_kzg::verify_cell_kzg_proof_batch(
            rt,
            settings,
            &commitments,
            &self.indices,
            cells,
            &proofs,
        ))
    }
}

/// The cells of blobs whose index has an odd number of bits 1: half of them, in each half of the extended blob,
/// without a structure that makes recovery easier.
pub(super) struct Halves {
    pub(super) indices: Vec<u64>,
    /// The cells of each blob.
    pub(super) cells: Vec<Vec<Cell>>,
}

impl Halves {
    pub(super) fn new(rt: &dyn Runtime, settings: &Settings, blobs: &[u8]) -> Result<Self, Error> {
        let present: Vec<usize> = (0..CELLS_PER_EXT_BLOB).filter(|i| i.count_ones() % 2 == 1).collect();
        let all = parcrypt_kzg::compute_cells_many(rt, settings, &parts(blobs, BYTES_PER_BLOB));
        let all: Vec<Vec<Cell>> = all.into_iter().collect::<Result<_, _>>()?;
        let cells = all.iter().map(|cells| present.iter().map(|i| cells[*i]).collect()).collect();
        Ok(Halves { indices: present.iter().map(|i| *i as u64).collect(), cells })
    }

    /// Calls `recover` with the samples of all blobs.
    pub(super) fn with<T>(
        &self,
        recover: impl FnOnce(&[Samples<'_>]) -> Vec<Result<T, parcrypt_kzg::Error>>,
    ) -> Vec<T> {
        let cells: Vec<Vec<&[u8]>> = self.cells.iter().map(|cells| refs(cells)).collect();
        let samples = cells.iter().map(|cells| Samples { cell_indices: &self.indices, cells });
        recover(&samples.collect::<Vec<_>>()).into_iter().map(done).collect()
    }
}
