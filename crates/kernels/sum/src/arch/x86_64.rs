//! The kernels for x86-64, written once for both widths, and the order in which they read the data.

/// The functions of a backend. Its module has `add_lanes`, `xor_lanes` and `load_tail`, which pads fewer bytes than a
/// vector.
macro_rules! kernels {
    (
        $features:literal, $V:ident, $zero:ident, $add:ident, $xor:ident, $sad:ident;
        $sum_name:ident, $xor_name:ident
    ) => {
        /// Bytes of a vector.
        const LANE: usize = size_of::<$V>();

        /// Accumulators, so that no addition waits for the previous one: with AVX2 half of the sixteen registers, which
        /// leaves room for the vectors that are loaded.
        const CHAINS: usize = 8;

        /// Returns the sum of the bytes modulo 2^64.
        #[target_feature(enable = $features)]
        pub(crate) fn $sum_name(data: &[u8]) -> u64 {
            let zero = $zero();
            // `vpsadbw` against zero adds each eight bytes into a 64-bit lane, at most 2040 a step: it cannot overflow
            // before the sum does.
            let chains = fold(data, |acc, v| $add(acc, $sad(v, zero)));
            add_lanes(chains.into_iter().fold(zero, |a, b| $add(a, b)))
        }

        /// Returns the exclusive-or of the 64-bit little-endian words, the last one padded with zero bytes.
        #[target_feature(enable = $features)]
        pub(crate) fn $xor_name(data: &[u8]) -> u64 {
            // Each word keeps its place modulo 8 in a vector: streams and lanes begin at multiples of 8 bytes.
            let chains = fold(data, |acc, v| $xor(acc, v));
            xor_lanes(chains.into_iter().fold($zero(), |a, b| $xor(a, b)))
        }

        /// Returns the accumulators after `step` has combined each vector of `data` with one of them; the last vector
        /// is padded with zero bytes.
        #[inline]
        #[target_feature(enable = $features)]
        fn fold(data: &[u8], step: impl Fn($V, $V) -> $V) -> [$V; CHAINS] {
            let mut chains = [$zero(); CHAINS];
            let s = streams(data);
            let [a, b, c, d] = s.streams;
            for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
                for lines in [a, b, c, d].as_chunks::<{ CHAINS * LANE / LINES }>().0 {
                    let v: [_; CHAINS] = must_cast(lines.map(|line| *line));
                    chains = array::from_fn(|i| step(chains[i], v[i]));
                }
            }
            let (blocks, rest) = s.rest.as_chunks::<{ LANE * CHAINS }>();
            for block in blocks {
                let v: [_; CHAINS] = must_cast(*block);
                chains = array::from_fn(|i| step(chains[i], v[i]));
            }
            let (lanes, tail) = rest.as_chunks::<LANE>();
            for (chain, lane) in chains.iter_mut().zip(lanes) {
                *chain = step(*chain, must_cast(*lane));
            }
            if !tail.is_empty() {
                chains[CHAINS - 1] = step(chains[CHAINS - 1], load_tail(tail));
            }
            chains
        }
    };
}

pub(crate) mod avx2;
pub(crate) mod avx512;

/// Bytes of each stream in a step: two cache lines.
const LINES: usize = 128;

/// Bytes from which on the data is read as four streams; below, starting them costs more than it gains.
const STREAMS_FROM: usize = 256 << 10;

/// Four streams of equal length that are read in turn, and the bytes after the last.
struct Streams<'a> {
    streams: [&'a [[u8; LINES]]; 4],
    rest: &'a [u8],
}

/// Returns long data as four streams, so that four pages are open at once and the prefetchers, which stop at the end of
/// a page of 4 KiB, have three others to continue with. Short data is all rest.
fn streams(data: &[u8]) -> Streams<'_> {
    let (lines, _) = data.as_chunks::<LINES>();
    let each = if data.len() < STREAMS_FROM { 0 } else { lines.len() / 4 };
    let (a, lines) = lines.split_at(each);
    let (b, lines) = lines.split_at(each);
    let (c, lines) = lines.split_at(each);
    let (d, _) = lines.split_at(each);
    Streams { streams: [a, b, c, d], rest: &data[4 * each * LINES..] }
}
