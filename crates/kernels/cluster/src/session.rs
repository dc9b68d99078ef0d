//! Messages between ranks, from the start of a session to its end.
//!
//! Rank 0 leads: it sends the setup, jobs, and the end; the others answer. During a run rank 0 sends a heartbeat to
//! each rank every second, which the rank returns: each side knows that the other is alive, and rank 0 measures the
//! round trip. A rank that hears nothing for longer than [`Limits::silence`] gives up. Between runs silence does not
//! count.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parcrypt_kzg::jobs::{ItemError, Job, Outcome};
use parcrypt_kzg::setup::TableReport;
use parcrypt_kzg::{Requests, Settings};
use parcrypt_runtime::Runtime;

use crate::error::Error;
use crate::net::{Message, Net};
use crate::scheduler::Scheduler;
use crate::wire;

/// From rank 0: a job, followed by its id.
const JOB: i32 = 1;
/// To rank 0: the outcome of a job, followed by its id and the nanoseconds that it took.
const OUTCOME: i32 = 2;
/// From rank 0: a heartbeat, with the time of rank 0's clock.
const HEARTBEAT: i32 = 3;
/// To rank 0: the bytes of a heartbeat, returned.
const ECHO: i32 = 4;
/// From rank 0: the setup in its binary form, followed by the bytes of both tables and the number of threads of a
/// rank.
const SETUP: i32 = 5;
/// From rank 0: no heartbeats until the next one.
const PAUSE: i32 = 6;
/// From rank 0: the end; [`Completion::Stopped`] if the message has bytes.
const QUIT: i32 = 7;
/// To rank 0: the error of this rank.
const FAILED: i32 = 8;
/// To rank 0: the answer to [`QUIT`], after which this rank sends nothing more.
const LAST: i32 = 9;

/// Time between heartbeats.
const BETWEEN_HEARTBEATS: Duration = Duration::from_secs(1);

/// Maximum time of silence that one turn counts, so that a process that was stopped and continues does not take the
/// others for dead.
const LONGEST_TURN: Duration = Duration::from_millis(100);

/// Bytes of the handshake, which precedes all other messages. No later version may make it shorter or move it.
const HANDSHAKE: usize = 256;

/// Version of the program and of its messages, which must be equal on all ranks. A change of a message changes this
/// number.
const VERSION: &str = concat!("parcrypt ", env!("CARGO_PKG_VERSION"), ", form 5");

/// A job as the bytes of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedJob(Vec<u8>);

impl From<&Job<'_>> for EncodedJob {
    fn from(job: &Job<'_>) -> Self {
        EncodedJob(wire::encode_job(job))
    }
}

/// Next job to schedule. `T` identifies the job to its caller and is returned with the result.
#[derive(Debug)]
pub enum NextJob<T> {
    /// A job.
    Job(T, EncodedJob),
    /// No job, but a token to return in its place.
    Forward(T),
    /// No job yet: ask again.
    Later,
    /// No more jobs.
    End,
}

/// End of the ranks' work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The work is done, or failed.
    Ended,
    /// The user has stopped the work. A launcher merges the exit codes of all ranks, so all of them should return this
    /// one.
    Stopped,
}

/// Builds the runtime of a rank, with this number of threads or its default.
pub type MakeRuntime<'a> = dyn Fn(Option<NonZeroUsize>) -> Result<Box<dyn Runtime>, String> + 'a;

/// Time limits of ranks.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum silence of a rank before the others treat it as lost.
    pub silence: Duration,
    /// Called by another thread when a call of MPI, or the wait for all messages to arrive, takes longer than
    /// `silence`. It has to end the process.
    pub stuck: fn(Duration),
}

/// The ranks of a job over MPI, as one of them sees them.
pub struct Session {
    net: Net,
    limits: Limits,
    peers: Vec<Peer>,
    watch: Watch,
    /// Time of the last call of [`Session::turn`].
    last: Instant,
    /// Origin of the clock of rank 0, by which it measures round trips.
    begun: Instant,
    since_heartbeat: Duration,
    /// Whether silence counts.
    counts: bool,
    /// Whether the handshake succeeded, after which rank 0 tells the others of the end.
    connected: bool,
    /// Whether a call has failed, after which ranks do not wait for each other.
    failed: bool,
}

#[derive(Clone, Debug, Default)]
struct Peer {
    host: String,
    silent: Duration,
    /// Shortest measured round trip.
    round_trip: Option<Duration>,
}

impl Session {
    /// Starts MPI in this process, on the thread that will make all other calls.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::WrongLauncher`] where several processes
    /// were started by the launcher of another MPI.
    pub fn start(limits: Limits) -> Result<Self, Error> {
        let net = Net::start()?;
        let peers = vec![Peer::default(); net.size()];
        let (watch, now) = (Watch::new(limits), Instant::now());
        let (last, begun, since_heartbeat) = (now, now, BETWEEN_HEARTBEATS);
        Ok(Session {
            net,
            limits,
            peers,
            watch,
            last,
            begun,
            since_heartbeat,
            counts: false,
            connected: false,
            failed: false,
        })
    }

    /// Returns whether this is rank 0, which leads; all others call [`Session::serve`].
    pub fn leads(&self) -> bool {
        self.net.rank() == 0
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.net.size()
    }

    /// Returns the number of ranks on this machine.
    pub fn ranks_here(&self) -> usize {
        self.net.node_size()
    }

    /// Exchanges versions and errors between the ranks. All of them call it, each with the error that keeps it from
    /// working, if any.
    ///
    /// # Errors
    /// The same error on all ranks, for the first rank with one: [`Error::Version`], [`Error::Rank`].
    pub fn handshake(&mut self, error: Option<String>) -> Result<(), Error> {
        let on = self.watch.on();
        let version = VERSION.to_owned();
        let own = Handshake { version, host: self.net.host().to_owned(), error: error.unwrap_or_default() };
        let all: Vec<Handshake> =
            self.net.all_gather(&own.to_bytes())?.iter().map(Handshake::from_bytes).collect();
        drop(on);
        all.iter().zip(&mut self.peers).for_each(|(handshake, peer)| peer.host.clone_from(&handshake.host));
        check_handshakes(&all)?;
        self.connected = true;
        Ok(())
    }

    /// Sends the setup to all ranks, each of which builds tables of the sizes of those of `settings` with a runtime of
    /// `threads` threads, or its default.
    ///
    /// # Errors
    /// [`Error::Mpi`] and others.
    pub fn set_up(&mut self, settings: &Settings, threads: Option<NonZeroUsize>) -> Result<(), Error> {
        let threads = threads.map_or(0, NonZeroUsize::get);
        let TableReport { lagrange_bytes, fk20_bytes, .. } = settings.tables();
        let numbers = [lagrange_bytes, fk20_bytes, threads].map(|number| number as u64);
        let message = with(settings.to_binary(), &numbers);
        self.send_to_all(SETUP, &message)
    }

    /// Computes the jobs of `next` on all ranks and passes their outcomes to `deliver`, in order, until `next` returns
    /// [`NextJob::End`]. This thread calls both and also moves the messages, so they must not wait.
    ///
    /// # Errors
    /// [`Error::Timeout`] if a rank is gone, [`Error::Rank`] if one cannot go on, [`Error::Mpi`] and others. After
    /// an error this session cannot be used, and the process should end without [`Session::finish`].
    pub fn run<T>(
        &mut self,
        rt: &dyn Runtime,
        settings: &Settings,
        next: &mut dyn FnMut() -> NextJob<T>,
        deliver: &mut dyn FnMut(T, Option<Outcome>),
    ) -> Result<(), Error> {
        let compute = |job: &[u8]| compute(rt, settings, 0, job);
        let mut deliver = |token, result: Option<(usize, Vec<u8>)>| -> Result<(), Error> {
            let outcome = match result {
                Some((rank, bytes)) => {
                    let invalid = Error::InvalidMessage { rank, what: "it is not an outcome" };
                    Some(wire::decode_outcome(&bytes).ok_or(invalid)?)
                }
                None => None,
            };
            deliver(token, outcome);
            Ok(())
        };
        self.counts = true;
        self.since_heartbeat = BETWEEN_HEARTBEATS;
        self.peers.iter_mut().for_each(|peer| peer.silent = Duration::ZERO);
        let mut scheduler = Scheduler::new(self.ranks());
        let mut ended = false;
        let done = with_worker(&compute, |worker| {
            let mut pace = Pace::new();
            loop {
                let mut moved = false;
                while let Ok(Done { id, took, result }) = worker.done.try_recv() {
                    scheduler.receive(0, id, took, result);
                    moved = true;
                }
                while let Some(message) = self.turn()? {
                    self.receive(&mut scheduler, message)?;
                    moved = true;
                }
                while !ended && let Some(rank) = scheduler.next_rank() {
                    match next() {
                        NextJob::Job(token, EncodedJob(bytes)) => {
                            let id = scheduler.send(rank, token);
                            if rank == 0 {
                                worker.send(id, bytes)
                            } else {
                                self.send(rank, JOB, with(bytes, &[id]))?
                            }
                        }
                        NextJob::Forward(token) => scheduler.forward(token),
                        NextJob::Later => break,
                        NextJob::End => ended = true,
                    }
                    moved = true;
                }
                while let Some((token, result)) = scheduler.ready() {
                    deliver(token, result)?;
                    moved = true;
                }
                if ended && scheduler.is_empty() {
                    return Ok(());
                }
                pace.wait(moved);
            }
        });
        self.counts = false;
        self.failed = done.is_err();
        if self.failed {
            // Outcomes that have arrived are valid, also if earlier ones are missing.
            scheduler.into_received().for_each(|(token, result)| drop(deliver(token, result)));
        }
        done
    }

    /// Passes a message with an outcome to the scheduler.
    fn receive<T>(
        &self,
        scheduler: &mut Scheduler<T>,
        Message { from, tag, mut bytes }: Message,
    ) -> Result<(), Error> {
        let invalid = |what| Error::InvalidMessage { rank: from, what };
        if tag != OUTCOME {
            return Err(invalid("no rank sends this to rank 0"));
        }
        let [id, took] = split(&mut bytes).ok_or_else(|| invalid("it is too short for an outcome"))?;
        scheduler.round_trip(from, self.peers[from].round_trip.unwrap_or_default());
        match scheduler.receive(from, id, Duration::from_nanos(took), bytes) {
            true => Ok(()),
            false => Err(invalid("it is the outcome of a job that this rank does not have")),
        }
    }

    /// Tells the ranks that there are no heartbeats until the next [`Session::run`].
    ///
    /// # Errors
    /// [`Error::Mpi`].
    pub fn pause(&mut self) -> Result<(), Error> {
        self.send_to_all(PAUSE, &[])
    }

    /// Serves rank 0 until the end, with a runtime of the number of threads that rank 0 asks for and the requested
    /// backends. Returns how the work ended.
    ///
    /// # Errors
    /// [`Error::Timeout`] if rank 0 is gone, [`Error::Local`] if the runtime is not available, [`Error::Setup`]
    /// where the setup that rank 0 sent is invalid, [`Error::Mpi`].
    pub fn serve(&mut self, make: &MakeRuntime<'_>, requests: &Requests) -> Result<Completion, Error> {
        let served = self.serve_all(make, requests);
        if let Err(error) = &served
            && !matches!(error, Error::Timeout { .. } | Error::Mpi { .. })
        {
            // Rank 0 tells it to the user; the first error is the one that counts.
            let _ = self.send(0, FAILED, error.to_string().into_bytes()).and_then(|()| self.flush(0));
        }
        self.failed = served.is_err();
        served
    }

    fn serve_all(&mut self, make: &MakeRuntime<'_>, requests: &Requests) -> Result<Completion, Error> {
        let mut pace = Pace::new();
        let mut setup = None;
        loop {
            if let Some(bytes) = setup.take() {
                match self.serve_setup(make, requests, bytes)? {
                    ControlFlow::Continue(bytes) => setup = Some(bytes),
                    ControlFlow::Break(ending) => return Ok(ending),
                }
                continue;
            }
            let message = self.turn()?;
            pace.wait(message.is_some());
            match message {
                None => {}
                Some(Message { tag: SETUP, bytes, .. }) => setup = Some(bytes),
                Some(Message { tag: PAUSE, .. }) => self.counts = false,
                Some(Message { tag: QUIT, bytes, .. }) => return Ok(ending(&bytes)),
                Some(_) => return Err(Error::InvalidMessage { rank: 0, what: "it came before the setup" }),
            }
        }
    }

    /// Computes with a setup until the next one, whose bytes it returns, or the end.
    fn serve_setup(
        &mut self,
        make: &MakeRuntime<'_>,
        requests: &Requests,
        bytes: Vec<u8>,
    ) -> Result<ControlFlow<Completion, Vec<u8>>, Error> {
        let rank = self.net.rank();
        let invalid = |what| Error::InvalidMessage { rank: 0, what };
        let mut file = bytes;
        let numbers = split(&mut file).ok_or_else(|| invalid("it is too short for a setup"))?;
        let [lagrange_bytes, fk20_bytes, threads] =
            numbers.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let rt = make(NonZeroUsize::new(threads)).map_err(|why| Error::Local { why })?;
        let mut settings = Settings::from_binary(requests.clone(), &file)?;
        drop(file);
        let mut most = settings.tables();
        (most.lagrange_bytes, most.fk20_bytes) = (lagrange_bytes, fk20_bytes);
        settings.build_tables_within(&*rt, most)?;
        let compute = |job: &[u8]| compute(&*rt, &settings, rank, job);
        with_worker(&compute, |worker| {
            let mut pace = Pace::new();
            loop {
                let mut moved = false;
                while let Ok(Done { id, took, result }) = worker.done.try_recv() {
                    let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
                    self.send(0, OUTCOME, with(result, &[id, took]))?;
                    moved = true;
                }
                while let Some(Message { tag, mut bytes, .. }) = self.turn()? {
                    moved = true;
                    match tag {
                        JOB => {
                            let [id] =
                                split(&mut bytes).ok_or_else(|| invalid("it is too short for a job"))?;
                            worker.send(id, bytes);
                        }
                        SETUP => return Ok(ControlFlow::Continue(bytes)),
                        PAUSE => self.counts = false,
                        QUIT => return Ok(ControlFlow::Break(ending(&bytes))),
                        _ => return Err(invalid("rank 0 does not send this")),
                    }
                }
                pace.wait(moved);
            }
        })
    }

    /// Ends MPI; rank 0 first tells the others to end, and how, and waits for the last message of each for as long as
    /// [`Limits::silence`]. After an error it leaves MPI as it is: when this process ends, the launcher ends the
    /// others.
    ///
    /// # Errors
    /// [`Error::Mpi`]; [`Error::Rank`] if a rank fails at the end.
    pub fn finish(mut self, ending: Completion) -> Result<(), Error> {
        if self.failed {
            return Ok(());
        }
        // Rank 0 receives every message before MPI ends, because UCX writes a warning of each unreceived one to
        // standard output, among the results.
        let mut others = 0;
        if self.connected && self.leads() {
            let bytes = vec![1; usize::from(ending == Completion::Stopped)];
            (1..self.ranks()).try_for_each(|rank| self.send(rank, QUIT, bytes.clone()))?;
            others = self.ranks() - 1;
        } else if self.connected {
            self.send(0, LAST, Vec::new())?;
        }
        self.flush(others)?;
        let _on = self.watch.on();
        self.net.finish();
        Ok(())
    }

    /// Waits until everything has been sent and `others` ranks have sent their last message.
    fn flush(&mut self, mut others: usize) -> Result<(), Error> {
        let _on = self.watch.on();
        let mut pace = Pace::new();
        while others > 0 || self.net.is_sending() {
            let message = self.net.poll()?;
            pace.wait(message.is_some());
            match message {
                Some(Message { tag: LAST, .. }) => others = others.saturating_sub(1),
                Some(Message { from, tag: FAILED, bytes }) => return Err(self.error_of(from, &bytes)),
                // Any other message is too late.
                _ => {}
            }
        }
        Ok(())
    }

    /// Sends a message to all other ranks.
    fn send_to_all(&mut self, tag: i32, bytes: &[u8]) -> Result<(), Error> {
        let sent = (1..self.ranks()).try_for_each(|rank| self.send(rank, tag, bytes.to_vec()));
        let sent = sent.and_then(|()| self.flush(0));
        self.failed |= sent.is_err();
        sent
    }

    /// Begins to send a message, outside of [`Session::turn`].
    fn send(&mut self, to: usize, tag: i32, bytes: Vec<u8>) -> Result<(), Error> {
        let _on = self.watch.on();
        self.net.send(to, tag, bytes)
    }

    /// Returns the error that a rank sent.
    fn error_of(&self, rank: usize, bytes: &[u8]) -> Error {
        let why = String::from_utf8_lossy(bytes).into_owned();
        Error::Rank { rank, host: self.peers[rank].host.clone(), why }
    }

    /// Makes messages progress, sends heartbeats, and returns a message that is neither heartbeat nor echo, if there is
    /// one.
    fn turn(&mut self) -> Result<Option<Message>, Error> {
        let _on = self.watch.on();
        let now = Instant::now();
        let time = now.duration_since(self.last).min(LONGEST_TURN);
        self.last = now;
        if self.counts {
            self.keep_heartbeats(time)?;
        }
        while let Some(message) = self.net.poll()? {
            let Message { from, tag, mut bytes } = message;
            self.peers[from].silent = Duration::ZERO;
            match tag {
                HEARTBEAT => {
                    self.counts = true;
                    self.net.send(from, ECHO, bytes)?;
                }
                ECHO => {
                    let Some([sent]) = split(&mut bytes) else { continue };
                    let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
                    let trip = Duration::from_nanos(now.saturating_sub(sent));
                    let shortest = &mut self.peers[from].round_trip;
                    *shortest = Some(shortest.map_or(trip, |before| before.min(trip)));
                }
                FAILED => return Err(self.error_of(from, &bytes)),
                _ => return Ok(Some(Message { from, tag, bytes })),
            }
        }
        Ok(None)
    }

    /// Counts the silence of each rank; rank 0 sends heartbeats.
    fn keep_heartbeats(&mut self, time: Duration) -> Result<(), Error> {
        let others = if self.leads() { 1..self.ranks() } else { 0..1 };
        for rank in others.clone() {
            let peer = &mut self.peers[rank];
            peer.silent += time;
            if peer.silent > self.limits.silence {
                return Err(Error::Timeout { rank, host: peer.host.clone(), after: self.limits.silence });
            }
        }
        self.since_heartbeat += time;
        if self.leads() && self.since_heartbeat >= BETWEEN_HEARTBEATS {
            self.since_heartbeat = Duration::ZERO;
            for rank in others {
                let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
                self.net.send(rank, HEARTBEAT, with(Vec::new(), &[now]))?;
            }
        }
        Ok(())
    }
}

/// Returns the ending that [`QUIT`] carries.
fn ending(bytes: &[u8]) -> Completion {
    if bytes.is_empty() { Completion::Ended } else { Completion::Stopped }
}

/// Returns the outcome of a job, as bytes. A panic becomes the error of each item: one of them may have caused it.
fn compute(rt: &dyn Runtime, settings: &Settings, rank: usize, job: &[u8]) -> Vec<u8> {
    let Some(job) = wire::decode_job(job) else {
        // Rank 0 refuses the empty outcome.
        return Vec::new();
    };
    let results = catch_unwind(AssertUnwindSafe(|| job.run(rt, settings))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why");
        let error = ItemError::Other(format!("the computation failed on rank {rank}: {text}"));
        job.items.iter().map(|_| Err(error.clone())).collect()
    });
    wire::encode_outcome(&results)
}

/// Appends numbers to bytes.
fn with(mut bytes: Vec<u8>, numbers: &[u64]) -> Vec<u8> {
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

/// Removes the numbers at the end of the bytes and returns them; `None` if the bytes are too short.
fn split<const N: usize>(bytes: &mut Vec<u8>) -> Option<[u64; N]> {
    let at = bytes.len().checked_sub(8 * N)?;
    let mut numbers = [0; N];
    let (words, _) = bytes[at..].as_chunks::<8>();
    numbers.iter_mut().zip(words).for_each(|(number, word)| *number = u64::from_le_bytes(*word));
    bytes.truncate(at);
    Some(numbers)
}

/// The thread that computes, as seen by the thread that exchanges messages.
struct Worker {
    jobs: Sender<(u64, Vec<u8>)>,
    done: Receiver<Done>,
}

/// A computed job of this rank.
struct Done {
    id: u64,
    took: Duration,
    result: Vec<u8>,
}

impl Worker {
    fn send(&self, id: u64, job: Vec<u8>) {
        // The receiver lives as long as this sender.
        let _ = self.jobs.send((id, job));
    }
}

/// Calls `body` with a thread that computes. The thread ends with `body`, after its current job.
fn with_worker<R>(compute: &(dyn Fn(&[u8]) -> Vec<u8> + Sync), body: impl FnOnce(&Worker) -> R) -> R {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (jobs, work) = channel::<(u64, Vec<u8>)>();
        let (finished, done) = channel();
        let (talker, over) = (thread::current(), &over);
        scope.spawn(move || {
            for (id, job) in work {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let begun = Instant::now();
                let result = compute(&job);
                if finished.send(Done { id, took: begun.elapsed(), result }).is_err() {
                    break;
                }
                talker.unpark();
            }
        });
        let result = body(&Worker { jobs, done });
        over.store(true, Ordering::Relaxed);
        result
    })
}

/// Sleep between two polls of the messages: 20 µs after a message made progress, and twice as long after each poll
/// without one, up to 1 ms. A result of the worker ends the sleep.
struct Pace(Duration);

impl Pace {
    const SHORTEST: Duration = Duration::from_micros(20);
    const LONGEST: Duration = Duration::from_millis(1);

    fn new() -> Self {
        Pace(Self::SHORTEST)
    }

    fn wait(&mut self, moved: bool) {
        if moved {
            self.0 = Self::SHORTEST;
        }
        thread::park_timeout(self.0);
        self.0 = (2 * self.0).min(Self::LONGEST);
    }
}

/// A thread that bounds the time of each call of MPI, which a lost connection can block forever.
struct Watch {
    /// Number of calls that have begun and ended; odd within one.
    calls: Arc<AtomicU64>,
}

impl Watch {
    fn new(limits: Limits) -> Self {
        const STEP: Duration = Duration::from_millis(100);
        let calls = Arc::new(AtomicU64::new(0));
        let seen = Arc::downgrade(&calls);
        // Without this thread calls have no time limit; a system without threads cannot compute either.
        let _ = thread::Builder::new().name("mpi-watch".to_owned()).spawn(move || {
            let (mut before, mut time) = (0, Duration::ZERO);
            while let Some(calls) = seen.upgrade() {
                let now = calls.load(Ordering::Relaxed);
                drop(calls);
                time = if now % 2 == 1 && now == before { time + STEP } else { Duration::ZERO };
                before = now;
                if time > limits.silence {
                    (limits.stuck)(limits.silence);
                }
                thread::sleep(STEP);
            }
        });
        Watch { calls }
    }

    /// Begins a time limit, which ends when the returned value is dropped.
    fn on(&self) -> Watched {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Watched(Arc::clone(&self.calls))
    }
}

struct Watched(Arc<AtomicU64>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Version, host and error of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Handshake {
    version: String,
    host: String,
    /// Error that keeps the rank from working, or empty.
    error: String,
}

impl Handshake {
    /// Returns version and host in 64 bytes each, then the error, padded with zeros; a text that does not fit is cut.
    fn to_bytes(&self) -> [u8; HANDSHAKE] {
        let mut bytes = [0; HANDSHAKE];
        let (version, rest) = bytes.split_at_mut(64);
        let (host, error) = rest.split_at_mut(64);
        for (to, text) in [(version, &self.version), (host, &self.host), (error, &self.error)] {
            to.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; HANDSHAKE]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
        Handshake { version: text(&bytes[..64]), host: text(&bytes[64..128]), error: text(&bytes[128..]) }
    }
}

fn check_handshakes(all: &[Handshake]) -> Result<(), Error> {
    let Some(first) = all.first() else { return Ok(()) };
    let other = all.iter().position(|handshake| handshake.version != first.version);
    if let Some(rank) = other {
        let Handshake { version: theirs, host, .. } = all[rank].clone();
        return Err(Error::Version { rank, host, theirs, ours: first.version.clone() });
    }
    let failed = all.iter().position(|rank| !rank.error.is_empty());
    failed.map_or(Ok(()), |rank| {
        let Handshake { host, error: why, .. } = all[rank].clone();
        Err(Error::Rank { rank, host, why })
    })
}
