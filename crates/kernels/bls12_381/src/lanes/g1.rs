//! Points of G1 with a point in each lane, over limbs of every size.
//!
//! Points in memory are in the form of their row: times 2^FORM, see [`FpLimbs`].

pub(crate) mod batch;
pub(crate) mod decompress;
pub(crate) mod horner;
mod jacobian;
pub(crate) mod lists;
pub(crate) mod membership;
mod power;
mod quads;

use super::fp::limbs28::{Limbs28, Words28};
use super::fp::limbs52::Limbs52;
use super::fp::{Element, Factor, FpLimbs};
use parcrypt_simd::{Mask, Words52};

use super::{MAX_LANES, Words};
use crate::G1;
use crate::constants::BETA;
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::field::fp::{self, power_of_two};
use power::Power;

/// What depends on the time of a product.
pub(crate) trait PointLimbs: FpLimbs {
    /// Number of points that are few: with each in four lanes they take less time.
    const FEW: usize = 0;
    /// Minimum number of points that take less time in lanes than by blst, one to a lane.
    const MINIMUM: usize = Self::LANES / 2 + 1;

    /// Returns the root of a base in all lanes of each four, and the fours whose point is proved to be in the group, as
    /// [`decompress::root_and_membership`] does.
    fn root_and_membership(_: &Power<Self>, _x: &Factor<Self, 1, 1>) -> (Power<Self>, u8) {
        unreachable!("no number of points is few")
    }

    /// Sums a few elements as [`horner::horner_of_few`] does.
    fn horner_of_few(_: &[GlvTable], _bits: u32, _digits: &[Operand], _out: &mut [G1]) {
        unreachable!("no number of points is few")
    }
}

impl<W: Words28> PointLimbs for Limbs28<W> {}

/// A product of a vector takes less time than one by blst.
impl<W: Words52> PointLimbs for Limbs52<W> {
    const FEW: usize = Self::LANES / quads::LANES_EACH;
    const MINIMUM: usize = 2;

    #[inline(always)]
    fn root_and_membership(base: &Power<Self>, x: &Factor<Self, 1, 1>) -> (Power<Self>, u8) {
        decompress::root_and_membership(base, x)
    }

    #[inline(always)]
    fn horner_of_few(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
        horner::horner_of_few::<Self>(tables, bits, digits, out);
    }
}

/// The affine coordinates of a point in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points<F> {
    x: Element<F, 3, 3>,
    y: Element<F, 3, 3>,
}

/// Returns the mask of the lanes for which the function returns true.
#[inline(always)]
fn mask<F: FpLimbs>(is: impl Fn(usize) -> bool) -> u8 {
    (0..F::LANES).rev().fold(0, |mask, lane| mask << 1 | u8::from(is(lane)))
}

/// Returns the items of a vector; past the end the last one is repeated, which repeats work only.
#[inline(always)]
fn items<F: FpLimbs, T: Copy>(items: &[T], vector: usize) -> [T; MAX_LANES] {
    let begin = F::LANES * vector;
    match items[begin..].first_chunk() {
        Some(all) => *all,
        None => std::array::from_fn(|lane| items[(begin + lane).min(items.len() - 1)]),
    }
}

/// Returns the first items; past the end the last one is repeated.
#[inline(always)]
fn first_items<T>(items: &[T]) -> [&T; MAX_LANES] {
    std::array::from_fn(|lane| &items[lane.min(items.len() - 1)])
}

/// Returns the elements of all lanes.
#[inline(always)]
fn elements<F: FpLimbs>(elements: &[&fp::Words; MAX_LANES]) -> Element<F, 1, 1> {
    Element::from_words(&F::Word::gather(elements))
}

/// Returns the table of an operand, that of infinity for [`Operand::NONE`].
#[inline(always)]
fn table(tables: &[GlvTable], operand: Operand) -> &GlvTable {
    const INFINITY: &GlvTable = &GlvTable { x: [0; 6], beta_x: [0; 6], y: [0; 6] };
    tables.get(operand.index()).unwrap_or(INFINITY)
}

/// Writes the coordinates of multiples, and returns the lanes in which they may be infinity.
#[inline(always)]
fn multiples<F: FpLimbs>(tables: &[GlvTable], operands: &[Operand; MAX_LANES], out: &mut Points<F>) -> u8 {
    // x of unit k is x for k = 0, 3, βx for 2, 5, and the negative sum of both for 1, 4.
    let mut rows = [&fp::ONE; MAX_LANES];
    for (row, operand) in rows[..F::LANES].iter_mut().zip(operands) {
        let table = table(tables, *operand);
        *row = if matches!(operand.unit(), 2 | 5) { &table.beta_x } else { &table.x };
    }
    let first = F::Word::gather(&rows);
    let x = Element::<F, 1, 1>::from_words(&first);
    out.x = x.widen();
    let both = mask::<F>(|lane| matches!(operands[lane].unit(), 1 | 4));
    if both != 0 {
        for (row, operand) in rows[..F::LANES].iter_mut().zip(operands) {
            *row = &table(tables, *operand).beta_x;
        }
        let sum: Element<F, 2, 2> = x.plus(&elements(&rows));
        out.x = out.x.select(both, &sum.negative());
    }
    for (row, operand) in rows[..F::LANES].iter_mut().zip(operands) {
        *row = &table(tables, *operand).y;
    }
    let odd = mask::<F>(|lane| operands[lane].unit() & 1 == 1);
    out.y = elements::<F>(&rows).negative_in(odd);
    first[0].zeros().bits()
}

/// Writes the point with each index, infinity for an index past the end, and returns the lanes in which it may be
/// infinity.
#[inline(always)]
fn points<F: FpLimbs>(points: &[Point], indices: &[usize; MAX_LANES], out: &mut Points<F>) -> u8 {
    let mut rows = [[&fp::ONE; MAX_LANES]; 2];
    for (lane, index) in indices[..F::LANES].iter().enumerate() {
        let point = points.get(*index).unwrap_or(&Point::INFINITY);
        (rows[0][lane], rows[1][lane]) = (&point.x, &point.y);
    }
    let x = elements::<F>(&rows[0]);
    (out.x, out.y) = (x.widen(), elements(&rows[1]).widen());
    x.may_be_zeros()
}

/// Writes the point of each lane to its index.
#[inline(always)]
fn put<F: FpLimbs>(points: &mut [Point], to: &[usize; MAX_LANES], [x, y]: &[Element<F, 1, 1>; 2]) {
    let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (x.to_words(), y.to_words());
    if F::LANES == 8 {
        // The first eight words of each point, and the last four: half of the instructions.
        let (mut first, mut last) = ([a, b, c, d, e, f, g, h], [[0; 4]; MAX_LANES]);
        F::Word::transpose(&mut first);
        F::Word::store_elements([i, j, k, l], &mut last, 1);
        for (lane, to) in to.iter().enumerate() {
            let words = points[*to].words_mut();
            first[lane].store(&mut words[..8]);
            words[8..].copy_from_slice(&last[lane]);
        }
        return;
    }
    let mut words = [[[0; 6]; MAX_LANES]; 2];
    F::Word::scatter([a, b, c, d, e, f], &mut words[0]);
    F::Word::scatter([g, h, i, j, k, l], &mut words[1]);
    for (lane, to) in to[..F::LANES].iter().enumerate() {
        points[*to] = Point { x: words[0][lane], y: words[1][lane] };
    }
}

/// Returns the point of each lane.
#[inline(always)]
fn stored<F: FpLimbs>(coordinates: &[Element<F, 1, 1>; 2]) -> [Point; MAX_LANES] {
    let mut points = [Point::INFINITY; MAX_LANES];
    put(&mut points, &[0, 1, 2, 3, 4, 5, 6, 7], coordinates);
    points
}

/// 1 in the Montgomery form of lanes, times 2^R.
#[inline(always)]
fn one<F: FpLimbs>() -> Element<F, 1, 1> {
    Element::constant(const { &power_of_two(F::R) })
}

/// The factor from blst's form, times 2^384, to that of lanes.
#[inline(always)]
fn from_blst<F: FpLimbs>() -> Element<F, 1, 1> {
    Element::constant(const { &power_of_two(2 * F::R - 384) })
}

/// The factor from the form of lanes to that of blst.
#[inline(always)]
fn to_blst<F: FpLimbs>() -> Element<F, 1, 1> {
    Element::constant(const { &power_of_two(384) })
}

/// β in the form of lanes.
#[inline(always)]
fn beta<F: FpLimbs>() -> Factor<F, 1, 1> {
    // It is in the form of blst.
    Element::constant(&BETA).factor().times(&from_blst().factor())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::marker::PhantomData;

    use parcrypt_cpu::Backend;

    use super::decompress::tests::points_of_the_group_alone_pass_every_check;
    use super::membership::tests::membership_has_every_check;
    use super::*;
    use crate::arch::generic::portable::Portable;
    use crate::costs::FpCosts;
    use crate::curve::batch_affine::{BatchAffine, Items};
    use crate::curve::validation::PointValidation;
    use crate::curve::windows::WindowedMultiplication;
    use crate::dispatch::{FpFunctions, FpRow};
    use crate::{Error, G1Affine};

    /// The model as a backend, with limbs of each size.
    #[derive(Debug)]
    struct Model<F>(PhantomData<fn() -> F>);

    impl<F: PointLimbs> BatchAffine for Model<F> {
        fn import(&self, points: &[G1Affine], out: &mut [Point]) {
            batch::import::<F>(points, out);
        }

        fn export(&self, points: &[Point], out: &mut [G1Affine]) {
            batch::export::<F>(points, out);
        }

        fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]) {
            batch::glv_tables::<F>(points, out);
        }

        fn sum_lists(&self, items: Items, lengths: &[u32], out: &mut [Point]) {
            lists::sum_lists::<F>(items, lengths, out);
        }

        fn double(&self, points: &mut [Point], times: usize) {
            batch::double::<F>(points, times);
        }
    }

    impl<F: PointLimbs> PointValidation for Model<F> {
        fn decompress(&self, compressed: &[&[u8; 48]], members: bool, out: &mut [Result<G1Affine, Error>]) {
            decompress::decompress::<F>(compressed, members, out);
        }

        fn are_in_subgroup(&self, points: &[G1Affine]) -> bool {
            membership::are_in_subgroup::<F>(points)
        }
    }

    impl<W: Words52> WindowedMultiplication for Model<Limbs52<W>> {
        fn horner(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
            horner::horner::<Limbs52<W>>(tables, bits, digits, out);
        }
    }

    static SMALL_LIMBS: Model<Limbs28<[u64; 4]>> = Model(PhantomData);

    /// The models as rows: limbs of 52 bits in eight and in four lanes, and those of 28 bits next to blst.
    pub(crate) static MODELS: [FpRow; 3] = [
        FpRow::new(
            Backend::Portable,
            FpFunctions::new(&Model::<Limbs52<[u64; 8]>>(PhantomData), FpCosts::IFMA),
        ),
        FpRow::new(
            Backend::Portable,
            FpFunctions::new(&Model::<Limbs52<[u64; 4]>>(PhantomData), FpCosts::IFMA),
        ),
        FpRow::new(Backend::Portable, FpFunctions::new(&Portable::with(4, &SMALL_LIMBS), FpCosts::AVX2)),
    ];

    /// Checks that points keep their lanes, and what decompression and membership check.
    #[inline(always)]
    pub(crate) fn points_agree_with_blst<F: PointLimbs>() {
        let words = |lane: usize| std::array::from_fn(|word| (100 * lane + word) as u64);
        let all: [Point; MAX_LANES] =
            std::array::from_fn(|lane| Point { x: words(lane), y: words(lane + 8) });
        let mut read = Points { x: Element::<F, 3, 3>::zero(), y: Element::zero() };
        points(&all, &[0, 1, 2, 3, 4, 5, 6, 7], &mut read);
        let mut copy = [Point::INFINITY; MAX_LANES + 1];
        put(&mut copy, &[8, 7, 6, 5, 4, 3, 2, 1], &[read.x.canonical(), read.y.canonical()]);
        (0..F::LANES).for_each(|lane| assert_eq!(copy[8 - lane], all[lane]));
        points_of_the_group_alone_pass_every_check::<F>();
        membership_has_every_check::<F>();
    }

    #[test]
    fn points_of_the_models_agree_with_blst() {
        points_agree_with_blst::<Limbs28<[u64; 4]>>();
        points_agree_with_blst::<Limbs52<[u64; 8]>>();
    }
}
