//! The full-domain hash of a message, as in the crate's documentation.

use sha2::{Digest, Sha256};

/// The domain separator: scheme, hash and version.
const DOMAIN: &[u8] = b"parcrypt-rw-fdh-sha256-v1\0";
/// Bytes by which the hash is longer than n.
const MARGIN: usize = 16;

/// Returns K, from the bytes of n.
pub(crate) fn key_prefix(n: &[u8]) -> [u8; 32] {
    let bits = (8 * n.len()) as u32;
    Sha256::new().chain_update(DOMAIN).chain_update(bits.to_be_bytes()).chain_update(n).finalize().into()
}

/// Returns h before its reduction modulo n of `bytes` bytes: a number below 2^128·2^(8·bytes).
pub(crate) fn expand(prefix: &[u8; 32], message: &[u8], bytes: usize) -> Vec<u8> {
    let seed = Sha256::new().chain_update(prefix).chain_update(message).finalize();
    let mut long = Vec::with_capacity((bytes + MARGIN).next_multiple_of(32));
    for i in 0..(bytes + MARGIN).div_ceil(32) as u32 {
        long.extend_from_slice(&Sha256::new().chain_update(seed).chain_update(i.to_be_bytes()).finalize());
    }
    long.truncate(bytes + MARGIN);
    long
}
