//! The x86-64 kernels.

pub(crate) mod ifma;
pub(crate) mod pclmul;
pub(crate) mod vpclmul;
