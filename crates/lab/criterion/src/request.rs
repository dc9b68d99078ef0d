//! The requests of the lab, which docs/reference/protocol.md specifies.

use std::fmt;

use crate::json::{self, Malformed, Value};

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
    Malformed(Malformed),
    /// A field that is missing, or is not what it should be.
    Field {
        name: &'static str,
        expected: &'static str,
    },
    /// A field that no request has, or more than one kind of request.
    Unknown(String),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Malformed(malformed) => malformed.fmt(f),
            RequestError::Field { name, expected } => write!(f, "`{name}` is not {expected}"),
            RequestError::Unknown(name) => write!(f, "unknown field `{name}`"),
        }
    }
}

/// The fields of an object that were not read yet.
struct Fields(Vec<(String, Value)>);

impl Fields {
    fn of(value: Option<Value>, name: &'static str) -> Result<Self, RequestError> {
        match value {
            Some(Value::Object(fields)) => Ok(Fields(fields)),
            _ => Err(RequestError::Field { name, expected: "an object" }),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.0.iter().position(|(other, _)| other == name)?;
        Some(self.0.swap_remove(index).1)
    }

    fn number(&mut self, name: &'static str, least: u64) -> Result<u64, RequestError> {
        match self.take(name) {
            Some(Value::Number(number)) if number >= least => Ok(number),
            _ if least == 0 => Err(RequestError::Field { name, expected: "a whole number" }),
            _ => Err(RequestError::Field { name, expected: "a whole number from 1" }),
        }
    }

    fn end(self) -> Result<(), RequestError> {
        self.0.into_iter().next().map_or(Ok(()), |(name, _)| Err(RequestError::Unknown(name)))
    }
}

/// Returns the number of a request and what it asks.
///
/// # Errors
/// The line is no request.
pub(crate) fn parse(line: &str) -> Result<(u64, Request), RequestError> {
    let mut fields = Fields::of(Some(json::parse(line).map_err(RequestError::Malformed)?), "request")?;
    let id = fields.number("id", 0)?;
    let Some((kind, value)) = fields.0.pop() else {
        return Err(RequestError::Field { name: "request", expected: "of a kind" });
    };
    fields.end()?;
    let request = match kind.as_str() {
        "prepare" => prepare(Fields::of(Some(value), "prepare")?)?,
        "sample" => {
            let mut sample = Fields::of(Some(value), "sample")?;
            let iterations = sample.number("iterations", 1)?;
            sample.end()?;
            Request::Sample(iterations)
        }
        "digest" => {
            Fields::of(Some(value), "digest")?.end()?;
            Request::Digest
        }
        "quit" => {
            Fields::of(Some(value), "quit")?.end()?;
            Request::Quit
        }
        "check" | "describe" => Request::Other,
        _ => return Err(RequestError::Unknown(kind)),
    };
    Ok((id, request))
}

fn prepare(mut fields: Fields) -> Result<Request, RequestError> {
    if fields.number("protocol", 0)? != PROTOCOL {
        return Err(RequestError::Field { name: "protocol", expected: "2" });
    }
    let Some(Value::Text(workload)) = fields.take("workload") else {
        return Err(RequestError::Field { name: "workload", expected: "the name of a benchmark" });
    };
    fields.number("threads", 1)?;
    // A benchmark reads no input of the lab, and has no parameter but the name of its program, if another one has a
    // benchmark of its name.
    if let Some(params) = fields.take("params") {
        let mut params = Fields::of(Some(params), "params")?;
        params.take("target");
        params.end()?;
    }
    fields.end()?;
    Ok(Request::Prepare(workload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        for (line, request) in [
            (
                r#"{"id":7,"prepare":{"protocol":2,"workload":"a/\u00b5/1","params":{},"threads":1}}"#,
                Request::Prepare("a/µ/1".to_owned()),
            ),
            (
                r#"{"prepare":{"threads":2,"workload":"a","protocol":2},"id":7}"#,
                Request::Prepare("a".to_owned()),
            ),
            (r#"{"id":7,"sample":{"iterations":3}}"#, Request::Sample(3)),
            (r#"{"id":7,"digest":{}}"#, Request::Digest),
            ("{\"id\":7,\"quit\":{}}\r\n", Request::Quit),
            (r#"{"id":7,"describe":{"protocol":2}}"#, Request::Other),
        ] {
            assert_eq!(parse(line), Ok((7, request)));
        }
    }

    #[test]
    fn a_line_that_is_no_request_says_why() {
        for (line, why) in [
            ("", "byte 0: no object, text or whole number"),
            ("7", "`request` is not an object"),
            ("{}", "`id` is not a whole number"),
            (r#"{"id":1}"#, "`request` is not of a kind"),
            (r#"{"id":1,"jump":{}}"#, "unknown field `jump`"),
            (r#"{"id":1,"digest":{},"quit":{}}"#, "unknown field `quit`"),
            (r#"{"id":1,"digest":1}"#, "`digest` is not an object"),
            (r#"{"id":1,"quit":{"now":1}}"#, "unknown field `now`"),
            (r#"{"id":1,"sample":{"iterations":0}}"#, "`iterations` is not a whole number from 1"),
            (r#"{"id":1,"sample":{"iterations":1,"more":1}}"#, "unknown field `more`"),
            (r#"{"id":1,"prepare":{"protocol":3,"workload":"a","threads":1}}"#, "`protocol` is not 2"),
            (r#"{"id":1,"prepare":{"protocol":2,"threads":1}}"#, "`workload` is not the name of a benchmark"),
            (
                r#"{"id":1,"prepare":{"protocol":2,"workload":"a","threads":1,"params":{"n":1}}}"#,
                "unknown field `n`",
            ),
            (
                r#"{"id":1,"prepare":{"protocol":2,"workload":"a","threads":1,"input":"f"}}"#,
                "unknown field `input`",
            ),
        ] {
            assert_eq!(parse(line).map_err(|error| error.to_string()), Err(why.to_owned()), "{line}");
        }
    }
}
