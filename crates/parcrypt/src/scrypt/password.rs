//! Passwords, only from the terminal or a file. They are cleared when they are dropped.
//!
//! No buffer is left uncleared: files are read without a buffer into memory of a fixed size, which is not reallocated.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Secret;
use crate::error::CommandError;
use crate::text::{shown, size};
use crate::{files, interrupt};

pub(super) use terminal::restore_terminal;

const MAX_LENGTH: usize = 1 << 20;

#[derive(Args, Debug)]
pub(super) struct PasswordArguments {
    /// Read the password from a file, without one trailing line end; `-` is standard input [default: ask for it]
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Allow an empty password or an empty salt, which is an error otherwise
    #[arg(long)]
    pub(super) allow_empty: bool,
}

/// Whether a password makes a new key, or repeats an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A typing error would be noticed only when the key is needed again, so the password is asked for twice.
    NewKey,
    /// A typing error gives another key than before.
    SameKey,
}

pub(super) fn read(arguments: &PasswordArguments, purpose: Purpose) -> Result<Secret, CommandError> {
    let (name, secret) = interrupt::waiting(|| match &arguments.password_file {
        Some(path) => {
            let name = format!("--password-file {}", shown(path));
            contents(path)
                .map(|secret| (name.clone(), secret))
                .map_err(|e| CommandError::new(format!("{name}: {e}")))
        }
        None => {
            let secret = terminal::ask("Password: ")?;
            if purpose == Purpose::NewKey
                && !bool::from(secret.ct_eq(&terminal::ask("Repeat the password: ")?))
            {
                return Err(CommandError::new("the passwords differ: nothing was derived"));
            }
            Ok(("terminal".to_owned(), secret))
        }
    })?;
    if secret.len() > MAX_LENGTH {
        return Err(CommandError::new(format!("{name}: it is longer than {}", size(MAX_LENGTH as u64))));
    }
    if secret.is_empty() && !arguments.allow_empty {
        return Err(CommandError::new(format!("{name}: empty password (use --allow-empty to allow it)")));
    }
    Ok(secret)
}

/// Reads a file from its position, at most three bytes more than a password: a line end and one to detect that it is
/// too long.
fn contents(path: &Path) -> std::io::Result<Secret> {
    // A handle of its own, because `stdin()` reads through a buffer that is not cleared.
    let mut file = if path == Path::new("-") { files::stdin()? } else { File::open(path)? };
    if file.is_terminal() {
        return Err(std::io::Error::other(
            "it is a terminal, which would show the password; leave the flag out to type it unseen",
        ));
    }
    let mut bytes = read_until(&mut file, MAX_LENGTH + 3, |_| false)?;
    take_line_end(&mut bytes);
    Ok(bytes)
}

/// Reads at most `max` bytes, until they are enough or the file ends.
fn read_until(file: &mut File, max: usize, are_enough: impl Fn(&[u8]) -> bool) -> std::io::Result<Secret> {
    let mut bytes = Zeroizing::new(vec![0; max]);
    let mut len = 0;
    while len < max && !are_enough(&bytes[..len]) {
        match file.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(len);
    Ok(bytes)
}

fn take_line_end(secret: &mut Secret) {
    let without = secret.strip_suffix(b"\n").map(|rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    let len = without.unwrap_or(secret).len();
    secret.truncate(len);
}

/// Passwords from the terminal. No crate is used, because Ctrl-C has to restore the echo, and no buffer may be left.
#[cfg(unix)]
mod terminal {
    use std::fs::{File, OpenOptions};
    use std::io::Write;
    use std::sync::{Mutex, PoisonError};

    use super::{CommandError, Secret, read_until, take_line_end};
    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};

    /// Maximum length of a line of a terminal in bytes, with its end; the rest is lost (`termios(3)`, `MAX_CANON` of
    /// Linux).
    const MAX_LINE: usize = 4095;

    /// The terminal whose echo is off, and its previous settings.
    static QUIET: Mutex<Option<(File, Termios)>> = Mutex::new(None);

    /// Restores the echo of the terminal; an interrupted process calls it too.
    pub(in crate::scrypt) fn restore_terminal() {
        if let Some((terminal, before)) = QUIET.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A terminal that no longer exists needs no restoring.
            let _ = tcsetattr(&terminal, SetArg::TCSANOW, &before);
        }
    }

    /// Prompts on the terminal of the process, whatever its standard streams are.
    pub(super) fn ask(prompt: &str) -> Result<Secret, CommandError> {
        let none = |e: std::io::Error| {
            CommandError::new(format!("no terminal to ask for the password ({e}): give --password-file FILE"))
        };
        let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(none)?;
        let before = tcgetattr(&terminal)?;
        let mut quiet = before.clone();
        quiet.local_flags.remove(LocalFlags::ECHO);
        quiet.local_flags.insert(LocalFlags::ICANON | LocalFlags::ISIG | LocalFlags::ECHONL);
        *QUIET.lock().unwrap_or_else(PoisonError::into_inner) = Some((terminal.try_clone()?, before));
        // Input before the prompt is discarded.
        let line = tcsetattr(&terminal, SetArg::TCSAFLUSH, &quiet)
            .map_err(Into::into)
            .and_then(|()| terminal.write_all(prompt.as_bytes()))
            .and_then(|()| read_until(&mut terminal, MAX_LINE + 1, |line| line.ends_with(b"\n")));
        restore_terminal();
        let mut line = line?;
        match line.len() {
            0 => Err(CommandError::new("no password was typed")),
            MAX_LINE.. => Err(CommandError::new(format!(
                "a terminal reads at most {} bytes: give a longer password with --password-file FILE",
                MAX_LINE - 1
            ))),
            _ => {
                take_line_end(&mut line);
                Ok(line)
            }
        }
    }
}

/// Passwords from the console of Windows, where Ctrl-C leaves its settings as they are.
#[cfg(windows)]
mod terminal {
    use super::{CommandError, Secret};

    pub(in crate::scrypt) fn restore_terminal() {}

    /// Prompts on the console. The buffers in which the crate `console` collects the keys are not cleared.
    pub(super) fn ask(prompt: &str) -> Result<Secret, CommandError> {
        let console = console::Term::stderr();
        let typed = console.write_str(prompt).and_then(|()| console.read_secure_line());
        let typed = typed.map_err(|e| {
            CommandError::new(format!("no console to ask for the password ({e}): give --password-file FILE"))
        })?;
        match typed.is_empty() {
            true => Err(CommandError::new("no password was typed")),
            false => Ok(Secret::new(typed.into_bytes())),
        }
    }
}
