//! A thread of another process at one moment: it is stopped by ptrace, its registers and its stack are copied, and it
//! goes on.
//!
//! A stop by the sampler is reported to the waits of all threads of the lab. So it is only looked at here
//! (`WNOWAIT`), and the lab waits for a candidate only if that has ended (`Candidate::exit_status`).

use std::io::IoSliceMut;
use std::time::{Duration, Instant};

use framehop::UnwindRegsNative;
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

/// Maximum length of a stack that is copied, in bytes.
const MAX_STACK: usize = 64 << 10;
/// Length of a page, or of a part of one. A copy ends at the first that is not there.
const PAGE: u64 = 4 << 10;
/// Time in which a thread stops that runs. One that waits in the kernel takes longer.
const LIMIT: Duration = Duration::from_millis(20);
/// Time in which it is asked again and again whether the thread has stopped; after it, it is asked now and then.
const BUSY: Duration = Duration::from_micros(200);
const PAUSE: Duration = Duration::from_micros(50);

/// A thread at one moment.
pub(super) struct Snapshot {
    /// Address of the next instruction.
    pub(super) instruction: u64,
    pub(super) registers: UnwindRegsNative,
    /// The stack from its innermost byte on.
    stack_at: u64,
    stack: Vec<u8>,
}

impl Snapshot {
    /// Returns the word of the stack at an address.
    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.stack_at)?).ok()?;
        let bytes = self.stack.get(at..at.checked_add(size_of::<u64>())?)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }
}

/// Why there is no snapshot.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoSnapshot {
    /// The thread cannot be traced: it has ended, or the system refuses it.
    Untraced(Errno),
    /// The thread is traced and did not stop as expected: it ends, or has become another program, or waits in a
    /// system call, or is about to handle a signal of the real-time kind, which cannot be named here. The calling
    /// thread has to end: with it the system ends the trace, and leaves the thread its signal and its status.
    Lost,
}

/// Stops a thread, returns its registers and its stack, and what `f` returns while it is stopped, and lets it go on.
pub(super) fn snapshot<T>(thread: Pid, f: impl FnOnce() -> T) -> Result<(Snapshot, T), NoSnapshot> {
    seize(thread)?;
    seized(thread, f)
}

/// Begins to trace a thread, which runs on.
pub(super) fn seize(thread: Pid) -> Result<(), NoSnapshot> {
    ptrace::seize(thread, Options::empty()).map_err(NoSnapshot::Untraced)
}

/// Does what [`snapshot`] does after the trace has begun. It ends the trace, or returns [`NoSnapshot::Lost`].
pub(super) fn seized<T>(thread: Pid, f: impl FnOnce() -> T) -> Result<(Snapshot, T), NoSnapshot> {
    ptrace::interrupt(thread).map_err(|_| NoSnapshot::Lost)?;
    let signal = match wait(thread)? {
        // It is about to handle a signal that came before.
        WaitStatus::PtraceEvent(_, signal, 0) => Some(signal),
        WaitStatus::PtraceEvent(..) => None,
        _ => return Err(NoSnapshot::Lost),
    };
    let taken = registers(thread).map(|(instruction, stack_at, registers)| {
        let stack = memory(thread, stack_at, MAX_STACK);
        (Snapshot { instruction, registers, stack_at, stack }, f())
    });
    ptrace::detach(thread, signal).map_err(|_| NoSnapshot::Lost)?;
    taken.map_err(NoSnapshot::Untraced)
}

/// Waits until a traced thread has stopped.
fn wait(thread: Pid) -> Result<WaitStatus, NoSnapshot> {
    let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
    let flags = flags | WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    let begun = Instant::now();
    loop {
        match waitid(Id::Pid(thread), flags) {
            Ok(WaitStatus::StillAlive) if begun.elapsed() < BUSY => std::thread::yield_now(),
            Ok(WaitStatus::StillAlive) if begun.elapsed() < LIMIT => std::thread::sleep(PAUSE),
            Ok(WaitStatus::StillAlive) | Err(_) => return Err(NoSnapshot::Lost),
            Ok(status) => return Ok(status),
        }
    }
}

/// Copies the memory of a process from an address on, at most so many bytes.
pub(super) fn memory(process: Pid, from: u64, length: usize) -> Vec<u8> {
    let mut copy = vec![0; length];
    let end = from.saturating_add(length as u64);
    let mut parts = Vec::new();
    let mut at = from;
    while at < end {
        let next = (at / PAGE + 1).saturating_mul(PAGE).min(end);
        parts.push(RemoteIoVec { base: at as usize, len: (next - at) as usize });
        at = next;
    }
    let copied = process_vm_readv(process, &mut [IoSliceMut::new(&mut copy)], &parts).unwrap_or(0);
    copy.truncate(copied);
    copy
}

/// Returns the address of a stopped thread's next instruction, the address of its stack, and the registers for the
/// unwinder.
#[cfg(target_arch = "x86_64")]
fn registers(thread: Pid) -> nix::Result<(u64, u64, UnwindRegsNative)> {
    let all = ptrace::getregs(thread)?;
    Ok((all.rip, all.rsp, UnwindRegsNative::new(all.rip, all.rsp, all.rbp)))
}

/// Returns the address of a stopped thread's next instruction, the address of its stack, and the registers for the
/// unwinder.
#[cfg(target_arch = "aarch64")]
fn registers(thread: Pid) -> nix::Result<(u64, u64, UnwindRegsNative)> {
    let all = ptrace::getregs(thread)?;
    Ok((all.pc, all.sp, UnwindRegsNative::new(all.regs[30], all.sp, all.regs[29])))
}
