//! The schedule in a model of its lanes: over numbers against the portable rows, and over intervals against the width
//! of a lane. The lanes of each instruction set agree with the model, value by value.

use std::array::from_fn;
use std::fmt::Debug;
use std::marker::PhantomData;

use bytemuck::{Pod, cast};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rng;

use super::lanes16::{REDUCE_ML_KEM, REDUCE_SMALL};
use super::lanes32::REDUCE_ML_DSA;
use super::two::Two;
use super::*;
use crate::arch::generic::{ML_DSA_PORTABLE, ML_KEM_PORTABLE, Portable, SMALL_PORTABLE};
use crate::tuned::number::Number;
use crate::tuned::roots::{ML_DSA, ML_KEM, SMALL};

static SMALL_8: Tables<i16, 8, 8> = Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL);
static SMALL_16: Tables<i16, 16, 4> = Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL);
static SMALL_32: Tables<i16, 32, 2> = Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL);
static ML_KEM_8: Tables<i16, 8, 16> = Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM);
static ML_KEM_16: Tables<i16, 16, 8> = Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM);
static ML_KEM_32: Tables<i16, 32, 4> = Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM);
static ML_DSA_8: Tables<i32, 8, 16> = Tables::<i32, _, _>::new(&ML_DSA, REDUCE_ML_DSA);
static ML_DSA_16: Tables<i32, 16, 8> = Tables::<i32, _, _>::new(&ML_DSA, REDUCE_ML_DSA);

/// Calls a macro for each width of each ring: the lane, the tables, the number of registers, the portable row, and
/// whether the rows of that width have loops.
macro_rules! for_each_width {
    ($call:ident) => {
        $call!(i16, SMALL_8, 16, SMALL_PORTABLE, true);
        $call!(i16, SMALL_16, 8, SMALL_PORTABLE, false);
        $call!(i16, SMALL_32, 4, SMALL_PORTABLE, false);
        $call!(i16, ML_KEM_8, 32, ML_KEM_PORTABLE, true);
        $call!(i16, ML_KEM_16, 16, ML_KEM_PORTABLE, false);
        $call!(i16, ML_KEM_32, 8, ML_KEM_PORTABLE, false);
        $call!(i32, ML_DSA_8, 32, ML_DSA_PORTABLE, true);
        $call!(i32, ML_DSA_16, 16, ML_DSA_PORTABLE, false);
    };
}

/// The values from the first to the second, of a lane of L. One that leaves its lane is a panic.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval<L>(i64, i64, PhantomData<L>);

impl<L> Interval<L> {
    fn within(bits: u32, low: i64, high: i64) -> Self {
        let most = i64::MAX >> (64 - bits);
        assert!(low >= -most - 1 && high <= most, "{low} to {high} leaves {bits} bits");
        Interval(low, high, PhantomData)
    }

    fn products(self, other: Self) -> (i64, i64) {
        let all = [self.0 * other.0, self.0 * other.1, self.1 * other.0, self.1 * other.1];
        (all.into_iter().min().unwrap(), all.into_iter().max().unwrap())
    }

    fn largest(self) -> i64 {
        self.1.max(-self.0)
    }
}

macro_rules! intervals {
    ($lane:ident, |$x:ident| $reduced:expr) => {
        impl From<$lane> for Interval<$lane> {
            fn from(x: $lane) -> Self {
                Interval(x.into(), x.into(), PhantomData)
            }
        }

        impl Number for Interval<$lane> {
            type Lane = $lane;
            type Sum = (i64, i64);

            const REDUCED: bool = $lane::REDUCED;
            const ZERO: (i64, i64) = (0, 0);

            fn plus(self, other: Self) -> Self {
                Self::within($lane::BITS, self.0 + other.0, self.1 + other.1)
            }
            fn minus(self, other: Self) -> Self {
                Self::within($lane::BITS, self.0 - other.1, self.1 - other.0)
            }
            fn times(self, by: Factor<Self>) -> Self {
                let q = Factor::<$lane>::MODULUS as $lane;
                assert_eq!(
                    by.value.0 as $lane,
                    (by.companion.0 as $lane).wrapping_mul(q),
                    "a constant and its companion"
                );
                Self::montgomery(self.products(by.value))
            }
            fn reduced(self) -> Self {
                let $x = self.largest();
                let most = $reduced;
                Interval(-most, most, PhantomData)
            }
            fn canonical(self) -> Self {
                let q = i64::from(Factor::<$lane>::MODULUS);
                assert!(self.largest() < q, "{self:?} is not within (−q, q)");
                Interval(0, q - 1, PhantomData)
            }
            fn plus_product(sum: (i64, i64), a: Self, b: Self) -> (i64, i64) {
                let (low, high) = a.products(b);
                let sum = Self::within(2 * $lane::BITS, sum.0 + low, sum.1 + high);
                (sum.0, sum.1)
            }
            fn montgomery((low, high): (i64, i64)) -> Self {
                // (x − m·q) / R, with m from −R/2 to R/2 − 1, is an integer.
                let half = i64::from(Factor::<$lane>::MODULUS) << ($lane::BITS - 1);
                Self::within($lane::BITS, -((half - low) >> $lane::BITS), (high + half) >> $lane::BITS)
            }
        }
    };
}

intervals!(i16, |x| 1665 + x * 3329 * 16 / 100 / 32768);
intervals!(i32, |x| {
    assert!(x < (1 << 31) - (1 << 22), "{x}");
    (1 << 22) + ((x + (1 << 22)) >> 23) * ((1 << 13) - 1)
});

/// The model: arrays of numbers as lanes of the schedule.
#[derive(Clone, Copy)]
struct Model<X, const LOOPS: bool>(PhantomData<X>);

// Without inlining the compiler has far less to do.
impl<X: Number, const LOOPS: bool, const W: usize> Lanes<W> for Model<X, LOOPS> {
    type Lane = X::Lane;
    type V = [X; W];
    type Wide = [X::Sum; W];
    const IN_STEP: usize = 3;
    const LOOPS: bool = LOOPS;
    const SLOT: usize = if X::REDUCED { 4 } else { 2 };

    #[inline(never)]
    fn splat(self, x: X::Lane) -> [X; W] {
        [x.into(); W]
    }
    #[inline(never)]
    fn load(self, lanes: &[X::Lane; W]) -> [X; W] {
        lanes.map(X::from)
    }
    #[inline(never)]
    fn add(self, a: [X; W], b: [X; W]) -> [X; W] {
        from_fn(|i| a[i].plus(b[i]))
    }
    #[inline(never)]
    fn sub(self, a: [X; W], b: [X; W]) -> [X; W] {
        from_fn(|i| a[i].minus(b[i]))
    }
    #[inline(never)]
    fn exchange(self, block: usize, u: [X; W], v: [X; W]) -> ([X; W], [X; W]) {
        let even = |i: usize| (i / block).is_multiple_of(2);
        (
            from_fn(|i| if even(i) { u[i] } else { v[i - block] }),
            from_fn(|i| if even(i) { u[i + block] } else { v[i] }),
        )
    }
    #[inline(never)]
    fn mul(self, a: [X; W], by: Factor<[X; W]>) -> [X; W] {
        from_fn(|i| a[i].times(Factor { value: by.value[i], companion: by.companion[i] }))
    }
    #[inline(never)]
    fn reduced(self, x: [X; W]) -> [X; W] {
        x.map(X::reduced)
    }
    #[inline(never)]
    fn canonical(self, x: [X; W]) -> [X; W] {
        x.map(X::canonical)
    }
    #[inline(never)]
    fn mul_slots(self, a: [X; W], b: [X; W], gamma: Factor<[X; W]>) -> [X; W] {
        let (slot, z) = (<Self as Lanes<W>>::SLOT, self.mul(b, gamma));
        let b = if X::REDUCED { self.reduced(b) } else { b };
        from_fn(|i| {
            let (first, k) = (i / slot * slot, i % slot);
            let factor = |j: usize| if j <= k { b[first + k - j] } else { z[first + slot + k - j] };
            X::montgomery((0..slot).fold(X::ZERO, |sum, j| X::plus_product(sum, a[first + j], factor(j))))
        })
    }
    #[inline(never)]
    fn prepared(self, degree: usize, b: [X; W], gamma: Factor<[X; W]>) -> [[X; W]; 2] {
        [b, if degree == 1 { b } else { self.mul(b, gamma) }]
    }
    #[inline(never)]
    fn no_products(self) -> [X::Sum; W] {
        [X::ZERO; W]
    }
    #[inline(never)]
    fn add_products(self, degree: usize, sum: [X::Sum; W], a: [X; W], [b, z]: [[X; W]; 2]) -> [X::Sum; W] {
        from_fn(|i| match (degree, i % 2) {
            (1, _) => X::plus_product(sum[i], a[i], b[i]),
            (_, 0) => X::plus_product(X::plus_product(sum[i], a[i], z[i]), a[i + 1], z[i + 1]),
            _ => X::plus_product(X::plus_product(sum[i], a[i - 1], b[i]), a[i], b[i - 1]),
        })
    }
    #[inline(never)]
    fn montgomery(self, _: usize, sum: [X::Sum; W]) -> [X; W] {
        sum.map(X::montgomery)
    }
}

/// Checks that the intervals of reductions contain the results, and that these have the right residues: for all values
/// of 16 bits, and for many of 32.
#[test]
fn numbers_keep_to_their_intervals() {
    macro_rules! check {
        ($lane:ident, $values:expr, $most:expr) => {
            let q = i64::from(Factor::<$lane>::MODULUS);
            for x in $values {
                let inside = |found: $lane, interval: Interval<$lane>, residue: i64| {
                    assert!((interval.0..=interval.1).contains(&found.into()), "{x} {found} {interval:?}");
                    assert_eq!((i64::from(found) - residue) % q, 0, "{x} {found}");
                };
                let (interval, wide) = (Interval::<$lane>::from(x), i64::from(x));
                if wide.abs() <= $most {
                    inside(x.reduced(), interval.reduced(), wide);
                    assert_eq!(i64::from(x.reduced().canonical()), wide.rem_euclid(q));
                }
                for b in [0, 1, 17, 1664, 1665, 3328, 4190208 % q, 4190209 % q, q - 1] {
                    let Factor { value, companion } = Factor::<$lane>::montgomery(b as u32);
                    let by = Factor { value: value.into(), companion: companion.into() };
                    inside(x.times(Factor { value, companion }), interval.times(by), wide * b % q);
                }
                let other = x.wrapping_mul(7).wrapping_add(321);
                let product = wide * i64::from(other);
                let found = $lane::montgomery($lane::plus_product(0, x, other));
                let (interval, r) = (Interval::<$lane>::montgomery((product, product)), 1 << $lane::BITS);
                assert!((interval.0..=interval.1).contains(&found.into()), "{x} {found} {interval:?}");
                assert_eq!((i64::from(found) * (r % q) - product % q) % q, 0);
            }
        };
    }
    check!(i16, i16::MIN..=i16::MAX, i64::MAX);
    let most = i64::from(i32::MAX) - (1 << 22) - 1;
    let ends =
        [i32::MIN, i32::MAX, 0, 1, -1, most as i32, -most as i32, 7 * 8380417, -7 * 8380417, 256 * 8380416];
    check!(i32, (i32::MIN..i32::MAX - 99_991).step_by(99_991).chain(ends), most);
}

/// Returns `sums` times `terms` products of transforms in order, as a row of a matrix.
fn row<L: Lanes<W>, const W: usize, const PAIRS: usize, const R: usize>(
    k: Kernels<L, W, PAIRS>,
    [sums, terms]: [usize; 2],
    x: [L::V; R],
    y: [L::V; R],
) -> [L::V; R] {
    let (l, degree) = (k.lanes, k.tables.degree);
    let mut result = from_fn(|i| {
        let mut sum = l.splat(L::Lane::default());
        for _ in 0..sums {
            let wide = (0..terms)
                .fold(l.no_products(), |wide, _| l.add_products(degree, wide, x[i], k.prepared(i, y[i])));
            sum = l.reduced(l.add(sum, l.montgomery(degree, wide)));
        }
        sum
    });
    k.inverse_of_sum(&mut result);
    result
}

/// Runs every kernel on intervals of canonical values: a value that leaves its lane is a panic.
#[test]
fn no_value_leaves_its_lane() {
    fn bounds<
        L: Copy + Default + Debug + PartialEq + 'static,
        const W: usize,
        const PAIRS: usize,
        const R: usize,
    >(
        tables: &'static Tables<L, W, PAIRS>,
        q: u32,
    ) where
        Interval<L>: Number<Lane = L> + PartialEq,
    {
        let k = Kernels { lanes: Model::<Interval<L>, true>(PhantomData), tables };
        let canonical = [[Interval(0, i64::from(q) - 1, PhantomData); W]; R];
        for result in [
            k.forward(canonical),
            k.inverse(canonical),
            k.product(canonical, canonical),
            k.pointwise(canonical, canonical),
            row(k, [2, TERMS], k.ordered(canonical), k.ordered(canonical)),
            row(k, [2, TERMS], k.transformed(canonical), k.transformed(canonical)),
        ] {
            assert_eq!(result, canonical);
        }
    }
    macro_rules! check {
        ($lane:ident, $tables:ident, $registers:literal, $portable:ident, $loops:literal) => {
            bounds::<$lane, _, _, $registers>(&$tables, Factor::<$lane>::MODULUS);
        };
    }
    for_each_width!(check);
}

fn agrees<
    X: Number + Pod + PartialEq,
    L: Lanes<W, V = [X; W]>,
    const N: usize,
    const W: usize,
    const PAIRS: usize,
    const R: usize,
>(
    k: Kernels<L, W, PAIRS>,
    portable: &Portable<X, N>,
    [a, b]: [[X; N]; 2],
) {
    let [x, y]: [[[X; W]; R]; 2] = [a, b].map(cast);
    let product = portable.product(&a, &b);
    let (x_kept, y_kept) = (k.transformed(x), k.transformed(y));
    for (found, expected) in [
        (k.forward(x), portable.forward(&a)),
        (k.inverse(x), portable.inverse(&a)),
        (k.pointwise(x, y), portable.pointwise(&a, &b)),
        (k.product(x, y), product),
        (row(k, [1, 1], x_kept, y_kept), product),
    ] {
        assert_eq!(cast::<_, [X; N]>(found), expected);
    }
}

/// Runs also if the machine lacks the instructions.
#[test]
fn the_schedule_agrees_with_the_portable_rows() {
    macro_rules! check {
        ($lane:ident, $tables:ident, $registers:literal, $portable:ident, $loops:literal) => {
            let (mut rng, q) = (rng(), Factor::<$lane>::MODULUS as $lane);
            let k = Kernels { lanes: Model::<$lane, $loops>(PhantomData), tables: &$tables };
            for _ in 0..20 {
                let operands = [(); 2].map(|()| from_fn(|_| rng.random_range(0..q)));
                agrees::<_, _, _, _, _, $registers>(k, &$portable, operands);
            }
        };
    }
    for_each_width!(check);
}

#[test]
fn two_together_equal_two_alone() {
    let mut rng = rng();
    let two = Kernels { lanes: Two(Model::<i16, false>(PhantomData)), tables: &SMALL_32 };
    let [a, b]: [[i16; 128]; 2] = from_fn(|_| from_fn(|_| rng.random_range(0..3329)));
    let [x, y]: [[[i16; 32]; 4]; 2] = [a, b].map(cast);
    let product = two.product(from_fn(|i| [x[i], y[i]]), from_fn(|i| [y[i], y[i]]));
    let expected = [SMALL_PORTABLE.product(&a, &b), SMALL_PORTABLE.product(&b, &b)];
    assert_eq!([0, 1].map(|i| cast::<[[i16; 32]; 4], [i16; 128]>(product.map(|x| x[i]))), expected);
}

/// Checks that the lanes of an instruction set compute the same values as the model.
#[inline(always)]
pub(crate) fn agrees_with_model<
    X: Number<Lane = X> + Pod + PartialEq,
    L: Lanes<W, Lane = X, V: Pod>,
    const W: usize,
>(
    lanes: L,
    q: u32,
    number: impl Fn(i64) -> X,
    factor: impl Fn(u32) -> Factor<X>,
) {
    let (mut rng, q) = (rng(), i64::from(q));
    let model = Model::<X, true>(PhantomData);
    for _ in 0..500 {
        let most = if rng.random() { q - 1 } else { 4 * q };
        let mut random = || -> [X; W] {
            from_fn(|_| number([-most, most, rng.random_range(-most..=most)][rng.random_range(0..3)]))
        };
        let ([a, b], [x, y]) = {
            let [a, b] = [random(), random()];
            ([a, b], [lanes.load(&a), lanes.load(&b)])
        };
        let constants: [_; W] =
            from_fn(|i| factor(if i % 2 == 0 { 1 } else { rng.random_range(0..q as u32) }));
        let gamma = Factor { value: constants.map(|x| x.value), companion: constants.map(|x| x.companion) };
        let by = Factor { value: lanes.load(&gamma.value), companion: lanes.load(&gamma.companion) };
        let same = |found: L::V, expected: [X; W]| assert_eq!(cast::<_, [X; W]>(found), expected);
        same(lanes.splat(a[0]), [a[0]; W]);
        same(lanes.add(x, y), model.add(a, b));
        same(lanes.sub(x, y), model.sub(a, b));
        same(lanes.mul(x, by), model.mul(a, gamma));
        same(lanes.reduced(x), model.reduced(a));
        same(lanes.canonical(lanes.reduced(x)), model.canonical(model.reduced(a)));
        for block in (0..W.ilog2()).map(|log| 1 << log) {
            let ((x, y), (a, b)) = (lanes.exchange(block, x, y), model.exchange(block, a, b));
            same(x, a);
            same(y, b);
        }
        for degree in 1..=if X::REDUCED { 2 } else { 1 } {
            let sum = lanes.add_products(degree, lanes.no_products(), x, lanes.prepared(degree, y, by));
            let expected =
                model.add_products(degree, model.no_products(), a, model.prepared(degree, b, gamma));
            same(lanes.montgomery(degree, sum), model.montgomery(degree, expected));
        }
        // One constant for each slot.
        let constant = factor(rng.random_range(0..q as u32));
        let gamma = Factor { value: [constant.value; W], companion: [constant.companion; W] };
        let by = Factor { value: lanes.splat(constant.value), companion: lanes.splat(constant.companion) };
        same(lanes.mul_slots(x, y, by), model.mul_slots(a, b, gamma));
    }
}
