//! Questions of a plan: how one choice compares with another, all else equal.

use std::collections::{BTreeMap, BTreeSet};

use parcrypt_stats::means;

use crate::method::outdated;
use crate::record::{Case, Entry, Measure, Question, Record, Role};
use crate::stats::{self, Asked, Basis, Border, MeanRatio, RESOLUTION, Verdict, verdicts};

/// Returns the value of a key for an entry of a case: `threads`, `workload`, `candidate`, a label of the entry, or a
/// parameter of the case, in this order.
fn lookup(case: &Case, entry: &Entry, key: &str) -> Option<String> {
    match key {
        "threads" => Some(entry.threads.to_string()),
        "workload" => Some(case.workload.clone()),
        "candidate" => Some(entry.candidate.clone()),
        _ => entry.labels.get(key).cloned().or_else(|| case.params.get(key).map(ToString::to_string)),
    }
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The geometric mean over all pairs of the time of the `to` side over the time of the `from` side; `None` if
    /// no pair was measured.
    pub overall: Option<MeanRatio>,
    /// Number of pairs of the question, measured or not.
    pub pairs: usize,
    /// The same mean for the pairs that share a value, for every key that differs among the pairs.
    pub groups: Vec<Group>,
    /// Quantity that was compared.
    pub measure: Measure,
    /// Verdict on the ratio over the bound that the question claims. It is slower if the claim is broken, corrected for
    /// the number of claims in the plan, and the same if it is kept, by the whole interval. `None` without a claim or a
    /// measured pair, and in a record of [another method](outdated).
    pub claim: Option<Verdict>,
}

/// The pairs of a question that share a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The key: a label, `threads`, `workload` or a parameter.
    pub key: String,
    /// The value of the key.
    pub value: String,
    /// The mean over the pairs that share it.
    pub mean: MeanRatio,
}

/// Two entries of the same case, one of either side.
struct Pair<'a> {
    case: &'a Case,
    from: &'a Entry,
    to: &'a Entry,
}

/// Returns the answers to the questions of a record, in their order.
///
/// Only candidates count, not controls or limits. Besides labels, the two sides may name `candidate` and `threads`;
/// if they name `threads`, it need not be equal.
pub fn answers(record: &Record) -> Vec<Answer> {
    let (mut answers, claims): (Vec<Answer>, Vec<_>) =
        record.questions.iter().map(|question| answer(record, question)).unzip();
    if outdated(record).is_some() {
        return answers;
    }
    let all = verdicts(&claims, Asked { threshold: RESOLUTION, gate: Some(Border::Above(1.0)) });
    for (answer, over) in answers.iter_mut().zip(all) {
        answer.claim = over.map(|over| match over.gate {
            Some(true) => Verdict::Slower,
            Some(false) => Verdict::Same,
            None => Verdict::Open,
        });
    }
    answers
}

/// Returns the answer to a question, and the logarithms of its ratio over the bound that it claims.
fn answer(record: &Record, question: &Question) -> (Answer, (Basis, Vec<f64>)) {
    let pairs: Vec<Pair<'_>> = record.cases.iter().flat_map(|case| pairs_of(case, question)).collect();
    // A plan with questions has one measure.
    let measure = record.cases.first().map_or(Measure::Time, |case| case.measure.clone());
    let basis = |pairs: &[&Pair<'_>]| {
        let all = || pairs.iter().map(|pair| Basis::from(pair.case));
        Basis {
            is_count: !measure.is_time(),
            sequential: all().any(|basis| basis.sequential),
            blocks: all().filter_map(|basis| basis.blocks).max(),
        }
    };
    let logs = |pairs: &[&Pair<'_>]| -> Vec<Vec<f64>> {
        pairs.iter().map(|pair| stats::log_ratios(pair.to, pair.from)).collect()
    };
    let mean = |pairs: &[&Pair<'_>]| basis(pairs).mean(&logs(pairs));
    let labels: BTreeSet<&String> = pairs.iter().flat_map(|pair| pair.to.labels.keys()).collect();
    let params: BTreeSet<&String> = pairs.iter().flat_map(|pair| pair.case.params.keys()).collect();
    let params = params.difference(&labels).map(|key| key.as_str());
    let keys = labels.iter().map(|key| key.as_str()).chain(["threads", "workload"]).chain(params);
    let mut groups = Vec::new();
    for key in keys.filter(|key| !is_named(question, key)) {
        // Numbers are before all other values.
        let mut by_value: BTreeMap<Option<(u64, String)>, Vec<&Pair<'_>>> = BTreeMap::new();
        for pair in &pairs {
            let value = lookup(pair.case, pair.to, key);
            let value = value.map(|value| (value.parse().unwrap_or(u64::MAX), value));
            by_value.entry(value).or_default().push(pair);
        }
        if by_value.len() > 1 {
            groups.extend(by_value.into_iter().filter_map(|(value, pairs)| {
                Some(Group { key: key.to_owned(), value: value?.1, mean: mean(&pairs)? })
            }));
        }
    }
    let all: Vec<&Pair<'_>> = pairs.iter().collect();
    let claimed = question.at_most.zip(means(&logs(&all)));
    let over = claimed.map(|(most, (means, _))| means.into_iter().map(|mean| mean - most.ln()).collect());
    let overall = mean(&all);
    let answer = Answer { overall, pairs: pairs.len(), groups, claim: None, measure: measure.clone() };
    (answer, (basis(&all), over.unwrap_or_default()))
}

/// Returns whether a side of the question says what a key is.
fn is_named(question: &Question, key: &str) -> bool {
    question.from.contains_key(key) || question.to.contains_key(key)
}

fn pairs_of<'a>(case: &'a Case, question: &Question) -> Vec<Pair<'a>> {
    let on_side = |entry: &Entry, side: &BTreeMap<String, String>| {
        side.iter().all(|(key, value)| match key.as_str() {
            "candidate" => entry.candidate == *value,
            "threads" => entry.threads.to_string() == *value,
            _ => entry.labels.get(key) == Some(value),
        })
    };
    let rest = |entry: &'a Entry| -> (Option<usize>, Vec<(&'a String, &'a String)>) {
        let threads = (!is_named(question, "threads")).then_some(entry.threads);
        (threads, entry.labels.iter().filter(|(key, _)| !is_named(question, key)).collect())
    };
    let eligible: Vec<&Entry> = case
        .entries
        .iter()
        .filter(|entry| entry.role == Role::Candidate)
        .filter(|entry| question.only.iter().all(|c| c.holds(&|key| lookup(case, entry, key))))
        .collect();
    let mut pairs = Vec::new();
    for from in eligible.iter().filter(|entry| on_side(entry, &question.from)) {
        for to in eligible.iter().filter(|entry| on_side(entry, &question.to)) {
            if !std::ptr::eq(*from, *to) && rest(from) == rest(to) {
                pairs.push(Pair { case, from, to });
            }
        }
    }
    pairs
}
