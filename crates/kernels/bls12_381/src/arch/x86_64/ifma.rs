//! Pairings in eight lanes of AVX-512, with products of 52 bits.

mod constants;
mod fp4;
pub(crate) mod pairing;
