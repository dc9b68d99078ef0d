//! Known answers: inputs that are easy to generate in any language, and the digests of the outputs of independent
//! implementations.

use parcrypt_protocol::Params;
use sha2::{Digest, Sha256};

use super::params::parse;

pub(crate) const KNOWN_ANSWERS: &str = include_str!("known-answers");

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) params: Params,
    pub(crate) input: Stream,
    /// SHA-256 of the canonical bytes of the output, in hexadecimal.
    pub(crate) sha256: &'static str,
}

/// Returns the answers of a workload in a text like [`KNOWN_ANSWERS`].
pub(crate) fn known(answers: &'static str, workload: &str) -> Vec<Known> {
    let known = |line: &'static str| {
        let (input, line) = line.strip_prefix(workload)?.strip_prefix(' ')?.split_once(' ')?;
        let input = input.parse().map_or(Stream::Hashes, Stream::Byte);
        let (sha256, params) = line.split_once(' ').unwrap_or((line, ""));
        Some(Known { params: parse(params), input, sha256 })
    };
    answers.lines().filter_map(known).collect()
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// SHA-256 of the numbers 0, 1, 2, … as 8 bytes little-endian, one after the other, cut to length.
    Hashes,
    Byte(u8),
}

impl Stream {
    pub(crate) fn bytes(self, len: usize) -> Vec<u8> {
        match self {
            Stream::Byte(byte) => vec![byte; len],
            Stream::Hashes => {
                (0..len.div_ceil(32) as u64).flat_map(|i| Sha256::digest(i.to_le_bytes())).take(len).collect()
            }
        }
    }
}

/// Checks that the known answers of a workload are the digests of the bytes that `compute` returns for their inputs.
#[cfg(test)]
pub(crate) fn assert_known_answers(
    workload: &super::Workload,
    compute: impl Fn(&super::params::Values, &[u8]) -> Vec<u8>,
) {
    for known in known(KNOWN_ANSWERS, workload.name) {
        let values = workload.values(&known.params).unwrap();
        let output = compute(&values, &known.input.bytes((workload.input_bytes)(&values) as usize));
        assert_eq!(crate::text::hex(&Sha256::digest(output)), known.sha256, "{known:?}");
    }
}
