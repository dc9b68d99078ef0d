//! Why a command failed, for the user.

use std::path::PathBuf;
use std::time::Duration;

use parcrypt_lab::record::{Failure, FailureKind};
use parcrypt_report::head_and_tail;
use parcrypt_terminal::text::{on_one_line, quoted, shown};

/// What messages about failed commands say besides.
#[derive(Clone, Debug, Default)]
pub(super) struct About {
    /// Time limit of a run.
    pub(super) limit: Option<Duration>,
    /// Names of the commands that run in work trees, and their folders there.
    pub(super) trees: Vec<(String, PathBuf)>,
}

/// Returns why a command failed, with the last lines of its standard error and the work tree in which it ran; `None`
/// if outputs differ, which is shown with them in the end.
pub(super) fn explained(command: &str, failure: &Failure, about: &About) -> Option<String> {
    let mut lines = head_and_tail(&failure.stderr);
    // What runs the command names it and how it ended, after all that the command wrote.
    let reason = lines.pop_if(|last| failure.kind == FailureKind::Crash && last.starts_with("error: "));
    let why = match (failure.kind, reason) {
        (FailureKind::WrongDigest, _) => return None,
        (_, Some(reason)) => {
            let reason = reason.trim_start_matches("error: ");
            let of_command = reason.starts_with(&format!("`{command}` ended with exit code"));
            let hint = if of_command { " (use --ignore-exit-code to measure it anyway)" } else { "" };
            format!("{reason}{hint}")
        }
        (FailureKind::Timeout, _) => {
            let limit = about.limit.map_or(0, |limit| limit.as_secs_f64().ceil() as u64);
            format!("`{command}` was still running after {limit} s and was ended; --timeout sets the limit")
        }
        _ => format!("{command}: {}", failure.why),
    };
    // A name with parameters after it is the command's.
    let tree = about.trees.iter().rev().find(|(name, _)| command.starts_with(name.as_str()));
    let place = tree.map_or(String::new(), |(name, folder)| {
        format!(
            "\n  It ran in the work tree of {}, {}, which has only the committed files: name others by absolute paths.",
            on_one_line(name),
            shown(folder)
        )
    });
    Some(on_one_line(&why) + &quoted(&lines) + &place)
}
