//! Questions of a plan (how one choice compares with another, all else equal) and conditions on entries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use parcrypt_stats::means;
use serde::{Deserialize, Serialize};

use crate::method::outdated;
use crate::record::{Case, Entry, Measure, Question, Record, Role};
use crate::stats::{self, Asked, Basis, Border, MeanRatio, RESOLUTION, Verdict, verdicts};

/// A condition on an entry: `key op value`, with one of the operators `=`, `!=`, `<=`, `>=`, `<`, `>`.
///
/// Values that are numbers compare as numbers. `=` and `!=` take alternatives: `runtime=rayon|openmp` holds for either,
/// `runtime!=rayon|openmp` for neither. A condition on a key that an entry lacks does not hold, whatever the operator.
///
/// ```
/// use parcrypt_lab::question::Condition;
/// let condition: Condition = "scale>=7".parse()?;
/// assert!(condition.holds(&|key| (key == "scale").then(|| "10".to_string())));
/// assert!(!condition.holds(&|_| None));
/// # Ok::<(), parcrypt_lab::question::ConditionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Condition {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    AtMost,
    AtLeast,
    Below,
    Above,
}

/// In this order, so that `<=` is not read as `<`.
const OPERATORS: [(&str, Operator); 6] = [
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("=", Operator::Equal),
    ("<", Operator::Below),
    (">", Operator::Above),
];

/// A text that is not a [`Condition`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum ConditionError {
    #[error("'{text}' has no operator: write key=value, or one of != <= >= < >")]
    NoOperator { text: String },
    #[error("'{text}' has no key before its operator")]
    NoKey { text: String },
    #[error("'{text}' has an empty value")]
    NoValue { text: String },
    #[error("'{text}' compares with '{value}', which is not a number")]
    NotANumber { text: String, value: String },
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let whole = || text.to_string();
        let at =
            text.find(['=', '!', '<', '>']).ok_or_else(|| ConditionError::NoOperator { text: whole() })?;
        let (key, rest) = text.split_at(at);
        let (sign, operator) = OPERATORS
            .into_iter()
            .find(|(sign, _)| rest.starts_with(sign))
            .ok_or_else(|| ConditionError::NoOperator { text: whole() })?;
        let key = key.trim();
        if key.is_empty() {
            return Err(ConditionError::NoKey { text: whole() });
        }
        let value = &rest[sign.len()..];
        let values: Vec<String> = match operator {
            Operator::Equal | Operator::Unequal => value.split('|').map(|v| v.trim().to_string()).collect(),
            _ => vec![value.trim().to_string()],
        };
        if values.iter().any(String::is_empty) {
            return Err(ConditionError::NoValue { text: whole() });
        }
        let orders = !matches!(operator, Operator::Equal | Operator::Unequal);
        if let Some(value) = values.iter().find(|v| orders && number(v).is_none()) {
            return Err(ConditionError::NotANumber { text: whole(), value: value.clone() });
        }
        Ok(Condition { key: key.to_string(), operator, values })
    }
}

impl TryFrom<String> for Condition {
    type Error = ConditionError;

    fn try_from(text: String) -> Result<Self, ConditionError> {
        text.parse()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.to_string()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = OPERATORS.iter().find(|(_, o)| *o == self.operator).map_or("=", |(sign, _)| sign);
        write!(f, "{}{sign}{}", self.key, self.values.join("|"))
    }
}

impl Condition {
    /// Returns the condition's key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Returns whether the condition holds, where `lookup` returns the value of a key.
    pub fn holds(&self, lookup: &dyn Fn(&str) -> Option<String>) -> bool {
        let Some(found) = lookup(&self.key) else { return false };
        let found = found.trim();
        let equal = |value: &String| match (number(found), number(value)) {
            (Some(a), Some(b)) => a == b,
            _ => found == value,
        };
        let compare = |holds: fn(f64, f64) -> bool| {
            number(found).is_some_and(|a| self.values.iter().filter_map(|v| number(v)).any(|b| holds(a, b)))
        };
        match self.operator {
            Operator::Equal => self.values.iter().any(equal),
            Operator::Unequal => !self.values.iter().any(equal),
            Operator::AtMost => compare(|a, b| a <= b),
            Operator::AtLeast => compare(|a, b| a >= b),
            Operator::Below => compare(|a, b| a < b),
            Operator::Above => compare(|a, b| a > b),
        }
    }
}

/// Returns a text as a number, if it is a finite one; integers above 2⁵³ are rounded.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|n| n.is_finite())
}

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
    let mut groups = Vec::new();
    for key in keys_that_differ(&pairs, question) {
        let mut by_value: BTreeMap<SortedValue, Vec<&Pair<'_>>> = BTreeMap::new();
        for pair in &pairs {
            if let Some(value) = lookup(pair.case, pair.to, &key) {
                by_value.entry(SortedValue::new(value)).or_default().push(pair);
            }
        }
        groups.extend(by_value.into_iter().filter_map(|(value, pairs)| {
            Some(Group { key: key.clone(), value: value.text, mean: mean(&pairs)? })
        }));
    }
    let all: Vec<&Pair<'_>> = pairs.iter().collect();
    let claimed = question.at_most.zip(means(&logs(&all)));
    let over = claimed.map(|(most, (means, _))| means.into_iter().map(|mean| mean - most.ln()).collect());
    let overall = mean(&all);
    let answer = Answer { overall, pairs: pairs.len(), groups, claim: None, measure: measure.clone() };
    (answer, (basis(&all), over.unwrap_or_default()))
}

/// A value that sorts as a number if it is one, before all others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortedValue {
    number: (bool, u64),
    text: String,
}

impl SortedValue {
    fn new(text: String) -> Self {
        let number = text.parse().map_or((true, 0), |n| (false, n));
        SortedValue { number, text }
    }
}

fn pairs_of<'a>(case: &'a Case, question: &Question) -> Vec<Pair<'a>> {
    let named = |key: &str| question.from.contains_key(key) || question.to.contains_key(key);
    let on_side = |entry: &Entry, side: &BTreeMap<String, String>| {
        side.iter().all(|(key, value)| match key.as_str() {
            "candidate" => entry.candidate == *value,
            "threads" => entry.threads.to_string() == *value,
            _ => entry.labels.get(key) == Some(value),
        })
    };
    let rest = |entry: &'a Entry| -> (Option<usize>, Vec<(&'a String, &'a String)>) {
        let threads = (!named("threads")).then_some(entry.threads);
        (threads, entry.labels.iter().filter(|(key, _)| !named(key)).collect())
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

/// Returns the keys whose value is equal inside each pair and differs among the pairs: labels first, then threads,
/// workload, parameters.
fn keys_that_differ(pairs: &[Pair<'_>], question: &Question) -> Vec<String> {
    let named = |key: &str| question.from.contains_key(key) || question.to.contains_key(key);
    let labels: BTreeSet<&str> =
        pairs.iter().flat_map(|pair| pair.to.labels.keys()).map(String::as_str).collect();
    let params: BTreeSet<&str> =
        pairs.iter().flat_map(|pair| pair.case.params.keys()).map(String::as_str).collect();
    let params = params.into_iter().filter(|key| !labels.contains(key)).collect::<Vec<_>>();
    labels
        .iter()
        .copied()
        .chain(["threads", "workload"])
        .chain(params)
        .filter(|key| !named(key))
        .filter(|key| {
            let values: BTreeSet<_> = pairs.iter().map(|pair| lookup(pair.case, pair.to, key)).collect();
            values.len() > 1
        })
        .map(str::to_string)
        .collect()
}
