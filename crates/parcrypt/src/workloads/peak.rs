//! `sum-peak`, `ntt-peak` and `gmac-peak`: the operation of a kernel in registers alone, the arithmetic ceiling of a
//! roofline.

use std::hint::black_box;

use parcrypt_cpu::{Registers, Request};
use parcrypt_mac::{CarrylessLimit, Gmac};
use parcrypt_ntt::MultiplyLimit;
use parcrypt_protocol::Work;
use parcrypt_runtime::{Cost, Runtime, for_each};
use parcrypt_sum::{AddLimit, Sum};

use super::{mac, ntt, sum};
use crate::workload::params::{Parameter, Values};
use crate::workload::{Error, Prepared, Workload, known};

const PARAMS: &[Parameter] = &[
    Parameter::number(
        "scale",
        "the input has 2^scale bytes, like the input of the kernel that is compared with it",
        0..=40,
        None,
    ),
    Parameter::number(
        "steps",
        "how often each register is computed, in each thread",
        1..=1 << 32,
        Some(1 << 16),
    ),
];

const INPUT: &str =
    "2^scale bytes of any value. 768 bytes of registers begin with the first of them, cyclically.";

/// Below and above the size of the registers.
const SMALL: &[&str] = &["scale=0 steps=1", "scale=9 steps=100", "scale=10 steps=3", "scale=14 steps=1000"];

// The known answers are from Python, where `b` is the input:
//     r = bytes(b[i % len(b)] for i in range(768))
//     sum-peak:  w = [int.from_bytes(r[i:i+8], 'little') for i in range(0, 768, 8)]
//                for _ in range(steps): w = [(x + sum(x.to_bytes(8, 'little'))) % 2**64 for x in w]
//                out = b''.join(x.to_bytes(8, 'little') for x in w)
//     ntt-peak:  v = [[int.from_bytes(r[64*i+2*j:64*i+2*j+2], 'little') | 1 for j in range(32)] for i in range(12)]
//                for _ in range(steps):
//                    for i in range(12): v[i] = [x * y % 2**16 for x, y in zip(v[i], v[(i + 1) % 12])]
//                out = b''.join(x.to_bytes(2, 'little') for row in v for x in row)
//     gmac-peak: n = [int.from_bytes(r[i:i+16], 'little') for i in range(0, 768, 16)]
//                clmul = lambda x: reduce(xor, (0x9e3779b97f4a7c15 << i for i in range(64) if x >> i & 1), 0)
//                for _ in range(steps): n = [clmul(x % 2**64) for x in n]
//                out = b''.join(x.to_bytes(16, 'little') for x in n)
//     sha256(out).hexdigest()
const SUM_PEAK: Workload = Workload {
    name: "sum-peak",
    about: "Additions of bytes in registers: the arithmetic ceiling of `sum`.",
    params: PARAMS,
    table: "sum",
    backends: |_| Sum::backends(),
    other_tables: &[],
    input: INPUT,
    output: "The registers after all steps, in each of which the sum of the bytes of a 64-bit \
             little-endian word is added to the word.",
    input_bytes,
    memory,
    prepare: |values, data, rt, rows| {
        let run = additions(rows.backend().into())?;
        Ok(peak(values, &data, rt, run, sum::ADDITIONS, AddLimit::ADDITIONS, 0))
    },
    reference: |values, data| Ok(reference(values, data, 0, &*additions(Request::Baseline)?)),
    small: SMALL,
    known: known! {
        hashes "scale=10 steps=1" "d9912322f4d431c6323bc4cc27c554b53d6e7286c8ab5847b33d9399e7cab6bc";
        255 "scale=20 steps=1365" "83967ed0252518c659246e84a9f9f53669397447850bc4c805b1e49833adcc9f";
    },
};

pub(super) const WORKLOADS: &[Workload] = &[
    SUM_PEAK,
    Workload {
        name: "ntt-peak",
        about: "Multiplications of 16-bit numbers in registers: the arithmetic ceiling of `ntt-product` modulo 3329.",
        table: "ntt",
        backends: |_| MultiplyLimit::backends(),
        output: "The registers, made odd 16-bit little-endian numbers first, after all steps, in each of \
                 which a number is multiplied by the one 64 bytes later, from the first 64 bytes to the last, which \
                 the first follow.",
        prepare: |values, data, rt, rows| {
            let run = multiplications(rows.backend().into())?;
            Ok(peak(values, &data, rt, run, ntt::MULTIPLICATIONS, MultiplyLimit::MULTIPLICATIONS, ODD))
        },
        reference: |values, data| Ok(reference(values, data, ODD, &*multiplications(Request::Baseline)?)),
        known: known! {
            hashes "scale=10 steps=1" "44d3d689c0473952532c1a4c6f05929cbf63aeab5e1570fe8d1d1b948dbff8ed";
            hashes "scale=20 steps=1365" "33ad7430f5513c8ddb754850eaf5cdfcab1e485c59b0d1f67615e50ef239f561";
        },
        ..SUM_PEAK
    },
    Workload {
        name: "gmac-peak",
        about: "Carry-less products of 64 bits in registers: the arithmetic ceiling of `gmac`.",
        table: "ghash",
        backends: |_| Gmac::backends(),
        output: "The registers after all steps, in each of which a 128-bit little-endian number becomes the \
                 product of its lower half and 0x9e3779b97f4a7c15, as polynomials over GF(2).",
        prepare: |values, data, rt, rows| {
            let run = products(rows.backend().into())?;
            Ok(peak(values, &data, rt, run, mac::PRODUCTS, CarrylessLimit::PRODUCTS, 0))
        },
        reference: |values, data| Ok(reference(values, data, 0, &*products(Request::Baseline)?)),
        known: known! {
            hashes "scale=10 steps=1" "8b68cf127c3b0ed9efe8703768f73e9457ce73fcf432ab7149d1328614878f95";
            255 "scale=4 steps=341" "9dff7262f5673b1311da3c75336fac78ee21abb9fae908a2f0a5fe4056837e48";
        },
        ..SUM_PEAK
    },
];

/// Bits that are set in each 16-bit number: a product of odd numbers is odd, so none becomes 0.
const ODD: u16 = 1;

fn input_bytes(values: &Values) -> u64 {
    1 << values.number("scale")
}

fn memory(values: &Values) -> u64 {
    input_bytes(values) + (1 << 16)
}

/// Returns the registers at the beginning, with some bits set in each 16-bit number.
fn start(data: &[u8], set: u16) -> Registers {
    let mut state: Registers = [[0; 64]; 12];
    state.as_flattened_mut().iter_mut().zip(data.iter().cycle()).for_each(|(to, byte)| *to = *byte);
    let (numbers, _) = state.as_flattened_mut().as_chunks_mut::<2>();
    numbers.iter_mut().for_each(|number| *number = (u16::from_le_bytes(*number) | set).to_le_bytes());
    state
}

/// Computes a number of steps.
type Run = dyn Fn(&mut Registers, u64) + Send + Sync;

fn additions(request: Request) -> Result<Box<Run>, Error> {
    let limit = AddLimit::new(request)?;
    Ok(Box::new(move |state, steps| limit.run(state, steps)))
}

fn multiplications(request: Request) -> Result<Box<Run>, Error> {
    let limit = MultiplyLimit::new(request)?;
    Ok(Box::new(move |state, steps| limit.run(state, steps)))
}

fn products(request: Request) -> Result<Box<Run>, Error> {
    let limit = CarrylessLimit::new(request)?;
    Ok(Box::new(move |state, steps| limit.run(state, steps)))
}

fn reference(values: &Values, data: &[u8], set: u16, run: &Run) -> Vec<u8> {
    let mut state = start(data, set);
    run(&mut state, values.number("steps"));
    state.as_flattened().to_vec()
}

fn peak(
    values: &Values,
    data: &[u8],
    rt: &dyn Runtime,
    run: Box<Run>,
    operation: &'static str,
    operations: u64,
    set: u16,
) -> Box<dyn Prepared> {
    let (start, steps) = (start(data, set), values.number("steps"));
    let states = vec![Aligned64(start); rt.threads().get()];
    Box::new(Peak { start, states, steps, run, operation, operations })
}

/// Registers in cache lines of their own.
#[derive(Clone)]
#[repr(align(64))]
struct Aligned64(Registers);

/// The same steps on each thread.
struct Peak {
    start: Registers,
    states: Vec<Aligned64>,
    steps: u64,
    run: Box<Run>,
    operation: &'static str,
    /// Operations of a step.
    operations: u64,
}

impl Prepared for Peak {
    fn iterate(&mut self, rt: &dyn Runtime) {
        let (start, steps) = (black_box(self.start), black_box(self.steps));
        // The greatest cost, so that each thread computes.
        for_each(rt, self.states.iter_mut().collect(), Cost::ns(u64::MAX), |state| {
            state.0 = start;
            (self.run)(&mut state.0, steps);
        });
        black_box(&self.states);
    }

    /// The registers of a thread; of several if they differ, which they never should.
    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        let first = self.states.first();
        let others = self.states.iter().skip(1).filter(|state| first.is_some_and(|first| first.0 != state.0));
        first.into_iter().chain(others).for_each(|state| take(state.0.as_flattened()));
    }

    fn work(&self) -> Option<Work> {
        let operations = self.operations * self.steps * self.states.len() as u64;
        Some(Work { operation: self.operation.to_owned(), operations, bytes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::Aligned;
    use parcrypt_runtime::{Kind, Serial};

    use super::*;
    use crate::workload::params::parse;

    #[test]
    fn operations_match_all_threads() {
        let two = Kind::Rayon.build(std::num::NonZeroUsize::new(2).unwrap());
        for (workload, each) in WORKLOADS.iter().zip([768, 384, 48]) {
            let values = workload.values(&parse("scale=12 steps=5")).unwrap();
            let rows = workload.rows(None, Some(&Request::Baseline.into())).unwrap();
            let work = |rt: &dyn Runtime| {
                let data = Aligned::new(vec![7; 1 << 12]);
                (workload.prepare)(&values, data, rt, &rows).unwrap().work().unwrap()
            };
            assert_eq!((work(&Serial).operations, work(&Serial).bytes), (5 * each, 0), "{}", workload.name);
            if let Ok(rt) = &two {
                assert_eq!(work(&**rt).operations, 10 * each, "{}", workload.name);
            }
        }
    }

    #[test]
    fn a_thread_with_another_result_shows_in_the_output() {
        let data = Aligned::new(vec![7; 1 << 10]);
        let (start, steps) = (start(&data, 0), 1);
        let run = Box::new(|_: &mut Registers, _: u64| {});
        let states = vec![Aligned64(start); 2];
        let mut peak = Peak { start, states, steps, run, operation: "", operations: 1 };
        let length = |peak: &Peak| {
            let mut length = 0;
            peak.output(&mut |part| length += part.len());
            length
        };
        assert_eq!(length(&peak), 768);
        peak.states[1].0[3][5] ^= 1;
        assert_eq!(length(&peak), 2 * 768);
    }
}
