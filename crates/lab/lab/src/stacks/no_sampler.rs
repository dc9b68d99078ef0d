//! The sampler if there is none: on another system than Linux, or an architecture whose stacks are not unwound here.

use super::{Sampled, Whose};
use crate::process_tree::ProcessTree;

/// Why nothing was sampled.
#[derive(Debug, thiserror::Error)]
pub(super) enum SamplerError {
    /// There is no sampler.
    #[error("the lab samples stacks only on Linux, on x86-64 and 64-bit Arm")]
    Missing,
}

/// A sampler that samples nothing.
#[derive(Debug)]
pub(super) struct Sampler;

impl Sampler {
    /// Does nothing.
    pub(super) fn begin(_: ProcessTree, _: Whose) -> Self {
        Sampler
    }

    /// Returns `true`: there is nothing to wait for.
    pub(super) fn has_looked(&self, _: u64) -> bool {
        true
    }

    /// Returns why there are no stacks.
    pub(super) fn end(self) -> Result<Sampled, SamplerError> {
        Err(SamplerError::Missing)
    }
}
