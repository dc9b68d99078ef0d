//! Figures of a record: ratios with their intervals, and values over a size or a number of threads. The kind of a case
//! decides which it has: a chart over size if its series has several sizes, a chart over threads if not and it has
//! several numbers of threads, and its entries against the baseline.

pub(crate) mod drawing;

use std::collections::BTreeSet;

use crate::suite::{self, SuiteView};
use crate::view::{self, CaseView, EntryView, RecordView, Series};
use crate::{format, sentences};
use drawing::{Axis, Chart, Drawing, Forest, ForestRow, Line, Point, size_coordinate};
use parcrypt_lab::question::{Answer, Group};
use parcrypt_lab::record::{Measure, Question};

/// Maximum number of lines of a chart, and of rows of a forest.
const LINES: usize = 8;
const ROWS: usize = 24;

/// A figure.
pub(crate) struct Figure {
    /// Name of its file without the ending.
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) drawing: Drawing,
}

/// Returns all figures of a record, each with a name of its own.
pub(crate) fn all(view: &RecordView<'_>) -> Vec<Figure> {
    // The benchmarks of a suite are too many for figures of their own.
    if let Some(suite) = suite::of(view.record) {
        return changes(&suite).into_iter().collect();
    }
    let mut figures: Vec<Figure> = over_cases(view).into_iter().collect();
    for series in &view.series {
        figures.extend(of_series(view, series));
        figures.extend(series.cases.iter().flat_map(|index| of_case(series, &view.cases[*index])));
    }
    // Different titles may give the same name.
    let mut names = BTreeSet::new();
    for figure in &mut figures {
        let name = figure.name.clone();
        let mut number = 2;
        while !names.insert(figure.name.clone()) {
            figure.name = format!("{name}-{number}");
            number += 1;
        }
    }
    figures
}

/// Returns the figure next to the verdict of a record: what it says over its cases, or its representative case. `None`
/// if nothing has a ratio.
pub(crate) fn chief(view: &RecordView<'_>) -> Option<Figure> {
    if let Some(suite) = suite::of(view.record) {
        return changes(&suite);
    }
    let of_case = || view.series.iter().find_map(|series| against(view.chief(series)?));
    over_cases(view).or_else(of_case)
}

/// Returns the charts over the sizes of a series: one for each number of threads, the largest first.
pub(crate) fn of_series(view: &RecordView<'_>, series: &Series) -> Vec<Figure> {
    // A sequence of steps has more lines than a chart can distinguish.
    let is_of_steps = view.chief(series).is_some_and(|chief| chief.case.steps);
    let Some(key) = series.key.as_ref().filter(|_| !is_of_steps) else { return Vec::new() };
    let size = |case: &CaseView<'_>| view::number(case.case, key);
    let cases: Vec<&CaseView<'_>> = series.cases.iter().map(|index| &view.cases[*index]).collect();
    let sizes: Vec<u64> = cases.iter().filter_map(|case| size(case)).collect();
    let threads: BTreeSet<usize> = cases.iter().flat_map(|case| case.threads()).collect();
    let chart = |threads: usize| {
        let points = cases.iter().flat_map(|case| {
            let x = size(case).map(|size| size_coordinate(key, size));
            let there =
                case.entries.iter().filter(|entry| entry.competes() && entry.entry.threads == threads);
            there.filter_map(move |entry| Some((&*entry.candidate, x?, entry)))
        });
        let over = format!("{key} on {}", format::counted(threads, "thread"));
        over_values(cases.first()?, &series.title, &over, Axis::sizes(key, &sizes)?, points)
    };
    threads.into_iter().rev().filter_map(chart).collect()
}

/// Returns the figures of one case.
pub(crate) fn of_case(series: &Series, case: &CaseView<'_>) -> Vec<Figure> {
    let threads = case.threads();
    let over_threads = || {
        let there = case.entries.iter().filter(|entry| entry.competes());
        let x = |entry: &EntryView<'_>| (entry.entry.threads.max(1) as f64).ln();
        let points = there.map(|entry| (&*entry.candidate, x(entry), entry));
        over_values(case, &case.title, "threads", Axis::threads(threads.iter().copied())?, points)
    };
    let several = series.key.is_none() && threads.len() > 1;
    several.then(over_threads).flatten().into_iter().chain(against(case)).collect()
}

/// Returns the chart of the values of some entries, each with the name of its candidate and its place.
fn over_values<'p>(
    of: &CaseView<'_>,
    title: &str,
    over: &str,
    x: Axis,
    points: impl Iterator<Item = (&'p str, f64, &'p EntryView<'p>)>,
) -> Option<Figure> {
    let points =
        points.filter_map(|(name, x, entry)| Some((name, (entry.index, Point::log(x, &entry.value?)))));
    let mut lines = view::grouped(points);
    lines.retain(|(_, points)| points.len() > 1);
    for (_, points) in &mut lines {
        points.sort_by(|(_, a), (_, b)| a.x.total_cmp(&b.x));
    }
    let all = lines.len();
    let last = |points: &[(usize, Point)]| points.last().map_or(f64::INFINITY, |(_, point)| point.y);
    if all > LINES {
        lines.sort_by(|(_, a), (_, b)| last(a).total_cmp(&last(b)));
        lines.truncate(LINES);
    }
    // In the order of the plan, so that a candidate has one colour in all charts.
    lines.sort_by_key(|(_, points)| points.iter().map(|(index, _)| *index).min());
    let line = |(name, points): (&str, Vec<(usize, Point)>)| Line {
        name: name.to_string(),
        points: points.into_iter().map(|(_, point)| point).collect(),
    };
    let lines: Vec<Line> = lines.into_iter().map(line).collect();
    let (what, label) = sentences::axis(&of.case.measure);
    let extent = lines.iter().flat_map(|line| &line.points).flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [low, high]
    });
    let y = Axis::values(&what, label, extent)?;
    let which =
        if all > LINES { format!(" of the {LINES} fastest of {all} candidates") } else { String::new() };
    let title = format::one_line(title);
    Some(Figure {
        name: file_name(&[&title, "over", over]),
        caption: format!("{}{which} over {over}, on logarithmic axes.", capital(&what)),
        drawing: Drawing::Chart(Chart { title: format!("{what} over {over}: {title}"), x, y, lines }),
    })
}

/// Returns the forest of the entries of a case against its baseline; `None` if none has a ratio.
fn against(case: &CaseView<'_>) -> Option<Figure> {
    let row = |entry: &EntryView<'_>| Some(ForestRow::new(&entry.name, entry.ratio?));
    let rows: Vec<ForestRow> = case.entries.iter().filter_map(row).collect();
    let title = format::one_line(&case.title);
    let axis = format!("{} {}", sentences::times_as(&case.case.measure), case.baseline);
    forest(&[&title, "against-the-baseline"], &format!("{axis}: {title}"), &axis, rows, case.floor)
}

/// Returns all questions in one forest, the pairs of the only question, or the means over cases.
fn over_cases(view: &RecordView<'_>) -> Option<Figure> {
    let one = || {
        let asked = view.asked().into_iter();
        asked.filter_map(|(question, answer)| pairs(view, question, answer)).next()
    };
    questions(view).or_else(one).or_else(|| means(view))
}

/// Returns the answers to those questions of a record that compare what the first compares, if there are several.
fn questions(view: &RecordView<'_>) -> Option<Figure> {
    let answers = view.asked().into_iter().filter_map(|(question, answer)| {
        Some((&answer.measure, ForestRow::new(&question.ask, answer.overall.as_ref()?.ratio)))
    });
    let (measure, rows) = view::grouped(answers).into_iter().next().filter(|(_, rows)| rows.len() > 1)?;
    let axis = format!("{} the other side", sentences::times_as(measure));
    forest(&["questions"], &format!("All questions: {axis}"), &axis, rows, view.floor_of(measure))
}

/// Returns the answer to a question for the pairs that share a label, a number of threads or a size.
fn pairs(view: &RecordView<'_>, question: &Question, answer: &Answer) -> Option<Figure> {
    let row = |of: &Group| ForestRow::new(&sentences::group_name(of), of.mean.ratio);
    let axis = format!("{} the other side", sentences::times_as(&answer.measure));
    let title = format!("{axis}: {}", format::one_line(&sentences::sides(question)));
    let rows = answer.groups.iter().map(row).collect();
    forest(&["pairs", &question.ask], &title, &axis, rows, view.floor_of(&answer.measure))
}

/// Returns the means over cases against the common baseline, if they have a table.
fn means(view: &RecordView<'_>) -> Option<Figure> {
    view::tables::means(view)?;
    let row = |mean: &view::MeanView| Some(ForestRow::new(&mean.name, mean.ratio.as_ref()?.ratio));
    let rows = view.means.entries.iter().filter_map(row).collect();
    let axis = format!("{} {}", sentences::times_as(&Measure::Time), format::one_line(&view.means.baseline));
    forest(&["means"], &format!("Means over cases: {axis}"), &axis, rows, view.floor_of(&Measure::Time))
}

/// Returns the largest changes of a suite; `None` if nothing has changed.
fn changes(suite: &SuiteView<'_>) -> Option<Figure> {
    let rows = suite.changes().into_iter().map(|(name, ratio)| ForestRow::new(name, ratio)).collect();
    let axis = suite.axis();
    forest(&["changes"], &format!("What changed: {axis}"), &axis, rows, Some(suite.threshold()))
}

/// Returns a forest of the first rows.
fn forest(
    name: &[&str],
    title: &str,
    axis: &str,
    mut rows: Vec<ForestRow>,
    floor: Option<f64>,
) -> Option<Figure> {
    let all = rows.len();
    rows.truncate(ROWS);
    let which = if all > ROWS { format!(", the first {ROWS} of {all}") } else { String::new() };
    // What is the same in all rounds is known, not estimated.
    let mut intervals = rows.iter().filter_map(|row| row.ratio.interval).peekable();
    let with = match (intervals.peek().is_some(), intervals.any(|of| of.low < of.high)) {
        (_, true) => {
            format!(", with {} intervals; filled if a difference was found", sentences::confidence())
        }
        (true, false) => String::new(),
        (false, false) => ", without intervals, which take more rounds".to_string(),
    };
    let band = if floor.is_some() { " Grey band: noise floor." } else { "" };
    let caption = format!("{}{which}{with}.{band}", capital(axis));
    let forest = Forest::new(title.to_string(), axis, rows, floor)?;
    Some(Figure { name: file_name(name), caption, drawing: Drawing::Forest(forest) })
}

/// Returns the text with its first letter in upper case.
pub(crate) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// Returns a file name of letters, digits and single hyphens.
fn file_name(words: &[&str]) -> String {
    const MOST: usize = 120;
    let mut name = String::new();
    for c in words.join("-").chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.truncate(MOST);
    match name.trim_end_matches('-') {
        "" => "figure".to_string(),
        name => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        assert_eq!(file_name(&["parallel-sum", "sum, 16 MiB", "", "über"]), "parallel-sum-sum-16-mib-ber");
        assert_eq!(file_name(&["../..", "ñ"]), "figure");
        assert!(file_name(&[&"long ".repeat(100)]).len() <= 120);
    }
}
