//! Memory of keys, cleared to its last byte.
#![allow(unsafe_code, reason = "the bytes between fields can be written through a pointer only")]

use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A value on the heap, so that moving it leaves no copies. Dropping it drops the value and then clears all its memory:
/// the fields clear themselves, but moving the value to the heap may have copied the stack into the padding.
pub(crate) struct Cleared<T>(Box<ManuallyDrop<T>>);

impl<T> Cleared<T> {
    pub(crate) fn new(value: T) -> Self {
        Cleared(Box::new(ManuallyDrop::new(value)))
    }
}

impl<T> Deref for Cleared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Cleared<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Cleared<T> {
    fn drop(&mut self) {
        // SAFETY: the value is dropped once, here, and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        let memory = (&raw mut *self.0).cast::<MaybeUninit<u8>>();
        // SAFETY: the box still owns the memory of the value, and only frees it after this.
        unsafe { std::slice::from_raw_parts_mut(memory, size_of::<T>()) }.zeroize();
    }
}

impl<T> ZeroizeOnDrop for Cleared<T> {}
