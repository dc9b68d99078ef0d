//! Responses, which a candidate writes. A field that this version does not know is ignored, because a candidate may be
//! newer than the lab.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::error::{Message, shown};
use crate::{ProtocolError, VERSION, memory, nanoseconds};

/// The response to the request with the same `id`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Response {
    /// `id` of the request.
    pub(crate) id: u64,
    /// Kind of the response, with its fields.
    #[serde(flatten)]
    pub(crate) kind: ResponseKind,
}

/// Kind of a response, with its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResponseKind {
    /// To `prepare`: everything is ready.
    Ready(Ready),
    /// To `prepare`: the candidate does not support this work here, with the reason.
    Unsupported(String),
    /// To `digest`.
    Digest(OutputDigest),
    /// To `check`: the work can be done.
    Fits(Fits),
    /// To `check`: the work cannot be done, with what to correct.
    Refused(Refusal),
    /// To `describe`.
    Description(Description),
    /// To `sample`; its fields are those of the response.
    #[serde(untagged)]
    Sample(Sample),
}

/// What work needs that can be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fits {
    /// Memory in bytes while it is prepared and measured.
    #[serde(default)]
    pub memory: u64,
}

/// Why work cannot be done, by what to correct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What to correct.
    pub part: Part,
    /// A description of the error and of the values that are allowed.
    pub why: String,
}

/// A part of what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The workload or a parameter of it.
    Workload,
    /// The number of threads.
    Threads,
    /// The candidate's options or a parameter that does not change the output; also a part that only newer candidates
    /// name.
    #[serde(other)]
    Candidate,
}

/// What a program says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Name of the program.
    pub name: String,
    /// Names of the backends that this machine can run.
    #[serde(default)]
    pub backends: Vec<String>,
    /// Facts about its build for records, by name.
    #[serde(default)]
    pub build: BTreeMap<String, String>,
    /// Its plans, in TOML.
    #[serde(default)]
    pub plans: Vec<NamedPlan>,
    /// A line for users below the results of its own workloads, as how to compare them with other libraries.
    #[serde(default)]
    pub hint: String,
}

/// A plan that a program has built in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedPlan {
    /// Its name.
    pub name: String,
    /// Its text, in TOML.
    pub text: String,
}

/// Properties that a candidate reports when it is ready: those in effect, not those that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// Name of the candidate, such as `parcrypt` or `numpy`.
    pub name: String,
    /// Version of the candidate.
    #[serde(default)]
    pub version: String,
    /// The runtime, such as `openmp`.
    #[serde(default)]
    pub runtime: String,
    /// The backend, such as `avx512`.
    #[serde(default)]
    pub backend: String,
    /// Threads or ranks.
    #[serde(default)]
    pub threads: usize,
    /// Bytes of memory that it writes before each sample, if it was asked to. [`serve_on`](crate::serve_on) sets this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evict: Option<u64>,
    /// Times of steps before the measured work, by name, in ns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, u64>,
}

/// Measurements of a candidate over all iterations of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Time in ns; `None` if the candidate's time is meaningless, as under an emulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
    /// Parts of the time, in ns, or of the count that the case compares, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, u64>,
    /// Counts by name, such as `instructions`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
}

impl Sample {
    /// Times `iterations` calls of `once`, and records the process's peak memory.
    ///
    /// # Errors
    /// The first error of `once`.
    pub fn time<E>(iterations: u64, mut once: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let begun = Instant::now();
        for _ in 0..iterations {
            once()?;
        }
        Ok(Sample::with_peak(nanoseconds(begun.elapsed()), memory::peak()))
    }

    /// Returns a sample of a time in ns and a peak memory in bytes, if that is known.
    pub fn with_peak(elapsed_ns: u64, peak: Option<u64>) -> Self {
        let counts = peak.map(|bytes| ("peak-memory-bytes".to_owned(), bytes)).into_iter().collect();
        Sample { elapsed_ns: Some(elapsed_ns), phases: BTreeMap::new(), counts }
    }
}

/// SHA-256 digest of the canonical bytes of an output; written as `sha256:` and 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutputDigest(pub [u8; 32]);

impl fmt::Display for OutputDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl TryFrom<String> for OutputDigest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64);
        let Some(digits) = digits.filter(|digits| digits.bytes().all(is_digit)) else {
            let text = shown(&text);
            return Err(format!("`{text}` is not `sha256:` and 64 hexadecimal digits in lower case"));
        };
        let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap_or(0);
        Ok(OutputDigest(std::array::from_fn(byte)))
    }
}

impl From<OutputDigest> for String {
    fn from(digest: OutputDigest) -> Self {
        digest.to_string()
    }
}

/// The fields of all kinds of responses.
#[derive(Deserialize)]
struct Line {
    id: u64,
    ready: Option<Ready>,
    unsupported: Option<String>,
    elapsed_ns: Option<u64>,
    phases: Option<BTreeMap<String, u64>>,
    counts: Option<BTreeMap<String, u64>>,
    digest: Option<OutputDigest>,
    fits: Option<Fits>,
    refused: Option<Refusal>,
    description: Option<Description>,
}

impl Response {
    /// Parses a line.
    pub(crate) fn parse(line: &str) -> Result<Self, ProtocolError> {
        let message = Message { kind: "response", line };
        let json = message.json()?;
        if json.is_object() && json.get("id").is_none() {
            let why = format!(
                "missing field `id`, which repeats the number of the request: this lab speaks protocol {VERSION}; \
                 update a candidate of an older protocol"
            );
            return Err(message.malformed("", why));
        }
        let Line { id, ready, unsupported, elapsed_ns, phases, counts, digest, fits, refused, description } =
            message.parsed::<Line>(json)?;
        let is_sample = elapsed_ns.is_some() || counts.is_some();
        // Phases belong to a sample.
        let is_whole = is_sample || phases.is_none();
        let (phases, counts) = (phases.unwrap_or_default(), counts.unwrap_or_default());
        let sample = is_sample.then_some(ResponseKind::Sample(Sample { elapsed_ns, phases, counts }));
        let kinds = [
            ready.map(ResponseKind::Ready),
            unsupported.map(ResponseKind::Unsupported),
            sample,
            digest.map(ResponseKind::Digest),
            fits.map(ResponseKind::Fits),
            refused.map(ResponseKind::Refused),
            description.map(ResponseKind::Description),
        ];
        let mut kinds = kinds.into_iter().flatten();
        match (kinds.next(), kinds.next()) {
            (Some(kind), None) if is_whole => Ok(Response { id, kind }),
            _ => Err(message.malformed(
                "",
                "it needs one of `ready`, `unsupported`, `digest`, `fits`, `refused`, `description`, and \
                 `elapsed_ns` or `counts`",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_round_trip() {
        let digest = OutputDigest(std::array::from_fn(|i| i as u8));
        let digits: String = (0..32).map(|i| format!("{i:02x}")).collect();
        let (digits, counts) = (format!(r#""digest":"sha256:{digits}""#), [("n".into(), 1)].into());
        let ready = Ready { name: "x".into(), threads: 2, ..Ready::default() };
        let refusal = Refusal { part: Part::Threads, why: "no".into() };
        for (kind, fields) in [
            (
                ResponseKind::Ready(ready),
                r#""ready":{"name":"x","version":"","runtime":"","backend":"","threads":2}"#,
            ),
            (ResponseKind::Unsupported("no".into()), r#""unsupported":"no""#),
            (ResponseKind::Sample(Sample::with_peak(5, None)), r#""elapsed_ns":5"#),
            (ResponseKind::Sample(Sample { counts, ..Sample::default() }), r#""counts":{"n":1}"#),
            (ResponseKind::Fits(Fits { memory: 7 }), r#""fits":{"memory":7}"#),
            (ResponseKind::Refused(refusal), r#""refused":{"part":"threads","why":"no"}"#),
            (ResponseKind::Digest(digest), &digits),
        ] {
            let response = Response { id: 3, kind };
            let line = format!("{{\"id\":3,{fields}}}");
            assert_eq!(serde_json::to_string(&response).unwrap(), line);
            assert_eq!(Response::parse(&line), Ok(response));
        }
    }

    #[test]
    fn fields_of_a_newer_candidate_are_ignored() {
        for (fields, known) in [
            (r#""ready":{"name":"x","colour":1,"phases":{}},"later":[]"#, r#""ready":{"name":"x"}"#),
            (r#""elapsed_ns":5,"joules":{"cpu":2}"#, r#""elapsed_ns":5"#),
            (r#""fits":{"memory":7,"disk":1}"#, r#""fits":{"memory":7}"#),
            (
                r#""refused":{"part":"colour","why":"no","hint":"red"}"#,
                r#""refused":{"part":"candidate","why":"no"}"#,
            ),
            (
                r#""description":{"name":"x","colour":1,"plans":[{"name":"p","text":"","colour":1}]}"#,
                r#""description":{"name":"x","plans":[{"name":"p","text":""}]}"#,
            ),
        ] {
            let [response, known] =
                [fields, known].map(|fields| Response::parse(&format!("{{\"id\":3,{fields}}}")));
            assert!(response.is_ok() && response == known, "{response:?}");
        }
    }

    #[test]
    fn an_error_names_the_field() {
        for (line, path) in [
            ("", ""),
            ("[]", ""),
            ("7", ""),
            (r#"{"id":1}"#, ""),
            (r#"{"id":1,"phases":{}}"#, ""),
            (r#"{"id":1,"elapsed_ns":5,"digest":"sha256:00"}"#, "digest"),
            (r#"{"id":1,"elapsed_ns":-5}"#, "elapsed_ns"),
            (r#"{"id":1,"elapsed_ns":1e3}"#, "elapsed_ns"),
            (r#"{"id":1,"counts":{"n":"many"}}"#, "counts.n"),
            (r#"{"id":1,"ready":{"name":"x","threads":-1}}"#, "ready.threads"),
            (r#"{"id":1,"ready":{"name":"x"},"elapsed_ns":1}"#, ""),
            (r#"{"id":1,"digest":"42"}"#, "digest"),
        ] {
            match Response::parse(line) {
                Err(ProtocolError::Malformed { path: found, .. }) => assert_eq!(found, path, "{line}"),
                other => panic!("{line}: {other:?}"),
            }
        }
        let upper = format!("sha256:{}", "AB".repeat(32));
        assert!(
            OutputDigest::try_from(upper.to_lowercase()).is_ok() && OutputDigest::try_from(upper).is_err()
        );
    }
}
