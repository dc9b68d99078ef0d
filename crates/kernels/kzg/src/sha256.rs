//! SHA-256 (FIPS 180-4) of messages of the same length, several at once.

use std::array::from_fn;

use sha2::{Digest, Sha256};

use crate::constants::{BLOCK, Block, States};
pub(crate) use crate::dispatch::{BACKENDS, HashRow, select};
use crate::dispatch::{Compress, Kernel};

/// The state before the first block (section 5.3.3).
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

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
    fn rows() -> Vec<&'static Row<HashRow>> {
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
    fn compare<const PARTS: usize>(row: &Row<HashRow>, messages: &[[Vec<u8>; PARTS]]) {
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
