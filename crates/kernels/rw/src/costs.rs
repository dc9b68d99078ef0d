//! Times by which the runtime decides when parallel pays, in ns. The plan `rw-peers` measures the signatures.

/// Time of an exponentiation modulo a prime of `bits` bits, on one thread, by the library's integer code: 0.24 ms for
/// 1024 bits and then with the cube, which stays within a factor of two of measured times.
pub(crate) fn exponentiation_ns(bits: usize) -> u64 {
    const OF_1024_BITS_NS: u64 = 240_000;
    let bits = bits as u64;
    (OF_1024_BITS_NS * bits * bits * bits) >> 30
}

/// Time to test a given prime of `bits` bits: the rounds of the Miller–Rabin test.
pub(crate) fn primality_ns(bits: usize) -> u64 {
    const ROUNDS: u64 = 64;
    ROUNDS * exponentiation_ns(bits)
}

/// Time to find a prime of `bits` bits: some twenty candidates pass trial division, and the last one is tested in full.
pub(crate) fn search_ns(bits: usize) -> u64 {
    const EXPONENTIATIONS: u64 = 40;
    EXPONENTIATIONS * exponentiation_ns(bits)
}

/// Time to verify a signature of a short message under a modulus of `bits` bits: hashes and one squaring.
pub(crate) fn verify_ns(bits: usize) -> u64 {
    const HASHES_NS: u64 = 1500;
    const OF_128_BITS_NS: u64 = 30;
    let words = bits as u64 / 128;
    HASHES_NS + OF_128_BITS_NS * words * words
}
