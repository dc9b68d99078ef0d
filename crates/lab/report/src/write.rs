//! The entry point of the crate: [`write()`] writes each form of a report, as a text, a file or a folder of files.
//!
//! To add a format: a variant of [`Format`], an arm of `text`, an exporter in `export`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::comparison::Form;
use crate::document::{self, Block};
use crate::error::WriteError;
use crate::export::screen::Screen;
use crate::export::svg;
use crate::export::{csv, html, json, markdown};
use crate::figures;
use crate::output::{
    Filed, Files, GENERATED, Overwrite, file_name, from_folder_of, may_write, stem, write_report,
};
use crate::suite::{self, SuiteView};
use crate::view::RecordView;
use crate::{comparison, summary};

/// Format of a text.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One screen: a row for each case, sentences that answer the question of the title, failed and skipped entries.
    Summary(Screen),
    /// For each case a sentence and a table, then the answers to the plan's questions.
    Tables(Screen),
    /// A short page in Markdown: the verdict, one table, and how to repeat the run.
    Markdown,
    /// One self-contained page with a section for each record. Its script only sorts and filters tables.
    Html,
    /// A line for each entry, with the columns of docs/reference/results.md.
    Csv,
    /// An object for each record, with the fields of docs/reference/results.md.
    Json,
    /// For each case of whole commands, a table and the verdict on each pair; for a suite its table, with what did not
    /// change folded in Markdown.
    Verdicts(Form),
}

/// Destination of a report.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// One text, which [`Written::text`] returns.
    Text(Format),
    /// One text, written to a file.
    File(Format, &'a Path),
    /// A folder with a page in Markdown for each record, and its figure as SVG, if it has one.
    MarkdownPages(&'a Path),
    /// A folder with each figure as SVG; with a folder for each record if there are several.
    Figures(&'a Path),
}

/// Result of [`write()`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text of [`Output::Text`].
    pub text: String,
    /// Number of files in the folder.
    pub files: usize,
}

/// Writes a report on some records, and returns its text or the number of its files.
///
/// Missing folders are created. All destinations are checked before the first file is written, and each file is
/// replaced atomically.
///
/// # Errors
/// [`WriteError`]. If the operating system reports an error, the files before it have been written.
pub fn write(
    records: &[Filed<'_>],
    output: &Output<'_>,
    overwrite: Overwrite,
) -> Result<Written, WriteError> {
    let files = match *output {
        Output::Text(format) => {
            return Ok(Written { text: text(records, format, None)?, ..Written::default() });
        }
        Output::File(format, path) => {
            vec![(path.to_owned(), text(records, format, Some(path))?.into_bytes())]
        }
        Output::MarkdownPages(folder) => {
            records.iter().flat_map(|record| markdown_page(*record, folder)).collect()
        }
        Output::Figures(folder) => {
            let of_record = |(record, path): &Filed<'_>| {
                let folder = if records.len() == 1 { folder.to_owned() } else { folder.join(stem(path)) };
                let figures = figures::all(&RecordView::new(record)).into_iter();
                let file = |figure: figures::Figure| {
                    let path = folder.join(format!("{}.svg", figure.name));
                    (path, svg::file(&figure.drawing).into_bytes())
                };
                figures.map(file).collect::<Files>()
            };
            records.iter().flat_map(of_record).collect()
        }
    };
    let mut seen = BTreeSet::new();
    if let Some((path, _)) = files.iter().find(|(path, _)| !seen.insert(path)) {
        return Err(WriteError::SameName { path: path.clone() });
    }
    for (path, _) in &files {
        may_write(path, overwrite)?;
    }
    for (path, bytes) in &files {
        write_report(path, bytes, overwrite)?;
    }
    Ok(Written { text: String::new(), files: files.len() })
}

/// Returns the page of a record, and the figure that it shows.
fn markdown_page((record, path): Filed<'_>, folder: &Path) -> Files {
    let (view, name) = (RecordView::new(record), stem(path));
    let figure = figures::chief(&view).filter(|_| view.record.suite.is_none());
    let shown = figure.as_ref().map(|figure| (format!("{name}.svg"), figure.caption.clone()));
    let text = GENERATED.to_string() + &markdown::document(&short(&view, shown, Some(&file_name(path))));
    let figure =
        figure.map(|figure| (folder.join(format!("{name}.svg")), svg::file(&figure.drawing).into_bytes()));
    [(folder.join(format!("{name}.md")), text.into_bytes())].into_iter().chain(figure).collect()
}

/// Returns the short page of a record, with a figure, by its path and caption, and the name of the record's file.
fn short(view: &RecordView<'_>, figure: Option<(String, String)>, file: Option<&str>) -> Vec<Block> {
    match suite::of(view.record) {
        Some(suite) => suite.folded(),
        None => summary::page(view, figure, file),
    }
}

/// Returns a report on some records as one text; `page` is the path of the file it is written to.
pub(crate) fn text(records: &[Filed<'_>], format: Format, page: Option<&Path>) -> Result<String, WriteError> {
    let views = || records.iter().map(|(record, _)| RecordView::new(record)).collect::<Vec<_>>();
    // A suite has one report for a terminal.
    let each = |of_suite: &dyn Fn(&SuiteView<'_>) -> String, of: &dyn Fn(&RecordView<'_>) -> String| {
        let text = |(record, _): &Filed<'_>| match suite::of(record) {
            Some(suite) => of_suite(&suite),
            None => of(&RecordView::new(record)),
        };
        records.iter().map(text).collect::<Vec<String>>()
    };
    let on_screen =
        |screen: Screen| move |suite: &SuiteView<'_>| screen.document(&suite.on_screen(screen.width));
    Ok(match format {
        Format::Summary(screen) => {
            let of = |view: &RecordView<'_>| match view.cases.iter().all(|case| case.case.is_of_commands()) {
                // What `compare` prints.
                true if !view.cases.is_empty() => comparison::on_screen(view, screen),
                _ => screen.screen(&summary::of(view)),
            };
            each(&on_screen(screen), &of).join("\n")
        }
        Format::Tables(screen) => {
            each(&on_screen(screen), &|view| screen.document(&document::of(view))).concat()
        }
        Format::Markdown => {
            let text = |view: &RecordView<'_>| markdown::document(&short(view, None, None));
            views().iter().map(text).collect::<Vec<String>>().join("\n")
        }
        Format::Html => {
            let link = |path| page.map(|page| from_folder_of(page, path));
            let files: Vec<Option<String>> = records.iter().map(|(_, path)| link(path)).collect();
            let all = records.iter().zip(&files).map(|((record, _), file)| (*record, file.as_deref()));
            html::page(&all.collect::<Vec<_>>()).into_string()
        }
        Format::Csv => csv::results(&views().iter().map(json::results).collect::<Vec<_>>()),
        Format::Json => {
            let views = views();
            let results: Vec<_> = views.iter().map(json::results).collect();
            serde_json::to_string_pretty(&results)? + "\n"
        }
        Format::Verdicts(form) => {
            let texts = records.iter().map(|(record, _)| comparison::verdicts(record, form));
            texts.collect::<Result<String, _>>()?
        }
    })
}
