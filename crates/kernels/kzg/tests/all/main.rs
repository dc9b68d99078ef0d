//! KZG for blobs on every backend and runtime: official vectors, other libraries, refusals, tables and setups.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod one_wrong;
mod peers;
mod refusals;
mod same_bytes;
mod setup;
mod subset;
mod tables;
mod vectors;
