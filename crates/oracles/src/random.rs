//! Random calls: honest ones, and with a few changes.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rand::rand_core::impls;

use crate::spoil::{INFINITY, Kind, SMALL_ORDERS, add_elements, add_points, of_order, spoil};
use crate::{Call, Function, SAMPLES, Sample, bytes_of, random_fr};

/// Returns a number below `bound`, which is not 0, from as few bytes as it needs: 0 for bytes of 0.
pub fn below(rng: &mut dyn RngCore, bound: usize) -> usize {
    let mut bytes = [0; 8];
    let len = (8 - (bound - 1).leading_zeros() as usize / 8).max(1);
    rng.fill_bytes(&mut bytes[..len]);
    (u64::from_le_bytes(bytes) % bound as u64) as usize
}

/// A fuzzer's bytes as random numbers, read from the front, and zeros after them. Choices of 0 are valid inputs, so
/// each byte that the fuzzer learns to set makes one more input invalid.
pub struct Input<'a>(pub &'a [u8]);

impl RngCore for Input<'_> {
    fn next_u32(&mut self) -> u32 {
        impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        let (now, rest) = self.0.split_at(self.0.len().min(bytes.len()));
        bytes.fill(0);
        bytes[..now.len()].copy_from_slice(now);
        self.0 = rest;
    }
}

impl Input<'_> {
    /// Returns a number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        below(self, bound)
    }

    /// Returns `true` for one byte out of `bound`, and not for 0.
    pub fn rarely(&mut self, bound: u8) -> bool {
        let byte = self.below(256);
        byte != 0 && byte.is_multiple_of(bound.into())
    }

    /// Returns a number that is small, at an edge of its type, or any.
    pub fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(256) as u64,
            1 => u64::MAX - self.below(256) as u64,
            2 => 1 << self.below(64),
            _ => self.next_u64(),
        }
    }
}

/// Samples that random calls take: their cells and proofs take other libraries half a second each.
const TAKEN: usize = 6;

/// Returns [`corrupted`] of some [`SAMPLES`].
pub fn random(rng: &mut dyn RngCore, function: Function) -> Call {
    corrupted(rng, &SAMPLES[..TAKEN], function)
}

/// Returns a call of a function: an honest one, or one with up to three inputs spoiled, exchanged, repeated or missing.
///
/// Every choice is the honest one for bytes of 0, so a fuzzer's empty input is an honest call.
pub fn corrupted(rng: &mut dyn RngCore, samples: &[Sample], function: Function) -> Call {
    let mut call = honest(rng, samples, function);
    for _ in 0..below(rng, 4) {
        change(rng, &mut call);
    }
    call
}

/// Returns a call as an adversary makes it of an honest one: items repeated, one or several of a list exchanged or at
/// infinity, or with errors that cancel each other, of points also in a small subgroup. A single blob has runs of equal
/// elements.
pub fn adversarial(rng: &mut dyn RngCore, samples: &[Sample], function: Function) -> Call {
    let mut call = honest(rng, samples, function);
    if matches!(function, Function::VerifyBlobs | Function::VerifyCells) {
        while call.inputs[0].len() < 2 {
            call = honest(rng, samples, function);
        }
        for _ in 0..below(rng, 4) {
            let at = below(rng, call.inputs[0].len());
            call.repeat(at);
        }
    }
    let (kinds, list) = (function.inputs(), below(rng, call.inputs.len()));
    let count = call.inputs[list].len();
    if count == 0 {
        return call;
    }
    let (start, len) = (below(rng, count), 1 + below(rng, count.min(8)));
    let group: Vec<usize> = (start..start + len).map(|i| i % count).collect();
    let other = kinds.iter().rposition(|kind| *kind == kinds[list]).unwrap();
    let items = &mut call.inputs[list];
    match (below(rng, 5), kinds[list]) {
        (_, Kind::Blob) if !function.takes_lists() => {
            let values = [Fr::zero(), Fr::one(), -Fr::one(), Fr::from(1 << 16), random_fr(rng)];
            let runs = (0..64).flat_map(|_| [values[below(rng, 5)]; 64]);
            items[0] = bytes_of(&runs.collect::<Vec<_>>());
        }
        (0, _) if other != list => call.inputs.swap(list, other),
        (0 | 1, _) if count > 1 => items.rotate_left(1 + start % (count - 1)),
        (2, Kind::Point) => group.iter().for_each(|at| items[*at] = INFINITY.into()),
        (3, Kind::Point) => add_points(items, &group, of_order(SMALL_ORDERS[below(rng, 5)])),
        (_, Kind::Point) => add_points(items, &group, G1::generator() * random_fr(rng)),
        (_, Kind::Index) => {
            group.iter().for_each(|at| items[*at] = (below(rng, 128) as u64).to_be_bytes().into());
        }
        _ => {
            let element = below(rng, items[start].len() / 32);
            add_elements(items, &group, element, random_fr(rng));
        }
    }
    call
}

/// Returns an honest call of a function.
pub fn honest(rng: &mut dyn RngCore, samples: &[Sample], function: Function) -> Call {
    let sample = |rng: &mut dyn RngCore| &samples[below(rng, samples.len())];
    let first = sample(rng);
    match function {
        Function::ComputeProof => Call::new(function, &[&first.blob, &first.opening(below(rng, 4)).z]),
        Function::ComputeBlobProof => Call::new(function, &[&first.blob, &first.commitment()]),
        Function::VerifyProof => {
            let opening = first.opening(below(rng, 4));
            Call::new(function, &[&first.commitment(), &opening.z, &opening.y, &opening.proof])
        }
        Function::VerifyBlobs => {
            let count = [1, 2, 0, 3, below(rng, 7)][below(rng, 5)];
            Call::blobs((0..count).map(|_| sample(rng)))
        }
        Function::VerifyCells => {
            let samples = [first, sample(rng), sample(rng)];
            let count = [1, 0, 7, below(rng, 200)][below(rng, 4)];
            // Many are spread over the columns, or are all in one; a few are of any, possibly repeated.
            let step = [5, 0][below(rng, 2)];
            Call::cells((0..count).map(|i| match count {
                0..=8 => (samples[below(rng, 3)], below(rng, 128)),
                _ => (samples[i % 3], i * step % 128),
            }))
        }
        Function::Recover => {
            let count = [64, 128, 65, 64 + below(rng, 65), below(rng, 64)][below(rng, 5)];
            // The first, the last, every other one, or any.
            let mut indices: Vec<u64> = match below(rng, 4) {
                0 => (0..count as u64).collect(),
                1 => (128 - count as u64..128).collect(),
                2 => (0..128).step_by(2).chain((1..128).step_by(2)).take(count).collect(),
                _ => {
                    let mut left: Vec<u64> = (0..128).collect();
                    (0..count).map(|_| left.remove(below(rng, left.len()))).collect()
                }
            };
            indices.sort_unstable();
            Call::recovery(first, indices)
        }
        _ => Call::new(function, &[&first.blob]),
    }
}

fn change(rng: &mut dyn RngCore, call: &mut Call) {
    let list = below(rng, call.inputs.len());
    let (kind, count) = (call.function.inputs()[list], call.inputs[list].len());
    if count == 0 {
        return;
    }
    let (at, other) = ([0, count - 1, below(rng, count)][below(rng, 3)], below(rng, count));
    match below(rng, 8) {
        0..4 => {
            let way = below(rng, kind.ways());
            call.inputs[list][at] = spoil(rng, kind, way, &call.inputs[list][at]).1;
        }
        4 => call.inputs[list].swap(at, other),
        5 => call.inputs[list][at] = call.inputs[list][other].clone(),
        6 if call.function.takes_lists() => match below(rng, 2) {
            0 => drop(call.inputs[list].pop()),
            _ => call.inputs[list].extend_from_within(at..=at),
        },
        7 if call.function.takes_lists() => {
            call.repeat(at);
            if kind == Kind::Point {
                call.oppose(rng, list, at, call.inputs[list].len() - 1);
            }
        }
        _ => {}
    }
}
