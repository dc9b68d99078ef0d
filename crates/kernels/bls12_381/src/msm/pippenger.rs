//! Pippenger's bucket method (1976) over digits of Z\[ζ\] and affine points.
//!
//! A scalar has about w = ⌈127 / c⌉ digits of radix 2^c, each a unit of Z\[ζ\] times one of (4^c − 1) / 6
//! representatives u + v·ζ. A digit puts a multiple of its point, by a unit, into the bucket of its representative.
//! With t multiples of each point kept, w / t windows remain, each with a set of buckets of its own. For n points the
//! affine additions are
//!
//! ```text
//! n·w·(1 − 4^−c)           operands into buckets
//! + (w / t)·(4^c − 1) / 6  buckets into sums of equal u, and of equal v
//! + (w / t)·max(u, v)·c    these into sums by bit of u and of v
//! + (w / t)·7·c            a doubling and two additions a bit, in Jacobian coordinates
//! ```
//!
//! and `Shape::best` takes the c with the least total.

use parcrypt_runtime::{Cost, Runtime, enter, for_each};

use super::Scalars;
use super::segments::{Segments, sum_operands, sum_points};
use crate::costs::{FR_DIGITS, ns};
use crate::curve::eisenstein::{Digit, Digits, Eisenstein};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::dispatch::FpRow;
use crate::{Error, Fr, G1, G1Affine};

/// Largest number of points in one pass: the 12 bytes that each digit takes stay below 100 MB in all.
pub(super) const MAX_POINTS: usize = 1 << 18;

/// Returns Σ scalars\[i\] · points\[i\]; the point at infinity for no points.
///
/// Points and scalars may be any: infinity, equal points, opposite points, 0.
///
/// ```
/// use parcrypt_bls12_381::{Fr, G1, G1Affine, Request, dispatch, msm::msm_vartime};
/// let points = [G1Affine::generator(), G1Affine::generator(), G1Affine::identity()];
/// let row = dispatch::select(Request::Auto)?;
/// let sum = msm_vartime(&parcrypt_runtime::Serial, row, &points, &[Fr::from(2), Fr::from(3), Fr::from(4)])?;
/// assert_eq!(sum, G1::generator() * Fr::from(5));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::Scalars`] if the lists differ in length, [`Error::Allocation`] if the memory for digits or multiples, up to
/// some 100 MB, cannot be allocated.
pub fn msm_vartime(
    rt: &dyn Runtime,
    row: &'static FpRow,
    points: &[G1Affine],
    scalars: &[Fr],
) -> Result<G1, Error> {
    if points.len() != scalars.len() {
        return Err(Error::Scalars { points: points.len(), scalars: scalars.len() });
    }
    let pieces = points.chunks(MAX_POINTS).zip(scalars.chunks(MAX_POINTS));
    let mut sum = G1::identity();
    for (points, scalars) in pieces {
        let shape = Shape::best(points.len(), 1);
        let table = shape.table(rt, row, points)?;
        let bases = Bases { shape, row, tables: &table, len: points.len() };
        let parts = enter(rt, bases.cost(1), || bases.sums(rt, &[scalars]))?;
        sum = parts.into_iter().fold(sum, |sum, part| sum + part);
    }
    Ok(sum)
}

/// Returns a list of `len` equal values.
///
/// # Errors
/// [`Error::Allocation`] if there is no memory for it.
fn filled<T: Clone>(value: T, len: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    #[cfg(feature = "faults")]
    if crate::faults::is_wrong_in("memory") {
        return Err(Error::Allocation { bytes });
    }
    list.try_reserve_exact(len).map_err(|_| Error::Allocation { bytes })?;
    list.resize(len, value);
    Ok(list)
}

/// Returns the cost of [`msm_vartime`] for this number of points.
pub(super) fn msm_cost(row: &FpRow, scalars: Scalars, points: usize) -> Cost {
    let shape = Shape::best(points, 1);
    ns(row.costs.add
        * match scalars {
            Scalars::Full => shape.additions(points),
            Scalars::Half => shape.short_additions(points),
        })
}

/// Shape of a sum: windows of c bits in both coordinates, of which `multiples` share each of `sets` sets of buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// c, the bits of a digit in each coordinate.
    pub(super) bits: u32,
    /// Multiples kept of each point: 2^(c·sets·t)·P for t below this.
    pub(super) multiples: usize,
    /// Sets of buckets: window w = sets·t + s, of weight 2^(c·w), goes into set s with multiple t.
    pub(super) sets: usize,
}

impl Shape {
    pub(super) fn new(bits: u32, most_tables: usize) -> Shape {
        let windows = Digits::get(bits).windows();
        let sets = windows.div_ceil(most_tables);
        // The same number of sets may need fewer multiples than are allowed.
        Shape { bits, multiples: windows.div_ceil(sets), sets }
    }

    /// Returns the shape with the fewest additions for `len` points and at most this number of multiples of each.
    pub(super) fn best(len: usize, most_tables: usize) -> Shape {
        let all = (Digits::MIN..=Digits::MAX).map(|bits| Shape::new(bits, most_tables.max(1)));
        // The list is not empty.
        all.min_by(|a, b| a.additions(len).total_cmp(&b.additions(len))).unwrap_or(Shape::new(Digits::MIN, 1))
    }

    /// Returns whether the digits of a group can be counted in 32 bits, as the ends of segments are.
    pub(super) fn counts(self, group_len: usize) -> bool {
        group_len.saturating_mul(self.digits().windows()) < u32::MAX as usize
    }

    pub(super) fn digits(self) -> &'static Digits {
        Digits::get(self.bits)
    }

    /// Returns the expected number of affine additions for `len` points, by the formula at the head of this file.
    pub(super) fn additions(self, len: usize) -> f64 {
        self.additions_of(self.entries(len))
    }

    /// Returns the expected number of affine additions for `len` points and scalars with half of the digits.
    pub(super) fn short_additions(self, len: usize) -> f64 {
        // The upper half of the windows is empty.
        let half = Shape { sets: self.sets.div_ceil(2), ..self };
        half.additions_of(self.entries(len) / 2.0)
    }

    /// Returns the expected number of digits other than 0 in `len` scalars.
    fn entries(self, len: usize) -> f64 {
        (len * self.digits().windows()) as f64 * (1.0 - (-2.0 * f64::from(self.bits)).exp2())
    }

    /// Returns the expected number of affine additions for this number of operands. With few operands some buckets stay
    /// empty, and their terms are left out.
    fn additions_of(self, entries: f64) -> f64 {
        /// A doubling and two additions of the last step, in units of affine additions.
        const LAST: f64 = 7.0;
        let (bits, sets, digits) = (f64::from(self.bits), self.sets as f64, self.digits());
        let buckets = sets * digits.buckets().len() as f64;
        let filled = buckets * (1.0 - (-entries / buckets).exp());
        let weights = 2.0 * sets * (digits.max() as f64 * bits / 2.0).min(filled * bits / 2.0);
        entries + filled + weights + LAST * bits * sets
    }

    /// Returns the cost of the multiples of `len` points: a doubling takes as long as an addition.
    pub(super) fn table_cost(self, row: &FpRow, len: usize) -> Cost {
        let doublings = self.bits as usize * self.sets * (self.multiples - 1);
        row.costs.additions(len * (doublings + 1))
    }

    /// Returns the multiples of each point, ordered by point.
    ///
    /// # Errors
    /// [`Error::Allocation`] if there is no memory for them.
    pub(super) fn table(
        self,
        rt: &dyn Runtime,
        row: &FpRow,
        points: &[G1Affine],
    ) -> Result<Vec<GlvTable>, Error> {
        const GRAIN: usize = 1024;
        let mut tables = filled(GlvTable::default(), points.len() * self.multiples)?;
        let pieces = points.chunks(GRAIN).zip(tables.chunks_mut(GRAIN * self.multiples)).collect();
        let cost = self.table_cost(row, GRAIN);
        for_each(rt, pieces, cost, |(points, tables): (&[G1Affine], &mut [GlvTable])| {
            let mut multiples = vec![Point::INFINITY; points.len()];
            let mut level = vec![GlvTable::default(); points.len()];
            row.batch.import(points, &mut multiples);
            for table in 0..self.multiples {
                if table > 0 {
                    row.batch.double(&mut multiples, self.bits as usize * self.sets);
                }
                row.batch.glv_tables(&multiples, &mut level);
                let out = tables.iter_mut().skip(table).step_by(self.multiples);
                out.zip(&level).for_each(|(out, table)| *out = *table);
            }
        });
        Ok(tables)
    }
}

/// Points with their multiples: groups of `len` points each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bases<'a> {
    pub(super) shape: Shape,
    pub(super) row: &'static FpRow,
    pub(super) tables: &'a [GlvTable],
    pub(super) len: usize,
}

impl Bases<'_> {
    /// Returns the cost of the sums of this number of groups.
    pub(super) fn cost(&self, groups: usize) -> Cost {
        ns(self.shape.additions(self.len) * groups as f64 * self.row.costs.add)
    }

    /// Returns the sum of each group with its list of scalars; list i belongs to group i. All groups are in memory at
    /// once, so they should be few or small.
    ///
    /// # Errors
    /// [`Error::Allocation`] if there is no memory for the digits.
    pub(super) fn sums(&self, rt: &dyn Runtime, scalars: &[&[Fr]]) -> Result<Vec<G1>, Error> {
        let digits = self.shape.digits();
        let operands = self.operands(rt, digits, scalars)?;
        let buckets = sum_operands(rt, self.row, self.tables, &operands);
        drop(operands);
        let weighted = self.weigh(rt, digits, &buckets);
        Ok(self.combine(digits, &weighted))
    }

    /// Returns the operands of each bucket: list (i·sets + s)·buckets + k belongs to bucket k, set s and group i.
    ///
    /// # Errors
    /// [`Error::Allocation`] if there is no memory for them.
    pub(super) fn operands(
        &self,
        rt: &dyn Runtime,
        digits: &Digits,
        scalars: &[&[Fr]],
    ) -> Result<Segments<Operand>, Error> {
        /// Scalars of a task.
        const GRAIN: usize = 256;
        let (shape, buckets, windows) = (self.shape, digits.buckets().len(), digits.windows());
        // Each scalar has room for all of its digits; the entry of a digit 0 stays empty.
        const EMPTY: (u32, Operand) = (u32::MAX, Operand::ANY);
        let mut all = filled(EMPTY, self.len * scalars.len() * windows)?;
        let lists = scalars.iter().zip(all.chunks_mut((self.len * windows).max(1))).enumerate();
        let pieces = lists.flat_map(|(group, (scalars, out))| {
            let pieces = scalars.chunks(GRAIN).zip(out.chunks_mut(GRAIN * windows)).enumerate();
            pieces.map(move |(piece, (scalars, out))| (group, piece * GRAIN, scalars, out))
        });
        // The multiple of each window, and the first bucket of its set.
        let of_window: Vec<(usize, usize)> =
            (0..windows).map(|window| (window / shape.sets, window % shape.sets * buckets)).collect();
        for_each(
            rt,
            pieces.collect(),
            GRAIN * FR_DIGITS,
            |(group, first, scalars, out): (usize, usize, &[Fr], &mut [_])| {
                let integers: Vec<Eisenstein> = scalars.iter().map(Eisenstein::from).collect();
                let mut all = vec![Digit::ZERO; out.len()];
                self.row.windows.write_digits(digits, &integers, &mut all);
                let rows = all.chunks(scalars.len()).zip(out.chunks_mut(scalars.len()));
                for ((row, out), (table, set)) in rows.zip(&of_window) {
                    let first_multiple = (group * self.len + first) * shape.multiples + table;
                    let first_list = group * shape.sets * buckets + set;
                    for (i, (digit, out)) in row.iter().zip(out).enumerate() {
                        if !digit.is_zero() {
                            let operand =
                                Operand::new((first_multiple + i * shape.multiples) as u32, digit.unit());
                            *out = ((first_list + digits.bucket(*digit)) as u32, operand);
                        }
                    }
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
        let mut items = filled(Operand::ANY, ends[ends.len() - 1] as usize)?;
        for (list, operand) in full() {
            let next = &mut ends[*list as usize];
            items[*next as usize] = *operand;
            *next += 1;
        }
        // Each start has moved to the end of its list.
        ends.pop();
        Ok(Segments { items, ends })
    }

    /// Returns, for each group and set, the c sums of the buckets u + v·ζ in which bit k of u is 1, then the same for
    /// v.
    ///
    /// The buckets of equal u, and those of equal v, are added first; then those of these sums whose u, or v, has the
    /// bit.
    pub(super) fn weigh(&self, rt: &dyn Runtime, digits: &Digits, buckets: &[Point]) -> Vec<Point> {
        let (weights, bits) = (digits.buckets(), digits.bits());
        let mut lines = Segments::new();
        for first in (0..buckets.len()).step_by(weights.len()) {
            let mut lists = vec![Vec::new(); 2 * digits.max()];
            for (i, (u, v)) in weights.iter().enumerate().filter(|(i, _)| !buckets[first + i].is_infinity()) {
                lists[usize::from(*u) - 1].push((first + i) as u32);
                if *v > 0 {
                    lists[digits.max() + usize::from(*v) - 1].push((first + i) as u32);
                }
            }
            for list in lists {
                lines.items.extend(list);
                lines.end();
            }
        }
        let lines = sum_points(rt, self.row, buckets, &lines);
        let mut by_bit = Segments::new();
        for first in (0..lines.len()).step_by(digits.max()) {
            for bit in 0..bits {
                let having =
                    (1..=digits.max()).filter(|weight| weight >> bit & 1 == 1).map(|w| first + w - 1);
                by_bit.items.extend(having.filter(|i| !lines[*i].is_infinity()).map(|i| i as u32));
                by_bit.end();
            }
        }
        sum_points(rt, self.row, &lines, &by_bit)
    }

    /// Returns Σ 2^(c·s + k)·(sum of bit k of u + ζ · sum of bit k of v), over sets s and bits k, for each group.
    fn combine(&self, digits: &Digits, weighted: &[Point]) -> Vec<G1> {
        let (bits, sets) = (digits.bits(), self.shape.sets);
        let mut tables = vec![GlvTable::default(); weighted.len()];
        self.row.batch.glv_tables(weighted, &mut tables);
        // Within a set the first half has weight 1, the second ζ: two sums a group.
        let mut sums = vec![G1::identity(); weighted.len() / (bits * sets)];
        let operand = |w: usize, sum: usize| {
            let (group, unit) = (sum / 2, sum % 2);
            Operand::new((2 * bits * (group * sets + w / bits) + unit * bits + w % bits) as u32, unit as u32)
        };
        // Scalars with half of the digits leave the upper sets at infinity.
        let used = weighted.iter().enumerate().filter(|(_, sum)| !sum.is_infinity());
        let used = used.map(|(i, _)| i / (2 * bits) % sets + 1).max().unwrap_or(0);
        let operands: Vec<Operand> =
            (0..bits * used).flat_map(|w| (0..sums.len()).map(move |sum| operand(w, sum))).collect();
        self.row.windows.horner(&tables, 1, &operands, &mut sums);
        let (pairs, _) = sums.as_chunks::<2>();
        pairs.iter().map(|[a, b]| *a + *b).collect()
    }
}
