//! Functions of the backends: `generic` runs on every processor, the others have a file for each instruction set.

#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
#[macro_use]
mod macros;

pub(crate) mod generic;
#[cfg(target_feature = "simd128")]
pub(crate) mod wasm32;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
