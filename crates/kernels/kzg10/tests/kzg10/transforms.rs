//! Transforms and the extension of samples.

use parcrypt_bls12_381::{self as bls, Fr, Request};
use parcrypt_kzg10::{Error, FftSettings, Polynomial};
use parcrypt_runtime::Serial;
use parcrypt_testkit::{rng, runtimes};

use crate::{polynomials, random_all, random_fr, reference};

#[test]
fn roots_of_too_large_an_order_are_an_error() {
    for scale in [33, u32::MAX] {
        let found = FftSettings::new(Request::Auto, scale).map(|_| ());
        assert_eq!(found, Err(Error::Bls(bls::Error::Scale { scale })));
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
            (fft.das_fft_extension(rt, &values).unwrap(), p.evaluate(rt, x))
        };
        let expected = all(&Serial);
        for rt in runtimes("parcrypt-kzg") {
            assert_eq!(all(&*rt), expected, "{} with {} threads, scale {scale}", rt.name(), rt.threads());
        }
    }
}
