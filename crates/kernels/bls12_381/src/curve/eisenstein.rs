//! Scalars as Eisenstein integers, a + b·ζ in Z[ζ], and their digits of radix 2^c.
//!
//! With the parameter x of the curve, ζ = x² is a sixth root of unity modulo r = x⁴ − x² + 1, and ζ·P costs one
//! multiplication in the base field (Gallant, Lambert and Vanstone, 2001). So a scalar is a + b·ζ with a and b of 127
//! bits, an Eisenstein integer; Z[ζ] has six units. The digits of radix 2^c are the elements of smallest norm of each
//! residue class modulo 2^c; up to units there are (4^c − 1) / 6 of them other than 0. Signed digits of the same number
//! of bits of an integer, with its two units, need 4^c / 2 buckets.

use std::ops::Add;
use std::sync::OnceLock;

use crate::Fr;
use crate::constants::ZETA;

/// ⌊2^255 / x²⌋.
const RECIPROCAL: u128 = 0xbe35_f678_f00f_d56e_b1fb_7291_7b67_f717;

/// The units of Z\[ζ\]: ζ^k as (a, b) for a + b·ζ, where ζ² = ζ − 1.
pub(crate) const UNITS: [(i128, i128); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// An Eisenstein integer a + b·ζ, where ζ² = ζ − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Eisenstein {
    pub(crate) a: i128,
    pub(crate) b: i128,
}

/// Logarithm of the largest absolute value, as a complex number, that [`Eisenstein::from`] returns: the corners of the
/// Voronoi cell of 0 are x² / √3 from it, and the lattice of all a + b·ζ that are 0 modulo r is hexagonal except for
/// the last bit.
const MAX_BITS: f64 = 126.64;

/// Returns the high and low halves of a · b.
fn wide(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, mid) = (a0 * b0, a1 * b0);
    let mid = mid + (low >> 64);
    let (mid, carry) = (mid & LOW, mid >> 64);
    let mid = mid + a0 * b1;
    (a1 * b1 + carry + (mid >> 64), mid << 64 | low & LOW)
}

impl From<&Fr> for Eisenstein {
    /// Returns the a + b·ζ of smallest norm, up to the last bit, that is the scalar modulo r.
    fn from(scalar: &Fr) -> Eisenstein {
        let bytes = scalar.to_scalar().b;
        let word =
            |at: usize| bytes[at..at + 16].iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
        let (high, low) = (word(16), word(0));
        // The quotient by x² from the upper 128 bits and the reciprocal. The lower 127 bits and the fraction of the
        // reciprocal are less than 1 of it, so rounded down it is too small by at most 1, and never too large.
        let (mut b, _) = wide(high << 1 | low >> 127, RECIPROCAL);
        let (product_high, product_low) = wide(b, ZETA);
        let (mut a, borrow) = low.overflowing_sub(product_low);
        let mut a_high = high - product_high - u128::from(borrow);
        if a_high > 0 || a >= ZETA {
            let (difference, borrow) = a.overflowing_sub(ZETA);
            a_high -= u128::from(borrow);
            (a, b) = (difference, b + 1);
        }
        debug_assert!(a_high == 0 && a < ZETA);
        // Now 0 ≤ a, b < x². The corners of that rhombus are multiples of r, up to 1: (0, 0), (x², −1), (1, x² − 1) and
        // their sum. The nearest is subtracted; without their last three bits the comparisons stay below 2^127, and any
        // choice gives the same scalar.
        let shorter = |x: u128| (x >> 3) as i128;
        let (right, up) = nearest(shorter(a), shorter(b), shorter(ZETA));
        let (right, up) = (u128::from(right), u128::from(up));
        // Both differences are below 2^127 in absolute value, so two's complement has them.
        Eisenstein {
            a: a.wrapping_sub(right * ZETA).wrapping_sub(up) as i128,
            b: b.wrapping_add(right).wrapping_sub(up * (ZETA - 1)) as i128,
        }
    }
}

/// Returns the corner of the rhombus with this side that is nearest to (a, b) in it, as sides to the right and up. In
/// ties it is the corner at 0.
#[inline(always)]
fn nearest<T: Copy + Add<Output = T> + PartialOrd>(a: T, b: T, side: T) -> (bool, bool) {
    // Without branches, which could not be predicted.
    let (right, up) = (a + a + b, a + b + b);
    let at_zero = (right <= side) & (up <= side);
    let at_both = (right >= side + side) & (up >= side + side);
    (at_both | !at_zero & (a >= b), at_both | !at_zero & (a < b))
}

/// A digit ζ^k·(u + v·ζ) with u ≥ 1 and v ≥ 0, or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Digit(u32);

impl Digit {
    pub(crate) const ZERO: Digit = Digit(0);

    /// Returns the digit of a + b·ζ, which is between −2^8 and 2^8 in both.
    #[inline(always)]
    fn new(a: i64, b: i64) -> Digit {
        // Without branches, so that it is computed in vector lanes: half a turn first, then one or two sixths. Divided
        // by ζ, u + v·ζ is u + v − u·ζ, because ζ² = ζ − 1.
        let half = (b < 0) | (b == 0) & (a < 0);
        let (a, b) = if half { (-a, -b) } else { (a, b) };
        let (first, second) = (a >= 1, a + b >= 1);
        let (u, v) = if first {
            (a, b)
        } else if second {
            (a + b, -a)
        } else {
            (b, -(a + b))
        };
        let sixths = if first {
            0
        } else if second {
            1
        } else {
            2
        } + if half { 3 } else { 0 };
        // 0 is found to need two sixths.
        let unit = if u == 0 { 0 } else { sixths };
        Digit((unit << 16 | u << 8 | v) as u32)
    }

    /// Returns whether the digit is 0.
    #[inline(always)]
    pub(crate) fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns k of the unit ζ^k.
    #[inline(always)]
    pub(crate) fn unit(self) -> u32 {
        self.0 >> 16
    }

    #[inline(always)]
    fn u(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    #[inline(always)]
    fn v(self) -> usize {
        (self.0 & 0xff) as usize
    }
}

/// The digits of radix 2^c.
#[derive(Debug)]
pub(crate) struct Digits {
    bits: u32,
    /// The representatives u + v·ζ, each with u ≥ 1 and v ≥ 0, in the sector between 1 and ζ. Those of equal u have all
    /// v from 0 on.
    buckets: Vec<(u16, u16)>,
    /// Index of the first representative of each u.
    firsts: Vec<u16>,
    /// Largest u or v.
    max: usize,
    /// See [`Digits::windows`].
    windows: usize,
}

impl Digits {
    /// Smallest c: in radix 2 the digits of −1 do not end.
    pub(crate) const MIN: u32 = 2;
    /// Largest c: a digit has 8 bits for u and for v.
    pub(crate) const MAX: u32 = 8;

    /// Returns the digits of radix 2^c, which are computed once a process.
    pub(crate) fn get(c: u32) -> &'static Digits {
        static ALL: [OnceLock<Digits>; Digits::MAX as usize + 1] = [const { OnceLock::new() }; 9];
        ALL[c as usize].get_or_init(|| Digits::new(c))
    }

    fn new(c: u32) -> Digits {
        debug_assert!((Digits::MIN..=Digits::MAX).contains(&c));
        let side = 1i64 << c;
        // By u and v, which have 8 bits: whether u + v·ζ is a representative. Sorting all digits would take
        // milliseconds.
        let mut is_one = vec![false; 1 << 16];
        for class in 0..side * side {
            let (digit, _) = low_digit(class % side, class / side, side);
            is_one[digit.u() << 8 | digit.v()] = !digit.is_zero();
        }
        let all = (0..=u16::MAX).filter(|uv| is_one[usize::from(*uv)]);
        let buckets: Vec<(u16, u16)> = all.map(|uv| (uv >> 8, uv & 0xff)).collect();
        let max = buckets.iter().map(|(u, v)| *u.max(v)).max().unwrap_or(0);
        let firsts = (0..=max).map(|u| buckets.partition_point(|(other, _)| *other < u) as u16).collect();
        Digits { bits: c, firsts, max: max.into(), windows: windows(c), buckets }
    }

    /// Returns c.
    pub(crate) fn bits(&self) -> usize {
        self.bits as usize
    }

    /// Returns the representatives u + v·ζ, up to units.
    pub(crate) fn buckets(&self) -> &[(u16, u16)] {
        &self.buckets
    }

    /// Returns the index of the representative of a digit that is not 0.
    #[inline(always)]
    pub(crate) fn bucket(&self, digit: Digit) -> usize {
        usize::from(self.firsts[digit.u()]) + digit.v()
    }

    /// Returns the largest u or v of a representative.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Returns the largest number of digits of a scalar.
    pub(crate) fn windows(&self) -> usize {
        self.windows
    }

    /// Writes digit w of integer i, of weight 2^(c·w), to element w · n + i of n · windows, for n integers.
    ///
    /// `LANES` integers are computed side by side, which a caller for an instruction set compiles to its vectors.
    #[inline(always)]
    pub(crate) fn write<const LANES: usize>(&self, integers: &[Eisenstein], out: &mut [Digit]) {
        debug_assert_eq!(out.len(), integers.len() * self.windows);
        for (block, integers_of) in integers.chunks(LANES).enumerate() {
            let mut lanes = [Eisenstein { a: 0, b: 0 }; LANES];
            lanes[..integers_of.len()].copy_from_slice(integers_of);
            let (mut a, mut b) = (lanes.map(|z| Limbs52::new(z.a)), lanes.map(|z| Limbs52::new(z.b)));
            for row in out.chunks_mut(integers.len()) {
                let digits = next_digits(&mut a, &mut b, self.bits);
                let row = &mut row[block * LANES..];
                row[..integers_of.len()].copy_from_slice(&digits[..integers_of.len()]);
            }
        }
    }
}

/// A signed integer of 128 bits.
#[derive(Clone, Copy)]
struct Limbs52 {
    low: u64,
    high: i64,
}

impl Limbs52 {
    #[inline(always)]
    fn new(x: i128) -> Limbs52 {
        Limbs52 { low: x as u64, high: (x >> 64) as i64 }
    }

    /// Returns ⌊self / 2^bits⌋ + 1 if `more`, + 0 if not, for 0 < bits < 64.
    #[inline(always)]
    fn shifted(self, bits: u32, more: bool) -> Limbs52 {
        let low = self.low >> bits | (self.high.cast_unsigned() << (64 - bits));
        let sum = low.wrapping_add(u64::from(more));
        Limbs52 { low: sum, high: (self.high >> bits) + i64::from(more & (sum == 0)) }
    }
}

/// Returns the digit that a + b·ζ has modulo `side`, for 0 ≤ a, b < side, and what it carries to a and b.
#[inline(always)]
fn low_digit(a: i64, b: i64, side: i64) -> (Digit, (bool, bool)) {
    let (right, up) = nearest(a, b, side);
    (Digit::new(a - if right { side } else { 0 }, b - if up { side } else { 0 }), (right, up))
}

/// Returns the lowest digit of radix 2^bits of each a + b·ζ, which are divided by the radix.
#[inline(always)]
fn next_digits<const LANES: usize>(
    a: &mut [Limbs52; LANES],
    b: &mut [Limbs52; LANES],
    bits: u32,
) -> [Digit; LANES] {
    let side = 1i64 << bits;
    let mut digits = [Digit::ZERO; LANES];
    for i in 0..LANES {
        let low = |x: Limbs52| x.low.cast_signed() & (side - 1);
        let (digit, (right, up)) = low_digit(low(a[i]), low(b[i]), side);
        digits[i] = digit;
        a[i] = a[i].shifted(bits, right);
        b[i] = b[i].shifted(bits, up);
    }
    digits
}

/// Returns the largest number of digits of radix 2^c of a scalar.
///
/// A step leaves at most |z| / 2^c + 1 / √3 · 2^c / (2^c − 1) of z, and what lies within 2^c / 2 of 0 is a digit.
fn windows(c: u32) -> usize {
    let base = f64::from(1u32 << c);
    let rest = |steps: u32| (MAX_BITS - f64::from(steps * c)).exp2() + base / (base - 1.0) / 3f64.sqrt();
    1 + (0..).find(|steps| rest(*steps) < base / 2.0).unwrap_or(0) as usize
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{rand::Rng, rng};

    use super::*;

    fn integer(value: i128) -> Fr {
        let bytes = value.unsigned_abs().to_be_bytes();
        let positive = Fr::from_bytes_reduced(&bytes);
        if value < 0 { -positive } else { positive }
    }

    fn zeta() -> Fr {
        integer((ZETA >> 1) as i128) + integer((ZETA >> 1) as i128) + Fr::from((ZETA & 1) as u64)
    }

    /// Returns random scalars, and scalars at the edges of the rhombus and of the hexagon.
    fn scalars() -> Vec<Fr> {
        let mut rng = rng();
        let mut all: Vec<Fr> = (0..3000).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).collect();
        let third = Fr::from(3).inverse().unwrap();
        let half = Fr::from(2).inverse().unwrap();
        let edges =
            [Fr::zero(), Fr::one(), zeta(), third, half, third * zeta(), half * zeta(), zeta() * zeta()];
        for edge in edges {
            for near in 0..4 {
                all.extend([
                    edge + Fr::from(near),
                    edge - Fr::from(near),
                    -edge + Fr::from(near),
                    -edge - Fr::from(near),
                ]);
            }
        }
        for (i, j) in (0..=48).flat_map(|i| (0..=48).map(move |j| (i, j))) {
            let part = |i: u128| integer(((ZETA / 48 * i) >> 1) as i128) * Fr::from(2);
            all.push(part(i) + part(j) * zeta());
        }
        all
    }

    #[test]
    fn constants_have_their_documented_values() {
        use crate::constants::{R, X_ABS};
        let x = u128::from(X_ABS);
        assert_eq!(ZETA, x * x);
        assert_eq!(zeta() * zeta() - zeta() + Fr::one(), Fr::zero(), "ζ is a sixth root of unity");
        // q·x² ≤ 2^255 < (q + 1)·x²
        let (high, low) = wide(RECIPROCAL, ZETA);
        assert!(high < 1 << 127 && (high == (1 << 127) - 1 && low.checked_add(ZETA).is_none()));
        // What the quotient of the largest scalar loses, times x², is less than x²: the lower 127 bits, and the rest of
        // the reciprocal times the upper 128 bits over 2^128.
        let upper = u128::from(R[3]) << 65 | u128::from(R[2]) << 1 | u128::from(R[1] >> 63);
        assert!((1 << 127) + wide(upper, low.wrapping_neg()).0 < ZETA);
        // x² / √3, and 1 for the last bit of the lattice
        assert!(((ZETA as f64) / 3f64.sqrt() + 2.0).log2() < MAX_BITS);
    }

    #[test]
    fn a_scalar_is_its_short_form() {
        for scalar in scalars() {
            let Eisenstein { a, b } = Eisenstein::from(&scalar);
            assert_eq!(integer(a) + integer(b) * zeta(), scalar);
            let (a, b) = (a as f64, b as f64);
            assert!((a * a + a * b + b * b).sqrt().log2() < MAX_BITS, "{a} + {b}ζ");
        }
    }

    #[test]
    fn a_scalar_is_the_sum_of_its_digits() {
        let scalars = scalars();
        for digits in (Digits::MIN..=Digits::MAX).map(Digits::get) {
            let windows = digits.windows();
            let integers: Vec<Eisenstein> = scalars.iter().map(Eisenstein::from).collect();
            let mut all = vec![Digit::ZERO; windows * scalars.len()];
            digits.write::<1>(&integers, &mut all);
            for (i, scalar) in scalars.iter().enumerate() {
                let mut sum = Fr::zero();
                for (window, row) in all.chunks(scalars.len()).enumerate() {
                    let (a, b) = value(digits, row[i]);
                    let value = integer(a) + integer(b) * zeta();
                    sum += value * Fr::from(2).pow_vartime((window * digits.bits()) as u64);
                }
                assert_eq!(sum, *scalar, "{} bits", digits.bits());
            }
            // The same in lanes, with and without a part of the last block.
            for len in [0, 1, 15, 16, 17, scalars.len()] {
                let mut in_lanes = vec![Digit(u32::MAX); windows * len];
                digits.write::<16>(&integers[..len], &mut in_lanes);
                for (found, expected) in in_lanes.chunks(len.max(1)).zip(all.chunks(scalars.len())) {
                    assert_eq!(found, &expected[..len]);
                }
            }
        }
    }

    /// Returns a digit, as (a, b) for a + b·ζ.
    fn value(digits: &Digits, digit: Digit) -> (i128, i128) {
        if digit.is_zero() {
            return (0, 0);
        }
        let (u, v) = digits.buckets()[digits.bucket(digit)];
        assert!((usize::from(u), usize::from(v)) == (digit.u(), digit.v()) && digit.unit() < 6);
        // ζ·(a + b·ζ) = −b + (a + b)·ζ
        (0..digit.unit()).fold((i128::from(u), i128::from(v)), |(a, b), _| (-b, a + b))
    }

    /// No other element of a residue class is shorter than its digit, and up to units there are as few as possible.
    #[test]
    fn every_class_has_its_shortest_element_as_digit() {
        let norm = |(a, b): (i128, i128)| a * a + a * b + b * b;
        for digits in (Digits::MIN..=Digits::MAX).map(Digits::get) {
            let (side, count) = (1i128 << digits.bits(), digits.buckets().len() as i128);
            assert!(
                count >= (side * side - 1) / 6 && count <= (side * side + 2 * side) / 6,
                "{side}: {count}"
            );
            assert!((digits.max() as i128) < side && digits.buckets().iter().all(|(u, _)| *u >= 1));
            for (a, b) in (0..side).flat_map(|b| (0..side).map(move |a| (a, b))) {
                let (digit, (right, up)) = low_digit(a as i64, b as i64, side as i64);
                let (u, v) = value(digits, digit);
                assert_eq!((u + i128::from(right) * side, v + i128::from(up) * side), (a, b));
                // The neighbours in the lattice, which border on the cell of 0.
                for (p, q) in UNITS {
                    assert!(norm((u, v)) <= norm((u + p * side, v + q * side)), "{a} + {b}ζ");
                }
            }
        }
    }
}
