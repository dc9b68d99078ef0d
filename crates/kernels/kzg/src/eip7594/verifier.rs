//! Verification of cells as they come: commitments are read once, and each verdict is on some of the cells that were
//! added since the one before.
//!
//! A piece, the cells of one verdict, is a [`Batch`] of its own, whose random factors are a hash of all commitments and
//! of all cells and proofs of the piece. So no cell of another piece, earlier or later, can make up for a wrong one.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parcrypt_bls12_381::G1Affine;
use parcrypt_runtime::{Cost, Runtime, enter, map};

use super::challenge::leaf;
use super::recovery::cell_index;
use super::verify::{Batch, Terms};
use super::wrong::{Verdict, verdicts};
use crate::bytes;
use crate::eip4844::challenge::random_factors;
use crate::error::{Error, Input};
use crate::{BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, Cell, Commitment};
use crate::{Proof, Settings};

/// The claim that a cell is the one with its index in the blob of a commitment.
#[derive(Clone, Copy, Debug)]
pub struct CellClaim<'a> {
    /// Index of the commitment in the list of the verifier.
    pub commitment_index: u64,
    /// Index of the cell, below 128.
    pub cell_index: u64,
    /// The cell, 2048 bytes.
    pub cell: &'a [u8],
    /// Its proof, 48 bytes.
    pub proof: &'a [u8],
}

/// Which cell of which commitment a verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellName {
    /// Index of the commitment in the list of the verifier.
    pub commitment_index: u64,
    /// Index of the cell, below 128.
    pub cell_index: u64,
}

/// A cell that is wrong, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongCell {
    /// The cell.
    pub name: CellName,
    /// The error of bytes that are not a cell or a point, with 0 for the index in a list; `None` if the proof does not
    /// verify.
    pub why: Option<Error>,
}

/// The verdict on a number of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellVerdict {
    /// The cells that are right.
    pub verified: Vec<CellName>,
    /// The cells that are wrong, each verified by itself. They are forgotten: right ones can be added instead.
    pub wrong: Vec<WrongCell>,
}

impl CellVerdict {
    /// Returns the number of cells that it is about.
    pub fn cells(&self) -> usize {
        self.verified.len() + self.wrong.len()
    }
}

/// Verifies the cells of some blobs as they come, in any order and from several threads. The commitments are read once.
///
/// Cells that were added are pending until a call of [`verify`](Self::verify), [`verify_next`](Self::verify_next) or
/// [`verify_within`](Self::verify_within) returns a verdict on them. Such a call works on its caller's runtime only. It
/// can be cancelled between pieces: by not calling again. [`add`](Self::add) never waits for one, and several threads
/// may verify different pieces at once.
///
/// Memory for each pair of a commitment and a column: 2.2 KB while a cell is pending, the hash of the cell and its
/// proof once it is verified, and one cell at most. For 72 blobs that is at most 21 MB if all of the 128 columns are
/// pending, and 0.4 MB after them; [`memory`](Self::memory) returns the present size.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use parcrypt_kzg::{CellClaim, CellVerifier, Request, Settings};
/// use parcrypt_kzg::{BYTES_PER_BLOB, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
/// use parcrypt_runtime::Serial;
///
/// let settings = Settings::mainnet(Request::Auto)?;
/// let blob = vec![0; BYTES_PER_BLOB];
/// let commitment = blob_to_kzg_commitment(&Serial, &settings, &blob)?;
/// let sent = compute_cells_and_kzg_proofs(&Serial, &settings, &blob)?;
///
/// let verifier = CellVerifier::new(&Serial, &settings, &[&commitment])?;
/// for column in [17, 90] {
///     let (cell, proof) = (&sent.cells[column], &sent.proofs[column]);
///     let claim = CellClaim { commitment_index: 0, cell_index: column as u64, cell, proof };
///     verifier.add(&[claim])?;
/// }
/// // One cell at a time; between two calls the thread may do something else.
/// while verifier.pending() > 0 {
///     let verdict = verifier.verify_next(&Serial, &settings, NonZeroUsize::MIN)?;
///     assert_eq!((verdict.verified.len(), verdict.wrong), (1, vec![]));
/// }
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
#[derive(Debug)]
pub struct CellVerifier {
    /// Digest of the setup of the settings.
    setup: [u8; 32],
    bytes: Vec<Commitment>,
    points: Vec<G1Affine>,
    columns: Mutex<Columns>,
}

/// The bytes of a claim.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    cell: Cell,
    proof: Proof,
}

/// What is known of a cell.
#[derive(Clone, Debug, Default)]
enum Slot {
    /// None was added, or a wrong one.
    #[default]
    Empty,
    /// Its verdict is not known.
    Pending(Arc<Content>),
    /// It verified; the hash of its name and its content.
    Verified([u8; 32]),
}

/// A claim without a verdict.
#[derive(Clone, Debug)]
struct Pending {
    name: CellName,
    content: Arc<Content>,
    /// Number of claims before it.
    age: u64,
    /// Whether a piece with this cell had a wrong one.
    suspect: bool,
}

/// The cells of a column.
#[derive(Debug, Default)]
struct Column {
    /// By commitment; empty before the first cell.
    slots: Vec<Slot>,
    /// The pending cells that no call works on, the oldest first, suspects before the others.
    queue: VecDeque<Pending>,
}

/// Everything that calls exchange.
#[derive(Debug)]
struct Columns {
    all: Vec<Column>,
    /// Number of claims that were added.
    added: u64,
    /// Number of claims without verdict, with those that some call works on.
    pending: usize,
}

/// A piece that a call works on. Cells without verdict become pending again when it is dropped, as after a panic.
struct Piece<'a> {
    verifier: &'a CellVerifier,
    cells: Vec<Pending>,
}

/// The hash of a cell that is right; why it is wrong, as in [`WrongCell`].
type Judgement = Result<[u8; 32], Option<Error>>;

/// What is known of the cells of a piece.
enum Outcome {
    /// All are right; the hashes of names and contents.
    Right(Vec<[u8; 32]>),
    /// At least one is wrong.
    Wrong,
}

impl CellVerifier {
    /// Returns a verifier for the cells of the blobs with these commitments, each of which is read and checked.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Point`] for bytes that are not a commitment, with the index of the first.
    pub fn new(rt: &dyn Runtime, settings: &Settings, commitments: &[&[u8]]) -> Result<Self, Error> {
        let numbered = || bytes::numbered(Input::Commitment, commitments);
        let read = |(what, index, commitment)| {
            bytes::array::<BYTES_PER_COMMITMENT>(what, index, commitment).copied()
        };
        // The first error may be the length of one or the contents of another.
        let (points, all) = enter(rt, settings.points_cost(commitments.len()), || {
            bytes::points(rt, settings, numbered(), || numbered().map(read).collect::<Result<Vec<_>, _>>())
        });
        let (points, bytes) = (points?, all?);
        let columns = Columns {
            all: (0..CELLS_PER_EXT_BLOB).map(|_| Column::default()).collect(),
            added: 0,
            pending: 0,
        };
        Ok(CellVerifier { setup: settings.digest, bytes, points, columns: Mutex::new(columns) })
    }

    /// Returns the number of commitments.
    pub fn commitments(&self) -> usize {
        self.bytes.len()
    }

    /// Adds cells, whose lengths and indices it checks only. If it returns an error, it has added no cell.
    ///
    /// The same cell with the same proof is accepted again, and costs nothing to verify.
    ///
    /// A cell that differs from a pending one is an error only until the verdict on that one: the pending cell may be
    /// the wrong one, and is then forgotten. So verify, then add again. A cell that differs from a verified one is
    /// wrong, and always an error. The claims of each peer should be a list of their own: then the name in a verdict or
    /// an error tells who sent the wrong cell.
    ///
    /// ```
    /// use parcrypt_kzg::{BYTES_PER_BLOB, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
    /// use parcrypt_kzg::{CellClaim, CellVerifier, Error, Request, Settings};
    /// # let settings = Settings::mainnet(Request::Auto)?;
    /// # let rt = &parcrypt_runtime::Serial;
    /// # let blob = vec![0; BYTES_PER_BLOB];
    /// # let commitment = blob_to_kzg_commitment(rt, &settings, &blob)?;
    /// # let sent = compute_cells_and_kzg_proofs(rt, &settings, &blob)?;
    /// let verifier = CellVerifier::new(rt, &settings, &[&commitment])?;
    /// let add = |cell: &[u8]| {
    ///     verifier.add(&[CellClaim { commitment_index: 0, cell_index: 9, cell, proof: &sent.proofs[9] }])
    /// };
    /// // The first peer sends a wrong cell, the second one the right cell.
    /// let wrong = [1; 2048];
    /// add(&wrong)?;
    /// if let Err(Error::Duplicate { .. }) = add(&sent.cells[9]) {
    ///     let verdict = verifier.verify(rt, &settings)?;
    ///     assert_eq!((verdict.wrong.len(), verdict.wrong[0].name.cell_index), (1, 9));
    ///     add(&sent.cells[9])?;
    /// }
    /// assert_eq!(verifier.verify(rt, &settings)?.verified.len(), 1);
    /// // From now on the wrong cell is known to be wrong.
    /// assert!(matches!(add(&wrong), Err(Error::Duplicate { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// With the index of the first in the list: [`Error::CommitmentIndex`] and [`Error::CellIndex`] for indices that
    /// are out of range; [`Error::Length`] for cells and proofs of another length; [`Error::Duplicate`] for a cell or a
    /// proof that differs from one of the same name that is pending or verified.
    pub fn add(&self, claims: &[CellClaim<'_>]) -> Result<(), Error> {
        let new: Vec<Pending> =
            claims.iter().enumerate().map(|(k, claim)| self.copy(k, claim)).collect::<Result<_, _>>()?;
        // A verified cell stays verified, so its hash can be compared without the lock.
        let verified = {
            let columns = self.lock();
            let hash = |new: &Pending| match columns.slot(new.name) {
                Slot::Verified(hash) => Some(*hash),
                Slot::Empty | Slot::Pending(_) => None,
            };
            new.iter().map(hash).collect::<Vec<_>>()
        };
        let verified: Vec<Option<bool>> =
            new.iter().zip(verified).map(|(new, hash)| hash.map(|hash| new.hash() == hash)).collect();
        self.lock().add(self.commitments(), new, &verified)
    }

    /// Checks a claim and copies its bytes.
    fn copy(&self, index: usize, claim: &CellClaim<'_>) -> Result<Pending, Error> {
        let CellClaim { commitment_index, cell_index: column, cell, proof } = *claim;
        if commitment_index >= self.commitments() as u64 {
            return Err(Error::CommitmentIndex { index, commitment_index, commitments: self.commitments() });
        }
        cell_index(index, column)?;
        let cell = *bytes::array::<BYTES_PER_CELL>(Input::Cell, index, cell)?;
        let proof = *bytes::array::<BYTES_PER_PROOF>(Input::Proof, index, proof)?;
        let name = CellName { commitment_index, cell_index: column };
        Ok(Pending { name, content: Arc::new(Content { cell, proof }), age: 0, suspect: false })
    }

    /// Returns the number of cells without verdict, with those that some thread is verifying.
    pub fn pending(&self) -> usize {
        self.lock().pending
    }

    /// Returns the size in bytes of what the verifier holds.
    pub fn memory(&self) -> usize {
        let columns = self.lock();
        let of_column =
            |column: &Column| size_of_val(&column.slots[..]) + column.queue.capacity() * size_of::<Pending>();
        size_of::<Self>()
            + self.commitments() * (BYTES_PER_COMMITMENT + size_of::<G1Affine>())
            + columns.all.len() * size_of::<Column>()
            + columns.all.iter().map(of_column).sum::<usize>()
            // Two counts of references lie before each content.
            + columns.pending * (size_of::<Content>() + 2 * size_of::<usize>())
    }

    /// Returns the verdict on all cells that are pending now: column by column, or as one batch if that takes less
    /// time. If it panics, all of them are still pending.
    ///
    /// # Errors
    /// [`Error::OtherSetup`] for settings of another setup, [`Error::Arithmetic`] if memory cannot be allocated; then
    /// cells without verdict are still pending.
    pub fn verify(&self, rt: &dyn Runtime, settings: &Settings) -> Result<CellVerdict, Error> {
        self.verify_up_to(rt, settings, NonZeroUsize::MAX)
    }

    /// Does what [`verify`](Self::verify) does, for at most this number of cells, of the columns whose pending cells
    /// are the oldest.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_up_to(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        most: NonZeroUsize,
    ) -> Result<CellVerdict, Error> {
        self.check(settings)?;
        let (mut pieces, mut left) = (Vec::new(), most.get());
        while left > 0
            && let Some(piece) = self.take(|_| left)
        {
            left -= piece.cells.len();
            pieces.push(piece);
        }
        let cost = |piece: &Piece<'_>| settings.next_cells_cost(piece.cells.len(), 1);
        let apart: Cost = pieces.iter().map(cost).sum();
        let cells = pieces.iter().map(|piece| piece.cells.len()).sum();
        let together = settings.next_cells_cost(cells, pieces.len());
        if together < apart {
            let cells = pieces.iter_mut().flat_map(|piece| piece.cells.drain(..)).collect();
            pieces = vec![Piece { verifier: self, cells }];
        }
        let mean = Cost::ns(apart.as_ns() / pieces.len().max(1) as u64);
        let judgements = map(rt, pieces.len(), mean, |i| pieces[i].judge(rt, settings));
        // Recorded after all of them: a panic in one must not take the verdicts on others with it.
        let (mut all, mut failed) = (CellVerdict::default(), Ok(()));
        for (piece, judgements) in pieces.into_iter().zip(judgements) {
            match judgements.map(|judgements| piece.end(judgements)) {
                Ok(CellVerdict { verified, wrong }) => {
                    all.verified.extend(verified);
                    all.wrong.extend(wrong);
                }
                Err(error) => failed = Err(error),
            }
        }
        // Cells of a piece that failed are pending, and the next call fails again if it has no verdict on any cell.
        if all.cells() == 0 { failed.map(|()| all) } else { Ok(all) }
    }

    /// Returns the verdict on the next piece: at most this number of cells, all of the column whose first cell is the
    /// oldest. It is about no cell if none is pending.
    ///
    /// The cells of a column are in the order in which they were added, but those that
    /// [`verify_within`](Self::verify_within) left without a verdict, because one of them is wrong, are before the
    /// others, also before older ones, and are in pieces of their own.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_next(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        most: NonZeroUsize,
    ) -> Result<CellVerdict, Error> {
        self.check(settings)?;
        match self.take(|_| most.get()) {
            Some(piece) => {
                let judgements = piece.judge(rt, settings)?;
                Ok(piece.end(judgements))
            }
            None => Ok(CellVerdict::default()),
        }
    }

    /// Returns the verdict on as many cells of one column as take this time by [`cost`](Self::cost), but at least one.
    ///
    /// If one is wrong, this call ends without a verdict, and the next ones find it in pieces so small that the piece
    /// and then each of its cells by itself can be verified in this time. So the verdict may be about no cell while
    /// cells are pending.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_within(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        time: Duration,
    ) -> Result<CellVerdict, Error> {
        self.check(settings)?;
        let fits = |cells: usize, suspect: bool| {
            let each = if suspect { cells as u32 * self.cost(settings, 1) } else { Duration::ZERO };
            self.cost(settings, cells) + each <= time
        };
        // The costs rise with the number of cells, nearly.
        let most = |suspect| {
            let (mut least, mut beyond) = (1, self.commitments() + 1);
            while beyond - least > 1 {
                let cells = (least + beyond) / 2;
                if fits(cells, suspect) { least = cells } else { beyond = cells }
            }
            least
        };
        let Some(mut piece) = self.take(most) else { return Ok(CellVerdict::default()) };
        let cost = settings.next_cells_cost(piece.cells.len(), 1);
        if piece.cells.len() == 1 || piece.cells[0].suspect {
            let judgements = enter(rt, cost, || piece.judge_singly(rt, settings))?;
            return Ok(piece.end(judgements));
        }
        match enter(rt, cost, || piece.outcome(rt, settings))? {
            Outcome::Right(hashes) => Ok(piece.end(hashes.into_iter().map(Ok).collect())),
            Outcome::Wrong => {
                piece.cells.iter_mut().for_each(|cell| cell.suspect = true);
                Ok(CellVerdict::default())
            }
        }
    }

    /// Returns the estimated time of one thread, on a core of 2023, to verify this number of cells of one column that
    /// are right.
    ///
    /// With each new [`Settings`], the first piece of each column takes 0.3 ms more, and the first piece of all 0.6 ms
    /// more, or 2 ms with the backend `blst`: they make tables that are kept.
    pub fn cost(&self, settings: &Settings, cells: usize) -> Duration {
        Duration::from_nanos(settings.next_cells_cost(cells, 1).as_ns())
    }

    fn check(&self, settings: &Settings) -> Result<(), Error> {
        if self.setup == settings.digest { Ok(()) } else { Err(Error::OtherSetup) }
    }

    fn lock(&self) -> MutexGuard<'_, Columns> {
        // No function panics while it has the lock, in a state that others could not use.
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next piece, of at most `most` cells, which depends on whether they are suspects.
    fn take(&self, most: impl Fn(bool) -> usize) -> Option<Piece<'_>> {
        let mut columns = self.lock();
        let oldest = |column: &&mut Column| column.queue.front().map(|cell| cell.age);
        let waiting = columns.all.iter_mut().filter(|column| !column.queue.is_empty());
        let queue = &mut waiting.min_by_key(oldest)?.queue;
        let suspect = queue.front()?.suspect;
        let alike = queue.iter().take(most(suspect)).take_while(|cell| cell.suspect == suspect).count();
        let cells = queue.drain(..alike).collect();
        if queue.is_empty() {
            queue.shrink_to_fit();
        }
        Some(Piece { verifier: self, cells })
    }
}

impl Columns {
    /// Returns what is known of a cell.
    fn slot(&self, name: CellName) -> &Slot {
        self.all[name.cell_index as usize].slots.get(name.commitment_index as usize).unwrap_or(&Slot::Empty)
    }

    fn slot_mut(&mut self, name: CellName) -> &mut Slot {
        &mut self.all[name.cell_index as usize].slots[name.commitment_index as usize]
    }

    /// Adds cells, all or none. `verified` tells for each, if it is known to be verified, whether it is the same.
    fn add(&mut self, commitments: usize, new: Vec<Pending>, verified: &[Option<bool>]) -> Result<(), Error> {
        let mut names = Vec::with_capacity(new.len());
        let mut error = None;
        for (index, (mut new, verified)) in new.into_iter().zip(verified).enumerate() {
            let name = new.name;
            let same = match (verified, self.slot(name)) {
                (Some(same), _) => *same,
                (None, Slot::Pending(content)) => *content == new.content,
                (None, Slot::Verified(hash)) => *hash == new.hash(),
                (None, Slot::Empty) => {
                    let column = &mut self.all[name.cell_index as usize];
                    column.slots.resize(commitments, Slot::Empty);
                    *self.slot_mut(name) = Slot::Pending(Arc::clone(&new.content));
                    new.age = self.added + names.len() as u64;
                    names.push(name);
                    self.all[name.cell_index as usize].queue.push_back(new);
                    true
                }
            };
            if !same {
                let CellName { commitment_index, cell_index } = name;
                error = Some(Error::Duplicate { index, commitment_index, cell_index });
                break;
            }
        }
        if let Some(error) = error {
            for name in names {
                *self.slot_mut(name) = Slot::Empty;
                self.all[name.cell_index as usize].queue.pop_back();
            }
            return Err(error);
        }
        self.added += names.len() as u64;
        self.pending += names.len();
        Ok(())
    }
}

impl Pending {
    /// Returns the hash of the name and the content.
    fn hash(&self) -> [u8; 32] {
        let CellName { commitment_index, cell_index } = self.name;
        leaf(commitment_index, cell_index, &self.content.cell, &self.content.proof)
    }
}

impl Piece<'_> {
    /// Returns what is known of each cell after the search for the wrong ones.
    fn judge(&self, rt: &dyn Runtime, settings: &Settings) -> Result<Vec<Judgement>, Error> {
        let columns = self.cells.chunk_by(|a, b| a.name.cell_index == b.name.cell_index).count();
        let cost = settings.next_cells_cost(self.cells.len(), columns);
        enter(rt, cost, || self.each(rt, settings))
    }

    /// Returns what is known of each cell, in at most the time of the piece and of each cell by itself: the search for
    /// the wrong ones may take longer.
    fn judge_singly(&self, rt: &dyn Runtime, settings: &Settings) -> Result<Vec<Judgement>, Error> {
        if self.cells.len() > 1
            && let Outcome::Right(hashes) = self.outcome(rt, settings)?
        {
            return Ok(hashes.into_iter().map(Ok).collect());
        }
        let cost = settings.next_cells_cost(1, 1);
        let judgements = map(rt, self.cells.len(), cost, |k| self.judge_one(rt, settings, &self.cells[k]));
        judgements.into_iter().collect()
    }

    /// Returns what is known of a cell after its verification by itself.
    fn judge_one(&self, rt: &dyn Runtime, settings: &Settings, cell: &Pending) -> Result<Judgement, Error> {
        match self.outcome_of(rt, settings, std::slice::from_ref(cell)) {
            Err(error @ Error::Arithmetic(_)) => Err(error),
            Err(why) => Ok(Err(Some(why))),
            Ok(Outcome::Wrong) => Ok(Err(None)),
            Ok(Outcome::Right(hashes)) => Ok(Ok(hashes[0])),
        }
    }

    /// Calls `f` with some cells as a batch.
    fn with<T>(&self, cells: &[Pending], f: impl FnOnce(&Batch<'_>) -> T) -> T {
        let names = |of: fn(&CellName) -> u64| cells.iter().map(|cell| of(&cell.name)).collect::<Vec<_>>();
        let columns = names(|name| name.cell_index);
        let bytes: Vec<&[u8]> = cells.iter().map(|cell| &cell.content.cell[..]).collect();
        let proofs: Vec<&[u8]> = cells.iter().map(|cell| &cell.content.proof[..]).collect();
        let commitments = self.verifier.bytes.iter().map(|bytes| &bytes[..]).collect();
        f(&Batch::of_known(commitments, names(|name| name.commitment_index), &columns, &bytes, &proofs))
    }

    /// Returns whether all cells of the piece are right.
    fn outcome(&self, rt: &dyn Runtime, settings: &Settings) -> Result<Outcome, Error> {
        match self.outcome_of(rt, settings, &self.cells) {
            Err(error @ Error::Arithmetic(_)) => Err(error),
            Err(_) => Ok(Outcome::Wrong),
            outcome => outcome,
        }
    }

    /// Returns whether these cells are right; the error of one whose bytes are not a cell or a point.
    fn outcome_of(&self, rt: &dyn Runtime, settings: &Settings, cells: &[Pending]) -> Result<Outcome, Error> {
        self.with(cells, |batch| {
            let known = &self.verifier.points;
            let points = batch.read(rt, settings, Some(known))?;
            let factors = random_factors(&points.hash, cells.len());
            let all: Vec<usize> = (0..cells.len()).collect();
            let terms = Terms { cells: Some(&all), factors: &factors };
            let right = batch.sides(rt, settings, &points, terms)?.are_equal(rt, settings);
            Ok(if right { Outcome::Right(points.leaves) } else { Outcome::Wrong })
        })
    }

    /// Returns the verdict on each cell.
    fn each(&self, rt: &dyn Runtime, settings: &Settings) -> Result<Vec<Judgement>, Error> {
        let known = Some(&self.verifier.points[..]);
        let (verdicts, hashes) = self.with(&self.cells, |batch| verdicts(rt, settings, batch, known))?;
        let judgement = |((cell, verdict), hash)| match verdict {
            Verdict::Right => Ok(Ok(hash)),
            Verdict::Wrong => Ok(Err(None)),
            Verdict::Malformed => self.judge_one(rt, settings, cell),
        };
        self.cells.iter().zip(verdicts).zip(hashes).map(judgement).collect()
    }

    /// Records the outcome of each cell and returns the verdict.
    fn end(mut self, outcomes: Vec<Judgement>) -> CellVerdict {
        let cells = std::mem::take(&mut self.cells);
        debug_assert_eq!(cells.len(), outcomes.len());
        let mut verdict = CellVerdict::default();
        let mut columns = self.verifier.lock();
        columns.pending -= cells.len();
        for (Pending { name, .. }, outcome) in cells.into_iter().zip(outcomes) {
            *columns.slot_mut(name) = match outcome {
                Ok(hash) => {
                    verdict.verified.push(name);
                    Slot::Verified(hash)
                }
                Err(why) => {
                    verdict.wrong.push(WrongCell { name, why });
                    Slot::Empty
                }
            };
        }
        drop(columns);
        verdict
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        if self.cells.is_empty() {
            return;
        }
        let mut columns = self.verifier.lock();
        for cell in self.cells.drain(..) {
            let queue = &mut columns.all[cell.name.cell_index as usize].queue;
            let key = |cell: &Pending| (!cell.suspect, cell.age);
            let place = queue.partition_point(|other| key(other) < key(&cell));
            queue.insert(place, cell);
        }
    }
}
