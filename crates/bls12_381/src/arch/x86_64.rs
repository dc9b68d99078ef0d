//! Backends for x86-64.

pub(crate) mod ifma;
