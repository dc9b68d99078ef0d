//! SHA-256 for x86-64.

#[cfg(feature = "many")]
pub(crate) mod avx512;
pub(crate) mod sha_ni;
