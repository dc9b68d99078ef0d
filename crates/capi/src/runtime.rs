//! Runtimes, for C.

use std::num::NonZeroUsize;

use parcrypt_runtime::Kind;

/// The header's `parcrypt_runtime`.
pub struct Runtime(Box<dyn parcrypt_runtime::Runtime>);

impl Runtime {
    pub(crate) fn get(&self) -> &dyn parcrypt_runtime::Runtime {
        &*self.0
    }
}

/// A machine may have more cores than a runtime may have threads.
const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(parcrypt_runtime::MAX_THREADS).unwrap();

exported!(|caller| {
    fn parcrypt_runtime_new(kind: text, threads: usize, runtime: slot(Runtime)) {
        let kind: Kind = kind.to_string_lossy().parse()?;
        let default = match kind {
            Kind::Serial => NonZeroUsize::MIN,
            Kind::Rayon | Kind::OpenMp => parcrypt_cpu::cores().min(MAX_THREADS),
        };
        let threads = NonZeroUsize::new(threads).unwrap_or(default);
        runtime.give(Runtime(kind.build(threads)?));
    }

    fn parcrypt_runtime_free(runtime: *mut Runtime) -> () {
        caller.free(runtime)
    }

    fn parcrypt_runtime_threads(runtime: *const Runtime) -> usize {
        caller.handle("runtime", runtime).map_or(0, |runtime| runtime.get().threads().get())
    }
});
