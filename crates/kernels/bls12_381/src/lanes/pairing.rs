//! The parts of a pairing that take most of its time, in lanes: the Miller loop, and the hard part of the final
//! exponentiation.
//!
//! The twelfth extension is Fp4\[w\] / (w³ − s): an element is a + b·w + c·w².

use blst::blst_fp12;
use parcrypt_simd::Call;

use super::fp::{Element, FpLimbs};
use super::fp4::{Line, LineProduct, Reduced, Two};
use crate::curve::final_exponentiation::{self, Cyclotomic, SQUARINGS, hard_part};
use crate::curve::miller_loop::{Accumulator, Pair, run_miller_loops};
use crate::tower::{self, Fp2};

/// Functions of pairings of an instruction set.
pub(crate) trait PairingLanes: std::fmt::Debug + Sync + std::panic::RefUnwindSafe {
    /// Returns what [`miller_loops`] does.
    fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12;

    /// Returns the hard part of the final exponentiation of an element of the cyclotomic subgroup, as [`hard_part`]
    /// does.
    fn hard_part(&self, g: &blst_fp12) -> blst_fp12;
}

/// Returns the product of the Miller loops of some pairs.
#[inline(always)]
pub(crate) fn miller_loops<F: FpLimbs, const N: usize>(pairs: &[Pair]) -> blst_fp12 {
    let mut factors = Vec::with_capacity(pairs.len().div_ceil(2));
    for pairs in pairs.chunks(2) {
        let (a, b) = (&pairs[0], &pairs[pairs.len() - 1]);
        let (x, y, z, u) = (&a.inverse, &a.ratio, &b.inverse, &b.ratio);
        factors.push(Two::<F, N, 1, 1>::import_factor([x, x, y, y, z, z, u, u]));
    }
    let mut product = Product { value: Fp12::one(), pairs, factors };
    run_miller_loops(&mut product);
    product.value.export()
}

/// Returns what [`hard_part`] does.
#[inline(always)]
pub(crate) fn hard_part_in_lanes<F: FpLimbs, const N: usize>(g: &blst_fp12) -> blst_fp12 {
    hard_part(&Fp12::<F, N>::import(g)).export()
}

/// Returns b and c of the element a + b·w + c·w² of the cyclotomic subgroup after each of these numbers of squarings.
#[inline(always)]
pub(crate) fn squares<F: FpLimbs, const N: usize>(
    element: [[Fp2; 2]; 2],
    squarings: [usize; 3],
) -> [[[Fp2; 2]; 2]; 3] {
    let mut bc: Two<F, N, 1, 1> = import(&element[0], &element[1]);
    let mut powers = [element; 3];
    for (power, squarings) in powers.iter_mut().zip(squarings) {
        for _ in 0..squarings {
            bc = cyclotomic_squares(&bc);
        }
        *power = export(&bc);
    }
    powers
}

/// A product of lines.
struct Product<'a, F, const N: usize> {
    value: Fp12<F, N>,
    pairs: &'a [Pair<'a>],
    /// Factors of the coefficients of the lines of each two pairs.
    factors: Vec<Two<F, N, 1, 1>>,
}

impl<F: FpLimbs, const N: usize> Accumulator for Product<'_, F, N> {
    #[inline(always)]
    fn square(&mut self) {
        self.value = F::formula(Squared(&self.value));
    }

    #[inline(always)]
    fn times_lines(&mut self, line: usize) {
        for (pairs, factor) in self.pairs.chunks(2).zip(&self.factors) {
            let [a, b] = [&pairs[0], &pairs[pairs.len() - 1]].map(|pair| &pair.lines[line]);
            let ([c0, c1], [s0, s1]) = (a.constant.words(), a.slope.words());
            let ([c2, c3], [s2, s3]) = (b.constant.words(), b.slope.words());
            let lines = Two::import_times([c0, c1, s0, s1, c2, c3, s2, s3], factor);
            self.value = F::formula(TimesLine(&self.value, &lines.low().carried()));
            if pairs.len() == 2 {
                self.value = F::formula(TimesLine(&self.value, &lines.high().carried()));
            }
        }
    }
}

/// a + b·w + c·w²
#[derive(Clone, Copy, Debug)]
struct Fp12<F, const N: usize> {
    a: Reduced<F>,
    bc: Two<F, N, 1, 1>,
}

impl<F: FpLimbs, const N: usize> Fp12<F, N> {
    #[inline(always)]
    fn one() -> Self {
        Fp12 { a: Reduced::one(), bc: Two::zero() }
    }

    #[inline(always)]
    fn import(value: &blst_fp12) -> Self {
        let [a, b, c] = tower::to_fourth_extension(value);
        Fp12 { a: import::<F, N>(&a, &a).low(), bc: import(&b, &c) }
    }

    #[inline(always)]
    fn export(&self) -> blst_fp12 {
        let ([a, _], [b, c]) = (export(&Two::<F, N, 1, 1>::new(&self.a, &self.a)), export(&self.bc));
        tower::from_fourth_extension(&[a, b, c])
    }

    /// Returns the square: with t = (a − b + c)² the coefficients are a² + 2·s·b·c, 2·a·b + s·c² and 2·a·b + 2·b·c + t
    /// − a² − c² (J. Chung and M. A. Hasan, 'Asymmetric squaring formulae', 2007).
    #[inline(always)]
    fn squared(&self) -> Self {
        let (b, c) = (self.bc.low(), self.bc.high());
        let ac: Two<F, N, 1, 1> = Two::new(&self.a, &c);
        let sum: Element<F, 2, 2> = self.a.plus(&c);
        let sum: Element<F, 4, 4> = sum.minus(&b);
        let t = sum.square_of_same();
        let squares = ac.squares();
        let products = ac.plus(&ac).times(&b);
        let s_bc: Element<F, 9, 3> = products.high().s_times();
        let a: Element<F, 12, 4> = squares.low().plus(&s_bc);
        let s_c2: Element<F, 7, 3> = squares.high().s_times();
        // 2·b·c + t − a² − c²
        let others: Element<F, 6, 2> = squares.sum();
        let rest: Element<F, 9, 6> = products.high().plus(&t);
        let rest: Element<F, 16, 9> = rest.minus(&others);
        let bc: Two<F, N, 16, 9> = Two::new(&s_c2.widen(), &rest);
        let bc: Two<F, N, 20, 10> = bc.plus(&Two([products.low(); N]));
        Fp12 { a: a.reduced(), bc: bc.reduced() }
    }

    /// Returns the product with the line x + s + y·w²: a·x + s·b·y + s·a, b·x + s·c·y + s·b and c·x + a·y + s·c.
    #[inline(always)]
    fn times_line(&self, line: &Line<F>) -> Self {
        let (s_a, mut s_bc) = (self.a.s_times(), Two::<F, N, 3, 3>::zero());
        for (s_bc, bc) in s_bc.0.iter_mut().zip(&self.bc.0) {
            *s_bc = bc.s_times();
        }
        let crossed: Two<F, N, 3, 3> = Two::new(&s_bc.high(), &self.a.widen());
        let mut bc = Two::zero();
        for (i, bc) in bc.0.iter_mut().enumerate() {
            let (p, q, more) = (&self.bc.0[i], &crossed.0[i], &s_bc.0[i]);
            *bc = F::formula(LineProduct { p, q, line, more });
        }
        if N == 2 {
            let (p, q, more) = (&self.a, &s_bc.0[0], &s_a);
            return Fp12 { a: F::formula(LineProduct { p, q, line, more }), bc };
        }
        // a·x in the lower half of a vector, s·b·y in the upper one.
        let a_sb = Two::<F, N, 3, 3>::new(&self.a.widen(), &s_bc.low()).0[0];
        let i_a_sb: Element<F, 4, 4> = a_sb.i_times();
        let (first, second) = (line.permuted::<0o2222_0000>(), line.permuted::<0o3333_1111>());
        let products = a_sb.factor().times_plus_product(&first, &i_a_sb.factor(), &second);
        let sum: Element<F, 4, 2> = Two::<F, N, 2, 1>([products; N]).sum();
        let a: Element<F, 7, 5> = sum.plus(&s_a);
        Fp12 { a: a.reduced(), bc }
    }

    /// Returns the product: with u = a·x, v = b·y and t = c·z the coefficients are u + s·((b + c)·(y + z) − v − t),
    /// (a + b)·(x + y) − u − v + s·t and (a + c)·(x + z) − u − t + v (Karatsuba).
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let vt = self.bc.widen().times_each(&other.bc.widen());
        let both = self.sums().times_each(&other.sums());
        let u_bc = self.a_and_sum().times_each(&other.a_and_sum());
        // b·z + c·y
        let crossed: Element<F, 13, 4> = u_bc.high().minus(&vt.sum::<8, 2>());
        let s_crossed: Element<F, 27, 9> = crossed.s_times();
        let a: Element<F, 31, 10> = s_crossed.plus(&u_bc.low());
        let (v, t) = (vt.low(), vt.high());
        let st_v: Two<F, N, 9, 3> = Two::new(&t.s_times(), &v.widen());
        let mut bc = Two::zero();
        for (i, bc) in bc.0.iter_mut().enumerate() {
            let uvt: Element<F, 8, 2> = vt.0[i].plus(&u_bc.low());
            let rest: Element<F, 13, 4> = both.0[i].minus(&uvt);
            *bc = rest.plus::<9, 3, 22, 7>(&st_v.0[i]).reduced();
        }
        Fp12 { a: a.reduced(), bc }
    }

    /// Returns a and b + c.
    #[inline(always)]
    fn a_and_sum(&self) -> Two<F, N, 2, 2> {
        Two::new(&self.a.widen(), &self.bc.sum())
    }

    /// Returns a + b and a + c.
    #[inline(always)]
    fn sums(&self) -> Two<F, N, 2, 2> {
        self.bc.plus(&Two([self.a; N]))
    }

    /// Returns the square of an element of the cyclotomic subgroup.
    #[inline(always)]
    fn cyclotomic_squared(&self) -> Self {
        let square =
            if F::LANES == 4 { self.a.square().widen() } else { self.a.widen().square_of_same().widen() };
        Fp12 { a: cyclotomic_square(&self.a, &square, 0b0011_0011), bc: cyclotomic_squares(&self.bc) }
    }

    /// Returns the conjugate over the sixth extension.
    #[inline(always)]
    fn conjugate(&self) -> Self {
        let a: Element<F, 2, 2> = self.a.negative_in(0b1100_1100);
        Fp12 { a: a.reduced(), bc: self.bc.negative_in::<2, 2>(0b1100_0011).reduced() }
    }

    /// Returns the power to x, which is negative, of an element of the cyclotomic subgroup.
    #[inline(always)]
    fn pow_x(&self) -> Self {
        let (mut power, mut product) = (*self, Self::one());
        for squarings in SQUARINGS {
            for _ in 0..squarings {
                power = power.cyclotomic_squared();
            }
            product = F::outlined(Times(&product, &power));
        }
        product.conjugate()
    }
}

/// Returns b and c of the square of an element a + b·w + c·w² of the cyclotomic subgroup: 3·a² − 2·ā, 3·s·c² + 2·b̄ and
/// 3·b² − 2·c̄, where the bar changes the sign of s (R. Granger and M. Scott, 'Faster squaring in the cyclotomic
/// subgroup', 2010).
#[inline(always)]
fn cyclotomic_squares<F: FpLimbs, const N: usize>(bc: &Two<F, N, 1, 1>) -> Two<F, N, 1, 1> {
    let squares = bc.squares();
    let swapped: Two<F, N, 7, 3> = Two::new(&squares.high().s_times(), &squares.low().widen());
    let mut out = Two::zero();
    for (i, out) in out.0.iter_mut().enumerate() {
        *out = cyclotomic_square(&bc.0[i], &swapped.0[i].widen(), 0b0011_1100 >> (i * F::LANES));
    }
    out
}

/// Returns three times the square plus, or in the lanes of `minus` minus, twice the element.
#[inline(always)]
fn cyclotomic_square<F: FpLimbs>(element: &Reduced<F>, square: &Element<F, 7, 5>, minus: u8) -> Reduced<F> {
    let twice: Element<F, 2, 2> = element.plus(element);
    let double: Element<F, 14, 10> = square.plus(square);
    let triple: Element<F, 21, 15> = double.plus(square);
    let sum: Element<F, 24, 18> = triple.plus(&twice.negative_in::<3, 3>(minus));
    sum.reduced()
}

impl<F: FpLimbs, const N: usize> Cyclotomic for Fp12<F, N> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        F::outlined(Times(self, other))
    }

    #[inline(always)]
    fn squared(&self) -> Self {
        self.cyclotomic_squared()
    }

    #[inline(always)]
    fn conjugate(&self) -> Self {
        self.conjugate()
    }

    #[inline(always)]
    fn frobenius<const POWER: usize>(&self) -> Self {
        Fp12::import(&final_exponentiation::frobenius::<POWER>(&self.export()))
    }

    #[inline(always)]
    fn pow_x(&self) -> Self {
        F::outlined(PowX(self))
    }
}

/// The calls of [`Fp12::squared`], [`Fp12::times_line`], [`Fp12::times`] and [`Fp12::pow_x`].
struct Squared<'a, F, const N: usize>(&'a Fp12<F, N>);
struct TimesLine<'a, F, const N: usize>(&'a Fp12<F, N>, &'a Line<F>);
struct Times<'a, F, const N: usize>(&'a Fp12<F, N>, &'a Fp12<F, N>);
struct PowX<'a, F, const N: usize>(&'a Fp12<F, N>);

impl<F: FpLimbs, const N: usize> Call for Squared<'_, F, N> {
    type Result = Fp12<F, N>;

    #[inline(always)]
    fn call(self) -> Fp12<F, N> {
        self.0.squared()
    }
}

impl<F: FpLimbs, const N: usize> Call for TimesLine<'_, F, N> {
    type Result = Fp12<F, N>;

    #[inline(always)]
    fn call(self) -> Fp12<F, N> {
        self.0.times_line(self.1)
    }
}

impl<F: FpLimbs, const N: usize> Call for Times<'_, F, N> {
    type Result = Fp12<F, N>;

    #[inline(always)]
    fn call(self) -> Fp12<F, N> {
        Fp12::times(self.0, self.1)
    }
}

impl<F: FpLimbs, const N: usize> Call for PowX<'_, F, N> {
    type Result = Fp12<F, N>;

    #[inline(always)]
    fn call(self) -> Fp12<F, N> {
        self.0.pow_x()
    }
}

#[inline(always)]
fn import<F: FpLimbs, const N: usize>([a, b]: &[Fp2; 2], [c, d]: &[Fp2; 2]) -> Two<F, N, 1, 1> {
    let ([a0, a1], [a2, a3]) = (a.words(), b.words());
    let ([b0, b1], [b2, b3]) = (c.words(), d.words());
    Two::import([a0, a1, a2, a3, b0, b1, b2, b3])
}

#[inline(always)]
fn export<F: FpLimbs, const N: usize>(elements: &Two<F, N, 1, 1>) -> [[Fp2; 2]; 2] {
    let [a, b, c, d, e, f, g, h] = elements.export();
    [[Fp2::of_words([a, b]), Fp2::of_words([c, d])], [Fp2::of_words([e, f]), Fp2::of_words([g, h])]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::fp::limbs28::Limbs28;
    use crate::lanes::fp::limbs52::Limbs52;
    use crate::lanes::fp::tests::bounds::{By28, By52, all, check};
    use crate::lanes::intervals::{Intervals, Reduction};

    /// Each step of the Miller loop and of a power takes all elements within their bounds to such elements.
    fn steps_do_not_overflow<
        R: Reduction,
        F: FpLimbs<Word = Intervals<R, LANES>>,
        const LANES: usize,
        const N: usize,
    >() {
        let any = || Fp12::<F, N> { a: all(), bc: Two([all(); N]) };
        let results = [
            Fp12::one(),
            any().squared(),
            any().times_line(&all::<R, F, LANES, 1, 1>().carried()),
            any().times(&any()),
            any().cyclotomic_squared(),
            any().conjugate(),
        ];
        for Fp12 { a, bc } in results {
            check(&a);
            bc.0.iter().for_each(check);
        }
    }

    #[test]
    fn steps_of_28_bits_do_not_overflow() {
        steps_do_not_overflow::<_, Limbs28<Intervals<By28, 4>>, 4, 2>();
        steps_do_not_overflow::<_, Limbs28<Intervals<By28, 8>>, 8, 1>();
    }

    #[test]
    fn steps_of_52_bits_do_not_overflow() {
        steps_do_not_overflow::<_, Limbs52<Intervals<By52, 4>>, 4, 2>();
        steps_do_not_overflow::<_, Limbs52<Intervals<By52, 8>>, 8, 1>();
    }
}
