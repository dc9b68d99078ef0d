//! Programs and scripts that have a suite, as commands: each benchmark is run by the filter of its format.

use std::collections::BTreeMap;
use std::path::Path;

use parcrypt_lab::command::{Format, Quantity, Reading, WholeCommand, words};
use parcrypt_lab::plan::PROGRAM;
use parcrypt_lab::suite::Program;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::shown;

use super::cargo::Built;
use super::found::{Found, Sides};
use super::{Arguments, trees};
use crate::commands::compare::without_shell;
use crate::commands::run_command;

/// Returns the benchmarks of the commands of two revisions, which are built, or of two commands.
///
/// # Errors
/// Commands and revisions that do not fit each other; a command that cannot be split into words; a build that fails;
/// Ctrl-C.
pub(super) fn found(format: Format, arguments: &Arguments, temporary: &Path) -> Result<Found, CommandError> {
    // Before minutes of building are lost.
    arguments.processors()?;
    let reading = Reading { format, benchmark: None, suite: Some(temporary.to_owned()) };
    let programs = |tree: Option<&Path>, texts: &[String]| -> Result<Vec<Built>, CommandError> {
        // Two commands are compared with each other, so they have one name.
        let name = |text: &str| format!("/{}", if tree.is_some() { text } else { "command" });
        let one = |text: &String| {
            let words = without_shell(text, "write sh -c '…'")?;
            Ok(Built { name: name(text), state: Ok(program(words, reading.clone(), tree)?), counting: None })
        };
        texts.iter().map(one).collect()
    };
    let commands = &arguments.commands;
    let sides = match (&commands[..], &arguments.revisions[..]) {
        ([_, _], []) if arguments.build.is_some() => {
            let why = "it builds revisions, and two commands are compared without any: give one, or --rev";
            return Err(CommandError::new(format!("--build: {why}")));
        }
        ([old, new], []) => Sides {
            names: names(old, new)?,
            programs: [programs(None, &commands[..1])?, programs(None, &commands[1..])?],
            trees: None,
        },
        ([_, _, ..], [] | [_]) => {
            let why = "two commands are compared with each other, and others in two revisions (--rev)";
            return Err(CommandError::new(format!("--cmd: {why}")));
        }
        (_, revisions) => {
            let trees = trees(revisions)?;
            if let Some(build) = &arguments.build {
                trees.build(build, &BTreeMap::new())?;
            }
            let of = |side: usize| programs(Some(&trees.trees[side].folder), commands);
            let names = [0, 1].map(|side| trees.trees[side].name.clone());
            Sides { names, programs: [of(0)?, of(1)?], trees: Some(trees) }
        }
    };
    let mut found = Found::list(sides, arguments)?;
    found.hidden.push((temporary.to_owned(), "temporary".to_owned()));
    Ok(found)
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

/// Returns the program of words, whose output is read, in a work tree or the working folder.
pub(super) fn program(
    words: Vec<String>,
    reading: Reading,
    tree: Option<&Path>,
) -> Result<Program, CommandError> {
    let quantity = Quantity::OwnTime(reading);
    let measure = quantity.measure();
    // Its own clock does not see that it is forked.
    let memory = true;
    let folder = tree.map(Path::to_owned);
    let whole = WholeCommand { words, folder, quantity, memory, ..WholeCommand::default() };
    let here = std::env::current_dir()?;
    let folder = tree.unwrap_or(&here);
    let not_text = || CommandError::new(format!("the folder {}: its path is not UTF-8", shown(folder)));
    Ok(Program {
        command: std::iter::once(PROGRAM.to_owned()).chain(run_command::words(&whole)?).collect(),
        program: 0,
        measure,
        folder: folder.to_str().ok_or_else(not_text)?.to_owned(),
        env: BTreeMap::new(),
        layouts: Vec::new(),
    })
}
