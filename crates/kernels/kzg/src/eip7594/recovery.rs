//! Recovery of missing cells: an erasure code of length 128 and dimension 64 for each coefficient of the remainders.
//!
//! [`recover`] looks at what is there: the blob with few of its cells missing, the other half of all cells, or any 64
//! cells. The first two take less time. They use 64 cells and compare the others with the result; where something is
//! wrong, the third way finds the error, so errors do not depend on the way.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use parcrypt_bls12_381::{Fr, ScaledEncoding};
use parcrypt_runtime::{Runtime, for_each, map};

use super::extension::{Extension, Keeps, LINES, gather_columns, gather_rows, write_cell};
use super::polynomial::{Polynomial, cells, extend};
use super::verify::cell_index;
use crate::batch::map_valid;
use crate::bytes;
use crate::bytes::PIECE;
use crate::costs::{self, Way};
use crate::error::{Error, Input};
use crate::settings::{CELL_SCALE, CELLS_SCALE};
use crate::{
    BYTES_PER_CELL, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB, Settings,
};

/// Some of the cells of a blob.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// The indices of the cells, in rising order.
    pub cell_indices: &'a [u64],
    /// The cells, one for each index.
    pub cells: &'a [&'a [u8]],
}

/// Returns one of a list of indices; an error if no blob has such a cell, or the index before it is not lower.
fn rising_index(cell_indices: &[u64], index: usize) -> Result<usize, Error> {
    let cell = cell_indices[index];
    let number = cell_index(index, cell)?;
    match index.checked_sub(1).map(|before| cell_indices[before]) {
        Some(before) if cell <= before => Err(Error::CellOrder { index, cell_index: cell, before }),
        _ => Ok(number),
    }
}

/// Returns indices of cells; an error unless they are below 128 and rise.
pub(super) fn rising(cell_indices: &[u64]) -> Result<Vec<usize>, Error> {
    (0..cell_indices.len()).map(|index| rising_index(cell_indices, index)).collect()
}

/// The known cells of a blob, with their indices among the samples.
#[derive(Clone)]
struct Known<'a> {
    cells: [Option<(usize, &'a Cell)>; CELLS_PER_EXT_BLOB],
}

impl<'a> Known<'a> {
    fn new(samples: &Samples<'a>) -> Result<Self, Error> {
        let Samples { cell_indices, cells } = *samples;
        bytes::count(Input::Cell, cell_indices.len(), cells.len())?;
        let mut known = [None; CELLS_PER_EXT_BLOB];
        for (index, bytes) in cells.iter().enumerate() {
            let number = rising_index(cell_indices, index)?;
            known[number] = Some((index, bytes::array(Input::Cell, index, bytes)?));
        }
        if cells.len() < CELLS_PER_BLOB {
            return Err(Error::TooFewCells { got: cells.len() });
        }
        Ok(Known { cells: known })
    }

    /// Returns which of some cells are known, or which are not.
    fn which(&self, known: bool, cells: Range<usize>) -> Vec<usize> {
        cells.filter(|cell| self.cells[*cell].is_some() == known).collect()
    }

    /// Replaces `row` by the remainder of a cell, times a factor and 64, if the cell is known.
    fn remainder(
        &self,
        settings: &Settings,
        cell: usize,
        factor: &ScaledEncoding,
        row: &mut [Fr],
    ) -> Result<(), Error> {
        if let Some((index, bytes)) = self.cells[cell] {
            bytes::elements(settings, (Input::Cell, index, 0), bytes, factor, row)?;
            settings.points.inverse(cell, CELL_SCALE, row);
        }
        Ok(())
    }
}

/// Returns the polynomial of each blob, from its known cells. It is extended if that pays for the cells that are
/// wanted: all of them for `None`.
pub(super) fn recover(
    rt: &dyn Runtime,
    settings: &Settings,
    samples: &[Samples],
    wanted: Option<&[usize]>,
) -> Vec<Result<Polynomial<'static>, Error>> {
    let known = samples.iter().map(Known::new).collect();
    map_valid(known, |known: Vec<Known>| {
        // Each with its polynomial, if a short way led to it.
        let cost = costs::recovery(&settings.rows, 1);
        let short = map(rt, known.len(), cost, |i| by_short_way(rt, settings, &known[i], wanted));
        let rest: Vec<Known> =
            known.into_iter().zip(&short).filter(|(_, way)| way.is_none()).map(|(known, _)| known).collect();
        let mut rest = recover_any(rt, settings, &rest).into_iter();
        Ok(short.into_iter().filter_map(|way| way.map(Ok).or_else(|| rest.next())).collect::<Vec<_>>())
    })
    .into_iter()
    .map(Result::flatten)
    .collect()
}

/// Returns the polynomial if what is known allows for a short way and is consistent.
fn by_short_way(
    rt: &dyn Runtime,
    settings: &Settings,
    known: &Known<'_>,
    wanted: Option<&[usize]>,
) -> Option<Polynomial<'static>> {
    let missing = known.which(false, 0..CELLS_PER_BLOB);
    let others = known.which(true, CELLS_PER_BLOB..CELLS_PER_EXT_BLOB);
    let (mut polynomial, given) =
        match costs::shortest_way(&settings.rows, missing.len(), others.len(), wanted) {
            Way::Sums => {
                let (used, given) = others.split_at(missing.len());
                (by_sums_of_cells(settings, known, &missing, used)?, given.to_vec())
            }
            Way::MirrorImage => (by_mirror_image(rt, settings, known)?, known.which(true, 0..CELLS_PER_BLOB)),
            Way::Any => return None,
        };
    // The given cells that were not used are compared.
    let mut needed = given.clone();
    needed.extend(wanted.unwrap_or(&[]));
    needed.sort_unstable();
    needed.dedup();
    if wanted.is_none() || costs::extension_pays(&settings.rows, &needed) {
        extend(rt, settings, std::slice::from_mut(&mut polynomial), Keeps::Remainders);
    }
    let computed = cells(rt, settings, std::slice::from_mut(&mut polynomial), &given).pop()?;
    let same =
        |(cell, computed): (&usize, &Cell)| known.cells[*cell].is_some_and(|(_, bytes)| bytes == computed);
    given.iter().zip(&computed).all(same).then_some(polynomial)
}

/// Returns the polynomial of the first 64 cells without some that are missing, and of as many others. `None` if one is
/// not canonical.
///
/// Let S be these 64 cells, and Z the polynomial with its zeros at their y. By Lagrange's formula the remainder of a
/// missing cell c is Σ_i R_i·Z(y_c) / ((y_c − y_i)·Z'(y_i)). With M for what is missing and F for the others used, Z =
/// (Y^64 − 1)·Π_F (Y − y_f) / Π_M (Y − y_m), which takes few products for each cell.
fn by_sums_of_cells(
    settings: &Settings,
    known: &Known<'_>,
    missing: &[usize],
    used: &[usize],
) -> Option<Polynomial<'static>> {
    let factor = ScaledEncoding::new(settings.compute.blob_size_inverse);
    // The cells of S: those used have the places of those missing.
    let mut places: Vec<usize> = (0..CELLS_PER_BLOB).collect();
    missing.iter().zip(used).for_each(|(missing, used)| places[*missing] = *used);
    let mut half = vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB];
    let mut data = vec![0; CELLS_PER_BLOB * BYTES_PER_CELL];
    let rows = half.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL);
    for ((cell, row), bytes) in places.iter().zip(rows).zip(data.chunks_exact_mut(BYTES_PER_CELL)) {
        known.remainder(settings, *cell, &factor, row).ok()?;
        bytes.copy_from_slice(known.cells[*cell]?.1);
    }
    if missing.is_empty() {
        return Some(Polynomial { half, data: Cow::Owned(data), extension: None });
    }
    let point = |cell: usize| settings.points.point(cell);
    let product = |cell: usize, zeros: &[usize]| {
        let factors = zeros.iter().filter(|zero| **zero != cell).map(|zero| point(cell) - point(*zero));
        factors.fold(Fr::one(), |product, factor| product * factor)
    };
    // Products over F for the cells of S, and over M for those missing, to be inverted.
    let mut inverses: Vec<Fr> = places.iter().map(|cell| product(*cell, used)).collect();
    inverses.extend(missing.iter().map(|cell| product(*cell, missing)));
    Fr::batch_inverse(&mut inverses);
    let (of_places, of_missing) = inverses.split_at(CELLS_PER_BLOB);
    // 1 / (y_i·Z'(y_i)), where Z' is 64·y_i^-1·Π_F / Π_M for the first 64 cells, and −2·Π_F / Π_M for the others.
    let minus_half = -settings.cell_size_inverse * Fr::from(FIELD_ELEMENTS_PER_CELL as u64 / 2);
    let of_place = |(cell, inverse): (&usize, &Fr)| {
        let by_derivative = *inverse * product(*cell, missing);
        by_derivative
            * if *cell < CELLS_PER_BLOB {
                settings.cell_size_inverse
            } else {
                minus_half * settings.points.inverse_point(*cell)
            }
    };
    let of_places: Vec<Fr> = places.iter().zip(of_places).map(of_place).collect();
    let weights: Vec<Fr> = missing
        .iter()
        .flat_map(|cell| {
            let weight =
                |(place, of_place): (&usize, &Fr)| *of_place * settings.ratio_less_one_inverse(*cell, *place);
            places.iter().zip(&of_places).map(weight)
        })
        .collect();
    let mut remainders = vec![Fr::zero(); missing.len() * FIELD_ELEMENTS_PER_CELL];
    Fr::combine(settings.rows.fr, FIELD_ELEMENTS_PER_CELL, &weights, &half, &mut remainders);
    // Z(y_c) is 64·y_c^-1·Π_F / Π_M.
    let cell_size = Fr::from(FIELD_ELEMENTS_PER_CELL as u64);
    let vanishing = |(cell, inverse): (&usize, &Fr)| {
        cell_size * settings.points.inverse_point(*cell) * product(*cell, used) * *inverse
    };
    let vanishing: Vec<Fr> = missing.iter().zip(of_missing).map(vanishing).collect();
    Fr::scale_chunks(settings.rows.fr, &vanishing, &mut remainders);
    let factor = ScaledEncoding::new(cell_size);
    for (cell, remainder) in missing.iter().zip(remainders.chunks_exact(FIELD_ELEMENTS_PER_CELL)) {
        half[cell * FIELD_ELEMENTS_PER_CELL..][..FIELD_ELEMENTS_PER_CELL].copy_from_slice(remainder);
        write_cell(settings, *cell, remainder, &factor, &mut data.as_chunks_mut().0[*cell]);
    }
    Some(Polynomial { half, data: Cow::Owned(data), extension: None })
}

/// Returns the extended polynomial of the last 64 cells: the mirror image of an extension. `None` if one is not
/// canonical.
fn by_mirror_image(rt: &dyn Runtime, settings: &Settings, known: &Known<'_>) -> Option<Polynomial<'static>> {
    let factors = [settings.cell_size_inverse, Fr::from(FIELD_ELEMENTS_PER_CELL as u64)];
    let [factor, back] = factors.map(ScaledEncoding::new);
    let mut others = vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB];
    let mut results = vec![Ok(()); FIELD_ELEMENTS_PER_BLOB / PIECE];
    let pieces = others.chunks_exact_mut(PIECE).zip(&mut results).enumerate().collect();
    let piece_cost = costs::piece_transforms(&settings.rows) + costs::piece_encoding(&settings.rows);
    for_each(rt, pieces, piece_cost, |(piece, (rows, result))| {
        let mut rows = rows.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate();
        let first = CELLS_PER_BLOB + piece * LINES;
        *result = rows.try_for_each(|(i, row)| known.remainder(settings, first + i, &factor, row));
    });
    results.into_iter().collect::<Result<(), Error>>().ok()?;
    let mut columns = vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB];
    let pieces = columns.chunks_exact_mut(PIECE).enumerate().collect();
    for_each(rt, pieces, 2 * costs::piece_transforms(&settings.rows), |(piece, columns): (_, &mut [Fr])| {
        gather_columns(&others, piece, columns);
        settings.points.inverse(1, CELL_SCALE, columns);
        settings.points.forward(0, CELL_SCALE, columns);
        // The inverse transform multiplied by 64.
        Fr::scale_chunks(settings.rows.fr, &[settings.compute.blob_size_inverse], columns);
    });
    let mut half = vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB];
    let mut all = vec![[0; BYTES_PER_CELL]; CELLS_PER_EXT_BLOB];
    let (first, second) = all.split_at_mut(CELLS_PER_BLOB);
    for (cell, (_, bytes)) in second.iter_mut().zip(known.cells[CELLS_PER_BLOB..].iter().flatten()) {
        *cell = **bytes;
    }
    let pieces = half.chunks_exact_mut(PIECE).zip(first.chunks_exact_mut(LINES)).enumerate().collect();
    for_each(rt, pieces, piece_cost, |(piece, (rows, cells)): (_, (&mut [Fr], _))| {
        gather_rows(&columns, piece, rows);
        for (i, (row, cell)) in rows.chunks_exact(FIELD_ELEMENTS_PER_CELL).zip(cells).enumerate() {
            write_cell(settings, piece * LINES + i, row, &back, cell);
        }
    });
    Some(Polynomial { half, data: Cow::Borrowed(&[]), extension: Some(Extension { others, cells: all }) })
}

/// The known cells of a blob, and the factors of its recovery.
struct Plan<'a> {
    known: Known<'a>,
    missing: usize,
    /// The factor of each cell's remainder: Z(y_c) for a known cell, 1 / (128·Z'(y_c)) for a missing one. For the
    /// first 64 cells the former is multiplied by 64 and the latter divided by 64; see [`Polynomial`].
    factors: Vec<Fr>,
}

impl<'a> Plan<'a> {
    fn new(settings: &Settings, known: Known<'a>) -> Self {
        let missing = known.which(false, 0..CELLS_PER_EXT_BLOB);
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
        missing
            .iter()
            .zip(inverses)
            .for_each(|(c, inverse)| factors[*c] = inverse * settings.compute.cells_inverse);
        let cell_size = Fr::from(FIELD_ELEMENTS_PER_CELL as u64);
        for (factor, known) in factors.iter_mut().zip(&known.cells).take(CELLS_PER_BLOB) {
            *factor *= if known.is_some() { cell_size } else { settings.cell_size_inverse };
        }
        Plan { missing: missing.len(), known, factors }
    }
}

/// A plan with the remainders of the first 64 cells and of the others.
type Rows<'a> = (Plan<'a>, [Vec<Fr>; 2]);

/// Replaces the coefficients of interleaved polynomials by the coefficients of their derivatives.
fn differentiate(settings: &Settings, coefficients: &mut [Fr], polynomials: usize) {
    coefficients.copy_within(polynomials.., 0);
    let rows = (coefficients.len() / polynomials) as u64;
    let exponents: Vec<Fr> = (1..rows).chain([0]).map(Fr::from).collect();
    Fr::scale_chunks(settings.rows.fr, &exponents, coefficients);
}

/// Returns the extended polynomial of each blob from its known cells, whichever they are.
///
/// The coefficients j of all remainders are the values at the y_c of a polynomial A of degree below 64. Let Z have its
/// zeros at the y_c of the m cells that are missing. A·Z has a degree below 64 + m ≤ 128 and known values everywhere:
/// where A is not known, Z is 0. So a transform gives its coefficients; those from 64 + m on are 0 where the known
/// values lie on one such A. The derivative of A·Z at a missing y_c is A(y_c)·Z'(y_c), by another transform.
fn recover_any(
    rt: &dyn Runtime,
    settings: &Settings,
    known: &[Known<'_>],
) -> Vec<Result<Polynomial<'static>, Error>> {
    let plan = |i: usize| Plan::new(settings, known[i].clone());
    let plans = map(rt, known.len(), costs::vanishing(&settings.rows), plan);
    let recovered = map_valid(read(rt, settings, plans), |blobs| Ok(recover_columns(rt, settings, blobs)));
    map_valid(recovered.into_iter().map(Result::flatten).collect(), |blobs| Ok(write(rt, settings, blobs)))
}

/// Returns the remainders of the known cells; the others are 0.
fn read<'a>(rt: &dyn Runtime, settings: &Settings, plans: Vec<Plan<'a>>) -> Vec<Result<Rows<'a>, Error>> {
    const PIECES: usize = FIELD_ELEMENTS_PER_EXT_BLOB / PIECE;
    // A transform multiplies by 64; see `Polynomial`.
    let factors = [settings.compute.blob_size_inverse, settings.cell_size_inverse].map(ScaledEncoding::new);
    let empty = |_: &_| [(); 2].map(|()| vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB]);
    let mut all: Vec<[Vec<Fr>; 2]> = plans.iter().map(empty).collect();
    let mut results = vec![Ok(()); plans.len() * PIECES];
    let pieces = plans.iter().zip(&mut all).flat_map(|(plan, rows)| {
        let rows = rows.iter_mut().flat_map(|half| half.chunks_exact_mut(PIECE));
        rows.enumerate().map(move |(piece, rows)| (plan, piece, rows))
    });
    let pieces = pieces.zip(&mut results).collect();
    let cost = costs::piece_transforms(&settings.rows) + costs::piece_encoding(&settings.rows);
    for_each(rt, pieces, cost, |((plan, piece, rows), result)| {
        let factor = &factors[piece * LINES / CELLS_PER_BLOB];
        let mut rows = rows.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate();
        *result =
            rows.try_for_each(|(i, row)| plan.known.remainder(settings, piece * LINES + i, factor, row));
    });
    let mut results = results.into_iter();
    let blobs = plans.into_iter().zip(all);
    blobs.map(|blob| (&mut results).take(PIECES).fold(Ok(()), Result::and).map(|()| blob)).collect()
}

/// Fills in the remainders of the missing cells.
fn recover_columns<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: Vec<Rows<'a>>,
) -> Vec<Result<Rows<'a>, Error>> {
    const PIECES: usize = FIELD_ELEMENTS_PER_CELL / LINES;
    /// Both halves of the columns.
    const COLUMNS: usize = 2 * PIECE;
    let mut all: Vec<Vec<Fr>> = blobs.iter().map(|_| vec![Fr::zero(); FIELD_ELEMENTS_PER_EXT_BLOB]).collect();
    let mut results = vec![Ok(()); blobs.len() * PIECES];
    let pieces = blobs.iter().zip(&mut all).flat_map(|((plan, rows), all)| {
        all.chunks_exact_mut(COLUMNS).enumerate().map(move |(piece, columns)| (plan, rows, piece, columns))
    });
    let pieces = pieces.zip(&mut results).collect();
    let cost = costs::fill_columns(&settings.rows);
    for_each(rt, pieces, cost, |((plan, rows, piece, columns), result)| {
        rows.iter()
            .zip(columns.chunks_exact_mut(PIECE))
            .for_each(|(half, columns)| gather_columns(half, piece, columns));
        let scale = |columns: &mut [Fr], missing: bool| {
            let rows = columns.chunks_exact_mut(LINES).zip(&plan.factors).zip(&plan.known.cells);
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
        let pieces = rows.iter_mut().flat_map(|half| half.chunks_exact_mut(PIECE));
        for (number, rows) in pieces.enumerate() {
            gather_rows(&columns, number, &mut piece);
            let known = &plan.known.cells[number * LINES..];
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

/// Returns the polynomials with all cells: the known ones, and the others from their remainders.
fn write(rt: &dyn Runtime, settings: &Settings, blobs: Vec<Rows<'_>>) -> Vec<Polynomial<'static>> {
    let factors = [Fr::from(FIELD_ELEMENTS_PER_CELL as u64), Fr::one()].map(ScaledEncoding::new);
    let mut all: Vec<Vec<Cell>> =
        blobs.iter().map(|_| vec![[0; BYTES_PER_CELL]; CELLS_PER_EXT_BLOB]).collect();
    let pieces = blobs.iter().zip(&mut all).flat_map(|((plan, rows), cells)| {
        let rows = rows.iter().flat_map(|half| half.chunks_exact(PIECE));
        let known = plan.known.cells.chunks_exact(LINES);
        known.zip(rows).zip(cells.chunks_exact_mut(LINES)).enumerate()
    });
    let cost = costs::piece_transforms(&settings.rows) + costs::piece_encoding(&settings.rows);
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
    let polynomial = |((_, [half, others]), cells): (Rows<'_>, _)| Polynomial {
        half,
        data: Cow::Borrowed(&[]),
        extension: Some(Extension { others, cells }),
    };
    blobs.into_iter().zip(all).map(polynomial).collect()
}
