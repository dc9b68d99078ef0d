//! Prints the costs of `parcrypt_bls12_381::costs` beside measured times: `cargo run --release -p parcrypt-bls12-381
//! --example point_costs`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;
use std::time::Instant;

use parcrypt_bls12_381::costs::{FR_PRODUCT, FR_SUM, G1_PRODUCT};
use parcrypt_bls12_381::{
    Backend, BitReversedDomain, Decomposition, Domain, FixedMsm, Fr, G1, G1Affine, G2Affine, Membership,
    decompress, decompress_cost, dispatch, msm, pairing,
};
use parcrypt_runtime::{Cost, Serial};

/// Prints the cost of `count` operations and the shortest of some times of `f`, which does them, both in ns for each.
fn row(name: &str, cost: Cost, count: usize, mut f: impl FnMut()) {
    let times = (0..9).map(|_| {
        let begun = Instant::now();
        f();
        begun.elapsed().as_nanos() as f64 / count as f64
    });
    let measured = times.min_by(f64::total_cmp).unwrap();
    let cost = cost.as_ns() as f64 / count as f64;
    println!("{name:<44} {cost:>12.0} {measured:>12.0}   {:>5.2}", cost / measured);
}

fn main() {
    const N: usize = 4096;
    let seed = Fr::from(3).inverse().unwrap();
    let scalars: Vec<Fr> = std::iter::successors(Some(seed), |s| Some(*s * *s + seed)).take(N).collect();
    let step = G1::generator() * scalars[1];
    let sums: Vec<G1> = std::iter::successors(Some(step), |p| Some(p.double() + step)).take(N).collect();
    let points: Vec<G1Affine> = G1::batch_to_affine(&sums);
    println!("{:<44} {:>12} {:>12}   cost / measured", "ns for each, one thread", "cost", "measured");

    let fr = |f: fn(Fr, Fr) -> Fr| {
        let scalars = &scalars;
        move || black_box(scalars.windows(2).for_each(|s| _ = black_box(f(s[0], s[1]))))
    };
    row("Fr: product", N * FR_PRODUCT, N, fr(|a, b| a * b));
    row("Fr: sum", N * FR_SUM, N, fr(|a, b| a + b));
    let domain = BitReversedDomain::new(N.ilog2()).unwrap();
    let mut values = scalars.clone();
    let baseline = dispatch::select_fr(parcrypt_bls12_381::Request::Baseline).unwrap();
    row("Fr: transform", baseline.costs.transform(N), N, || {
        domain.forward(0, N.ilog2(), &mut values);
    });
    let encoded: Vec<[u8; 32]> = scalars.iter().map(Fr::to_bytes).collect();
    row("Fr: reading 32 bytes", baseline.costs.encodings(N), N, || {
        encoded.iter().for_each(|bytes| _ = black_box(Fr::from_bytes(bytes)));
    });
    row("Fr: writing 32 bytes", baseline.costs.encodings(N), N, || {
        scalars.iter().for_each(|x| _ = black_box(x.to_bytes()));
    });
    row("G1: product by blst", 256 * G1_PRODUCT, 256, || {
        sums[..256].iter().zip(&scalars).for_each(|(p, s)| _ = black_box(*p * *s));
    });
    let prepared = G2Affine::generator().prepare();
    let pairs = |n: usize| -> Vec<_> { points[..n].iter().map(|p| (*p, &prepared)).collect() };
    for backend in dispatch::PAIRING_BACKENDS.iter().copied().filter(|b: &Backend| b.is_available()) {
        let row_of = dispatch::select_pairing(backend.into()).unwrap();
        let name = |pairs: usize| format!("{backend}: product of {pairs} pairings");
        for n in [1, 2, 8] {
            let pairs = pairs(n);
            row(&name(n), row_of.costs.product(n), 1, || {
                black_box(pairing::product_is_identity(&Serial, row_of, &pairs));
            });
        }
    }

    for backend in dispatch::BACKENDS.iter().copied().filter(|b: &Backend| b.is_available()) {
        let row_of = dispatch::select(backend.into()).unwrap();
        let name = |what: &str| format!("{backend}: {what}");
        let compressed = G1::compress_all(&sums[..512]);
        let compressed: Vec<&[u8; 48]> = compressed.iter().collect();
        row(
            &name("decompression of a point"),
            decompress_cost(row_of, Some(Membership::Exact), 512),
            512,
            || {
                black_box(decompress(&Serial, row_of, Membership::Exact, &compressed));
            },
        );
        let mut products = sums[..512].to_vec();
        row(&name("product of a point and a scalar"), 512 * row_of.costs.multiplication(), 512, || {
            msm::multiply_vartime(row_of, &mut products, &scalars[..512]).unwrap();
        });
        for (groups, len, mib) in [(1, N, 0), (1, N, 16), (64, 64, 0), (64, 64, 64)] {
            let fixed =
                FixedMsm::new(&Serial, backend.into(), &points[..groups * len], groups, mib << 20).unwrap();
            let what = format!("msm of {groups} × {len}, {} kB", fixed.table_bytes() / 1000);
            row(&name(&what), fixed.cost(1), 1, || {
                black_box(fixed.msm_vartime(&Serial, &[&scalars[..groups * len]]).unwrap());
            });
        }
        let domain = Domain::new(backend.into(), 7).unwrap();
        let mut out = sums[..128].to_vec();
        row(&name("transform of 128 points"), domain.cost::<G1>(128), 1, || {
            domain.fft(&Serial, Decomposition::Iterative, &sums[..128], &mut out).unwrap();
        });
    }
}
