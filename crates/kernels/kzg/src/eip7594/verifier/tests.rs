//! Verdicts on pieces of each size, duplicates, and forging: wrong cells whose errors cancel, within a piece and across
//! pieces, for everyone who knows the random factors in advance.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parcrypt_bls12_381::{Error as PointError, Fr, G1};
use parcrypt_runtime::{ForkCost, Kind, Serial};
use parcrypt_testkit::rand::seq::SliceRandom;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::rng;

use super::*;
use crate::eip7594::verify::tests::{EQUATIONS, add, add_to_values, leave_the_group};
use crate::{BYTES_PER_BLOB, Request, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
use crate::{CellsAndProofs, verify_cell_kzg_proof_batch};

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| Settings::mainnet(Request::Auto).unwrap());

/// A blob with its cells and proofs.
static BLOB: LazyLock<(Commitment, CellsAndProofs)> = LazyLock::new(|| {
    let mut blob = vec![0; BYTES_PER_BLOB];
    rng().fill_bytes(&mut blob);
    blob.iter_mut().step_by(32).for_each(|byte| *byte = 0);
    let commitment = blob_to_kzg_commitment(&Serial, &SETTINGS, &blob).unwrap();
    (commitment, compute_cells_and_kzg_proofs(&Serial, &SETTINGS, &blob).unwrap())
});

/// A cell with its proof, and the names under which they were sent.
#[derive(Clone)]
struct Sent {
    name: CellName,
    cell: Cell,
    proof: Proof,
}

impl Sent {
    fn claim(&self) -> CellClaim<'_> {
        let CellName { commitment_index, cell_index } = self.name;
        CellClaim { commitment_index, cell_index, cell: &self.cell, proof: &self.proof }
    }
}

/// Returns the commitments to blobs that differ by a constant, and their cells in these columns. A constant in a
/// polynomial changes its commitment and its values, not its proofs.
fn honest(blobs: usize, columns: &[u64]) -> (Vec<Commitment>, Vec<Sent>) {
    let constants: Vec<Fr> = (0..blobs as u64).map(|i| Fr::from(i * i)).collect();
    let mut commitments = vec![BLOB.0; blobs];
    add(&mut commitments, &constants);
    let sent = columns.iter().flat_map(|column| {
        let mut cells = vec![BLOB.1.cells[*column as usize]; blobs];
        add_to_values(&mut cells, &constants);
        let proof = BLOB.1.proofs[*column as usize];
        cells.into_iter().enumerate().map(move |(i, cell)| {
            let name = CellName { commitment_index: i as u64, cell_index: *column };
            Sent { name, cell, proof }
        })
    });
    (commitments, sent.collect())
}

fn verifier(commitments: &[Commitment]) -> CellVerifier {
    let slices: Vec<&[u8]> = commitments.iter().map(|bytes| &bytes[..]).collect();
    CellVerifier::new(&Serial, &SETTINGS, &slices).unwrap()
}

fn claims(sent: &[Sent]) -> Vec<CellClaim<'_>> {
    sent.iter().map(Sent::claim).collect()
}

fn names(sent: &[Sent]) -> BTreeSet<CellName> {
    sent.iter().map(|sent| sent.name).collect()
}

fn most(cells: usize) -> NonZeroUsize {
    NonZeroUsize::new(cells).unwrap()
}

/// Calls `next` until no cell is pending, and returns the names of right and wrong cells.
fn all_verdicts(
    verifier: &CellVerifier,
    next: impl Fn(&CellVerifier) -> CellVerdict,
) -> (BTreeSet<CellName>, BTreeSet<CellName>) {
    let (mut right, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    // Suspects take one call more.
    for _ in 0..2000 {
        if verifier.pending() == 0 {
            break;
        }
        let CellVerdict { verified, wrong: found } = next(verifier);
        assert!(verified.iter().all(|name| right.insert(*name)), "one verdict for each cell");
        assert!(found.iter().all(|cell| wrong.insert(cell.name)), "one verdict for each cell");
    }
    assert_eq!(verifier.pending(), 0);
    (right, wrong)
}

/// Returns whether each cell is right by itself.
fn single(commitments: &[Commitment], sent: &Sent) -> bool {
    let Sent { name, cell, proof } = sent;
    let commitment = &commitments[name.commitment_index as usize];
    let verdict =
        verify_cell_kzg_proof_batch(&Serial, &SETTINGS, &[commitment], &[name.cell_index], &[cell], &[proof]);
    verdict == Ok(true)
}

type Next = (&'static str, Box<dyn Fn(&CellVerifier) -> CellVerdict>);

/// All ways to verify, with pieces of all sizes.
fn ways() -> Vec<Next> {
    let threads = || Kind::Rayon.build(most(3)).unwrap();
    let mut ways: Vec<Next> = vec![];
    for cells in [1, 2, 3, 7, 16, 100] {
        ways.push(("pieces", Box::new(move |v| v.verify_next(&Serial, &SETTINGS, most(cells)).unwrap())));
    }
    for micros in [0, 700, 2000, 1_000_000] {
        let time = Duration::from_micros(micros);
        ways.push(("in time", Box::new(move |v| v.verify_within(&Serial, &SETTINGS, time).unwrap())));
    }
    for cells in [4, 6, 11] {
        ways.push(("some", Box::new(move |v| v.verify_up_to(&Serial, &SETTINGS, most(cells)).unwrap())));
    }
    ways.push(("all", Box::new(|v| v.verify(&Serial, &SETTINGS).unwrap())));
    let rt = threads();
    ways.push(("all, with threads", Box::new(move |v| v.verify(&*rt, &SETTINGS).unwrap())));
    ways
}

#[test]
fn pieces_have_the_verdicts_of_single_cells() {
    let mut rng = rng();
    let outside = |sent: &mut Sent| {
        let mut point = sent.proof;
        leave_the_group(&mut point, false);
        sent.proof = point;
    };
    let changes: [&dyn Fn(&mut Sent); 5] = [
        &|sent| add_to_values(std::slice::from_mut(&mut sent.cell), &[Fr::one()]),
        &|sent| add(std::slice::from_mut(&mut sent.proof), &[Fr::one()]),
        &|sent| sent.proof = [0; 48],
        &outside,
        &|sent| sent.cell[64..96].fill(0xff),
    ];
    for (blobs, columns, wrong) in [
        (5, vec![0, 5, 127], vec![]),
        (5, vec![0, 5, 127], vec![0]),
        (5, vec![127, 3], vec![3, 4, 9]),
        (1, vec![9, 10, 11, 12], vec![2]),
        (48, vec![64], vec![]),
        (48, vec![64], vec![47, 20]),
    ] {
        let (commitments, mut sent) = honest(blobs, &columns);
        sent.shuffle(&mut rng);
        for k in wrong {
            changes[rng.random_range(0..changes.len())](&mut sent[k]);
        }
        let (right, wrong): (Vec<Sent>, Vec<Sent>) =
            sent.iter().cloned().partition(|sent| single(&commitments, sent));
        for (way, next) in ways() {
            let verifier = verifier(&commitments);
            for few in claims(&sent).chunks(7) {
                verifier.add(few).unwrap();
            }
            assert_eq!(verifier.pending(), sent.len());
            assert_eq!(all_verdicts(&verifier, next), (names(&right), names(&wrong)), "{way}");
        }
    }
}

/// A wrong cell has the error of its single verification.
#[test]
fn wrong_cells_have_their_reason() {
    let (commitments, mut sent) = honest(6, &[77]);
    add_to_values(std::slice::from_mut(&mut sent[0].cell), &[Fr::one()]);
    sent[1].cell[96..128].fill(0xff);
    sent[2].proof = [0; 48];
    leave_the_group(&mut sent[4].proof, true);
    sent[5].proof = sent[5].proof.map(|byte| !byte);
    let point = |why| Some(Error::Point { what: Input::Proof, index: 0, why });
    let expected = [
        None,
        Some(Error::NotCanonical { what: Input::Cell, index: 0, element: 3 }),
        point(PointError::NotOnCurve),
        point(PointError::NotInSubgroup),
    ];
    for (way, next) in ways() {
        let verifier = verifier(&commitments);
        verifier.add(&claims(&sent[..5])).unwrap();
        let mut found = Vec::new();
        while verifier.pending() > 0 {
            found.extend(next(&verifier).wrong);
        }
        let why: Vec<_> = found.iter().map(|cell| cell.why.clone()).collect();
        assert_eq!(why, expected, "{way}");
        assert_eq!(found.iter().map(|cell| cell.name.commitment_index).collect::<Vec<_>>(), [0, 1, 2, 4]);
    }
}

/// A piece that is one column by the cheaper equation, one of several columns, and single cells, in one batch.
#[test]
fn verdicts_do_not_depend_on_the_order() {
    let mut rng = rng();
    let (commitments, mut sent) = honest(4, &[1, 2, 99]);
    add(std::slice::from_mut(&mut sent[6].proof), &[Fr::one()]);
    let wrong = names(&sent[6..7]);
    for _ in 0..5 {
        sent.shuffle(&mut rng);
        let verifier = verifier(&commitments);
        let (mut right, mut found) = (BTreeSet::new(), BTreeSet::new());
        for one in &sent {
            verifier.add(&[one.claim()]).unwrap();
            if rng.random() {
                let verdict = verifier.verify_next(&Serial, &SETTINGS, most(rng.random_range(1..4))).unwrap();
                right.extend(verdict.verified);
                found.extend(verdict.wrong.into_iter().map(|cell| cell.name));
            }
        }
        let rest = all_verdicts(&verifier, |v| v.verify(&Serial, &SETTINGS).unwrap());
        right.extend(rest.0);
        found.extend(rest.1);
        assert_eq!((right.len(), found), (sent.len() - 1, wrong.clone()));
    }
}

#[test]
fn the_oldest_cell_is_verified_first() {
    let (commitments, sent) = honest(3, &[7, 3, 5]);
    let verifier = verifier(&commitments);
    // Columns 7, 3, 3, 5, 7, 5.
    let order = [0, 3, 4, 6, 1, 7].map(|k| sent[k].clone());
    verifier.add(&claims(&order)).unwrap();
    let next = || verifier.verify_next(&Serial, &SETTINGS, most(2)).unwrap().verified;
    let name = |k: usize| order[k].name;
    assert_eq!(next(), [name(0), name(4)]);
    verifier.add(&[sent[2].claim()]).unwrap();
    assert_eq!(next(), [name(1), name(2)]);
    assert_eq!(next(), [name(3), name(5)]);
    assert_eq!(next(), [sent[2].name]);
    assert_eq!(next(), []);
    assert_eq!(verifier.verify(&Serial, &SETTINGS), Ok(CellVerdict::default()));
    assert_eq!(verifier.verify_within(&Serial, &SETTINGS, Duration::MAX), Ok(CellVerdict::default()));
}

/// Threads add all cells, each of them twice, and others verify: each cell has one verdict.
#[test]
fn threads_add_and_verify_at_once() {
    let (commitments, mut sent) = honest(8, &[0, 1, 2, 3]);
    add_to_values(std::slice::from_mut(&mut sent[17].cell), &[Fr::one()]);
    let verifier = verifier(&commitments);
    let verdict = Mutex::new((Vec::new(), BTreeSet::new()));
    let adding = AtomicUsize::new(4);
    thread::scope(|scope| {
        for first in 0..4 {
            let (verifier, sent, adding) = (&verifier, &sent, &adding);
            scope.spawn(move || {
                for one in sent[first % 2..].iter().step_by(2) {
                    verifier.add(&[one.claim()]).unwrap();
                }
                adding.fetch_sub(1, Ordering::Release);
            });
        }
        for cells in [2, 5] {
            let (verifier, verdict, adding) = (&verifier, &verdict, &adding);
            scope.spawn(move || {
                while adding.load(Ordering::Acquire) > 0 || verifier.pending() > 0 {
                    let now = verifier.verify_next(&Serial, &SETTINGS, most(cells)).unwrap();
                    let mut verdict = verdict.lock().unwrap();
                    verdict.0.extend(now.verified);
                    // A wrong cell is forgotten, and may be added a second time.
                    verdict.1.extend(now.wrong.into_iter().map(|cell| cell.name));
                }
            });
        }
    });
    let (mut right, wrong) = verdict.into_inner().unwrap();
    right.sort();
    assert_eq!(wrong, names(&sent[17..18]));
    sent.remove(17);
    assert_eq!(right, names(&sent).into_iter().collect::<Vec<_>>());
}

#[test]
fn duplicates_are_accepted_if_they_are_the_same() {
    let (commitments, sent) = honest(2, &[4, 5]);
    let verifier = verifier(&commitments);
    let mut other_cell = sent[1].clone();
    other_cell.cell[2047] ^= 1;
    let mut other_proof = sent[1].clone();
    other_proof.proof[47] ^= 1;
    let duplicate = |index| Err(Error::Duplicate { index, commitment_index: 1, cell_index: 4 });
    let refuses = || {
        for other in [&other_cell, &other_proof] {
            assert_eq!(verifier.add(&[other.claim()]), duplicate(0));
            assert_eq!(verifier.add(&[sent[0].claim(), sent[1].claim(), other.claim()]), duplicate(2));
            assert_eq!(verifier.add(&[sent[2].claim(), other.claim(), sent[3].claim()]), duplicate(1));
        }
    };
    // Within a list, after which no cell is pending.
    assert_eq!(verifier.add(&[sent[1].claim(), sent[0].claim(), other_cell.claim()]), duplicate(2));
    assert_eq!(verifier.pending(), 0);
    assert_eq!(verifier.verify(&Serial, &SETTINGS), Ok(CellVerdict::default()));
    // Pending.
    verifier.add(&[sent[1].claim(), sent[1].claim(), sent[0].claim()]).unwrap();
    verifier.add(&claims(&sent[..2])).unwrap();
    assert_eq!(verifier.pending(), 2);
    refuses();
    assert_eq!(verifier.pending(), 2);
    // Verified.
    let verdict = verifier.verify(&Serial, &SETTINGS).unwrap();
    assert_eq!((verdict.verified, verdict.wrong), (vec![sent[1].name, sent[0].name], vec![]));
    refuses();
    verifier.add(&claims(&sent[..2])).unwrap();
    assert_eq!(verifier.pending(), 0);
    // Refused: it is forgotten, and the right one can be added.
    for other in [&other_cell, &other_proof] {
        let mut other = other.clone();
        other.name.cell_index = 5;
        verifier.add(&[other.claim()]).unwrap();
        let verdict = verifier.verify(&Serial, &SETTINGS).unwrap();
        assert_eq!((verdict.verified.len(), verdict.wrong.len()), (0, 1));
    }
    verifier.add(&claims(&sent)).unwrap();
    assert_eq!(verifier.verify(&Serial, &SETTINGS).unwrap().verified, [sent[2].name, sent[3].name]);
}

#[test]
fn bad_input_is_named() {
    let (commitments, sent) = honest(3, &[4]);
    let mut outside = commitments[1];
    leave_the_group(&mut outside, true);
    let point = |index, why| Error::Point { what: Input::Commitment, index, why };
    let long = [&commitments[0][..], &[0]].concat();
    for (bad, error) in [
        (&outside[..], point(1, PointError::NotInSubgroup)),
        (&[0; 48], point(1, PointError::NotOnCurve)),
        (&long, Error::Length { what: Input::Commitment, index: 1, expected: 48, got: 49 }),
    ] {
        let list = [&commitments[0][..], bad, &commitments[2], bad];
        assert_eq!(CellVerifier::new(&Serial, &SETTINGS, &list).unwrap_err(), error);
    }
    let verifier = verifier(&commitments);
    let good = sent[0].claim();
    for (bad, error) in [
        (
            CellClaim { commitment_index: 3, ..good },
            Error::CommitmentIndex { index: 1, commitment_index: 3, commitments: 3 },
        ),
        (
            CellClaim { commitment_index: u64::MAX, ..good },
            Error::CommitmentIndex { index: 1, commitment_index: u64::MAX, commitments: 3 },
        ),
        (CellClaim { cell_index: 128, ..good }, Error::CellIndex { index: 1, cell_index: 128 }),
        (
            CellClaim { cell: &good.cell[1..], ..good },
            Error::Length { what: Input::Cell, index: 1, expected: 2048, got: 2047 },
        ),
        (
            CellClaim { proof: &[0; 49], ..good },
            Error::Length { what: Input::Proof, index: 1, expected: 48, got: 49 },
        ),
    ] {
        assert_eq!(verifier.add(&[good, bad, good]), Err(error));
    }
    assert_eq!(verifier.pending(), 0);
    // No commitments, and no cells.
    let none = CellVerifier::new(&Serial, &SETTINGS, &[]).unwrap();
    assert_eq!(none.add(&[]), Ok(()));
    let error = Error::CommitmentIndex { index: 0, commitment_index: 0, commitments: 0 };
    assert_eq!(none.add(&[good]), Err(error));
    assert_eq!(none.verify_within(&Serial, &SETTINGS, Duration::ZERO), Ok(CellVerdict::default()));
}

#[test]
fn settings_of_another_setup_are_refused() {
    let (commitments, sent) = honest(1, &[4]);
    let other = Settings::insecure(&Serial, Request::Auto, &Fr::from(77).to_bytes()).unwrap();
    let verifier = verifier(&commitments);
    verifier.add(&claims(&sent)).unwrap();
    assert_eq!(verifier.verify(&Serial, &other), Err(Error::OtherSetup));
    assert_eq!(verifier.verify_next(&Serial, &other, most(1)), Err(Error::OtherSetup));
    assert_eq!(verifier.verify_within(&Serial, &other, Duration::ZERO), Err(Error::OtherSetup));
    // The same setup with other backends.
    let baseline = Settings::mainnet(Request::Baseline).unwrap();
    assert_eq!(verifier.verify(&Serial, &baseline).unwrap().verified, [sent[0].name]);
}

/// A runtime that panics, as a caller's task may.
struct Broken;

impl Runtime for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn threads(&self) -> NonZeroUsize {
        most(2)
    }

    fn fork_cost(&self) -> ForkCost {
        ForkCost::NONE
    }

    fn run(&self, _tasks: usize, _task: &(dyn Fn(usize) + Sync)) {
        panic!("a task");
    }

    fn join(&self, _a: &mut (dyn FnMut() + Send), _b: &mut (dyn FnMut() + Send)) {
        panic!("a branch");
    }
}

/// After a panic cells are pending again, in their order.
#[test]
fn no_cell_is_lost_by_a_panic() {
    let (commitments, sent) = honest(16, &[4, 9]);
    let verifier = verifier(&commitments);
    verifier.add(&claims(&sent)).unwrap();
    type Call = fn(&CellVerifier) -> Result<CellVerdict, Error>;
    let calls: [Call; 3] = [
        |v| v.verify(&Broken, &SETTINGS),
        |v| v.verify_next(&Broken, &SETTINGS, most(16)),
        |v| v.verify_within(&Broken, &SETTINGS, Duration::MAX),
    ];
    for call in calls {
        assert!(catch_unwind(AssertUnwindSafe(|| call(&verifier))).is_err());
        assert_eq!(verifier.pending(), 32);
    }
    let first = verifier.verify_next(&Serial, &SETTINGS, most(16)).unwrap().verified;
    assert_eq!(first, sent[..16].iter().map(|sent| sent.name).collect::<Vec<_>>());
    assert_eq!(verifier.verify(&Serial, &SETTINGS).unwrap().verified.len(), 16);
}

/// Repeated and wrong cells take no memory, and verified ones a hash.
#[test]
fn memory_is_bounded() {
    let (commitments, sent) = honest(4, &[0, 64, 127]);
    let verifier = verifier(&commitments);
    let empty = verifier.memory();
    verifier.add(&claims(&sent)).unwrap();
    let full = verifier.memory();
    let content = BYTES_PER_CELL + BYTES_PER_PROOF;
    assert!(full >= empty + 12 * content && full < empty + 12 * (content + 300), "{empty}, {full}");
    for _ in 0..20 {
        verifier.add(&claims(&sent)).unwrap();
    }
    assert_eq!(verifier.memory(), full);
    verifier.verify(&Serial, &SETTINGS).unwrap();
    let verified = verifier.memory();
    assert_eq!(verified, empty + 12 * size_of::<Slot>());
    let mut wrong = honest(4, &[5]).1;
    wrong.iter_mut().for_each(|sent| add(std::slice::from_mut(&mut sent.proof), &[Fr::one()]));
    let sizes: BTreeSet<usize> = (0..20)
        .map(|_| {
            verifier.add(&claims(&wrong)).unwrap();
            verifier.verify(&Serial, &SETTINGS).unwrap();
            verifier.memory()
        })
        .collect();
    assert_eq!(sizes.len(), 1);
    assert!(verifier.lock().all.iter().all(|column| column.queue.is_empty()));
}

/// Pieces within a time: as many cells as it allows, and at least one; after a wrong one, fewer.
#[test]
fn a_piece_has_the_size_that_its_time_allows() {
    let (commitments, mut sent) = honest(40, &[8]);
    let verifier = verifier(&commitments);
    verifier.add(&claims(&sent)).unwrap();
    let within = |time| verifier.verify_within(&Serial, &SETTINGS, time).unwrap();
    assert_eq!(within(Duration::ZERO).cells(), 1);
    assert_eq!(within(verifier.cost(&SETTINGS, 9)).cells(), 9);
    assert_eq!(within(Duration::MAX).cells(), 30);
    // A wrong cell: first no verdict, then in pieces whose cells can each be verified in time.
    let columns: Vec<Sent> = honest(40, &[9]).1;
    sent = columns;
    add_to_values(std::slice::from_mut(&mut sent[30].cell), &[Fr::one()]);
    verifier.add(&claims(&sent)).unwrap();
    let time = verifier.cost(&SETTINGS, 40);
    assert_eq!((within(time).cells(), verifier.pending()), (0, 40));
    let mut pieces = Vec::new();
    while verifier.pending() > 0 {
        let verdict = within(time);
        let suspects = verdict.cells() as u32;
        assert!(
            suspects == 1
                || verifier.cost(&SETTINGS, verdict.cells()) + suspects * verifier.cost(&SETTINGS, 1) <= time
        );
        pieces.push(verdict);
    }
    let wrong: Vec<CellName> =
        pieces.iter().flat_map(|verdict| &verdict.wrong).map(|cell| cell.name).collect();
    assert_eq!(wrong, [sent[30].name]);
    assert!(pieces.len() > 1);
}

/// Whatever is wrong, suspects take the equation of a right piece and that of each cell by itself, without a search.
#[test]
fn suspects_take_the_time_that_is_stated() {
    let (commitments, right) = honest(24, &[8]);
    type Damage = fn(&mut Sent);
    let changes: [(&str, Damage); 4] = [
        ("value", |sent| add_to_values(std::slice::from_mut(&mut sent.cell), &[Fr::one()])),
        ("proof", |sent| add(std::slice::from_mut(&mut sent.proof), &[Fr::one()])),
        ("not canonical", |sent| sent.cell[64..96].fill(0xff)),
        ("outside", |sent| leave_the_group(&mut sent.proof, false)),
    ];
    for (name, change) in changes {
        for wrong in [1, 2, 4, 24] {
            let mut sent = right.clone();
            sent.iter_mut().step_by(24 / wrong).for_each(change);
            let verifier = verifier(&commitments);
            verifier.add(&claims(&sent)).unwrap();
            assert_eq!(without_limit(&verifier).cells(), 0);
            let time = verifier.cost(&SETTINGS, 24) + 24 * verifier.cost(&SETTINGS, 1);
            EQUATIONS.set(0);
            let verdict = verifier.verify_within(&Serial, &SETTINGS, time).unwrap();
            assert_eq!((verdict.verified.len(), verdict.wrong.len()), (24 - wrong, wrong));
            assert!(EQUATIONS.get() <= 1 + 24, "{wrong} wrong, {name}: {} equations", EQUATIONS.get());
        }
    }
}

/// Adds errors, as what is wrong of each cell.
type Change = fn(&mut [Sent], &[Fr]);

const CHANGES: [Change; 2] = [
    |sent, errors| {
        sent.iter_mut()
            .zip(errors)
            .for_each(|(s, e)| add_to_values(std::slice::from_mut(&mut s.cell), &[*e]));
    },
    |sent, errors| {
        sent.iter_mut().zip(errors).for_each(|(s, e)| add(std::slice::from_mut(&mut s.proof), &[*e]))
    },
];

/// Returns whether cells verify as one piece with these factors.
fn verify_with(verifier: &CellVerifier, sent: &[Sent], factors: &[Fr]) -> bool {
    let cells = sent.iter().map(|sent| Pending {
        name: sent.name,
        content: Arc::new(Content { cell: sent.cell, proof: sent.proof }),
        age: 0,
        suspect: false,
    });
    let cells: Vec<Pending> = cells.collect();
    let piece = Piece { verifier, cells: Vec::new() };
    piece.with(&cells, |batch| {
        let points = batch.read(&Serial, &SETTINGS, Some(&verifier.points)).unwrap();
        let sides = batch.sides(&Serial, &SETTINGS, &points, Terms::all(factors));
        sides.unwrap().are_equal(&Serial, &SETTINGS)
    })
}

/// Returns the factors of a piece.
fn factors_of(verifier: &CellVerifier, sent: &[Sent]) -> Vec<Fr> {
    let cells: Vec<Pending> = sent.iter().map(|sent| verifier.copy(0, &sent.claim()).unwrap()).collect();
    let piece = Piece { verifier, cells: Vec::new() };
    let hash =
        piece.with(&cells, |batch| batch.read(&Serial, &SETTINGS, Some(&verifier.points)).unwrap().hash);
    random_factors(&hash, sent.len())
}

fn everything(verifier: &CellVerifier) -> CellVerdict {
    verifier.verify(&Serial, &SETTINGS).unwrap()
}

fn without_limit(verifier: &CellVerifier) -> CellVerdict {
    verifier.verify_within(&Serial, &SETTINGS, Duration::MAX).unwrap()
}

/// Errors that cancel for everyone who knows the factors of a piece before it is fixed.
#[test]
fn wrong_cells_of_a_piece_do_not_cancel() {
    let (commitments, right) = honest(24, &[6]);
    let (_, other) = honest(24, &[7]);
    let known = verifier(&commitments);
    for count in [2, 24] {
        let right = &right[..count];
        for (of, factors) in [
            ("no random choice", vec![Fr::one(); count]),
            ("the honest piece", factors_of(&known, right)),
            ("another column", factors_of(&known, &other[..count])),
            ("the setup", random_factors(&known.setup, count)),
            ("a constant", random_factors(&[0; 32], count)),
        ] {
            for change in CHANGES {
                let mut errors = vec![Fr::zero(); count];
                errors[0] = factors[0].inverse().unwrap();
                errors[count - 1] = -factors[count - 1].inverse().unwrap();
                let mut forged = right.to_vec();
                change(&mut forged, &errors);
                assert!(verify_with(&known, &forged, &factors), "factors of {of}: the forgery is one");
                let expected = BTreeSet::from([right[0].name, right[count - 1].name]);
                for next in [everything, without_limit] {
                    let verifier = verifier(&commitments);
                    verifier.add(&claims(&forged)).unwrap();
                    let (verified, wrong) = all_verdicts(&verifier, next);
                    assert_eq!((verified.len(), &wrong), (count - 2, &expected), "factors of {of}");
                }
            }
        }
    }
}

/// Errors that cancel between cells of several columns, which are one batch: there e_k of proofs cancel where Σ e_k = 0
/// and Σ y_k·e_k = 0.
#[test]
fn wrong_cells_of_several_columns_do_not_cancel() {
    let (commitments, right) = honest(1, &[5, 77, 120]);
    let y = [5, 77, 120].map(|column| SETTINGS.points.point(column));
    let errors = [[Fr::one(), Fr::zero(), -Fr::one()], [y[1] - y[2], y[2] - y[0], y[0] - y[1]]];
    let known = verifier(&commitments);
    for (change, errors) in CHANGES.into_iter().zip(errors) {
        for factors in [vec![Fr::one(); 3], factors_of(&known, &right)] {
            let errors: Vec<Fr> =
                errors.iter().zip(&factors).map(|(e, f)| *e * f.inverse().unwrap()).collect();
            let mut forged = right.clone();
            change(&mut forged, &errors);
            assert!(verify_with(&known, &forged, &factors), "the forgery is one");
            let verifier = verifier(&commitments);
            verifier.add(&claims(&forged)).unwrap();
            let verdict = verifier.verify(&Serial, &SETTINGS).unwrap();
            assert_eq!(verdict.wrong.len(), errors.iter().filter(|e| **e != Fr::zero()).count());
        }
    }
}

/// Errors that cancel in a sum of two pieces, of one column and of two.
#[test]
fn wrong_cells_of_two_pieces_do_not_cancel() {
    for columns in [&[6][..], &[6, 7]] {
        let (commitments, right) = honest(2 / columns.len(), columns);
        for change in CHANGES {
            let mut forged = right.clone();
            change(&mut forged, &[Fr::one(), -Fr::one()]);
            let verifier = verifier(&commitments);
            // The second is added before or after the verdict on the first.
            for first in [1, 2] {
                verifier.add(&claims(&forged[..first])).unwrap();
                let one = verifier.verify_next(&Serial, &SETTINGS, most(1)).unwrap();
                verifier.add(&claims(&forged[first..])).unwrap();
                let two = verifier.verify_next(&Serial, &SETTINGS, most(1)).unwrap();
                assert_eq!([one.wrong[0].name, two.wrong[0].name], [right[0].name, right[1].name]);
                assert_eq!([one.cells(), two.cells()], [1; 2]);
            }
        }
    }
}

/// A right cell with its proof, but of another commitment or column, is wrong.
#[test]
fn cells_cannot_be_moved() {
    let (commitments, sent) = honest(3, &[6, 7]);
    let moved = |from: usize, to: usize| Sent { name: sent[to].name, ..sent[from].clone() };
    for (way, next) in ways() {
        for (first, second) in [(0, 1), (0, 3), (1, 5)] {
            // Both are exchanged, so that the piece has the same cells.
            let mut exchanged = sent.clone();
            (exchanged[first], exchanged[second]) = (moved(second, first), moved(first, second));
            let verifier = verifier(&commitments);
            verifier.add(&claims(&exchanged)).unwrap();
            let (right, wrong) = all_verdicts(&verifier, &next);
            assert_eq!(wrong, BTreeSet::from([sent[first].name, sent[second].name]), "{way}");
            assert_eq!(right.len(), 4);
            verifier.add(&claims(&sent)).unwrap();
            assert_eq!(all_verdicts(&verifier, &next).0, wrong, "{way}");
        }
    }
}

/// Parts outside of the group that cancel in a sum without factors: the sum tests the proofs of many cells, and few are
/// tested as they are read.
#[test]
fn proofs_outside_of_the_group_do_not_cancel() {
    for blobs in [2, 100] {
        let (commitments, right) = honest(blobs, &[6]);
        let mut forged = right.clone();
        leave_the_group(&mut forged[0].proof, false);
        let point = |sent: &Sent| G1::from(G1Affine::on_curve_from_compressed(&sent.proof).unwrap());
        let torsion = point(&forged[0]) - point(&right[0]);
        forged[1].proof = (point(&right[1]) - torsion).to_compressed();
        let expected = BTreeSet::from([right[0].name, right[1].name]);
        let in_pieces = verifier(&commitments);
        in_pieces.add(&claims(&forged)).unwrap();
        assert_eq!(all_verdicts(&in_pieces, without_limit).1, expected, "{blobs}");
        let verifier = verifier(&commitments);
        verifier.add(&claims(&forged)).unwrap();
        let verdict = verifier.verify(&Serial, &SETTINGS).unwrap();
        let why = Some(Error::Point { what: Input::Proof, index: 0, why: PointError::NotInSubgroup });
        let wrong = [0, 1].map(|k| WrongCell { name: right[k].name, why: why.clone() });
        assert_eq!(verdict.wrong, wrong, "{blobs}");
    }
}

/// The costs by which pieces are cut rise, and are below the cost of a batch that reads commitments too.
#[test]
fn a_piece_costs_less_than_a_batch() {
    for backend in parcrypt_bls12_381::dispatch::BACKENDS {
        let Ok(settings) = Settings::mainnet(Request::Exactly(*backend)) else { continue };
        let costs: Vec<Cost> = (1..=128).map(|cells| settings.next_cells_cost(cells, 1)).collect();
        assert!(costs.windows(2).all(|pair| pair[0].as_ns() as f64 <= 1.1 * pair[1].as_ns() as f64));
        for (cells, cost) in (1..).zip(costs) {
            assert!(cost < settings.verify_cells_cost(cells, cells), "{cells} on {backend}");
        }
    }
}
