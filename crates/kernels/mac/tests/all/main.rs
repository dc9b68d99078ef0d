//! GMAC and VMAC on every backend and runtime, against vectors and other implementations.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod conformance;
mod corpora;
mod cryptopp;
mod vectors;
