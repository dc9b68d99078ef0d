//! How fast this machine can read memory: the most that any sum of the same bytes can reach.

use parcrypt_cpu::Backend;
use parcrypt_runtime::Runtime;

use crate::{Error, dispatch, over_pieces};

/// A plan to read every byte once with the least arithmetic that still proves it.
///
/// Loads, order and pieces are those of [`Sum`](crate::Sum); an exclusive-or takes the place of the addition. A
/// benchmark of the sum runs this beside it in the same minutes and states the sum as a share of it.
///
/// ```
/// use parcrypt_runtime::Serial;
/// use parcrypt_sum::ReadLimit;
///
/// let limit = ReadLimit::new(None)?;
/// let data = [0xff, 0, 0, 0, 0, 0, 0, 0, 0x0f];
/// assert_eq!(limit.run(&Serial, &data), 0xff ^ 0x0f);
/// # Ok::<(), parcrypt_sum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReadLimit {
    kernel: dispatch::Kernel,
}

impl ReadLimit {
    /// The backends in this build, the same as those of the sum.
    pub const OFFERED: &[Backend] = &dispatch::OFFERED;

    /// Chooses the backend, as [`Sum::new`](crate::Sum::new) does.
    ///
    /// # Errors
    /// Those of [`Sum::new`](crate::Sum::new).
    pub fn new(forced: Option<Backend>) -> Result<Self, Error> {
        Ok(ReadLimit { kernel: dispatch::Kernel::choose(forced)? })
    }

    /// The backend that reads.
    pub fn backend(&self) -> Backend {
        self.kernel.backend()
    }

    /// The exclusive-or of all 64-bit little-endian words of `data`, the last one filled up with zero bytes.
    pub fn run(&self, rt: &dyn Runtime, data: &[u8]) -> u64 {
        over_pieces(rt, data, self.kernel.xor_cost(), |piece| self.kernel.xor(piece), |a, b| a ^ b)
    }
}
