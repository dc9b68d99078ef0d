//! The error of this crate.

/// The reason why no key was derived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each field is in its variant's text")]
pub enum Error {
    /// The requested backend is not offered or not available.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// N is not a power of two above 1 (RFC 7914, section 2).
    #[error("N = {n} with r = {r}: N must be a power of two from 2 on")]
    N { n: u64, r: u32 },
    /// N is not below 2^(16·r) (RFC 7914, section 2), and [`Params::allow_n_beyond_rfc`] was not used.
    ///
    /// [`Params::allow_n_beyond_rfc`]: crate::Params::allow_n_beyond_rfc
    #[error("N = {n} with r = {r}: RFC 7914 requires N below 2^(16 r); allow_n_beyond_rfc lifts this limit")]
    NBeyondRfc { n: u64, r: u32 },
    /// r or p is 0, or their product is not below 2^30 (RFC 7914, section 2).
    #[error("r = {r}, p = {p}: both must be at least 1 and their product below 2^30")]
    BlocksAndLanes { r: u32, p: u32 },
    /// A lane would need more bytes than an address can reach.
    #[error("N = {n}, r = {r}: a lane takes {needed} bytes, more than this machine can address")]
    AddressSpace { n: u64, r: u32, needed: u128 },
    /// A key has from 1 to 32·(2^32 − 1) bytes (RFC 7914, section 2).
    #[error("a key of {len} bytes: it must have from 1 to 137438953440")]
    KeyLength { len: usize },
    /// The `len` bytes of output do not divide into one key for each of the `items`.
    #[error("{len} bytes of output for {items} keys: all keys have the same length")]
    Outputs { items: usize, len: usize },
    /// One lane alone needs more bytes than the plan's bound.
    #[error("scrypt needs {needed} bytes of memory for one lane, and may use {bound}")]
    Memory { needed: u64, bound: u64 },
    /// The system refused the memory, although it is within the bound.
    #[error("the system does not give {bytes} bytes of memory")]
    Allocation { bytes: u64 },
    /// The watcher stopped the derivation.
    #[error("stopped before the end")]
    Stopped,
}
