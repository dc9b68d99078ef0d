//! blst's own functions: sums of products by its multi-scalar multiplication, and validation of one point after the
//! other.

use std::sync::Arc;

use blst::{blst_fp6, blst_fp12, blst_p1_affine, blst_p2_affine};
use parcrypt_runtime::{Cost, Runtime, map};

use crate::constants::{BETA, ZETA};
use crate::costs::{BLST_MSM_NS, ns};
use crate::curve::validation::{PointValidation, by_blst};
use crate::dispatch::FpRow;
use crate::msm::{FixedPoints, Msm, Scalars, msm_fastest_vartime};
use crate::pairing::Pairing;
use crate::{Error, Fr, G1, G1Affine, G2Prepared, ffi};

/// The backend `blst`.
#[derive(Debug)]
pub(crate) struct Blst;

impl PointValidation for Blst {
    fn decompress(&self, compressed: &[&[u8; 48]], members: bool, out: &mut [Result<G1Affine, Error>]) {
        compressed.iter().zip(out).for_each(|(bytes, out)| *out = by_blst(bytes, members));
    }

    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool {
        points.iter().all(G1Affine::is_in_subgroup)
    }
}

impl Msm for Blst {
    fn cost(&self, _: &FpRow, length: Scalars, points: usize) -> Cost {
        let [all, each] = BLST_MSM_NS;
        ns(length.part() * (all + points as f64 * each))
    }

    fn msm(
        &self,
        rt: &dyn Runtime,
        row: &'static FpRow,
        length: Scalars,
        points: &[G1Affine],
        scalars: &[Fr],
    ) -> Result<G1, Error> {
        /// Points of a task.
        const GRAIN: usize = 1024;
        let pieces: Vec<_> = points.chunks(GRAIN).zip(scalars.chunks(GRAIN)).collect();
        let sums = map(rt, pieces.len(), self.cost(row, length, GRAIN), |i| sum(pieces[i].0, pieces[i].1));
        Ok(sums.into_iter().fold(G1::identity(), |sum, piece| sum + piece))
    }

    fn fixed(
        &self,
        row: &'static FpRow,
        points: &[G1Affine],
        _: usize,
    ) -> Result<Arc<dyn FixedPoints>, Error> {
        Ok(Arc::new(Points { row, points: points.to_vec() }))
    }
}

/// Returns Σ scalars\[i\] · points\[i\], each as a·P + b·ζP, where a + b·ζ is the scalar.
fn sum(points: &[G1Affine], scalars: &[Fr]) -> G1 {
    // blst has no place for infinity.
    let finite = points.iter().zip(scalars).filter(|(point, _)| !point.is_identity());
    let (points, scalars): (Vec<_>, Vec<_>) = finite
        .flat_map(|(point, scalar)| [point.0, times_zeta(&point.0)].into_iter().zip(halves(scalar)))
        .unzip();
    G1(ffi::p1s_mult(&points, &scalars))
}

/// Returns ζ·(x, y) = (β²x, −y), where β²x = −x − βx.
fn times_zeta(point: &blst_p1_affine) -> blst_p1_affine {
    let mut multiple = *point;
    ffi::fp_mul(&mut multiple.x.l, &BETA, &point.x.l);
    ffi::fp_add_assign(&mut multiple.x, &point.x);
    ffi::fp_neg(&mut multiple.x);
    ffi::fp_neg(&mut multiple.y);
    multiple
}

/// Returns a and b of the scalar a + b·ζ, both below ζ + 1: the remainder and the quotient of its integer by ζ.
fn halves(scalar: &Fr) -> [u128; 2] {
    let bits = scalar.to_bytes().into_iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold([0, 0], |[a, b]: [u128; 2], bit| {
        // The remainder may have a bit more.
        let next = a << 1 | u128::from(bit);
        if a >> 127 == 1 || next >= ZETA { [next.wrapping_sub(ZETA), b << 1 | 1] } else { [next, b << 1] }
    })
}

/// Points without tables.
#[derive(Debug)]
struct Points {
    row: &'static FpRow,
    points: Vec<G1Affine>,
}

impl FixedPoints for Points {
    fn cost(&self) -> Cost {
        Blst.cost(self.row, Scalars::Full, self.points.len())
    }

    fn sum(&self, rt: &dyn Runtime, scalars: &[Fr]) -> Result<G1, Error> {
        msm_fastest_vartime(rt, self.row, Scalars::Full, &self.points, scalars)
    }
}

impl Pairing for Blst {
    fn miller_loops(&self, pairs: &[(G1Affine, &G2Prepared)]) -> Option<blst_fp12> {
        let points = pairs.iter().map(|(p, q)| (p.0, q.point().0)).collect::<Vec<_>>();
        miller_loops(&points.iter().map(|(p, q)| (p, q)).collect::<Vec<_>>())
    }

    fn power(&self, value: &blst_fp12) -> blst_fp12 {
        let mut power = blst_fp12::default();
        ffi::fp12_final_exp(&mut power, value);
        power
    }
}

/// Does what [`Pairing::miller_loops`] does, for points that are not prepared.
pub(crate) fn miller_loops(pairs: &[(&blst_p1_affine, &blst_p2_affine)]) -> Option<blst_fp12> {
    let value = ffi::miller_loop_n(pairs);
    // Only points of order 13 meet infinity, at 12·Q + Q; the next addition makes all further lines zero.
    (value != blst_fp12 { fp6: [blst_fp6::default(); 2] }).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::X_ABS;

    #[test]
    fn halves_are_those_of_the_scalar() {
        let x = Fr::from(X_ABS);
        let extreme =
            [Fr::zero(), Fr::one(), -Fr::one(), x * x, x * x - Fr::one(), x.inverse().unwrap_or_default()];
        for scalar in extreme.into_iter().chain([Fr::from_glv_halves(u64::MAX, u64::MAX)]) {
            let [a, b] = halves(&scalar);
            assert!(a < ZETA && b <= ZETA);
            let element = |half: u128| Fr::from_bytes_reduced(&half.to_be_bytes());
            assert_eq!(element(a) + element(b) * x * x, scalar);
        }
        assert_eq!(halves(&Fr::from_glv_halves(u64::MAX, 7)), [u64::MAX.into(), 7]);
    }
}
