//! Programs and scripts that have a suite, as commands: each benchmark is run by the filter of its format.

use std::collections::BTreeMap;
use std::path::Path;

use parcrypt_lab::command::{Format, Reading, words};
use parcrypt_terminal::error::CommandError;

use super::cargo::Built;
use super::found::Found;
use super::{Arguments, trees};
use crate::commands::compare::without_shell;
use crate::commands::run_command;

/// Returns the benchmarks of the commands of two revisions, which are built, or of two commands.
pub(super) fn found(format: Format, arguments: &Arguments, temporary: &Path) -> Result<Found, CommandError> {
    let reading = Reading { format, benchmark: None, suite: Some(temporary.to_owned()) };
    let programs = |tree: Option<&Path>, texts: &[String]| -> Result<Vec<Built>, CommandError> {
        // Two commands are compared with each other, so they have one name.
        let name = |text: &str| format!("/{}", if tree.is_some() { text } else { "command" });
        let one = |text: &String| {
            let words = without_shell(text, "write sh -c '…'")?;
            Ok(Built::new(name(text), Ok(run_command::program(words, reading.clone(), tree)?)))
        };
        texts.iter().map(one).collect()
    };
    let wrong = |why: &str| Err(CommandError::new(why));
    let commands = &arguments.commands;
    let (names, programs, trees) = match (&commands[..], &arguments.revisions[..]) {
        ([_, _], []) if arguments.build.is_some() => {
            return wrong(
                "--build: it builds revisions, and two commands are compared without any: give one, or --rev",
            );
        }
        ([old, new], []) => {
            (names(old, new)?, [programs(None, &commands[..1])?, programs(None, &commands[1..])?], None)
        }
        ([_, _, ..], [] | [_]) => {
            return wrong(
                "--cmd: two commands are compared with each other, and others in two revisions (--rev)",
            );
        }
        (_, revisions) => {
            let trees = trees(revisions)?;
            if let Some(build) = &arguments.build {
                trees.build(build, &BTreeMap::new())?;
            }
            let of = |side: usize| programs(Some(&trees.trees[side].folder), commands);
            let names = [0, 1].map(|side| trees.trees[side].name.clone());
            (names, [of(0)?, of(1)?], Some(trees))
        }
    };
    Found::list(names, &programs, trees, temporary, arguments)
}

/// Returns short names of two commands: their programs, if these differ.
fn names(old: &str, new: &str) -> Result<[String; 2], CommandError> {
    let program = |text: &str| {
        let word = words(text)?.into_iter().find(|word| !word.contains('=')).unwrap_or_default();
        let file = Path::new(&word).file_name().map(|name| name.to_string_lossy().into_owned());
        Ok::<_, CommandError>(file.unwrap_or(word))
    };
    let programs = [program(old)?, program(new)?];
    Ok(match programs[0] == programs[1] {
        false => programs,
        true if old == new => [old.to_owned(), format!("{new} again")],
        true => [old.to_owned(), new.to_owned()],
    })
}
