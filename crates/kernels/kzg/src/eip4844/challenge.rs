//! The challenge of a blob and the random factors of a batch (Fiat–Shamir transform).

use parcrypt_bls12_381::Fr;
use parcrypt_cpu::Row;
use parcrypt_sha256::{self as sha256, HashRow, Sha256};

use crate::{BYTES_PER_BLOB, BYTES_PER_COMMITMENT, FIELD_ELEMENTS_PER_BLOB};

/// Domain separator of a blob's challenge: FIAT_SHAMIR_PROTOCOL_DOMAIN of the specification.
const CHALLENGE_DOMAIN: &[u8; 16] = b"FSBLOBVERIFY_V1_";
/// Domain separator of a batch: RANDOM_CHALLENGE_KZG_BATCH_DOMAIN of the specification.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGBATCH___V1_";

/// A blob and its commitment.
pub(super) type Hashed<'a> = (&'a [u8; BYTES_PER_BLOB], &'a [u8; BYTES_PER_COMMITMENT]);

/// Returns the challenge of each blob and its commitment, `compute_challenge` of the specification: the point at which
/// the blob's proof evaluates its polynomial.
pub(super) fn challenges(row: &Row<HashRow>, hashed: &[Hashed]) -> Vec<Fr> {
    let messages: Vec<_> = hashed.iter().map(|hashed| message(*hashed)).collect();
    hash_many(row, &messages).iter().map(|hash| Fr::from_bytes_reduced(hash)).collect()
}

/// Returns the hashes of messages; with the feature `faults` wrong ones, if they are planted.
pub(crate) fn hash_many<const PARTS: usize>(
    row: &Row<HashRow>,
    messages: &[sha256::Message<PARTS>],
) -> Vec<[u8; 32]> {
    #[cfg_attr(not(feature = "faults"), expect(unused_mut, reason = "only faults change a hash"))]
    let mut hashes = row.hash_many(messages);
    #[cfg(feature = "faults")]
    if row.backend() != crate::Backend::Sha2 && parcrypt_bls12_381::faults::is_wrong_in("sha256") {
        hashes[0][0] ^= 1;
    }
    hashes
}

/// Returns what is hashed for a challenge.
fn message<'a>((blob, commitment): Hashed<'a>) -> sha256::Message<'a, 4> {
    // 16 bytes for the degree, where the batch below has 8: as the specification has it.
    const DEGREE: [u8; 16] = (FIELD_ELEMENTS_PER_BLOB as u128).to_be_bytes();
    [CHALLENGE_DOMAIN, &DEGREE, blob, commitment]
}

/// A challenge z, and the value y there of its blob's polynomial.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluation {
    pub(super) z: Fr,
    pub(super) y: Fr,
}

/// Returns the hash of all claims of a batch: each commitment, evaluation point, value and proof.
pub(super) fn batch_hash(values: &[Evaluation], commitments: &[&[u8]], proofs: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
    hash.update((FIELD_ELEMENTS_PER_BLOB as u64).to_be_bytes());
    hash.update((values.len() as u64).to_be_bytes());
    for (Evaluation { z, y }, (commitment, proof)) in values.iter().zip(commitments.iter().zip(proofs)) {
        hash.update(commitment);
        hash.update(z.to_bytes());
        hash.update(y.to_bytes());
        hash.update(proof);
    }
    hash.finalize()
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

    /// Compares the hash of two claims with that of Python's hashlib: `n(x)` is `x.to_bytes(8)`, `e(x)` is
    /// `x.to_bytes(32)`, `a` and `b` are 48 bytes 0xaa and 0xbb, and the hash `sha256(b"RCKZGBATCH___V1_" + n(4096) +
    /// n(2) + c + e(5) + e(6) + a + a + e(7) + e(8) + b)`, where `c` is `b"\xc0" + bytes(47)`.
    #[test]
    fn the_hash_of_two_claims() {
        let mut infinity = [0; BYTES_PER_COMMITMENT];
        infinity[0] = 0xc0;
        let [a, b] = [[0xaa; BYTES_PER_COMMITMENT], [0xbb; BYTES_PER_COMMITMENT]];
        let value = |z, y| Evaluation { z: Fr::from(z), y: Fr::from(y) };
        let hash = batch_hash(&[value(5, 6), value(7, 8)], &[&infinity, &a], &[&a, &b]);
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "efa8d2e837cfd922cd8b930a0a87904ed811cdd9cfd40a263a2300aee918ceba");
    }

    /// Compares factors with those of Python: `h = sha256(bytes(range(32)) + i.to_bytes(8)).digest()`, and
    /// `(int.from_bytes(h[:8]) + int.from_bytes(h[8:16]) * 0xd201000000010000**2) % r`.
    #[test]
    fn the_factors_of_a_seed() {
        let mut seed = [0; 32];
        seed.iter_mut().zip(0..).for_each(|(byte, value)| *byte = value);
        let hex =
            |factor: &Fr| factor.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let factors: Vec<String> = random_factors(&seed, 3).iter().map(hex).collect();
        let expected = [
            "000000000000000026386f3c150a94ed8da5d9502e302c527a519c1f293a88bd",
            "00000000000000007d62602954a194ad948753474fc51ab51350341e6d7a1788",
            "0000000000000000691ee23a75459be69ac450aac82c44059290dbfc4571dc92",
        ];
        assert_eq!(factors, expected);
        assert_eq!(random_factors(&seed, 1), [Fr::one()]);
        let many: std::collections::HashSet<_> =
            random_factors(&seed, 70_000).iter().map(Fr::to_bytes).collect();
        assert_eq!(many.len(), 70_000, "no two factors are the same");
    }
}
