//! A place to run plans without a program of its own, for tests of runs.

use std::num::NonZeroUsize;

use parcrypt_lab::plan::Here;

/// Returns the place, with 1 GiB of memory.
pub(crate) fn here(cores: NonZeroUsize) -> Here<'static> {
    Here { cores, memory: Some(1 << 30), program: None, check: &|_| Ok(None) }
}
