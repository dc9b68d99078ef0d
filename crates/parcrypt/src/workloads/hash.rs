//! `sha256`: a hash without threads, by the crate sha2.
//!
//! It is measured with an idle parallel runtime, as a workload that does not use it.

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, known};

const PARAMS: &[Parameter] = &[Parameter::number("scale", "the message has 2^scale bytes", 0..=40, None)];

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "sha256",
    about: "SHA-256 of a message, on the caller's thread alone.",
    params: PARAMS,
    // The crate chooses its own code for the processor while it runs.
    table: "sha256",
    backends: |_| vec![Backend::Sha2],
    other_tables: &[],
    input: "2^scale bytes of any value.",
    output: "The hash, 32 bytes.",
    input_bytes,
    memory: input_bytes,
    prepare,
    reference: |_, data| Ok(fips_180(data).to_vec()),
    // Around the padding: a block has 64 bytes.
    small: &["scale=0", "scale=5", "scale=6", "scale=7", "scale=12"],
    // From Python, where `b` is the input: sha256(sha256(b).digest()).hexdigest()
    known: known! {
        hashes "scale=0" "e4cb8bea8e39877ea4bc52ed73e09ef30ea1a8b75f87a4f9e5579546c04be329";
        hashes "scale=6" "bdcbb89e3c7e9ee6ff0dc334acc3030d29b169ab4a8f6f649e3e8bc627126255";
        hashes "scale=11" "8f84f4c1bc26847bf1590a970568e7aa37a46e015161cc0036a2d31b7751542c";
        hashes "scale=20" "651a51af87120b58da30cd468336d21497ef4b3d3d2812a81efd2b70a4d5ee4a";
        255 "scale=6" "deedbcecde05c2b4e238519c936535b753cb1b5fe2d1a049d169389c795ae490";
    },
}];

fn input_bytes(values: &Values) -> u64 {
    1 << values.number("scale")
}

fn prepare(_: &Values, message: Aligned<u8>, _: &dyn Runtime, _: &Rows) -> Result<Box<dyn Prepared>, Error> {
    Ok(Box::new(Hash { message, hash: [0; 32] }))
}

struct Hash {
    message: Aligned<u8>,
    hash: [u8; 32],
}

impl Prepared for Hash {
    fn iterate(&mut self, _: &dyn Runtime) {
        self.hash = black_box(Sha256::digest(black_box(&*self.message)).into());
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.hash);
    }
}

/// Returns the SHA-256 by FIPS 180-4, section 6.2, slowly.
fn fips_180(message: &[u8]) -> [u8; 32] {
    let (mut h, k) = (constants::<8>(2), constants::<64>(3));
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((8 * message.len() as u64).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut w: Vec<u32> = block
            .chunks_exact(4)
            .map(|b| b.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
            .collect();
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
            w.push(s1.wrapping_add(w[t - 7]).wrapping_add(s0).wrapping_add(w[t - 16]));
        }
        let mut v = h;
        for t in 0..64 {
            let [a, b, c, _, e, f, g, last] = v;
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = [s1, (e & f) ^ (!e & g), k[t], w[t]].into_iter().fold(last, u32::wrapping_add);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            v.rotate_right(1);
            (v[0], v[4]) = (t1.wrapping_add(t2), v[4].wrapping_add(t1));
        }
        h.iter_mut().zip(v).for_each(|(h, v)| *h = h.wrapping_add(v));
    }
    let mut hash = [0; 32];
    hash.chunks_exact_mut(4).zip(h).for_each(|(out, word)| out.copy_from_slice(&word.to_be_bytes()));
    hash
}

/// The first 32 bits of the fractional parts of the square (2) or cube (3) roots of the first N primes: sections 4.2.2
/// and 5.3.3.
fn constants<const N: usize>(root: u32) -> [u32; N] {
    let is_prime = |n: &u128| !(2..*n).any(|divisor| n.is_multiple_of(divisor));
    let mut primes = (2u128..).filter(is_prime);
    std::array::from_fn(|_| {
        let shifted = primes.next().unwrap_or_default() << (32 * root);
        // The greatest integer whose power is at most prime * 2^(32 * root); its low 32 bits are the fraction.
        let bits = (0..36).rev().fold(0u128, |found, bit| {
            let more = found | 1 << bit;
            if more.pow(root) <= shifted { more } else { found }
        });
        bits as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Stream;

    #[test]
    fn the_definition_agrees_with_the_crate_and_the_standard() {
        assert_eq!((constants::<8>(2)[0], constants::<64>(3)[63]), (0x6a09_e667, 0xc671_78f2));
        for len in (0..200).chain([1000]) {
            let message = Stream::Hashes.bytes(len);
            assert_eq!(fips_180(&message), *Sha256::digest(&message), "{len}");
        }
    }
}
