//! Corrections and error rates of the statistics.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod honesty;
mod verdict;

fn seed() -> u64 {
    let seed = std::env::var("PARCRYPT_SEED").map_or(20_240_229, |text| text.parse().unwrap());
    println!("PARCRYPT_SEED={seed}");
    seed
}
