//! Runtimes, for C.

use std::ffi::{CStr, c_char};
use std::num::NonZeroUsize;

use parcrypt_runtime::Kind;

use crate::memory::Caller;
use crate::status::{Status, call, quiet};

/// The header's `parcrypt_runtime`.
pub struct Runtime(Box<dyn parcrypt_runtime::Runtime>);

impl Runtime {
    pub(crate) fn get(&self) -> &dyn parcrypt_runtime::Runtime {
        &*self.0
    }
}

/// See the header.
///
/// # Safety
/// `kind` is null or a text with a zero byte at its end; `runtime` is null or room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_runtime_new(
    kind: *const c_char,
    threads: usize,
    runtime: *mut *mut Runtime,
) -> Status {
    // SAFETY: the pointers are what the header says, by the promise above.
    let caller = unsafe { Caller::new() };
    call(|| {
        let slot = caller.slot("runtime", runtime)?;
        let kind = caller.text("kind", kind)?;
        let kind: Kind = kind.to_string_lossy().parse()?;
        let threads = NonZeroUsize::new(threads).unwrap_or_else(|| match kind {
            Kind::Serial => NonZeroUsize::MIN,
            Kind::Rayon | Kind::OpenMp => parcrypt_cpu::cores().min(MOST_THREADS),
        });
        slot.give(Runtime(kind.build(threads)?));
        Ok(())
    })
}

/// A machine may have more cores than a runtime may have threads.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(parcrypt_runtime::MAX_THREADS).unwrap();

/// See the header.
///
/// # Safety
/// `runtime` is null or from [`parcrypt_runtime_new`] and was not freed yet; no call uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_runtime_free(runtime: *mut Runtime) {
    // SAFETY: the promise above.
    let caller = unsafe { Caller::new() };
    quiet((), || caller.free(runtime));
}

/// See the header.
///
/// # Safety
/// `runtime` is null or from [`parcrypt_runtime_new`] and is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_runtime_kind(runtime: *const Runtime) -> *const c_char {
    const NAMES: [&CStr; 3] = [c"serial", c"rayon", c"openmp"];
    // SAFETY: the promise above.
    let caller = unsafe { Caller::new() };
    quiet(c"".as_ptr(), || {
        let name = caller.handle("runtime", runtime).map_or("", |runtime| runtime.get().name());
        NAMES.into_iter().find(|known| known.to_bytes() == name.as_bytes()).unwrap_or(c"").as_ptr()
    })
}

/// See the header.
///
/// # Safety
/// `runtime` is null or from [`parcrypt_runtime_new`] and is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_runtime_threads(runtime: *const Runtime) -> usize {
    // SAFETY: the promise above.
    let caller = unsafe { Caller::new() };
    quiet(0, || caller.handle("runtime", runtime).map_or(0, |runtime| runtime.get().threads().get()))
}
