//! The kernels for 64-bit ARM.

pub(crate) mod neon;
