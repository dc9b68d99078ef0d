//! The fields of a JSON object that may hold secrets: of a line of a batch, and of a record of `--json`.
//!
//! No message repeats a part of the text, which may be a password in the wrong place; names are repeated only if they
//! are known.

use std::collections::HashSet;
use std::fmt;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::password::Secret;
use super::salt;

/// Reason why an object is not what was expected, and the field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(super) struct FieldError {
    /// The name of the field, if one is wrong and its name is known.
    pub(super) field: Option<&'static str>,
    /// The reason, which names the field.
    pub(super) why: String,
}

impl FieldError {
    pub(super) fn of(field: &'static str, why: impl Into<String>) -> Self {
        FieldError { field: Some(field), why: why.into() }
    }

    pub(super) fn missing(name: &'static str) -> Self {
        FieldError::of(name, format!("it has no `{name}`"))
    }

    pub(super) fn unnamed(why: impl Into<String>) -> Self {
        FieldError { field: None, why: why.into() }
    }
}

/// The fields of an object in order: the number of each from 1, its name and its JSON text, which is parsed when it is
/// taken. So a value that is not taken is not copied, and two fields of one name are seen.
pub(super) struct Fields<'a>(Vec<(usize, String, &'a str)>);

/// Reads an object, and remembers the field whose value it reads.
struct Reader<'a, 'de> {
    names: &'a [&'static str],
    fields: &'a mut Fields<'de>,
    current: &'a mut Option<&'static str>,
}

impl<'de> Visitor<'de> for Reader<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            *self.current = known(self.names, &name);
            let value: &RawValue = map.next_value()?;
            *self.current = None;
            self.fields.0.push((self.fields.0.len() + 1, name, value.get()));
        }
        Ok(())
    }
}

/// Returns the text of a JSON string. Other values are not parsed, because an error would have a copy.
pub(super) fn string(value: &str) -> Option<Zeroizing<String>> {
    value.starts_with('"').then(|| serde_json::from_str(value).ok().map(Zeroizing::new))?
}

fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().find(|known| **known == name).copied()
}

impl<'a> Fields<'a> {
    /// Parses an object; `names` are the names that errors may repeat.
    ///
    /// # Errors
    /// A text that is not a JSON object.
    pub(super) fn parse(text: &'a [u8], names: &[&'static str]) -> Result<Self, FieldError> {
        let (mut fields, mut current) = (Fields(Vec::new()), None);
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let reader = Reader { names, fields: &mut fields, current: &mut current };
        let read = deserializer.deserialize_map(reader).and_then(|()| deserializer.end());
        // The library's message is not used, because it may repeat a part of the text.
        let Err(error) = read else { return Ok(fields) };
        let what = match error.classify() {
            Category::Eof => "it is cut off",
            Category::Syntax => "its syntax is wrong",
            Category::Data | Category::Io => return Err(FieldError::unnamed("it is not a JSON object")),
        };
        let place = current.map(|name| format!(" in `{name}`")).unwrap_or_default();
        let why = format!("it is not a JSON object: {what}{place} at column {}", error.column());
        Err(FieldError { field: current, why })
    }

    /// Makes all names of this object lower case.
    pub(super) fn lower_names(&mut self) {
        self.0.iter_mut().for_each(|(_, name, _)| name.make_ascii_lowercase());
    }

    /// Checks that no field is repeated; `names` are the names that errors may repeat.
    ///
    /// # Errors
    /// The first field with the name of an earlier one.
    pub(super) fn check_repeats(&self, names: &[&'static str]) -> Result<(), FieldError> {
        let mut earlier = HashSet::new();
        let repeat = self.0.iter().find(|(_, name, _)| !earlier.insert(name));
        repeat.map_or(Ok(()), |(number, name, _)| {
            Err(match known(names, name) {
                Some(name) => FieldError::of(name, format!("`{name}` is repeated")),
                None => FieldError::unnamed(format!("its field number {number} is repeated")),
            })
        })
    }

    /// Checks that all fields are known, and none is repeated.
    ///
    /// # Errors
    /// A repeated field, or the first one that is not known.
    pub(super) fn check(&self, names: &[&'static str]) -> Result<(), FieldError> {
        if let Some((number, name, _)) = self.0.iter().find(|(_, name, _)| known(names, name).is_none()) {
            let similar = names.iter().map(|known| (strsim::jaro_winkler(name, known), known));
            let similar = similar.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
            let meant = similar.map(|(_, name)| format!(" (did you mean `{name}`?)")).unwrap_or_default();
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return Err(FieldError::unnamed(format!(
                "its field number {number} is unknown{meant}; the fields are {names}"
            )));
        }
        self.check_repeats(names)
    }

    /// Returns whether there is such a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(_, field, _)| field == name)
    }

    /// Removes a field and returns the JSON text of its value.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|(_, field, _)| field == name)?;
        Some(self.0.remove(at).2)
    }

    /// Removes a field and returns its text.
    ///
    /// # Errors
    /// A value that is not a string.
    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<Zeroizing<String>>, FieldError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let why = match value.starts_with('"') {
            true => "has an escape that is half of a surrogate pair",
            false => "is not a string",
        };
        string(value).map(Some).ok_or_else(|| FieldError::of(name, format!("`{name}` {why}")))
    }

    /// Removes a field and returns the bytes that it has in hexadecimal.
    ///
    /// # Errors
    /// A value that is not a string of hexadecimal digits.
    pub(super) fn hexadecimal(&mut self, name: &'static str) -> Result<Option<Secret>, FieldError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let wrong = |why| FieldError::of(name, format!("`{name}`: {why}"));
        salt::from_hex(&text).map(|bytes| Some(Zeroizing::new(bytes))).map_err(wrong)
    }

    /// Removes and returns the bytes of one of two fields: as text, or in hexadecimal.
    ///
    /// # Errors
    /// None or both of them; bytes that are malformed or too many.
    pub(super) fn bytes(
        &mut self,
        name: &'static str,
        coded: &'static str,
        most: usize,
    ) -> Result<Secret, FieldError> {
        let bytes = match (self.text(name)?, self.hexadecimal(coded)?) {
            (Some(mut text), None) => Zeroizing::new(std::mem::take(&mut *text).into_bytes()),
            (None, Some(bytes)) => bytes,
            (None, None) => {
                return Err(FieldError::of(name, format!("it has neither `{name}` nor `{coded}`")));
            }
            (Some(_), Some(_)) => {
                return Err(FieldError::of(name, format!("it has both `{name}` and `{coded}`")));
            }
        };
        match bytes.len() > most {
            true => Err(FieldError::of(name, format!("`{name}` is longer than {most} bytes"))),
            false => Ok(bytes),
        }
    }

    /// [`Fields::number`] of a field that must exist.
    pub(super) fn needed(&mut self, name: &'static str, most: u64) -> Result<u64, FieldError> {
        self.number(name, most)?.ok_or(FieldError::missing(name))
    }

    /// Removes a field that must exist and returns its number of 32 bits.
    pub(super) fn small(&mut self, name: &'static str) -> Result<u32, FieldError> {
        Ok(u32::try_from(self.needed(name, u32::MAX.into())?).unwrap_or(u32::MAX))
    }

    /// Removes a field and returns its number.
    ///
    /// # Errors
    /// A value that is not a whole number from 1 to `most`.
    pub(super) fn number(&mut self, name: &'static str, most: u64) -> Result<Option<u64>, FieldError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.parse().ok().filter(|number| (1..=most).contains(number));
        let wrong = || FieldError::of(name, format!("`{name}` is not a number from 1 to {most}"));
        number.map(Some).ok_or_else(wrong)
    }
}
