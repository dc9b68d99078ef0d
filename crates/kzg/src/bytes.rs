//! Bytes from outside: lengths, field elements, points.

use parcrypt_bls12_381::{Fr, G1Affine};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::error::{Error, Input};
use crate::{BYTES_PER_BLOB, BYTES_PER_FIELD_ELEMENT, FIELD_ELEMENTS_PER_BLOB};

/// What it costs to read a point: its root and the check of its order.
pub(crate) const POINT_NS: u64 = 50_000;

/// What it costs to read or write a field element.
const ELEMENT_NS: u64 = 25;

/// The bytes as an array, where they are as many.
pub(crate) fn array<const N: usize>(what: Input, index: usize, bytes: &[u8]) -> Result<&[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Length { what, index, expected: N, got: bytes.len() })
}

/// One field element.
pub(crate) fn element(what: Input, bytes: &[u8]) -> Result<Fr, Error> {
    let bytes = array(what, 0, bytes)?;
    Fr::from_bytes(bytes).map_err(|_| Error::NotCanonical { what, index: 0, element: 0 })
}

/// Reads as many field elements as `out` has room for. `bytes` has 32 for each.
pub(crate) fn elements(what: Input, index: usize, bytes: &[u8], out: &mut [Fr]) -> Result<(), Error> {
    let (chunks, rest) = bytes.as_chunks::<BYTES_PER_FIELD_ELEMENT>();
    debug_assert!(rest.is_empty() && chunks.len() == out.len());
    for (element, (bytes, out)) in chunks.iter().zip(out).enumerate() {
        *out = Fr::from_bytes(bytes).map_err(|_| Error::NotCanonical { what, index, element })?;
    }
    Ok(())
}

/// Writes field elements, 32 bytes each.
pub(crate) fn write_elements(elements: &[Fr], out: &mut [u8]) {
    debug_assert_eq!(elements.len() * BYTES_PER_FIELD_ELEMENT, out.len());
    for (element, out) in elements.iter().zip(out.chunks_exact_mut(BYTES_PER_FIELD_ELEMENT)) {
        out.copy_from_slice(&element.to_bytes());
    }
}

/// The values of a blob's polynomial, at the points of the domain in bit-reversed order.
pub(crate) fn blob(rt: &dyn Runtime, index: usize, bytes: &[u8]) -> Result<Vec<Fr>, Error> {
    const GRAIN: usize = 512;
    let bytes: &[u8; BYTES_PER_BLOB] = array(Input::Blob, index, bytes)?;
    let mut values = vec![Fr::zero(); FIELD_ELEMENTS_PER_BLOB];
    let mut results = [const { Ok(()) }; FIELD_ELEMENTS_PER_BLOB / GRAIN];
    let pieces =
        bytes.chunks(GRAIN * BYTES_PER_FIELD_ELEMENT).zip(values.chunks_mut(GRAIN)).zip(&mut results);
    for_each(rt, pieces.collect(), Cost::ns(GRAIN as u64 * ELEMENT_NS), |((bytes, values), result)| {
        *result = elements(Input::Blob, index, bytes, values);
    });
    for (piece, result) in results.into_iter().enumerate() {
        if let Err(Error::NotCanonical { what, index, element }) = result {
            return Err(Error::NotCanonical { what, index, element: piece * GRAIN + element });
        }
    }
    Ok(values)
}

/// A point of G1, checked wholly.
pub(crate) fn point(what: Input, index: usize, bytes: &[u8]) -> Result<G1Affine, Error> {
    let bytes = array(what, index, bytes)?;
    G1Affine::from_compressed(bytes).map_err(|why| Error::Point { what, index, why })
}

/// An error where a list has another length than it must have.
pub(crate) fn count(what: Input, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Count { what, expected, got }) }
}
