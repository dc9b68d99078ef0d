//! Sentences for one screen: the machine, the means over cases, what stands out and what was skipped.

use std::collections::BTreeSet;

use parcrypt_lab::record::{FailureKind, Measure, Record, Role};
use parcrypt_lab::stats::Estimate;

use super::{confidence, counted_rounds};
use crate::format;
use crate::view::{RecordView, within_noise};

/// Number of candidates whose means are listed.
const MEANS: usize = 3;
/// Number of characters of the reason for a skipped entry.
const WHY: usize = 90;

/// Returns the processor with its instruction set, its cores, and the extent of the run, in a line.
pub(crate) fn machine(record: &Record) -> String {
    let machine = &record.machine;
    let cores = if machine.cores > 0 { format::counted(machine.cores, "core") } else { String::new() };
    let host = if machine.virtual_machine { "virtual machine" } else { "" };
    let took = format!("{} in {}", counted_rounds(record), format::seconds(record.took_s));
    let mut parts = vec![super::processor(machine), cores, host.to_string(), took];
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Returns the means of the fastest candidates over cases, in a sentence; `None` if there are none with an interval.
pub(crate) fn means_in_short(view: &RecordView<'_>) -> Option<String> {
    let controls: BTreeSet<&str> = view
        .cases
        .iter()
        .flat_map(|case| &case.entries)
        .filter(|entry| entry.entry.role != Role::Candidate)
        .map(|entry| entry.candidate.as_str())
        .collect();
    let is_control = |name: &str| {
        controls.iter().any(|control| {
            name.strip_prefix(control).is_some_and(|rest| rest.is_empty() || rest.starts_with(" on "))
        })
    };
    let with = |mean: &crate::view::MeanView| {
        let ratio = mean.ratio.as_ref().filter(|ratio| ratio.ratio.interval.is_some())?;
        (!is_control(&mean.name)).then_some((mean.name.clone(), ratio.pairs, ratio.ratio))
    };
    let mut means: Vec<_> = view.means.entries.iter().filter_map(with).collect();
    // Means over different cases cannot be compared.
    let cases = means.iter().map(|(_, cases, _)| *cases).max()?;
    means.retain(|(_, of, _)| *of == cases);
    means.sort_by(|a, b| a.2.value.total_cmp(&b.2.value));
    let faster = means.iter().filter(|(.., ratio)| ratio.interval.is_some_and(|i| i.high < 1.0)).count();
    means.truncate(faster.clamp(1, MEANS));
    let floor = view.floor_of(&Measure::Time);
    let part = |(at, (name, _, ratio)): (usize, &(String, usize, Estimate))| {
        let speed = ratio.inverse();
        let noise = if within_noise(ratio, floor) { ", within the noise floor" } else { "" };
        let (low, high) = speed.interval.map(|i| format::factor_bounds(speed.value, i)).unwrap_or_default();
        let (name, times) = (format::one_line(name), format::factor(speed.value));
        match at {
            0 => {
                let baseline = format::one_line(&view.means.baseline);
                let sure = confidence();
                format!(
                    "{name} is {times} times as fast as {baseline} ({sure} interval {low} to {high}{noise})"
                )
            }
            _ => format!("{name} {times} times ({low} to {high}{noise})"),
        }
    };
    let parts: Vec<String> = means.iter().enumerate().map(part).collect();
    Some(format!("In the mean of {}, {}.", format::counted(cases, "case"), format::listed(&parts)))
}

/// Returns the entries that were skipped in cases in which others were not, with the first reason, in a sentence;
/// `None` without any.
pub(crate) fn skipped_entries(view: &RecordView<'_>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut reasons: Vec<&str> = Vec::new();
    for case in view.cases.iter().filter(|case| !case.is_unsupported()) {
        for entry in &case.entries {
            let Some(failure) = &entry.entry.failure else { continue };
            if failure.kind != FailureKind::Unsupported || entry.entry.role == Role::Control {
                continue;
            }
            if !names.contains(&entry.candidate) {
                names.push(entry.candidate.clone());
            }
            if !reasons.contains(&failure.why.as_str()) {
                reasons.push(&failure.why);
            }
        }
    }
    let why = format::cut(reasons.first()?.trim_end_matches('.'), WHY);
    let others = match reasons.len() - 1 {
        0 => String::new(),
        more => format!("; {}", format::counted(more, "other reason")),
    };
    Some(format!("Skipped: {} ({why}{others}).", format::listed(&names)))
}

/// Returns the names of entries that are not told apart, such as `rayon or openmp on 2 threads`; of more than `most`,
/// the rest is counted.
pub(crate) fn either(names: &[String], most: usize) -> String {
    let ends: BTreeSet<Option<&str>> =
        names.iter().map(|name| name.rfind(" on ").map(|at| &name[at..])).collect();
    let end = match ends.into_iter().collect::<Vec<_>>()[..] {
        [Some(end)] if names.len() > 1 => end.to_string(),
        _ => String::new(),
    };
    let names: Vec<&str> = names.iter().map(|name| name.strip_suffix(&end).unwrap_or(name)).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first @ .., last] if names.len() <= most => format!("{} or {last}{end}", first.join(", ")),
        _ => format!("{} or {} others{end}", names[..most - 1].join(", "), names.len() + 1 - most),
    }
}
