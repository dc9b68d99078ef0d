//! The engine of a command: the runtime, the trusted setup, its tables, and the ranks.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use parcrypt_cluster::Launched;
use parcrypt_kzg::jobs::Operation;
use parcrypt_kzg::setup::{Defect, List};
use parcrypt_kzg::{Error, Origin, Settings, SetupError};
use parcrypt_runtime::{Kind, Runtime};

use super::{shown, tell};
use crate::error::{CommandError, fail};
use crate::files::{read_regular, without_mark};
use crate::ranks::{self, Session};
use crate::text::{hex, size};
use crate::{requests, runtimes};

/// Maximum size of the file of a setup, in bytes. Mainnet's has 1.6 MB in our binary form, and less in the others.
const MAX_SETUP: usize = 16 << 20;

const MAX_TABLES: u64 = 64 << 20;

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

pub(super) struct Engine<'s> {
    pub(super) runtime: Box<dyn Runtime>,
    pub(super) settings: Settings,
    /// The digest of the setup in hexadecimal, as ledgers have it.
    pub(super) setup: String,
    /// Maximum memory of tables, in bytes: each rank of this machine has its own.
    max_tables: u64,
    pub(super) session: Option<&'s mut Session>,
}

/// Runs a command; with `--mpi` on rank 0, which the other ranks serve.
pub(super) fn over_ranks(
    arguments: &EngineArguments,
    lead: impl FnOnce(Option<&mut Session>) -> Result<ExitCode, CommandError>,
) -> ExitCode {
    let lead = |session: Option<&mut Session>| lead(session).unwrap_or_else(fail);
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
    ranks::over(silence, &make, |session| lead(Some(session))).unwrap_or_else(ranks::failed)
}

/// Returns whether a setup was refused because it has the form of c-kzg 1.x, without the list g1_monomial.
fn is_of_ckzg_1(file: &[u8], error: &Error) -> bool {
    let Error::Setup(SetupError { defect, .. }) = error else { return false };
    matches!(defect, Defect::Truncated { list: List::G1Monomial, found: 0, .. })
        || file.windows(10).any(|key| key == b"\"setup_G1\"")
}

impl<'s> Engine<'s> {
    pub(super) fn new(
        arguments: &EngineArguments,
        session: Option<&'s mut Session>,
    ) -> Result<Self, CommandError> {
        let here = session.as_ref().map_or(1, |session| session.ranks_here());
        let runtime = runtimes::choose(arguments.runtime, arguments.threads, here)?;
        // Rejects a missing row with an error that has the name of the table.
        requests::rows(&parcrypt_kzg::TABLES, None)?;
        let requests = requests::from_environment()?;
        let settings = match &arguments.setup {
            None => Settings::mainnet(requests)?,
            Some(path) => {
                let at = |e: &dyn Display| CommandError::new(format!("--setup {}: {e}", shown(path)));
                let file = read_regular(path, MAX_SETUP).map_err(|e| at(&e))?;
                let file = without_mark(&file);
                Settings::load(&*runtime, requests, file).map_err(|e| match is_of_ckzg_1(file, &e) {
                    true => at(&format_args!("{e}; this is a file of c-kzg 1.x: take the file of version 2")),
                    false => at(&e),
                })?
            }
        };
        if settings.origin() != Origin::Ceremony {
            tell(&format!("warning: this trusted setup is {}", settings.origin()));
        }
        let setup = hex(&settings.digest());
        let available = parcrypt_machine::memory_available().unwrap_or(u64::MAX);
        let max_tables = MAX_TABLES.min(available / 16 / here as u64);
        Ok(Engine { runtime, settings, setup, max_tables, session })
    }

    /// Builds the tables that an operation uses, if that many inputs are worth their time, and returns a note for the
    /// user.
    pub(super) fn build_tables(
        &mut self,
        operation: Operation,
        inputs: usize,
    ) -> Result<Option<String>, CommandError> {
        let room = self.max_tables as usize;
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
        Ok(Some(format!("note: tables of {} built", size(report.bytes() as u64))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_built_if_they_are_worth_it() {
        let arguments =
            EngineArguments { threads: Some(1), runtime: None, setup: None, mpi: false, mpi_timeout: 60 };
        let points = Engine::new(&arguments, None).unwrap().settings.tables();
        for (operation, least) in [
            (Operation::Commit, COMMITMENTS),
            (Operation::Prove { z: None }, BLOB_PROOFS),
            (Operation::Cells { proofs: true }, CELL_PROOFS),
            (Operation::Recover { proofs: true }, CELL_PROOFS),
            (Operation::Cells { proofs: false }, usize::MAX),
        ] {
            let mut engine = Engine::new(&arguments, None).unwrap();
            assert_eq!(engine.build_tables(operation, least - 1).unwrap(), None);
            assert_eq!(engine.settings.tables(), points);
            if least < usize::MAX {
                assert!(engine.build_tables(operation, least).unwrap().is_some());
                let built = engine.settings.tables();
                let blobs = matches!(operation, Operation::Commit | Operation::Prove { .. });
                assert_eq!(built.lagrange_bytes > points.lagrange_bytes, blobs, "{operation:?}: {built}");
                assert_eq!(built.fk20_bytes > points.fk20_bytes, !blobs, "{operation:?}: {built}");
            }
        }
    }
}
