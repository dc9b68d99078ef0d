//! What the lab asks of a candidate that sums.

use std::collections::BTreeMap;
use std::fs::File;

use conversation::{Prepare, Ready, Sample, Trouble, input};
use serde::Deserialize;
use serde_json::Value;

use crate::{Algorithm, MOST_BYTES, MOST_SCALE, Variant};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    scale: Option<u64>,
    bytes: Option<u64>,
    algorithm: Option<Algorithm>,
    #[serde(default)]
    variant: Variant,
}

/// What is to be summed, by how many, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Of the input.
    pub bytes: u64,
    /// Left out where the program knows one way alone.
    pub algorithm: Option<Algorithm>,
    /// Whether it is to be done with a mistake.
    pub variant: Variant,
    /// Ranks or threads; at least 1.
    pub threads: usize,
}

/// Parts of a preparation or a sample by name, in nanoseconds; `../../README.md` says what each is.
pub type Phases = BTreeMap<&'static str, u64>;

/// What came out of all iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summed {
    /// Of all iterations together, in nanoseconds.
    pub elapsed_ns: u64,
    /// Its parts.
    pub phases: Phases,
    /// The sum of all bytes.
    pub sum: u64,
}

/// What only a sum can have wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum Wrong {
    #[error("params: {0}")]
    Params(serde_json::Error),
    #[error("one of the parameters `scale` and `bytes` has to be there, and not both")]
    Size,
    #[error("the input would have more than 2^{MOST_SCALE} bytes, which is the most")]
    Large,
    #[error("the parameter `algorithm` is missing: it can be tree, collective or window")]
    NoAlgorithm,
    #[error("the input cannot be read: {0}")]
    Input(std::io::Error),
    /// The message is that of rank 0.
    #[error("rank 0 could not read the input")]
    InputElsewhere,
    #[error("{asked} threads are asked for, but there are {ranks} ranks")]
    Threads { asked: usize, ranks: usize },
    #[error("a rank has no memory for its part of {0} bytes")]
    Memory(u64),
}

impl From<Wrong> for Trouble {
    fn from(wrong: Wrong) -> Self {
        Trouble::own(wrong)
    }
}

/// Something that sums.
pub trait Adder {
    /// Makes everything ready that is not measured. `input` is an open file of `work.bytes` bytes.
    ///
    /// # Errors
    /// [`Trouble::Unsupported`] where it cannot do such work; a [`Wrong`].
    fn prepare(&mut self, work: &Work, input: File) -> Result<Ready, Trouble>;

    /// Sums so many times. It was prepared.
    fn sample(&mut self, iterations: u64) -> Summed;
}

/// An [`Adder`] as the lab sees it.
#[derive(Debug)]
pub struct Candidate<A> {
    adder: A,
    sum: u64,
}

impl<A: Adder> Candidate<A> {
    /// With nothing prepared yet.
    pub fn new(adder: A) -> Self {
        Candidate { adder, sum: 0 }
    }

    /// The adder.
    pub fn into_inner(self) -> A {
        self.adder
    }
}

impl<A: Adder> conversation::Candidate for Candidate<A> {
    fn prepare(&mut self, request: Prepare) -> Result<Ready, Trouble> {
        if request.workload != "sum" {
            return Err(Trouble::Workload { given: request.workload, known: "sum".to_owned() });
        }
        let params = serde_json::from_value(Value::Object(request.params.clone())).map_err(Wrong::Params)?;
        let Params { scale, bytes, algorithm, variant } = params;
        let bytes = match (scale, bytes) {
            (Some(scale), None) if scale <= MOST_SCALE => 1 << scale,
            (None, Some(bytes)) if bytes <= MOST_BYTES => bytes,
            (Some(_), None) | (None, Some(_)) => return Err(Wrong::Large.into()),
            (Some(_), Some(_)) | (None, None) => return Err(Wrong::Size.into()),
        };
        let file = input::open(request.input()?, bytes)?;
        self.adder.prepare(&Work { bytes, algorithm, variant, threads: request.threads }, file)
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, Trouble> {
        let Summed { elapsed_ns, phases, sum } = self.adder.sample(iterations);
        self.sum = sum;
        Ok(Sample { elapsed_ns, phases, ..Sample::default() })
    }

    fn answer(&mut self, take: &mut dyn FnMut(&[u8])) -> Result<(), Trouble> {
        take(&self.sum.to_le_bytes());
        Ok(())
    }
}
