//! Proofs of values of a polynomial, and of blobs.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Runtime, enter, for_each, join, map};

use super::challenge::challenge;
use super::commitment::commit;
use crate::batch::{in_batches, map_valid, one};
use crate::bytes;
use crate::costs::CHALLENGE;
use crate::error::{Error, Input};
use crate::{FieldBytes, Proof, Settings};

/// Returns the proof of the value of a blob's polynomial at z, and that value.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob or a field element. That of the blob
/// comes first.
pub fn compute_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    z: &[u8],
) -> Result<(Proof, FieldBytes), Error> {
    let z = bytes::element(Input::Z, 0, z);
    let opening = enter(rt, settings.divide_cost() + settings.commitments_cost(1), || {
        let values = bytes::blobs(rt, settings, 0, &[blob]);
        let openings = values.into_iter().map(|values| Ok((values?, blob, z.clone()?)));
        one(open(rt, settings, openings.collect()))
    });
    opening.map(|(proof, y)| (proof, y.to_bytes()))
}

/// Returns the proof of a blob: the proof of its polynomial's value at the challenge of blob and commitment.
///
/// It does not check that the commitment is the blob's; with another one the proof does not verify.
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are not a blob or a commitment.
pub fn compute_blob_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    commitment: &[u8],
) -> Result<Proof, Error> {
    one(blob_proofs(rt, settings, 0, &[(blob, commitment)]))
}

/// Returns [`compute_blob_kzg_proof`] of each blob; an invalid blob does not affect the others.
///
/// # Errors
/// [`Error::Count`] where there is not one commitment for each blob.
pub fn compute_blob_kzg_proof_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
) -> Result<Vec<Result<Proof, Error>>, Error> {
    bytes::count(Input::Commitment, blobs.len(), commitments.len())?;
    let items: Vec<_> = blobs.iter().copied().zip(commitments.iter().copied()).collect();
    Ok(in_batches(&items, |first, items| blob_proofs(rt, settings, first, items)))
}

/// The values of a polynomial, their encodings and an evaluation point.
type Opening<'a> = (Vec<Fr>, &'a [u8], Fr);

fn blob_proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    items: &[(&[u8], &[u8])],
) -> Vec<Result<Proof, Error>> {
    let n = items.len();
    let challenge_of = |i: usize| {
        let (blob, commitment) = items[i];
        let blob = bytes::array(Input::Blob, first + i, blob)?;
        bytes::point(Input::Commitment, first + i, commitment)?;
        Ok::<_, Error>(challenge((blob, bytes::array(Input::Commitment, first + i, commitment)?)))
    };
    enter(rt, settings.blob_proofs_cost(n), || {
        let blobs: Vec<&[u8]> = items.iter().map(|(blob, _)| *blob).collect();
        let (values, challenges) = join(
            rt,
            n * (settings.read_blob_cost() + settings.points_cost(1) + CHALLENGE),
            || bytes::blobs(rt, settings, first, &blobs),
            || map(rt, n, settings.points_cost(1) + CHALLENGE, challenge_of),
        );
        let openings = values.into_iter().zip(challenges).zip(&blobs);
        let openings = openings.map(|((values, z), blob)| Ok((values?, *blob, z?))).collect();
        open(rt, settings, openings).into_iter().map(|opening| opening.map(|(proof, _)| proof)).collect()
    })
}

/// Returns the proof and the value of each polynomial, given by its values and by their encodings, at an evaluation
/// point z.
fn open(
    rt: &dyn Runtime,
    settings: &Settings,
    openings: Vec<Result<Opening<'_>, Error>>,
) -> Vec<Result<(Proof, Fr), Error>> {
    map_valid(openings, |mut openings| {
        let mut at_z = vec![Ok(Fr::zero()); openings.len()];
        let pieces = openings.iter_mut().zip(&mut at_z).collect();
        for_each(rt, pieces, settings.divide_cost(), |(opening, y): (&mut Opening<'_>, &mut _)| {
            let (values, blob, z) = opening;
            *y = settings.evaluator.evaluate(blob.as_chunks().0, *z);
            if let Ok(y) = y {
                settings.points.divide(*z, *y, values);
            }
        });
        let quotients: Vec<Vec<Fr>> = openings.into_iter().map(|(values, ..)| values).collect();
        let proofs = commit(rt, settings, &quotients)?;
        proofs.into_iter().zip(at_z).map(|(proof, y)| Ok((proof, y.map_err(Error::Arithmetic)?))).collect()
    })
}
