//! The parts of a pairing that take most of its time, in lanes: the Miller loop, and squarings in the cyclotomic
//! subgroup.
//!
//! The twelfth extension is Fp4\[w\] / (w³ − s): an element is a + b·w + c·w², each of which is in four lanes.

use blst::blst_fp12;

use super::fp4::{Fp4, Fp4Words, Multiples, Reduced, dot};
use crate::curve::miller_loop::{Accumulator, Line, Pair, run_miller_loops};
use crate::tower::{self, Fp2};

/// Functions of pairings of an instruction set.
pub(crate) trait PairingLanes: std::fmt::Debug + Sync + std::panic::RefUnwindSafe {
    /// Returns what [`miller_loops`] does.
    fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12;

    /// Returns the hard part of the final exponentiation of an element of the cyclotomic subgroup, as
    /// [`hard_part`](crate::curve::final_exponentiation::hard_part) does.
    fn hard_part(&self, g: &blst_fp12) -> blst_fp12;
}

/// Returns the product of the Miller loops of some pairs.
#[inline(always)]
pub(crate) fn miller_loops<W: Fp4Words>(pairs: &[Pair]) -> blst_fp12 {
    let mut factors = Vec::with_capacity(pairs.len());
    for Pair { inverse, ratio, .. } in pairs {
        factors.push(Reduced::<W>::import_factor([inverse, inverse, ratio, ratio]));
    }
    let one = Fp12 { a: Reduced::one(), b: Reduced::zero(), c: Reduced::zero() };
    let mut product = Product { value: one, pairs, factors };
    run_miller_loops(&mut product);
    let Fp12 { a, b, c } = product.value;
    tower::from_fourth_extension(&[export(&a), export(&b), export(&c)])
}

/// Returns b and c of the element a + b·w + c·w² of the cyclotomic subgroup after each of these numbers of squarings.
#[inline(always)]
pub(crate) fn squares<W: Fp4Words>(element: [[Fp2; 2]; 2], squarings: [usize; 3]) -> [[[Fp2; 2]; 2]; 3] {
    let [mut b, mut c]: [Reduced<W>; 2] = [import(&element[0]), import(&element[1])];
    let mut powers = [element; 3];
    for (power, squarings) in powers.iter_mut().zip(squarings) {
        for _ in 0..squarings {
            // b becomes 3·s·c² + 2·b̄ and c becomes 3·b² − 2·c̄.
            (b, c) = (
                square(&c.s_multiples()[1], &c, &b.twice_conjugate()),
                square(&b.multiples(), &b, &c.minus_twice_conjugate()),
            );
        }
        *power = [export(&b), export(&c)];
    }
    powers
}

/// Returns three times the product of an element, whose multiples are given, and another, plus `more`.
#[inline(always)]
fn square<W: Fp4Words>(multiples: &Multiples<W, 4>, element: &Reduced<W>, more: &Fp4<W, 4, 4>) -> Reduced<W> {
    let double: Fp4<W, 2, 2> = element.plus(element);
    let triple: Fp4<W, 3, 3> = double.plus(element);
    dot([multiples.each_ref()], [&triple.carried().element()], more)
}

/// A product of lines.
struct Product<'a, W> {
    value: Fp12<W>,
    pairs: &'a [Pair<'a>],
    /// Factors of the coefficients of each pair's lines.
    factors: Vec<Reduced<W>>,
}

impl<W: Fp4Words> Accumulator for Product<'_, W> {
    #[inline(always)]
    fn square(&mut self) {
        self.value = self.value.squared();
    }

    #[inline(always)]
    fn times_lines(&mut self, line: usize) {
        for (pair, factor) in self.pairs.iter().zip(&self.factors) {
            let Line { constant, slope } = &pair.lines[line];
            let [[c0, c1], [s0, s1]] = [constant.words(), slope.words()];
            let line = Reduced::import_times([c0, c1, s0, s1], factor);
            self.value = self.value.times_line(&line);
        }
    }
}

/// a + b·w + c·w²
#[derive(Clone, Copy)]
struct Fp12<W> {
    a: Reduced<W>,
    b: Reduced<W>,
    c: Reduced<W>,
}

impl<W: Fp4Words> Fp12<W> {
    /// Returns the square: a² + 2·s·b·c, 2·a·b + s·c² and 2·a·c + b².
    #[inline(always)]
    fn squared(&self) -> Self {
        let Fp12 { a, b, c } = self;
        let ([bm, sb], [_, sc]) = (b.s_multiples(), c.s_multiples());
        let [am, bm, sb, sc] = [carried(&a.multiples()), carried(&bm), carried(&sb), carried(&sc)];
        let [double_b, double_c]: [Fp4<W, 2, 2>; 2] = [b.plus(b), c.plus(c)];
        let [double_b, double_c] = [double_b.carried().element(), double_c.carried().element()];
        let [a, b, c] = [a.widen(), b.widen(), c.widen()];
        Fp12 {
            a: two_products(&am, &a, &sb, &double_c),
            b: two_products(&am, &double_b, &sc, &c),
            c: two_products(&am, &double_c, &bm, &b),
        }
    }

    /// Returns the product with the line x + s + y·w², given x₀ + x₁·i + (y₀ + y₁·i)·s: a·x + s·b·y + s·a, b·x +
    /// s·c·y + s·b and c·x + a·y + s·c.
    #[inline(always)]
    fn times_line(&self, line: &Reduced<W>) -> Self {
        let [a, b, c] = [self.a.multiples(), self.b.multiples(), self.c.multiples()];
        Fp12 {
            a: dot([[&a[0], &a[1], &b[2], &b[3]]], [line], &a[2]),
            b: dot([[&b[0], &b[1], &c[2], &c[3]]], [line], &b[2]),
            c: dot([[&c[0], &c[1], &a[0], &a[1]]], [line], &c[2]),
        }
    }
}

/// Returns the same multiples in smaller limbs.
#[inline(always)]
fn carried<W: Fp4Words>([a, b, c, d]: &Multiples<W, 4>) -> Multiples<W, 2> {
    [
        a.carried().element().widen(),
        b.carried().element().widen(),
        c.carried().element().widen(),
        d.carried().element().widen(),
    ]
}

/// Returns the sum of two products.
#[inline(always)]
fn two_products<W: Fp4Words>(
    x: &Multiples<W, 2>,
    y: &Fp4<W, 1, 2>,
    z: &Multiples<W, 2>,
    u: &Fp4<W, 1, 2>,
) -> Reduced<W> {
    dot([x.each_ref(), z.each_ref()], [y, u], &Reduced::zero())
}

#[inline(always)]
fn import<W: Fp4Words>(element: &[Fp2; 2]) -> Reduced<W> {
    let [[a, b], [c, d]] = [element[0].words(), element[1].words()];
    Reduced::import([a, b, c, d])
}

#[inline(always)]
fn export<W: Fp4Words>(element: &Reduced<W>) -> [Fp2; 2] {
    let [a, b, c, d] = element.export();
    [Fp2::of_words([a, b]), Fp2::of_words([c, d])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::fp::tests::bounds::all;
    use crate::lanes::fp4::bounds::{Model, check};

    /// Each step of the Miller loop and of the powers takes all reduced elements to reduced ones.
    #[test]
    fn steps_do_not_overflow() {
        let value: Fp12<Model> = Fp12 { a: all(), b: all(), c: all() };
        let line: Reduced<Model> = all();
        for Fp12 { a, b, c } in [value.squared(), value.times_line(&line)] {
            [a, b, c].iter().for_each(check);
        }
        let (b, c): (Reduced<Model>, Reduced<Model>) = (all(), all());
        check(&square(&c.s_multiples()[1], &c, &b.twice_conjugate()));
        check(&square(&b.multiples(), &b, &c.minus_twice_conjugate()));
    }
}
