//! Some cells of a blob, from the blob and from other cells: the same bytes as among all cells, on every backend.
//! `same_bytes.rs` has those of several blobs.

use parcrypt_bls12_381::dispatch;
use parcrypt_kzg::{
    CellsAndProofs, Error, Input, Requests, Samples, Settings, Want, compute_wanted, recover_wanted,
};
use parcrypt_oracles::{MAINNET, SAMPLES, slices};
use parcrypt_runtime::{Kind, Runtime, Serial};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::index::sample;
use parcrypt_testkit::{rng, skip};

/// Returns this many different numbers of a range, in order.
fn some(rng: &mut impl Rng, range: std::ops::Range<u64>, count: usize) -> Vec<u64> {
    let chosen = sample(rng, (range.end - range.start) as usize, count);
    let mut indices: Vec<u64> = chosen.into_iter().map(|index| range.start + index as u64).collect();
    indices.sort_unstable();
    indices
}

fn chosen<T: Copy>(all: &[T], indices: &[u64]) -> Vec<T> {
    indices.iter().map(|index| all[*index as usize]).collect()
}

/// Returns what is wanted of one blob, of these columns.
fn compute(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    columns: &[u64],
    want: Want<'_>,
) -> Result<CellsAndProofs, Error> {
    compute_wanted(rt, settings, &[blob], Want { columns: Some(columns), ..want })?.remove(0)
}

/// Returns what is wanted of the blob of these cells.
fn recover<T: AsRef<[u8]>>(
    known: &[u64],
    cells: &[T],
    columns: &[u64],
    want: Want<'_>,
) -> Result<CellsAndProofs, Error> {
    let samples = [Samples { cell_indices: known, cells: &slices(cells) }];
    let want = Want { columns: Some(columns), ..want };
    recover_wanted(&Serial, MAINNET.ours.settings(), &samples, want)?.remove(0)
}

/// Masks of every size, and extreme ones.
fn masks(rng: &mut impl Rng) -> Vec<Vec<u64>> {
    let mut masks: Vec<Vec<u64>> = [0..0, 0..64, 64..128, 0..128].map(Iterator::collect).into();
    masks.extend((0..128).map(|index| vec![index]));
    masks.extend([2, 3, 7, 8, 9, 17, 40, 65, 127].map(|count| some(rng, 0..128, count)));
    masks.extend([8, 9, 20, 31].map(|count| some(rng, 64..128, count)));
    masks
}

#[test]
fn cells_on_every_backend() {
    let (sample, cells) = (&SAMPLES[0], &SAMPLES[0].cells_and_proofs().cells);
    let mut rng = rng();
    let two = Kind::Rayon.build(2.try_into().unwrap()).unwrap();
    let mut not_canonical = sample.blob.clone();
    not_canonical[32 * 4000] = 0xff;
    for backend in dispatch::FR_BACKENDS {
        let settings = match Settings::mainnet([("fr", *backend)].into_iter().collect::<Requests>()) {
            Ok(settings) => settings,
            Err(why) => {
                skip("parcrypt-kzg", backend.name(), &why.to_string());
                continue;
            }
        };
        for (mask, rt) in masks(&mut rng).iter().flat_map(|mask| [(mask, &Serial as _), (mask, &*two)]) {
            let found = compute(rt, &settings, &sample.blob, mask, Want::CELLS).unwrap();
            assert!(found.cells == chosen(cells, mask), "{backend}: {mask:?}");
            // The blob is checked whichever cells are asked for.
            let error = Error::NotCanonical { what: Input::Blob, index: 0, element: 4000 };
            let found = compute(rt, &settings, &not_canonical, mask, Want::CELLS);
            assert_eq!(found, Err(error), "{backend}: {mask:?}");
        }
    }
}

#[test]
fn proofs_are_those_of_all_cells() {
    let (settings, sample, all) = (MAINNET.ours.settings(), &SAMPLES[0], SAMPLES[0].cells_and_proofs());
    let mut rng = rng();
    let mut masks: Vec<Vec<u64>> = vec![vec![], vec![0], vec![63, 64], vec![127]];
    masks.extend([1, 2, 3, 90].map(|count| some(&mut rng, 0..128, count)));
    for mask in &masks {
        let expected = CellsAndProofs { cells: chosen(&all.cells, mask), proofs: chosen(&all.proofs, mask) };
        let both = Want::CELLS_AND_PROOFS;
        let known: Vec<u64> = (64..128).collect();
        assert!(recover(&known, &all.cells[64..], mask, both).as_ref() == Ok(&expected), "{mask:?}");
        assert!(compute(&Serial, settings, &sample.blob, mask, both).as_ref() == Ok(&expected), "{mask:?}");
        let proofs = compute(&Serial, settings, &sample.blob, mask, Want { cells: false, ..both });
        assert!(proofs == Ok(CellsAndProofs { cells: vec![], ..expected }), "{mask:?}");
    }
}

#[test]
fn recovery_of_some_cells() {
    let all = &SAMPLES[0].cells_and_proofs().cells;
    let mut rng = rng();
    // Missing cells of the first half, known ones of the other.
    let cases =
        [(0, 0), (0, 1), (0, 64), (1, 1), (1, 64), (2, 5), (3, 40), (8, 8), (9, 30), (33, 33), (64, 64)];
    for (missing, others) in cases {
        let gone = some(&mut rng, 0..64, missing);
        let mut known: Vec<u64> = (0..64).filter(|index| !gone.contains(index)).collect();
        known.extend(some(&mut rng, 64..128, others));
        let given = chosen(all, &known);
        for count in [0, 1, 8, 60, 128] {
            let wanted = some(&mut rng, 0..128, count);
            let found = recover(&known, &given, &wanted, Want::CELLS).unwrap();
            assert!(found.cells == chosen(all, &wanted), "{missing} missing, {others} others, {wanted:?}");
        }
        // A cell that is not needed and differs, in each half.
        for at in [0, known.len() - 1, rng.random_range(0..known.len())] {
            let mut damaged = given.clone();
            damaged[at][2047] ^= 1;
            let found = recover(&known, &damaged, &[3], Want::CELLS);
            let spare = known.len() > 64;
            assert_eq!(found == Err(Error::Inconsistent), spare, "{missing}, {others}, {at}");
            damaged[at][32 * 9..32 * 10].copy_from_slice(&[0xff; 32]);
            let found = recover(&known, &damaged, &[], Want::CELLS);
            let error = Error::NotCanonical { what: Input::Cell, index: at, element: 9 };
            assert_eq!(found, Err(error), "{missing}, {others}");
        }
    }
}

#[test]
fn indices_are_refused() {
    let (settings, cells) = (MAINNET.ours.settings(), &SAMPLES[0].cells_and_proofs().cells);
    let known: Vec<u64> = (0..128).collect();
    for (indices, expected) in [
        (vec![3, 128], Error::CellIndex { index: 1, cell_index: 128 }),
        (vec![u64::MAX], Error::CellIndex { index: 0, cell_index: u64::MAX }),
        (vec![3, 5, 5], Error::CellOrder { index: 2, cell_index: 5, before: 5 }),
        (vec![64, 63], Error::CellOrder { index: 1, cell_index: 63, before: 64 }),
        ((0..129).collect(), Error::CellIndex { index: 128, cell_index: 128 }),
    ] {
        // Of indices and blob, the error of the indices comes first.
        for blob in [&SAMPLES[0].blob[..], &[]] {
            assert_eq!(compute(&Serial, settings, blob, &indices, Want::CELLS), Err(expected.clone()));
        }
        assert_eq!(recover(&known, cells, &indices, Want::CELLS), Err(expected));
    }
}
