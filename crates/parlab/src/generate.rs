//! `generate`: the manual pages of a program, and its completions for shells, as files to install.

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
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut command, &name, folder).map_err(failed)?;
    }
    Ok(())
}
