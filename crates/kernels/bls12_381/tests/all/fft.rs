//! The fast transforms against arkworks, and against each other on every runtime.

use ark_ff::PrimeField;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_serialize::CanonicalDeserialize;
use parcrypt_bls12_381::fft::Element;
use parcrypt_bls12_381::{Decomposition, Domain, Error, Fr, G1, Request};
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::{rng, runtimes};

fn random_fr(n: usize) -> Vec<Fr> {
    let mut rng = rng();
    (0..n).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).collect()
}

/// Returns random points, including infinity, a pair of equal ones and a pair of opposite ones.
fn random_g1(n: usize) -> Vec<G1> {
    let mut points: Vec<G1> = random_fr(n).into_iter().map(|x| G1::generator() * x).collect();
    if n >= 8 {
        points[1] = G1::identity();
        points[2] = points[3];
        points[4] = -points[5];
    }
    points
}

fn fast<T: Element>(rt: &dyn Runtime, domain: &Domain, d: Decomposition, input: &[T]) -> (Vec<T>, Vec<T>) {
    let mut forward = vec![T::default(); input.len()];
    domain.fft(rt, d, input, &mut forward).unwrap();
    let mut back = vec![T::default(); input.len()];
    domain.inverse_fft(rt, d, input, &mut back).unwrap();
    (forward, back)
}

fn same_on_every_runtime<T: Element + PartialEq + std::fmt::Debug>(scale: u32, input: Vec<T>) {
    let domain = Domain::new(Request::Auto, scale).unwrap();
    let expected = fast(&Serial, &domain, Decomposition::Iterative, &input);
    for rt in runtimes("parcrypt-bls12-381") {
        for d in Decomposition::ALL {
            let found = fast(&*rt, &domain, d, &input);
            assert!(found == expected, "{d} on {} with {} threads, scale {scale}", rt.name(), rt.threads());
        }
    }
}

#[test]
fn fr_gives_the_same_on_every_runtime() {
    // Around the sizes at which pieces begin to have several blocks, and a level or the gathering is divided.
    for scale in [0, 1, 2, 8, 9, 10, 13, 15, 17] {
        same_on_every_runtime(scale, random_fr(1 << scale));
    }
}

#[test]
fn g1_gives_the_same_on_every_runtime() {
    for scale in [0, 1, 2, 4, 6] {
        same_on_every_runtime(scale, random_g1(1 << scale));
    }
}

/// Compares every decomposition with arkworks; a domain that is larger than the transform makes no difference.
fn agrees_with_arkworks<T, A>(
    scales: impl IntoIterator<Item = u32>,
    make: fn(usize) -> Vec<T>,
    to_ark: fn(&T) -> A,
) where
    T: Element,
    A: ark_poly::domain::DomainCoeff<ark_bls12_381::Fr> + PartialEq + std::fmt::Debug,
{
    for scale in scales {
        let input = make(1 << scale);
        let theirs: Vec<A> = input.iter().map(to_ark).collect();
        let domain = Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(1 << scale).unwrap();
        let expected = (domain.fft(&theirs), domain.ifft(&theirs));
        for larger in [0, 3] {
            let domain = Domain::new(Request::Auto, scale + larger).unwrap();
            for d in Decomposition::ALL {
                let (forward, back) = fast(&Serial, &domain, d, &input);
                let found = [forward, back].map(|values| values.iter().map(to_ark).collect::<Vec<A>>());
                assert_eq!(found, [expected.0.clone(), expected.1.clone()], "{d} at scale {scale}");
            }
        }
    }
}

#[test]
fn fr_agrees_with_arkworks() {
    agrees_with_arkworks((0..=9).chain([12, 16]), random_fr, |x| {
        ark_bls12_381::Fr::from_be_bytes_mod_order(&x.to_bytes())
    });
}

#[test]
fn g1_agrees_with_arkworks() {
    agrees_with_arkworks((0..=5).chain([7]), random_g1, |point| {
        let point = ark_bls12_381::G1Affine::deserialize_compressed(&point.to_compressed()[..]);
        ark_bls12_381::G1Projective::from(point.unwrap())
    });
}

#[test]
fn wrong_lengths_are_errors() {
    let domain = Domain::new(Request::Auto, 3).unwrap();
    for len in [0, 3, 5, 7, 16, 1 << 20] {
        let input = vec![Fr::one(); len];
        let mut output = input.clone();
        let expected = Err(Error::Length { len, most: 8 });
        assert_eq!(domain.fft(&Serial, Decomposition::Iterative, &input, &mut output), expected);
        assert_eq!(domain.inverse_fft(&Serial, Decomposition::Recursive, &input, &mut output), expected);
    }
    for output in [0, 4, 9] {
        let mut out = vec![Fr::zero(); output];
        let found = domain.fft(&Serial, Decomposition::Recursive, &[Fr::one(); 8], &mut out);
        assert_eq!(found, Err(Error::OutputLength { input: 8, output }));
    }
}

#[test]
fn scales_beyond_the_field_are_errors() {
    for scale in [33, 63, 64, 65, u32::MAX] {
        assert_eq!(Domain::new(Request::Auto, scale).err(), Some(Error::Scale { scale }));
    }
}

#[test]
fn names_are_checked() {
    for d in Decomposition::ALL {
        assert_eq!(d.to_string().parse(), Ok(d));
    }
    assert_eq!("thirds".parse::<Decomposition>(), Err(Error::UnknownDecomposition));
}
