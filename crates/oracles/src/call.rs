//! Calls of the functions of KZG, and what becomes of them.

use std::fmt;

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_kzg::{Error, Reason, WrongItem, find_wrong_blobs, find_wrong_cells};
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rand::seq::IteratorRandom;
use parcrypt_testkit::rng;

use crate::random::{Input, below, random};
use crate::spoil::{Kind, add_points, spoil};
use crate::{CellsAndProofs, Kzg, Parcrypt, SAMPLES, Sample, slices};

/// A function of EIP-4844 or EIP-7594.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named as its function")]
pub enum Function {
    BlobToCommitment,
    ComputeProof,
    ComputeBlobProof,
    ComputeCells,
    ComputeCellsAndProofs,
    Recover,
    VerifyProof,
    VerifyBlobs,
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

    /// Returns the wrong items that Parcrypt finds in lists of blobs or cells.
    pub fn find_wrong(&self, ours: &Parcrypt) -> Result<Vec<WrongItem>, Error> {
        let lists: Vec<Vec<&[u8]>> = self.inputs.iter().map(|list| slices(list)).collect();
        let (rt, settings) = (ours.runtime(), ours.settings());
        match (self.function, &lists[..]) {
            (VerifyBlobs, [blobs, points, proofs]) => find_wrong_blobs(rt, settings, blobs, points, proofs),
            (VerifyCells, [points, _, cells, proofs]) => {
                find_wrong_cells(rt, settings, points, &self.indices(1), cells, proofs)
            }
            other => panic!("{:?} verifies no list", other.0),
        }
    }

    /// Checks that the wrong items that Parcrypt finds are those that are wrong by themselves, in answers of `right`,
    /// for the same reasons by `same`. Lists of different lengths must be refused.
    pub fn check_wrong(
        &self,
        ours: &Parcrypt,
        right: impl Fn(&Call) -> Answer,
        same: fn(&Answer, &Answer) -> bool,
    ) {
        let len = self.inputs[0].len();
        let found = self.find_wrong(ours);
        if self.inputs.iter().any(|list| list.len() != len) {
            return assert!(matches!(found, Err(Error::Count { .. })), "{found:?}");
        }
        let mut found = found.unwrap().into_iter().peekable();
        for at in 0..len {
            let one = |list: &Vec<Vec<u8>>| vec![list[at].clone()];
            let right =
                right(&Call { function: self.function, inputs: self.inputs.iter().map(one).collect() });
            let found = match found.next_if(|item| item.index == at).map(|item| item.why) {
                None => Answer::Valid,
                Some(Reason::Malformed(error)) => {
                    Answer::Refused(format!("{error:?}").replace(&format!(" index: {at}"), " index: 0"))
                }
                Some(_) => Answer::Invalid,
            };
            assert!(same(&found, &right), "item {at}: {found:?}, by itself {right:?}");
        }
        assert_eq!(found.next(), None);
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
        let error = G1::generator() * Fr::from(1 + below(rng, 1 << 32) as u64);
        add_points(&mut self.inputs[list], &[first, second], error);
    }

    /// Appends a copy of an item to each list.
    pub fn repeat(&mut self, at: usize) {
        self.inputs.iter_mut().for_each(|list| list.extend(list.get(at).cloned()));
    }
}

/// Returns a good call of each function, of those that take lists several.
pub fn good_calls() -> Vec<Call> {
    let sample = &SAMPLES[0];
    let (blob, commitment, opening) = (&sample.blob[..], &sample.commitment(), sample.opening(3));
    vec![
        Call::new(BlobToCommitment, &[blob]),
        Call::new(ComputeProof, &[blob, &opening.z]),
        Call::new(ComputeBlobProof, &[blob, commitment]),
        Call::new(ComputeCells, &[blob]),
        Call::new(ComputeCellsAndProofs, &[blob]),
        Call::recovery(sample, 0..128),
        Call::recovery(sample, 32..96),
        Call::new(VerifyProof, &[commitment, &opening.z, &opening.y, &opening.proof]),
        Call::blobs([sample]),
        Call::blobs(&SAMPLES[..3]),
        Call::cells([9, 5, 5].map(|index| (sample, index))),
    ]
}

/// Compares two implementations over all functions: on honest calls, on calls with one thing spoiled, and on random
/// calls with several, of which the errors must name the same one. The answers must be the same by `same`.
pub fn compare<A: Kzg, B: Kzg>(ours: &A, theirs: &B, same: fn(&Call, &Answer, &Answer) -> bool) {
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
            let (ours, theirs) = (call.ask(ours), call.ask(theirs));
            assert!(same(&call, &ours, &theirs), "{function:?}, {what}: ours {ours:?}, theirs {theirs:?}");
        }
    }
}
