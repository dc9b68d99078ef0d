//! The x86-64 kernels.
#![allow(unsafe_code, reason = "a prefetch takes a pointer, and the order of a step is written in assembly")]

use std::arch::x86_64::{__cpuid, _MM_HINT_T0, _mm_prefetch};
use std::sync::LazyLock;

use crate::memory::Block;

/// Defines, for vectors of one width, `to` xor (`a` + `b`) <<< `LEFT` with AVX2.
///
/// The shift that comes first is xored first, while the other one is computed: on Zen 3 they do not start in the same
/// cycle. In the order in which the compiler writes it the step takes five cycles instead of four.
macro_rules! step_avx2 {
    ($vector:ty, $register:ident, $add:ident) => {
        /// Computes `to` xor (`a` + `b`) <<< `LEFT`.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn step_avx2<const LEFT: i32, const RIGHT: i32>(mut to: $vector, a: $vector, b: $vector) -> $vector {
            const { assert!(LEFT + RIGHT == 32) };
            // SAFETY: only declared vector registers are written, and neither memory, the stack nor flags are used; the
            // attribute enables AVX2. `left` is written before the last read of the others, so it must not be a late
            // output.
            unsafe {
                std::arch::asm!(
                    "vpslld {left}, {sum}, {by}", "vpsrld {sum}, {sum}, {back}",
                    "vpxor {to}, {to}, {left}", "vpxor {to}, {to}, {sum}",
                    left = out($register) _, sum = inout($register) $add(a, b) => _, to = inout($register) to,
                    by = const LEFT, back = const RIGHT, options(pure, nomem, nostack, preserves_flags)
                );
            }
            to
        }
    };
}

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod single;
pub(crate) mod single_vectors;

/// Blocks between a prefetch and its use.
const AHEAD: usize = 16;

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
static ZEN_FAMILY: LazyLock<u32> = LazyLock::new(|| {
    let vendor = __cpuid(0);
    let signature = __cpuid(1).eax;
    // The extended family counts if the family is 0Fh; otherwise it is 0.
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    let vendor = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    if [&b"AuthenticAMD"[..], b"HygonGenuine"].contains(&vendor.as_flattened()) { family } else { 0 }
});

/// Returns the index of block i after scryptBlockMix: the even ones come first.
#[inline]
fn place(i: usize, row: usize) -> usize {
    i / 2 + (i % 2) * (row / 2)
}

#[inline]
fn prefetch(block: &Block) {
    // SAFETY: a prefetch reads nothing; and the reference says that the address is valid.
    unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *block).cast()) }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use crate::arch::generic::{Group, romix_portable};
    use crate::memory::Block;

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
