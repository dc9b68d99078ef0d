//! All proofs of a polynomial in one batch (Feist and Khovratovich, 'Fast amortized KZG proofs', 2020, known as FK20).
//!
//! The proof for the coset whose points y have y^l = a is the commitment to the quotient of p by X^l − a, which is
//! Σ_j h_j·a^j with h_j = Σ_i p_(i + (j+1)·l)·\[s^i\]: points that depend on p alone. So the proofs for all a that are
//! roots of unity of an order are one transform of h over G1.
//!
//! For i = l·m + r, a sum over m for each r, h is a product of polynomials: with c_m = p_(l·m + r) and u_m =
//! \[s^(l·(k−2−m) + r)\], k = n/l, the coefficient k − 1 + j of c·u is Σ_m c_(m+j+1)·\[s^(l·m + r)\], the part of r in
//! h_j. Transforms of 2k elements contain all of c·u. The transforms of u depend on the setup only and are computed
//! once. The products of all r are added, which leaves one multi-scalar multiplication of l fixed points for each of
//! the 2k values, one inverse and one forward transform.

use parcrypt_bls12_381::{Decomposition, Domain, FixedMsm, Fr, G1, G1Affine, Request, bit_reversal};
use parcrypt_runtime::{Runtime, enter, map};

use crate::proofs::need;
use crate::{Error, Polynomial, PowersOfTau, check_len};

/// The fixed points for all proofs of polynomials with up to n coefficients, for cosets of l points; l = 1 means
/// single points.
///
/// They take 288·n bytes, or the caller's budget for tables where that is more.
///
/// ```
/// use parcrypt_bls12_381::{Fr, Request};
/// use parcrypt_kzg10::{PowersOfTau, FftSettings, Fk20, KzgSettings, Polynomial};
/// let rt = &parcrypt_runtime::Serial;
/// let powers = PowersOfTau::insecure(rt, Fr::from(1927), 8, 3);
/// let fk20 = Fk20::new(rt, Request::Auto, &powers, 8, 2, 0)?;
/// let p = Polynomial::new((1..=8).map(Fr::from).collect());
/// let proofs = fk20.proofs(rt, &p)?;
///
/// let settings = KzgSettings::new(FftSettings::new(Request::Auto, 4)?, powers)?;
/// let x = Fr::root_of_unity(4)?.pow_vartime(4);
/// assert_eq!(proofs[1], settings.prove_multi(rt, &p, x, 2)?.0, "1 is 4 with three bits reversed");
/// # Ok::<(), parcrypt_kzg10::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fk20 {
    /// Maximum number of coefficients.
    n: usize,
    /// Points of a coset.
    l: usize,
    /// Domain of the transforms of 2n/l elements.
    domain: Domain,
    /// For each of the 2n/l values, the values of u for all r.
    u_values: FixedMsm,
}

impl Fk20 {
    /// Computes the points for polynomials with up to n coefficients and cosets of l points, both powers of two, l ≤
    /// n. `budget` bounds the bytes of tables, as in [`FixedMsm::new`].
    ///
    /// l transforms of 2n/l points.
    ///
    /// # Errors
    /// [`Error::Bls`] where n or l is not as above, [`Error::SetupTooShort`] where the setup has fewer than n powers in
    /// G1, and those of [`Domain::new`] and [`FixedMsm::new`].
    pub fn new(
        rt: &dyn Runtime,
        request: Request,
        powers: &PowersOfTau,
        n: usize,
        l: usize,
        budget: usize,
    ) -> Result<Self, Error> {
        check_len(n, 1 << (Fr::TWO_ADICITY - 1))?;
        check_len(l, n)?;
        need("G1", n, powers.g1.len())?;
        let k = n / l;
        let domain = Domain::new(request, (2 * k).ilog2())?;
        let mut points = vec![G1Affine::identity(); 2 * n];
        let mut u = vec![G1::identity(); 2 * k];
        let mut values = u.clone();
        enter(rt, l * domain.cost::<G1>(2 * k), || {
            for r in 0..l {
                for (m, out) in u.iter_mut().take(k - 1).enumerate() {
                    *out = powers.g1[l * (k - 2 - m) + r].into();
                }
                domain.fft(rt, Decomposition::Iterative, &u, &mut values)?;
                let values = G1::batch_to_affine(&values);
                points[r..].iter_mut().step_by(l).zip(values).for_each(|(point, value)| *point = value);
            }
            let u_values = FixedMsm::new(rt, domain.backend().into(), &points, 2 * k, budget)?;
            Ok(Fk20 { n, l, domain, u_values })
        })
    }

    /// Returns the 2n/l proofs at the roots of unity of order 2n (`fk20_single_da`, `fk20_multi_da`), for data
    /// availability.
    ///
    /// In [bit-reversed order](bit_reversal): in the 2n values of p in that order, proof i belongs to the l values from
    /// i·l on. They are the values on the coset x·ω^j, j below l in bit-reversed order, with ω the root of order l and
    /// x the root of order 2n to the power i′, which is i with its log₂(2n/l) bits reversed.
    ///
    /// 2n/l multi-scalar multiplications with l points, and two transforms of 2n/l points.
    ///
    /// # Errors
    /// [`Error::TooManyCoefficients`] above n.
    pub fn proofs(&self, rt: &dyn Runtime, p: &Polynomial) -> Result<Vec<G1Affine>, Error> {
        if p.coefficients().len() > self.n {
            return Err(Error::TooManyCoefficients { len: p.coefficients().len(), most: self.n });
        }
        let k = self.n / self.l;
        enter(rt, self.domain.cost::<G1>(2 * k), || {
            let scalars = self.c_values(rt, p)?;
            let products = self.u_values.msm_vartime(rt, &[&scalars])?;
            let mut c_times_u = vec![G1::identity(); 2 * k];
            self.domain.inverse_fft(rt, Decomposition::Iterative, &products, &mut c_times_u)?;
            let mut h = c_times_u[k - 1..2 * k - 1].to_vec();
            h.resize(2 * k, G1::identity());
            let mut proofs = vec![G1::identity(); h.len()];
            self.domain.fft(rt, Decomposition::Iterative, &h, &mut proofs)?;
            let mut proofs = G1::batch_to_affine(&proofs);
            bit_reversal::permute(&mut proofs);
            Ok(proofs)
        })
    }

    /// Returns the values of c for all r, in the order of the points: the values for one root of unity are adjacent.
    fn c_values(&self, rt: &dyn Runtime, p: &Polynomial) -> Result<Vec<Fr>, Error> {
        let (l, len) = (self.l, 2 * self.n / self.l);
        // A single transform is not a task of its own, so it is parallel inside.
        let all = map(rt, l, self.domain.cost::<Fr>(len), |r| {
            let mut c: Vec<Fr> = p.coefficients().iter().skip(r).step_by(l).copied().collect();
            c.resize(len, Fr::zero());
            let mut values = vec![Fr::zero(); len];
            self.domain.fft(rt, Decomposition::Iterative, &c, &mut values).map(|()| values)
        });
        let mut scalars = vec![Fr::zero(); 2 * self.n];
        for (r, values) in all.into_iter().enumerate() {
            scalars[r..].iter_mut().step_by(l).zip(values?).for_each(|(scalar, value)| *scalar = value);
        }
        Ok(scalars)
    }
}
