//! Requests to Valgrind, and the check by its tool memcheck that no branch and no address depends on secrets: they are
//! marked as undefined, and memcheck reports each jump and each address that depends on undefined bits (A. Langley,
//! 'ctgrind', 2010). `scripts/test-variants secrets` runs the examples that use it.
#![allow(unsafe_code, reason = "a request is a sequence of instructions")]

use std::hint::black_box;
use std::process::ExitCode;

/// `VG_USERREQ__COUNT_ERRORS` of valgrind.h.
const COUNT_ERRORS: usize = 0x1201;
/// `VG_USERREQ__MAKE_MEM_UNDEFINED` and `VG_USERREQ__MAKE_MEM_DEFINED` of memcheck.h.
const MAKE_UNDEFINED: usize = 0x4d43_0001;
const MAKE_DEFINED: usize = 0x4d43_0002;

/// Sends a request and returns the answer: 0 without Valgrind, and on processors other than x86-64.
pub fn request(number: usize, bytes: &[u8]) -> usize {
    let (request, mut answer) = ([number, bytes.as_ptr().addr(), bytes.len(), 0, 0, 0], 0);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as in valgrind.h, the processor rotates by 128 bits together and exchanges a register with itself.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") black_box(&request), inout("rdx") answer, options(nostack),
        );
    }
    black_box((&request, &mut answer));
    answer
}

/// Marks bytes as secret.
pub fn secret(bytes: &mut [u8]) {
    request(MAKE_UNDEFINED, black_box(bytes));
}

/// Marks bytes as public, such as a signature that was made with secrets.
pub fn public(bytes: &[u8]) {
    request(MAKE_DEFINED, bytes);
}

/// Calls a function, prints its name with the number of errors that memcheck reports, and returns this number.
pub fn errors<T>(name: &str, function: impl FnOnce() -> T) -> usize {
    let before = request(COUNT_ERRORS, &[]);
    black_box(function());
    let errors = request(COUNT_ERRORS, &[]) - before;
    println!("{name}: {errors} errors");
    errors
}

/// Returns success if there were no errors, and a planted branch and a planted address are two.
pub fn conclude(found: usize) -> ExitCode {
    let planted = errors("planted, two expected", || {
        let (mut bytes, table) = ([5; 2], black_box([7; 256]));
        secret(&mut bytes);
        if bytes[0] == 0 {
            black_box(&bytes);
        }
        black_box(table[usize::from(bytes[1])]);
    });
    if found == 0 && planted == 2 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
