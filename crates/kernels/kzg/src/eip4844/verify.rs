//! Verification of proofs, one or a batch, in the names of `verify_kzg_proof_batch` of the specification. A wrong proof
//! is decided by the pairing equation at the end of [`quotient`].
//!
//! `r_powers` are independent random factors with half of the digits, not powers of one number r.
//!
//! [`enter`] decides by [`costs::verify_blobs`] or [`costs::verify_proof`] whether the batch enters the runtime. Each
//! part (evaluating the blobs, reading the points, the sums) then goes parallel if its own cost is worth it.

#[cfg(all(test, feature = "compute"))]
mod tests;

use std::ops::Range;

use parcrypt_bls12_381::Error::NotCanonicalAt;
use parcrypt_bls12_381::msm::Scalars;
use parcrypt_bls12_381::pairing::{Gt, multi_pairing};
use parcrypt_bls12_381::{Fr, G1, G1Affine};
use parcrypt_runtime::{Runtime, Serial, enter, map};

use super::challenge::{Evaluation, Hashed, batch_hash, challenges, random_factors};
use crate::Settings;
use crate::bytes;
use crate::costs;
use crate::error::{Error, Input};
use crate::find_wrong::{WrongItem, wrong_items};
use crate::sums::{Sum, msm, msm_pair};

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
    enter(rt, costs::verify_proof(&settings.rows), || {
        let given = [(Input::Commitment, 0, commitment), (Input::Proof, 0, proof)].into_iter();
        let points = bytes::points(rt, settings, given, || ()).0?;
        let (z, y) = (bytes::element(Input::Z, 0, z)?, bytes::element(Input::Y, 0, y)?);
        let claim = Claim { commitment: points[0], z, y, proof: points[1] };
        Ok(quotient(rt, settings, &[claim], &[Fr::one()])? == Gt::one())
    })
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
    enter(rt, costs::verify_blobs(settings, n), || {
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
        Ok(quotient(rt, settings, &claims, &r_powers)? == Gt::one())
    })
}

/// Returns the blobs of a batch that are wrong, in rising order; none if [`verify_blob_kzg_proof_batch`] returns
/// `true`.
///
/// Each blob has the result that it has in a batch of its own, whatever the others are: malformed bytes, points outside
/// the group and proofs that do not verify are named, and the other blobs are judged.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length.
pub fn find_wrong_blobs(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<Vec<WrongItem>, Error> {
    let n = blobs.len();
    bytes::count(Input::Commitment, n, commitments.len())?;
    bytes::count(Input::Proof, n, proofs.len())?;
    if n == 0 {
        return Ok(Vec::new());
    }
    enter(rt, costs::verify_blobs(settings, n), || {
        let evaluations = evaluate_each(rt, settings, blobs, commitments);
        let given =
            bytes::numbered(Input::Commitment, commitments).chain(bytes::numbered(Input::Proof, proofs));
        let (mut points, ()) = bytes::each_point(rt, settings, given, || ());
        let proof_points = points.split_off(n);
        let (mut claims, mut claimed, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (value, points)) in
            evaluations.into_iter().zip(points.into_iter().zip(proof_points)).enumerate()
        {
            // In the order of the errors of a single blob.
            let claim = || {
                let Evaluation { z, y } = value?;
                Ok::<_, Error>(Claim { commitment: points.0?, z, y, proof: points.1? })
            };
            let claim = claim().map(|claim| claims.push(claim));
            if claim.is_ok() {
                claimed.push((commitments[i], proofs[i]));
            }
            errors.push(claim.err());
        }
        let (commitments, proofs): (Vec<_>, Vec<_>) = claimed.into_iter().unzip();
        let r_powers = factors(&claims, &commitments, &proofs);
        let product = |at: Range<usize>| quotient(rt, settings, &claims[at.clone()], &r_powers[at]);
        let of_all = product(0..claims.len())?;
        wrong_items(rt, costs::verify_proof(&settings.rows), errors, of_all, &product)
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
fn evaluate_each(
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
    let at_once = costs::challenges_at_once(settings, rt.threads(), n);
    let cost = costs::evaluations(settings, at_once);
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
struct Claim {
    commitment: G1Affine,
    z: Fr,
    y: Fr,
    proof: G1Affine,
}

/// Returns the random factors of claims, whose points have these bytes.
fn factors(claims: &[Claim], commitments: &[&[u8]], proofs: &[&[u8]]) -> Vec<Fr> {
    let values: Vec<Evaluation> = claims.iter().map(|&Claim { z, y, .. }| Evaluation { z, y }).collect();
    random_factors(&batch_hash(&values, commitments, proofs), claims.len())
}

/// Returns e(C_minus_y_lincomb + proof_z_lincomb, G2) / e(proof_lincomb, τ·G2), where proof_lincomb is Σ r^i·π_i,
/// C_minus_y_lincomb is Σ r^i·(C_i − y_i·G1), and proof_z_lincomb is Σ r^i·z_i·π_i. The last two are one sum.
fn quotient(rt: &dyn Runtime, settings: &Settings, claims: &[Claim], r_powers: &[Fr]) -> Result<Gt, Error> {
    let (c_minus_y_plus_proof_z, proof_lincomb) = if let [Claim { commitment, z, y, proof }] = claims
        && r_powers == [Fr::one()]
    {
        let points = [*proof, G1Affine::generator()];
        let sum = Sum { points: &points, scalars: &[*z, -*y], length: Scalars::Full };
        let sum = msm(rt, settings.rows.fp, sum)?;
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
        let second = Sum { points: &proofs, scalars: r_powers, length: Scalars::Half };
        msm_pair(rt, settings.rows.fp, first, second)?.into()
    };
    let affine = G1::batch_to_affine(&[c_minus_y_plus_proof_z, -proof_lincomb]);
    let prepared = &settings.prepared;
    let pairs = [(affine[0], &prepared.generator), (affine[1], &prepared.secret)];
    Ok(multi_pairing(rt, settings.rows.pairing, &pairs)?)
}
