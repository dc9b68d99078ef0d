//! `libparcrypt_ckzg`: the functions of c-kzg-4844, version 2.1, under their own names, so that a program or a binding
//! that was written for it links unchanged.
//!
//! It runs everything on the caller's thread, as c-kzg does, and uses the best backends of this machine, unless
//! `PARCRYPT_BACKEND` names others; `libparcrypt` has threads. c-kzg documents the functions; `include/ckzg.h` lists
//! the differences, which are mostly errors when c-kzg would crash. `scripts/test-capi` runs the same programs against
//! both.
//!
//! It must never be linked into a program together with the crate `c-kzg`: the linker would keep one definition of each
//! function without a warning.
#![allow(unsafe_code, reason = "the C ABI")]

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: parcrypt_testkit::Watched = parcrypt_testkit::Watched;

pub mod bytes;
pub mod call;
pub mod kzg;
pub mod setup;
pub mod types;
