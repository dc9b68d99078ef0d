//! `libparcrypt`: the kernels behind a C API, with the runtime and the threads in the caller's hand.
//!
//! It computes nothing itself. The contract of each function is its comment in `include/parcrypt.h`; `tests/header.rs`
//! compares both. A new function goes into the header and into the module of its kernel, and takes what its pointers
//! stand for from `memory`.
//!
//! No call ends the caller's process: [`status::call`] turns panics into a status, and no pointer is followed before it
//! was looked at.
#![allow(unsafe_code, reason = "the C ABI")]

pub mod kzg;
mod memory;
pub mod runtime;
pub mod settings;
pub mod status;
