//! Documents for a terminal. Control characters in a record's texts are replaced.

use comfy_table::{Attribute, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};

use parcrypt_protocol::escape::escaped;

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
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Number of columns to fold at; `None` for as wide as the contents.
    pub width: Option<u16>,
    /// Colours of its text.
    pub colour: Colour,
}

impl Screen {
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

    /// Returns the document with no blank line but one after a table.
    pub(crate) fn screen(self, blocks: &[Block]) -> String {
        let after = |block: &Block| if matches!(block, Block::Table(_)) { "\n" } else { "" };
        blocks.iter().map(|block| self.block(block) + after(block)).collect()
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
            Block::Output(lines) => {
                lines.iter().map(|line| format!("    {}\n", escaped(line).replace('\t', "    "))).collect()
            }
            Block::Table(of) => self.table(of),
            Block::Figure(_, caption) => self.folded(&format::one_line(caption), ""),
            Block::Details(summary, blocks) => self.strong(summary) + "\n" + &self.document(blocks),
        }
    }

    fn span(self, span: &Span) -> String {
        match span {
            Span::Plain(text) => format::one_line(text),
            Span::Strong(text) => self.strong(text),
            Span::Failed(text) => self.failed(text),
        }
    }

    fn strong(self, text: &str) -> String {
        let text = format::one_line(text);
        match self.colour {
            Colour::Ansi if !text.is_empty() => format!("\u{1b}[1m{text}\u{1b}[0m"),
            _ => text,
        }
    }

    fn failed(self, text: &str) -> String {
        let text = format::one_line(text);
        match self.colour {
            Colour::Ansi => format!("\u{1b}[38;5;{RED}m{text}\u{1b}[0m"),
            Colour::Plain => text,
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
            let unfolded = Screen { width: None, colour: Colour::Plain };
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
            let hidden =
                format!("Hidden at this width: {} (see the page, or widen the terminal).", names.join(", "));
            out += &self.folded(&hidden, "");
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

/// Numbers of the colours in use among the terminal's own eight normal ones. The bright ones are unreadable on some
/// backgrounds, and so are green, yellow, blue and cyan; a test computes that.
const RED: u8 = 1;
const MAGENTA: u8 = 5;

/// Returns the colour of a tone, and whether it is bold. What is better is bold in the colour of other text.
fn style(tone: Tone) -> (Option<u8>, bool) {
    match tone {
        Tone::Plain | Tone::Muted => (None, false),
        Tone::Better => (None, true),
        Tone::Worse => (Some(MAGENTA), false),
        Tone::Failed => (Some(RED), false),
    }
}

fn cells(cell: &crate::view::tables::Cell) -> Vec<comfy_table::Cell> {
    let text = format::one_line(&(cell.text.clone() + &tail(cell)));
    let coloured = |text: String| {
        let drawn = comfy_table::Cell::new(text);
        let (colour, bold) = style(cell.tone);
        let drawn = colour.map_or(drawn.clone(), |colour| drawn.fg(Color::AnsiValue(colour)));
        if bold { drawn.add_attribute(Attribute::Bold) } else { drawn }
    };
    spread(cell, text).into_iter().map(coloured).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A palette: its name, background, text, and the eight normal colours.
    type Palette = (&'static str, u32, u32, [u32; 8]);

    const SOLARIZED: [u32; 8] =
        [0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5];
    const XTERM: [u32; 8] = [0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5];
    const PALETTES: [Palette; 6] = [
        ("xterm, black on white", 0xffffff, 0x000000, XTERM),
        ("xterm, white on black", 0x000000, 0xe5e5e5, XTERM),
        (
            "Visual Studio Code, light",
            0xffffff,
            0x333333,
            [0x000000, 0xcd3131, 0x107c10, 0x949800, 0x0451a5, 0xbc05bc, 0x0598bc, 0x555555],
        ),
        (
            "Visual Studio Code, dark",
            0x1e1e1e,
            0xcccccc,
            [0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5],
        ),
        ("Solarized, light", 0xfdf6e3, 0x657b83, SOLARIZED),
        ("Solarized, dark", 0x002b36, 0x839496, SOLARIZED),
    ];

    /// Returns the contrast of two colours by WCAG 2.2, from 1 to 21.
    pub(in crate::export) fn contrast(one: u32, other: u32) -> f64 {
        let luminance = |colour: u32| {
            let channel = |shift: u32| {
                let part = f64::from(colour >> shift & 0xff) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Contrast that is needed of large text and of marks (WCAG 2.2, success criteria 1.4.3 and 1.4.11). Solarized's
    /// own text has 4.1.
    const ENOUGH: f64 = 3.0;

    #[test]
    fn colours_are_readable_in_each_palette() {
        assert!((contrast(0xffffff, 0x000000) - 21.0).abs() < 1e-9);
        let tones = [Tone::Plain, Tone::Better, Tone::Worse, Tone::Muted, Tone::Failed];
        for (name, background, text, colours) in PALETTES {
            for colour in tones.iter().map(|tone| style(*tone).0) {
                let shown = colour.map_or(text, |colour| colours[usize::from(colour)]);
                let found = contrast(shown, background);
                assert!(found >= ENOUGH, "{name}: colour {colour:?} has a contrast of {found:.2}");
            }
        }
        // No other colour is readable in all of them.
        let readable = |colour: &usize| {
            PALETTES.iter().all(|(_, background, _, of)| contrast(of[*colour], *background) >= ENOUGH)
        };
        assert_eq!((0..8).filter(readable).collect::<Vec<_>>(), [usize::from(RED), usize::from(MAGENTA)]);
    }

    #[test]
    fn only_colours_of_the_test_are_written() {
        use crate::view::tables::{Cell, number};
        let cell = |tone| Cell { tone, ..Cell::new("x") };
        let row = [Tone::Plain, Tone::Better, Tone::Worse, Tone::Muted, Tone::Failed].map(cell).to_vec();
        let columns = (0..5).map(|_| number("y")).collect();
        let table = Table { title: String::new(), columns, rows: vec![Row { cells: row, ..Row::default() }] };
        let terminal = Screen { width: None, colour: Colour::Ansi };
        let blocks =
            [Block::Table(table), Block::Paragraph(vec![Span::Failed("z".into()), Span::Strong("s".into())])];
        let text = terminal.document(&blocks);
        let codes: Vec<&str> =
            text.split("\u{1b}[").skip(1).filter_map(|rest| rest.split('m').next()).collect();
        let (reset, colours): (Vec<&str>, Vec<&str>) =
            codes.iter().partition(|code| ["0", "1", "39", "49", "22"].contains(code));
        assert!(reset.contains(&"1"), "{text:?}");
        assert_eq!(colours, ["38;5;5", "38;5;1", "38;5;1"], "{text:?}");
    }
}
