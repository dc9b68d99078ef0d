//! Requests of the lab as calls of the libraries.

use std::marker::PhantomData;

use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, input, memory};
use sha2::{Digest, Sha256};

use crate::library::{BLOB, Library, Refusal};
use crate::load::Loads;
use crate::workload::{self, Blobs, MOST_BLOBS, WORKLOADS, Work};

/// Maximum width of windows of tables in c-kzg.
const MOST_PRECOMPUTE: u64 = 15;

impl From<Refusal> for WorkerError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => WorkerError::Unsupported(why),
            failed => WorkerError::other(failed),
        }
    }
}

/// Prepared work.
enum Prepared {
    Nothing,
    Work(Box<dyn Work>),
    Loads(Loads),
}

/// A workload with its parameters, all of which are checked.
#[derive(Debug)]
struct Asked {
    workload: &'static str,
    /// Number of blobs in the input.
    blobs: u64,
    /// Number of blobs if they are multiples of the one in the input.
    batch: usize,
    /// The value of the workload's own parameter.
    own: usize,
    precompute: u8,
    threads: usize,
}

/// A library as a candidate.
pub(crate) struct Kzg<L> {
    prepared: Prepared,
    library: PhantomData<L>,
}

impl<L> Kzg<L> {
    /// Returns the candidate with nothing prepared yet.
    pub(crate) fn new() -> Self {
        Kzg { prepared: Prepared::Nothing, library: PhantomData }
    }
}

impl<L: Library + 'static> Worker for Kzg<L> {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        let Asked { workload, blobs, batch, own, precompute, threads } = asked(request)?;
        let input = input::read(request.input()?, blobs * BLOB as u64)?;
        L::threads(threads)?;
        self.prepared = if workload == "kzg-load" {
            Prepared::Loads(Loads::new::<L>(precompute, threads, input))
        } else {
            Prepared::Work(workload::prepare(workload, L::load(precompute)?, input, batch, own)?)
        };
        memory::reset_peak();
        let (name, version) = L::NAME;
        let runtime = if L::MANY_CALLERS { "serial" } else { "rayon" };
        Ok(Ready {
            name: name.to_owned(),
            version: version.to_owned(),
            runtime: runtime.to_owned(),
            threads,
            ..Ready::default()
        })
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        Ok(match &mut self.prepared {
            Prepared::Nothing => return Err(WorkerError::NotPrepared { request: "sample" }),
            Prepared::Work(work) => Sample::time(iterations, || std::hint::black_box(&mut *work).iterate())?,
            // Each load reports its own time.
            Prepared::Loads(loads) => {
                loads.elapsed_ns = 0;
                for _ in 0..iterations {
                    loads.iterate()?;
                }
                Sample::with_peak(loads.elapsed_ns, loads.peak_bytes)
            }
        })
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        let mut hash = Sha256::new();
        let mut take = |bytes: &[u8]| hash.update(bytes);
        match &mut self.prepared {
            Prepared::Nothing => return Err(WorkerError::NotPrepared { request: "digest" }),
            Prepared::Work(work) => work.answer(&mut take)?,
            Prepared::Loads(loads) => loads.answer(&mut take)?,
        }
        Ok(OutputDigest(hash.finalize().into()))
    }
}

fn asked(request: &Prepare) -> Result<Asked, WorkerError> {
    let workload = WORKLOADS.iter().find(|(name, _)| *name == request.workload);
    let &(workload, kind) = workload.ok_or_else(|| {
        WorkerError::workload(&request.workload, WORKLOADS.map(|(name, _)| name).join(", "))
    })?;
    let many = kind != Blobs::One;
    let blobs = if many { request.required("blobs", 1, MOST_BLOBS)? } else { 1 };
    let parameter = workload::parameter(workload, blobs);
    let own = parameter.map(|(name, _)| name);
    let names = ["precompute"].into_iter().chain(many.then_some("blobs")).chain(own);
    request.only(&names.collect::<Vec<_>>())?;
    let own = parameter.map_or(Ok(1), |(name, most)| request.required(name, 1, most))? as usize;
    let (blobs, batch) = if kind == Blobs::Multiples { (1, blobs as usize) } else { (blobs, 1) };
    let precompute = request.number("precompute", 0, MOST_PRECOMPUTE)?.unwrap_or(0) as u8;
    Ok(Asked { workload, blobs, batch, own, precompute, threads: request.threads })
}
