//! The work under tango.

use peers_lab::{DIFFERENCES, Work, planted_here};
use tango_bench::{Benchmark, IntoBenchmarks, benchmark_fn, tango_benchmarks};

fn product(thousandths: usize) -> Benchmark {
    benchmark_fn(format!("product-{thousandths}"), move |bencher| {
        let mut work = Work::new(planted_here(thousandths)).ok();
        bencher.iter(move || work.as_mut().and_then(|work| work.call().ok()))
    })
}

fn products() -> impl IntoBenchmarks {
    DIFFERENCES.map(product)
}

tango_benchmarks!(products());
