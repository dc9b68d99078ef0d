//! `sum` and `read`: the limits of memory bandwidth.

use std::hint::black_box;

use parcrypt_runtime::{Runtime, Serial};
use parcrypt_sum::Sum;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Workload, filled, work};

const SCALE: Parameter = Parameter::number("scale", "the input has 2^scale bytes", 0..=LARGEST, None);

/// Greatest `scale`, and the `slice` that is the whole input at any scale.
const LARGEST: u64 = 40;

const SLICE: Parameter = Parameter::number(
    "slice",
    "each iteration sums the next 2^slice bytes, cyclically; from scale on, the whole input",
    0..=LARGEST,
    Some(LARGEST),
)
.way();

const INPUT: &str = "2^scale bytes of any value.";

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "sum",
        about: "The sum of the bytes of an array.",
        params: &[SCALE, SLICE],
        table: "sum",
        backends: |_| Sum::backends(),
        other_tables: &[],
        input: INPUT,
        output: "The sum modulo 2^64 as 8 bytes, little-endian.",
        input_bytes,
        memory: |values| input_bytes(values) + slices(values).map_or(0, |(_, count)| 8 * count),
        prepare: |values, data, _, rows| {
            let sum = Sum::new(rows.backend().into())?;
            let Some((bytes, count)) = slices(values) else {
                return passes(data, move |rt, data| sum.run(rt, data));
            };
            // An iteration is short although the data does not fit into a cache, and each costs the same. A sum that
            // no iteration reaches is that of the preparation.
            let mut sums: Vec<u64> = filled(usize::try_from(count).unwrap_or(usize::MAX))?;
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            sums.iter_mut().zip(data.chunks(bytes)).for_each(|(word, slice)| *word = sum.run(&Serial, slice));
            let mut next = 0;
            let pass = move |sums: &mut Vec<u64>, rt: &dyn Runtime| {
                sums[next] = sum.run(rt, black_box(&data[next * bytes..][..bytes]));
                next = if next + 1 == sums.len() { 0 } else { next + 1 };
            };
            work(sums, pass, |sums, take| {
                take(&sums.iter().fold(0, |all: u64, slice| all.wrapping_add(*slice)).to_le_bytes());
            })
        },
    },
    Workload {
        name: "read",
        about: "Reading an array with minimal arithmetic: the upper bound for a sum of it.",
        params: &[SCALE],
        table: "sum",
        backends: |_| Sum::backends(),
        other_tables: &[],
        input: INPUT,
        output: "The exclusive-or of all 64-bit little-endian words, the last one filled up with zero bytes, as 8 \
                 bytes, little-endian.",
        input_bytes,
        memory: input_bytes,
        prepare: |_, data, _, rows| {
            let limit = Sum::new(rows.backend().into())?;
            // Its exclusive-or only proves that it read.
            passes(data, move |rt, data| limit.xor(rt, data))
        },
    },
];

fn input_bytes(values: &Values) -> u64 {
    1 << values.number("scale")
}

/// Returns the length of a slice in bytes and the number of slices, if an iteration does not sum the whole input.
fn slices(values: &Values) -> Option<(u64, u64)> {
    let (scale, slice) = (values.number("scale"), values.number("slice"));
    (slice < scale).then(|| (1 << slice, 1 << (scale - slice)))
}

/// Returns passes over the data, each with one word of output.
fn passes(
    data: Aligned<u8>,
    run: impl Fn(&dyn Runtime, &[u8]) -> u64 + Send + 'static,
) -> Result<Box<dyn Prepared>, Error> {
    let pass = move |word: &mut u64, rt: &dyn Runtime| *word = run(rt, black_box(&*data));
    work(0, pass, |word, take| take(&word.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::params::parse;
    use parcrypt_cpu::Request;

    #[test]
    fn slices_have_the_sum_of_the_whole_input_after_any_number_of_iterations() {
        let input: Vec<u8> = (0..1 << 12).map(|i| ((i * i) >> 3) as u8).collect();
        let whole = input.iter().map(|byte| u64::from(*byte)).sum::<u64>().to_le_bytes();
        for (slice, iterations) in
            [0, 1, 11, 12, 40].into_iter().flat_map(|slice| [1, 2, 33].map(|n| (slice, n)))
        {
            let values = WORKLOADS[0].values(&parse(&format!("scale=12 slice={slice}"))).unwrap();
            let rows = WORKLOADS[0].rows(None, Some(&Request::Baseline.into())).unwrap();
            let data = Aligned::new(input.clone());
            let mut prepared = (WORKLOADS[0].prepare)(&values, data, &Serial, &rows).unwrap();
            (0..iterations).for_each(|_| prepared.iterate(&Serial));
            let mut output: Vec<u8> = Vec::new();
            prepared.output(&mut |part| output.extend(part));
            assert_eq!(output, whole, "{slice} {iterations}");
        }
    }
}
