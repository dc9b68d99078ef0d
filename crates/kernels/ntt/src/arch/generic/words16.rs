//! The kernels modulo 3329 in plain Rust, on 16-bit integers.
//!
//! Values represent their residues and may be negative and larger than q; a comment gives the bound. 9·q < 2^15.

use crate::tuned::roots::{Factor, INVERSE_16, ML_KEM, SMALL, Shape};

/// 3329.
const Q: i16 = Factor::<i16>::MODULUS as i16;

/// The tables of a ring of `N` coefficients.
pub(crate) struct Tables<const N: usize> {
    degree: usize,
    /// At 2^k + b the root by which block b of layer k splits.
    roots: [Factor<i16>; 128],
    inverses: [Factor<i16>; 128],
    /// If the degree is 2: γ of each slot.
    gammas: [Factor<i16>; 128],
}

pub(crate) static SMALL_TABLES: Tables<128> = Tables::new(&SMALL);
pub(crate) static ML_KEM_TABLES: Tables<256> = Tables::new(&ML_KEM);

/// 1/128, for both rings: they have seven layers.
const ONE_OVER_SLOTS: Factor<i16> = Factor::<i16>::montgomery(SMALL.invert(128));
/// 2^16 and 2^16/128, which cancel the division by 2^16 in a product of two values.
const MONTGOMERY: Factor<i16> = Factor::<i16>::montgomery(SMALL.times_power(1, 2, 16));
const MONTGOMERY_OVER_SLOTS: Factor<i16> =
    Factor::<i16>::montgomery(SMALL.times_power(SMALL.invert(128), 2, 16));

impl<const N: usize> Tables<N> {
    const fn new(shape: &Shape) -> Self {
        assert!(shape.q == Q as u32 && shape.n == N && shape.layers() == 7);
        let zero = Factor::<i16>::montgomery(0);
        let mut tables =
            Tables { degree: shape.degree, roots: [zero; 128], inverses: [zero; 128], gammas: [zero; 128] };
        let mut k = 0;
        while k < 7 {
            let mut b = 0;
            while b < 1 << k {
                let root = shape.split(k, b);
                tables.roots[(1 << k) + b] = Factor::<i16>::montgomery(root);
                tables.inverses[(1 << k) + b] = Factor::<i16>::montgomery(shape.invert_root(root));
                b += 1;
            }
            k += 1;
        }
        let mut i = 0;
        while i < 128 {
            tables.gammas[i] = Factor::<i16>::montgomery(shape.gamma(7, i));
            i += 1;
        }
        tables
    }

    /// Returns the transform, in canonical form.
    pub(crate) fn forward(&self, a: &[u16; N]) -> [u16; N] {
        let mut x = signed(a);
        self.forward_lazy(&mut x);
        x.map(canonical)
    }

    /// Returns the polynomial of a transform, in canonical form.
    pub(crate) fn inverse(&self, a: &[u16; N]) -> [u16; N] {
        let mut x = signed(a);
        self.inverse_lazy(&mut x);
        x.map(|x| least(mul(x, ONE_OVER_SLOTS)))
    }

    /// Returns the product of transforms, in canonical form.
    pub(crate) fn pointwise(&self, a: &[u16; N], b: &[u16; N]) -> [u16; N] {
        let (mut x, y) = (signed(a), signed(b));
        self.pointwise_lazy(&mut x, &y);
        x.map(|x| least(mul(x, MONTGOMERY)))
    }

    /// Returns the product of polynomials, in canonical form.
    pub(crate) fn product(&self, a: &[u16; N], b: &[u16; N]) -> [u16; N] {
        let (mut x, mut y) = (signed(a), signed(b));
        self.forward_lazy(&mut x);
        self.forward_lazy(&mut y);
        self.pointwise_lazy(&mut x, &y);
        self.inverse_lazy(&mut x);
        x.map(|x| least(mul(x, MONTGOMERY_OVER_SLOTS)))
    }

    /// Maps values in [0, q) to values below 6.5·q: each of seven layers adds at most 3/4·q, the bound of `mul`.
    fn forward_lazy(&self, x: &mut [i16; N]) {
        let mut m = N;
        for k in 0..7 {
            m /= 2;
            for (block, root) in x.chunks_exact_mut(2 * m).zip(&self.roots[1 << k..2 << k]) {
                let (low, high) = block.split_at_mut(m);
                for (low, high) in low.iter_mut().zip(high) {
                    let t = mul(*high, *root);
                    (*low, *high) = (*low + t, *low - t);
                }
            }
        }
    }

    /// Maps values up to q to values up to 2·q, without the division by the number of slots.
    ///
    /// A sum is twice as large as its terms, a product up to 3/4·q: so after three layers up to 8·q, where sums are
    /// reduced; then the same again, from 3/4·q; and then one layer.
    fn inverse_lazy(&self, x: &mut [i16; N]) {
        let mut m = self.degree;
        for k in (0..7).rev() {
            for (block, inverse) in x.chunks_exact_mut(2 * m).zip(&self.inverses[1 << k..2 << k]) {
                let (low, high) = block.split_at_mut(m);
                for (low, high) in low.iter_mut().zip(high) {
                    let (u, v) = (*low, *high);
                    *low = if k % 3 == 1 { reduced(u + v) } else { u + v };
                    *high = mul(u - v, *inverse);
                }
            }
            m *= 2;
        }
    }

    /// Computes the product of transforms divided by 2^16, from values below 6.5·q: below 6.5²·q²·2 / 2^16 + q/2 < 5·q
    /// where the degree is 2, and half of that if it is 1.
    fn pointwise_lazy(&self, a: &mut [i16; N], b: &[i16; N]) {
        if self.degree == 1 {
            for (a, b) in a.iter_mut().zip(b) {
                *a = montgomery(i32::from(*a) * i32::from(*b));
            }
        } else {
            let ((a, _), (b, _)) = (a.as_chunks_mut::<2>(), b.as_chunks::<2>());
            for ((a, b), gamma) in a.iter_mut().zip(b).zip(&self.gammas) {
                let [a0, a1] = a.map(i32::from);
                let [b0, b1] = b.map(i32::from);
                let wrapped = i32::from(mul(b[1], *gamma));
                *a = [montgomery(a0 * b0 + a1 * wrapped), montgomery(a0 * b1 + a1 * b0)];
            }
        }
        // `inverse_lazy` takes values up to q.
        a.iter_mut().for_each(|x| *x = reduced(*x));
    }
}

/// Returns the sum of canonical values, in canonical form.
pub(crate) fn sum<const N: usize>(terms: impl Iterator<Item = [u16; N]>) -> [u16; N] {
    // Below q the difference wraps around and is the larger one.
    let least = |x: u16| x.min(x.wrapping_sub(Q as u16));
    terms.fold([0; N], |sum, x| std::array::from_fn(|i| least(sum[i] + x[i])))
}

/// Returns whether all values are below q; it reads all of them.
pub(crate) fn all_below<const N: usize>(a: &[u16; N]) -> bool {
    a.iter().fold(true, |all, x| all & (*x < Q as u16))
}

/// Returns values below q as signed words.
fn signed<const N: usize>(a: &[u16; N]) -> [i16; N] {
    a.map(u16::cast_signed)
}

/// Returns the upper half of a product.
#[inline]
fn high(a: i16, b: i16) -> i16 {
    ((i32::from(a) * i32::from(b)) >> 16) as i16
}

/// Returns the product by a constant, up to q/2 + |a|·q/2 / 2^16 ≤ 3/4·q.
///
/// a·value − m·q, with m = a·companion mod 2^16, is a multiple of 2^16: the lower halves are equal.
#[inline]
fn mul(a: i16, by: Factor<i16>) -> i16 {
    high(a, by.value) - high(a.wrapping_mul(by.companion), Q)
}

/// Returns x / 2^16, up to |x| / 2^16 + q/2.
#[inline]
fn montgomery(x: i32) -> i16 {
    (x >> 16) as i16 - high((x as i16).wrapping_mul(INVERSE_16), Q)
}

/// Returns the same residue up to 0.51·q.
///
/// 20159 is 2^26 / q rounded, so that the quotient is off by less than 1/2 + 2^15 · 0.13 / 2^26 + 1 / 2^10.
#[inline]
fn reduced(x: i16) -> i16 {
    let quotient = (high(x, 20159) + (1 << 9)) >> 10;
    // Modulo 2^16, because the product can be outside of it where the difference is not.
    x.wrapping_sub(quotient.wrapping_mul(Q))
}

/// Returns the canonical form of any value.
#[inline]
fn canonical(x: i16) -> u16 {
    least(reduced(x))
}

/// Returns the canonical form of a value in (−q, q).
#[inline]
fn least(x: i16) -> u16 {
    debug_assert!(x > -Q && x < Q);
    (x + (Q & (x >> 15))).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_of_all_values() {
        for x in i16::MIN..=i16::MAX {
            let expected = i32::from(x).rem_euclid(3329);
            assert_eq!(i32::from(reduced(x)).rem_euclid(3329), expected);
            assert!(i32::from(reduced(x)).abs() * 100 <= 51 * 3329, "{x}");
            assert_eq!(i32::from(canonical(x)), expected);
        }
    }

    #[test]
    fn products_of_all_values_by_all_constants() {
        for b in 0..3329 {
            let factor = Factor::<i16>::montgomery(b);
            let step = if (10..3319).contains(&b) { 37 } else { 1 };
            for x in (i16::MIN..=i16::MAX).step_by(step).chain([i16::MAX, Q, -Q]) {
                let product = i32::from(mul(x, factor));
                assert_eq!(product.rem_euclid(3329), (i32::from(x) * b as i32).rem_euclid(3329));
                assert!(product.abs() * 4 <= 3 * 3329);
            }
        }
        for x in (i32::MIN / 2..i32::MAX / 2).step_by(9973) {
            let quotient = i64::from(montgomery(x));
            assert_eq!((quotient * 65536 - i64::from(x)).rem_euclid(3329), 0);
            assert!(quotient.abs() * 65536 <= i64::from(x).abs() + 3329 * 32768 + 65536);
        }
    }
}
