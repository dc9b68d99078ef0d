//! Polynomials by their coefficients and by their values.

use parcrypt_bls12_381::{self as bls, Fr, Request};
use parcrypt_kzg10::{Error, FftSettings, Polynomial};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rng;

use crate::{polynomials, random_fr, random_polynomial, reference};

#[test]
fn zeros_at_the_end_do_not_count() {
    let [zero, one] = [Fr::zero(), Fr::one()];
    for (given, expected) in
        [(vec![], 0), (vec![zero; 5], 0), (vec![one, zero, zero], 1), (vec![zero, one], 2)]
    {
        assert_eq!(Polynomial::new(given.clone()).coefficients(), &given[..expected]);
    }
    assert_eq!(Polynomial::new(vec![zero; 5]), Polynomial::default());
}

#[test]
fn values_agree_with_the_definition() {
    let mut rng = rng();
    for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65] {
        for p in polynomials(&mut rng, n) {
            for x in [Fr::zero(), Fr::one(), -Fr::one(), random_fr(&mut rng)] {
                assert_eq!(p.evaluate(&Serial, x), reference::evaluate(&p, x), "{n} coefficients");
            }
        }
    }
    let fft = FftSettings::new(Request::Auto, 6).unwrap();
    for scale in 0..=6 {
        let len = 1 << scale;
        for p in polynomials(&mut rng, len) {
            let values = p.values(&Serial, &fft, len).unwrap();
            assert_eq!(values, reference::values(&p, len));
            assert_eq!(Polynomial::from_values(&Serial, &fft, &values).unwrap(), p);
        }
    }
    let p = random_polynomial(&mut rng, 3);
    assert_eq!(
        p.values(&Serial, &fft, 4).unwrap(),
        reference::values(&p, 4),
        "more values than coefficients"
    );
    assert_eq!(p.values(&Serial, &fft, 2), Err(Error::TooManyCoefficients { len: 3, most: 2 }));
    for len in [0, 3, 63, 65, 128, usize::MAX] {
        assert_eq!(p.values(&Serial, &fft, len), Err(Error::Length { len, least: 1, most: 64 }));
    }
    for len in [0, 3, 63, 65, 128] {
        let error = Error::Bls(bls::Error::Length { len, most: 64 });
        assert_eq!(Polynomial::from_values(&Serial, &fft, &vec![Fr::one(); len]), Err(error));
    }
}
