//! A type for each instruction set: its values prove that this machine has it.
#![allow(unsafe_code, reason = "the proof is what makes calls of functions for an instruction set sound")]

use std::fmt::Debug;

use crate::Backend;

/// Declares the instruction sets, and what each includes.
macro_rules! sets {
    ($($Set:ident: $($Other:ident)*;)*) => {
        $(
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

            impl Includes<$Set> for $Set {}
            $(impl Includes<$Other> for $Set {})*
        )*

        /// The sets that each set includes.
        #[cfg(test)]
        pub(crate) const INCLUDED: &[(Backend, &[Backend])] = &[$((Backend::$Set, &[$(Backend::$Other),*])),*];
    };
}

/// A set with all features of another. Only this crate implements it for its sets, and a test compares the features.
pub trait Includes<Set> {}

sets! {
    Avx2: ;
    AvxIfma: Avx2;
    Avx512: Avx2;
    Ifma: Avx2 Avx512;
    Pclmul: ;
    Vpclmul256: Avx2 Pclmul;
    Vpclmul: Avx2 Avx512 Pclmul Vpclmul256;
    ShaNi: ;
    Neon: ;
    Pmull: Neon;
    PmullEor3: Neon Pmull;
    Rvv: ;
    Simd128: ;
}

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

/// Calls a macro with the condition of an instruction set and its features, in braces, before the rest: `features! {
/// [callback] Avx2 rest }`. While a crate is compiled, the macros check that the features are those of the set.
#[doc(hidden)]
#[macro_export]
macro_rules! features {
    ([$($callback:tt)*] Avx2 $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2" } Avx2 $($rest)* }
    };
    ([$($callback:tt)*] AvxIfma $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2,avxifma" } AvxIfma $($rest)* }
    };
    ([$($callback:tt)*] Avx512 $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq" } Avx512 $($rest)* }
    };
    ([$($callback:tt)*] Ifma $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma" } Ifma $($rest)* }
    };
    ([$($callback:tt)*] Pclmul $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "pclmulqdq,ssse3,sse4.1" } Pclmul $($rest)* }
    };
    ([$($callback:tt)*] Vpclmul256 $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2,pclmulqdq,ssse3,sse4.1,vpclmulqdq" } Vpclmul256 $($rest)* }
    };
    ([$($callback:tt)*] Vpclmul $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,pclmulqdq,ssse3,sse4.1,vpclmulqdq" } Vpclmul $($rest)* }
    };
    ([$($callback:tt)*] ShaNi $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "x86_64"] "sha,ssse3,sse4.1" } ShaNi $($rest)* }
    };
    ([$($callback:tt)*] Neon $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "aarch64"] "neon" } Neon $($rest)* }
    };
    ([$($callback:tt)*] Pmull $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "aarch64"] "neon,aes" } Pmull $($rest)* }
    };
    ([$($callback:tt)*] PmullEor3 $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "aarch64"] "neon,aes,sha3" } PmullEor3 $($rest)* }
    };
    ([$($callback:tt)*] Rvv $($rest:tt)*) => {
        $($callback)*! { { [target_arch = "riscv64"] "" } Rvv $($rest)* }
    };
    ([$($callback:tt)*] Simd128 $($rest:tt)*) => {
        $($callback)*! { { [target_feature = "simd128"] "simd128" } Simd128 $($rest)* }
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
        { [$($on:tt)*] $features:literal } $Set:ident, $Backend:ty: $Trait:path;
        $($name:ident($($argument:ident: $T:ty),*) $(-> $Out:ty)? = $function:expr;)*
    ) => {
        #[cfg($($on)*)]
        const _: () = {
            impl $Trait for $Backend {$(
                fn $name(&self, $($argument: $T),*) $(-> $Out)? {
                    #[target_feature(enable = $features)]
                    fn enabled($($argument: $T),*) $(-> $Out)? {
                        #[allow(dead_code, reason = "some functions need no vector")]
                        #[derive(Clone, Copy, Debug)]
                        enum Here {}
                        const { assert!($crate::are_features($features, $crate::Backend::$Set)) }
                        // SAFETY: this function enables the features of the set, and other code cannot name the type.
                        unsafe impl<S> $crate::Has<S> for Here where $crate::$Set: $crate::Includes<S> {}
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

/// Declares a test that is compiled for an instruction set, in which `Here` is the parameter of its vectors. It needs
/// `parcrypt-testkit`.
#[macro_export]
macro_rules! test_on {
    ({ [$($on:tt)*] $features:literal } $Set:ident: $(#[$attribute:meta])* fn $name:ident() $body:block) => {
        $(#[$attribute])*
        #[test]
        fn $name() {
            #[target_feature(enable = $features)]
            fn enabled() {
                #[allow(dead_code, reason = "some functions need no vector")]
                #[derive(Clone, Copy, Debug)]
                enum Here {}
                const { assert!($crate::are_features($features, $crate::Backend::$Set)) }
                // SAFETY: this function enables the features of the set, and other code cannot name the type.
                unsafe impl<S> $crate::Has<S> for Here where $crate::$Set: $crate::Includes<S> {}
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
