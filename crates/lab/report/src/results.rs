//! Pages of results, written from records: one for each record, an index, and the speed compared with other libraries.

mod parts;
mod speed;

use parcrypt_lab::record::Record;

use crate::document::{self, Block, Span, sentence};
use crate::export::html;
use crate::export::markdown;
use crate::export::svg::{self, Paper, Place};
use crate::figures::drawing::Drawing;
use crate::figures::{self, Figure};
use crate::output::GENERATED;
use crate::sentences::About;
use crate::view::tables::{Cell, Row, Table, text};
use crate::view::{CaseView, RecordView, Series};
use crate::{format, sentences};

pub use speed::{FrontError, with_speed};

/// A record with the names of its files.
#[derive(Debug)]
pub struct Source {
    /// Name of the record's file without folder and endings, which is also the name of its page.
    pub name: String,
    /// Path of the record's file from the folder of the pages, for their links.
    pub file: String,
    /// Text for the page in addition to the record; may be empty.
    pub note: String,
    /// The record.
    pub record: Record,
}

/// A file of the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Path in the folder of the results.
    pub path: String,
    /// Its contents.
    pub text: String,
}

/// Number of figures of a series that its page shows.
const SHOWN: usize = 2;

/// Returns all files of the results: a page for each record with its figures, `README.md`, which lists them,
/// `speed.md`, and `front.svg` with `front-dark.svg`. The same records give the same bytes.
///
/// `rows` are the rows of the front picture, at most eight, all measured on one machine: lines such as
/// `6 blobs verified = kzg-peers: kzg-verify-blob-batch, blobs 6`, with the name of a record and the title of a case.
/// Without any, the picture has a row for each workload of the first record's machine.
///
/// # Errors
/// [`FrontError`], if a row is none of a case in `speed.md`, or of another machine.
pub fn results(sources: &[Source], rows: &str) -> Result<Vec<Page>, FrontError> {
    let views: Vec<RecordView<'_>> = sources.iter().map(|source| RecordView::new(&source.record)).collect();
    let mut pages: Vec<Page> =
        sources.iter().zip(&views).flat_map(|(source, view)| page(source, view)).collect();
    let speeds = speed::Speeds::new(sources);
    pages.extend(speed::pages(&speeds, rows)?);
    pages.push(index(sources, &views));
    Ok(pages)
}

/// Returns the page of a record, and its figures in a folder with its name.
fn page(source: &Source, view: &RecordView<'_>) -> Vec<Page> {
    let record = &source.record;
    let verdict = sentences::verdict_of(view);
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
    let chief = figures::chief(view);
    let chief_name = chief.as_ref().map(|chief| chief.name.clone());
    blocks.extend(chief.map(|figure| Block::Figure(Box::new(figure))));
    let build = record.build.get("commit").map(|commit| format!(" · commit {commit}")).unwrap_or_default();
    blocks.push(Block::Paragraph(vec![
        Span::Plain(format!("{}{build} · record ", sentences::circumstances(record))),
        Span::Link(source.file.clone(), source.file.clone()),
    ]));
    document::findings(view, &mut blocks);
    document::questions(view, verdict.about, &mut blocks);
    blocks.extend(figures::questions(view).into_iter().skip(1).map(|figure| Block::Figure(Box::new(figure))));
    for series in &view.series {
        self::series(view, series, verdict.about, chief_name.as_deref(), &mut blocks);
    }
    document::over_cases(view, &mut blocks);
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
    blocks.extend(sentences::skipped(view).map(sentence));
    let mut pages = Vec::new();
    let folder = format!("{}/", source.name);
    figures_of(&blocks, &folder, &mut pages);
    let text = GENERATED.to_string() + &markdown::document(&blocks, &|figure| picture(figure, &folder));
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
    // Before the two programs were separate, parcrypt had this command too.
    if words.iter().take(2).eq(["parcrypt", "compare"]) {
        words[0] = "parlab".to_owned();
    }
    // What follows `--` belongs to a command that was compared.
    if let Some(at) = words.iter().take_while(|word| *word != "--").position(|word| word == "--out") {
        words.drain(at..words.len().min(at + 2));
    }
    format::command_line(&words)
}

/// Adds a series: the sentences on its cases, its first figures, and the tables of all cases. What the verdict is
/// about, and the figure beside it, are not repeated.
fn series(
    view: &RecordView<'_>,
    series: &Series,
    about: About,
    chief: Option<&str>,
    blocks: &mut Vec<Block>,
) {
    let shown = series.cases.iter().filter(|index| !view.cases[**index].is_unsupported());
    let shown: Vec<usize> = shown.copied().collect();
    let cases: Vec<&CaseView<'_>> = shown.iter().map(|index| &view.cases[*index]).collect();
    let is_only = |index: usize| about == About::Case(index) && view.shown().len() == 1;
    match (shown.as_slice(), cases.as_slice()) {
        ([], _) => return,
        ([index], _) if is_only(*index) => blocks.push(Block::Heading(2, "All rounds".into())),
        (_, [one]) => blocks.extend([Block::Heading(2, series.title.clone()), document::headline(one)]),
        (_, all) => {
            let says = |case: &&CaseView<'_>| format!("{}: {}", case.title, case.headline);
            blocks.push(Block::Heading(2, series.title.clone()));
            blocks.push(Block::List(all.iter().map(says).collect()));
        }
    }
    let chosen = chosen(view, series).into_iter().filter(|figure| Some(figure.name.as_str()) != chief);
    blocks.extend(chosen.map(|figure| Block::Figure(Box::new(figure))));
    let mut tables = Vec::new();
    for case in &cases {
        if cases.len() > 1 {
            tables.push(Block::Heading(3, case.title.clone()));
        }
        document::tables_of(case, &mut tables);
    }
    match cases.len() {
        1 => blocks.extend(tables),
        all => blocks.push(Block::Details(format!("Tables of {}", format::counted(all, "case")), tables)),
    }
}

/// Returns the most informative figures of a series.
fn chosen(view: &RecordView<'_>, series: &Series) -> Vec<Figure> {
    let roofline =
        |index: &usize| figures::of_case(view, series, &view.cases[*index]).rooflines.into_iter().next();
    let rooflines: Vec<Figure> = series.cases.iter().filter_map(roofline).take(SHOWN).collect();
    if !rooflines.is_empty() {
        return rooflines;
    }
    let over = figures::of_series(view, series);
    let mut found: Vec<Figure> = over.speeds.into_iter().take(SHOWN).collect();
    if found.is_empty() {
        found.extend(over.values.into_iter().take(SHOWN));
    }
    let Some(chief) = view.chief(series).filter(|_| found.is_empty()) else { return found };
    let of = figures::of_case(view, series, chief);
    found.extend(if chief.case.steps { of.steps } else { None });
    // Rounds show the ratios too.
    found.extend(of.strips.into_iter().chain(of.forests).take(1));
    found
}

/// Adds the files of the figures of some blocks.
fn figures_of(blocks: &[Block], folder: &str, pages: &mut Vec<Page>) {
    for block in blocks {
        match block {
            Block::Figure(figure) => pages.extend(pair(&figure.drawing, &format!("{folder}{}", figure.name))),
            Block::Details(_, blocks) => figures_of(blocks, folder, pages),
            _ => {}
        }
    }
}

/// Returns a drawing on light and on dark background.
fn pair(drawing: &Drawing, path: &str) -> [Page; 2] {
    [("", Paper::Light), ("-dark", Paper::Dark)].map(|(ending, paper)| Page {
        path: format!("{path}{ending}.svg"),
        text: svg::file(drawing, Place::Page, paper),
    })
}

/// Returns the Markdown of a figure: its light and its dark file, and its caption.
fn picture(figure: &Figure, folder: &str) -> String {
    let path = markdown::address(&format!("{folder}{}", figure.name));
    let picture = maud::html! {
        picture {
            source media="(prefers-color-scheme: dark)" srcset=(format!("{path}-dark.svg"));
            img src=(format!("{path}.svg")) alt=(format::one_line(&figure.caption));
        }
    };
    format!("{}\n\n{}\n", picture.into_string(), markdown::plain(&figure.caption))
}

/// Returns the first sentence of a note, in parentheses; empty where there is no note.
fn first_sentence(note: &str) -> String {
    let note = sentences::paragraphs(note).into_iter().next().unwrap_or_default();
    match note.split(". ").next().unwrap_or_default().trim_end_matches('.') {
        "" => String::new(),
        first => format!("({first})"),
    }
}

/// Returns a page of HTML for each record, and `index.html`, which lists them, the newest first.
pub fn html_pages(sources: &[Source]) -> Vec<Page> {
    let mut sources: Vec<&Source> = sources.iter().collect();
    sources.sort_by(|a, b| b.record.started.cmp(&a.record.started));
    let views: Vec<RecordView<'_>> = sources.iter().map(|source| RecordView::new(&source.record)).collect();
    let list = list(sources.iter().copied().zip(&views), "html");
    let page = |(source, view): (&&Source, &RecordView<'_>)| Page {
        path: format!("{}.html", source.name),
        text: html::page_of(view, source).into_string(),
    };
    let mut pages: Vec<Page> = sources.iter().zip(&views).map(page).collect();
    pages.push(Page { path: "index.html".into(), text: html::index(&list).into_string() });
    pages
}

/// Returns a table of records with links to their pages, which have this ending.
fn list<'a>(records: impl Iterator<Item = (&'a Source, &'a RecordView<'a>)>, ending: &str) -> Table {
    let day = |record: &Record| record.started.split('T').next().unwrap_or_default().to_string();
    let row = |(source, view): (&Source, &RecordView<'_>)| {
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
fn index(sources: &[Source], views: &[RecordView<'_>]) -> Page {
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
    Page {
        path: "README.md".into(),
        text: GENERATED.to_string() + &markdown::document(&blocks, &|_| String::new()),
    }
}
