//! Encryption by AES. The `aes` crate uses the processor's instructions if it has them, and else constant-time
//! code without tables or branches.
#![allow(unsafe_code, reason = "puts a block into a register of SSE2")]

use aes::cipher::array::Array;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use zeroize::Zeroize;

use crate::Error;

/// The round keys of AES; cleared when dropped, by `aes` itself.
pub(crate) enum Aes {
    Key128(Aes128Enc),
    Key192(Aes192Enc),
    Key256(Aes256Enc),
}

impl Aes {
    /// Returns the round keys for a key of 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8]) -> Result<Self, Error> {
        let wrong = |_| Error::KeyLength { got: key.len() };
        match key.len() {
            24 => Aes192Enc::new_from_slice(key).map(Aes::Key192).map_err(wrong),
            32 => Aes256Enc::new_from_slice(key).map(Aes::Key256).map_err(wrong),
            _ => Aes128Enc::new_from_slice(key).map(Aes::Key128).map_err(wrong),
        }
    }

    /// Returns the ciphertext of one block.
    #[inline]
    pub(crate) fn encrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let mut block = in_one_register(block).into();
        match self {
            Aes::Key128(aes) => aes.encrypt_block(&mut block),
            Aes::Key192(aes) => aes.encrypt_block(&mut block),
            Aes::Key256(aes) => aes.encrypt_block(&mut block),
        }
        block.into()
    }

    /// Returns the result of `take` for the ciphertext of a block that becomes a key, and clears the ciphertext.
    #[inline]
    pub(crate) fn encrypt_key<T>(&self, block: [u8; 16], take: impl FnOnce(&[u8; 16]) -> T) -> T {
        let mut block = self.encrypt(block);
        let result = take(&block);
        block.zeroize();
        result
    }

    /// Replaces many blocks by their ciphertexts.
    pub(crate) fn encrypt_all(&self, blocks: &mut [[u8; 16]]) {
        let blocks = Array::cast_slice_from_core_mut(blocks);
        match self {
            Aes::Key128(aes) => aes.encrypt_blocks(blocks),
            Aes::Key192(aes) => aes.encrypt_blocks(blocks),
            Aes::Key256(aes) => aes.encrypt_blocks(blocks),
        }
    }
}

/// Returns the block, which is then in one register. The cipher, or the caller that gets it as a tag, loads 16
/// bytes, and the processor does not forward two stores of 8 bytes to one load: it would wait until they are
/// in the cache.
#[inline(always)]
pub(crate) fn in_one_register(block: [u8; 16]) -> [u8; 16] {
    #[cfg(target_arch = "x86_64")]
    {
        let [low, high] = bytemuck::must_cast(block);
        // SAFETY: every x86-64 has SSE2.
        bytemuck::must_cast(unsafe { std::arch::x86_64::_mm_set_epi64x(high, low) })
    }
    #[cfg(not(target_arch = "x86_64"))]
    block
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use parcrypt_testkit::{freed, has_part_of, left_on_stack};

    use super::*;

    #[test]
    fn blocks_that_become_keys_are_cleared() {
        /// Returns the block and its address, of a frame that is gone.
        #[inline(never)]
        fn of_frame(aes: &Aes) -> ([u8; 16], usize) {
            aes.encrypt_key([1; 16], |bytes| (*black_box(bytes), bytes.as_ptr().addr()))
        }
        let aes = Aes::new(&[7; 16]).expect("16 bytes");
        let (block, address) = of_frame(&aes);
        // SAFETY: the block was on the stack of this thread.
        let left: [u8; 16] = unsafe { left_on_stack(address) };
        assert_eq!(block, aes.encrypt([1; 16]));
        assert!(!has_part_of(&left, &block));
    }

    /// With the instructions of the processor the first round key is the key itself.
    #[test]
    fn round_keys_are_cleared() {
        for len in [16, 24, 32] {
            let key: Vec<u8> = (1..=len).collect();
            let make = || Box::new(Aes::new(&key).expect("a good length"));
            let blocks = freed(size_of::<Aes>(), || drop(make()));
            assert!(!blocks.is_empty() && blocks.iter().all(|block| !has_part_of(block, &key)), "{len}");
        }
    }
}
