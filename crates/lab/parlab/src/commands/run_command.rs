//! `run-command`: a whole command as a candidate of `compare`.

use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::command::{CommandWorker, Quantity, Reading, WholeCommand, is_asked_to_list, list};

use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::text::shown;

/// Name of this command.
pub(crate) const NAME: &str = "run-command";

/// Run a whole command as a candidate of `compare`, which starts it
#[derive(Clone, Debug, PartialEq, Eq, Args)]
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
pub(crate) fn run(arguments: Arguments) -> ExitCode {
    let command = command(arguments);
    let is_suite = matches!(command.quantity, Quantity::OwnTime(Reading { suite: Some(_), .. }));
    if is_suite && is_asked_to_list() {
        return match list(&command, &mut std::io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(error),
        };
    }
    parcrypt_protocol::run(&mut CommandWorker::new(command))
}

fn command(arguments: Arguments) -> WholeCommand {
    WholeCommand { words: arguments.words, ..arguments.settings }
}

/// Returns the words after the program's name with which it runs a command as a candidate: those that [`Arguments`]
/// reads.
///
/// # Errors
/// The path of a folder is not UTF-8.
pub(crate) fn words(command: &WholeCommand) -> Result<Vec<String>, CommandError> {
    let suite = match &command.quantity {
        Quantity::OwnTime(reading) => reading.suite.as_ref(),
        _ => None,
    };
    if let Some(folder) = command.folder.iter().chain(suite).find(|folder| folder.to_str().is_none()) {
        let why = "its path is not UTF-8, as a word of a plan has to be";
        return Err(CommandError::new(format!("the folder {}: {why}", shown(folder))));
    }
    let by_default = serde_json::to_value(WholeCommand::default())?;
    let mut settings = serde_json::to_value(command)?;
    settings.as_object_mut().into_iter().for_each(|all| all.retain(|key, value| *value != by_default[key]));
    let settings = (settings != serde_json::json!({})).then(|| settings.to_string());
    let words = [NAME.to_owned()].into_iter().chain(settings).chain(["--".to_owned()]);
    Ok(words.chain(command.words.iter().cloned()).collect())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::Parser;
    use parcrypt_lab::command::Format;

    use super::*;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(subcommand)]
        command: Subcommand,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Subcommand {
        RunCommand(Arguments),
    }

    #[test]
    fn a_command_is_its_arguments_again() {
        let text = |text: &str| Some(text.to_owned());
        let all = WholeCommand {
            words: ["sort", "--", "-n", ""].map(str::to_owned).into(),
            shell: Some(["my shell", "-e"].map(str::to_owned).into()),
            prepare: text("--x"),
            conclude: text(""),
            input: text("-"),
            folder: Some("a b".into()),
            ignore_exit_code: true,
            same_output: true,
            memory: true,
            quantity: Quantity::Instructions,
        };
        let reading =
            Reading { format: Format::Divan, benchmark: text("--f/{n}"), suite: Some("a b".into()) };
        let reads = WholeCommand { quantity: Quantity::OwnTime(reading), ..all.clone() };
        let least = WholeCommand { words: vec!["--help".to_owned()], ..WholeCommand::default() };
        assert_eq!(words(&least).unwrap(), [NAME, "--", "--help"]);
        for whole in [all, reads, least] {
            let line = std::iter::once("parlab".to_owned()).chain(words(&whole).unwrap());
            let Subcommand::RunCommand(arguments) = Program::try_parse_from(line).unwrap().command;
            assert_eq!(command(arguments), whole);
        }
    }

    #[test]
    fn a_folder_of_other_bytes_is_an_error() {
        let folder =
            PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/tmp/\xff"));
        let refused = words(&WholeCommand { folder: Some(folder), ..WholeCommand::default() }).unwrap_err();
        assert!(refused.to_string().ends_with("is not UTF-8, as a word of a plan has to be"), "{refused}");
    }
}
