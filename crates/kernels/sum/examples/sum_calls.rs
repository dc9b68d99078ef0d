//! Computes the sum of 1 MiB again and again, for a counter of instructions (`scripts/count-arm`), and prints it:
//! `cargo run --release -p parcrypt-sum --example sum_calls -- BACKEND CALLS`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_runtime::Serial;
use parcrypt_sum::Sum;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let backend: Backend = arguments.next().unwrap().parse().unwrap();
    let calls: u64 = arguments.next().unwrap().parse().unwrap();
    let sum = Sum::new(backend.into()).unwrap();
    let data: Vec<u8> = (0..1 << 20).map(|i: u32| (i * i / 7) as u8).collect();
    println!("{}", (0..calls).fold(0, |_, _| sum.run(&Serial, black_box(&data))));
}
