//! Pippenger's algorithm for groups of points that stay the same, with tables of their multiples.

mod serialization;

use std::ops::Deref;

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::{Cost, Runtime, Serial, enter, for_each};

use super::pippenger::{Bases, Shape};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::dispatch::{self, FpRow};
use crate::{Error, Fr, G1, G1Affine};

/// So many digits make a task of several groups: their additions share the inversions well.
const GRAIN: usize = 8192;

/// Groups of points that stay the same, with tables of their multiples.
#[derive(Clone, Debug)]
pub struct FixedMsm {
    row: &'static FpRow,
    shape: Shape,
    groups: usize,
    group_len: usize,
    tables: Tables,
}

/// Where multiples are kept.
#[derive(Clone, Debug)]
enum Tables {
    Own(Vec<GlvTable>),
    Shared(&'static [GlvTable]),
}

impl Deref for Tables {
    type Target = [GlvTable];

    fn deref(&self) -> &[GlvTable] {
        match self {
            Tables::Own(tables) => tables,
            Tables::Shared(tables) => tables,
        }
    }
}

impl FixedMsm {
    /// Takes `groups` groups of equally many consecutive points, and spends at most `budget` bytes on tables, or what
    /// the points themselves take, 144 bytes each, where that is more.
    ///
    /// A point with all its tables takes 127 doublings, and the memory of up to 26 points.
    ///
    /// # Errors
    /// [`Error::Groups`] where the points cannot be cut so, or a group is too long (2^27 points are not),
    /// [`Error::Backend`] if the requested row is unavailable.
    pub fn new(
        rt: &dyn Runtime,
        request: Request,
        points: &[G1Affine],
        groups: usize,
        budget: usize,
    ) -> Result<Self, Error> {
        if groups == 0 || !points.len().is_multiple_of(groups) || points.len() >= Operand::MOST {
            return Err(Error::Groups { points: points.len(), groups });
        }
        let row = dispatch::select(request)?;
        let group_len = points.len() / groups;
        let room = budget / (size_of::<GlvTable>() * points.len().max(1));
        let shape = Shape::best(group_len, room.min((Operand::MOST - 1) / points.len().max(1)));
        if !shape.counts(group_len) {
            return Err(Error::Groups { points: points.len(), groups });
        }
        let mut tables = Vec::new();
        enter(rt, Cost::ns(points.len() as u64 * 100 * row.add_ns), || {
            shape.table(rt, row, points, &mut tables);
        });
        Ok(FixedMsm { row, shape, groups, group_len, tables: Tables::Own(tables) })
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// How many points a group has.
    pub fn group_len(&self) -> usize {
        self.group_len
    }

    /// Returns the row whose functions add the points.
    pub fn row(&self) -> &'static FpRow {
        self.row
    }

    /// Returns the backend of [`FixedMsm::row`].
    pub fn backend(&self) -> Backend {
        self.row.backend()
    }

    /// The memory of points and tables together.
    pub fn table_bytes(&self) -> usize {
        size_of_val(&self.tables[..])
    }

    /// The sums of each group with each of several lists of scalars: list b and group g give element b · groups + g.
    ///
    /// # Errors
    /// [`Error::Scalars`] where a list has not one scalar for each point.
    pub fn msm_vartime(&self, rt: &dyn Runtime, scalars: &[&[Fr]]) -> Result<Vec<G1>, Error> {
        let points = self.groups * self.group_len;
        if let Some(list) = scalars.iter().find(|list| list.len() != points) {
            return Err(Error::Scalars { points, scalars: list.len() });
        }
        if points == 0 {
            return Ok(vec![G1::identity(); scalars.len() * self.groups]);
        }
        // Several small groups make one task, which is serial inside; a large group is parallel inside.
        let windows = self.shape.digits().windows();
        let together = (GRAIN / (self.group_len * windows)).clamp(1, self.groups);
        let mut sums = vec![G1::identity(); scalars.len() * self.groups];
        let all = self.bases(0, self.groups).cost(sums.len());
        let lists = scalars.iter().zip(sums.chunks_mut(self.groups));
        let pieces = lists.flat_map(|(list, sums)| {
            let lists = list.chunks(together * self.group_len);
            lists
                .zip(sums.chunks_mut(together))
                .enumerate()
                .map(move |(i, (list, sums))| (self.bases(i * together, sums.len()), list, sums))
        });
        let pieces = pieces.collect::<Vec<_>>();
        let sum = |rt: &dyn Runtime, (bases, list, sums): (Bases<'_>, &[Fr], &mut [G1])| {
            let lists: Vec<&[Fr]> = list.chunks(self.group_len).collect();
            sums.copy_from_slice(&bases.sums(rt, &lists));
        };
        enter(rt, all, || {
            if together > 1 {
                let cost = self.bases(0, together).cost(together);
                for_each(rt, pieces, cost, |piece| sum(&Serial, piece));
            } else {
                pieces.into_iter().for_each(|piece| sum(rt, piece));
            }
        });
        Ok(sums)
    }

    /// `count` groups from group `first` on.
    fn bases(&self, first: usize, count: usize) -> Bases<'_> {
        let group = self.group_len * self.shape.multiples;
        let tables = &self.tables[first * group..(first + count) * group];
        Bases { shape: self.shape, row: self.row, tables, len: self.group_len }
    }
}
