//! Hexadecimal texts, as people write them.

/// Why a text is not hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotHex {
    /// A character that is none of the digits.
    NotADigit {
        /// Its place, in bytes.
        at: usize,
        /// What stands there.
        byte: u8,
    },
    /// Half of a byte is missing.
    Odd {
        /// How many digits there are.
        digits: usize,
    },
}

/// Bytes of a hexadecimal text, with or without `0x` before it and with white space anywhere behind that. They are
/// written to one allocation, so that whoever reads secrets can clear it.
///
/// # Errors
/// The first character that is no digit, or an odd number of digits.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, NotHex> {
    let begin = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
    let begin =
        if text[begin..].starts_with(b"0x") || text[begin..].starts_with(b"0X") { begin + 2 } else { begin };
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut digits = 0;
    let mut high = 0;
    for (at, &byte) in text.iter().enumerate().skip(begin).filter(|(_, byte)| !byte.is_ascii_whitespace()) {
        let digit = char::from(byte).to_digit(16).ok_or(NotHex::NotADigit { at, byte })? as u8;
        if digits % 2 == 0 {
            high = digit << 4
        } else {
            bytes.push(high | digit)
        }
        digits += 1;
    }
    if digits % 2 == 1 { Err(NotHex::Odd { digits }) } else { Ok(bytes) }
}
