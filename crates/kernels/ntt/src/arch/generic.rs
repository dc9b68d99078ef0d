//! The rows `portable` of the tuned rings: the transforms in plain Rust.

use crate::tuned::number::Number;
use crate::tuned::roots::{Factor, ML_DSA, ML_KEM, SMALL, Shape};

/// The tables of a ring of `N` coefficients.
#[derive(Debug)]
pub(crate) struct Portable<X, const N: usize> {
    layers: u32,
    degree: usize,
    pub(crate) q: u32,
    /// At 2^k + b the root by which block b of layer k splits.
    roots: [Factor<X>; N],
    inverses: [Factor<X>; N],
    /// If the degree is 2: γ of each slot.
    gammas: [Factor<X>; N],
    /// 1 divided by the number of slots.
    over_slots: Factor<X>,
    /// R and R divided by the number of slots, which cancel the division by R in a product of two values.
    power: Factor<X>,
    power_over_slots: Factor<X>,
}

pub(crate) static SMALL_PORTABLE: Portable<i16, 128> = Portable::<i16, _>::new(&SMALL);
pub(crate) static ML_KEM_PORTABLE: Portable<i16, 256> = Portable::<i16, _>::new(&ML_KEM);
pub(crate) static ML_DSA_PORTABLE: Portable<i32, 256> = Portable::<i32, _>::new(&ML_DSA);

/// The constructor, for a type of numbers: functions of a trait cannot be called at compile time.
macro_rules! tables {
    ($lane:ty) => {
        impl<const N: usize> Portable<$lane, N> {
            const fn new(shape: &Shape) -> Self {
                assert!(shape.n == N && shape.q == Factor::<$lane>::MODULUS);
                let (layers, none) = (shape.layers(), [Factor::<$lane>::montgomery(0); N]);
                let (over_slots, bits) = (shape.invert(1 << layers), <$lane>::BITS as u64);
                let mut tables = Portable {
                    layers,
                    degree: shape.degree,
                    q: shape.q,
                    roots: none,
                    inverses: none,
                    gammas: none,
                    over_slots: Factor::<$lane>::montgomery(over_slots),
                    power: Factor::<$lane>::montgomery(shape.times_power(1, 2, bits)),
                    power_over_slots: Factor::<$lane>::montgomery(shape.times_power(over_slots, 2, bits)),
                };
                let mut k = 0;
                while k < layers {
                    let mut b = 0;
                    while b < 1 << k {
                        let root = shape.split(k, b);
                        tables.roots[(1 << k) + b] = Factor::<$lane>::montgomery(root);
                        tables.inverses[(1 << k) + b] = Factor::<$lane>::montgomery(shape.invert_root(root));
                        b += 1;
                    }
                    k += 1;
                }
                let mut i = 0;
                while i < 1 << layers {
                    tables.gammas[i] = Factor::<$lane>::montgomery(shape.gamma(layers, i));
                    i += 1;
                }
                tables
            }
        }
    };
}

tables!(i16);
tables!(i32);

impl<X: Number, const N: usize> Portable<X, N> {
    /// Returns the transform, in canonical form.
    pub(crate) fn forward(&self, a: &[X; N]) -> [X; N] {
        let mut x = *a;
        self.forward_lazy(&mut x);
        x.map(|x| x.reduced().canonical())
    }

    /// Returns the polynomial of a transform, in canonical form.
    pub(crate) fn inverse(&self, a: &[X; N]) -> [X; N] {
        let mut x = *a;
        self.inverse_lazy(&mut x);
        x.map(|x| x.times(self.over_slots).canonical())
    }

    /// Returns the product of transforms, in canonical form.
    pub(crate) fn pointwise(&self, a: &[X; N], b: &[X; N]) -> [X; N] {
        let mut x = *a;
        self.pointwise_lazy(&mut x, b);
        x.map(|x| x.times(self.power).canonical())
    }

    /// Returns the product of polynomials, in canonical form.
    pub(crate) fn product(&self, a: &[X; N], b: &[X; N]) -> [X; N] {
        let (mut x, mut y) = (*a, *b);
        self.forward_lazy(&mut x);
        self.forward_lazy(&mut y);
        self.pointwise_lazy(&mut x, &y);
        self.inverse_lazy(&mut x);
        x.map(|x| x.times(self.power_over_slots).canonical())
    }

    /// Maps values in [0, q) to values below 7·q: each of up to eight layers adds at most 3/4·q, the bound of a product
    /// by a constant.
    fn forward_lazy(&self, x: &mut [X; N]) {
        let mut m = N;
        for k in 0..self.layers {
            m /= 2;
            for (block, root) in x.chunks_exact_mut(2 * m).zip(&self.roots[1 << k..2 << k]) {
                let (low, high) = block.split_at_mut(m);
                for (low, high) in low.iter_mut().zip(high) {
                    let t = high.times(*root);
                    (*low, *high) = (low.plus(t), low.minus(t));
                }
            }
        }
    }

    /// Maps values up to q to values without the division by the number of slots.
    ///
    /// A sum is twice as large as its terms, a product up to 3/4·q. With 16 bits values are up to 8·q after three
    /// layers, where sums are reduced; then the same again, from 3/4·q; and then one layer, up to 2·q. With 32 bits
    /// values are up to 256·q after eight layers.
    fn inverse_lazy(&self, x: &mut [X; N]) {
        let mut m = self.degree;
        for k in (0..self.layers).rev() {
            for (block, inverse) in x.chunks_exact_mut(2 * m).zip(&self.inverses[1 << k..2 << k]) {
                let (low, high) = block.split_at_mut(m);
                for (low, high) in low.iter_mut().zip(high) {
                    let (sum, difference) = (low.plus(*high), low.minus(*high));
                    *low = if X::REDUCED && k % 3 == 1 { sum.reduced() } else { sum };
                    *high = difference.times(*inverse);
                }
            }
            m *= 2;
        }
    }

    /// Computes the product of transforms divided by R, from values below 7·q: with 16 bits, after seven layers, below
    /// 6.5²·q²·2 / 2^16 + q/2 < 5·q, which is reduced; with 32 bits up to 49·q² / 2^32 + q/2 < 0.6·q.
    fn pointwise_lazy(&self, a: &mut [X; N], b: &[X; N]) {
        let product = |sum, a: X, b: X| X::plus_product(sum, a, b);
        if self.degree == 1 {
            for (a, b) in a.iter_mut().zip(b) {
                *a = X::montgomery(product(X::ZERO, *a, *b));
            }
        } else {
            let ((a, _), (b, _)) = (a.as_chunks_mut::<2>(), b.as_chunks::<2>());
            for ((a, b), gamma) in a.iter_mut().zip(b).zip(&self.gammas) {
                let wrapped = b[1].times(*gamma);
                *a = [
                    X::montgomery(product(product(X::ZERO, a[0], b[0]), a[1], wrapped)),
                    X::montgomery(product(product(X::ZERO, a[0], b[1]), a[1], b[0])),
                ];
            }
        }
        if X::REDUCED {
            a.iter_mut().for_each(|x| *x = x.reduced());
        }
    }
}
