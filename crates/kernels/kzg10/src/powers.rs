//! Powers of a secret in both groups: the setup of the scheme.

use std::fmt;

use parcrypt_bls12_381::msm::{g1_multiples_vartime, g2_multiples_vartime};
use parcrypt_bls12_381::{Fr, G1Affine, G2Affine};
use parcrypt_runtime::Runtime;

use crate::Error;

/// Powers of a secret in both groups: g1\[i\] = τ^i·G₁, g2\[i\] = τ^i·G₂.
///
/// The powers of [`PowersOfTau::insecure`] are for tests only.
#[derive(Clone, PartialEq, Eq)]
pub struct PowersOfTau {
    /// τ^i·G₁ for i from 0.
    pub g1: Vec<G1Affine>,
    /// τ^i·G₂ for i from 0.
    pub g2: Vec<G2Affine>,
}

impl PowersOfTau {
    /// Returns `n1` powers in G1 and `n2` in G2 of a secret that the caller knows. **Insecure**: with the secret
    /// anything can be proved. For tests only.
    ///
    /// About 25 µs a point of G1 and 70 µs a point of G2 on one thread.
    ///
    /// # Errors
    /// [`Error::Memory`] where the powers cannot be allocated.
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, G1, G1Affine};
    /// use parcrypt_kzg10::PowersOfTau;
    /// let powers = PowersOfTau::insecure(&parcrypt_runtime::Serial, Fr::from(3), 4, 2)?;
    /// assert_eq!(G1::from(powers.g1[2]), G1::generator() * Fr::from(9));
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    pub fn insecure(rt: &dyn Runtime, secret: Fr, n1: usize, n2: usize) -> Result<Self, Error> {
        let most = n1.max(n2);
        let mut powers = Vec::new();
        let bytes = (most as u64).saturating_mul(size_of::<Fr>() as u64);
        powers.try_reserve_exact(most).map_err(|_| Error::Memory { bytes })?;
        powers.extend(std::iter::successors(Some(Fr::one()), |power| Some(*power * secret)).take(most));
        Ok(PowersOfTau {
            g1: g1_multiples_vartime(rt, &powers[..n1]),
            g2: g2_multiples_vartime(rt, &powers[..n2]),
        })
    }
}

impl fmt::Debug for PowersOfTau {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PowersOfTau({} in G1, {} in G2)", self.g1.len(), self.g2.len())
    }
}
