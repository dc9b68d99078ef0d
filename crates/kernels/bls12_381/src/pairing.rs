//! The optimal ate pairing e: G1 × G2 → the roots of unity of order r in the twelfth extension of the base field.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::ops::{Mul, MulAssign};
use std::panic::RefUnwindSafe;

use blst::blst_fp12;
use parcrypt_runtime::{Runtime, Serial, map_reduce};

use crate::arch::generic::blst::miller_loops;
use crate::dispatch::PairingRow;
use crate::{Error, G1Affine, G2Affine, G2Prepared, ffi};

/// The parts of pairings by a backend.
pub(crate) trait Pairing: Debug + Sync + RefUnwindSafe {
    /// Returns the product of the Miller loops of pairs of finite points, up to a factor that [`Pairing::power`] takes
    /// to 1; `None` if one meets infinity, as for some points outside of G2.
    fn miller_loops(&self, pairs: &[(G1Affine, &G2Prepared)]) -> Option<blst_fp12>;

    /// Returns the power of a value that is not 0 to 3·(p¹² − 1) / r.
    fn power(&self, value: &blst_fp12) -> blst_fp12;
}

/// Pairs whose Miller loops share the squarings of one accumulator. With fewer, the squarings of each task take the
/// larger part of its time.
const SHARED: usize = 8;

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

impl Gt {
    /// Returns the power to a small exponent: a squaring for each of its bits, and a product for each bit that is 1.
    ///
    /// ```
    /// use parcrypt_bls12_381::pairing::multi_pairing;
    /// use parcrypt_bls12_381::{Fr, G1, G1Affine, G2Affine, Request, dispatch};
    /// let (rt, row) = (parcrypt_runtime::Serial, dispatch::select_pairing(Request::Auto)?);
    /// let (p, p_6) = (G1Affine::generator(), (G1::generator() * Fr::from(6)).to_affine());
    /// let q = G2Affine::generator().prepare();
    /// let value = multi_pairing(&rt, row, &[(p, &q)])?;
    /// assert_eq!(value.pow_vartime(6), multi_pairing(&rt, row, &[(p_6, &q)])?);
    /// # Ok::<(), parcrypt_bls12_381::Error>(())
    /// ```
    pub fn pow_vartime(self, exponent: u64) -> Self {
        let bits = (0..u64::BITS - exponent.leading_zeros()).rev();
        bits.fold(Gt::one(), |power, bit| {
            let square = power * power;
            if exponent >> bit & 1 == 1 { square * self } else { square }
        })
    }
}

impl Hash for Gt {
    /// Hashes one coordinate: different elements of the group seldom share it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.fp6[0].fp2[0].fp[0].l.hash(state);
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
    let finite = pairs.iter().filter(|(p, q)| !p.is_identity() && !q.point().is_identity());
    let finite: Vec<_> = finite.copied().collect();
    let shared = |i: usize| &finite[i * SHARED..finite.len().min((i + 1) * SHARED)];
    let cost = row.costs.miller_loops(SHARED.min(finite.len()));
    let product = map_reduce(
        rt,
        finite.len().div_ceil(SHARED),
        cost,
        |i| row.functions.miller_loops(shared(i)),
        |product, value| Some(product? * value?),
    );
    // The value of a Miller loop is not 0, so the exponentiation is defined.
    let product = product.unwrap_or_else(|| Some(blst_fp12::default())).ok_or(Error::NotInSubgroup)?;
    Ok(Gt(row.functions.power(&product)))
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

/// Returns whether the product of e(P, Q) over all pairs is 1, on the calling thread, for points that are used once: as
/// [`product_is_identity`] does for prepared ones. Rows on which blst's Miller loops take less time than preparing the
/// points use those.
///
/// ```
/// use parcrypt_bls12_381::{G1Affine, G2Affine, Request, dispatch, pairing};
/// let (p, q) = (G1Affine::generator(), G2Affine::generator());
/// let row = dispatch::select_pairing(Request::Auto)?;
/// assert!(pairing::product_of_points_is_identity(row, &[(p, q), (-p, q)]), "e(P, Q) · e(−P, Q) = 1");
/// assert!(!pairing::product_of_points_is_identity(row, &[(p, q)]));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
pub fn product_of_points_is_identity(row: &PairingRow, pairs: &[(G1Affine, G2Affine)]) -> bool {
    let finite = pairs.iter().filter(|(p, q)| !p.is_identity() && !q.is_identity());
    if row.costs.prepares_once {
        let prepared: Vec<_> = finite.map(|(p, q)| (*p, q.prepare())).collect();
        let pairs: Vec<_> = prepared.iter().map(|(p, q)| (*p, q)).collect();
        return product_is_identity(&Serial, row, &pairs);
    }
    let finite: Vec<_> = finite.map(|(p, q)| (&p.0, &q.0)).collect();
    miller_loops(&finite).is_some_and(|value| row.functions.power(&value) == blst_fp12::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::fp4::tests::rows;
    use crate::{Fr, G1, G2};

    /// The final exponentiation of the product of all pairings, by blst's Miller loops.
    fn by_blst(pairs: &[(G1Affine, G2Affine)]) -> blst_fp12 {
        let value = |(p, q): &(G1Affine, G2Affine)| blst_fp12::miller_loop(&q.0, &p.0);
        pairs.iter().map(value).fold(blst_fp12::default(), |product, value| product * value).final_exp()
    }

    /// Products of 0 to 33 pairs, with infinity on either side, equal and opposite points, on every row; they are 1
    /// with the opposite pairs too, and not if one of all is left out.
    #[test]
    fn products_of_pairings_are_those_of_blst() {
        let p = |i: u64| (G1::generator() * Fr::from(i * i + 5)).to_affine();
        let q = |i: u64| (G2::generator() * Fr::from(7 * i + 1)).to_affine();
        for count in [0, 1, 2, SHARED as u64, SHARED as u64 + 1, 33] {
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
            let opposite = both.iter().map(|(p, q)| (-*p, *q));
            let all: Vec<_> = both.iter().copied().chain(opposite).collect();
            for row in rows() {
                let product = multi_pairing(&Serial, row, &both).unwrap();
                assert!(product == expected, "{count} pairs, {row:?}");
                assert!(product.inverse() * product == Gt::one());
                for (pairs, is_one) in
                    [(&both[..], count == 0), (&all, true), (&all[all.len().min(1)..], count == 0)]
                {
                    assert_eq!(product_is_identity(&Serial, row, pairs), is_one, "{count} pairs, {row:?}");
                    let points: Vec<_> = pairs.iter().map(|(p, q)| (*p, q.point())).collect();
                    assert_eq!(product_of_points_is_identity(row, &points), is_one, "{count} pairs, {row:?}");
                }
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
                assert!(!product_of_points_is_identity(row, &[(p, point)]));
                assert_eq!(multi_pairing(&Serial, row, &[(p, &q)]), Err(Error::NotInSubgroup));
                assert!(!product_is_identity(&Serial, row, &[(p, &q)]));
            }
        }
    }
}
