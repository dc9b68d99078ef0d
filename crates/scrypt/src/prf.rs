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
