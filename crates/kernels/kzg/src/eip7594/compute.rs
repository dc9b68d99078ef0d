//! Cells of blobs and their proofs.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Cost, Runtime, enter, map};

use super::extension::Keeps;
use super::fk20;
use super::polynomial::{self, Polynomial};
use super::recovery::{Samples, recover, rising};
use crate::batch::{in_batches, map_valid, one};
use crate::costs;
use crate::eip4844::commitment::commit;
use crate::error::Error;
use crate::{CELLS_PER_EXT_BLOB, Cell, Proof, Settings};

/// The cells of a blob, or some of them, and a proof for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsAndProofs {
    /// The cells. The first 64 of a blob are the blob. Empty if they were not wanted.
    pub cells: Vec<Cell>,
    /// The proof of each cell. Empty if they were not wanted.
    pub proofs: Vec<Proof>,
}

/// What is computed of each blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want<'a> {
    /// Whether to compute cells.
    pub cells: bool,
    /// Whether to compute a proof for each cell.
    pub proofs: bool,
    /// The indices of the cells, below 128 and in rising order; all 128 for `None`.
    pub columns: Option<&'a [u64]>,
}

impl Want<'static> {
    /// All cells, without proofs.
    pub const CELLS: Self = Want { cells: true, proofs: false, columns: None };
    /// All cells and their proofs.
    pub const CELLS_AND_PROOFS: Self = Want { cells: true, proofs: true, columns: None };
}

/// Returns the 128 cells of a blob; the first 64 are the blob itself.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob.
pub fn compute_cells(rt: &dyn Runtime, settings: &Settings, blob: &[u8]) -> Result<Vec<Cell>, Error> {
    one(compute_wanted(rt, settings, &[blob], Want::CELLS)?).map(|all| all.cells)
}

/// Returns the 128 cells of a blob and a proof for each.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob.
pub fn compute_cells_and_kzg_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
) -> Result<CellsAndProofs, Error> {
    one(compute_wanted(rt, settings, &[blob], Want::CELLS_AND_PROOFS)?)
}

/// Returns all 128 cells and their proofs from at least 64 cells.
///
/// # Errors
/// As [`recover_wanted`] for each blob.
pub fn recover_cells_and_kzg_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    cell_indices: &[u64],
    cells: &[&[u8]],
) -> Result<CellsAndProofs, Error> {
    one(recover_wanted(rt, settings, &[Samples { cell_indices, cells }], Want::CELLS_AND_PROOFS)?)
}

/// Returns the wanted cells and proofs of each blob; an invalid blob does not affect the others.
///
/// Cells below 64 are copies of the blob's. Each further one takes a few µs, and never more than all cells together. A
/// few proofs are commitments to one quotient each; many come with the proofs of all cells, which costs less then.
///
/// # Errors
/// [`Error::CellIndex`] and [`Error::CellOrder`] for columns that are not below 128 or do not rise. For each blob
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob, whatever is wanted.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, Request, Settings, Want, compute_cells, compute_wanted};
/// use parcrypt_runtime::Serial;
/// let settings = Settings::mainnet(Request::Auto)?;
/// let blob = vec![1; BYTES_PER_BLOB];
/// let all = compute_cells(&Serial, &settings, &blob)?;
/// let want = Want { columns: Some(&[3, 77]), ..Want::CELLS };
/// let some = compute_wanted(&Serial, &settings, &[&blob], want)?.remove(0)?;
/// assert_eq!(some.cells, [all[3], all[77]]);
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
pub fn compute_wanted(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    want: Want<'_>,
) -> Result<Vec<Result<CellsAndProofs, Error>>, Error> {
    let columns = want.columns.map(rising).transpose()?;
    let columns = columns.as_deref();
    let compute = |first: usize, blobs: &[&[u8]]| {
        wanted(rt, settings, polynomial::read(rt, settings, first, blobs), want, columns)
    };
    let cost = |blobs| {
        let cells = if want.cells { columns } else { Some(&[][..]) };
        costs::wanted_cells(&settings.rows, blobs, cells) + proofs_cost(settings, blobs, want)
    };
    Ok(in_batches(blobs, |first, blobs| {
        enter(rt, cost(blobs.len()), || {
            if want.proofs || blobs.len() < rt.threads().get() {
                return compute(first, blobs);
            }
            // One blob after the other stays in the second cache.
            map(rt, blobs.len(), cost(1), |i| one(compute(first + i, &blobs[i..=i])))
        })
    }))
}

/// Returns the wanted cells and proofs of each blob from at least 64 of its cells, such as one column of many blobs; an
/// invalid blob does not affect the others.
///
/// # Errors
/// [`Error::CellIndex`] and [`Error::CellOrder`] for columns that are not below 128 or do not rise. For each blob
/// [`Error::Count`] if there is not one cell for each index; [`Error::CellIndex`] and [`Error::CellOrder`] for its
/// indices; [`Error::TooFewCells`]; [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a cell;
/// [`Error::Inconsistent`] if some cell of more than 64 must be wrong.
pub fn recover_wanted(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples<'_>],
    want: Want<'_>,
) -> Result<Vec<Result<CellsAndProofs, Error>>, Error> {
    let columns = want.columns.map(rising).transpose()?;
    let columns = columns.as_deref();
    Ok(in_batches(samples, |_, samples| {
        let cost =
            costs::recovery(&settings.rows, samples.len()) + proofs_cost(settings, samples.len(), want);
        enter(rt, cost, || wanted(rt, settings, recover(rt, settings, samples, columns), want, columns))
    }))
}

/// Returns the cost of the wanted proofs of this number of blobs.
fn proofs_cost(settings: &Settings, blobs: usize, want: Want<'_>) -> Cost {
    let each = want.columns.map_or(CELLS_PER_EXT_BLOB, <[u64]>::len);
    if want.proofs { costs::proofs_of_cells(settings, blobs, each) } else { Cost::default() }
}

/// Returns what is wanted of each polynomial, with these columns, all for `None`.
fn wanted(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: Vec<Result<Polynomial<'_>, Error>>,
    want: Want<'_>,
    columns: Option<&[usize]>,
) -> Vec<Result<CellsAndProofs, Error>> {
    map_valid(polynomials, |mut polynomials| {
        let n = polynomials.len();
        let proofs =
            if want.proofs { proofs(rt, settings, &mut polynomials, columns)? } else { vec![Vec::new(); n] };
        let cells = match columns {
            _ if !want.cells => vec![Vec::new(); n],
            Some(columns) => polynomial::cells(rt, settings, &mut polynomials, columns),
            None => {
                polynomial::extend(rt, settings, &mut polynomials, Keeps::Cells);
                polynomials.into_iter().map(Polynomial::into_cells).collect()
            }
        };
        Ok(cells.into_iter().zip(proofs).map(|(cells, proofs)| CellsAndProofs { cells, proofs }).collect())
    })
}

/// Returns the proofs of the wanted cells of each polynomial, all for `None`, in the way that takes less time.
fn proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: &mut [Polynomial<'_>],
    wanted: Option<&[usize]>,
) -> Result<Vec<Vec<Proof>>, Error> {
    match wanted {
        Some(wanted) if !costs::all_proofs_pay(settings, polynomials.len(), wanted.len()) => {
            if wanted.is_empty() {
                return Ok(vec![Vec::new(); polynomials.len()]);
            }
            let quotients: Vec<Vec<Fr>> = polynomials
                .iter()
                .flat_map(|polynomial| polynomial::quotients(rt, settings, polynomial, wanted))
                .collect();
            let proofs = commit(rt, settings, &quotients)?;
            Ok(proofs.chunks(wanted.len()).map(<[Proof]>::to_vec).collect())
        }
        _ => {
            polynomial::extend(rt, settings, polynomials, Keeps::Remainders);
            let all = fk20::proofs(rt, settings, polynomials)?;
            let Some(wanted) = wanted else { return Ok(all) };
            Ok(all.into_iter().map(|all| wanted.iter().map(|cell| all[*cell]).collect()).collect())
        }
    }
}
