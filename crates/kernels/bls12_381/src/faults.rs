//! Wrong results of vector code, planted for tests of what finds them (feature `faults`, for tests only).
//!
//! After [`plant`], rows that are selected on this thread have functions that return a wrong result in each n-th call
//! on this thread; n is set by [`set_every`]. The row `blst` is never wrong.

use std::cell::Cell;

use blst::blst_fp12;
use parcrypt_cpu::{Backend, Row};

use crate::curve::batch_affine::{BatchAffine, Items};
use crate::curve::eisenstein::{Digit, Digits, Eisenstein};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::curve::validation::PointValidation;
use crate::curve::windows::WindowedMultiplication;
use crate::dispatch::{FpFunctions, FpRow, FrFunctions, FrRow, PairingFunctions, PairingRow};
use crate::field::fp;
use crate::fr_lanes::{FrLanes, Roots};
use crate::pairing::Pairing;
use crate::{Error, Fr, G1, G1Affine, G2Prepared};

thread_local! {
    static TABLE: Cell<Option<&'static str>> = const { Cell::new(None) };
    static EVERY: Cell<u64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Has rows of the table, `fp`, `fr` or `pairing`, selected on this thread from now on as those that may be wrong; with
/// `memory` allocations fail instead.
pub fn plant(table: Option<&'static str>) {
    TABLE.set(table);
}

/// Has each n-th call on this thread return a wrong result; none for 0.
pub fn set_every(n: u64) {
    EVERY.set(n);
    CALLS.set(0);
}

/// Counts a call of a function that may be wrong, and returns whether it is to be wrong.
fn is_wrong() -> bool {
    let every = EVERY.get();
    if every == 0 {
        return false;
    }
    CALLS.set(CALLS.get() + 1);
    CALLS.get().is_multiple_of(every)
}

/// Returns [`is_wrong`] for a function of another crate's table; `false` if no fault is planted in that table.
pub fn is_wrong_in(table: &str) -> bool {
    TABLE.get() == Some(table) && is_wrong()
}

fn is_planted<F>(table: &str, row: &Row<F>) -> bool {
    TABLE.get() == Some(table) && row.backend() != Backend::Blst
}

pub(crate) fn fp(row: &'static FpRow) -> &'static FpRow {
    if !is_planted("fp", row) {
        return row;
    }
    let functions = FpFunctions {
        batch: leak(Faulty(row.batch)),
        validation: leak(Faulty(row.validation)),
        windows: leak(Faulty(row.windows)),
        msm: row.msm,
        costs: row.costs,
    };
    leak(Row::new(row.backend(), functions))
}

pub(crate) fn fr(row: &'static FrRow) -> &'static FrRow {
    let (true, Some(lanes)) = (is_planted("fr", row), row.lanes) else { return row };
    leak(Row::new(row.backend(), FrFunctions::in_lanes(leak(Faulty(lanes)), row.costs)))
}

pub(crate) fn pairing(row: &'static PairingRow) -> &'static PairingRow {
    if !is_planted("pairing", row) {
        return row;
    }
    leak(Row::new(
        row.backend(),
        PairingFunctions { functions: leak(Faulty(row.functions)), costs: row.costs },
    ))
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Functions that may be wrong.
#[derive(Debug)]
struct Faulty<T>(T);

/// Returns a result, or the wrong result that `f` makes of it. A wrong point is the opposite one, which keeps all
/// bounds.
fn wrong<T>(right: T, f: impl FnOnce(T) -> T) -> T {
    if is_wrong() { f(right) } else { right }
}

/// Replaces the first of some results by what `f` makes of it, if this call is to be wrong.
fn wrong_first<T: Clone>(results: &mut [T], f: impl FnOnce(T) -> T) {
    if let Some(first) = results.first_mut() {
        *first = wrong(first.clone(), f);
    }
}

fn opposite(Point { x, y }: Point) -> Point {
    Point { x, y: fp::neg(&y) }
}

/// Negates one of the twelve coordinates.
fn other_value(mut value: blst_fp12) -> blst_fp12 {
    let coordinate = &mut value.fp6[0].fp2[0].fp[0].l;
    *coordinate = fp::neg(coordinate);
    value
}

fn one_more(element: Fr) -> Fr {
    element + Fr::one()
}

fn opposite_point(point: Result<G1Affine, Error>) -> Result<G1Affine, Error> {
    point.map(|point| -point)
}

/// Implements a trait by the functions inside, whose results are wrong in some calls: the result that is returned, or
/// after a comma the first element of an output.
macro_rules! faulty {
    ($Trait:ident; $($name:ident($($argument:ident: $A:ty),*) $(-> $Out:ty)? $(, $output:expr)? => $change:expr;)*) => {
        impl $Trait for Faulty<&'static dyn $Trait> {$(
            fn $name(&self, $($argument: $A),*) $(-> $Out)? {
                faulty!(call self.0.$name($($argument),*), $($output,)? $change)
            }
        )*}
    };
    (call $call:expr, $output:expr, $change:expr) => {{
        let result = $call;
        wrong_first(&mut $output, $change);
        result
    }};
    (call $call:expr, $change:expr) => {
        wrong($call, $change)
    };
}

faulty! {
    BatchAffine;
    import(points: &[G1Affine], out: &mut [Point]), out[..] => opposite;
    export(points: &[Point], out: &mut [G1Affine]), out[..] => |point| -point;
    glv_tables(points: &[Point], out: &mut [GlvTable]), out[..] => |table| GlvTable { y: fp::neg(&table.y), ..table };
    sum_lists(items: Items<'_>, lengths: &[u32], out: &mut [Point]), out[..] => opposite;
    double(points: &mut [Point], times: usize), points[..] => opposite;
}

faulty! {
    PointValidation;
    decompress(compressed: &[&[u8; 48]], members: bool, out: &mut [Result<G1Affine, Error>]), out[..] => opposite_point;
    are_in_subgroup(points: &[G1Affine]) -> bool => |answer| !answer;
}

faulty! {
    WindowedMultiplication;
    write_digits(digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]), out[..] => |_| Digit::ZERO;
    horner(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]), out[..] => |point| -point;
    horner_sum(tables: &[GlvTable], bits: u32, digits: &[Operand], count: usize) -> G1 => |point| -point;
}

faulty! {
    FrLanes;
    lanes() -> usize => |lanes| lanes;
    words(element: Fr) -> [u64; 4] => |words| words;
    decode(factor: Fr, encodings: &[[u8; 32]], out: &mut [Fr]) -> bool, out[..] => one_more;
    encode(factor: Fr, elements: &[Fr], out: &mut [[u8; 32]]), out[..] => |mut bytes| {
        bytes[31] ^= 1;
        bytes
    };
    scale(factors: &[Fr], rows: &mut [Fr]), rows[..] => one_more;
    fold(table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool, out[..] => one_more;
    combine(length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]), out[..] => one_more;
    divide(roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool, values[..] => one_more;
    forward(roots: &Roots, block: usize, levels: u32, data: &mut [Fr]), data[..] => one_more;
    inverse(inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]), data[..] => one_more;
}

faulty! {
    Pairing;
    miller_loops(pairs: &[(G1Affine, &G2Prepared)]) -> Option<blst_fp12> => |product| product.map(other_value);
    power(value: &blst_fp12) -> blst_fp12 => other_value;
}
