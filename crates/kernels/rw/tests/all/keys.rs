//! Keys: generation, DER and PEM, and invalid keys.

use der::asn1::Uint;
use der::{Decode, Encode};
use num_bigint::BigUint;
use parcrypt_cpu::Request;
use parcrypt_runtime::Serial;
use parcrypt_rw::{Error, MAX_MODULUS_BITS, MIN_MODULUS_BITS, Prime, PublicKey, SecretKey};
use parcrypt_testkit::rand::rngs::StdRng;
use parcrypt_testkit::rand::{Rng, RngCore, SeedableRng};

fn key(bits: usize, seed: u64) -> SecretKey {
    SecretKey::generate(&Serial, Request::Auto, bits, &mut StdRng::seed_from_u64(seed)).expect("a key")
}

/// Returns the numbers of a key in DER.
fn integers(der: &[u8]) -> Vec<BigUint> {
    Vec::<Uint>::from_der(der)
        .unwrap()
        .iter()
        .map(|number| BigUint::from_bytes_be(number.as_bytes()))
        .collect()
}

fn der(numbers: &[&BigUint]) -> Vec<u8> {
    let uint = |number: &&BigUint| Uint::new(&number.to_bytes_be()).unwrap();
    numbers.iter().map(uint).collect::<Vec<_>>().to_der().unwrap()
}

#[test]
fn generated_keys_are_of_the_scheme() {
    let mut rng = parcrypt_testkit::rng();
    for bits in [1024, 1152, 2048] {
        for _ in 0..4 {
            let secret = SecretKey::generate(&Serial, Request::Auto, bits, &mut rng).unwrap();
            let numbers = integers(&secret.to_der().unwrap());
            let [version, n, p, q] = &numbers[..] else { panic!("{} numbers", numbers.len()) };
            assert_eq!(*version, BigUint::ZERO);
            assert_eq!(p * q, *n);
            assert_eq!((n.bits(), p.bits(), q.bits()), (bits as u64, bits as u64 / 2, bits as u64 / 2));
            assert_eq!((p % 8u8, q % 8u8), (3u8.into(), 7u8.into()));
            // It tests that both are prime.
            SecretKey::from_der(&Serial, Request::Auto, &secret.to_der().unwrap()).unwrap();
            assert_eq!(secret.public().modulus(), n.to_bytes_be());
            assert_eq!(secret.public().bits(), bits);
        }
    }
}

#[test]
fn the_same_generator_gives_the_same_key_on_every_runtime() {
    let expected = key(1024, 5).to_der().unwrap();
    for rt in parcrypt_testkit::runtimes("rw") {
        let secret = SecretKey::generate(&*rt, Request::Auto, 1024, &mut StdRng::seed_from_u64(5)).unwrap();
        assert_eq!(*secret.to_der().unwrap(), *expected, "{}", rt.name());
    }
    assert_ne!(*key(1024, 6).to_der().unwrap(), *expected);
}

#[test]
fn sizes_outside_the_range_are_refused() {
    let mut rng = parcrypt_testkit::rng();
    for bits in [0, 896, MIN_MODULUS_BITS - 1, 1088, MAX_MODULUS_BITS + 128, usize::MAX] {
        let refused = SecretKey::generate(&Serial, Request::Auto, bits, &mut rng).err().unwrap();
        assert!(matches!(refused, Error::Bits { bits: b } if b == bits), "{refused}");
    }
}

#[test]
fn keys_round_trip_through_der_and_pem() {
    for bits in [1024, 1152, 2048] {
        let secret = key(bits, 1);
        let signature = secret.sign(&Serial, b"message").unwrap();
        for rt in parcrypt_testkit::runtimes("rw") {
            let from_der = SecretKey::from_der(&*rt, Request::Auto, &secret.to_der().unwrap()).unwrap();
            let from_pem = SecretKey::from_pem(&*rt, Request::Auto, &secret.to_pem().unwrap()).unwrap();
            for back in [from_der, from_pem] {
                assert_eq!(back.sign(&*rt, b"message").unwrap(), signature);
                assert_eq!(*back.to_der().unwrap(), *secret.to_der().unwrap());
            }
        }
        let public = secret.public();
        let n = BigUint::from_bytes_be(public.modulus());
        assert_eq!(public.to_der().unwrap(), der(&[&BigUint::ZERO, &n]));
        assert_eq!(public.to_der().unwrap()[0], 0x30, "a sequence");
        for back in [
            PublicKey::from_der(&public.to_der().unwrap()).unwrap(),
            PublicKey::from_pem(&public.to_pem().unwrap()).unwrap(),
        ] {
            assert_eq!(back, *public);
            assert!(back.verify(b"message", &signature).unwrap());
        }
        assert!(public.to_pem().unwrap().starts_with("-----BEGIN RABIN WILLIAMS PUBLIC KEY-----\n"));
    }
}

#[test]
fn pem_of_something_else_is_refused() {
    let secret = key(1024, 1);
    let (public, private) = (secret.public().to_pem().unwrap(), secret.to_pem().unwrap());
    assert!(matches!(PublicKey::from_pem(&private), Err(Error::Label { .. })));
    assert!(matches!(SecretKey::from_pem(&Serial, Request::Auto, &public), Err(Error::Label { .. })));
    for text in ["", "\n", "-----BEGIN RABIN WILLIAMS PUBLIC KEY-----", "no key", "é"] {
        assert!(matches!(PublicKey::from_pem(text), Err(Error::Pem(_))), "{text}");
    }
}

#[test]
fn every_prefix_and_every_changed_byte_is_refused_or_another_key() {
    let mut rng = parcrypt_testkit::rng();
    let secret = key(1024, 2);
    let (private, public) = (secret.to_der().unwrap(), secret.public().to_der().unwrap());
    let pem = secret.public().to_pem().unwrap();
    let secret_pem = secret.to_pem().unwrap();
    for len in 0..private.len() {
        assert!(SecretKey::from_der(&Serial, Request::Auto, &private[..len]).is_err(), "{len} bytes");
    }
    for len in 0..public.len() {
        assert!(PublicKey::from_der(&public[..len]).is_err(), "{len} bytes");
    }
    // Without its last line break PEM is still complete.
    for len in 0..pem.len() - 1 {
        assert!(PublicKey::from_pem(&pem[..len]).is_err(), "{len} characters");
    }
    for at in 0..private.len() {
        let mut spoilt = private.to_vec();
        spoilt[at] ^= rng.random_range(1..=255);
        // n is checked against p·q, so every change is detected.
        assert!(SecretKey::from_der(&Serial, Request::Auto, &spoilt).is_err(), "byte {at}");
        spoilt = private.to_vec();
        spoilt.insert(at, rng.random());
        assert!(SecretKey::from_der(&Serial, Request::Auto, &spoilt).is_err(), "byte {at}");
    }
    for at in 0..public.len() {
        let mut spoilt = public.to_vec();
        spoilt[at] ^= rng.random_range(1..=255);
        if let Ok(other) = PublicKey::from_der(&spoilt) {
            assert_ne!(other, *secret.public());
            assert_eq!(other.to_der().unwrap(), spoilt, "only one encoding is taken");
        }
    }
    for at in 0..secret_pem.len() {
        let mut spoilt = secret_pem.as_bytes().to_vec();
        spoilt[at] = rng.random_range(32..127);
        let spoilt = String::from_utf8(spoilt).unwrap();
        if let Ok(key) = SecretKey::from_pem(&Serial, Request::Auto, &spoilt) {
            assert_eq!(*key.to_der().unwrap(), *private, "character {at}");
        }
    }
    let trailing = [&private[..], &[0]].concat();
    assert!(matches!(SecretKey::from_der(&Serial, Request::Auto, &trailing), Err(Error::Der(_))));
    for _ in 0..3000 {
        let mut garbage = vec![0; rng.random_range(0..400)];
        rng.fill_bytes(&mut garbage);
        if !garbage.is_empty() && rng.random() {
            garbage[0] = 0x30;
        }
        assert!(SecretKey::from_der(&Serial, Request::Auto, &garbage).is_err());
        assert!(PublicKey::from_der(&garbage).is_err());
    }
}

#[test]
fn each_check_has_its_error() {
    let zero = BigUint::ZERO;
    let numbers = integers(&key(1024, 3).to_der().unwrap());
    let (n, p, q) = (&numbers[1], &numbers[2], &numbers[3]);
    let read =
        |numbers: &[&BigUint]| SecretKey::from_der(&Serial, Request::Auto, &der(numbers)).err().unwrap();
    assert!(SecretKey::from_der(&Serial, Request::Auto, &der(&[&zero, n, p, q])).is_ok());
    assert!(matches!(read(&[&1u8.into(), n, p, q]), Error::Version { got: 1 }));
    assert!(matches!(read(&[&zero, &(n + 8u8), p, q]), Error::ModulusMismatch));
    assert!(matches!(read(&[&zero, n, q, p]), Error::PrimeResidue { prime: Prime::P }));
    assert!(matches!(read(&[&zero, n, p, p]), Error::PrimeResidue { prime: Prime::Q }));
    assert!(matches!(read(&[&zero, n, p, &(q >> 8)]), Error::PrimeBits { prime: Prime::Q, bits: 512 }));
    let low = BigUint::from(3u8) + (BigUint::from(1u8) << 511);
    assert!(matches!(read(&[&zero, n, &low, q]), Error::PrimeBits { prime: Prime::P, .. }));
    assert!(matches!(read(&[&zero, n, p, &zero]), Error::PrimeBits { prime: Prime::Q, .. }));
    assert!(matches!(read(&[&zero, n, &zero, &zero]), Error::Bits { bits: 16 }));
    // Of the right form, but composite.
    let composite = p + 8u8;
    let wrong = read(&[&zero, &(&composite * q), &composite, q]);
    assert!(matches!(wrong, Error::Composite { prime: Prime::P }), "{wrong}");
    let composite = q + 8u8;
    let wrong = read(&[&zero, &(p * &composite), p, &composite]);
    assert!(matches!(wrong, Error::Composite { prime: Prime::Q }), "{wrong}");
    let near = p + 4u8;
    assert!(matches!(read(&[&zero, &(p * &near), p, &near]), Error::PrimesTooClose));
    // Negative, and not the shortest form.
    let from = [2, 1, 0];
    for to in [&[2, 1, 0x80][..], &[2, 2, 0, 0]] {
        let mut spoilt = der(&[&zero, n]);
        // The version comes first.
        let at = spoilt.windows(3).position(|window| window == from).unwrap();
        spoilt.splice(at..at + 3, to.iter().copied());
        assert!(matches!(PublicKey::from_der(&spoilt), Err(Error::Der(_))));
    }
}

#[test]
fn public_keys_are_checked() {
    let secret = key(1024, 4);
    let n = BigUint::from_bytes_be(secret.public().modulus());
    for (wrong, residue) in [(&n + 1u8, 6), (&n + 2u8, 7), (&n - 4u8, 1)] {
        let refused = PublicKey::from_modulus(&wrong.to_bytes_be()).err().unwrap();
        assert!(matches!(refused, Error::ModulusResidue { residue: r } if r == residue), "{refused}");
    }
    for bytes in [&[][..], &[0; 200], &[5], &n.to_bytes_be()[1..], &vec![0xfd; MAX_MODULUS_BITS / 8 + 16]] {
        assert!(matches!(PublicKey::from_modulus(bytes), Err(Error::Bits { .. })));
    }
    let padded = [&[0, 0][..], secret.public().modulus()].concat();
    assert_eq!(PublicKey::from_modulus(&padded).unwrap(), *secret.public());
    let shown = format!("{:?}", secret.public());
    assert!(shown.contains("bits: 1024"), "{shown}");
}
