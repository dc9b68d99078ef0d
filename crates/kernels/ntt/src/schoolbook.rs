//! Products by their definition, for any modulus, prime or not. Their time depends on the operands.

use crate::{Convolution, Error};

/// Returns the product of two polynomials modulo `modulus` and X^n − 1 or X^n + 1, where n is the length of both:
/// schoolbook, n² multiplications. Coefficient i belongs to X^i; the product's are below the modulus.
///
/// ```
/// use parcrypt_ntt::{Convolution, schoolbook};
///
/// // (1 + 2X)(3 + 4X) = 3 + 10X + 8X², and X² = −1.
/// assert_eq!(schoolbook::product_vartime(17, Convolution::Negacyclic, &[1, 2], &[3, 4])?, [12, 10]);
/// # Ok::<(), parcrypt_ntt::Error>(())
/// ```
///
/// # Errors
/// [`Error::ModulusTooLarge`] from 2^31 on, [`Error::NotPrime`] for the modulus 0, [`Error::Length`] if the lengths
/// differ, [`Error::NotReduced`] for coefficients that are not below the modulus.
pub fn product_vartime(
    modulus: u32,
    convolution: Convolution,
    a: &[u32],
    b: &[u32],
) -> Result<Vec<u32>, Error> {
    check(modulus, 0, a)?;
    check(modulus, 1, b)?;
    if a.len() != b.len() {
        return Err(Error::Length { operand: 1, expected: a.len(), got: b.len() });
    }
    let q = u128::from(modulus);
    // At most 2^64 terms below 2^62.
    let dot = |a: &[u32], b: &[u32]| -> u128 {
        a.iter().zip(b.iter().rev()).map(|(a, b)| u128::from(u64::from(*a) * u64::from(*b))).sum()
    };
    let coefficient = |k: usize| {
        let (low, wrapped) = (dot(&a[..=k], &b[..=k]), dot(&a[k + 1..], &b[k + 1..]) % q);
        let wrapped = if convolution == Convolution::Negacyclic { q - wrapped } else { wrapped };
        ((low + wrapped) % q) as u32
    };
    Ok((0..a.len()).map(coefficient).collect())
}

fn check(modulus: u32, operand: usize, coefficients: &[u32]) -> Result<(), Error> {
    match modulus {
        0 => return Err(Error::NotPrime { modulus }),
        1..0x8000_0000 => {}
        0x8000_0000.. => return Err(Error::ModulusTooLarge { modulus }),
    }
    match coefficients.iter().position(|x| *x >= modulus) {
        Some(index) => Err(Error::NotReduced { operand, index, modulus }),
        None => Ok(()),
    }
}
