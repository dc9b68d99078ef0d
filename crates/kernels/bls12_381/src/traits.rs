//! The traits of `ff` and `group` for [`Fr`], [`G1`] and [`G2`], by the feature `group`.
//!
//! What these traits promise about time holds for the values of elements and points: arithmetic, `ct_eq`,
//! `conditional_select`, `invert`, `sqrt`, `from_repr`, `to_repr` and the product of a point with a scalar are made of
//! operations of blst and `subtle` that take constant time. It does not hold for `==` of elements, for names that end
//! in `_vartime`, for [`Curve`] and for [`GroupEncoding`]: affine forms and encodings of points are taken for public.

use std::array::from_fn;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Sub, SubAssign};

use blst::blst_fr;
use group::ff::helpers::{sqrt_ratio_generic, sqrt_tonelli_shanks};
use group::ff::{Field, PrimeField};
use group::prime::PrimeGroup;
use group::{Curve, Group, GroupEncoding};
use rand_core_06::RngCore;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

use crate::constants::{R, SCALAR_BITS};
use crate::field::fr::R_SQUARED;
use crate::{Fr, G1, G1Affine, G2, G2Affine, ffi};

/// Implements operators with a value on the right by the one that returns its result.
macro_rules! assignments {
    ($($Left:ident $Op:ident $op:ident $OpAssign:ident $op_assign:ident $Right:ident;)*) => { $(
        impl $OpAssign<$Right> for $Left {
            fn $op_assign(&mut self, other: $Right) {
                *self = $Op::$op(*self, other);
            }
        }
    )* };
}

/// Implements operators with a reference on the right by those with a value.
macro_rules! references {
    ($($Left:ident $Op:ident $op:ident $OpAssign:ident $op_assign:ident $Right:ident;)*) => { $(
        impl $Op<&$Right> for $Left {
            type Output = $Left;
            fn $op(self, other: &$Right) -> $Left {
                $Op::$op(self, *other)
            }
        }
        impl $OpAssign<&$Right> for $Left {
            fn $op_assign(&mut self, other: &$Right) {
                *self = $Op::$op(*self, *other);
            }
        }
    )* };
}

/// Implements sums or products of values and of references.
macro_rules! folds {
    ($($Type:ident $Fold:ident $fold:ident $first:expr, $op:expr;)*) => { $(
        impl $Fold for $Type {
            fn $fold<I: Iterator<Item = $Type>>(all: I) -> $Type {
                all.fold($first, $op)
            }
        }
        impl<'a> $Fold<&'a $Type> for $Type {
            fn $fold<I: Iterator<Item = &'a $Type>>(all: I) -> $Type {
                all.copied().fold($first, $op)
            }
        }
    )* };
}

assignments! {
    G1 Add add AddAssign add_assign G1Affine;
    G1 Sub sub SubAssign sub_assign G1Affine;
    G2 Sub sub SubAssign sub_assign G2;
    G2 Add add AddAssign add_assign G2Affine;
    G2 Sub sub SubAssign sub_assign G2Affine;
    G2 Mul mul MulAssign mul_assign Fr;
}
references! {
    Fr Add add AddAssign add_assign Fr;
    Fr Sub sub SubAssign sub_assign Fr;
    Fr Mul mul MulAssign mul_assign Fr;
    G1 Add add AddAssign add_assign G1;
    G1 Sub sub SubAssign sub_assign G1;
    G1 Add add AddAssign add_assign G1Affine;
    G1 Sub sub SubAssign sub_assign G1Affine;
    G1 Mul mul MulAssign mul_assign Fr;
    G2 Add add AddAssign add_assign G2;
    G2 Sub sub SubAssign sub_assign G2;
    G2 Add add AddAssign add_assign G2Affine;
    G2 Sub sub SubAssign sub_assign G2Affine;
    G2 Mul mul MulAssign mul_assign Fr;
}
folds! {
    Fr Sum sum Fr::ZERO, Add::add;
    Fr Product product Fr::ONE, Mul::mul;
    G1 Sum sum G1::identity(), Add::add;
    G2 Sum sum G2::identity(), Add::add;
}

impl Sub<G1Affine> for G1 {
    type Output = G1;
    fn sub(self, other: G1Affine) -> G1 {
        self + -other
    }
}

impl Add<G2Affine> for G2 {
    type Output = G2;
    fn add(self, other: G2Affine) -> G2 {
        self + G2::from(other)
    }
}

impl Sub<G2Affine> for G2 {
    type Output = G2;
    fn sub(self, other: G2Affine) -> G2 {
        self - G2::from(other)
    }
}

impl ConditionallySelectable for Fr {
    fn conditional_select(a: &Fr, b: &Fr, choice: Choice) -> Fr {
        let (a, b) = (a.words(), b.words());
        Fr(blst_fr { l: from_fn(|i| u64::conditional_select(&a[i], &b[i], choice)) })
    }
}

impl ConstantTimeEq for Fr {
    fn ct_eq(&self, other: &Fr) -> Choice {
        self.words()[..].ct_eq(other.words())
    }
}

/// Returns the element with these words of the Montgomery form, least significant first.
const fn from_montgomery(words: [u64; 4]) -> Fr {
    Fr(blst_fr { l: words })
}

impl Field for Fr {
    const ZERO: Fr = from_montgomery([0; 4]);
    const ONE: Fr = from_montgomery([
        0x0000_0001_ffff_fffe,
        0x5884_b7fa_0003_4802,
        0x998c_4fef_ecbc_4ff5,
        0x1824_b159_acc5_056f,
    ]);

    /// Returns 512 random bits modulo r.
    fn random(mut rng: impl RngCore) -> Fr {
        let mut bytes = [0; 64];
        rng.fill_bytes(&mut bytes);
        Fr::from_bytes_reduced(&bytes)
    }

    fn square(&self) -> Fr {
        *self * *self
    }

    fn double(&self) -> Fr {
        *self + *self
    }

    fn invert(&self) -> CtOption<Fr> {
        // `Fr::inverse` compares with 0, which takes a time that depends on the value.
        let (is_zero, mut inverse) = (self.is_zero(), Fr::ZERO);
        ffi::fr_inverse(&mut inverse.0, &Fr::conditional_select(self, &Fr::ONE, is_zero).0);
        CtOption::new(inverse, !is_zero)
    }

    fn sqrt_ratio(num: &Fr, div: &Fr) -> (Choice, Fr) {
        sqrt_ratio_generic(num, div)
    }

    fn sqrt(&self) -> CtOption<Fr> {
        /// (t − 1) / 2, where r − 1 is t·2^32.
        const EXPONENT: [u64; 4] =
            [0x7fff_2dff_7fff_ffff, 0x04d0_ec02_a9de_d201, 0x94ce_bea4_199c_ec04, 0x0000_0000_39f6_d3a9];
        sqrt_tonelli_shanks(self, EXPONENT)
    }
}

impl PrimeField for Fr {
    /// 32 bytes, little-endian as in the crates `bls12_381` and `blstrs`; [`Fr::to_bytes`] is big-endian.
    type Repr = [u8; 32];

    const MODULUS: &'static str = "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    const NUM_BITS: u32 = SCALAR_BITS as u32;
    const CAPACITY: u32 = Fr::NUM_BITS - 1;
    const TWO_INV: Fr = from_montgomery([
        0x0000_0000_ffff_ffff,
        0xac42_5bfd_0001_a401,
        0xccc6_27f7_f65e_27fa,
        0x0c12_58ac_d662_82b7,
    ]);
    /// 7.
    const MULTIPLICATIVE_GENERATOR: Fr = from_montgomery([
        0x0000_000e_ffff_fff1,
        0x17e3_63d3_0018_9c0f,
        0xff9c_5787_6f84_57b0,
        0x3513_3220_8fc5_a8c4,
    ]);
    const S: u32 = Fr::TWO_ADICITY;
    /// 7^((r − 1) / 2^32).
    const ROOT_OF_UNITY: Fr = from_montgomery([
        0xb9b5_8d8c_5f0e_466a,
        0x5b1b_4c80_1819_d7ec,
        0x0af5_3ae3_52a3_1e64,
        0x5bf3_adda_19e9_b27b,
    ]);
    const ROOT_OF_UNITY_INV: Fr = from_montgomery([
        0x4256_481a_dcf3_219a,
        0x45f3_7b7f_96b6_cad3,
        0xf9c3_f1d7_5f7a_3b27,
        0x2d2f_c049_658a_fd43,
    ]);
    /// 7^(2^32).
    const DELTA: Fr = from_montgomery([
        0x70e3_10d3_d146_f96a,
        0x4b64_c089_19e2_99e6,
        0x51e1_1418_6a8b_970d,
        0x6185_d066_27c0_67cb,
    ]);

    fn from_repr(repr: [u8; 32]) -> CtOption<Fr> {
        let (chunks, _) = repr.as_chunks::<8>();
        let words: [u64; 4] = from_fn(|i| u64::from_le_bytes(chunks[i]));
        // The last borrow of words − r, which is 1 below r.
        let borrow = words.iter().zip(R).fold(0, |borrow, (word, r)| {
            u128::from(*word).wrapping_sub(u128::from(r) + borrow) >> (u128::BITS - 1)
        });
        let is_reduced = Choice::from(borrow as u8);
        let reduced = Fr::conditional_select(&Fr::ZERO, &from_montgomery(words), is_reduced);
        CtOption::new(reduced * R_SQUARED, is_reduced)
    }

    fn to_repr(&self) -> [u8; 32] {
        let mut bytes = self.to_bytes();
        bytes.reverse();
        bytes
    }

    fn is_odd(&self) -> Choice {
        Choice::from(self.to_bytes()[31] & 1)
    }
}

/// The compressed form of a point: 48 bytes in G1, 96 in G2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressed<const N: usize>(pub [u8; N]);

impl<const N: usize> Default for Compressed<N> {
    fn default() -> Self {
        Compressed([0; N])
    }
}

impl<const N: usize> AsRef<[u8]> for Compressed<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> AsMut<[u8]> for Compressed<N> {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

macro_rules! point {
    ($Point:ident, $Affine:ident, $BYTES:literal) => {
        impl Group for $Point {
            type Scalar = Fr;

            fn random(mut rng: impl RngCore) -> $Point {
                let scalars = std::iter::repeat_with(|| Fr::random(&mut rng));
                let mut points = scalars.map(|scalar| $Point::generator() * scalar);
                points.find(|point| *point != $Point::identity()).unwrap_or_default()
            }

            fn identity() -> $Point {
                $Point::identity()
            }

            fn generator() -> $Point {
                $Point::generator()
            }

            fn is_identity(&self) -> Choice {
                Choice::from(u8::from(*self == $Point::identity()))
            }

            fn double(&self) -> $Point {
                *self + *self
            }
        }

        impl Curve for $Point {
            type AffineRepr = $Affine;

            fn to_affine(&self) -> $Affine {
                $Point::to_affine(self)
            }
        }

        impl GroupEncoding for $Point {
            type Repr = Compressed<$BYTES>;

            fn from_bytes(bytes: &Self::Repr) -> CtOption<$Point> {
                let point = $Affine::from_compressed(&bytes.0).ok();
                let is_point = Choice::from(u8::from(point.is_some()));
                CtOption::new(point.unwrap_or_default().into(), is_point)
            }

            /// Checks the bytes like `from_bytes`.
            fn from_bytes_unchecked(bytes: &Self::Repr) -> CtOption<$Point> {
                $Point::from_bytes(bytes)
            }

            fn to_bytes(&self) -> Self::Repr {
                Compressed($Point::to_affine(self).to_compressed())
            }
        }

        /// Values from `from_raw` and `from_coordinates` are in the group only if the caller has checked it.
        impl PrimeGroup for $Point {}
    };
}
point!(G1, G1Affine, 48);
point!(G2, G2Affine, 96);

#[cfg(test)]
mod tests {
    #![allow(
        clippy::eq_op,
        clippy::op_ref,
        reason = "tests the operators with references and of equal values"
    )]

    use ark_ff::{BigInteger, FftField, PrimeField as _};
    use parcrypt_testkit::rng;

    use super::*;

    /// The generator of tests, with the trait of the version that `ff` uses.
    struct Random<R>(R);

    impl<R: parcrypt_testkit::rand::RngCore> RngCore for Random<R> {
        fn next_u32(&mut self) -> u32 {
            self.0.next_u32()
        }
        fn next_u64(&mut self) -> u64 {
            self.0.next_u64()
        }
        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            self.0.fill_bytes(bytes);
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core_06::Error> {
            self.0.fill_bytes(bytes);
            Ok(())
        }
    }

    type ArkFr = ark_bls12_381::Fr;

    fn of_ark(x: ArkFr) -> Fr {
        Fr::from_repr(x.into_bigint().to_bytes_le().try_into().expect("32 bytes")).unwrap()
    }

    fn elements() -> Vec<Fr> {
        let mut all = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(2), Fr::TWO_INV, Fr::ROOT_OF_UNITY];
        let mut rng = Random(rng());
        all.extend((0..20).map(|_| Fr::random(&mut rng)));
        all
    }

    #[test]
    fn constants_are_what_their_formulas_say() {
        assert_eq!((Fr::ZERO, Fr::ONE, Fr::TWO_INV.double()), (Fr::zero(), Fr::one(), Fr::one()));
        let [a, b, c, d] = R;
        assert_eq!(Fr::MODULUS, format!("0x{d:x}{c:016x}{b:016x}{a:016x}"));
        let mut minus_one = R;
        minus_one[0] -= 1;
        assert_eq!((Fr::S, Fr::NUM_BITS, Fr::CAPACITY), (32, 255, 254));
        assert_eq!((minus_one[0].trailing_zeros(), minus_one[3].leading_zeros()), (Fr::S, 1));
        let seven = Fr::from(7);
        assert_eq!((Fr::MULTIPLICATIVE_GENERATOR, of_ark(ArkFr::GENERATOR)), (seven, seven));
        // The quotient by 2^32, in words.
        let t: [u64; 4] = from_fn(|i| minus_one[i] >> 32 | minus_one.get(i + 1).unwrap_or(&0) << 32);
        assert_eq!(Fr::ROOT_OF_UNITY, seven.pow(t));
        assert_eq!(Fr::ROOT_OF_UNITY, of_ark(ArkFr::TWO_ADIC_ROOT_OF_UNITY));
        assert_eq!(Fr::ROOT_OF_UNITY.pow([1 << 31]), -Fr::ONE);
        assert_eq!(Fr::ROOT_OF_UNITY * Fr::ROOT_OF_UNITY_INV, Fr::ONE);
        assert_eq!(Fr::DELTA, seven.pow([1 << 32]));
        assert_eq!(Fr::DELTA.pow(t), Fr::ONE);
    }

    #[test]
    fn fr_is_a_field() {
        let all = elements();
        for (i, &a) in all.iter().enumerate() {
            let (b, c) = (all[(i + 1) % all.len()], all[(7 * i + 3) % all.len()]);
            assert_eq!((a + b + c, a * b * c), (c + b + a, c * (b * a)));
            assert_eq!(a * (b + c), a * b + a * c);
            assert_eq!((a + Fr::ZERO, a * Fr::ONE, a - a, a + -a), (a, a, Fr::ZERO, Fr::ZERO));
            assert_eq!((a.double(), a.square(), a.cube()), (a + a, a * a, a * a * a));
            let mut assigned = [a; 3];
            assigned[0] += &b;
            assigned[1] -= &b;
            assigned[2] *= &b;
            assert_eq!(assigned, [a + b, a - b, a * b]);
            assert_eq!([a + &b, a - &b, a * &b], assigned);
            assert_eq!(Option::<Fr>::from(a.invert()), a.inverse());
            assert_eq!(bool::from(a.ct_eq(&b)), a == b);
            assert_eq!(bool::from(a.is_zero()), a == Fr::ZERO);
            for (choice, chosen) in [(0, a), (1, b)] {
                assert_eq!(Fr::conditional_select(&a, &b, Choice::from(choice)), chosen);
            }
        }
        assert_eq!(all.iter().sum::<Fr>(), all.iter().copied().reduce(|a, b| a + b).expect("not empty"));
        assert_eq!(all[1..].iter().copied().product::<Fr>(), all[1..].iter().product());
    }

    #[test]
    fn square_roots_are_roots_of_squares_only() {
        for a in elements() {
            let root = a.square().sqrt().unwrap();
            assert!(root == a || root == -a);
            let other = a.square() * Fr::ROOT_OF_UNITY;
            assert_eq!(bool::from(other.sqrt().is_some()), a == Fr::ZERO);
            for b in [Fr::ZERO, Fr::ONE, Fr::from(5)] {
                let (is_square, root) = Fr::sqrt_ratio(&a, &b);
                let ratio = a * b.invert().unwrap_or(Fr::ZERO);
                assert_eq!(root.square(), if is_square.into() { ratio } else { ratio * Fr::ROOT_OF_UNITY });
                assert!(b != Fr::ZERO || bool::from(is_square) == (a == Fr::ZERO));
            }
        }
    }

    #[test]
    fn encodings_are_canonical() {
        for a in elements() {
            let repr = a.to_repr();
            assert_eq!(Fr::from_repr(repr).unwrap(), a);
            assert_eq!(of_ark(ArkFr::from_le_bytes_mod_order(&repr)), a);
            assert_eq!(bool::from(a.is_odd()), repr[0] & 1 == 1);
        }
        for word in 0..4 {
            // r with one word more or less, and with the words below at their extremes.
            for (change, below) in [(0, None), (1, None), (u64::MAX, Some(u64::MAX)), (1, Some(0))] {
                let mut words = R;
                words[word] = words[word].wrapping_add(change);
                below.into_iter().for_each(|below| words[..word].fill(below));
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut reversed = <[u8; 32]>::try_from(bytes).expect("32 bytes");
                let found: Option<Fr> = Fr::from_repr(reversed).into();
                reversed.reverse();
                assert_eq!(found, Fr::from_bytes(&reversed).ok(), "{words:x?}");
            }
        }
        assert!(bool::from(Fr::from_repr([0xff; 32]).is_none()));
    }

    /// Checks the traits of a group against its operators on values.
    fn group<const N: usize, G>()
    where
        G: Curve<Scalar = Fr> + PrimeGroup + GroupEncoding<Repr = Compressed<N>>,
        G::AffineRepr: Copy + PartialEq + std::fmt::Debug + Into<G>,
    {
        let mut rng = Random(rng());
        let (p, q, s) = (G::random(&mut rng), G::random(&mut rng), Fr::random(&mut rng));
        assert!(p != q && !bool::from(p.is_identity()) && bool::from((p - p).is_identity()));
        assert_eq!((p.double(), p + G::identity(), p + -q), (p + p, p, p - q));
        assert_eq!((p + q) * s, p * s + q * &s);
        assert_eq!(G::generator() * -Fr::ONE, -G::generator());
        let affine = q.to_affine();
        assert_eq!(affine.into(), q);
        let sum = p + q;
        assert_eq!([p + &q, p + affine, p + &affine], [sum; 3]);
        let difference = p - q;
        assert_eq!([p - &q, p - affine, p - &affine], [difference; 3]);
        let mut assigned = p;
        assigned += q;
        assigned += &q;
        assigned += affine;
        assigned += &affine;
        assigned -= &q;
        assigned -= affine;
        assigned -= &affine;
        assert_eq!(assigned, sum);
        assigned -= q;
        assigned *= s;
        assigned *= &s;
        assert_eq!(assigned, p * (s * s));
        assert_eq!([p, q].iter().sum::<G>(), [p, q].into_iter().sum());
        let points = [p, G::identity(), q];
        let mut affines = points.map(|_| affine);
        G::batch_normalize(&points, &mut affines);
        assert_eq!(affines.map(Into::into), points);
        for point in points {
            let bytes = point.to_bytes();
            assert_eq!(G::from_bytes(&bytes).unwrap(), point);
            assert_eq!(G::from_bytes_unchecked(&bytes).unwrap(), point);
        }
        assert!(bool::from(G::from_bytes(&Compressed::default()).is_none()), "no point");
    }

    #[test]
    fn points_are_groups() {
        group::<48, G1>();
        group::<96, G2>();
        assert_eq!(G1::generator().to_bytes().0, G1::generator().to_compressed());
    }
}
