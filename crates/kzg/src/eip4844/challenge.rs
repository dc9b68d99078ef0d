//! The challenge of a blob and the random factors of a batch (Fiat–Shamir transform).

use parcrypt_bls12_381::Fr;
use sha2::{Digest, Sha256};

use crate::bytes;
use crate::error::{Error, Input};
use crate::{BYTES_PER_BLOB, BYTES_PER_COMMITMENT, FIELD_ELEMENTS_PER_BLOB, FieldBytes};

/// Domain separator of a blob's challenge: FIAT_SHAMIR_PROTOCOL_DOMAIN of the specification.
const CHALLENGE_DOMAIN: &[u8; 16] = b"FSBLOBVERIFY_V1_";
/// Domain separator of a batch: RANDOM_CHALLENGE_KZG_BATCH_DOMAIN of the specification.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGBATCH___V1_";

/// Returns the point at which a blob's proof evaluates its polynomial: the hash of the blob and its commitment.
///
/// # Errors
/// [`Error::Length`] where the blob or the commitment has another length; their contents are only hashed.
pub fn compute_challenge(blob: &[u8], commitment: &[u8]) -> Result<FieldBytes, Error> {
    let blob = bytes::array(Input::Blob, 0, blob)?;
    let commitment = bytes::array(Input::Commitment, 0, commitment)?;
    Ok(challenge(blob, commitment).to_bytes())
}

pub(super) fn challenge(blob: &[u8; BYTES_PER_BLOB], commitment: &[u8; BYTES_PER_COMMITMENT]) -> Fr {
    let mut hash = Sha256::new_with_prefix(CHALLENGE_DOMAIN);
    // 16 bytes for the degree, where the batch below has 8: as the specification has it.
    hash.update((FIELD_ELEMENTS_PER_BLOB as u128).to_be_bytes());
    hash.update(blob);
    hash.update(commitment);
    Fr::from_bytes_reduced(&hash.finalize())
}

/// Returns the hash of all claims of a batch: each commitment, evaluation point, value and proof.
pub(super) fn batch_hash(values: &[(Fr, Fr)], commitments: &[&[u8]], proofs: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
    hash.update((FIELD_ELEMENTS_PER_BLOB as u64).to_be_bytes());
    hash.update((values.len() as u64).to_be_bytes());
    for ((z, y), (commitment, proof)) in values.iter().zip(commitments.iter().zip(proofs)) {
        hash.update(commitment);
        hash.update(z.to_bytes());
        hash.update(y.to_bytes());
        hash.update(proof);
    }
    hash.finalize().into()
}

/// Returns random factors from a seed, the hash of all claims: 1 for one claim, else a + b·x² with a and b of 64 bits
/// each, for which a multi-scalar multiplication takes half the time. A sum with these factors of terms that are not
/// all 0 is 0 with a probability of 2^-128.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the challenge of the blob of zeros, whose commitment is infinity, with that of Python's hashlib:
    /// `sha256(b"FSBLOBVERIFY_V1_" + (4096).to_bytes(16) + bytes(131072) + b"\xc0" + bytes(47))` modulo r.
    #[test]
    fn the_challenge_of_zeros() {
        let mut infinity = [0; BYTES_PER_COMMITMENT];
        infinity[0] = 0xc0;
        let challenge = compute_challenge(&[0; BYTES_PER_BLOB], &infinity).expect("lengths");
        let hex: String = challenge.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "04b7b22af63d2b2f1ced8d550560e5d1e4b01e355903dee22781e87826856096");
    }
}
