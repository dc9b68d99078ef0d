//! The former choice among a list of backends; [`select`](crate::select) replaces it.

use crate::{Backend, Error};

/// The environment variable that forces a backend: `PARCRYPT_BACKEND=avx2`.
pub const ENVIRONMENT: &str = "PARCRYPT_BACKEND";

/// The best of the backends that a kernel offers and this machine can run, unless `PARCRYPT_BACKEND` forces one.
///
/// `offered` is in rising order of preference. The environment is read at every call, so that a plan made later can
/// differ; a kernel calls this once, when its plan is made. [`choose_with`] is the same without the environment.
///
/// # Errors
/// [`Error::UnknownBackend`] where the variable holds no backend's name, and those of [`choose_with`].
///
/// ```
/// use parcrypt_cpu::{Backend, choose};
///
/// let offered = [Backend::Portable, Backend::Avx2, Backend::Avx512];
/// println!("this runs {}", choose(&offered)?);
/// # Ok::<(), parcrypt_cpu::Error>(())
/// ```
pub fn choose(offered: &[Backend]) -> Result<Backend, Error> {
    choose_with(offered, from_environment()?)
}

/// The backend that is forced, or else the best that is offered and can run here; it does not read the environment.
///
/// `offered` is in rising order of preference. A forced backend is never replaced by another.
///
/// # Errors
/// - [`Error::NotOffered`]: the forced backend is not in `offered`.
/// - [`Error::Unavailable`]: the forced backend cannot run on this machine.
/// - [`Error::NoneAvailable`]: nothing is forced and none of `offered` can run here.
pub fn choose_with(offered: &[Backend], forced: Option<Backend>) -> Result<Backend, Error> {
    choose_among(offered, forced, Backend::is_available)
}

/// [`choose_with`] on a machine that `runs` describes.
fn choose_among(
    offered: &[Backend],
    forced: Option<Backend>,
    runs: impl Fn(Backend) -> bool,
) -> Result<Backend, Error> {
    match forced {
        Some(backend) if !offered.contains(&backend) => {
            Err(Error::NotOffered { backend, offered: offered.to_vec() })
        }
        Some(backend) if !runs(backend) => {
            let available = offered.iter().copied().filter(|&b| runs(b)).collect();
            Err(Error::Unavailable { backend, available })
        }
        Some(backend) => Ok(backend),
        None => offered
            .iter()
            .rev()
            .copied()
            .find(|&b| runs(b))
            .ok_or_else(|| Error::NoneAvailable { offered: offered.to_vec() }),
    }
}

/// The backend that `PARCRYPT_BACKEND` forces; `None` where the variable is not set or empty.
///
/// # Errors
/// [`Error::UnknownBackend`] where it holds no backend's name.
pub fn from_environment() -> Result<Option<Backend>, Error> {
    match std::env::var_os(ENVIRONMENT) {
        None => Ok(None),
        Some(value) if value.is_empty() => Ok(None),
        Some(value) => value.to_string_lossy().parse().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_runs_is_chosen() {
        use Backend::{Avx2, Avx512, Portable, Rvv};
        let here = |b| b != Rvv && b != Avx512;
        assert_eq!(choose_among(&[Portable, Avx2, Avx512, Rvv], None, here), Ok(Avx2));
        assert_eq!(choose_among(&[Avx2, Portable], None, here), Ok(Portable));
        assert_eq!(choose_among(&[Portable, Avx2], Some(Portable), here), Ok(Portable));
        assert_eq!(
            choose_among(&[Portable, Avx2, Rvv], Some(Rvv), here),
            Err(Error::Unavailable { backend: Rvv, available: vec![Portable, Avx2] })
        );
        assert_eq!(
            choose_among(&[Portable], Some(Avx2), here),
            Err(Error::NotOffered { backend: Avx2, offered: vec![Portable] })
        );
        assert_eq!(choose_among(&[Rvv], None, here), Err(Error::NoneAvailable { offered: vec![Rvv] }));
        let none = choose_among(&[], None, here).unwrap_err();
        assert!(none.to_string().ends_with("none"), "{none}");
    }
}
