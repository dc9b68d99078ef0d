//! The kernels for x86-64, and the order in which they read the data.

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
