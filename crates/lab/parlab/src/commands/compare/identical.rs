//! Commands that run the same program, byte for byte, with the same arguments: one is measured for all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parcrypt_lab::command::WholeCommand;
use parcrypt_lab::plan::Matrix;
use parcrypt_lab::record::{Entry, Record};
use parcrypt_terminal::text::{on_one_line, tell};

use super::compared::Commands;

/// Takes the commands out of a matrix that run the same program as the baseline or as one before them, and tells that.
/// Returns their names, each with the name of the command whose runs are its own too.
pub(super) fn take(commands: &Commands, matrix: &mut Matrix) -> BTreeMap<String, String> {
    let mut same = BTreeMap::new();
    let (list, baseline) = (&commands.commands, commands.comparison.baseline);
    for (at, command) in list.iter().enumerate().filter(|(at, _)| *at != baseline) {
        let mut others = std::iter::once(&list[baseline]).chain(&list[..at]);
        let Some(other) = others.find(|other| is_same(&command.whole, &other.whole)) else { continue };
        tell(&format!(
            "note: identical programs: {} and {} run the same bytes with the same arguments, so only one is measured; files \
             that they read by themselves may differ (--control measures both)",
            on_one_line(&other.name),
            on_one_line(&command.name)
        ));
        same.insert(command.name.clone(), other.name.clone());
    }
    for case in &mut matrix.cases {
        let baseline = case.entries[case.baseline].candidate.clone();
        case.entries.retain(|entry| !entry.labels.values().any(|name| same.contains_key(name)));
        case.baseline = case.entries.iter().position(|entry| entry.candidate == baseline).unwrap_or(0);
    }
    same
}

/// Gives the entries that were taken out of a whole matrix the runs of the command that was measured for them.
pub(super) fn give_back(same: &BTreeMap<String, String>, whole: &Matrix, record: &mut Record) {
    for (case, plan) in record.cases.iter_mut().zip(&whole.cases) {
        for (at, plan) in plan.entries.iter().enumerate() {
            let Some(measured) = plan.labels.values().find_map(|name| same.get(name)) else { continue };
            let runs_it = |entry: &&Entry| entry.labels.values().any(|name| name == measured);
            let Some(mut entry) = case.entries.iter().find(runs_it).cloned() else { continue };
            entry.candidate.clone_from(&plan.candidate);
            entry.labels.clone_from(&plan.labels);
            // The first word is this program.
            entry.command.splice(1.., plan.command.iter().skip(1).cloned());
            case.entries.insert(at, entry);
        }
        case.baseline = plan.baseline;
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
