//! The calls of the targets, and the comparisons.

pub mod arithmetic;
pub mod kzg;
pub mod setup;
