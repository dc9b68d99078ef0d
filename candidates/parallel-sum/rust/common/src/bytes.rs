//! The sum of bytes in memory.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

/// Bytes of a cache line, the fastest alignment for vectors.
pub const LINE: usize = 64;

/// 64-bit words of a cache line.
const WORDS: usize = LINE / 8;
/// Lines that are read in a step: four vectors of AVX-512, so that no addition waits for the previous one.
const STREAMS: usize = 4;
/// From this many bytes on the four lines of a step are a quarter of the data apart: four pages are open at once, and
/// the prefetchers, which stop at the end of a page, have three others to continue with.
const STREAMS_FROM: usize = 256 << 10;
/// Steps after which 16-bit lanes that grow by at most 2 · 255 a step are still below 2^16: 128 · 510 = 65280.
const STEPS: usize = 128;

/// Returns the vectors that [`sum`] uses on this machine: `avx512`, `avx2` or `scalar`.
pub fn backend() -> &'static str {
    choose().0
}

/// Returns the sum of the bytes modulo 2^64.
pub fn sum(bytes: &[u8]) -> u64 {
    // SAFETY: `choose` has seen that the machine has the features of what it gives.
    unsafe { choose().1(bytes) }
}

type Kernel = unsafe fn(&[u8]) -> u64;

fn choose() -> (&'static str, Kernel) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
            return ("avx512", sum_avx512);
        }
        if has!("avx2") {
            return ("avx2", sum_avx2);
        }
    }
    ("scalar", sum_words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn sum_avx512(bytes: &[u8]) -> u64 {
    sum_words(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(bytes: &[u8]) -> u64 {
    sum_words(bytes)
}

/// The loop for every instruction set: it is inlined into a function for each, and the compiler vectorises it.
#[inline(always)]
fn sum_words(bytes: &[u8]) -> u64 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    const PAIRS: u64 = 0x0000_ffff_0000_ffff;
    let (head, rest) = bytes.split_at(bytes.as_ptr().align_offset(LINE).min(bytes.len()));
    let (lines, _) = rest.as_chunks::<LINE>();
    // Four lines a step: from four streams, or side by side.
    let all = lines.len() / STREAMS;
    let (apart, stride) = if rest.len() < STREAMS_FROM { (1, STREAMS) } else { (all, 1) };
    let tail = &rest[all * STREAMS * LINE..];
    let mut sum: u64 = head.iter().chain(tail).map(|byte| u64::from(*byte)).sum();
    for first in (0..all).step_by(STEPS) {
        let mut lanes = [[0u64; WORDS]; STREAMS];
        for step in first..all.min(first + STEPS) {
            for (k, lanes) in lanes.iter_mut().enumerate() {
                let (words, _) = lines[k * apart + step * stride].as_chunks::<8>();
                for (lane, word) in lanes.iter_mut().zip(words) {
                    let word = u64::from_ne_bytes(*word);
                    *lane += (word & EVEN) + ((word >> 8) & EVEN);
                }
            }
        }
        for lane in lanes.as_flattened() {
            let folded = (lane & PAIRS) + ((lane >> 16) & PAIRS);
            sum += (folded & 0xffff_ffff) + (folded >> 32);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_gives_the_sum_of_the_definition() {
        let longest = STREAMS_FROM + STEPS * STREAMS * LINE + 77;
        let mixed: Vec<u8> = (0..longest + LINE).map(|i| (i * 151 + i / 251) as u8).collect();
        let full = vec![255; longest + LINE];
        for data in [&mixed, &full] {
            for n in [0, 1, 63, 64, 257, 32767, 32769, STREAMS_FROM - 1, STREAMS_FROM, longest] {
                for start in [0, 1, 8, 63] {
                    let bytes = &data[start..start + n];
                    let expected: u64 = bytes.iter().map(|b| u64::from(*b)).sum();
                    assert_eq!(sum(bytes), expected, "{} {n} {start}", backend());
                    assert_eq!(sum_words(bytes), expected, "scalar {n} {start}");
                    #[cfg(target_arch = "x86_64")]
                    if is_x86_feature_detected!("avx2") {
                        // SAFETY: the machine was just seen to have AVX2.
                        assert_eq!(unsafe { sum_avx2(bytes) }, expected, "avx2 {n} {start}");
                    }
                }
            }
        }
    }
}
