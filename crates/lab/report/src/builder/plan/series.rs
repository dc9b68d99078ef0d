//! Figures of a plan: values over sizes or numbers of threads.

use std::collections::BTreeSet;

use crate::builder::works::{EntryView, Work};
use crate::builder::{grouped, param, work};
use crate::format;
use crate::plot::{self, Figure};

/// Cases of one workload that compare the same quantity and differ in one number only, or a single case.
pub(super) struct Series<'w, 'a> {
    /// Workload and the parameters that do not vary.
    title: String,
    /// Parameter that varies; `None` for a single case.
    key: Option<String>,
    /// Cases by size.
    works: Vec<&'w Work<'a>>,
}

/// Returns the series: cases grouped by workload and compared quantity, and then by all parameters except the one
/// number that takes most values.
pub(super) fn series<'w, 'a>(works: &'w [Work<'a>]) -> Vec<Series<'w, 'a>> {
    let kind = |work: &'w Work<'a>| (&work.case.workload, &work.case.measure, work.case.steps);
    // The parameter that is a number in all cases of this kind and takes the most values, at least two.
    let key = |of: &'w Work<'a>| {
        let alike = || works.iter().filter(|work| kind(work) == kind(of));
        let values = |key: &String| {
            let found: Option<BTreeSet<u64>> = alike().map(|work| param(work.case, key)).collect();
            found.map_or(0, |found| found.len())
        };
        let keys = alike().take(1).flat_map(|first| first.case.params.keys().rev());
        keys.max_by_key(|key| values(key)).filter(|key| values(key) > 1)
    };
    let titled = |one: &'w Work<'a>| {
        let title = work(&one.case.workload, &one.case.params, key(one).map(String::as_str));
        ((kind(one), title), one)
    };
    let series = |((_, title), mut works): (_, Vec<&'w Work<'a>>)| {
        let key = key(works[0]).cloned();
        works.sort_by_key(|work| key.as_ref().and_then(|key| param(work.case, key)));
        Series { title, key: key.filter(|_| works.len() > 1), works }
    };
    grouped(works.iter().map(titled)).into_iter().map(series).collect()
}

impl<'w, 'a> Series<'w, 'a> {
    /// Returns the representative case: the largest that has a result.
    pub(super) fn chief(&self) -> Option<&'w Work<'a>> {
        let measured = |work: &&&Work<'_>| work.entries.iter().any(EntryView::competes);
        self.works.iter().rev().find(measured).or(self.works.last()).copied()
    }

    /// Returns the charts over sizes, one for each number of threads, or over numbers of threads.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let Some(chief) = self.chief().filter(|chief| !chief.case.steps) else { return Vec::new() };
        let point = |entry: &EntryView<'_>, x: u64| Some((entry.candidate.clone(), (x, entry.value?)));
        let threads: BTreeSet<usize> = self.works.iter().flat_map(|work| work.threads()).collect();
        let measure = &chief.case.measure;
        let Some(key) = &self.key else {
            let points = chief.in_order().filter(|entry| entry.competes());
            let points = grouped(points.filter_map(|entry| point(entry, entry.entry.threads as u64)));
            return plot::over("threads", "threads", &chief.title, measure, points).into_iter().collect();
        };
        let chart = |on: usize| {
            let there = self.works.iter().flat_map(|work| work.in_order().map(move |entry| (work, entry)));
            let there = there.filter(|(_, entry)| entry.competes() && entry.entry.threads == on);
            let points = grouped(there.filter_map(|(work, entry)| point(entry, param(work.case, key)?)));
            let over = format!("{key} on {}", format::counted(on, "thread"));
            plot::over(key, &over, &self.title, measure, points)
        };
        threads.into_iter().rev().filter_map(chart).collect()
    }
}
