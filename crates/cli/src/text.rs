//! Text for people: what is printed, wrapped paragraphs, sizes, plurals.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::error::fail;

/// Writes a line to standard error; where that is closed, nobody is left to be told.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A path for people: without characters that would move the cursor.
pub(crate) fn shown(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

/// Writes the whole text to standard output. A reader that has seen enough, as `head`, is no error.
pub(crate) fn print(text: &str) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(format_args!("standard output: {error}")),
        _ => ExitCode::SUCCESS,
    }
}

/// [`print()`] for a JSON value, indented.
pub(crate) fn print_json(value: &serde_json::Value) -> ExitCode {
    match serde_json::to_string_pretty(value) {
        Ok(text) => print(&(text + "\n")),
        Err(error) => fail(error),
    }
}

/// Columns of a terminal that nobody has made larger.
const WIDTH: usize = 80;
/// Where the text of a paragraph begins.
const INDENT: usize = 17;

/// A label with a text beside it, wrapped to 80 columns. A label that is too long stands on a line of its own; an empty
/// one continues the paragraph before.
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
