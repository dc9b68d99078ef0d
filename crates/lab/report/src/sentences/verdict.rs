//! The verdict of a record, which heads its page.

use parcrypt_lab::record::{FailureKind, Measure};
use parcrypt_lab::stats::{Estimate, RESOLUTION, Verdict};

use super::{NO_CASES, answer_words, as_fast};
use crate::view::{CaseView, MeanView, RecordView};
use crate::{format, suite};

/// What the verdict of a record is about, so that no report says it twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// The question with this index among those that [`RecordView::asked`] returns.
    Question(usize),
    /// The means over cases.
    Means,
    /// The case with this index.
    Case(usize),
    /// Nothing was measured.
    Nothing,
}

/// The verdict of a record in words.
#[derive(Clone, Debug)]
pub(crate) struct RecordVerdict {
    pub(crate) about: About,
    /// Text before the answer, such as the question; may be empty.
    pub(crate) before: String,
    /// The answer.
    pub(crate) answer: String,
    /// The text after the answer: the interval, and a full stop.
    pub(crate) after: String,
}

impl std::fmt::Display for RecordVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", self.before, self.answer, self.after)
    }
}

/// Returns the verdict of a record: what changed in its suite, the answer to its first
/// question, its only case, the best mean over its cases, or the representative case of its first series.
pub(crate) fn verdict_of(view: &RecordView<'_>) -> RecordVerdict {
    let suite = || suite::of(view.record).map(|suite| suite.verdict());
    let found = suite().or_else(|| question(view)).or_else(|| only_case(view));
    let found = found.or_else(|| means(view));
    found.or_else(|| first_case(view)).unwrap_or_else(|| RecordVerdict {
        about: About::Nothing,
        before: String::new(),
        answer: NO_CASES.to_string(),
        after: String::new(),
    })
}

fn question(view: &RecordView<'_>) -> Option<RecordVerdict> {
    view.asked().into_iter().enumerate().find_map(|(index, (question, answer))| {
        let change = answer_words(question, answer, view.floor_of(&answer.measure))?.change;
        let ask = format::one_line(&question.ask);
        let before = if ask.ends_with('?') { format!("{ask} ") } else { format!("{ask}: ") };
        let after = format!(" ({}){}.", change.sure(), change.noise);
        Some(RecordVerdict { about: About::Question(index), before, answer: change.what, after })
    })
}

fn of_case(index: usize, case: &CaseView<'_>, title: &str) -> RecordVerdict {
    RecordVerdict {
        about: About::Case(index),
        before: format!("{title}{}", case.headline.before),
        answer: case.headline.name.clone(),
        after: case.headline.after.clone(),
    }
}

fn only_case(view: &RecordView<'_>) -> Option<RecordVerdict> {
    match view.shown().as_slice() {
        [index] => Some(of_case(*index, &view.cases[*index], "")),
        _ => None,
    }
}

fn means(view: &RecordView<'_>) -> Option<RecordVerdict> {
    crate::view::tables::means(view)?;
    let ratio = |entry: &&MeanView| entry.ratio.as_ref().map(|mean| (mean.ratio, mean.pairs));
    let all = || view.means.entries.iter().filter_map(|entry| Some((entry, ratio(&entry)?)));
    // One that is shown to be faster comes before one that only may be.
    let is_faster = |ratio: &Estimate| matches!(Verdict::of(ratio, RESOLUTION), Verdict::Faster);
    let (best, (least, cases)) = all().min_by(|(_, (a, _)), (_, (b, _))| {
        is_faster(b).cmp(&is_faster(a)).then(a.value.total_cmp(&b.value))
    })?;
    let baseline = format::one_line(&view.means.baseline);
    let verdict = |before: String, answer: String, after: String| {
        Some(RecordVerdict { about: About::Means, before, answer, after })
    };
    let over = format!(" over {}.", format::counted(cases, "case"));
    match Verdict::of(&least, RESOLUTION) {
        Verdict::Faster => {}
        Verdict::Open => {
            return verdict(
                String::new(),
                format!("Cannot tell whether anything is faster than {baseline}"),
                over,
            );
        }
        Verdict::Same | Verdict::Slower => {
            return verdict(String::new(), format!("Nothing found that is faster than {baseline}"), over);
        }
    }
    let floor = view.floor_of(&Measure::Time);
    let speed = as_fast(&Measure::Time, &least, &baseline, floor);
    verdict(
        format!("Fastest over {}: ", format::counted(cases, "case")),
        format::one_line(&best.name),
        format!("{speed}."),
    )
}

fn first_case(view: &RecordView<'_>) -> Option<RecordVerdict> {
    let measured = |index: &&usize| !view.cases[**index].headline.name.is_empty();
    let chief = |series| {
        let chief = view.chief(series)?;
        view.cases.iter().position(|case| std::ptr::eq(case, chief))
    };
    let chiefs: Vec<usize> = view.series.iter().filter_map(chief).collect();
    let index = *chiefs.iter().find(measured).or(chiefs.first())?;
    let case = &view.cases[index];
    Some(of_case(index, case, &format!("{}: ", format::one_line(&case.title))))
}

/// Returns a line for each way in which entries failed or had wrong outputs, and nothing for those that were skipped.
pub(crate) fn alarms(view: &RecordView<'_>) -> Vec<String> {
    let line = |one: &crate::view::FailureView<'_>| {
        let what = match one.failure.kind {
            FailureKind::WrongDigest => "Wrong output".to_string(),
            kind => format!("Failed ({})", crate::view::kind(kind)),
        };
        let place = match one.cases.as_slice() {
            [_] if view.cases.len() == 1 => String::new(),
            [one] => format!(" in {one}"),
            all => format!(" in {}", format::counted(all.len(), "case")),
        };
        let why = one.failure.why.trim_end_matches('.');
        format::one_line(&format!("{what}: {}{place}: {why}.", one.entry.name))
    };
    view.failures().iter().map(line).collect()
}

/// Returns the cases of which every entry was skipped, with the reasons, in a line; `None` if there are none.
pub(crate) fn skipped(view: &RecordView<'_>) -> Option<String> {
    let reason = |case: &CaseView<'_>| {
        let failure = case.entries.iter().find_map(|entry| entry.entry.failure.as_ref())?;
        Some((failure.why.trim_end_matches('.').to_owned(), case.title.clone()))
    };
    let skipped = view.cases.iter().filter(|case| case.is_unsupported());
    let said = |(why, cases): (String, Vec<String>)| format!("{} ({why})", format::listed(&cases));
    let all: Vec<String> = crate::view::grouped(skipped.filter_map(reason)).into_iter().map(said).collect();
    (!all.is_empty()).then(|| format::one_line(&format!("Skipped: {}.", all.join("; "))))
}
