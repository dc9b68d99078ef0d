//! SHA-256 (FIPS 180-4) of two messages of the same length at once.
//!
//! The rounds of a message depend on each other, and the instructions of the SHA extensions take several cycles each:
//! a second message fits into the time of the first.
#![allow(unsafe_code, reason = "calls instructions behind the check that they are there")]

use parcrypt_cpu::{Backend, Row};
use sha2::{Digest, Sha256};

/// Replaces two states by those after some blocks, the same number for both.
type CompressTwo = fn(&mut [State; 2], [&[Block]; 2]);

/// The functions of one backend: a row of the table.
#[derive(Debug)]
pub(crate) struct HashRow {
    backend: Backend,
    /// Without it one message follows the other.
    compress_two: Option<CompressTwo>,
}

impl Row for HashRow {
    fn backend(&self) -> Backend {
        self.backend
    }
}

/// The rows, in rising order of preference.
static ROWS: &[HashRow] = &[
    HashRow { backend: Backend::Sha2, compress_two: None },
    #[cfg(target_arch = "x86_64")]
    HashRow { backend: Backend::ShaNi, compress_two: Some(x86_64::compress_two) },
];

/// The backends of the rows, in rising order of preference.
pub(crate) const BACKENDS: &[Backend] = &{
    let mut backends = [Backend::Sha2; ROWS.len()];
    let mut i = 0;
    while i < ROWS.len() {
        backends[i] = ROWS[i].backend;
        i += 1;
    }
    backends
};

/// Returns the requested row.
pub(crate) fn select(request: parcrypt_cpu::Request) -> Result<&'static HashRow, parcrypt_cpu::Error> {
    parcrypt_cpu::select(ROWS, request)
}

/// Bytes of a block.
const BLOCK: usize = 64;

type Block = [u8; BLOCK];
type State = [u32; 8];

/// The state before the first block.
const INITIAL: State =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// A message, as its parts in order.
pub(crate) type Message<'a, const PARTS: usize> = [&'a [u8]; PARTS];

/// Returns the hash of a message.
pub(crate) fn hash<const PARTS: usize>(message: Message<PARTS>) -> [u8; 32] {
    message.into_iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize().into()
}

impl HashRow {
    /// Returns whether two messages at once take less time than one after the other.
    pub(crate) fn is_for_two(&self) -> bool {
        self.compress_two.is_some()
    }

    /// Returns the hashes of two messages.
    ///
    /// # Panics
    /// If their parts differ in length.
    pub(crate) fn hash_two<const PARTS: usize>(&self, messages: [Message<PARTS>; 2]) -> [[u8; 32]; 2] {
        assert_eq!(messages[0].map(<[u8]>::len), messages[1].map(<[u8]>::len), "lengths of parts");
        match self.compress_two {
            Some(compress) => Two::new(compress).hash(messages),
            None => messages.map(hash),
        }
    }
}

/// Two hashes that are not complete.
struct Two {
    compress: CompressTwo,
    states: [State; 2],
    /// The bytes of the block that is not complete: the first `filled` of these.
    blocks: [Block; 2],
    filled: usize,
    /// Bytes before that block.
    compressed: usize,
}

impl Two {
    fn new(compress: CompressTwo) -> Self {
        Two { compress, states: [INITIAL; 2], blocks: [[0; BLOCK]; 2], filled: 0, compressed: 0 }
    }

    fn hash<const PARTS: usize>(mut self, [a, b]: [Message<PARTS>; 2]) -> [[u8; 32]; 2] {
        for (a, b) in a.into_iter().zip(b) {
            self.update([a, b]);
        }
        let bits = 8 * (self.compressed + self.filled) as u64;
        self.update([&[0x80]; 2]);
        let zeros = [0; BLOCK];
        // Room for the length of the message in the last block.
        let missing = (2 * BLOCK - size_of::<u64>() - self.filled) % BLOCK;
        self.update([&zeros[..missing]; 2]);
        self.update([&bits.to_be_bytes(); 2]);
        self.states.map(|state| {
            let mut hash = [0; 32];
            let words = hash.as_chunks_mut().0.iter_mut().zip(state);
            words.for_each(|(bytes, word)| *bytes = word.to_be_bytes());
            hash
        })
    }

    /// Appends bytes, the same number to both.
    fn update(&mut self, mut more: [&[u8]; 2]) {
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
            let [a, b] = &self.blocks;
            (self.compress)(&mut self.states, [std::slice::from_ref(a), std::slice::from_ref(b)]);
            self.compressed += BLOCK;
        }
        let [(a, a_rest), (b, b_rest)] = more.map(<[u8]>::as_chunks);
        (self.compress)(&mut self.states, [a, b]);
        self.compressed += a.len() * BLOCK;
        for (block, rest) in self.blocks.iter_mut().zip([a_rest, b_rest]) {
            block[..rest.len()].copy_from_slice(rest);
        }
        self.filled = a_rest.len();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::*;
    use std::array::from_fn;

    use super::{Block, State};

    /// The constants of the rounds.
    const ROUNDS: [u32; 64] = [
        0x428a_2f98,
        0x7137_4491,
        0xb5c0_fbcf,
        0xe9b5_dba5,
        0x3956_c25b,
        0x59f1_11f1,
        0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98,
        0x1283_5b01,
        0x2431_85be,
        0x550c_7dc3,
        0x72be_5d74,
        0x80de_b1fe,
        0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1,
        0xefbe_4786,
        0x0fc1_9dc6,
        0x240c_a1cc,
        0x2de9_2c6f,
        0x4a74_84aa,
        0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152,
        0xa831_c66d,
        0xb003_27c8,
        0xbf59_7fc7,
        0xc6e0_0bf3,
        0xd5a7_9147,
        0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85,
        0x2e1b_2138,
        0x4d2c_6dfc,
        0x5338_0d13,
        0x650a_7354,
        0x766a_0abb,
        0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1,
        0xa81a_664b,
        0xc24b_8b70,
        0xc76c_51a3,
        0xd192_e819,
        0xd699_0624,
        0xf40e_3585,
        0x106a_a070,
        0x19a4_c116,
        0x1e37_6c08,
        0x2748_774c,
        0x34b0_bcb5,
        0x391c_0cb3,
        0x4ed8_aa4a,
        0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee,
        0x78a5_636f,
        0x84c8_7814,
        0x8cc7_0208,
        0x90be_fffa,
        0xa450_6ceb,
        0xbef9_a3f7,
        0xc671_78f2,
    ];

    pub(super) fn compress_two(states: &mut [State; 2], blocks: [&[Block]; 2]) {
        // SAFETY: the row of `Backend::ShaNi` alone names this function, and rows are reached through
        // `parcrypt_cpu::select` alone, which returns those whose backend this machine can run.
        unsafe { compress_two_sha_ni(states, blocks) }
    }

    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn compress_two_sha_ni(states: &mut [State; 2], [a, b]: [&[Block]; 2]) {
        // The registers of the instructions: (a, b, e, f) and (c, d, g, h) of each message.
        let mut now = [to_registers(&states[0]), to_registers(&states[1])];
        for blocks in a.iter().zip(b) {
            let before = now;
            let mut words = [quarters(blocks.0), quarters(blocks.1)];
            for quarter in 0..16 {
                let constants: &[u32; 4] = &ROUNDS.as_chunks().0[quarter];
                for (words, [abef, cdgh]) in words.iter_mut().zip(&mut now) {
                    if quarter >= 4 {
                        words[quarter % 4] = next(words, quarter % 4);
                    }
                    let sums = _mm_add_epi32(words[quarter % 4], load(constants));
                    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sums);
                    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32::<0x0e>(sums));
                }
            }
            for (now, before) in now.as_flattened_mut().iter_mut().zip(before.as_flattened()) {
                *now = _mm_add_epi32(*now, *before);
            }
        }
        for (state, now) in states.iter_mut().zip(now) {
            *state = from_registers(now);
        }
    }

    /// Returns the next four words of the message schedule, in place of `words[first]`, the oldest of four quarters.
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn next(words: &[__m128i; 4], first: usize) -> __m128i {
        let [a, b, c, d] =
            [words[first], words[(first + 1) % 4], words[(first + 2) % 4], words[(first + 3) % 4]];
        let sum = _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8::<4>(d, c));
        _mm_sha256msg2_epu32(sum, d)
    }

    /// Returns the words of a block.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn quarters(block: &Block) -> [__m128i; 4] {
        let reversed = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let (quarters, _) = block.as_chunks::<16>();
        // SAFETY: 16 bytes can be read there, and the load needs no alignment.
        let loaded = |i: usize| unsafe { _mm_loadu_si128(quarters[i].as_ptr().cast()) };
        from_fn(|i| _mm_shuffle_epi8(loaded(i), reversed))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(words: &[u32; 4]) -> __m128i {
        // SAFETY: 16 bytes can be read there, and the load needs no alignment.
        unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "ssse3,sse4.1")]
    fn to_registers(state: &State) -> [__m128i; 2] {
        let (halves, _) = state.as_chunks::<4>();
        let cdab = _mm_shuffle_epi32::<0xb1>(load(&halves[0]));
        let efgh = _mm_shuffle_epi32::<0x1b>(load(&halves[1]));
        [_mm_alignr_epi8::<8>(cdab, efgh), _mm_blend_epi16::<0xf0>(efgh, cdab)]
    }

    #[inline]
    #[target_feature(enable = "ssse3,sse4.1")]
    fn from_registers([abef, cdgh]: [__m128i; 2]) -> State {
        let feba = _mm_shuffle_epi32::<0x1b>(abef);
        let dchg = _mm_shuffle_epi32::<0xb1>(cdgh);
        let halves = [_mm_blend_epi16::<0xf0>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba)];
        let mut state = [0; 8];
        for (words, half) in state.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
            // SAFETY: 16 bytes can be written there, and the store needs no alignment.
            unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), half) };
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::{rng, skip};

    use super::*;

    /// Both messages by the crate, one after the other: the model of the others.
    fn compress_one_by_one(states: &mut [State; 2], blocks: [&[Block]; 2]) {
        for (state, blocks) in states.iter_mut().zip(blocks) {
            sha2::block_api::compress256(state, blocks);
        }
    }

    static MODEL: HashRow = HashRow { backend: Backend::Portable, compress_two: Some(compress_one_by_one) };

    #[test]
    fn two_hashes_are_those_of_the_crate() {
        let mut rng = rng();
        let mut rows = vec![&MODEL];
        for backend in BACKENDS {
            match select((*backend).into()) {
                Ok(row) => rows.push(row),
                Err(why) => skip("parcrypt-kzg", backend.name(), &why.to_string()),
            }
        }
        for row in rows {
            let backend = row.backend;
            for step in 0..600usize {
                // All lengths about a block and two, then any.
                let lengths: [usize; 3] =
                    if step < 200 { [step, 0, 0] } else { std::array::from_fn(|_| rng.random_range(0..300)) };
                let [a, b] = [(); 2].map(|()| {
                    lengths.map(|length| {
                        let mut bytes = vec![0; length];
                        rng.fill_bytes(&mut bytes);
                        bytes
                    })
                });
                let expected = [a.concat(), b.concat()].map(|bytes| <[u8; 32]>::from(Sha256::digest(bytes)));
                let messages = [&a, &b].map(|message| message.each_ref().map(Vec::as_slice));
                assert_eq!(row.hash_two(messages), expected, "{backend}, lengths {lengths:?}");
                assert_eq!(messages.map(hash), expected);
            }
        }
    }
}
