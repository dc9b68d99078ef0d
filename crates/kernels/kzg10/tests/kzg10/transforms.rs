//! Roots, transforms, the extension of samples, values between samples.

use parcrypt_bls12_381::{self as bls, Fr, G1, Request};
use parcrypt_kzg10::{Error, FftSettings, Polynomial, reverse_bit_order};
use parcrypt_runtime::Serial;
use parcrypt_testkit::{rng, runtimes};

use crate::{polynomials, random_all, random_fr, random_polynomial, reference};

#[test]
fn roots_are_the_powers_of_one() {
    for scale in 0..=6 {
        let fft = FftSettings::new(Request::Auto, scale).unwrap();
        assert_eq!((fft.scale(), fft.size()), (scale, 1 << scale));
        let expected: Vec<Fr> = (0..=fft.size()).map(|i| reference::root(fft.size(), i)).collect();
        assert_eq!(fft.expanded_roots(), expected);
        assert_eq!((expected[0], expected[fft.size()]), (Fr::one(), Fr::one()));
        assert_eq!(fft.reversed_roots().len(), fft.size() + 1);
        for (root, inverse) in expected.iter().zip(fft.reversed_roots()) {
            assert_eq!(*root * inverse, Fr::one());
        }
        assert_eq!(fft.domain().size(), fft.size());
    }
    let scale = |scale| Err(Error::Bls(bls::Error::Scale { scale }));
    assert_eq!(FftSettings::new(Request::Auto, 33).map(|_| ()), scale(33));
    assert_eq!(FftSettings::new(Request::Auto, u32::MAX).map(|_| ()), scale(u32::MAX));
}

#[test]
fn transforms_round_trip() {
    let mut rng = rng();
    let fft = FftSettings::new(Request::Auto, 6).unwrap();
    for scale in 0..=6 {
        let p = random_polynomial(&mut rng, 1 << scale);
        let values = fft.fft(&Serial, p.coefficients()).unwrap();
        assert_eq!(values, reference::values(&p, 1 << scale));
        assert_eq!(fft.inverse_fft(&Serial, &values).unwrap(), p.coefficients());
    }
    let points: Vec<G1> = random_all(&mut rng, 8).into_iter().map(|x| G1::generator() * x).collect();
    let there = fft.fft(&Serial, &points).unwrap();
    assert_eq!(fft.inverse_fft(&Serial, &there).unwrap(), points);
    for len in [0, 3, 63, 65, 128] {
        let error = Err(Error::Bls(bls::Error::Length { len, most: 64 }));
        assert_eq!(fft.fft(&Serial, &vec![Fr::one(); len]), error);
        assert_eq!(fft.inverse_fft(&Serial, &vec![Fr::one(); len]), error);
    }
}

#[test]
fn odd_samples_follow_from_even_ones() {
    let mut rng = rng();
    for scale in 1..=7 {
        let n = 1 << (scale - 1);
        // A table that is larger than needed makes no difference.
        for fft in [scale, scale + 2].map(|scale| FftSettings::new(Request::Auto, scale).unwrap()) {
            for p in polynomials(&mut rng, n) {
                let values = reference::values(&p, 2 * n);
                let even: Vec<Fr> = values.iter().step_by(2).copied().collect();
                let odd: Vec<Fr> = values.iter().skip(1).step_by(2).copied().collect();
                assert_eq!(fft.das_fft_extension(&Serial, &even).unwrap(), odd, "scale {scale}");
            }
        }
    }
    let fft = FftSettings::new(Request::Auto, 3).unwrap();
    for len in [0, 3, 5, 8, 16] {
        let error = Err(Error::Length { len, least: 1, most: 4 });
        assert_eq!(fft.das_fft_extension(&Serial, &vec![Fr::one(); len]), error);
    }
    let none = FftSettings::new(Request::Auto, 0).unwrap().das_fft_extension(&Serial, &[Fr::one()]);
    assert_eq!(none, Err(Error::Length { len: 1, least: 1, most: 0 }), "one root cannot hold two samples");
}

#[test]
fn values_give_the_value_anywhere() {
    let mut rng = rng();
    let fft = FftSettings::new(Request::Auto, 7).unwrap();
    for scale in 0..=6 {
        let n = 1 << scale;
        for p in polynomials(&mut rng, n) {
            let values = reference::values(&p, n);
            let mut points = vec![Fr::zero(), Fr::one(), -Fr::one(), random_fr(&mut rng)];
            // In the domain, and in the domain of twice the size, where n of the points are not in the first.
            points.extend((0..2 * n).map(|i| reference::root(2 * n, i)));
            for x in points {
                let found = fft.evaluate_from_values(&Serial, &values, x).unwrap();
                assert_eq!(found, reference::evaluate(&p, x), "{n} values");
            }
        }
    }
    for len in [0, 3, 127, 129, 256] {
        let error = Err(Error::Length { len, least: 1, most: 128 });
        assert_eq!(fft.evaluate_from_values(&Serial, &vec![Fr::one(); len], Fr::one()), error);
    }
}

#[test]
fn bits_are_reversed() {
    for scale in 0..=7 {
        let mut order: Vec<usize> = (0..1 << scale).collect();
        reverse_bit_order(&mut order).unwrap();
        let expected: Vec<usize> = (0..1 << scale).map(|i| reference::reversed(1 << scale, i)).collect();
        assert_eq!(order, expected);
    }
    for len in [0, 3, 12] {
        assert!(
            matches!(reverse_bit_order(&mut vec![0; len]), Err(Error::Length { len: l, .. }) if l == len)
        );
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let mut rng = rng();
    let fft = FftSettings::new(Request::Auto, 14).unwrap();
    // Around the size of a piece, and with many pieces.
    for scale in [3, 9, 10, 11, 13] {
        let values = random_all(&mut rng, 1 << scale);
        let x = random_fr(&mut rng);
        let all = |rt: &dyn parcrypt_runtime::Runtime| {
            let p = Polynomial::from_values(rt, &fft, &values).unwrap();
            assert_eq!(p.values(rt, &fft, 1 << scale).unwrap(), values);
            let odd = fft.das_fft_extension(rt, &values).unwrap();
            (odd, fft.evaluate_from_values(rt, &values, x).unwrap(), p.evaluate(rt, x))
        };
        let expected = all(&Serial);
        assert_eq!(expected.1, expected.2, "the value from values and that from coefficients");
        for rt in runtimes("parcrypt-kzg") {
            assert_eq!(all(&*rt), expected, "{} with {} threads, scale {scale}", rt.name(), rt.threads());
        }
    }
}
