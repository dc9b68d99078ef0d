//! scrypt on every backend and runtime, against vectors and OpenSSL.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod corpora;
mod peers;
mod refusals;
mod vectors;
