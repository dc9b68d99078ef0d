//! Whether a condition holds for a benchmark of a suite: the answer, the benchmarks that it is about, and how far the
//! others may be from it.

use parcrypt_lab::record::{Case, Entry, FailureKind, Record};
use parcrypt_lab::stats::{self, Asked, Border, Judged, verdicts};
use serde_json::{Value, json};

use super::{Benchmark, Lost, SuiteView, counts, percent};
use crate::format;
use crate::verdict::{Gate, Holds};

/// Names that a sentence has; JSON has all.
const NAMES: usize = 8;

/// The answer of a suite to a condition, which `Display` puts into a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    condition: Gate,
    /// Name of what a condition on counts is about.
    counted: &'static str,
    /// Whether it holds for any benchmark.
    pub holds: Holds,
    /// Number of benchmarks that were asked.
    asked: usize,
    /// Names of those for which it holds, each with how it changed.
    found: Vec<(String, String)>,
    /// Names of those for which nothing is shown.
    open: Vec<String>,
    /// Number of these without an interval.
    without_interval: usize,
    /// The bound of their intervals that is furthest on the side of the condition; with no such benchmark, of all
    /// intervals. `None` without intervals, and of counts.
    reach: Option<f64>,
    /// Number of benchmarks that were not measured.
    not_measured: usize,
    /// Number of those that failed in the new revision only.
    failed: usize,
}

/// What one benchmark says.
pub(super) enum One {
    /// The condition holds, with how the benchmark changed.
    Found(String),
    Open,
    Not,
}

impl SuiteView<'_> {
    /// Returns whether a condition holds for the new revision of any benchmark, corrected for their number. It is 'no'
    /// if it does not hold for the interval of any, and 'cannot tell' if nothing was compared, or a benchmark was not
    /// measured or failed in the new revision only.
    pub(super) fn answer(&self, condition: Gate) -> Answer {
        let of_counts = condition.is_on_counts() && self.compared.iter().all(|one| one.measure().is_time());
        let asked = if of_counts { counts::answers(self, condition) } else { self.of_ratios(condition) };
        let mut answer = Answer {
            condition,
            counted: self.suite.counts.unwrap_or_default().name(),
            holds: Holds::CannotTell,
            asked: asked.len(),
            found: Vec::new(),
            open: Vec::new(),
            without_interval: 0,
            reach: None,
            not_measured: 0,
            failed: 0,
        };
        let mut bounds: [Option<f64>; 2] = [None; 2];
        for (benchmark, one) in asked {
            let interval = benchmark.judged.look.ratio.interval.filter(|_| !of_counts);
            let is_open = matches!(one, One::Open);
            answer.without_interval += usize::from(is_open && interval.is_none() && !of_counts);
            if let Some(interval) = interval {
                let furthest = &mut bounds[usize::from(is_open)];
                *furthest = Some(match condition.border() {
                    Border::Above(_) => furthest.map_or(interval.high, |bound| bound.max(interval.high)),
                    Border::Below(_) => furthest.map_or(interval.low, |bound| bound.min(interval.low)),
                });
            }
            match one {
                One::Found(how) => answer.found.push((benchmark.name.clone(), how)),
                One::Open => answer.open.push(benchmark.name.clone()),
                One::Not => {}
            }
        }
        answer.reach = if answer.open.is_empty() { bounds[0] } else { bounds[1] };
        answer.not_measured = self.others.iter().filter(|one| one.lost == Lost::NotMeasured).count();
        answer.failed = broken(self.record).count();
        let is_whole = answer.open.is_empty() && answer.not_measured == 0 && answer.failed == 0;
        answer.holds = match (answer.found.is_empty(), is_whole && answer.asked > 0) {
            (false, _) => Holds::Yes,
            (true, true) => Holds::No,
            (true, false) => Holds::CannotTell,
        };
        answer
    }

    /// Returns what each benchmark says by the ratio of its times, or of the counts that it compares.
    fn of_ratios(&self, condition: Gate) -> Vec<(&Benchmark<'_>, One)> {
        let asked = Asked { gate: Some(condition.border()), ..self.suite.asked() };
        let rows: Vec<_> =
            self.compared.iter().map(|one| (one.case.into(), stats::changes(one.case))).collect();
        let answer = |judged: Option<Judged>| match judged.and_then(|judged| judged.gate.zip(Some(judged))) {
            Some((true, judged)) => {
                One::Found(format!("{} %", format::signed_percents(judged.look.ratio.value, None).0))
            }
            Some((false, _)) => One::Not,
            None => One::Open,
        };
        self.compared.iter().zip(verdicts(&rows, asked).into_iter().map(answer)).collect()
    }
}

/// Returns the benchmarks that failed in the new revision only. What failed before the change too says nothing about
/// it.
pub(super) fn broken(record: &Record) -> impl Iterator<Item = &Case> {
    let has_failed = |entry: &Entry| {
        entry.failure.as_ref().is_some_and(|failure| failure.kind != FailureKind::Unsupported)
    };
    let is_broken = move |(old, new): (&Entry, &Entry)| has_failed(new) && old.failure.is_none();
    record.cases.iter().filter(move |case| case.revisions().is_some_and(is_broken))
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = said(self.condition, self.counted);
        let asked = format::counted(self.asked, "benchmark");
        let reach = self.reach.map(|ratio| format!("reach {} %", format::signed_percents(ratio, None).0));
        match self.holds {
            Holds::Yes => {
                let names = self.found.iter().map(|(name, how)| format!("{name} ({how})")).collect();
                write!(f, "gate failed: {} of {asked} {what}: {}", self.found.len(), listed(names))
            }
            Holds::No => {
                let reach = reach.map_or(String::new(), |reach| format!(" (their intervals {reach})"));
                write!(f, "gate passed: no benchmark {what}; {} compared{reach}", self.asked)
            }
            Holds::CannotTell if self.asked == 0 && self.not_measured == 0 && self.failed == 0 => {
                write!(f, "gate undecided: no benchmark was compared")
            }
            Holds::CannotTell => {
                write!(f, "gate undecided: no benchmark shown {what}")?;
                let few = match self.without_interval {
                    0 => None,
                    all if all == self.open.len() => Some("too few rounds for an interval".to_owned()),
                    some => Some(format!("{some} with too few rounds for one")),
                };
                let reach = reach.map(|reach| format!("their intervals {reach}"));
                let why: Vec<String> = reach.into_iter().chain(few).collect();
                let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
                if !self.open.is_empty() {
                    write!(f, "; {} of {} undecided{why}", self.open.len(), self.asked)?;
                }
                if self.not_measured > 0 {
                    write!(f, "; {} not measured", self.not_measured)?;
                }
                if self.failed > 0 {
                    write!(f, "; {} failed in the new revision only", self.failed)?;
                }
                // Counts do not become more exact with time.
                match self.without_interval > 0
                    || self.reach.is_some() && !self.open.is_empty()
                    || self.not_measured > 0
                {
                    true => write!(f, ": give more time with --for"),
                    false => Ok(()),
                }
            }
        }
    }
}

impl Answer {
    /// Returns the answer for JSON.
    pub(super) fn result(&self) -> Value {
        json!({
            "condition": self.condition.to_string(),
            "answer": self.holds.name(),
            "sentence": self.to_string(),
            "benchmarks": self.found.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "undecided": self.open,
            "reach": self.reach,
        })
    }
}

/// Returns a condition as it is said of a benchmark: `slower than 2 %`, of counts `with over 2 % more allocations`.
fn said(condition: Gate, counted: &str) -> String {
    let text = condition.to_string();
    match (condition.is_on_counts(), text.split_once(" than ")) {
        (true, Some((word, _))) if condition.part() > 0.0 => {
            format!("with over {} {word} {counted}", percent(condition.part()))
        }
        (true, Some((word, _))) => format!("with {word} {counted}"),
        _ => text.replace('%', " %"),
    }
}

/// Returns the first names, and how many more there are.
pub(super) fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.join(", ") + &more
}
