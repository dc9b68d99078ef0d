//! `generate`: the manual pages of a program, and its completions for shells, as files to install.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::error::{CommandError, fail};

/// Shells with completions.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Write the manual pages, and the completions for bash, zsh and fish, into a folder
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder, created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the files of a program.
pub fn run(arguments: &Arguments, command: clap::Command) -> ExitCode {
    write(&arguments.folder, command).map_or_else(fail, |()| ExitCode::SUCCESS)
}

fn write(folder: &Path, mut command: clap::Command) -> Result<(), CommandError> {
    let failed = |e: std::io::Error| CommandError::new(format!("{}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command.clone(), folder).map_err(failed)?;
    let name = command.get_name().to_owned();
    for file in std::fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let ours = stem.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        if ours && path.extension() == Some(OsStr::new("1")) {
            let page = std::fs::read_to_string(&path).map_err(failed)?;
            std::fs::write(&path, unfilled(&page)).map_err(failed)?;
        }
    }
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut command, &name, folder).map_err(failed)?;
    }
    Ok(())
}

/// Returns a manual page whose indented lines, which are examples, are neither broken nor stretched.
fn unfilled(page: &str) -> String {
    let mut out = String::with_capacity(page.len() + 64);
    let mut inside = false;
    for line in page.lines() {
        let example = line.starts_with("  ");
        if example != inside {
            out += if example { ".nf\n" } else { ".fi\n" };
            inside = example;
        }
        out += line;
        out.push('\n');
    }
    out + if inside { ".fi\n" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_a_page_are_not_filled() {
        assert_eq!(unfilled("a\n  b\n  c\nd\n  e\n"), "a\n.nf\n  b\n  c\n.fi\nd\n.nf\n  e\n.fi\n");
        assert_eq!(unfilled(".SH NAME\n"), ".SH NAME\n");
    }
}
