//! The table of backends for additions of points, and the choice out of it.

use parcrypt_cpu::Backend;

use crate::arch::generic::blst::Blst;
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::ifma::Ifma;
use crate::curve::affine::BatchAffine;

/// The backends, in rising order of preference.
#[cfg(target_arch = "x86_64")]
pub const BACKENDS: &[Backend] = &[Backend::Blst, Backend::Ifma];
/// The backends, in rising order of preference.
#[cfg(not(target_arch = "x86_64"))]
pub const BACKENDS: &[Backend] = &[Backend::Blst];

/// The best backend of this machine, or the one that `PARCRYPT_BACKEND` forces.
///
/// # Errors
/// Where the backend that is forced is none of [`BACKENDS`], or not this machine's.
pub fn choose() -> Result<Backend, parcrypt_cpu::Error> {
    parcrypt_cpu::choose(BACKENDS)
}

/// What a backend gives.
///
/// # Errors
/// Where it is none of [`BACKENDS`], or not this machine's.
pub(crate) fn batch_affine(backend: Backend) -> Result<&'static dyn BatchAffine, parcrypt_cpu::Error> {
    match parcrypt_cpu::choose_with(BACKENDS, Some(backend))? {
        #[cfg(target_arch = "x86_64")]
        Backend::Ifma => match Ifma::get() {
            Some(ifma) => Ok(ifma),
            None => Err(parcrypt_cpu::Error::Unavailable { backend, available: vec![Backend::Blst] }),
        },
        _ => Ok(&Blst),
    }
}
