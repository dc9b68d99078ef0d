//! The tables of a case.

use maud::{Markup, html};

use crate::figures::capital;
use crate::view::{CaseView, EntryView, RecordView};
use crate::{format, words};
use parcrypt_lab::record::{FailureKind, Role};
use parcrypt_lab::stats::{Estimate, Verdict};

/// All tables of a case: its entries, where their time goes, and what went before.
pub(crate) fn of(case: &CaseView<'_>) -> Markup {
    let title = format::one_line(&case.title);
    let measure = &case.case.measure;
    html! {
        (table(case))
        (parts(
            &format!("Phases of {title}"),
            &words::phases(measure),
            case.entries.iter().filter(|entry| entry.phases.len() > 1),
            &case.phases,
            |entry, name| entry.phase(measure, name),
        ))
        (parts(
            &format!("Before the work of {title}"),
            words::BEFORE,
            case.entries.iter().filter(|entry| !entry.before.is_empty()),
            &case.before,
            EntryView::time_before,
        ))
    }
}

fn table(case: &CaseView<'_>) -> Markup {
    let scaling = case.threads().len() > 1;
    let limit = case.entries.iter().any(|entry| entry.limit.is_some());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Table of {}", format::one_line(&case.title))) {
            table {
                thead { tr {
                    th scope="col" { "Candidate" }
                    th.number scope="col" { "Threads" }
                    th.number scope="col" { (capital(&words::column(&case.case.measure))) }
                    th scope="col" { "Against " (case.baseline) }
                    @if case.case.steps { th scope="col" { "Against the step before" } }
                    @if case.case.throughput { th.number scope="col" { "Throughput" } }
                    @if scaling { th.number scope="col" { "Speed-up" } th.number scope="col" { "Efficiency" } }
                    @if limit { th.number scope="col" { "Of the limit" } }
                    @for name in &case.counted { th.number scope="col" { (heading(name)) } }
                    th scope="col" { "Runs as" }
                } }
                tbody { @for entry in &case.entries { (table_entry(entry, case, scaling, limit)) } }
            }
        }
    }
}

/// The table of means over cases.
pub(crate) fn means(view: &RecordView<'_>) -> Markup {
    let split = |text: String| {
        let (value, bounds) =
            text.split_once(" [").map_or((text.as_str(), ""), |(value, rest)| (value, rest));
        let (bounds, cases) = bounds.rsplit_once(", ").unwrap_or((bounds, ""));
        let note = [bounds.trim_end_matches(']'), cases].join(" · ");
        html! { (value) span.interval { (note.trim_matches([' ', '·'])) } }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of means" {
            table {
                thead { tr {
                    th scope="col" { "Candidate" }
                    th.number scope="col" { "Against " (view.means.baseline) }
                    th.number scope="col" { "Throughput" }
                } }
                tbody { @for mean in &view.means.entries {
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
    entries: impl Iterator<Item = &'a EntryView<'a>>,
    names: &[&str],
    part: impl Fn(&EntryView<'a>, &str) -> String,
) -> Markup {
    html! {
        @if !names.is_empty() {
            p.note { (caption) }
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr {
                        th scope="col" { "Candidate" }
                        @for name in names { th.number scope="col" { (heading(name)) } }
                    } }
                    tbody { @for entry in entries {
                        tr {
                            th scope="row" { (entry.name) }
                            @for name in names { td.number { (part(entry, name)) } }
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

fn table_entry(entry: &EntryView<'_>, case: &CaseView<'_>, scaling: bool, limit: bool) -> Markup {
    let part = match entry.entry.role {
        Role::Candidate => "",
        Role::Control => "control",
        Role::Limit => "limit",
    };
    let interval = |text: Option<String>| html! { @if let Some(text) = text { span.interval { (text) } } };
    html! {
        tr.baseline[entry.is_baseline] {
            th scope="row" {
                (entry.candidate)
                @if !part.is_empty() { " " span.tag { (part) } }
                @if !entry.entry.about.is_empty() { span.interval.about { (format::one_line(&entry.entry.about)) } }
            }
            td.number { (entry.entry.threads) }
            @if let Some(why) = entry.no_result() {
                @let columns = 2 + usize::from(case.case.steps) + usize::from(case.case.throughput) + 2 * usize::from(scaling) + usize::from(limit) + case.counted.len();
                @let skipped = entry.entry.failure.as_ref().is_none_or(|f| f.kind == FailureKind::Unsupported);
                td.reason.failed[!skipped] colspan=(columns) { (format::one_line(&why)) }
            } @else {
                td.number { @if let Some(value) = entry.value {
                    (words::value(&case.case.measure, value.value))
                    @if case.case.measure.is_time() { (interval(value.interval.map(format::time_interval))) }
                } }
                td { @match &entry.ratio {
                    Some(ratio) => (compared(ratio, case)),
                    None => span.muted { @if entry.is_baseline { "baseline" } @else { "–" } },
                } }
                @if case.case.steps {
                    td { @match &entry.step {
                        Some(step) => (compared(step, case)),
                        None => span.muted { "–" },
                    } }
                }
                @if case.case.throughput {
                    td.number { @if let Some(rate) = &entry.throughput {
                        (format::rate(rate.value))
                        (interval(rate.interval.map(|i| format::rate_interval(rate.value, i))))
                    } @else { "–" } }
                }
                @if scaling {
                    td.number { @if let Some(s) = &entry.speedup {
                        (format::factor(s.times.value))
                        (interval(s.times.interval.map(|i| {
                            let (low, high) = format::factor_bounds(s.times.value, i);
                            format!("{low} to {high}")
                        })))
                    } @else { "–" } }
                    td.number { @if let Some(s) = &entry.speedup {
                        (format::share(&s.efficiency))
                        (interval(s.efficiency.interval.map(format::share_interval)))
                    } @else { "–" } }
                }
                @if limit {
                    td.number { @if let Some(share) = &entry.limit {
                        (format::share(share))
                        (interval(share.interval.map(format::share_interval)))
                    } @else { "–" } }
                }
                @for name in &case.counted { td.number { (entry.count(name)) } }
            }
            td { (format::one_line(&entry.runs_as())) }
        }
    }
}

fn compared(ratio: &Estimate, case: &CaseView<'_>) -> Markup {
    let text = words::against(&case.case.measure, ratio, case.floor);
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
