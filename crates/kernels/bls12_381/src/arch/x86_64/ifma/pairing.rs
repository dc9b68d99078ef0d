//! Pairings in eight lanes: the Miller loop, and the hard part of the final exponentiation.
//!
//! The twelfth extension is Fp4\[w\] / (w³ − s). The formulas are not those of four lanes
//! ([`lanes::pairing`](crate::lanes::pairing)): two coefficients share a vector here, a square in Fp4 has a formula of
//! its own, and no compressed element is restored.

use blst::blst_fp12;
use parcrypt_simd::{Call, U64x8};

use super::fp4::{Factor, Fp4Pair, Fp4Words, Operand, Reduced, Square, dot};
use crate::curve::final_exponentiation::{self, Cyclotomic, SQUARINGS, hard_part};
use crate::curve::miller_loop::{Accumulator, Pair, run_miller_loops};
use crate::lanes::pairing::PairingLanes;
use crate::tower::{self, Fp2};

/// An element between two operations.
type Element<V> = Fp4Pair<V, 2, 128>;

/// a + b·w + c·w², with a in both halves of the lanes, b and c in one each.
#[derive(Clone, Copy, Debug)]
struct Fp12<V> {
    a: Element<V>,
    bc: Element<V>,
}

impl<V: Fp4Words> Fp12<V> {
    #[inline(always)]
    fn one() -> Self {
        Fp12 { a: Reduced::one().widen(), bc: Element::zero() }
    }

    #[inline(always)]
    fn import(value: &blst_fp12) -> Self {
        let [a, b, c] = tower::to_fourth_extension(value);
        let ([a0, a1], [a2, a3]) = (a[0].words(), a[1].words());
        let ([b0, b1], [b2, b3]) = (b[0].words(), b[1].words());
        let ([c0, c1], [c2, c3]) = (c[0].words(), c[1].words());
        Fp12 {
            a: Reduced::import([a0, a1, a2, a3, a0, a1, a2, a3]).widen(),
            bc: Reduced::import([b0, b1, b2, b3, c0, c1, c2, c3]).widen(),
        }
    }

    #[inline(always)]
    fn export(&self) -> blst_fp12 {
        let [a0, a1, a2, a3, ..] = self.a.export();
        let [b0, b1, b2, b3, c0, c1, c2, c3] = self.bc.export();
        let element = |a, b, c, d| [Fp2::of_words([a, b]), Fp2::of_words([c, d])];
        tower::from_fourth_extension(&[
            element(a0, a1, a2, a3),
            element(b0, b1, b2, b3),
            element(c0, c1, c2, c3),
        ])
    }

    /// Returns the product: with u = a·x, v = b·y and t = c·z the coefficients are u + s·((b + c)·(y + z) − v − t),
    /// (a + b)·(x + y) − u − v + s·t and (a + c)·(x + z) − u − t + v (Karatsuba).
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let vt: Reduced<V> = self.bc.widen().times(&other.bc.widen());
        let sums: [Operand<V>; 2] = [self.a.plus(&self.bc), other.a.plus(&other.bc)];
        let both = sums[0].times(&sums[1]);
        let u_bc = self.a_and_sum().times(&other.a_and_sum());
        let u = u_bc.low_twice();
        // b·z + c·y
        let vt_sum: Fp4Pair<V, 4, 18> = vt.plus(&vt.swap());
        let crossed: Fp4Pair<V, 7, 28> = u_bc.high_twice().minus(&vt_sum);
        let s_crossed: Fp4Pair<V, 15, 57> = crossed.s_times();
        let a: Fp4Pair<V, 17, 66> = s_crossed.plus(&u);
        let uvt: Fp4Pair<V, 4, 18> = u.plus(&vt);
        let rest: Fp4Pair<V, 7, 28> = both.minus(&uvt);
        let t_v = vt.swap();
        let st_v: Fp4Pair<V, 5, 19> = t_v.s_times::<5, 19>().with_high(&t_v.widen());
        let bc: Fp4Pair<V, 12, 47> = rest.plus(&st_v);
        Fp12 { a: a.settle().widen(), bc: bc.settle().widen() }
    }

    /// Returns the square: with t = (a − b + c)² the coefficients are a² + 2·s·b·c, 2·a·b + s·c² and 2·a·b + 2·b·c + t
    /// − a² − c² (J. Chung and M. A. Hasan, 'Asymmetric squaring formulae', 2007).
    #[inline(always)]
    fn squared(&self) -> Self {
        let ac = self.a.with_high(&self.bc);
        let b = self.bc.low_twice();
        let squares = ac.widen().squares();
        let products = b.widen().times(&ac.plus(&ac));
        let sum: Fp4Pair<V, 7, 385> = ac.plus::<_, _, 4, 256>(&ac.swap()).minus(&b);
        let t = sum.widen().square_of_same();
        let bc2: Fp4Pair<V, 5, 19> = products.high_twice().s_times();
        let a: Fp4Pair<V, 13, 48> = squares.low_twice().plus(&bc2);
        let s_c2: Fp4Pair<V, 17, 59> = squares.high_twice().s_times();
        // 2·b·c + t − a² − c²
        let others: Fp4Pair<V, 16, 58> = squares.plus(&squares.swap());
        let rest: Fp4Pair<V, 10, 38> = products.high_twice().plus(&t);
        let rest: Fp4Pair<V, 27, 97> = rest.minus(&others);
        let bc: Fp4Pair<V, 29, 106> = s_c2.widen().with_high(&rest).plus(&products.low_twice());
        Fp12 { a: a.settle().widen(), bc: bc.settle().widen() }
    }

    /// Returns the square of an element of the cyclotomic subgroup: 3·a² − 2·ā, 3·s·c² + 2·b̄ and 3·b² − 2·c̄, where
    /// the bar changes the sign of s (R. Granger and M. Scott, 'Faster squaring in the cyclotomic subgroup', 2010).
    #[inline(always)]
    fn cyclotomic_squared(&self) -> Self {
        let (a, bc) = (self.a.widen().square_of_same(), self.bc.widen().swapped_squares());
        Fp12 {
            a: cyclotomic_square::<V, 0b0011_0011>(&self.a, &a),
            bc: cyclotomic_square::<V, 0b0011_1100>(&self.bc, &bc),
        }
    }

    /// Returns a and b + c.
    #[inline(always)]
    fn a_and_sum(&self) -> Operand<V> {
        self.a.widen().with_high(&self.bc.plus::<_, _, 4, 256>(&self.bc.swap())).widen()
    }

    /// Returns the product with the line x + s + y·w²: a·x + s·b·y + s·a, b·x + s·c·y + s·b and c·x + a·y + s·c.
    #[inline(always)]
    fn times_line(&self, line: &LineFactors<V>) -> Self {
        let LineFactors { x, y, mixed } = line;
        // s·b, and (s·c, a)
        let sbc: Fp4Pair<V, 5, 257> = self.bc.s_times();
        let cross: Fp4Pair<V, 5, 257> = sbc.swap().with_high(&self.a.widen());
        let a_sb: Fp4Pair<V, 5, 257> = self.a.widen().with_high(&sbc.swap());
        let first = dot([
            (&self.bc.carry().widen(), &x[0]),
            (&self.bc.i_times::<3, 129>().carry().widen::<258>(), &x[1]),
            (&cross.carry().widen(), &y[0]),
            (&cross.i_times::<6, 258>().carry().widen(), &y[1]),
        ]);
        let second: Reduced<V> = dot([
            (&a_sb.carry().widen::<258>(), &mixed[0]),
            (&a_sb.i_times::<6, 258>().carry().widen(), &mixed[1]),
        ]);
        // What is not multiplied would grow with each line.
        let s_a: Fp4Pair<V, 5, 257> = self.a.s_times();
        let a: Fp4Pair<V, 5, 20> = second.plus::<_, _, 4, 18>(&second.swap()).plus(&s_a.reduce());
        let bc: Fp4Pair<V, 3, 11> = first.plus(&sbc.reduce());
        Fp12 { a: a.settle().widen(), bc: bc.settle().widen() }
    }

    /// Returns the conjugate over the sixth extension.
    #[inline(always)]
    fn conjugate(&self) -> Self {
        Fp12 {
            a: self.a.reduce().negate_in::<0b1100_1100, 2, 128>(),
            bc: self.bc.reduce().negate_in::<0b1100_0011, 2, 128>(),
        }
    }
}

/// Returns three times the square plus, or in the lanes of `MINUS` minus, twice the element.
#[inline(always)]
fn cyclotomic_square<V: Fp4Words, const MINUS: u8>(element: &Element<V>, square: &Square<V>) -> Element<V> {
    let reduced = element.reduce();
    let twice: Fp4Pair<V, 2, 4> = reduced.plus(&reduced);
    let triple: Fp4Pair<V, 24, 87> = square.plus::<_, _, 16, 58>(square).plus(square);
    let sum: Fp4Pair<V, 27, 92> = triple.plus(&twice.negate_in::<MINUS, 3, 5>());
    sum.settle().widen()
}

/// The coefficients of a line x + s + y·w², each in all lanes, and one of x in the lower lanes with one of y in the
/// upper ones.
struct LineFactors<V> {
    x: [Factor<V, 9>; 2],
    y: [Factor<V, 9>; 2],
    mixed: [Factor<V, 9>; 2],
}

impl<V: Fp4Words> LineFactors<V> {
    /// Returns the factors, given the coefficients in lanes 0 to 3.
    #[inline(always)]
    fn of(line: &Factor<V, 9>) -> Self {
        LineFactors {
            x: [line.permute::<0o00000000>(), line.permute::<0o11111111>()],
            y: [line.permute::<0o22222222>(), line.permute::<0o33333333>()],
            mixed: [line.permute::<0o22220000>(), line.permute::<0o33331111>()],
        }
    }
}

/// A product of lines.
struct Product<'a, V> {
    value: Fp12<V>,
    pairs: &'a [Pair<'a>],
    /// Factors of the coefficients of the lines of each two pairs.
    factors: Vec<Factor<V, 9>>,
}

impl<V: Fp4Words> Accumulator for Product<'_, V> {
    #[inline(always)]
    fn square(&mut self) {
        self.value = self.value.squared();
    }

    #[inline(always)]
    fn times_lines(&mut self, line: usize) {
        for (pairs, factor) in self.pairs.chunks(2).zip(&self.factors) {
            let [a, b] = [&pairs[0], &pairs[pairs.len() - 1]].map(|pair| &pair.lines[line]);
            let ([c0, c1], [s0, s1]) = (a.constant.words(), a.slope.words());
            let ([c2, c3], [s2, s3]) = (b.constant.words(), b.slope.words());
            let lines = Reduced::import_times([c0, c1, s0, s1, c2, c3, s2, s3], factor);
            self.value = self.value.times_line(&LineFactors::of(&lines.carry()));
            if pairs.len() == 2 {
                self.value = self.value.times_line(&LineFactors::of(&lines.swap().carry()));
            }
        }
    }
}

/// Returns the product of the Miller loops of some pairs.
#[inline(always)]
fn miller_loops<V: Fp4Words>(pairs: &[Pair]) -> blst_fp12 {
    let mut factors = Vec::with_capacity(pairs.len().div_ceil(2));
    for pairs in pairs.chunks(2) {
        let (a, b) = (&pairs[0], &pairs[pairs.len() - 1]);
        let (x, y, z, u) = (&a.inverse, &a.ratio, &b.inverse, &b.ratio);
        factors.push(Reduced::<V>::import_factor([x, x, y, y, z, z, u, u]));
    }
    let mut product = Product { value: Fp12::one(), pairs, factors };
    run_miller_loops(&mut product);
    product.value.export()
}

impl<V: Fp4Words> Fp12<V> {
    /// Returns the power to x, which is negative, of an element of the cyclotomic subgroup.
    #[inline(always)]
    fn pow_x(&self) -> Self {
        let (mut power, mut product) = (*self, Self::one());
        for squarings in SQUARINGS {
            for _ in 0..squarings {
                power = power.cyclotomic_squared();
            }
            product = V::outlined_52(Times(&product, &power));
        }
        product.conjugate()
    }
}

impl<V: Fp4Words> Cyclotomic for Fp12<V> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        V::outlined_52(Times(self, other))
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
    fn frobenius<const N: usize>(&self) -> Self {
        Fp12::import(&final_exponentiation::frobenius::<N>(&self.export()))
    }

    #[inline(always)]
    fn pow_x(&self) -> Self {
        V::outlined_52(PowX(self))
    }
}

/// The calls of [`Fp12::times`] and [`Fp12::pow_x`].
struct Times<'a, V>(&'a Fp12<V>, &'a Fp12<V>);
struct PowX<'a, V>(&'a Fp12<V>);

impl<V: Fp4Words> Call for Times<'_, V> {
    type Result = Fp12<V>;

    #[inline(always)]
    fn call(self) -> Fp12<V> {
        Fp12::times(self.0, self.1)
    }
}

impl<V: Fp4Words> Call for PowX<'_, V> {
    type Result = Fp12<V>;

    #[inline(always)]
    fn call(self) -> Fp12<V> {
        self.0.pow_x()
    }
}

parcrypt_cpu::methods! { Ifma: PairingLanes;
    miller_loops(pairs: &[Pair]) -> blst_fp12 = miller_loops::<U64x8<Here>>;
    hard_part(g: &blst_fp12) -> blst_fp12 = hard_part_in_lanes::<U64x8<Here>>;
}

/// Returns what [`hard_part`] does.
#[inline(always)]
fn hard_part_in_lanes<V: Fp4Words>(g: &blst_fp12) -> blst_fp12 {
    hard_part(&Fp12::<V>::import(g)).export()
}

#[cfg(test)]
mod bounds;

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_cpu::{Backend, Row};

    use super::*;
    use crate::arch::x86_64::ifma::fp4::tests::agrees_with_arkworks;
    use crate::costs::PairingCosts;
    use crate::dispatch::{PairingFunctions, PairingRow};

    /// The model as a backend.
    #[derive(Debug)]
    struct Model;

    impl PairingLanes for Model {
        fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12 {
            miller_loops::<[u64; 8]>(pairs)
        }

        fn hard_part(&self, g: &blst_fp12) -> blst_fp12 {
            hard_part_in_lanes::<[u64; 8]>(g)
        }
    }

    pub(crate) static MODEL: PairingRow =
        Row::new(Backend::Portable, PairingFunctions::in_lanes(&Model, PairingCosts::IFMA));

    parcrypt_cpu::test_on! { Ifma:
        fn vectors_agree_with_arkworks() {
            agrees_with_arkworks::<U64x8<Here>>();
        }
    }
}
