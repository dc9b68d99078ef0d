//! One lane, in the general registers of any x86-64. Used if an addition of vectors takes two cycles, and without
//! AVX-512 except on Zen to Zen 4.
//!
//! A round needs 16 words and a place for sums; there are 15 registers. Words 2, 7, 8 and 13 are the third of their
//! quarter-round in every round, so they are ready early and needed late: two of them at a time are on the stack.
#![allow(
    unsafe_code,
    reason = "assembly: the compiler keeps a dozen words on the stack, in the way of the chain"
)]

use std::arch::asm;

use crate::arch::generic::{Group, romix_with};
use crate::memory::Block;

/// Computes scryptROMix for one lane.
pub(crate) fn romix_single(group: Group<'_>) -> bool {
    romix_with::<1>(group, block_mix, |x, v, y| {
        // Prefetches all lines of the row at once.
        for (x, v) in x.iter_mut().zip(v) {
            for (x, v) in x.0.iter_mut().zip(v.0) {
                *x ^= v;
            }
        }
        block_mix(x, y);
    })
}

/// Computes `$to ^= ($a + $b) <<< $n`; each register with its name for 32 and for 64 bits.
macro_rules! step {
    (($to:literal $_to:literal) ($_a:literal $a:literal) ($_b:literal $b:literal) $n:literal) => {
        concat!("lea r15d, [", $a, " + ", $b, "]\n rol r15d, ", $n, "\n xor ", $to, ", r15d\n")
    };
}

/// Computes a quarter-round, RFC 7914's four lines.
macro_rules! quarter {
    ($a:tt $b:tt $c:tt $d:tt) => {
        concat!(
            step!($b $a $d 7), step!($c $b $a 9), step!($d $c $b 13), step!($a $d $c 18)
        )
    };
}

/// Computes a column round and the first half of a row round. Words 8 and 2 share `esi`, words 13 and 7 `edi`: at
/// the end those are in memory and these in the registers.
macro_rules! column_and_half_row {
    () => {
        concat!(
            quarter!(("eax" "rax") ("edx" "rdx") ("esi" "rsi") ("r12d" "r12")),
            quarter!(("ebp" "rbp") ("r9d" "r9") ("edi" "rdi") ("ebx" "rbx")),
            "mov [rsp + 72], esi\n mov [rsp + 76], edi\n mov esi, [rsp + 64]\n mov edi, [rsp + 68]\n",
            quarter!(("r10d" "r10") ("r13d" "r13") ("esi" "rsi") ("r8d" "r8")),
            quarter!(("r14d" "r14") ("ecx" "rcx") ("edi" "rdi") ("r11d" "r11")),
            quarter!(("eax" "rax") ("ebx" "rbx") ("esi" "rsi") ("ecx" "rcx")),
            quarter!(("ebp" "rbp") ("r8d" "r8") ("edi" "rdi") ("edx" "rdx")),
        )
    };
}

/// Computes the second half of a row round.
macro_rules! half_row {
    () => {
        concat!(
            "mov esi, [rsp + 72]\n mov edi, [rsp + 76]\n",
            quarter!(("r10d" "r10") ("r11d" "r11") ("esi" "rsi") ("r9d" "r9")),
            quarter!(("r14d" "r14") ("r12d" "r12") ("edi" "rdi") ("r13d" "r13")),
        )
    };
}

macro_rules! double_round {
    () => {
        concat!(column_and_half_row!(), "mov [rsp + 64], esi\n mov [rsp + 68], edi\n", half_row!())
    };
}

/// Adds to a register the start of word `$at` / 4, and writes it to the result at `r15`.
macro_rules! end {
    ($($register:literal $at:literal),*) => {
        concat!($("add ", $register, ", [rsp + ", $at, "]\n mov [r15 + ", $at, "], ", $register, "\n"),*)
    };
}

/// Xors word `$at` / 4 of the block at `r15` into a register, and keeps it as the start.
macro_rules! start {
    ($($register:literal $at:literal),*) => {
        concat!($("xor ", $register, ", [r15 + ", $at, "]\n mov [rsp + ", $at, "], ", $register, "\n"),*)
    };
}

/// Applies `$all` to all words but 2 and 7.
macro_rules! words {
    ($all:ident) => {
        $all!(
            "eax" "0", "ebp" "20", "r10d" "40", "r14d" "60", "ebx" "4", "ecx" "12", "edx" "16", "r8d" "24",
            "esi" "32", "r9d" "36", "r11d" "44", "r12d" "48", "edi" "52", "r13d" "56"
        )
    };
}

/// Computes Salsa20/8 of the start, writes it to the block at `[rsp + $out]`, and starts the next one. The words stay
/// in registers from block to block: through memory they would take some 7 cycles longer.
macro_rules! block {
    ($out:literal) => {
        concat!(
            double_round!(), double_round!(), double_round!(), column_and_half_row!(),
            "mov r15, [rsp + ", $out, "]\n", end!("esi" "8", "edi" "28"),
            "mov r15, [rsp + 80]\n", start!("esi" "8", "edi" "28"),
            "mov [rsp + 64], esi\n mov [rsp + 68], edi\n",
            half_row!(),
            "mov r15, [rsp + ", $out, "]\n", words!(end), "add r15, 64\n mov [rsp + ", $out, "], r15\n",
            "mov r15, [rsp + 80]\n", words!(start),
            // The last block of the row starts one that is not computed; its input is any block.
            "add r15, 64\n cmp r15, [rsp + 104]\n cmove r15, [rsp + 112]\n mov [rsp + 80], r15\n",
        )
    };
}

/// Computes scryptBlockMix; see [`crate::arch::generic`]. Both have the same even number of blocks.
fn block_mix(b: &[Block], y: &mut [Block]) {
    assert!(b.len() == y.len() && b.len() >= 2 && b.len().is_multiple_of(2));
    let b = b.as_ptr_range();
    let (even, odd) = y.split_at_mut(y.len() / 2);
    let odd = odd.as_mut_ptr_range();
    // SAFETY: `b` is read from its second block to its end, and then from its start; its first and last block before
    // that. `even` and `odd` are written one block each at a time, until `odd` is at its end: by the assertion, when
    // all blocks of `b` have been read. rbx, rbp and rsp are restored; all other registers that change are declared.
    // On the stack lie: 16 words of the start; words 2, 7, 8, 13; the pointers to the next input, `even` and `odd`,
    // the ends of `b` and `odd`, the start of `b`.
    unsafe {
        asm!(
            "push rbx", "push rbp", "sub rsp, 128",
            "mov [rsp + 88], rdx", "mov [rsp + 96], rcx", "mov [rsp + 104], rsi", "mov [rsp + 112], rdi",
            "mov [rsp + 120], r8", "mov r15, rdi", "add rdi, 64", "mov [rsp + 80], rdi",
            // The start of the first block: the last one xor the first one.
            "mov edi, [rsi - 64 + 8]", "xor edi, [r15 + 8]", "mov [rsp + 8], edi", "mov [rsp + 64], edi",
            "mov edi, [rsi - 64 + 28]", "xor edi, [r15 + 28]", "mov [rsp + 28], edi", "mov [rsp + 68], edi",
            "mov eax, [rsi - 64]", "mov ebp, [rsi - 64 + 20]", "mov r10d, [rsi - 64 + 40]",
            "mov r14d, [rsi - 64 + 60]", "mov ebx, [rsi - 64 + 4]", "mov ecx, [rsi - 64 + 12]",
            "mov edx, [rsi - 64 + 16]", "mov r8d, [rsi - 64 + 24]", "mov r9d, [rsi - 64 + 36]",
            "mov r11d, [rsi - 64 + 44]", "mov r12d, [rsi - 64 + 48]", "mov edi, [rsi - 64 + 52]",
            "mov r13d, [rsi - 64 + 56]", "mov esi, [rsi - 64 + 32]",
            words!(start),
            "2:",
            block!("88"),
            block!("96"),
            "mov r15, [rsp + 96]", "cmp r15, [rsp + 120]", "jne 2b",
            "add rsp, 128", "pop rbp", "pop rbx",
            inout("rdi") b.start => _, inout("rsi") b.end => _, inout("rdx") even.as_mut_ptr() => _,
            inout("rcx") odd.start => _, inout("r8") odd.end => _, out("rax") _, out("r9") _, out("r10") _,
            out("r11") _, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::equals_portable;
    use super::*;

    #[test]
    fn registers_equal_portable() {
        equals_portable(romix_single);
    }
}
