//! Calls of the functions of KZG, and what becomes of them.

use std::fmt;

use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rand::seq::IteratorRandom;
use parcrypt_testkit::rng;

use crate::random::{Input, below, random};
use crate::spoil::{Kind, opposite, spoil};
use crate::{CellsAndProofs, Kzg, Sample, slices};

/// A function of EIP-4844 or EIP-7594.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `blob_to_kzg_commitment`
    BlobToCommitment,
    /// `compute_kzg_proof`
    ComputeProof,
    /// `compute_blob_kzg_proof`
    ComputeBlobProof,
    /// `compute_cells`
    ComputeCells,
    /// `compute_cells_and_kzg_proofs`
    ComputeCellsAndProofs,
    /// `recover_cells_and_kzg_proofs`
    Recover,
    /// `verify_kzg_proof`
    VerifyProof,
    /// `verify_blob_kzg_proof_batch`
    VerifyBlobs,
    /// `verify_cell_kzg_proof_batch`
    VerifyCells,
}

use Function::*;

impl Function {
    /// Returns the kinds of its inputs, in order.
    pub fn inputs(self) -> &'static [Kind] {
        match self {
            BlobToCommitment | ComputeCells | ComputeCellsAndProofs => &[Kind::Blob],
            ComputeProof => &[Kind::Blob, Kind::Element],
            ComputeBlobProof => &[Kind::Blob, Kind::Point],
            Recover => &[Kind::Index, Kind::Cell],
            VerifyProof => &[Kind::Point, Kind::Element, Kind::Element, Kind::Point],
            VerifyBlobs => &[Kind::Blob, Kind::Point, Kind::Point],
            VerifyCells => &[Kind::Point, Kind::Index, Kind::Cell, Kind::Point],
        }
    }

    /// Returns whether each input is a list, of any length.
    pub fn takes_lists(self) -> bool {
        matches!(self, Recover | VerifyBlobs | VerifyCells)
    }
}

/// A function with its inputs: a list for each, of one item if the function does not take lists. An index is 8 bytes,
/// big-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: Function,
    /// The inputs.
    pub inputs: Vec<Vec<Vec<u8>>>,
}

/// What an implementation returns for a call.
#[derive(Clone, PartialEq, Eq)]
pub enum Answer {
    /// The computed bytes, concatenated: proofs before values, cells before proofs.
    Value(Vec<u8>),
    /// The proofs are valid.
    Valid,
    /// A proof is invalid.
    Invalid,
    /// The input is refused, for this reason.
    Refused(String),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The cells of a blob would fill many screens.
            Answer::Value(bytes) => {
                write!(f, "{} bytes: {:02x?}…", bytes.len(), &bytes[..bytes.len().min(96)])
            }
            Answer::Valid => f.write_str("valid"),
            Answer::Invalid => f.write_str("invalid"),
            Answer::Refused(why) => write!(f, "refused: {why:.300}"),
        }
    }
}

impl Answer {
    /// Returns the answer for the result of a function that computes.
    pub fn value<E: fmt::Debug>(result: Result<impl Into<Vec<u8>>, E>) -> Self {
        result.map_or_else(|why| Answer::Refused(format!("{why:?}")), |bytes| Answer::Value(bytes.into()))
    }

    /// Returns the answer for the result of a function that verifies.
    pub fn verdict<E: fmt::Debug>(result: Result<bool, E>) -> Self {
        match result {
            Ok(true) => Answer::Valid,
            Ok(false) => Answer::Invalid,
            Err(why) => Answer::Refused(format!("{why:?}")),
        }
    }

    /// Returns the answer for cells and proofs.
    pub fn cells_and_proofs<E: fmt::Debug>(result: Result<CellsAndProofs, E>) -> Self {
        Answer::value(result.map(|both| [both.cells.concat(), both.proofs.concat()].concat()))
    }

    /// Returns whether the input is refused.
    pub fn is_refused(&self) -> bool {
        matches!(self, Answer::Refused(_))
    }

    /// Returns whether both are the same, except for the reason of a refusal.
    pub fn agrees(&self, other: &Answer) -> bool {
        self == other || self.is_refused() && other.is_refused()
    }
}

impl Call {
    /// Returns a call of a function without lists.
    pub fn new(function: Function, inputs: &[&[u8]]) -> Self {
        Call { function, inputs: inputs.iter().map(|input| vec![input.to_vec()]).collect() }
    }

    /// Returns the verification of blobs with their commitments and proofs.
    pub fn blobs<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Self {
        let items = samples.into_iter();
        Self::of_items(VerifyBlobs, items.map(|s| [s.blob.clone(), s.commitment().into(), s.proof().into()]))
    }

    /// Returns the verification of cells of samples, given as pairs of a sample and the index of a cell.
    pub fn cells<'a>(cells: impl IntoIterator<Item = (&'a Sample, usize)>) -> Self {
        let items = cells.into_iter().map(|(sample, index)| {
            let CellsAndProofs { cells, proofs } = sample.cells_and_proofs();
            let number = (index as u64).to_be_bytes();
            [sample.commitment().into(), number.into(), cells[index].into(), proofs[index].into()]
        });
        Self::of_items(VerifyCells, items)
    }

    /// Returns the recovery of a sample from the cells with these indices.
    pub fn recovery(sample: &Sample, indices: impl IntoIterator<Item = u64>) -> Self {
        let cell = |index: u64| sample.cells_and_proofs().cells[index as usize].to_vec();
        let items = indices.into_iter().map(|index| [index.to_be_bytes().into(), cell(index)]);
        Self::of_items(Recover, items)
    }

    fn of_items<const N: usize>(function: Function, items: impl Iterator<Item = [Vec<u8>; N]>) -> Self {
        let mut inputs = vec![Vec::new(); N];
        items.for_each(|item| inputs.iter_mut().zip(item).for_each(|(list, bytes)| list.push(bytes)));
        Call { function, inputs }
    }

    /// Returns an input that is a list of indices.
    pub fn indices(&self, input: usize) -> Vec<u64> {
        let number = |bytes: &Vec<u8>| u64::from_be_bytes(bytes[..].try_into().unwrap());
        self.inputs[input].iter().map(number).collect()
    }

    /// Returns the answer of an implementation.
    pub fn ask<K: Kzg + ?Sized>(&self, kzg: &K) -> Answer {
        let lists: Vec<Vec<&[u8]>> = self.inputs.iter().map(|list| slices(list)).collect();
        let one = |input: usize| lists[input][0];
        match self.function {
            BlobToCommitment => Answer::value(kzg.blob_to_kzg_commitment(one(0))),
            ComputeProof => {
                let result = kzg.compute_kzg_proof(one(0), one(1));
                Answer::value(result.map(|(proof, y)| [&proof[..], &y].concat()))
            }
            ComputeBlobProof => Answer::value(kzg.compute_blob_kzg_proof(one(0), one(1))),
            ComputeCells => Answer::value(kzg.compute_cells(one(0)).map(|cells| cells.concat())),
            ComputeCellsAndProofs => Answer::cells_and_proofs(kzg.compute_cells_and_kzg_proofs(one(0))),
            Recover => {
                Answer::cells_and_proofs(kzg.recover_cells_and_kzg_proofs(&self.indices(0), &lists[1]))
            }
            VerifyProof => Answer::verdict(kzg.verify_kzg_proof(one(0), one(1), one(2), one(3))),
            VerifyBlobs => Answer::verdict(kzg.verify_blob_kzg_proof_batch(&lists[0], &lists[1], &lists[2])),
            VerifyCells => {
                let indices = self.indices(1);
                Answer::verdict(kzg.verify_cell_kzg_proof_batch(&lists[0], &indices, &lists[2], &lists[3]))
            }
        }
    }

    /// Returns the call with one change at a time, described: the items at `at` spoiled in every way, two items of a
    /// list exchanged, a list too short or too long.
    pub fn spoiled(&self, rng: &mut dyn RngCore, at: usize) -> Vec<(String, Call)> {
        let mut all = Vec::new();
        let mut add = |how: String, change: &dyn Fn(&mut Vec<Vec<u8>>), list: usize| {
            let mut call = self.clone();
            change(&mut call.inputs[list]);
            if call != *self {
                all.push((format!("{:?}, input {list}: {how}", self.function), call));
            }
        };
        for (list, kind) in self.function.inputs().iter().enumerate() {
            let valid = &self.inputs[list][at];
            for way in 0..kind.ways() {
                let (how, bytes) = spoil(rng, *kind, way, valid);
                add(format!("number {at} {how}"), &|list| list[at].clone_from(&bytes), list);
            }
            if self.function.takes_lists() {
                let other = below(rng, self.inputs[list].len());
                add(format!("{at} and {other} exchanged"), &|list| list.swap(at, other), list);
                add("an item missing".into(), &|list| drop(list.pop()), list);
                add("an item repeated".into(), &|list| list.push(list[at].clone()), list);
            }
        }
        all
    }

    /// Adds opposite errors to two points of a list, which cancel each other if their weights are equal.
    pub fn oppose(&mut self, rng: &mut dyn RngCore, list: usize, first: usize, second: usize) {
        let points = opposite(rng, [first, second].map(|at| &self.inputs[list][at][..]));
        [first, second].into_iter().zip(points).for_each(|(at, point)| self.inputs[list][at] = point);
    }

    /// Appends a copy of an item to each list.
    pub fn repeat(&mut self, at: usize) {
        self.inputs.iter_mut().for_each(|list| list.extend(list.get(at).cloned()));
    }
}

/// Compares two implementations over all functions: on honest calls, on calls with one thing spoiled, and on random
/// calls with several, of which the errors must name the same one. The answers must be the same by `same`.
///
/// # Panics
/// If two answers differ, except for a refusal of cells that are not the cells of a blob, which c-kzg takes.
pub fn compare<A: Kzg, B: Kzg>(ours: &A, theirs: &B, same: fn(&Answer, &Answer) -> bool) {
    let mut rng = rng();
    for (function, count) in [
        (BlobToCommitment, 20),
        (ComputeProof, 30),
        (ComputeBlobProof, 30),
        (ComputeCells, 20),
        (ComputeCellsAndProofs, 5),
        (Recover, 20),
        (VerifyProof, 200),
        (VerifyBlobs, 100),
        (VerifyCells, 150),
    ] {
        let honest = random(&mut Input(&[]), function);
        let mut calls = vec![("honest".into(), honest.clone())];
        calls.extend(honest.spoiled(&mut rng, 0).into_iter().choose_multiple(&mut rng, count));
        calls.extend((0..count).map(|i| (format!("random call {i}"), random(&mut rng, function))));
        for (what, call) in calls {
            let [ours, theirs] = [call.ask(ours), call.ask(theirs)];
            let spare = function == Recover && call.inputs[0].len() > 64;
            let excepted = spare && ours.is_refused() && matches!(theirs, Answer::Value(_));
            assert!(
                excepted || same(&ours, &theirs),
                "{function:?}, {what}: ours {ours:?}, theirs {theirs:?}"
            );
        }
    }
}
