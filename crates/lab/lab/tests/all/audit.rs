//! Trials of an audit with candidates in Python: what is planted is checked by counts, and never by time.

use crate::here;
use crate::python;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parcrypt_lab::audit::{Bench, Called, Cell, Class, Ended, Experiment, Length, trial};
use parcrypt_lab::{Inputs, Watch};

use here::here;
use python::PYTHON;

/// Stops the run after a number of steps, if there is one.
struct Steps<'a> {
    stop: &'a AtomicBool,
    after: Option<usize>,
}

impl Watch for Steps<'_> {
    fn progress(&mut self, _: f64, _: Duration, _: &str) {
        if let Some(after) = &mut self.after {
            *after = after.saturating_sub(1);
            self.stop.store(*after == 0, Ordering::Relaxed);
        }
    }
    fn note(&mut self, _: &str) {}
}

/// Returns a class whose candidate behaves so.
fn class(how: &str) -> Class {
    let candidate =
        |how: &str| format!("command = [{}, \"candidate.py\", \"{how}\"]\nbinds-itself = true", *PYTHON);
    Class {
        name: "python".to_owned(),
        about: "a clock of its own".to_owned(),
        case: "workload = \"sum\"\nparams = { size = 100 }\ninput = { bytes = 1, times = \"size\" }\nthreads = [1]"
            .to_owned(),
        candidate: candidate(how),
        other: Some(candidate("iterations-as-time other")),
        seconds: 1,
        beside: Vec::new(),
    }
}

fn run(class: &Class, experiment: Experiment, rounds: usize, stop_after: Option<usize>) -> Ended {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let stop = AtomicBool::new(false);
    let cores = NonZeroUsize::new(2).unwrap();
    let bench = Bench { here: &here(cores), folder: &folder, inputs: &Inputs::new().unwrap(), stop: &stop };
    let cell = Cell { class: 0, experiment, length: Length::Rounds(rounds), wanted: 1 };
    trial(&bench, class, &cell, &mut Steps { stop: &stop, after: stop_after }).unwrap()
}

/// The clock of the candidate is its count of iterations, so the ratio is exactly the ratio of the iterations.
#[test]
fn a_planted_difference_is_in_the_iterations_and_nothing_else() {
    for (percent, called) in [(0.0, Called::NoDifference), (0.5, Called::Slower)] {
        let Ended::Trial(trial) =
            run(&class("iterations-as-time"), Experiment::Planted { percent }, 16, None)
        else {
            panic!()
        };
        assert_eq!((trial.called, trial.rounds, trial.replicates), (called, 16, 8));
        assert!(trial.error.abs() < 1e-9, "{percent} %: {}", trial.error);
        let [low, high] = trial.interval.unwrap();
        assert!((low - high).abs() < 1e-9 && (low - 1.0 - percent / 100.0).abs() < 1e-9, "{trial:?}");
        assert_eq!((trial.planted, trial.seconds, trial.class.as_str()), (percent, 0.0, "python"));
    }
}

#[test]
fn carry_over_compares_turns_of_one_process() {
    let Ended::CarryOver(found) =
        run(&class("iterations-as-time"), Experiment::CarryOver { sample_ms: 1.0 }, 6, None)
    else {
        panic!()
    };
    // Each comparison is made at most once in each of the six rounds: the order of turns says in which. A busy machine
    // may disturb samples, which are left out.
    let lengths = [&found.same_program, &found.other_program, &found.other_against_itself].map(Vec::len);
    assert!(lengths.iter().zip([4, 6, 0]).all(|(found, most)| *found <= most), "{lengths:?}");
    let all: Vec<f64> = [found.same_program, found.other_program, found.other_against_itself].concat();
    assert!(all.iter().all(|log| log.abs() < 1e-9), "{all:?}");
}

#[test]
fn failures_and_what_is_not_supported_are_told_apart() {
    let null = Experiment::Planted { percent: 0.0 };
    let Ended::Unsupported(why) = run(&class("unsupported"), null, 2, None) else { panic!() };
    assert!(why.contains("no such thing"), "{why}");
    let Ended::Failed(why) = run(&class("crash-at-start"), null, 2, None) else { panic!() };
    assert!(why.contains("first"), "{why}");
}

#[test]
fn a_stopped_trial_leaves_nothing() {
    let ended = run(&class("iterations-as-time"), Experiment::Planted { percent: 0.0 }, 16, Some(5));
    assert!(matches!(ended, Ended::Interrupted), "{ended:?}");
}
