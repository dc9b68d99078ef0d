//! Whether what the plan claims is kept.

use crate::format;
use crate::view::RecordView;

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
