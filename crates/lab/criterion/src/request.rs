//! The requests of the lab, which docs/reference/protocol.md specifies, in JSON of objects, texts and whole numbers.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// The version of the protocol.
const PROTOCOL: u64 = 2;

/// A request.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    /// Get ready to measure the benchmark of this name.
    Prepare(String),
    /// Do this many iterations.
    Sample(u64),
    Digest,
    Quit,
    /// `check` or `describe`, which a suite does not support.
    Other,
}

/// A line that is no request.
#[derive(Debug, PartialEq)]
pub(crate) enum RequestError {
    /// It is no JSON, or has a value that no request has.
    Json,
    /// A field that is missing, or has another value than it can have.
    Field(&'static str),
    /// A field that no request has, or more than one kind of request.
    Unknown(String),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Json => f.write_str("no JSON of objects, texts and whole numbers"),
            RequestError::Field(name) => write!(f, "`{name}` is missing or wrong"),
            RequestError::Unknown(name) => write!(f, "unknown field `{name}`"),
        }
    }
}

/// A value of a request.
enum Value {
    Number(u64),
    Text(String),
    Object(Fields),
}

/// The fields of an object that were not read yet.
struct Fields(Vec<(String, Value)>);

impl Fields {
    fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.0.iter().position(|(other, _)| other == name)?;
        Some(self.0.swap_remove(index).1)
    }

    fn number(&mut self, name: &'static str) -> Result<u64, RequestError> {
        match self.take(name) {
            Some(Value::Number(number)) => Ok(number),
            _ => Err(RequestError::Field(name)),
        }
    }

    fn end(self) -> Result<(), RequestError> {
        self.0.into_iter().next().map_or(Ok(()), |(name, _)| Err(RequestError::Unknown(name)))
    }
}

/// Returns the number of a request and what it asks.
///
/// # Errors
/// [`RequestError`].
pub(crate) fn parse(line: &str) -> Result<(u64, Request), RequestError> {
    let mut text = line.trim().chars().peekable();
    let Some(Value::Object(mut request)) = value(&mut text, 4) else { return Err(RequestError::Json) };
    if text.next().is_some() {
        return Err(RequestError::Json);
    }
    let id = request.number("id")?;
    let (kind, value) = request.0.pop().ok_or(RequestError::Field("kind"))?;
    request.end()?;
    let Value::Object(mut fields) = value else { return Err(RequestError::Unknown(kind)) };
    let request = match kind.as_str() {
        "prepare" => prepare(&mut fields)?,
        "sample" => match fields.number("iterations")? {
            0 => return Err(RequestError::Field("iterations")),
            iterations => Request::Sample(iterations),
        },
        "digest" => Request::Digest,
        "quit" => Request::Quit,
        "check" | "describe" => return Ok((id, Request::Other)),
        _ => return Err(RequestError::Unknown(kind)),
    };
    fields.end()?;
    Ok((id, request))
}

fn prepare(fields: &mut Fields) -> Result<Request, RequestError> {
    if fields.number("protocol")? != PROTOCOL {
        return Err(RequestError::Field("protocol"));
    }
    let Some(Value::Text(workload)) = fields.take("workload") else {
        return Err(RequestError::Field("workload"));
    };
    fields.number("threads")?;
    // A benchmark reads no input of the lab, and has no parameter but the name of its program, if another one has a
    // benchmark of its name.
    if let Some(Value::Object(mut params)) = fields.take("params") {
        params.take("target");
        params.end()?;
    }
    Ok(Request::Prepare(workload))
}

/// Returns the value that comes next, and white space after it, in objects in at most `depth` others.
fn value(text: &mut Peekable<Chars<'_>>, depth: u32) -> Option<Value> {
    let found = match text.peek()? {
        '{' => Value::Object(Fields(object(text, depth.checked_sub(1)?)?)),
        '"' => Value::Text(string(text)?),
        _ => {
            let mut digits = String::new();
            while let Some(digit) = text.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            Value::Number(digits.parse().ok()?)
        }
    };
    space(text);
    Some(found)
}

fn space(text: &mut Peekable<Chars<'_>>) {
    while text.next_if(|c| c.is_ascii_whitespace()).is_some() {}
}

fn object(text: &mut Peekable<Chars<'_>>, depth: u32) -> Option<Vec<(String, Value)>> {
    let mut fields = Vec::new();
    text.next();
    space(text);
    while text.next_if_eq(&'}').is_none() {
        if !fields.is_empty() {
            text.next_if_eq(&',')?;
            space(text);
        }
        let name = string(text)?;
        space(text);
        text.next_if_eq(&':')?;
        space(text);
        fields.push((name, value(text, depth)?));
    }
    Some(fields)
}

fn string(text: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut out = String::new();
    text.next_if_eq(&'"')?;
    loop {
        out.push(match text.next()? {
            '"' => return Some(out),
            '\\' => match text.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                // The lab writes no pairs of surrogates.
                'u' => (0..4)
                    .try_fold(0, |code, _| Some(16 * code + text.next()?.to_digit(16)?))
                    .and_then(char::from_u32)?,
                c @ ('"' | '\\' | '/') => c,
                _ => return None,
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
    fn requests_are_read_and_other_lines_say_why() {
        let prepare = |name: &str| Ok((7, Request::Prepare(name.to_owned())));
        let field = |name| Err(RequestError::Field(name));
        let unknown = |name: &str| Err(RequestError::Unknown(name.to_owned()));
        for (line, expected) in [
            (
                r#"{"id":7,"prepare":{"protocol":2,"workload":"a/\u00b5/1","params":{},"threads":1}}"#,
                prepare("a/µ/1"),
            ),
            (r#" {"prepare" : {"threads":2, "workload":"a","protocol":2} , "id":7} "#, prepare("a")),
            (r#"{"id":7,"sample":{"iterations":3}}"#, Ok((7, Request::Sample(3)))),
            (r#"{"id":7,"digest":{}}"#, Ok((7, Request::Digest))),
            ("{\"id\":7,\"quit\":{}}\r\n", Ok((7, Request::Quit))),
            (r#"{"id":7,"describe":{"protocol":2}}"#, Ok((7, Request::Other))),
            ("{}", field("id")),
            (r#"{"id":1}"#, field("kind")),
            (r#"{"id":1,"jump":{}}"#, unknown("jump")),
            (r#"{"id":1,"digest":{},"quit":{}}"#, unknown("quit")),
            (r#"{"id":1,"digest":1}"#, unknown("digest")),
            (r#"{"id":1,"quit":{"now":1}}"#, unknown("now")),
            (r#"{"id":1,"sample":{"iterations":0}}"#, field("iterations")),
            (r#"{"id":1,"sample":{"iterations":1,"more":1}}"#, unknown("more")),
            (r#"{"id":1,"prepare":{"protocol":3,"workload":"a","threads":1}}"#, field("protocol")),
            (r#"{"id":1,"prepare":{"protocol":2,"threads":1}}"#, field("workload")),
            (
                r#"{"id":1,"prepare":{"protocol":2,"workload":"a","threads":1,"params":{"n":1}}}"#,
                unknown("n"),
            ),
            (r#"{"id":1,"prepare":{"protocol":2,"workload":"a","threads":1,"input":"f"}}"#, unknown("input")),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
        let deep = "{\"a\":".repeat(9);
        let wrong = [
            "",
            "7",
            "[]",
            "{",
            "{} {}",
            "{\"a\"}",
            "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":-1}",
            "{\"a\":1.5}",
        ];
        let texts = [
            "{\"a\":18446744073709551616}",
            "{\"a\":\"b",
            r#"{"a":"\x"}"#,
            r#"{"a":"\u12"}"#,
            r#"{"a":"\ud835"}"#,
        ];
        for line in wrong.iter().chain(&texts).chain([&deep.as_str()]) {
            assert_eq!(parse(line), Err(RequestError::Json), "{line}");
        }
    }

    #[test]
    fn texts_come_back_from_their_json() {
        for text in ["", "group/f/1", "\"\\\u{0}\n\t\u{1f}\u{7f}", "µ 𝛼 \u{202e}", "/"] {
            assert_eq!(string(&mut quoted(text).chars().peekable()).as_deref(), Some(text));
        }
        let escaped = r#""\u00B5\b\f\n\r\t\/\"\\""#;
        assert_eq!(string(&mut escaped.chars().peekable()).as_deref(), Some("µ\u{8}\u{c}\n\r\t/\"\\"));
        assert_eq!(quoted("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\u000a\\u0001é\"");
    }
}
