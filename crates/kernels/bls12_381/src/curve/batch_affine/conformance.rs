//! Conformance of every backend with additions of single points by blst, bit for bit, in all cases and at all
//! positions.

use blst::{BLST_ERROR, blst_p1_affine};
use parcrypt_cpu::Request;
use parcrypt_testkit::rand::seq::SliceRandom;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{backends, rng};

use super::{GlvTable, Items, Operand, Point};
use crate::constants::P as MODULUS;
use crate::dispatch::{BACKENDS, FpRow, select};
use crate::field::fp::{self, Words};
use crate::lanes::g1::tests::MODELS;
use crate::subgroup_check::batched::tests::{FACTORS, of_order};
use crate::{Error, Fr, G1, G1Affine, Membership, decompress, ffi};

/// Returns the rows that this machine can run, and the models of those in lanes.
pub(crate) fn rows() -> Vec<&'static FpRow> {
    let here = backends("parcrypt-bls12-381", BACKENDS);
    here.iter().map(|backend| select((*backend).into()).unwrap()).chain(&MODELS).collect()
}

/// Returns different points of the group.
fn points(rng: &mut impl RngCore, count: usize) -> Vec<G1Affine> {
    let mut next = G1::generator() * Fr::from(rng.random::<u64>());
    let step = G1::generator() * Fr::from(rng.random::<u64>());
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(next);
        next = next.double() + step;
    }
    G1::batch_to_affine(&all)
}

/// Returns a point of the curve, in the group or not, whose x in blst's form is given; `None` if there is none.
fn with_x(x: Words) -> Option<G1Affine> {
    let mut point = blst_p1_affine::default();
    (point.x.l, point.y.l) = (x, [1; 6]);
    let compressed = G1Affine(point).to_compressed();
    let found = ffi::p1_uncompress(&mut point, &compressed);
    // For x = 0 blst returns the points and the error that they are not in the group.
    let taken = [BLST_ERROR::BLST_SUCCESS, BLST_ERROR::BLST_POINT_NOT_IN_GROUP].contains(&found);
    taken.then_some(G1Affine(point))
}

/// Returns points whose x is extreme in the form of the backend: few bits, many bits, next to 0 and to p; and those
/// with x = 0.
fn extreme(backend: &FpRow) -> Vec<G1Affine> {
    let mut all = vec![with_x([0; 6]).unwrap(), -with_x([0; 6]).unwrap()];
    let mut words: Vec<Words> = (0..6).map(|i| std::array::from_fn(|j| u64::from(i == j))).collect();
    words.extend((0..6).map(|i| std::array::from_fn(|j| if j < i { u64::MAX } else { 0 })));
    words.extend([52, 104, 156, 208, 260, 312, 364].map(|bit| {
        let mut x = [0; 6];
        x[bit / 64] = 1 << (bit % 64);
        x
    }));
    for word in words {
        for near in 0..6u64 {
            let x = fp::add(&word, &[near, 0, 0, 0, 0, 0]);
            for x in [x, fp::neg(&x)] {
                let mut point = [G1Affine::identity()];
                backend.batch.export(&[Point { x, y: [1, 0, 0, 0, 0, 0] }], &mut point);
                all.extend(with_x(point[0].0.x.l).map(|point| if near % 2 == 0 { point } else { -point }));
            }
        }
    }
    assert!(all.len() > 30);
    all
}

/// Checks that points in the backend's form are canonical and export to the expected ones.
#[track_caller]
fn check(backend: &FpRow, points: &[Point], expected: &[G1Affine], what: &str) {
    let mut exported = vec![G1Affine::identity(); points.len()];
    backend.batch.export(points, &mut exported);
    for (i, (point, (exported, expected))) in points.iter().zip(exported.iter().zip(expected)).enumerate() {
        assert!(
            exported.0.x.l == expected.0.x.l && exported.0.y.l == expected.0.y.l,
            "{}: {what}, {i} of {}",
            backend.backend(),
            points.len()
        );
        for words in [&point.x, &point.y] {
            assert!(words.iter().rev().lt(MODULUS.iter().rev()), "not below p: {what}");
        }
        assert_eq!(point.is_infinity(), *point == Point::INFINITY, "infinity is all zero: {what}");
    }
}

fn import(backend: &FpRow, points: &[G1Affine]) -> Vec<Point> {
    let mut imported = vec![Point::INFINITY; points.len()];
    backend.batch.import(points, &mut imported);
    imported
}

fn tables(backend: &FpRow, points: &[G1Affine]) -> Vec<GlvTable> {
    let mut tables = vec![GlvTable::default(); points.len()];
    backend.batch.glv_tables(&import(backend, points), &mut tables);
    tables
}

/// Returns the multiple by ζ^unit.
fn multiple(point: &G1Affine, unit: u32) -> G1Affine {
    let mut table = [GlvTable::default()];
    let scalar = select(Request::Baseline).unwrap();
    scalar.batch.glv_tables(&import(scalar, &[*point]), &mut table);
    let mut multiple = [G1Affine::identity()];
    scalar.batch.export(&[Operand::new(0, unit).point(&table)], &mut multiple);
    multiple[0]
}

/// Pairs of a point and a unit, by index.
type Pair = [(usize, u32); 2];

/// Adds up lists of multiples, one after the other, and of the same points in any order in memory, and compares.
#[track_caller]
fn check_lists(
    backend: &FpRow,
    rng: &mut impl RngCore,
    points: &[G1Affine],
    lists: &[impl AsRef<[(usize, u32)]>],
    what: &str,
) {
    let lists: Vec<_> = lists.iter().map(AsRef::as_ref).collect();
    let multiples: Vec<[G1Affine; 6]> =
        points.iter().map(|point| std::array::from_fn(|unit| multiple(point, unit as u32))).collect();
    let sums = lists
        .iter()
        .map(|list| list.iter().fold(G1::identity(), |sum, (i, unit)| sum + multiples[*i][*unit as usize]));
    let expected = G1::batch_to_affine(&sums.collect::<Vec<_>>());
    let lengths: Vec<u32> = lists.iter().map(|list| list.len() as u32).collect();
    let items = || lists.iter().copied().flatten();
    let operands: Vec<Operand> = items().map(|(i, unit)| Operand::new(*i as u32, *unit)).collect();
    let mut out = vec![import(backend, points)[0]; lists.len()];
    let tables = tables(backend, points);
    backend.batch.sum_lists(Items::Multiples(&tables, &operands), &lengths, &mut out);
    check(backend, &out, &expected, &format!("{what}, multiples"));
    let mut indices: Vec<u32> = (0..operands.len() as u32).collect();
    indices.shuffle(rng);
    let mut shuffled = vec![G1Affine::identity(); indices.len()];
    for (index, (i, unit)) in indices.iter().zip(items()) {
        shuffled[*index as usize] = multiples[*i][*unit as usize];
    }
    out.fill(import(backend, points)[0]);
    let shuffled = import(backend, &shuffled);
    backend.batch.sum_lists(Items::Points(&shuffled, &indices), &lengths, &mut out);
    check(backend, &out, &expected, &format!("{what}, points"));
}

/// Returns every case of a sum, with two different points, and pairs that share one coordinate.
fn special(p: usize, q: usize, infinity: usize) -> Vec<(&'static str, Pair)> {
    vec![
        ("P + Q", [(p, 0), (q, 0)]),
        ("P + P", [(p, 0), (p, 0)]),
        ("ζP + ζP", [(p, 1), (p, 1)]),
        ("ζ⁴P + ζ⁴P", [(p, 4), (p, 4)]),
        ("P − P", [(p, 0), (p, 3)]),
        ("ζP − ζP", [(p, 1), (p, 4)]),
        ("ζ⁵P − ζ⁵P", [(p, 5), (p, 2)]),
        ("P + ζ²P, of equal y", [(p, 0), (p, 2)]),
        ("P + ζP, of opposite y", [(p, 0), (p, 1)]),
        ("P + 0", [(p, 0), (infinity, 0)]),
        ("ζP + ζ·0", [(p, 1), (infinity, 1)]),
        ("0 + Q", [(infinity, 3), (q, 0)]),
        ("ζ⁴·0 + ζ⁵Q", [(infinity, 4), (q, 5)]),
        ("0 + 0", [(infinity, 0), (infinity, 0)]),
        ("ζ·0 + ζ²·0", [(infinity, 1), (infinity, 2)]),
    ]
}

#[test]
fn forms_round_trip() {
    let mut rng = rng();
    for backend in rows() {
        let mut all = extreme(backend);
        all.extend(points(&mut rng, 50));
        all.extend([G1Affine::identity(), G1Affine::generator()]);
        for len in (0..=all.len()).rev() {
            let imported = import(backend, &all[..len]);
            check(backend, &imported, &all[..len], "imported");
            for (table, (point, imported)) in
                tables(backend, &all[..len]).iter().zip(all.iter().zip(&imported))
            {
                assert_eq!((table.x, table.y), (imported.x, imported.y));
                let beta_x = Point { x: table.beta_x, y: table.y };
                check(backend, &[beta_x], &[multiple(point, 2)], "βx");
            }
        }
    }
}

#[test]
fn every_case_at_every_lane() {
    let mut rng = rng();
    for backend in rows() {
        let mut points = points(&mut rng, 24);
        points.push(G1Affine::identity());
        for (name, pair) in special(0, 1, 24) {
            // As many as rows of blst sum in lanes.
            for lane in 0..16 {
                let other = |i: usize| [(i % 16 + 2, i as u32 % 6), (23 - i % 16, 0)];
                let mut pairs: Vec<Pair> = (0..40).map(other).collect();
                pairs[7] = [(4, 0), (5, 0)];
                pairs[lane] = pair;
                check_lists(backend, &mut rng, &points, &pairs, &format!("{name} in lane {lane}"));
            }
            for len in (1..=9).chain(32..=40) {
                check_lists(backend, &mut rng, &points, &vec![pair; len], &format!("{len} times {name}"));
            }
        }
    }
}

/// Checks random cases, at all lengths around those of vectors and batches.
#[test]
fn mixtures_of_every_length() {
    let mut rng = rng();
    let lengths =
        (0..=40).chain([63, 64, 65, 511, 512, 513, 1000, 1023, 1024, 1025, 1040, 2047, 2048, 2049, 3000]);
    for backend in rows() {
        let mut points = points(&mut rng, 40);
        points.push(G1Affine::identity());
        for len in lengths.clone() {
            for share in [0.0, 0.02, 0.6] {
                let mut pair = || {
                    let [p, q] = [rng.random_range(0..20), rng.random_range(20..40)];
                    let any: Pair = [(p, rng.random_range(0..6)), (q, rng.random_range(0..6))];
                    let special = special(p, q, 40);
                    if rng.random_bool(share) { special[rng.random_range(0..special.len())].1 } else { any }
                };
                let pairs: Vec<Pair> = (0..len).map(|_| pair()).collect();
                check_lists(backend, &mut rng, &points, &pairs, "mixture");
            }
        }
    }
}

#[test]
fn lists_of_every_length() {
    let mut rng = rng();
    for backend in rows() {
        let mut points = points(&mut rng, 40);
        points.push(G1Affine::identity());
        points.extend(extreme(backend));
        // Each tenth or so is infinity, in all of its multiples.
        let random = |rng: &mut _, len: usize| -> Vec<(usize, u32)> {
            let point = |i: usize| if i < points.len() { i } else { 40 };
            let mut item =
                || (Rng::random_range(rng, 0..points.len() * 11 / 10), Rng::random_range(rng, 0..6));
            (0..len).map(|_| item()).map(|(i, unit)| (point(i), unit)).collect()
        };
        check_lists(backend, &mut rng, &points, &[[]; 0], "no list");
        for len in (0..=70).chain([127, 128, 129, 1023, 1024, 1025, 1100]) {
            let list = random(&mut rng, len);
            check_lists(backend, &mut rng, &points, &[list], "one list");
        }
        for turn in 0..60 {
            let count = rng.random_range(1..70);
            let longest = [1, 2, 3, 9, 34, 100][turn % 6];
            let mut lists: Vec<_> = (0..count)
                .map(|_| {
                    let len = rng.random_range(0..=longest);
                    random(&mut rng, len)
                })
                .collect();
            // Sums of lists that are equal, opposite or infinity at each level, and a list longer than the others.
            for (i, list) in lists.iter_mut().enumerate().filter(|(i, _)| i % 3 == 0) {
                let unit = [0, 3, 1, 0][i % 4];
                list.iter_mut().for_each(|item| *item = (7, unit * rng.random_range(0..2)));
            }
            lists.push(random(&mut rng, turn * 7));
            lists.shuffle(&mut rng);
            check_lists(backend, &mut rng, &points, &lists, "lists");
        }
        // More vectors than share an inversion.
        let lists: Vec<_> = (0..900).map(|i| random(&mut rng, 3 + i % 7)).collect();
        check_lists(backend, &mut rng, &points, &lists, "many lists");
    }
}

#[test]
fn extreme_coordinates() {
    let mut rng = rng();
    for backend in rows() {
        let mut points = extreme(backend);
        let finite = points.len();
        points.push(G1Affine::identity());
        let random = (0..600).map(|_| {
            [rng.random_range(0..=finite), rng.random_range(0..=finite)].map(|i| (i, rng.random_range(0..6)))
        });
        let mut pairs: Vec<Pair> = random.collect();
        pairs.extend((0..finite).flat_map(|p| special(p, (p + 1) % finite, finite)).map(|(_, pair)| pair));
        check_lists(backend, &mut rng, &points, &pairs, "extreme");
        let mut doubled = import(backend, &points);
        backend.batch.double(&mut doubled, 1);
        let expected: Vec<G1> = points.iter().map(|point| G1::from(*point).double()).collect();
        check(backend, &doubled, &G1::batch_to_affine(&expected), "extreme, doubled");
    }
}

#[test]
fn doublings() {
    let mut rng = rng();
    for backend in rows() {
        let all = points(&mut rng, 2065);
        for len in (0..=40).chain([64, 65, 67, 71, 1023, 2048, 2049, 2065]) {
            let mut points = all[..len].to_vec();
            // Infinity in every lane, and alone.
            let first = rng.random_range(0..9);
            points.iter_mut().skip(first).step_by(9).for_each(|point| *point = G1Affine::identity());
            for times in if len > 40 { 2..=2 } else { 0..=3 } {
                let mut out = import(backend, &points);
                backend.batch.double(&mut out, times);
                let expected = points.iter().map(|p| (0..times).fold(G1::from(*p), |p, _| p.double()));
                let expected = G1::batch_to_affine(&expected.collect::<Vec<_>>());
                check(backend, &out, &expected, &format!("doubled {times} times"));
            }
        }
    }
}

/// Returns compressed points of every kind, and bytes that are not a point.
fn compressed(rng: &mut impl RngCore) -> Vec<[u8; 48]> {
    let inside = points(rng, 30);
    let mut all: Vec<G1Affine> = inside.iter().flat_map(|point| [*point, -*point]).collect();
    for backend in backends("parcrypt-bls12-381", BACKENDS) {
        all.extend(extreme(select(backend.into()).unwrap()));
    }
    for small in FACTORS.iter().flat_map(|(prime, _)| of_order(*prime, rng)).collect::<Vec<_>>() {
        let sums = inside.iter().take(4).map(|point| small + *point);
        all.extend(G1::batch_to_affine(&[small, -small, small.double()]));
        all.extend(G1::batch_to_affine(&sums.collect::<Vec<_>>()));
    }
    all.push(G1Affine::identity());
    let mut bytes: Vec<[u8; 48]> = all.iter().map(G1Affine::to_compressed).collect();
    // p and its neighbours, without and with flags; wrong flags; wrong encodings of infinity; random bytes.
    let mut p: [u8; 48] = [0; 48];
    p.chunks_mut(8)
        .zip(MODULUS.iter().rev())
        .for_each(|(out, word)| out.copy_from_slice(&word.to_be_bytes()));
    for near in [0xa8, 0xa9, 0xaa, 0xab, 0xac] {
        p[47] = near;
        bytes.push(p);
        bytes.push(std::array::from_fn(|i| if i == 0 { p[0] | 0x80 } else { p[i] }));
        bytes.push(std::array::from_fn(|i| if i == 0 { p[0] | 0xa0 } else { p[i] }));
    }
    for flags in 0..8 {
        let good = inside[flags as usize].to_compressed();
        bytes.push(std::array::from_fn(|i| if i == 0 { good[0] & 0x1f | flags << 5 } else { good[i] }));
        bytes.push(std::array::from_fn(|i| if i == 0 { flags << 5 } else { 0 }));
        bytes.push(std::array::from_fn(|i| if i == 0 { flags << 5 } else { u8::from(i == 47) }));
        bytes.push([0xff; 48]);
    }
    bytes.extend(
        (0..40).map(|_| std::array::from_fn(|i| rng.random::<u8>() & if i == 0 { 0x9f } else { 0xff })),
    );
    bytes
}

/// Checks that points and errors are the same as one at a time, at every lane and length.
#[test]
fn compressed_points_are_read_as_one_by_one() {
    let mut rng = rng();
    // Each with the point or the error that one at a time has, with and without the check of the subgroup.
    let mut cases: Vec<_> = compressed(&mut rng)
        .into_iter()
        .map(|bytes| (bytes, G1Affine::from_compressed(&bytes), G1Affine::on_curve_from_compressed(&bytes)))
        .collect();
    let of = |error| cases.iter().filter(|(_, expected, _)| expected.as_ref().err() == error).count();
    assert!(of(None) >= 60 && of(Some(&Error::NotInSubgroup)) >= 60 && of(Some(&Error::NotOnCurve)) >= 60);
    for backend in rows() {
        // Every length up to more than two pairs of eight lanes, and two long ones.
        for turn in 0..36 {
            cases.shuffle(&mut rng);
            let len = if turn < 34 { turn } else { cases.len() - turn };
            let some: Vec<&[u8; 48]> = cases.iter().take(len).map(|(bytes, ..)| bytes).collect();
            let mut found = vec![Ok(G1Affine::generator()); len];
            backend.validation.decompress(&some, true, &mut found);
            for (found, (bytes, expected, _)) in found.iter().zip(&cases) {
                assert_eq!(found, expected, "{}: {bytes:02x?}", backend.backend());
            }
            let members: Vec<G1Affine> = found.iter().flatten().copied().collect();
            assert!(backend.validation.are_in_subgroup(&members), "{}", backend.backend());
            backend.validation.decompress(&some, false, &mut found);
            for (found, (bytes, _, expected)) in found.iter().zip(&cases) {
                assert_eq!(found, expected, "{}: {bytes:02x?}", backend.backend());
            }
            let outside = |(_, (_, expected, _)): &(_, &(_, _, _))| *expected == Err(Error::NotInSubgroup);
            let others = found.iter().zip(&cases).filter(outside).flat_map(|(found, _)| found);
            for other in others.take(1) {
                let mut some = members.clone();
                some.insert(rng.random_range(0..=members.len()), *other);
                assert!(!backend.validation.are_in_subgroup(&some), "{}", backend.backend());
            }
        }
        // One and two points.
        for some in cases.chunks(1).chain(cases.chunks(2)).step_by(3) {
            let bytes: Vec<_> = some.iter().map(|(bytes, ..)| bytes).collect();
            let mut found = vec![Ok(G1Affine::generator()); some.len()];
            backend.validation.decompress(&bytes, true, &mut found);
            assert!(
                found.iter().eq(some.iter().map(|(_, expected, _)| expected)),
                "{}: {bytes:02x?}",
                backend.backend()
            );
        }
    }
    let all: Vec<&[u8; 48]> = cases.iter().map(|(bytes, ..)| bytes).collect();
    for membership in [Membership::Batched, Membership::Exact] {
        let row = select(Request::Auto).unwrap();
        let found = decompress(&parcrypt_runtime::Serial, row, membership, &all);
        assert!(found.iter().eq(cases.iter().map(|(_, expected, _)| expected)), "{membership:?}");
    }
}
