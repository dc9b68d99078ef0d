//! Figures of a record: the values drawn, their axes, names and captions.
//!
//! A kind of figure is a field of [`SeriesFigures`] or [`CaseFigures`] with a function that fills it, such as
//! [`over_threads`]: points of each entry, as a [`Line`]; the extents of both axes; a [`Chart`]; its name and caption
//! as a [`Figure`]. [`all`] has them in the order of `--plots`, `export/html.rs` in the order of the page.

pub(crate) mod drawing;

use std::collections::{BTreeMap, BTreeSet};

use crate::suite::{self, SuiteView};
use crate::view::{self, CaseView, EntryView, RecordView, Series};
use crate::{format, sentences};
use drawing::{
    Axis, Chart, Drawing, Forest, ForestRow, Guide, Line, Point, Spread, Strip, StripRow, size_coordinate,
};
use parcrypt_lab::question::{Answer, Group as Pairs};
use parcrypt_lab::record::{Measure, Question, Role};
use parcrypt_lab::stats::{self, Estimate, Verdict};

/// Maximum number of lines of a figure; more are divided by a label.
const LINES: usize = 8;
/// Maximum number of rows of a forest plot; more are divided by the number of threads.
const FOREST_ROWS: usize = 24;

/// A figure.
pub(crate) struct Figure {
    /// Name of its file without the ending, unique in its record.
    pub(crate) name: String,
    /// Caption.
    pub(crate) caption: String,
    pub(crate) drawing: Drawing,
}

/// Figures of a series by kind; in each list the most informative comes first.
pub(crate) struct SeriesFigures {
    /// Times, or counts, over size: one for each number of threads.
    pub(crate) values: Vec<Figure>,
    /// Speed over the baseline's, over size: one for each number of threads.
    pub(crate) speeds: Vec<Figure>,
}

/// Figures of a case.
pub(crate) struct CaseFigures {
    /// The ratio, or the value, of each entry in each round: one figure for each number of threads, if there are
    /// many.
    pub(crate) strips: Vec<Figure>,
    /// All entries against the baseline: one figure for each number of threads, if there are many.
    pub(crate) forests: Vec<Figure>,
    /// Each step of a sequence of steps against the one before it.
    pub(crate) steps: Option<Figure>,
    /// Times over threads.
    pub(crate) times: Vec<Figure>,
    /// Speed-ups over threads.
    pub(crate) speedups: Vec<Figure>,
}

/// Candidates that share a figure.
struct Group {
    /// Label that they share, such as `algorithm tree`; empty if there is one group.
    title: String,
    /// Candidates in the order of the record.
    candidates: Vec<String>,
}

/// Returns all figures of a record.
pub(crate) fn all(view: &RecordView<'_>) -> Vec<Figure> {
    // The benchmarks of a suite are too many for figures of their own.
    if let Some(suite) = suite::of(view.record) {
        return changes(&suite).into_iter().collect();
    }
    let mut figures = questions(view);
    if figures.is_empty() {
        figures.extend(over_cases(view));
    }
    for series in &view.series {
        let SeriesFigures { values, speeds } = of_series(view, series);
        figures.extend(values.into_iter().chain(speeds));
        for index in &series.cases {
            let CaseFigures { strips, forests, steps, times, speedups } =
                of_case(view, series, &view.cases[*index]);
            let all = times.into_iter().chain(speedups).chain(forests).chain(strips).chain(steps);
            figures.extend(all);
        }
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

/// Quantity that is drawn over size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Times, or counts.
    Value,
    /// Speed over the baseline's.
    Speed,
}

/// Returns the figures over the sizes of a series.
pub(crate) fn of_series(view: &RecordView<'_>, series: &Series) -> SeriesFigures {
    let mut found = SeriesFigures { values: vec![], speeds: vec![] };
    let chief = view.chief(series);
    // A sequence of steps has more lines than a figure can distinguish.
    let Some(key) = series.key.as_ref().filter(|_| chief.is_none_or(|chief| !chief.case.steps)) else {
        return found;
    };
    let cases: Vec<(u64, &CaseView<'_>)> = series
        .cases
        .iter()
        .filter_map(|index| Some((view::number(view.cases[*index].case, key)?, &view.cases[*index])))
        .collect();
    let of = Sizes { view, series, key, cases, groups: groups(view, series) };
    let threads: BTreeSet<usize> = of.cases.iter().flat_map(|(_, case)| case.threads()).collect();
    for threads in threads.into_iter().rev() {
        for group in &of.groups {
            found.values.extend(of.over_size(threads, group, Over::Value));
            found.speeds.extend(of.over_size(threads, group, Over::Speed));
        }
    }
    [&mut found.values, &mut found.speeds].into_iter().for_each(|of| one_range(of));
    found
}

/// Gives all charts of one kind the same range of values, so that they can be compared by eye.
fn one_range(figures: &mut [Figure]) {
    let mut axes: Vec<&mut Axis> = figures
        .iter_mut()
        .filter_map(|figure| match &mut figure.drawing {
            Drawing::Chart(chart) => Some(&mut chart.y),
            Drawing::Forest(_) | Drawing::Strip(_) => None,
        })
        .collect();
    let low = axes.iter().map(|axis| axis.low).fold(f64::INFINITY, f64::min);
    let high = axes.iter().map(|axis| axis.high).fold(f64::NEG_INFINITY, f64::max);
    axes.iter_mut().for_each(|axis| **axis = axis.with_range(low, high));
}

/// Returns what a caption says of the intervals in its figure, given the intervals of its estimates; nothing where each
/// is known and not estimated.
fn with_intervals(intervals: impl Iterator<Item = Option<(f64, f64)>>) -> String {
    let (mut known, mut estimated) = (false, false);
    for (low, high) in intervals.flatten() {
        *(if low == high { &mut known } else { &mut estimated }) = true;
    }
    match (estimated, known) {
        (true, _) => format!(", with {} intervals", sentences::confidence()),
        (false, true) => String::new(),
        (false, false) => ", without intervals, which take more rounds".to_string(),
    }
}

/// Returns what a caption says of the intervals of some ratios, and of the band of the noise floor.
fn with_ratios(rows: &[ForestRow]) -> String {
    let ratios = rows.iter().filter_map(|row| row.ratio);
    with_intervals(ratios.map(|ratio| ratio.interval.map(|interval| (interval.low, interval.high))))
}

/// Returns the sentence of a caption on the band of the noise floor, which may be missing.
fn grey_band<T>(floor: Option<T>) -> &'static str {
    if floor.is_some() { " Grey band: noise floor." } else { "" }
}

/// Returns the figure of some ratios of a record, with what its caption says of their intervals and the noise floor.
fn forest_of(
    name: &[&str],
    title: String,
    axis: &str,
    rows: Vec<ForestRow>,
    caption: &str,
    floor: Option<f64>,
) -> Option<Figure> {
    let caption = capital(&format!("{caption}{}.{}", with_ratios(&rows), grey_band(floor)));
    let forest = Forest::new(title, axis, rows, floor)?;
    Some(Figure { name: file_name(name), caption, drawing: Drawing::Forest(forest) })
}

/// Returns the intervals of the points of lines.
fn ends_of(lines: &[Line]) -> impl Iterator<Item = Option<(f64, f64)>> {
    lines.iter().flat_map(|line| &line.points).map(|point| point.interval)
}

/// Cases of a series, by size.
struct Sizes<'a> {
    view: &'a RecordView<'a>,
    series: &'a Series,
    key: &'a str,
    cases: Vec<(u64, &'a CaseView<'a>)>,
    groups: Vec<Group>,
}

impl Sizes<'_> {
    fn measure(&self) -> &Measure {
        self.cases.first().map_or(&Measure::Time, |(_, case)| &case.case.measure)
    }

    fn over_size(&self, threads: usize, group: &Group, over: Over) -> Option<Figure> {
        let key = self.key;
        let value = |entry: &EntryView<'_>| match over {
            Over::Value => entry.value,
            Over::Speed => entry.ratio.map(Estimate::inverse),
        };
        let point = |candidate: &str, (size, case): &(u64, &CaseView<'_>)| {
            let entry = find(case, candidate, threads)?;
            Some(Point::log(size_coordinate(key, *size), &value(entry)?))
        };
        let lines = lines(group, |candidate| self.cases.iter().filter_map(|c| point(candidate, c)).collect());
        if lines.is_empty() {
            return None;
        }
        let limit = |(size, case): &(u64, &CaseView<'_>)| {
            Some((size_coordinate(key, *size), limit(case, threads)?.ln()))
        };
        let limits: Vec<(f64, f64)> = self.cases.iter().filter_map(limit).collect();
        let guide = match over {
            Over::Value => limit_guide(limits),
            Over::Speed => self.claim(),
        };
        let drawn = extent(&lines, &guide);
        let name = format::one_line(&self.series.title);
        let on = format::counted(threads, "thread");
        let baseline = self.cases.first().map_or("", |(_, case)| case.baseline.as_str());
        let floor = self.series.cases.iter().filter_map(|i| self.view.cases[*i].floor).max_by(f64::total_cmp);
        let counted = sentences::count_name(self.measure());
        let (what, y, caption) = match over {
            Over::Value => {
                let (title, label) = sentences::axis(self.measure());
                let caption = format!("{} over size on {on}, both axes logarithmic.", capital(&title));
                let what = counted.unwrap_or_else(|| "time".to_string());
                (what, Axis::values(&title, label, drawn)?, caption)
            }
            Over::Speed => {
                let title = format!("{} {baseline}", sentences::times_as(self.measure()));
                let band = grey_band(floor);
                let with = with_intervals(ends_of(&lines));
                let (what, caption) = match counted {
                    None => ("speed".to_string(), format!("Speed on {on} over the baseline's{with}.{band}")),
                    Some(name) => (
                        format!("times as few {name}"),
                        format!("The baseline's {name} over those on {on}{with}.{band}"),
                    ),
                };
                (what, Axis::factors(&title, drawn)?, caption)
            }
        };
        let sizes: Vec<u64> = self.cases.iter().map(|(size, _)| *size).collect();
        let chart = Chart {
            title: format!("{what} over {key} on {on}{}: {name}", with(group)),
            of: name.clone(),
            heading: joined(&[&on, &group.title]),
            x: Axis::sizes(key, &sizes)?,
            y,
            band: floor.filter(|_| over == Over::Speed).map(|f| (-f.ln_1p(), f.ln_1p())),
            guide,
            lines,
            spread: if over == Over::Speed { Spread::Apart } else { Spread::None },
        };
        let name = self.file(&[&name, &what, "over", key, &on, &group.title]);
        Some(Figure { name, caption, drawing: Drawing::Chart(chart) })
    }

    /// Returns the minimum speed that the plan claims, over all sizes.
    fn claim(&self) -> Option<Guide> {
        let least = self.cases.first()?.1.case.least_speed?;
        let points: Vec<(f64, f64)> = self
            .cases
            .iter()
            .filter_map(|(size, case)| Some((size_coordinate(self.key, *size), case.case.least_speed?.ln())))
            .collect();
        (points.len() > 1).then(|| Guide { name: format!("{}×, claimed", format::factor(least)), points })
    }

    fn file(&self, words: &[&str]) -> String {
        file_name(&[&[self.view.record.plan.as_str()], words].concat())
    }
}

/// Returns the figures of one case.
pub(crate) fn of_case(view: &RecordView<'_>, series: &Series, case: &CaseView<'_>) -> CaseFigures {
    let groups = groups(view, series);
    let file = |what: &[&str]| file_name(&[&[view.record.plan.as_str(), &case.title], what].concat());
    let over_threads = |group, over| over_threads(case, group, over, &file);
    let of_groups = |over| {
        let mut figures: Vec<Figure> = groups.iter().filter_map(|group| over_threads(group, over)).collect();
        one_range(&mut figures);
        figures
    };
    CaseFigures {
        strips: strips(case, &file),
        forests: forests(case, &file),
        steps: steps(case, &file),
        times: of_groups(Over::Value),
        speedups: of_groups(Over::Speed),
    }
}

/// Returns all answers to the questions of a record in one figure for each measured quantity, if there are several.
pub(crate) fn questions(view: &RecordView<'_>) -> Vec<Figure> {
    let rows = view.asked().into_iter().filter_map(|(question, answer)| {
        let answer = answer.as_ref().ok()?;
        let ratio = answer.overall.as_ref()?.ratio;
        Some((&answer.measure, ForestRow::new(&question.ask, Some(ratio))))
    });
    let of = |(measure, rows): (&Measure, Vec<ForestRow>)| {
        if rows.len() < 2 {
            return None;
        }
        let axis = format!("{} the other side", sentences::times_as(measure));
        let caption = "All questions: the side named first over the other, means over all pairs";
        let name = [&*view.record.plan, "questions", &sentences::column(measure)];
        forest_of(&name, format!("All questions: {axis}"), &axis, rows, caption, view.floor_of(measure))
    };
    view::grouped(rows).into_iter().filter_map(of).collect()
}

/// Returns the figure next to the verdict of a record: what it says over its cases, or its chief case. `None` if
/// nothing has a ratio.
pub(crate) fn chief(view: &RecordView<'_>) -> Option<Figure> {
    if let Some(suite) = suite::of(view.record) {
        return changes(&suite);
    }
    over_cases(view).or_else(|| {
        let (series, case) = view.series.iter().find_map(|series| {
            let chief = view.chief(series)?;
            chief.entries.iter().any(|entry| entry.ratio.is_some()).then_some((series, chief))
        })?;
        let CaseFigures { steps, forests, .. } = of_case(view, series, case);
        steps.filter(|_| case.case.steps).or(forests.into_iter().next())
    })
}

/// Returns the largest changes of a suite; `None` if nothing has changed.
fn changes(suite: &SuiteView<'_>) -> Option<Figure> {
    let mut changes = suite.changes();
    let all = changes.len();
    changes.truncate(FOREST_ROWS);
    let rows = changes.iter().map(|(name, ratio)| ForestRow::new(name, Some(*ratio))).collect();
    let axis = suite.axis();
    let forest = Forest::new(format!("What changed: {axis}"), &axis, rows, Some(suite.threshold()))?;
    let which = if all > FOREST_ROWS {
        format!("The {FOREST_ROWS} largest of {all} changes")
    } else {
        "What changed".into()
    };
    let caption =
        format!("{which}, with corrected intervals. Grey band: the threshold of what is unchanged.");
    Some(Figure { name: file_name(&["suite", "changes"]), caption, drawing: Drawing::Forest(forest) })
}

/// Returns all questions in one figure, the pairs of the only question, or the means over cases.
fn over_cases(view: &RecordView<'_>) -> Option<Figure> {
    let one = || {
        let asked = view.asked().into_iter();
        asked.filter_map(|(question, answer)| pairs(view, question, answer.as_ref().ok()?)).next()
    };
    questions(view).into_iter().next().or_else(one).or_else(|| means(view))
}

/// Returns the answer to a question for the pairs that share a label, a number of threads or a size.
pub(crate) fn pairs(view: &RecordView<'_>, question: &Question, answer: &Answer) -> Option<Figure> {
    let row = |of: &Pairs| ForestRow::new(&sentences::group_name(of), Some(of.mean.ratio));
    let sides = format::one_line(&sentences::sides(question));
    let axis = format!("{} the other side", sentences::times_as(&answer.measure));
    let rows = answer.groups.iter().map(row).collect();
    let caption = format!("{sides}, by each label, number of threads and size");
    let name = [&*view.record.plan, "pairs", &question.ask];
    forest_of(&name, format!("{axis}: {sides}"), &axis, rows, &caption, view.floor_of(&answer.measure))
}

/// Returns the means over cases against the common baseline, if they have a table.
fn means(view: &RecordView<'_>) -> Option<Figure> {
    view::tables::means(view)?;
    let row = |mean: &view::MeanView| ForestRow::new(&mean.name, mean.ratio.as_ref().map(|mean| mean.ratio));
    let rows = view.means.entries.iter().map(row).collect();
    let baseline = format::one_line(&view.means.baseline);
    let axis = format!("{} {baseline}", sentences::times_as(&Measure::Time));
    let (title, floor) = (format!("Means over cases: {axis}"), view.floor_of(&Measure::Time));
    forest_of(&[&view.record.plan, "means"], title, &axis, rows, "Geometric means over the cases", floor)
}

/// Number of entries up to which the values of all rounds are drawn besides their ratios.
const FEW: usize = 3;

/// Returns all rounds of a case: the ratio of each entry to the baseline in each round, and the value of each if
/// there are few entries or nothing has a ratio.
fn strips(case: &CaseView<'_>, file: &File<'_>) -> Vec<Figure> {
    let threads: BTreeSet<Option<usize>> = match case.entries.len() {
        ..=FOREST_ROWS => BTreeSet::from([None]),
        _ => case.entries.iter().map(|entry| Some(entry.entry.threads)).collect(),
    };
    let of = |threads| strip(case, threads, Over::Speed, file);
    let mut found: Vec<Figure> = threads.into_iter().rev().filter_map(of).collect();
    if found.is_empty() || case.entries.len() <= FEW {
        found.extend(strip(case, None, Over::Value, file));
    }
    found
}

fn strip(case: &CaseView<'_>, on: Option<usize>, over: Over, file: &File<'_>) -> Option<Figure> {
    let measure = &case.case.measure;
    let baseline = case.case.entries.get(case.case.baseline);
    let entries = || case.entries.iter().filter(|entry| on.is_none_or(|on| entry.entry.threads == on));
    let row = |entry: &EntryView<'_>| {
        let log =
            |estimate: &Estimate| (estimate.value.ln(), estimate.interval.map(|i| (i.low.ln(), i.high.ln())));
        let (rounds, estimate, shown) = match over {
            // A point of the baseline would be 1 by definition.
            Over::Speed => {
                let ratio = entry.ratio.filter(|_| !entry.is_baseline)?;
                let rounds = stats::replicate_ratios(case.case, entry.entry, baseline?);
                let rounds = rounds.into_iter().map(|ratio| -ratio.ln()).collect();
                (rounds, log(&ratio.inverse()), sentences::times(&ratio).what)
            }
            Over::Value => {
                let rounds = stats::replicate_values(entry.entry);
                let rounds = rounds.into_iter().map(f64::ln).collect();
                (rounds, log(&entry.value?), sentences::value(measure, entry.value?.value))
            }
        };
        let label = if on.is_some() { entry.candidate.clone() } else { entry.name.clone() };
        Some(StripRow { label, rounds, estimate, shown })
    };
    let rows: Vec<StripRow> = entries().filter_map(row).collect();
    let most = rows.iter().map(|row| row.rounds.len()).max().filter(|most| *most > 1)?;
    // Counts that never differ have nothing to show.
    let differs = |row: &StripRow| row.rounds.windows(2).any(|pair| pair[0] != pair[1]);
    if !measure.is_time() && !rows.iter().any(differs) {
        return None;
    }
    let drawn: Vec<f64> = Strip::extent(&rows).collect();
    let is_speed = over == Over::Speed;
    let floor = case.floor.filter(|_| is_speed && measure.is_time());
    let band = floor.map(|floor| (-floor.ln_1p(), floor.ln_1p()));
    let (name, axis) = match over {
        Over::Speed => {
            let title = format!("{} {}", sentences::times_as(measure), case.baseline);
            let ends = band.into_iter().flat_map(|(low, high)| [low, high]);
            ("rounds", Axis::factors(&title, drawn.into_iter().chain(ends))?)
        }
        Over::Value => {
            let (title, label) = sentences::axis(measure);
            ("values-of-rounds", Axis::values(&title, label, drawn.into_iter())?)
        }
    };
    let on_threads = on.map(|threads| format::counted(threads, "thread")).unwrap_or_default();
    let each = match case.entries.iter().map(|entry| entry.entry.rounds_done()).max() {
        Some(rounds) if rounds > most => "pair of rounds",
        _ => "round",
    };
    let comma = if on.is_some() { format!(", on {on_threads}") } else { String::new() };
    let interval = match rows.iter().any(|row| row.estimate.1.is_some()) {
        true => format!(" with its {} interval", sentences::confidence()),
        false => String::new(),
    };
    let band_text = grey_band(band);
    let caption = format!(
        "Each dot is one {each}{comma}, in each row from the first at the top to the last at the bottom, and below them is \
         the estimate{interval}.{band_text}",
    );
    let of = format::one_line(&case.title);
    let what = if is_speed { "" } else { ", values" };
    let strip = Strip { title: format!("Every {each}{what}: {of}"), of, axis, rows, band, zero: is_speed };
    Some(Figure { name: file(&[name, &on_threads]), caption, drawing: Drawing::Strip(strip) })
}

type File<'a> = dyn Fn(&[&str]) -> String + 'a;

fn forests(case: &CaseView<'_>, file: &File<'_>) -> Vec<Figure> {
    let times_as = sentences::times_as(&case.case.measure);
    let forest = |entries: Vec<&EntryView<'_>>, on: Option<usize>| {
        let on_threads = on.map(|threads| format::counted(threads, "thread")).unwrap_or_default();
        let row = |entry: &&EntryView<'_>| {
            // If all have the same number of threads, the label leaves it out.
            let label = if on.is_some() { &entry.candidate } else { &entry.name };
            ForestRow::new(label, entry.ratio.filter(|_| !entry.is_baseline))
        };
        let what = if case.case.measure.is_time() { "Speed against" } else { "Against" };
        let title = format!("{what} {}: {}", case.baseline, format::one_line(&case.title));
        let rows: Vec<ForestRow> =
            entries.iter().filter(|r| r.is_baseline || r.ratio.is_some()).map(row).collect();
        let with = with_ratios(&rows);
        let mut forest = Forest::new(title, &format!("{times_as} {}", case.baseline), rows, case.floor)?;
        forest.of = format::one_line(&case.title);
        forest.heading = on_threads.clone();
        let caption = if case.case.measure.is_time() {
            let on = if on.is_some() { format!(" on {on_threads}") } else { String::new() };
            let band = grey_band(case.floor);
            let found = forest.rows.iter().filter_map(|row| row.ratio.as_ref());
            let found =
                found.map(Verdict::of).any(|of| matches!(of, Verdict::Faster(_) | Verdict::Slower(_)));
            let filled = if found { " Filled: a difference was found." } else { "" };
            format!("Against the baseline{on}{with}.{filled}{band}")
        } else {
            "Against the baseline.".to_string()
        };
        let drawing = Drawing::Forest(forest);
        Some(Figure { name: file(&["against-the-baseline", &on_threads]), caption, drawing })
    };
    if case.entries.len() <= FOREST_ROWS {
        return forest(case.entries.iter().collect(), None).into_iter().collect();
    }
    let threads: BTreeSet<usize> = case.entries.iter().map(|entry| entry.entry.threads).collect();
    let of = |threads: usize| {
        forest(case.entries.iter().filter(|entry| entry.entry.threads == threads).collect(), Some(threads))
    };
    threads.into_iter().rev().filter_map(of).collect()
}

/// Returns a waterfall: the first step, then each at the speed at which the one before ends.
fn steps(case: &CaseView<'_>, file: &File<'_>) -> Option<Figure> {
    let times_as = sentences::times_as(&case.case.measure);
    let mut speed = 0.0;
    let mut rows = Vec::new();
    for entry in case.entries.iter().filter(|entry| entry.competes()) {
        rows.push(ForestRow { from: speed, ..ForestRow::new(&entry.name, entry.step) });
        speed += entry.step.map_or(0.0, |step| -step.value.ln());
    }
    let title = format!("What each step brings: {times_as} the one before");
    let mut forest = Forest::new(title, &format!("{times_as} the first step"), rows, None)?;
    forest.of = format::one_line(&case.title);
    let caption = "What each step brings: a bar begins where the step before ends, and its number is against that step.";
    Some(Figure { name: file(&["steps"]), caption: caption.to_string(), drawing: Drawing::Forest(forest) })
}

/// Returns times or speed-ups over threads, if there are several numbers of threads.
fn over_threads(case: &CaseView<'_>, group: &Group, over: Over, file: &File<'_>) -> Option<Figure> {
    let threads = case.threads();
    let (least, most) = (*threads.first()?, *threads.last()?);
    if least == most {
        return None;
    }
    let point = |entry: &EntryView<'_>| {
        let x = thread_coordinate(entry.entry.threads);
        match (over, &entry.speedup) {
            (Over::Value, _) => Some(Point::log(x, entry.value.as_ref()?)),
            (Over::Speed, Some(speedup)) => Some(Point::log(x, &speedup.times)),
            (Over::Speed, None) if entry.entry.threads == 1 => Some(Point { x, y: 0.0, interval: None }),
            (Over::Speed, None) => None,
        }
    };
    let mut lines = lines(group, |candidate| {
        threads.iter().filter_map(|threads| point(find(case, candidate, *threads)?)).collect()
    });
    // A candidate that ran on one thread only has no speed-up, but a time to compare with.
    if over == Over::Speed {
        lines.retain(|line| line.points.iter().any(|p| p.x > 0.0));
    }
    if lines.iter().all(|line| line.points.iter().all(|p| p.x <= 0.0)) {
        return None;
    }
    let x = thread_coordinate;
    let guide = match over {
        Over::Speed => Some(Guide {
            name: "ideal".to_string(),
            points: threads.iter().map(|t| (x(*t), x(*t))).collect(),
        }),
        Over::Value => {
            limit_guide(threads.iter().filter_map(|t| Some((x(*t), limit(case, *t)?.ln()))).collect())
        }
    };
    let drawn = extent(&lines, &guide);
    let (axis, label) = sentences::axis(&case.case.measure);
    let (what, y, caption) = match over {
        Over::Value => {
            let caption = format!("{} over threads, both axes logarithmic.", capital(&axis));
            let what = sentences::count_name(&case.case.measure).unwrap_or_else(|| "time".to_string());
            (what, Axis::values(&axis, label, drawn)?, caption)
        }
        Over::Speed => (
            "speed-up".to_string(),
            Axis::factors("speed-up", drawn)?,
            format!(
                "Speed-up over the same candidate on one thread, or over the baseline if that is missing{}.",
                with_intervals(ends_of(&lines)),
            ),
        ),
    };
    let name = format::one_line(&case.title);
    let chart = Chart {
        title: format!("{what} over threads{}: {name}", with(group)),
        of: name.clone(),
        heading: group.title.clone(),
        x: Axis::threads(threads.iter().copied())?,
        y,
        band: None,
        guide,
        lines,
        spread: if over == Over::Speed { Spread::Apart } else { Spread::None },
    };
    Some(Figure {
        name: file(&[&what, "over-threads", &group.title]),
        caption,
        drawing: Drawing::Chart(chart),
    })
}

fn thread_coordinate(threads: usize) -> f64 {
    (threads.max(1) as f64).ln()
}

fn find<'a, 'b>(case: &'a CaseView<'b>, candidate: &str, threads: usize) -> Option<&'a EntryView<'b>> {
    case.entries.iter().find(|r| r.competes() && r.candidate == candidate && r.entry.threads == threads)
}

/// Returns the minimum time of the machine's limit on `threads` threads; `None` if that was not measured.
fn limit(case: &CaseView<'_>, threads: usize) -> Option<f64> {
    let is_limit = |r: &&EntryView<'_>| r.entry.role == Role::Limit && r.entry.threads == threads;
    case.entries.iter().filter(is_limit).filter_map(|r| Some(r.value?.value)).min_by(f64::total_cmp)
}

fn limit_guide(points: Vec<(f64, f64)>) -> Option<Guide> {
    (points.len() > 1).then_some(Guide { name: "limit of the machine".to_string(), points })
}

/// Returns the lines of those candidates of a group that have points.
fn lines(group: &Group, points: impl Fn(&str) -> Vec<Point>) -> Vec<Line> {
    let line = |(pen, candidate): (usize, &String)| Line {
        pen,
        name: candidate.clone(),
        points: points(candidate),
        note: String::new(),
    };
    group.candidates.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// Returns all values that a figure has to contain.
fn extent(lines: &[Line], guide: &Option<Guide>) -> impl Iterator<Item = f64> {
    let points = lines.iter().flat_map(|line| &line.points);
    let values = points.flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high]
    });
    let guided = guide.iter().flat_map(|guide| &guide.points).map(|(_, y)| *y);
    values.chain(guided).collect::<Vec<_>>().into_iter()
}

/// Returns the candidates of a series in groups that a figure can show. The plan may name a label, each of whose values
/// gets a group; otherwise there is one group, or the label that makes the groups smallest is taken. Candidates without
/// the label belong to each group, for comparison; if there are many of them, they are a separate group.
fn groups(view: &RecordView<'_>, series: &Series) -> Vec<Group> {
    let mut all: Vec<(&str, &BTreeMap<String, String>)> = Vec::new();
    for case in series.cases.iter().map(|index| &view.cases[*index]) {
        let mut entries: Vec<&EntryView<'_>> = case.entries.iter().filter(|entry| entry.competes()).collect();
        entries.sort_by_key(|entry| entry.index);
        for entry in entries {
            if !all.iter().any(|(name, _)| *name == entry.candidate) {
                all.push((&entry.candidate, &entry.entry.labels));
            }
        }
    }
    let whole =
        || vec![Group { title: String::new(), candidates: all.iter().map(|(n, _)| n.to_string()).collect() }];
    let named = series.cases.iter().map(|i| &view.cases[*i].case.figures_by).find(|label| !label.is_empty());
    let labels: BTreeSet<&String> = match named {
        Some(label) => BTreeSet::from([label]),
        None if all.len() <= LINES => return whole(),
        None => all.iter().flat_map(|(_, labels)| labels.keys()).collect(),
    };
    let divided = labels.into_iter().map(|label| divide(&all, label)).filter(|groups| groups.len() > 1);
    let size = |groups: &Vec<Group>| {
        let largest = groups.iter().map(|group| group.candidates.len()).max();
        (largest, groups.len())
    };
    divided.min_by_key(size).unwrap_or_else(whole)
}

fn divide(all: &[(&str, &BTreeMap<String, String>)], label: &str) -> Vec<Group> {
    let labelled = all.iter().map(|(name, labels)| (labels.get(label), name.to_string()));
    let (others, values): (Vec<_>, Vec<_>) =
        view::grouped(labelled).into_iter().partition(|(value, _)| value.is_none());
    let others = others.into_iter().flat_map(|(_, names)| names).collect::<Vec<_>>();
    let shared = if others.len() <= LINES / 2 { &others[..] } else { &[] };
    let group = |(value, names): (Option<&String>, Vec<String>)| Group {
        title: format::one_line(&format!("{label} {}", value.map_or("", String::as_str))),
        candidates: [shared, &names].concat(),
    };
    let mut groups: Vec<Group> = values.into_iter().map(group).collect();
    if shared.len() < others.len() {
        groups.push(Group { title: format::one_line(&format!("without {label}")), candidates: others });
    }
    groups
}

/// Returns the label of a group, for a title.
fn with(group: &Group) -> String {
    if group.title.is_empty() { String::new() } else { format!(", {}", group.title) }
}

pub(crate) fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
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

    #[test]
    fn a_label_divides_and_those_without_it_are_in_each_part() {
        let label = |value: &str| BTreeMap::from([("algorithm".to_string(), value.to_string())]);
        let (tree, window, none) = (label("tree"), label("window"), BTreeMap::new());
        let all = [("ours", &none), ("c tree", &tree), ("c window", &window), ("julia tree", &tree)];
        let groups = divide(&all, "algorithm");
        let titles: Vec<&str> = groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(titles, ["algorithm tree", "algorithm window"]);
        assert_eq!(groups[0].candidates, ["ours", "c tree", "julia tree"]);
        assert_eq!(groups[1].candidates, ["ours", "c window"]);
        let many = ["a", "b", "c", "d", "e"].map(|name| (name, &none));
        let groups = divide(&[&all[..], &many].concat(), "algorithm");
        assert_eq!((groups.len(), groups[2].title.as_str()), (3, "without algorithm"));
        assert_eq!((groups[0].candidates.len(), groups[2].candidates.len()), (2, 6));
    }
}
