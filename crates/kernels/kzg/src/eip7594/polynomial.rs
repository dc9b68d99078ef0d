//! The polynomial of a blob, from which cells are computed: these only, or all of them.
//!
//! [`cells`] decides how: the further cells of a few indices are sums over the remainders of the first 64 cells, those
//! of many come with the extension to all.

use std::borrow::Cow;

use parcrypt_bls12_381::bit_reversal::reverse;
use parcrypt_bls12_381::{Fr, ScaledEncoding};
use parcrypt_runtime::{Runtime, for_each, map};

use super::extension::{Extension, Keeps, extend_halves, write_cell};
use crate::bytes;
use crate::costs;
use crate::error::Error;
use crate::settings::{CELL_SCALE, CELLS_SCALE};
use crate::{
    BYTES_PER_CELL, CELLS_PER_EXT_BLOB, Cell, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, Settings,
};

/// Cells of a blob without its extension, and the number of cells that recovery needs.
pub(crate) const CELLS_PER_BLOB: usize = CELLS_PER_EXT_BLOB / 2;

/// A polynomial of degree below 4096 by its remainders modulo X^64 − y_c.
#[derive(Debug)]
pub(super) struct Polynomial<'a> {
    /// The 64 coefficients of the remainder of each of the first 64 cells, divided by 64: this is the output of the
    /// transform, and each use multiplies by a factor anyway.
    pub(super) half: Vec<Fr>,
    /// The first 64 cells, which are the blob; empty if the extension was known first.
    pub(super) data: Cow<'a, [u8]>,
    pub(super) extension: Option<Extension>,
}

impl Polynomial<'_> {
    /// Returns the remainder of one of the first 64 cells, divided by 64.
    pub(super) fn row(&self, cell: usize) -> &[Fr] {
        &self.half[cell * FIELD_ELEMENTS_PER_CELL..][..FIELD_ELEMENTS_PER_CELL]
    }

    /// Returns a cell, if it is known.
    pub(super) fn cell(&self, cell: usize) -> Option<&Cell> {
        match &self.extension {
            Some(all) => all.cells.get(cell),
            None => self.data.as_chunks().0.get(cell),
        }
    }

    /// Returns all cells of an extended polynomial.
    pub(super) fn into_cells(self) -> Vec<Cell> {
        self.extension.map(|all| all.cells).unwrap_or_default()
    }
}

/// Returns the polynomial of each blob; `first` is the index of the first, for errors.
pub(super) fn read<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&'a [u8]],
) -> Vec<Result<Polynomial<'a>, Error>> {
    // The transforms of rows and columns multiply by 64 each. After the former a remainder is divided by 64, after the
    // latter coefficients have their true values.
    let factor = ScaledEncoding::new(settings.compute.blob_size_inverse);
    let cost = costs::piece_transforms(&settings.rows);
    let halves = bytes::blobs_in_pieces(rt, settings, first, blobs, &factor, cost, |piece, rows| {
        let cells = rows.len() / FIELD_ELEMENTS_PER_CELL;
        for (i, row) in rows.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
            settings.points.inverse(piece * cells + i, CELL_SCALE, row);
        }
    });
    let polynomial = |(half, blob): (Result<_, Error>, &&'a [u8])| {
        Ok(Polynomial { half: half?, data: Cow::Borrowed(*blob), extension: None })
    };
    halves.into_iter().zip(blobs).map(polynomial).collect()
}

/// Extends the polynomials that are not extended yet.
pub(super) fn extend(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: &mut [Polynomial<'_>],
    keeps: Keeps,
) {
    let mut new: Vec<&mut Polynomial<'_>> =
        polynomials.iter_mut().filter(|polynomial| polynomial.extension.is_none()).collect();
    if new.is_empty() {
        return;
    }
    let halves: Vec<(&[Fr], &[u8])> =
        new.iter().map(|polynomial| (&polynomial.half[..], &*polynomial.data)).collect();
    let extensions = extend_halves(rt, settings, &halves, keeps);
    new.iter_mut().zip(extensions).for_each(|(polynomial, extension)| polynomial.extension = Some(extension));
}

/// Returns these cells of each polynomial, in the way that takes less time.
pub(super) fn cells(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomials: &mut [Polynomial<'_>],
    indices: &[usize],
) -> Vec<Vec<Cell>> {
    if costs::extension_pays(&settings.rows, indices) {
        extend(rt, settings, polynomials, Keeps::Cells);
    }
    // Cells of a task, which share the reading of the remainders.
    const CELLS: usize = 8;
    let further: Vec<usize> = indices.iter().copied().filter(|cell| *cell >= CELLS_PER_BLOB).collect();
    let groups: Vec<&[usize]> = further.chunks(CELLS).collect();
    let new: Vec<&Polynomial<'_>> =
        polynomials.iter().filter(|polynomial| polynomial.extension.is_none()).collect();
    let mut computed = vec![vec![[0; BYTES_PER_CELL]; further.len()]; new.len()];
    let pieces = new.iter().zip(&mut computed).flat_map(|(polynomial, computed)| {
        groups.iter().zip(computed.chunks_mut(CELLS)).map(move |(group, cells)| (polynomial, *group, cells))
    });
    let one = ScaledEncoding::new(Fr::one());
    let cost = further.len().min(CELLS) * costs::further_cell(&settings.rows);
    for_each(rt, pieces.collect(), cost, |(polynomial, group, cells): (_, &[usize], &mut [Cell])| {
        let remainders = further_remainders(settings, polynomial, group);
        let rows = remainders.chunks_exact(FIELD_ELEMENTS_PER_CELL);
        for ((cell, row), out) in group.iter().zip(rows).zip(cells) {
            write_cell(settings, *cell, row, &one, out);
        }
    });
    let mut computed = computed.into_iter();
    polynomials
        .iter()
        .map(|polynomial| {
            if polynomial.extension.is_some() {
                return indices.iter().filter_map(|cell| polynomial.cell(*cell).copied()).collect();
            }
            let mut further = computed.next().into_iter().flatten();
            let cell = |cell: &usize| polynomial.cell(*cell).copied().or_else(|| further.next());
            indices.iter().filter_map(cell).collect()
        })
        .collect()
}

/// Returns the remainders of some of the cells from 64 on.
///
/// The coefficients j of all remainders are the values at the y_c of a polynomial of degree below 64 (see the module
/// above), and the y_a of the first 64 cells are the roots of Y^64 − 1. So by Lagrange's formula the remainder of cell
/// c is Σ_a w_a·R_a, where w_a = y_a·(y_c^64 − 1) / (64·(y_c − y_a)) and y_c^64 = −1.
pub(super) fn further_remainders(
    settings: &Settings,
    polynomial: &Polynomial<'_>,
    cells: &[usize],
) -> Vec<Fr> {
    // The rows are divided by 64 already.
    let minus_two = -Fr::from(2);
    let weights: Vec<Fr> = cells
        .iter()
        .flat_map(|cell| (0..CELLS_PER_BLOB).map(|a| minus_two * settings.ratio_less_one_inverse(*cell, a)))
        .collect();
    let mut remainders = vec![Fr::zero(); cells.len() * FIELD_ELEMENTS_PER_CELL];
    Fr::combine(settings.rows.fr, FIELD_ELEMENTS_PER_CELL, &weights, &polynomial.half, &mut remainders);
    remainders
}

/// Returns the values of (P − R_c) / (X^64 − y_c) at the first 64 cells for each of these cells c of a polynomial P,
/// where R_c is the remainder of cell c. The commitment to it is the proof of cell c.
///
/// Modulo X^64 − y_a it is (R_a − R_c) / (y_a − y_c). If c is one of the first 64 cells, its remainder there follows
/// from the others: their coefficients j are the values at the y_a of a polynomial of degree below 63, so their sum
/// with the factors y_a is 0.
pub(super) fn quotients(
    rt: &dyn Runtime,
    settings: &Settings,
    polynomial: &Polynomial<'_>,
    cells: &[usize],
) -> Vec<Vec<Fr>> {
    map(rt, cells.len(), costs::quotient(&settings.rows), |i| quotient(settings, polynomial, cells[i]))
}

fn quotient(settings: &Settings, polynomial: &Polynomial<'_>, cell: usize) -> Vec<Fr> {
    let cell_size = Fr::from(FIELD_ELEMENTS_PER_CELL as u64);
    let mut remainder = if cell < CELLS_PER_BLOB {
        polynomial.row(cell).to_vec()
    } else {
        let mut remainder = further_remainders(settings, polynomial, &[cell]);
        // As the first 64 remainders.
        Fr::scale_chunks(settings.rows.fr, &[settings.cell_size_inverse], &mut remainder);
        remainder
    };
    let mut quotient = polynomial.half.clone();
    for row in quotient.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL) {
        row.iter_mut().zip(&remainder).for_each(|(x, y)| *x -= *y);
    }
    // 64 / (y_a − y_c), which is 0 for a = c.
    let by_y = cell_size * settings.points.inverse_point(cell);
    let factors: Vec<Fr> =
        (0..CELLS_PER_BLOB).map(|a| by_y * settings.ratio_less_one_inverse(a, cell)).collect();
    Fr::scale_chunks(settings.rows.fr, &factors, &mut quotient);
    if cell < CELLS_PER_BLOB {
        let weights: Vec<Fr> = (0..CELLS_PER_BLOB)
            .map(|a| -(settings.points.point(a) * settings.points.inverse_point(cell)))
            .collect();
        Fr::combine(settings.rows.fr, FIELD_ELEMENTS_PER_CELL, &weights, &quotient, &mut remainder);
        quotient[cell * FIELD_ELEMENTS_PER_CELL..][..FIELD_ELEMENTS_PER_CELL].copy_from_slice(&remainder);
    }
    for (a, row) in quotient.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
        settings.points.forward(a, CELL_SCALE, row);
    }
    debug_assert_eq!(quotient.len(), FIELD_ELEMENTS_PER_BLOB);
    quotient
}

impl Settings {
    /// Returns 1 / (y_a / y_b − 1) for cells a and b, or 0 if they are the same.
    pub(super) fn ratio_less_one_inverse(&self, a: usize, b: usize) -> Fr {
        let exponent = reverse(a, CELLS_SCALE) + CELLS_PER_EXT_BLOB - reverse(b, CELLS_SCALE);
        self.compute.roots_less_one_inverses[exponent % CELLS_PER_EXT_BLOB]
    }
}
