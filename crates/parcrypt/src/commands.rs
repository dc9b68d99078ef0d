//! The commands, a module each: the arguments and the function that runs it. Several of them need [`machine`],
//! [`plans`] and [`fork_cost`]. The commands of the lab are in the crate `parlab`.

pub(crate) mod bench;
pub(crate) mod candidate;
pub(crate) mod doctor;
mod fork_cost;
pub(crate) mod list;
mod machine;
mod plans;
pub(crate) mod verify;
