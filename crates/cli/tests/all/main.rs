//! The command `parcrypt` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod audit;
mod bench;
mod candidate;
mod check_candidate;
mod commands;
mod compare;
mod hostile;
mod kits;
mod kzg;
mod process;
mod scrypt;
mod tune;
