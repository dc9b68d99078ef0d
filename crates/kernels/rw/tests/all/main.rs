//! Keys and signatures of Rabin-Williams, against an independent program.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod keys;
mod sign;
