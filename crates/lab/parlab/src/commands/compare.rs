//! `compare`: whole commands, each run from its start to its exit, in turns.
//!
//! Each command becomes a candidate of a plan that is made here, through the hidden command `run-command`; the lab runs
//! it.

mod compared;
mod differences;
mod hooks;
mod identical;
mod lost;
mod unasked;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::error::{ContextKind, ContextValue};
use parcrypt_lab::command::{Format, Quantity, Reading, with_measures};
use parcrypt_lab::plan::{Choices, Matrix, Plan};
use parcrypt_lab::record::{Failure, FailureKind, Measure, PEAK_MEMORY, Record};
use parcrypt_report::Gate;

use crate::layouts;
use crate::revisions::Trees;
use crate::session::{self, Form, Progress, Session, processors, run_time};
use parcrypt_terminal::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::tell;

use compared::Commands;
pub(super) use compared::without_shell;

/// End of the help.
const HELP: &str = "\
Examples:
  parlab compare 'sort -n numbers'
  parlab compare 'sort -n numbers' 'LC_ALL=C sort -n numbers'
  parlab compare --for 2s 'gzip -k -f -1 numbers' 'gzip -k -f -9 numbers'
  parlab compare --shell --for 2s 'sort numbers | uniq' 'sort -u numbers' --same-output
  parlab compare --parameter lines 1000,9000 'head -n {lines} numbers' 'sed {lines}q numbers'
  parlab compare --parameter level 1,9 'gzip -k -f -{level} numbers'
  parlab compare --prepare 'rm -f copy' 'cp numbers copy' 'ln numbers copy'
  parlab compare --input numbers 'wc -l' 'wc -c' --json
  parlab compare 'sort -n numbers' true --fail-if 'slower than 2%'
  parlab compare --rev HEAD~1 --rev HEAD --build 'make tool' -- ./tool \"$PWD/numbers\"

The commands take turns, each run in a process of its own, so that a slow spell of the machine affects them all. The time \
of a run is from before its start to after its exit. 'B is 12.3 % faster than A' means that B takes 12.3 % less time than A.

A command is a program with its arguments, and may begin with NAME=VALUE to set its environment. It runs without a shell: \
pipes, redirections and variables need --shell. Times then include the start of the shell.

Standard output goes to /dev/null, for which GNU grep and tar do less work; with --same-output it goes to a temporary file.

Valgrind's Callgrind, which counts instructions, runs a program about fifty times as slowly; two rounds are enough if the \
count does not vary. Other verdicts need ten rounds.

If no command is beyond the limit of --fail-if, the answer is wrongly yes in at most 1 of 200 comparisons.

Exit codes: 0 measured, and with --fail-if its answer is no; 1 the answer is yes, or with --same-output the output of a \
command differs; 2 a command failed or reached the time limit, an argument or an output file cannot be used; 3 the answer to \
--fail-if is not known: too little time or too few rounds; 130 stopped by Ctrl-C (--cleanup runs; Ctrl-C again stops it).";

/// Compare whole commands: which takes less time, by how much, and how sure that is
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Commands, each as one argument. A single command is only measured; with --parameter it is compared with itself
    /// over the values
    #[arg(value_name = "COMMAND", required = true)]
    commands: Vec<String>,
    /// Revision of the git repository of the working folder; give at least two. The single command, whose words may
    /// follow `--`, runs in a work tree of each revision
    #[arg(long = "rev", value_name = "REVISION")]
    revisions: Vec<String>,
    /// Shell command that builds a revision in its work tree, such as 'cargo build --release'
    #[arg(long, value_name = "COMMAND", requires = "revisions")]
    build: Option<String>,
    /// Link each program in N memory layouts (at least 9), so that luck of code placement does not look like a change;
    /// --build has to call cargo, with a linker such as lld [default: 0, the program as it was built]
    #[arg(long, value_name = "N", value_parser = layouts::number, requires = "build", conflicts_with = "shell")]
    layouts: Option<usize>,
    /// Name of a command in the results; give one for each command
    #[arg(long = "name", short_alias = 'n', alias = "command-name", value_name = "NAME")]
    names: Vec<String>,
    /// Number of the command that the others are compared with, from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    baseline: usize,
    /// Values of a parameter, separated by commas, which replace `{NAME}` in each text; `\,` is a comma in a value.
    /// Each combination is a case
    #[arg(long, short_alias = 'L', alias = "parameter-list", num_args = 2, value_names = ["NAME", "VALUES"], action = clap::ArgAction::Append)]
    parameter: Vec<String>,
    /// Run the commands in a shell: --shell, or --shell='bash -e'
    #[arg(long, value_name = "SHELL", num_args = 0..=1, require_equals = true)]
    shell: Option<Option<String>>,
    /// hyperfine's flag for what is the default here
    #[arg(short = 'N', hide = true, conflicts_with = "shell")]
    no_shell: bool,
    /// What to measure, separated by commas: time, memory (peak memory of a process), instructions (executed in user
    /// mode, counted by Valgrind); with --reads also what the program counts, such as allocations
    #[arg(long, value_name = "QUANTITIES", value_delimiter = ',', value_parser = quantity, default_value = "time")]
    measure: Vec<Measure>,
    /// Compare what the commands, which are benchmark programs, print in this format: criterion (messages of
    /// cargo-criterion), google-benchmark or pytest-benchmark (their JSON), divan, or go
    #[arg(long, value_name = "FORMAT", conflicts_with = "same_output")]
    reads: Option<Format>,
    /// With --reads, name of the benchmark to compare [default: the only one in the output]
    #[arg(long, value_name = "NAME", requires = "reads")]
    benchmark: Option<String>,
    /// Runs of each command before the measurement
    #[arg(long, short_alias = 'w', value_name = "N", default_value_t = 1)]
    warmup: usize,
    /// Shell command before each run, not timed: one for all commands, or once for each
    #[arg(long, short_alias = 'p', value_name = "COMMAND")]
    prepare: Vec<String>,
    /// Shell command after each run, given like --prepare
    #[arg(long, short_alias = 'C', value_name = "COMMAND")]
    conclude: Vec<String>,
    /// Shell command before all runs, in each work tree: one for all commands, or once for each
    #[arg(long, short_alias = 's', value_name = "COMMAND")]
    setup: Vec<String>,
    /// Shell command after all runs, given like --setup
    #[arg(long, short_alias = 'c', value_name = "COMMAND")]
    cleanup: Vec<String>,
    /// Standard input of each run [default: empty]
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Allow exit codes other than 0
    #[arg(long, short_alias = 'i', alias = "ignore-failure")]
    ignore_exit_code: bool,
    /// Fail if standard output or the exit code of a command differs from the others'
    #[arg(long)]
    same_output: bool,
    /// Number of processors for each run; which ones changes from round to round [default: all]
    #[arg(long, value_name = "N", value_parser = processors)]
    processors: Option<usize>,
    /// Time to measure, such as 30s or 5m; runs at least one round [default: 10 s for each case, and enough rounds for
    /// an interval]
    #[arg(long, value_name = "TIME", value_parser = run_time)]
    r#for: Option<Duration>,
    /// Number of rounds, instead of a time; an interval needs at least 8
    #[arg(long, short_alias = 'r', alias = "runs", value_name = "N")]
    rounds: Option<usize>,
    /// Time limit of a run including --prepare and --conclude, in whole seconds [default: ten times --for, at least
    /// 30 s; none without --for]
    #[arg(long, value_name = "TIME", value_parser = run_time)]
    timeout: Option<Duration>,
    /// Measure the baseline twice (an A/A control), to show the noise floor
    #[arg(long)]
    control: bool,
    /// Exit with code 1 if a command is 'slower than 2%' or 'faster than 2%', compared with the baseline; or has 'more
    /// than 2% memory' (or instructions), or 'fewer than 2%'
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    fail_if: Vec<Gate>,
    #[command(flatten)]
    form: Form,
    /// Folder for the record and its page, created if it does not exist [default: none, and neither is kept]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Flags of hyperfine that have another form here, or none.
const HYPERFINE: [(&[&str], &str); 9] = [
    (&["-P", "-D", "--parameter-scan"], "write --parameter NAME 1,2,3 (each value)"),
    (&["-m", "-M", "--min-runs", "--max-runs"], "write --rounds N, or --for TIME"),
    (&["--export-json"], "write --json > FILE, or --out DIR for all samples"),
    (&["--export-csv"], "write --csv > FILE"),
    (&["--export-markdown"], "write --markdown > FILE"),
    (&["--reference"], "write --baseline N"),
    (&["--show-output"], "write --same-output, which shows where outputs differ"),
    (&["-S"], "write --shell=SHELL"),
    (&["-u", "--time-unit", "--sort", "--style", "--output"], "drop it: parlab has no equivalent"),
];

/// Returns what to write instead of a flag of hyperfine that is not known here.
pub(crate) fn instead_of(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    let (_, ours) = HYPERFINE.iter().find(|(theirs, _)| theirs.contains(&flag.as_str()))?;
    Some(format!("`{flag}` is a flag of hyperfine: {ours}"))
}

/// Parses a quantity of --measure.
fn quantity(name: &str) -> Result<Measure, std::convert::Infallible> {
    Ok(Measure::from(if name == "memory" { PEAK_MEMORY } else { name }.to_owned()))
}

impl Arguments {
    /// Returns the ways in which the commands have to run.
    fn quantities(&self) -> Result<Vec<Quantity>, CommandError> {
        let is_on = |condition: &&Gate| self.measure.iter().any(|measure| condition.is_on(measure));
        if let Some(condition) = self.fail_if.iter().find(|condition| !is_on(condition)) {
            let measured: Vec<String> = self.measure.iter().map(|measure| measure.clone().into()).collect();
            let other = condition.in_words_of(&self.measure[0]).unwrap_or(*condition);
            let what = format!("it is not among what is measured ({})", measured.join(", "));
            let why = format!("{what}: write '{other}', or add it to --measure");
            return Err(CommandError::new(format!("--fail-if '{condition}': {why}")));
        }
        let instructions = Quantity::Instructions.measure();
        let known = [Measure::Time, Measure::Count(PEAK_MEMORY.to_owned()), instructions.clone()];
        if let Some(other) = self.measure.iter().find(|one| !known.contains(one) && self.reads.is_none()) {
            let other = String::from(other.clone());
            let why = "it must be time, memory or instructions; others need --reads";
            return Err(CommandError::new(format!("--measure {other}: {why}")));
        }
        if self.reads.is_some() && self.measure.contains(&instructions) {
            let why = "a benchmark program decides by its time how often it runs";
            return Err(CommandError::new(format!("--measure instructions with --reads: {why}")));
        }
        let reading = |format| Reading { format, benchmark: self.benchmark.clone(), suite: None };
        let timed = self.reads.map_or(Quantity::Time, |format| Quantity::OwnTime(reading(format)));
        let mut all = Vec::new();
        all.extend(self.measure.iter().any(|one| *one != instructions).then_some(timed));
        all.extend(self.measure.contains(&instructions).then_some(Quantity::Instructions));
        Ok(all)
    }

    /// Returns the time limit of a run.
    fn time_limit(&self) -> Option<Duration> {
        /// A run may take this many times the time of the measurement, and at least this time.
        const FACTOR: u32 = 10;
        const MIN: Duration = Duration::from_secs(30);
        self.timeout.or(self.r#for.map(|time| MIN.max(time * FACTOR)))
    }
}

/// Compares the commands; returns the exit code.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::run("without keeping what was measured", || compare(arguments))
}

fn compare(arguments: &Arguments) -> Result<u8, CommandError> {
    let quantities = arguments.quantities()?;
    let trees = match &arguments.revisions[..] {
        [] => None,
        [_] => return Err(CommandError::new("--rev: give it twice, for the old revision and the new one")),
        revisions => Some(Trees::new(revisions)?),
    };
    if let (Some(None), [], [word, ..]) =
        (&arguments.shell, &arguments.revisions[..], &arguments.commands[..])
        && ["sh", "bash", "dash", "zsh", "fish"].contains(&word.as_str())
    {
        return Err(CommandError::new(format!("--shell {word}: write --shell={word}")));
    }
    if arguments.shell.is_some() && quantities[0] == Quantity::Time {
        tell("note: times include the start of the shell");
    }
    let commands = Commands::new(arguments, &quantities, trees.as_ref().map_or(&[], |trees| &trees.trees))?;
    let folder =
        std::env::current_dir().map_err(|e| CommandError::new(format!("the working folder: {e}")))?;
    let mut plan = commands.comparison.plan(folder)?;
    plan.hide(trees.iter().flat_map(Trees::hidden));
    let choices = Choices { rounds: arguments.rounds, time: arguments.r#for, ..Choices::default() };
    let mut matrix = session::matrix(&plan, &choices, None)?;
    let session = Session::new(arguments.out.as_deref(), &plan.name)?;
    let folder = session.temporary.path();
    if arguments.same_output {
        differences::keep_outputs(&mut matrix, folder);
    }
    if arguments.input.is_none() {
        unasked::give(&mut matrix, folder);
    }
    let layouts = arguments.layouts.filter(|layouts| *layouts > 0);
    if let Some((trees, build)) = trees.as_ref().zip(arguments.build.as_deref()) {
        trees.build(build, &layouts.map(|_| layouts::environment()).transpose()?.unwrap_or_default())?;
        layouts.map_or(Ok(()), |layouts| commands.link(layouts))?;
    }
    let whole = matrix.clone();
    let identical = match arguments.control || layouts.is_some() {
        true => BTreeMap::new(),
        false => identical::take(&commands, &mut matrix),
    };
    let setup = hooks::texts(&commands.commands, &matrix, |command| command.setup.as_ref());
    let cleanup = hooks::texts(&commands.commands, &matrix, |command| command.cleanup.as_ref());
    let measured =
        hooks::set_up(&setup).and_then(|()| measure(&plan, &matrix, &session, arguments, &commands));
    unasked::tell_read(&matrix);
    // What was set up is removed also if something failed.
    let cleaned = hooks::clean_up(&cleanup);
    let mut record = measured?;
    identical::give_back(&identical, &whole, &mut record);
    with_measures(&mut record, &arguments.measure).iter().for_each(|note| tell(&format!("note: {note}")));
    let code = session.finish(&record, &arguments.fail_if, arguments.form, "")?;
    differences::tell_all(&record, folder);
    let failures = record.cases.iter().flat_map(|case| &case.entries).filter_map(|e| e.failure.as_ref());
    let of_kind = |kind| if kind == FailureKind::WrongDigest { NEGATIVE } else { ERROR };
    let worst = failures.map(|one| of_kind(one.kind)).chain((!cleaned).then_some(ERROR)).max();
    Ok(worst.filter(|_| code != INTERRUPTED).unwrap_or(code))
}

/// Warms up and measures.
fn measure(
    plan: &Plan,
    matrix: &Matrix,
    session: &Session,
    arguments: &Arguments,
    commands: &Commands,
) -> Result<Record, CommandError> {
    let lost = |name: &str, failure: &Failure| lost::explained(name, failure, commands);
    let mut probes = Vec::new();
    for _ in 0..arguments.warmup {
        let mut live = Progress::new(&lost);
        (probes, _) = parcrypt_lab::probe(plan, matrix, &session.inputs, interrupt::flag(), &mut live)?;
        for probe in &probes {
            if let Err(failure) = &probe.found {
                let name = &matrix.cases[probe.case].entries[probe.entry].candidate;
                return Err(CommandError::new(lost(name, failure).unwrap_or_else(|| failure.why.clone())));
            }
        }
        if interrupt::requested() {
            return Err(CommandError::new("stopped before the measurement"));
        }
    }
    session.run(plan, matrix, None, &probes, &mut Progress::new(&lost))
}
