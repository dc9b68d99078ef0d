//! The definition of the KZG workloads by the coefficients of polynomials, which no fast path uses.

use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request, bit_reversal, dispatch, msm};
use parcrypt_kzg::{BYTES_PER_BLOB, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_CELL, Proof, Settings};
use parcrypt_runtime::Serial;

use super::inputs::elements;
use super::task::settings;
use crate::workload::{Error, filled};

/// Returns the coefficients of a blob's polynomial.
pub(super) fn coefficients(blob: &[u8]) -> Result<Vec<Fr>, Error> {
    let values = elements(blob)?;
    let scale = values.len().ilog2();
    let in_order: Vec<Fr> = (0..values.len()).map(|i| values[bit_reversal::reverse(i, scale)]).collect();
    let mut coefficients = filled(in_order.len())?;
    let domain = Domain::new(Request::Baseline, scale)?;
    domain.inverse_fft(&Serial, Decomposition::Iterative, &in_order, &mut coefficients)?;
    Ok(coefficients)
}

/// Returns the commitment to a polynomial, by the powers of the secret.
pub(super) fn by_monomials(settings: &Settings, coefficients: &[Fr]) -> Result<Proof, Error> {
    let points = &settings.g1_monomial()[..coefficients.len()];
    let row = dispatch::select(Request::Baseline)?;
    Ok(msm::msm_vartime(&Serial, row, points, coefficients)?.to_compressed())
}

/// Returns the quotient of a polynomial by X^degree − constant, without the remainder.
pub(super) fn divided(coefficients: &[Fr], degree: usize, constant: Fr) -> Vec<Fr> {
    let len = coefficients.len().saturating_sub(degree);
    let mut quotient = vec![Fr::zero(); len];
    for i in (0..len).rev() {
        let above = quotient.get(i + degree).copied().unwrap_or_default();
        quotient[i] = coefficients[i + degree] + constant * above;
    }
    quotient
}

/// Returns the values of a blob's polynomial at twice as many points: its cells, concatenated.
pub(super) fn extended(blob: &[u8]) -> Result<Vec<u8>, Error> {
    let mut coefficients = coefficients(blob)?;
    let len = 2 * coefficients.len();
    coefficients.resize(len, Fr::zero());
    let mut values = filled(len)?;
    let domain = Domain::new(Request::Baseline, len.ilog2())?;
    domain.fft(&Serial, Decomposition::Iterative, &coefficients, &mut values)?;
    Ok((0..len).flat_map(|i| Fr::to_bytes(&values[bit_reversal::reverse(i, len.ilog2())])).collect())
}

/// Returns cells and proofs. The proof of a cell commits to the quotient by X^64 − h^64, where h is the evaluation
/// point of the cell's first value.
pub(super) fn extended_and_proven(blobs: &[u8]) -> Result<Vec<u8>, Error> {
    const SCALE: u32 = (CELLS_PER_EXT_BLOB * FIELD_ELEMENTS_PER_CELL).ilog2();
    let settings = settings(&Serial, &Request::Baseline.into(), 0)?;
    let root = Fr::root_of_unity(SCALE)?;
    let mut output = Vec::new();
    for blob in blobs.chunks(BYTES_PER_BLOB) {
        output.extend(extended(blob)?);
        let coefficients = coefficients(blob)?;
        for cell in 0..CELLS_PER_EXT_BLOB {
            let first = bit_reversal::reverse(cell * FIELD_ELEMENTS_PER_CELL, SCALE);
            let constant = root.pow_vartime((first * FIELD_ELEMENTS_PER_CELL) as u64);
            let quotient = divided(&coefficients, FIELD_ELEMENTS_PER_CELL, constant);
            output.extend(by_monomials(&settings, &quotient)?);
        }
    }
    Ok(output)
}
