//! Key files of Ethereum, version 3 ([Web3 Secret Storage](https://ethereum.org/en/developers/docs/data-structures-and-encoding/web3-secret-storage/)):
//! whether a password opens one.
//!
//! The derived key authenticates the ciphertext: `mac` is Keccak-256 of its bytes 16 to 31 and the ciphertext.
//! Nothing is decrypted. A file may come from others: its parameters are checked here, and their memory by
//! [`Engine::check`](super::cost::Engine::check), before any memory is taken for them.

use std::path::Path;

use parcrypt_scrypt::Params;
use sha3::{Digest, Keccak256};

use super::cost::{Bound, CostError};
use super::fields::{FieldError, Fields, string};
use super::password::Secret;
use super::{key, shown};
use crate::error::CommandError;
use crate::files::read_at_most;

/// Bytes of the derived key that are used; a longer key begins with the same bytes.
pub(super) const KEY: usize = 32;

/// The longest file, in bytes.
const MOST: usize = 1 << 20;

/// The names of the file, of its field `crypto` and of its field `kdfparams`, in lower case.
const NAMES: [&str; 11] =
    ["version", "crypto", "ciphertext", "mac", "kdf", "kdfparams", "dklen", "n", "r", "p", "salt"];

/// What a password is checked against.
pub(super) struct Keystore {
    pub(super) params: Params,
    pub(super) salt: Vec<u8>,
    ciphertext: Secret,
    mac: Secret,
}

/// Reason why a file is not a key file that can be checked.
#[derive(Debug, thiserror::Error)]
enum KeystoreError {
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("it is a key file of version {0}: only version 3 is supported")]
    Version(u64),
    #[error("its key is derived by PBKDF2 (`kdf` is pbkdf2), which is not supported: only scrypt is")]
    Pbkdf2,
    #[error("its `kdf` is unknown: only scrypt is supported")]
    Kdf,
    #[error("its `dklen` is {0}: a derived key has at least {KEY} bytes")]
    KeyLength(u64),
    #[error("its `mac` has {0} bytes, but Keccak-256 has 32")]
    MacLength(usize),
    #[error(transparent)]
    Cost(#[from] CostError),
}

impl Keystore {
    /// Reads a key file.
    ///
    /// # Errors
    /// Errors of the system; a file of another form, version or key derivation; parameters that are not allowed.
    pub(super) fn read(path: &Path, bound: Bound) -> Result<Self, CommandError> {
        let wrong = |why: String| CommandError::new(format!("--keystore {}: {why}", shown(path)));
        let text = read_at_most(path, MOST).map_err(|error| wrong(error.to_string()))?;
        Keystore::parse(&text, bound).map_err(|error| wrong(error.to_string()))
    }

    fn parse(text: &[u8], bound: Bound) -> Result<Self, KeystoreError> {
        let mut file = lower(Fields::parse(text, &NAMES)?)?;
        match version(&mut file)? {
            3 => {}
            other => return Err(KeystoreError::Version(other)),
        }
        let mut crypto = object(&mut file, "crypto")?;
        let kdf = crypto.text("kdf")?.ok_or(FieldError::missing("kdf"))?;
        match kdf.to_ascii_lowercase().as_str() {
            "scrypt" => {}
            "pbkdf2" => return Err(KeystoreError::Pbkdf2),
            _ => return Err(KeystoreError::Kdf),
        }
        let mut cost = object(&mut crypto, "kdfparams")?;
        let (n, r, p) = (cost.needed("n", u64::MAX)?, cost.small("r")?, cost.small("p")?);
        let dklen = cost.needed("dklen", u64::MAX)?;
        if dklen < KEY as u64 {
            return Err(KeystoreError::KeyLength(dklen));
        }
        let params = bound.params(n, r, p)?;
        let salt = cost.hexadecimal("salt")?.ok_or(FieldError::missing("salt"))?.to_vec();
        let ciphertext = crypto.hexadecimal("ciphertext")?.ok_or(FieldError::missing("ciphertext"))?;
        let mac = crypto.hexadecimal("mac")?.ok_or(FieldError::missing("mac"))?;
        if mac.len() != 32 {
            return Err(KeystoreError::MacLength(mac.len()));
        }
        Ok(Keystore { params, salt, ciphertext, mac })
    }

    /// Returns whether the file was encrypted under the password of this derived key.
    pub(super) fn fits(&self, derived: &[u8]) -> bool {
        let Some(half) = derived.get(KEY / 2..KEY) else { return false };
        let mac = Keccak256::new_with_prefix(half).chain_update(&self.ciphertext[..]).finalize();
        key::equal(&mac, &self.mac)
    }
}

/// Returns the fields with names in lower case, as some programs write `Crypto`.
fn lower(mut fields: Fields<'_>) -> Result<Fields<'_>, FieldError> {
    fields.lower_names();
    fields.check_repeats(&NAMES)?;
    Ok(fields)
}

/// Returns the version, which some programs write as a string.
fn version(file: &mut Fields<'_>) -> Result<u64, FieldError> {
    let value = file.take("version").ok_or(FieldError::missing("version"))?;
    let number = value.parse().ok().or_else(|| string(value)?.parse().ok());
    number.ok_or_else(|| FieldError::of("version", "`version` is not a number"))
}

/// Removes and returns the object of a field.
fn object<'a>(fields: &mut Fields<'a>, name: &'static str) -> Result<Fields<'a>, FieldError> {
    match fields.take(name) {
        Some(value) if value.starts_with('{') => lower(Fields::parse(value.as_bytes(), &NAMES)?),
        Some(_) => Err(FieldError::of(name, format!("`{name}` is not an object"))),
        None => Err(FieldError::missing(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of the definition, with the password `testpassword`.
    const PUBLISHED: &str = r#"{"crypto":{"cipher":"aes-128-ctr",
        "cipherparams":{"iv":"83dbcc02d8ccb40e466191a123791e0e"},
        "ciphertext":"d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c","kdf":"scrypt",
        "kdfparams":{"dklen":32,"n":262144,"r":1,"p":8,
        "salt":"ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
        "mac":"2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"},
        "id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3}"#;

    fn why(text: &str, bound: Bound) -> String {
        Keystore::parse(text.as_bytes(), bound).err().expect("an error").to_string()
    }

    #[test]
    fn the_published_key_opens_the_published_file() {
        // In the letters of other programs too.
        let other = PUBLISHED.replace("crypto", "Crypto").replace("\"mac\":\"", "\"MAC\":\"0x");
        let other = other.replace("\"version\":3", "\"version\":\"3\",\"address\":\"00\"");
        for text in [PUBLISHED, &other, &PUBLISHED.replace("\"dklen\":32", "\"dklen\":64")] {
            let file = Keystore::parse(text.as_bytes(), Bound::Lifted).unwrap();
            assert_eq!((file.params.n(), file.params.r(), file.params.p()), (1 << 18, 1, 8));
            assert_eq!(file.salt.len(), 32);
            let mut key = base16ct::lower::decode_vec(
                "fac192ceb5fd772906bea3e118a69e8bbb5cc24229e20d8766fd298291bba6bd",
            )
            .unwrap();
            assert!(file.fits(&key));
            // The first half encrypts, and is not authenticated.
            key[31] ^= 1;
            assert!(!file.fits(&key) && !file.fits(&key[..31]));
        }
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let error = why(PUBLISHED, Bound::Rfc);
        assert!(error.contains("N = 262144 with r = 1") && error.contains("--allow-n-beyond-rfc"), "{error}");
        for (from, to, expected) in [
            ("\"version\":3", "\"version\":4", "it is a key file of version 4: only version 3 is supported"),
            ("\"version\":3", "\"version\":{}", "`version` is not a number"),
            ("\"id\"", "\"VERSION\":3,\"id\"", "`version` is repeated"),
            ("\"version\":3", "\"id2\":3", "it has no `version`"),
            ("crypto", "cripto", "it has no `crypto`"),
            (
                "\"scrypt\"",
                "\"pbkdf2\"",
                "its key is derived by PBKDF2 (`kdf` is pbkdf2), which is not supported: only scrypt is",
            ),
            ("\"scrypt\"", "\"argon2id\"", "its `kdf` is unknown: only scrypt is supported"),
            ("\"scrypt\"", "7", "`kdf` is not a string"),
            ("\"dklen\":32", "\"dklen\":31", "its `dklen` is 31: a derived key has at least 32 bytes"),
            ("262144", "262145", "N = 262145 with r = 1: N must be a power of two from 2 on"),
            ("\"p\":8", "\"p\":0", "`p` is not a number from 1 to 4294967295"),
            ("\"p\":8,", "", "it has no `p`"),
            ("2103ac", "21", "its `mac` has 30 bytes, but Keccak-256 has 32"),
            ("2103ac", "210", "`mac`: odd number of hexadecimal digits (61)"),
            ("d172bf", "d1x2bf", "`ciphertext`: byte 2 is not a hexadecimal digit"),
            ("{\"crypto\"", "[\"crypto\"", "it is not a JSON object"),
        ] {
            assert_eq!(why(&PUBLISHED.replace(from, to), Bound::Lifted), expected, "{from} {to}");
        }
    }
}
