//! Records of a key with its salt and parameters, against which a password is verified: PHC strings, and the JSON
//! objects of `--json`.
//!
//! A record may come from others. Its parameters are checked here, and their memory by
//! [`Engine::check`](super::cost::Engine::check), before any memory is taken for them.

use std::ops::RangeInclusive;

use base64ct::{Base64Unpadded, Encoding};
use parcrypt_scrypt::Params;
use zeroize::Zeroizing;

use super::cost::{Bound, CostError};
use super::fields::{FieldError, Fields, string};
use super::password::Secret;
use super::{MOST_LENGTH, base64, salt};

/// The name of the function in a PHC string.
const FUNCTION: &str = "scrypt";

/// Lengths of salts of PHC strings that are written, in bytes: those that the crate `phc` reads.
const SALT_LENGTHS: RangeInclusive<usize> = 8..=48;

/// Lengths of keys of PHC strings that are written, in bytes: those that the crate `phc` reads.
const KEY_LENGTHS: RangeInclusive<usize> = 10..=64;

/// A password's salt, parameters and key.
pub(super) struct KeyRecord {
    pub(super) params: Params,
    pub(super) salt: Vec<u8>,
    pub(super) key: Secret,
}

/// Reason why a text is not a record, or a key has no PHC string. No message repeats a part of the text.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyRecordError {
    #[error("it is not a PHC string: {0}")]
    Phc(&'static str),
    #[error("it is a PHC string of a function other than scrypt")]
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
    Cost(#[from] CostError),
    #[error("its hash has {0} bytes: below {least} bytes, many passwords have the same", least = KEY_LENGTHS.start())]
    ShortHash(usize),
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("a PHC string has a salt of {least} to {most} bytes, but this has {len}",
        least = SALT_LENGTHS.start(), most = SALT_LENGTHS.end())]
    SaltLength { len: usize },
    #[error("a PHC string has a key of {least} to {most} bytes, but this has {len}: --length 32 is usual",
        least = KEY_LENGTHS.start(), most = KEY_LENGTHS.end())]
    KeyLength { len: usize },
}

/// Returns whether a file of `--verify` has a record, and not a key in hexadecimal or Base64.
pub(super) fn is_record(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'$' | b'{'))
}

/// Checks that there is a PHC string for a salt and a key of these lengths, in bytes.
///
/// # Errors
/// A length that other programs do not read.
pub(super) fn check_phc(salt: usize, key: usize) -> Result<(), KeyRecordError> {
    if !SALT_LENGTHS.contains(&salt) {
        return Err(KeyRecordError::SaltLength { len: salt });
    }
    if !KEY_LENGTHS.contains(&key) {
        return Err(KeyRecordError::KeyLength { len: key });
    }
    Ok(())
}

/// Returns the PHC string of a key, in memory that is cleared.
pub(super) fn phc_string(params: Params, salt: &[u8], key: &[u8]) -> Secret {
    let head = format!("${FUNCTION}$ln={},r={},p={}$", params.n().ilog2(), params.r(), params.p());
    let salt = Base64Unpadded::encode_string(salt);
    let hash = Zeroizing::new(Base64Unpadded::encode_string(key));
    super::joined(&[head.as_bytes(), salt.as_bytes(), b"$", hash.as_bytes()])
}

impl KeyRecord {
    /// Parses a PHC string, or a JSON object of `--json`.
    ///
    /// # Errors
    /// A text that is neither; parameters that are not allowed.
    pub(super) fn parse(text: &[u8], bound: Bound) -> Result<Self, KeyRecordError> {
        let text = text.trim_ascii();
        match text.first() {
            Some(b'$') => match std::str::from_utf8(text) {
                Ok(text) => KeyRecord::from_phc(text, bound),
                Err(_) => Err(KeyRecordError::Phc("it is not UTF-8")),
            },
            _ => KeyRecord::from_fields(Fields::parse(text, &NAMES)?, bound),
        }
    }

    /// Returns the record in the JSON text of a field of a line: a PHC string, or an object.
    pub(super) fn from_value(value: &str, bound: Bound) -> Result<Self, KeyRecordError> {
        match string(value) {
            Some(text) => KeyRecord::from_phc(&text, bound),
            None if value.starts_with('{') => {
                KeyRecord::from_fields(Fields::parse(value.as_bytes(), &NAMES)?, bound)
            }
            None => Err(FieldError::unnamed("it is neither a PHC string nor an object of --json").into()),
        }
    }

    /// Parses a PHC string. Other lengths of salts and hashes, padding, and the alphabet of RFC 4648, section 5, are
    /// accepted: the specification excludes them, but other programs write them.
    fn from_phc(text: &str, bound: Bound) -> Result<Self, KeyRecordError> {
        let mut parts = text.strip_prefix('$').unwrap_or_default().split('$').peekable();
        match parts.next() {
            None | Some("") => return Err(KeyRecordError::Phc("it names no function")),
            Some(FUNCTION) => {}
            Some(_) => return Err(KeyRecordError::Function),
        }
        if parts.peek().is_some_and(|part| part.starts_with("v=")) {
            return Err(KeyRecordError::Version);
        }
        let params = parts.next().unwrap_or_default().split(',');
        let params: Vec<(&str, &str)> =
            params.map(|param| param.split_once('=').unwrap_or((param, ""))).collect();
        let mut names: Vec<&str> = params.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        if names != ["ln", "p", "r"] {
            return Err(KeyRecordError::Parameters);
        }
        let number = |name| {
            let value = params.iter().find(|param| param.0 == name).and_then(|param| decimal(param.1));
            value.ok_or(KeyRecordError::Decimal(name))
        };
        let params = bound.params_of_log(number("ln")?.into(), number("r")?, number("p")?)?;
        let (salt, key) = match (parts.next(), parts.next(), parts.next()) {
            (Some(salt), Some(key), None) if !salt.is_empty() && !key.is_empty() => (salt, key),
            (_, _, Some(_)) => return Err(KeyRecordError::Phc("it has more than four parts")),
            _ => return Err(KeyRecordError::Incomplete),
        };
        let salt = decode_phc(salt).ok_or(KeyRecordError::Phc("its salt is not Base64"))?.to_vec();
        let key = decode_phc(key).ok_or(KeyRecordError::Phc("its hash is not Base64"))?;
        match key.len() {
            len if len < *KEY_LENGTHS.start() => Err(KeyRecordError::ShortHash(len)),
            _ => Ok(KeyRecord { params, salt, key }),
        }
    }

    fn from_fields(mut fields: Fields<'_>, bound: Bound) -> Result<Self, KeyRecordError> {
        fields.check_repeats(&NAMES)?;
        let log_n = fields.needed("log-n", 63)?;
        let (r, p) = (fields.small("r")?, fields.small("p")?);
        let params = bound.params_of_log(log_n, r, p)?;
        if fields.number("n", u64::MAX)?.is_some_and(|n| n != params.n()) {
            return Err(FieldError::of("n", "`n` is not 2 to the power of `log-n`").into());
        }
        let length = fields.needed("length", MOST_LENGTH as u64)?;
        let salt = fields.hexadecimal("salt-hex")?.ok_or(FieldError::missing("salt-hex"))?;
        let text = fields.text("key")?.ok_or(FieldError::missing("key"))?;
        let key = decode(&text, length as usize).ok_or_else(|| {
            FieldError::of("key", format!("`key` does not have {length} bytes in hexadecimal or Base64"))
        })?;
        Ok(KeyRecord { params, salt: salt.to_vec(), key })
    }
}

/// The fields of a record that are read; others say how it was computed.
const NAMES: [&str; 7] = ["n", "log-n", "r", "p", "length", "salt-hex", "key"];

/// Returns a number that is written without a sign and leading zeros.
fn decimal(text: &str) -> Option<u32> {
    let is_decimal =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_decimal { text.parse().ok() } else { None }
}

/// Decodes Base64 of a PHC string, which has no white space.
fn decode_phc(text: &str) -> Option<Secret> {
    if text.contains(|c: char| c.is_ascii_whitespace()) { None } else { base64::decode(text.as_bytes()) }
}

/// Returns a key of `length` bytes. The two forms differ in length or, at 2 and 4 bytes, by the padding.
fn decode(text: &str, length: usize) -> Option<Secret> {
    let key = if text.len() == 2 * length && !text.ends_with('=') {
        Zeroizing::new(salt::from_hex(text).ok()?)
    } else {
        base64::decode(text.as_bytes())?
    };
    (key.len() == length).then_some(key)
}

#[cfg(test)]
mod tests {
    use base64ct::Base64;

    use super::*;

    /// From passlib's documentation, with the password `password`.
    const PASSLIB: &str =
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";

    fn parse(text: &str) -> Result<KeyRecord, KeyRecordError> {
        KeyRecord::parse(text.as_bytes(), Bound::Rfc)
    }

    fn why(text: &str) -> String {
        parse(text).err().unwrap_or_else(|| panic!("{text}")).to_string()
    }

    #[test]
    fn a_phc_string_is_written_as_it_was_read() {
        let record = parse(&format!(" {PASSLIB}\n")).unwrap();
        assert_eq!((record.params.n(), record.params.r(), record.params.p()), (1 << 16, 8, 1));
        assert_eq!((record.salt.len(), record.key.len()), (16, 32));
        assert_eq!(phc_string(record.params, &record.salt, &record.key)[..], *PASSLIB.as_bytes());
        // The order of parameters does not matter to a reader.
        let other = parse(&PASSLIB.replace("ln=16,r=8,p=1", "p=1,r=8,ln=16")).unwrap();
        assert_eq!(other.params, record.params);
    }

    /// Lengths, padding and an alphabet that the specification of PHC strings excludes, and an N beyond RFC 7914.
    #[test]
    fn phc_strings_beyond_their_specification_are_read() {
        let right = parse(PASSLIB).unwrap();
        let dialect = PASSLIB.replace("lqr1Q", "lqr1Q==").replace("DlmQ", "DlmQ=").replace("xD+i", "xD-i");
        let dialect = format!("{dialect}=");
        let read = parse(&dialect).unwrap();
        assert_eq!((&read.salt, &read.key), (&right.salt, &right.key), "{dialect}");
        for len in [1, 7, 49, 300] {
            let salt = Base64Unpadded::encode_string(&vec![7; len]);
            let hash = Base64Unpadded::encode_string(&[8; 65]);
            let read = parse(&format!("$scrypt$ln=16,r=8,p=1${salt}${hash}")).unwrap();
            assert_eq!((read.salt.len(), read.key.len()), (len, 65));
        }
        let beyond = PASSLIB.replace("r=8", "r=1");
        assert!(why(&beyond).contains("--allow-n-beyond-rfc"), "{}", why(&beyond));
        assert_eq!(KeyRecord::parse(beyond.as_bytes(), Bound::Lifted).unwrap().params.n(), 1 << 16);
    }

    #[test]
    fn wrong_phc_strings_are_refused() {
        let with = |from: &str, to: &str| why(&PASSLIB.replace(from, to));
        assert_eq!(with("lqr1Q", "lqr1Q="), "it is not a PHC string: its salt is not Base64");
        assert_eq!(with("lqr1Q", "lq r1Q"), "it is not a PHC string: its salt is not Base64");
        assert_eq!(with("iCs5E", "iCs.E"), "it is not a PHC string: its hash is not Base64");
        assert_eq!(why("$"), "it is not a PHC string: it names no function");
        assert_eq!(why(&format!("{PASSLIB}$x")), "it is not a PHC string: it has more than four parts");
        let short = "its hash has 9 bytes: below 10 bytes, many passwords have the same";
        assert_eq!(why("$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNl"), short);
        assert_eq!(with("scrypt", "argon2id"), "it is a PHC string of a function other than scrypt");
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
            let error = parse(&PASSLIB.replace("ln=16,r=8,p=1", params)).err();
            assert!(matches!(error, Some(KeyRecordError::Cost(_))), "{params}");
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
                let record = parse(&json(&text, len.into())).unwrap();
                assert_eq!((&record.key[..], &record.salt[..]), (&key[..], &[0, 255][..]), "{text}");
            }
        }
        let right = json("00ff", 2);
        // Of a file, and of a field of a line.
        let both = |text: &str| {
            let why = why(text);
            assert_eq!(KeyRecord::from_value(text, Bound::Rfc).err().unwrap().to_string(), why, "{text}");
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
            (r#""salt-hex":"00ff""#, r#""salt-hex":"0""#, "`salt-hex`: odd number of hexadecimal digits (1)"),
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
        assert!(matches!(check_phc(7, 32), Err(KeyRecordError::SaltLength { len: 7 })));
        assert!(matches!(check_phc(49, 32), Err(KeyRecordError::SaltLength { len: 49 })));
        assert!(matches!(check_phc(16, 9), Err(KeyRecordError::KeyLength { len: 9 })));
        assert!(matches!(check_phc(16, 65), Err(KeyRecordError::KeyLength { len: 65 })));
    }
}
