//! `bench --list`: the plans of a program, or the cases of a plan on this machine.

use std::path::{Path, PathBuf};

use parcrypt_lab::plan::Plan;
use parcrypt_terminal::text::paragraph;

use super::Loaded;
use crate::program::Program;

/// Returns the plans of a program, with their titles.
pub(super) fn plans(program: &Program) -> String {
    let title = |text: &str| {
        let plan = Plan::parse(Path::new("built-in"), PathBuf::from("."), text.to_owned());
        plan.map_or_else(|e| format!("not usable: {e}"), |plan| plan.title().to_owned())
    };
    let plans = program.description.plans.iter();
    let lines: String = plans.map(|plan| paragraph(&plan.name, &title(&plan.text))).collect();
    if lines.is_empty() { format!("{} has no plan of its own\n", program.name()) } else { lines }
}

/// Returns a plan with its cases, each with its candidates and their numbers of threads.
pub(super) fn cases(Loaded { plan, matrix, .. }: &Loaded) -> String {
    let mut text = paragraph(&plan.name, plan.title());
    for case in &matrix.cases {
        text += &format!("  {}\n", case.name());
        for entries in case.entries.chunk_by(|a, b| a.candidate == b.candidate) {
            let threads: Vec<String> = entries.iter().map(|entry| entry.threads.to_string()).collect();
            text += &paragraph("", &format!("{}: {}", entries[0].candidate, threads.join(", ")));
        }
    }
    text
}
