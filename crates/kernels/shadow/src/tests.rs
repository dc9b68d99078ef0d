#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock, Mutex};

use parcrypt_bls12_381::faults;
use parcrypt_kzg::{BYTES_PER_BLOB, Error, Request, Requests, Settings, TABLES};

use super::*;
use crate::environment::parse;
use crate::shadow::{hex, place};

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

/// A shadow of one call in `n`, and the differences that it finds.
fn shadow<A: Kzg, B: Kzg>(first: A, second: B, n: u32) -> (Shadow<A, B>, Arc<Mutex<Vec<Difference>>>) {
    let found = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&found);
    let on_difference: OnDifference = Box::new(move |difference| to.lock().unwrap().push(difference.clone()));
    (Shadow::new(first, second, NonZeroU32::new(n).unwrap(), on_difference), found)
}

/// Inputs of all functions, right ones.
struct Inputs {
    blob: Vec<u8>,
    commitment: Commitment,
    opening: (Proof, FieldBytes),
    proof: Proof,
    all: CellsAndProofs,
}

static BASELINE: LazyLock<Settings> = LazyLock::new(|| Settings::mainnet(Request::Baseline).unwrap());

static INPUTS: LazyLock<Inputs> = LazyLock::new(|| {
    let byte = |i: usize| if i.is_multiple_of(32) { 0 } else { ((i * i) >> 3) as u8 };
    let blob: Vec<u8> = (0..BYTES_PER_BLOB).map(byte).collect();
    let kzg = Parcrypt::new(BASELINE.clone());
    let commitment = kzg.blob_to_kzg_commitment(&blob).unwrap();
    Inputs {
        commitment,
        opening: kzg.compute_kzg_proof(&blob, &[9; 32]).unwrap(),
        proof: kzg.compute_blob_kzg_proof(&blob, &commitment).unwrap(),
        all: kzg.compute_cells_and_kzg_proofs(&blob).unwrap(),
        blob,
    }
});

/// Calls each function, all with right inputs or all with wrong ones, and returns the answers as text.
fn answers<E: std::fmt::Debug + 'static>(
    kzg: &dyn Kzg<Error = E>,
    right: bool,
) -> [(&'static str, String); 9] {
    fn text(answer: impl std::fmt::Debug) -> String {
        format!("{answer:?}")
    }
    let Inputs { blob, commitment, opening: (opening, y), proof, all } = &*INPUTS;
    let not_a_blob = vec![0xff; BYTES_PER_BLOB];
    let (given, z) = if right { (blob, y) } else { (&not_a_blob, &[7; 32]) };
    let cells: Vec<&[u8]> = all.cells.iter().map(|cell| &cell[..]).collect();
    let proofs: Vec<&[u8]> = all.proofs.iter().map(|proof| &proof[..]).collect();
    let (half, indices) = (if right { 64 } else { 0 }, (64..128).collect::<Vec<u64>>());
    let few = if right { &indices[..] } else { &indices[1..] };
    let (commitments, half) = ([&commitment[..]; 64], &cells[half..][..64]);
    let blob_proofs = if right { [&proof[..]; 2] } else { [&commitment[..]; 2] };
    [
        ("blob_to_kzg_commitment", text(kzg.blob_to_kzg_commitment(given))),
        ("compute_kzg_proof", text(kzg.compute_kzg_proof(given, &[9; 32]))),
        ("compute_blob_kzg_proof", text(kzg.compute_blob_kzg_proof(given, commitment))),
        ("verify_kzg_proof", text(kzg.verify_kzg_proof(commitment, &[9; 32], z, opening))),
        (
            "verify_blob_kzg_proof_batch",
            // As many as are hashed at once.
            text(kzg.verify_blob_kzg_proof_batch(&[&blob[..]; 2], &commitments[..2], &blob_proofs)),
        ),
        ("compute_cells", text(kzg.compute_cells(given))),
        ("compute_cells_and_kzg_proofs", text(kzg.compute_cells_and_kzg_proofs(given))),
        (
            "recover_cells_and_kzg_proofs",
            text(kzg.recover_cells_and_kzg_proofs(few, &cells[64..][..few.len()])),
        ),
        (
            "verify_cell_kzg_proof_batch",
            text(kzg.verify_cell_kzg_proof_batch(&commitments, &indices, half, &proofs[64..])),
        ),
    ]
}

#[test]
fn of_every_n_calls_one_is_checked() {
    for n in [1, 2, 3, 7, 64] {
        let (kzg, found) = shadow(Fake::<Error>(Ok(0)), Fake::<Error>(Ok(1)), n);
        for window in 1..50 {
            (0..n).for_each(|_| _ = kzg.compute_cells(&[]));
            assert_eq!(found.lock().unwrap().len(), window, "one in {n}");
        }
    }
    let (kzg, off) = (Shadow::off(Fake::<Error>(Ok(1))), Shadow::<_, Fake<Error>>::is_on);
    assert!(!off(&kzg) && kzg.blob_to_kzg_commitment(&[]) == Ok([1; 48]));
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
    let seeds: BTreeSet<u64> =
        (0..4).map(|_| shadow(Fake::<Error>(Ok(0)), Fake::<Error>(Ok(0)), 2).0.seed().unwrap()).collect();
    assert_eq!(seeds.len(), 4);
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
        assert_eq!(answers(&kzg, true), answers(&Fake(first), true), "the first answers");
        let found = found.lock().unwrap();
        let names: BTreeSet<&str> = found.iter().map(|difference| difference.function).collect();
        assert_eq!((found.len(), names.len()), (count, count), "{found:?}");
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
    // Another library's error has another type, and another text.
    compare(Err(Error::Inconsistent), Err("refused"), 0, (&[], &[]));
}

#[test]
fn a_report_has_lengths_and_digests_and_no_bytes() {
    let (kzg, found) = shadow(Fake::<Error>(Ok(1)), Fake::<Error>(Ok(0)), 1);
    let (long, short) = ([0xab; 100], [0xcd; 3]);
    assert_eq!(kzg.verify_cell_kzg_proof_batch(&[&long, &long, &short], &[7, 8], &[&short], &[]), Ok(true));
    let difference = found.lock().unwrap()[0].clone();
    assert_eq!(difference.lengths, [vec![(2, 100), (1, 3)], vec![(1, 3)], vec![], vec![(2, 8)]]);
    let mut hashed = Vec::new();
    for item in [&long[..], &long, &short, &short, &7u64.to_le_bytes(), &8u64.to_le_bytes()] {
        hashed.extend((item.len() as u64).to_le_bytes());
        hashed.extend(item);
    }
    use parcrypt_sha256::Sha256;
    assert_eq!(difference.inputs[..], Sha256::digest(hashed)[..]);
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

#[test]
fn texts_that_are_no_shadow_are_refused() {
    for (text, n) in [("1/1000", 1000), ("1/1", 1), ("1/4294967295,log", u32::MAX), ("1/7,abort", 7)] {
        assert_eq!(parse(text).unwrap().0.get(), n);
    }
    for share in ["", "1000", "2/3", "1/0", "1/", "1/+5", "1/-5", "1/4294967296", " 1/5", "1/5 ", "0.001"] {
        for text in [share.to_owned(), format!("{share},log")] {
            assert_eq!(parse(&text).err(), Some(LoadError::Share(share.to_owned())), "{text}");
        }
    }
    for word in ["", "Log", "panic", "log,log"] {
        assert_eq!(parse(&format!("1/5,{word}")).err(), Some(LoadError::Word(word.to_owned())));
    }
}

#[test]
fn right_and_wrong_inputs_have_the_same_answers() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let second = Parcrypt::from_setup_of(&settings).unwrap();
    let (kzg, found) = shadow(Parcrypt::new(settings.clone()), second, 1);
    for right in [true, false] {
        for (function, answer) in answers(&kzg, right) {
            assert_eq!(answer.starts_with("Ok") && answer != "Ok(false)", right, "{function}: {answer}");
        }
    }
    assert_eq!(*found.lock().unwrap(), []);
    #[cfg(feature = "original")]
    {
        let second = Original::from_setup_of(&settings).unwrap();
        let (kzg, found) = shadow(Parcrypt::new(settings), second, 1);
        [true, false].map(|right| answers(&kzg, right));
        assert_eq!(*found.lock().unwrap(), []);
        let other = Settings::insecure(&parcrypt_runtime::Serial, Request::Auto, &[5; 32]).unwrap();
        assert_eq!(Original::from_setup_of(&other).err(), Some(Error::OtherSetup));
    }
}

/// Plants faults into the vector code of each row of each table that this machine can run, at several rates. With a
/// shadow of every call each wrong answer is reported, and nothing else; with one of n calls a permanent fault is
/// reported within 2n − 1 calls.
#[test]
fn faults_in_each_vector_row_are_reported() {
    let expected = answers(&Parcrypt::new(BASELINE.clone()), true);
    for (table, backends) in TABLES {
        for backend in &backends[1..] {
            let request: Requests = [(table, *backend)].into_iter().collect();
            faults::plant(Some(table));
            let Ok(settings) = Settings::mainnet(request) else {
                parcrypt_testkit::skip("parcrypt-shadow", backend.name(), "this machine cannot run it");
                continue;
            };
            let mut wrong = BTreeSet::new();
            for every in [1, 7] {
                let second = Parcrypt::from_setup_of(&settings).unwrap();
                let (kzg, found) = shadow(Parcrypt::new(settings.clone()), second, 1);
                faults::set_every(every);
                let found_answers = answers(&kzg, true);
                faults::set_every(0);
                let differ = found_answers.iter().zip(&expected).filter(|(one, other)| one != other);
                let differ: BTreeSet<&str> = differ.map(|(one, _)| one.0).collect();
                let found = found.lock().unwrap();
                let reported: BTreeSet<&str> = found.iter().map(|difference| difference.function).collect();
                assert_eq!(
                    (&reported, found.len()),
                    (&differ, differ.len()),
                    "{table}={backend}, each {every}th"
                );
                wrong.extend(differ);
            }
            assert!(!wrong.is_empty(), "{table}={backend}: no answer was wrong");
            faults::plant(None);
        }
    }
    // One of n calls, for a call that is always wrong.
    let n = 4;
    let (kzg, found) = shadow(Fake::<Error>(Ok(1)), Fake::<Error>(Ok(0)), n);
    let needed = (1..2 * n).find(|_| {
        _ = kzg.compute_cells(&[]);
        !found.lock().unwrap().is_empty()
    });
    assert!(needed.is_some());
}

/// The tests below run themselves in other processes, with the variables of each. An emulator would have to run these
/// processes too.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn child(test: &str, variables: [(&str, &str); 3]) -> std::process::Output {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", &format!("tests::{test}")])
        .envs(variables)
        .output()
        .unwrap()
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn by_default_the_process_is_aborted() {
    const CHILD: &str = "PARCRYPT_SHADOW_TEST";
    if let Ok(text) = std::env::var(CHILD) {
        let (one_in, on_difference) = parse(&text).unwrap();
        _ = Shadow::new(Fake::<Error>(Ok(1)), Fake::<Error>(Ok(0)), one_in, on_difference).compute_cells(&[]);
        println!("the call returned");
        return;
    }
    for (text, goes_on) in [("1/1", false), ("1/1,abort", false), ("1/1,log", true)] {
        let child = child("by_default_the_process_is_aborted", [(CHILD, text), ("A", ""), ("B", "")]);
        let [out, log] = [&child.stdout, &child.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(log.contains("two answers of compute_cells differ"), "{text}: {log}");
        assert_eq!((out.contains("the call returned"), child.status.success()), (goes_on, goes_on), "{text}");
        assert!(goes_on || child.status.code().is_none(), "{text}: ended by a signal");
    }
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn settings_from_the_environment() {
    const CHILD: &str = "PARCRYPT_SHADOW_CHILD";
    if std::env::var_os(CHILD).is_some() {
        match Shadowed::load(Settings::mainnet) {
            Ok(kzg) => println!("rows {}; shadow {}", kzg.name(), kzg.is_on()),
            Err(error) => println!("error {error}"),
        }
        return;
    }
    let best = Parcrypt::new(Settings::mainnet(Request::Auto).unwrap()).name();
    let baseline = Parcrypt::new(BASELINE.clone()).name();
    let cases = [
        ("", "", format!("rows {best}; shadow false")),
        ("ghash=portable", "1/1000", format!("rows {best}; shadow true")),
        ("blst", "", format!("rows {baseline}; shadow false")),
        ("baseline", "1/5,log", format!("rows {baseline}; shadow true")),
        ("sse9", "", "error PARCRYPT_BACKEND: unknown backend 'sse9'".to_owned()),
        ("g1=blst", "", "error PARCRYPT_BACKEND: unknown table 'g1'".to_owned()),
        ("", "1000", "error PARCRYPT_SHADOW: share '1000': it must be 1/N".to_owned()),
        ("", "1/5,stop", "error PARCRYPT_SHADOW: 'stop' is unknown".to_owned()),
    ];
    for (backend, shadow, expected) in cases {
        let variables = [(CHILD, "1"), ("PARCRYPT_BACKEND", backend), (VARIABLE, shadow)];
        let out = child("settings_from_the_environment", variables).stdout;
        let out = String::from_utf8_lossy(&out);
        assert!(out.contains(&expected), "{backend}, {shadow}: {out}");
    }
}
