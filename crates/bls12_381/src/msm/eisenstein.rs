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
        // The quotient by x² from the upper 128 bits and the reciprocal. Cutting off the lower 127 bits, the fraction
        // of the reciprocal and that of the product make it too small by less than 3, and never too large.
        let (mut b, _) = wide(high << 1 | low >> 127, RECIPROCAL);
        let (product_high, product_low) = wide(b, ZETA);
        let (mut a, borrow) = low.overflowing_sub(product_low);
        let mut a_high = high - product_high - u128::from(borrow);
        while a_high > 0 || a >= ZETA {
            let (difference, borrow) = a.overflowing_sub(ZETA);
            a_high -= u128::from(borrow);
            (a, b) = (difference, b + 1);
        }
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
fn nearest<T: Copy + Add<Output = T> + PartialOrd>(a: T, b: T, side: T) -> (bool, bool) {
    // Without branches, which could not be predicted.
    let (right, up) = (a + a + b, a + b + b);
    let at_zero = (right <= side) & (up <= side);
    let at_both = (right >= side + side) & (up >= side + side);
    (at_both | !at_zero & (a >= b), at_both | !at_zero & (a < b))
}

/// The digit of a residue class modulo 2^c.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// Index of the representative up to units; [`NO_BUCKET`] for 0.
    bucket: u16,
    /// k of the unit: the digit is ζ^k times the representative.
    unit: u8,
}

const NO_BUCKET: u16 = u16::MAX;

/// The digits of radix 2^c.
#[derive(Debug)]
pub(crate) struct Digits {
    bits: u32,
    /// Classes by a + 2^c·b, for a and b modulo 2^c.
    classes: Vec<Class>,
    /// The representatives u + v·ζ, each with u ≥ 1 and v ≥ 0, in the sector between 1 and ζ.
    buckets: Vec<(u16, u16)>,
    /// Largest u or v.
    max: usize,
    /// See [`Digits::windows`].
    windows: usize,
}

/// One digit of a scalar that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) bucket: u16,
    pub(crate) unit: u32,
}

impl Digits {
    /// Smallest c: in radix 2 the digits of −1 do not end.
    pub(crate) const MIN: u32 = 2;
    /// Largest c, whose table of classes takes 256 KiB.
    pub(crate) const MAX: u32 = 8;

    /// Returns the digits of radix 2^c, which are computed once a process.
    pub(crate) fn get(c: u32) -> &'static Digits {
        static ALL: [OnceLock<Digits>; Digits::MAX as usize + 1] = [const { OnceLock::new() }; 9];
        ALL[c as usize].get_or_init(|| Digits::new(c))
    }

    fn new(c: u32) -> Digits {
        debug_assert!((Digits::MIN..=Digits::MAX).contains(&c));
        let side = 1i128 << c;
        // The digit of each class, as ζ^unit · (u + v·ζ).
        let digit = |a: i128, b: i128| {
            let (right, up) = nearest(a, b, side);
            let (mut u, mut v) = (a - i128::from(right) * side, b - i128::from(up) * side);
            let mut unit = 0;
            while (u, v) != (0, 0) && !(u >= 1 && v >= 0) {
                // Divided by ζ: ζ⁻¹ = 1 − ζ and ζ² = ζ − 1.
                (u, v) = (u + v, -u);
                unit += 1;
            }
            ((u as u16, v as u16), unit)
        };
        let all = || (0..side).flat_map(|b| (0..side).map(move |a| (a, b)));
        let mut buckets: Vec<_> = all().map(|(a, b)| digit(a, b).0).filter(|z| *z != (0, 0)).collect();
        buckets.sort_unstable();
        buckets.dedup();
        let classes = all().map(|(a, b)| {
            let (z, unit) = digit(a, b);
            Class { bucket: buckets.binary_search(&z).map_or(NO_BUCKET, |at| at as u16), unit }
        });
        let max = buckets.iter().map(|(u, v)| *u.max(v)).max().unwrap_or(0).into();
        Digits { bits: c, classes: classes.collect(), max, windows: windows(c), buckets }
    }

    /// Returns c.
    pub(crate) fn bits(&self) -> usize {
        self.bits as usize
    }

    /// Returns the representatives u + v·ζ, up to units.
    pub(crate) fn buckets(&self) -> &[(u16, u16)] {
        &self.buckets
    }

    /// Returns the largest u or v of a representative.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Returns the largest number of digits of a scalar.
    pub(crate) fn windows(&self) -> usize {
        self.windows
    }

    /// Calls `take(w, digit)` for each digit that is not 0, of weight 2^(c·w).
    #[inline]
    pub(crate) fn for_each_digit(&self, scalar: &Fr, mut take: impl FnMut(usize, Digit)) {
        let Eisenstein { mut a, mut b } = Eisenstein::from(scalar);
        // At most 8, which the compiler is to know.
        let bits = self.bits % 16;
        let side = 1i32 << bits;
        let mut window = 0;
        while (a, b) != (0, 0) {
            let (low_a, low_b) = (a as i32 & (side - 1), b as i32 & (side - 1));
            // Computed, so that the next digit does not wait for the table, which is larger than the first cache.
            let (right, up) = nearest(low_a, low_b, side);
            let class = self.classes[(low_a | low_b << bits) as usize];
            if class.bucket != NO_BUCKET {
                take(window, Digit { bucket: class.bucket, unit: u32::from(class.unit) });
            }
            a = (a >> bits) + i128::from(right);
            b = (b >> bits) + i128::from(up);
            window += 1;
        }
    }
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
        let x = u128::from(crate::constants::X_ABS);
        assert_eq!(ZETA, x * x);
        assert_eq!(zeta() * zeta() - zeta() + Fr::one(), Fr::zero(), "ζ is a sixth root of unity");
        // q·x² ≤ 2^255 < (q + 1)·x²
        let (high, low) = wide(RECIPROCAL, ZETA);
        assert!(high < 1 << 127 && (high == (1 << 127) - 1 && low.checked_add(ZETA).is_none()));
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
            for scalar in &scalars {
                let mut sum = Fr::zero();
                digits.for_each_digit(scalar, |window, digit| {
                    assert!(window < windows, "{} bits", digits.bits());
                    let (u, v) = digits.buckets()[usize::from(digit.bucket)];
                    let unit = (0..digit.unit).fold(Fr::one(), |unit, _| unit * zeta());
                    let value = (Fr::from(u64::from(u)) + Fr::from(u64::from(v)) * zeta()) * unit;
                    sum += value * Fr::from(2).pow_vartime((window * digits.bits()) as u64);
                });
                assert_eq!(sum, *scalar);
            }
        }
    }

    /// Returns a digit, as (a, b) for a + b·ζ.
    fn value(digits: &Digits, bucket: u16, unit: u32) -> (i128, i128) {
        let (u, v) = digits.buckets()[usize::from(bucket)];
        // ζ·(a + b·ζ) = −b + (a + b)·ζ
        (0..unit).fold((i128::from(u), i128::from(v)), |(a, b), _| (-b, a + b))
    }

    /// No other element of a residue class is shorter than its digit.
    #[test]
    fn every_class_has_its_shortest_element_as_digit() {
        let norm = |(a, b): (i128, i128)| a * a + a * b + b * b;
        for digits in (Digits::MIN..=Digits::MAX).map(Digits::get) {
            let side = 1i128 << digits.bits();
            for (i, class) in digits.classes.iter().enumerate() {
                let (a, b) = (i as i128 % side, i as i128 / side);
                assert_eq!(class.bucket == NO_BUCKET, i == 0);
                if i > 0 {
                    let (u, v) = value(digits, class.bucket, class.unit.into());
                    assert_eq!(((u - a) % side, (v - b) % side), (0, 0));
                    // The neighbours in the lattice, which border on the cell of 0.
                    for (p, q) in UNITS {
                        assert!(norm((u, v)) <= norm((u + p * side, v + q * side)), "{a} + {b}ζ");
                    }
                }
            }
        }
    }

    /// Scalars with each class in each window, of those whose digits are the shortest form of a scalar, below others
    /// and above carries of every kind.
    #[test]
    fn every_class_is_recoded_in_every_window() {
        let mut rng = rng();
        for digits in (Digits::MIN..=Digits::MAX).map(Digits::get) {
            let (bits, side) = (digits.bits(), 1i128 << digits.bits());
            // Up to 2^124, which is shorter than half the shortest multiple of r.
            let last = (122 - bits) / bits;
            let few = [0, 1, last / 2, last];
            for window in (0..=last).filter(|window| bits <= 6 || few.contains(window)) {
                for class in 0..side * side {
                    let with = |part: i128, rng: &mut dyn parcrypt_testkit::rand::RngCore| {
                        let random = i128::from_be_bytes(rng.random());
                        let (low, high) = (random & ((1 << (bits * window)) - 1), random >> (bits * window));
                        let room = 122 - bits * (window + 1);
                        ((high & ((1 << room) - 1)) << bits | part) << (bits * window) | low
                    };
                    let (a, b) = (with(class % side, &mut rng), with(class / side, &mut rng));
                    let (mut sum, mut next) = ((0, 0), 0);
                    digits.for_each_digit(&(integer(a) + integer(b) * zeta()), |window, digit| {
                        assert!((next..digits.windows()).contains(&window));
                        let (u, v) = value(digits, digit.bucket, digit.unit);
                        sum = (sum.0 + (u << (bits * window)), sum.1 + (v << (bits * window)));
                        next = window + 1;
                    });
                    assert_eq!(sum, (a, b), "{bits} bits");
                }
            }
        }
    }

    #[test]
    fn there_are_few_buckets() {
        for digits in (Digits::MIN..=Digits::MAX).map(Digits::get) {
            let (count, base) = (digits.buckets().len(), 1usize << digits.bits());
            assert!(
                count >= (base * base - 1) / 6 && count <= (base * base + 2 * base) / 6,
                "{base}: {count}"
            );
            assert!(digits.max() < base);
            assert!(digits.buckets().iter().all(|(u, _)| *u >= 1));
        }
    }
}
