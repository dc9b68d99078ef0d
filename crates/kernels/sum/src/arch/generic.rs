//! The sum and the exclusive-or by their definitions: the rows `portable`.

use parcrypt_cpu::Registers;

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

/// Adds to each 64-bit little-endian word the sum of its bytes, `steps` times.
pub(crate) fn add_portable(state: &mut Registers, steps: u64) {
    let (words, _) = state.as_flattened_mut().as_chunks_mut::<8>();
    for _ in 0..steps {
        for word in &mut *words {
            let sum = word.iter().map(|byte| u64::from(*byte)).sum();
            *word = u64::from_le_bytes(*word).wrapping_add(sum).to_le_bytes();
        }
    }
}
