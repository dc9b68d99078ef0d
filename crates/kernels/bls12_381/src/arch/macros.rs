//! Backends by functions that are compiled for an instruction set: the type of the set is the backend.

/// Implements [`FrLanes`](crate::lanes::FrLanes) for a backend.
macro_rules! fr_lanes {
    ($Set:ident, $V:ty) => {
        fr_lanes!($Set, parcrypt_cpu::$Set, $V);
    };
    ($Set:ident, $Backend:ty, $V:ty) => {
        parcrypt_cpu::methods! { $Set, $Backend: $crate::lanes::FrLanes;
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
    ($Set:ident, $Vector:ty) => {
        parcrypt_cpu::methods! { $Set: $crate::lanes::batch_affine::PointLanes;
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
    ($Set:ident, $Vector:ty) => {
        parcrypt_cpu::methods! { $Set: $crate::curve::validation::PointValidation;
            decompress(compressed: &[&[u8; 48]], out: &mut [Result<$crate::G1Affine, $crate::Error>]) =
                $crate::lanes::validation::decompress::<$Vector, true>;
            decompress_on_curve(compressed: &[&[u8; 48]], out: &mut [Result<$crate::G1Affine, $crate::Error>]) =
                $crate::lanes::validation::decompress::<$Vector, false>;
            are_in_subgroup(points: &[$crate::G1Affine]) -> bool = $crate::lanes::validation::are_in_subgroup::<$Vector>;
        }
    };
}
