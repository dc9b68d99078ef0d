//! Bad input to the functions of EIP-4844 and EIP-7594: for each kind of bad input, every function that takes such an
//! input, and the error with its position.
//!
//! A row of the tables below is a function with the input under test as its argument. Bad setups and tables are in
//! `setup.rs` and `tables.rs`, the functions at any scale in `kzg10/`.

use std::sync::LazyLock;

use parcrypt_bls12_381::{Error as PointError, Fr, G1};
use parcrypt_kzg::eip4844 as blobs;
use parcrypt_kzg::eip7594 as cells;
use parcrypt_kzg::{
    CellsAndProofs, Commitment, Error, FieldBytes, Input, Proof, Request, Samples, Settings, Want,
};
use parcrypt_oracles::spoil::{MODULUS, P};
use parcrypt_oracles::{random_blob, slices};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rng;

/// A correct blob, with its commitment, proof and cells.
struct Good {
    settings: Settings,
    blob: Vec<u8>,
    commitment: Commitment,
    proof: Proof,
    z: FieldBytes,
    y: FieldBytes,
    proof_at_z: Proof,
    all: CellsAndProofs,
    /// Indices of all cells.
    indices: Vec<u64>,
}

static GOOD: LazyLock<Good> = LazyLock::new(|| {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let blob = random_blob(&mut rng());
    let commitment = blobs::blob_to_kzg_commitment(&Serial, &settings, &blob).unwrap();
    let proof = blobs::compute_blob_kzg_proof(&Serial, &settings, &blob, &commitment).unwrap();
    let z = Fr::from(1927).to_bytes();
    let (proof_at_z, y) = blobs::compute_kzg_proof(&Serial, &settings, &blob, &z).unwrap();
    let all = cells::compute_cells_and_kzg_proofs(&Serial, &settings, &blob).unwrap();
    Good { settings, blob, commitment, proof, z, y, proof_at_z, all, indices: (0..128).collect() }
});

impl Good {
    fn cells(&self) -> Vec<&[u8]> {
        slices(&self.all.cells)
    }
}

/// Result of a function on an input, without its value.
type Refusal = Result<(), Error>;

/// A function's name, the index of the input under test among inputs of its kind, and the call with that input.
type Row = (&'static str, usize, fn(&[u8]) -> Refusal);

fn outcome<T>(result: Result<T, Error>) -> Refusal {
    result.map(|_| ())
}

/// Functions that take a blob and parse it.
const TAKES_A_BLOB: &[Row] = &[
    ("blob_to_kzg_commitment", 0, |blob| {
        outcome(blobs::blob_to_kzg_commitment(&Serial, &GOOD.settings, blob))
    }),
    ("compute_kzg_proof", 0, |blob| {
        outcome(blobs::compute_kzg_proof(&Serial, &GOOD.settings, blob, &GOOD.z))
    }),
    ("compute_blob_kzg_proof", 0, |blob| {
        outcome(blobs::compute_blob_kzg_proof(&Serial, &GOOD.settings, blob, &GOOD.commitment))
    }),
    ("verify_blob_kzg_proof", 0, |blob| {
        let Good { settings, commitment, proof, .. } = &*GOOD;
        outcome(blobs::verify_blob_kzg_proof(&Serial, settings, blob, commitment, proof))
    }),
    ("verify_blob_kzg_proof_batch", 1, |blob| {
        let Good { settings, commitment, proof, .. } = &*GOOD;
        let (all, commitments, proofs) = ([&GOOD.blob, blob], [&commitment[..]; 2], [&proof[..]; 2]);
        outcome(blobs::verify_blob_kzg_proof_batch(&Serial, settings, &all, &commitments, &proofs))
    }),
    ("compute_cells", 0, |blob| outcome(cells::compute_cells(&Serial, &GOOD.settings, blob))),
    ("compute_cells_and_kzg_proofs", 0, |blob| {
        outcome(cells::compute_cells_and_kzg_proofs(&Serial, &GOOD.settings, blob))
    }),
];

/// Functions that take a commitment and parse it.
const TAKES_A_COMMITMENT: &[Row] = &[
    ("compute_blob_kzg_proof", 0, |point| {
        outcome(blobs::compute_blob_kzg_proof(&Serial, &GOOD.settings, &GOOD.blob, point))
    }),
    ("verify_kzg_proof", 0, |point| {
        let Good { settings, z, y, proof_at_z, .. } = &*GOOD;
        outcome(blobs::verify_kzg_proof(&Serial, settings, point, z, y, proof_at_z))
    }),
    ("verify_blob_kzg_proof", 0, |point| {
        outcome(blobs::verify_blob_kzg_proof(&Serial, &GOOD.settings, &GOOD.blob, point, &GOOD.proof))
    }),
    ("verify_blob_kzg_proof_batch", 2, |point| {
        let Good { settings, blob, commitment, proof, .. } = &*GOOD;
        let (all, commitments, proofs) =
            ([&blob[..]; 3], [&commitment[..], commitment, point], [&proof[..]; 3]);
        outcome(blobs::verify_blob_kzg_proof_batch(&Serial, settings, &all, &commitments, &proofs))
    }),
    ("verify_cell_kzg_proof_batch", 1, |point| verify_cells(Some((1, point)), None, None)),
];

/// Functions that take a proof and parse it.
const TAKES_A_PROOF: &[Row] = &[
    ("verify_kzg_proof", 0, |point| {
        let Good { settings, commitment, z, y, .. } = &*GOOD;
        outcome(blobs::verify_kzg_proof(&Serial, settings, commitment, z, y, point))
    }),
    ("verify_blob_kzg_proof", 0, |point| {
        outcome(blobs::verify_blob_kzg_proof(&Serial, &GOOD.settings, &GOOD.blob, &GOOD.commitment, point))
    }),
    ("verify_blob_kzg_proof_batch", 1, |point| {
        let Good { settings, blob, commitment, proof, .. } = &*GOOD;
        let (all, commitments) = ([&blob[..]; 2], [&commitment[..]; 2]);
        outcome(blobs::verify_blob_kzg_proof_batch(&Serial, settings, &all, &commitments, &[proof, point]))
    }),
    ("verify_cell_kzg_proof_batch", 2, |point| verify_cells(None, None, Some((2, point)))),
];

/// Functions that take a cell and parse it.
const TAKES_A_CELL: &[Row] = &[
    ("verify_cell_kzg_proof_batch", 2, |cell| verify_cells(None, Some((2, cell)), None)),
    ("recover_cells, one that is not needed", 127, |cell| {
        recover(&GOOD.indices, &with(&GOOD.cells(), 127, cell))
    }),
    ("recover_cells, one of 64", 63, |cell| {
        recover(&GOOD.indices[32..96], &with(&GOOD.cells()[32..96], 63, cell))
    }),
];

/// Functions that take an evaluation point z.
const TAKES_Z: &[Row] = &[
    ("compute_kzg_proof", 0, |z| outcome(blobs::compute_kzg_proof(&Serial, &GOOD.settings, &GOOD.blob, z))),
    ("verify_kzg_proof", 0, |z| {
        let Good { settings, commitment, y, proof_at_z, .. } = &*GOOD;
        outcome(blobs::verify_kzg_proof(&Serial, settings, commitment, z, y, proof_at_z))
    }),
];

/// Functions that take a value y.
const TAKES_Y: &[Row] = &[("verify_kzg_proof", 0, |y| {
    let Good { settings, commitment, z, proof_at_z, .. } = &*GOOD;
    outcome(blobs::verify_kzg_proof(&Serial, settings, commitment, z, y, proof_at_z))
})];

fn with<'a>(list: &[&'a [u8]], at: usize, other: &'a [u8]) -> Vec<&'a [u8]> {
    let mut list = list.to_vec();
    list[at] = other;
    list
}

/// Verifies the first three cells, with others at some positions.
fn verify_cells(
    commitment: Option<(usize, &[u8])>,
    cell: Option<(usize, &[u8])>,
    proof: Option<(usize, &[u8])>,
) -> Refusal {
    let mut commitments = vec![&GOOD.commitment[..]; 3];
    let mut three = GOOD.cells()[..3].to_vec();
    let mut proofs = slices(&GOOD.all.proofs[..3]);
    for (list, other) in [(&mut commitments, commitment), (&mut three, cell), (&mut proofs, proof)] {
        if let Some((at, other)) = other {
            list[at] = other;
        }
    }
    let indices = &GOOD.indices[..3];
    outcome(cells::verify_cell_kzg_proof_batch(
        &Serial,
        &GOOD.settings,
        &commitments,
        indices,
        &three,
        &proofs,
    ))
}

/// Returns the result of recovering cells, which is that of recovering proofs too. There is a good blob before it.
fn recover(cell_indices: &[u64], some: &[&[u8]]) -> Refusal {
    let settings = &GOOD.settings;
    let good = GOOD.cells();
    let samples = [
        Samples { cell_indices: &GOOD.indices[64..], cells: &good[64..] },
        Samples { cell_indices, cells: some },
    ];
    let mut all = cells::recover_wanted(&Serial, settings, &samples, Want::CELLS).unwrap();
    let found = outcome(all.remove(1));
    assert!(all[0].is_ok());
    if found.is_err() {
        let both = cells::recover_cells_and_kzg_proofs(&Serial, settings, cell_indices, some);
        assert_eq!(outcome(both), found, "recover_cells_and_kzg_proofs");
    }
    found
}

#[track_caller]
fn refused(row: &Row, what: &str, bytes: &[u8], error: Error) {
    assert_eq!((row.2)(bytes), Err(error), "{}: {what}", row.0);
}

/// Returns encodings of 32 bytes that are not a field element.
fn not_canonical() -> [(&'static str, FieldBytes); 3] {
    let mut next = MODULUS;
    next[31] += 1;
    [("r", MODULUS), ("r + 1", next), ("2^256 − 1", [0xff; 32])]
}

fn with_element(mut bytes: Vec<u8>, element: usize, value: &[u8; 32]) -> Vec<u8> {
    bytes[32 * element..][..32].copy_from_slice(value);
    bytes
}

#[test]
fn field_elements_that_are_not_below_the_modulus() {
    let largest = (-Fr::one()).to_bytes();
    for (rows, what, good, places) in [
        // A blob is read in pieces of 512 elements.
        (TAKES_A_BLOB, Input::Blob, GOOD.blob.clone(), &[0, 511, 512, 4095][..]),
        (TAKES_A_CELL, Input::Cell, GOOD.all.cells[7].to_vec(), &[0, 1, 63]),
        (TAKES_Z, Input::Z, GOOD.z.to_vec(), &[0]),
        (TAKES_Y, Input::Y, GOOD.y.to_vec(), &[0]),
    ] {
        for row in rows {
            for (i, &element) in places.iter().enumerate() {
                let (name, value) = &not_canonical()[i % 3];
                let bytes = with_element(good.clone(), element, value);
                refused(row, name, &bytes, Error::NotCanonical { what, index: row.1, element });
            }
        }
    }
    let of = |what, rows: &'static [Row]| rows.iter().map(move |row| (what, row));
    for (what, row) in of(Input::Z, TAKES_Z).chain(of(Input::Y, TAKES_Y)) {
        for (name, value) in not_canonical() {
            refused(row, name, &value, Error::NotCanonical { what, index: row.1, element: 0 });
        }
        assert_eq!((row.2)(&largest), Ok(()), "{}: r − 1 is one", row.0);
    }
    for row in &[TAKES_A_BLOB[0], TAKES_A_BLOB[4], TAKES_A_BLOB[5]] {
        assert_eq!((row.2)(&largest.repeat(4096)), Ok(()), "{}: r − 1 is one", row.0);
    }
    // The first of several is reported.
    for (first, second) in [(5, 6), (511, 512), (600, 4095)] {
        let bytes = with_element(with_element(GOOD.blob.clone(), second, &MODULUS), first, &[0xff; 32]);
        for row in TAKES_A_BLOB {
            let error = Error::NotCanonical { what: Input::Blob, index: row.1, element: first };
            refused(row, "two of them", &bytes, error);
        }
    }
    let error = Error::NotCanonical { what: Input::Secret, index: 0, element: 0 };
    assert_eq!(Settings::insecure(&Serial, Request::Auto, &MODULUS).err(), Some(error));
}

/// Returns bytes that are not a point of the group, with the error.
fn no_points() -> Vec<(&'static str, [u8; 48], PointError)> {
    let x = |first: u8, last: u8| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (first, last);
        bytes
    };
    // p, instead of 0.
    let mut p = P;
    p[0] |= 0x80;
    let mut not_compressed = GOOD.commitment;
    not_compressed[0] &= 0x7f;
    let (on_curve, in_subgroup) = (PointError::NotOnCurve, PointError::NotInSubgroup);
    vec![
        // y² = 4, of order 3.
        ("x = 0", x(0x80, 0), in_subgroup.clone()),
        ("x = 0, the other y", x(0xa0, 0), in_subgroup.clone()),
        // y² = 12 and y² = 68.
        ("x = 2", x(0x80, 2), on_curve.clone()),
        ("x = 4", x(0x80, 4), in_subgroup),
        ("x = p", p, on_curve.clone()),
        ("ones", [0xff; 48], on_curve.clone()),
        ("zeros", [0; 48], on_curve.clone()),
        ("infinity with a sign", x(0xe0, 0), on_curve.clone()),
        ("infinity with more behind", x(0xc0, 1), on_curve.clone()),
        ("a point without the flag of compression", not_compressed, on_curve),
    ]
}

#[test]
fn points_that_are_not_on_the_curve_or_not_in_the_subgroup() {
    for (rows, what) in [(TAKES_A_COMMITMENT, Input::Commitment), (TAKES_A_PROOF, Input::Proof)] {
        for row in rows {
            for (name, bytes, why) in no_points() {
                refused(row, name, &bytes, Error::Point { what, index: row.1, why });
            }
            // Any point of the group is accepted, also infinity.
            for point in [G1::generator(), G1::identity()] {
                assert_eq!((row.2)(&point.to_compressed()), Ok(()), "{}", row.0);
            }
        }
    }
}

#[test]
fn wrong_lengths() {
    for (rows, what, good) in [
        (TAKES_A_BLOB, Input::Blob, &GOOD.blob[..]),
        (TAKES_A_COMMITMENT, Input::Commitment, &GOOD.commitment),
        (TAKES_A_PROOF, Input::Proof, &GOOD.proof),
        (TAKES_A_CELL, Input::Cell, &GOOD.all.cells[0]),
        (TAKES_Z, Input::Z, &GOOD.z),
        (TAKES_Y, Input::Y, &GOOD.y),
    ] {
        let expected = good.len();
        for row in rows {
            for got in [0, 1, expected / 2, expected - 1, expected + 1, 2 * expected] {
                let bytes: Vec<u8> = good.iter().copied().cycle().take(got).collect();
                let error = Error::Length { what, index: row.1, expected, got };
                refused(row, "another length", &bytes, error);
            }
        }
    }
}

#[test]
fn indices_of_cells() {
    let cells_and = |change: fn(&mut Vec<u64>)| {
        let mut indices = GOOD.indices.clone();
        change(&mut indices);
        indices
    };
    let order = |index, cell_index, before| Error::CellOrder { index, cell_index, before };
    let range = |index, cell_index| Error::CellIndex { index, cell_index };
    for (what, indices, error) in [
        ("twice", cells_and(|all| all[1] = 0), order(1, 0, 0)),
        ("twice, at the end", cells_and(|all| all[127] = 126), order(127, 126, 126)),
        ("swapped", cells_and(|all| all.swap(63, 64)), order(64, 63, 64)),
        ("falling", cells_and(|all| all.reverse()), order(1, 126, 127)),
        ("128", cells_and(|all| all[127] = 128), range(127, 128)),
        ("128 in the middle", cells_and(|all| all[5] = 128), range(5, 128)),
        ("2^32", cells_and(|all| all[0] = 1 << 32), range(0, 1 << 32)),
        ("2^64 − 1", cells_and(|all| all[64] = u64::MAX), range(64, u64::MAX)),
        ("both: the first is named", cells_and(|all| (all[1], all[2]) = (0, 128)), order(1, 0, 0)),
    ] {
        assert_eq!(recover(&indices, &GOOD.cells()), Err(error), "{what}");
    }
    // More than 128 indices cannot all be different.
    let (indices, cells) =
        ([&GOOD.indices[..], &[127]].concat(), [&GOOD.cells()[..], &GOOD.cells()[..1]].concat());
    assert_eq!(recover(&indices, &cells), Err(order(128, 127, 127)));

    // Batches of cells may have indices in any order and repeated, but not out of range.
    let verify = |indices: &[u64; 3]| {
        let Good { settings, all, .. } = &*GOOD;
        let three = indices.map(|index| index as usize % 128);
        cells::verify_cell_kzg_proof_batch(
            &Serial,
            settings,
            &[&GOOD.commitment[..]; 3],
            indices,
            &three.map(|index| &all.cells[index][..]),
            &three.map(|index| &all.proofs[index][..]),
        )
    };
    assert_eq!(verify(&[127, 0, 127]), Ok(true));
    for (index, cell_index) in [(0, 128), (1, 255), (2, 1 << 32), (1, u64::MAX)] {
        let mut indices = [3, 4, 5];
        indices[index] = cell_index;
        assert_eq!(verify(&indices), Err(range(index, cell_index)));
    }
    assert_eq!(verify(&[3, 128, 129]), Err(range(1, 128)), "the first is named");
}

#[test]
fn fewer_than_half_of_the_cells() {
    for got in [0, 1, 32, 63] {
        let last = 128 - got;
        assert_eq!(recover(&GOOD.indices[..got], &GOOD.cells()[..got]), Err(Error::TooFewCells { got }));
        assert_eq!(recover(&GOOD.indices[last..], &GOOD.cells()[last..]), Err(Error::TooFewCells { got }));
    }
    assert_eq!(recover(&GOOD.indices[..64], &GOOD.cells()[..64]), Ok(()));
}

#[test]
fn cells_that_do_not_lie_on_one_polynomial() {
    let mut damaged = GOOD.all.cells.clone();
    // One field element of one cell, changed by the least amount.
    let element = Fr::from_bytes(damaged[40][32 * 63..].first_chunk().unwrap()).unwrap() + Fr::one();
    damaged[40][32 * 63..].copy_from_slice(&element.to_bytes());
    let damaged = slices(&damaged);
    let all = &GOOD.indices;
    assert_eq!(recover(all, &damaged), Err(Error::Inconsistent), "all cells");
    assert_eq!(recover(&all[..65], &damaged[..65]), Err(Error::Inconsistent), "one more than is needed");
    assert_eq!(recover(&all[40..105], &damaged[40..105]), Err(Error::Inconsistent), "the first of 65");
    // Any 64 cells lie on a polynomial, though on a different one.
    assert_eq!(recover(&all[..64], &damaged[..64]), Ok(()));
    let good = GOOD.cells();
    let mut swapped = good.clone();
    swapped.swap(100, 101);
    assert_eq!(recover(all, &swapped), Err(Error::Inconsistent), "two cells swapped");
    let repeated = with(&good, 100, good[99]);
    assert_eq!(recover(all, &repeated), Err(Error::Inconsistent), "a cell at two places");
    let zeros = vec![0; 2048];
    assert_eq!(recover(all, &with(&good, 127, &zeros)), Err(Error::Inconsistent), "a cell of 0");
}

#[test]
fn empty_batches() {
    let settings = &GOOD.settings;
    assert_eq!(blobs::verify_blob_kzg_proof_batch(&Serial, settings, &[], &[], &[]), Ok(true));
    assert_eq!(cells::verify_cell_kzg_proof_batch(&Serial, settings, &[], &[], &[], &[]), Ok(true));
    assert_eq!(cells::compute_wanted(&Serial, settings, &[], Want::CELLS_AND_PROOFS), Ok(vec![]));
    assert_eq!(cells::recover_wanted(&Serial, settings, &[], Want::CELLS), Ok(vec![]));
}

#[test]
fn lists_of_different_lengths() {
    let Good { settings, blob, commitment, proof, .. } = &*GOOD;
    let count = |what, expected, got| Error::Count { what, expected, got };
    let (one, cell) = (&blob[..], GOOD.cells()[0]);
    // Numbers of blobs or cells, and lengths of the other lists.
    for (n, other) in [(2, 1), (2, 3), (1, 0), (0, 1)] {
        let (blobs, cells) = (vec![one; n], vec![cell; n]);
        let list = |bytes: &'static [u8], len| vec![bytes; len];
        let (n_commitments, commitments) = (list(commitment, n), list(commitment, other));
        let (n_proofs, proofs) = (list(proof, n), list(proof, other));
        let (n_indices, indices) = (vec![0; n], vec![0; other]);

        let verify = |commitments: &[_], proofs: &[_]| {
            blobs::verify_blob_kzg_proof_batch(&Serial, settings, &blobs, commitments, proofs)
        };
        assert_eq!(verify(&commitments, &n_proofs), Err(count(Input::Commitment, n, other)));
        assert_eq!(verify(&n_commitments, &proofs), Err(count(Input::Proof, n, other)));

        let verify = |commitments: &[_], indices: &[u64], proofs: &[_]| {
            cells::verify_cell_kzg_proof_batch(&Serial, settings, commitments, indices, &cells, proofs)
        };
        assert_eq!(verify(&commitments, &n_indices, &n_proofs), Err(count(Input::Commitment, n, other)));
        assert_eq!(verify(&n_commitments, &indices, &n_proofs), Err(count(Input::CellIndex, n, other)));
        assert_eq!(verify(&n_commitments, &n_indices, &proofs), Err(count(Input::Proof, n, other)));
    }
    let (all, cells) = (&GOOD.indices, GOOD.cells());
    for (indices, some) in [(64, 65), (65, 64), (128, 0), (0, 128)] {
        let error = count(Input::Cell, indices, some);
        assert_eq!(recover(&all[..indices], &cells[..some]), Err(error), "there is a cell for each index");
    }
}

/// Checks that the first of several bad items in a batch is reported.
#[test]
fn the_first_bad_item_is_named() {
    let Good { settings, blob, commitment, proof, .. } = &*GOOD;
    let (bad, worse) = (with_element(blob.clone(), 9, &MODULUS), vec![0; 7]);
    let (all, commitments, proofs) = ([&blob[..], &bad, &worse], [&commitment[..]; 3], [&proof[..]; 3]);
    let found = blobs::verify_blob_kzg_proof_batch(&Serial, settings, &all, &commitments, &proofs);
    assert_eq!(found, Err(Error::NotCanonical { what: Input::Blob, index: 1, element: 9 }));
    // Two blobs may be hashed together.
    let bad_later = with_element(blob.clone(), 4095, &MODULUS);
    for second in [&worse, &bad_later] {
        let two = [&bad[..], second];
        let found =
            blobs::verify_blob_kzg_proof_batch(&Serial, settings, &two, &commitments[..2], &proofs[..2]);
        assert_eq!(found, Err(Error::NotCanonical { what: Input::Blob, index: 0, element: 9 }));
    }
    let [(_, of_order_3, why), _, (_, not_on_curve, _), ..] = &no_points()[..] else { unreachable!() };
    let three: [&[u8]; 3] = [commitment, of_order_3, not_on_curve];
    let found = blobs::verify_blob_kzg_proof_batch(&Serial, settings, &[&blob[..]; 3], &three, &proofs);
    assert_eq!(found, Err(Error::Point { what: Input::Commitment, index: 1, why: why.clone() }));
    // The points of one blob may be read beside it.
    let found = blobs::verify_blob_kzg_proof(&Serial, settings, &bad, not_on_curve, proof);
    assert_eq!(found, Err(Error::NotCanonical { what: Input::Blob, index: 0, element: 9 }));
    let indices = [9, 5, 5];
    let some = indices.map(|index| GOOD.cells()[index as usize]);
    let found = cells::verify_cell_kzg_proof_batch(&Serial, settings, &three, &indices, &some, &proofs);
    assert_eq!(found, Err(Error::Point { what: Input::Commitment, index: 1, why: why.clone() }));
    let damaged = with_element(some[1].to_vec(), 3, &MODULUS);
    let some = [some[0], &damaged, &damaged];
    let found = cells::verify_cell_kzg_proof_batch(&Serial, settings, &commitments, &indices, &some, &proofs);
    assert_eq!(found, Err(Error::NotCanonical { what: Input::Cell, index: 1, element: 3 }));
}

/// Checks that the first of several bad cells is named in any order of columns, also where one column has several.
#[test]
fn the_first_bad_cell_is_named_in_any_order_of_columns() {
    let Good { settings, commitment, proof, .. } = &*GOOD;
    for indices in [vec![9, 5], vec![5, 9], vec![127, 64, 9, 9, 5, 0], vec![3, 7, 7, 3, 7, 3]] {
        let (commitments, proofs) = (vec![&commitment[..]; indices.len()], vec![&proof[..]; indices.len()]);
        for first in 0..indices.len() {
            // Each bad cell has its error at another element.
            let bad = |(k, index): (usize, &u64)| {
                let cell = GOOD.all.cells[*index as usize].to_vec();
                if k < first { cell } else { with_element(cell, 2 * k + 1, &MODULUS) }
            };
            let some: Vec<Vec<u8>> = indices.iter().enumerate().map(bad).collect();
            let some: Vec<&[u8]> = some.iter().map(Vec::as_slice).collect();
            let found =
                cells::verify_cell_kzg_proof_batch(&Serial, settings, &commitments, &indices, &some, &proofs);
            let error = Error::NotCanonical { what: Input::Cell, index: first, element: 2 * first + 1 };
            assert_eq!(found, Err(error), "{indices:?} from {first}");
        }
    }
}

/// Checks the order in which inputs of several kinds are read, which is that of rust_eth_kzg.
#[test]
fn the_first_bad_input_is_named() {
    let Good { settings, blob, commitment, z, y, proof_at_z, .. } = &*GOOD;
    let [(_, bad_commitment, _), _, (_, bad_proof, _), ..] = &no_points()[..] else { unreachable!() };
    let (bad_z, bad_y) = (MODULUS, [0xff; 32]);
    let bad = [&bad_commitment[..], bad_proof, &bad_z, &bad_y];
    let good = [&commitment[..], proof_at_z, z, y];
    let inputs = [Input::Commitment, Input::Proof, Input::Z, Input::Y];
    for (first, expected) in inputs.into_iter().enumerate() {
        let [commitment, proof, z, y] = std::array::from_fn(|i| if i < first { good[i] } else { bad[i] });
        match blobs::verify_kzg_proof(&Serial, settings, commitment, z, y, proof) {
            Err(Error::Point { what, .. } | Error::NotCanonical { what, .. }) => assert_eq!(what, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let bad_blob = with_element(blob.clone(), 4095, &MODULUS);
    let found = blobs::compute_kzg_proof(&Serial, settings, &bad_blob, &bad_z);
    assert_eq!(found, Err(Error::NotCanonical { what: Input::Blob, index: 0, element: 4095 }));
    let found = blobs::compute_blob_kzg_proof(&Serial, settings, &bad_blob, bad_commitment);
    assert_eq!(found, Err(Error::NotCanonical { what: Input::Blob, index: 0, element: 4095 }));
}
