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
            forward(roots: &$crate::fr_lanes::Roots, block: usize, levels: u32, data: &mut [$crate::Fr]) =
                $crate::lanes::transform::forward::<$V>;
            inverse(inverses: &$crate::fr_lanes::Roots, block: usize, levels: u32, data: &mut [$crate::Fr]) =
                $crate::lanes::transform::inverse::<$V>;
        }
    };
}

/// Implements the functions over G1 for a backend, over these limbs.
macro_rules! g1_lanes {
    ($Set:ident, $F:ty) => {
        const _: () = {
            use $crate::curve::batch_affine::{BatchAffine, Items};
            use $crate::curve::endomorphism::GlvTable;
            use $crate::curve::point::Point;
            use $crate::curve::validation::PointValidation;
            use $crate::lanes::g1::{batch, decompress, lists, membership};
            use $crate::{Error, G1Affine};

            parcrypt_cpu::methods! { $Set: BatchAffine;
                import(points: &[G1Affine], out: &mut [Point]) = batch::import::<$F>;
                export(points: &[Point], out: &mut [G1Affine]) = batch::export::<$F>;
                glv_tables(points: &[Point], out: &mut [GlvTable]) = batch::glv_tables::<$F>;
                sum_lists(items: Items<'_>, lengths: &[u32], out: &mut [Point]) = lists::sum_lists::<$F>;
                double(points: &mut [Point], times: usize) = batch::double::<$F>;
            }

            parcrypt_cpu::methods! { $Set: PointValidation;
                decompress(compressed: &[&[u8; 48]], members: bool, out: &mut [Result<G1Affine, Error>]) =
                    decompress::decompress::<$F>;
                are_in_subgroup(points: &[G1Affine]) -> bool = membership::are_in_subgroup::<$F>;
            }
        };
    };
}

/// Implements multiplication in windows for a backend, over limbs in whose form points are in memory.
#[cfg(target_arch = "x86_64")]
macro_rules! windows_lanes {
    ($Set:ident, $F:ty) => {
        const _: () = {
            use $crate::G1;
            use $crate::curve::eisenstein::{Digit, Digits, Eisenstein};
            use $crate::curve::endomorphism::{GlvTable, Operand};
            use $crate::curve::windows::WindowedMultiplication;
            use $crate::lanes::g1::horner;

            parcrypt_cpu::methods! { $Set: WindowedMultiplication;
                write_digits(digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]) =
                    |digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]| digits.write::<16>(integers, out);
                horner(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) = horner::horner::<$F>;
            }
        };
    };
}

/// Implements the functions of pairings for a backend, over these limbs, with eight lanes in N vectors. The hard part
/// of the final exponentiation is `in_lanes`, or has `compressed` squarings in lanes and the rest by blst.
macro_rules! pairing_lanes {
    ($Set:ident, $F:ty, $N:literal, $hard_part:ident) => {
        parcrypt_cpu::methods! { $Set: $crate::lanes::pairing::PairingLanes;
            miller_loops(pairs: &[$crate::curve::miller_loop::Pair]) -> blst::blst_fp12 =
                $crate::lanes::pairing::miller_loops::<$F, $N>;
            hard_part(g: &blst::blst_fp12) -> blst::blst_fp12 = pairing_lanes!($hard_part $F, $N);
        }
    };
    (in_lanes $F:ty, $N:literal) => {
        $crate::lanes::pairing::hard_part_in_lanes::<$F, $N>
    };
    (compressed $F:ty, $N:literal) => {
        |g: &_| {
            $crate::curve::final_exponentiation::hard_part_compressed(g, &|element, squarings| {
                $crate::lanes::pairing::squares::<$F, $N>(element, squarings)
            })
        }
    };
}
