//! Functions of the backends: `generic` runs on every processor, the others have a file for each instruction set.

#[cfg(all(feature = "compute", any(target_arch = "x86_64", target_feature = "simd128")))]
#[macro_use]
mod macros;

pub(crate) mod generic;
#[cfg(all(feature = "compute", target_feature = "simd128"))]
pub(crate) mod wasm32;
#[cfg(all(feature = "compute", target_arch = "x86_64"))]
pub(crate) mod x86_64;
