//! The engine of a command: the runtime, the trusted setup, its tables, and the ranks.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use parcrypt_kzg::setup::Defect;
use parcrypt_kzg::{Error, Origin, Settings};
use parcrypt_runtime::Runtime;

use super::{shown, tell};
use crate::error::CommandError;
use crate::files::read_regular;
use crate::ranks::{self, Session};
use crate::runtimes::Choice;
use crate::text::{hex, size};
use crate::{requests, runtimes};

/// Maximum size of the file of a setup, in bytes. Mainnet's has 1.6 MB in our binary form, and less in the others.
const MOST_SETUP: usize = 16 << 20;

/// Runtime, setup and ranks.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to compute")]
pub(super) struct EngineArguments {
    /// Threads; with --mpi those of each rank [default: the cores that this process may use, divided by the ranks of
    /// the machine]
    #[arg(long, value_name = "N", next_line_help = false)]
    threads: Option<usize>,
    /// The parallel runtime: serial, rayon, openmp, or auto, which chooses by the profile of PARCRYPT_PROFILE [default:
    /// auto with a profile, else rayon; serial with 1 thread, or in a build without Rayon]
    #[arg(long, value_name = "NAME")]
    runtime: Option<Choice>,
    /// Regular file of the trusted setup: c-kzg's text, the consensus specifications' JSON, or our binary form
    /// [default: Ethereum mainnet's, which is built in]
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// Compute on all ranks that mpiexec has started: `mpiexec -n 4 parcrypt kzg … --mpi`; rank 0 alone reads and
    /// writes
    #[arg(long)]
    mpi: bool,
    /// With --mpi, give up when a rank has been silent for this long
    #[arg(long, value_name = "SECONDS", requires = "mpi", default_value_t = 60,
        value_parser = clap::value_parser!(u16).range(2..))]
    mpi_timeout: u16,
}

/// Tables, which make commitments and proofs faster at the price of memory.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to compute")]
pub(super) struct TableArguments {
    /// Build tables of at most this size in MiB, which speed up commitments and proofs of many blobs
    #[arg(long, value_name = "MIB")]
    tables: Option<usize>,
    /// File that keeps the tables: it is read if it exists, and written otherwise
    #[arg(long, value_name = "FILE")]
    tables_cache: Option<PathBuf>,
}

/// The runtime, the setup and the ranks of a command.
pub(super) struct Engine<'s> {
    /// The parallel runtime.
    pub(super) runtime: Box<dyn Runtime>,
    /// The trusted setup.
    pub(super) settings: Settings,
    /// The digest of the setup in hexadecimal, as ledgers have it.
    pub(super) setup: String,
    /// The tables to read or build before the first input.
    tables: Option<Tables>,
    /// The size of the tables that are ready, in MiB.
    mib: Option<usize>,
    /// The ranks, with `--mpi`.
    pub(super) session: Option<&'s mut Session>,
}

struct Tables {
    mib: Option<usize>,
    cache: Option<PathBuf>,
}

/// Runs a command, whose kernel has this name in profiles; with `--mpi` on rank 0, which the other ranks serve.
pub(super) fn over_ranks(
    arguments: &EngineArguments,
    kernel: &str,
    lead: impl FnOnce(Option<&mut Session>) -> ExitCode,
) -> ExitCode {
    if !arguments.mpi {
        return lead(None);
    }
    let make = |_, here| {
        runtimes::choose(arguments.runtime, arguments.threads, here, kernel)
            .map_err(|problem| problem.to_string())
    };
    let silence = Duration::from_secs(arguments.mpi_timeout.into());
    ranks::over(silence, &make, |session| lead(Some(session)), super::stream::is_unfinished)
        .unwrap_or_else(ranks::failed)
}

impl<'s> Engine<'s> {
    /// Makes the runtime for that kernel and reads the setup; tables are read or built before the first input.
    ///
    /// # Errors
    /// An unavailable runtime, an unreadable setup, a missing table cache without `--tables`.
    pub(super) fn new(
        arguments: &EngineArguments,
        kernel: &str,
        tables: Option<&TableArguments>,
        session: Option<&'s mut Session>,
    ) -> Result<Self, CommandError> {
        let here = session.as_ref().map_or(1, |session| session.ranks_here());
        let runtime = runtimes::choose(arguments.runtime, arguments.threads, here, kernel)?;
        // Rejects a missing row with an error that has the name of the table.
        requests::rows(&parcrypt_kzg::TABLES, None)?;
        let requests = requests::from_environment()?;
        let settings = match &arguments.setup {
            None => Settings::mainnet(requests)?,
            Some(path) => {
                let at = |e: &dyn Display| CommandError::new(format!("--setup {}: {e}", shown(path)));
                let file = read_regular(path, MOST_SETUP).map_err(|e| at(&e))?;
                Settings::load(&*runtime, requests, &file).map_err(|e| at(&e))?
            }
        };
        let setup = hex(&settings.digest());
        let tables = tables.filter(|tables| tables.tables.is_some() || tables.tables_cache.is_some());
        let tables = tables.map(|tables| Tables { mib: tables.tables, cache: tables.tables_cache.clone() });
        if settings.origin() != Origin::Ceremony {
            tell(&format!("warning: this trusted setup is {}", settings.origin()));
        }
        match &tables {
            Some(Tables { mib: None, cache: Some(cache) }) if !cache.exists() => {
                Err(CommandError::new(format!(
                    "--tables-cache {}: the file does not exist; --tables MIB says how large the tables may be that \
                 are built and kept in it",
                    shown(cache)
                )))
            }
            _ => Ok(Engine { runtime, settings, setup, tables, mib: None, session }),
        }
    }

    /// Returns whether tables have to be read or built.
    pub(super) fn is_to_be_made_ready(&self) -> bool {
        self.tables.is_some()
    }

    /// Reads or builds the tables, once, and returns a note for the user.
    ///
    /// # Errors
    /// A cache that cannot be read, is damaged or of another setup; tables that cannot be built or kept.
    pub(super) fn make_ready(&mut self) -> Result<Option<String>, CommandError> {
        let Some(Tables { mib, cache }) = self.tables.take() else { return Ok(None) };
        let cache = cache.as_deref();
        let mut replaced = String::new();
        if let Some(path) = cache.filter(|path| path.exists()) {
            match self.settings.load_tables(path) {
                Ok(report) => {
                    self.mib = Some(report.bytes().div_ceil(1 << 20));
                    return Ok(Some(format!("tables of {} read", size(report.bytes() as u64))));
                }
                // Nothing is wrong with such a file but that it is of no use here.
                Err(Error::Setup(e))
                    if mib.is_some()
                        && matches!(e.defect, Defect::OtherBackend { .. } | Defect::Version { .. }) =>
                {
                    replaced = format!("{e}; ");
                }
                Err(e) => {
                    return Err(CommandError::new(format!(
                        "--tables-cache {}: {e}; delete the file, and the command builds it again",
                        shown(path)
                    )));
                }
            }
        }
        let Some(mib) = mib else { return Ok(None) };
        let report = self.settings.build_tables(&*self.runtime, mib)?;
        self.mib = Some(report.bytes().div_ceil(1 << 20));
        let built = format!("{replaced}tables of {} built", size(report.bytes() as u64));
        let Some(path) = cache else { return Ok(Some(built)) };
        self.settings
            .save_tables(path)
            .map_err(|e| CommandError::new(format!("--tables-cache {}: {e}", shown(path))))?;
        Ok(Some(format!("{built} and kept in {}", shown(path))))
    }

    /// Sends the setup and the tables to the ranks.
    ///
    /// # Errors
    /// Errors of MPI.
    #[cfg(feature = "mpi")]
    pub(super) fn share(&mut self, session: &mut Session) -> Result<(), CommandError> {
        Ok(session.set_up(&*self.runtime, &mut self.settings, self.mib, None)?)
    }
}
