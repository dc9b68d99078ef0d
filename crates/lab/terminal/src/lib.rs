//! Text for users, facts about the build, progress bars, Ctrl-C, errors with their exit codes, manual pages and
//! completions, for the commands
//! `parcrypt` and `parlab`.
//!
//! It depends on `parcrypt-protocol` only, for text that other programs wrote. What only one of the commands needs is
//! in that command.

pub mod build;
pub mod error;
pub mod generate;
pub mod interrupt;
pub mod print;
pub mod progress;
pub mod text;
