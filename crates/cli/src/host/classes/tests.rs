use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use parcrypt_cpu::Request;
use parcrypt_lab::audit::{Experiment, Length, plan_text};
use parcrypt_lab::plan::{Choices, EntryPlan, Matrix, Plan};
use parcrypt_runtime::{Cost, ForkCost, Runtime, enter};

use super::*;
use crate::host::Parcrypt;
use crate::workload::Aligned;
use crate::workloads;

const MIB: u64 = 1 << 20;

fn yes(_: Kind) -> Result<(), String> {
    Ok(())
}

fn usual() -> Classes {
    sized(&[(1, 32 << 10), (2, MIB), (3, 32 * MIB)], Some(16 << 30), 2, &yes)
}

#[test]
fn one_core_and_missing_runtimes_are_skipped_with_the_reason() {
    let one = sized(&[], None, 1, &yes);
    assert_eq!(one.classes.len(), 3);
    assert_eq!(one.skipped.len(), 3);
    assert!(one.skipped[0].1.contains("needs 2 cores, and there is 1"), "{:?}", one.skipped);
    let without =
        sized(&[], None, 2, &|kind| if kind == Kind::Rayon { Err("no rayon".to_owned()) } else { Ok(()) });
    assert_eq!(without.skipped, [("threads-rayon".to_owned(), "no rayon".to_owned())]);
    assert_eq!(without.choose(&["threads".to_owned()]).unwrap().len(), 1);
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

/// Returns the entries of the first case of a class.
fn entries(class: &Class, experiment: Experiment) -> Vec<EntryPlan> {
    let text = plan_text(class, experiment, Length::Seconds(2.0));
    let plan = Plan::parse("audit.toml".as_ref(), ".".into(), text).unwrap();
    let choices = Choices::default();
    let mut matrix =
        Matrix::new(&plan, &choices, &Parcrypt::find().unwrap(), NonZeroUsize::new(4).unwrap()).unwrap();
    matrix.cases.remove(0).entries
}

/// A work that its kernel leaves on one thread would audit nothing of two.
#[test]
fn work_on_two_threads_goes_parallel() {
    let mut seen = 0;
    for class in usual().classes {
        for entry in entries(&class, Experiment::Planted { percent: 1.0 }) {
            if entry.threads != THREADS {
                continue;
            }
            assert!(entry.command.contains(&"--entered".to_owned()), "{}: {:?}", class.name, entry.command);
            let workload = workloads::find(&entry.workload).unwrap();
            let values = workload.values(&entry.params).unwrap();
            let rows = workload.rows(Some(&Request::Baseline.into())).unwrap();
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
    // Two entries of each class of threads, and two of `many`.
    assert_eq!(seen, 12);
}

/// Every class of this machine makes plans that the lab accepts, with entries on its number of threads.
#[test]
fn plans_of_all_classes_are_accepted() {
    let host = Parcrypt::find().unwrap();
    for class in &all().classes {
        for experiment in [Experiment::Planted { percent: 0.5 }, Experiment::CarryOver { sample_ms: 2 }] {
            let text = plan_text(class, experiment, Length::Seconds(2.0));
            let plan = Plan::parse("audit.toml".as_ref(), ".".into(), text).unwrap();
            let matrix = Matrix::new(&plan, &Choices::default(), &host, parcrypt_cpu::cores()).unwrap();
            let threads: Vec<usize> = matrix.cases[0].entries.iter().map(|entry| entry.threads).collect();
            let expected = if class.name.starts_with("threads") { 2 } else { 1 };
            let planted = matches!(experiment, Experiment::Planted { .. });
            let count = if planted { 2 } else { 3 };
            assert_eq!(threads[..count], vec![expected; count], "{}", class.name);
            let beside = if planted && class.name == "many" { 4 } else { 0 };
            assert_eq!(threads[count..].len(), beside, "{}", class.name);
            assert!(threads[count..].chunks(2).all(|pair| pair == [1, 2]));
            if let Experiment::Planted { percent } = experiment {
                let extra: Vec<f64> =
                    matrix.cases[0].entries.iter().map(|entry| entry.extra_percent).collect();
                assert_eq!(extra[..2], [0.0, percent], "{}", class.name);
                assert!(extra[2..].iter().all(|extra| *extra == 0.0));
            }
        }
    }
}
