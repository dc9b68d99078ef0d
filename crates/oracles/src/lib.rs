//! Oracles for tests of KZG: c-kzg and rust_eth_kzg as a [`Kzg`], and inputs.
//!
//! A [`Call`] is one of the functions with its inputs: an honest one is built from [`SAMPLES`], [`Call::spoiled`]
//! returns it with one input at a time spoiled, and [`random`] one with up to three changes. [`Call::ask`] returns the
//! [`Answer`] of an implementation. It is a dev-dependency only, and it does not test anything itself. A new way to
//! spoil an input is a line in `spoil.rs`.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod call;
mod libraries;
mod random;
mod samples;
pub mod spoil;

pub use call::{Answer, Call, Function, compare, good_calls};
pub use libraries::{CKzg, EthKzg, Libraries, MAINNET, hex, points_of, rows, setup_json, setup_text};
pub use parcrypt_shadow::{Kzg, Parcrypt, eth_kzg_adaptor};
pub use random::{Input, adversarial, below, corrupted, honest, random};
pub use samples::{SAMPLES, Sample, blob_of, bytes_of, called, random_blob, random_fr, samples};
pub use spoil::{INFINITY, Kind, NOT_ON_CURVE, OUTSIDE};

pub use parcrypt_shadow::{Cell, CellsAndProofs, Commitment, FieldBytes, Proof};

/// Returns slices of vectors or arrays.
pub fn slices<T: AsRef<[u8]>>(all: &[T]) -> Vec<&[u8]> {
    all.iter().map(AsRef::as_ref).collect()
}
