//! Right claims with points outside of G1. The pairing takes a part of small order to 1, so that only the check of each
//! point finds it.

use std::collections::BTreeMap;

use parcrypt_bls12_381::{Error as PointError, G1, dispatch};
use parcrypt_kzg::{CellClaim, CellVerifier, Error, Input, Reason, Requests, Settings, WrongItem};
use parcrypt_oracles::spoil::{SMALL_ORDERS, of_order};
use parcrypt_oracles::{Answer, Call, Function, Parcrypt, SAMPLES, slices};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::{backends, rng};

/// A point that replaces one of a list, and what is wrong with it.
type Spoiled = (usize, usize, [u8; 48], PointError);

/// Returns points plus a torsion, at two indices: one, and two whose torsions cancel, of which one may be no point.
fn spoiled(right: &Call, torsion: G1, lists: [usize; 2], [a, b]: [usize; 2]) -> Vec<Vec<Spoiled>> {
    let plus = |list: usize, index: usize, torsion: G1| {
        let point = G1::from_compressed(right.inputs[list][index][..].try_into().unwrap()).unwrap();
        (list, index, (point + torsion).to_compressed(), PointError::NotInSubgroup)
    };
    let mut all = Vec::new();
    for first in lists {
        all.push(vec![plus(first, a, torsion)]);
        for second in lists.into_iter().filter(|second| (first, a) != (*second, b)) {
            all.push(vec![plus(first, a, torsion), plus(second, b, -torsion)]);
            all.push(vec![plus(first, a, torsion), (second, b, [0; 48], PointError::NotOnCurve)]);
        }
    }
    all
}

/// Returns the verdict of a [`CellVerifier`] with a commitment for each cell.
fn by_verifier(kzg: &Parcrypt, call: &Call) -> Result<bool, Error> {
    let [commitments, cells, proofs] = [0, 2, 3].map(|list| slices(&call.inputs[list]));
    let verifier = CellVerifier::new(kzg.runtime(), kzg.settings(), &commitments)?;
    let claims = call.indices(1).into_iter().enumerate().map(|(k, cell_index)| CellClaim {
        commitment_index: k as u64,
        cell_index,
        cell: cells[k],
        proof: proofs[k],
    });
    verifier.verify(kzg.runtime(), kzg.settings(), &claims.collect::<Vec<_>>())
}

#[test]
fn points_outside_of_the_group_are_refused_and_named() {
    let mut rng = rng();
    let cells = |n: usize, step: usize| Call::cells((0..n).map(|k| (&SAMPLES[k % 2], k * step % 128)));
    let of_blobs = [1, 4].map(|n| Call::blobs(&SAMPLES[..n]));
    // Few are checked one by one, many together.
    let of_cells = [cells(1, 0), cells(5, 0), cells(5, 1), cells(300, 1)];
    for backend in backends("parcrypt-kzg", dispatch::BACKENDS) {
        let kzg = Parcrypt::new(Settings::mainnet(Requests::from_iter([("fp", backend)])).unwrap());
        for right in [super::refusals::verification()].iter().chain(&of_blobs).chain(&of_cells) {
            assert_eq!(right.ask(&kzg), Answer::Valid);
            let n = right.inputs[0].len();
            let lists = [[0, 3], [1, 2]][usize::from(right.function == Function::VerifyBlobs)];
            for order in SMALL_ORDERS.into_iter().take(if n > 100 { 1 } else { 5 }) {
                let a = rng.random_range(0..n);
                let b = (a + rng.random_range(0..n.max(2) - 1) + 1) % n;
                for mut points in spoiled(right, of_order(order), lists, [a, b]) {
                    let mut wrong = right.clone();
                    points.iter().for_each(|(list, k, point, _)| wrong.inputs[*list][*k] = point.to_vec());
                    // Commitments come before proofs.
                    points.sort_by_key(|(list, index, ..)| (*list, *index));
                    let error = |(list, index, _, why): Spoiled| {
                        let what = if list == lists[0] { Input::Commitment } else { Input::Proof };
                        (index, Error::Point { what, index, why })
                    };
                    let errors: Vec<(usize, Error)> = points.into_iter().map(error).collect();
                    let (what, first) =
                        (format!("{backend}, order {order} in {n} of {:?}", right.function), &errors[0].1);
                    assert_eq!(wrong.ask(&kzg), Answer::Refused(format!("{first:?}")), "{what}");
                    if right.function == Function::VerifyProof {
                        continue;
                    }
                    // Of an item with two errors the first is named.
                    let named: BTreeMap<usize, Error> = errors.iter().rev().cloned().collect();
                    let named = named
                        .into_iter()
                        .map(|(index, why)| WrongItem { index, why: Reason::Malformed(why) });
                    assert_eq!(wrong.find_wrong(&kzg), Ok(named.collect()), "{what}");
                    if right.function == Function::VerifyCells {
                        assert_eq!(by_verifier(&kzg, &wrong), Err(first.clone()), "{what}");
                    }
                }
            }
        }
    }
}
