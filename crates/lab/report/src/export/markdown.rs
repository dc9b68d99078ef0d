//! Sheets in Markdown, for a page or a comment on a pull request. Markup characters in a record's texts are escaped,
//! and names are code.

use comfy_table::{CellAlignment, presets};

use crate::export::address;
use crate::format;
use crate::sheet::{Cell, Sheet, Table, Tone};

/// Maximum number of answers; the record has the others.
const ANSWERS: usize = 6;

/// Returns a sheet in Markdown, whose heading has this level, with the path of its first figure if there is one. A page
/// of its own, of level 1, is short, and leaves to the record what a comment folds.
pub(crate) fn sheet(sheet: &Sheet, level: usize, figure: Option<&str>) -> String {
    let head = &sheet.head;
    let mut blocks = vec![format!("{} {}", "#".repeat(level), plain(&head.verdict.concat()))];
    blocks.extend((!head.title.is_empty()).then(|| strong(&head.title)));
    blocks.extend(sheet.conditions.iter().map(|answer| strong(&answer.text[0])));
    blocks.extend(head.warnings.iter().map(|warning| strong(warning)));
    blocks.extend(sheet.run.about.iter().map(|text| plain(text)));
    if let Some((path, figure)) = figure.zip(sheet.figure.as_ref()) {
        // The caption says what the image shows.
        let image = maud::html! { img src=(address(path)) alt=""; };
        blocks.extend([image.into_string(), plain(&figure.caption)]);
    }
    blocks.push(plain(&head.facts));
    let (folded, shown): (Vec<_>, Vec<_>) = sheet.rows.rows.iter().partition(|row| row.is_folded);
    if !shown.is_empty() {
        blocks.push(table(&sheet.rows, |row| !row.is_folded));
    }
    let noun = if shown.is_empty() { "row" } else { "more row" };
    match (level, format::counted(folded.len(), noun)) {
        _ if folded.is_empty() => {}
        (1, more) => blocks.push(format!("{more} in the record.")),
        (_, more) => blocks.push(details(&more, &table(&sheet.rows, |row| row.is_folded))),
    }
    blocks.extend(sheet.tables.iter().map(|of| table(of, |_| true)));
    let answers = sheet.answers.iter().map(|answer| format!("- {}", plain(&answer.line())));
    let answers: Vec<String> = answers.collect();
    if !answers.is_empty() {
        let more = answers.len().saturating_sub(ANSWERS);
        let more = (more > 0).then(|| format!("- {} in the record", format::counted(more, "further answer")));
        blocks.push(answers.into_iter().take(ANSWERS).chain(more).collect::<Vec<_>>().join("\n"));
    }
    for note in &sheet.notes {
        blocks.push(if note.tone == Tone::Failed { strong(&note.text) } else { plain(&note.text) });
        // A block of code would end where untrusted lines say so.
        let line = |line: &String| format!("- {}", plain(&parcrypt_protocol::escape::escaped(line)));
        blocks.extend(
            (!note.output.is_empty()).then(|| note.output.iter().map(line).collect::<Vec<_>>().join("\n")),
        );
    }
    if let Some(file) = sheet.run.file.file_name() {
        let report = ["parlab".into(), "report".into(), file.to_string_lossy().into_owned()];
        let again = match sheet.run.command.is_empty() {
            true => String::new(),
            false => format!("To repeat it: {}. ", code(&sheet.run.command)),
        };
        blocks.push(format!("{again}All entries and rounds: {}.", plain(&format::command_line(&report))));
    }
    blocks.join("\n\n") + "\n"
}

fn strong(text: &str) -> String {
    format!("**{}**", plain(text))
}

fn details(summary: &str, inside: &str) -> String {
    format!("<details><summary>{}</summary>\n\n{inside}\n\n</details>", plain(summary))
}

/// Returns an untrusted text on one line, with markup characters escaped, and what is in backticks as code.
fn plain(text: &str) -> String {
    let line = format::one_line(text);
    let written = |(is_code, part): (bool, String)| if is_code { code(&part) } else { escaped(&part) };
    format::spans(&line).into_iter().map(written).collect()
}

/// Returns an untrusted text as code, whatever it holds, on one line.
fn code(text: &str) -> String {
    let text = format::one_line(text);
    if text.trim().is_empty() {
        return String::new();
    }
    let runs = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(runs + 1);
    let space = if runs > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns a text without backticks with its markup characters escaped, so that it mentions nobody either.
fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\\' | '*' | '_' | '~' | '#' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("@<!-- -->"),
            '(' | ':' if escaped.ends_with(']') => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the rows of a table that are `shown`, padded so that its source is readable.
fn table(of: &Table, shown: impl Fn(&crate::sheet::Row) -> bool) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let headings = of.columns.iter().map(|column| plain(&column.heading).replace('|', "\\|"));
    table.set_header(std::iter::once(of.what.to_owned()).chain(headings));
    for row in of.rows.iter().filter(|row| shown(row)) {
        let tag = if row.tag.is_empty() { String::new() } else { format!(" ({})", row.tag) };
        let cell = |cell: Option<&Cell>| cell.map_or("–".to_owned(), |cell| plain(&cell.whole()));
        let mut cells: Vec<String> = (0..of.columns.len()).map(|at| cell(row.cells.get(at))).collect();
        if let (Some((why, _)), Some(last)) = (&row.missing, cells.last_mut()) {
            *last = plain(&format::cut(why, 80));
        }
        let cells = std::iter::once(code(&row.what) + &tag).chain(cells);
        // A bar in code needs its backslash too.
        table.add_row(cells.map(|cell| cell.replace('|', "\\|")));
    }
    for (at, _) in of.columns.iter().enumerate().filter(|(_, column)| column.is_number) {
        if let Some(drawn) = table.column_mut(at + 1) {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    let title = if of.title.is_empty() { String::new() } else { plain(&of.title) + "\n\n" };
    title + &table.trim_fmt()
}
