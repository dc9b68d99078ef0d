//! Means over the cases of a plan.

use parcrypt_lab::record::{Case, Entry, Measure};
use parcrypt_lab::stats::{self, MeanRatio, Verdict};

use crate::builder::works::{EntryView, Work};
use crate::builder::{compared, grouped};
use crate::format;
use crate::plot::{self, Figure};
use crate::say::Ratio;
use crate::sheet::{Cell, Column, Row, Table};

/// Means over cases against a common baseline.
pub(super) struct Means<'w, 'a> {
    /// Name of the common baseline: the baseline of the first timed case.
    baseline: String,
    /// Each candidate at each number of threads.
    entries: Vec<Mean<'w, 'a>>,
    /// The first timed case.
    basis: &'a Case,
}

struct Mean<'w, 'a> {
    name: String,
    /// The mean ratio to the baseline, and the number of its cases.
    ratio: Option<(Ratio<'static>, usize)>,
    throughput: Option<MeanRatio>,
    /// The entries, each with its case.
    found: Vec<(&'w Work<'a>, &'w EntryView<'a>)>,
}

impl<'w, 'a> Means<'w, 'a> {
    /// Returns the mean of each candidate at each number of threads over the timed cases, in the order of the cases;
    /// `None` if there are fewer than two. Cases of steps do not count: their entries are no rivals. Ratios to
    /// different baselines have no common mean, so the mean of the times leaves out the cases with another baseline
    /// than the first.
    pub(super) fn new(works: &[&'w Work<'a>]) -> Option<Self> {
        let is_timed = |work: &&&Work<'_>| work.case.measure.is_time() && !work.case.steps;
        let timed: Vec<&'w Work<'a>> = works.iter().filter(is_timed).copied().collect();
        let floor = timed.iter().filter_map(|work| work.floor).max_by(f64::total_cmp);
        let own = |work: &'w Work<'a>| work.entries.iter().find(|entry| entry.is_baseline);
        let basis = timed.first().filter(|_| timed.len() > 1)?.case;
        let baseline = own(timed[0])?;
        let key = |entry: &'w EntryView<'a>| (&*entry.candidate, entry.entry.threads);
        let all = grouped(timed.iter().flat_map(|work| {
            let candidates = work.in_order().filter(|entry| entry.competes());
            candidates.map(|entry| (key(entry), (*work, entry))).collect::<Vec<_>>()
        }));
        let several = all.iter().any(|((_, threads), _)| *threads != all[0].0.1);
        let named = |(name, threads): (&str, usize)| match several {
            true => format!("{name} on {}", format::counted(threads, "thread")),
            false => name.to_owned(),
        };
        let mean = |(of, found): ((&str, usize), Vec<(&'w Work<'a>, &'w EntryView<'a>)>)| {
            let of_baseline = |(work, entry): &(&'w Work<'a>, &'w EntryView<'a>)| {
                let own = own(work).filter(|own| key(own) == key(baseline) && own.competes())?;
                (!entry.is_baseline).then_some((entry.entry, own.entry))
            };
            let pairs: Vec<(&Entry, &Entry)> = found.iter().filter_map(of_baseline).collect();
            let rates = found.iter().filter(|(work, _)| work.case.throughput);
            let rates = rates.map(|(work, entry)| (entry.entry, work.case.input_bytes));
            let ratio = stats::mean_ratio(basis, &pairs).map(|mean| {
                let rounds = [mean.ratio.replicates, stats::MIN_REPLICATES];
                (Ratio::new(mean.ratio, &Measure::Time, floor, rounds), mean.pairs)
            });
            let throughput = stats::mean_throughput(basis, &rates.collect::<Vec<_>>());
            Mean { name: named(of), ratio, throughput, found }
        };
        let entries = all.into_iter().filter(|(_, cases)| cases.len() > 1).map(mean);
        let entries: Vec<_> =
            entries.filter(|entry| entry.ratio.is_some() || entry.throughput.is_some()).collect();
        (!entries.is_empty()).then(|| Means { entries, baseline: named(key(baseline)), basis })
    }

    /// Returns the verdict over the cases: the best mean, tested against the others; `None` without means. Means over
    /// different cases cannot be compared, so only those over the most cases count.
    pub(super) fn verdict(&self) -> Option<[String; 3]> {
        let cases = self.entries.iter().filter_map(|mean| Some(mean.ratio?.1)).max()?;
        let whole =
            |mean: &'_ Mean<'w, 'a>| mean.ratio.filter(|(_, of)| *of == cases).map(|(ratio, _)| ratio);
        let mut all: Vec<(&Mean<'w, 'a>, Ratio<'_>)> =
            self.entries.iter().filter_map(|mean| Some((mean, whole(mean)?))).collect();
        all.sort_by(|(_, a), (_, b)| a.estimate.value.total_cmp(&b.estimate.value));
        let is_faster = |ratio: &Ratio<'_>| ratio.verdict == Verdict::Faster;
        let (best, ratio) = all.iter().find(|(_, ratio)| is_faster(ratio)).or(all.first())?;
        let is_tie = |mean: &Mean<'w, 'a>| {
            let pair = |(work, entry): &(&'w Work<'a>, &'w EntryView<'a>)| {
                let same = best.found.iter().find(|(other, _)| std::ptr::eq(*other, *work))?;
                Some((entry.entry, same.1.entry))
            };
            let pairs: Vec<(&Entry, &Entry)> = mean.found.iter().filter_map(pair).collect();
            let against = stats::mean_ratio(self.basis, &pairs);
            against.is_none_or(|mean| Verdict::of(&mean.ratio, stats::RESOLUTION) != Verdict::Slower)
        };
        let others = all.iter().filter(|(mean, _)| !std::ptr::eq(*mean, *best) && is_faster(ratio));
        let ties = others.filter(|(mean, _)| is_tie(mean)).map(|(mean, _)| mean.name.clone());
        let [_, said, after] = ratio.verdict(&best.name, &self.baseline, &ties.collect::<Vec<_>>());
        Some([format!("Over {}: ", format::counted(cases, "case")), said, after])
    }

    /// Returns the table of means.
    pub(super) fn table(&self) -> Table {
        let over = |cell: Cell, pairs: usize| {
            let bounds = format!("{}, {}", cell.bounds, format::counted(pairs, "case"));
            Cell { bounds: bounds.trim_start_matches(", ").to_owned(), ..cell }
        };
        let row = |entry: &Mean<'_, '_>| {
            let verdict = entry.ratio.map(|(ratio, _)| ratio.verdict);
            Row { what: entry.name.clone(), verdict, ..Row::default() }
        };
        let mut table = Table::new("candidate", &self.entries, row);
        table.title = "Geometric means over the timed cases, taken within each round:".to_owned();
        let column = Column::text("ratio", format!("against {}", self.baseline));
        table.add(column, &self.entries, |mean| {
            let ratio = mean.ratio.map(|(ratio, pairs)| over(compared(&ratio)[0].clone(), pairs));
            ratio.unwrap_or(Cell::new("–"))
        });
        table.add(Column::text("throughput", "throughput"), &self.entries, |mean| {
            let Some(MeanRatio { ratio, pairs }) = mean.throughput else { return Cell::new("–") };
            let bounds = ratio.interval.map(|of| format!("[{}]", format::rate_interval(ratio.value, of)));
            let cell = Cell::of(Some(ratio), |rate| format::rate(rate.value));
            over(Cell { bounds: bounds.unwrap_or_default(), ..cell }, pairs)
        });
        table
    }

    pub(super) fn figure(&self) -> Option<Figure> {
        let rows: Vec<_> =
            self.entries.iter().filter_map(|mean| Some((&*mean.name, mean.ratio?.0))).collect();
        plot::forest("means over cases", &self.baseline, &rows, None)
    }
}
