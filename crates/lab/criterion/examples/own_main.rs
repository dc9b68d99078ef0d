//! A suite whose `main` is its own, for the tests of this package.

use criterion::{black_box, Criterion};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    println!("printed by the suite");
    criterion.bench_function("one", |b| b.iter(|| black_box(1)));
    if std::env::var_os("OWN_MAIN_PANICS").is_some() {
        panic!("in the middle");
    }
    criterion.bench_function("two", |b| b.iter(|| black_box(2)));
    criterion.final_summary();
}
