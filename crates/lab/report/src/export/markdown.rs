//! Documents in Markdown. Markup characters in a record's texts are escaped.

use comfy_table::{CellAlignment, presets};

use crate::document::{Block, Span};
use crate::format;
use crate::view::tables::{Cell, Table};

/// Returns the document as Markdown.
pub(crate) fn document(blocks: &[Block]) -> String {
    let blocks = blocks.iter().map(|block| match block {
        Block::Heading(level, text) => format!("{} {}\n", "#".repeat(*level), plain(text)),
        Block::Paragraph(spans) => spans.iter().map(span).collect::<String>() + "\n",
        Block::List(items) => items.iter().map(|item| format!("- {}\n", plain(item))).collect(),
        Block::Output(lines) => output(lines),
        Block::Table(of) => table(of),
        Block::Figure(path, caption) => figure(path, caption),
        Block::Details(summary, blocks) => {
            let inside = document(blocks);
            format!("<details><summary>{}</summary>\n\n{inside}\n</details>\n", plain(summary))
        }
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Returns a figure in a file, with its caption below.
fn figure(path: &str, caption: &str) -> String {
    // The caption says what the image shows.
    let image = maud::html! { img src=(address(path)) alt=""; };
    format!("{}\n\n{}\n", image.into_string(), plain(caption))
}

/// Returns untrusted lines as a list, because a block of code would end where they say so.
fn output(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {}\n", plain(&parcrypt_protocol::escape::escaped(line)))).collect()
}

fn span(span: &Span) -> String {
    match span {
        Span::Plain(text) => plain(text),
        Span::Strong(text) if text.is_empty() => String::new(),
        Span::Strong(text) | Span::Failed(text) => format!("**{}**", plain(text)),
    }
}

/// Returns the address of a file, with the characters encoded that would end it.
pub(crate) fn address(path: &str) -> String {
    let mut address = String::new();
    for c in path.chars() {
        match c {
            '%' | '(' | ')' | '<' | '>' | '\\' | '|' | '`' | ' ' | ',' => {
                address += &format!("%{:02X}", u32::from(c));
            }
            c if format::one_line(c.encode_utf8(&mut [0; 4])) == " " => {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| address += &format!("%{byte:02X}"));
            }
            c => address.push(c),
        }
    }
    address
}

/// Returns an untrusted text on one line, with markup characters escaped, and what is in backticks as code.
pub(crate) fn plain(text: &str) -> String {
    let line = format::one_line(text);
    let spans = format::spans(&line).into_iter();
    // In a cell of a table a bar in code needs its backslash too.
    let written = |(is_code, part): (bool, String)| match is_code {
        true => format!("`{}`", part.replace('|', "\\|")),
        false => escaped(&part),
    };
    spans.map(written).collect()
}

/// Returns a text without backticks with its markup characters escaped.
fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\\' | '*' | '_' | '|' | '~' | '#' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '(' if escaped.ends_with(']') => escaped.push_str("\\("),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a table, padded so that its source is readable.
fn table(of: &Table) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(of.columns.iter().map(|column| plain(&column.heading)));
    for row in &of.rows {
        table.add_row(row.cells.iter().flat_map(cell));
    }
    for (index, column) in of.columns.iter().enumerate() {
        if let Some(drawn) = table.column_mut(index).filter(|_| column.number) {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// Returns the text of a cell, and dashes for the other columns that it spans on a page.
fn cell(cell: &Cell) -> Vec<String> {
    spread(cell, plain(&cell.text) + &plain(&tail(cell)))
}

/// Returns the tag and the bounds that follow the text of a cell.
pub(crate) fn tail(cell: &Cell) -> String {
    let tag = if cell.tag.is_empty() { String::new() } else { format!(" ({})", cell.tag) };
    let bounds = if cell.bounds.is_empty() { String::new() } else { format!(" {}", cell.bounds) };
    tag + &bounds
}

/// Returns a cell for each column that it spans: `text` in the second, dashes in the others.
pub(crate) fn spread(cell: &Cell, text: String) -> Vec<String> {
    let mut cells = vec!["–".to_string(); cell.columns.max(1)];
    let place = usize::from(cells.len() > 1);
    cells[place] = text;
    cells
}
