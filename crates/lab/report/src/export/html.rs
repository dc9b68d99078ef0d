//! One self-contained page of HTML for any number of sheets, without network. Its script only sorts and filters tables,
//! and without it nothing is missing.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::export::{address, svg};
use crate::format;
use crate::output::{GENERATOR, from_folder_of};
use crate::plot::Figure;
use crate::sheet::{Answer, Cell, Note, Part, Row, Sheet, Table, Tone};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Number of answers that are shown at once, and of lines on failures; the others are folded.
const CARDS: usize = 9;
/// Number of rows of a table that is shown without a height of its own.
const LONG: usize = 24;

/// Returns the page of some sheets, which is written to `page`.
pub(crate) fn page(sheets: &[Sheet], page: Option<&Path>) -> String {
    let heading = match sheets {
        [one] => title(one),
        all => format!("{} of the lab", format::counted(all.len(), "record")),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (heading) " · Parcrypt" }
                // The style sheet has other values of the same variables for print.
                style { (PreEscaped(svg::page_rules())) (PreEscaped(STYLE)) }
            }
            body {
                main {
                    @if sheets.len() > 1 {
                        header.page { p.eyebrow { "Parcrypt lab" } h1 { (heading) } }
                        nav { ul { @for (index, one) in sheets.iter().enumerate() {
                            li { a href=(format!("#r{index}")) { (title(one)) } }
                        } } }
                    }
                    @for (index, one) in sheets.iter().enumerate() { (sheet(one, index, page)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// Returns the title of a sheet, or its verdict.
fn title(sheet: &Sheet) -> String {
    match sheet.head.title.trim() {
        "" => format::one_line(&sheet.head.verdict.concat()),
        title => title.to_owned(),
    }
}

fn sheet(sheet: &Sheet, index: usize, page: Option<&Path>) -> Markup {
    let (head, [before, answer, after]) = (&sheet.head, &sheet.head.verdict);
    let sections = sections(sheet, page);
    html! {
        article id=(format!("r{index}")) {
            header.top {
                div {
                    @if !head.title.is_empty() { p.eyebrow { (sentence(&head.title)) } }
                    @for warning in &head.warnings { p.warning role="note" { (sentence(warning)) } }
                    h1.verdict { (sentence(before)) strong { (sentence(answer)) } span.sure { (sentence(after)) } }
                    @for answer in &sheet.conditions { p.failed[answer.tone != Tone::Plain] { (sentence(&answer.text[0])) } }
                    p.facts { (format::one_line(&head.facts)) }
                }
                @if let Some(chief) = &sheet.figure { (figure(chief)) }
            }
            nav.contents { details {
                summary { "Contents" }
                ul { @for (anchor, title, _) in &sections { li { a href=(format!("#r{index}-{anchor}")) { (title) } } } }
            } }
            @for (anchor, title, body) in &sections {
                section id=(format!("r{index}-{anchor}")) { h2 { (title) } (body) }
            }
        }
    }
}

/// Returns the parts of a sheet that are not empty: the last part of the anchor, the title, the contents.
fn sections(sheet: &Sheet, page: Option<&Path>) -> Vec<(&'static str, &'static str, Markup)> {
    let run = &sheet.run;
    let results = html! {
        @if !sheet.rows.rows.is_empty() { (table(&sheet.rows)) }
        @for note in &sheet.notes { (self::note(note)) }
        @for of in &sheet.tables { (table(of)) }
    };
    let about = html! { @for paragraph in &run.about { p.about { (sentence(paragraph)) } } };
    let method = html! { @for (name, text) in &run.method { p { strong { (name) } " " (sentence(text)) } } };
    let facts = html! { @for (name, value) in &run.facts { dt { (name) } dd { (format::one_line(value)) } } };
    let cases = html! { @if sheet.cases.len() > 1 { @for part in &sheet.cases { (case(part)) } } };
    let all = [
        ("results", "Results", results),
        ("answers", "Questions", folded(&sheet.answers, CARDS, ("short", "question"), card)),
        ("cases", "All entries", cases),
        ("about", "What was measured", html! { @if !run.about.is_empty() { div.prose { (about) } } }),
        ("method", "How to read this", html! { div.prose { (method) } }),
        ("machine", "Machine and build", html! { dl { (facts) } }),
        ("repeat", "Repeat it", repeat(sheet, page)),
    ];
    all.into_iter().filter(|(_, _, body)| !body.0.is_empty()).collect()
}

/// Returns some items in a box of this class, and below it the others, folded and with their number.
fn folded<T>(all: &[T], shown: usize, (class, noun): (&str, &str), item: impl Fn(&T) -> Markup) -> Markup {
    let (first, more) = all.split_at(shown.min(all.len()));
    let group = |items: &[T]| html! { div class=(class) { @for one in items { (item(one)) } } };
    html! {
        @if !first.is_empty() { (group(first)) }
        @if !more.is_empty() {
            details { summary { (format::counted(more.len(), &format!("more {noun}"))) } (group(more)) }
        }
    }
}

/// Returns a sentence with no-break spaces between numbers and percent signs, and what is in backticks as code.
fn sentence(text: &str) -> Markup {
    let text = format::one_line(text).replace(" %", "\u{a0}%");
    html! { @for (is_code, part) in format::spans(&text) {
        @if is_code { code { (part) } } @else { (part) }
    } }
}

fn note(note: &Note) -> Markup {
    html! {
        p.note.failed[note.tone == Tone::Failed] { (sentence(&note.text)) }
        @if !note.output.is_empty() { pre tabindex="0" { code { (format::lines(&note.output.join("\n"))) } } }
    }
}

/// Returns a question with its answer and how sure that is.
fn card(answer: &Answer) -> Markup {
    html! {
        div.card {
            h3 { (sentence(&answer.ask)) }
            p.verdict { strong { (sentence(&answer.text[0])) } " " span.sure { (sentence(&answer.text[1])) } }
            @if !answer.claim.is_empty() { p.worse[answer.tone == Tone::Worse] { (sentence(&answer.claim)) } }
            p.note { (sentence(&answer.basis)) }
            @if !answer.groups.is_empty() {
                details {
                    summary { "By each label, number of threads and size" }
                    ul { @for group in &answer.groups { li { (sentence(group)) } } }
                }
            }
        }
    }
}

fn figure(figure: &Figure) -> Markup {
    html! { figure { (svg::inline(figure)) figcaption { (sentence(&figure.caption)) } } }
}

fn case(part: &Part) -> Markup {
    let [before, answer, after] = &part.verdict;
    html! {
        details.case {
            summary {
                span.size { (part.title) }
                span.says { (sentence(before)) strong { (sentence(answer)) } (sentence(after)) }
            }
            @for of in &part.tables { (table(of)) }
            @for note in &part.notes { p.note { (sentence(note)) } }
        }
    }
}

/// Returns the command line, the plan, and a link to the file of the record, with the command that prints its values.
fn repeat(sheet: &Sheet, page: Option<&Path>) -> Markup {
    let file = &sheet.run.file;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let words = ["parlab", "report", &name, "--json"].map(str::to_owned);
    html! {
        @if !sheet.run.command.is_empty() { pre tabindex="0" { code { (format::lines(&sheet.run.command)) } } }
        @if !sheet.run.plan.is_empty() {
            details {
                summary { "The plan as it ran" }
                pre tabindex="0" { code { (format::lines(&sheet.run.plan)) } }
            }
        }
        @if let Some(page) = page {
            p {
                "The record, with all that this page is made from: "
                a href=(format!("./{}", address(&from_folder_of(page, file)))) { (format::one_line(&name)) }
                ". Each value with its interval, as JSON, or as a table by " code.flag { "--csv" } ":"
            }
            pre tabindex="0" { code { (format::lines(&format::command_line(&words))) } }
        }
    }
}

fn table(of: &Table) -> Markup {
    let label = if of.title.is_empty() { of.what } else { &of.title };
    html! {
        @if !of.title.is_empty() { p.note { (sentence(&of.title)) } }
        div.scroll.long[of.rows.len() > LONG] tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr {
                    th scope="col" { (format::capital(of.what)) }
                    @for column in &of.columns {
                        th.number[column.is_number] scope="col" { (format::capital(&column.heading)) }
                    }
                } }
                tbody { @for row in &of.rows { (self::row(row, of)) } }
            }
        }
    }
}

fn row(row: &Row, of: &Table) -> Markup {
    html! {
        tr.baseline[row.is_baseline] {
            th scope="row" {
                (row.what)
                @if !row.tag.is_empty() { " " span.tag { (row.tag) } }
                @if !row.about.is_empty() { span.interval.about { (row.about) } }
            }
            @if let Some((why, failed)) = &row.missing {
                td.reason.failed[*failed] colspan=(of.columns.len()) { (sentence(why)) }
            } @else {
                @for (column, cell) in of.columns.iter().zip(&row.cells) {
                    td.number[column.is_number] data-value=[cell.value.map(|value| value.value)] { (contents(cell)) }
                }
            }
        }
    }
}

fn contents(cell: &Cell) -> Markup {
    let tone = match cell.tone {
        Tone::Plain | Tone::Failed => None,
        Tone::Better => Some("better"),
        Tone::Worse => Some("worse"),
        Tone::Muted => Some("muted"),
    };
    html! {
        @match tone {
            Some(tone) => span class=(tone) { (sentence(&cell.text)) },
            None => (sentence(&cell.text)),
        }
        @for bounds in [&cell.bounds, &cell.small].into_iter().filter(|bounds| !bounds.is_empty()) {
            span.interval { (sentence(bounds)) }
        }
    }
}
