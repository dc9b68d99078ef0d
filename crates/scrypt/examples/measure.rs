//! Prints times.

use std::num::NonZeroUsize;
use std::time::Instant;

use parcrypt_runtime::Kind;
use parcrypt_scrypt::{Item, Params, Scrypt};

fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().expect("numbers")).collect();
    let [log_n, r, p, keys, threads, lanes, rounds] = args[..] else {
        panic!("log_n r p keys threads lanes rounds")
    };
    let kind = if threads == 1 { Kind::Serial } else { Kind::Rayon };
    let rt = kind.build(NonZeroUsize::new(threads as usize).expect("threads")).expect("runtime");
    let params = Params::new(1 << log_n, r as u32, p as u32).expect("params");
    let lanes: Vec<u64> = if lanes == 0 { (1..=8).collect() } else { vec![lanes] };
    let names: Vec<String> = (0..keys).map(|i| format!("password {i}")).collect();
    let items: Vec<Item> = names.iter().map(|n| Item { password: n.as_bytes(), salt: b"salt" }).collect();
    for lanes in lanes {
        let plan = Scrypt::new(None, 4 << 30)
            .expect("plan")
            .with_lanes(NonZeroUsize::new(lanes as usize).expect("lanes"));
        let needs = plan.needs(&*rt, params, items.len()).expect("needs");
        let mut out = vec![0; 32 * items.len()];
        let mut times = Vec::new();
        let mut first = 0.0;
        for i in 0..=rounds {
            let start = Instant::now();
            plan.derive_many(&*rt, params, &items, &mut out).expect("derive");
            let t = start.elapsed().as_secs_f64();
            if i == 0 { first = t } else { times.push(t) }
        }
        times.sort_by(f64::total_cmp);
        let blocks = 4.0 * (r * p * keys) as f64 * (1u64 << log_n) as f64;
        println!(
            "{needs:?}\n   first {first:.4} min {:.4} median {:.4}: {:.2} ns a block of a lane",
            times[0],
            times[times.len() / 2],
            times[0] / blocks * 1e9
        );
    }
}
