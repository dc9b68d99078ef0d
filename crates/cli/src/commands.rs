//! The commands, a module each: the arguments and the function that runs it.

pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod candidate;
pub(crate) mod check_candidate;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod scaling;
pub(crate) mod template;
pub(crate) mod verify;
