//! The programs that Cargo would run: Cargo starts this program instead of each, as its `runner`, with the arguments,
//! the folder and the environment that the program would have.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use parcrypt_lab::command::words;
use parcrypt_terminal::error;
use serde::{Deserialize, Serialize};

/// First word for this program as the runner.
const WORD: &str = "started-by-cargo";
/// Set for Cargo to the folder in which a file is written for each program.
const FOLDER: &str = "PARLAB_STARTED";

/// How Cargo starts a program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Started {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// Its working folder.
    pub(super) folder: String,
    /// Its environment, without what is not UTF-8.
    pub(super) env: BTreeMap<String, String>,
}

/// Writes how Cargo starts a program, if this program is its runner; returns the exit code.
pub(crate) fn instead() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let folder = words.next().filter(|word| word == WORD).and_then(|_| std::env::var_os(FOLDER))?;
    let write = || {
        let utf8 = |text: OsString| text.into_string().map_err(|_| std::io::ErrorKind::InvalidFilename);
        let env = std::env::vars_os().filter_map(|(name, value)| Some((utf8(name).ok()?, utf8(value).ok()?)));
        let started = Started {
            words: words.map(utf8).collect::<Result<_, _>>()?,
            folder: utf8(std::env::current_dir()?.into_os_string())?,
            env: env.collect(),
        };
        let file = Path::new(&folder).join(format!("{}.json", std::process::id()));
        std::fs::write(file, serde_json::to_vec(&started)?)
    };
    Some(match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => error::fail(why),
    })
}

/// Makes this program the runner of `cargo bench` for these targets: each program that would run is a file in the
/// folder then.
pub(super) fn set(command: &mut Command, folder: &Path, triples: &BTreeSet<String>) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    command.env(FOLDER, folder);
    let own = std::env::current_exe()?;
    let words = serde_json::json!([own.to_string_lossy(), WORD]);
    for triple in triples {
        command.arg("--config").arg(format!("target.{}.runner={words}", serde_json::json!(triple)));
    }
    Ok(())
}

/// Returns the programs in the folder, with what differs in their environments from this process's, without these
/// variables.
pub(super) fn read(folder: &Path, without: &[String]) -> std::io::Result<Vec<Started>> {
    let one = |entry: std::io::Result<std::fs::DirEntry>| {
        let mut started: Started = serde_json::from_slice(&std::fs::read(entry?.path())?)?;
        started.env.retain(|name, value| {
            let is_same = std::env::var_os(name).is_some_and(|own| own == value.as_str());
            !is_same && !without.contains(name)
        });
        Ok(started)
    };
    std::fs::read_dir(folder)?.map(one).collect()
}

impl Started {
    /// Puts the words of the user's runner before the program, from what `cargo bench --no-run --verbose` wrote.
    pub(super) fn add_runner(&mut self, written: &str) {
        let Some(program) = self.words.first() else { return };
        let lines = written.lines().filter_map(|line| line.trim().strip_prefix("Executable `"));
        let mut commands = lines.filter_map(|line| words(line.strip_suffix('`')?).ok());
        if let Some(mut command) = commands.find(|words| words.contains(program)) {
            command.truncate(command.iter().position(|word| word == program).unwrap_or(0));
            self.words.splice(0..0, command);
        }
    }
}
