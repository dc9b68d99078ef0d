//! Some cells of a blob, from the blob, from other cells, and from a handle: the same bytes as among all cells, on
//! every backend.

use std::sync::LazyLock;

use parcrypt_bls12_381::dispatch;
use parcrypt_kzg::{
    Cell, CellsAndProofs, Error, Input, Request, Requests, Samples, Settings, Want, compute_cells,
    compute_cells_and_kzg_proofs, compute_wanted, recover_wanted,
};
use parcrypt_oracles::{random_blob, slices};
use parcrypt_runtime::{Kind, Runtime, Serial};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::index::sample;
use parcrypt_testkit::{rng, skip};

/// Two blobs with all of their cells, and the proofs of the first.
struct Inputs {
    settings: Settings,
    blobs: Vec<Vec<u8>>,
    cells: Vec<Vec<Cell>>,
    all: CellsAndProofs,
}

static INPUTS: LazyLock<Inputs> = LazyLock::new(|| {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let blobs: Vec<Vec<u8>> = (0..2).map(|_| random_blob(&mut rng)).collect();
    let cells = blobs.iter().map(|blob| compute_cells(&Serial, &settings, blob).unwrap()).collect();
    let all = compute_cells_and_kzg_proofs(&Serial, &settings, &blobs[0]).unwrap();
    Inputs { settings, blobs, cells, all }
});

/// Returns this many different numbers below `limit`, in order.
fn some(rng: &mut impl Rng, limit: usize, count: usize) -> Vec<u64> {
    let mut indices: Vec<u64> = sample(rng, limit, count).into_iter().map(|index| index as u64).collect();
    indices.sort_unstable();
    indices
}

fn chosen<T: Copy>(all: &[T], indices: &[u64]) -> Vec<T> {
    indices.iter().map(|index| all[*index as usize]).collect()
}

/// Returns what is wanted of one blob.
fn wanted(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    want: Want<'_>,
) -> Result<CellsAndProofs, Error> {
    compute_wanted(rt, settings, &[blob], want)?.remove(0)
}

/// Returns the cells of one blob.
fn compute(rt: &dyn Runtime, settings: &Settings, blob: &[u8], mask: &[u64]) -> Result<Vec<Cell>, Error> {
    wanted(rt, settings, blob, Want { columns: Some(mask), ..Want::CELLS }).map(|made| made.cells)
}

/// Returns the cells `wanted` of one blob.
fn recover(settings: &Settings, known: &[u64], cells: &[&[u8]], wanted: &[u64]) -> Result<Vec<Cell>, Error> {
    let samples = Samples { cell_indices: known, cells };
    let want = Want { columns: Some(wanted), ..Want::CELLS };
    recover_wanted(&Serial, settings, &[samples], want)?.remove(0).map(|made| made.cells)
}

/// Masks of every size, and extreme ones.
fn masks(rng: &mut impl Rng) -> Vec<Vec<u64>> {
    let mut masks: Vec<Vec<u64>> = vec![
        vec![],
        (0..64).collect(),
        (64..128).collect(),
        (0..128).collect(),
        vec![0],
        vec![63],
        vec![64],
        vec![127],
    ];
    masks.extend([1, 2, 3, 7, 8, 9, 17, 40, 65, 127].map(|count| some(rng, 128, count)));
    masks.extend(
        [1, 8, 9, 20, 31]
            .map(|count| some(rng, 64, count).into_iter().map(|index| index + 64).collect::<Vec<_>>()),
    );
    masks
}

#[test]
fn cells_on_every_backend() {
    let Inputs { blobs, cells, .. } = &*INPUTS;
    let mut rng = rng();
    let two = Kind::Rayon.build(2.try_into().unwrap()).unwrap();
    for backend in dispatch::FR_BACKENDS {
        let settings = match Settings::mainnet([("fr", *backend)].into_iter().collect::<Requests>()) {
            Ok(settings) => settings,
            Err(why) => {
                skip("parcrypt-kzg", backend.name(), &why.to_string());
                continue;
            }
        };
        for mask in masks(&mut rng) {
            for rt in [&Serial as &dyn Runtime, &*two] {
                let found = compute(rt, &settings, &blobs[0], &mask).unwrap();
                assert!(found == chosen(&cells[0], &mask), "{backend}: {mask:?}");
            }
            let mut not_canonical = blobs[1].clone();
            not_canonical[32 * 4000] = 0xff;
            let all = [&blobs[0][..], &not_canonical, &blobs[1], &[]];
            let want = Want { columns: Some(&mask), ..Want::CELLS };
            let found = compute_wanted(&*two, &settings, &all, want).unwrap();
            let found: Vec<_> = found.into_iter().map(|made| made.map(|made| made.cells)).collect();
            assert!(found[0].as_ref() == Ok(&chosen(&cells[0], &mask)), "{backend}: {mask:?}");
            // The blob is checked whichever cells are asked for.
            let error = Error::NotCanonical { what: Input::Blob, index: 1, element: 4000 };
            assert_eq!(found[1], Err(error), "{backend}: {mask:?}");
            assert!(found[2].as_ref() == Ok(&chosen(&cells[1], &mask)), "{backend}: {mask:?}");
            assert!(matches!(found[3], Err(Error::Length { index: 3, .. })));
        }
    }
}

#[test]
fn each_further_cell() {
    let Inputs { settings, blobs, cells, .. } = &*INPUTS;
    for index in 0..128 {
        let found = compute(&Serial, settings, &blobs[0], &[index]).unwrap();
        assert!(found == [cells[0][index as usize]], "cell {index}");
    }
}

#[test]
fn proofs_are_those_of_all_cells() {
    let Inputs { settings, blobs, all, .. } = &*INPUTS;
    let mut rng = rng();
    let mut masks: Vec<Vec<u64>> = vec![vec![], vec![0], vec![63, 64], vec![127]];
    masks.extend([1, 2, 3, 90].map(|count| some(&mut rng, 128, count)));
    for mask in &masks {
        let expected = CellsAndProofs { cells: chosen(&all.cells, mask), proofs: chosen(&all.proofs, mask) };
        let both = Want { columns: Some(mask), ..Want::CELLS_AND_PROOFS };
        assert!(wanted(&Serial, settings, &blobs[0], both).as_ref() == Ok(&expected), "{mask:?}");
        let proofs = wanted(&Serial, settings, &blobs[0], Want { cells: false, ..both });
        assert!(proofs == Ok(CellsAndProofs { cells: vec![], ..expected }), "{mask:?}");
        // Recovered.
        let known = slices(&all.cells[64..]);
        let samples = Samples { cell_indices: &(64..128).collect::<Vec<_>>(), cells: &known };
        let found = recover_wanted(&Serial, settings, &[samples], both).unwrap().remove(0).unwrap();
        assert!(
            found.proofs == chosen(&all.proofs, mask) && found.cells == chosen(&all.cells, mask),
            "{mask:?}"
        );
    }
}

#[test]
fn recovery_of_some_cells() {
    let Inputs { settings, cells, .. } = &*INPUTS;
    let mut rng = rng();
    // Missing cells of the first half, known ones of the other.
    let cases =
        [(0, 0), (0, 1), (0, 64), (1, 1), (1, 64), (2, 5), (3, 40), (8, 8), (9, 30), (33, 33), (64, 64)];
    for (missing, others) in cases {
        let gone = some(&mut rng, 64, missing);
        let mut known: Vec<u64> = (0..64).filter(|index| !gone.contains(index)).collect();
        known.extend(some(&mut rng, 64, others).into_iter().map(|index| index + 64));
        let owned = chosen(&cells[0], &known);
        let given = slices(&owned);
        for count in [0, 1, 8, 60, 128] {
            let wanted = some(&mut rng, 128, count);
            let what = format!("{missing} missing, {others} others, {wanted:?}");
            let found = recover(settings, &known, &given, &wanted);
            assert!(found.as_ref() == Ok(&chosen(&cells[0], &wanted)), "{what}");
        }
        // A cell that is not needed and differs, in each half.
        let spare = known.len() - 64;
        for at in [0, known.len() - 1, rng.random_range(0..known.len())] {
            let mut damaged = owned.clone();
            damaged[at][2047] ^= 1;
            let damaged = slices(&damaged);
            let found = recover(settings, &known, &damaged, &[3]);
            assert_eq!(found == Err(Error::Inconsistent), spare > 0, "{missing}, {others}, {at}");
            let mut modulus = owned.clone();
            modulus[at][32 * 9..32 * 10].copy_from_slice(&[0xff; 32]);
            let found = recover(settings, &known, &slices(&modulus), &[]);
            let error = Error::NotCanonical { what: Input::Cell, index: at, element: 9 };
            assert_eq!(found, Err(error), "{missing}, {others}");
        }
    }
    // One column of many blobs, of which each has other cells.
    let first: Vec<u64> = (0..64).collect();
    let odd: Vec<u64> = (1..128).step_by(2).collect();
    let (owned_first, owned_odd) = (chosen(&cells[0], &first), chosen(&cells[1], &odd));
    let (given_first, given_odd) = (slices(&owned_first), slices(&owned_odd));
    let samples = [
        Samples { cell_indices: &first, cells: &given_first },
        Samples { cell_indices: &odd, cells: &given_odd[1..] },
        Samples { cell_indices: &odd, cells: &given_odd },
    ];
    let want = Want { columns: Some(&[70]), ..Want::CELLS };
    let found = recover_wanted(&Serial, settings, &samples, want).unwrap();
    assert!(found[0].as_ref().unwrap().cells == [cells[0][70]]);
    assert!(matches!(found[1], Err(Error::Count { .. })));
    assert!(found[2].as_ref().unwrap().cells == [cells[1][70]]);
}

#[test]
fn indices_are_refused() {
    let Inputs { settings, blobs, all, .. } = &*INPUTS;
    let (blob, known) = (&blobs[0][..], (0..128).collect::<Vec<u64>>());
    let cells = slices(&all.cells);
    for (indices, expected) in [
        (vec![3, 128], Error::CellIndex { index: 1, cell_index: 128 }),
        (vec![u64::MAX], Error::CellIndex { index: 0, cell_index: u64::MAX }),
        (vec![3, 5, 5], Error::CellOrder { index: 2, cell_index: 5, before: 5 }),
        (vec![64, 63], Error::CellOrder { index: 1, cell_index: 63, before: 64 }),
        ((0..129).collect(), Error::CellIndex { index: 128, cell_index: 128 }),
    ] {
        let refusals = [
            compute(&Serial, settings, blob, &indices).err(),
            // Of indices and blob, the error of the indices comes first.
            compute(&Serial, settings, &[], &indices).err(),
            recover(settings, &known, &cells, &indices).err(),
        ];
        assert!(refusals.iter().all(|error| error.as_ref() == Some(&expected)), "{refusals:?}");
    }
}
