//! `parcrypt record`: converts records.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parcrypt_lab::record::Record;

use crate::commands::report::{file_name, stem};
use crate::error::{CommandError, fail};
use crate::text::print;

/// Change the form of records
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Thin(Thin),
}

/// Write compressed records without samples, for version control
///
/// In place of its samples a thinned record has the medians of each round, which is all that the estimators use, and
/// the SHA-256 digest of the samples. Its reports are the same as those of the full record, byte for byte.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  parcrypt record thin bench-results/quick.json --out docs/results     writes docs/results/quick.json.gz

The digest of an entry's samples is that of their compact JSON in the full record:
  jq -cj '.cases[0].entries[0].rounds' bench-results/quick.json | sha256sum")]
struct Thin {
    /// Records that `parcrypt bench` has written
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Folder for NAME.json.gz of each record
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let Command::Thin(thin) = &arguments.command;
    match thin.records.iter().map(|path| thinned(path, &thin.out)).collect::<Result<String, _>>() {
        Ok(text) => print(&text),
        Err(error) => fail(error),
    }
}

/// Writes the thinned record and returns the line to print.
fn thinned(path: &Path, folder: &Path) -> Result<String, CommandError> {
    let mut record = Record::read(path)?;
    record.thin();
    std::fs::create_dir_all(folder)
        .map_err(|e| CommandError::new(format!("--out {}: {e}", folder.display())))?;
    let out = folder.join(format!("{}.json.gz", stem(&file_name(path))));
    record.write(&out)?;
    let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
    Ok(format!("{}: {} bytes, the record had {}\n", out.display(), bytes(&out), bytes(path)))
}
