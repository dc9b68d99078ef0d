//! [`Shadow`]: one implementation answers, and another one computes a share of the answers again.
//!
//! Of every n calls one is checked, at a place that depends on a random number: a program that calls its functions in a
//! fixed order has all of them checked, and two processes do not check the same calls.

use std::any::TypeId;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parcrypt_sha256::Sha256;

use crate::{Cell, CellsAndProofs, Commitment, FieldBytes, Kzg, Proof};

/// Function that is called with each difference.
pub type OnDifference = Box<dyn Fn(&Difference) + Send + Sync>;

/// An implementation whose answers are those of `A`, a share of which `B` computes again on the thread of the call.
///
/// A panic of `B` is a difference; a panic of `A` reaches the caller.
pub struct Shadow<A, B> {
    first: A,
    check: Option<Check<B>>,
}

// A panic leaves a counter, which is valid whatever it holds.
impl<A, B> RefUnwindSafe for Shadow<A, B> {}
impl<A, B> UnwindSafe for Shadow<A, B> {}

struct Check<B> {
    second: B,
    one_in: u64,
    /// Selects the place of the checked call among `one_in` calls.
    seed: u64,
    calls: AtomicU64,
    on_difference: OnDifference,
}

impl<A: Kzg, B: Kzg> Shadow<A, B> {
    /// Returns `first`, of whose calls `second` computes one in `n` again. `on_difference` is called with each
    /// difference; then the call returns the first answer. It must not use this shadow.
    pub fn new(first: A, second: B, one_in: NonZeroU32, on_difference: OnDifference) -> Self {
        let (seed, calls) = (seed(), AtomicU64::new(0));
        Shadow {
            first,
            check: Some(Check { second, one_in: one_in.get().into(), seed, calls, on_difference }),
        }
    }

    /// Returns `first`, of whose calls none is computed again.
    pub fn off(first: A) -> Self {
        Shadow { first, check: None }
    }

    /// Returns the implementation that answers.
    pub fn first(&self) -> &A {
        &self.first
    }

    /// Returns whether a share of the calls is computed again.
    pub fn is_on(&self) -> bool {
        self.check.is_some()
    }

    /// Returns the answer of the first, and compares it with the second's if this call is one to check.
    fn ask<T: Answer>(
        &self,
        function: &'static str,
        (lists, indices): (&[&[&[u8]]], &[u64]),
        first: impl FnOnce(&A) -> Result<T, A::Error>,
        second: impl FnOnce(&B) -> Result<T, B::Error>,
    ) -> Result<T, A::Error> {
        let answer = first(&self.first);
        if let Some(check) = self.check.as_ref().filter(|check| check.is_next()) {
            let second = catch_unwind(AssertUnwindSafe(|| Summary::new(&second(&check.second))));
            let second = second.unwrap_or(Summary { kind: Kind::Panicked, digest: [0; 32] });
            let first = Summary::new(&answer);
            // Another library has other texts for errors.
            let both_refuse = (first.kind, second.kind) == (Kind::Error, Kind::Error)
                && TypeId::of::<A::Error>() != TypeId::of::<B::Error>();
            if first != second && !both_refuse {
                let indices: Vec<[u8; 8]> = indices.iter().map(|index| index.to_le_bytes()).collect();
                let indices: Vec<&[u8]> = indices.iter().map(|index| &index[..]).collect();
                let lists = || lists.iter().copied().chain((!indices.is_empty()).then_some(&indices[..]));
                let runs = |list: &[&[u8]]| {
                    list.chunk_by(|a, b| a.len() == b.len()).map(|run| (run.len(), run[0].len())).collect()
                };
                (check.on_difference)(&Difference {
                    function,
                    lengths: lists().map(runs).collect(),
                    inputs: digest(lists().flatten()),
                    answer: first,
                    by: self.first.name(),
                    second,
                    second_by: check.second.name(),
                });
            }
        }
        answer
    }
}

/// Returns the SHA-256 of items: of each its length as 8 bytes, least significant first, and its bytes.
fn digest<'a>(items: impl Iterator<Item = &'a &'a [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for item in items {
        hash.update((item.len() as u64).to_le_bytes());
        hash.update(item);
    }
    hash.finalize()
}

impl<B> Check<B> {
    /// Counts a call and returns whether it is one to check: one of every `one_in`.
    fn is_next(&self) -> bool {
        let call = self.calls.fetch_add(1, Relaxed);
        call % self.one_in == place(self.seed, call / self.one_in, self.one_in)
    }
}

/// Returns a random number.
fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// Returns the place of the checked call among calls window·n to window·n + n − 1: the finaliser of SplitMix64
/// (Steele, Lea, Flood, 'Fast splittable pseudorandom number generators', 2014) modulo n.
fn place(seed: u64, window: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(window.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % n
}

/// A call whose two answers differ. It has lengths and digests, but no bytes of inputs or answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Name of the function.
    pub function: &'static str,
    /// The lists of inputs, indices last: for each, runs of items of the same length, as the number of items and the
    /// bytes of each. An index counts as 8 bytes.
    pub lengths: Vec<Vec<(usize, usize)>>,
    /// SHA-256 of the inputs: for each item of each list its length as 8 bytes, least significant first, and its bytes.
    pub inputs: [u8; 32],
    /// The answer that the call returned.
    pub answer: Summary,
    /// [`Kzg::name`] of the implementation that computed it.
    pub by: String,
    /// The second answer.
    pub second: Summary,
    /// [`Kzg::name`] of the implementation that computed it.
    pub second_by: String,
}

impl Difference {
    /// Writes the difference to standard error. If that is closed, nothing is written, and nothing panics.
    pub fn log(&self) {
        let _ = writeln!(std::io::stderr(), "{self}");
    }

    /// Writes the difference to standard error and aborts the process.
    pub fn abort(&self) {
        self.log();
        std::process::abort();
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = |(count, bytes): &(usize, usize)| format!("{count} x {bytes}");
        let list = |runs: &Vec<_>| format!("[{}]", runs.iter().map(run).collect::<Vec<_>>().join(", "));
        let lengths = self.lengths.iter().map(list).collect::<Vec<_>>().join(" ");
        let Difference { function, inputs, answer, by, second, second_by, .. } = self;
        writeln!(f, "parcrypt {}: two answers of {function} differ", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "  inputs: {lengths} bytes, SHA-256 {}", hex(inputs))?;
        writeln!(f, "  answer: {:?}, SHA-256 {} by {by}", answer.kind, hex(&answer.digest))?;
        write!(f, "  second: {:?}, SHA-256 {} by {second_by}", second.kind, hex(&second.digest))
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An answer without its bytes. Answers are equal if their summaries are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Kind of answer.
    pub kind: Kind,
    /// SHA-256 of the answer's bytes: a proof before its value, all cells before all proofs, 0 or 1 for a verdict, the
    /// debug text of an error.
    pub digest: [u8; 32],
}

impl Summary {
    fn new(answer: &Result<impl Answer, impl fmt::Debug>) -> Self {
        let (kind, bytes) = match answer {
            Ok(answer) => answer.kind_and_bytes(),
            Err(error) => (Kind::Error, format!("{error:?}").into_bytes()),
        };
        Summary { kind, digest: Sha256::digest(bytes) }
    }
}

/// Kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A value.
    Value,
    /// The verdict that a proof verifies.
    Valid,
    /// The verdict that it does not.
    Invalid,
    /// An error about the input.
    Error,
    /// The computation panicked.
    Panicked,
}

/// An answer that can be compared by its bytes.
trait Answer {
    fn kind_and_bytes(&self) -> (Kind, Vec<u8>);
}

impl Answer for bool {
    fn kind_and_bytes(&self) -> (Kind, Vec<u8>) {
        (if *self { Kind::Valid } else { Kind::Invalid }, vec![(*self).into()])
    }
}

impl Answer for Commitment {
    fn kind_and_bytes(&self) -> (Kind, Vec<u8>) {
        (Kind::Value, self.to_vec())
    }
}

impl Answer for (Proof, FieldBytes) {
    fn kind_and_bytes(&self) -> (Kind, Vec<u8>) {
        (Kind::Value, [&self.0[..], &self.1].concat())
    }
}

impl Answer for Vec<Cell> {
    fn kind_and_bytes(&self) -> (Kind, Vec<u8>) {
        (Kind::Value, self.concat())
    }
}

impl Answer for CellsAndProofs {
    fn kind_and_bytes(&self) -> (Kind, Vec<u8>) {
        (Kind::Value, [self.cells.concat(), self.proofs.concat()].concat())
    }
}

impl<A: Kzg, B: Kzg> Kzg for Shadow<A, B> {
    type Error = A::Error;

    fn name(&self) -> String {
        self.first.name()
    }

    fn blob_to_kzg_commitment(&self, blob: &[u8]) -> Result<Commitment, A::Error> {
        self.ask(
            "blob_to_kzg_commitment",
            (&[&[blob]], &[]),
            |a| a.blob_to_kzg_commitment(blob),
            |b| b.blob_to_kzg_commitment(blob),
        )
    }

    fn compute_kzg_proof(&self, blob: &[u8], z: &[u8]) -> Result<(Proof, FieldBytes), A::Error> {
        self.ask(
            "compute_kzg_proof",
            (&[&[blob], &[z]], &[]),
            |a| a.compute_kzg_proof(blob, z),
            |b| b.compute_kzg_proof(blob, z),
        )
    }

    fn compute_blob_kzg_proof(&self, blob: &[u8], commitment: &[u8]) -> Result<Proof, A::Error> {
        self.ask(
            "compute_blob_kzg_proof",
            (&[&[blob], &[commitment]], &[]),
            |a| a.compute_blob_kzg_proof(blob, commitment),
            |b| b.compute_blob_kzg_proof(blob, commitment),
        )
    }

    fn verify_kzg_proof(
        &self,
        commitment: &[u8],
        z: &[u8],
        y: &[u8],
        proof: &[u8],
    ) -> Result<bool, A::Error> {
        self.ask(
            "verify_kzg_proof",
            (&[&[commitment], &[z], &[y], &[proof]], &[]),
            |a| a.verify_kzg_proof(commitment, z, y, proof),
            |b| b.verify_kzg_proof(commitment, z, y, proof),
        )
    }

    fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[&[u8]],
        commitments: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, A::Error> {
        self.ask(
            "verify_blob_kzg_proof_batch",
            (&[blobs, commitments, proofs], &[]),
            |a| a.verify_blob_kzg_proof_batch(blobs, commitments, proofs),
            |b| b.verify_blob_kzg_proof_batch(blobs, commitments, proofs),
        )
    }

    fn compute_cells(&self, blob: &[u8]) -> Result<Vec<Cell>, A::Error> {
        self.ask("compute_cells", (&[&[blob]], &[]), |a| a.compute_cells(blob), |b| b.compute_cells(blob))
    }

    fn compute_cells_and_kzg_proofs(&self, blob: &[u8]) -> Result<CellsAndProofs, A::Error> {
        self.ask(
            "compute_cells_and_kzg_proofs",
            (&[&[blob]], &[]),
            |a| a.compute_cells_and_kzg_proofs(blob),
            |b| b.compute_cells_and_kzg_proofs(blob),
        )
    }

    fn recover_cells_and_kzg_proofs(
        &self,
        cell_indices: &[u64],
        cells: &[&[u8]],
    ) -> Result<CellsAndProofs, A::Error> {
        self.ask(
            "recover_cells_and_kzg_proofs",
            (&[cells], cell_indices),
            |a| a.recover_cells_and_kzg_proofs(cell_indices, cells),
            |b| b.recover_cells_and_kzg_proofs(cell_indices, cells),
        )
    }

    fn verify_cell_kzg_proof_batch(
        &self,
        commitments: &[&[u8]],
        cell_indices: &[u64],
        cells: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, A::Error> {
        self.ask(
            "verify_cell_kzg_proof_batch",
            (&[commitments, cells, proofs], cell_indices),
            |a| a.verify_cell_kzg_proof_batch(commitments, cell_indices, cells, proofs),
            |b| b.verify_cell_kzg_proof_batch(commitments, cell_indices, cells, proofs),
        )
    }
}
