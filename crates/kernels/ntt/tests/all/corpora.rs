//! Wycheproof's and CCTV's vectors of ML-KEM and ML-DSA, with the schemes over every ring. `corpora/fips.py` says how
//! the files say what an input is.

use parcrypt_ntt::Ring;
use parcrypt_testkit::corpus::{Case, bytes, corpus, passed};
use sha3::{Digest, Sha3_256};
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update};

use crate::fips::{Dsa, Kem, hex, read, rings, shake_256};

/// Checks the cases of a corpus over each ring, by a function that returns their number.
fn each_ring(name: &str, modulus: u32, check: impl Fn(&Ring, &[Case]) -> usize) {
    let (rings, cases, mut checked) = (rings(modulus), corpus(name), 0);
    for ring in &rings {
        println!("{name} over {}", ring.backend());
        checked = check(ring, &cases);
    }
    let rows: Vec<String> = rings.iter().map(|ring| ring.backend().to_string()).collect();
    passed(name, checked, &rows);
}

/// Returns the number of cases for which all lines stand.
fn count(cases: &[Case]) -> usize {
    cases.iter().map(|case| case.number::<usize>("cases")).sum()
}

/// Returns the input of a case, with its changes.
fn input(case: &Case, before: &[u8], signature: &[u8]) -> Vec<u8> {
    let mut input = match case.text("input") {
        "=" => before.to_vec(),
        "sign" => signature.to_vec(),
        text => bytes(text),
    };
    for change in case.text("change").split_terminator(',') {
        let (offset, new) = change.split_once(':').unwrap();
        let (offset, new) = (offset.parse().unwrap(), bytes(new));
        if new.is_empty() {
            input.truncate(offset);
        } else {
            input.splice(offset..input.len().min(offset + new.len()), new);
        }
    }
    input
}

/// Compares an output with its digest, if the case has one.
#[track_caller]
fn compare(case: &Case, column: &str, output: &[u8]) {
    let digest = hex(&Sha3_256::digest(output)[..16]);
    assert!(
        ["", &digest].contains(&case.text(column)),
        "{column} has the digest {digest}, expected {}",
        case.text(column)
    );
}

fn ml_kem(ring: &Ring, cases: &[Case]) -> usize {
    let (mut before, mut before_c) = (Vec::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        let kem = Kem::new(ring, case.number::<usize>("set") / 256);
        let [seed, m, k] = ["seed", "m", "k"].map(|column| case.bytes(column));
        let (ek, dk) = match seed.as_chunks::<32>() {
            ([d, z], []) => kem.keys(d, z),
            _ => Default::default(),
        };
        let function = case.text("function");
        let key = if function == "all" {
            compare(case, "ek", &ek);
            compare(case, "dk", &dk);
            let (c, key) = kem.encapsulate(&ek, &m).unwrap();
            compare(case, "c", &c);
            assert_eq!(kem.decapsulate(&dk, &c).as_ref(), Some(&key), "case {i}");
            Some(key)
        } else {
            before = input(case, &before, &[]);
            match function {
                "encaps" => kem.encapsulate(&before, &m).map(|(c, key)| {
                    compare(case, "c", &c);
                    key
                }),
                "decaps" => kem.decapsulate(&dk, &before),
                _ => {
                    before_c = if case.text("c") == "=" { before_c } else { case.bytes("c") };
                    kem.decapsulate(&before, &before_c)
                }
            }
        };
        assert_eq!(key.unwrap_or_default(), k, "{function}, case {i}");
    }
    count(cases)
}

#[test]
fn wycheproof_ml_kem() {
    each_ring("wycheproof-ml-kem", Kem::Q, ml_kem);
}

#[test]
fn cctv_ml_kem() {
    each_ring("cctv-ml-kem", Kem::Q, ml_kem);
}

#[test]
fn cctv_ml_kem_intermediate() {
    each_ring("cctv-ml-kem-intermediate", Kem::Q, |ring, cases| {
        for set in cases.chunk_by(|a, b| a.text("set") == b.text("set")) {
            let kem = Kem::new(ring, set[0].number::<usize>("set") / 256);
            // ρ and σ were made by the draft, from d without k.
            let [rho, sigma, z, m] = std::array::from_fn(|i| set[i].bytes("value"));
            let (ek, dk) = kem.expanded_keys(&rho, &sigma, &z);
            let (c, k) = kem.encapsulate(&ek, &m).unwrap();
            assert_eq!(kem.decapsulate(&dk, &c).as_ref(), Some(&k));
            let mut values = kem.notes.into_inner();
            values.extend([("ek", ek), ("dk", dk), ("c", c), ("K", k)]);
            for case in &set[4..] {
                let (name, value) = values.iter().find(|(name, _)| *name == case.text("name")).unwrap();
                println!("{name}");
                compare(case, "value", value);
            }
        }
        cases.len()
    });
}

#[test]
fn wycheproof_ml_dsa() {
    each_ring("wycheproof-ml-dsa", Dsa::Q, |ring, cases| {
        let (mut before, mut pk) = (Vec::new(), Vec::new());
        for (i, case) in cases.iter().enumerate() {
            let dsa = Dsa::new(ring, case.number("set"));
            let [message, mu, context, mut random] =
                ["message", "mu", "context", "random"].map(|column| case.bytes(column));
            random.resize(32, 0);
            let mu = |tr: &[u8]| match <[u8; 64]>::try_from(&mu[..]) {
                Ok(mu) => Some(mu),
                Err(_) => Dsa::representative(tr, &context, &message),
            };
            let sign = |sk: &[u8]| sk.get(64..128).and_then(mu).and_then(|mu| dsa.sign(sk, &mu, &random));
            let mut sk = Vec::new();
            match case.text("key") {
                "=" => {}
                seed if seed.len() == 64 => (pk, sk) = dsa.keys(&bytes(seed)),
                key => pk = bytes(key),
            }
            let function = case.text("function");
            if function == "verify" {
                let own = if case.text("input") == "sign" { sign(&sk).unwrap() } else { Vec::new() };
                before = input(case, &before, &own);
                let is_valid = mu(&shake_256::<64>(&[&pk])).is_some_and(|mu| dsa.verify(&pk, &mu, &before));
                assert_eq!(is_valid, case.text("signature") == "valid", "case {i}");
                continue;
            }
            if function == "secret" {
                before = input(case, &before, &[]);
                sk = before.clone();
            } else if !sk.is_empty() {
                compare(case, "public", &pk);
                compare(case, "secret", &sk);
            }
            let signature = sign(&sk);
            assert_eq!(signature.is_some(), !case.text("signature").is_empty(), "{function}, case {i}");
            if let Some(signature) = signature {
                compare(case, "signature", &signature);
                assert!(
                    function != "all" || dsa.verify(&pk, &mu(&sk[64..128]).unwrap(), &signature),
                    "case {i}"
                );
            }
        }
        count(cases)
    });
}

/// Keys of seeds, and signatures of the empty message, by their hash: 100 times, in the long form 10,000 times.
#[test]
fn cctv_ml_dsa_accumulated() {
    let iterations = if std::env::var_os("PARCRYPT_LONG_TESTS").is_some() { 10_000 } else { 100 };
    each_ring("cctv-ml-dsa-accumulated", Dsa::Q, |ring, cases| {
        let cases = cases.iter().filter(|case| case.number::<usize>("iterations") == iterations);
        for case in cases.clone() {
            let dsa = Dsa::new(ring, case.number("set"));
            let (mut seeds, mut all) = (Shake128::default().finalize_xof(), Shake128::default());
            for i in 0..iterations {
                let (pk, sk) = dsa.keys(&read::<32>(&mut seeds));
                let mu = Dsa::representative(&sk[64..128], &[], &[]).unwrap();
                let signature = dsa.sign(&sk, &mu, &[0; 32]).unwrap();
                assert!(dsa.verify(&pk, &mu, &signature), "iteration {i}");
                all.update(&pk);
                all.update(&signature);
            }
            assert_eq!(
                hex(&read::<32>(&mut all.finalize_xof())),
                case.text("digest"),
                "{}",
                case.text("set")
            );
        }
        cases.count()
    });
}
