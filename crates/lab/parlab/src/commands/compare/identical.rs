//! Commands that run the same program, byte for byte, with the same arguments: one is measured for all of them.

use std::path::{Path, PathBuf};

use parcrypt_lab::command::WholeCommand;
use parcrypt_lab::plan::{EntryPlan, Matrix};
use parcrypt_lab::record::Record;
use parcrypt_terminal::text::{on_one_line, tell};

use super::compared::Commands;

/// An entry that is not measured: its case, its place there, and the name of the command whose runs are its own too.
#[derive(Debug)]
pub(super) struct Identical {
    case: usize,
    at: usize,
    plan: EntryPlan,
    measured: String,
}

/// Takes the commands out of a matrix that run the same program as the baseline or as one before them, and tells that.
pub(super) fn take(commands: &Commands, matrix: &mut Matrix) -> Vec<Identical> {
    let mut all = Vec::new();
    let (list, baseline) = (&commands.commands, commands.baseline());
    for (at, command) in list.iter().enumerate().filter(|(at, _)| *at != baseline) {
        let others = std::iter::once(&list[baseline]).chain(&list[..at]);
        let Some(same) = others.into_iter().find(|other| is_same(&command.whole, &other.whole)) else {
            continue;
        };
        tell(&format!(
            "note: identical programs: {} and {} run the same bytes with the same arguments, so only one is measured; files \
             that they read by themselves may differ (--control measures both)",
            on_one_line(&same.name),
            on_one_line(&command.name)
        ));
        for (number, case) in matrix.cases.iter_mut().enumerate() {
            let is_it = |entry: &EntryPlan| entry.labels.values().any(|name| *name == command.name);
            let Some(at) = case.entries.iter().position(is_it) else { continue };
            let plan = case.entries.remove(at);
            case.baseline -= usize::from(at < case.baseline);
            all.push(Identical { case: number, at, plan, measured: same.name.clone() });
        }
    }
    all
}

/// Gives the entries that were taken out the runs of the command that was measured for them.
pub(super) fn give_back(all: &[Identical], record: &mut Record) {
    for Identical { case, at, plan, measured } in all.iter().rev() {
        let Some(case) = record.cases.get_mut(*case) else { continue };
        let runs_it =
            |entry: &&parcrypt_lab::record::Entry| entry.labels.values().any(|name| name == measured);
        let Some(mut entry) = case.entries.iter().find(runs_it).cloned() else { continue };
        entry.candidate.clone_from(&plan.candidate);
        entry.labels.clone_from(&plan.labels);
        // The first word is this program.
        entry.command.splice(1.., plan.command.iter().skip(1).cloned());
        case.entries.insert(*at, entry);
        case.baseline += usize::from(*at <= case.baseline);
    }
}

/// Returns whether two commands are known to do the same.
fn is_same(a: &WholeCommand, b: &WholeCommand) -> bool {
    let (Some(one), Some(other)) = (program(a), program(b)) else { return false };
    let without = |whole: &WholeCommand| {
        let mut others = WholeCommand { folder: None, ..whole.clone() };
        others.words.remove(whole.program());
        others
    };
    // The same text was given on purpose; a program may go by its name.
    if a == b || without(a) != without(b) || one.file_name() != other.file_name() {
        return false;
    }
    let (Ok(one), Ok(other)) = (std::fs::read(one), std::fs::read(other)) else { return false };
    // A script may run others next to it, as a program may load libraries.
    let is_alone = one.contains(&0) && !one.windows(7).any(|bytes| bytes == b"$ORIGIN");
    one == other && is_alone
}

/// Returns the program of a command, unless it cannot be said without running it what it does.
fn program(whole: &WholeCommand) -> Option<PathBuf> {
    let (at, folder) = (whole.program(), whole.folder.as_deref().unwrap_or(Path::new("")));
    let word = whole.words.get(at).filter(|word| word.contains('/') && whole.shell.is_none())?;
    // Work trees have other files of the same name.
    let may_differ = |word: &String| word.contains('{') || folder.join(word).exists();
    let in_tree = whole.folder.is_some();
    let is_unknown = in_tree && (word.starts_with('/') || whole.words[at + 1..].iter().any(may_differ));
    (!is_unknown).then(|| folder.join(word))
}
