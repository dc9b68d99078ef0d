//! Means over the cases of a plan.

use parcrypt_lab::record::{Case, Entry, Measure, Role};
use parcrypt_lab::stats::{self, MeanRatio, RESOLUTION, Verdict};

use super::entries::{EntryView, Work};
use crate::builder::{compared, grouped};
use crate::format;
use crate::plot::{self, Figure};
use crate::say::{self, Leader, Ratio};
use crate::sheet::{Cell, Column, Row, Table};

/// Means over cases against a common baseline.
pub(super) struct Means<'w, 'a> {
    /// Name of the common baseline: the baseline of the first timed case.
    baseline: String,
    /// Each candidate with its number of threads, its mean ratio, its mean throughput, and the entries of its ratio.
    entries: Vec<Mean<'w, 'a>>,
    basis: Option<&'a Case>,
    floor: Option<f64>,
}

struct Mean<'w, 'a> {
    name: String,
    ratio: Option<MeanRatio>,
    throughput: Option<MeanRatio>,
    found: Vec<(&'w Work<'a>, &'w EntryView<'a>)>,
}

impl<'w, 'a> Means<'w, 'a> {
    /// Returns the mean of each candidate at each number of threads over the timed cases, in the order of the cases;
    /// empty if there are fewer than two. Cases of steps do not count: their entries are no rivals. Ratios to different
    /// baselines have no common mean, so the mean of the times leaves out the cases with another baseline than the
    /// first.
    pub(super) fn new(works: &[&'w Work<'a>]) -> Self {
        let timed: Vec<&'w Work<'a>> =
            works.iter().copied().filter(|work| work.case.measure.is_time() && !work.case.steps).collect();
        let own = |work: &'w Work<'a>| work.entries.iter().find(|entry| entry.is_baseline);
        let first = timed.first().and_then(|work| Some((*work, own(work)?))).filter(|_| timed.len() > 1);
        let Some((basis, baseline)) = first else {
            return Means { baseline: String::new(), entries: Vec::new(), basis: None, floor: None };
        };
        let all = grouped(timed.iter().flat_map(|work| {
            let with_value =
                |entry: &&EntryView<'_>| entry.entry.role == Role::Candidate && entry.value.is_some();
            work.in_order()
                .filter(with_value)
                .map(|entry| ((entry.candidate.clone(), entry.entry.threads), ()))
                .collect::<Vec<_>>()
        }));
        let several = all.iter().any(|((_, threads), _)| *threads != all[0].0.1);
        let named = |name: &str, threads: usize| match several {
            true => format!("{name} on {}", format::counted(threads, "thread")),
            false => name.to_owned(),
        };
        let is_of = |entry: &EntryView<'_>, name: &str, threads: usize| {
            entry.entry.role == Role::Candidate && entry.candidate == name && entry.entry.threads == threads
        };
        let mean = |((name, threads), _): &((String, usize), Vec<()>)| {
            let found: Vec<(&'w Work<'a>, &'w EntryView<'a>)> = timed
                .iter()
                .filter_map(|work| {
                    Some((*work, work.entries.iter().find(|entry| is_of(entry, name, *threads))?))
                })
                .collect();
            let of_baseline = |(work, entry): &(&'w Work<'a>, &'w EntryView<'a>)| {
                let own = own(work).filter(|own| is_of(own, &baseline.candidate, baseline.entry.threads))?;
                (!entry.is_baseline).then_some((entry.entry, own.entry))
            };
            let pairs: Vec<(&Entry, &Entry)> = found.iter().filter_map(of_baseline).collect();
            let rates = found.iter().filter(|(work, _)| work.case.throughput);
            let rates: Vec<(&Entry, u64)> =
                rates.map(|(work, entry)| (entry.entry, work.case.input_bytes)).collect();
            Mean {
                name: named(name, *threads),
                ratio: stats::mean_ratio(basis.case, &pairs),
                throughput: stats::mean_throughput(basis.case, &rates),
                found,
            }
        };
        let entries = all.iter().filter(|(_, cases)| cases.len() > 1).map(mean);
        Means {
            baseline: named(&baseline.candidate, baseline.entry.threads),
            entries: entries.filter(|entry| entry.ratio.is_some() || entry.throughput.is_some()).collect(),
            basis: Some(basis.case),
            floor: timed.iter().filter_map(|work| work.floor).max_by(f64::total_cmp),
        }
    }

    fn ratio(&self, mean: &MeanRatio) -> Ratio<'static> {
        let verdict = Verdict::of(&mean.ratio, RESOLUTION);
        Ratio {
            estimate: mean.ratio,
            measure: &Measure::Time,
            verdict,
            floor: self.floor,
            needs: stats::LEAST_REPLICATES,
        }
    }

    /// Returns the verdict over the cases: the best mean, tested against the others; `None` without means. Means over
    /// different cases cannot be compared, so only those over the most cases count.
    pub(super) fn verdict(&self) -> Option<[String; 3]> {
        let cases =
            self.entries.iter().filter_map(|mean| mean.ratio.as_ref()).map(|ratio| ratio.pairs).max()?;
        let mut all: Vec<(&Mean<'w, 'a>, MeanRatio)> = self
            .entries
            .iter()
            .filter_map(|mean| Some((mean, mean.ratio.filter(|ratio| ratio.pairs == cases)?)))
            .collect();
        all.sort_by(|(_, a), (_, b)| a.ratio.value.total_cmp(&b.ratio.value));
        let before = format!("Over {}: ", format::counted(cases, "case"));
        let (best, ratio) =
            all.iter().find(|(_, mean)| self.ratio(mean).verdict == Verdict::Faster).or(all.first())?;
        let against_best = |mean: &Mean<'w, 'a>| {
            let pair = |(work, entry): &(&'w Work<'a>, &'w EntryView<'a>)| {
                let same = best.found.iter().find(|(other, _)| std::ptr::eq(*other, *work))?;
                Some((entry.entry, same.1.entry))
            };
            let pairs: Vec<(&Entry, &Entry)> = mean.found.iter().filter_map(pair).collect();
            Some(Verdict::of(&stats::mean_ratio(self.basis?, &pairs)?.ratio, RESOLUTION))
        };
        let is_tie =
            |mean: &Mean<'w, 'a>| against_best(mean).is_none_or(|verdict| verdict != Verdict::Slower);
        let ties = all.iter().filter(|(mean, _)| !std::ptr::eq(*mean, *best) && is_tie(mean));
        let ties: Vec<String> = ties.map(|(mean, _)| mean.name.clone()).collect();
        let is_faster = self.ratio(ratio).verdict == Verdict::Faster;
        let ties = if is_faster { ties } else { Vec::new() };
        let ratio = Some((&*self.baseline, self.ratio(ratio)));
        let leader = Leader { name: &best.name, ratio, ties, next: None, has_others: all.len() > 1 };
        let [_, said, after] = leader.verdict();
        Some([before, said, after])
    }

    /// Returns the table of means; `None` if there are none.
    pub(super) fn table(&self) -> Option<Table> {
        let has_rates = self.entries.iter().any(|entry| entry.throughput.is_some());
        let over = |cell: Cell, mean: &MeanRatio| Cell {
            bounds: format!("{}, {}", cell.bounds, format::counted(mean.pairs, "case"))
                .trim_start_matches(", ")
                .to_owned(),
            ..cell
        };
        let rate = |mean: &MeanRatio| Cell {
            bounds: mean
                .ratio
                .interval
                .map_or(String::new(), |i| format!("[{}]", format::rate_interval(mean.ratio.value, i))),
            ..Cell::of(Some(mean.ratio), |rate| format::rate(rate.value))
        };
        let row = |entry: &Mean<'_, '_>| {
            let dash = || Cell::new("–");
            let ratio = entry.ratio.as_ref();
            let mut cells =
                vec![ratio.map_or_else(dash, |mean| over(compared(&self.ratio(mean))[0].clone(), mean))];
            if has_rates {
                cells.push(entry.throughput.as_ref().map_or_else(dash, |mean| over(rate(mean), mean)));
            }
            let verdict = ratio.map(|mean| self.ratio(mean).verdict);
            Row { what: entry.name.clone(), cells, verdict, ..Row::default() }
        };
        let mut columns = vec![Column::text("ratio", format!("against {}", self.baseline))];
        columns.extend(has_rates.then(|| Column::text("throughput", "throughput")));
        let title = "Geometric means over the timed cases, taken within each round:".to_owned();
        let rows: Vec<Row> = self.entries.iter().map(row).collect();
        (!rows.is_empty()).then_some(Table { title, what: "candidate", columns, rows })
    }

    pub(super) fn figure(&self) -> Option<Figure> {
        let rows = self.entries.iter().filter_map(|mean| Some((mean.name.as_str(), mean.ratio?.ratio)));
        let rows = rows.map(|(name, ratio)| (name, ratio, Verdict::of(&ratio, RESOLUTION)));
        let axis = say::axis(&Measure::Time, &self.baseline);
        plot::forest(
            &format!("Means over cases: {axis}"),
            &axis,
            rows,
            self.floor.map(|of| ("noise floor", of)),
        )
    }
}
