//! `run-command`: a whole command as a candidate of `compare` and `suite`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::command::{CommandWorker, Quantity, Reading, WholeCommand, is_asked_to_list, list};
use parcrypt_lab::plan::PROGRAM;
use parcrypt_lab::suite::Program;

use parcrypt_terminal::error::{CommandError, fail};

/// Name of this command.
pub(crate) const NAME: &str = "run-command";

/// Run a whole command as a candidate of `compare`, which starts it
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Arguments {
    /// How it is run, as JSON
    #[arg(value_name = "SETTINGS", default_value = "{}", value_parser = settings)]
    settings: WholeCommand,
    /// Program and arguments, or one text for the shell
    #[arg(last = true, required = true, value_name = "WORD")]
    words: Vec<String>,
}

fn settings(text: &str) -> Result<WholeCommand, serde_json::Error> {
    serde_json::from_str(text)
}

/// Runs the command at each request of the lab.
pub(crate) fn run(Arguments { settings, words }: Arguments) -> ExitCode {
    let command = WholeCommand { words, ..settings };
    let is_suite = matches!(command.quantity, Quantity::OwnTime(Reading { suite: Some(_), .. }));
    if is_suite && is_asked_to_list() {
        return list(&command, &mut std::io::stdout().lock()).map_or_else(fail, |()| ExitCode::SUCCESS);
    }
    parcrypt_protocol::run(&mut CommandWorker::new(command))
}

/// Returns the arguments with which this program runs a command as a candidate.
pub(crate) fn words(command: &WholeCommand) -> Result<Vec<String>, CommandError> {
    let by_default = serde_json::to_value(WholeCommand::default())?;
    let mut settings = serde_json::to_value(command)?;
    settings.as_object_mut().into_iter().for_each(|all| all.retain(|key, value| *value != by_default[key]));
    let settings = (settings != serde_json::json!({})).then(|| settings.to_string());
    let words = [NAME.to_owned()].into_iter().chain(settings).chain(["--".to_owned()]);
    Ok(words.chain(command.words.iter().cloned()).collect())
}

/// Returns the program of words, whose output is read, in a work tree or the working folder.
pub(crate) fn program(
    words: Vec<String>,
    reading: Reading,
    tree: Option<&Path>,
) -> Result<Program, CommandError> {
    let quantity = Quantity::OwnTime(reading);
    let measure = quantity.measure();
    let folder = tree.map(Path::to_owned);
    // Its own clock does not see that it is forked.
    let whole = WholeCommand { words, folder, quantity, memory: true, ..WholeCommand::default() };
    Ok(Program {
        command: std::iter::once(PROGRAM.to_owned()).chain(self::words(&whole)?).collect(),
        program: 0,
        measure,
        folder: tree.and_then(Path::to_str).unwrap_or(".").to_owned(),
        env: BTreeMap::new(),
        layouts: Vec::new(),
    })
}
