//! Prints the time of scrypt on this machine: median and least of some rounds, after one that touches the memory:
//!
//! - `blocks`: nanoseconds for one block of 64 bytes, by backend and lanes, with V in the caches and in memory,
//!   beside the time by which the crate lays out lanes;
//! - `keys`: whole derivations, on one thread and two, beside the crate `scrypt`;
//! - `threads`: one thread and two with the same lanes each: the bound that memory sets.

use std::num::NonZeroUsize;
use std::time::Instant;

use parcrypt_cpu::Request;
use parcrypt_runtime::{Kind, Runtime};
use parcrypt_scrypt::{Item, Needs, Params, Scrypt};

const ROUNDS: usize = 5;

/// Median and least of the seconds that `f` takes.
fn time(rounds: usize, mut f: impl FnMut()) -> (f64, f64) {
    f();
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[rounds / 2], times[0])
}

fn runtime(threads: usize) -> Box<dyn Runtime> {
    let kind = if threads == 1 { Kind::Serial } else { Kind::Rayon };
    kind.build(NonZeroUsize::new(threads).expect("not zero")).expect("a runtime")
}

fn lanes(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("not zero")
}

fn derive(plan: &Scrypt, rt: &dyn Runtime, params: Params, keys: usize, rounds: usize) -> (Needs, f64, f64) {
    let items = vec![Item { password: b"password", salt: b"salt" }; keys];
    let mut out = vec![0; 64 * keys];
    let needs = plan.needs(rt, params, keys).expect("within the bound");
    let (median, least) = time(rounds, || plan.derive_many(rt, params, &items, &mut out).expect("derives"));
    (needs, median, least)
}

fn blocks() {
    println!("ns a block of all lanes, median (least); V in the caches: N = 2^9, in memory: N = 2^16; r = 8");
    let rt = runtime(1);
    for backend in Scrypt::backends().into_iter().filter(|backend| backend.is_available()) {
        let mut plan = Scrypt::new(backend.into(), 1 << 30).expect("available");
        for group in 1..=8 {
            plan = plan.with_lanes(lanes(group));
            let small = Params::new(1 << 9, 8, group as u32).expect("parameters");
            if plan.needs(&*rt, small, 1).expect("within the bound").lanes_per_thread < group {
                break;
            }
            let large = Params::new(1 << 16, 8, group as u32).expect("parameters");
            print!("{backend:8} {group} lanes ");
            for (params, rounds) in [(small, 40), (large, 3)] {
                let (_, median, least) = derive(&plan, &*rt, params, 1, rounds);
                let blocks = 4.0 * 8.0 * params.n() as f64 / 1e9;
                print!(" {:6.1} ({:.1})", median / blocks, least / blocks);
            }
            println!("   stated {}", plan.block_ps(lanes(group)).unwrap_or(0) as f64 / 1000.0);
        }
    }
}

fn keys() {
    println!("seconds, median (least) of {ROUNDS}; N = 2^17 and r = 8 take 128 MiB a lane");
    let plan = Scrypt::new(Request::Auto, 2 << 30).expect("a plan");
    for (log_n, p, keys, threads) in [
        (17, 1, 16, 2),
        (17, 16, 1, 2),
        (17, 16, 1, 1),
        (17, 4, 1, 2),
        (17, 4, 1, 1),
        (17, 1, 1, 1),
        (14, 1, 1, 1),
        (14, 1, 64, 2),
    ] {
        let params = Params::new(1 << log_n, 8, p).expect("parameters");
        let (needs, median, least) = derive(&plan, &*runtime(threads), params, keys, ROUNDS);
        println!(
            "N = 2^{log_n}, p = {p}, {keys} keys, {threads} threads: {median:.4} ({least:.4}); {} x {} lanes, {} MiB",
            needs.threads,
            needs.lanes_per_thread,
            needs.memory >> 20
        );
    }
    let theirs = scrypt::Params::new(17, 8, 1).expect("parameters");
    let (median, least) =
        time(2, || scrypt::scrypt(b"password", b"salt", &theirs, &mut [0; 64]).expect("derives"));
    println!("the crate `scrypt`, N = 2^17, p = 1: {median:.4} ({least:.4})");
}

fn threads() {
    println!(
        "N = 2^16, r = 8, seconds for as many lanes a thread: one thread, two, and lanes a second two to one"
    );
    let mut plan = Scrypt::new(Request::Auto, 2 << 30).expect("a plan");
    for group in [1, 2, 4, 8] {
        plan = plan.with_lanes(lanes(group));
        let of = |threads: usize| {
            let params = Params::new(1 << 16, 8, (group * threads) as u32).expect("parameters");
            derive(&plan, &*runtime(threads), params, 1, ROUNDS)
        };
        let (one, two) = (of(1), of(2));
        assert!(two.0.threads == 2 && two.0.lanes_per_thread == group, "{:?}", two.0);
        println!("{group} lanes a thread: {:.4} {:.4} {:.2}", one.1, two.1, 2.0 * one.1 / two.1);
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("blocks") => blocks(),
        Some("keys") => keys(),
        Some("threads") => threads(),
        _ => println!("say `blocks`, `keys` or `threads`"),
    }
}
