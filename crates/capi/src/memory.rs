//! The values behind the pointers of a call. No other module dereferences a pointer.

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::path::Path;

use crate::status::{Failure, Status};

/// The caller's promise about the pointers of one call, which every access to them needs.
///
/// The values that its functions return live no longer than the promise. Each function refuses a pointer that is null
/// or not aligned for its type, and a count that exceeds the address space; for 0 values any pointer is accepted.
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

    /// Returns the value behind a handle of [`Slot::give`].
    pub(crate) fn handle<T>(&self, what: &str, pointer: *const T) -> Result<&T, Failure> {
        check(what, pointer)?;
        // SAFETY: it is not null by the check above; by the promise it is one of ours, and is not freed meanwhile.
        Ok(unsafe { &*pointer })
    }

    /// Returns `count` values to read.
    pub(crate) fn input<T>(&self, what: &str, pointer: *const T, count: usize) -> Result<&[T], Failure> {
        check_many(what, pointer, count)?;
        if count == 0 {
            return Ok(&[]);
        }
        // SAFETY: not null, aligned and not too large by the check above; there and initialised by the promise.
        Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
    }

    /// Returns items of `size` bytes, one after another.
    pub(crate) fn items(
        &self,
        what: &str,
        pointer: *const u8,
        length: usize,
        size: usize,
    ) -> Result<Vec<&[u8]>, Failure> {
        let items = self.input(what, pointer, length)?.chunks_exact(size);
        if !items.remainder().is_empty() {
            let message = format!("{what}: {length} bytes, which is no multiple of {size}");
            return Err(Failure::new(Status::LENGTH, message));
        }
        list(what, items)
    }

    /// Returns `count` items of `size` bytes, one after another.
    pub(crate) fn many_items(
        &self,
        what: &str,
        pointer: *const u8,
        length: usize,
        count: usize,
        size: usize,
    ) -> Result<Vec<&[u8]>, Failure> {
        items(what, self.input(what, pointer, length)?, count, size)
    }

    /// Returns a text with a zero byte at its end.
    pub(crate) fn text(&self, what: &str, pointer: *const c_char) -> Result<&CStr, Failure> {
        check(what, pointer)?;
        // SAFETY: not null by the check above; there by the promise.
        Ok(unsafe { CStr::from_ptr(pointer) })
    }

    /// Returns the path of a file: any bytes on Unix, UTF-8 elsewhere.
    pub(crate) fn path(&self, what: &str, pointer: *const c_char) -> Result<&Path, Failure> {
        let text = self.text(what, pointer)?;
        #[cfg(unix)]
        let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(text.to_bytes());
        #[cfg(not(unix))]
        let path = text.to_str().map_err(|_| Failure::new(Status::FILE, format!("{what}: not UTF-8")))?;
        Ok(Path::new(path))
    }

    /// Returns room for `count` values.
    pub(crate) fn output<T: Copy>(
        &self,
        what: &str,
        pointer: *mut T,
        count: usize,
    ) -> Result<Output<'_, T>, Failure> {
        check_many(what, pointer, count)?;
        Ok(Output { pointer, count, item: count, promise: PhantomData })
    }

    /// Returns room for `count` items of `size` bytes, one after another.
    pub(crate) fn many_outputs(
        &self,
        what: &str,
        pointer: *mut u8,
        length: usize,
        count: usize,
        size: usize,
    ) -> Result<Output<'_, u8>, Failure> {
        check_length(what, length, count, size)?;
        Ok(Output { item: size, ..self.output(what, pointer, length)? })
    }

    /// Returns the slot for a handle, and sets it to null.
    pub(crate) fn slot<T>(&self, what: &str, pointer: *mut *mut T) -> Result<Slot<'_, T>, Failure> {
        let slot = Slot(self.output(what, pointer, 1)?);
        slot.0.write(&[std::ptr::null_mut()]);
        Ok(slot)
    }

    /// Frees a handle of a slot; null is ignored.
    pub(crate) fn free<T>(&self, pointer: *mut T) {
        if !pointer.is_null() {
            // SAFETY: by the promise it is from [`Slot::give`], was not freed yet, and no call uses it.
            drop(unsafe { Box::from_raw(pointer) });
        }
    }
}

/// Returns an error for a pointer that is null or not aligned for its type.
fn check<T>(what: &str, pointer: *const T) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::new(Status::POINTER, format!("{what}: the pointer is null")));
    }
    if !pointer.is_aligned() {
        let needed = align_of::<T>();
        return Err(Failure::new(Status::POINTER, format!("{what}: the address is no multiple of {needed}")));
    }
    Ok(())
}

/// Returns an error for such a pointer, or for more values than fit in an address space.
fn check_many<T>(what: &str, pointer: *const T, count: usize) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    check(what, pointer)?;
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Failure::new(Status::LENGTH, format!("{what}: {count} are more than memory has room for"))),
    }
}

/// Returns an error for a length that is not `count` times `size`.
fn check_length(what: &str, length: usize, count: usize, size: usize) -> Result<(), Failure> {
    if count.checked_mul(size) == Some(length) {
        return Ok(());
    }
    Err(Failure::new(Status::LENGTH, format!("{what}: {length} bytes, there must be {count} times {size}")))
}

/// Returns the items of bytes, which must be `count` items of `size` bytes.
pub(crate) fn items<'a>(
    what: &str,
    bytes: &'a [u8],
    count: usize,
    size: usize,
) -> Result<Vec<&'a [u8]>, Failure> {
    check_length(what, bytes.len(), count, size)?;
    list(what, bytes.chunks_exact(size))
}

/// Returns the number of values of this many items, or an error if memory has no room for them.
pub(crate) fn product(what: &str, count: usize, size: usize) -> Result<usize, Failure> {
    let message = || format!("{what}: {count} are more than memory has room for");
    count.checked_mul(size).ok_or_else(|| Failure::new(Status::LENGTH, message()))
}

/// Returns the items of an iterator as a list, or an error if there is no memory for it.
pub(crate) fn list<T>(what: &str, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Failure> {
    let mut list = Vec::new();
    list.try_reserve_exact(values.len()).map_err(|_| {
        Failure::new(Status::MEMORY, format!("{what}: no memory for a list of {}", values.len()))
    })?;
    list.extend(values);
    Ok(list)
}

/// Room for values, possibly uninitialised: it is written and never read.
pub(crate) struct Output<'a, T> {
    pointer: *mut T,
    count: usize,
    /// Number of values of an item.
    item: usize,
    promise: PhantomData<&'a Caller>,
}

impl<T: Copy> Output<'_, T> {
    /// Writes all values.
    pub(crate) fn write(&self, values: &[T]) {
        assert_eq!(values.len(), self.count, "an output is filled whole");
        self.write_at(0, values);
    }

    /// Writes values from an index on.
    pub(crate) fn write_at(&self, index: usize, values: &[T]) {
        assert!(
            index <= self.count && values.len() <= self.count - index,
            "an output has room for what it gets"
        );
        if !values.is_empty() {
            // SAFETY: inside the room by the check above, which is there by the promise. `values` belongs to the
            // library, so they do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.pointer.add(index), values.len()) };
        }
    }
}

impl Output<'_, u8> {
    /// Writes an item, or zeros.
    pub(crate) fn write_item(&self, index: usize, bytes: Option<&[u8]>) {
        let start = index * self.item;
        match bytes {
            Some(bytes) => {
                assert_eq!(bytes.len(), self.item, "an item has its size");
                self.write_at(start, bytes);
            }
            None => self.write_at(start, &vec![0; self.item]),
        }
    }
}

/// The memory in which the caller receives a handle.
pub(crate) struct Slot<'a, T>(Output<'a, *mut T>);

impl<T> Slot<'_, T> {
    /// Passes a value to the caller as a handle, which [`Caller::free`] frees.
    pub(crate) fn give(self, value: T) {
        self.0.write(&[Box::into_raw(Box::new(value))]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pointer that is not aligned is refused before it is read, also where another type would take it.
    #[test]
    fn alignment_is_checked() {
        let words = [0x0102_0304_0506_0708u64; 4];
        let odd = words.as_ptr().wrapping_byte_add(1);
        // SAFETY: the values are there.
        let caller = unsafe { Caller::new() };
        let refused = |result: Option<Failure>| {
            let failure = result.expect("an address between two words");
            assert!(failure.status == Status::POINTER && failure.message.contains("no multiple of 8"));
        };
        refused(caller.input("in", odd, 2).err());
        refused(caller.handle("handle", odd).err());
        refused(caller.output("out", odd.cast_mut(), 2).err());
        refused(caller.slot("slot", odd.cast::<*mut u64>().cast_mut()).err());
        assert!(caller.input("in", odd.cast::<u8>(), 16).is_ok_and(|bytes| bytes.len() == 16));
        assert!(caller.input("in", words.as_ptr(), 4).is_ok_and(|all| *all == words));
        assert!(caller.input("in", odd, 0).is_ok_and(<[u64]>::is_empty), "no values");
    }

    #[test]
    fn null_and_lengths_are_checked() {
        let bytes = [7u8; 12];
        // SAFETY: the values are there.
        let caller = unsafe { Caller::new() };
        let status = |failure: Option<Failure>| failure.map(|failure| failure.status);
        let null = std::ptr::null::<u8>();
        assert_eq!(status(caller.input("in", null, 1).err()), Some(Status::POINTER));
        assert_eq!(status(caller.handle("handle", null).err()), Some(Status::POINTER));
        assert_eq!(status(caller.output("out", null.cast_mut(), 1).err()), Some(Status::POINTER));
        assert_eq!(status(caller.text("text", null.cast()).err()), Some(Status::POINTER));
        assert_eq!(status(caller.input("in", bytes.as_ptr(), usize::MAX).err()), Some(Status::LENGTH));
        let words = std::ptr::NonNull::<u64>::dangling().as_ptr().cast_const();
        for count in [usize::MAX / 8 + 2, isize::MAX as usize / 8 + 1] {
            assert_eq!(status(caller.input("in", words, count).err()), Some(Status::LENGTH), "{count}");
        }
        let items = |length: usize, count: usize| caller.many_items("in", bytes.as_ptr(), length, count, 4);
        assert!(items(12, 3).is_ok_and(|items| items == [[7; 4]; 3]));
        for (length, count) in [(11, 2), (12, 2), (12, 4), (8, 3), (0, usize::MAX / 4 + 1)] {
            assert_eq!(status(items(length, count).err()), Some(Status::LENGTH), "{length} {count}");
        }
        assert_eq!(status(caller.items("in", bytes.as_ptr(), 11, 4).err()), Some(Status::LENGTH));
    }
}
