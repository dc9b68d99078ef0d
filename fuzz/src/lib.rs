//! Differential fuzzing of every function of `parcrypt-kzg` that takes bytes, and of the arithmetic below them.
//!
//! A target turns the fuzzer's bytes into a call, mostly a valid one with a few things changed ([`mod@input`]), and
//! compares our result with that of an oracle: c-kzg-4844, blst, or the definition if these have no such function
//! ([`mod@oracle`]). It panics if they differ. A new target is a function in [`mod@targets`] and a line in [`TARGETS`].
//! `fuzz/run` describes how to run them.

pub mod input;
pub mod oracle;
pub mod targets;

#[cfg(test)]
mod replay;

use targets::{arithmetic, eip4844, eip7594, setup};

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
    eip4844::blob_to_kzg_commitment 20,
    eip4844::compute_kzg_proof 12,
    eip4844::compute_blob_kzg_proof 12,
    eip4844::verify_kzg_proof 300,
    eip4844::verify_kzg_proof_batch 60,
    eip4844::verify_blob_kzg_proof 100,
    eip4844::verify_blob_kzg_proof_batch 40,
    eip4844::compute_challenge 100,
    eip7594::compute_cells 30,
    eip7594::compute_cells_and_kzg_proofs 4,
    eip7594::recover_cells 20,
    eip7594::recover_cells_and_kzg_proofs 6,
    eip7594::verify_cell_kzg_proof_batch 60,
    eip7594::compute_verify_cell_kzg_proof_batch_challenge 60,
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
