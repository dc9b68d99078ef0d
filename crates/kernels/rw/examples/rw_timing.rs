//! Tests whether the time of signing depends on messages or keys: dudect's method, see `parcrypt_testkit::timing`.
//!
//! `cargo run --release -p parcrypt-rw --example rw_timing -- 2048 100000`: the bits, and the number of measurements of
//! each of the two tests of a backend; a third number seeds them (1). Run it on an idle machine. It ends with 1 where a
//! line leaks.

use std::process::ExitCode;

use parcrypt_runtime::Serial;
use parcrypt_rw::SecretKey;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::timing::{Class, Timing, Verdict};
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};

/// Number of keys of each class. The fixed key is copied to as many addresses as there are random keys, or its caches
/// would be warmer.
const KEYS: u64 = 16;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let bits = arguments.next().map_or(Ok(2048), |bits| bits.parse())?;
    let measurements = arguments.next().map_or(Ok(100_000), |n| n.parse())?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let timing = Timing { measurements, repeats: 1, seed };
    let mut verdicts = Vec::new();
    for backend in SecretKey::backends(bits).into_iter().filter(|backend| backend.is_available()) {
        let make = |seed| {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            SecretKey::generate(&Serial, backend.into(), bits, &mut rng)
        };
        let fixed = (0..KEYS).map(|_| make(0)).collect::<Result<Vec<_>, _>>()?;
        let random = (1..=KEYS).map(make).collect::<Result<Vec<_>, _>>()?;
        let message = |class, rng: &mut ChaCha8Rng| {
            let random: [u8; 32] = rng.random();
            if class == Class::Fixed { [7; 32] } else { random }
        };
        let report = timing.run(&format!("sign {bits} {backend}, messages"), message, |message| {
            fixed[0].sign(&Serial, message)
        });
        println!("{report}");
        verdicts.push(report.verdict());
        let report = timing.run(
            &format!("sign {bits} {backend}, keys"),
            |class, rng| {
                let keys = if class == Class::Fixed { &fixed } else { &random };
                (&keys[rng.random_range(0..keys.len())], rng.random::<[u8; 32]>())
            },
            |(key, message)| key.sign(&Serial, &*message),
        );
        println!("{report}");
        verdicts.push(report.verdict());
    }
    Ok(if verdicts.contains(&Verdict::Leaks) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
