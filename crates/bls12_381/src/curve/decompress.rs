//! Decompression of many points of G1, with the subgroup check of each.

use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::dispatch::FpRow;
use crate::{Error, G1Affine};

/// Returns the result of [`G1Affine::from_compressed`] for each point, in order; with vector lanes in a fraction of the
/// time.
///
/// Bytes that are not a point give [`Error::NotOnCurve`], a point of another order [`Error::NotInSubgroup`].
///
/// ```
/// use parcrypt_bls12_381::{Error, G1Affine, Request, decompress, dispatch};
/// let generator = G1Affine::generator();
/// let row = dispatch::select(Request::Auto)?;
/// let points = decompress(&parcrypt_runtime::Serial, row, &[&generator.to_compressed(), &[0; 48]]);
/// assert_eq!(points, [Ok(generator), Err(Error::NotOnCurve)]);
/// # Ok::<(), Error>(())
/// ```
pub fn decompress(rt: &dyn Runtime, row: &FpRow, compressed: &[&[u8; 48]]) -> Vec<Result<G1Affine, Error>> {
    decompress_alongside(rt, row, compressed, || ()).0
}

/// Returns the points of [`decompress`], and the result of a serial `task` that runs on one thread at the same time.
pub fn decompress_alongside<T: Send>(
    rt: &dyn Runtime,
    row: &FpRow,
    compressed: &[&[u8; 48]],
    task: impl FnOnce() -> T + Send,
) -> (Vec<Result<G1Affine, Error>>, T) {
    enum Piece<'a, F, T> {
        Task(F, &'a mut Option<T>),
        Points(&'a [&'a [u8; 48]], &'a mut [Result<G1Affine, Error>]),
    }
    let (mut points, mut result) = (vec![Ok(G1Affine::identity()); compressed.len()], None);
    let lanes = row.decompress_lanes;
    let mut pieces = vec![Piece::Task(task, &mut result)];
    let chunks = compressed.chunks(lanes).zip(points.chunks_mut(lanes));
    pieces.extend(chunks.map(|(compressed, points)| Piece::Points(compressed, points)));
    let cost = Cost::ns((lanes as f64 * row.decompress_ns()) as u64);
    for_each(rt, pieces, cost, |piece| match piece {
        Piece::Task(task, result) => *result = Some(task()),
        Piece::Points(compressed, points) => row.batch.decompress(compressed, points),
    });
    (points, result.unwrap_or_else(|| unreachable!("each piece runs")))
}
