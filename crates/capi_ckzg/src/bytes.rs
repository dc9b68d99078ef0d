//! Field elements and points: the functions of `common/bytes.h`, `common/fr.h`, `common/ec.h`, `eip4844/blob.h` and
//! `eip7594/cell.h`.
//!
//! Most of them have no result and so cannot report an error. Where c-kzg would dereference a null pointer they do
//! nothing; an `fr_t` that is not below the modulus counts as 0, and a `g1_t` that is not a point as the point at
//! infinity.

use std::ffi::{CString, c_char};

use parcrypt_bls12_381::{Fr, G1};

use crate::call::{Caller, exported};
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

/// Computes `*out = f(*a)`; does nothing if a pointer is null. Inputs are copied first, so `out` may be one of them.
fn unary<A: Copy, B>(caller: &Caller, out: *mut B, a: *const A, f: impl FnOnce(A) -> B) {
    if let (Ok(&a), Ok(out)) = (caller.input(a), caller.output(out)) {
        out.write(f(a));
    }
}

/// Computes `*out = f(*a, *b)`; does nothing if a pointer is null.
fn binary<A: Copy, B: Copy, C>(
    caller: &Caller,
    out: *mut C,
    a: *const A,
    b: *const B,
    f: impl FnOnce(A, B) -> C,
) {
    if let Ok(&b) = caller.input(b) {
        unary(caller, out, a, |a| f(a, b));
    }
}

/// Prints lines of `width` bytes on C's standard output, so that they keep their order with the output of `printf`.
fn print_lines(bytes: &[u8], width: usize) {
    unsafe extern "C" {
        fn puts(text: *const c_char) -> i32;
    }
    for line in bytes.chunks(width) {
        let digits = line.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let text: Vec<u8> = digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect();
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: a text with a zero byte at its end.
        unsafe { puts(text.as_ptr()) };
    }
}

// --- common/bytes.h ---

exported!(|caller| {
    /// Writes a number to 8 bytes, most significant first.
    fn bytes_from_uint64(out: *mut u8, n: u64) -> () {
        if let Ok(out) = caller.output(out.cast::<[u8; 8]>()) {
            out.write(n.to_be_bytes());
        }
    }

    /// Writes the compressed form of a point.
    fn bytes_from_g1(out: *mut Bytes48, point: *const RawG1) -> () {
        unary(caller, out, point, |point| G1::from(point).to_compressed());
    }

    /// Writes the canonical form of a field element.
    fn bytes_from_bls_field(out: *mut Bytes32, element: *const RawFr) -> () {
        unary(caller, out, element, |element| Fr::from(element).to_bytes());
    }

    /// Reads a field element; `C_KZG_BADARGS` if it is not below the modulus.
    fn bytes_to_bls_field(out: *mut RawFr, bytes: *const Bytes32) -> Result<(), Ret> {
        let (bytes, out) = (caller.input(bytes)?, caller.output(out)?);
        out.write(Fr::from_bytes(bytes).map_err(|_| Ret::BadArgs)?.into());
        Ok(())
    }

    /// Reads a commitment; `C_KZG_BADARGS` if the bytes are not a point of the group.
    fn bytes_to_kzg_commitment(out: *mut RawG1, bytes: *const Bytes48) -> Result<(), Ret> {
        read_point(caller, out, bytes)
    }

    /// Reads a proof; `C_KZG_BADARGS` if the bytes are not a point of the group.
    fn bytes_to_kzg_proof(out: *mut RawG1, bytes: *const Bytes48) -> Result<(), Ret> {
        read_point(caller, out, bytes)
    }

    /// Writes the field element that is congruent to the bytes as an integer.
    fn hash_to_bls_field(out: *mut RawFr, bytes: *const Bytes32) -> () {
        unary(caller, out, bytes, |bytes| Fr::from_bytes_reduced(&bytes).into());
    }

    /// Prints 32 bytes as a line of hexadecimal digits.
    fn print_bytes32(bytes: *const Bytes32) -> () {
        print_lines(caller.input(bytes).map_or(&[], |bytes| &bytes[..]), 32);
    }

    /// Prints 48 bytes as a line of hexadecimal digits.
    fn print_bytes48(bytes: *const Bytes48) -> () {
        print_lines(caller.input(bytes).map_or(&[], |bytes| &bytes[..]), 48);
    }
});

fn read_point(caller: &Caller, out: *mut RawG1, bytes: *const Bytes48) -> Result<(), Ret> {
    let (bytes, out) = (caller.input(bytes)?, caller.output(out)?);
    out.write(G1::from_compressed(bytes).map_err(|_| Ret::BadArgs)?.into());
    Ok(())
}

// --- common/fr.h ---

exported!(|caller| {
    /// Returns whether two elements are equal.
    fn fr_equal(a: *const RawFr, b: *const RawFr) -> bool {
        let elements = (caller.input(a), caller.input(b));
        matches!(elements, (Ok(a), Ok(b)) if Fr::from(*a) == Fr::from(*b))
    }

    /// Returns whether an element is 1.
    fn fr_is_one(a: *const RawFr) -> bool {
        caller.input(a).is_ok_and(|a| Fr::from(*a) == Fr::one())
    }

    /// Writes a + b.
    fn fr_add(out: *mut RawFr, a: *const RawFr, b: *const RawFr) -> () {
        binary(caller, out, a, b, |a, b| (Fr::from(a) + Fr::from(b)).into());
    }

    /// Writes a − b.
    fn fr_sub(out: *mut RawFr, a: *const RawFr, b: *const RawFr) -> () {
        binary(caller, out, a, b, |a, b| (Fr::from(a) - Fr::from(b)).into());
    }

    /// Writes a · b.
    fn fr_mul(out: *mut RawFr, a: *const RawFr, b: *const RawFr) -> () {
        binary(caller, out, a, b, |a, b| (Fr::from(a) * Fr::from(b)).into());
    }

    /// Writes −a.
    fn fr_neg(out: *mut RawFr, a: *const RawFr) -> () {
        unary(caller, out, a, |a| (-Fr::from(a)).into());
    }

    /// Writes 1 / a; 0 for 0.
    fn fr_inv(out: *mut RawFr, a: *const RawFr) -> () {
        unary(caller, out, a, |a| Fr::from(a).inverse().unwrap_or_default().into());
    }

    /// Writes a / b; 0 if b is 0.
    fn fr_div(out: *mut RawFr, a: *const RawFr, b: *const RawFr) -> () {
        binary(caller, out, a, b, |a, b| (Fr::from(a) * Fr::from(b).inverse().unwrap_or_default()).into());
    }

    /// Writes aⁿ.
    fn fr_pow(out: *mut RawFr, a: *const RawFr, n: u64) -> () {
        unary(caller, out, a, |a| Fr::from(a).pow_vartime(n).into());
    }

    /// Writes a number as an element.
    fn fr_from_uint64(out: *mut RawFr, n: u64) -> () {
        if let Ok(out) = caller.output(out) {
            out.write(Fr::from(n).into());
        }
    }

    /// Prints an element as a line of hexadecimal digits.
    fn print_fr(element: *const RawFr) -> () {
        if let Ok(element) = caller.input(element) {
            print_lines(&Fr::from(*element).to_bytes(), 32);
        }
    }
});

// --- common/ec.h ---

exported!(|caller| {
    /// Writes a + b.
    fn g1_add(out: *mut RawG1, a: *const RawG1, b: *const RawG1) -> () {
        binary(caller, out, a, b, |a, b| (G1::from(a) + G1::from(b)).into());
    }

    /// Writes a − b.
    fn g1_sub(out: *mut RawG1, a: *const RawG1, b: *const RawG1) -> () {
        binary(caller, out, a, b, |a, b| (G1::from(a) - G1::from(b)).into());
    }

    /// Writes b · a.
    fn g1_mul(out: *mut RawG1, a: *const RawG1, b: *const RawFr) -> () {
        binary(caller, out, a, b, |a, b| (G1::from(a) * Fr::from(b)).into());
    }

    /// Prints the compressed form of a point as a line of hexadecimal digits.
    fn print_g1(point: *const RawG1) -> () {
        if let Ok(point) = caller.input(point) {
            print_lines(&G1::from(*point).to_compressed(), 48);
        }
    }
});

// --- eip4844/blob.h, eip7594/cell.h ---

exported!(|caller| {
    /// Reads the 4096 field elements of a blob; `C_KZG_BADARGS` if one is not below the modulus. The elements before it
    /// are written, as in c-kzg.
    fn blob_to_polynomial(polynomial: *mut RawFr, blob: *const Blob) -> Result<(), Ret> {
        let (elements, _) = caller.input(blob)?.as_chunks::<32>();
        let out = caller.outputs(polynomial, elements.len())?;
        for (i, element) in elements.iter().enumerate() {
            out.write_at(i, Fr::from_bytes(element).map_err(|_| Ret::BadArgs)?.into());
        }
        Ok(())
    }

    /// Prints a blob, a field element on each line.
    fn print_blob(blob: *const Blob) -> () {
        print_lines(caller.input(blob).map_or(&[], |blob| &blob[..]), 32);
    }

    /// Prints a cell, a field element on each line.
    fn print_cell(cell: *const Cell) -> () {
        print_lines(caller.input(cell).map_or(&[], |cell| &cell[..]), 32);
    }
});
