//! The sum of the bytes of an array, and the fastest read of the same array: the yardsticks for memory bandwidth.
//!
//! ```
//! use parcrypt_cpu::Request;
//! use parcrypt_runtime::Serial;
//! use parcrypt_sum::Sum;
//!
//! let sum = Sum::new(Request::Auto)?;
//! assert_eq!(sum.run(&Serial, &[1, 2, 255]), 258);
//! println!("by {}", sum.backend());
//! # Ok::<(), parcrypt_sum::Error>(())
//! ```
//!
//! It depends on `parcrypt-cpu` and `parcrypt-runtime` only. Add an instruction set as a file in `arch` and a row in
//! `dispatch`; the tests find it there.
//!
//! `docs/explanation/sum.md` describes how it works, what limits its speed and what was tried.

mod arch;
mod costs;
mod dispatch;

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::{Cost, Runtime, map_reduce};

/// Bytes of a piece, which one thread sums at a time; shorter data does not use the runtime.
///
/// It is the smallest power of two that loses no speed from memory, where a piece takes 26 µs; see
/// docs/explanation/sum.md.
pub const GRAIN: usize = 1 << 20;

/// The reason why a plan could not be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The requested backend is not offered or not available.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
}

/// A plan for the sum of bytes, and for the fastest read of them: the row that computes it.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    kernel: &'static Row<dispatch::Kernel>,
}

impl Sum {
    /// Returns the backends of this build, in rising order of preference; the machine may not have them all.
    pub fn backends() -> Vec<Backend> {
        dispatch::ROWS.backends()
    }

    /// Returns a plan with the requested backend.
    ///
    /// # Errors
    /// [`Error::Backend`] if the requested backend is not offered or not available.
    pub fn new(request: Request) -> Result<Self, Error> {
        Ok(Sum { kernel: dispatch::ROWS.select(request)? })
    }

    /// Returns the backend that computes the sum.
    pub fn backend(&self) -> Backend {
        self.kernel.backend()
    }

    /// Returns the sum of all bytes of `data` modulo 2^64; below 2^56 bytes that is the sum itself, since each byte
    /// is at most 255 and 255 · 2^56 < 2^64.
    ///
    /// The data is cut into pieces of [`GRAIN`] bytes and goes parallel if that pays, from 40 MiB on with vectors.
    /// The time is bounded by reading the memory, see [`Sum::xor`]; 4 KiB from the nearest cache cost about 15 ns with
    /// AVX-512.
    pub fn run(&self, rt: &dyn Runtime, data: &[u8]) -> u64 {
        over_pieces(rt, data, self.kernel.sum_ns, |piece| self.kernel.functions.sum(piece), u64::wrapping_add)
    }

    /// Returns the exclusive-or of all 64-bit little-endian words of `data`, the last one padded with zero bytes: it
    /// reads every byte once, with the least arithmetic that still proves it.
    ///
    /// Loads, order and pieces are the same as in [`Sum::run`]. A benchmark of the sum runs this in the same minutes
    /// and states the sum as a share of its speed, the upper bound of any sum.
    pub fn xor(&self, rt: &dyn Runtime, data: &[u8]) -> u64 {
        over_pieces(rt, data, self.kernel.xor_ns, |piece| self.kernel.functions.xor(piece), |a, b| a ^ b)
    }
}

/// Combines the results of `of` for the pieces of [`GRAIN`] bytes, in index order; for data of one piece calls `of`
/// directly.
fn over_pieces(
    rt: &dyn Runtime,
    data: &[u8],
    piece_ns: u64,
    of: impl Fn(&[u8]) -> u64 + Sync,
    combine: fn(u64, u64) -> u64,
) -> u64 {
    if data.len() <= GRAIN {
        return of(data);
    }
    let piece = |i: usize| {
        let start = i * GRAIN;
        of(&data[start..data.len().min(start + GRAIN)])
    };
    // There are at least two pieces, so the zero is never used.
    map_reduce(rt, data.len().div_ceil(GRAIN), Cost::ns(piece_ns), piece, combine).unwrap_or(0)
}
