//! GMAC and VMAC on every backend and runtime, against vectors, also Wycheproof's, and Crypto++.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod conformance;
mod cryptopp;
mod vectors;
mod wycheproof;
