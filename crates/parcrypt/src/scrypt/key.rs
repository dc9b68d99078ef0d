//! The output of a key: its form, its file, and the comparison with an expected one.

use std::fs::{self, File};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64ct::{Base64, Encoding};
use clap::{Args, ValueEnum};
use parcrypt_scrypt::Params;
use subtle::ConstantTimeEq;
use tempfile::{Builder, NamedTempFile};
use zeroize::Zeroizing;

use super::cost::Bound;
use super::keystore::Keystore;
use super::password::Secret;
use super::record::{self, KeyRecord};
use super::{MOST_LENGTH, base64, limits, salt, shown};
use crate::error::CommandError;
use crate::files::{fill, folder_of};
use crate::system;
use crate::text::hex;

/// The form of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    Hex,
    Base64,
    Raw,
    Phc,
}

/// The output of keys.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct KeyArguments {
    /// The form of the key: hex and base64 end with a line end, raw does not; phc is a line with the salt, the
    /// parameters and the key, as servers store it
    #[arg(long, value_name = "FORM", default_value = "hex", hide_possible_values = true)]
    pub(super) output: Form,
    /// Print a JSON object with the key, the salt, the parameters, and details of the computation
    #[arg(long)]
    pub(super) json: bool,
    /// Write to a file that only its owner can read, instead of standard output
    #[arg(short, long = "out", value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Overwrite an existing file of -o; write raw bytes to a terminal
    #[arg(long)]
    pub(super) force: bool,
    /// Print whether the key is the one in this file, instead of the key; exit code 1 if not. The file has a PHC string
    /// or an object of --json, which have the salt and the parameters, or a key in the form of --output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "json", "force", "salt_random", "time", "batch"])]
    pub(super) verify: Option<PathBuf>,
    /// Print whether the password opens this key file of Ethereum (version 3, scrypt); exit code 1 if not. Nothing is
    /// decrypted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "out", "json", "force", "output", "salt", "salt_hex",
        "salt_file", "salt_random", "log_n", "n", "r", "p", "length", "time", "batch"])]
    pub(super) keystore: Option<PathBuf>,
}

/// Compares two secrets in constant time.
pub(super) fn equal(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

impl Form {
    /// Returns the default length of a key in bytes. PHC strings usually have 32.
    pub(super) fn length(self) -> usize {
        if self == Form::Phc { 32 } else { 64 }
    }

    /// Returns the text or the bytes of a key, without a line end.
    pub(super) fn write(self, params: Params, salt: &[u8], key: &[u8]) -> Secret {
        Zeroizing::new(match self {
            Form::Raw => key.to_vec(),
            Form::Phc => return record::phc_string(params, salt, key),
            // Both encode into one buffer, which becomes the text.
            Form::Hex => hex(key).into_bytes(),
            Form::Base64 => Base64::encode_string(key).into_bytes(),
        })
    }

    /// Returns the key in a file of this form.
    fn read(self, text: &[u8]) -> Result<Secret, String> {
        if self == Form::Raw {
            return Ok(Zeroizing::new(text.to_vec()));
        }
        let text = std::str::from_utf8(text)
            .map_err(|_| "it is not text; --output raw takes its bytes as the key")?;
        match self {
            Form::Phc => Err("it is not a PHC string, which begins with `$`".to_owned()),
            Form::Hex => salt::from_hex(text).map(Zeroizing::new),
            _ => base64::decode(text.as_bytes())
                .ok_or_else(|| "it is not Base64 (RFC 4648, sections 4 and 5)".to_owned()),
        }
    }
}

/// What a key is compared with.
pub(super) enum Expected {
    Key(Secret),
    /// A key with its salt and parameters.
    Record(KeyRecord),
    /// A key file of Ethereum.
    Keystore(Keystore),
}

impl Expected {
    /// Reads the file of `--verify`.
    ///
    /// # Errors
    /// Errors of the system; a file of another form; an empty key.
    pub(super) fn read(path: &Path, form: Form, bound: Bound) -> Result<Self, CommandError> {
        let wrong = |why: &str| CommandError::new(format!("--verify {}: {why}", shown(path)));
        // An upper bound for all forms, with some white space.
        let mut bytes = Zeroizing::new(vec![0; 2 * (MOST_LENGTH + salt::MOST) + 4096]);
        let read = File::open(path).and_then(|mut file| fill(&mut file, &mut bytes));
        let text = &bytes[..read.map_err(|e| wrong(&e.to_string()))?];
        if form != Form::Raw && record::is_record(text) {
            return KeyRecord::parse(text, bound)
                .map(Expected::Record)
                .map_err(|why| wrong(&why.to_string()));
        }
        let key = form.read(text).map_err(|why| wrong(&why))?;
        match key.len() {
            0 => Err(wrong("it is empty")),
            len if len > MOST_LENGTH => Err(wrong(&format!("a key has at most {MOST_LENGTH} bytes"))),
            _ => Ok(Expected::Key(key)),
        }
    }

    /// Returns whether the derived key is the expected one.
    pub(super) fn fits(&self, derived: &[u8]) -> bool {
        match self {
            Expected::Key(key) => equal(derived, key),
            Expected::Record(record) => equal(derived, &record.key),
            Expected::Keystore(file) => file.fits(derived),
        }
    }
}

/// The unfinished file, before it is renamed; static, so that an interrupted process can remove it.
static UNFINISHED: Mutex<Option<NamedTempFile>> = Mutex::new(None);

/// Removes the unfinished file, and blocks others until the guard is dropped.
pub(super) fn discard() -> MutexGuard<'static, Option<NamedTempFile>> {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    *unfinished = None;
    unfinished
}

/// The destination of the output: a file that is renamed when it is complete, or standard output.
pub(super) enum Target {
    File { path: PathBuf, force: bool },
    Stdout,
}

impl Drop for Target {
    fn drop(&mut self) {
        drop(discard());
    }
}

impl Target {
    /// Checks that the output can be written, before anything is derived.
    ///
    /// # Errors
    /// An existing file without `--force`; a folder that does not exist or cannot be written; raw bytes for a terminal.
    pub(super) fn new(arguments: &KeyArguments) -> Result<Self, CommandError> {
        let Some(path) = arguments.out.clone() else {
            // With --verify the output is a verdict.
            let raw = arguments.output == Form::Raw && !arguments.json && arguments.verify.is_none();
            if raw && !arguments.force && std::io::stdout().is_terminal() {
                return Err(CommandError::new(
                    "--output raw: standard output is a terminal; give -o FILE, or --force to have raw bytes on it",
                ));
            }
            return Ok(Target::Stdout);
        };
        let name = || format!("-o {}", shown(&path));
        match fs::symlink_metadata(&path) {
            Ok(there) if !there.is_file() => {
                return Err(CommandError::new(format!("{}: exists and is not a regular file", name())));
            }
            Ok(_) if !arguments.force => {
                return Err(CommandError::new(format!(
                    "{}: already exists (use --force to overwrite)",
                    name()
                )));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(CommandError::new(format!("{}: {error}", name())));
            }
            _ => {}
        }
        // Errors are reported before the password is typed.
        tempfile::tempfile_in(folder_of(&path)).map_err(|e| CommandError::new(format!("{}: {e}", name())))?;
        Ok(Target::File { path, force: arguments.force })
    }

    /// Writes all the bytes in one call; returns `false` if the reader of standard output has closed it.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<bool, CommandError> {
        match self {
            Target::Stdout => {
                // A handle of its own, because `stdout()` writes through a buffer that is not cleared.
                let mut stdout = system::stdout()?;
                match stdout.write_all(bytes) {
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
                    Err(error) => {
                        Err(CommandError::new(format!("standard output: {}", limits::of_files(&error))))
                    }
                    Ok(()) => Ok(true),
                }
            }
            Target::File { path, .. } => {
                let failed = |e: std::io::Error| {
                    CommandError::new(format!("-o {}: {}", shown(path), limits::of_files(&e)))
                };
                let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
                let file = match unfinished.take() {
                    Some(file) => file,
                    // Mode 0600, whatever the umask.
                    None => Builder::new()
                        .prefix(".parcrypt-")
                        .suffix(".tmp")
                        .tempfile_in(folder_of(path))
                        .map_err(failed)?,
                };
                unfinished.insert(file).as_file_mut().write_all(bytes).map_err(failed)?;
                Ok(true)
            }
        }
    }

    /// Renames the complete file; otherwise it is removed.
    ///
    /// # Errors
    /// Errors of the system; a file that has appeared meanwhile.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        let Target::File { path, force } = &self else { return Ok(()) };
        let failed = |e: std::io::Error| match e.kind() {
            ErrorKind::AlreadyExists => {
                CommandError::new(format!("-o {}: already exists (use --force to overwrite)", shown(path)))
            }
            _ => CommandError::new(format!("-o {}: {e}", shown(path))),
        };
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = unfinished.take() else { return Ok(()) };
        file.as_file().sync_data().map_err(failed)?;
        let named = if *force { file.persist(path) } else { file.persist_noclobber(path) };
        named.map(drop).map_err(|e| failed(e.error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_round_trip_their_input() {
        let params = Params::new(16, 8, 1).unwrap();
        let write = |form: Form, key: &[u8]| form.write(params, b"salt", key);
        for len in 0..70u8 {
            let key: Vec<u8> = (0..len).map(|i| i.wrapping_mul(37)).collect();
            for form in [Form::Hex, Form::Base64, Form::Raw] {
                let mut text = write(form, &key).to_vec();
                if form != Form::Raw {
                    text.push(b'\n');
                }
                assert_eq!(form.read(&text).unwrap()[..], key[..], "{form:?} {len}");
            }
        }
        assert_eq!(write(Form::Hex, &[0, 171, 255])[..], *b"00abff");
        assert_eq!(write(Form::Base64, b"parcrypt")[..], *b"cGFyY3J5cHQ=");
        for (form, text, why) in [
            (Form::Hex, &b"0a0"[..], "odd number of hexadecimal digits (3)"),
            (Form::Hex, b"0x0g", "byte 3 is not a hexadecimal digit"),
            (Form::Base64, b"cGFyY3J5cHQ=!", "it is not Base64 (RFC 4648, sections 4 and 5)"),
            (Form::Hex, b"\xff", "it is not text; --output raw takes its bytes as the key"),
        ] {
            assert_eq!(form.read(text).unwrap_err(), why);
        }
        assert!(equal(b"ab", b"ab") && !equal(b"ab", b"ac") && !equal(b"ab", b"abc") && equal(b"", b""));
    }
}
