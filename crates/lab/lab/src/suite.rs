//! The plan of a suite: the benchmarks of two revisions, each benchmark a case.

mod count;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use crate::method::{SHORTEST_SAMPLE, SUITE_SAMPLE_MS};
use crate::plan::{LAYOUT, Plan, PlanError};
use crate::record::{Case, Entry, Failure, Measure};

pub use crate::command::{LIST, VARIABLE};
pub use count::{can_count, count, take_from_samples};

/// Name of the plan, by which a report knows a record of a suite.
pub const PLAN: &str = "suite";

/// Value of [`VARIABLE`] with which a program is a candidate.
const CANDIDATE: &str = "candidate";

/// Label of a candidate with its revision.
pub const REVISION: &str = "revision";
/// Label of a candidate with its program.
const TARGET: &str = "target";

/// Benchmarks of two revisions.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Title of the plan.
    pub title: String,
    /// Names of the revisions: the old one, then the new one.
    pub revisions: [String; 2],
    /// Programs of benchmarks.
    pub targets: Vec<Target>,
    /// Benchmarks in both revisions: the index of the program, and the name.
    pub benchmarks: Vec<(usize, String)>,
    /// Processors that each process may use.
    pub processors: usize,
    /// Time limit of a response.
    pub limit: Duration,
}

/// A program of benchmarks, built from each revision.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// What is run for each revision.
    pub sides: [Program; 2],
}

/// What is run for one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program with its arguments; `{program}` as the first word is the program that runs the plan.
    pub command: Vec<String>,
    /// Index of the program among them, before which there may be what starts it.
    pub program: usize,
    /// What its benchmarks are compared by. By their own clocks, each iteration is a process.
    pub measure: Measure,
    /// Folder in which it runs.
    pub folder: String,
    /// Variables of its environment, besides this process's. The plan has none of them, because records are published,
    /// and their values may be secret.
    pub env: BTreeMap<String, String>,
    /// Paths of the program in other memory layouts, which blocks take in turn; none if it runs as it was built.
    pub layouts: Vec<String>,
}

impl Suite {
    /// Returns the plan that compares the revisions. Its text is part of the record.
    ///
    /// # Errors
    /// Errors of [`Plan::parse`].
    pub fn plan(&self, folder: PathBuf) -> Result<Plan, PlanError> {
        let many = self.targets.len() > 1;
        let mut candidates = Vec::new();
        for target in &self.targets {
            for (revision, side) in self.revisions.iter().zip(&target.sides) {
                let mut command = side.command.clone();
                if !side.layouts.is_empty() {
                    LAYOUT.clone_into(&mut command[side.program]);
                }
                candidates.push(json!({
                    // A name may have braces, which are placeholders in the names of plans but not in the values of
                    // labels.
                    "name": if many { "{revision}, {target}" } else { "{revision}" },
                    "command": command,
                    "layouts": side.layouts,
                    // No file favours a revision by its pages in memory. What starts a program is not copied.
                    "copy": side.measure == Measure::Time && (side.program == 0 || !side.layouts.is_empty()),
                    "folder": side.folder,
                    "env": { VARIABLE: CANDIDATE },
                    "labels": { REVISION: revision, TARGET: target.name },
                }));
            }
        }
        let case = |(at, benchmark): &(usize, String)| {
            let target = &self.targets[*at];
            let is_ambiguous = self.benchmarks.iter().any(|(other, name)| other != at && name == benchmark);
            let params = is_ambiguous.then_some((TARGET, &target.name));
            let name = |revision: &String| match many {
                true => format!("{revision}, {}", target.name),
                false => revision.clone(),
            };
            json!({
                "workload": benchmark,
                "threads": [self.processors],
                "candidates": self.revisions.each_ref().map(name),
                "measure": target.sides[1].measure,
                "params": params.into_iter().collect::<BTreeMap<_, _>>(),
            })
        };
        let fresh = self.targets.iter().all(|target| target.sides[1].measure == Measure::OwnTime);
        let plan = json!({
            "schema": crate::plan::SCHEMA,
            "title": self.title,
            "sampling": {
                "fresh": fresh,
                "sample-ms": if fresh { SHORTEST_SAMPLE.as_secs_f64() * 1e3 } else { SUITE_SAMPLE_MS },
                "limit-s": self.limit.as_secs().clamp(1, 86_400),
            },
            "case": self.benchmarks.iter().map(case).collect::<Vec<_>>(),
            "candidate": candidates,
        });
        Plan::from_json(PLAN, folder, &plan)
    }
}

/// Returns the case of a record for a benchmark that is not measured, with the reason for each revision that lacks it.
pub fn left_out(benchmark: &str, target: &str, revisions: &[String; 2], why: [Option<Failure>; 2]) -> Case {
    let entry = |(revision, failure): (&String, Option<Failure>)| Entry {
        candidate: revision.clone(),
        labels: [(REVISION, revision.as_str()), (TARGET, target)]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        threads: 1,
        failure,
        ..Entry::default()
    };
    let entries = revisions.iter().zip(why).map(entry).collect();
    Case { workload: benchmark.to_owned(), entries, ..Case::default() }
}
