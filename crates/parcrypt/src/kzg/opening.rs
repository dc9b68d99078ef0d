//! `NAME.opening`: the value of a blob's polynomial at a point, with its proof, as a JSON object.

use parcrypt_kzg::{
    BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF, Commitment, FieldBytes, Proof,
};
use serde_json::{Map, Value};

use super::{hex0x, input};

/// The arguments of `verify_kzg_proof`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) commitment: Commitment,
    pub(super) z: FieldBytes,
    pub(super) y: FieldBytes,
    pub(super) proof: Proof,
}

impl Opening {
    /// Maximum size of the file of an opening, in bytes.
    pub(super) const MOST: usize = 4096;

    /// Returns the fields under their names in the consensus specifications.
    pub(super) fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("commitment", hex0x(&self.commitment).into()),
            ("z", hex0x(&self.z).into()),
            ("y", hex0x(&self.y).into()),
            ("proof", hex0x(&self.proof).into()),
        ]
    }

    /// Returns the object on one line.
    pub(super) fn text(&self) -> String {
        let fields: Map<String, Value> =
            self.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value::Object(fields).to_string() + "\n"
    }

    /// Parses the object; other fields are ignored.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let object: Map<String, Value> =
            serde_json::from_slice(text).map_err(|e| format!("not a JSON object: {e}"))?;
        fn field<const N: usize>(object: &Map<String, Value>, name: &str) -> Result<[u8; N], String> {
            let text = object.get(name).and_then(Value::as_str);
            let text = text.ok_or_else(|| format!("no `{name}` in hexadecimal"))?;
            input::value(text).map_err(|why| format!("`{name}`: {why}"))
        }
        Ok(Opening {
            commitment: field::<BYTES_PER_COMMITMENT>(&object, "commitment")?,
            z: field::<BYTES_PER_FIELD_ELEMENT>(&object, "z")?,
            y: field::<BYTES_PER_FIELD_ELEMENT>(&object, "y")?,
            proof: field::<BYTES_PER_PROOF>(&object, "proof")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects() {
        let opening = Opening { commitment: [1; 48], z: [2; 32], y: [3; 32], proof: [4; 48] };
        let text = opening.text();
        assert!(text.len() < Opening::MOST && text.lines().count() == 1);
        assert_eq!(Opening::parse(text.as_bytes()), Ok(opening));
        let why = |text: &str| Opening::parse(text.as_bytes()).unwrap_err();
        assert!(why("").starts_with("not a JSON object: "));
        assert_eq!(why("{}"), "no `commitment` in hexadecimal");
        assert_eq!(why(&text.replace("0x02", "0x")), "`z`: 62 hexadecimal digits instead of 64");
    }
}
