//! Conditions on entries, such as `threads=2`, in filters and questions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A condition on an entry: `key op value`, with one of the operators `=`, `!=`, `<=`, `>=`, `<`, `>`.
///
/// Values that are numbers compare as numbers. `=` and `!=` take alternatives: `runtime=rayon|openmp` holds for either,
/// `runtime!=rayon|openmp` for neither. A condition on a key that an entry lacks does not hold, whatever the operator.
///
/// ```
/// use parcrypt_lab::condition::Condition;
/// let condition: Condition = "scale>=7".parse()?;
/// assert!(condition.holds(&|key| (key == "scale").then(|| "10".to_string())));
/// assert!(!condition.holds(&|_| None));
/// # Ok::<(), parcrypt_lab::condition::ConditionError>(())
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
