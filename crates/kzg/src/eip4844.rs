//! Commitments to blobs and proofs of single values (EIP-4844; polynomial-commitments.md of the consensus
//! specifications for Deneb).

use parcrypt_bls12_381::msm::multiply_vartime;
use parcrypt_bls12_381::{Fr, G1, G1Affine, pairing};
use parcrypt_runtime::{Cost, Runtime, Serial, enter, for_each, join, map};
use sha2::{Digest, Sha256};

use crate::batch::{
    COMMIT_NS, ELEMENT_NS, HASH_PS, POINT_NS, PRODUCT_NS, in_batches, single, together, two_sums,
};
use crate::bytes::{self, PIECE};
use crate::error::{Error, Input};
use crate::{
    BYTES_PER_BLOB, BYTES_PER_COMMITMENT, Commitment, FIELD_ELEMENTS_PER_BLOB, FieldBytes, Proof, Settings,
};

/// FIAT_SHAMIR_PROTOCOL_DOMAIN.
const CHALLENGE_DOMAIN: &[u8; 16] = b"FSBLOBVERIFY_V1_";
/// RANDOM_CHALLENGE_KZG_BATCH_DOMAIN.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGBATCH___V1_";

/// What it costs to hash a blob.
const HASH_NS: u64 = BYTES_PER_BLOB as u64 * HASH_PS / 1000;
/// What it costs to evaluate a blob's polynomial.
const EVALUATE_NS: u64 = 2 * FIELD_ELEMENTS_PER_BLOB as u64 * PRODUCT_NS;
/// What it costs to divide it.
const DIVIDE_NS: u64 = EVALUATE_NS + 5 * FIELD_ELEMENTS_PER_BLOB as u64 * PRODUCT_NS;

/// The commitment to a blob: Σ value_i · L_i(τ)·G1.
///
/// # Errors
/// [`Error::Length`] and [`Error::NotCanonical`] for bytes that are no blob.
///
/// ```
/// use parcrypt_kzg::{BYTES_PER_BLOB, Settings, blob_to_kzg_commitment};
/// let settings = Settings::mainnet()?;
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
    single(commitments(rt, settings, 0, &[blob]))
}

/// The commitment to each blob, as [`blob_to_kzg_commitment`] gives it; a bad blob costs the others nothing.
pub fn blob_to_kzg_commitment_many(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
) -> Vec<Result<Commitment, Error>> {
    in_batches(blobs, |first, blobs| commitments(rt, settings, first, blobs))
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
    let z = bytes::element(Input::Z, z)?;
    let opening = enter(rt, Cost::ns(COMMIT_NS), || {
        let values = bytes::blobs(rt, 0, &[blob]);
        single(open(rt, settings, values.into_iter().map(|values| Ok((values?, z))).collect()))
    });
    opening.map(|(proof, y)| (proof, y.to_bytes()))
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
    single(blob_proofs(rt, settings, 0, &[(blob, commitment)]))
}

/// The proof for each blob, as [`compute_blob_kzg_proof`] gives it; a bad blob costs the others nothing.
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
    let (z, y) = (bytes::element(Input::Z, z)?, bytes::element(Input::Y, y)?);
    let given = [(Input::Commitment, 0, commitment), (Input::Proof, 0, proof)];
    let (points, ()) = bytes::points(rt, settings.backend(), given.into_iter(), || ())?;
    let points = points?;
    let claim = Claim { commitment: points[0], z, y, proof: points[1] };
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
    verify_blob_kzg_proof_batch(rt, settings, &[blob], &[commitment], &[proof])
}

/// Whether each commitment is that of its blob, by its proof; true for none.
///
/// One pairing of two pairs serves all: the claims are added up with factors that depend on all of them.
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
    const BLOB_NS: u64 = FIELD_ELEMENTS_PER_BLOB as u64 * ELEMENT_NS + HASH_NS + EVALUATE_NS;
    let n = blobs.len();
    if n == 0 {
        return Ok(true);
    }
    let cost = n as u64 * (BLOB_NS + 2 * POINT_NS);
    enter(rt, Cost::ns(cost), || {
        let values =
            map(rt, n, Cost::ns(BLOB_NS), |i| evaluate_at_challenge(settings, i, blobs[i], commitments[i]));
        let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
        let given = bytes::each(Input::Commitment, commitments).chain(bytes::each(Input::Proof, proofs));
        let (points, ()) = bytes::points(rt, settings.backend(), given, || ())?;
        let mut points = points?;
        let opened = points.split_off(n);
        let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
        hash.update((FIELD_ELEMENTS_PER_BLOB as u64).to_be_bytes());
        hash.update((n as u64).to_be_bytes());
        for (i, (z, y)) in values.iter().enumerate() {
            hash.update(commitments[i]);
            hash.update(z.to_bytes());
            hash.update(y.to_bytes());
            hash.update(proofs[i]);
        }
        let claims = values.into_iter().zip(points.into_iter().zip(opened));
        let claims = claims.map(|((z, y), (commitment, proof))| Claim { commitment, z, y, proof });
        verify_claims(rt, settings, &claims.collect::<Vec<_>>(), &random_factors(&hash.finalize().into(), n))
    })
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

/// Numbers that nobody could choose who chose what the seed is the hash of: 1 for a single one, else a + b·x² with a and b
/// of 64 bits each, for which sums of multiples take half the time. A sum with these factors of things that are not all
/// 0 is 0 with a probability of 2^-128.
pub(crate) fn random_factors(seed: &[u8; 32], count: usize) -> Vec<Fr> {
    if count == 1 {
        return vec![Fr::one()];
    }
    let seed = Sha256::new_with_prefix(seed);
    let factor = |i: usize| {
        let hash = seed.clone().chain_update((i as u64).to_be_bytes()).finalize();
        let (words, _) = hash.as_chunks::<8>();
        Fr::from_glv_halves(u64::from_be_bytes(words[0]), u64::from_be_bytes(words[1]))
    };
    (0..count).map(factor).collect()
}

fn commitments(
    rt: &dyn Runtime,
    settings: &Settings,
    first: usize,
    blobs: &[&[u8]],
) -> Vec<Result<Commitment, Error>> {
    enter(rt, Cost::ns(COMMIT_NS * blobs.len() as u64), || {
        together(bytes::blobs(rt, first, blobs), |values| commit(rt, settings, &values))
    })
}

fn commit(rt: &dyn Runtime, settings: &Settings, values: &[Vec<Fr>]) -> Result<Vec<[u8; 48]>, Error> {
    let lists: Vec<&[Fr]> = values.iter().map(Vec::as_slice).collect();
    Ok(G1::compress_all(&settings.lagrange.msm_vartime(rt, &lists)?))
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
        Ok::<_, Error>(challenge(blob, bytes::array(Input::Commitment, first + i, commitment)?))
    };
    enter(rt, Cost::ns(COMMIT_NS * n as u64), || {
        let blobs: Vec<&[u8]> = items.iter().map(|(blob, _)| *blob).collect();
        let (values, challenges) = join(
            rt,
            Cost::ns(n as u64 * (FIELD_ELEMENTS_PER_BLOB as u64 * ELEMENT_NS + POINT_NS + HASH_NS)),
            || bytes::blobs(rt, first, &blobs),
            || map(rt, n, Cost::ns(POINT_NS + HASH_NS), challenge_of),
        );
        let places = values.into_iter().zip(challenges).map(|(values, z)| Ok((values?, z?))).collect();
        open(rt, settings, places).into_iter().map(|opening| opening.map(|(proof, _)| proof)).collect()
    })
}

/// For the values of each polynomial and a place z: the proof of the value there, and that value.
fn open(
    rt: &dyn Runtime,
    settings: &Settings,
    places: Vec<Result<(Vec<Fr>, Fr), Error>>,
) -> Vec<Result<(Proof, Fr), Error>> {
    together(places, |places| {
        let divided =
            map(rt, places.len(), Cost::ns(DIVIDE_NS), |i| divide(rt, settings, &places[i].0, places[i].1));
        drop(places);
        let (quotients, values): (Vec<_>, Vec<_>) = divided.into_iter().unzip();
        let proofs = commit(rt, settings, &quotients)?;
        Ok(proofs.into_iter().zip(values).collect())
    })
}

/// The values of (P − y) / (X − z), and y = P(z), for the polynomial with these values.
fn divide(rt: &dyn Runtime, settings: &Settings, values: &[Fr], z: Fr) -> (Vec<Fr>, Fr) {
    let points = &settings.points;
    let y = evaluate(rt, settings, values, z);
    let mut quotient = vec![Fr::zero(); values.len()];
    let pieces = quotient.chunks_mut(PIECE).zip(values.chunks(PIECE)).enumerate().collect();
    let cost = Cost::ns(5 * PIECE as u64 * PRODUCT_NS);
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

/// The value at z of the polynomial with these values at the points of the domain.
fn evaluate(rt: &dyn Runtime, settings: &Settings, values: &[Fr], z: Fr) -> Fr {
    let pieces = values.len() / PIECE;
    let cost = Cost::ns(2 * PIECE as u64 * PRODUCT_NS);
    let mut folded = map(rt, pieces, cost, |piece| {
        let mut values: [Fr; PIECE] = std::array::from_fn(|i| values[piece * PIECE + i]);
        settings.points.fold(piece, z, &mut values)
    });
    settings.points.fold(0, z.pow_vartime(PIECE as u64), &mut folded) * settings.blob_size_inverse
}

/// The challenge of a blob, and its polynomial's value there.
fn evaluate_at_challenge(
    settings: &Settings,
    index: usize,
    blob: &[u8],
    commitment: &[u8],
) -> Result<(Fr, Fr), Error> {
    let values = single(bytes::blobs(&Serial, index, &[blob]))?;
    let blob = bytes::array(Input::Blob, index, blob)?;
    let z = challenge(blob, bytes::array(Input::Commitment, index, commitment)?);
    Ok((z, evaluate(&Serial, settings, &values, z)))
}

/// A commitment's claimed value.
struct Claim {
    commitment: G1Affine,
    z: Fr,
    y: Fr,
    proof: G1Affine,
}

/// Σ f_i·(C_i − y_i·G1 + z_i·π_i) paired with G2, times −Σ f_i·π_i paired with τ·G2.
fn verify_claims(
    rt: &dyn Runtime,
    settings: &Settings,
    claims: &[Claim],
    factors: &[Fr],
) -> Result<bool, Error> {
    let (values, proofs) = if let [Claim { commitment, z, y, proof }] = claims {
        let mut products = [G1::from(*proof), G1::generator()];
        multiply_vartime(settings.backend(), &mut products, &[*z, -*y])?;
        (products[0] + products[1] + *commitment, G1::from(*proof))
    } else {
        let mut points = vec![G1Affine::generator()];
        let mut scalars = vec![Fr::zero()];
        for (claim, factor) in claims.iter().zip(factors) {
            scalars[0] -= claim.y * *factor;
            points.extend([claim.commitment, claim.proof]);
            scalars.extend([*factor, claim.z * *factor]);
        }
        let proofs: Vec<G1Affine> = claims.iter().map(|claim| claim.proof).collect();
        two_sums(rt, settings.backend(), (&points, &scalars), (&proofs, factors))?.into()
    };
    let sums = G1::batch_to_affine(&[values, -proofs]);
    let prepared = &settings.prepared;
    Ok(pairing::product_is_one(rt, &[(sums[0], &prepared.generator), (sums[1], &prepared.secret)]))
}
