//! Bad input to the functions of EIP-4844 and EIP-7594: for each kind of bad input, every function that takes such an
//! input, and the error with its position.
//!
//! Bad setups and tables are in `setup.rs` and `tables.rs`, the functions at any scale in `kzg10/`.

use parcrypt_bls12_381::{Error as PointError, Fr, G1};
use parcrypt_kzg::{Error, Input, Request, Settings, Want, compute_wanted, recover_wanted};
use parcrypt_oracles::spoil::{MODULUS, P};
use parcrypt_oracles::{Answer, Call, Function, MAINNET, SAMPLES, good_calls};
use parcrypt_runtime::Serial;

use super::ours;

/// Returns a good call of `verify_kzg_proof`.
pub(crate) fn verification() -> Call {
    let opening = SAMPLES[0].opening(3);
    Call::new(Function::VerifyProof, &[&SAMPLES[0].commitment(), &opening.z, &opening.y, &opening.proof])
}

/// Returns the kinds of a function's inputs.
fn inputs(function: Function) -> &'static [Input] {
    match function {
        Function::BlobToCommitment | Function::ComputeCells | Function::ComputeCellsAndProofs => {
            &[Input::Blob]
        }
        Function::ComputeProof => &[Input::Blob, Input::Z],
        Function::ComputeBlobProof => &[Input::Blob, Input::Commitment],
        Function::Recover => &[Input::CellIndex, Input::Cell],
        Function::VerifyProof => &[Input::Commitment, Input::Z, Input::Y, Input::Proof],
        Function::VerifyBlobs => &[Input::Blob, Input::Commitment, Input::Proof],
        Function::VerifyCells => &[Input::Commitment, Input::CellIndex, Input::Cell, Input::Proof],
    }
}

#[track_caller]
fn refused(what: &str, call: &Call, error: &Error) {
    let answer = ours(what, call);
    assert_eq!(answer, Answer::Refused(format!("{error:?}")), "{:?}: {what}", call.function);
}

fn with_element(bytes: &[u8], element: usize, value: &[u8; 32]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[32 * element..][..32].copy_from_slice(value);
    bytes
}

/// Returns bytes that are not a point of the group, with the error.
fn no_points() -> [(&'static str, [u8; 48], PointError); 10] {
    let x = |first: u8, last: u8| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (first, last);
        bytes
    };
    // p, instead of 0.
    let mut p = P;
    p[0] |= 0x80;
    let mut not_compressed = SAMPLES[0].commitment();
    not_compressed[0] &= 0x7f;
    let (on_curve, in_subgroup) = (PointError::NotOnCurve, PointError::NotInSubgroup);
    [
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

/// Returns bad bytes for an input in place of good ones, with the errors.
fn bad(what: Input, index: usize, good: &[u8]) -> Vec<(String, Vec<u8>, Error)> {
    let expected = good.len();
    let mut all = Vec::new();
    for got in [0, 1, expected / 2, expected - 1, expected + 1, 2 * expected] {
        let bytes = good.iter().copied().cycle().take(got).collect();
        all.push((format!("{got} bytes"), bytes, Error::Length { what, index, expected, got }));
    }
    if matches!(what, Input::Commitment | Input::Proof) {
        let points = no_points().into_iter();
        all.extend(
            points.map(|(name, bytes, why)| (name.into(), bytes.into(), Error::Point { what, index, why })),
        );
        return all;
    }
    let mut next = MODULUS;
    next[31] += 1;
    // The first of two is reported. A blob is read in pieces of 512 elements.
    let places = [(0, 0), (1, 1), (5, 6), (63, 63), (511, 512), (512, 512), (600, 4095), (4095, 4095)];
    for (element, second) in places.into_iter().filter(|(_, second)| 32 * second < expected) {
        for (name, value) in [("r", MODULUS), ("r + 1", next), ("2^256 − 1", [0xff; 32])] {
            let bytes = with_element(&with_element(good, second, &MODULUS), element, &value);
            all.push((format!("{name} at {element}"), bytes, Error::NotCanonical { what, index, element }));
        }
    }
    all
}

/// Returns extreme bytes for an input that are good: any point of the group, r − 1.
fn good(what: Input, len: usize) -> Vec<Vec<u8>> {
    match what {
        Input::Commitment | Input::Proof => {
            [G1::generator(), G1::identity()].map(|point| point.to_compressed().into()).into()
        }
        _ => vec![(-Fr::one()).to_bytes().repeat(len / 32)],
    }
}

#[test]
fn every_bad_input_is_refused_with_its_place() {
    for call in good_calls() {
        assert!(!ours("a good call", &call).is_refused());
        for (list, what) in inputs(call.function).iter().enumerate() {
            let len = call.inputs[list].len();
            for index in [len / 2, len - 1] {
                let item = &call.inputs[list][index];
                let with = |bytes| {
                    let mut call = call.clone();
                    call.inputs[list][index] = bytes;
                    call
                };
                if *what == Input::CellIndex {
                    continue;
                }
                for (how, bytes, error) in bad(*what, index, item) {
                    refused(&how, &with(bytes), &error);
                }
                for bytes in good(*what, item.len()) {
                    let answer = ours("a good input", &with(bytes));
                    // More cells than are needed have to be those of a blob.
                    let inconsistent = Answer::Refused(format!("{:?}", Error::Inconsistent));
                    assert!(!answer.is_refused() || len == 128 && answer == inconsistent, "{answer:?}");
                }
            }
        }
    }
    let error = Error::NotCanonical { what: Input::Secret, index: 0, element: 0 };
    assert_eq!(Settings::insecure(&Serial, Request::Auto, &MODULUS).err(), Some(error));
}

/// Returns a call with these indices.
fn with_indices(call: &Call, list: usize, indices: &[u64]) -> Call {
    let mut call = call.clone();
    call.inputs[list] = indices.iter().map(|index| index.to_be_bytes().to_vec()).collect();
    call
}

#[test]
fn indices_of_cells() {
    let all = Call::recovery(&SAMPLES[0], 0..128);
    let order = |index, cell_index, before| Error::CellOrder { index, cell_index, before };
    let range = |index, cell_index| Error::CellIndex { index, cell_index };
    type Change = fn(&mut Vec<u64>);
    let cases: [(&str, Change, Error); 9] = [
        ("twice", |all| all[1] = 0, order(1, 0, 0)),
        ("twice, at the end", |all| all[127] = 126, order(127, 126, 126)),
        ("swapped", |all| all.swap(63, 64), order(64, 63, 64)),
        ("falling", |all| all.reverse(), order(1, 126, 127)),
        ("128", |all| all[127] = 128, range(127, 128)),
        ("128 in the middle", |all| all[5] = 128, range(5, 128)),
        ("2^32", |all| all[0] = 1 << 32, range(0, 1 << 32)),
        ("2^64 − 1", |all| all[64] = u64::MAX, range(64, u64::MAX)),
        ("both: the first is named", |all| (all[1], all[2]) = (0, 128), order(1, 0, 0)),
    ];
    for (what, change, error) in cases {
        let mut indices = all.indices(0);
        change(&mut indices);
        refused(what, &with_indices(&all, 0, &indices), &error);
    }
    // More than 128 indices cannot all be different.
    let mut more = all.clone();
    more.repeat(127);
    refused("129", &more, &order(128, 127, 127));

    // Batches of cells may have indices in any order and repeated, but not out of range.
    let three = Call::cells([127, 0, 127].map(|index| (&SAMPLES[0], index)));
    assert_eq!(ours("any order", &three), Answer::Valid);
    for (index, cell_index) in [(0, 128), (1, 255), (2, 1 << 32), (1, u64::MAX)] {
        let mut indices = [3, 4, 5];
        indices[index] = cell_index;
        refused("out of range", &with_indices(&three, 1, &indices), &range(index, cell_index));
    }
    refused("the first is named", &with_indices(&three, 1, &[3, 128, 129]), &range(1, 128));
}

#[test]
fn fewer_than_half_of_the_cells() {
    for got in [0, 1, 32, 63] {
        for indices in [0..got, 128 - got..128] {
            let error = Error::TooFewCells { got: got as usize };
            refused("too few", &Call::recovery(&SAMPLES[0], indices), &error);
        }
    }
    assert!(!ours("half", &Call::recovery(&SAMPLES[0], 0..64)).is_refused());
}

#[test]
fn cells_that_do_not_lie_on_one_polynomial() {
    let good = Call::recovery(&SAMPLES[0], 0..128);
    // One field element of one cell, changed by the least amount.
    let mut damaged = good.clone();
    super::add(&mut damaged.inputs[1][40], 63, Fr::one());
    let some = |from: usize, to: usize| {
        let mut some = damaged.clone();
        some.inputs.iter_mut().for_each(|list| *list = list[from..to].to_vec());
        some
    };
    refused("all cells", &damaged, &Error::Inconsistent);
    refused("one more than is needed", &some(0, 65), &Error::Inconsistent);
    refused("the first of 65", &some(40, 105), &Error::Inconsistent);
    // Any 64 cells lie on a polynomial, though on a different one.
    assert!(!ours("64 cells", &some(0, 64)).is_refused());
    type Change = fn(&mut Vec<Vec<u8>>);
    let changes: [(&str, Change); 3] = [
        ("two cells swapped", |cells| cells.swap(100, 101)),
        ("a cell at two places", |cells| cells[100] = cells[99].clone()),
        ("a cell of 0", |cells| cells[127].fill(0)),
    ];
    for (what, change) in changes {
        let mut wrong = good.clone();
        change(&mut wrong.inputs[1]);
        refused(what, &wrong, &Error::Inconsistent);
    }
}

#[test]
fn empty_batches() {
    let settings = MAINNET.ours.settings();
    for none in [Call::blobs([]), Call::cells([])] {
        assert_eq!(ours("none", &none), Answer::Valid);
    }
    assert_eq!(compute_wanted(&Serial, settings, &[], Want::CELLS_AND_PROOFS), Ok(vec![]));
    assert_eq!(recover_wanted(&Serial, settings, &[], Want::CELLS), Ok(vec![]));
}

/// Each list of each function alone longer, shorter and empty, and alone not empty, with the functions that name wrong
/// items and recover many blobs.
#[test]
fn lists_of_different_lengths() {
    for (call, counted) in [
        (Call::blobs([&SAMPLES[0]; 3]), 0),
        (Call::cells([(&SAMPLES[0], 0); 3]), 2),
        (Call::recovery(&SAMPLES[0], 0..128), 0),
    ] {
        let kinds = inputs(call.function);
        // The list that others are compared with, and the first of them.
        let other_than_counted = usize::from(counted == 0);
        for (n, other) in [(2, 1), (2, 3), (1, 0), (0, 1), (64, 65), (65, 64), (128, 0), (0, 128)] {
            for list in 0..kinds.len() {
                let mut wrong = call.clone();
                for (at, items) in wrong.inputs.iter_mut().enumerate() {
                    let len = if at == list { other } else { n };
                    *items = items.iter().cycle().take(len).cloned().collect();
                }
                let error = match list == counted {
                    true => Error::Count { what: kinds[other_than_counted], expected: other, got: n },
                    false => Error::Count { what: kinds[list], expected: n, got: other },
                };
                refused(&format!("list {list} has {other}, the others {n}"), &wrong, &error);
                if call.function != Function::Recover {
                    assert_eq!(wrong.find_wrong(&MAINNET.ours), Err(error));
                }
            }
        }
    }
}

/// Checks that of several bad items the first is reported, and the next without it.
#[track_caller]
fn first_is_named(call: &Call, bad: &[(usize, usize, Vec<u8>, Error)]) {
    for first in 0..bad.len() {
        let mut call = call.clone();
        for (list, index, bytes, _) in &bad[first..] {
            call.inputs[*list][*index].clone_from(bytes);
        }
        refused(&format!("from {first}"), &call, &bad[first].3);
    }
}

#[test]
fn the_first_bad_item_is_named() {
    let sample = &SAMPLES[0];
    let element = |what, list, index, element, good: &[u8]| {
        let bytes = with_element(good, element, &MODULUS);
        (list, index, bytes, Error::NotCanonical { what, index, element })
    };
    let [(_, of_order_3, in_subgroup), _, (_, not_on_curve, on_curve), ..] = no_points();
    let order_3 = |what, list, index| {
        (list, index, of_order_3.to_vec(), Error::Point { what, index, why: in_subgroup.clone() })
    };
    let off = |what, list, index| {
        (list, index, not_on_curve.to_vec(), Error::Point { what, index, why: on_curve.clone() })
    };
    let blob = |index, at| element(Input::Blob, 0, index, at, &sample.blob);
    let short = |index| {
        let error = Error::Length { what: Input::Blob, index, expected: 131_072, got: 7 };
        (0, index, vec![0; 7], error)
    };
    let commitments = |list| [order_3(Input::Commitment, list, 1), off(Input::Commitment, list, 2)];
    let (two, three) = (Call::blobs([sample; 2]), Call::blobs([sample; 3]));
    first_is_named(&three, &[blob(1, 9), short(2)]);
    // Two blobs may be hashed together.
    first_is_named(&two, &[blob(0, 9), short(1)]);
    first_is_named(&two, &[blob(0, 9), blob(1, 4095)]);
    first_is_named(&three, &commitments(1));
    // The points of one blob may be read beside it.
    first_is_named(&Call::blobs([sample]), &[blob(0, 9), off(Input::Commitment, 1, 0)]);
    let cells = Call::cells([9, 5, 5].map(|index| (sample, index)));
    first_is_named(&cells, &commitments(0));
    // In any order of columns, also where one column has several. Each bad cell has its error at another element.
    for indices in [vec![9, 5, 5], vec![9, 5], vec![5, 9], vec![127, 64, 9, 9, 5, 0], vec![3, 7, 7, 3, 7, 3]]
    {
        let cells = Call::cells(indices.iter().map(|index| (sample, *index)));
        let bad = |(k, good): (usize, &Vec<u8>)| element(Input::Cell, 2, k, 2 * k + 1, good);
        first_is_named(&cells, &cells.inputs[2].iter().enumerate().map(bad).collect::<Vec<_>>());
    }
    // The order in which inputs of several kinds are read is that of rust_eth_kzg.
    let one = verification();
    let scalar = |what, list| element(what, list, 0, 0, &one.inputs[list][0]);
    let points = [order_3(Input::Commitment, 0, 0), off(Input::Proof, 3, 0)];
    first_is_named(&one, &[&points[..], &[scalar(Input::Z, 1), scalar(Input::Y, 2)]].concat());
    let z = Call::new(Function::ComputeProof, &[&sample.blob, &sample.opening(3).z]);
    first_is_named(&z, &[blob(0, 4095), scalar(Input::Z, 1)]);
    let proof = Call::new(Function::ComputeBlobProof, &[&sample.blob, &sample.commitment()]);
    first_is_named(&proof, &[blob(0, 4095), order_3(Input::Commitment, 1, 0)]);
}
