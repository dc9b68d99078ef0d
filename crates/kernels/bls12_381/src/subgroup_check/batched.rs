//! Membership of many points of G1 at once.
//!
//! E(Fp) has h·r points, where h = (x − 1)²/3 = 3 · 11² · 10177² · 859267² · 52437899² and r is prime, so each point is
//! P + Q with P in G1 and Q of an order that divides h. For points P_i + Q_i and coins c_i from {−1, 0, 1}, the sum
//! Σ c_i·(P_i + Q_i) is in G1 if and only if Σ c_i·Q_i is infinity. Where some Q_i is not infinity, its order is odd
//! and at least 3, so −Q_i, infinity and Q_i are three points, and whatever the other coins are, at most one of them
//! makes that sum infinity: a probability of at most 1/3. 81 such sums with independent coins are all in G1 with a
//! probability of at most 3^-81 < 2^-128. More coins, such as all numbers below 2^64, would not help: the factor 3 of h
//! leaves the probability at 1/3. (Koshelev, El Housni and Fotiadis, "Batch subgroup membership testing on
//! pairing-friendly curves", 2025, treat such tests in general.)
//!
//! The coins are a hash of all points, so they are not known before all points are
//! fixed. The sums use additions that are right for any points of the curve, and no endomorphism, which is a
//! multiplication in G1 only.
//!
//! A sum for each row would take 81 · 2/3 additions a point. Instead k rows at once, a layer, put each point into one
//! of (3^k − 1)/2 buckets, by the k coins up to their common sign, and each row is a sum of buckets.

#[cfg(test)]
pub(crate) mod tests;

use parcrypt_runtime::{Cost, Runtime, for_each, map};
use parcrypt_sha256::Sha256;

use crate::G1Affine;
use crate::costs::{COIN_NS, ns};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::dispatch::FpRow;
use crate::msm::segments::{Segments, sum_operands};

/// Separates the hash of points from all other hashes.
const DOMAIN: &[u8; 19] = b"parcrypt-membership";

/// Least number of random sums: 3^-81 is below 2^-128.
const ROWS: usize = 81;

/// Points of a batch; longer lists are several batches. It bounds the memory for coins.
const BATCH: usize = 1 << 16;

/// Points whose coins are one task.
const COINS: usize = 512;

/// Rows in layers of `trits` rows, with the coins of a point in a layer as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    trits: u32,
}

impl Layout {
    /// Returns the layout with the least additions.
    fn best(points: usize) -> Layout {
        let all = (1..=7).map(|trits| Layout { trits });
        // The list is not empty.
        all.min_by_key(|layout| layout.additions(points)).unwrap_or(Layout { trits: 1 })
    }

    /// Returns the number of values of the coins of a point in a layer.
    fn values(self) -> usize {
        3usize.pow(self.trits)
    }

    /// Returns the number of buckets of a layer.
    fn buckets(self) -> usize {
        self.values() / 2
    }

    fn layers(self) -> usize {
        ROWS.div_ceil(self.trits as usize)
    }

    fn rows(self) -> usize {
        self.layers() * self.trits as usize
    }

    /// Returns the expected number of additions: of points into buckets, and of buckets into rows.
    fn additions(self, points: usize) -> usize {
        self.layers() * points * 2 * self.buckets() / self.values() + self.rows() * self.values() / 3
    }

    /// Returns the coin of a row of a layer for a bucket: the digit of `bucket` + 1 in balanced ternary.
    fn coin(self, bucket: usize, row: u32) -> i8 {
        // Adding 1 to each digit makes them 0, 1 and 2: the number (3^k − 1)/2 has the digit 1 everywhere.
        let digit = (bucket + 1 + self.buckets()) / 3usize.pow(row) % 3;
        digit as i8 - 1
    }
}

/// Returns the time to check this number of points together, in ns.
pub(crate) fn batched_ns(row: &FpRow, points: usize) -> f64 {
    let (layout, costs) = (Layout::best(points), &row.costs);
    let coins = (points * layout.layers()) as f64 * COIN_NS;
    coins + layout.additions(points) as f64 * costs.add + layout.rows() as f64 * costs.membership()
}

/// Returns the seed of the coins of a batch: a hash of all points.
pub(crate) fn seed(compressed: &[&[u8; 48]]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(DOMAIN).chain_update((compressed.len() as u64).to_be_bytes());
    compressed.iter().for_each(|bytes| hash.update(bytes));
    hash.finalize()
}

/// Returns whether all points, which are on the curve, are in G1; `true` for points outside of it with a probability of
/// at most 3^-81. `seed` is a hash of the points.
pub(crate) fn all_in_subgroup(
    rt: &dyn Runtime,
    row: &'static FpRow,
    seed: &[u8; 32],
    points: &[G1Affine],
) -> bool {
    points.chunks(BATCH).enumerate().all(|(batch, points)| {
        let seed = Sha256::new_with_prefix(seed).chain_update((batch as u64).to_be_bytes());
        batch_is_in_subgroup(rt, row, &seed, points)
    })
}

fn batch_is_in_subgroup(rt: &dyn Runtime, row: &'static FpRow, seed: &Sha256, points: &[G1Affine]) -> bool {
    let layout = Layout::best(points.len());
    let mut own = vec![Point::INFINITY; points.len()];
    let pieces = points.chunks(COINS).zip(own.chunks_mut(COINS)).collect();
    let cost = ns(COINS as f64 * 2.0 * row.costs.product);
    for_each(rt, pieces, cost, |(points, own): (&[G1Affine], &mut [Point])| row.batch.import(points, own));
    let buckets = sum_operands(rt, row, &tables(&own), &in_buckets(rt, layout, seed, points.len()));
    let rows = sum_operands(rt, row, &tables(&buckets), &in_rows(layout));
    let mut sums = vec![G1Affine::identity(); rows.len()];
    row.batch.export(&rows, &mut sums);
    let piece = row.at_once(rt, sums.len()).max(8);
    let pieces: Vec<&[G1Affine]> = sums.chunks(piece).collect();
    let cost = ns(piece as f64 * row.costs.membership());
    map(rt, pieces.len(), cost, |i| row.validation.are_in_subgroup(pieces[i])).into_iter().all(|piece| piece)
}

/// Returns tables for operands P and −P alone: they never read βx.
fn tables(points: &[Point]) -> Vec<GlvTable> {
    points.iter().map(|point| GlvTable { x: point.x, beta_x: point.x, y: point.y }).collect()
}

/// Returns P or −P, where −1 is the third power of ζ.
fn signed(index: usize, negative: bool) -> Operand {
    Operand::new(index as u32, if negative { 3 } else { 0 })
}

/// Returns the points of each bucket: list l · buckets + b belongs to bucket b of layer l.
fn in_buckets(rt: &dyn Runtime, layout: Layout, seed: &Sha256, points: usize) -> Segments<Operand> {
    let (layers, buckets) = (layout.layers(), layout.buckets());
    let mut coins = vec![0u16; points * layers];
    let pieces = coins.chunks_mut(COINS * layers).enumerate().collect();
    let cost = Cost::ns((COINS * layers) as u64 * 6);
    for_each(rt, pieces, cost, |(piece, out): (usize, &mut [u16])| {
        draw(seed, piece as u64, layout.values(), out);
    });
    // A counting sort. A coin below the middle is the negative of its bucket, the middle is none.
    let list = |layer: usize, coin: u16| {
        let coin = usize::from(coin);
        let bucket = coin.abs_diff(buckets).checked_sub(1)?;
        Some((layer * buckets + bucket, coin < buckets))
    };
    let all = || {
        let numbered = coins.chunks(layers.max(1)).enumerate();
        numbered.flat_map(move |(point, coins)| {
            let lists = coins.iter().enumerate().filter_map(move |(layer, coin)| list(layer, *coin));
            lists.map(move |(list, negative)| (list, signed(point, negative)))
        })
    };
    let mut ends = vec![0u32; layers * buckets + 1];
    all().for_each(|(list, _)| ends[list + 1] += 1);
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut items = vec![Operand::ANY; ends[ends.len() - 1] as usize];
    for (list, operand) in all() {
        let next = &mut ends[list];
        items[*next as usize] = operand;
        *next += 1;
    }
    // Each start has moved to the end of its list.
    ends.pop();
    Segments { items, ends }
}

/// Returns the buckets of each row.
fn in_rows(layout: Layout) -> Segments<Operand> {
    let mut rows = Segments::new();
    for layer in 0..layout.layers() {
        for row in 0..layout.trits {
            let coins = (0..layout.buckets()).map(|bucket| (bucket, layout.coin(bucket, row)));
            let coins = coins.filter(|(_, coin)| *coin != 0);
            rows.items.extend(coins.map(|(b, coin)| signed(layer * layout.buckets() + b, coin < 0)));
            rows.end();
        }
    }
    rows
}

/// Draws numbers below `values` from a hash. All are equally likely: words from the greatest multiple of `values` on
/// are skipped.
fn draw(seed: &Sha256, piece: u64, values: usize, out: &mut [u16]) {
    let accepted = (1 << 16) / values * values;
    let words = (0u64..).flat_map(|block| {
        let hash =
            seed.clone().chain_update(piece.to_be_bytes()).chain_update(block.to_be_bytes()).finalize();
        let (words, _) = hash.as_chunks::<2>();
        std::array::from_fn::<usize, 16, _>(|i| usize::from(u16::from_be_bytes(words[i])))
    });
    let drawn = words.filter(|word| *word < accepted).map(|word| (word % values) as u16);
    out.iter_mut().zip(drawn).for_each(|(out, number)| *out = number);
}
