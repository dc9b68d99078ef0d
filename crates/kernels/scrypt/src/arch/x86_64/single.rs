//! One lane, in the general registers of any x86-64: less latency than vectors, where there is no second lane to hide
//! it.
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
    romix_with(group, block_mix, |x, v, y| {
        // Prefetches all lines of the row at once.
        for (x, v) in x.iter_mut().zip(v) {
            for (x, v) in x.0.iter_mut().zip(v.0) {
                *x ^= v;
            }
        }
        block_mix(x, y);
    })
}

/// Computes scryptBlockMix; see [`crate::arch::generic`]. Both have the same even number of blocks.
fn block_mix(b: &[Block], y: &mut [Block]) {
    let half = b.len() / 2;
    let (even, odd) = y.split_at_mut(half);
    let mut x = &b[b.len() - 1];
    for ((pair, even), odd) in b.chunks_exact(2).zip(even).zip(odd) {
        salsa20_8(x, &pair[0], even);
        salsa20_8(even, &pair[1], odd);
        x = odd;
    }
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

/// Computes a column round and a row round. Words 8 and 2 share `esi`, words 13 and 7 `edi`.
macro_rules! double_round {
    () => {
        concat!(
            quarter!(("eax" "rax") ("edx" "rdx") ("esi" "rsi") ("r12d" "r12")),
            quarter!(("ebp" "rbp") ("r9d" "r9") ("edi" "rdi") ("ebx" "rbx")),
            "mov [rsp + 72], esi\n mov [rsp + 76], edi\n mov esi, [rsp + 64]\n mov edi, [rsp + 68]\n",
            quarter!(("r10d" "r10") ("r13d" "r13") ("esi" "rsi") ("r8d" "r8")),
            quarter!(("r14d" "r14") ("ecx" "rcx") ("edi" "rdi") ("r11d" "r11")),
            quarter!(("eax" "rax") ("ebx" "rbx") ("esi" "rsi") ("ecx" "rcx")),
            quarter!(("ebp" "rbp") ("r8d" "r8") ("edi" "rdi") ("edx" "rdx")),
            "mov [rsp + 64], esi\n mov [rsp + 68], edi\n mov esi, [rsp + 72]\n mov edi, [rsp + 76]\n",
            quarter!(("r10d" "r10") ("r11d" "r11") ("esi" "rsi") ("r9d" "r9")),
            quarter!(("r14d" "r14") ("r12d" "r12") ("edi" "rdi") ("r13d" "r13")),
        )
    };
}

/// Loads word `$at` / 4 of x xor b into a register and onto the stack.
macro_rules! start {
    ($register:literal $at:literal) => {
        concat!(
            "mov ",
            $register,
            ", [rdi + ",
            $at,
            "]\n xor ",
            $register,
            ", [rsi + ",
            $at,
            "]\n",
            "mov [rsp + ",
            $at,
            "], ",
            $register,
            "\n"
        )
    };
}

/// Writes the word plus its value at the start to the result.
macro_rules! end {
    ($register:literal $at:literal) => {
        concat!("add ", $register, ", [rsp + ", $at, "]\n mov [r15 + ", $at, "], ", $register, "\n")
    };
}

/// Computes `out` = Salsa20/8(`x` xor `b`).
#[inline]
fn salsa20_8(x: &Block, b: &Block, out: &mut Block) {
    // SAFETY: the references say that 64 bytes can be read at `x` and `b` and written at `out`. rbx, rbp and rsp are
    // restored; all other registers that change are declared. On the stack lie: 16 words of the start, words 2, 7, 8,
    // 13.
    unsafe {
        asm!(
            "push rbx", "push rbp", "push rdx", "sub rsp, 80",
            start!("eax" "0"), start!("ebx" "4"), start!("ecx" "12"), start!("edx" "16"), start!("ebp" "20"),
            start!("r8d" "24"), start!("r9d" "36"), start!("r10d" "40"), start!("r11d" "44"), start!("r12d" "48"),
            start!("r13d" "56"), start!("r14d" "60"),
            start!("r15d" "8"), "mov [rsp + 64], r15d",
            start!("r15d" "28"), "mov [rsp + 68], r15d",
            start!("r15d" "52"), start!("edi" "32"), "mov esi, edi", "mov edi, r15d",
            double_round!(), double_round!(), double_round!(), double_round!(),
            "mov r15, [rsp + 80]",
            end!("eax" "0"), end!("ebx" "4"), end!("ecx" "12"), end!("edx" "16"), end!("ebp" "20"),
            end!("r8d" "24"), end!("r9d" "36"), end!("r10d" "40"), end!("r11d" "44"), end!("r12d" "48"),
            end!("r13d" "56"), end!("r14d" "60"), end!("esi" "32"), end!("edi" "52"),
            "mov eax, [rsp + 64]", end!("eax" "8"), "mov ebx, [rsp + 68]", end!("ebx" "28"),
            "add rsp, 88", "pop rbp", "pop rbx",
            inout("rdi") x => _, inout("rsi") b => _, inout("rdx") out => _,
            out("rax") _, out("rcx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            out("r12") _, out("r13") _, out("r14") _, out("r15") _,
        );
    }
}
