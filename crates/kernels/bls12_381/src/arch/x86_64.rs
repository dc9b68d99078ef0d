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

/// Implements a trait for a backend by functions that are compiled for its instruction set, which is `Here` in them.
macro_rules! methods {
    (
        $Trait:path, $Backend:ty, $features:tt;
        $($name:ident($($argument:ident: $T:ty),*) $(-> $Out:ty)? = $function:expr;)*
    ) => {
        const _: () = {
            impl $Trait for $Backend {$(
                fn $name(&self, $($argument: $T),*) $(-> $Out)? {
                    #[target_feature(enable = $features)]
                    fn enabled($($argument: $T),*) $(-> $Out)? {
                        here!($features);
                        $function($($argument),*)
                    }
                    // SAFETY: the function that made the backend requires that the machine has the features.
                    unsafe { enabled($($argument),*) }
                }
            )*}
        };
    };
}

/// Implements [`FrLanes`](crate::lanes::FrLanes) for a backend.
macro_rules! fr_lanes {
    ($Backend:ty, $features:tt, $V:ty) => {
        methods! { $crate::lanes::FrLanes, $Backend, $features;
            lanes() -> usize = || <$V as $crate::lanes::fr::Limbs>::LANES;
            words(element: $crate::Fr) -> [u64; 4] = $crate::lanes::fr::montgomery_words::<$V>;
            decode(factor: $crate::Fr, encodings: &[[u8; 32]], out: &mut [$crate::Fr]) -> bool =
                $crate::lanes::encoding::decode::<$V>;
            encode(factor: $crate::Fr, elements: &[$crate::Fr], out: &mut [[u8; 32]]) = $crate::lanes::encoding::encode::<$V>;
            scale(factors: &[$crate::Fr], rows: &mut [$crate::Fr]) = $crate::lanes::encoding::scale::<$V>;
            fold(table: &[u64], z: $crate::Fr, encodings: &[u8], out: &mut [$crate::Fr]) -> bool =
                $crate::lanes::evaluation::fold::<$V>;
            divide(roots: &[$crate::Fr], z: $crate::Fr, y: $crate::Fr, values: &mut [$crate::Fr]) -> bool =
                $crate::lanes::quotient::divide::<$V>;
            forward(roots: &$crate::lanes::transform::Roots, block: usize, levels: u32, data: &mut [$crate::Fr]) =
                $crate::lanes::transform::forward::<$V>;
            inverse(inverses: &$crate::lanes::transform::Roots, block: usize, levels: u32, data: &mut [$crate::Fr]) =
                $crate::lanes::transform::inverse::<$V>;
        }
    };
}

/// Implements [`PointLanes`](crate::lanes::batch_affine::PointLanes) for a backend.
macro_rules! point_lanes {
    ($Backend:ty, $features:tt) => {
        methods! { $crate::lanes::batch_affine::PointLanes, $Backend, $features;
            lanes() -> usize = || <Vector<Here> as $crate::lanes::Words>::LANES;
            add_multiples(tables: &[$crate::curve::endomorphism::GlvTable], sums: &[$crate::curve::batch_affine::Sum], out: &mut [$crate::curve::point::Point]) =
                $crate::lanes::batch_affine::add_multiples::<Vector<Here>>;
            accumulate(points: &mut [$crate::curve::point::Point], sums: &[$crate::curve::batch_affine::Accumulate]) =
                $crate::lanes::batch_affine::accumulate::<Vector<Here>>;
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
