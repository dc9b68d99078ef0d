//! The functions of the backends.

pub(crate) mod generic;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
