//! Whole commands as candidates: a worker that runs a command from its start to its exit, and speaks the protocol for
//! it.
//!
//! A sample of N iterations is N runs one after the other, each a process of its own, whose time from before its start
//! to after its exit counts, or another [`Quantity`]. What runs before and after each, and what it takes to check an
//! output, does not. Readers of what benchmark programs print are in `readers`.

mod callgrind;
mod comparison;
mod kept;
mod readers;
mod words;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use parcrypt_protocol::{
    OutputDigest, Params, Prepare, Ready, Sample, Worker, WorkerError, memory, nanoseconds,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wait4::Wait4;

use crate::input::check_input;
use crate::process_tree;
use crate::record::{Case, Measure, PEAK_MEMORY};

pub(crate) use callgrind::Callgrind;
pub use callgrind::CountError;
pub use comparison::{Comparison, Ran, with_measures};
pub use kept::{KEEP, difference};
use readers::ReadError;
pub use readers::{Format, Reading, is_asked_to_list, list};
use words::variable;
pub use words::{in_shell, join, shell_operator, substitute, words};

/// Name of the count of instructions in plans and records.
const INSTRUCTIONS: &str = "instructions";

/// Variable with the path of the file that is the standard input of a command without another, instead of `/dev/null`.
/// The command does not inherit it.
pub const EMPTY_INPUT: &str = "PARCRYPT_EMPTY_INPUT";

/// Variable that tells a program of benchmarks what is asked of it.
pub const VARIABLE: &str = "PARLAB_SUITE";
/// Value of [`VARIABLE`] with which a program lists its benchmarks.
pub const LIST: &str = "list";

/// Variables that would lead a program in a work tree of git to another folder than its own.
pub const ELSEWHERE: [&str; 8] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
];

/// A command, and how it is run. `{NAME}` stands for the value of a parameter in each text. As JSON it has no words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WholeCommand {
    /// The program and its arguments, after settings of its environment such as `LC_ALL=C`; with a shell one text.
    #[serde(skip)]
    pub words: Vec<String>,
    /// The shell and its arguments before `-c`; the program is started without one if it is left out.
    pub shell: Option<Vec<String>>,
    /// Text for a shell that runs before each run and is not timed.
    pub prepare: Option<String>,
    /// Text for a shell that runs after each run and is not timed.
    pub conclude: Option<String>,
    /// Path of the file that is its standard input; empty input if it is left out.
    pub input: Option<String>,
    /// Work tree in which it runs, without the variables of [`ELSEWHERE`]; the folder of the worker if it is left
    /// out.
    pub folder: Option<PathBuf>,
    /// Whether any exit code is a success, and a signal too.
    pub ignore_exit_code: bool,
    /// Whether its standard output is written to a temporary file, and compared together with the exit code, instead of
    /// to `/dev/null`. Not if it is read for [`Quantity::OwnTime`].
    pub same_output: bool,
    /// Whether peak memory is compared. A process is then forked, because one that shares the memory of this worker
    /// until it becomes the program has its peak too.
    pub memory: bool,
    /// What is measured of it.
    pub quantity: Quantity,
}

impl WholeCommand {
    /// Returns the index of the program among the words: after settings of its environment.
    pub fn program(&self) -> usize {
        self.words.iter().take_while(|word| variable(word).is_some()).count()
    }

    /// Returns the command with the values of parameters instead of their names.
    pub fn with(&self, params: &Params) -> Self {
        let with = |text: &String| substitute(text, params);
        WholeCommand {
            words: self.words.iter().map(with).collect(),
            prepare: self.prepare.as_ref().map(with),
            conclude: self.conclude.as_ref().map(with),
            input: self.input.as_ref().map(with),
            quantity: match &self.quantity {
                Quantity::OwnTime(reading) => Quantity::OwnTime(Reading {
                    benchmark: reading.benchmark.as_ref().map(with),
                    ..reading.clone()
                }),
                quantity => quantity.clone(),
            },
            ..self.clone()
        }
    }

    /// Goes to its folder.
    fn enter(&self) -> std::io::Result<()> {
        self.folder.as_ref().map_or(Ok(()), std::env::set_current_dir)
    }
}

/// What is measured of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Time from before its start to after its exit.
    #[default]
    Time,
    /// Time that it prints as a benchmark program.
    OwnTime(Reading),
    /// Instructions that its processes execute in user mode, by Callgrind.
    Instructions,
}

impl Quantity {
    /// Returns the measure of plans and records.
    pub fn measure(&self) -> Measure {
        match self {
            Quantity::Time => Measure::Time,
            Quantity::OwnTime(_) => Measure::OwnTime,
            Quantity::Instructions => Measure::Count(INSTRUCTIONS.to_owned()),
        }
    }
}

/// Error in a command or in what runs before and after it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum WholeCommandError {
    #[error("the command is empty")]
    Empty,
    #[error("`{text}` cannot be split into words: a quotation mark is not closed")]
    Quotes { text: String },
    #[error("`{program}` not found{place}")]
    Missing { program: String, place: String },
    #[error("`{program}` {why}")]
    Program { program: String, why: String },
    #[error("`{command}` cannot be started: {source}")]
    Start { command: String, source: std::io::Error },
    #[error("input {path}: {source}", path = path.display())]
    Input { path: PathBuf, source: std::io::Error },
    #[error("the temporary file for its output: {source}")]
    Output { source: std::io::Error },
    #[error("`{command}` {how}")]
    Exit { command: String, how: String },
    #[error("`{command}`: {source}")]
    Read { command: String, source: ReadError },
    #[error(transparent)]
    Count(#[from] CountError),
}

/// Returns the path of a program: itself if it has a slash, else its first file in a folder of `path` that can be
/// executed.
pub(crate) fn find(program: &str, path: Option<OsString>) -> Result<PathBuf, WholeCommandError> {
    let is_path = program.contains('/');
    let folders = if is_path { "".into() } else { path.unwrap_or_else(|| "/usr/bin:/bin".into()) };
    let mut found = false;
    for file in std::env::split_paths(&folders).map(|folder| folder.join(program)) {
        let Ok(kind) = std::fs::metadata(&file) else { continue };
        if kind.is_file() && kind.permissions().mode() & 0o111 != 0 {
            return Ok(file);
        }
        found = true;
    }
    let place = match (is_path, std::env::current_dir()) {
        (true, Ok(folder)) if Path::new(program).is_relative() => format!(" in {}", folder.display()),
        (true, _) => String::new(),
        (false, _) if found => String::new(),
        (false, _) => " in PATH (aliases and functions of a shell are not known here)".to_owned(),
    };
    let program = program.to_owned();
    Err(match found {
        true => WholeCommandError::Program { program, why: format!("is not executable{place}") },
        false => WholeCommandError::Missing { program, place },
    })
}

/// Returns what is wrong with the first line of a script; `None` of a binary.
fn wrong_script(file: &Path) -> Option<String> {
    let mut start = [0; 256];
    let read = File::open(file).and_then(|mut file| file.read(&mut start)).ok()?;
    let text = String::from_utf8_lossy(&start[..read]);
    let Some(line) = text.strip_prefix("#!").map(|text| text.split('\n').next().unwrap_or(text)) else {
        let why = "is a script without a first line such as #!/bin/sh: add it, or run it as `sh FILE`";
        return (!text.contains('\0')).then(|| why.to_owned());
    };
    let interpreter = line.split_whitespace().next().unwrap_or_default();
    let missing = || format!("is a script for `{interpreter}`, which is missing");
    match line.ends_with('\r') {
        true => Some("has a first line that ends with CRLF: save it with line ends of Unix (LF)".to_owned()),
        false => (!Path::new(interpreter).exists()).then(missing),
    }
}

/// A command with the values of its parameters, ready to run.
#[derive(Debug)]
struct Prepared {
    command: WholeCommand,
    /// The command in words, for messages.
    shown: String,
    program: PathBuf,
    /// The program as it was named, which it is told, and its arguments.
    words: Vec<String>,
    environment: Vec<(String, String)>,
    /// Where its output is compared or read.
    output: Option<File>,
    /// File that is read instead of its output.
    results: Option<PathBuf>,
    /// What counts its instructions, if that is Callgrind.
    callgrind: Option<Callgrind>,
}

impl Prepared {
    fn new(command: &WholeCommand, params: &Params) -> Result<Self, WholeCommandError> {
        let command = command.with(params);
        let (shown, words) = match (&command.shell, &command.words[..]) {
            (None, words) => (join(words), words.to_vec()),
            (shell, words) => (words.join(" "), in_shell(shell.as_deref(), words.join(" "))),
        };
        let set = words.iter().map_while(|word| variable(word));
        let environment: Vec<(String, String)> =
            set.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let words = words[environment.len()..].to_vec();
        let name = words.first().ok_or(WholeCommandError::Empty)?;
        let path = environment.iter().rev().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, path)| path.into()).or_else(|| std::env::var_os("PATH"));
        let program = find(name, path)?;
        if let Some(path) = command.input.as_ref().map(PathBuf::from) {
            check_input(&path).map_err(|source| WholeCommandError::Input { path, source })?;
        }
        let is_kept = command.same_output || matches!(command.quantity, Quantity::OwnTime(_));
        let output = is_kept.then(tempfile::tempfile).transpose();
        let counts = command.quantity == Quantity::Instructions;
        Ok(Prepared {
            shown,
            program,
            words,
            environment,
            output: output.map_err(|source| WholeCommandError::Output { source })?,
            results: None,
            callgrind: counts.then(Callgrind::of_system).transpose()?,
            command,
        })
    }

    /// Returns the start of a program without the variables that it does not inherit.
    fn start(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let elsewhere = if self.command.folder.is_some() { &ELSEWHERE[..] } else { &[] };
        for name in [KEEP, EMPTY_INPUT, VARIABLE].iter().chain(elsewhere) {
            command.env_remove(name);
        }
        command
    }

    fn input(&self) -> Result<Stdio, WholeCommandError> {
        let Some(path) = &self.command.input else {
            let empty = std::env::var_os(EMPTY_INPUT).and_then(|path| File::open(path).ok());
            return Ok(empty.map_or_else(Stdio::null, Stdio::from));
        };
        let wrong = |source| WholeCommandError::Input { path: path.into(), source };
        Ok(File::open(path).map_err(wrong)?.into())
    }

    /// Returns the standard output of the next run.
    fn output(&self) -> Result<Stdio, WholeCommandError> {
        let Some(mut file) = self.output.as_ref() else { return Ok(Stdio::null()) };
        // The process shares the place in the file, which begins again.
        let rewound = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.try_clone());
        Ok(rewound.map_err(|source| WholeCommandError::Output { source })?.into())
    }

    /// Runs the command once, and returns what it took. Its standard error is the worker's, of which the lab keeps the
    /// start and the end.
    fn run(&self) -> Result<(Sample, ExitStatus), WholeCommandError> {
        let mut command = match &self.callgrind {
            Some(callgrind) => {
                let words = callgrind.words("--trace-children=yes")?;
                let mut command = self.start(&words[0]);
                command.args(&words[1..]).arg(&self.program);
                command
            }
            None => {
                let mut command = self.start(&self.program);
                command.arg0(&self.words[0]);
                command
            }
        };
        command
            .args(&self.words[1..])
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(self.input()?)
            .stdout(self.output()?);
        if self.command.memory {
            // The standard library forks if it has to set something, here the group that it has.
            command.gid(nix::unistd::getgid().as_raw());
        }
        let start = |source| WholeCommandError::Start { command: self.shown.clone(), source };
        let begun = Instant::now();
        let mut child = command.spawn().map_err(|source| self.script().unwrap_or_else(|| start(source)))?;
        if let (Quantity::OwnTime(_), Some(file)) = (&self.command.quantity, &self.output) {
            readers::watch(&mut child, file).map_err(start)?.map_err(|source| self.unread(source))?;
        }
        let used = child.wait4().map_err(start)?;
        let time = begun.elapsed();
        let wait4::ResourceUsage { utime, stime, maxrss } = used.rusage;
        let mut run = Sample::default();
        // Times and memory of Valgrind are not the program's.
        if self.callgrind.is_none() {
            run.elapsed_ns = Some(nanoseconds(time));
            run.counts.insert("user-time-ns".to_owned(), nanoseconds(utime));
            run.counts.insert("system-time-ns".to_owned(), nanoseconds(stime));
            // Unless it is forked, the system counts the peak of this worker's memory as the process's own.
            if self.command.memory || maxrss > memory::peak().unwrap_or(0) {
                run.counts.insert(PEAK_MEMORY.to_owned(), maxrss);
            }
        }
        Ok((run, used.status))
    }

    /// Returns why the program did not run if it is a script.
    fn script(&self) -> Option<WholeCommandError> {
        let program = self.words[0].clone();
        wrong_script(&self.program).map(|why| WholeCommandError::Program { program, why })
    }

    fn unread(&self, source: ReadError) -> WholeCommandError {
        WholeCommandError::Read { command: self.shown.clone(), source }
    }

    /// Runs the command once, and what runs before and after it. Adds what is counted by other means.
    fn measure(&self) -> Result<(Sample, ExitStatus), WholeCommandError> {
        self.run_hook(&self.command.prepare)?;
        let (mut run, status) = self.run()?;
        if let Some(callgrind) = &self.callgrind {
            callgrind.check(Some(status))?;
        }
        if !self.command.ignore_exit_code && !status.success() {
            // A benchmark program may have printed why.
            if let Err(why @ WholeCommandError::Read { source: ReadError::Benchmark { .. }, .. }) =
                self.values()
            {
                return Err(why);
            }
            let (command, how) = (self.shown.clone(), process_tree::ended(status));
            return Err(self.script().unwrap_or(WholeCommandError::Exit { command, how }));
        }
        if let Some(callgrind) = &self.callgrind {
            run.counts.insert(INSTRUCTIONS.to_owned(), callgrind.count()?);
        }
        run.counts.extend(self.values()?);
        self.run_hook(&self.command.conclude)?;
        Ok((run, status))
    }

    /// Returns the values that the last run printed, if they are measured.
    fn values(&self) -> Result<BTreeMap<String, u64>, WholeCommandError> {
        let Quantity::OwnTime(reading) = &self.command.quantity else { return Ok(BTreeMap::new()) };
        let text = self.text()?;
        let is_empty = text.is_empty() && self.results.is_some();
        let values = if is_empty { Err(reading.empty()) } else { readers::read(&text, reading) };
        values.map_err(|source| self.unread(source))
    }

    /// Returns what the last run printed, or wrote to its results, which are removed: the next run may write none.
    fn text(&self) -> Result<Vec<u8>, WholeCommandError> {
        let failed = |source| WholeCommandError::Output { source };
        let file = match (&self.results, &self.output) {
            (Some(path), _) => File::open(path).and_then(|file| std::fs::remove_file(path).map(|()| file)),
            (None, Some(output)) => output.try_clone(),
            (None, None) => Err(ErrorKind::NotFound.into()),
        };
        let mut text = Vec::new();
        let mut file = match file {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(text),
            file => file.map_err(failed)?,
        };
        let bytes = file.metadata().map_err(failed)?.len();
        if bytes > readers::MAX_BYTES {
            return Err(self.unread(ReadError::TooLong { bytes }));
        }
        file.rewind().and_then(|()| file.read_to_end(&mut text)).map_err(failed)?;
        Ok(text)
    }

    /// Runs a text in the shell, which is not timed.
    fn run_hook(&self, text: &Option<String>) -> Result<(), WholeCommandError> {
        let Some(text) = text else { return Ok(()) };
        let words = in_shell(self.command.shell.as_deref(), text.clone());
        let mut command = self.start(&words[0]);
        let status = command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).status();
        match status.map_err(|source| WholeCommandError::Start { command: text.clone(), source })? {
            status if status.success() => Ok(()),
            status => {
                Err(WholeCommandError::Exit { command: text.clone(), how: process_tree::ended(status) })
            }
        }
    }
}

/// Candidate that runs a whole command.
#[derive(Debug)]
pub struct CommandWorker {
    command: WholeCommand,
    prepared: Option<Prepared>,
    /// Exit status of the last run.
    last: Option<ExitStatus>,
}

impl CommandWorker {
    /// Returns the candidate of a command.
    pub fn new(command: WholeCommand) -> Self {
        CommandWorker { command, prepared: None, last: None }
    }

    fn prepared(&self, request: &'static str) -> Result<&Prepared, WorkerError> {
        self.prepared.as_ref().ok_or(WorkerError::NotPrepared { request })
    }
}

impl Worker for CommandWorker {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        let path = || self.command.folder.clone().unwrap_or_default();
        self.command.enter().map_err(|source| WorkerError::Input { path: path(), source })?;
        let prepared = match &self.command.quantity {
            Quantity::OwnTime(reading @ Reading { suite: Some(folder), .. }) => {
                readers::one(&self.command, reading, folder, &request.workload)
            }
            _ => Prepared::new(&self.command, &request.params),
        };
        let prepared = prepared.map_err(|error| match error {
            // A tool that is not there costs its entry and is not an error.
            WholeCommandError::Missing { .. } | WholeCommandError::Count(CountError::NoValgrind) => {
                WorkerError::Unsupported(error.to_string())
            }
            _ => WorkerError::other(error),
        })?;
        let name = match &prepared.command.quantity {
            // The path of a program of a suite is this machine's.
            Quantity::OwnTime(Reading { suite: Some(_), .. }) => request.workload.clone(),
            _ => prepared.words[0].clone(),
        };
        self.prepared = Some(prepared);
        Ok(Ready { name, threads: request.threads, ..Ready::default() })
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let prepared = self.prepared("sample")?;
        let (mut sample, mut last) = (Sample::default(), None);
        for _ in 0..iterations {
            let (run, status) = prepared.measure().map_err(|error| match error {
                WholeCommandError::Read { source: why @ ReadError::Skipped { .. }, .. } => {
                    WorkerError::Unsupported(why.to_string())
                }
                _ => WorkerError::other(error),
            })?;
            sample.elapsed_ns = run.elapsed_ns.map(|ns| ns.saturating_add(sample.elapsed_ns.unwrap_or(0)));
            for (name, count) in run.counts {
                let is_level = name == PEAK_MEMORY;
                let sum = sample.counts.entry(name).or_default();
                *sum = if is_level { count.max(*sum) } else { count.saturating_add(*sum) };
            }
            last = Some(status);
        }
        self.last = last;
        Ok(sample)
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        let mut hash = Sha256::new();
        let output = self.prepared("digest")?.output.as_ref();
        let Some(mut file) = output.filter(|_| self.command.same_output) else {
            return Ok(OutputDigest(hash.finalize().into()));
        };
        let failed = |source| WorkerError::other(WholeCommandError::Output { source });
        file.rewind().map_err(failed)?;
        let mut block = vec![0; 1 << 16];
        loop {
            match file.read(&mut block).map_err(failed)? {
                0 => break,
                n => hash.update(&block[..n]),
            }
        }
        let code = self.last.and_then(|status| status.code());
        hash.update(code.unwrap_or(-1).to_le_bytes());
        if let Some(under) = std::env::var_os(KEEP) {
            // If it cannot be kept, a difference is found all the same, and not shown.
            let _ = kept::keep(Path::new(&under), file, code);
        }
        Ok(OutputDigest(hash.finalize().into()))
    }
}

/// Returns whether the outputs of a case's candidates were compared; for commands only on request.
pub fn compares_outputs(case: &Case) -> bool {
    let nothing = OutputDigest(Sha256::digest(b"").into()).to_string();
    !case.is_of_commands()
        || case.entries.iter().any(|entry| entry.digest.as_ref().is_some_and(|d| *d != nothing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::COMMANDS;

    fn command(words: &[&str]) -> WholeCommand {
        WholeCommand {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            ..WholeCommand::default()
        }
    }

    /// Runs a command that many times and returns the sample.
    fn sampled(command: WholeCommand, iterations: u64) -> Result<Sample, WorkerError> {
        let mut worker = CommandWorker::new(command);
        worker.prepare(&Prepare {
            protocol: parcrypt_protocol::VERSION,
            workload: COMMANDS.to_owned(),
            params: Params::new(),
            threads: 1,
            input: None,
            evict: None,
        })?;
        worker.sample(iterations)
    }

    #[test]
    fn variables_before_the_program_are_its_environment() {
        assert_eq!(variable("LC_ALL=C=D"), Some(("LC_ALL", "C=D")));
        assert_eq!([variable("=C"), variable("1A=C"), variable("a-b=C"), variable("sort")], [None; 4]);
        let check = |words: &[&str]| sampled(command(words), 1);
        assert!(check(&["KIND=a", "sh", "-c", "test $KIND = a"]).is_ok());
        assert!(check(&["KIND=b", "sh", "-c", "test $KIND = a"]).is_err());
        assert!(check(&["KIND=b"]).unwrap_err().to_string().contains("the command is empty"));
    }

    #[test]
    fn a_program_that_cannot_run_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str, mode: u32| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            file.to_str().unwrap().to_owned()
        };
        // Files of these names are in the first folder of the path, and cannot be executed.
        let _ = (file("notes", "", 0o644), file("true", "", 0o644));
        let path = format!("PATH={}:/usr/bin:/bin", folder.path().display());
        assert!(sampled(command(&[&path, "true"]), 1).is_ok());
        for (words, why) in [
            (&["./no-such-program"][..], "`./no-such-program` not found in /"),
            (&["/no-such-program"], "`/no-such-program` not found"),
            (&["/etc"], "`/etc` is not executable"),
            (&[&path, "notes"], "`notes` is not executable"),
            (&[&file("a", "echo\n", 0o755)], "is a script without a first line such as #!/bin/sh"),
            (&[&file("b", "#!/bin/sh\r\necho\r\n", 0o755)], "has a first line that ends with CRLF"),
            (&[&file("c", "#!/usr/bin/env sh\r\n", 0o755)], "has a first line that ends with CRLF"),
            (&[&file("d", "#! /no/shell -e\n", 0o755)], "is a script for `/no/shell`, which is missing"),
        ] {
            let found = sampled(command(words), 1).unwrap_err();
            assert!(found.to_string().contains(why), "{found}");
            assert_eq!(matches!(found, WorkerError::Unsupported(_)), why.contains("not found"), "{found}");
        }
    }

    #[test]
    fn output_without_bound_is_not_read() {
        let quantity = Quantity::OwnTime(Reading { format: Format::Criterion, benchmark: None, suite: None });
        let bytes = (readers::MAX_BYTES + 1).to_string();
        for words in [&["head", "-c", &bytes, "/dev/zero"][..], &["cat", "/dev/zero"]] {
            let why = sampled(WholeCommand { quantity: quantity.clone(), ..command(words) }, 1);
            let why = why.unwrap_err().to_string();
            assert!(why.ends_with("bytes, over the limit of 67108864"), "{why}");
        }
    }
}
