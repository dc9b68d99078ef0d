//! The transforms of [`BitReversedDomain`](crate::BitReversedDomain), in lanes.
//!
//! Where polynomials are interleaved, each lane has one. A single one has its first elements side by side in the lanes;
//! when the nodes of the tree of remainders have as many elements as there are lanes, squares of them are transposed,
//! and from then on each lane has a node. Elements stay in the Montgomery form of [`Fr`], because all operations are
//! linear in them; only roots have that of [`Element`].
//!
//! Two levels are done at a time. Between them elements are below 2·r, in limbs of the least bits.

use super::fr::{Element, Limbs, transpose};
use super::{Roots, Words};
use crate::Fr;

/// An element between two levels.
type Reduced<V> = Element<V, 1, 2>;

impl Roots {
    /// Returns the roots of a node and those below, which are the same in all lanes.
    #[inline(always)]
    fn node(&self, node: usize) -> Uniform<'_> {
        Uniform { roots: &self.uniform, node }
    }

    /// Returns the roots of a square of nodes, and those below.
    #[inline(always)]
    fn square<V: Limbs>(&self, square: usize) -> Each<'_> {
        let words = 4 * V::LANES * (V::LANES - 1);
        Each(&self.each[square * words..][..words])
    }
}

/// The roots of a tree of nodes.
trait Tree<V> {
    /// Returns the root of node `t` of a level of the tree, `None` for 1.
    fn root(&self, level: u32, t: usize) -> Option<Element<V, 1, 1>>;
}

/// A tree with the same roots in all lanes.
struct Uniform<'a> {
    roots: &'a [[u64; 4]],
    node: usize,
}

impl<V: Limbs> Tree<V> for Uniform<'_> {
    #[inline(always)]
    fn root(&self, level: u32, t: usize) -> Option<Element<V, 1, 1>> {
        match self.node << level | t {
            0 => None,
            k => Some(Element::all(&self.roots[k])),
        }
    }
}

/// A tree in each lane.
struct Each<'a>(&'a [u64]);

impl<V: Limbs> Tree<V> for Each<'_> {
    #[inline(always)]
    fn root(&self, level: u32, t: usize) -> Option<Element<V, 1, 1>> {
        let vector = (1 << level) - 1 + t;
        Some(Element::load(&self.0[vector * 4 * V::LANES..]))
    }
}

/// Replaces coefficients by values, as [`BitReversedDomain::forward`](crate::BitReversedDomain::forward) does. They suit
/// the roots.
#[inline(always)]
pub(crate) fn forward<V: Limbs>(roots: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
    let columns = data.len() >> levels;
    let words = Fr::words_mut(data);
    if columns == 1 {
        let lane_levels = V::LANES.ilog2();
        let mut values: Vec<Reduced<V>> = Vec::with_capacity(words.len() / V::LANES);
        for words in words.chunks_exact(V::LANES) {
            values.push(load(words, 1));
        }
        down(&roots.node(block), levels - lane_levels, &mut values);
        let first = block << (levels - lane_levels) >> lane_levels;
        let squares = words.chunks_exact_mut(V::LANES * V::LANES).zip(values.chunks_exact_mut(V::LANES));
        for (i, (words, square)) in squares.enumerate() {
            transpose(square);
            down(&roots.square::<V>(first + i), lane_levels, square);
            for (i, value) in square.iter().enumerate() {
                store(value, &mut words[i..], V::LANES);
            }
        }
    } else {
        let mut values: Vec<Reduced<V>> = Vec::with_capacity(1 << levels);
        for column in (0..columns).step_by(V::LANES) {
            values.clear();
            for row in words.chunks_exact(columns) {
                values.push(load(&row[column..], 1));
            }
            down(&roots.node(block), levels, &mut values);
            for (row, value) in words.chunks_exact_mut(columns).zip(&values) {
                store(value, &mut row[column..], 1);
            }
        }
    }
}

/// Replaces values by coefficients times 2^levels, as [`BitReversedDomain::inverse`](crate::BitReversedDomain::inverse)
/// does. They suit the inverses of the roots.
#[inline(always)]
pub(crate) fn inverse<V: Limbs>(inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
    let columns = data.len() >> levels;
    let words = Fr::words_mut(data);
    if columns == 1 {
        let lane_levels = V::LANES.ilog2();
        let mut values: Vec<Reduced<V>> = Vec::with_capacity(words.len() / V::LANES);
        let first = block << (levels - lane_levels) >> lane_levels;
        for (i, words) in words.chunks_exact(V::LANES * V::LANES).enumerate() {
            let start = values.len();
            for i in 0..V::LANES {
                values.push(load(&words[i..], V::LANES));
            }
            let square = &mut values[start..];
            up(&inverses.square::<V>(first + i), lane_levels, square);
            transpose(square);
        }
        up(&inverses.node(block), levels - lane_levels, &mut values);
        for (words, value) in words.chunks_exact_mut(V::LANES).zip(&values) {
            store(value, words, 1);
        }
    } else {
        let mut values: Vec<Reduced<V>> = Vec::with_capacity(1 << levels);
        for column in (0..columns).step_by(V::LANES) {
            values.clear();
            for row in words.chunks_exact(columns) {
                values.push(load(&row[column..], 1));
            }
            up(&inverses.node(block), levels, &mut values);
            for (row, value) in words.chunks_exact_mut(columns).zip(&values) {
                store(value, &mut row[column..], 1);
            }
        }
    }
}

#[inline(always)]
fn load<V: Limbs>(words: &[[u64; 4]], stride: usize) -> Reduced<V> {
    Element::from_words(V::Word::load_elements(words, stride)).widen()
}

#[inline(always)]
fn store<V: Limbs>(value: &Reduced<V>, words: &mut [[u64; 4]], stride: usize) {
    V::Word::store_elements(value.canonical().to_words(), words, stride);
}

/// Goes down a tree: replaces the polynomial of its first node by the values of its leaves.
#[inline(always)]
fn down<V: Limbs>(tree: &impl Tree<V>, levels: u32, values: &mut [Reduced<V>]) {
    let mut level = 0;
    while level + 1 < levels {
        for (t, part) in values.chunks_exact_mut(values.len() >> level).enumerate() {
            let roots = [tree.root(level, t), tree.root(level + 1, 2 * t), tree.root(level + 1, 2 * t + 1)];
            let quarter = part.len() / 4;
            for i in 0..quarter {
                let all = [part[i], part[i + quarter], part[i + 2 * quarter], part[i + 3 * quarter]];
                [part[i], part[i + quarter], part[i + 2 * quarter], part[i + 3 * quarter]] =
                    two_down(&roots, all);
            }
        }
        level += 2;
    }
    if level < levels {
        for (t, part) in values.chunks_exact_mut(values.len() >> level).enumerate() {
            let root = tree.root(level, t);
            let half = part.len() / 2;
            for i in 0..half {
                let (a, b) = (part[i], times(&part[i + half], &root));
                let (sum, difference): (Element<V, 2, 4>, Element<V, 3, 5>) = (a.plus(&b), a.minus(&b));
                (part[i], part[i + half]) = (sum.reduced(), difference.reduced());
            }
        }
    }
}

/// Goes up a tree: the inverse of [`down`], up to the factor 2^levels, with inverses of the roots.
#[inline(always)]
fn up<V: Limbs>(tree: &impl Tree<V>, levels: u32, values: &mut [Reduced<V>]) {
    let mut level = levels;
    while level > 1 {
        level -= 2;
        for (t, part) in values.chunks_exact_mut(values.len() >> level).enumerate() {
            let inverses =
                [tree.root(level, t), tree.root(level + 1, 2 * t), tree.root(level + 1, 2 * t + 1)];
            let quarter = part.len() / 4;
            for i in 0..quarter {
                let all = [part[i], part[i + quarter], part[i + 2 * quarter], part[i + 3 * quarter]];
                [part[i], part[i + quarter], part[i + 2 * quarter], part[i + 3 * quarter]] =
                    two_up(&inverses, all);
            }
        }
    }
    if level > 0 {
        let inverse = tree.root(0, 0);
        let half = values.len() / 2;
        for i in 0..half {
            let (a, b) = (values[i], values[i + half]);
            let (sum, difference): (Element<V, 2, 4>, Element<V, 3, 5>) = (a.plus(&b), a.minus(&b));
            (values[i], values[i + half]) = (sum.reduced(), reduced_times(&difference, &inverse));
        }
    }
}

/// Returns what two levels make of four elements, a quarter of a node apart, with the root of the node and those of the
/// two nodes below.
#[inline(always)]
fn two_down<V: Limbs>(
    roots: &[Option<Element<V, 1, 1>>; 3],
    [a, b, c, d]: [Reduced<V>; 4],
) -> [Reduced<V>; 4] {
    let (c, d) = (times(&c, &roots[0]), times(&d, &roots[0]));
    let (a, c): (Element<V, 3, 5>, Element<V, 3, 5>) = (a.plus(&c), a.minus(&c));
    let (b, d): (Element<V, 3, 5>, Element<V, 3, 5>) = (b.plus(&d), b.minus(&d));
    let (b, d) = (times(&b, &roots[1]), times(&d, &roots[2]));
    let (a, b): (Element<V, 6, 10>, Element<V, 7, 11>) = (a.plus(&b), a.minus(&b));
    let (c, d): (Element<V, 6, 10>, Element<V, 7, 11>) = (c.plus(&d), c.minus(&d));
    [a.reduced(), b.reduced(), c.reduced(), d.reduced()]
}

/// Returns what two levels up make of four elements, a quarter of a node apart, with the inverses of [`two_down`].
#[inline(always)]
fn two_up<V: Limbs>(
    inverses: &[Option<Element<V, 1, 1>>; 3],
    [a, b, c, d]: [Reduced<V>; 4],
) -> [Reduced<V>; 4] {
    let (a, b): (Element<V, 2, 4>, Element<V, 3, 5>) = (a.plus(&b), a.minus(&b));
    let (c, d): (Element<V, 2, 4>, Element<V, 3, 5>) = (c.plus(&d), c.minus(&d));
    let (b, d) = (reduced_times(&b, &inverses[1]), reduced_times(&d, &inverses[2]));
    let (a, c): (Element<V, 4, 8>, Element<V, 5, 9>) = (a.plus(&c), a.minus(&c));
    let (b, d): (Element<V, 2, 4>, Element<V, 3, 5>) = (b.plus(&d), b.minus(&d));
    [a.reduced(), b.reduced(), reduced_times(&c, &inverses[0]), reduced_times(&d, &inverses[0])]
}

/// Returns the product with a root.
#[inline(always)]
fn times<V: Limbs, const L: u64, const K: u64>(
    value: &Element<V, L, K>,
    root: &Option<Element<V, 1, 1>>,
) -> Element<V, L, K> {
    match root {
        None => *value,
        Some(root) => value.times(root).widen(),
    }
}

/// Returns the product with a root, reduced.
#[inline(always)]
fn reduced_times<V: Limbs, const L: u64, const K: u64>(
    value: &Element<V, L, K>,
    root: &Option<Element<V, 1, 1>>,
) -> Reduced<V> {
    match root {
        None => value.reduced(),
        Some(root) => value.times(root),
    }
}
