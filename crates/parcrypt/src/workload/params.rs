//! Parameters of workloads: their declarations, and values that are checked against them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use parcrypt_protocol::{Params, Value};

#[derive(Debug)]
pub(crate) struct Parameter {
    /// Its name in plans and in the protocol.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) kind: Kind,
    pub(crate) effect: Effect,
}

/// The values of a parameter, which is required if it has no default.
#[derive(Debug)]
pub(crate) enum Kind {
    Number { least: u64, most: u64, default: Option<u64> },
    NumberOf { of: &'static [u64], default: Option<u64> },
    Name { of: &'static [&'static str], default: Option<&'static str> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Output,
    /// It changes only the way of computing, and not the output.
    Way,
}

/// A valid value for each parameter of a workload; only [`Values::new`] creates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values(BTreeMap<&'static str, Value>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct ParamError {
    why: String,
    /// The effect of the parameter, if there is such a parameter.
    pub(crate) effect: Option<Effect>,
}

impl Parameter {
    /// Returns a number in a range, which changes the output; it is required if there is no default.
    pub(crate) const fn number(
        name: &'static str,
        about: &'static str,
        range: RangeInclusive<u64>,
        default: Option<u64>,
    ) -> Self {
        let kind = Kind::Number { least: *range.start(), most: *range.end(), default };
        Parameter { name, about, kind, effect: Effect::Output }
    }

    /// Returns [`Parameter::number`] with one of some numbers.
    pub(crate) const fn one_number(
        name: &'static str,
        about: &'static str,
        of: &'static [u64],
        default: Option<u64>,
    ) -> Self {
        Parameter { name, about, kind: Kind::NumberOf { of, default }, effect: Effect::Output }
    }

    /// Returns [`Parameter::number`] with one of some names.
    pub(crate) const fn one_name(
        name: &'static str,
        about: &'static str,
        of: &'static [&'static str],
        default: Option<&'static str>,
    ) -> Self {
        Parameter { name, about, kind: Kind::Name { of, default }, effect: Effect::Output }
    }

    /// Returns the parameter as one that only changes the way of computing.
    pub(crate) const fn way(self) -> Self {
        Parameter { effect: Effect::Way, ..self }
    }

    /// Returns the valid values in words: `a number from 0 to 40`.
    pub(crate) fn range(&self) -> String {
        match &self.kind {
            Kind::Number { least, most, .. } => format!("a number from {least} to {most}"),
            Kind::NumberOf { of, .. } => {
                format!("one of {}", of.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
            }
            Kind::Name { of, .. } => format!("one of {}", of.join(", ")),
        }
    }

    pub(crate) fn default(&self) -> Option<Value> {
        match &self.kind {
            Kind::Number { default, .. } | Kind::NumberOf { default, .. } => default.map(Value::Number),
            Kind::Name { default, .. } => default.map(|name| Value::Text(name.to_owned())),
        }
    }

    fn allows(&self, value: &Value) -> bool {
        match (&self.kind, value) {
            (Kind::Number { least, most, .. }, Value::Number(n)) => (least..=most).contains(&n),
            (Kind::NumberOf { of, .. }, Value::Number(n)) => of.contains(n),
            (Kind::Name { of, .. }, Value::Text(text)) => of.contains(&text.as_str()),
            _ => false,
        }
    }
}

impl Values {
    pub(crate) fn new(
        workload: &'static str,
        parameters: &'static [Parameter],
        given: &Params,
    ) -> Result<Self, ParamError> {
        if let Some(unknown) = given.keys().find(|name| parameters.iter().all(|p| p.name != **name)) {
            let known: Vec<String> = parameters.iter().map(|p| format!("`{}`", p.name)).collect();
            let why = format!("`{workload}` has no parameter `{unknown}`: it has {}", known.join(", "));
            return Err(ParamError { why, effect: None });
        }
        let value = |p: &'static Parameter| {
            let (name, right) = (p.name, p.range());
            let value = given.get(name).cloned().or_else(|| p.default());
            let wrong =
                |given: String| format!("parameter `{name}` of `{workload}` is {given}: it must be {right}");
            let why = match value {
                Some(value) if p.allows(&value) => return Ok((name, value)),
                None => format!("`{workload}` needs the parameter `{name}`: {right}"),
                Some(Value::Number(n)) => wrong(n.to_string()),
                Some(Value::Text(text)) => wrong(format!("'{text}'")),
            };
            Err(ParamError { why, effect: Some(p.effect) })
        };
        parameters.iter().map(value).collect::<Result<_, _>>().map(Values)
    }

    /// Returns the value of a declared number.
    ///
    /// # Panics
    /// If it is not declared, which is a bug in the file of the workload.
    pub(crate) fn number(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(Value::Number(n)) => *n,
            _ => panic!("the workload uses the number `{name}`, which it does not declare"),
        }
    }

    /// Returns the value of a declared name.
    ///
    /// # Panics
    /// If it is not declared, which is a bug in the file of the workload.
    pub(crate) fn name(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::Text(text)) => text,
            _ => panic!("the workload uses the name `{name}`, which it does not declare"),
        }
    }

    pub(crate) fn with_number(&self, name: &'static str, number: u64) -> Self {
        let mut values = self.clone();
        values.0.insert(name, Value::Number(number));
        values
    }
}

/// Parses `scale=7 direction=inverse`; a value of digits alone is a number.
pub(crate) fn parse(text: &str) -> Params {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let value = value.parse().map_or_else(|_| Value::Text(value.to_owned()), Value::Number);
        (name.to_owned(), value)
    };
    text.split_whitespace().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    static PARAMETERS: [Parameter; 4] = [
        Parameter::number("scale", "", 1..=40, None),
        Parameter::one_name("order", "", &["up", "down"], Some("up")).way(),
        Parameter::number("grain", "", 0..=u64::MAX, Some(3)).way(),
        Parameter::one_number("bits", "", &[64, 128], Some(64)),
    ];

    fn values(text: &str) -> Result<Values, String> {
        Values::new("w", &PARAMETERS, &parse(text)).map_err(|e| e.to_string())
    }

    #[test]
    fn valid_values_and_defaults() {
        let some = values("scale=40").unwrap();
        assert_eq!((some.number("scale"), some.name("order"), some.number("grain")), (40, "up", 3));
        assert_eq!(some.with_number("scale", 2), values("order=up scale=2 grain=3").unwrap());
        assert_eq!((some.number("bits"), values("scale=1 bits=128").unwrap().number("bits")), (64, 128));
        assert_eq!(values("scale=1 order=down").unwrap().name("order"), "down");
    }

    #[test]
    fn errors_have_the_allowed_values() {
        for (text, message) in [
            ("", "`w` needs the parameter `scale`: a number from 1 to 40"),
            ("scale=0", "parameter `scale` of `w` is 0: it must be a number from 1 to 40"),
            ("scale=41", "parameter `scale` of `w` is 41: it must be a number from 1 to 40"),
            ("scale=up", "parameter `scale` of `w` is 'up': it must be a number from 1 to 40"),
            ("scale=-1", "parameter `scale` of `w` is '-1': it must be a number from 1 to 40"),
            ("scale=2 order=left", "parameter `order` of `w` is 'left': it must be one of up, down"),
            ("scale=2 order=1", "parameter `order` of `w` is 1: it must be one of up, down"),
            ("scale=2 bits=100", "parameter `bits` of `w` is 100: it must be one of 64, 128"),
            ("scale=2 Scale=2", "`w` has no parameter `Scale`: it has `scale`, `order`, `grain`, `bits`"),
        ] {
            assert_eq!(values(text).unwrap_err(), message, "{text}");
        }
    }
}
