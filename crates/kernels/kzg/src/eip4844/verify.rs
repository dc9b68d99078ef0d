//! Verification of proofs, one or a batch.

#[cfg(test)]
mod tests;

use parcrypt_bls12_381::Error::NotCanonicalAt;
use parcrypt_bls12_381::msm::msm_few_vartime;
use parcrypt_bls12_381::{Fr, G1, G1Affine, pairing};
use parcrypt_runtime::{Cost, Runtime, Serial, enter, map};

use super::challenge::{Hashed, batch_hash, challenges, random_factors};
use crate::Settings;
use crate::batch::{Scalars, Sum, msm_pair};
use crate::bytes;
use crate::error::{Error, Input};

/// Returns whether the committed polynomial has the value y at z: e(C − y·G1 + z·π, G2) · e(−π, τ·G2) = 1.
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are not points or field elements. Of
/// several, that of the first in the order commitment, proof, z, y.
pub fn verify_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    commitment: &[u8],
    z: &[u8],
    y: &[u8],
    proof: &[u8],
) -> Result<bool, Error> {
    let given = [(Input::Commitment, 0, commitment), (Input::Proof, 0, proof)];
    let elements = || Ok::<_, Error>((bytes::element(Input::Z, z)?, bytes::element(Input::Y, y)?));
    let (points, elements) = bytes::points(rt, settings, given.into_iter(), elements);
    let (points, (z, y)) = (points?, elements?);
    let claim = Claim { commitment: points[0], z, y, proof: points[1] };
    verify_claims(rt, settings, &[claim], &[Fr::one()])
}

/// Returns whether a commitment is the commitment to a blob, by its proof.
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are not a blob or points.
pub fn verify_blob_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    commitment: &[u8],
    proof: &[u8],
) -> Result<bool, Error> {
    verify_blob_kzg_proof_batch(rt, settings, &[blob], &[commitment], &[proof])
}

/// Returns whether each commitment is the commitment to its blob, by its proof; `true` for no blobs.
///
/// One product of two pairings verifies all: the claims are added up with factors that depend on all of them.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`]
/// for bytes that are not a blob or points.
pub fn verify_blob_kzg_proof_batch(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, Error> {
    bytes::count(Input::Commitment, blobs.len(), commitments.len())?;
    bytes::count(Input::Proof, blobs.len(), proofs.len())?;
    let n = blobs.len();
    if n == 0 {
        return Ok(true);
    }
    enter(rt, Cost::ns(settings.verify_blobs_ns(n)), || {
        let evaluate = |rt: &dyn Runtime| evaluate_at_challenges(rt, settings, blobs, commitments);
        let given =
            bytes::numbered(Input::Commitment, commitments).chain(bytes::numbered(Input::Proof, proofs));
        // A single blob is work for one thread; others read its points meanwhile.
        let (points, values) = if n == 1 {
            let (points, values) = bytes::points(rt, settings, given, || evaluate(&Serial));
            (points, values?)
        } else {
            let values = evaluate(rt)?;
            (bytes::points(rt, settings, given, || ()).0, values)
        };
        let mut points = points?;
        let opened = points.split_off(n);
        let factors = random_factors(&batch_hash(&values, commitments, proofs), n);
        let claims = values.into_iter().zip(points.into_iter().zip(opened));
        let claims = claims.map(|((z, y), (commitment, proof))| Claim { commitment, z, y, proof });
        verify_claims(rt, settings, &claims.collect::<Vec<_>>(), &factors)
    })
}

/// Returns the challenge of each blob, and its polynomial's value there.
fn evaluate_at_challenges(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
) -> Result<Vec<(Fr, Fr)>, Error> {
    let n = blobs.len();
    let read = |i: usize| {
        let commitment = bytes::array(Input::Commitment, i, commitments[i]);
        Ok::<Hashed, Error>((bytes::array(Input::Blob, i, blobs[i])?, commitment?))
    };
    let value = |i: usize, (blob, _): Hashed, z: Fr| {
        let y = settings.evaluator.evaluate(blob.as_chunks().0, z).map_err(|error| match error {
            NotCanonicalAt { index: element } => Error::NotCanonical { what: Input::Blob, index: i, element },
            other => Error::Arithmetic(other),
        });
        Ok::<_, Error>((z, y?))
    };
    let at_once = settings.challenges_at_once(rt.threads(), n);
    let cost = Cost::ns(settings.evaluations_ns(at_once));
    let values = map(rt, n.div_ceil(at_once), cost, |group| {
        let group = group * at_once..n.min((group + 1) * at_once);
        // Blobs after one of another length cannot have the first error.
        let mut hashed = Vec::with_capacity(group.len());
        let lengths = group.clone().try_for_each(|i| {
            hashed.push(read(i)?);
            Ok(())
        });
        let challenges = challenges(settings.rows.sha256, &hashed);
        let values = group.zip(hashed.into_iter().zip(challenges));
        let values: Vec<_> = values.map(|(i, (hashed, z))| value(i, hashed, z)).collect::<Result<_, _>>()?;
        lengths.map(|()| values)
    });
    values.into_iter().collect::<Result<Vec<_>, _>>().map(|values| values.concat())
}

/// The claim that a committed polynomial has the value y at z, with its proof.
struct Claim {
    commitment: G1Affine,
    z: Fr,
    y: Fr,
    proof: G1Affine,
}

/// Returns whether e(Σ f_i·(C_i − y_i·G1 + z_i·π_i), G2) · e(−Σ f_i·π_i, τ·G2) = 1.
fn verify_claims(
    rt: &dyn Runtime,
    settings: &Settings,
    claims: &[Claim],
    factors: &[Fr],
) -> Result<bool, Error> {
    let (values, proofs) = if let [Claim { commitment, z, y, proof }] = claims {
        let points = [*proof, G1Affine::generator()];
        let sum = msm_few_vartime(settings.rows.fp, &points, &[*z, -*y])?;
        (sum + *commitment, G1::from(*proof))
    } else {
        let mut points = vec![G1Affine::generator()];
        let mut scalars = vec![Fr::zero()];
        for (claim, factor) in claims.iter().zip(factors) {
            scalars[0] -= claim.y * *factor;
            points.extend([claim.commitment, claim.proof]);
            scalars.extend([*factor, claim.z * *factor]);
        }
        let proofs: Vec<G1Affine> = claims.iter().map(|claim| claim.proof).collect();
        let first = Sum { points: &points, scalars: &scalars, length: Scalars::Full };
        let second = Sum { points: &proofs, scalars: factors, length: Scalars::Random };
        // The points have been checked, so there is a sum.
        let Some(sums) = msm_pair(rt, settings.rows.fp, first, second)? else { return Ok(false) };
        sums.into()
    };
    let sums = G1::batch_to_affine(&[values, -proofs]);
    let prepared = &settings.prepared;
    Ok(pairing::product_is_identity(
        rt,
        settings.rows.pairing,
        &[(sums[0], &prepared.generator), (sums[1], &prepared.secret)],
    ))
}
