//! Backends for x86-64.
//!
//! The type of a vector has a parameter that stands for its instruction set, `Here`. `here!` declares it in functions
//! that enable the features, so that other code cannot name it, and cannot make a vector.
#![allow(unsafe_code, reason = "instruction sets, loads and stores")]

use std::fmt::Debug;

/// Stands for AVX2.
///
/// # Safety
/// Only functions that enable the features name the type.
unsafe trait HasAvx2: Copy + Debug {}

/// Stands for AVX2 and AVX-IFMA.
///
/// # Safety
/// As for [`HasAvx2`].
unsafe trait HasAvxIfma: HasAvx2 {}

/// Stands for AVX-512 F, BW, VL and DQ.
///
/// # Safety
/// As for [`HasAvx2`].
unsafe trait HasAvx512: HasAvx2 {}

/// Stands for AVX-512 F, BW, VL, DQ and IFMA.
///
/// # Safety
/// As for [`HasAvx2`].
unsafe trait HasIfma: HasAvx512 {}

/// Declares the type `Here` for these features, in a scope of functions that enable them.
macro_rules! here {
    ("avx2") => {
        here!(impl HasAvx2);
    };
    ("avx2,avxifma") => {
        here!(impl HasAvx2, HasAvxIfma);
    };
    ("avx512f,avx512bw,avx512vl,avx512dq") => {
        here!(impl HasAvx2, HasAvx512);
    };
    ("avx512f,avx512bw,avx512vl,avx512dq,avx512ifma") => {
        here!(impl HasAvx2, HasAvx512, HasIfma);
    };
    (impl $($Has:ident),*) => {
        #[allow(dead_code, reason = "some functions need no vector with a parameter")]
        #[derive(Clone, Copy, Debug)]
        enum Here {}
        // SAFETY: the functions of its scope enable the features, and other code cannot name it.
        $(unsafe impl $crate::arch::x86_64::$Has for Here {})*
    };
}

/// Returns the result of instructions without pointers as a vector.
macro_rules! vector {
    ($instructions:expr) => {
        // SAFETY: the type of the vector can be named only in functions that enable its instruction set.
        Vector(unsafe { $instructions }, PhantomData)
    };
}

/// Implements operations on vectors by instructions.
macro_rules! instructions {
    ($($name:ident($a:ident $(, $operand:ident)*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $operand: Self)*) -> Self {
            let ($a, $($operand),*) = (self.0, $($operand.0),*);
            vector!($result)
        }
    )*};
}

/// Implements functions of a vector with a parameter P by others that are compiled for its instruction set, which need
/// not be inlined.
macro_rules! outlined {
    (
        $Has:ident, $features:tt;
        $($(#[$attribute:meta])* $name:ident($($argument:ident: $T:ty),*) -> $Out:ty = $function:expr;)*
    ) => {$(
        #[inline(always)]
        fn $name($($argument: $T),*) -> $Out {
            $(#[$attribute])*
            #[target_feature(enable = $features)]
            fn enabled<P: $Has>($($argument: $T),*) -> $Out {
                $function($($argument),*)
            }
            // SAFETY: the type of the vector can be named only in functions that enable the features.
            unsafe { enabled::<P>($($argument),*) }
        }
    )*};
}

/// Declares a backend.
macro_rules! backend {
    ($(#[$attribute:meta])* $Backend:ident) => {
        $(#[$attribute])*
        #[derive(Debug)]
        pub(crate) struct $Backend(());

        impl $Backend {
            /// Returns the backend.
            ///
            /// # Safety
            /// The machine must have the backend's features wherever a method is called.
            pub(crate) const unsafe fn new() -> Self {
                $Backend(())
            }
        }
    };
}

/// Declares a test that is compiled for the instruction set of a backend, which is `Here` in it.
#[cfg(test)]
macro_rules! test_on {
    ($Backend:ident, $features:tt; $(#[$attribute:meta])* fn $name:ident() $body:block) => {
        $(#[$attribute])*
        #[test]
        fn $name() {
            #[target_feature(enable = $features)]
            fn enabled() {
                here!($features);
                $body
            }
            let backend = parcrypt_cpu::Backend::$Backend;
            if !backend.is_available() {
                return parcrypt_testkit::skip("parcrypt-bls12-381", backend.name(), "this machine lacks it");
            }
            // SAFETY: the machine has the features, as has just been asked.
            unsafe { enabled() }
        }
    };
}

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod avx_ifma;
pub(crate) mod ifma;
