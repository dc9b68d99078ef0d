//! Documents for a terminal. Control characters in a record's texts are replaced.

use comfy_table::{Attribute, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};

use super::markdown::{spread, tail};
use crate::document::{Block, Span};
use crate::format;
use crate::view::tables::{Leaves, Row, Table, Tone};

/// Colours of a terminal's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// No colours.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// A line above, below and under the header, and no line between rows.
const RULED: TableStyle = {
    let line = LineStyle::none().fill('─').junction('─');
    TableStyle::new().top_border(line).header_separator(line).bottom_border(line)
};

/// Width and colours of a terminal.
#[derive(Clone, Copy)]
pub(crate) struct Terminal {
    /// Number of columns to fold at; `None` for as wide as the contents.
    pub(crate) width: Option<u16>,
    pub(crate) colour: Colour,
}

impl Terminal {
    /// Returns the document as text.
    pub(crate) fn document(self, blocks: &[Block]) -> String {
        let mut out = String::new();
        let mut blocks = blocks.iter().peekable();
        while let Some(block) = blocks.next() {
            out += &self.block(block);
            // No blank line follows a heading below level 1, or a sentence above its table.
            let next = blocks.peek();
            let close = match (block, next) {
                (Block::Heading(level, _), _) => *level > 1,
                (Block::Paragraph(_), Some(Block::Table(_) | Block::List(_) | Block::Output(_))) => true,
                (_, None) => true,
                _ => false,
            };
            if !close {
                out.push('\n');
            }
        }
        out
    }

    fn block(self, block: &Block) -> String {
        match block {
            Block::Heading(1, text) => {
                let line = "=".repeat(format::one_line(text).chars().count());
                format!("{}\n{line}\n", self.strong(text))
            }
            Block::Heading(_, text) => self.strong(text) + "\n",
            Block::Paragraph(spans) => {
                self.folded(&spans.iter().map(|span| self.span(span)).collect::<String>(), "")
            }
            Block::List(items) => items
                .iter()
                .map(|item| format!("  - {}", self.folded(&format::one_line(item), "    ")))
                .collect(),
            // Not folded, so that it can be searched for.
            Block::Output(lines) => lines
                .iter()
                .map(|line| format!("    {}\n", format::escaped(line).replace('\t', "    ")))
                .collect(),
            Block::Table(of) => self.table(of),
            Block::Figure(figure) => self.folded(&format::one_line(&figure.caption), ""),
            Block::Details(summary, blocks) => self.strong(summary) + "\n" + &self.document(blocks),
        }
    }

    fn span(self, span: &Span) -> String {
        match span {
            Span::Plain(text) => format::one_line(text),
            Span::Strong(text) => self.strong(text),
            Span::Link(text, to) => format::one_line(&format!("{text} ({to})")),
        }
    }

    fn strong(self, text: &str) -> String {
        let text = format::one_line(text);
        match self.colour {
            Colour::Ansi if !text.is_empty() => format!("\u{1b}[1m{text}\u{1b}[0m"),
            _ => text,
        }
    }

    /// Returns a text folded to the terminal's width.
    fn folded(self, text: &str, indent: &str) -> String {
        let Some(width) = self.width else { return format!("{text}\n") };
        let options = textwrap::Options::new(usize::from(width).saturating_sub(indent.len()).max(20))
            .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        // A number is kept on one line with its percent sign.
        let kept = text.replace(" %", "\u{a0}%");
        textwrap::wrap(&kept, options).join(&format!("\n{indent}")).replace("\u{a0}%", " %") + "\n"
    }

    /// Returns a table without the columns for which the terminal is too narrow; they are named below it.
    fn table(self, of: &Table) -> String {
        let mut left_out: Vec<Leaves> = Vec::new();
        if let Some(width) = self.width {
            // Rows without a result do not count: their reasons may be long, and are folded.
            let unfolded = Terminal { width: None, colour: Colour::Plain };
            let fits = |left_out: &[Leaves]| {
                let drawn = unfolded.drawn(of, left_out, |row| !row.without_result);
                drawn.lines().all(|line| line.chars().count() <= usize::from(width))
            };
            for leaves in Leaves::ALL {
                if of.columns.iter().any(|column| column.leaves == Some(leaves)) && !fits(&left_out) {
                    left_out.push(leaves);
                }
            }
        }
        let mut out = self.drawn(of, &left_out, |_| true);
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(|leaves| leaves.name()).collect();
            out += &self.folded(&format!("Not shown for want of width: {}.", names.join(", ")), "");
        }
        out
    }

    fn drawn(self, of: &Table, left_out: &[Leaves], shown: impl Fn(&Row) -> bool) -> String {
        let kept: Vec<bool> =
            of.columns.iter().map(|column| column.leaves.is_none_or(|of| !left_out.contains(&of))).collect();
        let mut table = comfy_table::Table::new();
        table.load_style(RULED);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(self.width.unwrap_or(u16::MAX));
        match self.colour {
            Colour::Plain => table.force_no_tty(),
            Colour::Ansi => table.enforce_styling(),
        };
        let columns = of.columns.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(column, _)| column);
        table.set_header(columns.clone().map(|column| &column.heading));
        for row in of.rows.iter().filter(|row| shown(row)) {
            let cells = row.cells.iter().flat_map(cells);
            table.add_row(cells.zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell));
        }
        for (index, column) in columns.enumerate() {
            if let Some(drawn) = table.column_mut(index).filter(|_| column.number) {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt() + "\n"
    }
}

fn cells(cell: &crate::view::tables::Cell) -> Vec<comfy_table::Cell> {
    let text = format::one_line(&(cell.text.clone() + &tail(cell)));
    let coloured = |text: String| {
        let drawn = comfy_table::Cell::new(text);
        match cell.tone {
            Tone::Plain => drawn,
            Tone::Better => drawn.fg(Color::Green).add_attribute(Attribute::Bold),
            Tone::Worse => drawn.fg(Color::Yellow),
            Tone::Muted => drawn.fg(Color::DarkGrey),
            Tone::Failed => drawn.fg(Color::Red),
        }
    };
    spread(cell, text).into_iter().map(coloured).collect()
}
