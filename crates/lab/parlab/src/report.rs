//! `report`: pages, texts and figures from records only.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::record::Record;
use parcrypt_report::{
    self as report, Colour, OutputError, Overwrite, PlotError, Raster, Source, may_write, write_report,
};

use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::text::{Printed, shown, tell};

/// End of the help.
const HELP: &str = "\
Examples:
  parlab report bench-results/*.json                     one page of all records, beside the first
  parlab report bench-results/*.json --out all.html      the same, elsewhere
  parlab report bench-results/*.json --terminal          tables in the terminal
  parlab report bench-results/sum.json --summary         one screen, as `bench` prints it
  parlab report bench-results/*.json --csv               each estimate with its interval, for a spreadsheet
  parlab report bench-results/sum.json --plots figures   the page, and each of its figures as SVG, PNG and PDF
  parlab report bench-results --html --out pages         a page for each record of a folder, and a list of all
  parlab report docs/results/*.json.gz --markdown --out docs/results
                                                           a page for each record with its figures, and a list of all

A file that is there is replaced only if it is a report, which has the mark of one; --force replaces any file.

Exit codes: 0 done; 2 a record cannot be read, or a page, a figure or standard output cannot be written.";

/// Write the report of records again
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Records that `bench` has written, or folders of them
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The page to write, beside the first record if it is left out; with --html or --markdown a folder for pages
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Folder for each figure as SVG, PNG and PDF; with several records, a folder in it for each
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Write a page for each record into the folder --out, and an index with their dates
    #[arg(long, requires = "out", conflicts_with_all = ["markdown", "terminal", "csv", "json"])]
    html: bool,
    /// Print Markdown instead of writing a page of HTML; with --out, write a page for each record
    #[arg(long, conflicts_with_all = ["terminal", "csv", "json"])]
    markdown: bool,
    /// With --markdown and --out: a Markdown file, or several, whose parts between `<!-- generated: PART -->` and
    /// `<!-- end -->` are written: `picture` (speeds next to other libraries), `speed of NAME` (of a crate), `work of a
    /// client`, `output of RECORD` and `verdict of RECORD` (of `compare`)
    #[arg(long, value_name = "FILE", requires_all = ["markdown", "out"])]
    front: Vec<PathBuf>,
    /// Print tables instead of writing a page
    #[arg(long, conflicts_with_all = ["out", "csv", "json"])]
    terminal: bool,
    /// Print one screen for each record, as `bench` does
    #[arg(long, conflicts_with_all = ["out", "html", "markdown", "terminal", "csv", "json"])]
    summary: bool,
    /// Print each estimate with its interval as CSV, a line for each entry
    #[arg(long, conflicts_with_all = ["out", "json"])]
    csv: bool,
    /// Print the same as JSON
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Replace files that are there already, also those that are no reports
    #[arg(long)]
    force: bool,
}

impl Arguments {
    fn overwrite(&self) -> Overwrite {
        if self.force { Overwrite::Files } else { Overwrite::Reports }
    }
}

/// Writes the page or prints the text.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    make(arguments).map_or_else(fail, |()| ExitCode::SUCCESS)
}

fn make(arguments: &Arguments) -> Result<(), CommandError> {
    let paths = record_paths(&arguments.records)?;
    let records: Vec<Record> = paths.iter().map(|p| Record::read(p)).collect::<Result<_, _>>()?;
    if let Some(folder) = &arguments.plots {
        for (record, path) in records.iter().zip(plot_folders(&paths, folder)?) {
            tell(&format!("plots: {}", plots(record, &path, arguments.overwrite())?));
        }
    }
    if let Some(folder) = arguments.out.as_ref().filter(|_| arguments.html || arguments.markdown) {
        return Printed::Plain(&pages(arguments, records, &paths, folder)?).write();
    }
    if arguments.markdown {
        return Printed::Plain(&records.iter().map(report::markdown).collect::<String>()).write();
    }
    if arguments.terminal {
        return Printed::Coloured(&records.iter().map(terminal).collect::<String>()).write();
    }
    if arguments.summary {
        return Printed::Coloured(&records.iter().map(summary).collect::<Vec<_>>().join("\n")).write();
    }
    if arguments.csv {
        return Printed::Plain(&report::csv(&records)).write();
    }
    if arguments.json {
        return Printed::Json(&report::json(&records)?).write();
    }
    let first = &paths[0];
    let beside = first.with_file_name(format!("{}.html", stem(&file_name(first))));
    let page = arguments.out.clone().unwrap_or(beside);
    let files: Vec<String> = paths.iter().map(|path| from_folder_of(&page, path)).collect();
    let records: Vec<(&Record, &str)> = records.iter().zip(files.iter().map(String::as_str)).collect();
    write(&page, &report::html_with_files(&records), arguments.overwrite())?;
    Printed::Plain(&format!("page: {}\n", shown(&page))).write()
}

/// Returns the records that are named, and those of the folders that are named.
fn record_paths(named: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut paths = Vec::new();
    for path in named {
        if !path.is_dir() {
            paths.push(path.clone());
            continue;
        }
        let failed = |why: &dyn Display| CommandError::new(format!("{}: {why}", path.display()));
        let is_record = |path: &PathBuf| {
            let name = file_name(path);
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

/// Returns the folder for the figures of each record.
fn plot_folders(paths: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    if let [_] = paths {
        return Ok(vec![folder.to_owned()]);
    }
    let names: Vec<String> = paths.iter().map(|path| stem(&file_name(path)).to_owned()).collect();
    no_duplicates("--plots", names.iter().map(String::as_str))?;
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

/// Returns an error where two results would have the same name.
fn no_duplicates<'a>(flag: &str, names: impl Iterator<Item = &'a str>) -> Result<(), CommandError> {
    let mut seen = BTreeSet::new();
    let mut twice = names.filter(|name| !seen.insert(*name));
    twice.next().map_or(Ok(()), |name| {
        Err(CommandError::new(format!(
            "{flag}: two of these records would both be written as `{name}`: rename one, or take fewer at once"
        )))
    })
}

fn write(path: &Path, text: &str, overwrite: Overwrite) -> Result<(), CommandError> {
    path.parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .map_err(|e| CommandError::new(format!("{}: cannot be written: {e}", path.display())))?;
    write_report(path, text.as_bytes(), overwrite).map_err(with_hint)
}

/// Returns an error with what to do about it.
fn with_hint(error: OutputError) -> CommandError {
    let hint =
        if matches!(error, OutputError::Exists { .. }) { ": name another, or give --force" } else { "" };
    CommandError::new(format!("{error}{hint}"))
}

/// Returns the name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the name of a record's file without `.json` or `.json.gz`.
pub(crate) fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.strip_suffix(".json").unwrap_or(name)
}

/// Returns the path of a file from the folder of a page.
fn from_folder_of(page: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (page, file) = (absolute(page), absolute(file));
    let from: Vec<_> = page.parent().unwrap_or(Path::new("")).components().collect();
    let to: Vec<_> = file.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Path::new(".."), from.len() - common);
    let path: PathBuf = up.chain(to[common..].iter().map(AsRef::as_ref)).collect();
    path.to_string_lossy().into_owned()
}

/// Writes a page for each record into a folder, and the parts of other documents that come from records.
fn pages(
    arguments: &Arguments,
    records: Vec<Record>,
    paths: &[PathBuf],
    folder: &Path,
) -> Result<String, CommandError> {
    let source = |(record, path): (Record, &PathBuf)| {
        let name = stem(&file_name(path)).to_owned();
        // Pages in Markdown are written to be beside their records, those of HTML anywhere.
        let file = match arguments.html {
            true => from_folder_of(&folder.join("index.html"), path),
            false => file_name(path),
        };
        // A note for readers is in a file beside the record.
        let note = std::fs::read_to_string(path.with_file_name(format!("{name}.txt"))).unwrap_or_default();
        Source { name, file, note, record }
    };
    let sources: Vec<Source> = records.into_iter().zip(paths).map(source).collect();
    // The rows of the front picture are in a file beside the records.
    let rows = paths.first().map(|path| path.with_file_name("front.txt"));
    let rows = rows.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let pages = match arguments.html {
        true => report::html_pages(&sources),
        false => report::results(&sources, &rows)
            .map_err(|error| CommandError::new(format!("front.txt beside the records: {error}")))?,
    };
    no_duplicates("--out", pages.iter().map(|page| page.path.as_str()))?;
    // All are checked before one is written.
    for page in &pages {
        may_write(&folder.join(&page.path), arguments.overwrite()).map_err(with_hint)?;
    }
    for page in &pages {
        write(&folder.join(&page.path), &page.text, arguments.overwrite())?;
    }
    for front in &arguments.front {
        let failed = |why: &str| CommandError::new(format!("--front {}: {why}", front.display()));
        let text = std::fs::read_to_string(front).map_err(|e| failed(&e.to_string()))?;
        let filled =
            report::with_speed(&text, &sources, &rows, &format!("{}/", from_folder_of(front, folder)));
        // The user's own file, whose other parts stay as they are.
        write(front, &filled.map_err(|e| failed(&e.to_string()))?, Overwrite::Files)?;
    }
    Ok(format!("{}: {} files\n", shown(folder), pages.len()))
}

/// Writes the figures of a record, and returns a line on the files written.
pub(crate) fn plots(record: &Record, folder: &Path, overwrite: Overwrite) -> Result<String, CommandError> {
    let written = report::write_plots(record, folder, overwrite).map_err(|e| {
        let force = matches!(e, PlotError::Output(OutputError::Exists { .. }));
        let force = if force { ", or give --force" } else { "" };
        CommandError::new(format!("--plots {}: {e}; name another folder{force}", folder.display()))
    })?;
    let (count, folder) = (written.plots, shown(folder));
    let figures = if count == 1 { "figure" } else { "figures" };
    Ok(match written.painted {
        Raster::Yes => format!("{folder}: {count} {figures}, each as SVG, PNG and PDF"),
        Raster::NoFont => format!(
            "{folder}: {count} {figures} as SVG alone, because this machine has no font for the text of PNG and PDF: \
             install one, as the package fonts-dejavu-core"
        ),
        Raster::NotBuilt => format!(
            "{folder}: {count} {figures} as SVG alone, because this build is without PNG and PDF: \
             `cargo build --release --package parlab --features plots` builds them"
        ),
    })
}

/// Returns the tables for this terminal.
pub(crate) fn terminal(record: &Record) -> String {
    let (width, colour) = screen();
    report::terminal(record, width, colour)
}

/// Returns the results on one screen, for this terminal.
pub(crate) fn summary(record: &Record) -> String {
    let (width, colour) = screen();
    report::summary(record, width.map(|width| width.min(SCREEN)), colour)
}

/// Number of columns of a screen of results.
const SCREEN: u16 = 100;

/// Returns the width of standard output, if it is a terminal, and whether it gets colours.
pub(crate) fn screen() -> (Option<u16>, Colour) {
    let terminal = std::io::stdout().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let width =
        if terminal { console::Term::stdout().size_checked().map(|(_, columns)| columns) } else { None };
    (width, if colour { Colour::Ansi } else { Colour::Plain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_to_its_record() {
        let from = |page: &str, file: &str| from_folder_of(Path::new(page), Path::new(file));
        assert_eq!(from("r/a.html", "r/a.json"), "a.json");
        assert_eq!(from("all.html", "r/a.json.gz"), "r/a.json.gz");
        assert_eq!(from("pages/index.html", "./r/a.json"), "../r/a.json");
        assert_eq!(from("/x/pages/index.html", "/x/r/a.json"), "../r/a.json");
    }
}
