//! Verification of many cells as one batch, in the steps and names of `verify_cell_kzg_proof_batch_impl` of the
//! specification. Step 5, the pairing check in [`Sides::are_equal`], rejects a batch with a wrong cell.
//!
//! Two things differ from the specification:
//!
//! - `r_powers` are independent random factors with half of the digits, not powers of one number r.
//! - If all cells are of one column, h_k^n is the same for all of them. Then LR is \[s^n − h^n\] instead of \[s^n\],
//!   and RLP is left out.
//!
//! [`enter`] decides by [`Settings::verify_cells_cost`] whether the batch enters the runtime. Each part (reading the
//! points, hashing the cells, interpolating the columns, the sums) then goes parallel if its own cost is worth it.

#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Add, Sub};

use parcrypt_bls12_381::pairing::{Gt, multi_pairing};
use parcrypt_bls12_381::{Fr, G1, G1Affine, ScaledEncoding};
use parcrypt_runtime::{Runtime, enter, map};

use super::challenge::{leaves, root};
use super::recovery::cell_index;
use crate::batch::{Scalars, Sum, msm_pair, sums};
use crate::bytes;
use crate::eip4844::challenge::random_factors;
use crate::error::{Error, Input};
use crate::settings::CELL_SCALE;
use crate::{BYTES_PER_CELL, FIELD_ELEMENTS_PER_CELL, Settings};

/// Returns whether each cell is the one with its index in the blob of its commitment, by its proof; `true` for no
/// cells.
///
/// One product of two pairings verifies all cells, of any blobs, by the universal verification equation of
/// [the specification](https://github.com/ethereum/consensus-specs/blob/master/specs/fulu/polynomial-commitments-sampling.md#verify_cell_kzg_proof_batch_impl).
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; [`Error::CellIndex`] for indices that are not below 128;
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are not a cell or points.
pub fn verify_cell_kzg_proof_batch(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&[u8]],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, Error> {
    Batch::new(commitments, cell_indices, cells, proofs)?.verify(rt, settings)
}

/// Some cells of a batch, and the factor of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    /// The cells' indices in the batch, or `None` for all in order.
    pub(super) cells: Option<&'a [usize]>,
    pub(super) factors: &'a [Fr],
}

impl<'a> Terms<'a> {
    /// Returns all cells with these factors.
    pub(super) fn all(factors: &'a [Fr]) -> Self {
        Terms { cells: None, factors }
    }

    /// Returns the index in the batch of the cell with this position.
    fn cell(&self, at: usize) -> usize {
        self.cells.map_or(at, |cells| cells[at])
    }
}

/// Cells of one column, and the coefficients of the sum of their interpolation polynomials, times their factors.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Their indices in the batch, at most [`Run::CELLS`].
    pub(super) cells: Vec<usize>,
    pub(super) polynomial: [Fr; FIELD_ELEMENTS_PER_CELL],
}

impl Run {
    const CELLS: usize = 64;
}

/// Both sides of the equation e(LL, LR) = e(RL, \[1\]) for some cells of a batch. The sides of disjoint sets of cells
/// add up to the sides of their union.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) ll: G1,
    pub(super) rl: G1,
    /// The column of all cells of the batch if it is the same, which decides LR.
    pub(super) one_column: Option<usize>,
}

impl Add for Sides {
    type Output = Sides;
    fn add(self, other: Sides) -> Sides {
        Sides { ll: self.ll + other.ll, rl: self.rl + other.rl, ..self }
    }
}

impl Sub for Sides {
    type Output = Sides;
    fn sub(self, other: Sides) -> Sides {
        Sides { ll: self.ll - other.ll, rl: self.rl - other.rl, ..self }
    }
}

impl Sides {
    /// Step 5: returns whether the sides are equal. With any wrong cell, e(RL, \[1\]) · e(−LL, LR) is not 1.
    pub(super) fn are_equal(&self, rt: &dyn Runtime, settings: &Settings) -> bool {
        self.quotient(rt, settings).is_ok_and(|quotient| quotient == Gt::one())
    }

    /// Returns e(RL, \[1\]) / e(LL, LR).
    pub(super) fn quotient(&self, rt: &dyn Runtime, settings: &Settings) -> Result<Gt, Error> {
        #[cfg(test)]
        tests::EQUATIONS.set(tests::EQUATIONS.get() + 1);
        // Step 3: LR = [s^n], or [s^n − h^n] for one column.
        let lr = match self.one_column {
            None => &settings.prepared.secret_to_64,
            Some(column) => settings.vanishing(column),
        };
        let affine = G1::batch_to_affine(&[self.rl, -self.ll]);
        let pairs = [(affine[0], &settings.prepared.generator), (affine[1], lr)];
        Ok(multi_pairing(rt, settings.rows.pairing, &pairs)?)
    }
}

/// The inputs of a batch, each commitment once.
pub(super) struct Batch<'a> {
    pub(super) unique_commitments: Vec<&'a [u8]>,
    /// For each of them, its first index in the caller's list.
    pub(super) first_indices: Vec<usize>,
    /// For each cell, the index of its commitment among the unique ones.
    pub(super) commitment_indices: Vec<u64>,
    pub(super) cell_indices: &'a [u64],
    pub(super) cells: &'a [&'a [u8]],
    pub(super) proofs: &'a [&'a [u8]],
    /// The column of all cells if it is the same.
    pub(super) one_column: Option<usize>,
}

/// Returns the column of all cells if it is the same.
fn one_column(cell_indices: &[u64]) -> Option<usize> {
    match cell_indices {
        [first, rest @ ..] if rest.iter().all(|index| index == first) => Some(*first as usize),
        _ => None,
    }
}

/// The points of a batch, and the hash of all of its inputs.
pub(super) struct Points {
    pub(super) commitments: Vec<G1Affine>,
    pub(super) proofs: Vec<G1Affine>,
    pub(super) hash: [u8; 32],
    /// The hashes of the cells with their names and proofs.
    pub(super) leaves: Vec<[u8; 32]>,
}

/// [`Points`], or the error of each point that has one, and the hash.
pub(super) struct EachPoint {
    pub(super) commitments: Vec<Result<G1Affine, Error>>,
    pub(super) proofs: Vec<Result<G1Affine, Error>>,
    /// The hash of the batch, and the hashes of its leaves.
    pub(super) hash: Result<([u8; 32], Vec<[u8; 32]>), Error>,
}

impl<'a> Batch<'a> {
    /// Checks lengths of lists and indices of cells, and finds the unique commitments.
    pub(super) fn new(
        commitments: &[&'a [u8]],
        cell_indices: &'a [u64],
        cells: &'a [&'a [u8]],
        proofs: &'a [&'a [u8]],
    ) -> Result<Self, Error> {
        bytes::count(Input::Commitment, cells.len(), commitments.len())?;
        bytes::count(Input::CellIndex, cells.len(), cell_indices.len())?;
        bytes::count(Input::Proof, cells.len(), proofs.len())?;
        cell_indices.iter().enumerate().try_for_each(|(k, index)| cell_index(k, *index).map(drop))?;
        let mut known = HashMap::new();
        let (mut unique_commitments, mut first_indices) = (Vec::new(), Vec::new());
        let mut commitment_indices = Vec::with_capacity(commitments.len());
        for (k, commitment) in commitments.iter().enumerate() {
            commitment_indices.push(*known.entry(*commitment).or_insert_with(|| {
                unique_commitments.push(*commitment);
                first_indices.push(k);
                first_indices.len() as u64 - 1
            }));
        }
        Ok(Batch {
            unique_commitments,
            first_indices,
            commitment_indices,
            cell_indices,
            cells,
            proofs,
            one_column: one_column(cell_indices),
        })
    }

    /// Returns a batch of cells of some of these commitments, which are already checked; all indices are in range.
    pub(super) fn of_known(
        commitments: Vec<&'a [u8]>,
        commitment_indices: Vec<u64>,
        cell_indices: &'a [u64],
        cells: &'a [&'a [u8]],
        proofs: &'a [&'a [u8]],
    ) -> Self {
        Batch {
            first_indices: (0..commitments.len()).collect(),
            unique_commitments: commitments,
            commitment_indices,
            one_column: one_column(cell_indices),
            cell_indices,
            cells,
            proofs,
        }
    }

    /// Returns whether all cells are right.
    fn verify(&self, rt: &dyn Runtime, settings: &Settings) -> Result<bool, Error> {
        let (cells, commitments) = (self.cells.len(), self.unique_commitments.len());
        if cells == 0 {
            return Ok(true);
        }
        enter(rt, settings.verify_cells_cost(cells, commitments), || {
            // Step 1: the challenge, which all inputs determine, and a factor for each cell instead of a power of r.
            let points = self.read(rt, settings, None)?;
            let r_powers = random_factors(&points.hash, cells);
            Ok(self.sides(rt, settings, &points, Terms::all(&r_powers))?.are_equal(rt, settings))
        })
    }

    /// Returns the column of cell k, which is below 128.
    pub(super) fn column(&self, k: usize) -> usize {
        self.cell_indices[k] as usize
    }

    /// Returns the index of the commitment of cell k among the unique ones.
    pub(super) fn commitment(&self, k: usize) -> usize {
        self.commitment_indices[k] as usize
    }

    /// Decompresses the points and hashes the inputs. `commitments`, if they are given, are the unique commitments,
    /// already checked; then only proofs are decompressed.
    pub(super) fn read(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        commitments: Option<&[G1Affine]>,
    ) -> Result<Points, Error> {
        let EachPoint { commitments, proofs, hash } = self.read_each(rt, settings, commitments);
        let all = |points: Vec<Result<G1Affine, Error>>| points.into_iter().collect::<Result<Vec<_>, _>>();
        // An error of a point is returned first: it has the index in the caller's list, which is not known to the hash.
        let (commitments, proofs) = (all(commitments)?, all(proofs)?);
        let (hash, leaves) = hash?;
        Ok(Points { commitments, proofs, hash, leaves })
    }

    /// Does what [`Batch::read`] does, and returns the result of each point.
    pub(super) fn read_each(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        commitments: Option<&[G1Affine]>,
    ) -> EachPoint {
        let unique = self.unique_commitments.iter().zip(&self.first_indices);
        let unique = unique.map(|(commitment, k)| (Input::Commitment, *k, *commitment));
        let proofs = bytes::numbered(Input::Proof, self.proofs);
        let leaves =
            leaves(rt, settings, &self.commitment_indices, self.cell_indices, self.cells, self.proofs);
        // The hash of the leaves is serial: one thread computes it while the others decompress points.
        let hash = || leaves.and_then(|leaves| Ok((root(&self.unique_commitments, &leaves)?, leaves)));
        let (commitments, proofs, hash) = if let Some(known) = commitments {
            let (proofs, hash) = bytes::each_point(rt, settings, proofs, hash);
            (known.iter().copied().map(Ok).collect(), proofs, hash)
        } else {
            let (mut commitments, hash) = bytes::each_point(rt, settings, unique.chain(proofs), hash);
            let proofs = commitments.split_off(self.unique_commitments.len());
            (commitments, proofs, hash)
        };
        EachPoint { commitments, proofs, hash }
    }

    /// Steps 2 to 4: returns both sides of the equation for some cells.
    pub(super) fn sides(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        points: &Points,
        terms: Terms<'_>,
    ) -> Result<Sides, Error> {
        self.sides_with(rt, settings, points, terms, &self.interpolate(rt, settings, terms)?)
    }

    /// Does what [`Batch::sides`] does, with the result of [`Batch::interpolate`].
    pub(super) fn sides_with(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        points: &Points,
        terms: Terms<'_>,
        runs: &[Run],
    ) -> Result<Sides, Error> {
        let (cells, commitments) = (terms.factors.len(), self.unique_commitments.len());
        // Step 4.2: RLI, the commitment to the interpolation polynomials.
        let mut sum_interp_polys_coeff = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
        for run in runs {
            sum_interp_polys_coeff.iter_mut().zip(run.polynomial).for_each(|(sum, x)| *sum += x);
        }
        // Steps 2, 4.1b and 4.3: LL and RLC + RLP.
        let cost = settings.verify_cells_sums_cost(cells, commitments);
        let (lincombs, rli) = sums(
            rt,
            cells,
            cost,
            || self.lincombs(rt, settings, points, terms),
            || Ok::<_, Error>(settings.interpolation()?.msm_vartime(rt, &[&sum_interp_polys_coeff])?[0]),
        );
        let [rlc_plus_rlp, ll] = lincombs?;
        // Step 4.4: RL = RLC − RLI + RLP.
        Ok(Sides { ll, rl: rlc_plus_rlp - rli?, one_column: self.one_column })
    }

    /// Returns RLC + RLP = Σ weights\[i\]·commitments\[i\] + Σ r^k·h_k^n·proofs\[k\] as one sum, without RLP for one
    /// column, and LL = Σ r^k·proofs\[k\].
    fn lincombs(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        points: &Points,
        terms: Terms<'_>,
    ) -> Result<[G1; 2], Error> {
        let factors = terms.factors;
        // Step 4.1a: weights[i], the sum of the factors of the cells of commitment i.
        let mut weights = vec![Fr::zero(); self.unique_commitments.len()];
        for (at, factor) in factors.iter().enumerate() {
            weights[self.commitment_indices[terms.cell(at)] as usize] += *factor;
        }
        let (mut commitments, mut proofs) = (Cow::from(&points.commitments), Cow::from(&points.proofs));
        if let Some(cells) = terms.cells {
            let used: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] != Fr::zero()).collect();
            commitments = used.iter().map(|i| points.commitments[*i]).collect();
            weights = used.iter().map(|i| weights[*i]).collect();
            proofs = cells.iter().map(|k| points.proofs[*k]).collect();
        }
        let ll = Sum { points: &proofs, scalars: factors, length: Scalars::Random };
        if self.one_column.is_some() {
            let rlc = Sum { points: &commitments, scalars: &weights, length: Scalars::Random };
            return msm_pair(rt, settings.rows.fp, rlc, ll);
        }
        let h_pow_n = |at| settings.points.point(self.column(terms.cell(at)));
        let weighted_factors = factors.iter().enumerate().map(|(at, factor)| h_pow_n(at) * *factor);
        let points = [&commitments[..], &proofs].concat();
        let scalars: Vec<Fr> = weights.iter().copied().chain(weighted_factors).collect();
        let rlc_plus_rlp = Sum { points: &points, scalars: &scalars, length: Scalars::Full };
        msm_pair(rt, settings.rows.fp, rlc_plus_rlp, ll)
    }

    /// Returns the runs of some cells, whose polynomials add up to Σ r^k·interpolation_poly_k; the error of the first
    /// of the cells that has one.
    pub(super) fn interpolate(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        terms: Terms<'_>,
    ) -> Result<Vec<Run>, Error> {
        // Cells of the same column are added up first, so that each column is interpolated once, or once for 64 cells.
        let column = |at: usize| self.column(terms.cell(at));
        let mut by_column: Vec<usize> = (0..terms.factors.len()).collect();
        by_column.sort_by_key(|at| column(*at));
        let same_column = |a: &usize, b: &usize| column(*a) == column(*b);
        let runs: Vec<&[usize]> =
            by_column.chunk_by(same_column).flat_map(|run| run.chunks(Run::CELLS)).collect();
        let cells_of_run = terms.factors.len() / runs.len().max(1);
        let cost = settings.cell_transform_cost() + cells_of_run * settings.weighted_cell_cost();
        let runs = map(rt, runs.len(), cost, |i| {
            let cells = runs[i].iter().map(|at| (terms.cell(*at), terms.factors[*at]));
            let polynomial = self.interpolate_column(settings, column(runs[i][0]), cells)?;
            let cells = runs[i].iter().map(|at| terms.cell(*at)).collect();
            Ok::<_, (usize, Error)>(Run { cells, polynomial })
        });
        // The first error of each run is known. Runs are in the order of columns, not of the list.
        let first = runs.iter().filter_map(|run| run.as_ref().err()).min_by_key(|(k, _)| *k);
        if let Some((_, error)) = first {
            return Err(error.clone());
        }
        Ok(runs.into_iter().flatten().collect())
    }

    /// Returns the coefficients of the sum of the interpolation polynomials of cells of one column, given by their
    /// indices, times factors; for an error also the index.
    pub(super) fn interpolate_column(
        &self,
        settings: &Settings,
        column: usize,
        cells: impl Iterator<Item = (usize, Fr)>,
    ) -> Result<[Fr; FIELD_ELEMENTS_PER_CELL], (usize, Error)> {
        let mut sum = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
        let mut cell = sum;
        for (place, (k, factor)) in cells.enumerate() {
            let out = if place == 0 { &mut sum } else { &mut cell };
            self.read_cell(settings, k, factor, out).map_err(|why| (k, why))?;
            if place > 0 {
                sum.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value);
            }
        }
        settings.points.inverse(column, CELL_SCALE, &mut sum);
        Ok(sum)
    }

    /// Reads cell k, times a factor and 1/64: the inverse transform multiplies by 64.
    pub(super) fn read_cell(
        &self,
        settings: &Settings,
        k: usize,
        factor: Fr,
        out: &mut [Fr],
    ) -> Result<(), Error> {
        let bytes = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, self.cells[k])?;
        let factor = ScaledEncoding::new(factor * settings.cell_size_inverse);
        bytes::elements(settings, (Input::Cell, k, 0), bytes, &factor, out)
    }
}
