//! The quotient of a polynomial by X − z.

use super::BitReversedDomain;
use super::bit_reversed::Lanes;
use crate::Fr;

impl BitReversedDomain {
    /// Replaces the values of a polynomial P at the first points, as many as there are values, by those of (P − y) /
    /// (X − z), for y = P(z).
    ///
    /// z may be one of the points. It takes 4 products a value.
    ///
    /// # Panics
    /// If the number of values is not a power of two, or above the size.
    pub fn divide(&self, z: Fr, y: Fr, values: &mut [Fr]) {
        let size = values.len();
        assert!(size.is_power_of_two() && size <= self.size(), "{size} values at {} points", self.size());
        let roots = &self.roots[..size.div_ceil(2)];
        if let Some(Lanes { functions, .. }) = &self.lanes
            && roots.len() >= functions.lanes()
            && functions.divide(roots, z, y, values)
        {
            return;
        }
        let mut inverses: Vec<Fr> = (0..size).map(|i| self.point(i) - z).collect();
        Fr::batch_inverse(&mut inverses);
        values.iter_mut().zip(inverses).for_each(|(value, inverse)| *value = (*value - y) * inverse);
        // If z is one of the points, the quotient there is the derivative: Σ −q_i·x_i / z over the others. There it is
        // still 0.
        if let Some(at) = (0..size).find(|i| self.point(*i) == z) {
            let sum = values.iter().enumerate().fold(Fr::zero(), |sum, (i, q)| sum + *q * self.point(i));
            values[at] = -(sum * self.inverse_point(at));
        }
    }
}
