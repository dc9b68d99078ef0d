//! Differential fuzzing of every function of `parcrypt-kzg` that takes bytes, and of the arithmetic below them.
//!
//! A target turns the fuzzer's bytes into a call, mostly a valid one with a few things changed
//! ([`parcrypt_oracles::random`]), and compares our result with that of an oracle: c-kzg, rust_eth_kzg, blst, or the
//! definition if these have no such function. It panics if they differ. A new target is a function in [`mod@targets`]
//! and a line in [`TARGETS`]. `fuzz/run` describes how to run them.

pub mod input;
pub mod targets;

#[cfg(test)]
mod replay;

use targets::{arithmetic, kzg, setup};

/// A target by name.
pub struct Target {
    /// The name of the function that it calls.
    pub name: &'static str,
    /// Panics if our result is not the oracle's.
    pub run: fn(&[u8]),
    /// Number of generated inputs of a replay: many for fast calls.
    pub replays: usize,
}

macro_rules! targets {
    ($($module:ident :: $name:ident $replays:literal),* $(,)?) => {
        /// All targets.
        pub const TARGETS: &[Target] =
            &[$(Target { name: stringify!($name), run: $module::$name, replays: $replays }),*];

        $(
            #[cfg(test)]
            #[test]
            fn $name() {
                replay::replay(stringify!($name));
            }
        )*
    };
}
targets! {
    kzg::blob_to_kzg_commitment 20,
    kzg::compute_kzg_proof 12,
    kzg::compute_blob_kzg_proof 12,
    kzg::verify_kzg_proof 300,
    kzg::verify_blob_kzg_proof_batch 100,
    kzg::compute_cells 30,
    kzg::compute_cells_and_kzg_proofs 4,
    kzg::recover_cells_and_kzg_proofs 12,
    kzg::verify_cell_kzg_proof_batch 60,
    setup::setup_text 6,
    setup::setup_json 6,
    setup::setup_compressed 4,
    setup::setup_binary 30,
    arithmetic::sums 60,
    arithmetic::fixed_sums 40,
    arithmetic::recoding 200,
    arithmetic::fft 100,
    arithmetic::fft_points 40,
    arithmetic::decompression 60,
    arithmetic::pairings 100,
}
