//! The Miller loop of the pairing: the lines of a point of G2, and their product for many pairs.

use blst::{blst_fp6, blst_fp12};

use super::final_exponentiation::to_subgroup;
use crate::field::fp::{self, Words, product};
use crate::field::invert_all;
use crate::lanes::pairing::PairingLanes;
use crate::pairing::Pairing;
use crate::tower::{self, Fp2};
use crate::{G1Affine, G2Affine, G2Prepared, ffi};

/// Number of lines of a Miller loop: 63 doublings and 5 additions.
pub(crate) const LINES: usize = 68;

/// The doublings after each addition of a Miller loop, which begins with a doubling: the binary digits of |x|.
const DOUBLINGS: [usize; 5] = [2, 3, 9, 32, 16];

/// The line through points of the Miller loop, at a point P of G1, divided by its last coefficient:
/// constant·(1 / P.y) + slope·(P.x / P.y)·v + v·w. Factors in Fp2 do not change the final exponentiation's result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    pub(crate) constant: Fp2,
    pub(crate) slope: Fp2,
}

/// A point P of G1 and the lines of a point of G2, both finite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    /// 1 / P.y
    pub(crate) inverse: Words,
    /// P.x / P.y
    pub(crate) ratio: Words,
    pub(crate) lines: &'a [Line; LINES],
}

/// The lines of the Miller loop of a point of G2, 13.1 kB.
#[derive(Clone)]
pub(crate) struct Lines {
    lines: Box<[Line; LINES]>,
    /// Whether the loop meets infinity, as for points of a small order outside of G2, for which there are no lines.
    meets_infinity: bool,
}

impl Lines {
    pub(crate) fn new(point: &G2Affine) -> Self {
        let mut lines = Box::new([Line::default(); LINES]);
        let mut meets_infinity = false;
        // Those of infinity are never used.
        if !point.is_identity() {
            let mut given = [blst_fp6::default(); LINES];
            ffi::precompute_lines(&mut given, &point.0);
            // A line is c₀ − 2·P.x·c₁·v + 2·P.y·c₂·v·w.
            let mut inverses = given.map(|line| Fp2(line.fp2[2]));
            meets_infinity = inverses.contains(&Fp2::default());
            invert_all(&mut inverses, |a, b| *a * *b, Fp2::inverse);
            for ((line, given), inverse) in lines.iter_mut().zip(&given).zip(&inverses) {
                let [constant, slope] = [0, 1].map(|i| Fp2(given.fp2[i]) * *inverse);
                *line = Line { constant: constant.half(), slope: -slope };
            }
        }
        Lines { lines, meets_infinity }
    }
}

/// Backends that have their own steps of the Miller loop and of the final exponentiation.
impl<L: PairingLanes> Pairing for L {
    fn miller_loops(&self, pairs: &[(G1Affine, &G2Prepared)]) -> Option<blst_fp12> {
        if pairs.iter().any(|(_, q)| q.lines.meets_infinity) {
            return None;
        }
        let mut product = PairingLanes::miller_loops(self, &self::pairs(pairs));
        // The sign of x is ignored there.
        ffi::fp12_conjugate(&mut product);
        Some(product)
    }

    fn power(&self, value: &blst_fp12) -> blst_fp12 {
        self.hard_part(&to_subgroup(value))
    }
}

/// Returns the pairs of finite points.
pub(crate) fn pairs<'a>(points: &[(G1Affine, &'a G2Prepared)]) -> Vec<Pair<'a>> {
    debug_assert!(points.iter().all(|(p, q)| !p.is_identity() && !q.point().is_identity()));
    let mut inverses: Vec<Words> = points.iter().map(|(p, _)| p.0.y.l).collect();
    fp::invert_all(&mut inverses);
    let pairs = points.iter().zip(inverses);
    pairs
        .map(|((p, q), inverse)| Pair { inverse, ratio: product(&inverse, &p.0.x.l), lines: &q.lines.lines })
        .collect()
}

/// Returns the product of the Miller loops of pairs by blst, up to a factor in Fp2, and with the sign of x ignored: the
/// conjugate of what the definition has.
pub(crate) fn miller_loops(pairs: &[Pair<'_>]) -> blst_fp12 {
    let mut product = Product { values: [blst_fp12::default(); 2], second: false, pairs };
    run_miller_loops(&mut product);
    *product.read_and_write().0
}

/// A product of lines that grows.
pub(crate) trait Accumulator {
    /// Squares the product.
    fn square(&mut self);

    /// Multiplies it by the lines of this number of all pairs.
    fn times_lines(&mut self, line: usize);
}

/// Multiplies 1 by the lines of pairs, in the order of the Miller loop.
#[inline(always)]
pub(crate) fn run_miller_loops(product: &mut impl Accumulator) {
    let mut line = 0;
    // An addition, or the first doubling, comes before each run of doublings.
    for doublings in [0].into_iter().chain(DOUBLINGS) {
        for doubling in 0..=doublings {
            if doubling > 0 {
                product.square();
            }
            product.times_lines(line);
            line += 1;
        }
    }
    debug_assert_eq!(line, LINES);
}

/// A product of lines by blst. Each operation reads one of two values and writes the other.
struct Product<'a> {
    values: [blst_fp12; 2],
    /// Whether the second is the product.
    second: bool,
    pairs: &'a [Pair<'a>],
}

impl Product<'_> {
    /// Returns the product and the other value.
    fn read_and_write(&mut self) -> (&blst_fp12, &mut blst_fp12) {
        let [a, b] = &mut self.values;
        if self.second { (b, a) } else { (a, b) }
    }
}

impl Accumulator for Product<'_> {
    fn square(&mut self) {
        let (value, out) = self.read_and_write();
        ffi::fp12_sqr(out, value);
        self.second ^= true;
    }

    fn times_lines(&mut self, line: usize) {
        for Pair { inverse, ratio, lines } in self.pairs {
            let (mut x, mut y) = (Fp2::default(), Fp2::default());
            x.set_scaled(&lines[line].constant, inverse);
            y.set_scaled(&lines[line].slope, ratio);
            let (value, out) = self.read_and_write();
            times_line(out, value, &x, &y);
            self.second ^= true;
        }
    }
}

/// Replaces `out` by value · (x + y·v + v·w): ten products in Fp2.
fn times_line(out: &mut blst_fp12, value: &blst_fp12, x: &Fp2, y: &Fp2) {
    let ([a, b], [out_a, out_b]) = (tower::halves(value), tower::halves_mut(out));
    let (mut sum, mut xi, mut product) = (Fp2::default(), Fp2::default(), [Fp2::default(); 3]);
    sum.set_sum(x, y);
    times_sparse(&mut product, a, [x, y, &sum]);
    // The other half times v·w·w, which is v².
    xi.set_xi_times(&b[1]);
    out_a[0].set_sum(&product[0], &xi);
    xi.set_xi_times(&b[2]);
    out_a[1].set_sum(&product[1], &xi);
    out_a[2].set_sum(&product[2], &b[0]);
    times_sparse(&mut product, b, [x, y, &sum]);
    // The other half times v.
    xi.set_xi_times(&a[2]);
    out_b[0].set_sum(&product[0], &xi);
    out_b[1].set_sum(&product[1], &a[0]);
    out_b[2].set_sum(&product[2], &a[1]);
}

/// Replaces `out` by the product of an element of the sixth extension and x + y·v, given x + y: five products in Fp2.
fn times_sparse(out: &mut [Fp2; 3], [a, b, c]: &[Fp2; 3], [x, y, sum]: [&Fp2; 3]) {
    let [low, middle, high] = out;
    let (mut first, mut second, mut factor) = (Fp2::default(), Fp2::default(), Fp2::default());
    first.set_product(a, x);
    second.set_product(b, y);
    factor.set_sum(a, b);
    middle.set_product(&factor, sum);
    *middle -= &first;
    *middle -= &second;
    factor.set_product(c, y);
    low.set_xi_times(&factor);
    *low += &first;
    high.set_product(c, x);
    *high += &second;
}
