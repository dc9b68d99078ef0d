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
const NAME: u16 = 14;
const WORD: u16 = 12;
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
        for answer in sheet.answers.iter().filter(|answer| !answer.is_condition) {
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
        let title = if of.title.is_empty() { String::new() } else { self.folded(&of.title, "") };
        let mut last = 0;
        let mut drawn = self.drawn(of, last);
        let too_wide = |drawn: &str| {
            let widest = drawn.lines().map(textwrap::core::display_width).max().unwrap_or(0);
            self.width.is_some_and(|width| widest > usize::from(width))
        };
        while too_wide(&drawn) && of.columns.iter().any(|column| column.leaves > last) {
            last += 1;
            drawn = self.drawn(of, last);
        }
        let hidden: Vec<&str> =
            of.columns.iter().filter(|c| is_hidden(c, last)).map(|c| &*c.heading).collect();
        if !hidden.is_empty() {
            let hidden =
                format!("Hidden at this width: {} (widen the terminal, or see --out).", hidden.join(", "));
            drawn += &self.folded(&format::one_line(&hidden), "");
        }
        title + &drawn
    }

    /// Draws a table without the columns that leave up to `last`. Names are folded, and numbers never.
    fn drawn(self, of: &Table, last: u8) -> String {
        let kept: Vec<usize> =
            (0..of.columns.len()).filter(|at| !is_hidden(&of.columns[*at], last)).collect();
        let mut table = comfy_table::Table::new();
        table.load_style(RULED);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(self.width.unwrap_or(u16::MAX));
        match self.colour {
            Colour::Plain => table.force_no_tty(),
            Colour::Ansi => table.enforce_styling(),
        };
        let headings = kept.iter().map(|at| format::one_line(&of.columns[*at].heading));
        table.set_header(std::iter::once(of.what.to_owned()).chain(headings));
        for row in &of.rows {
            let cells = kept.iter().map(|at| cell(row, &of.columns[*at], row.cells.get(*at), last));
            table.add_row(std::iter::once(comfy_table::Cell::new(name(row))).chain(cells));
        }
        for column in table.column_iter_mut() {
            column.set_padding((1, 0));
        }
        if let Some(names) = table.column_mut(0) {
            names.set_constraint(at_least(NAME));
        }
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            let widths = texts.map(|text| textwrap::core::display_width(&text));
            widths.max().map_or(0, |width| u16::try_from(width).unwrap_or(u16::MAX))
        };
        for (place, at) in kept.iter().enumerate() {
            let (Some(drawn), column) = (table.column_mut(place + 1), &of.columns[*at]) else { continue };
            let cells = of.rows.iter().map(|row| cell(row, column, row.cells.get(*at), last).content());
            let cells =
                widest(&mut cells.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()));
            let words = widest(&mut column.heading.split_whitespace().map(format::one_line));
            if column.is_number {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
            // A heading is folded, and a number is not.
            let is_folded = !column.is_number && !["ratio", "verdict"].contains(&column.name.as_str());
            let cells = if is_folded { cells.min(NAME) } else { cells };
            drawn.set_constraint(at_least(cells.max(words.min(WORD)).saturating_add(1)));
        }
        table.trim_fmt() + "\n"
    }
}

fn at_least(width: u16) -> ColumnConstraint {
    ColumnConstraint::LowerBoundary(Width::Fixed(width))
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
    let missing = row.missing.as_ref().filter(|_| column.name == "verdict");
    let missing = missing.map(|(why, failed)| match failed {
        true => Cell { tone: Tone::Failed, ..Cell::new("failed") },
        false => Cell::new(if why.starts_with("SKIP") { "skipped" } else { "not measured" }),
    });
    let (text, tone) = match missing.as_ref().or(cell) {
        Some(cell) if last >= FOLDED && !cell.bounds.is_empty() => {
            (format!("{}\n{}", format::one_line(&cell.text), format::one_line(&cell.bounds)), cell.tone)
        }
        Some(cell) => (format::one_line(&cell.whole()), cell.tone),
        None => ("–".to_owned(), Tone::Muted),
    };
    let drawn = comfy_table::Cell::new(text);
    let (colour, bold) = style(tone);
    let drawn = colour.map_or(drawn.clone(), |colour| drawn.fg(Color::AnsiValue(colour)));
    if bold { drawn.add_attribute(Attribute::Bold) } else { drawn }
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
    }
}
