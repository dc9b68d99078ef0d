//! What iterations allocate or execute, by programs that count it.

use parcrypt_lab::record::{CountKind, Measure, Record};
use parcrypt_lab::suite;

use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{counted, on_one_line};

use super::cargo::{State, unsupported};
use super::found::{Found, reason};

/// Returns the program that counts, or the reason why there is none.
pub(super) fn counting(state: &State, kind: CountKind) -> State {
    match state {
        Ok(program) if program.measure == Measure::OwnTime => {
            unsupported(format!("{} can only be counted with Criterion", kind.name()))
        }
        state => state.clone(),
    }
}

impl Found {
    /// Counts what an iteration of each benchmark of a record allocates or executes, until Ctrl-C. It takes no time of
    /// the samples.
    pub(super) fn count(&self, kind: CountKind, record: &mut Record) {
        if self.counting.is_empty() || self.counting.iter().flatten().all(Option::is_none) {
            return;
        }
        let all = self.suite.benchmarks.len();
        let bar = Bar::of_items(all);
        bar.begin(&format!("counting {} of {}", kind.name(), counted(all, "benchmark")));
        for (case, (target, name)) in record.cases.iter_mut().zip(&self.suite.benchmarks) {
            debug_assert_eq!(case.workload, *name, "cases are in the order of the plan");
            let [Some(old), Some(new)] = &self.counting[*target] else { continue };
            bar.set_message(format!("counting {} of {}", kind.name(), on_one_line(name)));
            match (old, new) {
                (Ok(old), Ok(new)) => {
                    if suite::count(case, kind, [old, new], self.suite.limit, interrupt::flag()).is_err() {
                        return;
                    }
                }
                (old, new) => {
                    for (entry, side) in case.entries.iter_mut().zip([old, new]) {
                        entry.not_counted = side.as_ref().err().cloned();
                    }
                }
            }
            for failure in case.entries.iter_mut().filter_map(|entry| entry.not_counted.as_mut()) {
                failure.why = reason(failure);
            }
            bar.advance();
        }
    }
}
