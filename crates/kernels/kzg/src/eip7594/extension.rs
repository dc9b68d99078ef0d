//! Extension of blobs to cells: the values of a blob's polynomial at twice as many points.
//!
//! See [`mod@crate::eip7594`] for how cells, remainders and coefficients are related. A blob is a matrix of 64 cells
//! with 64 values. Its rows are transformed to remainders; the columns of the remainders to coefficients, and these to
//! the columns of the other 64 remainders; the rows of those to values. A transform of 64 elements stays in the first
//! cache, and rows and columns are independent of each other, so they run in parallel.

use parcrypt_bls12_381::{Fr, ScaledEncoding};
use parcrypt_runtime::{Runtime, for_each};

use crate::batch::map_valid;
use crate::bytes::{self, PIECE};
use crate::error::Error;
use crate::settings::CELL_SCALE;
use crate::{
    BYTES_PER_CELL, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, Cell, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB, Settings,
};

/// Rows, or columns, of a piece.
pub(super) const LINES: usize = PIECE / FIELD_ELEMENTS_PER_CELL;

/// The remainders of a polynomial P of degree below 4096, modulo X^64 − y_c for all cells c.
#[derive(Debug)]
pub(super) struct Remainders {
    /// The 64 coefficients of each, in order of c. Those of the first 64 cells are divided by 64: this is the output of
    /// the transform, and each use multiplies by a factor anyway.
    pub(super) rows: Vec<Fr>,
}

/// Returns the remainders and cells of each blob; `first` is the index of the first, for errors.
pub(super) fn extend(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
) -> Vec<Result<(Remainders, Vec<Cell>), Error>> {
    // The transforms of rows and columns multiply by 64 each. After the former a remainder is divided by 64, after the
    // latter coefficients have their true values.
    let factor = ScaledEncoding::new(settings.blob_size_inverse);
    let halves = bytes::blobs_in_pieces(
        rt,
        settings,
        first,
        blobs,
        &factor,
        settings.piece_transforms_cost(),
        |piece, rows| {
            for (i, row) in rows.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
                settings.points.inverse(piece * LINES + i, CELL_SCALE, row);
            }
        },
    );
    let with_bytes = halves.into_iter().zip(blobs).map(|(rows, blob)| rows.map(|rows| (rows, *blob)));
    map_valid(with_bytes.collect(), |halves| Ok(extend_halves(rt, settings, halves)))
}

/// [`extend`] from the remainders of the first 64 cells on.
fn extend_halves(
    rt: &dyn Runtime,
    settings: &Settings,
    halves: Vec<(Vec<Fr>, &[u8])>,
) -> Vec<(Remainders, Vec<Cell>)> {
    let mut columns: Vec<Vec<Fr>> =
        halves.iter().map(|_| vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB]).collect();
    let pieces = halves.iter().zip(&mut columns).flat_map(|((rows, _), columns)| {
        columns.chunks_exact_mut(PIECE).enumerate().map(move |(piece, columns)| (rows, piece, columns))
    });
    for_each(rt, pieces.collect(), 2 * settings.piece_transforms_cost(), |(rows, piece, columns)| {
        gather_columns(rows, piece, columns);
        settings.points.inverse(0, CELL_SCALE, columns);
        settings.points.forward(1, CELL_SCALE, columns);
    });

    let mut extended: Vec<_> = halves
        .into_iter()
        .map(|(mut rows, blob)| {
            rows.resize(FIELD_ELEMENTS_PER_EXT_BLOB, Fr::zero());
            (Remainders { rows }, blob, vec![[0; BYTES_PER_CELL]; CELLS_PER_EXT_BLOB])
        })
        .collect();
    let pieces = extended.iter_mut().zip(&columns).flat_map(|((remainders, blob, cells), columns)| {
        let (first, second) = cells.split_at_mut(CELLS_PER_BLOB);
        let rows = remainders.rows[FIELD_ELEMENTS_PER_BLOB..].chunks_exact_mut(PIECE);
        let cells = first.chunks_exact_mut(LINES).zip(second.chunks_exact_mut(LINES));
        rows.zip(cells).zip(blob.chunks_exact(LINES * BYTES_PER_CELL)).enumerate().map(
            move |(piece, part)| {
                let ((rows, (first, second)), bytes) = part;
                first.as_flattened_mut().copy_from_slice(bytes);
                (columns, piece, rows, second)
            },
        )
    });
    let one = ScaledEncoding::new(Fr::one());
    let cost = settings.piece_transforms_cost() + settings.piece_encoding_cost();
    for_each(rt, pieces.collect(), cost, |(columns, piece, rows, cells)| {
        gather_rows(columns, piece, rows);
        for (i, (row, cell)) in rows.chunks_exact(FIELD_ELEMENTS_PER_CELL).zip(cells).enumerate() {
            write_cell(settings, CELLS_PER_BLOB + piece * LINES + i, row, &one, cell);
        }
    });
    extended.into_iter().map(|(remainders, _, cells)| (remainders, cells)).collect()
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
