//! The crate next to the original: the same text of every result and every error.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

#[path = "../../testing.rs"]
mod testing;

use testing::{hex, mainnet, points, random_blob, same, text};

const BLOB: usize = 131_072;

/// Blobs: random field elements, zeros, and one with an element that is too large.
fn blobs() -> Vec<Vec<u8>> {
    let random = random_blob();
    let mut large = random.clone();
    large[64..96].fill(0xff);
    vec![random, vec![0; BLOB], large]
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
                for point in points(*commitment) {
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
                for point in points(commitment) {
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

            /// The error of the first of several bad inputs, whose bytes all differ.
            pub(super) fn of_several_bad_inputs() -> Vec<String> {
                let context = DASContext::default();
                let mut all = Vec::new();
                let blobs = blobs();
                let blob: BlobRef = blobs[0].as_slice().try_into().unwrap();
                let bad_blob = |fill: u8| -> Box<[u8; BLOB]> {
                    let mut bytes = blobs[1].clone();
                    bytes[32 * usize::from(fill)..][..32].fill(fill);
                    bytes.into_boxed_slice().try_into().unwrap()
                };
                let commitment = context.blob_to_kzg_commitment(blob).unwrap();
                let proof = context.compute_blob_kzg_proof(blob, &commitment).unwrap();
                let (point, other) = ([0xfe; 48], [0xfd; 48]);
                let (z, y) = ([0xfc; 32], [0xfb; 32]);
                for (commitment, proof, z, y) in [
                    (&point, &other, z, y),
                    (&commitment, &other, z, y),
                    (&commitment, &proof, z, y),
                    (&commitment, &proof, [1; 32], y),
                    (&point, &proof, [1; 32], y),
                    (&commitment, &other, [1; 32], y),
                ] {
                    all.push(text(context.verify_kzg_proof(commitment, z, y, proof)));
                }
                all.push(text(context.compute_kzg_proof(&bad_blob(0xfe), z)));
                all.push(text(context.compute_blob_kzg_proof(&bad_blob(0xfe), &point)));
                all.push(text(context.verify_blob_kzg_proof(&bad_blob(0xfe), &point, &other)));
                all.push(text(context.verify_blob_kzg_proof(blob, &point, &other)));
                let (first, second) = (bad_blob(0xfe), bad_blob(0xfd));
                for (blobs, commitments, proofs) in [
                    (vec![blob, &first, &second], [&point, &commitment, &other], [&other, &proof, &proof]),
                    (vec![blob; 3], [&commitment, &point, &other], [&other, &proof, &proof]),
                    (vec![blob; 3], [&commitment; 3], [&proof, &point, &other]),
                ] {
                    let (commitments, proofs) = (commitments.to_vec(), proofs.to_vec());
                    all.push(text(context.verify_blob_kzg_proof_batch(blobs, commitments, proofs)));
                }
                let (cells, proofs) = context.compute_cells_and_kzg_proofs(blob).unwrap();
                let bad_cell = |fill: u8| {
                    let mut cell = *cells[0];
                    cell[32 * usize::from(fill - 0xf0)..][..32].fill(fill);
                    cell
                };
                let bad_cells: Vec<[u8; BYTES_PER_CELL]> = (0xf8..=0xff).map(bad_cell).collect();
                for indices in [[9, 5, 9], [5, 9, 5], [127, 64, 0], [0, 64, 127], [3, 3, 3]] {
                    for bad in [[true, true, true], [false, true, true], [true, false, true]] {
                        let chosen = |k: usize| match bad[k] {
                            true => &bad_cells[k],
                            false => &*cells[usize::try_from(indices[k]).unwrap()],
                        };
                        let chosen: Vec<_> = (0..3).map(chosen).collect();
                        let claimed = vec![&commitment; 3];
                        let proven = vec![&proofs[0]; 3];
                        let verify = |claimed, proven| {
                            text(context.verify_cell_kzg_proof_batch(
                                claimed,
                                &indices,
                                chosen.clone(),
                                proven,
                            ))
                        };
                        all.push(verify(claimed.clone(), proven.clone()));
                        all.push(verify(vec![&commitment, &point, &other], proven.clone()));
                        all.push(verify(claimed, vec![&proofs[0], &point, &other]));
                        all.push(verify(vec![&other, &point, &other], vec![&point; 3]));
                    }
                }
                let half: Vec<u64> = (0..128).filter(|i| i % 3 != 1).collect();
                let mut list: Vec<CellRef> =
                    half.iter().map(|i| &*cells[usize::try_from(*i).unwrap()]).collect();
                for (at, bad) in [3, 40, 84].into_iter().zip(&bad_cells) {
                    list[at] = bad;
                }
                all.push(text(context.recover_cells_and_kzg_proofs(half, list)));
                all
            }

            /// Errors that are converted from those inside.
            pub(super) fn of_errors() -> Vec<String> {
                let context = DASContext::default();
                let (cell, point) = ([0xff; BYTES_PER_CELL], [0xff; 48]);
                let errors = [
                    context.verify_cell_kzg_proof_batch(vec![], &[1], vec![], vec![]).unwrap_err(),
                    context.recover_cells_and_kzg_proofs(vec![], vec![]).unwrap_err(),
                    context.recover_cells_and_kzg_proofs((0..64).collect(), vec![&cell; 64]).unwrap_err(),
                    context.verify_kzg_proof(&point, [0; 32], [0; 32], &point).unwrap_err(),
                ];
                let converted = errors.into_iter().map(|error| match error {
                    Error::Prover(inner) => Error::from(inner),
                    Error::Verifier(inner) => Error::from(inner),
                    Error::Recovery(inner) => Error::from(inner),
                    Error::Serialization(inner) => Error::from(inner),
                    Error::EIP4844(inner) => Error::from(inner),
                });
                converted.map(text).collect()
            }

            /// Whether texts are setups, and mainnet's.
            pub(super) fn of_setups(json: &str, lists: &str) -> Vec<Option<bool>> {
                let mainnet = TrustedSetup::default();
                let caught = |load: fn(&str) -> TrustedSetup, text: &str| {
                    std::panic::catch_unwind(|| load(text)).ok().map(|setup| setup == mainnet)
                };
                let mut all = Vec::new();
                let other = json.replacen("0x93e02b60", "0x03e02b60", 1);
                assert_ne!(other, json);
                for text in [json, &other, "", "{}", "{\"g1_monomial\": []}", &json[..json.len() - 9]] {
                    all.push(caught(TrustedSetup::from_json, text));
                    all.push(caught(TrustedSetup::from_json_unchecked, text));
                }
                let with_more = lists.replacen('{', "{\"more\": [7],", 1);
                let bad = lists.replacen("[151,", "[251,", 1);
                assert_ne!(bad, lists);
                for text in [lists, &with_more, &bad, json, "", "{}", "{\"g1_monomial\": []}", "[]"] {
                    let setup = serde_json::from_str::<TrustedSetup>(text);
                    all.push(setup.ok().map(|setup| setup == mainnet));
                }
                all
            }

            /// What a panic in another thread leaves usable.
            pub(super) const UNWIND_SAFE: fn() = || {
                fn unwind_safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
                unwind_safe::<DASContext>();
                unwind_safe::<TrustedSetup>();
                unwind_safe::<Error>();
            };
        }
    };
}

answers!(ours, rust_eth_kzg);
answers!(theirs, original);

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
fn the_first_of_several_bad_inputs_is_named_alike() {
    same(&ours::of_several_bad_inputs(), &theirs::of_several_bad_inputs());
}

#[test]
fn errors_are_converted_alike() {
    same(&ours::of_errors(), &theirs::of_errors());
}

#[test]
fn a_panic_leaves_the_same_types_usable() {
    (ours::UNWIND_SAFE)();
    (theirs::UNWIND_SAFE)();
}

/// Checks the JSON of the consensus specifications, and the lists of points that serde reads.
#[test]
fn setups_are_read_alike() {
    let [lagrange, g2, g1] = mainnet();
    let digits =
        |list: &[Vec<u8>]| list.iter().map(|point| "0x".to_owned() + &hex(point)).collect::<Vec<_>>();
    let json = serde_json::json!({
        "g1_monomial": digits(&g1), "g1_lagrange": digits(&lagrange), "g2_monomial": digits(&g2),
    });
    let lists = serde_json::json!({ "g1_monomial": g1, "g2_monomial": g2 });
    let (json, lists) = (json.to_string(), lists.to_string());
    let (ours, theirs) = (ours::of_setups(&json, &lists), theirs::of_setups(&json, &lists));
    assert_eq!(ours, theirs);
    assert_eq!(ours.iter().filter(|setup| **setup == Some(true)).count(), 4, "{ours:?}");
}

#[test]
fn setups_that_are_none_are_refused() {
    for text in ["", "{}", "{\"g1_monomial\": [], \"g1_lagrange\": [], \"g2_monomial\": []}"] {
        assert!(std::panic::catch_unwind(|| rust_eth_kzg::TrustedSetup::from_json(text)).is_err(), "{text}");
    }
    assert_eq!(rust_eth_kzg::TrustedSetup::default(), rust_eth_kzg::TrustedSetup::default());
}
