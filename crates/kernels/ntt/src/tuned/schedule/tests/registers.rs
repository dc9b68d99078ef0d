//! The same for vectors of four registers, with Barrett's multiplication.

use super::*;
use crate::tuned::roots::{INVERSE_16, INVERSE_32};
use crate::tuned::schedule::barrett::{self, Four, Registers};

/// The methods of registers that move lanes, for intervals and for numbers.
macro_rules! registers {
    ($w:literal, $lane:ty, $register:ty, $accumulator:ty, $q:ident, $inverse:ident, $reduce:literal, $value:expr) => {
        type Lane = $lane;
        type Register = [$register; $w / 4];
        type Accumulator = [$accumulator; $w / 4];
        const Q: $lane = $q as $lane;
        const INVERSE: $lane = $inverse;
        const REDUCE_SLOTS: bool = $reduce;

        fn splat(self, x: $lane) -> Self::Register {
            array::from_fn(|_| $value(x))
        }
        fn load(self, lanes: &[$lane; $w]) -> [Self::Register; 4] {
            array::from_fn(|i| array::from_fn(|j| $value(lanes[$w / 4 * i + j])))
        }
        fn exchange(
            self,
            block: usize,
            u: Self::Register,
            v: Self::Register,
        ) -> (Self::Register, Self::Register) {
            let even = |i: usize| (i / block).is_multiple_of(2);
            (
                array::from_fn(|i| if even(i) { u[i] } else { v[i - block] }),
                array::from_fn(|i| if even(i) { u[i + block] } else { v[i] }),
            )
        }
        fn unzip(self, a: Self::Register, b: Self::Register) -> (Self::Register, Self::Register) {
            let both = [a, b].concat();
            (array::from_fn(|i| both[2 * i]), array::from_fn(|i| both[2 * i + 1]))
        }
        fn zip(self, even: Self::Register, odd: Self::Register) -> (Self::Register, Self::Register) {
            let lane = |i: usize| [even, odd][i % 2][i / 2];
            (array::from_fn(lane), array::from_fn(|i| lane($w / 4 + i)))
        }
    };
}

/// Methods of registers: their operands and the value of lane `i`.
macro_rules! lane_by_lane {
    ($w:literal, $($name:ident($($operand:ident: $of:ident),*) -> $result:ident = |$i:pat_param| $value:expr;)*) => {$(
        fn $name(self, $($operand: Self::$of),*) -> Self::$result {
            array::from_fn(|$i| $value)
        }
    )*};
}

macro_rules! intervals_of_registers {
    ($w:literal, $lane:ident, $q:ident, $inverse:ident, $reduce:literal, |$x:ident| $reduced:expr) => {
        impl Registers<$w> for Intervals {
            registers!($w, $lane, Range, Range, $q, $inverse, $reduce, |x: $lane| (x.into(), x.into()));
            lane_by_lane! {
                $w,
                add(a: Register, b: Register) -> Register = |i| within($lane::BITS, sum(a[i], b[i]));
                sub(a: Register, b: Register) -> Register = |i| within($lane::BITS, difference(a[i], b[i]));
                mul_low(_a: Register, _b: Register) -> Register = |_| only_inside_of_reductions();
                mul_round(_a: Register, _b: Register) -> Register = |_| only_inside_of_reductions();
                sub_product(_x: Register, _a: Register, _b: Register) -> Register = |_| only_inside_of_reductions();
                quotient(_x: Register) -> Register = |_| only_inside_of_reductions();
                min_unsigned(_a: Register, _b: Register) -> Register = |_| only_inside_of_reductions();
                wide(a: Register, b: Register) -> Accumulator = |i| corners(a[i], b[i]);
                add_wide(x: Accumulator, a: Register, b: Register) -> Accumulator =
                    |i| within(2 * $lane::BITS, sum(x[i], corners(a[i], b[i])));
                sub_wide(_x: Accumulator, _a: Register, _b: Register) -> Accumulator =
                    |_| only_inside_of_reductions();
                montgomery(x: Accumulator) -> Register = |i| montgomery($q, $lane::BITS, x[i]);
                canonical(x: Register) -> Register = |i| canonical($q, x[i]);
                reduced(x: Register) -> Register = |i| { let $x = x[i]; $reduced };
            }
            fn halves(self, _: Self::Accumulator) -> (Self::Register, Self::Register) {
                only_inside_of_reductions()
            }
            fn mul(self, a: Self::Register, by: Pair<Self::Register>) -> Self::Register {
                array::from_fn(|i| {
                    let ((value, _), (companion, _)) = (by.value[i], by.companion[i]);
                    let error = (value << ($lane::BITS - 1)) - companion * $q;
                    assert!(2 * error.abs() < $q, "{value} and {companion}");
                    let most = (($q << ($lane::BITS - 1)) + a[i].1.max(-a[i].0) * $q) >> $lane::BITS;
                    (-most, most)
                })
            }
        }
    };
}

intervals_of_registers!(32, i16, Q16, INVERSE_16, true, |x| {
    let most = 1665 + x.1.max(-x.0) * 3329 * 16 / 100 / 32768;
    (-most, most)
});
intervals_of_registers!(16, i32, Q32, INVERSE_32, false, |x| {
    assert!(x.0 > -(1 << 31) + (1 << 22) && x.1 < (1 << 31) - (1 << 22), "{x:?}");
    let most = (1 << 22) + ((x.1.max(-x.0) + (1 << 22)) >> 23) * ((1 << 13) - 1);
    (-most, most)
});

macro_rules! arrays_of_registers {
    ($w:literal, $lane:ident, $unsigned:ident, $wide:ident, $q:ident, $inverse:ident, $reduce:literal,
     |$x:ident| $quotient:expr) => {
        impl Registers<$w> for Arrays {
            registers!($w, $lane, $lane, $wide, $q, $inverse, $reduce, |x| x);
            lane_by_lane! {
                $w,
                add(a: Register, b: Register) -> Register = |i| a[i].wrapping_add(b[i]);
                sub(a: Register, b: Register) -> Register = |i| a[i].wrapping_sub(b[i]);
                mul_low(a: Register, b: Register) -> Register = |i| a[i].wrapping_mul(b[i]);
                mul_round(a: Register, b: Register) -> Register =
                    |i| ((($wide::from(a[i]) * $wide::from(b[i]) >> ($lane::BITS - 2)) + 1) >> 1) as $lane;
                sub_product(x: Register, a: Register, b: Register) -> Register =
                    |i| x[i].wrapping_sub(a[i].wrapping_mul(b[i]));
                quotient(x: Register) -> Register = |i| { let $x = $wide::from(x[i]); $quotient as $lane };
                min_unsigned(a: Register, b: Register) -> Register =
                    |i| (a[i] as $unsigned).min(b[i] as $unsigned) as $lane;
                wide(a: Register, b: Register) -> Accumulator = |i| $wide::from(a[i]) * $wide::from(b[i]);
                add_wide(x: Accumulator, a: Register, b: Register) -> Accumulator =
                    |i| x[i] + $wide::from(a[i]) * $wide::from(b[i]);
                sub_wide(x: Accumulator, a: Register, b: Register) -> Accumulator =
                    |i| x[i] - $wide::from(a[i]) * $wide::from(b[i]);
            }
            fn halves(self, x: Self::Accumulator) -> (Self::Register, Self::Register) {
                (array::from_fn(|i| x[i] as $lane), array::from_fn(|i| (x[i] >> $lane::BITS) as $lane))
            }
        }
    };
}

arrays_of_registers!(32, i16, u16, i32, Q16, INVERSE_16, true, |x| (x * 10 + (1 << 14)) >> 15);
arrays_of_registers!(16, i32, u32, i64, Q32, INVERSE_32, false, |x| (x + (1 << 22)) >> 23);

static SMALL_BARRETT: Tables<i16, 32, 2> = Tables::<i16, _, _>::barrett(&SMALL, barrett::REDUCE_SMALL);
static ML_KEM_BARRETT: Tables<i16, 32, 4> = Tables::<i16, _, _>::barrett(&ML_KEM, barrett::REDUCE_ML_KEM);
static ML_DSA_BARRETT: Tables<i32, 16, 8> = Tables::<i32, _, _>::barrett(&ML_DSA, barrett::REDUCE_ML_DSA);

/// Runs every kernel for registers on intervals of canonical values, as [`bounds`] does.
fn bounds_of_registers<const W: usize, const N: usize, const PAIRS: usize, const R: usize>(
    q: i64,
    tables: &'static Tables<<Intervals as Registers<W>>::Lane, W, PAIRS>,
) where
    Intervals: Registers<W, Register = [Range; N]>,
{
    let k = Kernels { lanes: Four(Intervals), tables };
    let canonical: [[[Range; N]; 4]; R] = [[[(0, q - 1); N]; 4]; R];
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
    let mut x = canonical;
    k.forward_across(&mut x);
    for group in 0..PAIRS {
        for block in [16, 8, 4] {
            k.forward_layer(group, 4, block, &mut x);
        }
    }
    let products: [_; R] =
        array::from_fn(|i| k.lanes.mul_slots(x[i], x[i], k.pair(&tables.slots[i / 2][i % 2])));
    let largest = |x: &[[[Range; N]; 4]; R]| {
        let lanes = x.as_flattened().as_flattened().iter();
        lanes.map(|(least, most)| most.max(&-least) * 100 / q).max().unwrap_or_default()
    };
    println!("Barrett's, in hundredths of q: to slots {}, products {}", largest(&x), largest(&products));
}

#[test]
fn no_value_exceeds_its_lane_in_registers() {
    bounds_of_registers::<32, 8, 2, 4>(Q16, &SMALL_BARRETT);
    bounds_of_registers::<32, 8, 4, 8>(Q16, &ML_KEM_BARRETT);
    bounds_of_registers::<16, 4, 8, 16>(Q32, &ML_DSA_BARRETT);
}

/// Checks that the intervals of reductions contain the results of the operations.
macro_rules! reductions_of_registers {
    ($w:literal, $lane:ident, $wide:ident, $q:ident, $values:expr, $reducible:expr) => {{
        let number = |x: $lane| array::from_fn::<_, { $w / 4 }, _>(|_| x);
        let interval = |x: $lane| array::from_fn::<Range, { $w / 4 }, _>(|_| (x.into(), x.into()));
        let inside = |x: $lane, y: [$lane; $w / 4], range: [Range; $w / 4]| {
            assert!(
                y.iter().all(|y| (range[0].0..=range[0].1).contains(&(*y).into())),
                "{x} {y:?} {range:?}"
            );
        };
        let (arrays, intervals) = (Arrays, Intervals);
        for x in $values {
            if $reducible(x) {
                let y = Registers::<$w>::reduced(arrays, number(x));
                inside(x, y, Registers::<$w>::reduced(intervals, interval(x)));
                assert_eq!((i64::from(y[0]) - i64::from(x)) % $q, 0);
            }
            for b in [0, 1, 17, 1664, 1665, 3328, 4190208 % $q, 4190209 % $q, $q - 1] {
                let factor = Factor::<$lane>::barrett(b as u32);
                let y = Registers::<$w>::mul(arrays, number(x), constant(factor, number));
                inside(x, y, Registers::<$w>::mul(intervals, interval(x), constant(factor, interval)));
                assert_eq!((i64::from(y[0]) - i64::from(x) * b) % $q, 0);
            }
            let wide = $wide::from(x) * $wide::from(x.wrapping_mul(7).wrapping_add(321)) / 2;
            let y = Registers::<$w>::montgomery(arrays, array::from_fn(|_| wide));
            inside(
                x,
                y,
                Registers::<$w>::montgomery(intervals, array::from_fn(|_| (wide.into(), wide.into()))),
            );
            assert_eq!(((i128::from(y[0]) << $lane::BITS) - i128::from(wide)) % i128::from($q), 0);
        }
    }};
}

#[test]
fn reductions_of_registers_keep_to_their_intervals() {
    reductions_of_registers!(32, i16, i32, Q16, i16::MIN..=i16::MAX, |_| true);
    let most = i32::MAX - (1 << 22) - 1;
    let ends = [i32::MIN, i32::MAX, 0, 1, -1, most, -most, 256 * 8380416];
    let values = (i32::MIN..i32::MAX - 99_991).step_by(99_991).chain(ends);
    reductions_of_registers!(16, i32, i64, Q32, values, |x: i32| x.abs_diff(0) <= most as u32);
}

macro_rules! agrees_in_registers {
    ($lane:ident, $coefficient:ident, $tables:ident, $w:literal in $vectors:literal, $q:ident,
     $forward:expr, $inverse:expr, $pointwise:expr, $product:expr) => {{
        const N: usize = $w * $vectors;
        let k = Kernels { lanes: Four(Arrays), tables: &$tables };
        let lanes = |x: &[$coefficient; N]| -> [[[$lane; $w / 4]; 4]; $vectors] {
            array::from_fn(|i| array::from_fn(|j| array::from_fn(|l| x[$w * i + $w / 4 * j + l] as $lane)))
        };
        let values = |x: [[[$lane; $w / 4]; 4]; $vectors]| -> [$coefficient; N] {
            array::from_fn(|i| x[i / $w][i % $w / ($w / 4)][i % ($w / 4)] as $coefficient)
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
    }};
}

/// Runs also if the machine lacks the instructions.
#[test]
fn the_schedule_in_registers_agrees_with_the_scalar_kernels() {
    macro_rules! agrees_16 {
        ($tables:ident, $vectors:literal, $scalar:expr) => {
            agrees_in_registers!(
                i16, u16, $tables, 32 in $vectors, Q16,
                |a| $scalar.forward(a), |a| $scalar.inverse(a), |a, b| $scalar.pointwise(a, b), |a, b| $scalar.product(a, b)
            );
        };
    }
    agrees_16!(SMALL_BARRETT, 4, words16::SMALL_TABLES);
    agrees_16!(ML_KEM_BARRETT, 8, words16::ML_KEM_TABLES);
    agrees_in_registers!(
        i32, u32, ML_DSA_BARRETT, 16 in 16, Q32,
        words32::forward, words32::inverse, words32::pointwise, words32::product
    );
}
