//! Parameters of a workload.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Prepare;

/// Parameters of a workload by name, as in `{"scale": 7, "decomposition": "iterative"}`.
pub type Params = BTreeMap<String, Value>;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, expecting = "a parameter is a whole number of at least 0 or a text")]
pub enum Value {
    /// A count, a size or a logarithm of one.
    Number(u64),
    /// A name from a list of the workload.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(n) => n.fmt(f),
            Value::Text(s) => s.fmt(f),
        }
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

/// Returns a value as messages show it, with a text in quotes.
fn quoted(value: &Value) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Text(s) => format!("{s:?}"),
    }
}

/// A parameter that is unknown, missing or out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum ParamError {
    #[error("`{workload}` has no parameter `{given}`: it has {known}")]
    Unknown { workload: String, given: String, known: String },
    #[error("`{workload}` needs the parameter `{name}`, a number from {least} to {most}")]
    Missing { workload: String, name: &'static str, least: u64, most: u64 },
    #[error("parameter `{name}` is {given}: it must be a number from {least} to {most}")]
    Number { name: &'static str, given: String, least: u64, most: u64 },
    #[error("parameter `{name}` is {given}: it can be {known}")]
    Choice { name: &'static str, given: String, known: String },
}

impl Prepare {
    /// Checks that the request has no parameters besides `known`.
    ///
    /// # Errors
    /// [`ParamError::Unknown`].
    pub fn only(&self, known: &[&str]) -> Result<(), ParamError> {
        match self.params.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(given) => Err(ParamError::Unknown {
                workload: self.workload.clone(),
                given: given.clone(),
                known: known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Returns the value of a parameter that is a number from `least` to `most`; `None` if the parameter is left
    /// out.
    ///
    /// # Errors
    /// [`ParamError::Number`].
    pub fn number(&self, name: &'static str, least: u64, most: u64) -> Result<Option<u64>, ParamError> {
        match self.params.get(name) {
            None => Ok(None),
            Some(Value::Number(number)) if (least..=most).contains(number) => Ok(Some(*number)),
            Some(value) => Err(ParamError::Number { name, given: quoted(value), least, most }),
        }
    }

    /// Returns the value of a parameter that is a number from `least` to `most`.
    ///
    /// # Errors
    /// [`ParamError::Number`]; [`ParamError::Missing`] if the parameter is left out.
    pub fn required(&self, name: &'static str, least: u64, most: u64) -> Result<u64, ParamError> {
        let workload = self.workload.clone();
        self.number(name, least, most)?.ok_or(ParamError::Missing { workload, name, least, most })
    }

    /// Returns the value of a parameter, one of `known`; `None` if the parameter is left out.
    ///
    /// # Errors
    /// [`ParamError::Choice`].
    pub fn choice<T: Clone + Into<Value>>(
        &self,
        name: &'static str,
        known: &[T],
    ) -> Result<Option<T>, ParamError> {
        let Some(value) = self.params.get(name) else { return Ok(None) };
        let of = |choice: &T| -> Value { choice.clone().into() };
        match known.iter().find(|choice| of(choice) == *value) {
            Some(choice) => Ok(Some(choice.clone())),
            None => {
                let known: Vec<String> = known.iter().map(|choice| quoted(&of(choice))).collect();
                Err(ParamError::Choice { name, given: quoted(value), known: known.join(", ") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_what_they_should_be() {
        let json =
            r#"{"protocol":2,"workload":"fly","params":{"height":3,"wings":"long","bits":64},"threads":1}"#;
        let request: Prepare = serde_json::from_str(json).expect("a request");
        assert!(request.only(&["height", "wings", "bits", "more"]).is_ok());
        assert_eq!(request.number("height", 0, 3).expect("a number"), Some(3));
        assert_eq!(request.number("more", 0, 3).expect("left out"), None);
        assert_eq!(request.required("height", 3, 3).expect("a number"), 3);
        assert_eq!(request.choice("wings", &["short", "long"]).expect("a text"), Some("long"));
        assert_eq!(request.choice("bits", &[64u64, 128]).expect("a number"), Some(64));
        assert_eq!(request.choice("more", &[1u64]).expect("left out"), None);
        let number = |name, least, most| {
            request.number(name, least, most).map(drop).expect_err("a number").to_string()
        };
        assert_eq!(number("height", 4, 5), "parameter `height` is 3: it must be a number from 4 to 5");
        assert_eq!(number("wings", 0, 1), "parameter `wings` is \"long\": it must be a number from 0 to 1");
        for (wrong, text) in [
            (request.only(&["height", "wings"]), "`fly` has no parameter `bits`: it has `height`, `wings`"),
            (
                request.required("more", 1, 2).map(drop),
                "`fly` needs the parameter `more`, a number from 1 to 2",
            ),
            (request.choice("bits", &[32u64]).map(drop), "parameter `bits` is 64: it can be 32"),
            (
                request.choice("wings", &["short", "x"]).map(drop),
                "parameter `wings` is \"long\": it can be \"short\", \"x\"",
            ),
        ] {
            assert_eq!(wrong.expect_err("it is wrong").to_string(), text);
        }
    }
}
