//! Recovery of missing cells: an erasure code of length 128 and dimension 64 for each coefficient of the remainders.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::Runtime;

use crate::bytes;
use crate::error::{Error, Input};
use crate::settings::{CELL_SCALE, CELLS_SCALE};
use crate::{
    BYTES_PER_CELL, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell, FIELD_ELEMENTS_PER_CELL,
    FIELD_ELEMENTS_PER_EXT_BLOB, Samples, Settings,
};

/// The index of a cell, where a blob has such a cell.
pub(crate) fn cell_index(index: usize, cell_index: u64) -> Result<usize, Error> {
    match usize::try_from(cell_index) {
        Ok(cell) if cell < CELLS_PER_EXT_BLOB => Ok(cell),
        _ => Err(Error::CellIndex { index, cell_index }),
    }
}

/// Which sample holds each cell.
fn places(samples: Samples) -> Result<[Option<usize>; CELLS_PER_EXT_BLOB], Error> {
    let Samples { cell_indices, cells } = samples;
    bytes::count(Input::Cell, cell_indices.len(), cells.len())?;
    let mut places = [None; CELLS_PER_EXT_BLOB];
    for (index, &cell) in cell_indices.iter().enumerate() {
        places[cell_index(index, cell)?] = Some(index);
        if index > 0 && cell <= cell_indices[index - 1] {
            return Err(Error::CellOrder { index, cell_index: cell, before: cell_indices[index - 1] });
        }
    }
    if cells.len() < CELLS_PER_BLOB {
        return Err(Error::TooFewCells { got: cells.len() });
    }
    Ok(places)
}

/// The remainders of the polynomial of degree below 4096 on which the cells lie, modulo X^64 − y_c for all cells c.
///
/// The coefficients j of the remainders are the values at the y_c of a polynomial A of degree below 64. Let Z have its
/// zeros at the y_c that are missing, m of them. A·Z has a degree below 64 + m ≤ 128 and known values everywhere. Its
/// derivative at a missing y_c is A(y_c)·Z'(y_c).
pub(crate) fn remainders(rt: &dyn Runtime, settings: &Settings, samples: Samples) -> Result<Vec<Fr>, Error> {
    let _ = rt;
    let places = places(samples)?;
    let missing: Vec<usize> = (0..CELLS_PER_EXT_BLOB).filter(|c| places[*c].is_none()).collect();
    // Z(y_c), and at its zeros Z'(y_c).
    let vanishing: Vec<Fr> = (0..CELLS_PER_EXT_BLOB)
        .map(|c| {
            let y = settings.points.point(c);
            let others = missing.iter().filter(|m| **m != c);
            others.fold(Fr::one(), |product, m| product * (y - settings.points.point(*m)))
        })
        .collect();

    let mut rows = vec![Fr::zero(); FIELD_ELEMENTS_PER_EXT_BLOB];
    let mut products = rows.clone();
    let known = rows
        .chunks_exact_mut(FIELD_ELEMENTS_PER_CELL)
        .zip(products.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL));
    for (c, (row, product)) in known.enumerate() {
        if let Some(place) = places[c] {
            let cell = bytes::array::<BYTES_PER_CELL>(Input::Cell, place, samples.cells[place])?;
            bytes::elements(Input::Cell, place, cell, row)?;
            settings.points.inverse(c, CELL_SCALE, row);
            row.iter_mut().for_each(|x| *x *= settings.cell_size_inverse);
            product.iter_mut().zip(row).for_each(|(product, x)| *product = *x * vanishing[c]);
        }
    }
    // Coefficients of A·Z, times 128.
    settings.points.inverse(0, CELLS_SCALE, &mut products);
    let degrees = (CELLS_PER_BLOB + missing.len()) * FIELD_ELEMENTS_PER_CELL;
    if products[degrees..].iter().any(|x| *x != Fr::zero()) {
        return Err(Error::Inconsistent);
    }
    // The derivative.
    products.copy_within(FIELD_ELEMENTS_PER_CELL.., 0);
    for (k, row) in products.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
        let factor = if k + 1 < CELLS_PER_EXT_BLOB { Fr::from(k as u64 + 1) } else { Fr::zero() };
        row.iter_mut().for_each(|x| *x *= factor);
    }
    settings.points.forward(0, CELLS_SCALE, &mut products);
    let mut inverses: Vec<Fr> = missing.iter().map(|c| vanishing[*c]).collect();
    Fr::batch_inverse(&mut inverses);
    for (c, inverse) in missing.into_iter().zip(inverses) {
        let range = c * FIELD_ELEMENTS_PER_CELL..(c + 1) * FIELD_ELEMENTS_PER_CELL;
        let factor = inverse * settings.cells_inverse;
        rows[range.clone()].iter_mut().zip(&products[range]).for_each(|(row, x)| *row = *x * factor);
    }
    Ok(rows)
}

/// All cells: those that were given, and the others from their remainders.
///
/// The samples are those that gave the remainders.
pub(crate) fn cells(settings: &Settings, samples: Samples, remainders: &[Fr]) -> Vec<Cell> {
    let mut given = samples.cell_indices.iter().zip(samples.cells).peekable();
    let rows = remainders.chunks_exact(FIELD_ELEMENTS_PER_CELL).enumerate();
    rows.map(|(c, row)| {
        let mut cell = [0; BYTES_PER_CELL];
        if let Some((_, bytes)) = given.next_if(|(index, _)| **index == c as u64) {
            cell.copy_from_slice(bytes);
        } else {
            let mut values = row.to_vec();
            settings.points.forward(c, CELL_SCALE, &mut values);
            bytes::write_elements(&values, &mut cell);
        }
        cell
    })
    .collect()
}
