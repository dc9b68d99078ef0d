//! A type for each instruction set: its values prove that this machine has it.
#![allow(unsafe_code, reason = "the proof is what makes calls of functions for an instruction set sound")]

use std::fmt::Debug;

use crate::Backend;

/// Declares the instruction sets.
macro_rules! sets {
    ($($Set:ident)*) => {$(
        #[doc = concat!("The proof that this machine has what [`Backend::", stringify!($Set), "`] needs.")]
        ///
        /// Only this crate makes one:
        /// ```compile_fail,E0423
        #[doc = concat!("let set = parcrypt_cpu::", stringify!($Set), "(());")]
        /// ```
        #[derive(Clone, Copy, Debug)]
        pub struct $Set(());

        impl $Set {
            #[doc = concat!("Returns the proof if [`Backend::", stringify!($Set), "`] is available.")]
            pub fn detect() -> Option<Self> {
                Backend::$Set.is_available().then_some($Set(()))
            }

            /// Returns the proof without detection, for tables of rows.
            ///
            /// # Safety
            #[doc = concat!("It is used only where [`Backend::", stringify!($Set), "`] is available.")]
            pub const unsafe fn assume() -> Self {
                $Set(())
            }
        }
    )*};
}

sets! { Avx2 AvxIfma Avx512 Ifma Pclmul Vpclmul256 Vpclmul ShaNi Neon Pmull PmullEor3 Rvv Simd128 }

/// A type that can be named only in functions that are compiled for an instruction set: `Here` of
/// [`methods!`](crate::methods).
///
/// It is the parameter of vectors, which therefore exist only in such functions, where their operations are inlined:
/// ```compile_fail,E0425
/// fn elsewhere(here: Here) {}
/// ```
///
/// # Safety
/// Only functions that enable the features of the set name the type.
pub unsafe trait Has<Set>: Copy + Debug {}

/// Calls a macro with the condition of an instruction set, its features and the sets that it includes, in braces,
/// before the rest: `features! { [callback] Avx2 rest }`.
#[doc(hidden)]
#[macro_export]
macro_rules! features {
    ([$($callback:tt)*] Avx2 $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2" { Avx2 } } Avx2 $($rest)* }
    };
    ([$($callback:tt)*] AvxIfma $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2,avxifma" { Avx2 AvxIfma } } AvxIfma $($rest)* }
    };
    ([$($callback:tt)*] Avx512 $($rest:tt)*) => {
        $($callback)*! {
            {
                [target_arch = "x86_64"]
                "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq"
                { Avx2 Avx512 }
            }
            Avx512 $($rest)*
        }
    };
    ([$($callback:tt)*] Ifma $($rest:tt)*) => {
        $($callback)*! {
            {
                [target_arch = "x86_64"]
                "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma"
                { Avx2 Avx512 Ifma }
            }
            Ifma $($rest)*
        }
    };
    ([$($callback:tt)*] Pclmul $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "pclmulqdq,ssse3,sse4.1" { Pclmul } } Pclmul $($rest)* }
    };
    ([$($callback:tt)*] Vpclmul256 $($rest:tt)*) => {
        $($callback)*! {
            {
                [target_arch = "x86_64"]
                "avx2,bmi1,bmi2,pclmulqdq,ssse3,sse4.1,vpclmulqdq"
                { Avx2 Pclmul Vpclmul256 }
            }
            Vpclmul256 $($rest)*
        }
    };
    ([$($callback:tt)*] Vpclmul $($rest:tt)*) => {
        $($callback)*! {
            {
                [target_arch = "x86_64"]
                "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,pclmulqdq,ssse3,sse4.1,vpclmulqdq"
                { Avx2 Avx512 Pclmul Vpclmul256 Vpclmul }
            }
            Vpclmul $($rest)*
        }
    };
    ([$($callback:tt)*] ShaNi $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "sha,ssse3,sse4.1" { ShaNi } } ShaNi $($rest)* }
    };
    ([$($callback:tt)*] Neon $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "aarch64"] "neon" { Neon } } Neon $($rest)* }
    };
    ([$($callback:tt)*] Pmull $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "aarch64"] "neon,aes" { Neon Pmull } } Pmull $($rest)* }
    };
    ([$($callback:tt)*] PmullEor3 $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "aarch64"] "neon,aes,sha3" { Neon Pmull PmullEor3 } } PmullEor3 $($rest)* }
    };
    ([$($callback:tt)*] Rvv $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "riscv64"] "" { Rvv } } Rvv $($rest)* }
    };
    ([$($callback:tt)*] Simd128 $($rest:tt)*) => {
        $($callback)*! { { [target_feature = "simd128"] "simd128" { Simd128 } } Simd128 $($rest)* }
    };
}

/// Declares the type `Here` for these sets, in a scope of functions that enable their features.
#[doc(hidden)]
#[macro_export]
macro_rules! here {
    ({ $($Set:ident)* }) => {
        #[allow(dead_code, reason = "some functions need no vector")]
        #[derive(Clone, Copy, Debug)]
        enum Here {}
        // SAFETY: the functions of its scope enable the features, and other code cannot name it.
        $(unsafe impl $crate::Has<$crate::$Set> for Here {})*
    };
}

/// Implements a trait for the type of an instruction set by functions that are compiled for it, in which `Here` is the
/// parameter of its vectors. `Avx2, Type: Trait;` implements it for another type, which can be borrowed as the proof.
///
/// ```ignore
/// parcrypt_cpu::methods! { Avx2: Sums;
///     sum(data: &[u8]) -> u64 = sum::<U64x4<Here>>;
/// }
/// ```
#[macro_export]
macro_rules! methods {
    (
        { [$($on:tt)*] $features:literal $Sets:tt } $Set:ident, $Backend:ty: $Trait:path;
        $($name:ident($($argument:ident: $T:ty),*) $(-> $Out:ty)? = $function:expr;)*
    ) => {
        #[cfg($($on)*)]
        const _: () = {
            impl $Trait for $Backend {$(
                fn $name(&self, $($argument: $T),*) $(-> $Out)? {
                    #[target_feature(enable = $features)]
                    fn enabled($($argument: $T),*) $(-> $Out)? {
                        $crate::here!($Sets);
                        $function($($argument),*)
                    }
                    let _proof: &$crate::$Set = std::borrow::Borrow::borrow(self);
                    // SAFETY: the proof is that the machine has the features.
                    #[allow(unused_unsafe, reason = "vectors of WebAssembly are there or the module is refused")]
                    unsafe { enabled($($argument),*) }
                }
            )*}
        };
    };
    ($Set:ident: $($rest:tt)*) => {
        $crate::features! { [$crate::methods] $Set, $crate::$Set: $($rest)* }
    };
    ($Set:ident, $($rest:tt)*) => {
        $crate::features! { [$crate::methods] $Set, $($rest)* }
    };
}

/// Declares the table of an operation, with a line for each row: the backend, and its functions. A backend of an
/// instruction set has the name of a static with the proof in parentheses, and a row only on its architecture.
///
/// ```
/// use parcrypt_cpu::{Avx2, Request, rows};
///
/// trait Square: Sync {
///     fn square(&self, x: u64) -> u64 {
///         x * x
///     }
/// }
/// struct Portable;
/// impl Square for Portable {}
/// impl Square for Avx2 {}
///
/// rows! {
///     /// The rows in rising order of preference.
///     ROWS: &'static dyn Square;
///     Portable => &Portable;
///     Avx2(AVX2) => &AVX2;
/// }
/// assert_eq!(ROWS.select(Request::Auto)?.square(7), 49);
/// # Ok::<(), parcrypt_cpu::Error>(())
/// ```
#[macro_export]
macro_rules! rows {
    (@ [$($rows:tt)*]) => { [$($rows)*] };
    (@ [$($rows:tt)*] $Backend:ident => $functions:expr; $($rest:tt)*) => {
        $crate::rows!(@ [$($rows)* $crate::Row::new($crate::Backend::$Backend, $functions),] $($rest)*)
    };
    (@ $rows:tt $Backend:ident($SET:ident) => $functions:expr; $($rest:tt)*) => {
        $crate::features! { [$crate::rows] $Backend($SET) => $functions; $rows $($rest)* }
    };
    (
        { [$($on:tt)*] $features:literal $Sets:tt } $Backend:ident($SET:ident) => $functions:expr;
        [$($rows:tt)*] $($rest:tt)*
    ) => {
        $crate::rows!(@ [
            $($rows)*
            #[cfg($($on)*)]
            {
                // SAFETY: only the functions of this row have it, and `Table` returns only rows whose backend this
                // machine can run.
                static $SET: $crate::$Backend = unsafe { $crate::$Backend::assume() };
                $crate::Row::new($crate::Backend::$Backend, $functions)
            },
        ] $($rest)*)
    };
    ($(#[$attribute:meta])* $vis:vis $ROWS:ident: $F:ty; $($rows:tt)*) => {
        $(#[$attribute])*
        $vis static $ROWS: $crate::Table<$F> = $crate::Table::new(&$crate::rows!(@ [] $($rows)*));
    };
}

/// Declares a test that is compiled for an instruction set, in which `Here` is the parameter of its vectors. It needs
/// `parcrypt-testkit`.
#[macro_export]
macro_rules! test_on {
    ({ [$($on:tt)*] $features:literal $Sets:tt } $Set:ident: $(#[$attribute:meta])* fn $name:ident() $body:block) => {
        $(#[$attribute])*
        #[test]
        fn $name() {
            #[target_feature(enable = $features)]
            fn enabled() {
                $crate::here!($Sets);
                $body
            }
            if $crate::$Set::detect().is_none() {
                let name = $crate::Backend::$Set.name();
                return parcrypt_testkit::skip(env!("CARGO_PKG_NAME"), name, "this machine lacks it");
            }
            // SAFETY: the machine has the features, as has just been asked.
            #[allow(unused_unsafe, reason = "vectors of WebAssembly are there or the module is refused")]
            unsafe { enabled() }
        }
    };
    ($Set:ident: $($rest:tt)*) => {
        $crate::features! { [$crate::test_on] $Set: $($rest)* }
    };
}

#[cfg(test)]
mod tests {
    use crate::Backend;
    use crate::backend::features;

    /// What functions for a set may use is what is detected.
    #[test]
    fn sets_enable_the_features_that_are_detected() {
        macro_rules! check {
            ({ [$($on:tt)*] $features:literal $sets:tt } $Set:ident) => {
                let mut enabled: Vec<_> = $features.split(',').collect();
                let mut detected = features(Backend::$Set).to_vec();
                enabled.sort_unstable();
                detected.sort_unstable();
                assert_eq!(enabled, detected);
            };
        }
        features! { [check] Avx2 }
        features! { [check] AvxIfma }
        features! { [check] Avx512 }
        features! { [check] Ifma }
        features! { [check] Pclmul }
        features! { [check] Vpclmul256 }
        features! { [check] Vpclmul }
        features! { [check] ShaNi }
        features! { [check] Neon }
    }
}
