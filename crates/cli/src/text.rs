//! Text for users: that of the commands of the lab, and JSON, wrapped paragraphs and hexadecimal.

use std::process::ExitCode;

pub(crate) use parlab::text::{Printed, counted, on_one_line, print, seconds, shown, size, tell};

use crate::error::fail;

/// [`print()`] for a JSON value, indented.
pub(crate) fn print_json(value: &serde_json::Value) -> ExitCode {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Printed::Json(&(text + "\n")).code(),
        Err(error) => fail(error),
    }
}

/// Columns of a usual terminal.
const WIDTH: usize = 80;
/// Column of the text of a paragraph.
const INDENT: usize = 17;

/// Returns a label with a text beside it, wrapped to 80 columns. A label that is too long has a line of its own; an
/// empty one continues the paragraph before.
pub(crate) fn paragraph(label: &str, text: &str) -> String {
    let mut all = format!("  {label}");
    let mut column = all.chars().count();
    if column >= INDENT {
        all.push('\n');
        column = 0;
    }
    let mut first = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !first && column + 1 + length > WIDTH {
            all.push('\n');
            (column, first) = (0, true);
        }
        let gap = if first { INDENT - column } else { 1 };
        all.extend(std::iter::repeat_n(' ', gap));
        all += word;
        column += gap + length;
        first = false;
    }
    all.push('\n');
    all
}

/// Returns the bytes in hexadecimal, in lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs() {
        let indent = " ".repeat(INDENT);
        assert_eq!(paragraph("sum", "The sum."), format!("  sum{}The sum.\n", &indent[5..]));
        assert_eq!(paragraph("", "more"), format!("{indent}more\n"));
        assert_eq!(paragraph("a-very-long-label", "text"), format!("  a-very-long-label\n{indent}text\n"));
        let long = "word ".repeat(40);
        let wrapped = paragraph("x", &long);
        assert!(wrapped.lines().all(|line| line.chars().count() <= WIDTH), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().count(), 41);
        let word = "w".repeat(100);
        assert_eq!(paragraph("x", &word).lines().count(), 1, "a long word is not cut");
    }
}
