//! Tests whether times depend on keys, messages or tags, by the method of dudect (`parcrypt_testkit::timing`):
//! `cargo run --release -p parcrypt-mac --example mac_timing -- [measurements of each line = 200000]`.
//!
//! For every backend: a key of zeros against random keys; a message of zeros against random ones; a tag whose first
//! byte is wrong against tags that are wrong at a random byte; a correct tag is not compared with wrong ones, because
//! the result is public. `Vmac::new` is not among them: the number of blocks that it encrypts for the keys of the third
//! layer depends on the key, with a probability of 2^-55. It ends with 1 if a line leaks.

use std::process::ExitCode;

use parcrypt_mac::{Error, Gmac, Vmac64, Vmac128};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::timing::{Class, Timing, Verdict};

const NONCE: [u8; 12] = [9; 12];
/// Bytes of a message: vectors, and the bytes after them; for the batches of VHASH's vectors too.
const LENGTHS: [usize; 2] = [100, 2500];

/// All lines for one MAC on one backend, which `$new` creates from a key.
macro_rules! lines {
    ($timing:expr, $name:expr, $new:expr) => {{
        let (timing, name, new): (Timing, String, _) = ($timing, $name, $new);
        let mut verdicts = Vec::new();
        for len in LENGTHS {
            let message = vec![0x5a; len];
            let report = timing.run(
                &format!("{name}, key of zeros or random, {len} bytes"),
                |class, rng| {
                    let mut key: [u8; 16] = rng.random();
                    if class == Class::Fixed {
                        key = [0; 16];
                    }
                    new(&key).expect("a key")
                },
                |mac| mac.tag(&Serial, &NONCE, &message),
            );
            println!("{report}");
            verdicts.push(report.verdict());

            let mac = new(&[7; 16]).expect("a key");
            let report = timing.run(
                &format!("{name}, message of zeros or random, {len} bytes"),
                |class, rng| {
                    let mut message = vec![0; len];
                    rng.fill_bytes(&mut message);
                    if class == Class::Fixed {
                        message.fill(0);
                    }
                    message
                },
                |message| mac.tag(&Serial, &NONCE, message),
            );
            println!("{report}");
            verdicts.push(report.verdict());
        }
        let mac = new(&[7; 16]).expect("a key");
        let right = mac.tag(&Serial, &NONCE, b"message").expect("a tag");
        let report = timing.run(
            &format!("{name}, tag wrong in its first byte or anywhere"),
            |class, rng| {
                let (place, bits) = (rng.random_range(0..right.len()), rng.random_range(1..=255));
                let mut tag = right;
                tag[if class == Class::Fixed { 0 } else { place }] ^= bits;
                tag
            },
            |tag| mac.verify(&Serial, &NONCE, b"message", tag),
        );
        println!("{report}");
        verdicts.push(report.verdict());
        verdicts
    }};
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let measurements = std::env::args().nth(1).map_or(Ok(200_000), |n| n.parse())?;
    let timing = Timing { measurements, repeats: 4, seed: 1 };
    let mut verdicts = Vec::new();
    for backend in Gmac::backends().into_iter().filter(|b| b.is_available()) {
        let new = |key: &[u8]| -> Result<Gmac, Error> { Gmac::new(backend.into(), key) };
        verdicts.extend(lines!(timing, format!("gmac {backend}"), new));
    }
    for backend in Vmac64::backends().into_iter().filter(|b| b.is_available()) {
        let new = |key: &[u8]| -> Result<Vmac64, Error> { Vmac64::new(backend.into(), key) };
        verdicts.extend(lines!(timing, format!("vmac-64 {backend}"), new));
        let new = |key: &[u8]| -> Result<Vmac128, Error> { Vmac128::new(backend.into(), key) };
        verdicts.extend(lines!(timing, format!("vmac-128 {backend}"), new));
    }
    Ok(if verdicts.contains(&Verdict::Leaks) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
