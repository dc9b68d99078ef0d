//! Inputs and comparisons for the tests of c-kzg and rust_eth_kzg next to the originals.

use std::fmt::Debug;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Returns the text of a value, as its users see it.
pub(crate) fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// Returns a blob of random field elements.
pub(crate) fn random_blob() -> Vec<u8> {
    let mut random = vec![0; 131_072];
    StdRng::seed_from_u64(18).fill(&mut random[..]);
    random.iter_mut().step_by(32).for_each(|byte| *byte = 0);
    random
}

/// Returns points: a commitment, infinity, and bytes that are not an encoding, not on the curve or not in the
/// subgroup.
pub(crate) fn points(commitment: [u8; 48]) -> Vec<[u8; 48]> {
    let at = |first: u8, last: u8| {
        let mut point = [0; 48];
        (point[0], point[47]) = (first, last);
        point
    };
    let mut given = vec![commitment, at(0xc0, 0), at(0xc0, 1), at(0, 0), [0xff; 48]];
    given.extend((0..12).map(|last| at(0x80, last)));
    given
}

/// Checks that the texts of both are the same.
#[track_caller]
pub(crate) fn same(ours: &[String], theirs: &[String]) {
    assert_eq!(ours.len(), theirs.len());
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let pairs = ours.iter().zip(theirs).enumerate().filter(|(_, (ours, theirs))| ours != theirs);
    let differences: Vec<String> = pairs
        .map(|(i, (ours, theirs))| format!("{i}: ours {}, theirs {}", short(ours), short(theirs)))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Returns hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the points of Ethereum's mainnet: the Lagrange form, G2, and the monomial form.
pub(crate) fn mainnet() -> [Vec<Vec<u8>>; 3] {
    let settings = parcrypt_kzg::Settings::mainnet(parcrypt_kzg::Request::Auto).unwrap();
    let lagrange = (0..4096usize).map(|i| settings.g1_lagrange()[i.reverse_bits() >> (usize::BITS - 12)]);
    [
        lagrange.map(|point| point.to_compressed().into()).collect(),
        settings.g2_monomial().iter().map(|point| point.to_compressed().into()).collect(),
        settings.g1_monomial().iter().map(|point| point.to_compressed().into()).collect(),
    ]
}
