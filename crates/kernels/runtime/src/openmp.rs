//! OpenMP through a C shim: the pragmas are in C; panics and all decisions stay in Rust.

use std::num::NonZeroUsize;
use std::path::Path;

use crate::placement::Placement;
use crate::{Error, ForkCost, Runtime};

/// The OpenMP library of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMpLibrary {
    /// `libgomp` or `libomp`, by the file that is loaded.
    pub name: String,
    /// The loaded file.
    pub file: String,
    /// `_OPENMP`: the date of the specification that the compiler followed, as yyyymm.
    pub version: u32,
    /// The behaviour of idle workers, from `OMP_WAIT_POLICY` and related variables, or the library's default.
    pub wait_policy: String,
}

/// Runs on OpenMP's threads: libgomp by default, libomp if it was chosen at build time.
///
/// Each calling thread gets a team of its own, so several may use one value at once. After a fork the child works
/// like the parent, but with libgomp starts a new thread in each call.
#[derive(Clone, Copy, Debug)]
pub struct OpenMp {
    #[cfg_attr(not(openmp), allow(dead_code))]
    threads: NonZeroUsize,
    #[cfg_attr(not(openmp), allow(dead_code))]
    placement: Placement,
}

impl OpenMp {
    /// Returns a runtime of `threads` threads, the caller's included. It distributes tasks one at a time to the next
    /// free thread, because kernels make them large enough for it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] in a build without OpenMP, or if the library of another compiler is loaded instead
    /// of the one that the build was made for; [`Error::Threads`] above [`MAX_THREADS`](crate::MAX_THREADS),
    /// [`Error::Spawn`] if the system refuses that many threads (OpenMP itself would end the process).
    pub fn new(threads: NonZeroUsize) -> Result<Self, Error> {
        imp::available()?;
        crate::placement::check_threads(threads)?;
        crate::placement::try_threads(threads)?;
        Ok(OpenMp { threads, placement: Placement::of(threads) })
    }

    /// Returns the library that this program was built with.
    ///
    /// # Errors
    /// [`Error::Unavailable`] in a build without OpenMP, and as in [`new`](Self::new).
    pub fn library() -> Result<OpenMpLibrary, Error> {
        imp::available().map(OpenMpLibrary::loaded)
    }
}

impl Runtime for OpenMp {
    fn name(&self) -> &'static str {
        "openmp"
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    fn fork_cost(&self) -> ForkCost {
        ForkCost::OPENMP
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        imp::run(self, tasks, task);
    }

    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        imp::join(self, a, b);
    }
}

impl OpenMpLibrary {
    /// Inspects the loaded library, because a build can be run with another library of the same interface.
    fn loaded(version: u32) -> Self {
        let file = imp::loaded_file();
        let name = file.as_deref().and_then(name_of).unwrap_or_else(|| "unknown".to_owned());
        let file = file.map_or_else(|| "not known".to_owned(), |file| file.display().to_string());
        let set = |key: &str| std::env::var(key).ok().map(|value| format!("{key}={value}"));
        let wait_policy = [set("OMP_WAIT_POLICY"), set("GOMP_SPINCOUNT"), set("KMP_BLOCKTIME")];
        let wait_policy = wait_policy.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let default = match name.as_str() {
            "libgomp" => "default of libgomp: idle workers spin for some milliseconds, then sleep",
            "libomp" => "default of libomp: idle workers spin for 200 ms, then sleep",
            _ => "default of the library",
        };
        let wait_policy = if wait_policy.is_empty() { default.to_owned() } else { wait_policy };
        OpenMpLibrary { name, file, version, wait_policy }
    }
}

/// Returns `libomp` for `/usr/lib/llvm-14/lib/libomp-14.so.5`; `None` for a file that is not an OpenMP library.
fn name_of(file: &Path) -> Option<String> {
    let stem = file.file_name()?.to_str()?.split(['.', '-']).next()?;
    ["libgomp", "libomp", "libiomp5"].contains(&stem).then(|| stem.to_owned())
}

/// Returns whether a program built for `built` works with the library of that name, judged by the name.
///
/// libomp can replace libgomp, and some distributions install it under the other's name. But each has faults that are
/// worked around at build time: the sizes of tasks in the shim, and where a region is opened after a fork.
#[cfg_attr(not(openmp), allow(dead_code))]
fn works_with(built: &str, loaded: Option<&str>) -> bool {
    loaded.is_none_or(|loaded| (built == "libgomp") == (loaded == "libgomp"))
}

#[cfg(not(openmp))]
mod imp {
    use super::{Error, OpenMp};
    use crate::serial;

    pub(super) fn loaded_file() -> Option<std::path::PathBuf> {
        None
    }

    pub(super) fn available() -> Result<u32, Error> {
        Err(Error::Unavailable { runtime: "openmp", why: env!("PARCRYPT_WHY_NO_OPENMP") })
    }

    // No value of `OpenMp` exists in such a build, so these are never reached; they still run their tasks.
    pub(super) fn run(_: &OpenMp, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        serial::run(tasks, task);
    }

    pub(super) fn join(_: &OpenMp, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        serial::join(a, b);
    }
}

#[cfg(openmp)]
mod imp {
    #![allow(unsafe_code, reason = "calls the C shim")]

    use std::any::Any;
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::num::NonZeroUsize;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};

    use super::{Error, OpenMp};
    use crate::placement::{Home, Placement};
    use crate::scope::Place;
    use crate::{Runtime, fork, serial};

    type TeamFn = unsafe extern "C" fn(team: *const c_void, thread: c_int, threads: c_int);
    type TaskFn = unsafe extern "C" fn(context: *const c_void, index: usize);
    type BranchFn = unsafe extern "C" fn(context: *mut c_void);

    unsafe extern "C" {
        #[cfg(unix)]
        safe fn omp_get_max_threads() -> c_int;
        safe fn parcrypt_openmp_version() -> c_int;
        fn parcrypt_openmp_run(
            threads: c_int,
            begin: TeamFn,
            end: TeamFn,
            team: *const c_void,
            tasks: usize,
            task: TaskFn,
            context: *const c_void,
        );
        fn parcrypt_openmp_join(
            threads: c_int,
            begin: TeamFn,
            end: TeamFn,
            team: *const c_void,
            a: BranchFn,
            context_a: *mut c_void,
            b: BranchFn,
            context_b: *mut c_void,
        );
    }

    /// The library of the build, whose faults the shim works around.
    const BUILT: (&str, &str) = if cfg!(openmp = "libomp") {
        ("libomp", "this build was made for libomp, and libgomp is loaded in its place")
    } else {
        ("libgomp", "this build was made for libgomp, and libomp is loaded in its place")
    };

    pub(super) fn available() -> Result<u32, Error> {
        static WORKS: OnceLock<bool> = OnceLock::new();
        let loaded = || loaded_file().as_deref().and_then(super::name_of);
        let (built, why) = BUILT;
        if *WORKS.get_or_init(|| super::works_with(built, loaded().as_deref())) {
            Ok(parcrypt_openmp_version().unsigned_abs())
        } else {
            Err(Error::Unavailable { runtime: "openmp", why })
        }
    }

    /// Returns the file, without links, that contains OpenMP's functions. Another OpenMP library may be loaded too.
    #[cfg(unix)]
    pub(super) fn loaded_file() -> Option<PathBuf> {
        // SAFETY: a `Dl_info` is pointers, which may be null.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        let function = omp_get_max_threads as *const c_void;
        // SAFETY: looks up an address, and writes `info`.
        if unsafe { libc::dladdr(function, &raw mut info) } == 0 || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: `dladdr` gave a string that lives as long as the library, with which this program is linked.
        let file = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
        std::fs::canonicalize(file.to_str().ok()?).ok()
    }

    /// As on Unix. The program is linked with one library of a known name; a path has at most `MAX_PATH` units.
    #[cfg(windows)]
    pub(super) fn loaded_file() -> Option<PathBuf> {
        use windows_sys::Win32::Foundation::MAX_PATH;
        use windows_sys::Win32::System::LibraryLoader::{GetModuleFileNameW, GetModuleHandleW};

        use std::os::windows::ffi::OsStringExt;

        let name = if cfg!(openmp = "libomp") {
            windows_sys::w!("libomp.dll")
        } else {
            windows_sys::w!("libgomp-1.dll")
        };
        let mut path = [0; MAX_PATH as usize];
        // SAFETY: a text with a zero at its end.
        let module = unsafe { GetModuleHandleW(name) };
        // SAFETY: writes at most the given number of units; for a null module, the path of the program.
        let length = unsafe { GetModuleFileNameW(module, path.as_mut_ptr(), MAX_PATH) };
        (!module.is_null()).then(|| std::ffi::OsString::from_wide(&path[..length as usize]).into())
    }

    /// As on Unix; the system does not say it.
    #[cfg(not(any(unix, windows)))]
    pub(super) fn loaded_file() -> Option<PathBuf> {
        None
    }

    /// The first panic of a region, kept until all of its tasks have ended.
    #[derive(Default)]
    struct FirstPanic {
        seen: AtomicBool,
        payload: Mutex<Option<Box<dyn Any + Send>>>,
    }

    impl FirstPanic {
        /// Calls `f` unless a call has panicked already. Never unwinds.
        fn guard(&self, f: impl FnOnce()) {
            if self.seen.load(Ordering::Relaxed) {
                return;
            }
            if let Err(payload) = catch_unwind(AssertUnwindSafe(f)) {
                if self.seen.swap(true, Ordering::Relaxed) {
                    // A second panic cannot be reported, and dropping its payload might panic again.
                    std::mem::forget(payload);
                } else {
                    *self.payload.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
                }
            }
        }

        /// Resumes the panic in the caller, if there was one.
        fn resume(self) {
            if let Some(payload) = self.payload.into_inner().unwrap_or_else(PoisonError::into_inner) {
                resume_unwind(payload);
            }
        }
    }

    /// The threads of one region, and the processor of the one that opened it.
    struct Team {
        home: Home,
        come: AtomicI32,
    }

    impl Team {
        fn here(placement: Placement) -> Self {
            Team { home: Home::here(placement), come: AtomicI32::new(0) }
        }
    }

    /// Called by each thread at the start of a region.
    unsafe extern "C" fn begin(team: *const c_void, thread: c_int, threads: c_int) {
        // SAFETY: `run` and `join` pass a pointer to a `Team` that outlives the region, and is only read here.
        let team = unsafe { &*team.cast::<Team>() };
        let come = team.come.fetch_add(1, Ordering::Relaxed) + 1;
        if thread != 0 {
            team.home.leave();
        } else if come < threads {
            Home::make_way();
        }
    }

    /// Called by the thread that opened a region when it has no more work: the barrier after it spins for milliseconds
    /// (libgomp), and a worker that has not arrived may wait for this thread's processor.
    unsafe extern "C" fn end(team: *const c_void, thread: c_int, threads: c_int) {
        debug_assert_eq!(thread, 0);
        // SAFETY: as in `begin`.
        let team = unsafe { &*team.cast::<Team>() };
        while team.come.load(Ordering::Relaxed) < threads {
            Home::make_way();
        }
    }

    struct Region<'a> {
        task: &'a (dyn Fn(usize) + Sync),
        panic: &'a FirstPanic,
    }

    unsafe extern "C" fn call_task(context: *const c_void, index: usize) {
        // SAFETY: `run` passes a pointer to a `Region` that outlives the call into C, which ends after all tasks;
        // `Region` is only read, and what it refers to is Sync.
        let region = unsafe { &*context.cast::<Region<'_>>() };
        region.panic.guard(|| Place::Task.mark(|| (region.task)(index)));
    }

    struct Branch<'a> {
        body: &'a mut (dyn FnMut() + Send),
        place: Place,
        panic: &'a FirstPanic,
    }

    unsafe extern "C" fn call_branch(context: *mut c_void) {
        // SAFETY: `join` passes pointers to two different `Branch`es that outlive the call into C; the shim calls each
        // branch once, so this is the only reference to it, and its body is Send.
        let branch = unsafe { &mut *context.cast::<Branch<'_>>() };
        branch.panic.guard(|| branch.place.mark(&mut *branch.body));
    }

    thread_local! {
        /// The generation of processes in which this thread's team of OpenMP threads was made.
        static TEAM_GENERATION: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Calls `region` if OpenMP can start a team.
    ///
    /// libgomp ties a team to the thread that opened it. After a fork the forking thread still has the team whose
    /// threads exist in the parent only, and would wait for them forever. A new thread has no team, so in that one case
    /// it opens the region. libomp repairs itself after a fork, on the thread that forked, so it needs no new thread.
    fn with_living_team(region: impl FnOnce() + Send) {
        let now = fork::generation();
        let made = TEAM_GENERATION.get().unwrap_or(now);
        TEAM_GENERATION.set(Some(made));
        if made == now || cfg!(openmp = "libomp") {
            region();
        } else {
            let place = Place::here();
            std::thread::scope(|s| {
                s.spawn(move || place.mark(region));
            });
        }
    }

    pub(super) fn run(openmp: &OpenMp, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if tasks < 2 || openmp.threads().get() == 1 || Place::here() == Place::Task {
            return serial::run(tasks, task);
        }
        let panic = FirstPanic::default();
        let region = Region { task, panic: &panic };
        with_living_team(|| {
            let team = Team::here(openmp.placement);
            let (team, context) = ((&raw const team).cast::<c_void>(), (&raw const region).cast::<c_void>());
            let threads = to_int(openmp.threads);
            // SAFETY: the shim calls the functions with these pointers, `call_task` for indices below `tasks`, from its
            // threads, and returns after the last; none of them unwinds. `Team` and `Region` are Sync.
            unsafe {
                parcrypt_openmp_run(threads, begin, end, team, tasks, call_task, context);
            }
        });
        panic.resume();
    }

    pub(super) fn join(openmp: &OpenMp, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        if openmp.threads().get() == 1 {
            return serial::join(a, b);
        }
        let panic = FirstPanic::default();
        let place = Place::here().branch();
        let mut a = Branch { body: a, place, panic: &panic };
        let mut b = Branch { body: b, place, panic: &panic };
        with_living_team(|| {
            let team = Team::here(openmp.placement);
            let team = (&raw const team).cast::<c_void>();
            let (context_a, context_b) = ((&raw mut a).cast::<c_void>(), (&raw mut b).cast::<c_void>());
            let threads = to_int(openmp.threads);
            // SAFETY: the shim calls `call_branch` once with each context, `begin` and `end` with the team, and returns
            // when all have ended; none of them unwinds. Both bodies are Send, so any thread may call them.
            unsafe {
                parcrypt_openmp_join(
                    threads,
                    begin,
                    end,
                    team,
                    call_branch,
                    context_a,
                    call_branch,
                    context_b,
                );
            }
        });
        panic.resume();
    }

    /// Returns the number of threads, which is at most [`MAX_THREADS`](crate::MAX_THREADS).
    fn to_int(threads: NonZeroUsize) -> c_int {
        debug_assert!(c_int::try_from(threads.get()).is_ok());
        c_int::try_from(threads.get()).unwrap_or(c_int::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_its_file() {
        for (file, name) in [
            ("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", Some("libgomp")),
            ("/usr/lib/llvm-14/lib/libomp-14.so.5", Some("libomp")),
            ("/usr/lib/llvm-19/lib/libomp.so.5", Some("libomp")),
            ("/opt/intel/lib/libiomp5.so", Some("libiomp5")),
            ("/tmp/libomp/debug/deps/conformance-23f2", None),
            ("/usr/lib/llvm-14/lib/libomptarget.so.14", None),
            ("/", None),
        ] {
            assert_eq!(name_of(Path::new(file)).as_deref(), name, "{file}");
        }
    }

    #[test]
    fn the_library_of_another_compiler_is_refused() {
        for (built, loaded, works) in [
            ("libgomp", Some("libgomp"), true),
            ("libgomp", Some("libomp"), false),
            ("libgomp", Some("libiomp5"), false),
            ("libomp", Some("libomp"), true),
            ("libomp", Some("libiomp5"), true),
            ("libomp", Some("libgomp"), false),
            ("libgomp", None, true),
            ("libomp", None, true),
        ] {
            assert_eq!(works_with(built, loaded), works, "{built} with {loaded:?}");
        }
    }
}
