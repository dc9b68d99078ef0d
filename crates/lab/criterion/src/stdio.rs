//! Standard input and output, kept for the lab's requests and the answers: what a suite prints goes to standard error,
//! and it reads nothing.

// The only calls into the system of this package, which has no dependency for them.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};

use crate::request::{parse, Request};

/// Longest request with its end of line, in bytes, as in the protocol.
const MAX_LINE: u64 = 1 << 20;

/// Exit code after an error.
const STATUS_ERROR: i32 = 2;

/// Writes why the process cannot go on to standard error, and ends it.
pub(crate) fn fail(why: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "error: {why}");
    std::process::exit(STATUS_ERROR)
}

/// The two streams to the lab.
pub(crate) struct Streams {
    requests: BufReader<File>,
    answers: File,
}

impl Streams {
    /// Returns the standard streams, and puts others in their place for everything else in this process and for its
    /// children.
    pub(crate) fn take() -> std::io::Result<Self> {
        extern "C" {
            fn dup2(from: i32, to: i32) -> i32;
        }
        let replace = |from: &dyn AsRawFd, to: i32| {
            // SAFETY: both are open files of this process, and nothing in it owns the standard ones.
            match unsafe { dup2(from.as_raw_fd(), to) } {
                -1 => Err(std::io::Error::last_os_error()),
                _ => Ok(()),
            }
        };
        // The copies are closed in children.
        let requests = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
        let answers = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
        replace(&File::open("/dev/null")?, 0)?;
        replace(&std::io::stderr(), 1)?;
        Ok(Streams { requests: BufReader::new(requests), answers })
    }

    /// Returns the next request for work; nothing after `quit`, and at the end of input.
    pub(crate) fn work(&mut self) -> Option<(u64, Request)> {
        let mut line = Vec::new();
        if let Err(error) = self.requests.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line) {
            fail(&format!("standard input: {error}"));
        }
        if line.is_empty() {
            return None;
        }
        if line.len() as u64 > MAX_LINE {
            fail(&format!("a request of over {MAX_LINE} bytes"));
        }
        let text = String::from_utf8_lossy(&line);
        let Some((id, request)) = parse(&text) else { fail(&format!("`{}` is no request", text.trim_end())) };
        Some((id, request)).filter(|(_, request)| *request != Request::Quit)
    }

    pub(crate) fn send(&mut self, line: &str) -> std::io::Result<()> {
        self.answers.write_all(format!("{line}\n").as_bytes())
    }

    /// Sends a line. If the lab is gone, the process ends.
    pub(crate) fn answer(&mut self, line: &str) {
        match self.send(line) {
            Ok(()) => (),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => fail(&format!("standard output: {error}")),
        }
    }
}

/// Calls a function when the process ends by a return from `main`, or by `exit`.
pub(crate) fn at_exit(f: extern "C" fn()) {
    extern "C" {
        fn atexit(f: extern "C" fn()) -> i32;
    }
    // SAFETY: `f` takes nothing, and lives as long as the program. If there is no room for it, it is not called.
    unsafe { atexit(f) };
}
