//! The algorithms over ranks, for any message passing.

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;
use std::time::Instant;

use parcrypt_protocol::{Ready, STATUS_ERROR, WorkerError, serve};

use crate::{
    Adder, Algorithm, Candidate, Cut, Pages, Phases, SumError, Summed, Variant, Work, backend, sum, touch,
};

/// Bytes that rank 0 reads for another rank's window at a time.
const STAGE: usize = 1 << 22;

/// Words that rank 0 sends to all: see `Command`.
pub type Words = [u64; 4];

/// This process as one of several that send each other messages. All ranks call the same functions in the same order,
/// except for the two sides of a message. A failure ends all of them with a message on standard error.
pub trait Ranks {
    /// The name of the program.
    const NAME: &'static str;
    /// The published mistakes that the program supports.
    const MISTAKES: &'static [Variant];

    /// Returns the number of this rank.
    fn rank(&self) -> usize;
    /// Returns the number of ranks.
    fn ranks(&self) -> usize;
    /// Returns name and version of the library that sends the messages.
    fn library(&self) -> String;

    /// Sends the words of rank 0 to all ranks. The others wait for them without using their processor.
    fn tell(&mut self, words: &mut Words);
    /// Returns when all ranks have called it.
    fn meet(&mut self);
    /// Returns when rank 0 has called it.
    fn begin(&mut self);
    /// Returns the maximum of the ranks' values.
    fn greatest(&mut self, mine: u64) -> u64;
    /// Returns the sum of the ranks' values, on rank 0.
    fn reduce(&mut self, mine: u64) -> u64;

    /// Sends all these messages and returns when all are complete. [`Variant::DroppedGuard`] completes each before the
    /// next.
    fn send<'a>(&mut self, variant: Variant, messages: impl Iterator<Item = (usize, &'a [u8])>);
    /// Receives one message.
    fn receive(&mut self, from: usize, data: &mut [u8]);
    /// Sends one word.
    fn send_word(&mut self, to: usize, word: u64);
    /// Receives one word from each, all at once, and adds them up.
    fn receive_sum(&mut self, from: impl Iterator<Item = usize> + Clone) -> u64;
    /// On rank 0: sends each rank lines from `data`, with numbers of lines in `counts` and their positions in `places`.
    fn scatter(&mut self, data: &[u8], counts: &[i32], places: &[i32]);
    /// On the other ranks: receives whole lines.
    fn receive_scattered(&mut self, data: &mut [u8]);

    /// Allocates memory that is shared with the ranks of this node.
    fn window(&mut self, bytes: usize) -> Box<dyn Memory>;
}

/// Returns name and version of the MPI library, from the first line of its version text.
pub fn library_version(text: &str) -> String {
    let line = text.split([',', '\n']).next().unwrap_or_default();
    // MPICH's text has tabs.
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Memory of a rank, its own or shared by its node: on rank 0 everything, below it in the tree the bytes of its
/// subtree, else its own part.
pub trait Memory {
    /// Returns the bytes.
    fn all(&self) -> &[u8];
    /// Returns the bytes.
    fn all_mut(&mut self) -> &mut [u8];
}

/// Answers the lab's requests on rank 0 and the commands of rank 0 on the others. `start_ns` is the time to start the
/// ranks.
pub fn run<R: Ranks>(ranks: &mut R, start_ns: u64) -> ExitCode {
    let status = if ranks.rank() == 0 {
        let mut lead = Candidate::new(Lead { ranks, start_ns, prepared: None });
        let status = match serve(&mut lead) {
            Ok(()) => 0,
            Err(error) => {
                eprintln!("error: {error}");
                STATUS_ERROR
            }
        };
        lead.into_inner().ranks.tell(&mut Command::End { status }.words());
        status
    } else {
        follow(ranks)
    };
    ExitCode::from(status)
}

/// A command of rank 0 to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Prepare { bytes: u64, algorithm: Algorithm, variant: Variant },
    Sample { iterations: u64 },
    End { status: u8 },
}

impl Command {
    fn words(self) -> Words {
        match self {
            Command::Prepare { bytes, algorithm, variant } => {
                [0, bytes, algorithm as u64, u64::from(variant == Variant::DroppedGuard)]
            }
            Command::Sample { iterations } => [1, iterations, 0, 0],
            Command::End { status } => [2, status.into(), 0, 0],
        }
    }

    fn from_words(words: Words) -> Self {
        match words {
            [0, bytes, algorithm, mistake] => Command::Prepare {
                bytes,
                algorithm: Algorithm::ALL[algorithm as usize],
                variant: if mistake == 1 { Variant::DroppedGuard } else { Variant::Correct },
            },
            [1, iterations, ..] => Command::Sample { iterations },
            [_, status, ..] => Command::End { status: status as u8 },
        }
    }
}

/// The loop of rank 0.
struct Lead<'a, R: Ranks> {
    ranks: &'a mut R,
    start_ns: u64,
    prepared: Option<Prepared>,
}

impl<R: Ranks> Adder for Lead<'_, R> {
    fn prepare(&mut self, work: &Work, input: File) -> Result<Ready, WorkerError> {
        let Work { bytes, variant, threads, .. } = *work;
        let algorithm = work.algorithm.ok_or(SumError::NoAlgorithm)?;
        let mistake = variant != Variant::Correct;
        if mistake && !(R::MISTAKES.contains(&variant) && algorithm == Algorithm::Tree) {
            let why = format!("the variant {} of {algorithm:?} is not in {}", variant.name(), R::NAME);
            return Err(WorkerError::Unsupported(why));
        }
        if threads != self.ranks.ranks() {
            return Err(SumError::Threads { asked: threads, ranks: self.ranks.ranks() }.into());
        }
        self.ranks.tell(&mut Command::Prepare { bytes, algorithm, variant }.words());
        let (prepared, mut phases) = Prepared::new(self.ranks, bytes, algorithm, variant, Some(input))?;
        self.prepared = Some(prepared);
        phases.insert("start".to_owned(), self.start_ns);
        Ok(Ready {
            name: R::NAME.to_owned(),
            version: self.ranks.library(),
            runtime: "mpi".to_owned(),
            backend: backend().to_owned(),
            threads,
            phases,
            ..Ready::default()
        })
    }

    fn sample(&mut self, iterations: u64) -> Summed {
        self.ranks.tell(&mut Command::Sample { iterations }.words());
        // A sample follows a successful preparation.
        self.prepared
            .as_mut()
            .map_or_else(Summed::default, |prepared| prepared.sample(self.ranks, iterations))
    }
}

/// Runs every other rank. Returns the exit status of the process.
fn follow<R: Ranks>(ranks: &mut R) -> u8 {
    let mut prepared = None;
    loop {
        let mut words = Words::default();
        ranks.tell(&mut words);
        match Command::from_words(words) {
            Command::Prepare { bytes, algorithm, variant } => {
                // A failure is known to rank 0, which ends all.
                prepared = Prepared::new(ranks, bytes, algorithm, variant, None).ok().map(|(new, _)| new);
            }
            Command::Sample { iterations } => {
                if let Some(prepared) = &mut prepared {
                    prepared.sample(ranks, iterations);
                }
            }
            Command::End { status } => return status,
        }
    }
}

struct Prepared {
    cut: Cut,
    algorithm: Algorithm,
    variant: Variant,
    data: Box<dyn Memory>,
    /// Counts of the scatter, on rank 0.
    counts: Vec<i32>,
    places: Vec<i32>,
}

impl Prepared {
    /// Prepares everything; `input` is given on rank 0. All ranks succeed or none.
    fn new<R: Ranks>(
        ranks: &mut R,
        bytes: u64,
        algorithm: Algorithm,
        variant: Variant,
        input: Option<File>,
    ) -> Result<(Self, Phases), SumError> {
        let cut = Cut { bytes, ranks: ranks.ranks() };
        let mut phases = Phases::default();
        let mut begun = Instant::now();
        let mut lap =
            |name: &str, phases: &mut Phases| phases.insert(name.to_owned(), nanoseconds(&mut begun));

        let room = cut.room(algorithm, ranks.rank());
        let mut data = if algorithm == Algorithm::Window {
            Some(ranks.window(room))
        } else {
            Pages::new(room).map(|pages| Box::new(pages) as Box<dyn Memory>)
        };
        // All fail together: a window is freed by all ranks of its node.
        let shared = algorithm == Algorithm::Window;
        let there = data.as_mut().is_some_and(|data| !shared || touch(data.all_mut()));
        let lacks = ranks.greatest(u64::from(!there)) != 0;
        let Some(data) = data.filter(|_| !lacks) else { return Err(SumError::Memory(bytes)) };
        lap("touch", &mut phases);

        connect(ranks);
        lap("connect", &mut phases);

        let (counts, places) = if ranks.rank() == 0 { cut.scatter() } else { Default::default() };
        let mut prepared = Prepared { cut, algorithm, variant, data, counts, places };
        prepared.load(ranks, input)?;
        lap("read", &mut phases);
        Ok((prepared, phases))
    }

    /// Moves the input to the memory in which the measured work expects it.
    fn load<R: Ranks>(&mut self, ranks: &mut R, input: Option<File>) -> Result<(), SumError> {
        let (cut, shared) = (self.cut, self.algorithm == Algorithm::Window);
        let data = self.data.all_mut();
        let mut outcome = Ok(());
        if let Some(mut input) = input {
            // Unreadable data is sent as it is: the others are waiting, and the error is reported when all agree.
            let mut read = |bytes: &mut [u8]| {
                if outcome.is_ok() {
                    outcome = input.read_exact(bytes);
                }
            };
            let mut stage = vec![0; if shared { STAGE } else { 0 }];
            for rank in 0..cut.ranks {
                if shared && rank != 0 {
                    // Block by block, so that rank 0 needs no memory for it.
                    let mut rest = cut.part(rank);
                    while rest > 0 {
                        let piece = &mut stage[..rest.min(STAGE)];
                        read(piece);
                        ranks.send(Variant::Correct, [(rank, &*piece)].into_iter());
                        rest -= piece.len();
                    }
                } else {
                    read(&mut data[cut.place(self.algorithm, rank)..][..cut.part(rank)]);
                }
            }
        } else if shared {
            data.chunks_mut(STAGE).for_each(|piece| ranks.receive(0, piece));
        }
        let failed = ranks.greatest(u64::from(outcome.is_err())) != 0;
        match outcome {
            Err(error) => Err(SumError::Input(error)),
            Ok(()) if failed => Err(SumError::InputElsewhere),
            Ok(()) => Ok(()),
        }
    }

    /// Sums `iterations` times, from the scatter on; returns the sum and all times of rank 0.
    fn sample<R: Ranks>(&mut self, ranks: &mut R, iterations: u64) -> Summed {
        let (cut, rank) = (self.cut, ranks.rank());
        let (mut scatter, mut compute, mut gather, mut total) = (0, 0, 0, 0);
        ranks.meet();
        let mut begun = Instant::now();
        for _ in 0..iterations {
            match self.algorithm {
                Algorithm::Tree => self.scatter_by_tree(ranks),
                Algorithm::Collective if rank == 0 => {
                    ranks.scatter(self.data.all(), &self.counts, &self.places);
                }
                Algorithm::Collective => ranks.receive_scattered(self.data.all_mut()),
                // No rank may begin earlier, or the iteration would run within the time of another.
                Algorithm::Window => ranks.begin(),
            }
            scatter += nanoseconds(&mut begun);
            let own = sum(&self.data.all()[..cut.part(rank)]);
            compute += nanoseconds(&mut begun);
            total = match self.algorithm {
                Algorithm::Tree => {
                    let total = own + ranks.receive_sum(cut.children(rank));
                    if let Some(parent) = cut.parent(rank) {
                        ranks.send_word(parent, total);
                    }
                    total
                }
                Algorithm::Collective | Algorithm::Window => ranks.reduce(own),
            };
            gather += nanoseconds(&mut begun);
        }
        let phases = [("scatter", scatter), ("compute", compute), ("gather", gather)]
            .map(|(name, ns)| (name.to_owned(), ns));
        Summed { elapsed_ns: scatter + compute + gather, phases: phases.into(), sum: total }
    }

    fn scatter_by_tree<R: Ranks>(&mut self, ranks: &mut R) {
        let (cut, rank) = (self.cut, ranks.rank());
        if let Some(parent) = cut.parent(rank) {
            ranks.receive(parent, self.data.all_mut());
        }
        let data = self.data.all();
        let messages = cut.children(rank).rev().map(|child| {
            let bytes = cut.subtree(child);
            let begin = cut.begin(rank);
            (child, &data[(bytes.start - begin) as usize..(bytes.end - begin) as usize])
        });
        ranks.send(self.variant, messages);
    }
}

/// Sends a first message from rank 0 to each rank and back.
fn connect<R: Ranks>(ranks: &mut R) {
    if ranks.rank() == 0 {
        let others = 1..ranks.ranks();
        ranks.send(Variant::Correct, others.clone().map(|rank| (rank, &[0][..])));
        ranks.receive_sum(others);
    } else {
        ranks.receive(0, &mut [0]);
        ranks.send_word(0, 0);
    }
}

/// Returns the nanoseconds since `begun`, and sets it to the present.
fn nanoseconds(begun: &mut Instant) -> u64 {
    let now = Instant::now();
    let elapsed = now.duration_since(*begun);
    *begun = now;
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
