//! Recovery of missing cells: an erasure code of length 128 and dimension 64 for each coefficient of the remainders.

use parcrypt_bls12_381::{Fr, ScaledEncoding};
use parcrypt_runtime::{Runtime, for_each, map};

use super::extension::{LINES, Remainders, gather_columns, gather_rows, write_cell};
use crate::batch::map_valid;
use crate::bytes::{self, PIECE};
use crate::error::{Error, Input};
use crate::settings::{CELL_SCALE, CELLS_SCALE};
use crate::{
    BYTES_PER_CELL, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell, FIELD_ELEMENTS_PER_CELL,
    FIELD_ELEMENTS_PER_EXT_BLOB, Samples, Settings,
};

/// Returns the index of a cell; an error if no blob has such a cell.
pub(super) fn cell_index(index: usize, cell_index: u64) -> Result<usize, Error> {
    match usize::try_from(cell_index) {
        Ok(cell) if cell < CELLS_PER_EXT_BLOB => Ok(cell),
        _ => Err(Error::CellIndex { index, cell_index }),
    }
}

/// The known cells of a blob, and the factors of its recovery.
struct Plan<'a> {
    /// The known cells, with their indices among the samples.
    known: [Option<(usize, &'a Cell)>; CELLS_PER_EXT_BLOB],
    missing: usize,
    /// The factor of each cell's remainder: Z(y_c) for a known cell, 1 / (128·Z'(y_c)) for a missing one. For the
    /// first 64 cells the former is multiplied by 64 and the latter divided by 64; see [`Remainders`].
    factors: Vec<Fr>,
}

impl<'a> Plan<'a> {
    fn new(settings: &Settings, samples: &Samples<'a>) -> Result<Self, Error> {
        let Samples { cell_indices, cells } = *samples;
        bytes::count(Input::Cell, cell_indices.len(), cells.len())?;
        let mut known = [None; CELLS_PER_EXT_BLOB];
        for (index, (&cell, bytes)) in cell_indices.iter().zip(cells).enumerate() {
            let number = cell_index(index, cell)?;
            if index > 0 && cell <= cell_indices[index - 1] {
                return Err(Error::CellOrder { index, cell_index: cell, before: cell_indices[index - 1] });
            }
            known[number] = Some((index, bytes::array(Input::Cell, index, bytes)?));
        }
        if cells.len() < CELLS_PER_BLOB {
            return Err(Error::TooFewCells { got: cells.len() });
        }
        let missing: Vec<usize> = (0..CELLS_PER_EXT_BLOB).filter(|c| known[*c].is_none()).collect();
        // The coefficients of Z, and of its derivative.
        let mut factors = vec![Fr::zero(); CELLS_PER_EXT_BLOB];
        factors[0] = Fr::one();
        for (degree, m) in missing.iter().enumerate() {
            let y = settings.points.point(*m);
            for i in (0..=degree).rev() {
                let coefficient = factors[i];
                factors[i + 1] += coefficient;
                factors[i] = -(coefficient * y);
            }
        }
        let mut derivative = factors.clone();
        differentiate(settings, &mut derivative, 1);
        settings.points.forward(0, CELLS_SCALE, &mut factors);
        settings.points.forward(0, CELLS_SCALE, &mut derivative);
        let mut inverses: Vec<Fr> = missing.iter().map(|c| derivative[*c]).collect();
        Fr::batch_inverse(&mut inverses);
        missing.iter().zip(inverses).for_each(|(c, inverse)| factors[*c] = inverse * settings.cells_inverse);
        let cell_size = Fr::from(FIELD_ELEMENTS_PER_CELL as u64);
        for (factor, known) in factors.iter_mut().zip(&known).take(CELLS_PER_BLOB) {
            *factor *= if known.is_some() { cell_size } else { settings.cell_size_inverse };
        }
        Ok(Plan { known, missing: missing.len(), factors })
    }
}

/// Replaces the coefficients of interleaved polynomials by those of their derivatives.
fn differentiate(settings: &Settings, coefficients: &mut [Fr], polynomials: usize) {
    coefficients.copy_within(polynomials.., 0);
    let rows = (coefficients.len() / polynomials) as u64;
    let exponents: Vec<Fr> = (1..rows).chain([0]).map(Fr::from).collect();
    Fr::scale_chunks(settings.rows.fr, &exponents, coefficients);
}

/// Returns the remainders and cells of each blob, from its known cells.
///
/// The coefficients j of all remainders are the values at the y_c of a polynomial A of degree below 64. Let Z have its
/// zeros at the y_c of the m cells that are missing. A·Z has a degree below 64 + m ≤ 128 and known values everywhere:
/// where A is not known, Z is 0. So a transform gives its coefficients; those from 64 + m on are 0 where the known
/// values lie on one such A. The derivative of A·Z at a missing y_c is A(y_c)·Z'(y_c), by another transform.
pub(super) fn recover(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples],
) -> Vec<Result<(Remainders, Vec<Cell>), Error>> {
    let plans = map(rt, samples.len(), settings.vanishing_cost(), |i| Plan::new(settings, &samples[i]));
    let read = map_valid(plans, |plans| Ok(read(rt, settings, plans)));
    let recovered = map_valid(read.into_iter().map(Result::flatten).collect(), |blobs| {
        Ok(recover_columns(rt, settings, blobs))
    });
    map_valid(recovered.into_iter().map(Result::flatten).collect(), |blobs| Ok(write(rt, settings, blobs)))
}

/// Returns the remainders of the known cells; the others are 0.
fn read<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    plans: Vec<Plan<'a>>,
) -> Vec<Result<(Plan<'a>, Vec<Fr>), Error>> {
    const PIECES: usize = FIELD_ELEMENTS_PER_EXT_BLOB / PIECE;
    // A transform multiplies by 64; see `Remainders`.
    let factors = [settings.blob_size_inverse, settings.cell_size_inverse].map(ScaledEncoding::new);
    let mut rows: Vec<Vec<Fr>> =
        plans.iter().map(|_| vec![Fr::zero(); FIELD_ELEMENTS_PER_EXT_BLOB]).collect();
    let mut results = vec![Ok(()); plans.len() * PIECES];
    let pieces = plans.iter().zip(&mut rows).flat_map(|(plan, rows)| {
        let known = plan.known.chunks_exact(LINES);
        known.zip(rows.chunks_exact_mut(PIECE)).enumerate().map(|(piece, (known, rows))| (piece, known, rows))
    });
    let pieces = pieces.zip(&mut results).collect();
    let cost = settings.piece_transforms_cost() + settings.piece_encoding_cost();
    for_each(rt, pieces, cost, |((piece, known, rows), result)| {
        let factor = &factors[piece * LINES / CELLS_PER_BLOB];
        for (i, (known, row)) in known.iter().zip(rows.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL)).enumerate()
        {
            if let Some((index, bytes)) = *known {
                *result = bytes::elements(settings, (Input::Cell, index, 0), bytes, factor, row);
                if result.is_err() {
                    return;
                }
                settings.points.inverse(piece * LINES + i, CELL_SCALE, row);
            }
        }
    });
    let mut results = results.into_iter();
    let blobs = plans.into_iter().zip(rows);
    blobs.map(|blob| (&mut results).take(PIECES).fold(Ok(()), Result::and).map(|()| blob)).collect()
}

/// Fills in the remainders of the missing cells.
fn recover_columns<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: Vec<(Plan<'a>, Vec<Fr>)>,
) -> Vec<Result<(Plan<'a>, Vec<Fr>), Error>> {
    const PIECES: usize = FIELD_ELEMENTS_PER_CELL / LINES;
    /// Both halves of the columns.
    const COLUMNS: usize = 2 * PIECE;
    let mut all: Vec<Vec<Fr>> = blobs.iter().map(|_| vec![Fr::zero(); FIELD_ELEMENTS_PER_EXT_BLOB]).collect();
    let mut results = vec![Ok(()); blobs.len() * PIECES];
    let pieces = blobs.iter().zip(&mut all).flat_map(|((plan, rows), all)| {
        all.chunks_exact_mut(COLUMNS).enumerate().map(move |(piece, columns)| (plan, rows, piece, columns))
    });
    let pieces = pieces.zip(&mut results).collect();
    let cost = settings.fill_columns_cost();
    for_each(rt, pieces, cost, |((plan, rows, piece, columns), result)| {
        gather_columns(rows, piece, columns);
        let scale = |columns: &mut [Fr], missing: bool| {
            let rows = columns.chunks_exact_mut(LINES).zip(&plan.factors).zip(&plan.known);
            let rows = rows.filter(|(_, known)| known.is_none() == missing);
            rows.for_each(|((row, factor), _)| Fr::scale_chunks(settings.rows.fr, &[*factor], row));
        };
        scale(columns, false);
        settings.points.inverse(0, CELLS_SCALE, columns);
        // These are the coefficients of A·Z, times 128.
        if columns[(CELLS_PER_BLOB + plan.missing) * LINES..].iter().any(|x| *x != Fr::zero()) {
            *result = Err(Error::Inconsistent);
            return;
        }
        differentiate(settings, columns, LINES);
        settings.points.forward(0, CELLS_SCALE, columns);
        scale(columns, true);
    });
    let mut results = results.into_iter();
    let filled = blobs.into_iter().zip(all).map(|((plan, mut rows), columns)| {
        (&mut results).take(PIECES).fold(Ok(()), Result::and)?;
        let mut piece = [Fr::zero(); PIECE];
        for (number, rows) in rows.chunks_exact_mut(PIECE).enumerate() {
            gather_rows(&columns, number, &mut piece);
            let known = &plan.known[number * LINES..];
            let rows = rows
                .chunks_exact_mut(FIELD_ELEMENTS_PER_CELL)
                .zip(piece.chunks_exact(FIELD_ELEMENTS_PER_CELL));
            let missing = rows.zip(known).filter(|(_, known)| known.is_none());
            missing.for_each(|((row, recovered), _)| row.copy_from_slice(recovered));
        }
        Ok((plan, rows))
    });
    filled.collect()
}

/// Returns all cells: the known ones, and the others from their remainders.
fn write(rt: &dyn Runtime, settings: &Settings, blobs: Vec<(Plan, Vec<Fr>)>) -> Vec<(Remainders, Vec<Cell>)> {
    let factors = [Fr::from(FIELD_ELEMENTS_PER_CELL as u64), Fr::one()].map(ScaledEncoding::new);
    let mut all: Vec<Vec<Cell>> =
        blobs.iter().map(|_| vec![[0; BYTES_PER_CELL]; CELLS_PER_EXT_BLOB]).collect();
    let pieces = blobs.iter().zip(&mut all).flat_map(|((plan, rows), cells)| {
        let parts =
            plan.known.chunks_exact(LINES).zip(rows.chunks_exact(PIECE)).zip(cells.chunks_exact_mut(LINES));
        parts.enumerate()
    });
    let cost = settings.piece_transforms_cost() + settings.piece_encoding_cost();
    for_each(rt, pieces.collect(), cost, |(piece, ((known, rows), cells))| {
        let factor = &factors[piece * LINES / CELLS_PER_BLOB];
        let rows = rows.chunks_exact(FIELD_ELEMENTS_PER_CELL);
        for (i, (known, (row, cell))) in known.iter().zip(rows.zip(cells)).enumerate() {
            match known {
                Some((_, bytes)) => *cell = **bytes,
                None => write_cell(settings, piece * LINES + i, row, factor, cell),
            }
        }
    });
    blobs.into_iter().zip(all).map(|((_, rows), cells)| (Remainders { rows }, cells)).collect()
}
