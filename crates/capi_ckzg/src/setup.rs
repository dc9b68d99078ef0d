//! Trusted setups: the functions of `setup/setup.h`, and the memory behind the pointers of `KZGSettings`.
//!
//! One allocation, a `Loaded`, has everything. The public fields of `KZGSettings` point into it, to the values that
//! c-kzg has there; the [`Shadowed`] settings for the computations precede these values, and are found through the
//! first field. So they are reachable only through the struct:
//!
//! - A copy of the struct works like the struct, as in c-kzg, and becomes invalid with it.
//! - A struct of zeros, or one that was freed, is detected: functions refuse it, and freeing it does nothing.
//! - An uninitialised struct is not detected, and neither is one that a program filled itself: as in c-kzg, they are
//!   the caller's error. `load_trusted_setup` does not read the struct that it fills, so it need not be initialised,
//!   and a setup that is loaded over another leaks the other.
//! - Freeing a struct and then its copy frees memory twice, as in c-kzg.
//!
//! Differences from c-kzg: `tables` is null and `scratch_size` 0, always, because our tables are of another kind; the
//! points of `x_ext_fft_columns` are the same points in other coordinates (z is 1).

use std::alloc::{Layout, alloc, dealloc};
use std::mem::offset_of;
use std::ptr::null_mut;

use libc::FILE;
use parcrypt_bls12_381::bit_reversal::reverse;
use parcrypt_bls12_381::{Fr, G1, G1Affine, G2Affine};
use parcrypt_kzg::{
    CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB,
    Settings,
};
use parcrypt_runtime::Serial;
use parcrypt_shadow::Shadowed;

use crate::bytes::from_bytes;
use crate::call::{Caller, exported};
use crate::types::{KzgSettings, RawFr, RawG1, RawG2, Ret};

const G1_POINTS: usize = FIELD_ELEMENTS_PER_BLOB;
const G2_POINTS: usize = FIELD_ELEMENTS_PER_CELL + 1;
const G1_BYTES: usize = G1_POINTS * 48;
const G2_BYTES: usize = G2_POINTS * 96;

/// A loaded setup. The arrays are described in c-kzg's header under the fields of the same names.
#[repr(C)]
struct Loaded {
    /// [`TAG`], so that settings that point elsewhere are rarely mistaken for ours.
    tag: u64,
    settings: Shadowed,
    roots_of_unity: [RawFr; FIELD_ELEMENTS_PER_EXT_BLOB + 1],
    brp_roots_of_unity: [RawFr; FIELD_ELEMENTS_PER_EXT_BLOB],
    reverse_roots_of_unity: [RawFr; FIELD_ELEMENTS_PER_EXT_BLOB + 1],
    g1_values_monomial: [RawG1; G1_POINTS],
    g1_values_lagrange_brp: [RawG1; G1_POINTS],
    g2_values_monomial: [RawG2; G2_POINTS],
    x_ext_fft_columns: [*mut RawG1; CELLS_PER_EXT_BLOB],
    x_ext_fft: [RawG1; CELLS_PER_EXT_BLOB * FIELD_ELEMENTS_PER_CELL],
}

const TAG: u64 = u64::from_le_bytes(*b"parcrypt");

/// A struct that points to nothing.
const EMPTY: KzgSettings = KzgSettings {
    roots_of_unity: null_mut(),
    brp_roots_of_unity: null_mut(),
    reverse_roots_of_unity: null_mut(),
    g1_values_monomial: null_mut(),
    g1_values_lagrange_brp: null_mut(),
    g2_values_monomial: null_mut(),
    x_ext_fft_columns: null_mut(),
    tables: null_mut(),
    wbits: 0,
    scratch_size: 0,
};

/// Returns the settings for the computations, of a struct that is zeros, what [`free_trusted_setup`] left, or loaded
/// and not freed while the call lasts.
pub(crate) fn settings(caller: &Caller, s: *const KzgSettings) -> Result<&Shadowed, Ret> {
    let loaded = loaded(caller.input(s)?).ok_or(Ret::BadArgs)?;
    // SAFETY: it is there, by the caller's promise about the struct.
    let (tag, settings) = unsafe { (&(*loaded).tag, &(*loaded).settings) };
    if *tag == TAG { Ok(settings) } else { Err(Ret::BadArgs) }
}

/// Returns the allocation behind a struct, or `None` if there is none.
fn loaded(s: &KzgSettings) -> Option<*mut Loaded> {
    let roots = s.roots_of_unity;
    let offset = offset_of!(Loaded, roots_of_unity);
    (!roots.is_null()).then(|| roots.wrapping_byte_sub(offset).cast())
}

exported!(|caller| {
    /// Loads a setup from compressed points: 4096 · 48 bytes in the monomial form, 4096 · 48 in the Lagrange form, 65 ·
    /// 96 of G2. `precompute`, from 0 to 15, bounds the memory of tables: `docs/explanation/kzg.md#tables`.
    fn load_trusted_setup(
        out: *mut KzgSettings,
        g1_monomial_bytes: *const u8,
        num_g1_monomial_bytes: u64,
        g1_lagrange_bytes: *const u8,
        num_g1_lagrange_bytes: u64,
        g2_monomial_bytes: *const u8,
        num_g2_monomial_bytes: u64,
        precompute: u64,
    ) -> Result<(), Ret> {
        let out = caller.output(out)?;
        out.write(EMPTY);
        let g1_monomial = caller.inputs(g1_monomial_bytes, num_g1_monomial_bytes)?;
        let g1_lagrange = caller.inputs(g1_lagrange_bytes, num_g1_lagrange_bytes)?;
        let g2_monomial = caller.inputs(g2_monomial_bytes, num_g2_monomial_bytes)?;
        out.write(load(g1_monomial, g1_lagrange, g2_monomial, precompute)?);
        Ok(())
    }

    /// Loads a setup from an open file in c-kzg's text format, from its current position, and leaves it open after the
    /// last point.
    fn load_trusted_setup_file(out: *mut KzgSettings, file: *mut FILE, precompute: u64) -> Result<(), Ret> {
        let out = caller.output(out)?;
        out.write(EMPTY);
        if file.is_null() {
            return Err(Ret::BadArgs);
        }
        for expected in [G1_POINTS, G2_POINTS] {
            let mut number: libc::c_ulonglong = 0;
            // SAFETY: the stream is open by the caller's promise; the format wants room for one such number.
            let read = unsafe { libc::fscanf(file, c"%llu".as_ptr(), &raw mut number) };
            if read != 1 || number != expected as u64 {
                return Err(Ret::BadArgs);
            }
        }
        let mut lists = [vec![0; G1_BYTES], vec![0; G2_BYTES], vec![0; G1_BYTES]];
        for byte in lists.iter_mut().flatten() {
            // SAFETY: the stream is open by the caller's promise; the format wants room for one byte.
            if unsafe { libc::fscanf(file, c"%2hhx".as_ptr(), &raw mut *byte) } != 1 {
                return Err(Ret::BadArgs);
            }
        }
        let [g1_lagrange, g2_monomial, g1_monomial] = &lists;
        out.write(load(g1_monomial, g1_lagrange, g2_monomial, precompute)?);
        Ok(())
    }

    /// Frees a setup, which no call uses, and sets it to zeros; does nothing for null and for zeros.
    fn free_trusted_setup(s: *mut KzgSettings) -> () {
        let (Ok(settings), Ok(out)) = (caller.input(s), caller.output(s)) else { return };
        if let Some(loaded) = loaded(settings) {
            // SAFETY: it is there by the caller's promise.
            if unsafe { (*loaded).tag } == TAG {
                // SAFETY: as above. What is written before memory is freed counts as never read; `write_volatile`
                // is kept.
                unsafe { (&raw mut (*loaded).tag).write_volatile(0) };
                // SAFETY: `Loaded::publish` filled it, and it is not used any more.
                unsafe { std::ptr::drop_in_place(&raw mut (*loaded).settings) };
                // SAFETY: `Loaded::publish` allocated it with this layout.
                unsafe { dealloc(loaded.cast(), Layout::new::<Loaded>()) };
            }
        }
        out.write(EMPTY);
    }
});

fn load(
    g1_monomial: &[u8],
    g1_lagrange: &[u8],
    g2_monomial: &[u8],
    precompute: u64,
) -> Result<KzgSettings, Ret> {
    let settings = Shadowed::load(|requests| {
        Settings::from_ckzg_points(&Serial, requests, g1_monomial, g1_lagrange, g2_monomial, precompute)
    })?;
    Loaded::publish(settings, precompute as usize)
}

impl Loaded {
    /// Moves settings, and the values of the public fields, into one allocation.
    fn publish(kzg: Shadowed, wbits: usize) -> Result<KzgSettings, Ret> {
        let settings = kzg.first().settings();
        let order = FIELD_ELEMENTS_PER_EXT_BLOB;
        let root = Fr::root_of_unity(order.ilog2()).map_err(|_| Ret::Error)?;
        let powers = std::iter::successors(Some(Fr::one()), |power| Some(*power * root));
        let roots: Vec<RawFr> = powers.take(order).map(RawFr::from).collect();
        // SAFETY: the layout has a size.
        let this = unsafe { alloc(Layout::new::<Loaded>()) }.cast::<Loaded>();
        if this.is_null() {
            return Err(Ret::Malloc);
        }
        // SAFETY: it is all in the memory that was just allocated, to which there is no other pointer. No reference
        // is made to it before it is filled. A panic, which only a mistake could bring, would leak it.
        unsafe {
            fill(&raw mut (*this).roots_of_unity, (0..order + 1).map(|i| roots[i % order]));
            fill(&raw mut (*this).brp_roots_of_unity, (0..order).map(|i| roots[reverse(i, order.ilog2())]));
            fill(&raw mut (*this).reverse_roots_of_unity, (0..order + 1).map(|i| roots[(order - i) % order]));
            fill(&raw mut (*this).g1_values_monomial, settings.g1_monomial().iter().map(g1));
            fill(&raw mut (*this).g1_values_lagrange_brp, settings.g1_lagrange().iter().map(g1));
            fill(&raw mut (*this).g2_values_monomial, settings.g2_monomial().iter().map(g2));
            fill(&raw mut (*this).x_ext_fft, settings.fk20_points().iter().map(g1));
            let points: *mut RawG1 = (&raw mut (*this).x_ext_fft).cast();
            let columns = (0..CELLS_PER_EXT_BLOB).map(|i| points.add(i * FIELD_ELEMENTS_PER_CELL));
            fill(&raw mut (*this).x_ext_fft_columns, columns);
            (&raw mut (*this).settings).write(kzg);
            (&raw mut (*this).tag).write(TAG);
            Ok(KzgSettings {
                roots_of_unity: (&raw mut (*this).roots_of_unity).cast(),
                brp_roots_of_unity: (&raw mut (*this).brp_roots_of_unity).cast(),
                reverse_roots_of_unity: (&raw mut (*this).reverse_roots_of_unity).cast(),
                g1_values_monomial: (&raw mut (*this).g1_values_monomial).cast(),
                g1_values_lagrange_brp: (&raw mut (*this).g1_values_lagrange_brp).cast(),
                g2_values_monomial: (&raw mut (*this).g2_values_monomial).cast(),
                x_ext_fft_columns: (&raw mut (*this).x_ext_fft_columns).cast(),
                wbits,
                ..EMPTY
            })
        }
    }
}

/// Fills an array, which must get as many values as it has room for.
///
/// # Safety
/// There is room for the array.
unsafe fn fill<T, const N: usize>(array: *mut [T; N], values: impl ExactSizeIterator<Item = T>) {
    assert_eq!(values.len(), N);
    for (i, value) in values.enumerate().take(N) {
        // SAFETY: i is below N, and there is room for N by the caller's promise.
        unsafe { array.cast::<T>().add(i).write(value) };
    }
}

/// Returns a point with z = 1, as c-kzg has it after decompression.
fn g1(point: &G1Affine) -> RawG1 {
    G1::from(*point).into()
}

/// Returns a point with z = 1; zeros at infinity.
fn g2(point: &G2Affine) -> RawG2 {
    let mut raw = RawG2([0; 36]);
    if *point != G2Affine::identity() {
        let (affine, z) = raw.0.split_at_mut(24);
        from_bytes(&point.to_raw(), affine);
        // 1 in the field of 381 bits, which is z of any point of G1 from its affine form.
        z[..6].copy_from_slice(&g1(&G1Affine::generator()).0[12..]);
    }
    raw
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]
    use super::*;

    #[test]
    fn indices_are_reversed() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|i| reverse(i, 3)), [0, 4, 2, 6, 1, 5, 3, 7]);
    }

    #[test]
    fn a_struct_of_zeros_is_refused_and_freed() {
        let mut zeros = EMPTY;
        // SAFETY: zeros are allowed, and null.
        unsafe {
            let caller = Caller::new();
            assert_eq!(settings(&caller, &raw const zeros).err(), Some(Ret::BadArgs));
            assert_eq!(settings(&caller, std::ptr::null()).err(), Some(Ret::BadArgs));
            free_trusted_setup(&raw mut zeros);
            free_trusted_setup(&raw mut zeros);
            free_trusted_setup(null_mut());
        }
        assert!(zeros.roots_of_unity.is_null());
    }

    #[test]
    fn fields_have_the_values_of_the_header() {
        let settings = Settings::mainnet(parcrypt_kzg::Request::Auto).unwrap();
        let (second, last) = (settings.g1_monomial()[1], settings.g1_lagrange()[G1_POINTS - 1]);
        let mut s = Loaded::publish(Shadowed::from_environment(settings).unwrap(), 0).unwrap();
        // SAFETY: the arrays have the lengths that the header says; what was loaded is freed once.
        unsafe {
            let one = RawFr::from(Fr::one());
            for roots in [s.roots_of_unity, s.reverse_roots_of_unity] {
                assert_eq!([*roots, *roots.add(8192)], [one, one]);
            }
            let product = Fr::from(*s.roots_of_unity.add(5)) * Fr::from(*s.reverse_roots_of_unity.add(5));
            assert_eq!(product, Fr::one());
            assert_eq!(*s.brp_roots_of_unity.add(1), RawFr::from(-Fr::one()));
            assert_eq!(*s.roots_of_unity.add(1), *s.brp_roots_of_unity.add(4096));
            assert_eq!(G1::from(*s.g1_values_monomial), G1::generator());
            assert_eq!(G1::from(*s.g1_values_monomial.add(1)), second.into());
            assert_eq!(G1::from(*s.g1_values_lagrange_brp.add(4095)), last.into());
            let columns = s.x_ext_fft_columns;
            assert_eq!((*columns.add(127)).offset_from(*columns), 127 * 64);
            let caller = Caller::new();
            assert!(crate::setup::settings(&caller, &raw const s).is_ok());
            let left = parcrypt_testkit::freed(size_of::<Loaded>(), || free_trusted_setup(&raw mut s));
            assert_eq!(left.len(), 1);
            let at = offset_of!(Loaded, tag);
            assert_eq!(left[0][at..at + 8], [0; 8], "a copy of the struct finds no setup there");
            assert!(crate::setup::settings(&caller, &raw const s).is_err());
            free_trusted_setup(&raw mut s);
        }
    }
}
