//! The same results, byte for byte, for all ways to compute them: runtimes and threads, one item or many, backends.
//! `tables.rs` has tables of every size.

use std::fmt::Debug;
use std::sync::LazyLock;

use parcrypt_bls12_381::Fr;
use parcrypt_kzg::{
    Cell, CellsAndProofs, Error, Input, Requests, Samples, Settings, TABLES, Want, blob_to_kzg_commitment,
    compute_blob_kzg_proof, compute_cells, compute_cells_and_kzg_proofs, compute_kzg_proof, compute_wanted,
    find_wrong_blobs, find_wrong_cells, recover_cells_and_kzg_proofs, recover_wanted, verify_blob_kzg_proof,
    verify_blob_kzg_proof_batch, verify_cell_kzg_proof_batch, verify_kzg_proof,
};
use parcrypt_oracles::{MAINNET, SAMPLES, Sample, called, slices};
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::{backends, rng, runtimes};
use sha2::{Digest, Sha256};

const CRATE: &str = "parcrypt-kzg";

/// Returns two random samples and a sparse one.
fn samples() -> [&'static Sample; 3] {
    [&SAMPLES[0], &SAMPLES[1], called("0 but for the first")]
}

/// Returns the results of each function for correct, wrong and malformed inputs, as a short text each.
fn answers(rt: &dyn Runtime, settings: &Settings) -> Vec<(&'static str, String)> {
    let blobs = samples().map(|sample| &sample.blob[..]);
    let (commitments, proofs) = (samples().map(Sample::commitment), samples().map(Sample::proof));
    let (commitments, proofs) = (slices(&commitments), slices(&proofs));
    let CellsAndProofs { cells, proofs: cell_proofs } = SAMPLES[0].cells_and_proofs();
    let (all, cell_proofs) = (slices(cells), slices(cell_proofs));
    let mut not_canonical = blobs[0].to_vec();
    not_canonical[32 * 600] = 0xff;
    let mut damaged = cells.clone();
    damaged[99][2000] ^= 1;
    let damaged = slices(&damaged);
    let indices: Vec<u64> = (0..128).collect();
    // 70 of them at positions without a pattern.
    let some: Vec<u64> = indices.iter().copied().filter(|i| i * i % 127 < 71).take(70).collect();
    let known: Vec<&[u8]> = some.iter().map(|i| all[*i as usize]).collect();
    let (z, root) = ([3; 32], Fr::root_of_unity(12).unwrap().to_bytes());
    let (proof, y) = compute_kzg_proof(rt, settings, blobs[0], &z).unwrap();
    let each = vec![commitments[0]; 128];
    let swapped: Vec<&[u8]> = proofs.iter().rev().copied().collect();
    let cells_hold =
        |cells: &[&[u8]]| verify_cell_kzg_proof_batch(rt, settings, &each, &indices, cells, &cell_proofs);
    let samples = Samples { cell_indices: &some, cells: &known };
    let columns = Want { columns: Some(&[5, 66, 120]), ..Want::CELLS_AND_PROOFS };
    vec![
        ("commitment", digest(blob_to_kzg_commitment(rt, settings, blobs[0]))),
        ("no commitment", digest(blob_to_kzg_commitment(rt, settings, &not_canonical))),
        ("value and proof", digest(Ok((proof, y)))),
        ("value and proof at a root", digest(compute_kzg_proof(rt, settings, blobs[1], &root))),
        ("proof of a blob", digest(compute_blob_kzg_proof(rt, settings, blobs[0], commitments[0]))),
        ("a value", digest(verify_kzg_proof(rt, settings, commitments[0], &z, &y, &proof))),
        ("another value", digest(verify_kzg_proof(rt, settings, commitments[0], &z, &z, &proof))),
        ("a blob", digest(verify_blob_kzg_proof(rt, settings, blobs[0], commitments[0], proofs[0]))),
        ("blobs", digest(verify_blob_kzg_proof_batch(rt, settings, &blobs, &commitments, &proofs))),
        ("other blobs", digest(verify_blob_kzg_proof_batch(rt, settings, &blobs, &commitments, &swapped))),
        ("cells", digest(compute_cells(rt, settings, blobs[0]))),
        ("cells of blobs", digest(compute_wanted(rt, settings, &blobs, Want::CELLS))),
        ("columns of blobs", digest(compute_wanted(rt, settings, &blobs[..2], columns))),
        ("no cells", digest(compute_cells(rt, settings, &not_canonical))),
        ("cells and proofs", digest(compute_cells_and_kzg_proofs(rt, settings, blobs[1]))),
        ("recovered", digest(recover_wanted(rt, settings, &[samples; 2], Want::CELLS))),
        ("recovered columns", digest(recover_wanted(rt, settings, &[samples], columns))),
        ("recovered with proofs", digest(recover_cells_and_kzg_proofs(rt, settings, &some, &known))),
        ("not recovered", digest(recover_cells_and_kzg_proofs(rt, settings, &indices, &damaged))),
        ("proven cells", digest(cells_hold(&all))),
        ("damaged cells", digest(cells_hold(&damaged))),
        ("wrong cells", digest(find_wrong_cells(rt, settings, &each, &indices, &damaged, &cell_proofs))),
        ("wrong blobs", digest(find_wrong_blobs(rt, settings, &blobs, &commitments, &swapped))),
    ]
}

/// Returns a short text for a result. An error is included with its whole message.
fn digest<T: Debug>(answer: Result<T, Error>) -> String {
    match answer {
        Ok(answer) => {
            let hash = Sha256::digest(format!("{answer:?}"));
            hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
        }
        Err(error) => format!("{error:?}"),
    }
}

/// Returns the results of calls on a thread with 256 KiB of stack, which has to be enough for each.
fn serial_answers(settings: &Settings) -> Vec<(&'static str, String)> {
    // Other libraries, which need more, make the samples.
    samples().iter().for_each(|sample| _ = (sample.commitment(), sample.proof(), sample.cells_and_proofs()));
    let small = std::thread::Builder::new().stack_size(256 << 10);
    std::thread::scope(|scope| {
        small.spawn_scoped(scope, || answers(&Serial, settings)).unwrap().join().unwrap()
    })
}

static SERIAL: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| serial_answers(MAINNET.ours.settings()));

#[track_caller]
fn same(what: &str, found: &[(&str, String)]) {
    for (found, expected) in found.iter().zip(&*SERIAL) {
        assert_eq!(found, expected, "{what}");
    }
    assert_eq!(found.len(), SERIAL.len());
}

/// Checks that each call returns the result that its input is made for: errors only where the input is invalid by
/// intent.
#[test]
fn each_input_has_its_result() {
    for (name, answer) in &*SERIAL {
        let expected = match *name {
            "a value" | "a blob" | "blobs" | "proven cells" => digest(Ok(true)),
            "another value" | "other blobs" | "damaged cells" => digest(Ok(false)),
            "no commitment" | "no cells" => {
                digest::<bool>(Err(Error::NotCanonical { what: Input::Blob, index: 0, element: 600 }))
            }
            "not recovered" => digest::<bool>(Err(Error::Inconsistent)),
            _ => {
                assert_eq!(answer.len(), 16, "{name}: {answer}");
                continue;
            }
        };
        assert_eq!(*answer, expected, "{name}");
    }
}

#[test]
fn every_runtime() {
    for rt in runtimes(CRATE) {
        same(
            &format!("{} with {} threads", rt.name(), rt.threads()),
            &answers(&*rt, MAINNET.ours.settings()),
        );
    }
}

/// Numbers of items around the size of a batch, which is 16.
const SIZES: [usize; 6] = [1, 2, 15, 16, 17, 33];

/// Checks a function on many items, some of them bad: item `i` of `alone` is its result for an item of kind `i` alone.
/// The good kinds come first.
fn together<T: PartialEq>(
    name: &str,
    good: usize,
    alone: &[Result<T, Error>],
    many: impl Fn(&dyn Runtime, &[usize]) -> Vec<Result<T, Error>>,
    place: fn(Error, usize) -> Error,
) {
    let mut rng = rng();
    assert!(alone.iter().map(Result::is_ok).eq((0..alone.len()).map(|kind| kind < good)), "{name}");
    let runtimes = runtimes(CRATE);
    for (size, rt) in SIZES.into_iter().zip(runtimes.iter().cycle()) {
        // With some good items, and with none.
        for from in [0, good] {
            let kinds: Vec<usize> = (0..size).map(|_| rng.random_range(from..alone.len())).collect();
            let found = many(&**rt, &kinds);
            assert_eq!(found.len(), size, "{name}");
            for (i, (found, kind)) in found.into_iter().zip(&kinds).enumerate() {
                let what = format!("{name}: item {i} of {kinds:?} on {} with {}", rt.name(), rt.threads());
                match (found, &alone[*kind]) {
                    (Ok(found), Ok(alone)) => assert!(found == *alone, "{what}"),
                    (Err(found), Err(alone)) => assert_eq!(found, place(alone.clone(), i), "{what}"),
                    (found, _) => panic!("{what} is {:?}", found.err()),
                }
            }
        }
    }
}

/// Returns the error of a single item with `i` as its index.
fn at(error: Error, i: usize) -> Error {
    match error {
        Error::NotCanonical { what, element, .. } => Error::NotCanonical { what, index: i, element },
        Error::Length { what, expected, got, .. } => Error::Length { what, index: i, expected, got },
        Error::Point { what, why, .. } => Error::Point { what, index: i, why },
        other => other,
    }
}

fn bad_blobs() -> Vec<Vec<u8>> {
    let good = &SAMPLES[0].blob;
    let with_bad = |element: usize| {
        let mut bad = good.clone();
        bad[32 * element] = 0xff;
        bad
    };
    vec![with_bad(0), with_bad(4095), good[1..].to_vec()]
}

/// Returns the blob of a + b·X^64: 64 values a + b·y for each cell. Its proofs take a quarter of the time of others.
fn binomial(a: Fr, b: Fr) -> Vec<u8> {
    let root = Fr::root_of_unity(6).unwrap();
    let y = |cell: u8| root.pow_vartime(u64::from(cell.reverse_bits() >> 2));
    (0..64).flat_map(|cell| (a + b * y(cell)).to_bytes().repeat(64)).collect()
}

#[test]
fn many_blobs() {
    let settings = MAINNET.ours.settings();
    let binomials = || vec![binomial(Fr::from(5), Fr::from(7)), binomial(Fr::one(), -Fr::one())];
    let blobs = || samples().map(|sample| sample.blob.clone()).to_vec();
    let some = Want { columns: Some(&[5, 66, 120]), ..Want::CELLS };
    for (want, mut blobs) in [(Want::CELLS, blobs()), (some, blobs()), (Want::CELLS_AND_PROOFS, binomials())]
    {
        let good = blobs.len();
        blobs.extend(bad_blobs());
        let compute = |rt: &dyn Runtime, blobs: &[&[u8]]| compute_wanted(rt, settings, blobs, want).unwrap();
        let alone: Vec<_> = blobs.iter().flat_map(|blob| compute(&Serial, &[blob])).collect();
        let many = |rt: &dyn Runtime, kinds: &[usize]| {
            compute(rt, &kinds.iter().map(|kind| &blobs[*kind][..]).collect::<Vec<_>>())
        };
        together("compute_wanted", good, &alone, many, at);
    }
}

#[test]
fn many_recoveries() {
    let settings = MAINNET.ours.settings();
    let cells = |of: usize, indices: Vec<u64>| -> (Vec<u64>, Vec<Cell>) {
        let cells = indices.iter().map(|i| samples()[of].cells_and_proofs().cells[*i as usize]).collect();
        (indices, cells)
    };
    let mut damaged = cells(0, (3..100).collect());
    damaged.1[50][31] ^= 1;
    let mut not_canonical = cells(1, (64..128).collect());
    not_canonical.1[63][0] = 0xff;
    let mut swapped = cells(0, (0..70).collect());
    swapped.0.swap(1, 2);
    let items = [
        cells(0, (0..128).step_by(2).collect()),
        cells(1, (60..128).collect()),
        cells(2, (0..128).collect()),
        damaged,
        cells(0, (0..63).collect()),
        not_canonical,
        swapped,
    ];
    let slices: Vec<Vec<&[u8]>> = items.iter().map(|(_, cells)| slices(cells)).collect();
    let of = |kind: usize| Samples { cell_indices: &items[kind].0, cells: &slices[kind] };
    for want in [Want::CELLS, Want { columns: Some(&[70]), ..Want::CELLS }, Want::CELLS_AND_PROOFS] {
        let many = |rt: &dyn Runtime, kinds: &[usize]| {
            let samples: Vec<_> = kinds.iter().map(|kind| of(*kind)).collect();
            recover_wanted(rt, settings, &samples, want).unwrap()
        };
        let alone: Vec<_> = (0..items.len()).flat_map(|kind| many(&Serial, &[kind])).collect();
        // Its errors have indices of cells, not of samples.
        together("recover_wanted", 3, &alone, many, |error, _| error);
    }
}

/// Checks the results with each backend of each table, where the others have their best. Those of points also have
/// tables of multiples.
#[test]
fn each_backend_of_each_table() {
    for (table, offered) in TABLES {
        for backend in backends(CRATE, offered) {
            let mut settings = Settings::mainnet(Requests::from_iter([(table, backend)])).unwrap();
            assert!(settings.backends().contains(&(table, backend)));
            same(&format!("{table}={backend}"), &serial_answers(&settings));
            if table == "fp" {
                settings.build_tables(&Serial, 8).unwrap();
                same(&format!("{backend} with tables"), &serial_answers(&settings));
            }
        }
    }
}
