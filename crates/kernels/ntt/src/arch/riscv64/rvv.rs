//! RISC-V Vector: the assembly of `riscv/src` for VLEN 128, whose product of *small* has a form for VLEN 256 too.
//!
//! Each row has what the assembly computes, and portable code for the rest: of *small* the product, of ML-KEM the
//! transforms in both directions, and so the product; of ML-DSA also the product of transforms.
#![allow(unsafe_code, reason = "assembly")]

use std::arch::{asm, global_asm};

use parcrypt_cpu::Rvv;

use crate::arch::generic::{ML_DSA_PORTABLE, ML_KEM_PORTABLE, Portable, SMALL_PORTABLE};
use crate::dispatch::Arrays;

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
struct Aligned([i16; 256]);

unsafe extern "C" {
    fn parcrypt_product128_i16_vlen128(r: *mut [i16; 128], a: *const [i16; 128], b: *const [i16; 128]);
    fn parcrypt_product128_i16_vlen256(r: *mut [i16; 128], a: *const [i16; 128], b: *const [i16; 128]);
    fn parcrypt_mlkem_forward_vlen128(r: *mut Aligned);
    fn parcrypt_mlkem_inverse_vlen128(r: *mut Aligned);
    fn parcrypt_mldsa_forward_vlen128(r: *mut [i32; 256]);
    fn parcrypt_mldsa_inverse_vlen128(r: *mut [i32; 256]);
    fn parcrypt_mldsa_multiply_vlen128(r: *mut [i32; 256], a: *const [i32; 256], b: *const [i32; 256]);
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

/// The row of [`Small`](crate::Small), whose transforms are portable.
impl Arrays<u16, 128> for Rvv {
    type X = i16;

    fn portable(&self) -> &Portable<i16, 128> {
        &SMALL_PORTABLE
    }

    fn product(&self, a: &[i16; 128], b: &[i16; 128]) -> [i16; 128] {
        let mut product = [0; 128];
        // SAFETY: all are below q; the row is the proof of the extension, and is selected only with one of these
        // lengths of vectors: see `offered`. The pointers come from references; `product` is only written.
        unsafe {
            match vlen() {
                128 => parcrypt_product128_i16_vlen128(&raw mut product, a, b),
                _ => parcrypt_product128_i16_vlen256(&raw mut product, a, b),
            }
        }
        product
    }
}

/// The row of [`MlKem`](crate::MlKem), whose product of transforms is portable.
impl Arrays<u16, 256> for Rvv {
    type X = i16;

    fn portable(&self) -> &Portable<i16, 256> {
        &ML_KEM_PORTABLE
    }

    fn forward(&self, a: &[i16; 256]) -> [i16; 256] {
        let mut a = Aligned(*a);
        // SAFETY: as for `Small`; `Aligned` has the size and the alignment that the function needs.
        unsafe { parcrypt_mlkem_forward_vlen128(&raw mut a) };
        a.0
    }

    fn inverse(&self, a: &[i16; 256]) -> [i16; 256] {
        let mut a = Aligned(*a);
        // SAFETY: as in `forward`.
        unsafe { parcrypt_mlkem_inverse_vlen128(&raw mut a) };
        a.0
    }
}

/// The row of [`MlDsa`](crate::MlDsa).
impl Arrays<u32, 256> for Rvv {
    type X = i32;

    fn portable(&self) -> &Portable<i32, 256> {
        &ML_DSA_PORTABLE
    }

    fn forward(&self, a: &[i32; 256]) -> [i32; 256] {
        let mut a = *a;
        // SAFETY: as for `Small`; words of 32 bits have the alignment that the function needs.
        unsafe { parcrypt_mldsa_forward_vlen128(&raw mut a) };
        a
    }

    fn inverse(&self, a: &[i32; 256]) -> [i32; 256] {
        let mut a = *a;
        // SAFETY: as in `forward`.
        unsafe { parcrypt_mldsa_inverse_vlen128(&raw mut a) };
        a
    }

    fn pointwise(&self, a: &[i32; 256], b: &[i32; 256]) -> [i32; 256] {
        let mut product = [0; 256];
        // SAFETY: as in `forward`; `product` is only written.
        unsafe { parcrypt_mldsa_multiply_vlen128(&raw mut product, a, b) };
        product
    }
}
