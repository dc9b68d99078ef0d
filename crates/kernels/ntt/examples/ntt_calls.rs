//! Computes a product in a ring again and again on one backend, an error if it is not offered, and prints a hash
//! of it: `cargo run --release -p parcrypt-ntt --example ntt_calls -- RING BACKEND CALLS`, with `small`, `ml-kem` or
//! `ml-dsa`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_ntt::{MlDsa, MlKem, Small};

/// Prints a hash of the last of `$calls` products.
macro_rules! products {
    ($ring:ident, $coefficient:ty, $n:literal, $backend:ident, $calls:ident) => {{
        let ring = $ring::new($backend.into()).unwrap();
        let [a, b] =
            [1237, 2741].map(|k| std::array::from_fn::<_, $n, _>(|i| (i * k % 3329) as $coefficient));
        let mut product = [0; $n];
        for _ in 0..$calls {
            ring.product(black_box(&a), black_box(&b), &mut product).unwrap();
        }
        println!(
            "{}",
            product.iter().fold(0, |sum: u64, x| sum.wrapping_mul(8_380_417).wrapping_add(u64::from(*x)))
        );
    }};
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let ring = arguments.next().unwrap();
    let backend: Backend = arguments.next().unwrap().parse().unwrap();
    let calls: u64 = arguments.next().unwrap().parse().unwrap();
    match ring.as_str() {
        "small" => products!(Small, u16, 128, backend, calls),
        "ml-kem" => products!(MlKem, u16, 256, backend, calls),
        "ml-dsa" => products!(MlDsa, u32, 256, backend, calls),
        _ => panic!("no ring '{ring}'"),
    }
}
