//! The sum and the exclusive-or by their definitions: the rows `portable`.

/// Returns the sum of the bytes modulo 2^64.
pub(crate) fn sum_portable(data: &[u8]) -> u64 {
    let mut sum = 0u64;
    for &byte in data {
        sum = sum.wrapping_add(u64::from(byte));
    }
    sum
}

/// Returns the exclusive-or of the 64-bit little-endian words, the last one padded with zero bytes.
pub(crate) fn xor_portable(data: &[u8]) -> u64 {
    let (words, tail) = data.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    let mut xor = u64::from_le_bytes(last);
    for word in words {
        xor ^= u64::from_le_bytes(*word);
    }
    xor
}
