//! Sheets for a terminal. Control characters in a record's texts are replaced.

use comfy_table::{
    Attribute, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width,
};
use parcrypt_protocol::escape::escaped;

use crate::format;
use crate::sheet::{Cell, Column, Row, Sheet, Table, Tone};

/// Colours of a terminal's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// No colours.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// How much of a sheet is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The rows, the answers and the notes.
    Rows,
    /// The further tables, and each case with its entries, too.
    Cases,
}

/// A line above, below and under the header, and no line between rows.
const RULED: TableStyle = {
    let line = LineStyle::none().fill('─').junction('─');
    TableStyle::new().top_border(line).header_separator(line).bottom_border(line)
};

/// Minimum width of a column of names, and longest word of a heading that is not broken.
const NAME: usize = 14;
const WORD: usize = 12;
/// Place among the columns that leave, before which intervals go to a line of their own.
const FOLDED: u8 = 6;

/// Width and colours of a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Number of columns to fold at; `None` for as wide as the contents.
    pub width: Option<u16>,
    /// Colours of its text.
    pub colour: Colour,
}

impl Screen {
    /// Returns a sheet as text: the verdict, the rows, the answers and the notes.
    pub(crate) fn sheet(self, sheet: &Sheet, detail: Detail) -> String {
        let head = &sheet.head;
        let mut out = self.verdict(&head.verdict);
        if !head.title.is_empty() {
            out += &self.folded(&head.title, "");
        }
        out += &self.folded(&head.facts, "");
        for warning in &head.warnings {
            out += &self.folded(&self.strong(warning), "");
        }
        if !sheet.rows.rows.is_empty() {
            out += &format!("\n{}", self.table(&sheet.rows));
        }
        if detail == Detail::Cases {
            for part in sheet.cases.iter().filter(|_| sheet.cases.len() > 1) {
                let title = self.folded(&self.strong(&part.title), "");
                out += &format!("\n{title}{}", self.verdict(&part.verdict));
                out.extend(part.tables.iter().map(|table| self.table(table)));
                out.extend(part.notes.iter().map(|note| self.folded(note, "")));
            }
            out.extend(sheet.tables.iter().map(|table| format!("\n{}", self.table(table))));
        }
        out.push('\n');
        for answer in &sheet.answers {
            out += &format!("  - {}", self.folded(&format::one_line(&answer.line()), "    "));
            if detail == Detail::Cases {
                let details = std::iter::once(&answer.basis).chain(&answer.groups);
                out.extend(
                    details.map(|text| format!("    {}", self.folded(&format::one_line(text), "    "))),
                );
            }
        }
        for note in &sheet.notes {
            let text = format::one_line(&note.text);
            out += &self.folded(&if note.tone == Tone::Failed { self.failed(&text) } else { text }, "");
            // Not folded, so that it can be searched for.
            let line = |line: &String| format!("    {}\n", escaped(line).replace('\t', "    "));
            out.extend(note.output.iter().map(line));
        }
        // No blank line ends a sheet without notes.
        format!("{}\n", out.trim_end())
    }

    fn verdict(self, [before, answer, after]: &[String; 3]) -> String {
        let [before, after] = [before, after].map(|text| format::one_line(text));
        self.folded(&format!("{before}{}{after}", self.strong(answer)), "")
    }

    fn strong(self, text: &str) -> String {
        let text = format::one_line(text);
        match self.colour {
            Colour::Ansi if !text.is_empty() => format!("\u{1b}[1m{text}\u{1b}[0m"),
            _ => text,
        }
    }

    fn failed(self, text: &str) -> String {
        match self.colour {
            Colour::Ansi => format!("\u{1b}[38;5;{RED}m{text}\u{1b}[0m"),
            Colour::Plain => text.to_owned(),
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
        let mut last = 0;
        let mut drawn = self.drawn(of, last);
        let too_wide =
            |drawn: &str| self.width.is_some_and(|width| widest(drawn.lines()) > usize::from(width));
        while too_wide(&drawn) && of.columns.iter().any(|column| column.leaves > last) {
            last += 1;
            drawn = self.drawn(of, last);
        }
        let hidden = of.columns.iter().filter(|column| is_hidden(column, last));
        let hidden: Vec<&str> = hidden.map(|column| &*column.heading).collect();
        if !hidden.is_empty() {
            let hidden =
                format!("Hidden at this width: {} (widen the terminal, or see --out).", hidden.join(", "));
            drawn += &self.folded(&format::one_line(&hidden), "");
        }
        if of.title.is_empty() { drawn } else { self.folded(&of.title, "") + &drawn }
    }

    /// Draws a table without the columns that leave up to `last`. Names are folded, and numbers never.
    fn drawn(self, of: &Table, last: u8) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(RULED);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(self.width.unwrap_or(u16::MAX));
        match self.colour {
            Colour::Plain => table.force_no_tty(),
            Colour::Ansi => table.enforce_styling(),
        };
        let kept: Vec<(usize, &Column)> =
            of.columns.iter().enumerate().filter(|(_, column)| !is_hidden(column, last)).collect();
        let headings = kept.iter().map(|(_, column)| format::one_line(&column.heading));
        table.set_header(std::iter::once(of.what.to_owned()).chain(headings));
        for row in &of.rows {
            let cells = kept.iter().map(|(at, column)| cell(row, column, row.cells.get(*at), last));
            table.add_row(std::iter::once(comfy_table::Cell::new(name(row))).chain(cells));
        }
        let cells = |column: &Column, at: usize| {
            let texts = of.rows.iter().map(|row| cell(row, column, row.cells.get(at), last).content());
            texts.map(|text| widest(text.lines())).max().unwrap_or(0)
        };
        // A heading is folded, and a number is not.
        let is_folded = |of: &Column| !of.is_number && !["ratio", "verdict"].contains(&of.name.as_str());
        let width = |(at, column): &(usize, &Column)| {
            let words = widest(column.heading.split_whitespace()).min(WORD);
            let cells = cells(column, *at).min(if is_folded(column) { NAME } else { usize::MAX });
            cells.max(words) + 1
        };
        let widths: Vec<usize> = std::iter::once(NAME).chain(kept.iter().map(width)).collect();
        let numbers = std::iter::once(false).chain(kept.iter().map(|(_, column)| column.is_number));
        for ((drawn, width), is_number) in table.column_iter_mut().zip(widths).zip(numbers) {
            drawn.set_padding((1, 0));
            let width = Width::Fixed(u16::try_from(width).unwrap_or(u16::MAX));
            drawn.set_constraint(ColumnConstraint::LowerBoundary(width));
            drawn.set_cell_alignment(if is_number { CellAlignment::Right } else { CellAlignment::Left });
        }
        table.trim_fmt() + "\n"
    }
}

/// Returns the width of the widest of some texts.
fn widest<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.map(textwrap::core::display_width).max().unwrap_or(0)
}

fn is_hidden(column: &Column, last: u8) -> bool {
    (1..=last).contains(&column.leaves)
}

fn name(row: &Row) -> String {
    let tag = if row.tag.is_empty() { String::new() } else { format!(" ({})", row.tag) };
    format::one_line(&(row.what.clone() + &tag))
}

/// Returns a cell; in a row without a result, a dash, and in the column of verdicts what became of it.
fn cell(row: &Row, column: &Column, cell: Option<&Cell>, last: u8) -> comfy_table::Cell {
    let became = match &row.missing {
        Some((_, true)) => Cell { tone: Tone::Failed, ..Cell::new("failed") },
        Some((why, false)) if why.starts_with("SKIP") => Cell::new("skipped"),
        _ => Cell::new("not measured"),
    };
    let is_reason = row.missing.is_some() && column.name == "verdict";
    let dash = Cell::dash();
    let Cell { text, bounds, tone, .. } = if is_reason { &became } else { cell.unwrap_or(&dash) };
    let gap = match bounds.is_empty() {
        true => "",
        false if last >= FOLDED => "\n",
        false => " ",
    };
    let text = format!("{}{gap}{}", format::one_line(text), format::one_line(bounds));
    let (colour, bold) = style(*tone);
    let drawn = comfy_table::Cell::new(text);
    let drawn = if let Some(colour) = colour { drawn.fg(Color::AnsiValue(colour)) } else { drawn };
    if bold { drawn.add_attribute(Attribute::Bold) } else { drawn }
}

/// Numbers of the colours in use among the terminal's own eight normal ones. These have a contrast (WCAG 2.2) of at
/// least 3, as Solarized's own text has 4.1, in the light and dark palettes of xterm, Visual Studio Code and Solarized.
/// The bright ones, green, yellow, blue and cyan have less on some backgrounds.
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
