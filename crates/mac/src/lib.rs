//! GMAC and VMAC: polynomial hashes under a key, by vectors, and for long messages over the threads of any runtime.
//!
//! It must not know how threads are made, or what its messages are. Add an instruction set as a file in `arch` and a row
//! in `dispatch`; another polynomial MAC as an implementation of `mac::Mac`.
//!
//! ```
//! use parcrypt_cpu::Request;
//! use parcrypt_mac::Gmac;
//! use parcrypt_runtime::Serial;
//!
//! let gmac = Gmac::new(Request::Auto, &[7; 16])?;
//! let tag = gmac.tag(&Serial, b"unique nonce", b"message")?;
//! assert!(gmac.verify(&Serial, b"unique nonce", b"message", &tag)?);
//! assert!(!gmac.verify(&Serial, b"unique nonce", b"massage", &tag)?);
//! # Ok::<(), parcrypt_mac::Error>(())
//! ```
//!
//! `docs/explanation/mac.md` describes how it works, what limits its speed and what was tried.

mod arch;
mod block_cipher;
mod dispatch;
mod gmac;
mod mac;
mod scalar;
mod vmac;

pub use gmac::{Gmac, GmacStream};
pub use vmac::{Vmac, Vmac64, Vmac128, VmacStream};

/// A message and its nonce, for the functions that take many.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// A value that was never used before under this key.
    pub nonce: &'a [u8],
    /// The bytes to be authenticated; none are as good as any.
    pub message: &'a [u8],
}

/// Why there is no tag, and no answer whether one is right. A tag that is wrong is no error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend that was asked for cannot be had.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// AES has no keys of this length.
    #[error("a key of {got} bytes: AES takes 16, 24 or 32")]
    KeyLength {
        /// Bytes of the key.
        got: usize,
    },
    /// The nonce is too short or too long.
    #[error("a nonce of {got} bytes: {least} to {most} are possible")]
    NonceLength {
        /// Bytes of the nonce.
        got: usize,
        /// The least that there can be.
        least: u64,
        /// The most that there can be.
        most: u64,
    },
    /// The first bit of a nonce of 16 bytes is set, but VMAC's nonces have less than 128 bits.
    #[error("the first bit of a nonce of 16 bytes is 1: VMAC takes numbers below 2^127")]
    NonceTopBit,
    /// The message is longer than the standard allows.
    #[error("a message of more than {most} bytes")]
    MessageLength {
        /// The most bytes that there can be.
        most: u64,
    },
    /// The tag to compare with has another length than this MAC's.
    #[error("a tag of {got} bytes: this MAC's have {expected}")]
    TagLength {
        /// Bytes of a tag.
        expected: usize,
        /// Bytes of the tag that was given.
        got: usize,
    },
    /// One of many messages cannot be authenticated; no tag was computed.
    #[error("message {index}: {why}")]
    Item {
        /// Which it is, counted from 0.
        index: usize,
        /// What is wrong with it.
        #[source]
        why: Box<Error>,
    },
}
