//! Requests, which the lab writes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::error::shown;
use crate::response::{Response, ResponseKind};
use crate::{Params, ProtocolError, VERSION};

/// A numbered request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "Line")]
pub struct Request {
    /// Number of the request in its conversation, from 1.
    pub id: u64,
    /// Kind of the request, with its fields.
    pub kind: RequestKind,
}

/// Kind of a request, with its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Read the input and do everything that is not part of the measured work.
    Prepare(Prepare),
    /// Do the work `iterations` times and report how long that took.
    Sample {
        /// Number of iterations, at least 1.
        iterations: u64,
    },
    /// Return the SHA-256 digest of the last output.
    Digest,
    /// Say whether work can be done, before anything is prepared.
    Check(Check),
    /// Describe the program: its workloads, plans and build.
    Describe(Describe),
    /// Exit.
    Quit,
}

impl RequestKind {
    /// Returns the request's key in the message, as `prepare`.
    pub fn name(&self) -> &'static str {
        match self {
            RequestKind::Prepare(_) => "prepare",
            RequestKind::Sample { .. } => "sample",
            RequestKind::Digest => "digest",
            RequestKind::Check(_) => "check",
            RequestKind::Describe(_) => "describe",
            RequestKind::Quit => "quit",
        }
    }
}

/// The work to prepare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// [`VERSION`] of the sender.
    pub protocol: u32,
    /// Name of the workload.
    pub workload: String,
    /// Parameters of the workload.
    #[serde(default)]
    pub params: Params,
    /// Threads or ranks to work with, at least 1.
    pub threads: usize,
    /// Path of the input file, where the workload has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<PathBuf>,
}

/// Work that is asked about, without its input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// [`VERSION`] of the sender.
    pub protocol: u32,
    /// Name of the workload.
    pub workload: String,
    /// Parameters of the workload.
    #[serde(default)]
    pub params: Params,
    /// Threads or ranks to work with, at least 1.
    pub threads: usize,
}

/// The request for a [`Description`](crate::Description).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Describe {
    /// [`VERSION`] of the sender.
    pub protocol: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    iterations: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {}

/// A request as it is written. An enum inside of a struct would hide from the parser which field is wrong.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prepare: Option<Prepare>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Sample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Empty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quit: Option<Empty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
    #[serde(skip_serializing_if = "Option::is_none")]
    describe: Option<Describe>,
}

impl From<Request> for Line {
    fn from(request: Request) -> Self {
        let mut line = Line { id: request.id, ..Line::default() };
        match request.kind {
            RequestKind::Prepare(prepare) => line.prepare = Some(prepare),
            RequestKind::Sample { iterations } => line.sample = Some(Sample { iterations }),
            RequestKind::Digest => line.digest = Some(Empty {}),
            RequestKind::Quit => line.quit = Some(Empty {}),
            RequestKind::Check(check) => line.check = Some(check),
            RequestKind::Describe(describe) => line.describe = Some(describe),
        }
        line
    }
}

impl Request {
    /// Parses a line.
    ///
    /// # Errors
    /// [`ProtocolError::Malformed`] with the path of the field; [`ProtocolError::Version`] where the request is of
    /// another version of the protocol.
    pub fn parse(line: &str) -> Result<Self, ProtocolError> {
        let parsed: Line = parse("request", line, |json| {
            let named =
                ["prepare", "check", "describe"].iter().find_map(|key| json.get(key)?.get("protocol"));
            match named.and_then(Json::as_u64) {
                Some(found) => Some(found),
                // Requests of protocol 1 have neither a number nor a version.
                None if json.get("id").is_none()
                    && is_one_of(json, &["prepare", "sample", "digest", "quit"]) =>
                {
                    Some(1)
                }
                None => None,
            }
        })?;
        let kinds = [
            parsed.prepare.map(RequestKind::Prepare),
            parsed.sample.map(|Sample { iterations }| RequestKind::Sample { iterations }),
            parsed.digest.map(|_| RequestKind::Digest),
            parsed.quit.map(|_| RequestKind::Quit),
            parsed.check.map(RequestKind::Check),
            parsed.describe.map(RequestKind::Describe),
        ];
        let mut kinds = kinds.into_iter().flatten();
        match (kinds.next(), kinds.next()) {
            (Some(kind), None) => Ok(Request { id: parsed.id, kind }),
            _ => Err(ProtocolError::Malformed {
                message: "request",
                line: shown(line),
                path: String::new(),
                why: "it needs one of `prepare`, `sample`, `digest`, `quit`, `check` and `describe`"
                    .to_owned(),
            }),
        }
    }

    /// Parses a line as the response to this request.
    ///
    /// # Errors
    /// A [`ProtocolError`] where the line is no response, has another `id`, or is of another kind.
    pub fn parse_response(&self, line: &str) -> Result<ResponseKind, ProtocolError> {
        let Response { id, kind } = Response::parse(line)?;
        if id != self.id {
            return Err(ProtocolError::WrongId { line: shown(line), expected: self.id, found: id });
        }
        match (&self.kind, &kind) {
            (RequestKind::Prepare(_), ResponseKind::Ready(_) | ResponseKind::Unsupported(_))
            | (RequestKind::Sample { .. }, ResponseKind::Sample(_))
            | (RequestKind::Digest, ResponseKind::Digest(_))
            | (
                RequestKind::Check(_),
                ResponseKind::Fits(_) | ResponseKind::Refused(_) | ResponseKind::Unsupported(_),
            )
            | (RequestKind::Describe(_), ResponseKind::Description(_) | ResponseKind::Unsupported(_)) => {
                Ok(kind)
            }
            _ => Err(ProtocolError::WrongKind { line: shown(line), request: self.kind.name() }),
        }
    }
}

/// Returns whether an object has one of these keys.
pub(crate) fn is_one_of(json: &Json, keys: &[&str]) -> bool {
    keys.iter().any(|key| json.get(key).is_some())
}

/// Parses a line, after checking the version that `version` finds in it.
pub(crate) fn parse<T: for<'de> Deserialize<'de>>(
    message: &'static str,
    line: &str,
    version: impl FnOnce(&Json) -> Option<u64>,
) -> Result<T, ProtocolError> {
    let malformed = |path: String, why: String| ProtocolError::Malformed {
        message,
        line: shown(line),
        path: if path == "." { String::new() } else { path },
        why,
    };
    // The line is parsed into a value first: errors of its fields then have a path, and no position in a text of one
    // line.
    let json: Json =
        serde_json::from_str(line).map_err(|error| malformed(String::new(), error.to_string()))?;
    // A newer version may have fields that this one does not know.
    if let Some(found) = version(&json).filter(|found| *found != u64::from(VERSION)) {
        return Err(ProtocolError::Version { line: shown(line), found });
    }
    serde_path_to_error::deserialize(json)
        .map_err(|error| malformed(error.path().to_string(), error.inner().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn the_lines_of_the_table_are_the_messages() {
        let prepare = RequestKind::Prepare(Prepare {
            protocol: VERSION,
            workload: "sum".into(),
            params: Params::from([("scale".into(), Value::Number(20))]),
            threads: 2,
            input: Some("FILE".into()),
        });
        for (kind, line) in [
            (
                prepare,
                r#"{"id":7,"prepare":{"protocol":2,"workload":"sum","params":{"scale":20},"threads":2,"input":"FILE"}}"#,
            ),
            (RequestKind::Sample { iterations: 3 }, r#"{"id":7,"sample":{"iterations":3}}"#),
            (RequestKind::Digest, r#"{"id":7,"digest":{}}"#),
            (RequestKind::Quit, r#"{"id":7,"quit":{}}"#),
            (
                RequestKind::Check(Check {
                    protocol: VERSION,
                    workload: "sum".into(),
                    params: Params::new(),
                    threads: 2,
                }),
                r#"{"id":7,"check":{"protocol":2,"workload":"sum","params":{},"threads":2}}"#,
            ),
            (RequestKind::Describe(Describe { protocol: VERSION }), r#"{"id":7,"describe":{"protocol":2}}"#),
        ] {
            let request = Request { id: 7, kind };
            assert_eq!(serde_json::to_string(&request).unwrap(), line);
            assert_eq!(Request::parse(line), Ok(request));
        }
    }

    #[test]
    fn an_error_names_the_field() {
        for (line, path, why) in [
            ("", "", "EOF while parsing a value at line 1 column 0"),
            ("{}", "", "missing field `id`"),
            (
                r#"{"id":1}"#,
                "",
                "it needs one of `prepare`, `sample`, `digest`, `quit`, `check` and `describe`",
            ),
            (r#"{"id":1,"quit":{},"digest":{}}"#, "", "it needs one of"),
            (r#"{"id":-1,"quit":{}}"#, "id", "invalid value: integer `-1`, expected u64"),
            (r#"{"id":1,"stop":{}}"#, "stop", "unknown field `stop`, expected one of `id`, `prepare`"),
            (r#"{"id":1,"quit":{"now":1}}"#, "quit.now", "unknown field `now`"),
            (r#"{"id":1,"sample":{}}"#, "sample", "missing field `iterations`"),
            (r#"{"id":1,"sample":{"iterations":1.5}}"#, "sample.iterations", "invalid type: floating point"),
            (r#"{"id":1,"prepare":{"workload":"x","threads":1}}"#, "prepare", "missing field `protocol`"),
            (
                r#"{"id":1,"prepare":{"protocol":2,"workload":"x","params":{"a":1.5},"threads":1}}"#,
                "prepare.params.a",
                "a whole number of at least 0 or a text",
            ),
        ] {
            let error = Request::parse(line).unwrap_err();
            let ProtocolError::Malformed { path: found, why: reason, .. } = &error else {
                panic!("{line}: {error:?}");
            };
            assert!(found == path && reason.contains(why), "{line}: {error:?}");
        }
    }

    #[test]
    fn requests_of_other_versions_are_distinguished() {
        for (line, version) in [
            (r#"{"prepare":{"workload":"sum","params":{},"threads":1}}"#, 1),
            (r#"{"sample":{"iterations":1}}"#, 1),
            (r#"{"id":1,"prepare":{"protocol":3,"workload":"sum","colour":"red"}}"#, 3),
        ] {
            let error = Request::parse(line).unwrap_err();
            assert!(matches!(error, ProtocolError::Version { found, .. } if found == version), "{error:?}");
            assert!(error.to_string().contains(&format!("is of protocol {version}, and this")), "{error}");
        }
    }
}
