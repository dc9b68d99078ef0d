//! Computes scrypt with N = 2^10, r = 8, p = 4 again and again, for a counter of instructions (`scripts/count-arm`),
//! and prints the key: `cargo run --release -p parcrypt-scrypt --example scrypt_calls -- BACKEND CALLS`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Params, Scrypt};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let backend: Backend = arguments.next().unwrap().parse().unwrap();
    let calls: u64 = arguments.next().unwrap().parse().unwrap();
    let scrypt = Scrypt::new(backend.into(), 8 << 20).unwrap();
    let params = Params::new(1 << 10, 8, 4).unwrap();
    let mut key = [0; 16];
    for _ in 0..calls {
        scrypt.derive(&Serial, params, black_box(b"password"), b"salt", &mut key).unwrap();
    }
    println!("{:032x}", u128::from_be_bytes(key));
}
