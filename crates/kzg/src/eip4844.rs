//! Commitments to blobs and proofs of single values (EIP-4844; polynomial-commitments.md of the consensus
//! specifications for Deneb).

use parcrypt_bls12_381::{Fr, G1, G1Affine, msm, pairing};
use parcrypt_runtime::{Cost, Runtime, map};
use sha2::{Digest, Sha256};

use crate::bytes::{self, POINT_NS};
use crate::error::{Error, Input};
use crate::{
    BYTES_PER_BLOB, BYTES_PER_COMMITMENT, Commitment, FIELD_ELEMENTS_PER_BLOB, FieldBytes, Proof, Settings,
};

/// FIAT_SHAMIR_PROTOCOL_DOMAIN.
const CHALLENGE_DOMAIN: &[u8; 16] = b"FSBLOBVERIFY_V1_";
/// RANDOM_CHALLENGE_KZG_BATCH_DOMAIN.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGBATCH___V1_";

/// What a sum of multiples of 4096 points costs.
const COMMIT_NS: u64 = 20_000_000;
/// What it costs to read, hash and evaluate a blob.
const BLOB_NS: u64 = 300_000;

/// The commitment to a blob: Σ value_i · L_i(τ)·G1.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are no blob.
pub fn blob_to_kzg_commitment(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
) -> Result<Commitment, Error> {
    let values = bytes::blob(rt, 0, blob)?;
    commit(rt, settings, &values)
}

/// The commitment to each blob, as [`blob_to_kzg_commitment`] gives it.
pub fn blob_to_kzg_commitment_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<Commitment, Error>> {
    map(rt, blobs.len(), Cost::ns(COMMIT_NS), |i| {
        let values = bytes::blob(rt, i, blobs[i])?;
        commit(rt, settings, &values)
    })
}

/// The value of a blob's polynomial at z, and the proof of it.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are no blob or no field element.
pub fn compute_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    z: &[u8],
) -> Result<(Proof, FieldBytes), Error> {
    let values = bytes::blob(rt, 0, blob)?;
    let z = bytes::element(Input::Z, z)?;
    let (proof, y) = prove(rt, settings, &values, z)?;
    Ok((proof, y.to_bytes()))
}

/// The proof of a blob's value at the challenge that blob and commitment give.
///
/// It does not check that the commitment is the blob's; with another one the proof is of no use.
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are no blob or no commitment.
pub fn compute_blob_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    commitment: &[u8],
) -> Result<Proof, Error> {
    blob_proof(rt, settings, 0, blob, commitment)
}

/// The proof for each blob, as [`compute_blob_kzg_proof`] gives it.
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
    Ok(map(rt, blobs.len(), Cost::ns(COMMIT_NS), |i| blob_proof(rt, settings, i, blobs[i], commitments[i])))
}

/// Whether the committed polynomial has the value y at z: e(C − y·G1 + z·π, G2) · e(−π, τ·G2) = 1.
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are no points or no field elements.
pub fn verify_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    commitment: &[u8],
    z: &[u8],
    y: &[u8],
    proof: &[u8],
) -> Result<bool, Error> {
    let claim = Claim {
        commitment: bytes::point(Input::Commitment, 0, commitment)?,
        z: bytes::element(Input::Z, z)?,
        y: bytes::element(Input::Y, y)?,
        proof: bytes::point(Input::Proof, 0, proof)?,
    };
    verify_claims(rt, settings, &[claim], &[Fr::one()])
}

/// Whether a commitment is that of a blob, by its proof.
///
/// # Errors
/// [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for bytes that are no blob or no points.
pub fn verify_blob_kzg_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    blob: &[u8],
    commitment: &[u8],
    proof: &[u8],
) -> Result<bool, Error> {
    let claim = read_claim(rt, settings, 0, blob, commitment, proof)?;
    verify_claims(rt, settings, &[claim], &[Fr::one()])
}

/// Whether each commitment is that of its blob, by its proof; true for none.
///
/// One pairing of two pairs serves all: the claims are added up with powers of a challenge that depends on all of them.
///
/// # Errors
/// [`Error::Count`] where the lists differ in length; [`Error::Length`], [`Error::NotCanonical`] and [`Error::Point`] for
/// bytes that are no blob or no points.
pub fn verify_blob_kzg_proof_batch(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, Error> {
    bytes::count(Input::Commitment, blobs.len(), commitments.len())?;
    bytes::count(Input::Proof, blobs.len(), proofs.len())?;
    let claims = map(rt, blobs.len(), Cost::ns(BLOB_NS + 2 * POINT_NS), |i| {
        read_claim(rt, settings, i, blobs[i], commitments[i], proofs[i])
    });
    let claims: Vec<Claim> = claims.into_iter().collect::<Result<_, _>>()?;
    let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
    hash.update((FIELD_ELEMENTS_PER_BLOB as u64).to_be_bytes());
    hash.update((claims.len() as u64).to_be_bytes());
    for (claim, (commitment, proof)) in claims.iter().zip(commitments.iter().zip(proofs)) {
        hash.update(commitment);
        hash.update(claim.z.to_bytes());
        hash.update(claim.y.to_bytes());
        hash.update(proof);
    }
    let challenge = Fr::from_bytes_reduced(&hash.finalize());
    verify_claims(rt, settings, &claims, &powers(challenge, claims.len()))
}

/// The place where a blob's polynomial is opened, by the hash of the blob and its commitment.
///
/// # Errors
/// [`Error::Length`] where the blob or the commitment has another length; what they hold is only hashed.
pub fn compute_challenge(blob: &[u8], commitment: &[u8]) -> Result<FieldBytes, Error> {
    let blob = bytes::array(Input::Blob, 0, blob)?;
    let commitment = bytes::array(Input::Commitment, 0, commitment)?;
    Ok(challenge(blob, commitment).to_bytes())
}

fn challenge(blob: &[u8; BYTES_PER_BLOB], commitment: &[u8; BYTES_PER_COMMITMENT]) -> Fr {
    let mut hash = Sha256::new_with_prefix(CHALLENGE_DOMAIN);
    hash.update((FIELD_ELEMENTS_PER_BLOB as u128).to_be_bytes());
    hash.update(blob);
    hash.update(commitment);
    Fr::from_bytes_reduced(&hash.finalize())
}

/// 1, x, x², …
pub(crate) fn powers(x: Fr, count: usize) -> Vec<Fr> {
    std::iter::successors(Some(Fr::one()), |power| Some(*power * x)).take(count).collect()
}

fn commit(rt: &dyn Runtime, settings: &Settings, values: &[Fr]) -> Result<[u8; 48], Error> {
    let sums = settings.lagrange.msm_vartime(rt, &[values])?;
    Ok(sums.first().map_or_else(|| G1::identity().to_compressed(), G1::to_compressed))
}

fn blob_proof(
    rt: &dyn Runtime,
    settings: &Settings,
    index: usize,
    blob: &[u8],
    commitment: &[u8],
) -> Result<Proof, Error> {
    let values = bytes::blob(rt, index, blob)?;
    let blob = bytes::array(Input::Blob, index, blob)?;
    bytes::point(Input::Commitment, index, commitment)?;
    let commitment = bytes::array(Input::Commitment, index, commitment)?;
    let (proof, _) = prove(rt, settings, &values, challenge(blob, commitment))?;
    Ok(proof)
}

/// A commitment's claimed value.
struct Claim {
    commitment: G1Affine,
    z: Fr,
    y: Fr,
    proof: G1Affine,
}

fn read_claim(
    rt: &dyn Runtime,
    settings: &Settings,
    index: usize,
    blob: &[u8],
    commitment: &[u8],
    proof: &[u8],
) -> Result<Claim, Error> {
    let values = bytes::blob(rt, index, blob)?;
    let z = challenge(
        bytes::array(Input::Blob, index, blob)?,
        bytes::array(Input::Commitment, index, commitment)?,
    );
    Ok(Claim {
        commitment: bytes::point(Input::Commitment, index, commitment)?,
        z,
        y: evaluate(settings, &values, z),
        proof: bytes::point(Input::Proof, index, proof)?,
    })
}

/// Σ f_i·(C_i − y_i·G1 + z_i·π_i) paired with G2, times −Σ f_i·π_i paired with τ·G2.
fn verify_claims(
    rt: &dyn Runtime,
    settings: &Settings,
    claims: &[Claim],
    factors: &[Fr],
) -> Result<bool, Error> {
    let mut points = vec![G1Affine::generator()];
    let mut scalars = vec![Fr::zero()];
    for (claim, factor) in claims.iter().zip(factors) {
        scalars[0] -= claim.y * *factor;
        points.extend([claim.commitment, claim.proof]);
        scalars.extend([*factor, claim.z * *factor]);
    }
    let values = msm::msm_vartime(rt, &points, &scalars)?;
    let proofs: Vec<G1Affine> = claims.iter().map(|claim| claim.proof).collect();
    let proofs = msm::msm_vartime(rt, &proofs, factors)?;
    let sums = G1::batch_to_affine(&[values, -proofs]);
    let prepared = &settings.prepared;
    Ok(pairing::product_is_one(&[(sums[0], &prepared.generator), (sums[1], &prepared.secret)]))
}

/// The value at z of the polynomial with these values at the points of the domain.
///
/// P = A(X²) + X·B(X²) has the values a at x and b at −x, so 2·A(x²) = a + b and 2·B(x²) = (a − b)/x. Then
/// A + z·B is a polynomial of half the degree which at z² has the value P(z), and its values at all x² are known. The
/// factors of 2 are divided out in the end. Nothing is divided by, so z may be a point of the domain.
fn evaluate(settings: &Settings, values: &[Fr], z: Fr) -> Fr {
    let mut values = values.to_vec();
    let mut z = z;
    while values.len() > 1 {
        values = (0..values.len() / 2)
            .map(|i| {
                let (a, b) = (values[2 * i], values[2 * i + 1]);
                a + b + (a - b) * settings.points.inverse_point(2 * i) * z
            })
            .collect();
        z *= z;
    }
    values[0] * settings.blob_size_inverse
}

/// The proof of the value at z, and that value: a commitment to (P − y)/(X − z), computed by values.
fn prove(rt: &dyn Runtime, settings: &Settings, values: &[Fr], z: Fr) -> Result<(Proof, Fr), Error> {
    let y = evaluate(settings, values, z);
    let mut quotient: Vec<Fr> = (0..values.len()).map(|i| settings.points.point(i) - z).collect();
    let at = quotient.iter().position(|x| *x == Fr::zero());
    Fr::batch_inverse(&mut quotient);
    quotient.iter_mut().zip(values).for_each(|(q, value)| *q *= *value - y);
    if let Some(at) = at {
        // z = x_m: the value of the quotient there is the derivative, Σ over the others of −q_i·x_i/x_m.
        let sum =
            quotient.iter().enumerate().fold(Fr::zero(), |sum, (i, q)| sum + *q * settings.points.point(i));
        quotient[at] = -(sum * settings.points.inverse_point(at));
    }
    Ok((commit(rt, settings, &quotient)?, y))
}
