//! What a record says as a whole: what bounds its kernels, which share of a limit the fastest reach, and whether what
//! the plan claims is kept.

use super::{ABOVE_THE_ROOF, confidence};
use crate::format;
use crate::view::roofline::{Bound, Place};
use crate::view::{CaseView, EntryView, RecordView};

/// Maximum number of cases that are named one by one; of more, the largest of each series are.
const MOST: usize = 9;

/// What a record says as a whole, in a title and some sentences.
pub(crate) struct Finding {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
}

/// Returns what a record says as a whole; empty if its plan has no roofline and no limit.
pub(crate) fn findings(view: &RecordView<'_>) -> Vec<Finding> {
    // The limit of an entry is its roof, if it has one.
    let mut shares = view.cases.iter().flat_map(|case| &case.entries).filter_map(|entry| entry.limit);
    let with = match shares.any(|share| share.interval.is_some()) {
        true => format!(", with {} intervals", confidence()),
        false => String::new(),
    };
    let found = [
        (format!("What bounds each candidate, and its share of that roof{with}"), lines(view, roof)),
        (format!("Share of the limit that the fastest reaches{with}"), lines(view, limit)),
    ];
    let finding = |(title, lines)| Finding { title, lines };
    found.into_iter().map(finding).filter(|finding| !finding.lines.is_empty()).collect()
}

/// Returns a line for each case that has one.
fn lines(view: &RecordView<'_>, of: fn(&CaseView<'_>) -> Option<String>) -> Vec<String> {
    let cases = || view.series.iter().flat_map(|series| series.cases.iter().map(|index| &view.cases[*index]));
    let all: Vec<String> = cases().filter_map(of).collect();
    match all.len() {
        ..=MOST => all,
        _ => view.series.iter().filter_map(|series| view.chief(series)).filter_map(of).collect(),
    }
}

/// Returns what bounds the entries of a case, and their shares of the roof.
fn roof(case: &CaseView<'_>) -> Option<String> {
    let bound = |bound: Bound| {
        let place = |entry: &EntryView<'_>| {
            let place = entry.roof.as_ref().filter(|place| place.bound == bound)?;
            Some(format!("{} reaches {}", entry.name, share(place)))
        };
        let places: Vec<String> = case.entries.iter().filter_map(place).collect();
        (!places.is_empty()).then(|| format!("by {}: {}", bound.name(), places.join(", ")))
    };
    let bounds: Vec<String> = [Bound::Memory, Bound::Arithmetic].into_iter().filter_map(bound).collect();
    (!bounds.is_empty()).then(|| format!("{} is bound {}.", case.title, bounds.join("; ")))
}

fn share(place: &Place) -> String {
    let interval = place.share.interval.map(|interval| format!(" ({})", format::share_interval(interval)));
    let above = if place.is_above() { format!(", {ABOVE_THE_ROOF}") } else { String::new() };
    format!("{}{}{above}", format::share(&place.share), interval.unwrap_or_default())
}

/// Returns which share of the limit on as many threads the fastest entry of a case reaches that has such a limit.
fn limit(case: &CaseView<'_>) -> Option<String> {
    // The start of a shell is not a limit of what it runs, and steps are no rivals.
    if case.case.is_of_commands() || case.case.steps || !case.case.measure.is_time() {
        return None;
    }
    let reaches = |entry: &EntryView<'_>| {
        let share = entry.limit.filter(|_| entry.competes() && entry.roof.is_none())?;
        let interval = share.interval.map(|interval| format!(" ({})", format::share_interval(interval)));
        let interval = interval.unwrap_or_default();
        // More than the error of a measurement.
        let above =
            if share.value > 1.1 { ": more than the limit, which was measured too slow here" } else { "" };
        Some(format!("{}: {} reaches {}{interval}{above}.", case.title, entry.name, format::share(&share)))
    };
    case.entries.iter().find_map(reaches)
}

/// Returns how many of the minimum speeds that a plan claims are kept, in some sentences; `None` if it claims none.
pub(crate) fn claims(view: &RecordView<'_>) -> Option<String> {
    let mut least: Vec<f64> = view.record.cases.iter().filter_map(|case| case.least_speed).collect();
    least.sort_by(f64::total_cmp);
    let (low, high) = (least.first()?, least.last()?);
    let least = if low == high { format!("{low}") } else { format!("{low} to {high}") };
    let [kept, broken, open, without] =
        [&view.claims.kept, &view.claims.broken, &view.claims.open, &view.claims.without_interval]
            .map(Vec::len);
    let what = format!(
        "The plan claims that every candidate is at least {least} times as fast as its case's baseline."
    );
    let entries = match kept + broken + open {
        0 => return Some(format!("{what} No entry has an interval, so none can be judged.")),
        entries => format::counted(entries, "entry"),
    };
    let without = match without {
        0 => String::new(),
        one => format!(" {} without an interval cannot be judged.", format::counted(one, "entry")),
    };
    Some(format!(
        "{what} Of {entries} with an interval, {kept} keep the claim and {broken} break it, each with the whole interval; \
         for {open} the interval is too wide to tell.{without}"
    ))
}
