//! The parameters, checked.

use crate::Error;

/// Bytes of a block of Salsa20/8.
pub(crate) const BLOCK: u64 = 64;

/// The cost of a key: N, r and p of RFC 7914, checked as in its section 2.
///
/// ```
/// use parcrypt_scrypt::{Error, Params};
/// let params = Params::new(1 << 17, 8, 4)?;
/// assert_eq!(params.memory() >> 20, 128);
/// assert_eq!(Params::new(1000, 8, 1), Err(Error::N { n: 1000, r: 8 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    n: u64,
    r: u32,
    p: u32,
}

impl Params {
    /// Returns the parameters N, the cost in time and memory; r, the block size in 128 bytes; p, the number of lanes.
    ///
    /// # Errors
    /// - [`Error::BlocksAndLanes`] if r or p is 0, or r·p is not below 2^30.
    /// - [`Error::N`] if N is not a power of two from 2 on.
    /// - [`Error::NBeyondRfc`] if N is not below 2^(128·r/8); [`Params::allow_n_beyond_rfc`] accepts it.
    /// - [`Error::AddressSpace`] if 128·r·(N + 3) bytes are more than this machine can address.
    pub fn new(n: u64, r: u32, p: u32) -> Result<Self, Error> {
        let params = Params::allow_n_beyond_rfc(n, r, p);
        // From r = 4 on every N of 64 bits is below 2^(16 r).
        let is_beyond = r < 4 && n >> (16 * r) != 0;
        match params {
            Ok(_) | Err(Error::AddressSpace { .. }) if is_beyond => Err(Error::NBeyondRfc { n, r }),
            params => params,
        }
    }

    /// Returns the parameters without the bound N < 2^(128·r/8) of RFC 7914, section 2.
    ///
    /// Some programs and files ignore it: the published test vector of Ethereum's key files has N = 2^18 with r = 1.
    /// The key is the one that the algorithm of section 6 gives, as in those programs. All other bounds apply.
    ///
    /// ```
    /// use parcrypt_scrypt::{Error, Params};
    /// assert_eq!(Params::new(1 << 18, 1, 8), Err(Error::NBeyondRfc { n: 1 << 18, r: 1 }));
    /// assert!(Params::allow_n_beyond_rfc(1 << 18, 1, 8).is_ok());
    /// ```
    ///
    /// # Errors
    /// Errors of [`Params::new`], except [`Error::NBeyondRfc`].
    pub fn allow_n_beyond_rfc(n: u64, r: u32, p: u32) -> Result<Self, Error> {
        if r == 0 || p == 0 || u64::from(r) * u64::from(p) >= 1 << 30 {
            return Err(Error::BlocksAndLanes { r, p });
        }
        if n < 2 || !n.is_power_of_two() {
            return Err(Error::N { n, r });
        }
        let needed = 2 * u128::from(BLOCK) * u128::from(r) * (u128::from(n) + 3);
        // A slice has at most isize::MAX bytes.
        if isize::try_from(needed).is_err() {
            return Err(Error::AddressSpace { n, r, needed });
        }
        Ok(Params { n, r, p })
    }

    /// Returns N: the number of steps of each of a lane's two passes, and of rows of its memory.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Returns r: a row has 128·r bytes.
    pub fn r(&self) -> u32 {
        self.r
    }

    /// Returns p: the number of lanes, which are independent of each other.
    pub fn p(&self) -> u32 {
        self.p
    }

    /// Returns the bytes of one lane that count against a plan's bound: its rows, 128·r·N. Below N = 2^10, where the
    /// rows that a lane works on would add more than 0.5 %, they count too.
    pub fn memory(&self) -> u64 {
        self.row_bytes() * (self.n + if self.counts_all() { 3 } else { 0 })
    }

    /// Returns whether the rows that a lane works on count too.
    pub(crate) fn counts_all(&self) -> bool {
        self.n < 1 << 10
    }

    /// Returns the bytes of a row: 128·r.
    pub(crate) fn row_bytes(&self) -> u64 {
        2 * BLOCK * u64::from(self.r)
    }

    /// Returns the blocks of a row: 2·r. It fits, because [`Params::new`] has checked that all of a lane's rows do.
    pub(crate) fn row_blocks(&self) -> usize {
        2 * self.r as usize
    }

    /// Returns N; see [`Params::row_blocks`].
    pub(crate) fn rows(&self) -> usize {
        self.n as usize
    }
}
