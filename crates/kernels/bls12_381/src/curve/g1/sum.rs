//! The sum of two affine points by one inversion.

use blst::{blst_fp, blst_p1_affine};

use crate::G1Affine;
use crate::field::{fp, vartime::inverse_vartime};

impl G1Affine {
    /// Returns self + other, for points of the curve, of any order, that are public: the time depends on them.
    ///
    /// It is the affine formula with one inversion, instead of a Jacobian sum and its conversion.
    #[must_use]
    pub fn add_vartime(self, other: G1Affine) -> G1Affine {
        if self.is_identity() {
            return other;
        }
        if other.is_identity() {
            return self;
        }
        let [x1, y1, x2, y2] = [&self.0.x.l, &self.0.y.l, &other.0.x.l, &other.0.y.l];
        let (rise, run) = if x1 != x2 {
            (fp::sub(y2, y1), fp::sub(x2, x1))
        } else if y1 == y2 {
            // The tangent: 3x² / 2y. The order of the curve is odd, so y is not 0.
            let square = fp::product(x1, x1);
            (fp::add(&fp::add(&square, &square), &square), fp::add(y1, y1))
        } else {
            return G1Affine::identity();
        };
        let slope = fp::product(&rise, &inverse_vartime(&run));
        let x = fp::sub(&fp::sub(&fp::product(&slope, &slope), x1), x2);
        let y = fp::sub(&fp::product(&slope, &fp::sub(x1, &x)), y1);
        G1Affine(blst_p1_affine { x: blst_fp { l: x }, y: blst_fp { l: y } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fr, G1};

    #[test]
    fn affine_sums_are_those_of_blst() {
        let multiples: Vec<G1> =
            (0..40u64).map(|k| G1::generator() * (Fr::from(k * k * k) - Fr::from(9))).collect();
        let mut points: Vec<G1Affine> = multiples.iter().map(G1::to_affine).collect();
        let negated: Vec<G1Affine> = points[..4].iter().map(|point| -*point).collect();
        // (0, 2) is on the curve and has order 3.
        let two =
            G1Affine::from_coordinates([&[0; 48], &std::array::from_fn(|i| if i == 47 { 2 } else { 0 })]);
        let two = two.unwrap();
        points.extend(negated);
        points.extend([G1Affine::identity(), two, -two]);
        for a in &points {
            for b in &points {
                assert_eq!(a.add_vartime(*b), (G1::from(*a) + *b).to_affine(), "{a:?} {b:?}");
            }
        }
    }
}
