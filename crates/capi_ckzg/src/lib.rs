//! `libparcrypt_ckzg`: the functions of c-kzg-4844, version 2.1, under their own names, so that a program or a binding
//! that was written for it links unchanged.
//!
//! It computes nothing itself, and runs everything on the caller's thread, as c-kzg does: who wants threads takes
//! `libparcrypt`. What each function does is c-kzg's documentation; `include/ckzg.h` says what is different, which is
//! what happens where c-kzg would crash. `scripts/test-capi` runs the same programs against both.
//!
//! It must never be linked into a program together with the crate `c-kzg`: the linker would keep one definition of each
//! function and say nothing.
#![allow(unsafe_code, reason = "the C ABI")]

pub mod bytes;
pub mod call;
pub mod kzg;
pub mod setup;
pub mod types;
