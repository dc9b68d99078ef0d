//! The transform for any ring over vectors of words.
//!
//! Products by roots are Shoup's (V. Shoup, NTL; D. Harvey, 'Faster arithmetic for number-theoretic transforms',
//! Journal of Symbolic Computation 60 (2014) 113–119): with the quotient w' = ⌊w·2^32 / q⌋, a·w − ⌊a·w' / 2^32⌋·q is
//! below 2q for any word a, and may be computed modulo 2^32. Below 2^30 the modulus leaves room for values up to 4q, as
//! in Harvey's butterflies ([`Bounds`] `LAZY`); above, all values are canonical.
//!
//! Layers whose blocks are longer than two vectors run over memory, two at a time. The others run in registers, two
//! vectors at a time: before each of them, halves of blocks are exchanged so that one vector has the lower ones and the
//! other the upper ones.

use bytemuck::must_cast_ref;

use super::Tables;
use crate::modulus::{Constants, Modulus, ShoupConstant};
use crate::tuned::schedule::lanes32::Lanes32;

/// Vectors of `W` unsigned words of 32 bits. Arithmetic is modulo 2^32.
pub(crate) trait Words<const W: usize>: Lanes32<W> {
    /// Products of vectors, 64 bits each.
    type Wide: Copy;

    fn store(self, x: Self::V, words: &mut [u32; W]);

    fn wide(self, a: Self::V, b: Self::V) -> Self::Wide;
    /// The sums modulo 2^64.
    fn add_wide(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// The lower halves.
    fn low(self, x: Self::Wide) -> Self::V;
    /// The upper halves.
    fn high(self, x: Self::Wide) -> Self::V;

    /// Returns the blocks of the lower halves of both in turn, and of the upper halves. A block has 1 or 2
    /// words.
    fn zip(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V);
    /// Undoes [`Words::zip`].
    fn unzip(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V);
    /// Returns the first words, each `block` times.
    fn spread(self, block: usize, x: Self::V) -> Self::V;

    #[inline(always)]
    fn read(self, words: &[u32; W]) -> Self::V {
        self.load(must_cast_ref(words))
    }
    #[inline(always)]
    fn all(self, x: u32) -> Self::V {
        self.splat(x.cast_signed())
    }
}

/// A constant of [`Constants`] in vectors.
#[derive(Clone, Copy)]
struct By<V> {
    value: V,
    quotient: V,
}

/// Arithmetic modulo q: with `LAZY`, below 2^30, and values in [0, 4q) forward and in [0, 2q) back; else canonical.
#[derive(Clone, Copy)]
struct Bounds<L, V, const W: usize, const LAZY: bool> {
    lanes: L,
    q: V,
    q2: V,
}

impl<L: Words<W>, const W: usize, const LAZY: bool> Bounds<L, L::V, W, LAZY> {
    #[inline(always)]
    fn new(lanes: L, modulus: Modulus) -> Self {
        let q = modulus.q();
        Bounds { lanes, q: lanes.all(q), q2: lanes.all(q.wrapping_mul(2)) }
    }

    /// Returns the constant of block b of layer k in all lanes.
    #[inline(always)]
    fn at(self, constants: &Constants, k: u32, b: usize) -> By<L::V> {
        self.splat(constants.at((1 << k) + b))
    }

    /// Returns a constant in all lanes.
    #[inline(always)]
    fn splat(self, by: ShoupConstant) -> By<L::V> {
        By { value: self.lanes.all(by.value), quotient: self.lanes.all(by.quotient) }
    }

    /// Returns the constants of block b of layer k, and of its two halves.
    #[inline(always)]
    fn pair(self, constants: &Constants, k: u32, b: usize) -> (By<L::V>, [By<L::V>; 2]) {
        let halves = [self.at(constants, k + 1, 2 * b), self.at(constants, k + 1, 2 * b + 1)];
        (self.at(constants, k, b), halves)
    }

    /// Returns the constants from `at` on, each in `block` lanes.
    #[inline(always)]
    fn spread(self, constants: &Constants, at: usize, block: usize) -> By<L::V> {
        let ([value, quotient], l) = (constants.from(at), self.lanes);
        By { value: l.spread(block, l.read(&value)), quotient: l.spread(block, l.read(&quotient)) }
    }

    /// Returns the product of any words by a constant, below 2q.
    #[inline(always)]
    fn scale(self, a: L::V, by: By<L::V>) -> L::V {
        let l = self.lanes;
        let quotient = l.high(l.wide(a, by.quotient));
        l.sub(l.mul_low(a, by.value), l.mul_low(quotient, self.q))
    }

    /// Returns what is below 2·`by`, below `by`: where x < `by`, the difference wraps to more than x.
    #[inline(always)]
    fn below(self, x: L::V, by: L::V) -> L::V {
        self.lanes.min_unsigned(x, self.lanes.sub(x, by))
    }

    /// Returns (u + s·v, u − s·v).
    #[inline(always)]
    fn forward(self, u: L::V, v: L::V, root: By<L::V>) -> (L::V, L::V) {
        let l = self.lanes;
        let t = self.scale(v, root);
        if LAZY {
            let u = self.below(u, self.q2);
            return (l.add(u, t), l.add(u, l.sub(self.q2, t)));
        }
        let t = self.below(t, self.q);
        let difference = l.sub(u, t);
        (self.below(l.add(u, t), self.q), l.min_unsigned(difference, l.add(difference, self.q)))
    }

    /// Returns (u + v, u − v), the second one up to 4q.
    #[inline(always)]
    fn sums(self, u: L::V, v: L::V) -> (L::V, L::V) {
        let l = self.lanes;
        if LAZY {
            return (self.below(l.add(u, v), self.q2), l.add(u, l.sub(self.q2, v)));
        }
        let difference = l.sub(u, v);
        (self.below(l.add(u, v), self.q), l.min_unsigned(difference, l.add(difference, self.q)))
    }

    /// Returns (u + v, (u − v) / s).
    #[inline(always)]
    fn inverse(self, u: L::V, v: L::V, inverse: By<L::V>) -> (L::V, L::V) {
        let (sum, difference) = self.sums(u, v);
        let scaled = self.scale(difference, inverse);
        (sum, if LAZY { scaled } else { self.below(scaled, self.q) })
    }

    /// Writes the sum and the difference times their factors, which undoes layer 0 and divides.
    #[inline(always)]
    fn last(self, u: L::V, v: L::V, by: [By<L::V>; 2], low: &mut [u32; W], high: &mut [u32; W]) {
        let (sum, difference) = self.sums(u, v);
        self.lanes.store(self.below(self.scale(sum, by[0]), self.q), low);
        self.lanes.store(self.below(self.scale(difference, by[1]), self.q), high);
    }

    /// Computes a layer of two vectors whose blocks have 2·`block` coefficients. `at` is the index of the root of both
    /// vectors together.
    #[inline(always)]
    fn inner_forward(self, roots: &Constants, at: usize, block: usize, u: L::V, v: L::V) -> (L::V, L::V) {
        let (u, v) = self.lanes.exchange(block, u, v);
        self.forward(u, v, self.spread(roots, W / block * at, block))
    }

    /// Undoes [`Bounds::inner_forward`].
    #[inline(always)]
    fn inner_inverse(self, inverses: &Constants, at: usize, block: usize, u: L::V, v: L::V) -> (L::V, L::V) {
        let (u, v) = self.inverse(u, v, self.spread(inverses, W / block * at, block));
        self.lanes.exchange(block, u, v)
    }

    /// Returns products of the values of two transforms, from index `at` on, divided by 2^32.
    #[inline(always)]
    fn product(self, tables: &Tables, at: usize, x: L::V, y: L::V) -> L::V {
        let l = self.lanes;
        if tables.degree == 1 {
            return self.montgomery(tables, l.wide(x, y));
        }
        // (x0 y0 + x1 γ y1, x1 y0 + x0 y1) = (x0, x1)(y0, y0) + (x1, x0)(γ y1, y1).
        let wrapped = self.below(self.scale(y, self.spread(&tables.gammas, at, 1)), self.q);
        let (even, odd) = l.exchange(1, x, x);
        let swapped = l.exchange(1, odd, even).0;
        let first = l.wide(x, l.exchange(1, y, y).0);
        let second = l.wide(swapped, l.exchange(1, wrapped, y).1);
        self.montgomery(tables, l.add_wide(first, second))
    }

    /// Returns x / 2^32: x − m·q is a multiple of 2^32, and above −q·2^32 and below q·2^32, because x, of at most two
    /// products, is below 2q².
    #[inline(always)]
    fn montgomery(self, tables: &Tables, x: L::Wide) -> L::V {
        let l = self.lanes;
        let m = l.mul_low(l.low(x), l.all(tables.modulus.inverse()));
        let difference = l.sub(l.high(x), l.high(l.wide(m, self.q)));
        l.min_unsigned(difference, l.add(difference, self.q))
    }

    /// Returns the canonical form of a value of the forward transform.
    #[inline(always)]
    fn canonical(self, x: L::V) -> L::V {
        if LAZY { self.below(self.below(x, self.q2), self.q) } else { x }
    }
}

/// Calls a function for a modulus below 2^30, or for another one.
macro_rules! by_size {
    ($tables:expr, $function:ident($lanes:expr $(, $x:expr)*)) => {
        if $tables.modulus.q() < 1 << 30 {
            $function::<_, W, true>(Bounds::new($lanes, $tables.modulus), $tables $(, $x)*)
        } else {
            $function::<_, W, false>(Bounds::new($lanes, $tables.modulus), $tables $(, $x)*)
        }
    };
}

/// Computes the same as [`super::forward`], of at least 2·W coefficients.
#[inline(always)]
pub(crate) fn forward<L: Words<W>, const W: usize>(lanes: L, tables: &Tables, x: &mut [u32]) {
    by_size!(tables, forward_in(lanes, x));
}

#[inline(always)]
fn forward_in<L: Words<W>, const W: usize, const LAZY: bool>(
    ring: Bounds<L, L::V, W, LAZY>,
    tables: &Tables,
    x: &mut [u32],
) {
    let l = ring.lanes;
    let (x, _) = x.as_chunks_mut::<W>();
    let roots = &tables.roots;
    // Blocks of two vectors are in this layer.
    let inner = (x.len() / 2).trailing_zeros();
    if inner % 2 == 1 {
        let (low, high) = x.split_at_mut(x.len() / 2);
        let root = ring.at(roots, 0, 0);
        for (low, high) in low.iter_mut().zip(high) {
            let (u, v) = ring.forward(l.read(low), l.read(high), root);
            l.store(u, low);
            l.store(v, high);
        }
    }
    for k in (inner % 2..inner).step_by(2) {
        for (b, block) in x.chunks_exact_mut(x.len() >> k).enumerate() {
            let (first, second) = ring.pair(roots, k, b);
            for [x0, x1, x2, x3] in quarters(block) {
                let (u0, u2) = ring.forward(l.read(x0), l.read(x2), first);
                let (u1, u3) = ring.forward(l.read(x1), l.read(x3), first);
                let (u0, u1) = ring.forward(u0, u1, second[0]);
                let (u2, u3) = ring.forward(u2, u3, second[1]);
                l.store(u0, x0);
                l.store(u1, x1);
                l.store(u2, x2);
                l.store(u3, x3);
            }
        }
    }
    let (pairs, _) = x.as_chunks_mut::<2>();
    for (b, [low, high]) in pairs.iter_mut().enumerate() {
        let (mut u, mut v) = ring.forward(l.read(low), l.read(high), ring.at(roots, inner, b));
        for block in (1..W.ilog2()).rev().map(|log| 1 << log) {
            (u, v) = ring.inner_forward(roots, (1 << inner) + b, block, u, v);
        }
        if tables.degree == 1 {
            (u, v) = ring.inner_forward(roots, (1 << inner) + b, 1, u, v);
        }
        let (u, v) = (ring.canonical(u), ring.canonical(v));
        let (u, v) = if tables.degree == 1 { l.zip(1, u, v) } else { l.zip(2, u, v) };
        l.store(u, low);
        l.store(v, high);
    }
}

/// Computes the same as [`super::inverse`], of at least 2·W coefficients.
#[inline(always)]
pub(crate) fn inverse<L: Words<W>, const W: usize>(lanes: L, tables: &Tables, x: &mut [u32]) {
    by_size!(tables, inverse_in(lanes, tables.last, x));
}

#[inline(always)]
fn inverse_in<L: Words<W>, const W: usize, const LAZY: bool>(
    ring: Bounds<L, L::V, W, LAZY>,
    tables: &Tables,
    last: [ShoupConstant; 2],
    x: &mut [u32],
) {
    let l = ring.lanes;
    let (x, _) = x.as_chunks_mut::<W>();
    let inverses = &tables.inverses;
    let inner = (x.len() / 2).trailing_zeros();
    let (pairs, _) = x.as_chunks_mut::<2>();
    for (b, [low, high]) in pairs.iter_mut().enumerate() {
        let (u, v) = (l.read(low), l.read(high));
        let (mut u, mut v) = if tables.degree == 1 {
            let (u, v) = l.unzip(1, u, v);
            ring.inner_inverse(inverses, (1 << inner) + b, 1, u, v)
        } else {
            l.unzip(2, u, v)
        };
        for block in (1..W.ilog2()).map(|log| 1 << log) {
            (u, v) = ring.inner_inverse(inverses, (1 << inner) + b, block, u, v);
        }
        // The first layer also divides, see below.
        if inner > 0 {
            (u, v) = ring.inverse(u, v, ring.at(inverses, inner, b));
        }
        l.store(u, low);
        l.store(v, high);
    }
    let between = inner.saturating_sub(1);
    for k in (0..between / 2).map(|i| inner - 2 - 2 * i) {
        for (b, block) in x.chunks_exact_mut(x.len() >> k).enumerate() {
            let (first, second) = ring.pair(inverses, k, b);
            for [x0, x1, x2, x3] in quarters(block) {
                let (u0, u1) = ring.inverse(l.read(x0), l.read(x1), second[0]);
                let (u2, u3) = ring.inverse(l.read(x2), l.read(x3), second[1]);
                let (u0, u2) = ring.inverse(u0, u2, first);
                let (u1, u3) = ring.inverse(u1, u3, first);
                l.store(u0, x0);
                l.store(u1, x1);
                l.store(u2, x2);
                l.store(u3, x3);
            }
        }
    }
    let by = last.map(|factor| ring.splat(factor));
    if between % 2 == 1 {
        let second = [ring.at(inverses, 1, 0), ring.at(inverses, 1, 1)];
        for [x0, x1, x2, x3] in quarters(x) {
            let (u0, u1) = ring.inverse(l.read(x0), l.read(x1), second[0]);
            let (u2, u3) = ring.inverse(l.read(x2), l.read(x3), second[1]);
            ring.last(u0, u2, by, x0, x2);
            ring.last(u1, u3, by, x1, x3);
        }
    } else {
        let (low, high) = x.split_at_mut(x.len() / 2);
        for (low, high) in low.iter_mut().zip(high) {
            ring.last(l.read(low), l.read(high), by, low, high);
        }
    }
}

/// Computes the same as [`super::pointwise`], of at least W values.
#[inline(always)]
pub(crate) fn pointwise<L: Words<W>, const W: usize>(lanes: L, tables: &Tables, a: &mut [u32], b: &[u32]) {
    let ring = Bounds::<L, L::V, W, false>::new(lanes, tables.modulus);
    let back = ring.splat(tables.modulus.montgomery());
    let ((a, _), (b, _)) = (a.as_chunks_mut::<W>(), b.as_chunks::<W>());
    for (at, (a, b)) in a.iter_mut().zip(b).enumerate() {
        let product = ring.product(tables, at * W, lanes.read(a), lanes.read(b));
        lanes.store(ring.below(ring.scale(product, back), ring.q), a);
    }
}

/// Computes the same as [`super::product`], of at least 2·W coefficients.
#[inline(always)]
pub(crate) fn product<L: Words<W>, const W: usize>(lanes: L, tables: &Tables, a: &mut [u32], b: &mut [u32]) {
    by_size!(tables, product_in(lanes, a, b));
}

#[inline(always)]
fn product_in<L: Words<W>, const W: usize, const LAZY: bool>(
    ring: Bounds<L, L::V, W, LAZY>,
    tables: &Tables,
    a: &mut [u32],
    b: &mut [u32],
) {
    forward_in(ring, tables, a);
    forward_in(ring, tables, b);
    let (products, _) = a.as_chunks_mut::<W>();
    for (at, (a, b)) in products.iter_mut().zip(b.as_chunks::<W>().0).enumerate() {
        ring.lanes.store(ring.product(tables, at * W, ring.lanes.read(a), ring.lanes.read(b)), a);
    }
    // What the products lack, the inverse has.
    inverse_in(ring, tables, tables.last_of_product, a);
}

/// Computes the same as [`super::all_below`], of a multiple of W values.
#[inline(always)]
pub(crate) fn all_below<L: Words<W>, const W: usize>(lanes: L, q: u32, x: &[u32]) -> bool {
    // The greatest value has the least complement.
    let (all, last) = (lanes.all(u32::MAX), x.as_chunks::<W>());
    let (mut least, mut words) = (all, [0; W]);
    for x in last.0 {
        least = lanes.min_unsigned(least, lanes.sub(all, lanes.read(x)));
    }
    lanes.store(least, &mut words);
    super::all_below(q, &words.map(|x| !x)) && super::all_below(q, last.1)
}

/// Returns the vectors of the four quarters of a block, one of each in turn.
#[inline(always)]
fn quarters<const W: usize>(block: &mut [[u32; W]]) -> impl Iterator<Item = [&mut [u32; W]; 4]> {
    let quarter = block.len() / 4;
    let (low, high) = block.split_at_mut(2 * quarter);
    let ((x0, x1), (x2, x3)) = (low.split_at_mut(quarter), high.split_at_mut(quarter));
    let all = x0.iter_mut().zip(x1).zip(x2.iter_mut().zip(x3));
    all.map(|((x0, x1), (x2, x3))| [x0, x1, x2, x3])
}
