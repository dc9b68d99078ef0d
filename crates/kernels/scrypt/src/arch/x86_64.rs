//! The x86-64 kernels.

use std::arch::x86_64::__cpuid;
use std::sync::LazyLock;

use parcrypt_cpu::methods;
use parcrypt_simd::{U32x4, U32x4Avx512, U32x8, U32x16};

use super::generic::Group;
use super::lanes::{clear, romix};
use crate::dispatch::Functions;
use crate::memory::Block;
use single::romix_single;

mod single;

methods! { Avx2: Functions;
    romix(lanes: usize, group: Group<'_>) -> bool = |lanes, group| match lanes {
        1 if vectors_suit_one_lane() => romix::<U32x4<Here>, 1, 1>(group),
        1 => romix_single(group),
        2 => romix::<U32x8<Here>, 2, 1>(group),
        3 => romix::<U32x8<Here>, 3, 2>(group),
        4 => romix::<U32x8<Here>, 4, 2>(group),
        5 => romix::<U32x8<Here>, 5, 3>(group),
        _ => romix::<U32x8<Here>, 6, 3>(group),
    };
    clear(blocks: &mut [Block]) = clear::<U32x8<Here>>;
}

methods! { Avx512: Functions;
    romix(lanes: usize, group: Group<'_>) -> bool = |lanes, group| match lanes {
        1 if vectors_take_two_cycles() => romix_single(group),
        1 => romix::<U32x4Avx512<Here>, 1, 1>(group),
        2 => romix::<U32x16<Here>, 2, 1>(group),
        3 => romix::<U32x16<Here>, 3, 1>(group),
        4 => romix::<U32x16<Here>, 4, 1>(group),
        5 => romix::<U32x16<Here>, 5, 2>(group),
        6 => romix::<U32x16<Here>, 6, 2>(group),
        7 => romix::<U32x16<Here>, 7, 2>(group),
        8 => romix::<U32x16<Here>, 8, 2>(group),
        9 => romix::<U32x16<Here>, 9, 3>(group),
        10 => romix::<U32x16<Here>, 10, 3>(group),
        11 => romix::<U32x16<Here>, 11, 3>(group),
        12 => romix::<U32x16<Here>, 12, 3>(group),
        13 => romix::<U32x16<Here>, 13, 4>(group),
        14 => romix::<U32x16<Here>, 14, 4>(group),
        15 => romix::<U32x16<Here>, 15, 4>(group),
        _ => romix::<U32x16<Here>, 16, 4>(group),
    };
    clear(blocks: &mut [Block]) = clear::<U32x16<Here>>;
}

/// Returns whether an addition of vectors takes two cycles on this processor: AMD's family 1Ah (Zen 5) and later, as
/// the times of four lanes show there. It decides which kernel is faster, never the result.
pub(crate) fn vectors_take_two_cycles() -> bool {
    *ZEN_FAMILY >= 0x1a
}

/// Returns whether AVX2 computes one lane faster than general registers do: on AMD's and Hygon's families 17h to 19h
/// (Zen to Zen 4), whose four arithmetic units are the limit there. Measured on Zen 3 only. It affects
/// the speed only, never the result.
pub(crate) fn vectors_suit_one_lane() -> bool {
    (0x17..=0x19).contains(&*ZEN_FAMILY)
}

/// The processor's family if AMD or Hygon made it, otherwise 0.
#[allow(unsafe_code, unused_unsafe, reason = "older versions of Rust have it as unsafe")]
static ZEN_FAMILY: LazyLock<u32> = LazyLock::new(|| {
    // SAFETY: every x86-64 has the instruction.
    let (vendor, signature) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    // The extended family counts if the family is 0Fh; otherwise it is 0.
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    let vendor = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    if [&b"AuthenticAMD"[..], b"HygonGenuine"].contains(&vendor.as_flattened()) { family } else { 0 }
});

#[cfg(test)]
mod tests {
    use parcrypt_cpu::test_on;
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;
    use crate::arch::generic::romix_portable;

    test_on! { Avx2:
        fn one_lane_of_avx2_equals_portable() {
            equals_portable(romix::<U32x4<Here>, 1, 1>);
        }
    }

    test_on! { Avx512:
        fn one_lane_of_avx512_equals_portable() {
            equals_portable(romix::<U32x4Avx512<Here>, 1, 1>);
        }
    }

    /// Checks that a kernel of one lane has the result and the ticks of `romix_portable`, for rows of 2 to 70 blocks,
    /// which are random, or all bits of which are 0 or 1.
    pub(super) fn equals_portable(romix: impl Fn(Group<'_>) -> bool) {
        let mut rng = rng();
        for row in [2, 4, 6, 16, 34, 70] {
            for fill in [None, Some(0), Some(u32::MAX)] {
                let b: Vec<_> = (0..row)
                    .map(|_| Block([(); 16].map(|()| fill.unwrap_or_else(|| rng.random()))))
                    .collect();
                let run = |romix: &dyn Fn(Group<'_>) -> bool| {
                    let (mut b, mut ticks) = (b.clone(), 0);
                    let (mut v, mut scratch) = (vec![Block::ZERO; 32 * row], vec![Block::ZERO; 2 * row]);
                    let tick = &mut |steps| {
                        ticks += steps;
                        true
                    };
                    assert!(romix(Group {
                        rows: 32,
                        row,
                        b: &mut b,
                        v: &mut v,
                        scratch: &mut scratch,
                        tick
                    }));
                    (b.iter().map(|block| block.0).collect::<Vec<_>>(), ticks)
                };
                assert_eq!(run(&|group| romix(group)), run(&romix_portable), "{row} blocks, {fill:?}");
            }
        }
    }
}
