//! Salts: given as text, in hexadecimal or as a file, or random.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::error::CommandError;
use crate::hex::{self, NotHex};
use crate::text::size;

/// The longest salt, in bytes.
pub(super) const MOST: usize = 1 << 20;

/// The length of the random salt of a PHC string, in bytes.
pub(super) const OF_PHC: usize = 16;

/// The source of the salt.
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Salt",
    group = ArgGroup::new("one salt").args(["salt", "salt_hex", "salt_file", "salt_random", "batch"])
)]
pub(super) struct SaltArguments {
    /// Use the bytes of this text as the salt
    #[arg(long, value_name = "TEXT")]
    salt: Option<String>,
    /// Use these bytes as the salt, in hexadecimal
    #[arg(long, value_name = "HEX")]
    salt_hex: Option<String>,
    /// Use all bytes of a file as the salt
    #[arg(long, value_name = "FILE")]
    salt_file: Option<PathBuf>,
    /// Generate a random salt of this many bytes, from 8 to 1024, and print it in hexadecimal; 16 is usual, and the
    /// default with --output phc
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(8..=1024))]
    salt_random: Option<u16>,
}

impl SaltArguments {
    /// Returns whether a random salt is asked for by its flag, and so must be printed.
    pub(super) fn is_random(&self) -> bool {
        self.salt_random.is_some()
    }

    /// Returns whether a salt is given; with `--verify` it need not be.
    pub(super) fn is_given(&self) -> bool {
        self.salt.is_some()
            || self.salt_hex.is_some()
            || self.salt_file.is_some()
            || self.salt_random.is_some()
    }

    /// Reads or generates the salt; `default` is the length of the random salt if none is given.
    ///
    /// # Errors
    /// No salt; malformed hexadecimal; errors of the system; an empty salt without `--allow-empty`; one that is too
    /// long.
    pub(super) fn read(&self, allow_empty: bool, default: Option<usize>) -> Result<Vec<u8>, CommandError> {
        let (name, salt) = if let Some(text) = &self.salt {
            ("--salt".to_owned(), text.clone().into_bytes())
        } else if let Some(text) = &self.salt_hex {
            let salt = from_hex(text).map_err(|why| CommandError::new(format!("--salt-hex: {why}")))?;
            ("--salt-hex".to_owned(), salt)
        } else if let Some(path) = &self.salt_file {
            let name = format!("--salt-file {}", super::shown(path));
            let mut salt = Vec::new();
            let read = File::open(path).and_then(|file| file.take(MOST as u64 + 1).read_to_end(&mut salt));
            read.map_err(|e| CommandError::new(format!("{name}: {e}")))?;
            (name, salt)
        } else {
            let len = self.salt_random.map(usize::from).or(default).ok_or_else(|| {
                CommandError::new(
                    "no salt: give --salt-random 16 for a new key, or --salt, --salt-hex or --salt-file with the salt of an existing \
                     key",
                )
            })?;
            let salt = random(len).map_err(|e| CommandError::new(format!("--salt-random: {e}")))?;
            ("--salt-random".to_owned(), salt)
        };
        if salt.len() > MOST {
            return Err(CommandError::new(format!("{name}: it is longer than {}", size(MOST as u64))));
        }
        if salt.is_empty() && !allow_empty {
            return Err(CommandError::new(format!(
                "{name}: empty salt, with which equal passwords have equal keys (use --allow-empty to allow it)"
            )));
        }
        Ok(salt)
    }
}

/// Returns random bytes.
pub(super) fn random(len: usize) -> Result<Vec<u8>, getrandom::Error> {
    let mut salt = vec![0; len];
    getrandom::fill(&mut salt)?;
    Ok(salt)
}

/// Decodes hexadecimal; the error does not repeat the digits, which may be secret.
pub(super) fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    hex::decode(text.as_bytes()).map_err(|why| match why {
        NotHex::NotADigit { at, .. } => format!("byte {at} is not a hexadecimal digit"),
        NotHex::Odd { digits } => format!("odd number of hexadecimal digits ({digits})"),
    })
}
