//! Passwords from the terminal or a descriptor of the caller, on Unix.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use super::Secret;
use crate::error::CommandError;

/// The longest line of a terminal in bytes, with its end; the rest is lost (`termios(3)`, `MAX_CANON` of Linux).
const MOST_TYPED: usize = 4095;

/// Opens a descriptor of the caller again, at its position, which is unchanged.
pub(super) fn descriptor(number: u16) -> std::io::Result<File> {
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

/// The terminal whose echo is off, and its previous settings.
static QUIET: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Restores the echo of the terminal; an interrupted process calls it too.
pub(in crate::scrypt) fn restore_terminal() {
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
pub(super) fn ask(prompt: &str) -> Result<Secret, CommandError> {
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
