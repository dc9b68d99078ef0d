//! `libparcrypt`: the C API of the kernels; the caller chooses runtime, threads and backends.
//!
//! Each function is documented in `include/parcrypt.h`; `tests/header.rs` compares the header with these sources. A new
//! function is declared in the header, defined in the module of its kernel, and gets the values of its pointers from
//! `memory`.
//!
//! No argument ends the caller's process: [`status::call`] turns panics into a status, pointers are checked before they
//! are dereferenced, and lists whose length the caller chooses are allocated by `memory::list`.
#![allow(unsafe_code, reason = "the C ABI")]

pub mod kzg;
pub mod mac;
mod memory;
pub mod msm;
pub mod ntt;
pub mod runtime;
pub mod rw;
pub mod scrypt;
pub mod settings;
pub mod status;
