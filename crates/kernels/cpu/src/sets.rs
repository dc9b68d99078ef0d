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

sets! { Avx2 AvxIfma Avx512 Ifma Simd128 }

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

/// Calls a macro with the architecture, the features and the sets that an instruction set includes, in braces, before
/// the rest: `features! { [callback] Avx2 rest }`.
#[doc(hidden)]
#[macro_export]
macro_rules! features {
    ([$($callback:tt)*] Avx2 $($rest:tt)*) => {
        $($callback)*! { { "avx2,bmi1,bmi2" { Avx2 } } Avx2 $($rest)* }
    };
    ([$($callback:tt)*] AvxIfma $($rest:tt)*) => {
        $($callback)*! { { "avx2,bmi1,bmi2,avxifma" { Avx2 AvxIfma } } AvxIfma $($rest)* }
    };
    ([$($callback:tt)*] Avx512 $($rest:tt)*) => {
        $($callback)*! { { "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq" { Avx2 Avx512 } } Avx512 $($rest)* }
    };
    ([$($callback:tt)*] Ifma $($rest:tt)*) => {
        $($callback)*! {
            { "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma" { Avx2 Avx512 Ifma } } Ifma $($rest)*
        }
    };
    ([$($callback:tt)*] Simd128 $($rest:tt)*) => {
        $($callback)*! { { "simd128" { Simd128 } } Simd128 $($rest)* }
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
        { $features:literal $Sets:tt } $Set:ident, $Backend:ty: $Trait:path;
        $($name:ident($($argument:ident: $T:ty),*) $(-> $Out:ty)? = $function:expr;)*
    ) => {
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

/// Declares a test that is compiled for an instruction set, in which `Here` is the parameter of its vectors. It needs
/// `parcrypt-testkit`.
#[macro_export]
macro_rules! test_on {
    ({ $features:literal $Sets:tt } $Set:ident: $(#[$attribute:meta])* fn $name:ident() $body:block) => {
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
            ({ $features:literal $sets:tt } $Set:ident) => {
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
    }
}
