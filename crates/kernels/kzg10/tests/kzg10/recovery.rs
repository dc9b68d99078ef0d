//! Recovery of missing samples.

use parcrypt_bls12_381::{Fr, Request};
use parcrypt_kzg10::{Error, FftSettings};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::SliceRandom;
use parcrypt_testkit::{rng, runtimes};

use crate::{polynomials, random_fr, random_polynomial, reference};

/// Returns `count` of the indices below `len`, in any order.
fn some(rng: &mut impl Rng, len: usize, count: usize) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..len).collect();
    indices.shuffle(rng);
    indices.truncate(count);
    indices
}

fn without(values: &[Fr], missing: &[usize]) -> Vec<Option<Fr>> {
    let mut samples: Vec<_> = values.iter().copied().map(Some).collect();
    missing.iter().for_each(|i| samples[*i] = None);
    samples
}

#[test]
fn up_to_half_may_be_missing() {
    let mut rng = rng();
    for scale in 1..=8 {
        let len: usize = 1 << scale;
        for fft in [scale, scale + 1].map(|scale| FftSettings::new(Request::Auto, scale).unwrap()) {
            for p in polynomials(&mut rng, len / 2) {
                let values = reference::values(&p, len);
                let mut sets = [0, 1, len / 4, len / 2 - 1, len / 2].map(|n| some(&mut rng, len, n)).to_vec();
                sets.push((0..len / 2).collect());
                sets.push((len / 2..len).collect());
                sets.push((0..len).step_by(2).collect());
                sets.push((1..len).step_by(2).collect());
                for missing in sets {
                    let samples = without(&values, &missing);
                    let found = fft.recover_polynomial(&Serial, &samples);
                    assert_eq!(found.as_ref(), Ok(&p), "{len} samples without {missing:?}");
                }
            }
        }
    }
}

#[test]
fn recovery_agrees_with_interpolation() {
    let mut rng = rng();
    let fft = FftSettings::new(Request::Auto, 4).unwrap();
    // Exactly half of the samples: any values have a polynomial.
    let missing = some(&mut rng, 16, 8);
    let mut samples: Vec<_> = (0..16).map(|_| Some(random_fr(&mut rng))).collect();
    missing.iter().for_each(|i| samples[*i] = None);
    let known: Vec<_> =
        (0..16).filter_map(|i| samples[i].map(|sample| (reference::root(16, i), sample))).collect();
    assert_eq!(fft.recover_polynomial(&Serial, &samples).unwrap(), reference::interpolate(&known));
}

#[test]
fn one_too_many_missing_is_an_error() {
    let mut rng = rng();
    for scale in 1..=6 {
        let len = 1 << scale;
        let fft = FftSettings::new(Request::Auto, scale).unwrap();
        let p = random_polynomial(&mut rng, len / 2);
        for count in [len / 2 + 1, len] {
            let samples = without(&reference::values(&p, len), &some(&mut rng, len, count));
            let error = Error::TooManyMissing { missing: count, most: len / 2 };
            assert_eq!(fft.recover_polynomial(&Serial, &samples), Err(error));
        }
    }
}

#[test]
fn samples_of_no_polynomial_are_an_error() {
    let mut rng = rng();
    for scale in 1..=7 {
        let len = 1 << scale;
        let fft = FftSettings::new(Request::Auto, scale).unwrap();
        let p = random_polynomial(&mut rng, len / 2);
        let error = Err(Error::Inconsistent { bound: len / 2 });
        for count in [0, 1.min(len / 2 - 1), len / 2 - 1] {
            // One sample more than determine the polynomial, or several, one of them wrong by 1.
            let mut samples = without(&reference::values(&p, len), &some(&mut rng, len, count));
            let known: Vec<usize> = (0..len).filter(|i| samples[*i].is_some()).collect();
            let wrong = known[rng.random_range(0..known.len())];
            samples[wrong] = samples[wrong].map(|sample| sample + Fr::one());
            assert_eq!(fft.recover_polynomial(&Serial, &samples), error, "{count} of {len} are missing");
        }
        // One coefficient too many.
        let p = random_polynomial(&mut rng, len / 2 + 1);
        let samples = without(&reference::values(&p, len), &some(&mut rng, len, len / 2 - 1));
        assert_eq!(fft.recover_polynomial(&Serial, &samples), error);
    }
}

#[test]
fn wrong_numbers_of_samples_are_an_error() {
    let fft = FftSettings::new(Request::Auto, 3).unwrap();
    for len in [0, 1, 3, 6, 7, 9, 16] {
        for sample in [None, Some(Fr::one())] {
            let error = Error::Length { len, least: 2, most: 8 };
            assert_eq!(fft.recover_polynomial(&Serial, &vec![sample; len]), Err(error));
        }
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let mut rng = rng();
    for scale in [9, 11, 13] {
        let len = 1 << scale;
        let fft = FftSettings::new(Request::Auto, scale).unwrap();
        let p = random_polynomial(&mut rng, len / 2);
        let values = p.values(&Serial, &fft, len).unwrap();
        let missing = some(&mut rng, len, len / 2);
        let samples = without(&values, &missing);
        for rt in runtimes("parcrypt-kzg") {
            let what = format!("{} with {} threads, scale {scale}", rt.name(), rt.threads());
            assert!(fft.recover_polynomial(&*rt, &samples).as_ref() == Ok(&p), "{what}");
        }
    }
}
