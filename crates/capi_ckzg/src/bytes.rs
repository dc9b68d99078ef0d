//! Field elements and points: the functions of `common/bytes.h`, `common/fr.h`, `common/ec.h`, `eip4844/blob.h` and
//! `eip7594/cell.h`.
//!
//! Most of them have no result and so cannot report an error. Where c-kzg would dereference a null pointer they do
//! nothing; an `fr_t` that is not below the modulus counts as 0, and a `g1_t` that is not a point as the point at
//! infinity.

use std::ffi::{CString, c_char};

use parcrypt_bls12_381::{Fr, G1};

use crate::call::{call, input, output, quiet};
use crate::types::{Blob, Bytes32, Bytes48, Cell, RawFr, RawG1, Ret};

impl From<RawFr> for Fr {
    fn from(raw: RawFr) -> Fr {
        let mut bytes = [0; 32];
        to_bytes(&raw.0, &mut bytes);
        Fr::from_raw(&bytes).unwrap_or_default()
    }
}

impl From<Fr> for RawFr {
    fn from(element: Fr) -> RawFr {
        let mut raw = RawFr([0; 4]);
        from_bytes(&element.to_raw(), &mut raw.0);
        raw
    }
}

impl From<RawG1> for G1 {
    fn from(raw: RawG1) -> G1 {
        let mut bytes = [0; 144];
        to_bytes(&raw.0, &mut bytes);
        G1::from_raw(&bytes).unwrap_or_default()
    }
}

impl From<G1> for RawG1 {
    fn from(point: G1) -> RawG1 {
        let mut raw = RawG1([0; 18]);
        from_bytes(&point.to_raw(), &mut raw.0);
        raw
    }
}

/// Writes the words as bytes, least significant first.
fn to_bytes(words: &[u64], bytes: &mut [u8]) {
    bytes.chunks_exact_mut(8).zip(words).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
}

/// Reads the words that [`to_bytes`] has written.
pub(crate) fn from_bytes(bytes: &[u8], words: &mut [u64]) {
    let (chunks, _) = bytes.as_chunks::<8>();
    words.iter_mut().zip(chunks).for_each(|(word, chunk)| *word = u64::from_le_bytes(*chunk));
}

/// Computes `*out = f(*a)`; does nothing where a pointer is null.
///
/// # Safety
/// Each pointer is null or points to its value.
unsafe fn unary<A: Copy, B>(out: *mut B, a: *const A, f: impl FnOnce(A) -> B) {
    quiet((), || {
        // SAFETY: the caller's promise.
        if let (Ok(a), Ok(out)) = (unsafe { input(a) }, output(out)) {
            let value = f(*a);
            // SAFETY: not null and aligned by `output`, room by the caller's promise; `a` is not used any more.
            unsafe { out.write(value) };
        }
    });
}

/// Computes `*out = f(*a, *b)`; does nothing where a pointer is null.
///
/// # Safety
/// Each pointer is null or points to its value.
unsafe fn binary<A: Copy, B: Copy, C>(out: *mut C, a: *const A, b: *const B, f: impl FnOnce(A, B) -> C) {
    // SAFETY: the caller's promise.
    if let Ok(b) = unsafe { input(b) } {
        let b = *b;
        // SAFETY: the caller's promise.
        unsafe { unary(out, a, |a| f(a, b)) };
    }
}

// --- common/bytes.h ---

/// Writes a number, most significant byte first.
///
/// # Safety
/// `out` is null or room for 8 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytes_from_uint64(out: *mut u8, n: u64) {
    // SAFETY: the caller's promise; bytes need no alignment.
    unsafe { unary(out.cast::<[u8; 8]>(), &raw const n, u64::to_be_bytes) };
}

/// Writes the compressed form of a point.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytes_from_g1(out: *mut Bytes48, point: *const RawG1) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, point, |point| G1::from(point).to_compressed()) };
}

/// Writes the canonical form of a field element.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytes_from_bls_field(out: *mut Bytes32, element: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, element, |element| Fr::from(element).to_bytes()) };
}

/// Reads a field element; `C_KZG_BADARGS` if it is not below the modulus.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytes_to_bls_field(out: *mut RawFr, bytes: *const Bytes32) -> Ret {
    call(|| {
        // SAFETY: the caller's promise.
        let (bytes, out) = (unsafe { input(bytes)? }, output(out)?);
        let element = Fr::from_bytes(bytes).map_err(|_| Ret::BadArgs)?;
        // SAFETY: not null and aligned by `output`, room by the caller's promise.
        unsafe { out.write(element.into()) };
        Ok(())
    })
}

/// Reads a commitment; `C_KZG_BADARGS` where the bytes are not a point of the group.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytes_to_kzg_commitment(out: *mut RawG1, bytes: *const Bytes48) -> Ret {
    call(|| {
        // SAFETY: the caller's promise.
        let (bytes, out) = (unsafe { input(bytes)? }, output(out)?);
        let point = G1::from_compressed(bytes).map_err(|_| Ret::BadArgs)?;
        // SAFETY: not null and aligned by `output`, room by the caller's promise.
        unsafe { out.write(point.into()) };
        Ok(())
    })
}

/// Reads a proof; `C_KZG_BADARGS` where the bytes are not a point of the group.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytes_to_kzg_proof(out: *mut RawG1, bytes: *const Bytes48) -> Ret {
    // SAFETY: the caller's promise.
    unsafe { bytes_to_kzg_commitment(out, bytes) }
}

/// Writes the field element that is congruent to the bytes as an integer.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hash_to_bls_field(out: *mut RawFr, bytes: *const Bytes32) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, bytes, |bytes| Fr::from_bytes_reduced(&bytes).into()) };
}

/// Prints 32 bytes as a line of hexadecimal digits.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn print_bytes32(bytes: *const Bytes32) {
    // SAFETY: the caller's promise.
    print_lines(unsafe { input(bytes) }.map_or(&[], |bytes| &bytes[..]), 32);
}

/// Prints 48 bytes as a line of hexadecimal digits.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn print_bytes48(bytes: *const Bytes48) {
    // SAFETY: the caller's promise.
    print_lines(unsafe { input(bytes) }.map_or(&[], |bytes| &bytes[..]), 48);
}

/// Prints lines of `width` bytes on C's standard output, so that they keep their order with the output of `printf`.
fn print_lines(bytes: &[u8], width: usize) {
    unsafe extern "C" {
        fn puts(text: *const c_char) -> i32;
    }
    quiet((), || {
        for line in bytes.chunks(width) {
            let digits = line.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            let text: Vec<u8> = digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect();
            let text = CString::new(text).unwrap_or_default();
            // SAFETY: a text with a zero byte at its end.
            unsafe { puts(text.as_ptr()) };
        }
    });
}

// --- common/fr.h ---

/// Returns whether two elements are equal.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_equal(a: *const RawFr, b: *const RawFr) -> bool {
    let mut equal = false;
    // SAFETY: the caller's promise.
    unsafe { binary(&raw mut equal, a, b, |a, b| Fr::from(a) == Fr::from(b)) };
    equal
}

/// Returns whether an element is 1.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_is_one(a: *const RawFr) -> bool {
    let mut is_one = false;
    // SAFETY: the caller's promise.
    unsafe { unary(&raw mut is_one, a, |a| Fr::from(a) == Fr::one()) };
    is_one
}

/// Writes a + b.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_add(out: *mut RawFr, a: *const RawFr, b: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (Fr::from(a) + Fr::from(b)).into()) };
}

/// Writes a − b.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_sub(out: *mut RawFr, a: *const RawFr, b: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (Fr::from(a) - Fr::from(b)).into()) };
}

/// Writes a · b.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_mul(out: *mut RawFr, a: *const RawFr, b: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (Fr::from(a) * Fr::from(b)).into()) };
}

/// Writes −a.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_neg(out: *mut RawFr, a: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, a, |a| (-Fr::from(a)).into()) };
}

/// Writes 1 / a; 0 for 0.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_inv(out: *mut RawFr, a: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, a, |a| Fr::from(a).inverse().unwrap_or_default().into()) };
}

/// Writes a / b; 0 where b is 0.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_div(out: *mut RawFr, a: *const RawFr, b: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (Fr::from(a) * Fr::from(b).inverse().unwrap_or_default()).into()) };
}

/// Writes aⁿ.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_pow(out: *mut RawFr, a: *const RawFr, n: u64) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, a, |a| Fr::from(a).pow_vartime(n).into()) };
}

/// Writes a number as an element.
///
/// # Safety
/// The pointer is null, or room for an element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fr_from_uint64(out: *mut RawFr, n: u64) {
    // SAFETY: the caller's promise.
    unsafe { unary(out, &raw const n, |n| Fr::from(n).into()) };
}

/// Prints an element as a line of hexadecimal digits.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn print_fr(element: *const RawFr) {
    // SAFETY: the caller's promise.
    if let Ok(element) = unsafe { input(element) } {
        print_lines(&Fr::from(*element).to_bytes(), 32);
    }
}

// --- common/ec.h ---

/// Writes a + b.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g1_add(out: *mut RawG1, a: *const RawG1, b: *const RawG1) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (G1::from(a) + G1::from(b)).into()) };
}

/// Writes a − b.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g1_sub(out: *mut RawG1, a: *const RawG1, b: *const RawG1) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (G1::from(a) - G1::from(b)).into()) };
}

/// Writes b · a.
///
/// # Safety
/// Each pointer is null or points to its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g1_mul(out: *mut RawG1, a: *const RawG1, b: *const RawFr) {
    // SAFETY: the caller's promise.
    unsafe { binary(out, a, b, |a, b| (G1::from(a) * Fr::from(b)).into()) };
}

/// Prints the compressed form of a point as a line of hexadecimal digits.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn print_g1(point: *const RawG1) {
    // SAFETY: the caller's promise.
    if let Ok(point) = unsafe { input(point) } {
        print_lines(&G1::from(*point).to_compressed(), 48);
    }
}

// --- eip4844/blob.h, eip7594/cell.h ---

/// Reads the 4096 field elements of a blob; `C_KZG_BADARGS` where one is not below the modulus. The elements before it
/// are written, as in c-kzg.
///
/// # Safety
/// `blob` is null or a blob, `polynomial` null or room for 4096 elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blob_to_polynomial(polynomial: *mut RawFr, blob: *const Blob) -> Ret {
    call(|| {
        // SAFETY: the caller's promise.
        let (blob, out) = (unsafe { input(blob)? }, output(polynomial)?);
        let (elements, _) = blob.as_chunks::<32>();
        for (i, element) in elements.iter().enumerate() {
            let element = Fr::from_bytes(element).map_err(|_| Ret::BadArgs)?;
            // SAFETY: not null and aligned by `output`; room for 4096, of which this is one, by the caller's promise.
            unsafe { out.add(i).write(element.into()) };
        }
        Ok(())
    })
}

/// Prints a blob, a field element on each line.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn print_blob(blob: *const Blob) {
    // SAFETY: the caller's promise.
    print_lines(unsafe { input(blob) }.map_or(&[], |blob| &blob[..]), 32);
}

/// Prints a cell, a field element on each line.
///
/// # Safety
/// The pointer is null, or its value is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn print_cell(cell: *const Cell) {
    // SAFETY: the caller's promise.
    print_lines(unsafe { input(cell) }.map_or(&[], |cell| &cell[..]), 32);
}
