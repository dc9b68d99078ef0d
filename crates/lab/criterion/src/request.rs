//! The requests of the lab, in the form in which it writes those of docs/reference/protocol.md: the parlab that built
//! this suite sends them.

/// A request.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    /// Get ready to measure the benchmark of this name.
    Prepare(String),
    /// Do this many iterations.
    Sample(u64),
    Digest,
    Quit,
}

/// Returns the number of a request and what it asks; `None` for another line.
pub(crate) fn parse(line: &str) -> Option<(u64, Request)> {
    let (id, request) = line.trim_end().strip_prefix("{\"id\":")?.strip_suffix("}}")?.split_once(",\"")?;
    let (kind, fields) = request.split_once("\":{")?;
    let request = match kind {
        "prepare" => Request::Prepare(text(fields.strip_prefix("\"protocol\":2,\"workload\":\"")?)?),
        "sample" => {
            let iterations = fields.strip_prefix("\"iterations\":")?.parse().ok()?;
            Some(Request::Sample(iterations)).filter(|_| iterations > 0)?
        }
        "digest" if fields.is_empty() => Request::Digest,
        "quit" if fields.is_empty() => Request::Quit,
        _ => return None,
    };
    Some((id.parse().ok()?, request))
}

/// Returns the text of a JSON string after its first quote, and what follows it is not read.
fn text(json: &str) -> Option<String> {
    let (mut out, mut chars) = (String::new(), json.chars());
    loop {
        out.push(match chars.next()? {
            '"' => return Some(out),
            '\\' => match chars.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => (0..4)
                    .try_fold(0, |code, _| Some(16 * code + chars.next()?.to_digit(16)?))
                    .and_then(char::from_u32)?,
                c => c,
            },
            c => c,
        });
    }
}

/// Returns a text as JSON, with its quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_nothing_else() {
        let prepare =
            r#"{"id":7,"prepare":{"protocol":2,"workload":"a/\"µ\u001f\n","params":{},"threads":1}}"#;
        assert_eq!(parse(prepare), Some((7, Request::Prepare("a/\"µ\u{1f}\n".to_owned()))));
        assert_eq!(parse("{\"id\":7,\"sample\":{\"iterations\":3}}\n"), Some((7, Request::Sample(3))));
        assert_eq!(parse(r#"{"id":7,"digest":{}}"#), Some((7, Request::Digest)));
        assert_eq!(parse(r#"{"id":7,"quit":{}}"#), Some((7, Request::Quit)));
        for line in [
            "",
            "7",
            "{}",
            r#"{"id":-1,"quit":{}}"#,
            r#"{"id":1,"jump":{}}"#,
            r#"{"id":1,"quit":{"now":1}}"#,
            r#"{"id":1,"sample":{"iterations":0}}"#,
            r#"{"id":1,"sample":{"iterations":1.5}}"#,
            r#"{"id":1,"prepare":{"protocol":3,"workload":"a","params":{},"threads":1}}"#,
            r#"{"id":1,"prepare":{"protocol":2,"workload":"\u12","params":{},"threads":1}}"#,
            r#"{"id":1,"prepare":{"protocol":2,"workload":"a}}"#,
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn texts_come_back_from_their_json() {
        for all in ["", "group/f/1", "\"\\\u{0}\n\t\u{1f}\u{7f}", "µ 𝛼 \u{202e}", "/"] {
            assert_eq!(text(&quoted(all)[1..]).as_deref(), Some(all));
        }
    }
}
