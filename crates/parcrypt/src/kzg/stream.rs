//! The pipeline of a job: one thread reads, one computes with the runtime, one writes, each a batch ahead of the next.
//!
//! At most three batches are in memory, whatever the number of inputs, and the cores do not wait for files. Results are
//! in the order of the inputs. With ranks, each computes batches of its own, and the batches in memory grow with their
//! number.

#[cfg(feature = "mpi")]
mod over_ranks;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(feature = "mpi")]
use std::sync::mpsc::channel;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parcrypt_kzg::jobs::{self, ItemError, Operation, Outcome};
use serde_json::{Map, Value};

use super::engine::Engine;
use super::entries::{Entry, Found, Want};
use super::results::hold_writes;
use super::{InputError, hex0x, shown, tell};
use crate::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE, fail};
use crate::interrupt;
use crate::progress::Bar;
use crate::text::seconds;

/// Whether the user has stopped the job before its end.
static UNFINISHED: AtomicBool = AtomicBool::new(false);

/// Returns whether the job of this process was left unfinished because the user has stopped it.
pub(super) fn is_unfinished() -> bool {
    UNFINISHED.load(Ordering::Relaxed)
}

/// An operation over many files.
pub(super) trait FileJob: Sync {
    /// The input after reading.
    type Read: Send;
    /// Its result.
    type Output: Send;

    /// Reads one input, or returns its result if that is done.
    fn read(&self, entry: &Entry) -> Result<ReadOutcome<Self::Read, Self::Output>, InputError>;

    /// Returns the operation on each input.
    fn operation(&self) -> Operation;

    /// Returns the item of the batch job for one input.
    fn item<'a>(&self, read: &'a Self::Read) -> jobs::Item<'a>;

    /// Returns the output of [`FileJob::operation`] in the form of this job; `None` for the output of another
    /// operation.
    fn output(&self, output: jobs::Output) -> Option<Self::Output>;

    /// Returns the error of an input that the library refused.
    fn error(&self, entry: &Entry, _read: &Self::Read, error: &parcrypt_kzg::Error) -> InputError {
        InputError::of(entry, error)
    }

    /// Writes the results of one input; a verification has none.
    fn save(&self, read: &Self::Read, output: &Self::Output) -> Result<(), InputError>;

    /// Returns the message on one input.
    fn message(&self, entry: &Entry, output: &Self::Output) -> Message;

    /// Returns the message on an input whose contents cannot be right, if that is a negative answer and not an error.
    fn damaged(&self, _entry: &Entry, _why: &str) -> Option<Message> {
        None
    }
}

/// The outcome of reading one input.
pub(super) enum ReadOutcome<R, M> {
    /// The input must be computed.
    Fresh(R),
    /// The result is done.
    Done(M),
}

/// The message on one input.
pub(super) struct Message {
    /// Lines of text, each with its end.
    pub(super) text: String,
    /// The fields of the JSON object.
    pub(super) fields: Vec<(&'static str, Value)>,
    /// Whether a verification failed.
    pub(super) negative: bool,
    /// Whether that is because nothing could be computed.
    pub(super) damaged: bool,
    /// Whether the text has a result that is in no file.
    pub(super) unsaved: bool,
}

/// Options of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Inputs that are computed at once.
    pub(super) batch: usize,
    /// Whether results are written to standard output, as JSON lines.
    pub(super) json: bool,
    /// Whether the results are on standard output only, and not in files.
    pub(super) to_stdout: bool,
    /// Whether the first bad input ends the job.
    pub(super) fail_fast: bool,
    /// Whether only errors, failed verifications and what has no file are printed.
    pub(super) quiet: bool,
}

/// An input in the pipeline.
struct Item<J: FileJob> {
    entry: usize,
    state: State<J>,
}

enum State<J: FileJob> {
    Read(J::Read),
    Computed(J::Read, J::Output),
    Done(J::Output),
    Bad(InputError),
}

/// Counts of a job.
#[derive(Debug, Default)]
struct Counts {
    computed: usize,
    there: usize,
    negative: usize,
    /// Those of `negative` that were not computed.
    damaged: usize,
    bad: usize,
    /// The error that ended the job.
    fatal: Option<CommandError>,
    /// Whether standard output is closed.
    closed: bool,
}

/// A running job, shared by its three threads.
struct Pipeline<'a, J: FileJob> {
    job: &'a J,
    entries: &'a [Entry],
    options: Options,
    bar: Bar,
    /// Set when no further batch may begin.
    halt: AtomicBool,
    /// Batches that are written.
    written: AtomicUsize,
}

/// Runs a job over all inputs.
pub(super) fn run<J: FileJob>(
    job: &J,
    found: &Found,
    want: Want,
    engine: &mut Engine<'_>,
    options: Options,
) -> ExitCode {
    let begun = Instant::now();
    let (entries, bar) = (&found.entries, Bar::of_items(if options.quiet { 0 } else { found.entries.len() }));
    let set_message = bar.message_setter();
    interrupt::listen_twice(
        "at once",
        move || set_message("stopping after this batch; again to stop now"),
        // Locked to the end, so that no other file is begun.
        || std::mem::forget(hold_writes()),
    );
    for note in found.notes.iter().filter(|_| !options.quiet) {
        bar.suspend(|| tell(&format!("note: {note}")));
    }
    let run =
        Pipeline { job, entries, options, bar, halt: AtomicBool::new(false), written: AtomicUsize::new(0) };
    let session = engine.session.take();
    let (counts, error) = std::thread::scope(|scope| {
        let run = &run;
        let writer =
            move |computed| Writer { run, counts: Counts::default(), text: Vec::new() }.run(computed);
        // The other two threads end when the middle one closes both channels.
        let (error, writer) = match session {
            None => {
                let (to_work, read) = sync_channel(0);
                let (to_writer, computed) = sync_channel(0);
                scope.spawn(move || run.read_all(to_work));
                let writer = scope.spawn(move || writer(computed));
                (run.work_all(engine, read, to_writer), writer)
            }
            #[cfg(not(feature = "mpi"))]
            Some(session) => match *session {},
            #[cfg(feature = "mpi")]
            Some(session) => {
                // The middle thread waits for neither the reader nor the writer, so that it can serve the ranks.
                let (to_work, read) = sync_channel(2 * session.ranks());
                let (to_writer, computed) = channel();
                scope.spawn(move || run.read_all(to_work));
                let writer = scope.spawn(move || writer(computed));
                (run.schedule_all(engine, session, read, to_writer), writer)
            }
        };
        let counts = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (counts, error)
    });
    drop(run);
    match error.as_ref().or(counts.fatal.as_ref()) {
        Some(problem) => fail(problem),
        None => end(&counts, entries, want, begun.elapsed(), options),
    }
}

impl<J: FileJob> Pipeline<'_, J> {
    fn is_over(&self) -> bool {
        interrupt::requested() || self.halt.load(Ordering::Relaxed)
    }

    /// Reads all inputs, batch by batch. A batch ends with `batch` inputs to compute, or with many that are done.
    fn read_all(&self, to_work: SyncSender<Vec<Item<J>>>) {
        let batch = self.options.batch;
        let (mut items, mut fresh) = (Vec::new(), 0);
        for (i, entry) in self.entries.iter().enumerate() {
            if self.is_over() {
                return;
            }
            let state = match &entry.bad {
                Some(why) => State::Bad(InputError::file(format!("{}: {why}", shown(&entry.path)))),
                None => self.read(entry),
            };
            fresh += usize::from(matches!(state, State::Read(_)));
            items.push(Item { entry: i, state });
            if fresh == batch || items.len() >= batch.max(64) || i + 1 == self.entries.len() {
                if to_work.send(std::mem::take(&mut items)).is_err() {
                    return;
                }
                fresh = 0;
            }
        }
    }

    fn read(&self, entry: &Entry) -> State<J> {
        // Standard input, or a path that is neither a file nor a folder of cells, may never end.
        let ends = !entry.stdin && (entry.path.is_file() || entry.path.is_dir());
        let read = || self.job.read(entry);
        match if ends { read() } else { interrupt::waiting(read) } {
            Ok(ReadOutcome::Fresh(read)) => State::Read(read),
            Ok(ReadOutcome::Done(output)) => State::Done(output),
            Err(error) => State::Bad(error),
        }
    }

    /// Computes all batches, and returns the error that ended it early.
    fn work_all(
        &self,
        engine: &mut Engine<'_>,
        read: Receiver<Vec<Item<J>>>,
        to_writer: SyncSender<Vec<Item<J>>>,
    ) -> Option<CommandError> {
        while let Ok(items) = read.recv() {
            if self.is_over() {
                break;
            }
            if let Err(problem) = self.make_ready(engine, &items, 1) {
                return Some(problem);
            }
            let job = self.job_of(&items);
            let outcome = match job.items.is_empty() {
                true => Vec::new(),
                false => job.run(&*engine.runtime, &engine.settings),
            };
            drop(job);
            if to_writer.send(self.with_results(items, outcome)).is_err() {
                break;
            }
        }
        None
    }

    fn has_work(&self, items: &[Item<J>]) -> bool {
        items.iter().any(|item| matches!(item.state, State::Read(_)))
    }

    /// Builds tables before the first computation.
    fn make_ready(
        &self,
        engine: &mut Engine<'_>,
        items: &[Item<J>],
        ranks: usize,
    ) -> Result<(), CommandError> {
        if !self.has_work(items) || !engine.is_to_be_made_ready() {
            return Ok(());
        }
        self.bar.set_message("preparing tables");
        let fresh = items.iter().filter(|item| matches!(item.state, State::Read(_))).count();
        // Some of the later ones may be done.
        let later = items.last().map_or(0, |item| self.entries.len() - item.entry - 1);
        let note = engine.make_ready(self.job.operation(), fresh + later, ranks)?;
        let note = note.filter(|_| !self.bar.is_hidden());
        note.iter().for_each(|note| self.bar.suspend(|| tell(&format!("note: {note}"))));
        self.bar.set_message("");
        Ok(())
    }

    /// Returns the job of the items that are to be computed.
    fn job_of<'b>(&self, items: &'b [Item<J>]) -> jobs::Job<'b> {
        let item = |item: &'b Item<J>| match &item.state {
            State::Read(read) => Some(self.job.item(read)),
            _ => None,
        };
        jobs::Job { operation: self.job.operation(), items: items.iter().filter_map(item).collect() }
    }

    /// Assigns the outcome to its inputs.
    fn with_results(&self, items: Vec<Item<J>>, outcome: Outcome) -> Vec<Item<J>> {
        let mut outcome = outcome.into_iter();
        let with_result = |Item { entry, state }| match state {
            State::Read(read) => {
                let path = || shown(&self.entries[entry].path);
                let state = match outcome.next() {
                    Some(Ok(output)) => match self.job.output(output) {
                        Some(output) => State::Computed(read, output),
                        None => State::Bad(InputError::fatal(format!(
                            "{}: a result of another operation arrived",
                            path()
                        ))),
                    },
                    Some(Err(ItemError::Kzg(error))) => {
                        State::Bad(self.job.error(&self.entries[entry], &read, &error))
                    }
                    Some(Err(error)) => State::Bad(InputError::file(format!("{}: {error}", path()))),
                    None => State::Read(read),
                };
                Item { entry, state }
            }
            state => Item { entry, state },
        };
        let items = items.into_iter().map(with_result).collect();
        debug_assert!(outcome.next().is_none(), "more results than inputs");
        items
    }
}

/// Writes results and messages.
struct Writer<'a, J: FileJob> {
    run: &'a Pipeline<'a, J>,
    counts: Counts,
    /// Pending text for standard output.
    text: Vec<u8>,
}

impl<J: FileJob> Writer<'_, J> {
    fn run(mut self, computed: Receiver<Vec<Item<J>>>) -> Counts {
        while let Ok(items) = computed.recv() {
            for Item { entry, state } in items {
                if self.run.halt.load(Ordering::Relaxed) {
                    break;
                }
                self.one(&self.run.entries[entry], state);
                self.run.bar.advance();
                // A line of JSON can take half a megabyte.
                if self.text.len() > 1 << 20 {
                    self.flush();
                }
            }
            self.flush();
            self.run.written.fetch_add(1, Ordering::Relaxed);
        }
        self.counts
    }

    fn one(&mut self, entry: &Entry, state: State<J>) {
        let output = match state {
            State::Done(output) => {
                self.counts.there += 1;
                Ok(output)
            }
            State::Computed(read, output) => {
                let saved = if self.run.options.json { Ok(()) } else { self.run.job.save(&read, &output) };
                self.counts.computed += usize::from(saved.is_ok());
                saved.map(|()| output)
            }
            State::Bad(error) => Err(error),
            State::Read(_) => Err(InputError::file(format!("{}: nothing was computed", shown(&entry.path)))),
        };
        let message = match output {
            Ok(output) => Ok(self.run.job.message(entry, &output)),
            Err(error) if error.damage => self.run.job.damaged(entry, &error.text).ok_or(error),
            Err(error) => Err(error),
        };
        match message {
            Ok(message) => {
                self.counts.damaged += usize::from(message.damaged);
                if self.run.options.json {
                    self.object(entry, message.fields);
                } else if !self.run.options.quiet || message.negative || message.unsaved {
                    self.text.extend(message.text.as_bytes());
                }
                self.counts.negative += usize::from(message.negative);
                if message.negative && self.run.options.fail_fast {
                    self.run.halt.store(true, Ordering::Relaxed);
                }
            }
            Err(error) => {
                self.counts.bad += 1;
                if self.run.options.json {
                    self.object(entry, vec![("error", error.text.clone().into())]);
                }
                self.flush();
                self.run.bar.suspend(|| tell(&format!("error: {}", error.text)));
                if error.fatal || self.run.options.fail_fast {
                    self.run.halt.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// Appends one line of JSON. The bytes of a path that is not UTF-8 are added in hexadecimal.
    fn object(&mut self, entry: &Entry, fields: Vec<(&'static str, Value)>) {
        let mut all = Map::new();
        all.insert("file".into(), entry.path.to_string_lossy().into());
        if entry.path.to_str().is_none() {
            all.insert("file_bytes".into(), hex0x(entry.path.as_os_str().as_encoded_bytes()).into());
        }
        all.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        self.text.extend(Value::Object(all).to_string().as_bytes());
        self.text.push(b'\n');
    }

    /// Writes the text to standard output. If the reader has closed it, files are still written.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() || self.counts.closed {
            return;
        }
        let written = self.run.bar.suspend(|| {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(&text).and_then(|()| stdout.flush())
        });
        let Err(error) = written else { return };
        self.counts.closed = true;
        if error.kind() != ErrorKind::BrokenPipe {
            self.counts.fatal = Some(CommandError::new(format!("standard output: {error}")));
            self.run.halt.store(true, Ordering::Relaxed);
        } else if self.run.options.to_stdout {
            self.run.halt.store(true, Ordering::Relaxed);
        }
    }
}

/// Prints the last line, and returns the exit code.
fn end(counts: &Counts, entries: &[Entry], want: Want, time: Duration, options: Options) -> ExitCode {
    let len = entries.len();
    let Counts { computed, there, negative, damaged, bad, closed, .. } = *counts;
    let seen = computed + there + damaged + bad;
    if interrupt::requested() && seen < len {
        let again = if options.to_stdout { "" } else { "; run the same command to resume" };
        tell(&format!("stopped: {seen} of {len} {} are done{again}", want.noun(len)));
        UNFINISHED.store(true, Ordering::Relaxed);
        return ExitCode::from(INTERRUPTED);
    }
    // Standard input is one blob, and its result is the line that is printed.
    let is_stream = entries.iter().all(|entry| entry.stdin);
    if !options.quiet && !closed && !is_stream {
        let verb = if options.to_stdout && !options.json { "verified" } else { "done" };
        let parts = [
            ((computed + damaged).saturating_sub(negative), verb),
            (there, "done before"),
            (negative, if negative == 1 { "does not verify" } else { "do not verify" }),
            (bad, "failed"),
            (len - seen, "not processed"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|part| part.0 > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let [what, time] = [want.noun(len).to_owned(), seconds(time.as_secs_f64())];
        tell(&match &parts[..] {
            [_] => format!("{len} {what} {} in {time}", parts[0].split_once(' ').map_or("", |part| part.1)),
            parts => format!("{len} {what}: {}, in {time}", parts.join(", ")),
        });
    }
    match (bad, negative) {
        (0, 0) if seen == len || !options.to_stdout => ExitCode::SUCCESS,
        (0, 1..) => ExitCode::from(NEGATIVE),
        _ => ExitCode::from(ERROR),
    }
}
