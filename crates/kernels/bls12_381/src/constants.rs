//! The constants of the curve: p, r, the parameter x and values derived from them. Words are least significant first.

/// p, the characteristic of the base field, of 381 bits:
/// 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
pub const P: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// r, the order of G1 and G2, of 255 bits: 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001.
pub const R: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// |x| for the parameter x = −0xd201000000010000 of the curve: r = x⁴ − x² + 1.
pub const X_ABS: u64 = 0xd201_0000_0001_0000;

/// ζ = x², a sixth root of unity modulo r.
pub const ZETA: u128 = (X_ABS as u128) * (X_ABS as u128);

/// β times 2^384 modulo p, the form of blst: the third root of unity for which (β·x, y) = ζ²·(x, y).
pub(crate) const BETA: [u64; 6] = [
    0xcd03_c9e4_8671_f071,
    0x5dab_2246_1fcd_a5d2,
    0x5870_42af_d385_1b95,
    0x8eb6_0ebe_01ba_cb9e,
    0x03f9_7d6e_83d0_50d2,
    0x18f0_2065_5463_8741,
];

/// Bits of r.
pub(crate) const SCALAR_BITS: usize = 255;
