//! The x86-64 backends.

pub(crate) mod ifma;
