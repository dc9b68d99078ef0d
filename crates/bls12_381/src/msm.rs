//! Sums of multiples of points, Σ sᵢ·Pᵢ, for any points and for points that stay the same.
//!
//! The way is Pippenger's: a scalar's digit says into which bucket its point goes, and the buckets are summed with their
//! weights. Here digits are elements of Z\[ζ\] (`recode.rs`), so that there are few buckets for many bits; points are added in
//! affine coordinates with shared inversions (`affine.rs`, `msm/segments.rs`); and where points stay the same, tables of
//! 2^k·P let several windows share one set of buckets.
//!
//! All of it takes a time that depends on scalars and points.

mod segments;
mod stored;

use std::ops::Deref;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Runtime, Serial, enter, for_each};
use segments::{Segments, sum_operands, sum_points};

pub use crate::affine::Orbit;
use crate::affine::{Additions, Operand, Point};
use crate::recode::Digits;
use crate::{Error, Fr, G1, G1Affine, dispatch};

/// The most points of one pass: what is kept for each, 12 bytes a digit, stays below 100 MB.
const MOST_POINTS: usize = 1 << 18;

/// So many digits make a task of several groups: their additions share the inversions well.
const GRAIN: usize = 8192;

/// Σ scalars\[i\] · points\[i\]; the point at infinity for none.
///
/// Any points and scalars do: infinity, equal points, opposite ones, 0. 4096 points take about 30 ms on one core.
///
/// ```
/// use parcrypt_bls12_381::{Fr, G1, G1Affine, msm::msm_vartime};
/// let points = [G1Affine::generator(), G1Affine::generator(), G1Affine::identity()];
/// let sum = msm_vartime(&parcrypt_runtime::Serial, &points, &[Fr::from(2), Fr::from(3), Fr::from(4)])?;
/// assert_eq!(sum, G1::generator() * Fr::from(5));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::Scalars`] where there is not one scalar for each point, [`Error::Backend`] where `PARCRYPT_BACKEND` forces
/// one that does not run here.
pub fn msm_vartime(rt: &dyn Runtime, points: &[G1Affine], scalars: &[Fr]) -> Result<G1, Error> {
    msm_vartime_with(rt, dispatch::choose()?, points, scalars)
}

/// [`msm_vartime`] with a backend out of [`dispatch::BACKENDS`].
///
/// # Errors
/// As there, and [`Error::Backend`] for a backend that does not run here.
pub fn msm_vartime_with(
    rt: &dyn Runtime,
    backend: Backend,
    points: &[G1Affine],
    scalars: &[Fr],
) -> Result<G1, Error> {
    if points.len() != scalars.len() {
        return Err(Error::Scalars { points: points.len(), scalars: scalars.len() });
    }
    let additions = dispatch::additions(backend)?;
    let pieces = points.chunks(MOST_POINTS).zip(scalars.chunks(MOST_POINTS));
    let sums = pieces.map(|(points, scalars)| {
        let shape = Shape::best(points.len(), 1);
        let mut table = Vec::new();
        shape.table(rt, additions, points, &mut table);
        let bases = Bases { shape, additions, orbits: &table, len: points.len() };
        enter(rt, bases.cost(1), || bases.sums(rt, &[scalars]))
    });
    Ok(sums.flatten().fold(G1::identity(), |sum, part| sum + part))
}

/// How a sum is cut: windows of c bits in both coordinates, of which `tables` share each of `sets` sets of buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// c.
    bits: u32,
    /// Multiples 2^(c·sets·t)·P for t below this are kept.
    tables: usize,
    /// Window w counts 2^(c·w); with w = sets·t + s it goes into set s, with the point of table t.
    sets: usize,
}

impl Shape {
    fn new(bits: u32, most_tables: usize) -> Shape {
        let windows = Digits::get(bits).windows();
        let sets = windows.div_ceil(most_tables);
        // Fewer tables than allowed may do for as few sets.
        Shape { bits, tables: windows.div_ceil(sets), sets }
    }

    /// The one that takes the least time for `len` points, with at most so many tables.
    fn best(len: usize, most_tables: usize) -> Shape {
        let all = (Digits::LEAST..=Digits::MOST).map(|bits| Shape::new(bits, most_tables.max(1)));
        // There is always one.
        all.min_by(|a, b| a.additions(len).total_cmp(&b.additions(len)))
            .unwrap_or(Shape::new(Digits::LEAST, 1))
    }

    /// Whether the digits of a group can be counted in 32 bits, as the buckets do.
    fn counts(self, group_len: usize) -> bool {
        group_len.saturating_mul(self.digits().windows()) < u32::MAX as usize
    }

    fn digits(self) -> &'static Digits {
        Digits::get(self.bits)
    }

    /// About how many affine additions it takes to sum `len` points.
    fn additions(self, len: usize) -> f64 {
        /// A doubling and two additions of the last step, which are not shared, in affine additions.
        const LAST: f64 = 7.0;
        let (bits, sets, digits) = (f64::from(self.bits), self.sets as f64, self.digits());
        let entries = (len * digits.windows()) as f64 * (1.0 - (-2.0 * bits).exp2());
        let buckets = sets * digits.buckets().len() as f64;
        let filled = buckets * (1.0 - (-entries / buckets).exp());
        let weights = 2.0 * sets * (digits.most() as f64 * bits / 2.0).min(filled * bits / 2.0);
        entries + filled + weights + LAST * bits * sets
    }

    /// Appends the multiples of each point, point by point.
    fn table(
        self,
        rt: &dyn Runtime,
        additions: &dyn Additions,
        points: &[G1Affine],
        orbits: &mut Vec<Orbit>,
    ) {
        const GRAIN: usize = 256;
        orbits.resize(points.len() * self.tables, Orbit::default());
        let pieces = points.chunks(GRAIN).zip(orbits.chunks_mut(GRAIN * self.tables)).collect();
        let doublings = self.bits as usize * self.sets * (self.tables - 1);
        let cost = Cost::ns((GRAIN * (doublings + 1)) as u64 * additions.add_ns());
        for_each(rt, pieces, cost, |(points, orbits): (&[G1Affine], &mut [Orbit])| {
            let mut multiples = vec![Point::INFINITY; points.len()];
            let mut level = vec![Orbit::default(); points.len()];
            additions.import(points, &mut multiples);
            for table in 0..self.tables {
                if table > 0 {
                    additions.double(&mut multiples, self.bits as usize * self.sets);
                }
                additions.orbits(&multiples, &mut level);
                let places = orbits.iter_mut().skip(table).step_by(self.tables);
                places.zip(&level).for_each(|(place, orbit)| *place = *orbit);
            }
        });
    }
}

/// Points with their tables: groups of `len` points each.
#[derive(Clone, Copy, Debug)]
struct Bases<'a> {
    shape: Shape,
    additions: &'static dyn Additions,
    orbits: &'a [Orbit],
    len: usize,
}

impl Bases<'_> {
    fn group_additions(&self) -> f64 {
        self.shape.additions(self.len)
    }

    /// What the sums of so many groups cost.
    fn cost(&self, groups: usize) -> Cost {
        Cost::ns((self.group_additions() * groups as f64 * self.additions.add_ns() as f64) as u64)
    }

    /// The sum of each group with its list of scalars. All groups are handled at once, so there should be few of them,
    /// or small ones; list i is for group i.
    fn sums(&self, rt: &dyn Runtime, scalars: &[&[Fr]]) -> Vec<G1> {
        let digits = self.shape.digits();
        let operands = self.operands(rt, digits, scalars);
        let buckets = sum_operands(rt, self.additions, self.orbits, &operands);
        drop(operands);
        let weighted = self.weigh(rt, digits, &buckets);
        self.combine(digits, &weighted)
    }

    /// Which operands go into which bucket: list (i·sets + s)·buckets + k holds those of bucket k, set s and group i.
    fn operands(&self, rt: &dyn Runtime, digits: &Digits, scalars: &[&[Fr]]) -> Segments<Operand> {
        /// Scalars of a task, and what one costs to recode.
        const GRAIN: usize = 256;
        const RECODE_NS: u64 = 300;
        let (shape, buckets, windows) = (self.shape, digits.buckets().len(), digits.windows());
        // Each scalar has room for all of its digits; where one is 0, the place stays empty.
        const EMPTY: (u32, Operand) = (u32::MAX, Operand::ANY);
        let mut all = vec![EMPTY; self.len * scalars.len() * windows];
        let lists = scalars.iter().zip(all.chunks_mut((self.len * windows).max(1))).enumerate();
        let pieces = lists.flat_map(|(group, (scalars, out))| {
            let pieces = scalars.chunks(GRAIN).zip(out.chunks_mut(GRAIN * windows)).enumerate();
            pieces.map(move |(piece, (scalars, out))| (group, piece * GRAIN, scalars, out))
        });
        let cost = Cost::ns(GRAIN as u64 * RECODE_NS);
        for_each(
            rt,
            pieces.collect(),
            cost,
            |(group, first, scalars, out): (usize, usize, &[Fr], &mut [_])| {
                for (i, (scalar, out)) in scalars.iter().zip(out.chunks_mut(windows)).enumerate() {
                    let first_multiple = (group * self.len + first + i) * shape.tables;
                    digits.each(scalar, |window, digit| {
                        let (table, set) = (window / shape.sets, window % shape.sets);
                        let list = (group * shape.sets + set) * buckets + usize::from(digit.bucket);
                        let operand = Operand::new((first_multiple + table) as u32, digit.unit);
                        out[window] = (list as u32, operand);
                    });
                }
            },
        );
        // A counting sort, which keeps the order within each list.
        let mut ends = vec![0u32; scalars.len() * shape.sets * buckets + 1];
        let full = || all.iter().filter(|(list, _)| *list != u32::MAX);
        full().for_each(|(list, _)| ends[*list as usize + 1] += 1);
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut items = vec![Operand::ANY; ends[ends.len() - 1] as usize];
        for (list, operand) in full() {
            let place = &mut ends[*list as usize];
            items[*place as usize] = *operand;
            *place += 1;
        }
        // Each place has moved to the end of its list.
        ends.pop();
        Segments { items, ends }
    }

    /// From the buckets u + v·ζ of each set to the sums over bit k of u, and over bit k of v: for each group and set c
    /// of the former, then c of the latter.
    ///
    /// First all buckets of equal u and all of equal v are added up, then those of these sums whose u, or v, has the bit.
    fn weigh(&self, rt: &dyn Runtime, digits: &Digits, buckets: &[Point]) -> Vec<Point> {
        let (weights, bits) = (digits.buckets(), digits.bits());
        let mut lines = Segments::new();
        for first in (0..buckets.len()).step_by(weights.len()) {
            let mut lists = vec![Vec::new(); 2 * digits.most()];
            for (i, (u, v)) in weights.iter().enumerate().filter(|(i, _)| !buckets[first + i].is_infinity()) {
                lists[usize::from(*u) - 1].push((first + i) as u32);
                if *v > 0 {
                    lists[digits.most() + usize::from(*v) - 1].push((first + i) as u32);
                }
            }
            for list in lists {
                lines.items.extend(list);
                lines.end();
            }
        }
        let lines = sum_points(rt, self.additions, buckets, &lines);
        let mut by_bit = Segments::new();
        for first in (0..lines.len()).step_by(digits.most()) {
            for bit in 0..bits {
                let having =
                    (1..=digits.most()).filter(|weight| weight >> bit & 1 == 1).map(|w| first + w - 1);
                by_bit.items.extend(having.filter(|i| !lines[*i].is_infinity()).map(|i| i as u32));
                by_bit.end();
            }
        }
        sum_points(rt, self.additions, &lines, &by_bit)
    }

    /// Σ 2^(c·s + k)·(sum of bit k of u + ζ · sum of bit k of v), over sets s and bits k, for each group.
    fn combine(&self, digits: &Digits, weighted: &[Point]) -> Vec<G1> {
        let bits = digits.bits();
        let mut orbits = vec![Orbit::default(); weighted.len()];
        self.additions.orbits(weighted, &mut orbits);
        // Within a set the first half counts 1, the second ζ.
        let multiples = orbits.iter().enumerate().map(|(i, orbit)| {
            let unit = u32::from(i / bits % 2 == 1);
            Operand::new(0, unit).point(std::slice::from_ref(orbit))
        });
        let multiples: Vec<Point> = multiples.collect();
        let mut affine = vec![G1Affine::identity(); multiples.len()];
        self.additions.export(&multiples, &mut affine);
        let group = |sums: &[G1Affine]| {
            let sets = sums.chunks(2 * bits).rev();
            let pairs = sets.flat_map(|set| (0..bits).rev().map(move |k| (set[k], set[bits + k])));
            pairs.fold(G1::identity(), |sum, (a, b)| sum.double() + a + b)
        };
        affine.chunks(2 * bits * self.shape.sets).map(group).collect()
    }
}

/// Groups of points that stay the same, with tables of their multiples.
#[derive(Clone, Debug)]
pub struct FixedMsm {
    additions: &'static dyn Additions,
    shape: Shape,
    groups: usize,
    group_len: usize,
    orbits: Orbits,
}

/// Where multiples are kept.
#[derive(Clone, Debug)]
enum Orbits {
    Own(Vec<Orbit>),
    Shared(&'static [Orbit]),
}

impl Deref for Orbits {
    type Target = [Orbit];

    fn deref(&self) -> &[Orbit] {
        match self {
            Orbits::Own(orbits) => orbits,
            Orbits::Shared(orbits) => orbits,
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
    /// [`Error::Backend`] where `PARCRYPT_BACKEND` forces one that does not run here.
    pub fn new(rt: &dyn Runtime, points: &[G1Affine], groups: usize, budget: usize) -> Result<Self, Error> {
        FixedMsm::with_backend(rt, dispatch::choose()?, points, groups, budget)
    }

    /// [`FixedMsm::new`] with a backend out of [`dispatch::BACKENDS`].
    ///
    /// # Errors
    /// As there, and [`Error::Backend`] for a backend that does not run here.
    pub fn with_backend(
        rt: &dyn Runtime,
        backend: Backend,
        points: &[G1Affine],
        groups: usize,
        budget: usize,
    ) -> Result<Self, Error> {
        if groups == 0 || !points.len().is_multiple_of(groups) || points.len() >= Operand::MOST {
            return Err(Error::Groups { points: points.len(), groups });
        }
        let additions = dispatch::additions(backend)?;
        let group_len = points.len() / groups;
        let room = budget / (size_of::<Orbit>() * points.len().max(1));
        let shape = Shape::best(group_len, room.min((Operand::MOST - 1) / points.len().max(1)));
        if !shape.counts(group_len) {
            return Err(Error::Groups { points: points.len(), groups });
        }
        let mut orbits = Vec::new();
        enter(rt, Cost::ns(points.len() as u64 * 100 * additions.add_ns()), || {
            shape.table(rt, additions, points, &mut orbits);
        });
        Ok(FixedMsm { additions, shape, groups, group_len, orbits: Orbits::Own(orbits) })
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// How many points a group has.
    pub fn group_len(&self) -> usize {
        self.group_len
    }

    /// Which backend adds the points.
    pub fn backend(&self) -> Backend {
        self.additions.backend()
    }

    /// The memory of points and tables together.
    pub fn table_bytes(&self) -> usize {
        size_of_val(&self.orbits[..])
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
        let group = self.group_len * self.shape.tables;
        let orbits = &self.orbits[first * group..(first + count) * group];
        Bases { shape: self.shape, additions: self.additions, orbits, len: self.group_len }
    }
}
