//! The tables of a cell.

use maud::{Markup, html};

use super::super::figures::capital;
use super::super::view::{CellView, RecordView, RowView};
use super::super::{format, words};
use crate::record::{FailureKind, Role};
use crate::stats::{Estimate, Verdict};

/// All tables of a cell: its rows, where their time goes, and what went before.
pub(super) fn of(cell: &CellView<'_>) -> Markup {
    let title = format::one_line(&cell.title);
    let measure = &cell.cell.measure;
    html! {
        (table(cell))
        (parts(
            &format!("Phases of {title}"),
            &words::phases(measure),
            cell.rows.iter().filter(|row| row.phases.len() > 1),
            &cell.phases,
            |row, name| row.phase(measure, name),
        ))
        (parts(
            &format!("Before the work of {title}"),
            words::BEFORE,
            cell.rows.iter().filter(|row| !row.before.is_empty()),
            &cell.before,
            RowView::time_before,
        ))
    }
}

fn table(cell: &CellView<'_>) -> Markup {
    let scaling = cell.threads().len() > 1;
    let limit = cell.rows.iter().any(|row| row.limit.is_some());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Table of {}", format::one_line(&cell.title))) {
            table {
                thead { tr {
                    th scope="col" { "Contestant" }
                    th.number scope="col" { "Threads" }
                    th.number scope="col" { (capital(&words::column(&cell.cell.measure))) }
                    th scope="col" { "Against " (cell.baseline) }
                    @if cell.cell.ladder { th scope="col" { "Against the step before" } }
                    @if cell.cell.throughput { th.number scope="col" { "Throughput" } }
                    @if scaling { th.number scope="col" { "Speed-up" } th.number scope="col" { "Efficiency" } }
                    @if limit { th.number scope="col" { "Of the limit" } }
                    @for name in &cell.counted { th.number scope="col" { (heading(name)) } }
                    th scope="col" { "Runs as" }
                } }
                tbody { @for row in &cell.rows { (table_row(row, cell, scaling, limit)) } }
            }
        }
    }
}

/// The table of means over cells.
pub(super) fn means(view: &RecordView<'_>) -> Markup {
    let split = |text: String| {
        let (value, bounds) =
            text.split_once(" [").map_or((text.as_str(), ""), |(value, rest)| (value, rest));
        let (bounds, cells) = bounds.rsplit_once(", ").unwrap_or((bounds, ""));
        let note = [bounds.trim_end_matches(']'), cells].join(" · ");
        html! { (value) span.interval { (note.trim_matches([' ', '·'])) } }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of means" {
            table {
                thead { tr {
                    th scope="col" { "Contestant" }
                    th.number scope="col" { "Against " (view.means.baseline) }
                    th.number scope="col" { "Throughput" }
                } }
                tbody { @for mean in &view.means.rows {
                    tr {
                        th scope="row" { (mean.name) }
                        td.number { @match &mean.ratio {
                            Some(ratio) => (split(words::mean_against(ratio, view.floor))),
                            None => "–",
                        } }
                        td.number { @match &mean.throughput {
                            Some(rate) => (split(words::mean_rate(rate))),
                            None => "–",
                        } }
                    }
                } }
            }
        }
    }
}

/// A table of parts by name, where there are any.
fn parts<'a>(
    title: &str,
    caption: &str,
    rows: impl Iterator<Item = &'a RowView<'a>>,
    names: &[&str],
    part: impl Fn(&RowView<'a>, &str) -> String,
) -> Markup {
    html! {
        @if !names.is_empty() {
            p.note { (caption) }
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr {
                        th scope="col" { "Contestant" }
                        @for name in names { th.number scope="col" { (heading(name)) } }
                    } }
                    tbody { @for row in rows {
                        tr {
                            th scope="row" { (row.name) }
                            @for name in names { td.number { (part(row, name)) } }
                        }
                    } }
                }
            }
        }
    }
}

/// The name of something counted, as a heading of the table.
fn heading(name: &str) -> String {
    capital(&format::counted_name(name))
}

fn table_row(row: &RowView<'_>, cell: &CellView<'_>, scaling: bool, limit: bool) -> Markup {
    let part = match row.row.role {
        Role::Contestant => "",
        Role::Control => "control",
        Role::Limit => "limit",
    };
    let interval = |text: Option<String>| html! { @if let Some(text) = text { span.interval { (text) } } };
    html! {
        tr.baseline[row.is_baseline] {
            th scope="row" {
                (row.contestant)
                @if !part.is_empty() { " " span.tag { (part) } }
                @if !row.row.about.is_empty() { span.interval.about { (format::one_line(&row.row.about)) } }
            }
            td.number { (row.row.threads) }
            @if let Some(why) = row.no_result() {
                @let columns = 2 + usize::from(cell.cell.ladder) + usize::from(cell.cell.throughput) + 2 * usize::from(scaling) + usize::from(limit) + cell.counted.len();
                @let skipped = row.row.failure.as_ref().is_none_or(|f| f.kind == FailureKind::Unsupported);
                td.reason.failed[!skipped] colspan=(columns) { (format::one_line(&why)) }
            } @else {
                td.number { @if let Some(value) = row.value {
                    (words::value(&cell.cell.measure, value.value))
                    @if cell.cell.measure.is_time() { (interval(value.interval.map(format::time_interval))) }
                } }
                td { @match &row.ratio {
                    Some(ratio) => (compared(ratio, cell)),
                    None => span.muted { @if row.is_baseline { "baseline" } @else { "–" } },
                } }
                @if cell.cell.ladder {
                    td { @match &row.step {
                        Some(step) => (compared(step, cell)),
                        None => span.muted { "–" },
                    } }
                }
                @if cell.cell.throughput {
                    td.number { @if let Some(rate) = &row.throughput {
                        (format::rate(rate.value))
                        (interval(rate.interval.map(|i| format::rate_interval(rate.value, i))))
                    } @else { "–" } }
                }
                @if scaling {
                    td.number { @if let Some(s) = &row.speedup {
                        (format::factor(s.times.value))
                        (interval(s.times.interval.map(|i| {
                            let (low, high) = format::factor_bounds(s.times.value, i);
                            format!("{low} to {high}")
                        })))
                    } @else { "–" } }
                    td.number { @if let Some(s) = &row.speedup {
                        (format::share(&s.efficiency))
                        (interval(s.efficiency.interval.map(format::share_interval)))
                    } @else { "–" } }
                }
                @if limit {
                    td.number { @if let Some(share) = &row.limit {
                        (format::share(share))
                        (interval(share.interval.map(format::share_interval)))
                    } @else { "–" } }
                }
                @for name in &cell.counted { td.number { (row.count(name)) } }
            }
            td { (format::one_line(&row.runs_as())) }
        }
    }
}

fn compared(ratio: &Estimate, cell: &CellView<'_>) -> Markup {
    let text = words::against(&cell.cell.measure, ratio, cell.floor);
    let (what, bounds) = match text.split_once(" [") {
        Some((what, bounds)) => (what.to_string(), format!("[{bounds}")),
        None => (text, String::new()),
    };
    let class = match Verdict::of(ratio) {
        Verdict::Faster(_) => "faster",
        Verdict::Slower(_) => "slower",
        Verdict::NoDifference | Verdict::TooFewRounds => "muted",
    };
    html! { span class=(class) { (what) } @if !bounds.is_empty() { span.interval { (bounds) } } }
}
