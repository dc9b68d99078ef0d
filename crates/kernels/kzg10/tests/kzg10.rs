//! The original KZG10 functions against their definitions, and against each other on every runtime.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::{self as bls, Fr, G1, G1Affine, Request, bit_reversal};
use parcrypt_kzg10::{Error, FftSettings, Fk20, KzgSettings, Polynomial, PowersOfTau};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::SliceRandom;
use parcrypt_testkit::{rng, runtimes};

fn fft(scale: u32) -> FftSettings {
    FftSettings::new(Request::Auto, scale).unwrap()
}

fn settings(secret: Fr, scale: u32, g1: usize, g2: usize) -> KzgSettings {
    KzgSettings::new(fft(scale), PowersOfTau::insecure(&Serial, secret, g1, g2)).unwrap()
}

fn random_fr(rng: &mut impl Rng) -> Fr {
    Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())
}

/// Returns a polynomial with exactly n coefficients: the last is not 0.
fn random_polynomial(rng: &mut impl Rng, n: usize) -> Polynomial {
    let mut coefficients: Vec<Fr> = (0..n).map(|_| random_fr(rng)).collect();
    coefficients.iter_mut().last().into_iter().for_each(|last| *last = Fr::from(rng.random_range(1..=9)));
    Polynomial::new(coefficients)
}

/// Returns random polynomials, and special ones: 0, a constant, one power of X, all coefficients equal, half of them 0.
fn polynomials(rng: &mut impl Rng, n: usize) -> Vec<Polynomial> {
    let mut all = vec![random_polynomial(rng, n), random_polynomial(rng, n / 2), Polynomial::default()];
    if n > 0 {
        let mut power = vec![Fr::zero(); n];
        power[n - 1] = -Fr::one();
        all.extend([vec![random_fr(rng)], power, vec![-Fr::one(); n]].map(Polynomial::new));
    }
    all
}

/// Returns Σ c_i·x^i.
fn evaluate(p: &Polynomial, x: Fr) -> Fr {
    let terms = p.coefficients().iter().enumerate().map(|(i, c)| *c * x.pow_vartime(i as u64));
    terms.fold(Fr::zero(), |sum, term| sum + term)
}

/// Returns the root of unity of order `len` to the power `index`.
fn root(len: usize, index: usize) -> Fr {
    Fr::root_of_unity(len.ilog2()).unwrap().pow_vartime(index as u64)
}

fn values(p: &Polynomial, len: usize) -> Vec<Fr> {
    (0..len).map(|i| evaluate(p, root(len, i))).collect()
}

/// Returns ((p − I)(s) / (sⁿ − xⁿ))·G, which can be computed in this way only with the secret s. I has the values of p
/// on x·⟨ω⟩ for the root ω of order n, by Lagrange's formula.
fn expected_proof(p: &Polynomial, s: Fr, x: Fr, n: usize) -> G1Affine {
    let coset: Vec<Fr> = (0..n).map(|i| x * root(n, i)).collect();
    let quotient =
        |of: &dyn Fn(Fr) -> Fr| coset.iter().fold(Fr::one(), |product, point| product * of(*point));
    let lagrange = |x: Fr| {
        quotient(&|other| if x == other { Fr::one() } else { (s - other) * (x - other).inverse().unwrap() })
    };
    let interpolated = coset.iter().fold(Fr::zero(), |sum, x| sum + evaluate(p, *x) * lagrange(*x));
    let divisor = quotient(&|point| s - point);
    (G1::generator() * ((evaluate(p, s) - interpolated) * divisor.inverse().unwrap())).to_affine()
}

/// Returns the index with its log₂ n bits reversed.
fn reversed(n: usize, index: usize) -> usize {
    (0..n.ilog2()).fold(0, |reversed, bit| reversed << 1 | (index >> bit & 1))
}

fn wrong_length<T>(len: usize, most: usize) -> Result<T, Error> {
    Err(Error::Bls(bls::Error::Length { len, most }))
}

fn too_short<T>(group: &'static str, needed: usize, got: usize) -> Result<T, Error> {
    Err(Error::SetupTooShort { group, needed, got })
}

#[test]
fn values_and_samples_agree_with_the_definition() {
    let mut rng = rng();
    // A table that is larger than needed makes no difference.
    let fft = fft(8);
    for scale in 0..=7 {
        let n = 1 << scale;
        for p in polynomials(&mut rng, n) {
            let expected = values(&p, 2 * n);
            assert_eq!(p.values(&Serial, &fft, 2 * n).unwrap(), expected);
            let [even, odd] =
                [0, 1].map(|from| expected.iter().skip(from).step_by(2).copied().collect::<Vec<_>>());
            assert_eq!(Polynomial::from_values(&Serial, &fft, &even).unwrap(), p);
            assert_eq!(fft.das_fft_extension(&Serial, &even).unwrap(), odd, "scale {scale}");
            let x = random_fr(&mut rng);
            assert_eq!(p.evaluate(x), evaluate(&p, x));
        }
    }
    let p = random_polynomial(&mut rng, 3);
    assert_eq!(p.values(&Serial, &fft, 2), Err(Error::TooManyCoefficients { len: 3, most: 2 }));
    for len in [0, 3, 257, 512] {
        let values = vec![Fr::one(); len];
        assert_eq!(p.values(&Serial, &fft, len), wrong_length(len, 256));
        assert_eq!(Polynomial::from_values(&Serial, &fft, &values), wrong_length(len, 256));
        assert_eq!(fft.das_fft_extension(&Serial, &values), wrong_length(len, 256));
        for sample in [None, Some(Fr::one())] {
            assert_eq!(fft.recover_polynomial(&Serial, &vec![sample; len]), wrong_length(len, 256));
        }
    }
    let none = FftSettings::new(Request::Auto, 33).map(|_| ());
    assert_eq!(none, Err(Error::Bls(bls::Error::Scale { scale: 33 })));
}

fn without(values: &[Fr], missing: &[usize]) -> Vec<Option<Fr>> {
    let mut samples: Vec<_> = values.iter().copied().map(Some).collect();
    missing.iter().for_each(|i| samples[*i] = None);
    samples
}

#[test]
fn up_to_half_may_be_missing_and_wrong_samples_are_found() {
    let mut rng = rng();
    for scale in 1..=8 {
        let len: usize = 1 << scale;
        let fft = fft(scale + scale % 2);
        let mut some = |count| {
            let mut indices: Vec<usize> = (0..len).collect();
            indices.shuffle(&mut rng);
            indices.truncate(count);
            indices
        };
        let mut sets = [0, 1, len / 4, len / 2 - 1, len / 2].map(&mut some).to_vec();
        sets.extend([(0..len / 2).collect(), (len / 2..len).collect(), (0..len).step_by(2).collect()]);
        let too_many = [len / 2 + 1, len].map(some);
        for p in polynomials(&mut rng, len / 2) {
            let values = values(&p, len);
            for missing in &sets {
                let mut samples = without(&values, missing);
                let found = fft.recover_polynomial(&Serial, &samples);
                assert_eq!(found.as_ref(), Ok(&p), "{len} samples without {missing:?}");
                // One sample more than determine the polynomial, or several, one of them wrong by 1.
                let wrong = samples.iter_mut().flatten().last().unwrap();
                *wrong += Fr::one();
                let found = fft.recover_polynomial(&Serial, &samples);
                match missing.len() < len / 2 {
                    true => assert_eq!(found, Err(Error::Inconsistent { bound: len / 2 })),
                    // Exactly half of the samples: any values have a polynomial.
                    false => assert_ne!(found.unwrap(), p),
                }
            }
            for missing in &too_many {
                let error = Error::TooManyMissing { missing: missing.len(), most: len / 2 };
                assert_eq!(fft.recover_polynomial(&Serial, &without(&values, missing)), Err(error));
            }
        }
    }
}

#[test]
fn values_on_a_coset_are_proven() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let settings = settings(secret, 4, 16, 17);
    let random_point = (G1::generator() * random_fr(&mut rng)).to_affine();
    let all: Vec<_> =
        [1, 2, 4, 8, 16].map(|n| polynomials(&mut rng, 16).into_iter().map(move |p| (n, p))).into();
    for (n, p) in all.into_iter().flatten() {
        let commitment = settings.commit(&Serial, &p).unwrap();
        assert_eq!(commitment, (G1::generator() * evaluate(&p, secret)).to_affine());
        for x in [Fr::one(), random_fr(&mut rng)] {
            let (proof, ys) = settings.prove_multi(&Serial, &p, x, n).unwrap();
            let expected: Vec<Fr> = (0..n).map(|i| evaluate(&p, x * root(n, i))).collect();
            assert_eq!((&ys, proof), (&expected, expected_proof(&p, secret, x, n)));
            let check = |c: &G1Affine, x, ys: &[Fr], proof: &G1Affine| {
                let multi = settings.check_multi(&Serial, c, x, ys, proof).unwrap();
                if n == 1 {
                    assert_eq!(settings.check(&Serial, c, x, ys[0], proof), Ok(multi));
                }
                multi
            };
            if n == 1 {
                assert_eq!(settings.prove(&Serial, &p, x).unwrap(), (proof, ys[0]));
            }
            assert!(check(&commitment, x, &ys, &proof));
            let mut wrong = ys.clone();
            wrong[rng.random_range(0..n)] += Fr::one();
            assert!(!check(&commitment, x, &wrong, &proof), "wrong y");
            assert!(!check(&commitment, x, &ys, &random_point), "wrong proof");
            assert!(!check(&random_point, x, &ys, &proof), "wrong commitment");
            // The quotient of a short polynomial is 0, and its proof is infinity.
            let short = p.coefficients().len() <= n;
            assert_eq!(proof.is_identity(), short);
            assert_eq!(check(&commitment, x, &ys, &G1Affine::identity()), short, "infinity as proof");
            assert_eq!(check(&commitment, x, &ys, &-proof), short, "minus the proof");
            let constant = p.coefficients().len() <= 1;
            assert_eq!(check(&commitment, x * Fr::from(3), &ys, &proof), constant, "wrong x: {n} points");
        }
    }
    // At 0, and at x = s, where the proof drops out of the equation: any proof verifies, but only for the correct
    // value.
    let p = random_polynomial(&mut rng, 16);
    let commitment = settings.commit(&Serial, &p).unwrap();
    for (x, other) in [(Fr::zero(), false), (secret, true)] {
        let (proof, y) = settings.prove(&Serial, &p, x).unwrap();
        for (y, proof, right) in [
            (y, proof, true),
            (y, -proof, other),
            (y + Fr::one(), proof, false),
            (y + Fr::one(), -proof, false),
        ] {
            assert_eq!(settings.check(&Serial, &commitment, x, y, &proof), Ok(right));
        }
    }
}

#[test]
fn bad_cosets_and_short_setups_are_errors() {
    let (p, point, one) = (Polynomial::new(vec![Fr::one(); 8]), G1Affine::generator(), Fr::one());
    let whole = settings(Fr::from(5), 2, 8, 9);
    for n in [0, 3, 5, 8] {
        assert_eq!(whole.prove_multi(&Serial, &p, one, n), wrong_length(n, 4));
        assert_eq!(whole.check_multi(&Serial, &point, one, &vec![one; n], &point), wrong_length(n, 4));
    }
    for n in [1, 4] {
        assert_eq!(whole.prove_multi(&Serial, &p, Fr::zero(), n), Err(Error::ZeroFactor));
        let found = whole.check_multi(&Serial, &point, Fr::zero(), &vec![one; n], &point);
        assert_eq!(found, Err(Error::ZeroFactor));
    }
    for (g1, g2, error) in [(0, 1, too_short("G1", 1, 0)), (1, 0, too_short("G2", 1, 0))] {
        let powers = PowersOfTau::insecure(&Serial, Fr::from(5), g1, g2);
        assert_eq!(KzgSettings::new(fft(3), powers).map(|_| ()), error);
    }
    let check =
        |g2, n| settings(Fr::from(5), 3, 3, g2).check_multi(&Serial, &point, one, &vec![one; n], &point);
    assert_eq!((check(4, 2), check(4, 4)), (Ok(false), too_short("G2", 5, 4)));
    assert_eq!(check(5, 4), too_short("G1", 4, 3));
    let few = settings(Fr::from(5), 3, 3, 1);
    assert_eq!(few.check(&Serial, &point, one, one, &point), too_short("G2", 2, 1));
    assert_eq!(few.commit(&Serial, &p), too_short("G1", 8, 3));
    assert_eq!(few.prove_multi(&Serial, &p, one, 4), too_short("G1", 4, 3));
    assert!(few.prove_multi(&Serial, &p, one, 8).is_ok(), "the quotient is 0");
    let powers = PowersOfTau::insecure(&Serial, Fr::from(7), 8, 1);
    let fk20 = |n, l| Fk20::new(&Serial, Request::Auto, &powers, n, l, 0).map(|_| ());
    assert_eq!((fk20(3, 1), fk20(1 << 32, 1)), (wrong_length(3, 1 << 31), wrong_length(1 << 32, 1 << 31)));
    assert_eq!((fk20(8, 0), fk20(8, 16)), (wrong_length(0, 8), wrong_length(16, 8)));
    assert_eq!(fk20(16, 2), too_short("G1", 16, 8));
    let fk20 = Fk20::new(&Serial, Request::Auto, &powers, 4, 2, 0).unwrap();
    assert_eq!(fk20.proofs(&Serial, &p), Err(Error::TooManyCoefficients { len: 8, most: 4 }));
}

#[test]
fn all_proofs_are_the_proofs_one_by_one() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let powers = PowersOfTau::insecure(&Serial, secret, 16, 17);
    let settings = KzgSettings::new(fft(5), powers.clone()).unwrap();
    for (n, l) in (0..=4).flat_map(|scale| (0..=scale).map(move |of| (1 << scale, 1 << of))) {
        let fk20 = Fk20::new(&Serial, Request::Auto, &powers, n, l, 0).unwrap();
        for p in polynomials(&mut rng, n) {
            let commitment = settings.commit(&Serial, &p).unwrap();
            let mut values = p.values(&Serial, &fft(5), 2 * n).unwrap();
            bit_reversal::permute(&mut values);
            let proofs = fk20.proofs(&Serial, &p).unwrap();
            assert_eq!(proofs.len(), 2 * n / l);
            // Proof i belongs to the values from i·l on.
            for (i, (proof, values)) in proofs.iter().zip(values.chunks_mut(l)).enumerate() {
                let x = root(2 * n, reversed(2 * n / l, i));
                assert_eq!(*proof, settings.prove_multi(&Serial, &p, x, l).unwrap().0, "n = {n}, l = {l}");
                bit_reversal::permute(values);
                assert_eq!(
                    settings.check_multi(&Serial, &commitment, x, values, proof),
                    Ok(true),
                    "proof {i}"
                );
            }
        }
    }
}

#[test]
fn every_runtime_and_budget_gives_the_same() {
    let mut rng = rng();
    let (secret, x) = (random_fr(&mut rng), random_fr(&mut rng));
    let p = random_polynomial(&mut rng, 64);
    let long: Vec<Fr> = (0..1 << 13).map(|_| random_fr(&mut rng)).collect();
    let all = |rt: &dyn parcrypt_runtime::Runtime, budget| {
        let powers = PowersOfTau::insecure(rt, secret, 64, 9);
        let fk20 = Fk20::new(rt, Request::Auto, &powers, 64, 4, budget).unwrap();
        let settings = KzgSettings::new(fft(3), powers).unwrap();
        let multi = settings.prove_multi(rt, &p, x, 8).unwrap();
        let commitment = settings.commit(rt, &p).unwrap();
        assert!(settings.check_multi(rt, &commitment, x, &multi.1, &multi.0).unwrap());
        let fft = fft(14);
        let odd = fft.das_fft_extension(rt, &long).unwrap();
        let samples: Vec<_> = odd.iter().flat_map(|odd| [None, Some(*odd)]).collect();
        let recovered = fft.recover_polynomial(rt, &samples).unwrap();
        assert!(recovered == Polynomial::from_values(rt, &fft, &long).unwrap());
        (commitment, multi, fk20.proofs(rt, &p).unwrap(), odd)
    };
    let expected = all(&Serial, 0);
    for rt in runtimes("parcrypt-kzg10") {
        for budget in [0, 1 << 22] {
            assert!(all(&*rt, budget) == expected, "{} with {} threads", rt.name(), rt.threads());
        }
    }
}
