//! The pipeline of a job: one thread reads, one computes with the runtime or over ranks, one writes.
//!
//! Few batches are in memory, whatever the number of inputs, and the cores do not wait for files. Results are in the
//! order of the inputs.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Instant;

use parcrypt_kzg::jobs::{self, ItemError, Operation, Outcome, Output};
use serde_json::{Map, Value};

use super::engine::Engine;
use super::entries::{Entry, Found};
use super::output::{contents, fields, verdict, wrong_cells, wrong_cells_json};
use super::store::{Contents, Slot, State, hold_writes};
use super::{InputError, StreamArguments, hex0x, shown, tell};
use crate::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE, fail};
use crate::interrupt;
use crate::progress::Bar;
use crate::text::seconds;

/// Peak memory of an input in a batch: a blob with its cells, their text, and the memory of their computation.
const BYTES_PER_INPUT: u64 = 6 << 20;

/// Inputs of a batch verification: the more, the less each costs.
const VERIFIED_AT_ONCE: usize = 64;

pub(super) struct Job<'a> {
    pub(super) operation: Operation,
    /// Whether cells are written to a file each.
    pub(super) split: bool,
    pub(super) read: Box<Read<'a>>,
}

type Read<'a> = dyn Fn(&Entry) -> Result<Work, InputError> + Sync + 'a;

impl Job<'_> {
    /// Returns whether the operation verifies its inputs, and so writes no files.
    fn verifies(&self) -> bool {
        use Operation::{VerifyBlobs, VerifyCells, VerifyOpenings};
        matches!(self.operation, VerifyBlobs | VerifyCells | VerifyOpenings)
    }
}

/// An input as it was read: the fields of [`jobs::Item`], and its results.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) data: Vec<u8>,
    pub(super) indices: Vec<u64>,
    pub(super) commitment: Vec<u8>,
    pub(super) proofs: Vec<u8>,
    pub(super) slots: Vec<Slot>,
    pub(super) warnings: Vec<String>,
}

impl Work {
    fn is_done(&self) -> bool {
        !self.slots.is_empty() && self.slots.iter().all(|slot| matches!(slot.state, State::Done(_)))
    }
}

/// An input in the pipeline: its results or why there are none, and the output if it was computed.
struct Item<'a> {
    entry: &'a Entry,
    work: Result<Work, InputError>,
    output: Option<Output>,
}

impl Item<'_> {
    fn is_to_be_computed(&self) -> bool {
        self.output.is_none() && self.work.as_ref().is_ok_and(|work| !work.is_done())
    }
}

type Batch<'a> = Vec<Item<'a>>;

struct Pipeline<'a> {
    job: &'a Job<'a>,
    entries: &'a [Entry],
    options: StreamArguments,
    batch: usize,
    bar: Bar,
    /// Set when no further batch may begin.
    halt: AtomicBool,
}

pub(super) fn run(
    job: &Job<'_>,
    found: &Found,
    mut engine: Engine<'_>,
    options: StreamArguments,
) -> ExitCode {
    let begun = Instant::now();
    let entries = &found.entries;
    let bar = Bar::of_items(if options.quiet { 0 } else { entries.len() });
    let set_message = bar.message_setter();
    interrupt::listen_twice(
        "at once",
        move || set_message("stopping after this batch; again to stop now"),
        // Locked to the end, so that no other file is begun.
        || std::mem::forget(hold_writes()),
    );
    for note in found.notes.iter().filter(|_| !options.quiet) {
        bar.suspend(|| tell(note));
    }
    let session = engine.session.take();
    let ranks = session.as_ref().map_or(0, |session| session.ranks());
    let batch = batch_size(job, &engine, ranks, entries.len(), options);
    let pipeline = Pipeline { job, entries, options, batch, bar, halt: AtomicBool::new(false) };
    // Batches in memory: one in each thread, or two for each rank and some that are read and written.
    let (begin, ended) = sync_channel(if ranks == 0 { 2 } else { 3 * ranks + 2 });
    let (to_work, read) = channel();
    let (to_writer, computed) = channel();
    let (counts, done) = std::thread::scope(|scope| {
        let pipeline = &pipeline;
        scope.spawn(move || pipeline.read_all(&begin, &to_work));
        let writer = Writer { pipeline, counts: Counts::default(), text: Vec::new() };
        let writer = scope.spawn(move || writer.write_all(&computed, &ended));
        // The other two threads end when this one closes both channels.
        let done = match session {
            None => pipeline.compute_all(&mut engine, read, to_writer),
            #[cfg(not(feature = "mpi"))]
            Some(session) => match *session {},
            #[cfg(feature = "mpi")]
            Some(session) => pipeline.schedule_all(&mut engine, session, read, to_writer),
        };
        (writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), done)
    });
    drop(pipeline);
    match done.err().or(counts.fatal) {
        Some(error) => fail(error),
        None => end(&Counts { fatal: None, ..counts }, job, found, begun, options),
    }
}

/// Returns the number of inputs that are computed at once: it keeps every thread busy and fits in memory.
fn batch_size(
    job: &Job<'_>,
    engine: &Engine<'_>,
    ranks: usize,
    inputs: usize,
    options: StreamArguments,
) -> usize {
    let fits = parcrypt_machine::memory_available()
        .map_or(usize::MAX, |bytes| usize::try_from(bytes / 4 / BYTES_PER_INPUT).unwrap_or(usize::MAX));
    let least = if job.verifies() { VERIFIED_AT_ONCE } else { 1 };
    let default = least.max(8 * engine.runtime.threads().get());
    // A rank computes a batch at a time, and there should be several for each. About ten batches for each are being
    // read, in flight or being written, instead of three in total.
    let (several, fits) =
        if ranks > 0 { (inputs.div_ceil(16 * ranks), fits / (3 * ranks)) } else { (inputs, fits) };
    let default = default.min(several).min(fits).max(1);
    options.batch.map_or(default, usize::from)
}

impl<'a> Pipeline<'a> {
    fn is_over(&self) -> bool {
        interrupt::requested() || self.halt.load(Ordering::Relaxed)
    }

    fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    fn read_all(&self, begin: &SyncSender<()>, to_work: &Sender<Batch<'a>>) {
        for entries in self.entries.chunks(self.batch) {
            let mut batch = Batch::new();
            for entry in entries {
                if self.is_over() {
                    return;
                }
                batch.push(Item { entry, work: self.read(entry), output: None });
            }
            // This waits until an earlier batch is written.
            if begin.send(()).is_err() || to_work.send(batch).is_err() {
                return;
            }
        }
    }

    fn read(&self, entry: &Entry) -> Result<Work, InputError> {
        if let Some(why) = &entry.bad {
            return Err(InputError::file(format!("{}: {why}", shown(&entry.path))));
        }
        // Standard input, or a path that is neither a file nor a folder of cells, may never end.
        let ends = !entry.is_stdin() && (entry.path.is_file() || entry.path.is_dir());
        let read = || (self.job.read)(entry);
        if ends { read() } else { interrupt::waiting(read) }
    }

    fn compute_all(
        &self,
        engine: &mut Engine<'_>,
        read: Receiver<Batch<'a>>,
        to_writer: Sender<Batch<'a>>,
    ) -> Result<(), CommandError> {
        let mut is_first = true;
        for batch in read {
            if self.is_over() {
                break;
            }
            let job = self.job_of(&batch);
            let outcome = match job.items.is_empty() {
                true => Vec::new(),
                false => {
                    if std::mem::take(&mut is_first) {
                        // Some of them may be done.
                        self.build_tables(engine, self.entries.len())?;
                    }
                    job.run(&*engine.runtime, &engine.settings)
                }
            };
            drop(job);
            if to_writer.send(self.with_outputs(batch, outcome)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Computes all batches over ranks. This thread waits for neither of the others, so that it can serve the ranks.
    #[cfg(feature = "mpi")]
    fn schedule_all(
        &self,
        engine: &mut Engine<'_>,
        session: &mut crate::ranks::Session,
        read: Receiver<Batch<'a>>,
        to_writer: Sender<Batch<'a>>,
    ) -> Result<(), CommandError> {
        use parcrypt_cluster::{EncodedJob, NextJob};
        use std::sync::mpsc::TryRecvError;

        self.build_tables(engine, self.entries.len() / session.ranks())?;
        session.set_up(&engine.settings, None)?;
        let mut next = || match read.try_recv() {
            _ if self.is_over() => NextJob::End,
            Ok(batch) => {
                let job = self.job_of(&batch);
                match job.items.is_empty() {
                    true => NextJob::Forward(batch),
                    false => {
                        let job = EncodedJob::from(&job);
                        NextJob::Job(batch, job)
                    }
                }
            }
            Err(TryRecvError::Empty) => NextJob::Later,
            Err(TryRecvError::Disconnected) => NextJob::End,
        };
        let mut deliver = |batch, outcome: Option<Outcome>| {
            if to_writer.send(self.with_outputs(batch, outcome.unwrap_or_default())).is_err() {
                self.halt();
            }
        };
        session.run(&*engine.runtime, &engine.settings, &mut next, &mut deliver)?;
        Ok(session.pause()?)
    }

    fn build_tables(&self, engine: &mut Engine<'_>, inputs: usize) -> Result<(), CommandError> {
        self.bar.set_message("preparing tables");
        let note = engine.build_tables(self.job.operation, inputs)?;
        let note = note.filter(|_| !self.bar.is_hidden());
        note.iter().for_each(|note| self.bar.suspend(|| tell(note)));
        self.bar.set_message("");
        Ok(())
    }

    fn job_of<'b>(&self, batch: &'b Batch<'a>) -> jobs::Job<'b> {
        let works = batch.iter().filter(|item| item.is_to_be_computed()).flat_map(|item| &item.work);
        let items = works.map(|Work { data, indices, commitment, proofs, .. }| jobs::Item {
            data,
            indices: indices.into(),
            commitment,
            proofs,
        });
        jobs::Job { operation: self.job.operation, items: items.collect() }
    }

    /// Assigns the outcome to the items that were to be computed, and drops their data.
    fn with_outputs(&self, mut batch: Batch<'a>, outcome: Outcome) -> Batch<'a> {
        let mut outcome = outcome.into_iter();
        for item in batch.iter_mut().filter(|item| item.is_to_be_computed()) {
            let Ok(work) = &mut item.work else { continue };
            let other = |why: &str| InputError::file(format!("{}: {why}", shown(&item.entry.path)));
            let error = match outcome.next() {
                Some(Ok(output)) => {
                    (work.data, work.commitment, work.proofs) = Default::default();
                    item.output = Some(output);
                    continue;
                }
                Some(Err(ItemError::Kzg(error))) => InputError::of(item.entry, &work.indices, &error),
                Some(Err(error)) => other(&error.to_string()),
                None => other("nothing was computed"),
            };
            item.work = Err(error);
        }
        batch
    }
}

#[derive(Default)]
struct Message {
    text: String,
    fields: Map<String, Value>,
    negative: bool,
    /// Whether the text has a result that is in no file.
    unkept: bool,
}

#[derive(Debug, Default)]
struct Counts {
    computed: usize,
    there: usize,
    negative: usize,
    bad: usize,
    hints: BTreeSet<&'static str>,
    fatal: Option<CommandError>,
    closed: bool,
}

struct Writer<'a> {
    pipeline: &'a Pipeline<'a>,
    counts: Counts,
    text: Vec<u8>,
}

impl Writer<'_> {
    fn write_all(mut self, computed: &Receiver<Batch<'_>>, ended: &Receiver<()>) -> Counts {
        for batch in computed {
            for item in batch {
                if self.pipeline.halt.load(Ordering::Relaxed) {
                    break;
                }
                self.write(item);
                self.pipeline.bar.advance();
                // A line of JSON can take half a megabyte.
                if self.text.len() > 1 << 20 {
                    self.flush();
                }
            }
            self.flush();
            let _ = ended.recv();
        }
        self.counts
    }

    fn write(&mut self, Item { entry, work, output }: Item<'_>) {
        let StreamArguments { json, quiet, .. } = self.pipeline.options;
        for warning in work.iter().flat_map(|work| &work.warnings).filter(|_| !quiet) {
            self.flush();
            self.pipeline.bar.suspend(|| tell(warning));
        }
        let was_done = output.is_none();
        let message = match work.and_then(|work| self.results(entry, work.slots, output)) {
            // Contents that cannot be right are a negative answer.
            Err(error) if error.damage && self.pipeline.job.verifies() => {
                let path = shown(&entry.path);
                let short = error.text.strip_prefix(&format!("{path}: ")).unwrap_or(&error.text);
                let text = format!("{path}: {} ({short})\n", verdict(false));
                let mut fields = fields(self.pipeline.job.operation, &Output::Verified(false));
                fields.insert("error".to_owned(), error.text.into());
                Ok(Message { text, fields, negative: true, unkept: false })
            }
            message => message,
        };
        match message {
            Ok(message) => {
                if json {
                    self.object(entry, message.fields);
                } else if !quiet || message.negative || message.unkept {
                    self.text.extend(message.text.as_bytes());
                }
                let Counts { computed, there, negative, .. } = &mut self.counts;
                let count = if was_done { there } else { computed };
                *if message.negative { negative } else { count } += 1;
            }
            Err(InputError { text, fatal, hint, .. }) => {
                self.counts.bad += 1;
                self.counts.hints.extend(hint);
                if json {
                    self.object(entry, Map::from_iter([("error".to_owned(), text.clone().into())]));
                }
                self.flush();
                self.pipeline.bar.suspend(|| tell(&format!("error: {text}")));
                if fatal {
                    self.pipeline.halt();
                }
            }
        }
    }

    /// Writes the results of one input that are not done, and returns the message.
    fn results(
        &self,
        entry: &Entry,
        slots: Vec<Slot>,
        output: Option<Output>,
    ) -> Result<Message, InputError> {
        let Job { operation, split, .. } = *self.pipeline.job;
        let path = shown(&entry.path);
        let mut message = Message::default();
        if let Some(output) = output.as_ref().filter(|_| self.pipeline.options.json) {
            message.fields = fields(operation, output);
        }
        match &output {
            Some(Output::Verified(right)) => {
                message.negative = !right;
                message.text = format!("{path}: {}\n", verdict(*right));
            }
            Some(Output::WrongCells(cells)) => {
                message.negative = true;
                message.text = format!("{path}: {} ({})\n", verdict(false), wrong_cells(cells));
                message.fields.insert("wrong".to_owned(), wrong_cells_json(&entry.path, cells));
            }
            _ => {}
        }
        for Slot { suffix, path: file, state } in slots.into_iter().filter(|_| !self.pipeline.options.json) {
            let computed = || output.as_ref().map(|output| contents(operation, split, suffix, output));
            let found = match state {
                State::Done(found) => Some(found),
                State::Unkept => computed(),
                State::Missing(target) => {
                    let found = computed();
                    found.as_ref().map_or(Ok(()), |found| target.save(found))?;
                    found
                }
            };
            // The last result of a blob is printed, and of cells the paths.
            match (suffix, found, file) {
                (".commitment" | ".proof", Some(Contents::File(value)), file) => {
                    message.text = format!("{}  {path}\n", String::from_utf8_lossy(&value).trim_end());
                    message.unkept = file.is_none();
                }
                (".opening", Some(Contents::File(object)), file) => {
                    message.text = String::from_utf8_lossy(&object).into_owned();
                    message.unkept = file.is_none();
                }
                (_, _, Some(file)) => message.text += &(shown(&file) + "\n"),
                _ => {}
            }
        }
        Ok(message)
    }

    /// Appends one line of JSON. The bytes of a path that is not UTF-8 are added in hexadecimal.
    fn object(&mut self, entry: &Entry, fields: Map<String, Value>) {
        let mut all = Map::new();
        all.insert("file".into(), entry.path.to_string_lossy().into());
        if entry.path.to_str().is_none() {
            all.insert("file_bytes".into(), hex0x(entry.path.as_os_str().as_encoded_bytes()).into());
        }
        all.extend(fields);
        self.text.extend(Value::Object(all).to_string().as_bytes());
        self.text.push(b'\n');
    }

    /// Writes the text to standard output. If the reader has closed it, files are still written.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() || self.counts.closed {
            return;
        }
        let written = self.pipeline.bar.suspend(|| {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(&text).and_then(|()| stdout.flush())
        });
        let Err(error) = written else { return };
        self.counts.closed = true;
        if error.kind() != ErrorKind::BrokenPipe {
            self.counts.fatal = Some(CommandError::new(format!("standard output: {error}")));
            self.pipeline.halt();
        } else if self.pipeline.options.json || self.pipeline.job.verifies() {
            self.pipeline.halt();
        }
    }
}

fn end(counts: &Counts, job: &Job<'_>, found: &Found, begun: Instant, options: StreamArguments) -> ExitCode {
    let (len, want) = (found.entries.len(), found.want);
    let Counts { computed, there, negative, bad, closed, .. } = *counts;
    let seen = computed + there + negative + bad;
    // Results that are only on standard output.
    let to_stdout = options.json || job.verifies();
    if interrupt::requested() && seen < len {
        let again = if to_stdout { "" } else { "; run the same command to resume" };
        tell(&format!("stopped: {seen} of {len} {} are done{again}", want.noun(len)));
        return ExitCode::from(INTERRUPTED);
    }
    for hint in counts.hints.iter().filter(|_| !options.quiet) {
        tell(&format!("note: {hint}"));
    }
    // Standard input is one blob, and its result is the line that is printed.
    let is_stream = found.entries.iter().all(Entry::is_stdin);
    if !options.quiet && !closed && !is_stream {
        let verb = if job.verifies() { "verified" } else { "done" };
        let parts = [
            (computed, verb),
            (there, "done before"),
            (negative, if negative == 1 { "does not verify" } else { "do not verify" }),
            (bad, "failed"),
            (len - seen, "not processed"),
        ];
        let parts: Vec<_> = parts.into_iter().filter(|part| part.0 > 0).collect();
        let (what, time) = (want.noun(len), seconds(begun.elapsed().as_secs_f64()));
        tell(&match parts[..] {
            [(_, only)] => format!("{len} {what} {only} in {time}"),
            _ => {
                let parts: Vec<_> = parts.iter().map(|(count, what)| format!("{count} {what}")).collect();
                format!("{len} {what}: {}, in {time}", parts.join(", "))
            }
        });
    }
    match (bad, negative) {
        (0, 0) if seen == len || !to_stdout => ExitCode::SUCCESS,
        (0, 1..) => ExitCode::from(NEGATIVE),
        _ => ExitCode::from(ERROR),
    }
}
