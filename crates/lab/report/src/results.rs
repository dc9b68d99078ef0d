//! Pages of results, written from records: one for each record, an index, and the speed compared with other libraries.

mod parts;
mod speed;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use parcrypt_lab::record::Record;

use crate::document::{self, Block, Span, sentence};
use crate::error::{FrontError, WriteError};
use crate::export::html;
use crate::export::markdown;
use crate::export::svg::{self, Place};
use crate::figures::drawing::Drawing;
use crate::figures::{self, Figure};
use crate::output::{Filed, Files, GENERATED, file_name, from_folder_of, stem};
use crate::sentences::About;
use crate::view::tables::{Cell, Row, Table, text};
use crate::view::{CaseView, RecordView, Series};
use crate::{format, sentences, suite};

pub(crate) use speed::with_speed;

/// A record with the names of its files.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// Name of the record's file without folder and endings, which is also the name of its page.
    pub(crate) name: String,
    /// Path of the record's file from the folder of the pages, for their links.
    pub(crate) file: String,
    /// Text for the page in addition to the record; may be empty.
    pub(crate) note: String,
    /// The record.
    pub(crate) record: Cow<'a, Record>,
}

/// A file of the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Path in the folder of the results.
    pub(crate) path: String,
    /// Its contents.
    pub(crate) text: String,
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

/// Returns [`html_pages`] as files of a folder.
pub(crate) fn html_files(records: &[Filed<'_>], folder: &Path) -> Files {
    let index = folder.join("index.html");
    in_folder(folder, html_pages(&sources(records, |path| from_folder_of(&index, path))))
}

/// Returns [`results`] as files of the records' folder, and some files [`with_speed`].
pub(crate) fn markdown_files(
    records: &[Filed<'_>],
    folder: &Path,
    front: &[PathBuf],
) -> Result<(Files, Files), WriteError> {
    let sources = sources(records, file_name);
    let path = records.first().map(|(_, path)| path.with_file_name("front.txt")).unwrap_or_default();
    let rows = std::fs::read_to_string(&path).unwrap_or_default();
    let pages = results(&sources, &rows).map_err(|source| WriteError::Front { path, source })?;
    let fill = |path: &PathBuf| {
        let text = std::fs::read_to_string(path)
            .map_err(|source| WriteError::Read { path: path.clone(), source })?;
        let filled = with_speed(&text, &sources, &rows, &format!("{}/", from_folder_of(path, folder)));
        match filled {
            Ok(text) => Ok((path.clone(), text.into_bytes())),
            Err(source) => Err(WriteError::Front { path: path.clone(), source }),
        }
    };
    Ok((in_folder(folder, pages), front.iter().map(fill).collect::<Result<_, _>>()?))
}

/// Maximum number of figures of a page.
const FIGURES: usize = 3;

/// Returns all files of the results: a page for each record with its figures, `README.md`, which lists them,
/// `speed.md`, and `front.svg`. The same records give the same bytes.
///
/// `rows` are the rows of the front picture, at most eight, all measured on one machine: lines such as
/// `6 blobs verified = kzg-peers: kzg-verify-blob-batch, blobs 6`, with the name of a record and the title of a case.
/// Without any, the picture has a row for each workload of the first record's machine.
///
/// # Errors
/// [`FrontError`], if a row is none of a case in `speed.md`, or of another machine.
pub(crate) fn results(sources: &[Source<'_>], rows: &str) -> Result<Vec<Page>, FrontError> {
    let views: Vec<RecordView<'_>> = sources.iter().map(|source| RecordView::new(&source.record)).collect();
    let mut pages: Vec<Page> =
        sources.iter().zip(&views).flat_map(|(source, view)| page(source, view)).collect();
    let speeds = speed::Speeds::new(sources);
    pages.extend(speed::pages(&speeds, rows)?);
    pages.push(index(sources, &views));
    Ok(pages)
}

/// Returns the page of a record, and its figures, at most [`FIGURES`], in a folder with its name.
fn page(source: &Source<'_>, view: &RecordView<'_>) -> Vec<Page> {
    let record = &source.record;
    let verdict = sentences::verdict_of(view);
    let suite = suite::of(record);
    let (mut pages, mut chosen) = (Vec::new(), chosen(view));
    // Adds the figures of a series, or of the verdict.
    let mut figures = |series: Option<usize>, blocks: &mut Vec<Block>| {
        for (_, figure) in chosen.extract_if(.., |(of, _)| *of == series) {
            let (page, block) = shown(&figure, &format!("{}/", source.name));
            pages.push(page);
            blocks.push(block);
        }
    };
    let mut blocks =
        vec![Block::Heading(1, verdict.to_string()), document::strong(document::title(record), "")];
    blocks.extend(sentences::alarms(view).into_iter().map(|alarm| document::strong(alarm, "")));
    document::partial(view, &mut blocks);
    if !source.note.is_empty() {
        blocks.extend(
            sentences::paragraphs(&source.note)
                .into_iter()
                .map(|note| document::strong("Note:", format!(" {note}"))),
        );
    }
    figures(None, &mut blocks);
    let of_build = |commit: &String| format!(" · {} {commit}", sentences::of_build(record, "commit"));
    let build = record.build.get("commit").map(of_build).unwrap_or_default();
    blocks.push(Block::Paragraph(vec![
        Span::Plain(format!("{}{build} · record ", sentences::circumstances(record))),
        Span::Link(source.file.clone(), source.file.clone()),
    ]));
    match &suite {
        Some(suite) => blocks.extend(suite.page()),
        None => {
            document::questions(view, verdict.about, &mut blocks);
            for (index, series) in view.series.iter().enumerate() {
                let tables = self::series(view, series, verdict.about, &mut blocks);
                figures(Some(index), &mut blocks);
                blocks.extend(tables);
            }
            document::over_cases(view, &mut blocks);
        }
    }
    let about = sentences::paragraphs(&record.about);
    if !about.is_empty() {
        blocks.push(Block::Heading(2, "What was measured".into()));
        blocks.extend(about.into_iter().map(sentence));
    }
    blocks.push(Block::Heading(2, "How to read this".into()));
    document::trust(view, &mut blocks);
    if view.cases.iter().any(|case| case.case.measure.is_time()) {
        blocks.push(sentence(sentences::method(record)));
    }
    if !record.command.is_empty() {
        let command = command(record);
        blocks.push(sentence(format!("To repeat it: {command}{}", sentences::plan_may_differ(record))));
    }
    let all = figures::all(view).len();
    if all > pages.len() {
        let page = format!("{}.html", source.name);
        let words = ["parlab", "report", &source.file, "--out", &page].map(String::from);
        blocks.push(sentence(format!("All {all} figures: {}", format::command_line(&words))));
    }
    blocks.extend(sentences::skipped(view).filter(|_| suite.is_none()).map(sentence));
    let text = GENERATED.to_string() + &markdown::document(&blocks);
    pages.push(Page { path: format!("{}.md", source.name), text });
    pages
}

/// Returns the command line that made a record, without paths of the machine: the folder of the program, and the one
/// into which the files were written.
fn command(record: &Record) -> String {
    let mut words = record.command.clone();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    // What follows `--` belongs to a command that was compared.
    if let Some(at) = words.iter().take_while(|word| *word != "--").position(|word| word == "--out") {
        words.drain(at..words.len().min(at + 2));
    }
    format::command_line(&words)
}

/// Adds the sentences on the cases of a series, without what the verdict is about, and returns the tables of all cases.
fn series(view: &RecordView<'_>, series: &Series, about: About, blocks: &mut Vec<Block>) -> Vec<Block> {
    let shown = series.cases.iter().filter(|index| !view.cases[**index].is_unsupported());
    let shown: Vec<usize> = shown.copied().collect();
    let cases: Vec<&CaseView<'_>> = shown.iter().map(|index| &view.cases[*index]).collect();
    let is_only = |index: usize| about == About::Case(index) && view.shown().len() == 1;
    match (shown.as_slice(), cases.as_slice()) {
        ([], _) => return Vec::new(),
        ([index], _) if is_only(*index) => blocks.push(Block::Heading(2, "All rounds".into())),
        (_, [one]) => blocks.extend([Block::Heading(2, series.title.clone()), document::headline(one)]),
        (_, all) => {
            let says = |case: &&CaseView<'_>| format!("{}: {}", case.title, case.headline);
            blocks.push(Block::Heading(2, series.title.clone()));
            blocks.push(Block::List(all.iter().map(says).collect()));
        }
    }
    let mut tables = Vec::new();
    for case in &cases {
        if cases.len() > 1 {
            tables.push(Block::Heading(3, case.title.clone()));
        }
        document::tables_of(case, &mut tables);
    }
    match cases.len() {
        1 => tables,
        all => vec![Block::Details(format!("Tables of {}", format::counted(all, "case")), tables)],
    }
}

/// Returns the figures of a page with the index of their series: the ratios of the verdict and of other questions, then
/// curves, rooflines and steps, then rounds. Each workload has its first figure before any has a second, because a page
/// has room for few.
fn chosen(view: &RecordView<'_>) -> Vec<(Option<usize>, Figure)> {
    if view.record.suite.is_some() {
        return figures::chief(view).into_iter().map(|figure| (None, figure)).collect();
    }
    let chief = figures::chief(view).into_iter();
    let mut found: Vec<_> =
        chief.chain(figures::questions(view).into_iter().skip(1)).map(|figure| (None, figure)).collect();
    let workload = |series: &Series| series.cases.first().map(|index| &view.cases[*index].case.workload);
    let mut ranked = Vec::new();
    for (index, series) in view.series.iter().enumerate() {
        let same = view.series[..index].iter().filter(|other| workload(other) == workload(series)).count();
        for (place, figure) in telling(view, series).into_iter().enumerate() {
            let is_strip = matches!(figure.drawing, Drawing::Strip(_));
            ranked.push(((is_strip, place, same), (Some(index), figure)));
        }
    }
    ranked.retain(|(_, (_, figure))| found.iter().all(|(_, other)| other.name != figure.name));
    ranked.sort_by_key(|(rank, _)| *rank);
    found.extend(ranked.into_iter().map(|(_, figure)| figure));
    found.truncate(FIGURES);
    found
}

/// Returns the most telling figures of a series.
fn telling(view: &RecordView<'_>, series: &Series) -> Vec<Figure> {
    let over = figures::of_series(view, series);
    let mut found = over.speeds;
    if found.is_empty() {
        found = over.values;
    }
    let Some(chief) = view.chief(series).filter(|_| found.is_empty()) else { return found };
    let of = figures::of_case(view, series, chief);
    found.extend(if chief.case.steps { of.steps } else { None });
    // Rounds show the ratios too.
    found.extend(of.strips.into_iter().chain(of.forests).take(1));
    found
}

/// Returns a figure as a file in a folder, and the block that shows it.
fn shown(figure: &Figure, folder: &str) -> (Page, Block) {
    let path = format!("{folder}{}.svg", figure.name);
    let text = svg::file(&figure.drawing, Place::Page);
    (Page { path: path.clone(), text }, Block::Figure(path, figure.caption.clone()))
}

/// Returns the first sentence of a note, in parentheses; empty if there is no note.
fn first_sentence(note: &str) -> String {
    let note = sentences::paragraphs(note).into_iter().next().unwrap_or_default();
    match note.split(". ").next().unwrap_or_default().trim_end_matches('.') {
        "" => String::new(),
        first => format!("({first})"),
    }
}

/// Returns a page of HTML for each record, and `index.html`, which lists them, the newest first.
pub(crate) fn html_pages(sources: &[Source<'_>]) -> Vec<Page> {
    let mut sources: Vec<&Source<'_>> = sources.iter().collect();
    sources.sort_by(|a, b| b.record.started.cmp(&a.record.started));
    let views: Vec<RecordView<'_>> = sources.iter().map(|source| RecordView::new(&source.record)).collect();
    let list = list(sources.iter().copied().zip(&views), "html");
    let page = |(source, view): (&&Source<'_>, &RecordView<'_>)| Page {
        path: format!("{}.html", source.name),
        text: html::page_of(view, source).into_string(),
    };
    let mut pages: Vec<Page> = sources.iter().zip(&views).map(page).collect();
    pages.push(Page { path: "index.html".into(), text: html::index(&list).into_string() });
    pages
}

/// Returns a table of records with links to their pages, which have this ending.
fn list<'a>(records: impl Iterator<Item = (&'a Source<'a>, &'a RecordView<'a>)>, ending: &str) -> Table {
    let day = |record: &Record| record.started.split('T').next().unwrap_or_default().to_string();
    let row = |(source, view): (&Source<'_>, &RecordView<'_>)| {
        let record = &source.record;
        let processor = sentences::processor(&record.machine);
        let machine = match record.machine.cores {
            0 => processor,
            cores => format!("{processor}, {}", format::counted(cores, "core")),
        };
        let commit = record.build.get("commit").cloned().unwrap_or_default();
        let floor = view.floor.map_or("–".to_string(), format::percent);
        let asks = format!("{} {}", document::title(record), first_sentence(&source.note));
        let page = Cell { link: Some(format!("{}.{ending}", source.name)), ..Cell::new(&source.name) };
        let cells = [day(record), asks, machine, commit, crate::sentences::rounds(record), floor];
        let cells =
            std::iter::once(page).chain(cells.into_iter().map(|of| Cell::new(format::one_line(of.trim()))));
        Row { cells: cells.collect(), ..Row::default() }
    };
    let headings = ["page", "date", "what it asks", "machine", "commit", "rounds", "noise floor"];
    Table {
        title: "Pages".to_string(),
        columns: headings.map(text).into_iter().collect(),
        rows: records.map(row).collect(),
    }
}

/// Returns the list of all pages in Markdown.
fn index(sources: &[Source<'_>], views: &[RecordView<'_>]) -> Page {
    let table = list(sources.iter().zip(views), "md");
    let blocks = [
        Block::Heading(1, "Results".into()),
        sentence(
            "A page for each record, written from the record alone. Times are compared with 99 % intervals; the noise \
             floor is how far a program was from itself on that machine in that hour.",
        ),
        Block::Paragraph(vec![
            Span::Link("Speed next to other libraries".into(), "speed.md".into()),
            Span::Plain(
                " puts together what the records say of each crate and the best other library.".into(),
            ),
        ]),
        Block::Table(table),
        sentence(
            "make results writes these pages, and a step of .ci/run fails if they differ from the records.",
        ),
    ];
    Page { path: "README.md".into(), text: GENERATED.to_string() + &markdown::document(&blocks) }
}
