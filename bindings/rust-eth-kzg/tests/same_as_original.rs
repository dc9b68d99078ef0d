//! The crate next to the original: the same text of every result and every error.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

#[path = "../../testing.rs"]
mod testing;

use parcrypt_oracles::{Call, Function, INFINITY, MAINNET, SAMPLES, compare, points_of, setup_json};
use parcrypt_testkit::rng;
use testing::{same, text};

/// Defines a module with the texts of the results of one crate.
macro_rules! answers {
    ($name:ident, $library:ident) => {
        mod $name {
            use super::*;
            use $library::constants::*;
            use $library::*;

            /// The verdict on one blob.
            pub(super) fn of_one_blob(context: &DASContext, call: &Call) -> Option<String> {
                let [blob, commitment, proof] = [0, 1, 2].map(|input| &call.inputs[input][0][..]);
                let (commitment, proof) = (commitment.try_into().ok()?, proof.try_into().ok()?);
                Some(text(context.verify_blob_kzg_proof(blob.try_into().ok()?, commitment, proof)))
            }

            /// Errors of bad inputs and of invalid proofs, converted from those inside, and constants.
            pub(super) fn of_errors() -> Vec<String> {
                let context = DASContext::default();
                let (cell, point) = ([0xff; BYTES_PER_CELL], [0xff; 48]);
                // Not the values of 0, whose commitment is infinity.
                let (values, infinity) = (vec![1; BYTES_PER_BLOB], || vec![&INFINITY]);
                let blob: BlobRef = values.as_slice().try_into().unwrap();
                let errors = [
                    context.verify_cell_kzg_proof_batch(vec![], &[1], vec![], vec![]).unwrap_err(),
                    context.recover_cells_and_kzg_proofs(vec![], vec![]).unwrap_err(),
                    context.recover_cells_and_kzg_proofs((0..64).collect(), vec![&cell; 64]).unwrap_err(),
                    context.verify_kzg_proof(&point, [0; 32], [0; 32], &point).unwrap_err(),
                    context.verify_kzg_proof(&INFINITY, [0; 32], [1; 32], &INFINITY).unwrap_err(),
                    context.verify_blob_kzg_proof(blob, &INFINITY, &INFINITY).unwrap_err(),
                    context.verify_blob_kzg_proof_batch(vec![blob], infinity(), infinity()).unwrap_err(),
                    context
                        .verify_cell_kzg_proof_batch(infinity(), &[0], vec![&[1; BYTES_PER_CELL]], infinity())
                        .unwrap_err(),
                ];
                let valid: Vec<bool> = errors.iter().map(Error::is_proof_invalid).collect();
                assert_eq!(valid, [false, false, false, false, true, true, true, true]);
                let numbers =
                    [EXPANSION_FACTOR, NUM_PROOFS, RECOMMENDED_PRECOMP_WIDTH, FIELD_ELEMENTS_PER_EXT_BLOB];
                let converted = errors.into_iter().map(|error| match error {
                    Error::Prover(inner) => Error::from(inner),
                    Error::Verifier(inner) => Error::from(inner),
                    Error::Recovery(inner) => Error::from(inner),
                    Error::Serialization(inner) => Error::from(inner),
                    Error::EIP4844(inner) => Error::from(inner),
                });
                converted.map(text).chain([text(numbers)]).collect()
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

            /// What a panic in another thread leaves usable, by the compiler.
            const _: fn() = || {
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

parcrypt_oracles::eth_kzg_adaptor!(Ours, rust_eth_kzg, "rust_eth_kzg");

/// Compares the error of the first of several bad inputs too.
#[test]
fn all_functions_have_the_same_results_and_errors() {
    let setup = rust_eth_kzg::TrustedSetup::default();
    let ours = |precompute| Ours(rust_eth_kzg::DASContext::new(&setup, precompute));
    compare(&ours(rust_eth_kzg::UsePrecomp::No), &MAINNET.eth_kzg, |_, ours, theirs| ours == theirs);
    let one = ours(rust_eth_kzg::UsePrecomp::No);
    for (how, call) in Call::blobs(&SAMPLES[..1]).spoiled(&mut rng(), 0) {
        if call.inputs.iter().all(|list| list.len() == 1) {
            let theirs = theirs::of_one_blob(&MAINNET.eth_kzg.0, &call);
            assert_eq!(ours::of_one_blob(&one.0, &call), theirs, "one blob, {how}");
        }
    }
    let call = Call::new(Function::ComputeCellsAndProofs, &[&SAMPLES[0].blob]);
    for width in [0, 3, 8, usize::MAX] {
        let found = call.ask(&ours(rust_eth_kzg::UsePrecomp::Yes { width }));
        assert_eq!(found, call.ask(&MAINNET.eth_kzg), "tables of width {width}");
    }
}

#[test]
fn errors_are_converted_alike() {
    same(&ours::of_errors(), &theirs::of_errors());
}

/// Checks the JSON of the consensus specifications, and the lists of points that serde reads.
#[test]
fn setups_are_read_alike() {
    let points = points_of(MAINNET.ours.settings());
    let json = setup_json(&points);
    let lists = serde_json::json!({ "g1_monomial": points[2], "g2_monomial": points[1] }).to_string();
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
