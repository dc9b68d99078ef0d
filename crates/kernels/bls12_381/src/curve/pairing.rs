//! The optimal ate pairing e: G1 × G2 → the roots of unity of order r in the twelfth extension of the base field.

use std::ops::{Mul, MulAssign};

use blst::{blst_fp6, blst_fp12};

use parcrypt_runtime::{Runtime, map_reduce};

use super::final_exponentiation;
use crate::dispatch::PairingRow;
use crate::field::fp::Words;
use crate::tower::{self, Fp2, invert_all};
use crate::{Error, G1Affine, G2Affine, ffi};

/// Number of lines of a Miller loop: 63 doublings and 5 additions.
pub(crate) const LINES: usize = 68;

/// The doublings after each addition of a Miller loop, which begins with a doubling: the binary digits of |x|.
const DOUBLINGS: [usize; 5] = [2, 3, 9, 32, 16];

/// Pairs whose Miller loops share the squarings of one accumulator. With fewer, the squarings of each task take the
/// larger part of its time.
const SHARED: usize = 8;

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

/// A point of G2 with the precomputed lines of its Miller loop, 13.1 kB.
#[derive(Clone)]
pub struct G2Prepared {
    point: G2Affine,
    lines: Box<[Line; LINES]>,
    /// Whether its Miller loop meets infinity, as for points of a small order outside of G2, for which there are no
    /// lines.
    meets_infinity: bool,
}

impl G2Prepared {
    /// Returns the point.
    pub fn point(&self) -> G2Affine {
        self.point
    }
}

impl std::fmt::Debug for G2Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("G2Prepared").field(&self.point).finish()
    }
}

impl G2Affine {
    /// Precomputes the lines of the Miller loop, for many pairings with this point.
    pub fn prepare(&self) -> G2Prepared {
        let mut lines = Box::new([Line::default(); LINES]);
        let mut meets_infinity = false;
        // Those of infinity are never used.
        if !self.is_identity() {
            let mut given = [blst_fp6::default(); LINES];
            ffi::precompute_lines(&mut given, &self.0);
            // A line is c₀ − 2·P.x·c₁·v + 2·P.y·c₂·v·w.
            let mut inverses = given.map(|line| Fp2(line.fp2[2]));
            meets_infinity = inverses.contains(&Fp2::default());
            invert_all(&mut inverses, |a, b| *a * *b, Fp2::inverse);
            for ((line, given), inverse) in lines.iter_mut().zip(&given).zip(&inverses) {
                let [constant, slope] = [0, 1].map(|i| Fp2(given.fp2[i]) * *inverse);
                *line = Line { constant: constant.half(), slope: -slope };
            }
        }
        G2Prepared { point: *self, lines, meets_infinity }
    }
}

/// An element of the group of order r in the twelfth extension of the base field, such as a value of the pairing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Gt(blst_fp12);

impl Gt {
    /// Returns 1.
    pub fn one() -> Self {
        Gt(blst_fp12::default())
    }

    /// Returns the inverse.
    pub fn inverse(mut self) -> Self {
        // The inverse is the conjugate over the sixth extension.
        ffi::fp12_conjugate(&mut self.0);
        self
    }
}

impl MulAssign for Gt {
    fn mul_assign(&mut self, other: Gt) {
        self.0 *= other.0;
    }
}

impl Mul for Gt {
    type Output = Gt;
    fn mul(mut self, other: Gt) -> Gt {
        self *= other;
        self
    }
}

impl std::fmt::Debug for Gt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Gt").field(&self.0.to_bendian()).finish()
    }
}

/// Returns the product of e(P, Q) over all pairs: a Miller loop for each eight pairs, in parallel, and one final
/// exponentiation.
///
/// A pair with the point at infinity contributes 1, and the empty product is 1. Values are those of blst and of
/// arkworks. Points that `from_raw` accepts outside of the subgroups have no meaning here.
///
/// ```
/// use parcrypt_bls12_381::pairing::{Gt, multi_pairing};
/// use parcrypt_bls12_381::{Fr, G1, G2, G2Affine, Request, dispatch};
/// let (rt, row) = (parcrypt_runtime::Serial, dispatch::select_pairing(Request::Auto)?);
/// let p = |scalar| (G1::generator() * Fr::from(scalar)).to_affine();
/// // Prepared once, for any number of pairings.
/// let [q, q_3] = [1, 3].map(|scalar| (G2::generator() * Fr::from(scalar)).to_affine().prepare());
///
/// let product = multi_pairing(&rt, row, &[(p(5), &q), (p(2), &q_3)])?;
/// assert_eq!(product, multi_pairing(&rt, row, &[(p(5 + 2 * 3), &q)])?, "e(5P, Q) · e(2P, 3Q) = e(11P, Q)");
/// assert_eq!(product * multi_pairing(&rt, row, &[(-p(11), &q)])?, Gt::one());
/// assert_eq!(multi_pairing(&rt, row, &[(p(5), &G2Affine::identity().prepare())])?, Gt::one());
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotInSubgroup`] where a Miller loop meets infinity, as for some points outside of G2.
pub fn multi_pairing(
    rt: &dyn Runtime,
    row: &PairingRow,
    pairs: &[(G1Affine, &G2Prepared)],
) -> Result<Gt, Error> {
    let finite = pairs.iter().filter(|(p, q)| !p.is_identity() && !q.point.is_identity());
    let finite: Vec<_> = finite.copied().collect();
    if finite.iter().any(|(_, q)| q.meets_infinity) {
        return Err(Error::NotInSubgroup);
    }
    let shared = |i: usize| &finite[i * SHARED..finite.len().min((i + 1) * SHARED)];
    let cost = row.costs.miller_loops(SHARED.min(finite.len()));
    let product = map_reduce(
        rt,
        finite.len().div_ceil(SHARED),
        cost,
        |i| miller_loops(row, shared(i)),
        |product, value| product * value,
    );
    // The value of a Miller loop is not 0, so the exponentiation is defined. Its conjugate corrects the sign of x.
    Ok(product.map_or(Gt::one(), |product| Gt(final_exponentiation::power(row, &product)).inverse()))
}

/// Returns whether the product of e(P, Q) over all pairs is 1; `false` where [`multi_pairing`] returns an error.
///
/// ```
/// use parcrypt_bls12_381::{G1Affine, G2Affine, Request, dispatch, pairing};
/// let (p, q) = (G1Affine::generator(), G2Affine::generator().prepare());
/// let (rt, row) = (parcrypt_runtime::Serial, dispatch::select_pairing(Request::Auto)?);
/// assert!(pairing::product_is_identity(&rt, row, &[(p, &q), (-p, &q)]), "e(P, Q) · e(−P, Q) = 1");
/// assert!(!pairing::product_is_identity(&rt, row, &[(p, &q)]));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
pub fn product_is_identity(rt: &dyn Runtime, row: &PairingRow, pairs: &[(G1Affine, &G2Prepared)]) -> bool {
    multi_pairing(rt, row, pairs).is_ok_and(|product| product == Gt::one())
}

/// Returns the product of the Miller loops of pairs without infinity, up to a factor in Fp2, and with the sign of x
/// ignored: the conjugate of what the definition has.
fn miller_loops(row: &PairingRow, pairs: &[(G1Affine, &G2Prepared)]) -> blst_fp12 {
    debug_assert!(pairs.iter().all(|(p, q)| !p.is_identity() && !q.point.is_identity()));
    let mut inverses: Vec<Words> = pairs.iter().map(|(p, _)| p.0.y.l).collect();
    invert_all(&mut inverses, product, inverse);
    let pairs = pairs.iter().zip(inverses);
    let pairs =
        pairs.map(|((p, q), inverse)| Pair { inverse, ratio: product(&inverse, &p.0.x.l), lines: &q.lines });
    let pairs: Vec<Pair> = pairs.collect();
    if let Some(lanes) = row.lanes {
        return lanes.miller_loops(&pairs);
    }
    let mut product = Product { values: [blst_fp12::default(); 2], second: false, pairs: &pairs };
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

/// Returns a · b.
fn product(a: &Words, b: &Words) -> Words {
    let mut product = [0; 6];
    ffi::fp_mul(&mut product, a, b);
    product
}

/// Returns 1 / a.
fn inverse(a: &Words) -> Words {
    let mut inverse = [0; 6];
    ffi::fp_inverse(&mut inverse, a);
    inverse
}

#[cfg(test)]
mod tests {
    use blst::blst_fp;
    use parcrypt_runtime::Serial;

    use super::*;
    use crate::lanes::quads::tests::rows;
    use crate::{Fr, G1, G2};

    /// The final exponentiation of the product of all pairings, by blst's Miller loops.
    fn by_blst(pairs: &[(G1Affine, G2Affine)]) -> blst_fp12 {
        let value = |(p, q): &(G1Affine, G2Affine)| blst_fp12::miller_loop(&q.0, &p.0);
        pairs.iter().map(value).fold(blst_fp12::default(), |product, value| product * value).final_exp()
    }

    /// The product of all pairings by arkworks.
    fn by_arkworks(pairs: &[(G1Affine, G2Affine)]) -> Gt {
        use ark_bls12_381::{Bls12_381, G1Affine as ArkG1, G2Affine as ArkG2};
        use ark_ec::pairing::Pairing;
        use ark_ff::PrimeField;
        use ark_serialize::CanonicalDeserialize;
        let p = pairs.iter().map(|(p, _)| ArkG1::deserialize_compressed(&p.to_compressed()[..]).unwrap());
        let q = pairs.iter().map(|(_, q)| ArkG2::deserialize_compressed(&q.to_compressed()[..]).unwrap());
        let value = Bls12_381::multi_pairing(p, q).0;
        let fp = |x: &ark_bls12_381::Fq| x.into_bigint().0;
        let fp2 = |x: &ark_bls12_381::Fq2| {
            let mut words = [fp(&x.c0), fp(&x.c1)];
            // To the form of blst, times 2^384.
            words.iter_mut().for_each(|words| {
                let mut bytes = [0; 48];
                bytes
                    .as_chunks_mut::<8>()
                    .0
                    .iter_mut()
                    .zip(words.iter().rev())
                    .for_each(|(b, w)| *b = w.to_be_bytes());
                let mut element = blst_fp::default();
                ffi::fp_from_bendian(&mut element, &bytes);
                *words = element.l;
            });
            Fp2::of_words(words)
        };
        let mut product = blst_fp12::default();
        let halves = tower::halves_mut(&mut product);
        for (half, of) in halves.into_iter().zip([&value.c0, &value.c1]) {
            *half = [fp2(&of.c0), fp2(&of.c1), fp2(&of.c2)];
        }
        Gt(product)
    }

    /// Products of 0, 1, 2, 9 and 33 pairs, with infinity on either side, equal and opposite points, on every row.
    #[test]
    fn products_of_pairings_are_those_of_blst() {
        let p = |i: u64| (G1::generator() * Fr::from(i * i + 5)).to_affine();
        let q = |i: u64| (G2::generator() * Fr::from(7 * i + 1)).to_affine();
        for count in [0, 1, 2, 9, 33] {
            let pairs: Vec<(G1Affine, G2Affine)> = (0..count)
                .map(|i| match i % 8 {
                    3 => (G1Affine::identity(), q(i)),
                    4 => (p(i), G2Affine::identity()),
                    5 => (p(i - 4), q(i - 4)),
                    6 => (-p(i - 4), q(i - 4)),
                    7 if i == 31 => (G1Affine::identity(), G2Affine::identity()),
                    _ => (p(i), q(i)),
                })
                .collect();
            // The loops of blst have no meaning at infinity.
            let finite = pairs.iter().filter(|(p, q)| !p.is_identity() && !q.is_identity());
            let expected = Gt(by_blst(&finite.copied().collect::<Vec<_>>()));
            let prepared: Vec<G2Prepared> = pairs.iter().map(|(_, q)| q.prepare()).collect();
            let both: Vec<_> = pairs.iter().zip(&prepared).map(|((p, _), q)| (*p, q)).collect();
            for row in rows() {
                let product = multi_pairing(&Serial, row, &both).unwrap();
                assert!(product == expected, "{count} pairs, {row:?}");
                assert!(product.inverse() * product == Gt::one());
                assert_eq!(product == Gt::one(), count == 0);
                assert_eq!(product_is_identity(&Serial, row, &both), count == 0);
            }
            let ark = (count < 3).then(|| by_arkworks(&pairs));
            assert!(ark.is_none_or(|value| value == expected), "{count} pairs by arkworks");
        }
    }

    #[test]
    fn infinity_alone_is_one() {
        let (p, q) = (G1Affine::generator(), G2Affine::generator().prepare());
        let infinity = G2Affine::identity().prepare();
        for row in rows() {
            for pair in [(G1Affine::identity(), &q), (p, &infinity), (G1Affine::identity(), &infinity)] {
                assert!(multi_pairing(&Serial, row, &[pair]) == Ok(Gt::one()));
                assert!(
                    multi_pairing(&Serial, row, &[pair, (p, &q)]) == multi_pairing(&Serial, row, &[(p, &q)])
                );
            }
        }
    }

    #[test]
    fn shared_loops_have_the_value_of_separate_ones() {
        for count in [1, 2, 3, SHARED, SHARED + 1] {
            let pairs: Vec<(G1Affine, G2Affine)> = (1..=count as u64)
                .map(|i| {
                    let p = (G1::generator() * Fr::from(i * i + 5)).to_affine();
                    (p, (G2::generator() * Fr::from(7 * i + 1)).to_affine())
                })
                .collect();
            let prepared: Vec<G2Prepared> = pairs.iter().map(|(_, q)| q.prepare()).collect();
            let both: Vec<_> = pairs.iter().zip(&prepared).map(|((p, _), q)| (*p, q)).collect();
            for row in rows() {
                let mut value = miller_loops(row, &both).final_exp();
                // The sign of x.
                ffi::fp12_conjugate(&mut value);
                assert!(value == by_blst(&pairs), "{count}");
                assert!(!product_is_identity(&Serial, row, &both));
                let mut all = both.clone();
                all.extend(both.iter().map(|(p, q)| (-*p, *q)));
                assert!(product_is_identity(&Serial, row, &all), "{count}");
                all[0].0 = G1Affine::identity();
                assert!(!product_is_identity(&Serial, row, &all), "{count}");
            }
        }
    }

    /// A point of order 13 outside of G2: |x| in binary begins with 1101, so its Miller loop meets infinity. With
    /// lines of zeros every product would be 1.
    #[test]
    fn a_point_of_small_order_proves_nothing() {
        // r times the cofactor of G2, divided by 13².
        const MULTIPLIER: &str = "4005449cda731a7136c440a0c65b728ba1c1fa6b6708356f3b9bdc84396cab33907d71557a7d33677f5d\
            45f7cedb8cfdac10ff1fc5b48d6461e907737d78e96568f2d18c750b4b3ca5c33c3fd8ff8a70629888281914529f4e3380941cfdd";
        let multiplied = |point: G2| {
            let digits = MULTIPLIER.chars().filter_map(|digit| digit.to_digit(16));
            let bits = digits.flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1));
            bits.fold(G2::identity(), |sum, bit| if bit { sum + sum + point } else { sum + sum })
        };
        let anywhere = (1..=255).filter_map(|byte| {
            let mut bytes = [0; 96];
            (bytes[0], bytes[95]) = (0x80, byte);
            let mut affine = G2Affine::identity();
            let found = ffi::p2_uncompress(&mut affine.0, &bytes);
            (found == blst::BLST_ERROR::BLST_SUCCESS).then(|| multiplied(affine.into()))
        });
        let small: Vec<G2> = anywhere.filter(|point| *point != G2::identity()).take(3).collect();
        assert_eq!(small.len(), 3);
        for point in small {
            assert!((0..12).fold(point, |sum, _| sum + point) == G2::identity(), "order 13");
            let point = G2Affine::from_raw(&point.to_affine().to_raw()).expect("a point of the curve");
            for row in rows() {
                let (p, q) = (G1Affine::generator(), point.prepare());
                assert_eq!(multi_pairing(&Serial, row, &[(p, &q)]), Err(Error::NotInSubgroup));
                assert!(!product_is_identity(&Serial, row, &[(p, &q)]));
            }
        }
    }
}
