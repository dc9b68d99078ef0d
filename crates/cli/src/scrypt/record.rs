//! Records of a key with its salt and parameters, against which a password is verified: PHC strings, and the JSON
//! objects of `--json`.
//!
//! A record may come from others. Its parameters are checked here, and their memory by
//! [`Engine::check`](super::cost::Engine::check), before any memory is taken for them.

use base64ct::{Base64, Base64Unpadded, Encoding};
use parcrypt_scrypt::Params;
use phc::{Output, PasswordHash, Salt};
use serde_json::Value;
use zeroize::Zeroizing;

use super::fields::{FieldError, Fields, Given};
use super::password::Secret;
use super::{MOST_LENGTH, cost, salt};

/// The name of the function in a PHC string.
const FUNCTION: &str = "scrypt";

/// A password's salt, parameters and key.
pub(super) struct Record {
    pub(super) params: Params,
    pub(super) salt: Vec<u8>,
    pub(super) key: Secret,
}

/// Reason why a text is not a record, or a key has no PHC string. No message repeats a part of the text.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error("it is not a PHC string: {0}")]
    Phc(phc::Error),
    #[error("it is a PHC string of another function than scrypt")]
    Function,
    #[error("its PHC string has a version, but scrypt has none")]
    Version,
    #[error("its PHC string has no salt or no hash")]
    Incomplete,
    #[error("its parameters are not ln, r and p, once each")]
    Parameters,
    #[error("its parameter {0} is not a decimal number of 32 bits")]
    Decimal(&'static str),
    #[error(transparent)]
    Cost(#[from] parcrypt_scrypt::Error),
    #[error("{0}")]
    Field(FieldError),
    #[error("a PHC string has a salt of {least} to {most} bytes, but this has {len}",
        least = Salt::MIN_LENGTH, most = Salt::MAX_LENGTH)]
    SaltLength { len: usize },
    #[error("a PHC string has a key of {least} to {most} bytes, but this has {len}: --length 32 is usual",
        least = Output::MIN_LENGTH, most = Output::MAX_LENGTH)]
    KeyLength { len: usize },
}

impl From<FieldError> for RecordError {
    fn from(error: FieldError) -> Self {
        RecordError::Field(error)
    }
}

/// Returns whether a file of `--verify` has a record, and not a key in hexadecimal or Base64.
pub(super) fn is_record(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'$' | b'{'))
}

/// Checks that there is a PHC string for a salt and a key of these lengths, in bytes.
///
/// # Errors
/// A length that PHC strings do not have, by the limits of the crate `phc`.
pub(super) fn check_phc(salt: usize, key: usize) -> Result<(), RecordError> {
    if !(Salt::MIN_LENGTH..=Salt::MAX_LENGTH).contains(&salt) {
        return Err(RecordError::SaltLength { len: salt });
    }
    if !(Output::MIN_LENGTH..=Output::MAX_LENGTH).contains(&key) {
        return Err(RecordError::KeyLength { len: key });
    }
    Ok(())
}

/// Returns the PHC string of a key, in memory that is cleared.
pub(super) fn phc_string(params: Params, salt: &[u8], key: &[u8]) -> Secret {
    let head = format!("${FUNCTION}$ln={},r={},p={}$", params.n().ilog2(), params.r(), params.p());
    let salt = Base64Unpadded::encode_string(salt);
    let mut hash = Zeroizing::new(vec![0; Base64Unpadded::encoded_len(key)]);
    let encoded = Base64Unpadded::encode(key, &mut hash);
    debug_assert!(encoded.is_ok(), "the buffer has the length");
    super::joined(&[head.as_bytes(), salt.as_bytes(), b"$", &hash])
}

impl Record {
    /// Parses a PHC string, or a JSON object of `--json`.
    ///
    /// # Errors
    /// A text that is neither; parameters that RFC 7914 does not allow.
    pub(super) fn parse(text: &[u8]) -> Result<Self, RecordError> {
        let text = text.trim_ascii();
        match text.first() {
            Some(b'$') => match std::str::from_utf8(text) {
                Ok(text) => Record::from_phc(text),
                Err(_) => Err(RecordError::Phc(phc::Error::Base64(base64ct::Error::InvalidEncoding))),
            },
            _ => Record::from_fields(Fields::parse(text, &NAMES)?),
        }
    }

    /// Returns the record that is a field of a line: a PHC string, or an object.
    ///
    /// # Errors
    /// As for [`Record::parse`].
    pub(super) fn from_value(value: Given) -> Result<Self, RecordError> {
        match value {
            Given::Other(Value::String(text)) => Record::from_phc(&Zeroizing::new(text)),
            Given::Object(fields) => Record::from_fields(fields),
            _ => Err(FieldError::unnamed("it is neither a PHC string nor an object of --json").into()),
        }
    }

    fn from_phc(text: &str) -> Result<Self, RecordError> {
        let hash = PasswordHash::new(text).map_err(RecordError::Phc)?;
        if hash.algorithm.as_str() != FUNCTION {
            return Err(RecordError::Function);
        }
        if hash.version.is_some() {
            return Err(RecordError::Version);
        }
        // The parser allows any names, and repeats.
        let mut names: Vec<_> = hash.params.iter().map(|(name, _)| name).collect();
        names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        if names.iter().map(|name| name.as_str()).ne(["ln", "p", "r"]) {
            return Err(RecordError::Parameters);
        }
        let number = |name| hash.params.get_decimal(name).ok_or(RecordError::Decimal(name));
        let params = cost::params(number("ln")?.into(), number("r")?, number("p")?)?;
        let (Some(salt), Some(key)) = (&hash.salt, &hash.hash) else { return Err(RecordError::Incomplete) };
        Ok(Record { params, salt: salt.to_vec(), key: Zeroizing::new(key.as_bytes().to_vec()) })
    }

    fn from_fields(mut fields: Fields) -> Result<Self, RecordError> {
        fields.check_repeats(&NAMES)?;
        let missing = |name: &'static str| move || FieldError::of(name, format!("it has no `{name}`"));
        let log_n = fields.number("log-n", 63)?.ok_or_else(missing("log-n"))?;
        let small = |fields: &mut Fields, name| -> Result<u32, FieldError> {
            let number = fields.number(name, u32::MAX.into())?.ok_or_else(missing(name))?;
            Ok(u32::try_from(number).unwrap_or(u32::MAX))
        };
        let (r, p) = (small(&mut fields, "r")?, small(&mut fields, "p")?);
        let params = cost::params(log_n, r, p)?;
        if fields.number("n", u64::MAX)?.is_some_and(|n| n != params.n()) {
            return Err(FieldError::of("n", "`n` is not 2 to the power of `log-n`").into());
        }
        let length = fields.number("length", MOST_LENGTH as u64)?.ok_or_else(missing("length"))?;
        let salt = fields.hexadecimal("salt-hex")?.ok_or_else(missing("salt-hex"))?;
        let text = fields.text("key")?.ok_or_else(missing("key"))?;
        let key = decode(&text, length as usize).ok_or_else(|| {
            FieldError::of("key", format!("`key` does not have {length} bytes in hexadecimal or Base64"))
        })?;
        Ok(Record { params, salt: salt.to_vec(), key })
    }
}

/// The fields of a record that are read; others say how it was computed.
const NAMES: [&str; 7] = ["n", "log-n", "r", "p", "length", "salt-hex", "key"];

/// Returns a key of `length` bytes. The two forms differ in length or, at 2 and 4 bytes, by the padding.
fn decode(text: &str, length: usize) -> Option<Secret> {
    let key = if text.len() == 2 * length && !text.ends_with('=') {
        Zeroizing::new(salt::from_hex(text).ok()?)
    } else {
        let mut bytes = Zeroizing::new(vec![0; text.len() / 4 * 3 + 3]);
        let len = Base64::decode(text, &mut bytes).ok()?.len();
        bytes.truncate(len);
        bytes
    };
    (key.len() == length).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From passlib's documentation, with the password `password`.
    const PASSLIB: &str =
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";

    fn why(text: &str) -> String {
        Record::parse(text.as_bytes()).err().unwrap_or_else(|| panic!("{text}")).to_string()
    }

    #[test]
    fn a_phc_string_is_written_as_it_was_read() {
        let record = Record::parse(format!(" {PASSLIB}\n").as_bytes()).unwrap();
        assert_eq!((record.params.n(), record.params.r(), record.params.p()), (1 << 16, 8, 1));
        assert_eq!((record.salt.len(), record.key.len()), (16, 32));
        assert_eq!(phc_string(record.params, &record.salt, &record.key)[..], *PASSLIB.as_bytes());
        // The order of parameters does not matter to a reader.
        let other = Record::parse(PASSLIB.replace("ln=16,r=8,p=1", "p=1,r=8,ln=16").as_bytes()).unwrap();
        assert_eq!(other.params, record.params);
    }

    #[test]
    fn wrong_phc_strings_are_refused() {
        let with = |from: &str, to: &str| why(&PASSLIB.replace(from, to));
        assert!(
            with("aM15713r3Xsvxbi31lqr1Q", "aM15713r3Xsvxbi31lqr1Q==")
                .starts_with("it is not a PHC string: ")
        );
        assert!(with("aM15713r3Xsvxbi31lqr1Q", "aM").starts_with("it is not a PHC string: "));
        assert!(why("$").starts_with("it is not a PHC string: "));
        assert!(why(&format!("{PASSLIB}$x")).starts_with("it is not a PHC string: "));
        assert_eq!(with("scrypt", "argon2id"), "it is a PHC string of another function than scrypt");
        assert_eq!(with("$ln", "$v=1$ln"), "its PHC string has a version, but scrypt has none");
        assert_eq!(why("$scrypt$ln=16,r=8,p=1"), "its PHC string has no salt or no hash");
        for params in
            ["ln=16,r=8", "ln=16,r=8,p=1,p=2", "ln=16,r=8,p=1,t=3", "ln=16,ln=16,p=1", "n=16,r=8,p=1"]
        {
            assert_eq!(
                with("ln=16,r=8,p=1", params),
                "its parameters are not ln, r and p, once each",
                "{params}"
            );
        }
        for (params, name) in [
            ("ln=4294967296,r=8,p=1", "ln"),
            ("ln=16,r=-8,p=1", "r"),
            ("ln=16,r=8,p=0x1", "p"),
            ("ln=016,r=8,p=1", "ln"),
        ] {
            let text = format!("its parameter {name} is not a decimal number of 32 bits");
            assert_eq!(with("ln=16,r=8,p=1", params), text, "{params}");
        }
        for params in [
            "ln=64,r=8,p=1",
            "ln=0,r=8,p=1",
            "ln=16,r=0,p=1",
            "ln=1,r=32768,p=32768",
            "ln=63,r=4294967295,p=1",
        ] {
            let error = Record::parse(PASSLIB.replace("ln=16,r=8,p=1", params).as_bytes()).err();
            assert!(matches!(error, Some(RecordError::Cost(_))), "{params}");
        }
    }

    #[test]
    fn records_of_json_have_keys_in_both_forms() {
        let json = |key: &str, length: usize| {
            format!(
                r#"{{"n":16,"log-n":4,"r":8,"p":1,"length":{length},"salt-hex":"00ff","key":"{key}","seconds":1}}"#
            )
        };
        for len in 1..70u8 {
            let key: Vec<u8> = (0..len).map(|i| i.wrapping_mul(91)).collect();
            for text in [base16ct::lower::encode_string(&key), Base64::encode_string(&key)] {
                let record = Record::parse(json(&text, len.into()).as_bytes()).unwrap();
                assert_eq!((&record.key[..], &record.salt[..]), (&key[..], &[0, 255][..]), "{text}");
            }
        }
        let right = json("00ff", 2);
        // Of a file, and of a field of a line.
        let both = |text: &str| {
            let value = serde_json::from_str(text).unwrap();
            let why = why(text);
            assert_eq!(Record::from_value(value).err().unwrap().to_string(), why, "{text}");
            why
        };
        for (repeat, text) in [
            (r#""r":8"#, "`r` is repeated"),
            (r#""key":"00fe""#, "`key` is repeated"),
            (r#""salt-hex":"00ff""#, "`salt-hex` is repeated"),
            (r#""seconds":2"#, "its field number 9 is repeated"),
        ] {
            assert_eq!(both(&right.replace('}', &format!(",{repeat}}}"))), text);
        }
        for (from, to, text) in [
            (r#""length":2"#, r#""length":5"#, "`key` does not have 5 bytes in hexadecimal or Base64"),
            (r#""n":16"#, r#""n":32"#, "`n` is not 2 to the power of `log-n`"),
            (r#""log-n":4"#, r#""log-n":64"#, "`log-n` is not a number from 1 to 63"),
            (r#""r":8,"#, "", "it has no `r`"),
            (
                r#""salt-hex":"00ff""#,
                r#""salt-hex":"0""#,
                "`salt-hex`: 1 hexadecimal digits, but two are a byte",
            ),
            (r#""key":"00ff""#, r#""key":"00fg""#, "`key` does not have 2 bytes in hexadecimal or Base64"),
            (r#""key":"00ff""#, r#""key":7"#, "`key` is not a string"),
            (r#""p":1"#, r#""p":01"#, "it is not a JSON object: its syntax is wrong in `p` at column 30"),
        ] {
            assert_eq!(why(&right.replace(from, to)), text, "{from}");
        }
    }

    #[test]
    fn lengths_of_phc_strings() {
        assert!(check_phc(8, 10).is_ok() && check_phc(48, 64).is_ok());
        assert!(matches!(check_phc(7, 32), Err(RecordError::SaltLength { len: 7 })));
        assert!(matches!(check_phc(49, 32), Err(RecordError::SaltLength { len: 49 })));
        assert!(matches!(check_phc(16, 9), Err(RecordError::KeyLength { len: 9 })));
        assert!(matches!(check_phc(16, 65), Err(RecordError::KeyLength { len: 65 })));
    }
}
