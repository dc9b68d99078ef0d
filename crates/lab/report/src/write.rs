//! The one way out of the crate: [`write()`] makes each form of a report, as a text, a file or a folder of files.
//!
//! A format is added as a variant of [`Format`], an arm of `text` and an exporter in `export`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use parcrypt_lab::record::Record;

use crate::document;
use crate::export::text::Screen;
use crate::export::{csv, html, json, markdown};
use crate::output::{Overwrite, may_write, write_report};
use crate::results::{self, FrontError, Page, Source};
use crate::verdict::{Gate, Holds};
use crate::view::RecordView;
use crate::{comparison, plots, summary};

/// A record with the path of its file, to which pages link and after which they are named.
pub type Filed<'a> = (&'a Record, &'a Path);

/// Format of a text.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One screen: a row for each case, sentences that answer the title, what failed and what was skipped.
    Summary(Screen),
    /// For each case a sentence and a table, then the answers to the questions.
    Tables(Screen),
    /// The same in Markdown.
    Markdown,
    /// One page without network, with a section for each record. Its script sorts and filters tables only.
    Html,
    /// A line for each entry, with the columns of docs/reference/results.md.
    Csv,
    /// An object for each record, with the fields of docs/reference/results.md.
    Json,
    /// For each case of whole commands a table, and the verdict on each pair.
    Verdicts(Form),
    /// What has changed from each record to the next.
    Changes(Form),
}

/// Form of verdicts.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Text for a terminal.
    Terminal(Screen),
    /// Markdown.
    Markdown,
    /// JSON, with a condition and whether it holds.
    Json(Option<(Gate, Holds)>),
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// One text, which [`Written::text`] returns.
    Text(Format),
    /// The same as a file.
    File(Format, &'a Path),
    /// A folder with a page of HTML for each record, and `index.html`, which lists them.
    HtmlPages(&'a Path),
    /// A folder with a page in Markdown and at most three figures for each record, and `README.md`, which lists them.
    /// The text `NAME.txt` next to the record `NAME.json` is a note for its page, `front.txt` has the rows of the
    /// picture.
    MarkdownPages {
        /// The folder.
        folder: &'a Path,
        /// Files in Markdown with parts that are written from the records.
        front: &'a [PathBuf],
    },
    /// A folder with each figure as SVG, PNG and PDF; of several records, with a folder for each.
    Figures(&'a Path),
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text of [`Output::Text`].
    pub text: String,
    /// Number of files in the folder; of figures, which are up to three files each, their number.
    pub files: usize,
    /// Whether figures were written as PNG and PDF too.
    pub raster: Raster,
}

/// Outcome of writing figures as PNG and PDF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Raster {
    /// They were written.
    Yes,
    /// This machine has no font, without which the figures would have no text.
    NoFont,
    /// This build is without the feature `plots`.
    #[default]
    NotBuilt,
}

/// Error of [`write()`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is a file that may not be replaced.
    #[error("{path}: already exists and is not a report; it is not replaced", path = path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// There is something that is never replaced, such as a folder or a device.
    #[error("{path}: already exists and is not a file", path = path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// The file cannot be written, or what is there cannot be looked at.
    #[error("{path}: cannot be written: {source}", path = path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file has a part that cannot be written from the records.
    #[error("{path}: {source}", path = path.display())]
    Front {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        source: FrontError,
    },
    /// Two records have the same name.
    #[error("two of these records would both be written as {path}: rename one, or take fewer at once", path = path.display())]
    SameName {
        /// Path of the file that both would have.
        path: PathBuf,
    },
    /// A figure cannot be drawn as PNG or PDF.
    #[error("{path}: the figure cannot be drawn: {why}", path = path.display())]
    Draw {
        /// Path of the file.
        path: PathBuf,
        /// Error of the drawing library.
        why: String,
    },
    /// The serializer failed; finite numbers have no such error.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Files with their contents.
pub(crate) type Files = Vec<(PathBuf, Vec<u8>)>;

/// Writes some records in one form, and returns its text or the number of its files.
///
/// Folders are created. All files are checked before one is written; each is written whole or not at all.
///
/// # Errors
/// [`WriteError`]. After an error of the operating system, the files before it are written.
pub fn write(
    records: &[Filed<'_>],
    output: &Output<'_>,
    overwrite: Overwrite,
) -> Result<Written, WriteError> {
    let mut raster = Raster::default();
    let mut filled = Files::new();
    let files: Files = match *output {
        Output::Text(format) => {
            return Ok(Written { text: text(records, format, None)?, ..Written::default() });
        }
        Output::File(format, path) => {
            vec![(path.to_owned(), text(records, format, Some(path))?.into_bytes())]
        }
        Output::HtmlPages(folder) => {
            let index = folder.join("index.html");
            let sources = sources(records, |path| from_folder_of(&index, path));
            in_folder(folder, results::html_pages(&sources))
        }
        Output::MarkdownPages { folder, front } => {
            let sources = sources(records, file_name);
            let rows = records.first().map(|(_, path)| path.with_file_name("front.txt")).unwrap_or_default();
            let lines = std::fs::read_to_string(&rows).unwrap_or_default();
            let pages = results::results(&sources, &lines)
                .map_err(|source| WriteError::Front { path: rows, source })?;
            for path in front {
                let named = |source| WriteError::Read { path: path.clone(), source };
                let text = std::fs::read_to_string(path).map_err(named)?;
                let to_folder = format!("{}/", from_folder_of(path, folder));
                let text = results::with_speed(&text, &sources, &lines, &to_folder)
                    .map_err(|source| WriteError::Front { path: path.clone(), source })?;
                filled.push((path.clone(), text.into_bytes()));
            }
            in_folder(folder, pages)
        }
        Output::Figures(folder) => {
            let mut files = Files::new();
            for (record, path) in records {
                let own = match records {
                    [_] => folder.to_owned(),
                    _ => folder.join(stem(path)),
                };
                raster = plots::files(record, &own, &mut files)?;
            }
            files
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
    // The user's own files, whose other parts stay as they are.
    for (path, bytes) in &filled {
        write_report(path, bytes, Overwrite::Files)?;
    }
    let is_figure = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "svg");
    let counted = |(path, _): &&(PathBuf, _)| !matches!(output, Output::Figures(_)) || is_figure(path);
    Ok(Written { text: String::new(), files: files.iter().filter(counted).count(), raster })
}

/// Returns some records as one text; `page` is the path of its file.
pub(crate) fn text(records: &[Filed<'_>], format: Format, page: Option<&Path>) -> Result<String, WriteError> {
    // A page and changes are not of the views of single records.
    let views: Vec<RecordView<'_>> = match format {
        Format::Html | Format::Changes(_) => Vec::new(),
        _ => records.iter().map(|(record, _)| RecordView::new(record)).collect(),
    };
    Ok(match format {
        Format::Summary(screen) => {
            views.iter().map(|view| screen.screen(&summary::of(view))).collect::<Vec<_>>().join("\n")
        }
        Format::Tables(screen) => views.iter().map(|view| screen.document(&document::of(view))).collect(),
        Format::Markdown => views.iter().map(|view| markdown::document(&document::of(view))).collect(),
        Format::Html => {
            let link = |path| page.map(|page| from_folder_of(page, path));
            let files: Vec<Option<String>> = records.iter().map(|(_, path)| link(path)).collect();
            let all = records.iter().zip(&files).map(|((record, _), file)| (*record, file.as_deref()));
            html::page(&all.collect::<Vec<_>>()).into_string()
        }
        Format::Csv => csv::results(&views.iter().map(json::results).collect::<Vec<_>>()),
        Format::Json => {
            let results: Vec<_> = views.iter().map(json::results).collect();
            serde_json::to_string_pretty(&results)? + "\n"
        }
        Format::Verdicts(form) => {
            let texts = views.iter().map(|view| comparison::verdicts(view, form));
            texts.collect::<Result<String, _>>()?
        }
        Format::Changes(form) => {
            let texts = records.windows(2).map(|two| comparison::changes(two[0].0, two[1].0, form));
            texts.collect::<Result<String, _>>()?
        }
    })
}

/// Returns the records with their names, the paths of their files in links, and their notes.
fn sources<'a>(records: &[Filed<'a>], link: impl Fn(&Path) -> String) -> Vec<Source<'a>> {
    let source = |(record, path): &Filed<'a>| {
        let name = stem(path);
        let note = std::fs::read_to_string(path.with_file_name(format!("{name}.txt"))).unwrap_or_default();
        Source { name, file: link(path), note, record: Cow::Borrowed(*record) }
    };
    records.iter().map(source).collect()
}

fn in_folder(folder: &Path, pages: Vec<Page>) -> Files {
    pages.into_iter().map(|page| (folder.join(page.path), page.text.into_bytes())).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the name of a record's file without its folder, `.json` and `.json.gz`.
pub fn stem(path: &Path) -> String {
    let name = file_name(path);
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".json").unwrap_or(name).to_owned()
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
