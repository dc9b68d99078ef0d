//! Pippenger's bucket method for groups of fixed points, with tables of their multiples.
//!
//! With t multiples 2^(c·s·i)·P, i < t, of each point, w / t = s windows remain of w; for n points that is
//! n·w·(1 − 4^−c) + s·(4^c − 1) / 6 + … affine additions (the formula is in `pippenger.rs`) and 144·n·t bytes. For 4096
//! points: 27.0 additions a point with t = 1 and c = 6, 21.4 with t = 7 and c = 7, 18.9 with t = 16 and c = 8.

use std::sync::OnceLock;

use parcrypt_cpu::{Backend, Request};
use parcrypt_runtime::{Cost, Runtime, Serial, enter, for_each};

use super::pippenger::{Bases, Shape};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::dispatch::{self, FpRow};
use crate::{Error, Fr, G1, G1Affine};

/// Digits in a task of several groups: enough for their additions to share inversions.
const GRAIN: usize = 8192;

/// Groups of fixed points with tables of their multiples, for multi-scalar multiplication.
///
/// ```
/// use parcrypt_bls12_381::{FixedMsm, Fr, G1, G1Affine, Request};
/// use parcrypt_runtime::Serial;
/// let points = [G1::generator(), G1::generator() * Fr::from(7)].map(G1Affine::from);
/// let fixed = FixedMsm::new(&Serial, Request::Auto, &points, 1, 1 << 20)?;
/// let sums = fixed.msm_vartime(&Serial, &[&[Fr::from(2), Fr::from(3)]])?;
/// assert_eq!(sums, [G1::generator() * Fr::from(2 + 3 * 7)]);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FixedMsm {
    row: &'static FpRow,
    shape: Shape,
    groups: usize,
    group_len: usize,
    tables: Vec<GlvTable>,
}

impl FixedMsm {
    /// Builds tables of at most `budget` bytes, but at least 144 bytes a point, for consecutive `points` in `groups`
    /// groups of equal length.
    ///
    /// All multiples of a point take up to 127 doublings, and 144 bytes for each multiple.
    ///
    /// # Errors
    /// [`Error::Groups`] if the groups differ in length or have too many points (2^27 are not too many);
    /// [`Error::Allocation`] if the tables cannot be allocated; [`Error::Backend`] if the requested row is unavailable.
    pub fn new(
        rt: &dyn Runtime,
        request: Request,
        points: &[G1Affine],
        groups: usize,
        budget: usize,
    ) -> Result<Self, Error> {
        if groups == 0 || !points.len().is_multiple_of(groups) || points.len() >= Operand::MAX {
            return Err(Error::Groups { points: points.len(), groups });
        }
        let row = dispatch::select(request)?;
        let group_len = points.len() / groups;
        let room = budget / (size_of::<GlvTable>() * points.len().max(1));
        let shape = Shape::best(group_len, room.min((Operand::MAX - 1) / points.len().max(1)));
        if !shape.counts(group_len) {
            return Err(Error::Groups { points: points.len(), groups });
        }
        let tables = enter(rt, shape.table_cost(row, points.len()), || shape.table(rt, row, points))?;
        Ok(FixedMsm { row, shape, groups, group_len, tables })
    }

    /// Returns the backend that adds the points.
    pub fn backend(&self) -> Backend {
        self.row.backend()
    }

    /// Returns the size of points and tables together, in bytes.
    pub fn table_bytes(&self) -> usize {
        size_of_val(&self.tables[..])
    }

    /// Returns the cost of the sums of all groups with `lists` lists of scalars.
    pub fn cost(&self, lists: usize) -> Cost {
        self.bases(0, self.groups).cost(lists * self.groups)
    }

    /// Returns the sums of each group with each of several lists of scalars: element b · groups + g is the sum of group
    /// g with list b.
    ///
    /// # Errors
    /// [`Error::Scalars`] if the length of a list is not the number of points; [`Error::Allocation`] if the digits of a
    /// group, some 300 bytes a point, cannot be allocated.
    pub fn msm_vartime(&self, rt: &dyn Runtime, scalars: &[&[Fr]]) -> Result<Vec<G1>, Error> {
        let points = self.groups * self.group_len;
        if let Some(list) = scalars.iter().find(|list| list.len() != points) {
            return Err(Error::Scalars { points, scalars: list.len() });
        }
        if points == 0 {
            return Ok(vec![G1::identity(); scalars.len() * self.groups]);
        }
        // Several small groups make one task, which is serial inside; a large group is parallel inside. Without tables
        // the last step takes longest, and the two sums of each group should fill its lanes.
        let windows = self.shape.digits().windows();
        let several = GRAIN / (self.group_len * windows);
        let filled = if several > 1 && self.shape.multiples == 1 { self.row.costs.lanes / 2 } else { 1 };
        let per_task = several.max(filled).clamp(1, self.groups);
        let mut sums = vec![G1::identity(); scalars.len() * self.groups];
        // Ordered by group, so that one group's tables, which are then in the second cache, serve all lists.
        let mut pieces = Vec::new();
        for (list, sums) in scalars.iter().zip(sums.chunks_mut(self.groups)) {
            let lists = list.chunks(per_task * self.group_len);
            pieces.extend(
                lists
                    .zip(sums.chunks_mut(per_task))
                    .enumerate()
                    .map(|(i, (list, sums))| (i, self.bases(i * per_task, sums.len()), list, sums)),
            );
        }
        pieces.sort_by_key(|(i, ..)| *i);
        let pieces: Vec<_> = pieces.into_iter().map(|(_, bases, list, sums)| (bases, list, sums)).collect();
        let failed = OnceLock::new();
        let sum = |rt: &dyn Runtime, (bases, list, sums): (Bases<'_>, &[Fr], &mut [G1])| {
            let lists: Vec<&[Fr]> = list.chunks(self.group_len).collect();
            match bases.sums(rt, &lists) {
                Ok(made) => sums.copy_from_slice(&made),
                // The first error is enough.
                Err(error) => drop(failed.set(error)),
            }
        };
        enter(rt, self.cost(scalars.len()), || {
            if per_task > 1 {
                let cost = self.bases(0, per_task).cost(per_task);
                for_each(rt, pieces, cost, |piece| sum(&Serial, piece));
            } else {
                pieces.into_iter().for_each(|piece| sum(rt, piece));
            }
        });
        failed.into_inner().map_or(Ok(sums), Err)
    }

    /// Returns `count` groups from group `first` on.
    fn bases(&self, first: usize, count: usize) -> Bases<'_> {
        let group = self.group_len * self.shape.multiples;
        let tables = &self.tables[first * group..(first + count) * group];
        Bases { shape: self.shape, row: self.row, tables, len: self.group_len }
    }
}
