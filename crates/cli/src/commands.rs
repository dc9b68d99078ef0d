//! The commands, a module each: its arguments and what it does with them.

pub(crate) mod bench;
pub(crate) mod candidate;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod scaling;
pub(crate) mod verify;
