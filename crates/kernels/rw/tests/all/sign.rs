//! Signatures against an independent program and the definition, on every runtime and backend, and corrupted
//! signatures.

use num_bigint::BigUint;
use parcrypt_cpu::{Backend, Request};
use parcrypt_runtime::Serial;
use parcrypt_rw::{Error, PublicKey, SecretKey};
use parcrypt_testkit::rand::{Rng, RngCore, SeedableRng};

/// Returns the key of a size, from a fixed seed: generation is tested in `keys.rs`.
fn key(bits: usize) -> SecretKey {
    key_with(Request::Auto, bits).expect("good input")
}

fn key_with(request: Request, bits: usize) -> Result<SecretKey, Error> {
    let mut rng = parcrypt_testkit::rand::rngs::StdRng::seed_from_u64(bits as u64);
    SecretKey::generate(&Serial, request, bits, &mut rng)
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("good input")).collect()
}

/// Returns the same key on each of its backends.
fn on_backends(bits: usize) -> Vec<SecretKey> {
    let backends = parcrypt_testkit::backends("rw", &SecretKey::backends(bits));
    backends.into_iter().map(|backend| key_with(backend.into(), bits).expect("good input")).collect()
}

#[test]
fn signatures_equal_the_python_programs() {
    let mut lines = 0;
    // Lines with the same key follow each other, and a key takes longer to check than a message to sign.
    let mut primes = (Vec::new(), Vec::new());
    let mut secrets = Vec::new();
    for line in include_str!("../vectors.txt").lines().filter(|line| !line.starts_with('#')) {
        let [p, q, message, signature] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let message = if message == "-" { Vec::new() } else { hex(message) };
        let (p, q, signature) = (hex(p), hex(q), hex(signature));
        if primes != (p.clone(), q.clone()) {
            let backends = parcrypt_testkit::backends("rw", &SecretKey::backends(16 * p.len()));
            let secret = |backend: Backend| SecretKey::from_primes(&Serial, backend.into(), &p, &q).unwrap();
            secrets = backends.iter().map(|backend| secret(*backend)).collect();
            assert!(secrets.iter().map(SecretKey::backend).eq(backends));
            primes = (p, q);
        }
        for secret in &secrets {
            assert_eq!(secret.sign(&Serial, &message).unwrap(), signature);
            assert!(secret.public().verify(&message, &signature).unwrap());
        }
        lines += 1;
    }
    assert_eq!(lines, 45);
}

/// Returns e·f·s² mod n, with `num-bigint`.
fn left_side(public: &PublicKey, signature: &[u8]) -> BigUint {
    let n = BigUint::from_bytes_be(public.modulus());
    let s = BigUint::from_bytes_be(&signature[1..]);
    assert!(s > BigUint::ZERO && s <= (&n - 1u8) / 2u8);
    let f = if signature[0] & 2 != 0 { 2u8 } else { 1 };
    let fs2 = &s * &s * f % &n;
    if signature[0] & 1 != 0 { n - fs2 } else { fs2 }
}

#[test]
fn signatures_satisfy_the_equation_and_take_all_tweaks() {
    let mut rng = parcrypt_testkit::rng();
    for bits in [1024, 1152, 1536, 2048, 3072] {
        for secret in on_backends(bits) {
            let public = secret.public();
            let mut tweaks = [0; 4];
            for _ in 0..40 {
                let mut message = vec![0; rng.random_range(0..300)];
                rng.fill_bytes(&mut message);
                let signature = secret.sign(&Serial, &message).unwrap();
                tweaks[usize::from(signature[0])] += 1;
                assert_eq!(signature.len(), public.signature_len());
                assert!(public.verify(&message, &signature).unwrap());
                // The equation gives h; another message has another h.
                let h = left_side(public, &signature);
                let again = secret.sign(&Serial, &message).unwrap();
                assert_eq!(again, signature, "the root is a function of the message");
                message.push(0);
                assert!(!public.verify(&message, &signature).unwrap());
                assert_ne!(left_side(public, &secret.sign(&Serial, &message).unwrap()), h);
            }
            assert!(tweaks.iter().all(|count| *count > 0), "{tweaks:?} of 40");
        }
    }
}

#[test]
fn every_runtime_gives_the_same_bytes() {
    let mut rng = parcrypt_testkit::rng();
    for bits in [1024, 2048, 4096] {
        let messages: Vec<[u8; 32]> = (0..5).map(|_| rng.random()).collect();
        let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        let expected: Vec<Vec<u8>> =
            messages.iter().map(|message| key(bits).sign(&Serial, message).unwrap()).collect();
        for secret in on_backends(bits) {
            for rt in parcrypt_testkit::runtimes("rw") {
                assert_eq!(secret.sign_many(&*rt, &messages).unwrap(), expected, "{bits} {}", rt.name());
                assert_eq!(secret.sign(&*rt, messages[0]).unwrap(), expected[0]);
                let mut pairs: Vec<(&[u8], &[u8])> =
                    messages.iter().copied().zip(expected.iter().map(|s| &s[..])).collect();
                // More than a piece, with one wrong signature.
                pairs = pairs.repeat(20);
                pairs[37].0 = b"another message";
                let answers = secret.public().verify_many(&*rt, &pairs).unwrap();
                assert!(answers.iter().enumerate().all(|(i, answer)| *answer == (i != 37)));
                assert!(secret.sign_many(&*rt, &[]).unwrap().is_empty());
                assert!(secret.public().verify_many(&*rt, &[]).unwrap().is_empty());
            }
        }
    }
}

#[test]
fn spoilt_signatures_do_not_verify() {
    let mut rng = parcrypt_testkit::rng();
    let secret = key(1024);
    let public = secret.public();
    let message = b"the message";
    let signature = secret.sign(&Serial, message).unwrap();
    for bit in 0..8 * signature.len() {
        let mut spoilt = signature.clone();
        spoilt[bit / 8] ^= 1 << (bit % 8);
        assert!(!public.verify(message, &spoilt).unwrap(), "bit {bit}");
    }
    for tweak in (0..=255).filter(|tweak| *tweak != signature[0]) {
        let mut spoilt = signature.clone();
        spoilt[0] = tweak;
        assert!(!public.verify(message, &spoilt).unwrap(), "tweak {tweak}");
    }
    let n = BigUint::from_bytes_be(public.modulus());
    let s = BigUint::from_bytes_be(&signature[1..]);
    // n − s satisfies the equation and must be refused, as must be s + n, where it fits, and numbers from n on.
    let zero = BigUint::ZERO;
    let all_ones = (BigUint::from(1u8) << 1024) - 1u8;
    for wrong in [&n - &s, zero, n.clone(), &n - 1u8, (&n + 1u8) / 2u8, &s + &n, all_ones] {
        let bytes = wrong.to_bytes_be();
        let Some(pad) = 128usize.checked_sub(bytes.len()) else { continue };
        for tweak in 0..4 {
            let spoilt = [&[tweak][..], &vec![0; pad], &bytes].concat();
            assert!(!public.verify(message, &spoilt).unwrap(), "{wrong:x}");
        }
    }
    for _ in 0..2000 {
        let mut spoilt = vec![0; signature.len()];
        rng.fill_bytes(&mut spoilt);
        spoilt[0] %= 5;
        assert!(!public.verify(message, &spoilt).unwrap());
    }
}

#[test]
fn signatures_of_another_length_are_errors() {
    let secret = key(1024);
    let public = secret.public();
    let signature = secret.sign(&Serial, b"").unwrap();
    for got in [0, 1, 127, 128, 130, 257] {
        let wrong = vec![1; got];
        let result = public.verify(b"", &wrong);
        assert!(
            matches!(result, Err(Error::SignatureLength { expected: 129, got: g }) if g == got),
            "{result:?}"
        );
        let pairs: [(&[u8], &[u8]); 2] = [(b"", &signature), (b"", &wrong)];
        assert!(matches!(public.verify_many(&Serial, &pairs), Err(Error::SignatureLength { .. })));
    }
}

#[test]
fn a_signature_is_for_one_key() {
    let (one, other) = (key(1024), key(1152));
    let signature = one.sign(&Serial, b"message").unwrap();
    assert!(matches!(other.public().verify(b"message", &signature), Err(Error::SignatureLength { .. })));
    let mut rng = parcrypt_testkit::rng();
    let third = SecretKey::generate(&Serial, Request::Auto, 1024, &mut rng).unwrap();
    assert!(!third.public().verify(b"message", &signature).unwrap());
}

#[test]
fn a_backend_is_never_replaced() {
    for bits in [1024, 1152, 2176] {
        assert_eq!(SecretKey::backends(bits), [Backend::AwsLc]);
    }
    let refused = key_with(Backend::Ifma.into(), 1024).err().unwrap();
    assert!(matches!(refused, Error::Backend(parcrypt_cpu::Error::NotOffered { .. })), "{refused}");
}
