//! Pointers and results of all functions. No other module dereferences a pointer, except `setup` its own.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parcrypt_bls12_381::Error as Arithmetic;
use parcrypt_kzg::Error;
use parcrypt_shadow::LoadError;

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

impl From<LoadError> for Ret {
    fn from(error: LoadError) -> Ret {
        if let LoadError::Settings(why) = error { why.into() } else { Ret::BadArgs }
    }
}

/// Exports functions of the header. Their bodies get the caller's promise about the pointers, and return an [`Answer`],
/// from which C gets its result, also after a panic.
macro_rules! exported {
    (|$caller:ident| {
        $($(#[$meta:meta])* fn $name:ident($($argument:ident: $of:ty),* $(,)?) -> $answer:ty $body:block)*
    }) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        /// Each pointer is null, or the values that the header documents are there; settings are loaded, or zeros.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $of),*) -> <$answer as $crate::call::Answer>::InC {
            // SAFETY: the pointers are what the header says, by the promise above.
            let $caller = &unsafe { $crate::call::Caller::new() };
            <$answer as $crate::call::Answer>::of(|| $body)
        }
    )*};
}
pub(crate) use exported;

/// The result of a function of the API.
pub trait Answer: Sized {
    /// What C gets for it.
    type InC;

    /// Runs the body of the function; nothing unwinds into C.
    fn of(body: impl FnOnce() -> Self) -> Self::InC;
}

impl Answer for Result<(), Ret> {
    type InC = Ret;

    fn of(body: impl FnOnce() -> Self) -> Ret {
        quiet(Ret::Error, || body().err().unwrap_or(Ret::Ok))
    }
}

impl Answer for () {
    type InC = ();

    fn of(body: impl FnOnce()) {
        quiet((), body);
    }
}

impl Answer for bool {
    type InC = bool;

    fn of(body: impl FnOnce() -> bool) -> bool {
        quiet(false, body)
    }
}

/// Returns the result of the body; after a panic `otherwise`.
fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        // The payload may be any value, and its destructor may panic too.
        std::mem::forget(payload);
        otherwise
    })
}

/// The caller's promise about the pointers of one call, which every access to them needs.
///
/// The values that its functions return live no longer than the promise. Null and unaligned pointers are refused with
/// `C_KZG_BADARGS`; for 0 values any pointer is accepted.
pub(crate) struct Caller {
    _private: PhantomData<()>,
}

impl Caller {
    /// # Safety
    /// Each pointer that is passed to this value is null, or its documented values are there as long as this value
    /// lives. Inputs are initialised and not changed meanwhile; outputs are not accessed elsewhere, but an output may
    /// overlap an input that is not used any more when the output is written.
    pub(crate) unsafe fn new() -> Self {
        Caller { _private: PhantomData }
    }

    /// Returns a value to read.
    pub(crate) fn input<T>(&self, pointer: *const T) -> Result<&T, Ret> {
        check(pointer)?;
        // SAFETY: not null and aligned by the check above, there and initialised by the promise.
        Ok(unsafe { &*pointer })
    }

    /// Returns `count` values to read; `C_KZG_MALLOC`, as in c-kzg, for more than fit in memory.
    pub(crate) fn inputs<T>(&self, pointer: *const T, count: u64) -> Result<&[T], Ret> {
        if count == 0 {
            return Ok(&[]);
        }
        check(pointer)?;
        let count = usize::try_from(count).map_err(|_| Ret::Malloc)?;
        if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Ret::Malloc);
        }
        // SAFETY: not null, aligned and not too large by the checks above, there and initialised by the promise.
        Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
    }

    /// Returns `count` values to read, as byte slices for the functions of `parcrypt-kzg`; `C_KZG_MALLOC` if there is
    /// no memory for the list.
    pub(crate) fn slices<const N: usize>(
        &self,
        pointer: *const [u8; N],
        count: u64,
    ) -> Result<Vec<&[u8]>, Ret> {
        let values = self.inputs(pointer, count)?;
        let mut list = Vec::new();
        list.try_reserve_exact(values.len()).map_err(|_| Ret::Malloc)?;
        list.extend(values.iter().map(|value| &value[..]));
        Ok(list)
    }

    /// Returns room for one value.
    pub(crate) fn output<T>(&self, pointer: *mut T) -> Result<Output<'_, T>, Ret> {
        self.outputs(pointer, 1)
    }

    /// Returns room for `count` values.
    pub(crate) fn outputs<T>(&self, pointer: *mut T, count: usize) -> Result<Output<'_, T>, Ret> {
        check(pointer)?;
        Ok(Output { pointer, count, promise: PhantomData })
    }
}

fn check<T>(pointer: *const T) -> Result<(), Ret> {
    if pointer.is_null() || !pointer.is_aligned() { Err(Ret::BadArgs) } else { Ok(()) }
}

/// Room for values, possibly uninitialised: it is written and never read.
pub(crate) struct Output<'a, T> {
    pointer: *mut T,
    count: usize,
    promise: PhantomData<&'a Caller>,
}

impl<T> Output<'_, T> {
    /// Writes the only value, or the first one.
    pub(crate) fn write(&self, value: T) {
        self.write_at(0, value);
    }

    /// Writes the value with this index.
    pub(crate) fn write_at(&self, index: usize, value: T) {
        assert!(index < self.count, "an output has room for what it gets");
        // SAFETY: not null and aligned, since `Caller::outputs` has checked it; room for `count` values by the promise.
        unsafe { self.pointer.add(index).write(value) };
    }

    /// Writes all values.
    pub(crate) fn write_all(&self, values: &[T])
    where
        T: Copy,
    {
        assert_eq!(values.len(), self.count, "an output is filled whole");
        // SAFETY: as in `write_at`; `values` belongs to the library, so they do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.pointer, self.count) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(Result::of(|| panic!("number {}", 7)), Ret::Error);
        assert_eq!(Result::of(|| std::panic::panic_any(7)), Ret::Error);
        assert_eq!(Result::of(|| Err(Ret::BadArgs)), Ret::BadArgs);
        assert_eq!(Result::of(|| Ok(())), Ret::Ok);
        assert!(!bool::of(|| panic!("quiet")));
    }

    #[test]
    fn counts_that_exceed_the_memory_are_refused() {
        let values = [0u64; 2];
        // SAFETY: the values are there.
        let caller = unsafe { Caller::new() };
        for count in [u64::MAX, u64::MAX / 8 + 1, 1 << 60] {
            assert_eq!(caller.inputs(values.as_ptr(), count), Err(Ret::Malloc));
        }
        let (null, odd) = (std::ptr::null::<u64>(), values.as_ptr().wrapping_byte_add(1));
        assert_eq!(caller.inputs(values.as_ptr(), 2), Ok(&values[..]));
        assert_eq!(caller.inputs(null, 0), Ok(&[][..]));
        for refused in [null, odd] {
            assert_eq!(caller.inputs(refused, 1), Err(Ret::BadArgs));
            assert_eq!(caller.input(refused), Err(Ret::BadArgs));
            assert_eq!(caller.output(refused.cast_mut()).err(), Some(Ret::BadArgs));
        }
    }
}
