//! Known answers: inputs that are easy to generate in any language, and the digests of the outputs of independent
//! implementations.

use sha2::{Digest, Sha256};

/// A known answer: the digest of the output of an independent implementation.
#[derive(Debug)]
pub(crate) struct Known {
    /// The parameters, in the form of `params::parse`.
    pub(crate) params: &'static str,
    /// The bytes of the input.
    pub(crate) input: Stream,
    /// SHA-256 of the canonical bytes of the output, in hexadecimal.
    pub(crate) sha256: &'static str,
}

/// Returns known answers from lines `INPUT "PARAMS" SHA256;`, where INPUT is `hashes` or the value of a byte.
macro_rules! known {
    (@ hashes) => { $crate::workload::Stream::Hashes };
    (@ $byte:literal) => { $crate::workload::Stream::Byte($byte) };
    ($($input:tt $params:literal $sha256:tt;)*) => {
        &[$($crate::workload::Known { params: $params, input: known!(@ $input), sha256: $sha256 }),*]
    };
}
pub(crate) use known;

/// An input that is easy to generate in any language.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// SHA-256 of the numbers 0, 1, 2, … as 8 bytes little-endian, one after the other, cut to length.
    Hashes,
    /// The same byte, repeated.
    Byte(u8),
}

impl Stream {
    /// Returns the first `len` bytes.
    pub(crate) fn bytes(self, len: usize) -> Vec<u8> {
        match self {
            Stream::Byte(byte) => vec![byte; len],
            Stream::Hashes => {
                let mut bytes = Vec::with_capacity(len.next_multiple_of(32));
                for i in 0..len.div_ceil(32) as u64 {
                    bytes.extend_from_slice(&Sha256::digest(i.to_le_bytes()));
                }
                bytes.truncate(len);
                bytes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hex;

    #[test]
    fn streams_are_as_documented() {
        // python3 -c "import hashlib; print(hashlib.sha256(bytes(8)).hexdigest())"
        let first = "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc";
        assert_eq!(hex(&Stream::Hashes.bytes(32)), first);
        for len in [0, 1, 31, 33, 64] {
            let bytes = Stream::Hashes.bytes(len);
            assert_eq!((bytes.len(), &bytes[..len.min(32)]), (len, &Stream::Hashes.bytes(32)[..len.min(32)]));
        }
        assert_eq!(Stream::Byte(7).bytes(3), [7, 7, 7]);
    }
}
