//! Records of a password with its salt and parameters: [PHC strings] of scrypt.
//!
//! A record may come from others. Its parameters are checked here, and their memory by
//! [`Engine::check`](super::engine::Engine::check), before any memory is taken for them.
//!
//! [PHC strings]: https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md

use std::ops::RangeInclusive;
use std::path::Path;

use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding};
use parcrypt_scrypt::Params;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Secret;
use crate::files::{read_at_most, without_mark};

const MAX_FILE: usize = 1 << 16;

/// Lengths of salts that are written, in bytes: those that the crate `phc` reads.
const SALT_LENGTHS: RangeInclusive<usize> = 8..=48;

/// Lengths of keys that are written, in bytes: those that the crate `phc` reads.
const KEY_LENGTHS: RangeInclusive<usize> = 10..=64;

/// Beginnings of scrypt strings in other forms, and the programs that write them. Spring Security's begins with its
/// parameters in hexadecimal.
const OTHERS: [(&str, &str); 5] = [
    ("$7$", "crypt(3) or libsodium"),
    ("$rscrypt$", "rust-crypto"),
    ("$s0$", "lambdaworks"),
    ("scrypt$", "Django"),
    ("scrypt:", "Werkzeug"),
];

#[derive(Debug)]
pub(super) struct Record {
    pub(super) params: Params,
    pub(super) salt: Vec<u8>,
    pub(super) key: Secret,
}

/// Reason why a text is not a record, or a key has no PHC string. No message repeats a part of the text.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("a scrypt string of {0}, not supported: PHC strings ($scrypt$) and key files (--keystore) are")]
    Other(&'static str),
    #[error("a string of a function other than scrypt: only PHC strings of scrypt ($scrypt$) are supported")]
    Function,
    #[error("not a PHC string ($scrypt$ln=…,r=…,p=…$SALT$HASH); for key files of Ethereum use --keystore")]
    NotAString,
    #[error("it is not $scrypt$ln=…,r=…,p=…$SALT$HASH")]
    Parts,
    #[error("its parameters are not ln, r and p, once each, as decimal numbers of 32 bits")]
    Parameters,
    #[error(transparent)]
    Cost(#[from] parcrypt_scrypt::Error),
    #[error("its salt or its hash is not Base64")]
    Base64,
    #[error("its hash has {0} bytes: below {least} bytes, many passwords have the same", least = KEY_LENGTHS.start())]
    ShortHash(usize),
    #[error("a PHC string has a salt of {least} to {most} bytes, but this has {0}",
        least = SALT_LENGTHS.start(), most = SALT_LENGTHS.end())]
    SaltLength(usize),
    #[error("a PHC string has a key of {least} to {most} bytes, but this has {0}: --length 32 is usual",
        least = KEY_LENGTHS.start(), most = KEY_LENGTHS.end())]
    KeyLength(usize),
}

/// Checks that there is a PHC string for a salt and a key of these lengths, in bytes.
pub(super) fn check(salt: usize, key: usize) -> Result<(), RecordError> {
    match (SALT_LENGTHS.contains(&salt), KEY_LENGTHS.contains(&key)) {
        (false, _) => Err(RecordError::SaltLength(salt)),
        (_, false) => Err(RecordError::KeyLength(key)),
        _ => Ok(()),
    }
}

/// Returns the PHC string of a key, in memory that is cleared.
pub(super) fn text(params: Params, salt: &[u8], key: &[u8]) -> Secret {
    let head = format!("$scrypt$ln={},r={},p={}$", params.n().ilog2(), params.r(), params.p());
    let salt = Base64Unpadded::encode_string(salt);
    let hash = Zeroizing::new(Base64Unpadded::encode_string(key));
    Zeroizing::new([&head, &salt, "$", &hash].concat().into_bytes())
}

impl Record {
    pub(super) fn read(path: &Path) -> Result<Self, RecordError> {
        let text = read_at_most(path, MAX_FILE)?;
        Record::parse(str::from_utf8(without_mark(&text)).map_err(|_| RecordError::NotAString)?.trim_ascii())
    }

    /// Parses a PHC string. Other lengths of salts and hashes, padding, the alphabet of RFC 4648, section 5, and an N
    /// beyond RFC 7914 are accepted: the specifications exclude them, but other programs write them.
    fn parse(text: &str) -> Result<Self, RecordError> {
        let parts = text.strip_prefix("$scrypt$").ok_or_else(|| {
            let is_hex = |cost: &str| cost.len() > 4 && cost.bytes().all(|byte| byte.is_ascii_hexdigit());
            match (OTHERS.iter().find(|(begin, _)| text.starts_with(begin)), text.strip_prefix('$')) {
                (Some((_, of)), _) => RecordError::Other(of),
                (_, Some(rest)) if rest.split('$').next().is_some_and(is_hex) => {
                    RecordError::Other("Spring Security")
                }
                (_, Some(_)) => RecordError::Function,
                _ => RecordError::NotAString,
            }
        })?;
        let parts: Vec<&str> = parts.split('$').collect();
        let [params, salt, key] = parts[..] else { return Err(RecordError::Parts) };
        let mut numbers = [None; 3];
        for param in params.split(',') {
            let (name, digits) = param.split_once('=').ok_or(RecordError::Parameters)?;
            let place = ["ln", "r", "p"].iter().position(|known| *known == name);
            let number = digits.parse::<u32>().ok().filter(|number| number.to_string() == digits);
            let (Some(place), Some(number)) = (place, number) else { return Err(RecordError::Parameters) };
            if numbers[place].replace(number).is_some() {
                return Err(RecordError::Parameters);
            }
        }
        let [Some(log_n), Some(r), Some(p)] = numbers else { return Err(RecordError::Parameters) };
        let params = Params::allow_n_beyond_rfc(1u64.checked_shl(log_n).unwrap_or(0), r, p)?;
        let (salt, key) = (decode(salt)?, Zeroizing::new(decode(key)?));
        match key.len() {
            len if len < *KEY_LENGTHS.start() => Err(RecordError::ShortHash(len)),
            _ => Ok(Record { params, salt, key }),
        }
    }

    pub(super) fn matches(&self, derived: &[u8]) -> bool {
        derived.ct_eq(&self.key).into()
    }
}

/// Decodes Base64 in the alphabet of RFC 4648, section 4 or 5, with padding or without.
fn decode(text: &str) -> Result<Vec<u8>, RecordError> {
    let text = text.trim_end_matches('=');
    let decoded = Base64Unpadded::decode_vec(text).or_else(|_| Base64UrlUnpadded::decode_vec(text));
    decoded.map_err(|_| RecordError::Base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From passlib's documentation, with the password `password`.
    const PASSLIB: &str =
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";

    /// Lengths, padding, an alphabet and an order of parameters that the specification of PHC strings excludes, and an
    /// N beyond RFC 7914.
    #[test]
    fn phc_strings_beyond_their_specification_are_read() {
        let dialect = PASSLIB.replace("lqr1Q", "lqr1Q==").replace("xD+i", "xD-i") + "=";
        let read = Record::parse(&dialect.replace("ln=16,r=8,p=1", "p=1,r=8,ln=16")).unwrap();
        assert_eq!(text(read.params, &read.salt, &read.key)[..], *PASSLIB.as_bytes());
        for len in [0, 1, 7, 49, 300] {
            let salt = Base64Unpadded::encode_string(&vec![7; len]);
            let hash = Base64Unpadded::encode_string(&[8; 65]);
            let read = Record::parse(&format!("$scrypt$ln=16,r=8,p=1${salt}${hash}")).unwrap();
            assert_eq!((read.salt.len(), read.key.len()), (len, 65));
        }
        assert_eq!(Record::parse(&PASSLIB.replace("r=8", "r=1")).unwrap().params.n(), 1 << 16);
    }

    #[test]
    fn each_bit_of_a_key_is_compared() {
        let record = Record::parse(PASSLIB).unwrap();
        assert!(record.matches(&record.key) && !record.matches(&record.key[1..]));
        for bit in 0..8 * record.key.len() {
            let mut other = record.key.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!record.matches(&other), "bit {bit}");
        }
    }

    #[test]
    fn wrong_phc_strings_are_refused() {
        let with = |from: &str, to: &str| Record::parse(&PASSLIB.replace(from, to)).unwrap_err();
        for (from, to) in [("lqr1Q", "lqr1"), ("lqr1Q", "lq r1Q"), ("iCs5E", "iCs.E"), ("5E", "5F")] {
            assert!(matches!(with(from, to), RecordError::Base64), "{to}");
        }
        for (text, expected) in [
            ("$7$C6..../....NaCl$kBGj9fHznVYFQMEn", "a scrypt string of crypt(3) or libsodium, not"),
            ("$rscrypt$0$DggB$c2FsdA==$aGFzaA==$", "a scrypt string of rust-crypto, not"),
            ("$e0801$8bWJaSu2IKSn9Z9kM+TPXQ==$c8s1J2", "a scrypt string of Spring Security, not"),
            ("$100801$c2FsdA==$aGFzaA==", "a scrypt string of Spring Security, not"),
            ("$s0$e0801$c2FsdA==$aGFzaA==", "a scrypt string of lambdaworks, not"),
            ("scrypt$16384$salt$8$1$aGFzaA==", "a scrypt string of Django, not"),
            ("scrypt:32768:8:1$salt$00ff", "a scrypt string of Werkzeug, not"),
            ("$argon2id$v=19$m=1$x$y", "a string of a function other than scrypt"),
            ("$", "a string of a function other than scrypt"),
            ("", "not a PHC string ($scrypt$ln="),
            (r#"{"version":3}"#, "not a PHC string ($scrypt$ln="),
        ] {
            let why = Record::parse(text).unwrap_err().to_string();
            assert!(why.starts_with(expected), "{text}: {why}");
        }
        for (from, to) in [("$nF", "nF"), ("iCs5E", "iCs5E$x"), ("$ln", "$v=1$ln")] {
            assert!(matches!(with(from, to), RecordError::Parts), "{to}");
        }
        let short = Record::parse("$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNl").unwrap_err();
        assert!(matches!(short, RecordError::ShortHash(9)), "{short}");
        let wrong = "ln=16,r=8 ln=16,r=8,p=1,p=2 ln=16,r=8,p=1,t=3 n=16,r=8,p=1 ln=4294967296,r=8,p=1 ln=16,r=-8,p=1 \
                     ln=16,r=+8,p=1 ln=016,r=8,p=1 ln=16,r=8,p=0x1 ln=16,r,p=1";
        for params in wrong.split(' ').chain([""]) {
            assert!(matches!(with("ln=16,r=8,p=1", params), RecordError::Parameters), "{params}");
        }
    }
}
