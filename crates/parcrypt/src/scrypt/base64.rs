//! Base64 in the dialects of other programs.

use base64ct::{Base64Unpadded, Encoding};
use zeroize::Zeroizing;

use super::password::Secret;

/// Decodes Base64 in the alphabet of RFC 4648, section 4 or 5, with padding or without, and with white space anywhere:
/// `base64` and `openssl` break lines, and most programs for the web leave out the padding. Returns `None` for other
/// texts; no error repeats a part of the text, which may be secret.
pub(super) fn decode(text: &[u8]) -> Option<Secret> {
    let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
    digits.extend(text.iter().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => *byte,
    }));
    let padding = digits.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 || padding > 0 && !digits.len().is_multiple_of(4) {
        return None;
    }
    let digits = &digits[..digits.len() - padding];
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 4 * 3 + 3]);
    let len = Base64Unpadded::decode(digits, &mut bytes).ok()?.len();
    bytes.truncate(len);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_and_errors() {
        for text in ["-_-_Dw==", "+/+/Dw", "+/+/\nDw==\n", " -_-_Dw "] {
            assert_eq!(decode(text.as_bytes()).unwrap()[..], [0xfb, 0xff, 0xbf, 0x0f], "{text}");
        }
        assert_eq!(decode(b"").unwrap().len(), 0);
        // Wrong padding, a character of no alphabet, bits that are lost, and an impossible length.
        for text in ["Dw=", "Dw===", "+/+/Dw=", "D=w=", "Dw.=", "Dx==", "D", "xyz!"] {
            assert!(decode(text.as_bytes()).is_none(), "{text}");
        }
    }
}
