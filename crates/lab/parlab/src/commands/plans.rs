//! `plans`: the plans that a program has built in, and the cases of a plan on this machine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use parcrypt_lab::plan::{CasePlan, Choices, Plan};
use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{Printed, paragraph};
use serde_json::{Value, json};

use crate::commands::bench::{self, Loaded};
use crate::program::Program;

/// Show the plans of a program, or the cases of a plan with their candidates
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  parlab plans plan.toml      the cases and candidates of a plan on this machine

Plans of a program: `parlab plans --program parcrypt`, and `parlab plans --program parcrypt quick`.")]
pub(crate) struct Arguments {
    /// Plan: path of a file or, with --program, a name
    #[arg(value_name = "PLAN", required_unless_present = "program")]
    plan: Option<String>,
    /// Program with plans of its own, by name or path, such as parcrypt
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the plans of a program, or the cases of one.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::run("without an answer", || shown(arguments).map(|()| 0))
}

fn shown(arguments: &Arguments) -> Result<(), CommandError> {
    let (text, json) = match (&arguments.plan, &arguments.program) {
        (None, Some(program)) => all(&Program::named(program, Path::new("."))?),
        (plan, program) => {
            let names: Vec<String> = plan.iter().cloned().collect();
            let loaded = bench::load(&names, program.as_deref(), &Choices::default())?;
            loaded.first().map_or_else(|| (String::new(), Value::Null), one)
        }
    };
    match arguments.json {
        true => Printed::Json(&(serde_json::to_string_pretty(&json)? + "\n")).write(),
        false => Printed::Plain(&text).write(),
    }
}

/// Returns the plans of a program, with their titles.
fn all(program: &Program) -> (String, Value) {
    let title = |text: &str| {
        let plan = Plan::parse(Path::new("built-in"), PathBuf::from("."), text.to_owned());
        plan.map_or_else(|e| format!("not usable: {e}"), |plan| plan.title().to_owned())
    };
    if program.description.plans.is_empty() {
        return (format!("{} has no plan of its own\n", program.name()), json!([]));
    }
    let plans = program.description.plans.iter();
    let titles: Vec<(&String, String)> = plans.map(|plan| (&plan.name, title(&plan.text))).collect();
    let json = titles.iter().map(|(name, title)| json!({ "name": name, "title": title })).collect();
    (titles.iter().map(|(name, title)| paragraph(name, title)).collect(), json)
}

/// Returns a plan with its cases.
fn one(loaded: &Loaded) -> (String, Value) {
    let Loaded { plan, matrix, .. } = loaded;
    let mut text = "Plan\n".to_owned() + &paragraph(&plan.name, plan.title());
    text += "\nCases, each with its candidates and their numbers of threads\n";
    for case in &matrix.cases {
        text += &format!("  {}\n", case.name());
        for (name, threads) in candidates(case) {
            let threads = threads.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            text += &paragraph("", &format!("{name}: {threads}"));
        }
    }
    let candidate = |(name, threads): (&str, Vec<usize>)| json!({ "name": name, "threads": threads });
    let case = |case: &CasePlan| {
        json!({
            "name": case.name(),
            "workload": case.workload,
            "params": case.params,
            "candidates": candidates(case).into_iter().map(candidate).collect::<Vec<_>>(),
        })
    };
    let json = json!({
        "name": plan.name,
        "title": plan.title(),
        "rounds": matrix.length.rounds,
        "seconds": matrix.length.case.as_secs_f64(),
        "cases": matrix.cases.iter().map(case).collect::<Vec<_>>(),
    });
    (text, json)
}

/// Returns the numbers of threads of each candidate of a case, in the order of the plan.
fn candidates(case: &CasePlan) -> Vec<(&str, Vec<usize>)> {
    let mut found: Vec<(&str, Vec<usize>)> = Vec::new();
    for entry in &case.entries {
        match found.iter_mut().find(|(name, _)| *name == entry.candidate) {
            Some((_, threads)) => threads.push(entry.threads),
            None => found.push((&entry.candidate, vec![entry.threads])),
        }
    }
    found
}
