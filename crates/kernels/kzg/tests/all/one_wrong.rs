//! Batches of n items of which exactly one is wrong: for some n up to 300, and for all where `PARCRYPT_LONG_TESTS` is
//! set. Sizes are those around the lanes, the pieces and the thresholds of algorithms.

use parcrypt_bls12_381::Error as PointError;
use parcrypt_kzg::{Error, Input, Reason, Request, Settings, WrongItem};
use parcrypt_oracles::spoil::OUTSIDE;
use parcrypt_oracles::{Answer, Call, Parcrypt, SAMPLES, Sample};
use parcrypt_runtime::Kind;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rand::seq::index::sample as choose;
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
        let point = |what, why| Some(Error::Point { what, index: at, why });
        let changes = [
            (element_list, other, None),
            (commitments, negated(commitments), None),
            (proofs, negated(proofs), None),
            (element_list, large, Some(Error::NotCanonical { what: elements, index: at, element })),
            (commitments, OUTSIDE.to_vec(), point(Input::Commitment, PointError::NotInSubgroup)),
            (proofs, OUTSIDE.to_vec(), point(Input::Proof, PointError::NotInSubgroup)),
            (proofs, vec![0; 48], point(Input::Proof, PointError::NotOnCurve)),
        ];
        let some = if all { changes.len() } else { 3 };
        for (list, bytes, error) in changes.choose_multiple(&mut rng, some) {
            let mut wrong = right.clone();
            wrong.inputs[*list][at].clone_from(bytes);
            let what = format!("{n} items, number {at} of list {list} changed");
            let refused = |error| Answer::Refused(format!("{error:?}"));
            assert_eq!(wrong.ask(&ours), error.as_ref().map_or(Answer::Invalid, refused), "{what}");
            let why = error.clone().map_or(Reason::DoesNotVerify, Reason::Malformed);
            assert_eq!(wrong.find_wrong(&ours), Ok(vec![WrongItem { index: at, why }]), "{what}");
        }
        let check_named = |wrong: &Call, named: &[usize]| {
            let found = wrong.find_wrong(&ours).unwrap();
            assert_eq!(found.iter().map(|item| item.index).collect::<Vec<_>>(), named, "of {n} items");
        };
        for count in [2, 8, n] {
            let mut wrong = right.clone();
            let mut named = choose(&mut rng, n, count.min(n)).into_vec();
            named.sort_unstable();
            for index in &named {
                let list = *[commitments, proofs].choose(&mut rng).unwrap();
                match rng.random_range(0..3) {
                    0 => wrong.inputs[list][*index] = OUTSIDE.to_vec(),
                    1 => wrong.inputs[list][*index][0] ^= 0x20,
                    _ => wrong.inputs[element_list][*index][..32].fill(0xff),
                }
            }
            check_named(&wrong, &named);
        }
        // A commitment that several share.
        let shared = |k: &usize| right.inputs[commitments][*k] == right.inputs[commitments][at];
        let named: Vec<usize> = (0..n).filter(shared).collect();
        for commitment in [negated(commitments), OUTSIDE.to_vec(), vec![0xff; 48]] {
            let mut wrong = right.clone();
            named.iter().for_each(|k| wrong.inputs[commitments][*k].clone_from(&commitment));
            check_named(&wrong, &named);
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
