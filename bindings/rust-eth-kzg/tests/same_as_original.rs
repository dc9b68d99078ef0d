//! The crate beside the original: the same text of every result and every error.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::fmt::Debug;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const BLOB: usize = 131_072;

fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// Blobs: random field elements, zeros, and one with an element that is too large.
fn blobs() -> Vec<Vec<u8>> {
    let mut rng = StdRng::seed_from_u64(18);
    let mut random = vec![0; BLOB];
    rng.fill(&mut random[..]);
    random.iter_mut().step_by(32).for_each(|byte| *byte = 0);
    let mut large = random.clone();
    large[64..96].fill(0xff);
    vec![random, vec![0; BLOB], large]
}

fn points(commitment: &[u8; 48]) -> Vec<[u8; 48]> {
    let at = |first: u8, last: u8| {
        let mut point = [0; 48];
        (point[0], point[47]) = (first, last);
        point
    };
    let mut given = vec![*commitment, at(0xc0, 0), at(0xc0, 1), at(0, 0), [0xff; 48]];
    given.extend((0..12).map(|last| at(0x80, last)));
    given
}

/// Defines a module with the texts of the results of one crate.
macro_rules! answers {
    ($name:ident, $library:ident) => {
        mod $name {
            use super::*;
            use $library::constants::*;
            use $library::*;

            pub(super) fn of_blobs(precompute: UsePrecomp) -> Vec<String> {
                let context = DASContext::new(&TrustedSetup::default(), precompute);
                let mut all = Vec::new();
                let blobs = blobs();
                let blobs: Vec<BlobRef> =
                    blobs.iter().map(|blob| blob.as_slice().try_into().unwrap()).collect();
                let zs = [[0; 32], [7; 32], [0xff; 32]];
                let mut good = Vec::new();
                for blob in &blobs {
                    let commitment = context.blob_to_kzg_commitment(blob);
                    all.push(text(&commitment));
                    all.extend(zs.map(|z| text(context.compute_kzg_proof(blob, z))));
                    all.push(text(context.compute_cells(blob)));
                    if let Ok(commitment) = commitment {
                        let proof = context.compute_blob_kzg_proof(blob, &commitment).unwrap();
                        all.push(text((proof, context.verify_blob_kzg_proof(blob, &commitment, &proof))));
                        good.push((*blob, commitment, proof));
                    }
                }
                let (blob, commitment, proof) = &good[0];
                for point in points(commitment) {
                    all.push(text(context.compute_blob_kzg_proof(blob, &point)));
                    for verified in [
                        context.verify_blob_kzg_proof(blob, &point, proof),
                        context.verify_blob_kzg_proof(blob, commitment, &point),
                        context.verify_kzg_proof(&point, zs[1], zs[0], proof),
                        context.verify_kzg_proof(commitment, zs[0], zs[1], &point),
                        context.verify_kzg_proof(commitment, zs[2], zs[0], proof),
                        context.verify_kzg_proof(commitment, zs[0], zs[2], proof),
                    ] {
                        all.push(text(verified.as_ref().map_err(Error::is_proof_invalid)));
                        all.push(text(verified));
                    }
                }
                let list = |n: usize| good.iter().take(n);
                for (b, c, p) in [(2, 2, 2), (0, 0, 0), (1, 2, 2), (2, 1, 2), (2, 2, 1), (1, 1, 1)] {
                    all.push(text(context.verify_blob_kzg_proof_batch(
                        list(b).map(|(blob, ..)| *blob).collect(),
                        list(c).map(|(_, commitment, _)| commitment).collect(),
                        list(p).map(|(.., proof)| proof).collect(),
                    )));
                }
                all
            }

            pub(super) fn of_cells(precompute: UsePrecomp) -> Vec<String> {
                let context = DASContext::new(&TrustedSetup::default(), precompute);
                let mut all = Vec::new();
                let blobs = blobs();
                let blobs: Vec<BlobRef> =
                    blobs.iter().map(|blob| blob.as_slice().try_into().unwrap()).collect();
                all.push(text(context.compute_cells_and_kzg_proofs(blobs[2])));
                let (cells, proofs) = context.compute_cells_and_kzg_proofs(blobs[0]).unwrap();
                all.push(text((&cells, &proofs)));
                let commitment = context.blob_to_kzg_commitment(blobs[0]).unwrap();
                for indices in
                    [vec![3, 5, 127], vec![0], vec![], vec![5, 3], vec![3, 3], vec![128], vec![u64::MAX]]
                {
                    let at = |i: &u64| usize::try_from(*i).unwrap().min(127);
                    let chosen = || indices.iter().map(|i| &*cells[at(i)]).collect::<Vec<_>>();
                    let proven = || indices.iter().map(|i| &proofs[at(i)]).collect::<Vec<_>>();
                    let commitments = || vec![&commitment; indices.len()];
                    let verified =
                        context.verify_cell_kzg_proof_batch(commitments(), &indices, chosen(), proven());
                    all.push(text(verified.as_ref().map_err(Error::is_proof_invalid)));
                    all.push(text(verified));
                    all.push(text(context.verify_cell_kzg_proof_batch(vec![], &indices, chosen(), proven())));
                    all.push(text(context.verify_cell_kzg_proof_batch(
                        commitments(),
                        &[1, 2],
                        chosen(),
                        proven(),
                    )));
                    all.push(text(context.verify_cell_kzg_proof_batch(
                        commitments(),
                        &indices,
                        chosen(),
                        vec![],
                    )));
                    all.push(text(context.recover_cells_and_kzg_proofs(indices.clone(), chosen())));
                    all.push(text(context.recover_cells_and_kzg_proofs(vec![1, 2, 3, 4], chosen())));
                }
                for point in points(&commitment) {
                    let (cell, proof) = (|| vec![&*cells[0]], || vec![&proofs[0]]);
                    let verified = context.verify_cell_kzg_proof_batch(vec![&point], &[0], cell(), proof());
                    all.push(text(verified.as_ref().map_err(Error::is_proof_invalid)));
                    all.push(text(verified));
                    all.push(text(context.verify_cell_kzg_proof_batch(
                        vec![&commitment],
                        &[0],
                        cell(),
                        vec![&point],
                    )));
                }
                let half: Vec<u64> = (0..128).filter(|i| i % 3 != 1).collect();
                let chosen =
                    || half.iter().map(|i| &*cells[usize::try_from(*i).unwrap()]).collect::<Vec<_>>();
                all.push(text(context.recover_cells_and_kzg_proofs(half.clone(), chosen())));
                for value in [0xff, 1] {
                    let mut wrong = *chosen()[7];
                    wrong[32..64].fill(value);
                    let mut list = chosen();
                    list[7] = &wrong;
                    all.push(text(context.recover_cells_and_kzg_proofs(half.clone(), list)));
                }
                all.push(text((
                    EXPANSION_FACTOR,
                    NUM_PROOFS,
                    RECOMMENDED_PRECOMP_WIDTH,
                    FIELD_ELEMENTS_PER_EXT_BLOB,
                )));
                all
            }
        }
    };
}

answers!(ours, rust_eth_kzg);
answers!(theirs, original);

#[track_caller]
fn same(ours: &[String], theirs: &[String]) {
    assert_eq!(ours.len(), theirs.len());
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let pairs = ours.iter().zip(theirs).enumerate().filter(|(_, (ours, theirs))| ours != theirs);
    let differences: Vec<String> = pairs
        .map(|(i, (ours, theirs))| format!("{i}: ours {}, theirs {}", short(ours), short(theirs)))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn blobs_have_the_same_results() {
    let theirs = theirs::of_blobs(original::UsePrecomp::No);
    same(&ours::of_blobs(rust_eth_kzg::UsePrecomp::No), &theirs);
    same(&ours::of_blobs(rust_eth_kzg::UsePrecomp::Yes { width: 8 }), &theirs);
}

#[test]
fn cells_have_the_same_results() {
    let theirs = theirs::of_cells(original::UsePrecomp::No);
    same(&ours::of_cells(rust_eth_kzg::UsePrecomp::No), &theirs);
    for width in [0, 3, usize::MAX] {
        same(&ours::of_cells(rust_eth_kzg::UsePrecomp::Yes { width }), &theirs);
    }
}

#[test]
fn setups_that_are_none_are_refused() {
    for text in ["", "{}", "{\"g1_monomial\": [], \"g1_lagrange\": [], \"g2_monomial\": []}"] {
        assert!(std::panic::catch_unwind(|| rust_eth_kzg::TrustedSetup::from_json(text)).is_err(), "{text}");
    }
    assert_eq!(rust_eth_kzg::TrustedSetup::default(), rust_eth_kzg::TrustedSetup::default());
}
