//! The rows `portable`: the transforms in plain Rust.

pub(crate) mod words16;
pub(crate) mod words32;
