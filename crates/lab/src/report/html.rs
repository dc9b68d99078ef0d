//! One page of HTML for any number of records, whole in itself.

mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::plot::{Axis, Chart, Forest, ForestRow, Guide, Pen, Point, Spread, size_coordinate, swatch};
use super::view::{self, CellView, RecordView, RowView, Series};
use super::{circumstances, format, paragraphs, partial, words};
use crate::record::{Failure, FailureKind, Measure, Record, Role};
use crate::stats::Estimate;

const STYLE: &str = include_str!("style.css");

/// The page.
pub(super) fn page(records: &[Record]) -> Markup {
    let views: Vec<RecordView<'_>> = records.iter().map(RecordView::new).collect();
    let title = match views.as_slice() {
        [one] => title(one.record),
        all => format!("{} of the lab", format::counted(all.len(), "record")),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Parcrypt" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    @if views.len() != 1 {
                        header.page {
                            p.eyebrow { "Parcrypt lab" }
                            h1 { (title) }
                        }
                    }
                    @if views.len() > 1 {
                        nav { ul { @for (index, view) in views.iter().enumerate() {
                            li { a href=(format!("#r{index}")) { (self::title(view.record)) } }
                        } } }
                    }
                    @if views.is_empty() { p { "There are no records to show." } }
                    @for (index, view) in views.iter().enumerate() { (record(view, index)) }
                }
            }
        }
    }
}

fn title(record: &Record) -> String {
    let title = if record.title.trim().is_empty() { &record.plan } else { &record.title };
    match format::one_line(title).trim().to_string() {
        title if title.is_empty() => "A record without a title".to_string(),
        title => title,
    }
}

fn record(view: &RecordView<'_>, index: usize) -> Markup {
    let record = view.record;
    html! {
        article id=(format!("r{index}")) {
            header {
                p.eyebrow { "Parcrypt lab · " (format::one_line(&record.plan)) }
                h1 { (title(record)) }
                @for paragraph in paragraphs(&record.about) { p.about { (sentence(&paragraph)) } }
                p.facts { (format::one_line(&circumstances(record))) }
            }
            @if let Some(partial) = partial(view) { p.warning role="note" { (format::lines(&partial)) } }
            (in_short(view))
            (questions(view))
            @for (number, series) in view.series.iter().enumerate() {
                (self::series(view, series, &format!("r{index}-s{number}")))
            }
            (method(view))
            (circumstances_in_full(view))
        }
    }
}

/// The first screen: which is fastest, and how sure that is.
fn in_short(view: &RecordView<'_>) -> Markup {
    html! {
        section.short aria-label="In short" {
            @if view.cells.is_empty() {
                div.card { p.verdict { "The record holds no cells: nothing was measured." } }
            }
            @for series in &view.series {
                @if let Some(chief) = view.chief(series) {
                    div.card {
                        h2 { (format::one_line(&chief.title)) }
                        p.verdict { (headline(chief)) }
                        @if let Some(note) = other_sizes(view, series, chief) { p.note { (sentence(&note)) } }
                        p.note { (sentence(&health(view, series))) }
                    }
                }
            }
        }
    }
}

fn headline(cell: &CellView<'_>) -> Markup {
    let headline = &cell.headline;
    html! { (headline.before) strong { (headline.name) } (sentence(&headline.after)) }
}

/// A sentence whose percent signs stay with their numbers.
fn sentence(text: &str) -> String {
    format::one_line(text).replace(" %", "\u{a0}%")
}

/// How the other sizes of a series compare with the one that speaks for it.
fn other_sizes(view: &RecordView<'_>, series: &Series, chief: &CellView<'_>) -> Option<String> {
    let key = series.key.as_ref().filter(|_| !chief.cell.ladder)?;
    let lead = chief.headline.fastest.first()?;
    let others = || series.cells.iter().map(|i| &view.cells[*i]).filter(|c| !std::ptr::eq(*c, chief));
    let same = others().filter(|c| c.headline.fastest.contains(lead)).count();
    // Who leads elsewhere, and at which sizes.
    let mut rest: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in others().filter(|c| !c.headline.fastest.contains(lead)) {
        let Some(leader) = cell.headline.fastest.first() else { continue };
        let size = cell.cell.params.get(key).map_or(String::new(), |v| view::size(key, v));
        match rest.iter_mut().find(|(known, _)| known == leader) {
            Some((_, sizes)) => sizes.push(size),
            None => rest.push((leader, vec![size])),
        }
    }
    let rest: Vec<String> =
        rest.into_iter().map(|(leader, sizes)| format!("{leader} at {}", format::listed(&sizes))).collect();
    let all = others().count();
    if same == all {
        let too =
            if all == 1 { "the other size too".to_string() } else { format!("all {all} other sizes too") };
        return Some(format!("It is among the fastest at {too}."));
    }
    let sizes = format::counted(all, "other size");
    let elsewhere = if rest.is_empty() { String::new() } else { format!("; elsewhere: {}", rest.join("; ")) };
    Some(format!("It is among the fastest at {same} of the {sizes}{elsewhere}."))
}

/// Whether answers agreed and rows failed, over a series, in a line.
fn health(view: &RecordView<'_>, series: &Series) -> String {
    let cells: Vec<&CellView<'_>> = series.cells.iter().map(|i| &view.cells[*i]).collect();
    let failures = || cells.iter().flat_map(|c| &c.rows).filter_map(|r| r.row.failure.as_ref());
    let skipped = failures().filter(|f| f.kind == FailureKind::Unsupported).count();
    let wrong = failures().filter(|f| f.kind == FailureKind::WrongDigest).count();
    let failed = failures().count() - skipped;
    let answers = cells.iter().flat_map(|c| &c.rows).filter(|r| r.row.digest.is_some()).count();
    let mut parts = vec![match (wrong, answers) {
        (0, 0) => "no answers were compared".to_string(),
        (0, _) => "answers agreed".to_string(),
        (wrong, _) => format!("{} wrong", format::counted(wrong, "answer")),
    }];
    if failed > 0 {
        parts.push(format!("{} failed", format::counted(failed, "row")));
    }
    if skipped > 0 {
        parts.push(format!("{} skipped", format::counted(skipped, "row")));
    }
    if cells.iter().all(|cell| !cell.cell.measure.is_time()) {
        parts.push("counted, not timed".to_string());
        return parts.join(" · ");
    }
    parts.push(match floor_of(view, series) {
        Some(floor) => format!("noise floor {}", format::percent(floor)),
        None => "noise floor not known".to_string(),
    });
    parts.join(" · ")
}

/// The greatest noise floor of the cells of a series.
fn floor_of(view: &RecordView<'_>, series: &Series) -> Option<f64> {
    series.cells.iter().filter_map(|index| view.cells[*index].floor).max_by(f64::total_cmp)
}

/// What the grey band of a figure is, where it has one.
fn band(floor: Option<f64>) -> &'static str {
    if floor.is_some() { " Grey band: noise floor." } else { "" }
}

fn questions(view: &RecordView<'_>) -> Markup {
    html! {
        @if !view.answers.is_empty() {
            section {
                h2 { "Questions" }
                @for (question, answer) in &view.answers {
                    div.question {
                        h3 { (format::one_line(&question.ask)) }
                        @match answer {
                            Err(error) => p { "This cannot be answered: " (format::one_line(&error.to_string())) "." },
                            Ok(answer) => {
                                p { (sentence(&words::answer(question, answer))) }
                                @if !answer.groups.is_empty() {
                                    details {
                                        summary { "By each label, number of threads and size" }
                                        div.figures {
                                            (figure(groups(question, answer, view.floor), None))
                                            ul { @for group in &answer.groups {
                                                li { (sentence(&words::group(&answer.measure, group))) }
                                            } }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn groups(
    question: &crate::record::Question,
    answer: &crate::question::Answer,
    floor: Option<f64>,
) -> Option<String> {
    let row = |group: &crate::question::Group| ForestRow {
        label: format::one_line(&words::group_name(group)),
        ratio: Some(group.mean.ratio),
    };
    let sides = format::one_line(&words::sides(question));
    let rows = answer.groups.iter().map(row).collect();
    let title = format!("{} the other side: {sides}", words::times_as(&answer.measure));
    Forest { axis: title.clone(), title, rows, floor }.svg()
}

fn figure(svg: Option<String>, caption: Option<&str>) -> Markup {
    html! {
        @if let Some(svg) = svg {
            figure {
                (PreEscaped(svg))
                @if let Some(caption) = caption { figcaption { (caption) } }
            }
        }
    }
}

/// How the contestants of a series are drawn.
struct Pens {
    /// In the order of the record.
    contestants: Vec<String>,
    /// From the greatest to the least: the first is drawn solid.
    threads: Vec<usize>,
}

impl Pens {
    fn new(view: &RecordView<'_>, series: &Series) -> Self {
        let mut contestants = Vec::new();
        let mut threads = Vec::new();
        for cell in series.cells.iter().map(|index| &view.cells[*index]) {
            let mut rows: Vec<&RowView<'_>> = cell.rows.iter().filter(|row| row.competes()).collect();
            rows.sort_by_key(|row| row.index);
            for row in rows {
                threads.push(row.row.threads);
                if !contestants.contains(&row.contestant) {
                    contestants.push(row.contestant.clone());
                }
            }
        }
        threads.sort_unstable_by(|a, b| b.cmp(a));
        threads.dedup();
        Pens { contestants, threads }
    }

    fn of(&self, contestant: &str, threads: usize) -> Pen {
        Pen {
            contestant: self.contestants.iter().position(|c| c == contestant).unwrap_or(0),
            dash: self.threads.iter().position(|t| *t == threads).unwrap_or(0),
        }
    }
}

fn series(view: &RecordView<'_>, series: &Series, id: &str) -> Markup {
    let pens = Pens::new(view, series);
    let chief = view.chief(series);
    html! {
        section {
            h2 { (format::one_line(&series.title)) }
            // The steps of a ladder are more than a figure could tell apart.
            @if let Some(key) = series.key.as_ref().filter(|_| chief.is_none_or(|chief| !chief.cell.ladder)) {
                div.figures {
                    (figure(over_size(view, series, key, &pens, Axes::Value),
                        Some("One iteration over size, both axes logarithmic.")))
                    (figure(over_size(view, series, key, &pens, Axes::Speed),
                        Some(&format!("Speed over the baseline's, with {} intervals.{}",
                            words::confidence(), band(floor_of(view, series))))))
                }
                (legend(view, series, &pens))
            }
            @for (number, index) in series.cells.iter().enumerate() {
                @let cell = &view.cells[*index];
                @let open = chief.is_some_and(|chief| std::ptr::eq(chief, cell));
                details.cell id=(format!("{id}-c{number}")) open[open] {
                    summary {
                        @if let Some(size) = size_of(series, cell) { span.size { (size) } }
                        span.says { (headline(cell)) }
                    }
                    (self::cell(cell, &pens))
                }
            }
        }
    }
}

/// What tells a cell from the others of its series.
fn size_of(series: &Series, cell: &CellView<'_>) -> Option<String> {
    let key = series.key.as_ref()?;
    Some(format::one_line(&view::size(key, cell.cell.params.get(key)?)))
}

/// What is drawn over size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axes {
    /// Times, or counts.
    Value,
    /// Times as fast as the baseline.
    Speed,
}

/// Rows of a series by contestant and threads, in the order of the record.
fn lines_of(view: &RecordView<'_>, series: &Series, pens: &Pens) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for contestant in &pens.contestants {
        for threads in &pens.threads {
            let measured = |index: &usize| find(&view.cells[*index], contestant, *threads).is_some();
            if series.cells.iter().any(measured) {
                found.push((contestant.clone(), *threads));
            }
        }
    }
    found
}

fn find<'a, 'b>(cell: &'a CellView<'b>, contestant: &str, threads: usize) -> Option<&'a RowView<'b>> {
    cell.rows.iter().find(|r| r.competes() && r.contestant == contestant && r.row.threads == threads)
}

fn over_size(view: &RecordView<'_>, series: &Series, key: &str, pens: &Pens, axes: Axes) -> Option<String> {
    let cells: Vec<(u64, &CellView<'_>)> = series
        .cells
        .iter()
        .filter_map(|index| Some((view::number(view.cells[*index].cell, key)?, &view.cells[*index])))
        .collect();
    let value = |row: &RowView<'_>| match axes {
        Axes::Value => row.value.map(|t| Estimate { interval: None, ..t }),
        Axes::Speed => row.ratio.map(Estimate::inverse),
    };
    let line = |(contestant, threads): (String, usize)| {
        let points: Vec<Point> = cells
            .iter()
            .filter_map(|(size, cell)| {
                let row = find(cell, &contestant, threads)?;
                Some(Point::log(size_coordinate(key, *size), &value(row)?))
            })
            .collect();
        (pens.of(&contestant, threads), points)
    };
    let lines: Vec<(Pen, Vec<Point>)> =
        lines_of(view, series, pens).into_iter().map(line).filter(|(_, points)| !points.is_empty()).collect();
    let limit: Vec<(f64, f64)> = cells
        .iter()
        .filter_map(|(size, cell)| {
            let limits = cell.rows.iter().filter(|r| r.row.role == Role::Limit && r.value.is_some());
            let best = limits.max_by_key(|r| r.row.threads)?;
            Some((size_coordinate(key, *size), best.value?.value.ln()))
        })
        .collect();
    let guide = (axes == Axes::Value && limit.len() > 1)
        .then_some(Guide { name: "dots: limit of the machine", points: limit });
    let values = lines.iter().flat_map(|(_, points)| points).flat_map(extent);
    let guided = guide.iter().flat_map(|guide| &guide.points).map(|(_, y)| *y);
    let sizes: Vec<u64> = cells.iter().map(|(size, _)| *size).collect();
    let name = format::one_line(&series.title);
    let measure = series.cells.first().map_or(&Measure::Time, |i| &view.cells[*i].cell.measure);
    let baseline = series.cells.first().map_or("", |i| view.cells[*i].baseline.as_str());
    let (y, title) = match axes {
        Axes::Value => {
            let (title, label) = words::axis(measure);
            (Axis::values(&title, label, values.chain(guided))?, format!("{title} over {key}: {name}"))
        }
        Axes::Speed => {
            let title = format!("{} {baseline}", words::times_as(measure));
            (Axis::factors(&title, values)?, format!("Speed over that of {baseline}, over {key}: {name}"))
        }
    };
    if lines.is_empty() {
        return None;
    }
    let band = floor_of(view, series).filter(|_| axes == Axes::Speed).map(|f| (-f.ln_1p(), f.ln_1p()));
    let spread = if axes == Axes::Speed { Spread::Apart } else { Spread::None };
    Chart { title, x: Axis::sizes(key, &sizes)?, y, band, guide, lines, spread }.svg()
}

fn extent(point: &Point) -> [f64; 3] {
    let (low, high) = point.interval.unwrap_or((point.y, point.y));
    [point.y, low, high]
}

/// The legend of the plots over size.
fn legend(view: &RecordView<'_>, series: &Series, pens: &Pens) -> Markup {
    let entry = |(contestant, threads): (String, usize)| {
        let pen = pens.of(&contestant, threads);
        let several = pens.threads.len() > 1;
        let threads = format::counted(threads, "thread");
        (pen, if several { format!("{contestant}, {threads}") } else { contestant })
    };
    legend_list(lines_of(view, series, pens).into_iter().map(entry))
}

fn legend_list(entries: impl Iterator<Item = (Pen, String)>) -> Markup {
    html! {
        ul.legend aria-label="Legend" {
            @for (pen, name) in entries {
                li { @if let Some(svg) = swatch(pen) { (PreEscaped(svg)) } (name) }
            }
        }
    }
}

fn cell(cell: &CellView<'_>, pens: &Pens) -> Markup {
    let times_as = words::times_as(&cell.cell.measure);
    let row = |row: &RowView<'_>| ForestRow {
        label: row.name.clone(),
        ratio: row.ratio.filter(|_| !row.is_baseline),
    };
    let step = |row: &RowView<'_>| ForestRow { label: row.name.clone(), ratio: row.step };
    let forest = Forest {
        title: format!("Each row: {times_as} {}, with {} intervals", cell.baseline, words::confidence()),
        axis: format!("{times_as} {}", cell.baseline),
        rows: cell.rows.iter().filter(|r| r.is_baseline || r.ratio.is_some()).map(row).collect(),
        floor: cell.floor,
    };
    let steps = Forest {
        title: format!("Each step: {times_as} the one before"),
        axis: format!("{times_as} the step before"),
        rows: cell.rows.iter().filter(|r| r.step.is_some()).map(step).collect(),
        floor: cell.floor,
    };
    let scaling = scaling_lines(cell, pens);
    html! {
        div.figures {
            (figure(forest.svg(), Some(&if cell.cell.measure.is_time() {
                format!("Against the baseline, with {} intervals. Filled: a difference was found.{}",
                    words::confidence(), band(cell.floor))
            } else {
                "Against the baseline.".to_string()
            })))
            (figure(steps.svg(), Some("What each step brings: against the one before it.")))
            (figure(speedups(cell, &scaling),
                Some("Speed-up over the same contestant on one thread, or over the baseline where there is none.")))
        }
        @if !scaling.is_empty() {
            (legend_list(scaling.into_iter().map(|line| (line.pen, line.contestant))))
        }
        (tables::of(cell))
        p.note { (cell.agreement()) }
    }
}

/// A contestant's speed-up over threads.
struct ScalingLine {
    contestant: String,
    pen: Pen,
    points: Vec<Point>,
}

/// The contestants that ran on more than one thread.
fn scaling_lines(cell: &CellView<'_>, pens: &Pens) -> Vec<ScalingLine> {
    let threads = cell.threads();
    let Some(most) = threads.last() else { return Vec::new() };
    let line = |contestant: &String| {
        let rows = threads.iter().filter_map(|t| find(cell, contestant, *t));
        let points: Vec<Point> = rows
            .filter_map(|row| match &row.speedup {
                Some(speedup) => Some(Point::log(thread_coordinate(row.row.threads), &speedup.times)),
                None if row.row.threads == 1 => Some(Point { x: 0.0, y: 0.0, interval: None }),
                None => None,
            })
            .collect();
        let scales = points.iter().any(|p| p.x > 0.0);
        scales.then(|| ScalingLine {
            contestant: contestant.clone(),
            pen: pens.of(contestant, *most),
            points,
        })
    };
    pens.contestants.iter().filter_map(line).collect()
}

fn thread_coordinate(threads: usize) -> f64 {
    (threads.max(1) as f64).ln()
}

/// Speed-up over threads, where there is more than one number of them.
fn speedups(cell: &CellView<'_>, lines: &[ScalingLine]) -> Option<String> {
    let threads = cell.threads();
    let (least, most) = (*threads.first()?, *threads.last()?);
    if least == most || lines.is_empty() {
        return None;
    }
    let x = thread_coordinate;
    let ideal = threads.iter().map(|t| (x(*t), x(*t))).collect();
    let values = lines.iter().flat_map(|line| &line.points).flat_map(extent);
    Chart {
        title: format!("Speed-up over threads: {}", format::one_line(&cell.title)),
        x: Axis::threads(threads.iter().copied())?,
        y: Axis::factors("speed-up", values.chain([x(least), x(most)]))?,
        band: None,
        guide: Some(Guide { name: "dots: ideal", points: ideal }),
        lines: lines.iter().map(|line| (line.pen, line.points.clone())).collect(),
        spread: Spread::None,
    }
    .svg()
}

fn method(view: &RecordView<'_>) -> Markup {
    html! {
        section.prose {
            h2 { "How to read this" }
            @if view.cells.iter().any(|cell| !cell.cell.measure.is_time()) {
                p { strong { "Counts." } " " (sentence(words::COUNTED)) }
            }
            @if view.cells.is_empty() || view.cells.iter().any(|cell| cell.cell.measure.is_time()) {
                @let floor = view.floor.map_or("not known".to_string(), format::percent);
                p { strong { "Noise floor: " (floor) "." } " " (sentence(&words::noise_floor(view.floor))) }
                p { strong { "Statistics." } " " (sentence(&words::method(view.record))) }
            }
        }
    }
}

/// The machine, the build, how to repeat, and everything raw.
fn circumstances_in_full(view: &RecordView<'_>) -> Markup {
    let record = view.record;
    let machine = &record.machine;
    let caches: Vec<String> =
        machine.caches.iter().map(|(name, size)| format!("{name} {}", format::bytes(*size))).collect();
    let facts: Vec<(&str, String)> = vec![
        ("Processor", machine.processor.clone()),
        ("Architecture", machine.arch.clone()),
        ("Cores", if machine.cores > 0 { machine.cores.to_string() } else { String::new() }),
        ("Memory", if machine.memory > 0 { format::bytes(machine.memory) } else { String::new() }),
        ("Caches", caches.join(", ")),
        ("Backends", machine.backends.join(", ")),
        ("System", machine.system.clone()),
        (
            "Virtual machine",
            if machine.virtual_machine { "yes" } else { "none that shows itself" }.to_string(),
        ),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    html! {
        section {
            h2 { "Machine and build" }
            div.columns {
                dl { @for (name, value) in facts { dt { (name) } dd { (format::one_line(&value)) } } }
                dl { @for (name, value) in &record.build {
                    dt { (format::one_line(name)) } dd { (format::one_line(value)) }
                } }
            }
        }
        section {
            h2 { "Repeat it" }
            p { "Seed " code { (record.seed) } ", " (format::counted(record.rounds, "round")) "." }
            @if !record.command.is_empty() {
                pre tabindex="0" { code { (format::lines(&format::command_line(&record.command))) } }
            }
            @if !record.plan_text.is_empty() {
                details { summary { "The plan" } pre tabindex="0" { code { (format::lines(&record.plan_text)) } } }
            }
        }
        (failures(view))
        (digests(view))
    }
}

/// Rows without a result, those that failed alike in several cells told once.
fn failures(view: &RecordView<'_>) -> Markup {
    let mut groups: Vec<(&RowView<'_>, &Failure, Vec<String>)> = Vec::new();
    for cell in &view.cells {
        for row in &cell.rows {
            let Some(failure) = &row.row.failure else { continue };
            let alike = |(other, known, _): &&mut (&RowView<'_>, &Failure, Vec<String>)| {
                *known == failure && other.name == row.name && other.row.command == row.row.command
            };
            match groups.iter_mut().find(alike) {
                Some((_, _, cells)) => cells.push(cell.title.clone()),
                None => groups.push((row, failure, vec![cell.title.clone()])),
            }
        }
    }
    html! {
        @if !groups.is_empty() {
            section {
                h2 { "Rows without a result" }
                @for (row, failure, cells) in groups {
                    details {
                        summary {
                            strong { (row.name) } ", " (view::kind(failure.kind)) ": " (format::one_line(&failure.why))
                        }
                        p.note { "In " (format::one_line(&cells.join("; "))) "." }
                        @if !row.row.command.is_empty() {
                            pre tabindex="0" { code { (format::lines(&format::command_line(&row.row.command))) } }
                        }
                        @if failure.stderr.trim().is_empty() { p.note { "It wrote nothing to standard error." } }
                        @else { pre tabindex="0" { code { (format::lines(&failure.stderr)) } } }
                    }
                }
            }
        }
    }
}

fn digests(view: &RecordView<'_>) -> Markup {
    html! {
        @if !view.cells.is_empty() {
            section {
                h2 { "Inputs and answers" }
                details {
                    summary { "Digests of every cell" }
                    @for cell in &view.cells {
                        h3 { (format::one_line(&cell.title)) }
                        @if !cell.cell.input_digest.is_empty() {
                            p.digest { "input, " (format::bytes(cell.cell.input_bytes)) ": "
                                code { (format::one_line(&cell.cell.input_digest)) } }
                        }
                        @for (digest, names) in answers(cell) {
                            p.digest { (names.join(", ")) ": " code { (format::one_line(&digest)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Digests of a cell's answers, each with those who gave it.
fn answers(cell: &CellView<'_>) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for row in &cell.rows {
        let Some(digest) = &row.row.digest else { continue };
        match found.iter_mut().find(|(known, _)| known == digest) {
            Some((_, names)) => names.push(row.name.clone()),
            None => found.push((digest.clone(), vec![row.name.clone()])),
        }
    }
    found
}
