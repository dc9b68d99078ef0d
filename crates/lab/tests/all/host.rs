//! The program around the lab, for tests of runs.

use parcrypt_lab::record::Params;
use parcrypt_lab::{CheckError, Host, OwnCandidate};

/// A host without candidates of its own.
pub(crate) struct Empty;

impl Host for Empty {
    fn command(&self, _: &OwnCandidate) -> Vec<String> {
        Vec::new()
    }
    fn can_use(&self, _: &OwnCandidate, _: usize) -> bool {
        true
    }
    fn check(&self, _: &OwnCandidate, _: &str, _: &Params, _: usize) -> Result<u64, CheckError> {
        Ok(0)
    }
    fn memory_available(&self) -> Option<u64> {
        Some(1 << 30)
    }
}
