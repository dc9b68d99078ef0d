//! Backends for x86-64.

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod avx_ifma;
pub(crate) mod ifma;
