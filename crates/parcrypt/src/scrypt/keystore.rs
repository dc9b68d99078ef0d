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

use crate::files::read_at_most;
use crate::hex::{self, NotHex};

/// Bytes of the derived key that are used; a longer key begins with the same bytes.
pub(super) const KEY: usize = 32;

/// Maximum size of a key file, in bytes.
const MAX_FILE: usize = 1 << 20;

/// A key file, as JSON. Some programs begin names with a capital letter or write them in capitals.
#[derive(Deserialize)]
struct File<P> {
    #[serde(alias = "Version", alias = "VERSION")]
    version: Value,
    #[serde(alias = "Crypto", alias = "CRYPTO")]
    crypto: Crypto<P>,
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

/// What a password is checked against.
#[derive(Debug)]
pub(super) struct Keystore {
    pub(super) params: Params,
    pub(super) salt: Vec<u8>,
    ciphertext: Vec<u8>,
    mac: Vec<u8>,
}

/// Reason why a file is not a key file that can be checked.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeystoreError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("it is not a key file: {}", without_values(.0))]
    Json(#[from] serde_json::Error),
    #[error("it is a key file of version {0}: only version 3 is supported")]
    Version(Value),
    #[error("its key is derived by PBKDF2 (`kdf` is pbkdf2), which is not supported: only scrypt is")]
    Pbkdf2,
    #[error("its `kdf` is unknown: only scrypt is supported")]
    Kdf,
    #[error("its `{0}` is not a whole number in its range")]
    Number(&'static str),
    #[error("its `dklen` is {0}: a derived key has at least {KEY} bytes")]
    KeyLength(f64),
    #[error("`{0}`: {1}")]
    Hex(&'static str, NotHex),
    #[error("its `mac` has {0} bytes, but Keccak-256 has 32")]
    MacLength(usize),
    #[error(transparent)]
    Cost(#[from] parcrypt_scrypt::Error),
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
    /// Reads a key file.
    pub(super) fn read(path: &Path) -> Result<Self, KeystoreError> {
        Keystore::parse(&read_at_most(path, MAX_FILE)?)
    }

    fn parse(text: &[u8]) -> Result<Self, KeystoreError> {
        let File { version, crypto } = serde_json::from_slice::<File<IgnoredAny>>(text)?;
        if version != 3 && version != "3" {
            return Err(KeystoreError::Version(version));
        }
        match crypto.kdf.to_ascii_lowercase().as_str() {
            "scrypt" => {}
            "pbkdf2" => return Err(KeystoreError::Pbkdf2),
            _ => return Err(KeystoreError::Kdf),
        }
        let KdfParams { n, r, p, dklen, salt } = serde_json::from_slice::<File<_>>(text)?.crypto.kdfparams;
        if dklen < KEY as f64 {
            return Err(KeystoreError::KeyLength(dklen));
        }
        let whole = |name, number: f64, max: f64| match number.fract() == 0.0 && (1.0..=max).contains(&number)
        {
            true => Ok(number),
            false => Err(KeystoreError::Number(name)),
        };
        // A power of two is exact as a floating-point number.
        let n = whole("n", n, 2f64.powi(63))? as u64;
        let small = |name, number| whole(name, number, u32::MAX.into()).map(|number| number as u32);
        let params = Params::allow_n_beyond_rfc(n, small("r", r)?, small("p", p)?)?;
        let bytes = |name, text: &str| hex::decode(text.as_bytes()).map_err(|e| KeystoreError::Hex(name, e));
        let (salt, ciphertext) = (bytes("salt", &salt)?, bytes("ciphertext", &crypto.ciphertext)?);
        let mac = bytes("mac", &crypto.mac)?;
        match mac.len() {
            32 => Ok(Keystore { params, salt, ciphertext, mac }),
            len => Err(KeystoreError::MacLength(len)),
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
    fn other_files_are_refused_by_name() {
        for (from, to, expected) in [
            ("\"version\":3", "\"version\":4", "it is a key file of version 4: only version 3 is supported"),
            (
                "\"version\":3",
                "\"version\":{}",
                "it is a key file of version {}: only version 3 is supported",
            ),
            ("\"id\"", "\"VERSION\":3,\"id\"", "it is not a key file: duplicate field `version`"),
            ("\"version\":3", "\"id2\":3", "it is not a key file: missing field `version`"),
            ("crypto", "cripto", "it is not a key file: missing field `crypto`"),
            (
                "\"scrypt\"",
                "\"pbkdf2\"",
                "its key is derived by PBKDF2 (`kdf` is pbkdf2), which is not supported: only scrypt is",
            ),
            ("\"scrypt\"", "\"argon2id\"", "its `kdf` is unknown: only scrypt is supported"),
            ("\"scrypt\"", "7", "it is not a key file: a value of another type at line 3 column 95"),
            ("\"p\":8", "\"p\":8,\"p\":1", "it is not a key file: duplicate field `p`"),
            (PUBLISHED, "12345678", "it is not a key file: a value of another type at line 1 column 8"),
            (PUBLISHED, "hunter2", "it is not a key file: expected value at line 1 column 1"),
            ("\"dklen\":32", "\"dklen\":31", "its `dklen` is 31: a derived key has at least 32 bytes"),
            ("262144", "262145", "N = 262145 with r = 1: N must be a power of two from 2 on"),
            ("262144", "262144.5", "its `n` is not a whole number in its range"),
            ("262144", "1e300", "its `n` is not a whole number in its range"),
            ("\"p\":8", "\"p\":0", "its `p` is not a whole number in its range"),
            ("\"p\":8", "\"p\":-8", "its `p` is not a whole number in its range"),
            ("\"r\":1,\"p\":8", "\"r\":4294967295,\"p\":8", "r = 4294967295, p = 8: both must be at least 1"),
            ("\"p\":8,", "", "it is not a key file: missing field `p`"),
            ("2103ac", "21", "its `mac` has 30 bytes, but Keccak-256 has 32"),
            ("2103ac", "210", "`mac`: odd number of hexadecimal digits (61)"),
            ("d172bf", "d1x2bf", "`ciphertext`: byte 2 is not a hexadecimal digit"),
            ("{\"crypto\"", "[\"crypto\"", "it is not a key file: "),
            ("\"version\":3}", "", "it is not a key file: EOF while parsing"),
        ] {
            let why = Keystore::parse(PUBLISHED.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(why.starts_with(expected), "{from} {to}: {why}");
        }
    }
}
