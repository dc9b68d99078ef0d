//! Memory whose pages are there before the measured work begins.
#![allow(unsafe_code, reason = "madvise takes a pointer")]

use std::io;

const PAGE: usize = 4096;

/// Bytes that begin with a page and were touched.
#[derive(Debug)]
pub struct Pages {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Pages {
    /// Asks for so many bytes; `None` where there is no memory for them.
    pub fn new(length: usize) -> Option<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length.checked_add(PAGE)?).ok()?;
        bytes.resize(length + PAGE, 0);
        let begin = bytes.as_ptr().align_offset(PAGE);
        Some(Pages { bytes, begin, length })
    }

    /// The bytes.
    pub fn all(&self) -> &[u8] {
        &self.bytes[self.begin..self.begin + self.length]
    }

    /// The bytes.
    pub fn all_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..self.begin + self.length]
    }
}

/// Touches every page of `bytes`; false where a page cannot be had. Written to, such a page of shared memory would end the
/// process by a signal.
pub fn touch(bytes: &mut [u8]) -> bool {
    // SAFETY: the range is that of a slice that we have for ourselves, and the advice changes no byte of it.
    let code = unsafe { libc::madvise(bytes.as_mut_ptr().cast(), bytes.len(), libc::MADV_POPULATE_WRITE) };
    // Kernels before 5.14 do not know it, and no kernel takes memory that does not begin with a page.
    if code != 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
        return false;
    }
    bytes.fill(0);
    true
}
