//! Parameters of a workload.

use serde_json::Value;

use crate::Prepare;

/// What is wrong with a parameter.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum Wrong {
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
    /// Refuses parameters that are none of these.
    ///
    /// # Errors
    /// [`Wrong::Unknown`].
    pub fn only(&self, known: &[&str]) -> Result<(), Wrong> {
        match self.params.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(given) => Err(Wrong::Unknown {
                workload: self.workload.clone(),
                given: given.clone(),
                known: quoted(known),
            }),
        }
    }

    /// A number, where it is given.
    ///
    /// # Errors
    /// [`Wrong::Number`].
    pub fn number(&self, name: &'static str, least: u64, most: u64) -> Result<Option<u64>, Wrong> {
        let Some(value) = self.params.get(name) else { return Ok(None) };
        match value.as_u64().filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(Wrong::Number { name, given: value.to_string(), least, most }),
        }
    }

    /// A number that has to be given.
    ///
    /// # Errors
    /// [`Wrong::Number`], [`Wrong::Missing`].
    pub fn required(&self, name: &'static str, least: u64, most: u64) -> Result<u64, Wrong> {
        let workload = self.workload.clone();
        self.number(name, least, most)?.ok_or(Wrong::Missing { workload, name, least, most })
    }

    /// One of some numbers or texts, where it is given.
    ///
    /// # Errors
    /// [`Wrong::Choice`].
    pub fn choice<T: Clone + Into<Value>>(
        &self,
        name: &'static str,
        known: &[T],
    ) -> Result<Option<T>, Wrong> {
        let Some(value) = self.params.get(name) else { return Ok(None) };
        let of = |choice: &T| -> Value { choice.clone().into() };
        match known.iter().find(|choice| of(choice) == *value) {
            Some(choice) => Ok(Some(choice.clone())),
            None => {
                let known: Vec<String> = known.iter().map(|choice| of(choice).to_string()).collect();
                Err(Wrong::Choice { name, given: value.to_string(), known: known.join(", ") })
            }
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_what_they_should_be() {
        let json = r#"{"workload":"fly","params":{"height":3,"wings":"long","bits":64},"threads":1}"#;
        let request: Prepare = serde_json::from_str(json).expect("a request");
        assert!(request.only(&["height", "wings", "bits", "more"]).is_ok());
        assert_eq!(request.number("height", 0, 3).expect("a number"), Some(3));
        assert_eq!(request.number("more", 0, 3).expect("left out"), None);
        assert_eq!(request.required("height", 3, 3).expect("a number"), 3);
        assert_eq!(request.choice("wings", &["short", "long"]).expect("a text"), Some("long"));
        assert_eq!(request.choice("bits", &[64u64, 128]).expect("a number"), Some(64));
        assert_eq!(request.choice("more", &[1u64]).expect("left out"), None);
        for (wrong, text) in [
            (request.only(&["height", "wings"]), "`fly` has no parameter `bits`: it has `height`, `wings`"),
            (
                request.number("height", 4, 5).map(|_| ()),
                "parameter `height` is 3: it must be a number from 4 to 5",
            ),
            (
                request.number("wings", 0, 1).map(|_| ()),
                "parameter `wings` is \"long\": it must be a number from 0 to 1",
            ),
            (
                request.required("more", 1, 2).map(|_| ()),
                "`fly` needs the parameter `more`, a number from 1 to 2",
            ),
            (request.choice("bits", &[32u64, 128]).map(|_| ()), "parameter `bits` is 64: it can be 32, 128"),
            (
                request.choice("wings", &["short"]).map(|_| ()),
                "parameter `wings` is \"long\": it can be \"short\"",
            ),
        ] {
            assert_eq!(wrong.expect_err("it is wrong").to_string(), text);
        }
    }
}
