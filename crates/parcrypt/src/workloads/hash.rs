//! `sha256`: a hash without threads, by the crate sha2.
//!
//! It is measured with an idle parallel runtime, as a workload that does not use it.

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, known};

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
    // Also around the padding: a block has 64 bytes. From Python, where `b` is the input:
    //     sha256(sha256(b).digest()).hexdigest()
    known: known! {
        hashes "scale=0" "e4cb8bea8e39877ea4bc52ed73e09ef30ea1a8b75f87a4f9e5579546c04be329";
        hashes "scale=6" "bdcbb89e3c7e9ee6ff0dc334acc3030d29b169ab4a8f6f649e3e8bc627126255";
        hashes "scale=11" "8f84f4c1bc26847bf1590a970568e7aa37a46e015161cc0036a2d31b7751542c";
        hashes "scale=20" "651a51af87120b58da30cd468336d21497ef4b3d3d2812a81efd2b70a4d5ee4a";
        255 "scale=6" "deedbcecde05c2b4e238519c936535b753cb1b5fe2d1a049d169389c795ae490";
        hashes "scale=5" "ad60c1eeb72c638a0ab6188108c744c0532671580b56068f1130410ea062a69e";
        hashes "scale=7" "1e47a03f32f8ee2aebb8633de7098471df52a10dd73e4f765b02da1d1d9e99f9";
        hashes "scale=12" "47cd5cc51de859fb3a4de5ec845e5aefed6e4b9e9a9dc60faa4097e22212f4ae";
    },
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
