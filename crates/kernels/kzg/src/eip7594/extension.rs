//! Extension of blobs to cells: the values of a blob's polynomial at twice as many points.
//!
//! See [`mod@crate::eip7594`] for how cells, remainders and coefficients are related. A blob is a matrix of 64 cells
//! with 64 values. Its rows are transformed to remainders; the columns of the remainders to coefficients, and these to
//! the columns of the other 64 remainders; the rows of those to values. A transform of 64 elements stays in the first
//! cache, and rows and columns are independent of each other, so they run in parallel.

use parcrypt_bls12_381::{Fr, ScaledEncoding};
use parcrypt_runtime::{Runtime, for_each};

use crate::bytes;
use crate::bytes::PIECE;
use crate::costs;
use crate::settings::CELL_SCALE;
use crate::{
    BYTES_PER_CELL, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_CELL, Settings,
};

/// Rows, or columns, of a piece.
pub(super) const LINES: usize = PIECE / FIELD_ELEMENTS_PER_CELL;

/// What an extension keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeps {
    Cells,
    /// And the remainders, from which proofs are computed.
    Remainders,
}

/// What the extension of a blob adds.
#[derive(Debug)]
pub(super) struct Extension {
    /// The remainders of the other 64 cells; empty if only cells are kept.
    pub(super) others: Vec<Fr>,
    /// All 128 cells.
    pub(super) cells: Vec<Cell>,
}

/// Returns the extension of each blob, given by the remainders of its first 64 cells, divided by 64, and its bytes.
pub(super) fn extend_halves(
    rt: &dyn Runtime,
    settings: &Settings,
    halves: &[(&[Fr], &[u8])],
    keeps: Keeps,
) -> Vec<Extension> {
    let mut columns: Vec<Vec<Fr>> =
        halves.iter().map(|_| vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB]).collect();
    let pieces = halves.iter().zip(&mut columns).flat_map(|((rows, _), columns)| {
        columns.chunks_exact_mut(PIECE).enumerate().map(move |(piece, columns)| (*rows, piece, columns))
    });
    for_each(rt, pieces.collect(), 2 * costs::piece_transforms(&settings.rows), |(rows, piece, columns)| {
        gather_columns(rows, piece, columns);
        settings.points.inverse(0, CELL_SCALE, columns);
        settings.points.forward(1, CELL_SCALE, columns);
    });

    let others = if keeps == Keeps::Remainders { FIELD_ELEMENTS_PER_BLOB } else { 0 };
    let empty = |_: &_| Extension {
        others: vec![Fr::zero(); others],
        cells: vec![[0; BYTES_PER_CELL]; CELLS_PER_EXT_BLOB],
    };
    let mut extended: Vec<Extension> = halves.iter().map(empty).collect();
    let pieces =
        extended.iter_mut().zip(halves).zip(&columns).flat_map(|((extension, (_, blob)), columns)| {
            let (first, second) = extension.cells.split_at_mut(CELLS_PER_BLOB);
            let mut rows = extension.others.chunks_exact_mut(PIECE);
            let cells = first.chunks_exact_mut(LINES).zip(second.chunks_exact_mut(LINES));
            cells.zip(blob.chunks_exact(LINES * BYTES_PER_CELL)).enumerate().map(move |(piece, part)| {
                let ((first, second), bytes) = part;
                first.as_flattened_mut().copy_from_slice(bytes);
                (columns, piece, rows.next(), second)
            })
        });
    let one = ScaledEncoding::new(Fr::one());
    let cost = costs::piece_transforms(&settings.rows) + costs::piece_encoding(&settings.rows);
    for_each(rt, pieces.collect(), cost, |(columns, piece, rows, cells): (_, _, Option<&mut [Fr]>, _)| {
        let mut room = [Fr::zero(); PIECE];
        let rows = rows.unwrap_or(&mut room);
        gather_rows(columns, piece, rows);
        for (i, (row, cell)) in rows.chunks_exact(FIELD_ELEMENTS_PER_CELL).zip(cells).enumerate() {
            write_cell(settings, CELLS_PER_BLOB + piece * LINES + i, row, &one, cell);
        }
    });
    extended
}

/// Writes the cell of a remainder: its values times a factor.
pub(super) fn write_cell(
    settings: &Settings,
    cell: usize,
    remainder: &[Fr],
    factor: &ScaledEncoding,
    out: &mut Cell,
) {
    let mut values = [Fr::zero(); FIELD_ELEMENTS_PER_CELL];
    values.copy_from_slice(remainder);
    settings.points.forward(cell, CELL_SCALE, &mut values);
    bytes::write_elements(settings, &values, factor, out);
}

/// Copies the columns of a piece out of a matrix of 64 columns, side by side: [`LINES`] lanes.
pub(super) fn gather_columns(rows: &[Fr], piece: usize, columns: &mut [Fr]) {
    let from = rows.chunks_exact(FIELD_ELEMENTS_PER_CELL).map(|row| &row[piece * LINES..][..LINES]);
    columns.chunks_exact_mut(LINES).zip(from).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Copies the rows of a piece from the columns of all pieces, which follow each other.
pub(super) fn gather_rows(columns: &[Fr], piece: usize, rows: &mut [Fr]) {
    let piece_of_columns = columns.len() / (FIELD_ELEMENTS_PER_CELL / LINES);
    for (i, row) in rows.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
        let from =
            columns.chunks_exact(piece_of_columns).map(|part| &part[(piece * LINES + i) * LINES..][..LINES]);
        row.chunks_exact_mut(LINES).zip(from).for_each(|(to, from)| to.copy_from_slice(from));
    }
}
