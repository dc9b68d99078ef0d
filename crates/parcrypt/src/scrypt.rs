//! `parcrypt scrypt`: keys from passwords (RFC 7914).
//!
//! [`password`] reads the password, [`phc`] and [`keystore`] what it is verified against, and [`engine`] computes keys
//! within a limit on memory. Memory of passwords and keys is cleared when it is dropped.

mod engine;
mod keystore;
mod password;
mod phc;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use parcrypt_scrypt::{Error, Item, Params};
use zeroize::Zeroizing;

use crate::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE, fail};
use crate::text::{hex, shown, tell};
use crate::{files, interrupt};
use engine::{Engine, EngineArguments};
use keystore::Keystore;
use password::{PasswordArguments, Purpose};
use phc::Record;

/// Bytes that are cleared when they are dropped.
type Secret = Zeroizing<Vec<u8>>;

const MAX_LENGTH: usize = 1 << 20;

/// Keys from passwords by scrypt (RFC 7914)
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
The password is typed on the terminal, or read from a file; never from the command line
or the environment, which others can see. A PHC string has everything but the password:
its salt, the parameters and the key.

Examples:
  printf 'correct horse' > password    instead of typing it
  parcrypt scrypt --password-file password --output phc > record
  parcrypt scrypt --password-file password --verify record
  parcrypt scrypt --password-file password --salt-hex 00112233445566778899aabbccddeeff
  cat password | parcrypt scrypt --password-file - --salt-hex 0a0b -p 4 --length 32

Exit codes: 0 done, 1 the password does not match --verify or --keystore, 2 an error, 130 stopped by Ctrl-C."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    password: PasswordArguments,
    /// Use these bytes as the salt, in hexadecimal [default: 16 random bytes with --output phc]
    #[arg(long, value_name = "HEX")]
    salt_hex: Option<String>,
    /// log2 of N, the cost in time and memory: 128·r·N bytes for a lane
    #[arg(long, value_name = "BITS", default_value_t = 17, value_parser = clap::value_parser!(u8).range(1..=63))]
    log_n: u8,
    /// Block size, in 128 bytes
    #[arg(short, value_name = "R", default_value_t = 8, next_line_help = false)]
    r: u32,
    /// Lanes: more take longer and allow more parallelism, with the same memory for each
    #[arg(short, value_name = "P", default_value_t = 1, next_line_help = false)]
    p: u32,
    /// Bytes of the key, from 1 to 1048576 [default: 64; 32 with --output phc]
    #[arg(long, value_name = "BYTES", value_parser = length)]
    length: Option<usize>,
    /// Print the key in hexadecimal, or as a PHC string, a line with the salt, the parameters and the key, as servers
    /// store it
    #[arg(long, value_name = "FORM", default_value = "hex")]
    output: Form,
    /// Print whether the password matches the PHC string in this file; exit code 1 if not
    #[arg(long, value_name = "FILE", conflicts_with_all = ["keystore", "salt_hex", "log_n", "r", "p", "length", "output"])]
    verify: Option<PathBuf>,
    /// Print for each file whether the password opens it; exit code 1 if not. The files are key files of Ethereum
    /// (version 3, scrypt). Nothing is decrypted
    #[arg(long, value_name = "FILE", num_args = 1..,
        conflicts_with_all = ["salt_hex", "log_n", "r", "p", "length", "output"])]
    keystore: Vec<PathBuf>,
    /// With --keystore, print a JSON object for each file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Hex,
    Phc,
}

fn length(text: &str) -> Result<usize, String> {
    let length = text.parse().ok().filter(|length| (1..=MAX_LENGTH).contains(length));
    length.ok_or_else(|| format!("a key has from 1 to {MAX_LENGTH} bytes"))
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    // Before the first thread starts.
    let available = parcrypt_machine::memory_available();
    keep_out_of_dumps();
    interrupt::listen_twice("without clearing memory", || {}, password::restore_terminal);
    let run = || {
        if arguments.json && arguments.keystore.is_empty() {
            return Err(CommandError::new("--json: only --keystore prints JSON"));
        }
        let engine = Engine::new(&arguments.engine, available)?;
        match &arguments.verify {
            Some(path) => verify(arguments, &engine, path),
            None if !arguments.keystore.is_empty() => check_keystores(arguments, &engine),
            None => derive(arguments, &engine),
        }
    };
    match run() {
        Ok(code) => code,
        Err(_) if interrupt::requested() => {
            tell("stopped: nothing was derived");
            ExitCode::from(INTERRUPTED)
        }
        Err(error) => fail(error),
    }
}

/// Excludes the memory of this process from core dumps, and from access by other processes of the user.
fn keep_out_of_dumps() {
    // If the system refuses, the command continues.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
    #[cfg(unix)]
    let _ = nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_CORE, 0, 0);
}

fn derive(arguments: &Arguments, engine: &Engine) -> Result<ExitCode, CommandError> {
    // Errors are reported before the password is typed.
    let params =
        Params::new(1 << arguments.log_n, arguments.r, arguments.p).map_err(|error| match error {
            Error::NBeyondRfc { n, r } => CommandError::new(format!(
                "N = {n} with r = {r}: RFC 7914 requires N below 2^(16 r); lower --log-n or raise -r"
            )),
            error => error.into(),
        })?;
    engine.check(params)?;
    let salt = match &arguments.salt_hex {
        Some(text) => {
            crate::hex::decode(text.as_bytes()).map_err(|e| CommandError::new(format!("--salt-hex: {e}")))?
        }
        None if arguments.output == Form::Phc => {
            let mut salt = vec![0; 16];
            getrandom::fill(&mut salt)?;
            salt
        }
        None => {
            return Err(CommandError::new(
                "no salt: give --salt-hex with the salt of an existing key, or --output phc for a new one",
            ));
        }
    };
    check_salt(arguments, "--salt-hex", &salt)?;
    let (length, purpose) = match arguments.output {
        Form::Hex => (arguments.length.unwrap_or(64), Purpose::SameKey),
        Form::Phc => (arguments.length.unwrap_or(32), Purpose::NewKey),
    };
    if arguments.output == Form::Phc {
        phc::check(salt.len(), length)?;
    }
    let password = password::read(&arguments.password, purpose)?;
    let key = engine.derive(params, &[Item { password: &password, salt: &salt }], length)?;
    let text = match arguments.output {
        Form::Hex => Zeroizing::new(hex(&key).into_bytes()),
        Form::Phc => phc::text(params, &salt, &key),
    };
    // The line end is written by itself, so that the text is not moved.
    print(&text).and_then(|()| print(b"\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn verify(arguments: &Arguments, engine: &Engine, path: &Path) -> Result<ExitCode, CommandError> {
    let name = format!("--verify {}", shown(path));
    let record = interrupt::waiting(|| Record::read(path))
        .map_err(|why| CommandError::new(format!("{name}: {why}")))?;
    engine.check(record.params).map_err(|why| CommandError::new(format!("{name}: {why}")))?;
    check_salt(arguments, &name, &record.salt)?;
    let password = password::read(&arguments.password, Purpose::SameKey)?;
    let item = Item { password: &password, salt: &record.salt };
    match record.matches(&engine.derive(record.params, &[item], record.key.len())?) {
        true => print(b"the key matches\n").map(|()| ExitCode::SUCCESS),
        false => print(b"the key DOES NOT MATCH\n").map(|()| ExitCode::from(NEGATIVE)),
    }
}

fn check_keystores(arguments: &Arguments, engine: &Engine) -> Result<ExitCode, CommandError> {
    let read = |path: &PathBuf| {
        let file = interrupt::waiting(|| Keystore::read(path)).map_err(|why| why.to_string())?;
        engine.check(file.params).map(|()| file).map_err(|why| why.to_string())
    };
    let (mut verdicts, mut left) = (Vec::new(), Vec::new());
    for (i, path) in arguments.keystore.iter().enumerate() {
        let file = read(path);
        verdicts.push(file.as_ref().map(|_| false).map_err(String::clone));
        left.extend(file.ok().map(|file| (i, file)));
    }
    let password = match left.is_empty() {
        true => Zeroizing::default(),
        false => password::read(&arguments.password, Purpose::SameKey)?,
    };
    // Files with the same parameters are computed together.
    while let Some((_, Keystore { params, .. })) = left.first() {
        let params = *params;
        let (group, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, file)| file.params == params);
        let items: Vec<Item<'_>> =
            group.iter().map(|(_, file)| Item { password: &password, salt: &file.salt }).collect();
        match engine.derive(params, &items, keystore::KEY) {
            Err(error) if interrupt::requested() => return Err(error),
            Ok(keys) => {
                for ((i, file), key) in group.iter().zip(keys.chunks(keystore::KEY)) {
                    verdicts[*i] = Ok(file.opens_with(key));
                }
            }
            Err(error) => group.iter().for_each(|(i, _)| verdicts[*i] = Err(error.to_string())),
        }
        left = others;
    }
    let mut code = 0;
    for (path, verdict) in arguments.keystore.iter().zip(verdicts) {
        let name = shown(path);
        let text = match (&verdict, arguments.json) {
            (Ok(matches), true) => serde_json::json!({"file": name, "matches": matches}).to_string() + "\n",
            (Err(why), true) => serde_json::json!({"file": name, "error": why}).to_string() + "\n",
            (Ok(true), false) => format!("{name}: the password matches\n"),
            (Ok(false), false) => format!("{name}: the password DOES NOT MATCH\n"),
            (Err(_), false) => String::new(),
        };
        print(text.as_bytes())?;
        code = code.max(match verdict {
            Ok(matches) => NEGATIVE * u8::from(!matches),
            Err(why) => {
                tell(&format!("error: --keystore {name}: {why}"));
                ERROR
            }
        });
    }
    Ok(ExitCode::from(code))
}

/// Refuses an empty salt without `--allow-empty`.
fn check_salt(arguments: &Arguments, name: &str, salt: &[u8]) -> Result<(), CommandError> {
    match salt.is_empty() && !arguments.password.allow_empty {
        true => Err(CommandError::new(format!(
            "{name}: empty salt, with which equal passwords have equal keys (use --allow-empty to allow it)"
        ))),
        false => Ok(()),
    }
}

/// Writes to standard output, without the buffer of the standard library, which is not cleared.
fn print(bytes: &[u8]) -> Result<(), CommandError> {
    match files::stdout()?.write_all(bytes) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::new(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}
