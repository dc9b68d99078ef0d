//! Mainnet's setup from the crate `ekzg-trusted-setup`; `tests/setup.rs` uses this module too.

use ekzg_trusted_setup::TrustedSetup;
use parcrypt_bls12_381::{Decomposition, Domain, G1, Request};
use parcrypt_kzg::{Error, Settings};
use parcrypt_runtime::Runtime;

/// Returns the settings, with all checks. The crate has the powers of the secret; the Lagrange form is computed from
/// them.
pub(crate) fn settings(rt: &dyn Runtime) -> Result<Settings, Error> {
    let setup = TrustedSetup::default();
    let g1_monomial: Vec<[u8; 48]> = setup.g1_monomial.iter().map(|point| point.to_compressed()).collect();
    let g2_monomial: Vec<[u8; 96]> = setup.g2_monomial.iter().map(|point| point.to_compressed()).collect();

    let powers = g1_monomial.iter().map(G1::from_compressed).collect::<Result<Vec<G1>, _>>()?;
    let mut g1_lagrange = vec![G1::identity(); powers.len()];
    let domain = Domain::new(Request::Auto, powers.len().ilog2())?;
    domain.inverse_fft(rt, Decomposition::Iterative, &powers, &mut g1_lagrange)?;
    let g1_lagrange = G1::compress_all(&g1_lagrange);

    Settings::from_compressed(
        rt,
        Request::Auto,
        g1_monomial.as_flattened(),
        g1_lagrange.as_flattened(),
        g2_monomial.as_flattened(),
    )
}
