//! Verification of proofs, one or a batch, in the names of `verify_kzg_proof_batch` of the specification. A wrong proof
//! is decided by the pairing equation at the end of [`quotient`].
//!
//! `r_powers` are independent random factors with half of the digits, not powers of one number r.
//!
//! [`enter`] decides by [`Settings::verify_blobs_cost`] or [`Settings::verify_proofs_cost`] whether the batch enters
//! the runtime. Each part (evaluating the blobs, reading the points, the sums) then goes parallel if its own cost is
//! worth it.

#[cfg(test)]
mod tests;

use parcrypt_bls12_381::Error::NotCanonicalAt;
use parcrypt_bls12_381::msm::msm_few_vartime;
use parcrypt_bls12_381::pairing::{Gt, multi_pairing};
use parcrypt_bls12_381::{Fr, G1, G1Affine};
use parcrypt_runtime::{Runtime, Serial, enter, map};

use super::challenge::{Evaluation, Hashed, batch_hash, challenges, random_factors};
use crate::Settings;
use crate::batch::{Scalars, Sum, msm_pair};
use crate::bytes;
use crate::error::{Error, Input};

/// Returns whether the committed polynomial has the value y at z: e(C − y·G1 + z·π, G2) · e(−π, τ·G2) = 1.
///
/// It is `verify_kzg_proof` of [the specification](https://github.com/ethereum/consensus-specs/blob/master/specs/deneb/polynomial-commitments.md#verify_kzg_proof).
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are not points or field elements. Of
/// several errors, the first in the order commitment, proof, z, y.
pub fn verify_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    commitment: &[u8],
    z: &[u8],
    y: &[u8],
    proof: &[u8],
) -> Result<bool, Error> {
    verify_kzg_proof_batch(rt, settings, &[commitment], &[z], &[y], &[proof])
}

/// Returns whether each committed polynomial has its value y at its point z, by its proof; `true` for no proofs.
///
/// One product of two pairings verifies all: the claims are added up with factors that depend on all of them, as in
/// [the specification](https://github.com/ethereum/consensus-specs/blob/master/specs/deneb/polynomial-commitments.md#verify_kzg_proof_batch).
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; the errors of [`verify_kzg_proof`] for the first item that has
/// one.
pub fn verify_kzg_proof_batch(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&[u8]],
    zs: &[&[u8]],
    ys: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, Error> {
    same_length(commitments, zs, ys, proofs)?;
    if proofs.is_empty() {
        return Ok(true);
    }
    enter(rt, settings.verify_proofs_cost(proofs.len()), || {
        let claims = read_openings(rt, settings, [commitments, zs, ys, proofs]);
        let claims = claims.into_iter().collect::<Result<Vec<_>, Error>>()?;
        claims_hold(rt, settings, &claims, &factors(&claims, commitments, proofs))
    })
}

/// Returns an error if the lists of commitments, points, values and proofs differ in length.
pub(super) fn same_length(
    commitments: &[&[u8]],
    zs: &[&[u8]],
    ys: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<(), Error> {
    let lists = [(Input::Z, zs), (Input::Y, ys), (Input::Proof, proofs)];
    lists.into_iter().try_for_each(|(what, list)| bytes::count(what, commitments.len(), list.len()))
}

/// Parses the lists of a batch, and returns the first error of each item in the order commitment, proof, z, y.
pub(super) fn read_openings(
    rt: &dyn Runtime,
    settings: &Settings,
    [commitments, zs, ys, proofs]: [&[&[u8]]; 4],
) -> Vec<Result<Claim, Error>> {
    let n = commitments.len();
    let given = bytes::numbered(Input::Commitment, commitments).chain(bytes::numbered(Input::Proof, proofs));
    let (mut points, ()) = bytes::each_point(rt, settings, given, || ());
    let proofs = points.split_off(n);
    let claims = points.into_iter().zip(proofs).enumerate().map(|(i, (commitment, proof))| {
        let (commitment, proof) = (commitment?, proof?);
        let (z, y) = (bytes::element(Input::Z, i, zs[i])?, bytes::element(Input::Y, i, ys[i])?);
        Ok(Claim { commitment, z, y, proof })
    });
    claims.collect()
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
/// One product of two pairings verifies all: the claims are added up with factors that depend on all of them, as in
/// [the specification](https://github.com/ethereum/consensus-specs/blob/master/specs/deneb/polynomial-commitments.md#verify_blob_kzg_proof_batch).
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
    enter(rt, settings.verify_blobs_cost(n), || {
        // Step 1: the points, and the evaluation of each polynomial at its challenge.
        let evaluate = |rt: &dyn Runtime| evaluate_at_challenges(rt, settings, blobs, commitments);
        let given =
            bytes::numbered(Input::Commitment, commitments).chain(bytes::numbered(Input::Proof, proofs));
        // A single blob is work for one thread; others read its points meanwhile.
        let (points, evaluations) = if n == 1 {
            let (points, evaluations) = bytes::points(rt, settings, given, || evaluate(&Serial));
            (points, evaluations?)
        } else {
            let evaluations = evaluate(rt)?;
            (bytes::points(rt, settings, given, || ()).0, evaluations)
        };
        let points = points?;
        let points = points[..n].iter().zip(&points[n..]);
        let claims = evaluations
            .iter()
            .zip(points)
            .map(|(&Evaluation { z, y }, (&commitment, &proof))| Claim { commitment, z, y, proof });
        let claims: Vec<Claim> = claims.collect();
        // Step 2: a random factor for each claim, which all claims determine, instead of a power of r.
        let r_powers = factors(&claims, commitments, proofs);
        // Step 3: the sum of all claims.
        claims_hold(rt, settings, &claims, &r_powers)
    })
}

/// Returns the challenge of each blob, and its polynomial's value there; the first error if there is one.
fn evaluate_at_challenges(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
) -> Result<Vec<Evaluation>, Error> {
    evaluate_each(rt, settings, blobs, commitments).into_iter().collect()
}

/// Does what [`evaluate_at_challenges`] does, and returns the result of each blob.
pub(super) fn evaluate_each(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
) -> Vec<Result<Evaluation, Error>> {
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
        Ok::<_, Error>(Evaluation { z, y: y? })
    };
    let at_once = settings.challenges_at_once(rt.threads(), n);
    let cost = settings.evaluations_cost(at_once);
    let values = map(rt, n.div_ceil(at_once), cost, |group| {
        let group = group * at_once..n.min((group + 1) * at_once);
        let inputs: Vec<Result<Hashed, Error>> = group.clone().map(read).collect();
        let hashed: Vec<Hashed> = inputs.iter().flatten().copied().collect();
        let mut challenges = challenges(settings.rows.sha256, &hashed).into_iter();
        let values = group.zip(inputs).map(|(i, input)| {
            let input = input?;
            let z = challenges.next().unwrap_or_else(|| unreachable!("each input has a challenge"));
            value(i, input, z)
        });
        values.collect::<Vec<_>>()
    });
    values.into_iter().flatten().collect()
}

/// The claim that a committed polynomial has the value y at z, with its proof.
pub(super) struct Claim {
    pub(super) commitment: G1Affine,
    pub(super) z: Fr,
    pub(super) y: Fr,
    pub(super) proof: G1Affine,
}

/// Returns the random factors of claims, whose points have these bytes.
pub(super) fn factors(claims: &[Claim], commitments: &[&[u8]], proofs: &[&[u8]]) -> Vec<Fr> {
    let values: Vec<Evaluation> = claims.iter().map(|&Claim { z, y, .. }| Evaluation { z, y }).collect();
    random_factors(&batch_hash(&values, commitments, proofs), claims.len())
}

/// Returns whether e(proof_lincomb, τ·G2) = e(C_minus_y_lincomb + proof_z_lincomb, G2), the equation of [`quotient`].
pub(super) fn claims_hold(
    rt: &dyn Runtime,
    settings: &Settings,
    claims: &[Claim],
    r_powers: &[Fr],
) -> Result<bool, Error> {
    let claims: Vec<&Claim> = claims.iter().collect();
    Ok(quotient(rt, settings, &claims, r_powers)? == Gt::one())
}

/// Returns e(C_minus_y_lincomb + proof_z_lincomb, G2) / e(proof_lincomb, τ·G2), where proof_lincomb is Σ r^i·π_i,
/// C_minus_y_lincomb is Σ r^i·(C_i − y_i·G1), and proof_z_lincomb is Σ r^i·z_i·π_i. The last two are one sum.
pub(super) fn quotient(
    rt: &dyn Runtime,
    settings: &Settings,
    claims: &[&Claim],
    r_powers: &[Fr],
) -> Result<Gt, Error> {
    let (c_minus_y_plus_proof_z, proof_lincomb) = if let [Claim { commitment, z, y, proof }] = claims
        && r_powers == [Fr::one()]
    {
        let points = [*proof, G1Affine::generator()];
        let sum = msm_few_vartime(settings.rows.fp, &points, &[*z, -*y])?;
        (sum + *commitment, G1::from(*proof))
    } else {
        let mut points = vec![G1Affine::generator()];
        let mut scalars = vec![Fr::zero()];
        for (claim, r_power) in claims.iter().zip(r_powers) {
            scalars[0] -= claim.y * *r_power;
            points.extend([claim.commitment, claim.proof]);
            scalars.extend([*r_power, claim.z * *r_power]);
        }
        let proofs: Vec<G1Affine> = claims.iter().map(|claim| claim.proof).collect();
        let first = Sum { points: &points, scalars: &scalars, length: Scalars::Full };
        let second = Sum { points: &proofs, scalars: r_powers, length: Scalars::Random };
        msm_pair(rt, settings.rows.fp, first, second)?.into()
    };
    let affine = G1::batch_to_affine(&[c_minus_y_plus_proof_z, -proof_lincomb]);
    let prepared = &settings.prepared;
    let pairs = [(affine[0], &prepared.generator), (affine[1], &prepared.secret)];
    Ok(multi_pairing(rt, settings.rows.pairing, &pairs)?)
}
