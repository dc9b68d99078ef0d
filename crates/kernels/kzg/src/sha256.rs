//! SHA-256 (FIPS 180-4) of messages of the same length, several at once.

use std::array::from_fn;

use sha2::{Digest, Sha256};

pub(crate) use crate::dispatch::{BACKENDS, HashRow, select};
use crate::dispatch::{Compress, Kernel};

/// Bytes of a block.
const BLOCK: usize = 64;

pub(crate) type Block = [u8; BLOCK];

/// The states of N messages: word i of each, side by side.
pub(crate) type States<const N: usize> = [[u32; N]; 8];

/// The state before the first block (section 5.3.3).
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The constants of the rounds (section 4.2.2).
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
pub(crate) const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
    0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
    0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
    0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
    0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// A message, as its parts in order.
pub(crate) type Message<'a, const PARTS: usize> = [&'a [u8]; PARTS];

/// Returns the hash of a message.
pub(crate) fn hash<const PARTS: usize>(message: Message<PARTS>) -> [u8; 32] {
    message.into_iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize().into()
}

impl HashRow {
    /// Returns the hashes of messages.
    ///
    /// # Panics
    /// If their parts differ in length.
    pub(crate) fn hash_many<const PARTS: usize>(&self, messages: &[Message<PARTS>]) -> Vec<[u8; 32]> {
        let lengths = messages.first().map(|first| first.map(<[u8]>::len));
        assert!(messages.iter().all(|message| Some(message.map(<[u8]>::len)) == lengths), "lengths of parts");
        let mut hashes = Vec::with_capacity(messages.len());
        let mut rest = messages;
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
    let states = lanes.finish(messages[0].iter().map(|part| part.len()).sum());
    hashes.extend((0..count).map(|i| {
        let mut hash = [0; 32];
        let words = hash.as_chunks_mut().0.iter_mut().zip(&states);
        words.for_each(|(bytes, words)| *bytes = words[i].to_be_bytes());
        hash
    }));
    count
}

/// N hashes that are not complete.
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
    fn finish(mut self, length: usize) -> States<N> {
        self.update([&[0x80]; N]);
        let zeros = [0; BLOCK];
        // Room for the length of the message in the last block.
        let missing = (2 * BLOCK - size_of::<u64>() - self.filled) % BLOCK;
        self.update([&zeros[..missing]; N]);
        self.update([&(8 * length as u64).to_be_bytes(); N]);
        self.states
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Row;
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::{rng, skip};

    use super::*;

    /// Returns the rows that this machine can run.
    fn rows() -> Vec<&'static HashRow> {
        let row = |backend: &parcrypt_cpu::Backend| match select((*backend).into()) {
            Ok(row) => Some(row),
            Err(why) => {
                skip("parcrypt-kzg", backend.name(), &why.to_string());
                None
            }
        };
        BACKENDS.iter().filter_map(row).collect()
    }

    /// Compares the hashes of messages with those of the crate.
    fn compare<const PARTS: usize>(row: &HashRow, messages: &[[Vec<u8>; PARTS]]) {
        let expected: Vec<[u8; 32]> =
            messages.iter().map(|message| Sha256::digest(message.concat()).into()).collect();
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
        let expected: [u8; 32] = Sha256::digest(&message).into();
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
