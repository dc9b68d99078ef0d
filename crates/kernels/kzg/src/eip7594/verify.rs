//! Verification of many cells as one batch, in the steps and names of `verify_cell_kzg_proof_batch_impl` of the
//! specification.
//!
//! Two things differ from the specification:
//!
//! - `r_powers` are independent random factors with half of the digits, not powers of one number r.
//! - If all cells are of one column, h_k^n is the same for all of them. Then LR is \[s^n − h^n\] instead of \[s^n\],
//!   and RLP is left out.
//!
//! [`costs::verify_cells`], which is asked once, decides whether the batch enters the runtime. Each part (reading the
//! points, hashing the cells, interpolating the columns, the sums) then goes parallel if its own cost is worth it.

#[cfg(all(test, feature = "compute"))]
pub(super) mod tests;

use std::collections::HashMap;
use std::ops::Range;

use parcrypt_bls12_381::msm::Scalars;
use parcrypt_bls12_381::pairing::{Gt, multi_pairing};
use parcrypt_bls12_381::{Fr, G1, G1Affine, ScaledEncoding};
use parcrypt_runtime::{Cost, Runtime, enter, map};

use super::challenge::{leaves, root};
use crate::bytes;
use crate::costs;
use crate::eip4844::challenge::random_factors;
use crate::error::{Error, Input};
use crate::find_wrong::{WrongItem, wrong_items};
use crate::settings::CELL_SCALE;
use crate::sums::{Sum, msm_pair, sums};
use crate::{
    BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_CELL,
    Settings,
};

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
    Batch::new(commitments, cell_indices, cells, proofs)?.verify(rt, settings, None)
}

/// Returns the cells of a batch that are wrong, in rising order; none if [`verify_cell_kzg_proof_batch`] returns
/// `true`.
///
/// Each cell has the result that it has in a batch of its own, whatever the others are: malformed bytes, points outside
/// the group and proofs that do not verify are named, and the other cells are judged. Points are read once, and the
/// wrong cells found by halving.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, WrongItem, Reason, Request, Settings};
/// use parcrypt_kzg::{blob_to_kzg_commitment, compute_cells_and_kzg_proofs, find_wrong_cells};
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
/// let wrong = find_wrong_cells(rt, &settings, &commitments, &indices, &cells, &proofs)?;
/// assert_eq!(wrong[0], WrongItem { index: 5, why: Reason::DoesNotVerify });
/// assert_eq!((wrong[1].index, wrong.len()), (77, 2));
/// assert!(matches!(wrong[1].why, Reason::Malformed(_)));
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Count`] where the lists differ in length.
pub fn find_wrong_cells(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&[u8]],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<Vec<WrongItem>, Error> {
    same_lengths(commitments, cell_indices, cells, proofs)?;
    let has_lengths = |k: &usize| {
        cell_index(*k, cell_indices[*k]).is_ok()
            && commitments[*k].len() == BYTES_PER_COMMITMENT
            && cells[*k].len() == BYTES_PER_CELL
            && proofs[*k].len() == BYTES_PER_PROOF
    };
    let read: Vec<usize> = (0..cells.len()).filter(has_lengths).collect();
    let indices: Vec<u64> = read.iter().map(|k| cell_indices[*k]).collect();
    let [of_commitments, of_cells, of_proofs] = [commitments, cells, proofs].map(|all| chosen(all, &read));
    let batch = Batch::new(&of_commitments, &indices, &of_cells, &of_proofs)?;
    let cost = |cells| {
        let commitments = batch.unique_commitments.len();
        costs::verify_cells(settings, cells, commitments, false, batch.one_column.is_some())
    };
    enter(rt, cost(read.len()).all, || {
        let EachPoint { commitments: each_commitment, proofs: each_proof, hash } =
            batch.read_each(rt, settings, None);
        let good = |k: &usize| each_commitment[batch.commitment(*k)].is_ok() && each_proof[*k].is_ok();
        let mut judged: Vec<usize> = (0..read.len()).filter(good).collect();
        let [of_commitments, of_proofs] = [each_commitment, each_proof]
            .map(|points| points.into_iter().map(|point| point.unwrap_or(G1Affine::identity())).collect());
        let points = Points { commitments: of_commitments, proofs: of_proofs, hash: hash? };
        let r_powers = random_factors(&points.hash, read.len());
        let product = |judged: &[usize]| {
            batch.quotient(rt, settings, &points, judged, &r_powers, cost(judged.len()).sums)
        };
        let mut of_all = product(&judged);
        if matches!(of_all, Err(Error::NotCanonical { .. })) {
            judged.retain(|k| batch.read_cell(settings, *k, Fr::one(), &mut [Fr::zero(); _]).is_ok());
            of_all = product(&judged);
        }
        let mut malformed = vec![true; cells.len()];
        judged.iter().for_each(|k| malformed[read[*k]] = false);
        let error = |k: usize| {
            malformed[k].then(|| error_of(settings, k, commitments[k], cell_indices[k], cells[k], proofs[k]))
        };
        let errors = map(rt, cells.len(), costs::points(&settings.rows, 2), error);
        let cost = costs::verify_proof(&settings.rows);
        wrong_items(rt, cost, errors, of_all?, &|at: Range<usize>| product(&judged[at]))
    })
}

/// Returns the items of a list with these indices.
fn chosen<'a>(all: &[&'a [u8]], indices: &[usize]) -> Vec<&'a [u8]> {
    indices.iter().map(|index| all[*index]).collect()
}

/// Returns the error of cell k, whose bytes are malformed, when it is verified by itself.
fn error_of(
    settings: &Settings,
    k: usize,
    commitment: &[u8],
    column: u64,
    cell: &[u8],
    proof: &[u8],
) -> Error {
    let check = || {
        cell_index(k, column)?;
        bytes::point(Input::Commitment, k, commitment)?;
        bytes::point(Input::Proof, k, proof)?;
        let cell = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cell)?;
        let (factor, out) = (ScaledEncoding::new(Fr::one()), &mut [Fr::zero(); FIELD_ELEMENTS_PER_CELL]);
        bytes::elements(settings, (Input::Cell, k, 0), cell, &factor, out)
    };
    check().err().unwrap_or_else(|| unreachable!("its bytes are malformed"))
}

/// Returns the index of a cell; an error if no blob has such a cell.
pub(super) fn cell_index(index: usize, cell_index: u64) -> Result<usize, Error> {
    match usize::try_from(cell_index) {
        Ok(cell) if cell < CELLS_PER_EXT_BLOB => Ok(cell),
        _ => Err(Error::CellIndex { index, cell_index }),
    }
}

/// Returns an error unless the lists have the same length.
fn same_lengths(
    commitments: &[&[u8]],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<(), Error> {
    bytes::count(Input::Commitment, cells.len(), commitments.len())?;
    bytes::count(Input::CellIndex, cells.len(), cell_indices.len())?;
    bytes::count(Input::Proof, cells.len(), proofs.len())
}

/// The inputs of a batch, each commitment once.
pub(super) struct Batch<'a> {
    unique_commitments: Vec<&'a [u8]>,
    /// For each of them, its first index in the caller's list.
    first_indices: Vec<usize>,
    /// For each cell, the index of its commitment among the unique ones.
    commitment_indices: Vec<u64>,
    cell_indices: &'a [u64],
    cells: &'a [&'a [u8]],
    proofs: &'a [&'a [u8]],
    one_column: Option<usize>,
}

/// Returns the column of all cells if it is the same.
fn one_column(cell_indices: &[u64]) -> Option<usize> {
    match cell_indices {
        [first, rest @ ..] if rest.iter().all(|index| index == first) => Some(*first as usize),
        _ => None,
    }
}

/// The points of a batch, and the hash of all of its inputs.
struct Points {
    commitments: Vec<G1Affine>,
    proofs: Vec<G1Affine>,
    hash: [u8; 32],
}

/// The points of a batch, or the error of each that has one, and the hash.
struct EachPoint {
    commitments: Vec<Result<G1Affine, Error>>,
    proofs: Vec<Result<G1Affine, Error>>,
    hash: Result<[u8; 32], Error>,
}

impl<'a> Batch<'a> {
    /// Checks lengths of lists and indices of cells, and finds the unique commitments.
    fn new(
        commitments: &[&'a [u8]],
        cell_indices: &'a [u64],
        cells: &'a [&'a [u8]],
        proofs: &'a [&'a [u8]],
    ) -> Result<Self, Error> {
        same_lengths(commitments, cell_indices, cells, proofs)?;
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
        let one_column = one_column(cell_indices);
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

    /// Returns whether all cells are right. `known`, if they are given, are the unique commitments, already checked.
    pub(super) fn verify(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        known: Option<&[G1Affine]>,
    ) -> Result<bool, Error> {
        let (cells, commitments) = (self.cells.len(), self.unique_commitments.len());
        if cells == 0 {
            return Ok(true);
        }
        let cost =
            costs::verify_cells(settings, cells, commitments, known.is_some(), self.one_column.is_some());
        enter(rt, cost.all, || {
            // Step 1: the challenge, which all inputs determine, and a factor for each cell instead of a power of r.
            let points = self.read(rt, settings, known)?;
            let r_powers = random_factors(&points.hash, cells);
            let all: Vec<usize> = (0..cells).collect();
            Ok(self.quotient(rt, settings, &points, &all, &r_powers, cost.sums)? == Gt::one())
        })
    }

    /// Steps 2 to 5 for some cells, given by their indices, whose sums have this cost: returns e(RL, \[1\]) / e(LL,
    /// LR), which is 1 if they are right. Cell k has the factor `r_powers[k]`.
    fn quotient(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        points: &Points,
        cells: &[usize],
        r_powers: &[Fr],
        cost: Cost,
    ) -> Result<Gt, Error> {
        let factors: Vec<Fr> = cells.iter().map(|k| r_powers[*k]).collect();
        let proofs: Vec<G1Affine> = cells.iter().map(|k| points.proofs[*k]).collect();
        // Step 2: LL = Σ r^k·proofs[k].
        let ll = Sum { points: &proofs, scalars: &factors, length: Scalars::Half };
        // Step 3: LR = [s^n], or [s^n − h^n] for one column.
        let lr = match self.one_column {
            None => &settings.prepared.secret_to_64,
            Some(column) => settings.vanishing(column),
        };
        // Step 4.1a: weights[i], the sum of the factors of the cells of commitment i.
        let mut weights = vec![Fr::zero(); self.unique_commitments.len()];
        cells.iter().for_each(|k| weights[self.commitment(*k)] += r_powers[*k]);
        let used = (0..weights.len()).filter(|i| weights[*i] != Fr::zero());
        let (mut all, mut scalars): (Vec<_>, Vec<_>) =
            used.map(|i| (points.commitments[i], weights[i])).unzip();
        // Steps 4.1b and 4.3: RLC + RLP = Σ weights[i]·commitments[i] + Σ r^k·h_k^n·proofs[k] as one sum.
        let mut length = Scalars::Half;
        if self.one_column.is_none() {
            all.extend(&proofs);
            scalars.extend(cells.iter().map(|k| settings.points.point(self.column(*k)) * r_powers[*k]));
            length = Scalars::Full;
        }
        let rlc_plus_rlp = Sum { points: &all, scalars: &scalars, length };
        // Step 4.2: RLI, the commitment to the sum of the interpolation polynomials.
        let sum_interp_polys_coeff = self.interpolate(rt, settings, cells, r_powers)?;
        let rli = || Ok::<_, Error>(settings.interpolation()?.sum(rt, &sum_interp_polys_coeff)?);
        let lincombs = || msm_pair(rt, settings.rows.fp, rlc_plus_rlp, ll);
        let (lincombs, rli) = sums(rt, cells.len(), cost, lincombs, rli);
        let [rlc_plus_rlp, ll] = lincombs?;
        // Step 4.4: RL = RLC − RLI + RLP.
        let rl = rlc_plus_rlp - rli?;
        // Step 5: with any wrong cell, e(RL, [1]) · e(−LL, LR) is not 1.
        let affine = G1::batch_to_affine(&[rl, -ll]);
        let pairs = [(affine[0], &settings.prepared.generator), (affine[1], lr)];
        Ok(multi_pairing(rt, settings.rows.pairing, &pairs)?)
    }

    /// Returns the column of cell k, which is below 128.
    fn column(&self, k: usize) -> usize {
        self.cell_indices[k] as usize
    }

    /// Returns the index of the commitment of cell k among the unique ones.
    fn commitment(&self, k: usize) -> usize {
        self.commitment_indices[k] as usize
    }

    /// Decompresses the points and hashes the inputs; with `known` commitments only proofs are decompressed.
    fn read(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        known: Option<&[G1Affine]>,
    ) -> Result<Points, Error> {
        let EachPoint { commitments, proofs, hash } = self.read_each(rt, settings, known);
        let all = |points: Vec<Result<G1Affine, Error>>| points.into_iter().collect::<Result<Vec<_>, _>>();
        // An error of a point is returned first: it has the index in the caller's list, which is not known to the hash.
        let (commitments, proofs) = (all(commitments)?, all(proofs)?);
        Ok(Points { commitments, proofs, hash: hash? })
    }

    /// Does what [`Batch::read`] does, and returns the result of each point.
    fn read_each(&self, rt: &dyn Runtime, settings: &Settings, known: Option<&[G1Affine]>) -> EachPoint {
        let unique = self.unique_commitments.iter().zip(&self.first_indices);
        let unique = unique.map(|(commitment, k)| (Input::Commitment, *k, *commitment));
        let proofs = bytes::numbered(Input::Proof, self.proofs);
        let leaves =
            leaves(rt, settings, &self.commitment_indices, self.cell_indices, self.cells, self.proofs);
        // The hash of the leaves is serial: one thread computes it while the others decompress points.
        let hash = || leaves.and_then(|leaves| root(&self.unique_commitments, &leaves));
        if let Some(known) = known {
            let (proofs, hash) = bytes::each_point(rt, settings, proofs, hash);
            return EachPoint { commitments: known.iter().copied().map(Ok).collect(), proofs, hash };
        }
        let (mut commitments, hash) = bytes::each_point(rt, settings, unique.chain(proofs), hash);
        let proofs = commitments.split_off(self.unique_commitments.len());
        EachPoint { commitments, proofs, hash }
    }

    /// Returns Σ r^k·interpolation_poly_k over some cells; the error of the first of them that has one.
    fn interpolate(
        &self,
        rt: &dyn Runtime,
        settings: &Settings,
        cells: &[usize],
        r_powers: &[Fr],
    ) -> Result<[Fr; FIELD_ELEMENTS_PER_CELL], Error> {
        /// Cells of a task.
        const CELLS: usize = 64;
        // Cells of the same column are added up first, so that each column is interpolated once, or once for 64 cells.
        let mut by_column = cells.to_vec();
        by_column.sort_by_key(|k| self.column(*k));
        let same_column = |a: &usize, b: &usize| self.column(*a) == self.column(*b);
        let runs: Vec<&[usize]> = by_column.chunk_by(same_column).flat_map(|run| run.chunks(CELLS)).collect();
        let cells_of_run = cells.len() / runs.len().max(1);
        let cost =
            costs::cell_transform(&settings.rows) + cells_of_run * costs::weighted_cell(&settings.rows);
        let polynomials = map(rt, runs.len(), cost, |i| self.interpolate_column(settings, runs[i], r_powers));
        // The first error of each run is known. Runs are in the order of columns, not of the list.
        let first = polynomials.iter().filter_map(|run| run.as_ref().err()).min_by_key(|(k, _)| *k);
        if let Some((_, error)) = first {
            return Err(error.clone());
        }
        let mut sum = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
        for polynomial in polynomials.into_iter().flatten() {
            sum.iter_mut().zip(polynomial).for_each(|(sum, x)| *sum += x);
        }
        Ok(sum)
    }

    /// Returns the coefficients of the sum of the interpolation polynomials of cells of one column, times their
    /// factors; for an error also the cell.
    fn interpolate_column(
        &self,
        settings: &Settings,
        cells: &[usize],
        r_powers: &[Fr],
    ) -> Result<[Fr; FIELD_ELEMENTS_PER_CELL], (usize, Error)> {
        let mut sum = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
        let mut cell = sum;
        for (place, &k) in cells.iter().enumerate() {
            let out = if place == 0 { &mut sum } else { &mut cell };
            self.read_cell(settings, k, r_powers[k], out).map_err(|why| (k, why))?;
            if place > 0 {
                sum.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value);
            }
        }
        settings.points.inverse(self.column(cells[0]), CELL_SCALE, &mut sum);
        Ok(sum)
    }

    /// Reads cell k, times a factor and 1/64: the inverse transform multiplies by 64.
    fn read_cell(
        &self,
        settings: &Settings,
        k: usize,
        factor: Fr,
        out: &mut [Fr; FIELD_ELEMENTS_PER_CELL],
    ) -> Result<(), Error> {
        let bytes = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, self.cells[k])?;
        let factor = ScaledEncoding::new(factor * settings.cell_size_inverse);
        bytes::elements(settings, (Input::Cell, k, 0), bytes, &factor, out)
    }
}
