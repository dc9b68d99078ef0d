//! The figures of a record, for pages and for files alike: what is drawn over what, and how it is called.

use std::collections::{BTreeMap, BTreeSet};

use super::plot::{Axis, Chart, Forest, ForestRow, Guide, Line, Point, Spread, size_coordinate, size_label};
use super::view::{self, CellView, RecordView, RowView, Series};
use super::{format, plot, words};
use crate::record::{Measure, Role};
use crate::stats::{self, Estimate};

/// Lines that a figure can show so that they are told apart; where there are more, a label parts them.
const LINES: usize = 8;
/// Rows that a forest can show; where there are more, each number of threads gets its own.
const ROWS: usize = 24;

/// A figure.
pub(super) struct Figure {
    /// What a file with it is called, without its ending: unique in its record.
    pub(super) name: String,
    /// What it shows, beneath it.
    pub(super) caption: String,
    pub(super) svg: String,
}

/// The figures of a series, by what they show; in each list the one that says most comes first.
pub(super) struct SeriesFigures {
    /// Times, or counts, over size: one for each number of threads.
    pub(super) values: Vec<Figure>,
    /// Speed over the baseline's, over size: one for each number of threads.
    pub(super) speeds: Vec<Figure>,
    /// Weak scaling: one for each size of a thread's share.
    pub(super) weak: Vec<Figure>,
}

/// The figures of a cell.
pub(super) struct CellFigures {
    /// All rows against the baseline: for each number of threads, where there are many.
    pub(super) forests: Vec<Figure>,
    /// Each step of a ladder against the one before it.
    pub(super) steps: Option<Figure>,
    /// Times over threads.
    pub(super) times: Vec<Figure>,
    /// Speed-ups over threads.
    pub(super) speedups: Vec<Figure>,
}

/// Contestants that share a figure.
struct Part {
    /// What they share, as `algorithm tree`; empty where there is one part.
    title: String,
    /// In the order of the record.
    contestants: Vec<String>,
}

/// All figures of a record.
pub(super) fn all(view: &RecordView<'_>) -> Vec<Figure> {
    let mut figures = Vec::new();
    for series in &view.series {
        let of = of_series(view, series);
        figures.extend(of.values.into_iter().chain(of.speeds).chain(of.weak));
        for index in &series.cells {
            let of = of_cell(view, series, &view.cells[*index]);
            figures.extend(of.times.into_iter().chain(of.speedups).chain(of.forests).chain(of.steps));
        }
    }
    // Titles that differ may have the same name.
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

/// What is drawn over size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Times, or counts.
    Value,
    /// Times as fast as the baseline.
    Speed,
}

/// The figures over the sizes of a series.
pub(super) fn of_series(view: &RecordView<'_>, series: &Series) -> SeriesFigures {
    let mut found = SeriesFigures { values: vec![], speeds: vec![], weak: vec![] };
    let chief = view.chief(series);
    // The steps of a ladder are more than a figure could tell apart.
    let Some(key) = series.key.as_ref().filter(|_| chief.is_none_or(|chief| !chief.cell.ladder)) else {
        return found;
    };
    let cells: Vec<(u64, &CellView<'_>)> = series
        .cells
        .iter()
        .filter_map(|index| Some((view::number(view.cells[*index].cell, key)?, &view.cells[*index])))
        .collect();
    let of = Sizes { view, series, key, cells, parts: parts(view, series) };
    let threads: BTreeSet<usize> = of.cells.iter().flat_map(|(_, cell)| cell.threads()).collect();
    for threads in threads.into_iter().rev() {
        for part in &of.parts {
            found.values.extend(of.over_size(threads, part, Over::Value));
            found.speeds.extend(of.over_size(threads, part, Over::Speed));
        }
    }
    // First the size that has most numbers of threads, and of these the greatest.
    let mut sizes: Vec<(usize, u64)> =
        of.cells.iter().map(|(size, _)| (of.shares(*size).len(), *size)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    for (_, size) in sizes {
        found.weak.extend(of.parts.iter().filter_map(|part| of.weak(size, part)));
    }
    found
}

/// The cells of a series, by size.
struct Sizes<'a> {
    view: &'a RecordView<'a>,
    series: &'a Series,
    key: &'a str,
    cells: Vec<(u64, &'a CellView<'a>)>,
    parts: Vec<Part>,
}

impl Sizes<'_> {
    fn measure(&self) -> &Measure {
        self.cells.first().map_or(&Measure::Time, |(_, cell)| &cell.cell.measure)
    }

    fn over_size(&self, threads: usize, part: &Part, over: Over) -> Option<Figure> {
        let key = self.key;
        let value = |row: &RowView<'_>| match over {
            Over::Value => row.value,
            Over::Speed => row.ratio.map(Estimate::inverse),
        };
        let point = |contestant: &str, (size, cell): &(u64, &CellView<'_>)| {
            let row = find(cell, contestant, threads)?;
            Some(Point::log(size_coordinate(key, *size), &value(row)?))
        };
        let lines =
            lines(part, |contestant| self.cells.iter().filter_map(|c| point(contestant, c)).collect());
        if lines.is_empty() {
            return None;
        }
        let limit = |(size, cell): &(u64, &CellView<'_>)| {
            Some((size_coordinate(key, *size), limit(cell, threads)?.ln()))
        };
        let limits: Vec<(f64, f64)> = self.cells.iter().filter_map(limit).collect();
        let guide = match over {
            Over::Value => limit_guide(limits),
            Over::Speed => self.claim(),
        };
        let drawn = extent(&lines, &guide);
        let name = format::one_line(&self.series.title);
        let on = format::counted(threads, "thread");
        let baseline = self.cells.first().map_or("", |(_, cell)| cell.baseline.as_str());
        let floor = self.series.cells.iter().filter_map(|i| self.view.cells[*i].floor).max_by(f64::total_cmp);
        let (what, y, caption) = match over {
            Over::Value => {
                let (title, label) = words::axis(self.measure());
                let caption = format!("{} over size on {on}, both axes logarithmic.", capital(&title));
                ("time", Axis::values(&title, label, drawn)?, caption)
            }
            Over::Speed => {
                let title = format!("{} {baseline}", words::times_as(self.measure()));
                let band = if floor.is_some() { " Grey band: noise floor." } else { "" };
                let confidence = words::confidence();
                let caption =
                    format!("Speed on {on} over the baseline's, with {confidence} intervals.{band}");
                ("speed", Axis::factors(&title, drawn)?, caption)
            }
        };
        let sizes: Vec<u64> = self.cells.iter().map(|(size, _)| *size).collect();
        let chart = Chart {
            title: format!("{what} over {key} on {on}{}: {name}", with(part)),
            heading: joined(&[&name, &on, &part.title]),
            x: Axis::sizes(key, &sizes)?,
            y,
            band: floor.filter(|_| over == Over::Speed).map(|f| (-f.ln_1p(), f.ln_1p())),
            guide,
            lines,
            spread: if over == Over::Speed { Spread::Apart } else { Spread::None },
        };
        let name = self.file(&[&name, what, "over", key, &on, &part.title]);
        Some(Figure { name, caption, svg: chart.svg()? })
    }

    /// The least speed that the plan claims, over all sizes.
    fn claim(&self) -> Option<Guide> {
        let least = self.cells.first()?.1.cell.least_speed?;
        let points: Vec<(f64, f64)> = self
            .cells
            .iter()
            .filter_map(|(size, cell)| Some((size_coordinate(self.key, *size), cell.cell.least_speed?.ln())))
            .collect();
        (points.len() > 1)
            .then(|| Guide { name: format!("dots: {}×, claimed", format::factor(least)), points })
    }

    /// Where a size is the share of a thread: the cells with the sizes for several threads, by their number.
    fn shares(&self, size: u64) -> BTreeMap<usize, &CellView<'_>> {
        let Some(items) = view::items(self.key, size) else { return BTreeMap::new() };
        let of = |(other, cell): &(u64, _)| {
            let all = view::items(self.key, *other)?;
            let threads = usize::try_from(all / items).ok().filter(|_| items > 0 && all % items == 0)?;
            Some((threads, *cell))
        };
        let shares = self.cells.iter().filter_map(of).filter(|(threads, cell): &(usize, &CellView<'_>)| {
            cell.rows.iter().any(|row| row.competes() && row.row.threads == *threads)
        });
        shares.collect()
    }

    /// How the time grows where each thread keeps its share.
    fn weak(&self, size: u64, part: &Part) -> Option<Figure> {
        let shares = self.shares(size);
        let alone = *shares.get(&1)?;
        let point = |one: &RowView<'_>, (threads, cell): (&usize, &&CellView<'_>)| {
            let many = find(cell, &one.contestant, *threads)?;
            if *threads == 1 {
                return Some(Point { x: 0.0, y: 0.0, interval: None });
            }
            let efficiency = stats::weak_scaling(self.measure(), one.row, many.row)?;
            Some(Point::log(thread_coordinate(*threads), &efficiency))
        };
        let mut lines = lines(part, |contestant| match find(alone, contestant, 1) {
            Some(one) => shares.iter().filter_map(|share| point(one, share)).collect(),
            None => Vec::new(),
        });
        lines.retain(|line| line.points.len() > 1);
        if lines.is_empty() {
            return None;
        }
        let most = *shares.keys().next_back()?;
        let ideal = vec![(0.0, 0.0), (thread_coordinate(most), 0.0)];
        let name = format::one_line(&self.series.title);
        let label = size_label(self.key, size);
        let share = match plot::is_scale(self.key) || self.key == "bytes" {
            true => format!("{label} per thread"),
            false => format!("{} {label} per thread", self.key),
        };
        let chart = Chart {
            title: format!("Weak scaling, {share}{}: {name}", with(part)),
            heading: joined(&[&name, &share, &part.title]),
            x: Axis::threads(shares.keys().copied())?,
            y: Axis::factors("efficiency: T(n, 1) / T(p·n, p)", extent(&lines, &None))?,
            band: None,
            guide: Some(Guide { name: "dots: ideal".to_string(), points: ideal }),
            lines,
            spread: Spread::Apart,
        };
        let caption = format!(
            "Weak scaling: the time of one thread over that of p threads with p times the work, with {} intervals.",
            words::confidence()
        );
        let name =
            self.file(&[&name, "weak-scaling", self.key, &size.to_string(), "per-thread", &part.title]);
        Some(Figure { name, caption, svg: chart.svg()? })
    }

    fn file(&self, words: &[&str]) -> String {
        file_name(&[&[self.view.record.plan.as_str()], words].concat())
    }
}

/// The figures of one cell.
pub(super) fn of_cell(view: &RecordView<'_>, series: &Series, cell: &CellView<'_>) -> CellFigures {
    let parts = parts(view, series);
    let file = |what: &[&str]| file_name(&[&[view.record.plan.as_str(), &cell.title], what].concat());
    let over_threads = |part, over| over_threads(cell, part, over, &file);
    CellFigures {
        forests: forests(cell, &file),
        steps: steps(cell, &file),
        times: parts.iter().filter_map(|part| over_threads(part, Over::Value)).collect(),
        speedups: parts.iter().filter_map(|part| over_threads(part, Over::Speed)).collect(),
    }
}

type File<'a> = dyn Fn(&[&str]) -> String + 'a;

fn forests(cell: &CellView<'_>, file: &File<'_>) -> Vec<Figure> {
    let times_as = words::times_as(&cell.cell.measure);
    let forest = |rows: Vec<&RowView<'_>>, on: Option<usize>| {
        let on_threads = on.map(|threads| format::counted(threads, "thread")).unwrap_or_default();
        let row = |row: &&RowView<'_>| ForestRow {
            // Where all have as many threads it need not be said.
            label: if on.is_some() { row.contestant.clone() } else { row.name.clone() },
            ratio: row.ratio.filter(|_| !row.is_baseline),
        };
        let svg = Forest {
            title: format!("Speed against {}: {}", cell.baseline, format::one_line(&cell.title)),
            heading: joined(&[&format::one_line(&cell.title), &on_threads]),
            axis: format!("{times_as} {}", cell.baseline),
            rows: rows.iter().filter(|r| r.is_baseline || r.ratio.is_some()).map(row).collect(),
            floor: cell.floor,
        }
        .svg()?;
        let caption = if cell.cell.measure.is_time() {
            let on = if on.is_some() { format!(" on {on_threads}") } else { String::new() };
            let band = if cell.floor.is_some() { " Grey band: noise floor." } else { "" };
            format!(
                "Against the baseline{on}, with {} intervals. Filled: a difference was found.{band}",
                words::confidence()
            )
        } else {
            "Against the baseline.".to_string()
        };
        Some(Figure { name: file(&["against-the-baseline", &on_threads]), caption, svg })
    };
    if cell.rows.len() <= ROWS {
        return forest(cell.rows.iter().collect(), None).into_iter().collect();
    }
    let threads: BTreeSet<usize> = cell.rows.iter().map(|row| row.row.threads).collect();
    let of = |threads: usize| {
        forest(cell.rows.iter().filter(|row| row.row.threads == threads).collect(), Some(threads))
    };
    threads.into_iter().rev().filter_map(of).collect()
}

fn steps(cell: &CellView<'_>, file: &File<'_>) -> Option<Figure> {
    let times_as = words::times_as(&cell.cell.measure);
    let step = |row: &RowView<'_>| ForestRow { label: row.name.clone(), ratio: row.step };
    let svg = Forest {
        title: format!("What each step brings: {times_as} the one before"),
        heading: format::one_line(&cell.title),
        axis: format!("{times_as} the step before"),
        rows: cell.rows.iter().filter(|r| r.step.is_some()).map(step).collect(),
        floor: cell.floor,
    }
    .svg()?;
    let caption = "What each step brings: against the one before it.".to_string();
    Some(Figure { name: file(&["steps"]), caption, svg })
}

/// Times or speed-ups over threads, where there is more than one number of them.
fn over_threads(cell: &CellView<'_>, part: &Part, over: Over, file: &File<'_>) -> Option<Figure> {
    let threads = cell.threads();
    let (least, most) = (*threads.first()?, *threads.last()?);
    if least == most {
        return None;
    }
    let point = |row: &RowView<'_>| {
        let x = thread_coordinate(row.row.threads);
        match (over, &row.speedup) {
            (Over::Value, _) => Some(Point::log(x, row.value.as_ref()?)),
            (Over::Speed, Some(speedup)) => Some(Point::log(x, &speedup.times)),
            (Over::Speed, None) if row.row.threads == 1 => Some(Point { x, y: 0.0, interval: None }),
            (Over::Speed, None) => None,
        }
    };
    let mut lines = lines(part, |contestant| {
        threads.iter().filter_map(|threads| point(find(cell, contestant, *threads)?)).collect()
    });
    // Who ran on one thread alone has no speed-up, but a time to compare with.
    if over == Over::Speed {
        lines.retain(|line| line.points.iter().any(|p| p.x > 0.0));
    }
    if lines.iter().all(|line| line.points.iter().all(|p| p.x <= 0.0)) {
        return None;
    }
    let x = thread_coordinate;
    let guide = match over {
        Over::Speed => Some(Guide {
            name: "dots: ideal".to_string(),
            points: threads.iter().map(|t| (x(*t), x(*t))).collect(),
        }),
        Over::Value => {
            limit_guide(threads.iter().filter_map(|t| Some((x(*t), limit(cell, *t)?.ln()))).collect())
        }
    };
    let drawn = extent(&lines, &guide);
    let (axis, label) = words::axis(&cell.cell.measure);
    let (what, y, caption) = match over {
        Over::Value => {
            let caption = format!("{} over threads, both axes logarithmic.", capital(&axis));
            ("time", Axis::values(&axis, label, drawn)?, caption)
        }
        Over::Speed => (
            "speed-up",
            Axis::factors("speed-up", drawn)?,
            format!(
                "Speed-up over the same contestant on one thread, or over the baseline where there is none, with {} \
                 intervals.",
                words::confidence()
            ),
        ),
    };
    let name = format::one_line(&cell.title);
    let chart = Chart {
        title: format!("{what} over threads{}: {name}", with(part)),
        heading: joined(&[&name, &part.title]),
        x: Axis::threads(threads.iter().copied())?,
        y,
        band: None,
        guide,
        lines,
        spread: if over == Over::Speed { Spread::Apart } else { Spread::None },
    };
    Some(Figure { name: file(&[what, "over-threads", &part.title]), caption, svg: chart.svg()? })
}

fn thread_coordinate(threads: usize) -> f64 {
    (threads.max(1) as f64).ln()
}

fn find<'a, 'b>(cell: &'a CellView<'b>, contestant: &str, threads: usize) -> Option<&'a RowView<'b>> {
    cell.rows.iter().find(|r| r.competes() && r.contestant == contestant && r.row.threads == threads)
}

/// The least that the machine takes for the cell's work on so many threads; on the most that were tried, where it was
/// not tried on so many.
fn limit(cell: &CellView<'_>, threads: usize) -> Option<f64> {
    let limits = || cell.rows.iter().filter(|r| r.row.role == Role::Limit && r.value.is_some());
    let most = limits().map(|r| r.row.threads).max()?;
    let on = if limits().any(|r| r.row.threads == threads) { threads } else { most };
    limits().filter(|r| r.row.threads == on).filter_map(|r| Some(r.value?.value)).min_by(f64::total_cmp)
}

fn limit_guide(points: Vec<(f64, f64)>) -> Option<Guide> {
    (points.len() > 1).then_some(Guide { name: "dots: limit of the machine".to_string(), points })
}

/// The lines of those contestants of a part that have points.
fn lines(part: &Part, points: impl Fn(&str) -> Vec<Point>) -> Vec<Line> {
    let line = |(pen, contestant): (usize, &String)| Line {
        pen,
        name: contestant.clone(),
        points: points(contestant),
    };
    part.contestants.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// All values that a figure has to hold.
fn extent(lines: &[Line], guide: &Option<Guide>) -> impl Iterator<Item = f64> {
    let points = lines.iter().flat_map(|line| &line.points);
    let values = points.flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high]
    });
    let guided = guide.iter().flat_map(|guide| &guide.points).map(|(_, y)| *y);
    values.chain(guided).collect::<Vec<_>>().into_iter()
}

/// The contestants of a series in parts that a figure can show. The plan may name a label, each of whose values gets a
/// part; otherwise there is one part, or the label that makes the parts smallest is taken. Contestants without the label
/// belong to each part, so that there is something to compare with; where they are many they are a part of their own.
fn parts(view: &RecordView<'_>, series: &Series) -> Vec<Part> {
    let mut all: Vec<(&str, &BTreeMap<String, String>)> = Vec::new();
    for cell in series.cells.iter().map(|index| &view.cells[*index]) {
        let mut rows: Vec<&RowView<'_>> = cell.rows.iter().filter(|row| row.competes()).collect();
        rows.sort_by_key(|row| row.index);
        for row in rows {
            if !all.iter().any(|(name, _)| *name == row.contestant) {
                all.push((&row.contestant, &row.row.labels));
            }
        }
    }
    let whole =
        || vec![Part { title: String::new(), contestants: all.iter().map(|(n, _)| n.to_string()).collect() }];
    let named = series.cells.iter().map(|i| &view.cells[*i].cell.figures_by).find(|label| !label.is_empty());
    let labels: BTreeSet<&String> = match named {
        Some(label) => BTreeSet::from([label]),
        None if all.len() <= LINES => return whole(),
        None => all.iter().flat_map(|(_, labels)| labels.keys()).collect(),
    };
    let divided = labels.into_iter().map(|label| divide(&all, label)).filter(|parts| parts.len() > 1);
    let size = |parts: &Vec<Part>| {
        let largest = parts.iter().map(|part| part.contestants.len()).max();
        (largest, parts.len())
    };
    divided.min_by_key(size).unwrap_or_else(whole)
}

fn divide(all: &[(&str, &BTreeMap<String, String>)], label: &str) -> Vec<Part> {
    let mut values: Vec<&String> = Vec::new();
    for (_, labels) in all {
        values.extend(labels.get(label).filter(|value| !values.contains(value)));
    }
    let with = |value: Option<&String>| {
        let found = all.iter().filter(|(_, labels)| labels.get(label) == value);
        found.map(|(name, _)| name.to_string()).collect::<Vec<_>>()
    };
    let others = with(None);
    let shared = if others.len() <= LINES / 2 { &others[..] } else { &[] };
    let part = |value: &&String| Part {
        title: format::one_line(&format!("{label} {value}")),
        contestants: [shared, &with(Some(*value))].concat(),
    };
    let mut parts: Vec<Part> = values.iter().map(part).collect();
    if shared.len() < others.len() {
        parts.push(Part { title: format::one_line(&format!("without {label}")), contestants: others });
    }
    parts
}

/// What a part shares, for a title.
fn with(part: &Part) -> String {
    if part.title.is_empty() { String::new() } else { format!(", {}", part.title) }
}

fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// The text with its first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// A name of a file out of letters, digits and single hyphens.
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
        let parts = divide(&all, "algorithm");
        let titles: Vec<&str> = parts.iter().map(|part| part.title.as_str()).collect();
        assert_eq!(titles, ["algorithm tree", "algorithm window"]);
        assert_eq!(parts[0].contestants, ["ours", "c tree", "julia tree"]);
        assert_eq!(parts[1].contestants, ["ours", "c window"]);
        let many = ["a", "b", "c", "d", "e"].map(|name| (name, &none));
        let parts = divide(&[&all[..], &many].concat(), "algorithm");
        assert_eq!((parts.len(), parts[2].title.as_str()), (3, "without algorithm"));
        assert_eq!((parts[0].contestants.len(), parts[2].contestants.len()), (2, 6));
    }
}
