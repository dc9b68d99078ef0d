//! Wrong results of vector code, planted for tests of what finds them (feature `faults`, for tests only).
//!
//! After [`plant`], rows that are selected on this thread have functions that return a wrong result in each n-th call
//! on this thread; n is set by [`set_every`]. The row `blst` is never wrong.

use std::cell::Cell;

use blst::blst_fp12;
use parcrypt_cpu::{Backend, Row};

use crate::curve::batch_affine::{Accumulate, BatchAffine, Sum};
use crate::curve::eisenstein::{Digit, Digits, Eisenstein};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::miller_loop::Pair;
use crate::curve::point::Point;
use crate::curve::validation::PointValidation;
use crate::curve::windows::WindowedMultiplication;
use crate::dispatch::{FpFunctions, FpRow, FrFunctions, FrRow, PairingFunctions, PairingRow};
use crate::field::fp;
use crate::lanes::FrLanes;
use crate::lanes::pairing::PairingLanes;
use crate::lanes::transform::Roots;
use crate::{Error, Fr, G1, G1Affine};

thread_local! {
    static TABLE: Cell<Option<&'static str>> = const { Cell::new(None) };
    static EVERY: Cell<u64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Has rows of the table, `fp`, `fr` or `pairing`, selected on this thread from now on as those that may be wrong.
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
    Box::leak(Box::new(Row::new(
        row.backend(),
        FpFunctions::new(Box::leak(Box::new(Faulty(row))), row.costs),
    )))
}

pub(crate) fn fr(row: &'static FrRow) -> &'static FrRow {
    let (true, Some(lanes)) = (is_planted("fr", row), row.lanes) else { return row };
    Box::leak(Box::new(Row::new(
        row.backend(),
        FrFunctions::in_lanes(Box::leak(Box::new(Faulty(lanes))), row.costs),
    )))
}

pub(crate) fn pairing(row: &'static PairingRow) -> &'static PairingRow {
    let (true, Some(lanes)) = (is_planted("pairing", row), row.lanes) else { return row };
    Box::leak(Box::new(Row::new(
        row.backend(),
        PairingFunctions::in_lanes(Box::leak(Box::new(Faulty(lanes))), row.costs),
    )))
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
fn wrong_first<T: Copy>(results: &mut [T], f: impl FnOnce(T) -> T) {
    if let Some(first) = results.first_mut() {
        *first = wrong(*first, f);
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

impl BatchAffine for Faulty<&'static FpRow> {
    fn import(&self, points: &[G1Affine], out: &mut [Point]) {
        self.0.batch.import(points, out);
        wrong_first(out, opposite);
    }

    fn export(&self, points: &[Point], out: &mut [G1Affine]) {
        self.0.batch.export(points, out);
        wrong_first(out, |point| -point);
    }

    fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]) {
        self.0.batch.glv_tables(points, out);
        wrong_first(out, |table| GlvTable { y: fp::neg(&table.y), ..table });
    }

    fn add_multiples(&self, tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
        self.0.batch.add_multiples(tables, sums, out);
        wrong_first(out, opposite);
    }

    fn accumulate(&self, points: &mut [Point], sums: &[Accumulate]) {
        self.0.batch.accumulate(points, sums);
        if let Some(sum) = sums.first() {
            wrong_first(&mut points[sum.to as usize..], opposite);
        }
    }

    fn sum_multiples(&self, tables: &[GlvTable], operands: &[Operand], lengths: &[u32], out: &mut [Point]) {
        self.0.batch.sum_multiples(tables, operands, lengths, out);
        wrong_first(out, opposite);
    }

    fn sum_points(&self, points: &[Point], indices: &[u32], lengths: &[u32], out: &mut [Point]) {
        self.0.batch.sum_points(points, indices, lengths, out);
        wrong_first(out, opposite);
    }

    fn double(&self, points: &mut [Point], times: usize) {
        self.0.batch.double(points, times);
        wrong_first(points, opposite);
    }
}

impl PointValidation for Faulty<&'static FpRow> {
    fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) {
        self.0.validation.decompress(compressed, out);
        if let Some(Ok(point)) = out.first_mut() {
            *point = wrong(*point, |point| -point);
        }
    }

    fn decompress_on_curve(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) {
        self.0.validation.decompress_on_curve(compressed, out);
        if let Some(Ok(point)) = out.first_mut() {
            *point = wrong(*point, |point| -point);
        }
    }

    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool {
        wrong(self.0.validation.are_in_subgroup(points), |answer| !answer)
    }
}

impl WindowedMultiplication for Faulty<&'static FpRow> {
    fn write_digits(&self, digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]) {
        self.0.windows.write_digits(digits, integers, out);
        wrong_first(out, |_| Digit::ZERO);
    }

    fn horner(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
        self.0.windows.horner(tables, bits, digits, out);
        wrong_first(out, |point| -point);
    }

    fn horner_sum(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], count: usize) -> G1 {
        wrong(self.0.windows.horner_sum(tables, bits, digits, count), |point| -point)
    }
}

impl FrLanes for Faulty<&'static dyn FrLanes> {
    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn words(&self, element: Fr) -> [u64; 4] {
        self.0.words(element)
    }

    fn decode(&self, factor: Fr, encodings: &[[u8; 32]], out: &mut [Fr]) -> bool {
        let canonical = self.0.decode(factor, encodings, out);
        wrong_first(out, one_more);
        canonical
    }

    fn encode(&self, factor: Fr, elements: &[Fr], out: &mut [[u8; 32]]) {
        self.0.encode(factor, elements, out);
        wrong_first(out, |mut bytes| {
            bytes[31] ^= 1;
            bytes
        });
    }

    fn scale(&self, factors: &[Fr], rows: &mut [Fr]) {
        self.0.scale(factors, rows);
        wrong_first(rows, one_more);
    }

    fn fold(&self, table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool {
        let canonical = self.0.fold(table, z, encodings, out);
        wrong_first(out, one_more);
        canonical
    }

    fn combine(&self, length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]) {
        self.0.combine(length, weights, rows, out);
        wrong_first(out, one_more);
    }

    fn divide(&self, roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool {
        let divided = self.0.divide(roots, z, y, values);
        wrong_first(values, one_more);
        divided
    }

    fn forward(&self, roots: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
        self.0.forward(roots, block, levels, data);
        wrong_first(data, one_more);
    }

    fn inverse(&self, inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
        self.0.inverse(inverses, block, levels, data);
        wrong_first(data, one_more);
    }
}

impl PairingLanes for Faulty<&'static dyn PairingLanes> {
    fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12 {
        wrong(self.0.miller_loops(pairs), other_value)
    }

    fn hard_part(&self, g: &blst_fp12) -> blst_fp12 {
        wrong(self.0.hard_part(g), other_value)
    }
}
