//! What a kernel tells the command of itself, and how a workload is made ready from the outside.
//!
//! Kernels are listed in `kernels`; nothing else in the command names one.

pub(crate) mod params;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[cfg(feature = "mpi")]
use parcrypt_cluster::Session;
use parcrypt_cpu::Backend;
use parcrypt_lab::record::Params;
use parcrypt_runtime::{Kind, MAX_THREADS, OpenMp, Runtime, Schedule};
use sha2::{Digest, Sha256};

use crate::requests;
use crate::text::{hex, size};
use crate::workloads;
use params::{ParamError, Parameter, Values};

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

/// An answer that an independent implementation gave.
#[derive(Debug)]
pub(crate) struct Known {
    /// The parameters, as [`params::parse`] reads them.
    pub(crate) params: &'static str,
    /// What the input is made of.
    pub(crate) input: Stream,
    /// SHA-256 of the canonical bytes of the answer, hexadecimal.
    pub(crate) sha256: &'static str,
}

/// An input that any language can make.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// SHA-256 of the numbers 0, 1, 2, … as 8 bytes little-endian, one after the other, cut to length.
    Hashes,
    /// The same byte again and again.
    Byte(u8),
}

impl Stream {
    /// The first `len` bytes.
    pub(crate) fn bytes(self, len: usize) -> Vec<u8> {
        match self {
            Stream::Byte(byte) => vec![byte; len],
            Stream::Hashes => {
                let mut bytes = Vec::with_capacity(len.next_multiple_of(32));
                for i in 0..len.div_ceil(32) as u64 {
                    bytes.extend_from_slice(&Sha256::digest(i.to_le_bytes()));
                }
                bytes.truncate(len);
                bytes
            }
        }
    }
}

/// Why a workload cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The workload is left out of this build.
    #[error("this build has no `{workload}`: it lacks the feature `{feature}`, which `make full` builds")]
    Feature {
        /// The workload that was asked for.
        workload: String,
        /// The feature of the command that brings it.
        feature: &'static str,
    },
    /// No workload has that name.
    #[error("unknown workload `{given}`: it can be {known}")]
    Workload {
        /// The name that was given.
        given: String,
        /// The names that there are.
        known: String,
    },
    /// A parameter is wrong.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// No thread, or too many.
    #[error("{asked} threads: it must be a number from 1 to {MAX_THREADS}")]
    Threads {
        /// How many were asked for.
        asked: usize,
    },
    /// The runtime is not in this build, or does not give so many threads.
    #[error(transparent)]
    Runtime(#[from] parcrypt_runtime::Error),
    /// The backend is not the kernel's, or not this machine's.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The command and the environment ask for different backends.
    #[error("backend `{asked}` was asked for, but PARCRYPT_BACKEND forces `{forced}`: take one of them away")]
    TwoBackends {
        /// What the command asks for.
        asked: Backend,
        /// What the environment forces.
        forced: Backend,
    },
    /// The kernel leaves the choice of its backend to a crate below, which chose another.
    #[error(
        "backend `{asked}` was asked for, but this work runs with `{chosen}` here; PARCRYPT_BACKEND={asked} forces it"
    )]
    OnlyBackend {
        /// What was asked for.
        asked: Backend,
        /// What runs.
        chosen: Backend,
    },
    /// The work needs more memory than there is.
    #[error("{work} needs {}, and {} are available{hint}", size(*.needed), size(*.available))]
    Memory {
        /// What needs it, as `scale 32 of fft-g1`.
        work: String,
        /// How many bytes.
        needed: u64,
        /// How many bytes there are.
        available: u64,
        /// What would fit, as `: the largest scale that fits is 26`.
        hint: String,
    },
    /// The system refused the memory.
    #[error("{} of memory were refused by the system", size(*.bytes))]
    Refused {
        /// How many bytes.
        bytes: u64,
    },
    /// No input was named.
    #[error("`{workload}` needs an input file of {expected} bytes, and none was named")]
    NoInput {
        /// The workload.
        workload: &'static str,
        /// The length it needs.
        expected: u64,
    },
    /// The input cannot be read.
    #[error("input {}: {source}", path.display())]
    Input {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The input has another length.
    #[error("input {}: {found}, but `{workload}` with these parameters takes {expected} bytes", path.display())]
    Length {
        /// Which file.
        path: PathBuf,
        /// The workload.
        workload: &'static str,
        /// The length it needs.
        expected: u64,
        /// The length that was found, in words.
        found: String,
    },
    /// There are no ranks, or they cannot share this work.
    #[error("{why}")]
    Ranks {
        /// What is in the way.
        why: String,
    },
    /// The kernel did not take what it was given.
    #[error("{what}")]
    Other {
        /// What the kernel said.
        what: String,
    },
}

impl Error {
    /// Whether the same request can be right on another machine or in another build: no mistake of whoever asked.
    pub(crate) fn is_unsupported(&self) -> bool {
        match self {
            Error::Backend(
                parcrypt_cpu::Error::UnknownBackend { .. }
                | parcrypt_cpu::Error::NotAPair { .. }
                | parcrypt_cpu::Error::UnknownTable { .. }
                | parcrypt_cpu::Error::RepeatedTable { .. },
            ) => false,
            Error::Runtime(error) => !matches!(
                error,
                parcrypt_runtime::Error::UnknownRuntime { .. }
                    | parcrypt_runtime::Error::UnknownSchedule { .. }
                    | parcrypt_runtime::Error::Chunk { .. }
            ),
            Error::Backend(_)
            | Error::Feature { .. }
            | Error::TwoBackends { .. }
            | Error::OnlyBackend { .. }
            | Error::Memory { .. }
            | Error::Ranks { .. }
            | Error::Refused { .. } => true,
            _ => false,
        }
    }
}

/// SHA-256 of the canonical bytes of the last answer, hexadecimal.
pub(crate) fn digest(prepared: &dyn Prepared) -> String {
    let mut hash = Sha256::new();
    prepared.answer(&mut |part| hash.update(part));
    hex(&hash.finalize())
}

/// A vector of `len` default values, where the system gives the memory.
pub(crate) fn filled<T: Clone + Default>(len: usize) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    all.try_reserve_exact(len).map_err(|_| Error::Refused { bytes })?;
    all.resize(len, T::default());
    Ok(all)
}

/// Values that begin with a cache line. Where an allocation lies in a line is luck, which differs between processes and is
/// worth a third of the time of a short call; this luck is not what candidates are compared in.
pub(crate) struct Aligned<T> {
    buffer: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    const LINE: usize = 64;

    pub(crate) fn new(mut values: Vec<T>) -> Self {
        let len = values.len();
        values.resize(len + Self::LINE, T::default());
        // An offset that cannot be found is beyond any buffer; then the values stay where they are.
        let start = Some(values.as_ptr().align_offset(Self::LINE)).filter(|s| *s < Self::LINE).unwrap_or(0);
        values.copy_within(..len, start);
        values.truncate(start + len);
        Aligned { buffer: values, start }
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.buffer[self.start..]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [T] {
        &mut self.buffer[self.start..]
    }
}

impl Workload {
    /// The kernel of that name.
    ///
    /// # Errors
    /// [`Error::Workload`] with the names that there are.
    pub(crate) fn find(name: &str) -> Result<&'static Workload, Error> {
        workloads::all().find(|kernel| kernel.name == name).ok_or_else(|| {
            if let Some(feature) = workloads::missing_feature(name) {
                return Error::Feature { workload: name.to_owned(), feature };
            }
            let known: Vec<String> = workloads::all().map(|kernel| format!("`{}`", kernel.name)).collect();
            Error::Workload { given: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Checks parameters and fills in defaults.
    ///
    /// # Errors
    /// [`Error::Param`].
    pub(crate) fn values(&self, given: &Params) -> Result<Values, Error> {
        Ok(Values::new(self.name, self.params, given)?)
    }

    /// Compares the memory that is needed with what there is; without a figure for that, anything fits.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn check_memory(&self, values: &Values, available: Option<u64>) -> Result<(), Error> {
        let needed = (self.memory)(values);
        let Some(available) = available.filter(|available| *available < needed) else { return Ok(()) };
        let scale = self.params.iter().find(|p| p.name == "scale").map(|p| &p.kind);
        let (work, hint) = match scale {
            Some(params::Kind::Number { least, .. }) => {
                let scale = values.number("scale");
                let fits = |s: &u64| (self.memory)(&values.with_number("scale", *s)) <= available;
                let hint = match (*least..scale).rev().find(fits) {
                    Some(largest) => format!(": the largest scale that fits is {largest}"),
                    None => ": no scale fits".to_owned(),
                };
                (format!("scale {scale} of {}", self.name), hint)
            }
            _ => (self.name.to_owned(), String::new()),
        };
        Err(Error::Memory { work, needed, available, hint })
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

    /// Reads the input file, which must have exactly the length that the parameters ask for.
    ///
    /// # Errors
    /// [`Error::NoInput`], [`Error::Input`], [`Error::Length`], [`Error::Refused`].
    pub(crate) fn read_input(&self, values: &Values, path: Option<&Path>) -> Result<Vec<u8>, Error> {
        let (workload, expected) = (self.name, (self.input_bytes)(values));
        let path = path.ok_or(Error::NoInput { workload, expected })?;
        let failed = |source| Error::Input { path: path.to_owned(), source };
        let wrong = |found| Error::Length { path: path.to_owned(), workload, expected, found };
        let file = File::open(path).map_err(failed)?;
        // A pipe has no length; what is no plain file is read and counted.
        let length = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
        if let Some(length) = length.filter(|length| *length != expected) {
            return Err(wrong(format!("{length} bytes")));
        }
        let mut bytes = Vec::new();
        let room = usize::try_from(expected).ok().and_then(|n| n.checked_add(1));
        let room = room.filter(|room| bytes.try_reserve_exact(*room).is_ok());
        room.ok_or(Error::Refused { bytes: expected })?;
        file.take(expected.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        match bytes.len() as u64 {
            found if found < expected => Err(wrong(format!("{found} bytes"))),
            found if found > expected => Err(wrong(format!("more than {expected} bytes"))),
            _ => Ok(bytes),
        }
    }
}

/// Makes a runtime with a number of threads as it comes from outside. The schedule is OpenMP's alone.
///
/// # Errors
/// [`Error::Threads`] and [`Error::Runtime`].
pub(crate) fn runtime(
    kind: Kind,
    schedule: Option<Schedule>,
    threads: usize,
) -> Result<Box<dyn Runtime>, Error> {
    let asked = threads;
    let threads =
        NonZeroUsize::new(asked).filter(|n| n.get() <= MAX_THREADS).ok_or(Error::Threads { asked })?;
    Ok(match (kind, schedule) {
        (Kind::OpenMp, Some(schedule)) => Box::new(OpenMp::new(threads, schedule)?),
        _ => kind.build(threads)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_what_their_documentation_says() {
        // python3 -c "import hashlib; print(hashlib.sha256(bytes(8)).hexdigest())"
        let first = "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc";
        assert_eq!(hex(&Stream::Hashes.bytes(32)), first);
        for len in [0, 1, 31, 33, 64] {
            let bytes = Stream::Hashes.bytes(len);
            assert_eq!((bytes.len(), &bytes[..len.min(32)]), (len, &Stream::Hashes.bytes(32)[..len.min(32)]));
        }
        assert_eq!(Stream::Byte(7).bytes(3), [7, 7, 7]);
    }

    #[test]
    fn names_and_parameters_are_unique() {
        for kernel in workloads::all() {
            assert_eq!(
                workloads::all().filter(|other| other.name == kernel.name).count(),
                1,
                "{}",
                kernel.name
            );
            for p in kernel.params {
                assert_eq!(kernel.params.iter().filter(|q| q.name == p.name).count(), 1, "{}", p.name);
                if let Some(default) = p.default() {
                    let mut given = params::parse(kernel.known[0].params);
                    given.insert(p.name.to_owned(), default);
                    kernel.values(&given).unwrap();
                }
            }
            assert!((kernel.backends)()[0].is_everywhere(), "{} has no reference", kernel.name);
        }
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        let kernel = Workload::find("fft-g1").unwrap();
        let values = kernel.values(&params::parse("scale=32")).unwrap();
        let error = kernel.check_memory(&values, Some(22 << 30)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "scale 32 of fft-g1 needs 1.3 TiB, and 22 GiB are available: the largest scale that fits is 26"
        );
        assert!(error.is_unsupported());
        assert!(kernel.check_memory(&values, None).is_ok());
        let none = kernel.check_memory(&values, Some(0)).unwrap_err().to_string();
        assert!(none.ends_with("0 bytes are available: no scale fits"), "{none}");
    }
}
