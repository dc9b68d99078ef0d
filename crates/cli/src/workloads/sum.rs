//! `sum` and `read`: the limits of memory bandwidth.

use std::hint::black_box;

use parcrypt_runtime::Runtime;
use parcrypt_sum::{ReadLimit, Sum};

use crate::workload::params::{Effect, Kind, Parameter, Values};
use crate::workload::{Aligned, Error, Known, Prepared, Stream, Workload};

const PARAMS: &[Parameter] = &[Parameter {
    name: "scale",
    about: "the input has 2^scale bytes",
    kind: Kind::Number { least: 0, most: 40, default: None },
    effect: Effect::Output,
}];

// The known answers are from Python, where `b` is the input and `w` its words:
//     def hashes(n): return b''.join(sha256(i.to_bytes(8, 'little')).digest() for i in range(-(-n // 32)))[:n]
//     w = memoryview(b + bytes(-len(b) % 8)).cast('Q')
//     sha256(sum(b).to_bytes(8, 'little')).hexdigest()
//     sha256(reduce(xor, w).to_bytes(8, 'little')).hexdigest()

/// Sizes around the vectors, the streams and the pieces of a kernel.
const SMALL: &[&str] =
    &["scale=0", "scale=2", "scale=3", "scale=6", "scale=8", "scale=12", "scale=19", "scale=21"];

const INPUT: &str = "2^scale bytes of any value.";

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "sum",
        about: "The sum of the bytes of an array.",
        params: PARAMS,
        table: "sum",
        backends: Sum::backends,
        other_tables: &[],
        input: INPUT,
        output: "The sum modulo 2^64 as 8 bytes, little-endian.",
        input_bytes,
        memory: input_bytes,
        prepare: |_, data, _, backend| {
            let sum = Sum::new(backend.into()).map_err(cpu_error)?;
            Ok(Box::new(Pass { data: Aligned::new(data), output: 0, plan: sum, run: Sum::run }))
        },
        reference: |_, data| {
            let sum = data.iter().fold(0u64, |sum, byte| sum.wrapping_add(u64::from(*byte)));
            Ok(sum.to_le_bytes().to_vec())
        },
        small: SMALL,
        known: &[
            Known {
                params: "scale=0",
                input: Stream::Byte(255),
                sha256: "159754eeb1b8e153388279fd7cdf7c3224b6052d1b93d07e03beb4375a3a59f7",
            },
            Known {
                params: "scale=20",
                input: Stream::Hashes,
                sha256: "35d73609cc0d8a5b18ba24c7417b2d9690604b7c12f36db7a0594b279c584a56",
            },
            Known {
                params: "scale=25",
                input: Stream::Hashes,
                sha256: "aca7b5202b6106f4be72a0eb6c583457c13b7e2120484eb79e84bd2821e5cdaa",
            },
            Known {
                params: "scale=25",
                input: Stream::Byte(255),
                sha256: "5d67f6f9a4f37b99f334307e945f723c4d707f1bcce9b7e836badd639bbf15e8",
            },
        ],
    },
    Workload {
        name: "read",
        about: "Reading an array with the least arithmetic: the most that a sum of it can reach.",
        params: PARAMS,
        table: "sum",
        backends: ReadLimit::backends,
        other_tables: &[],
        input: INPUT,
        output: "The exclusive-or of all 64-bit little-endian words, the last one filled up with zero bytes, as 8 \
                 bytes, little-endian.",
        input_bytes,
        memory: input_bytes,
        prepare: |_, data, _, backend| {
            let limit = ReadLimit::new(backend.into()).map_err(cpu_error)?;
            Ok(Box::new(Pass { data: Aligned::new(data), output: 0, plan: limit, run: ReadLimit::run }))
        },
        reference: |_, data| {
            let mut word = [0; 8];
            data.iter().enumerate().for_each(|(i, byte)| word[i % 8] ^= byte);
            Ok(word.to_vec())
        },
        small: SMALL,
        known: &[
            Known {
                params: "scale=0",
                input: Stream::Byte(255),
                sha256: "159754eeb1b8e153388279fd7cdf7c3224b6052d1b93d07e03beb4375a3a59f7",
            },
            Known {
                params: "scale=20",
                input: Stream::Hashes,
                sha256: "8312a4dcbb9d0ac49c7ca14e86ef1721023c741ee43ba1e7a1c0dfd116e08e3c",
            },
            Known {
                params: "scale=25",
                input: Stream::Hashes,
                sha256: "68e3123ba576b4d93eaa62b539ff409e66f04e2c3aee271189d4571b467df636",
            },
        ],
    },
];

fn input_bytes(values: &Values) -> u64 {
    1 << values.number("scale")
}

fn cpu_error(error: parcrypt_sum::Error) -> Error {
    match error {
        parcrypt_sum::Error::Backend(error) => Error::Backend(error),
        other => Error::Other { what: other.to_string() },
    }
}

/// One pass over the data, with one word of output.
struct Pass<P> {
    data: Aligned<u8>,
    output: u64,
    plan: P,
    run: fn(&P, &dyn Runtime, &[u8]) -> u64,
}

impl<P> Prepared for Pass<P> {
    fn iterate(&mut self, rt: &dyn Runtime) {
        self.output = black_box((self.run)(&self.plan, rt, black_box(self.data.all())));
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.output.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::text::hex;
    use crate::workload::params::parse;

    #[test]
    fn the_definition_gives_the_answers_of_python() {
        for workload in WORKLOADS {
            for known in workload.known {
                let values = workload.values(&parse(known.params)).unwrap();
                let input = known.input.bytes(input_bytes(&values) as usize);
                let output = (workload.reference)(&values, &input).unwrap();
                assert_eq!(hex(&Sha256::digest(output)), known.sha256, "{} {known:?}", workload.name);
            }
        }
    }
}
