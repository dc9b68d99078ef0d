//! SHA-256 (FIPS 180-4): of one message, [`Sha256`], and of messages of the same length, several at once, by a
//! [`HashRow`]. A backend is a module of `arch` and a row of `dispatch`.
//! ```
//! let hashes = parcrypt_sha256::select(parcrypt_cpu::Request::Auto)?.hash_many(&[[b"first "], [b"second"]]);
//! assert_eq!(hashes[1], parcrypt_sha256::Sha256::digest("second"));
//! # Ok::<(), parcrypt_cpu::Error>(())
//! ```

mod arch;
mod dispatch;

use std::array::from_fn;

pub use crate::dispatch::{BACKENDS, HashRow, select};
use crate::dispatch::{Compress, Kernel};

/// Time of a byte by instructions for SHA-256, in picoseconds.
pub const HASH_PS: u64 = 700;
/// Time of a byte without such instructions, in picoseconds: about ten cycles, not measured here.
pub(crate) const HASH_PLAIN_PS: u64 = 2500;
/// Time of a byte of each of two messages, in picoseconds; by the SHA extensions. The ratio to the one above, and that
/// below, were measured on Zen 5: 0.35 and 0.16 ns a byte of each message instead of 0.50.
pub(crate) const HASH_TWO_PS: u64 = 2 * HASH_PS * 35 / 50;
/// Time of a byte of each of sixteen messages, in picoseconds; by AVX-512.
pub(crate) const HASH_SIXTEEN_PS: u64 = 16 * HASH_PS * 16 / 50;

/// Bytes of a block.
const BLOCK: usize = 64;
pub(crate) type Block = [u8; BLOCK];

/// The states of N messages: word i of each, side by side.
pub(crate) type States<const N: usize> = [[u32; N]; 8];

/// The state before the first block (section 5.3.3).
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The constants of the rounds (section 4.2.2).
#[rustfmt::skip]
pub(crate) const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// A message, as its parts in order.
pub type Message<'a, const PARTS: usize> = [&'a [u8]; PARTS];

/// Returns the hash of a message.
pub fn hash<const PARTS: usize>(message: Message<PARTS>) -> [u8; 32] {
    message.into_iter().fold(Sha256::new(), Sha256::chain_update).finalize()
}

impl HashRow {
    /// Returns the hashes of messages.
    ///
    /// # Panics
    /// If their parts differ in length.
    pub fn hash_many<const PARTS: usize>(&self, messages: &[Message<PARTS>]) -> Vec<[u8; 32]> {
        let lengths = messages.first().map(|first| first.map(<[u8]>::len));
        assert!(messages.iter().all(|message| Some(message.map(<[u8]>::len)) == lengths), "lengths of parts");
        let (mut hashes, mut rest) = (Vec::with_capacity(messages.len()), messages);
        while let [first, ..] = rest {
            let now = match self.kernel(rest.len()) {
                Kernel::One => {
                    hashes.push(hash(*first));
                    1
                }
                Kernel::Two(compress) => hash_lanes(compress, rest, &mut hashes),
                Kernel::Sixteen(compress) => hash_lanes(compress, rest, &mut hashes),
            };
            rest = &rest[now..];
        }
        hashes
    }
}

/// Appends the hashes of the first N messages, or of all where there are fewer, and returns their number.
fn hash_lanes<const N: usize, const PARTS: usize>(
    compress: Compress<N>,
    messages: &[Message<PARTS>],
    hashes: &mut Vec<[u8; 32]>,
) -> usize {
    let count = messages.len().min(N);
    // Lanes without a message repeat the last one.
    let lane = |i: usize| &messages[i.min(count - 1)];
    let mut lanes = Lanes::new(compress);
    for part in 0..PARTS {
        lanes.update(from_fn(|i| lane(i)[part]));
    }
    let states = lanes.finish(messages[0].iter().map(|part| part.len() as u64).sum());
    hashes.extend((0..count).map(|lane| hash_of_lane(&states, lane)));
    count
}

/// The hash of a message that is not complete.
#[derive(Clone, Debug)]
pub struct Sha256 {
    lanes: Lanes<1>,
    length: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Sha256::new()
    }
}

impl Sha256 {
    /// Returns the hash of no bytes, to be continued.
    pub fn new() -> Self {
        Sha256 { lanes: Lanes::new(Compress::one()), length: 0 }
    }

    /// Returns the hash of these bytes, to be continued.
    pub fn new_with_prefix(prefix: impl AsRef<[u8]>) -> Self {
        Sha256::new().chain_update(prefix)
    }

    /// Appends bytes.
    pub fn update(&mut self, more: impl AsRef<[u8]>) {
        self.length += more.as_ref().len() as u64;
        self.lanes.update([more.as_ref()]);
    }

    /// Appends bytes.
    pub fn chain_update(mut self, more: impl AsRef<[u8]>) -> Self {
        self.update(more);
        self
    }

    /// Returns the hash.
    pub fn finalize(self) -> [u8; 32] {
        hash_of_lane(&self.lanes.finish(self.length), 0)
    }

    /// Returns the hash of a message.
    pub fn digest(message: impl AsRef<[u8]>) -> [u8; 32] {
        Sha256::new_with_prefix(message).finalize()
    }
}

/// Returns the hash of a message from the states after its last block.
fn hash_of_lane<const N: usize>(states: &States<N>, lane: usize) -> [u8; 32] {
    let mut hash = [0; 32];
    let words = hash.as_chunks_mut().0.iter_mut().zip(states);
    words.for_each(|(bytes, words)| *bytes = words[lane].to_be_bytes());
    hash
}

/// N hashes that are not complete.
#[derive(Clone, Debug)]
struct Lanes<const N: usize> {
    compress: Compress<N>,
    states: States<N>,
    /// The bytes of the block that is not complete: the first `filled` of these.
    blocks: [Block; N],
    filled: usize,
}

impl<const N: usize> Lanes<N> {
    fn new(compress: Compress<N>) -> Self {
        Lanes { compress, states: INITIAL.map(|word| [word; N]), blocks: [[0; BLOCK]; N], filled: 0 }
    }

    /// Appends bytes, the same number to each message.
    fn update(&mut self, mut more: [&[u8]; N]) {
        if self.filled > 0 {
            let taken = more[0].len().min(BLOCK - self.filled);
            for (block, more) in self.blocks.iter_mut().zip(&mut more) {
                let (now, later) = more.split_at(taken);
                block[self.filled..][..taken].copy_from_slice(now);
                *more = later;
            }
            self.filled += taken;
            if self.filled < BLOCK {
                return;
            }
            self.compress.run(&mut self.states, self.blocks.each_ref().map(std::slice::from_ref));
        }
        let split = more.map(<[u8]>::as_chunks);
        self.compress.run(&mut self.states, split.map(|(blocks, _)| blocks));
        for (block, (_, rest)) in self.blocks.iter_mut().zip(split) {
            block[..rest.len()].copy_from_slice(rest);
        }
        self.filled = split[0].1.len();
    }

    /// Returns the states after the padding of messages of this number of bytes (section 5.1.1).
    fn finish(mut self, length: u64) -> States<N> {
        const END: usize = BLOCK - size_of::<u64>();
        for block in &mut self.blocks {
            block[self.filled..].fill(0);
            block[self.filled] = 0x80;
        }
        if self.filled >= END {
            self.compress.run(&mut self.states, self.blocks.each_ref().map(std::slice::from_ref));
            self.blocks = [[0; BLOCK]; N];
        }
        // The number of bits, at the end of the last block.
        self.blocks.iter_mut().for_each(|block| block[END..].copy_from_slice(&(8 * length).to_be_bytes()));
        self.compress.run(&mut self.states, self.blocks.each_ref().map(std::slice::from_ref));
        self.states
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]
    use parcrypt_cpu::Row;
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::{rng, skip};

    use super::*;

    /// Returns the rows that this machine can run.
    fn rows() -> Vec<&'static Row<HashRow>> {
        let row = |backend: &parcrypt_cpu::Backend| match select((*backend).into()) {
            Ok(row) => Some(row),
            Err(why) => {
                skip("parcrypt-sha256", backend.name(), &why.to_string());
                None
            }
        };
        BACKENDS.iter().filter_map(row).collect()
    }

    /// Returns the hash by the crate `sha2`.
    fn oracle(message: &[u8]) -> [u8; 32] {
        <sha2::Sha256 as sha2::Digest>::digest(message).into()
    }

    /// Messages of any length in pieces of any length, also in plain Rust.
    #[test]
    fn one_message_in_pieces() {
        let mut rng = rng();
        for length in (0..260).chain([4096, 131_152]) {
            let [message] = random(&mut rng, [length]);
            let (mut hash, mut rest) = (Sha256::new(), &message[..]);
            let mut plain = Lanes::new(Compress::plain());
            while !rest.is_empty() {
                let (piece, later) = rest.split_at(rng.random_range(0..=rest.len().min(200)));
                hash.update(piece);
                plain.update([piece]);
                rest = later;
            }
            assert_eq!(hash.finalize(), oracle(&message), "{length} bytes");
            assert_eq!(
                hash_of_lane(&plain.finish(length as u64), 0),
                oracle(&message),
                "{length} bytes in plain Rust"
            );
        }
    }

    /// Compares the hashes of messages with those of the crate.
    fn compare<const PARTS: usize>(row: &Row<HashRow>, messages: &[[Vec<u8>; PARTS]]) {
        let expected: Vec<[u8; 32]> = messages.iter().map(|message| oracle(&message.concat())).collect();
        let messages: Vec<_> = messages.iter().map(|message| message.each_ref().map(Vec::as_slice)).collect();
        let lengths = messages.first().map(|first| first.map(<[u8]>::len));
        let backend = row.backend();
        assert_eq!(row.hash_many(&messages), expected, "{backend}, {} of {lengths:?}", messages.len());
        assert!(messages.iter().zip(expected).all(|(message, expected)| hash(*message) == expected));
    }

    fn random<const PARTS: usize>(rng: &mut impl RngCore, lengths: [usize; PARTS]) -> [Vec<u8>; PARTS] {
        lengths.map(|length| {
            let mut bytes = vec![0; length];
            rng.fill_bytes(&mut bytes);
            bytes
        })
    }

    #[test]
    fn hashes_are_those_of_the_crate() {
        let mut rng = rng();
        for row in rows() {
            // All numbers of messages about one and two vectors, then any.
            for step in 0..300usize {
                let count = if step < 40 { step } else { rng.random_range(0..40) };
                let lengths: [usize; 3] = std::array::from_fn(|_| rng.random_range(0..300));
                let messages: Vec<_> = (0..count).map(|_| random(&mut rng, lengths)).collect();
                compare(row, &messages);
            }
            // All lengths about a block, two and three, in one part and in two.
            for length in 0..200 {
                for count in [2, 16] {
                    let messages: Vec<_> = (0..count).map(|_| random(&mut rng, [length])).collect();
                    compare(row, &messages);
                    let messages: Vec<_> = (0..count).map(|_| random(&mut rng, [length % 64, 64])).collect();
                    compare(row, &messages);
                }
            }
        }
    }

    /// Words of only zeros or ones, all or one of them, in all lanes or in one.
    #[test]
    fn extreme_words() {
        for row in rows() {
            for count in [2, 16] {
                for (fill, other) in [(0u8, 0xff), (0xff, 0)] {
                    for word in 0..32 {
                        let mut messages = vec![[vec![fill; 128]]; count];
                        messages[word % count][0][4 * word..][..4].fill(other);
                        compare(row, &messages);
                    }
                }
            }
        }
    }

    #[test]
    fn costs_fall_with_the_backend() {
        let rows = rows();
        for count in 1..40 {
            let costs: Vec<u64> = rows.iter().map(|row| row.hash_ps(count)).collect();
            assert!(costs.is_sorted_by(|a, b| a >= b), "{count} messages: {costs:?}");
        }
    }

    #[test]
    fn messages_as_long_as_a_blob() {
        let message = vec![0x5a; 128 << 10];
        let expected = oracle(&message);
        for row in rows() {
            assert_eq!(row.hash_many(&[[&message[..]]; 3]), vec![expected; 3], "{}", row.backend());
        }
    }

    #[test]
    #[should_panic(expected = "lengths of parts")]
    fn lengths_must_be_equal() {
        rows()[0].hash_many(&[[&[0; 3][..], &[0; 4]], [&[0; 4], &[0; 3]]]);
    }
}
