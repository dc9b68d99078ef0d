//! The engine of a command: the runtime, the trusted setup, its tables, and the ranks.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use parcrypt_cluster::Launched;
use parcrypt_kzg::jobs::Operation;
use parcrypt_kzg::setup::Defect;
use parcrypt_kzg::{Error, Origin, Settings, Shadow};
use parcrypt_runtime::{Kind, Runtime};

use super::{shown, tell};
use crate::error::CommandError;
use crate::files::read_regular;
use crate::ranks::{self, Session};
use crate::text::{hex, size};
use crate::{requests, runtimes};

/// Maximum size of the file of a setup, in bytes. Mainnet's has 1.6 MB in our binary form, and less in the others.
const MOST_SETUP: usize = 16 << 20;

/// Maximum memory of tables that are built without being asked for, in bytes.
const MOST_TABLES: u64 = 64 << 20;

/// Numbers of inputs from which tables save more processor time than they take: measured on one thread, with AVX-512
/// IFMA and with `blst`, if it is 26, 12 and 4 inputs that take the same time with tables and without.
const COMMITMENTS: usize = 32;
const BLOB_PROOFS: usize = 16;
const CELL_PROOFS: usize = 5;

/// Runtime, setup and ranks.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to compute")]
pub(super) struct EngineArguments {
    /// Threads, with --mpi of each rank [default: the cores that this process may use, divided by the ranks of the
    /// machine]
    #[arg(long, value_name = "N", next_line_help = false)]
    threads: Option<usize>,
    /// The parallel runtime: serial, rayon or openmp [default: rayon; serial with 1 thread, or in a build without
    /// Rayon]
    #[arg(long, value_name = "NAME")]
    runtime: Option<Kind>,
    /// Regular file of the trusted setup: c-kzg's text, the consensus specifications' JSON, or our binary form
    /// [default: Ethereum mainnet's, which is built in]
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// Compute on all ranks that mpiexec has started: `mpiexec -n 4 parcrypt kzg commit blobs --mpi`; only rank 0 reads
    /// and writes
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
    /// Maximum size of tables in MiB; more than 34 has no effect, 0 builds none [default: for many inputs what helps,
    /// within 1/16 of the available memory]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u16).range(0..=64))]
    tables: Option<u16>,
    /// File with the tables: read if it exists, written otherwise
    #[arg(long, value_name = "FILE")]
    tables_cache: Option<PathBuf>,
}

/// The runtime, the setup and the ranks of a command.
pub(super) struct Engine<'s> {
    pub(super) runtime: Box<dyn Runtime>,
    pub(super) settings: Settings,
    /// The digest of the setup in hexadecimal, as ledgers have it.
    pub(super) setup: String,
    /// The tables to read or build before the first input.
    tables: Tables,
    /// The ranks, with `--mpi`.
    pub(super) session: Option<&'s mut Session>,
}

/// Tables that are not ready yet.
enum Tables {
    /// None: they are ready, or of no use.
    No,
    /// Those of `--tables` and `--tables-cache`.
    Asked { mib: Option<u16>, cache: Option<PathBuf> },
    /// Those that save more time than they take.
    Worthwhile,
}

/// Runs a command; with `--mpi` on rank 0, which the other ranks serve.
pub(super) fn over_ranks(
    arguments: &EngineArguments,
    lead: impl FnOnce(Option<&mut Session>) -> ExitCode,
) -> ExitCode {
    if !arguments.mpi {
        if let Some(Launched { processes, variable, .. }) =
            Launched::from_environment().filter(|all| all.is_leader)
        {
            tell(&format!(
                "warning: this is one of {processes} processes ({variable}), each of which does all of the work; use \
                 --mpi to share it"
            ));
        }
        return lead(None);
    }
    let make = |_, here| {
        runtimes::choose(arguments.runtime, arguments.threads, here).map_err(|problem| problem.to_string())
    };
    let silence = Duration::from_secs(arguments.mpi_timeout.into());
    ranks::over(silence, &make, |session| lead(Some(session)), super::stream::is_unfinished)
        .unwrap_or_else(ranks::failed)
}

impl<'s> Engine<'s> {
    /// Makes the runtime and reads the setup; tables are read or built before the first input.
    ///
    /// # Errors
    /// An unavailable runtime, an unreadable setup, a missing table cache without `--tables`.
    pub(super) fn new(
        arguments: &EngineArguments,
        tables: Option<&TableArguments>,
        session: Option<&'s mut Session>,
    ) -> Result<Self, CommandError> {
        let here = session.as_ref().map_or(1, |session| session.ranks_here());
        let runtime = runtimes::choose(arguments.runtime, arguments.threads, here)?;
        // Rejects a missing row with an error that has the name of the table.
        requests::rows(&parcrypt_kzg::TABLES, None)?;
        let requests = requests::from_environment()?;
        let shadow = Shadow::from_environment()?;
        let mut settings = match &arguments.setup {
            None => Settings::mainnet(requests)?,
            Some(path) => {
                let at = |e: &dyn Display| CommandError::new(format!("--setup {}: {e}", shown(path)));
                let file = read_regular(path, MOST_SETUP).map_err(|e| at(&e))?;
                Settings::load(&*runtime, requests, &file).map_err(|e| at(&e))?
            }
        };
        settings.set_shadow(shadow)?;
        let setup = hex(&settings.digest());
        let tables = match tables {
            None => Tables::No,
            Some(TableArguments { tables: None, tables_cache: None }) => Tables::Worthwhile,
            Some(TableArguments { tables: Some(0), tables_cache: None }) => Tables::No,
            Some(TableArguments { tables, tables_cache }) => {
                Tables::Asked { mib: *tables, cache: tables_cache.clone() }
            }
        };
        if settings.origin() != Origin::Ceremony {
            tell(&format!("warning: this trusted setup is {}", settings.origin()));
        }
        match &tables {
            Tables::Asked { mib: None, cache: Some(cache) } if !cache.exists() => {
                Err(CommandError::new(format!(
                    "--tables-cache {}: file not found; give --tables MIB to build tables of at most that size \
                 and keep them in it",
                    shown(cache)
                )))
            }
            _ => Ok(Engine { runtime, settings, setup, tables, session }),
        }
    }

    /// Returns whether tables may have to be read or built.
    pub(super) fn is_to_be_made_ready(&self) -> bool {
        !matches!(self.tables, Tables::No)
    }

    /// Reads or builds the tables, once, for an operation on at most `inputs` inputs over `ranks` ranks, and returns a
    /// note for the user.
    ///
    /// # Errors
    /// A cache that cannot be read, is damaged or of another setup; tables that cannot be built or kept.
    pub(super) fn make_ready(
        &mut self,
        operation: Operation,
        inputs: usize,
        ranks: usize,
    ) -> Result<Option<String>, CommandError> {
        let (mib, cache) = match std::mem::replace(&mut self.tables, Tables::No) {
            Tables::No => return Ok(None),
            Tables::Worthwhile => return self.build_worthwhile(operation, inputs / ranks),
            Tables::Asked { mib, cache } => (mib, cache),
        };
        let cache = cache.as_deref();
        let mut replaced = String::new();
        if let Some(path) = cache.filter(|path| path.exists()) {
            match self.settings.load_tables(path) {
                Ok(report) => {
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
                        "--tables-cache {}: {e}; delete the file to build it again",
                        shown(path)
                    )));
                }
            }
        }
        let Some(mib) = mib else { return Ok(None) };
        let report = self.settings.build_tables(&*self.runtime, mib.into())?;
        let built = format!("{replaced}tables of {} built", size(report.bytes() as u64));
        let Some(path) = cache else { return Ok(Some(built)) };
        self.settings
            .save_tables(path)
            .map_err(|e| CommandError::new(format!("--tables-cache {}: {e}", shown(path))))?;
        Ok(Some(format!("{built} and kept in {}", shown(path))))
    }

    /// Builds the tables that an operation uses, if that many inputs are worth their time.
    fn build_worthwhile(
        &mut self,
        operation: Operation,
        inputs: usize,
    ) -> Result<Option<String>, CommandError> {
        let room = parcrypt_machine::memory_available().map_or(MOST_TABLES, |bytes| bytes / 16);
        let room = room.min(MOST_TABLES) as usize;
        let mut most = self.settings.tables();
        match operation {
            Operation::Commit if inputs >= COMMITMENTS => most.lagrange_bytes = room,
            Operation::Prove { .. } if inputs >= BLOB_PROOFS => most.lagrange_bytes = room,
            Operation::Cells { proofs: true } | Operation::Recover { proofs: true }
                if inputs >= CELL_PROOFS =>
            {
                most.fk20_bytes = room;
            }
            _ => return Ok(None),
        }
        let report = self.settings.build_tables_within(&*self.runtime, most)?;
        Ok(Some(format!("tables of {} built", size(report.bytes() as u64))))
    }

    /// Sends the setup and the tables to the ranks.
    #[cfg(feature = "mpi")]
    pub(super) fn share(&mut self, session: &mut Session) -> Result<(), CommandError> {
        Ok(session.set_up(&mut self.settings, None)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(tables: Option<u16>) -> Engine<'static> {
        let arguments =
            EngineArguments { threads: Some(1), runtime: None, setup: None, mpi: false, mpi_timeout: 60 };
        let tables = TableArguments { tables, tables_cache: None };
        Engine::new(&arguments, Some(&tables), None).unwrap()
    }

    #[test]
    fn tables_are_built_if_they_are_worth_it() {
        let points = Settings::mainnet(requests::from_environment().unwrap()).unwrap().tables();
        for (operation, least) in [
            (Operation::Commit, COMMITMENTS),
            (Operation::Prove { z: None }, BLOB_PROOFS),
            (Operation::Cells { proofs: true }, CELL_PROOFS),
            (Operation::Recover { proofs: true }, CELL_PROOFS),
        ] {
            let sizes = |inputs, ranks, mib| {
                let mut engine = engine(mib);
                let note = engine.make_ready(operation, inputs, ranks).unwrap();
                // Once: later batches change nothing.
                assert_eq!(engine.make_ready(operation, usize::MAX, 1).unwrap(), None);
                (note.is_some(), engine.settings.tables())
            };
            for none in [sizes(least - 1, 1, None), sizes(2 * least - 1, 2, None), sizes(1000, 1, Some(0))] {
                assert_eq!(none, (false, points), "{operation:?}");
            }
            let (note, built) = sizes(2 * least, 2, None);
            let blobs = matches!(operation, Operation::Commit | Operation::Prove { .. });
            assert!(
                note && (built.lagrange_bytes > points.lagrange_bytes) == blobs,
                "{operation:?}: {built}"
            );
            assert!((built.fk20_bytes > points.fk20_bytes) != blobs, "{operation:?}: {built}");
        }
        for operation in [Operation::Cells { proofs: false }, Operation::Recover { proofs: false }] {
            let mut engine = engine(None);
            assert_eq!(engine.make_ready(operation, 1000, 1).unwrap(), None);
            assert_eq!(engine.settings.tables(), points);
        }
    }
}
