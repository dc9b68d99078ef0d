//! `report`: pages, texts and figures from records only.

use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::record::Record;
use parcrypt_report::{Colour, Filed, Form, Format, Output, Overwrite, Screen, WriteError, Written, stem};

use crate::commands::bench::names::Names;
use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::text::{Printed, counted, shown, tell};

/// End of the help.
const HELP: &str = "\
Examples:
  parlab report bench-results/*.json                     one page of all records, next to the first
  parlab report bench-results/*.json --out all.html      the same, elsewhere
  parlab report bench-results/*.json --terminal          tables in the terminal
  parlab report bench-results/sum.json --summary         one screen, as `bench` prints it
  parlab report bench-results/*.json --csv               each estimate with its interval, for a spreadsheet
  parlab report bench-results/sum.json --plots figures   the page, and each of its figures as SVG
  parlab report bench-results/sum.json --markdown        the verdict and one table
  parlab report bench-results --markdown --out pages     the same with a figure, a page for each record of a folder

An existing file is only replaced if it was written as a report, which has a mark.

Exit codes: 0 done; 2 a record cannot be read, or a page, a figure or standard output cannot be written.";

/// Write reports from records
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Records that `bench` has written, or folders of them
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The page to write, by default next to the first record; with --markdown a folder for pages and figures
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Folder for each figure as SVG; with several records, a folder in it for each
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print short pages in Markdown instead of writing an HTML page; with --out, write one for each record
    #[arg(long, conflicts_with_all = ["terminal", "csv", "json"])]
    markdown: bool,
    /// Print tables instead of writing a page
    #[arg(long, conflicts_with_all = ["out", "csv", "json"])]
    terminal: bool,
    /// Print one screen for each record, as `bench` does
    #[arg(long, conflicts_with_all = ["out", "markdown", "terminal", "csv", "json"])]
    summary: bool,
    /// Print each estimate with its interval as CSV, a line for each entry
    #[arg(long, conflicts_with_all = ["out", "json"])]
    csv: bool,
    /// Print the same as JSON
    #[arg(long, conflicts_with = "out")]
    json: bool,
}

/// Writes the page or prints the text.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    make(arguments).map_or_else(fail, |()| ExitCode::SUCCESS)
}

fn make(arguments: &Arguments) -> Result<(), CommandError> {
    let paths = record_paths(&arguments.records)?;
    let records: Vec<Record> = paths.iter().map(|p| Record::read(p)).collect::<Result<_, _>>()?;
    let records: Vec<Filed<'_>> =
        records.iter().zip(&paths).map(|(record, path)| (record, &**path)).collect();
    if let Some(folder) = &arguments.plots {
        let figures = write(&records, &Output::Figures(folder), Overwrite::Reports)?.files;
        tell(&format!("plots: {}: {}", shown(folder), counted(figures, "figure")));
    }
    if let Some(folder) = arguments.out.as_ref().filter(|_| arguments.markdown) {
        let files = write(&records, &Output::MarkdownPages(folder), Overwrite::Reports)?.files;
        return Printed::Plain(&format!("{}: {files} files\n", shown(folder))).write();
    }
    let format = match arguments {
        Arguments { markdown: true, .. } => Format::Markdown,
        Arguments { terminal: true, .. } => Format::Tables(screen()),
        Arguments { summary: true, .. } => summary(),
        Arguments { csv: true, .. } => Format::Csv,
        Arguments { json: true, .. } => Format::Json,
        _ => {
            let page = arguments.out.clone();
            let page = page.unwrap_or_else(|| paths[0].with_file_name(format!("{}.html", stem(&paths[0]))));
            write(&records, &Output::File(Format::Html, &page), Overwrite::Reports)?;
            return Printed::Plain(&format!("page: {}\n", shown(&page))).write();
        }
    };
    print(&records, format, |text| text)
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

/// [`parcrypt_report::write`], with what to do about an error.
pub(crate) fn write(
    records: &[Filed<'_>],
    output: &Output<'_>,
    overwrite: Overwrite,
) -> Result<Written, CommandError> {
    parcrypt_report::write(records, output, overwrite).map_err(|error| {
        let exists = matches!(error, WriteError::Exists { .. });
        let hint = if exists { ": name another, or remove it" } else { "" };
        CommandError::new(format!("{error}{hint}"))
    })
}

/// Prints records in a format, with what `around` adds to the text.
pub(crate) fn print(
    records: &[Filed<'_>],
    format: Format,
    around: impl FnOnce(String) -> String,
) -> Result<(), CommandError> {
    let text = around(write(records, &Output::Text(format), Overwrite::Nothing)?.text);
    let printed = match format {
        Format::Summary(_) | Format::Tables(_) => Printed::Coloured(&text),
        Format::Verdicts(Form::Terminal(_)) => Printed::Coloured(&text),
        Format::Json | Format::Verdicts(Form::Json(_)) => Printed::Json(&text),
        _ => Printed::Plain(&text),
    };
    printed.write()
}

/// Writes the page of a run and its Markdown next to its record, which replace no file.
pub(crate) fn pages(record: &Record, names: &Names) -> [Result<(), CommandError>; 2] {
    let path = names.path("json");
    [(Format::Html, "html"), (Format::Markdown, "md")].map(|(format, ending)| {
        let output = Output::File(format, &names.path(ending));
        write(&[(record, &path)], &output, Overwrite::Nothing).map(drop)
    })
}

/// Returns the format of one screen, for this terminal.
pub(crate) fn summary() -> Format {
    let Screen { width, colour } = screen();
    Format::Summary(Screen { width: width.map(|width| width.min(SCREEN)), colour })
}

/// Number of columns of a screen of results.
const SCREEN: u16 = 100;

/// Returns the width of standard output, if it is a terminal, and whether it gets colours.
pub(crate) fn screen() -> Screen {
    let terminal = std::io::stdout().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let width =
        if terminal { console::Term::stdout().size_checked().map(|(_, columns)| columns) } else { None };
    Screen { width, colour: if colour { Colour::Ansi } else { Colour::Plain } }
}
