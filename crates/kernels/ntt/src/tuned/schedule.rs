//! The kernels for vectors: the order of the operations, written once for lanes of 16 and of 32 bits and all widths.
//!
//! A polynomial is R registers of W lanes, in order. The layers whose halves lie in different registers come first. For
//! the others the halves of a block are moved to the two registers of a pair by [`Lanes::exchange`], which swaps the
//! bit that distinguishes the registers with a bit of the lane; each exchange is its own inverse.
//!
//! A product stops the transforms where slots are polynomials of few coefficients ([`Lanes::SLOT`]), and multiplies
//! these polynomials directly.
//!
//! The tests check the bounds of all values: they run these functions over intervals.

/// Methods that call the method of the same name of the value inside.
macro_rules! forwarded {
    ($($name:ident($($operand:ident: $of:ty),*) -> $result:ty;)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: $of),*) -> $result {
            self.0.$name($($operand),*)
        }
    )*};
}

pub(crate) mod lanes16;
pub(crate) mod lanes32;
#[cfg(any(test, target_arch = "x86_64"))]
pub(crate) mod two;

use super::roots::{Factor, Shape};
use crate::Convolution;

/// A manually unrolled loop, at most 32 times, or 8 for few: only then do arrays of vectors become registers. With
/// [`Lanes::LOOPS`] before it, a loop if that is true.
macro_rules! unrolled {
    ($i:ident < $count:expr, $turn:block) => {
        unrolled!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31;
            $i < $count, $turn)
    };
    ($loop:expr; few $i:ident < $count:expr, $turn:block) => {
        if $loop {
            for $i in 0..$count $turn
        } else {
            unrolled!(few $i < $count, $turn)
        }
    };
    ($loop:expr; $i:ident < $count:expr, $turn:block) => {
        if $loop {
            for $i in 0..$count $turn
        } else {
            unrolled!($i < $count, $turn)
        }
    };
    (few $i:ident < $count:expr, $turn:block) => {
        unrolled!(0 1 2 3 4 5 6 7; $i < $count, $turn)
    };
    ($($number:literal)*; $i:ident < $count:expr, $turn:block) => {{
        const { assert!($count <= [$($number),*].len()) };
        $({
            let $i: usize = $number;
            if $i < $count $turn
        })*
    }};
}

/// Vectors of `W` lanes whose values represent residues modulo q; they are signed, and may be larger than q.
pub(crate) trait Lanes<const W: usize>: Copy {
    /// A lane: `i16` or `i32`.
    type Lane: Copy + Default + 'static;
    /// A vector.
    type V: Copy;
    /// Sums of products of two lanes, in lanes of twice the width.
    type Wide: Copy;

    /// Number of pairs of registers that go through their inner layers together, so that enough operations are
    /// independent; more pairs need more registers than the processor has.
    const IN_STEP: usize;
    /// Whether a polynomial is in memory, because it does not fit into the registers: then loops go over groups of
    /// pairs, and, two layers across registers at a time, over four vectors.
    const LOOPS: bool = false;
    /// Number of coefficients of a slot where a product stops the transforms.
    const SLOT: usize;

    fn splat(self, x: Self::Lane) -> Self::V;
    fn load(self, lanes: &[Self::Lane; W]) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// Returns two registers, cut into blocks of `block` lanes: the even blocks of both, and the odd blocks of both.
    fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V);
    /// Returns the product by a constant.
    fn mul(self, a: Self::V, by: Factor<Self::V>) -> Self::V;
    /// Returns the same residue, below q and above −q.
    fn reduced(self, x: Self::V) -> Self::V;
    /// Returns the canonical form of values in (−q, q).
    fn canonical(self, x: Self::V) -> Self::V;
    /// Returns, in each slot of [`Lanes::SLOT`] lanes, the product modulo X^SLOT − γ divided by 2^16 or 2^32.
    fn mul_slots(self, a: Self::V, b: Self::V, gamma: Factor<Self::V>) -> Self::V;
    /// Returns a factor of slots of `degree` lanes for [`Lanes::add_products`]; `gamma` is γ in the odd lanes and 1 in
    /// the even ones if the degree is 2.
    fn prepared(self, degree: usize, b: Self::V, gamma: Factor<Self::V>) -> [Self::V; 2];
    fn no_products(self) -> Self::Wide;
    /// Adds, in each slot of `degree` lanes, the product by a prepared factor.
    fn add_products(self, degree: usize, sum: Self::Wide, a: Self::V, b: [Self::V; 2]) -> Self::Wide;
    /// Returns a sum of products divided by 2^16 or 2^32.
    fn montgomery(self, degree: usize, sum: Self::Wide) -> Self::V;
}

/// Number of products that may be added up before their sum is reduced.
pub(crate) const TERMS: usize = 16;

/// Number of vectors whose sums of products are made together and stay in registers.
const SUMS: usize = 4;

/// The tables of a ring for `W` lanes and `PAIRS` pairs of registers.
#[repr(C, align(64))]
pub(crate) struct Tables<T, const W: usize, const PAIRS: usize> {
    /// By the logarithm of the block and the pair: the roots by which the blocks in its lanes split.
    forward: [[[[T; W]; 2]; PAIRS]; 5],
    inverse: [[[[T; W]; 2]; PAIRS]; 5],
    /// By pair and register: γ of the slots where a product stops the transforms.
    slots: [[[[T; W]; 2]; 2]; PAIRS],
    /// By order of the coefficients (the order of the transform, and the one in which its layers leave the
    /// registers), pair and register: where the degree is 2, in the odd lanes, γ of the slots of the transform;
    /// 1 in all other lanes.
    transforms: [[[[[T; W]; 2]; 2]; PAIRS]; 2],
    /// 2^16 or 2^32, which cancels the division of a product.
    power: Factor<T>,
    /// At 2^k + b the root by which block b of layer k splits, as far as its halves lie in different registers.
    across: [Factor<T>; 32],
    across_inverse: [Factor<T>; 32],
    /// For the last layer of the inverse, sums and differences: the factors that the other layers do not apply.
    last_of_inverse: [Factor<T>; 2],
    last_of_product: [Factor<T>; 2],
    last_of_sum: [Factor<T>; 2],
    /// Whether the first block of a layer splits by the root 1.
    cyclic: bool,
    /// Coefficients of a slot of the transform: 1 or 2.
    degree: usize,
    /// Blocks after which the inverse reduces sums, as bits: for `inverse`, and for `product`, whose inverse begins
    /// later. They are chosen so that no value exceeds its lane, which the tests check.
    reduce: [usize; 2],
}

impl<T, const W: usize, const PAIRS: usize> Tables<T, W, PAIRS> {
    /// Coefficients.
    const N: usize = 2 * PAIRS * W;

    /// Returns the index of the coefficient in a lane after the exchanges down to `block`.
    const fn place(pair: usize, block: usize, mut register: usize, mut lane: usize) -> usize {
        let mut exchanged = block;
        while exchanged < W {
            let bit = lane / exchanged % 2;
            lane = lane - bit * exchanged + register * exchanged;
            register = bit;
            exchanged *= 2;
        }
        (2 * pair + register) * W + lane
    }
}

/// The constructor, for a type of lanes and the size of the slots where a product stops: functions of a trait cannot be
/// called at compile time.
macro_rules! tables {
    ($lane:ty, $slot:literal) => {
        impl<const W: usize, const PAIRS: usize> Tables<$lane, W, PAIRS> {
            pub(crate) const fn new(shape: &Shape, reduce: [usize; 2]) -> Self {
                assert!(shape.n == Self::N && shape.q == Factor::<$lane>::MODULUS);
                let zero = [[[[0; W]; 2]; PAIRS]; 5];
                let none = [Factor::<$lane>::montgomery(0); 32];
                let scale = shape.invert((shape.n / shape.degree) as u32);
                let scale_of_product =
                    shape.times_power(shape.invert((shape.n / $slot) as u32), 2, <$lane>::BITS as u64);
                let scale_of_sum = shape.times_power(scale, 2, <$lane>::BITS as u64);
                let last = shape.invert_root(shape.split(0, 0));
                let mut tables = Tables {
                    forward: zero,
                    inverse: zero,
                    slots: [[[[0; W]; 2]; 2]; PAIRS],
                    transforms: [[[[[0; W]; 2]; 2]; PAIRS]; 2],
                    power: Factor::<$lane>::montgomery(shape.times_power(1, 2, <$lane>::BITS as u64)),
                    across: none,
                    across_inverse: none,
                    last_of_inverse: [
                        Factor::<$lane>::montgomery(scale),
                        Factor::<$lane>::montgomery(shape.times_power(scale, last, 1)),
                    ],
                    last_of_product: [
                        Factor::<$lane>::montgomery(scale_of_product),
                        Factor::<$lane>::montgomery(shape.times_power(scale_of_product, last, 1)),
                    ],
                    last_of_sum: [
                        Factor::<$lane>::montgomery(scale_of_sum),
                        Factor::<$lane>::montgomery(shape.times_power(scale_of_sum, last, 1)),
                    ],
                    cyclic: matches!(shape.convolution, Convolution::Cyclic),
                    degree: shape.degree,
                    reduce,
                };
                let log = Self::N.trailing_zeros();
                let mut k = 0;
                while Self::N >> (k + 1) >= W {
                    let mut b = 0;
                    while b < 1 << k {
                        let root = shape.split(k, b);
                        tables.across[(1 << k) + b] = Factor::<$lane>::montgomery(root);
                        tables.across_inverse[(1 << k) + b] =
                            Factor::<$lane>::montgomery(shape.invert_root(root));
                        b += 1;
                    }
                    k += 1;
                }
                let mut pair = 0;
                while pair < PAIRS {
                    let mut lane = 0;
                    while lane < W {
                        let mut block = W / 2;
                        while block >= shape.degree {
                            let place = Self::place(pair, block, 0, lane);
                            assert!(Self::place(pair, block, 1, lane) == place + block);
                            let level = block.trailing_zeros();
                            let root = shape.split(log - 1 - level, place / (2 * block));
                            Self::set(
                                &mut tables.forward[level as usize][pair],
                                lane,
                                Factor::<$lane>::montgomery(root),
                            );
                            let inverse = Factor::<$lane>::montgomery(shape.invert_root(root));
                            Self::set(&mut tables.inverse[level as usize][pair], lane, inverse);
                            block /= 2;
                        }
                        let mut register = 0;
                        while register < 2 {
                            let number = Self::place(pair, $slot, register, lane) / $slot;
                            let gamma = Factor::<$lane>::montgomery(
                                shape.gamma(log - ($slot as u32).trailing_zeros(), number),
                            );
                            Self::set(&mut tables.slots[pair][register], lane, gamma);
                            let places = [
                                (2 * pair + register) * W + lane,
                                Self::place(pair, shape.degree, register, lane),
                            ];
                            let mut order = 0;
                            while order < 2 {
                                let gamma = if shape.degree == 2 && lane % 2 == 1 {
                                    shape.gamma(log - 1, places[order] / 2)
                                } else {
                                    1
                                };
                                let by = Factor::<$lane>::montgomery(gamma);
                                Self::set(&mut tables.transforms[order][pair][register], lane, by);
                                order += 1;
                            }
                            register += 1;
                        }
                        lane += 1;
                    }
                    pair += 1;
                }
                tables
            }

            const fn set(lanes: &mut [[$lane; W]; 2], lane: usize, factor: Factor<$lane>) {
                lanes[0][lane] = factor.value;
                lanes[1][lane] = factor.companion;
            }
        }
    };
}

tables!(i16, 4);
tables!(i32, 2);

/// The kernels of a ring.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<L: Lanes<W>, const W: usize, const PAIRS: usize> {
    pub(crate) lanes: L,
    pub(crate) tables: &'static Tables<L::Lane, W, PAIRS>,
}

impl<L: Lanes<W>, const W: usize, const PAIRS: usize> Kernels<L, W, PAIRS> {
    /// Returns the canonical transform of canonical values.
    #[inline(always)]
    pub(crate) fn forward<const R: usize>(self, mut x: [L::V; R]) -> [L::V; R] {
        let l = self.lanes;
        self.forward_across(&mut x);
        unrolled!(L::LOOPS; few group < PAIRS.div_ceil(L::IN_STEP), {
            self.forward_within(group, &mut x);
            unrolled!(few step < L::IN_STEP, {
                let pair = group * L::IN_STEP + step;
                if pair < PAIRS {
                    x[2 * pair] = l.canonical(x[2 * pair]);
                    x[2 * pair + 1] = l.canonical(x[2 * pair + 1]);
                }
            });
            unrolled!(few step < 5, { self.exchange(group, self.tables.degree, 1 << step, &mut x) });
        });
        x
    }

    /// Returns the canonical polynomial of a canonical transform.
    #[inline(always)]
    pub(crate) fn inverse<const R: usize>(self, mut x: [L::V; R]) -> [L::V; R] {
        self.order(&mut x);
        self.inverse_in_order(self.tables.last_of_inverse, &mut x);
        x
    }

    /// Returns the transform of canonical values, reduced, in the order in which its layers leave the registers.
    #[inline(always)]
    pub(crate) fn transformed<const R: usize>(self, mut x: [L::V; R]) -> [L::V; R] {
        self.forward_across(&mut x);
        unrolled!(L::LOOPS; few group < PAIRS.div_ceil(L::IN_STEP), {
            self.forward_within(group, &mut x);
        });
        x
    }

    /// Returns a canonical transform, reduced, in the order of [`Kernels::transformed`].
    #[inline(always)]
    pub(crate) fn ordered<const R: usize>(self, mut x: [L::V; R]) -> [L::V; R] {
        self.order(&mut x);
        let mut out = x;
        unrolled!(L::LOOPS; i < R, { out[i] = self.lanes.reduced(x[i]) });
        out
    }

    /// Returns register i of a transform in this order as a prepared factor.
    #[inline(always)]
    pub(crate) fn prepared(self, i: usize, x: L::V) -> [L::V; 2] {
        let gamma = self.pair(&self.tables.transforms[1][i / 2][i % 2]);
        self.lanes.prepared(self.tables.degree, x, gamma)
    }

    /// Returns a sum of no products, for [`Kernels::add_terms`].
    #[inline(always)]
    pub(crate) fn zero<const R: usize>(self) -> [L::V; R] {
        [self.lanes.splat(L::Lane::default()); R]
    }

    /// Adds up to [`TERMS`] products to a sum divided by 2^16 or 2^32, and reduces it: the terms are registers of
    /// factors and of prepared factors.
    #[inline(always)]
    pub(crate) fn add_terms<'t, const R: usize>(
        self,
        sum: &mut [L::V; R],
        terms: impl Iterator<Item = (&'t [[L::Lane; W]; R], [&'t [[L::Lane; W]; R]; 2])> + Clone,
    ) {
        const { assert!(R.is_multiple_of(SUMS)) };
        let (l, degree) = (self.lanes, self.tables.degree);
        for first in (0..R).step_by(SUMS) {
            let mut wide = [l.no_products(); SUMS];
            for (a, [b, c]) in terms.clone() {
                unrolled!(0 1 2 3; j < SUMS, {
                    let i = first + j;
                    wide[j] = l.add_products(degree, wide[j], l.load(&a[i]), [l.load(&b[i]), l.load(&c[i])]);
                });
            }
            unrolled!(0 1 2 3; j < SUMS, {
                let i = first + j;
                sum[i] = l.reduced(l.add(sum[i], l.montgomery(degree, wide[j])));
            });
        }
    }

    /// Replaces a sum of [`Kernels::add_terms`] by its canonical polynomial.
    #[inline(always)]
    pub(crate) fn inverse_of_sum<const R: usize>(self, x: &mut [L::V; R]) {
        self.inverse_in_order(self.tables.last_of_sum, x);
    }

    /// Returns the canonical product of canonical transforms.
    #[inline(always)]
    pub(crate) fn pointwise<const R: usize>(self, a: [L::V; R], b: [L::V; R]) -> [L::V; R] {
        let (l, degree, power) = (self.lanes, self.tables.degree, self.factor(self.tables.power));
        let mut out = a;
        unrolled!(L::LOOPS; i < R, {
            let gamma = self.pair(&self.tables.transforms[0][i / 2][i % 2]);
            let product = l.add_products(degree, l.no_products(), a[i], l.prepared(degree, b[i], gamma));
            out[i] = l.canonical(l.mul(l.montgomery(degree, product), power));
        });
        out
    }

    /// Returns the canonical product of canonical polynomials.
    #[inline(always)]
    pub(crate) fn product<const R: usize>(self, mut a: [L::V; R], mut b: [L::V; R]) -> [L::V; R] {
        self.forward_across(&mut a);
        self.forward_across(&mut b);
        unrolled!(L::LOOPS; few group < PAIRS.div_ceil(L::IN_STEP), {
            unrolled!(few step < 5, {
                self.forward_layer(group, L::SLOT, 16 >> step, &mut a);
                self.forward_layer(group, L::SLOT, 16 >> step, &mut b);
            });
            unrolled!(few step < L::IN_STEP, {
                let pair = group * L::IN_STEP + step;
                if pair < PAIRS {
                    let gammas = &self.tables.slots[pair];
                    let (i, j) = (2 * pair, 2 * pair + 1);
                    a[i] = self.lanes.mul_slots(a[i], b[i], self.pair(&gammas[0]));
                    a[j] = self.lanes.mul_slots(a[j], b[j], self.pair(&gammas[1]));
                }
            });
            self.inverse_from_slots(group, &mut a);
        });
        self.inverse_across(self.tables.last_of_product, self.tables.reduce[1], &mut a);
        a
    }

    /// Computes the layers of the inverse of a product for a group of pairs that are within registers.
    #[inline(always)]
    fn inverse_from_slots<const R: usize>(self, group: usize, x: &mut [L::V; R]) {
        unrolled!(few step < 5, { self.inverse_layer(group, L::SLOT, self.tables.reduce[1], 1 << step, x) });
    }

    /// Computes the layers of a group of pairs that are within registers, and reduces.
    #[inline(always)]
    fn forward_within<const R: usize>(self, group: usize, x: &mut [L::V; R]) {
        let l = self.lanes;
        unrolled!(few step < 5, { self.forward_layer(group, self.tables.degree, 16 >> step, x) });
        unrolled!(few step < L::IN_STEP, {
            let pair = group * L::IN_STEP + step;
            if pair < PAIRS {
                x[2 * pair] = l.reduced(x[2 * pair]);
                x[2 * pair + 1] = l.reduced(x[2 * pair + 1]);
            }
        });
    }

    /// Puts a transform into the order in which its layers leave the registers.
    #[inline(always)]
    fn order<const R: usize>(self, x: &mut [L::V; R]) {
        unrolled!(L::LOOPS; few group < PAIRS.div_ceil(L::IN_STEP), {
            unrolled!(few step < 5, { self.exchange(group, self.tables.degree, 16 >> step, x) });
        });
    }

    /// Replaces a transform in this order, of values below q in size, by its canonical polynomial.
    #[inline(always)]
    fn inverse_in_order<const R: usize>(self, last: [Factor<L::Lane>; 2], x: &mut [L::V; R]) {
        let (least, reduce) = (self.tables.degree, self.tables.reduce[0]);
        unrolled!(L::LOOPS; few group < PAIRS.div_ceil(L::IN_STEP), {
            unrolled!(few step < 5, { self.inverse_layer(group, least, reduce, 1 << step, x) });
        });
        self.inverse_across(last, reduce, x);
    }

    /// Returns whether a block splits by the root 1 and needs no multiplication. From the third layer on it is
    /// multiplied all the same, because values double without it.
    #[inline(always)]
    fn splits_by_one(self, k: u32, block: usize) -> bool {
        self.tables.cyclic && block == 0 && k < 2
    }

    /// Computes the layers whose halves lie in different registers.
    #[inline(always)]
    fn forward_across<const R: usize>(self, x: &mut [L::V; R]) {
        if L::LOOPS {
            self.two_forward_layers_across(0, x);
            self.two_forward_layers_across(2, x);
            self.forward_layer_across(4, x);
            return;
        }
        self.forward_layer_across(0, x);
        self.forward_layer_across(1, x);
        self.forward_layer_across(2, x);
        self.forward_layer_across(3, x);
        self.forward_layer_across(4, x);
    }

    #[inline(always)]
    fn forward_layer_across<const R: usize>(self, k: u32, x: &mut [L::V; R]) {
        let half = R >> (k + 1);
        if half == 0 {
            return;
        }
        unrolled!(L::LOOPS; i < R / 2, {
            let block = i / half;
            self.forward_butterfly(k, block, i + half * block, half, x);
        });
    }

    /// Computes layer k and the next one if both are across registers, or the one that is.
    #[inline(always)]
    fn two_forward_layers_across<const R: usize>(self, k: u32, x: &mut [L::V; R]) {
        let quarter = R >> (k + 2);
        if quarter == 0 {
            return self.forward_layer_across(k, x);
        }
        for i in 0..R / 4 {
            let block = i / quarter;
            let first = i + 3 * quarter * block;
            self.forward_butterfly(k, block, first, 2 * quarter, x);
            self.forward_butterfly(k, block, first + quarter, 2 * quarter, x);
            self.forward_butterfly(k + 1, 2 * block, first, quarter, x);
            self.forward_butterfly(k + 1, 2 * block + 1, first + 2 * quarter, quarter, x);
        }
    }

    /// Computes the butterfly of block `block` of layer k whose vectors are `low` and, `half` later, the other.
    #[inline(always)]
    fn forward_butterfly<const R: usize>(
        self,
        k: u32,
        block: usize,
        low: usize,
        half: usize,
        x: &mut [L::V; R],
    ) {
        let high = low + half;
        let t = if self.splits_by_one(k, block) {
            x[high]
        } else {
            self.lanes.mul(x[high], self.factor(self.tables.across[(1 << k) + block]))
        };
        (x[low], x[high]) = (self.lanes.add(x[low], t), self.lanes.sub(x[low], t));
    }

    /// Computes these layers of the inverse, to the end; `last` is for the last layer.
    #[inline(always)]
    fn inverse_across<const R: usize>(self, last: [Factor<L::Lane>; 2], reduce: usize, x: &mut [L::V; R]) {
        self.inverse_layer_across(4, reduce, x);
        if L::LOOPS {
            self.two_inverse_layers_across(reduce, x);
            for i in 0..R / 4 {
                self.inverse_butterfly(1, 0, i, R / 4, reduce, x);
                self.inverse_butterfly(1, 1, i + R / 2, R / 4, reduce, x);
                self.last_butterfly(last, i, x);
                self.last_butterfly(last, i + R / 4, x);
            }
            return;
        }
        self.inverse_layer_across(3, reduce, x);
        self.inverse_layer_across(2, reduce, x);
        self.inverse_layer_across(1, reduce, x);
        unrolled!(i < R / 2, { self.last_butterfly(last, i, x) });
    }

    /// Computes layers 3 and 2, or layer 2 if layer 3 is not across registers.
    #[inline(always)]
    fn two_inverse_layers_across<const R: usize>(self, reduce: usize, x: &mut [L::V; R]) {
        let quarter = R >> 4;
        if quarter == 0 {
            return self.inverse_layer_across(2, reduce, x);
        }
        for i in 0..R / 4 {
            let block = i / quarter;
            let first = i + 3 * quarter * block;
            self.inverse_butterfly(3, 2 * block, first, quarter, reduce, x);
            self.inverse_butterfly(3, 2 * block + 1, first + 2 * quarter, quarter, reduce, x);
            self.inverse_butterfly(2, block, first, 2 * quarter, reduce, x);
            self.inverse_butterfly(2, block, first + quarter, 2 * quarter, reduce, x);
        }
    }

    /// Computes the butterfly of the last layer whose first vector is `low`.
    #[inline(always)]
    fn last_butterfly<const R: usize>(self, last: [Factor<L::Lane>; 2], low: usize, x: &mut [L::V; R]) {
        let (l, high) = (self.lanes, low + R / 2);
        let (sum, difference) = (l.add(x[low], x[high]), l.sub(x[low], x[high]));
        x[low] = l.canonical(l.mul(sum, self.factor(last[0])));
        x[high] = l.canonical(l.mul(difference, self.factor(last[1])));
    }

    #[inline(always)]
    fn inverse_layer_across<const R: usize>(self, k: u32, reduce: usize, x: &mut [L::V; R]) {
        let half = R >> (k + 1);
        if half == 0 {
            return;
        }
        unrolled!(L::LOOPS; i < R / 2, {
            let block = i / half;
            self.inverse_butterfly(k, block, i + half * block, half, reduce, x);
        });
    }

    /// Computes the butterfly of block `block` of layer k whose vectors are `low` and, `half` later, the other.
    #[inline(always)]
    fn inverse_butterfly<const R: usize>(
        self,
        k: u32,
        block: usize,
        low: usize,
        half: usize,
        reduce: usize,
        x: &mut [L::V; R],
    ) {
        let (l, high) = (self.lanes, low + half);
        let (mut sum, mut difference) = (l.add(x[low], x[high]), l.sub(x[low], x[high]));
        if reduce & (half * W) != 0 {
            sum = l.reduced(sum);
        }
        if !self.splits_by_one(k, block) {
            difference = l.mul(difference, self.factor(self.tables.across_inverse[(1 << k) + block]));
        }
        (x[low], x[high]) = (sum, difference);
    }

    /// Computes the layer of blocks of `block` lanes, where they are smaller than registers and not below `least`: for
    /// a group of pairs, whose larger blocks have been exchanged. Its result is exchanged too.
    #[inline(always)]
    fn forward_layer<const R: usize>(self, group: usize, least: usize, block: usize, x: &mut [L::V; R]) {
        if block >= W || block < least {
            return;
        }
        let l = self.lanes;
        unrolled!(few step < L::IN_STEP, {
            let pair = group * L::IN_STEP + step;
            if pair < PAIRS {
                let (u, v) = l.exchange(block, x[2 * pair], x[2 * pair + 1]);
                let t = l.mul(v, self.pair(&self.tables.forward[block.trailing_zeros() as usize][pair]));
                (x[2 * pair], x[2 * pair + 1]) = (l.add(u, t), l.sub(u, t));
            }
        });
    }

    /// Computes this layer of the inverse, which reverses the exchange.
    #[inline(always)]
    fn inverse_layer<const R: usize>(
        self,
        group: usize,
        least: usize,
        reduce: usize,
        block: usize,
        x: &mut [L::V; R],
    ) {
        if block >= W || block < least {
            return;
        }
        let l = self.lanes;
        unrolled!(few step < L::IN_STEP, {
            let pair = group * L::IN_STEP + step;
            if pair < PAIRS {
                let (u, v) = (x[2 * pair], x[2 * pair + 1]);
                let (sum, difference) = (l.add(u, v), l.sub(u, v));
                let sum = if reduce & block != 0 { l.reduced(sum) } else { sum };
                let inverse = self.pair(&self.tables.inverse[block.trailing_zeros() as usize][pair]);
                (x[2 * pair], x[2 * pair + 1]) = l.exchange(block, sum, l.mul(difference, inverse));
            }
        });
    }

    /// Computes the exchange only.
    #[inline(always)]
    fn exchange<const R: usize>(self, group: usize, least: usize, block: usize, x: &mut [L::V; R]) {
        if block >= W || block < least {
            return;
        }
        unrolled!(few step < L::IN_STEP, {
            let pair = group * L::IN_STEP + step;
            if pair < PAIRS {
                (x[2 * pair], x[2 * pair + 1]) = self.lanes.exchange(block, x[2 * pair], x[2 * pair + 1]);
            }
        });
    }

    #[inline(always)]
    fn pair(self, lanes: &[[L::Lane; W]; 2]) -> Factor<L::V> {
        Factor { value: self.lanes.load(&lanes[0]), companion: self.lanes.load(&lanes[1]) }
    }

    #[inline(always)]
    fn factor(self, factor: Factor<L::Lane>) -> Factor<L::V> {
        Factor { value: self.lanes.splat(factor.value), companion: self.lanes.splat(factor.companion) }
    }
}

#[cfg(test)]
pub(crate) mod tests;
