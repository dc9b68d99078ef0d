//! Tables as bytes, so that they can be kept in a file.
//!
//! Numbers are least significant byte first: 4 bytes each for c, the tables of a point and the sets of buckets; then for
//! each point and each of its tables x, βx and y of 48 bytes, in the form of the backend that made them.

use parcrypt_cpu::Backend;

use crate::affine::Orbit;
use crate::fp;
use crate::{Error, FixedMsm, G1Affine, dispatch};

use super::{Digits, Operand, Orbits, Point, Shape};

const HEADER: usize = 3 * 4;
const ORBIT: usize = 3 * 48;

impl FixedMsm {
    /// The tables as bytes, for [`FixedMsm::from_bytes`] on a machine with the same [backend](FixedMsm::backend).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + ORBIT * self.orbits.len());
        let Shape { bits, tables, sets } = self.shape;
        for number in [bits, tables as u32, sets as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for word in self.orbits.iter().flat_map(|orbit| [orbit.x, orbit.beta_x, orbit.y]).flatten() {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Undoes [`FixedMsm::to_bytes`] for the same points in as many groups and the same backend.
    ///
    /// It checks the shape, that every coordinate is below p, and the multiples by 1; the others are not computed again.
    /// So bytes from a file need a checksum.
    ///
    /// # Errors
    /// [`Error::Groups`] where the points cannot be cut so, [`Error::Backend`] for a backend that does not run here,
    /// [`Error::NotTables`] with the first byte that tables of these points do not have.
    pub fn from_bytes(
        backend: Backend,
        points: &[G1Affine],
        groups: usize,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let wrong = |offset| Error::NotTables { offset };
        let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or(wrong(bytes.len()))?;
        let (numbers, _) = header.as_chunks::<4>();
        let numbers = [numbers[0], numbers[1], numbers[2]].map(u32::from_le_bytes);
        let (shape, len) = checked(points.len(), groups, numbers)?;
        if rest.len() != ORBIT * len {
            return Err(wrong(HEADER + rest.len().min(ORBIT * len)));
        }
        let mut orbits = Vec::with_capacity(points.len() * shape.tables);
        for (i, orbit) in rest.chunks_exact(ORBIT).enumerate() {
            let (words, _) = orbit.as_chunks::<48>();
            // The form of the backend does not matter for whether they are below p.
            let word = |k: usize| fp::from_raw(&words[k]).map(|element| element.l);
            let (Some(x), Some(beta_x), Some(y)) = (word(0), word(1), word(2)) else {
                return Err(wrong(HEADER + i * ORBIT));
            };
            orbits.push(Orbit { x, beta_x, y });
        }
        FixedMsm::of(backend, points, groups, shape, Orbits::Own(orbits))
    }

    /// How the multiples are laid out, in three numbers that mean nothing outside: for [`FixedMsm::from_orbits`].
    pub fn layout(&self) -> [u32; 3] {
        [self.shape.bits, self.shape.tables as u32, self.shape.sets as u32]
    }

    /// The multiples: for [`FixedMsm::from_orbits`], in the form of the [backend](FixedMsm::backend).
    pub fn orbits(&self) -> &[Orbit] {
        &self.orbits
    }

    /// Takes multiples that another process with the same backend has made of the same points, and that stay where they are:
    /// in memory that processes share.
    ///
    /// It checks as little as [`FixedMsm::from_bytes`], and does not ask whether coordinates are below p: whoever shares its
    /// memory is trusted.
    ///
    /// # Errors
    /// As [`FixedMsm::from_bytes`], whose offsets it also gives.
    pub fn from_orbits(
        backend: Backend,
        points: &[G1Affine],
        groups: usize,
        layout: [u32; 3],
        orbits: &'static [Orbit],
    ) -> Result<Self, Error> {
        let (shape, len) = checked(points.len(), groups, layout)?;
        if orbits.len() != len {
            return Err(Error::NotTables { offset: HEADER + ORBIT * orbits.len().min(len) });
        }
        FixedMsm::of(backend, points, groups, shape, Orbits::Shared(orbits))
    }

    /// Checks that the multiples by 1 are the points.
    fn of(
        backend: Backend,
        points: &[G1Affine],
        groups: usize,
        shape: Shape,
        orbits: Orbits,
    ) -> Result<Self, Error> {
        let additions = dispatch::additions(backend)?;
        let mut own = vec![Point::INFINITY; points.len()];
        additions.import(points, &mut own);
        let same = |(orbit, point): (&Orbit, &Point)| (orbit.x, orbit.y) == (point.x, point.y);
        if let Some(i) = orbits.iter().step_by(shape.tables).zip(&own).position(|pair| !same(pair)) {
            return Err(Error::NotTables { offset: HEADER + i * shape.tables * ORBIT });
        }
        Ok(FixedMsm { additions, shape, groups, group_len: points.len() / groups, orbits })
    }
}

/// The shape that the numbers stand for, and how many multiples it has of so many points.
fn checked(points: usize, groups: usize, [bits, tables, sets]: [u32; 3]) -> Result<(Shape, usize), Error> {
    let wrong = |offset| Error::NotTables { offset };
    if groups == 0 || !points.is_multiple_of(groups) || points >= Operand::MOST {
        return Err(Error::Groups { points, groups });
    }
    if !(Digits::LEAST..=Digits::MOST).contains(&bits) {
        return Err(wrong(0));
    }
    let shape = Shape { bits, tables: tables as usize, sets: sets as usize };
    if shape.tables == 0 || Shape::new(bits, shape.tables) != shape {
        return Err(wrong(4));
    }
    if !shape.counts(points / groups) {
        return Err(Error::Groups { points, groups });
    }
    // Tables are at most as many as windows, so this stays below 2^29 · 64.
    let len = points * shape.tables;
    if len >= Operand::MOST { Err(wrong(HEADER)) } else { Ok((shape, len)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fr, G1};
    use parcrypt_runtime::Serial;

    #[test]
    fn tables_come_back_whole_or_not_at_all() {
        let step = G1::generator() * Fr::from(7);
        let points: Vec<G1> =
            std::iter::successors(Some(step), |p| Some(p.double() + step)).take(11).collect();
        let mut points = G1::batch_to_affine(&points);
        points.push(G1Affine::identity());
        let scalars: Vec<Fr> = (1..=12).map(|i| -Fr::from(i)).collect();
        for (groups, budget) in [(1, 0), (3, 4000), (12, 1 << 20)] {
            let made = FixedMsm::new(&Serial, &points, groups, budget).unwrap();
            let bytes = made.to_bytes();
            let read = FixedMsm::from_bytes(made.backend(), &points, groups, &bytes).unwrap();
            assert_eq!(read.to_bytes(), bytes);
            let sums = |msm: &FixedMsm| msm.msm_vartime(&Serial, &[&scalars]).unwrap();
            assert_eq!(sums(&read), sums(&made));

            let refused = |points: &[G1Affine], bytes: &[u8]| match FixedMsm::from_bytes(
                made.backend(),
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
            assert_eq!(refused(&others, &bytes), HEADER + 5 * made.shape.tables * ORBIT, "another point");
            assert!(matches!(
                FixedMsm::from_bytes(made.backend(), &points, 5, &bytes),
                Err(Error::Groups { .. })
            ));
        }
    }
}
