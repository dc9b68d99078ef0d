//! Forging: batches of wrong cells, proofs and commitments that verify for everyone who knows the random factors before
//! the batch is fixed.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::G1Affine;
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use super::*;
use crate::{
    BYTES_PER_BLOB, Cell, Commitment, Proof, Request, blob_to_kzg_commitment, compute_cells_and_kzg_proofs,
};

/// Cells with the claims about them.
#[derive(Clone)]
struct Batch<'s> {
    settings: &'s Settings,
    commitments: Vec<Commitment>,
    columns: Vec<u64>,
    cells: Vec<Cell>,
    proofs: Vec<Proof>,
}

impl<'s> Batch<'s> {
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
        Batch {
            settings,
            commitments: each().map(|(blob, _)| blob.0).collect(),
            columns: columns.to_vec(),
            cells: each().map(|(blob, column)| blob.1.cells[column]).collect(),
            proofs: each().map(|(blob, column)| blob.1.proofs[column]).collect(),
        }
    }

    fn verify_by(&self, factors: impl FnOnce(&[u8; 32], usize) -> Vec<Fr> + Send) -> bool {
        fn slices<const N: usize>(all: &[[u8; N]]) -> Vec<&[u8]> {
            all.iter().map(|one| &one[..]).collect()
        }
        let (commitments, cells) = (slices(&self.commitments), slices(&self.cells));
        let rest = (&self.columns[..], &cells[..], &slices(&self.proofs)[..]);
        super::verify(&Serial, self.settings, &commitments, rest, factors).unwrap()
    }

    /// Returns the verdict of [`verify_cell_kzg_proof_batch`].
    fn verify(&self) -> bool {
        self.verify_by(random_factors)
    }

    /// Returns the factors that are this batch's own.
    fn factors(&self) -> Vec<Fr> {
        let own = std::sync::Mutex::new(Vec::new());
        self.verify_by(|hash, n| {
            let factors = random_factors(hash, n);
            own.lock().unwrap().clone_from(&factors);
            factors
        });
        own.into_inner().unwrap()
    }
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
fn cannot_be_forged(columns: &[u64], cancelling: &[Fr], change: impl Fn(&mut Batch<'_>, &[Fr])) {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let honest = Batch::honest(&settings, columns, &mut rng);
    let other = Batch::honest(&settings, columns, &mut rng);
    assert!(honest.verify() && other.verify());
    for (of, factors) in [
        ("no random choice", vec![Fr::one(); columns.len()]),
        ("the honest batch", honest.factors()),
        ("another batch", other.factors()),
    ] {
        let errors = cancelling.iter().zip(&factors).map(|(e, f)| *e * f.inverse().unwrap());
        let mut forged = honest.clone();
        change(&mut forged, &errors.collect::<Vec<_>>());
        assert!(forged.verify_by(|_, _| factors), "factors of {of}: the forgery is one");
        assert!(!forged.verify(), "factors of {of}");
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

#[test]
fn wrong_cells_do_not_cancel() {
    let errors = [Fr::one(), -Fr::one()];
    cannot_be_forged(&[3, 3], &errors, |batch, errors| add_to_values(&mut batch.cells, errors));
    cannot_be_forged(&[0, 127], &errors, |batch, errors| add_to_values(&mut batch.cells, errors));
}

#[test]
fn wrong_commitments_do_not_cancel() {
    let errors = [Fr::one(), -Fr::one()];
    for cells in [&[64, 1], &[9, 9]] {
        cannot_be_forged(cells, &errors, |batch, errors| add(&mut batch.commitments, errors));
    }
}

/// Errors of different parts of the claims cancel too: a constant in a cell and in its commitment.
#[test]
fn a_wrong_cell_does_not_cancel_a_wrong_commitment() {
    for cells in [&[2, 30], &[9, 9]] {
        cannot_be_forged(cells, &[Fr::one(), Fr::one()], |batch, errors| {
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
    let mut batch = Batch::honest(&settings, &[5; 3], &mut rng());
    assert!(batch.verify());
    add_to_values(&mut batch.cells[..1], &[Fr::one()]);
    assert!(!batch.verify());
}
