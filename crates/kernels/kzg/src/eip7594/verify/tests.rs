//! Forging: batches of wrong cells, proofs and commitments that verify for everyone who knows the random factors before
//! the batch is fixed.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::{Error as PointError, G1Affine};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use super::*;
use crate::eip7594::{CellClaim, CellVerifier};
use crate::find_wrong::Reason;
use crate::{
    BYTES_PER_BLOB, Cell, Commitment, Proof, Request, blob_to_kzg_commitment, compute_cells_and_kzg_proofs,
};

/// Cells with the claims about them.
#[derive(Clone)]
struct Cells<'s> {
    settings: &'s Settings,
    commitments: Vec<Commitment>,
    columns: Vec<u64>,
    cells: Vec<Cell>,
    proofs: Vec<Proof>,
}

impl<'s> Cells<'s> {
    /// Returns a cell of each column, those of even index of one random blob and the others of another one.
    fn honest(settings: &'s Settings, columns: &[u64], rng: &mut impl RngCore) -> Self {
        let blobs = [0, 1].map(|_| {
            let mut blob = vec![0; BYTES_PER_BLOB];
            rng.fill_bytes(&mut blob);
            blob.iter_mut().step_by(32).for_each(|byte| *byte = 0);
            let commitment = blob_to_kzg_commitment(&Serial, settings, &blob).unwrap();
            (commitment, compute_cells_and_kzg_proofs(&Serial, settings, &blob).unwrap())
        });
        let each = || columns.iter().enumerate().map(|(k, column)| (&blobs[k % 2], *column as usize));
        Cells {
            settings,
            commitments: each().map(|(blob, _)| blob.0).collect(),
            columns: columns.to_vec(),
            cells: each().map(|(blob, column)| blob.1.cells[column]).collect(),
            proofs: each().map(|(blob, column)| blob.1.proofs[column]).collect(),
        }
    }

    /// Returns a batch of cells with a commitment for each: constants in the polynomials.
    fn with_commitments(settings: &'s Settings, columns: &[u64], rng: &mut impl RngCore) -> Self {
        let mut batch = Cells::honest(settings, columns, rng);
        let constants: Vec<Fr> = (0..columns.len() as u64).map(Fr::from).collect();
        add(&mut batch.commitments, &constants);
        add_to_values(&mut batch.cells, &constants);
        batch
    }

    /// Calls `f` with the batch.
    fn with<T>(&self, f: impl FnOnce(&Batch<'_>) -> T) -> T {
        let (cells, proofs) = (slices(&self.cells), slices(&self.proofs));
        f(&Batch::new(&slices(&self.commitments), &self.columns, &cells, &proofs).unwrap())
    }

    /// Returns the result of [`verify_cell_kzg_proof_batch`], which is that of a [`CellVerifier`] if the commitments
    /// are good.
    fn result(&self, settings: &Settings) -> Result<bool, Error> {
        self.with(|batch| {
            let result = batch.verify(&Serial, settings, None);
            if let Ok(verifier) = CellVerifier::new(&Serial, settings, &batch.unique_commitments) {
                let claim = |k: usize| CellClaim {
                    commitment_index: batch.commitment_indices[k],
                    cell_index: self.columns[k],
                    cell: &self.cells[k],
                    proof: &self.proofs[k],
                };
                let claims: Vec<_> = (0..self.cells.len()).map(claim).collect();
                assert_eq!(verifier.verify(&Serial, settings, &claims), result);
            }
            result
        })
    }

    fn verify(&self) -> bool {
        self.result(self.settings).unwrap()
    }

    /// Returns the verdict for a verifier with these factors.
    fn verify_with(&self, factors: &[Fr]) -> bool {
        self.with(|batch| {
            let points = batch.read(&Serial, self.settings, None).unwrap();
            let all: Vec<usize> = (0..factors.len()).collect();
            let (settings, cost) = (self.settings, Cost::default());
            let quotient = batch.quotient(&Serial, settings, &points, &all, factors, cost);
            quotient.unwrap() == Gt::one()
        })
    }

    /// Returns the factors that are this batch's own.
    fn factors(&self) -> Vec<Fr> {
        self.with(|batch| {
            let points = batch.read(&Serial, self.settings, None).unwrap();
            random_factors(&points.hash, self.cells.len())
        })
    }

    /// Asserts that the cells that are named are those that are wrong by themselves.
    fn check_named(&self, name: &str) {
        let (settings, all) = (self.settings, [&self.commitments, &self.proofs].map(|points| slices(points)));
        let ([commitments, proofs], cells) = (all, slices(&self.cells));
        let found = find_wrong_cells(&Serial, settings, &commitments, &self.columns, &cells, &proofs);
        let one = |k: usize| {
            let (c, i, cell, p) = (&commitments[k..=k], &self.columns[k..=k], &cells[k..=k], &proofs[k..=k]);
            let why = match verify_cell_kzg_proof_batch(&Serial, settings, c, i, cell, p) {
                Ok(true) => return None,
                Ok(false) => Reason::DoesNotVerify,
                Err(error) => Reason::Malformed(error.at(k)),
            };
            Some(WrongItem { index: k, why })
        };
        assert_eq!(found, Ok((0..cells.len()).filter_map(one).collect()), "{name}");
    }
}

fn slices<T: AsRef<[u8]>>(all: &[T]) -> Vec<&[u8]> {
    all.iter().map(AsRef::as_ref).collect()
}

/// Adds multiples of the generator to points.
fn add(points: &mut [[u8; 48]], multiples: &[Fr]) {
    for (point, multiple) in points.iter_mut().zip(multiples) {
        let sum = G1::from(G1Affine::from_compressed(point).unwrap()) + G1::generator() * *multiple;
        *point = sum.to_compressed();
    }
}

/// Adds a number to each value of each cell.
fn add_to_values(cells: &mut [Cell], numbers: &[Fr]) {
    for (cell, number) in cells.iter_mut().zip(numbers) {
        for value in cell.as_chunks_mut::<32>().0 {
            *value = (Fr::from_bytes(value).unwrap() + *number).to_bytes();
        }
    }
}

/// Tries a forgery with factors that an attacker may know. `cancelling` are errors of the claims whose sum is nothing
/// where all factors are 1; divided by the factors, they cancel with these.
fn cannot_be_forged(columns: &[u64], cancelling: &[Fr], change: impl Fn(&mut Cells<'_>, &[Fr])) {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let honest = Cells::honest(&settings, columns, &mut rng);
    let other = Cells::honest(&settings, columns, &mut rng);
    assert!(honest.verify() && other.verify());
    for (of, factors) in [
        ("no random choice", vec![Fr::one(); columns.len()]),
        ("the honest batch", honest.factors()),
        ("another batch", other.factors()),
        ("the setup", random_factors(&settings.digest, columns.len())),
        ("a constant", random_factors(&[0; 32], columns.len())),
    ] {
        let errors = cancelling.iter().zip(&factors).map(|(e, f)| *e * f.inverse().unwrap());
        let mut forged = honest.clone();
        change(&mut forged, &errors.collect::<Vec<_>>());
        assert!(forged.verify_with(&factors), "factors of {of}: the forgery is one");
        assert!(!forged.verify(), "factors of {of}");
        forged.check_named(&format!("factors of {of}"));
    }
}

/// Errors e_k of proofs cancel where Σ a_k·e_k = 0 and Σ a_k·y_k·e_k = 0; in one column the second follows.
#[test]
fn wrong_proofs_do_not_cancel() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let y = [5, 77, 120].map(|column| settings.points.point(column));
    let errors = [y[1] - y[2], y[2] - y[0], y[0] - y[1]];
    cannot_be_forged(&[5, 77, 120], &errors, |batch, errors| add(&mut batch.proofs, errors));
    // Cells of one column are verified by another equation.
    for column in [vec![9; 2], vec![9; 40]] {
        let errors = [Fr::one(), -Fr::one()];
        cannot_be_forged(&column, &errors, |batch, errors| add(&mut batch.proofs, errors));
    }
}

/// Errors of two cells, of two commitments, and the same constant in a commitment and in the cell of the other.
#[test]
fn wrong_cells_and_commitments_do_not_cancel() {
    let (one, opposite) = ([Fr::one(); 2], [Fr::one(), -Fr::one()]);
    for cells in [[3, 3], [0, 127], [64, 1], [2, 30]] {
        cannot_be_forged(&cells, &opposite, |batch, errors| add_to_values(&mut batch.cells, errors));
        cannot_be_forged(&cells, &opposite, |batch, errors| add(&mut batch.commitments, errors));
        cannot_be_forged(&cells, &one, |batch, errors| {
            add(&mut batch.commitments[..1], &errors[..1]);
            add_to_values(&mut batch.cells[1..], &[errors[1]]);
        });
    }
}

/// The point (τ^64 − y)·G2 is infinity there.
#[test]
fn a_column_with_the_secret_among_its_points_is_verified() {
    let mainnet = Settings::mainnet(Request::Auto).unwrap();
    let secret = mainnet.points.point(64 * 5 + 3).to_bytes();
    let settings = Settings::insecure(&Serial, Request::Auto, &secret).unwrap();
    assert!(settings.vanishing(5).point().is_identity());
    let mut batch = Cells::honest(&settings, &[5; 3], &mut rng());
    assert!(batch.verify());
    add_to_values(&mut batch.cells[..1], &[Fr::one()]);
    assert!(!batch.verify());
}

/// A verifier has only some of the cells of its commitments in a call; a right cell of another commitment or column, or
/// of another setup, is wrong, and so are indices that are out of range.
#[test]
fn a_verifier_takes_any_of_its_cells_and_no_others() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let batch = Cells::with_commitments(&settings, &[6, 7, 7, 90], &mut rng());
    let verifier = CellVerifier::new(&Serial, &settings, &slices(&batch.commitments)).unwrap();
    let claim = |k: usize, commitment_index, cell_index| CellClaim {
        commitment_index,
        cell_index,
        cell: &batch.cells[k],
        proof: &batch.proofs[k],
    };
    let right = |k: usize| claim(k, k as u64, batch.columns[k]);
    let verify = |claims: &[CellClaim<'_>]| verifier.verify(&Serial, &settings, claims);
    let rights = || {
        for cells in [&[][..], &[2], &[1, 2], &[3, 0], &[0, 1, 2, 3, 3]] {
            assert_eq!(verify(&cells.iter().map(|k| right(*k)).collect::<Vec<_>>()), Ok(true), "{cells:?}");
        }
    };
    rights();
    // Exchanged, so that the call has the same cells.
    assert_eq!(verify(&[claim(2, 1, 7), claim(1, 2, 7)]), Ok(false), "commitments");
    assert_eq!(verify(&[claim(0, 0, 7), claim(1, 1, 6)]), Ok(false), "columns");
    let range = Error::CommitmentIndex { index: 1, commitment_index: 4, commitments: 4 };
    assert_eq!(verify(&[right(0), claim(1, 4, 7)]), Err(range));
    assert_eq!(verify(&[claim(0, 0, 128)]), Err(Error::CellIndex { index: 0, cell_index: 128 }));
    let short = CellClaim { proof: &batch.proofs[0][1..], ..right(0) };
    assert_eq!(
        verify(&[right(3), short]),
        Err(Error::Length { what: Input::Proof, index: 1, expected: 48, got: 47 })
    );
    let other = Settings::insecure(&Serial, Request::Auto, &[5; 32]).unwrap();
    assert_eq!(verifier.verify(&Serial, &other, &[]), Err(Error::OtherSetup));
    // What was refused has changed nothing.
    rights();
    let bad = CellVerifier::new(&Serial, &settings, &[&batch.commitments[0], &[0; 48]]).err();
    let why = PointError::NotOnCurve;
    assert_eq!(bad, Some(Error::Point { what: Input::Commitment, index: 1, why }));
}
