//! Hexadecimal.

use crate::files::without_mark;

/// Reason why a text is not hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotHex {
    #[error("byte {at} is not a hexadecimal digit")]
    NotADigit { at: usize, byte: u8 },
    #[error("odd number of hexadecimal digits ({digits})")]
    Odd { digits: usize },
}

/// Decodes a text, with or without a byte order mark and `0x` at its start and with white space anywhere around that.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, NotHex> {
    let begin = text.len() - without_mark(text).trim_ascii_start().len();
    let begin =
        if text[begin..].starts_with(b"0x") || text[begin..].starts_with(b"0X") { begin + 2 } else { begin };
    let mut digits = Vec::with_capacity(text.len());
    for (at, byte) in
        text.iter().copied().enumerate().skip(begin).filter(|(_, byte)| !byte.is_ascii_whitespace())
    {
        if !byte.is_ascii_hexdigit() {
            return Err(NotHex::NotADigit { at, byte });
        }
        digits.push(byte);
    }
    base16ct::mixed::decode_vec(&digits).map_err(|_| NotHex::Odd { digits: digits.len() })
}
