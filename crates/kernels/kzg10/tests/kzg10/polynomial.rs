//! Arithmetic of polynomials against its definition and against arkworks.

use ark_ff::{BigInteger, PrimeField};
use ark_poly::univariate::{DenseOrSparsePolynomial, DensePolynomial};
use ark_poly::{DenseUVPolynomial, Polynomial as _};
use parcrypt_bls12_381::{self as bls, Fr, Request};
use parcrypt_kzg10::{Error, FftSettings, Polynomial};
use parcrypt_runtime::Serial;
use parcrypt_testkit::{rng, runtimes};

use crate::{polynomials, random_all, random_fr, random_polynomial, reference};

type ArkFr = ark_bls12_381::Fr;
type Ark = DensePolynomial<ArkFr>;

fn to_ark_fr(x: &Fr) -> ArkFr {
    ArkFr::from_be_bytes_mod_order(&x.to_bytes())
}

fn to_ark(p: &Polynomial) -> Ark {
    Ark::from_coefficients_vec(p.coefficients().iter().map(to_ark_fr).collect())
}

fn from_ark_fr(x: &ArkFr) -> Fr {
    Fr::from_bytes(&x.into_bigint().to_bytes_be().try_into().unwrap()).unwrap()
}

fn from_ark(p: &Ark) -> Polynomial {
    Polynomial::new(p.coeffs.iter().map(from_ark_fr).collect())
}

/// Returns 1/p modulo X^terms, term by term.
fn inverse(p: &Polynomial, terms: usize) -> Polynomial {
    let f = p.coefficients();
    let constant = f[0].inverse().unwrap();
    let mut g = Vec::new();
    for k in 0..terms {
        let wanted = if k == 0 { Fr::one() } else { Fr::zero() };
        let sum = (1..=k).filter(|i| *i < f.len()).fold(Fr::zero(), |sum, i| sum + f[i] * g[k - i]);
        g.push((wanted - sum) * constant);
    }
    Polynomial::new(g)
}

/// Lengths around 0, around powers of two, and where the algorithm changes.
const LENGTHS: [usize; 16] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65];

#[test]
fn zeros_at_the_end_do_not_count() {
    let [zero, one] = [Fr::zero(), Fr::one()];
    assert_eq!(Polynomial::new(vec![]), Polynomial::zero());
    assert_eq!(Polynomial::new(vec![zero; 5]), Polynomial::default());
    assert_eq!(Polynomial::constant(zero), Polynomial::zero());
    assert_eq!(Polynomial::new(vec![one, zero, zero]), Polynomial::constant(one));
    assert_eq!(Polynomial::new(vec![zero, one, zero]).into_coefficients(), [zero, one]);
    assert!(Polynomial::zero().is_zero() && !Polynomial::constant(one).is_zero());
    assert_eq!(Polynomial::zero().degree(), None);
    assert_eq!(Polynomial::constant(one).degree(), Some(0));
    assert_eq!(Polynomial::new(vec![zero, zero, one]).degree(), Some(2));
}

#[test]
fn values_agree_with_the_definition() {
    let mut rng = rng();
    for n in LENGTHS {
        for p in polynomials(&mut rng, n) {
            for x in [Fr::zero(), Fr::one(), -Fr::one(), random_fr(&mut rng)] {
                let found = p.evaluate(&Serial, x);
                assert_eq!(found, reference::evaluate(&p, x), "{n} coefficients");
                assert_eq!(found, from_ark_fr(&to_ark(&p).evaluate(&to_ark_fr(&x))));
            }
        }
    }
    let fft = FftSettings::new(Request::Auto, 3).unwrap();
    let p = random_polynomial(&mut rng, 3);
    for len in [4, 8] {
        assert_eq!(p.values(&Serial, &fft, len).unwrap(), reference::values(&p, len));
        assert_eq!(Polynomial::from_values(&Serial, &fft, &reference::values(&p, len)).unwrap(), p);
    }
    assert_eq!(p.values(&Serial, &fft, 2), Err(Error::TooManyCoefficients { len: 3, most: 2 }));
    for len in [0, 3, 16, usize::MAX] {
        assert_eq!(p.values(&Serial, &fft, len), Err(Error::Length { len, least: 1, most: 8 }));
    }
    let error = Error::Bls(bls::Error::Length { len: 3, most: 8 });
    assert_eq!(Polynomial::from_values(&Serial, &fft, &[Fr::one(); 3]), Err(error));
}

#[test]
fn sums_and_differences() {
    let mut rng = rng();
    for (a, b) in [(0, 0), (0, 3), (3, 0), (5, 5), (5, 9), (9, 5)] {
        let (p, q) = (random_polynomial(&mut rng, a), random_polynomial(&mut rng, b));
        assert_eq!(to_ark(&(&p + &q)), to_ark(&p) + to_ark(&q));
        assert_eq!(to_ark(&(&p - &q)), &to_ark(&p) - &to_ark(&q));
        assert_eq!(to_ark(&-&p), -to_ark(&p));
        assert_eq!(&(&p - &q) + &q, p);
        assert!((&p - &p).is_zero(), "leading terms that cancel are taken away");
    }
}

#[test]
fn products_agree_with_the_definition() {
    let mut rng = rng();
    for a in LENGTHS {
        for b in LENGTHS {
            let special = polynomials(&mut rng, a).into_iter().map(|p| (p, random_polynomial(&mut rng, b)));
            let mut pairs: Vec<_> = special.collect();
            // Products all of whose terms are large, and products of which only two terms are not 0.
            pairs.push((Polynomial::new(vec![-Fr::one(); a]), Polynomial::new(vec![-Fr::one(); b])));
            for (p, q) in pairs {
                let expected = reference::mul(&p, &q);
                assert_eq!(p.mul_direct(&Serial, &q), expected, "direct, {a} × {b}");
                assert_eq!(p.mul_fft(&Serial, &q).unwrap(), expected, "by transforms, {a} × {b}");
                assert_eq!(p.mul(&Serial, &q).unwrap(), expected, "{a} × {b}");
                assert_eq!(q.mul(&Serial, &p).unwrap(), expected, "{b} × {a}");
            }
        }
    }
}

#[test]
fn long_products_agree_with_arkworks() {
    let mut rng = rng();
    // 2^k + 1 coefficients, where the product wraps around by one, and its neighbours.
    for (a, b) in [(1, 1025), (513, 513), (512, 513), (514, 513), (2, 4096), (1000, 3000), (2049, 2049)] {
        let (p, q) = (random_polynomial(&mut rng, a), random_polynomial(&mut rng, b));
        let expected = &to_ark(&p) * &to_ark(&q);
        assert_eq!(to_ark(&p.mul(&Serial, &q).unwrap()), expected, "{a} × {b}");
        assert_eq!(to_ark(&p.mul_fft(&Serial, &q).unwrap()), expected, "{a} × {b}");
    }
}

#[test]
fn quotients_agree_with_arkworks() {
    let mut rng = rng();
    let mut lengths = LENGTHS.to_vec();
    lengths.extend([300, 1100]);
    for a in lengths.iter().copied() {
        for b in lengths.iter().copied() {
            let mut pairs = vec![(random_polynomial(&mut rng, a), random_polynomial(&mut rng, b))];
            if a < 300 && b < 300 {
                let others: Vec<_> = polynomials(&mut rng, b);
                pairs.extend(polynomials(&mut rng, a).into_iter().zip(others));
            }
            for (p, q) in pairs {
                let found = [p.div_rem_long(&q), p.div_rem_fast(&Serial, &q), p.div_rem(&Serial, &q)];
                if q.is_zero() {
                    assert!(found.iter().all(|r| *r == Err(Error::ZeroDivisor)), "{a} ÷ 0");
                    continue;
                }
                let divided = DenseOrSparsePolynomial::from(to_ark(&p))
                    .divide_with_q_and_r(&DenseOrSparsePolynomial::from(to_ark(&q)))
                    .unwrap();
                let expected = (from_ark(&divided.0), from_ark(&divided.1));
                assert!(found.iter().all(|r| r.as_ref() == Ok(&expected)), "{a} ÷ {b}");
                assert_eq!(&expected.0.mul(&Serial, &q).unwrap() + &expected.1, p);
            }
        }
    }
}

#[test]
fn products_are_divided_without_remainder() {
    let mut rng = rng();
    for (a, b) in [(1, 1), (1, 40), (40, 1), (32, 33), (65, 64), (700, 300)] {
        let (p, q) = (random_polynomial(&mut rng, a), random_polynomial(&mut rng, b));
        let product = p.mul(&Serial, &q).unwrap();
        for found in [product.div_rem_long(&q), product.div_rem_fast(&Serial, &q)] {
            assert_eq!(found.unwrap(), (p.clone(), Polynomial::zero()), "{a} × {b} ÷ {b}");
        }
    }
}

#[test]
fn inverses_agree_with_the_definition() {
    let mut rng = rng();
    for n in [1, 2, 3, 31, 32, 33, 64, 100, 300] {
        let mut series = polynomials(&mut rng, n);
        series.iter_mut().for_each(|p| {
            let mut c = p.coefficients().to_vec();
            c.resize(n.max(1), Fr::zero());
            c[0] = Fr::from(c.len() as u64 + 1);
            *p = Polynomial::new(c);
        });
        for p in series {
            let expected = inverse(&p, 257);
            for terms in [0, 1, 2, 31, 32, 33, 63, 64, 65, 128, 200, 256, 257] {
                let found = p.inverse(&Serial, terms).unwrap();
                let cut: Vec<Fr> = expected.coefficients().iter().take(terms).copied().collect();
                assert_eq!(found, Polynomial::new(cut), "{terms} terms of 1 over {n} coefficients");
            }
        }
    }
}

#[test]
fn a_missing_inverse_is_an_error() {
    let x = Polynomial::new(vec![Fr::zero(), Fr::one()]);
    for p in [Polynomial::zero(), x] {
        for terms in [0, 1, 100] {
            assert_eq!(p.inverse(&Serial, terms), Err(Error::NotInvertible));
        }
    }
    let one = Polynomial::constant(Fr::one());
    for terms in [(1 << 32) + 1, usize::MAX / 2, usize::MAX] {
        let found = one.inverse(&Serial, terms);
        assert!(matches!(found, Err(Error::Bls(bls::Error::Scale { .. }))), "{terms} terms: {found:?}");
    }
}

#[test]
fn scaling_moves_the_argument() {
    let mut rng = rng();
    for n in [0, 1, 2, 5, 1023, 1024, 1025, 3000] {
        let (p, factor, x) = (random_polynomial(&mut rng, n), random_fr(&mut rng), random_fr(&mut rng));
        let scaled = p.scale(&Serial, factor);
        assert_eq!(scaled.evaluate(&Serial, x), p.evaluate(&Serial, factor * x));
        assert_eq!(scaled.unscale(&Serial, factor).unwrap(), p);
        assert_eq!(p.scale(&Serial, Fr::one()), p);
        assert_eq!(p.unscale(&Serial, Fr::zero()), Err(Error::ZeroFactor));
        let constant = p.coefficients().first().copied().unwrap_or_default();
        assert_eq!(p.scale(&Serial, Fr::zero()), Polynomial::constant(constant));
    }
}

#[test]
fn roots_make_a_product() {
    let mut rng = rng();
    for n in [0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 129] {
        let mut roots = random_all(&mut rng, n);
        assert_eq!(Polynomial::from_roots(&Serial, &roots).unwrap(), reference::from_roots(roots.clone()));
        // Some repeated, and 0 among them.
        if n > 3 {
            roots[1] = roots[2];
            roots[3] = Fr::zero();
            let found = Polynomial::from_roots(&Serial, &roots).unwrap();
            assert_eq!(found, reference::from_roots(roots.clone()));
        }
    }
    let roots = random_all(&mut rng, 3000);
    let p = Polynomial::from_roots(&Serial, &roots).unwrap();
    assert_eq!(p.degree(), Some(3000));
    assert!(roots.iter().all(|root| p.evaluate(&Serial, *root) == Fr::zero()));
}

#[test]
fn every_runtime_gives_the_same() {
    let mut rng = rng();
    let (p, q) = (random_polynomial(&mut rng, 9000), random_polynomial(&mut rng, 3000));
    let (x, roots) = (random_fr(&mut rng), random_all(&mut rng, 1000));
    let all = |rt: &dyn parcrypt_runtime::Runtime| {
        let (quotient, remainder) = p.div_rem_fast(rt, &q).unwrap();
        vec![
            p.mul(rt, &q).unwrap(),
            Polynomial::new(p.coefficients()[..900].to_vec()).mul_direct(rt, &q),
            quotient,
            remainder,
            q.inverse(rt, 5000).unwrap(),
            p.scale(rt, x),
            Polynomial::from_roots(rt, &roots).unwrap(),
            Polynomial::constant(p.evaluate(rt, x)),
        ]
    };
    let expected = all(&Serial);
    for rt in runtimes("parcrypt-kzg") {
        assert!(all(&*rt) == expected, "{} with {} threads", rt.name(), rt.threads());
    }
}
