//! Vectors of the instruction sets, an element in each lane: the traits of their operations, and models in plain Rust.
//!
//! ```
//! use parcrypt_simd::Words32;
//! assert_eq!([1, 2, 3, u32::MAX].plus(<[u32; 4]>::all(1)), [2, 3, 4, 0]); // the model in plain Rust
//! ```
//!
//! It knows lanes and no arithmetic of a kernel. The type of a vector has a parameter, `Here`, that can be named only
//! in functions that are compiled for its instruction set ([`parcrypt_cpu::Has`]). Add an operation to a trait, to its
//! model and its test in [`words`], and then to each file of an instruction set.
//!
//! Functions over vectors are `#[inline(always)]`, so that they become part of the function that is compiled for the
//! instruction set. Closures that `map` and `from_fn` of arrays call are not always inlined: write loops.

#[cfg(feature = "models")]
pub mod intervals;
mod prefetch;
#[cfg(target_feature = "simd128")]
mod wasm32;
pub mod words;
pub mod words32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use prefetch::prefetch;
#[cfg(target_feature = "simd128")]
pub use wasm32::{U64x2, U64x4};
pub use words::{Call, LaneMask, MAX_LANES, Mask, Words, Words52};
pub use words32::Words32;
#[cfg(all(target_arch = "x86_64", feature = "models"))]
pub use x86_64::avx2::OtherEncoding;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{
    avx2::U64x4,
    avx512::U64x8,
    words32::{U32x4, U32x4Avx512, U32x8, U32x16},
};
