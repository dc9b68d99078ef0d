//! The common part of the candidates for the sum: the parameters, the division of the input, the inner loop, and the
//! algorithms over any message passing. The protocol is in `parcrypt_protocol`.
//!
//! It does not depend on MPI: a program that sends messages implements [`Ranks`], one without messages [`Adder`].
//! `../../README.md` has the definition for all languages.

mod bytes;
mod cut;
mod memory;
mod patience;
mod ranks;
mod request;

pub use parcrypt_protocol::STATUS_ERROR;

pub use bytes::{LINE, backend, sum};
pub use cut::Cut;
pub use memory::{Pages, touch};
pub use patience::{Patience, Wait, processors};
pub use ranks::{Memory, Ranks, Words, library_version, run};
pub use request::{Adder, Candidate, Phases, SumError, Summed, Work};

/// Maximum number of bytes of an input: displacements of a scatter are counted in lines of 64 bytes and have to be
/// below 2^31.
pub const MAX_BYTES: u64 = 1 << MAX_SCALE;
const MAX_SCALE: u64 = 36;

/// Maximum number of bytes of one message between two ranks: counts are of type int.
pub const MESSAGE: usize = 1 << 30;

/// Distribution of the bytes to the ranks, and collection of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Down a binomial tree, and up.
    Tree,
    /// By a scatter and a reduction.
    Collective,
    /// None: each rank already has its part in memory that its node shares.
    Window,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 3] = [Algorithm::Tree, Algorithm::Collective, Algorithm::Window];

    /// Returns the name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Tree => "tree",
            Algorithm::Collective => "collective",
            Algorithm::Window => "window",
        }
    }
}

/// The correct program, or one with a published mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The correct program.
    #[default]
    Correct,
    /// In Julia: a captured variable that became a box.
    Boxed,
    /// The guard of each immediate send is dropped at once, which waits for the send.
    DroppedGuard,
    /// One element of eight bytes for each byte.
    EightByteElements,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 4] =
        [Variant::Correct, Variant::Boxed, Variant::DroppedGuard, Variant::EightByteElements];

    /// Returns the name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Correct => "correct",
            Variant::Boxed => "boxed",
            Variant::DroppedGuard => "dropped-guard",
            Variant::EightByteElements => "eight-byte-elements",
        }
    }
}
