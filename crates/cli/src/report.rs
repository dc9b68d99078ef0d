//! `parcrypt report`: makes the page anew from records alone.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::record::Record;
use parcrypt_lab::report::Colour;
use parcrypt_lab::{report, write_whole};

use crate::output::{fail, print};
use crate::problem::Problem;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parcrypt report bench-results/*.json                     one page of all records, beside the first
  parcrypt report bench-results/*.json --out all.html      the same, elsewhere
  parcrypt report bench-results/*.json --terminal          tables in the terminal")]
pub(crate) struct Arguments {
    /// Records that `parcrypt bench` has written
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The page to write; beside the first record where it is left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
fn make(arguments: &Arguments) -> Result<String, Problem> {
    let records: Vec<Record> = arguments.records.iter().map(|p| Record::read(p)).collect::<Result<_, _>>()?;
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
        .map_err(|e| Problem::new(format!("{}: cannot be written: {e}", page.display())))?;
    Ok(format!("page: {}\n", page.display()))
}

/// The tables as this terminal shows them best.
pub(crate) fn terminal(record: &Record) -> String {
    let terminal = std::io::stdout().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let width =
        if terminal { console::Term::stdout().size_checked().map(|(_, columns)| columns) } else { None };
    report::terminal(record, width, if colour { Colour::Ansi } else { Colour::Plain })
}
