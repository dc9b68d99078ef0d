//! Batches of n items of which exactly one is wrong: for some n up to 300, and for all where `PARCRYPT_LONG_TESTS` is
//! set. Sizes are those around the lanes, the pieces and the thresholds of algorithms.

use parcrypt_bls12_381::Error as PointError;
use parcrypt_kzg::{Error, Input, Request, Settings};
use parcrypt_oracles::spoil::OUTSIDE;
use parcrypt_oracles::{Answer, Call, Parcrypt, SAMPLES, Sample};
use parcrypt_runtime::Kind;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rng;

const MAX: usize = 300;

/// Two random samples, and one with a coefficient 0.
fn sample(i: usize) -> &'static Sample {
    &SAMPLES[[0, 1, 7][i % 3]]
}

/// Checks the verdicts on batches of all sizes: on the right one, and on those with one change at the first, the last
/// or another index. Elements, commitments and proofs are the inputs with these numbers.
fn check(elements: Input, [element_list, commitments, proofs]: [usize; 3], right: impl Fn(usize) -> Call) {
    let mut rng = rng();
    let ours = Parcrypt::new(Settings::mainnet(Request::Auto).unwrap());
    assert!(ours.set_runtime(Kind::Rayon.build(2.try_into().unwrap()).unwrap()));
    let all = std::env::var_os("PARCRYPT_LONG_TESTS").is_some();
    let sizes: Vec<usize> = match all {
        true => (1..=MAX).collect(),
        false => (1..=9).chain([15, 16, 17, 33, 63, 64, 65, 128, 129, 246, MAX]).collect(),
    };
    for n in sizes {
        let right = right(n);
        assert_eq!(right.ask(&ours), Answer::Valid, "{n} right items");
        let at = [0, n - 1, rng.random_range(0..n)][rng.random_range(0..3)];
        let item = |list: usize| &right.inputs[list][at];
        let element = rng.random_range(0..item(element_list).len() / 32);
        // A random element stays below r.
        let mut other = item(element_list).clone();
        other[32 * element + 31] ^= 1;
        let mut large = item(element_list).clone();
        large[32 * element..][..32].fill(0xff);
        let negated = |list: usize| {
            let mut point = item(list).clone();
            point[0] ^= 0x20;
            point
        };
        let refused = |error: Error| Answer::Refused(format!("{error:?}"));
        let point = |what, why| refused(Error::Point { what, index: at, why });
        let changes = [
            (element_list, other, Answer::Invalid),
            (commitments, negated(commitments), Answer::Invalid),
            (proofs, negated(proofs), Answer::Invalid),
            (element_list, large, refused(Error::NotCanonical { what: elements, index: at, element })),
            (commitments, OUTSIDE.to_vec(), point(Input::Commitment, PointError::NotInSubgroup)),
            (proofs, OUTSIDE.to_vec(), point(Input::Proof, PointError::NotInSubgroup)),
            (proofs, vec![0; 48], point(Input::Proof, PointError::NotOnCurve)),
        ];
        let some = if all { changes.len() } else { 3 };
        for (list, bytes, expected) in changes.choose_multiple(&mut rng, some) {
            let mut wrong = right.clone();
            wrong.inputs[*list][at].clone_from(bytes);
            assert_eq!(wrong.ask(&ours), *expected, "{n} items, number {at} of list {list} changed");
        }
    }
}

#[test]
fn one_of_n_blobs() {
    check(Input::Blob, [0, 1, 2], |n| Call::blobs((0..n).map(sample)));
}

/// Cells of three blobs in all columns, in one column, and of one blob.
#[test]
fn one_of_n_cells() {
    type Place = fn(usize) -> (usize, usize);
    let places: [Place; 3] = [|i| (i % 3, i % 128), |i| (i % 3, 77), |i| (1, i * 5 % 128)];
    for place in places {
        check(Input::Cell, [2, 0, 3], |n| {
            Call::cells((0..n).map(place).map(|(of, column)| (sample(of), column)))
        });
    }
}
