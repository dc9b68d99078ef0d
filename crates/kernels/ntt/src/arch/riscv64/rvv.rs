//! RISC-V Vector: the assembly of `riscv/src` for VLEN 128, whose product of *small* has a form for VLEN 256 too.
//!
//! Each row has what the assembly computes, and portable code for the rest: of *small* the product, of ML-KEM the
//! transforms in both directions, and so the product; of ML-DSA also the product of transforms.
#![allow(unsafe_code, reason = "assembly")]

use std::arch::{asm, global_asm};

use crate::arch::generic::words16::ML_KEM_TABLES;

/// Assembles a file of `riscv/src`. Its line with `#include` is a comment here: it defines the marks of the counter.
macro_rules! assembly {
    ($($file:literal)*) => {$(
        global_asm!(
            ".macro phase number\n.endm",
            include_str!(concat!("../../../../../../riscv/src/", $file)),
            ".purgem phase",
            options(raw)
        );
    )*};
}

assembly!("mlkem_forward_vlen128.S" "mlkem_inverse_vlen128.S" "product128_i16_vlen128.S" "product128_i16_vlen256.S");
assembly!("mldsa_forward_vlen128.S" "mldsa_inverse_vlen128.S" "mldsa_multiply_vlen128.S");

/// Coefficients at a multiple of 4 bytes.
#[repr(C, align(4))]
struct Aligned([u16; 256]);

unsafe extern "C" {
    fn parcrypt_product128_i16_vlen128(r: *mut [u16; 128], a: *const [u16; 128], b: *const [u16; 128]);
    fn parcrypt_product128_i16_vlen256(r: *mut [u16; 128], a: *const [u16; 128], b: *const [u16; 128]);
    fn parcrypt_mlkem_forward_vlen128(r: *mut Aligned);
    fn parcrypt_mlkem_inverse_vlen128(r: *mut Aligned);
    fn parcrypt_mldsa_forward_vlen128(r: *mut [u32; 256]);
    fn parcrypt_mldsa_inverse_vlen128(r: *mut [u32; 256]);
    fn parcrypt_mldsa_multiply_vlen128(r: *mut [u32; 256], a: *const [u32; 256], b: *const [u32; 256]);
}

/// Returns VLEN, the bits of a vector register.
///
/// # Safety
/// The processor has the vector extension.
pub(crate) unsafe fn vlen() -> usize {
    let bytes: usize;
    // SAFETY: the caller says that the processor has the register, which is only read.
    unsafe {
        asm!(
            ".option push", ".option arch, +v", "csrr {}, vlenb", ".option pop",
            out(reg) bytes, options(nomem, nostack, preserves_flags)
        );
    }
    8 * bytes
}

/// Returns the product in the ring of [`Small`](crate::Small).
///
/// # Safety
/// The processor has the vector extension, VLEN is 128 or 256, and all coefficients are below 3329.
pub(crate) unsafe fn small_product(a: &[u16; 128], b: &[u16; 128]) -> [u16; 128] {
    let mut product = [0; 128];
    // SAFETY: the caller says so, and the pointers come from references; `product` is only written.
    unsafe {
        match vlen() {
            128 => parcrypt_product128_i16_vlen128(&raw mut product, a, b),
            _ => parcrypt_product128_i16_vlen256(&raw mut product, a, b),
        }
    }
    product
}

/// Returns the transform in the ring of [`MlKem`](crate::MlKem).
///
/// # Safety
/// The processor has the vector extension, VLEN is 128, and all coefficients are below 3329.
pub(crate) unsafe fn ml_kem_forward(a: &[u16; 256]) -> [u16; 256] {
    let mut a = Aligned(*a);
    // SAFETY: the caller says so, and `Aligned` has the size and the alignment that the functions need.
    unsafe { parcrypt_mlkem_forward_vlen128(&raw mut a) };
    a.0
}

/// Returns the polynomial of a transform in the ring of [`MlKem`](crate::MlKem).
///
/// # Safety
/// As for [`ml_kem_forward`].
pub(crate) unsafe fn ml_kem_inverse(a: &[u16; 256]) -> [u16; 256] {
    let mut a = Aligned(*a);
    // SAFETY: as in `ml_kem_forward`.
    unsafe { parcrypt_mlkem_inverse_vlen128(&raw mut a) };
    a.0
}

/// Returns the product in the ring of [`MlKem`](crate::MlKem).
///
/// # Safety
/// As for [`ml_kem_forward`].
pub(crate) unsafe fn ml_kem_product(a: &[u16; 256], b: &[u16; 256]) -> [u16; 256] {
    // SAFETY: the caller says so, and all three functions return coefficients below 3329.
    unsafe { ml_kem_inverse(&ML_KEM_TABLES.pointwise(&ml_kem_forward(a), &ml_kem_forward(b))) }
}

/// Returns the transform in the ring of [`MlDsa`](crate::MlDsa).
///
/// # Safety
/// The processor has the vector extension, VLEN is 128, and all coefficients are below 8380417.
pub(crate) unsafe fn ml_dsa_forward(a: &[u32; 256]) -> [u32; 256] {
    let mut a = *a;
    // SAFETY: the caller says so; words of 32 bits have the alignment that the functions need.
    unsafe { parcrypt_mldsa_forward_vlen128(&raw mut a) };
    a
}

/// Returns the polynomial of a transform in the ring of [`MlDsa`](crate::MlDsa).
///
/// # Safety
/// As for [`ml_dsa_forward`].
pub(crate) unsafe fn ml_dsa_inverse(a: &[u32; 256]) -> [u32; 256] {
    let mut a = *a;
    // SAFETY: as in `ml_dsa_forward`.
    unsafe { parcrypt_mldsa_inverse_vlen128(&raw mut a) };
    a
}

/// Returns the product of transforms in the ring of [`MlDsa`](crate::MlDsa).
///
/// # Safety
/// As for [`ml_dsa_forward`].
pub(crate) unsafe fn ml_dsa_pointwise(a: &[u32; 256], b: &[u32; 256]) -> [u32; 256] {
    let mut product = [0; 256];
    // SAFETY: as in `ml_dsa_forward`; `product` is only written.
    unsafe { parcrypt_mldsa_multiply_vlen128(&raw mut product, a, b) };
    product
}

/// Returns the product in the ring of [`MlDsa`](crate::MlDsa).
///
/// # Safety
/// As for [`ml_dsa_forward`].
pub(crate) unsafe fn ml_dsa_product(a: &[u32; 256], b: &[u32; 256]) -> [u32; 256] {
    // SAFETY: the caller says so, and all functions return coefficients below 8380417.
    unsafe { ml_dsa_inverse(&ml_dsa_pointwise(&ml_dsa_forward(a), &ml_dsa_forward(b))) }
}
