//! `report`: pages, texts and figures from records only.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::record::Record;
use parcrypt_report::{Detail, Format, Sheet, pages, sheet, stem, text, write};

use crate::session::{Form, print};
use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::print::Printed;
use parcrypt_terminal::text::shown;

/// End of the help.
const HELP: &str = "\
Examples:
  parlab report bench-results/*.json                     one page of all records, next to the first
  parlab report bench-results/*.json --out all.html      the same, elsewhere
  parlab report bench-results/*.json --terminal          each case in the terminal
  parlab report bench-results/*.json --csv               each estimate with its interval, for a spreadsheet
  parlab report bench-results/sum.json --markdown        the verdict and one table
  parlab report bench-results --markdown --out pages     the same with a figure, a page for each record of a folder

An existing file is only replaced if it was written as a report, which has a mark.

Exit codes: 0 done; 2 a record cannot be read, or a page, a figure or standard output cannot be written.";

/// Write reports from records
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Records of runs, or folders of them
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The page to write [default: next to the first record]; with --markdown the folder for pages and figures
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Print each case with its entries instead of writing a page
    #[arg(long, conflicts_with_all = ["out", "json", "csv", "markdown"])]
    terminal: bool,
    #[command(flatten)]
    form: Form,
}

/// Writes the page or prints the text.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    make(arguments).map_or_else(fail, |()| ExitCode::SUCCESS)
}

fn make(arguments: &Arguments) -> Result<(), CommandError> {
    let paths = record_paths(&arguments.records)?;
    let read = |path: &PathBuf| Ok::<_, CommandError>(sheet(&Record::read(path)?, path, &[]));
    let sheets: Vec<Sheet> = paths.iter().map(read).collect::<Result<_, _>>()?;
    if let Some(folder) = arguments.out.as_ref().filter(|_| arguments.form.markdown) {
        let files = pages(&sheets, folder);
        write(&files)?;
        return Printed::Plain(&format!("{}: {} files\n", shown(folder), files.len())).write();
    }
    if !arguments.form.is_text() || arguments.terminal {
        return print(&sheets, arguments.form.format(Detail::Cases), "");
    }
    let page = arguments.out.clone();
    let page = page.unwrap_or_else(|| paths[0].with_file_name(format!("{}.html", stem(&paths[0]))));
    let html = text(&sheets, Format::Html, Some(&page));
    write(&[(page.clone(), html)])?;
    Printed::Plain(&format!("page: {}\n", shown(&page))).write()
}

/// Returns the named records, and the records of the named folders.
fn record_paths(named: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut paths = Vec::new();
    for path in named {
        if !path.is_dir() {
            paths.push(path.clone());
            continue;
        }
        let failed = |why: &dyn Display| CommandError::new(format!("{}: {why}", path.display()));
        let is_record = |path: &PathBuf| {
            let name = path.as_os_str().to_string_lossy();
            name.ends_with(".json") || name.ends_with(".json.gz")
        };
        let files = std::fs::read_dir(path).and_then(|files| files.map(|file| Ok(file?.path())).collect());
        let mut found: Vec<PathBuf> = files.map_err(|e: std::io::Error| failed(&e))?;
        found.retain(is_record);
        found.sort();
        if found.is_empty() {
            return Err(failed(&"no records: no files that end in .json or .json.gz"));
        }
        paths.append(&mut found);
    }
    Ok(paths)
}
