//! Times to sign and to verify: alone, inside `enter`, and many at once, on each runtime and backend, and the times
//! that the crate states.
//!
//! `cargo run --release -p parcrypt-rw --example rw_measure -- 1024 2048 3072 4096`; medians of rounds in which all
//! lines take turns.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Kind, Runtime, enter, pays};
use parcrypt_rw::SecretKey;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// Signatures of a batch, and in a row inside `enter`.
const BATCH: usize = 16;
/// Time for all rows of a table.
const BUDGET: Duration = Duration::from_millis(3000);

/// A way to use the crate.
struct Way<'a> {
    name: String,
    /// Pause before each turn, so that workers go to sleep.
    pause: Duration,
    operations: usize,
    run: Box<dyn Fn() + 'a>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|bits| bits.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![1024, 2048, 3072, 4096] } else { sizes };
    let one = NonZeroUsize::MIN;
    let two = NonZeroUsize::new(2).ok_or("2 is not zero")?;
    let runtimes: Vec<Box<dyn Runtime>> = [(Kind::Serial, one), (Kind::Rayon, two), (Kind::OpenMp, two)]
        .into_iter()
        .filter_map(|(kind, threads)| kind.build(threads).map_err(|why| println!("SKIP {kind}: {why}")).ok())
        .collect();
    for bits in sizes {
        for backend in SecretKey::backends(bits).into_iter().filter(|backend| backend.is_available()) {
            let mut rng = ChaCha20Rng::seed_from_u64(bits as u64);
            let key = SecretKey::generate(&parcrypt_runtime::Serial, backend.into(), bits, &mut rng)?;
            let (sign, verify) = (key.sign_ns() as f64 / 1e3, key.public().verify_ns() as f64 / 1e3);
            println!("{bits} bits, {backend}; stated: sign {sign:.1} µs, verify {verify:.1} µs");
            table(&key, &runtimes)?;
        }
    }
    Ok(())
}

fn table(key: &SecretKey, runtimes: &[Box<dyn Runtime>]) -> Result<(), parcrypt_rw::Error> {
    let messages: Vec<[u8; 32]> = (0..BATCH as u8).map(|i| [i; 32]).collect();
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let signatures = key.sign_many(&parcrypt_runtime::Serial, &messages)?;
    let pairs: Vec<(&[u8], &[u8])> =
        messages.iter().copied().zip(signatures.iter().map(|signature| &signature[..])).collect();
    let (messages, pairs, signatures) = (&messages, &pairs, &signatures);
    let mut ways: Vec<Way<'_>> = Vec::new();
    for rt in runtimes {
        let rt = &**rt;
        let right = |i: usize, made: Result<Vec<u8>, parcrypt_rw::Error>| {
            assert!(made.is_ok_and(|made| made == signatures[i]), "a wrong signature");
        };
        let name = rt.name();
        let way = |what: &str, pause, operations, run| Way {
            name: format!("{name}: {what}"),
            pause: Duration::from_millis(pause),
            operations,
            run,
        };
        let cost = Cost::ns(BATCH as u64 * key.sign_ns());
        let in_a_row = move || (0..BATCH).for_each(|i| right(i, key.sign(rt, messages[i])));
        let many = move || assert!(key.sign_many(rt, messages).is_ok_and(|made| made == *signatures));
        let verify = move || {
            let answers = black_box(key.public().verify_many(rt, pairs));
            assert!(answers.is_ok_and(|answers| answers.iter().all(|right| *right)));
        };
        ways.extend([
            way("one, workers asleep", 10, 1, Box::new(move || right(0, key.sign(rt, messages[0])))),
            way("in a row", 0, BATCH, Box::new(in_a_row)),
            way("sign_many", 0, BATCH, Box::new(many)),
            way("verify_many", 0, BATCH, Box::new(verify)),
        ]);
        // Entering gains nothing where the halves of a signature do not fork.
        let half = Cost::ns(key.sign_ns() / 2);
        if key.backend() == Backend::AwsLc && enter(rt, cost, || pays(rt, 2, half)) {
            ways.push(way("in a row in `enter`", 0, BATCH, Box::new(move || enter(rt, cost, in_a_row))));
        }
    }
    let mut times: Vec<Vec<f64>> = ways.iter().map(|_| Vec::new()).collect();
    let start = Instant::now();
    while start.elapsed() < BUDGET {
        for (way, times) in ways.iter().zip(&mut times) {
            std::thread::sleep(way.pause);
            let start = Instant::now();
            (way.run)();
            times.push(start.elapsed().as_secs_f64() * 1e6 / way.operations as f64);
        }
    }
    for (Way { name, .. }, times) in ways.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("  {name:<30} {:>9.1} µs  ({} rounds)", times[times.len() / 2], times.len());
    }
    Ok(())
}
