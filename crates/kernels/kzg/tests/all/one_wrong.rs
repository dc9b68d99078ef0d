//! Batches of n items of which exactly one is wrong: for some n up to 300, and for all where `PARCRYPT_LONG_TESTS` is
//! set. Sizes are those around the lanes, the pieces and the thresholds of algorithms.

use parcrypt_bls12_381::{Error as PointError, Fr, G1};
use parcrypt_kzg::{Error, Input, verify_blob_kzg_proof_batch, verify_cell_kzg_proof_batch};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rng;

use super::common::OUTSIDE;
use super::peers::oracle::{MAINNET, SAMPLES, Sample, TWO};

const MOST: usize = 300;

/// Two random samples, and one with a coefficient 0.
fn sample(i: usize) -> &'static Sample {
    &SAMPLES[[0, 1, 9][i % 3]]
}

/// Whether all sizes and all changes are tested.
fn all() -> bool {
    std::env::var_os("PARCRYPT_LONG_TESTS").is_some()
}

fn sizes() -> Vec<usize> {
    match all() {
        true => (1..=MOST).collect(),
        false => (1..=9).chain([15, 16, 17, 33, 63, 64, 65, 128, 129, 246, MOST]).collect(),
    }
}

/// Returns another point of the subgroup.
fn another(point: &[u8; 48]) -> [u8; 48] {
    (G1::from_compressed(point).unwrap() + G1::generator()).to_compressed()
}

/// Returns the bytes with 1 added to one of their field elements.
fn with_another_element(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let element = &mut changed.as_chunks_mut::<32>().0[at];
    *element = (Fr::from_bytes(element).unwrap() + Fr::one()).to_bytes();
    changed
}

/// Returns the bytes with a field element that is not below the modulus.
fn with_a_large_element(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[32 * at..][..32].fill(0xff);
    changed
}

/// Checks the verdicts on a batch of items, each an element of three lists: the right one, and those with one change at
/// the first, the last or another index.
fn check(
    n: usize,
    rng: &mut impl Rng,
    what: [Input; 3],
    right: &[[&[u8]; 3]],
    verify: impl Fn(&[[&[u8]; 3]]) -> Result<bool, Error>,
) {
    assert_eq!(verify(right), Ok(true), "{n} right items");
    let at = [0, n - 1, rng.random_range(0..n)][rng.random_range(0..3)];
    let one = right[at];
    let point = |bytes: &[u8]| *bytes.first_chunk::<48>().unwrap();
    let element = rng.random_range(0..one[0].len() / 32);
    let changed = [
        (0, with_another_element(one[0], element), Ok(false)),
        (1, another(&point(one[1])).to_vec(), Ok(false)),
        (2, another(&point(one[2])).to_vec(), Ok(false)),
        (
            0,
            with_a_large_element(one[0], element),
            Err(Error::NotCanonical { what: what[0], index: at, element }),
        ),
        (1, OUTSIDE.to_vec(), Err(Error::Point { what: what[1], index: at, why: PointError::NotInSubgroup })),
        (2, OUTSIDE.to_vec(), Err(Error::Point { what: what[2], index: at, why: PointError::NotInSubgroup })),
        (2, vec![0; 48], Err(Error::Point { what: what[2], index: at, why: PointError::NotOnCurve })),
    ];
    let some = if all() { changed.len() } else { 3 };
    for (list, bytes, expected) in changed.choose_multiple(rng, some) {
        let mut wrong = right.to_vec();
        wrong[at][*list] = bytes;
        assert_eq!(verify(&wrong), *expected, "{n} items, number {at}, {} changed", what[*list]);
    }
}

#[test]
fn one_of_n_blobs() {
    let rng = &mut rng();
    for n in sizes() {
        let of = |i: usize| {
            let Sample { blob, commitment, proof, .. } = sample(i);
            [&blob[..], commitment, proof]
        };
        let right: Vec<[&[u8]; 3]> = (0..n).map(of).collect();
        check(n, rng, [Input::Blob, Input::Commitment, Input::Proof], &right, |items| {
            let [blobs, commitments, proofs] =
                [0, 1, 2].map(|list| items.iter().map(|item| item[list]).collect());
            let [blobs, commitments, proofs]: [Vec<&[u8]>; 3] = [blobs, commitments, proofs];
            verify_blob_kzg_proof_batch(&*TWO, &MAINNET.ours, &blobs, &commitments, &proofs)
        });
    }
}

/// Cells of three blobs in all columns, in one column, and of one blob.
#[test]
fn one_of_n_cells() {
    let rng = &mut rng();
    type Place = fn(usize) -> (usize, usize);
    let places: [Place; 3] = [|i| (i % 3, i % 128), |i| (i % 3, 77), |i| (1, i * 5 % 128)];
    for n in sizes() {
        for place in places {
            let of = |i: usize| {
                let (of, column) = place(i);
                let Sample { commitment, cells, proofs, .. } = sample(of);
                [&cells[column][..], commitment, &proofs[column]]
            };
            let right: Vec<[&[u8]; 3]> = (0..n).map(of).collect();
            let columns: Vec<u64> = (0..n).map(|i| place(i).1 as u64).collect();
            check(n, rng, [Input::Cell, Input::Commitment, Input::Proof], &right, |items| {
                let [cells, commitments, proofs] =
                    [0, 1, 2].map(|list| items.iter().map(|item| item[list]).collect());
                let [cells, commitments, proofs]: [Vec<&[u8]>; 3] = [cells, commitments, proofs];
                verify_cell_kzg_proof_batch(&*TWO, &MAINNET.ours, &commitments, &columns, &cells, &proofs)
            });
        }
    }
}
