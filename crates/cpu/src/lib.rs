//! What this machine has: instruction sets under the names of the [backends](Backend), cores, memory, caches.
//!
//! It must not know any kernel or runtime: kernels offer backends to [`choose`] and get one back.
//! Add a backend's name and its detection in `backend`, a fact about the machine in `machine`.
//!
//! ```
//! use parcrypt_cpu::{Backend, choose_with};
//!
//! // A kernel that has two implementations takes the better one that runs here.
//! let backend = choose_with(&[Backend::Scalar, Backend::Avx2], None)?;
//! assert!(backend.is_available());
//! # Ok::<(), parcrypt_cpu::Error>(())
//! ```

mod backend;
mod cgroup;
mod features;
mod files;
mod machine;

pub use backend::{Backend, ENVIRONMENT, choose, choose_with, from_environment};
pub use features::features;
pub use machine::{Cache, CacheKind, Machine, cores, memory_available};

/// Why no backend could be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No backend has this name.
    #[error("unknown backend '{name}'; the backends are {}", list(&Backend::ALL))]
    UnknownBackend {
        /// The name as it was given.
        name: String,
    },
    /// The backend that was asked for cannot run on this machine.
    #[error("this machine cannot run backend '{backend}'; it can run {}", list(.available))]
    Unavailable {
        /// The backend that was asked for.
        backend: Backend,
        /// What was offered and can run here.
        available: Vec<Backend>,
    },
    /// The backend that was asked for is not one of the kernel's.
    #[error("this kernel has no backend '{backend}'; it has {}", list(.offered))]
    NotOffered {
        /// The backend that was asked for.
        backend: Backend,
        /// What the kernel offers.
        offered: Vec<Backend>,
    },
    /// Nothing that the kernel offers can run on this machine.
    #[error("this machine can run none of the kernel's backends, which are {}", list(.offered))]
    NoneAvailable {
        /// What the kernel offers.
        offered: Vec<Backend>,
    },
}

/// The names with commas between, or `none`.
fn list(backends: &[Backend]) -> String {
    if backends.is_empty() {
        return "none".to_owned();
    }
    backends.iter().map(|b| b.name()).collect::<Vec<_>>().join(", ")
}
