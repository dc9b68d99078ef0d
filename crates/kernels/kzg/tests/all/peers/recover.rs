//! Recovery from 64 to 128 cells, and a case in which the other libraries differ: cells that do not lie on one
//! polynomial.
//!
//! 64 cells fix a polynomial of degree below 4096. Where there are more, some may contradict the others. The
//! specification (`recover_polynomialcoeff` in polynomial-commitments-sampling.md of Fulu) goes on from "we know that
//! (P*Z)(x) has degree at most FIELD_ELEMENTS_PER_EXT_BLOB - 1", which is not so for such cells, and checks nothing: it
//! takes the polynomial of degree below 8192 that results from the division, and drops the coefficients above 4095. So
//! it returns cells and proofs of a polynomial that contradict the input.
//!
//! - c-kzg drops them too where it computes the proofs, but it returns the cells of the polynomial before that; and
//!   where all 128 cells are given it copies them. So its proofs are not even those of its cells.
//! - rust_eth_kzg refuses where a dropped coefficient would not be 0.
//! - We refuse too, with `Error::Inconsistent`: no blob has such cells, so no answer could be right.

use parcrypt_bls12_381::Fr;
use parcrypt_kzg::{Cell, CellsAndProofs, Error, Samples};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rand::seq::index::sample;
use parcrypt_testkit::rng;

use super::oracle::{MAINNET, SAMPLES, Sample, TWO, random_blob, random_fr, same};

/// Returns sets of the 128 cells by their indices, in order.
fn patterns(rng: &mut impl Rng) -> Vec<(String, Vec<u64>)> {
    let mut all: Vec<(String, Vec<u64>)> = vec![
        ("the first 64".into(), (0..64).collect()),
        ("the last 64".into(), (64..128).collect()),
        ("the even ones".into(), (0..128).step_by(2).collect()),
        ("the odd ones".into(), (1..128).step_by(2).collect()),
        ("all but the first".into(), (1..128).collect()),
        ("all but the last".into(), (0..127).collect()),
        ("all".into(), (0..128).collect()),
        // The y of the missing cells are a group, and their polynomial is X^32 − 1.
        ("all but 0, 4, 8, …".into(), (0..128).filter(|index| index % 4 != 0).collect()),
    ];
    for count in [64, 65, rng.random_range(66..127)] {
        all.push((format!("{count} at random"), at_random(rng, count)));
    }
    all
}

fn at_random(rng: &mut impl Rng, count: usize) -> Vec<u64> {
    let mut indices: Vec<u64> = sample(rng, 128, count).into_iter().map(|index| index as u64).collect();
    indices.sort_unstable();
    indices
}

fn chosen<'a>(cells: &'a [Cell], indices: &[u64]) -> Vec<&'a [u8]> {
    indices.iter().map(|index| &cells[*index as usize][..]).collect()
}

/// Checks that the results of our four functions equal this one.
fn ours(what: &str, indices: &[u64], cells: &[&[u8]], theirs: &Option<CellsAndProofs>) {
    let settings = &MAINNET.ours;
    let their_cells = theirs.as_ref().map(|both| both.cells.clone());
    same(what, parcrypt_kzg::recover_cells(&Serial, settings, indices, cells), &their_cells);
    // Proofs are slow, so those of one blob are computed once; `one_blob_alone` tests the other function.
    if theirs.is_none() {
        let both = parcrypt_kzg::recover_cells_and_kzg_proofs(&Serial, settings, indices, cells);
        same(what, both, theirs);
    }
    let samples = [Samples { cell_indices: indices, cells }];
    let mut many = parcrypt_kzg::recover_cells_many(&*TWO, settings, &samples);
    same(what, many.remove(0), &their_cells);
    let mut many = parcrypt_kzg::recover_cells_and_kzg_proofs_many(&*TWO, settings, &samples);
    same(what, many.remove(0), theirs);
}

#[test]
fn from_64_to_128_cells() {
    let mut rng = rng();
    let blobs = SAMPLES.choose_multiple(&mut rng, 4).collect::<Vec<_>>();
    for ((pattern, indices), sample) in patterns(&mut rng).choose_multiple(&mut rng, 4).zip(blobs) {
        let cells = chosen(&sample.cells, indices);
        let theirs = MAINNET.recover_cells_and_kzg_proofs(indices, &cells);
        let what = format!("{} from {pattern}", sample.name);
        assert_eq!(theirs.as_ref().map(|both| &both.cells), Some(&sample.cells), "{what}");
        assert_eq!(theirs.as_ref().map(|both| &both.proofs), Some(&sample.proofs), "{what}");
        ours(&what, indices, &cells, &theirs);
    }
    // The other libraries are slow, but the result for each blob and pattern is known.
    for sample in SAMPLES.iter() {
        for (pattern, indices) in patterns(&mut rng) {
            let cells = chosen(&sample.cells, &indices);
            let recovered = parcrypt_kzg::recover_cells(&*TWO, &MAINNET.ours, &indices, &cells);
            assert!(recovered.as_ref() == Ok(&sample.cells), "{} from {pattern}", sample.name);
        }
    }
}

#[test]
fn one_blob_alone() {
    let Sample { cells, proofs, .. } = &SAMPLES[1];
    let indices: Vec<u64> = (40..110).collect();
    let theirs = CellsAndProofs { cells: cells.clone(), proofs: proofs.clone() };
    let some = chosen(cells, &indices);
    let ours = parcrypt_kzg::recover_cells_and_kzg_proofs(&Serial, &MAINNET.ours, &indices, &some);
    same("70 cells in a row", ours, &Some(theirs));
}

/// Checks that any 64 cells are the cells of some polynomial.
#[test]
fn from_64_cells_of_different_blobs() {
    let mut rng = rng();
    let indices: Vec<u64> = (0..128).filter(|index| (index / 7) % 2 == 0).take(64).collect();
    let cells: Vec<&[u8]> =
        indices.iter().map(|i| &SAMPLES[*i as usize % SAMPLES.len()].cells[*i as usize][..]).collect();
    assert_eq!(cells.len(), 64);
    let theirs = MAINNET.recover_cells_and_kzg_proofs(&indices, &cells);
    assert!(theirs.is_some());
    ours("64 cells of different blobs", &indices, &cells, &theirs);
    // So one damaged cell of 64 is a valid cell of another blob.
    let indices: Vec<u64> = (64..128).collect();
    let mut damaged = SAMPLES[0].cells[64..].to_vec();
    damaged[9][32..64].copy_from_slice(&random_fr(&mut rng).to_bytes());
    let cells: Vec<&[u8]> = damaged.iter().map(|cell| &cell[..]).collect();
    let theirs = MAINNET.recover_cells_and_kzg_proofs(&indices, &cells);
    assert!(theirs.as_ref().is_some_and(|both| both.cells[..64] != SAMPLES[0].cells[..64]));
    ours("64 cells, one of them damaged", &indices, &cells, &theirs);
}

/// Returns the result of the specification for these cells, which are cells of a polynomial of a higher degree: the
/// cells and proofs of its coefficients below 4096.
fn of_cut_polynomial(cells: &[Cell]) -> CellsAndProofs {
    let mut values: Vec<Fr> = cells
        .as_flattened()
        .chunks(32)
        .map(|bytes| Fr::from_bytes(bytes.try_into().unwrap()).unwrap())
        .collect();
    let reversed: Vec<Fr> = (0..8192u16).map(|i| values[usize::from(i.reverse_bits() >> 3)]).collect();
    let domain = parcrypt_bls12_381::Domain::new(parcrypt_bls12_381::Request::Auto, 13).unwrap();
    domain
        .inverse_fft(&Serial, parcrypt_bls12_381::Decomposition::Iterative, &reversed, &mut values)
        .unwrap();
    assert!(values[4096..].iter().any(|coefficient| *coefficient != Fr::zero()));
    MAINNET.compute_cells_and_kzg_proofs(&super::blob_of(&values[..4096])).unwrap()
}

#[test]
fn redundant_cells_that_are_damaged() {
    let mut rng = rng();
    for count in [65, rng.random_range(66..128), 128] {
        let indices = at_random(&mut rng, count);
        let last = indices.len() - 1;
        let at = [0, last, rng.random_range(0..=last)][rng.random_range(0..3)];
        let mut damaged: Vec<Cell> = indices.iter().map(|index| SAMPLES[0].cells[*index as usize]).collect();
        let element = rng.random_range(0..64);
        damaged[at][32 * element..][..32].copy_from_slice(&random_fr(&mut rng).to_bytes());
        let cells: Vec<&[u8]> = damaged.iter().map(|cell| &cell[..]).collect();
        let what = format!("{count} cells, number {at} damaged");

        ours(&what, &indices, &cells, &None);
        let ours = parcrypt_kzg::recover_cells(&Serial, &MAINNET.ours, &indices, &cells);
        assert_eq!(ours, Err(Error::Inconsistent), "{what}");
        assert!(MAINNET.recover_by_eth_kzg(&indices, &cells).is_none(), "{what}: rust_eth_kzg refuses");

        let by_c_kzg = MAINNET.recover_by_c_kzg(&indices, &cells).expect("c-kzg answers");
        let kept = indices.iter().zip(&damaged).all(|(index, cell)| by_c_kzg.cells[*index as usize] == *cell);
        assert!(kept, "{what}: c-kzg gives the cells that it was given");
        let specification = of_cut_polynomial(&by_c_kzg.cells);
        assert_eq!(by_c_kzg.proofs, specification.proofs, "{what}: the proofs of the specification");
        assert!(by_c_kzg.cells != specification.cells, "{what}: but not its cells");
    }
    // Whole cells of another blob are damage too, as are more cells of it than are needed.
    let other = random_blob(&mut rng);
    let other = parcrypt_kzg::compute_cells(&Serial, &MAINNET.ours, &other).unwrap();
    let indices: Vec<u64> = (0..128).collect();
    for from in [1, 64, 127] {
        let cells: Vec<&[u8]> = (0..128)
            .map(|index| &(if index < from { &SAMPLES[0].cells } else { &other })[index][..])
            .collect();
        assert!(MAINNET.recover_by_eth_kzg(&indices, &cells).is_none());
        ours("cells of two blobs", &indices, &cells, &None);
    }
}
