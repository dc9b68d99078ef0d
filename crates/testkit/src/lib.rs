//! What tests share: seeds, visible skips, runtimes and backends to go through, official vectors, conformance suites; and
//! for examples a statistical test of timing.
//!
//! It must not be a dependency of anything but tests. A new suite is a module; a new runtime or backend is found by
//! itself through [`runtimes`] and [`backends`].

mod c_header;
mod runtime_suite;
pub mod timing;
mod vectors;

use std::num::NonZeroUsize;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Kind, Runtime};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

pub use c_header::header_differences;
pub use rand;
pub use runtime_suite::runtime_conforms;
pub use vectors::{Value, Vector, vectors};

/// A generator from the seed in `PARCRYPT_SEED`, or from a new one. The seed is printed, so that a failed test shows it.
///
/// # Panics
/// Where `PARCRYPT_SEED` is not a number.
pub fn rng() -> ChaCha8Rng {
    let seed = match std::env::var("PARCRYPT_SEED") {
        Ok(text) => text.parse().expect("PARCRYPT_SEED must be a number below 2^64"),
        Err(_) => rand::random(),
    };
    println!("seed: PARCRYPT_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// Says that a part is not tested here, and why.
///
/// # Panics
/// Where `PARCRYPT_REQUIRE` (names with commas between them) holds `what`.
pub fn skip(krate: &str, what: &str, why: &str) {
    // The test harness keeps what a passing test prints; a skip has to be seen, so it goes past the harness.
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIP {krate} {what} {why}");
    let required = std::env::var("PARCRYPT_REQUIRE").unwrap_or_default();
    let required = required.split(',').any(|name| name.trim() == what);
    assert!(!required, "{krate}: {what} is required by PARCRYPT_REQUIRE, but {why}");
}

/// Those of `offered` that can run here; for each other one a line says `SKIP`.
pub fn backends(krate: &str, offered: &[Backend]) -> Vec<Backend> {
    let (here, missing) = offered.iter().partition::<Vec<Backend>, _>(|backend| backend.is_available());
    for backend in missing {
        skip(krate, &backend.to_string(), "this machine lacks it");
    }
    here
}

/// Every runtime of this build with 1, 2, 3 and 8 threads; for each one that is missing a line says `SKIP`.
pub fn runtimes(krate: &str) -> Vec<Box<dyn Runtime>> {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        for threads in [1, 2, 3, 8].map(|n| NonZeroUsize::new(n).expect("not zero")) {
            match kind.build(threads) {
                Ok(rt) => all.push(rt),
                Err(parcrypt_runtime::Error::SerialThreads { .. }) => {}
                Err(why) => {
                    skip(krate, kind.name(), &why.to_string());
                    break;
                }
            }
        }
    }
    all
}
