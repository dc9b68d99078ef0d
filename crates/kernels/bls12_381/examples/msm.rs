//! Times multi-scalar multiplication by size and budget of tables: `cargo run --release --example msm`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::time::{Duration, Instant};

use parcrypt_bls12_381::dispatch::BACKENDS;
use parcrypt_bls12_381::{FixedMsm, Fr, G1, G1Affine};
use parcrypt_runtime::Serial;

fn least(mut f: impl FnMut()) -> Duration {
    let times = (0..12).map(|_| {
        let begun = Instant::now();
        f();
        begun.elapsed()
    });
    times.min().unwrap()
}

fn main() {
    let step = G1::generator() * Fr::from(0xdead_beef_1234_5678);
    let points: Vec<G1> = std::iter::successors(Some(step), |p| Some(p.double() + step)).take(8192).collect();
    let points: Vec<G1Affine> = G1::batch_to_affine(&points);
    let seed = Fr::from(3).inverse().unwrap();
    let scalars: Vec<Fr> = std::iter::successors(Some(seed), |s| Some(*s * *s + seed)).take(8192).collect();
    for backend in BACKENDS.iter().filter(|b| b.is_available()) {
        for (groups, len) in [(1, 4096), (128, 64)] {
            for mib in [0, 8, 16, 32, 64] {
                let points = &points[..groups * len];
                let begun = Instant::now();
                let fixed = FixedMsm::new(&Serial, (*backend).into(), points, groups, mib << 20).unwrap();
                let made = begun.elapsed();
                let time = least(|| {
                    fixed.msm_vartime(&Serial, &[&scalars[..points.len()]]).unwrap();
                });
                let bytes = fixed.table_bytes() as f64 / f64::from(1 << 20);
                println!("{backend} {groups} × {len}: {time:.2?} with {bytes:.1} MiB, made in {made:.2?}");
            }
        }
    }
}
