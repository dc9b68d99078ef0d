//! The command `parcrypt` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod bad_machine;
mod bench;
mod candidate;
mod commands;
mod kzg;
mod process;
mod scrypt;
