//! Verification of correct inputs, of inputs with one error at a time, and with errors that would cancel each other.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_kzg::{Cell, Commitment, Error, Proof};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::rng;

use super::oracle::{INFINITY, MAINNET, SAMPLES, Sample, TWO, called, same};
use super::{places, spoil};
use crate::common::slices;

/// Sizes of batches of cells: none, one (which has no random factors), few, and sizes around a piece of 64.
const SIZES: [usize; 7] = [0, 1, 2, 63, 64, 65, 129];

/// Returns our verdict on a value; checks that it equals the others'.
fn value(what: &str, commitment: &[u8], z: &[u8], y: &[u8], proof: &[u8]) -> Option<bool> {
    let theirs = MAINNET.verify_kzg_proof(commitment, z, y, proof);
    same(what, parcrypt_kzg::verify_kzg_proof(&Serial, &MAINNET.ours, commitment, z, y, proof), &theirs);
    theirs
}

#[test]
fn values_with_one_thing_spoilt() {
    let mut rng = rng();
    for (sample, (place, z)) in SAMPLES.iter().zip(places(&mut rng).into_iter().cycle()) {
        let Sample { name, blob, commitment, .. } = sample;
        let (proof, y) = MAINNET.compute_kzg_proof(blob, &z).unwrap();
        let what = |part: &str, how: &str| format!("{name} at {place}, {part} {how}");
        assert_eq!(value(name, commitment, &z, &y, &proof), Some(true));
        for (how, bytes) in spoil::points(&mut rng, commitment) {
            assert_ne!(value(&what("commitment", &how), &bytes, &z, &y, &proof), Some(true));
        }
        for (how, bytes) in spoil::points(&mut rng, &proof) {
            assert_ne!(value(&what("proof", &how), commitment, &z, &y, &bytes), Some(true));
        }
        for (how, bytes) in spoil::elements(&mut rng, &y) {
            assert_ne!(value(&what("y", &how), commitment, &z, &bytes, &proof), Some(true));
        }
        for (how, bytes) in spoil::elements(&mut rng, &z) {
            // A constant has the same value everywhere, and the same proof.
            let verdict = value(&what("z", &how), commitment, &bytes, &y, &proof);
            assert!(verdict != Some(true) || proof == INFINITY, "{}", what("z", &how));
        }
        assert_eq!(value("z and y swapped", commitment, &y, &z, &proof), Some(y == z));
        let swapped = value("commitment and proof swapped", &proof, &z, &y, commitment);
        assert_eq!(swapped, Some(proof == *commitment));
    }
    let Sample { commitment, .. } = &SAMPLES[0];
    let (z, y) = ([1; 32], [2; 32]);
    for len in [0, 31, 33, 47, 49, 96] {
        let bytes = vec![0xc0; len];
        for call in [
            value("a commitment of another length", &bytes, &z, &y, commitment),
            value("a proof of another length", commitment, &z, &y, &bytes),
            value("a z of another length", commitment, &bytes, &y, commitment),
            value("a y of another length", commitment, &z, &bytes, commitment),
        ] {
            assert_eq!(call, None);
        }
    }
}

/// Returns our verdict on a blob; checks that it equals the others'.
fn blob(what: &str, blob: &[u8], commitment: &[u8], proof: &[u8]) -> Option<bool> {
    let theirs = MAINNET.verify_blob_kzg_proof(blob, commitment, proof);
    let ours = parcrypt_kzg::verify_blob_kzg_proof(&*TWO, &MAINNET.ours, blob, commitment, proof);
    same(what, ours, &theirs);
    theirs
}

/// Returns blobs or cells with another field element at one position.
fn spoilt_elements(rng: &mut impl Rng, valid: &[u8]) -> Vec<(String, Vec<u8>)> {
    let last = valid.len() / 32 - 1;
    let mut all = Vec::new();
    for at in [0, last, rng.random_range(1..last)] {
        let element = valid[32 * at..].first_chunk().unwrap();
        let others = spoil::elements(rng, element);
        // All of them for the first position, two for the others.
        let some = others.len().min(if at == 0 { usize::MAX } else { 2 });
        for (how, other) in others.choose_multiple(rng, some) {
            let mut bytes = valid.to_vec();
            bytes[32 * at..][..32].copy_from_slice(other);
            all.push((format!("element {at} {how}"), bytes));
        }
    }
    let mut rotated = valid.to_vec();
    rotated.rotate_left(32);
    all.push(("moved by an element".into(), rotated));
    all.retain(|(_, bytes)| bytes != valid);
    all
}

#[test]
fn blobs_with_one_thing_spoilt() {
    let mut rng = rng();
    for (i, sample) in SAMPLES.iter().enumerate() {
        let Sample { name, blob: bytes, commitment, proof, .. } = sample;
        let what = |part: &str, how: &str| format!("{name}, {part} {how}");
        assert_eq!(blob(name, bytes, commitment, proof), Some(true));
        // All errors for some samples, a part of them for the others.
        let some = if i % 3 == 0 { usize::MAX } else { 5 };
        for (how, point) in spoil::points(&mut rng, commitment).into_iter().take(some) {
            assert_ne!(blob(&what("commitment", &how), bytes, &point, proof), Some(true));
        }
        for (how, point) in spoil::points(&mut rng, proof).into_iter().take(some) {
            assert_ne!(blob(&what("proof", &how), bytes, commitment, &point), Some(true));
        }
        for (how, spoilt) in spoilt_elements(&mut rng, bytes).into_iter().take(some) {
            assert_ne!(blob(&what("blob", &how), &spoilt, commitment, proof), Some(true));
        }
        let other = &SAMPLES[(i + 1) % SAMPLES.len()];
        assert_eq!(blob("another blob", &other.blob, commitment, proof), Some(false));
        assert_eq!(blob("another proof", bytes, commitment, &INFINITY), Some(*proof == INFINITY));
    }
}

/// Lists for a batch of blobs.
#[derive(Clone, Default)]
struct Blobs {
    blobs: Vec<&'static [u8]>,
    commitments: Vec<Commitment>,
    proofs: Vec<Proof>,
}

impl Blobs {
    /// Returns `size` claims, with the samples repeated in order.
    fn new(size: usize) -> Self {
        let samples = || SAMPLES.iter().cycle().take(size);
        Blobs {
            blobs: samples().map(|sample| &sample.blob[..]).collect(),
            commitments: samples().map(|sample| sample.commitment).collect(),
            proofs: samples().map(|sample| sample.proof).collect(),
        }
    }

    #[track_caller]
    fn verdict(&self, what: &str) -> Option<bool> {
        let [commitments, proofs] = [&self.commitments, &self.proofs].map(|all| slices(all));
        let theirs = MAINNET.verify_blob_kzg_proof_batch(&self.blobs, &commitments, &proofs);
        let ours = &MAINNET.ours;
        let ours = parcrypt_kzg::verify_blob_kzg_proof_batch(&*TWO, ours, &self.blobs, &commitments, &proofs);
        same(what, ours, &theirs);
        theirs
    }
}

#[test]
fn small_batches_of_blobs_with_one_thing_spoilt() {
    let mut rng = rng();
    let right = Blobs::new(3);
    for at in 0..3 {
        for (how, point) in spoil::points(&mut rng, &right.commitments[at]) {
            let mut wrong = right.clone();
            wrong.commitments[at] = point;
            assert_ne!(wrong.verdict(&format!("commitment {at} {how}")), Some(true));
        }
        for (how, point) in spoil::points(&mut rng, &right.proofs[at]) {
            let mut wrong = right.clone();
            wrong.proofs[at] = point;
            assert_ne!(wrong.verdict(&format!("proof {at} {how}")), Some(true));
        }
    }
    let mut wrong = right.clone();
    wrong.proofs.swap(0, 1);
    assert_eq!(wrong.verdict("proofs swapped"), Some(false));
    wrong.commitments.swap(0, 1);
    assert_eq!(wrong.verdict("proofs and commitments swapped"), Some(false));
    wrong.blobs.swap(0, 1);
    assert_eq!(wrong.verdict("all swapped"), Some(true));
    for list in 0..3 {
        let mut short = right.clone();
        match list {
            0 => drop(short.blobs.pop()),
            1 => drop(short.commitments.pop()),
            _ => drop(short.proofs.pop()),
        }
        assert_eq!(short.verdict("a list that is too short"), None);
    }
}

/// Checks errors in two claims whose sum is 0 without random factors.
#[test]
fn errors_in_blobs_do_not_cancel() {
    let mut rng = rng();
    for (size, [first, second]) in [(2, [0, 1]), (12, [3, 11]), (24, [1, 13]), (65, [0, 64])] {
        let right = Blobs::new(size);
        assert_eq!(right.verdict("all right"), Some(true), "{size} blobs");
        // Two claims on one blob: the same z, so both sums of proofs stay the same.
        let mut twice = right.clone();
        (twice.blobs[second], twice.commitments[second]) = (right.blobs[first], right.commitments[first]);
        [twice.proofs[first], twice.proofs[second]] = spoil::opposite(&mut rng, [&right.proofs[first]; 2]);
        assert_eq!(twice.verdict("opposite errors in proofs of one blob"), Some(false), "{size} blobs");
        // Two claims on two blobs: only the sum that is paired with τ stays the same.
        let mut two = right.clone();
        let proofs = [&right.proofs[first], &right.proofs[second]];
        [two.proofs[first], two.proofs[second]] = spoil::opposite(&mut rng, proofs);
        assert_eq!(two.verdict("opposite errors in proofs of two blobs"), Some(false), "{size} blobs");
        let mut two = right.clone();
        let commitments = [&right.commitments[first], &right.commitments[second]];
        [two.commitments[first], two.commitments[second]] = spoil::opposite(&mut rng, commitments);
        assert_eq!(two.verdict("opposite errors in commitments"), Some(false), "{size} blobs");
    }
}

/// Lists for a batch of cells.
#[derive(Clone, Default)]
struct Cells {
    commitments: Vec<Commitment>,
    indices: Vec<u64>,
    cells: Vec<Cell>,
    proofs: Vec<Proof>,
}

impl Cells {
    /// Returns cells of samples, given as pairs of the sample's and the cell's index.
    fn new(which: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut all = Cells::default();
        for (of, index) in which {
            let sample = &SAMPLES[of % SAMPLES.len()];
            all.commitments.push(sample.commitment);
            all.indices.push(index as u64);
            all.cells.push(sample.cells[index]);
            all.proofs.push(sample.proofs[index]);
        }
        all
    }

    /// Returns all cells of a sample.
    fn of(sample: &Sample) -> Self {
        Cells {
            commitments: vec![sample.commitment; 128],
            indices: (0..128).collect(),
            cells: sample.cells.clone(),
            proofs: sample.proofs.clone(),
        }
    }

    fn ours(&self) -> Result<bool, Error> {
        let [commitments, proofs] = [&self.commitments, &self.proofs].map(|all| slices(all));
        let (indices, cells) = (&self.indices, slices(&self.cells));
        parcrypt_kzg::verify_cell_kzg_proof_batch(
            &*TWO,
            &MAINNET.ours,
            &commitments,
            indices,
            &cells,
            &proofs,
        )
    }

    #[track_caller]
    fn verdict(&self, what: &str) -> Option<bool> {
        let [commitments, proofs] = [&self.commitments, &self.proofs].map(|all| slices(all));
        let cells = slices(&self.cells);
        let theirs = MAINNET.verify_cell_kzg_proof_batch(&commitments, &self.indices, &cells, &proofs);
        same(what, self.ours(), &theirs);
        theirs
    }
}

/// Adds to a field element of a cell, modulo r.
fn add(cell: &mut Cell, element: usize, difference: Fr) {
    let bytes: &mut [u8; 32] = cell[32 * element..].first_chunk_mut().unwrap();
    *bytes = (Fr::from_bytes(bytes).unwrap() + difference).to_bytes();
}

#[test]
fn batches_of_cells() {
    let mut rng = rng();
    for size in SIZES {
        // In one column, of all blobs; in all columns of one; of as many blobs as columns; anywhere, with repetitions.
        let column = rng.random_range(0..128);
        let of = rng.random_range(0..SAMPLES.len());
        let anywhere: Vec<(usize, usize)> =
            (0..size).map(|_| (rng.random_range(0..SAMPLES.len()), rng.random_range(0..128))).collect();
        let layouts = [
            ("in a column", Cells::new((0..size).map(|k| (k, column)))),
            ("of a blob", Cells::new((0..size).map(|k| (of, k % 128)))),
            ("on a diagonal", Cells::new((0..size).map(|k| (k, 5 * k % 128)))),
            ("one again and again", Cells::new((0..size).map(|_| (0, column)))),
            ("anywhere", Cells::new(anywhere)),
        ];
        for (layout, right) in layouts {
            let what = |spoilt: &str| format!("{size} cells {layout}, {spoilt}");
            assert_eq!(right.verdict(&what("all right")), Some(true));
            if size == 0 {
                continue;
            }
            let at = *[0, size - 1, rng.random_range(0..size)].choose(&mut rng).unwrap();
            let mut wrong = right.clone();
            let element = rng.random_range(0..64);
            add(&mut wrong.cells[at], element, Fr::from(rng.next_u64() | 1));
            assert_eq!(wrong.verdict(&what("a wrong element")), Some(false));
            let mut wrong = right.clone();
            wrong.proofs[at] = spoil::opposite(&mut rng, [&right.proofs[at]; 2])[0];
            assert_eq!(wrong.verdict(&what("a wrong proof")), Some(false));
            let mut bad = right.clone();
            bad.indices[at] = 128;
            assert_eq!(bad.verdict(&what("an index that no cell has")), None);
        }
    }
}

#[test]
fn cells_with_one_thing_spoilt() {
    let mut rng = rng();
    // Alone, and among others: of its column, of its blob, and of neither.
    let of: usize = rng.random_range(0..2);
    let index: usize = rng.random_range(0..128);
    let other = (index + rng.random_range(1..128)) % 128;
    let alone = Cells::new([(of, index)]);
    let among = Cells::new([(of, other), (of + 5, index), (of, index), (of + 1, other), (of, index)]);
    for (right, at) in [(alone, 0), (among, 2)] {
        assert_eq!(right.verdict("all right"), Some(true));
        let size = right.cells.len();
        let check = |what: String, change: &dyn Fn(&mut Cells)| {
            let mut wrong = right.clone();
            change(&mut wrong);
            assert_ne!(wrong.verdict(&format!("{size} cells, {what}")), Some(true), "{size} cells, {what}");
        };
        for (how, point) in spoil::points(&mut rng, &right.commitments[at]) {
            check(format!("commitment {how}"), &|cells| cells.commitments[at] = point);
        }
        for (how, point) in spoil::points(&mut rng, &right.proofs[at]) {
            check(format!("proof {how}"), &|cells| cells.proofs[at] = point);
        }
        for (how, bytes) in spoilt_elements(&mut rng, &right.cells[at]) {
            check(format!("cell {how}"), &|cells| cells.cells[at] = bytes[..].try_into().unwrap());
        }
        let (next, before) = ((index as u64 + 1) % 128, (index as u64 + 127) % 128);
        for number in [next, before, index as u64 ^ 64, 128, 256 + index as u64, 1 << 32, u64::MAX] {
            check(format!("index {number}"), &|cells| cells.indices[at] = number);
        }
        for list in 0..4 {
            check(format!("list {list} shorter"), &|cells| match list {
                0 => drop(cells.commitments.pop()),
                1 => drop(cells.indices.pop()),
                2 => drop(cells.cells.pop()),
                _ => drop(cells.proofs.pop()),
            });
        }
    }
    // A polynomial of a low degree: proofs at infinity are right for all of its cells and for no other.
    let right = Cells::of(called("degree 63"));
    assert!(right.proofs.iter().all(|proof| *proof == INFINITY));
    assert_eq!(right.verdict("all proofs at infinity"), Some(true));
    let mut wrong = right.clone();
    (wrong.commitments[7], wrong.cells[7]) = (SAMPLES[0].commitment, SAMPLES[0].cells[7]);
    assert_eq!(wrong.verdict("all proofs at infinity, one of which is wrong"), Some(false));
    let mut wrong = right.clone();
    wrong.cells.swap(0, 1);
    assert_eq!(wrong.verdict("all proofs at infinity, two cells swapped"), Some(false));
}

/// Checks errors in two cells whose sum is 0 without random factors.
#[test]
fn errors_in_cells_do_not_cancel() {
    let mut rng = rng();
    let column = rng.random_range(0..128);
    let batches = [
        ("the same cell twice", Cells::new([(0, column), (0, column)]), [0, 1]),
        ("one column of two blobs", Cells::new([(0, column), (1, column)]), [0, 1]),
        ("two columns of one blob", Cells::new([(1, column), (1, (column + 3) % 128)]), [0, 1]),
        ("more than 64 in a column", Cells::new((0..70).map(|k| (k, column))), [0, 69]),
        ("a whole blob", Cells::new((0..128).map(|index| (0, index))), [31, 96]),
    ];
    for (what, right, [first, second]) in batches {
        assert_eq!(right.verdict(what), Some(true));
        let mut wrong = right.clone();
        let proofs = [&right.proofs[first], &right.proofs[second]];
        [wrong.proofs[first], wrong.proofs[second]] = spoil::opposite(&mut rng, proofs);
        assert_eq!(wrong.verdict(&format!("{what}: proofs")), Some(false));

        let mut wrong = right.clone();
        let commitments = [&right.commitments[first], &right.commitments[second]];
        [wrong.commitments[first], wrong.commitments[second]] = spoil::opposite(&mut rng, commitments);
        assert_eq!(wrong.verdict(&format!("{what}: commitments")), Some(false));

        let mut wrong = right.clone();
        let difference = Fr::from(rng.next_u64() | 1);
        add(&mut wrong.cells[first], 17, difference);
        add(&mut wrong.cells[second], 17, -difference);
        assert_eq!(wrong.verdict(&format!("{what}: cells")), Some(false));

        let mut wrong = right.clone();
        wrong.proofs.swap(first, second);
        let verdict = wrong.verdict(&format!("{what}: proofs swapped"));
        assert_eq!(verdict, Some(right.proofs[first] == right.proofs[second]), "{what}");
    }
    // The same constant added to the cell and to the commitment: correct for another polynomial, but only if all of its
    // commitments have it.
    let mut other = Cells::new([(0, 3), (0, 4)]);
    let generator = G1::generator();
    let commitment = G1::from_compressed(&other.commitments[0]).unwrap() + generator;
    other.commitments[0] = commitment.to_compressed();
    (0..64).for_each(|element| add(&mut other.cells[0], element, Fr::one()));
    assert_eq!(other.verdict("another polynomial, of which it is a cell"), Some(true));
    other.commitments.swap(0, 1);
    assert_eq!(other.verdict("the commitments of two polynomials swapped"), Some(false));
}
