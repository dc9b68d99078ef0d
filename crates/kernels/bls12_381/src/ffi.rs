//! Safe wrappers of blst's functions, under the same names without the prefix. Other modules use only the operators and
//! `==` of the crate blst.
#![allow(unsafe_code, reason = "wraps blst")]

use blst::*;

use crate::Error;
use crate::constants::SCALAR_BITS;

/// An element of Fp in Montgomery form: six words below p, least significant first. The power of two of the form is the
/// backend's; sums, differences and zero are the same in all forms.
pub(crate) type Words = [u64; 6];

/// Declares functions that make one call each.
macro_rules! functions {
    ($($name:ident($($argument:ident: $T:ty),*) $(-> $Out:ty)? = $call:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name($($argument: $T),*) $(-> $Out)? {
            // SAFETY: each reference is to as much as blst reads or writes there, in its layout, and it allows an
            // output to be an input. Pointers that it returns are to constants of its own, of 32-bit words in
            // WebAssembly, so that they may not be aligned as the type is in Rust.
            unsafe { $call }
        }
    )*};
}

// Outputs are references, not results: blst writes words, and a copy by vector instructions would wait until these have
// reached the cache, which takes as long as an addition.
functions! {
    fp_mul(out: &mut Words, a: &Words, b: &Words) = blst_fp_mul(fp_mut(out), fp(a), fp(b));
    fp_mul_assign(a: &mut Words, b: &Words) = blst_fp_mul(fp_mut(a), fp(a), fp(b));
    fp_add_assign(a: &mut blst_fp, b: &blst_fp) = blst_fp_add(a, a, b);
    fp_sqr(out: &mut Words, a: &Words) = blst_fp_sqr(fp_mut(out), fp(a));
    fp_inverse(out: &mut Words, a: &Words) = blst_fp_eucl_inverse(fp_mut(out), fp(a));
    fp_neg(a: &mut blst_fp) = blst_fp_cneg(a, a, true);
    fp_from_bendian(out: &mut blst_fp, bytes: &[u8; 48]) = blst_fp_from_bendian(out, bytes.as_ptr());
    bendian_from_fp(out: &mut [u8; 48], a: &blst_fp) = blst_bendian_from_fp(out.as_mut_ptr(), a);

    fp2_add(out: &mut blst_fp2, a: &blst_fp2, b: &blst_fp2) = blst_fp2_add(out, a, b);
    fp2_add_assign(a: &mut blst_fp2, b: &blst_fp2) = blst_fp2_add(a, a, b);
    fp2_double(a: &mut blst_fp2) = blst_fp2_add(a, a, a);
    fp2_sub_assign(a: &mut blst_fp2, b: &blst_fp2) = blst_fp2_sub(a, a, b);
    fp2_sub_from(a: &mut blst_fp2, b: &blst_fp2) = blst_fp2_sub(a, b, a);
    fp2_neg(a: &mut blst_fp2) = blst_fp2_cneg(a, a, true);
    fp2_mul(out: &mut blst_fp2, a: &blst_fp2, b: &blst_fp2) = blst_fp2_mul(out, a, b);
    fp2_sqr(out: &mut blst_fp2, a: &blst_fp2) = blst_fp2_sqr(out, a);
    fp2_inverse(out: &mut blst_fp2, a: &blst_fp2) = blst_fp2_eucl_inverse(out, a);

    fp12_sqr(out: &mut blst_fp12, a: &blst_fp12) = blst_fp12_sqr(out, a);
    fp12_cyclotomic_sqr(a: &mut blst_fp12) = blst_fp12_cyclotomic_sqr(a, a);
    fp12_final_exp(out: &mut blst_fp12, a: &blst_fp12) = blst_final_exp(out, a);
    fp12_inverse(out: &mut blst_fp12, a: &blst_fp12) = blst_fp12_inverse(out, a);
    fp12_conjugate(a: &mut blst_fp12) = blst_fp12_conjugate(a);
    precompute_lines(out: &mut [blst_fp6; 68], q: &blst_p2_affine) = blst_precompute_lines(out.as_mut_ptr(), q);

    fr_add_assign(a: &mut blst_fr, b: &blst_fr) = blst_fr_add(a, a, b);
    fr_sub_assign(a: &mut blst_fr, b: &blst_fr) = blst_fr_sub(a, a, b);
    fr_mul_assign(a: &mut blst_fr, b: &blst_fr) = blst_fr_mul(a, a, b);
    fr_neg(a: &mut blst_fr) = blst_fr_cneg(a, a, true);
    fr_inverse(out: &mut blst_fr, a: &blst_fr) = blst_fr_inverse(out, a);
    fr_from_scalar(out: &mut blst_fr, a: &blst_scalar) = blst_fr_from_scalar(out, a);
    fr_from_uint64(out: &mut blst_fr, words: &[u64; 4]) = blst_fr_from_uint64(out, words.as_ptr());

    // Sums are right for equal points and for infinity too.
    p1_generator() -> blst_p1 = blst_p1_generator().read_unaligned();
    p1_add_assign(a: &mut blst_p1, b: &blst_p1) = blst_p1_add_or_double(a, a, b);
    p1_add_affine_assign(a: &mut blst_p1, b: &blst_p1_affine) = blst_p1_add_or_double_affine(a, a, b);
    p1_double(a: &mut blst_p1) = blst_p1_double(a, a);
    p1_neg(a: &mut blst_p1) = blst_p1_cneg(a, true);
    p1_mult(out: &mut blst_p1, a: &blst_p1, scalar: &blst_scalar) =
        blst_p1_mult(out, a, scalar.b.as_ptr(), SCALAR_BITS);
    p1_is_inf(a: &blst_p1) -> bool = blst_p1_is_inf(a);
    p1_is_on_curve_or_inf(a: &blst_p1) -> bool = blst_p1_is_inf(a) || blst_p1_on_curve(a);
    p1_to_affine(out: &mut blst_p1_affine, a: &blst_p1) = blst_p1_to_affine(out, a);
    p1_from_affine(out: &mut blst_p1, a: &blst_p1_affine) = blst_p1_from_affine(out, a);
    p1_affine_generator() -> blst_p1_affine = blst_p1_affine_generator().read_unaligned();
    p1_affine_is_inf(a: &blst_p1_affine) -> bool = blst_p1_affine_is_inf(a);
    p1_affine_is_on_curve_or_inf(a: &blst_p1_affine) -> bool =
        blst_p1_affine_is_inf(a) || blst_p1_affine_on_curve(a);
    p1_affine_in_g1(a: &blst_p1_affine) -> bool = blst_p1_affine_in_g1(a);
    p1_affine_compress(out: &mut [u8; 48], a: &blst_p1_affine) = blst_p1_affine_compress(out.as_mut_ptr(), a);
    p1_uncompress(out: &mut blst_p1_affine, bytes: &[u8; 48]) -> BLST_ERROR =
        blst_p1_uncompress(out, bytes.as_ptr());

    p2_generator() -> blst_p2 = blst_p2_generator().read_unaligned();
    p2_add_assign(a: &mut blst_p2, b: &blst_p2) = blst_p2_add_or_double(a, a, b);
    p2_neg(a: &mut blst_p2) = blst_p2_cneg(a, true);
    p2_mult(out: &mut blst_p2, a: &blst_p2, scalar: &blst_scalar) =
        blst_p2_mult(out, a, scalar.b.as_ptr(), SCALAR_BITS);
    p2_to_affine(out: &mut blst_p2_affine, a: &blst_p2) = blst_p2_to_affine(out, a);
    p2_from_affine(out: &mut blst_p2, a: &blst_p2_affine) = blst_p2_from_affine(out, a);
    p2_affine_generator() -> blst_p2_affine = blst_p2_affine_generator().read_unaligned();
    p2_affine_is_inf(a: &blst_p2_affine) -> bool = blst_p2_affine_is_inf(a);
    p2_affine_is_on_curve_or_inf(a: &blst_p2_affine) -> bool =
        blst_p2_affine_is_inf(a) || blst_p2_affine_on_curve(a);
    p2_affine_in_g2(a: &blst_p2_affine) -> bool = blst_p2_affine_in_g2(a);
    p2_affine_compress(out: &mut [u8; 96], a: &blst_p2_affine) = blst_p2_affine_compress(out.as_mut_ptr(), a);
    p2_uncompress(out: &mut blst_p2_affine, bytes: &[u8; 96]) -> BLST_ERROR =
        blst_p2_uncompress(out, bytes.as_ptr());
}

#[cfg(test)]
functions! {
    scalar_from_bendian(out: &mut blst_scalar, bytes: &[u8; 32]) = blst_scalar_from_bendian(out, bytes.as_ptr());
    bendian_from_scalar(out: &mut [u8; 32], a: &blst_scalar) = blst_bendian_from_scalar(out.as_mut_ptr(), a);
    scalar_fr_check(a: &blst_scalar) -> bool = blst_scalar_fr_check(a);
    scalar_from_fr(out: &mut blst_scalar, a: &blst_fr) = blst_scalar_from_fr(out, a);
}

// A `blst_fp` is a struct of six words.
fn fp(a: &Words) -> *const blst_fp {
    std::ptr::from_ref(a).cast()
}

fn fp_mut(a: &mut Words) -> *mut blst_fp {
    std::ptr::from_mut(a).cast()
}

/// Writes a^(p^N).
pub(crate) fn fp12_frobenius<const N: usize>(out: &mut blst_fp12, a: &blst_fp12) {
    const { assert!(1 <= N && N <= 3) };
    // SAFETY: reads one element and writes one; blst has tables for 1 to 3.
    unsafe { blst_fp12_frobenius_map(out, a, N) };
}

/// Returns a big-endian integer modulo r.
pub(crate) fn scalar_from_be_bytes(bytes: &[u8]) -> blst_scalar {
    let mut scalar = blst_scalar::default();
    // Older versions of blst take a length of 0 for 2^64.
    if !bytes.is_empty() {
        // SAFETY: reads `len` bytes, which is not 0, and writes one scalar. Its result says whether that is not zero.
        unsafe { blst_scalar_from_be_bytes(&raw mut scalar, bytes.as_ptr(), bytes.len()) };
    }
    scalar
}

/// Returns the affine form of points other than infinity, with one inversion.
pub(crate) fn p1s_to_affine(points: &[blst_p1]) -> Vec<blst_p1_affine> {
    let mut affines = vec![blst_p1_affine::default(); points.len()];
    // After a null pointer blst takes the point behind the one before. Its `p1_affines::from` would start threads.
    let pointers = [points.as_ptr(), std::ptr::null()];
    if !points.is_empty() {
        // SAFETY: reads `points.len()` points, one after the other, and writes as many.
        unsafe { blst_p1s_to_affine(affines.as_mut_ptr(), pointers.as_ptr(), points.len()) };
    }
    affines
}

/// Returns the sum of the products of finite points and their scalars.
pub(crate) fn p1s_mult(points: &[blst_p1_affine], scalars: &[u128]) -> blst_p1 {
    debug_assert_eq!(points.len(), scalars.len());
    let mut sum = blst_p1::default();
    let bytes = scalars
        .iter()
        .fold(0, |all, scalar| all | scalar)
        .checked_ilog2()
        .map_or(0, |log| log as usize / 8 + 1);
    if bytes > 0 {
        let scalars: Vec<u8> =
            scalars.iter().flat_map(|scalar| scalar.to_le_bytes().into_iter().take(bytes)).collect();
        // After a null pointer blst takes what is behind the one before.
        let (points_at, scalars_at) =
            ([points.as_ptr(), std::ptr::null()], [scalars.as_ptr(), std::ptr::null()]);
        // SAFETY: returns a size.
        let room = unsafe { blst_p1s_mult_pippenger_scratch_sizeof(points.len()) };
        let mut room = vec![0; room.div_ceil(size_of::<limb_t>())];
        let (points_at, scalars_at, room) = (points_at.as_ptr(), scalars_at.as_ptr(), room.as_mut_ptr());
        // SAFETY: reads `points.len()` points, one after the other, and as many scalars of `8 * bytes` bits, and writes
        // one point and to the room, which has the size that it asks for.
        unsafe { blst_p1s_mult_pippenger(&mut sum, points_at, points.len(), scalars_at, 8 * bytes, room) };
    }
    sum
}

/// Returns the product of the Miller loops of pairs of finite points, which share their squarings.
pub(crate) fn miller_loop_n(pairs: &[(&blst_p1_affine, &blst_p2_affine)]) -> blst_fp12 {
    let (p, q): (Vec<*const _>, Vec<*const _>) =
        pairs.iter().map(|(p, q)| (&raw const **p, &raw const **q)).unzip();
    let mut product = blst_fp12::default();
    if !pairs.is_empty() {
        // SAFETY: reads as many pointers of each list as there are pairs, and a point at each; none is null, which
        // would stand for the point that follows the previous one.
        unsafe { blst_miller_loop_n(&mut product, q.as_ptr(), p.as_ptr(), pairs.len()) };
    }
    product
}

/// Returns what the result of a decompression says.
///
/// # Errors
/// [`Error::NotOnCurve`] for bytes that are not a point, [`Error::NotInSubgroup`] where x is 0.
pub(crate) fn decompressed(result: BLST_ERROR) -> Result<(), Error> {
    match result {
        BLST_ERROR::BLST_SUCCESS => Ok(()),
        BLST_ERROR::BLST_POINT_NOT_IN_GROUP => Err(Error::NotInSubgroup),
        _ => Err(Error::NotOnCurve),
    }
}
