//! Hexadecimal, by the crate base16ct: in constant time for a given number of digits, because the value may be secret.

use zeroize::{Zeroize, Zeroizing};

/// Reason why a text is not hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotHex {
    /// A character that is not a digit.
    NotADigit {
        /// Offset in the text, in bytes.
        at: usize,
        /// Value of the character.
        byte: u8,
    },
    /// The number of digits is odd.
    Odd { digits: usize },
}

/// Decodes a text, with or without `0x` at its start and with white space anywhere after that. The result has one
/// allocation, which the caller can clear.
///
/// # Errors
/// [`NotHex`]: the first character that is not a digit, or an odd number of digits.
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
