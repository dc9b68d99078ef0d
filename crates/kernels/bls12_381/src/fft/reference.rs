//! Reference for tests: the discrete Fourier transform by its definition, in n² multiplications.

use crate::fft::Element;
use crate::{Error, Fr};

/// Returns out\[i\] = Σ_j input\[j\] · ω^(i·j) for the root ω of order n of [`Fr::root_of_unity`].
///
/// # Errors
/// [`Error::Length`] if n is not a power of two up to 2^32.
pub fn dft<T: Element>(input: &[T]) -> Result<Vec<T>, Error> {
    sums(input, root(input.len())?)
}

/// Returns out\[i\] = n⁻¹ · Σ_j input\[j\] · ω^(−i·j), the inverse of [`dft`].
///
/// # Errors
/// As [`dft`].
pub fn inverse_dft<T: Element>(input: &[T]) -> Result<Vec<T>, Error> {
    // Neither ω nor n is 0 in Fr, so both have inverses.
    let inverse = |x: Fr| x.inverse().unwrap_or_default();
    let mut out = sums(input, inverse(root(input.len())?))?;
    let scale = inverse(Fr::from(input.len() as u64));
    out.iter_mut().for_each(|x| *x = *x * scale);
    Ok(out)
}

fn root(len: usize) -> Result<Fr, Error> {
    let most = 1_usize.checked_shl(Fr::TWO_ADICITY).unwrap_or(usize::MAX);
    if !len.is_power_of_two() || len > most {
        return Err(Error::Length { len, most });
    }
    Fr::root_of_unity(len.ilog2())
}

fn sums<T: Element>(input: &[T], root: Fr) -> Result<Vec<T>, Error> {
    let mut out = Vec::with_capacity(input.len());
    let mut root_to_i = Fr::one();
    for _ in input {
        let mut sum = T::default();
        let mut root_to_ij = Fr::one();
        for x in input {
            sum = sum + *x * root_to_ij;
            root_to_ij *= root_to_i;
        }
        out.push(sum);
        root_to_i *= root;
    }
    Ok(out)
}
