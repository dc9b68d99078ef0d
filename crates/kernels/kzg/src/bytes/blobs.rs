//! Parsing of blobs, and writing of field elements.

use parcrypt_bls12_381::{Fr, ScaledEncoding};
use parcrypt_runtime::{Cost, Runtime, for_each};

use super::{array, elements};
use crate::costs;
use crate::error::{Error, Input};
use crate::{BYTES_PER_BLOB, BYTES_PER_FIELD_ELEMENT, FIELD_ELEMENTS_PER_BLOB, Settings};

/// Field elements of a piece of a blob, the unit of work of one thread.
pub(crate) const PIECE: usize = 512;

/// Writes field elements, times a factor, as 32 bytes each.
pub(crate) fn write_elements(settings: &Settings, elements: &[Fr], factor: &ScaledEncoding, out: &mut [u8]) {
    let (chunks, rest) = out.as_chunks_mut::<BYTES_PER_FIELD_ELEMENT>();
    debug_assert!(rest.is_empty());
    factor.encode_all(settings.rows.fr, elements, chunks);
}

/// Parses blobs: the values of each polynomial at the points of the domain in bit-reversed order. `first` is the
/// index of the first blob, for errors.
pub(crate) fn blobs(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
) -> Vec<Result<Vec<Fr>, Error>> {
    let factor = ScaledEncoding::new(Fr::one());
    blobs_in_pieces(rt, settings, first, blobs, &factor, Cost::default(), |_, _| {})
}

/// Parses blobs, times a factor, and applies `then` to the index and the values of each piece, at a cost of `cost`.
pub(crate) fn blobs_in_pieces(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
    factor: &ScaledEncoding,
    cost: Cost,
    then: impl Fn(usize, &mut [Fr]) + Sync,
) -> Vec<Result<Vec<Fr>, Error>> {
    struct Piece<'a> {
        blob: usize,
        number: usize,
        bytes: &'a [u8],
        values: &'a mut [Fr],
        result: &'a mut Result<(), Error>,
    }
    let room = |(i, bytes): (usize, &&[u8])| {
        array::<BYTES_PER_BLOB>(Input::Blob, first + i, bytes)?;
        Ok(vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB])
    };
    let mut all: Vec<Result<Vec<Fr>, Error>> = blobs.iter().enumerate().map(room).collect();
    let mut results = vec![Ok(()); blobs.len() * FIELD_ELEMENTS_PER_BLOB / PIECE];
    let mut places = results.iter_mut();
    let mut pieces = Vec::with_capacity(blobs.len() * FIELD_ELEMENTS_PER_BLOB / PIECE);
    for (i, (bytes, values)) in blobs.iter().zip(&mut all).enumerate() {
        let parts = values.iter_mut().flat_map(|values| values.chunks_mut(PIECE));
        let parts = bytes.chunks(PIECE * BYTES_PER_FIELD_ELEMENT).zip(parts).zip(&mut places).enumerate();
        pieces.extend(parts.map(|(number, ((bytes, values), result))| Piece {
            blob: first + i,
            number,
            bytes,
            values,
            result,
        }));
    }
    for_each(rt, pieces, costs::piece_encoding(&settings.rows) + cost, |piece| {
        let Piece { blob, number, bytes, values, result } = piece;
        *result = elements(settings, (Input::Blob, blob, number * PIECE), bytes, factor, values);
        if result.is_ok() {
            then(number, values);
        }
    });
    // Later errors are overwritten, so that the first of each blob remains.
    for error in results.into_iter().rev().filter_map(Result::err) {
        if let Error::NotCanonical { index, .. } = &error {
            let index = *index;
            all[index - first] = Err(error);
        }
    }
    all
}
