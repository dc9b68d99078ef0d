//! The proofs of all cells in one batch (FK20; Feist and Khovratovich, "Fast amortized KZG proofs", 2023).

use parcrypt_bls12_381::bit_reversal::reverse;
use parcrypt_bls12_381::costs::FR_PRODUCT;
use parcrypt_bls12_381::{Decomposition, Fr, G1};
use parcrypt_runtime::{Runtime, Serial, for_each, join};

use super::polynomial::Polynomial;
use crate::error::Error;
use crate::settings::CELLS_SCALE;
use crate::{
    CELLS_PER_BLOB, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB, Proof, Settings,
};

/// Returns the proofs of all 128 cells of each polynomial, which is extended.
///
/// The proof of cell c is the value at y_c of a polynomial h with coefficients in G1, where h_i = Σ_j Σ_k p_(j + 64·k)
/// · τ^(j + 64·(k − i − 1))·G1 over k > i. For each j this is a product of a Toeplitz matrix of coefficients with a
/// vector of points, so a cyclic convolution of length 128, which a Fourier transform turns into products. The
/// transforms of the points are in the settings. The transform of the coefficients j, j + 64, … gives the values at the
/// 128th roots of unity of the polynomial with these coefficients, which are the coefficients j of all remainders.
pub(super) fn proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[Polynomial<'_>],
) -> Result<Vec<Vec<Proof>>, Error> {
    let scalars = scalars(rt, settings, blobs)?;
    let lists: Vec<&[Fr]> = scalars.iter().map(Vec::as_slice).collect();
    let products = settings.fk20()?.msm_vartime(rt, &lists)?;
    let mut proofs: Vec<Result<Vec<Proof>, Error>> = vec![Ok(Vec::new()); blobs.len()];
    // A transform on one thread fills vector lanes better than its parts on several.
    let of_one: &dyn Runtime = if blobs.len() >= rt.threads().get() { &Serial } else { rt };
    transform_all((rt, of_one), settings, &products, &mut proofs);
    proofs.into_iter().collect()
}

/// Returns the scalars of each blob, in the order of the points in the settings: group i has the coefficients of the
/// remainder of cell c with y_c = ω^i, from the last to the first.
fn scalars(rt: &dyn Runtime, settings: &Settings, blobs: &[Polynomial<'_>]) -> Result<Vec<Vec<Fr>>, Error> {
    const GROUPS: usize = 8;
    // In the convolution coefficient k has the index k + 65 modulo 128: a factor of ω^65 for each step in the domain.
    // The factor of the inverse transform, 1/128, is cheaper here than on points.
    let shift = Fr::root_of_unity(CELLS_SCALE)?.pow_vartime(CELLS_PER_BLOB as u64 + 1);
    let mut factor = settings.compute.cells_inverse;
    let factors: [Fr; CELLS_PER_EXT_BLOB] = std::array::from_fn(|i| {
        let this = factor;
        factor *= shift;
        // Remainders of the first cells are divided by 64; these cells have the even i.
        if reverse(i, CELLS_SCALE) < CELLS_PER_BLOB {
            this * Fr::from(FIELD_ELEMENTS_PER_CELL as u64)
        } else {
            this
        }
    });
    let mut scalars: Vec<Vec<Fr>> =
        blobs.iter().map(|_| vec![Fr::zero(); FIELD_ELEMENTS_PER_EXT_BLOB]).collect();
    let extended = blobs.iter().filter_map(|blob| Some((&blob.half, &blob.extension.as_ref()?.others)));
    let pieces = extended.zip(&mut scalars).flat_map(|(remainders, scalars)| {
        let parts = scalars.chunks_exact_mut(GROUPS * FIELD_ELEMENTS_PER_CELL).enumerate();
        parts.map(move |(piece, scalars)| (remainders, piece * GROUPS, scalars))
    });
    let cost = GROUPS * FIELD_ELEMENTS_PER_CELL * FR_PRODUCT;
    for_each(rt, pieces.collect(), cost, |((half, others), first, scalars)| {
        for (i, scalars) in scalars.chunks_exact_mut(FIELD_ELEMENTS_PER_CELL).enumerate() {
            let cell = reverse(first + i, CELLS_SCALE);
            let rows = if cell < CELLS_PER_BLOB { half } else { others };
            let row = &rows[cell % CELLS_PER_BLOB * FIELD_ELEMENTS_PER_CELL..][..FIELD_ELEMENTS_PER_CELL];
            scalars
                .iter_mut()
                .zip(row.iter().rev())
                .for_each(|(scalar, x)| *scalar = *x * factors[first + i]);
        }
    });
    Ok(scalars)
}

/// Computes the proofs from the 128 sums of each blob. Halves of the list run on the first runtime, the transforms of a
/// blob on the second.
fn transform_all(
    (rt, of_one): (&dyn Runtime, &dyn Runtime),
    settings: &Settings,
    products: &[G1],
    proofs: &mut [Result<Vec<Proof>, Error>],
) {
    if let [proofs] = proofs {
        *proofs = transform(of_one, settings, products);
    } else if !proofs.is_empty() {
        let cost = proofs.len() * 2 * settings.compute.cells_domain.cost::<G1>(CELLS_PER_EXT_BLOB);
        let (first, second) = proofs.split_at_mut(proofs.len() / 2);
        let (first_products, second_products) = products.split_at(first.len() * CELLS_PER_EXT_BLOB);
        join(
            rt,
            cost,
            || transform_all((rt, of_one), settings, first_products, first),
            || transform_all((rt, of_one), settings, second_products, second),
        );
    }
}

fn transform(rt: &dyn Runtime, settings: &Settings, products: &[G1]) -> Result<Vec<Proof>, Error> {
    let domain = &settings.compute.cells_domain;
    // The inverse transform is the forward one with its output reversed. Only the first 63 elements are h.
    let mut sums = vec![G1::identity(); CELLS_PER_EXT_BLOB];
    domain.fft(rt, Decomposition::Iterative, products, &mut sums)?;
    let mut h = vec![G1::identity(); CELLS_PER_EXT_BLOB];
    for i in 0..CELLS_PER_BLOB - 1 {
        h[i] = sums[(CELLS_PER_EXT_BLOB - i) % CELLS_PER_EXT_BLOB];
    }
    domain.fft(rt, Decomposition::Iterative, &h, &mut sums)?;
    let proofs: Vec<G1> = (0..CELLS_PER_EXT_BLOB).map(|cell| sums[reverse(cell, CELLS_SCALE)]).collect();
    Ok(G1::compress_all(&proofs))
}
