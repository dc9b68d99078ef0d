//! PBKDF2-HMAC-SHA256 with one iteration (RFC 8018, section 5.2): block i is HMAC(password, salt ‖ i).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroize;

/// Bytes of an output block.
pub(crate) const OUTPUT: usize = 32;

/// HMAC-SHA256 under a password, after some bytes of the salt. It is cleared when it is dropped.
#[derive(Clone)]
pub(crate) struct Prf(Hmac<Sha256>);

impl Prf {
    /// Returns the state under `password`, of any length, without salt.
    pub(crate) fn new(password: &[u8]) -> Self {
        Prf(Hmac::new_from_slice(password).expect("HMAC takes keys of any length"))
    }

    /// Adds the next bytes of the salt.
    pub(crate) fn salt(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Calls `take` with block `i`, counted from 1.
    pub(crate) fn block(&self, i: u32, take: impl FnOnce(&[u8; OUTPUT])) {
        let mut mac = self.0.clone();
        mac.update(&i.to_be_bytes());
        let mut block: [u8; OUTPUT] = mac.finalize().into_bytes().into();
        take(&block);
        block.zeroize();
    }

    /// Fills `out`, whose length is already checked to need fewer than 2^32 blocks.
    pub(crate) fn fill(&self, out: &mut [u8]) {
        for (i, chunk) in (1..).zip(out.chunks_mut(OUTPUT)) {
            self.block(i, |block| chunk.copy_from_slice(&block[..chunk.len()]));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(unsafe_code, reason = "reads the stack")]

    use std::hint::black_box;

    use parcrypt_testkit::{freed, has_part_of, left_on_stack};

    use super::*;

    #[test]
    fn output_blocks_are_cleared() {
        /// Returns the block and its address, of a frame that is gone.
        #[inline(never)]
        fn of_frame(prf: &Prf) -> ([u8; OUTPUT], usize) {
            let mut found = ([0; OUTPUT], 0);
            prf.block(1, |bytes| found = (*black_box(bytes), bytes.as_ptr().addr()));
            found
        }
        let prf = Prf::new(b"password");
        let (block, address) = of_frame(&prf);
        // SAFETY: the block was on the stack of this thread.
        let left: [u8; OUTPUT] = unsafe { left_on_stack(address) };
        assert!(block != [0; OUTPUT] && !has_part_of(&left, &block));
    }

    /// What is freed is the same for passwords and salts that differ.
    #[test]
    fn states_are_cleared() {
        let left = |password: &[u8], salt: &[u8]| {
            freed(size_of::<Prf>(), || {
                let mut prf = Box::new(Prf::new(password));
                prf.salt(salt);
                drop(prf);
            })
        };
        let one = left(b"password", b"salt");
        assert_eq!(one.len(), 1);
        assert_eq!(left(b"Password", b"salt"), one);
        assert_eq!(left(b"password", b"Salt"), one);
        assert_eq!(left(b"password", &[1; 68]), left(b"password", &[2; 68]), "a hashed block");
    }
}
