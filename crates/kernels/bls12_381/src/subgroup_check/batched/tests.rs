#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::rng;

use super::*;
use crate::{Error, Fr, G1, Membership, Request, decompress, dispatch};

/// The prime factors of h, with their powers.
pub(crate) const FACTORS: [(u64, u32); 5] = [(3, 1), (11, 2), (10177, 2), (859_267, 2), (52_437_899, 2)];

fn row() -> &'static FpRow {
    dispatch::select(Request::Auto).unwrap()
}

/// Returns n·P for any point of the curve.
pub(crate) fn times(point: G1, n: u64) -> G1 {
    let bits = (0..u64::BITS).rev().map(|bit| n >> bit & 1 == 1);
    bits.fold(G1::identity(), |sum, bit| if bit { sum.double() + point } else { sum.double() })
}

/// Returns r·P for any point of the curve: (r − 1)·P + P, where r − 1 = −1 in Fr would be reduced.
fn times_r(point: G1) -> G1 {
    let r_minus_1 = (-Fr::one()).to_bytes();
    let bits = r_minus_1.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1));
    let product = bits.fold(G1::identity(), |sum, bit| if bit { sum.double() + point } else { sum.double() });
    product + point
}

/// Returns a random point of the curve, which is in G1 with a probability of 2^-125.
fn anywhere(rng: &mut impl RngCore) -> G1 {
    let points = std::iter::repeat_with(|| {
        let mut bytes = [0; 48];
        rng.fill_bytes(&mut bytes);
        bytes[0] = 0x80 | bytes[0] & 0x2f;
        G1Affine::on_curve_from_compressed(&bytes).ok()
    });
    points.flatten().next().unwrap().into()
}

/// Returns points of an order that is a prime factor of h: two for those whose square divides h, which with high
/// probability generate all of that order.
pub(crate) fn of_order(prime: u64, rng: &mut impl RngCore) -> Vec<G1> {
    let count = FACTORS.iter().find(|(factor, _)| *factor == prime).unwrap().1;
    let candidates = std::iter::repeat_with(|| {
        let point = times_r(anywhere(rng));
        let others = FACTORS.iter().filter(|(factor, _)| *factor != prime);
        let cofree = others
            .fold(point, |point, (factor, power)| (0..*power).fold(point, |point, _| times(point, *factor)));
        // The group is the product of two cyclic ones of this order, so it has no point of its square.
        assert_eq!(times(cofree, prime), G1::identity());
        cofree
    });
    candidates.filter(|point| *point != G1::identity()).take(count as usize).collect()
}

pub(crate) fn good(count: usize) -> Vec<G1> {
    let step = G1::generator() * Fr::from(0x1234_5678_9abc);
    std::iter::successors(Some(step), |point| Some(point.double() + step)).take(count).collect()
}

/// Returns the indices of the points that decompression refuses as no members, all others being accepted.
fn refused(points: &[G1], membership: Membership) -> Vec<usize> {
    let compressed = G1::compress_all(points);
    let compressed: Vec<&[u8; 48]> = compressed.iter().collect();
    let read = decompress(&Serial, row(), membership, &compressed);
    let affine = G1::batch_to_affine(points);
    for (read, point) in read.iter().zip(&affine) {
        assert!(*read == Ok(*point) || *read == Err(Error::NotInSubgroup));
    }
    (0..points.len()).filter(|i| read[*i].is_err()).collect()
}

/// Returns the verdict of the batched check, with the coins of a seed.
fn batched(points: &[G1], seed: u8) -> bool {
    all_in_subgroup(&Serial, row(), &[seed; 32], &G1::batch_to_affine(points))
}

/// One part outside of G1, and parts whose sum is infinity: coins that are the same for all points, or whose sums have
/// a pattern, would accept them.
#[test]
fn parts_of_any_small_order_are_found_among_many() {
    const COUNT: usize = 300;
    let mut rng = rng();
    let good = good(COUNT);
    assert!(batched(&good, 0) && refused(&good, Membership::Batched).is_empty());
    for (prime, _) in FACTORS {
        let all = of_order(prime, &mut rng);
        let first = all[0];
        let last = *all.last().unwrap();
        let groups: [Vec<G1>; 7] = [
            vec![first],
            vec![last],
            vec![first, -first],
            vec![first, first, times(-first, 2)],
            vec![first, last, -first, -last],
            vec![first + last, -first, -last],
            [[first; 150], [-first; 150]].concat(),
        ];
        for group in groups {
            let mut points = good.clone();
            let mut bad: Vec<usize> = (0..COUNT).collect();
            (0..COUNT).for_each(|i| bad.swap(i, rng.random_range(i..COUNT)));
            bad.truncate(group.len());
            for (at, error) in bad.iter().zip(&group) {
                points[*at] += *error;
            }
            bad.retain(|at| points[*at] != good[*at]);
            bad.sort_unstable();
            assert!(!batched(&points, 2), "order {prime}, {} points", group.len());
            assert_eq!(refused(&points, Membership::Batched), bad, "order {prime}");
            assert_eq!(refused(&points, Membership::Exact), bad, "order {prime}");
        }
    }
}

/// Who knows the coins finds parts of order 3 that cancel in every row: a solution of 81 equations modulo 3 in more
/// unknowns. So the coins must not be known before the points.
#[test]
fn coins_of_other_points_are_of_no_use() {
    const COUNT: usize = 300;
    let mut rng = rng();
    let good = good(COUNT);
    let torsion = of_order(3, &mut rng)[0];
    let compressed = G1::compress_all(&good);
    let compressed: Vec<&[u8; 48]> = compressed.iter().collect();
    let seed = seed(&compressed);
    let layout = Layout::best(COUNT);
    let mut numbers = vec![0; COUNT * layout.layers()];
    draw(&Sha256::new_with_prefix(seed).chain_update(0u64.to_be_bytes()), 0, layout.values(), &mut numbers);
    // Modulo 3, the digits of a coin's number less 1.
    let coin = |point: usize, row: usize| {
        let (layer, digit) = (row / layout.trits as usize, row % layout.trits as usize);
        (numbers[point * layout.layers() + layer] / 3u16.pow(digit as u32) + 2) % 3
    };
    let rows: Vec<Vec<u16>> =
        (0..layout.rows()).map(|row| (0..COUNT).map(|point| coin(point, row)).collect()).collect();
    // A forgery for all rows but one is refused: each row is checked.
    for row in 0..rows.len() {
        let others = [&rows[..row], &rows[row + 1..]].concat();
        let sum = |parts: &[u16]| rows[row].iter().zip(parts).map(|(coin, part)| coin * part).sum::<u16>();
        // One of three is a solution of this row too, and all are where it depends on the others.
        let mut solutions = std::iter::repeat_with(|| solution(others.clone(), &mut rng)).take(100);
        let parts = solutions.find(|parts| sum(parts) % 3 != 0).expect("rows are independent");
        let forged = good.iter().zip(&parts).map(|(point, part)| *point + times(torsion, u64::from(*part)));
        let affine = G1::batch_to_affine(&forged.collect::<Vec<_>>());
        assert!(!all_in_subgroup(&Serial, self::row(), &seed, &affine), "row {row}");
    }
    let parts = solution(rows, &mut rng);
    let mut forged = good.clone();
    for (point, part) in forged.iter_mut().zip(&parts) {
        *point += times(torsion, u64::from(*part));
    }
    let affine = G1::batch_to_affine(&forged);
    assert!(all_in_subgroup(&Serial, row(), &seed, &affine), "the forgery is one");
    let behind = [G1::batch_to_affine(&self::good(BATCH)), affine].concat();
    assert!(!all_in_subgroup(&Serial, row(), &seed, &behind), "the next batch has other coins");
    let bad: Vec<usize> = (0..COUNT).filter(|i| parts[*i] != 0).collect();
    assert!(!bad.is_empty());
    assert_eq!(refused(&forged, Membership::Batched), bad);
}

/// Returns a solution modulo 3, not all 0, of homogeneous equations, which are fewer than the unknowns.
fn solution(mut equations: Vec<Vec<u16>>, rng: &mut impl RngCore) -> Vec<u16> {
    let unknowns = equations[0].len();
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    let mut done = 0;
    for column in 0..unknowns {
        let Some(at) = (done..equations.len()).find(|i| equations[*i][column] != 0) else { continue };
        equations.swap(done, at);
        // 1 and 2 are their own inverses.
        let inverse = equations[done][column];
        equations[done].iter_mut().for_each(|x| *x = *x * inverse % 3);
        let pivot = equations[done].clone();
        for (i, equation) in equations.iter_mut().enumerate().filter(|(i, _)| *i != done) {
            let factor = 3 - equation[column];
            debug_assert_ne!(i, done);
            equation.iter_mut().zip(&pivot).for_each(|(x, p)| *x = (*x + factor * p) % 3);
        }
        pivots.push((done, column));
        done += 1;
    }
    let mut solution: Vec<u16> = (0..unknowns).map(|_| rng.random_range(1..3)).collect();
    pivots.iter().for_each(|(_, column)| solution[*column] = 0);
    for (row, column) in &pivots {
        let sum: u16 = equations[*row].iter().zip(&solution).map(|(a, x)| a * x).sum();
        solution[*column] = (3 - sum % 3) % 3;
    }
    // Other pivots are 0 in each row, so setting one leaves the sums of the others.
    solution
}

#[test]
fn every_row_is_checked() {
    for trits in 1..=7 {
        let layout = Layout { trits };
        assert!(layout.rows() >= 81);
        let rows = in_rows(layout);
        assert_eq!(rows.ends.len(), layout.rows());
        // In a row the coin of each bucket is that digit of its number.
        for bucket in 0..layout.buckets() {
            let coins = (0..trits).map(|row| i64::from(layout.coin(bucket, row)) * 3i64.pow(row));
            assert_eq!(coins.sum::<i64>(), bucket as i64 + 1, "{trits} trits");
        }
    }
    let mut rng = rng();
    let torsion = of_order(3, &mut rng)[0];
    // Seeds for which the one point outside of G1 has few coins other than 0 are rare: 200 of them are all refused.
    let points = [torsion, good(1)[0]];
    assert!((0..200).all(|seed| !batched(&points, seed)));
}

/// The coins of a point are uniform: of the words of a hash, those are skipped that would make some numbers likelier
/// than others. Each piece has other coins.
#[test]
fn coins_are_uniform_and_all_different() {
    let seed = Sha256::new_with_prefix([7; 32]);
    let words: Vec<usize> = (0u64..512)
        .flat_map(|block| {
            let hash = seed.clone().chain_update(0u64.to_be_bytes()).chain_update(block.to_be_bytes());
            let hash: [u8; 32] = hash.finalize();
            hash.chunks(2).map(|word| usize::from(word[0]) << 8 | usize::from(word[1])).collect::<Vec<_>>()
        })
        .collect();
    for values in (1..=7).map(|trits| 3usize.pow(trits)) {
        // The quotients that occur with every remainder.
        let accepted = words.iter().filter(|word| **word / values < (1 << 16) / values);
        let accepted: Vec<u16> = accepted.map(|word| (word % values) as u16).collect();
        assert!(values < 243 || accepted.len() < words.len(), "{values}: no word of these is skipped");
        let [mut coins, mut others] = [(); 2].map(|()| vec![0; accepted.len()]);
        draw(&seed, 0, values, &mut coins);
        draw(&seed, 1, values, &mut others);
        assert!(coins == accepted && coins != others, "{values}");
    }
    // Compared with Python: the words of sha256(bytes([7]) * 32 + (3).to_bytes(8) + (0).to_bytes(8)) below 65,367,
    // modulo 243.
    let mut coins = [0; 8];
    draw(&seed, 3, 243, &mut coins);
    assert_eq!(coins, [188, 202, 97, 229, 21, 169, 160, 129]);
}

/// The seed is the hash of the number of points and of all their bytes: a byte that it leaves out could be chosen after
/// the coins are known.
#[test]
fn the_seed_depends_on_every_byte() {
    let of = |points: &[[u8; 48]]| seed(&points.iter().collect::<Vec<_>>());
    let mut points = [[0; 48]; 5];
    points.as_flattened_mut().iter_mut().zip(0..).for_each(|(byte, i)| *byte = i);
    let mut hash = Sha256::new_with_prefix(b"parcrypt-membership");
    hash.update([0, 0, 0, 0, 0, 0, 0, 5]);
    hash.update(points.as_flattened());
    assert_eq!(of(&points), hash.finalize());
    let mut seeds = std::collections::HashSet::from([of(&points)]);
    for at in 0..5 * 48 {
        let mut other = points;
        other.as_flattened_mut()[at] ^= 1;
        assert!(seeds.insert(of(&other)), "byte {} of point {}", at % 48, at / 48);
    }
    for count in 0..5 {
        assert!(seeds.insert(of(&points[..count])), "{count} points");
    }
    points.swap(3, 4);
    assert!(seeds.insert(of(&points)));
}

/// Coins of different pieces of a batch are different, and every batch of a long list is checked.
#[test]
fn long_lists_are_checked_to_their_end() {
    let mut rng = rng();
    let torsion = of_order(3, &mut rng)[0];
    let mut points = good(COINS + 50);
    points[0] += torsion;
    points[COINS] += -torsion;
    assert!(!batched(&points, 5));
    let mut long = G1::batch_to_affine(&good(BATCH + 200));
    let all = |points: &[G1Affine]| all_in_subgroup(&Serial, row(), &[6; 32], points);
    assert!(all(&long));
    long[BATCH + 100] = torsion.to_affine();
    assert!(!all(&long));
}

#[test]
fn few_points_and_infinity() {
    assert!(batched(&[], 0));
    assert!(batched(&[G1::identity()], 0));
    for len in [1, 2, 7, 8, 9, 40] {
        assert!(batched(&good(len), 3), "{len}");
    }
    let mut points = good(150);
    points[3] = G1::identity();
    points[7] = points[8];
    points[9] = -points[8];
    assert!(batched(&points, 4));
    assert!(refused(&points, Membership::Batched).is_empty());
}
