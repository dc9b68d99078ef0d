//! Backends for x86-64.

/// Implements operations on vectors by instructions.
macro_rules! instructions {
    ($($name:ident($a:ident $(, $operand:ident)*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $operand: Self)*) -> Self {
            let ($a, $($operand),*) = (self.0, $($operand.0),*);
            // SAFETY: see `Vector`.
            Vector(unsafe { $result })
        }
    )*};
}

/// Implements methods of a backend by functions, compiled for its instruction set.
macro_rules! methods {
    ($features:literal; $($name:ident($($argument:ident: $T:ty),*) $(-> $Out:ty)? = $function:expr;)*) => {$(
        fn $name(&self, $($argument: $T),*) $(-> $Out)? {
            #[target_feature(enable = $features)]
            fn enabled($($argument: $T),*) $(-> $Out)? {
                $function($($argument),*)
            }
            // SAFETY: the function that made the backend requires that the machine has the features.
            unsafe { enabled($($argument),*) }
        }
    )*};
}

/// Implements [`FrLanes`](crate::lanes::FrLanes) for a backend.
macro_rules! fr_lanes {
    ($Backend:ty, $features:literal, $V:ty) => {
        impl $crate::lanes::FrLanes for $Backend {
            fn lanes(&self) -> usize {
                <$V as $crate::lanes::element::Limbs>::LANES
            }

            fn words(&self, element: Fr) -> [u64; 4] {
                $crate::lanes::element::montgomery_words::<$V>(element)
            }

            methods! { $features;
                decode(factor: Fr, encodings: &[[u8; 32]], out: &mut [Fr]) -> bool =
                    $crate::lanes::encoding::decode::<$V>;
                encode(factor: Fr, elements: &[Fr], out: &mut [[u8; 32]]) =
                    $crate::lanes::encoding::encode::<$V>;
                scale(factors: &[Fr], rows: &mut [Fr]) = $crate::lanes::encoding::scale::<$V>;
                fold(table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool =
                    $crate::lanes::fold::fold::<$V>;
                divide(roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool =
                    $crate::lanes::divide::divide::<$V>;
                forward(roots: &Roots, block: usize, levels: u32, data: &mut [Fr]) =
                    $crate::lanes::transform::forward::<$V>;
                inverse(inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]) =
                    $crate::lanes::transform::inverse::<$V>;
            }
        }
    };
}

/// Implements [`PointLanes`](crate::lanes::additions::PointLanes) for a backend.
macro_rules! point_lanes {
    ($Backend:ty, $features:literal, $W:ty) => {
        impl $crate::lanes::additions::PointLanes for $Backend {
            fn lanes(&self) -> usize {
                <$W as $crate::lanes::Words>::LANES
            }

            methods! { $features;
                add_multiples(tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) =
                    $crate::lanes::additions::add_multiples::<$W>;
                accumulate(points: &mut [Point], sums: &[Accumulate]) =
                    $crate::lanes::additions::accumulate::<$W>;
            }
        }
    };
}

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod avx_ifma;
pub(crate) mod ifma;
