//! Inputs that several of these tests have.

use std::sync::LazyLock;

use parcrypt_bls12_381::{Error as PointError, G1Affine};
use parcrypt_testkit::rand::RngCore;

/// r, big-endian.
pub(crate) const MODULUS: [u8; 32] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05, 0x53,
    0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
];

/// p, big-endian.
pub(crate) const P: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7, 0x64,
    0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24, 0x1e, 0xab,
    0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// A point of order 3, which is on the curve.
pub(crate) static OF_ORDER_3: LazyLock<[u8; 48]> = LazyLock::new(|| small_x(0, &PointError::NotInSubgroup));

/// Another point of the curve that is not in the subgroup.
pub(crate) static OUTSIDE: LazyLock<[u8; 48]> = LazyLock::new(|| small_x(1, &PointError::NotInSubgroup));

/// The encoding of an x that is not the coordinate of a point of the curve.
pub(crate) static NOT_ON_CURVE: LazyLock<[u8; 48]> = LazyLock::new(|| small_x(0, &PointError::NotOnCurve));

/// Returns the first small x whose point is refused for this reason. x = 0 has a point of order 3.
fn small_x(from: u8, why: &PointError) -> [u8; 48] {
    let mut candidates = (from..=255).map(|x| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (0x80, x);
        bytes
    });
    candidates.find(|bytes| G1Affine::from_compressed(bytes).as_ref() == Err(why)).unwrap()
}

/// Returns a blob of random elements.
pub(crate) fn random_blob(rng: &mut impl RngCore) -> Vec<u8> {
    let mut blob = vec![0; 131_072];
    rng.fill_bytes(&mut blob);
    blob.iter_mut().step_by(32).for_each(|byte| *byte &= 0x3f);
    blob
}

pub(crate) fn slices<T: AsRef<[u8]>>(all: &[T]) -> Vec<&[u8]> {
    all.iter().map(AsRef::as_ref).collect()
}
