//! The optimal ate pairing e: G1 × G2 → the roots of unity of order r in the twelfth extension of the base field.
#![allow(unsafe_code, reason = "wraps blst")]

use blst::{blst_fp6, blst_fp12, blst_miller_loop_lines, blst_precompute_lines};

use parcrypt_runtime::{Cost, Runtime, map_reduce};

use crate::costs::MILLER_LOOP_NS;
use crate::{G1Affine, G2Affine};

/// Number of lines of a Miller loop: 63 doublings and 5 additions.
const LINES: usize = 68;

/// A point of G2 with the precomputed lines of its Miller loop, 19.6 kB.
#[derive(Clone)]
pub struct G2Prepared {
    point: G2Affine,
    lines: Box<[blst_fp6; LINES]>,
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
        let mut lines = Box::new([blst_fp6::default(); LINES]);
        // SAFETY: reads one point and writes 68 lines. Those of infinity are never read.
        unsafe { blst_precompute_lines(lines.as_mut_ptr(), &self.0) };
        G2Prepared { point: *self, lines }
    }
}

/// Returns whether the product of e(P, Q) over all pairs is 1: a Miller loop for each pair, in parallel, and one final
/// exponentiation.
///
/// A pair with the point at infinity contributes 1, and the empty product is 1.
///
/// ```
/// use parcrypt_bls12_381::{G1Affine, G2Affine, pairing};
/// let (p, q) = (G1Affine::generator(), G2Affine::generator().prepare());
/// let rt = parcrypt_runtime::Serial;
/// assert!(pairing::product_is_one(&rt, &[(p, &q), (-p, &q)]), "e(P, Q) · e(−P, Q) = 1");
/// assert!(!pairing::product_is_one(&rt, &[(p, &q)]));
/// ```
pub fn product_is_one(rt: &dyn Runtime, pairs: &[(G1Affine, &G2Prepared)]) -> bool {
    let finite = pairs.iter().filter(|(p, q)| !p.is_identity() && !q.point.is_identity());
    let finite: Vec<_> = finite.collect();
    let miller_loop = |i: usize| {
        let (p, q) = finite[i];
        let mut value = blst_fp12::default();
        // SAFETY: reads 68 lines, which `prepare` computed, and one point, and writes one element.
        unsafe { blst_miller_loop_lines(&raw mut value, q.lines.as_ptr(), &p.0) };
        value
    };
    let product =
        map_reduce(rt, finite.len(), Cost::ns(MILLER_LOOP_NS), miller_loop, |product, value| product * value);
    // The value of a Miller loop is not 0, so the exponentiation is defined.
    product.is_none_or(|product| product.final_exp() == blst_fp12::default())
}
