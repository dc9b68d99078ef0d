//! The x86-64 kernels, and the way through the data that they share.

pub(crate) mod avx2;
pub(crate) mod avx512;

/// Bytes that each stream takes at a step: two cache lines.
const LINES: usize = 128;

/// From here on the data is read as four streams; below, the start of further streams costs more than it brings.
const STREAMS_FROM: usize = 256 << 10;

/// Equal runs of `LINES` bytes that are read in turn, and what is left behind the last.
struct Streams<'a> {
    streams: [&'a [[u8; LINES]]; 4],
    rest: &'a [u8],
}

/// Cuts long data into four streams, so that four pages are open at once and the prefetchers, which stop at the end of
/// a page of 4 KiB, have three others to go on with. Short data is all rest.
fn streams(data: &[u8]) -> Streams<'_> {
    let (lines, _) = data.as_chunks::<LINES>();
    let each = if data.len() < STREAMS_FROM { 0 } else { lines.len() / 4 };
    let (a, lines) = lines.split_at(each);
    let (b, lines) = lines.split_at(each);
    let (c, lines) = lines.split_at(each);
    let (d, _) = lines.split_at(each);
    Streams { streams: [a, b, c, d], rest: &data[4 * each * LINES..] }
}
