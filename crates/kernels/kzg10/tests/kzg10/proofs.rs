//! Commitments and proofs against those computed with the secret, and claims that must be refused.

use parcrypt_bls12_381::{Fr, G1, G1Affine, Request};
use parcrypt_kzg10::{Error, FftSettings, Group, KzgSettings, Polynomial, PowersOfTau};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::{rng, runtimes};

use crate::{polynomials, random_fr, random_polynomial, reference};

fn settings(secret: Fr, scale: u32, g1: usize, g2: usize) -> KzgSettings {
    let powers = PowersOfTau::insecure(&Serial, secret, g1, g2).unwrap();
    KzgSettings::new(FftSettings::new(Request::Auto, scale).unwrap(), powers).unwrap()
}

fn random_point(rng: &mut impl Rng) -> G1Affine {
    (G1::generator() * random_fr(rng)).to_affine()
}

#[test]
fn commitments_are_the_value_at_the_secret() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let settings = settings(secret, 0, 17, 1);
    for n in [0, 1, 2, 3, 15, 16, 17] {
        for p in polynomials(&mut rng, n) {
            assert_eq!(settings.commit(&Serial, &p).unwrap(), reference::commitment(&p, secret));
        }
    }
    assert!(settings.commit(&Serial, &Polynomial::default()).unwrap().is_identity());
    let too_long = settings.commit(&Serial, &random_polynomial(&mut rng, 18));
    assert_eq!(too_long, Err(Error::SetupTooShort { group: Group::G1, needed: 18, got: 17 }));
}

#[test]
fn one_value_is_proven() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let settings = settings(secret, 0, 16, 2);
    for n in [0, 1, 2, 15, 16] {
        for p in polynomials(&mut rng, n) {
            let commitment = settings.commit(&Serial, &p).unwrap();
            for x in [Fr::zero(), Fr::one(), random_fr(&mut rng)] {
                let (proof, y) = settings.prove(&Serial, &p, x).unwrap();
                assert_eq!(y, reference::evaluate(&p, x));
                assert_eq!(proof, reference::proof(&p, secret, x, 1));
                let check = |c: &G1Affine, x, y, proof: &G1Affine| settings.check(&Serial, c, x, y, proof);
                assert_eq!(check(&commitment, x, y, &proof), Ok(true));
                assert_eq!(check(&commitment, x, y + Fr::one(), &proof), Ok(false), "wrong y");
                let other = random_point(&mut rng);
                assert_eq!(check(&commitment, x, y, &other), Ok(false), "wrong proof");
                assert_eq!(check(&other, x, y, &proof), Ok(false), "wrong commitment");
                // A constant has the same value everywhere, and its proof is infinity.
                let constant = p.coefficients().len() <= 1;
                assert_eq!(proof.is_identity(), constant);
                let moved = check(&commitment, x + Fr::one(), y, &proof);
                assert_eq!(moved, Ok(constant), "wrong x");
                let infinity = G1Affine::identity();
                assert_eq!(check(&commitment, x, y, &infinity), Ok(constant), "infinity as proof");
                assert_eq!(check(&commitment, x, y, &-proof), Ok(constant), "minus the proof");
            }
        }
    }
}

#[test]
fn proof_at_the_secret_itself() {
    // At x = s the proof drops out of the equation, which leaves C = y·G: any proof verifies, but only for the correct
    // value.
    let secret = Fr::from(99);
    let settings = settings(secret, 1, 8, 3);
    let p = Polynomial::new((1..=8).map(Fr::from).collect());
    let commitment = settings.commit(&Serial, &p).unwrap();
    let (proof, y) = settings.prove(&Serial, &p, secret).unwrap();
    for proof in [proof, -proof, G1Affine::identity()] {
        assert_eq!(settings.check(&Serial, &commitment, secret, y, &proof), Ok(true));
        assert_eq!(settings.check(&Serial, &commitment, secret, y + Fr::one(), &proof), Ok(false));
    }
}

#[test]
fn the_values_on_a_coset_are_proven() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let settings = settings(secret, 4, 16, 17);
    for n in [1, 2, 4, 8, 16] {
        for len in [0, 1, n - 1, n, 16] {
            for p in polynomials(&mut rng, len) {
                let commitment = settings.commit(&Serial, &p).unwrap();
                for x in [Fr::one(), random_fr(&mut rng)] {
                    let (proof, ys) = settings.prove_multi(&Serial, &p, x, n).unwrap();
                    let expected: Vec<Fr> =
                        (0..n).map(|i| reference::evaluate(&p, x * reference::root(n, i))).collect();
                    assert_eq!(ys, expected);
                    assert_eq!(proof, reference::proof(&p, secret, x, n));
                    let check = |c: &G1Affine, x, ys: &[Fr], proof: &G1Affine| {
                        settings.check_multi(&Serial, c, x, ys, proof).unwrap()
                    };
                    assert!(check(&commitment, x, &ys, &proof));
                    let mut wrong = ys.clone();
                    wrong[rng.random_range(0..n)] += Fr::one();
                    assert!(!check(&commitment, x, &wrong, &proof), "wrong y");
                    let other = random_point(&mut rng);
                    assert!(!check(&commitment, x, &ys, &other), "wrong proof");
                    assert!(!check(&other, x, &ys, &proof), "wrong commitment");
                    let short = p.coefficients().len() <= n;
                    assert_eq!(proof.is_identity(), short);
                    assert_eq!(check(&commitment, x, &ys, &G1Affine::identity()), short, "infinity");
                    let constant = p.coefficients().len() <= 1;
                    let moved = check(&commitment, x * Fr::from(3), &ys, &proof);
                    assert_eq!(moved, constant, "wrong x: {n} points, {len} coefficients");
                }
            }
        }
    }
}

#[test]
fn one_point_is_a_coset_of_one() {
    let mut rng = rng();
    let settings = settings(random_fr(&mut rng), 0, 8, 2);
    let p = random_polynomial(&mut rng, 8);
    let x = random_fr(&mut rng);
    let (proof, y) = settings.prove(&Serial, &p, x).unwrap();
    assert_eq!(settings.prove_multi(&Serial, &p, x, 1).unwrap(), (proof, vec![y]));
}

#[test]
fn short_setups_are_errors() {
    let short = |group, needed, got| Error::SetupTooShort { group, needed, got };
    let fft = || FftSettings::new(Request::Auto, 3).unwrap();
    for (g1, g2, error) in [(0, 1, (Group::G1, 1, 0)), (1, 0, (Group::G2, 1, 0))] {
        let powers = PowersOfTau::insecure(&Serial, Fr::from(5), g1, g2).unwrap();
        assert_eq!(KzgSettings::new(fft(), powers).err(), Some(short(error.0, error.1, error.2)));
    }
    let point = G1Affine::generator();
    let one = settings(Fr::from(5), 3, 1, 1);
    let found = one.check(&Serial, &point, Fr::one(), Fr::one(), &point);
    assert_eq!(found, Err(short(Group::G2, 2, 1)));
    let few = settings(Fr::from(5), 3, 3, 4);
    let check = |n| few.check_multi(&Serial, &point, Fr::one(), &vec![Fr::one(); n], &point);
    assert_eq!(check(2), Ok(false));
    assert_eq!(check(4), Err(short(Group::G2, 5, 4)));
    let few = settings(Fr::from(5), 3, 3, 5);
    let check = |n| few.check_multi(&Serial, &point, Fr::one(), &vec![Fr::one(); n], &point);
    assert_eq!(check(4), Err(short(Group::G1, 4, 3)));
    let p = Polynomial::new(vec![Fr::one(); 8]);
    assert_eq!(few.prove(&Serial, &p, Fr::one()), Err(short(Group::G1, 7, 3)));
    assert_eq!(few.prove_multi(&Serial, &p, Fr::one(), 4), Err(short(Group::G1, 4, 3)));
    assert!(few.prove_multi(&Serial, &p, Fr::one(), 8).is_ok(), "the quotient is 0");
}

#[test]
fn bad_cosets_are_errors() {
    let settings = settings(Fr::from(5), 2, 8, 9);
    let (p, point) = (Polynomial::new(vec![Fr::one(); 8]), G1Affine::generator());
    for n in [0, 3, 5, 8, usize::MAX] {
        let error = Err(Error::Length { len: n, least: 1, most: 4 });
        assert_eq!(settings.prove_multi(&Serial, &p, Fr::one(), n).map(|_| ()), error);
        if n < 10 {
            let ys = vec![Fr::one(); n];
            let found = settings.check_multi(&Serial, &point, Fr::one(), &ys, &point);
            assert_eq!(found.map(|_| ()), error);
        }
    }
    for n in [1, 4] {
        let found = settings.prove_multi(&Serial, &p, Fr::zero(), n);
        assert_eq!(found, Err(Error::ZeroFactor), "a coset of 0 is no coset");
        let found = settings.check_multi(&Serial, &point, Fr::zero(), &vec![Fr::one(); n], &point);
        assert_eq!(found, Err(Error::ZeroFactor));
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let mut rng = rng();
    let (secret, x) = (random_fr(&mut rng), random_fr(&mut rng));
    let expected_powers = PowersOfTau::insecure(&Serial, secret, 64, 9).unwrap();
    let p = random_polynomial(&mut rng, 64);
    let all = |rt: &dyn parcrypt_runtime::Runtime| {
        let powers = PowersOfTau::insecure(rt, secret, 64, 9).unwrap();
        assert!(powers == expected_powers);
        let settings = KzgSettings::new(FftSettings::new(Request::Auto, 3).unwrap(), powers).unwrap();
        let commitment = settings.commit(rt, &p).unwrap();
        let single = settings.prove(rt, &p, x).unwrap();
        let multi = settings.prove_multi(rt, &p, x, 8).unwrap();
        assert!(settings.check(rt, &commitment, x, single.1, &single.0).unwrap());
        assert!(settings.check_multi(rt, &commitment, x, &multi.1, &multi.0).unwrap());
        (commitment, single, multi)
    };
    let expected = all(&Serial);
    for rt in runtimes("parcrypt-kzg") {
        assert!(all(&*rt) == expected, "{} with {} threads", rt.name(), rt.threads());
    }
}
