//! Batches with wrong blobs. The oracle is the verification of each blob by itself.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::G1;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use super::*;
use crate::eip4844::{
    blob_to_kzg_commitment, compute_blob_kzg_proof, compute_kzg_proof, verify_blob_kzg_proof,
    verify_blob_kzg_proof_batch, verify_kzg_proof, verify_kzg_proof_batch,
};
use crate::{BYTES_PER_BLOB, Request};

/// Returns each item as a slice.
fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}

/// Blobs with the claims about them.
#[derive(Clone)]
struct Batch<'s> {
    settings: &'s Settings,
    blobs: Vec<Vec<u8>>,
    commitments: Vec<Vec<u8>>,
    proofs: Vec<Vec<u8>>,
}

impl<'s> Batch<'s> {
    fn honest(settings: &'s Settings, size: usize, rng: &mut impl RngCore) -> Self {
        let mut batch = Batch { settings, blobs: Vec::new(), commitments: Vec::new(), proofs: Vec::new() };
        for _ in 0..size {
            let mut blob = vec![0; BYTES_PER_BLOB];
            rng.fill_bytes(&mut blob);
            blob.iter_mut().step_by(32).for_each(|byte| *byte = 0);
            let commitment = blob_to_kzg_commitment(&Serial, settings, &blob).unwrap();
            batch
                .proofs
                .push(compute_blob_kzg_proof(&Serial, settings, &blob, &commitment).unwrap().to_vec());
            batch.commitments.push(commitment.to_vec());
            batch.blobs.push(blob);
        }
        batch
    }

    /// Asserts that these blobs are named and no others, with the results of each by itself.
    fn assert_named(&self, wrong: &[usize]) {
        let (blobs, commitments) = (slices(&self.blobs), slices(&self.commitments));
        let (proofs, settings) = (slices(&self.proofs), self.settings);
        let found =
            verify_blob_kzg_proof_batch_which(&Serial, settings, &blobs, &commitments, &proofs).unwrap();
        assert_eq!(found.iter().map(|item| item.index).collect::<Vec<_>>(), wrong);
        let why =
            |i: usize| match verify_blob_kzg_proof(&Serial, settings, blobs[i], commitments[i], proofs[i]) {
                Ok(true) => None,
                Ok(false) => Some(Reason::DoesNotVerify),
                Err(error) => Some(Reason::Malformed(error.at(i))),
            };
        let oracle = (0..blobs.len()).filter_map(|index| why(index).map(|why| WrongItem { index, why }));
        assert_eq!(found, oracle.collect::<Vec<_>>());
        let verdict = verify_blob_kzg_proof_batch(&Serial, settings, &blobs, &commitments, &proofs);
        assert_eq!(verdict == Ok(true), wrong.is_empty());
    }
}

/// Adds a multiple of the generator to a point.
fn add(point: &mut [u8], multiple: Fr) {
    let sum = G1::from_compressed((&*point).try_into().unwrap()).unwrap() + G1::generator() * multiple;
    point.copy_from_slice(&sum.to_compressed());
}

#[test]
fn wrong_blobs_are_named() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let honest = Batch::honest(&settings, 9, &mut rng());
    honest.assert_named(&[]);
    for wrong in [&[0][..], &[4], &[8], &[0, 8], &[1, 2], &[0, 3, 4, 7], &[0, 1, 2, 3, 4, 5, 6, 7, 8]] {
        let mut batch = honest.clone();
        for (i, k) in wrong.iter().enumerate() {
            match i % 3 {
                0 => add(&mut batch.proofs[*k], Fr::from(5)),
                1 => batch.blobs[*k][77] ^= 1,
                _ => add(&mut batch.commitments[*k], Fr::one()),
            }
        }
        batch.assert_named(wrong);
    }
    let one = Batch::honest(&settings, 1, &mut rng());
    one.assert_named(&[]);
    let mut wrong = one.clone();
    add(&mut wrong.commitments[0], Fr::one());
    wrong.assert_named(&[0]);
}

/// Errors x and y of the values at positions p and q, divided by factors that are known, imitate one at position j.
#[test]
fn an_honest_blob_is_not_blamed() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let honest = Batch::honest(&settings, 8, &mut rng());
    let points = |all: &[Vec<u8>]| {
        all.iter().map(|bytes| bytes::point(Input::Proof, 0, bytes).unwrap()).collect::<Vec<_>>()
    };
    let blobs: Vec<&[u8]> = honest.blobs.iter().map(Vec::as_slice).collect();
    let bytes: Vec<&[u8]> = honest.commitments.iter().map(Vec::as_slice).collect();
    let values = evaluate_each(&Serial, &settings, &blobs, &bytes);
    let factors: Vec<Fr> = (0..8).map(|i| Fr::from(3 * i + 11)).collect();
    for (p, q, j) in [(0u64, 7, 3), (1, 6, 4), (2, 7, 5)] {
        let points = points(&honest.commitments).into_iter().zip(points(&honest.proofs));
        let mut claims: Vec<Claim> = values
            .iter()
            .zip(points)
            .map(|(value, (commitment, proof))| {
                let Evaluation { z, y } = *value.as_ref().unwrap();
                Claim { commitment, z, y, proof }
            })
            .collect();
        for (position, error) in [(p, Fr::from(q - j)), (q, Fr::from(j - p))] {
            claims[position as usize].y += error * factors[position as usize].inverse().unwrap();
        }
        let equation = Equation { rt: &Serial, settings: &settings, claims: &claims, factors: &factors };
        let mut wrong = equation.wrong().unwrap();
        wrong.sort_unstable();
        assert_eq!(wrong, [p as usize, q as usize]);
    }
}

#[test]
fn malformed_blobs_do_not_hide_others() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let honest = Batch::honest(&settings, 9, &mut rng());
    let mut batch = honest.clone();
    batch.blobs[0].pop();
    batch.blobs[1][32..64].fill(0xff);
    batch.commitments[2].push(0);
    batch.commitments[3] = vec![0; 48];
    batch.proofs[4].clear();
    batch.proofs[5][0] ^= 0x80;
    add(&mut batch.proofs[6], Fr::one());
    // Several at once: the first of a verification by itself.
    batch.proofs[1].pop();
    batch.blobs[3][0] = 0xff;
    batch.assert_named(&[0, 1, 2, 3, 4, 5, 6]);
    let mut none = honest.clone();
    none.proofs.iter_mut().for_each(Vec::clear);
    none.assert_named(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(verify_blob_kzg_proof_batch_which(&Serial, &settings, &[], &[], &[]), Ok(vec![]));
    let refused = verify_blob_kzg_proof_batch_which(&Serial, &settings, &[], &[&[]], &[]);
    assert_eq!(refused, Err(Error::Count { what: Input::Commitment, expected: 0, got: 1 }));
}

/// Values of polynomials: the lists of commitments, points, values and proofs.
#[derive(Clone)]
struct Openings<'s> {
    settings: &'s Settings,
    lists: [Vec<Vec<u8>>; 4],
}

impl<'s> Openings<'s> {
    /// Returns values of the polynomials of three blobs in turn.
    fn honest(settings: &'s Settings, size: usize, rng: &mut impl RngCore) -> Self {
        let blobs = Batch::honest(settings, 3.min(size), rng);
        let mut lists: [Vec<Vec<u8>>; 4] = Default::default();
        for (blob, commitment) in blobs.blobs.iter().zip(&blobs.commitments).cycle().take(size) {
            let mut z = [0; 32];
            rng.fill_bytes(&mut z[1..]);
            let (proof, y) = compute_kzg_proof(&Serial, settings, blob, &z).unwrap();
            let item = [commitment.clone(), z.to_vec(), y.to_vec(), proof.to_vec()];
            lists.iter_mut().zip(item).for_each(|(list, bytes)| list.push(bytes));
        }
        Openings { settings, lists }
    }

    fn with<T>(&self, f: impl FnOnce(&Settings, [&[&[u8]]; 4]) -> T) -> T {
        let lists = self.lists.each_ref().map(|list| slices(list));
        f(self.settings, lists.each_ref().map(Vec::as_slice))
    }

    fn verdict(&self) -> Result<bool, Error> {
        self.with(|settings, [c, z, y, p]| verify_kzg_proof_batch(&Serial, settings, c, z, y, p))
    }

    fn which(&self) -> Result<Vec<WrongItem>, Error> {
        self.with(|settings, [c, z, y, p]| verify_kzg_proof_batch_which(&Serial, settings, c, z, y, p))
    }

    /// Asserts that these items are named and no others, with the results of each by itself.
    fn assert_named(&self, wrong: &[usize]) {
        let found = self.which().unwrap();
        assert_eq!(found.iter().map(|item| item.index).collect::<Vec<_>>(), wrong);
        let oracle = self.with(|settings, [c, z, y, p]| {
            let why = |i: usize| match verify_kzg_proof(&Serial, settings, c[i], z[i], y[i], p[i]) {
                Ok(true) => None,
                Ok(false) => Some(Reason::DoesNotVerify),
                Err(error) => Some(Reason::Malformed(error.at(i))),
            };
            (0..c.len())
                .filter_map(|index| why(index).map(|why| WrongItem { index, why }))
                .collect::<Vec<_>>()
        });
        assert_eq!(found, oracle);
        let first = found.iter().find_map(|item| match &item.why {
            Reason::Malformed(error) => Some(error.clone()),
            Reason::DoesNotVerify => None,
        });
        assert_eq!(self.verdict(), first.map_or(Ok(wrong.is_empty()), Err));
    }

    /// Adds a number to an element.
    fn add_to_element(&mut self, list: usize, item: usize, number: Fr) {
        let bytes = &mut self.lists[list][item];
        let sum = Fr::from_bytes((&bytes[..]).try_into().unwrap()).unwrap() + number;
        bytes.copy_from_slice(&sum.to_bytes());
    }

    /// Returns the factors of these claims.
    fn factors(&self) -> Vec<Fr> {
        self.with(|settings, [c, z, y, p]| {
            let claims = read_openings(&Serial, settings, [c, z, y, p]).into_iter();
            factors(&claims.collect::<Result<Vec<_>, _>>().unwrap(), c, p)
        })
    }
}

#[test]
fn wrong_openings_are_named() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let honest = Openings::honest(&settings, 20, &mut rng());
    honest.assert_named(&[]);
    let all: Vec<usize> = (0..20).collect();
    for wrong in [&[0][..], &[1], &[10], &[19], &[0, 19], &[4, 5, 6], &[2, 3, 9, 17], &all] {
        let mut batch = honest.clone();
        for (i, k) in wrong.iter().enumerate() {
            match (i + k) % 4 {
                0 => add(&mut batch.lists[0][*k], Fr::one()),
                1 => batch.add_to_element(1, *k, Fr::one()),
                2 => batch.add_to_element(2, *k, -Fr::one()),
                _ => add(&mut batch.lists[3][*k], Fr::from(9)),
            }
        }
        batch.assert_named(wrong);
    }
    let one = Openings::honest(&settings, 1, &mut rng());
    one.assert_named(&[]);
    let mut wrong = one.clone();
    wrong.add_to_element(2, 0, Fr::one());
    wrong.assert_named(&[0]);
}

#[test]
fn malformed_openings_do_not_hide_others() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let honest = Openings::honest(&settings, 12, &mut rng());
    let mut batch = honest.clone();
    batch.lists[0][0].pop();
    batch.lists[0][1] = vec![0; 48];
    batch.lists[1][2].push(0);
    batch.lists[1][3].fill(0xff);
    batch.lists[2][4].clear();
    batch.lists[2][5].fill(0xff);
    batch.lists[3][6][0] ^= 0x80;
    batch.add_to_element(2, 7, Fr::one());
    // Several at once, in each order: the first of a verification by itself.
    batch.lists.iter_mut().for_each(|list| list[8].clear());
    batch.lists[1..].iter_mut().for_each(|list| list[9].clear());
    batch.lists[1..3].iter_mut().for_each(|list| list[10].clear());
    batch.assert_named(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (list, what) in [(1, Input::Z), (2, Input::Y), (3, Input::Proof)] {
        let mut shorter = honest.clone();
        shorter.lists[list].pop();
        let error = Error::Count { what, expected: 12, got: 11 };
        assert_eq!((shorter.verdict(), shorter.which()), (Err(error.clone()), Err(error)));
    }
    let none = Openings { settings: &settings, lists: Default::default() };
    assert_eq!((none.verdict(), none.which()), (Ok(true), Ok(vec![])));
}

/// Forging: the errors of two values cancel for factors that are known before the values are fixed.
#[test]
fn wrong_values_do_not_cancel() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let (honest, other) =
        (Openings::honest(&settings, 4, &mut rng), Openings::honest(&settings, 4, &mut rng));
    let known = [vec![Fr::one(); 4], honest.factors(), other.factors()];
    for (of, factors) in ["no random choice", "the honest batch", "another batch"].into_iter().zip(known) {
        let mut forged = honest.clone();
        forged.add_to_element(2, 1, factors[1].inverse().unwrap());
        forged.add_to_element(2, 3, -factors[3].inverse().unwrap());
        let holds = forged.with(|settings, lists| {
            let claims = read_openings(&Serial, settings, lists).into_iter().collect::<Result<Vec<_>, _>>();
            claims_hold(&Serial, settings, &claims.unwrap(), &factors).unwrap()
        });
        assert!(holds, "factors of {of}: the forgery is one");
        forged.assert_named(&[1, 3]);
    }
}
