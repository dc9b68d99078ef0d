//! The calls of the targets, and the comparisons.

pub mod arithmetic;
pub mod eip4844;
pub mod eip7594;
pub mod setup;
