//! Nearly correct inputs: other points and field elements, and invalid ones.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_testkit::rand::Rng;

use super::oracle::INFINITY;
use crate::common::{MODULUS, NOT_ON_CURVE, OF_ORDER_3, OUTSIDE, P};

fn flipped<const N: usize>(mut bytes: [u8; N], bit: usize) -> [u8; N] {
    bytes[bit / 8] ^= 0x80 >> (bit % 8);
    bytes
}

fn with_first<const N: usize>(mut bytes: [u8; N], first: u8) -> [u8; N] {
    bytes[0] = first;
    bytes
}

fn with_last<const N: usize>(mut bytes: [u8; N], last: u8) -> [u8; N] {
    bytes[N - 1] = last;
    bytes
}

/// Returns points other than this one, and bytes that are not a point.
pub(crate) fn points(rng: &mut impl Rng, valid: &[u8; 48]) -> Vec<(String, [u8; 48])> {
    let point = G1::from_compressed(valid).unwrap();
    let generator = G1::generator();
    let mut all: Vec<(String, [u8; 48])> = vec![
        ("negated".into(), (-point).to_compressed()),
        ("doubled".into(), point.double().to_compressed()),
        ("plus the generator".into(), (point + generator).to_compressed()),
        ("the generator".into(), generator.to_compressed()),
        ("infinity".into(), INFINITY),
        ("infinity with a sign".into(), with_first(INFINITY, 0xe0)),
        ("infinity with more behind".into(), with_last(INFINITY, 1)),
        ("infinity that is not compressed".into(), with_first(INFINITY, 0x40)),
        ("zeros".into(), [0; 48]),
        ("of order 3".into(), *OF_ORDER_3),
        ("outside the subgroup".into(), *OUTSIDE),
        ("not on the curve".into(), *NOT_ON_CURVE),
        ("x = p".into(), with_first(P, P[0] | 0x80)),
        ("x = p + 1".into(), with_last(with_first(P, P[0] | 0x80), P[47] + 1)),
        ("ones".into(), [0xff; 48]),
        ("random bytes".into(), std::array::from_fn(|_| rng.random())),
    ];
    let random = std::array::from_fn::<usize, 3, _>(|_| rng.random_range(3..383));
    let bits = [0, 1, 2, 383].into_iter().chain(random);
    all.extend(bits.map(|bit| (format!("bit {bit} flipped"), flipped(*valid, bit))));
    all.retain(|(_, bytes)| bytes != valid);
    all
}

/// Returns field elements other than this one, and bytes that are not a field element.
pub(crate) fn elements(rng: &mut impl Rng, valid: &[u8; 32]) -> Vec<(String, [u8; 32])> {
    let element = Fr::from_bytes(valid).unwrap();
    let mut all: Vec<(String, [u8; 32])> = not_canonical(valid);
    all.extend([
        ("0".into(), [0; 32]),
        ("1".into(), Fr::one().to_bytes()),
        ("r − 1".into(), (-Fr::one()).to_bytes()),
        ("negated".into(), (-element).to_bytes()),
        ("plus 1".into(), (element + Fr::one()).to_bytes()),
        ("random bytes".into(), rng.random()),
        ("little-endian".into(), std::array::from_fn(|i| valid[31 - i])),
    ]);
    let bits = [0, 255, rng.random_range(1..255)];
    all.extend(bits.map(|bit| (format!("bit {bit} flipped"), flipped(*valid, bit))));
    all.retain(|(_, bytes)| bytes != valid);
    all
}

/// Returns encodings of 32 bytes that are not below r.
pub(crate) fn not_canonical(valid: &[u8; 32]) -> Vec<(String, [u8; 32])> {
    let mut plus_modulus = MODULUS;
    let mut carry = 0;
    for (sum, digit) in plus_modulus.iter_mut().zip(valid).rev() {
        let whole = u16::from(*sum) + u16::from(*digit) + carry;
        (*sum, carry) = (whole.to_le_bytes()[0], whole >> 8);
    }
    vec![
        ("r".into(), MODULUS),
        ("r + 1".into(), with_last(MODULUS, MODULUS[31] + 1)),
        ("2^256 − 1".into(), [0xff; 32]),
        // Modulo r it is the correct one.
        ("plus r".into(), plus_modulus),
    ]
}

/// Returns two points with opposite errors: with equal weights the errors cancel each other.
pub(crate) fn opposite(rng: &mut impl Rng, points: [&[u8; 48]; 2]) -> [[u8; 48]; 2] {
    let error = G1::generator() * Fr::from(rng.random_range(1..=u64::MAX));
    let [first, second] = points.map(|point| G1::from_compressed(point).unwrap());
    [first + error, second - error].map(|point| point.to_compressed())
}
