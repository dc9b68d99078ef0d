//! Nearly correct inputs: other points, field elements and indices, and invalid ones.

use std::ops::{Add, Sub};
use std::sync::LazyLock;

use parcrypt_bls12_381::{Error, Fr, G1, G1Affine};
use parcrypt_testkit::rand::RngCore;

use crate::random::below;

/// Kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 4096 field elements.
    Blob,
    /// 64 field elements.
    Cell,
    /// A field element.
    Element,
    /// The index of a cell, as 8 bytes, big-endian.
    Index,
    /// A compressed point of G1.
    Point,
}

/// A way to spoil bytes, and its description.
type Way = (&'static str, fn(&mut dyn RngCore, &[u8]) -> Vec<u8>);

const POINTS: &[Way] = &[
    ("negated", |_, point| (-decoded(point)).to_compressed().into()),
    ("doubled", |_, point| decoded(point).double().to_compressed().into()),
    ("plus the generator", |_, point| (decoded(point) + G1::generator()).to_compressed().into()),
    ("is the generator", |_, _| G1::generator().to_compressed().into()),
    ("is infinity", |_, _| INFINITY.into()),
    ("is infinity with a sign", |_, _| with_ends(0xe0, 0).into()),
    ("is infinity with more behind", |_, _| with_ends(0xc0, 1).into()),
    ("is infinity that is not compressed", |_, _| with_ends(0x40, 0).into()),
    ("is zeros", |_, _| vec![0; 48]),
    ("has order 3", |_, _| with_ends(0x80, 0).into()),
    ("is outside the subgroup", |_, _| OUTSIDE.to_vec()),
    ("is not on the curve", |_, _| NOT_ON_CURVE.to_vec()),
    ("has a small x", |rng, _| with_ends(0x80, below(rng, 256) as u8).into()),
    ("has x = p", |_, _| with_x(0)),
    ("has x = p + 1", |_, _| with_x(1)),
    ("is ones", |_, _| vec![0xff; 48]),
    ("is random bytes", random_bytes),
    ("with bit 0 flipped", |_, point| flipped(point, 0)),
    ("with bit 1 flipped", |_, point| flipped(point, 1)),
    ("with its last bit flipped", |_, point| flipped(point, 383)),
    ("with a bit flipped", |rng, point| flipped(point, below(rng, 384))),
];

const ELEMENTS: &[Way] = &[
    ("is r", |_, _| MODULUS.into()),
    ("is r + 1", |_, _| [&MODULUS[..31], &[2]].concat()),
    ("is 2^256 − 1", |_, _| vec![0xff; 32]),
    // Modulo r it is the correct one.
    ("plus r", |_, element| plus_modulus(element)),
    ("is 0", |_, _| vec![0; 32]),
    ("is 1", |_, _| Fr::one().to_bytes().into()),
    ("is r − 1", |_, _| (-Fr::one()).to_bytes().into()),
    ("negated", |_, element| (-Fr::from_bytes_reduced(element)).to_bytes().into()),
    ("plus 1", |_, element| (Fr::from_bytes_reduced(element) + Fr::one()).to_bytes().into()),
    ("is random bytes", random_bytes),
    ("is little-endian", |_, element| element.iter().rev().copied().collect()),
    ("with bit 0 flipped", |_, element| flipped(element, 0)),
    ("with its last bit flipped", |_, element| flipped(element, 255)),
    ("with a bit flipped", |rng, element| flipped(element, below(rng, 256))),
];

const INDICES: &[Way] = &[
    ("plus 1", |_, index| number(index).wrapping_add(1).to_be_bytes().into()),
    ("minus 1", |_, index| number(index).wrapping_sub(1).to_be_bytes().into()),
    ("with bit 6 flipped", |_, index| (number(index) ^ 64).to_be_bytes().into()),
    ("is 128", |_, _| 128u64.to_be_bytes().into()),
    ("plus 256", |_, index| number(index).wrapping_add(256).to_be_bytes().into()),
    ("is 2^32", |_, _| (1u64 << 32).to_be_bytes().into()),
    ("is 2^64 − 1", |_, _| vec![0xff; 8]),
    ("is any", |rng, _| (below(rng, 128) as u64).to_be_bytes().into()),
];

/// Ways for bytes of any kind but indices.
const ANY: &[Way] = &[
    ("is empty", |_, _| vec![]),
    ("lacks its last byte", |_, bytes| bytes.split_last().map_or(vec![], |(_, most)| most.to_vec())),
    ("with a byte behind", |_, bytes| [bytes, &[0]].concat()),
    ("twice", |_, bytes| bytes.repeat(2)),
    ("moved by an element", |_, bytes| {
        let (first, rest) = bytes.split_at(bytes.len().min(32));
        [rest, first].concat()
    }),
];

impl Kind {
    /// Returns the ways for its elements, and the number of elements that are spoiled: of a blob or cell the first, the
    /// last and another one.
    fn own(self) -> (&'static [Way], usize) {
        match self {
            Kind::Blob | Kind::Cell => (ELEMENTS, 3),
            Kind::Element => (ELEMENTS, 1),
            Kind::Index => (INDICES, 1),
            Kind::Point => (POINTS, 1),
        }
    }

    /// Returns the number of ways to spoil an input.
    pub fn ways(self) -> usize {
        let (own, places) = self.own();
        own.len() * places + if self == Kind::Index { 0 } else { ANY.len() }
    }
}

/// Returns an input spoiled in one of the [`Kind::ways`], and a description. It may be as it was.
pub fn spoil(rng: &mut dyn RngCore, kind: Kind, way: usize, valid: &[u8]) -> (String, Vec<u8>) {
    let (own, places) = kind.own();
    let size = if places == 1 { valid.len() } else { 32 };
    if way < own.len() * places && valid.len() >= size {
        let count = (valid.len() / size.max(1)).max(1);
        let at = [0, count - 1, below(rng, count)][way / own.len()];
        let (how, spoiled) = own[way % own.len()];
        let mut bytes = valid.to_vec();
        let element = spoiled(rng, &valid[size * at..][..size]);
        bytes.splice(size * at..size * (at + 1), element);
        let place = if places == 1 { String::new() } else { format!("element {at} ") };
        return (place + how, bytes);
    }
    let (how, spoiled) = ANY[way % ANY.len()];
    (how.into(), spoiled(rng, valid))
}

/// Adds an error to the first item, to each next one the double of the error before, and subtracts the sum from the
/// last: with equal weights the errors cancel each other. A single item has the error.
fn add_errors<T: Copy + Add<Output = T> + Sub<Output = T>>(items: &mut [T], mut error: T) {
    let [first, rest @ ..] = items else { return };
    *first = *first + error;
    let mut sum = error;
    if let [middle @ .., last] = rest {
        for item in middle {
            error = error + error;
            (*item, sum) = (*item + error, sum + error);
        }
        *last = *last - sum;
    }
}

/// Adds errors that cancel each other to points with these indices: multiples of a point.
pub fn add_points(list: &mut [Vec<u8>], group: &[usize], error: G1) {
    let mut points: Vec<G1> = group.iter().map(|i| decoded(&list[*i])).collect();
    add_errors(&mut points, error);
    group.iter().zip(points).for_each(|(i, point)| list[*i] = point.to_compressed().into());
}

/// Adds errors that cancel each other to one element of each of some blobs or cells.
pub fn add_elements(list: &mut [Vec<u8>], group: &[usize], element: usize, error: Fr) {
    let at = 32 * element..32 * (element + 1);
    let mut elements: Vec<Fr> = group.iter().map(|i| Fr::from_bytes_reduced(&list[*i][at.clone()])).collect();
    add_errors(&mut elements, error);
    let bytes = group.iter().zip(elements);
    bytes.for_each(|(i, value)| list[*i][at.clone()].copy_from_slice(&value.to_bytes()));
}

/// r, big-endian.
pub const MODULUS: [u8; 32] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05, 0x53,
    0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
];

/// p, big-endian.
pub const P: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7, 0x64,
    0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24, 0x1e, 0xab,
    0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// The point at infinity, compressed.
pub const INFINITY: [u8; 48] = with_ends(0xc0, 0);

/// A point of the curve that is not in the subgroup, and whose order is not 3.
pub static OUTSIDE: LazyLock<[u8; 48]> = LazyLock::new(|| small_x(1, &Error::NotInSubgroup));

/// The encoding of an x that is not the coordinate of a point of the curve.
pub static NOT_ON_CURVE: LazyLock<[u8; 48]> = LazyLock::new(|| small_x(0, &Error::NotOnCurve));

/// Returns the first small x whose point is refused for this reason. x = 0 has a point of order 3.
fn small_x(from: u8, why: &Error) -> [u8; 48] {
    let mut candidates = (from..=255).map(|x| with_ends(0x80, x));
    candidates.find(|bytes| G1Affine::from_compressed(bytes).as_ref() == Err(why)).unwrap()
}

/// The prime factors of the cofactor.
pub const SMALL_ORDERS: [u64; 5] = [3, 11, 10177, 859_267, 52_437_899];

/// Returns a point of the curve of this order, one of [`SMALL_ORDERS`].
pub fn of_order(order: u64) -> G1 {
    let times = |point: G1, n: &[u8]| {
        let bits = n.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1));
        bits.fold(G1::identity(), |sum, bit| if bit { sum.double() + point } else { sum.double() })
    };
    // No point has the square of a factor as its order.
    let others = SMALL_ORDERS.into_iter().filter(|other| *other != order);
    let of_x = |x: u8| {
        let point = G1Affine::on_curve_from_compressed(&with_ends(0x80, x)).ok()?.into();
        Some(others.clone().fold(times(point, &MODULUS), |point, n| times(point, &n.to_be_bytes())))
    };
    let found = (1..=255).filter_map(of_x).find(|point| *point != G1::identity()).unwrap();
    assert_eq!(times(found, &order.to_be_bytes()), G1::identity());
    found
}

/// Returns a compressed point with zeros between its first and its last byte.
const fn with_ends(first: u8, last: u8) -> [u8; 48] {
    let mut bytes = [0; 48];
    (bytes[0], bytes[47]) = (first, last);
    bytes
}

/// Returns the encoding with x = p + `more`.
fn with_x(more: u8) -> Vec<u8> {
    [&[P[0] | 0x80], &P[1..47], &[P[47] + more]].concat()
}

/// Returns a point, or the generator if the bytes were spoiled before.
fn decoded(bytes: &[u8]) -> G1 {
    bytes.try_into().ok().and_then(|bytes| G1::from_compressed(bytes).ok()).unwrap_or(G1::generator())
}

fn number(index: &[u8]) -> u64 {
    u64::from_be_bytes(index.try_into().unwrap())
}

fn random_bytes(rng: &mut dyn RngCore, bytes: &[u8]) -> Vec<u8> {
    let mut random = vec![0; bytes.len()];
    rng.fill_bytes(&mut random);
    random
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(byte) = bytes.get_mut(bit / 8) {
        *byte ^= 0x80 >> (bit % 8);
    }
    bytes
}

fn plus_modulus(element: &[u8]) -> Vec<u8> {
    let (mut sum, mut carry) = (element.to_vec(), 0);
    for (digit, more) in sum.iter_mut().zip(MODULUS).rev() {
        carry += u16::from(*digit) + u16::from(more);
        (*digit, carry) = (carry.to_le_bytes()[0], carry >> 8);
    }
    sum
}
