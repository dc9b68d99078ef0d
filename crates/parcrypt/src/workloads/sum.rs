//! `sum` and `read`: the limits of memory bandwidth.

use std::hint::black_box;

use parcrypt_runtime::{Runtime, Serial};
use parcrypt_sum::{ReadLimit, Sum};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Prepared, Workload, filled, known};

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

// The known answers, with sizes around the vectors, the streams and the pieces of a kernel, are from Python, where `b`
// is the input and `w` its words:
//     def hashes(n): return b''.join(sha256(i.to_bytes(8, 'little')).digest() for i in range(-(-n // 32)))[:n]
//     w = memoryview(b + bytes(-len(b) % 8)).cast('Q')
//     sha256(sum(b).to_bytes(8, 'little')).hexdigest()
//     sha256(reduce(xor, w).to_bytes(8, 'little')).hexdigest()

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
        known: known! {
            255 "scale=0" "159754eeb1b8e153388279fd7cdf7c3224b6052d1b93d07e03beb4375a3a59f7";
            hashes "scale=20" "35d73609cc0d8a5b18ba24c7417b2d9690604b7c12f36db7a0594b279c584a56";
            hashes "scale=25" "aca7b5202b6106f4be72a0eb6c583457c13b7e2120484eb79e84bd2821e5cdaa";
            255 "scale=25" "5d67f6f9a4f37b99f334307e945f723c4d707f1bcce9b7e836badd639bbf15e8";
            hashes "scale=0" "cf49bb8df1a0c94304967e28cce89aface154876ab203dcf24b84930649da472";
            hashes "scale=2" "9fbb720df90ebbcf7ef72e7cc0101202f87186e44444b9761d2a7ec04759cad4";
            hashes "scale=3" "fe9c32992c2216b36ea55c81bea8e66579afdae182cde9224f6230049c61c3be";
            hashes "scale=6" "db4237d1254e62c094caf400828913cf25b2cf8a9cddf650d43f292048b1dbcc";
            hashes "scale=8" "0503aa2c9c5bc0b9c221ed2f3ddf3dccb4cb26ac017bdc15e179b3c18968dd6a";
            hashes "scale=12" "9479bd9c108ce0c7b253d46f5a597160c69d4c527a41de973970a94b26649d19";
            hashes "scale=19" "120a762256b863215f078a5662f280f77589134f7597cdac25ecedc2fbfd5432";
            hashes "scale=21" "4f69a212b797a0c075f1386ccb42b762dc0ba1c210a59fea063f1532a0b44d9b";
            hashes "scale=3 slice=0" "fe9c32992c2216b36ea55c81bea8e66579afdae182cde9224f6230049c61c3be";
            hashes "scale=12 slice=7" "9479bd9c108ce0c7b253d46f5a597160c69d4c527a41de973970a94b26649d19";
            hashes "scale=12 slice=12" "9479bd9c108ce0c7b253d46f5a597160c69d4c527a41de973970a94b26649d19";
            hashes "scale=21 slice=20" "4f69a212b797a0c075f1386ccb42b762dc0ba1c210a59fea063f1532a0b44d9b";
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
        known: known! {
            255 "scale=0" "159754eeb1b8e153388279fd7cdf7c3224b6052d1b93d07e03beb4375a3a59f7";
            hashes "scale=20" "8312a4dcbb9d0ac49c7ca14e86ef1721023c741ee43ba1e7a1c0dfd116e08e3c";
            hashes "scale=25" "68e3123ba576b4d93eaa62b539ff409e66f04e2c3aee271189d4571b467df636";
            hashes "scale=0" "cf49bb8df1a0c94304967e28cce89aface154876ab203dcf24b84930649da472";
            hashes "scale=2" "2fb842cf786140595b721f183b79f6455c59f353b25fdc3c17c63c919bc4f832";
            hashes "scale=3" "b636b9e6c44516452678397e504800982ce73550f15c87e571078af40b65b5ee";
            hashes "scale=6" "1fc57506b930cae82ecb6b70d35f54d70ed27fd16132ff4d2e67ce711fab46c3";
            hashes "scale=8" "6e9a33f34c409158d407a92081189fb6950df644c5ea390db8785f5f73bdcc04";
            hashes "scale=12" "d848cb84d9a960ce6a49e182bf740202f6786879a19f0b36d8cf75dc23904692";
            hashes "scale=19" "456c4171467fac120236ba863e2cd730505f83d2e4637d5d28d88a082189047f";
            hashes "scale=21" "0e6da66d49db7f0f5ae2b3600ed2032b6a6074551661499b39ce05bb874eaf9e";
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
