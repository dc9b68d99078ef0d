//! The tree on Windows: a job object, to which everything belongs that a process of it starts. The system ends a job
//! when its last handle is closed, so that nothing is left of a lab that was killed. A job cannot be stopped.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::time::Instant;

use windows_sys::Win32::Foundation::{HANDLE, NTSTATUS, RtlNtStatusToDosError};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JOBOBJECTINFOCLASS,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation, QueryInformationJobObject,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED};

use super::{LIMIT, PAUSE};

/// All processes of a candidate.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    /// `None` if the system made no job.
    job: Option<Job>,
}

/// Does not occur: nothing is stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StopError {}

/// Starts a command in a process group of its own, which Ctrl-C at the console does not reach.
pub fn in_a_session(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

impl ProcessTree {
    /// Starts a command, whose process belongs to a job from its first instruction on.
    pub(crate) fn start(command: &mut Command, _: String) -> std::io::Result<(Child, Self)> {
        let (mut child, tree) = Self::suspended(command)?;
        resume(&child).inspect_err(|_| drop(child.kill()))?;
        Ok((child, tree))
    }

    /// Starts a command and does not let it run.
    fn suspended(command: &mut Command) -> std::io::Result<(Child, Self)> {
        let child = command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED).spawn()?;
        let job = Job::of(&child);
        Ok((child, ProcessTree { job }))
    }

    /// Does nothing: processes go on.
    pub(crate) fn stop(&mut self) -> Result<(), StopError> {
        Ok(())
    }

    /// Returns the maximum memory of its processes in bytes; 0 if it is not known.
    pub(crate) fn memory(&self) -> u64 {
        let limits = self.job.as_ref().and_then(Job::limits);
        limits.map_or(0, |limits| limits.PeakJobMemoryUsed as u64)
    }

    /// Returns `false`: it could not be stopped.
    pub(crate) fn is_busy(&mut self) -> bool {
        false
    }

    /// Does nothing: nothing was stopped.
    pub(crate) fn resume(&self) {}

    /// Ends all processes and waits up to [`LIMIT`] until all have exited.
    pub(crate) fn end(&mut self) {
        let Some(job) = &self.job else { return };
        job.terminate();
        let begun = Instant::now();
        while job.processes().is_some_and(|count| count > 0) && begun.elapsed() < LIMIT {
            std::thread::sleep(PAUSE);
        }
    }
}

#[expect(unsafe_code, reason = "not in windows-sys")]
#[link(name = "ntdll", kind = "raw-dylib")]
unsafe extern "system" {
    /// Resumes all threads of a process. `ResumeThread` would need a handle of its first thread, which std closes.
    fn NtResumeProcess(process: HANDLE) -> NTSTATUS;
}

/// Lets a suspended process run.
#[expect(unsafe_code, reason = "calls of the system")]
fn resume(child: &Child) -> std::io::Result<()> {
    // SAFETY: the handle is open.
    let status = unsafe { NtResumeProcess(child.as_raw_handle()) };
    if status >= 0 {
        return Ok(());
    }
    // SAFETY: the call takes a number only.
    let why = unsafe { RtlNtStatusToDosError(status) };
    Err(std::io::Error::from_raw_os_error(why.cast_signed()))
}

/// A job whose processes end when this is dropped.
#[derive(Debug)]
struct Job(OwnedHandle);

#[expect(unsafe_code, reason = "calls of the system, each with a pointer to a local or to null")]
impl Job {
    fn of(child: &Child) -> Option<Job> {
        // SAFETY: both pointers may be null.
        let handle = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if handle.is_null() {
            return None;
        }
        // SAFETY: the handle is valid and nothing else closes it.
        let job = Job(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let pointer = (&raw const limits).cast();
        // SAFETY: the pointer is to a local of this size, and both handles are open.
        let done = unsafe {
            SetInformationJobObject(
                handle,
                JobObjectExtendedLimitInformation,
                pointer,
                size_of_val(&limits) as u32,
            ) != 0
                && AssignProcessToJobObject(handle, child.as_raw_handle()) != 0
        };
        done.then_some(job)
    }

    fn terminate(&self) {
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }

    fn limits(&self) -> Option<JOBOBJECT_EXTENDED_LIMIT_INFORMATION> {
        // SAFETY: the structure belongs to the class, and zeros are a value of it.
        unsafe { self.query(JobObjectExtendedLimitInformation) }
    }

    /// Returns the number of processes that have not exited.
    fn processes(&self) -> Option<u32> {
        // SAFETY: as in `limits`.
        let found: Option<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION> =
            unsafe { self.query(JobObjectBasicAccountingInformation) };
        found.map(|found| found.ActiveProcesses)
    }

    /// Returns what the system knows of the job.
    ///
    /// # Safety
    /// `T` is the structure of the class.
    unsafe fn query<T: Default>(&self, class: JOBOBJECTINFOCLASS) -> Option<T> {
        let mut found = T::default();
        let pointer = (&raw mut found).cast();
        // SAFETY: the pointer is to a local of this size; a null pointer for the length is allowed.
        let done = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                class,
                pointer,
                size_of::<T>() as u32,
                std::ptr::null_mut(),
            )
        };
        (done != 0).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_job_ends_with_all_processes() {
        let mut command = Command::new("cmd");
        // It waits for a line that does not come, and so does the one that it starts.
        command.args(["/c", "cmd /c set /p x="]).stdin(Stdio::piped()).stdout(Stdio::null());
        let (mut child, mut tree) = ProcessTree::start(&mut command, String::new()).unwrap();
        assert_eq!(child.try_wait().unwrap(), None);
        assert!(tree.job.as_ref().and_then(Job::processes).is_some_and(|count| count > 0));
        tree.end();
        assert_eq!(tree.job.as_ref().and_then(Job::processes), Some(0));
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }

    #[test]
    fn a_tree_that_is_dropped_ends() {
        let mut command = Command::new("cmd");
        command.args(["/c", "set /p x="]).stdin(Stdio::piped());
        let (mut child, tree) = ProcessTree::start(&mut command, String::new()).unwrap();
        drop(tree);
        let stdin = child.stdin.take();
        child.wait().unwrap();
        drop(stdin);
    }
    #[test]
    fn a_process_runs_in_its_job_only() {
        let (mut child, tree) = ProcessTree::suspended(Command::new("cmd").args(["/c", "exit 3"])).unwrap();
        assert_eq!(tree.job.as_ref().and_then(Job::processes), Some(1));
        // It would have ended by now.
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None);
        resume(&child).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3));
        assert_eq!(tree.job.as_ref().and_then(Job::processes), Some(0));
    }
}
