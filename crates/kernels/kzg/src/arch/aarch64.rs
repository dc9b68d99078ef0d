//! SHA-256 for 64-bit ARM.

pub(crate) mod arm_sha;
