//! The JSON of the lab's requests: objects, texts and whole numbers.

use std::fmt;

/// A value of a request.
#[derive(Debug, PartialEq)]
pub(crate) enum Value {
    Number(u64),
    Text(String),
    Object(Vec<(String, Value)>),
}

/// Why a text is not a value, and the byte where that is seen.
#[derive(Debug, PartialEq)]
pub(crate) struct Malformed {
    at: usize,
    why: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.why)
    }
}

/// Returns a text as JSON, with its quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns the value that a text is, with white space around it.
///
/// # Errors
/// It is no JSON, or has a list, a fraction, `true`, `false` or `null`, or objects in over eight others.
pub(crate) fn parse(text: &str) -> Result<Value, Malformed> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(8)?;
    parser.space();
    match parser.at == text.len() {
        true => Ok(value),
        false => parser.wrong("something after the value"),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The byte that is read next, at the start of a character.
    at: usize,
}

impl Parser<'_> {
    fn wrong<T>(&self, why: &'static str) -> Result<T, Malformed> {
        Err(Malformed { at: self.at, why })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Skips white space and then a byte, if it comes next.
    fn skip(&mut self, byte: u8) -> bool {
        self.space();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, depth: u32) -> Result<Value, Malformed> {
        self.space();
        match self.peek() {
            Some(b'{') if depth > 0 => self.object(depth - 1),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'0'..=b'9') => self.number().map(Value::Number),
            _ => self.wrong("no object, text or whole number"),
        }
    }

    fn object(&mut self, depth: u32) -> Result<Value, Malformed> {
        let mut fields = Vec::<(String, Value)>::new();
        self.at += 1;
        if self.skip(b'}') {
            return Ok(Value::Object(fields));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.wrong("no name of a field");
            }
            let name = self.string()?;
            if fields.iter().any(|(other, _)| *other == name) {
                return self.wrong("a second field of the same name");
            }
            if !self.skip(b':') {
                return self.wrong("no `:`");
            }
            fields.push((name, self.value(depth)?));
            if self.skip(b'}') {
                return Ok(Value::Object(fields));
            }
            if !self.skip(b',') {
                return self.wrong("no `,` or `}`");
            }
        }
    }

    fn number(&mut self) -> Result<u64, Malformed> {
        let digits = self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
        let text = &self.text[self.at..self.at + digits];
        let number = text.parse().ok().filter(|_| digits == 1 || !text.starts_with('0'));
        match (number, self.text.as_bytes().get(self.at + digits)) {
            (Some(number), next) if !matches!(next, Some(b'.' | b'e' | b'E')) => {
                self.at += digits;
                Ok(number)
            }
            _ => self.wrong("no whole number below 2^64"),
        }
    }

    /// Returns the text whose quote comes next.
    fn string(&mut self) -> Result<String, Malformed> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return self.wrong("a text without an end");
            };
            match c {
                '\0'..='\u{1f}' => return self.wrong("a control character in a text"),
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => out.push(self.escape()?),
                c => {
                    self.at += c.len_utf8();
                    out.push(c);
                }
            }
        }
    }

    /// Returns the character for an escape, whose backslash comes next.
    fn escape(&mut self) -> Result<char, Malformed> {
        let c = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let Some(high) = self.unit() else { return self.wrong("no four hexadecimal digits") };
                // A character above U+FFFF is two units of UTF-16.
                let low = if (0xd800..0xdc00).contains(&high) { self.unit() } else { None };
                let decoded = char::decode_utf16([high].into_iter().chain(low)).next();
                return match decoded {
                    Some(Ok(c)) => Ok(c),
                    _ => self.wrong("half of a pair of surrogates"),
                };
            }
            _ => return self.wrong("no such escape"),
        };
        self.at += 2;
        Ok(c)
    }

    /// Returns the unit of UTF-16 whose `\u` comes next.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 6)?.strip_prefix("\\u")?;
        // `from_str_radix` takes a sign.
        let unit = u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
        self.at += 6;
        Some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_from_their_json() {
        for text in ["", "group/f/1", "\"\\\u{0}\n\t\u{1f}\u{7f}", "µ 𝛼 \u{202e}", "/"] {
            assert_eq!(parse(&quoted(text)), Ok(Value::Text(text.to_owned())));
        }
        assert_eq!(quoted("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\u000a\\u0001é\"");
        let escaped = r#" "\ud835\udefc\u00B5\b\f\n\r\t\/\"\\" "#;
        assert_eq!(parse(escaped), Ok(Value::Text("𝛼µ\u{8}\u{c}\n\r\t/\"\\".to_owned())));
    }

    #[test]
    fn objects_hold_texts_and_numbers() {
        let text = r#"{"a":{},"b" : { "c":0 , "d":18446744073709551615 },"e":"f"}"#;
        let inner = vec![("c".to_owned(), Value::Number(0)), ("d".to_owned(), Value::Number(u64::MAX))];
        let fields = vec![
            ("a".to_owned(), Value::Object(vec![])),
            ("b".to_owned(), Value::Object(inner)),
            ("e".to_owned(), Value::Text("f".to_owned())),
        ];
        assert_eq!(parse(text), Ok(Value::Object(fields)));
    }

    #[test]
    fn what_is_no_value_is_refused_at_its_byte() {
        for (text, at) in [
            ("", 0),
            ("[]", 0),
            ("true", 0),
            ("1.5", 0),
            ("1e3", 0),
            ("01", 0),
            ("-1", 0),
            ("18446744073709551616", 0),
            ("{", 1),
            ("{} {}", 3),
            (r#"{"a"}"#, 4),
            (r#"{"a":1,}"#, 7),
            (r#"{"a":1 "b":2}"#, 7),
            (r#"{"a":1,"a":2}"#, 10),
            (r#""abc"#, 4),
            ("\"a\n\"", 2),
            (r#""\x""#, 1),
            (r#""\u12""#, 1),
            (r#""\u+123""#, 1),
            (r#""\ud835""#, 7),
            (r#""\udefc""#, 7),
            (r#""\ud835\u0041""#, 13),
        ] {
            assert_eq!(parse(text).map_err(|malformed| malformed.at), Err(at), "{text}");
        }
        let deep = format!("{}1{}", "{\"a\":".repeat(9), "}".repeat(9));
        assert!(parse(&deep).is_err() && parse(&deep[5..deep.len() - 1]).is_ok());
    }
}
