//! Prints the costs of `parcrypt_bls12_381::costs` beside measured times: `cargo run --release -p parcrypt-bls12-381
//! --example point_costs`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;
use std::time::Instant;

use parcrypt_bls12_381::costs::*;
use parcrypt_bls12_381::{
    Backend, BitReversedDomain, Decomposition, Domain, FixedMsm, Fr, G1, G1Affine, G2, G2Affine, Membership,
    decompress, dispatch, msm, pairing,
};
use parcrypt_runtime::Serial;

/// Prints the cost and the least of some measured times of `f`, both in ns for each of `count`.
fn row(name: &str, cost_ns: f64, count: usize, mut f: impl FnMut()) {
    let times = (0..9).map(|_| {
        let begun = Instant::now();
        f();
        begun.elapsed().as_nanos() as f64 / count as f64
    });
    let measured = times.min_by(f64::total_cmp).unwrap();
    println!("{name:<44} {cost_ns:>12.0} {measured:>12.0}   {:>5.2}", cost_ns / measured);
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
    row("Fr: product", FR_PRODUCT_NS as f64, N, fr(|a, b| a * b));
    row("Fr: sum", FR_SUM_NS as f64, N, fr(|a, b| a + b));
    let domain = BitReversedDomain::new(N.ilog2()).unwrap();
    let mut values = scalars.clone();
    let baseline = dispatch::select_fr(parcrypt_bls12_381::Request::Baseline).unwrap();
    row("Fr: transform", baseline.transform_ns(N) as f64 / N as f64, N, || {
        domain.forward(0, N.ilog2(), &mut values);
    });
    let encoded: Vec<[u8; 32]> = scalars.iter().map(Fr::to_bytes).collect();
    row("Fr: reading 32 bytes", baseline.encodings_ns(N) as f64 / N as f64, N, || {
        encoded.iter().for_each(|bytes| _ = black_box(Fr::from_bytes(bytes)));
    });
    row("Fr: writing 32 bytes", baseline.encodings_ns(N) as f64 / N as f64, N, || {
        scalars.iter().for_each(|x| _ = black_box(x.to_bytes()));
    });
    row("G1: sum by blst", G1_SUM_NS as f64, N, || {
        sums.windows(2).for_each(|p| _ = black_box(p[0] + p[1]));
    });
    row("G1: product by blst", G1_PRODUCT_NS as f64, 256, || {
        sums[..256].iter().zip(&scalars).for_each(|(p, s)| _ = black_box(*p * *s));
    });
    let g2 = [G2::generator() * scalars[2], G2::generator() * scalars[3]];
    row("G2: sum by blst", G2_SUM_NS as f64, N, || {
        (0..N).for_each(|_| _ = black_box(g2[0] + black_box(g2[1])))
    });
    let prepared = G2Affine::generator().prepare();
    let pairs = |n: usize| -> Vec<_> { points[..n].iter().map(|p| (*p, &prepared)).collect() };
    for backend in dispatch::PAIRING_BACKENDS.iter().copied().filter(|b: &Backend| b.is_available()) {
        let row_of = dispatch::select_pairing(backend.into()).unwrap();
        let name = |pairs: usize| format!("{backend}: product of {pairs} pairings");
        for n in [1, 2, 8] {
            let pairs = pairs(n);
            row(&name(n), row_of.product_ns(n) as f64, 1, || {
                black_box(pairing::product_is_identity(&Serial, row_of, &pairs));
            });
        }
    }

    for backend in dispatch::BACKENDS.iter().copied().filter(|b: &Backend| b.is_available()) {
        let row_of = dispatch::select(backend.into()).unwrap();
        let name = |what: &str| format!("{backend}: {what}");
        let compressed = G1::compress_all(&sums[..512]);
        let compressed: Vec<&[u8; 48]> = compressed.iter().collect();
        row(&name("decompression of a point"), row_of.decompress_ns(), compressed.len(), || {
            black_box(decompress(&Serial, row_of, Membership::Exact, &compressed));
        });
        let mut products = sums[..512].to_vec();
        row(&name("product of a point and a scalar"), row_of.multiply_ns(), products.len(), || {
            msm::multiply_vartime(row_of, &mut products, &scalars[..512]).unwrap();
        });
        for (groups, len, mib) in [(1, N, 0), (1, N, 16), (64, 64, 0), (64, 64, 64)] {
            let fixed =
                FixedMsm::new(&Serial, backend.into(), &points[..groups * len], groups, mib << 20).unwrap();
            let what = format!("msm of {groups} × {len}, {} kB", fixed.table_bytes() / 1000);
            row(&name(&what), fixed.msm_ns(1) as f64, 1, || {
                black_box(fixed.msm_vartime(&Serial, &[&scalars[..groups * len]]).unwrap());
            });
        }
        let domain = Domain::new(backend.into(), 7).unwrap();
        let mut out = sums[..128].to_vec();
        row(&name("transform of 128 points"), domain.fft_ns::<G1>(128) as f64, 1, || {
            domain.fft(&Serial, Decomposition::Iterative, &sums[..128], &mut out).unwrap();
        });
    }
}
