//! Reports for a terminal and in Markdown.

use comfy_table::{
    Attribute, Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets,
};

use crate::view::{CaseView, EntryView, RecordView};
use crate::{Colour, format, words};
use parcrypt_lab::record::{FailureKind, Record, Role};
use parcrypt_lab::stats::{Estimate, Verdict};

/// A line above, below and under the header, and none between entries.
const RULED: TableStyle = {
    let line = LineStyle::none().fill('─').junction('─');
    TableStyle::new().top_border(line).header_separator(line).bottom_border(line)
};

/// Where a text is read.
#[derive(Clone, Copy)]
pub(crate) enum Medium {
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
pub(crate) fn report(record: &Record, medium: Medium) -> String {
    let view = RecordView::new(record);
    let title = if record.title.is_empty() { &record.plan } else { &record.title };
    let mut out = medium.heading(1, title) + "\n";
    if let Some(partial) = crate::partial(&view) {
        out += &medium.paragraph(&medium.strong(&partial));
        out += medium.gap();
    }
    for paragraph in crate::paragraphs(&record.about) {
        out += &medium.paragraph(&medium.plain(&paragraph));
        out += medium.gap();
    }
    out += &medium.paragraph(&medium.plain(&crate::circumstances(record)));
    out += medium.gap();
    if view.cases.is_empty() {
        out += &medium.paragraph("The record holds no cases: nothing was measured.");
    }
    for case in &view.cases {
        out += &section(case, medium);
    }
    if !view.means.entries.is_empty() {
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
    if view.cases.iter().any(|case| !case.case.measure.is_time()) {
        out += &medium.paragraph(words::COUNTED);
        out += medium.gap();
    }
    if view.cases.iter().any(|case| case.case.measure.is_time()) {
        let floor = view.floor.map_or("not known".to_string(), format::percent);
        let floor = medium.strong(&format!("Noise floor: {floor}."));
        out += &medium.paragraph(&format!("{floor} {}", words::noise_floor(view.floor)));
    }
    out
}

/// The table of means over cases.
fn means(view: &RecordView<'_>, medium: Medium) -> String {
    let mut table = empty_table(medium);
    let against = format!("against {}", medium.plain(&view.means.baseline));
    table.set_header(["candidate", &against, "throughput"]);
    for mean in &view.means.entries {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_string());
        let against = mean.ratio.as_ref().map(|ratio| words::mean_against(ratio, view.floor));
        let rate = mean.throughput.as_ref().map(words::mean_rate);
        table.add_row([medium.plain(&mean.name), or_dash(against), or_dash(rate)]);
    }
    table.trim_fmt() + "\n"
}

/// A case: which is fastest, the table, and whether the answers agreed.
fn section(case: &CaseView<'_>, medium: Medium) -> String {
    let mut out = medium.heading(2, &case.title);
    if matches!(medium, Medium::Markdown) {
        out += "\n";
    }
    let headline = &case.headline;
    let name = if headline.name.is_empty() { String::new() } else { medium.strong(&headline.name) };
    out += &medium.paragraph(&format!("{}{name}{}", headline.before, medium.plain(&headline.after)));
    let (table, left_out) = table(case, medium);
    out += &table;
    out += "\n";
    let said: Vec<&EntryView<'_>> =
        case.entries.iter().filter(|entry| !entry.entry.about.is_empty()).collect();
    for entry in &said {
        out += &medium.item(&medium.plain(&format!("{}: {}", entry.candidate, entry.entry.about)));
    }
    if !said.is_empty() {
        out += "\n";
    }
    if !case.phases.is_empty() {
        out += &medium.paragraph(&medium.plain(&words::phases(&case.case.measure)));
        let entries = case.entries.iter().filter(|entry| entry.phases.len() > 1);
        out += &parts(entries, &case.phases, |entry, name| entry.phase(&case.case.measure, name), medium);
        out += "\n";
    }
    if !case.before.is_empty() {
        out += &medium.paragraph(words::BEFORE);
        let entries = case.entries.iter().filter(|entry| !entry.before.is_empty());
        out += &parts(entries, &case.before, EntryView::time_before, medium);
        out += "\n";
    }
    let mut below = medium.plain(&case.agreement());
    if let Some(floor) = case.floor {
        below += &format!(" Noise floor {}.", format::percent(floor));
    }
    if !left_out.is_empty() {
        below += &format!(" Not shown for want of width: {}.", left_out.join(", "));
    }
    out + &medium.paragraph(&below) + medium.gap()
}

/// The columns that a case's table may have besides those that it always has.
#[derive(Clone, Copy)]
struct Columns {
    throughput: bool,
    step: bool,
    speedup: bool,
    limit: bool,
    counts: bool,
    runs_as: bool,
}

/// A case's table, and the columns that it would have on a wider terminal.
fn table(case: &CaseView<'_>, medium: Medium) -> (String, Vec<&'static str>) {
    let mut columns = Columns {
        throughput: case.case.throughput,
        step: case.case.steps,
        speedup: case.threads().len() > 1,
        limit: case.entries.iter().any(|entry| entry.limit.is_some()),
        counts: !case.counted.is_empty(),
        runs_as: case.entries.iter().any(|entry| !entry.runs_as().is_empty()),
    };
    let mut left_out = Vec::new();
    if let Medium::Terminal { width: Some(width), .. } = medium {
        // Rows without a result do not count: their reasons may be long, and are folded.
        let unfolded = Medium::Terminal { width: None, colour: Colour::Plain };
        let fits = |columns| {
            let entries = case.entries.iter().filter(|entry| entry.no_result().is_none());
            let table = drawn(case, entries, columns, unfolded);
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
    (drawn(case, case.entries.iter(), columns, medium), left_out)
}

fn drawn<'a>(
    case: &CaseView<'_>,
    entries: impl Iterator<Item = &'a EntryView<'a>>,
    columns: Columns,
    medium: Medium,
) -> String {
    let mut table = empty_table(medium);
    let mut header = vec!["candidate".to_string(), "threads".into(), words::column(&case.case.measure)];
    header.push(format!("against {}", medium.plain(&case.baseline)));
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
        header.extend(case.counted.iter().map(|name| medium.plain(&format::counted_name(name))));
    }
    let counts = counts..header.len();
    if columns.runs_as {
        header.push("runs as".into());
    }
    table.set_header(header);
    for entry in entries {
        table.add_row(cells_of(entry, case, columns, medium));
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
    entries: impl Iterator<Item = &'a EntryView<'a>>,
    names: &[&str],
    part: impl Fn(&EntryView<'a>, &str) -> String,
    medium: Medium,
) -> String {
    let mut table = empty_table(medium);
    let headings = names.iter().map(|name| medium.plain(&format::counted_name(name)));
    table.set_header(std::iter::once("candidate".to_string()).chain(headings));
    for entry in entries {
        let parts = names.iter().map(|name| part(entry, name));
        table.add_row(std::iter::once(medium.plain(&entry.name)).chain(parts));
    }
    align_right(&mut table, 1..=names.len());
    table.trim_fmt() + "\n"
}

fn cells_of(entry: &EntryView<'_>, case: &CaseView<'_>, columns: Columns, medium: Medium) -> Vec<Cell> {
    let part = match entry.entry.role {
        Role::Candidate => "",
        Role::Control => " (control)",
        Role::Limit => " (limit)",
    };
    let mut cells = vec![
        Cell::new(medium.plain(&format!("{}{part}", entry.candidate))),
        Cell::new(entry.entry.threads),
        Cell::new(entry.value.map_or("–".to_string(), |v| words::value(&case.case.measure, v.value))),
        verdict(entry, case, medium),
    ];
    let or_dash = |text: Option<String>| Cell::new(text.unwrap_or_else(|| "–".to_string()));
    if columns.step {
        cells.push(entry.step.map_or(Cell::new("–"), |step| compared(&step, case)));
    }
    if columns.throughput {
        cells.push(or_dash(entry.throughput.map(|rate| format::rate(rate.value))));
    }
    if columns.speedup {
        cells.push(or_dash(entry.speedup.as_ref().map(|s| format::factor(s.times.value))));
        cells.push(or_dash(entry.speedup.as_ref().map(|s| format::share(&s.efficiency))));
    }
    if columns.limit {
        cells.push(or_dash(entry.limit.as_ref().map(of_limit)));
    }
    if columns.counts {
        cells.extend(case.counted.iter().map(|name| Cell::new(entry.count(name))));
    }
    if columns.runs_as {
        cells.push(Cell::new(medium.plain(&entry.runs_as())));
    }
    cells
}

fn of_limit(share: &Estimate) -> String {
    let interval = share.interval.map(|i| format!(" [{:.1}, {:.1}]", 100.0 * i.low, 100.0 * i.high));
    format::share(share) + &interval.unwrap_or_default()
}

/// How the entry compares with the baseline, or why it does not.
fn verdict(entry: &EntryView<'_>, case: &CaseView<'_>, medium: Medium) -> Cell {
    use comfy_table::Color;
    if let Some(why) = entry.no_result() {
        let skipped = entry.entry.failure.as_ref().is_some_and(|f| f.kind == FailureKind::Unsupported);
        let cell = Cell::new(medium.plain(&why));
        return if skipped { cell.fg(Color::DarkGrey) } else { cell.fg(Color::Red) };
    }
    if entry.is_baseline {
        return Cell::new("baseline").fg(Color::DarkGrey);
    }
    entry.ratio.map_or(Cell::new("–"), |ratio| compared(&ratio, case))
}

fn compared(ratio: &Estimate, case: &CaseView<'_>) -> Cell {
    use comfy_table::Color;
    let cell = Cell::new(words::against(&case.case.measure, ratio, case.floor));
    match Verdict::of(ratio) {
        Verdict::Faster(_) => cell.fg(Color::Green).add_attribute(Attribute::Bold),
        Verdict::Slower(_) => cell.fg(Color::Yellow),
        Verdict::NoDifference | Verdict::TooFewRounds => cell.fg(Color::DarkGrey),
    }
}
