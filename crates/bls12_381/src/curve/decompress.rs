//! Many points of G1 out of their compressed form.

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::{Error, G1Affine, dispatch};

/// What [`G1Affine::from_compressed`] says of each, in order; with vector lanes it takes a fraction of the time.
///
/// ```
/// use parcrypt_bls12_381::{Error, G1Affine, decompress};
/// let generator = G1Affine::generator();
/// let points = decompress(&parcrypt_runtime::Serial, &[&generator.to_compressed(), &[0; 48]])?;
/// assert_eq!(points, [Ok(generator), Err(Error::NotOnCurve)]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::Backend`] where `PARCRYPT_BACKEND` forces a backend that does not run here. What is wrong with a point stands in
/// its place: [`Error::NotOnCurve`] for bytes that are no point, [`Error::NotInSubgroup`] for a point of another order.
pub fn decompress(rt: &dyn Runtime, compressed: &[&[u8; 48]]) -> Result<Vec<Result<G1Affine, Error>>, Error> {
    Ok(decompress_beside(rt, dispatch::choose()?, compressed, || ())?.0)
}

/// [`decompress`] with a backend out of [`dispatch::BACKENDS`], and the result of other work, which cannot be cut, on one
/// of the threads meanwhile.
///
/// # Errors
/// [`Error::Backend`] for a backend that does not run here; the other work is not begun then.
pub fn decompress_beside<T: Send>(
    rt: &dyn Runtime,
    backend: Backend,
    compressed: &[&[u8; 48]],
    other: impl FnOnce() -> T + Send,
) -> Result<(Vec<Result<G1Affine, Error>>, T), Error> {
    /// A piece, of one point by blst or of eight in lanes.
    const PIECE_NS: u64 = 50_000;
    enum Piece<'a, F, T> {
        Other(F, &'a mut Option<T>),
        Points(&'a [&'a [u8; 48]], &'a mut [Result<G1Affine, Error>]),
    }
    let row = dispatch::batch_affine(backend)?;
    let (mut points, mut result) = (vec![Ok(G1Affine::identity()); compressed.len()], None);
    let together = row.decompress_lanes();
    let mut pieces = vec![Piece::Other(other, &mut result)];
    let chunks = compressed.chunks(together).zip(points.chunks_mut(together));
    pieces.extend(chunks.map(|(compressed, points)| Piece::Points(compressed, points)));
    for_each(rt, pieces, Cost::ns(PIECE_NS), |piece| match piece {
        Piece::Other(other, result) => *result = Some(other()),
        Piece::Points(compressed, points) => row.decompress(compressed, points),
    });
    Ok((points, result.unwrap_or_else(|| unreachable!("each piece is worked on"))))
}
