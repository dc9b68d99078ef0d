//! The command `parlab` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod bad_machine;
mod bench;
mod compare;
mod hostile;
mod kits;
mod layouts;
mod parlab;
mod plans;
mod process;
mod suite;
mod suite_commands;
