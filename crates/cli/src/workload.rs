//! A workload: what it computes, its parameters, and how it is made ready to be measured.
//!
//! Preparation is in [`input`] and [`memory`], known answers in [`known`], errors in [`error`]. `workloads` lists them.

mod error;
mod input;
mod known;
mod memory;
pub(crate) mod params;

use std::collections::BTreeMap;

#[cfg(feature = "mpi")]
use parcrypt_cluster::Session;
use parcrypt_cpu::Backend;
use parcrypt_lab::record::Params;
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::requests;
pub(crate) use error::Error;
pub(crate) use known::{Known, Stream};
pub(crate) use memory::{Aligned, filled, forget_peak, peak_count};
use params::{Parameter, Values};

/// One workload and all that the command needs to know of it.
pub(crate) struct Workload {
    /// The workload's name.
    pub(crate) name: &'static str,
    /// What it computes, in a sentence.
    pub(crate) about: &'static str,
    /// Its parameters.
    pub(crate) params: &'static [Parameter],
    /// The table whose row a backend names, as [`requests::TABLES`] has it.
    pub(crate) table: &'static str,
    /// Returns the backends of that table in this build, in rising order of preference.
    pub(crate) backends: fn() -> Vec<Backend>,
    /// How many bytes the input has, and how they become operands. Programs in other languages rely on this.
    pub(crate) input: &'static str,
    /// The bytes of the answer that the digest is of. Programs in other languages rely on this.
    pub(crate) answer: &'static str,
    /// The length of the input.
    pub(crate) input_bytes: fn(&Values) -> u64,
    /// Memory that the work needs at its peak, the input included, in bytes.
    pub(crate) memory: fn(&Values) -> u64,
    /// Makes everything ready that is not measured. The input has the right length.
    pub(crate) prepare: Prepare,
    /// The answer by the definition, without runtimes and backends; as slow as it has to be.
    pub(crate) reference: fn(&Values, &[u8]) -> Result<Vec<u8>, Error>,
    /// Parameters, as [`params::parse`] reads them, for which the reference takes no time to speak of.
    pub(crate) small: &'static [&'static str],
    /// Answers that independent implementations gave.
    pub(crate) known: &'static [Known],
}

/// The type of [`Workload::prepare`].
pub(crate) type Prepare = fn(&Values, Vec<u8>, &dyn Runtime, Backend) -> Result<Box<dyn Prepared>, Error>;

/// Work that is ready to be measured.
pub(crate) trait Prepared {
    /// Does the work once, the whole of it, with the runtime.
    fn iterate(&mut self, rt: &dyn Runtime);

    /// Gives the canonical bytes of the last answer, in order, in as many parts as suit it.
    fn answer(&self, take: &mut dyn FnMut(&[u8]));

    /// The backend that really runs, where it is not the one that was asked for.
    fn backend(&self) -> Option<Backend> {
        None
    }

    /// The same work over ranks, where they can share it.
    #[cfg(feature = "mpi")]
    fn spread(&mut self) -> Option<&mut dyn Spread> {
        None
    }

    /// Levels that it counted, by the names of the protocol, as `peak-memory-bytes`. No totals: it does not know where a
    /// sample begins.
    fn counts(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }
}

/// Work that ranks share. Errors are those of the ranks, after which they cannot be used.
#[cfg(feature = "mpi")]
pub(crate) trait Spread {
    /// Gives the ranks what they all need, once; each has as many threads as this runtime.
    fn set_up(&mut self, session: &mut Session, rt: &dyn Runtime) -> Result<(), parcrypt_cluster::Error>;

    /// [`Prepared::iterate`] over all ranks.
    fn iterate_over(
        &mut self,
        session: &mut Session,
        rt: &dyn Runtime,
    ) -> Result<(), parcrypt_cluster::Error>;
}

/// SHA-256 of the canonical bytes of the last answer, hexadecimal.
pub(crate) fn digest(prepared: &dyn Prepared) -> [u8; 32] {
    let mut hash = Sha256::new();
    prepared.answer(&mut |part| hash.update(part));
    hash.finalize().into()
}

impl Workload {
    /// Checks parameters and fills in defaults.
    ///
    /// # Errors
    /// [`Error::Param`].
    pub(crate) fn values(&self, given: &Params) -> Result<Values, Error> {
        Ok(Values::new(self.name, self.params, given)?)
    }

    /// Returns the backend that will run: the one `asked` for, or that of `PARCRYPT_BACKEND`, or the best.
    ///
    /// # Errors
    /// [`Error::Backend`] and [`Error::TwoBackends`]; never another backend than was asked for.
    pub(crate) fn backend(&self, asked: Option<Backend>) -> Result<Backend, Error> {
        let offered = (self.backends)();
        let request = requests::request(self.table, &offered, asked)?;
        Ok(*parcrypt_cpu::select(&offered, request)?)
    }
}
