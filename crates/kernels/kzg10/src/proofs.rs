//! Commitments, proofs at one point and on a coset, and their checks (Kate, Zaverucha and Goldberg, 2010).

use std::sync::OnceLock;

use parcrypt_bls12_381::dispatch::{self, PAIRING_BACKENDS, PairingRow};
use parcrypt_bls12_381::msm::msm_vartime;
use parcrypt_bls12_381::{Fr, G1Affine, G2Prepared, Request, pairing};
use parcrypt_runtime::Runtime;

use crate::pieces::times_powers;
use crate::{Error, FftSettings, Group, Polynomial, PowersOfTau};

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
    /// At index k the power 2^k of the secret in G2, prepared when first needed: 13 kB each.
    secret: [OnceLock<G2Prepared>; Fr::TWO_ADICITY as usize + 1],
}

impl KzgSettings {
    /// Returns settings of a setup. The roots of unity are for proofs on cosets only, of at most their number of
    /// points. The request for these is the one for pairings too, unless it names a backend that has none, for which
    /// the best one is selected.
    ///
    /// # Errors
    /// [`Error::SetupTooShort`] without a point in G1 or in G2.
    pub fn new(fft: FftSettings, powers: PowersOfTau) -> Result<Self, Error> {
        need(Group::G1, 1, powers.g1.len())?;
        need(Group::G2, 1, powers.g2.len())?;
        let h = powers.g2[0].prepare();
        let row = dispatch::select_pairing(match fft.request {
            Request::Exactly(backend) if !PAIRING_BACKENDS.contains(&backend) => Request::Auto,
            request => request,
        })?;
        Ok(KzgSettings { fft, powers, row, h, secret: [const { OnceLock::new() }; _] })
    }

    /// Returns the commitment \[p(s)\]₁: a multi-scalar multiplication with a point for each coefficient.
    ///
    /// # Errors
    /// [`Error::SetupTooShort`] where the polynomial has more coefficients than the setup has powers.
    pub fn commit(&self, rt: &dyn Runtime, p: &Polynomial) -> Result<G1Affine, Error> {
        let c = p.coefficients();
        need(Group::G1, c.len(), self.powers.g1.len())?;
        Ok(msm_vartime(rt, self.fft.domain().row(), &self.powers.g1[..c.len()], c)?.to_affine())
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
        self.check_remainder(rt, commitment, (1, x), &Polynomial::new(vec![y]), proof)
    }

    /// Returns the values of p at x·ω^i for i below n and the root ω of order n, and one proof of all of them: the
    /// commitment to the quotient of p by Xⁿ − xⁿ.
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, Request};
    /// use parcrypt_kzg10::{PowersOfTau, FftSettings, KzgSettings, Polynomial};
    /// let rt = &parcrypt_runtime::Serial;
    /// let powers = PowersOfTau::insecure(rt, Fr::from(1927), 8, 5)?;
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
    /// [`Error::Length`] where n is not a power of two up to the size of the roots, [`Error::ZeroFactor`] for x = 0,
    /// [`Error::SetupTooShort`] where the quotient has more coefficients than the setup has powers.
    pub fn prove_multi(
        &self,
        rt: &dyn Runtime,
        p: &Polynomial,
        x: Fr,
        n: usize,
    ) -> Result<(G1Affine, Vec<Fr>), Error> {
        self.fft.check_len(n, 1)?;
        if x == Fr::zero() {
            return Err(Error::ZeroFactor);
        }
        let (quotient, remainder) = p.div_rem_binomial(n, x.pow_vartime(n as u64));
        Ok((self.commit(rt, &quotient)?, remainder.scale(rt, x).values(rt, &self.fft, n)?))
    }

    /// Returns whether the proof shows that the polynomial of the commitment has the value ys\[i\] at x·ω^i for all i
    /// below n = `ys.len()`, with the root ω of order n.
    ///
    /// e(C − I(s)·G + xⁿ·π, H) = e(π, sⁿ·H) for the polynomial I of degree below n that has these values, by two Miller
    /// loops. The first call for an n prepares sⁿ·H.
    ///
    /// # Errors
    /// [`Error::Length`] where n is not a power of two up to the size of the roots, [`Error::ZeroFactor`] for x = 0,
    /// [`Error::SetupTooShort`] where the setup has fewer than n points in G1 or n + 1 in G2.
    pub fn check_multi(
        &self,
        rt: &dyn Runtime,
        commitment: &G1Affine,
        x: Fr,
        ys: &[Fr],
        proof: &G1Affine,
    ) -> Result<bool, Error> {
        self.fft.check_len(ys.len(), 1)?;
        let inverse = x.inverse().ok_or(Error::ZeroFactor)?;
        let mut interpolation = self.fft.inverse_fft(rt, ys)?;
        times_powers(rt, &mut interpolation, inverse);
        self.check_remainder(rt, commitment, (ys.len(), x), &Polynomial::new(interpolation), proof)
    }

    /// Returns whether the proof shows that p − remainder is a multiple of Xⁿ − xⁿ, for n a power of two.
    fn check_remainder(
        &self,
        rt: &dyn Runtime,
        commitment: &G1Affine,
        (n, x): (usize, Fr),
        remainder: &Polynomial,
        proof: &G1Affine,
    ) -> Result<bool, Error> {
        need(Group::G2, n + 1, self.powers.g2.len())?;
        let c = remainder.coefficients();
        need(Group::G1, n, self.powers.g1.len())?;
        let secret_to_n = self.secret[n.ilog2() as usize].get_or_init(|| self.powers.g2[n].prepare());
        // I(s)·G − C − xⁿ·π, to be paired with H; its product with e(π, sⁿ·H) has to be 1.
        let mut points = self.powers.g1[..c.len()].to_vec();
        points.extend([*commitment, *proof]);
        let mut scalars = c.to_vec();
        scalars.extend([-Fr::one(), -x.pow_vartime(n as u64)]);
        let left = msm_vartime(rt, self.fft.domain().row(), &points, &scalars)?.to_affine();
        Ok(pairing::product_is_identity(rt, self.row, &[(left, &self.h), (*proof, secret_to_n)]))
    }
}

/// Returns an error if there are fewer powers than needed.
pub(crate) fn need(group: Group, needed: usize, got: usize) -> Result<(), Error> {
    if got < needed { Err(Error::SetupTooShort { group, needed, got }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use parcrypt_runtime::Serial;
    use parcrypt_testkit::backends;

    use super::*;

    #[test]
    fn pairings_are_those_of_the_request() {
        let pairings = |request| {
            let powers = PowersOfTau::insecure(&Serial, Fr::from(5), 2, 2).unwrap();
            KzgSettings::new(FftSettings::new(request, 1).unwrap(), powers).unwrap().row
        };
        let expected = |request| match request {
            Request::Exactly(backend) if !PAIRING_BACKENDS.contains(&backend) => {
                dispatch::select_pairing(Request::Auto).unwrap()
            }
            request => dispatch::select_pairing(request).unwrap(),
        };
        let all = backends("parcrypt-kzg10", dispatch::BACKENDS).into_iter().map(Request::Exactly);
        for request in all.chain([Request::Auto, Request::Baseline]) {
            assert!(std::ptr::eq(pairings(request), expected(request)), "{request:?}");
        }
    }
}
