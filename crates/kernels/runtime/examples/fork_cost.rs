//! Measures the time to go parallel, and prints it with the one that the crate states: `cargo run --release -p
//! parcrypt-runtime --example fork_cost`.
//!
//! The time of `run` with one empty task a thread, right after the last one (workers may still spin) and after 20 ms
//! of idleness (workers sleep). The constants of `ForkCost` come from this example.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use parcrypt_runtime::{Kind, Runtime};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn once(rt: &dyn Runtime) -> Duration {
    let begun = Instant::now();
    rt.run(rt.threads().get(), &|_| {});
    begun.elapsed()
}

fn main() -> Result<(), parcrypt_runtime::Error> {
    let threads = parcrypt_cpu::cores().max(NonZeroUsize::MIN.saturating_add(1));
    for kind in [Kind::Rayon, Kind::OpenMp] {
        let rt = match kind.build(threads) {
            Ok(rt) => rt,
            Err(why) => {
                println!("SKIP {kind}: {why}");
                continue;
            }
        };
        once(&*rt);
        let spinning = median((0..2000).map(|_| once(&*rt)).collect());
        let asleep = (0..50).map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            once(&*rt)
        });
        let asleep = median(asleep.collect());
        let stated = rt.fork_cost();
        println!(
            "{kind} with {threads} threads: spinning {spinning:?} (stated {} ns), asleep {asleep:?} (stated {} ns)",
            stated.spinning_ns, stated.asleep_ns
        );
    }
    Ok(())
}
