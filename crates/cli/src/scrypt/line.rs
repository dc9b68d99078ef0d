//! A line of a batch: a JSON object with a password, a salt, and parameters that override those of the command.
//!
//! No message repeats a part of a line, which may be a password in the wrong field.

use std::fmt;
use std::io::{ErrorKind, Read};

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use zeroize::{Zeroize, Zeroizing};

use super::password::Secret;
use super::{MOST_LENGTH, password, salt};

/// The longest line, in bytes, without its end. A password of 1 MiB has 2 MiB in hexadecimal.
pub(super) const MOST: usize = 4 << 20;

/// The request of a line.
pub(super) struct Request {
    pub(super) id: Option<Value>,
    pub(super) password: Secret,
    pub(super) salt: Vec<u8>,
    /// log2 of N, r, p and the length, if the line has them.
    pub(super) log_n: Option<u64>,
    pub(super) r: Option<u64>,
    pub(super) p: Option<u64>,
    pub(super) length: Option<u64>,
}

/// Reason why a line is not a request, and its id if that can be read.
pub(super) struct RequestError {
    pub(super) id: Option<Value>,
    pub(super) why: String,
}

/// The names of the fields.
const FIELDS: &str = "`id`, `password` or `password-hex`, `salt` or `salt-hex`, `log-n`, `r`, `p`, `length`";

/// The fields of an object in order; texts are cleared when they are dropped.
struct Fields(Vec<(String, Value)>);

impl Drop for Fields {
    fn drop(&mut self) {
        for (_, value) in &mut self.0 {
            if let Value::String(text) = value {
                text.zeroize();
            }
        }
    }
}

impl<'de> Visitor<'de> for Fields {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    // A map of serde_json would silently use the last of two fields of one name.
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Fields, A::Error> {
        while let Some(entry) = map.next_entry()? {
            self.0.push(entry);
        }
        Ok(self)
    }
}

impl Fields {
    fn parse(line: &[u8]) -> Result<Self, String> {
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        let fields = deserializer.deserialize_map(Fields(Vec::new()));
        fields.and_then(|fields| deserializer.end().map(|()| fields)).map_err(|error| {
            // The library's message is not used, because it may repeat a part of the line.
            let what = match error.classify() {
                Category::Eof => "it is cut off",
                Category::Syntax => "its syntax is wrong",
                Category::Data | Category::Io => return "it is not a JSON object".to_owned(),
            };
            format!("it is not a JSON object: {what} at column {}", error.column())
        })
    }

    /// Removes a field and returns it.
    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(field, _)| field == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn text(&mut self, name: &str) -> Result<Option<Zeroizing<String>>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(Zeroizing::new(text))),
            Some(_) => Err(format!("`{name}` is not a string")),
        }
    }

    /// Removes and returns bytes that are given as text or, with the suffix `-hex` of the name, in hexadecimal.
    fn bytes(&mut self, name: &str, most: usize) -> Result<Secret, String> {
        let coded = format!("{name}-hex");
        let bytes = match (self.text(name)?, self.text(&coded)?) {
            (Some(mut text), None) => Zeroizing::new(std::mem::take(&mut *text).into_bytes()),
            (None, Some(text)) => {
                Zeroizing::new(salt::from_hex(&text).map_err(|why| format!("`{coded}`: {why}"))?)
            }
            (None, None) => return Err(format!("it has neither `{name}` nor `{coded}`")),
            (Some(_), Some(_)) => return Err(format!("it has both `{name}` and `{coded}`")),
        };
        if bytes.len() > most { Err(format!("`{name}` is longer than {most} bytes")) } else { Ok(bytes) }
    }

    fn number(&mut self, name: &str, most: u64) -> Result<Option<u64>, String> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (1..=most).contains(number));
        number.map(Some).ok_or_else(|| format!("`{name}` is not a number from 1 to {most}"))
    }
}

impl Request {
    /// Parses a line.
    ///
    /// # Errors
    /// A description of the error.
    pub(super) fn parse(line: &[u8], allow_empty: bool) -> Result<Self, RequestError> {
        let mut fields = Fields::parse(line).map_err(|why| RequestError { id: None, why })?;
        let id = fields.take("id");
        let short = |value: &Value| match value {
            Value::String(text) => text.len() <= 1024,
            Value::Number(number) => number.is_u64() || number.is_i64(),
            _ => false,
        };
        if id.as_ref().is_some_and(|id| !short(id)) {
            let why =
                "`id` is neither a whole number of 64 bits nor a string of at most 1024 bytes".to_owned();
            return Err(RequestError { id: None, why });
        }
        Request::from_fields(&mut fields, allow_empty)
            .map(|request| Request { id: id.clone(), ..request })
            .map_err(|why| RequestError { id, why })
    }

    fn from_fields(fields: &mut Fields, allow_empty: bool) -> Result<Self, String> {
        let request = Request {
            id: None,
            password: fields.bytes("password", password::MOST)?,
            salt: std::mem::take(&mut *fields.bytes("salt", salt::MOST)?),
            log_n: fields.number("log-n", 63)?,
            r: fields.number("r", u32::MAX.into())?,
            p: fields.number("p", u32::MAX.into())?,
            length: fields.number("length", MOST_LENGTH as u64)?,
        };
        // The remaining fields are duplicates or unknown.
        if fields.0.iter().any(|(name, _)| FIELDS.contains(&format!("`{name}`"))) {
            return Err("a field is repeated".to_owned());
        }
        if !fields.0.is_empty() {
            return Err(format!("it has an unknown field; the fields are {FIELDS}"));
        }
        for (name, bytes) in [("password", &request.password[..]), ("salt", &request.salt[..])] {
            if bytes.is_empty() && !allow_empty {
                return Err(format!("`{name}` is empty; --allow-empty takes that"));
            }
        }
        Ok(request)
    }
}

/// Lines of a stream, in memory of bounded size that is cleared.
pub(super) struct Lines<R> {
    source: R,
    /// `buffer[begin..end]` is read and not yet returned.
    buffer: Secret,
    begin: usize,
    end: usize,
    ended: bool,
}

/// One line, without its end.
pub(super) enum Line {
    /// The whole line.
    Whole(Secret),
    /// A line longer than [`MOST`], which is skipped.
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Lines { source, buffer: Zeroizing::new(vec![0; MOST + 1]), begin: 0, end: 0, ended: false }
    }

    /// Returns the next line; `None` at the end. Bytes after the last line end are a line too.
    ///
    /// # Errors
    /// Errors of the system.
    pub(super) fn next(&mut self) -> std::io::Result<Option<Line>> {
        let (mut looked, mut passed_over) = (self.begin, false);
        loop {
            let found = self.buffer[looked..self.end].iter().position(|byte| *byte == b'\n');
            let stop = match found {
                Some(at) => looked + at,
                None if self.ended => self.end,
                None => {
                    looked = self.end;
                    if self.begin == 0 && self.end == self.buffer.len() {
                        (self.end, looked, passed_over) = (0, 0, true);
                    } else if self.end == self.buffer.len() {
                        self.buffer.copy_within(self.begin..self.end, 0);
                        looked -= self.begin;
                        (self.begin, self.end) = (0, looked);
                    }
                    self.fill()?;
                    continue;
                }
            };
            let line = &self.buffer[self.begin..stop];
            if found.is_none() && line.is_empty() && !passed_over {
                return Ok(None);
            }
            let line = if passed_over { Line::TooLong } else { Line::Whole(Zeroizing::new(line.to_vec())) };
            self.begin = (stop + 1).min(self.end);
            if self.begin == self.end {
                (self.begin, self.end) = (0, 0);
            }
            return Ok(Some(line));
        }
    }

    fn fill(&mut self) -> std::io::Result<()> {
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(more) => self.end += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(line: &str) -> String {
        Request::parse(line.as_bytes(), false).err().expect("an error").why
    }

    #[test]
    fn valid_lines() {
        let parse = |line: &str| Request::parse(line.as_bytes(), false).ok().expect(line);
        let all = parse(
            r#"{"id":"a","password":"p\u00e4ss","salt-hex":"0x00ff","log-n":10,"r":2,"p":3,"length":32}"#,
        );
        assert_eq!((&all.password[..], &all.salt[..]), ("päss".as_bytes(), &[0, 255][..]));
        assert_eq!((all.log_n, all.r, all.p, all.length), (Some(10), Some(2), Some(3), Some(32)));
        assert_eq!(all.id, Some("a".into()));
        let few = parse(r#" {"salt":"s","password-hex":"00"} "#);
        assert_eq!((&few.password[..], &few.salt[..], few.id, few.r), (&[0][..], &b"s"[..], None, None));
        assert!(Request::parse(br#"{"salt":"","password":""}"#, true).is_ok());
    }

    #[test]
    fn wrong_lines_are_not_repeated() {
        for (line, text) in [
            ("", "it is not a JSON object: it is cut off at column 0"),
            ("hunter2", "it is not a JSON object: its syntax is wrong at column 1"),
            (r#""hunter2""#, "it is not a JSON object"),
            ("[1]", "it is not a JSON object"),
            (r#"{"password":"hunter2""#, "it is not a JSON object: it is cut off at column 21"),
            (r#"{"password":"hunter2"} x"#, "it is not a JSON object: its syntax is wrong at column 24"),
            ("{}", "it has neither `password` nor `password-hex`"),
            (r#"{"password":"hunter2"}"#, "it has neither `salt` nor `salt-hex`"),
            (r#"{"password":1234,"salt":"s"}"#, "`password` is not a string"),
            (
                r#"{"password":"hunter2","password-hex":"00","salt":"s"}"#,
                "it has both `password` and `password-hex`",
            ),
            (
                r#"{"password-hex":"0","salt":"s"}"#,
                "`password-hex`: 1 hexadecimal digits, but two are a byte",
            ),
            (r#"{"password":"hunter2","salt-hex":"0g"}"#, "`salt-hex`: byte 1 is not a hexadecimal digit"),
            (r#"{"password":"","salt":"s"}"#, "`password` is empty; --allow-empty takes that"),
            (r#"{"password":"hunter2","salt":""}"#, "`salt` is empty; --allow-empty takes that"),
            (r#"{"password":"hunter2","salt":"s","r":0}"#, "`r` is not a number from 1 to 4294967295"),
            (
                r#"{"password":"hunter2","salt":"s","r":"hunter2"}"#,
                "`r` is not a number from 1 to 4294967295",
            ),
            (r#"{"password":"hunter2","salt":"s","log-n":1.5}"#, "`log-n` is not a number from 1 to 63"),
            (r#"{"password":"hunter2","salt":"s","log-n":64}"#, "`log-n` is not a number from 1 to 63"),
            (
                r#"{"password":"hunter2","salt":"s","length":1048577}"#,
                "`length` is not a number from 1 to 1048576",
            ),
            (r#"{"password":"hunter2","salt":"s","password":"x"}"#, "a field is repeated"),
            (
                r#"{"id":null,"password":"hunter2","salt":"s"}"#,
                "`id` is neither a whole number of 64 bits nor a string of at most 1024 bytes",
            ),
        ] {
            assert_eq!(why(line), text, "{line}");
        }
        let unknown = why(r#"{"password":"x","salt":"s","hunter2":1}"#);
        assert!(
            unknown.starts_with("it has an unknown field; the fields are `id`, ")
                && !unknown.contains("hunter2")
        );
        let wrong = Request::parse(br#"{"id":7,"salt":"s"}"#, false).err().expect("an error");
        assert_eq!(wrong.id, Some(7.into()));
    }

    /// A reader that returns pieces of this size.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let len = self.1.min(self.0.len()).min(buffer.len());
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn lines(text: &[u8], step: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::new(Slow(text, step));
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(match line {
                Line::Whole(line) => Some(line.to_vec()),
                Line::TooLong => None,
            });
        }
        all
    }

    #[test]
    fn lines_of_every_length() {
        for step in [1, 2, 3, 7, 1 << 20] {
            assert_eq!(lines(b"", step), [] as [Option<Vec<u8>>; 0]);
            let some = |text: &[u8]| Some(text.to_vec());
            assert_eq!(lines(b"a\n\nbc\nd", step), [some(b"a"), some(b""), some(b"bc"), some(b"d")]);
            assert_eq!(lines(b"\n", step), [some(b"")]);
        }
        let text = |len: usize| [&b"first\n"[..], &vec![b'x'; len], b"\nlast\n"].concat();
        for (len, whole) in [(MOST - 1, true), (MOST, true), (MOST + 1, false), (3 * MOST, false)] {
            let all = lines(&text(len), 1 << 20);
            assert_eq!((all.len(), all[1].as_ref().map(Vec::len)), (3, whole.then_some(len)), "{len}");
            assert_eq!((all[0].as_deref(), all[2].as_deref()), (Some(&b"first"[..]), Some(&b"last"[..])));
        }
        // Without a line end.
        assert_eq!(lines(&vec![b'x'; MOST + 1], 1 << 20), [None]);
    }
}
