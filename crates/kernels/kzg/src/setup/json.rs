//! The JSON of the consensus specifications: an object with the lists `g1_lagrange`, `g1_monomial` and `g2_monomial`,
//! each of strings of hexadecimal digits after `0x`. Other keys are ignored.
//!
//! The parser writes points directly to their arrays, so that the memory use does not depend on the file. Defects are
//! stored beside the parser, whose own errors are texts.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::compressed::{self, Compressed};
use super::points::{G1_POINTS, G2_POINTS};
use super::{Defect, Form, JsonDefect, List, Location, SetupError};

/// Reads the whole document.
pub(super) fn read(text: &[u8]) -> Result<Compressed, SetupError> {
    let noted = Cell::new(None);
    let mut parser = serde_json::Deserializer::from_slice(text);
    let read =
        Document { noted: &noted }.deserialize(&mut parser).and_then(|read| parser.end().map(|()| read));
    read.map_err(|error| noted.take().unwrap_or_else(|| of_parser(&error)))
}

/// Returns the position at which the parser stopped, and its error.
fn of_parser(error: &serde_json::Error) -> SetupError {
    let what = match error.classify() {
        Category::Eof => JsonDefect::Truncated,
        Category::Data => JsonDefect::Shape,
        Category::Syntax | Category::Io => JsonDefect::Syntax,
    };
    let location = match error.line() {
        0 => Location::File,
        line => Location::Column { line, column: error.column() },
    };
    SetupError::new(Form::Json, location, Defect::Json { what })
}

type Noted = Cell<Option<SetupError>>;

/// Stores a defect, and returns an error that stops the parser.
fn note<E: serde::de::Error>(noted: &Noted, location: Location, defect: Defect) -> E {
    noted.set(Some(SetupError::new(Form::Json, location, defect)));
    E::custom("noted")
}

/// The object.
struct Document<'a> {
    noted: &'a Noted,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = Compressed;
    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Compressed, D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = Compressed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with lists of strings")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Compressed, M::Error> {
        let (mut g1_monomial, mut g1_lagrange, mut g2_monomial) = (None, None, None);
        while let Some(list) = map.next_key_seed(Key)? {
            match list {
                Some(list @ List::G1Monomial) => self.list(&mut map, list, G1_POINTS, &mut g1_monomial)?,
                Some(list @ List::G1Lagrange) => self.list(&mut map, list, G1_POINTS, &mut g1_lagrange)?,
                Some(list @ List::G2Monomial) => self.list(&mut map, list, G2_POINTS, &mut g2_monomial)?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        let missing =
            |list| note(self.noted, Location::List { list }, Defect::Json { what: JsonDefect::Missing });
        Ok(Compressed {
            g1_lagrange: g1_lagrange.ok_or_else(|| missing(List::G1Lagrange))?,
            g1_monomial: g1_monomial.ok_or_else(|| missing(List::G1Monomial))?,
            g2_monomial: g2_monomial.ok_or_else(|| missing(List::G2Monomial))?,
        })
    }
}

impl Document<'_> {
    /// Reads the value of a key into its list.
    fn list<'de, const N: usize, M: MapAccess<'de>>(
        &self,
        map: &mut M,
        list: List,
        expected: usize,
        into: &mut Option<Vec<[u8; N]>>,
    ) -> Result<(), M::Error> {
        if into.is_some() {
            return Err(note(self.noted, Location::List { list }, Defect::Json { what: JsonDefect::Twice }));
        }
        *into = Some(map.next_value_seed(Points { noted: self.noted, list, expected })?);
        Ok(())
    }
}

/// A key: the list with this name, or `None`.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<List>;
    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Option<List>, D::Error> {
        parser.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<List>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<List>, E> {
        Ok(match key {
            "g1_monomial" => Some(List::G1Monomial),
            "g1_lagrange" => Some(List::G1Lagrange),
            "g2_monomial" => Some(List::G2Monomial),
            _ => None,
        })
    }
}

/// A list of points of N bytes each.
struct Points<'a, const N: usize> {
    noted: &'a Noted,
    list: List,
    expected: usize,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Points<'_, N> {
    type Value = Vec<[u8; N]>;
    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_seq(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Points<'_, N> {
    type Value = Vec<[u8; N]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let Points { noted, list, expected } = self;
        let mut points = Vec::with_capacity(expected);
        while points.len() < expected {
            let index = points.len();
            match seq.next_element_seed(Point { noted, list, index })? {
                Some(point) => points.push(point),
                None => break,
            }
        }
        let mut found = points.len() as u64;
        if points.len() == expected {
            while seq.next_element::<IgnoredAny>()?.is_some() {
                found += 1;
            }
        }
        if found != expected as u64 {
            let defect = Defect::Points { list, expected: expected as u64, found };
            return Err(note(noted, Location::List { list }, defect));
        }
        Ok(points)
    }
}

/// A point of N bytes.
struct Point<'a, const N: usize> {
    noted: &'a Noted,
    list: List,
    index: usize,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Point<'_, N> {
    type Value = [u8; N];
    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<[u8; N], D::Error> {
        parser.deserialize_str(self)
    }
}

impl<const N: usize> Visitor<'_> for Point<'_, N> {
    type Value = [u8; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<[u8; N], E> {
        let Point { noted, list, index } = self;
        let digits = text.strip_prefix("0x").unwrap_or(text);
        from_hexadecimal(list, digits.as_bytes())
            .map_err(|defect| note(noted, Location::Point { list, index }, defect))
    }
}

/// Parses a point from its hexadecimal digits.
fn from_hexadecimal<const N: usize>(list: List, digits: &[u8]) -> Result<[u8; N], Defect> {
    if let Some(&found) = digits.iter().find(|digit| compressed::hexadecimal(**digit).is_none()) {
        return Err(Defect::NotHexadecimal { found });
    }
    if digits.len() != 2 * N {
        return Err(Defect::Digits { list, expected: 2 * N, found: digits.len() });
    }
    let mut point = [0; N];
    for (byte, digits) in point.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digits
            .iter()
            .fold(0, |byte, digit| byte << 4 | compressed::hexadecimal(*digit).unwrap_or_default());
    }
    Ok(point)
}
