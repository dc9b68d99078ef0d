//! How a job runs: one thread reads, one computes with the runtime, one writes, each a batch ahead of the next.
//!
//! So three batches are in memory at most, however many inputs there are, and the cores do not wait for files. Results
//! come in the order of the inputs. Over ranks each of them computes batches of its own, and what is in memory grows with
//! their number.

#[cfg(feature = "mpi")]
mod over_ranks;

use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
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
use super::results::no_writing;
use super::{Trouble, hex0x, shown, tell};
use crate::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE, fail};
use crate::interrupt;
use crate::progress::Bar;
use crate::text::seconds;

/// Whether a job was left unfinished because its user has stopped it.
static UNFINISHED: AtomicBool = AtomicBool::new(false);

/// Returns whether the job of this process was left unfinished because its user has stopped it.
pub(super) fn is_unfinished() -> bool {
    UNFINISHED.load(Ordering::Relaxed)
}

/// One of the operations over many inputs.
pub(super) trait Job: Sync {
    /// What has been read of one input.
    type Read: Send;
    /// What has been computed from it.
    type Made: Send;

    /// Reads one input, or finds its result.
    fn read(&self, entry: &Entry) -> Result<Step<Self::Read, Self::Made>, Trouble>;

    /// What is computed of each input.
    fn operation(&self) -> Operation;

    /// What it is computed from.
    fn item<'a>(&self, read: &'a Self::Read) -> jobs::Item<'a>;

    /// Takes what was computed; nothing where it is not what [`Job::operation`] gives.
    fn made(&self, made: jobs::Output) -> Option<Self::Made>;

    /// What keeps an input from its result.
    fn trouble(&self, entry: &Entry, _read: &Self::Read, error: &parcrypt_kzg::Error) -> Trouble {
        Trouble::kernel(entry, error)
    }

    /// Writes the results of one input.
    fn save(&self, read: &Self::Read, made: &Self::Made) -> Result<(), Trouble>;

    /// What is to be said of one input.
    fn answer(&self, entry: &Entry, made: &Self::Made) -> Answer;
}

/// What reading one input has given.
pub(super) enum Step<R, M> {
    /// There is work.
    Fresh(R),
    /// The result is there.
    Done(M),
}

/// What is said of one input.
pub(super) struct Answer {
    /// Lines for people, each with its end.
    pub(super) text: String,
    /// The fields of the JSON object.
    pub(super) fields: Vec<(&'static str, Value)>,
    /// Whether what was to be checked is not so.
    pub(super) negative: bool,
}

/// How a job runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// How many inputs are computed at once.
    pub(super) batch: usize,
    /// Whether results go to standard output, as JSON lines.
    pub(super) json: bool,
    /// Whether standard output is what the user waits for, and not files.
    pub(super) answers: bool,
    /// Whether the first input that is wrong ends all.
    pub(super) fail_fast: bool,
}

/// One input on its way.
struct Item<J: Job> {
    entry: usize,
    state: State<J>,
}

enum State<J: Job> {
    Read(J::Read),
    Made(J::Read, J::Made),
    Done(J::Made),
    Bad(Trouble),
}

/// How the job ended.
#[derive(Debug, Default)]
struct Counts {
    computed: usize,
    there: usize,
    negative: usize,
    bad: usize,
    /// What ended it.
    fatal: Option<CommandError>,
    /// Whether nobody reads the results any more.
    closed: bool,
}

/// A job under way: what its three threads share.
struct Run<'a, J: Job> {
    job: &'a J,
    entries: &'a [Entry],
    options: Options,
    bar: Bar,
    /// Whether nothing more is to be begun.
    halt: AtomicBool,
    /// How many batches have been written.
    written: AtomicUsize,
}

/// Runs a job over everything that was found.
pub(super) fn run<J: Job>(
    job: &J,
    found: &Found,
    want: Want,
    engine: &mut Engine<'_>,
    options: Options,
) -> ExitCode {
    let begun = Instant::now();
    let (entries, bar) = (&found.entries, Bar::of_items(found.entries.len()));
    let set_message = bar.message_setter();
    interrupt::listen_twice(
        "at once",
        move || set_message("stopping after this batch; again to stop now"),
        // Locked to the end, so that no other file is begun.
        || std::mem::forget(no_writing()),
    );
    for note in &found.notes {
        bar.suspend(|| tell(&format!("note: {note}")));
    }
    let run = Run { job, entries, options, bar, halt: AtomicBool::new(false), written: AtomicUsize::new(0) };
    let session = engine.session.take();
    let (counts, trouble) = std::thread::scope(|scope| {
        let run = &run;
        let writer = move |made| Writer { run, counts: Counts::default(), text: Vec::new() }.run(made);
        // Both channels are closed when the middle one ends, and so the other two end.
        let (trouble, writer) = match session {
            None => {
                let (to_work, read) = sync_channel(0);
                let (to_writer, made) = sync_channel(0);
                scope.spawn(move || run.read_all(to_work));
                let writer = scope.spawn(move || writer(made));
                (run.work_all(engine, read, to_writer), writer)
            }
            #[cfg(not(feature = "mpi"))]
            Some(session) => match *session {},
            #[cfg(feature = "mpi")]
            Some(session) => {
                // The middle one must not wait, neither for a reader nor for the writer.
                let (to_work, read) = sync_channel(2 * session.ranks());
                let (to_writer, made) = channel();
                scope.spawn(move || run.read_all(to_work));
                let writer = scope.spawn(move || writer(made));
                (run.schedule_all(engine, session, read, to_writer), writer)
            }
        };
        let counts = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (counts, trouble)
    });
    drop(run);
    match trouble.as_ref().or(counts.fatal.as_ref()) {
        Some(problem) => fail(problem),
        None => end(&counts, entries.len(), want, begun.elapsed(), options),
    }
}

impl<J: Job> Run<'_, J> {
    fn is_over(&self) -> bool {
        interrupt::requested() || self.halt.load(Ordering::Relaxed)
    }

    /// Reads everything, batch by batch. A batch is full with so many inputs that need work, or with many that do not.
    fn read_all(&self, to_work: SyncSender<Vec<Item<J>>>) {
        let batch = self.options.batch;
        let (mut items, mut fresh) = (Vec::new(), 0);
        for (i, entry) in self.entries.iter().enumerate() {
            if self.is_over() {
                return;
            }
            let state = match &entry.bad {
                Some(why) => State::Bad(Trouble::file(format!("{}: {why}", shown(&entry.path)))),
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
        // Standard input, or what is neither a file nor a folder of cells, may never end.
        let ends = !entry.stdin && (entry.path.is_file() || entry.path.is_dir());
        let read = || self.job.read(entry);
        match if ends { read() } else { interrupt::waiting(read) } {
            Ok(Step::Fresh(read)) => State::Read(read),
            Ok(Step::Done(made)) => State::Done(made),
            Err(trouble) => State::Bad(trouble),
        }
    }

    /// Computes what is to be computed, and gives what ended it early.
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
            if let Err(problem) = self.make_ready(engine, &items) {
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

    /// Makes tables before the first work.
    fn make_ready(&self, engine: &mut Engine<'_>, items: &[Item<J>]) -> Result<(), CommandError> {
        if !self.has_work(items) || !engine.is_to_be_made_ready() {
            return Ok(());
        }
        self.bar.set_message("getting tables ready");
        let note = engine.make_ready()?.filter(|_| !self.bar.is_hidden());
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

    /// Puts the results to the inputs that they belong to.
    fn with_results(&self, items: Vec<Item<J>>, outcome: Outcome) -> Vec<Item<J>> {
        let mut outcome = outcome.into_iter();
        let with_result = |Item { entry, state }| match state {
            State::Read(read) => {
                let path = || shown(&self.entries[entry].path);
                let state = match outcome.next() {
                    Some(Ok(made)) => match self.job.made(made) {
                        Some(made) => State::Made(read, made),
                        None => {
                            State::Bad(Trouble::fatal(format!("{}: a result of another kind came", path())))
                        }
                    },
                    Some(Err(ItemError::Kzg(error))) => {
                        State::Bad(self.job.trouble(&self.entries[entry], &read, &error))
                    }
                    Some(Err(error)) => State::Bad(Trouble::file(format!("{}: {error}", path()))),
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

/// Writes results, and says what there is to say.
struct Writer<'a, J: Job> {
    run: &'a Run<'a, J>,
    counts: Counts,
    /// What is to go to standard output.
    text: Vec<u8>,
}

impl<J: Job> Writer<'_, J> {
    fn run(mut self, made: Receiver<Vec<Item<J>>>) -> Counts {
        while let Ok(items) = made.recv() {
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
        let made = match state {
            State::Done(made) => {
                self.counts.there += 1;
                Ok(made)
            }
            State::Made(read, made) => {
                let saved = if self.run.options.json { Ok(()) } else { self.run.job.save(&read, &made) };
                self.counts.computed += usize::from(saved.is_ok());
                saved.map(|()| made)
            }
            State::Bad(trouble) => Err(trouble),
            State::Read(_) => Err(Trouble::file(format!("{}: nothing was computed", shown(&entry.path)))),
        };
        match made {
            Ok(made) => {
                let answer = self.run.job.answer(entry, &made);
                if self.run.options.json {
                    self.object(entry, answer.fields);
                } else {
                    self.text.extend(answer.text.as_bytes());
                }
                self.counts.negative += usize::from(answer.negative);
                if answer.negative && self.run.options.fail_fast {
                    self.run.halt.store(true, Ordering::Relaxed);
                }
            }
            Err(trouble) => {
                self.counts.bad += 1;
                if self.run.options.json {
                    self.object(entry, vec![("error", trouble.text.clone().into())]);
                }
                self.flush();
                self.run.bar.suspend(|| tell(&format!("error: {}", trouble.text)));
                if trouble.fatal || self.run.options.fail_fast {
                    self.run.halt.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// One line of JSON. A path that is not UTF-8 cannot be told in JSON; its bytes are then told too.
    fn object(&mut self, entry: &Entry, fields: Vec<(&'static str, Value)>) {
        let mut all = Map::new();
        all.insert("file".into(), entry.path.to_string_lossy().into());
        if entry.path.to_str().is_none() {
            all.insert("file_bytes".into(), hex0x(entry.path.as_os_str().as_bytes()).into());
        }
        all.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        self.text.extend(Value::Object(all).to_string().as_bytes());
        self.text.push(b'\n');
    }

    /// Writes the text to standard output. Whoever reads may have seen enough: files are still written.
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
        } else if self.run.options.answers {
            self.run.halt.store(true, Ordering::Relaxed);
        }
    }
}

/// Says how it ended where somebody looks on, or where something is wrong, and gives the exit code.
fn end(counts: &Counts, len: usize, want: Want, time: Duration, options: Options) -> ExitCode {
    let Counts { computed, there, negative, bad, closed, .. } = *counts;
    let seen = computed + there + bad;
    if interrupt::requested() && seen < len {
        let again = if options.answers { "" } else { "; the same command goes on from there" };
        tell(&format!("stopped: {seen} of {len} {} are done{again}", want.noun(len)));
        UNFINISHED.store(true, Ordering::Relaxed);
        return ExitCode::from(INTERRUPTED);
    }
    let looked_at = console::Term::stderr().is_term();
    if len > 1 && (looked_at || bad + negative > 0 && !closed) {
        let verb = if options.answers && !options.json { "verified" } else { "done" };
        let parts = [
            (computed.saturating_sub(negative), verb),
            (there, "done before"),
            (negative, if negative == 1 { "does not verify" } else { "do not verify" }),
            (bad, "with an error"),
            (len - seen, "not looked at"),
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
        (0, 0) if seen == len || !options.answers => ExitCode::SUCCESS,
        (0, 1..) => ExitCode::from(NEGATIVE),
        _ => ExitCode::from(ERROR),
    }
}
