//! The rings that have kernels of their own, and their roots of unity, computed at compile time.

use crate::Convolution;

/// The parameters of a ring.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) q: u32,
    pub(crate) n: usize,
    pub(crate) convolution: Convolution,
    /// Values of a slot of the transform.
    pub(crate) degree: usize,
    /// The smallest primitive root of unity of order n / degree (cyclic) or 2n / degree (negacyclic).
    pub(crate) root: u32,
}

/// Z_3329\[X\]/(X^128 − 1).
pub(crate) const SMALL: Shape = Shape::new(3329, 128, Convolution::Cyclic, 1);
/// Z_3329\[X\]/(X^256 + 1): FIPS 203.
pub(crate) const ML_KEM: Shape = Shape::new(3329, 256, Convolution::Negacyclic, 2);
/// Z_8380417\[X\]/(X^256 + 1): FIPS 204.
pub(crate) const ML_DSA: Shape = Shape::new(8380417, 256, Convolution::Negacyclic, 1);

impl Shape {
    const fn new(q: u32, n: usize, convolution: Convolution, degree: usize) -> Self {
        let mut shape = Shape { q, n, convolution, degree, root: 2 };
        // The order is 2^order if and only if the power by half of that is −1.
        while power(q, shape.root, 1 << (shape.order() - 1)) != q - 1 {
            shape.root += 1;
        }
        shape
    }

    /// Returns the number of layers of the transform.
    pub(crate) const fn layers(&self) -> u32 {
        (self.n / self.degree).trailing_zeros()
    }

    /// The logarithm of the order of the root.
    const fn order(&self) -> u32 {
        match self.convolution {
            Convolution::Cyclic => self.layers(),
            Convolution::Negacyclic => self.layers() + 1,
        }
    }

    /// With slots of 2^(layers − k) times the degree: the γ for which slot i is a polynomial modulo X^m − γ.
    pub(crate) const fn gamma(&self, k: u32, i: usize) -> u32 {
        let exponent = self.convolution.exponent(k, i);
        power(self.q, self.root, (exponent as u64) << (self.layers() - k))
    }

    /// The root s by which block b of layer k splits: X^(2m) − s² = (X^m − s)(X^m + s).
    pub(crate) const fn split(&self, k: u32, b: usize) -> u32 {
        // The first of the two blocks that it becomes.
        self.gamma(k + 1, 2 * b)
    }

    /// Returns the inverse of an element that is not zero.
    pub(crate) const fn invert(&self, x: u32) -> u32 {
        power(self.q, x, self.q as u64 - 2)
    }

    /// Returns the inverse of a root of unity.
    pub(crate) const fn invert_root(&self, x: u32) -> u32 {
        power(self.q, x, (1 << self.order()) - 1)
    }

    /// Returns x·y^e.
    pub(crate) const fn times_power(&self, x: u32, y: u32, e: u64) -> u32 {
        (x as u64 * power(self.q, y, e) as u64 % self.q as u64) as u32
    }

    /// Returns the element in (−q/2, q/2).
    pub(crate) const fn centred(&self, x: u32) -> i32 {
        if x > self.q / 2 { x as i32 - self.q as i32 } else { x as i32 }
    }
}

const fn power(q: u32, base: u32, mut exponent: u64) -> u32 {
    let q = q as u64;
    let (mut square, mut power) = (base as u64 % q, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * square % q;
        }
        square = square * square % q;
        exponent >>= 1;
    }
    power as u32
}

/// A constant b for the multiplication of values in lanes of `T`: modulo 3329 with R = 2^16 for `i16`, modulo 8380417
/// with R = 2^32 for `i32`.
///
/// `value` is b·R mod q, centred, and `companion` is that times q^−1 mod R (Montgomery's method).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor<T> {
    pub(crate) value: T,
    pub(crate) companion: T,
}

/// 3329^−1 mod 2^16.
pub(crate) const INVERSE_16: i16 = inverse_modulo_2_to_the_32(SMALL.q) as i16;
/// 8380417^−1 mod 2^32.
pub(crate) const INVERSE_32: i32 = inverse_modulo_2_to_the_32(ML_DSA.q);

/// Returns the inverse by Newton's iteration: each step doubles the correct bits, of which an odd number itself has
/// three.
const fn inverse_modulo_2_to_the_32(q: u32) -> i32 {
    let (mut x, mut step) = (q, 0);
    while step < 4 {
        x = x.wrapping_mul(2u32.wrapping_sub(q.wrapping_mul(x)));
        step += 1;
    }
    x as i32
}

impl Factor<i16> {
    pub(crate) const MODULUS: u32 = SMALL.q;

    pub(crate) const fn montgomery(b: u32) -> Self {
        let value = SMALL.centred(SMALL.times_power(b, 2, 16)) as i16;
        Factor { value, companion: value.wrapping_mul(INVERSE_16) }
    }
}

impl Factor<i32> {
    pub(crate) const MODULUS: u32 = ML_DSA.q;

    pub(crate) const fn montgomery(b: u32) -> Self {
        let value = ML_DSA.centred(ML_DSA.times_power(b, 2, 32));
        Factor { value, companion: value.wrapping_mul(INVERSE_32) }
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Backend;

    use super::*;
    use crate::Ring;

    #[test]
    fn roots_are_those_of_the_ring() {
        for shape in [SMALL, ML_KEM, ML_DSA] {
            let ring = Ring::any(Backend::Portable.into(), shape.q, shape.n, shape.convolution).unwrap();
            assert_eq!((ring.root(), ring.degree()), (shape.root, shape.degree));
            let q = u64::from(shape.q);
            for k in 0..shape.layers() {
                for b in 0..1 << k {
                    let s = u64::from(shape.split(k, b));
                    assert_eq!(s * s % q, u64::from(shape.gamma(k, b)));
                    assert_eq!(s, u64::from(shape.gamma(k + 1, 2 * b)));
                    assert_eq!(q - s, u64::from(shape.gamma(k + 1, 2 * b + 1)));
                    assert_eq!(s * u64::from(shape.invert(s as u32)) % q, 1);
                    assert_eq!(shape.invert(s as u32), shape.invert_root(s as u32));
                }
            }
            let top = if shape.convolution == Convolution::Cyclic { 1 } else { shape.q - 1 };
            assert_eq!(shape.gamma(0, 0), top);
        }
    }

    #[test]
    fn constants_are_inverses() {
        assert_eq!(INVERSE_16.wrapping_mul(3329), 1);
        assert_eq!(INVERSE_32.wrapping_mul(8380417), 1);
        for b in 0..3329 {
            let f = Factor::<i16>::montgomery(b);
            assert_eq!(i64::from(f.value).rem_euclid(3329), (i64::from(b) << 16) % 3329);
            assert!(f.value.abs() <= 1664);
            assert_eq!(f.companion.wrapping_mul(3329), f.value);
        }
        for b in [0, 1, 2, 1753, 4190208, 4190209, 8380416] {
            let f = Factor::<i32>::montgomery(b);
            assert_eq!(i64::from(f.value).rem_euclid(8380417), (i64::from(b) << 32) % 8380417);
            assert!(f.value.abs() <= 4190208);
            assert_eq!(f.companion.wrapping_mul(8380417), f.value);
        }
    }
}
