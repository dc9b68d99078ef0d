//! `parcrypt report`: makes the page anew from records alone.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::record::Record;
use parcrypt_lab::write_whole;
use parcrypt_report::{self as report, Colour};

use crate::error::{CommandError, fail};
use crate::text::print;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parcrypt report bench-results/*.json                     one page of all records, beside the first
  parcrypt report bench-results/*.json --out all.html      the same, elsewhere
  parcrypt report bench-results/*.json --terminal          tables in the terminal
  parcrypt report bench-results/sum.json --plots figures   the page, and each of its figures as SVG, PNG and PDF")]
pub(crate) struct Arguments {
    /// Records that `parcrypt bench` has written
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The page to write; beside the first record where it is left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Folder for each figure as SVG, PNG and PDF; with several records, a folder in it for each
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print Markdown in place of writing a page
    #[arg(long, conflicts_with_all = ["out", "terminal"])]
    markdown: bool,
    /// Print tables in place of writing a page
    #[arg(long, conflicts_with = "out")]
    terminal: bool,
}

/// Makes the page or the text.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match make(arguments) {
        Ok(text) => print(&text),
        Err(problem) => fail(problem),
    }
}

/// What is to be printed.
fn make(arguments: &Arguments) -> Result<String, CommandError> {
    let records: Vec<Record> = arguments.records.iter().map(|p| Record::read(p)).collect::<Result<_, _>>()?;
    if let Some(folder) = &arguments.plots {
        for (record, path) in records.iter().zip(&arguments.records) {
            let one = match records.len() {
                1 => folder.clone(),
                _ => folder.join(path.file_stem().unwrap_or(path.as_os_str())),
            };
            eprintln!("plots: {}", plots(record, &one)?);
        }
    }
    if arguments.markdown {
        return Ok(records.iter().map(report::markdown).collect());
    }
    if arguments.terminal {
        return Ok(records.iter().map(terminal).collect());
    }
    let page = match &arguments.out {
        Some(page) => page.clone(),
        None => arguments.records[0].with_extension("html"),
    };
    write_whole(&page, report::html(&records).as_bytes())
        .map_err(|e| CommandError::new(format!("{}: cannot be written: {e}", page.display())))?;
    Ok(format!("page: {}\n", page.display()))
}

/// Writes the figures of a record, and says in a line which there are.
pub(crate) fn plots(record: &Record, folder: &Path) -> Result<String, CommandError> {
    let written = report::write_plots(record, folder)
        .map_err(|e| CommandError::new(format!("--plots {}: {e}; name another folder", folder.display())))?;
    let (count, folder) = (written.plots, folder.display());
    let figures = if count == 1 { "figure" } else { "figures" };
    Ok(match written.font {
        true => format!("{folder}: {count} {figures}, each as SVG, PNG and PDF"),
        false => format!(
            "{folder}: {count} {figures} as SVG alone, because this machine has no font for the text of PNG and PDF: \
             install one, as the package fonts-dejavu-core"
        ),
    })
}

/// The tables as this terminal shows them best.
pub(crate) fn terminal(record: &Record) -> String {
    let terminal = std::io::stdout().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let width =
        if terminal { console::Term::stdout().size_checked().map(|(_, columns)| columns) } else { None };
    report::terminal(record, width, if colour { Colour::Ansi } else { Colour::Plain })
}
