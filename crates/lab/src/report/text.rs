//! Reports for a terminal and in Markdown.

use comfy_table::{
    Attribute, Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets,
};

use super::view::{CellView, RecordView, RowView};
use super::{Colour, format, words};
use crate::record::{FailureKind, Record, Role};
use crate::stats::{Estimate, Verdict};

/// A line above, below and under the header, and none between rows.
const RULED: TableStyle = {
    let line = LineStyle::none().fill('─').junction('─');
    TableStyle::new().top_border(line).header_separator(line).bottom_border(line)
};

/// Where a text is read.
#[derive(Clone, Copy)]
pub(super) enum Medium {
    Terminal { width: Option<u16>, colour: Colour },
    Markdown,
}

impl Medium {
    /// A text of unknown origin on one line, so that it shows as what it is.
    fn plain(self, text: &str) -> String {
        let line = format::one_line(text);
        if matches!(self, Medium::Terminal { .. }) {
            return line;
        }
        let mut escaped = String::with_capacity(line.len());
        for c in line.chars() {
            match c {
                '\\' | '`' | '*' | '_' | '|' | '~' | '#' => escaped.extend(['\\', c]),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '&' => escaped.push_str("&amp;"),
                '(' if escaped.ends_with(']') => escaped.push_str("\\("),
                c => escaped.push(c),
            }
        }
        escaped
    }

    fn strong(self, text: &str) -> String {
        match self {
            Medium::Markdown => format!("**{}**", self.plain(text)),
            Medium::Terminal { colour: Colour::Ansi, .. } => {
                format!("\u{1b}[1m{}\u{1b}[0m", self.plain(text))
            }
            Medium::Terminal { .. } => self.plain(text),
        }
    }

    fn heading(self, level: usize, text: &str) -> String {
        match self {
            Medium::Markdown => format!("{} {}\n", "#".repeat(level), self.plain(text)),
            Medium::Terminal { .. } if level > 1 => format!("{}\n", self.strong(text)),
            Medium::Terminal { .. } => {
                let line = "=".repeat(format::one_line(text).chars().count());
                format!("{}\n{line}\n", self.strong(text))
            }
        }
    }

    /// A paragraph; on a terminal it is folded at its width and ends without an empty line.
    fn paragraph(self, text: &str) -> String {
        match self {
            Medium::Markdown => format!("{text}\n\n"),
            Medium::Terminal { .. } => self.folded(text, "") + "\n",
        }
    }

    /// An item of a list.
    fn item(self, text: &str) -> String {
        format!("  - {}\n", self.folded(text, "    "))
    }

    fn folded(self, text: &str, indent: &str) -> String {
        match self {
            Medium::Terminal { width: Some(width), .. } => {
                let options = textwrap::Options::new(usize::from(width).saturating_sub(indent.len()).max(20))
                    .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
                    .word_splitter(textwrap::WordSplitter::NoHyphenation);
                // A number is not parted from its percent sign.
                let kept = text.replace(" %", "\u{a0}%");
                textwrap::wrap(&kept, options).join(&format!("\n{indent}")).replace("\u{a0}%", " %")
            }
            _ => text.to_string(),
        }
    }

    /// An empty line after a paragraph, where it does not have one already.
    fn gap(self) -> &'static str {
        match self {
            Medium::Markdown => "",
            Medium::Terminal { .. } => "\n",
        }
    }
}

/// A whole record.
pub(super) fn report(record: &Record, medium: Medium) -> String {
    let view = RecordView::new(record);
    let title = if record.title.is_empty() { &record.plan } else { &record.title };
    let mut out = medium.heading(1, title) + "\n";
    if let Some(partial) = super::partial(&view) {
        out += &medium.paragraph(&medium.strong(&partial));
        out += medium.gap();
    }
    for paragraph in super::paragraphs(&record.about) {
        out += &medium.paragraph(&medium.plain(&paragraph));
        out += medium.gap();
    }
    out += &medium.paragraph(&medium.plain(&super::circumstances(record)));
    out += medium.gap();
    if view.cells.is_empty() {
        out += &medium.paragraph("The record holds no cells: nothing was measured.");
    }
    for cell in &view.cells {
        out += &section(cell, medium);
    }
    if !view.means.rows.is_empty() {
        out += &medium.heading(2, "Means");
        out += "\n";
        out += &medium.paragraph(words::MEANS);
        out += &means(&view, medium);
        out += "\n";
    }
    if let Some(claims) = &view.claims {
        out += &medium.heading(2, "Claims");
        out += "\n";
        out += &medium.paragraph(&medium.plain(claims));
        out += medium.gap();
    }
    if !view.answers.is_empty() {
        out += &medium.heading(2, "Questions");
        out += "\n";
    }
    for (question, answer) in &view.answers {
        out += &medium.paragraph(&medium.strong(&question.ask));
        match answer {
            Ok(answer) => {
                out += &medium.paragraph(&medium.plain(&words::answer(question, answer)));
                for group in &answer.groups {
                    out += &medium.item(&medium.plain(&words::group(&answer.measure, group)));
                }
            }
            Err(error) => {
                let error = medium.plain(&error.to_string());
                out += &medium.paragraph(&format!("This cannot be answered: {error}"));
            }
        }
        out += "\n";
    }
    if view.cells.iter().any(|cell| !cell.cell.measure.is_time()) {
        out += &medium.paragraph(words::COUNTED);
        out += medium.gap();
    }
    if view.cells.iter().any(|cell| cell.cell.measure.is_time()) {
        let floor = view.floor.map_or("not known".to_string(), format::percent);
        let floor = medium.strong(&format!("Noise floor: {floor}."));
        out += &medium.paragraph(&format!("{floor} {}", words::noise_floor(view.floor)));
    }
    out
}

/// The table of means over cells.
fn means(view: &RecordView<'_>, medium: Medium) -> String {
    let mut table = empty_table(medium);
    let against = format!("against {}", medium.plain(&view.means.baseline));
    table.set_header(["contestant", &against, "throughput"]);
    for mean in &view.means.rows {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_string());
        let against = mean.ratio.as_ref().map(|ratio| words::mean_against(ratio, view.floor));
        let rate = mean.throughput.as_ref().map(words::mean_rate);
        table.add_row([medium.plain(&mean.name), or_dash(against), or_dash(rate)]);
    }
    table.trim_fmt() + "\n"
}

/// A cell: which is fastest, the table, and whether the answers agreed.
fn section(cell: &CellView<'_>, medium: Medium) -> String {
    let mut out = medium.heading(2, &cell.title);
    if matches!(medium, Medium::Markdown) {
        out += "\n";
    }
    let headline = &cell.headline;
    let name = if headline.name.is_empty() { String::new() } else { medium.strong(&headline.name) };
    out += &medium.paragraph(&format!("{}{name}{}", headline.before, medium.plain(&headline.after)));
    let (table, left_out) = table(cell, medium);
    out += &table;
    out += "\n";
    let said: Vec<&RowView<'_>> = cell.rows.iter().filter(|row| !row.row.about.is_empty()).collect();
    for row in &said {
        out += &medium.item(&medium.plain(&format!("{}: {}", row.contestant, row.row.about)));
    }
    if !said.is_empty() {
        out += "\n";
    }
    if !cell.phases.is_empty() {
        out += &medium.paragraph(&medium.plain(&words::phases(&cell.cell.measure)));
        let rows = cell.rows.iter().filter(|row| row.phases.len() > 1);
        out += &parts(rows, &cell.phases, |row, name| row.phase(&cell.cell.measure, name), medium);
        out += "\n";
    }
    if !cell.before.is_empty() {
        out += &medium.paragraph(words::BEFORE);
        let rows = cell.rows.iter().filter(|row| !row.before.is_empty());
        out += &parts(rows, &cell.before, RowView::time_before, medium);
        out += "\n";
    }
    let mut below = medium.plain(&cell.agreement());
    if let Some(floor) = cell.floor {
        below += &format!(" Noise floor {}.", format::percent(floor));
    }
    if !left_out.is_empty() {
        below += &format!(" Not shown for want of width: {}.", left_out.join(", "));
    }
    out + &medium.paragraph(&below) + medium.gap()
}

/// The columns that a cell's table may have besides those that it always has.
#[derive(Clone, Copy)]
struct Columns {
    throughput: bool,
    step: bool,
    speedup: bool,
    limit: bool,
    counts: bool,
    runs_as: bool,
}

/// A cell's table, and the columns that it would have on a wider terminal.
fn table(cell: &CellView<'_>, medium: Medium) -> (String, Vec<&'static str>) {
    let mut columns = Columns {
        throughput: cell.cell.throughput,
        step: cell.cell.ladder,
        speedup: cell.threads().len() > 1,
        limit: cell.rows.iter().any(|row| row.limit.is_some()),
        counts: !cell.counted.is_empty(),
        runs_as: cell.rows.iter().any(|row| !row.runs_as().is_empty()),
    };
    let mut left_out = Vec::new();
    if let Medium::Terminal { width: Some(width), .. } = medium {
        // Rows without a result do not count: their reasons may be long, and are folded.
        let unfolded = Medium::Terminal { width: None, colour: Colour::Plain };
        let fits = |columns| {
            let rows = cell.rows.iter().filter(|row| row.no_result().is_none());
            let table = drawn(cell, rows, columns, unfolded);
            table.lines().all(|line| line.chars().count() <= usize::from(width))
        };
        for (name, column) in [
            ("runs as", (|c: &mut Columns| &mut c.runs_as) as fn(&mut Columns) -> &mut bool),
            ("speed-up and efficiency", |c| &mut c.speedup),
            ("share of the limit", |c| &mut c.limit),
            ("what was counted", |c| &mut c.counts),
        ] {
            if *column(&mut columns) && !fits(columns) {
                *column(&mut columns) = false;
                left_out.push(name);
            }
        }
    }
    (drawn(cell, cell.rows.iter(), columns, medium), left_out)
}

fn drawn<'a>(
    cell: &CellView<'_>,
    rows: impl Iterator<Item = &'a RowView<'a>>,
    columns: Columns,
    medium: Medium,
) -> String {
    let mut table = empty_table(medium);
    let mut header = vec!["contestant".to_string(), "threads".into(), words::column(&cell.cell.measure)];
    header.push(format!("against {}", medium.plain(&cell.baseline)));
    if columns.step {
        header.push("against the step before".into());
    }
    let throughput = header.len();
    if columns.throughput {
        header.push("throughput".into());
    }
    let throughput = throughput..header.len();
    let scaling = header.len();
    if columns.speedup {
        header.extend(["speed-up".into(), "efficiency".into()]);
    }
    if columns.limit {
        header.push("of the limit".into());
    }
    let counts = header.len();
    if columns.counts {
        header.extend(cell.counted.iter().map(|name| medium.plain(&format::counted_name(name))));
    }
    let counts = counts..header.len();
    if columns.runs_as {
        header.push("runs as".into());
    }
    table.set_header(header);
    for row in rows {
        table.add_row(cells_of(row, cell, columns, medium));
    }
    let scaling = if columns.speedup { scaling..scaling + 2 } else { 0..0 };
    align_right(&mut table, [1, 2].into_iter().chain(throughput).chain(scaling).chain(counts));
    table.trim_fmt() + "\n"
}

fn empty_table(medium: Medium) -> Table {
    let mut table = Table::new();
    match medium {
        Medium::Markdown => {
            table.load_style(presets::ASCII_MARKDOWN);
        }
        Medium::Terminal { width, colour } => {
            table.load_style(RULED);
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width.unwrap_or(u16::MAX));
            match colour {
                Colour::Plain => table.force_no_tty(),
                Colour::Ansi => table.enforce_styling(),
            };
        }
    }
    table
}

fn align_right(table: &mut Table, columns: impl Iterator<Item = usize>) {
    for index in columns {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// A table of parts by name.
fn parts<'a>(
    rows: impl Iterator<Item = &'a RowView<'a>>,
    names: &[&str],
    part: impl Fn(&RowView<'a>, &str) -> String,
    medium: Medium,
) -> String {
    let mut table = empty_table(medium);
    let headings = names.iter().map(|name| medium.plain(&format::counted_name(name)));
    table.set_header(std::iter::once("contestant".to_string()).chain(headings));
    for row in rows {
        let parts = names.iter().map(|name| part(row, name));
        table.add_row(std::iter::once(medium.plain(&row.name)).chain(parts));
    }
    align_right(&mut table, 1..=names.len());
    table.trim_fmt() + "\n"
}

fn cells_of(row: &RowView<'_>, cell: &CellView<'_>, columns: Columns, medium: Medium) -> Vec<Cell> {
    let part = match row.row.role {
        Role::Contestant => "",
        Role::Control => " (control)",
        Role::Limit => " (limit)",
    };
    let mut cells = vec![
        Cell::new(medium.plain(&format!("{}{part}", row.contestant))),
        Cell::new(row.row.threads),
        Cell::new(row.value.map_or("–".to_string(), |v| words::value(&cell.cell.measure, v.value))),
        verdict(row, cell, medium),
    ];
    let or_dash = |text: Option<String>| Cell::new(text.unwrap_or_else(|| "–".to_string()));
    if columns.step {
        cells.push(row.step.map_or(Cell::new("–"), |step| compared(&step, cell)));
    }
    if columns.throughput {
        cells.push(or_dash(row.throughput.map(|rate| format::rate(rate.value))));
    }
    if columns.speedup {
        cells.push(or_dash(row.speedup.as_ref().map(|s| format::factor(s.times.value))));
        cells.push(or_dash(row.speedup.as_ref().map(|s| format::share(&s.efficiency))));
    }
    if columns.limit {
        cells.push(or_dash(row.limit.as_ref().map(of_limit)));
    }
    if columns.counts {
        cells.extend(cell.counted.iter().map(|name| Cell::new(row.count(name))));
    }
    if columns.runs_as {
        cells.push(Cell::new(medium.plain(&row.runs_as())));
    }
    cells
}

fn of_limit(share: &Estimate) -> String {
    let interval = share.interval.map(|i| format!(" [{:.1}, {:.1}]", 100.0 * i.low, 100.0 * i.high));
    format::share(share) + &interval.unwrap_or_default()
}

/// How the row compares with the baseline, or why it does not.
fn verdict(row: &RowView<'_>, cell: &CellView<'_>, medium: Medium) -> Cell {
    use comfy_table::Color;
    if let Some(why) = row.no_result() {
        let skipped = row.row.failure.as_ref().is_some_and(|f| f.kind == FailureKind::Unsupported);
        let cell = Cell::new(medium.plain(&why));
        return if skipped { cell.fg(Color::DarkGrey) } else { cell.fg(Color::Red) };
    }
    if row.is_baseline {
        return Cell::new("baseline").fg(Color::DarkGrey);
    }
    row.ratio.map_or(Cell::new("–"), |ratio| compared(&ratio, cell))
}

fn compared(ratio: &Estimate, cell: &CellView<'_>) -> Cell {
    use comfy_table::Color;
    let cell = Cell::new(words::against(&cell.cell.measure, ratio, cell.floor));
    match Verdict::of(ratio) {
        Verdict::Faster(_) => cell.fg(Color::Green).add_attribute(Attribute::Bold),
        Verdict::Slower(_) => cell.fg(Color::Yellow),
        Verdict::NoDifference | Verdict::TooFewRounds => cell.fg(Color::DarkGrey),
    }
}
