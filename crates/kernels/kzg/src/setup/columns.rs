//! The points for the proofs of cells, computed from the powers of τ.
//!
//! The proofs of all cosets of 64 points are the product of a Toeplitz matrix with the powers of τ for each of 64
//! offsets. Each matrix is part of a circulant one of twice the size, which the Fourier transform makes diagonal
//! (Feist and Khovratovich, "Fast amortized KZG proofs", 2023, sections 2.2 and 3.2).

use parcrypt_bls12_381::fft::Element;
use parcrypt_bls12_381::{Decomposition, Domain, Request};
use parcrypt_runtime::{Runtime, map};

use super::points::G1_POINTS;
use crate::{CELLS_PER_EXT_BLOB, Error, FIELD_ELEMENTS_PER_CELL};

/// Returns the points: point j of group i is element i of the transform of x_k = τ^(4031 − j − 64·k) for k from 0 to
/// 62, followed by zeros.
///
/// 64 transforms of 128 elements, which may run at once, over the powers of τ in G1 or over the powers themselves.
pub(crate) fn of<T: Element>(rt: &dyn Runtime, request: Request, powers: &[T]) -> Result<Vec<T>, Error> {
    debug_assert_eq!(powers.len(), G1_POINTS);
    let (rows, offsets) = (CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_CELL);
    let domain = Domain::new(request, rows.ilog2())?;
    let cost = domain.cost::<T>(rows);
    let transforms = map(rt, offsets, cost, |offset| {
        let start = G1_POINTS - 1 - offsets - offset;
        let x: Vec<T> = (0..rows / 2 - 1).map(|k| powers[start - k * offsets]).collect();
        let x = [x, vec![T::default(); rows / 2 + 1]].concat();
        let mut transform = vec![T::default(); rows];
        domain.fft(rt, Decomposition::Iterative, &x, &mut transform).map(|()| transform)
    });
    let transforms = transforms.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok((0..rows).flat_map(|row| transforms.iter().map(move |transform| transform[row])).collect())
}
