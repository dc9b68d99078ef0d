//! What the lab and a candidate say to each other: one JSON object a line, each answered by one.
//!
//! | the lab says | the candidate answers |
//! |---|---|
//! | `{"prepare":{"workload":"sum","params":{"scale":20},"threads":2,"input":"FILE"}}` | `{"ready":{"name":"…"}}`, if it can with `"phases":{…}`, or `{"unsupported":"why"}` |
//! | `{"sample":{"iterations":3}}` | `{"elapsed_ns":58912345}`, and if it can `"phases":{…}`, `"counts":{…}`; or these without a time |
//! | `{"digest":{}}` | `{"digest":"sha256:…"}` of the answer's canonical bytes |
//! | `{"quit":{}}` | nothing; exit 0 |
//!
//! A candidate that has a problem says so on standard error and ends with a code that is not 0.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::record::{Params, Ready};

/// What the lab says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// Read the input and make everything ready that is not part of the measured work.
    Prepare(Prepare),
    /// Do the work so many times and say how long it took.
    Sample {
        /// At least 1.
        iterations: u64,
    },
    /// Say what the answer was.
    Digest {},
    /// End.
    Quit {},
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// The workload's name.
    pub workload: String,
    /// Its parameters.
    pub params: Params,
    /// Threads or ranks to work with, at least 1.
    pub threads: usize,
    /// The input file, where the workload has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<PathBuf>,
}

/// What a candidate answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Response {
    /// To `prepare`: everything is ready.
    Ready {
        /// What it is.
        ready: Ready,
    },
    /// To `prepare`: this cannot be done here.
    Unsupported {
        /// Why.
        unsupported: String,
    },
    /// To `sample`.
    Sample {
        /// How long all iterations took together.
        elapsed_ns: u64,
        /// Parts of that time by name, in nanoseconds.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        phases: BTreeMap<String, u64>,
        /// Things counted, as instructions.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        counts: BTreeMap<String, u64>,
    },
    /// To `sample`, by a candidate whose time means nothing, as under an emulator.
    Counted {
        /// Things counted, as instructions.
        counts: BTreeMap<String, u64>,
        /// Parts by name of the count that the case compares.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        phases: BTreeMap<String, u64>,
    },
    /// To `digest`.
    Digest {
        /// `sha256:` and 64 hexadecimal digits.
        digest: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_table_are_what_is_written() {
        let prepare = Request::Prepare(Prepare {
            workload: "sum".into(),
            params: Params::from([("scale".into(), crate::record::Value::Number(20))]),
            threads: 2,
            input: Some("FILE".into()),
        });
        for (request, line) in [
            (prepare, r#"{"prepare":{"workload":"sum","params":{"scale":20},"threads":2,"input":"FILE"}}"#),
            (Request::Sample { iterations: 3 }, r#"{"sample":{"iterations":3}}"#),
            (Request::Digest {}, r#"{"digest":{}}"#),
            (Request::Quit {}, r#"{"quit":{}}"#),
        ] {
            assert_eq!(serde_json::to_string(&request).unwrap(), line);
            assert_eq!(serde_json::from_str::<Request>(line).unwrap(), request);
        }
    }

    #[test]
    fn answers_are_told_apart() {
        let parse = |line: &str| serde_json::from_str::<Response>(line);
        assert!(
            matches!(parse(r#"{"ready":{"name":"x"}}"#), Ok(Response::Ready { ready }) if ready.name == "x")
        );
        assert!(matches!(parse(r#"{"unsupported":"no"}"#), Ok(Response::Unsupported { .. })));
        assert!(matches!(parse(r#"{"elapsed_ns":5}"#), Ok(Response::Sample { elapsed_ns: 5, .. })));
        assert!(matches!(parse(r#"{"elapsed_ns":5,"counts":{"n":1}}"#), Ok(Response::Sample { .. })));
        assert!(matches!(parse(r#"{"counts":{"n":1}}"#), Ok(Response::Counted { .. })));
        assert!(matches!(parse(r#"{"digest":"sha256:00"}"#), Ok(Response::Digest { .. })));
        for malformed in
            ["", "{}", "[]", "7", r#"{"elapsed_ns":-5}"#, r#"{"elapsed_ns":1e3}"#, r#"{"ready":1}"#]
        {
            assert!(parse(malformed).is_err(), "{malformed}");
        }
    }
}
