//! Products of polynomials on every backend and runtime, against vectors and ML-KEM and ML-DSA.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod corpora;
mod fips;
mod ring;
mod tuned;
