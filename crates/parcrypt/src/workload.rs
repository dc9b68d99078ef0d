//! A workload: its computation, its parameters, and its preparation for measurements.
//!
//! Preparation is in [`input`] and [`memory`], known answers in [`mod@known`]. `workloads` lists
//! them.

mod input;
mod known;
mod memory;
pub(crate) mod params;

use std::collections::BTreeMap;
use std::hint::black_box;

#[cfg(feature = "mpi")]
use parcrypt_cluster::Session;
use parcrypt_cpu::{Backend, Requests};
use parcrypt_protocol::Params;
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::requests;
pub(crate) use crate::work_error::WorkError as Error;
pub(crate) use known::{KNOWN_ANSWERS, Known, known};
#[cfg(test)]
pub(crate) use known::{Stream, assert_known_answers};
pub(crate) use memory::{Aligned, filled, forget_peak, peak_count};
use params::{Parameter, Values};

/// A workload: its description, and its preparation.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) params: &'static [Parameter],
    /// The table of the rows that a backend selects, by its name in [`requests::TABLES`].
    pub(crate) table: &'static str,
    /// Returns the backends of that table in this build, in rising order of preference: those for these parameters, or
    /// without parameters those for any.
    pub(crate) backends: fn(Option<&Values>) -> Vec<Backend>,
    /// The other tables of the same object.
    pub(crate) other_tables: &'static [requests::Table<'static>],
    /// The length of the input and how it is decoded to operands. Programs in other languages rely on this.
    pub(crate) input: &'static str,
    /// The canonical bytes of the output, of which the digest is taken. Programs in other languages rely on this.
    pub(crate) output: &'static str,
    pub(crate) input_bytes: fn(&Values) -> u64,
    pub(crate) memory: fn(&Values) -> u64,
    /// Prepares everything that is not measured, from an input of the right length.
    pub(crate) prepare: Prepare,
}

pub(crate) type Prepare = fn(&Values, Aligned<u8>, &dyn Runtime, &Rows) -> Result<Box<dyn Prepared>, Error>;

pub(crate) trait Prepared: Send {
    fn iterate(&mut self, rt: &dyn Runtime);

    /// Passes the canonical bytes of the last output to `take`, in order, in one or more parts.
    fn output(&self, take: &mut dyn FnMut(&[u8]));

    /// Returns the backend that runs, if it differs from the requested one.
    fn backend(&self) -> Option<Backend> {
        None
    }

    /// Returns the workload over ranks, if they can share it.
    #[cfg(feature = "mpi")]
    fn spread(&mut self) -> Option<&mut dyn Spread> {
        None
    }

    /// Returns levels by name in the protocol, such as `peak-memory-bytes`. There are no totals, because the beginning
    /// of a sample is not known here.
    fn counts(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }
}

/// A prepared workload of a state, its computation, and the canonical bytes of its last output.
pub(crate) struct Work<S, I, O> {
    pub(crate) state: S,
    pub(crate) iterate: I,
    pub(crate) output: O,
    /// The backend that runs, if it differs from the requested one.
    pub(crate) backend: Option<Backend>,
    pub(crate) counts_peak: bool,
}

impl<S, I, O> Work<S, I, O>
where
    S: Send + 'static,
    I: FnMut(&mut S, &dyn Runtime) + Send + 'static,
    O: Fn(&S, &mut dyn FnMut(&[u8])) + Send + 'static,
{
    pub(crate) fn new(state: S, iterate: I, output: O) -> Self {
        Work { state, iterate, output, backend: None, counts_peak: false }
    }
}

impl<S, I, O> Prepared for Work<S, I, O>
where
    S: Send,
    I: FnMut(&mut S, &dyn Runtime) + Send,
    O: Fn(&S, &mut dyn FnMut(&[u8])) + Send,
{
    fn iterate(&mut self, rt: &dyn Runtime) {
        (self.iterate)(black_box(&mut self.state), rt);
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        (self.output)(&self.state, take);
    }

    fn backend(&self) -> Option<Backend> {
        self.backend
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        if self.counts_peak { peak_count() } else { BTreeMap::new() }
    }
}

/// Returns [`Work`] on the requested backend, which counts nothing.
pub(crate) fn work<S: Send + 'static>(
    state: S,
    iterate: impl FnMut(&mut S, &dyn Runtime) + Send + 'static,
    output: impl Fn(&S, &mut dyn FnMut(&[u8])) + Send + 'static,
) -> Result<Box<dyn Prepared>, Error> {
    Ok(Box::new(Work::new(state, iterate, output)))
}

/// A workload that ranks share. After an error the ranks cannot be used.
#[cfg(feature = "mpi")]
pub(crate) trait Spread {
    /// Sends the ranks their setup, once; each has the same number of threads as this runtime.
    fn set_up(&mut self, session: &mut Session, rt: &dyn Runtime) -> Result<(), parcrypt_cluster::Error>;

    fn iterate_over(
        &mut self,
        session: &mut Session,
        rt: &dyn Runtime,
    ) -> Result<(), parcrypt_cluster::Error>;
}

pub(crate) fn digest(prepared: &dyn Prepared) -> [u8; 32] {
    let mut hash = Sha256::new();
    prepared.output(&mut |part| hash.update(part));
    hash.finalize().into()
}

impl Workload {
    pub(crate) fn tables(&self) -> Vec<&'static str> {
        std::iter::once(self.table).chain(self.other_tables.iter().map(|(table, _)| *table)).collect()
    }

    pub(crate) fn values(&self, given: &Params) -> Result<Values, Error> {
        Ok(Values::new(self.name, self.params, given)?)
    }

    /// Returns the rows that will run with these parameters, by the requests of an argument and of `PARCRYPT_BACKEND`,
    /// with the row of [`Workload::table`] first; see [`Workload::backends`] for no parameters.
    /// There is no fallback for a missing row.
    pub(crate) fn rows(&self, values: Option<&Values>, argument: Option<&Requests>) -> Result<Rows, Error> {
        let backends = (self.backends)(values);
        let mut tables = vec![(self.table, &backends[..])];
        tables.extend(self.other_tables);
        let rows = requests::rows(&tables, argument)?;
        Ok(Rows(tables.iter().map(|(table, _)| *table).zip(rows).collect()))
    }

    /// Returns the backends by which rows differ: first of [`Workload::table`], then others that other tables have and
    /// not every machine can run.
    pub(crate) fn all_backends(&self) -> Vec<Backend> {
        let mut all = (self.backends)(None);
        for backend in self.other_tables.iter().flat_map(|(_, backends)| *backends) {
            if !backend.is_everywhere() && !all.contains(backend) {
                all.push(*backend);
            }
        }
        all
    }
}

/// The rows that run, each with the name of its table, beginning with [`Workload::table`].
#[derive(Clone, Debug)]
pub(crate) struct Rows(Vec<(&'static str, Backend)>);

impl Rows {
    pub(crate) fn backend(&self) -> Backend {
        self.0[0].1
    }

    pub(crate) fn requests(&self) -> Requests {
        self.0.iter().copied().collect()
    }

    pub(crate) fn text(&self) -> String {
        requests::text(&self.0)
    }
}
