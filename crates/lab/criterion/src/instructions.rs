//! Requests to Valgrind's tool Callgrind to count the instructions of routines. They are only in the programs of
//! `parlab suite --measure time,instructions`, which are built with a file `instructions` next to the build script.
//!
//! Callgrind counts on all threads from the start of the iterations to their end, and [`take`] makes it write the sum
//! to a file, which the lab reads. Without Valgrind, a request does nothing.

// A request is a sequence of instructions.
#![allow(unsafe_code)]

/// Names of what [`take`] returns.
pub(crate) const NAMES: [&str; 0] = [];

/// `VG_USERREQ__DUMP_STATS` of Valgrind's callgrind.h.
const DUMP_STATS: usize = 0x4354_0000;
/// `VG_USERREQ__START_INSTRUMENTATION`.
const START_INSTRUMENTATION: usize = DUMP_STATS + 4;
/// `VG_USERREQ__STOP_INSTRUMENTATION`.
const STOP_INSTRUMENTATION: usize = DUMP_STATS + 5;

/// Counts from now on: iterations start.
// Calls are where the timed programs call their clock. Callgrind counts the instructions up to a jump when the next
// ones run, so that without the call of `stop` the last would not count.
#[inline(never)]
pub(crate) fn start() {
    request(&[START_INSTRUMENTATION, 0, 0, 0, 0, 0]);
}

/// Counts no longer: iterations ended.
#[inline(never)]
pub(crate) fn stop() {
    request(&[STOP_INSTRUMENTATION, 0, 0, 0, 0, 0]);
}

/// Makes Callgrind write what it counted since the last call.
pub(crate) fn take() -> [u64; 0] {
    request(&[DUMP_STATS, 0, 0, 0, 0, 0]);
    []
}

/// Sends Valgrind a request, which is its number and five arguments: `VALGRIND_DO_CLIENT_REQUEST_EXPR` of valgrind.h.
#[inline(always)]
fn request(request: &'static [usize; 6]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the four rotations are of 128 bits together and the exchange is of a register with itself, so that the
    // processor changes nothing but flags. Valgrind knows the sequence, reads the request at rax and answers in rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request,
            inout("rdx") 0_usize => _,
            options(nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above, with the request at x4 and the answer in x3.
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") request,
            inout("x3") 0_usize => _,
            options(nostack),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    compile_error!("instructions are counted on x86-64 and AArch64 only");
}
