//! `audit`: trials on this machine whose true ratio is known.

pub(crate) mod fitness;
mod suite;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use parcrypt_lab::audit::state::{Header, Line, SCHEMA, State, Trials};
use parcrypt_lab::audit::summary::{Summary, summary};
use parcrypt_lab::audit::{self, Bench, Cell, Class, Ended, Experiment, Length, Schedule};
use parcrypt_lab::record::Machine;
use parcrypt_lab::{Checks, Inputs, Watch};

use crate::commands::suite::found::Choice;
use crate::program::{Program, build, called, here, machine};
use crate::{audited, classes};
use parcrypt_terminal::error::{CommandError, INTERRUPTED, NEGATIVE};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{Printed, clock, counted, tell};

/// File of the trials, if no other is named.
const STATE: &str = "bench-results/audit.jsonl";

/// Lengths of a sample in the experiment on what stands before a turn, in ms.
const SAMPLES_MS: [f64; 5] = [0.25, 1.0, 2.0, 4.0, 8.0];

/// Trials without a result after which a class is given up.
const MOST_FAILURES: usize = 3;

/// Time between two lines about progress if no bar is drawn.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// End of the help: the classes, and examples.
const HELP: &str = "\
Classes: `compute` (a hash of 16 KiB), `cache` (the sum of half the second cache), `memory` (the sum of twice the last cache), \
all on one thread, and the classes of --program; parcrypt has `vectors` (products of polynomials), `threads` (products on two \
threads: `threads-openmp` and `threads-rayon`) and `many` (products on one thread, while others take turns on one and two): \
`parlab audit --program parcrypt`.

An audit can be stopped at any time, also by Ctrl-C; the next one continues it. Only the trial in progress is lost. Trials \
of another machine, or by another method of the lab, are refused.

Examples:
  parlab audit --for 10m                        as much as ten minutes allow
  parlab audit                                  the remaining trials
  parlab audit --class compute --trials 1000    only A/A trials and plants of one class, more of them
  parlab audit --report --markdown              print the results so far
  parlab audit --suite --repeats 20 --for 2m    the Criterion benchmarks of this project against themselves

Exit codes: 0 done, or the time of --for is over; 1 a candidate failed, or there are more false alarms than 99 % \
intervals allow; 2 a flag or the file cannot be used, or a build failed; 130 stopped by Ctrl-C (whole trials and repeats are \
counted).";

/// Find out how well `bench` can compare programs on this machine
///
/// It compares a program with itself, and with itself plus a known number of further iterations, and shows how
/// often a difference is called if there is none, how often one is found, the errors of the estimates, and the
/// smallest difference that is found. `bench` then warns if a plan claims more than this machine can show.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Also audit the work of this program, by name or path, such as parcrypt
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// Only these classes
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    class: Vec<String>,
    /// A/A trials of each class
    #[arg(long, value_name = "N", default_value_t = 50)]
    trials: usize,
    /// Time of an A/A trial in seconds
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    aa_seconds: f64,
    /// Planted differences in per cent, which must divide 100
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.5,1,2,5", value_parser = percent)]
    planted: Vec<f64>,
    /// Trials of each planted difference and class
    #[arg(long, value_name = "N", default_value_t = 10)]
    planted_trials: usize,
    /// Time of a trial with a planted difference in seconds [default: 10, and 20 for memory]
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// Trials on the effect of the turn before, for each length of a sample
    #[arg(long, value_name = "N", default_value_t = 2)]
    carry_over_trials: usize,
    /// Rounds of each trial instead of its time, with two samples of 1 ms each; an interval needs 8. With --suite,
    /// rounds of each benchmark
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000),
          conflicts_with_all = ["seconds", "aa_seconds"])]
    rounds: Option<u16>,
    /// Do not begin a trial that would probably end later than this, such as 30m. With --suite, time of each repeat
    /// [default: 3 s for each benchmark]
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    most: Option<Duration>,
    /// File of the trials, one line of JSON each
    #[arg(long, value_name = "FILE", default_value = STATE)]
    state: PathBuf,
    /// Remove the trials in the file and begin a new audit
    #[arg(long)]
    fresh: bool,
    /// Only print the results of the trials in the file
    #[arg(long, conflicts_with_all = ["fresh", "most", "class"])]
    report: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    /// Measure the Criterion benchmarks of the Cargo project around the working folder against themselves, as `parlab
    /// suite` compares revisions, and count how often one is called changed
    #[arg(long, conflicts_with_all = ["program", "class", "trials", "aa_seconds", "planted", "planted_trials", "seconds", "carry_over_trials", "state", "fresh", "report"])]
    suite: bool,
    /// Revision of the git repository, built in two work trees [default: HEAD]
    #[arg(long = "rev", value_name = "REVISION", requires = "suite", help_heading = "With --suite")]
    revision: Option<String>,
    /// Measurements of the suite
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = repeats, requires = "suite", help_heading = "With --suite")]
    repeats: usize,
    #[command(flatten, next_help_heading = "With --suite")]
    choice: Option<Choice>,
}

fn repeats(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number from 1".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "a number of seconds from 0.1 to 3600".to_owned())
}

/// Parses a planted difference. The part must be one of whole iterations: one in a whole number of them.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.1..=100.0).contains(percent));
    let exact = |percent: &f64| {
        let each = 100.0 / percent;
        (each - each.round()).abs() < 1e-9 * each
    };
    percent.filter(exact).ok_or_else(|| {
        "a number from 0.1 to 100 that divides 100, as 0.5, 1, 2, 4 or 5: one further iteration in a whole number"
            .to_owned()
    })
}

/// Runs the trials that are left, and prints the results of all.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::run("without keeping the trial in progress", || audited(arguments))
}

/// Progress of the audit as JSON shows it.
#[derive(serde::Serialize)]
struct Progress {
    trials: usize,
    done: usize,
    left_s: f64,
    skipped: BTreeMap<String, String>,
}

fn audited(arguments: &Arguments) -> Result<u8, CommandError> {
    match (arguments.suite, &arguments.choice) {
        (true, _) => return suite::audit(arguments),
        (false, Some(_)) => {
            let why = "FILTER, and options for the benchmarks of a suite, are for `audit --suite`";
            return Err(CommandError::new(why));
        }
        (false, None) => {}
    }
    if arguments.report {
        let found = summary(&Trials::read(&arguments.state)?);
        show(arguments, &found, None)?;
        return Ok(if alarming(&found) { NEGATIVE } else { 0 });
    }
    let folder =
        std::env::current_dir().map_err(|e| CommandError::new(format!("the working folder: {e}")))?;
    let program = arguments.program.as_deref().map(|name| Program::named(name, &folder)).transpose()?;
    let program = program.as_ref();
    let mut all = audited::classes();
    if let Some(Program { description, .. }) = program {
        if let Some(twice) =
            description.audit.iter().find(|new| all.classes.iter().any(|old| old.name == new.name))
        {
            let name = &description.name;
            return Err(CommandError::new(format!(
                "`{name}` describes a class `{}`, which parlab has too",
                twice.name
            )));
        }
        all.classes.extend(description.audit.iter().cloned());
        all.skipped.extend(description.skipped.iter().map(|(name, why)| (name.clone(), why.clone())));
    }
    let chosen = all.choose(&arguments.class)?;
    let header = Header {
        audit: SCHEMA,
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        machine: machine(program),
        build: build(program),
        method: parcrypt_lab::METHOD,
        classes: all.works(),
    };
    let mut state = State::open(&arguments.state, &header, arguments.fresh)?;
    if state.torn > 0 {
        let bytes = counted(state.torn, "byte");
        tell(&format!(
            "note: the last trial in {} was torn; its {bytes} are removed",
            arguments.state.display()
        ));
    }
    let mut skipped = BTreeMap::new();
    for (name, why) in &all.skipped {
        if arguments.class.is_empty() || arguments.class.iter().any(|given| classes::is_named(name, given)) {
            tell(&format!("SKIP {name}: {why}"));
            skipped.insert(name.clone(), why.clone());
        }
    }
    let mut schedule = Schedule::new(cells(arguments, &chosen), |cell| done(&state.trials, &chosen, cell));
    let ended = trials(arguments, program, &folder, &chosen, &mut schedule, &mut state, &mut skipped)?;
    let found = summary(&state.trials);
    let (done, trials) = schedule.trials();
    let left_s = schedule.left().as_secs_f64();
    show(arguments, &found, Some(Progress { trials, done, left_s, skipped }))?;
    Ok(match ended {
        Stopped::Interrupted => INTERRUPTED,
        Stopped::Failed => NEGATIVE,
        Stopped::Done if alarming(&found) => NEGATIVE,
        Stopped::Done => 0,
    })
}

/// Returns whether a class has more false alarms than intervals at 99 % have.
fn alarming(found: &Summary) -> bool {
    found.classes.iter().flat_map(|class| &class.null).any(|null| !found.is_compatible(null))
}

/// Returns the trials that are wanted, in the order in which ties are decided: all classes take turns.
fn cells(arguments: &Arguments, classes: &[Class]) -> Vec<Cell> {
    let length = |seconds: f64| match arguments.rounds {
        Some(rounds) => Length::Rounds(rounds.into()),
        None => Length::Seconds(seconds),
    };
    let of = |class: usize| arguments.seconds.unwrap_or(classes[class].seconds.into());
    let mut cells = Vec::new();
    let mut add =
        |experiment, wanted, length: &dyn Fn(usize) -> Length, takes_part: &dyn Fn(&Class) -> bool| {
            let those = classes.iter().enumerate().filter(|(_, class)| wanted > 0 && takes_part(class));
            cells.extend(those.map(|(class, _)| Cell { class, experiment, length: length(class), wanted }));
        };
    let null = Experiment::Planted { percent: 0.0 };
    add(null, arguments.trials, &|_| length(arguments.aa_seconds), &|_| true);
    for &percent in &arguments.planted {
        let planted = Experiment::Planted { percent };
        add(planted, arguments.planted_trials, &|class| length(of(class)), &|_| true);
    }
    for sample_ms in SAMPLES_MS {
        let before = Experiment::CarryOver { sample_ms };
        let vectors = |class: &Class| class.other.is_some();
        add(before, arguments.carry_over_trials, &|class| length(of(class)), &vectors);
    }
    cells
}

/// Returns the number of trials of a cell that a file has.
fn done(trials: &Trials, classes: &[Class], cell: &Cell) -> usize {
    let (name, seconds) = (&classes[cell.class].name, cell.length.seconds());
    match cell.experiment {
        Experiment::Planted { percent } => {
            let same = |trial: &&audit::Trial| {
                trial.class == *name && trial.planted == percent && trial.seconds == seconds
            };
            trials.planted.iter().filter(same).count()
        }
        Experiment::CarryOver { sample_ms } => {
            let same = |trial: &&audit::CarryOver| {
                trial.class == *name && trial.sample_ms == sample_ms && trial.seconds == seconds
            };
            trials.carry_over.iter().filter(same).count()
        }
    }
}

/// Why no further trial began.
enum Stopped {
    /// All are done, or the time is over.
    Done,
    /// A class was given up.
    Failed,
    /// The user stopped the audit.
    Interrupted,
}

/// Runs trials until all are done, the time is over, or the user stops.
fn trials(
    arguments: &Arguments,
    program: Option<&Program>,
    folder: &Path,
    classes: &[Class],
    schedule: &mut Schedule,
    state: &mut State,
    skipped: &mut BTreeMap<String, String>,
) -> Result<Stopped, CommandError> {
    let inputs = Inputs::new()?;
    let checks = Checks::new(folder, interrupt::flag());
    let check = |entry: &_| checks.check(entry);
    let here = here(program, &check);
    let bench = Bench { here: &here, folder, inputs: &inputs, stop: interrupt::flag() };
    let begun = Instant::now();
    let mut told = begun;
    let mut failures = vec![0; classes.len()];
    let mut watched = Watched {
        bar: Bar::percent(),
        begun,
        left: Duration::ZERO,
        limit: arguments.most,
        text: String::new(),
    };
    while let Some(next) = schedule.next() {
        let left = arguments.most.map(|most| most.saturating_sub(begun.elapsed()));
        if interrupt::requested() {
            return Ok(Stopped::Interrupted);
        }
        if left.is_some_and(|left| schedule.expected(next) > left) {
            break;
        }
        let cell = *schedule.cell(next);
        let class = &classes[cell.class];
        watched.next(schedule, class, &cell);
        if watched.bar.is_hidden() && told.elapsed() > TELL_EVERY {
            told = Instant::now();
            tell(&format!("{}, {} left", watched.text, clock(watched.left())));
        }
        let trial = Instant::now();
        let line = match audit::trial(&bench, class, &cell, &mut watched)? {
            Ended::Trial(trial) => Line::Trial(trial),
            Ended::CarryOver(trial) => Line::CarryOver(trial),
            Ended::Interrupted => return Ok(Stopped::Interrupted),
            Ended::Unsupported(why) => {
                skipped.insert(class.name.clone(), why);
                schedule.drop_class(cell.class);
                continue;
            }
            Ended::Failed(why) => {
                failures[cell.class] += 1;
                if failures[cell.class] == MOST_FAILURES {
                    watched.note(&format!("{} is given up: {why}", class.name));
                    skipped.insert(class.name.clone(), why);
                    schedule.drop_class(cell.class);
                }
                continue;
            }
        };
        state.append(line)?;
        schedule.done(next, trial.elapsed());
    }
    let failed = failures.contains(&MOST_FAILURES);
    Ok(if failed { Stopped::Failed } else { Stopped::Done })
}

/// Shows the progress of an audit.
struct Watched {
    bar: Bar,
    begun: Instant,
    /// Expected time of what is left, from the beginning of the trial.
    left: Duration,
    limit: Option<Duration>,
    /// What runs now.
    text: String,
}

impl Watched {
    fn next(&mut self, schedule: &Schedule, class: &Class, cell: &Cell) {
        let (done, trials) = schedule.trials();
        let experiment = match cell.experiment {
            Experiment::Planted { percent: 0.0 } => "A/A".to_owned(),
            Experiment::Planted { percent } => format!("{percent} % planted"),
            Experiment::CarryOver { sample_ms } => format!("what stands before samples of {sample_ms} ms"),
        };
        self.text = format!("trial {} of {trials}: {}, {experiment}", done + 1, class.name);
        self.left = schedule.left();
    }

    /// Returns the expected time left, at most `--for`.
    fn left(&self) -> Duration {
        self.limit.map_or(self.left, |most| self.left.min(most.saturating_sub(self.begun.elapsed())))
    }
}

impl Watch for Watched {
    fn progress(&mut self, _: f64, _: Duration, _: &str) {
        let (elapsed, left) = (self.begun.elapsed(), self.left());
        let done = elapsed.as_secs_f64() / (elapsed + left).as_secs_f64().max(1e-9);
        self.bar.set((done.clamp(0.0, 1.0) * 1000.0) as u64, 1000);
        self.bar.set_left(format!("{} left", clock(left)));
        self.bar.set_message(self.text.as_str());
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| tell(&format!("{}: {text}", self.text)));
    }
}

/// Prints the results.
fn show(arguments: &Arguments, found: &Summary, progress: Option<Progress>) -> Result<(), CommandError> {
    if arguments.json {
        let mut value = serde_json::to_value(found)?;
        if let (Some(progress), Some(object)) = (progress, value.as_object_mut()) {
            object.insert("progress".to_owned(), serde_json::to_value(progress)?);
        }
        return Printed::Json(&(serde_json::to_string_pretty(&value)? + "\n")).write();
    }
    let called = called();
    let mut text = tables::text(found, arguments.markdown, &called);
    if let Some(Progress { trials, done, left_s, skipped }) = progress {
        for (class, why) in skipped {
            text += &format!("\nSKIP {class}: {why}\n");
        }
        let left = match done < trials {
            true => {
                let program =
                    arguments.program.as_ref().map_or(String::new(), |name| format!(" --program {name}"));
                format!(
                    ", {} left: `{called} audit{program}` goes on",
                    clock(Duration::from_secs_f64(left_s))
                )
            }
            false => String::new(),
        };
        text += &format!("\n{done} of {} done{left}.\n", counted(trials, "trial"));
    }
    text += &format!("trials: {}\n", arguments.state.display());
    Printed::Plain(&text).write()
}

/// Returns the results of an audit of a machine in a file, by whatever build. Without the file there are none; a
/// file that cannot be used is an error if the user has named it, and else a note.
pub(crate) fn of_this_machine(
    named: Option<&Path>,
    machine: &Machine,
) -> Result<Option<Summary>, CommandError> {
    let path = named.unwrap_or(Path::new(STATE));
    if named.is_none() && !path.exists() {
        return Ok(None);
    }
    let refused = |why: String| match named {
        Some(_) => Err(CommandError::new(why)),
        None => {
            tell(&format!("note: {why}"));
            Ok(None)
        }
    };
    match Trials::read(path) {
        Err(error) => refused(error.to_string()),
        Ok(trials) => match audit::state::machine_difference(&trials.header.machine, machine) {
            Some((what, there, here)) => refused(format!(
                "{}: the audit is of another {what}: {there} there, {here} here",
                path.display()
            )),
            None => Ok(Some(summary(&trials))),
        },
    }
}
