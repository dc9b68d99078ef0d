//! Text that another program wrote, made safe for a terminal.

/// Returns an untrusted text for a terminal: a control character other than a line end or a tab, and one that changes
/// the direction of the text after it, is written as in Rust, such as `\u{1b}`.
///
/// ```
/// assert_eq!(parcrypt_protocol::escape::escaped("a\u{1b}[31m\r\n"), "a\\u{1b}[31m\\r\n");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) && c != '\n' && c != '\t' {
            true if c.is_control() => out.extend(c.escape_default()),
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out
}

/// Returns an untrusted text on one line of a terminal: as [`escaped`], with line ends and tabs as `\n` and `\t`.
///
/// ```
/// assert_eq!(parcrypt_protocol::escape::on_one_line("a\u{1b}[2Jb\n\tc\u{202e}"), "a\\u{1b}[2Jb\\n\\tc\\u{202e}");
/// ```
pub fn on_one_line(text: &str) -> String {
    escaped(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns JSON for a terminal: the same value, with the characters that [`escaped`] replaces in the escapes of JSON.
/// Serializers write those below U+0020 so, but not DEL, the control characters of ISO 8859, and marks of direction.
///
/// ```
/// assert_eq!(parcrypt_protocol::escape::escaped_json("[\"\u{9b}2J\"]\n"), "[\"\\u009b2J\"]\n");
/// ```
pub fn escaped_json(json: &str) -> String {
    let escape = |c: char| match is_hidden(c) && !matches!(c, '\n' | '\r' | '\t') {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    match json.chars().any(is_hidden) {
        true => json.chars().map(escape).collect(),
        false => json.to_string(),
    }
}

/// Returns whether a character is a control character or changes the direction of the text after it.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
