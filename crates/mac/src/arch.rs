//! What is written for one instruction set.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
