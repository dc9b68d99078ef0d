//! What the workloads ask of a library.

mod aws_lc;
#[cfg(feature = "libscrypt")]
mod libscrypt;
#[cfg(feature = "libsodium")]
mod libsodium;
#[cfg(feature = "openssl")]
mod openssl;
mod ring;
mod rustcrypto;

use crate::Choice;

/// Bytes of a password, and of a salt.
pub(crate) const SECRET: usize = 32;
/// Bytes of a derived key.
pub(crate) const DERIVED: usize = 64;
/// Bytes of a tag.
pub(crate) const TAG: usize = 16;
/// Bytes of a nonce.
pub(crate) const NONCE: usize = 12;
/// Bytes of a hash.
pub(crate) const HASH: usize = 32;

/// Parameters of scrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Logarithm of N.
    pub(crate) log_n: u8,
    pub(crate) r: u32,
    pub(crate) p: u32,
}

/// A library answered with an error, which no workload should bring about.
#[derive(Debug, thiserror::Error)]
#[error("{library}: {what}")]
pub(crate) struct Failure {
    /// Which library.
    pub(crate) library: &'static str,
    /// What it said.
    pub(crate) what: String,
}

impl Failure {
    fn new(library: &'static str, what: impl ToString) -> Self {
        Failure { library, what: what.to_string() }
    }
}

/// Derives a key of [`DERIVED`] bytes from a password and a salt.
pub(crate) type Scrypt = Box<dyn FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), Failure> + Send>;
/// Makes the tag of a message from a nonce; the key was given before.
pub(crate) type Gmac = Box<dyn FnMut(&[u8; NONCE], &[u8], &mut [u8]) -> Result<(), Failure> + Send>;
/// Hashes by SHA-256.
pub(crate) type Hash = Box<dyn FnMut(&[u8], &mut [u8]) -> Result<(), Failure> + Send>;

/// Makes the worker for a key of 16, 24 or 32 bytes; nothing where the library does not know keys of that length.
pub(crate) type MakeGmac = fn(&[u8]) -> Result<Option<Gmac>, Failure>;
/// Returns the worker for a number of threads.
pub(crate) type MakeScrypt = fn(Cost, usize) -> Result<Scrypt, Failure>;

/// What a library has; each makes as many workers as there are threads.
pub(crate) struct Library {
    /// As it is shown.
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) scrypt: Option<MakeScrypt>,
    /// Whether scrypt takes more than one thread by itself, and by which runtime.
    pub(crate) scrypt_runtime: Option<&'static str>,
    pub(crate) gmac: Option<MakeGmac>,
    pub(crate) sha256: Option<fn() -> Hash>,
}

/// The library, or why it is not there.
pub(crate) fn library(choice: Choice) -> Result<Library, String> {
    match choice {
        Choice::RustCrypto => Ok(rustcrypto::library()),
        Choice::AwsLc => Ok(aws_lc::library()),
        Choice::Ring => Ok(ring::library()),
        #[cfg(feature = "openssl")]
        Choice::OpenSsl => Ok(openssl::library()),
        #[cfg(feature = "libsodium")]
        Choice::Libsodium => libsodium::library(),
        #[cfg(feature = "libscrypt")]
        Choice::Libscrypt => Ok(libscrypt::library()),
        #[allow(unreachable_patterns, reason = "where all are there")]
        missing => {
            Err(format!("this program was built without {0}: its headers were missing", missing.name()))
        }
    }
}
