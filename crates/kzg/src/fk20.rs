//! The proofs of all cells at once (FK20; Feist and Khovratovich, 2020).

use parcrypt_bls12_381::{Decomposition, Fr, G1};
use parcrypt_runtime::Runtime;

use crate::error::Error;
use crate::settings::CELLS_SCALE;
use crate::{
    CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB, Proof, Settings,
};

/// The proof of each cell of a polynomial of degree below 4096, whose `remainders` modulo X^64 − y_c are given for all
/// 128 cells c, 64 coefficients each.
///
/// The proof of cell c is the value at y_c of a polynomial h with coefficients in G1, where
/// h_i = Σ_j Σ_k p_(j + 64·k) · τ^(j + 64·(k − i − 1))·G1 over k > i. For each j this is a product of a Toeplitz matrix of
/// coefficients with a vector of points, so a cyclic convolution of length 128, which a Fourier transform turns into
/// products: those of the points are in the settings. Those of the coefficients j, j + 64, … are the values at the
/// 128th roots of unity of the polynomial with these coefficients, which are the coefficients j of all remainders.
pub(crate) fn proofs(rt: &dyn Runtime, settings: &Settings, remainders: &[Fr]) -> Result<Vec<Proof>, Error> {
    debug_assert_eq!(remainders.len(), FIELD_ELEMENTS_PER_EXT_BLOB);
    // In the convolution coefficient k stands at place k + 65 modulo 128: a factor of ω^65 for each step in the domain.
    // The factor of the inverse transform, 1/128, is cheaper here than on points.
    let shift = Fr::root_of_unity(CELLS_SCALE)?.pow_vartime(CELLS_PER_BLOB as u64 + 1);
    let mut factor = settings.cells_inverse;
    let mut scalars = Vec::with_capacity(FIELD_ELEMENTS_PER_EXT_BLOB);
    for i in 0..CELLS_PER_EXT_BLOB {
        let cell = reversed(i);
        let remainder = &remainders[cell * FIELD_ELEMENTS_PER_CELL..][..FIELD_ELEMENTS_PER_CELL];
        scalars.extend(remainder.iter().rev().map(|x| *x * factor));
        factor *= shift;
    }
    let products = settings.fk20.msm_vartime(rt, &[&scalars])?;
    // The inverse transform is the forward one with its output reversed. Only the first 63 elements are h.
    let mut sums = vec![G1::identity(); CELLS_PER_EXT_BLOB];
    settings.cells_domain.fft(rt, Decomposition::HalvesAndButterflies, &products, &mut sums)?;
    let mut h = vec![G1::identity(); CELLS_PER_EXT_BLOB];
    for i in 0..CELLS_PER_BLOB - 1 {
        h[i] = sums[(CELLS_PER_EXT_BLOB - i) % CELLS_PER_EXT_BLOB];
    }
    settings.cells_domain.fft(rt, Decomposition::HalvesAndButterflies, &h, &mut sums)?;
    let proofs: Vec<G1> = (0..CELLS_PER_EXT_BLOB).map(|cell| sums[reversed(cell)]).collect();
    Ok(G1::compress_all(&proofs))
}

/// The index with its 7 bits reversed.
fn reversed(i: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - CELLS_SCALE)
}
