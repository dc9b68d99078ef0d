//! A candidate of the lab: the sum of a file's bytes over ranks, by the crate `mpi`.
//!
//! The crate does not check the codes that MPI returns. MPI's own handler is kept, which ends all ranks with a message.
//! Functions that the crate lacks are in [`raw`].

mod raw;

use std::process::ExitCode;
use std::time::Instant;

use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, UserDatatype};
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{Request, Scope, WaitGuard, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Equivalence, Root};
use parallel_sum::{LINE, MESSAGE, Memory, Patience, Ranks, STATUS_ERROR, Variant, Wait, Words, processors};

/// All ranks.
struct Crate {
    world: SimpleCommunicator,
    /// The ranks of this rank's node.
    node: SimpleCommunicator,
    /// Whether they have less than one processor each.
    crowded: bool,
    /// A line of 64 bytes: the unit of the scatter.
    line: UserDatatype,
}

impl Crate {
    fn new(universe: &Universe) -> Self {
        let world = universe.world();
        let node = world.split_shared(world.rank());
        let line = UserDatatype::contiguous(LINE as i32, &u8::equivalent_datatype());
        let mut this = Crate { world, node, crowded: true, line };
        let (own, mut all) = (processors(), [0u64; 16]);
        scope(|scope| {
            let or = SystemOperation::bitwise_or();
            this.complete(
                this.node.immediate_all_reduce_into(scope, &own[..], &mut all[..], or),
                Patience::Short,
            );
        });
        this.crowded = this.node.size().cast_unsigned() > all.iter().map(|word| word.count_ones()).sum();
        this
    }

    fn complete<'a, D: ?Sized, S: Scope<'a>>(&self, mut request: Request<'a, D, S>, patience: Patience) {
        let mut wait = Wait::new(self.crowded, patience);
        while let Err(again) = request.test() {
            request = again;
            wait.pause();
        }
    }
}

impl Ranks for Crate {
    const NAME: &'static str = "sum-mpi";
    const MISTAKES: &'static [Variant] = &[Variant::DroppedGuard];

    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn library(&self) -> String {
        parallel_sum::library_version(&mpi::environment::library_version().unwrap_or_default())
    }

    fn tell(&mut self, words: &mut Words) {
        let patience = if self.world.rank() == 0 { Patience::Short } else { Patience::Long };
        let root = self.world.process_at_rank(0);
        scope(|scope| self.complete(root.immediate_broadcast_into(scope, &mut words[..]), patience));
    }

    fn meet(&mut self) {
        self.complete(self.world.immediate_barrier(), Patience::Short);
    }

    fn begin(&mut self) {
        // A broadcast of no bytes would not wait.
        let mut nothing = 0u8;
        let root = self.world.process_at_rank(0);
        scope(|scope| self.complete(root.immediate_broadcast_into(scope, &mut nothing), Patience::Short));
    }

    fn greatest(&mut self, mine: u64) -> u64 {
        let mut all = 0;
        scope(|scope| {
            let max = SystemOperation::max();
            self.complete(self.world.immediate_all_reduce_into(scope, &mine, &mut all, max), Patience::Short);
        });
        all
    }

    fn reduce(&mut self, mine: u64) -> u64 {
        let mut all = 0;
        let (root, sum) = (self.world.process_at_rank(0), SystemOperation::sum());
        scope(|scope| {
            if self.world.rank() == 0 {
                let request = root.immediate_reduce_into_root(scope, &mine, &mut all, sum);
                self.complete(request, Patience::Short);
            } else {
                self.complete(root.immediate_reduce_into(scope, &mine, sum), Patience::Short);
            }
        });
        all
    }

    fn send<'a>(&mut self, variant: Variant, messages: impl Iterator<Item = (usize, &'a [u8])>) {
        scope(|scope| {
            let mut requests = Vec::new();
            for (to, data) in messages {
                let to = self.world.process_at_rank(to as i32);
                for piece in pieces(data) {
                    let request = to.immediate_send(scope, piece);
                    if variant == Variant::DroppedGuard {
                        // The mistake: a guard that is not kept waits here.
                        let _ = WaitGuard::from(request);
                    } else {
                        requests.push(request);
                    }
                }
            }
            requests.into_iter().for_each(|request| self.complete(request, Patience::Short));
        });
    }

    fn receive(&mut self, from: usize, data: &mut [u8]) {
        let from = self.world.process_at_rank(from as i32);
        scope(|scope| {
            let requests: Vec<_> = if data.is_empty() {
                vec![from.immediate_receive_into(scope, data)]
            } else {
                data.chunks_mut(MESSAGE).map(|piece| from.immediate_receive_into(scope, piece)).collect()
            };
            requests.into_iter().for_each(|request| self.complete(request, Patience::Short));
        });
    }

    fn send_word(&mut self, to: usize, word: u64) {
        let to = self.world.process_at_rank(to as i32);
        scope(|scope| self.complete(to.immediate_send(scope, &word), Patience::Short));
    }

    fn receive_sum(&mut self, from: impl Iterator<Item = usize> + Clone) -> u64 {
        let mut words = vec![0u64; from.clone().count()];
        scope(|scope| {
            let receive =
                |(word, from)| self.world.process_at_rank(from as i32).immediate_receive_into(scope, word);
            let requests: Vec<_> = words.iter_mut().zip(from).map(receive).collect();
            requests.into_iter().for_each(|request| self.complete(request, Patience::Short));
        });
        words.iter().sum()
    }

    fn scatter(&mut self, data: &[u8], counts: &[i32], places: &[i32]) {
        let lines = raw::lines(data, &self.line);
        let parts = Partition::new(&lines, counts, places);
        let root = self.world.process_at_rank(0);
        let mut nothing = [0u8; 0];
        scope(|scope| {
            let request = root.immediate_scatter_varcount_into_root(scope, &parts, &mut nothing[..]);
            self.complete(request, Patience::Short);
        });
    }

    fn receive_scattered(&mut self, data: &mut [u8]) {
        let mut lines = raw::lines_mut(data, &self.line);
        let root = self.world.process_at_rank(0);
        scope(|scope| {
            self.complete(root.immediate_scatter_varcount_into(scope, &mut lines), Patience::Short);
        });
    }

    fn window(&mut self, bytes: usize) -> Box<dyn Memory> {
        Box::new(raw::window(&self.node, bytes))
    }
}

/// Returns the messages in which `data` is sent, at least one.
fn pieces(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let one = data.is_empty().then_some(data);
    one.into_iter().chain(data.chunks(MESSAGE))
}

fn main() -> ExitCode {
    let begun = Instant::now();
    let Some(universe) = mpi::initialize() else {
        eprintln!("error: MPI was initialised before");
        return ExitCode::from(STATUS_ERROR);
    };
    let start_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
    // Objects of MPI are freed before the universe ends.
    parallel_sum::run(&mut Crate::new(&universe), start_ns)
}
