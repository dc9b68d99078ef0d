//! Encryption by AES. The `aes` crate uses the processor's instructions where there are any, and else constant-time
//! code without tables or branches.

use aes::cipher::array::Array;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128Enc, Aes192Enc, Aes256Enc};

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
        let mut block = block.into();
        match self {
            Aes::Key128(aes) => aes.encrypt_block(&mut block),
            Aes::Key192(aes) => aes.encrypt_block(&mut block),
            Aes::Key256(aes) => aes.encrypt_block(&mut block),
        }
        block.into()
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
