//! Decompression of many points of G1, with the check that they are in the subgroup: of each, or of all together.

use parcrypt_runtime::{Cost, Runtime, for_each};
use sha2::{Digest, Sha256};

use super::membership::{Membership, all_in_subgroup, batched_ns};
use crate::dispatch::FpRow;
use crate::{Error, G1Affine};

/// Separates the hash of points from all other hashes.
const DOMAIN: &[u8; 19] = b"parcrypt-membership";

/// Returns the result of [`G1Affine::from_compressed`] for each point, in order; with vector lanes and with
/// [`Membership::Batched`] in a fraction of the time.
///
/// Bytes that are not a point give [`Error::NotOnCurve`], a point of another order [`Error::NotInSubgroup`].
///
/// ```
/// use parcrypt_bls12_381::{Error, G1Affine, Membership, Request, decompress, dispatch};
/// let generator = G1Affine::generator();
/// let row = dispatch::select(Request::Auto)?;
/// let compressed = [&generator.to_compressed(), &[0; 48]];
/// let points = decompress(&parcrypt_runtime::Serial, row, Membership::Batched, &compressed);
/// assert_eq!(points, [Ok(generator), Err(Error::NotOnCurve)]);
/// # Ok::<(), Error>(())
/// ```
pub fn decompress(
    rt: &dyn Runtime,
    row: &'static FpRow,
    membership: Membership,
    compressed: &[&[u8; 48]],
) -> Vec<Result<G1Affine, Error>> {
    decompress_join(rt, row, membership, compressed, || ()).0
}

/// Returns the points of [`decompress`], and the result of a serial `task` that runs on one thread at the same time.
pub fn decompress_join<T: Send>(
    rt: &dyn Runtime,
    row: &'static FpRow,
    membership: Membership,
    compressed: &[&[u8; 48]],
    task: impl FnOnce() -> T + Send,
) -> (Vec<Result<G1Affine, Error>>, T) {
    let batched = membership == Membership::Batched && batched_pays(row, compressed.len());
    let (mut points, result) = read_alongside(rt, row, !batched, compressed, task);
    if batched {
        check_all(rt, row, compressed, &mut points);
    }
    (points, result)
}

/// Returns points of the curve, which may be outside of the subgroup, as [`decompress_join`] does.
pub fn decompress_on_curve_alongside<T: Send>(
    rt: &dyn Runtime,
    row: &'static FpRow,
    compressed: &[&[u8; 48]],
    task: impl FnOnce() -> T + Send,
) -> (Vec<Result<G1Affine, Error>>, T) {
    read_alongside(rt, row, false, compressed, task)
}

/// Returns the points, each checked to be in the subgroup if `exactly`, and the result of the task.
fn read_alongside<T: Send>(
    rt: &dyn Runtime,
    row: &'static FpRow,
    exactly: bool,
    compressed: &[&[u8; 48]],
    task: impl FnOnce() -> T + Send,
) -> (Vec<Result<G1Affine, Error>>, T) {
    enum Piece<'a, F, T> {
        Task(F, &'a mut Option<T>),
        Points(&'a [&'a [u8; 48]], &'a mut [Result<G1Affine, Error>]),
    }
    let each_ns = if exactly { row.decompress_ns() } else { row.root_ns() };
    let (mut points, mut result) = (vec![Ok(G1Affine::identity()); compressed.len()], None);
    let lanes = at_once(rt, row, compressed.len());
    let mut pieces = vec![Piece::Task(task, &mut result)];
    let chunks = compressed.chunks(lanes).zip(points.chunks_mut(lanes));
    pieces.extend(chunks.map(|(compressed, points)| Piece::Points(compressed, points)));
    let cost = Cost::ns((lanes as f64 * each_ns) as u64);
    for_each(rt, pieces, cost, |piece| match piece {
        Piece::Task(task, result) => *result = Some(task()),
        Piece::Points(compressed, points) if exactly => row.batch.decompress(compressed, points),
        Piece::Points(compressed, points) => row.batch.decompress_on_curve(compressed, points),
    });
    (points, result.unwrap_or_else(|| unreachable!("each piece runs")))
}

/// Returns the number of points in a task: two vectors, which take less than twice the time of one, if there is more
/// than one for each thread. It depends on the threads; what is computed for each point does not.
pub(crate) fn at_once(rt: &dyn Runtime, row: &FpRow, points: usize) -> usize {
    let lanes = row.decompress_lanes;
    if points > lanes * rt.threads().get() { 2 * lanes } else { lanes }
}

/// Returns whether checking all points together takes less time than each.
fn batched_pays(row: &FpRow, points: usize) -> bool {
    batched_ns(row, points) < points as f64 * row.membership_ns()
}

/// Returns the cost of [`decompress_on_curve_alongside`] without its task for this number of points, in ns of one
/// thread.
pub fn decompress_on_curve_ns(row: &FpRow, points: usize) -> u64 {
    (points as f64 * row.root_ns()) as u64
}

/// Returns the cost of [`decompress`] for this number of points, in ns of one thread.
pub fn decompress_ns(row: &FpRow, membership: Membership, points: usize) -> u64 {
    let each = points as f64 * row.membership_ns();
    let check = match membership {
        Membership::Batched => each.min(batched_ns(row, points)),
        Membership::Exact => each,
    };
    (points as f64 * row.root_ns() + check) as u64
}

/// Replaces the points of the curve that are not in the subgroup by an error.
fn check_all(
    rt: &dyn Runtime,
    row: &'static FpRow,
    compressed: &[&[u8; 48]],
    points: &mut [Result<G1Affine, Error>],
) {
    // What is no point is an error already, and infinity here.
    let all: Vec<G1Affine> =
        points.iter().map(|point| *point.as_ref().unwrap_or(&G1Affine::identity())).collect();
    if all_in_subgroup(rt, row, &seed(compressed), &all) {
        return;
    }
    let lanes = at_once(rt, row, points.len());
    let cost = Cost::ns((lanes as f64 * row.membership_ns()) as u64);
    let pieces: Vec<_> = points.chunks_mut(lanes).zip(all.chunks(lanes)).collect();
    for_each(rt, pieces, cost, |(points, all): (&mut [Result<G1Affine, Error>], &[G1Affine])| {
        if row.batch.are_in_subgroup(all) {
            return;
        }
        for point in
            points.iter_mut().filter(|point| point.as_ref().is_ok_and(|point| !point.is_in_subgroup()))
        {
            *point = Err(Error::NotInSubgroup);
        }
    });
}

/// Returns the seed of the coins of a batch: a hash of all points.
pub(super) fn seed(compressed: &[&[u8; 48]]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(DOMAIN).chain_update((compressed.len() as u64).to_be_bytes());
    compressed.iter().for_each(|bytes| hash.update(bytes));
    hash.finalize().into()
}
