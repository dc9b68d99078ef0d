//! Decompression of many points of G1, with the check that they are in the subgroup: of each, or of all together.

use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::costs::ns;
use crate::dispatch::FpRow;
use crate::{Error, G1Affine, Membership};

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
    let batched_ns = row.msm.membership_ns(row, compressed.len());
    if membership == Membership::Exact || batched_ns >= compressed.len() as f64 * row.costs.membership() {
        return read_alongside(rt, row, true, compressed, task);
    }
    let (points, result) = read_alongside(rt, row, false, compressed, task);
    // What is no point is an error already, and infinity here.
    let all: Vec<G1Affine> =
        points.iter().map(|point| *point.as_ref().unwrap_or(&G1Affine::identity())).collect();
    if row.msm.all_in_subgroup(rt, row, compressed, &all) {
        return (points, result);
    }
    (read_alongside(rt, row, true, compressed, || ()).0, result)
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
    let (mut points, mut result) = (vec![Ok(G1Affine::identity()); compressed.len()], None);
    let lanes = row.at_once(rt, compressed.len());
    let mut pieces = vec![Piece::Task(task, &mut result)];
    let chunks = compressed.chunks(lanes).zip(points.chunks_mut(lanes));
    pieces.extend(chunks.map(|(compressed, points)| Piece::Points(compressed, points)));
    let check = if exactly { row.costs.membership() } else { 0.0 };
    let cost = ns(lanes as f64 * (row.costs.root() + check));
    for_each(rt, pieces, cost, |piece| match piece {
        Piece::Task(task, result) => *result = Some(task()),
        Piece::Points(compressed, points) => row.validation.decompress(compressed, exactly, points),
    });
    (points, result.unwrap_or_else(|| unreachable!("each piece runs")))
}

/// Returns the cost of [`decompress`] for this number of points; without `membership`,
/// of points of the curve that are not checked.
pub fn decompress_cost(row: &FpRow, membership: Option<Membership>, points: usize) -> Cost {
    let each = points as f64 * row.costs.membership();
    let check = match membership {
        Some(Membership::Batched) => each.min(row.msm.membership_ns(row, points)),
        Some(Membership::Exact) => each,
        None => 0.0,
    };
    ns(points as f64 * row.costs.root() + check)
}
