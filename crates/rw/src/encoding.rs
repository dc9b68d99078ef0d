//! From a message to a number below n: the hash in the crate's documentation.

use sha2::{Digest, Sha256};

/// Names scheme, hash and version, so that no other use of a key gives a number that this one signs.
const DOMAIN: &[u8] = b"parcrypt-rw-fdh-sha256-v1\0";
/// Bytes by which the hash is longer than n.
const MARGIN: usize = 16;

/// K, from the bytes of n.
pub(crate) fn key_prefix(n: &[u8]) -> [u8; 32] {
    let bits = (8 * n.len()) as u32;
    Sha256::new().chain_update(DOMAIN).chain_update(bits.to_be_bytes()).chain_update(n).finalize().into()
}

/// h before it is reduced modulo n of `bytes` bytes: a number below 2^128·2^(8·bytes).
pub(crate) fn expand(prefix: &[u8; 32], message: &[u8], bytes: usize) -> Vec<u8> {
    let seed = Sha256::new().chain_update(prefix).chain_update(message).finalize();
    let mut long = Vec::with_capacity((bytes + MARGIN).next_multiple_of(32));
    for i in 0..(bytes + MARGIN).div_ceil(32) as u32 {
        long.extend_from_slice(&Sha256::new().chain_update(seed).chain_update(i.to_be_bytes()).finalize());
    }
    long.truncate(bytes + MARGIN);
    long
}
