use std::collections::BTreeSet;
use std::sync::Mutex;

use parcrypt_bls12_381::faults;
use parcrypt_runtime::Serial;

use super::*;
use crate::{BYTES_PER_BLOB, BYTES_PER_CELL};

/// Returns mainnet's settings with a shadow of one call in `n`, and the differences that it finds.
fn shadowed(n: u32) -> (Settings, Arc<Mutex<Vec<Difference>>>) {
    let found = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&found);
    let shadow = one_in(n).on_difference(move |difference| to.lock().unwrap().push(difference.clone()));
    (Settings::mainnet(Request::Auto).unwrap().with_shadow(shadow).unwrap(), found)
}

fn one_in(n: u32) -> Shadow {
    Shadow::one_in(NonZeroU32::new(n).unwrap())
}

/// Whether these are the settings of the first answer.
fn is_first(settings: &Settings) -> bool {
    settings.shadow.is_some()
}

#[test]
fn of_every_n_calls_one_is_checked() {
    for n in [1, 2, 3, 7, 64] {
        let (settings, _) = shadowed(n);
        for window in 1..50 {
            for _ in 0..n {
                settings.shadowed(&Serial, "test", Inputs::of(&[]), |_, _, _| true);
            }
            let counts = settings.shadow_counts().unwrap();
            let expected =
                ShadowCounts { calls: window * u64::from(n), checked: window, different: 0, skipped: 0 };
            assert_eq!(counts, expected);
        }
    }
}

/// A program that repeats 8 calls: a fixed place among 1000 calls would check one or two of them only.
#[test]
fn places_follow_no_period() {
    for seed in [0, 1, u64::MAX] {
        let checked: BTreeSet<u64> =
            (0..100).map(|window| (window * 1000 + place(seed, window, 1000)) % 8).collect();
        assert_eq!(checked.len(), 8, "seed {seed}");
    }
    let places: BTreeSet<u64> = (0..100).map(|seed| place(seed, 0, 1000)).collect();
    assert!(places.len() > 80, "two processes check the same calls: {places:?}");
}

#[test]
fn two_settings_start_at_different_places() {
    let seeds: BTreeSet<u64> = (0..4).map(|_| shadowed(2).0.shadow.as_ref().unwrap().seed).collect();
    assert_eq!(seeds.len(), 4);
}

/// Each kind of answer, with the smallest difference that it can have.
#[test]
fn every_difference_is_reported() {
    fn compare<T: Answer>(compute: Compute<T>, answer: Kind, second: Kind) {
        let (settings, found) = shadowed(1);
        settings.shadowed(&Serial, "test", Inputs::of(&[]), compute);
        let counts = settings.shadow_counts().unwrap();
        assert_eq!(counts, ShadowCounts { calls: 1, checked: 1, different: 1, skipped: 0 });
        let found = found.lock().unwrap();
        let [difference] = &found[..] else { panic!("{found:?}") };
        assert_eq!((difference.answer.kind, difference.second.kind), (answer, second));
        assert_ne!(difference.answer, difference.second);
    }
    type Results<T> = Result<T, Error>;
    compare(|_, s, _| is_first(s), Kind::Valid, Kind::Invalid);
    compare(|_, s, _| Results::Ok(!is_first(s)), Kind::Invalid, Kind::Valid);
    compare(|_, s, _| [u8::from(is_first(s)); 48], Kind::Value, Kind::Value);
    compare(
        |_, s, _| if is_first(s) { Ok(true) } else { Err(Error::Inconsistent) },
        Kind::Valid,
        Kind::Error,
    );
    compare(
        |_, s, _| Results::<bool>::Err(Error::TooFewCells { got: is_first(s).into() }),
        Kind::Error,
        Kind::Error,
    );
    compare(|_, s, _| vec![[0; 32]; 1 + usize::from(is_first(s))], Kind::Value, Kind::Value);
    compare(|_, s, _| (true, [u8::from(is_first(s))]), Kind::Value, Kind::Value);
    compare(
        |_, s, _| vec![Ok([0; 48]), if is_first(s) { Ok([0; 48]) } else { Err(Error::Inconsistent) }],
        Kind::Value,
        Kind::Value,
    );
    compare(
        |_, s, _| CellsAndProofs { cells: vec![], proofs: vec![[u8::from(is_first(s)); 48]] },
        Kind::Value,
        Kind::Value,
    );
    compare(
        |_, s, _| CellsAndProofs { cells: vec![[u8::from(is_first(s)); BYTES_PER_CELL]], proofs: vec![] },
        Kind::Value,
        Kind::Value,
    );
    compare(|_, s, _| is_first(s) || panic!("the second computation panics"), Kind::Valid, Kind::Panicked);
}

#[test]
fn a_report_has_lengths_and_digests_and_no_bytes() {
    let (settings, found) = shadowed(1);
    let (long, short) = ([0xab; 100], [0xcd; 3]);
    let inputs = Inputs { bytes: &[&[&long, &long, &short], &[&short]], indices: &[&[7, 8]] };
    settings.shadowed(&Serial, "verify", inputs, |_, s, _| is_first(s));
    let difference = found.lock().unwrap()[0].clone();
    assert_eq!(difference.lengths, [vec![(2, 100), (1, 3)], vec![(1, 3)], vec![(2, 8)]]);
    assert_eq!(difference.setup, settings.digest());
    assert_eq!(difference.backends, settings.backends());
    assert_eq!(
        difference.second_backends,
        Settings::mainnet(Request::Baseline).unwrap().backends(),
        "the second opinion is of other functions"
    );
    let mut hash = Sha256::new();
    for item in [&long[..], &long, &short, &short, &7u64.to_le_bytes(), &8u64.to_le_bytes()] {
        hash.update((item.len() as u64).to_le_bytes());
        hash.update(item);
    }
    assert_eq!(difference.inputs[..], hash.finalize()[..]);
    let report = difference.to_string();
    assert!(report.contains("two answers of verify differ"), "{report}");
    assert!(report.contains("inputs: [2 x 100, 1 x 3] [1 x 3] [2 x 8] bytes"), "{report}");
    assert!(report.contains("answer: Valid") && report.contains("second: Invalid"), "{report}");
    assert!(!report.contains("abababab") && !report.contains("cdcdcd"), "{report}");
}

#[test]
fn texts_that_are_no_shadow_are_refused() {
    for (text, n) in [("1/1000", 1000), ("1/1", 1), ("1/4294967295,log", u32::MAX), ("1/7,abort", 7)] {
        assert_eq!(Shadow::from_str(text).unwrap().one_in.get(), n);
    }
    for share in ["", "1000", "2/3", "1/0", "1/", "1/+5", "1/-5", "1/4294967296", " 1/5", "1/5 ", "0.001"] {
        for text in [share.to_owned(), format!("{share},log")] {
            let error = ParseShadowError::Share { share: share.to_owned() };
            assert_eq!(Shadow::from_str(&text).err(), Some(error), "{text}");
        }
    }
    for word in ["", "Log", "panic", "log,log"] {
        let error = ParseShadowError::Word { word: word.to_owned() };
        assert_eq!(Shadow::from_str(&format!("1/5,{word}")).err(), Some(error));
    }
}

/// Every function with settings goes through the shadow, and its answers are the same.
#[test]
fn every_function_is_checked() {
    let (settings, found) = shadowed(1);
    let mut calls = 0;
    let mut count = |calls_of_function: u64| {
        calls += calls_of_function;
        let counts = settings.shadow_counts().unwrap();
        let expected = ShadowCounts { calls, checked: calls, different: 0, skipped: 0 };
        assert_eq!(counts, expected, "{:?}", found.lock().unwrap());
    };
    let mut blob = vec![0; BYTES_PER_BLOB];
    (blob[31], blob[4000], blob[BYTES_PER_BLOB - 1]) = (7, 8, 9);
    let invalid = vec![0xff; BYTES_PER_BLOB];
    let rt = &Serial;
    let commitment = crate::blob_to_kzg_commitment(rt, &settings, &blob).unwrap();
    count(1);
    assert!(crate::blob_to_kzg_commitment(rt, &settings, &invalid).is_err());
    count(1);
    let many = crate::blob_to_kzg_commitment_many(rt, &settings, &[&blob, &invalid, &blob]);
    assert_eq!((&many[0], &many[2], many[1].is_err()), (&Ok(commitment), &Ok(commitment), true));
    count(1);
    let z = [1; 32];
    let (proof, y) = crate::compute_kzg_proof(rt, &settings, &blob, &z).unwrap();
    count(1);
    for (y, valid) in [(y, true), (z, false)] {
        assert_eq!(crate::verify_kzg_proof(rt, &settings, &commitment, &z, &y, &proof), Ok(valid));
        count(1);
        let [commitments, proofs] = [[&commitment[..]; 2], [&proof[..]; 2]];
        let [zs, ys] = [[&z[..]; 2], [&y[..]; 2]];
        let verdict = crate::verify_kzg_proof_batch(rt, &settings, &commitments, &zs, &ys, &proofs);
        assert_eq!(verdict, Ok(valid));
        count(1);
        let which = crate::verify_kzg_proof_batch_which(rt, &settings, &commitments, &zs, &ys, &proofs);
        assert_eq!(which.map(|wrong| wrong.len()), Ok(if valid { 0 } else { 2 }));
        count(1);
    }
    let proof = crate::compute_blob_kzg_proof(rt, &settings, &blob, &commitment).unwrap();
    count(1);
    let many = crate::compute_blob_kzg_proof_many(rt, &settings, &[&blob, &blob], &[&commitment, &z]);
    assert_eq!((&many.as_ref().unwrap()[0], many.as_ref().unwrap()[1].is_err()), (&Ok(proof), true));
    count(1);
    for (proof, valid) in [(proof, true), (commitment, false)] {
        assert_eq!(crate::verify_blob_kzg_proof(rt, &settings, &blob, &commitment, &proof), Ok(valid));
        count(1);
        let (blobs, proofs) = ([&blob[..], &blob], [&proof[..], &proof]);
        let verdict =
            crate::verify_blob_kzg_proof_batch(rt, &settings, &blobs, &[&commitment[..]; 2], &proofs);
        assert_eq!(verdict, Ok(valid));
        count(1);
        let which =
            crate::verify_blob_kzg_proof_batch_which(rt, &settings, &blobs, &[&commitment[..]; 2], &proofs);
        assert_eq!(which.map(|wrong| wrong.len()), Ok(if valid { 0 } else { 2 }));
        count(1);
    }
    let cells = crate::compute_cells(rt, &settings, &blob).unwrap();
    count(1);
    assert_eq!(crate::compute_cells_many(rt, &settings, &[&blob, &z])[0].as_ref(), Ok(&cells));
    count(1);
    let both = crate::compute_cells_and_kzg_proofs(rt, &settings, &blob).unwrap();
    count(1);
    assert_eq!(crate::compute_cells_and_kzg_proofs_many(rt, &settings, &[&blob])[0].as_ref(), Ok(&both));
    count(1);
    let all: Vec<&[u8]> = both.cells.iter().map(|cell| &cell[..]).collect();
    let indices: Vec<u64> = (64..128).collect();
    let samples = [crate::Samples { cell_indices: &indices, cells: &all[64..] }];
    assert_eq!(crate::recover_cells(rt, &settings, &indices, &all[64..]).as_ref(), Ok(&cells));
    count(1);
    assert_eq!(crate::recover_cells_many(rt, &settings, &samples)[0].as_ref(), Ok(&cells));
    count(1);
    let recovered = crate::recover_cells_and_kzg_proofs(rt, &settings, &indices, &all[64..]);
    assert_eq!(recovered.as_ref(), Ok(&both));
    count(1);
    assert_eq!(crate::recover_cells_and_kzg_proofs_many(rt, &settings, &samples)[0].as_ref(), Ok(&both));
    count(1);
    // Some of the cells.
    let wanted = [3, 70];
    let (some, some_proofs) = (vec![cells[3], cells[70]], vec![both.proofs[3], both.proofs[70]]);
    let with_proofs = CellsAndProofs { cells: some.clone(), proofs: some_proofs.clone() };
    assert!(crate::compute_cells_subset_many(rt, &settings, &[&blob], &[3, 3]).is_err());
    let many = crate::compute_cells_subset_many(rt, &settings, &[&blob], &wanted);
    assert_eq!(many, Ok(vec![Ok(some.clone())]));
    let found = crate::compute_cells_and_kzg_proofs_subset(rt, &settings, &blob, &wanted);
    assert_eq!(found.as_ref(), Ok(&with_proofs));
    let found = crate::compute_cell_kzg_proofs_subset(rt, &settings, &blob, &wanted);
    assert_eq!(found.as_ref(), Ok(&some_proofs));
    let many = crate::recover_cells_subset_many(rt, &settings, &samples, &wanted);
    assert_eq!(many, Ok(vec![Ok(some.clone())]));
    count(5);
    let proofs: Vec<&[u8]> = both.proofs[64..].iter().map(|proof| &proof[..]).collect();
    for (cells, valid) in [(&all[64..], true), (&all[..64], false)] {
        let commitments = [&commitment[..]; 64];
        let verdict =
            crate::verify_cell_kzg_proof_batch(rt, &settings, &commitments, &indices, cells, &proofs);
        assert_eq!(verdict, Ok(valid));
        count(1);
        let which =
            crate::verify_cell_kzg_proof_batch_which(rt, &settings, &commitments, &indices, cells, &proofs);
        assert_eq!(which.map(|wrong| wrong.len()), Ok(if valid { 0 } else { 64 }));
        count(1);
        let verifier = crate::CellVerifier::new(rt, &settings, &[&commitment]).unwrap();
        for ((cell_index, cell), proof) in indices.iter().zip(cells).zip(&proofs).take(2) {
            let claim = crate::CellClaim { commitment_index: 0, cell_index: *cell_index, cell, proof };
            verifier.add(&[claim]).unwrap();
        }
        let before = settings.shadow_counts().unwrap().calls;
        let verdict = verifier.verify(rt, &settings).unwrap();
        assert_eq!((verdict.verified.len(), verdict.wrong.len()), if valid { (2, 0) } else { (0, 2) });
        // As many as there are columns, or one for all.
        let pieces = settings.shadow_counts().unwrap().calls - before;
        assert!(matches!(pieces, 1 | 2), "{pieces}");
        count(pieces);
    }
}

/// The test runs itself in another process, whose call differs. An emulator would have to run that process too.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn by_default_the_process_is_aborted() {
    const CHILD: &str = "PARCRYPT_SHADOW_TEST";
    if let Ok(text) = std::env::var(CHILD) {
        let shadow = Shadow::from_str(&text).unwrap();
        let settings = Settings::mainnet(Request::Auto).unwrap().with_shadow(shadow).unwrap();
        settings.shadowed(&Serial, "planted", Inputs::of(&[]), |_, s, _| is_first(s));
        println!("the call returned");
        return;
    }
    for (text, goes_on) in [("1/1", false), ("1/1,abort", false), ("1/1,log", true)] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "shadow::tests::by_default_the_process_is_aborted"])
            .env(CHILD, text)
            .output()
            .unwrap();
        let [out, log] = [&child.stdout, &child.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(log.contains("two answers of planted differ"), "{text}: {log}");
        assert_eq!((out.contains("the call returned"), child.status.success()), (goes_on, goes_on), "{text}");
        assert!(goes_on || child.status.code().is_none(), "{text}: ended by a signal");
    }
}

/// Faults that are planted into the vector code of a table while the settings are made and used.
struct Planted;

impl Planted {
    fn new(table: Option<&'static str>) -> Self {
        faults::plant(table);
        Planted
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        faults::plant(None);
        faults::set_every(0);
    }
}

/// A call, by its name.
type Calls<'a> = Vec<(&'static str, Box<dyn Fn(&Settings) -> String + 'a>)>;

/// Returns calls that use every table, whose answers can be compared as text.
fn calls<'a>(blob: &'a [u8], right: &'a Settings) -> Calls<'a> {
    let rt = &Serial;
    let commitment = crate::blob_to_kzg_commitment(rt, right, blob).unwrap();
    let proof = crate::compute_blob_kzg_proof(rt, right, blob, &commitment).unwrap();
    let both = crate::compute_cells_and_kzg_proofs(rt, right, blob).unwrap();
    let cells = both.cells.clone();
    let indices: Vec<u64> = (0..128).collect();
    vec![
        ("commitment", Box::new(move |s| format!("{:?}", crate::blob_to_kzg_commitment(rt, s, blob)))),
        ("cells", Box::new(move |s| format!("{:?}", crate::compute_cells(rt, s, blob)))),
        (
            "recovery",
            Box::new(move |s| {
                let half: Vec<&[u8]> = cells[64..].iter().map(|cell| &cell[..]).collect();
                let indices: Vec<u64> = (64..128).collect();
                format!("{:?}", crate::recover_cells(rt, s, &indices, &half))
            }),
        ),
        (
            "blobs",
            Box::new(move |s| {
                // As many as are hashed at once.
                let verdict = crate::verify_blob_kzg_proof_batch(
                    rt,
                    s,
                    &[blob; 2],
                    &[&commitment[..]; 2],
                    &[&proof[..]; 2],
                );
                format!("{verdict:?}")
            }),
        ),
        (
            "batch",
            Box::new(move |s| {
                let cells: Vec<&[u8]> = both.cells.iter().map(|cell| &cell[..]).collect();
                let proofs: Vec<&[u8]> = both.proofs.iter().map(|proof| &proof[..]).collect();
                let commitments = [&commitment[..]; 128];
                let verdict =
                    crate::verify_cell_kzg_proof_batch(rt, s, &commitments, &indices, &cells, &proofs);
                format!("{verdict:?}")
            }),
        ),
    ]
}

/// Plants faults into the vector code of each row of each table that this machine can run, at several rates. With a
/// shadow of every call each wrong answer is reported, and nothing else; with one of n calls a permanent fault is
/// reported within 2n − 1 calls.
#[test]
fn faults_in_each_vector_row_are_reported() {
    let right = Settings::mainnet(Request::Baseline).unwrap();
    let mut blob = vec![0; BYTES_PER_BLOB];
    blob.iter_mut()
        .enumerate()
        .for_each(|(i, byte)| *byte = if i % 32 == 0 { 0 } else { ((i * i) >> 3) as u8 });
    let calls = calls(&blob, &right);
    let expected: Vec<String> = calls.iter().map(|(_, call)| call(&right)).collect();
    for (table, backends) in crate::TABLES {
        for backend in &backends[1..] {
            let request: Requests = [(table, *backend)].into_iter().collect();
            let planted = Planted::new(Some(table));
            let Ok(settings) = Settings::mainnet(request) else {
                parcrypt_testkit::skip("parcrypt-kzg", backend.name(), "this machine cannot run it");
                continue;
            };
            let mut wrong = 0;
            let found = Arc::new(AtomicU64::new(0));
            for every in [1, 7] {
                let count = Arc::clone(&found);
                let shadow = one_in(1).on_difference(move |_| _ = count.fetch_add(1, Relaxed));
                let settings = settings.clone().with_shadow(shadow).unwrap();
                for ((name, call), expected) in calls.iter().zip(&expected) {
                    faults::set_every(every);
                    let is_wrong = call(&settings) != *expected;
                    faults::set_every(0);
                    wrong += u64::from(is_wrong);
                    let reported = found.load(Relaxed);
                    assert_eq!(reported, wrong, "{table}={backend}, each {every}th call, {name}");
                }
            }
            assert!(wrong > 0, "{table}={backend}: no answer was wrong");
            // One of n calls, for a call that is always wrong.
            faults::set_every(1);
            let is_wrong = |i: &usize| calls[*i].1(&settings) != expected[*i];
            let always = (0..calls.len()).find(is_wrong).expect("some call is always wrong");
            let n = 4;
            let count = Arc::clone(&found);
            let shadow = one_in(n).on_difference(move |_| _ = count.fetch_add(1, Relaxed));
            let settings = settings.clone().with_shadow(shadow).unwrap();
            let before = found.load(Relaxed);
            let needed = (1..2 * n).find(|_| {
                calls[always].1(&settings);
                found.load(Relaxed) > before
            });
            assert!(
                needed.is_some(),
                "{table}={backend}: {} is wrong, and no call was reported",
                calls[always].0
            );
            drop(planted);
        }
    }
}

/// The test runs itself in other processes, with the variables of each.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn settings_from_the_environment() {
    const CHILD: &str = "PARCRYPT_SHADOW_CHILD";
    if std::env::var_os(CHILD).is_some() {
        match Settings::from_environment(Settings::mainnet) {
            Ok(settings) => {
                let rows = settings.backends().map(|(table, row)| format!("{table}={row}")).join(",");
                println!("rows {rows}; shadow {}", settings.shadow_counts().is_some());
            }
            Err(error) => println!("error {error}"),
        }
        return;
    }
    let best = Settings::mainnet(Request::Auto).unwrap().backends();
    let best = best.map(|(table, row)| format!("{table}={row}")).join(",");
    let baseline = "rows fp=blst,fr=blst,pairing=blst,sha256=sha2; shadow false";
    let cases = [
        ("", "", format!("rows {best}; shadow false")),
        ("ghash=portable", "1/1000", format!("rows {best}; shadow true")),
        ("blst", "", baseline.to_owned()),
        ("baseline", "", baseline.to_owned()),
        ("blst", "1/5,log", baseline.replace("false", "true")),
        ("sse9", "", "error PARCRYPT_BACKEND: unknown backend 'sse9'".to_owned()),
        ("g1=blst", "", "error PARCRYPT_BACKEND: unknown table 'g1'".to_owned()),
        ("", "1000", "error PARCRYPT_SHADOW: share '1000': it must be 1/N".to_owned()),
        ("", "1/5,stop", "error PARCRYPT_SHADOW: 'stop' is unknown".to_owned()),
    ];
    for (backend, shadow, expected) in cases {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "shadow::tests::settings_from_the_environment"])
            .envs([(CHILD, "1"), ("PARCRYPT_BACKEND", backend), ("PARCRYPT_SHADOW", shadow)])
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&child.stdout);
        assert!(out.contains(&expected), "{backend}, {shadow}: {out}");
    }
}

/// A library with an answer for each name of a function.
struct Other;

impl SecondLibrary for Other {
    fn name(&self) -> &'static str {
        "other 1.2"
    }

    fn answer(&self, function: &str, inputs: Inputs<'_>) -> Option<SecondAnswer> {
        assert_eq!(inputs.one(0), [4]);
        Some(match function {
            "point" => SecondAnswer::Point([1; 48]),
            "opening" => SecondAnswer::Opening([1; 48], [2; 32]),
            "cells" => SecondAnswer::Cells(vec![[3; BYTES_PER_CELL]; 2]),
            "both" => SecondAnswer::CellsAndProofs(CellsAndProofs { cells: vec![], proofs: vec![[1; 48]] }),
            "verdict" => SecondAnswer::Verdict(true),
            "error" => SecondAnswer::Error,
            "panic" => panic!("the library panics"),
            _ => return None,
        })
    }
}

#[test]
fn answers_of_another_library_are_compared() {
    let (settings, found) = shadowed(1);
    let settings = settings.with_second_library(Arc::new(Other)).unwrap();
    let count = |function, same: bool| {
        let mut found = found.lock().unwrap();
        let libraries: Vec<_> = found.drain(..).map(|difference| difference.second_library).collect();
        assert_eq!(libraries, if same { vec![] } else { vec![Some("other 1.2")] }, "{function}");
    };
    fn ask<T: Answer>(settings: &Settings, function: &'static str, compute: Compute<T>) {
        settings.shadowed(&Serial, function, Inputs::of(&[&[&[4]]]), compute);
    }
    for function in ["point", "opening", "cells", "both", "verdict", "error"] {
        ask(&settings, function, |_, _, _| Ok([1; 48]));
        count(function, function == "point");
        ask(&settings, function, |_, _, _| Ok(([1; 48], [2; 32])));
        count(function, function == "opening");
        ask(&settings, function, |_, _, _| Ok(vec![[3; BYTES_PER_CELL]; 2]));
        count(function, function == "cells");
        ask(&settings, function, |_, _, _| Ok(CellsAndProofs { cells: vec![], proofs: vec![[1; 48]] }));
        count(function, function == "both");
        ask(&settings, function, |_, _, _| Ok(true));
        count(function, function == "verdict");
        ask(&settings, function, |_, _, _| Ok(false));
        count(function, false);
        ask(&settings, function, |_, _, _| Err::<bool, _>(Error::Inconsistent));
        count(function, function == "error");
    }
    ask(&settings, "panic", |_, _, _| Ok(true));
    count("panic", false);
    ask(&settings, "unknown", |_, _, _| Ok(true));
    count("unknown", true);
    let counts = settings.shadow_counts().unwrap();
    assert_eq!((counts.calls, counts.checked, counts.skipped), (44, 43, 1));
}
