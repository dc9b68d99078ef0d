//! `sum` and `read`: the limits of memory bandwidth.

use std::hint::black_box;

use parcrypt_runtime::{Runtime, Serial};
use parcrypt_sum::{ReadLimit, Sum};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Prepared, Workload, filled};

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
                return Ok(Box::new(Pass { data, output: 0, plan: sum, run: Sum::run }));
            };
            let sums = filled(usize::try_from(count).unwrap_or(usize::MAX))?;
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            Ok(Box::new(Slices { data, bytes, sums, done: 0, next: 0, sum }))
        },
    },
    Workload {
        name: "read",
        about: "Reading an array with minimal arithmetic: the upper bound for a sum of it.",
        params: &[SCALE],
        table: "sum",
        backends: |_| ReadLimit::backends(),
        other_tables: &[],
        input: INPUT,
        output: "The exclusive-or of all 64-bit little-endian words, the last one filled up with zero bytes, as 8 \
                 bytes, little-endian.",
        input_bytes,
        memory: input_bytes,
        prepare: |_, data, _, rows| {
            let limit = ReadLimit::new(rows.backend().into())?;
            // Its exclusive-or only proves that it read.
            Ok(Box::new(Pass { data, output: 0, plan: limit, run: ReadLimit::run }))
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

/// One pass over the data, with one word of output.
struct Pass<P> {
    data: Aligned<u8>,
    output: u64,
    plan: P,
    run: fn(&P, &dyn Runtime, &[u8]) -> u64,
}

impl<P: Send> Prepared for Pass<P> {
    fn iterate(&mut self, rt: &dyn Runtime) {
        self.output = black_box((self.run)(&self.plan, rt, black_box(&*self.data)));
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.output.to_le_bytes());
    }
}

/// Passes over the slices of the data, one in each iteration, cyclically. So an iteration is short although the data
/// does not fit into a cache, and each costs the same.
struct Slices {
    data: Aligned<u8>,
    /// Length of a slice.
    bytes: usize,
    /// Sum of each slice, if it has had its turn.
    sums: Vec<u64>,
    /// Number of slices, from the first, that have had their turn.
    done: usize,
    /// Slice of the next iteration.
    next: usize,
    sum: Sum,
}

impl Slices {
    fn slice(&self, index: usize) -> &[u8] {
        &self.data[index * self.bytes..(index + 1) * self.bytes]
    }
}

impl Prepared for Slices {
    fn iterate(&mut self, rt: &dyn Runtime) {
        self.sums[self.next] = black_box(self.sum.run(rt, black_box(self.slice(self.next))));
        self.next += 1;
        self.done = self.done.max(self.next);
        if self.next == self.sums.len() {
            self.next = 0;
        }
    }

    /// The sum of the whole input: of what the iterations computed, and of the slices that no iteration reached.
    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        let done = self.sums[..self.done].iter().fold(0, |sum: u64, slice| sum.wrapping_add(*slice));
        let rest = self.sum.run(&Serial, &self.data[self.done * self.bytes..]);
        take(&done.wrapping_add(rest).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Stream;
    use crate::workload::params::parse;
    use parcrypt_cpu::Request;
    use parcrypt_runtime::Kind;

    /// Returns the output of the sum of these bytes after a number of iterations.
    fn after(iterations: usize, params: &str, input: &[u8], rt: &dyn Runtime) -> Vec<u8> {
        let values = WORKLOADS[0].values(&parse(params)).unwrap();
        let rows = WORKLOADS[0].rows(None, Some(&Request::Baseline.into())).unwrap();
        let mut prepared = (WORKLOADS[0].prepare)(&values, Aligned::new(input.to_vec()), rt, &rows).unwrap();
        (0..iterations).for_each(|_| prepared.iterate(rt));
        let mut output: Vec<u8> = Vec::new();
        prepared.output(&mut |part| output.extend(part));
        output
    }

    #[test]
    fn slices_have_the_sum_of_the_whole_input_after_any_number_of_iterations() {
        let input = Stream::Hashes.bytes(1 << 12);
        let whole = input.iter().map(|byte| u64::from(*byte)).sum::<u64>().to_le_bytes();
        for runtime in [Kind::Serial, Kind::Rayon, Kind::OpenMp] {
            let Ok(rt) = runtime.build(std::num::NonZeroUsize::new(2).unwrap()) else { continue };
            for slice in [0, 1, 7, 11, 12, 13, 40] {
                for iterations in [1, 2, 3, 31, 32, 33, 100] {
                    let params = format!("scale=12 slice={slice}");
                    assert_eq!(
                        after(iterations, &params, &input, &*rt),
                        whole,
                        "{runtime} {params} {iterations}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_iteration_reads_its_slice_alone() {
        let values = WORKLOADS[0].values(&parse("scale=4 slice=2")).unwrap();
        let input: Vec<u8> = (0..16).collect();
        let sum = Sum::new(parcrypt_cpu::Request::Auto).unwrap();
        let (bytes, count) = slices(&values).unwrap();
        assert_eq!((bytes, count, (WORKLOADS[0].memory)(&values)), (4, 4, 16 + 32));
        let data = Aligned::new(input);
        let mut all = Slices { data, bytes: 4, sums: vec![0; 4], done: 0, next: 0, sum };
        for expected in [[6, 0, 0, 0], [6, 22, 0, 0], [6, 22, 38, 0], [6, 22, 38, 54]] {
            all.iterate(&Serial);
            assert_eq!(all.sums, expected);
        }
        // A wrong sum of a slice shows in the output.
        all.sums[1] += 1;
        let mut output: Vec<u8> = Vec::new();
        all.output(&mut |part| output.extend(part));
        assert_eq!(output, 121u64.to_le_bytes());
        all.iterate(&Serial);
        assert_eq!((all.next, all.done), (1, 4));
    }
}
