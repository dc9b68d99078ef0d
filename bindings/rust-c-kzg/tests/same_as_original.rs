//! The crate next to the original: the same text of every result and every error, for good and for bad input.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

#[path = "../../testing.rs"]
mod testing;

use std::fmt::Debug;
use std::path::Path;

use parcrypt_oracles::{Answer, Call, Function, MAINNET, SAMPLES, compare, points_of, setup_text};
use parcrypt_testkit::rng;
use testing::{same, text};

/// Returns the text of a value, and what becomes of other texts.
#[cfg(feature = "serde")]
fn serde_of<T>(value: &T, length: usize) -> Vec<String>
where
    T: serde::Serialize + serde::de::DeserializeOwned + Debug + PartialEq,
{
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value);
    let digits = "cd".repeat(length);
    let texts = [
        &json,
        &json.to_uppercase(),
        &format!("\"{digits}\""),
        &format!("\"0x{digits}\""),
        &format!("\"0x{digits}0\""),
        &format!("\"0x{digits}00\""),
        &format!("\"\\u0030x{digits}\""),
        "\"0xab\"",
        "\"0xzz\"",
        "\"\"",
        "7",
        "null",
        "[171]",
    ];
    // One after the other: a blob is large for the stack.
    let mut all: Vec<String> = texts.into_iter().map(|json| text(serde_json::from_str::<T>(json))).collect();
    all.push(text(serde_json::from_reader::<_, T>(format!("\"{digits}\"").as_bytes())));
    all.push(json);
    all
}

/// Returns values from the bytes of a fuzzer, and how many of these remain.
#[cfg(feature = "arbitrary")]
fn arbitrary_of<T: for<'a> arbitrary::Arbitrary<'a> + Debug>() -> Vec<String> {
    use arbitrary::Unstructured;
    let data: Vec<u8> = (0..140_000u32).map(|i| i.to_le_bytes()[0] ^ i.to_le_bytes()[1]).collect();
    let of_length = |length| {
        let mut unstructured = Unstructured::new(&data[..length]);
        let values = [(); 2].map(|()| T::arbitrary(&mut unstructured));
        let last = T::arbitrary_take_rest(Unstructured::new(&data[..length]));
        text((values, unstructured.len(), last, T::size_hint(0)))
    };
    [0, 1, 31, 32, 33, 48, 100, 2048, 131_072, 140_000].map(of_length).into()
}

/// Defines a module with a function for each part of the API, which returns the texts of its results from one crate.
macro_rules! answers {
    ($name:ident, $library:ident) => {
        mod $name {
            use super::*;
            use $library::*;

            pub(super) fn of_bytes() -> Vec<String> {
                let mut all = Vec::new();
                let lists: [&[u8]; 6] = [&[], &[1; 31], &[2; 32], &[3; 48], &[4; 49], &[5; 2048]];
                for list in lists {
                    all.push(text(Bytes32::from_bytes(list)));
                    all.push(text(Bytes48::from_bytes(list)));
                    all.push(text(Cell::from_bytes(list)));
                    all.push(text(Blob::from_bytes(list).map(|blob| blob[0])));
                    all.push(text(KzgProof::from_bytes(list)));
                    all.push(text(KzgCommitment::from_bytes(list)));
                }
                for digits in [
                    "",
                    "0x",
                    "0x0",
                    "12",
                    &"ab".repeat(32),
                    &format!("0x{}", "CD".repeat(48)),
                    "0xzz",
                    "0Xab",
                ] {
                    all.push(text(Bytes32::from_hex(digits)));
                    all.push(text(Bytes48::from_hex(digits)));
                    all.push(text(Cell::from_hex(digits).map(|cell| cell.to_bytes())));
                    all.push(text(Blob::from_hex(digits).map(|blob| blob.into_inner()[0])));
                    if let Err(error) = Bytes32::from_hex(digits) {
                        all.push(error.to_string());
                    }
                }
                all.push(text((
                    Bytes32::default(),
                    Bytes48::default(),
                    KzgProof::default(),
                    KzgCommitment::default(),
                )));
                let proof = KzgProof::from([9; 48]);
                all.push(text((proof.to_bytes(), proof.as_hex_string(), proof[47], *proof)));
                let commitment = KzgCommitment::from([8; 48]);
                all.push(text((commitment.to_bytes(), commitment.as_hex_string(), commitment[0])));
                let mut point = Bytes48::new([1; 48]);
                point[3] = 7;
                all.push(text((point, point.into_inner(), *point.as_ref(), Bytes32::new([2; 32]).as_ref())));
                let sizes =
                    [size_of::<Blob>(), size_of::<Bytes32>(), size_of::<Bytes48>(), size_of::<Cell>()];
                let aligns = [align_of::<Blob>(), align_of::<Cell>(), align_of::<KzgCommitment>()];
                let lengths = [BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT];
                let counts = [CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL];
                all.push(text((sizes, size_of::<KzgProof>(), aligns, lengths, BYTES_PER_PROOF, counts)));
                all.push(text([CkzgError::C_KZG_OK, CkzgError::C_KZG_BADARGS, CkzgError::C_KZG_ERROR]));
                all.push(Error::CError(CkzgError::C_KZG_MALLOC).to_string());
                all
            }

            /// The verdict on one blob.
            pub(super) fn of_one_blob(settings: &KzgSettings, call: &Call) -> Result<String, Error> {
                let [blob, commitment, proof] = [0, 1, 2].map(|input| &call.inputs[input][0][..]);
                let (commitment, proof) = (Bytes48::from_bytes(commitment)?, Bytes48::from_bytes(proof)?);
                Ok(text(settings.verify_blob_kzg_proof(&Blob::from_bytes(blob)?, &commitment, &proof)))
            }

            /// Texts of setups that are refused; how, and not with which words, is compared.
            pub(super) fn of_setups(text_of_mainnet: &str, folder: &Path) -> Vec<String> {
                let mut all = Vec::new();
                let head = |length| text_of_mainnet.chars().take(length).collect::<String>();
                let changed = |from: &str, to: &str| text_of_mainnet.replacen(from, to, 1);
                let line = text_of_mainnet.lines().nth(5).unwrap();
                for setup in [
                    String::new(),
                    "x".into(),
                    "4096".into(),
                    "4096\n64\n".into(),
                    "4096\n65\n".into(),
                    "4096\n65\nzz".into(),
                    text_of_mainnet.lines().take(1000).map(|line| format!("{line}\n")).collect(),
                    text_of_mainnet.to_owned() + "12\n",
                    changed(line, &format!("x{}", &line[1..])),
                    changed(line, &format!("8{}", "0".repeat(95))),
                ] {
                    all.push(class(KzgSettings::parse_kzg_trusted_setup(&setup, 0)));
                }
                all.push(class(KzgSettings::parse_kzg_trusted_setup(text_of_mainnet, 0)));
                all.push(class(KzgSettings::parse_kzg_trusted_setup(text_of_mainnet, 16)));
                all.push(class(KzgSettings::load_trusted_setup(&[], &[], &[], 0)));
                all.push(class(KzgSettings::load_trusted_setup(&[1; 196_608], &[2; 196_608], &[3; 6240], 0)));
                all.push(class(KzgSettings::load_trusted_setup_file(&folder.join("nothing"), 0)));
                all.push(class(KzgSettings::load_trusted_setup_file(folder, 0)));
                let file = folder.join("setup");
                std::fs::write(&file, text_of_mainnet).unwrap();
                all.push(class(KzgSettings::load_trusted_setup_file(&file, 0)));
                all.push(class(KzgSettings::load_trusted_setup_file(&file, 16)));
                let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
                all.push(class(KzgSettings::load_trusted_setup_file_inner(&path, 2)));
                for contents in [
                    head(5000),
                    text_of_mainnet.to_owned() + "12\n",
                    text_of_mainnet.to_owned() + "# a comment",
                    text_of_mainnet.replace('\n', " ") + "\0\n",
                    changed(line, &format!("8{}", "0".repeat(95))) + "12\n",
                ] {
                    std::fs::write(&file, contents).unwrap();
                    all.push(class(KzgSettings::load_trusted_setup_file(&file, 0)));
                }
                all
            }

            #[cfg(feature = "serde")]
            pub(super) fn of_serde() -> Vec<String> {
                let all = [
                    serde_of(&Bytes32::new([0xab; 32]), 32),
                    serde_of(&Bytes48::new([0xab; 48]), 48),
                    serde_of(&Blob::new([0xab; BYTES_PER_BLOB]), BYTES_PER_BLOB),
                ];
                all.concat()
            }

            #[cfg(feature = "arbitrary")]
            pub(super) fn of_arbitrary() -> Vec<String> {
                let all = [
                    arbitrary_of::<Bytes32>,
                    arbitrary_of::<Bytes48>,
                    arbitrary_of::<Cell>,
                    arbitrary_of::<Blob>,
                ];
                all.map(|of_type| of_type()).concat()
            }

            /// What a panic in another thread leaves usable, by the compiler.
            const _: fn() = || {
                fn unwind_safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
                unwind_safe::<KzgSettings>();
                unwind_safe::<(Blob, Bytes32, Bytes48, Cell, KzgCommitment, KzgProof, Error)>();
            };

            fn class(result: Result<KzgSettings, Error>) -> String {
                match result {
                    Ok(_) => "taken".to_owned(),
                    Err(Error::InvalidTrustedSetup(_)) => "invalid".to_owned(),
                    Err(other) => format!("{other:?}, {other}"),
                }
            }
        }
    };
}

answers!(ours, c_kzg);
answers!(theirs, original);

#[test]
fn types_behave_alike() {
    same(&ours::of_bytes(), &theirs::of_bytes());
}

#[test]
fn missing_memory_is_an_error_of_its_own() {
    use parcrypt_kzg::{ArithmeticError as Why, Error};
    for why in [Why::Memory { scale: 1, bytes: 1 }, Why::Allocation { bytes: 1 }] {
        assert_eq!(c_kzg::CkzgError::from(Error::Arithmetic(why)), c_kzg::CkzgError::C_KZG_MALLOC);
    }
}

parcrypt_oracles::c_kzg_adaptor!(Ours, c_kzg);

#[test]
fn all_functions_have_the_same_results_and_errors() {
    let settings = c_kzg::ethereum_kzg_settings_arc(0);
    for (how, call) in Call::blobs(&SAMPLES[..1]).spoiled(&mut rng(), 0) {
        if call.inputs.iter().all(|list| list.len() == 1) {
            let theirs = theirs::of_one_blob(&MAINNET.c_kzg.0, &call);
            assert_eq!(text(ours::of_one_blob(&settings, &call)), text(theirs), "one blob, {how}");
        }
    }
    // c-kzg takes cells of no blob, which rust_eth_kzg refuses too.
    compare(&Ours(settings), &MAINNET.c_kzg, |call, ours, theirs| {
        let of_no_blob = || call.function == Function::Recover && call.ask(&MAINNET.eth_kzg).is_refused();
        ours == theirs
            || *ours == Answer::Refused("CError(C_KZG_BADARGS)".into())
                && matches!(theirs, Answer::Value(_))
                && of_no_blob()
    });
}

#[test]
fn setups_are_taken_and_refused_alike() {
    let text = setup_text(&points_of(MAINNET.ours.settings()));
    let folder = tempfile::tempdir().unwrap();
    // c-kzg does not check that all points have one secret.
    let line = text.lines().nth(5).unwrap();
    let forged = text.replacen(line, &format!("c{}", "0".repeat(95)), 1);
    assert!(original::KzgSettings::parse_kzg_trusted_setup(&forged, 0).is_ok());
    let refused = c_kzg::KzgSettings::parse_kzg_trusted_setup(&forged, 0);
    assert!(matches!(refused, Err(c_kzg::Error::InvalidTrustedSetup(_))), "{refused:?}");
    same(&ours::of_setups(&text, folder.path()), &theirs::of_setups(&text, folder.path()));
}

#[test]
fn settings_are_shared_and_equal_if_their_setups_are() {
    let settings = c_kzg::ethereum_kzg_settings_arc(2);
    assert!(std::ptr::eq(&*settings, c_kzg::ethereum_kzg_settings(2)));
    assert_eq!(&*settings, c_kzg::ethereum_kzg_settings(0));
    assert!(text(&settings).contains("from a ceremony"), "{settings:?}");
    for precompute in [16, u64::MAX] {
        assert!(std::panic::catch_unwind(|| c_kzg::ethereum_kzg_settings(precompute)).is_err());
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_has_the_same_text() {
    same(&ours::of_serde(), &theirs::of_serde());
}

#[cfg(feature = "arbitrary")]
#[test]
fn arbitrary_takes_the_same_bytes() {
    same(&ours::of_arbitrary(), &theirs::of_arbitrary());
}

#[cfg(feature = "threads")]
#[test]
fn threads_change_no_result() {
    let two = std::num::NonZeroUsize::new(2).unwrap();
    let (one, other) = (c_kzg::ethereum_kzg_settings(0), c_kzg::ethereum_kzg_settings(1));
    assert!(other.use_threads(two));
    assert!(!other.use_threads(two), "once");
    let blob = c_kzg::Blob::from_bytes(&SAMPLES[0].blob).unwrap();
    let results = |settings: &c_kzg::KzgSettings| text(settings.compute_cells_and_kzg_proofs(&blob));
    assert_eq!(results(one), results(other));
}

/// Checks a difference that the README names: c-kzg takes cells that do not lie on one polynomial, and returns others.
#[test]
fn inconsistent_cells_are_refused() {
    let ours = Ours(c_kzg::ethereum_kzg_settings_arc(0));
    // One cell more than is needed, and a wrong one among them.
    let good = Call::recovery(&SAMPLES[0], 0..65);
    let mut wrong = good.clone();
    wrong.inputs[1].swap(40, 41);
    assert_eq!(wrong.ask(&ours), Answer::Refused("CError(C_KZG_BADARGS)".into()));
    let (right, found) = (good.ask(&ours), wrong.ask(&MAINNET.c_kzg));
    assert_eq!(right, good.ask(&MAINNET.c_kzg));
    assert!(matches!((right, found), (Answer::Value(right), Answer::Value(found)) if right != found));
}
