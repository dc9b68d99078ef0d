//! Verification of many cells as one batch.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use parcrypt_bls12_381::{Fr, G1, G1Affine, ScaledEncoding, pairing};
use parcrypt_runtime::{Cost, Runtime, enter, map};

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
/// One product of two pairings verifies all: with random a_k, e(Σ a_k·(C_k − I_k(τ)·G1 + y_k·π_k), G2) · e(−Σ
/// a_k·π_k, τ^64·G2) = 1, where I_k is the polynomial of degree below 64 with the values of cell k, and X^64 = y_k
/// if it has them. If all cells are of one column, with y, the second point of G2 is (τ^64 − y)·G2 instead, and the
/// proofs need no product with y.
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
    verify(rt, settings, commitments, (cell_indices, cells, proofs), random_factors)
}

/// As [`verify_cell_kzg_proof_batch`], with `factors` of the batch's hash and its number of cells.
fn verify(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&[u8]],
    (cell_indices, cells, proofs): (&[u64], &[&[u8]], &[&[u8]]),
    factors: impl Fn(&[u8; 32], usize) -> Vec<Fr> + Sync,
) -> Result<bool, Error> {
    let n = cells.len();
    bytes::count(Input::Commitment, n, commitments.len())?;
    bytes::count(Input::CellIndex, n, cell_indices.len())?;
    bytes::count(Input::Proof, n, proofs.len())?;
    if n == 0 {
        return Ok(true);
    }
    let columns = cell_indices.iter().enumerate().map(|(k, index)| cell_index(k, *index));
    let columns: Vec<usize> = columns.collect::<Result<_, _>>()?;
    let distinct = Distinct::new(commitments);
    let firsts: Vec<&[u8]> = distinct.firsts.iter().map(|k| commitments[*k]).collect();
    let batch =
        Batch { distinct: &distinct, firsts: &firsts, columns: &columns, cell_indices, cells, proofs };
    enter(rt, Cost::ns(settings.verify_cells_ns(n, distinct.firsts.len())), || {
        if settings.sums_check_members(n, distinct.firsts.len(), batch.column().is_some())
            && let Ok(Some(verdict)) = batch.verdict(rt, settings, Check::InSums, &factors)
        {
            return Ok(verdict);
        }
        // Which error is the first is known if each point is checked as it is read.
        batch.verdict(rt, settings, Check::AsRead, &factors).map(|verdict| verdict == Some(true))
    })
}

/// When points are checked to be in G1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// As they are read, which gives errors their order.
    AsRead,
    /// By the sums with random factors; points that are not in such a sum as they are read.
    InSums,
}

/// The inputs of a batch.
struct Batch<'a> {
    distinct: &'a Distinct,
    /// The distinct commitments.
    firsts: &'a [&'a [u8]],
    columns: &'a [usize],
    cell_indices: &'a [u64],
    cells: &'a [&'a [u8]],
    proofs: &'a [&'a [u8]],
}

impl Batch<'_> {
    /// Returns the column of all cells if it is the same.
    fn column(&self) -> Option<usize> {
        self.columns.iter().all(|column| *column == self.columns[0]).then_some(self.columns[0])
    }

    /// Returns whether the batch verifies, or `None` if a point is not in G1. The first of several errors is returned
    /// if points are checked as they are read, otherwise any.
    fn verdict(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        check: Check,
        factors: &(impl Fn(&[u8; 32], usize) -> Vec<Fr> + Sync),
    ) -> Result<Option<bool>, Error> {
        let Batch { distinct, firsts, columns, cell_indices, cells, proofs } = *self;
        let n = cells.len();
        let commitments = firsts.iter().zip(&distinct.firsts).map(|(c, k)| (Input::Commitment, *k, *c));
        let given = bytes::numbered(Input::Proof, proofs);
        let leaves = leaves(rt, settings, &distinct.indices, cell_indices, cells, proofs);
        let hash = || root(firsts, &leaves?);
        let (commitments, proofs, hash) = match check {
            Check::AsRead => {
                let (points, hash) = bytes::points(rt, settings, commitments.chain(given), hash);
                let mut points = points?;
                let proofs = points.split_off(firsts.len());
                (points, proofs, hash)
            }
            Check::InSums if self.column().is_some() => {
                let (points, hash) = bytes::points_on_curve(rt, settings, commitments.chain(given), hash);
                let mut points = points?;
                let proofs = points.split_off(firsts.len());
                (points, proofs, hash)
            }
            Check::InSums => {
                let (commitments, ()) = bytes::points(rt, settings, commitments, || ());
                let (proofs, hash) = bytes::points_on_curve(rt, settings, given, hash);
                (commitments?, proofs?, hash)
            }
        };
        // An error of a point is returned first: it has the index in the caller's list, which is not known to the hash.
        let factors = factors(&hash?, n);
        let interpolation = interpolate(rt, settings, columns, cells, &factors)?;

        let mut scalars = vec![Fr::zero(); commitments.len()];
        for (index, factor) in distinct.indices.iter().zip(&factors) {
            scalars[*index as usize] += *factor;
        }
        let ns = settings.verify_cells_sums_ns(n, commitments.len());
        let one_column = self.column();
        let weighted = (&proofs[..], columns, &factors[..]);
        let claims = || sums_of_claims(rt, settings, check, one_column, (&commitments, &scalars), weighted);
        let interpolated =
            || Ok::<_, Error>(settings.interpolation()?.msm_vartime(rt, &[&interpolation])?[0]);
        let (claims, interpolated) = sums(rt, n, ns, claims, interpolated);
        let Some([values, weighted]) = claims? else { return Ok(None) };
        let sums = G1::batch_to_affine(&[values - interpolated?, -weighted]);
        let prepared = &settings.prepared;
        let divisor = one_column.map_or(&prepared.secret_to_64, |column| settings.vanishing(column));
        let pairs = [(sums[0], &prepared.generator), (sums[1], divisor)];
        Ok(Some(pairing::product_is_identity(rt, settings.rows.pairing, &pairs)))
    }
}

/// Returns Σ a_k·(C_k + y_k·π_k) and Σ a_k·π_k, or without y_k where all cells are of `one_column`. Commitments come
/// with the sums of their factors, proofs with their columns and factors a_k. `None` where the sums check that points
/// are in G1 and one is not.
fn sums_of_claims(
    rt: &dyn Runtime,
    settings: &Settings,
    check: Check,
    one_column: Option<usize>,
    (commitments, sums): (&[G1Affine], &[Fr]),
    (proofs, columns, factors): (&[G1Affine], &[usize], &[Fr]),
) -> Result<Option<[G1; 2]>, Error> {
    let length = match check {
        Check::AsRead => Scalars::Random,
        Check::InSums => Scalars::RandomOfMembers,
    };
    let weighted = Sum { points: proofs, scalars: factors, length };
    if one_column.is_some() {
        return msm_pair(rt, settings.rows.fp, Sum { points: commitments, scalars: sums, length }, weighted);
    }
    let points = [commitments, proofs].concat();
    let products = columns.iter().zip(factors).map(|(c, factor)| settings.points.point(*c) * *factor);
    let scalars: Vec<Fr> = sums.iter().copied().chain(products).collect();
    let claims = Sum { points: &points, scalars: &scalars, length: Scalars::Full };
    msm_pair(rt, settings.rows.fp, claims, weighted)
}

/// Returns Σ a_k·I_k over all cells, where a_k are the factors; the error of the first cell in the list that has one.
fn interpolate(
    rt: &dyn Runtime,
    settings: &Settings,
    columns: &[usize],
    cells: &[&[u8]],
    factors: &[Fr],
) -> Result<[Fr; FIELD_ELEMENTS_PER_CELL], Error> {
    const CELLS: usize = 64;
    // Cells of the same column are added up first, so that each column is interpolated once, or once for 64 cells.
    let mut by_column: Vec<usize> = (0..cells.len()).collect();
    by_column.sort_by_key(|k| columns[*k]);
    let runs: Vec<&[usize]> =
        by_column.chunk_by(|a, b| columns[*a] == columns[*b]).flat_map(|run| run.chunks(CELLS)).collect();
    let cells_of_run = (cells.len() / runs.len().max(1)) as u64;
    let cost = Cost::ns(settings.cell_transform_ns() + cells_of_run * settings.weighted_cell_ns());
    let sums = map(rt, runs.len(), cost, |i| {
        let (mut sum, mut cell) =
            ([Fr::zero(); FIELD_ELEMENTS_PER_CELL], [Fr::zero(); FIELD_ELEMENTS_PER_CELL]);
        for (at, &k) in runs[i].iter().enumerate() {
            let bytes = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cells[k]).map_err(|why| (k, why))?;
            // The transform multiplies by 64.
            let factor = ScaledEncoding::new(factors[k] * settings.cell_size_inverse);
            let out = if at == 0 { &mut sum } else { &mut cell };
            bytes::elements(settings, (Input::Cell, k, 0), bytes, &factor, out).map_err(|why| (k, why))?;
            if at > 0 {
                sum.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value);
            }
        }
        settings.points.inverse(columns[runs[i][0]], CELL_SCALE, &mut sum);
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

/// The distinct commitments of a list.
struct Distinct {
    /// The first index of each in the list.
    firsts: Vec<usize>,
    /// For each commitment of the list, its index among the distinct ones.
    indices: Vec<u64>,
}

impl Distinct {
    fn new(commitments: &[&[u8]]) -> Self {
        let mut known = HashMap::new();
        let (mut firsts, mut indices) = (Vec::new(), Vec::with_capacity(commitments.len()));
        for (k, commitment) in commitments.iter().enumerate() {
            indices.push(*known.entry(*commitment).or_insert(firsts.len() as u64));
            if firsts.len() < known.len() {
                firsts.push(k);
            }
        }
        Distinct { firsts, indices }
    }
}
