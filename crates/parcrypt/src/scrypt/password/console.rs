//! Passwords from the console, on Windows.

use std::fs::File;
use std::io::{Error, ErrorKind};

use console::Term;
use zeroize::Zeroizing;

use super::Secret;
use crate::error::CommandError;

/// Returns an error: a process of Windows has no numbered descriptors.
pub(super) fn descriptor(_: u16) -> std::io::Result<File> {
    Err(Error::from(ErrorKind::Unsupported))
}

/// Does nothing: keys are read without echo, and the console's settings stay as they are.
pub(in crate::scrypt) fn restore_terminal() {}

/// Prompts on the console. The buffers in which the crate `console` collects the keys are not cleared.
pub(super) fn ask(prompt: &str) -> Result<Secret, CommandError> {
    let console = Term::stderr();
    let typed = console.write_str(prompt).and_then(|()| console.read_secure_line());
    let typed = typed.map_err(|e| {
        CommandError::new(format!("no console to ask for the password ({e}): give --password-file FILE"))
    })?;
    if typed.is_empty() {
        return Err(CommandError::new("no password was typed"));
    }
    Ok(Zeroizing::new(typed.into_bytes()))
}
