//! A candidate of the lab with a published mistake: the sum of bytes by Rayon, with eight bytes of memory for each
//! byte.
//!
//! The published programs over ranks summed an array of bytes and the one with Rayon an array of 64-bit integers, eight
//! times the memory. This candidate reproduces the latter.

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;
use std::time::Instant;

use parallel_sum::{Adder, Candidate, SumError, Summed, Variant, Work};
use parcrypt_protocol::{Ready, WorkerError, nanoseconds};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Prepared input.
#[derive(Default)]
struct EightByte {
    elements: Vec<u64>,
    pool: Option<ThreadPool>,
}

impl Adder for EightByte {
    fn prepare(&mut self, work: &Work, mut input: File) -> Result<Ready, WorkerError> {
        if work.variant != Variant::EightByteElements {
            let why = format!("the variant {} is not in sum-eight-byte", work.variant.name());
            return Err(WorkerError::Unsupported(why));
        }
        let begun = Instant::now();
        let bytes = work.bytes as usize;
        self.elements.try_reserve_exact(bytes).map_err(|_| SumError::Memory(8 * work.bytes))?;
        let mut piece = vec![0; 1 << 20];
        while self.elements.len() < bytes {
            let rest = bytes - self.elements.len();
            let piece = &mut piece[..rest.min(1 << 20)];
            input.read_exact(piece).map_err(SumError::Input)?;
            self.elements.extend(piece.iter().map(|byte| u64::from(*byte)));
        }
        let pool = ThreadPoolBuilder::new().num_threads(work.threads).build();
        let pool = pool.map_err(|e| WorkerError::Unsupported(format!("{} threads: {e}", work.threads)))?;
        let threads = pool.current_num_threads();
        self.pool = Some(pool);
        Ok(Ready {
            name: "sum-eight-byte".to_owned(),
            runtime: "rayon".to_owned(),
            threads,
            phases: [("read".to_owned(), nanoseconds(begun.elapsed()))].into(),
            ..Ready::default()
        })
    }

    fn sample(&mut self, iterations: u64) -> Summed {
        let Some(pool) = &self.pool else { return Summed::default() };
        let begun = Instant::now();
        let mut sum = 0;
        for _ in 0..iterations {
            let elements = std::hint::black_box(&self.elements);
            sum = pool.install(|| elements.par_iter().sum());
        }
        Summed { elapsed_ns: nanoseconds(begun.elapsed()), sum, ..Summed::default() }
    }
}

fn main() -> ExitCode {
    parcrypt_protocol::run(&mut Candidate::new(EightByte::default()))
}
