//! The sum of the bytes of an array, and the fastest way to read the same array: the yardsticks for memory.
//!
//! It must not know how threads are made: work is cut here and handed to a [`Runtime`].
//! Add an instruction set as a file in `arch` and a row in `dispatch`; the tests find it there.
//!
//! ```
//! use parcrypt_runtime::Serial;
//! use parcrypt_sum::Sum;
//!
//! let sum = Sum::new(None)?;
//! assert_eq!(sum.run(&Serial, &[1, 2, 255]), 258);
//! println!("by {}", sum.backend());
//! # Ok::<(), parcrypt_sum::Error>(())
//! ```
#![doc = include_str!("../NOTES.md")]

mod arch;
mod dispatch;
mod limit;
mod scalar;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Runtime, map_reduce};

pub use limit::ReadLimit;

/// Bytes of a piece that one thread takes at a time; shorter data never reaches the runtime.
///
/// It is the smallest power of two that loses no speed from memory, where a piece takes 26 µs; see the notes above.
pub const GRAIN: usize = 1 << 20;

/// Why there is no plan for a sum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend that was asked for cannot be had.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
}

/// A plan for the sum of bytes: which backend computes it.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    kernel: dispatch::Kernel,
}

impl Sum {
    /// The backends in this build, in rising order of preference; the machine may not have them all.
    pub const OFFERED: &[Backend] = &dispatch::OFFERED;

    /// Chooses the backend: the `forced` one, or else the one that `PARCRYPT_BACKEND` forces, or else the best here.
    ///
    /// # Errors
    /// [`Error::Backend`] where the forced backend is not offered or not available, or the variable holds no name.
    pub fn new(forced: Option<Backend>) -> Result<Self, Error> {
        Ok(Sum { kernel: dispatch::Kernel::choose(forced)? })
    }

    /// The backend that computes the sum.
    pub fn backend(&self) -> Backend {
        self.kernel.backend()
    }

    /// The sum of all bytes of `data`, modulo 2^64; below 2^56 bytes that is the sum itself, since each byte is at
    /// most 255 and 255 · 2^56 < 2^64.
    ///
    /// It is cut into pieces of [`GRAIN`] bytes and goes parallel where that pays, from 40 MiB on with vectors. The time is
    /// that of reading the memory, see [`ReadLimit`]; 4 KiB from the nearest cache cost about 15 ns with AVX-512.
    pub fn run(&self, rt: &dyn Runtime, data: &[u8]) -> u64 {
        over_pieces(rt, data, self.kernel.sum_cost(), |piece| self.kernel.sum(piece), u64::wrapping_add)
    }
}

/// Combines what `of` gives for each piece of [`GRAIN`] bytes, in order; short data goes to `of` as it is.
fn over_pieces(
    rt: &dyn Runtime,
    data: &[u8],
    cost: Cost,
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
    // There are at least two pieces, so that the zero is never taken.
    map_reduce(rt, data.len().div_ceil(GRAIN), cost, piece, combine).unwrap_or(0)
}
