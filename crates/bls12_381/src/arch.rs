//! One file for each instruction set, and `generic`, which runs on every processor.

pub(crate) mod generic;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
