//! The work under tango, with 0 thousandths of further iterations.

use peers_lab::Work;
use tango_bench::{IntoBenchmarks, benchmark_fn, tango_benchmarks};

fn products() -> impl IntoBenchmarks {
    [benchmark_fn("product", |bencher| {
        let mut work = Work::new(0).ok();
        bencher.iter(move || work.as_mut().and_then(|work| work.call().ok()))
    })]
}

tango_benchmarks!(products());
