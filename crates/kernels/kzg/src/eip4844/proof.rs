//! Proofs of values of a polynomial, and of blobs.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Runtime, enter, join};

use super::challenge::challenges;
use super::commitment::commit;
use crate::batch::one;
use crate::bytes;
use crate::costs::{self, CHALLENGE};
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
    enter(rt, costs::divide(settings) + costs::commitments(settings, 1), || {
        let values = one(bytes::blobs(rt, settings, 0, &[blob]))?;
        let (proof, y) = open(rt, settings, values, blob, bytes::element(Input::Z, 0, z)?)?;
        Ok((proof, y.to_bytes()))
    })
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
    enter(rt, costs::blob_proofs(settings, 1), || {
        let read = || one(bytes::blobs(rt, settings, 0, &[blob]));
        let challenge = || {
            let blob = bytes::array(Input::Blob, 0, blob)?;
            bytes::point(Input::Commitment, 0, commitment)?;
            let commitment = bytes::array(Input::Commitment, 0, commitment)?;
            Ok::<_, Error>(challenges(settings.rows.sha256, &[(blob, commitment)])[0])
        };
        let cost = costs::read_blob(&settings.rows) + costs::points(&settings.rows, 1) + CHALLENGE;
        let (values, z) = join(rt, cost, read, challenge);
        Ok(open(rt, settings, values?, blob, z?)?.0)
    })
}

/// Returns the proof and the value of a polynomial, given by its values and by their encodings, at an evaluation point
/// z.
fn open(
    rt: &dyn Runtime,
    settings: &Settings,
    mut values: Vec<Fr>,
    blob: &[u8],
    z: Fr,
) -> Result<(Proof, Fr), Error> {
    let y = settings.evaluator.evaluate(blob.as_chunks().0, z)?;
    settings.points.divide(z, y, &mut values);
    Ok((commit(rt, settings, &[values])?[0], y))
}
