//! rust_eth_kzg, with its feature for several threads.

use std::sync::Arc;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use rust_eth_kzg::{DASContext, Error, TrustedSetup, UsePrecomp};

use super::{BLOB, CELL, CELLS, Element, Library, Point, Refusal};

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

fn boxed<const N: usize>(bytes: &[u8]) -> Result<Box<[u8; N]>, Refusal> {
    let length = bytes.len();
    bytes.to_vec().into_boxed_slice().try_into().map_err(|_| refused(format!("{length} bytes, not {N}")))
}

/// Returns the number of threads of this process.
fn threads_now() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

impl Library for RustEthKzg {
    type Blob = Box<[u8; BLOB]>;
    type Bytes48 = Point;
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

    fn blob(bytes: &[u8]) -> Result<Self::Blob, Refusal> {
        boxed(bytes)
    }

    fn bytes48(point: &Point) -> Point {
        *point
    }

    fn cell(bytes: &[u8]) -> Result<Self::Cell, Refusal> {
        boxed(bytes)
    }

    fn take_cells(cells: &Self::Cells, take: &mut dyn FnMut(&[u8])) {
        cells.iter().for_each(|cell| take(&**cell));
    }

    fn commit(&self, blob: &Self::Blob) -> Result<Point, Refusal> {
        self.0.blob_to_kzg_commitment(blob).map_err(refused)
    }

    fn proof(&self, blob: &Self::Blob, z: &Element) -> Result<(Point, Element), Refusal> {
        self.0.compute_kzg_proof(blob, *z).map_err(refused)
    }

    fn blob_proof(&self, blob: &Self::Blob, commitment: &Point) -> Result<Point, Refusal> {
        self.0.compute_blob_kzg_proof(blob, commitment).map_err(refused)
    }

    fn verify_proof(
        &self,
        commitment: &Point,
        z: &Element,
        y: &Element,
        proof: &Point,
    ) -> Result<bool, Refusal> {
        verdict(self.0.verify_kzg_proof(commitment, *z, *y, proof))
    }

    fn verify_blob(&self, blob: &Self::Blob, commitment: &Point, proof: &Point) -> Result<bool, Refusal> {
        verdict(self.0.verify_blob_kzg_proof(blob, commitment, proof))
    }

    fn verify_blobs(
        &self,
        blobs: &[Self::Blob],
        commitments: &[Point],
        proofs: &[Point],
    ) -> Result<bool, Refusal> {
        verdict(self.0.verify_blob_kzg_proof_batch(
            blobs.iter().map(|blob| &**blob).collect(),
            commitments.iter().collect(),
            proofs.iter().collect(),
        ))
    }

    fn cells(&self, blob: &Self::Blob) -> Result<Self::Cells, Refusal> {
        self.0.compute_cells(blob).map_err(refused)
    }

    fn cells_and_proofs(&self, blob: &Self::Blob) -> Result<(Self::Cells, Vec<Point>), Refusal> {
        let (cells, proofs) = self.0.compute_cells_and_kzg_proofs(blob).map_err(refused)?;
        Ok((cells, proofs.to_vec()))
    }

    fn recover_cells(&self, _: &[u64], _: &[Self::Cell]) -> Result<Self::Cells, Refusal> {
        Err(Refusal::Unsupported("rust_eth_kzg recovers cells only together with their proofs".to_owned()))
    }

    fn recover(&self, indices: &[u64], cells: &[Self::Cell]) -> Result<(Self::Cells, Vec<Point>), Refusal> {
        let cells = cells.iter().map(|cell| &**cell).collect();
        let (cells, proofs) =
            self.0.recover_cells_and_kzg_proofs(indices.to_vec(), cells).map_err(refused)?;
        Ok((cells, proofs.to_vec()))
    }

    fn verify_cells(
        &self,
        commitments: &[Point],
        indices: &[u64],
        cells: &[Self::Cell],
        proofs: &[Point],
    ) -> Result<bool, Refusal> {
        verdict(self.0.verify_cell_kzg_proof_batch(
            commitments.iter().collect(),
            indices,
            cells.iter().map(|cell| &**cell).collect(),
            proofs.iter().collect(),
        ))
    }
}
