//! Series of a plan: cases that differ in a size.

use std::collections::BTreeSet;

use crate::builder::works::{EntryView, Work};
use crate::builder::{grouped, param, work};

/// Returns the representative case of each series: the largest that has a result. A series has the cases of a workload
/// that compare the same quantity, and are equal in all parameters except the one number that takes most values.
pub(super) fn chiefs<'w, 'a>(works: &'w [Work<'a>]) -> Vec<&'w Work<'a>> {
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
    let chief = |(_, mut works): (_, Vec<&'w Work<'a>>)| {
        let key = key(works[0]);
        works.sort_by_key(|work| key.and_then(|key| param(work.case, key)));
        let measured = |work: &&&Work<'_>| work.entries.iter().any(EntryView::competes);
        works.iter().rev().find(measured).or(works.last()).copied()
    };
    grouped(works.iter().map(titled)).into_iter().filter_map(chief).collect()
}
