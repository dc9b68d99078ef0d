//! The plan of a comparison of whole commands, and the cases of its record.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use parcrypt_protocol::Value;
use serde_json::json;

use crate::method::SHORTEST_SAMPLE;
use crate::plan::{LAYOUT, PROGRAM, Plan, PlanError, control_name};
use crate::record::{COMMANDS, Case, Measure, PEAK_MEMORY, Record, Role, Sample};
use crate::stats::summarize;

/// Whole commands to compare, each as a candidate of a plan.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Title of the plan.
    pub title: String,
    /// Name of each command.
    pub names: Vec<String>,
    /// The ways in which the commands run.
    pub ran: Vec<Ran>,
    /// Values of each parameter; each combination is a case.
    pub params: BTreeMap<String, Vec<Value>>,
    /// Index of the command that the others are compared with.
    pub baseline: usize,
    /// Whether the baseline is measured twice (an A/A control).
    pub control: bool,
    /// Processors that each run may use.
    pub processors: usize,
    /// Time limit of a sample, in whole seconds; a day if it is left out.
    pub limit: Option<Duration>,
}

/// All commands in one way to run them.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Quantity that the commands are compared by.
    pub measure: Measure,
    /// Arguments with which this program runs each command as a candidate.
    pub commands: Vec<Vec<String>>,
    /// Paths of the program of each command in other memory layouts, and the index of its word in the arguments; none
    /// if each has the layout that it was built with.
    pub layouts: Vec<(usize, Vec<String>)>,
}

/// Label of a command's candidate with its name.
const LABEL: &str = "command";

/// Label of a candidate of a further way to run the commands, with what is measured.
const MEASURE: &str = "measure";

impl Comparison {
    /// Returns the plan that compares the commands, which run in `folder`. Its text is part of the record and can be
    /// run again.
    ///
    /// # Errors
    /// A number above 2⁶³, which TOML does not have, and errors of [`Plan::parse`].
    pub fn plan(&self, folder: PathBuf) -> Result<Plan, PlanError> {
        const DAY: u64 = 86_400;
        let (mut cases, mut candidates) = (Vec::new(), Vec::new());
        for (number, ran) in self.ran.iter().enumerate() {
            let measure = String::from(ran.measure.clone());
            // A name may have braces, which are placeholders in the names of plans but not in the values of labels.
            let (template, labels) = match number {
                0 => ("{command}", None),
                _ => ("{command} ({measure})", Some((MEASURE, &measure))),
            };
            let name = |name: &String| template.replace("{measure}", &measure).replace("{command}", name);
            cases.push(json!({
                "workload": COMMANDS,
                "threads": [self.processors],
                "candidates": self.names.iter().map(name).collect::<Vec<_>>(),
                "baseline": self.names.get(self.baseline).map(name),
                "control": self.control,
                "measure": measure,
                "params": self.params,
            }));
            for (at, (name, arguments)) in self.names.iter().zip(&ran.commands).enumerate() {
                let mut words: Vec<&str> =
                    std::iter::once(PROGRAM).chain(arguments.iter().map(String::as_str)).collect();
                let labels: BTreeMap<&str, &String> = labels.into_iter().chain([(LABEL, name)]).collect();
                let mut candidate = json!({ "name": template, "labels": labels });
                if let Some((word, layouts)) = ran.layouts.get(at) {
                    // The first word is this program.
                    words[word + 1] = LAYOUT;
                    candidate["layouts"] = json!(layouts);
                }
                candidate["command"] = json!(words);
                candidates.push(candidate);
            }
        }
        let plan = json!({
            "schema": crate::plan::SCHEMA,
            "title": self.title,
            "sampling": {
                "fresh": true,
                // Most commands run once in it, so that the fastest and the slowest run are known.
                "sample-ms": SHORTEST_SAMPLE.as_millis() as u64,
                "limit-s": self.limit.map_or(DAY, |limit| limit.as_secs_f64().ceil() as u64).clamp(1, DAY),
            },
            "case": cases,
            "candidate": candidates,
        });
        Plan::from_json("compare", folder, &plan)
    }
}

/// Gives a record of a comparison a case for each of these measures: a case of times has what its runs counted. Returns
/// a note for each command that has no count above 0.
pub fn with_measures(record: &mut Record, measures: &[Measure]) -> Vec<String> {
    let mut notes = Vec::new();
    for mut case in std::mem::take(&mut record.cases) {
        for entry in &mut case.entries {
            if entry.labels.remove(MEASURE).is_some() {
                let name = entry.labels[LABEL].clone();
                entry.candidate = if entry.role == Role::Control { control_name(&name) } else { name };
            }
        }
        let of_times = case.measure.is_time();
        for measure in measures {
            let is_same = if of_times { measure.is_time() } else { *measure == case.measure };
            match measure {
                _ if is_same => record.cases.push(case.clone()),
                Measure::Count(name) if of_times && name != super::INSTRUCTIONS => {
                    record.cases.push(counted(&case, name, &mut notes));
                }
                _ => {}
            }
        }
    }
    notes
}

/// Returns the case of a count of the runs of another case.
fn counted(case: &Case, name: &str, notes: &mut Vec<String>) -> Case {
    let mut case = Case { measure: Measure::Count(name.to_owned()), ..case.clone() };
    for entry in &mut case.entries {
        for sample in entry.rounds.iter_mut().flatten() {
            let count = sample.counts.get(name).copied().unwrap_or(0);
            // A peak is not the sum over the iterations.
            let iterations = if name == PEAK_MEMORY { 1 } else { sample.iterations };
            *sample = Sample { iterations, counts: [(name.to_owned(), count)].into(), ..Sample::default() };
        }
        entry.rounds.iter_mut().for_each(|round| round.retain(|sample| sample.counts[name] > 0));
        if entry.failure.is_none() && entry.rounds.iter().all(Vec::is_empty) {
            notes.push(format!(
                "{name}: 0 in each run of `{}`; a ratio needs counts above 0",
                entry.candidate
            ));
        }
    }
    summarize(&mut case);
    case
}
