//! `parcrypt scrypt`: keys from passwords (RFC 7914).
//!
//! [`password`], [`salt`] and [`cost`] read the arguments, [`batch`] and [`line`](mod@line) a file of many requests,
//! [`record`] and [`keystore`] what a password is verified against, and [`key`] writes keys. Memory of passwords and
//! keys is cleared when it is dropped.

mod base64;
mod batch;
mod cost;
mod fields;
mod key;
mod keystore;
#[cfg_attr(windows, path = "scrypt/no_limits.rs")]
mod limits;
mod line;
mod password;
mod record;
mod salt;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use parcrypt_machine::AvailableMemory;
use parcrypt_scrypt::{Error, Item, Params, Progress, Requirements};
use serde_json::json;
use zeroize::Zeroizing;

use crate::error::{CommandError, INTERRUPTED, NEGATIVE, fail};
use crate::interrupt;
use crate::progress::Bar;
use crate::text::{hex, shown, tell};
use cost::{CostArguments, Engine, EngineArguments};
use key::{Expected, Form, KeyArguments, Target};
use keystore::Keystore;
use password::{PasswordArguments, Purpose, Secret};
use record::KeyRecord;
use salt::SaltArguments;

/// The longest key, in bytes.
const MOST_LENGTH: usize = 1 << 20;

/// Keys from passwords by scrypt (RFC 7914): one password or many
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
The password is typed on the terminal, or read from a file or a descriptor; never from
the command line or the environment, which others can see. Keep the salt and the
parameters: the password gives the same key only with them.

Examples:
  printf 'correct horse' > password    instead of typing it
  parcrypt scrypt --password-file password --salt-random 16 --time 200ms
  parcrypt scrypt --password-file password --salt-hex 00112233445566778899aabbccddeeff -o key
  parcrypt scrypt --password-file password --salt-hex 00112233445566778899aabbccddeeff --verify key
  parcrypt scrypt --password-file password --salt-random 16 --output phc -o record
  parcrypt scrypt --password-file password --verify record
  parcrypt scrypt --password-file password --salt site.example --log-n 14 -p 4 --length 32 --json
  parcrypt scrypt --password-fd 3 --salt site.example --output base64 3< password
  echo '{\"id\":1,\"password\":\"correct horse\",\"salt\":\"pepper\"}' > batch
  echo '{\"id\":2,\"password-hex\":\"00ff\",\"salt-hex\":\"0a0b\",\"log-n\":15}' >> batch
  parcrypt scrypt --batch batch --length 32

A batch has a JSON object on each line: password or password-hex, salt or salt-hex, and
optionally id, log-n, r, p and length; or password and verify, a PHC string or an object
of --json. The output has a line for each, in the same order: {\"id\":1,\"key\":\"...\"} or
{\"id\":1,\"matches\":true}, or {\"id\":1,\"line\":1,\"field\":\"salt\",\"error\":\"...\"}.

Exit codes: 0 done, 1 a password does not match --verify or verify, 2 an error, also in
one line of a batch; 130 stopped by Ctrl-C."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    password: PasswordArguments,
    #[command(flatten)]
    salt: SaltArguments,
    #[command(flatten)]
    cost: CostArguments,
    #[command(flatten)]
    key: KeyArguments,
    #[command(flatten)]
    batch: BatchArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Many keys at once.
#[derive(Args, Debug)]
#[command(next_help_heading = "Many keys")]
struct BatchArguments {
    /// Derive a key for each line of a file of JSON objects; `-` is standard input. The parameters of the command
    /// line are the defaults of its lines
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Stop at the first bad line, and write nothing with -o; by default the others are still processed
    #[arg(long, conflicts_with_all = ["salt", "salt_hex", "salt_file", "salt_random"])]
    fail_fast: bool,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    // Before the first thread starts.
    let room = AvailableMemory::now();
    keep_out_of_dumps();
    limits::outlive_file_size();
    interrupt::listen_twice("without clearing memory", || {}, leave_nothing);
    derive(arguments, room).unwrap_or_else(fail)
}

/// Restores the terminal and removes the unfinished file, before the process ends at once.
fn leave_nothing() {
    password::restore_terminal();
    // Locked to the end, so that no other file is begun.
    std::mem::forget(key::discard());
}

/// Shows the progress of a derivation, and returns whether it continues.
fn watch(bar: &Bar, progress: Progress) -> ControlFlow<()> {
    bar.set(progress.done, progress.total);
    if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Excludes the memory of this process from core dumps, and from access by other processes of the user.
fn keep_out_of_dumps() {
    // If the system refuses, the command continues.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
    #[cfg(unix)]
    let _ = nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_CORE, 0, 0);
}

fn derive(arguments: &Arguments, room: AvailableMemory) -> Result<ExitCode, CommandError> {
    // Errors are reported before the password is typed.
    arguments.password.check()?;
    let engine = Engine::new(&arguments.engine, room)?;
    let form = arguments.key.output;
    if let Some(path) = &arguments.batch.batch {
        if arguments.key.json || form == Form::Raw {
            return Err(CommandError::new(
                "--batch always prints JSON lines with keys in hex or base64: it cannot be used with --json or --output raw",
            ));
        }
        arguments.cost.params()?;
        let options = batch::Options {
            path,
            cost: &arguments.cost,
            form,
            allow_empty: arguments.password.allow_empty,
            fail_fast: arguments.batch.fail_fast,
        };
        return batch::run(&engine, &options, Target::new(&arguments.key)?);
    }
    if let (true, Form::Raw | Form::Phc) = (arguments.key.json, form) {
        let name = if form == Form::Raw { "raw" } else { "phc" };
        return Err(CommandError::new(format!(
            "--json prints the key in hex or base64: it cannot be used with --output {name}"
        )));
    }
    let bound = arguments.cost.bound();
    let expected = match (&arguments.key.verify, &arguments.key.keystore) {
        (Some(path), _) => Some(interrupt::waiting(|| Expected::read(path, form, bound))?),
        (None, Some(path)) => {
            Some(interrupt::waiting(|| Keystore::read(path, bound)).map(Expected::Keystore)?)
        }
        (None, None) => None,
    };
    let target = Target::new(&arguments.key)?;
    let KeySpec { params, salt, length, chosen } = match &expected {
        Some(Expected::Record(record)) => of_record(arguments, &engine, record)?,
        Some(Expected::Keystore(file)) => {
            engine.check(file.params).map_err(|why| CommandError::new(format!("--keystore: {why}")))?;
            KeySpec { params: file.params, salt: file.salt.clone(), length: keystore::KEY, chosen: None }
        }
        other => {
            let key = other.as_ref().and_then(|expected| match expected {
                Expected::Key(key) => Some(&key[..]),
                _ => None,
            });
            match request(arguments, &engine, key)? {
                Some(request) => request,
                None => return Ok(stopped()),
            }
        }
    };
    let is_new = expected.is_none() && (arguments.salt.is_random() || form == Form::Phc);
    let purpose = if is_new { Purpose::NewKey } else { Purpose::SameKey };
    let password = interrupt::waiting(|| password::read(&arguments.password, purpose))?;

    let mut key = Zeroizing::new(vec![0; length]);
    let begun = Instant::now();
    {
        let bar = Bar::delayed();
        let item = Item { password: &password, salt: &salt };
        let watch = |progress| watch(&bar, progress);
        match engine.scrypt.derive_watched(&*engine.runtime, params, &[item], &mut key, &watch) {
            Err(Error::Stopped) => {
                drop(bar);
                return Ok(stopped());
            }
            done => done.map_err(|error| CommandError::new(limits::of_memory(&error)))?,
        }
    }
    let took = begun.elapsed();
    drop(password);
    if let Some(expected) = expected {
        let what = if let Expected::Keystore(_) = &expected { "password" } else { "key" };
        let (word, code) = match expected.fits(&key) {
            true => (format!("the {what} matches\n"), ExitCode::SUCCESS),
            false => (format!("the {what} DOES NOT MATCH\n"), ExitCode::from(NEGATIVE)),
        };
        target_write(target, word.as_bytes())?;
        return Ok(code);
    }
    // The salt and the parameters are printed before the key, which is useless without them.
    chosen.iter().for_each(|text| tell(text));
    if arguments.salt.is_random() {
        tell(&format!("new salt: --salt-hex {}", hex(&salt)));
    }
    let text = if arguments.key.json {
        let needs = engine.scrypt.requirements(&*engine.runtime, params, 1)?;
        object(&engine, params, &salt, &form.write(params, &salt, &key), length, &needs, took)
    } else {
        let text = form.write(params, &salt, &key);
        if form == Form::Raw { text } else { joined(&[&text, b"\n"]) }
    };
    target_write(target, &text)?;
    Ok(ExitCode::SUCCESS)
}

/// The salt, the parameters and the length of a key.
struct KeySpec {
    params: Params,
    salt: Vec<u8>,
    length: usize,
    /// A note on parameters that were chosen by time.
    chosen: Option<String>,
}

/// Returns the request of a record.
///
/// # Errors
/// A salt or parameters in addition to it; a lane that does not fit the memory.
fn of_record(arguments: &Arguments, engine: &Engine, record: &KeyRecord) -> Result<KeySpec, CommandError> {
    if arguments.salt.is_given() || arguments.cost.is_given() {
        return Err(CommandError::new(
            "--verify: the file also has the salt and the parameters: remove --salt…, --log-n, --n, -r, -p, --length",
        ));
    }
    engine.check(record.params).map_err(|why| CommandError::new(format!("--verify: {why}")))?;
    let (params, salt, length) = (record.params, record.salt.clone(), record.key.len());
    Ok(KeySpec { params, salt, length, chosen: None })
}

/// Returns the request of the arguments, for a key of the expected length; `None` if the user has stopped the choice of
/// parameters.
///
/// # Errors
/// Arguments that are wrong; a lane that does not fit the memory.
fn request(
    arguments: &Arguments,
    engine: &Engine,
    expected: Option<&[u8]>,
) -> Result<Option<KeySpec>, CommandError> {
    let length = match (arguments.cost.length, expected) {
        (Some(length), Some(key)) if length != key.len() => {
            return Err(CommandError::new(format!(
                "--verify: the file has a key of {} bytes, but --length is {length}",
                key.len()
            )));
        }
        (Some(length), _) => length,
        (None, Some(key)) => key.len(),
        (None, None) => arguments.key.output.length(),
    };
    if expected.is_some() && !arguments.salt.is_given() {
        return Err(CommandError::new(
            "--verify: the file only has a key: give its --salt, --salt-hex or --salt-file, and its parameters",
        ));
    }
    let (params, chosen) = match arguments.cost.time() {
        None => (arguments.cost.params()?, None),
        Some(time) => match engine.choose(&arguments.cost, time, &interrupt::requested) {
            Err(_) if interrupt::requested() => return Ok(None),
            chosen => chosen.map(|(params, text)| (params, Some(text)))?,
        },
    };
    engine.check(params)?;
    let default = (arguments.key.output == Form::Phc).then_some(salt::OF_PHC);
    let salt = interrupt::waiting(|| arguments.salt.read(arguments.password.allow_empty, default))?;
    if arguments.key.output == Form::Phc {
        record::check_phc(salt.len(), length)?;
    }
    Ok(Some(KeySpec { params, salt, length, chosen }))
}

fn target_write(mut target: Target, text: &[u8]) -> Result<(), CommandError> {
    target.write(text)?;
    target.finish()
}

fn stopped() -> ExitCode {
    tell("stopped: nothing was derived");
    ExitCode::from(INTERRUPTED)
}

/// Concatenates the parts in memory that is not reallocated.
fn joined(parts: &[&[u8]]) -> Secret {
    let mut all = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
    parts.iter().for_each(|part| all.extend_from_slice(part));
    all
}

/// Returns the JSON object of one key on one line, with the names of a batch for the parameters.
fn object(
    engine: &Engine,
    params: Params,
    salt: &[u8],
    key: &[u8],
    length: usize,
    needs: &Requirements,
    took: Duration,
) -> Secret {
    let before = json!({
        "n": params.n(),
        "log-n": params.n().ilog2(),
        "r": params.r(),
        "p": params.p(),
        "length": length,
        "salt-hex": hex(salt),
    });
    let after = json!({
        "seconds": (took.as_secs_f64() * 1e6).round() / 1e6,
        "lanes": needs.lanes,
        "threads": needs.threads,
        "memory-bytes": needs.memory,
        "runtime": engine.runtime.name(),
        "backend": engine.scrypt.backend().name(),
    });
    let (before, after) = (before.to_string(), after.to_string());
    // The object is written in two parts, with the key between them.
    let (before, after) = (before.trim_end_matches('}'), after.trim_start_matches('{'));
    joined(&[before.as_bytes(), b",\"key\":\"", key, b"\",", after.as_bytes(), b"\n"])
}
