//! Batches with wrong blobs. The oracle is the verification of each blob by itself.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::G1;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use super::*;
use crate::eip4844::{
    blob_to_kzg_commitment, compute_blob_kzg_proof, verify_blob_kzg_proof, verify_blob_kzg_proof_batch,
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
