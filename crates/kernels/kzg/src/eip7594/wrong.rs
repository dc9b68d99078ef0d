//! The wrong cells of a batch; [`crate::wrong`] has the search.
//!
//! Points are decompressed and bytes hashed once, before the equation of the whole batch. The factors of the search are
//! the factors of this equation. In a large batch the units of the first search are groups of cells of one column,
//! which this equation has interpolated, with the sum of each group's proofs, so that a value takes two sums of as many
//! points as there are groups and commitments.

#[cfg(test)]
mod tests;

use std::ops::Range;

use parcrypt_bls12_381::msm::multiply_vartime;
use parcrypt_bls12_381::pairing::Gt;
use parcrypt_bls12_381::{FixedMsm, Fr, G1, G1Affine, ScaledEncoding};
use parcrypt_runtime::{Runtime, Serial, enter, map};

use super::recovery::cell_index;
use super::verify::{Batch, EachPoint, Points, Run, Sides, Terms};
use crate::batch::{Scalars, Sum, msm_pair};
use crate::bytes;
use crate::eip4844::challenge::random_factors;
use crate::error::{Error, Input};
use crate::wrong::{Claims, Exponents, Reason, Search, WrongItem};
use crate::{BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, FIELD_ELEMENTS_PER_CELL, Settings};

/// Returns the cells of a batch that are wrong, in rising order; none if
/// [`verify_cell_kzg_proof_batch`](super::verify_cell_kzg_proof_batch) returns `true`.
///
/// Each cell has the result that it has in a batch of its own, whatever the others are: malformed bytes, points outside
/// the group and proofs that do not verify are named, and the other cells are judged. One wrong cell of thousands is
/// found in about 1.5 times the time of the batch; with many, it takes no longer than verifying each cell by itself.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, WrongItem, Reason, Request, Settings};
/// use parcrypt_kzg::{blob_to_kzg_commitment, compute_cells_and_kzg_proofs, verify_cell_kzg_proof_batch_which};
/// let (rt, settings) = (&parcrypt_runtime::Serial, Settings::mainnet(Request::Auto)?);
/// let blob = [[0; 31], [7; 31]].concat().repeat(BYTES_PER_BLOB / 62 + 1);
/// let blob: Vec<u8> = blob.chunks(31).flat_map(|chunk| [&[0], chunk].concat()).take(BYTES_PER_BLOB).collect();
/// let commitment = blob_to_kzg_commitment(rt, &settings, &blob)?;
/// let mut all = compute_cells_and_kzg_proofs(rt, &settings, &blob)?;
/// all.cells[5][40] ^= 1;
/// all.proofs[77] = [0; 48];
///
/// let commitments = [&commitment[..]; 128];
/// let indices: Vec<u64> = (0..128).collect();
/// let cells: Vec<&[u8]> = all.cells.iter().map(|cell| &cell[..]).collect();
/// let proofs: Vec<&[u8]> = all.proofs.iter().map(|proof| &proof[..]).collect();
/// let wrong =
///     verify_cell_kzg_proof_batch_which(rt, &settings, &commitments, &indices, &cells, &proofs)?;
/// assert_eq!(wrong[0], WrongItem { index: 5, why: Reason::DoesNotVerify });
/// assert_eq!(wrong[1].to_string(), "proof 77: the bytes are not a point of the curve");
/// assert_eq!(wrong.len(), 2);
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Count`] where the lists differ in length.
pub fn verify_cell_kzg_proof_batch_which<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&'a [u8]],
    cell_indices: &[u64],
    cells: &[&'a [u8]],
    proofs: &[&'a [u8]],
) -> Result<Vec<WrongItem>, Error> {
    bytes::count(Input::Commitment, cells.len(), commitments.len())?;
    bytes::count(Input::CellIndex, cells.len(), cell_indices.len())?;
    bytes::count(Input::Proof, cells.len(), proofs.len())?;
    let well_formed = |k: &usize| {
        cell_index(*k, cell_indices[*k]).is_ok()
            && commitments[*k].len() == BYTES_PER_COMMITMENT
            && cells[*k].len() == BYTES_PER_CELL
            && proofs[*k].len() == BYTES_PER_PROOF
    };
    let judged: Vec<usize> = (0..cells.len()).filter(well_formed).collect();
    let judged_verdicts = if judged.len() == cells.len() {
        verdicts(rt, settings, &Batch::new(commitments, cell_indices, cells, proofs)?, None)?.0
    } else {
        let of = |all: &[&'a [u8]]| judged.iter().map(|k| all[*k]).collect::<Vec<_>>();
        let (cells, proofs) = (of(cells), of(proofs));
        let indices: Vec<u64> = judged.iter().map(|k| cell_indices[*k]).collect();
        verdicts(rt, settings, &Batch::new(&of(commitments), &indices, &cells, &proofs)?, None)?.0
    };
    // What is not judged at all is malformed.
    let mut verdicts = vec![Verdict::Malformed; cells.len()];
    judged.iter().zip(judged_verdicts).for_each(|(k, verdict)| verdicts[*k] = verdict);
    let bad: Vec<usize> = (0..cells.len()).filter(|k| verdicts[*k] != Verdict::Right).collect();
    let cost = 2 * settings.points_cost(1) + settings.weighted_cell_cost();
    Ok(map(rt, bad.len(), cost, |i| {
        let index = bad[i];
        let error = match verdicts[index] {
            Verdict::Malformed => malformed(settings, index, commitments, cell_indices, cells, proofs),
            _ => None,
        };
        WrongItem { index, why: error.map_or(Reason::DoesNotVerify, Reason::Malformed) }
    }))
}

/// Returns the error of the bytes of cell k, which the verification of this cell by itself returns.
fn malformed(
    settings: &Settings,
    k: usize,
    commitments: &[&[u8]],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Option<Error> {
    let check = || {
        cell_index(k, cell_indices[k])?;
        bytes::point(Input::Commitment, k, commitments[k])?;
        bytes::point(Input::Proof, k, proofs[k])?;
        let cell = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cells[k])?;
        let factor = ScaledEncoding::new(Fr::one());
        bytes::elements(
            settings,
            (Input::Cell, k, 0),
            cell,
            &factor,
            &mut [Fr::zero(); FIELD_ELEMENTS_PER_CELL],
        )
    };
    check().err()
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Malformed,
    Right,
    Wrong,
}

/// Returns the verdict of each cell of a batch whose bytes have the right lengths, and the hash of its leaf.
/// `known`, if they are given, are the unique commitments, already checked.
pub(super) fn verdicts(
    rt: &dyn Runtime,
    settings: &Settings,
    batch: &Batch<'_>,
    known: Option<&[G1Affine]>,
) -> Result<(Vec<Verdict>, Vec<[u8; 32]>), Error> {
    let (cells, commitments) = (batch.cells.len(), batch.unique_commitments.len());
    enter(rt, settings.verify_cells_cost(cells, commitments), || {
        let EachPoint { commitments, proofs, hash } = batch.read_each(rt, settings, known);
        let (hash, leaves) = hash?;
        // Of the whole batch: some of its cells have the factors that they have in all of it.
        let factors = random_factors(&hash, cells);
        let [(commitments, good_commitments), (proofs, good_proofs)] = [commitments, proofs].map(|points| {
            let good: Vec<bool> = points.iter().map(Result::is_ok).collect();
            (points.into_iter().map(|point| point.unwrap_or(G1Affine::identity())).collect(), good)
        });
        let equation =
            Equation { rt, settings, batch, points: Points { commitments, proofs, hash, leaves }, factors };
        let mut members: Vec<usize> = (0..cells).collect();
        members.retain(|k| good_commitments[batch.commitment(*k)] && good_proofs[*k]);
        let wrong = loop {
            if members.is_empty() {
                break Vec::new();
            }
            match equation.whole(&members) {
                Ok((sides, runs)) => break equation.wrong(&members, sides, runs)?,
                Err(Error::NotCanonical { .. }) => {
                    let canonical = map(rt, members.len(), settings.weighted_cell_cost(), |at| {
                        let mut out = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
                        batch.read_cell(settings, members[at], Fr::one(), &mut out).is_ok()
                    });
                    let mut canonical = canonical.into_iter();
                    members.retain(|_| canonical.next().unwrap_or(false));
                }
                Err(error) => return Err(error),
            }
        };
        let mut verdicts = vec![Verdict::Malformed; cells];
        members.iter().for_each(|k| verdicts[*k] = Verdict::Right);
        wrong.iter().for_each(|k| verdicts[*k] = Verdict::Wrong);
        Ok((verdicts, equation.points.leaves))
    })
}

/// The equation of a batch, with the factors of its cells.
struct Equation<'a> {
    rt: &'a dyn Runtime,
    settings: &'a Settings,
    batch: &'a Batch<'a>,
    points: Points,
    factors: Vec<Fr>,
}

impl Equation<'_> {
    /// Returns the sides for some cells, the factor of the cell with each position in the list times a number.
    fn sides(&self, cells: &[usize], multiplier: impl Fn(usize) -> u64) -> Result<Sides, Error> {
        let factor = |(at, k): (usize, &usize)| self.factors[*k] * Fr::from(multiplier(at));
        let factors: Vec<Fr> = cells.iter().enumerate().map(factor).collect();
        // Not `None` for as many cells as the batch has: they may be in another order.
        let terms = Terms { cells: Some(cells), factors: &factors };
        self.batch.sides(self.rt, self.settings, &self.points, terms)
    }

    /// Returns the sides for some cells with their factors, and the runs of their interpolation.
    fn whole(&self, cells: &[usize]) -> Result<(Sides, Vec<Run>), Error> {
        let Equation { rt, settings, batch, points, .. } = self;
        let factors: Vec<Fr> = cells.iter().map(|k| self.factors[*k]).collect();
        let terms = Terms { cells: Some(cells), factors: &factors };
        let runs = batch.interpolate(*rt, settings, terms)?;
        let sides = batch.sides_with(*rt, settings, points, terms, &runs)?;
        Ok((sides, runs))
    }

    /// Returns the wrong cells among some, whose sides and runs these are.
    fn wrong(&self, cells: &[usize], sides: Sides, runs: Vec<Run>) -> Result<Vec<usize>, Error> {
        self.with_singly(self.search(cells, sides, runs)?)
    }

    /// Returns the result of the search of some cells, whose sides and runs these are.
    fn search(&self, cells: &[usize], sides: Sides, runs: Vec<Run>) -> Result<Search, Error> {
        let value = sides.quotient(self.rt, self.settings)?;
        let mut search = Search::new(cells.len());
        if value != Gt::one() && cells.len() >= Groups::LEAST.max(Groups::LEAST_MEAN * runs.len()) {
            let groups = Groups::new(self, runs)?;
            search.find(&groups, 0..groups.runs.len(), value, None)?;
            return Ok(search);
        }
        let mut cells = cells.to_vec();
        // A wrong commitment is wrong for each of its cells.
        cells.sort_by_key(|k| self.batch.commitment(*k));
        search.find(&Cells { equation: self, cells: &cells }, 0..cells.len(), value, None)?;
        Ok(search)
    }

    /// Returns the wrong cells that a search has found, and those that it has left to be verified singly.
    fn with_singly(&self, search: Search) -> Result<Vec<usize>, Error> {
        /// Cells of a task.
        const CELLS: usize = 16;
        let pieces: Vec<&[usize]> = search.undecided.chunks(CELLS).collect();
        let cost = CELLS * self.settings.verify_proof_cost();
        let verdicts = map(self.rt, pieces.len(), cost, |i| self.verify_singly(pieces[i]));
        let verdicts = verdicts.into_iter().collect::<Result<Vec<_>, Error>>()?.concat();
        let mut wrong = search.wrong;
        wrong.extend(search.undecided.iter().zip(verdicts).filter(|(_, right)| !right).map(|(k, _)| k));
        Ok(wrong)
    }

    /// Returns whether each of some cells verifies by itself.
    fn verify_singly(&self, cells: &[usize]) -> Result<Vec<bool>, Error> {
        let Equation { settings, batch, points, .. } = self;
        let interpolate = |k: &usize| {
            let one = std::iter::once((*k, Fr::one()));
            batch.interpolate_column(settings, batch.column(*k), one).map_err(|(_, error)| error)
        };
        let polynomials = cells.iter().map(interpolate).collect::<Result<Vec<_>, _>>()?;
        let lists: Vec<&[Fr]> = polynomials.iter().map(|polynomial| &polynomial[..]).collect();
        let interpolations = settings.interpolation()?.msm_vartime(&Serial, &lists)?;
        let mut weighted: Vec<G1> = cells.iter().map(|k| G1::from(points.proofs[*k])).collect();
        match batch.one_column {
            Some(_) => weighted.fill(G1::identity()),
            None => {
                let h_pow_n: Vec<Fr> =
                    cells.iter().map(|k| settings.points.point(batch.column(*k))).collect();
                multiply_vartime(settings.rows.fp, &mut weighted, &h_pow_n)?;
            }
        }
        let sides = cells.iter().zip(interpolations).zip(weighted).map(|((k, interpolation), weighted)| {
            let rl = weighted - interpolation + points.commitments[batch.commitment(*k)];
            Sides { ll: points.proofs[*k].into(), rl, one_column: batch.one_column }
        });
        Ok(sides.map(|sides| sides.are_equal(&Serial, settings)).collect())
    }
}

/// Some cells, each a unit.
struct Cells<'a> {
    equation: &'a Equation<'a>,
    cells: &'a [usize],
}

impl Claims for Cells<'_> {
    fn value(&self, units: Range<usize>, exponents: Exponents) -> Result<Gt, Error> {
        let Equation { rt, settings, .. } = self.equation;
        let multiplier = |at| exponents.multiplier(units.start + at);
        let sides = self.equation.sides(&self.cells[units.clone()], multiplier)?;
        sides.quotient(*rt, settings)
    }

    fn open(&self, unit: usize, _: Gt, search: &mut Search) -> Result<(), Error> {
        search.wrong.push(self.cells[unit]);
        Ok(())
    }

    fn give_up(&self, units: Range<usize>, search: &mut Search) {
        search.undecided.extend(&self.cells[units]);
    }
}

/// Groups of cells of one column, the runs of the interpolation, each a unit, with the sums that any value takes.
struct Groups<'a> {
    equation: &'a Equation<'a>,
    runs: Vec<Run>,
    /// Of each group, Σ r^k·proofs\[k\].
    proofs: Vec<G1Affine>,
}

impl<'a> Groups<'a> {
    /// Minimum number of cells in a batch, and mean number in a group, for which groups take less time.
    const LEAST: usize = 1024;
    const LEAST_MEAN: usize = 16;

    fn new(equation: &'a Equation<'a>, runs: Vec<Run>) -> Result<Self, Error> {
        let Equation { rt, settings, points, factors, .. } = equation;
        // All groups have the same length, the shorter ones with infinity.
        let len = runs.iter().map(|run| run.cells.len()).max().unwrap_or(0);
        let mut padded = vec![G1Affine::identity(); len * runs.len()];
        let mut scalars = vec![Fr::zero(); padded.len()];
        for (i, run) in runs.iter().enumerate() {
            for (at, k) in run.cells.iter().enumerate() {
                (padded[i * len + at], scalars[i * len + at]) = (points.proofs[*k], factors[*k]);
            }
        }
        let sums = FixedMsm::new(*rt, settings.rows.fp_request(), &padded, runs.len(), 0)?;
        let proofs = G1::batch_to_affine(&sums.msm_vartime(*rt, &[&scalars])?);
        Ok(Groups { equation, runs, proofs })
    }
}

impl Claims for Groups<'_> {
    fn value(&self, units: Range<usize>, exponents: Exponents) -> Result<Gt, Error> {
        let Equation { rt, settings, batch, points, factors } = self.equation;
        let mut weights = vec![Fr::zero(); points.commitments.len()];
        let mut polynomial = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
        let (mut multipliers, mut h_pow_n) = (Vec::new(), Vec::new());
        for unit in units.clone() {
            let (run, multiplier) = (&self.runs[unit], Fr::from(exponents.multiplier(unit)));
            run.cells.iter().for_each(|k| weights[batch.commitment(*k)] += factors[*k] * multiplier);
            let terms = polynomial.iter_mut().zip(&run.polynomial);
            terms.for_each(|(sum, coefficient)| *sum += *coefficient * multiplier);
            multipliers.push(multiplier);
            h_pow_n.push(settings.points.point(batch.column(run.cells[0])) * multiplier);
        }
        let proofs = &self.proofs[units];
        let used: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] != Fr::zero()).collect();
        let mut all: Vec<G1Affine> = used.iter().map(|i| points.commitments[*i]).collect();
        let mut scalars: Vec<Fr> = used.iter().map(|i| weights[*i]).collect();
        if batch.one_column.is_none() {
            all.extend(proofs);
            scalars.extend(h_pow_n);
        }
        let rlc_plus_rlp = Sum { points: &all, scalars: &scalars, length: Scalars::Full };
        let ll = Sum { points: proofs, scalars: &multipliers, length: Scalars::Random };
        // Points are in G1 by now, so there are sums.
        let [rlc_plus_rlp, ll] = msm_pair(*rt, settings.rows.fp, rlc_plus_rlp, ll)?;
        let rli = settings.interpolation()?.msm_vartime(*rt, &[&polynomial])?[0];
        Sides { ll, rl: rlc_plus_rlp - rli, one_column: batch.one_column }.quotient(*rt, settings)
    }

    fn count(&self, units: Range<usize>) -> usize {
        self.runs[units].iter().map(|run| run.cells.len()).sum()
    }

    fn open(&self, unit: usize, value: Gt, search: &mut Search) -> Result<(), Error> {
        let cells = &self.runs[unit].cells;
        search.find(&Cells { equation: self.equation, cells }, 0..cells.len(), value, None)
    }

    fn give_up(&self, units: Range<usize>, search: &mut Search) {
        self.runs[units].iter().for_each(|run| search.undecided.extend(&run.cells));
    }
}
