//! Requests of the lab as calls of the libraries.

use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, input, memory};
use sha2::{Digest, Sha256};

use crate::library::{BLOB, Library, Refusal};
use crate::load::Loads;
use crate::workload::{self, Blobs, MAX_BLOBS, WORKLOADS, Work};

/// Maximum width of windows of tables in c-kzg.
const MAX_PRECOMPUTE: u64 = 15;

impl From<Refusal> for WorkerError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => WorkerError::Unsupported(why),
            failed => WorkerError::other(failed),
        }
    }
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

/// The answer to a preparation, and the work.
pub(crate) type Prepared = Result<(Ready, Box<dyn Work>), WorkerError>;

/// A library as a candidate.
pub(crate) struct Peer {
    prepare: fn(&Prepare) -> Prepared,
    work: Option<Box<dyn Work>>,
}

impl Peer {
    /// Returns the candidate with nothing prepared yet.
    pub(crate) fn new(prepare: fn(&Prepare) -> Prepared) -> Self {
        Peer { prepare, work: None }
    }

    fn work(&mut self, request: &'static str) -> Result<&mut Box<dyn Work>, WorkerError> {
        self.work.as_mut().ok_or(WorkerError::NotPrepared { request })
    }
}

impl Worker for Peer {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        let (ready, work) = (self.prepare)(request)?;
        self.work = Some(work);
        memory::reset_peak();
        Ok(ready)
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        Ok(self.work("sample")?.sample(iterations)?)
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        Ok(OutputDigest(Sha256::digest(self.work("digest")?.output()?).into()))
    }
}

/// Prepares a KZG workload.
pub(crate) fn prepare<L: Library>(request: &Prepare) -> Prepared {
    let Asked { workload, blobs, batch, own, precompute, threads } = asked(request)?;
    let input = input::read(request.input()?, blobs * BLOB as u64)?;
    L::threads(threads)?;
    let work = if workload == "kzg-load" {
        Box::new(Loads::new::<L>(precompute, threads, input))
    } else {
        workload::prepare(workload, L::load(precompute)?, input, batch, own)?
    };
    Ok((ready(L::NAME, if L::MANY_CALLERS { "serial" } else { "rayon" }, threads), work))
}

/// Returns the answer to a preparation by a library with this name and version.
pub(crate) fn ready((name, version): (&str, &str), runtime: &str, threads: usize) -> Ready {
    let (name, version, runtime) = (name.to_owned(), version.to_owned(), runtime.to_owned());
    Ready { name, version, runtime, threads, ..Ready::default() }
}

fn asked(request: &Prepare) -> Result<Asked, WorkerError> {
    let workload = WORKLOADS.iter().find(|(name, _)| *name == request.workload);
    let &(workload, kind) = workload.ok_or_else(|| {
        WorkerError::workload(&request.workload, WORKLOADS.map(|(name, _)| name).join(", "))
    })?;
    let many = kind != Blobs::One;
    let blobs = if many { request.required("blobs", 1, MAX_BLOBS)? } else { 1 };
    let parameter = workload::parameter(workload, blobs);
    let own = parameter.map(|(name, _)| name);
    let names = ["precompute"].into_iter().chain(many.then_some("blobs")).chain(own);
    request.only(&names.collect::<Vec<_>>())?;
    let own = parameter.map_or(Ok(1), |(name, most)| request.required(name, 1, most))? as usize;
    let (blobs, batch) = if kind == Blobs::Multiples { (1, blobs as usize) } else { (blobs, 1) };
    let precompute = request.number("precompute", 0, MAX_PRECOMPUTE)?.unwrap_or(0) as u8;
    Ok(Asked { workload, blobs, batch, own, precompute, threads: request.threads })
}
