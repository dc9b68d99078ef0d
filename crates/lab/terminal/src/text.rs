//! Text for users: output, wrapped paragraphs, sizes, plurals.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use parcrypt_protocol::escape::escaped;

pub use parcrypt_protocol::escape::on_one_line;

/// Writes a line to standard error, with control characters escaped; a closed one is ignored.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", escaped(line));
}

/// Returns lines that another program wrote, each on a line of its own after a mark, with control characters escaped.
pub fn quoted(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  | {}", on_one_line(line))).collect()
}

/// Returns a path for a terminal, with control characters escaped.
pub fn shown(path: &Path) -> String {
    on_one_line(&path.to_string_lossy())
}

/// Returns a size in the largest binary unit with a value of at least one: `1.3 TiB`, `512 bytes`.
pub fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.max(1).ilog2() / 10) as usize;
    let Some(unit) = power.checked_sub(1).and_then(|i| units.get(i)) else {
        return format!("{bytes} bytes");
    };
    let value = bytes as f64 / (1u64 << (10 * power)) as f64;
    // Two digits, or all digits before the point.
    let text = if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    format!("{} {unit}", text.trim_end_matches(".0"))
}

/// Returns a number with its noun: `1 entry`, `2 entries`, `3 bytes`.
pub fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// Returns minutes and seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

/// Returns a time with three digits: `13.6 ms`.
pub fn seconds(time: f64) -> String {
    let (value, unit) = match time {
        t if t < 1e-3 => (t * 1e6, "µs"),
        t if t < 1.0 => (t * 1e3, "ms"),
        t if t < 6000.0 => (t, "s"),
        t => (t / 3600.0, "h"),
    };
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {unit}")
}

/// Columns of a usual terminal.
const WIDTH: usize = 80;
/// Column of the text of a paragraph.
const INDENT: usize = 17;

/// Returns a label followed by a text, wrapped to 80 columns. A label that is too long has a line of its own; an
/// empty one continues the paragraph before.
pub fn paragraph(label: &str, text: &str) -> String {
    let mut lines = vec![format!("  {label}")];
    if label.chars().count() + 2 >= INDENT {
        lines.push(String::new());
    }
    let mut is_first = true;
    for word in text.split_whitespace() {
        let column = lines.last().map_or(0, |line| line.chars().count());
        if !is_first && column + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
            is_first = true;
        }
        if let Some(line) = lines.last_mut() {
            *line = if is_first { format!("{line:INDENT$}{word}") } else { format!("{line} {word}") };
        }
        is_first = false;
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_units() {
        let seconds_of = |s: u64| clock(Duration::from_secs(s));
        for (found, text) in [
            (counted(1, "entry"), "1 entry"),
            (counted(2, "entry"), "2 entries"),
            (counted(0, "byte"), "0 bytes"),
            (seconds_of(59), "59 s"),
            (seconds_of(61), "1 min 01 s"),
            (size(0), "0 bytes"),
            (size(1023), "1023 bytes"),
            (size(1024), "1 KiB"),
            (size(1536), "1.5 KiB"),
            (size(352 << 40), "352 TiB"),
            (size(336 << 32), "1.3 TiB"),
            (size(u64::MAX), "16 EiB"),
            (seconds(0.0000012), "1.20 µs"),
            (seconds(0.0136), "13.6 ms"),
            (seconds(0.9999), "1000 ms"),
            (seconds(1.0), "1.00 s"),
            (seconds(9.996), "10.0 s"),
            (seconds(123.4), "123 s"),
            (seconds(7200.0), "2.00 h"),
        ] {
            assert_eq!(found, text);
        }
    }

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
