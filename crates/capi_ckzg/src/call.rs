//! Pointers and results of all functions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parcrypt_bls12_381::Error as Arithmetic;
use parcrypt_kzg::Error;

use crate::types::Ret;

impl From<Error> for Ret {
    fn from(error: Error) -> Ret {
        match error {
            Error::Arithmetic(Arithmetic::Memory { .. } | Arithmetic::Allocation { .. }) => Ret::Malloc,
            Error::Arithmetic(_) => Ret::Error,
            _ => Ret::BadArgs,
        }
    }
}

/// Runs the body of a function. A panic becomes `C_KZG_ERROR`; nothing unwinds into C.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Ret>) -> Ret {
    quiet(Ret::Error, || body().err().unwrap_or(Ret::Ok))
}

/// Runs the body of a function that cannot report an error. A panic becomes `otherwise`.
pub(crate) fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        // The payload may be any value, and its destructor may panic too.
        std::mem::forget(payload);
        otherwise
    })
}

/// Returns the value at a pointer; `C_KZG_BADARGS` for null and for an unaligned pointer.
///
/// # Safety
/// At a pointer that is not null there is an initialised value, which does not change while `'a` lasts.
pub(crate) unsafe fn input<'a, T>(pointer: *const T) -> Result<&'a T, Ret> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(Ret::BadArgs);
    }
    // SAFETY: not null and aligned by the check above, there and initialised by the caller's promise.
    Ok(unsafe { &*pointer })
}

/// Returns `count` values at a pointer; `C_KZG_BADARGS` for null and for an unaligned pointer, unless `count` is 0;
/// `C_KZG_MALLOC`, as in c-kzg, for more than fit in memory.
///
/// # Safety
/// At a pointer that is not null there are `count` initialised values, which do not change while `'a` lasts.
pub(crate) unsafe fn inputs<'a, T>(pointer: *const T, count: u64) -> Result<&'a [T], Ret> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(Ret::BadArgs);
    }
    let count = usize::try_from(count).map_err(|_| Ret::Malloc)?;
    if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(Ret::Malloc);
    }
    // SAFETY: not null, aligned and not too large by the checks above, there and initialised by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns the room for one value, possibly uninitialised; `C_KZG_BADARGS` for null and for an unaligned pointer.
pub(crate) fn output<T>(pointer: *mut T) -> Result<*mut T, Ret> {
    if pointer.is_null() || !pointer.is_aligned() { Err(Ret::BadArgs) } else { Ok(pointer) }
}

/// Returns a list of byte slices, for the functions of `parcrypt-kzg`; `C_KZG_MALLOC` where there is no memory for it.
pub(crate) fn slices<const N: usize>(values: &[[u8; N]]) -> Result<Vec<&[u8]>, Ret> {
    let mut list = Vec::new();
    list.try_reserve_exact(values.len()).map_err(|_| Ret::Malloc)?;
    list.extend(values.iter().map(|value| &value[..]));
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(call(|| panic!("number {}", 7)), Ret::Error);
        assert_eq!(call(|| std::panic::panic_any(7)), Ret::Error);
        assert_eq!(call(|| Err(Ret::BadArgs)), Ret::BadArgs);
        assert_eq!(call(|| Ok(())), Ret::Ok);
        assert_eq!(quiet(3, || panic!("quiet")), 3);
    }

    #[test]
    fn counts_that_exceed_the_memory_are_refused() {
        let values = [0u64; 2];
        for count in [u64::MAX, u64::MAX / 8 + 1, 1 << 60] {
            // SAFETY: it is refused before anything is read.
            assert_eq!(unsafe { inputs(values.as_ptr(), count) }, Err(Ret::Malloc));
        }
        // SAFETY: the values are there, or the pointer is null.
        unsafe {
            assert_eq!(inputs(values.as_ptr(), 2), Ok(&values[..]));
            assert_eq!(inputs::<u64>(std::ptr::null(), 0), Ok(&[][..]));
            assert_eq!(inputs::<u64>(std::ptr::null(), 1), Err(Ret::BadArgs));
            assert_eq!(inputs::<u64>(values.as_ptr().byte_add(1), 1), Err(Ret::BadArgs));
        }
    }
}
