//! Commitments, proofs at one point and on a coset, and their checks (Kate, Zaverucha and Goldberg, 2010).

use std::fmt;

use parcrypt_bls12_381::dispatch::{self, PAIRING_BACKENDS, PairingRow};
use parcrypt_bls12_381::msm::{g1_multiples_vartime, g2_multiples_vartime, msm_vartime};
use parcrypt_bls12_381::{Fr, G1Affine, G2Affine, G2Prepared, Request, pairing};
use parcrypt_runtime::Runtime;

use crate::fft::times_powers;
use crate::{Error, FftSettings, Polynomial, check_len};

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
    pub fn insecure(rt: &dyn Runtime, secret: Fr, n1: usize, n2: usize) -> Self {
        let mut powers = vec![Fr::one(); n1.max(n2)];
        times_powers(&mut powers, secret);
        let (g1, g2) = (g1_multiples_vartime(rt, &powers[..n1]), g2_multiples_vartime(rt, &powers[..n2]));
        PowersOfTau { g1, g2 }
    }
}

impl fmt::Debug for PowersOfTau {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PowersOfTau({} in G1, {} in G2)", self.g1.len(), self.g2.len())
    }
}

/// A setup, with roots of unity and with points of G2 prepared for pairings.
///
/// The points of commitments and proofs must be in the subgroup of order r, which
/// [`G1Affine::from_compressed`] checks and [`G1Affine::from_raw`] does not.
#[derive(Clone, Debug)]
pub struct KzgSettings {
    fft: FftSettings,
    powers: PowersOfTau,
    /// Pairings, by the request of the roots.
    row: &'static PairingRow,
    /// The generator of G2.
    h: G2Prepared,
}

impl KzgSettings {
    /// Returns settings of a setup. The roots of unity are for proofs on cosets only, of at most their number of
    /// points. The request for these is the one for pairings too, unless it names a backend that has none, for which
    /// the best one is selected.
    ///
    /// # Errors
    /// [`Error::SetupTooShort`] without a point in G1 or in G2.
    pub fn new(fft: FftSettings, powers: PowersOfTau) -> Result<Self, Error> {
        need("G1", 1, powers.g1.len())?;
        need("G2", 1, powers.g2.len())?;
        let h = powers.g2[0].prepare();
        let row = dispatch::select_pairing(match fft.request {
            Request::Exactly(backend) if !PAIRING_BACKENDS.contains(&backend) => Request::Auto,
            request => request,
        })?;
        Ok(KzgSettings { fft, powers, row, h })
    }

    /// Returns the commitment \[p(s)\]₁: a multi-scalar multiplication with a point for each coefficient.
    ///
    /// # Errors
    /// [`Error::SetupTooShort`] where the polynomial has more coefficients than the setup has powers.
    pub fn commit(&self, rt: &dyn Runtime, p: &Polynomial) -> Result<G1Affine, Error> {
        let c = p.coefficients();
        need("G1", c.len(), self.powers.g1.len())?;
        Ok(msm_vartime(rt, self.fft.domain.row(), &self.powers.g1[..c.len()], c)?.to_affine())
    }

    /// Returns the value y = p(x) and its proof, the commitment to (p − y) / (X − x).
    ///
    /// # Errors
    /// [`Error::SetupTooShort`] where the quotient has more coefficients than the setup has powers.
    pub fn prove(&self, rt: &dyn Runtime, p: &Polynomial, x: Fr) -> Result<(G1Affine, Fr), Error> {
        let (quotient, remainder) = p.div_rem_binomial(1, x);
        let y = remainder.coefficients().first().copied().unwrap_or_default();
        Ok((self.commit(rt, &quotient)?, y))
    }

    /// Returns whether the proof shows that the polynomial of the commitment has the value y at x.
    ///
    /// e(C − y·G + x·π, H) = e(π, s·H), by two Miller loops.
    ///
    /// # Errors
    /// [`Error::SetupTooShort`] where the setup has fewer than two points in G2.
    pub fn check(
        &self,
        rt: &dyn Runtime,
        commitment: &G1Affine,
        x: Fr,
        y: Fr,
        proof: &G1Affine,
    ) -> Result<bool, Error> {
        self.check_remainder(rt, commitment, (1, x), &[y], proof)
    }

    /// Returns the values of p at x·ω^i for i below n and the root ω of order n, and one proof of all of them: the
    /// commitment to the quotient of p by Xⁿ − xⁿ.
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, Request};
    /// use parcrypt_kzg10::{PowersOfTau, FftSettings, KzgSettings, Polynomial};
    /// let rt = &parcrypt_runtime::Serial;
    /// let powers = PowersOfTau::insecure(rt, Fr::from(1927), 8, 5);
    /// let settings = KzgSettings::new(FftSettings::new(Request::Auto, 2)?, powers)?;
    /// let p = Polynomial::new((1..=8).map(Fr::from).collect());
    /// let commitment = settings.commit(rt, &p)?;
    /// let (proof, mut ys) = settings.prove_multi(rt, &p, Fr::from(3), 4)?;
    /// assert!(settings.check_multi(rt, &commitment, Fr::from(3), &ys, &proof)?);
    /// ys[2] += Fr::one();
    /// assert!(!settings.check_multi(rt, &commitment, Fr::from(3), &ys, &proof)?);
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Bls`] where n is not a power of two up to the size of the roots, [`Error::ZeroFactor`] for x = 0,
    /// [`Error::SetupTooShort`] where the quotient has more coefficients than the setup has powers.
    pub fn prove_multi(
        &self,
        rt: &dyn Runtime,
        p: &Polynomial,
        x: Fr,
        n: usize,
    ) -> Result<(G1Affine, Vec<Fr>), Error> {
        check_len(n, self.fft.domain.size())?;
        if x == Fr::zero() {
            return Err(Error::ZeroFactor);
        }
        let (quotient, remainder) = p.div_rem_binomial(n, x.pow_vartime(n as u64));
        Ok((self.commit(rt, &quotient)?, remainder.scale(x).values(rt, &self.fft, n)?))
    }

    /// Returns whether the proof shows that the polynomial of the commitment has the value ys\[i\] at x·ω^i for all i
    /// below n = `ys.len()`, with the root ω of order n.
    ///
    /// e(C − I(s)·G + xⁿ·π, H) = e(π, sⁿ·H) for the polynomial I of degree below n that has these values, by two Miller
    /// loops.
    ///
    /// # Errors
    /// [`Error::Bls`] where n is not a power of two up to the size of the roots, [`Error::ZeroFactor`] for x = 0,
    /// [`Error::SetupTooShort`] where the setup has fewer than n points in G1 or n + 1 in G2.
    pub fn check_multi(
        &self,
        rt: &dyn Runtime,
        commitment: &G1Affine,
        x: Fr,
        ys: &[Fr],
        proof: &G1Affine,
    ) -> Result<bool, Error> {
        let inverse = x.inverse().ok_or(Error::ZeroFactor)?;
        let mut interpolation = self.fft.inverse_fft(rt, ys)?;
        times_powers(&mut interpolation, inverse);
        self.check_remainder(rt, commitment, (ys.len(), x), &interpolation, proof)
    }

    /// Returns whether the proof shows that p minus the polynomial with these n coefficients is a multiple of Xⁿ − xⁿ.
    fn check_remainder(
        &self,
        rt: &dyn Runtime,
        commitment: &G1Affine,
        (n, x): (usize, Fr),
        remainder: &[Fr],
        proof: &G1Affine,
    ) -> Result<bool, Error> {
        need("G2", n + 1, self.powers.g2.len())?;
        need("G1", n, self.powers.g1.len())?;
        // I(s)·G − C − xⁿ·π, to be paired with H; its product with e(π, sⁿ·H) has to be 1.
        let points = [&self.powers.g1[..n], &[*commitment, *proof]].concat();
        let scalars = [remainder, &[-Fr::one(), -x.pow_vartime(n as u64)]].concat();
        let left = msm_vartime(rt, self.fft.domain.row(), &points, &scalars)?.to_affine();
        let pairs = [(left, &self.h), (*proof, &self.powers.g2[n].prepare())];
        Ok(pairing::product_is_identity(rt, self.row, &pairs))
    }
}

/// Returns an error if there are fewer powers than needed.
pub(crate) fn need(group: &'static str, needed: usize, got: usize) -> Result<(), Error> {
    if got < needed { Err(Error::SetupTooShort { group, needed, got }) } else { Ok(()) }
}
