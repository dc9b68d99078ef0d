//! Runtimes, for C.

use std::ffi::{CStr, c_char};
use std::num::NonZeroUsize;

use parcrypt_profile::Identity;
use parcrypt_runtime::Kind;

use crate::status::Failure;

/// The header's `parcrypt_runtime`.
pub struct Runtime(Box<dyn parcrypt_runtime::Runtime>);

impl Runtime {
    pub(crate) fn get(&self) -> &dyn parcrypt_runtime::Runtime {
        &*self.0
    }
}

/// Returns a number of threads; for 0 that of the cores of this process.
fn or_cores(threads: usize) -> NonZeroUsize {
    NonZeroUsize::new(threads).unwrap_or_else(|| parcrypt_cpu::cores().min(MOST_THREADS))
}

/// A machine may have more cores than a runtime may have threads.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(parcrypt_runtime::MAX_THREADS).unwrap();

exported!(|caller| {
    fn parcrypt_runtime_new(
        kind: *const c_char,
        threads: usize,
        runtime: *mut *mut Runtime,
    ) -> Result<(), Failure> {
        let slot = caller.slot("runtime", runtime)?;
        let kind = caller.text("kind", kind)?;
        let kind: Kind = kind.to_string_lossy().parse()?;
        let threads = match kind {
            Kind::Serial => NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
            Kind::Rayon | Kind::OpenMp => or_cores(threads),
        };
        slot.give(Runtime(kind.build(threads)?));
        Ok(())
    }

    fn parcrypt_runtime_from_profile(
        path: *const c_char,
        kernel: *const c_char,
        threads: usize,
        runtime: *mut *mut Runtime,
    ) -> Result<(), Failure> {
        let slot = caller.slot("runtime", runtime)?;
        let path = caller.path("path", path)?;
        let kernel = caller.text("kernel", kernel)?.to_string_lossy();
        let handed = parcrypt_profile::read(path, &Identity::here())?;
        slot.give(Runtime(handed.profile.build(&kernel, or_cores(threads))?));
        Ok(())
    }

    fn parcrypt_runtime_free(runtime: *mut Runtime) -> () {
        caller.free(runtime)
    }

    fn parcrypt_runtime_kind(runtime: *const Runtime) -> *const c_char {
        const NAMES: [&CStr; 3] = [c"serial", c"rayon", c"openmp"];
        let name = caller.handle("runtime", runtime).map_or("", |runtime| runtime.get().name());
        NAMES.into_iter().find(|known| known.to_bytes() == name.as_bytes()).unwrap_or(c"").as_ptr()
    }

    fn parcrypt_runtime_threads(runtime: *const Runtime) -> usize {
        caller.handle("runtime", runtime).map_or(0, |runtime| runtime.get().threads().get())
    }
});

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use parcrypt_runtime::{ForkCost, KernelProfile, Profile};

    use super::*;
    use crate::status::Status;

    #[test]
    fn a_profile_chooses_the_runtime_of_a_kernel() {
        let cost = ForkCost { spinning_ns: 2_000, asleep_ns: 50_000 };
        let kernel = |runtime| KernelProfile { factor: 1.0, runtime };
        let profile = Profile {
            runtimes: [(Kind::Rayon, cost)].into(),
            kernels: [
                ("sum".to_owned(), kernel(Kind::Serial)),
                ("kzg-commit".to_owned(), kernel(Kind::Rayon)),
            ]
            .into(),
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machine.toml");
        std::fs::write(&file, parcrypt_profile::to_toml(Identity::here(), &profile).unwrap()).unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        for (kernel, threads, name, has) in
            [(c"sum", 2, c"serial", 1), (c"kzg-commit", 2, c"rayon", 2), (c"kzg-commit", 1, c"serial", 1)]
        {
            let mut runtime = std::ptr::null_mut();
            // SAFETY: texts with a zero byte, room for a pointer, and a runtime that is freed once.
            unsafe {
                let status =
                    parcrypt_runtime_from_profile(path.as_ptr(), kernel.as_ptr(), threads, &raw mut runtime);
                assert_eq!(status, Status::OK);
                assert_eq!(CStr::from_ptr(parcrypt_runtime_kind(runtime)), name, "{kernel:?}");
                assert_eq!(parcrypt_runtime_threads(runtime), has);
                parcrypt_runtime_free(runtime);
            }
        }
    }
}
