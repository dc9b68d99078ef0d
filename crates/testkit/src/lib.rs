//! Helpers of tests: seeds, visible skips, runtimes and backends, official vectors, conformance suites; and
//! a check that no branch and no address depends on secrets.
//!
//! It is a dev-dependency only. It depends on `parcrypt-cpu` and `parcrypt-runtime`. A new suite is a module; a new
//! runtime or backend is found through [`runtimes`] and [`backends`].

pub mod bad_machine;
mod c_header;
pub mod corpus;
mod doubles;
mod freed;
pub mod process;
mod runtime_suite;
pub mod valgrind;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Kind, Runtime};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

pub use c_header::header_differences;
pub use doubles::{Eager, Untouched};
pub use freed::{Watched, freed, has_part_of, left_on_stack};
pub use rand;
pub use runtime_suite::runtime_conforms;

/// Returns a generator from the seed in `PARCRYPT_SEED`, or from a new one, and prints the seed.
///
/// # Panics
/// If `PARCRYPT_SEED` is not a number below 2^64.
pub fn rng() -> ChaCha8Rng {
    let seed = match std::env::var("PARCRYPT_SEED") {
        Ok(text) => text.parse().expect("PARCRYPT_SEED must be a number below 2^64"),
        Err(_) => rand::random(),
    };
    println!("seed: PARCRYPT_SEED={seed}");
    rng_from(seed, 0)
}

/// Returns a generator from a seed, of which each stream has other numbers.
pub fn rng_from(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Prints that `what` is not tested here, and why; the same line once a process.
///
/// # Panics
/// If `PARCRYPT_REQUIRE` (names separated by commas) contains `what`.
pub fn skip(krate: &str, what: &str, why: &str) {
    // The test harness hides the output of a passing test; a skip has to be visible, so it bypasses the harness.
    use std::io::Write;
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let line = format!("SKIP {krate} {what} {why}");
    if PRINTED.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    let required = std::env::var("PARCRYPT_REQUIRE").unwrap_or_default();
    let required = required.split(',').any(|name| name.trim() == what);
    assert!(!required, "{krate}: {what} is required by PARCRYPT_REQUIRE, but {why}");
}

/// Returns those of `offered` that this machine can run, and prints a `SKIP` line for each other one.
pub fn backends(krate: &str, offered: &[Backend]) -> Vec<Backend> {
    let (here, missing) = offered.iter().partition::<Vec<Backend>, _>(|backend| backend.is_available());
    for backend in missing {
        skip(krate, &backend.to_string(), "this machine lacks it");
    }
    here
}

/// Returns every runtime of this build with 1, 2, 3 and 8 threads, and prints a `SKIP` line for each missing one.
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
