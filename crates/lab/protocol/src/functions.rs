//! A candidate in three functions.

use std::hint::black_box;

use sha2::{Digest, Sha256};

use crate::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError};

/// Returns a candidate for one workload, which [`run`](crate::run) lets answer requests.
///
/// `prepare` reads the input and does everything that is not measured; an error [`WorkerError::Unsupported`] becomes
/// the response. `work` does the work once, and it alone is timed. `output` returns the canonical bytes of the last
/// result, which are hashed.
///
/// ```
/// use parcrypt_protocol::{Prepare, WorkerError, candidate, serve_on};
///
/// fn prepare(request: &Prepare) -> Result<u64, WorkerError> {
///     Ok(request.required("most", 1, 1 << 40)?)
/// }
///
/// let work = |most: &mut u64| (0..*most).sum::<u64>();
/// let mut counting = candidate("rust", "count", prepare, work, |sum| sum.to_le_bytes().to_vec());
/// let requests = r#"{"id":1,"prepare":{"protocol":2,"workload":"count","params":{"most":10},"threads":1}}
/// {"id":2,"sample":{"iterations":3}}
/// {"id":3,"digest":{}}"#;
/// let mut responses = Vec::new();
/// serve_on(&mut counting, requests.as_bytes(), &mut responses)?;
/// assert!(String::from_utf8_lossy(&responses).contains(r#"{"id":3,"digest":"sha256:"#));
/// # Ok::<(), WorkerError>(())
/// ```
pub fn candidate<State, Output>(
    name: &str,
    workload: &str,
    prepare: impl FnMut(&Prepare) -> Result<State, WorkerError>,
    work: impl FnMut(&mut State) -> Output,
    output: impl FnMut(&Output) -> Vec<u8>,
) -> impl Worker {
    Functions { name: name.to_owned(), workload: workload.to_owned(), prepare, work, output, prepared: None }
}

/// The functions, what was prepared, and the last result.
struct Functions<P, W, O, State, Output> {
    name: String,
    workload: String,
    prepare: P,
    work: W,
    output: O,
    prepared: Option<(State, Option<Output>)>,
}

impl<P, W, O, State, Output> Worker for Functions<P, W, O, State, Output>
where
    P: FnMut(&Prepare) -> Result<State, WorkerError>,
    W: FnMut(&mut State) -> Output,
    O: FnMut(&Output) -> Vec<u8>,
{
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        if request.workload != self.workload {
            return Err(WorkerError::workload(&request.workload, &self.workload));
        }
        self.prepared = Some(((self.prepare)(request)?, None));
        Ok(Ready { name: self.name.clone(), ..Ready::default() })
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let (state, last) = self.prepared.as_mut().ok_or(WorkerError::NotPrepared { request: "sample" })?;
        Sample::time(iterations, || {
            *last = Some(black_box((self.work)(black_box(state))));
            Ok(())
        })
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        let last = self.prepared.as_ref().and_then(|(_, last)| last.as_ref()).ok_or(WorkerError::NoSample)?;
        Ok(OutputDigest(Sha256::digest((self.output)(last)).into()))
    }
}
