//! Wycheproof's vectors of BLS signatures on every row: blst hashes to G2; decompression, membership and pairings are
//! ours.

use blst::min_pk::SecretKey;
use parcrypt_bls12_381::dispatch::{PAIRING_BACKENDS, select_pairing};
use parcrypt_bls12_381::pairing::{product_is_identity, product_of_points_is_identity};
use parcrypt_bls12_381::{G1Affine, G2Affine, Membership, decompress};
use parcrypt_runtime::Serial;
use parcrypt_testkit::backends;
use parcrypt_testkit::corpus::{corpus, passed};

/// Returns the hash of a message to G2: its signature by the key 1.
fn hash(message: &[u8], dst: &str) -> G2Affine {
    let one = SecretKey::from_bytes(&std::array::from_fn::<_, 32, _>(|i| u8::from(i == 31))).unwrap();
    G2Affine::from_compressed(&one.sign(message, dst.as_bytes(), &[]).to_bytes()).unwrap()
}

/// Returns whether a signature is valid of messages with these hashes, one by each key; all rows say the same.
fn verify(keys: &[Vec<u8>], hashes: &[G2Affine], signature: &[u8]) -> Option<bool> {
    let keys: Vec<&[u8; 48]> =
        keys.iter().map(|key| key.as_slice().try_into().ok()).collect::<Option<_>>()?;
    let all = super::msm::rows().into_iter().flat_map(|row| {
        [Membership::Exact, Membership::Batched].map(|of| decompress(&Serial, row, of, &keys))
    });
    let all: Vec<_> = all.collect();
    assert!(all.iter().all(|points| *points == all[0]), "{all:?}");
    let keys = all[0].iter().cloned().collect::<Result<Vec<_>, _>>().ok()?;
    let signature = G2Affine::from_compressed(signature.try_into().ok()?).ok()?;
    if keys.is_empty() || keys.len() != hashes.len() || keys.iter().any(G1Affine::is_identity) {
        return None;
    }
    let pairs = keys.into_iter().zip(hashes.iter().copied()).chain([(-G1Affine::generator(), signature)]);
    let pairs: Vec<_> = pairs.collect();
    let prepared: Vec<_> = pairs.iter().map(|(p, q)| (*p, q.prepare())).collect();
    let prepared: Vec<_> = prepared.iter().map(|(p, q)| (*p, q)).collect();
    let verdicts = backends("parcrypt-bls12-381", PAIRING_BACKENDS).into_iter().flat_map(|backend| {
        let row = select_pairing(backend.into()).unwrap();
        [product_is_identity(&Serial, row, &prepared), product_of_points_is_identity(row, &pairs)]
    });
    let verdicts: Vec<bool> = verdicts.collect();
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{verdicts:?}");
    Some(verdicts[0])
}

#[test]
fn wycheproof() {
    let (hashed, signed) = (corpus("bls-hash"), corpus("bls-verify"));
    for case in &hashed {
        assert_eq!(hash(&case.bytes("message"), case.text("dst")).to_compressed()[..], case.bytes("point"));
    }
    for (i, case) in signed.iter().enumerate() {
        let keys = if case.text("keys").is_empty() { vec![] } else { case.lists("keys") };
        let hashes = case.lists("messages").iter().map(|m| hash(m, case.text("dst"))).collect::<Vec<_>>();
        let valid = verify(&keys, &hashes, &case.bytes("signature")) == Some(true);
        assert_eq!(valid, case.text("result") == "valid", "case {i}");
    }
    passed("bls-hash", hashed.len(), &["decompression of G2"]);
    passed("bls-verify", signed.len(), &backends("parcrypt-bls12-381", PAIRING_BACKENDS));
}
