//! Requests, which the lab writes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::error::{Message, shown};
use crate::response::{Response, ResponseKind};
use crate::{Params, ProtocolError, VERSION};

/// A numbered request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Number of the request in its conversation, from 1.
    pub id: u64,
    /// Kind of the request, with its fields.
    #[serde(flatten)]
    pub kind: RequestKind,
}

/// Kind of a request, with its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum RequestKind {
    /// Read the input and do everything else that is not measured.
    Prepare(Prepare),
    /// Do the work `iterations` times and report how long that took.
    Sample {
        /// Number of iterations, at least 1.
        iterations: u64,
    },
    /// Return the SHA-256 digest of the last output.
    Digest {},
    /// Return whether work can be done, before anything is prepared.
    Check(Prepare),
    /// Describe the program: its workloads, plans and build.
    Describe {
        /// [`VERSION`] of the sender.
        protocol: u32,
    },
    /// Exit.
    Quit {},
}

impl RequestKind {
    /// Returns the key of the request in the message, such as `prepare`.
    pub fn name(&self) -> &'static str {
        match self {
            RequestKind::Prepare(_) => "prepare",
            RequestKind::Sample { .. } => "sample",
            RequestKind::Digest {} => "digest",
            RequestKind::Check(_) => "check",
            RequestKind::Describe { .. } => "describe",
            RequestKind::Quit {} => "quit",
        }
    }
}

/// The work to prepare or to check.
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
    /// Path of the input file, if the workload has one; a check has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<PathBuf>,
    /// Bytes of memory to write before each sample, which is then one iteration with cold caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evict: Option<u64>,
}

impl Request {
    /// Parses a line.
    ///
    /// # Errors
    /// [`ProtocolError::Malformed`] with the path of the field; [`ProtocolError::Version`] if the request has
    /// another version of the protocol.
    pub(crate) fn parse(line: &str) -> Result<Self, ProtocolError> {
        #[derive(Deserialize)]
        struct Number {
            id: u64,
        }
        let message = Message { kind: "request", line };
        let mut json = message.json()?;
        // A newer version may have unknown fields, so the version is checked first.
        let named = ["prepare", "check", "describe"].iter().find_map(|key| json.get(key)?.get("protocol"));
        if let Some(found) = named.and_then(Json::as_u64).filter(|found| *found != u64::from(VERSION)) {
            return Err(ProtocolError::Version { line: shown(line), found });
        }
        let Number { id } = message.parsed(json.clone())?;
        let fields = json.as_object_mut().map_or(0, |object| {
            object.remove("id");
            object.len()
        });
        if fields != 1 {
            return Err(message.malformed(
                "",
                "it needs one of `prepare`, `sample`, `digest`, `quit`, `check` and `describe`",
            ));
        }
        Ok(Request { id, kind: message.parsed(json)? })
    }

    /// Parses a line as the response to this request.
    ///
    /// # Errors
    /// A [`ProtocolError`] if the line is not a response, has another `id`, or answers another kind of request.
    pub fn parse_response(&self, line: &str) -> Result<ResponseKind, ProtocolError> {
        let Response { id, kind } = Response::parse(line)?;
        if id != self.id {
            return Err(ProtocolError::WrongId { line: shown(line), expected: self.id, found: id });
        }
        match (&self.kind, &kind) {
            (RequestKind::Prepare(_), ResponseKind::Ready(_) | ResponseKind::Unsupported(_))
            | (RequestKind::Sample { .. }, ResponseKind::Sample(_) | ResponseKind::Unsupported(_))
            | (RequestKind::Digest {}, ResponseKind::Digest(_))
            | (
                RequestKind::Check(_),
                ResponseKind::Fits(_) | ResponseKind::Refused(_) | ResponseKind::Unsupported(_),
            )
            | (RequestKind::Describe { .. }, ResponseKind::Description(_) | ResponseKind::Unsupported(_)) => {
                Ok(kind)
            }
            _ => Err(ProtocolError::WrongKind { line: shown(line), request: self.kind.name() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_table_are_the_messages() {
        let check = Prepare {
            protocol: VERSION,
            workload: "sum".into(),
            params: Params::new(),
            threads: 2,
            input: None,
            evict: None,
        };
        let params = Params::from([("scale".into(), 20.into())]);
        let prepare = Prepare { params, input: Some("FILE".into()), evict: Some(4096), ..check.clone() };
        for (kind, fields) in [
            (
                RequestKind::Prepare(prepare),
                r#""prepare":{"protocol":2,"workload":"sum","params":{"scale":20},"threads":2,"input":"FILE","evict":4096}"#,
            ),
            (RequestKind::Sample { iterations: 3 }, r#""sample":{"iterations":3}"#),
            (RequestKind::Digest {}, r#""digest":{}"#),
            (RequestKind::Quit {}, r#""quit":{}"#),
            (RequestKind::Check(check), r#""check":{"protocol":2,"workload":"sum","params":{},"threads":2}"#),
            (RequestKind::Describe { protocol: VERSION }, r#""describe":{"protocol":2}"#),
        ] {
            let request = Request { id: 7, kind };
            let line = format!("{{\"id\":7,{fields}}}");
            assert_eq!(serde_json::to_string(&request).unwrap(), line);
            assert_eq!(Request::parse(&line), Ok(request));
        }
    }
}
