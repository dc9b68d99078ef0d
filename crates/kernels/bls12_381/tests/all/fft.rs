//! The fast transforms against arkworks, and against each other on every runtime.

use ark_ff::{BigInteger, PrimeField};
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

/// Compares every decomposition on every runtime with arkworks; a domain that is larger than the transform makes no
/// difference.
fn agrees_with_arkworks<T, A>(
    scales: impl IntoIterator<Item = u32>,
    make: fn(usize) -> Vec<T>,
    to_ark: fn(&T) -> A,
    from_ark: fn(A) -> T,
) where
    T: Element + PartialEq,
    A: ark_poly::domain::DomainCoeff<ark_bls12_381::Fr>,
{
    for scale in scales {
        let input = make(1 << scale);
        let theirs: Vec<A> = input.iter().map(to_ark).collect();
        let domain = Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(1 << scale).unwrap();
        let [forward, back] = [domain.fft(&theirs), domain.ifft(&theirs)]
            .map(|values| values.into_iter().map(from_ark).collect::<Vec<T>>());
        let runtimes = runtimes("parcrypt-bls12-381");
        let serial: Box<dyn Runtime> = Box::new(Serial);
        for (rt, larger) in runtimes.iter().map(|rt| (rt, 0)).chain([(&serial, 3)]) {
            let domain = Domain::new(Request::Auto, scale + larger).unwrap();
            for d in Decomposition::ALL {
                let found = fast(&**rt, &domain, d, &input);
                let on = format!("{d} on {} with {} threads, scale {scale}", rt.name(), rt.threads());
                assert!(found.0 == forward && found.1 == back, "{on}, domain of {larger} more");
            }
        }
    }
}

/// Also around the sizes at which pieces begin to have several blocks, and a level or the gathering is divided.
#[test]
fn fr_agrees_with_arkworks() {
    agrees_with_arkworks(
        (0..=10).chain([12, 13, 15, 16, 17]),
        random_fr,
        |x| ark_bls12_381::Fr::from_be_bytes_mod_order(&x.to_bytes()),
        |x| Fr::from_bytes_reduced(&x.into_bigint().to_bytes_be()),
    );
}

#[test]
fn g1_agrees_with_arkworks() {
    agrees_with_arkworks(
        (0..=5).chain([7]),
        random_g1,
        |point| {
            let point = ark_bls12_381::G1Affine::deserialize_compressed(&point.to_compressed()[..]);
            ark_bls12_381::G1Projective::from(point.unwrap())
        },
        |point| G1::from_compressed(&super::group::compressed(point)).unwrap(),
    );
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
