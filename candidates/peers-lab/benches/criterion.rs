//! The work under Criterion, and so in a suite of `parlab`.

use criterion::{Criterion, criterion_group, criterion_main};
use peers_lab::{DIFFERENCES, Work, planted_here};

fn products(criterion: &mut Criterion) {
    for thousandths in DIFFERENCES {
        let mut work = Work::new(planted_here(thousandths)).expect("a difference of whole iterations");
        let name = format!("product-{thousandths}");
        criterion.bench_function(&name, |bencher| bencher.iter(|| work.call().ok()));
    }
}

criterion_group!(benches, products);
criterion_main!(benches);
