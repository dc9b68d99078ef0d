//! The sum of a file's bytes, as a candidate for the workload `sum`.

use std::process::ExitCode;

use parcrypt_protocol::{Prepare, WorkerError, candidate, run};

fn prepare(request: &Prepare) -> Result<Vec<u8>, WorkerError> {
    std::fs::read(request.input()?).map_err(WorkerError::other)
}

fn main() -> ExitCode {
    let work = |data: &mut Vec<u8>| data.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    let output = |total: &u64| total.to_le_bytes().to_vec();
    run(&mut candidate("rust", "sum", prepare, work, output))
}
