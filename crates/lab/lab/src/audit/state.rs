//! The file of an audit: a line of JSON about the machine and the build, then one for each trial.
//!
//! A line is written at once after its trial, so a killed process loses the trial in progress only, and at worst
//! leaves a torn last line, which the next one removes. A file is continued only on the machine that began it and
//! by a lab of the same method, because trials of different ones are not one sample.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{CarryOver, Trial};
use crate::record::Machine;

/// Version of the file.
pub const SCHEMA: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`SCHEMA`].
    pub audit: u32,
    /// Beginning of the first trial, as RFC 3339 in UTC.
    pub started: String,
    /// The machine.
    pub machine: Machine,
    /// Properties of the build that began it: version, commit, compiler, flags.
    pub build: BTreeMap<String, String>,
    /// [`METHOD`](crate::METHOD) of that build.
    pub method: u32,
    /// Work of each class by name, with its sizes.
    pub classes: BTreeMap<String, String>,
}

/// Any other line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// An A/A trial, or one with a planted difference.
    Trial(Trial),
    /// A trial of what stands before a turn.
    CarryOver(CarryOver),
}

/// All trials of a file.
#[derive(Clone, Debug)]
pub struct Trials {
    /// The first line.
    pub header: Header,
    /// A/A trials and those with a planted difference, in their order.
    pub planted: Vec<Trial>,
    /// Trials of what stands before a turn, in their order.
    pub carry_over: Vec<CarryOver>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum StateError {
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}:{line}: not a line of an audit: {source}; name another file by --state", path = path.display())]
    Line { path: PathBuf, line: usize, source: serde_json::Error },
    #[error("{path}: an audit of schema {found}, but this version reads schema {SCHEMA}; --fresh begins a new one", path = path.display())]
    Schema { path: PathBuf, found: u32 },
    #[error(
        "{path}: these trials are from another {what}: {there} there, {here} here; --fresh starts over in this file, \
         --state names another",
        path = path.display()
    )]
    Other { path: PathBuf, what: &'static str, there: String, here: String },
    #[error("{path}: another audit is writing to this file", path = path.display())]
    Locked { path: PathBuf },
}

/// A file to which trials are appended. It is locked while it is open.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    file: File,
    /// Number of bytes of a torn last line that were removed.
    pub torn: usize,
    /// The trials so far.
    pub trials: Trials,
}

impl State {
    /// Opens a file to continue it, or makes it with this first line. With `fresh` the trials in it are removed.
    ///
    /// # Errors
    /// [`StateError`]. A file that is not an audit's is never changed, with `fresh` either.
    pub fn open(path: &Path, header: &Header, fresh: bool) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(io)?;
        // A process that another thread is starting has a copy of a lock that was just given up, until it runs its
        // program.
        let mut tries = 0;
        while let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            tries += 1;
            if tries > 100 {
                return Err(StateError::Locked { path: path.to_owned() });
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let found = match parse(path, &bytes) {
            Err(StateError::Schema { .. }) if fresh => None,
            found => found?,
        };
        let mut state = State {
            path: path.to_owned(),
            file,
            torn: 0,
            trials: Trials { header: header.clone(), planted: Vec::new(), carry_over: Vec::new() },
        };
        let whole = match found {
            Some((trials, whole)) if !fresh => {
                compare(path, &trials.header, header)?;
                state.torn = bytes.len() - whole;
                state.trials = trials;
                whole
            }
            _ => 0,
        };
        state.file.set_len(whole as u64).map_err(io)?;
        state.file.seek(SeekFrom::End(0)).map_err(io)?;
        if whole == 0 {
            state.write(header)?;
        }
        Ok(state)
    }

    /// Appends a trial.
    ///
    /// # Errors
    /// [`StateError::Io`]; the trial is then not kept.
    pub fn append(&mut self, line: Line) -> Result<(), StateError> {
        self.write(&line)?;
        match line {
            Line::Trial(trial) => self.trials.planted.push(trial),
            Line::CarryOver(trial) => self.trials.carry_over.push(trial),
        }
        Ok(())
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), StateError> {
        let io = |source| StateError::Io { path: self.path.clone(), source };
        let mut bytes = serde_json::to_vec(line).map_err(std::io::Error::from).map_err(io)?;
        bytes.push(b'\n');
        let whole = self.file.stream_position().map_err(io)?;
        self.file.write_all(&bytes).map_err(|source| {
            // A full disk: what was written of the line is taken back, as far as that is possible.
            let _ = self.file.set_len(whole);
            io(source)
        })
    }
}

impl Trials {
    /// Reads the trials of a file, which may be open elsewhere; a torn last line is ignored.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn read(path: &Path) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: path.to_owned(), source };
        let bytes = std::fs::read(path).map_err(io)?;
        let empty = || std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "it has no trials");
        parse(path, &bytes)?.map(|(trials, _)| trials).ok_or_else(|| io(empty()))
    }
}

/// Returns the trials and the number of bytes of whole lines; `None` if there is no whole line and what is there may
/// be the beginning of a first one.
fn parse(path: &Path, bytes: &[u8]) -> Result<Option<(Trials, usize)>, StateError> {
    /// What a first line begins with.
    const BEGINNING: &[u8] = b"{\"audit\":";
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate();
    let wrong = |line: usize, source| StateError::Line { path: path.to_owned(), line: line + 1, source };
    let Some((_, first)) = lines.next() else {
        let may_be_ours = bytes.iter().zip(BEGINNING).all(|(a, b)| a == b);
        return match serde_json::from_slice::<Header>(bytes) {
            Err(source) if !may_be_ours => Err(wrong(0, source)),
            _ => Ok(None),
        };
    };
    #[derive(Deserialize)]
    struct Version {
        audit: u32,
    }
    let version: Version = serde_json::from_slice(first).map_err(|source| wrong(0, source))?;
    if version.audit != SCHEMA {
        return Err(StateError::Schema { path: path.to_owned(), found: version.audit });
    }
    let header = serde_json::from_slice(first).map_err(|source| wrong(0, source))?;
    let mut trials = Trials { header, planted: Vec::new(), carry_over: Vec::new() };
    for (number, line) in lines {
        match serde_json::from_slice(line).map_err(|source| wrong(number, source))? {
            Line::Trial(trial) => trials.planted.push(trial),
            Line::CarryOver(trial) => trials.carry_over.push(trial),
        }
    }
    Ok(Some((trials, whole)))
}

/// Checks that a file was begun on this machine, by a build with the same method and profile, with this work.
fn compare(path: &Path, there: &Header, here: &Header) -> Result<(), StateError> {
    let other = |what, there: String, here: String| {
        Err(StateError::Other { path: path.to_owned(), what, there, here })
    };
    if let Some((what, there, here)) = machine_difference(&there.machine, &here.machine) {
        return other(what, there, here);
    }
    let first = |a: &BTreeMap<String, String>, b: &BTreeMap<String, String>| {
        let mut keys = a.keys().chain(b.keys());
        let key = keys.find(|key| a.get(*key) != b.get(*key))?;
        let value = |of: &BTreeMap<String, String>| {
            format!("{key} {}", of.get(key).map_or("is not known", String::as_str))
        };
        Some((value(a), value(b)))
    };
    if there.method != here.method {
        return other("method of the lab", there.method.to_string(), here.method.to_string());
    }
    // Another commit may have changed anything else: an audit of a thousand trials outlives many.
    let profile = |of: &Header| of.build.get("profile").cloned().unwrap_or_default();
    if profile(there) != profile(here) {
        return other("build", profile(there), profile(here));
    }
    if let Some((there, here)) = first(&there.classes, &here.classes) {
        return other("work", there, here);
    }
    Ok(())
}

/// Returns what tells two machines apart, with its value on either: the processor, its caches, the number of cores, the
/// system. `None` for the same machine, and for one that is the same in all of these.
pub fn machine_difference(there: &Machine, here: &Machine) -> Option<(&'static str, String, String)> {
    let caches = |machine: &Machine| {
        let each = machine.caches.iter().map(|(name, bytes)| format!("{name} {bytes}"));
        each.collect::<Vec<_>>().join(", ")
    };
    let facts = |machine: &Machine| {
        [
            ("processor", format!("{}, {}", machine.processor, machine.arch)),
            ("number of cores", machine.cores.to_string()),
            ("cache", caches(machine)),
            ("system", machine.system.clone()),
        ]
    };
    let both = facts(there).into_iter().zip(facts(here));
    both.into_iter().find(|(a, b)| a.1 != b.1).map(|((what, there), (_, here))| (what, there, here))
}

#[cfg(test)]
mod tests;
