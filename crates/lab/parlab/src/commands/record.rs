//! `record`: converts records.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parcrypt_lab::record::Record;
use parcrypt_lab::{write_atomic, write_new};
use parcrypt_report::stem;

use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::text::{print, shown};

/// End of the help.
const THIN_HELP: &str = "\
Example:
  parlab record thin bench-results/quick.json --out docs/results     writes docs/results/quick.json.gz

The digest of an entry's samples is the digest of their compact JSON in the full record:
  jq -cj '.cases[0].entries[0].rounds' bench-results/quick.json | sha256sum";

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
/// Instead of the samples, a thinned record has the medians of each round, which are all that the estimators use, and
/// the SHA-256 digest of the samples. Its reports are the same as the full record's, byte for byte. Whole commands
/// keep their samples, because reports count their runs.
#[derive(Debug, Args)]
#[command(after_help = THIN_HELP)]
struct Thin {
    /// Records that `bench` has written
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Folder for NAME.json.gz of each record
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite existing files with other contents
    #[arg(long)]
    force: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let Command::Thin(thin) = &arguments.command;
    match thin.records.iter().map(|path| thinned(path, thin)).collect::<Result<String, _>>() {
        Ok(text) => print(&text),
        Err(error) => fail(error),
    }
}

/// Writes the thinned record and returns the line to print.
fn thinned(path: &Path, thin: &Thin) -> Result<String, CommandError> {
    let mut record = Record::read(path)?;
    record.thin();
    let folder = &thin.out;
    std::fs::create_dir_all(folder)
        .map_err(|e| CommandError::new(format!("--out {}: {e}", folder.display())))?;
    let out = folder.join(format!("{}.json.gz", stem(path)));
    let bytes = record.bytes(&out)?;
    let failed = |why: String| CommandError::new(format!("{}: {why}", out.display()));
    let is_file = |found: &Metadata| found.is_file() || found.is_symlink();
    match (thin.force, std::fs::symlink_metadata(&out)) {
        // The same record again is not a loss.
        (false, Ok(found)) if found.is_file() && std::fs::read(&out).is_ok_and(|there| there == bytes) => {}
        (false, Ok(_)) => {
            return Err(failed(
                "already exists with other contents: name another folder, or give --force".to_owned(),
            ));
        }
        (false, Err(_)) => write_new(&out, &bytes).map_err(|e| failed(e.to_string()))?,
        (true, Ok(found)) if !is_file(&found) => {
            return Err(failed("already exists and is not a file".to_owned()));
        }
        (true, _) => write_atomic(&out, &bytes).map_err(|e| failed(e.to_string()))?,
    }
    let before = std::fs::metadata(path).map_or(0, |found| found.len());
    Ok(format!("{}: {} bytes, the record had {before}\n", shown(&out), bytes.len()))
}
