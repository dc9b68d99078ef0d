//! Instructions of a whole command, or of parts of a process, by Valgrind's tool Callgrind, which writes a file for
//! each process, or for each part.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use nix::sys::signal::Signal;

use super::find;
use crate::leftover::TempFolder;

/// Error in counting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum CountError {
    #[error(
        "`valgrind`, which counts instructions, was not found: install the package valgrind, or measure time"
    )]
    NoValgrind,
    #[error("the counts of Valgrind: {source}")]
    File {
        #[from]
        source: io::Error,
    },
    #[error("{path} has no line `totals:` with a number", path = path.display())]
    NoTotal { path: PathBuf },
    #[error("Valgrind wrote no count: was the program killed?")]
    NoCount,
    #[error(
        "it met an instruction that Valgrind does not support, such as AVX-512: build it for an older processor, or \
         measure time"
    )]
    UnknownInstruction,
}

/// Ending of the names of the files with Valgrind's messages.
const LOG: &str = "log";

/// Callgrind for one command, with a folder for what it writes.
#[derive(Debug)]
pub(crate) struct Callgrind {
    valgrind: PathBuf,
    folder: TempFolder,
}

impl Callgrind {
    /// Returns the Callgrind of this system.
    pub(crate) fn of_system() -> Result<Self, CountError> {
        Self::new(find("valgrind", std::env::var_os("PATH")).map_err(|_| CountError::NoValgrind)?)
    }

    fn new(valgrind: PathBuf) -> Result<Self, CountError> {
        Ok(Callgrind { valgrind, folder: TempFolder::new()? })
    }

    /// Returns the words that start Valgrind with one more option, before the program and its arguments.
    pub(crate) fn words(&self, option: &str) -> Result<Vec<String>, CountError> {
        let why = || io::Error::new(io::ErrorKind::InvalidInput, "the path of its folder is not UTF-8");
        let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(why);
        // In a name, `%p` is the process, and `%%` is `%`.
        let folder = text(self.folder.path())?.replace('%', "%%");
        // Without what the environment and files in the working folder say.
        let mut words = vec![text(&self.valgrind)?];
        words.extend(["--command-line-only=yes", "--quiet", "--tool=callgrind", option].map(str::to_owned));
        words.push(format!("--callgrind-out-file={folder}/%p"));
        words.push(format!("--log-file={folder}/%p.{LOG}"));
        words.push("--".to_owned());
        Ok(words)
    }

    /// Returns an error if a process of the last run, which ended with this status if that is known, met an instruction
    /// that Valgrind does not know.
    pub(crate) fn check(&self, status: Option<ExitStatus>) -> Result<(), CountError> {
        /// What shells add to the number of a signal.
        const BY_SIGNAL: i32 = 128;
        /// What Valgrind writes of a process.
        const SAID: &str = "default action of signal 4 (SIGILL)";
        let unknown = Signal::SIGILL as i32;
        let by_status = |status: ExitStatus| {
            status.signal() == Some(unknown) || status.code() == Some(BY_SIGNAL + unknown)
        };
        let mut is_unknown = status.is_some_and(by_status);
        // A process may go on without one that it has started.
        for file in std::fs::read_dir(self.folder.path())? {
            let path = file?.path();
            if is_log(&path) {
                is_unknown |= String::from_utf8_lossy(&std::fs::read(&path)?).contains(SAID);
                std::fs::remove_file(&path)?;
            }
        }
        if is_unknown { Err(CountError::UnknownInstruction) } else { Ok(()) }
    }

    /// Returns the instructions that were written since the last call, and removes their files: of all processes of the
    /// last run, after [`Self::check`], or of a part of one that still runs.
    pub(crate) fn count(&self) -> Result<u64, CountError> {
        let mut sum: u64 = 0;
        for file in std::fs::read_dir(self.folder.path())? {
            let path = file?.path();
            if is_log(&path) {
                continue;
            }
            let text = std::fs::read(&path)?;
            std::fs::remove_file(&path)?;
            // A process that still runs, or was killed, has written nothing.
            if !text.is_empty() {
                let found = total(&String::from_utf8_lossy(&text));
                sum = sum.saturating_add(found.ok_or(CountError::NoTotal { path })?);
            }
        }
        if sum > 0 { Ok(sum) } else { Err(CountError::NoCount) }
    }
}

/// Returns whether a file has Valgrind's messages.
fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == LOG)
}

/// Returns the instructions of a file of Callgrind: its `totals:`, or its `summary:` if it has none.
fn total(text: &str) -> Option<u64> {
    let value = |name: &str| {
        let mut values = text.lines().filter_map(|line| line.strip_prefix(name));
        values.next_back()?.split_whitespace().next()?.parse().ok()
    };
    value("totals:").or_else(|| value("summary:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_the_sum_of_its_processes() {
        let file = "creator: callgrind-3.19.0\npid: 7\ncmd:  sh -c x\n\nevents: Ir\nsummary: 5\n\nfn=(1) main\n3 5\n\ntotals: 8\n";
        let callgrind = Callgrind::new("valgrind".into()).unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(callgrind.folder.path().join(name), text).unwrap();
        let count = |files: &[&str]| {
            files.iter().enumerate().for_each(|(at, text)| write(&at.to_string(), text));
            callgrind.count()
        };
        write("4.log", "of a process that runs");
        assert_eq!(count(&[file, "totals: 6\n", "", "events: Ir\nsummary: 12 3\n"]).unwrap(), 26);
        assert!(matches!(count(&[]), Err(CountError::NoCount)), "they are removed");
        assert!(matches!(count(&["totals: five\n"]), Err(CountError::NoTotal { .. })));
    }

    #[test]
    fn instructions_that_it_does_not_know_are_an_error() {
        let callgrind = Callgrind::new("valgrind".into()).unwrap();
        let known = |status| callgrind.check(Some(ExitStatus::from_raw(status))).is_ok();
        // A signal is the lower byte of a status, an exit code the one above.
        for (status, is_known) in [(4, false), (132 << 8, false), (9, true), (4 << 8, true), (0, true)] {
            assert_eq!(known(status), is_known, "{status}");
        }
        let log = "==8578== Process terminating with default action of signal 4 (SIGILL)\n==8578==  Illegal opcode\n";
        std::fs::write(callgrind.folder.path().join("8578.log"), log).unwrap();
        assert!(!known(0), "in a child");
        assert!(known(0), "messages are removed");
    }
}
