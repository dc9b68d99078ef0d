//! Key files of Ethereum, version 3 ([Web3 Secret Storage](https://ethereum.org/en/developers/docs/data-structures-and-encoding/web3-secret-storage/)):
//! whether a password opens one.
//!
//! The derived key authenticates the ciphertext: `mac` is Keccak-256 of its bytes 16 to 31 and the ciphertext.
//! Nothing is decrypted. A file may come from others: its parameters are checked here, and their memory by
//! [`Engine::check`](super::engine::Engine::check), before any memory is taken for them.

use std::path::Path;

use parcrypt_scrypt::Params;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use sha3::{Digest, Keccak256};
use subtle::ConstantTimeEq;

use crate::files::{read_at_most, without_mark};
use crate::hex;

/// Bytes of the derived key that are used; a longer key begins with the same bytes.
pub(super) const KEY: usize = 32;

const MAX_FILE: usize = 1 << 20;

/// A key file, as JSON. Some programs begin names with a capital letter or write them in capitals.
#[derive(Deserialize)]
struct File<C> {
    #[serde(alias = "Version", alias = "VERSION")]
    version: Value,
    #[serde(alias = "Crypto", alias = "CRYPTO")]
    crypto: C,
}

#[derive(Deserialize)]
struct Crypto<P> {
    #[serde(alias = "CIPHERTEXT")]
    ciphertext: String,
    #[serde(alias = "MAC")]
    mac: String,
    #[serde(alias = "KDF")]
    kdf: String,
    #[serde(alias = "KDFPARAMS")]
    kdfparams: P,
}

/// The parameters of scrypt. JSON has one kind of number, so 16384.0 is one too.
#[derive(Deserialize)]
struct KdfParams {
    #[serde(alias = "N")]
    n: f64,
    #[serde(alias = "R")]
    r: f64,
    #[serde(alias = "P")]
    p: f64,
    #[serde(alias = "DKLEN")]
    dklen: f64,
    #[serde(alias = "SALT")]
    salt: String,
}

#[derive(Debug)]
pub(super) struct Keystore {
    pub(super) params: Params,
    pub(super) salt: Vec<u8>,
    ciphertext: Vec<u8>,
    mac: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum KeystoreError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("it is not a key file: {}", without_values(.0))]
    Json(#[from] serde_json::Error),
    /// A value, with its line if there are several.
    #[error("{}{why}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Value { line: Option<usize>, why: String },
}

/// Returns the line of a name in a text of several lines.
fn line_of(text: &[u8], name: &str) -> Option<usize> {
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    let before = text.split_once(&format!("\"{name}\""))?.0;
    text.trim_end().contains('\n').then(|| before.split('\n').count())
}

/// Returns what is wrong and where. A file that was named by mistake may have a password, so no value is repeated.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if error.is_data() && !["missing field", "duplicate field"].iter().any(|known| text.starts_with(known)) {
        return format!("a value of another type at line {} column {}", error.line(), error.column());
    }
    text
}

impl Keystore {
    pub(super) fn read(path: &Path) -> Result<Self, KeystoreError> {
        Keystore::parse(&read_at_most(path, MAX_FILE)?)
    }

    fn parse(text: &[u8]) -> Result<Self, KeystoreError> {
        let text = without_mark(text);
        let wrong = |name, why: String| KeystoreError::Value { line: line_of(text, name), why };
        // Files of other versions and functions have other fields.
        let version = serde_json::from_slice::<File<IgnoredAny>>(text)?.version;
        if version != 3 && version != "3" {
            let why = format!("it is a key file of version {version}: only version 3 is supported");
            return Err(wrong("version", why));
        }
        let kdf = serde_json::from_slice::<File<Crypto<IgnoredAny>>>(text)?.crypto.kdf;
        let why = match kdf.to_ascii_lowercase().as_str() {
            "scrypt" => None,
            "pbkdf2" => Some("its key is derived by PBKDF2 (`kdf` is pbkdf2)"),
            _ => Some("its `kdf` is unknown"),
        };
        why.map_or(Ok(()), |why| Err(wrong("kdf", format!("{why}: only scrypt is supported"))))?;
        let crypto = serde_json::from_slice::<File<Crypto<KdfParams>>>(text)?.crypto;
        let KdfParams { n, r, p, dklen, salt } = crypto.kdfparams;
        let whole = |name, number: f64, least: u64, most: u64| {
            let why = || format!("its `{name}` is {number:?}: not a whole number from {least} to {most}");
            let is_right = number.fract() == 0.0 && (least as f64..=most as f64).contains(&number);
            is_right.then_some(number).ok_or_else(|| wrong(name, why()))
        };
        // A power of two is exact as a floating-point number.
        let n = whole("n", n, 1, 1 << 63)? as u64;
        let [r, p] = [("r", r), ("p", p)].map(|(name, number)| whole(name, number, 1, u32::MAX.into()));
        whole("dklen", dklen, KEY as u64, u32::MAX.into())?;
        let params = Params::allow_n_beyond_rfc(n, r? as u32, p? as u32);
        let params = params.map_err(|error| wrong("kdfparams", error.to_string()))?;
        let bytes = |name, text: &str| {
            hex::decode(text.as_bytes()).map_err(|error| wrong(name, format!("`{name}`: {error}")))
        };
        let (salt, ciphertext) = (bytes("salt", &salt)?, bytes("ciphertext", &crypto.ciphertext)?);
        let mac = bytes("mac", &crypto.mac)?;
        match mac.len() {
            32 => Ok(Keystore { params, salt, ciphertext, mac }),
            len => Err(wrong("mac", format!("its `mac` has {len} bytes, but Keccak-256 has 32"))),
        }
    }

    /// Returns whether the file was encrypted under the password of this derived key.
    pub(super) fn opens_with(&self, derived: &[u8]) -> bool {
        let Some(half) = derived.get(KEY / 2..KEY) else { return false };
        let mac = Keccak256::new_with_prefix(half).chain_update(&self.ciphertext).finalize();
        mac.ct_eq(&self.mac[..]).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of the definition, with the password `testpassword`.
    const PUBLISHED: &str = include_str!("../../tests/all/scrypt/keystore-v3.json");

    #[test]
    fn other_files_are_refused_by_name_and_line() {
        // A validator's key file has other fields (EIP-2335).
        let validator = r#"{"crypto":{"kdf":{"function":"scrypt"},"cipher":{}},"version":4}"#;
        for (from, to, expected) in [
            (PUBLISHED, validator, "it is a key file of version 4: only version 3 is supported"),
            (PUBLISHED, "12345678", "it is not a key file: a value of another type at line 1 column 8"),
            (PUBLISHED, "hunter2", "it is not a key file: expected value at line 1 column 1"),
            (
                r#""version":3"#,
                r#""version":4"#,
                "line 7: it is a key file of version 4: only version 3 is supported",
            ),
            (r#""id""#, r#""VERSION":3,"id""#, "it is not a key file: duplicate field `version` at line 7 "),
            (r#""version":3"#, r#""id2":3"#, "it is not a key file: missing field `version` at line 7 "),
            ("crypto", "cripto", "it is not a key file: missing field `crypto`"),
            (
                r#""scrypt""#,
                r#""pbkdf2""#,
                "line 3: its key is derived by PBKDF2 (`kdf` is pbkdf2): only scrypt",
            ),
            (r#""scrypt""#, r#""argon2id""#, "line 3: its `kdf` is unknown: only scrypt is supported"),
            (r#""scrypt""#, "7", "it is not a key file: a value of another type at line 3 column 95"),
            (r#""p":8"#, r#""p":8,"p":1"#, "it is not a key file: duplicate field `p` at line 4 "),
            (r#""dklen":32"#, r#""dklen":31"#, "line 4: its `dklen` is 31.0: not a whole number from 32 to"),
            ("262144", "262145", "line 4: N = 262145 with r = 1: N must be a power of two from 2 on"),
            (
                "262144",
                "262144.5",
                "line 4: its `n` is 262144.5: not a whole number from 1 to 9223372036854775808",
            ),
            ("262144", "1e300", "line 4: its `n` is 1e300: not a whole number from 1 to"),
            (r#""p":8"#, r#""p":0"#, "line 4: its `p` is 0.0: not a whole number from 1 to 4294967295"),
            (r#""p":8"#, r#""p":-8"#, "line 4: its `p` is -8.0: not a whole number from 1 to"),
            (r#""r":1,"#, r#""r":4294967295,"#, "line 4: r = 4294967295, p = 8: both must be at least 1"),
            (r#""p":8,"#, "", "it is not a key file: missing field `p` at line 5 "),
            ("2103ac", "21", "line 6: its `mac` has 30 bytes, but Keccak-256 has 32"),
            ("2103ac", "210", "line 6: `mac`: odd number of hexadecimal digits (61)"),
            ("d172bf", "d1x2bf", "line 3: `ciphertext`: byte 2 is not a hexadecimal digit"),
            ("ab0c78", "ab 0c-8", "line 5: `salt`: byte 5 is not a hexadecimal digit"),
            (r#"{"crypto""#, r#"["crypto""#, "it is not a key file: "),
            (r#""version":3}"#, "", "it is not a key file: EOF while parsing"),
        ] {
            let text = PUBLISHED.replace(from, to);
            let why = Keystore::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(why.starts_with(expected), "{from} {to}: {why}");
            // A single line has no number.
            let why = Keystore::parse(text.replace('\n', " ").as_bytes()).unwrap_err().to_string();
            assert!(!why.starts_with("line "), "{from} {to}: {why}");
        }
    }

    #[test]
    fn each_bit_of_a_mac_and_of_what_it_authenticates_is_compared() {
        let mut file = Keystore::parse(PUBLISHED.as_bytes()).unwrap();
        let mut key = [7; KEY];
        file.mac = Keccak256::new_with_prefix(&key[16..]).chain_update(&file.ciphertext).finalize().to_vec();
        assert!(file.opens_with(&key) && !file.opens_with(&key[1..]));
        for bit in 0..3 * 256 {
            let (place, mask) = (bit / 8 % 32, 1 << (bit % 8));
            let flip = |file: &mut Keystore, key: &mut [u8; KEY]| match bit / 256 {
                0 => file.mac[place] ^= mask,
                1 => file.ciphertext[place] ^= mask,
                _ => key[place] ^= mask,
            };
            flip(&mut file, &mut key);
            // The first half of the key encrypts.
            assert_eq!(file.opens_with(&key), bit / 256 == 2 && place < 16, "bit {bit}");
            flip(&mut file, &mut key);
        }
    }
}
