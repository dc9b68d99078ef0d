//! Checks of a plan that need neither a machine nor kernels: names, titles, placeholders and labels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use toml::Spanned;

use super::{CandidateTable, Plan, PlanError};
use crate::condition::Condition;

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
const ALWAYS: [&str; 3] = ["candidate", "threads", "workload"];

/// Checks the texts of a plan that was parsed.
pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    let syntax = |source| PlanError::Syntax { path: plan.path.clone(), source: Box::new(source) };
    let positions: Positions = toml::from_str(&plan.text).map_err(syntax)?;
    let not_empty = |text: &Spanned<String>, what: &str| match text.get_ref().trim() {
        "" => Err(plan.at(text, format!("{what} is empty"))),
        _ => Ok(()),
    };
    not_empty(&positions.title, "the title")?;
    for case in &plan.file.case {
        not_empty(&case.workload, "the name of the workload")?;
        if let Some((key, _)) = case.params.iter().find(|(_, values)| values.as_slice().is_empty()) {
            return Err(
                plan.at(&case.workload, format!("the list of `{key}` is empty, so the plan has no case"))
            );
        }
        if let Some(title) = &case.title {
            not_empty(title, "the title of the case")?;
            let named: BTreeSet<&str> = placeholders(title.get_ref()).collect();
            if let Some(unknown) = named.iter().find(|key| !case.params.contains_key(**key)) {
                let why = format!("`{{{unknown}}}` in the title stands for no parameter of the case");
                return Err(plan.at(title, why));
            }
            let varies = case.params.iter().find(|(_, values)| values.as_slice().len() > 1);
            if let Some((key, _)) = varies.filter(|(key, _)| !named.contains(key.as_str())) {
                let why = format!("several cases have this title: write `{{{key}}}` in it");
                return Err(plan.at(title, why));
            }
        }
    }
    for candidate in &plan.file.candidate {
        not_empty(&candidate.name, "the name of the candidate")?;
        let labels = label_values(candidate);
        if let Some((key, _)) = labels.iter().find(|(_, values)| values.is_empty()) {
            let why = format!("the list of `{key}` is empty, so the plan has no candidate");
            return Err(plan.at(&candidate.name, why));
        }
        for placeholder in placeholders(candidate.name.get_ref()) {
            if !labels.contains_key(placeholder) {
                let known = match labels.is_empty() {
                    true => "it has no labels".to_owned(),
                    false => format!("it has {}", listed(labels.keys())),
                };
                let why =
                    format!("`{{{placeholder}}}` in the name stands for no label of the candidate: {known}");
                return Err(plan.at(&candidate.name, why));
            }
        }
    }
    let mut labels: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for candidate in &plan.file.candidate {
        for (key, values) in label_values(candidate) {
            labels.entry(key).or_default().extend(values);
        }
    }
    for question in &positions.question {
        not_empty(&question.ask, "the text of the question")?;
        for (key, value) in question.from.iter().chain(&question.to) {
            side(plan, &labels, question.ask.get_ref(), key, value)?;
        }
        for only in &question.only {
            let condition = only.get_ref();
            let of_case = plan.file.case.iter().flat_map(|case| case.params.keys());
            let known: BTreeSet<&str> =
                labels.keys().copied().chain(ALWAYS).chain(of_case.map(String::as_str)).collect();
            if !known.contains(condition.key()) {
                let ask = question.ask.get_ref();
                let why = format!(
                    "in the question '{ask}': `{}` is neither a label nor a parameter of this plan: it has {}",
                    condition.key(),
                    listed(known)
                );
                return Err(plan.at(only, why));
            }
        }
    }
    Ok(())
}

/// Checks one label of one side of a question.
fn side(
    plan: &Plan,
    labels: &BTreeMap<&str, BTreeSet<String>>,
    ask: &str,
    key: &str,
    value: &Spanned<String>,
) -> Result<(), PlanError> {
    let wrong = |why: String| Err(plan.at(value, format!("in the question '{ask}': {why}")));
    let text = value.get_ref();
    match (key, labels.get(key)) {
        ("threads", _) if text.parse::<usize>().is_ok_and(|threads| threads > 0) => Ok(()),
        ("threads", _) => wrong(format!("threads = \"{text}\" is not a number from 1")),
        ("candidate", _) if plan.file.candidate.iter().any(|one| names(one).contains(text)) => Ok(()),
        ("candidate", _) => {
            let known: BTreeSet<String> = plan.file.candidate.iter().flat_map(names).collect();
            wrong(format!("no candidate is called `{text}`: there are {}", listed(&known)))
        }
        (_, Some(values)) if values.contains(text) => Ok(()),
        (_, Some(values)) => {
            wrong(format!("no candidate has the label {key} = \"{text}\": its values are {}", listed(values)))
        }
        (_, None) => {
            let known: Vec<&str> = labels.keys().copied().chain(["candidate", "threads"]).collect();
            wrong(format!("no candidate has a label `{key}`: there are {}", listed(known)))
        }
    }
}

/// Returns the labels of the candidates of a table, each with all its values.
fn label_values(table: &CandidateTable) -> BTreeMap<&str, Vec<String>> {
    let mut labels: BTreeMap<&str, Vec<String>> =
        table.labels.iter().map(|(key, value)| (key.as_str(), vec![value.clone()])).collect();
    let params = table.params.iter().map(|(key, values)| {
        (key.as_str(), values.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>())
    });
    labels.extend(params);
    labels.extend(table.options().into_iter().map(|(key, values)| (key, values.to_vec())));
    labels
}

/// Returns the names of the candidates of a table.
fn names(table: &CandidateTable) -> Vec<String> {
    let name = table.name.get_ref();
    label_values(table).into_iter().fold(vec![name.clone()], |names, (key, values)| {
        let placeholder = format!("{{{key}}}");
        let with = |name: String| match name.contains(&placeholder) {
            true => values.iter().map(|value| name.replace(&placeholder, value)).collect(),
            false => vec![name],
        };
        names.into_iter().flat_map(with).collect()
    })
}

/// Returns the texts between `{` and the next `}`.
fn placeholders(name: &str) -> impl Iterator<Item = &str> {
    name.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(placeholder, _)| placeholder)
}

/// Returns names with commas between them.
pub(super) fn listed<T: fmt::Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    names.join(", ")
}

/// Reads a command, which is a list of words. A text gets an error that shows the list.
pub(super) fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    struct Words;

    impl<'de> Visitor<'de> for Words {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of texts: the program and then each argument")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<String>, E> {
            let words = text.split_whitespace().map(|word| toml::Value::from(word).to_string());
            let words: Vec<String> = words.collect();
            let shown =
                if words.is_empty() { "\"program\", \"argument\"".to_owned() } else { words.join(", ") };
            Err(E::custom(format!(
                "a command is a list, the program and then each argument, and no shell splits it: write command = \
                 [{shown}]"
            )))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
            let mut words = Vec::new();
            while let Some(word) = list.next_element()? {
                words.push(word);
            }
            Ok(words)
        }
    }

    deserializer.deserialize_any(Words).map(Some)
}
