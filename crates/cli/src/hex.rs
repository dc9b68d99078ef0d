//! Hexadecimal, by the crate base16ct: in constant time for a number of digits, because it may be secret.

use zeroize::{Zeroize, Zeroizing};

/// Why a text is not hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotHex {
    /// A character that is not a digit.
    NotADigit {
        /// Its index in the text, in bytes.
        at: usize,
        /// Its value.
        byte: u8,
    },
    /// Half of a byte is missing.
    Odd {
        /// The number of digits.
        digits: usize,
    },
}

/// Decodes a text, with or without `0x` before it and with white space after that. The result has one allocation, which the
/// caller can clear.
///
/// # Errors
/// The first character that is not a digit, or an odd number of digits.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, NotHex> {
    let begin = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
    let begin =
        if text[begin..].starts_with(b"0x") || text[begin..].starts_with(b"0X") { begin + 2 } else { begin };
    let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
    digits.extend(text[begin..].iter().filter(|byte| !byte.is_ascii_whitespace()));
    let mut bytes = vec![0; digits.len() / 2];
    if base16ct::mixed::decode(&digits[..], &mut bytes).is_ok() {
        return Ok(bytes);
    }
    bytes.zeroize();
    let other = |(_, byte): &(usize, &u8)| !byte.is_ascii_hexdigit() && !byte.is_ascii_whitespace();
    match text.iter().enumerate().skip(begin).find(other) {
        Some((at, byte)) => Err(NotHex::NotADigit { at, byte: *byte }),
        None => Err(NotHex::Odd { digits: digits.len() }),
    }
}
