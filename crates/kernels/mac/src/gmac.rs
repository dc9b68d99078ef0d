//! GMAC: GCM without plaintext, NIST SP 800-38D.

use std::fmt;

use parcrypt_cpu::{Backend, Request};
use parcrypt_runtime::Runtime;

use crate::arch::generic::ghash::Key;
use crate::block_cipher::{Aes, in_one_register};
use crate::cleared::Cleared;
use crate::dispatch::{GHASH, GhashRow};
use crate::mac::{self, Mac};
use crate::{Error, Item, costs};

/// GMAC under one key, NIST SP 800-38D with AES; tags of `BYTES` bytes, 16 unless the key is for
/// [truncated](Gmac::truncated) ones.
///
/// A nonce must be used for one message only under a key. Two messages with the same nonce and their tags are a
/// polynomial equation for the hash key, and its solutions allow forging tags for any message and nonce until the key
/// is changed. Nonces of 12 bytes are the common form: a counter, or 12 random bytes for at most 2^32 messages (SP
/// 800-38D, section 8.3).
///
/// An empty message has a tag like any other message.
///
/// Make a value of this type once for a key and share it; that takes about 200 ns. The key and all values derived from
/// it are cleared when it is dropped. Time does not depend on keys, messages or tags, only on lengths.
pub struct Gmac<const BYTES: usize = 16> {
    state: Cleared<State<BYTES>>,
}

struct State<const BYTES: usize> {
    aes: Aes,
    key: Key,
    kernel: GhashRow,
}

impl Gmac {
    /// Returns the backends of this build, in rising order of preference; the machine may not have them all.
    pub fn backends() -> Vec<Backend> {
        GHASH.backends()
    }

    /// Returns the MAC under an AES key of 16, 24 or 32 bytes, with the requested backend. AES itself always takes the
    /// processor's instructions if it has them.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::Backend`] if the requested backend is not offered or not available.
    pub fn new(request: Request, key: &[u8]) -> Result<Self, Error> {
        Gmac::truncated(request, key)
    }
}

impl<const BYTES: usize> Gmac<BYTES> {
    /// Returns the MAC as [`Gmac::new`], with tags that are the first 12 to 16 bytes of the whole ones, or the first 4
    /// or 8. Other lengths do not compile.
    ///
    /// A key has one length (SP 800-38D, section 5.2.1.2): if a verifier accepts several, a forger can choose the
    /// shortest. Tags of 4 and 8 bytes are only for protocols that limit the bytes of a message and the number of
    /// verifications under a key as appendix C says; this crate does not count them.
    ///
    /// ```
    /// # use {parcrypt_cpu::Request, parcrypt_mac::Gmac, parcrypt_runtime::Serial};
    /// let tag = Gmac::new(Request::Auto, &[7; 16])?.tag(&Serial, b"unique nonce", b"message")?;
    /// let gmac = Gmac::<12>::truncated(Request::Auto, &[7; 16])?;
    /// assert!(gmac.verify(&Serial, b"unique nonce", b"message", &tag[..12])?);
    /// # Ok::<(), parcrypt_mac::Error>(())
    /// ```
    /// ```compile_fail
    /// # use {parcrypt_cpu::Request, parcrypt_mac::Gmac};
    /// let gmac = Gmac::<11>::truncated(Request::Auto, &[7; 16]);
    /// ```
    ///
    /// # Errors
    /// Errors of [`Gmac::new`].
    pub fn truncated(request: Request, key: &[u8]) -> Result<Self, Error> {
        const { assert!(matches!(BYTES, 4 | 8 | 12..=16), "GMAC has tags of 4, 8 and 12 to 16 bytes") }
        let kernel = GHASH.select(request)?;
        let aes = Aes::new(key)?;
        let first = aes.encrypt_key([0; 16], |h| Key::new(*h));
        let mut state = Cleared::new(State { aes, key: first, kernel });
        kernel.expand(&mut state.key);
        Ok(Gmac { state })
    }

    /// Returns the backend that computes GHASH.
    pub fn backend(&self) -> Backend {
        self.state.kernel.backend()
    }

    /// Returns the tag of a message of at most 2^61 − 1 bytes, over the threads of `rt` if that pays.
    ///
    /// # Errors
    /// [`Error::NonceLength`] if the nonce is empty, [`Error::MessageLength`].
    pub fn tag(&self, rt: &dyn Runtime, nonce: &[u8], message: &[u8]) -> Result<[u8; BYTES], Error> {
        mac::tag(&*self.state, rt, nonce, message)
    }

    /// Returns whether `tag` is the tag of the message, in a time that does not depend on where they differ.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the tag does not have `BYTES` bytes, and the errors of [`Gmac::tag`].
    pub fn verify(&self, rt: &dyn Runtime, nonce: &[u8], message: &[u8], tag: &[u8]) -> Result<bool, Error> {
        mac::verify(&*self.state, rt, nonce, message, tag)
    }

    /// Returns the tags of many messages, in order, computed over the threads of `rt` if that pays; long messages
    /// are divided.
    ///
    /// # Errors
    /// [`Error::Item`] with the first message for which [`Gmac::tag`] has an error. Then no tag is computed.
    pub fn tags(&self, rt: &dyn Runtime, items: &[Item<'_>]) -> Result<Vec<[u8; BYTES]>, Error> {
        mac::tags(&*self.state, rt, items)
    }
}

impl<const BYTES: usize> fmt::Debug for Gmac<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gmac").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl<const BYTES: usize> Mac for State<BYTES> {
    type Sum = u128;
    type Tag = [u8; BYTES];
    const BLOCK: usize = 16;
    /// SP 800-38D, section 5.2.1.1: at most 2^64 − 1 bits.
    const LONGEST: u64 = (1 << 61) - 1;

    fn aes(&self) -> &Aes {
        &self.aes
    }

    /// Returns the block J_0 of SP 800-38D, section 7.1.
    #[inline]
    fn block(&self, nonce: &[u8]) -> Result<[u8; 16], Error> {
        Ok(if let Ok(nonce) = <[u8; 12]>::try_from(nonce) {
            let mut block = [0; 16];
            block[..12].copy_from_slice(&nonce);
            block[15] = 1;
            block
        } else {
            let bytes = nonce.len() as u64;
            if !(1..=Self::LONGEST).contains(&bytes) {
                return Err(Error::NonceLength { got: nonce.len(), least: 1, most: Self::LONGEST });
            }
            self.kernel.hash(&self.key, 0, nonce, (bytes * 8).into()).to_be_bytes()
        })
    }

    #[inline]
    fn pad(_: &[u8], block: [u8; 16]) -> u128 {
        u128::from_be_bytes(block)
    }

    fn start(&self) -> u128 {
        0
    }

    fn absorb(&self, sum: u128, blocks: &[u8]) -> u128 {
        self.kernel.hash(&self.key, sum, blocks, 0)
    }

    fn power(&self, blocks: usize) -> u128 {
        // From the highest bit of the exponent, which is public, to the lowest.
        let first = self.key.first();
        let bits = (0..blocks.ilog2()).rev();
        bits.fold(first, |power, bit| {
            let square = self.kernel.multiply(power, power);
            if blocks >> bit & 1 == 1 { self.kernel.multiply(square, first) } else { square }
        })
    }

    fn join(&self, head: u128, power: u128, tail: u128) -> u128 {
        self.kernel.multiply(head, power) ^ tail
    }

    #[inline]
    fn finish(&self, pad: u128, sum: u128, rest: &[u8], total: u64) -> [u8; BYTES] {
        // The last block has the number of bits of the message, and of the plaintext, which is empty.
        let end = u128::from(total * 8) << 64;
        let whole = in_one_register((self.kernel.hash(&self.key, sum, rest, end) ^ pad).to_be_bytes());
        *whole.first_chunk().expect("a tag has at most 16 bytes")
    }

    fn piece_ns(&self) -> u64 {
        costs::ghash_ns(self.kernel.backend())
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{backends, freed};

    use super::*;
    use crate::arch::generic::ghash::multiply_portable;

    #[test]
    fn keys_are_cleared() {
        for backend in backends("parcrypt-mac", &Gmac::backends()) {
            let mac = Gmac::new(backend.into(), &[7; 16]).expect("16 bytes");
            let blocks = freed(size_of::<State<16>>(), || drop(mac));
            // Padding too, which may hold what was on the stack.
            assert!(
                matches!(&blocks[..], [block] if block.iter().all(|byte| *byte == 0)),
                "{backend}: {blocks:?}"
            );
        }
    }

    /// SP 800-38D, section 7.1: a nonce of 12 bytes and the number 1, or the hash of the nonce and its number of bits.
    #[test]
    fn nonces_become_the_blocks_of_the_standard() {
        let data: Vec<u8> = (1..=5000).map(|i: u16| i as u8).collect();
        for backend in backends("parcrypt-mac", &Gmac::backends()) {
            let mac = Gmac::new(backend.into(), &[7; 16]).expect("16 bytes");
            for len in (1..300).chain([1008, 1009, 1023, 1024, 1025, 5000]) {
                let block =
                    |part: &[u8]| u128::from_be_bytes(std::array::from_fn(|i| *part.get(i).unwrap_or(&0)));
                let add = |sum, block| multiply_portable(sum ^ block, mac.state.key.first());
                let expected = match len {
                    12 => block(&data[..12]) | 1,
                    _ => add(data[..len].chunks(16).map(block).fold(0, add), len as u128 * 8),
                };
                assert_eq!(
                    mac.state.block(&data[..len]),
                    Ok(expected.to_be_bytes()),
                    "{backend}, {len} bytes"
                );
            }
        }
    }

    #[test]
    fn the_longest_message_has_the_bits_of_the_standard() {
        let mac = Gmac::new(Request::Auto, &[7; 16]).expect("16 bytes");
        let most = (1 << 61) - 1;
        let block = |bytes| mac::block(&*mac.state, &[1; 12], bytes);
        assert!(block(most).is_ok());
        assert_eq!(block(most + 1), Err(Error::MessageLength { most }));
        // The hash of the block of its length.
        let bits = u128::from(most) * 8;
        let hash = multiply_portable(bits << 64, mac.state.key.first());
        assert_eq!(mac.state.finish(0, 0, &[], most), hash.to_be_bytes());
    }
}
