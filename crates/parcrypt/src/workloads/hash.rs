//! `sha256`: a hash without threads, by the crate sha2.
//!
//! It is measured with an idle parallel runtime, as a workload that does not use it.

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload};

const PARAMS: &[Parameter] = &[Parameter::number("scale", "the message has 2^scale bytes", 0..=40, None)];

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "sha256",
    about: "SHA-256 of a message, on the caller's thread alone.",
    params: PARAMS,
    // The crate chooses its own code for the processor while it runs.
    table: "sha256",
    backends: |_| vec![Backend::Sha2],
    other_tables: &[],
    input: "2^scale bytes of any value.",
    output: "The hash, 32 bytes.",
    input_bytes,
    memory: input_bytes,
    prepare,
}];

fn input_bytes(values: &Values) -> u64 {
    1 << values.number("scale")
}

fn prepare(_: &Values, message: Aligned<u8>, _: &dyn Runtime, _: &Rows) -> Result<Box<dyn Prepared>, Error> {
    Ok(Box::new(Hash { message, hash: [0; 32] }))
}

struct Hash {
    message: Aligned<u8>,
    hash: [u8; 32],
}

impl Prepared for Hash {
    fn iterate(&mut self, _: &dyn Runtime) {
        self.hash = black_box(Sha256::digest(black_box(&*self.message)).into());
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.hash);
    }
}
