//! Parsing of inputs: lengths, field elements, points.

#[cfg(feature = "compute")]
mod blobs;

use parcrypt_bls12_381::{Fr, G1Affine, Membership, ScaledEncoding, decompress_join};
use parcrypt_runtime::Runtime;

#[cfg(feature = "compute")]
pub(crate) use blobs::{PIECE, blobs, blobs_in_pieces, write_elements};

use crate::error::{Error, Input};
use crate::{BYTES_PER_FIELD_ELEMENT, Settings};

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
