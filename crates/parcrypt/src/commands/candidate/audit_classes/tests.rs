use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use parcrypt_cpu::Request;
use parcrypt_protocol::Params;
use parcrypt_runtime::{Cost, ForkCost, Runtime, enter};

use super::*;
use crate::workload::Aligned;
use crate::workloads;

fn yes(_: Kind) -> Result<(), String> {
    Ok(())
}

#[test]
fn one_core_and_missing_runtimes_are_skipped_with_the_reason() {
    let (classes, skipped) = on(1, &yes);
    assert_eq!(classes.len(), 1);
    assert_eq!(skipped.len(), 3);
    assert!(skipped["threads-openmp"].contains("needs 2 cores, and this machine has 1"), "{skipped:?}");
    let no_rayon = |kind| if kind == Kind::Rayon { Err("no rayon".to_owned()) } else { Ok(()) };
    let (classes, skipped) = on(2, &no_rayon);
    assert_eq!(skipped, BTreeMap::from([("threads-rayon".to_owned(), "no rayon".to_owned())]));
    assert_eq!(
        classes.iter().map(|class| &class.name[..]).collect::<Vec<_>>(),
        ["vectors", "threads-openmp", "many"]
    );
}

/// Two threads with the costs of a runtime, and the number of times that work went parallel.
struct Forks {
    cost: ForkCost,
    number: AtomicUsize,
}

impl Runtime for Forks {
    fn name(&self) -> &'static str {
        "forks"
    }

    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(THREADS).unwrap()
    }

    fn fork_cost(&self) -> ForkCost {
        self.cost
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.number.fetch_add(1, Ordering::Relaxed);
        (0..tasks).for_each(task);
    }

    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        self.number.fetch_add(1, Ordering::Relaxed);
        a();
        b();
    }
}

/// The keys of a case.
#[derive(serde::Deserialize)]
struct CaseTable {
    workload: String,
    params: Params,
    threads: Vec<usize>,
}

/// A work that its kernel leaves on one thread would audit nothing of two.
#[test]
fn work_on_two_threads_goes_parallel() {
    let mut seen = 0;
    for class in on(2, &yes).0 {
        let case: CaseTable = toml::from_str(
            &class.case.lines().filter(|line| !line.starts_with("input")).collect::<Vec<_>>().join("\n"),
        )
        .unwrap();
        if !case.threads.contains(&THREADS) {
            continue;
        }
        for candidate in
            class.beside.iter().chain([&class.candidate]).filter(|candidate| !candidate.contains("serial"))
        {
            assert!(candidate.contains("entered = true"), "{}: {candidate}", class.name);
            let workload = workloads::find(&case.workload).unwrap();
            let values = workload.values(&case.params).unwrap();
            let rows = workload.rows(Some(&values), Some(&Request::Baseline.into())).unwrap();
            for cost in [ForkCost::RAYON, ForkCost::OPENMP] {
                let forks = Forks { cost, number: AtomicUsize::new(0) };
                let input = Aligned::new(vec![0; 65536]);
                let mut work = (workload.prepare)(&values, input, &forks, &rows).unwrap();
                enter(&forks, Cost::ns(u64::MAX), || work.iterate(&forks));
                assert_eq!(forks.number.into_inner(), 1, "{}", class.name);
                seen += 1;
            }
        }
    }
    // A candidate of each class of threads, and two of `many`.
    assert_eq!(seen, 8);
}
