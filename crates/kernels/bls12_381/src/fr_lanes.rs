//! The functions over Fr that a row may have in lanes, and the tables that they read. They are written in `lanes`.

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::Fr;

/// Functions over Fr of an instruction set.
pub(crate) trait FrLanes: Debug + Sync + RefUnwindSafe {
    /// Returns the number of lanes.
    fn lanes(&self) -> usize;

    /// Returns the words, least significant first, of an element in the Montgomery form of the lanes.
    fn words(&self, element: Fr) -> [u64; 4];

    /// Reads encodings times a factor; returns whether all are below r.
    fn decode(&self, factor: Fr, encodings: &[[u8; 32]], out: &mut [Fr]) -> bool;

    /// Writes the encodings of elements times a factor.
    fn encode(&self, factor: Fr, elements: &[Fr], out: &mut [[u8; 32]]);

    /// Multiplies each row by its factor.
    fn scale(&self, factors: &[Fr], rows: &mut [Fr]);

    /// Writes linear combinations of rows, as [`Fr::combine`] does.
    fn combine(&self, length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]);

    /// Folds encoded values in each lane, with a [table](folding_table); returns whether all are below r.
    fn fold(&self, table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool;

    /// Divides as [`BitReversedDomain::divide`](crate::BitReversedDomain::divide) does; returns whether it did.
    fn divide(&self, roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool;

    /// Transforms as [`BitReversedDomain::forward`](crate::BitReversedDomain::forward) does.
    fn forward(&self, roots: &Roots, block: usize, levels: u32, data: &mut [Fr]);

    /// Transforms as [`BitReversedDomain::inverse`](crate::BitReversedDomain::inverse) does.
    fn inverse(&self, inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]);
}

/// Appends the element of each lane to a table: all lanes of the first word, then all of the second.
fn push_vector(table: &mut Vec<u64>, functions: &dyn FrLanes, element: impl Fn(usize) -> Fr) {
    let words: Vec<[u64; 4]> = (0..functions.lanes()).map(|lane| functions.words(element(lane))).collect();
    table.extend((0..4).flat_map(|i| words.iter().map(move |words| words[i])));
}

/// Returns 1 / x for the first of each pair of points, given in the order of the values, as [`FrLanes::fold`] reads
/// them; `None` if memory is short.
pub(crate) fn folding_table(functions: &dyn FrLanes, inverses: &[Fr]) -> Option<Vec<u64>> {
    let rows = inverses.len() / functions.lanes();
    let mut table = Vec::new();
    table.try_reserve_exact(4 * inverses.len()).ok()?;
    for row in 0..rows {
        push_vector(&mut table, functions, |lane| inverses[lane * rows + row]);
    }
    Some(table)
}

/// The roots of all nodes, or their inverses.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) lanes: usize,
    /// Root k, for all lanes. Root 0 is 1 and is not used.
    pub(crate) uniform: Vec<[u64; 4]>,
    /// For nodes that are lanes: the roots of each level below, all lanes of the first word, then all of the second.
    pub(crate) each: Vec<u64>,
}

impl Roots {
    /// Returns the roots for transforms on a domain of 2^scale points whose node k has the root `root(k)`; `None` if
    /// memory is short.
    pub(crate) fn new(functions: &dyn FrLanes, scale: u32, root: impl Fn(usize) -> Fr) -> Option<Self> {
        let lanes = functions.lanes();
        debug_assert!(lanes.is_power_of_two());
        let size = 1 << scale;
        let (mut uniform, mut each) = (Vec::new(), Vec::new());
        uniform.try_reserve_exact(size / 2 / lanes).ok()?;
        uniform.extend((0..size / 2 / lanes).map(|k| functions.words(root(k))));
        each.try_reserve_exact(size / lanes * (lanes - 1) * 4).ok()?;
        for square in 0..size / lanes / lanes {
            for level in 0..lanes.ilog2() {
                for t in 0..1 << level {
                    push_vector(&mut each, functions, |lane| root((square * lanes + lane) << level | t));
                }
            }
        }
        Some(Roots { lanes, uniform, each })
    }

    /// Returns whether a transform of this many elements can be done in lanes.
    pub(crate) fn suit(&self, block: usize, levels: u32, len: usize) -> bool {
        match len >> levels {
            // The block is one of the domain.
            1 => levels >= 2 * self.lanes.ilog2() && !self.each.is_empty(),
            columns => {
                columns.is_multiple_of(self.lanes)
                    && (block + 1) << levels.saturating_sub(1) <= self.uniform.len()
            }
        }
    }
}
