//! Wycheproof's vectors of ML-KEM and ML-DSA, with the schemes over every ring.

use parcrypt_ntt::Ring;
use parcrypt_testkit::corpus::passed;
use wycheproof::mldsa_sign::TestName::*;
use wycheproof::mldsa_verify::TestName::*;
use wycheproof::mlkem::MlKemParameterSet::*;
use wycheproof::{ByteString, TestResult, mldsa_sign, mldsa_verify, mlkem};

use crate::fips::{Dsa, Kem, rings, shake_256};

/// Checks all cases over each ring, by a function that returns their number.
fn each_ring(name: &str, modulus: u32, cases: usize, check: impl Fn(&Ring) -> usize) {
    let rings = rings(modulus);
    for ring in &rings {
        println!("{name} over {}", ring.backend());
        assert_eq!(check(ring), cases, "{name}");
    }
    let mut rows: Vec<String> = rings.iter().map(|ring| ring.backend().to_string()).collect();
    rows.last_mut().unwrap().push_str(" for any modulus");
    passed(name, cases, &rows);
}

/// Returns the bytes of a value that a case may lack.
fn given(value: &Option<ByteString>) -> &[u8] {
    value.as_ref().map_or(&[], |bytes| bytes)
}

#[test]
fn wycheproof_ml_kem() {
    let sets: Vec<_> =
        mlkem::TestName::all().into_iter().map(|name| mlkem::TestSet::load(name).unwrap()).collect();
    each_ring("wycheproof-ml-kem", Kem::Q, 1725, |ring| {
        let groups = sets.iter().flat_map(|set| &set.test_groups);
        let cases = groups.flat_map(|group| group.tests.iter().map(|test| (group.parameter_set, test)));
        let check = |(set, test): (_, &mlkem::Test)| {
            let context = format!("{set:?} {}: {}", test.tc_id, test.comment);
            let kem = match set {
                MlKem512 => Kem::new(ring, 2),
                MlKem768 => Kem::new(ring, 3),
                MlKem1024 => Kem::new(ring, 4),
            };
            let (mut ek, mut dk) = (given(&test.encaps_key).to_vec(), given(&test.decaps_key).to_vec());
            if let ([d, z], []) = given(&test.seed).as_chunks::<32>() {
                let keys = kem.keys(d, z);
                assert!(ek.is_empty() || ek == keys.0, "{context}");
                assert!(dk.is_empty() || dk == keys.1, "{context}");
                (ek, dk) = keys;
            }
            let secret = match (&test.msg, &test.ct) {
                (Some(message), ciphertext) => kem.encapsulate(&ek, message).map(|(c, secret)| {
                    assert_eq!(c, given(ciphertext), "{context}");
                    secret
                }),
                (None, Some(ciphertext)) => kem.decapsulate(&dk, ciphertext),
                // Keys of a seed only.
                (None, None) => Some(Vec::new()),
            };
            assert_eq!(secret.is_some(), test.result == TestResult::Valid, "{context}");
            assert_eq!(secret.unwrap_or_default(), given(&test.shared_secret), "{context}");
        };
        cases.map(check).count()
    });
}

/// The sets with the vectors of signatures by secret keys and by seeds, and of their verification.
const DSA: [(usize, [mldsa_sign::TestName; 2], mldsa_verify::TestName); 3] = [
    (44, [MlDsa44SignNoSeed, MlDsa44SignSeed], MlDsa44Verify),
    (65, [MlDsa65SignNoSeed, MlDsa65SignSeed], MlDsa65Verify),
    (87, [MlDsa87SignNoSeed, MlDsa87SignSeed], MlDsa87Verify),
];

#[test]
fn wycheproof_ml_dsa() {
    let sets = DSA.map(|(set, sign, verify)| {
        let sign = sign.map(|name| mldsa_sign::TestSet::load(name).unwrap().test_groups);
        (set, sign.concat(), mldsa_verify::TestSet::load(verify).unwrap().test_groups)
    });
    each_ring("wycheproof-ml-dsa", Dsa::Q, 1138, |ring| {
        let mut count = 0;
        for (set, sign, verify) in &sets {
            let dsa = Dsa::new(ring, *set);
            for (group, test) in
                sign.iter().flat_map(|group| group.tests.iter().map(move |test| (group, test)))
            {
                let context = format!("{set} {}: {}", test.tc_id, test.comment);
                let (mut pk, mut sk) = (given(&group.pubkey).to_vec(), given(&group.privkey).to_vec());
                if let ([xi], []) = given(&group.privseed).as_chunks::<32>() {
                    (pk, sk) = dsa.keys(xi);
                    assert!([&[], &pk[..]].contains(&given(&group.pubkey)), "{context}");
                }
                let mu = |tr: &[u8]| match (&test.mu, &test.msg) {
                    (Some(mu), None) => mu[..].try_into().ok(),
                    (_, message) => Dsa::representative(tr, given(&test.ctx), given(message)),
                };
                let random = test.rnd.as_ref().map_or([0; 32], |random| random[..].try_into().unwrap());
                let mu = sk.get(64..128).and_then(mu);
                let signature = mu.and_then(|mu| dsa.sign(&sk, &mu, &random));
                assert_eq!(signature.is_some(), test.result == TestResult::Valid, "{context}");
                assert_eq!(signature.unwrap_or_default(), test.sig[..], "{context}");
                let valid = mu.is_some_and(|mu| dsa.verify(&pk, &mu, &test.sig));
                assert_eq!(valid, test.result == TestResult::Valid && !pk.is_empty(), "{context}");
                count += 1;
            }
            for (group, test) in
                verify.iter().flat_map(|group| group.tests.iter().map(move |test| (group, test)))
            {
                let mu = Dsa::representative(&shake_256::<64>(&[&group.pubkey]), given(&test.ctx), &test.msg);
                let valid = mu.is_some_and(|mu| dsa.verify(&group.pubkey, &mu, &test.sig));
                let context = format!("{set} {}: {}", test.tc_id, test.comment);
                assert_eq!(valid, test.result == TestResult::Valid, "{context}");
                count += 1;
            }
        }
        count
    });
}
