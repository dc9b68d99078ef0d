//! The commands, a module each: the arguments and the function that runs it.

pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod report;
pub(crate) mod run_command;
pub(crate) mod suite;
