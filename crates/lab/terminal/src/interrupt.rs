//! Ctrl-C, SIGTERM and SIGHUP.
//!
//! The first one is a request to stop, which the work polls with [`requested`], and a second one with
//! [`requested_again`]. A command that has temporary files, or
//! changes the terminal, calls [`listen_twice`]: then the second one ends the process at once, and so does the first
//! one while the command waits for input, which may never come.

use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{INTERRUPTED, fail};
use crate::text::tell;

/// Whether a signal has arrived.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether another signal has arrived.
static AGAIN: AtomicBool = AtomicBool::new(false);

/// Whether the command waits for input.
static WAITING: AtomicBool = AtomicBool::new(false);

/// The clean-up before the process ends at once.
static CLEAN_UP: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Returns whether the user has requested a stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Returns whether the user has requested a stop twice, so that what must run after a stop has to end too.
pub fn requested_again() -> bool {
    AGAIN.load(Ordering::SeqCst)
}

/// Returns the flag behind [`requested`], for a library that polls a flag.
pub fn flag() -> &'static AtomicBool {
    &REQUESTED
}

/// Runs a command that every signal requests to stop, and returns its exit code: 130 if it ends with an error after
/// that. `otherwise` describes the effect of Ctrl-C if the system does not allow that.
pub fn run<E: std::fmt::Display>(otherwise: &str, command: impl FnOnce() -> Result<u8, E>) -> ExitCode {
    handle(otherwise, || {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            AGAIN.store(true, Ordering::SeqCst);
        }
    });
    match command() {
        Ok(code) => ExitCode::from(code),
        Err(_) if requested() => ExitCode::from(INTERRUPTED),
        Err(error) => fail(error),
    }
}

/// Makes the first signal a request to stop, and calls `noted`. A second one, or one during [`waiting`], calls
/// `clean_up` and ends the process with code 130. A mutex that `clean_up` locks with a guard that it forgets stays
/// locked to the end.
pub fn listen_twice(
    otherwise: &str,
    noted: impl Fn() + Send + 'static,
    clean_up: impl Fn() + Send + Sync + 'static,
) {
    CLEAN_UP.get_or_init(|| Box::new(clean_up));
    handle(otherwise, move || {
        noted();
        if REQUESTED.swap(true, Ordering::SeqCst) || WAITING.load(Ordering::SeqCst) {
            leave();
        }
    });
}

/// Ignores every signal, for a process that another one stops.
pub fn ignore() {
    let _ = ctrlc::set_handler(|| {});
}

/// Calls a function that may wait for input forever. A signal during the call, or before it, ends the process.
///
/// The handler stores the request and then loads `WAITING`; here the order is reversed. By sequential consistency, at
/// least one of the two loads the value that the other stored, so no signal is lost.
pub fn waiting<T>(f: impl FnOnce() -> T) -> T {
    WAITING.store(true, Ordering::SeqCst);
    if requested() {
        leave();
    }
    let value = f();
    WAITING.store(false, Ordering::SeqCst);
    value
}

fn leave() -> ! {
    if let Some(clean_up) = CLEAN_UP.get() {
        clean_up();
    }
    std::process::exit(INTERRUPTED.into());
}

fn handle(otherwise: &str, handler: impl FnMut() + Send + 'static) {
    if let Err(e) = ctrlc::set_handler(handler) {
        tell(&format!("warning: Ctrl-C will end this {otherwise}: {e}"));
    }
}
