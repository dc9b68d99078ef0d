//! A setup as lists of compressed points: the contents of the text and the JSON, and the input of c-kzg's functions.

use parcrypt_bls12_381::costs::G2_DECOMPRESSION;
use parcrypt_bls12_381::dispatch::FpRow;
use parcrypt_bls12_381::{Error as PointError, G2Affine, Membership, decompress};
use parcrypt_runtime::{Runtime, map};

use super::points::{G1_POINTS, G2_POINTS, Points};
use super::{Defect, Form, List, Location, SetupError};
use crate::Error;

/// The compressed points of a setup; each list has its required length.
pub(super) struct Compressed {
    pub(super) g1_monomial: Vec<[u8; 48]>,
    pub(super) g1_lagrange: Vec<[u8; 48]>,
    pub(super) g2_monomial: Vec<[u8; 96]>,
}

impl Compressed {
    /// Splits one slice of bytes for each list into points.
    pub(super) fn from_bytes(
        g1_monomial: &[u8],
        g1_lagrange: &[u8],
        g2_monomial: &[u8],
    ) -> Result<Self, SetupError> {
        Ok(Compressed {
            g1_monomial: cut(List::G1Monomial, G1_POINTS, g1_monomial)?,
            g1_lagrange: cut(List::G1Lagrange, G1_POINTS, g1_lagrange)?,
            g2_monomial: cut(List::G2Monomial, G2_POINTS, g2_monomial)?,
        })
    }

    /// Decompresses every point and checks its subgroup. `location` returns the location of a point.
    pub(super) fn decompress(
        &self,
        rt: &dyn Runtime,
        row: &'static FpRow,
        form: Form,
        location: impl Fn(List, usize) -> Location,
    ) -> Result<Points, Error> {
        let at = |list| {
            let location = &location;
            move |(index, why)| SetupError::new(form, location(list, index), Defect::Point(why))
        };
        // G2 is first: it is short, and points that are not of a setup are detected there too.
        let g2_monomial = map(rt, self.g2_monomial.len(), G2_DECOMPRESSION, |i| {
            G2Affine::from_compressed(&self.g2_monomial[i])
        });
        let g2_monomial = all(g2_monomial).map_err(at(List::G2Monomial))?;
        let g1 = |compressed: &[[u8; 48]]| {
            let compressed: Vec<&[u8; 48]> = compressed.iter().collect();
            decompress(rt, row, Membership::Batched, &compressed)
        };
        let g1_lagrange = all(g1(&self.g1_lagrange)).map_err(at(List::G1Lagrange))?;
        let g1_monomial = all(g1(&self.g1_monomial)).map_err(at(List::G1Monomial))?;
        Ok(Points { g1_monomial, g1_lagrange, g2_monomial })
    }
}

/// Splits the bytes of a list into points.
fn cut<const N: usize>(list: List, expected: usize, bytes: &[u8]) -> Result<Vec<[u8; N]>, SetupError> {
    let (points, rest) = bytes.as_chunks::<N>();
    if points.len() != expected || !rest.is_empty() {
        let defect = Defect::Length { expected: (expected * N) as u64, found: bytes.len() as u64 };
        return Err(SetupError::new(Form::Compressed, Location::List { list }, defect));
    }
    Ok(points.to_vec())
}

/// Returns the points, or the index and the error of the first that is invalid.
fn all<P>(points: Vec<Result<P, PointError>>) -> Result<Vec<P>, (usize, PointError)> {
    let numbered = points.into_iter().enumerate();
    numbered.map(|(index, point)| point.map_err(|why| (index, why))).collect()
}

/// Returns the value of a hexadecimal digit.
pub(super) fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
