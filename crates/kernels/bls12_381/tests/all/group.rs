//! Fr and G1 against arkworks, and inputs that must be refused.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{BigInteger, Field, PrimeField, Zero};
use ark_serialize::CanonicalSerialize;
use parcrypt_bls12_381::{Error, Fr, G1, G1Affine, G2, G2Affine};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rng;

type ArkFr = ark_bls12_381::Fr;
type ArkG1 = ark_bls12_381::G1Projective;

fn bytes_of(x: ArkFr) -> [u8; 32] {
    x.into_bigint().to_bytes_be().try_into().unwrap()
}

/// Returns the standard compressed form (ZCash's) of arkworks' point.
pub(super) fn compressed(p: ArkG1) -> [u8; 48] {
    let mut bytes = Vec::new();
    p.into_affine().serialize_compressed(&mut bytes).unwrap();
    bytes.try_into().unwrap()
}

fn modulus() -> [u8; 32] {
    ArkFr::MODULUS.to_bytes_be().try_into().unwrap()
}

#[test]
fn fr_agrees_with_arkworks() {
    let mut rng = rng();
    let extremes = [ArkFr::zero(), ArkFr::from(1), -ArkFr::from(1), -ArkFr::from(2), ArkFr::from(u64::MAX)];
    let random = (0..200).map(|_| ArkFr::from_be_bytes_mod_order(&rng.random::<[u8; 32]>()));
    let all: Vec<ArkFr> = extremes.into_iter().chain(random).collect();
    for pair in
        all.windows(2).chain(extremes.iter().map(|x| [*x, *x]).collect::<Vec<_>>().iter().map(|p| &p[..]))
    {
        let [a, b] = [pair[0], pair[1]];
        let [x, y] = [a, b].map(|v| Fr::from_bytes(&bytes_of(v)).unwrap());
        assert_eq!((x + y).to_bytes(), bytes_of(a + b));
        assert_eq!((x - y).to_bytes(), bytes_of(a - b));
        assert_eq!((x * y).to_bytes(), bytes_of(a * b));
        assert_eq!((-x).to_bytes(), bytes_of(-a));
        assert_eq!(x.inverse().map(|i| i.to_bytes()), a.inverse().map(bytes_of));
        assert_eq!(x.pow_vartime(1_000_003).to_bytes(), bytes_of(a.pow([1_000_003u64])));
        assert_eq!(x.pow_vartime(0), Fr::one());
    }
}

#[test]
fn fr_reduces_any_length() {
    let mut rng = rng();
    for len in (0..70).chain([127, 128, 1000]) {
        let bytes: Vec<u8> = (0..len).map(|_| rng.random()).collect();
        let expected = ArkFr::from_be_bytes_mod_order(&bytes);
        assert_eq!(Fr::from_bytes_reduced(&bytes).to_bytes(), bytes_of(expected), "{len} bytes");
    }
    assert_eq!(Fr::from_bytes_reduced(&modulus()), Fr::zero());
}

#[test]
fn roots_have_their_order() {
    for scale in 0..=Fr::TWO_ADICITY {
        let root = Fr::root_of_unity(scale).unwrap();
        assert_eq!(root.pow_vartime(1 << scale), Fr::one());
        assert!(scale == 0 || root.pow_vartime(1 << (scale - 1)) == -Fr::one(), "scale {scale}");
    }
    // The formula of the constant: 7^((r − 1) / 2^32).
    let exponent = (-ArkFr::from(1)).into_bigint() >> 32;
    let root = Fr::root_of_unity(32).unwrap();
    assert_eq!(root.to_bytes(), bytes_of(ArkFr::from(7).pow(exponent)));
    for scale in [33, 64, u32::MAX] {
        assert_eq!(Fr::root_of_unity(scale), Err(Error::Scale { scale }));
    }
}

#[test]
fn g1_agrees_with_arkworks() {
    let mut rng = rng();
    let mut point = ArkG1::generator();
    let mut ours = G1::generator();
    for round in 0..40 {
        assert_eq!(ours.to_compressed(), compressed(point));
        assert_eq!(G1::from_compressed(&compressed(point)), Ok(ours));
        let factor = match round {
            0 => ArkFr::from(1),
            1 => -ArkFr::from(1),
            _ => ArkFr::from_be_bytes_mod_order(&rng.random::<[u8; 32]>()),
        };
        let ours_times = ours * Fr::from_bytes(&bytes_of(factor)).unwrap();
        assert_eq!(ours_times.to_compressed(), compressed(point * factor));
        assert_eq!((ours + ours_times).to_compressed(), compressed(point + point * factor));
        assert_eq!((ours - ours_times).to_compressed(), compressed(point - point * factor));
        assert_eq!((ours + ours).to_compressed(), compressed(point + point), "P beside P");
        assert_eq!(ours - ours, G1::identity(), "P beside −P");
        assert_eq!(ours + G1::identity(), ours);
        point = point * factor + ArkG1::generator();
        ours = ours_times + G1::generator();
    }
    assert_eq!(G1::generator() * Fr::zero(), G1::identity());
    assert_eq!(G1::identity() * Fr::from(5), G1::identity());
    assert_eq!(G1::identity().to_compressed(), compressed(ArkG1::zero()));
    assert_eq!(G1::from_compressed(&compressed(ArkG1::zero())), Ok(G1::identity()));
}

#[test]
fn g1_refuses_bytes_that_are_not_a_point() {
    let (good, infinity) = (G1::generator().to_compressed(), G1::identity().to_compressed());
    let flipped = |mut bytes: [u8; 48], byte: usize, flip: u8| {
        bytes[byte] ^= flip;
        G1::from_compressed(&bytes)
    };
    // A change in x may give another x on the curve, but not another point of the subgroup.
    for (byte, flip) in [(0, 0x80), (0, 0x40), (47, 0x01)] {
        assert!(flipped(good, byte, flip).is_err(), "byte {byte} ^ {flip:#x}");
    }
    for (bytes, flip) in [([0; 48], 0), ([0xff; 48], 0), (infinity, 1)] {
        assert_eq!(flipped(bytes, 20, flip), Err(Error::NotOnCurve));
    }
    assert_eq!(flipped([0; 48], 0, 0x80), Err(Error::NotInSubgroup), "(0, 2) has the order 3");
}

#[test]
fn raw_forms_round_trip_and_foreign_ones_are_refused() {
    let mut rng = rng();
    for element in [Fr::zero(), Fr::one(), -Fr::one(), Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())] {
        assert_eq!(Fr::from_raw(&element.to_raw()), Ok(element));
    }
    let mut raw = modulus();
    raw.reverse();
    assert_eq!(Fr::from_raw(&raw), Err(Error::NotCanonical));
    raw[0] -= 1;
    assert_eq!(Fr::from_raw(&raw).unwrap().to_raw(), raw);
    assert_eq!(Fr::from_raw(&[0xff; 32]), Err(Error::NotCanonical));

    // Sums have a Z other than 1.
    let sum = G1::generator() * Fr::from(5) + G1::generator();
    for point in [G1::identity(), G1::generator(), sum] {
        let back = G1::from_raw(&point.to_raw()).unwrap();
        assert_eq!((back, back.to_raw()), (point, point.to_raw()));
    }
    let mut raw = sum.to_raw();
    raw[0] ^= 1;
    assert_eq!(G1::from_raw(&raw), Err(Error::NotOnCurve));
    assert_eq!(G1::from_raw(&[0xff; 144]), Err(Error::NotOnCurve));
    // Z = 0 is infinity whatever X and Y are.
    let mut raw = sum.to_raw();
    raw[96..].fill(0);
    assert_eq!(G1::from_raw(&raw), Ok(G1::identity()));
}

/// Returns the coordinates of arkworks' point, big-endian; zeros at infinity.
fn coordinates(p: ArkG1) -> [[u8; 48]; 2] {
    let bytes = |element: &ark_bls12_381::Fq| element.into_bigint().to_bytes_be().try_into().unwrap();
    p.into_affine().xy().map_or([[0; 48]; 2], |(x, y)| [bytes(&x), bytes(&y)])
}

#[test]
fn coordinates_are_those_of_arkworks() {
    let mut rng = rng();
    let mut points: Vec<ArkG1> =
        (0..20).map(|_| ArkG1::generator() * ArkFr::from(rng.random::<u64>())).collect();
    points.extend([ArkG1::zero(), ArkG1::generator(), -ArkG1::generator()]);
    for point in points {
        let coordinates = coordinates(point);
        let ours = G1Affine::from_coordinates([&coordinates[0], &coordinates[1]]).unwrap();
        assert_eq!(ours.to_compressed(), compressed(point));
        assert_eq!((ours.to_coordinates(), G1::from(ours).to_affine()), (coordinates, ours));
    }
    let p: [u8; 48] = ark_bls12_381::Fq::MODULUS.to_bytes_be().try_into().unwrap();
    let mut below = p;
    below[47] -= 1;
    let number = |value: u8| {
        let mut bytes = [0; 48];
        bytes[47] = value;
        bytes
    };
    // (0, 2) is on the curve, outside of the subgroup.
    let outside = G1Affine::from_coordinates([&number(0), &number(2)]).unwrap();
    assert!(!outside.is_in_subgroup());
    for (x, y, error) in [
        (p, number(2), Error::Coordinate),
        (number(0), p, Error::Coordinate),
        ([0xff; 48], [0xff; 48], Error::Coordinate),
        (below, number(2), Error::NotOnCurve),
        (number(0), number(1), Error::NotOnCurve),
    ] {
        assert_eq!(G1Affine::from_coordinates([&x, &y]), Err(error), "{x:02x?} {y:02x?}");
    }
}

#[test]
fn coordinates_of_g2_are_those_of_its_compressed_form() {
    for scalar in [1u64, 2, 77] {
        let point = (G2::generator() * Fr::from(scalar)).to_affine();
        let [x0, x1, y0, y1] = point.to_coordinates();
        assert_eq!(G2Affine::from_coordinates([&x0, &x1, &y0, &y1]), Ok(point));
        // The compressed form has x₁, with flags, and x₀.
        let compressed = point.to_compressed();
        assert_eq!((compressed[0] & 0x1f, &compressed[1..48], &compressed[48..]), (x1[0], &x1[1..], &x0[..]));
        assert_eq!(G2Affine::from_coordinates([&x1, &x0, &y0, &y1]), Err(Error::NotOnCurve));
        assert_eq!(G2Affine::from_coordinates([&x0, &x1, &[0xff; 48], &y1]), Err(Error::Coordinate));
    }
    let zero = [0; 48];
    assert_eq!(G2Affine::from_coordinates([&zero; 4]), Ok(G2Affine::identity()));
    assert_eq!(G2Affine::identity().to_coordinates(), [zero; 4]);
}
