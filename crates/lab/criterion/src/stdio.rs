//! Standard input and output, kept for the lab: what a suite prints goes to standard error, and it reads nothing.

// The only calls into the system of this package, which has no dependency for them.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{BufRead, Write};
use std::os::fd::{AsFd, AsRawFd};

/// The two streams to the lab.
pub(crate) struct Streams {
    pub(crate) requests: Box<dyn BufRead + Send>,
    pub(crate) answers: Box<dyn Write + Send>,
}

/// Returns the standard streams, and puts others in their place for everything else in this process and for its
/// children.
///
/// # Errors
/// The system refuses.
pub(crate) fn take() -> std::io::Result<Streams> {
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
    Ok(Streams { requests: Box::new(std::io::BufReader::new(requests)), answers: Box::new(answers) })
}

/// Calls a function when the process ends by a return from `main`, or by `exit`.
pub(crate) fn at_exit(f: extern "C" fn()) {
    extern "C" {
        fn atexit(f: extern "C" fn()) -> i32;
    }
    // SAFETY: `f` takes nothing, and lives as long as the program. If there is no room for it, it is not called.
    unsafe { atexit(f) };
}
