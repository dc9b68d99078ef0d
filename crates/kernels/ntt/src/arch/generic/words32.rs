//! The kernels of ML-DSA's ring in plain Rust, on 32-bit integers.
//!
//! Values represent their residues and may be negative and larger than q; a comment gives the bound. 256·q < 2^31.

use crate::tuned::roots::{Factor, INVERSE_32, ML_DSA};

/// 8380417.
const Q: i32 = Factor::<i32>::MODULUS as i32;
const N: usize = 256;
const LAYERS: u32 = 8;

/// At 2^k + b the root by which block b of layer k splits.
static ROOTS: [Factor<i32>; N] = table(Inverted::No);
static INVERSES: [Factor<i32>; N] = table(Inverted::Yes);

const ONE_OVER_SLOTS: Factor<i32> = Factor::<i32>::montgomery(ML_DSA.invert(256));
/// 2^32 and 2^32/256, which cancel the division by 2^32 in a product of two values.
const MONTGOMERY: Factor<i32> = Factor::<i32>::montgomery(ML_DSA.times_power(1, 2, 32));
const MONTGOMERY_OVER_SLOTS: Factor<i32> =
    Factor::<i32>::montgomery(ML_DSA.times_power(ML_DSA.invert(256), 2, 32));

enum Inverted {
    No,
    Yes,
}

const fn table(inverted: Inverted) -> [Factor<i32>; N] {
    let mut table = [Factor::<i32>::montgomery(0); N];
    let mut k = 0;
    while k < LAYERS {
        let mut b = 0;
        while b < 1 << k {
            let root = ML_DSA.split(k, b);
            table[(1 << k) + b] = Factor::<i32>::montgomery(match inverted {
                Inverted::No => root,
                Inverted::Yes => ML_DSA.invert_root(root),
            });
            b += 1;
        }
        k += 1;
    }
    table
}

/// Returns the transform, in canonical form.
pub(crate) fn forward(a: &[u32; N]) -> [u32; N] {
    let mut x = signed(a);
    forward_lazy(&mut x);
    x.map(|x| least(reduced(x)))
}

/// Returns the polynomial of a transform, in canonical form.
pub(crate) fn inverse(a: &[u32; N]) -> [u32; N] {
    let mut x = signed(a);
    inverse_lazy(&mut x);
    x.map(|x| least(mul(x, ONE_OVER_SLOTS)))
}

/// Returns the product of transforms, in canonical form.
pub(crate) fn pointwise(a: &[u32; N], b: &[u32; N]) -> [u32; N] {
    let (mut x, y) = (signed(a), signed(b));
    pointwise_lazy(&mut x, &y);
    x.map(|x| least(mul(x, MONTGOMERY)))
}

/// Returns the product of polynomials, in canonical form.
pub(crate) fn product(a: &[u32; N], b: &[u32; N]) -> [u32; N] {
    let (mut x, mut y) = (signed(a), signed(b));
    forward_lazy(&mut x);
    forward_lazy(&mut y);
    pointwise_lazy(&mut x, &y);
    inverse_lazy(&mut x);
    x.map(|x| least(mul(x, MONTGOMERY_OVER_SLOTS)))
}

/// Maps values in [0, q) to values up to 7·q: each of eight layers adds at most 3/4·q, the bound of `mul`.
fn forward_lazy(x: &mut [i32; N]) {
    let mut m = N;
    for k in 0..LAYERS {
        m /= 2;
        for (block, root) in x.chunks_exact_mut(2 * m).zip(&ROOTS[1 << k..2 << k]) {
            let (low, high) = block.split_at_mut(m);
            for (low, high) in low.iter_mut().zip(high) {
                let t = mul(*high, *root);
                (*low, *high) = (*low + t, *low - t);
            }
        }
    }
}

/// Maps values below q, or up to 255/256·q in size, to values up to 256·q, without the division by the number of slots:
/// each of eight layers doubles its sums, and the products are smaller.
fn inverse_lazy(x: &mut [i32; N]) {
    let mut m = 1;
    for k in (0..LAYERS).rev() {
        for (block, inverse) in x.chunks_exact_mut(2 * m).zip(&INVERSES[1 << k..2 << k]) {
            let (low, high) = block.split_at_mut(m);
            for (low, high) in low.iter_mut().zip(high) {
                let (u, v) = (*low, *high);
                *low = u + v;
                *high = mul(u - v, *inverse);
            }
        }
        m *= 2;
    }
}

/// Computes the product of transforms divided by 2^32, from values up to 7·q: up to 49·q² / 2^32 + q/2 < 0.6·q.
fn pointwise_lazy(a: &mut [i32; N], b: &[i32; N]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = montgomery(i64::from(*a) * i64::from(*b));
    }
}

/// Returns the sum of canonical values, in canonical form.
pub(crate) fn sum(terms: impl Iterator<Item = [u32; N]>) -> [u32; N] {
    // Below q the difference wraps around and is the larger one.
    let least = |x: u32| x.min(x.wrapping_sub(Q as u32));
    terms.fold([0; N], |sum, x| std::array::from_fn(|i| least(sum[i] + x[i])))
}

/// Returns whether all values are below q; it reads all of them.
pub(crate) fn all_below(a: &[u32; N]) -> bool {
    a.iter().fold(true, |all, x| all & (*x < Q as u32))
}

/// Returns values below q as signed words.
fn signed(a: &[u32; N]) -> [i32; N] {
    a.map(u32::cast_signed)
}

/// Returns the product by a constant, up to q/2 + |a|·q/2 / 2^32 ≤ 3/4·q.
///
/// a·value − m·q, with m = a·companion mod 2^32, is a multiple of 2^32: the lower halves are equal.
#[inline]
fn mul(a: i32, by: Factor<i32>) -> i32 {
    let m = i64::from(a.wrapping_mul(by.companion));
    ((i64::from(a) * i64::from(by.value) - m * i64::from(Q)) >> 32) as i32
}

/// Returns x / 2^32, up to |x| / 2^32 + q/2.
#[inline]
fn montgomery(x: i64) -> i32 {
    let m = i64::from((x as i32).wrapping_mul(INVERSE_32));
    ((x - m * i64::from(Q)) >> 32) as i32
}

/// Returns the same residue up to 3/4·q, of a value below 2^31 − 2^22.
///
/// q = 2^23 − 2^13 + 1: with x = t·2^23 + r, |r| ≤ 2^22, the remainder is r + t·(2^13 − 1), and |t| ≤ 255.
#[inline]
fn reduced(x: i32) -> i32 {
    let quotient = (x + (1 << 22)) >> 23;
    x - quotient * Q
}

/// Returns the canonical form of a value in (−q, q).
#[inline]
fn least(x: i32) -> u32 {
    debug_assert!(x > -Q && x < Q);
    (x + (Q & (x >> 31))).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> impl Iterator<Item = i32> {
        let most = i32::MAX - (1 << 22) - 1;
        let ends = [0, 1, -1, Q, -Q, Q - 1, 1 - Q, 7 * Q, -7 * Q, most, -most];
        (-most..most).step_by(4099).chain(ends)
    }

    #[test]
    fn reductions() {
        for x in values() {
            let small = reduced(x);
            assert_eq!((i64::from(small) - i64::from(x)) % i64::from(Q), 0);
            assert!(i64::from(small).abs() * 4 <= i64::from(Q) * 3, "{x} {small}");
            assert_eq!(i64::from(least(small)), i64::from(x).rem_euclid(i64::from(Q)));
        }
    }

    #[test]
    fn products() {
        let q = i64::from(Q);
        for b in [0, 1, 2, 1753, 4190208, 4190209, 8380416, 123456] {
            let factor = Factor::<i32>::montgomery(b);
            for x in values().chain([i32::MIN, i32::MAX, 256 * (Q - 1), -256 * (Q - 1)]) {
                let product = i64::from(mul(x, factor));
                assert_eq!((product - i64::from(x) * i64::from(b)).rem_euclid(q), 0);
                assert!(product.abs() * 4 <= 3 * q);
                let wide = i64::from(x) * i64::from(b);
                let quotient = i64::from(montgomery(wide));
                assert_eq!((i128::from(quotient) * (1 << 32) - i128::from(wide)).rem_euclid(q.into()), 0);
                assert!(quotient.abs() <= (wide.abs() >> 32) + q / 2 + 1);
            }
        }
    }
}
