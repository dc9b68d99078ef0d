//! `--batch`: many keys, or passwords to verify; those with equal parameters are computed together.
//!
//! One thread reads lines ahead. The lines of a window are computed together; a window ends after a short time without
//! a line, so that a program can wait for each key before it writes its next line.

use std::fs::File;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parcrypt_scrypt::{Error, Item, Params};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::cost::{CostArguments, CostError, Engine};
use super::fields::FieldError;
use super::key::{self, Form, Target};
use super::line::{BatchRequest, BatchRequestError, Line, Lines, Rules};
use super::password::Secret;
use super::{limits, record, salt, watch};
use crate::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE};
use crate::interrupt;
use crate::progress::Bar;
use crate::text::{shown, size, tell};

/// Maximum number of lines of a window per thread: several groups of lanes each.
const WINDOW_PER_THREAD: usize = 64;

/// Maximum number of bytes of passwords, salts and keys of a window.
const WINDOW_BYTES: usize = 16 << 20;

/// Time that a window waits for a further line.
const MOMENT: Duration = Duration::from_millis(5);

/// Options of a batch.
pub(super) struct Options<'a> {
    pub(super) path: &'a Path,
    pub(super) cost: &'a CostArguments,
    pub(super) form: Form,
    pub(super) allow_empty: bool,
    pub(super) fail_fast: bool,
}

/// A line: its number, from 1, and its request.
struct Asked {
    number: u64,
    request: Result<BatchRequest, BatchRequestError>,
}

/// The answer to a line.
struct Answer {
    number: u64,
    id: Option<Value>,
    outcome: Result<Outcome, FieldError>,
}

/// The outcome of a line.
enum Outcome {
    /// Nothing was computed yet.
    Pending,
    /// The key, in its form.
    Key(Secret),
    /// Whether the password matches the record.
    Matches(bool),
}

/// Derives the keys of all lines and writes them.
///
/// # Errors
/// A batch that cannot be read, an output that cannot be written.
pub(super) fn run(
    engine: &Engine,
    options: &Options<'_>,
    mut target: Target,
) -> Result<ExitCode, CommandError> {
    let begun = Instant::now();
    let name = if options.path == Path::new("-") { "standard input".to_owned() } else { shown(options.path) };
    let failed = |e: std::io::Error| CommandError::new(format!("--batch {}: {e}", shown(options.path)));
    let file = if options.path == Path::new("-") {
        crate::system::stdin()?
    } else {
        interrupt::waiting(|| File::open(options.path)).map_err(failed)?
    };
    if file.is_terminal() {
        return Err(CommandError::new(format!(
            "--batch {name}: it is a terminal, which would show the passwords"
        )));
    }
    let (sender, lines) = sync_channel(16);
    let rules = Rules {
        allow_empty: options.allow_empty,
        bound: options.cost.bound(),
        random_salt: (options.form == Form::Phc).then_some(salt::OF_PHC),
    };
    // The thread is not joined, because it may wait for input forever.
    std::thread::spawn(move || read(file, rules, &sender));

    let window = WINDOW_PER_THREAD * engine.runtime.threads().get();
    let (mut done, mut others, mut bad, mut unread) = (0usize, 0usize, 0usize, false);
    while let Some(asked) = next_window(&lines, window, options) {
        let asked = asked.map_err(failed)?;
        let answers = match compute(engine, options, asked) {
            Some(answers) if !interrupt::requested() => answers,
            _ => {
                tell(&format!("stopped after {done} keys"));
                return Ok(ExitCode::from(INTERRUPTED));
            }
        };
        let first_wrong = answers.iter().position(|answer| answer.outcome.is_err());
        let wanted = match first_wrong.filter(|_| options.fail_fast) {
            Some(at) => &answers[..=at],
            None => &answers[..],
        };
        unread = !target.write(&text(wanted, options.form))?;
        for answer in wanted {
            match &answer.outcome {
                Ok(outcome) => {
                    done += 1;
                    others += usize::from(matches!(outcome, Outcome::Matches(false)));
                }
                Err(error) => {
                    bad += 1;
                    tell(&format!("error: {name}: line {}: {error}", answer.number));
                }
            }
        }
        if unread || options.fail_fast && bad > 0 {
            break;
        }
    }
    if bad > 0 && options.fail_fast {
        return Ok(ExitCode::from(ERROR));
    }
    target.finish()?;
    if bad > 0 {
        tell(&format!("{} lines: {done} keys, {bad} failed, in {:.1?}", done + bad, begun.elapsed()));
    }
    Ok(match () {
        () if bad > 0 || unread => ExitCode::from(ERROR),
        () if others > 0 => ExitCode::from(NEGATIVE),
        () => ExitCode::SUCCESS,
    })
}

/// Reads lines until the end of the file or until the receiver is closed.
fn read(file: File, rules: Rules, sender: &SyncSender<std::io::Result<Asked>>) {
    let mut lines = Lines::new(file);
    for number in 1.. {
        let request = match lines.next() {
            Ok(None) => return,
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
            Ok(Some(Line::Whole(line))) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(Some(Line::Whole(line))) => BatchRequest::parse(&line, &rules),
            Ok(Some(Line::TooLong)) => {
                let why = format!("it is longer than {}", size(super::line::MOST as u64));
                Err(BatchRequestError { id: None, error: FieldError::unnamed(why) })
            }
        };
        if sender.send(Ok(Asked { number, request })).is_err() {
            return;
        }
    }
}

/// Returns the lines of the next window; `None` at the end.
fn next_window(
    lines: &Receiver<std::io::Result<Asked>>,
    most: usize,
    options: &Options<'_>,
) -> Option<std::io::Result<Vec<Asked>>> {
    let mut all = Vec::new();
    let mut bytes = 0;
    let mut next = interrupt::waiting(|| lines.recv()).ok();
    while let Some(asked) = next.take() {
        let asked = match asked {
            Ok(asked) => asked,
            Err(error) => return Some(Err(error)),
        };
        if let Ok(request) = &asked.request {
            let length = request.length.map_or(options.length(), |length| length as usize);
            bytes += request.password.len() + request.salt.len() + 3 * length;
        }
        all.push(asked);
        if all.len() < most && bytes < WINDOW_BYTES {
            next = lines.recv_timeout(MOMENT).ok();
        }
    }
    if all.is_empty() { None } else { Some(Ok(all)) }
}

impl Options<'_> {
    /// Returns the default length of keys.
    fn length(&self) -> usize {
        self.cost.length.unwrap_or(self.form.length())
    }
}

/// Returns the parameters and the length of a request, whose lane fits the memory.
fn wanted(
    engine: &Engine,
    options: &Options<'_>,
    request: &BatchRequest,
) -> Result<(Params, usize), FieldError> {
    let cost = options.cost;
    let length = request.length.map_or(options.length(), |length| length as usize);
    if let Some((params, _)) = &request.expected {
        let fits = engine.check(*params);
        return match fits {
            Ok(()) => Ok((*params, length)),
            Err(why) => Err(FieldError::of("verify", format!("`verify`: {why}"))),
        };
    }
    // All are within their bounds.
    let number = |given: Option<u64>, default: u32| given.map_or(default, |n| u32::try_from(n).unwrap_or(0));
    let (r, p) = (number(request.r, cost.r()), number(request.p, cost.p()));
    let log_n = request.log_n.unwrap_or(cost.log_n().into());
    let params = cost.bound().params_of_log(log_n, r, p).map_err(|error| {
        let field = match error {
            CostError::Other(Error::BlocksAndLanes { .. }) if request.p.is_some() => "p",
            CostError::Other(Error::BlocksAndLanes { .. }) => "r",
            _ => "log-n",
        };
        FieldError::of(field, format!("`{field}`: {error}"))
    })?;
    engine.check(params).map_err(|why| FieldError::of("log-n", format!("`log-n`: {why}")))?;
    if options.form == Form::Phc {
        record::check_phc(request.salt.len(), length).map_err(|error| {
            let field =
                if matches!(error, record::KeyRecordError::SaltLength { .. }) { "salt" } else { "length" };
            FieldError::of(field, format!("`{field}`: {error}"))
        })?;
    }
    Ok((params, length))
}

/// Computes the keys of a window, group by group; returns `None` if the user has stopped it.
fn compute(engine: &Engine, options: &Options<'_>, asked: Vec<Asked>) -> Option<Vec<Answer>> {
    let mut groups: Vec<((Params, usize), Vec<usize>)> = Vec::new();
    let mut answers = Vec::with_capacity(asked.len());
    let mut requests = Vec::with_capacity(asked.len());
    for (i, Asked { number, request }) in asked.into_iter().enumerate() {
        let (id, outcome, request) = match request {
            Err(BatchRequestError { id, error }) => (id, Err(error), None),
            Ok(mut request) => match wanted(engine, options, &request) {
                Err(error) => (request.id.take(), Err(error), None),
                Ok(wanted) => {
                    match groups.iter_mut().find(|group| group.0 == wanted) {
                        Some(group) => group.1.push(i),
                        None => groups.push((wanted, vec![i])),
                    }
                    (request.id.take(), Ok(Outcome::Pending), Some(request))
                }
            },
        };
        answers.push(Answer { number, id, outcome });
        requests.push(request);
    }
    let bar = Bar::delayed();
    for ((params, length), members) in &groups {
        let of_group: Vec<&BatchRequest> = members.iter().filter_map(|i| requests[*i].as_ref()).collect();
        let items: Vec<Item<'_>> = of_group
            .iter()
            .map(|request| Item { password: &request.password, salt: &request.salt })
            .collect();
        let mut keys = Zeroizing::new(vec![0; length * items.len()]);
        let watch = |progress| watch(&bar, progress);
        let done = engine.scrypt.derive_watched(&*engine.runtime, *params, &items, &mut keys, &watch);
        for ((i, request), key) in members.iter().zip(of_group).zip(keys.chunks_exact(*length)) {
            answers[*i].outcome = match (&done, &request.expected) {
                (Err(Error::Stopped), _) => return None,
                (Err(error), _) => Err(FieldError::unnamed(limits::of_memory(error))),
                (Ok(()), Some((_, expected))) => Ok(Outcome::Matches(key::equal(key, expected))),
                (Ok(()), None) => Ok(Outcome::Key(options.form.write(*params, &request.salt, key))),
            };
        }
    }
    drop(bar);
    Some(answers)
}

/// Returns the lines of the output, in memory that is cleared and not reallocated.
fn text(answers: &[Answer], form: Form) -> Secret {
    let name = if form == Form::Phc { "phc" } else { "key" };
    let mut parts: Vec<(String, Option<&Secret>)> = Vec::with_capacity(answers.len());
    for Answer { number, id, outcome } in answers {
        let mut object = Map::new();
        object.extend(id.clone().map(|id| ("id".to_owned(), id)));
        let key = match outcome {
            Ok(Outcome::Key(key)) => {
                object.insert(name.to_owned(), "".into());
                Some(key)
            }
            Ok(Outcome::Matches(matches)) => {
                object.insert("matches".to_owned(), (*matches).into());
                None
            }
            Ok(Outcome::Pending) => None,
            Err(FieldError { field, why }) => {
                object.insert("line".to_owned(), (*number).into());
                object.extend(field.map(|field| ("field".to_owned(), field.into())));
                object.insert("error".to_owned(), why.as_str().into());
                None
            }
        };
        parts.push((Value::Object(object).to_string(), key));
    }
    let len =
        parts.iter().map(|(frame, key)| frame.len() + key.as_ref().map_or(0, |key| key.len()) + 1).sum();
    let mut all = Zeroizing::new(Vec::with_capacity(len));
    for (frame, key) in &parts {
        match key {
            None => all.extend_from_slice(frame.as_bytes()),
            // The digits are written between the last two quotes: `{"key":""}`.
            Some(key) => {
                let (head, tail) = frame.split_at(frame.len() - 2);
                [head.as_bytes(), key, tail.as_bytes()].iter().for_each(|part| all.extend_from_slice(part));
            }
        }
        all.push(b'\n');
    }
    all
}
