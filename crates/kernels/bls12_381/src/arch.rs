//! Functions of the backends: `generic` runs on every processor, the others have a file for each instruction set.

pub(crate) mod generic;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
