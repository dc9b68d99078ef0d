//! Text for users: what both commands have, JSON and hexadecimal.

use std::process::ExitCode;

pub(crate) use parcrypt_terminal::print::{Printed, print};
pub(crate) use parcrypt_terminal::text::{counted, paragraph, seconds, shown, size, tell};

use crate::error::fail;

/// [`print()`] for a JSON value, indented.
pub(crate) fn print_json(value: &serde_json::Value) -> ExitCode {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Printed::Json(&(text + "\n")).code(),
        Err(error) => fail(error),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

pub(crate) const WIDTH: usize = 80;

/// Returns the text with at most `most` characters: without a remark in parentheses at its end, or cut between words.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches('.');
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let text = if text.ends_with(')') { text.rsplit_once(" (").map_or(text, |(text, _)| text) } else { text };
    let mut left = String::new();
    for word in text.split(' ') {
        // One character is for the ellipsis.
        if left.chars().count() + 1 + word.chars().count() > most - 1 {
            return left.trim_end_matches([',', ':']).to_owned() + "…";
        }
        if !left.is_empty() {
            left.push(' ');
        }
        left += word;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_words() {
        assert_eq!(cut("A sum of numbers.", 20), "A sum of numbers");
        assert_eq!(cut("A sum of numbers (EIP-1).", 17), "A sum of numbers");
        assert_eq!(cut("A sum of many, many numbers", 16), "A sum of many…");
    }
}
