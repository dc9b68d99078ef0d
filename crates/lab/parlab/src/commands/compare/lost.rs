//! Why a command failed, for the user.

use parcrypt_lab::record::{Failure, FailureKind};
use parcrypt_report::head_and_tail;
use parcrypt_terminal::text::{on_one_line, quoted, shown};

use super::compared::Commands;

/// Returns why a command failed, with the first and last lines of its standard error and the work tree in which it ran;
/// `None` if outputs differ, which is shown with them in the end.
pub(super) fn explained(name: &str, failure: &Failure, commands: &Commands) -> Option<String> {
    let mut lines = head_and_tail(&failure.stderr);
    // What runs the command names it and how it ended, after all that the command wrote.
    let reason = lines.pop_if(|last| failure.kind == FailureKind::Crash && last.starts_with("error: "));
    let why = match (failure.kind, reason) {
        (FailureKind::WrongDigest, _) => return None,
        (_, Some(reason)) => {
            let reason = reason.trim_start_matches("error: ");
            let of_command = reason.starts_with(&format!("`{name}` ended with exit code"));
            let hint = if of_command { " (use --ignore-exit-code to measure it anyway)" } else { "" };
            format!("{reason}{hint}")
        }
        (FailureKind::Timeout, _) => {
            let limit = commands.comparison.limit.map_or(0, |limit| limit.as_secs_f64().ceil() as u64);
            format!("`{name}` was still running after {limit} s and was ended; --timeout sets the limit")
        }
        (FailureKind::Unsupported, _) if commands.commands.len() > 1 && !name.contains(' ') => {
            format!("{}; quote each command with its arguments", failure.why)
        }
        _ => format!("{name}: {}", failure.why),
    };
    // A name with parameters after it is the command's.
    let command = commands.commands.iter().rev().find(|command| name.starts_with(&command.name));
    let place = command.and_then(|command| {
        let (tree, folder) = (on_one_line(&command.name), shown(command.whole.folder.as_deref()?));
        let has = "which has only the committed files: name others by absolute paths";
        Some(format!("\n  It ran in the work tree of {tree}, {folder}, {has}."))
    });
    Some(on_one_line(&why) + &quoted(&lines) + &place.unwrap_or_default())
}
