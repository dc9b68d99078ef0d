//! Memory that the ranks of a node share, by MPI's C bindings: the crate `mpi` 0.8 does not support it.
//!
//! It depends on MPI only.
#![allow(unsafe_code, reason = "calls MPI, and memory that MPI hands out is a slice here")]

use std::ffi::c_void;
use std::ptr;

use mpi_sys as ffi;
use parallel_sum::Memory;

/// The bytes of this rank. It has to be dropped before MPI is finalised, by all ranks of the node.
#[derive(Debug)]
pub struct SharedWindow {
    window: ffi::MPI_Win,
    begin: *mut u8,
    length: usize,
}

impl SharedWindow {
    /// Allocates `length` bytes on each rank of the communicator `node`; all of them call it.
    ///
    /// # Errors
    /// The error code of MPI.
    ///
    /// # Safety
    /// MPI is initialised, and `node` is a communicator whose ranks can share memory.
    pub unsafe fn new(node: ffi::MPI_Comm, length: usize) -> Result<Self, i32> {
        let check = |code| if code == ffi::MPI_SUCCESS as i32 { Ok(()) } else { Err(code) };
        let mut begin: *mut c_void = ptr::null_mut();
        // SAFETY: every pointer is that of a variable of ours or of a C string; the communicator is the caller's
        // promise.
        unsafe {
            let mut window = ffi::RSMPI_WIN_NULL;
            let mut info = ffi::RSMPI_INFO_NULL;
            // Parts that begin on pages of their own are placed where their ranks touch them first.
            check(ffi::MPI_Info_create(&mut info))?;
            check(ffi::MPI_Info_set(info, c"alloc_shared_noncontig".as_ptr(), c"true".as_ptr()))?;
            let address: *mut *mut c_void = &mut begin;
            // No memory has more than 2^63 bytes anyway.
            let size = length as ffi::MPI_Aint;
            check(ffi::MPI_Win_allocate_shared(size, 1, info, node, address.cast(), &mut window))?;
            check(ffi::MPI_Win_set_errhandler(window, ffi::RSMPI_ERRORS_RETURN))?;
            check(ffi::MPI_Info_free(&mut info))?;
            Ok(SharedWindow { window, begin: begin.cast(), length })
        }
    }
}

impl Memory for SharedWindow {
    fn all(&self) -> &[u8] {
        if self.length == 0 {
            // For 0 bytes MPI promises no pointer.
            return &[];
        }
        // SAFETY: MPI returned this number of bytes there, zero or written by us, until the window is freed, which
        // takes `self`. No other rank is told where they are.
        unsafe { std::slice::from_raw_parts(self.begin, self.length) }
    }

    fn all_mut(&mut self) -> &mut [u8] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: as in `all`, and nothing else borrows `self`.
        unsafe { std::slice::from_raw_parts_mut(self.begin, self.length) }
    }
}

impl Drop for SharedWindow {
    fn drop(&mut self) {
        // SAFETY: the window is one, and only this frees it. An error leaves memory behind that ends with the process.
        let _ = unsafe { ffi::MPI_Win_free(&mut self.window) };
    }
}
