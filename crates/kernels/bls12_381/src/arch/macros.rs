//! Backends by functions that are compiled for an instruction set.

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
                    #[allow(unused_unsafe, reason = "vectors of WebAssembly are there or the module is refused")]
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
            combine(length: usize, weights: &[$crate::Fr], rows: &[$crate::Fr], out: &mut [$crate::Fr]) =
                $crate::lanes::combination::combine::<$V>;
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
    ($Backend:ty, $features:tt, $Vector:ty) => {
        methods! { $crate::lanes::batch_affine::PointLanes, $Backend, $features;
            lanes() -> usize = || <$Vector as $crate::lanes::Words>::LANES;
            add_multiples(tables: &[$crate::curve::endomorphism::GlvTable], sums: &[$crate::curve::batch_affine::Sum], out: &mut [$crate::curve::point::Point]) =
                $crate::lanes::batch_affine::add_multiples::<$Vector>;
            accumulate(points: &mut [$crate::curve::point::Point], sums: &[$crate::curve::batch_affine::Accumulate]) =
                $crate::lanes::batch_affine::accumulate::<$Vector>;
        }
    };
}

/// Implements [`PointValidation`](crate::curve::validation::PointValidation) for a backend.
#[cfg(target_feature = "simd128")]
macro_rules! validation_lanes {
    ($Backend:ty, $features:tt, $Vector:ty) => {
        methods! { $crate::curve::validation::PointValidation, $Backend, $features;
            decompress(compressed: &[&[u8; 48]], out: &mut [Result<$crate::G1Affine, $crate::Error>]) =
                $crate::lanes::validation::decompress::<$Vector, true>;
            decompress_on_curve(compressed: &[&[u8; 48]], out: &mut [Result<$crate::G1Affine, $crate::Error>]) =
                $crate::lanes::validation::decompress::<$Vector, false>;
            are_in_subgroup(points: &[$crate::G1Affine]) -> bool = $crate::lanes::validation::are_in_subgroup::<$Vector>;
        }
    };
}
