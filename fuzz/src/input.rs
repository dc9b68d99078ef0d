//! Arguments of a call from the fuzzer's bytes: valid ones, and nearly valid ones.
//!
//! Every choice is the valid one if the fuzzer's bytes are 0 or have ended, so that the empty input is a valid call
//! and each byte that the fuzzer learns to set makes one more argument invalid.

use arbitrary::Unstructured;
use parcrypt_bls12_381::{Error, G1, G1Affine};
use parcrypt_runtime::{Rayon, Runtime, Serial};
use std::num::NonZeroUsize;
use std::sync::LazyLock;

use crate::oracle::{MODULUS, SAMPLES, Sample};

/// The fuzzer's bytes, read from the front.
pub struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    /// Returns the remaining bytes.
    pub fn new(data: &'a [u8]) -> Self {
        Input(Unstructured::new(data))
    }

    /// Returns a number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound - 1).unwrap_or(0)
    }

    /// Returns `true` for one byte out of `bound`, and not for 0.
    pub fn rarely(&mut self, bound: u8) -> bool {
        let byte: u8 = self.0.arbitrary().unwrap_or(0);
        byte != 0 && byte.is_multiple_of(bound)
    }

    /// Returns a number that is small, at an edge of its type, or any.
    pub fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(256) as u64,
            1 => u64::MAX - self.below(256) as u64,
            2 => 1 << self.below(64),
            _ => self.0.arbitrary().unwrap_or(0),
        }
    }

    /// Returns the serial runtime, or Rayon with two threads.
    pub fn runtime(&mut self) -> &'static dyn Runtime {
        static RAYON: LazyLock<Rayon> = LazyLock::new(|| {
            const TWO: NonZeroUsize = NonZeroUsize::new(2).expect("2 is not 0");
            Rayon::new(TWO).expect("two threads can be started")
        });
        if self.below(2) == 0 { &Serial } else { &*RAYON }
    }

    /// Returns a blob with its commitment and proofs.
    pub fn sample(&mut self) -> &'static Sample {
        &SAMPLES[self.below(SAMPLES.len())]
    }

    /// Returns the blob of a sample, or one with some field elements changed, or of the wrong length.
    pub fn blob(&mut self) -> Vec<u8> {
        let blob = self.sample().blob.to_vec();
        self.elements(blob)
    }

    /// Returns one blob, or a few up to `most`, some of them spoilt.
    pub fn blobs(&mut self, most: usize) -> Vec<Vec<u8>> {
        let count = [1, 2, self.below(most + 1)][self.below(3)];
        let mut blobs = Vec::with_capacity(count);
        for _ in 0..count {
            // If all items are spoilt, errors that need a valid neighbour stay hidden.
            blobs.push(if self.rarely(3) { self.blob() } else { self.sample().blob.to_vec() });
        }
        blobs
    }

    /// Returns the field elements, up to two of them changed; rarely of the wrong length.
    pub fn elements(&mut self, mut all: Vec<u8>) -> Vec<u8> {
        let count = all.len() / 32;
        for _ in 0..self.below(3) {
            let at = match self.below(4) {
                0 => 0,
                1 => count - 1,
                _ => self.below(count),
            };
            let element = self.element(all[32 * at..32 * at + 32].try_into().expect("32 bytes"));
            all[32 * at..32 * at + 32].copy_from_slice(&element);
        }
        self.length(all)
    }

    /// Returns a field element or a nearly valid one, as 32 bytes.
    fn element(&mut self, valid: [u8; 32]) -> [u8; 32] {
        let modulus_and = |difference: i8| {
            let mut bytes = MODULUS;
            // The last byte of the modulus is 1.
            bytes[31] = bytes[31].wrapping_add_signed(difference);
            bytes
        };
        let small = |byte: u8| {
            let mut bytes = [0; 32];
            bytes[31] = byte;
            bytes
        };
        match self.below(8) {
            0 => valid,
            1 => self.flipped(valid),
            2 => small(0),
            3 => small(self.below(256) as u8),
            4 => modulus_and(-1),
            5 => modulus_and(0),
            6 => modulus_and(1),
            _ => {
                let mut bytes = [0; 32];
                let _ = self.0.fill_buffer(&mut bytes);
                bytes
            }
        }
    }

    /// Returns a field element, most often the valid one, or a nearly valid one; rarely of the wrong length.
    pub fn scalar(&mut self, valid: [u8; 32]) -> Vec<u8> {
        let element = if self.below(2) == 0 { valid } else { self.element(valid) };
        self.length(element.to_vec())
    }

    /// Returns a compressed point, most often the valid one, or a nearly valid one; rarely of the wrong length.
    pub fn point(&mut self, valid: [u8; 48]) -> Vec<u8> {
        let infinity = |first: u8, last: u8| {
            let mut bytes = [0; 48];
            (bytes[0], bytes[47]) = (first, last);
            bytes
        };
        let bytes = match self.below(16) {
            0..8 => valid,
            8 => self.flipped(valid),
            9 => self.sample().commitment,
            10 => self.sample().proof,
            11 => G1Affine::generator().to_compressed(),
            // Infinity, and encodings close to it.
            12 => infinity(0xc0, 0),
            13 => infinity(self.below(256) as u8, self.below(256) as u8),
            14 => *OUTSIDE,
            _ => {
                let mut bytes = [0; 48];
                let _ = self.0.fill_buffer(&mut bytes);
                bytes
            }
        };
        self.length(bytes.to_vec())
    }

    /// Flips one bit.
    fn flipped<const N: usize>(&mut self, mut bytes: [u8; N]) -> [u8; N] {
        let bit = self.below(8 * N);
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    }

    /// Makes the bytes shorter or longer, rarely.
    pub fn length(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.rarely(32) {
            let len = match self.below(4) {
                0 => 0,
                1 => bytes.len() - 1,
                2 => bytes.len() + 1,
                _ => self.below(2 * bytes.len()),
            };
            bytes.resize(len, 0);
        }
        bytes
    }

    /// Removes or repeats an item, rarely, so that lists that belong together differ in length.
    pub fn list<T: Clone>(&mut self, list: &mut Vec<T>) {
        if self.rarely(32) {
            match list.last().cloned() {
                Some(last) if self.below(2) == 1 => list.push(last),
                _ => drop(list.pop()),
            }
        }
    }
}

/// A point of the curve that is not in the subgroup: the first with a small x.
pub static OUTSIDE: LazyLock<[u8; 48]> = LazyLock::new(|| {
    let candidates = (0..=255).map(|x| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (0x80, x);
        bytes
    });
    let mut outside =
        candidates.filter(|bytes| G1Affine::from_compressed(bytes) == Err(Error::NotInSubgroup));
    outside.next().expect("few points are in the subgroup")
});

/// Returns two proofs with opposite errors: in the same claim the errors cancel each other unless a check weights each
/// proof.
pub fn cancelling(proof: &[u8; 48]) -> [Vec<u8>; 2] {
    let proof = G1::from_compressed(proof).expect("an oracle's proof is a point");
    [proof + G1::generator(), proof - G1::generator()].map(|point| point.to_compressed().to_vec())
}

/// Returns slices of vectors, for our functions.
pub fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}
