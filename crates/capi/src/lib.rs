//! `libparcrypt`: the C API of the kernels; the caller chooses runtime, threads and backends.
//!
//! Each function is documented in `include/parcrypt.h`; `tests/header.rs` compares the header with these sources. A new
//! function is declared in the header, defined in the module of its kernel by `exported!`, and gets the values of its
//! pointers from `memory`.
//!
//! No argument ends the caller's process: [`status::call`] turns panics into a status, pointers are checked before they
//! are dereferenced, and lists whose length the caller chooses are allocated by `memory::list`.
#![allow(unsafe_code, reason = "the C ABI")]

/// Exports functions of the header that return a status. The body gets the caller's promise about the pointers, and may
/// return early by `?`; a panic becomes a status.
macro_rules! exported {
    ($(extern "C" fn $name:ident($($argument:ident: $of:ty),* $(,)?) -> Status = |$caller:ident| $body:block)*) => {$(
        /// See the header.
        ///
        /// # Safety
        /// Each pointer is null or points to what the header requires.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $of),*) -> $crate::status::Status {
            // SAFETY: the pointers are what the header says, by the promise above.
            let $caller = unsafe { $crate::memory::Caller::new() };
            $crate::status::call(|| $body)
        }
    )*};
}

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
