//! Parallel operations on long arrays of field elements, cut into pieces that depend on the length only.

use parcrypt_bls12_381::Fr;
use parcrypt_bls12_381::costs::{FR_PRODUCT, FR_SUM};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::Error;

/// A product in Fr, in nanoseconds.
pub(crate) const FR_PRODUCT_NS: u64 = FR_PRODUCT.as_ns();
/// A product and a sum in Fr, in nanoseconds.
pub(crate) const TIMES_PLUS_NS: u64 = FR_PRODUCT_NS + FR_SUM.as_ns();

/// Elements of a piece: 17 µs where each takes a product.
pub(crate) const GRAIN: usize = 1024;

/// Calls `f` with each piece of the array and the index of the piece's first element; an element costs `ns`.
pub(crate) fn for_pieces(rt: &dyn Runtime, all: &mut [Fr], ns: u64, f: impl Fn(usize, &mut [Fr]) + Sync) {
    let pieces = all.chunks_mut(GRAIN).enumerate().collect();
    let cost = Cost::ns(ns.saturating_mul(GRAIN as u64));
    for_each(rt, pieces, cost, |(i, piece): (usize, &mut [Fr])| f(i * GRAIN, piece));
}

/// Multiplies element i by factor^i.
pub(crate) fn times_powers(rt: &dyn Runtime, all: &mut [Fr], factor: Fr) {
    for_pieces(rt, all, 2 * FR_PRODUCT_NS, |start, piece| {
        let mut power = factor.pow_vartime(start as u64);
        for x in piece {
            *x *= power;
            power *= factor;
        }
    });
}

/// Replaces each element by its inverse; 0 stays 0.
pub(crate) fn invert_all(rt: &dyn Runtime, all: &mut [Fr]) {
    // An inversion takes as long as some hundred products, and each piece has one.
    for_pieces(rt, all, 4 * FR_PRODUCT_NS, |_, piece| Fr::batch_inverse(piece));
}

/// Returns a copy, padded with zeros to `len` elements.
///
/// # Errors
/// [`Error::Memory`] where it cannot be allocated.
pub(crate) fn padded(all: &[Fr], len: usize) -> Result<Vec<Fr>, Error> {
    debug_assert!(all.len() <= len);
    let mut out = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<Fr>() as u64);
    out.try_reserve_exact(len).map_err(|_| Error::Memory { bytes })?;
    out.extend_from_slice(all);
    out.resize(len, Fr::zero());
    Ok(out)
}
