//! The schedule in plain arrays against the portable kernels, and over intervals against the width of a lane.

use std::array;

use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rng;

use super::lanes16::{Lanes16, Narrow, REDUCE_ML_KEM, REDUCE_SMALL};
use super::lanes32::{Lanes32, REDUCE_ML_DSA, Wide};
use super::two::Two;
use super::*;
use crate::arch::generic::{words16, words32};
use crate::tuned::roots::{ML_DSA, ML_KEM, SMALL};

/// Compares the functions of kernels with those on numbers; `$lanes` makes their operands of polynomials, and `$values`
/// polynomials of their results.
macro_rules! agrees_with_scalars {
    ($k:ident, $lanes:ident, $values:ident, [$coefficient:ty; $n:ident], $q:ident,
     $forward:expr, $inverse:expr, $pointwise:expr, $product:expr) => {
        let mut rng = rng();
        for _ in 0..50 {
            let [a, b]: [[$coefficient; $n]; 2] =
                array::from_fn(|_| array::from_fn(|_| rng.random_range(0..$q as $coefficient)));
            assert_eq!($values($k.forward($lanes(&a))), $forward(&a));
            assert_eq!($values($k.inverse($lanes(&a))), $inverse(&a));
            assert_eq!($values($k.pointwise($lanes(&a), $lanes(&b))), $pointwise(&a, &b));
            assert_eq!($values($k.product($lanes(&a), $lanes(&b))), $product(&a, &b));
            let (x, y) = ($k.transformed($lanes(&a)), $k.transformed($lanes(&b)));
            assert_eq!($values(row($k, [1, 1], x, y)), $product(&a, &b));
        }
    };
}

mod registers;

static SMALL_16: Tables<i16, 16, 4> = Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL);
static SMALL_32: Tables<i16, 32, 2> = Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL);
static ML_KEM_16: Tables<i16, 16, 8> = Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM);
static ML_KEM_32: Tables<i16, 32, 4> = Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM);
static ML_DSA_8: Tables<i32, 8, 16> = Tables::<i32, _, _>::new(&ML_DSA, REDUCE_ML_DSA);
static ML_DSA_16: Tables<i32, 16, 8> = Tables::<i32, _, _>::new(&ML_DSA, REDUCE_ML_DSA);

/// Returns a vector. The compiler has far less to do with a reference; the memory that is never freed is a few
/// megabytes.
fn keep<T, const W: usize>(lane: impl FnMut(usize) -> T) -> &'static [T; W] {
    Box::leak(Box::new(array::from_fn(lane)))
}

/// Methods of lanes: their operands and their result.
macro_rules! lanes {
    ($($name:ident($($operand:ident),*) = $result:expr;)*) => {$(
        #[inline(never)]
        fn $name(self, $($operand: Self::V),*) -> Self::V {
            $result
        }
    )*};
}

/// The methods that move lanes, from the value for a lane.
macro_rules! moves {
    ($lane:ty, $value:expr) => {
        #[inline(never)]
        fn splat(self, x: $lane) -> Self::V {
            keep(|_| $value(x))
        }
        #[inline(never)]
        fn load(self, lanes: &[$lane; W]) -> Self::V {
            keep(|i| $value(lanes[i]))
        }
        #[inline(never)]
        fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V) {
            exchange(block, u, v)
        }
    };
}

fn only_inside_of_reductions<T>() -> T {
    unreachable!("only inside of reductions")
}

const Q16: i64 = 3329;
const Q32: i64 = 8380417;

/// The interval of the values in a lane, from least to greatest. Lanes of twice the width are the first half of the
/// lanes.
type Range = (i64, i64);

/// Lanes that contain all values between two. A value that exceeds its lane is a panic.
#[derive(Clone, Copy)]
struct Intervals;

/// Returns the greatest value in a test, in hundredths of q.
fn largest<const W: usize>(q: i64, x: &[&[Range; W]]) -> i64 {
    let all = x.iter().copied().flatten().map(|(least, most)| most.max(&-least) * 100 / q);
    all.max().unwrap_or_default()
}

fn within(bits: u32, range: Range) -> Range {
    let most = i64::MAX >> (64 - bits);
    assert!(range.0 >= -most - 1 && range.1 <= most, "{range:?} leaves {bits} bits");
    range
}

fn corners(a: Range, b: Range) -> Range {
    let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    (all.into_iter().min().unwrap_or_default(), all.into_iter().max().unwrap_or_default())
}

fn sum(a: Range, b: Range) -> Range {
    (a.0 + b.0, a.1 + b.1)
}

fn difference(a: Range, b: Range) -> Range {
    (a.0 - b.1, a.1 - b.0)
}

/// Returns the interval of Montgomery's reduction of numbers in an interval.
fn montgomery(q: i64, bits: u32, range: Range) -> Range {
    // (x − m·q) / 2^bits, with m from −2^(bits − 1) to 2^(bits − 1) − 1, is an integer.
    let half = q << (bits - 1);
    within(bits, (-((half - range.0) >> bits), (range.1 + half) >> bits))
}

fn canonical(q: i64, range: Range) -> Range {
    assert!(range.0 > -q && range.1 < q, "{range:?} is not within (−q, q)");
    (0, q - 1)
}

impl<const W: usize> Lanes16<W> for Intervals {
    type V = &'static [Range; W];
    const IN_STEP: usize = 3;

    moves!(i16, |x: i16| (x.into(), x.into()));
    lanes! {
        add(a, b) = keep(|i| within(16, sum(a[i], b[i])));
        sub(a, b) = keep(|i| within(16, difference(a[i], b[i])));
        mul_low(_a, _b) = only_inside_of_reductions();
        mul_high(_a, _b) = only_inside_of_reductions();
        mul_round(_a, _b) = only_inside_of_reductions();
        min_unsigned(_a, _b) = only_inside_of_reductions();
        add_32(a, b) = keep(|i| within(32, sum(a[i], b[i])));
        swap(a) = keep(|i| a[i ^ 1]);
        low_twice(a) = keep(|i| a[i / 4 * 4 + i % 2]);
        high_twice(a) = keep(|i| a[i / 4 * 4 + 2 + i % 2]);
        last_of(a, b) = keep(|i| if i % 4 == 3 { b[i] } else { a[i] });
        montgomery(a, b) = keep(|i| montgomery(Q16, 16, [a, b][i % 2][i / 2]));
        canonical(x) = keep(|i| canonical(Q16, x[i]));
    }
    #[inline(never)]
    fn mul_pairs(self, a: Self::V, b: Self::V) -> Self::V {
        keep(|i| {
            if i >= W / 2 {
                return (0, 0);
            }
            within(32, sum(corners(a[2 * i], b[2 * i]), corners(a[2 * i + 1], b[2 * i + 1])))
        })
    }
    #[inline(never)]
    fn halves(self, _: Self::V, _: Self::V) -> (Self::V, Self::V) {
        only_inside_of_reductions()
    }
    #[inline(never)]
    fn order<const ORDER: u8>(self, a: Self::V) -> Self::V {
        keep(|i| a[i / 4 * 4 + usize::from(ORDER >> (2 * (i % 4)) & 3)])
    }

    #[inline(never)]
    fn mul(self, a: Self::V, by: Pair<Self::V>) -> Self::V {
        keep(|i| {
            let (value, _) = by.value[i];
            assert_eq!(
                value as i16,
                (by.companion[i].0 as i16).wrapping_mul(3329),
                "a constant and its product with the inverse of q"
            );
            montgomery(Q16, 16, corners(a[i], by.value[i]))
        })
    }
    #[inline(never)]
    fn reduced(self, x: Self::V) -> Self::V {
        let bound = |x: Range| 1665 + x.1.max(-x.0) * 3329 * 16 / 100 / 32768;
        keep(|i| (-bound(x[i]), bound(x[i])))
    }
}

impl<const W: usize> Lanes32<W> for Intervals {
    type V = &'static [Range; W];
    const IN_STEP: usize = 3;

    moves!(i32, |x: i32| (x.into(), x.into()));
    lanes! {
        add(a, b) = keep(|i| within(32, sum(a[i], b[i])));
        sub(a, b) = keep(|i| within(32, difference(a[i], b[i])));
        mul_low(_a, _b) = only_inside_of_reductions();
        shift_23(_a) = only_inside_of_reductions();
        min_unsigned(_a, _b) = only_inside_of_reductions();
        mul_even(a, b) = keep(|i| if i < W / 2 { corners(a[2 * i], b[2 * i]) } else { (0, 0) });
        odd(a) = keep(|i| a[i | 1]);
        sub_64(_a, _b) = only_inside_of_reductions();
        odds(_a, _b) = only_inside_of_reductions();
        montgomery(a, b) = keep(|i| montgomery(Q32, 32, [a, b][i % 2][i / 2]));
        canonical(x) = keep(|i| canonical(Q32, x[i]));
    }
    #[inline(never)]
    fn add_64(self, a: Self::V, b: Self::V) -> Self::V {
        // A sum that exceeds 64 bits panics too.
        keep(|i| sum(a[i], b[i]))
    }

    #[inline(never)]
    fn mul(self, a: Self::V, by: Pair<Self::V>) -> Self::V {
        keep(|i| {
            let (value, _) = by.value[i];
            assert_eq!(
                value as i32,
                (by.companion[i].0 as i32).wrapping_mul(8380417),
                "a constant and its product with the inverse of q"
            );
            montgomery(Q32, 32, corners(a[i], by.value[i]))
        })
    }
    #[inline(never)]
    fn mul_even_by(self, a: Self::V, by: Pair<Self::V>) -> Self::V {
        Lanes32::mul(self, a, by)
    }
    #[inline(never)]
    fn reduced(self, x: Self::V) -> Self::V {
        keep(|i| {
            let x = x[i];
            assert!(x.0 > -(1 << 31) + (1 << 22) && x.1 < (1 << 31) - (1 << 22), "{x:?}");
            let most = (1 << 22) + ((x.1.max(-x.0) + (1 << 22)) >> 23) * ((1 << 13) - 1);
            (-most, most)
        })
    }
}

fn exchange<T: Copy, const W: usize>(
    block: usize,
    u: &'static [T; W],
    v: &'static [T; W],
) -> (&'static [T; W], &'static [T; W]) {
    let even = |i: usize| (i / block).is_multiple_of(2);
    (keep(|i| if even(i) { u[i] } else { v[i - block] }), keep(|i| if even(i) { u[i + block] } else { v[i] }))
}

/// Lanes in an array, with the semantics of the instructions.
#[derive(Clone, Copy)]
struct Arrays;

/// Returns the 32-bit lanes of a vector.
fn doubles<const W: usize>(x: &'static [i16; W]) -> impl Fn(usize) -> i32 {
    move |i| i32::from(x[2 * i] as u16) | i32::from(x[2 * i + 1]) << 16
}

fn from_doubles<const W: usize>(x: impl Fn(usize) -> i32) -> &'static [i16; W] {
    keep(|i| (x(i / 2) >> (16 * (i % 2))) as i16)
}

impl<const W: usize> Lanes16<W> for Arrays {
    type V = &'static [i16; W];
    const IN_STEP: usize = 2;

    moves!(i16, |x| x);
    lanes! {
        add(a, b) = keep(|i| a[i].wrapping_add(b[i]));
        sub(a, b) = keep(|i| a[i].wrapping_sub(b[i]));
        mul_low(a, b) = keep(|i| a[i].wrapping_mul(b[i]));
        mul_high(a, b) = keep(|i| ((i32::from(a[i]) * i32::from(b[i])) >> 16) as i16);
        mul_round(a, b) = keep(|i| ((i32::from(a[i]) * i32::from(b[i]) + (1 << 14)) >> 15) as i16);
        min_unsigned(a, b) = keep(|i| (a[i] as u16).min(b[i] as u16) as i16);
        add_32(a, b) = from_doubles(|i| doubles(a)(i).wrapping_add(doubles(b)(i)));
        swap(a) = keep(|i| a[i ^ 1]);
        low_twice(a) = keep(|i| a[i / 4 * 4 + i % 2]);
        high_twice(a) = keep(|i| a[i / 4 * 4 + 2 + i % 2]);
        last_of(a, b) = keep(|i| if i % 4 == 3 { b[i] } else { a[i] });
    }
    #[inline(never)]
    fn mul_pairs(self, a: Self::V, b: Self::V) -> Self::V {
        let product = |i: usize| i32::from(a[i]) * i32::from(b[i]);
        from_doubles(|i| product(2 * i).wrapping_add(product(2 * i + 1)))
    }
    #[inline(never)]
    fn halves(self, a: Self::V, b: Self::V) -> (Self::V, Self::V) {
        let half = |x: usize| keep(|i| if i % 2 == 0 { a[i + x] } else { b[i - 1 + x] });
        (half(0), half(1))
    }
    #[inline(never)]
    fn order<const ORDER: u8>(self, a: Self::V) -> Self::V {
        keep(|i| a[i / 4 * 4 + usize::from(ORDER >> (2 * (i % 4)) & 3)])
    }
}

/// The 64-bit lanes of a vector, and back.
fn quads<const W: usize>(x: &'static [i32; W]) -> impl Fn(usize) -> i64 {
    move |i| i64::from(x[2 * i] as u32) | i64::from(x[2 * i + 1]) << 32
}

fn from_quads<const W: usize>(x: impl Fn(usize) -> i64) -> &'static [i32; W] {
    keep(|i| (x(i / 2) >> (32 * (i % 2))) as i32)
}

impl<const W: usize> Lanes32<W> for Arrays {
    type V = &'static [i32; W];
    const IN_STEP: usize = 5;

    moves!(i32, |x| x);
    lanes! {
        add(a, b) = keep(|i| a[i].wrapping_add(b[i]));
        sub(a, b) = keep(|i| a[i].wrapping_sub(b[i]));
        mul_low(a, b) = keep(|i| a[i].wrapping_mul(b[i]));
        shift_23(a) = keep(|i| a[i] >> 23);
        min_unsigned(a, b) = keep(|i| (a[i] as u32).min(b[i] as u32) as i32);
        mul_even(a, b) = from_quads(|i| i64::from(a[2 * i]) * i64::from(b[2 * i]));
        odd(a) = keep(|i| a[i | 1]);
        add_64(a, b) = from_quads(|i| quads(a)(i).wrapping_add(quads(b)(i)));
        sub_64(a, b) = from_quads(|i| quads(a)(i).wrapping_sub(quads(b)(i)));
        odds(a, b) = keep(|i| [a, b][i % 2][i | 1]);
    }
}

/// Returns `sums` times `terms` products of transforms in order, as a row of a matrix, by the operations of
/// [`Kernels::add_terms`], which loads lanes that intervals do not have.
fn row<L: Lanes<W>, const W: usize, const PAIRS: usize, const R: usize>(
    k: Kernels<L, W, PAIRS>,
    [sums, terms]: [usize; 2],
    x: [L::V; R],
    y: [L::V; R],
) -> [L::V; R] {
    let (l, degree) = (k.lanes, k.tables.degree);
    let mut result = array::from_fn(|i| {
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

/// Runs every kernel on intervals of canonical values: the functions of `Intervals` panic if a value exceeds its
/// lane.
fn bounds<L: Lanes<W, V = &'static [Range; W]>, const W: usize, const PAIRS: usize, const R: usize>(
    lanes: L,
    q: i64,
    tables: &'static Tables<L::Lane, W, PAIRS>,
) {
    let k = Kernels { lanes, tables };
    let canonical: [&'static [Range; W]; R] = [keep(|_| (0, q - 1)); R];
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
    // The bounds of single steps in the notes.
    let mut x = canonical;
    k.forward_across(&mut x);
    let across = largest(q, &x);
    for group in 0..PAIRS.div_ceil(L::IN_STEP) {
        for block in [16, 8, 4, 2] {
            k.forward_layer(group, L::SLOT, block, &mut x);
        }
    }
    let products: [_; R] =
        array::from_fn(|i| k.lanes.mul_slots(x[i], x[i], k.pair(&tables.slots[i / 2][i % 2])));
    let (inside, products) = (largest(q, &x), largest(q, &products));
    let most = (1i64 << (8 * size_of::<L::Lane>() - 1)) * 100 / q;
    println!(
        "{W} lanes, in hundredths of q: across {across}, to slots {inside}, products {products}; there are {most}"
    );
}

#[test]
fn no_value_exceeds_its_lane() {
    bounds::<_, 16, 4, 8>(Narrow(Intervals), Q16, &SMALL_16);
    bounds::<_, 32, 2, 4>(Narrow(Intervals), Q16, &SMALL_32);
    bounds::<_, 16, 8, 16>(Narrow(Intervals), Q16, &ML_KEM_16);
    bounds::<_, 32, 4, 8>(Narrow(Intervals), Q16, &ML_KEM_32);
    bounds::<_, 8, 16, 32>(Wide(Intervals), Q32, &ML_DSA_8);
    bounds::<_, 16, 8, 16>(Wide(Intervals), Q32, &ML_DSA_16);
}

fn constant<T, V>(factor: Factor<T>, splat: impl Fn(T) -> V) -> Pair<V> {
    Pair { value: splat(factor.value), companion: splat(factor.companion) }
}

/// Checks that the intervals of reductions contain the results of the operations, for all values.
#[test]
fn reductions_of_16_bits_keep_to_their_intervals() {
    for x in i16::MIN..=i16::MAX {
        let interval = |range: &[Range; 16]| range[0].0..=range[0].1;
        let inside = |x: i16, y: &[i16; 16], range: &[Range; 16]| {
            assert!(interval(range).contains(&y[0].into()), "{x} {y:?} {range:?}");
        };
        let range = keep(|_| (x.into(), x.into()));
        let y = Lanes16::reduced(Arrays, keep(|_| x));
        inside(x, y, Lanes16::reduced(Intervals, range));
        assert_eq!((i32::from(y[0]) - i32::from(x)) % 3329, 0);
        for b in [0, 1, 17, 1664, 1665, 3328] {
            let factor = Factor::<i16>::montgomery(b);
            let y = Lanes16::mul(Arrays, keep(|_| x), constant(factor, |x| keep(|_| x)));
            inside(
                x,
                y,
                Lanes16::mul(Intervals, range, constant(factor, |x| keep(|_| (x.into(), x.into())))),
            );
            assert_eq!((i32::from(y[0]) - i32::from(x) * b as i32) % 3329, 0);
        }
        let other = x.wrapping_mul(7).wrapping_add(321);
        let wide = i32::from(x) * i32::from(other);
        let y = Lanes16::montgomery(Arrays, from_doubles(|_| wide), from_doubles(|_| -wide));
        let wide = i64::from(wide);
        inside(x, y, Lanes16::montgomery(Intervals, keep(|_| (wide, wide)), keep(|_| (-wide, -wide))));
        assert_eq!((i64::from(y[1]) * 65536 + wide) % 3329, 0);
    }
}

/// The same check with 32 bits, for many values.
#[test]
fn reductions_of_32_bits_keep_to_their_intervals() {
    let most = i32::MAX - (1 << 22) - 1;
    let ends = [i32::MIN, i32::MAX, 0, 1, -1, most, -most, 7 * 8380417, -7 * 8380417, 256 * 8380416];
    for x in (i32::MIN..i32::MAX - 99_991).step_by(99_991).chain(ends) {
        let inside = |y: &[i32; 8], range: &[Range; 8]| {
            assert!((range[0].0..=range[0].1).contains(&y[0].into()), "{x} {y:?} {range:?}");
        };
        let range = keep(|_| (x.into(), x.into()));
        if x.abs_diff(0) <= most as u32 {
            let y = Lanes32::reduced(Arrays, keep(|_| x));
            inside(y, Lanes32::reduced(Intervals, range));
            assert_eq!((i64::from(y[0]) - i64::from(x)) % Q32, 0);
        }
        for b in [0, 1, 1753, 4190208, 4190209, 8380416] {
            let factor = Factor::<i32>::montgomery(b);
            let by = constant(factor, |x| keep(|_| x));
            let interval =
                Lanes32::mul(Intervals, range, constant(factor, |x| keep(|_| (x.into(), x.into()))));
            let y = Lanes32::mul(Arrays, keep(|_| x), by);
            assert!(*y == [y[0]; 8] && Lanes32::mul_even_by(Arrays, keep(|_| x), by)[0] == y[0]);
            inside(y, interval);
            assert_eq!((i64::from(y[0]) - i64::from(x) * i64::from(b)) % Q32, 0);
        }
        let other = x.wrapping_mul(7).wrapping_add(321);
        let wide = i64::from(x) * i64::from(other) / 2;
        let y = Lanes32::montgomery(Arrays, from_quads(|_| wide), from_quads(|_| -wide));
        inside(y, Lanes32::montgomery(Intervals, keep(|_| (wide, wide)), keep(|_| (-wide, -wide))));
        assert_eq!((i128::from(y[1]) * (1 << 32) + i128::from(wide)) % i128::from(Q32), 0);
    }
}

macro_rules! agrees {
    ($lanes:expr, $lane:ty, $coefficient:ty, $tables:ident, $width:literal in $registers:literal, $q:ident,
     $forward:expr, $inverse:expr, $pointwise:expr, $product:expr) => {
        const N: usize = $width * $registers;
        let k = Kernels { lanes: $lanes, tables: &$tables };
        let lanes = |x: &[$coefficient; N]| -> [&'static [$lane; $width]; $registers] {
            array::from_fn(|i| keep(|j| x[$width * i + j] as $lane))
        };
        let values = |x: [&'static [$lane; $width]; $registers]| -> [$coefficient; N] {
            array::from_fn(|i| x[i / $width][i % $width] as $coefficient)
        };
        agrees_with_scalars!(
            k,
            lanes,
            values,
            [$coefficient; N],
            $q,
            $forward,
            $inverse,
            $pointwise,
            $product
        );
    };
}

macro_rules! agrees_16 {
    ($tables:ident, $width:literal in $registers:literal, $scalar:expr) => {{
        agrees!(
            Narrow(Arrays), i16, u16, $tables, $width in $registers, Q16,
            |a| $scalar.forward(a), |a| $scalar.inverse(a), |a, b| $scalar.pointwise(a, b), |a, b| $scalar.product(a, b)
        );
    }};
}

macro_rules! agrees_32 {
    ($tables:ident, $width:literal in $registers:literal) => {{
        agrees!(
            Wide(Arrays), i32, u32, $tables, $width in $registers, Q32,
            words32::forward, words32::inverse, words32::pointwise, words32::product
        );
    }};
}

/// Runs also if the machine lacks the instructions.
#[test]
fn the_schedule_agrees_with_the_scalar_kernels() {
    agrees_16!(SMALL_16, 16 in 8, words16::SMALL_TABLES);
    agrees_16!(SMALL_32, 32 in 4, words16::SMALL_TABLES);
    agrees_16!(ML_KEM_16, 16 in 16, words16::ML_KEM_TABLES);
    agrees_16!(ML_KEM_32, 32 in 8, words16::ML_KEM_TABLES);
    agrees_32!(ML_DSA_8, 8 in 32);
    agrees_32!(ML_DSA_16, 16 in 16);
}

#[test]
fn two_together_equal_two_alone() {
    let mut rng = rng();
    let two = Kernels { lanes: Two(Narrow(Arrays)), tables: &SMALL_32 };
    let [a, b]: [[u16; 128]; 2] = array::from_fn(|_| array::from_fn(|_| rng.random_range(0..3329)));
    let lanes = |x: &[u16; 128], i: usize| -> &'static [i16; 32] { keep(|j| x[32 * i + j] as i16) };
    let values = |x: [&'static [i16; 32]; 4]| -> [u16; 128] { array::from_fn(|i| x[i / 32][i % 32] as u16) };
    let scalar = &words16::SMALL_TABLES;
    let (both, same): ([_; 4], [_; 4]) =
        (array::from_fn(|i| [lanes(&a, i), lanes(&b, i)]), array::from_fn(|i| [lanes(&b, i); 2]));
    for (result, expected) in [
        (two.product(both, same), [scalar.product(&a, &b), scalar.product(&b, &b)]),
        (two.pointwise(both, same), [scalar.pointwise(&a, &b), scalar.pointwise(&b, &b)]),
        (two.forward(both), [scalar.forward(&a), scalar.forward(&b)]),
        (two.inverse(both), [scalar.inverse(&a), scalar.inverse(&b)]),
    ] {
        assert_eq!([values(result.map(|x| x[0])), values(result.map(|x| x[1]))], expected);
    }
}
