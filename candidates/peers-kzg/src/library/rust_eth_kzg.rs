//! rust_eth_kzg, with its feature for several threads.

use std::sync::Arc;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use rust_eth_kzg::{DASContext, Error, TrustedSetup, UsePrecomp};

use super::{Blob, Bytes48, CELL, CELLS, Element, Library, Refusal};

/// rust_eth_kzg with mainnet's trusted setup.
#[derive(Clone)]
pub(crate) struct RustEthKzg(Arc<DASContext>);

fn refused(what: impl std::fmt::Debug) -> Refusal {
    Refusal::Failed { library: RustEthKzg::NAME.0, what: format!("{what:?}") }
}

/// Returns the verdict; the library's verifiers return an error for a proof that does not verify.
fn verdict(result: Result<(), Error>) -> Result<bool, Refusal> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.is_proof_invalid() => Ok(false),
        Err(error) => Err(refused(error)),
    }
}

/// Returns the number of threads of this process.
fn threads_now() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

impl Library for RustEthKzg {
    type Cell = Box<[u8; CELL]>;
    type Cells = [Box<[u8; CELL]>; CELLS];

    const NAME: (&'static str, &'static str) = ("rust_eth_kzg", env!("VERSION_OF_RUST_ETH_KZG"));
    const MANY_CALLERS: bool = false;

    /// The library has two pools. Rayon's has the requested number of threads. blst's has one for each processor that
    /// the creating thread may use, and is created at blst's first work: here, while this thread may use exactly that
    /// number of processors. With one processor blst does all work on the caller's thread.
    fn threads(threads: usize) -> Result<(), Refusal> {
        let this = Pid::from_raw(0);
        let allowed = sched_getaffinity(this).map_err(refused)?;
        let processors: Vec<usize> =
            (0..CpuSet::count()).filter(|i| allowed.is_set(*i).unwrap_or(false)).collect();
        if threads > processors.len() {
            return Err(Refusal::Unsupported(format!(
                "rust_eth_kzg has a thread for each processor, and there are {}; {threads} were asked for",
                processors.len()
            )));
        }
        let mut some = CpuSet::new();
        processors[..threads].iter().try_for_each(|i| some.set(*i)).map_err(refused)?;
        sched_setaffinity(this, &some).map_err(refused)?;
        let before = threads_now();
        // The conversion of one point is enough work.
        let pool = blst::p1_affines::from(&[blst::blst_p1::default()]);
        let made = threads_now().zip(before).map(|(now, before)| now - before);
        drop(pool);
        sched_setaffinity(this, &allowed).map_err(refused)?;
        // A quota of the cgroup may allow fewer than the affinity.
        if let Some(made) = made.filter(|made| *made != threads) {
            return Err(Refusal::Unsupported(format!(
                "blst's pool got {made} threads here, {threads} were asked for"
            )));
        }
        // This thread belongs to the pool: its requests begin without waiting for another.
        let rayon = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread();
        rayon.build_global().map_err(refused)
    }

    fn load(precompute: u8) -> Result<Self, Refusal> {
        let tables = match usize::from(precompute) {
            0 => UsePrecomp::No,
            width => UsePrecomp::Yes { width },
        };
        Ok(RustEthKzg(Arc::new(DASContext::new(&TrustedSetup::default(), tables))))
    }

    fn cell(bytes: &[u8; CELL]) -> Self::Cell {
        Box::new(*bytes)
    }

    fn bytes(cells: &Self::Cells) -> Vec<u8> {
        cells.iter().flat_map(|cell| **cell).collect()
    }

    fn commit(&self, blob: &Blob) -> Result<Bytes48, Refusal> {
        self.0.blob_to_kzg_commitment(blob).map(Bytes48::new).map_err(refused)
    }

    fn proof(&self, blob: &Blob, z: &Element) -> Result<(Bytes48, Element), Refusal> {
        self.0.compute_kzg_proof(blob, *z).map(|(proof, y)| (Bytes48::new(proof), y)).map_err(refused)
    }

    fn blob_proof(&self, blob: &Blob, commitment: &Bytes48) -> Result<Bytes48, Refusal> {
        self.0.compute_blob_kzg_proof(blob, commitment).map(Bytes48::new).map_err(refused)
    }

    fn verify_proof(
        &self,
        commitment: &Bytes48,
        z: &Element,
        y: &Element,
        proof: &Bytes48,
    ) -> Result<bool, Refusal> {
        verdict(self.0.verify_kzg_proof(commitment, *z, *y, proof))
    }

    fn verify_blob(&self, blob: &Blob, commitment: &Bytes48, proof: &Bytes48) -> Result<bool, Refusal> {
        verdict(self.0.verify_blob_kzg_proof(blob, commitment, proof))
    }

    fn verify_blobs(
        &self,
        blobs: &[Blob],
        commitments: &[Bytes48],
        proofs: &[Bytes48],
    ) -> Result<bool, Refusal> {
        verdict(self.0.verify_blob_kzg_proof_batch(
            blobs.iter().map(|blob| &**blob).collect(),
            commitments.iter().map(|point| &**point).collect(),
            proofs.iter().map(|point| &**point).collect(),
        ))
    }

    fn cells(&self, blob: &Blob) -> Result<Self::Cells, Refusal> {
        self.0.compute_cells(blob).map_err(refused)
    }

    fn cells_and_proofs(&self, blob: &Blob) -> Result<(Self::Cells, Vec<Bytes48>), Refusal> {
        let (cells, proofs) = self.0.compute_cells_and_kzg_proofs(blob).map_err(refused)?;
        Ok((cells, proofs.map(Bytes48::new).to_vec()))
    }

    fn recover_cells(&self, _: &[u64], _: &[Self::Cell]) -> Result<Self::Cells, Refusal> {
        Err(Refusal::Unsupported("rust_eth_kzg recovers cells only together with their proofs".to_owned()))
    }

    fn recover(&self, indices: &[u64], cells: &[Self::Cell]) -> Result<(Self::Cells, Vec<Bytes48>), Refusal> {
        let cells = cells.iter().map(|cell| &**cell).collect();
        let (cells, proofs) =
            self.0.recover_cells_and_kzg_proofs(indices.to_vec(), cells).map_err(refused)?;
        Ok((cells, proofs.map(Bytes48::new).to_vec()))
    }

    fn verify_cells(
        &self,
        commitments: &[Bytes48],
        indices: &[u64],
        cells: &[Self::Cell],
        proofs: &[Bytes48],
    ) -> Result<bool, Refusal> {
        verdict(self.0.verify_cell_kzg_proof_batch(
            commitments.iter().map(|point| &**point).collect(),
            indices,
            cells.iter().map(|cell| &**cell).collect(),
            proofs.iter().map(|point| &**point).collect(),
        ))
    }
}
