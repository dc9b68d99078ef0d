//! Parsing of inputs: lengths, field elements, points.

use parcrypt_bls12_381::{Fr, G1Affine, Membership, ScaledEncoding, decompress_join};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::costs;
use crate::error::{Error, Input};
use crate::{BYTES_PER_BLOB, BYTES_PER_FIELD_ELEMENT, FIELD_ELEMENTS_PER_BLOB, PIECE, Settings};

/// Returns the bytes as an array; an error for another length.
pub(crate) fn array<const N: usize>(what: Input, index: usize, bytes: &[u8]) -> Result<&[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Length { what, index, expected: N, got: bytes.len() })
}

/// Parses a field element.
pub(crate) fn element(what: Input, index: usize, bytes: &[u8]) -> Result<Fr, Error> {
    let bytes = array(what, index, bytes)?;
    Fr::from_bytes(bytes).map_err(|_| Error::NotCanonical { what, index, element: 0 })
}

/// Parses field elements, times a factor, into `out`. `first` is the index of the first in its input, for errors.
pub(crate) fn elements(
    settings: &Settings,
    (what, index, first): (Input, usize, usize),
    bytes: &[u8],
    factor: &ScaledEncoding,
    out: &mut [Fr],
) -> Result<(), Error> {
    let (chunks, rest) = bytes.as_chunks::<BYTES_PER_FIELD_ELEMENT>();
    debug_assert!(rest.is_empty());
    factor.decode_all(settings.rows.fr, chunks, out).map_err(|why| {
        let element =
            first + if let parcrypt_bls12_381::Error::NotCanonicalAt { index } = why { index } else { 0 };
        Error::NotCanonical { what, index, element }
    })
}

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

/// Parses a point of G1 and checks its subgroup.
pub(crate) fn point(what: Input, index: usize, bytes: &[u8]) -> Result<G1Affine, Error> {
    let bytes = array(what, index, bytes)?;
    G1Affine::from_compressed(bytes).map_err(|why| Error::Point { what, index, why })
}

/// Parses points of G1 and checks their subgroup; the first error is returned. At the same time one thread computes
/// `other`, which is serial.
pub(crate) fn points<'a, T: Send>(
    rt: &dyn Runtime,
    settings: &Settings,
    given: impl Iterator<Item = (Input, usize, &'a [u8])>,
    other: impl FnOnce() -> T + Send,
) -> (Result<Vec<G1Affine>, Error>, T) {
    let (points, other) = each_point(rt, settings, given, other);
    (points.into_iter().collect(), other)
}

/// Does what [`points`] does, and returns the result of each point.
pub(crate) fn each_point<'a, T: Send>(
    rt: &dyn Runtime,
    settings: &Settings,
    given: impl Iterator<Item = (Input, usize, &'a [u8])>,
    other: impl FnOnce() -> T + Send,
) -> (Vec<Result<G1Affine, Error>>, T) {
    let mut arrays = Vec::new();
    let place = |(what, index, bytes): (Input, usize, &'a [u8])| {
        arrays.push(array(what, index, bytes)?);
        Ok((what, index))
    };
    let places: Vec<Result<(Input, usize), Error>> = given.map(place).collect();
    let (points, other) = decompress_join(rt, settings.rows.fp, Membership::Batched, &arrays, other);
    let mut points = points.into_iter();
    let each = places.into_iter().filter_map(|place| match place {
        Ok((what, index)) => points.next().map(|p| p.map_err(|why| Error::Point { what, index, why })),
        Err(error) => Some(Err(error)),
    });
    (each.collect(), other)
}

/// Returns the items of a list with their indices, as [`points`] takes them.
pub(crate) fn numbered<'a>(
    what: Input,
    all: &'a [&'a [u8]],
) -> impl Iterator<Item = (Input, usize, &'a [u8])> + Clone {
    all.iter().enumerate().map(move |(index, bytes)| (what, index, *bytes))
}

/// Returns an error if a list has another length than `expected`.
pub(crate) fn count(what: Input, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Count { what, expected, got }) }
}
