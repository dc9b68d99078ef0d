//! The plan of a comparison of whole commands.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use parcrypt_protocol::Value;
use serde::Serialize;

use crate::plan::{LAYOUT, PROGRAM, Plan, PlanError};
use crate::record::{COMMANDS, Measure};

/// Whole commands to compare, each as a candidate of a plan.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Title of the plan.
    pub title: String,
    /// Name of each command, and the arguments with which this program runs it as a candidate.
    pub commands: Vec<(String, Vec<String>)>,
    /// Paths of the program of each command in other memory layouts, and the index of its word in the arguments; none
    /// if each has the layout that it was built with.
    pub layouts: Vec<(usize, Vec<String>)>,
    /// Values of each parameter; each combination is a case.
    pub params: BTreeMap<String, Vec<Value>>,
    /// Index of the command that the others are compared with.
    pub baseline: usize,
    /// Whether the baseline is measured twice (an A/A control).
    pub control: bool,
    /// Processors that each run may use.
    pub processors: usize,
    /// Quantity that the commands are compared by.
    pub measure: Measure,
    /// Time limit of a sample, in whole seconds; a day if it is left out.
    pub limit: Option<Duration>,
}

/// Minimum time of a sample in ms: most commands run once in it, so that the fastest and the slowest run are known.
const SAMPLE_MS: u64 = 1;

/// Label of a command's candidate with its name.
const LABEL: &str = "command";

impl Comparison {
    /// Returns the plan that compares the commands, which run in `folder`. Its text is part of the record and can be
    /// run again.
    ///
    /// # Errors
    /// A number above 2⁶³, which TOML does not have, and errors of [`Plan::parse`].
    pub fn plan(&self, folder: PathBuf) -> Result<Plan, PlanError> {
        const DAY: u64 = 86_400;
        // A name may have braces, which are placeholders in the names of plans but not in the values of labels.
        let candidate = |name: &str, arguments: &[String]| CandidateText {
            name: format!("{{{LABEL}}}"),
            labels: [(LABEL, name.to_owned())].into(),
            command: std::iter::once(PROGRAM.to_owned()).chain(arguments.iter().cloned()).collect(),
            layouts: Vec::new(),
        };
        let mut candidates: Vec<CandidateText> =
            self.commands.iter().map(|(name, arguments)| candidate(name, arguments)).collect();
        for (candidate, (at, layouts)) in candidates.iter_mut().zip(&self.layouts) {
            // The first word is this program.
            if let Some(word) = candidate.command.get_mut(at + 1) {
                LAYOUT.clone_into(word);
            }
            candidate.layouts.clone_from(layouts);
        }
        let text = toml::to_string(&PlanText {
            schema: crate::plan::SCHEMA,
            title: &self.title,
            sampling: SamplingText {
                fresh: true,
                sample_ms: SAMPLE_MS,
                limit_s: self.limit.map_or(DAY, |limit| limit.as_secs_f64().ceil() as u64).clamp(1, DAY),
            },
            case: [CaseText {
                workload: COMMANDS,
                threads: [self.processors],
                baseline: self.commands.get(self.baseline).map_or("", |(name, _)| name),
                control: self.control,
                measure: (self.measure != Measure::Time).then_some(&self.measure),
                params: &self.params,
            }],
            candidate: candidates,
        });
        let path = PathBuf::from("compare.toml");
        let text = text.map_err(|e| PlanError::Syntax {
            path: path.clone(),
            source: Box::new(serde::de::Error::custom(e)),
        })?;
        Plan::parse(&path, folder, text)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PlanText<'a> {
    schema: i64,
    title: &'a str,
    sampling: SamplingText,
    case: [CaseText<'a>; 1],
    candidate: Vec<CandidateText>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct SamplingText {
    fresh: bool,
    sample_ms: u64,
    limit_s: u64,
}

#[derive(Serialize)]
struct CaseText<'a> {
    workload: &'static str,
    threads: [usize; 1],
    baseline: &'a str,
    control: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<&'a Measure>,
    params: &'a BTreeMap<String, Vec<Value>>,
}

#[derive(Serialize)]
struct CandidateText {
    name: String,
    command: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layouts: Vec<String>,
    labels: BTreeMap<&'static str, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_a_plan() {
        let comparison = Comparison {
            title: "awk".to_owned(),
            commands: ["awk '{print $1}'", "cut \"-f1\""]
                .map(|name| (name.to_owned(), vec!["run".to_owned()]))
                .into(),
            layouts: vec![(0, (1..=9).map(|layout| format!("awk-{layout}")).collect()); 2],
            params: [("n".to_owned(), vec![Value::Number(1), Value::Text("x".to_owned())])].into(),
            baseline: 1,
            control: false,
            processors: 1,
            measure: Measure::OwnTime,
            limit: Some(Duration::from_millis(2_500)),
        };
        let plan = comparison.plan(".".into()).unwrap();
        assert!(plan.sampling().fresh && plan.sampling().limit_s == 3);
        assert_eq!(plan.file.case[0].measure, Measure::OwnTime);
        assert!(
            plan.text.contains("command = [\"{program}\", \"{layout}\"]\nlayouts = [\"awk-1\", "),
            "{}",
            plan.text
        );
        let names: Vec<&str> = plan.file.candidate.iter().map(|table| table.labels[LABEL].as_str()).collect();
        assert_eq!(names, ["awk '{print $1}'", "cut \"-f1\""]);
    }
}
