//! Limits of the shell (`ulimit`, setrlimit(2)): errors that they cause say which limit it is, and what to do.

use std::fmt;
use std::io::Error;

use nix::libc;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, Signal};
use parcrypt_machine::AvailableMemory;

use crate::text::size;

/// Makes a write beyond the limit on the size of files an error of that write, which ends the process otherwise. It is
/// called before other threads start, which inherit it.
pub(super) fn outlive_file_size() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // If the system refuses, the signal ends the process as before.
    let _ = signals.thread_block();
}

/// Returns the text of an error of a file, with a hint if the limit on the size of files is its cause.
pub(super) fn of_files(error: &Error) -> String {
    match (error.raw_os_error(), limit(Resource::RLIMIT_FSIZE)) {
        (Some(libc::EFBIG), Some(most)) => format!(
            "{error}: this shell limits files to {}; run `ulimit -f unlimited` first to lift this limit",
            size(most)
        ),
        _ => error.to_string(),
    }
}

/// Returns the text of an error of scrypt, with a hint if the limit on the address space is its cause.
pub(super) fn of_memory(error: &parcrypt_scrypt::Error) -> String {
    match (error, limit(Resource::RLIMIT_AS)) {
        (parcrypt_scrypt::Error::Allocation { .. }, Some(most)) => {
            format!("{error}: {}", address_space(most))
        }
        _ => error.to_string(),
    }
}

/// Returns the text of an error of starting threads, whose stacks take address space, with a hint if that is
/// limited.
pub(super) fn of_threads(error: impl fmt::Display) -> String {
    match limit(Resource::RLIMIT_AS) {
        Some(most) if error.to_string().contains("cannot be started") => {
            format!("{error}: {}", address_space(most))
        }
        _ => error.to_string(),
    }
}

/// Returns a hint if the limit on the address space leaves less memory than the machine has available.
pub(super) fn of_address_space(room: AvailableMemory) -> Option<String> {
    let left = room.address_space?;
    let most = limit(Resource::RLIMIT_AS)?;
    room.memory.is_none_or(|memory| memory >= left).then(|| address_space(most))
}

fn address_space(most: u64) -> String {
    format!(
        "this shell limits the address space of a process to {}; run `ulimit -v unlimited` first to lift this limit",
        size(most)
    )
}

/// Returns the limit, if there is one.
fn limit(resource: Resource) -> Option<u64> {
    getrlimit(resource).ok().map(|(soft, _)| soft).filter(|soft| *soft != libc::RLIM_INFINITY)
}
