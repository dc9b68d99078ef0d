//! Passwords, only from the terminal, a file or a descriptor. They are cleared when they are dropped.
//!
//! No buffer is left uncleared: files are read without a buffer into memory of a fixed size, which is not reallocated.

#[cfg_attr(windows, path = "password/console.rs")]
mod terminal;

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use zeroize::Zeroizing;

use crate::error::CommandError;
use crate::files::fill;
use crate::system;
use crate::text::size;

pub(super) use terminal::restore_terminal;
use terminal::{ask, descriptor};

/// Bytes that are cleared when they are dropped.
pub(super) type Secret = Zeroizing<Vec<u8>>;

/// The longest password, in bytes.
pub(super) const MOST: usize = 1 << 20;

/// The source of the password.
#[derive(Args, Debug)]
#[command(next_help_heading = "Password")]
pub(super) struct PasswordArguments {
    /// Read the password from a file; `-` is standard input. One trailing line end, \n or \r\n, is removed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["password_fd", "batch"])]
    password_file: Option<PathBuf>,
    /// Read the password from a descriptor that the caller has opened, in the same way
    #[arg(long, value_name = "N", conflicts_with = "batch")]
    password_fd: Option<u16>,
    /// Keep a trailing line end of the file or descriptor, for passwords that are not text
    #[arg(long, conflicts_with = "batch")]
    exact: bool,
    /// Ask for the password twice; the default for a new key (with --salt-random or --output phc)
    #[arg(long, conflicts_with_all = ["password_file", "password_fd", "exact", "batch"])]
    confirm: bool,
    /// Ask for the password only once, for scripts
    #[arg(long, conflicts_with_all = ["confirm", "password_file", "password_fd", "exact", "batch"])]
    no_confirm: bool,
    /// Not a source: an error that says why
    #[arg(long, hide = true, num_args = 0..=1, value_name = "PASSWORD")]
    password: Option<Option<OsString>>,
    /// Allow an empty password or an empty salt, which is an error otherwise
    #[arg(long)]
    pub(super) allow_empty: bool,
}

impl PasswordArguments {
    /// Checks that the command line has no password.
    ///
    /// # Errors
    /// A flag `--password`, whose value is not repeated.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        match &self.password {
            None => Ok(()),
            Some(_) => Err(CommandError::new(
                "--password is not supported: other users can read command lines, and shells store them. Leave it out to \
                 be asked, or give --password-file FILE or --password-fd N",
            )),
        }
    }
}

/// Whether a password makes a new key, or repeats an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A typing error would be noticed only when the key is needed again.
    NewKey,
    /// A typing error gives another key than before.
    SameKey,
}

/// Reads the password, or asks for it: for a new key twice.
///
/// # Errors
/// Errors of the system; an empty password; one that is too long; two that differ; no terminal.
pub(super) fn read(arguments: &PasswordArguments, purpose: Purpose) -> Result<Secret, CommandError> {
    let twice = arguments.confirm || purpose == Purpose::NewKey && !arguments.no_confirm;
    let (name, mut secret) = match (&arguments.password_file, arguments.password_fd) {
        (Some(path), _) => {
            let name = format!("--password-file {}", super::shown(path));
            let file = open(path).map_err(|e| CommandError::new(format!("{name}: {e}")))?;
            let secret = contents(file, &name)?;
            (name, secret)
        }
        (None, Some(number)) => {
            let name = format!("--password-fd {number}");
            let failed = |e: std::io::Error| match e.kind() {
                ErrorKind::NotFound => CommandError::new(format!(
                    "{name}: no such descriptor is open; a shell opens it with {number}< FILE"
                )),
                _ => CommandError::new(format!("{name}: {e}")),
            };
            let secret = contents(descriptor(number).map_err(failed)?, &name)?;
            (name, secret)
        }
        (None, None) => {
            let secret = ask("Password: ")?;
            if twice && !super::key::equal(&secret, &ask("Repeat the password: ")?) {
                return Err(CommandError::new("the passwords differ: nothing was derived"));
            }
            ("terminal".to_owned(), secret)
        }
    };
    let from_file = arguments.password_file.is_some() || arguments.password_fd.is_some();
    if from_file && !arguments.exact {
        take_line_end(&mut secret);
    }
    if secret.len() > MOST {
        return Err(CommandError::new(format!("{name}: it is longer than {}", size(MOST as u64))));
    }
    if secret.is_empty() && !arguments.allow_empty {
        return Err(CommandError::new(format!("{name}: empty password (use --allow-empty to allow it)")));
    }
    Ok(secret)
}

/// Removes one line end, `\n` or `\r\n`.
fn take_line_end(secret: &mut Secret) {
    let without = secret.strip_suffix(b"\n").map(|rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    let len = without.unwrap_or(secret).len();
    secret[len..].fill(0);
    secret.truncate(len);
}

fn open(path: &Path) -> std::io::Result<File> {
    if path == Path::new("-") {
        // A handle of its own, because `stdin()` reads through a buffer that is not cleared.
        return system::stdin();
    }
    File::open(path)
}

/// Reads a file from its position, at most three bytes more than a password: a line end and one to detect that it is
/// too long.
fn contents(mut file: File, name: &str) -> Result<Secret, CommandError> {
    if file.is_terminal() {
        return Err(CommandError::new(format!(
            "{name}: it is a terminal, which would show the password; leave the flag out to type it unseen"
        )));
    }
    let mut bytes = Zeroizing::new(vec![0; MOST + 3]);
    let len = fill(&mut file, &mut bytes).map_err(|e| CommandError::new(format!("{name}: {e}")))?;
    bytes.truncate(len);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_end_is_taken_off() {
        for (text, left) in [
            (&b"pw\n"[..], &b"pw"[..]),
            (b"pw\r\n", b"pw"),
            (b"pw\n\n", b"pw\n"),
            (b"pw\r", b"pw\r"),
            (b"\n", b""),
            (b"", b""),
            (b"pw \n", b"pw "),
        ] {
            let mut secret = Zeroizing::new(text.to_vec());
            take_line_end(&mut secret);
            assert_eq!(secret[..], *left, "{text:?}");
        }
    }
}
