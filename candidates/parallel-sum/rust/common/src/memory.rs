//! Memory whose pages are mapped before the measured work begins.
#![allow(unsafe_code, reason = "madvise takes a pointer")]

use std::io;

use crate::Memory;

const PAGE: usize = 4096;

/// Bytes that begin with a page and were touched.
#[derive(Debug)]
pub struct Pages {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Pages {
    /// Allocates `length` bytes; `None` if there is no memory for them.
    pub fn new(length: usize) -> Option<Self> {
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(length.checked_add(PAGE)?).ok()?;
        let begin = bytes.as_ptr().align_offset(PAGE);
        // All pages at once, as in C: pages that are mapped one by one have other addresses, and are copied more
        // slowly.
        if !populate(bytes.as_mut_ptr().wrapping_add(begin), length) {
            return None;
        }
        bytes.resize(length + PAGE, 0);
        Some(Pages { bytes, begin, length })
    }
}

impl Memory for Pages {
    fn all(&self) -> &[u8] {
        &self.bytes[self.begin..self.begin + self.length]
    }

    fn all_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..self.begin + self.length]
    }
}

/// Touches every page of `bytes`; returns false if a page cannot be mapped. Writing to such a page of shared memory
/// would end the process by a signal.
pub fn touch(bytes: &mut [u8]) -> bool {
    let there = populate(bytes.as_mut_ptr(), bytes.len());
    if there {
        bytes.fill(0);
    }
    there
}

/// Maps the pages of a range; returns false if one cannot be mapped.
fn populate(begin: *mut u8, length: usize) -> bool {
    // SAFETY: the advice changes no byte; if the range is not ours the system says so.
    let code = unsafe { libc::madvise(begin.cast(), length, libc::MADV_POPULATE_WRITE) };
    // Kernels before 5.14 do not support it, and no kernel accepts memory that does not begin with a page.
    code == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL)
}
