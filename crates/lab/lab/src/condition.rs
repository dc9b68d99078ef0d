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
    operator: String,
    values: Vec<String>,
}

/// Operators, in this order, so that `<=` is not read as `<`.
const OPERATORS: [&str; 6] = ["!=", "<=", ">=", "=", "<", ">"];

/// A text that is not a [`Condition`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' {why}")]
pub struct ConditionError {
    text: String,
    why: String,
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = |why: &str| ConditionError { text: text.to_owned(), why: why.to_owned() };
        let no_operator = || wrong("has no operator: write key=value, or one of != <= >= < >");
        let at = text.find(['=', '!', '<', '>']).ok_or_else(no_operator)?;
        let (key, rest) = (text[..at].trim(), &text[at..]);
        let operator = OPERATORS.into_iter().find(|sign| rest.starts_with(sign)).ok_or_else(no_operator)?;
        if key.is_empty() {
            return Err(wrong("has no key before its operator"));
        }
        let value = &rest[operator.len()..];
        let has_alternatives = ["=", "!="].contains(&operator);
        let values: Vec<&str> = if has_alternatives { value.split('|').collect() } else { vec![value] };
        let values: Vec<String> = values.into_iter().map(|value| value.trim().to_owned()).collect();
        if values.iter().any(String::is_empty) {
            return Err(wrong("has an empty value"));
        }
        match values.iter().find(|value| !has_alternatives && number(value).is_none()) {
            Some(value) => Err(wrong(&format!("compares with '{value}', which is not a number"))),
            None => Ok(Condition { key: key.to_owned(), operator: operator.to_owned(), values }),
        }
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
        write!(f, "{}{}{}", self.key, self.operator, self.values.join("|"))
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
        match self.operator.as_str() {
            "=" => self.values.iter().any(equal),
            "!=" => !self.values.iter().any(equal),
            "<=" => compare(|a, b| a <= b),
            ">=" => compare(|a, b| a >= b),
            "<" => compare(|a, b| a < b),
            _ => compare(|a, b| a > b),
        }
    }
}

/// Returns a text as a number, if it is a finite one; integers above 2⁵³ are rounded.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|n| n.is_finite())
}
