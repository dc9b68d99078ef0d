//! A line of a batch: a JSON object with a password, and a salt and parameters that override the command's, or a
//! record against which the password is verified.

use std::io::{ErrorKind, Read};

use parcrypt_scrypt::Params;
use serde_json::Value;
use zeroize::Zeroizing;

use super::cost::Bound;
use super::fields::{FieldError, Fields, string};
use super::password::Secret;
use super::record::KeyRecord;
use super::{MOST_LENGTH, password, salt};

/// The longest line, in bytes, without its end. A password of 1 MiB has 2 MiB in hexadecimal.
pub(super) const MOST: usize = 4 << 20;

/// The names of the fields.
const NAMES: [&str; 10] =
    ["id", "password", "password-hex", "salt", "salt-hex", "log-n", "r", "p", "length", "verify"];

/// The fields that a record has too.
const OF_A_RECORD: [&str; 6] = ["salt", "salt-hex", "log-n", "r", "p", "length"];

/// What the command line says about all lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Whether a password or a salt may be empty.
    pub(super) allow_empty: bool,
    /// Whether the parameters of a record may be beyond RFC 7914.
    pub(super) bound: Bound,
    /// The length of the random salt of a line that has none; `None` if each line must have one.
    pub(super) random_salt: Option<usize>,
}

/// The request of a line.
pub(super) struct BatchRequest {
    pub(super) id: Option<Value>,
    pub(super) password: Secret,
    pub(super) salt: Vec<u8>,
    /// log2 of N, r, p and the length, if the line has them.
    pub(super) log_n: Option<u64>,
    pub(super) r: Option<u64>,
    pub(super) p: Option<u64>,
    pub(super) length: Option<u64>,
    /// The parameters and the key of the record, if the password is to be verified.
    pub(super) expected: Option<(Params, Secret)>,
}

/// Reason why a line is not a request, and its id if that can be read.
pub(super) struct BatchRequestError {
    pub(super) id: Option<Value>,
    pub(super) error: FieldError,
}

impl BatchRequest {
    /// Parses a line.
    pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Self, BatchRequestError> {
        let mut fields =
            Fields::parse(line, &NAMES).map_err(|error| BatchRequestError { id: None, error })?;
        let checked = fields.check(&NAMES);
        let short = |value: &str| match string(value) {
            Some(text) => (text.len() <= 1024).then(|| text.as_str().into()),
            None => value.parse::<u64>().map(Value::from).or(value.parse::<i64>().map(Value::from)).ok(),
        };
        // Neither of two is its id.
        let id = match fields.take("id").filter(|_| !fields.has("id")).map(short) {
            Some(None) => {
                let why = "`id` is neither a whole number of 64 bits nor a string of at most 1024 bytes";
                return Err(BatchRequestError { id: None, error: FieldError::of("id", why) });
            }
            id => id.flatten(),
        };
        checked
            .and_then(|()| BatchRequest::from_fields(&mut fields, rules))
            .map(|request| BatchRequest { id: id.clone(), ..request })
            .map_err(|error| BatchRequestError { id, error })
    }

    fn from_fields(fields: &mut Fields<'_>, rules: &Rules) -> Result<Self, FieldError> {
        let password = fields.bytes("password", "password-hex", password::MOST)?;
        let filled = |name, bytes: &[u8]| match bytes.is_empty() && !rules.allow_empty {
            true => Err(FieldError::of(name, format!("`{name}` is empty (use --allow-empty to allow it)"))),
            false => Ok(()),
        };
        filled("password", &password)?;
        if let Some(value) = fields.take("verify") {
            if let Some(name) = OF_A_RECORD.into_iter().find(|name| fields.has(name)) {
                return Err(FieldError::of(
                    name,
                    format!("it has both `{name}` and `verify`, whose record has it too"),
                ));
            }
            let record = KeyRecord::from_value(value, rules.bound);
            let record = record.map_err(|why| FieldError::of("verify", format!("`verify`: {why}")))?;
            let (length, expected) = (record.key.len() as u64, Some((record.params, record.key)));
            return Ok(BatchRequest {
                id: None,
                password,
                salt: record.salt,
                log_n: None,
                r: None,
                p: None,
                length: Some(length),
                expected,
            });
        }
        let salt = match rules.random_salt {
            Some(len) if !fields.has("salt") && !fields.has("salt-hex") => {
                salt::random(len).map_err(|e| FieldError::unnamed(format!("no random salt: {e}")))?
            }
            _ => std::mem::take(&mut *fields.bytes("salt", "salt-hex", salt::MOST)?),
        };
        let request = BatchRequest {
            id: None,
            password,
            salt,
            log_n: fields.number("log-n", 63)?,
            r: fields.number("r", u32::MAX.into())?,
            p: fields.number("p", u32::MAX.into())?,
            length: fields.number("length", MOST_LENGTH as u64)?,
            expected: None,
        };
        filled("salt", &request.salt)?;
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

    const RULES: Rules = Rules { allow_empty: false, bound: Bound::Rfc, random_salt: None };

    fn why(line: &str) -> String {
        BatchRequest::parse(line.as_bytes(), &RULES).err().expect("an error").error.why
    }

    #[test]
    fn valid_lines() {
        let parse = |line: &str| BatchRequest::parse(line.as_bytes(), &RULES).ok().expect(line);
        let all = parse(
            r#"{"id":"a","password":"p\u00e4ss","salt-hex":"0x00ff","log-n":10,"r":2,"p":3,"length":32}"#,
        );
        assert_eq!((&all.password[..], &all.salt[..]), ("päss".as_bytes(), &[0, 255][..]));
        assert_eq!((all.log_n, all.r, all.p, all.length), (Some(10), Some(2), Some(3), Some(32)));
        assert_eq!(all.id, Some("a".into()));
        let few = parse(r#" {"salt":"s","password-hex":"00"} "#);
        assert_eq!((&few.password[..], &few.salt[..], few.id, few.r), (&[0][..], &b"s"[..], None, None));
        let rules = Rules { allow_empty: true, ..RULES };
        assert!(BatchRequest::parse(br#"{"salt":"","password":""}"#, &rules).is_ok());
        let rules = Rules { random_salt: Some(16), ..RULES };
        let random = || BatchRequest::parse(br#"{"password":"p"}"#, &rules).ok().unwrap().salt;
        assert!(random().len() == 16 && random() != random());
        assert_eq!(BatchRequest::parse(br#"{"password":"p","salt":"s"}"#, &rules).ok().unwrap().salt, b"s");
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
            (r#"{"password-hex":"0","salt":"s"}"#, "`password-hex`: odd number of hexadecimal digits (1)"),
            (r#"{"password":"hunter2","salt-hex":"0g"}"#, "`salt-hex`: byte 1 is not a hexadecimal digit"),
            (r#"{"password":"","salt":"s"}"#, "`password` is empty (use --allow-empty to allow it)"),
            (r#"{"password":"hunter2","salt":""}"#, "`salt` is empty (use --allow-empty to allow it)"),
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
            (r#"{"password":"hunter2","salt":"s","password":"x"}"#, "`password` is repeated"),
            (r#"{"id":1,"password":"hunter2","salt":"s","id":2}"#, "`id` is repeated"),
            (
                r#"{"password":"hunter2","verify":{"n":16,"log-n":4,"r":8,"p":1,"length":1,"salt-hex":"00","key":"00","p":1}}"#,
                "`verify`: `p` is repeated",
            ),
            (
                r#"{"password":"hunter2" "salt":"s"}"#,
                "it is not a JSON object: its syntax is wrong at column 23",
            ),
            (
                r#"{"salt":"s","password":hunter2}"#,
                "it is not a JSON object: its syntax is wrong in `password` at column 24",
            ),
            (
                r#"{"password":"hunter2","salt":"s","verify":"$scrypt$"}"#,
                "it has both `salt` and `verify`, whose record has it too",
            ),
            (
                r#"{"password":"hunter2","verify":7}"#,
                "`verify`: it is neither a PHC string nor an object of --json",
            ),
            (
                r#"{"password":"hunter2\ud800","salt":"s"}"#,
                "`password` has an escape that is half of a surrogate pair",
            ),
            (r#"{"password":"hunter2","verify":{"log-n":4,"r":8}}"#, "`verify`: it has no `p`"),
            (
                r#"{"id":null,"password":"hunter2","salt":"s"}"#,
                "`id` is neither a whole number of 64 bits nor a string of at most 1024 bytes",
            ),
        ] {
            assert_eq!(why(line), text, "{line}");
        }
        let unknown = why(r#"{"password":"x","salt":"s","hunter2":1}"#);
        assert!(
            unknown.starts_with("its field number 3 is unknown; the fields are `id`, ")
                && !unknown.contains("hunter2"),
            "{unknown}"
        );
        let similar = why(r#"{"pasword":"x","salt":"s"}"#);
        assert!(
            similar.starts_with("its field number 1 is unknown (did you mean `password`?); "),
            "{similar}"
        );
        let wrong = BatchRequest::parse(br#"{"id":7,"salt":"s"}"#, &RULES).err().expect("an error");
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
