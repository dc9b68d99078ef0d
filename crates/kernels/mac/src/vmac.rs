//! VMAC, draft-krovetz-vmac-01.

use std::fmt;

use parcrypt_cpu::{Backend, Request};
use parcrypt_runtime::Runtime;

use crate::arch::generic::vhash::{self, BLOCK, Key, Sums};
use crate::block_cipher::{Aes, in_one_register};
use crate::cleared::Cleared;
use crate::dispatch::VhashKernel;
use crate::mac::{self, Mac};
use crate::{Error, Item, costs};

/// VMAC with tags of 8 bytes.
pub type Vmac64 = Vmac<8>;
/// VMAC with tags of 16 bytes: two hashes, for about twice the time.
pub type Vmac128 = Vmac<16>;

/// VMAC under one key, draft-krovetz-vmac-01 with AES; tags of `BYTES` bytes, 8 or 16.
///
/// A nonce must be used for one message only under a key: the difference of two tags with the same nonce is the
/// difference of two hashes, which reveals parts of the key and makes forging possible. A nonce is a number below
/// 2^127: shorter ones are padded with zero bytes in front, so that `[1]` and `[0, 1]` are the same nonce. Use one
/// length for a key.
///
/// An empty message has a tag like any other message. Tags of 8 bytes and of 16 need different keys: the first is not a
/// part of the second, but hashes and pads are derived from the same blocks.
///
/// Make a value of this type once for a key and share it; that takes 23 or more encryptions. The key and all values
/// derived from it are cleared when it is dropped. Time does not depend on keys, messages or tags, only on lengths.
pub struct Vmac<const BYTES: usize> {
    state: Cleared<State<BYTES>>,
}

struct State<const BYTES: usize> {
    aes: Aes,
    key: Key,
    kernel: VhashKernel,
}

impl<const BYTES: usize> Vmac<BYTES> {
    /// Returns the backends of this build, in rising order of preference; the machine may not have them all.
    pub fn backends() -> Vec<Backend> {
        VhashKernel::backends()
    }

    /// Returns the MAC under an AES key of 16, 24 or 32 bytes (the draft's vectors have 16), with the requested
    /// backend. AES itself always takes the processor's instructions if it has them.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::Backend`] if the requested backend is not offered or not available.
    pub fn new(request: Request, key: &[u8]) -> Result<Self, Error> {
        const { assert!(BYTES == 8 || BYTES == 16, "VMAC has tags of 8 and of 16 bytes") }
        let kernel = VhashKernel::select(request)?;
        let aes = Aes::new(key)?;
        let words = |index: u8, i: usize| {
            // Section 3.2: the block has the index in front and the counter behind, and each gives two words.
            let block = (u128::from(index) << 120 | (i / 2) as u128).to_be_bytes();
            aes.encrypt_key(block, |both| {
                let both = u128::from_be_bytes(*both);
                (if i.is_multiple_of(2) { both >> 64 } else { both }) as u64
            })
        };
        let key = Key::new(words);
        let mut state = Cleared::new(State { aes, key, kernel });
        kernel.expand(&mut state.key);
        Ok(Vmac { state })
    }

    /// Returns the backend that computes VHASH.
    pub fn backend(&self) -> Backend {
        self.state.kernel.backend()
    }

    /// Returns the tag of a message of at most 2^61 − 1 bytes, over the threads of `rt` if that pays.
    ///
    /// # Errors
    /// [`Error::NonceLength`] if the nonce does not have 1 to 16 bytes, [`Error::NonceTopBit`],
    /// [`Error::MessageLength`].
    pub fn tag(&self, rt: &dyn Runtime, nonce: &[u8], message: &[u8]) -> Result<[u8; BYTES], Error> {
        mac::tag(&*self.state, rt, nonce, message)
    }

    /// Returns whether `tag` is the tag of the message, in a time that does not depend on where they differ.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the tag does not have `BYTES` bytes, and those of [`Vmac::tag`].
    pub fn verify(&self, rt: &dyn Runtime, nonce: &[u8], message: &[u8], tag: &[u8]) -> Result<bool, Error> {
        mac::verify(&*self.state, rt, nonce, message, tag)
    }

    /// Returns the tags of many messages, in order, computed over the threads of `rt` if that pays; long messages
    /// are divided.
    ///
    /// # Errors
    /// [`Error::Item`] with the first message for which [`Vmac::tag`] has an error. Then no tag is computed.
    pub fn tags(&self, rt: &dyn Runtime, items: &[Item<'_>]) -> Result<Vec<[u8; BYTES]>, Error> {
        mac::tags(&*self.state, rt, items)
    }
}

impl<const BYTES: usize> fmt::Debug for Vmac<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vmac").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl<const BYTES: usize> State<BYTES> {
    /// Whether there is a second pass.
    const TWICE: bool = BYTES == 16;
}

impl<const BYTES: usize> Mac for State<BYTES> {
    type Sum = Sums;
    type Tag = [u8; BYTES];
    const BLOCK: usize = BLOCK;
    /// The draft has no bound below 2^64 bytes; this one keeps the number of bits below 2^64, as for GMAC.
    const LONGEST: u64 = (1 << 61) - 1;

    fn aes(&self) -> &Aes {
        &self.aes
    }

    /// Section 3.3. With tags of 8 bytes, two nonces that differ in the last bit share one block.
    #[inline]
    fn block(&self, nonce: &[u8]) -> Result<[u8; 16], Error> {
        if nonce.is_empty() || nonce.len() > 16 {
            return Err(Error::NonceLength { got: nonce.len(), least: 1, most: 16 });
        }
        let number = if let Ok(all) = <[u8; 16]>::try_from(nonce) {
            u128::from_be_bytes(all)
        } else if let Ok(word) = <[u8; 8]>::try_from(nonce) {
            u64::from_be_bytes(word).into()
        } else {
            nonce.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
        };
        // Keys are derived from the numbers from 2^127 on.
        if number >> 127 == 1 {
            return Err(Error::NonceTopBit);
        }
        Ok((if Self::TWICE { number } else { number & !1 }).to_be_bytes())
    }

    /// The last bit of the nonce selects the half for a tag of 8 bytes, which becomes the high half.
    #[inline]
    fn pad(nonce: &[u8], block: [u8; 16]) -> u128 {
        let second = !Self::TWICE && nonce.last().is_some_and(|byte| byte & 1 == 1);
        u128::from_be_bytes(block) << (64 * u32::from(second))
    }

    fn start(&self) -> Sums {
        [1; 2]
    }

    fn absorb(&self, sum: Sums, blocks: &[u8]) -> Sums {
        self.kernel.hash::<BYTES>(&self.key, sum, blocks)
    }

    fn power(&self, blocks: usize) -> Sums {
        // From the highest bit of the exponent, which is public, to the lowest.
        let bits = (0..blocks.ilog2()).rev();
        self.key.poly.map(|first| {
            bits.clone().fold(first, |power, bit| {
                let square = vhash::multiply(power, power);
                if blocks >> bit & 1 == 1 { vhash::multiply(square, first) } else { square }
            })
        })
    }

    fn join(&self, head: Sums, power: Sums, tail: Sums) -> Sums {
        std::array::from_fn(|pass| vhash::join(head[pass], power[pass], tail[pass]))
    }

    #[inline]
    fn finish(&self, pad: u128, sum: Sums, rest: &[u8], total: u64) -> [u8; BYTES] {
        let [first, second] = self.kernel.finish::<BYTES>(&self.key, sum, rest, total);
        let first = first.wrapping_add((pad >> 64) as u64);
        let second = second.wrapping_add(pad as u64);
        let both = in_one_register((u128::from(first) << 64 | u128::from(second)).to_be_bytes());
        *both.first_chunk().expect("a tag has at most 16 bytes")
    }

    fn piece_ns(&self) -> u64 {
        costs::vhash_ns(self.kernel.backend(), BYTES)
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{backends, freed};

    use super::*;

    #[test]
    fn keys_are_cleared() {
        for backend in backends("parcrypt-mac", &Vmac128::backends()) {
            let mac = Vmac128::new(backend.into(), &[7; 16]).expect("16 bytes");
            let blocks = freed(size_of::<State<16>>(), || drop(mac));
            // Padding too, which may hold what was on the stack.
            assert!(
                matches!(&blocks[..], [block] if block.iter().all(|byte| *byte == 0)),
                "{backend}: {blocks:?}"
            );
        }
    }

    #[test]
    fn the_longest_message_has_less_than_2_to_the_64_bits() {
        let mac = Vmac64::new(Request::Auto, &[7; 16]).expect("16 bytes");
        let most = (1 << 61) - 1;
        let block = |bytes| mac::block(&*mac.state, &[1; 12], bytes);
        assert!(block(most).is_ok());
        assert_eq!(block(most + 1), Err(Error::MessageLength { most }));
    }
}
