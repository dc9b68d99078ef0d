//! Costs of commitments, proofs, cells and recovery.

use parcrypt_bls12_381::G1;
use parcrypt_bls12_381::costs::{FR_PRODUCT, FR_SUM};
use parcrypt_runtime::Cost;
use parcrypt_sha256::HASH_PS;

use super::{cell_transform, points};
use crate::settings::{Rows, Settings};
use crate::{
    BYTES_PER_BLOB, CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
    PIECE,
};

/// The challenge of a blob: its hash.
pub(crate) const CHALLENGE: Cost = Cost::ns(BYTES_PER_BLOB as u64 * HASH_PS / 1000);

/// Ways to recover cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The missing cells of the blob as sums over 64 cells.
    Sums,
    /// All from the last 64 cells.
    MirrorImage,
    /// All from any 64 cells.
    Any,
}

/// Pieces of 512 elements of a blob.
const PIECES: usize = FIELD_ELEMENTS_PER_BLOB / PIECE;

/// Returns the cost of reading a blob.
pub(crate) fn read_blob(rows: &Rows) -> Cost {
    rows.fr.costs.encodings(FIELD_ELEMENTS_PER_BLOB)
}

/// Returns the cost of the value at z of a blob's polynomial, and of its quotient by X − z.
pub(crate) fn divide(settings: &Settings) -> Cost {
    settings.evaluator.cost() + settings.rows.fr.costs.products(4 * FIELD_ELEMENTS_PER_BLOB)
}

/// Returns the cost of the transforms of a piece of 512 elements.
pub(crate) fn piece_transforms(rows: &Rows) -> Cost {
    PIECE / FIELD_ELEMENTS_PER_CELL * cell_transform(rows)
}

/// Returns the cost of reading or writing a piece of 512 elements.
pub(crate) fn piece_encoding(rows: &Rows) -> Cost {
    rows.fr.costs.encodings(PIECE)
}

/// Returns the cost of the vanishing polynomial of a blob's missing cells and its derivative, at all cells.
pub(crate) fn vanishing(rows: &Rows) -> Cost {
    CELLS_PER_BLOB * CELLS_PER_BLOB / 2 * FR_PRODUCT + 2 * rows.fr.costs.transform(CELLS_PER_EXT_BLOB)
}

/// Returns the cost of filling in a piece of columns, of 1024 elements.
pub(crate) fn fill_columns(rows: &Rows) -> Cost {
    4 * piece_transforms(rows) + rows.fr.costs.products(3 * 2 * PIECE)
}

/// Returns the cost of the commitments to this number of blobs.
pub(crate) fn commitments(settings: &Settings, blobs: usize) -> Cost {
    blobs * read_blob(&settings.rows)
        + settings.lagrange().map_or(Cost::default(), |points| points.cost(blobs))
}

/// Returns the cost of the proofs of this number of blobs.
pub(crate) fn blob_proofs(settings: &Settings, blobs: usize) -> Cost {
    blobs * (CHALLENGE + points(&settings.rows, 1) + divide(settings)) + commitments(settings, blobs)
}

/// Returns the cost of extending a blob whose remainders are known.
fn extension(rows: &Rows) -> Cost {
    PIECES * (3 * piece_transforms(rows) + piece_encoding(rows))
}

/// Returns the cost of one further cell, as a sum over the remainders of the first 64.
pub(crate) fn further_cell(rows: &Rows) -> Cost {
    rows.fr.costs.terms(FIELD_ELEMENTS_PER_BLOB)
        + CELLS_PER_BLOB * FR_PRODUCT
        + cell_transform(rows)
        + rows.fr.costs.encodings(FIELD_ELEMENTS_PER_CELL)
}

/// Returns whether these cells of a blob take less time with all others than one by one.
pub(crate) fn extension_pays(rows: &Rows, indices: &[usize]) -> bool {
    let further = indices.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count();
    further * further_cell(rows) > extension(rows)
}

/// Returns the cost of the remainders of a blob.
fn remainders(rows: &Rows) -> Cost {
    PIECES * (piece_transforms(rows) + piece_encoding(rows))
}

/// Returns the cost of the wanted cells of this number of blobs, all for `None`.
pub(crate) fn wanted_cells(rows: &Rows, blobs: usize, wanted: Option<&[usize]>) -> Cost {
    let further = match wanted {
        Some(wanted) if !extension_pays(rows, wanted) => {
            wanted.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count() * further_cell(rows)
        }
        _ => extension(rows),
    };
    blobs * (remainders(rows) + further)
}

/// Returns the cost of the proofs of this number of cells of each of some blobs.
pub(crate) fn proofs_of_cells(settings: &Settings, blobs: usize, cells: usize) -> Cost {
    if all_proofs_pay(settings, blobs, cells) {
        cell_proofs(settings, blobs)
    } else {
        single_proofs(settings, blobs * cells)
    }
}

/// Returns the cost of the quotient of a blob for the proof of one cell: the cell, the quotient, and its values.
pub(crate) fn quotient(rows: &Rows) -> Cost {
    further_cell(rows)
        + rows.fr.costs.products(FIELD_ELEMENTS_PER_BLOB)
        + FIELD_ELEMENTS_PER_BLOB * FR_SUM
        + PIECES * piece_transforms(rows)
}

/// Returns the cost of this number of proofs of cells, each as the commitment to a quotient.
fn single_proofs(settings: &Settings, proofs: usize) -> Cost {
    proofs * quotient(&settings.rows)
        + settings.lagrange().map_or(Cost::default(), |points| points.cost(proofs))
}

/// Returns whether the proofs of this number of cells of each blob take less time with all other proofs than as
/// commitments to one quotient each.
pub(crate) fn all_proofs_pay(settings: &Settings, blobs: usize, cells: usize) -> bool {
    single_proofs(settings, blobs * cells) > blobs * extension(&settings.rows) + cell_proofs(settings, blobs)
}

/// Returns the cost of the proofs of all cells of this number of blobs: sums for 128 groups of 64 fixed points,
/// and two transforms of 128 points.
pub(crate) fn cell_proofs(settings: &Settings, blobs: usize) -> Cost {
    2 * blobs * settings.compute.cells_domain.cost::<G1>(CELLS_PER_EXT_BLOB)
        + settings.fk20().map_or(Cost::default(), |points| points.cost(blobs))
}

/// Returns the cost of recovering the cells of this number of blobs.
pub(crate) fn recovery(rows: &Rows, blobs: usize) -> Cost {
    // The remainders of both halves, the columns, and the cells.
    let piece = 4 * piece_transforms(rows) + 2 * piece_encoding(rows) + fill_columns(rows);
    blobs * (PIECES * piece + vanishing(rows))
}

/// Returns the fastest way to recover the cells that are wanted, all for `None`, if this number of the first 64 is
/// missing and `others` of the other 64 are known. All that is known is compared with the result.
pub(crate) fn shortest_way(rows: &Rows, missing: usize, others: usize, wanted: Option<&[usize]>) -> Way {
    let further = wanted.map_or(CELLS_PER_BLOB, |wanted| {
        others - missing.min(others) + wanted.iter().filter(|cell| **cell >= CELLS_PER_BLOB).count()
    });
    let rest = (further * further_cell(rows)).min(extension(rows));
    let weights = missing * (2 * (CELLS_PER_BLOB + missing) * (FR_PRODUCT + FR_SUM));
    let by_sums = remainders(rows) + weights + missing * further_cell(rows) + rest;
    let mirror = (others == CELLS_PER_BLOB).then(|| (remainders(rows) + extension(rows), Way::MirrorImage));
    let ways = [(by_sums, Way::Sums), (recovery(rows, 1), Way::Any)].into_iter().chain(mirror);
    ways.min_by_key(|(cost, _)| *cost).map_or(Way::Any, |(_, way)| way)
}
