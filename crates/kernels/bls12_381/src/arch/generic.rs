//! Backends that run on every processor.

pub(crate) mod blst;
#[cfg(feature = "compute")]
pub(crate) mod portable;
