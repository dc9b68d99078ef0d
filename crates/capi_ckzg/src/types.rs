//! c-kzg's types, with their layout in memory.

use std::mem::offset_of;

use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF,
};

/// `C_KZG_RET`: the result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Ret {
    /// `C_KZG_OK`.
    Ok = 0,
    /// `C_KZG_BADARGS`: an argument is not valid.
    BadArgs = 1,
    /// `C_KZG_ERROR`: a mistake inside the library.
    Error = 2,
    /// `C_KZG_MALLOC`: not enough memory.
    Malloc = 3,
}

/// `Blob`.
pub type Blob = [u8; BYTES_PER_BLOB];
/// `Cell`.
pub type Cell = [u8; BYTES_PER_CELL];
/// `Bytes32`.
pub type Bytes32 = [u8; BYTES_PER_FIELD_ELEMENT];
/// `Bytes48`, `KZGCommitment` and `KZGProof`.
pub type Bytes48 = [u8; BYTES_PER_COMMITMENT];
const _: () = assert!(BYTES_PER_COMMITMENT == BYTES_PER_PROOF);

/// `fr_t`, which is blst's `blst_fr`: 4 words, least significant first, times 2^256 modulo r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RawFr(pub [u64; 4]);

/// `g1_t`, which is blst's `blst_p1`: Jacobian x, y, z, 6 words each, times 2^384 modulo p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RawG1(pub [u64; 18]);

/// `g2_t`, which is blst's `blst_p2`: Jacobian x, y, z, two times 6 words each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RawG2(pub [u64; 36]);

/// `KZGSettings`: a trusted setup. [`crate::setup`] describes the contents of the fields.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "c-kzg's header documents them")]
pub struct KzgSettings {
    pub roots_of_unity: *mut RawFr,
    pub brp_roots_of_unity: *mut RawFr,
    pub reverse_roots_of_unity: *mut RawFr,
    pub g1_values_monomial: *mut RawG1,
    pub g1_values_lagrange_brp: *mut RawG1,
    pub g2_values_monomial: *mut RawG2,
    pub x_ext_fft_columns: *mut *mut RawG1,
    pub tables: *mut *mut Opaque,
    pub wbits: usize,
    pub scratch_size: usize,
}

/// The type that `tables` would point to, in blst's own form.
#[derive(Debug)]
#[repr(C)]
pub struct Opaque {
    _bytes: [u8; 0],
}

// The layout of version 2.1. `tests/c/layout.c` prints the same numbers from c-kzg's header and from ours.
const WORD: usize = size_of::<usize>();
const _: () = assert!(size_of::<Ret>() == 4);
const _: () = assert!(size_of::<Blob>() == 131_072 && align_of::<Blob>() == 1);
const _: () = assert!(size_of::<Cell>() == 2048 && align_of::<Cell>() == 1);
const _: () = assert!(size_of::<Bytes32>() == 32 && align_of::<Bytes32>() == 1);
const _: () = assert!(size_of::<Bytes48>() == 48 && align_of::<Bytes48>() == 1);
const _: () = assert!(size_of::<RawFr>() == 32 && align_of::<RawFr>() == align_of::<u64>());
const _: () = assert!(size_of::<RawG1>() == 144 && align_of::<RawG1>() == align_of::<u64>());
const _: () = assert!(size_of::<RawG2>() == 288 && align_of::<RawG2>() == align_of::<u64>());
const _: () =
    assert!(size_of::<KzgSettings>() == 10 * WORD && align_of::<KzgSettings>() == align_of::<usize>());
const _: () = assert!(offset_of!(KzgSettings, roots_of_unity) == 0);
const _: () = assert!(offset_of!(KzgSettings, brp_roots_of_unity) == WORD);
const _: () = assert!(offset_of!(KzgSettings, reverse_roots_of_unity) == 2 * WORD);
const _: () = assert!(offset_of!(KzgSettings, g1_values_monomial) == 3 * WORD);
const _: () = assert!(offset_of!(KzgSettings, g1_values_lagrange_brp) == 4 * WORD);
const _: () = assert!(offset_of!(KzgSettings, g2_values_monomial) == 5 * WORD);
const _: () = assert!(offset_of!(KzgSettings, x_ext_fft_columns) == 6 * WORD);
const _: () = assert!(offset_of!(KzgSettings, tables) == 7 * WORD);
const _: () = assert!(offset_of!(KzgSettings, wbits) == 8 * WORD);
const _: () = assert!(offset_of!(KzgSettings, scratch_size) == 9 * WORD);
