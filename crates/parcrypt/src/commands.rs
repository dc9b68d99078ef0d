//! The commands, a module each: the arguments and the function that runs it. Those of the lab are in the crate
//! `parlab`.

pub(crate) mod bench;
pub(crate) mod candidate;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod tune;
pub(crate) mod verify;
