//! What a shadow finds: differences of made-up implementations, and faults that are planted into vector code.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use parcrypt_bls12_381::faults;
use parcrypt_kzg::{ArithmeticError, Error, Request, Requests, Settings, TABLES};
use parcrypt_oracles::{Answer, Call, Kind as InputKind, SAMPLES, good_calls, hex};
use parcrypt_sha256::Sha256;
use parcrypt_shadow::{
    Cell, CellsAndProofs, Commitment, Difference, FieldBytes, Kind, Kzg, OnDifference, Parcrypt, Proof,
    Shadow,
};
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rng;

/// Answers of one number: 0, 1 and 2 differ, 0 and 2 only in the second part of an answer, if there is one. 3 panics.
struct Fake<E>(Result<u8, E>);

impl<E: Clone> Fake<E> {
    fn part<const N: usize>(&self, part: u8) -> Result<[u8; N], E> {
        let number = self.0.clone()?;
        assert!(number < 3, "the computation panics");
        Ok([number & part; N])
    }

    fn both(&self) -> Result<CellsAndProofs, E> {
        Ok(CellsAndProofs { cells: vec![self.part(1)?], proofs: vec![self.part(2)?] })
    }

    fn verdict(&self) -> Result<bool, E> {
        Ok(self.part::<1>(1)? == [1])
    }
}

impl<E: Clone + std::fmt::Debug + Send + Sync + 'static> Kzg for Fake<E> {
    type Error = E;
    fn name(&self) -> String {
        format!("fake {:?}", self.0)
    }
    fn blob_to_kzg_commitment(&self, _: &[u8]) -> Result<Commitment, E> {
        self.part(1)
    }
    fn compute_kzg_proof(&self, _: &[u8], _: &[u8]) -> Result<(Proof, FieldBytes), E> {
        Ok((self.part(1)?, self.part(2)?))
    }
    fn compute_blob_kzg_proof(&self, _: &[u8], _: &[u8]) -> Result<Proof, E> {
        self.part(1)
    }
    fn verify_kzg_proof(&self, _: &[u8], _: &[u8], _: &[u8], _: &[u8]) -> Result<bool, E> {
        self.verdict()
    }
    fn verify_blob_kzg_proof_batch(&self, _: &[&[u8]], _: &[&[u8]], _: &[&[u8]]) -> Result<bool, E> {
        self.verdict()
    }
    fn compute_cells(&self, _: &[u8]) -> Result<Vec<Cell>, E> {
        Ok(vec![self.part(1)?])
    }
    fn compute_cells_and_kzg_proofs(&self, _: &[u8]) -> Result<CellsAndProofs, E> {
        self.both()
    }
    fn recover_cells_and_kzg_proofs(&self, _: &[u64], _: &[&[u8]]) -> Result<CellsAndProofs, E> {
        self.both()
    }
    fn verify_cell_kzg_proof_batch(
        &self,
        _: &[&[u8]],
        _: &[u64],
        _: &[&[u8]],
        _: &[&[u8]],
    ) -> Result<bool, E> {
        self.verdict()
    }
}

/// Returns a shadow of one call in `n`, and the differences that it finds.
fn shadow<A: Kzg, B: Kzg>(first: A, second: B, n: u32) -> (Shadow<A, B>, Arc<Mutex<Vec<Difference>>>) {
    let found = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&found);
    let on_difference: OnDifference = Box::new(move |difference| to.lock().unwrap().push(difference.clone()));
    (Shadow::new(first, second, NonZeroU32::new(n).unwrap(), on_difference), found)
}

/// Returns the answers to good calls of all functions.
fn answers<K: Kzg>(kzg: &K) -> Vec<Answer> {
    good_calls().iter().map(|call| call.ask(kzg)).collect()
}

/// So a permanent fault is reported within 2n − 1 calls.
#[test]
fn of_every_n_calls_one_is_checked() {
    const WINDOWS: u32 = 400;
    // Returns which calls are checked.
    let checked = |n: u32| -> Vec<u32> {
        let (kzg, found) = shadow(Fake::<Error>(Ok(0)), Fake::<Error>(Ok(1)), n);
        let is_checked = |_: &u32| {
            _ = kzg.compute_cells(&[]);
            found.lock().unwrap().pop().is_some()
        };
        (0..WINDOWS * n).filter(is_checked).collect()
    };
    for n in [1, 2, 3, 7, 64] {
        let calls = checked(n);
        assert!(calls.iter().map(|call| call / n).eq(0..WINDOWS), "one in {n}: {calls:?}");
        // A program that repeats 8 calls, of which a fixed place among 64 would be one.
        let places: BTreeSet<u32> = calls.iter().map(|call| call % n % 8).collect();
        assert_eq!(places.len() as u32, n.min(8), "one in {n}: {places:?}");
    }
    assert_ne!(checked(64), checked(64), "two processes check the same calls");
    let (kzg, off) = (Shadow::off(Fake::<Error>(Ok(1))), Shadow::<_, Fake<Error>>::is_on);
    assert!(!off(&kzg) && kzg.blob_to_kzg_commitment(&[]) == Ok([1; 48]));
}

/// Each pair of answers, the number of functions that differ, and the kinds of the differing answers.
#[test]
fn every_difference_is_reported() {
    fn compare<E, F>(first: Result<u8, E>, second: Result<u8, F>, count: usize, kinds: (&[Kind], &[Kind]))
    where
        E: Clone + std::fmt::Debug + Send + Sync + PartialEq + 'static,
        F: Clone + std::fmt::Debug + Send + Sync + 'static,
    {
        let (kzg, found) = shadow(Fake(first.clone()), Fake(second), 1);
        assert_eq!(answers(&kzg), answers(&Fake(first)), "the first answers");
        let found = found.lock().unwrap();
        let names: BTreeSet<&str> = found.iter().map(|difference| difference.function).collect();
        assert_eq!(names.len(), count, "{found:?}");
        for Difference { answer, second, .. } in &*found {
            assert!(kinds.0.contains(&answer.kind) && kinds.1.contains(&second.kind) && answer != second);
        }
    }
    let valid = &[Kind::Value, Kind::Valid][..];
    let invalid = &[Kind::Value, Kind::Invalid][..];
    let error = &[Kind::Error][..];
    compare::<Error, Error>(Ok(0), Ok(0), 0, (&[], &[]));
    compare::<Error, Error>(Ok(1), Ok(0), 9, (valid, invalid));
    compare::<Error, Error>(Ok(0), Ok(1), 9, (invalid, valid));
    compare::<Error, Error>(Ok(0), Ok(2), 3, (&[Kind::Value], &[Kind::Value]));
    compare::<Error, Error>(Ok(1), Ok(3), 9, (valid, &[Kind::Panicked]));
    compare::<Error, Error>(Ok(1), Err(Error::Inconsistent), 9, (valid, error));
    compare::<Error, Error>(Err(Error::Inconsistent), Ok(0), 9, (error, invalid));
    compare(Err(Error::Inconsistent), Err(Error::Inconsistent), 0, (&[], &[]));
    compare(Err(Error::TooFewCells { got: 1 }), Err(Error::TooFewCells { got: 2 }), 9, (error, error));
    // Another library's error has another type, and another text. It is no answer.
    compare(Err(Error::Inconsistent), Err("refused"), 0, (&[], &[]));
    compare::<Error, _>(Ok(1), Err("refused"), 9, (valid, error));
    compare::<_, Error>(Err("refused"), Ok(0), 9, (error, invalid));
}

#[test]
fn a_report_has_lengths_and_digests_and_no_bytes() {
    let (kzg, found) = shadow(Fake::<Error>(Ok(1)), Fake::<Error>(Ok(0)), 1);
    let (long, short) = ([0xab; 100], [0xcd; 3]);
    assert_eq!(kzg.verify_cell_kzg_proof_batch(&[&long, &long, &short], &[7, 8], &[&short], &[]), Ok(true));
    let difference = found.lock().unwrap()[0].clone();
    assert_eq!(difference.lengths, [vec![(2, 100), (1, 3)], vec![(1, 3)], vec![], vec![(2, 8)]]);
    assert_eq!(difference.second.digest[..], Sha256::digest([0])[..]);
    let report = difference.to_string();
    assert!(report.contains("two answers of verify_cell_kzg_proof_batch differ"), "{report}");
    assert!(report.contains("inputs: [2 x 100, 1 x 3] [1 x 3] [] [2 x 8] bytes"), "{report}");
    assert!(report.contains("answer: Valid") && report.contains("second: Invalid"), "{report}");
    assert!(report.ends_with("by fake Ok(0)") && report.contains("by fake Ok(1)\n"), "{report}");
    assert!(!report.contains("abababab") && !report.contains("cdcdcd"), "{report}");
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let name = Parcrypt::from_setup_of(&settings).unwrap().name();
    assert_eq!(
        name,
        format!("fp=blst,fr=blst,pairing=blst,sha256=sha2 with setup {}", hex(&settings.digest()))
    );
}

/// The hash of inputs has all lists of all functions, lists of indices last.
#[test]
fn every_input_is_in_the_report() {
    let (kzg, found) = shadow(Fake::<Error>(Ok(1)), Fake::<Error>(Ok(0)), 1);
    assert_eq!(answers(&kzg).len(), found.lock().unwrap().len());
    for (call, difference) in good_calls().iter().zip(&*found.lock().unwrap()) {
        let mut lists: Vec<_> = call.inputs.iter().zip(call.function.inputs()).collect();
        lists.sort_by_key(|(_, kind)| **kind == InputKind::Index);
        let mut hashed = Vec::new();
        for (item, kind) in
            lists.into_iter().flat_map(|(list, kind)| list.iter().map(move |item| (item, kind)))
        {
            let mut item = item.clone();
            if *kind == InputKind::Index {
                item.reverse();
            }
            hashed.extend([&(item.len() as u64).to_le_bytes(), &item[..]].concat());
        }
        assert_eq!(difference.inputs, Sha256::digest(hashed), "{}", difference.function);
    }
}

#[test]
fn right_and_wrong_inputs_have_the_same_answers() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let mut calls = good_calls();
    for call in good_calls() {
        let spoiled = call.spoiled(&mut rng, 0);
        calls.extend(spoiled.choose_multiple(&mut rng, 5).map(|(_, call)| call.clone()));
    }
    let second = Parcrypt::from_setup_of(&settings).unwrap();
    check(&calls, &shadow(Parcrypt::new(settings.clone()), second, 1));
    #[cfg(feature = "original")]
    {
        use parcrypt_shadow::Original;
        let second = Original::from_setup_of(&settings).unwrap();
        check(&calls, &shadow(Parcrypt::new(settings), second, 1));
        let other = Settings::insecure(&parcrypt_runtime::Serial, Request::Auto, &[5; 32]).unwrap();
        assert_eq!(Original::from_setup_of(&other).err(), Some(Error::OtherSetup));
    }
}

/// Checks that no answer differs.
fn check<A: Kzg, B: Kzg>(calls: &[Call], (kzg, found): &(Shadow<A, B>, Arc<Mutex<Vec<Difference>>>)) {
    calls.iter().for_each(|call| _ = call.ask(kzg));
    assert_eq!(*found.lock().unwrap(), []);
}

/// An allocation that fails is an error of its call, never a verdict, and the next call has its memory.
#[test]
fn a_call_without_memory_has_no_verdict() {
    let no_memory = |error: &Error| matches!(error, Error::Arithmetic(ArithmeticError::Allocation { .. }));
    let right = [
        Call::blobs(SAMPLES.iter().cycle().take(100)),
        Call::cells((0..300).map(|k| (&SAMPLES[k % 3], k % 128))),
    ];
    for right in right {
        let mut wrong = right.clone();
        wrong.inputs[2].swap(0, 1);
        for call in [right, wrong] {
            let baseline = Parcrypt::new(Settings::mainnet(Request::Baseline).unwrap());
            let (verdict, named) = (call.ask(&baseline), call.find_wrong(&baseline).unwrap());
            // The n-th allocation of a call fails, until a call has fewer.
            for n in 1.. {
                let kzg = Parcrypt::new(Settings::mainnet(Request::Auto).unwrap());
                faults::plant(Some("memory"));
                faults::set_every(n);
                let found = call.ask(&kzg);
                faults::set_every(n);
                let found_named = call.find_wrong(&kzg);
                faults::plant(None);
                let failed = [found != verdict, found_named.as_ref() != Ok(&named)];
                assert!(
                    !failed[0] || matches!(&found, Answer::Refused(why) if why.contains("Allocation")),
                    "{found:?}"
                );
                assert!(!failed[1] || found_named.as_ref().is_err_and(no_memory), "{found_named:?}");
                assert_eq!(call.ask(&kzg), verdict, "afterwards");
                if failed == [false; 2] {
                    assert!(n > 1, "nothing is allocated");
                    break;
                }
            }
        }
    }
}

/// Plants faults into the vector code of each row of each table that this machine can run, at several rates. With a
/// shadow of every call each wrong answer is reported, and nothing else.
#[test]
fn faults_in_each_vector_row_are_reported() {
    let expected = answers(&Parcrypt::new(Settings::mainnet(Request::Baseline).unwrap()));
    for (table, backends) in TABLES {
        for backend in &backends[1..] {
            let request: Requests = [(table, *backend)].into_iter().collect();
            faults::plant(Some(table));
            let Ok(settings) = Settings::mainnet(request) else {
                parcrypt_testkit::skip("parcrypt-shadow", backend.name(), "this machine cannot run it");
                continue;
            };
            let mut wrong = 0;
            for every in [1, 7] {
                let second = Parcrypt::from_setup_of(&settings).unwrap();
                let (kzg, found) = shadow(Parcrypt::new(settings.clone()), second, 1);
                faults::set_every(every);
                let mut differ = 0;
                for (call, expected) in good_calls().iter().zip(&expected) {
                    let is_wrong = call.ask(&kzg) != *expected;
                    differ += usize::from(is_wrong);
                    let what = format!("{table}={backend}, each {every}th: {:?}", call.function);
                    assert_eq!(found.lock().unwrap().len(), differ, "{what}");
                }
                faults::set_every(0);
                wrong += differ;
            }
            assert!(wrong > 0, "{table}={backend}: no answer was wrong");
            faults::plant(None);
        }
    }
}
