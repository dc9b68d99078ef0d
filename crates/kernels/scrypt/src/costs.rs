//! Times by which lanes are laid out, and by which the runtime decides when parallel pays. The plan `scrypt` measures
//! whole keys.

/// Time of one block of one lane, in ps.
const LANE_PS: u64 = 32_000;
/// Time of one block of each of two to four lanes in a register of AVX-512, in ps.
#[cfg(target_arch = "x86_64")]
const AVX512_PS: u64 = 49_500;
/// Time of one block of each of five to eight lanes in two registers of AVX-512, in ps.
#[cfg(target_arch = "x86_64")]
const AVX512_PAIR_PS: u64 = 53_000;

/// Time of one block of each of nine to twelve lanes in three registers of AVX-512, in ps. Not measured but for Zen 5,
/// the only one for which it counts, estimated: all registers take part in one chain of 192 cycles, and each adds what
/// the second one added.
#[cfg(target_arch = "x86_64")]
const AVX512_TRIPLE_PS: u64 = 56_500;
/// Time of one block of each of 13 to 16 lanes in four registers of AVX-512, in ps; see [`AVX512_TRIPLE_PS`].
#[cfg(target_arch = "x86_64")]
const AVX512_QUAD_PS: u64 = 60_000;

/// Times of one block of each of i + 1 lanes with backend `portable`, in ps.
pub(crate) const PORTABLE_BLOCK_PS: &[u64] = &[LANE_PS];
/// Times of one block of each of i + 1 lanes with backend `avx2`, in ps: on Zen 3, N = 2^10; for
/// five and six estimated.
#[cfg(target_arch = "x86_64")]
pub(crate) const AVX2_BLOCK_PS: &[u64] = &[44_500, 46_500, 60_000, 65_500, 80_000, 85_000];
/// Times of one block of each of i + 1 lanes with backend `avx512`, in ps.
#[cfg(target_arch = "x86_64")]
pub(crate) const AVX512_BLOCK_PS: &[u64] = &[
    LANE_PS,
    AVX512_PS,
    AVX512_PS,
    AVX512_PS,
    AVX512_PAIR_PS,
    AVX512_PAIR_PS,
    AVX512_PAIR_PS,
    AVX512_PAIR_PS,
    AVX512_TRIPLE_PS,
    AVX512_TRIPLE_PS,
    AVX512_TRIPLE_PS,
    AVX512_TRIPLE_PS,
    AVX512_QUAD_PS,
    AVX512_QUAD_PS,
    AVX512_QUAD_PS,
    AVX512_QUAD_PS,
];

/// Time of the two HMAC states of an item, in ns; salts and rows B add [`BYTE_NS`] a byte.
pub(crate) const ITEM_NS: u64 = 500;
/// Time of a byte of salt or of a row B in PBKDF2, in ns.
pub(crate) const BYTE_NS: u64 = 1;
/// Time to clear a block, in ns.
pub(crate) const CLEAR_BLOCK_NS: u64 = 3;
