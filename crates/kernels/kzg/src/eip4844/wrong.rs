//! The wrong blobs, or proofs of single values, of a batch; [`crate::wrong`] has the search.

#[cfg(test)]
mod tests;

use std::ops::Range;

use parcrypt_bls12_381::Fr;
use parcrypt_bls12_381::pairing::Gt;
use parcrypt_runtime::{Runtime, Serial, enter, map};

use super::challenge::Evaluation;
use super::verify::{Claim, claims_hold, evaluate_each, factors, quotient, read_openings, same_length};
use crate::Settings;
use crate::bytes;
use crate::error::{Error, Input};
use crate::wrong::{Claims, Exponents, Reason, Search, WrongItem};

/// Returns the blobs of a batch that are wrong, in rising order; none if
/// [`verify_blob_kzg_proof_batch`](super::verify_blob_kzg_proof_batch) returns `true`.
///
/// Each blob has the result that it has in a batch of its own, whatever the others are: malformed bytes, points outside
/// the group and proofs that do not verify are named, and the other blobs are judged.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length.
pub fn verify_blob_kzg_proof_batch_which<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&'a [u8]],
    proofs: &[&'a [u8]],
) -> Result<Vec<WrongItem>, Error> {
    let n = blobs.len();
    bytes::count(Input::Commitment, n, commitments.len())?;
    bytes::count(Input::Proof, n, proofs.len())?;
    if n == 0 {
        return Ok(Vec::new());
    }
    enter(rt, settings.verify_blobs_cost(n), || {
        let evaluations = evaluate_each(rt, settings, blobs, commitments);
        let given =
            bytes::numbered(Input::Commitment, commitments).chain(bytes::numbered(Input::Proof, proofs));
        let (mut points, ()) = bytes::each_point(rt, settings, given, || ());
        let proof_points = points.split_off(n);
        // In the order of the errors of a single blob.
        let claims = evaluations.into_iter().zip(points.into_iter().zip(proof_points));
        let claims = claims.map(|(value, (commitment, proof))| {
            let Evaluation { z, y } = value?;
            Ok(Claim { commitment: commitment?, z, y, proof: proof? })
        });
        wrong_claims(rt, settings, claims.collect(), commitments, proofs)
    })
}

/// Returns the proofs of a batch that are wrong, in rising order; none if
/// [`verify_kzg_proof_batch`](super::verify_kzg_proof_batch) returns `true`.
///
/// Each proof has the result of [`verify_kzg_proof`](super::verify_kzg_proof), whatever the others are: malformed
/// bytes, points outside the group and proofs that do not verify are named, and the other proofs are judged.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, Reason, Request, Settings};
/// use parcrypt_kzg::{blob_to_kzg_commitment, compute_kzg_proof, verify_kzg_proof_batch_which};
/// let (rt, settings) = (&parcrypt_runtime::Serial, Settings::mainnet(Request::Auto)?);
/// let mut blob = vec![0; BYTES_PER_BLOB];
/// blob[77] = 5;
/// let commitment = blob_to_kzg_commitment(rt, &settings, &blob)?;
/// let (mut zs, mut ys, mut proofs) = (vec![], vec![], vec![]);
/// for i in 0..8 {
///     let z = [i; 32];
///     let (proof, y) = compute_kzg_proof(rt, &settings, &blob, &z)?;
///     (zs.push(z), ys.push(y), proofs.push(proof));
/// }
/// ys[6] = [9; 32];
///
/// let commitments = [&commitment[..]; 8];
/// let [zs, ys] = [&zs, &ys].map(|all| all.iter().map(|one| &one[..]).collect::<Vec<_>>());
/// let proofs: Vec<&[u8]> = proofs.iter().map(|proof| &proof[..]).collect();
/// let wrong = verify_kzg_proof_batch_which(rt, &settings, &commitments, &zs, &ys, &proofs)?;
/// assert_eq!((wrong.len(), wrong[0].index), (1, 6));
/// assert_eq!(wrong[0].why, Reason::DoesNotVerify);
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Count`] where the lists differ in length.
pub fn verify_kzg_proof_batch_which(
    rt: &dyn Runtime,
    settings: &Settings,
    commitments: &[&[u8]],
    zs: &[&[u8]],
    ys: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<Vec<WrongItem>, Error> {
    same_length(commitments, zs, ys, proofs)?;
    if proofs.is_empty() {
        return Ok(Vec::new());
    }
    enter(rt, settings.verify_proofs_cost(proofs.len()), || {
        let claims = read_openings(rt, settings, [commitments, zs, ys, proofs]);
        wrong_claims(rt, settings, claims, commitments, proofs)
    })
}

/// Returns the wrong ones of some claims, whose points have these bytes.
fn wrong_claims<'a>(
    rt: &dyn Runtime,
    settings: &Settings,
    claims: Vec<Result<Claim, Error>>,
    commitments: &[&'a [u8]],
    proofs: &[&'a [u8]],
) -> Result<Vec<WrongItem>, Error> {
    let valid: Vec<usize> = (0..claims.len()).filter(|i| claims[*i].is_ok()).collect();
    let of = |all: &[&'a [u8]]| valid.iter().map(|i| all[*i]).collect::<Vec<_>>();
    let (commitments, proofs) = (of(commitments), of(proofs));
    let (mut judged, mut found) = (Vec::with_capacity(valid.len()), Vec::new());
    for (index, claim) in claims.into_iter().enumerate() {
        match claim {
            Ok(claim) => judged.push(claim),
            Err(error) => found.push(WrongItem { index, why: Reason::Malformed(error) }),
        }
    }
    let factors = factors(&judged, &commitments, &proofs);
    let wrong = Equation { rt, settings, claims: &judged, factors: &factors }.wrong()?;
    found.extend(wrong.iter().map(|at| WrongItem { index: valid[*at], why: Reason::DoesNotVerify }));
    found.sort_by_key(|item| item.index);
    Ok(found)
}

/// The equation of a batch, with the factors of its claims, each of which is a unit of the search.
struct Equation<'a> {
    rt: &'a dyn Runtime,
    settings: &'a Settings,
    claims: &'a [Claim],
    factors: &'a [Fr],
}

impl Equation<'_> {
    /// Returns the wrong claims, in any order.
    fn wrong(&self) -> Result<Vec<usize>, Error> {
        let Equation { rt, settings, claims, .. } = self;
        let all = 0..claims.len();
        let mut search = Search::new(claims.len());
        search.find(self, all.clone(), self.value(all, Exponents::Factors)?, None)?;
        let Search { mut wrong, undecided, .. } = search;
        let verdicts = map(*rt, undecided.len(), settings.verify_proof_cost(), |i| {
            let claim = &claims[undecided[i]..=undecided[i]];
            claims_hold(&Serial, settings, claim, &[Fr::one()])
        });
        for (claim, right) in undecided.into_iter().zip(verdicts) {
            if !right? {
                wrong.push(claim);
            }
        }
        Ok(wrong)
    }
}

impl Claims for Equation<'_> {
    fn value(&self, units: Range<usize>, exponents: Exponents) -> Result<Gt, Error> {
        let claims: Vec<&Claim> = self.claims[units.clone()].iter().collect();
        let factors = units.map(|unit| self.factors[unit] * Fr::from(exponents.multiplier(unit)));
        quotient(self.rt, self.settings, &claims, &factors.collect::<Vec<_>>())
    }

    fn open(&self, unit: usize, _: Gt, search: &mut Search) -> Result<(), Error> {
        search.wrong.push(unit);
        Ok(())
    }

    fn give_up(&self, units: Range<usize>, search: &mut Search) {
        search.undecided.extend(units);
    }
}
