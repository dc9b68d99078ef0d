//! scrypt (RFC 7914): lanes over threads and inside vector registers, within a bound on memory.
//!
//! ```
//! use parcrypt_runtime::Serial;
//! use parcrypt_scrypt::{Params, Scrypt};
//!
//! // N = 2^14, r = 8, p = 1: 16 MiB, within a bound of 64 MiB.
//! let params = Params::new(1 << 14, 8, 1)?;
//! let scrypt = Scrypt::new(parcrypt_cpu::Request::Auto, 64 << 20)?;
//! let mut key = [0; 32];
//! scrypt.derive(&Serial, params, b"password", b"16 bytes of salt", &mut key)?;
//! # assert_eq!(key[..4], [0x27, 0x3c, 0x33, 0xe6]);
//! # Ok::<(), parcrypt_scrypt::Error>(())
//! ```
//!
//! It depends on `parcrypt-cpu` and `parcrypt-runtime` only. Add an instruction set as a file in `arch` and a row in
//! `dispatch`; the tests find it there. `docs/explanation/scrypt.md` describes how it works and what limits it.

mod arch;
mod costs;
mod dispatch;
mod error;
mod memory;
mod params;
mod plan;
mod prf;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: parcrypt_testkit::Watched = parcrypt_testkit::Watched;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use error::Error;
pub use params::Params;
pub use plan::{Item, MAX_KEY_LEN, Progress, Requirements, Scrypt};
