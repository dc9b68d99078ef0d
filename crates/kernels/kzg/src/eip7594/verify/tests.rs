//! Forging: batches of wrong cells, proofs and commitments that verify for everyone who knows the random factors before
//! the batch is fixed.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::{Error as PointError, G1Affine};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use super::*;
use crate::{
    BYTES_PER_BLOB, Cell, Commitment, Proof, Request, blob_to_kzg_commitment, compute_cells_and_kzg_proofs,
};

thread_local! {
    /// Number of equations that this thread has evaluated.
    pub(in crate::eip7594) static EQUATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Cells with the claims about them.
#[derive(Clone)]
pub(in crate::eip7594) struct Cells<'s> {
    pub(in crate::eip7594) settings: &'s Settings,
    pub(in crate::eip7594) commitments: Vec<Commitment>,
    pub(in crate::eip7594) columns: Vec<u64>,
    pub(in crate::eip7594) cells: Vec<Cell>,
    pub(in crate::eip7594) proofs: Vec<Proof>,
}

impl<'s> Cells<'s> {
    /// Returns a cell of each column, those of even index of one random blob and the others of another one.
    pub(in crate::eip7594) fn honest(
        settings: &'s Settings,
        columns: &[u64],
        rng: &mut impl RngCore,
    ) -> Self {
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

    /// Calls `f` with the batch.
    pub(in crate::eip7594) fn with<T>(&self, f: impl FnOnce(&Batch<'_>) -> T) -> T {
        fn slices<const N: usize>(all: &[[u8; N]]) -> Vec<&[u8]> {
            all.iter().map(|one| &one[..]).collect()
        }
        let (cells, proofs) = (slices(&self.cells), slices(&self.proofs));
        f(&Batch::new(&slices(&self.commitments), &self.columns, &cells, &proofs).unwrap())
    }

    /// Returns the result of [`verify_cell_kzg_proof_batch`].
    fn result(&self, settings: &Settings) -> Result<bool, Error> {
        self.with(|batch| batch.verify(&Serial, settings))
    }

    fn verify(&self) -> bool {
        self.result(self.settings).unwrap()
    }

    /// Returns the verdict for a verifier with these factors.
    fn verify_with(&self, factors: &[Fr]) -> bool {
        self.with(|batch| {
            let points = batch.read(&Serial, self.settings, None).unwrap();
            let sides = batch.sides(&Serial, self.settings, &points, Terms::all(factors)).unwrap();
            sides.are_equal(&Serial, self.settings)
        })
    }

    /// Returns the factors that are this batch's own.
    pub(in crate::eip7594) fn factors(&self) -> Vec<Fr> {
        self.with(|batch| {
            let points = batch.read(&Serial, self.settings, None).unwrap();
            random_factors(&points.hash, self.cells.len())
        })
    }
}

/// Adds multiples of the generator to points.
pub(in crate::eip7594) fn add(points: &mut [[u8; 48]], multiples: &[Fr]) {
    for (point, multiple) in points.iter_mut().zip(multiples) {
        let sum = G1::from(G1Affine::from_compressed(point).unwrap()) + G1::generator() * *multiple;
        *point = sum.to_compressed();
    }
}

/// Adds a number to each value of each cell.
pub(in crate::eip7594) fn add_to_values(cells: &mut [Cell], numbers: &[Fr]) {
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
    ] {
        let errors = cancelling.iter().zip(&factors).map(|(e, f)| *e * f.inverse().unwrap());
        let mut forged = honest.clone();
        change(&mut forged, &errors.collect::<Vec<_>>());
        assert!(forged.verify_with(&factors), "factors of {of}: the forgery is one");
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

/// The sides of disjoint sets of cells add up to the sides of all cells, also if the commitments are already read.
#[test]
fn sides_add_up() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    for columns in [vec![0, 9, 9, 127, 5, 9, 0, 64], vec![7; 8]] {
        let honest = Cells::honest(&settings, &columns, &mut rng());
        let mut wrong = honest.clone();
        add(&mut wrong.proofs[5..6], &[Fr::one()]);
        wrong.with(|batch| {
            let read = batch.read(&Serial, &settings, None).unwrap();
            let points = batch.read(&Serial, &settings, Some(&read.commitments)).unwrap();
            assert_eq!((points.hash, &points.proofs), (read.hash, &read.proofs));
            let factors = random_factors(&points.hash, columns.len());
            let sides = |cells: &[usize]| {
                let factors: Vec<Fr> = cells.iter().map(|k| factors[*k]).collect();
                let terms = Terms { cells: Some(cells), factors: &factors };
                batch.sides(&Serial, &settings, &points, terms).unwrap()
            };
            let all = batch.sides(&Serial, &settings, &points, Terms::all(&factors)).unwrap();
            let (some, others) = (sides(&[7, 0, 3]), sides(&[1, 2, 4, 5, 6]));
            let verdicts = [all, some, others].map(|sides| sides.are_equal(&Serial, &settings));
            assert_eq!(verdicts, [false, true, false]);
            for (sum, expected) in [(some + others, all), (all - some, others)] {
                assert_eq!((sum.ll, sum.rl), (expected.ll, expected.rl));
            }
            assert!((all - sides(&[5])).are_equal(&Serial, &settings));
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

/// Returns a point of the curve, which may be outside of the group.
pub(in crate::eip7594) fn on_curve(compressed: &[u8; 48]) -> Result<G1, PointError> {
    G1Affine::on_curve_from_compressed(compressed).map(G1::from)
}

/// Adds a point of order 3, or one without a part of order 3 or in the group, to a point.
pub(in crate::eip7594) fn leave_the_group(point: &mut [u8; 48], order_3: bool) {
    let bits = |words: &[u64]| {
        let bits = words.iter().rev().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1 == 1));
        bits.collect::<Vec<_>>()
    };
    let times = |point: G1, factor: &[u64]| {
        bits(factor)
            .into_iter()
            .fold(G1::identity(), |sum, bit| if bit { sum.double() + point } else { sum.double() })
    };
    let anywhere = (1..=u8::MAX).filter_map(|x| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (0x80, x);
        on_curve(&bytes).ok()
    });
    let mut torsion = anywhere.map(|point| {
        let torsion = times(point, &parcrypt_bls12_381::constants::R);
        if order_3 {
            let primes = [11, 10177, 859_267, 52_437_899];
            primes.iter().fold(torsion, |point, prime| times(times(point, &[*prime]), &[*prime]))
        } else {
            times(torsion, &[3])
        }
    });
    let torsion = torsion.find(|torsion| *torsion != G1::identity()).unwrap();
    let sum = G1::from(G1Affine::from_compressed(point).unwrap()) + torsion;
    *point = sum.to_compressed();
}

/// Errors and their order are those of a check of each point, commitments first.
#[test]
fn points_outside_of_the_group_are_named() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let all: Vec<u64> = (0..128).collect();
    let mut column = Cells::honest(&settings, &[9; 100], &mut rng);
    // A constant in a polynomial changes its commitment and its values, not its proofs.
    let constants: Vec<Fr> = (0..100).map(Fr::from).collect();
    add(&mut column.commitments, &constants);
    add_to_values(&mut column.cells, &constants);
    for honest in [Cells::honest(&settings, &all, &mut rng), column] {
        let n = honest.cells.len();
        assert!(honest.verify());
        let torsion = |index: usize, order_3: bool| {
            move |batch: &mut Cells<'_>| leave_the_group(&mut batch.proofs[index], order_3)
        };
        type Change<'a> = Box<dyn Fn(&mut Cells<'_>) + 'a>;
        let changes: Vec<(&str, Change<'_>)> = vec![
            ("order 3", Box::new(torsion(17, true))),
            ("another order", Box::new(torsion(n - 1, false))),
            (
                "two",
                Box::new(|batch| {
                    torsion(30, false)(batch);
                    torsion(4, true)(batch);
                }),
            ),
            ("a commitment", Box::new(|batch| leave_the_group(&mut batch.commitments[1], false))),
            (
                "a commitment and a proof",
                Box::new(|batch| {
                    torsion(0, true)(batch);
                    leave_the_group(&mut batch.commitments[n - 1], true);
                }),
            ),
            (
                "and bytes that are no point after it",
                Box::new(|batch| {
                    torsion(6, true)(batch);
                    batch.proofs[7] = [0; 48];
                }),
            ),
            (
                "and bytes that are no point before it",
                Box::new(|batch| {
                    torsion(6, true)(batch);
                    batch.proofs[5] = [0; 48];
                }),
            ),
            (
                "and a cell that is not canonical",
                Box::new(|batch| {
                    torsion(n - 2, false)(batch);
                    batch.cells[0][..32].fill(0xff);
                }),
            ),
            ("a cell that is not canonical", Box::new(|batch| batch.cells[3][64..96].fill(0xff))),
            ("a wrong proof", Box::new(|batch| add(&mut batch.proofs[2..3], &[Fr::one()]))),
            ("a wrong cell", Box::new(|batch| add_to_values(&mut batch.cells[n - 1..], &[Fr::one()]))),
        ];
        for (name, change) in changes {
            let mut batch = honest.clone();
            change(&mut batch);
            let each = |what, points: &[[u8; 48]]| {
                points.iter().enumerate().find_map(|(k, bytes)| bytes::point(what, k, bytes).err())
            };
            let expected = each(Input::Commitment, &batch.commitments).or(each(Input::Proof, &batch.proofs));
            match (expected, batch.result(&settings)) {
                (Some(expected), found) => assert_eq!(found, Err(expected), "{name}"),
                (None, found) => {
                    assert!(matches!(found, Ok(false) | Err(Error::NotCanonical { .. })), "{name}")
                }
            }
        }
        // Opposite torsion would cancel if factors were the same.
        let mut forged = honest.clone();
        leave_the_group(&mut forged.proofs[3], false);
        let proof = G1::from(G1Affine::from_compressed(&honest.proofs[3]).unwrap());
        let torsion = on_curve(&forged.proofs[3]).unwrap() - proof;
        let other = G1::from(G1Affine::from_compressed(&honest.proofs[4]).unwrap());
        forged.proofs[4] = (other - torsion).to_compressed();
        let error = Error::Point { what: Input::Proof, index: 3, why: PointError::NotInSubgroup };
        assert_eq!(forged.result(&settings), Err(error));
    }
}
