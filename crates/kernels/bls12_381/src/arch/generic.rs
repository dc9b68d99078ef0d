//! Backends that run on every processor.

pub(crate) mod blst;
