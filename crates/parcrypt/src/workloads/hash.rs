//! `sha256`: a hash without threads, by the crate sha2.
//!
//! It is measured with an idle parallel runtime, as a workload that does not use it.

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Workload, work};

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
    prepare: |_, message, _, _| {
        let hash = move |hash: &mut [u8; 32], _: &dyn Runtime| {
            *hash = Sha256::digest(black_box(&*message)).into();
        };
        work([0; 32], hash, |hash, take| take(hash))
    },
}];

fn input_bytes(values: &Values) -> u64 {
    1 << values.number("scale")
}
