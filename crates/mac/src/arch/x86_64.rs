//! The x86-64 kernels.

pub(crate) mod pclmul;
pub(crate) mod vpclmul;
