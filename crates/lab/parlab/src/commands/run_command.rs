//! `run-command`: a whole command as a candidate of `compare`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_lab::command::{
    CommandWorker, Counter, ExitCodes, Format, Output, Quantity, Reading, WholeCommand, is_asked_to_list,
    list,
};

use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::text::shown;

/// Name of this command.
pub(crate) const NAME: &str = "run-command";

/// Parses the name of a format.
pub(crate) fn format(name: &str) -> Result<Format, String> {
    let known = || Format::ALL.map(Format::name).join(" or ");
    Format::ALL
        .into_iter()
        .find(|format| format.name() == name)
        .ok_or_else(|| format!("it must be {}", known()))
}

/// Parses the name of a counter.
fn counter(name: &str) -> Result<Counter, String> {
    let known = || Counter::ALL.map(Counter::name).join(", ");
    let found = Counter::ALL.into_iter().find(|counter| counter.name() == name);
    found.ok_or_else(|| format!("it must be one of {}", known()))
}

/// Run a whole command as a candidate of `compare`, which starts it
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(hide = true)]
pub(crate) struct Arguments {
    /// Shell that runs the command, as "bash" or "sh -e"
    #[arg(long, value_name = "SHELL", require_equals = true)]
    shell: Option<String>,
    /// Command before each run, not timed
    #[arg(long, value_name = "COMMAND", require_equals = true)]
    prepare: Option<String>,
    /// Command after each run, not timed
    #[arg(long, value_name = "COMMAND", require_equals = true)]
    conclude: Option<String>,
    /// Standard input
    #[arg(long, value_name = "FILE", require_equals = true)]
    input: Option<String>,
    /// Folder in which it runs
    #[arg(long, value_name = "DIR", require_equals = true)]
    folder: Option<PathBuf>,
    /// Allow all exit codes
    #[arg(long)]
    ignore_exit_code: bool,
    /// Digest of standard output and exit code
    #[arg(long)]
    same_output: bool,
    /// What it prints as a benchmark program
    #[arg(long, value_name = "FORMAT", require_equals = true, value_parser = format)]
    reads: Option<Format>,
    /// Name of the benchmark that counts
    #[arg(long, value_name = "NAME", require_equals = true)]
    benchmark: Option<String>,
    /// Folder for what is written of a suite, of which a request names the benchmark
    #[arg(long, value_name = "DIR", require_equals = true)]
    suite: Option<PathBuf>,
    /// What counts in its processes
    #[arg(long, value_name = "COUNTER", require_equals = true, value_parser = counter)]
    counter: Option<Counter>,
    /// Program and arguments, or one text for the shell
    #[arg(last = true, required = true, value_name = "WORD")]
    words: Vec<String>,
}

/// Runs the command at each request of the lab.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let command = match command(arguments) {
        Ok(command) => command,
        Err(error) => return fail(error),
    };
    if arguments.suite.is_some() && is_asked_to_list() {
        return match list(&command, &mut std::io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(error),
        };
    }
    parcrypt_protocol::run(&mut CommandWorker::new(command))
}

fn command(arguments: &Arguments) -> Result<WholeCommand, parcrypt_lab::command::WholeCommandError> {
    Ok(WholeCommand {
        words: arguments.words.clone(),
        shell: arguments.shell.as_deref().map(parcrypt_lab::command::words).transpose()?,
        prepare: arguments.prepare.clone(),
        conclude: arguments.conclude.clone(),
        input: arguments.input.clone(),
        folder: arguments.folder.clone(),
        exit_codes: if arguments.ignore_exit_code { ExitCodes::Any } else { ExitCodes::Zero },
        output: if arguments.same_output { Output::Compare } else { Output::Discard },
        quantity: match (arguments.reads, arguments.counter) {
            (Some(format), _) => {
                let (benchmark, suite) = (arguments.benchmark.clone(), arguments.suite.clone());
                Quantity::OwnTime(Reading { format, benchmark, suite })
            }
            (None, Some(counter)) => Quantity::Count(counter),
            (None, None) => Quantity::Time,
        },
    })
}

/// Returns the words after the program's name with which it runs a command as a candidate: those that [`Arguments`]
/// reads.
///
/// # Errors
/// Its folder is not UTF-8.
pub(crate) fn words(command: &WholeCommand) -> Result<Vec<String>, CommandError> {
    let mut words = vec![NAME.to_owned()];
    let shell = command.shell.as_ref().map(|words| parcrypt_lab::command::join(words));
    let text = |folder: &PathBuf| {
        let why = "its path is not UTF-8, as a word of a plan has to be";
        let not_text = || CommandError::new(format!("the folder {}: {why}", shown(folder)));
        folder.to_str().map(str::to_owned).ok_or_else(not_text)
    };
    let folder = command.folder.as_ref().map(text).transpose()?;
    let (reading, counter) = match &command.quantity {
        Quantity::OwnTime(reading) => (Some(reading), None),
        Quantity::Count(counter) => (None, Some(counter.name().to_owned())),
        Quantity::Time => (None, None),
    };
    let reads = reading.map(|reading| reading.format.name().to_owned());
    let benchmark = reading.and_then(|reading| reading.benchmark.clone());
    let suite = reading.and_then(|reading| reading.suite.as_ref()).map(text).transpose()?;
    let texts = [
        ("shell", &shell),
        ("prepare", &command.prepare),
        ("conclude", &command.conclude),
        ("input", &command.input),
        ("folder", &folder),
        ("reads", &reads),
        ("benchmark", &benchmark),
        ("suite", &suite),
        ("counter", &counter),
    ];
    words.extend(texts.into_iter().filter_map(|(name, text)| Some(format!("--{name}={}", text.as_ref()?))));
    words.extend((command.exit_codes == ExitCodes::Any).then(|| "--ignore-exit-code".to_owned()));
    words.extend((command.output == Output::Compare).then(|| "--same-output".to_owned()));
    words.push("--".to_owned());
    words.extend(command.words.iter().cloned());
    Ok(words)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

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
            exit_codes: ExitCodes::Any,
            output: Output::Compare,
            quantity: Quantity::Count(Counter::BranchMisses),
        };
        let reading =
            Reading { format: Format::Divan, benchmark: text("--f/{n}"), suite: Some("a b".into()) };
        let reads = WholeCommand { quantity: Quantity::OwnTime(reading), ..all.clone() };
        let least = WholeCommand { words: vec!["--help".to_owned()], ..WholeCommand::default() };
        for whole in [all, reads, least] {
            let line = std::iter::once("parcrypt".to_owned()).chain(words(&whole).unwrap());
            let Subcommand::RunCommand(arguments) = Program::try_parse_from(line).unwrap().command;
            assert_eq!(command(&arguments).unwrap(), whole);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_other_bytes_is_an_error() {
        let folder =
            PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/tmp/\xff"));
        let refused = words(&WholeCommand { folder: Some(folder), ..WholeCommand::default() }).unwrap_err();
        assert!(refused.to_string().ends_with("is not UTF-8, as a word of a plan has to be"), "{refused}");
    }
}
