//! The speed at which this machine reads memory: the upper bound of any sum of the same bytes.

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::Runtime;

use crate::{Error, dispatch, over_pieces};

/// A plan that reads every byte once, with the least arithmetic that still proves it.
///
/// Loads, order and pieces are the same as in [`Sum`](crate::Sum); an exclusive-or replaces the addition. A benchmark
/// of the sum runs this in the same minutes and states the sum as a share of it.
///
/// ```
/// use parcrypt_cpu::Request;
/// use parcrypt_runtime::Serial;
/// use parcrypt_sum::ReadLimit;
///
/// let limit = ReadLimit::new(Request::Auto)?;
/// let data = [0xff, 0, 0, 0, 0, 0, 0, 0, 0x0f];
/// assert_eq!(limit.run(&Serial, &data), 0xff ^ 0x0f);
/// # Ok::<(), parcrypt_sum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReadLimit {
    kernel: &'static Row<dispatch::Kernel>,
}

impl ReadLimit {
    /// Returns the backends of this build, the same as those of the sum.
    pub fn backends() -> Vec<Backend> {
        dispatch::ROWS.backends()
    }

    /// Returns a plan with the requested backend, as [`Sum::new`](crate::Sum::new) does.
    ///
    /// # Errors
    /// Errors of [`Sum::new`](crate::Sum::new).
    pub fn new(request: Request) -> Result<Self, Error> {
        Ok(ReadLimit { kernel: dispatch::ROWS.select(request)? })
    }

    /// Returns the backend that reads.
    pub fn backend(&self) -> Backend {
        self.kernel.backend()
    }

    /// Returns the time for a piece of [`GRAIN`](crate::GRAIN) bytes in the last cache, in ns.
    fn piece_ns(&self) -> u64 {
        self.kernel.xor_ns
    }

    /// Returns the exclusive-or of all 64-bit little-endian words of `data`, the last one padded with zero bytes.
    pub fn run(&self, rt: &dyn Runtime, data: &[u8]) -> u64 {
        over_pieces(rt, data, self.piece_ns(), |piece| self.kernel.functions.xor(piece), |a, b| a ^ b)
    }
}
