//! Proofs of values of a polynomial, and of blobs.

use parcrypt_bls12_381::Fr;
use parcrypt_bls12_381::costs::FR_PRODUCT_NS;
use parcrypt_runtime::{Cost, Runtime, enter, for_each, join, map};

use super::challenge::challenge;
use super::commitment::commit;
use crate::batch::{in_batches, map_valid, one};
use crate::bytes::{self, PIECE};
use crate::costs::{CHALLENGE_NS, DIVIDE_NS};
use crate::error::{Error, Input};
use crate::{FieldBytes, Proof, Settings};

/// Returns the proof of the value of a blob's polynomial at z, and that value.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are not a blob or a field element.
pub fn compute_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    z: &[u8],
) -> Result<(Proof, FieldBytes), Error> {
    let z = bytes::element(Input::Z, z)?;
    let opening = enter(rt, Cost::ns(DIVIDE_NS + settings.commitments_ns(1)), || {
        let values = bytes::blobs(rt, settings, 0, &[blob]);
        one(open(rt, settings, values.into_iter().map(|values| Ok((values?, z))).collect()))
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
    enter(rt, Cost::ns(settings.blob_proofs_ns(n)), || {
        let blobs: Vec<&[u8]> = items.iter().map(|(blob, _)| *blob).collect();
        let (values, challenges) = join(
            rt,
            Cost::ns(n as u64 * (settings.read_blob_ns() + settings.point_ns() + CHALLENGE_NS)),
            || bytes::blobs(rt, settings, first, &blobs),
            || map(rt, n, Cost::ns(settings.point_ns() + CHALLENGE_NS), challenge_of),
        );
        let openings = values.into_iter().zip(challenges).map(|(values, z)| Ok((values?, z?))).collect();
        open(rt, settings, openings).into_iter().map(|opening| opening.map(|(proof, _)| proof)).collect()
    })
}

/// Returns the proof and the value of each polynomial, given by its values, at an evaluation point z.
fn open(
    rt: &dyn Runtime,
    settings: &Settings,
    openings: Vec<Result<(Vec<Fr>, Fr), Error>>,
) -> Vec<Result<(Proof, Fr), Error>> {
    map_valid(openings, |openings| {
        let divided = map(rt, openings.len(), Cost::ns(DIVIDE_NS), |i| {
            divide(rt, settings, &openings[i].0, openings[i].1)
        });
        drop(openings);
        let (quotients, values): (Vec<_>, Vec<_>) = divided.into_iter().unzip();
        let proofs = commit(rt, settings, &quotients)?;
        Ok(proofs.into_iter().zip(values).collect())
    })
}

/// Returns the values of (P − y) / (X − z), and y = P(z), for the polynomial P with these values.
fn divide(rt: &dyn Runtime, settings: &Settings, values: &[Fr], z: Fr) -> (Vec<Fr>, Fr) {
    let points = &settings.points;
    let y = evaluate(rt, settings, values, z);
    let mut quotient = vec![Fr::zero(); values.len()];
    let pieces = quotient.chunks_mut(PIECE).zip(values.chunks(PIECE)).enumerate().collect();
    let cost = Cost::ns(5 * PIECE as u64 * FR_PRODUCT_NS);
    for_each(rt, pieces, cost, |(piece, (quotient, values)): (usize, (&mut [Fr], &[Fr]))| {
        quotient.iter_mut().enumerate().for_each(|(i, q)| *q = points.point(piece * PIECE + i) - z);
        Fr::batch_inverse(quotient);
        quotient.iter_mut().zip(values).for_each(|(q, value)| *q *= *value - y);
    });
    if z.pow_vartime(values.len() as u64) == Fr::one() {
        // z is one of the points, and the quotient there is the derivative: Σ −q_i·x_i / z over the others. There it is
        // still 0.
        let sum = quotient.iter().enumerate().fold(Fr::zero(), |sum, (i, q)| sum + *q * points.point(i));
        if let Some(at) = (0..values.len()).find(|i| points.point(*i) == z) {
            quotient[at] = -(sum * points.inverse_point(at));
        }
    }
    (quotient, y)
}

/// Returns the value at z of the polynomial with these values at the points of the domain.
pub(super) fn evaluate(rt: &dyn Runtime, settings: &Settings, values: &[Fr], z: Fr) -> Fr {
    let pieces = values.len() / PIECE;
    let cost = Cost::ns(2 * PIECE as u64 * FR_PRODUCT_NS);
    let mut folded = map(rt, pieces, cost, |piece| {
        let mut values: [Fr; PIECE] = std::array::from_fn(|i| values[piece * PIECE + i]);
        settings.points.fold(piece, z, &mut values)
    });
    settings.points.fold(0, z.pow_vartime(PIECE as u64), &mut folded) * settings.blob_size_inverse
}
