//! Messages of the protocol between the lab and its candidates, and the loop of a candidate that answers them.
//!
//! Each message is one line of JSON. The lab writes requests to the candidate's standard input; the candidate writes
//! one response to each on its standard output. Both carry a number: a response repeats the `id` of its request.
//!
//! | request | response |
//! |---|---|
//! | `{"id":1,"prepare":{"protocol":2,"workload":"sum","params":{"scale":20},"threads":2,"input":"FILE"}}` | `{"id":1,"ready":{"name":"…"}}` or `{"id":1,"unsupported":"why"}` |
//! | `{"id":2,"sample":{"iterations":3}}` | `{"id":2,"elapsed_ns":58912345}`, with `phases` and `counts` where there are any; or `counts` without a time |
//! | `{"id":3,"digest":{}}` | `{"id":3,"digest":"sha256:…"}` of the canonical bytes of the output |
//! | `{"id":4,"quit":{}}` | none; the candidate exits with code 0 |
//! | `{"id":5,"check":{"protocol":2,"workload":"sum","params":{"scale":20},"threads":2}}` | `{"id":5,"fits":{"memory":1048576}}`, `{"id":5,"refused":{"part":"workload","why":"…"}}`, or `unsupported` |
//! | `{"id":6,"describe":{"protocol":2}}` | `{"id":6,"description":{"name":"…"}}` or `unsupported` |
//!
//! A candidate that cannot answer a request writes the reason to standard error and exits with a code other than 0.
//!
//! A candidate implements [`Worker`], or is made of three functions by [`candidate`], and calls [`run`]; tests call
//! [`serve_on`]:
//!
//! ```
//! use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, serve_on};
//!
//! /// Counts to a million.
//! struct Count(u64);
//!
//! impl Worker for Count {
//!     fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
//!         match request.workload.as_str() {
//!             "count" => Ok(Ready { name: "count".to_owned(), threads: 1, ..Ready::default() }),
//!             other => Err(WorkerError::workload(other, "count")),
//!         }
//!     }
//!
//!     fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
//!         Sample::time(iterations, || {
//!             self.0 = std::hint::black_box((0..1_000_000).map(|_| 1).sum());
//!             Ok(())
//!         })
//!     }
//!
//!     fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
//!         // A real candidate hashes its output with SHA-256.
//!         Ok(OutputDigest([self.0 as u8; 32]))
//!     }
//! }
//!
//! let requests = r#"{"id":1,"prepare":{"protocol":2,"workload":"count","params":{},"threads":1}}
//! {"id":2,"sample":{"iterations":3}}
//! {"id":3,"quit":{}}"#;
//! let mut responses = Vec::new();
//! serve_on(&mut Count(0), requests.as_bytes(), &mut responses)?;
//! assert!(responses.starts_with(br#"{"id":1,"ready":{"name":"count","version":"","#));
//! # Ok::<(), WorkerError>(())
//! ```
//!
//! It depends on no other crate of the workspace, so that candidates outside of it can use it. A field of a message is
//! added in `request` or `response`: the lab ignores fields of responses that it does not know, and a candidate refuses
//! such fields of requests. A change that old programs would misread raises [`VERSION`].

mod error;
pub mod escape;
mod functions;
pub mod input;
pub mod memory;
mod params;
mod request;
mod response;
mod worker;

pub use error::{ProtocolError, WorkerError};
pub use functions::candidate;
pub use params::{ParamError, Params, Value};
pub use request::{Prepare, Request, RequestKind};
pub use response::{Description, Fits, NamedPlan, OutputDigest, Part, Ready, Refusal, ResponseKind, Sample};
pub use worker::{STATUS_ERROR, Worker, run, serve, serve_on};

/// Version of the protocol, which a `prepare` request names.
pub const VERSION: u32 = 2;

/// Length limit of a message with its end of line, in bytes.
pub const MAX_LINE: usize = 1 << 20;

/// Returns a time in ns.
pub fn nanoseconds(time: std::time::Duration) -> u64 {
    // 2^64 ns are 584 years.
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
