//! Requests of the lab, as sums.

use std::collections::BTreeMap;
use std::fs::File;

use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, input};
use sha2::{Digest, Sha256};

use crate::{Algorithm, MAX_BYTES, MAX_SCALE, Variant};

/// A sum to compute: input, algorithm and number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Length of the input.
    pub bytes: u64,
    /// `None` if the program has only one algorithm.
    pub algorithm: Option<Algorithm>,
    /// The variant of the program, correct or with a mistake.
    pub variant: Variant,
    /// Ranks or threads; at least 1.
    pub threads: usize,
}

/// Parts of a preparation or a sample by name, in nanoseconds; `../../README.md` defines each.
pub type Phases = BTreeMap<String, u64>;

/// Result of all iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summed {
    /// Time of all iterations together, in nanoseconds.
    pub elapsed_ns: u64,
    /// Parts of the time.
    pub phases: Phases,
    /// The sum of all bytes.
    pub sum: u64,
}

/// Reason why a sum cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum SumError {
    #[error("one of the parameters `scale` and `bytes` has to be there, and not both")]
    Size,
    #[error("the parameter `algorithm` is missing: it can be tree, collective or window")]
    NoAlgorithm,
    #[error("the input cannot be read: {0}")]
    Input(std::io::Error),
    /// The message of rank 0.
    #[error("rank 0 could not read the input")]
    InputElsewhere,
    #[error("{asked} threads are asked for, but there are {ranks} ranks")]
    Threads { asked: usize, ranks: usize },
    #[error("a rank has no memory for its part of {0} bytes")]
    Memory(u64),
}

impl From<SumError> for WorkerError {
    fn from(error: SumError) -> Self {
        WorkerError::other(error)
    }
}

/// A program that sums.
pub trait Adder {
    /// Prepares everything that is not measured. `input` is an open file of `work.bytes` bytes.
    ///
    /// # Errors
    /// [`WorkerError::Unsupported`] if it does not support such work; a [`SumError`].
    fn prepare(&mut self, work: &Work, input: File) -> Result<Ready, WorkerError>;

    /// Sums `iterations` times, after a successful preparation.
    fn sample(&mut self, iterations: u64) -> Summed;
}

/// An [`Adder`] as a worker of the protocol.
#[derive(Debug)]
pub struct Candidate<A> {
    adder: A,
    sum: u64,
}

impl<A: Adder> Candidate<A> {
    /// Returns a worker with nothing prepared yet.
    pub fn new(adder: A) -> Self {
        Candidate { adder, sum: 0 }
    }

    /// Returns the adder.
    pub fn into_inner(self) -> A {
        self.adder
    }
}

impl<A: Adder> Worker for Candidate<A> {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        if request.workload != "sum" {
            return Err(WorkerError::workload(&request.workload, "sum"));
        }
        request.only(&["scale", "bytes", "algorithm", "variant"])?;
        let bytes = match (request.number("scale", 0, MAX_SCALE)?, request.number("bytes", 0, MAX_BYTES)?) {
            (Some(scale), None) => 1 << scale,
            (None, Some(bytes)) => bytes,
            (Some(_), Some(_)) | (None, None) => return Err(SumError::Size.into()),
        };
        let algorithm = request.choice("algorithm", &Algorithm::ALL.map(Algorithm::name))?;
        let algorithm =
            algorithm.and_then(|name| Algorithm::ALL.into_iter().find(|known| known.name() == name));
        let variant = request.choice("variant", &Variant::ALL.map(Variant::name))?;
        let variant = variant.and_then(|name| Variant::ALL.into_iter().find(|known| known.name() == name));
        let variant = variant.unwrap_or_default();
        let file = input::open(request.input()?, bytes)?;
        self.adder.prepare(&Work { bytes, algorithm, variant, threads: request.threads }, file)
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let Summed { elapsed_ns, phases, sum } = self.adder.sample(iterations);
        self.sum = sum;
        Ok(Sample { elapsed_ns: Some(elapsed_ns), phases, ..Sample::default() })
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        Ok(OutputDigest(Sha256::digest(self.sum.to_le_bytes()).into()))
    }
}
