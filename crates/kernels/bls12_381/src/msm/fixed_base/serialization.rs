//! Tables as bytes, for a file, and as memory that processes share.
//!
//! Integers are little-endian: 4 bytes each for c, the multiples of a point and the sets of buckets; then x, βx and y
//! of 48 bytes for each point and each of its multiples, in the Montgomery form of the backend that made them.

use parcrypt_cpu::Request;

use crate::curve::eisenstein::Digits;
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::field::fp;
use crate::msm::pippenger::Shape;
use crate::{Error, FixedMsm, G1Affine, dispatch};

use super::Tables;

const HEADER: usize = 3 * 4;
const TABLE_BYTES: usize = 3 * 48;

impl FixedMsm {
    /// Returns the tables as bytes, for [`FixedMsm::from_bytes`] with the same [backend](FixedMsm::backend).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + TABLE_BYTES * self.tables.len());
        let Shape { bits, multiples, sets } = self.shape;
        for number in [bits, multiples as u32, sets as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for word in self.tables.iter().flat_map(|table| [table.x, table.beta_x, table.y]).flatten() {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Reads the bytes of [`FixedMsm::to_bytes`] for the same points, groups and backend.
    ///
    /// It checks the shape, that every coordinate is below p, each βx, and the multiples by 1; the other multiples
    /// are not recomputed, so bytes from a file need a checksum.
    ///
    /// # Errors
    /// [`Error::Groups`] if the groups differ in length, [`Error::Backend`] if the requested row is
    /// unavailable, [`Error::NotTables`] with the first byte that differs from tables of these points.
    pub fn from_bytes(
        request: Request,
        points: &[G1Affine],
        groups: usize,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let wrong = |offset| Error::NotTables { offset };
        let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or(wrong(bytes.len()))?;
        let (numbers, _) = header.as_chunks::<4>();
        let numbers = [numbers[0], numbers[1], numbers[2]].map(u32::from_le_bytes);
        let (shape, len) = checked(points.len(), groups, numbers)?;
        if rest.len() != TABLE_BYTES * len {
            return Err(wrong(HEADER + rest.len().min(TABLE_BYTES * len)));
        }
        let mut tables = Vec::with_capacity(points.len() * shape.multiples);
        for (i, table) in rest.chunks_exact(TABLE_BYTES).enumerate() {
            let (words, _) = table.as_chunks::<48>();
            // The form of the backend does not matter for whether they are below p.
            let word = |k: usize| fp::from_raw(&words[k]).map(|element| element.l);
            let (Some(x), Some(beta_x), Some(y)) = (word(0), word(1), word(2)) else {
                return Err(wrong(HEADER + i * TABLE_BYTES));
            };
            tables.push(GlvTable { x, beta_x, y });
        }
        if let Some(i) = wrong_beta_x(request, &tables)? {
            return Err(wrong(HEADER + i * TABLE_BYTES));
        }
        FixedMsm::of(request, points, groups, shape, Tables::Own(tables))
    }

    /// Returns the layout of the multiples, three opaque numbers for [`FixedMsm::from_glv_tables`].
    pub fn layout(&self) -> [u32; 3] {
        [self.shape.bits, self.shape.multiples as u32, self.shape.sets as u32]
    }

    /// Returns the multiples, for [`FixedMsm::from_glv_tables`], in the Montgomery form of the
    /// [backend](FixedMsm::backend).
    pub fn glv_tables(&self) -> &[GlvTable] {
        &self.tables
    }

    /// Uses multiples in memory that processes share, which another process with the same backend has computed from the
    /// same points.
    ///
    /// It checks what [`FixedMsm::from_bytes`] checks, except that coordinates are below p: processes that share memory
    /// trust each other.
    ///
    /// # Errors
    /// As [`FixedMsm::from_bytes`], with the same offsets.
    pub fn from_glv_tables(
        request: Request,
        points: &[G1Affine],
        groups: usize,
        layout: [u32; 3],
        tables: &'static [GlvTable],
    ) -> Result<Self, Error> {
        let (shape, len) = checked(points.len(), groups, layout)?;
        if tables.len() != len {
            return Err(Error::NotTables { offset: HEADER + TABLE_BYTES * tables.len().min(len) });
        }
        FixedMsm::of(request, points, groups, shape, Tables::Shared(tables))
    }

    /// Returns the object, after a check that the multiples by 1 are the points.
    fn of(
        request: Request,
        points: &[G1Affine],
        groups: usize,
        shape: Shape,
        tables: Tables,
    ) -> Result<Self, Error> {
        let row = dispatch::select(request)?;
        let mut own = vec![Point::INFINITY; points.len()];
        row.batch.import(points, &mut own);
        let same = |(table, point): (&GlvTable, &Point)| (table.x, table.y) == (point.x, point.y);
        if let Some(i) = tables.iter().step_by(shape.multiples).zip(&own).position(|pair| !same(pair)) {
            return Err(Error::NotTables { offset: HEADER + i * shape.multiples * TABLE_BYTES });
        }
        Ok(FixedMsm { row, shape, groups, group_len: points.len() / groups, tables })
    }
}

/// Returns the index of the first table whose second coordinate is not βx.
fn wrong_beta_x(request: Request, tables: &[GlvTable]) -> Result<Option<usize>, Error> {
    const PIECE: usize = 512;
    let row = dispatch::select(request)?;
    let mut right = [GlvTable::default(); PIECE];
    for (piece, tables) in tables.chunks(PIECE).enumerate() {
        let points: Vec<Point> = tables.iter().map(|table| Point { x: table.x, y: table.y }).collect();
        row.batch.glv_tables(&points, &mut right[..points.len()]);
        if let Some(i) = tables.iter().zip(&right).position(|(table, right)| table != right) {
            return Ok(Some(piece * PIECE + i));
        }
    }
    Ok(None)
}

/// Returns the shape with these numbers, and the number of multiples it has of this number of points.
fn checked(points: usize, groups: usize, [bits, multiples, sets]: [u32; 3]) -> Result<(Shape, usize), Error> {
    let wrong = |offset| Error::NotTables { offset };
    if groups == 0 || !points.is_multiple_of(groups) || points >= Operand::MAX {
        return Err(Error::Groups { points, groups });
    }
    if !(Digits::MIN..=Digits::MAX).contains(&bits) {
        return Err(wrong(0));
    }
    let shape = Shape { bits, multiples: multiples as usize, sets: sets as usize };
    if shape.multiples == 0 || Shape::new(bits, shape.multiples) != shape {
        return Err(wrong(4));
    }
    if !shape.counts(points / groups) {
        return Err(Error::Groups { points, groups });
    }
    // Tables are at most as many as windows, so this stays below 2^29 · 64.
    let len = points * shape.multiples;
    if len >= Operand::MAX { Err(wrong(HEADER)) } else { Ok((shape, len)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fr, G1};
    use parcrypt_runtime::Serial;

    #[test]
    fn tables_round_trip_or_are_refused() {
        let step = G1::generator() * Fr::from(7);
        let points: Vec<G1> =
            std::iter::successors(Some(step), |p| Some(p.double() + step)).take(11).collect();
        let mut points = G1::batch_to_affine(&points);
        points.push(G1Affine::identity());
        let scalars: Vec<Fr> = (1..=12).map(|i| -Fr::from(i)).collect();
        for (groups, budget) in [(1, 0), (3, 4000), (12, 1 << 20)] {
            let made = FixedMsm::new(&Serial, Request::Auto, &points, groups, budget).unwrap();
            let bytes = made.to_bytes();
            let read = FixedMsm::from_bytes(made.backend().into(), &points, groups, &bytes).unwrap();
            assert_eq!(read.to_bytes(), bytes);
            let sums = |msm: &FixedMsm| msm.msm_vartime(&Serial, &[&scalars]).unwrap();
            assert_eq!(sums(&read), sums(&made));

            let refused = |points: &[G1Affine], bytes: &[u8]| match FixedMsm::from_bytes(
                made.backend().into(),
                points,
                groups,
                bytes,
            ) {
                Err(Error::NotTables { offset }) => offset,
                other => panic!("{other:?}"),
            };
            (0..bytes.len()).step_by(7).for_each(|len| assert!(refused(&points, &bytes[..len]) <= len));
            assert_eq!(refused(&points, &[&bytes[..], &[0]].concat()), bytes.len());
            let with = |at: usize, value: u8| {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                bytes
            };
            [0, 1, 9, 255]
                .into_iter()
                .for_each(|bits| assert_eq!(refused(&points, &with(0, bits)), 0, "{bits} bits"));
            assert_eq!(refused(&points, &with(4, 0)), 4, "no tables");
            assert_eq!(refused(&points, &with(11, 255)), 4, "a shape that is none");
            assert_eq!(refused(&points, &with(HEADER + 47, 255)), HEADER, "p and above");
            let mut others = points.clone();
            others[5] = others[4];
            assert_eq!(
                refused(&others, &bytes),
                HEADER + 5 * made.shape.multiples * TABLE_BYTES,
                "another point"
            );
            assert!(matches!(
                FixedMsm::from_bytes(made.backend().into(), &points, 5, &bytes),
                Err(Error::Groups { .. })
            ));
        }
    }
}
