//! Checks of a plan that need neither a machine nor kernels.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use toml::Spanned;

use super::matrix::{self, EVICT, LAYOUT, PROGRAM, bytes_of};
use super::{CandidateTable, CaseTable, Plan, PlanError, Threads, listed};
use crate::condition::Condition;
use crate::stats::MIN_LAYOUTS;

/// Positions of texts that a record has without them.
#[derive(Deserialize)]
struct Positions {
    title: Spanned<String>,
    #[serde(default)]
    question: Vec<QuestionPositions>,
}

#[derive(Deserialize)]
struct QuestionPositions {
    ask: Spanned<String>,
    from: BTreeMap<String, Spanned<String>>,
    to: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    only: Vec<Spanned<Condition>>,
}

/// Keys that every entry has, besides its labels.
const ALWAYS: [&str; 4] = ["candidate", EVICT, "threads", "workload"];

/// Checks a plan that was parsed.
pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    let syntax = |source| PlanError::Syntax { path: plan.path.clone(), source: Box::new(source) };
    let positions: Positions = toml::from_str(&plan.text).map_err(syntax)?;
    not_empty(plan, &positions.title, "the title")?;
    let sampling = &plan.file.sampling;
    for (key, value, least, most) in [
        ("rounds", sampling.rounds.unwrap_or(1) as f64, 1.0, 10_000.0),
        ("samples", sampling.samples.unwrap_or(1) as f64, 1.0, 10_000.0),
        ("round-ms", sampling.round_ms.unwrap_or(1) as f64, 1.0, 3_600_000.0),
        ("limit-s", sampling.limit_s as f64, 1.0, 86_400.0),
        ("seconds", sampling.seconds, 0.1, 86_400.0),
        ("sample-ms", sampling.sample_ms, 0.1, 60_000.0),
    ] {
        if !(least..=most).contains(&value) {
            return Err(plan.at_key(key, format!("{key} is {value}: it must be from {least} to {most}")));
        }
    }
    if plan.file.case.is_empty() {
        return Err(plan.at_key("case", "a plan needs at least one [[case]]"));
    }
    plan.file.case.iter().try_for_each(|table| case(plan, table))?;
    plan.file.candidate.iter().try_for_each(|table| candidate(plan, table))?;
    questions(plan, &positions.question)
}

fn not_empty(plan: &Plan, text: &Spanned<String>, what: &str) -> Result<(), PlanError> {
    match text.get_ref().trim() {
        "" => Err(plan.at(text, format!("{what} is empty"))),
        _ => Ok(()),
    }
}

fn case(plan: &Plan, case: &CaseTable) -> Result<(), PlanError> {
    not_empty(plan, &case.workload, "the name of the workload")?;
    if case.throughput && (case.input.is_none() || !case.measure.is_time()) {
        return Err(plan.at(&case.workload, "`throughput` needs an `input`, and time as the measure"));
    }
    if let Some((key, _)) = case.params.iter().find(|(_, values)| values.as_slice().is_empty()) {
        let why = format!("the list of `{key}` is empty, so the plan has no case");
        return Err(plan.at(&case.workload, why));
    }
    if case.params.contains_key(EVICT) {
        return Err(plan.at(&case.workload, "`evict` is a key of the case and cannot be a parameter"));
    }
    if let Some(evict) = case.evict.as_ref().filter(|evict| bytes_of(evict.get_ref()).is_none()) {
        let why = format!("evict is \"{}\": it must be a size above 0, such as \"64 MiB\"", evict.get_ref());
        return Err(plan.at(evict, why));
    }
    let Some(title) = &case.title else { return Ok(()) };
    not_empty(plan, title, "the title of the case")?;
    let named: BTreeSet<&str> = placeholders(title.get_ref()).collect();
    if let Some(unknown) = named.iter().find(|key| !case.params.contains_key(**key)) {
        let why = format!("`{{{unknown}}}` in the title stands for no parameter of the case");
        return Err(plan.at(title, why));
    }
    let varies = case.params.iter().find(|(_, values)| values.as_slice().len() > 1);
    match varies.filter(|(key, _)| !named.contains(key.as_str())) {
        None => Ok(()),
        Some((key, _)) => {
            Err(plan.at(title, format!("several cases have this title: write `{{{key}}}` in it")))
        }
    }
}

fn candidate(plan: &Plan, candidate: &CandidateTable) -> Result<(), PlanError> {
    not_empty(plan, &candidate.name, "the name of the candidate")?;
    let lists = candidate.options().into_iter().map(|(key, values)| (key, values.is_empty()));
    let params = candidate.params.iter().map(|(key, values)| (key.as_str(), values.as_slice().is_empty()));
    let labels = candidate.labels.keys().map(|key| (key.as_str(), false));
    let labels: BTreeMap<&str, bool> = labels.chain(params).chain(lists).collect();
    if let Some((key, _)) = labels.iter().find(|(_, is_empty)| **is_empty) {
        let why = format!("the list of `{key}` is empty, so the plan has no candidate");
        return Err(plan.at(&candidate.name, why));
    }
    if let Some(unknown) = placeholders(candidate.name.get_ref()).find(|key| !labels.contains_key(key)) {
        let known = if labels.is_empty() { "no labels".to_owned() } else { listed(labels.keys()) };
        let why = format!("`{{{unknown}}}` in the name stands for no label of the candidate: it has {known}");
        return Err(plan.at(&candidate.name, why));
    }
    let (has_runtime, has_layouts) = (candidate.runtime.is_some(), !candidate.layouts.is_empty());
    let words = candidate.command.as_deref();
    let program = words.map(|words| words.first().map_or("", String::as_str));
    let has_place = words.is_some_and(|words| words.iter().any(|word| word == LAYOUT));
    let can_use_threads = match &candidate.threads {
        None => true,
        Some(Threads::List(list)) => !list.is_empty() && !list.contains(&0),
        Some(Threads::Word(word)) => word == "max",
    };
    let mistakes = [
        (
            has_runtime == words.is_some(),
            "a candidate has either `runtime` (of the plan's program) or `command` (any program)",
        ),
        (program == Some(""), "the command is empty"),
        (candidate.params.contains_key(EVICT), "`evict` is a key of cases and cannot be a parameter"),
        (!has_runtime && candidate.backend.is_some(), "`backend` is for candidates with `runtime`"),
        (!has_runtime && candidate.idle_runtime.is_some(), "`idle-runtime` is for candidates with `runtime`"),
        (has_runtime && has_layouts, "`layouts` is for candidates with `command`"),
        (has_runtime && candidate.copy, "`copy` is for candidates with `command`"),
        (
            candidate.copy && !has_layouts && program.is_some_and(|program| !program.contains('/')),
            "`copy` is for a program of its own by its path, such as `./work`, not for `{program}`",
        ),
        (
            has_layouts && program == Some(PROGRAM) && !has_place,
            "`layouts` take the place of `{layout}` in `command`, or of its first word, which cannot be `{program}` then",
        ),
        (candidate.layouts.iter().any(String::is_empty), "a path in `layouts` is empty"),
        (!can_use_threads, "`threads` of a candidate is a list of numbers from 1, or \"max\""),
    ];
    if let Some((_, why)) = mistakes.into_iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(plan.at(&candidate.name, why));
    }
    if (1..MIN_LAYOUTS).contains(&candidate.layouts.len()) {
        let why = format!(
            "`layouts` has {}: an interval needs at least {MIN_LAYOUTS}, because blocks with the same layout count \
             once",
            candidate.layouts.len()
        );
        return Err(plan.at(&candidate.name, why));
    }
    let divides = |percent: f64| ((100.0 / percent).round() * percent - 100.0).abs() < 1e-9;
    match &candidate.extra_percent {
        Some(extra) if !(0.1..=100.0).contains(extra.get_ref()) || !divides(*extra.get_ref()) => {
            let why = "`extra-percent` is from 0.1 to 100 and divides 100, as 0.5 or 2, so that it is exact";
            Err(plan.at(extra, why))
        }
        _ => Ok(()),
    }
}

fn questions(plan: &Plan, questions: &[QuestionPositions]) -> Result<(), PlanError> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for candidate in matrix::candidates(plan)? {
        values.entry("candidate".to_owned()).or_default().insert(candidate.name);
        for (key, value) in candidate.labels {
            values.entry(key).or_default().insert(value);
        }
    }
    let mut measures = plan.file.case.iter().map(|case| &case.measure);
    let first = measures.next();
    if !questions.is_empty() && measures.any(|other| Some(other) != first) {
        let why = "a question needs cases that all have the same `measure`: make two plans of this one";
        return Err(plan.at_key("measure", why));
    }
    for (question, positions) in plan.file.question.iter().zip(questions) {
        not_empty(plan, &positions.ask, "the text of the question")?;
        let in_question = |why: String| format!("in the question '{}': {why}", question.ask);
        if question.at_most.is_some_and(|most| !(0.01..=100.0).contains(&most)) {
            let why = in_question("`at-most` is a ratio from 0.01 to 100, as 1.005".to_owned());
            return Err(plan.at_key("at-most", why));
        }
        for (key, value) in positions.from.iter().chain(&positions.to) {
            side(&values, key, value.get_ref()).map_err(|why| plan.at(value, in_question(why)))?;
        }
        let of_cases = plan.file.case.iter().flat_map(|case| case.params.keys());
        let known: BTreeSet<&str> = values.keys().chain(of_cases).map(String::as_str).chain(ALWAYS).collect();
        if let Some(only) = positions.only.iter().find(|only| !known.contains(only.get_ref().key())) {
            let key = only.get_ref().key();
            let why =
                format!("`{key}` is neither a label nor a parameter of this plan: it has {}", listed(known));
            return Err(plan.at(only, in_question(why)));
        }
    }
    Ok(())
}

/// Checks a label of a side of a question against its values among the candidates.
fn side(values: &BTreeMap<String, BTreeSet<String>>, key: &str, value: &str) -> Result<(), String> {
    match (key, values.get(key)) {
        ("threads", _) if value.parse::<usize>().is_ok_and(|threads| threads > 0) => Ok(()),
        ("threads", _) => Err(format!("threads = \"{value}\" is not a number from 1")),
        (_, Some(known)) if known.contains(value) => Ok(()),
        ("candidate", Some(known)) => {
            Err(format!("no candidate is called `{value}`: there are {}", listed(known)))
        }
        (_, Some(known)) => {
            let known = listed(known);
            Err(format!("no candidate has the label {key} = \"{value}\": its values are {known}"))
        }
        (_, None) => {
            let known = listed(values.keys().map(String::as_str).chain(["threads"]));
            Err(format!("no candidate has a label `{key}`: there are {known}"))
        }
    }
}

/// Returns the texts between `{` and the next `}`.
fn placeholders(name: &str) -> impl Iterator<Item = &str> {
    name.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(placeholder, _)| placeholder)
}

/// Reads a command, which is a list of words. A text gets an error that shows the list.
pub(super) fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a list of texts: the program and then each argument")]
    enum Words {
        List(Vec<String>),
        Text(String),
    }
    let text = match Words::deserialize(deserializer)? {
        Words::List(words) => return Ok(Some(words)),
        Words::Text(text) => text,
    };
    let words: Vec<String> =
        text.split_whitespace().map(|word| toml::Value::from(word).to_string()).collect();
    let shown = if words.is_empty() { "\"program\", \"argument\"".to_owned() } else { words.join(", ") };
    Err(D::Error::custom(format!(
        "a command is a list, the program and then each argument, and no shell splits it: write command = [{shown}]"
    )))
}
