//! `libparcrypt`: the C API of the kernels; the caller chooses runtime, threads and backends.
//!
//! Each function is documented in `include/parcrypt.h`; `tests/header.rs` compares the header with these sources. A new
//! function is declared in the header, defined in the module of its kernel by `exported!`, and gets the values of its
//! pointers from `memory`.
//!
//! No argument ends the caller's process: [`status::Answer`] turns panics into a status, pointers are checked before
//! they are dereferenced, and lists whose length the caller chooses are allocated by `memory::list`.
#![allow(unsafe_code, reason = "the C ABI")]

/// Exports functions of the header. Their bodies get the caller's promise about the pointers, and return a
/// [`status::Answer`], from which C gets its result, also after a panic.
macro_rules! exported {
    (|$caller:ident| {
        $(fn $name:ident($($argument:ident: $of:ty),* $(,)?) -> $answer:ty $body:block)*
    }) => {$(
        /// See the header.
        ///
        /// # Safety
        /// Each pointer is null or points to what the header requires.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $of),*) -> <$answer as $crate::status::Answer>::InC {
            // SAFETY: the pointers are what the header says, by the promise above.
            let $caller = &unsafe { $crate::memory::Caller::new() };
            <$answer as $crate::status::Answer>::of(|| $body)
        }
    )*};
}

pub mod cells;
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
pub mod verifier;
