//! `check-candidate`: checks whether a program can be a candidate of the lab.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use parcrypt_lab::conformance::{self, Check, CheckResult, ConformanceError, Input, Subject};
use parcrypt_lab::record::Params;
use parcrypt_lab::{Inputs, check_input};
use parcrypt_protocol::Value;
use parcrypt_report::stderr_tail;

use parcrypt_terminal::error::{INTERRUPTED, NEGATIVE, fail};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{Printed, counted, on_one_line, paragraph};

/// Lines of standard error that a failure shows.
const STDERR_LINES: usize = 5;

/// End of the help.
const HELP: &str = "\
The program is started three times, and its whole conversation with the lab is checked. Each failure is printed with \
         the line at fault and the rule of the protocol.

Example, with the candidate that `parlab candidate --template python --out mine` writes:
  parlab check-candidate --param scale=9 --input-bytes 512 -- python3 mine/sum.py

Exit codes: 0 nothing failed, 1 a check failed, 2 nothing could be checked, 130 stopped by Ctrl-C.";

/// Check whether a program can be a candidate: its responses, its output and its times
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// The workload that it is asked to do
    #[arg(long, value_name = "NAME", default_value = "sum")]
    workload: String,
    /// A parameter of the workload, an integer or a string; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, Value)>,
    /// Number of threads or ranks
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    threads: u32,
    /// The input file
    #[arg(long, value_name = "FILE", conflicts_with = "input_bytes")]
    input: Option<PathBuf>,
    /// Size of an input file to generate, in bytes
    #[arg(long, value_name = "N")]
    input_bytes: Option<u64>,
    /// The time limit of each response
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = limit)]
    limit: Duration,
    /// The program with its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// Parses a parameter.
fn param(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_or_else(|_| Value::Text(value.to_owned()), Value::Number);
    Ok((name.to_owned(), value))
}

/// Parses a time limit.
fn limit(text: &str) -> Result<Duration, String> {
    let limit = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if limit.is_zero() { Err("it must be longer than 0 s".to_owned()) } else { Ok(limit) }
}

/// Runs the checks and prints each when it is done.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let input = match (&arguments.input, arguments.input_bytes) {
        (Some(path), _) => Input::File(path.clone()),
        (None, Some(bytes)) => Input::Bytes(bytes),
        (None, None) => Input::None,
    };
    if let Input::File(path) = &input
        && let Err(error) = check_input(path).and_then(|()| std::fs::File::open(path))
    {
        return fail(format_args!("--input {}: {error}", path.display()));
    }
    let subject = Subject {
        command: arguments.command.clone(),
        workload: arguments.workload.clone(),
        params: Params::from_iter(arguments.params.iter().cloned()),
        threads: arguments.threads as usize,
        input,
        limit: arguments.limit,
    };
    interrupt::listen("check without removing its input");
    let inputs = match Inputs::new() {
        Ok(inputs) => inputs,
        Err(error) => return fail(error),
    };
    let (mut counts, mut written) = ([0usize; 4], Ok(()));
    let checked = conformance::check(&subject, &inputs, interrupt::flag(), &mut |check, result| {
        let (kind, text) = lines(check, result);
        counts[kind] += 1;
        if written.is_ok() {
            written = Printed::Plain(&text).write();
        }
    });
    match checked {
        Err(ConformanceError::Interrupted) => return ExitCode::from(INTERRUPTED),
        Err(error) => return fail(error),
        Ok(()) => {}
    }
    let [passed, warnings, failed, unchecked] = counts;
    let summary = format!(
        "\n{passed} passed, {}, {failed} failed, {unchecked} not checked\n",
        counted(warnings, "warning")
    );
    match written.and_then(|()| Printed::Plain(&summary).write()) {
        Err(error) => fail(error),
        Ok(()) if failed > 0 => ExitCode::from(NEGATIVE),
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// Returns the index of the count, and the lines to print.
fn lines(check: Check, result: &CheckResult) -> (usize, String) {
    let (kind, text) = match result {
        CheckResult::Passed(what) => (0, format!("passed: {what}")),
        CheckResult::Warning(what) => (1, format!("warning: {what}")),
        CheckResult::Failed { why, .. } => (2, format!("FAILED: {why}")),
        CheckResult::Unchecked(why) => (3, format!("SKIP: {why}")),
    };
    let mut all = paragraph(check.name(), &on_one_line(&text));
    if let CheckResult::Failed { stderr, .. } = result {
        all += &paragraph("", &format!("right: {}", check.rule()));
        let last = stderr_tail(stderr);
        for line in &last[last.len().saturating_sub(STDERR_LINES)..] {
            all += &paragraph("", &format!("standard error: {}", on_one_line(line)));
        }
    }
    (kind, all)
}
