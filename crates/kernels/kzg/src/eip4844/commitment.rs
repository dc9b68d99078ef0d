//! Commitments to blobs.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_runtime::{Runtime, enter};

use crate::batch::one;
use crate::bytes;
use crate::costs;
use crate::error::Error;
use crate::{Commitment, Settings};

/// Returns the commitment to a blob: Σ value_i · L_i(τ)·G1.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob.
///
/// ```
/// use parcrypt_kzg::{Request, BYTES_PER_BLOB, Settings, blob_to_kzg_commitment};
/// let settings = Settings::mainnet(Request::Auto)?;
/// let mut blob = vec![0; BYTES_PER_BLOB];
/// let commitment = blob_to_kzg_commitment(&parcrypt_runtime::Serial, &settings, &blob)?;
/// assert_eq!(commitment[0], 0xc0, "the polynomial 0 has the point at infinity");
///
/// blob[32] = 0xff;
/// let error = blob_to_kzg_commitment(&parcrypt_runtime::Serial, &settings, &blob).unwrap_err();
/// assert_eq!(error.to_string(), "blob 0: field element 1 is not below the modulus");
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
pub fn blob_to_kzg_commitment(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
) -> Result<Commitment, Error> {
    enter(rt, costs::commitments(settings, 1), || {
        let values = one(bytes::blobs(rt, settings, 0, &[blob]))?;
        Ok(commit(rt, settings, &[values])?[0])
    })
}

/// Returns the commitments to polynomials, given by their values at the points of a blob.
pub(crate) fn commit(
    rt: &dyn Runtime,
    settings: &Settings,
    values: &[Vec<Fr>],
) -> Result<Vec<[u8; 48]>, Error> {
    let lists: Vec<&[Fr]> = values.iter().map(Vec::as_slice).collect();
    Ok(G1::compress_all(&settings.lagrange()?.msm_vartime(rt, &lists)?))
}
