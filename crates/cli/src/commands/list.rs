//! `parcrypt list`: what there is.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use parcrypt_cpu::Backend;
use parcrypt_lab::plan::Plan;
use parcrypt_runtime::{Kind, OpenMp};
use serde_json::{Value, json};

use super::bench::plans::PLANS;
use crate::error::fail;
use crate::text::{paragraph, print};
use crate::workload::Workload;
use crate::workload::params::{self, Effect, Parameter};
use crate::workloads;

/// Show kernels with their parameters, runtimes, backends and built-in plans.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  parcrypt list              all of them
  parcrypt list fft-g1       one kernel, with its input and its answer byte by byte
  parcrypt list --json       all of it for programs")]
pub(crate) struct Arguments {
    /// Show this kernel alone, with its input and its answer byte by byte
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let kernel = match arguments.kernel.as_deref().map(workloads::find).transpose() {
        Ok(kernel) => kernel,
        Err(error) => return fail(error),
    };
    if arguments.json {
        return crate::text::print_json(&kernel.map_or_else(all_as_json, kernel_as_json));
    }
    print(&kernel.map_or_else(all_as_text, kernel_as_text))
}

/// Why a runtime cannot be used here, or nothing.
fn missing(runtime: Kind) -> Option<String> {
    match runtime {
        Kind::Serial | Kind::Rayon => None,
        Kind::OpenMp => OpenMp::library().err().map(|why| why.to_string()),
    }
}

fn titles() -> Vec<(&'static str, String)> {
    let title = |text: &str| {
        let plan = Plan::parse(Path::new("built-in"), PathBuf::from("."), text.to_owned());
        plan.map_or_else(|e| format!("not usable: {e}"), |plan| plan.title().to_owned())
    };
    PLANS.iter().map(|(name, text)| (*name, title(text))).collect()
}

/// What a parameter can be, and what it is where it is left out.
fn choices(p: &Parameter) -> String {
    match &p.kind {
        params::Kind::Number { least, most, default } => {
            let default = default.map_or_else(|| "required".to_owned(), |d| format!("{d} by default"));
            format!("{least} to {most}, {default}")
        }
        params::Kind::Name { of, default } => {
            let mark = |name: &&str| {
                let mark = if Some(*name) == *default { " (default)" } else { "" };
                format!("{name}{mark}")
            };
            of.iter().map(mark).collect::<Vec<_>>().join(" | ")
        }
    }
}

fn backends_text(kernel: &Workload) -> String {
    let name = |b: Backend| if b.is_available() { b.to_string() } else { format!("{b} (not here)") };
    (kernel.backends)().into_iter().map(name).collect::<Vec<_>>().join(", ")
}

fn all_as_text() -> String {
    let mut text = "Kernels (`parcrypt list KERNEL` says more of one)\n".to_owned();
    for kernel in workloads::all() {
        text += &paragraph(kernel.name, kernel.about);
        for p in kernel.params {
            text += &paragraph("", &format!("{}: {}", p.name, choices(p)));
        }
        text += &paragraph("", &format!("backends: {}", backends_text(kernel)));
    }
    text += "\nRuntimes\n";
    for runtime in Kind::ALL {
        text += &paragraph(runtime.name(), &missing(runtime).unwrap_or_else(|| "available".to_owned()));
    }
    text += "\nBackends\n";
    for backend in Backend::ALL {
        let here = if backend.is_available() { "available" } else { "not on this machine" };
        text += &paragraph(backend.name(), here);
    }
    text += "\nPlans (`parcrypt bench PLAN` runs one)\n";
    for (name, title) in titles() {
        text += &paragraph(name, &title);
    }
    text
}

fn kernel_as_text(kernel: &Workload) -> String {
    let mut text = "Workload\n".to_owned();
    text += &paragraph(kernel.name, kernel.about);
    text += "\nParameters\n";
    for p in kernel.params {
        text += &paragraph(p.name, p.about);
        text += &paragraph("", &choices(p));
    }
    text += "\nWork\n";
    text += &paragraph("input", kernel.input);
    text += &paragraph("answer", kernel.answer);
    text += &paragraph("backends", &backends_text(kernel));
    text
}

fn all_as_json() -> Value {
    let runtime = |kind: Kind| {
        let why = missing(kind);
        json!({ "name": kind.name(), "available": why.is_none(), "why": why })
    };
    json!({
        "kernels": workloads::all().map(kernel_as_json).collect::<Vec<_>>(),
        "runtimes": Kind::ALL.map(runtime),
        "backends": Backend::ALL.map(|b| json!({ "name": b.name(), "available": b.is_available() })),
        "plans": titles().iter().map(|(name, title)| json!({ "name": name, "title": title })).collect::<Vec<_>>(),
    })
}

fn kernel_as_json(kernel: &Workload) -> Value {
    let backends: Vec<_> = (kernel.backends)()
        .into_iter()
        .map(|b| json!({ "name": b.name(), "available": b.is_available() }))
        .collect();
    json!({
        "name": kernel.name,
        "about": kernel.about,
        "params": kernel.params.iter().map(parameter_as_json).collect::<Vec<_>>(),
        "input": kernel.input,
        "answer": kernel.answer,
        "backends": backends,
    })
}

fn parameter_as_json(p: &Parameter) -> Value {
    let mut value = json!({
        "name": p.name,
        "about": p.about,
        "changes": match p.effect {
            Effect::Answer => "answer",
            Effect::Way => "way",
        },
        "default": p.default(),
    });
    match &p.kind {
        params::Kind::Number { least, most, .. } => {
            value["least"] = json!(least);
            value["most"] = json!(most);
        }
        params::Kind::Name { of, .. } => value["of"] = json!(of),
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_built_in_plans_can_be_read() {
        for (name, title) in titles() {
            assert!(!title.is_empty() && !title.starts_with("not usable"), "{name}: {title}");
        }
    }
}
