//! GMAC and VMAC: polynomial hashes under a key in vectors, and for long messages over the threads of any runtime.
//!
//! ```
//! use parcrypt_mac::Gmac;
//! use parcrypt_runtime::Serial;
//!
//! let gmac = Gmac::new(parcrypt_cpu::Request::Auto, &[7; 16])?;
//! let tag = gmac.tag(&Serial, b"unique nonce", b"message")?;
//! assert!(gmac.verify(&Serial, b"unique nonce", b"message", &tag)?);
//! assert!(!gmac.verify(&Serial, b"unique nonce", b"massage", &tag)?);
//! # Ok::<(), parcrypt_mac::Error>(())
//! ```
//!
//! It depends on `parcrypt-cpu` and `parcrypt-runtime` only. Add an instruction set as a file in `arch` and a row in
//! `dispatch`, another polynomial MAC as an implementation of `mac::Mac`. `docs/explanation/mac.md` describes how it
//! works, what limits its speed and what was tried.

mod arch;
mod block_cipher;
mod cleared;
mod costs;
mod dispatch;
mod gmac;
mod mac;
mod vmac;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: parcrypt_testkit::Watched = parcrypt_testkit::Watched;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use gmac::Gmac;
pub use vmac::{Vmac, Vmac64, Vmac128};

/// A message and its nonce, for the functions that take many.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// A value that is used once under a key.
    pub nonce: &'a [u8],
    /// The bytes to authenticate; may be empty.
    pub message: &'a [u8],
}

/// The reason why a tag could not be computed or verified. A wrong tag is not an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The requested backend is not offered or not available.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// AES has no keys of this length.
    #[error("a key of {got} bytes: AES takes 16, 24 or 32")]
    KeyLength {
        /// Bytes of the key.
        got: usize,
    },
    /// The nonce is too short or too long.
    #[error("nonce has {got} bytes, expected {least} to {most}")]
    NonceLength {
        /// Bytes of the nonce.
        got: usize,
        /// Minimum number of bytes.
        least: u64,
        /// Maximum number of bytes.
        most: u64,
    },
    /// The first bit of a nonce of 16 bytes is set, but VMAC's nonces have less than 128 bits.
    #[error("nonce of 16 bytes begins with a 1 bit, expected a number below 2^127")]
    NonceTopBit,
    /// The message is longer than the standard allows.
    #[error("message has more than {most} bytes")]
    MessageLength {
        /// Maximum number of bytes.
        most: u64,
    },
    /// The tag to compare with has a wrong length.
    #[error("tag has {got} bytes, expected {expected}")]
    TagLength {
        /// Bytes of a tag.
        expected: usize,
        /// Bytes of the given tag.
        got: usize,
    },
    /// One of many messages has an error; no tag was computed.
    #[error("message {index}: {why}")]
    Item {
        /// The index of the message.
        index: usize,
        /// Error of the message.
        #[source]
        why: Box<Error>,
    },
}
