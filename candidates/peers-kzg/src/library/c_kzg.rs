//! c-kzg, through its Rust binding.

#![allow(unsafe_code, reason = "the binding leaves recovery without proofs out, which its C function has")]

use std::ffi::c_void;

use c_kzg::{Blob, Bytes32, Bytes48, Cell, KzgSettings, ethereum_kzg_settings};

use super::{BLOB, CELL, CELLS, Element, Library, Refusal};

/// c-kzg with mainnet's trusted setup, which its binding keeps until the process ends.
#[derive(Clone, Copy)]
pub(crate) struct CKzg(&'static KzgSettings);

fn failed(error: c_kzg::Error) -> Refusal {
    Refusal::Failed { library: CKzg::NAME.0, what: error.to_string() }
}

// From c-kzg's src/eip7594/eip7594.h; settings are opaque here, because their fields are private in the binding.
#[allow(unsafe_code, reason = "see above")]
unsafe extern "C" {
    fn recover_cells_and_kzg_proofs(
        recovered_cells: *mut Cell,
        recovered_proofs: *mut c_void,
        cell_indices: *const u64,
        cells: *const Cell,
        num_cells: u64,
        s: *const c_void,
    ) -> u32;
}

impl Library for CKzg {
    type Cell = Cell;
    type Cells = Box<[Cell; CELLS]>;

    const NAME: (&'static str, &'static str) = ("c-kzg", env!("VERSION_OF_C_KZG"));
    const MANY_CALLERS: bool = true;

    fn threads(threads: usize) -> Result<(), Refusal> {
        if threads != 1 {
            let why = format!("c-kzg runs on 1 thread by policy, {threads} were asked for");
            return Err(Refusal::Unsupported(why));
        }
        Ok(())
    }

    fn load(precompute: u8) -> Result<Self, Refusal> {
        Ok(CKzg(ethereum_kzg_settings(u64::from(precompute))))
    }

    fn cell(bytes: &[u8; CELL]) -> Cell {
        Cell::new(*bytes)
    }

    fn bytes(cells: &Self::Cells) -> Vec<u8> {
        cells.iter().flat_map(Cell::to_bytes).collect()
    }

    fn commit(&self, blob: &Blob) -> Result<Bytes48, Refusal> {
        self.0.blob_to_kzg_commitment(blob).map(|c| c.to_bytes()).map_err(failed)
    }

    fn proof(&self, blob: &Blob, z: &Element) -> Result<(Bytes48, Element), Refusal> {
        let (proof, y) = self.0.compute_kzg_proof(blob, &Bytes32::new(*z)).map_err(failed)?;
        Ok((proof.to_bytes(), *y))
    }

    fn blob_proof(&self, blob: &Blob, commitment: &Bytes48) -> Result<Bytes48, Refusal> {
        self.0.compute_blob_kzg_proof(blob, commitment).map(|p| p.to_bytes()).map_err(failed)
    }

    fn verify_proof(
        &self,
        commitment: &Bytes48,
        z: &Element,
        y: &Element,
        proof: &Bytes48,
    ) -> Result<bool, Refusal> {
        self.0.verify_kzg_proof(commitment, &Bytes32::new(*z), &Bytes32::new(*y), proof).map_err(failed)
    }

    fn verify_blob(&self, blob: &Blob, commitment: &Bytes48, proof: &Bytes48) -> Result<bool, Refusal> {
        self.0.verify_blob_kzg_proof(blob, commitment, proof).map_err(failed)
    }

    fn verify_blobs(
        &self,
        blobs: &[Blob],
        commitments: &[Bytes48],
        proofs: &[Bytes48],
    ) -> Result<bool, Refusal> {
        self.0.verify_blob_kzg_proof_batch(blobs, commitments, proofs).map_err(failed)
    }

    fn cells(&self, blob: &Blob) -> Result<Self::Cells, Refusal> {
        self.0.compute_cells(blob).map_err(failed)
    }

    fn cells_and_proofs(&self, blob: &Blob) -> Result<(Self::Cells, Vec<Bytes48>), Refusal> {
        let (cells, proofs) = self.0.compute_cells_and_kzg_proofs(blob).map_err(failed)?;
        Ok((cells, proofs.iter().map(|p| p.to_bytes()).collect()))
    }

    fn recover_cells(&self, indices: &[u64], cells: &[Cell]) -> Result<Self::Cells, Refusal> {
        let refused = |what: String| Refusal::Failed { library: CKzg::NAME.0, what };
        if indices.len() != cells.len() {
            return Err(refused(format!("{} indices for {} cells", indices.len(), cells.len())));
        }
        let mut recovered: Self::Cells = vec![Cell::default(); CELLS]
            .into_boxed_slice()
            .try_into()
            .map_err(|_| refused("the number of cells".to_owned()))?;
        // SAFETY: the lengths of indices and cells were compared above; `Cell` is the binding's own type for C's cells,
        // and there are 128 of them to write to; the settings are those that the binding made and never frees; C says
        // that the proofs may be null, and reads nothing else.
        let code = unsafe {
            recover_cells_and_kzg_proofs(
                recovered.as_mut_ptr(),
                std::ptr::null_mut(),
                indices.as_ptr(),
                cells.as_ptr(),
                cells.len() as u64,
                std::ptr::from_ref(self.0).cast(),
            )
        };
        if code == 0 { Ok(recovered) } else { Err(refused(format!("recovery returned {code}"))) }
    }

    fn recover(&self, indices: &[u64], cells: &[Cell]) -> Result<(Self::Cells, Vec<Bytes48>), Refusal> {
        let (cells, proofs) = self.0.recover_cells_and_kzg_proofs(indices, cells).map_err(failed)?;
        Ok((cells, proofs.iter().map(|p| p.to_bytes()).collect()))
    }

    fn verify_cells(
        &self,
        commitments: &[Bytes48],
        indices: &[u64],
        cells: &[Cell],
        proofs: &[Bytes48],
    ) -> Result<bool, Refusal> {
        self.0.verify_cell_kzg_proof_batch(commitments, indices, cells, proofs).map_err(failed)
    }
}

const _: () = assert!(size_of::<Blob>() == BLOB && size_of::<Cell>() == CELL);
