//! `parcrypt list`: the workloads, runtimes, backends and plans of this build.

use std::fmt::Display;
use std::process::ExitCode;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Kind, OpenMp};
use serde_json::{Value, json};

use super::machine;
use super::plans::PLANS;
use crate::error::{CommandError, fail};
use crate::text::{WIDTH, cut, paragraph, print, print_json};
use crate::workload::Workload;
use crate::workload::params::{self, Effect, Parameter};
use crate::workloads;

/// Show the workloads, the built-in plans, the runtimes and the backends
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  parcrypt list              all of them, one a line
  parcrypt list fft-g1       a workload: its parameters, backends, and bytes of input and output
  parcrypt list --json       all of it for programs")]
pub(crate) struct Arguments {
    /// Show only this workload, with its parameters, backends, and bytes of input and output
    #[arg(value_name = "WORKLOAD")]
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let Some(name) = &arguments.name else {
        return if arguments.json { print_json(&all_as_json()) } else { print(&all_as_text()) };
    };
    match workloads::find(name) {
        Ok(workload) if arguments.json => print_json(&workload_as_json(workload)),
        Ok(workload) => print(&workload_as_text(workload)),
        Err(_) if PLANS.iter().any(|(plan, _)| plan == name) => fail(CommandError::new(format!(
            "`{name}` is a plan: `parlab bench --program parcrypt --list {name}` shows its cases, `parcrypt bench {name}` runs it"
        ))),
        Err(error) => fail(error),
    }
}

fn missing(runtime: Kind) -> Option<String> {
    match runtime {
        Kind::Serial | Kind::Rayon => None,
        Kind::OpenMp => OpenMp::library().err().map(|why| why.to_string()),
    }
}

fn titles() -> Vec<(&'static str, String)> {
    let title = |text: &str| {
        let plan: toml::Table = text.parse().ok()?;
        Some(plan.get("title")?.as_str()?.to_owned())
    };
    PLANS.iter().map(|(name, text)| (*name, title(text).unwrap_or_default())).collect()
}

fn choices(p: &Parameter) -> String {
    match &p.kind {
        params::Kind::Number { least, most, default } => {
            let default = default.map_or_else(|| "required".to_owned(), |d| format!("{d} by default"));
            format!("{least} to {most}, {default}")
        }
        params::Kind::NumberOf { of, default } => marked(of, *default),
        params::Kind::Name { of, default } => marked(of, *default),
    }
}

fn marked<T: Copy + PartialEq + Display>(of: &[T], default: Option<T>) -> String {
    let mark = |value: &T| format!("{value}{}", if Some(*value) == default { " (default)" } else { "" });
    of.iter().map(mark).collect::<Vec<_>>().join(" | ")
}

fn backends_text(workload: &Workload) -> String {
    let name = |b: Backend| if b.is_available() { b.to_string() } else { format!("{b} (not here)") };
    (workload.backends)(None).into_iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns a line for each name, with as much of its text as fits.
fn lines<'a>(all: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let all: Vec<_> = all.into_iter().collect();
    let column = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 4;
    all.iter()
        .map(|(name, text)| format!("{:<column$}{}\n", format!("  {name}"), cut(text, WIDTH - column)))
        .collect()
}

fn all_as_text() -> String {
    let mut text =
        "Workloads (`parcrypt list NAME` describes one, `parcrypt verify NAME` checks it)\n".to_owned();
    text += &lines(workloads::all().map(|workload| (workload.name, workload.about.to_owned())));
    text += "\nPlans (`parcrypt bench NAME` runs one)\n";
    text += &lines(titles());
    text += "\nRuntimes\n";
    let available = |runtime| missing(runtime).unwrap_or_else(|| "available".to_owned());
    text += &lines(Kind::ALL.map(|runtime| (runtime.name(), available(runtime))));
    text += "\nBackends (`parcrypt doctor --json` says what each needs)\n";
    let [here, absent] = machine::backend_names().map(|names| names.join(", "));
    let rows = [("available", here), ("not here", absent)];
    text + &lines(rows.into_iter().filter(|(_, names)| !names.is_empty()))
}

fn workload_as_text(workload: &Workload) -> String {
    let mut text = "Workload\n".to_owned();
    text += &paragraph(workload.name, workload.about);
    text += "\nParameters\n";
    for p in workload.params {
        text += &paragraph(p.name, p.about);
        text += &paragraph("", &choices(p));
    }
    text += "\nInput and output\n";
    text += &paragraph("input", workload.input);
    text += &paragraph("output", workload.output);
    text += &paragraph("backends", &backends_text(workload));
    text
}

fn all_as_json() -> Value {
    let runtime = |kind: Kind| {
        let why = missing(kind);
        json!({ "name": kind.name(), "available": why.is_none(), "why": why })
    };
    json!({
        "workloads": workloads::all().map(workload_as_json).collect::<Vec<_>>(),
        "runtimes": Kind::ALL.map(runtime),
        "backends": Backend::ALL.map(backend_as_json),
        "plans": titles().iter().map(|(name, title)| json!({ "name": name, "title": title })).collect::<Vec<_>>(),
    })
}

fn backend_as_json(backend: Backend) -> Value {
    json!({ "name": backend.name(), "available": backend.is_available() })
}

fn workload_as_json(workload: &Workload) -> Value {
    json!({
        "name": workload.name,
        "about": workload.about,
        "params": workload.params.iter().map(parameter_as_json).collect::<Vec<_>>(),
        "input": workload.input,
        "output": workload.output,
        "backends": (workload.backends)(None).into_iter().map(backend_as_json).collect::<Vec<_>>(),
    })
}

fn parameter_as_json(p: &Parameter) -> Value {
    let mut value = json!({
        "name": p.name,
        "about": p.about,
        "changes": match p.effect {
            Effect::Output => "output",
            Effect::Way => "way",
        },
        "default": p.default(),
    });
    match &p.kind {
        params::Kind::Number { least, most, .. } => {
            value["least"] = json!(least);
            value["most"] = json!(most);
        }
        params::Kind::NumberOf { of, .. } => value["of"] = json!(of),
        params::Kind::Name { of, .. } => value["of"] = json!(of),
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_has_all_built_in_plans() {
        let reference = include_str!("../../../../docs/reference/commands.md");
        let rows: Vec<&str> = reference
            .lines()
            .skip_while(|line| *line != "| plan | title |")
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        let titles: Vec<String> =
            titles().iter().map(|(name, title)| format!("| `{name}` | {title} |")).collect();
        assert_eq!(rows, titles);
    }
}
