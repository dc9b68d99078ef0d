//! Times of the operations of each backend: `cargo test --release --lib -- --ignored --nocapture measure`.

use std::time::Instant;

use parcrypt_cpu::Row;
use parcrypt_testkit::rand::seq::SliceRandom;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{backends, rng};

use super::{Accumulate, GlvTable, Operand, Point, Sum};
use crate::dispatch::{BACKENDS, FpRow, select};
use crate::{Fr, G1, G1Affine};

/// Returns the least time of many runs, in ns for each of `count`.
fn least(turns: usize, count: usize, mut turn: impl FnMut(usize)) -> f64 {
    let time = |i| {
        let begun = Instant::now();
        turn(i);
        begun.elapsed()
    };
    (0..turns).map(time).min().unwrap_or_default().as_nanos() as f64 / count as f64
}

fn points(backend: &FpRow, rng: &mut impl RngCore, count: usize) -> Vec<Point> {
    let step = G1::generator() * Fr::from(rng.random::<u64>());
    let few: Vec<G1> = std::iter::successors(Some(step), |p| Some(p.double() + step)).take(512).collect();
    let few = G1::batch_to_affine(&few);
    let mut all = vec![Point::INFINITY; 512];
    backend.batch.import(&few, &mut all);
    // The sums of all pairs, then of these sums, until there are enough points.
    while all.len() < count {
        let len = all.len();
        all.resize(2 * len, Point::INFINITY);
        let shift = rng.random_range(1..len);
        let (old, new) = all.split_at_mut(len);
        new.copy_from_slice(old);
        let sums: Vec<Accumulate> =
            (0..len).map(|i| Accumulate { to: (len + i) as u32, from: ((i + shift) % len) as u32 }).collect();
        backend.batch.accumulate(&mut all, &sums);
    }
    all.truncate(count);
    all
}

#[test]
#[ignore = "measures"]
fn measure() {
    let mut rng = rng();
    for backend in backends("parcrypt-bls12-381", BACKENDS) {
        let backend = select(backend.into()).unwrap();
        let points = points(backend, &mut rng, 100_000);
        let mut tables = vec![GlvTable::default(); points.len()];
        backend.batch.glv_tables(&points, &mut tables);
        for (len, count) in [(100_000, 2048), (100_000, 512), (1000, 2048)] {
            let mut out = vec![Point::INFINITY; count];
            let chunks: Vec<Vec<Sum>> = (0..64)
                .map(|_| {
                    let mut operand =
                        || Operand::new(rng.random_range(0..len) as u32, rng.random_range(0..6));
                    (0..count as u32).map(|to| Sum { a: operand(), b: operand(), to }).collect()
                })
                .collect();
            let ns = least(2000, count, |i| backend.batch.add_multiples(&tables, &chunks[i % 64], &mut out));
            println!("{}: {count} sums out of {len} tables: {ns:.1} ns each", backend.backend());
        }
        for count in [8, 16, 64, 256, 1024, 2048, 4096] {
            let mut some = points[..2 * count].to_vec();
            let mut from: Vec<u32> = (count as u32..2 * count as u32).collect();
            from.shuffle(&mut rng);
            let sums: Vec<Accumulate> =
                from.iter().enumerate().map(|(to, from)| Accumulate { to: to as u32, from: *from }).collect();
            let ns = least(3000, count, |_| backend.batch.accumulate(&mut some, &sums));
            println!("{}: {count} sums in place: {ns:.1} ns each", backend.backend());
        }
        let mut some = points[..1024].to_vec();
        let ns = least(400, 10240, |_| backend.batch.double(&mut some, 10));
        println!("{}: 1024 doublings in a row of 10: {ns:.1} ns each", backend.backend());
        let mut affine = vec![G1Affine::identity(); 1024];
        let ns = least(2000, 1024, |_| backend.batch.export(&points[..1024], &mut affine));
        println!("{}: export: {ns:.1} ns each", backend.backend());
        let compressed: Vec<[u8; 48]> = affine.iter().map(G1Affine::to_compressed).collect();
        for count in [1, 2, 3, 8, 16, 1024] {
            let some: Vec<&[u8; 48]> = compressed.iter().take(count).collect();
            let mut out = vec![Ok(G1Affine::identity()); count];
            let ns = least(4000 / count + 5, count, |_| backend.batch.decompress(&some, &mut out));
            println!("{}: {count} points decompressed: {ns:.0} ns each", backend.backend());
        }
        let ns = least(2000, 1024, |_| backend.batch.import(&affine, &mut some));
        println!("{}: import: {ns:.1} ns each", backend.backend());
    }
}
