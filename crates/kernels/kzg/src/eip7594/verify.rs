//! Verification of many cells as one batch, in the steps and names of `verify_cell_kzg_proof_batch_impl` of the
//! specification. Step 5, the pairing check at the end of [`Batch::check_equation`], rejects a batch with a wrong cell.
//!
//! Three things differ from the specification:
//!
//! - `r_powers` are independent random factors with half of the digits, not powers of one number r.
//! - If all cells are of one column, h_k^n is the same for all of them. Then LR is \[s^n − h^n\] instead of \[s^n\],
//!   and RLP is left out.
//! - Sums with `r_powers` can check that points are in G1; see [`Check`].
//!
//! [`enter`] decides by [`Settings::verify_cells_cost`] whether the batch enters the runtime. Each part (reading the
//! points, hashing the cells, interpolating the columns, the sums) then goes parallel if its own cost is worth it.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use parcrypt_bls12_381::{Fr, G1, G1Affine, ScaledEncoding, pairing};
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

/// When points are checked to be in G1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// As they are read, which gives errors their order.
    AsRead,
    /// By the sums with random factors; points that are not in such a sum as they are read.
    InSums,
}

/// The inputs of a batch, each commitment once.
struct Batch<'a> {
    unique_commitments: Vec<&'a [u8]>,
    /// For each of them, its first index in the caller's list.
    first_indices: Vec<usize>,
    /// For each cell, the index of its commitment among the unique ones.
    commitment_indices: Vec<u64>,
    cell_indices: &'a [u64],
    cells: &'a [&'a [u8]],
    proofs: &'a [&'a [u8]],
    /// The column of all cells if it is the same.
    one_column: Option<usize>,
}

/// The points of a batch, and the hash of all of its inputs.
struct Points {
    commitments: Vec<G1Affine>,
    proofs: Vec<G1Affine>,
    hash: [u8; 32],
}

impl<'a> Batch<'a> {
    /// Checks lengths of lists and indices of cells, and finds the unique commitments.
    fn new(
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
        let one_column = match cell_indices {
            [first, rest @ ..] if rest.iter().all(|index| index == first) => Some(*first as usize),
            _ => None,
        };
        Ok(Batch {
            unique_commitments,
            first_indices,
            commitment_indices,
            cell_indices,
            cells,
            proofs,
            one_column,
        })
    }

    /// Returns whether all cells are right.
    fn verify(&self, rt: &dyn Runtime, settings: &Settings) -> Result<bool, Error> {
        let (cells, commitments) = (self.cells.len(), self.unique_commitments.len());
        if cells == 0 {
            return Ok(true);
        }
        enter(rt, settings.verify_cells_cost(cells, commitments), || {
            if self.cheapest_check(settings) == Check::InSums
                && let Ok(Some(verdict)) = self.verdict(rt, settings, Check::InSums)
            {
                return Ok(verdict);
            }
            // Which error is the first is known if each point is checked as it is read.
            self.verdict(rt, settings, Check::AsRead).map(|verdict| verdict == Some(true))
        })
    }

    /// Returns the column of cell k, which is below 128.
    fn column(&self, k: usize) -> usize {
        self.cell_indices[k] as usize
    }

    /// Returns the check that takes less time.
    fn cheapest_check(&self, settings: &Settings) -> Check {
        let (cells, commitments) = (self.cells.len(), self.unique_commitments.len());
        let in_sums = settings.sums_check_members(cells, commitments, self.one_column.is_some());
        if in_sums { Check::InSums } else { Check::AsRead }
    }

    /// Returns whether the batch verifies, or `None` if a point is not in G1. The first of several errors is returned
    /// if points are checked as they are read, otherwise any.
    fn verdict(&self, rt: &dyn Runtime, settings: &Settings, check: Check) -> Result<Option<bool>, Error> {
        // Step 1: the challenge, which all inputs determine, and a factor for each cell instead of a power of r.
        let points = self.read(rt, settings, check)?;
        let r_powers = random_factors(&points.hash, self.cells.len());
        self.check_equation(rt, settings, check, &points, &r_powers)
    }

    /// Decompresses the points and hashes the inputs.
    fn read(&self, rt: &dyn Runtime, settings: &Settings, check: Check) -> Result<Points, Error> {
        let unique = self.unique_commitments.iter().zip(&self.first_indices);
        let unique = unique.map(|(commitment, k)| (Input::Commitment, *k, *commitment));
        let proofs = bytes::numbered(Input::Proof, self.proofs);
        let leaves =
            leaves(rt, settings, &self.commitment_indices, self.cell_indices, self.cells, self.proofs);
        // The hash of the leaves is serial: one thread computes it while the others decompress points.
        let hash = || root(&self.unique_commitments, &leaves?);
        let (commitments, proofs, hash) = if check == Check::InSums && self.one_column.is_none() {
            // Commitments are only in the sum with full scalars, which does not check them.
            let (commitments, ()) = bytes::points(rt, settings, unique, || ());
            let (proofs, hash) = bytes::points_on_curve(rt, settings, proofs, hash);
            (commitments?, proofs?, hash)
        } else {
            let all = unique.chain(proofs);
            let (points, hash) = match check {
                Check::AsRead => bytes::points(rt, settings, all, hash),
                Check::InSums => bytes::points_on_curve(rt, settings, all, hash),
            };
            let mut commitments = points?;
            let proofs = commitments.split_off(self.unique_commitments.len());
            (commitments, proofs, hash)
        };
        // An error of a point is returned first: it has the index in the caller's list, which is not known to the hash.
        Ok(Points { commitments, proofs, hash: hash? })
    }

    /// Steps 2 to 5: returns whether e(LL, LR) = e(RL, \[1\]), or `None` if a sum finds a point outside of G1.
    fn check_equation(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        check: Check,
        points: &Points,
        r_powers: &[Fr],
    ) -> Result<Option<bool>, Error> {
        let (cells, commitments) = (self.cells.len(), self.unique_commitments.len());
        // Step 4.1a: weights[i], the sum of the factors of the cells of commitment i.
        let mut weights = vec![Fr::zero(); commitments];
        for (i, r_power) in self.commitment_indices.iter().zip(r_powers) {
            weights[*i as usize] += *r_power;
        }
        // Steps 2, 4.1b and 4.3: LL and RLC + RLP. Step 4.2: RLI, the commitment to the interpolation polynomials.
        let sum_interp_polys_coeff = self.interpolate(rt, settings, r_powers)?;
        let cost = settings.verify_cells_sums_cost(cells, commitments);
        let (lincombs, rli) = sums(
            rt,
            cells,
            cost,
            || self.lincombs(rt, settings, check, points, r_powers, &weights),
            || Ok::<_, Error>(settings.interpolation()?.msm_vartime(rt, &[&sum_interp_polys_coeff])?[0]),
        );
        let Some([rlc_plus_rlp, ll]) = lincombs? else { return Ok(None) };
        // Step 3: LR = [s^n], or [s^n − h^n] for one column.
        let lr = match self.one_column {
            None => &settings.prepared.secret_to_64,
            Some(column) => settings.vanishing(column),
        };
        // Step 4.4: RL = RLC − RLI + RLP.
        let rl = rlc_plus_rlp - rli?;
        // Step 5: the verdict. With any wrong cell, e(RL, [1]) · e(−LL, LR) is not 1.
        let affine = G1::batch_to_affine(&[rl, -ll]);
        let pairs = [(affine[0], &settings.prepared.generator), (affine[1], lr)];
        Ok(Some(pairing::product_is_identity(rt, settings.rows.pairing, &pairs)))
    }

    /// Returns RLC + RLP = Σ weights\[i\]·commitments\[i\] + Σ r^k·h_k^n·proofs\[k\] as one sum, without RLP for one
    /// column, and LL = Σ r^k·proofs\[k\].
    fn lincombs(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        check: Check,
        Points { commitments, proofs, .. }: &Points,
        r_powers: &[Fr],
        weights: &[Fr],
    ) -> Result<Option<[G1; 2]>, Error> {
        let length = match check {
            Check::AsRead => Scalars::Random,
            Check::InSums => Scalars::RandomOfMembers,
        };
        let ll = Sum { points: proofs, scalars: r_powers, length };
        if self.one_column.is_some() {
            let rlc = Sum { points: commitments, scalars: weights, length };
            return msm_pair(rt, settings.rows.fp, rlc, ll);
        }
        let h_pow_n = |k| settings.points.point(self.column(k));
        let weighted_r_powers = r_powers.iter().enumerate().map(|(k, r_power)| h_pow_n(k) * *r_power);
        let points = [&commitments[..], proofs].concat();
        let scalars: Vec<Fr> = weights.iter().copied().chain(weighted_r_powers).collect();
        let rlc_plus_rlp = Sum { points: &points, scalars: &scalars, length: Scalars::Full };
        msm_pair(rt, settings.rows.fp, rlc_plus_rlp, ll)
    }

    /// Returns the coefficients of Σ r^k·interpolation_poly_k; the error of the first cell in the list that has one.
    fn interpolate(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        r_powers: &[Fr],
    ) -> Result<[Fr; FIELD_ELEMENTS_PER_CELL], Error> {
        const CELLS: usize = 64;
        // Cells of the same column are added up first, so that each column is interpolated once, or once for 64 cells.
        let mut by_column: Vec<usize> = (0..self.cells.len()).collect();
        by_column.sort_by_key(|k| self.cell_indices[*k]);
        let runs: Vec<&[usize]> = by_column
            .chunk_by(|a, b| self.column(*a) == self.column(*b))
            .flat_map(|run| run.chunks(CELLS))
            .collect();
        let cells_of_run = self.cells.len() / runs.len().max(1);
        let cost = settings.cell_transform_cost() + cells_of_run * settings.weighted_cell_cost();
        let sums = map(rt, runs.len(), cost, |i| {
            let mut sum = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
            let mut cell = sum;
            for (at, &k) in runs[i].iter().enumerate() {
                let out = if at == 0 { &mut sum } else { &mut cell };
                self.read_cell(settings, k, r_powers[k], out).map_err(|why| (k, why))?;
                if at > 0 {
                    sum.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value);
                }
            }
            settings.points.inverse(self.column(runs[i][0]), CELL_SCALE, &mut sum);
            Ok::<_, (usize, Error)>(sum)
        });
        let mut total = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
        let mut errors = Vec::new();
        for sum in sums {
            match sum {
                Ok(sum) => total.iter_mut().zip(sum).for_each(|(total, x)| *total += x),
                Err(error) => errors.push(error),
            }
        }
        // The first error of each run is known. Runs are in the order of columns, not of the list.
        errors.into_iter().min_by_key(|(k, _)| *k).map_or(Ok(total), |(_, error)| Err(error))
    }

    /// Reads cell k, times a factor and 1/64: the inverse transform multiplies by 64.
    fn read_cell(&self, settings: &Settings, k: usize, factor: Fr, out: &mut [Fr]) -> Result<(), Error> {
        let bytes = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, self.cells[k])?;
        let factor = ScaledEncoding::new(factor * settings.cell_size_inverse);
        bytes::elements(settings, (Input::Cell, k, 0), bytes, &factor, out)
    }
}
