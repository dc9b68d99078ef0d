//! The work under Criterion, with the planted difference of `PLANTED`, in thousandths.

use criterion::{Criterion, criterion_group, criterion_main};
use peers_lab::{Work, planted};

fn product(criterion: &mut Criterion) {
    let thousandths = std::env::var("PLANTED").unwrap_or_else(|_| "0".to_owned());
    let work = planted(&thousandths).and_then(Work::new);
    let mut work = work.expect("PLANTED is 0, 5 or 10");
    criterion.bench_function("product", |bencher| bencher.iter(|| work.call().ok()));
}

criterion_group!(benches, product);
criterion_main!(benches);
