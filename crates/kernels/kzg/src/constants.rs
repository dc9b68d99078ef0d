//! Sizes that EIP-4844 and EIP-7594 fix, the bytes that their functions take and return, and the constants of SHA-256.

/// Bytes of a field element, most significant first.
pub const BYTES_PER_FIELD_ELEMENT: usize = 32;
/// Values in a blob.
pub const FIELD_ELEMENTS_PER_BLOB: usize = 4096;
/// Values in a blob and its extension.
pub const FIELD_ELEMENTS_PER_EXT_BLOB: usize = 2 * FIELD_ELEMENTS_PER_BLOB;
/// Values in a cell.
pub const FIELD_ELEMENTS_PER_CELL: usize = 64;
/// Cells of a blob and its extension.
pub const CELLS_PER_EXT_BLOB: usize = FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL;
/// Bytes of a blob.
pub const BYTES_PER_BLOB: usize = FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT;
/// Bytes of a cell.
pub const BYTES_PER_CELL: usize = FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT;
/// Bytes of a commitment, a compressed point of G1.
pub const BYTES_PER_COMMITMENT: usize = 48;
/// Bytes of a proof, a compressed point of G1.
pub const BYTES_PER_PROOF: usize = 48;

/// Cells of a blob without its extension, and the number of cells that recovery needs.
pub(crate) const CELLS_PER_BLOB: usize = CELLS_PER_EXT_BLOB / 2;

/// A commitment to a polynomial.
pub type Commitment = [u8; BYTES_PER_COMMITMENT];
/// A proof of one or several values of a polynomial.
pub type Proof = [u8; BYTES_PER_PROOF];
/// 64 values of a polynomial.
pub type Cell = [u8; BYTES_PER_CELL];
/// A field element, big-endian, below the modulus.
pub type FieldBytes = [u8; BYTES_PER_FIELD_ELEMENT];

/// Field elements of a piece of a blob, the unit of work of one thread.
pub(crate) const PIECE: usize = 512;

/// Bytes of a block of SHA-256.
pub(crate) const BLOCK: usize = 64;

pub(crate) type Block = [u8; BLOCK];

/// The states of SHA-256 of N messages: word i of each, side by side.
pub(crate) type States<const N: usize> = [[u32; N]; 8];

/// The constants of the rounds of SHA-256 (FIPS 180-4, section 4.2.2).
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
pub(crate) const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
    0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
    0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
    0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
    0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];
