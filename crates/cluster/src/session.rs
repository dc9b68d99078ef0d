//! What ranks say to each other, from the start to the end.
//!
//! Rank 0 leads: it sends the setup, pieces, and the end; the others answer. While rank 0 runs a job it sends a beat to each
//! rank every second, which the rank returns. So both know that the other is there, and rank 0 knows the round trip. Who
//! hears nothing for longer than [`Limits::silence`] gives up. Between jobs nobody has to be heard.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parcrypt_kzg::Settings;
use parcrypt_runtime::Runtime;

use crate::error::Error;
use crate::farm::{Farm, Next, Piece};
use crate::net::{Message, Net};
use crate::task::{Failure, Results, Task};
use crate::wire;

/// From rank 0: a piece, with its number behind.
const PIECE: i32 = 1;
/// To rank 0: the result of a piece, with its number and the nanoseconds that it took behind.
const RESULT: i32 = 2;
/// From rank 0: are you there? With the time of the clock of rank 0.
const BEAT: i32 = 3;
/// To rank 0: the same bytes again.
const ECHO: i32 = 4;
/// From rank 0: the setup in its binary form; behind it the MiB of tables that others are to make, and their threads.
const SETUP: i32 = 5;
/// From rank 0: no beats from now on, until the next.
const PAUSE: i32 = 6;
/// From rank 0: the end, with [`Ending::Stopped`] where there are bytes.
const QUIT: i32 = 7;
/// To rank 0: why this rank cannot go on.
const FAILED: i32 = 8;

/// How often rank 0 asks whether a rank is there.
const BETWEEN_BEATS: Duration = Duration::from_secs(1);

/// The longest time that one look at messages is counted for. So a process that was stopped and goes on does not take the
/// others for dead.
const LONGEST_TURN: Duration = Duration::from_millis(100);

/// What the ranks compare before anything else. No later version may make it shorter or move it.
const GREETING: usize = 256;

/// What this program is. Ranks work together only where it is the same. Whoever changes the form of messages counts it on.
const VERSION: &str = concat!("parcrypt ", env!("CARGO_PKG_VERSION"), ", form 1");

/// How the work of the ranks came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is done, or failed.
    Ended,
    /// Its user has stopped it. Launchers make one exit code of those of all ranks, so all of them should say it.
    Stopped,
}

/// Makes the runtime of a rank: of so many threads, or of as many as it finds right.
pub type MakeRuntime<'a> = dyn Fn(Option<NonZeroUsize>) -> Result<Box<dyn Runtime>, String> + 'a;

/// How long ranks wait.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// After so long without a sign of a rank the others give it up.
    pub silence: Duration,
    /// Called by another thread where MPI itself has not come back for as long. It has to end the process: nothing else can
    /// be done.
    pub stuck: fn(Duration),
}

/// The ranks, as one of them sees them.
pub struct Session {
    net: Net,
    limits: Limits,
    peers: Vec<Peer>,
    watch: Watch,
    /// When [`Session::turn`] was called last.
    last: Instant,
    /// What rank 0 measures round trips from.
    begun: Instant,
    since_beat: Duration,
    /// Whether silence counts.
    counts: bool,
    /// Whether the ranks work together, so that there is somebody to be told of the end.
    together: bool,
    /// Whether something has failed, after which nobody can wait for anybody.
    failed: bool,
}

#[derive(Clone, Debug, Default)]
struct Peer {
    host: String,
    silent: Duration,
    /// The shortest that was measured.
    round_trip: Option<Duration>,
}

impl Session {
    /// Starts MPI in this process, on the thread that will make all other calls.
    ///
    /// # Errors
    /// [`Error::NotBuilt`] in a build without the feature `mpi`; [`Error::Unusable`]; [`Error::Alone`] where several processes
    /// were started by the launcher of another MPI.
    pub fn start(limits: Limits) -> Result<Self, Error> {
        let net = Net::start()?;
        let peers = vec![Peer::default(); net.size()];
        let (watch, now) = (Watch::new(limits), Instant::now());
        let (last, begun, since_beat) = (now, now, BETWEEN_BEATS);
        Ok(Session {
            net,
            limits,
            peers,
            watch,
            last,
            begun,
            since_beat,
            counts: false,
            together: false,
            failed: false,
        })
    }

    /// Whether this is rank 0, which leads; all others are to call [`Session::serve`].
    pub fn leads(&self) -> bool {
        self.net.rank() == 0
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.net.size()
    }

    /// How many of them are on this machine.
    pub fn ranks_here(&self) -> usize {
        self.net.node_size()
    }

    /// Compares what the ranks are. All of them have to call it, each with what keeps it from working, if there is something.
    ///
    /// # Errors
    /// The same on all ranks, about the first that is wrong: [`Error::Version`], [`Error::Rank`].
    pub fn greet(&mut self, trouble: Option<String>) -> Result<(), Error> {
        let on = self.watch.on();
        let version = VERSION.to_owned();
        let own =
            Greeting { version, host: self.net.host().to_owned(), trouble: trouble.unwrap_or_default() };
        let all: Vec<Greeting> =
            self.net.all_gather(&own.to_bytes())?.iter().map(Greeting::from_bytes).collect();
        drop(on);
        all.iter().zip(&mut self.peers).for_each(|(greeting, peer)| peer.host.clone_from(&greeting.host));
        check_greetings(&all)?;
        self.together = true;
        Ok(())
    }

    /// Gives the setup to all ranks, and tables: those that `settings` has on this machine, on others such of as many MiB, which
    /// the first rank there makes with its runtime. The ranks of a machine share one copy of them. The others make a runtime
    /// of so many threads, or of as many as they find right.
    ///
    /// # Errors
    /// [`Error::Mpi`] and the like.
    pub fn set_up(
        &mut self,
        rt: &dyn Runtime,
        settings: &mut Settings,
        mib: Option<usize>,
        threads: Option<NonZeroUsize>,
    ) -> Result<(), Error> {
        let threads = threads.map_or(0, NonZeroUsize::get);
        let message = with(settings.to_binary(), &[mib.unwrap_or(0) as u64, threads as u64]);
        let told = (1..self.ranks()).try_for_each(|rank| self.send(rank, SETUP, message.clone()));
        let shared = told.and_then(|()| self.flush()).and_then(|()| self.share_tables(rt, settings, 0));
        self.failed = shared.is_err();
        shared
    }

    /// Makes all ranks of this machine use the same tables, which the first of them makes where it is given a budget.
    fn share_tables(&mut self, rt: &dyn Runtime, settings: &mut Settings, mib: usize) -> Result<(), Error> {
        if self.net.node_size() == 1 {
            if mib > 0 {
                settings.build_tables(rt, mib)?;
            }
            return Ok(());
        }
        let makes = self.net.node_rank() == 0;
        if makes && mib > 0 {
            settings.build_tables(rt, mib)?;
        }
        let _on = self.watch.on();
        let [lagrange, fk20] = settings.table_parts();
        let layouts = self.net.node_broadcast(&[lagrange.0, fk20.0])?;
        let lagrange = self.net.share(makes.then_some(lagrange.1))?;
        let fk20 = self.net.share(makes.then_some(fk20.1))?;
        settings.use_tables([(layouts[0], lagrange), (layouts[1], fk20)])?;
        Ok(())
    }

    /// Takes pieces from `next` and gives their results to `give`, in order, until `next` says that there are no more. Both are
    /// called by this thread, which also moves the messages, so they must not wait. A result is a list for the inputs of the
    /// piece.
    ///
    /// # Errors
    /// [`Error::Silent`] where a rank is gone, [`Error::Rank`] where one cannot go on, [`Error::Mpi`] and the like. This
    /// session cannot be used any more then, and the process should end without [`Session::finish`].
    pub fn run<T>(
        &mut self,
        rt: &dyn Runtime,
        settings: &Settings,
        next: &mut dyn FnMut() -> Next<T>,
        give: &mut dyn FnMut(T, Option<Results>),
    ) -> Result<(), Error> {
        let compute = |piece: &[u8]| answer(rt, settings, 0, piece);
        let mut garbled = None;
        self.run_bytes(&compute, next, &mut |token, result| {
            let Some((rank, bytes)) = result else { return give(token, None) };
            match wire::decode_results(&bytes) {
                Some(results) => give(token, Some(results)),
                None => garbled = Some(Error::Garbled { rank, what: "it is no list of results" }),
            }
        })?;
        garbled.map_or(Ok(()), Err)
    }

    /// [`Session::run`] for whatever is computed of a piece.
    fn run_bytes<T>(
        &mut self,
        compute: &(dyn Fn(&[u8]) -> Vec<u8> + Sync),
        next: &mut dyn FnMut() -> Next<T>,
        give: &mut dyn FnMut(T, Option<(usize, Vec<u8>)>),
    ) -> Result<(), Error> {
        self.counts = true;
        self.since_beat = BETWEEN_BEATS;
        self.peers.iter_mut().for_each(|peer| peer.silent = Duration::ZERO);
        let mut farm = Farm::new(self.ranks());
        let mut ended = false;
        let done = with_hands(compute, |hands| {
            let mut pace = Pace::new();
            loop {
                let mut moved = false;
                while let Ok(Done { id, took, result }) = hands.done.try_recv() {
                    farm.back(0, id, took, result);
                    moved = true;
                }
                while let Some(message) = self.turn()? {
                    self.take(&mut farm, message)?;
                    moved = true;
                }
                while !ended && let Some(rank) = farm.wants() {
                    match next() {
                        Next::Piece(token, Piece(bytes)) => {
                            let id = farm.give(rank, token);
                            if rank == 0 {
                                hands.give(id, bytes)
                            } else {
                                self.send(rank, PIECE, with(bytes, &[id]))?
                            }
                        }
                        Next::Pass(token) => farm.pass(token),
                        Next::Later => break,
                        Next::End => ended = true,
                    }
                    moved = true;
                }
                while let Some((token, result)) = farm.ready() {
                    give(token, result);
                    moved = true;
                }
                if ended && farm.is_empty() {
                    return Ok(());
                }
                pace.wait(moved);
            }
        });
        self.counts = false;
        self.failed = done.is_err();
        if self.failed {
            // What is there was computed, whatever is missing before it.
            farm.rest().for_each(|(token, result)| give(token, result));
        }
        done
    }

    /// Takes a result.
    fn take<T>(&self, farm: &mut Farm<T>, Message { from, tag, mut bytes }: Message) -> Result<(), Error> {
        let garbled = |what| Error::Garbled { rank: from, what };
        if tag != RESULT {
            return Err(garbled("no rank sends this to rank 0"));
        }
        let [id, took] = split(&mut bytes).ok_or_else(|| garbled("it is too short for a result"))?;
        farm.round_trip(from, self.peers[from].round_trip.unwrap_or_default());
        match farm.back(from, id, Duration::from_nanos(took), bytes) {
            true => Ok(()),
            false => Err(garbled("it is the result of a piece that this rank does not have")),
        }
    }

    /// Says that there will be no beats until the next [`Session::run`], so that nobody waits for them.
    ///
    /// # Errors
    /// [`Error::Mpi`].
    pub fn pause(&mut self) -> Result<(), Error> {
        let told = (1..self.ranks()).try_for_each(|rank| self.send(rank, PAUSE, Vec::new()));
        let told = told.and_then(|()| self.flush());
        self.failed |= told.is_err();
        told
    }

    /// Does what rank 0 asks for, until it asks for no more, with a runtime of as many threads as it asks for. Gives how rank
    /// 0 says that the work has ended.
    ///
    /// # Errors
    /// [`Error::Silent`] where rank 0 is gone, [`Error::Own`] where there is no such runtime, [`Error::Setup`] where rank 0 has
    /// sent what cannot be used, [`Error::Mpi`].
    pub fn serve(&mut self, make: &MakeRuntime<'_>) -> Result<Ending, Error> {
        let served = self.serve_all(make);
        if let Err(error) = &served
            && !matches!(error, Error::Silent { .. } | Error::Mpi { .. })
        {
            // Rank 0 tells it to the user; what went wrong first is what counts.
            let _ = self.send(0, FAILED, error.to_string().into_bytes()).and_then(|()| self.flush());
        }
        self.failed = served.is_err();
        served
    }

    fn serve_all(&mut self, make: &MakeRuntime<'_>) -> Result<Ending, Error> {
        let mut pace = Pace::new();
        let mut setup = None;
        loop {
            if let Some(bytes) = setup.take() {
                match self.serve_setup(make, bytes)? {
                    Served::Setup(bytes) => setup = Some(bytes),
                    Served::Quit(ending) => return Ok(ending),
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
                Some(_) => return Err(Error::Garbled { rank: 0, what: "it came before the setup" }),
            }
        }
    }

    /// Works with a setup, until the next one comes, or the end.
    fn serve_setup(&mut self, make: &MakeRuntime<'_>, bytes: Vec<u8>) -> Result<Served, Error> {
        let rank = self.net.rank();
        let garbled = |what| Error::Garbled { rank: 0, what };
        let mut file = bytes;
        let [mib, threads] = split(&mut file).ok_or_else(|| garbled("it is too short for a setup"))?;
        let [mib, threads] = [mib, threads].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let rt = make(NonZeroUsize::new(threads)).map_err(|why| Error::Own { why })?;
        let mut settings = Settings::from_binary(&file)?;
        drop(file);
        self.share_tables(&*rt, &mut settings, mib)?;
        let compute = |piece: &[u8]| answer(&*rt, &settings, rank, piece);
        with_hands(&compute, |hands| {
            let mut pace = Pace::new();
            loop {
                let mut moved = false;
                while let Ok(Done { id, took, result }) = hands.done.try_recv() {
                    let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
                    self.send(0, RESULT, with(result, &[id, took]))?;
                    moved = true;
                }
                while let Some(Message { tag, mut bytes, .. }) = self.turn()? {
                    moved = true;
                    match tag {
                        PIECE => {
                            let [id] =
                                split(&mut bytes).ok_or_else(|| garbled("it is too short for a piece"))?;
                            hands.give(id, bytes);
                        }
                        SETUP => return Ok(Served::Setup(bytes)),
                        PAUSE => self.counts = false,
                        QUIT => return Ok(Served::Quit(ending(&bytes))),
                        _ => return Err(garbled("rank 0 does not send this")),
                    }
                }
                pace.wait(moved);
            }
        })
    }

    /// Ends MPI, on rank 0 after it has told the others to end, and how. After a failure it leaves MPI as it is: the launcher then ends
    /// what is left when this process ends.
    ///
    /// # Errors
    /// [`Error::Mpi`].
    pub fn finish(mut self, ending: Ending) -> Result<(), Error> {
        if self.failed {
            return Ok(());
        }
        if self.leads() && self.together {
            let bytes = vec![1; usize::from(ending == Ending::Stopped)];
            (1..self.ranks()).try_for_each(|rank| self.send(rank, QUIT, bytes.clone()))?;
        }
        self.flush()?;
        let _on = self.watch.on();
        self.net.finish();
        Ok(())
    }

    /// Waits until everything has been sent.
    fn flush(&mut self) -> Result<(), Error> {
        let _on = self.watch.on();
        let mut pace = Pace::new();
        while self.net.is_sending() {
            let message = self.net.poll()?;
            pace.wait(message.is_some());
            // All else comes too late.
            if let Some(Message { from, tag: FAILED, bytes }) = message {
                return Err(self.told(from, &bytes));
            }
        }
        Ok(())
    }

    /// Begins to send a message, outside of [`Session::turn`].
    fn send(&mut self, to: usize, tag: i32, bytes: Vec<u8>) -> Result<(), Error> {
        let _on = self.watch.on();
        self.net.send(to, tag, bytes)
    }

    /// What a rank says of why it cannot go on.
    fn told(&self, rank: usize, bytes: &[u8]) -> Error {
        let why = String::from_utf8_lossy(bytes).into_owned();
        Error::Rank { rank, host: self.peers[rank].host.clone(), why }
    }

    /// Moves on what is under way, keeps the beats, and takes a message that is neither beat nor echo, if there is one.
    fn turn(&mut self) -> Result<Option<Message>, Error> {
        let _on = self.watch.on();
        let now = Instant::now();
        let time = now.duration_since(self.last).min(LONGEST_TURN);
        self.last = now;
        if self.counts {
            self.keep_beats(time)?;
        }
        while let Some(message) = self.net.poll()? {
            let Message { from, tag, mut bytes } = message;
            self.peers[from].silent = Duration::ZERO;
            match tag {
                BEAT => {
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
                FAILED => return Err(self.told(from, &bytes)),
                _ => return Ok(Some(Message { from, tag, bytes })),
            }
        }
        Ok(None)
    }

    /// Counts how long nothing was heard of those who should be; rank 0 asks them.
    fn keep_beats(&mut self, time: Duration) -> Result<(), Error> {
        let others = if self.leads() { 1..self.ranks() } else { 0..1 };
        for rank in others.clone() {
            let peer = &mut self.peers[rank];
            peer.silent += time;
            if peer.silent > self.limits.silence {
                return Err(Error::Silent { rank, host: peer.host.clone(), after: self.limits.silence });
            }
        }
        self.since_beat += time;
        if self.leads() && self.since_beat >= BETWEEN_BEATS {
            self.since_beat = Duration::ZERO;
            for rank in others {
                let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
                self.net.send(rank, BEAT, with(Vec::new(), &[now]))?;
            }
        }
        Ok(())
    }
}

/// Why a rank no longer works with a setup.
enum Served {
    /// There is another.
    Setup(Vec<u8>),
    Quit(Ending),
}

/// What [`QUIT`] says.
fn ending(bytes: &[u8]) -> Ending {
    if bytes.is_empty() { Ending::Ended } else { Ending::Stopped }
}

/// The results of a piece, as bytes. A panic is that of the piece: it may have come from one of its inputs.
fn answer(rt: &dyn Runtime, settings: &Settings, rank: usize, piece: &[u8]) -> Vec<u8> {
    let Some(task) = Task::decode(piece) else {
        // Rank 0 refuses it and says so.
        return Vec::new();
    };
    let results = catch_unwind(AssertUnwindSafe(|| task.run(rt, settings))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why");
        let failure = Failure::Other(format!("the computation failed on rank {rank}: {text}"));
        task.inputs.iter().map(|_| Err(failure.clone())).collect()
    });
    wire::encode_results(&results)
}

/// Bytes with numbers behind.
fn with(mut bytes: Vec<u8>, numbers: &[u64]) -> Vec<u8> {
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

/// Takes the numbers that are behind the bytes.
fn split<const N: usize>(bytes: &mut Vec<u8>) -> Option<[u64; N]> {
    let at = bytes.len().checked_sub(8 * N)?;
    let mut numbers = [0; N];
    let (words, _) = bytes[at..].as_chunks::<8>();
    numbers.iter_mut().zip(words).for_each(|(number, word)| *number = u64::from_le_bytes(*word));
    bytes.truncate(at);
    Some(numbers)
}

/// The thread that computes, as the one that talks sees it.
struct Hands {
    pieces: Sender<(u64, Vec<u8>)>,
    done: Receiver<Done>,
}

/// A result of this rank.
struct Done {
    id: u64,
    took: Duration,
    result: Vec<u8>,
}

impl Hands {
    fn give(&self, id: u64, piece: Vec<u8>) {
        // The other end lives as long as this one.
        let _ = self.pieces.send((id, piece));
    }
}

/// Calls `body` with a thread that computes, which ends with it, after the piece that it has in work.
fn with_hands<R>(compute: &(dyn Fn(&[u8]) -> Vec<u8> + Sync), body: impl FnOnce(&Hands) -> R) -> R {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (pieces, work) = channel::<(u64, Vec<u8>)>();
        let (back, done) = channel();
        let (talker, over) = (thread::current(), &over);
        scope.spawn(move || {
            for (id, piece) in work {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let begun = Instant::now();
                let result = compute(&piece);
                if back.send(Done { id, took: begun.elapsed(), result }).is_err() {
                    break;
                }
                talker.unpark();
            }
        });
        let result = body(&Hands { pieces, done });
        over.store(true, Ordering::Relaxed);
        result
    })
}

/// How long to sleep between two looks at the messages: 20 µs after something has moved, and twice as long each time nothing
/// has, up to 1 ms. A result of the own thread ends the sleep.
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

/// A thread that sees to it that no call of MPI lasts for ever: a lost connection can do that.
struct Watch {
    /// How many calls have begun and ended; odd within one.
    calls: Arc<AtomicU64>,
}

impl Watch {
    fn new(limits: Limits) -> Self {
        const STEP: Duration = Duration::from_millis(100);
        let calls = Arc::new(AtomicU64::new(0));
        let seen = Arc::downgrade(&calls);
        // Where there is no thread for it nothing is watched over; the work will find that out soon enough.
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

    /// Begins a stretch that must not last longer than the limit, and ends it when the value is dropped.
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

/// What a rank says of itself at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Greeting {
    version: String,
    host: String,
    /// What keeps it from working; empty where nothing does.
    trouble: String,
}

impl Greeting {
    /// 64 bytes, 64, and the rest, with zeros behind each text; what does not fit is cut off.
    fn to_bytes(&self) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        let (version, rest) = bytes.split_at_mut(64);
        let (host, trouble) = rest.split_at_mut(64);
        for (to, text) in [(version, &self.version), (host, &self.host), (trouble, &self.trouble)] {
            to.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; GREETING]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
        Greeting { version: text(&bytes[..64]), host: text(&bytes[64..128]), trouble: text(&bytes[128..]) }
    }
}

fn check_greetings(all: &[Greeting]) -> Result<(), Error> {
    let Some(first) = all.first() else { return Ok(()) };
    let other = all.iter().position(|greeting| greeting.version != first.version);
    if let Some(rank) = other {
        let Greeting { version: theirs, host, .. } = all[rank].clone();
        return Err(Error::Version { rank, host, theirs, ours: first.version.clone() });
    }
    let troubled = all.iter().position(|greeting| !greeting.trouble.is_empty());
    troubled.map_or(Ok(()), |rank| {
        let Greeting { host, trouble: why, .. } = all[rank].clone();
        Err(Error::Rank { rank, host, why })
    })
}

/// Finds out whether a process that believes to be alone was started as one of several. Hydra (MPICH, Intel MPI), Open MPI
/// and Slurm each say so in the environment.
#[cfg(any(feature = "mpi", test))]
pub(crate) fn check_alone(
    variable: impl Fn(&str) -> Option<String>,
    library: impl FnOnce() -> String,
) -> Result<(), Error> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    let sizes = ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];
    let sizes = sizes.into_iter().filter_map(|name| Some((name, number(name)?)));
    // This one tells no size, but that there are others.
    let rank = number("PMIX_RANK").map(|rank| ("PMIX_RANK", rank + 1));
    match sizes.chain(rank).find(|(_, size)| *size > 1) {
        None => Ok(()),
        Some((name, expected)) => Err(Error::Alone { said: name.to_owned(), expected, library: library() }),
    }
}
