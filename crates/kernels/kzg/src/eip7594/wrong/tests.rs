//! Batches with wrong cells at all positions and of all kinds. The oracle is the verification of each cell by itself.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::rng;

use super::*;
use crate::eip7594::verify::tests::{Cells as Claimed, add, add_to_values, leave_the_group};
use crate::eip7594::verify_cell_kzg_proof_batch;
use crate::{ArithmeticError, Request};

/// Returns each item as a slice.
fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}

/// The inputs of a batch as bytes of any length.
#[derive(Clone)]
struct Inputs {
    commitments: Vec<Vec<u8>>,
    columns: Vec<u64>,
    cells: Vec<Vec<u8>>,
    proofs: Vec<Vec<u8>>,
}

impl From<&Claimed<'_>> for Inputs {
    fn from(claimed: &Claimed<'_>) -> Self {
        Inputs {
            commitments: claimed.commitments.iter().map(|c| c.to_vec()).collect(),
            columns: claimed.columns.clone(),
            cells: claimed.cells.iter().map(|cell| cell.to_vec()).collect(),
            proofs: claimed.proofs.iter().map(|proof| proof.to_vec()).collect(),
        }
    }
}

impl Inputs {
    fn with<T>(&self, f: impl FnOnce(&[&[u8]], &[u64], &[&[u8]], &[&[u8]]) -> T) -> T {
        f(&slices(&self.commitments), &self.columns, &slices(&self.cells), &slices(&self.proofs))
    }

    fn which(&self, settings: &Settings) -> Vec<WrongItem> {
        self.with(|c, i, cells, p| verify_cell_kzg_proof_batch_which(&Serial, settings, c, i, cells, p))
            .unwrap()
    }

    /// Returns what each cell's verification by itself says.
    fn oracle(&self, settings: &Settings) -> Vec<WrongItem> {
        let why = |k: usize, c: &[&[u8]], i: &[u64], cells: &[&[u8]], p: &[&[u8]]| {
            let one = k..=k;
            let (c, i, cells, p) = (&c[one.clone()], &i[one.clone()], &cells[one.clone()], &p[one]);
            match verify_cell_kzg_proof_batch(&Serial, settings, c, i, cells, p) {
                Ok(true) => None,
                Ok(false) => Some(Reason::DoesNotVerify),
                Err(error) => Some(Reason::Malformed(error.at(k))),
            }
        };
        self.with(|c, i, cells, p| {
            (0..i.len())
                .filter_map(|index| why(index, c, i, cells, p).map(|why| WrongItem { index, why }))
                .collect()
        })
    }
}

/// Asserts that these cells are named and no others, and that each is wrong by itself.
fn assert_named(settings: &Settings, batch: &Claimed<'_>, wrong: &[usize], name: &str) {
    let inputs = Inputs::from(batch);
    let found = inputs.which(settings);
    let mut wrong = wrong.to_vec();
    wrong.sort_unstable();
    wrong.dedup();
    assert_eq!(found.iter().map(|item| item.index).collect::<Vec<_>>(), wrong, "{name}");
    if batch.cells.len() <= 40 {
        assert_eq!(found, inputs.oracle(settings), "{name}");
    }
}

/// Makes some cells wrong, each in one of three ways: its values, its proof, or both by the same number.
fn spoil(batch: &mut Claimed<'_>, wrong: &[usize], rng: &mut impl RngCore) {
    for (i, k) in wrong.iter().enumerate() {
        let error = [Fr::from(rng.next_u64() | 1)];
        if i % 3 != 1 {
            add_to_values(&mut batch.cells[*k..=*k], &error);
        }
        if i % 3 != 0 {
            add(&mut batch.proofs[*k..=*k], &error);
        }
    }
}

/// Returns a batch of cells with a commitment for each: constants in the polynomials.
fn with_commitments<'s>(settings: &'s Settings, columns: &[u64], rng: &mut impl RngCore) -> Claimed<'s> {
    let mut batch = Claimed::honest(settings, columns, rng);
    let constants: Vec<Fr> = (0..columns.len() as u64).map(Fr::from).collect();
    add(&mut batch.commitments, &constants);
    add_to_values(&mut batch.cells, &constants);
    batch
}

#[test]
fn each_position_is_found() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for n in [1, 2, 3, 5, 8, 17, 65, 128] {
        for columns in [(0..n).map(|k| 7 * k % 128).collect(), vec![9; n as usize], vec![3; n as usize]] {
            let honest = if columns.first() == Some(&3) {
                with_commitments(&settings, &columns, &mut rng)
            } else {
                Claimed::honest(&settings, &columns, &mut rng)
            };
            assert_named(&settings, &honest, &[], "none");
            let n = columns.len();
            let positions: Vec<usize> = if n <= 17 { (0..n).collect() } else { vec![0, 1, n / 2, n - 1] };
            for (i, at) in positions.into_iter().enumerate() {
                let mut batch = honest.clone();
                if i % 4 == 3 && columns[0] == 3 {
                    add(&mut batch.commitments[at..=at], &[Fr::one()]);
                } else {
                    spoil(&mut batch, &[at; 1], &mut rng);
                }
                assert_named(&settings, &batch, &[at], &format!("{at} of {n}"));
            }
        }
    }
}

#[test]
fn any_number_is_found() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let many: Vec<u64> = (0..128).collect();
    for columns in [&many[..], &[77; 100]] {
        let honest = Claimed::honest(&settings, columns, &mut rng);
        for count in (1..=8).chain([12, 16, 31, 64, columns.len()]) {
            let mut batch = honest.clone();
            let wrong: Vec<usize> = if count == columns.len() {
                (0..count).collect()
            } else {
                (0..count).map(|_| rng.random_range(0..columns.len())).collect()
            };
            let mut once = wrong.clone();
            once.sort_unstable();
            once.dedup();
            spoil(&mut batch, &once, &mut rng);
            assert_named(&settings, &batch, &wrong, &format!("{count}, in column {}", columns[0]));
        }
    }
}

/// Batches that are searched by groups: cells of many columns or of one.
#[test]
fn cells_of_groups_are_found() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let many: Vec<u64> = (0..1120).map(|k| (k * 5) % 16).collect();
    for columns in [many, vec![100; 1100]] {
        let honest = Claimed::honest(&settings, &columns, &mut rng);
        let n = columns.len();
        let name = format!("column {}", columns[1]);
        assert_named(&settings, &honest, &[], &name);
        let same_column: Vec<usize> = (0..n).filter(|k| columns[*k] == columns[n - 1]).collect();
        let mut cases = vec![vec![0], vec![n - 1], vec![555], same_column[..4].to_vec()];
        cases.extend([2, 4, 20].map(|count| (0..count).map(|_| rng.random_range(0..n)).collect::<Vec<_>>()));
        cases.extend([same_column, (0..n).collect()]);
        for wrong in cases {
            let mut batch = honest.clone();
            let mut once = wrong.clone();
            once.sort_unstable();
            once.dedup();
            spoil(&mut batch, &once, &mut rng);
            assert_named(&settings, &batch, &wrong, &format!("{} wrong, {name}", wrong.len()));
        }
        // All cells of even index have the first commitment.
        let mut batch = honest.clone();
        let wrong: Vec<usize> = (0..n).step_by(2).collect();
        wrong.iter().for_each(|k| add(&mut batch.commitments[*k..=*k], &[Fr::one()]));
        assert_named(&settings, &batch, &wrong, &format!("a shared commitment, {name}"));
        // Malformed and wrong cells, and points outside of the group.
        let mut batch = honest.clone();
        spoil(&mut batch, &[700, 31], &mut rng);
        leave_the_group(&mut batch.proofs[1000], false);
        batch.cells[12][32..64].fill(0xff);
        batch.proofs[13] = [0; 48];
        assert_named(&settings, &batch, &[12, 13, 31, 700, 1000], &format!("mixed, {name}"));
    }
}

/// Calls `f` with the equation of a batch with these factors.
fn with_equation<T>(batch: &Claimed<'_>, factors: &[Fr], f: impl FnOnce(&Equation<'_>) -> T) -> T {
    batch.with(|inputs| {
        let settings = batch.settings;
        let points = inputs.read(&Serial, settings, None).unwrap();
        f(&Equation { rt: &Serial, settings, batch: inputs, points, factors: factors.to_vec() })
    })
}

/// Returns the wrong cells that the search with these factors finds.
fn wrong_with(batch: &Claimed<'_>, factors: &[Fr]) -> Vec<usize> {
    with_equation(batch, factors, |equation| {
        let all: Vec<usize> = (0..factors.len()).collect();
        let (sides, runs) = equation.whole(&all).unwrap();
        let mut wrong = equation.wrong(&all, sides, runs).unwrap();
        wrong.sort_unstable();
        wrong
    })
}

/// Returns E0 and E1 of all cells in this order.
fn values_with(batch: &Claimed<'_>, factors: &[Fr], order: &[usize]) -> [Gt; 2] {
    use Exponents::{Factors, Indexed};
    with_equation(batch, factors, |equation| {
        let cells = Cells { equation, cells: order };
        [Factors, Indexed].map(|exponents| cells.value(0..order.len(), exponents).unwrap())
    })
}

/// All cells of a batch in another order: a position is the one in this order, not the index in the batch.
#[test]
fn values_of_a_whole_batch_have_the_positions_of_its_order() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for columns in [vec![3, 90, 9, 4, 90, 60], vec![60; 6]] {
        let mut batch = Claimed::honest(&settings, &columns, &mut rng);
        spoil(&mut batch, &[0, 1, 3, 4], &mut rng);
        let factors = batch.factors();
        for order in [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], order(&batch).try_into().unwrap()] {
            let each = with_equation(&batch, &factors, |equation| {
                let cells = Cells { equation, cells: &order };
                (0..6).map(|at| cells.value(at..at + 1, Exponents::Factors).unwrap()).collect::<Vec<_>>()
            });
            let powers = each.iter().enumerate().map(|(at, value)| value.pow_vartime(at as u64));
            let expected =
                [each.iter().copied().fold(Gt::one(), |a, b| a * b), powers.fold(Gt::one(), |a, b| a * b)];
            assert!(values_with(&batch, &factors, &order) == expected, "{order:?}");
        }
    }
}

/// The order of the search differs from the order of the batch: it is by commitment.
#[test]
fn one_wrong_cell_takes_one_value_in_any_order() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    // Blob by blob, and column by column.
    for columns in [(0..1024).map(|k| k % 128).collect::<Vec<_>>(), (0..288).map(|k| k / 72).collect()] {
        let honest = Claimed::honest(&settings, &columns, &mut rng);
        let n = columns.len();
        for at in [1, n / 2 + 3, n - 2] {
            let mut batch = honest.clone();
            spoil(&mut batch, &[at], &mut rng);
            let search = with_equation(&batch, &batch.factors(), |equation| {
                let all: Vec<usize> = (0..n).collect();
                let (sides, runs) = equation.whole(&all).unwrap();
                equation.search(&all, sides, runs).unwrap()
            });
            assert_eq!((search.wrong, search.undecided.len()), (vec![at], 0), "{at} of {n}");
            // E1 is paid for, the value of the named cell is not; the other cells are right.
            assert_eq!(search.credit, Search::new(n).credit - 1 + (n - 1) / 4, "{at} of {n}");
        }
    }
}

/// Returns the order in which the search has the cells.
fn order(batch: &Claimed<'_>) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..batch.cells.len()).collect();
    cells.sort_by_key(|k| batch.commitments.iter().position(|c| *c == batch.commitments[*k]));
    cells
}

/// Returns a small number as an element, which may be negative.
fn small(value: i64) -> Fr {
    if value < 0 { -Fr::from(value.unsigned_abs()) } else { Fr::from(value as u64) }
}

/// Two wrong cells at positions p and q have the values of one wrong cell at position j: errors x and y with x + y = s
/// and p·x + q·y = j·s. Who knows the factors can make them, and the honest cell j is not named.
#[test]
fn an_honest_cell_is_not_blamed() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for columns in [(0..16).collect(), vec![50; 16]] {
        let honest = Claimed::honest(&settings, &columns, &mut rng);
        let order = order(&honest);
        for factors in [vec![Fr::one(); 16], honest.factors()] {
            for (p, q, j) in [(0i64, 1, 2), (3, 12, 7), (15, 2, 14), (5, 6, 0)] {
                let errors = [(p, small(q - j)), (q, small(j - p))];
                let mut batch = honest.clone();
                for (position, error) in errors {
                    let k = order[position as usize];
                    add_to_values(&mut batch.cells[k..=k], &[error * factors[k].inverse().unwrap()]);
                }
                let points_at_j = |batch: &Claimed<'_>| {
                    let [value, indexed] = values_with(batch, &factors, &order);
                    value != Gt::one() && indexed == value.pow_vartime(j as u64)
                };
                assert!(points_at_j(&batch), "{p} and {q} do not imitate {j}");
                let mut wrong = vec![order[p as usize], order[q as usize]];
                wrong.sort_unstable();
                // With factors that were known, and with the batch's own.
                assert_eq!(wrong_with(&batch, &factors), wrong, "{p} and {q} for {j}");
                assert_named(&settings, &batch, &wrong, &format!("{p} and {q} for {j}"));
                // The same if cell j is wrong too: the others of its node are not right for that.
                let k = order[j as usize];
                add_to_values(&mut batch.cells[k..=k], &[Fr::from(77)]);
                assert!(points_at_j(&batch), "{p} and {q} do not imitate {j}, which is wrong");
                wrong.push(k);
                wrong.sort_unstable();
                assert_eq!(wrong_with(&batch, &factors), wrong, "{p}, {q} and {j}");
            }
        }
    }
}

/// The value of a group is the value of its cells, and an indexed value of groups the product of their powers.
#[test]
fn values_of_groups_are_the_values_of_their_cells() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for columns in [vec![3, 3, 9, 9, 9, 9, 60], vec![60; 7]] {
        let mut batch = Claimed::honest(&settings, &columns, &mut rng);
        spoil(&mut batch, &[0, 3, 5, 6], &mut rng);
        let factors = batch.factors();
        batch.with(|inputs| {
            let points = inputs.read(&Serial, &settings, None).unwrap();
            let equation = Equation { rt: &Serial, settings: &settings, batch: inputs, points, factors };
            let all: Vec<usize> = (0..7).collect();
            let each = [&all[..2], &all[2..6], &all[6..]];
            let runs = each.map(|cells| equation.whole(cells).unwrap().1);
            let groups = Groups::new(&equation, runs.concat()).unwrap();
            let mut product = Gt::one();
            for (unit, cells) in each.into_iter().enumerate() {
                let cells = Cells { equation: &equation, cells };
                let value = cells.value(0..cells.cells.len(), Exponents::Factors).unwrap();
                assert_ne!(value, Gt::one());
                assert_eq!(groups.value(unit..unit + 1, Exponents::Factors).unwrap(), value);
                product *= value.pow_vartime(unit as u64);
            }
            assert_eq!(groups.value(0..3, Exponents::Indexed).unwrap(), product);
        });
    }
}

/// Errors that cancel for factors that an attacker may know: in E0, in E1, and in both, which takes three.
#[test]
fn errors_that_cancel_are_found() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for columns in [(0..32).map(|k| 4 * k).collect(), vec![0; 32]] {
        let honest = Claimed::honest(&settings, &columns, &mut rng);
        let other = Claimed::honest(&settings, &columns, &mut rng);
        let order = order(&honest);
        for (of, factors) in [
            ("no random choice", vec![Fr::one(); 32]),
            ("the honest batch", honest.factors()),
            ("another batch", other.factors()),
        ] {
            let cases: [&[(i64, i64)]; 4] = [
                // Σ x = 0, in one half and over both.
                &[(3, 1), (9, -1)],
                &[(3, 1), (30, -1)],
                // Σ position·x = 0.
                &[(2, 6), (12, -1)],
                // Both: and the batch does verify for these factors.
                &[(1, 1), (2, -2), (3, 1)],
            ];
            for case in cases {
                for also in [None, Some(20)] {
                    let mut batch = honest.clone();
                    for (position, error) in case {
                        let k = order[*position as usize];
                        let error = small(*error) * factors[k].inverse().unwrap();
                        add_to_values(&mut batch.cells[k..=k], &[error]);
                    }
                    let mut wrong: Vec<usize> = case.iter().map(|(p, _)| order[*p as usize]).collect();
                    if let Some(position) = also {
                        wrong.push(order[position]);
                        spoil(&mut batch, &wrong[wrong.len() - 1..], &mut rng);
                    }
                    let sum: i64 = case.iter().map(|(_, error)| error).sum();
                    let indexed: i64 = case.iter().map(|(position, error)| position * error).sum();
                    if also.is_none() {
                        let cancel = values_with(&batch, &factors, &order).map(|value| value == Gt::one());
                        assert_eq!(cancel, [sum == 0, indexed == 0], "the forgery is one");
                        wrong.sort_unstable();
                        let found = if sum == 0 { &[] } else { &wrong[..] };
                        assert_eq!(wrong_with(&batch, &factors), found, "{case:?} with factors of {of}");
                    }
                    assert_named(&settings, &batch, &wrong, &format!("{case:?} with factors of {of}"));
                }
            }
        }
    }
}

#[test]
fn a_shared_commitment_is_wrong_for_all_its_cells() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let columns: Vec<u64> = (0..40).collect();
    let honest = Claimed::honest(&settings, &columns, &mut rng);
    for of in [0, 1] {
        let wrong: Vec<usize> = (of..40).step_by(2).collect();
        let mut batch = honest.clone();
        wrong.iter().for_each(|k| add(&mut batch.commitments[*k..=*k], &[Fr::one()]));
        assert_named(&settings, &batch, &wrong, "wrong");
        let mut batch = honest.clone();
        wrong.iter().for_each(|k| leave_the_group(&mut batch.commitments[*k], true));
        assert_named(&settings, &batch, &wrong, "outside of the group");
        let mut batch = honest.clone();
        wrong.iter().for_each(|k| batch.commitments[*k] = [0xff; 48]);
        spoil(&mut batch, &[5, 6], &mut rng);
        assert_named(&settings, &batch, &[&wrong[..], &[5, 6]].concat(), "no point");
    }
}

#[test]
fn the_same_cell_may_be_there_again() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for columns in [vec![8, 9, 8, 9, 8, 9, 8, 9], vec![8; 8]] {
        let mut batch = Claimed::honest(&settings, &columns, &mut rng);
        for k in 2..8 {
            (batch.cells[k], batch.proofs[k]) = (batch.cells[k % 2], batch.proofs[k % 2]);
        }
        assert_named(&settings, &batch, &[], "honest");
        spoil(&mut batch, &[2], &mut rng);
        (batch.cells[6], batch.proofs[6]) = (batch.cells[2], batch.proofs[2]);
        assert_named(&settings, &batch, &[2, 6], "wrong twice, right twice");
    }
}

/// Points outside of the group, in batches whose sums find them and in those that check each point.
#[test]
fn points_outside_of_the_group_do_not_hide_others() {
    let mut rng = rng();
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let all: Vec<u64> = (0..128).collect();
    for honest in
        [Claimed::honest(&settings, &all, &mut rng), with_commitments(&settings, &[9; 100], &mut rng)]
    {
        let mut batch = honest.clone();
        // Opposite parts cancel if the factors are equal.
        leave_the_group(&mut batch.proofs[3], true);
        leave_the_group(&mut batch.proofs[4], true);
        leave_the_group(&mut batch.proofs[60], false);
        spoil(&mut batch, &[5, 61, 99], &mut rng);
        leave_the_group(&mut batch.commitments[7], false);
        let mut wrong = vec![3, 4, 5, 60, 61, 99];
        wrong.extend((0..batch.cells.len()).filter(|k| honest.commitments[*k] == honest.commitments[7]));
        let other = batch.commitments[7];
        wrong.iter().skip(6).for_each(|k| batch.commitments[*k] = other);
        assert_named(&settings, &batch, &wrong, &format!("column {}", batch.columns[0]));
        let outside = Inputs::from(&batch).which(&settings);
        let why = ArithmeticError::NotInSubgroup;
        let expected = Error::Point { what: Input::Proof, index: 60, why };
        let item = outside.iter().find(|item| item.index == 60).unwrap();
        let commitment_too = honest.commitments[60] == honest.commitments[7];
        assert!(commitment_too || item.why == Reason::Malformed(expected));
    }
}

#[test]
fn malformed_bytes_of_each_kind_are_named() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    for columns in [(0..30).collect(), vec![5; 30]] {
        let honest = Claimed::honest(&settings, &columns, &mut rng);
        let mut batch = honest.clone();
        spoil(&mut batch, &[20, 29], &mut rng);
        leave_the_group(&mut batch.proofs[21], true);
        let mut inputs = Inputs::from(&batch);
        inputs.commitments[0].pop();
        inputs.commitments[1][0] ^= 0x80;
        inputs.columns[2] = 128;
        inputs.columns[3] = u64::MAX;
        inputs.cells[4].push(0);
        inputs.cells[5].clear();
        inputs.cells[6][2016..].fill(0xff);
        inputs.cells[7][..32].copy_from_slice(&modulus());
        inputs.proofs[8].truncate(47);
        inputs.proofs[9] = vec![0; 48];
        inputs.proofs[10] = vec![0xff; 48];
        // Several errors at once: the first of a verification by itself.
        inputs.proofs[11].push(1);
        inputs.cells[11].pop();
        inputs.commitments[12] = vec![0; 48];
        inputs.cells[12].pop();
        inputs.columns[13] = 1 << 32;
        inputs.proofs[13].clear();
        let found = inputs.which(&settings);
        assert_eq!(found, inputs.oracle(&settings));
        for rt in parcrypt_testkit::runtimes("parcrypt-kzg") {
            let which = inputs
                .with(|c, i, cells, p| verify_cell_kzg_proof_batch_which(&*rt, &settings, c, i, cells, p));
            assert_eq!(which.as_ref(), Ok(&found), "{}", rt.name());
        }
        let indices: Vec<usize> = found.iter().map(|item| item.index).collect();
        assert_eq!(indices, (0..14).chain([20, 21, 29]).collect::<Vec<_>>());
        let malformed = found.iter().filter(|item| matches!(item.why, Reason::Malformed(_))).count();
        assert_eq!(malformed, 15);
        // One kind in a batch that is right otherwise, and a batch without a good cell.
        for k in 0..14 {
            let mut one = Inputs::from(&honest);
            one.commitments[k].clone_from(&inputs.commitments[k]);
            one.columns[k] = inputs.columns[k];
            one.cells[k].clone_from(&inputs.cells[k]);
            one.proofs[k].clone_from(&inputs.proofs[k]);
            let expected: Vec<WrongItem> = found[k..=k].to_vec();
            assert_eq!(one.which(&settings), expected);
        }
        let mut none = inputs.clone();
        none.proofs.iter_mut().for_each(Vec::clear);
        assert_eq!(none.which(&settings).len(), 30);
        none.cells.pop();
        let refused =
            none.with(|c, i, cells, p| verify_cell_kzg_proof_batch_which(&Serial, &settings, c, i, cells, p));
        assert_eq!(refused, Err(Error::Count { what: Input::Commitment, expected: 29, got: 30 }));
    }
    assert_eq!(verify_cell_kzg_proof_batch_which(&Serial, &settings, &[], &[], &[], &[]), Ok(vec![]));
}

/// Returns r, which is not canonical, as bytes.
fn modulus() -> [u8; 32] {
    let mut bytes = [0; 32];
    let words = parcrypt_bls12_381::constants::R.iter().rev();
    bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    bytes
}
