//! The final exponentiation of the pairing.
//!
//! The power f^((p⁶ − 1)(p² + 1)) is in the cyclotomic subgroup, of order p⁴ − p² + 1. What is left is the exponent
//! (p⁴ − p² + 1) / r. Three times that is (x − 1)²·(x + p)·(x² + p² − 1) + 3 with the parameter x of the curve
//! (D. Hayashida, K. Hayasaka and T. Teruya, 'Efficient final exponentiation via cyclotomic structure for pairings over
//! families of elliptic curves', 2020), and 3 does not divide the order, so that one power is 1 where the other is. The
//! value of the pairing has this factor of 3 in other libraries too.
//!
//! Most of the time goes into squarings. In the cyclotomic subgroup four of the six coefficients of a square follow
//! from the same four, and the other two from them when they are needed (K. Karabina, 'Squaring in cyclotomic
//! subgroups', 2013).

use blst::blst_fp12;

use crate::ffi;
use crate::field::invert_all;
use crate::tower::{self, Fp2};

/// Squarings from 1 to the lowest binary digit of |x|, and from each digit to the next.
pub(crate) const SQUARINGS: [usize; 6] = [16, 32, 9, 3, 2, 1];

/// Numbers of squarings of compressed elements; the results of the others are needed so soon that it does not pay.
const COMPRESSED: [usize; 3] = [SQUARINGS[0], SQUARINGS[1], SQUARINGS[2]];

/// Returns the power to (p⁶ − 1)(p² + 1), which is in the cyclotomic subgroup, of a value that is not 0.
pub(crate) fn to_subgroup(value: &blst_fp12) -> blst_fp12 {
    let mut inverse = blst_fp12::default();
    ffi::fp12_inverse(&mut inverse, value);
    // The conjugate is the power to p⁶.
    let f = conjugate(value) * inverse;
    frobenius::<2>(&f) * f
}

/// An element of the cyclotomic subgroup.
pub(crate) trait Cyclotomic: Sized {
    /// Returns the product.
    fn times(&self, other: &Self) -> Self;

    /// Returns the square.
    fn squared(&self) -> Self;

    /// Returns the conjugate over the sixth extension, which is the inverse.
    fn conjugate(&self) -> Self;

    /// Returns the power to p^N, for N of 1 to 3.
    fn frobenius<const N: usize>(&self) -> Self;

    /// Returns the power to x, which is negative.
    fn pow_x(&self) -> Self;
}

/// Returns the power to (x − 1)²·(x + p)·(x² + p² − 1) + 3.
#[inline(always)]
pub(crate) fn hard_part<G: Cyclotomic>(g: &G) -> G {
    let a = g.pow_x().times(&g.conjugate());
    let a = a.pow_x().times(&a.conjugate());
    let b = a.pow_x().times(&a.frobenius::<1>());
    let c = b.pow_x().pow_x().times(&b.frobenius::<2>()).times(&b.conjugate());
    c.times(&g.squared()).times(g)
}

/// A function that returns b and c of an element a + b·w + c·w² of the cyclotomic subgroup, given these, after each of
/// three numbers of squarings.
type Squares = dyn Fn([[Fp2; 2]; 2], [usize; 3]) -> [[[Fp2; 2]; 2]; 3];

/// Returns what [`hard_part`] does, with compressed squarings by this function and all else by blst.
pub(crate) fn hard_part_compressed(g: &blst_fp12, squares: &Squares) -> blst_fp12 {
    hard_part(&Element { value: *g, squares }).value
}

/// An element of the cyclotomic subgroup.
struct Element<'a> {
    value: blst_fp12,
    squares: &'a Squares,
}

impl Element<'_> {
    fn with(&self, value: blst_fp12) -> Self {
        Element { value, squares: self.squares }
    }
}

impl Cyclotomic for Element<'_> {
    fn times(&self, other: &Self) -> Self {
        self.with(self.value * other.value)
    }

    fn squared(&self) -> Self {
        self.with(squared(&self.value, 1))
    }

    fn conjugate(&self) -> Self {
        self.with(conjugate(&self.value))
    }

    fn frobenius<const N: usize>(&self) -> Self {
        self.with(frobenius::<N>(&self.value))
    }

    fn pow_x(&self) -> Self {
        let plain = || {
            let mut power = self.value;
            COMPRESSED.map(|squarings| {
                power = squared(&power, squarings);
                power
            })
        };
        let [first, second, mut power] = compressed_powers(self.squares, &self.value).unwrap_or_else(plain);
        let mut product = first * second * power;
        for squarings in &SQUARINGS[COMPRESSED.len()..] {
            power = squared(&power, *squarings);
            product *= power;
        }
        self.with(conjugate(&product))
    }
}

/// Returns the element squared this number of times in a row.
fn squared(g: &blst_fp12, squarings: usize) -> blst_fp12 {
    let mut power = *g;
    for _ in 0..squarings {
        ffi::fp12_cyclotomic_sqr(&mut power);
    }
    power
}

/// Squares compressed elements by blst.
pub(crate) fn squares([b, c]: [[Fp2; 2]; 2], squarings: [usize; 3]) -> [[[Fp2; 2]; 2]; 3] {
    let mut power = Compressed { b, c };
    squarings.map(|squarings| {
        (0..squarings).for_each(|_| power.square());
        [power.b, power.c]
    })
}

/// Returns the powers after [`COMPRESSED`] squarings; `None` where one cannot be restored, as for 1.
fn compressed_powers(squares: &Squares, g: &blst_fp12) -> Option<[blst_fp12; 3]> {
    let [_, b, c] = tower::to_fourth_extension(g);
    let powers = squares([b, c], COMPRESSED).map(|[b, c]| Compressed { b, c });
    let mut inverses = powers.map(|power| power.b[0]);
    inverses.iter_mut().for_each(|b| {
        b.double();
        b.double();
    });
    if inverses.contains(&Fp2::default()) {
        return None;
    }
    invert_all(&mut inverses, |a, b| *a * *b, Fp2::inverse);
    Some(std::array::from_fn(|i| powers[i].restored(inverses[i])))
}

/// An element a₀ + a₁·w³ + (b₀ + b₁·w³)·w + (c₀ + c₁·w³)·w² of the cyclotomic subgroup, without a.
#[derive(Clone, Copy, Debug)]
struct Compressed {
    b: [Fp2; 2],
    c: [Fp2; 2],
}

impl Compressed {
    /// Replaces the element by its square: b by 3·s·c² + 2·b̄ and c by 3·b² − 2·c̄, where s is w³ and the bar changes
    /// its sign.
    fn square(&mut self) {
        let (mut b_squared, mut c_squared, mut xi) =
            ([Fp2::default(); 2], [Fp2::default(); 2], Fp2::default());
        set_square(&mut b_squared, &self.b);
        set_square(&mut c_squared, &self.c);
        xi.set_xi_times(&c_squared[1]);
        self.b[0] += &xi;
        self.b[0].double();
        self.b[0] += &xi;
        self.b[1].subtract_from(&c_squared[0]);
        self.b[1].double();
        self.b[1] += &c_squared[0];
        self.c[0].subtract_from(&b_squared[0]);
        self.c[0].double();
        self.c[0] += &b_squared[0];
        self.c[1] += &b_squared[1];
        self.c[1].double();
        self.c[1] += &b_squared[1];
    }

    /// Returns the element, given 1 / (4·b₀).
    fn restored(&self, inverse: Fp2) -> blst_fp12 {
        let ([b0, b1], [c0, c1]) = (&self.b, &self.c);
        let mut g = blst_fp12::default();
        let mut squares = [Fp2::default(); 2];
        // a₁ = (ξ·c₁² + 3·c₀² − 2·b₁) / (4·b₀)
        squares[0].set_square(c0);
        squares[1].set_square(c1);
        let mut sum = Fp2::default();
        sum.set_xi_times(&squares[1]);
        sum += &squares[0];
        squares[0] -= b1;
        squares[0].double();
        sum += &squares[0];
        let a1 = sum * inverse;
        // a₀ = ξ·(2·a₁² + b₀·c₁ − 3·b₁·c₀) + 1
        let (b0_c1, b1_c0) = (*b0 * *c1, *b1 * *c0);
        sum.set_square(&a1);
        sum -= &b1_c0;
        sum.double();
        sum += &b0_c1;
        sum -= &b1_c0;
        let mut a0 = Fp2::default();
        a0.set_xi_times(&sum);
        a0 += &Fp2(g.fp6[0].fp2[0]);
        g.fp6[0].fp2 = [a0, *c0, *b1].map(|coefficient| coefficient.0);
        g.fp6[1].fp2 = [*b0, a1, *c1].map(|coefficient| coefficient.0);
        g
    }
}

/// Replaces `out` by the square of a + b·w³: a² + ξ·b², and 2·a·b from the square of a + b.
fn set_square(out: &mut [Fp2; 2], [a, b]: &[Fp2; 2]) {
    let (mut sum, mut b_squared) = (Fp2::default(), Fp2::default());
    sum.set_sum(a, b);
    b_squared.set_square(b);
    let [even, odd] = out;
    odd.set_square(&sum);
    even.set_square(a);
    *odd -= even;
    *odd -= &b_squared;
    sum.set_xi_times(&b_squared);
    *even += &sum;
}

/// Returns the conjugate over the sixth extension.
fn conjugate(value: &blst_fp12) -> blst_fp12 {
    let mut conjugate = *value;
    ffi::fp12_conjugate(&mut conjugate);
    conjugate
}

/// Returns the power to p^N, for N of 1 to 3.
pub(crate) fn frobenius<const N: usize>(value: &blst_fp12) -> blst_fp12 {
    let mut power = blst_fp12::default();
    ffi::fp12_frobenius::<N>(&mut power, value);
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{R, X_ABS};
    use crate::lanes::fp4::tests::rows;
    use crate::{Fr, G1, G2};

    /// Returns the value of a Miller loop, an element like any other.
    fn value(i: u64) -> blst_fp12 {
        let (p, q) =
            ((G1::generator() * Fr::from(i)).to_affine(), (G2::generator() * Fr::from(i + 7)).to_affine());
        blst_fp12::miller_loop(&q.0, &p.0)
    }

    /// Returns the power to a number of these words, by squaring and multiplying.
    fn raised(value: &blst_fp12, exponent: &[u64]) -> blst_fp12 {
        let bits = exponent.iter().rev().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1 == 1));
        bits.fold(blst_fp12::default(), |product, bit| {
            let square = product * product;
            if bit { square * *value } else { square }
        })
    }

    #[test]
    fn digits_are_those_of_x() {
        let mut digit = 0;
        let bits = SQUARINGS.map(|squarings| {
            digit += squarings;
            1u64 << digit
        });
        assert_eq!(bits.iter().sum::<u64>(), X_ABS);
    }

    #[test]
    fn powers_are_those_by_multiplication() {
        let mut elements: Vec<blst_fp12> = (1..5).map(|i| to_subgroup(&value(i))).collect();
        for element in &elements {
            let powers = compressed_powers(&squares, element).expect("no coefficient is 0");
            assert!(powers[0] == raised(element, &[1 << 16]) && powers[2] == raised(element, &[1 << 57]));
        }
        // Coefficients of 0, from which the others do not follow.
        elements.push(blst_fp12::default());
        assert!(compressed_powers(&squares, &elements[4]).is_none());
        for element in &elements {
            let pow_x = Element { value: *element, squares: &squares }.pow_x();
            assert!(pow_x.value == conjugate(&raised(element, &[X_ABS])));
        }
    }

    #[test]
    fn results_are_those_of_blst() {
        let one = blst_fp12::default();
        for i in 1..5 {
            let other = value(i);
            let root = raised(&other, &R);
            let all =
                [other, root, root * value(i + 10), conjugate(&root), root * root, other * conjugate(&other)];
            for row in rows() {
                let found = all.map(|value| row.functions.power(&value));
                assert!(
                    row.functions.power(&one) == one && found == all.map(|value| value.final_exp()),
                    "{row:?}, {i}"
                );
                assert_eq!(found.map(|value| value == one), [false, true, false, true, true, true], "{i}");
            }
        }
    }
}
