//! mlkem-native and mldsa-native as AWS-LC has them, by the C functions of `native/mlkem.c` and `native/mldsa.c`.
//!
//! mlkem-native has no product of two polynomials, only sums of 2, 3 or 4 products. A number of columns selects the
//! functions of the parameter set that has as many.
#![allow(unsafe_code, reason = "the functions are in C")]

use bytemuck::Pod;

use super::{Failure, Lattice, Library, Lines, Matrix, N, Product, Task};

const ML_KEM: &str = "mlkem-native";
const ML_DSA: &str = "mldsa-native";

/// Replaces polynomials with coefficients below q, at a multiple of 32 bytes, by what [`Multiply`] takes.
type Keep<T> = unsafe extern "C" fn(entries: *mut T, polynomials: usize);
/// Writes the product of kept rows by a vector with coefficients below q to polynomials at a multiple of 32 bytes.
type Multiply<T> = unsafe extern "C" fn(kept: *const T, rows: usize, vector: *const T, out: *mut T);

unsafe extern "C" {
    fn peers_mlkem_keep_512(entries: *mut u16, polynomials: usize);
    fn peers_mlkem_matrix_512(kept: *const u16, rows: usize, vector: *const u16, out: *mut u16);
    fn peers_mlkem_matrix_768(kept: *const u16, rows: usize, vector: *const u16, out: *mut u16);
    fn peers_mlkem_matrix_1024(kept: *const u16, rows: usize, vector: *const u16, out: *mut u16);
    fn peers_mldsa_product_44(a: *const u32, b: *const u32, out: *mut u32);
    fn peers_mldsa_keep_44(entries: *mut u32, polynomials: usize);
    fn peers_mldsa_matrix_44(kept: *const u32, rows: usize, vector: *const u32, out: *mut u32);
    fn peers_mldsa_matrix_65(kept: *const u32, rows: usize, vector: *const u32, out: *mut u32);
    fn peers_mldsa_matrix_87(kept: *const u32, rows: usize, vector: *const u32, out: *mut u32);
}

pub(super) fn mlkem() -> Result<Library, String> {
    let matrix = Some(mlkem_matrix as _);
    Ok(Library { name: ML_KEM, version: version()?, matrix, ..Library::default() })
}

pub(super) fn mldsa() -> Result<Library, String> {
    let (product, matrix) = (Some(mldsa_product as _), Some(mldsa_matrix as _));
    Ok(Library { name: ML_DSA, version: version()?, product, matrix, ..Library::default() })
}

/// Returns the version of what they come with; an error if they would not use their assembly on this processor.
fn version() -> Result<String, String> {
    #[cfg(target_arch = "x86_64")]
    if std::env::var_os("OPENSSL_ia32cap").is_some() {
        return Err("OPENSSL_ia32cap is set, which may keep AWS-LC from their assembly: unset it".to_owned());
    }
    #[cfg(target_arch = "x86_64")]
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")) {
        return Err("their assembly is for AVX2, which this processor lacks".to_owned());
    }
    Ok(format!("aws-lc-sys {}", env!("VERSION_OF_AWS_LC_SYS")))
}

fn mlkem_matrix(of: Matrix<'_>) -> Result<Option<Task>, Failure> {
    let multiply: Multiply<u16> = match (of.lattice, of.columns) {
        (Lattice::MlKem, 2) => peers_mlkem_matrix_512,
        (Lattice::MlKem, 3) => peers_mlkem_matrix_768,
        (Lattice::MlKem, 4) => peers_mlkem_matrix_1024,
        _ => return Ok(None),
    };
    Ok(Some(matrix(ML_KEM, of, |word| word as u16, peers_mlkem_keep_512, multiply)))
}

fn mldsa_matrix(of: Matrix<'_>) -> Result<Option<Task>, Failure> {
    let multiply: Multiply<u32> = match (of.lattice, of.columns) {
        (Lattice::MlDsa, 4) => peers_mldsa_matrix_44,
        (Lattice::MlDsa, 5) => peers_mldsa_matrix_65,
        (Lattice::MlDsa, 7) => peers_mldsa_matrix_87,
        _ => return Ok(None),
    };
    Ok(Some(matrix(ML_DSA, of, |word| word, peers_mldsa_keep_44, multiply)))
}

/// Returns the product of a matrix by a vector, by functions for its number of columns.
fn matrix<T: Pod + Send>(
    name: &'static str,
    of: Matrix<'_>,
    narrow: impl Fn(u32) -> T + Copy,
    keep: Keep<T>,
    multiply: Multiply<T>,
) -> Task {
    let Matrix { rows, columns, .. } = of;
    let mut kept = Lines::new(of.entries.iter().copied().map(narrow));
    let vector = Lines::new(of.vector.iter().copied().map(narrow));
    assert_eq!((kept.len(), vector.len()), (rows * columns * N, columns * N));
    // SAFETY: as many polynomials, which `Lines` aligns; the caller has reduced them.
    unsafe { keep(kept.as_mut_ptr(), rows * columns) };
    Box::new(move |_, out| {
        let out = aligned(name, out, rows * N)?;
        // SAFETY: what `keep` made, in rows of as many columns as `multiply` takes; a vector of as many polynomials,
        // which the caller has reduced; and the output, checked by `aligned`.
        unsafe { multiply(kept.as_ptr(), rows, vector.as_ptr(), out.as_mut_ptr()) };
        Ok(())
    })
}

fn mldsa_product(modulus: u32, n: usize) -> Result<Option<Product>, Failure> {
    if (modulus, n) != (Lattice::MlDsa.modulus(), N) {
        return Ok(None);
    }
    Ok(Some(Box::new(|a, b, out| {
        let out = aligned(ML_DSA, bytemuck::cast_slice_mut(out), N)?;
        assert_eq!([a.len(), b.len()], [N; 2]);
        // SAFETY: two polynomials, which the caller has reduced, and the output, checked by `aligned`.
        unsafe { peers_mldsa_product_44(a.as_ptr(), b.as_ptr(), out.as_mut_ptr()) };
        Ok(())
    })))
}

/// Returns an output as `len` coefficients; an error if its length is another or it does not begin at a multiple of 32
/// bytes.
fn aligned<'a, T: Pod>(name: &'static str, out: &'a mut [u8], len: usize) -> Result<&'a mut [T], Failure> {
    let right = out.len() == len * size_of::<T>() && (out.as_ptr() as usize).is_multiple_of(32);
    if right {
        Ok(bytemuck::cast_slice_mut(out))
    } else {
        Err(Failure::new(name, "an output that is not aligned"))
    }
}
