//! Multiplication by scalars in windows of a few bits: their digits, and Horner's rule over the windows.

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use super::eisenstein::{Digit, Digits, Eisenstein};
use super::endomorphism::{GlvTable, Operand};
use crate::G1;

/// Multiplication in windows by a backend. It is correct for infinity, equal and opposite points.
pub(crate) trait WindowedMultiplication: Debug + Send + Sync + RefUnwindSafe {
    /// Writes the digits of integers, as [`Digits::write`] does.
    fn write_digits(&self, digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]) {
        digits.write::<1>(integers, out);
    }

    /// Writes out\[i\] = Σ_w 2^(bits·w) · digits\[w · out.len() + i\], by Horner's rule from the last w on.
    /// [`Operand::NONE`] adds nothing.
    fn horner(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]);

    /// Returns the sum of `count` elements that [`WindowedMultiplication::horner`] writes.
    fn horner_sum(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], count: usize) -> G1 {
        let mut all = vec![G1::identity(); count];
        self.horner(tables, bits, digits, &mut all);
        all.into_iter().fold(G1::identity(), |sum, point| sum + point)
    }
}
