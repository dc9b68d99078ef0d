//! Sums of multiples of points: Σ sᵢ·Pᵢ, for any points and for points that stay the same.
//!
//! All of it takes a time that depends on scalars and points.

use parcrypt_runtime::Runtime;

use crate::{Error, Fr, G1, G1Affine};

/// Σ scalars\[i\] · points\[i\]; the point at infinity for none.
///
/// Any points and scalars do: infinity, equal points, opposite ones, 0.
///
/// # Errors
/// [`Error::Scalars`] where there is not one scalar for each point.
pub fn msm_vartime(rt: &dyn Runtime, points: &[G1Affine], scalars: &[Fr]) -> Result<G1, Error> {
    let _ = rt;
    if points.len() != scalars.len() {
        return Err(Error::Scalars { points: points.len(), scalars: scalars.len() });
    }
    Ok(points.iter().zip(scalars).fold(G1::identity(), |sum, (p, s)| sum + G1::from(*p) * *s))
}

/// Groups of points that stay the same, with tables of their multiples.
#[derive(Clone, Debug)]
pub struct FixedMsm {
    points: Vec<G1Affine>,
    groups: usize,
}

impl FixedMsm {
    /// Takes `groups` groups of equally many consecutive points, and spends at most `budget` bytes on tables.
    ///
    /// # Errors
    /// [`Error::Groups`] where the points cannot be cut so.
    pub fn new(rt: &dyn Runtime, points: &[G1Affine], groups: usize, budget: usize) -> Result<Self, Error> {
        let _ = (rt, budget);
        if groups == 0 || !points.len().is_multiple_of(groups) {
            return Err(Error::Groups { points: points.len(), groups });
        }
        Ok(FixedMsm { points: points.to_vec(), groups })
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// How many points a group has.
    pub fn group_len(&self) -> usize {
        self.points.len() / self.groups
    }

    /// The memory that the tables take, the points themselves not counted.
    pub fn table_bytes(&self) -> usize {
        0
    }

    /// The sums of each group with each of several lists of scalars: list b and group g give element b · groups + g.
    ///
    /// # Errors
    /// [`Error::Scalars`] where a list has not one scalar for each point.
    pub fn msm_vartime(&self, rt: &dyn Runtime, scalars: &[&[Fr]]) -> Result<Vec<G1>, Error> {
        let mut sums = Vec::with_capacity(scalars.len() * self.groups);
        for list in scalars {
            if list.len() != self.points.len() {
                return Err(Error::Scalars { points: self.points.len(), scalars: list.len() });
            }
            let len = self.group_len().max(1);
            for (points, scalars) in self.points.chunks(len).zip(list.chunks(len)) {
                sums.push(msm_vartime(rt, points, scalars)?);
            }
        }
        Ok(sums)
    }
}
