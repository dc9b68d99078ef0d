//! Parcrypt's own binary form, whose points are not compressed. Numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | [`MAGIC`]: a byte above 127 and both kinds of line ends, so that a transfer as text is detected |
//! | 4 | the version, 1 |
//! | 4 | the origin: 0 for a setup from elsewhere, 1 for one from a known secret |
//! | 4 × 4 | the numbers of points of g1_monomial, g1_lagrange, g2_monomial and fk20: 4096, 4096, 65, 8192 |
//! | 96 or 192 each | the points, as `to_raw` of `G1Affine` and `G2Affine` returns them |
//! | 32 | the SHA-256 of all bytes before |
//!
//! The digest of a setup is the SHA-256 of its origin and all its points. Those of fk20 follow from the others, which
//! loading does not check: settings with other points of fk20 must not pass for the same setup.

use parcrypt_bls12_381::{Error as PointError, G1Affine, G2Affine};
use parcrypt_sha256::Sha256;

use super::points::{FK20_POINTS, G1_POINTS, G2_POINTS, Origin, Points, Setup};
use super::{Defect, Form, List, Location, SetupError};

pub(super) const MAGIC: [u8; 16] = *b"\x89KZG-setup\0\r\n\x1a\n\0";
const VERSION: u32 = 1;

const HEADER: usize = MAGIC.len() + 6 * 4;
const LISTS: [(List, usize, usize); 4] = [
    (List::G1Monomial, G1_POINTS, 96),
    (List::G1Lagrange, G1_POINTS, 96),
    (List::G2Monomial, G2_POINTS, 192),
    (List::Fk20, FK20_POINTS, 96),
];
/// Bytes of all lists.
pub(super) const POINTS: usize = (G1_POINTS * 2 + FK20_POINTS) * 96 + G2_POINTS * 192;
const CHECKSUM: usize = 32;
/// 1,585,416 bytes.
const LEN: usize = HEADER + POINTS + CHECKSUM;

/// Returns the number of an origin in the header.
fn number(origin: Origin) -> u32 {
    match origin {
        Origin::Ceremony => 0,
        Origin::KnownSecret => 1,
    }
}

/// Returns the digest of a setup with these points.
pub(super) fn digest_of(origin: Origin, points: &[u8]) -> [u8; 32] {
    debug_assert_eq!(points.len(), POINTS);
    Sha256::new().chain_update(number(origin).to_le_bytes()).chain_update(points).finalize()
}

/// Appends all points; without those of fk20 where they are not given.
pub(super) fn write_points(points: &Points, fk20: &[G1Affine], out: &mut Vec<u8>) {
    points.g1_monomial.iter().for_each(|point| out.extend(point.to_raw()));
    points.g1_lagrange.iter().for_each(|point| out.extend(point.to_raw()));
    points.g2_monomial.iter().for_each(|point| out.extend(point.to_raw()));
    fk20.iter().for_each(|point| out.extend(point.to_raw()));
}

/// Returns the bytes of a setup.
pub(super) fn write(origin: Origin, points: &Points, fk20: &[G1Affine]) -> Vec<u8> {
    let mut out = Vec::with_capacity(LEN);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(number(origin).to_le_bytes());
    LISTS.iter().for_each(|(_, len, _)| out.extend((*len as u32).to_le_bytes()));
    write_points(points, fk20, &mut out);
    let checksum = Sha256::digest(&out);
    out.extend(checksum);
    debug_assert_eq!(out.len(), LEN);
    out
}

/// Parses a setup: checks the header, the length, the checksum, and that every point is on its curve.
pub(super) fn read(file: &[u8]) -> Result<Setup, SetupError> {
    let error = |location, defect| SetupError::new(Form::Binary, location, defect);
    if !file.starts_with(&MAGIC) {
        return Err(error(Location::Byte { offset: 0 }, super::foreign(file)));
    }
    let length = || error(Location::File, Defect::Length { expected: LEN as u64, found: file.len() as u64 });
    let (header, _) = file.split_at_checked(HEADER).ok_or_else(length)?;
    let (fields, _) = header[MAGIC.len()..].as_chunks::<4>();
    let mut fields =
        fields.iter().enumerate().map(|(i, field)| (MAGIC.len() + 4 * i, u32::from_le_bytes(*field)));
    let mut field = || fields.next().ok_or_else(length);

    let (offset, found) = field()?;
    if found != VERSION {
        return Err(error(Location::Byte { offset }, Defect::Version { expected: VERSION, found }));
    }
    let (offset, found) = field()?;
    let origin = [Origin::Ceremony, Origin::KnownSecret].into_iter().find(|origin| number(*origin) == found);
    let origin = origin.ok_or_else(|| error(Location::Byte { offset }, Defect::Header { found }))?;
    for (list, expected, _) in LISTS {
        let (offset, found) = field()?;
        if u64::from(found) != expected as u64 {
            let defect = Defect::Points { list, expected: expected as u64, found: found.into() };
            return Err(error(Location::Byte { offset }, defect));
        }
    }
    if file.len() != LEN {
        return Err(length());
    }
    let (body, stored) = file.split_at(LEN - CHECKSUM);
    let computed = Sha256::digest(body);
    if computed[..] != *stored {
        let defect = Defect::Checksum { stored: first_8(stored), computed: first_8(&computed) };
        return Err(error(Location::File, defect));
    }

    let mut at = HEADER;
    let g1_monomial = read_points(file, &mut at, LISTS[0], G1Affine::from_raw)?;
    let g1_lagrange = read_points(file, &mut at, LISTS[1], G1Affine::from_raw)?;
    let g2_monomial = read_points(file, &mut at, LISTS[2], G2Affine::from_raw)?;
    let fk20 = read_points(file, &mut at, LISTS[3], G1Affine::from_raw)?;
    let digest = digest_of(origin, &file[HEADER..at]);
    Ok(Setup { points: Points { g1_monomial, g1_lagrange, g2_monomial }, fk20, origin, digest })
}

fn read_points<const N: usize, P>(
    file: &[u8],
    at: &mut usize,
    (list, len, size): (List, usize, usize),
    read: fn(&[u8; N]) -> Result<P, PointError>,
) -> Result<Vec<P>, SetupError> {
    debug_assert_eq!(size, N);
    let start = *at;
    *at += len * N;
    let (points, _) = file[start..*at].as_chunks::<N>();
    let mut all = Vec::with_capacity(len);
    for (index, point) in points.iter().enumerate() {
        all.push(read(point).map_err(|why| {
            let location = Location::PointAtByte { list, index, offset: start + index * N };
            SetupError::new(Form::Binary, location, Defect::Point(why))
        })?);
    }
    Ok(all)
}

/// Returns the first 8 bytes of a digest as a number, for error messages.
fn first_8(digest: &[u8]) -> u64 {
    digest.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}
