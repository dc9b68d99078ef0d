//! Passwords, only from the terminal, a file or a descriptor. They are cleared when they are dropped.
//!
//! No buffer is left uncleared: files are read without a buffer into memory of a fixed size, which is not reallocated.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::error::CommandError;
use crate::files::fill;
use crate::text::size;

/// Bytes that are cleared when they are dropped.
pub(super) type Secret = Zeroizing<Vec<u8>>;

/// The longest password, in bytes.
pub(super) const MOST: usize = 1 << 20;

/// The longest line of a terminal in bytes, with its end; the rest is lost (`termios(3)`, `MAX_CANON` of Linux).
const MOST_TYPED: usize = 4095;

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
        return Ok(File::from(std::io::stdin().as_fd().try_clone_to_owned()?));
    }
    File::open(path)
}

/// Opens a descriptor of the caller again, at its position, which is unchanged.
fn descriptor(number: u16) -> std::io::Result<File> {
    let mut file = File::open(format!("/dev/fd/{number}"))?;
    // A descriptor opened through /dev/fd begins at the start on Linux; elsewhere it shares the position.
    if cfg!(target_os = "linux") && file.metadata()?.is_file() {
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}"))?;
        let position = info.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok());
        let unknown = || Error::other("the system does not tell its position");
        file.seek(SeekFrom::Start(position.ok_or_else(unknown)?))?;
    }
    Ok(file)
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

/// The terminal whose echo is off, and its previous settings.
static QUIET: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Restores the echo of the terminal; an interrupted process calls it too.
pub(super) fn restore_terminal() {
    if let Some((terminal, before)) = QUIET.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // A terminal that no longer exists needs no restoring.
        let _ = tcsetattr(&terminal, SetArg::TCSANOW, &before);
    }
}

/// [`restore_terminal`] at the end of a block.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Prompts on the terminal of the process, whatever its standard streams are.
///
/// No crate is used, because Ctrl-C has to restore the terminal, and a password need not be UTF-8.
fn ask(prompt: &str) -> Result<Secret, CommandError> {
    let none = |e: std::io::Error| {
        CommandError::new(format!(
            "no terminal to ask for the password ({e}): give --password-file FILE or --password-fd N"
        ))
    };
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(none)?;
    let before = tcgetattr(&terminal)?;
    let mut quiet = before.clone();
    quiet.local_flags.remove(LocalFlags::ECHO);
    quiet.local_flags.insert(LocalFlags::ICANON | LocalFlags::ISIG | LocalFlags::ECHONL);
    let mut bytes = Zeroizing::new(vec![0; MOST_TYPED + 1]);
    let mut len = 0;
    {
        let _restored = Restored;
        *QUIET.lock().unwrap_or_else(PoisonError::into_inner) = Some((terminal.try_clone()?, before));
        // Input before the prompt is discarded.
        tcsetattr(&terminal, SetArg::TCSAFLUSH, &quiet)?;
        terminal.write_all(prompt.as_bytes())?;
        while len < bytes.len() && !bytes[..len].ends_with(b"\n") {
            match terminal.read(&mut bytes[len..]) {
                Ok(0) => break,
                Ok(more) => len += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    bytes.truncate(len);
    if len == 0 {
        return Err(CommandError::new("no password was typed"));
    }
    if len >= MOST_TYPED {
        return Err(CommandError::new(format!(
            "a terminal reads at most {} bytes: give a longer password with --password-file FILE",
            MOST_TYPED - 1
        )));
    }
    if bytes.ends_with(b"\n") {
        bytes.truncate(len - 1);
    }
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
